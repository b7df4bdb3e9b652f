//! Looks for situations in which two rulesets part: like one that is given, with other figures.

use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::complaint::Error;
use crate::data::piece::Datum;
use crate::data::scenario::Scenario;
use crate::odds::sample::of_seed;
use crate::ruleset::compose::Ruleset;
use crate::ruling::decide::Decider;
use crate::ruling::situation::Situation;
use rand::Rng;
use rand_pcg::Pcg32;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A way in which two rulesets part: the outcomes that differ.
#[derive(Clone, Debug, Serialize)]
pub struct Class {
    /// The outcomes that differ.
    pub outcomes: Vec<String>,
    /// In how many of the situations.
    pub times: u64,
    /// The smallest situation that shows it: what was changed in it.
    pub witness: Vec<String>,
    /// The seed that shows it there.
    pub seed: u64,
    /// The outcomes under the one ruleset and under the other.
    pub pairs: Vec<(String, String, String)>,
    #[serde(skip)]
    size: i64,
}

/// What a search found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Searched {
    /// How many situations were tried.
    pub tried: u64,
    /// Ways of parting, the commonest first.
    pub classes: Vec<Class>,
}

/// A situation like the one given: every figure of a piece that is above 0 may become any from 1 to twice as much.
fn varied(scenario: &Scenario, generator: &mut Pcg32) -> (Scenario, Vec<String>, i64) {
    let mut other = scenario.clone();
    let (mut changes, mut size) = (Vec::new(), 0);
    for piece in &mut other.pieces {
        for (figure, datum) in &mut piece.data {
            let Datum::Number(n) = datum else { continue };
            if *n > 0 && generator.next_u32().is_multiple_of(2) {
                let new = i64::from(generator.next_u32()) % (2 * *n) + 1;
                if new != *n {
                    changes.push(format!("{}: {figure} {new} instead of {n}", piece.name));
                    *n = new;
                }
            }
            size += *n;
        }
    }
    (other, changes, size)
}

/// The outcomes of one seed, by name.
fn outcomes(
    machine: &mut Machine,
    scenario: &Scenario,
    choices: &[(String, String)],
    seed: u64,
) -> Result<BTreeMap<String, String>, Error> {
    let situation = Situation::new(&machine.program.clone(), scenario.clone())?;
    let decider = Decider { answers: situation.answers(choices), ..Decider::default() };
    Ok(of_seed(machine, &situation, &decider, seed)?.into_iter().collect())
}

/// Tries so many situations under two rulesets, each with dice of its own.
pub fn search(a: Ruleset, b: Ruleset, name: &str, choices: &[(String, String)], count: u64) -> Result<Searched, Error> {
    let (one, two) = (a.scenario(name)?, b.scenario(name)?);
    let machine = |ruleset: Ruleset| Machine::new(Arc::new(Program::new(Arc::new(ruleset))));
    let (mut a, mut b) = (machine(a), machine(b));
    let mut found = Searched::default();
    for seed in 1..=count {
        // The same changes on both sides: the first situation is the one given, unchanged.
        let draw = |scenario: &Scenario| {
            if seed == 1 { (scenario.clone(), Vec::new(), i64::MAX) } else { varied(scenario, &mut Pcg32::new(seed, 0)) }
        };
        let ((first, changes, size), (second, ..)) = (draw(&one), draw(&two));
        let (left, right) = (outcomes(&mut a, &first, choices, seed)?, outcomes(&mut b, &second, choices, seed)?);
        found.tried += 1;
        let names: std::collections::BTreeSet<&String> = left.keys().chain(right.keys()).collect();
        let text = |side: &BTreeMap<String, String>, name: &String| {
            side.get(name).cloned().unwrap_or_else(|| crate::odds::distribution::NOTHING.into())
        };
        let pairs: Vec<_> = names.into_iter().map(|n| (n.clone(), text(&left, n), text(&right, n))).filter(|(_, l, r)| l != r).collect();
        if pairs.is_empty() {
            continue;
        }
        let outcomes: Vec<String> = pairs.iter().map(|(name, ..)| name.clone()).collect();
        let class = Class { outcomes, times: 1, witness: changes, seed, pairs, size };
        match found.classes.iter_mut().find(|c| c.outcomes == class.outcomes) {
            Some(known) => {
                let times = known.times + 1;
                if class.size < known.size {
                    *known = class;
                }
                known.times = times;
            }
            None => found.classes.push(class),
        }
    }
    found.classes.sort_by_key(|c| std::cmp::Reverse(c.times));
    Ok(found)
}
