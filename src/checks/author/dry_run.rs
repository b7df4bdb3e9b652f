//! Runs every situation under each variant alone and under all compatible ones, to find faults that only show at run time. A situation with
//! prepared choices also runs with other seeds, until each choice has been used.

use crate::author::check::{stack_of, stacks};
use crate::testing::example_run::{ExampleFailure, run_example};
use crate::testing::trials::{self, ProgramCache};
use casebook_analysis::usecase::rulesets::spec_of_situation;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::machine::lost_updates::LostUpdates;
use casebook_engine::code::program::FunctionSource;
use casebook_engine::complaint::{
    Complaint, Complaints, DiagnosticCode, Error, Place, edit_distance,
};
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::data::library::Library;
use casebook_engine::data::piece::PieceEntry;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::sheet::GIVEN;
use casebook_engine::data::yaml::YamlNode;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::task;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruleset::spec::RulesetChoices;
use casebook_engine::ruling::driver::{EndReason, drive};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::policy::question_key;
use casebook_engine::situation::set_up_laws::broken_set_ups;
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text::situation_answers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time limit of one run; a run that exceeds it is not judged.
const RUN_TIMEOUT: Duration = Duration::from_secs(2);

/// The number of seeds tried for the prepared choices of a situation.
const SEEDS: u64 = 8;

/// Diagnostic codes that end a run without a fault: an unknown figure, or a prepared choice that this ruleset or these dice don't offer.
const IGNORED_CODES: [DiagnosticCode; 2] = [DiagnosticCode::Figure, DiagnosticCode::Choice];

/// Runs every situation of the games that `is_checked` selects with one seed until the deadline `until`. Returns the complaints and the
/// number of situations that were skipped.
pub fn run_all(
    library: &Arc<Library>,
    is_checked: &dyn Fn(&str) -> bool,
    until: Instant,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> (Complaints, usize) {
    let until = task::end_within(until);
    let games = || library.games.keys().filter(|game| is_checked(game));
    let answered: Vec<(String, RulesetSpec)> = games()
        .flat_map(|game| situations_with_answers(library, game))
        .collect();
    let mut stacks: Vec<RulesetSpec> = games().flat_map(|game| stacks(library, game)).collect();
    let stacks_of_games = stacks.len();
    for (_, spec) in &answered {
        if !stacks.contains(spec) {
            stacks.push(spec.clone());
        }
    }
    let changes = Mutex::new(LostUpdates::new());
    let (mut faults, mut late) = (Vec::new(), 0);
    trials::run(
        &ProgramCache::new(library),
        stacks.iter().zip(0..),
        |machine, index| {
            progress(index + 1, stacks.len());
            let Ok(machine) = machine else {
                return Vec::new();
            };
            let program = &machine.program;
            let run = |(name, scenario): (&str, Result<Arc<Scenario>, Error>)| {
                let has_answers = answered
                    .iter()
                    .any(|(situation, spec)| situation == name && *spec == stacks[index]);
                if index >= stacks_of_games && !has_answers {
                    return Some(Complaints::default());
                }
                if Instant::now() > until {
                    return None;
                }
                // A situation that can't be prepared is reported elsewhere, or belongs to another variant.
                match scenario.and_then(|scenario| Situation::new(program, scenario)) {
                    Ok(situation) => check_run(&situation, has_answers, &changes),
                    Err(_) => Some(Complaints::default()),
                }
            };
            trials::scenarios(&program.ruleset)
                .map(run)
                .collect::<Vec<Option<Complaints>>>()
        },
        |index, found| {
            late += found.iter().filter(|found| found.is_none()).count();
            let complaints = found.into_iter().flatten().flat_map(|found| found.0);
            faults.extend(complaints.map(|complaint| (index, complaint)));
        },
    );
    let changes = changes.into_inner().unwrap_or_else(PoisonError::into_inner);
    faults.extend(
        changes
            .into_values()
            .flatten()
            .map(|lost| (stacks.len(), lost.into_note())),
    );
    // A fault is reported for the first ruleset, whatever the order of the threads.
    faults.sort_by_key(|(index, _)| *index);
    let faults = Complaints(faults.into_iter().map(|(_, complaint)| complaint).collect());
    (once_each(faults), late)
}

/// Runs the situations of a variant once, under it and those below it, until a deadline. Returns the complaints.
pub fn run_variant(library: &Arc<Library>, name: &str, until: Instant) -> Complaints {
    let until = task::end_within(until);
    let Some(variant) = library.variants.get(name) else {
        return Complaints::default();
    };
    let spec = stack_of(library, &variant.game, name);
    let Ok(program) = trials::compile_program(library, &spec) else {
        return Complaints::default();
    };
    let changes = Mutex::new(LostUpdates::new());
    let found = trials::situations(&program)
        .take_while(|_| Instant::now() <= until)
        .filter_map(|situation| check_run(&situation, false, &changes));
    once_each(Complaints(found.flat_map(|found| found.0).collect()))
}

/// Sorts complaints and leaves each in once: a fault may occur in many situations and rulesets.
fn once_each(complaints: Complaints) -> Complaints {
    let mut complaints = complaints.into_sorted();
    complaints
        .0
        .dedup_by(|b, a| (a.code, &a.place, &a.message) == (b.code, &b.place, &b.message));
    complaints
}

/// Returns the situations of a game with prepared choices, each with the ruleset it requests.
fn situations_with_answers(library: &Library, game: &str) -> Vec<(String, RulesetSpec)> {
    let file = |name: &str, variant: &Option<String>| match variant {
        None => format!("scenarios/{game}/{name}.yaml"),
        Some(variant) => format!("variants/{variant}/scenarios/{name}.yaml"),
    };
    let mut names = library.scenarios(game);
    names.retain(|(name, variant)| {
        library
            .files
            .by_key
            .get(&file(name, variant))
            .is_some_and(|file| file.text.contains("\nchoices:"))
    });
    let spec = |(name, variant): (String, Option<String>)| {
        let mut spec = spec_of_situation(
            library,
            &RulesetChoices::default(),
            game,
            &name,
            variant.as_deref(),
        );
        spec.variants.sort();
        (name, spec)
    };
    names.into_iter().map(spec).collect()
}

/// Notes what a situation has otherwise than its manifest says of set-ups, and the lists that it uses without need.
pub fn set_up_notes(situation: &Situation) -> Vec<Complaint> {
    let (scenario, ruleset) = (&situation.scenario, situation.ruleset());
    let board = Board::new(situation.initial_board.clone());
    let note = |place: Place, message: String, help: &str| {
        Complaint::new(DiagnosticCode::SetUp, place, message)
            .with_help(help)
            .into_note()
    };
    let broken = broken_set_ups(&board, &ruleset.game)
        .into_iter()
        .map(|broken| {
            let entry = scenario
                .pieces
                .iter()
                .find(|entry| entry.name == broken.piece);
            let own = entry.filter(|entry| *entry.path == *scenario.file.path);
            let place = own.map_or(Place::whole_file(&scenario.file.path), |entry| {
                scenario.file.place(entry.span)
            });
            note(place, broken.message, IF_MEANT)
        });
    let used = scenario
        .root
        .get("uses")
        .into_iter()
        .flat_map(YamlNode::items);
    let unneeded = used.filter(|node| {
        let list = node.as_text().and_then(|name| ruleset.scenario(name).ok());
        let is_of_it =
            |entry: &PieceEntry| scenario.pieces.iter().any(|own| own.name == entry.name);
        list.is_some_and(|list| !list.pieces.is_empty() && !list.pieces.iter().any(is_of_it))
    });
    let unneeded = unneeded.map(|node| {
        let name = node.text_or_empty();
        let message = format!("no piece here is of `{name}`: using it brings nothing");
        note(
            scenario.file.place(node.span),
            message,
            "name a piece of that list under `pieces:`, with where it is, or take the list out",
        )
    });
    let laws = ruleset.game.set_up.iter();
    let asked = laws.filter_map(|law| {
        let (expression, says) = law.asked.as_ref()?;
        let source = FunctionSource::Expression(expression.clone(), Vec::new());
        let answers = situation_answers(scenario);
        let mut machine = situation.machine();
        machine.time_limit = RUN_TIMEOUT;
        let tried = run_example(&mut machine, source, board.clone(), answers);
        let is_true = match tried {
            Ok(tried) => tried.value == Value::True,
            // What the rules refuse to answer of this set-up is not said to be wrong.
            Err(ExampleFailure::Refused(_)) => true,
            // It asks for a track that this situation has not.
            Err(ExampleFailure::Fault(faults))
                if faults
                    .0
                    .iter()
                    .all(|fault| fault.code == DiagnosticCode::UnknownName) =>
            {
                true
            }
            Err(ExampleFailure::Fault(faults)) => return faults.0.into_iter().next(),
        };
        let message = format!("{}: {says}", scenario.title);
        let place = Place::whole_file(&scenario.file.path);
        (!is_true).then(|| note(place, message, IF_MEANT))
    });
    broken.chain(unneeded).chain(asked).collect()
}

const IF_MEANT: &str = "if it is meant so, leave it: `set_up:` of the manifest says what is usual";

/// Runs a situation and returns its faults; `None` on timeout. If `has_answers` is set, its prepared choices are checked too. Adds the
/// changes that are lost to `changes`.
fn check_run(
    situation: &Situation,
    has_answers: bool,
    changes: &Mutex<LostUpdates>,
) -> Option<Complaints> {
    let mut machine = situation.machine();
    machine.time_limit = RUN_TIMEOUT;
    machine.unread_changes = Some(Box::default());
    let start = Instant::now();
    // A situation without arguments may be an unfinished template.
    let blank = situation
        .scenario
        .root
        .get(GIVEN)
        .is_none_or(|given| given.entries().is_empty());
    let with_ruleset = |complaint: Complaint| match complaint.context.is_empty() {
        true => complaint.with_context(format!(
            "carrying out {} under {}",
            situation.scenario.name,
            situation.ruleset().title()
        )),
        false => complaint.with_related(
            Place::whole_file(&situation.scenario.file.path),
            format!("carried out under {}", situation.ruleset().title()),
        ),
    };
    let (ended, questions) = run_once(situation, &mut machine, 1);
    let timed_out = start.elapsed() >= RUN_TIMEOUT;
    let mut faults = match &ended {
        Err(Error::Data(_)) if timed_out => return None,
        Err(Error::Data(complaints)) => {
            let reported = complaints
                .0
                .iter()
                .filter(|complaint| !IGNORED_CODES.contains(&complaint.code))
                .cloned()
                .map(with_ruleset);
            reported
                .map(|complaint| {
                    if blank {
                        complaint.into_note()
                    } else {
                        complaint
                    }
                })
                .collect()
        }
        _ => misspelt_answers(situation, &questions),
    };
    if has_answers && !timed_out {
        faults.extend(
            impossible_answers(situation, &mut machine, (ended, questions))
                .into_iter()
                .map(with_ruleset),
        );
    }
    faults.extend(set_up_notes(situation));
    machine.add_lost_updates(&mut lock_unpoisoned(changes));
    Some(Complaints(faults))
}

/// The subjects of questions, with the sides that were asked.
type AskedSides = BTreeMap<String, BTreeSet<String>>;

/// Runs a situation with one seed; returns how it ended and which questions were asked. It keeps no trace, which would take too much memory
/// for long games.
fn run_once(
    situation: &Situation,
    machine: &mut Machine,
    seed: u64,
) -> (Result<EndReason, Error>, AskedSides) {
    let source = situation.choice_source(&[], Arc::default());
    let started = situation.begin(machine);
    let ended = started.and_then(|mut state| {
        drive(machine, &mut state, &mut SeededDice::new(seed), &source).map_err(Error::Data)
    });
    (ended, source.policies.asked_questions())
}

/// Returns the prepared choices that are not open when their question is asked, with any seed; each ends the run that reaches it. If every
/// run ends so, they are faults, else notes: a choice may be left over from an earlier board.
fn impossible_answers(
    situation: &Situation,
    machine: &mut Machine,
    first: (Result<EndReason, Error>, AskedSides),
) -> Vec<Complaint> {
    let scenario = &situation.scenario;
    let answers = scenario.root.entries_of("choices");
    let (mut shut, mut accepted): (Vec<Complaint>, BTreeSet<&str>) = Default::default();
    let answer_at = |place: &Place| {
        let entry = answers.iter().find(|(_, answer)| {
            place.path == scenario.file.path && place.span == Some(answer.span)
        });
        entry.and_then(|(key, _)| key.as_text())
    };
    let mut ended_by = 0;
    let mut run = Some(first);
    for seed in 1..=SEEDS {
        let (ended, questions) = run
            .take()
            .unwrap_or_else(|| run_once(situation, machine, seed));
        let errors = if let Err(Error::Data(complaints)) = ended {
            complaints.0
        } else {
            Vec::new()
        };
        let stopped = errors.into_iter().find(|complaint| {
            complaint.code == DiagnosticCode::Choice && answer_at(&complaint.place).is_some()
        });
        ended_by += u64::from(stopped.is_some());
        let refused_key = stopped
            .as_ref()
            .and_then(|complaint| answer_at(&complaint.place));
        let was_asked = |key: &&str| {
            questions.iter().any(|(question, sides)| {
                question == key
                    || sides
                        .iter()
                        .any(|side| question_key(side, question) == **key)
            })
        };
        accepted.extend(
            answers
                .iter()
                .filter_map(|(key, _)| key.as_text())
                .filter(|key| refused_key != Some(*key) && was_asked(key)),
        );
        shut.extend(
            stopped.filter(|stopped| !shut.iter().any(|earlier| earlier.place == stopped.place)),
        );
        if answers
            .iter()
            .filter_map(|(key, _)| key.as_text())
            .all(|key| accepted.contains(key))
        {
            break;
        }
    }
    shut.retain(|complaint| answer_at(&complaint.place).is_some_and(|key| !accepted.contains(key)));
    if ended_by == SEEDS {
        shut
    } else {
        shut.into_iter().map(Complaint::into_note).collect()
    }
}

/// Returns the prepared choices that no question used although a similarly spelt one was asked.
fn misspelt_answers(situation: &Situation, questions: &AskedSides) -> Vec<Complaint> {
    let asked_keys: BTreeSet<String> = questions
        .iter()
        .flat_map(|(question, sides)| {
            sides
                .iter()
                .map(|side| question_key(side, question))
                .chain([question.clone()])
        })
        .collect();
    // Numbered questions differ by a digit, which is no misspelling.
    let letters = |text: &str| {
        text.chars()
            .filter(|c| !c.is_ascii_digit())
            .collect::<String>()
    };
    let scenario = &situation.scenario;
    let answers = scenario.root.entries_of("choices");
    let misspelling = |(key, _): &(YamlNode, YamlNode)| {
        let name = key
            .as_text()
            .filter(|name| name.len() > 4 && !asked_keys.contains(*name))?;
        let is_similar = |candidate: &&String| {
            !situation.choices.contains_key(*candidate)
                && letters(candidate) != letters(name)
                && (1..=2).contains(&edit_distance(name, candidate))
        };
        let similar = asked_keys.iter().find(is_similar)?;
        let place = scenario.file.place(key.span);
        let question = format!("`{name}` is not asked here; did you mean `{similar}`?");
        let complaint = Complaint::new(DiagnosticCode::UnknownName, place, question);
        Some(
            complaint
                .with_help("Casebook does not use the answer as it is")
                .into_likely()
                .into_note(),
        )
    };
    answers.iter().filter_map(misspelling).collect()
}
