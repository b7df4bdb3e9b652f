//! Functions whose answers are remembered.
//!
//! Such a function is followed as if nothing had led to it, and its arguments came from themselves: so it is known what its answer comes
//! from wherever it is asked again. Where it turns out to do more than to answer, all is put as if it had been followed like any other.

use super::{Followed, Pending, Way};
use crate::code::sources::{NOBODY, Set, Sources, at, at_mut};
use crate::situation::bytes::mixed;
use crate::situation::columns::{Columns, bits};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A function under way whose answer will be remembered.
#[derive(Clone, Debug)]
pub struct Asked {
    /// How many functions were under way when it began.
    frames: usize,
    /// Its first register, among those of all functions.
    base: usize,
    /// What led to it, and what its arguments came from.
    into: Set,
    args: Box<[Set]>,
    /// What was required before.
    required: Set,
    /// How many sources were met before.
    met: usize,
}

/// What a remembered answer came from, whatever ruling it is asked in. Its sets are those of an [`Archive`].
pub struct Origin {
    number: u64,
    /// The sources that were met, each alone, in this order.
    met: Box<[Set]>,
    answer: Told,
    /// What was required on the way, and held.
    required: Told,
    /// What the figures of the columns that were looked at came from, as a fingerprint for each; none where they came from nowhere.
    stamps: Box<[(u16, u64)]>,
}

/// A set without arguments, and the arguments, as bits, that stand for what they come from.
type Told = (Set, u64);

/// Sets of sources that outlast a ruling.
pub struct Archive {
    number: u64,
    sources: Sources,
}

impl Default for Archive {
    fn default() -> Archive {
        Archive { number: next(), sources: Sources::default() }
    }
}

/// A number that nothing else has.
fn next() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

impl Archive {
    /// How many sets it has.
    pub fn count(&self) -> usize {
        self.sources.count()
    }
}

/// Sets of a ruling and those of an archive that have the same sources.
#[derive(Debug, Default)]
pub struct Copies {
    archive: u64,
    /// By set of the ruling, which has few; nobody stands for what is not known.
    there: Vec<Set>,
    /// By set of the archive, of which few are wanted.
    here: FxHashMap<Set, Set>,
    /// By source of the ruling, its bit in sets of the archive; and the other way round.
    bits_there: Vec<u32>,
    bits_here: Vec<u32>,
    /// By the number of an origin, in sets of the ruling: its answer, what it required, what was met.
    origins: FxHashMap<u64, (Set, Set, Arc<[Set]>)>,
}

impl Clone for Copies {
    /// None: they are made again where they are wanted, and most states that are kept are never taken up again.
    fn clone(&self) -> Copies {
        Copies::default()
    }
}

impl Copies {
    /// Makes ready for an archive; what is known of another means nothing.
    fn of(&mut self, archive: &Archive) {
        if self.archive != archive.number {
            *self = Copies { archive: archive.number, ..Copies::default() };
        }
    }
}

impl Followed {
    /// A function begins whose answer will be remembered: where its arguments stand, how many they are, and what led to it. A set tells
    /// [`crate::code::sources::ARGS`] arguments apart at most.
    pub fn ask(&mut self, (base, count): (usize, usize), into: Set) {
        let own = (base..base + count).map(|register| self.get(register)).collect();
        for number in 0..count {
            let arg = self.sources.arg(number);
            self.put(base + number, arg);
        }
        let (frames, required) = (self.ways.len(), std::mem::take(&mut self.required));
        self.asked.push(Asked { frames, base, into, args: own, required, met: self.met.len() });
    }

    /// A function answers, which began when so many others were under way: what its answer came from.
    pub fn answers(&mut self, frames: usize, set: Set) -> Set {
        let Some(asked) = self.asked.pop_if(|asked| asked.frames == frames) else { return set };
        self.answer = Some((set, self.required, asked.met));
        self.demand(&asked);
        self.resolve(set, &asked.args, asked.into)
    }

    /// What was required before counts again, beside what was since.
    fn demand(&mut self, asked: &Asked) {
        let since = self.resolve(self.required, &asked.args, asked.into);
        self.required = self.sources.join(asked.required, since);
    }

    /// A set with what its arguments and the way to it came from; of what came from nowhere, nothing.
    fn resolve(&mut self, set: Set, args: &[Set], into: Set) -> Set {
        if set == NOBODY {
            return NOBODY;
        }
        let plain = self.sources.without_args(set);
        let all = self.sources.join(plain, into);
        bits(&[self.sources.args(set)]).fold(all, |all, number| self.sources.join(all, args[number]))
    }

    /// Whether a function is under way whose answer will be remembered.
    #[inline]
    pub fn is_asked(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Functions under way do more than to answer, or will not answer: everything came from what it came from, and they are not remembered.
    pub fn dissolve(&mut self) {
        while let Some(asked) = self.asked.pop() {
            let resolve = |followed: &mut Followed, set: Set| followed.resolve(set, &asked.args, asked.into);
            for register in asked.base..self.registers.len() {
                self.registers[register] = resolve(self, self.registers[register]);
            }
            let parted = self.ways.get(asked.frames).map_or(self.parted.len(), |way| way.parted);
            for place in parted..self.parted.len() {
                self.parted[place].set = resolve(self, self.parted[place].set);
            }
            for place in asked.frames..self.ways.len() {
                let Way { into, here, pending, .. } = self.ways[place];
                let (into, here, set) = (resolve(self, into), resolve(self, here), resolve(self, pending.set));
                self.ways[place] = Way { into, here, pending: Pending { set, ..pending }, ..self.ways[place] };
            }
            if let Some((join, set)) = self.parts {
                self.parts = Some((join, resolve(self, set)));
            }
            self.demand(&asked);
        }
        self.met.clear();
        self.answer = None;
    }

    /// What the answer came from that a function has just given, with the columns it looked at where it is wanted; none where it was not
    /// followed alone.
    pub fn origin(&mut self, looked: Option<&Columns>, archive: &mut Archive) -> Option<Origin> {
        let answer = self.answer.take();
        let Some(((answer, required, from), looked)) = answer.zip(looked) else {
            if self.asked.is_empty() {
                self.met.clear();
            }
            return None;
        };
        // What is met again is met already.
        let number = next();
        let mut end = from;
        for place in from..self.met.len() {
            let source = self.met[place];
            if std::mem::replace(at_mut(&mut self.last_met, source as usize), number) != number {
                self.met[end] = source;
                end += 1;
            }
        }
        let met: Arc<[Set]> = self.met[from..end].into();
        self.met.truncate(end);
        if self.asked.is_empty() {
            self.met.clear();
        }
        self.copies.of(archive);
        let [(answer, answer_args), (required, required_args)] =
            [answer, required].map(|set| (self.sources.without_args(set), self.sources.args(set)));
        let mut there = |set: Set| {
            let known = at_mut(&mut self.copies.there, set as usize);
            if *known == NOBODY {
                *known = archive.sources.copy(&self.sources, set, &mut self.copies.bits_there);
            }
            *known
        };
        let (kept, answer_there, required_there) = (met.iter().map(|set| there(*set)).collect(), there(answer), there(required));
        self.copies.origins.insert(number, (answer, required, met));
        let stamps = looked.iter().map(|slot| (slot as u16, self.stamp(slot))).filter(|(_, stamp)| *stamp != 0).collect();
        Some(Origin { number, met: kept, answer: (answer_there, answer_args), required: (required_there, required_args), stamps })
    }

    /// A fingerprint of what the figures of a column came from; 0 where they came from nowhere.
    fn stamp(&mut self, slot: usize) -> u64 {
        if !self.marked.has(slot) {
            return 0;
        }
        let [written, spared] = [&self.written, &self.columns].map(|sets| at(sets, slot));
        let [written, spared] = [written, spared].map(|set| self.sources.print(set));
        mixed(mixed(at(&self.stamps, slot), written), spared).max(1)
    }

    /// Whether what a remembered answer looked at, these columns, came from the same.
    pub fn stands(&mut self, origin: &Origin, looked: &Columns) -> bool {
        if origin.stamps.is_empty() && looked.apart_from(&self.marked) {
            return true;
        }
        let mut before = origin.stamps.iter().peekable();
        looked.iter().all(|slot| {
            let known = before.next_if(|(column, _)| *column as usize == slot).map_or(0, |(_, stamp)| *stamp);
            self.stamp(slot) == known
        })
    }

    /// A remembered answer is given, whose arguments stand in registers from one on: what it came from.
    pub fn heard(&mut self, origin: &Origin, archive: &Archive, from: usize) -> Set {
        self.copies.of(archive);
        let Copies { here, bits_here, origins, .. } = &mut self.copies;
        let known = origins.entry(origin.number).or_insert_with(|| {
            let mut here = |set: Set| *here.entry(set).or_insert_with(|| self.sources.copy(&archive.sources, set, bits_here));
            // First those that are met, in their order.
            let met = origin.met.iter().map(|set| here(*set)).collect();
            (here(origin.answer.0), here(origin.required.0), met)
        });
        let (answer, required) = (known.0, known.1);
        if !self.asked.is_empty() {
            self.met.extend_from_slice(&known.2);
        }
        let here = self.here();
        let more = |followed: &mut Followed, set: Set, args: u64| {
            let all = followed.sources.join(set, here);
            bits(&[args]).fold(all, |all, number| followed.sources.join(all, followed.get(from + number)))
        };
        if required != NOBODY || origin.required.1 != 0 {
            let required = more(self, required, origin.required.1);
            self.required = self.sources.join(self.required, required);
        }
        more(self, answer, origin.answer.1)
    }
}
