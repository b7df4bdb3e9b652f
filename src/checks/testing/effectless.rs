//! Finds amendments without effect: all situations and tests give the same results with and without them.
//!
//! Each run that involves an amendment is repeated without it, with the same dice and choices.

use crate::testing::given::{load_situation, run_procedure};
use crate::testing::suite::test_spec;
use crate::testing::test::{self, RulingTest};
use crate::testing::trials::{self, ProgramCache};
use crate::testing::unused::{UnusedPart, spec_with_all_options};
use casebook_engine::code::machine::Machine;
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error};
use casebook_engine::data::case::{CaseFunction, CaseKind, number_from_stem};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::platform::{parallel, task};
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruling::resolve::{ResolveRequest, ResolvedRuling, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::policy::{ALL_SIDES, Policies};
use casebook_engine::situation::trace::Event;
use std::collections::HashSet;
use std::sync::Arc;

/// Runs of each situation: the seed, and the policy of all sides.
const SEED_AND_POLICY: [(u64, &str); 2] = [(1, "first"), (2, "last")];

/// A run to compare: a situation or a test.
enum AmendmentTrial {
    Situation(String, u64, &'static str),
    Test(Box<RulingTest>),
}

/// A trial under a spec, with its result and the files involved.
struct Baseline {
    spec: RulesetSpec,
    trial: AmendmentTrial,
    result: String,
    files: HashSet<String>,
}

/// Returns the amendments of a game's variants that change no ruling.
pub fn effectless_amendments(library: &Arc<Library>, game: &str) -> Result<Vec<UnusedPart>, Error> {
    let programs = ProgramCache::unchecked(library);
    let mut idle = Vec::new();
    for variant in library.variants_of(game) {
        let amendments = amendments_of(library, game, variant)?;
        let (unexcused, excused): (Vec<_>, Vec<_>) = amendments
            .into_iter()
            .partition(|(part, _)| part.reason.is_none());
        let baselines = if unexcused.is_empty() {
            Vec::new()
        } else {
            baselines(&programs, trials(library, game, variant)?)
        };
        let moves = parallel::map(&unexcused, |(_, key)| {
            changes_any_trial(&programs, &baselines, key)
        });
        let still = unexcused
            .into_iter()
            .zip(moves)
            .filter(|(_, moves)| !moves)
            .map(|(part, _)| part);
        idle.extend(excused.into_iter().chain(still).map(|(part, _)| part));
    }
    Ok(idle)
}

/// Lists the files of a variant that add answers, values or pieces: each as the part that it is if it changes nothing, with its key.
fn amendments_of(
    library: &Arc<Library>,
    game: &str,
    variant: &str,
) -> Result<Vec<(UnusedPart, String)>, Error> {
    let ruleset = Ruleset::compose(library, &spec_with_all_options(library, game, &[variant]))?.0;
    let Some(layer) = ruleset.layers.iter().find(|layer| &*layer.name == variant) else {
        return Ok(Vec::new());
    };
    let mut ignore = Complaints::default();
    let amendment = |name: &str, file: &DataFile, span, kind: &str, reason| {
        let message = format!(
            "this {kind} changes no situation and no test of a ruling: all stay the same without it"
        );
        let complaint = Complaint::new(DiagnosticCode::Idle, file.place(span), message)
            .with_context(format!("{name}, {variant}"))
            .with_help("add a situation that it changes, or say why there is none: `idle: ...`")
            .into_note();
        let part = UnusedPart {
            layer: variant.into(),
            name: name.into(),
            functions: Vec::new(),
            reason,
            complaint,
        };
        (part, file.key.clone())
    };
    let mut amendments = Vec::new();
    for case in &layer.cases {
        let answers =
            case.reinstates.is_some() || case.functions.iter().any(CaseFunction::is_answer);
        let by_kind = (case.kind == CaseKind::Explanation)
            .then(|| "an explanation changes no answer".to_string());
        // An explanation without functions can change no ruling, so it is skipped.
        if answers || case.kind != CaseKind::Explanation {
            amendments.push(amendment(
                &case.number,
                &case.file,
                case.kind_span,
                "case",
                case.idle_reason.clone().or(by_kind),
            ));
        }
    }
    for file in layer.tables.values().flatten() {
        let read = library.table_files(layer, &number_from_stem(file.stem()), &mut ignore);
        for table in read.into_iter().filter(|table| table.file.key == file.key) {
            amendments.push(amendment(
                &format!("table {}", table.id),
                file,
                table.kind_span,
                "table",
                idle_reason(&table.root),
            ));
        }
    }
    for (name, file) in &layer.scenarios {
        let Some(scenario) = library.scenario(layer, name, &ruleset.game, &mut ignore) else {
            continue;
        };
        if !scenario.is_standalone() {
            let span = scenario
                .root
                .get("kind")
                .map(|node| node.span)
                .unwrap_or_default();
            amendments.push(amendment(
                name,
                file,
                span,
                "list",
                idle_reason(&scenario.root),
            ));
        }
    }
    Ok(amendments)
}

/// Returns why an amendment moves no ruling, as its file says.
pub fn idle_reason(root: &casebook_engine::data::yaml::YamlNode) -> Option<String> {
    root.get("idle")
        .and_then(|node| node.as_text())
        .map(String::from)
}

/// Runs trials, and returns those that end; one that fails with the amendments says nothing about them.
fn baselines(programs: &ProgramCache, trials: Vec<(RulesetSpec, AmendmentTrial)>) -> Vec<Baseline> {
    let mut results: Vec<Option<(String, HashSet<String>)>> = trials.iter().map(|_| None).collect();
    trials::run(
        programs,
        trials.iter().map(|(spec, trial)| (spec, trial)),
        |machine, trial| {
            let machine = machine.as_mut().ok().filter(|_| !task::is_over())?;
            let (scenario, ran) = run_trial(machine, trial)?;
            let files = involved_files(&machine.program.ruleset, &scenario, &ran);
            Some((fingerprint(&ran), files))
        },
        |position, result| results[position] = result,
    );
    let baseline = |((spec, trial), result): (_, Option<_>)| {
        let (result, files) = result?;
        Some(Baseline {
            spec,
            trial,
            result,
            files,
        })
    };
    trials
        .into_iter()
        .zip(results)
        .filter_map(baseline)
        .collect()
}

/// Lists the trials of a variant: every situation under its own variants and this one, and every test with this one in force.
fn trials(
    library: &Arc<Library>,
    game: &str,
    variant: &str,
) -> Result<Vec<(RulesetSpec, AmendmentTrial)>, Error> {
    let ruleset = Ruleset::compose(library, &spec_with_all_options(library, game, &[variant]))?.0;
    let mut trials = Vec::new();
    for (name, scenario) in trials::scenarios(&ruleset) {
        let Ok(scenario) = scenario else {
            continue;
        };
        let mut variants: Vec<&str> = scenario
            .variants
            .iter()
            .flatten()
            .map(String::as_str)
            .collect();
        if !variants.contains(&variant) {
            variants.push(variant);
        }
        let spec = spec_with_all_options(library, game, &variants);
        trials.extend(SEED_AND_POLICY.map(|(seed, policy)| {
            (
                spec.clone(),
                AmendmentTrial::Situation(name.into(), seed, policy),
            )
        }));
    }
    for test_file in test::test_files(library, game, "") {
        for ruling_test in &test_file.tests {
            let spec = test_spec(ruling_test, library, game);
            let in_force = |name: &String| {
                name == variant
                    || library
                        .variants
                        .get(name)
                        .is_some_and(|v| v.needs.iter().any(|n| n == variant))
            };
            if spec.variants.iter().any(in_force) {
                trials.push((spec, AmendmentTrial::Test(Box::new(ruling_test.clone()))));
            }
        }
    }
    // Trials under the same spec are adjacent, so its ruleset is compiled once for them.
    trials.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(trials)
}

/// Runs a trial; returns its situation and its ruling, or `None` if the data are faulty.
fn run_trial(
    machine: &mut Machine,
    trial: &AmendmentTrial,
) -> Option<(Arc<Scenario>, ResolvedRuling)> {
    let ruleset = machine.program.ruleset.clone();
    match trial {
        AmendmentTrial::Test(ruling_test) => {
            let scenario = ruleset.scenario(&ruling_test.situation.0).ok()?;
            let situation = load_situation(ruling_test, machine).ok()?;
            Some((
                scenario,
                run_procedure(ruling_test, machine, &situation).ok()?,
            ))
        }
        AmendmentTrial::Situation(name, seed, policy) => {
            let policies =
                Policies::parse(&[(ALL_SIDES.into(), policy.to_string())], &ruleset.game).ok()?;
            let scenario = ruleset.scenario(name).ok()?;
            let situation = Situation::new(&machine.program, scenario.clone()).ok()?;
            let request = ResolveRequest {
                stream: Box::new(SeededDice::new(*seed)),
                policies: Arc::new(policies),
                ..ResolveRequest::default()
            };
            Some((scenario, resolve(machine, &situation, request).ok()?))
        }
    }
}

/// Returns the files involved in a run, including the lists that its situation uses.
fn involved_files(
    ruleset: &Ruleset,
    scenario: &Scenario,
    resolved: &ResolvedRuling,
) -> HashSet<String> {
    let mut files = HashSet::new();
    let mut reads_lists = false;
    for event in &resolved.events {
        match event {
            Event::Call(call) => {
                let answer = call.answer(ruleset);
                for case in [Some(answer.case), answer.reinstated_by, answer.removed_by]
                    .into_iter()
                    .flatten()
                {
                    let file = &ruleset.cases[case].file;
                    reads_lists |= files.insert(file.key.clone())
                        && ["entries(", "entry("]
                            .iter()
                            .any(|verb| file.text.contains(verb));
                }
            }
            // A layer without a value for this cell may set other cells, so all layers of the table count.
            Event::Cell(table, _) => {
                files.extend(table.layers.iter().map(|layer| layer.file.key.clone()))
            }
            _ => {}
        }
    }
    let is_used =
        |name: &str| scenario.name == name || scenario.used_lists.iter().any(|used| used == name);
    for layer in &ruleset.layers {
        let involved = layer
            .scenarios
            .iter()
            .filter(|(name, _)| reads_lists || is_used(name));
        files.extend(involved.map(|(_, file)| file.key.clone()));
    }
    files
}

/// Returns the visible content of a ruling without its citations.
fn fingerprint(resolved: &ResolvedRuling) -> String {
    let ruling = &resolved.ruling;
    let lines: Vec<_> = ruling
        .steps
        .iter()
        .map(|step| {
            (
                &step.title,
                step.lines.iter().map(|line| &line.text).collect::<Vec<_>>(),
            )
        })
        .collect();
    format!(
        "{:?} {:?} {lines:?}",
        ruling.results,
        ruling.refused.as_ref().map(|line| &line.text)
    )
}

/// Returns whether any trial gives another result without the file of an amendment.
fn changes_any_trial(programs: &ProgramCache, baselines: &[Baseline], key: &str) -> bool {
    let mut compiled: Option<(&RulesetSpec, Machine)> = None;
    baselines
        .iter()
        .filter(|baseline| baseline.files.contains(key))
        .any(|baseline| {
            if task::is_over() {
                return true;
            }
            if compiled
                .as_ref()
                .is_none_or(|(spec, _)| **spec != baseline.spec)
            {
                let spec_without = |readings| RulesetSpec {
                    excluded_files: vec![key.into()],
                    readings,
                    ..baseline.spec.clone()
                };
                // Readings of the amendment itself do not exist without it, so the build falls back to no readings.
                let program = programs
                    .get(&spec_without(baseline.spec.readings.clone()))
                    .or_else(|_| programs.get(&spec_without(Vec::new())));
                compiled = program
                    .ok()
                    .map(|program| (&baseline.spec, Machine::new(program)));
            }
            let Some((_, machine)) = &mut compiled else {
                return false;
            };
            run_trial(machine, &baseline.trial)
                .is_none_or(|(_, ran)| fingerprint(&ran) != baseline.result)
        })
}
