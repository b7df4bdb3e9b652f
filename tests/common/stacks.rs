//! All rulesets of a game, and all situations under them.

use casebook::code::program::Program;
use casebook::data::library::Library;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::situation::Situation;
use std::sync::{Arc, LazyLock};

/// The library of all built-in data, read once for all tests.
pub fn built_in() -> Arc<Library> {
    static LIBRARY: LazyLock<Arc<Library>> = LazyLock::new(casebook::built_in);
    LIBRARY.clone()
}

/// All valid combinations of a game's variants, each alone and with every single option and reading switched.
pub fn specs(library: &Arc<Library>, game: &str) -> Vec<RulesetSpec> {
    let variants = library.variants_of(game);
    let mut stacks = Vec::new();
    for bits in 0..1usize << variants.len() {
        let with: Vec<String> = variants
            .iter()
            .enumerate()
            .filter(|(place, _)| bits >> place & 1 == 1)
            .map(|(_, name)| name.to_string())
            .collect();
        let spec = RulesetSpec::with_variants(game, with);
        // Variants that exclude each other can't be combined.
        let Ok((ruleset, _)) = build_ruleset(library, &spec) else {
            continue;
        };
        for (option, on) in &ruleset.options {
            stacks.push(RulesetSpec {
                options: vec![(option.clone(), !on)],
                ..spec.clone()
            });
        }
        for case in &ruleset.cases {
            for reading in &case.readings {
                let other = |way: &&String| {
                    ruleset
                        .readings
                        .get(&format!("{}.{}", case.number, reading.name))
                        != Some(*way)
                };
                let other_ways = reading.ways.iter().filter(other);
                stacks.extend(other_ways.map(|way| {
                    let readings = vec![(format!("{}.{}", case.number, reading.name), way.clone())];
                    RulesetSpec {
                        readings,
                        ..spec.clone()
                    }
                }));
            }
        }
        stacks.push(spec);
    }
    stacks
}

/// Every situation of a ruleset that can be prepared.
pub fn situations(program: &Arc<Program>) -> impl Iterator<Item = Situation> {
    let scenarios = program
        .ruleset
        .scenario_names()
        .into_iter()
        .filter_map(|name| program.ruleset.scenario(name).ok());
    scenarios
        .filter_map(|scenario| Situation::new(program, scenario).ok())
        .collect::<Vec<_>>()
        .into_iter()
}
