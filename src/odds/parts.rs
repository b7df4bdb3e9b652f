//! Work done in parts, which any machine may do and any order joins. A part that is sent twice counts once.

use crate::complaint::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was done: only parts of the same can be joined.
pub trait Of: PartialEq {
    /// How many parts there are.
    fn parts(&self) -> u64;
    /// How many things are done in all parts together.
    fn count(&self) -> u64;
    /// What it is, in a line.
    fn told(&self) -> String;
}

/// What a part comes to.
pub trait Sum: Clone + Default + PartialEq {
    /// Takes another part in.
    fn join(&mut self, other: &Self);
    /// Whether so many things can come to this.
    fn sound(&self, count: u64) -> bool;
}

/// Work with all its parts, as far as they are there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts<O, S> {
    /// What was done.
    pub of: O,
    /// The parts, from 1.
    pub parts: BTreeMap<u64, S>,
}

/// Of so many things the ones that belong to part K of N: every Nth, counted from 0.
pub fn own((part, parts): (u64, u64), count: u64) -> impl Iterator<Item = u64> {
    (part - 1..count).step_by(parts as usize)
}

impl<O: Of, S: Sum> Parts<O, S> {
    /// Whether every part is one of those there are, and comes to what so many things can come to.
    pub fn sound(&self) -> bool {
        let parts = self.of.parts();
        let sound = |(number, sum): (&u64, &S)| {
            (1..=parts).contains(number) && sum.sound(self.of.count().saturating_sub(number - 1).div_ceil(parts))
        };
        parts > 0 && self.parts.iter().all(sound)
    }

    /// Takes the parts of another file; complains where it is of something else.
    pub fn join(&mut self, other: Parts<O, S>, path: &str) -> Result<(), Error> {
        if self.of != other.of {
            return Err(Error::Usage(format!("{path} is a part of {}", other.of.told())));
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
    pub fn sums(&self) -> S {
        let mut all = S::default();
        self.parts.values().for_each(|part| all.join(part));
        all
    }

    /// What is not there yet, in a line; nothing where all is.
    pub fn lacking(&self) -> Option<String> {
        let lacking: Vec<String> =
            (1..=self.of.parts()).filter(|part| !self.parts.contains_key(part)).map(|part| part.to_string()).collect();
        let (some, all) = (lacking.len(), self.of.parts());
        (some > 0).then(|| format!("not there yet: {some} of {all} parts, {}", lacking.join(", ")))
    }
}
