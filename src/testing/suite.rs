//! All that the data says must hold, run: the examples, and the tests of rulings.

use crate::code::context::Detail;
use crate::code::machine::Machine;
use crate::complaint::{Complaint, Complaints, Error, Weight};
use crate::data::files::File;
use crate::data::library::{InForce, Library};
use crate::ruleset::compose::{Ruleset, Wish};
use crate::ruleset::laws;
use crate::ruling::page::Page;
use crate::ruling::resolve::Ran;
use crate::situation::trace::Event;
use crate::syntax::parse;
use crate::testing::check::{Check, Programs, Proof, Rulesets, Work};
use crate::testing::difference::{Difference, compare};
use crate::testing::example;
use crate::testing::given::{carried_out, misgiven, of_the_test, ready};
use crate::testing::odds;
use crate::testing::setting::{doc_line, refused};
use crate::testing::snapshot;
use crate::testing::test::{self, Claim, Claims};
use crate::testing::verdict::{amendments, hold};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many are tried at a time by one thread.
const SHARE: usize = 8;
/// Scripts may nest deeply; the limits of the machine, not the stack of a thread, are to stop them.
const STACK: usize = 64 << 20;

/// Shown the ruleset and the events of every run.
pub type After<'a> = Option<&'a mut dyn FnMut(&Ruleset, &[Event])>;

/// What could not be read at all of the files whose path holds `filter`: whatever they say does not hold.
pub fn unread(library: &Library, filter: &str) -> Vec<Proof> {
    let filter = filter.trim_start_matches("./");
    let faults = library.complaints.0.iter().filter(|c| c.weight == Weight::Error && c.place.path.contains(filter));
    faults.map(|c| Proof { id: "a file".into(), path: c.place.path.clone(), complaint: Some(c.clone()), ..Proof::default() }).collect()
}

/// The examples and tests of a game that stand in files whose path holds `filter`.
pub fn gather(library: &Arc<Library>, game: &str, filter: &str) -> Result<Vec<Check>, Error> {
    let filter = filter.trim_start_matches("./");
    let manifest = library.game(game)?;
    // Where the printed game itself is broken, every example would say the same.
    laws::enact(library, &Wish { game: game.into(), ..Wish::default() })?;
    let mut checks = Vec::new();
    for variant in [None].into_iter().chain(library.variants_of(game).into_iter().map(Some)) {
        let mut complaints = Complaints::default();
        let layer = library.layer(manifest, variant, &mut complaints);
        for complaint in complaints.0.into_iter().filter(|c| c.weight == Weight::Error && c.place.path.contains(filter)) {
            let mut check = Check::named("a case", "", &complaint.place.path, Work::Nothing);
            check.blank.complaint = Some(complaint);
            checks.push(check);
        }
        checks.extend(example::gather(&layer, game, filter));
    }
    for claims in test::files(library, game, filter) {
        if claims.complaints.any_error() {
            checks.extend(claims.complaints.0.iter().map(|complaint| Check::faulty("a test file", &claims.file, complaint.clone())));
            continue;
        }
        let claims = Arc::new(claims);
        for (index, claim) in claims.list.iter().enumerate() {
            let wish = wish(claim, library, game);
            let work = Work::Claim(claims.clone(), index);
            checks.push(Check { wish, ..Check::named(&claim.name, &claim.given.0, &claims.file.path, work) });
        }
    }
    Ok(checks)
}

/// Tries one of them under the ruleset it asks for. A ruling that is not its snapshot comes with its text.
pub fn prove(check: &Check, machine: &mut Result<Machine, Complaints>, after: &mut After) -> (Proof, Option<String>) {
    let mut proof = check.blank.clone();
    proof.ruleset = check.wish.with.join(", ");
    if proof.complaint.is_some() {
        return (proof, None);
    }
    let machine = match (machine, &check.work) {
        (Ok(machine), _) => machine,
        (Err(complaints), work) => {
            proof.complaint = match work {
                Work::Example(case, index) => refused(complaints, |word| doc_line(case, &case.functions[*index], word)),
                Work::Question(question) => refused(complaints, |word| question.place(word)),
                Work::Claim(claims, index) => complaints.0.first().map(|c| claims.list[*index].placed(c.clone(), &claims.file)),
                Work::Nothing => None,
            };
            return (proof, None);
        }
    };
    let ruleset = machine.program.ruleset.clone();
    proof.ruleset = ruleset.title();
    machine.trace = after.is_some().then(Vec::new);
    let text = match &check.work {
        Work::Example(case, index) => {
            proof.complaint = example::prove(case, *index, machine);
            None
        }
        Work::Question(question) => {
            proof.complaint = question.prove(machine);
            None
        }
        Work::Claim(claims, index) => {
            let held = claimed(&claims.list[*index], &claims.file, machine, &mut proof, after.is_some());
            let (text, events) = held.unzip();
            machine.trace = events;
            text.flatten()
        }
        Work::Nothing => None,
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
    mut each: impl FnMut(&Proof),
    mut after: After,
) -> Result<Vec<Proof>, Error> {
    let checks = gather(library, game, filter)?;
    let programs = Programs::new(library);
    let mut told = Told { checks: &checks, accept, proofs: Vec::new(), texts: Vec::new(), told: 0 };
    if after.is_some() {
        let mut rulesets = Rulesets::new(&programs);
        checks.iter().for_each(|check| told.hear(prove(check, rulesets.get(&check.wish), &mut after), &mut each));
    } else {
        side_by_side(&checks, &programs, |tried| told.hear(tried, &mut each));
    }
    Ok(told.proofs)
}

/// What became of one of them, and the text of a ruling that is not its snapshot.
type Tried = (Proof, Option<String>);

/// What is tried together: ruleset by ruleset, those with most to try first, so that no thread is left with much at the end. Of each the
/// whole rulings, which take longest, one at a time.
fn shares(checks: &[Check]) -> Vec<(usize, Vec<usize>)> {
    let mut rulesets: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
    for (place, check) in checks.iter().enumerate() {
        let short = usize::from(!matches!(check.work, Work::Claim(..)));
        rulesets.entry(format!("{:?}", check.wish)).or_default()[short].push(place);
    }
    let mut rulesets: Vec<[Vec<usize>; 2]> = rulesets.into_values().collect();
    rulesets.sort_by_key(|[long, short]| std::cmp::Reverse(long.len() * SHARE + short.len()));
    let of = |(number, [long, short]): (usize, &[Vec<usize>; 2])| {
        long.chunks(1).chain(short.chunks(SHARE)).map(|share| (number, share.to_vec())).collect::<Vec<_>>()
    };
    rulesets.iter().enumerate().flat_map(of).collect()
}

/// Tries them on all cores; whoever waits for them gets them in their order.
fn side_by_side(checks: &[Check], programs: &Programs, mut then: impl FnMut(Tried)) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let shares = shares(checks);
    let next = AtomicUsize::new(0);
    let work = |hand: &mut dyn FnMut(usize, Tried) -> bool| {
        let (mut rulesets, mut under) = (Rulesets::new(programs), 0);
        while let Some((ruleset, share)) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Each ruleset is let go of before the next: together they would fill the memory.
            if std::mem::replace(&mut under, *ruleset) != *ruleset {
                rulesets = Rulesets::new(programs);
            }
            for place in share {
                if !hand(*place, prove(&checks[*place], rulesets.get(&checks[*place].wish), &mut None)) {
                    return;
                }
            }
        }
    };
    let mut early: BTreeMap<usize, Tried> = BTreeMap::new();
    let mut wanted = 0;
    let mut hear = |place: usize, tried: Tried| {
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
            let worker = move || parse::kept(|| work(&mut |place, tried| hand.send((place, tried)).is_ok()));
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker).is_ok()
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
struct Told<'a> {
    checks: &'a [Check],
    accept: bool,
    proofs: Vec<Proof>,
    /// The new snapshots of the file at hand, by the number of the test.
    texts: Vec<(usize, String)>,
    told: usize,
}

impl Told<'_> {
    fn hear(&mut self, (mut proof, text): Tried, each: &mut impl FnMut(&Proof)) {
        let place = self.proofs.len();
        if let (true, Some(text), Work::Claim(_, index)) = (self.accept, text, &self.checks[place].work) {
            (proof.accepted, proof.complaint, proof.difference) = (true, None, None);
            self.texts.push((*index, text));
        }
        self.proofs.push(proof);
        let of = |place: usize| match self.checks.get(place).map(|check| &check.work) {
            Some(Work::Claim(claims, _)) => Some(claims),
            _ => None,
        };
        // The last test of a file: what is accepted is written.
        if let Some(claims) =
            of(place).filter(|claims| !self.texts.is_empty() && !of(place + 1).is_some_and(|next| Arc::ptr_eq(claims, next)))
            && let Err(complaint) = snapshot::accept(claims, &std::mem::take(&mut self.texts))
        {
            let first = (place + 1).saturating_sub(claims.list.len());
            for proof in self.proofs[first..].iter_mut().filter(|proof| proof.accepted) {
                (proof.accepted, proof.complaint) = (false, Some(Complaint::clone(&complaint)));
            }
        }
        if self.texts.is_empty() {
            self.proofs[self.told..].iter().for_each(each);
            self.told = self.proofs.len();
        }
    }
}

impl Proof {
    /// Why an example or test fails, as a person reads it; nothing if it holds.
    pub fn told(&self, colour: bool) -> Option<String> {
        let complaint = self.complaint.as_ref()?;
        let difference = self.difference.as_ref().map(|difference| format!("\n{}", difference.render(Page { colour }).trim_end()));
        let under = if self.ruleset.is_empty() { String::new() } else { format!("        under {}\n", self.ruleset) };
        Some(format!("{under}{}{}", complaint.render(colour), difference.unwrap_or_default()))
    }
}

/// Tries a test of a ruling: the text of a ruling that is not its snapshot, and what happened; nothing where no ruling was made.
fn claimed(claim: &Claim, file: &File, machine: &mut Machine, proof: &mut Proof, traced: bool) -> Option<(Option<String>, Vec<Event>)> {
    let ruleset = machine.program.ruleset.clone();
    // What lines cite, and who was asked, is noted only where somebody reads it: a snapshot, whom a refusal cites, or whoever has to mend
    // something.
    let detail = match () {
        () if claim.wants_snapshot() || claim.refused.is_some() => machine.manner.detail,
        () if traced || !claim.cites.is_empty() => Detail::Uncited,
        () => Detail::Told,
    };
    let first = tried(claim, file, machine, detail);
    let (ran, complaint) = match first {
        Ok((_, Some(_))) if detail != machine.manner.detail => tried(claim, file, machine, machine.manner.detail),
        first => first,
    }
    .map_err(|found| proof.complaint = together(found, claim, file))
    .ok()?;
    proof.complaint = complaint;
    let mut moved = None;
    if proof.complaint.is_none() && claim.wants_snapshot() {
        let text = snapshot::text(&ran.ruling);
        let old = claim.snapshot.as_ref().map(|(text, _)| snapshot::tidy(text)).unwrap_or_default();
        if old != text {
            let answered = amendments(&ruleset, &ran.events);
            let new = answered.iter().filter(|name| !old.contains(name.as_str())).cloned().collect();
            proof.complaint = Some(changed(claim, file, old.is_empty()));
            proof.difference = (!old.is_empty()).then(|| Difference { lines: compare(&old, &text), new, amendments: answered });
            moved = Some(text);
        }
    }
    Some((moved, ran.events))
}

/// Carries a test out: the ruling, and what of the test does not hold.
fn tried(claim: &Claim, file: &File, machine: &mut Machine, detail: Detail) -> Result<(Ran, Option<Complaint>), Vec<Complaint>> {
    let otherwise = std::mem::replace(&mut machine.manner.detail, detail);
    let ran = ready(claim, file, machine).and_then(|situation| Ok((carried_out(claim, file, machine, &situation)?, situation)));
    machine.manner.detail = otherwise;
    let (ran, situation) = ran?;
    let mut found = hold(claim, file, &ran, &machine.program.ruleset);
    if !claim.odds.is_empty() {
        found.extend(odds::hold(claim, file, &situation).unwrap_or_else(|error| of_the_test(error, claim, file)));
    }
    let complaint = together(found, claim, file);
    Ok((ran, complaint))
}

/// What a test asks to be in force: what it says, else what the situation names.
pub fn wish(claim: &Claim, library: &Library, game: &str) -> Wish {
    let variant = library.scenarios(game).into_iter().find(|(name, _)| *name == claim.given.0).and_then(|(_, variant)| variant);
    let asked = library.asked_by(game, &claim.given.0, variant.as_deref());
    let asked = if claim.with.is_some() { InForce::default() } else { asked };
    Wish {
        game: game.into(),
        with: claim.with.as_ref().map_or(asked.with, |with| with.iter().map(|(name, _)| name.clone()).collect()),
        options: asked.options.into_iter().chain(claim.options.clone()).collect(),
        readings: asked.readings.into_iter().chain(claim.readings.clone()).collect(),
        ..Wish::default()
    }
}

/// What tests hand to procedures that can't be handed to them, each under the ruleset it asks for.
pub fn faults(library: &Arc<Library>, game: &str, tests: &[Claims]) -> Vec<Complaint> {
    let mut rulesets: BTreeMap<String, Option<Ruleset>> = BTreeMap::new();
    let mut found = Vec::new();
    for claims in tests {
        for claim in claims.list.iter().filter(|claim| claim.but.is_some() || !claim.set.is_empty()) {
            let wish = wish(claim, library, game);
            // What keeps a ruleset from coming into force has been complained of.
            let enacted = || laws::enact(library, &wish).ok().map(|(ruleset, _)| ruleset);
            let ruleset = rulesets.entry(format!("{wish:?}")).or_insert_with(enacted);
            let Some((ruleset, scenario)) = ruleset.as_ref().and_then(|ruleset| Some((ruleset, ruleset.scenario(&claim.given.0).ok()?)))
            else {
                continue;
            };
            found.extend(misgiven(claim, &claims.file, &scenario, ruleset).into_iter().map(|fault| claim.placed(fault, &claims.file)));
        }
    }
    found
}

/// All that is wrong with a test as one complaint: the first, with the places of the others.
fn together(found: Vec<Complaint>, claim: &Claim, file: &File) -> Option<Complaint> {
    let mut found = found.into_iter().map(|complaint| claim.placed(complaint, file));
    let first = found.next()?;
    Some(found.fold(first, |first, other| first.also(other.place, other.what)))
}

/// Law `snapshot`: the ruling says what it said.
fn changed(claim: &Claim, file: &File, none: bool) -> Complaint {
    let spot = claim.snapshot.as_ref().map_or(claim.span, |(_, span)| *span);
    let (what, help) = if none {
        ("this test holds no ruling yet", "write what must come of it under `then:`, or let `casebook test --accept` write the ruling down")
    } else {
        ("the ruling is another than the snapshot", "if the new one is right, `casebook test --accept` writes it down")
    };
    claim.complaint("snapshot", spot, file, what).help(help)
}
