//! All that the data says must hold, run: the examples, and the tests of rulings.

use crate::code::context::TraceLevel;
use crate::code::machine::Machine;
use crate::complaint::{Complaint, Complaints, Error, Severity};
use crate::data::files::DataFile;
use crate::data::library::{InForce, Library};
use crate::ruleset::compose::{Ruleset, RulesetSpec};
use crate::ruleset::diagnostics;
use crate::ruling::resolve::ResolvedRuling;
use crate::ruling::terminal_page::TerminalPage;
use crate::situation::trace::Event;
use crate::syntax::parse;
use crate::testing::assertions::{answering_amendments, check_assertions};
use crate::testing::check::{Check, CheckKind, CheckOutcome, ExampleRulesets, ProgramPool};
use crate::testing::example;
use crate::testing::given::{carried_out, misgiven, of_the_test, ready};
use crate::testing::odds;
use crate::testing::setting::{doc_line_place, setting_complaint};
use crate::testing::snapshot;
use crate::testing::snapshot_diff::{SnapshotDiff, diff_lines};
use crate::testing::test::{self, RulingTest, RulingTestFile};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many are tried at a time by one thread.
const CHUNK_SIZE: usize = 8;
/// Scripts may nest deeply; the limits of the machine, not the stack of a thread, are to stop them.
const STACK_SIZE: usize = 64 << 20;

/// Shown the ruleset and the events of every run.
pub type RunObserver<'a> = Option<&'a mut dyn FnMut(&Ruleset, &[Event])>;

/// What could not be read at all of the files whose path holds `filter`: whatever they say does not hold.
pub fn unreadable_files(library: &Library, filter: &str) -> Vec<CheckOutcome> {
    let filter = filter.trim_start_matches("./");
    let faults = library.complaints.0.iter().filter(|c| c.weight == Severity::Error && c.place.path.contains(filter));
    faults
        .map(|c| CheckOutcome { id: "a file".into(), path: c.place.path.clone(), complaint: Some(c.clone()), ..CheckOutcome::default() })
        .collect()
}

/// The examples and tests of a game that stand in files whose path holds `filter`.
pub fn collect(library: &Arc<Library>, game: &str, filter: &str) -> Result<Vec<Check>, Error> {
    let filter = filter.trim_start_matches("./");
    let manifest = library.game(game)?;
    // Where the printed game itself is broken, every example would say the same.
    diagnostics::build_ruleset(library, &RulesetSpec { game: game.into(), ..RulesetSpec::default() })?;
    let mut checks = Vec::new();
    for variant in [None].into_iter().chain(library.variants_of(game).into_iter().map(Some)) {
        let mut complaints = Complaints::default();
        let layer = library.layer(manifest, variant, &mut complaints);
        for complaint in complaints.0.into_iter().filter(|c| c.weight == Severity::Error && c.place.path.contains(filter)) {
            let mut check = Check::new("a case", "", &complaint.place.path, CheckKind::Unreadable);
            check.initial_outcome.complaint = Some(complaint);
            checks.push(check);
        }
        checks.extend(example::collect(&layer, game, filter));
    }
    for claims in test::test_files(library, game, filter) {
        if claims.complaints.has_errors() {
            checks.extend(claims.complaints.0.iter().map(|complaint| Check::unreadable("a test file", &claims.file, complaint.clone())));
            continue;
        }
        let claims = Arc::new(claims);
        for (index, claim) in claims.tests.iter().enumerate() {
            let wish = test_spec(claim, library, game);
            let work = CheckKind::RulingTest(claims.clone(), index);
            checks.push(Check { spec: wish, ..Check::new(&claim.name, &claim.situation.0, &claims.file.path, work) });
        }
    }
    Ok(checks)
}

/// Tries one of them under the ruleset it asks for. A ruling that is not its snapshot comes with its text.
pub fn run_check(check: &Check, machine: &mut Result<Machine, Complaints>, after: &mut RunObserver) -> (CheckOutcome, Option<String>) {
    let mut proof = check.initial_outcome.clone();
    proof.ruleset = check.spec.variants.join(", ");
    if proof.complaint.is_some() {
        return (proof, None);
    }
    let machine = match (machine, &check.kind) {
        (Ok(machine), _) => machine,
        (Err(complaints), work) => {
            proof.complaint = match work {
                CheckKind::Example(case, index) => {
                    setting_complaint(complaints, |word| doc_line_place(case, &case.functions[*index], word))
                }
                CheckKind::Question(question) => setting_complaint(complaints, |word| question.setting_place(word)),
                CheckKind::RulingTest(claims, index) => {
                    complaints.0.first().map(|c| claims.tests[*index].place_complaint(c.clone(), &claims.file))
                }
                CheckKind::Unreadable => None,
            };
            return (proof, None);
        }
    };
    let ruleset = machine.program.ruleset.clone();
    proof.ruleset = ruleset.title();
    machine.trace = after.is_some().then(Vec::new);
    let text = match &check.kind {
        CheckKind::Example(case, index) => {
            proof.complaint = example::run_example(case, *index, machine);
            None
        }
        CheckKind::Question(question) => {
            proof.complaint = question.evaluate(machine);
            None
        }
        CheckKind::RulingTest(claims, index) => {
            let held = check_test(&claims.tests[*index], &claims.file, machine, &mut proof, after.is_some());
            let (text, events) = held.unzip();
            machine.trace = events;
            text.flatten()
        }
        CheckKind::Unreadable => None,
    };
    if let (Some(after), Some(events)) = (after, machine.trace.take()) {
        after(&ruleset, &events);
    }
    (proof, text)
}

/// Runs the examples and tests of a game that stand in files whose path holds `filter`, on all cores. With `accept`, snapshots that are
/// new or changed are written into their files. `each` is told of them in their order; `after` is shown what happened in every run.
pub fn run(
    library: &Arc<Library>,
    game: &str,
    filter: &str,
    accept: bool,
    mut each: impl FnMut(&CheckOutcome),
    mut after: RunObserver,
) -> Result<Vec<CheckOutcome>, Error> {
    let checks = collect(library, game, filter)?;
    let programs = ProgramPool::new(library);
    let mut told = SuiteReport { checks: &checks, accept, outcomes: Vec::new(), snapshots: Vec::new(), reported: 0 };
    if after.is_some() {
        let mut rulesets = ExampleRulesets::new(&programs);
        checks.iter().for_each(|check| told.receive(run_check(check, rulesets.get(&check.spec), &mut after), &mut each));
    } else {
        run_parallel(&checks, &programs, |tried| told.receive(tried, &mut each));
    }
    Ok(told.outcomes)
}

/// What became of one of them, and the text of a ruling that is not its snapshot.
type SuiteItem = (CheckOutcome, Option<String>);

/// What is tried together: ruleset by ruleset, those with most to try first, so that no thread is left with much at the end. Of each the
/// whole rulings, which take longest, one at a time.
fn chunks(checks: &[Check]) -> Vec<(usize, Vec<usize>)> {
    let mut rulesets: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
    for (place, check) in checks.iter().enumerate() {
        let short = usize::from(!matches!(check.kind, CheckKind::RulingTest(..)));
        rulesets.entry(format!("{:?}", check.spec)).or_default()[short].push(place);
    }
    let mut rulesets: Vec<[Vec<usize>; 2]> = rulesets.into_values().collect();
    rulesets.sort_by_key(|[long, short]| std::cmp::Reverse(long.len() * CHUNK_SIZE + short.len()));
    let of = |(number, [long, short]): (usize, &[Vec<usize>; 2])| {
        long.chunks(1).chain(short.chunks(CHUNK_SIZE)).map(|share| (number, share.to_vec())).collect::<Vec<_>>()
    };
    rulesets.iter().enumerate().flat_map(of).collect()
}

/// Tries them on all cores; whoever waits for them gets them in their order.
fn run_parallel(checks: &[Check], programs: &ProgramPool, mut then: impl FnMut(SuiteItem)) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let shares = chunks(checks);
    let next = AtomicUsize::new(0);
    let work = |hand: &mut dyn FnMut(usize, SuiteItem) -> bool| {
        let (mut rulesets, mut under) = (ExampleRulesets::new(programs), 0);
        while let Some((ruleset, share)) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Each ruleset is let go of before the next: together they would fill the memory.
            if std::mem::replace(&mut under, *ruleset) != *ruleset {
                rulesets = ExampleRulesets::new(programs);
            }
            for place in share {
                if !hand(*place, run_check(&checks[*place], rulesets.get(&checks[*place].spec), &mut None)) {
                    return;
                }
            }
        }
    };
    let mut early: BTreeMap<usize, SuiteItem> = BTreeMap::new();
    let mut wanted = 0;
    let mut hear = |place: usize, tried: SuiteItem| {
        early.insert(place, tried);
        while let Some(tried) = early.remove(&wanted) {
            then(tried);
            wanted += 1;
        }
    };
    std::thread::scope(|scope| {
        let (hand, heard) = std::sync::mpsc::channel();
        let start = |_| {
            let hand = hand.clone();
            let work = &work;
            let worker = move || parse::with_parse_cache(|| work(&mut |place, tried| hand.send((place, tried)).is_ok()));
            std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, worker).is_ok()
        };
        // Where no thread can be had, this one does it.
        if (0..threads).map(start).filter(|started| *started).count() == 0 {
            work(&mut |place, tried| (hear(place, tried), true).1);
        }
        drop(hand);
        heard.into_iter().for_each(|(place, tried)| hear(place, tried));
    });
}

/// What was tried, as it is told: a file of tests at once where snapshots are written into it.
struct SuiteReport<'a> {
    checks: &'a [Check],
    accept: bool,
    outcomes: Vec<CheckOutcome>,
    /// The new snapshots of the file at hand, by the number of the test.
    snapshots: Vec<(usize, String)>,
    reported: usize,
}

impl SuiteReport<'_> {
    fn receive(&mut self, (mut proof, text): SuiteItem, each: &mut impl FnMut(&CheckOutcome)) {
        let place = self.outcomes.len();
        if let (true, Some(text), CheckKind::RulingTest(_, index)) = (self.accept, text, &self.checks[place].kind) {
            (proof.accepted, proof.complaint, proof.difference) = (true, None, None);
            self.snapshots.push((*index, text));
        }
        self.outcomes.push(proof);
        let of = |place: usize| match self.checks.get(place).map(|check| &check.kind) {
            Some(CheckKind::RulingTest(claims, _)) => Some(claims),
            _ => None,
        };
        // The last test of a file: what is accepted is written.
        if let Some(claims) =
            of(place).filter(|claims| !self.snapshots.is_empty() && !of(place + 1).is_some_and(|next| Arc::ptr_eq(claims, next)))
            && let Err(complaint) = snapshot::accept(claims, &std::mem::take(&mut self.snapshots))
        {
            let first = (place + 1).saturating_sub(claims.tests.len());
            for proof in self.outcomes[first..].iter_mut().filter(|proof| proof.accepted) {
                (proof.accepted, proof.complaint) = (false, Some(Complaint::clone(&complaint)));
            }
        }
        if self.snapshots.is_empty() {
            self.outcomes[self.reported..].iter().for_each(each);
            self.reported = self.outcomes.len();
        }
    }
}

impl CheckOutcome {
    /// Why an example or test fails, as a person reads it; nothing if it holds.
    pub fn render_failure(&self, colour: bool) -> Option<String> {
        let complaint = self.complaint.as_ref()?;
        let difference = self.difference.as_ref().map(|difference| format!("\n{}", difference.render(TerminalPage { colour }).trim_end()));
        let under = if self.ruleset.is_empty() { String::new() } else { format!("        under {}\n", self.ruleset) };
        Some(format!("{under}{}{}", complaint.render(colour), difference.unwrap_or_default()))
    }
}

/// Tries a test of a ruling: the text of a ruling that is not its snapshot, and what happened; nothing where no ruling was made.
fn check_test(
    claim: &RulingTest,
    file: &DataFile,
    machine: &mut Machine,
    proof: &mut CheckOutcome,
    traced: bool,
) -> Option<(Option<String>, Vec<Event>)> {
    let ruleset = machine.program.ruleset.clone();
    // What lines cite, and who was asked, is noted only where somebody reads it: a snapshot, whom a refusal cites, or whoever has to mend
    // something.
    let detail = match () {
        () if claim.wants_snapshot() || claim.refused.is_some() => machine.run_mode.trace_level,
        () if traced || !claim.cites.is_empty() => TraceLevel::NoCitations,
        () => TraceLevel::Output,
    };
    let first = run_test(claim, file, machine, detail);
    let (ran, complaint) = match first {
        Ok((_, Some(_))) if detail != machine.run_mode.trace_level => run_test(claim, file, machine, machine.run_mode.trace_level),
        first => first,
    }
    .map_err(|found| proof.complaint = combine_complaints(found, claim, file))
    .ok()?;
    proof.complaint = complaint;
    let mut moved = None;
    if proof.complaint.is_none() && claim.wants_snapshot() {
        let text = snapshot::snapshot_text(&ran.ruling);
        let old = claim.snapshot.as_ref().map(|(text, _)| snapshot::trim_lines(text)).unwrap_or_default();
        if old != text {
            let answered = answering_amendments(&ruleset, &ran.events);
            let new = answered.iter().filter(|name| !old.contains(name.as_str())).cloned().collect();
            proof.complaint = Some(snapshot_complaint(claim, file, old.is_empty()));
            proof.difference = (!old.is_empty()).then(|| SnapshotDiff { lines: diff_lines(&old, &text), new, amendments: answered });
            moved = Some(text);
        }
    }
    Some((moved, ran.events))
}

/// Carries a test out: the ruling, and what of the test does not hold.
fn run_test(
    claim: &RulingTest,
    file: &DataFile,
    machine: &mut Machine,
    detail: TraceLevel,
) -> Result<(ResolvedRuling, Option<Complaint>), Vec<Complaint>> {
    let otherwise = std::mem::replace(&mut machine.run_mode.trace_level, detail);
    let ran = ready(claim, file, machine).and_then(|situation| Ok((carried_out(claim, file, machine, &situation)?, situation)));
    machine.run_mode.trace_level = otherwise;
    let (ran, situation) = ran?;
    let mut found = check_assertions(claim, file, &ran, &machine.program.ruleset);
    if !claim.odds.is_empty() {
        found.extend(odds::hold(claim, file, &situation).unwrap_or_else(|error| of_the_test(error, claim, file)));
    }
    let complaint = combine_complaints(found, claim, file);
    Ok((ran, complaint))
}

/// What a test asks to be in force: what it says, else what the situation names.
pub fn test_spec(claim: &RulingTest, library: &Library, game: &str) -> RulesetSpec {
    let variant = library.scenarios(game).into_iter().find(|(name, _)| *name == claim.situation.0).and_then(|(_, variant)| variant);
    let asked = library.in_force_for(game, &claim.situation.0, variant.as_deref());
    let asked = if claim.variants.is_some() { InForce::default() } else { asked };
    RulesetSpec {
        game: game.into(),
        variants: claim.variants.as_ref().map_or(asked.variants, |with| with.iter().map(|(name, _)| name.clone()).collect()),
        options: asked.options.into_iter().chain(claim.options.clone()).collect(),
        readings: asked.readings.into_iter().chain(claim.readings.clone()).collect(),
        ..RulesetSpec::default()
    }
}

/// What tests hand to procedures that can't be handed to them, each under the ruleset it asks for.
pub fn argument_faults(library: &Arc<Library>, game: &str, tests: &[RulingTestFile]) -> Vec<Complaint> {
    let mut rulesets: BTreeMap<String, Option<Ruleset>> = BTreeMap::new();
    let mut found = Vec::new();
    for claims in tests {
        for claim in claims.tests.iter().filter(|claim| claim.argument_changes.is_some() || !claim.set.is_empty()) {
            let wish = test_spec(claim, library, game);
            // What keeps a ruleset from coming into force has been complained of.
            let enacted = || diagnostics::build_ruleset(library, &wish).ok().map(|(ruleset, _)| ruleset);
            let ruleset = rulesets.entry(format!("{wish:?}")).or_insert_with(enacted);
            let Some((ruleset, scenario)) =
                ruleset.as_ref().and_then(|ruleset| Some((ruleset, ruleset.scenario(&claim.situation.0).ok()?)))
            else {
                continue;
            };
            found.extend(
                misgiven(claim, &claims.file, &scenario, ruleset).into_iter().map(|fault| claim.place_complaint(fault, &claims.file)),
            );
        }
    }
    found
}

/// All that is wrong with a test as one complaint: the first, with the places of the others.
fn combine_complaints(found: Vec<Complaint>, claim: &RulingTest, file: &DataFile) -> Option<Complaint> {
    let mut found = found.into_iter().map(|complaint| claim.place_complaint(complaint, file));
    let first = found.next()?;
    Some(found.fold(first, |first, other| first.with_related(other.place, other.what)))
}

/// Law `snapshot`: the ruling says what it said.
fn snapshot_complaint(claim: &RulingTest, file: &DataFile, none: bool) -> Complaint {
    let spot = claim.snapshot.as_ref().map_or(claim.span, |(_, span)| *span);
    let (what, help) = if none {
        ("this test holds no ruling yet", "write what must come of it under `then:`, or let `casebook test --accept` write the ruling down")
    } else {
        ("the ruling is another than the snapshot", "if the new one is right, `casebook test --accept` writes it down")
    };
    claim.complaint("snapshot", spot, file, what).with_help(help)
}
