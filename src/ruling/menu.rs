//! Annotations of a menu's options: the description by the rules (`describe_option`), or the thing that the option names.

use crate::code::state::ChoiceRequest;
use crate::data::draw_style::DrawStyle;
use crate::data::manifest::Game;
use crate::ruling::session::Session;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::geography::default_value;
use crate::situation::initial_board::{GONE_COLUMN, KIND_COLUMN, PLACE_COLUMN};
use crate::situation::trace::Event;
use crate::situation::value::{HashedText, Value};
use crate::situation::value_text::{fill_template, value_text};
use std::collections::HashMap;

/// Returns the annotation of each option, in order; empty if there is none.
pub fn option_notes(session: &Session, asked: &ChoiceRequest) -> Vec<String> {
    let (board, game) = (session.board(), &session.situation.ruleset().game);
    let mut said: HashMap<String, String> = HashMap::new();
    // Descriptions before an earlier choice belong to that choice.
    for event in session.events_since_answer().iter().rev().take_while(|event| !matches!(event, Event::Choice(_))) {
        if let Event::Described(described) = event {
            let (option, line, values) = &**described;
            said.entry(value_text(option, board)).or_insert_with(|| fill_template(line, values, board));
        }
    }
    let one = |option: &Value| {
        let text = value_text(option, board);
        let named = subject_note(&text, board, game);
        [named, said.remove(&text)].into_iter().flatten().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("; ")
    };
    asked.options.iter().map(one).collect()
}

/// Describes what an option names: a piece by its kind and place, a place by its name, a kind by its title; otherwise it tries the last
/// word.
fn subject_note(text: &str, board: &Board, game: &Game) -> Option<String> {
    let last = text.rsplit(' ').next().filter(|last| *last != text);
    [text].into_iter().chain(last).find_map(|name| {
        let kind = game.kinds.get(name).map(|kind| kind.title.clone()).filter(|title| name.contains('-') && title != name);
        piece_note(name, board, game).or_else(|| place_note(name, board, game)).or(kind)
    })
}

fn piece_note(name: &str, board: &Board, game: &Game) -> Option<String> {
    let number = board.names().position(|known| known.as_str() == name)?;
    let peek = |column: usize| board.peek(CellKey::new(EntityKind::Piece, column, number));
    let word = |column: usize| peek(column).and_then(Value::as_text).map(HashedText::to_string).filter(|text| !text.is_empty());
    if peek(GONE_COLUMN) == Some(&Value::True) {
        return None;
    }
    let kind = word(KIND_COLUMN).map(|kind| game.kind_title(&kind).to_string());
    let at = word(PLACE_COLUMN).map(|at| match place_note(&at, board, game) {
        Some(name) => format!("in {at}, {name}"),
        None => format!("in {at}"),
    });
    Some([kind, at].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Returns the name of a place on the map, if it differs from its identifier.
fn place_note(name: &str, board: &Board, game: &Game) -> Option<String> {
    let number = board.places().find(|(known, _)| known.as_str() == name)?.1;
    let (column, sort) =
        game.places.attributes.iter().enumerate().find(|(_, (name, _))| game.places.draw_styles.get(name) == Some(&DrawStyle::Name))?;
    let value = board.peek(CellKey::new(EntityKind::Place, column, number))?;
    (*value != default_value(&sort.1) && !value.is_nothing()).then(|| value_text(value, board))
}
