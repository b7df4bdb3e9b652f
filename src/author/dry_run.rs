//! Situations carried out once under each variant alone and under all that go together: what breaks only when it runs is met here.
//! One that answers choices itself is carried out as it asks, with other dice too, until each answer was put to its question.

use crate::author::check::{compatible_groups, variants_below};
use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::complaint::{Complaint, Complaints, Error, Place, edit_distance};
use crate::data::cache::lock_unpoisoned;
use crate::data::library::Library;
use crate::data::scenario::ListKind;
use crate::data::sheet::GIVEN;
use crate::data::yaml::YamlNode;
use crate::ruleset::compose::RulesetSpec;
use crate::ruleset::diagnostics;
use crate::ruling::driver::{EndReason, drive};
use crate::ruling::situation::Situation;
use crate::situation::dice::SeededDice;
use crate::situation::policy::question_key;
use crate::syntax::parse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One run may take so long; what takes longer is not judged.
const RUN_TIMEOUT: Duration = Duration::from_secs(2);

/// With so many seeds answers of a situation are tried.
const SEEDS: u64 = 8;

/// What ends a run and is no fault: a figure that nobody knows, an answer of the situation that is not open under this ruleset or with these dice.
const IGNORED_CODES: [&str; 2] = ["figure", "choice"];

/// Carries out every situation with the dice of one seed, until then: what went wrong, and how many there was no time for.
pub fn run_all(library: &Arc<Library>, until: Instant, told: &(dyn Fn(usize, usize) + Sync)) -> (Complaints, usize) {
    let answered: Vec<(String, RulesetSpec)> = library.games.keys().flat_map(|game| situations_with_answers(library, game)).collect();
    let mut stacks: Vec<RulesetSpec> = library.games.keys().flat_map(|game| specs_to_try(library, game)).collect();
    let all = stacks.len();
    for (_, wish) in &answered {
        if !stacks.contains(wish) {
            stacks.push(wish.clone());
        }
    }
    let (next, found, late) = (AtomicUsize::new(0), Mutex::new(Vec::new()), AtomicUsize::new(0));
    let round = || {
        // Each stack is let go of before the next is compiled: together they would fill the memory.
        while let Some((place, wish)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|place| Some((place, stacks.get(place)?))) {
            told(place + 1, stacks.len());
            let Ok((ruleset, _)) = diagnostics::build_ruleset(library, wish) else { continue };
            let program = Arc::new(Program::new(Arc::new(ruleset)));
            for name in program.ruleset.scenario_names() {
                let own = answered.iter().any(|(known, asked)| known == name && asked == wish);
                if place >= all && !own {
                    continue;
                }
                let wrong = if Instant::now() > until { None } else { check_run(&program, name, own) };
                late.fetch_add(usize::from(wrong.is_none()), Ordering::Relaxed);
                let wrong = wrong.unwrap_or_default().0.into_iter().map(|complaint| (place, complaint));
                lock_unpoisoned(&found).extend(wrong);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..std::thread::available_parallelism().map_or(1, usize::from) {
            // Where no thread can be had, this one does it all.
            if std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, || parse::with_parse_cache(round)).is_err() {
                break;
            }
        }
        parse::with_parse_cache(round);
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    // One fault breaks many situations, and is told of the first stack that has it, whichever thread came to it first.
    found.sort_by_key(|(place, _)| *place);
    let mut found = Complaints(found.into_iter().map(|(_, complaint)| complaint).collect()).into_sorted();
    found.0.dedup_by(|b, a| (a.law, &a.place, &a.what) == (b.law, &b.place, &b.what));
    (found, late.into_inner())
}

/// The game by itself, under each variant with what that is written over, and under all that go together.
fn specs_to_try(library: &Library, game: &str) -> Vec<RulesetSpec> {
    let mut stacks: Vec<Vec<String>> = vec![Vec::new()];
    stacks.extend(library.variants_of(game).into_iter().map(|variant| variants_below(library, game, variant)));
    stacks.extend(compatible_groups(library, game));
    stacks.sort();
    stacks.dedup();
    stacks.into_iter().map(|with| RulesetSpec { game: game.into(), variants: with, ..RulesetSpec::default() }).collect()
}

/// The situations of a game that answer choices, each with what it asks to be in force.
fn situations_with_answers(library: &Library, game: &str) -> Vec<(String, RulesetSpec)> {
    let file = |name: &str, variant: &Option<String>| match variant {
        None => format!("scenarios/{game}/{name}.yaml"),
        Some(variant) => format!("variants/{variant}/scenarios/{name}.yaml"),
    };
    let mut names = library.scenarios(game);
    names.retain(|(name, variant)| library.files.by_key.get(&file(name, variant)).is_some_and(|file| file.text.contains("\nchoices:")));
    let wish = |(name, variant): (String, Option<String>)| {
        let mut asked = library.in_force_for(game, &name, variant.as_deref());
        asked.variants.sort();
        (
            name,
            RulesetSpec {
                game: game.into(),
                variants: asked.variants,
                options: asked.options,
                readings: asked.readings,
                ..RulesetSpec::default()
            },
        )
    };
    names.into_iter().map(wish).collect()
}

/// What is wrong with one run; none where it took too long to tell. Under what the situation itself asks for its answers are tried, too.
fn check_run(program: &Arc<Program>, name: &str, own: bool) -> Option<Complaints> {
    let Ok(scenario) = program.ruleset.scenario(name) else { return Some(Complaints::default()) };
    if scenario.list_kind != ListKind::Situation {
        return Some(Complaints::default());
    }
    // What keeps it from being made ready has been complained of, or is of another variant that it asks for.
    let Ok(situation) = Situation::new(program, scenario) else { return Some(Complaints::default()) };
    let mut machine = situation.machine();
    machine.time_limit = RUN_TIMEOUT;
    let begun = Instant::now();
    // Of a situation that hands its procedure nothing it may be that it is not written yet.
    let blank = situation.scenario.root.get(GIVEN).is_none_or(|given| given.entries().is_empty());
    let under = |complaint: Complaint| match complaint.crumbs.is_empty() {
        true => complaint.with_breadcrumbs(format!("carrying out {name} under {}", program.ruleset.title())),
        false => complaint
            .with_related(Place::whole_file(&situation.scenario.file.path), format!("carried out under {}", program.ruleset.title())),
    };
    let (ended, asked) = run_once(&situation, &mut machine, 1);
    let late = begun.elapsed() >= RUN_TIMEOUT;
    let mut found = match &ended {
        Err(Error::Data(_)) if late => return None,
        Err(Error::Data(complaints)) => {
            let met = complaints.0.iter().filter(|complaint| !IGNORED_CODES.contains(&complaint.law)).cloned().map(under);
            met.map(|complaint| if blank { complaint.into_note() } else { complaint }).collect()
        }
        _ => misspelt_answers(&situation, &asked),
    };
    if own && !late {
        found.extend(impossible_answers(&situation, &mut machine, (ended, asked)).into_iter().map(under));
    }
    Some(Complaints(found))
}

/// Questions by what they are about, with the sides that were asked.
type AskedSides = BTreeMap<String, BTreeSet<String>>;

/// One run with the dice of a seed: how it ended, and what was asked. Nobody reads what happens: the game of a whole day would fill the
/// memory with it.
fn run_once(situation: &Situation, machine: &mut Machine, seed: u64) -> (Result<EndReason, Error>, AskedSides) {
    let decider = situation.choice_source(&[], Arc::default());
    let begun = situation.begin(machine);
    let ended = begun.and_then(|mut state| drive(machine, &mut state, &mut SeededDice::new(seed), &decider).map_err(Error::Data));
    (ended, decider.policies.asked_questions())
}

/// Answers of a situation that are not open when their question is put, whatever the dice: each ends every ruling that comes to it. Where
/// none goes by it, that is a fault; else a board of a game gone on may have outlived the answer.
fn impossible_answers(situation: &Situation, machine: &mut Machine, first: (Result<EndReason, Error>, AskedSides)) -> Vec<Complaint> {
    let scenario = &situation.scenario;
    let answers = scenario.root.get("choices").map(YamlNode::entries).unwrap_or_default();
    let (mut shut, mut taken): (Vec<Complaint>, BTreeSet<&str>) = Default::default();
    let answer_at = |place: &Place| {
        let given = answers.iter().find(|(_, answer)| place.path == scenario.file.path && place.span == Some(answer.span));
        given.and_then(|(key, _)| key.as_text())
    };
    let mut ended_by = 0;
    let mut run = Some(first);
    for seed in 1..=SEEDS {
        let (ended, asked) = run.take().unwrap_or_else(|| run_once(situation, machine, seed));
        let found = if let Err(Error::Data(complaints)) = ended { complaints.0 } else { Vec::new() };
        let stopped = found.into_iter().find(|complaint| complaint.law == "choice" && answer_at(&complaint.place).is_some());
        ended_by += u64::from(stopped.is_some());
        let at = stopped.as_ref().and_then(|complaint| answer_at(&complaint.place));
        let put = |key: &&str| asked.iter().any(|(what, sides)| what == key || sides.iter().any(|side| question_key(side, what) == **key));
        taken.extend(answers.iter().filter_map(|(key, _)| key.as_text()).filter(|key| at != Some(*key) && put(key)));
        shut.extend(stopped.filter(|stopped| !shut.iter().any(|known| known.place == stopped.place)));
        if answers.iter().filter_map(|(key, _)| key.as_text()).all(|key| taken.contains(key)) {
            break;
        }
    }
    shut.retain(|complaint| answer_at(&complaint.place).is_some_and(|key| !taken.contains(key)));
    if ended_by == SEEDS { shut } else { shut.into_iter().map(Complaint::into_note).collect() }
}

/// Answers of a situation that nobody asked for, where something was asked that is spelt nearly so.
fn misspelt_answers(situation: &Situation, asked: &AskedSides) -> Vec<Complaint> {
    let put: BTreeSet<String> =
        asked.iter().flat_map(|(what, sides)| sides.iter().map(|side| question_key(side, what)).chain([what.clone()])).collect();
    // The second of two questions that are counted is no slip of the first.
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let scenario = &situation.scenario;
    let answers = scenario.root.get("choices").map(YamlNode::entries).unwrap_or_default();
    let slip = |(key, _): &(YamlNode, YamlNode)| {
        let name = key.as_text().filter(|name| name.len() > 4 && !put.contains(*name))?;
        let meant = |other: &&String| {
            !situation.choices.contains_key(*other) && letters(other) != letters(name) && (1..=2).contains(&edit_distance(name, other))
        };
        let meant = put.iter().find(meant)?;
        let place = Place::from_text(&scenario.file.path, &scenario.file.text, key.span);
        let what = format!("nobody asks `{name}` here; did you mean `{meant}`?");
        Some(Complaint::new("unknown-name", place, what).with_help("the answer is passed over as it stands").into_likely().into_note())
    };
    answers.iter().filter_map(slip).collect()
}
