//! Folds a graph to the joint distribution of several outcomes. Rows are bit-packed, because there are many of them and each is rewritten
//! at every branch that names an outcome.

use crate::odds::fold::Strategy;
use crate::odds::fraction::Fraction;
use crate::odds::graph::{GraphEdge, GraphNode, NameId, ValueId, postorder};
use crate::platform::task;
use dashu_int::UBig;
use dashu_int::ops::{BitTest, Gcd};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::Arc;

/// The value of each outcome, `None` if it is not named; then the refusing rule if there is one, which discards everything named before.
pub type JointRow = (Vec<Option<ValueId>>, Option<ValueId>);

/// A distribution with integer weights over a common denominator.
#[derive(Clone, Debug)]
pub struct WeightedShares<K> {
    total: UBig,
    weights: Vec<(K, UBig)>,
}

/// The size in bits up to which a number is not worth reducing.
const MAX_SMALL_BITS: usize = 64;

impl<K> WeightedShares<K> {
    fn certain(value: K) -> WeightedShares<K> {
        WeightedShares { total: UBig::ONE, weights: vec![(value, UBig::ONE)] }
    }

    /// Returns the values with their probabilities.
    pub fn fractions(&self) -> impl Iterator<Item = (&K, Fraction)> {
        self.weights.iter().map(|(value, ways)| (value, Fraction::new(ways.clone(), self.total.clone())))
    }

    /// Returns the values of the highest probability.
    pub fn likeliest(&self) -> impl Iterator<Item = (&K, Fraction)> {
        let most = self.weights.iter().map(|(_, ways)| ways).max();
        let as_likely = self.weights.iter().filter(move |(_, ways)| Some(ways) == most);
        as_likely.map(|(value, ways)| (value, Fraction::new(ways.clone(), self.total.clone())))
    }

    /// Reduces the weights by a common divisor once they have grown long.
    fn reduce(mut self) -> WeightedShares<K> {
        if self.weights.is_empty() {
            self.total = UBig::ONE;
        }
        if self.total.bit_len() <= MAX_SMALL_BITS {
            return self;
        }
        let mut shared = self.total.clone();
        for (_, ways) in &self.weights {
            if shared == UBig::ONE {
                return self;
            }
            shared = shared.gcd(ways);
        }
        self.total /= &shared;
        self.weights.iter_mut().for_each(|(_, ways)| *ways /= &shared);
        self
    }
}

/// Returns the least common multiple.
fn common_multiple<'a>(all: impl Iterator<Item = &'a UBig>) -> UBig {
    all.fold(UBig::ONE, |common, one| if *one == common { common } else { &common / (&common).gcd(one) * one })
}

/// Reference counts of intermediate results: numbers grow long, so each result is freed after its last use.
struct Uses(FxHashMap<*const GraphNode, usize>);

/// Counts the incoming branches of each node.
fn uses(nodes: &[&Arc<GraphNode>]) -> Uses {
    let mut uses: FxHashMap<*const GraphNode, usize> = FxHashMap::default();
    nodes.iter().flat_map(|node| node.next()).for_each(|branch| *uses.entry(Arc::as_ptr(&branch.target)).or_insert(0) += 1);
    Uses(uses)
}

impl Uses {
    /// Marks a node as done and reports the successors whose results are no longer needed.
    fn done(&mut self, node: &GraphNode, mut tell: impl FnMut(*const GraphNode)) {
        for branch in node.next() {
            let place = Arc::as_ptr(&branch.target);
            if let Some(left) = self.0.get_mut(&place) {
                *left -= 1;
                if *left == 0 {
                    tell(place);
                }
            }
        }
    }
}

/// A bit-packed row: each outcome has a field, and the last field is the refusing rule. Zero stands for `None`.
trait PackedRow: Clone + Eq + Hash + AsRef<[u64]> + AsMut<[u64]> {
    /// Returns a row of `words` zero words.
    fn zeroed(words: usize) -> Self;
}

/// Most rows are short: arrays are copied without allocation.
impl<const N: usize> PackedRow for [u64; N] {
    fn zeroed(_: usize) -> [u64; N] {
        [0; N]
    }
}

impl PackedRow for Box<[u64]> {
    fn zeroed(words: usize) -> Box<[u64]> {
        vec![0; words].into()
    }
}

/// The field of an outcome: its word, its shift, and the values it can hold.
struct RowField {
    word: usize,
    shift: u32,
    values: Vec<ValueId>,
}

impl RowField {
    fn mask(&self) -> u64 {
        mask_for(self.values.len()) << self.shift
    }

    fn encode(&self, value: ValueId) -> u64 {
        self.values.binary_search(&value).map_or(0, |place| place as u64 + 1) << self.shift
    }

    fn decode(&self, row: &impl PackedRow) -> Option<ValueId> {
        let place = (row.as_ref()[self.word] & self.mask()) >> self.shift;
        self.values.get((place as usize).checked_sub(1)?).copied()
    }
}

/// Returns a mask of the bits needed to count to `most`.
fn mask_for(most: usize) -> u64 {
    u64::MAX.checked_shr((most as u64).leading_zeros()).unwrap_or(0)
}

/// The bits that a branch sets: word index, mask and value.
type EdgeBits = Vec<(usize, u64, u64)>;

/// The rows of the nodes folded so far.
type NodeRows<P> = FxHashMap<*const GraphNode, Arc<WeightedShares<P>>>;

/// The layout of a row.
struct RowLayout {
    field_index: FxHashMap<NameId, usize>,
    fields: Vec<RowField>,
    words: usize,
}

impl RowLayout {
    fn new(root: &GraphEdge, names: &[NameId]) -> RowLayout {
        let of: FxHashMap<NameId, usize> = names.iter().zip(0..).map(|(name, place)| (*name, place)).collect();
        let mut values: Vec<Vec<ValueId>> = vec![Vec::new(); names.len() + 1];
        let mut named = |branch: &GraphEdge| {
            branch
                .outcomes
                .iter()
                .filter_map(|(name, value)| Some((of.get(name)?, value)))
                .for_each(|(place, value)| values[*place].push(*value))
        };
        named(root);
        let mut refusals = Vec::new();
        for node in postorder(&root.target) {
            match &**node {
                GraphNode::Throw(ways) => ways.iter().for_each(|(_, branch)| named(branch)),
                GraphNode::Choice(_, _, options) => options.iter().for_each(&mut named),
                GraphNode::Refused(by) => refusals.push(*by),
                _ => {}
            }
        }
        values[names.len()] = refusals;
        let (mut word, mut shift, mut list) = (0, 0, Vec::new());
        for mut values in values {
            values.sort_unstable();
            values.dedup();
            let long = mask_for(values.len()).count_ones();
            if shift + long > 63 {
                (word, shift) = (word + 1, 0);
            }
            list.push(RowField { word, shift, values });
            shift += long;
        }
        RowLayout { field_index: of, fields: list, words: word + 1 }
    }

    fn empty_row<P: PackedRow>(&self) -> P {
        P::zeroed(self.words)
    }

    fn refused_row<P: PackedRow>(&self, by: ValueId) -> P {
        let mut row: P = self.empty_row();
        self.fields.last().into_iter().for_each(|field| row.as_mut()[field.word] |= field.encode(by));
        row
    }

    fn is_refused(&self, row: &impl PackedRow) -> bool {
        self.fields.last().is_some_and(|field| row.as_ref()[field.word] & field.mask() != 0)
    }

    /// Returns the bits a branch sets; the last value of each outcome wins.
    fn edge_bits(&self, branch: &GraphEdge) -> EdgeBits {
        let fields = branch.outcomes.iter().rev().filter_map(|(name, value)| Some((&self.fields[*self.field_index.get(name)?], *value)));
        fields.map(|(field, value)| (field.word, field.mask(), field.encode(value))).collect()
    }

    /// Fills a row with the outcomes named before it.
    fn overlay<P: PackedRow>(&self, row: &P, own: &EdgeBits) -> P {
        let mut row = row.clone();
        // Most branches name nothing.
        if !own.is_empty() && !self.is_refused(&row) {
            let words = row.as_mut();
            own.iter().for_each(|(word, mask, value)| words[*word] |= if words[*word] & mask == 0 { *value } else { 0 });
        }
        row
    }

    /// Returns the unsorted mixture of the rows of several weighted branches.
    fn mix_edges<P: PackedRow>(&self, ways: &[(u128, &GraphEdge)], known: &NodeRows<P>) -> Arc<WeightedShares<P>> {
        // Most branches share a target.
        let mut apart: Vec<(u128, EdgeBits, &Arc<WeightedShares<P>>)> = Vec::new();
        for (weight, branch) in ways {
            let (own, shares) = (self.edge_bits(branch), &known[&Arc::as_ptr(&branch.target)]);
            match apart.iter_mut().find(|(_, known, other)| Arc::ptr_eq(shares, other) && *known == own) {
                Some((sum, ..)) => *sum += weight,
                None => apart.push((*weight, own, shares)),
            }
        }
        if let [(_, own, shares)] = &apart[..]
            && own.is_empty()
        {
            return Arc::clone(shares);
        }
        let common = common_multiple(apart.iter().map(|(.., shares)| &shares.total));
        // The parts share few rows, so the sum is a good capacity.
        let count = apart.iter().map(|(.., shares)| shares.weights.len()).sum();
        let mut rows: FxHashMap<P, UBig> = FxHashMap::with_capacity_and_hasher(count, FxBuildHasher);
        for (weight, own, shares) in &apart {
            let factor = (&common / &shares.total) * *weight;
            for (row, ways) in &shares.weights {
                let more = ways * &factor;
                match rows.entry(self.overlay(row, own)) {
                    Entry::Vacant(entry) => _ = entry.insert(more),
                    Entry::Occupied(mut known) => *known.get_mut() += more,
                }
            }
        }
        let all = common * apart.iter().map(|(weight, ..)| weight).sum::<u128>();
        Arc::new(WeightedShares { total: all, weights: rows.into_iter().collect() }.reduce())
    }

    fn decode_row(&self, row: &impl PackedRow) -> JointRow {
        let mut values: Vec<Option<ValueId>> = self.fields.iter().map(|field| field.decode(row)).collect();
        let refused = values.pop().flatten();
        (values, refused)
    }
}

/// Computes the joint distribution of several outcomes; `None` if any node has more than `most` rows, or if
/// the time of the task is nearly up.
pub fn joint(root: &GraphEdge, names: &[NameId], picked: &Strategy, most: usize) -> Option<WeightedShares<JointRow>> {
    let fields = RowLayout::new(root, names);
    match fields.words {
        1 => fold_rows::<[u64; 1]>(root, &fields, picked, most),
        2 => fold_rows::<[u64; 2]>(root, &fields, picked, most),
        3 | 4 => fold_rows::<[u64; 4]>(root, &fields, picked, most),
        _ => fold_rows::<Box<[u64]>>(root, &fields, picked, most),
    }
}

fn fold_rows<P: PackedRow>(root: &GraphEdge, fields: &RowLayout, picked: &Strategy, most: usize) -> Option<WeightedShares<JointRow>> {
    let mut known: NodeRows<P> = FxHashMap::default();
    let order = postorder(&root.target);
    let mut uses = uses(&order);
    for node in order {
        let found = match &**node {
            GraphNode::Done | GraphNode::DoneWith(_) => Arc::new(WeightedShares::certain(fields.empty_row::<P>())),
            GraphNode::Refused(by) => Arc::new(WeightedShares::certain(fields.refused_row::<P>(*by))),
            GraphNode::Unexplored(..) => Arc::new(WeightedShares { total: UBig::ONE, weights: Vec::new() }),
            GraphNode::Throw(ways) => {
                let ways: Vec<(u128, &GraphEdge)> = ways.iter().map(|(weight, branch)| (*weight, branch)).collect();
                fields.mix_edges(&ways, &known)
            }
            GraphNode::Choice(_, _, options) => {
                let option = picked.get(&Arc::as_ptr(node)).copied().unwrap_or(0);
                fields.mix_edges(&[(1, &options[option])], &known)
            }
        };
        if found.weights.len() > most || task::is_wrapping_up() {
            return None;
        }
        uses.done(node, |node| drop(known.remove(&node)));
        known.insert(Arc::as_ptr(node), found);
    }
    let found = fields.mix_edges(&[(1, root)], &known);
    let mut ways: Vec<(JointRow, UBig)> = found.weights.iter().map(|(row, ways)| (fields.decode_row(row), ways.clone())).collect();
    ways.sort();
    Some(WeightedShares { total: found.total.clone(), weights: ways })
}
