//! Annotations of a question and of its options: the description by the rules (`describe_question`, `describe_option`), or the thing that
//! is named.

use crate::code::state::ChoiceRequest;
use crate::complaint::{Error, nearest_names};
use crate::data::draw_style::DrawStyle;
use crate::data::manifest::Game;
use crate::notation::Hex;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::geography::default_value;
use crate::situation::initial_board::{GONE_COLUMN, KIND_COLUMN, PLACE_COLUMN};
use crate::situation::trace::Event;
use crate::situation::value::{HashedText, PieceId, Value};
use crate::situation::value_text::{fill_template, value_text};
use std::collections::HashMap;

/// The text that accompanies a choice.
pub struct ChoiceNotes {
    /// The piece that it is about.
    pub subject: Option<PieceId>,
    /// The place that it names, if it is about no piece.
    pub place: Option<String>,
    /// The note on the question; empty if there is none.
    pub question: String,
    /// The note on each option, in order; empty if there is none.
    pub options: Vec<String>,
}

/// Returns the text that accompanies a choice, from the events before it.
pub fn choice_notes(
    events: &[Event],
    request: &ChoiceRequest,
    board: &Board,
    game: &Game,
) -> ChoiceNotes {
    let mut question = String::new();
    let mut descriptions: HashMap<String, String> = HashMap::new();
    // Descriptions before an earlier choice belong to that choice.
    for event in events
        .iter()
        .rev()
        .take_while(|event| !matches!(event, Event::Choice(_)))
    {
        let Event::Described(described) = event else {
            continue;
        };
        let (option, line, values) = &**described;
        if !option.is_nothing() {
            descriptions
                .entry(value_text(option, board))
                .or_insert_with(|| fill_template(line, values, board));
        } else if question.is_empty() {
            question = fill_template(line, values, board);
        }
    }
    let subject = subject_of(&request.question, board).or_else(|| subject_of(&question, board));
    let subject_place = subject
        .map(|piece| board.place_of(piece).to_string())
        .unwrap_or_default();
    let subject_hex = Hex::parse(&subject_place).ok();
    let mut note = |option: &Value| {
        let text = value_text(option, board);
        let named = subject_note(&text, board, game)
            .or_else(|| direction_note(&text, subject_hex.as_ref()?, board, game));
        [named, descriptions.remove(&text)]
            .into_iter()
            .flatten()
            .filter(|words| !words.is_empty())
            .collect::<Vec<_>>()
            .join("; ")
    };
    let options = request.options.iter().map(&mut note).collect();
    let place = subject.is_none().then(|| {
        place_in(&request.question, board, game).or_else(|| place_in(&question, board, game))
    });
    // The place of the piece is added unless the question names it.
    if is_place(&subject_place, board, game)
        && !request.question.contains(&subject_place)
        && !question.contains(&subject_place)
    {
        let subject_place_text = place_text(&subject_place, board, game);
        question = if question.is_empty() {
            subject_place_text
        } else {
            format!("{question}; {subject_place_text}")
        };
    }
    ChoiceNotes {
        subject,
        place: place.flatten(),
        question,
        options,
    }
}

/// Returns the piece that a text is about: the longest name that it contains outside of the name of a place.
fn subject_of(text: &str, board: &Board) -> Option<PieceId> {
    let named = board
        .names()
        .enumerate()
        .filter(|(_, name)| !name.is_empty() && text.contains(name.as_str()));
    let named = named.filter(|(_, name)| {
        let mut around = board
            .places()
            .map(|(place, _)| place.as_str())
            .filter(|place| place.len() > name.len() && place.contains(name.as_str()));
        !around
            .any(|place| text.contains(place) && !text.replace(place, "").contains(name.as_str()))
    });
    named
        .max_by_key(|(_, name)| name.len())
        .map(|(number, _)| PieceId(number))
}

/// Returns the place that a text names: on a grid the first word that is one, elsewhere the longest name that it contains.
fn place_in(text: &str, board: &Board, game: &Game) -> Option<String> {
    if game.places.is_hex_grid {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '.' | '/'));
        return words
            .find(|word| !word.is_empty() && is_place(word, board, game))
            .map(String::from);
    }
    let named = board
        .places()
        .map(|(name, _)| name.as_str())
        .filter(|name| name.len() > 3 && text.contains(name));
    named.max_by_key(|name| name.len()).map(String::from)
}

/// Maximum distance in hexes of a named place that a hex leads to.
const MAX_TOWARD: i64 = 8;

/// Names the place that a hex without a name leads to: the nearest one that comes nearer.
fn direction_note(text: &str, from: &Hex, board: &Board, game: &Game) -> Option<String> {
    let to_hex = Hex::parse(text).ok().filter(|_| game.places.is_hex_grid)?;
    let named = board.places().filter_map(|(name, _)| {
        Some((
            Hex::parse(name.as_str()).ok()?,
            place_note(name.as_str(), board, game)?,
        ))
    });
    let nearer = named.filter_map(|(hex, name)| {
        let distance = game.places.distance(&to_hex, &hex);
        (distance <= MAX_TOWARD && distance < game.places.distance(from, &hex))
            .then_some((distance, name))
    });
    nearer.min().map(|(_, name)| format!("toward {name}"))
}

/// Describes what an option names: a piece by its kind and place, a place by its name, a kind by its title; otherwise it tries the last
/// word, but not of the name of a place: Long Lane is not about a piece called Lane.
fn subject_note(text: &str, board: &Board, game: &Game) -> Option<String> {
    let last_word = text
        .rsplit(' ')
        .next()
        .filter(|last_word| *last_word != text && !is_place(text, board, game));
    [text].into_iter().chain(last_word).find_map(|name| {
        let kind = game
            .kinds
            .get(name)
            .map(|kind| kind.title.clone())
            .filter(|title| name.contains('-') && title != name);
        piece_note(name, board, game)
            .or_else(|| place_note(name, board, game))
            .or(kind)
    })
}

fn piece_note(name: &str, board: &Board, game: &Game) -> Option<String> {
    let number = board.names().position(|piece| piece.as_str() == name)?;
    let peek = |column: usize| board.peek(CellKey::new(EntityKind::Piece, column, number));
    let word = |column: usize| {
        peek(column)
            .and_then(Value::as_text)
            .map(HashedText::to_string)
            .filter(|text| !text.is_empty())
    };
    if peek(GONE_COLUMN) == Some(&Value::True) {
        return None;
    }
    let kind = word(KIND_COLUMN).map(|kind| game.kind_title(&kind).to_string());
    let stands_at = word(PLACE_COLUMN).map(|stands_at| place_text(&stands_at, board, game));
    Some(
        [kind, stands_at]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// Returns where something stands, in words.
fn place_text(place: &str, board: &Board, game: &Game) -> String {
    match place_note(place, board, game) {
        Some(name) => format!("in {place}, {name}"),
        None => format!("in {place}"),
    }
}

/// Returns the name of a place on the map, if it differs from its identifier.
pub fn place_note(name: &str, board: &Board, game: &Game) -> Option<String> {
    let number = board.places().find(|(place, _)| place.as_str() == name)?.1;
    name_of_place(number, board, game)
}

/// Returns the place that a text means: by its identifier, or by its name on the map or a part of that.
pub fn place_called(text: &str, board: &Board, game: &Game) -> Result<String, Error> {
    if is_place(text, board, game) {
        return Ok(text.into());
    }
    // A place without a name is called by its identifier.
    let name = |number, place: &HashedText| {
        name_of_place(number, board, game).unwrap_or_else(|| place.to_string())
    };
    let names = board
        .places()
        .map(|(place, number)| (name(number, place), place));
    let names: Vec<_> = names.collect();
    let wanted = text.to_lowercase();
    let is_meant = |name: &str| name == wanted || wanted.len() > 3 && name.contains(&wanted);
    let named = names
        .iter()
        .filter(|(name, _)| is_meant(&name.to_lowercase()));
    // What is no more than the text is meant before a longer name.
    let named = named.min_by_key(|(name, _)| name.len());
    named
        .map(|(_, place)| place.to_string())
        .ok_or_else(|| Error::Unknown {
            kind: "place",
            name: text.into(),
            suggestions: nearest_names(text, names.iter().map(|(name, _)| name.as_str())),
        })
}

fn name_of_place(number: usize, board: &Board, game: &Game) -> Option<String> {
    let (column, attribute) = game
        .places
        .attributes
        .iter()
        .enumerate()
        .find(|(_, (name, _))| game.places.draw_styles.get(name) == Some(&DrawStyle::Name))?;
    let value = board.peek(CellKey::new(EntityKind::Place, column, number))?;
    (*value != default_value(&attribute.1) && !value.is_nothing()).then(|| value_text(value, board))
}

/// Returns what a place is called: an area by its name, a hex by its number and its name.
pub fn place_words(place: &str, board: &Board, game: &Game) -> String {
    match place_note(place, board, game) {
        Some(name) if game.places.is_hex_grid && name != place => format!("{place} {name}"),
        Some(name) => name,
        None => place.into(),
    }
}

/// Returns whether a text names a place of the game.
pub fn is_place(text: &str, board: &Board, game: &Game) -> bool {
    let scheme = &game.places;
    board
        .start
        .geography
        .place_number(&HashedText::from(text))
        .is_some()
        || scheme.is_hex_grid
            && scheme.contains(text)
            && !scheme.boxes.iter().any(|name| name == text)
}
