//! The ruling of every situation of every game, under the ruleset it names for itself and with seed 1, as a snapshot:
//! every change of a ruling shows.

use crate::common::stacks::built_in;
use casebook::data::library::Library;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::resolve::{self, ResolveRequest};
use casebook::ruling::situation::Situation;
use casebook::situation::dice::SeededDice;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The ruling as a person reads it; nothing for a list of pieces.
fn ruling_text(
    library: &Arc<Library>,
    game: &str,
    situation: &str,
    variant: Option<&str>,
) -> Option<String> {
    let spec = RulesetSpec::with_variants(
        game,
        library.in_force_for(game, situation, variant).variants,
    );
    let scenario =
        build_ruleset(library, &spec).and_then(|(ruleset, _)| ruleset.scenario(situation));
    scenario
        .unwrap_or_else(|error| panic!("{game}, {situation}: {error}"))
        .procedure
        .as_ref()?;
    let ready = Situation::load(library, &spec, situation)
        .unwrap_or_else(|error| panic!("{game}, {situation}: {error}"));
    let order = ResolveRequest {
        stream: Box::new(SeededDice::new(1)),
        dice_from: "seed 1".into(),
        ..ResolveRequest::default()
    };
    let resolved = resolve::resolve(&mut ready.machine(), &ready, order)
        .unwrap_or_else(|error| panic!("{game}, {situation}: {error}"));
    Some(resolved.ruling.render(false))
}

fn every_ruling() {
    let library = built_in();
    let mut changed = Vec::new();
    for game in library.games.keys() {
        for (situation, variant) in library.scenarios(game) {
            let run_once = || {
                let Some(text) = ruling_text(&library, game, &situation, variant.as_deref()) else {
                    return;
                };
                insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(format!("{game}__{situation}"), text) });
            };
            // All changes are collected before the test fails.
            if catch_unwind(AssertUnwindSafe(run_once)).is_err() {
                changed.push(situation);
            }
        }
    }
    assert!(
        changed.is_empty(),
        "these rulings moved or broke: {}",
        changed.join(", ")
    );
}

#[test]
fn every_situation() {
    every_ruling();
}
