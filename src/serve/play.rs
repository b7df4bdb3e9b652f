//! A situation played by clicking: throws, choices, one step back, the odds from here. The address holds every answer, so going back in
//! the browser takes one back, and sending the address sends the game.

use crate::complaint::Error;
use crate::data::scenario::Scenario;
use crate::ruling;
use crate::ruling::journal::Journal;
use crate::ruling::menu::beside;
use crate::ruling::resolve::{Ruling, cite, consulted};
use crate::ruling::session::{Aside, Session, Waits, question};
use crate::ruling::situation::Situation;
use crate::serve::answers;
use crate::serve::ask::{Ask, Move};
use crate::serve::bench::Shelf;
use crate::serve::chart;
use crate::serve::kept::Played;
use crate::serve::layout::{Links, address, failed, file, side};
use crate::serve::map::drawing::{Shown, board};
use crate::serve::map::look::Look;
use crate::situation::board::Board;
use crate::situation::trace::Event;
use crate::situation::words::text_of;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Answers of one address, at most: somebody who is sent it makes all of them again.
const MOVES: usize = 2_000;
/// For how long the odds from here are counted.
const TIME: Duration = Duration::from_secs(10);

/// Does something with a situation played as far as an address says.
pub fn seated<T>(shelf: &Shelf, situation: &Situation, ask: &Ask, then: impl FnOnce(&Session) -> T) -> Result<T, Error> {
    if ask.moves.len() > MOVES {
        return Err(Error::Usage(format!("{} moves; an address holds at most {MOVES}", ask.moves.len())));
    }
    let key = address(&Ask { moves: Vec::new(), ..ask.clone() }, "play");
    let (mut session, mut moves) = match shelf.tables.take(&key, &ask.moves, Aside::after) {
        Some(played) => (played.session.taken_up()?, played.moves),
        None => (Session::begin(situation.apart(), ask.seed.unwrap_or(1), ask.strict)?, Vec::new()),
    };
    let mut answer = |made: &Move| match made {
        Move::Throw(faces) => session.throw(faces),
        Move::Roll => session.roll(),
        Move::Take(option) => session.choose(*option),
    };
    let mut wrong = Ok(());
    for made in &ask.moves[moves.len()..] {
        wrong = answer(made);
        if wrong.is_err() {
            break;
        }
        moves.push(made.clone());
    }
    let told = wrong.map(|()| then(&session));
    // A wrong answer ends no game.
    shelf.tables.leave(Played { key, moves, session: session.aside() });
    told
}

/// What a session waits for, as a program is told of it.
pub fn waits(session: &Session) -> Value {
    match session.waits() {
        Waits::Throw(asked) => {
            json!({ "throw": { "dice": asked.text.to_string(), "for": asked.purpose.to_string(), "count": asked.dice.count, "sides": asked.dice.sides } })
        }
        Waits::Choice(asked) => {
            let options: Vec<String> = asked.options.iter().map(|option| text_of(option, session.board())).collect();
            json!({ "choice": { "side": asked.side.to_string(), "what": asked.what.to_string(), "options": options } })
        }
        Waits::Over(refusal) => json!({ "over": { "refused": refusal.is_some() } }),
    }
}

/// The address with one answer more.
fn with(ask: &Ask, made: Move) -> String {
    let mut next = ask.clone();
    next.moves.push(made);
    address(&next, "play")
}

/// The table: what is waited for, what was said, the map.
pub fn table(shelf: &Shelf, situation: &Situation, ask: &Ask, look: &Look) -> Markup {
    let shown = seated(shelf, situation, ask, |session| laid(shelf, situation, session, ask, look));
    shown.unwrap_or_else(|error| html! { (failed(&error)) (back(ask)) })
}

fn laid(shelf: &Shelf, situation: &Situation, session: &Session, ask: &Ask, look: &Look) -> Markup {
    let game = &situation.ruleset().game;
    let told = lately(session);
    let earlier = session.parts().len() - 1;
    html! {
        div.now {
            section.waits aria-live="polite" {
                @if let Some((phase, procedure)) = session.phase() { p.phase { (phase) ": " (procedure) } }
                (just_now(session, ask, &told))
                @match session.waits() {
                    Waits::Throw(asked) => {
                        h2 tabindex="-1" data-focus { (asked.text) " for " (asked.purpose) }
                        p.answers { a.button.main href=(with(ask, Move::Roll)) data-move { "Throw" } }
                        (own_dice(asked.dice.count, asked.dice.sides, ask))
                    }
                    Waits::Choice(asked) => {
                        h2 tabindex="-1" data-focus class=(side(game, asked.side.as_str())) { (question(asked)) }
                        ol.answers {
                            @for ((i, option), words) in asked.options.iter().enumerate().zip(beside(session, asked)) {
                                li { a.button href=(with(ask, Move::Take(i))) data-move { (text_of(option, session.board())) } @if !words.is_empty() { " " span.quiet { (words) } } }
                            }
                        }
                    }
                    Waits::Over(refusal) => {
                        h2 tabindex="-1" data-focus { @if refusal.is_some() { "Refused" } @else { "Done" } }
                        @if let Some(on) = goes_on(shelf, situation, ask) {
                            p.answers { a.button.main href=(address(&on, "play")) data-move { "Play on along the sequence of play" } }
                        }
                    }
                }
                @if !session.over() { (why(session, &Links::live(ask))) }
                (back(ask))
            }
            div data-board { (around(situation, session, ask, look)) }
            @if !session.over() {
                details.ahead { summary data-fetch="ahead" { "Odds from here" } div { p.quiet { "Counting…" } } }
            }
        }
        div.story {
            @if earlier > 0 {
                details.earlier { summary data-fetch="earlier" { "What was told before, in " (earlier) @if earlier == 1 { " procedure" } @else { " procedures" } } div {} }
            }
            (chart::ruling(&told, &Links::live(ask)))
            // Each answer with the way back to it: of a long game more than all else on the page.
            @if !ask.moves.is_empty() {
                details.journal {
                    summary data-fetch="journal" { "Journal: " (ask.moves.len()) @if ask.moves.len() == 1 { " answer" } @else { " answers" } }
                    div {}
                }
            }
        }
    }
}

/// The dice that have just fallen, and the last word on them.
fn just_now(session: &Session, ask: &Ask, told: &Ruling) -> Markup {
    let thrown = session.lately().iter().find_map(|event| match event {
        Event::Die(thrown) => Some((&thrown.purpose, &thrown.throw.faces)),
        _ => None,
    });
    let line = told.steps.iter().flat_map(|step| &step.lines).last();
    html! {
        @if !ask.moves.is_empty() && (thrown.is_some() || line.is_some()) {
            p.lately {
                @if let Some((purpose, faces)) = thrown.filter(|_| !matches!(ask.moves.last(), Some(Move::Take(_)))) {
                    @for face in faces { span.die { (face) } } " " span.quiet { "for " (purpose) } " "
                }
                @if let Some(line) = line { (line.text) }
            }
        }
    }
}

/// Why this is asked: the cases that ask, the outermost first, and what was looked up since the last answer.
fn why(session: &Session, links: &Links) -> Markup {
    let ruleset = session.situation.ruleset();
    let cases: Vec<usize> = session.asking();
    let looked_up = consulted(session.lately(), ruleset);
    html! {
        @if !cases.is_empty() {
            details.why {
                summary { "Why?" }
                ol { @for case in cases { @let cited = cite(ruleset, case); li { a.cite href=(links.cited(&cited)) { (cited) } " " (ruleset.cases[case].title) } } }
                @if !looked_up.is_empty() {
                    details { summary { "Looked up since the last answer: " (looked_up.len()) } ul { @for line in &looked_up { li { (line) } } } }
                }
            }
        }
    }
}

/// What was told of the procedure under way, or of the last.
fn lately(session: &Session) -> Ruling {
    match session.parts() {
        [_, .., last] => session.told(*last, session.events().len()),
        _ => session.ruling(),
    }
}

/// What was told of the procedures before that.
pub fn earlier(shelf: &Shelf, situation: &Situation, ask: &Ask) -> Result<Markup, Error> {
    seated(shelf, situation, ask, |session| {
        let told = session.parts().windows(2).map(|part| session.told(part[0], part[1]));
        html! { @for ruling in told { (chart::ruling(&ruling, &Links::live(ask))) } }
    })
}

/// The address at which the sequence of play goes on where the procedure of a situation has ended. Whether the next one can begin is
/// tried, not guessed: the situation may say too little for it. What is begun so is kept for whoever does go on.
fn goes_on(shelf: &Shelf, situation: &Situation, ask: &Ask) -> Option<Ask> {
    let game = &situation.ruleset().game;
    let listed = game.sequence.iter().any(|phase| phase.procedures.contains(&situation.procedure));
    if !listed || game.ends_when.is_empty() || situation.scenario.goes_on {
        return None;
    }
    let on = Ask { goes_on: true, ..ask.clone() };
    let scenario = Scenario { goes_on: true, ..Scenario::clone(&situation.scenario) };
    let game = Situation::new(&situation.program, scenario).ok()?;
    seated(shelf, &game, &on, |session| !session.over() || session.parts().len() > 1).ok()?.then_some(on)
}

/// The map alone: what is looked at on it has changed, and nothing else.
pub fn looked_at(shelf: &Shelf, situation: &Situation, ask: &Ask, look: &Look) -> Result<Markup, Error> {
    seated(shelf, situation, ask, |session| around(situation, session, ask, look))
}

/// The map, on which a choice of places or pieces is answered by a click.
fn around(situation: &Situation, session: &Session, ask: &Ask, look: &Look) -> Markup {
    let open: Vec<(String, String)> = match session.waits() {
        Waits::Choice(asked) => {
            let option = |(i, option)| (text_of(option, session.board()), with(ask, Move::Take(i)));
            asked.options.iter().enumerate().map(option).collect()
        }
        _ => Vec::new(),
    };
    let before = Board::new(situation.start.clone());
    board(&Shown {
        situation,
        ask,
        page: "play",
        look,
        before: &before,
        after: session.board(),
        drawn: &lately(session).drawn,
        open: &open,
    })
}

/// A field for dice thrown at home.
fn own_dice(count: u32, sides: u32, ask: &Ask) -> Markup {
    html! {
        form.own-dice data-dice=(count) data-to=(address(ask, "play")) {
            @for nth in 1..=count.min(20) {
                label { span.hidden { "Die " (nth) } input type="number" min="1" max=(sides) required inputmode="numeric" placeholder="?"; }
            }
            button { @if count == 1 { "Your own die" } @else { "Your own dice" } }
        }
    }
}

fn back(ask: &Ask) -> Markup {
    let mut before = ask.clone();
    before.moves.pop();
    let start = Ask { moves: Vec::new(), ..ask.clone() };
    let luck = Ask { seed: Some(ask.seed.unwrap_or(1).wrapping_add(1)), ..start.clone() };
    html! {
        p.back {
            @if !ask.moves.is_empty() {
                a href=(address(&before, "play")) data-move { "Take back" } " "
                a href=(address(&start, "play")) data-move { "From the start" } " "
            }
            a href=(address(&luck, "play")) data-move title="Other dice, from the start" { "Other luck" }
        }
    }
}

/// Every answer so far; each leads back to where it was given.
pub fn journal(shelf: &Shelf, situation: &Situation, ask: &Ask) -> Result<Markup, Error> {
    seated(shelf, situation, ask, |session| {
        let moves = session.moves();
        html! {
            p { (file(&format!("{}.journal.yaml", ask.situation), &as_file(session, ask, moves.clone()), "As a file, for ")) code { "casebook play" } " and " code { "replay" } }
            ol {
                @for (i, made) in moves.iter().enumerate() {
                    @let before = Ask { moves: ask.moves[..i.min(ask.moves.len())].to_vec(), ..ask.clone() };
                    li { (made) " " a href=(address(&before, "play")) data-move { "back to here" } }
                }
            }
        }
    })
}

/// The journal as a file has it.
fn as_file(session: &Session, ask: &Ask, moves: Vec<ruling::moves::Move>) -> String {
    let results = session.over().then(|| session.ruling().results);
    let journal = Journal::new(&ask.situation, &session.situation.ruleset().wish, Some(ask.seed.unwrap_or(1)), moves, results.as_ref());
    // What could not be read was complained of before anything was played.
    journal.with_overrides(&ask.overrides().unwrap_or_default()).text()
}

/// The odds from where a session stands.
pub fn ahead(shelf: &Shelf, situation: &Situation, ask: &Ask, stop: &AtomicBool) -> Result<Markup, Error> {
    let rest = seated(shelf, situation, ask, Session::rest)?;
    Ok(answers::odds(&rest, ask, stop, TIME).map_or_else(|error| failed(&error), |found| chart::odds(&found, situation, &Links::live(ask))))
}
