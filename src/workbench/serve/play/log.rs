//! The log: every answer with what it brought, newest first; each leads back to the state before it.

use crate::serve::chart;
use crate::serve::layout::{LinkTarget, download_link, side_colour, situation_address, with_query};
use crate::serve::map::clicks::option_words;
use crate::serve::page_request::{AddressMove, PageRequest};
use crate::serve::play::{
    TableRequest, TableView, address_with, current_ruling, hidden_choices, hidden_sides, hides,
};
use crate::serve::workbench::DataSnapshot;
use casebook_engine::complaint::{Error, counted};
use casebook_engine::notation::Face;
use casebook_engine::ruling::journal::Journal;
use casebook_engine::ruling::moves::JournalMove;
use casebook_engine::ruling::session::Session;
use casebook_engine::situation::policy::Policies;
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value_text::{fill_sentence, value_text};
use maud::{Markup, html};

/// The text in place of an answer that must not be seen.
const HIDDEN: &str = ": hidden";
/// Number of the newest entries that a page holds; the others are loaded when they are opened, because each holds an address.
const NEWEST: usize = 16;

/// An answer with the lines that followed it.
pub struct LogEntry {
    /// Index of the answer among the moves; `None` before the first.
    pub index: Option<usize>,
    /// The side that answered; empty for dice.
    pub side: String,
    /// The question as the rules ask it, or the purpose of a throw.
    question: String,
    /// The answer.
    pub text: String,
    /// Titles and lines that followed.
    pub lines: Vec<LogLine>,
}

impl LogEntry {
    /// Returns whether its answer must not be seen.
    pub fn is_hidden(&self) -> bool {
        self.text.ends_with(HIDDEN)
    }
}

pub struct LogLine {
    /// Whether it is the title of a step.
    pub is_title: bool,
    /// The line.
    pub text: String,
}

/// Returns a question with its answer: as a sentence with what was done, or as the rules ask it.
fn answer_in_words(session: &Session, question: &str, option: &str) -> String {
    match session.words_of(question) {
        Some((sentence, words)) => {
            let (board, game) = (session.board(), &session.situation.ruleset().game);
            let answer = option_words(&words.label(option), board, game);
            format!("{sentence} {answer}")
        }
        None => format!("{question}: {option}"),
    }
}

/// Collects the entries in order.
pub fn entries(session: &Session, request: &PageRequest) -> Vec<LogEntry> {
    let (hidden, hidden_sides) = (
        hidden_choices(session, request).len(),
        hidden_sides(session, request),
    );
    let is_hidden = |side: &str| hidden_sides.iter().any(|name| name == side);
    let board = session.board();
    let mut log = vec![LogEntry {
        index: None,
        side: String::new(),
        question: String::new(),
        text: String::new(),
        lines: Vec::new(),
    }];
    let mut answers = 0;
    for event in session.events() {
        let line = match event {
            Event::Step(title) => Some(title.to_string()),
            Event::Line(line) => Some(fill_sentence(&line.template, &line.values, board)),
            _ => None,
        };
        if let (Some(entry), Some(text)) = (log.last_mut(), line) {
            let is_title = matches!(event, Event::Step(_));
            entry.lines.push(LogLine { is_title, text });
            continue;
        }
        let (side, question, text) = match event {
            Event::Throw(thrown) => {
                let text = match thrown.seen_by.as_deref().is_some_and(is_hidden) {
                    true => format!("{}{HIDDEN}", thrown.purpose),
                    false => format!("{}: {}", thrown.purpose, Face::join(&thrown.faces, " ")),
                };
                (String::new(), thrown.purpose.to_string(), text)
            }
            Event::Choice(chosen) if chosen.options.len() > 1 => (
                chosen.side.to_string(),
                chosen.question.to_string(),
                answer_in_words(
                    session,
                    &chosen.question,
                    &value_text(&chosen.options[chosen.chosen_index], board),
                ),
            ),
            _ => continue,
        };
        log.push(LogEntry {
            index: Some(answers),
            side,
            question,
            text,
            lines: Vec::new(),
        });
        answers += 1;
    }
    let secret = log.len() - hidden.min(log.len());
    for entry in log[secret..]
        .iter_mut()
        .filter(|entry| is_hidden(&entry.side))
    {
        entry.text = format!("{}{HIDDEN}", entry.question);
        entry.lines.clear();
    }
    log
}

/// Returns the request at the state before an answer.
fn before_answer(request: &PageRequest, index: usize) -> PageRequest {
    request.after_moves(index)
}

/// Renders the newest entries, and places for the older ones and for the journal.
pub fn render_log(table: &TableView) -> Markup {
    let (session, request) = (table.session, table.request);
    let log = entries(session, request);
    let older = log.len().saturating_sub(NEWEST);
    let earlier = session.procedure_starts().len() - 1;
    let links = LinkTarget::for_request(request);
    let prose = table.prose(&links);
    html! {
        section.log aria-label="Log" {
            h2 { "Log" }
            (render_entries(table, &log[older..]))
            @if older > 0 {
                details.older { summary data-fetch="log" { "Earlier: " (older) @if older == 1 { " entry" } @else { " entries" } } div {} }
            }
            // At its end this is what one looks for.
            details.told open[session.is_over()] {
                summary { "This procedure, with the cases it rests on" }
                (chart::render_ruling(&current_ruling(session, request), &prose))
                @if earlier > 0 {
                    details.earlier { summary data-fetch="earlier" { "Earlier lines, in " (counted(earlier, "procedure")) } div {} }
                }
            }
            // Luck is counted, which takes longer than the page.
            @if !request.moves.is_empty() {
                details.luck-so-far {
                    summary data-fetch="luck" { "Luck: what the dice did" }
                    div { noscript { a href=(with_query(situation_address(request, "play"), "part=luck")) { "Show it" } } }
                }
            }
            // The journal links every move to its address, which for a long game exceeds the rest of the page, so it is loaded on demand.
            @if !request.moves.is_empty() {
                details.journal {
                    summary data-fetch="journal" { "Journal: " (counted(request.moves.len(), "answer")) }
                    div {}
                }
            }
        }
    }
}

/// Renders the entries that the page itself does not hold.
pub fn render_older(table: TableRequest) -> Result<Markup, Error> {
    let (situation, request) = (table.situation, table.request);
    table.with_session(|session| {
        let log = entries(session, request);
        let older = log.len().saturating_sub(NEWEST);
        let table = TableView {
            situation,
            session,
            request,
            look: &Default::default(),
            walks: &[],
            series: &[],
            takes_several: false,
            is_unfinished: false,
            report: None,
        };
        render_entries(&table, &log[..older])
    })
}

/// Renders entries, newest first; successive usual answers are one line that opens.
fn render_entries(table: &TableView, entries: &[LogEntry]) -> Markup {
    let address_move =
        |entry: &LogEntry| entry.index.and_then(|index| table.request.moves.get(index));
    let is_usual = |entry: &LogEntry| matches!(address_move(entry), Some(AddressMove::Usual(_)));
    let mut groups: Vec<&[LogEntry]> = entries
        .chunk_by(|a, b| is_usual(a) && is_usual(b))
        .collect();
    groups.reverse();
    html! {
        ol.entries {
            @for group in groups {
                @if is_usual(&group[0]) {
                    li.usual {
                        details {
                            summary { "The usual: " (counted(group.len(), "answer")) }
                            ol { @for entry in group.iter().rev() { li { (render_entry(table, entry, "reopen")) } } }
                        }
                    }
                } @else {
                    @for entry in group { li { (render_entry(table, entry, "back to here")) } }
                }
            }
        }
    }
}

fn render_entry(table: &TableView, entry: &LogEntry, back: &str) -> Markup {
    let by_policy = entry
        .index
        .and_then(|index| table.request.moves.get(index))
        .is_some_and(|address_move| matches!(address_move, AddressMove::Policy(_)));
    let policy = table.request.policy.get(&entry.side).filter(|_| by_policy);
    let links = LinkTarget::for_request(table.request);
    let prose = table.prose(&links);
    html! {
        @if let Some(index) = entry.index {
            p.answer {
                @if !entry.side.is_empty() { b class=(side_colour(table.game(), &entry.side)) { (entry.side) } " " }
                (entry.text)
                @if let Some(policy) = policy { span.quiet { " (" (policy) ")" } }
                " " a.undo href=(situation_address(&before_answer(table.request, index), "play")) data-move { (back) }
            }
        }
        // A phase and the step in it that bears its name are one title.
        @let repeats = |nth: usize| nth > 0 && entry.lines[nth].is_title && entry.lines[nth].text == entry.lines[nth - 1].text;
        @for (_, line) in entry.lines.iter().enumerate().filter(|(nth, _)| !repeats(*nth)) { @if line.is_title { h3 { (line.text) } } @else { p.line { (prose.render(&line.text)) } } }
    }
}

/// Renders all answers so far; each links to the state before it.
pub fn render_journal(table: TableRequest) -> Result<Markup, Error> {
    let request = table.request;
    table.with_session(|session| {
        let moves = session.moves();
        let (hidden, sides) = (
            hidden_choices(session, request).len(),
            hidden_sides(session, request),
        );
        let is_seen = |side: &str| !sides.iter().any(|name| name == side);
        let shown_count = moves.len() - hidden.min(moves.len());
        // A throw of the journal does not say who may see it.
        let thrown = session.answers().map(|event| match event {
            Event::Throw(thrown) => thrown.seen_by.as_deref().is_none_or(is_seen),
            _ => true,
        });
        let line = |journal_move: &JournalMove, is_seen: bool| match journal_move {
            JournalMove::Throw { dice, purpose, .. } if !is_seen => {
                format!("{dice} for {purpose}{HIDDEN}")
            }
            journal_move => journal_move.to_string(),
        };
        html! {
            @if hidden > 0 { p.quiet { "The file would hold what was answered in secret; it can be had when all have answered." } }
            @else if hides(session, request) { p.quiet { "The file would hold what the other side has in its hand." } }
            @else { p { (download_link(&format!("{}.journal.yaml", request.situation), &journal_text(session, request, moves.clone()), "As a file, for ")) code { "casebook play" } " and " code { "replay" } } }
            ol {
                @for ((i, journal_move), is_seen) in moves[..shown_count].iter().enumerate().zip(thrown) {
                    li { (line(journal_move, is_seen)) " " a href=(situation_address(&before_answer(request, i), "play")) data-move { "back to here" } }
                }
            }
        }
    })
}

/// Formats the journal as a file.
fn journal_text(session: &Session, request: &PageRequest, moves: Vec<JournalMove>) -> String {
    let results = session.is_over().then(|| session.ruling().results);
    let journal = Journal::new(
        &request.situation,
        &session.situation.ruleset().spec,
        Some(request.seed.unwrap_or(1)),
        moves,
        results.as_ref(),
    );
    // Invalid overrides were reported before play started.
    journal
        .with_overrides(&request.overrides().unwrap_or_default())
        .with_policy(request.policy.clone())
        .to_yaml()
}

/// Returns the address of the game that a journal holds. Fails where the file is damaged, the rules ask for something else, or
/// its dice are committed to and the game is not over.
pub fn journal_address(snapshot: &DataSnapshot, text: &str) -> Result<String, Error> {
    let (journal, places) = Journal::parse("(the journal)", text)?;
    journal.require_dice("(the journal)")?;
    let session = journal.play_back(&snapshot.library, &places, false)?;
    let game = &session.situation.ruleset().game;
    let policies = Policies::parse(&journal.policy, game)?;
    let of_side = |side: &String| Some((side.clone(), policies.policy_of(side)?.1.to_string()));
    let mut request = PageRequest {
        policy: game.sides.iter().filter_map(of_side).collect(),
        game: journal.game,
        situation: journal.situation,
        with: Some(journal.variants),
        options: journal.options,
        readings: journal.readings,
        pieces: journal.overrides.pieces,
        set: journal
            .overrides
            .set
            .iter()
            .map(|one| (one.name(), one.value.clone()))
            .collect(),
        goes_on: journal.overrides.goes_on,
        seed: journal.seed,
        ..PageRequest::default()
    };
    for event in session.answers() {
        let answer = match event {
            Event::Throw(thrown) => AddressMove::Throw(thrown.faces.clone()),
            Event::Choice(made) if request.policy.contains_key(made.side.as_str()) => {
                AddressMove::Policy(Some(made.chosen_index))
            }
            Event::Choice(made) => AddressMove::Take(made.chosen_index),
            _ => continue,
        };
        let continued = matches!(answer, AddressMove::Policy(_));
        request.add_move(answer, continued);
    }
    Ok(address_with(&request, &[]))
}
