//! The rulesets that are tried: every variant with those below it, and every group of compatible ones, with options and readings by lot.

use crate::author::check::{compatible_groups, variants_below};
use crate::data::library::Library;
use crate::ruleset::compose::{Ruleset, RulesetSpec};
use rand::Rng;
use rand_pcg::Pcg32;

/// Of how many options or readings one is changed.
const CHANGED: u32 = 4;

/// Returns the stacks of a game: the printed game, each variant with those it comes after, and each group of compatible variants.
pub fn stacks(library: &Library, game: &str) -> Vec<RulesetSpec> {
    let mut stacks: Vec<Vec<String>> = vec![Vec::new()];
    stacks.extend(library.variants_of(game).into_iter().map(|variant| variants_below(library, game, variant)));
    stacks.extend(compatible_groups(library, game));
    stacks.sort();
    stacks.dedup();
    stacks.into_iter().map(|variants| RulesetSpec::with_variants(game, variants)).collect()
}

/// Returns the spec of a ruleset with some options and readings changed by lot.
pub fn changed_by_lot(ruleset: &Ruleset, generator: &mut Pcg32) -> RulesetSpec {
    let mut spec = ruleset.spec.clone();
    for (name, on) in &ruleset.options {
        if generator.next_u32().is_multiple_of(CHANGED) {
            spec.options.push((name.clone(), !on));
        }
    }
    let off = |case: &crate::data::case::Case| {
        case.option.as_ref().is_some_and(|option| spec.options.contains(&(format!("{}.{option}", case.layer), false)))
    };
    for case in ruleset.cases.iter().filter(|case| !off(case)) {
        for reading in &case.readings {
            let name = format!("{}.{}", case.number, reading.name);
            let others: Vec<&String> = reading.ways.iter().skip(1).collect();
            let known = spec.readings.iter().any(|(known, _)| *known == name);
            if !others.is_empty() && !known && generator.next_u32().is_multiple_of(CHANGED) {
                spec.readings.push((name, others[generator.next_u32() as usize % others.len()].clone()));
            }
        }
    }
    spec
}
