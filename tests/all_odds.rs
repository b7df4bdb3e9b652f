//! The odds of every shipped situation are counted, under its own variants and under all of its game's that go together: on no way that a short
//! count comes to does a rule break off.

use crate::common::stacks::built_in;
use casebook::complaint::{DiagnosticCode, Error};
use casebook::data::library::Library;
use casebook::{Answers, RulesetSpec, Situation};
use std::sync::Arc;
use std::time::Duration;

/// How long each is counted.
const TIME: Duration = Duration::from_millis(400);

/// What is wrong with the odds of a situation under some variants, if anything is.
fn fault(library: &Arc<Library>, spec: &RulesetSpec, name: &str) -> Option<String> {
    let situation = Situation::load(library, spec, name).ok()?;
    let counted = Answers::new().odds(&situation, TIME);
    // What takes longer than it is given is no fault of the rules.
    let is_fault = |error: &Error| match error {
        Error::Data(complaints) => complaints
            .0
            .iter()
            .any(|complaint| complaint.code != DiagnosticCode::Limit),
        _ => true,
    };
    counted
        .err()
        .filter(is_fault)
        .map(|error| format!("{name} with {:?}: {error}", spec.variants))
}

#[test]
fn no_situation_breaks_off() {
    let library = built_in();
    let mut asked = Vec::new();
    for game in library.games.keys() {
        for (name, variant) in library.scenarios(game) {
            let own = library
                .in_force_for(game, &name, variant.as_deref())
                .variants;
            let all = library.compatible_variants(game);
            let stacks = if own == all {
                vec![own]
            } else {
                vec![own, all]
            };
            asked.extend(
                stacks
                    .into_iter()
                    .map(|with| (RulesetSpec::with_variants(game, with), name.clone())),
            );
        }
    }
    let halves = asked.split_at(asked.len() / 2);
    let of = |part: &[(RulesetSpec, String)]| -> Vec<String> {
        part.iter()
            .filter_map(|(spec, name)| fault(&library, spec, name))
            .collect()
    };
    let faults = std::thread::scope(|scope| {
        let other = scope.spawn(|| of(halves.1));
        [of(halves.0), other.join().expect("the other half")].concat()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
