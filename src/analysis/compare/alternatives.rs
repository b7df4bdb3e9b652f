//! Rulesets that differ in one thing: with or without it, on or off, or in each of its readings.

use crate::compare::ruleset_difference::{RulesetDifference, compare_views};
use crate::compare::verdicts::OutcomeDifference;
use crate::compare::view::{Comparison, RulesetView};
use casebook_engine::code::lower;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{
    Complaint, Complaints, DiagnosticCode, Error, Remedy, Severity, nearest_names,
};
use casebook_engine::data::case::Case;
use casebook_engine::data::library::Library;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A ruleset with its label for headings.
pub type LabelledRuleset = (String, RulesetSpec);

/// Returns the rulesets that differ in a case, table, variant, option or reading; for a removal or an option, the one in force comes
/// first.
pub fn alternatives(
    library: &Arc<Library>,
    spec: &RulesetSpec,
    ruleset: &Ruleset,
    target: &str,
) -> Result<Vec<LabelledRuleset>, Error> {
    if let Some(on) = ruleset.options.get(target) {
        let switched = |on: bool| {
            let mut switched_spec = spec.clone();
            switched_spec.options.retain(|(option, _)| option != target);
            switched_spec.options.push((target.into(), on));
            (
                format!("{target}={}", if on { "on" } else { "off" }),
                switched_spec,
            )
        };
        return Ok(vec![switched(*on), switched(!*on)]);
    }
    let readings = readings_in_force(ruleset);
    if let Some(alternatives) = readings.get(target) {
        return Ok(alternatives
            .iter()
            .map(|alternative| {
                (
                    format!("{target}={alternative}"),
                    with_reading(spec, target, alternative),
                )
            })
            .collect());
    }
    if ruleset.variants().any(|layer| *layer.name == *target) {
        let needs = |name: &str| {
            library
                .with_needs(name)
                .iter()
                .any(|needed| needed == target)
        };
        let mut reduced_spec = spec.clone();
        reduced_spec.variants = ruleset
            .variants()
            .map(|layer| layer.name.to_string())
            .filter(|name| !needs(name))
            .collect();
        let is_removed = |name: &str| {
            name.split('.')
                .next()
                .is_some_and(|variant| needs(variant) && library.variants.contains_key(variant))
        };
        reduced_spec.options.retain(|(name, _)| !is_removed(name));
        let (reduced_ruleset, _) = diagnostics::build_ruleset(
            library,
            &RulesetSpec {
                readings: Vec::new(),
                ..reduced_spec.clone()
            },
        )?;
        reduced_spec
            .readings
            .retain(|(name, _)| reduced_ruleset.readings.contains_key(name));
        let dependents: Vec<String> = ruleset
            .variants()
            .map(|layer| layer.name.to_string())
            .filter(|name| needs(name) && name != target)
            .collect();
        let dependents_text = if dependents.is_empty() {
            String::new()
        } else {
            format!(" and {}, which needs it", dependents.join(", "))
        };
        return Ok(vec![
            (format!("with {target}"), spec.clone()),
            (format!("without it{dependents_text}"), reduced_spec),
        ]);
    }
    let base = &ruleset.layers[0].name;
    let cases: Vec<_> = ruleset
        .cases
        .iter()
        .filter(|case| case.number == target && case.layer != *base)
        .collect();
    let table = target.strip_prefix("table ").unwrap_or(target);
    let files = ruleset.variants().flat_map(|layer| {
        layer
            .tables
            .get(table)
            .into_iter()
            .flatten()
            .map(|file| (layer.name.clone(), file.key.clone()))
    });
    let (layers, keys): (Vec<Arc<str>>, Vec<String>) = match cases.is_empty() {
        false => cases
            .iter()
            .map(|case| (case.layer.clone(), case.file.key.clone()))
            .unzip(),
        true => files.unzip(),
    };
    if !keys.is_empty() {
        let (reduced_spec, dependents) = without_amendments(library, spec, ruleset, keys)?;
        let dependents_text = if dependents.is_empty() {
            String::new()
        } else {
            format!(" and what rests on it: {}", dependents.join(", "))
        };
        return Ok(vec![
            (
                format!("with {target} of {}", layers.join(", ")),
                spec.clone(),
            ),
            (format!("without it{dependents_text}"), reduced_spec),
        ]);
    }
    let case_readings = readings.iter().filter(|(name, _)| {
        name.rsplit_once('.')
            .is_some_and(|(case, _)| case == target)
    });
    let rulesets: Vec<LabelledRuleset> = case_readings
        .flat_map(|(name, alternatives)| {
            let short = name
                .rsplit_once('.')
                .map_or(name.as_str(), |(_, short)| short);
            alternatives.iter().map(move |alternative| {
                (
                    format!("{short}={alternative}"),
                    with_reading(spec, name, alternative),
                )
            })
        })
        .collect();
    if !rulesets.is_empty() {
        return Ok(rulesets);
    }
    // The name exists, but has no alternative to compare with.
    if library.variants.contains_key(target) {
        return Err(Error::unanswered(
            format!("`{target}` is not in force here"),
            Remedy::AddVariant(target.into()),
        ));
    }
    if ruleset.cases.iter().any(|case| case.number == target)
        || ruleset.table_names().any(|id| id == table)
    {
        return Err(Error::Usage(format!(
            "`{target}` is as the game has it: nothing in force amends it, and it has only one reading"
        )));
    }
    let cases = ruleset
        .cases
        .iter()
        .filter(|case| case.layer != *base || !case.readings.is_empty())
        .map(|case| case.number.as_str());
    let comparable: BTreeSet<&str> = cases
        .chain(ruleset.options.keys().map(String::as_str))
        .chain(readings.keys().map(String::as_str))
        .chain(ruleset.variants().map(|layer| &*layer.name))
        .chain(
            ruleset
                .variants()
                .flat_map(|layer| layer.tables.keys().map(String::as_str)),
        )
        .collect();
    let hits = nearest_names(target, comparable.iter().copied());
    let suggestions = if hits.is_empty() {
        comparable.into_iter().map(String::from).collect()
    } else {
        hits
    };
    Err(Error::Unknown {
        kind: "case, table, variant, option or reading that could be left out or read otherwise",
        name: target.into(),
        suggestions,
    })
}

/// Returns all readings in force with their alternatives.
pub fn readings_in_force(ruleset: &Ruleset) -> BTreeMap<String, Vec<String>> {
    let readings = ruleset
        .cases
        .iter()
        .flat_map(|case| case.readings.iter().map(move |reading| (case, reading)));
    readings
        .map(|(case, reading)| {
            (
                format!("{}.{}", case.number, reading.name),
                reading.ways.clone(),
            )
        })
        .collect()
}

fn with_reading(spec: &RulesetSpec, name: &str, alternative: &str) -> RulesetSpec {
    let mut changed_spec = spec.clone();
    changed_spec.readings.retain(|(reading, _)| reading != name);
    changed_spec
        .readings
        .push((name.into(), alternative.into()));
    changed_spec
}

/// Returns the ruleset without some amendments and without those that depend on them, and the layer and number of each of the latter.
fn without_amendments(
    library: &Arc<Library>,
    spec: &RulesetSpec,
    ruleset: &Ruleset,
    keys: Vec<String>,
) -> Result<(RulesetSpec, Vec<String>), Error> {
    let complaints_under = |spec: &RulesetSpec| -> Result<Vec<Complaint>, Error> {
        Ok(match diagnostics::build_ruleset(library, spec) {
            Ok((reduced_ruleset, _)) => {
                let mut complaints =
                    lower::collect_complaints(&Program::new(Arc::new(reduced_ruleset)), &|_| true)
                        .0;
                complaints.extend(missing_table_complaints(ruleset, library, spec)?);
                complaints
            }
            Err(Error::Data(complaints)) => complaints.0,
            Err(error) => return Err(error),
        })
    };
    let known_complaints: BTreeSet<String> = complaints_under(spec)?
        .into_iter()
        .map(|complaint| complaint.message)
        .collect();
    let base = &ruleset.layers[0].name;
    let (mut reduced, mut dropped) = (spec.clone(), Vec::new());
    reduced.excluded_files.extend(keys);
    loop {
        let kept_cases = ruleset
            .cases
            .iter()
            .filter(|case| !reduced.excluded_files.contains(&case.key()));
        let kept_readings: BTreeSet<String> = kept_cases
            .flat_map(|case| {
                case.readings
                    .iter()
                    .map(|r| format!("{}.{}", case.number, r.name))
            })
            .collect();
        reduced
            .readings
            .retain(|(name, _)| kept_readings.contains(name));
        let new_errors = complaints_under(&reduced)?.into_iter().filter(|complaint| {
            complaint.severity == Severity::Error && !known_complaints.contains(&complaint.message)
        });
        let new_errors: Vec<Complaint> = new_errors.collect();
        if new_errors.is_empty() {
            return Ok((reduced, dropped));
        }
        let removable_case = |complaint: &Complaint| {
            let is_removable = |case: &&Arc<Case>| {
                case.file.path == complaint.place.path
                    && case.layer != *base
                    && !reduced.excluded_files.contains(&case.key())
            };
            ruleset.cases.iter().find(is_removable)
        };
        let Some(case) = new_errors.iter().find_map(removable_case) else {
            return Err(Error::Data(Complaints(new_errors)));
        };
        dropped.push(format!("{} {}", case.layer, case.number));
        reduced.excluded_files.push(case.key());
    }
}

/// Returns the complaints of cases that name a missing table.
fn missing_table_complaints(
    ruleset: &Ruleset,
    library: &Arc<Library>,
    spec: &RulesetSpec,
) -> Result<Vec<Complaint>, Error> {
    let (reduced, _) = diagnostics::build_ruleset(library, spec)?;
    let has_table = |ruleset: &Ruleset, id: &str| matches!(ruleset.table(id), Ok(Some(_)));
    let tables = ruleset
        .variants()
        .flat_map(|layer| layer.tables.keys())
        .filter(|id| has_table(ruleset, id) && !has_table(&reduced, id));
    let cases = tables.flat_map(|id| {
        reduced
            .cases
            .iter()
            .filter(move |case| case.file.text.contains(&format!("\"{id}\"")))
            .map(move |case| (id, case))
    });
    let complain = |(id, case): (&String, &Arc<Case>)| {
        case.complaint(
            DiagnosticCode::UnknownName,
            case.kind_span,
            format!("there is no table `{id}`"),
        )
    };
    Ok(cases.map(complain).collect())
}

/// The result of one alternative of a reading.
pub enum ReadingResult {
    /// The alternative was compared with the default.
    Compared(Box<RulesetDifference>),
    /// The alternative could not be run, for this reason.
    Failed(String),
    /// The time was up first.
    TimedOut,
}

/// A comparison of the readings of doubtful places on a situation.
pub struct ReadingComparison {
    /// The odds under the readings in force.
    pub default: RulesetView,
    pub alternatives: Vec<AlternativeReading>,
}

/// Another way to read a doubtful place.
pub struct AlternativeReading {
    pub reading: String,
    /// The name of the alternative.
    pub way: String,
    /// How it compares with the readings in force.
    pub result: ReadingResult,
    /// The odds under it, if they were counted.
    pub view: Option<RulesetView>,
}

/// Compares every alternative reading of a case, or of all cases, with the readings in force.
pub fn compare_readings(
    comparison: &Comparison,
    spec: &RulesetSpec,
    case: &str,
) -> Result<ReadingComparison, Error> {
    let (ruleset, _) = diagnostics::build_ruleset(comparison.library, spec)?;
    let case_number = |name: &str| {
        name.rsplit_once('.')
            .map_or(String::new(), |(case, _)| case.to_string())
    };
    let readings: Vec<(String, Vec<String>)> = readings_in_force(&ruleset)
        .into_iter()
        .filter(|(name, _)| case.is_empty() || case_number(name) == case)
        .collect();
    if readings.is_empty() {
        let cases_with_readings: Vec<String> = ruleset
            .readings
            .keys()
            .map(|name| case_number(name))
            .collect();
        return Err(Error::unknown(
            "case with readings in force",
            case,
            cases_with_readings.iter().map(String::as_str),
        ));
    }
    let default = comparison.evaluate(comparison.situation(spec)?, comparison.end_of_share(3))?;
    let mut todo = Vec::new();
    for (name, alternatives) in readings {
        let chosen = ruleset.readings.get(&name).cloned().unwrap_or_default();
        todo.extend(
            alternatives
                .into_iter()
                .filter(|alternative| *alternative != chosen)
                .map(|alternative| (name.clone(), alternative)),
        );
    }
    let mut results = Vec::new();
    let count = todo.len();
    for (index, (reading, way)) in todo.into_iter().enumerate() {
        let mut add = |result, view| {
            results.push(AlternativeReading {
                reading: reading.clone(),
                way: way.clone(),
                result,
                view,
            });
        };
        if !asks_reading(&default, &ruleset, &reading) {
            add(ReadingResult::Compared(Box::new(unchanged(&default))), None);
            continue;
        }
        if comparison.should_stop() {
            add(ReadingResult::TimedOut, None);
            continue;
        }
        let until = comparison.end_of_share(count - index);
        let compared = comparison
            .situation(&with_reading(spec, &reading, &way))
            .and_then(|situation| {
                // If the default could not be fully counted, an alternative can't be either.
                let view = comparison.evaluate(
                    situation,
                    if default.is_complete() {
                        until
                    } else {
                        Instant::now()
                    },
                )?;
                let compared = compare_views(comparison, &default, &view, until, false)?;
                Ok((compared, view))
            });
        match compared {
            Ok((compared, view)) => {
                add(ReadingResult::Compared(Box::new(compared)), Some(view));
            }
            Err(error @ Error::Data(_)) => add(ReadingResult::Failed(error.first_line()), None),
            Err(error) => return Err(error),
        }
    }
    Ok(ReadingComparison {
        default,
        alternatives: results,
    })
}

/// Whether the reachable code asks for a reading. Names of readings are constants in the code.
fn asks_reading(view: &RulesetView, ruleset: &Ruleset, name: &str) -> bool {
    let (case, short) = name.rsplit_once('.').unwrap_or(("", name));
    let reached_cases = ruleset
        .cases
        .iter()
        .filter(|candidate| view.reachable().files.contains(&candidate.file.key));
    reached_cases.into_iter().any(|candidate| {
        let text = &candidate.file.text;
        text.contains(&format!("\"{name}\""))
            || (candidate.number == case && text.contains(&format!("\"{short}\"")))
    })
}

/// Builds the difference of an unused reading: all outcomes are the same.
fn unchanged(view: &RulesetView) -> RulesetDifference {
    let differences = view
        .odds
        .order
        .iter()
        .map(|outcome| OutcomeDifference::same(outcome.clone()))
        .collect();
    RulesetDifference {
        outcomes: differences,
        causes: Vec::new(),
        seeds: 0,
        runs: 0,
        pairs: None,
        unnamed: view.odds.unnamed.clone(),
    }
}
