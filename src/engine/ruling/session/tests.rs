//! Tests of the session contract that no journal can express.

use super::*;
use crate::data::library::Library;
use crate::ruleset::compose::RulesetSpec;

/// Sessions of shipped situations that ask for throws and for choices, independent of particular games.
fn sessions() -> impl Iterator<Item = Session> {
    let library = Library::of_repository();
    let names: Vec<_> = library
        .games
        .keys()
        .flat_map(|game| {
            library
                .scenarios(game)
                .into_iter()
                .map(|n| (game.clone(), n))
        })
        .collect();
    names
        .into_iter()
        .filter_map(move |(game, (name, brought))| {
            let with: Vec<&str> = brought.as_deref().into_iter().collect();
            let situation =
                Situation::load(&library, &RulesetSpec::new(&game, &with), &name).ok()?;
            Session::begin(situation, 1, false).ok()
        })
}

#[test]
fn an_expired_deadline_does_not_stop_interactive_play() {
    let mut answered = 0;
    for mut session in sessions().take(12) {
        for _ in 0..20 {
            // The deadline has already passed.
            session.machine.deadline = Some(crate::platform::clock::Instant::now());
            match session.waiting_for() {
                WaitingFor::Throw(_) => session.roll(),
                WaitingFor::Choice(_) => session.choose(0),
                _ => break,
            }
            .expect("it goes on");
            answered += 1;
        }
    }
    assert!(answered > 40, "answers were given: {answered}");
}

/// What an answer leads to: the request that comes next, the board, and what was said and thrown on the way.
fn consequence(session: &mut Session, request: &ChoiceRequest, option: usize) -> String {
    let mut state = session.current.state.clone();
    let until = crate::platform::clock::Instant::now() + std::time::Duration::from_secs(20);
    let (stop, events) = session.answer_copy(&mut state, request, option, until);
    let lines = events
        .iter()
        .filter(|event| {
            matches!(
                event,
                Event::Line(_) | Event::Outcome(_) | Event::Throw(_) | Event::Step(_)
            )
        })
        .count();
    let outcomes: Vec<u64> = state
        .outcomes
        .iter()
        .map(|(_, value)| value.fingerprint())
        .collect();
    let ended = matches!(stop, Stop::Done(_));
    let stop = format!("{stop:?}");
    if !ended {
        session.machine.clear_dead_registers(&mut state, false);
    }
    let fingerprint = if ended { 0 } else { state.fingerprint(Some(0)) };
    format!(
        "{lines} {outcomes:x?} {stop} {:x} {fingerprint:x}",
        state.board.total_fingerprint()
    )
}

#[test]
fn no_question_is_asked_whose_answer_does_nothing() {
    let (mut asked_count, mut idle) = (0, std::collections::BTreeMap::new());
    let steps: usize = std::env::var("CASEBOOK_IDLE_STEPS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(12);
    for (nth, mut session) in sessions().enumerate() {
        for step in 0..steps {
            let answered = match session.waiting_for().clone() {
                WaitingFor::Throw(_) => session.roll(),
                WaitingFor::Choice(request) => {
                    asked_count += 1;
                    let first_consequence = consequence(&mut session, &request, 0);
                    if (1..request.options.len()).rev().all(|option| {
                        consequence(&mut session, &request, option) == first_consequence
                    }) {
                        idle.entry(request.question.to_string())
                            .or_insert_with(|| session.situation.scenario.name.clone());
                    }
                    session.choose((step * 7 + nth) % request.options.len())
                }
                WaitingFor::Finished(_) => break,
            };
            if answered.is_err() {
                break;
            }
        }
    }
    assert!(asked_count > 300, "{asked_count} questions");
    assert!(idle.is_empty(), "{idle:#?}");
}
