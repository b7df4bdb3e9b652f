//! Rulesets that differ in one thing: with or without it, on or off, or in each of its readings.

use crate::code::lower;
use crate::code::program::Program;
use crate::compare::divergence::{Divergence, compare_views};
use crate::compare::verdicts::OutcomeDifference;
use crate::compare::view::{Comparison, RulesetView};
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Error, Severity, nearest_names};
use crate::data::case::Case;
use crate::data::library::Library;
use crate::platform::clock::Instant;
use crate::ruleset::compose::{Ruleset, RulesetSpec};
use crate::ruleset::diagnostics;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A ruleset with its label for headings.
pub type LabelledRuleset = (String, RulesetSpec);

/// Returns the rulesets that differ in a case, table, variant, option or reading; for a removal or an option, the one in force comes
/// first.
pub fn alternatives(library: &Arc<Library>, spec: &RulesetSpec, ruleset: &Ruleset, what: &str) -> Result<Vec<LabelledRuleset>, Error> {
    if let Some(on) = ruleset.options.get(what) {
        let switched = |on: bool| {
            let mut other = spec.clone();
            other.options.retain(|(known, _)| known != what);
            other.options.push((what.into(), on));
            (format!("{what}={}", if on { "on" } else { "off" }), other)
        };
        return Ok(vec![switched(*on), switched(!*on)]);
    }
    let list = readings_in_force(ruleset);
    if let Some(ways) = list.get(what) {
        return Ok(ways.iter().map(|way| (format!("{what}={way}"), with_reading(spec, what, way))).collect());
    }
    if ruleset.variants().any(|layer| *layer.name == *what) {
        let needs = |name: &str| library.with_needs(name).iter().any(|needed| needed == what);
        let mut without = spec.clone();
        without.variants = ruleset.variants().map(|layer| layer.name.to_string()).filter(|name| !needs(name)).collect();
        let gone = |name: &str| name.split('.').next().is_some_and(|variant| needs(variant) && library.variants.contains_key(variant));
        without.options.retain(|(name, _)| !gone(name));
        let (less, _) = diagnostics::build_ruleset(library, &RulesetSpec { readings: Vec::new(), ..without.clone() })?;
        without.readings.retain(|(name, _)| less.readings.contains_key(name));
        let more: Vec<String> = ruleset.variants().map(|layer| layer.name.to_string()).filter(|name| needs(name) && name != what).collect();
        let rest = if more.is_empty() { String::new() } else { format!(" and {}, which needs it", more.join(", ")) };
        return Ok(vec![(format!("with {what}"), spec.clone()), (format!("without it{rest}"), without)]);
    }
    let base = &ruleset.layers[0].name;
    let cases: Vec<_> = ruleset.cases.iter().filter(|case| case.number == what && case.layer != *base).collect();
    let table = what.strip_prefix("table ").unwrap_or(what);
    let files = ruleset
        .variants()
        .flat_map(|layer| layer.tables.get(table).into_iter().flatten().map(|file| (layer.name.clone(), file.key.clone())));
    let (layers, keys): (Vec<Arc<str>>, Vec<String>) = match cases.is_empty() {
        false => cases.iter().map(|case| (case.layer.clone(), case.file.key.clone())).unzip(),
        true => files.unzip(),
    };
    if !keys.is_empty() {
        let (less, more) = without_amendments(library, spec, ruleset, keys)?;
        let rest = if more.is_empty() { String::new() } else { format!(" and what rests on it: {}", more.join(", ")) };
        return Ok(vec![(format!("with {what} of {}", layers.join(", ")), spec.clone()), (format!("without it{rest}"), less)]);
    }
    let own = list.iter().filter(|(name, _)| name.rsplit_once('.').is_some_and(|(case, _)| case == what));
    let ways: Vec<LabelledRuleset> = own
        .flat_map(|(name, ways)| {
            let short = name.rsplit_once('.').map_or(name.as_str(), |(_, short)| short);
            ways.iter().map(move |way| (format!("{short}={way}"), with_reading(spec, name, way)))
        })
        .collect();
    if !ways.is_empty() {
        return Ok(ways);
    }
    // The name exists, but has no alternative to compare with.
    if library.variants.contains_key(what) {
        return Err(Error::Usage(format!("`{what}` is not in force here: put it there with --with {what}")));
    }
    if ruleset.cases.iter().any(|case| case.number == what) || ruleset.table_names().any(|id| id == table) {
        return Err(Error::Usage(format!(
            "`{what}` stands as the game has it: nothing in force amends it, and it is read in one way alone"
        )));
    }
    let cases = ruleset.cases.iter().filter(|case| case.layer != *base || !case.readings.is_empty()).map(|case| case.number.as_str());
    let open: BTreeSet<&str> = cases
        .chain(ruleset.options.keys().map(String::as_str))
        .chain(list.keys().map(String::as_str))
        .chain(ruleset.variants().map(|layer| &*layer.name))
        .chain(ruleset.variants().flat_map(|layer| layer.tables.keys().map(String::as_str)))
        .collect();
    let hits = nearest_names(what, open.iter().copied());
    let near = if hits.is_empty() { open.into_iter().map(String::from).collect() } else { hits };
    Err(Error::Unknown {
        what: "case, table, variant, option or reading that could be left out or read otherwise",
        name: what.into(),
        suggestions: near,
    })
}

/// Returns all readings in force with their alternatives.
pub fn readings_in_force(ruleset: &Ruleset) -> BTreeMap<String, Vec<String>> {
    let all = ruleset.cases.iter().flat_map(|case| case.readings.iter().map(move |reading| (case, reading)));
    all.map(|(case, reading)| (format!("{}.{}", case.number, reading.name), reading.ways.clone())).collect()
}

fn with_reading(spec: &RulesetSpec, name: &str, way: &str) -> RulesetSpec {
    let mut other = spec.clone();
    other.readings.retain(|(known, _)| known != name);
    other.readings.push((name.into(), way.into()));
    other
}

/// Returns the ruleset without some amendments and without those that depend on them, and the numbers of the latter.
fn without_amendments(
    library: &Arc<Library>,
    spec: &RulesetSpec,
    ruleset: &Ruleset,
    keys: Vec<String>,
) -> Result<(RulesetSpec, Vec<String>), Error> {
    let wrong = |spec: &RulesetSpec| -> Result<Vec<Complaint>, Error> {
        Ok(match diagnostics::build_ruleset(library, spec) {
            Ok((less, _)) => {
                let mut all = lower::collect_complaints(&Program::new(Arc::new(less)), &|_| true).0;
                all.extend(missing_table_complaints(ruleset, library, spec)?);
                all
            }
            Err(Error::Data(complaints)) => complaints.0,
            Err(error) => return Err(error),
        })
    };
    let known: BTreeSet<String> = wrong(spec)?.into_iter().map(|complaint| complaint.what).collect();
    let base = &ruleset.layers[0].name;
    let (mut less, mut more) = (spec.clone(), Vec::new());
    less.excluded_files.extend(keys);
    loop {
        let standing = ruleset.cases.iter().filter(|case| !less.excluded_files.contains(&case.file.key));
        let named: BTreeSet<String> =
            standing.flat_map(|case| case.readings.iter().map(|r| format!("{}.{}", case.number, r.name))).collect();
        less.readings.retain(|(name, _)| named.contains(name));
        let found = wrong(&less)?.into_iter().filter(|complaint| complaint.weight == Severity::Error && !known.contains(&complaint.what));
        let found: Vec<Complaint> = found.collect();
        if found.is_empty() {
            return Ok((less, more));
        }
        let rests = |complaint: &Complaint| {
            let own = |case: &&Arc<Case>| {
                case.file.path == complaint.place.path && case.layer != *base && !less.excluded_files.contains(&case.file.key)
            };
            ruleset.cases.iter().find(own)
        };
        let Some(case) = found.iter().find_map(rests) else { return Err(Error::Data(Complaints(found))) };
        more.push(format!("{} {}", case.layer, case.number));
        less.excluded_files.push(case.file.key.clone());
    }
}

/// Returns the complaints of cases that name a missing table.
fn missing_table_complaints(ruleset: &Ruleset, library: &Arc<Library>, spec: &RulesetSpec) -> Result<Vec<Complaint>, Error> {
    let (less, _) = diagnostics::build_ruleset(library, spec)?;
    let there = |ruleset: &Ruleset, id: &str| matches!(ruleset.table(id), Ok(Some(_)));
    let tables = ruleset.variants().flat_map(|layer| layer.tables.keys()).filter(|id| there(ruleset, id) && !there(&less, id));
    let cases = tables
        .flat_map(|id| less.cases.iter().filter(move |case| case.file.text.contains(&format!("\"{id}\""))).map(move |case| (id, case)));
    let complain = |(id, case): (&String, &Arc<Case>)| {
        case.complaint(DiagnosticCode::UnknownName, case.kind_span, format!("there is no table `{id}`"))
    };
    Ok(cases.map(complain).collect())
}

/// The result of one alternative of a reading.
pub enum ReadingResult {
    /// The alternative was compared with the default.
    Compared(Box<Divergence>),
    /// The alternative could not be run, for this reason.
    Failed(String),
    /// The time was up first.
    TimedOut,
}

/// A comparison of the readings of doubtful places on a situation.
pub struct ReadingComparison {
    /// The odds under the readings in force.
    pub default: RulesetView,
    /// For each alternative the reading, its name, the result, and the view if there is one.
    pub alternatives: Vec<(String, String, ReadingResult, Option<RulesetView>)>,
}

/// Compares every alternative reading of a case, or of all cases, with the readings in force.
pub fn compare_readings(comparison: &Comparison, spec: &RulesetSpec, case: &str) -> Result<ReadingComparison, Error> {
    let (ruleset, _) = diagnostics::build_ruleset(comparison.library, spec)?;
    let of = |name: &str| name.rsplit_once('.').map_or(String::new(), |(case, _)| case.to_string());
    let list: Vec<(String, Vec<String>)> =
        readings_in_force(&ruleset).into_iter().filter(|(name, _)| case.is_empty() || of(name) == case).collect();
    if list.is_empty() {
        let known: Vec<String> = ruleset.readings.keys().map(|name| of(name)).collect();
        return Err(Error::unknown("case with readings in force", case, known.iter().map(String::as_str)));
    }
    let default = comparison.evaluate(comparison.situation(spec)?, comparison.end_of_share(3))?;
    let mut todo = Vec::new();
    for (name, ways) in list {
        let chosen = ruleset.readings.get(&name).cloned().unwrap_or_default();
        todo.extend(ways.into_iter().filter(|way| *way != chosen).map(|way| (name.clone(), way)));
    }
    let mut done = Vec::new();
    let count = todo.len();
    for (index, (name, way)) in todo.into_iter().enumerate() {
        if !asks_reading(&default, &ruleset, &name) {
            done.push((name, way, ReadingResult::Compared(Box::new(unchanged(&default))), None));
            continue;
        }
        if comparison.should_stop() {
            done.push((name, way, ReadingResult::TimedOut, None));
            continue;
        }
        let until = comparison.end_of_share(count - index);
        let compared = comparison.situation(&with_reading(spec, &name, &way)).and_then(|situation| {
            // If the default could not be fully counted, an alternative can't be either.
            let view = comparison.evaluate(situation, if default.is_complete() { until } else { Instant::now() })?;
            let compared = compare_views(comparison, &default, &view, until, false)?;
            Ok((compared, view))
        });
        match compared {
            Ok((compared, view)) => done.push((name, way, ReadingResult::Compared(Box::new(compared)), Some(view))),
            Err(error @ Error::Data(_)) => done.push((name, way, ReadingResult::Failed(error.first_line()), None)),
            Err(error) => return Err(error),
        }
    }
    Ok(ReadingComparison { default, alternatives: done })
}

/// Whether the reachable code asks for a reading. Names of readings are constants in the code.
fn asks_reading(view: &RulesetView, ruleset: &Ruleset, name: &str) -> bool {
    let (case, short) = name.rsplit_once('.').unwrap_or(("", name));
    let reached = ruleset.cases.iter().filter(|one| view.reachable().files.contains(&one.file.key));
    reached.into_iter().any(|one| {
        let text = &one.file.text;
        text.contains(&format!("\"{name}\"")) || (one.number == case && text.contains(&format!("\"{short}\"")))
    })
}

/// Builds the divergence of an unused reading: all outcomes are the same.
fn unchanged(view: &RulesetView) -> Divergence {
    let differences = view.odds.order.iter().map(|outcome| OutcomeDifference::same(outcome.clone())).collect();
    Divergence { differences, causes: Vec::new(), seeds: 0, runs: 0, pairs: None }
}
