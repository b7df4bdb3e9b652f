//! Provenance of memoized functions.
//!
//! A memoized function is tracked with empty control-flow sources and with placeholders for its arguments, so that its provenance applies
//! to every later call. If it turns out to have side effects, the placeholders are replaced by the real sources and the recording is
//! abandoned.

use super::{PendingOperation, Provenance, ProvenanceFrame};
use crate::code::source_sets::{EMPTY_SET, SourceSetId, SourceSets, get_mut_or_grow, get_or_default};
use crate::situation::column_set::{ColumnSet, iter_bits};
use crate::situation::fingerprint::mix;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A frame that is being memoized.
#[derive(Clone, Debug)]
pub struct MemoFrame {
    /// Number of frames before the call.
    depth: usize,
    /// Absolute index of its first register.
    base: usize,
    /// Control-flow sources of the call, and sources of the arguments.
    entry_set: SourceSetId,
    args: Box<[SourceSetId]>,
    /// Sources of the requirements before the call.
    guard_set: SourceSetId,
    /// Length of `seen_sources` before the call.
    seen_count: usize,
}

/// The provenance of a memoized answer, independent of the run. Its sets belong to a [`ProvenanceInterner`].
pub struct CachedProvenance {
    id: u64,
    /// Singleton sets of the cited sources, in citation order.
    seen_sources: Box<[SourceSetId]>,
    answer: SourcePattern,
    /// Sources of the requirements checked by the function.
    guard_set: SourcePattern,
    /// Fingerprint of the sources of each column it read; columns without sources are omitted.
    column_fingerprints: Box<[(u16, u64)]>,
}

/// A set without placeholders, and the argument placeholders as bits.
type SourcePattern = (SourceSetId, u64);

/// Source sets that outlive a run.
pub struct ProvenanceInterner {
    id: u64,
    sources: SourceSets,
}

impl Default for ProvenanceInterner {
    fn default() -> ProvenanceInterner {
        ProvenanceInterner { id: next_id(), sources: SourceSets::default() }
    }
}

/// Returns a unique id.
fn next_id() -> u64 {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

impl ProvenanceInterner {
    /// Number of sets.
    pub fn set_count(&self) -> usize {
        self.sources.set_count()
    }
}

/// A two-way mapping between the sets of a run and those of a [`ProvenanceInterner`].
#[derive(Debug, Default)]
pub struct IdRemap {
    interner_id: u64,
    /// Interner set by run set; [`EMPTY_SET`] if not mapped yet. Dense, because a run has few sets.
    to_interner: Vec<SourceSetId>,
    /// Run set by interner set. Sparse, because few of them are used.
    from_interner: FxHashMap<SourceSetId, SourceSetId>,
    /// Bits of the sources in the other interner, in both directions.
    bits_to_interner: Vec<u32>,
    bits_from_interner: Vec<u32>,
    /// By [`CachedProvenance`] id, the run sets of its answer, its requirements and its cited sources.
    cached: FxHashMap<u64, (SourceSetId, SourceSetId, Arc<[SourceSetId]>)>,
}

impl Clone for IdRemap {
    /// Returns an empty map: the entries are rebuilt on demand, and most stored states are never resumed.
    fn clone(&self) -> IdRemap {
        IdRemap::default()
    }
}

impl IdRemap {
    /// Prepares for an interner. Drops all entries if it is another one.
    fn reset_for(&mut self, archive: &ProvenanceInterner) {
        if self.interner_id != archive.id {
            *self = IdRemap { interner_id: archive.id, ..IdRemap::default() };
        }
    }
}

impl Provenance {
    /// Begins a memo frame with `count` arguments from register `base` on. `count` is at most [`crate::code::source_sets::MAX_ARGS`].
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

    /// Ends the memo frame that began with `frames` frames, if there is one. Returns the answer's sources in the caller.
    pub fn end_memo(&mut self, frames: usize, set: SourceSetId) -> SourceSetId {
        let Some(asked) = self.memo_frames.pop_if(|asked| asked.depth == frames) else { return set };
        self.last_answer = Some((set, self.guard_set, asked.seen_count));
        self.merge_guards(&asked);
        self.substitute_args(set, &asked.args, asked.entry_set)
    }

    /// Combines the requirements before the call with those of the memo frame.
    fn merge_guards(&mut self, asked: &MemoFrame) {
        let since = self.substitute_args(self.guard_set, &asked.args, asked.entry_set);
        self.guard_set = self.sources.union(asked.guard_set, since);
    }

    /// Replaces argument placeholders by their sources and adds the control-flow sources of the call. The empty set stays empty.
    fn substitute_args(&mut self, set: SourceSetId, args: &[SourceSetId], into: SourceSetId) -> SourceSetId {
        if set == EMPTY_SET {
            return EMPTY_SET;
        }
        let plain = self.sources.without_args(set);
        let all = self.sources.union(plain, into);
        iter_bits(&[self.sources.arg_bits(set)]).fold(all, |all, number| self.sources.union(all, args[number]))
    }

    /// Whether a memo frame is active.
    #[inline]
    pub fn in_memo_frame(&self) -> bool {
        !self.memo_frames.is_empty()
    }

    /// Abandons all memo frames and replaces their placeholders by the real sources.
    pub fn abandon_recording(&mut self) {
        while let Some(asked) = self.memo_frames.pop() {
            let resolve = |provenance: &mut Provenance, set: SourceSetId| provenance.substitute_args(set, &asked.args, asked.entry_set);
            for register in asked.base..self.register_sources.len() {
                self.register_sources[register] = resolve(self, self.register_sources[register]);
            }
            let first_branch = self.frames.get(asked.depth).map_or(self.open_branches.len(), |way| way.first_branch);
            for place in first_branch..self.open_branches.len() {
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

    /// Captures the provenance of the memo frame just ended, where `looked` are the columns it read. Returns `None` if `looked` is `None`
    /// or the frame was abandoned.
    pub fn capture_answer(&mut self, looked: Option<&ColumnSet>, archive: &mut ProvenanceInterner) -> Option<CachedProvenance> {
        let answer = self.last_answer.take();
        let Some(((answer, required, from), looked)) = answer.zip(looked) else {
            if self.memo_frames.is_empty() {
                self.seen_sources.clear();
            }
            return None;
        };
        // Drops sources already recorded.
        let number = next_id();
        let mut end = from;
        for place in from..self.seen_sources.len() {
            let source = self.seen_sources[place];
            if std::mem::replace(get_mut_or_grow(&mut self.last_seen_in, source as usize), number) != number {
                self.seen_sources[end] = source;
                end += 1;
            }
        }
        let seen: Arc<[SourceSetId]> = self.seen_sources[from..end].into();
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
        let (kept, answer_there, required_there) = (seen.iter().map(|set| there(*set)).collect(), there(answer), there(required));
        self.id_remap.cached.insert(number, (answer, required, seen));
        let fingerprints =
            looked.iter().map(|slot| (slot as u16, self.column_fingerprint(slot))).filter(|(_, fingerprint)| *fingerprint != 0).collect();
        Some(CachedProvenance {
            id: number,
            seen_sources: kept,
            answer: (answer_there, answer_args),
            guard_set: (required_there, required_args),
            column_fingerprints: fingerprints,
        })
    }

    /// Returns a fingerprint of the sources of a column's figures; 0 if there are none.
    fn column_fingerprint(&mut self, slot: usize) -> u64 {
        if !self.tracked_columns.contains(slot) {
            return 0;
        }
        let [written, implicit] = [&self.column_sources, &self.implicit_sources].map(|sets| get_or_default(sets, slot));
        let [written, implicit] = [written, implicit].map(|set| self.sources.fingerprint(set));
        mix(mix(get_or_default(&self.column_sums, slot), written), implicit).max(1)
    }

    /// Whether the columns a memoized answer read still have the same sources.
    pub fn is_still_valid(&mut self, origin: &CachedProvenance, looked: &ColumnSet) -> bool {
        if origin.column_fingerprints.is_empty() && looked.is_disjoint(&self.tracked_columns) {
            return true;
        }
        let mut before = origin.column_fingerprints.iter().peekable();
        looked.iter().all(|slot| {
            let known = before.next_if(|(column, _)| *column as usize == slot).map_or(0, |(_, fingerprint)| *fingerprint);
            self.column_fingerprint(slot) == known
        })
    }

    /// Applies a memoized answer whose arguments are in the registers from `from` on. Returns its sources.
    pub fn apply_cached(&mut self, origin: &CachedProvenance, archive: &ProvenanceInterner, from: usize) -> SourceSetId {
        self.id_remap.reset_for(archive);
        let IdRemap { from_interner: here, bits_from_interner: bits_here, cached: origins, .. } = &mut self.id_remap;
        let known = origins.entry(origin.id).or_insert_with(|| {
            let mut here = |set: SourceSetId| *here.entry(set).or_insert_with(|| self.sources.import(&archive.sources, set, bits_here));
            // Import the cited sources before the other sets, so that they are registered in citation order.
            let seen = origin.seen_sources.iter().map(|set| here(*set)).collect();
            (here(origin.answer.0), here(origin.guard_set.0), seen)
        });
        let (answer, required) = (known.0, known.1);
        if !self.memo_frames.is_empty() {
            self.seen_sources.extend_from_slice(&known.2);
        }
        let here = self.control_set();
        let more = |provenance: &mut Provenance, set: SourceSetId, args: u64| {
            let all = provenance.sources.union(set, here);
            iter_bits(&[args]).fold(all, |all, number| provenance.sources.union(all, provenance.register_sources(from + number)))
        };
        if required != EMPTY_SET || origin.guard_set.1 != 0 {
            let required = more(self, required, origin.guard_set.1);
            self.guard_set = self.sources.union(self.guard_set, required);
        }
        more(self, answer, origin.answer.1)
    }
}
