//! Functions whose answers are remembered.
//!
//! Such a function is followed as if nothing had led to it, and its arguments came from themselves: so it is known what its answer comes
//! from wherever it is asked again. Where it turns out to do more than to answer, all is put as if it had been followed like any other.

use super::{PendingOperation, Provenance, ProvenanceFrame};
use crate::code::source_sets::{EMPTY_SET, SourceSetId, SourceSets, get_mut_or_grow, get_or_default};
use crate::situation::column_set::{ColumnSet, iter_bits};
use crate::situation::fingerprint::mix;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A function under way whose answer will be remembered.
#[derive(Clone, Debug)]
pub struct MemoFrame {
    /// How many functions were under way when it began.
    depth: usize,
    /// Its first register, among those of all functions.
    base: usize,
    /// What led to it, and what its arguments came from.
    entry_set: SourceSetId,
    args: Box<[SourceSetId]>,
    /// What was required before.
    guard_set: SourceSetId,
    /// How many sources were met before.
    seen_count: usize,
}

/// What a remembered answer came from, whatever ruling it is asked in. Its sets are those of an [`ProvenanceInterner`].
pub struct CachedProvenance {
    id: u64,
    /// The sources that were met, each alone, in this order.
    seen_sources: Box<[SourceSetId]>,
    answer: SourcePattern,
    /// What was required on the way, and held.
    guard_set: SourcePattern,
    /// What the figures of the columns that were looked at came from, as a fingerprint for each; none where they came from nowhere.
    column_fingerprints: Box<[(u16, u64)]>,
}

/// A set without arguments, and the arguments, as bits, that stand for what they come from.
type SourcePattern = (SourceSetId, u64);

/// Sets of sources that outlast a ruling.
pub struct ProvenanceInterner {
    id: u64,
    sources: SourceSets,
}

impl Default for ProvenanceInterner {
    fn default() -> ProvenanceInterner {
        ProvenanceInterner { id: next_id(), sources: SourceSets::default() }
    }
}

/// A number that nothing else has.
fn next_id() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

impl ProvenanceInterner {
    /// How many sets it has.
    pub fn set_count(&self) -> usize {
        self.sources.set_count()
    }
}

/// Sets of a ruling and those of an archive that have the same sources.
#[derive(Debug, Default)]
pub struct IdRemap {
    interner_id: u64,
    /// By set of the ruling, which has few; nobody stands for what is not known.
    to_interner: Vec<SourceSetId>,
    /// By set of the archive, of which few are wanted.
    from_interner: FxHashMap<SourceSetId, SourceSetId>,
    /// By source of the ruling, its bit in sets of the archive; and the other way round.
    bits_to_interner: Vec<u32>,
    bits_from_interner: Vec<u32>,
    /// By the number of an origin, in sets of the ruling: its answer, what it required, what was met.
    cached: FxHashMap<u64, (SourceSetId, SourceSetId, Arc<[SourceSetId]>)>,
}

impl Clone for IdRemap {
    /// None: they are made again where they are wanted, and most states that are kept are never taken up again.
    fn clone(&self) -> IdRemap {
        IdRemap::default()
    }
}

impl IdRemap {
    /// Makes ready for an archive; what is known of another means nothing.
    fn reset_for(&mut self, archive: &ProvenanceInterner) {
        if self.interner_id != archive.id {
            *self = IdRemap { interner_id: archive.id, ..IdRemap::default() };
        }
    }
}

impl Provenance {
    /// A function begins whose answer will be remembered: where its arguments stand, how many they are, and what led to it. A set tells
    /// [`crate::code::sources::MAX_ARGS`] arguments apart at most.
    pub fn begin_memo(&mut self, (base, count): (usize, usize), into: SourceSetId) {
        let own = (base..base + count).map(|register| self.register_sources(register)).collect();
        for number in 0..count {
            let arg = self.sources.arg_set(number);
            self.set_register_sources(base + number, arg);
        }
        let (frames, required) = (self.frames.len(), std::mem::take(&mut self.guard_set));
        self.memo_frames.push(MemoFrame {
            depth: frames,
            base,
            entry_set: into,
            args: own,
            guard_set: required,
            seen_count: self.seen_sources.len(),
        });
    }

    /// A function answers, which began when so many others were under way: what its answer came from.
    pub fn end_memo(&mut self, frames: usize, set: SourceSetId) -> SourceSetId {
        let Some(asked) = self.memo_frames.pop_if(|asked| asked.depth == frames) else { return set };
        self.last_answer = Some((set, self.guard_set, asked.seen_count));
        self.merge_guards(&asked);
        self.substitute_args(set, &asked.args, asked.entry_set)
    }

    /// What was required before counts again, beside what was since.
    fn merge_guards(&mut self, asked: &MemoFrame) {
        let since = self.substitute_args(self.guard_set, &asked.args, asked.entry_set);
        self.guard_set = self.sources.union(asked.guard_set, since);
    }

    /// A set with what its arguments and the way to it came from; of what came from nowhere, nothing.
    fn substitute_args(&mut self, set: SourceSetId, args: &[SourceSetId], into: SourceSetId) -> SourceSetId {
        if set == EMPTY_SET {
            return EMPTY_SET;
        }
        let plain = self.sources.without_args(set);
        let all = self.sources.union(plain, into);
        iter_bits(&[self.sources.arg_bits(set)]).fold(all, |all, number| self.sources.union(all, args[number]))
    }

    /// Whether a function is under way whose answer will be remembered.
    #[inline]
    pub fn in_memo_frame(&self) -> bool {
        !self.memo_frames.is_empty()
    }

    /// Functions under way do more than to answer, or will not answer: everything came from what it came from, and they are not remembered.
    pub fn abandon_recording(&mut self) {
        while let Some(asked) = self.memo_frames.pop() {
            let resolve = |followed: &mut Provenance, set: SourceSetId| followed.substitute_args(set, &asked.args, asked.entry_set);
            for register in asked.base..self.register_sources.len() {
                self.register_sources[register] = resolve(self, self.register_sources[register]);
            }
            let parted = self.frames.get(asked.depth).map_or(self.open_branches.len(), |way| way.first_branch);
            for place in parted..self.open_branches.len() {
                self.open_branches[place].set = resolve(self, self.open_branches[place].set);
            }
            for place in asked.depth..self.frames.len() {
                let ProvenanceFrame { entry_set: into, control_set: here, pending, .. } = self.frames[place];
                let (into, here, set) = (resolve(self, into), resolve(self, here), resolve(self, pending.set));
                self.frames[place] = ProvenanceFrame {
                    entry_set: into,
                    control_set: here,
                    pending: PendingOperation { set, ..pending },
                    ..self.frames[place]
                };
            }
            if let Some((join, set)) = self.pending_branch {
                self.pending_branch = Some((join, resolve(self, set)));
            }
            self.merge_guards(&asked);
        }
        self.seen_sources.clear();
        self.last_answer = None;
    }

    /// What the answer came from that a function has just given, with the columns it looked at where it is wanted; none where it was not
    /// followed alone.
    pub fn capture_answer(&mut self, looked: Option<&ColumnSet>, archive: &mut ProvenanceInterner) -> Option<CachedProvenance> {
        let answer = self.last_answer.take();
        let Some(((answer, required, from), looked)) = answer.zip(looked) else {
            if self.memo_frames.is_empty() {
                self.seen_sources.clear();
            }
            return None;
        };
        // What is met again is met already.
        let number = next_id();
        let mut end = from;
        for place in from..self.seen_sources.len() {
            let source = self.seen_sources[place];
            if std::mem::replace(get_mut_or_grow(&mut self.last_seen_in, source as usize), number) != number {
                self.seen_sources[end] = source;
                end += 1;
            }
        }
        let met: Arc<[SourceSetId]> = self.seen_sources[from..end].into();
        self.seen_sources.truncate(end);
        if self.memo_frames.is_empty() {
            self.seen_sources.clear();
        }
        self.id_remap.reset_for(archive);
        let [(answer, answer_args), (required, required_args)] =
            [answer, required].map(|set| (self.sources.without_args(set), self.sources.arg_bits(set)));
        let mut there = |set: SourceSetId| {
            let known = get_mut_or_grow(&mut self.id_remap.to_interner, set as usize);
            if *known == EMPTY_SET {
                *known = archive.sources.import(&self.sources, set, &mut self.id_remap.bits_to_interner);
            }
            *known
        };
        let (kept, answer_there, required_there) = (met.iter().map(|set| there(*set)).collect(), there(answer), there(required));
        self.id_remap.cached.insert(number, (answer, required, met));
        let stamps = looked.iter().map(|slot| (slot as u16, self.column_fingerprint(slot))).filter(|(_, stamp)| *stamp != 0).collect();
        Some(CachedProvenance {
            id: number,
            seen_sources: kept,
            answer: (answer_there, answer_args),
            guard_set: (required_there, required_args),
            column_fingerprints: stamps,
        })
    }

    /// A fingerprint of what the figures of a column came from; 0 where they came from nowhere.
    fn column_fingerprint(&mut self, slot: usize) -> u64 {
        if !self.tracked_columns.contains(slot) {
            return 0;
        }
        let [written, spared] = [&self.column_sources, &self.implicit_sources].map(|sets| get_or_default(sets, slot));
        let [written, spared] = [written, spared].map(|set| self.sources.fingerprint(set));
        mix(mix(get_or_default(&self.column_sums, slot), written), spared).max(1)
    }

    /// Whether what a remembered answer looked at, these columns, came from the same.
    pub fn is_still_valid(&mut self, origin: &CachedProvenance, looked: &ColumnSet) -> bool {
        if origin.column_fingerprints.is_empty() && looked.is_disjoint(&self.tracked_columns) {
            return true;
        }
        let mut before = origin.column_fingerprints.iter().peekable();
        looked.iter().all(|slot| {
            let known = before.next_if(|(column, _)| *column as usize == slot).map_or(0, |(_, stamp)| *stamp);
            self.column_fingerprint(slot) == known
        })
    }

    /// A remembered answer is given, whose arguments stand in registers from one on: what it came from.
    pub fn apply_cached(&mut self, origin: &CachedProvenance, archive: &ProvenanceInterner, from: usize) -> SourceSetId {
        self.id_remap.reset_for(archive);
        let IdRemap { from_interner: here, bits_from_interner: bits_here, cached: origins, .. } = &mut self.id_remap;
        let known = origins.entry(origin.id).or_insert_with(|| {
            let mut here = |set: SourceSetId| *here.entry(set).or_insert_with(|| self.sources.import(&archive.sources, set, bits_here));
            // First those that are met, in their order.
            let met = origin.seen_sources.iter().map(|set| here(*set)).collect();
            (here(origin.answer.0), here(origin.guard_set.0), met)
        });
        let (answer, required) = (known.0, known.1);
        if !self.memo_frames.is_empty() {
            self.seen_sources.extend_from_slice(&known.2);
        }
        let here = self.control_set();
        let more = |followed: &mut Provenance, set: SourceSetId, args: u64| {
            let all = followed.sources.union(set, here);
            iter_bits(&[args]).fold(all, |all, number| followed.sources.union(all, followed.register_sources(from + number)))
        };
        if required != EMPTY_SET || origin.guard_set.1 != 0 {
            let required = more(self, required, origin.guard_set.1);
            self.guard_set = self.sources.union(self.guard_set, required);
        }
        more(self, answer, origin.answer.1)
    }
}
