//! What a session must hold that no journal can show.

use super::*;
use crate::data::library::Library;
use crate::ruleset::compose::Wish;

/// A game and a situation of it that asks for throws and for choices, whatever games ship.
fn sessions() -> impl Iterator<Item = Session> {
    let library = Library::built_in();
    let names: Vec<_> = library.games.keys().flat_map(|game| library.scenarios(game).into_iter().map(|n| (game.clone(), n))).collect();
    names.into_iter().filter_map(move |(game, (name, brought))| {
        let with: Vec<&str> = brought.as_deref().into_iter().collect();
        let situation = Situation::of(&library, &Wish::of(&game, &with), &name).ok()?;
        Session::begin(situation, 1, false).ok()
    })
}

#[test]
fn whoever_thinks_for_long_plays_on() {
    let mut answered = 0;
    for mut session in sessions().take(12) {
        for _ in 0..20 {
            // All the time there was has gone by.
            session.machine.deadline = Some(std::time::Instant::now());
            match session.waits() {
                Waits::Throw(_) => session.roll(),
                Waits::Choice(_) => session.choose(0),
                _ => break,
            }
            .expect("it goes on");
            answered += 1;
        }
    }
    assert!(answered > 40, "answers were given: {answered}");
}
