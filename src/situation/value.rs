//! What rules compute with: small values that can be copied, compared and written down.
//!
//! Lists and maps are values: a copy of one is not touched by what happens to the other. Both are shared until one of them is written.

use std::sync::Arc;

mod collections;

pub use crate::situation::text::HashedText;
pub use collections::{List, Map, Size};

/// Longest text, in bytes.
pub const MAX_TEXT_BYTES: usize = 32_768;
/// Most items of one list or map.
pub const MAX_ITEMS: usize = 4_000;
/// Most values that a list or map holds with all that is inside it.
pub const MAX_VALUES: u32 = 50_000;
/// Most bytes of the texts that a list or map holds with all that is inside it.
pub const BYTES: u32 = 4 << 20;
/// How deep lists and maps stand in each other.
pub const MAX_NESTING: u8 = 24;

/// A piece: its number on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceId(pub usize);

/// A closure held in a variable: its code, and where the variables lie that it shares with the function it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    /// Its code, by the number of the unit.
    pub function: u32,
    /// How many arguments it takes.
    pub arity: usize,
    /// The variables it shares.
    pub captures: Vec<u32>,
}

/// A value: a tag and eight bytes, so that it travels in two registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// Nothing: `()`.
    #[default]
    Nothing,
    /// `true`.
    True,
    /// `false`.
    False,
    /// A whole number.
    Number(i64),
    /// A piece on the board.
    Piece(PieceId),
    /// A sheet that procedures hand on and fill in: held by reference.
    Record(usize),
    /// A text.
    Text(HashedText),
    /// A place.
    Place(HashedText),
    /// The side between two places.
    Side(Arc<(HashedText, HashedText)>),
    /// Whole numbers from one up to, not including, another.
    Range(Arc<(i64, i64)>),
    /// A list.
    List(List),
    /// Values by name.
    Map(Map),
    /// A closure.
    Closure(Arc<Closure>),
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        if flag { Value::True } else { Value::False }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text.into())
    }
}

impl From<HashedText> for Value {
    fn from(text: HashedText) -> Value {
        Value::Text(text)
    }
}

impl From<PieceId> for Value {
    fn from(piece: PieceId) -> Value {
        Value::Piece(piece)
    }
}

impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Value {
        Value::List(values.into())
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Value {
        Value::List(values.into_iter().collect())
    }
}

impl Value {
    /// The number, if it is one.
    pub fn as_number(&self) -> Option<i64> {
        if let Value::Number(n) = self { Some(*n) } else { None }
    }

    /// The flag, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::True => Some(true),
            Value::False => Some(false),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&HashedText> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// The piece, if it is one.
    pub fn as_piece(&self) -> Option<PieceId> {
        if let Value::Piece(piece) = self { Some(*piece) } else { None }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&List> {
        if let Value::List(list) = self { Some(list) } else { None }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Map> {
        if let Value::Map(map) = self { Some(map) } else { None }
    }

    /// Whether it holds nothing but itself: there is nothing to let go.
    #[inline(always)]
    pub fn is_trivial(&self) -> bool {
        matches!(self, Value::Nothing | Value::True | Value::False | Value::Number(_) | Value::Piece(_) | Value::Record(_))
    }

    /// Whether it names a piece that passes a test.
    pub fn contains_piece(&self, test: &impl Fn(PieceId) -> bool) -> bool {
        match self {
            Value::Piece(piece) => test(*piece),
            Value::List(list) => list.iter().any(|value| value.contains_piece(test)),
            Value::Map(map) => map.entries().iter().any(|(_, value)| value.contains_piece(test)),
            _ => false,
        }
    }

    /// Whether it is nothing.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Value::Nothing)
    }

    /// What scripts call its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Nothing => "()",
            Value::True | Value::False => "bool",
            Value::Number(_) => "i64",
            Value::Text(_) => "string",
            Value::Piece(_) => "piece",
            Value::Place(_) => "place",
            Value::Side(_) => "side",
            Value::Range(_) => "range",
            Value::List(_) => "array",
            Value::Map(map) => {
                if map.is_cell() {
                    "cell"
                } else {
                    "map"
                }
            }
            Value::Record(_) => "record",
            Value::Closure(_) => "Fn",
        }
    }

    /// What it is called outside of scripts.
    pub fn describe_type(&self) -> &'static str {
        match self {
            Value::Nothing => "nothing",
            Value::True | Value::False => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::Piece(_) => "a piece",
            Value::Place(_) => "a place",
            Value::Side(_) => "a side between places",
            Value::Range(_) => "a range of numbers",
            Value::List(_) => "a list",
            Value::Map(map) => {
                if map.is_cell() {
                    "a cell"
                } else {
                    "a map"
                }
            }
            Value::Record(_) => "a sheet",
            Value::Closure(_) => "a closure",
        }
    }

    /// How much it holds.
    pub fn size(&self) -> Size {
        Size::of_value(self)
    }

    /// Bytes of its own, without what is inside it.
    #[inline]
    pub fn allocated(&self) -> u64 {
        match self {
            Value::Text(text) => 72 + text.len() as u64,
            Value::List(list) => 72 + 16 * list.len() as u64,
            Value::Map(map) => 72 + 24 * map.entries().len() as u64,
            Value::Side(_) | Value::Range(_) => 32,
            Value::Closure(closure) => 64 + 4 * closure.captures.len() as u64,
            _ => 0,
        }
    }

    /// Whether a text, list or map keeps to the limits.
    pub fn is_within_limits(&self) -> bool {
        match self {
            Value::Text(text) => text.len() <= MAX_TEXT_BYTES,
            Value::List(list) => list.is_within_limits(),
            Value::Map(map) => map.is_within_limits(),
            _ => true,
        }
    }
}
