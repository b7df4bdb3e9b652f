//! Sets of value types, for the parameters and results of verbs and for type inference.

use crate::situation::value::Value;

/// A set of value types, one bit per type.
pub type TypeSet = u16;

/// The unit value `()`.
pub const NOTHING: TypeSet = 1;
/// True or false.
pub const FLAG: TypeSet = 1 << 1;
/// A whole number.
pub const NUMBER: TypeSet = 1 << 2;
pub const TEXT: TypeSet = 1 << 3;
pub const LIST: TypeSet = 1 << 4;
/// A map, or a cell of a chart.
pub const MAP: TypeSet = 1 << 5;
pub const PIECE: TypeSet = 1 << 6;
/// A place, or the side between two places.
pub const PLACE: TypeSet = 1 << 7;
/// A range of whole numbers.
pub const RANGE: TypeSet = 1 << 8;
pub const CLOSURE: TypeSet = 1 << 9;
/// A sheet that procedures fill in.
pub const RECORD: TypeSet = 1 << 10;
pub const PIECES: TypeSet = PIECE | LIST;
pub const ANY: TypeSet = (1 << 11) - 1;

/// Each type in words.
const TYPE_NAMES: [(TypeSet, &str); 11] = [
    (NUMBER, "a number"),
    (TEXT, "a text"),
    (FLAG, "true or false"),
    (LIST, "a list"),
    (PIECE, "a piece"),
    (MAP, "a map"),
    (PLACE, "a place"),
    (RANGE, "a range of numbers"),
    (CLOSURE, "a closure"),
    (RECORD, "a sheet"),
    (NOTHING, "()"),
];

pub fn type_of_value(value: &Value) -> TypeSet {
    match value {
        Value::Nothing => NOTHING,
        Value::True | Value::False => FLAG,
        Value::Number(_) => NUMBER,
        Value::Piece(_) => PIECE,
        Value::Record(_) => RECORD,
        Value::Text(_) => TEXT,
        Value::Place(_) | Value::Side(_) => PLACE,
        Value::Range(_) => RANGE,
        Value::List(_) => LIST,
        Value::Map(_) => MAP,
        Value::Closure(_) => CLOSURE,
    }
}

/// Describes a set of types in words: "a number, a text or a list".
pub fn describe(types: TypeSet) -> String {
    match types {
        ANY => "anything".into(),
        PIECES => "a piece or a list of pieces".into(),
        _ => {
            let type_words: Vec<&str> = TYPE_NAMES
                .iter()
                .filter(|(named_type, _)| types & named_type != 0)
                .map(|(_, words)| *words)
                .collect();
            match type_words.split_last() {
                Some((last, [])) => last.to_string(),
                Some((last, others)) => format!("{} or {last}", others.join(", ")),
                None => "nothing".into(),
            }
        }
    }
}

/// Returns the types by which an item of a value of one of these types is named; 0 if it has no items.
pub fn key_types(container: TypeSet) -> TypeSet {
    let keys_if =
        |containers: TypeSet, keys: TypeSet| if container & containers == 0 { 0 } else { keys };
    keys_if(LIST | TEXT, NUMBER) | keys_if(MAP | PIECE | PLACE, TEXT)
}

/// Returns the types that `in` can look for in a value of one of these types; 0 if it has no members.
pub fn member_types(container: TypeSet) -> TypeSet {
    let members_if = |containers: TypeSet, members: TypeSet| {
        if container & containers == 0 {
            0
        } else {
            members
        }
    };
    members_if(LIST, ANY) | members_if(MAP | TEXT, TEXT) | members_if(RANGE, NUMBER)
}
