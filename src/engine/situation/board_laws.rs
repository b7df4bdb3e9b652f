//! The laws of a board, whatever the rules of its game: every piece stands at a place that exists or on a carrier that is on the board, and
//! no figure is below its least. Tests of data and games at random check them. A third law, that nothing moves pieces which are out of play, is
//! kept by the verbs that move pieces.

use crate::complaint::{Defect, DiagnosticCode};
use crate::data::manifest::Game;
use crate::data::places::AttributeType;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::initial_board::{CARRIER_COLUMN, FIRST_ATTRIBUTE, GONE_COLUMN, PLACE_COLUMN};
use crate::situation::value::{HashedText, PieceId, Value};

/// The longest chain of carriers, as of a unit on a headquarters on a ship.
const MAX_CARRIERS: usize = 8;

/// Returns the first law that a board breaks now and did not break when it was set up.
pub fn find_broken_law(board: &Board, game: &Game) -> Option<Defect> {
    let minimums = written_minimums(board, game);
    let mut existing = (0..board.piece_count())
        .map(PieceId)
        .filter(|piece| !is_gone(board, *piece));
    existing.find_map(|piece| {
        broken_position(board, piece, game).or_else(|| broken_minimum(board, piece, &minimums))
    })
}

/// The least value of a number of pieces.
struct Minimum<'g> {
    column: usize,
    figure: &'g str,
    value: i64,
}

/// Returns the least values of the numbers that were ever written.
fn written_minimums<'g>(board: &Board, game: &'g Game) -> Vec<Minimum<'g>> {
    let minimum = |(index, (name, attribute)): (usize, &'g (String, AttributeType))| match attribute
    {
        AttributeType::Number(_, _, bounds) => Some(Minimum {
            column: FIRST_ATTRIBUTE + index,
            figure: name,
            value: bounds.low,
        }),
        _ => None,
    };
    let is_written = |column: usize| {
        board
            .written_columns
            .contains(CellKey::new(EntityKind::Piece, column, 0).column_index())
    };
    game.attributes
        .iter()
        .enumerate()
        .filter_map(minimum)
        .filter(|minimum| is_written(minimum.column))
        .collect()
}

/// Returns whether a name is a place. Without a map and boxes nothing says which names are.
fn is_place(board: &Board, game: &Game, name: &HashedText) -> bool {
    if game.places.is_hex_grid {
        return game.places.contains(name);
    }
    let geography = &board.start.geography;
    geography.place_number(name).is_some()
        || !geography.neighbours(name).is_empty()
        || game
            .places
            .boxes
            .iter()
            .any(|place| place.as_str() == name.as_str())
        || board.places().any(|(place, _)| place == name)
        || board.sides().any(|side| side.places.contains(&name))
        || game.places.boxes.is_empty()
            && board.places().next().is_none()
            && board.sides().next().is_none()
}

fn cell(board: &Board, piece: PieceId, column: usize) -> Option<&Value> {
    board.peek(CellKey::new(EntityKind::Piece, column, piece.0))
}

/// Returns a text cell of a piece; `None` if it is empty.
fn text(board: &Board, piece: PieceId, column: usize) -> Option<&HashedText> {
    cell(board, piece, column)
        .and_then(Value::as_text)
        .filter(|text| !text.is_empty())
}

fn is_gone(board: &Board, piece: PieceId) -> bool {
    cell(board, piece, GONE_COLUMN) == Some(&Value::True)
}

/// Returns whether a cell is not what it was when the board was set up.
fn has_changed(board: &Board, piece: PieceId, column: usize) -> bool {
    let figure = CellKey::new(EntityKind::Piece, column, piece.0);
    piece.0 >= board.start.names.len() || board.peek(figure) != board.start.get(figure)
}

/// Returns what is wrong with where a piece is.
fn broken_position(board: &Board, piece: PieceId, game: &Game) -> Option<Defect> {
    let name = board.name(piece);
    let broken =
        |message: String, help: String| Some(Defect::new(DiagnosticCode::OffMap, message, help));
    if let Some(carrier) = text(board, piece, CARRIER_COLUMN) {
        let lost = lost_carrier(board, piece)?;
        let through = if lost == *carrier {
            String::new()
        } else {
            format!(", which is on {lost}")
        };
        let help = "let the rule that takes a carrier off the board say what becomes of those who are on it";
        return broken(
            format!("{name} on {carrier}{through}, which is not on the board"),
            help.into(),
        );
    }
    let moved =
        has_changed(board, piece, PLACE_COLUMN) || has_changed(board, piece, CARRIER_COLUMN);
    match text(board, piece, PLACE_COLUMN) {
        Some(at) if moved && !is_place(board, game, at) => {
            let places = if game.places.is_hex_grid {
                game.places.describe_hex()
            } else {
                "a place of the map, or a box of the manifest".into()
            };
            let help = format!(
                "let the rule look whether a place exists before a piece goes there: {places}"
            );
            broken(
                format!("{name} at `{at}`, and there is no such place"),
                help,
            )
        }
        None if moved && piece.0 < board.start.names.len() => broken(
            format!("{name} nowhere"),
            "move a piece to a place, or take it off the board with `remove`".into(),
        ),
        _ => None,
    }
}

/// Returns the carrier, of those under a piece, that is not on the board; `None` if all are.
fn lost_carrier(board: &Board, piece: PieceId) -> Option<HashedText> {
    let mut current = piece;
    for _ in 0..MAX_CARRIERS {
        let carrier = text(board, current, CARRIER_COLUMN)?;
        match board
            .peek_by_name(carrier)
            .filter(|found| !is_gone(board, *found))
        {
            Some(found) => current = found,
            None => return Some(carrier.clone()),
        }
    }
    // A circle of carriers is nowhere.
    text(board, current, CARRIER_COLUMN).cloned()
}

/// Returns which figure of a piece has fallen below its least.
fn broken_minimum(board: &Board, piece: PieceId, minimums: &[Minimum]) -> Option<Defect> {
    minimums.iter().find_map(|least| {
        let Minimum {
            column,
            figure,
            value: minimum,
        } = *least;
        let value = cell(board, piece, column)?.as_number()?;
        (value < minimum && has_changed(board, piece, column)).then(|| {
            let message = format!("{} with {figure} {value}, and the least is {minimum}", board.name(piece));
            let help = format!(
                "let the rule stop at {minimum}: max({minimum}, ...); or write the least under `from:` of `{figure}` in the manifest"
            );
            Defect::new(DiagnosticCode::BelowLeast, message, help)
        })
    })
}
