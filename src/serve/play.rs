//! Interactive play of a situation: throws, choices, undo, and the odds from the current state. The address holds every answer, so the
//! browser's back button undoes one, and the address can be shared.

use crate::complaint::Error;
use crate::data::scenario::Scenario;
use crate::ruling;
use crate::ruling::journal::Journal;
use crate::ruling::menu::option_notes;
use crate::ruling::resolve::{Ruling, cite_case, consulted_sources};
use crate::ruling::session::{Session, SuspendedSession, WaitingFor, question_text};
use crate::ruling::situation::Situation;
use crate::serve::chart;
use crate::serve::layout::{LinkTarget, download_link, render_error, side_colour, situation_address};
use crate::serve::map::drawing::{BoardDrawing, render_map};
use crate::serve::map::map_look::MapLook;
use crate::serve::odds_view::OddsView;
use crate::serve::page_request::{AddressMove, PageRequest};
use crate::serve::play_tables::PlayedGame;
use crate::serve::queries;
use crate::serve::workbench::DataSnapshot;
use crate::situation::board::Board;
use crate::situation::trace::Event;
use crate::situation::value_text::value_text;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Maximum number of moves in an address, because opening it replays all of them.
const MAX_MOVES: usize = 2_000;
/// Time limit of the odds from the current state.
const ODDS_TIME: Duration = Duration::from_secs(10);

/// Calls a function with the session after the moves of an address.
pub fn with_session<T>(
    shelf: &DataSnapshot,
    situation: &Situation,
    ask: &PageRequest,
    then: impl FnOnce(&Session) -> T,
) -> Result<T, Error> {
    if ask.moves.len() > MAX_MOVES {
        return Err(Error::Usage(format!("{} moves; an address holds at most {MAX_MOVES}", ask.moves.len())));
    }
    let key = situation_address(&PageRequest { moves: Vec::new(), ..ask.clone() }, "play");
    let (mut session, mut moves) = match shelf.play_tables.take(&key, &ask.moves, SuspendedSession::at_answer) {
        Some(played) => (played.session.resume()?, played.moves),
        None => (Session::begin(situation.deep_clone(), ask.seed.unwrap_or(1), ask.strict)?, Vec::new()),
    };
    let mut answer = |made: &AddressMove| match made {
        AddressMove::Throw(faces) => session.enter_faces(faces),
        AddressMove::Roll => session.roll(),
        AddressMove::Take(option) => session.choose(*option),
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
    // An invalid answer does not end the game.
    shelf.play_tables.put_back(PlayedGame { key, moves, session: session.suspend() });
    told
}

/// Formats what the session waits for as JSON.
pub fn waiting_json(session: &Session) -> Value {
    match session.waiting_for() {
        WaitingFor::Throw(asked) => {
            json!({ "throw": { "dice": asked.notation.to_string(), "for": asked.purpose.to_string(), "count": asked.dice.count, "sides": asked.dice.sides } })
        }
        WaitingFor::Choice(asked) => {
            let options: Vec<String> = asked.options.iter().map(|option| value_text(option, session.board())).collect();
            json!({ "choice": { "side": asked.side.to_string(), "what": asked.question.to_string(), "options": options } })
        }
        WaitingFor::Finished(refusal) => json!({ "over": { "refused": refusal.is_some() } }),
    }
}

/// Returns the address with one more move.
fn address_with(ask: &PageRequest, made: AddressMove) -> String {
    let mut next = ask.clone();
    next.moves.push(made);
    situation_address(&next, "play")
}

/// Renders the pending question, the ruling so far and the map.
pub fn render_table(shelf: &DataSnapshot, situation: &Situation, ask: &PageRequest, look: &MapLook) -> Markup {
    let shown = with_session(shelf, situation, ask, |session| render_session(shelf, situation, session, ask, look));
    shown.unwrap_or_else(|error| html! { (render_error(&error)) (render_undo(ask)) })
}

fn render_session(shelf: &DataSnapshot, situation: &Situation, session: &Session, ask: &PageRequest, look: &MapLook) -> Markup {
    let game = &situation.ruleset().game;
    let told = current_ruling(session);
    let earlier = session.procedure_starts().len() - 1;
    html! {
        div.now {
            section.waits aria-live="polite" {
                @if let Some((phase, procedure)) = session.current_phase() { p.phase { (phase) ": " (procedure) } }
                (render_last_dice(session, ask, &told))
                @match session.waiting_for() {
                    WaitingFor::Throw(asked) => {
                        h2 tabindex="-1" data-focus { (asked.notation) " for " (asked.purpose) }
                        p.answers { a.button.main href=(address_with(ask, AddressMove::Roll)) data-move { "Throw" } }
                        (render_dice_field(asked.dice.count, asked.dice.sides, ask))
                    }
                    WaitingFor::Choice(asked) => {
                        h2 tabindex="-1" data-focus class=(side_colour(game, asked.side.as_str())) { (question_text(asked)) }
                        ol.answers {
                            @for ((i, option), words) in asked.options.iter().enumerate().zip(option_notes(session, asked)) {
                                li { a.button href=(address_with(ask, AddressMove::Take(i))) data-move { (value_text(option, session.board())) } @if !words.is_empty() { " " span.quiet { (words) } } }
                            }
                        }
                    }
                    WaitingFor::Finished(refusal) => {
                        h2 tabindex="-1" data-focus { @if refusal.is_some() { "Refused" } @else { "Done" } }
                        @if let Some(on) = next_procedure(shelf, situation, ask) {
                            p.answers { a.button.main href=(situation_address(&on, "play")) data-move { "Play on along the sequence of play" } }
                        }
                    }
                }
                @if !session.is_over() { (render_why(session, &LinkTarget::for_request(ask))) }
                (render_undo(ask))
            }
            div data-board { (render_board(situation, session, ask, look)) }
            @if !session.is_over() {
                details.ahead { summary data-fetch="ahead" { "Odds from here" } div { p.quiet { "Counting…" } } }
            }
        }
        div.story {
            @if earlier > 0 {
                details.earlier { summary data-fetch="earlier" { "What was told before, in " (earlier) @if earlier == 1 { " procedure" } @else { " procedures" } } div {} }
            }
            (chart::render_ruling(&told, &LinkTarget::for_request(ask)))
            // The journal links every move to its address, which for a long game exceeds the rest of the page, so it is loaded on demand.
            @if !ask.moves.is_empty() {
                details.journal {
                    summary data-fetch="journal" { "Journal: " (ask.moves.len()) @if ask.moves.len() == 1 { " answer" } @else { " answers" } }
                    div {}
                }
            }
        }
    }
}

/// Renders the latest dice and the last line about them.
fn render_last_dice(session: &Session, ask: &PageRequest, told: &Ruling) -> Markup {
    let thrown = session.events_since_answer().iter().find_map(|event| match event {
        Event::Throw(thrown) => Some((&thrown.purpose, &thrown.throw.faces)),
        _ => None,
    });
    let line = told.steps.iter().flat_map(|step| &step.lines).last();
    html! {
        @if !ask.moves.is_empty() && (thrown.is_some() || line.is_some()) {
            p.lately {
                @if let Some((purpose, faces)) = thrown.filter(|_| !matches!(ask.moves.last(), Some(AddressMove::Take(_)))) {
                    @for face in faces { span.die { (face) } } " " span.quiet { "for " (purpose) } " "
                }
                @if let Some(line) = line { (line.text) }
            }
        }
    }
}

/// Renders why the question is asked: the calling cases, outermost first, and the lookups since the last answer.
fn render_why(session: &Session, links: &LinkTarget) -> Markup {
    let ruleset = session.situation.ruleset();
    let cases: Vec<usize> = session.call_stack();
    let looked_up = consulted_sources(session.events_since_answer(), ruleset);
    html! {
        @if !cases.is_empty() {
            details.why {
                summary { "Why?" }
                ol { @for case in cases { @let cited = cite_case(ruleset, case); li { a.cite href=(links.cite_address(&cited)) { (cited) } " " (ruleset.cases[case].title) } } }
                @if !looked_up.is_empty() {
                    details { summary { "Looked up since the last answer: " (looked_up.len()) } ul { @for line in &looked_up { li { (line) } } } }
                }
            }
        }
    }
}

/// Returns the ruling of the current procedure, or of the last one.
fn current_ruling(session: &Session) -> Ruling {
    match session.procedure_starts() {
        [_, .., last] => session.ruling_between(*last, session.events().len()),
        _ => session.ruling(),
    }
}

/// Renders the rulings of the earlier procedures.
pub fn render_earlier(shelf: &DataSnapshot, situation: &Situation, ask: &PageRequest) -> Result<Markup, Error> {
    with_session(shelf, situation, ask, |session| {
        let told = session.procedure_starts().windows(2).map(|part| session.ruling_between(part[0], part[1]));
        html! { @for ruling in told { (chart::render_ruling(&ruling, &LinkTarget::for_request(ask))) } }
    })
}

/// Returns the address that continues the sequence of play after the situation's procedure. It starts the next procedure to find out
/// whether it can run, because the situation may lack data for it; the session stays cached.
fn next_procedure(shelf: &DataSnapshot, situation: &Situation, ask: &PageRequest) -> Option<PageRequest> {
    let game = &situation.ruleset().game;
    let listed = game.sequence.iter().any(|phase| phase.procedures.contains(&situation.procedure));
    if !listed || game.end_conditions.is_empty() || situation.scenario.is_game {
        return None;
    }
    let on = PageRequest { goes_on: true, ..ask.clone() };
    let scenario = Scenario { is_game: true, ..Scenario::clone(&situation.scenario) };
    let game = Situation::new(&situation.program, scenario).ok()?;
    with_session(shelf, &game, &on, |session| !session.is_over() || session.procedure_starts().len() > 1).ok()?.then_some(on)
}

/// Renders the map alone after a change of selection.
pub fn render_updated_map(shelf: &DataSnapshot, situation: &Situation, ask: &PageRequest, look: &MapLook) -> Result<Markup, Error> {
    with_session(shelf, situation, ask, |session| render_board(situation, session, ask, look))
}

/// Renders the map; a click answers a pending choice of places or pieces.
fn render_board(situation: &Situation, session: &Session, ask: &PageRequest, look: &MapLook) -> Markup {
    let open: Vec<(String, String)> = match session.waiting_for() {
        WaitingFor::Choice(asked) => {
            let option = |(i, option)| (value_text(option, session.board()), address_with(ask, AddressMove::Take(i)));
            asked.options.iter().enumerate().map(option).collect()
        }
        _ => Vec::new(),
    };
    let before = Board::new(situation.initial_board.clone());
    render_map(&BoardDrawing {
        situation,
        request: ask,
        page: "play",
        look,
        before: &before,
        after: session.board(),
        drawings: &current_ruling(session).drawn,
        answers: &open,
    })
}

/// Renders a field to enter physical dice.
fn render_dice_field(count: u32, sides: u32, ask: &PageRequest) -> Markup {
    html! {
        form.own-dice data-dice=(count) data-to=(situation_address(ask, "play")) {
            @for nth in 1..=count.min(20) {
                label { span.hidden { "Die " (nth) } input type="number" min="1" max=(sides) required inputmode="numeric" placeholder="?"; }
            }
            button { @if count == 1 { "Your own die" } @else { "Your own dice" } }
        }
    }
}

fn render_undo(ask: &PageRequest) -> Markup {
    let mut before = ask.clone();
    before.moves.pop();
    let start = PageRequest { moves: Vec::new(), ..ask.clone() };
    let luck = PageRequest { seed: Some(ask.seed.unwrap_or(1).wrapping_add(1)), ..start.clone() };
    html! {
        p.back {
            @if !ask.moves.is_empty() {
                a href=(situation_address(&before, "play")) data-move { "Take back" } " "
                a href=(situation_address(&start, "play")) data-move { "From the start" } " "
            }
            a href=(situation_address(&luck, "play")) data-move title="Other dice, from the start" { "Other luck" }
        }
    }
}

/// Renders all answers so far; each links to the state before it.
pub fn render_journal(shelf: &DataSnapshot, situation: &Situation, ask: &PageRequest) -> Result<Markup, Error> {
    with_session(shelf, situation, ask, |session| {
        let moves = session.moves();
        html! {
            p { (download_link(&format!("{}.journal.yaml", ask.situation), &journal_text(session, ask, moves.clone()), "As a file, for ")) code { "casebook play" } " and " code { "replay" } }
            ol {
                @for (i, made) in moves.iter().enumerate() {
                    @let before = PageRequest { moves: ask.moves[..i.min(ask.moves.len())].to_vec(), ..ask.clone() };
                    li { (made) " " a href=(situation_address(&before, "play")) data-move { "back to here" } }
                }
            }
        }
    })
}

/// Formats the journal as a file.
fn journal_text(session: &Session, ask: &PageRequest, moves: Vec<ruling::moves::JournalMove>) -> String {
    let results = session.is_over().then(|| session.ruling().results);
    let journal = Journal::new(&ask.situation, &session.situation.ruleset().spec, Some(ask.seed.unwrap_or(1)), moves, results.as_ref());
    // Invalid overrides were reported before play started.
    journal.with_overrides(&ask.overrides().unwrap_or_default()).to_yaml()
}

/// Renders the odds from the current state of a session.
pub fn render_odds(shelf: &DataSnapshot, situation: &Situation, ask: &PageRequest, stop: &AtomicBool) -> Result<Markup, Error> {
    let rest = with_session(shelf, situation, ask, Session::remaining)?;
    Ok(queries::odds(&rest, ask, stop, ODDS_TIME)
        .map_or_else(|error| render_error(&error), |found| OddsView::plain(&found, situation, &LinkTarget::for_request(ask)).render()))
}
