//! What stands beside the options of a choice in a menu: what the rules say of them (`describe_option`), and who or what they name.

use crate::code::state::Choosing;
use crate::data::drawn::Drawn;
use crate::data::manifest::Game;
use crate::ruling::session::Session;
use crate::situation::board::Board;
use crate::situation::figures::{Figure, Of};
use crate::situation::geography::default;
use crate::situation::start::{AT, GONE, KIND};
use crate::situation::trace::Event;
use crate::situation::value::{Text, Value};
use crate::situation::words::{filled, text_of};
use std::collections::HashMap;

/// The words beside each option, in their order; empty where there is nothing to say.
pub fn beside(session: &Session, asked: &Choosing) -> Vec<String> {
    let (board, game) = (session.board(), &session.situation.ruleset().game);
    let mut said: HashMap<String, String> = HashMap::new();
    // A choice that was made has used up what was said of its options.
    for event in session.lately().iter().rev().take_while(|event| !matches!(event, Event::Choice(_))) {
        if let Event::Described(described) = event {
            let (option, line, values) = &**described;
            said.entry(text_of(option, board)).or_insert_with(|| filled(line, values, board));
        }
    }
    let one = |option: &Value| {
        let text = text_of(option, board);
        let named = names(&text, board, game);
        [named, said.remove(&text)].into_iter().flatten().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("; ")
    };
    asked.options.iter().map(one).collect()
}

/// Whom or what an option names: a piece by its kind and place, a place by its name, a kind by its title; else the last word of it.
fn names(text: &str, board: &Board, game: &Game) -> Option<String> {
    let last = text.rsplit(' ').next().filter(|last| *last != text);
    [text].into_iter().chain(last).find_map(|name| {
        let kind = game.kinds.get(name).map(|kind| kind.title.clone()).filter(|title| name.contains('-') && title != name);
        piece(name, board, game).or_else(|| place(name, board, game)).or(kind)
    })
}

fn piece(name: &str, board: &Board, game: &Game) -> Option<String> {
    let number = board.names().position(|known| known.as_str() == name)?;
    let peek = |column: usize| board.peek(Figure::new(Of::Piece, column, number));
    let word = |column: usize| peek(column).and_then(Value::text).map(Text::to_string).filter(|text| !text.is_empty());
    if peek(GONE) == Some(&Value::True) {
        return None;
    }
    let kind = word(KIND).map(|kind| game.kind_title(&kind).to_string());
    let at = word(AT).map(|at| match place(&at, board, game) {
        Some(name) => format!("in {at}, {name}"),
        None => format!("in {at}"),
    });
    Some([kind, at].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// The name that a place goes by on the map, where that is another than what it is called.
fn place(name: &str, board: &Board, game: &Game) -> Option<String> {
    let number = board.places().find(|(known, _)| known.as_str() == name)?.1;
    let (column, sort) =
        game.places.attributes.iter().enumerate().find(|(_, (name, _))| game.places.drawn.get(name) == Some(&Drawn::Name))?;
    let value = board.peek(Figure::new(Of::Place, column, number))?;
    (*value != default(&sort.1) && !value.is_nothing()).then(|| text_of(value, board))
}
