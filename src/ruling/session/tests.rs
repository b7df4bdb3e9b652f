//! Tests of the session contract that no journal can express.

use super::*;
use crate::data::library::Library;
use crate::ruleset::compose::RulesetSpec;

/// Sessions of shipped situations that ask for throws and for choices, independent of particular games.
fn sessions() -> impl Iterator<Item = Session> {
    let library = Library::built_in();
    let names: Vec<_> = library.games.keys().flat_map(|game| library.scenarios(game).into_iter().map(|n| (game.clone(), n))).collect();
    names.into_iter().filter_map(move |(game, (name, brought))| {
        let with: Vec<&str> = brought.as_deref().into_iter().collect();
        let situation = Situation::load(&library, &RulesetSpec::new(&game, &with), &name).ok()?;
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
