//! Work split into parts that any machine can do and that merge in any order; a duplicate part counts once.

use casebook_engine::complaint::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A specification of work: only parts of equal specifications can be merged.
pub trait WorkSpec: PartialEq {
    /// Returns the number of parts.
    fn shard_count(&self) -> u64;
    /// Returns the number of items in all parts together.
    fn item_count(&self) -> u64;
    /// Describes the work in one line.
    fn describe(&self) -> String;
}

/// The result of a part.
pub trait ShardSum: Clone + Default + PartialEq {
    /// Adds the result of another part.
    fn merge(&mut self, other: &Self);
    /// Whether `count` items can have this result.
    fn is_consistent(&self, count: u64) -> bool;
}

/// A piece of work with the parts present so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Shards<O, S> {
    /// The specification.
    pub of: O,
    /// The results by part number, from 1.
    pub parts: BTreeMap<u64, S>,
}

/// A part of some work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 1.
    pub part: u64,
    /// The number of parts.
    pub parts: u64,
}

impl Shard {
    /// All of the work.
    pub const WHOLE: Shard = Shard { part: 1, parts: 1 };

    /// Returns the items of the part: every Nth item, counted from 0.
    pub fn items(self, count: u64) -> impl Iterator<Item = u64> {
        (self.part - 1..count).step_by(self.parts as usize)
    }
}

impl<O: WorkSpec, S: ShardSum> Shards<O, S> {
    /// Whether every part number is valid and every result fits its number of items.
    pub fn is_consistent(&self) -> bool {
        let parts = self.of.shard_count();
        let sound = |(number, sum): (&u64, &S)| {
            (1..=parts).contains(number)
                && sum.is_consistent(
                    self.of
                        .item_count()
                        .saturating_sub(number - 1)
                        .div_ceil(parts),
                )
        };
        parts > 0 && self.parts.iter().all(sound)
    }

    /// Merges the parts of another file; reports an error if its specification differs or a part conflicts.
    pub fn merge(&mut self, other: Shards<O, S>, path: &str) -> Result<(), Error> {
        if self.of != other.of {
            return Err(Error::Usage(format!(
                "{path} is a part of {}",
                other.of.describe()
            )));
        }
        for (number, sum) in other.parts {
            if self.parts.get(&number).is_some_and(|own| *own != sum) {
                let message = format!(
                    "{path}: part {number} is not what it is in another file, and both can't be right; do it again"
                );
                return Err(Error::Usage(message));
            }
            self.parts.insert(number, sum);
        }
        Ok(())
    }

    /// Returns the sum of all parts.
    pub fn total(&self) -> S {
        let mut total = S::default();
        self.parts.values().for_each(|part| total.merge(part));
        total
    }

    /// Describes the missing parts in one line; `None` if all are present.
    pub fn missing_shards(&self) -> Option<String> {
        let missing: Vec<u64> = (1..=self.of.shard_count())
            .filter(|part| !self.parts.contains_key(part))
            .collect();
        let (missing_count, shard_count) = (missing.len(), self.of.shard_count());
        let runs: Vec<String> = missing
            .chunk_by(|a, b| a + 1 == *b)
            .map(|run| {
                if run.len() > 2 {
                    format!("{} to {}", run[0], run[run.len() - 1])
                } else {
                    join(run)
                }
            })
            .collect();
        let listed = runs
            .iter()
            .take(MAX_LISTED)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        let ellipsis = if runs.len() > MAX_LISTED {
            " and others"
        } else {
            ""
        };
        (missing_count > 0).then(|| {
            format!("not there yet: {missing_count} of {shard_count} parts, {listed}{ellipsis}")
        })
    }
}

/// Maximum number of runs of missing parts that are listed.
const MAX_LISTED: usize = 20;

fn join(parts: &[u64]) -> String {
    parts
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
