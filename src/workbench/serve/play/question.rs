//! The pending throw or choice, with what can be pressed.

use crate::serve::layout::{LinkTarget, hidden_fields, side_colour, situation_address, with_query};
use crate::serve::map::clicks::option_words;
use crate::serve::page_request::{AddressMove, PageRequest};
use crate::serve::play::{
    TableView, address_with, asked_side, current_ruling, hidden_choices, hidden_sides, is_curtained,
};
use casebook_engine::code::state::ChoiceRequest;
use casebook_engine::notation::Dice;
use casebook_engine::ruling::resolve::{cite_case, consulted_sources};
use casebook_engine::ruling::session::{Session, WaitingFor, question_text};
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value_text::value_text;
use maud::{Markup, html};

/// Maximum number of options that are shown as buttons; more are a list with a filter.
const MAX_BUTTONS: usize = 12;
/// Maximum number of lines of the result at the end.
const MAX_LAST_LINES: usize = 6;

/// Renders the pending request; `continued` is the address that continues along the sequence of play.
pub fn render_question(table: &TableView, continued: Option<&PageRequest>) -> Markup {
    let (session, request, game) = (table.session, table.request, table.game());
    if is_curtained(session, request) {
        return render_curtain(table);
    }
    html! {
        section.waits aria-live="polite" {
            // A report of a turn says it too; on a telephone that stands below.
            @if let Some(report) = table.report { (report.render_newest(game)) }
            @if table.report.is_none() || session.is_over() { (render_last_dice(session, request)) }
            @match session.waiting_for() {
                WaitingFor::Throw(asked) => {
                    h2 tabindex="-1" data-focus { (asked.notation) " for " (asked.purpose) }
                    @let verb = if asked.is_draw() { "Draw" } else { "Throw" };
                    p.answers {
                        a.button.main href=(address_with(request, &[AddressMove::Roll])) data-move { (verb) } " "
                        a.button href=(with_query(situation_address(request, "play"), "do=throws")) data-move { (verb) " on to the next decision" }
                    }
                    // The address would hold what only one side may see.
                    @let is_open = |side: &str| !request.keeps_secrets() && !hidden_sides(session, request).iter().any(|name| name == side);
                    @if asked.seen_by().is_none_or(|side| is_open(side)) { (render_dice_field(&asked.dice, request)) }
                }
                WaitingFor::Choice(asked) if table.is_unfinished => {
                    h2 tabindex="-1" data-focus class=(side_colour(game, asked.side.as_str())) { (asked.side) " is at it" }
                    p.answers { a.button.main href=(with_query(situation_address(request, "play"), "do=on")) data-move data-auto { "Let it play on" } }
                }
                WaitingFor::Choice(asked) => (render_choice(table, asked)),
                WaitingFor::Finished(refusal) => {
                    h2 tabindex="-1" data-focus { (verdict(table, refusal.is_some())) }
                    @if table.situation.scenario.is_game {
                        p.answers {
                            a.button.main href=(situation_address(&request.table_only(), "new")) { "New game" } " "
                            button type="button" data-copy { "Copy link to share it" }
                        }
                        @if game.winner_outcome.is_some() {
                            details.turning { summary data-fetch="turning" { "Turning points: how the chance of winning changed" } div {} }
                        }
                        p.quiet { "Luck, below, names the throws that decided; from each of them you can play on." }
                    }
                    @if let Some(continued) = continued {
                        p.answers { a.button.main href=(situation_address(continued, "play")) data-move { "Play on along the sequence of play" } }
                    }
                }
            }
            @if !session.is_over() { (render_why(session, request)) }
            (render_undo(request))
            @if !session.is_over() {
                details.ahead { summary data-fetch="ahead" { "Odds from here" } div { p.quiet { "Counting…" } } }
            }
        }
    }
}

/// Returns how it ended: who has won, if the game names an outcome that says so.
fn verdict(table: &TableView, is_refused: bool) -> String {
    if is_refused {
        return "Refused".into();
    }
    if !table.situation.scenario.is_game {
        return "Done".into();
    }
    let winner = table.game().winner_outcome.as_ref().and_then(|name| {
        let outcome = |event: &Event| match event {
            Event::Outcome(outcome) if outcome.name.as_str() == name => {
                Some(value_text(&outcome.value, table.session.board()))
            }
            _ => None,
        };
        table.session.events().iter().rev().find_map(outcome)
    });
    match winner {
        Some(winner) if table.game().sides.contains(&winner) => format!("{winner} has won"),
        Some(_) => "Nobody has won".into(),
        None => "The game is over".into(),
    }
}

/// Renders a choice: one sentence, the button for the usual answer, the other options, and last and quiet the one that ends it.
fn render_choice(table: &TableView, asked: &ChoiceRequest) -> Markup {
    let (session, request) = (table.session, table.request);
    let (worded, notes) = (session.worded(asked), session.notes(asked));
    let usual = session.usual_answer();
    let main = usual.or(worded.main);
    let ends = usual.is_none();
    let many = asked.options.len() > MAX_BUTTONS;
    let option = |index: usize| {
        let class = if main == Some(index) && !ends {
            "button main"
        } else {
            "button"
        };
        let label = option_words(&worded.options[index], session.board(), table.game());
        // The name stands on the button.
        let note = notes.options[index].as_str();
        let note = note
            .strip_prefix(label.as_str())
            .map_or(note, |rest| rest.trim_start_matches("; "));
        html! { a class=(class) href=(table.address_of_option(index)) data-move data-end[ends && main == Some(index)] { (label) } @if !note.is_empty() { " " span.quiet { (note) } } }
    };
    let always = |index: usize| {
        let mut settled = request.clone();
        let text = value_text(&asked.options[index], session.board());
        settled.always.insert(question_text(asked), text);
        address_with(&settled, &[AddressMove::Take(index)])
    };
    html! {
        h2 tabindex="-1" data-focus data-question=(asked.question) {
            @if !asked.side.is_empty() { span class=(side_colour(table.game(), asked.side.as_str())) { (asked.side) ":" } " " }
            (worded.sentence)
        }
        @if !notes.question.is_empty() { p.about { (notes.question) } }
        @if let Some(main) = main.filter(|_| !ends) { p.answers { (option(main)) } }
        @if table.series.len() > 2 { (render_series(table)) }
        @if table.takes_several { (render_several(table)) }
        div.many[many] data-filter[many] {
            @if many {
                label.filter { span.hidden { "Filter" } input type="search" placeholder={ "Find one of " (asked.options.len()) ", or click the map" } autocomplete="off"; }
            }
            ol.answers { @for index in (0..asked.options.len()).filter(|index| main != Some(*index)) { li { (option(index)) } } }
        }
        @if let Some(main) = main.filter(|_| ends) { p.answers { (option(main)) } }
        // What an answer begins is said when somebody points at it.
        p.prospects data-prospects aria-live="polite" {}
        @if let Some(usual) = usual {
            p.routine {
                a href=(with_query(situation_address(request, "play"), "do=usual")) data-move { "Do the usual" } " until something has to be decided"
                @if !session.asks_in_secret() { " · " a href=(always(usual)) data-move { "Always" } " in this game" }
            }
        }
    }
}

/// Renders a table that answers the pending question and those like it that follow.
fn render_series(table: &TableView) -> Markup {
    let address = situation_address(
        &PageRequest::of(&table.request.game, &table.request.situation),
        "play",
    );
    html! {
        details.series open {
            summary { "Answer all " (table.series.len()) " in one table" }
            form action=(address) data-answers {
                (hidden_fields(table.request))
                input type="hidden" name="do" value="table";
                table {
                    @for (nth, row) in table.series.iter().enumerate() {
                        tr {
                            th scope="row" { label for={ "row" (nth) } { (row.question) } @if let Some(note) = row.notes.first().filter(|note| !note.is_empty()) { " " span.quiet { (note) } } }
                            td { select id={ "row" (nth) } name={ "answer:" (row.question) } { @for (place, option) in row.options.iter().enumerate() { option value=(place) { (option) } } } }
                        }
                    }
                }
                button.main { "Answer these" }
            }
        }
    }
}

/// Renders boxes to tick several options of the pending question.
fn render_several(table: &TableView) -> Markup {
    let WaitingFor::Choice(choice) = table.session.waiting_for() else {
        return html! {};
    };
    let address = situation_address(
        &PageRequest::of(&table.request.game, &table.request.situation),
        "play",
    );
    html! {
        details.several {
            summary { "Pick several" }
            form action=(address) data-answers {
                (hidden_fields(table.request))
                input type="hidden" name="do" value="several";
                @for option in choice.options.iter().skip(1) {
                    @let text = value_text(option, table.session.board());
                    label { input type="checkbox" name="pick" value=(text); (text) } " "
                }
                button { "These" }
            }
        }
    }
}

/// Renders what stands between two sides that share a screen.
fn render_curtain(table: &TableView) -> Markup {
    let side = asked_side(table.session).unwrap_or_default().to_string();
    let seated = PageRequest {
        seat: Some(side.clone()),
        ..table.request.clone()
    };
    html! {
        section.waits.curtain aria-live="polite" {
            h2 tabindex="-1" data-focus class=(side_colour(table.game(), &side)) { "Pass to " (side) }
            p { "The next question is for the other side. What was answered in secret is not shown until all have answered, and a hand only to its side." }
            p.quiet { "The address of the page has the secret answers masked: people can't read them off it, but a program can." }
            p.answers { a.button.main href=(situation_address(&seated, "play")) data-move { "I am " (side) } }
            (render_undo(table.request))
        }
    }
}

/// Renders the latest dice and the last line about them; at the end the lines of the last step.
fn render_last_dice(session: &Session, request: &PageRequest) -> Markup {
    let hidden = hidden_sides(session, request);
    let is_hidden = |side: &str| hidden.iter().any(|name| name == side);
    let thrown = session
        .events_since_answer()
        .iter()
        .find_map(|event| match event {
            Event::Throw(thrown) if !thrown.seen_by.as_deref().is_some_and(is_hidden) => {
                Some((&thrown.purpose, &thrown.faces))
            }
            _ => None,
        });
    let ruling = current_ruling(session, request);
    // At the end the whole last step is the result.
    let count = if session.is_over() {
        ruling
            .steps
            .last()
            .map_or(1, |step| step.lines.len().clamp(1, MAX_LAST_LINES))
    } else {
        1
    };
    let lines: Vec<&str> = ruling
        .steps
        .iter()
        .flat_map(|step| &step.lines)
        .map(|line| line.text.as_str())
        .collect();
    let lines = &lines[lines.len().saturating_sub(count)..];
    html! {
        @if !request.moves.is_empty() && (thrown.is_some() || !lines.is_empty()) {
            p.lately {
                @if let Some((purpose, faces)) = thrown.filter(|_| !matches!(request.moves.last(), Some(AddressMove::Take(_) | AddressMove::Secret(_)))) {
                    @for face in faces { span.die { (face) } } " " span.quiet { "for " (purpose) "." } " "
                }
                (lines.join(" "))
            }
        }
    }
}

/// Renders why the question is asked: the calling cases, outermost first, and the lookups since the last answer.
fn render_why(session: &Session, request: &PageRequest) -> Markup {
    let (ruleset, links) = (
        session.situation.ruleset(),
        &LinkTarget::for_request(request),
    );
    let cases: Vec<usize> = session.call_stack();
    // What was looked up for an answer tells of it.
    let looked_up = match hidden_choices(session, request)[..] {
        [] => consulted_sources(session.events_since_answer(), ruleset),
        _ => Vec::new(),
    };
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

/// Renders a field to enter physical dice. If dice are thrown again, their number is unknown, so they are typed in one row.
fn render_dice_field(dice: &Dice, request: &PageRequest) -> Markup {
    let count = dice.dice_count();
    html! {
        form.own-dice data-dice=(count) data-to=(situation_address(request, "play")) {
            @if dice.may_go_on() || !dice.others.is_empty() {
                label { "All faces, also of dice thrown again, in order " input.row type="text" required placeholder="3 6 1 4"; }
            } @else {
                @for nth in 1..=count.min(20) {
                    label {
                        span.hidden { "Die " (nth) }
                        @let own = dice.own_faces();
                        @if !own.is_empty() {
                            select required { option value="" { "?" } @for face in &own { option { (face) } } }
                        } @else {
                            input type="number" min="1" max=(dice.sides) required inputmode="numeric" placeholder="?";
                        }
                    }
                }
            }
            button { "Your own " (dice.noun(count.into())) }
        }
    }
}

/// Renders the ways back. Taking back undoes the last click of a person, with all that came of it; a new start gives the game up, so it stands apart
/// and is asked about.
pub fn render_undo(request: &PageRequest) -> Markup {
    let start = request.after_moves(0);
    let luck = PageRequest {
        seed: Some(request.seed.unwrap_or(1).wrapping_add(1)),
        ..start.clone()
    };
    html! {
        @if let Some(earlier) = request.before_last_click() { p.back { a href=(situation_address(&earlier, "play")) data-move { "Take back" } } }
        @if !request.moves.is_empty() {
            details.anew {
                summary { "Start again" }
                p { "This game is given up then. Shall the dice of the new one fall alike?" }
                p { a.button href=(address_with(&start, &[])) data-move { "The same dice" } " " a.button href=(address_with(&luck, &[])) data-move { "Other dice" } }
            }
        }
    }
}
