//! Script values: small, cloneable, comparable and serialisable.
//!
//! Lists and maps have value semantics with copy-on-write sharing.

use std::sync::Arc;

mod collections;

pub use crate::situation::text::HashedText;
pub use collections::{List, Map, Size};

/// Maximum length of a text, in bytes.
pub const MAX_TEXT_BYTES: usize = 32_768;
/// Maximum number of items of a list or map: the hexes of two sheets of 99 by 99 go into one.
pub const MAX_ITEMS: usize = 20_000;
/// Maximum number of values in a list or map, including nested ones.
pub const MAX_VALUES: u32 = 50_000;
/// Maximum size of the texts in a list or map, including nested ones, in bytes.
pub const BYTES: u32 = 4 << 20;
/// Maximum nesting depth of lists and maps.
pub const MAX_NESTING: u8 = 24;

/// A piece, by its number on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceId(pub usize);

/// A closure: its code, and the variables it shares with its enclosing function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    /// Number of the compiled function.
    pub function: u32,
    /// Number of arguments.
    pub arity: usize,
    /// Numbers of the captured variables.
    pub captures: Vec<u32>,
}

/// A script value: a tag and eight bytes, so that it fits in two registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// The unit value `()`.
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
    /// A sheet that procedures pass on and fill in, by reference.
    Record(usize),
    Text(HashedText),
    Place(HashedText),
    /// The side between two places.
    Side(Arc<(HashedText, HashedText)>),
    /// A half-open range of whole numbers.
    Range(Arc<(i64, i64)>),
    List(List),
    /// A map from names to values.
    Map(Map),
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
    pub fn as_number(&self) -> Option<i64> {
        if let Value::Number(n) = self {
            Some(*n)
        } else {
            None
        }
    }

    /// Returns the flag, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::True => Some(true),
            Value::False => Some(false),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&HashedText> {
        if let Value::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    pub fn as_piece(&self) -> Option<PieceId> {
        if let Value::Piece(piece) = self {
            Some(*piece)
        } else {
            None
        }
    }

    pub fn as_list(&self) -> Option<&List> {
        if let Value::List(list) = self {
            Some(list)
        } else {
            None
        }
    }

    pub fn as_map(&self) -> Option<&Map> {
        if let Value::Map(map) = self {
            Some(map)
        } else {
            None
        }
    }

    /// Returns whether the value owns no allocation, so that dropping it is a no-op.
    #[inline(always)]
    pub fn is_trivial(&self) -> bool {
        matches!(
            self,
            Value::Nothing
                | Value::True
                | Value::False
                | Value::Number(_)
                | Value::Piece(_)
                | Value::Record(_)
        )
    }

    /// Returns whether the value contains a piece that passes a test.
    pub fn contains_piece(&self, test: &impl Fn(PieceId) -> bool) -> bool {
        match self {
            Value::Piece(piece) => test(*piece),
            Value::List(list) => list.iter().any(|value| value.contains_piece(test)),
            Value::Map(map) => map
                .entries()
                .iter()
                .any(|(_, value)| value.contains_piece(test)),
            _ => false,
        }
    }

    /// Returns whether the value is `()`.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Value::Nothing)
    }

    /// Returns the type name in scripts.
    pub fn type_name(&self) -> &'static str {
        self.type_names().0
    }

    /// Returns the type name in messages.
    pub fn describe_type(&self) -> &'static str {
        self.type_names().1
    }

    fn type_names(&self) -> (&'static str, &'static str) {
        match self {
            Value::Nothing => ("()", "nothing"),
            Value::True | Value::False => ("bool", "true or false"),
            Value::Number(_) => ("i64", "a number"),
            Value::Text(_) => ("string", "a text"),
            Value::Piece(_) => ("piece", "a piece"),
            Value::Place(_) => ("place", "a place"),
            Value::Side(_) => ("side", "a side between places"),
            Value::Range(_) => ("range", "a range of numbers"),
            Value::List(_) => ("array", "a list"),
            Value::Map(map) if map.is_cell() => ("cell", "a cell"),
            Value::Map(_) => ("map", "a map"),
            Value::Record(_) => ("record", "a sheet"),
            Value::Closure(_) => ("Fn", "a closure"),
        }
    }

    /// Returns the size of the contents.
    pub fn size(&self) -> Size {
        Size::of_value(self)
    }

    /// Returns the bytes of the value's own allocation, without nested values.
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

    /// Returns whether a text, list or map is within the limits.
    pub fn is_within_limits(&self) -> bool {
        match self {
            Value::Text(text) => text.len() <= MAX_TEXT_BYTES,
            Value::List(list) => list.is_within_limits(),
            Value::Map(map) => map.is_within_limits(),
            _ => true,
        }
    }
}
