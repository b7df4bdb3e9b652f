//! Folds a graph to the joint distribution of several outcomes. Rows are bit-packed, because there are many of them and each is rewritten
//! at every branch that names an outcome.

use crate::odds::fold::{Strategy, taken_edges};
use crate::odds::fraction::Fraction;
use crate::odds::graph::{
    GraphEdge, GraphNode, MAX_SCANNED, NameId, ValueId, is_complete, postorder,
};
use crate::odds::loop_exits::without_loops;
use casebook_engine::complaint::Error;
use casebook_engine::notation::Weight;
use casebook_engine::platform::task;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::Hash;
use std::sync::Arc;

/// The value of each outcome, `None` if it is not named; then the refusing rule if there is one, which discards everything named before.
pub type JointRow = (Vec<Option<ValueId>>, Option<ValueId>);

/// A distribution with integer weights over a common denominator.
#[derive(Clone, Debug)]
pub struct WeightedShares<K> {
    total: Weight,
    weights: Vec<(K, Weight)>,
}

/// The size in bits up to which a number is not worth reducing.
const MAX_SMALL_BITS: usize = 64;

impl<K> WeightedShares<K> {
    fn certain(value: K) -> WeightedShares<K> {
        WeightedShares {
            total: Weight::ONE,
            weights: vec![(value, Weight::ONE)],
        }
    }

    /// Checks that the weights add up to the total: exactly, or at most if something is left out.
    fn checked(self, complete: bool) -> Result<WeightedShares<K>, Error> {
        let sum: Weight = self.weights.iter().map(|(_, ways)| ways).sum();
        match if complete {
            sum == self.total
        } else {
            sum <= self.total
        } {
            true => Ok(self),
            false => Err(Error::Inconsistent(format!(
                "the chances of joint outcomes are {sum} of {}",
                self.total
            ))),
        }
    }

    /// Returns the values with their probabilities.
    pub fn fractions(&self) -> impl Iterator<Item = (&K, Fraction)> {
        self.weights
            .iter()
            .map(|(value, ways)| (value, Fraction::new(ways, &self.total)))
    }

    /// Returns the values of the highest probability.
    pub fn likeliest(&self) -> impl Iterator<Item = (&K, Fraction)> {
        let greatest = self.weights.iter().map(|(_, ways)| ways).max();
        let as_likely = self
            .weights
            .iter()
            .filter(move |(_, ways)| Some(ways) == greatest);
        as_likely.map(|(value, ways)| (value, Fraction::new(ways, &self.total)))
    }

    /// Reduces the weights by a common divisor once they have grown long.
    fn reduce(mut self) -> WeightedShares<K> {
        if self.weights.is_empty() {
            self.total = Weight::ONE;
        }
        if self.total.bits() <= MAX_SMALL_BITS {
            return self;
        }
        let mut shared = self.total.clone();
        for (_, ways) in &self.weights {
            if shared == Weight::ONE {
                return self;
            }
            shared = shared.gcd(ways);
        }
        self.total = self.total.divided_by(&shared);
        self.weights
            .iter_mut()
            .for_each(|(_, ways)| *ways = ways.divided_by(&shared));
        self
    }
}

/// Returns the least common multiple.
fn common_multiple<'a>(numbers: impl Iterator<Item = &'a Weight>) -> Weight {
    numbers.fold(Weight::ONE, |common, one| {
        if *one == common {
            common
        } else {
            &common.divided_by(&common.gcd(one)) * one
        }
    })
}

/// The number of branches to each node that are not folded yet: numbers grow long, so a result is freed after its last use.
struct RemainingUses(FxHashMap<*const GraphNode, usize>);

impl RemainingUses {
    fn new(nodes: &[&Arc<GraphNode>]) -> RemainingUses {
        let mut uses: FxHashMap<*const GraphNode, usize> = FxHashMap::default();
        nodes
            .iter()
            .flat_map(|node| node.edges())
            .for_each(|edge| *uses.entry(Arc::as_ptr(&edge.target)).or_insert(0) += 1);
        RemainingUses(uses)
    }

    /// Frees the results that no node but `node` needs.
    fn free_after<P>(&mut self, node: &GraphNode, results: &mut NodeRows<P>) {
        for target in node.edges().map(|edge| Arc::as_ptr(&edge.target)) {
            if let Some(uses) = self.0.get_mut(&target) {
                *uses -= 1;
                if *uses == 0 {
                    results.remove(&target);
                }
            }
        }
    }
}

/// A bit-packed row: each outcome has a field, and the last field is the refusing rule. Zero means `None`.
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
        self.values
            .binary_search(&value)
            .map_or(0, |place| place as u64 + 1)
            << self.shift
    }

    fn decode(&self, row: &impl PackedRow) -> Option<ValueId> {
        let code = (row.as_ref()[self.word] & self.mask()) >> self.shift;
        self.values.get((code as usize).checked_sub(1)?).copied()
    }
}

/// Returns a mask of the bits needed to count to `max_value`.
fn mask_for(max_value: usize) -> u64 {
    u64::MAX
        .checked_shr((max_value as u64).leading_zeros())
        .unwrap_or(0)
}

/// The bits that a branch sets.
type EdgeBits = Vec<FieldBits>;

/// The bits of a field in a row.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FieldBits {
    /// The index of the word.
    word: usize,
    mask: u64,
    value: u64,
}

/// The rows of the nodes folded so far.
type NodeRows<P> = FxHashMap<*const GraphNode, Arc<WeightedShares<P>>>;

struct RowLayout {
    field_index: FxHashMap<NameId, usize>,
    fields: Vec<RowField>,
    words: usize,
}

impl RowLayout {
    fn new(root: &GraphEdge, names: &[NameId]) -> RowLayout {
        let field_index: FxHashMap<NameId, usize> = names
            .iter()
            .zip(0..)
            .map(|(name, index)| (*name, index))
            .collect();
        let mut values: Vec<Vec<ValueId>> = vec![Vec::new(); names.len() + 1];
        let nodes = postorder(&root.target);
        for (name, value) in std::iter::once(root)
            .chain(nodes.iter().flat_map(|node| node.edges()))
            .flat_map(|edge| &edge.outcomes)
        {
            if let Some(index) = field_index.get(name) {
                values[*index].push(*value);
            }
        }
        values[names.len()] = nodes
            .iter()
            .filter_map(|node| {
                if let GraphNode::Refused(refusal) = ***node {
                    Some(refusal)
                } else {
                    None
                }
            })
            .collect();
        let (mut word, mut shift, mut fields) = (0, 0, Vec::new());
        for mut values in values {
            values.sort_unstable();
            values.dedup();
            let bits = mask_for(values.len()).count_ones();
            if shift + bits > 63 {
                (word, shift) = (word + 1, 0);
            }
            fields.push(RowField {
                word,
                shift,
                values,
            });
            shift += bits;
        }
        RowLayout {
            field_index,
            fields,
            words: word + 1,
        }
    }

    fn empty_row<P: PackedRow>(&self) -> P {
        P::zeroed(self.words)
    }

    fn refused_row<P: PackedRow>(&self, refusal: ValueId) -> P {
        let mut row: P = self.empty_row();
        self.fields
            .last()
            .into_iter()
            .for_each(|field| row.as_mut()[field.word] |= field.encode(refusal));
        row
    }

    fn is_refused(&self, row: &impl PackedRow) -> bool {
        self.fields
            .last()
            .is_some_and(|field| row.as_ref()[field.word] & field.mask() != 0)
    }

    /// Returns the bits a branch sets; the last value of each outcome wins.
    fn edge_bits(&self, edge: &GraphEdge) -> EdgeBits {
        let fields =
            edge.outcomes.iter().rev().filter_map(|(name, value)| {
                Some((&self.fields[*self.field_index.get(name)?], *value))
            });
        fields
            .map(|(field, value)| FieldBits {
                word: field.word,
                mask: field.mask(),
                value: field.encode(value),
            })
            .collect()
    }

    /// Fills a row with the outcomes named before it.
    fn overlay<P: PackedRow>(&self, row: &P, bits: &EdgeBits) -> P {
        let mut row = row.clone();
        // Most branches name nothing.
        if !bits.is_empty() && !self.is_refused(&row) {
            let words = row.as_mut();
            bits.iter().for_each(|FieldBits { word, mask, value }| {
                words[*word] |= if words[*word] & mask == 0 { *value } else { 0 }
            });
        }
        row
    }

    /// Returns the unsorted mixture of the rows of several weighted branches.
    fn mix_edges<'e, P: PackedRow>(
        &self,
        edges: impl Iterator<Item = (&'e Weight, &'e GraphEdge)>,
        rows_by_node: &NodeRows<P>,
    ) -> Arc<WeightedShares<P>> {
        // Most branches share a target.
        let mut groups: Vec<(Weight, EdgeBits, &Arc<WeightedShares<P>>)> = Vec::new();
        let mut group_index: FxHashMap<(EdgeBits, *const WeightedShares<P>), usize> =
            FxHashMap::default();
        for (weight, edge) in edges {
            let (bits, shares) = (
                self.edge_bits(edge),
                &rows_by_node[&Arc::as_ptr(&edge.target)],
            );
            let equal_group = match groups.len() {
                few if few <= MAX_SCANNED => groups.iter().position(|(_, other_bits, other)| {
                    Arc::ptr_eq(shares, other) && *other_bits == bits
                }),
                _ => group_index
                    .get(&(bits.clone(), Arc::as_ptr(shares)))
                    .copied(),
            };
            match equal_group {
                Some(index) => groups[index].0 += weight,
                None => {
                    groups.push((weight.clone(), bits, shares));
                    let unindexed = group_index.len()..if groups.len() > MAX_SCANNED {
                        groups.len()
                    } else {
                        0
                    };
                    group_index.extend(unindexed.map(|index| {
                        (
                            (groups[index].1.clone(), Arc::as_ptr(groups[index].2)),
                            index,
                        )
                    }));
                }
            }
        }
        if let [(_, bits, shares)] = &groups[..]
            && bits.is_empty()
        {
            return Arc::clone(shares);
        }
        let common = common_multiple(groups.iter().map(|(.., shares)| &shares.total));
        // The parts share few rows, so the sum is a good capacity.
        let count = groups.iter().map(|(.., shares)| shares.weights.len()).sum();
        let mut rows: FxHashMap<P, Weight> =
            FxHashMap::with_capacity_and_hasher(count, FxBuildHasher);
        for (weight, bits, shares) in &groups {
            let factor = &common.divided_by(&shares.total) * weight;
            for (row, weight) in &shares.weights {
                *rows.entry(self.overlay(row, bits)).or_default() += weight * &factor;
            }
        }
        let total = &common * &groups.iter().map(|(weight, ..)| weight).sum();
        Arc::new(
            WeightedShares {
                total,
                weights: rows.into_iter().collect(),
            }
            .reduce(),
        )
    }

    fn decode_row(&self, row: &impl PackedRow) -> JointRow {
        let mut values: Vec<Option<ValueId>> =
            self.fields.iter().map(|field| field.decode(row)).collect();
        let refused = values.pop().flatten();
        (values, refused)
    }
}

/// The size up to which a joint distribution is computed.
#[derive(Clone, Copy)]
pub struct JointLimits {
    /// The maximum number of rows of a node.
    pub rows: usize,
    /// The maximum number of bits of its weights.
    pub bits: usize,
}

/// Computes the joint distribution of several outcomes, unsorted; `None` if that of any node is too large, or if the time of the task is
/// nearly up.
pub fn joint(
    root: &GraphEdge,
    names: &[NameId],
    strategy: &Strategy,
    limits: JointLimits,
) -> Result<Option<WeightedShares<JointRow>>, Error> {
    let Ok(root) = without_loops(root, strategy, &task::is_wrapping_up) else {
        return Ok(None);
    };
    let root = &*root;
    let layout = RowLayout::new(root, names);
    let shares = match layout.words {
        1 => fold_rows::<[u64; 1]>(root, &layout, strategy, limits),
        2 => fold_rows::<[u64; 2]>(root, &layout, strategy, limits),
        3 | 4 => fold_rows::<[u64; 4]>(root, &layout, strategy, limits),
        _ => fold_rows::<Box<[u64]>>(root, &layout, strategy, limits),
    };
    shares
        .map(|shares| shares.checked(is_complete(root)))
        .transpose()
}

fn fold_rows<P: PackedRow>(
    root: &GraphEdge,
    layout: &RowLayout,
    strategy: &Strategy,
    limits: JointLimits,
) -> Option<WeightedShares<JointRow>> {
    let mut rows_by_node: NodeRows<P> = FxHashMap::default();
    let order = postorder(&root.target);
    let mut uses = RemainingUses::new(&order);
    for node in order {
        let rows = match &**node {
            GraphNode::Done | GraphNode::DoneWith(_) => {
                Arc::new(WeightedShares::certain(layout.empty_row::<P>()))
            }
            GraphNode::Refused(refusal) => {
                Arc::new(WeightedShares::certain(layout.refused_row::<P>(*refusal)))
            }
            GraphNode::Unexplored(..) => Arc::new(WeightedShares {
                total: Weight::ONE,
                weights: Vec::new(),
            }),
            _ => layout.mix_edges(taken_edges(node, strategy).1, &rows_by_node),
        };
        if rows.weights.len() > limits.rows
            || rows.total.bits() > limits.bits
            || task::is_wrapping_up()
        {
            return None;
        }
        uses.free_after(node, &mut rows_by_node);
        rows_by_node.insert(Arc::as_ptr(node), rows);
    }
    let rows = layout.mix_edges([(&Weight::ONE, root)].into_iter(), &rows_by_node);
    let weights = rows
        .weights
        .iter()
        .map(|(row, weight)| (layout.decode_row(row), weight.clone()))
        .collect();
    Some(WeightedShares {
        total: rows.total.clone(),
        weights,
    })
}
