//! Runs all examples and tests of rulings.

use crate::testing::assertions::{answering_amendments, check_assertions, check_board};
use crate::testing::check::{BreakingChange, Check, CheckKind, CheckOutcome};
use crate::testing::example;
use crate::testing::expectation::{
    AcceptedRuling, ChangedExpectation, FailedAssertion, with_accepted,
};
use crate::testing::given::{error_complaints, input_complaints, load_situation, run_procedure};
use crate::testing::odds;
use crate::testing::setting::{doc_line_place, setting_complaint, setting_complaints};
use crate::testing::snapshot::{self, SnapshotDiff, diff_lines};
use crate::testing::test::{self, RulingTest, RulingTestFile};
use crate::testing::trials::{self, ProgramCache};
use casebook_analysis::usecase::rulesets::spec_of_situation;
use casebook_engine::code::context::TraceDetail;
use casebook_engine::code::machine::{MANY_EVENTS, Machine};
use casebook_engine::complaint::{
    Complaint, Complaints, DiagnosticCode, Error, Place, Remedy, Severity,
};
use casebook_engine::data::case::list_entry_key;
use casebook_engine::data::files::Files;
use casebook_engine::data::function_headers::is_in_tests;
use casebook_engine::data::library::Library;
use casebook_engine::data::transaction::Transaction;
use casebook_engine::data::yaml::YamlReader;
use casebook_engine::platform::task;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics;
use casebook_engine::ruleset::spec::RulesetChoices;
use casebook_engine::ruling::resolve::ResolvedRuling;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::situation::board_laws::find_broken_law;
use casebook_engine::situation::trace::Event;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The number of checks that a thread takes at a time.
const CHUNK_SIZE: usize = 8;

/// Whether a test that fails is taken as it comes out; asked only where values alone differ.
pub type AcceptTest<'a> = &'a mut dyn FnMut(&CheckOutcome) -> bool;

/// An observer that receives the ruleset and the events of every run.
pub type RunObserver<'a> = Option<&'a (dyn Fn(&Ruleset, &[Event]) + Sync)>;

/// Returns the part of a path that selects files: as typed; of a folder that is named with its path, that folder alone, not those whose
/// names begin alike.
pub fn path_filter(files: &Files, typed: &str) -> String {
    let typed = typed.trim_start_matches("./");
    let folder = format!("{}/", typed.trim_end_matches('/'));
    let is_folder = typed.contains('/')
        && files.by_key.values().any(|file| {
            file.path.starts_with(&folder) || file.path.contains(&format!("/{folder}"))
        });
    if is_folder { folder } else { typed.into() }
}

/// Returns a failed check for each file that can't be read and whose path contains `filter`.
pub fn unreadable_files(library: &Library, filter: &str) -> Vec<CheckOutcome> {
    let filter = &*path_filter(&library.files, filter);
    let faults = library
        .complaints
        .0
        .iter()
        .filter(|c| c.severity == Severity::Error && c.place.path.contains(filter));
    faults
        .map(|c| CheckOutcome {
            id: "a file".into(),
            path: c.place.path.clone(),
            complaint: Some(c.clone()),
            ..CheckOutcome::default()
        })
        .collect()
}

/// Collects the examples and tests of a game from files whose path contains `filter`.
pub fn collect(library: &Arc<Library>, game: &str, filter: &str) -> Result<Vec<Check>, Error> {
    let filter = &*path_filter(&library.files, filter);
    let manifest = library.game(game)?;
    // If the printed game itself is faulty, every example would report the same error.
    diagnostics::build_ruleset(library, &RulesetSpec::new(game, &[]))?;
    let mut checks = Vec::new();
    for variant in library.layer_names(game) {
        let mut complaints = Complaints::default();
        let layer = library.layer(manifest, variant, &mut complaints);
        for complaint in complaints
            .0
            .into_iter()
            .filter(|c| c.severity == Severity::Error && c.place.path.contains(filter))
        {
            let mut check = Check::new("a case", "", &complaint.place.path, CheckKind::Unreadable);
            check.initial_outcome.complaint = Some(complaint);
            checks.push(check);
        }
        checks.extend(example::collect(&layer, game, filter));
    }
    for test_file in test::test_files(library, game, filter) {
        if test_file.complaints.has_errors() {
            checks.extend(test_file.complaints.0.iter().map(|complaint| {
                Check::unreadable("a test file", &test_file.file, complaint.clone())
            }));
            continue;
        }
        let test_file = Arc::new(test_file);
        for (index, ruling_test) in test_file.tests.iter().enumerate() {
            let spec = test_spec(ruling_test, library, game);
            let work = CheckKind::RulingTest(test_file.clone(), index);
            let (id, name) = match &ruling_test.id {
                Some(id) => (id, &ruling_test.name),
                None => (&ruling_test.name, &ruling_test.situation.0),
            };
            let check = Check {
                spec,
                ..Check::new(id, name, &test_file.file.path, work)
            };
            let is_pin = test_file.file.key.ends_with(PINS);
            let house_rules = house_rules_of(library, game).filter(|_| is_pin);
            let added = house_rules.filter(|name| !check.spec.variants.iter().any(|v| v == name));
            let under: Vec<Check> = added.map(|name| check.under(name)).collect();
            checks.push(check);
            checks.extend(under);
        }
    }
    Ok(checks)
}

/// The end of the path of a file of pinned interpretations.
pub const PINS: &str = "/pins.yaml";

/// Yields the variants of a game that are lists of changes kept in the data folder: pins are held against them.
fn house_rules_of<'l>(library: &'l Library, game: &str) -> impl Iterator<Item = &'l str> {
    let variants = library.variants.values();
    let kept = variants.filter(move |variant| {
        variant.game == game && !variant.changes.is_empty() && !variant.file.text.is_embedded()
    });
    kept.map(|variant| variant.name.as_str())
}

/// Returns the first change of the list of a variant with which a check fails, from 1; `None` if it holds with all of them.
fn first_breaking_change(
    check: &Check,
    variant: &str,
    library: &Library,
    programs: &ProgramCache,
) -> Option<usize> {
    let file = &library.variants.get(variant)?.file;
    let root = YamlReader::for_file(file).parse_file()?;
    let count = root.items_of("changes").len();
    (1..=count).find(|number| {
        let mut spec = check.spec.clone();
        let later = (*number + 1..=count).map(|later| list_entry_key(&file.key, later));
        spec.excluded_files.extend(later);
        let mut machine = programs.get(&spec).map(Machine::new);
        run_check(check, &mut machine, None).complaint.is_some()
    })
}

/// Runs a check under its ruleset.
pub fn run_check(
    check: &Check,
    machine: &mut Result<Machine, Error>,
    observe: RunObserver,
) -> CheckOutcome {
    let mut outcome = check.initial_outcome.clone();
    outcome.ruleset = check.spec.variants.join(", ");
    if outcome.complaint.is_some() || task::is_over() {
        outcome.untried = outcome.complaint.is_none();
        return outcome;
    }
    let machine = match (machine, &check.kind) {
        (Ok(machine), _) => machine,
        // Whether variants can stand together is another question.
        (Err(_), _) if check.added_variant.is_some() => return outcome,
        (Err(error), work) => {
            let complaints = &setting_complaints(error);
            outcome.complaint = match work {
                CheckKind::Example(case, index) => setting_complaint(complaints, |word| {
                    doc_line_place(case, &case.functions[*index], word)
                }),
                CheckKind::Question(question) => {
                    setting_complaint(complaints, |word| question.setting_place(word))
                }
                CheckKind::RulingTest(test_file, index) => complaints
                    .0
                    .first()
                    .map(|c| test_file.tests[*index].place_complaint(c.clone())),
                CheckKind::Unreadable => None,
            };
            return outcome;
        }
    };
    let ruleset = machine.program.ruleset.clone();
    outcome.ruleset = ruleset.title();
    machine.trace = observe.is_some().then(Vec::new);
    match &check.kind {
        CheckKind::Example(case, index) => {
            outcome.complaint = example::run_example(case, *index, machine);
        }
        CheckKind::Question(question) => outcome.complaint = question.evaluate(machine),
        CheckKind::RulingTest(test_file, index) => {
            let ruling_test = &test_file.tests[*index];
            machine.trace = check_test(ruling_test, machine, &mut outcome, observe.is_some());
        }
        CheckKind::Unreadable => {}
    }
    if let (Some(after), Some(events)) = (observe, machine.trace.take()) {
        after(&ruleset, &events);
    }
    // Of a run that the deadline has ended nothing is known.
    if outcome
        .complaint
        .as_ref()
        .is_some_and(|complaint| complaint.code == DiagnosticCode::Limit)
        && task::is_over()
    {
        (outcome.untried, outcome.complaint) = (true, None);
    }
    outcome
}

/// Runs the examples and tests of a game in files whose path contains `filter`, on all cores. What is accepted is written to its files. `report_outcome` receives the results in order, `observe` each run.
pub fn run(
    library: &Arc<Library>,
    game: &str,
    filter: &str,
    accept: AcceptTest,
    mut report_outcome: impl FnMut(&CheckOutcome),
    observe: RunObserver,
) -> Result<Vec<CheckOutcome>, Error> {
    let checks = collect(library, game, filter)?;
    let mut report = SuiteReport {
        checks: &checks,
        accept,
        outcomes: Vec::new(),
        of_file: Vec::new(),
        accepted: Vec::new(),
        reported: 0,
    };
    let mut early: BTreeMap<usize, CheckOutcome> = BTreeMap::new();
    let programs = ProgramCache::new(library);
    trials::run(
        &programs,
        chunks(&checks).into_iter(),
        |machine, chunk| -> Vec<(usize, CheckOutcome)> {
            let run = |index: usize| {
                let check = &checks[index];
                let mut outcome = run_check(check, machine, observe);
                if let (Some(variant), Some(_)) = (&check.added_variant, &outcome.complaint) {
                    let change = first_breaking_change(check, variant, library, &programs);
                    outcome.broken_by = Some(BreakingChange {
                        variant: variant.clone(),
                        change: change.unwrap_or_default(),
                    });
                }
                (index, outcome)
            };
            chunk.into_iter().map(run).collect()
        },
        |_, items| {
            early.extend(items);
            while let Some(item) = early.remove(&report.outcomes.len()) {
                report.receive(item, &mut report_outcome);
            }
        },
    );
    report.write_accepted(library.files.root.as_deref().unwrap_or(Path::new(".")));
    report.outcomes[report.reported..]
        .iter()
        .for_each(report_outcome);
    Ok(report.outcomes)
}

/// Divides the checks into chunks by ruleset, those with the most work first, so that the threads finish at about the same time. A test of
/// a ruling is a chunk of its own, because it takes longest.
fn chunks(checks: &[Check]) -> Vec<(&RulesetSpec, Vec<usize>)> {
    let mut rulesets: BTreeMap<&RulesetSpec, [Vec<usize>; 2]> = BTreeMap::new();
    for (index, check) in checks.iter().enumerate() {
        let short = usize::from(!matches!(check.kind, CheckKind::RulingTest(..)));
        rulesets.entry(&check.spec).or_default()[short].push(index);
    }
    let mut rulesets: Vec<_> = rulesets.into_iter().collect();
    rulesets.sort_by_key(|(_, [long, short])| Reverse(long.len() * CHUNK_SIZE + short.len()));
    let mut chunks = Vec::new();
    for (spec, [long, short]) in &rulesets {
        let of_ruleset = long.chunks(1).chain(short.chunks(CHUNK_SIZE));
        chunks.extend(of_ruleset.map(|chunk| (*spec, chunk.to_vec())));
    }
    chunks
}

/// Collects results in order. It holds them back from the first accepted ruling on, until all are written as one step.
struct SuiteReport<'a> {
    checks: &'a [Check],
    accept: AcceptTest<'a>,
    outcomes: Vec<CheckOutcome>,
    /// What is accepted in the current file.
    of_file: Vec<AcceptedRuling>,
    /// The files with accepted rulings, and their new texts.
    accepted: Vec<(Arc<RulingTestFile>, String)>,
    reported: usize,
}

impl SuiteReport<'_> {
    fn receive(
        &mut self,
        mut outcome: CheckOutcome,
        report_outcome: &mut impl FnMut(&CheckOutcome),
    ) {
        let index = self.outcomes.len();
        let check = &self.checks[index];
        if let CheckKind::RulingTest(_, index) = &check.kind
            // Of a test that differs under several rules one of them is accepted.
            && !self.of_file.iter().any(|one| one.index == *index)
            && !outcome.changed.is_empty()
            && (self.accept)(&outcome)
        {
            (outcome.accepted, outcome.complaint) = (true, None);
            self.of_file.push(AcceptedRuling {
                index: *index,
                changed: outcome.changed.clone(),
                variants: check
                    .added_variant
                    .is_some()
                    .then(|| check.spec.variants.clone()),
            });
        }
        self.outcomes.push(outcome);
        let test_file_at = |index: usize| match self.checks.get(index).map(|check| &check.kind) {
            Some(CheckKind::RulingTest(test_file, _)) => Some(test_file),
            _ => None,
        };
        // After the last test of a file, its new text is known.
        if let Some(test_file) = test_file_at(index).filter(|test_file| {
            !self.of_file.is_empty()
                && !test_file_at(index + 1).is_some_and(|next| Arc::ptr_eq(test_file, next))
        }) {
            match with_accepted(test_file, &std::mem::take(&mut self.of_file)) {
                Ok(text) => self.accepted.push((test_file.clone(), text)),
                Err(complaint) => self.reject(&test_file.file.path, &complaint),
            }
        }
        if self.of_file.is_empty() && self.accepted.is_empty() {
            self.outcomes[self.reported..]
                .iter()
                .for_each(report_outcome);
            self.reported = self.outcomes.len();
        }
    }

    /// Fails the tests of a file into which nothing is written.
    fn reject(&mut self, path: &str, complaint: &Complaint) {
        let accepted = self.outcomes.iter_mut().filter(|outcome| outcome.accepted);
        for outcome in accepted.filter(|outcome| outcome.path == path) {
            (outcome.accepted, outcome.complaint) = (false, Some(complaint.clone()));
        }
    }

    /// Writes what is accepted in all files, or in none.
    fn write_accepted(&mut self, root: &Path) {
        let accepted = std::mem::take(&mut self.accepted);
        let mut files = Transaction::new(root);
        for (RulingTestFile { file, .. }, text) in
            accepted.iter().map(|(read, text)| (&**read, text))
        {
            files.change(root.join(&file.key), &file.text, Some(text.clone()));
        }
        if accepted.is_empty() {
            return;
        }
        if let Err(error) = files.commit() {
            let message: String = "nothing was accepted".into();
            for (test_file, _) in &accepted {
                let path = &test_file.file.path;
                let complaint = Complaint::new(
                    DiagnosticCode::Snapshot,
                    Place::whole_file(path),
                    message.clone(),
                );
                self.reject(path, &complaint.with_help(error.to_string()));
            }
        }
    }
}

impl CheckOutcome {
    /// Formats why a check failed; `None` if it passed.
    pub fn render_failure(&self, page: TerminalPage) -> Option<String> {
        let complaint = self.complaint.as_ref()?;
        let difference = self
            .difference
            .as_ref()
            .map(|difference| format!("\n{}", difference.render(page).trim_end()));
        let under_ruleset = if self.ruleset.is_empty() {
            String::new()
        } else {
            format!("        under {}\n", self.ruleset)
        };
        let broken_by = self.broken_by.as_ref();
        let broken_by = broken_by.map(|broken_by| format!("        {broken_by}\n"));
        Some(format!(
            "{under_ruleset}{}{}{}",
            broken_by.unwrap_or_default(),
            page.complaint(complaint),
            difference.unwrap_or_default()
        ))
    }
}

/// Runs a test of a ruling. Returns its events, with the calls if it is observed; `None` if there is no ruling.
fn check_test(
    ruling_test: &RulingTest,
    machine: &mut Machine,
    outcome: &mut CheckOutcome,
    is_observed: bool,
) -> Option<Vec<Event>> {
    let ruleset = machine.program.ruleset.clone();
    let full_detail = machine.run_mode.trace_detail;
    // What decided something is known by what its lines and outcomes cite. A refusal cites the cases of its condition in any run, and
    // citations only add to them.
    let needs_citations = ruling_test.wants_snapshot() || !ruling_test.cites.is_empty();
    let needed = if needs_citations {
        TraceDetail::Citations
    } else if is_observed {
        TraceDetail::Calls
    } else {
        TraceDetail::Results
    };
    let (resolved, failed) = match run_test(ruling_test, machine, needed.min(full_detail)) {
        // Everything is recorded to explain a failure.
        Ok((_, failed)) if !failed.is_empty() && needed < full_detail => {
            run_test(ruling_test, machine, full_detail)
        }
        result => result,
    }
    .map_err(|found| outcome.complaint = combine_complaints(found, ruling_test))
    .ok()?;
    let changed: Option<Vec<_>> = failed.iter().map(|one| one.changed.clone()).collect();
    let is_refused = resolved.ruling.refused.is_some();
    outcome.changed = changed.filter(|_| !is_refused).unwrap_or_default();
    let complaints = failed.into_iter().map(|one| one.complaint).collect();
    outcome.complaint = combine_complaints(complaints, ruling_test);
    // What is accepted has both, values and the whole text.
    let may_be_accepted = outcome.complaint.is_none() || !outcome.changed.is_empty();
    if may_be_accepted && ruling_test.wants_snapshot() {
        let text = snapshot::snapshot_text(&resolved.ruling);
        let old = ruling_test
            .snapshot
            .as_ref()
            .map(|(text, _)| snapshot::trim_lines(text))
            .unwrap_or_default();
        if old != text {
            let answered = answering_amendments(&ruleset, &resolved.events);
            let new = answered
                .iter()
                .filter(|name| !old.contains(name.as_str()))
                .cloned()
                .collect();
            let complaint = || snapshot_complaint(ruling_test, old.is_empty());
            outcome.complaint.get_or_insert_with(complaint);
            outcome.difference = (!old.is_empty()).then(|| SnapshotDiff {
                lines: diff_lines(&old, &text),
                new,
                amendments: answered,
            });
            if !is_refused {
                outcome.changed.push(ChangedExpectation {
                    key: "snapshot".into(),
                    name: String::new(),
                    was: old,
                    now: text,
                    line: String::new(),
                    cites: Vec::new(),
                });
            }
        }
    }
    Some(resolved.events)
}

/// Runs a test; returns the ruling, and the assertions that fail.
fn run_test(
    ruling_test: &RulingTest,
    machine: &mut Machine,
    trace_detail: TraceDetail,
) -> Result<(ResolvedRuling, Vec<FailedAssertion>), Vec<Complaint>> {
    let outer_detail = std::mem::replace(&mut machine.run_mode.trace_detail, trace_detail);
    // No test shows the order of calls, and many run at once.
    machine.run_mode.merges_reads_from = MANY_EVENTS;
    machine.run_mode.checks_board = true;
    let resolved = load_situation(ruling_test, machine)
        .and_then(|situation| Ok((run_procedure(ruling_test, machine, &situation)?, situation)));
    machine.run_mode.trace_detail = outer_detail;
    machine.run_mode.checks_board = false;
    let (resolved, situation) = resolved?;
    if let Some(law) = find_broken_law(&resolved.board, &machine.program.ruleset.game) {
        return Err(vec![
            ruling_test
                .complaint(
                    law.code,
                    ruling_test.span,
                    format!("the ruling leaves {}", law.message),
                )
                .with_help(law.help),
        ]);
    }
    let mut failed = check_assertions(ruling_test, &resolved, &machine.program.ruleset);
    failed.extend(check_board(
        ruling_test,
        &resolved.board,
        &machine.program.ruleset.game,
    ));
    if !ruling_test.odds.is_empty() {
        let checked = odds::check_stated_odds(ruling_test, &situation);
        let checked = checked.unwrap_or_else(|error| error_complaints(error, ruling_test));
        failed.extend(checked.into_iter().map(FailedAssertion::from));
    }
    Ok((resolved, failed))
}

/// Returns the ruleset spec of a test: its own settings, otherwise those of its situation. In a folder of a variant that variant is in force.
pub fn test_spec(ruling_test: &RulingTest, library: &Library, game: &str) -> RulesetSpec {
    let variant = library
        .scenarios(game)
        .into_iter()
        .find(|(name, _)| *name == ruling_test.situation.0)
        .and_then(|(_, variant)| variant);
    let choices = RulesetChoices {
        variants: ruling_test.variants.clone(),
        options: ruling_test.options.clone(),
        readings: ruling_test.readings.clone(),
    };
    let mut spec = spec_of_situation(
        library,
        &choices,
        game,
        &ruling_test.situation.0,
        variant.as_deref(),
    );
    let key = &ruling_test.file.key;
    let own_variant = key
        .strip_prefix("variants/")
        .filter(|_| is_in_tests(key))
        .and_then(|rest| rest.split('/').next());
    if let Some(own_variant) =
        own_variant.filter(|own_variant| !spec.variants.iter().any(|name| name == own_variant))
    {
        spec.variants.push(own_variant.into());
    }
    spec
}

/// Checks the arguments and overrides of tests, each under its own ruleset.
pub fn argument_faults(
    library: &Arc<Library>,
    game: &str,
    tests: &[RulingTestFile],
) -> Vec<Complaint> {
    let mut rulesets: BTreeMap<RulesetSpec, Option<Ruleset>> = BTreeMap::new();
    let mut complaints = Vec::new();
    for ruling_test in tests
        .iter()
        .flat_map(|test_file| &test_file.tests)
        .filter(|ruling_test| ruling_test.changes_the_situation())
    {
        let spec = test_spec(ruling_test, library, game);
        // Errors that prevent building the ruleset have already been reported.
        let build = || Some(diagnostics::build_ruleset(library, &spec).ok()?.0);
        let Some(ruleset) = rulesets.entry(spec.clone()).or_insert_with(build) else {
            continue;
        };
        let Ok(scenario) = ruleset.scenario(&ruling_test.situation.0) else {
            continue;
        };
        let faults = input_complaints(ruling_test, &scenario, ruleset);
        complaints.extend(
            faults
                .into_iter()
                .map(|fault| ruling_test.place_complaint(fault)),
        );
    }
    complaints
}

/// Combines the complaints about a test into one: the first, with the positions of the others.
fn combine_complaints(complaints: Vec<Complaint>, ruling_test: &RulingTest) -> Option<Complaint> {
    let mut placed = complaints
        .into_iter()
        .map(|complaint| ruling_test.place_complaint(complaint));
    let first = placed.next()?;
    Some(placed.fold(first, |first, other| {
        first.with_related(other.place, other.message)
    }))
}

/// Makes the complaint with code `snapshot`: the ruling changed, or has no snapshot yet.
fn snapshot_complaint(ruling_test: &RulingTest, is_missing: bool) -> Complaint {
    let span = ruling_test
        .snapshot
        .as_ref()
        .map_or(ruling_test.span, |(_, span)| *span);
    let (message, help) = match is_missing {
        true => (
            "this test has no expected result yet",
            "write the expected outcomes under `then:`, or take the ruling as it is",
        ),
        false => (
            "the ruling differs from the snapshot",
            "take the new ruling if it is right",
        ),
    };
    ruling_test
        .complaint(DiagnosticCode::Snapshot, span, message)
        .with_help(help)
        .with_remedy(Remedy::AcceptRuling)
}
