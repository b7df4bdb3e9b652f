//! Pieces as a map shows them: where they are, and what is printed on their counters.

use crate::data::draw_style::DrawStyle;
use crate::data::manifest::Game;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::geography::default_value;
use crate::situation::initial_board::{
    FIRST_ATTRIBUTE, GONE_COLUMN, KIND_COLUMN, PLACE_COLUMN, SIDE_COLUMN,
};
use crate::situation::value::{PieceId, Value};

/// A piece with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The name of the piece.
    pub name: String,
    /// The kind of the piece.
    pub kind: String,
    /// The side of the piece.
    pub side: String,
    /// The place of the piece, or of its carrier.
    pub place: String,
    /// Offset in a strip, in strip units: from the centre across, and from the side's own border up.
    pub offset: (i64, i64),
    /// Whether the piece has a place of its own instead of a carrier.
    pub stands_alone: bool,
    /// The values that its counter shows; empty if it has none.
    pub value: String,
    /// The first of these values, which a stack adds up.
    pub summed: Option<i64>,
    /// What is set for it and shown by a letter.
    pub badges: Vec<String>,
    /// The shapes on its counter, or the look of its area.
    pub symbol: Vec<&'static str>,
    /// Depth and width of its area, in strip units; a width of 0 is that of the strip.
    pub extent: (i64, i64),
    /// Its direction in a strip, in degrees to the right of straight ahead, if the game draws one.
    pub direction: Option<i64>,
}

impl PlacedPiece {
    /// Returns whether the piece only marks its place: a ring that is no counter.
    pub fn is_mark(&self) -> bool {
        self.symbol == ["ring"]
    }

    /// Returns whether the piece is drawn as an area and not as a counter.
    pub fn is_area(&self) -> bool {
        self.symbol.first() == Some(&"area")
    }
}

/// Returns the pieces that are still on the board.
pub fn placed_pieces(board: &Board, game: &Game) -> Vec<PlacedPiece> {
    let peek =
        |column: usize, piece: usize| board.peek(CellKey::new(EntityKind::Piece, column, piece));
    let word = |column: usize, piece: usize| {
        peek(column, piece)
            .and_then(Value::as_text)
            .map_or("", |text| text.as_str())
    };
    let column_drawn_as = |style: DrawStyle| {
        let named = game
            .attributes
            .iter()
            .position(|(name, _)| game.places.draw_styles.get(name) == Some(&style));
        named.map(|index| FIRST_ATTRIBUTE + index)
    };
    let (x_column, y_column) = (
        column_drawn_as(DrawStyle::OffsetX),
        column_drawn_as(DrawStyle::OffsetY),
    );
    let number = |column: Option<usize>, piece: usize| {
        column
            .and_then(|column| peek(column, piece))
            .and_then(Value::as_number)
            .unwrap_or(0)
    };
    let column = |name: &str| {
        game.index_of_attribute(name)
            .map(|index| FIRST_ATTRIBUTE + index)
    };
    let number_of = |name: &str, piece: usize| {
        column(name)
            .and_then(|column| peek(column, piece))
            .and_then(Value::as_number)
    };
    let value = |piece: usize| {
        let figures = game.unit_value.as_ref()?;
        let first = number_of(&figures.first, piece).filter(|n| *n > 0)?;
        let Some(second) = number_of(&figures.second, piece) else {
            return Some(first.to_string());
        };
        let flag = figures.bracketed.as_ref().and_then(|name| column(name));
        let bracketed = flag.and_then(|column| peek(column, piece)) == Some(&Value::True);
        Some(if bracketed {
            format!("({first})-{second}")
        } else {
            format!("{first}-{second}")
        })
    };
    let (deep, wide, direction) = (
        column_drawn_as(DrawStyle::Depth),
        column_drawn_as(DrawStyle::Width),
        column_drawn_as(DrawStyle::Direction),
    );
    let drawn_columns = |style: DrawStyle| {
        (0..game.attributes.len())
            .filter(move |index| {
                game.places.draw_styles.get(&game.attributes[*index].0) == Some(&style)
            })
            .map(|index| (index, FIRST_ATTRIBUTE + index))
    };
    let columns_of = |style: DrawStyle| -> Vec<usize> {
        drawn_columns(style).map(|(_, column)| column).collect()
    };
    let (numbers, figures) = (columns_of(DrawStyle::Number), columns_of(DrawStyle::Figure));
    let counted = |piece: usize| -> Vec<i64> {
        let positive = numbers
            .iter()
            .map(|column| number(Some(*column), piece))
            .filter(|number| *number > 0);
        positive.collect()
    };
    let rated = |piece: usize| -> Vec<i64> {
        figures
            .iter()
            .filter_map(|column| peek(*column, piece).and_then(Value::as_number))
            .collect()
    };
    let joined = |numbers: Vec<i64>| {
        let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
        texts.join("-")
    };
    let summed = |piece: usize| match &game.unit_value {
        Some(figures) => number_of(&figures.first, piece).filter(|n| *n > 0),
        None => numbers
            .first()
            .and_then(|column| peek(*column, piece))
            .and_then(Value::as_number)
            .filter(|n| *n > 0),
    };
    let badges = |piece: usize| -> Vec<String> {
        drawn_columns(DrawStyle::Badge)
            .filter(|(index, column)| {
                peek(*column, piece)
                    .is_some_and(|value| *value != default_value(&game.attributes[*index].1))
            })
            .map(|(index, _)| game.attributes[index].0.clone())
            .collect()
    };
    let on_board = |piece: &usize| peek(GONE_COLUMN, *piece) != Some(&Value::True);
    let placed_piece = |piece: usize| PlacedPiece {
        name: board.name(PieceId(piece)).to_string(),
        kind: word(KIND_COLUMN, piece).into(),
        side: word(SIDE_COLUMN, piece).into(),
        place: board.place_of(PieceId(piece)).to_string(),
        offset: (number(x_column, piece), number(y_column, piece)),
        stands_alone: !word(PLACE_COLUMN, piece).is_empty(),
        value: value(piece).unwrap_or_else(|| {
            let counted = counted(piece);
            joined(if counted.is_empty() {
                rated(piece)
            } else {
                counted
            })
        }),
        summed: summed(piece),
        badges: badges(piece),
        symbol: game
            .kinds
            .get(word(KIND_COLUMN, piece))
            .map(|kind| kind.symbol.clone())
            .unwrap_or_default(),
        extent: (number(deep, piece).max(1), number(wide, piece)),
        direction: direction.map(|column| number(Some(column), piece)),
    };
    (0..board.piece_count())
        .filter(on_board)
        .map(placed_piece)
        .collect()
}
