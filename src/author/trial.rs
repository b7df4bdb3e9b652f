//! Situations carried out once under each variant alone and under all that go together: what breaks only when it runs is met here.

use crate::author::check::{known_to, together};
use crate::code::program::Program;
use crate::complaint::{Complaint, Complaints, Error, Place, distance};
use crate::data::library::Library;
use crate::data::scenario::Sort;
use crate::data::sheet::GIVEN;
use crate::data::yaml::Node;
use crate::ruleset::compose::Wish;
use crate::ruleset::laws;
use crate::ruling::drive::drive;
use crate::ruling::situation::Situation;
use crate::situation::dice::Seeded;
use crate::situation::policy::question;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One run may take so long; what takes longer is not judged.
const PATIENCE: Duration = Duration::from_secs(2);

/// What ends a run and is no fault: a figure that nobody knows, an answer of the situation that is not open under this ruleset or with these dice.
const NO_FAULTS: [&str; 2] = ["figure", "choice"];

/// Carries out every situation with the dice of one seed, until then: what went wrong, and how many there was no time for.
pub fn run(library: &Arc<Library>, until: Instant, told: &(dyn Fn(usize, usize) + Sync)) -> (Complaints, usize) {
    let stacks: Vec<Wish> = library.games.keys().flat_map(|game| stacks(library, game)).collect();
    let (next, found, late) = (AtomicUsize::new(0), Mutex::new(Complaints::default()), AtomicUsize::new(0));
    let round = || {
        // Each stack is let go of before the next is compiled: together they would fill the memory.
        while let Some(wish) = stacks.get(next.fetch_add(1, Ordering::Relaxed)) {
            told(next.load(Ordering::Relaxed), stacks.len());
            let Ok((ruleset, _)) = laws::enact(library, wish) else { continue };
            let program = Arc::new(Program::new(Arc::new(ruleset)));
            for name in program.ruleset.scenario_names() {
                let wrong = if Instant::now() > until { None } else { one(&program, name) };
                late.fetch_add(usize::from(wrong.is_none()), Ordering::Relaxed);
                found.lock().unwrap_or_else(PoisonError::into_inner).0.extend(wrong.unwrap_or_default().0);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..std::thread::available_parallelism().map_or(1, usize::from) {
            // Where no thread can be had, this one does it all.
            if std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, round).is_err() {
                break;
            }
        }
        round();
    });
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut found = found.sorted();
    // One fault breaks many situations.
    found.0.dedup_by(|b, a| (a.law, &a.place, &a.what) == (b.law, &b.place, &b.what));
    (found, late.into_inner())
}

/// The game by itself, under each variant with what that is written over, and under all that go together.
fn stacks(library: &Library, game: &str) -> Vec<Wish> {
    let mut stacks: Vec<Vec<String>> = vec![Vec::new()];
    stacks.extend(library.variants_of(game).into_iter().map(|variant| known_to(library, game, variant)));
    stacks.extend(together(library, game));
    stacks.sort();
    stacks.dedup();
    stacks.into_iter().map(|with| Wish { game: game.into(), with, ..Wish::default() }).collect()
}

/// What is wrong with one run; none where it took too long to tell.
fn one(program: &Arc<Program>, name: &str) -> Option<Complaints> {
    let Ok(scenario) = program.ruleset.scenario(name) else { return Some(Complaints::default()) };
    if scenario.sort != Sort::Situation {
        return Some(Complaints::default());
    }
    // What keeps it from being made ready has been complained of, or is of another variant that it asks for.
    let Ok(situation) = Situation::new(program, scenario) else { return Some(Complaints::default()) };
    let mut machine = situation.machine();
    machine.patience = PATIENCE;
    let begun = Instant::now();
    // Of a situation that hands its procedure nothing it may be that it is not written yet.
    let blank = situation.scenario.root.get(GIVEN).is_none_or(|given| given.entries().is_empty());
    let under = |complaint: Complaint| match complaint.crumbs.is_empty() {
        true => complaint.crumbs(format!("carrying out {name} under {}", program.ruleset.title())),
        false => complaint.also(Place::file(&situation.scenario.file.path), format!("carried out under {}", program.ruleset.title())),
    };
    // Nobody reads what happens: the game of a whole day would fill the memory with it.
    let decider = situation.decider(&[], Arc::default());
    let ended = situation
        .begin(&mut machine)
        .and_then(|mut state| drive(&mut machine, &mut state, &mut Seeded::new(1), &decider).map_err(Error::Data));
    match ended {
        Err(Error::Data(_)) if begun.elapsed() >= PATIENCE => None,
        Err(Error::Data(complaints)) => {
            let met = complaints.0.into_iter().filter(|complaint| !NO_FAULTS.contains(&complaint.law)).map(under);
            Some(Complaints(met.map(|complaint| if blank { complaint.note() } else { complaint }).collect()))
        }
        _ => Some(Complaints(misspelt(&situation, &decider.policies.asked()))),
    }
}

/// Answers of a situation that nobody asked for, where something was asked that is spelt nearly so.
fn misspelt(situation: &Situation, asked: &BTreeMap<String, BTreeSet<String>>) -> Vec<Complaint> {
    let put: BTreeSet<String> =
        asked.iter().flat_map(|(what, sides)| sides.iter().map(|side| question(side, what)).chain([what.clone()])).collect();
    // The second of two questions that are counted is no slip of the first.
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let scenario = &situation.scenario;
    let answers = scenario.root.get("choices").map(Node::entries).unwrap_or_default();
    let slip = |(key, _): &(Node, Node)| {
        let name = key.text().filter(|name| name.len() > 4 && !put.contains(*name))?;
        let meant = |other: &&String| {
            !situation.choices.contains_key(*other) && letters(other) != letters(name) && (1..=2).contains(&distance(name, other))
        };
        let meant = put.iter().find(meant)?;
        let place = Place::at(&scenario.file.path, &scenario.file.text, key.span);
        let what = format!("nobody asks `{name}` here; did you mean `{meant}`?");
        Some(Complaint::new("unknown-name", place, what).help("the answer is passed over as it stands").likely().note())
    };
    answers.iter().filter_map(slip).collect()
}
