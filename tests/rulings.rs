//! The ruling of every situation of every game, under the ruleset it names for itself and with seed 1, as a snapshot:
//! when an answer moves, it is seen.

use casebook::code::script::Script;
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::ruleset::compose::Wish;
use casebook::ruleset::laws::enact;
use casebook::ruling::resolve::{self, Order};
use casebook::situation::dice::Seeded;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The ruling as a person reads it; nothing for a list of pieces.
fn ruling(library: &Arc<Library>, game: &str, situation: &str, variant: Option<&str>) -> Option<String> {
    let wish = Wish { game: game.into(), with: library.default_with(game, situation, variant), ..Wish::default() };
    let made = enact(library, &wish).and_then(|(ruleset, _)| Ok((ruleset.scenario(situation)?, ruleset)));
    let (scenario, ruleset) = made.unwrap_or_else(|error| panic!("{game}, {situation}: {error}"));
    scenario.procedure.as_ref()?;
    let script = Script::new(Arc::new(ruleset));
    let order = Order { stream: Box::new(Seeded::new(1)), dice_from: "seed 1".into(), choices: Vec::new(), strict: false, trace: false };
    let ruling = resolve::resolve(&script, &scenario, order).unwrap_or_else(|error| panic!("{game}, {situation}: {error}"));
    Some(ruling.render(false))
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
    // The binary gives the engine a thread with room for deep calls, and so does this.
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(all).expect("a thread can be started");
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}
