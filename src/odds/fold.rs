//! Folds a graph from its leaves to the marginal distribution of each outcome.

use crate::odds::fraction::Fraction;
use crate::odds::graph::{GraphEdge, GraphNode, NameId, REFUSED, ValueId, postorder};
use dashu_int::UBig;
use dashu_int::ops::{BitTest, Gcd};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A reserved name for the probability of unexplored nodes.
pub const UNEXPLORED: NameId = NameId::MAX;
/// A reserved name for the return value of the procedure.
pub const ANSWER: NameId = NameId::MAX - 1;

/// A distribution with integer weights over a common denominator.
#[derive(Clone, Debug)]
pub struct WeightedShares<K> {
    pub(super) total: UBig,
    pub(super) weights: Vec<(K, UBig)>,
}

impl<K> WeightedShares<K> {
    pub(super) fn certain(value: K) -> WeightedShares<K> {
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

    /// Returns the sum of all probabilities.
    pub fn sum(&self) -> Fraction {
        Fraction::new(self.weights.iter().map(|(_, ways)| ways).sum(), self.total.clone())
    }

    /// Returns the weighted mixture of several distributions.
    fn mix(parts: &[(u128, SumTerm<'_, K>)], weights: u128) -> WeightedShares<K>
    where
        K: Clone + Ord,
    {
        // Most branches share a target, so equal terms are merged first.
        let mut apart: Vec<(u128, &SumTerm<'_, K>)> = Vec::with_capacity(parts.len());
        for (weight, part) in parts {
            match apart.iter_mut().find(|(_, known)| known.ptr_eq(part)) {
                Some((sum, _)) => *sum += weight,
                None => apart.push((*weight, part)),
            }
        }
        let common = common_multiple(apart.iter().map(|(_, part)| part.total()));
        let mut all: Vec<(&K, UBig)> = Vec::new();
        for (weight, part) in &apart {
            let factor = if *part.total() == common { UBig::from(*weight) } else { (&common / part.total()) * *weight };
            match part {
                SumTerm::Shares(shares) => all.extend(shares.weights.iter().map(|(value, ways)| (value, ways * &factor))),
                SumTerm::Rest(value, top, _) => all.push((value, top * &factor)),
            }
        }
        // Each part is sorted, so the stable sort only merges runs.
        all.sort_by_key(|(value, _)| *value);
        let mut ways: Vec<(K, UBig)> = Vec::new();
        for (value, more) in all.into_iter().filter(|(_, more)| *more != UBig::ZERO) {
            match ways.last_mut().filter(|(known, _)| known == value) {
                Some((_, ways)) => *ways += more,
                None => ways.push((value.clone(), more)),
            }
        }
        WeightedShares { total: common * weights, weights: ways }.reduce()
    }

    /// Reduces the weights by a common divisor once they have grown long.
    pub(super) fn reduce(mut self) -> WeightedShares<K> {
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
pub(super) fn common_multiple<'a>(all: impl Iterator<Item = &'a UBig>) -> UBig {
    all.fold(UBig::ONE, |common, one| if *one == common { common } else { &common / (&common).gcd(one) * one })
}

/// A term of a mixture: a distribution, or all remaining probability on one value.
enum SumTerm<'a, K> {
    Shares(&'a WeightedShares<K>),
    Rest(K, UBig, UBig),
}

/// The size in bits up to which a number is not worth reducing.
const MAX_SMALL_BITS: usize = 64;

impl<K> SumTerm<'_, K> {
    fn ptr_eq(&self, other: &SumTerm<'_, K>) -> bool {
        matches!((self, other), (SumTerm::Shares(own), SumTerm::Shares(other)) if std::ptr::eq(*own, *other))
    }

    fn total(&self) -> &UBig {
        match self {
            SumTerm::Shares(shares) => &shares.total,
            SumTerm::Rest(_, _, all) => all,
        }
    }
}

/// The option taken at each choice.
pub type Strategy = FxHashMap<*const GraphNode, usize>;

/// The distribution of one outcome's values.
type OutcomeChances = Arc<WeightedShares<ValueId>>;

/// The marginal distributions of all outcomes from one node on, sorted by name. An outcome without an entry is not named from here on.
#[derive(Clone, Debug, Default)]
pub struct Marginals(pub Vec<(NameId, OutcomeChances)>);

impl Marginals {
    /// Returns the distribution of one outcome.
    pub fn get(&self, name: NameId) -> Option<&OutcomeChances> {
        let place = self.0.binary_search_by_key(&name, |(known, _)| *known).ok()?;
        Some(&self.0[place].1)
    }

    /// Returns the probability that an outcome is named, refused or unexplored.
    fn total_chance(&self, name: NameId) -> Fraction {
        [name, REFUSED, UNEXPLORED].iter().filter_map(|name| self.get(*name)).fold(Fraction::ZERO, |sum, shares| &sum + &shares.sum())
    }
}

/// Reference counts of intermediate results: numbers grow long, so each result is freed after its last use.
pub(super) struct Uses(FxHashMap<*const GraphNode, usize>);

/// Counts the incoming branches of each node.
pub(super) fn uses(nodes: &[&Arc<GraphNode>]) -> Uses {
    let mut uses: FxHashMap<*const GraphNode, usize> = FxHashMap::default();
    nodes.iter().flat_map(|node| node.next()).for_each(|branch| *uses.entry(Arc::as_ptr(&branch.target)).or_insert(0) += 1);
    Uses(uses)
}

impl Uses {
    /// Marks a node as done and reports the successors whose results are no longer needed.
    pub(super) fn done(&mut self, node: &GraphNode, mut tell: impl FnMut(*const GraphNode)) {
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

/// Computes the marginal distributions of all outcomes under a strategy.
pub fn marginals(root: &GraphEdge, picked: &Strategy) -> Marginals {
    let mut known: FxHashMap<*const GraphNode, Arc<Marginals>> = FxHashMap::default();
    let order = postorder(&root.target);
    let mut uses = uses(&order);
    for node in order {
        let found = match &**node {
            GraphNode::Done => Marginals::default(),
            GraphNode::DoneWith(value) => Marginals(vec![(ANSWER, Arc::new(WeightedShares::certain(*value)))]),
            GraphNode::Refused(by) => Marginals(vec![(REFUSED, Arc::new(WeightedShares::certain(*by)))]),
            GraphNode::Unexplored(..) => Marginals(vec![(UNEXPLORED, Arc::new(WeightedShares::certain(0)))]),
            GraphNode::Throw(ways) => {
                let parts: Vec<_> = ways.iter().map(|(weight, branch)| (*weight, branch, &known[&Arc::as_ptr(&branch.target)])).collect();
                mix_marginals(&parts)
            }
            GraphNode::Choice(_, _, options) => {
                let branch = &options[picked.get(&Arc::as_ptr(node)).copied().unwrap_or(0)];
                mix_marginals(&[(1, branch, &known[&Arc::as_ptr(&branch.target)])])
            }
        };
        uses.done(node, |node| drop(known.remove(&node)));
        known.insert(Arc::as_ptr(node), Arc::new(found));
    }
    mix_marginals(&[(1, root, &known[&Arc::as_ptr(&root.target)])])
}

/// Returns the mixture of the marginals of several weighted branches.
fn mix_marginals(ways: &[(u128, &GraphEdge, &Arc<Marginals>)]) -> Marginals {
    let mut names: Vec<NameId> = Vec::new();
    let mut before: Option<&Arc<Marginals>> = None;
    for (_, branch, marginals) in ways {
        names.extend(branch.outcomes.iter().map(|(name, _)| *name));
        // Most branches share a target.
        if before.is_none_or(|before| !Arc::ptr_eq(before, marginals)) {
            names.extend(marginals.0.iter().map(|(name, _)| *name));
        }
        before = Some(marginals);
    }
    names.sort_unstable();
    names.dedup();
    let weights: u128 = ways.iter().map(|(weight, ..)| weight).sum();
    let one = |name: NameId| {
        let last = |branch: &GraphEdge| branch.outcomes.iter().rev().find(|(named, _)| *named == name).map(|(_, value)| *value);
        let first = ways[0].2.get(name);
        let alike = ways.iter().all(|(_, branch, marginals)| match (marginals.get(name), first) {
            (Some(own), Some(first)) => Arc::ptr_eq(own, first) && last(branch).is_none(),
            _ => false,
        });
        if let (true, Some(first)) = (alike, first) {
            return first.clone();
        }
        let mut parts: Vec<(u128, SumTerm<ValueId>)> = Vec::with_capacity(ways.len());
        for (weight, branch, marginals) in ways {
            if let Some(own) = marginals.get(name) {
                parts.push((*weight, SumTerm::Shares(own)));
            }
            if let Some(value) = last(branch) {
                let rest = match marginals.0.is_empty() {
                    true => (UBig::ONE, UBig::ONE),
                    false => (&Fraction::ONE - &marginals.total_chance(name)).numerator_and_denominator(),
                };
                parts.push((*weight, SumTerm::Rest(value, rest.0, rest.1)));
            }
        }
        Arc::new(WeightedShares::mix(&parts, weights))
    };
    Marginals(names.into_iter().map(|name| (name, one(name))).collect())
}
