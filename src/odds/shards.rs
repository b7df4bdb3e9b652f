//! Work done in parts, which any machine may do and any order joins. A part that is sent twice counts once.

use crate::complaint::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was done: only parts of the same can be joined.
pub trait WorkSpec: PartialEq {
    /// How many parts there are.
    fn shard_count(&self) -> u64;
    /// How many things are done in all parts together.
    fn item_count(&self) -> u64;
    /// What it is, in a line.
    fn describe(&self) -> String;
}

/// What a part comes to.
pub trait ShardSum: Clone + Default + PartialEq {
    /// Takes another part in.
    fn merge(&mut self, other: &Self);
    /// Whether so many things can come to this.
    fn is_consistent(&self, count: u64) -> bool;
}

/// Work with all its parts, as far as they are there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shards<O, S> {
    /// What was done.
    pub of: O,
    /// The parts, from 1.
    pub parts: BTreeMap<u64, S>,
}

/// Of so many things the ones that belong to part K of N: every Nth, counted from 0.
pub fn shard_items((part, parts): (u64, u64), count: u64) -> impl Iterator<Item = u64> {
    (part - 1..count).step_by(parts as usize)
}

impl<O: WorkSpec, S: ShardSum> Shards<O, S> {
    /// Whether every part is one of those there are, and comes to what so many things can come to.
    pub fn is_consistent(&self) -> bool {
        let parts = self.of.shard_count();
        let sound = |(number, sum): (&u64, &S)| {
            (1..=parts).contains(number) && sum.is_consistent(self.of.item_count().saturating_sub(number - 1).div_ceil(parts))
        };
        parts > 0 && self.parts.iter().all(sound)
    }

    /// Takes the parts of another file; complains where it is of something else.
    pub fn merge(&mut self, other: Shards<O, S>, path: &str) -> Result<(), Error> {
        if self.of != other.of {
            return Err(Error::Usage(format!("{path} is a part of {}", other.of.describe())));
        }
        for (number, sum) in other.parts {
            if self.parts.get(&number).is_some_and(|known| *known != sum) {
                let what = format!("{path}: part {number} is not what it is in another file, and both can't be right; do it again");
                return Err(Error::Usage(what));
            }
            self.parts.insert(number, sum);
        }
        Ok(())
    }

    /// All parts together.
    pub fn total(&self) -> S {
        let mut all = S::default();
        self.parts.values().for_each(|part| all.merge(part));
        all
    }

    /// What is not there yet, in a line; nothing where all is.
    pub fn missing_shards(&self) -> Option<String> {
        let lacking: Vec<String> =
            (1..=self.of.shard_count()).filter(|part| !self.parts.contains_key(part)).map(|part| part.to_string()).collect();
        let (some, all) = (lacking.len(), self.of.shard_count());
        (some > 0).then(|| format!("not there yet: {some} of {all} parts, {}", lacking.join(", ")))
    }
}
