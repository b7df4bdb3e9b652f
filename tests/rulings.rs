//! The ruling of every situation of every game, under the ruleset it names for itself and with seed 1, as a snapshot:
//! when an answer moves, it is seen.

use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::ruleset::compose::Wish;
use casebook::ruleset::laws::enact;
use casebook::ruling::resolve::{self, Order};
use casebook::ruling::situation::Situation;
use casebook::situation::dice::Seeded;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The ruling as a person reads it; nothing for a list of pieces.
fn ruling(library: &Arc<Library>, game: &str, situation: &str, variant: Option<&str>) -> Option<String> {
    let wish = Wish { game: game.into(), with: library.asked_by(game, situation, variant).with, ..Wish::default() };
    let scenario = enact(library, &wish).and_then(|(ruleset, _)| ruleset.scenario(situation));
    scenario.unwrap_or_else(|error| panic!("{game}, {situation}: {error}")).procedure.as_ref()?;
    let ready = Situation::of(library, &wish, situation).unwrap_or_else(|error| panic!("{game}, {situation}: {error}"));
    let order = Order { stream: Box::new(Seeded::new(1)), dice_from: "seed 1".into(), ..Order::default() };
    let ran = resolve::resolve(&mut ready.machine(), &ready, order).unwrap_or_else(|error| panic!("{game}, {situation}: {error}"));
    Some(ran.ruling.render(false))
}

fn all() {
    let library = Arc::new(Library::new(Files::built_in()));
    let mut moved = Vec::new();
    for game in library.games.keys() {
        for (situation, variant) in library.scenarios(game) {
            let one = || {
                let Some(text) = ruling(&library, game, &situation, variant.as_deref()) else { return };
                insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(format!("{game}__{situation}"), text) });
            };
            // All of them are seen, not the first that moved.
            if catch_unwind(AssertUnwindSafe(one)).is_err() {
                moved.push(situation);
            }
        }
    }
    assert!(moved.is_empty(), "these rulings moved or broke: {}", moved.join(", "));
}

#[test]
fn every_situation() {
    all();
}
