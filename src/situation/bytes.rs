//! Values written down, so that those that are equal, and no others, are written alike; and copied into memory of their own.

use crate::situation::text::Text;
use crate::situation::value::{Map, Value};
use std::sync::Arc;

impl Value {
    /// The same value in memory of its own; see [`Text::apart`].
    pub fn apart(&self) -> Value {
        match self {
            Value::Text(text) => Value::Text(text.apart()),
            Value::Place(text) => Value::Place(text.apart()),
            Value::Side(pair) => Value::Side(Arc::new((pair.0.apart(), pair.1.apart()))),
            Value::List(list) => list.iter().map(Value::apart).collect(),
            Value::Map(map) => {
                let entries = map.entries().iter().map(|(name, value)| (name.apart(), value.apart()));
                Value::Map(if map.is_cell() { Map::cell(entries) } else { entries.collect() })
            }
            other => other.clone(),
        }
    }

    /// A fingerprint: equal values have the same, and others another one, but for a chance that no count comes near.
    pub fn fingerprint(&self) -> u64 {
        let text = |tag: u64, text: &Text| mixed(tag, text.fingerprint());
        match self {
            Value::Nothing => 1,
            Value::True => 2,
            Value::False => 3,
            Value::Number(n) => mixed(4, *n as u64),
            Value::Piece(piece) => mixed(5, piece.0 as u64),
            Value::Record(number) => mixed(6, *number as u64),
            Value::Text(letters) => text(7, letters),
            Value::Place(name) => text(8, name),
            Value::Side(pair) => mixed(text(9, &pair.0), pair.1.fingerprint()),
            Value::Range(ends) => mixed(mixed(10, ends.0 as u64), ends.1 as u64),
            Value::List(list) => list.iter().fold(11, |sum, value| mixed(sum, value.fingerprint())),
            Value::Map(map) => {
                map.entries().iter().fold(12, |sum, (name, value)| mixed(mixed(sum, name.fingerprint()), value.fingerprint()))
            }
            Value::Closure(closure) => closure.shared.iter().fold(mixed(13, closure.unit.into()), |sum, cell| mixed(sum, (*cell).into())),
        }
    }

    /// Writes the value down so that two that are equal, and no others, are written alike.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Value::Nothing => out.push(0),
            Value::True => out.push(1),
            Value::False => out.push(3),
            Value::Number(n) => {
                out.push(2);
                out.extend(n.to_le_bytes());
            }
            Value::Text(text) => write_text(4, text, out),
            Value::Piece(piece) => {
                out.push(5);
                out.extend(piece.0.to_le_bytes());
            }
            Value::Place(text) => write_text(6, text, out),
            Value::Side(pair) => {
                write_text(7, &pair.0, out);
                write_text(7, &pair.1, out);
            }
            Value::Range(ends) => {
                out.push(8);
                out.extend(ends.0.to_le_bytes());
                out.extend(ends.1.to_le_bytes());
            }
            Value::List(list) => {
                out.push(9);
                out.extend((list.len() as u32).to_le_bytes());
                list.iter().for_each(|value| value.write(out));
            }
            Value::Map(map) => {
                out.push(10 + u8::from(map.is_cell()));
                out.extend((map.entries().len() as u32).to_le_bytes());
                for (name, value) in map.entries() {
                    write_text(4, name, out);
                    value.write(out);
                }
            }
            Value::Record(number) => {
                out.push(12);
                out.extend(number.to_le_bytes());
            }
            Value::Closure(closure) => {
                out.push(13);
                out.extend(closure.unit.to_le_bytes());
                out.extend((closure.shared.len() as u32).to_le_bytes());
                closure.shared.iter().for_each(|cell| out.extend(cell.to_le_bytes()));
            }
        }
    }
}

fn write_text(tag: u8, text: &Text, out: &mut Vec<u8>) {
    out.push(tag);
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Mixes a number into another, so that every bit of both matters.
pub fn mixed(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (product as u64) ^ ((product >> 64) as u64) ^ a.rotate_left(23)
}
