//! Readings of doubtful places that a change decides, by choosing a way or by answering without asking, and those whose examples it contradicts.

use crate::house::broken_checks::BrokenCheck;
use crate::house::kept::list_of;
use crate::house::trial::TriedRules;
use casebook_engine::complaint::Complaints;
use casebook_engine::data::case::{Case, CaseFunction, Reading};
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::situation::value_text::join_words;
use casebook_engine::syntax::calls::{PRIOR, reachable_functions};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A reading that a change touches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TouchedReading {
    /// The case and the name of the reading: `8.16.remainder`.
    pub name: String,
    /// What becomes of it, in words.
    #[serde(rename = "what")]
    pub description: String,
}

/// Returns the readings below that tried rules decide, and those by which an example holds that they contradict.
pub fn touched_readings(
    tried: &TriedRules,
    below: &Ruleset,
    variant: &str,
    contradicted: &[BrokenCheck],
) -> Vec<TouchedReading> {
    let library = &tried.library;
    let mut touched: Vec<TouchedReading> = Vec::new();
    let mut add = |name: String, description: String| {
        let new = TouchedReading { name, description };
        if !touched.contains(&new) {
            touched.push(new);
        }
    };
    for (name, description) in decided_by_layer(library, below, variant) {
        add(name, description);
    }
    for check in contradicted {
        for (name, way) in &check.readings {
            add(
                name.clone(),
                format!("read as “{way}”, {} does not hold", check.name),
            );
        }
    }
    touched
}

/// Returns the readings below that a variant decides, in its list or by its cases.
pub fn decided_by_layer(
    library: &Library,
    below: &Ruleset,
    variant: &str,
) -> Vec<(String, String)> {
    if !library.variants.contains_key(variant) {
        return Vec::new();
    }
    let in_list = list_of(library, variant).into_iter().filter_map(|entry| {
        let (name, way) = (entry.get("reading")?, entry.get("now")?);
        let (number, reading) = name.rsplit_once('.')?;
        let mut cases = below.cases.iter().filter(|case| case.number == number);
        let declared =
            cases.find_map(|case| case.readings.iter().find(|one| one.name == reading))?;
        let description = format!("of {} it is read as “{way}”", ways_of(declared));
        (declared.ways.first().map(String::as_str) != Some(way))
            .then(|| (name.to_string(), description))
    });
    let layer = library.layer(&below.game, Some(variant), &mut Complaints::default());
    let by_cases = layer.cases.iter().flat_map(|case| decided_by(case, below));
    in_list.chain(by_cases).collect()
}

fn ways_of(reading: &Reading) -> String {
    join_words(reading.ways.iter().map(|way| format!("“{way}”")).collect())
}

/// Returns the readings of a case that an own case decides.
fn decided_by(own: &Case, below: &Ruleset) -> Vec<(String, String)> {
    let older = || {
        below
            .cases
            .iter()
            .rev()
            .filter(|case| case.number == own.number)
    };
    let mut decided = Vec::new();
    for reading in older().flat_map(|case| &case.readings) {
        let name = format!("{}.{}", own.number, reading.name);
        let ways = ways_of(reading);
        let chosen = own
            .readings
            .iter()
            .find(|chosen| chosen.name == reading.name)
            .and_then(|chosen| chosen.ways.first());
        if let Some(way) = chosen.filter(|way| reading.ways.first() != Some(way)) {
            decided.push((name, format!("of {ways} it is read as “{way}”")));
            continue;
        }
        let asks = |case: &Case, index: usize| {
            let text = format!("\"{}\"", reading.name);
            reachable_functions(case, index)
                .into_iter()
                .any(|index| case.functions[index].body.contains(&text))
        };
        let no_longer = own.functions.iter().enumerate().any(|(index, function)| {
            let builds_on = || {
                reachable_functions(own, index)
                    .into_iter()
                    .any(|index| own.functions[index].body.contains(PRIOR))
            };
            !function.private
                && !function.is_example()
                && older_answer(older(), function).is_some_and(|(case, old)| asks(case, old))
                && !asks(own, index)
                && !builds_on()
        });
        if no_longer {
            decided.push((name, format!("whether {ways} is not asked any more")));
        }
    }
    decided
}

/// Returns the newest older answer of a function.
fn older_answer<'c>(
    older: impl Iterator<Item = &'c Arc<Case>>,
    function: &CaseFunction,
) -> Option<(&'c Case, usize)> {
    let is_same =
        |other: &CaseFunction| other.name == function.name && other.arity() == function.arity();
    older
        .filter_map(|case| Some((&**case, case.functions.iter().position(is_same)?)))
        .next()
}
