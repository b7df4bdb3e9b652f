//! Mutation testing: changes rules and tables one small step at a time and reports the changes that no example or test detects.
//!
//! A baseline run of each check records which functions and tables it reaches. A mutant runs only against the checks that reach it, fastest
//! first, until one fails. A much longer run time also counts as detection. Citations are not compared, because tracking them would cost
//! more than everything else; a ruling is compared with its baseline text.

use crate::testing::check::Check;
use crate::testing::coverage::{CoverageShare, FunctionKey, reachable_by_dice};
use crate::testing::mutation_steps::{self, Equivalents, TextStep};
use crate::testing::suite;
use crate::testing::trials::{self, ProgramCache};
use casebook_engine::code::context::TraceDetail;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::data::status::Status;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::{parallel, task};
use casebook_engine::ruling::terminal_page::TerminalPage;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// A check detects a mutant by timeout if it takes this many times its baseline duration, and at least this long.
const TIMEOUT: (u32, Duration) = (20, Duration::from_secs(2));

/// A mutant and its result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "mutant")]
pub struct Mutant {
    /// The path of the file.
    pub path: String,
    /// The name of the function, or of the table.
    pub name: String,
    /// The status of the changed value; `None` for a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The change.
    #[serde(flatten)]
    pub step: TextStep,
    /// The original line.
    pub text: String,
    /// The number of examples and tests that reach the place.
    pub reached: usize,
    /// The reason why it makes no difference, if it is listed as equivalent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equivalent: Option<String>,
}

/// The result of mutation testing.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "test_mutants")]
pub struct MutationReport {
    /// The number of examples and tests in the baseline.
    pub runs: usize,
    /// Checks that fail in the baseline and are therefore excluded.
    pub failing: Vec<String>,
    /// Detected changes of rules, among those that make a difference.
    pub rules: CoverageShare,
    /// Detected changes of cells, by the status of the value.
    pub cells: BTreeMap<&'static str, CoverageShare>,
    /// The number of mutants not tried because of cancellation.
    pub untried: usize,
    /// Mutants that no check detected.
    pub unnoticed: Vec<Mutant>,
    /// Equivalent mutants, with reasons.
    pub equivalent: Vec<Mutant>,
}

/// The place of a mutation.
enum MutationSite {
    /// A function of a case.
    Function(FunctionKey),
    /// Cells of a table: the table's id, and the path of their file.
    Cell(String, Arc<str>),
}

/// The baseline run of a check.
struct CheckBaseline<'a> {
    check: &'a Check,
    program: Arc<Program>,
    duration: Duration,
    /// The text of a ruling with a snapshot, without citations.
    ruling_text: Option<String>,
    functions: HashSet<FunctionKey>,
    tables: HashSet<String>,
}

/// Mutates the rules and tables in files whose path contains `filter`. `progress` receives the number of mutants done and their total; `stop`
/// cancels.
pub fn run(
    library: &Arc<Library>,
    filter: &str,
    progress: &(dyn Fn(usize, usize) + Sync),
    stop: &AtomicBool,
) -> Result<MutationReport, Error> {
    let filter = &*suite::path_filter(&library.files, filter);
    let mut report = MutationReport::default();
    for game in library.games.keys() {
        let folders = [format!("rules/{game}/"), format!("tables/{game}/")];
        let ours = |key: &str| {
            folders.iter().any(|f| key.starts_with(f.as_str()))
                || library
                    .variants_of(game)
                    .iter()
                    .any(|v| key.starts_with(&format!("variants/{v}/")))
        };
        if library
            .files
            .by_key
            .values()
            .any(|file| ours(&file.key) && file.path.contains(filter))
        {
            run_game(library, game, filter, (progress, stop), &mut report)?;
        }
    }
    let place = |m: &Mutant| (m.path.clone(), m.step.line, m.step.column);
    report.unnoticed.sort_by_key(place);
    report.equivalent.sort_by_key(place);
    Ok(report)
}

fn run_game(
    library: &Arc<Library>,
    game: &str,
    filter: &str,
    (progress, stop): (&(dyn Fn(usize, usize) + Sync), &AtomicBool),
    report: &mut MutationReport,
) -> Result<(), Error> {
    let checks = suite::collect(library, game, "")?;
    let mut runs: Vec<Option<CheckBaseline>> = checks.iter().map(|_| None).collect();
    trials::run(
        &ProgramCache::new(library),
        checks.iter().map(|check| (&check.spec, check)),
        |machine, check| baseline(check, machine.as_ref().ok()?.program.clone()),
        |position, run| runs[position] = run,
    );
    let failing = checks
        .iter()
        .zip(&runs)
        .filter(|(_, run)| run.is_none())
        .map(|(check, _)| {
            format!(
                "{} {}",
                check.initial_outcome.name, check.initial_outcome.path
            )
        });
    report.failing.extend(failing);
    let mut runs: Vec<CheckBaseline> = runs.into_iter().flatten().collect();
    runs.sort_by_key(|run| run.duration);
    report.runs += runs.len();
    let mutants = generate_mutants(&runs, filter, &Equivalents::load(library, game).0);
    let tried = AtomicUsize::new(0);
    let noticed = parallel::map(&mutants, |(mutant, site, reached)| {
        progress(tried.fetch_add(1, Ordering::Relaxed), mutants.len());
        if stop.load(Ordering::Relaxed) || task::is_over() {
            return None;
        }
        // Fast examples beside the case are the likeliest to detect the change.
        let (fast_own, others): (Vec<&CheckBaseline>, Vec<&CheckBaseline>) =
            reached.iter().map(|place| &runs[*place]).partition(|run| {
                run.check.case_path() == mutant.path && run.duration < Duration::from_millis(50)
            });
        let mut changed: HashMap<*const Program, Arc<Program>> = HashMap::new();
        let mut notice = |run: &CheckBaseline| {
            let program = changed
                .entry(Arc::as_ptr(&run.program))
                .or_insert_with(|| Arc::new(apply_step(&run.program, site, &mutant.step)));
            detects(run, program.clone())
        };
        let noticed =
            mutant.equivalent.is_none() && fast_own.into_iter().chain(others).any(&mut notice);
        (!task::is_over()).then_some(noticed)
    });
    for ((mutant, ..), noticed) in mutants.into_iter().zip(noticed) {
        if mutant.equivalent.is_some() {
            report.equivalent.push(mutant);
            continue;
        }
        let Some(noticed) = noticed else {
            report.untried += 1;
            continue;
        };
        let share = match mutant.status {
            None => &mut report.rules,
            Some(status) => report.cells.entry(status.as_str()).or_default(),
        };
        share.add(noticed);
        if !noticed {
            report.unnoticed.push(mutant);
        }
    }
    Ok(())
}

/// Runs a check and records what it reaches; `None` if it fails.
fn baseline(check: &Check, program: Arc<Program>) -> Option<CheckBaseline<'_>> {
    let (mut machine, start) = (Machine::new(program.clone()), Instant::now());
    machine.run_mode.trace_detail = TraceDetail::Calls;
    let mut machine = Ok(machine);
    let (outcome, ruling_text) = suite::run_check(check, &mut machine, None);
    let (duration, machine) = (start.elapsed(), machine.ok()?);
    if outcome.complaint.is_some() && ruling_text.is_none() {
        return None;
    }
    let cases = &program.ruleset.cases;
    let functions = machine
        .functions_consulted()
        .into_iter()
        .map(|(case, function)| FunctionKey {
            file: cases[case].file.key.clone(),
            function,
        })
        .collect();
    let tables = machine
        .tables_consulted()
        .map(|table| table.id.clone())
        .collect();
    Some(CheckBaseline {
        check,
        program,
        duration,
        ruling_text,
        functions,
        tables,
    })
}

/// Returns whether a check fails under the changed rules.
fn detects(run: &CheckBaseline, program: Arc<Program>) -> bool {
    let mut machine = Machine::new(program);
    machine.time_limit = TIMEOUT.1.max(run.duration * TIMEOUT.0);
    machine.run_mode.trace_detail = TraceDetail::Calls;
    let (outcome, says) = suite::run_check(run.check, &mut Ok(machine), None);
    says != run.ruling_text || outcome.complaint.is_some() && says.is_none()
}

/// Generates all mutants of files whose path contains `filter`, with the indices of the runs that reach them.
fn generate_mutants(
    runs: &[CheckBaseline],
    filter: &str,
    equivalents: &Equivalents,
) -> Vec<(Mutant, MutationSite, Vec<usize>)> {
    let mut programs: Vec<&Arc<Program>> = Vec::new();
    for run in runs {
        if !programs
            .iter()
            .any(|known| Arc::ptr_eq(known, &run.program))
        {
            programs.push(&run.program);
        }
    }
    let (mut mutants, mut seen) = (Vec::new(), HashSet::new());
    let line = |text: &str, step: &TextStep| {
        text.lines()
            .nth(step.line - 1)
            .unwrap_or_default()
            .trim()
            .to_string()
    };
    for ruleset in programs.iter().map(|program| &program.ruleset) {
        for case in ruleset.cases.iter().filter(|case| {
            !case.is_list() && case.file.path.contains(filter) && seen.insert(case.file.key.clone())
        }) {
            for index in mutation_steps::rule_functions(case) {
                let function = &case.functions[index];
                let function_key = FunctionKey {
                    file: case.file.key.clone(),
                    function: index,
                };
                let reached: Vec<usize> = (0..runs.len())
                    .filter(|i| runs[*i].functions.contains(&function_key))
                    .collect();
                for step in mutation_steps::function_steps(function) {
                    let mutant = Mutant {
                        path: case.file.path.clone(),
                        name: function.name.clone(),
                        status: None,
                        text: line(&case.file.text, &step),
                        reached: reached.len(),
                        equivalent: equivalents.reason(case, &function.name, &step),
                        step,
                    };
                    mutants.push((
                        mutant,
                        MutationSite::Function(function_key.clone()),
                        reached.clone(),
                    ));
                }
            }
        }
        for id in ruleset.table_names() {
            let Ok(Some(table)) = ruleset.table(id) else {
                continue;
            };
            let is_testable = |index: &usize| {
                !table.cells[*index].is_missing() && reachable_by_dice(&table, *index)
            };
            for index in (0..table.cells.len())
                .filter(|i| table.cells[*i].path.contains(filter))
                .filter(is_testable)
            {
                let cell = &table.cells[index];
                if !seen.insert(format!("{} {:?}", cell.path, cell.span)) {
                    continue;
                }
                let reached: Vec<usize> = (0..runs.len())
                    .filter(|i| runs[*i].tables.contains(id))
                    .collect();
                for step in mutation_steps::cell_steps(&table, index) {
                    let mutant = Mutant {
                        path: cell.path.to_string(),
                        name: format!("{id}, {}", table.label(index)),
                        status: Some(cell.status),
                        text: line(table.file_text(&cell.path), &step),
                        reached: reached.len(),
                        equivalent: None,
                        step,
                    };
                    mutants.push((
                        mutant,
                        MutationSite::Cell(id.to_string(), cell.path.clone()),
                        reached.clone(),
                    ));
                }
            }
        }
    }
    mutants
}

/// Compiles the program with one change applied; without the case or table in force it is unchanged.
fn apply_step(program: &Program, site: &MutationSite, step: &TextStep) -> Program {
    let ruleset = &program.ruleset;
    match site {
        MutationSite::Function(FunctionKey { file, function }) => {
            match ruleset.cases.iter().position(|case| case.file.key == *file) {
                Some(index) => program.with_case(
                    index,
                    mutation_steps::apply_step(&ruleset.cases[index], *function, step),
                ),
                None => Program::new(ruleset.clone()),
            }
        }
        MutationSite::Cell(id, path) => {
            let Ok(Some(table)) = ruleset.table(id) else {
                return Program::new(ruleset.clone());
            };
            let mut table = (*table).clone();
            let is_at_step = |span: casebook_engine::complaint::Span| {
                (span.line, span.column) == (step.line, step.column)
            };
            for cell in table
                .cells
                .iter_mut()
                .filter(|cell| cell.path == *path && is_at_step(cell.span))
            {
                cell.text = step.now.clone();
            }
            program.with_table(table)
        }
    }
}

impl MutationReport {
    /// Returns whether there was nothing to mutate.
    pub fn is_empty(&self) -> bool {
        self.untried == 0
            && self.rules.total == 0
            && self.cells.is_empty()
            && self.equivalent.is_empty()
    }

    /// Formats the report as text.
    pub fn render(&self, colour: bool) -> String {
        let page = TerminalPage::new(colour);
        let mut out = String::new();
        let mut list = |title: &str, mutants: &[Mutant]| {
            if !mutants.is_empty() {
                let _ = writeln!(out, "{}", page.paint("1", title));
            }
            for m in mutants {
                let TextStep {
                    line,
                    column,
                    was,
                    now,
                    ..
                } = &m.step;
                let replacement = if now.is_empty() { "nothing" } else { now };
                let _ = writeln!(
                    out,
                    "  {}:{line}:{column}  `{was}` made `{replacement}`  ({})",
                    m.path, m.name
                );
                let reason = match (&m.equivalent, m.reached) {
                    (Some(reason), _) => reason.clone(),
                    (None, 0) => "nothing reaches it".into(),
                    (None, _) => String::new(),
                };
                let _ = writeln!(
                    out,
                    "      {}{}",
                    m.text,
                    if reason.is_empty() {
                        reason
                    } else {
                        format!("   <- {reason}")
                    }
                );
            }
        };
        list("Nothing noticed", &self.unnoticed);
        list("Makes no difference", &self.equivalent);
        if !self.failing.is_empty() {
            let _ = writeln!(
                out,
                "{} examples and tests fail under the unchanged rules, and were left out",
                self.failing.len()
            );
        }
        if self.untried > 0 {
            let _ = writeln!(out, "broken off: {} changes were not tried", self.untried);
        }
        let _ = writeln!(out, "{} examples and tests", self.runs);
        let cells = self
            .cells
            .iter()
            .map(|(status, cells)| (format!("{status} figures"), cells));
        // Without mutants there is no share to report.
        for (name, share) in [("rules".to_string(), &self.rules)]
            .into_iter()
            .chain(cells)
            .filter(|(_, share)| share.total > 0)
        {
            let _ = writeln!(
                out,
                "changes of {name}: {} of {} noticed, {} %",
                share.reached,
                share.total,
                share.percent()
            );
        }
        out
    }
}
