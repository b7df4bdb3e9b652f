//! What came of the last click of a person where a style played on or a battle ended: who went where, what was thrown and what came of it, who was lost.

use crate::serve::layout::side_colour;
use crate::serve::page_request::{AddressMove, PageRequest};
use crate::serve::play::TableRequest;
use crate::serve::play::log::{LogEntry, entries};
use casebook_analysis::usecase::answer_odds::{EndedProcedure, procedures_ended};
use casebook_engine::complaint::{Error, counted};
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::menu::place_note;
use casebook_engine::ruling::session::history::AnsweredPosition;
use casebook_engine::ruling::session::{Session, WaitingFor};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::placed_piece::{PlacedPiece, placed_pieces};
use casebook_engine::situation::value_text::join_words;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Maximum number of names in an entry, of lines about a throw, and of throws.
const MAX_NAMES: usize = 2;
const MAX_LINES: usize = 3;
const MAX_THROWS: usize = 24;

/// The report of a style's turn.
pub struct TurnReport {
    /// The board before it; `None` if that is too long ago.
    pub start_board: Option<Board>,
    items: Vec<ReportItem>,
    /// How many of these, the first ones, are the losses of battles.
    lost: usize,
    /// Whether a style has answered.
    is_turn: bool,
    /// The number of the last procedure in which something was thrown.
    thrown_in: Option<usize>,
}

/// Something that happened.
#[derive(Default)]
struct ReportItem {
    /// The side that it happened to; empty for none.
    side: String,
    text: String,
    /// The faces, of a throw.
    faces: String,
    /// The places where it happened.
    places: Vec<String>,
}

impl ReportItem {
    fn render(&self, game: &Game) -> Markup {
        html! {
            @if !self.side.is_empty() { b class=(side_colour(game, &self.side)) { (self.side) } " " }
            @if !self.faces.is_empty() { @for face in self.faces.split(' ') { span.die { (face) } } " " }
            (self.text)
        }
    }
}

impl TurnReport {
    /// Reports what came of the last click; `None` if no style has answered since, and nothing at stake has ended.
    pub fn new(session: &Session, request: &PageRequest) -> Option<TurnReport> {
        let start = request.last_click().map_or(0, |index| index + 1);
        let is_style = |answer: &AddressMove| matches!(answer, AddressMove::Policy(_));
        let is_turn = request.moves[start..].iter().any(is_style);
        let ended = procedures_ended(session, start);
        if ended.is_empty() && !is_turn {
            return None;
        }
        let game = &session.situation.ruleset().game;
        let start_board = session
            .answered_positions()
            .find(|position| position.answers == start)
            .map(|position| position.state.board.clone());
        let mut items: Vec<_> = ended
            .iter()
            .flat_map(|ended| units_lost(ended, game))
            .collect();
        let lost = items.len();
        let new = placed_pieces(session.board(), game);
        let old = start_board
            .as_ref()
            .map(|before| placed_pieces(before, game));
        let old = old.as_deref().unwrap_or(&new);
        items.extend(moves(old, &new, session.board(), game));
        items.extend(throws(session, request, start));
        items.extend(losses(old, &new, session.board(), game));
        if items.is_empty() {
            // Where nothing was done, something was said.
            let log = entries(session, request);
            let since = |entry: &&LogEntry| entry.index.is_some_and(|index| index >= start);
            let lines = log.iter().filter(since).flat_map(|entry| &entry.lines);
            let stated = lines.filter(|line| !line.is_title).take(MAX_LINES);
            let mut stated: Vec<&str> = stated.map(|line| line.text.as_str()).collect();
            if stated.is_empty() {
                stated.push("The other side has not moved.");
            }
            items.push(ReportItem {
                text: stated.join(" "),
                ..ReportItem::default()
            });
        }
        let is_throw = |position: &AnsweredPosition| {
            position.answers >= start && matches!(position.asked, WaitingFor::Throw(_))
        };
        let thrown_in = session
            .answered_positions()
            .filter(is_throw)
            .map(|position| position.procedure)
            .last();
        Some(TurnReport {
            start_board,
            thrown_in,
            items,
            lost,
            is_turn,
        })
    }

    /// Renders what happened last, for a screen on which the report itself stands below the question.
    pub fn render_newest(&self, game: &Game) -> Markup {
        let newest = match self.lost {
            0 => &self.items[self.items.len() - 1..],
            lost => &self.items[..lost],
        };
        html! { @for item in newest { p.lately.newest { (item.render(game)) } } }
    }

    /// Renders the report; each entry shows its places on the map when it has the focus.
    pub fn render(&self, situation: &Situation) -> Markup {
        let game = &situation.ruleset().game;
        html! {
            section.report aria-label="What happened since your last answer" {
                h2 { "What came of it" }
                // A script steps through it on the map.
                @if self.is_turn {
                    p.pace {
                        button type="button" data-walk { "Step through" } " "
                        label { input type="checkbox" data-pace; " after each turn" }
                    }
                    div data-walked hidden {}
                }
                ol data-steps {
                    @for item in &self.items {
                        li tabindex="0" data-places=(item.places.join("|")) {
                            (item.render(game))
                        }
                    }
                }
                // It is counted, which takes longer than the page.
                @if let Some(procedure) = self.thrown_in {
                    details.fortune { summary data-fetch={ "fortune&of=" (procedure) } { "Who was lucky?" } div {} }
                }
            }
        }
    }
}

/// Renders what was done since the last click, answer by answer: each step has the number of answers after which the board shows it.
pub fn render_walk(table: TableRequest) -> Result<Markup, Error> {
    let (situation, request) = (table.situation, table.request);
    table.with_session(|session| {
        let start = request.last_click().map_or(0, |index| index + 1);
        let (game, log) = (&situation.ruleset().game, entries(session, request));
        let mut boards: Vec<(usize, &Board)> = session
            .answered_positions()
            .filter(|position| position.answers >= start)
            .map(|position| (position.answers, &position.state.board))
            .collect();
        boards.push((session.moves().len(), session.board()));
        let mut old = placed_pieces(boards[0].1, game);
        let mut steps: Vec<(usize, ReportItem)> = Vec::new();
        for pair in boards.windows(2) {
            let ((answers, _), (after, board)) = (pair[0], pair[1]);
            let new = placed_pieces(board, game);
            let entry = log.iter().find(|entry| entry.index == Some(answers));
            let thrown = entry
                .filter(|entry| is_throw(entry))
                .map(|entry| thrown_item(&[entry]));
            let items = thrown.into_iter().chain(moves(&old, &new, board, game));
            let items = items.chain(losses(&old, &new, board, game));
            steps.extend(items.map(|item| (after, item)));
            old = new;
        }
        html! {
            ol.walk {
                @for (answers, item) in &steps {
                    li data-at=(answers) data-places=(item.places.join("|")) { (item.render(game)) }
                }
            }
        }
    })
}

/// Names pieces: the first ones, and how many more there are; with the sum that their counters show together.
fn names(pieces: &[&PlacedPiece], game: &Game) -> String {
    let shown = if pieces.len() > MAX_NAMES + 1 {
        MAX_NAMES - 1
    } else {
        pieces.len()
    };
    let names: Vec<String> = pieces[..shown]
        .iter()
        .map(|piece| piece.name.clone())
        .collect();
    let mut text = join_words(names);
    if shown < pieces.len() {
        text = format!("{text} and {} more", pieces.len() - shown);
    }
    let total: i64 = pieces.iter().filter_map(|piece| piece.summed).sum();
    match &game.unit_value {
        Some(figures) if total > 0 => {
            format!("{text} ({} {total})", figures.first.replace('_', " "))
        }
        _ => text,
    }
}

fn place_name(place: &str, board: &Board, game: &Game) -> String {
    place_note(place, board, game).unwrap_or_else(|| place.into())
}

/// Groups pieces by a key, in the order of the first piece of each.
fn group_by<'p>(
    pieces: impl Iterator<Item = (&'p PlacedPiece, (String, String))>,
) -> Vec<((String, String), Vec<&'p PlacedPiece>)> {
    let mut order: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut groups: Vec<((String, String), Vec<&PlacedPiece>)> = Vec::new();
    for (piece, key) in pieces {
        let index = *order.entry(key.clone()).or_insert(groups.len());
        if index == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[index].1.push(piece);
    }
    groups
}

/// Reports who went from where to where, together where they went together, and who has come onto the map.
fn moves(old: &[PlacedPiece], new: &[PlacedPiece], board: &Board, game: &Game) -> Vec<ReportItem> {
    let places: BTreeMap<&str, &str> = old
        .iter()
        .map(|piece| (piece.name.as_str(), piece.place.as_str()))
        .collect();
    let moved = new
        .iter()
        .filter(|piece| !piece.is_mark())
        .filter_map(|piece| {
            let from = places.get(piece.name.as_str()).copied().unwrap_or_default();
            // A marker of a place bears its name.
            let is_marker = from.is_empty() && piece.name.ends_with(&piece.place);
            (from != piece.place && !is_marker)
                .then(|| (piece, (from.to_string(), piece.place.clone())))
        });
    let item = |((from, to), pieces): ((String, String), Vec<&PlacedPiece>)| {
        let who = names(&pieces, game);
        let to_name = place_name(&to, board, game);
        let text = if from.is_empty() {
            format!("{who}: new in {to_name}")
        } else {
            format!("{who}: {} → {to_name}", place_name(&from, board, game))
        };
        ReportItem {
            side: pieces[0].side.clone(),
            text,
            faces: String::new(),
            places: vec![from, to],
        }
    };
    group_by(moved).into_iter().map(item).collect()
}

/// Reports who has left the map.
fn losses(old: &[PlacedPiece], new: &[PlacedPiece], board: &Board, game: &Game) -> Vec<ReportItem> {
    // What carried others is put away when they leave it.
    let is_put_away = |carrier: &PlacedPiece| {
        let carried = |piece: &&PlacedPiece| !piece.stands_alone && piece.place == carrier.place;
        old.iter().filter(carried).any(|piece| {
            new.iter()
                .any(|other| other.name == piece.name && other.stands_alone)
        })
    };
    let gone = old
        .iter()
        .filter(|piece| {
            !piece.is_mark()
                && !piece.name.ends_with(&piece.place)
                && !is_put_away(piece)
                && !new.iter().any(|other| other.name == piece.name)
        })
        .map(|piece| (piece, (piece.side.clone(), piece.place.clone())));
    let item = |((side, place), pieces): ((String, String), Vec<&PlacedPiece>)| ReportItem {
        side,
        text: format!(
            "gone from {}: {}",
            place_name(&place, board, game),
            names(&pieces, game)
        ),
        faces: String::new(),
        places: vec![place],
    };
    group_by(gone).into_iter().map(item).collect()
}

/// Reports what each unit of each side lost in a procedure.
fn units_lost(ended: &EndedProcedure, game: &Game) -> Vec<ReportItem> {
    let old = placed_pieces(&ended.first.board, game);
    let new = placed_pieces(&ended.after.board, game);
    let lost = |piece: &PlacedPiece| {
        let (had, now) = (piece.summed?, new.iter().find(|one| one.name == piece.name));
        let lost = had - now.and_then(|one| one.summed).unwrap_or(0);
        (lost > 0).then(|| {
            (
                format!("{} {lost} of {had}", piece.name),
                piece.place.clone(),
            )
        })
    };
    let of_side = |side: &String| {
        let units = old.iter().filter(|piece| piece.side == *side);
        let (texts, places): (Vec<_>, _) = units.filter_map(lost).unzip();
        let text = match texts.is_empty() {
            true => "nothing".into(),
            false => join_words(texts),
        };
        ReportItem {
            side: side.clone(),
            text: format!("lost in the {}: {text}", ended.name),
            places,
            ..ReportItem::default()
        }
    };
    game.sides.iter().map(of_side).collect()
}

/// Returns whether an entry of the log is a throw whose faces may be seen.
fn is_throw(entry: &LogEntry) -> bool {
    entry.side.is_empty() && entry.text.contains(": ") && !entry.is_hidden()
}

/// Reports a throw, with the first lines of the entries that it begins.
fn thrown_item(entries: &[&LogEntry]) -> ReportItem {
    let (purpose, faces) = entries[0].text.rsplit_once(": ").unwrap_or_default();
    let lines: Vec<&str> = entries
        .iter()
        .flat_map(|entry| &entry.lines)
        .filter(|line| !line.is_title)
        .map(|line| line.text.as_str())
        .take(MAX_LINES)
        .collect();
    let text = if lines.is_empty() {
        format!("for {purpose}")
    } else {
        lines.join(" ")
    };
    ReportItem {
        text,
        faces: faces.into(),
        ..ReportItem::default()
    }
}

/// Reports what was thrown, each throw with the lines about it.
fn throws(session: &Session, request: &PageRequest, start: usize) -> Vec<ReportItem> {
    let log = entries(session, request);
    let log = &log[log
        .iter()
        .position(|entry| entry.index.is_some_and(|index| index >= start))
        .unwrap_or(log.len())..];
    // What is said up to the next throw is about this one, also after a choice.
    let thrown: Vec<Vec<&LogEntry>> = log
        .chunk_by(|_, next| !is_throw(next))
        .filter(|entries| is_throw(&entries[0]))
        .map(|entries| entries.iter().collect())
        .collect();
    let left_out = thrown.len().saturating_sub(MAX_THROWS);
    let shown = thrown.iter().take(MAX_THROWS);
    let mut items: Vec<ReportItem> = shown.map(|entries| thrown_item(entries)).collect();
    if left_out > 0 {
        items.push(ReportItem {
            text: format!("{} more in the log", counted(left_out, "throw")),
            ..ReportItem::default()
        });
    }
    items
}
