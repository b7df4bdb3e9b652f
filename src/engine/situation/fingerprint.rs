//! Fingerprints and deep copies of values.

use crate::situation::text::HashedText;
use crate::situation::value::{Map, Value};
use std::sync::Arc;

impl Value {
    /// Returns a deep copy; see [`HashedText::deep_clone`].
    pub fn deep_clone(&self) -> Value {
        match self {
            Value::Text(text) => Value::Text(text.deep_clone()),
            Value::Place(text) => Value::Place(text.deep_clone()),
            Value::Side(pair) => Value::Side(Arc::new((pair.0.deep_clone(), pair.1.deep_clone()))),
            Value::List(list) => list.iter().map(Value::deep_clone).collect(),
            Value::Map(map) => {
                let entries = map
                    .entries()
                    .iter()
                    .map(|(name, value)| (name.deep_clone(), value.deep_clone()));
                Value::Map(if map.is_cell() {
                    Map::from_cell(entries)
                } else {
                    entries.collect()
                })
            }
            other => other.clone(),
        }
    }

    /// Returns a fingerprint: equal values have equal fingerprints, and the probability that different ones collide is negligible.
    pub fn fingerprint(&self) -> u64 {
        let text = |tag: u64, text: &HashedText| mix(tag, text.fingerprint());
        match self {
            Value::Nothing => 1,
            Value::True => 2,
            Value::False => 3,
            Value::Number(n) => mix(4, *n as u64),
            Value::Piece(piece) => mix(5, piece.0 as u64),
            Value::Record(number) => mix(6, *number as u64),
            Value::Text(letters) => text(7, letters),
            Value::Place(name) => text(8, name),
            Value::Side(pair) => mix(text(9, &pair.0), pair.1.fingerprint()),
            Value::Range(ends) => mix(mix(10, ends.0 as u64), ends.1 as u64),
            Value::List(list) => list
                .iter()
                .fold(11, |sum, value| mix(sum, value.fingerprint())),
            Value::Map(map) => {
                let seed = if map.is_cell() { 14 } else { 12 };
                map.entries().iter().fold(seed, |sum, (name, value)| {
                    mix(mix(sum, name.fingerprint()), value.fingerprint())
                })
            }
            Value::Closure(closure) => closure
                .captures
                .iter()
                .fold(mix(13, closure.function.into()), |sum, cell| {
                    mix(sum, (*cell).into())
                }),
        }
    }
}

/// Mixes two numbers so that every bit of both affects the result.
pub fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (product as u64) ^ ((product >> 64) as u64) ^ a.rotate_left(23)
}

/// A 128-bit digest of a sequence of numbers.
#[derive(Default)]
pub struct Digest(u64, u64);

impl Digest {
    pub fn add(&mut self, number: u64) {
        let spread = number.wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(31);
        (self.0, self.1) = (
            mix(self.0, number),
            mix(self.1.rotate_left(17) ^ spread, spread),
        );
    }

    /// Returns the digest.
    pub fn finish(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}
