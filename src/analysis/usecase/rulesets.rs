//! Which ruleset is asked about.

use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::spec::RulesetChoices;
use casebook_engine::ruling::journal::Journal;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the spec of a situation, which `variant` brings if it is not of the game: the choices, otherwise what the situation names.
pub fn spec_of_situation(
    library: &Library,
    choices: &RulesetChoices,
    game: &str,
    name: &str,
    variant: Option<&str>,
) -> RulesetSpec {
    choices.spec(library, game, library.in_force_for(game, name, variant))
}

/// Returns the spec of a journal with other choices: variants replace those of the journal, options and readings are added to its own.
pub fn spec_of_journal(journal: &Journal, choices: &RulesetChoices) -> RulesetSpec {
    let (mut options, mut readings): (BTreeMap<_, _>, BTreeMap<_, _>) =
        (journal.options.clone(), journal.readings.clone());
    options.extend(choices.options.iter().cloned());
    readings.extend(choices.readings.iter().cloned());
    RulesetSpec {
        variants: choices
            .variants
            .as_ref()
            .unwrap_or(&journal.variants)
            .iter()
            .filter(|name| !name.is_empty())
            .cloned()
            .collect(),
        options: options.into_iter().collect(),
        readings: readings.into_iter().collect(),
        ..journal.spec()
    }
}

/// Composes a game for looking up names: with all variants, or without them if they do not combine. Errors are left to `check`.
pub fn ruleset_for_lookup(library: &Arc<Library>, game: &str) -> Option<Ruleset> {
    let compose =
        |variants: &[&str]| Ruleset::compose(library, &RulesetSpec::new(game, variants)).ok();
    compose(&library.variants_of(game))
        .or_else(|| compose(&[]))
        .map(|(ruleset, _)| ruleset)
}
