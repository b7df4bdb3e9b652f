//! A situation played by clicking: throws, choices, one step back, the odds from here. The address holds every answer, so going back in
//! the browser takes one back, and sending the address sends the game.

use crate::complaint::Error;
use crate::ruling::session::{Session, Waits, question};
use crate::ruling::situation::Situation;
use crate::serve::answers;
use crate::serve::ask::{Ask, Move};
use crate::serve::chart;
use crate::serve::layout::{Links, failed, side};
use crate::serve::map::drawing::board;
use crate::serve::situations::address;
use crate::situation::board::Board;
use crate::situation::words::text_of;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Answers of one address, at most: each request makes all of them again.
const MOVES: usize = 2_000;
/// For how long the odds from here are counted.
const TIME: Duration = Duration::from_secs(10);

/// A situation played as far as an address says.
pub fn session(situation: Situation, ask: &Ask) -> Result<Session, Error> {
    if ask.moves.len() > MOVES {
        return Err(Error::Usage(format!("{} moves; an address holds at most {MOVES}", ask.moves.len())));
    }
    let mut session = Session::begin(situation, ask.seed.unwrap_or(1), ask.strict)?;
    for made in &ask.moves {
        match made {
            Move::Throw(faces) => session.throw(faces)?,
            Move::Roll => session.roll()?,
            Move::Take(option) => session.choose(*option)?,
        }
    }
    Ok(session)
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
pub fn table(situation: &Situation, ask: &Ask) -> Result<Markup, Error> {
    let session = match session(situation.apart(), ask) {
        Ok(session) => session,
        Err(error) => return Ok(html! { (failed(&error)) (back(ask)) }),
    };
    let game = &situation.ruleset().game;
    let ran = session.ran();
    Ok(html! {
        div.now {
            section.waits aria-live="polite" {
                @match session.waits() {
                    Waits::Throw(asked) => {
                        h2 tabindex="-1" data-focus { (asked.text) " for " (asked.purpose) }
                        p.answers { a.button.main href=(with(ask, Move::Roll)) data-move { "Throw" } }
                        (own_dice(asked.dice.count, asked.dice.sides, ask))
                    }
                    Waits::Choice(asked) => {
                        h2 tabindex="-1" data-focus class=(side(game, asked.side.as_str())) { (question(asked)) }
                        ol.answers {
                            @for (i, option) in asked.options.iter().enumerate() {
                                li { a.button href=(with(ask, Move::Take(i))) data-move { (text_of(option, session.board())) } }
                            }
                        }
                    }
                    Waits::Over(_) => h2 tabindex="-1" data-focus { @if ran.ruling.refused.is_some() { "Refused" } @else { "Done" } },
                }
                (back(ask))
            }
            (board(game, &Board::new(situation.start.clone()), session.board()))
            @if !session.over() {
                details.ahead { summary data-fetch="ahead" { "Odds from here" } div {} }
            }
        }
        div.story {
            (chart::ruling(&ran.ruling, &Links::live(ask)))
            (journal(&session, ask))
        }
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
fn journal(session: &Session, ask: &Ask) -> Markup {
    let moves = session.moves();
    html! {
        @if !moves.is_empty() {
            details.journal {
                summary { "Journal: " (moves.len()) @if moves.len() == 1 { " answer" } @else { " answers" } }
                ol {
                    @for (i, made) in moves.iter().enumerate() {
                        @let before = Ask { moves: ask.moves[..i.min(ask.moves.len())].to_vec(), ..ask.clone() };
                        li { (made) " " a href=(address(&before, "play")) data-move { "back to here" } }
                    }
                }
            }
        }
    }
}

/// The odds from where a session stands.
pub fn ahead(situation: &Situation, ask: &Ask, stop: &AtomicBool) -> Result<Markup, Error> {
    let session = session(situation.apart(), ask)?;
    let rest = session.rest();
    Ok(answers::odds(&rest, ask, stop, TIME).map_or_else(|error| failed(&error), |found| chart::odds(&found)))
}
