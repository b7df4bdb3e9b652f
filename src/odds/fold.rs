//! Chances folded back from the ends of a graph: for each outcome by itself.

use crate::odds::fraction::Fraction;
use crate::odds::graph::{Branch, NameId, Node, REFUSED, ValueId, from_the_ends};
use dashu_int::UBig;
use dashu_int::ops::{BitTest, Gcd};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Stands among the names for what nobody has looked at yet.
pub const UNSEEN: NameId = NameId::MAX;
/// Stands among the names for what the procedure answers.
pub const ANSWER: NameId = NameId::MAX - 1;

/// The chances of values, as ways out of a common number.
#[derive(Clone, Debug)]
pub struct Shares<K> {
    pub(super) all: UBig,
    pub(super) ways: Vec<(K, UBig)>,
}

impl<K> Shares<K> {
    pub(super) fn sure(value: K) -> Shares<K> {
        Shares { all: UBig::ONE, ways: vec![(value, UBig::ONE)] }
    }

    /// The chances, as fractions.
    pub fn fractions(&self) -> impl Iterator<Item = (&K, Fraction)> {
        self.ways.iter().map(|(value, ways)| (value, Fraction::of(ways.clone(), self.all.clone())))
    }

    /// The values that have the greatest chance.
    pub fn likeliest(&self) -> impl Iterator<Item = (&K, Fraction)> {
        let most = self.ways.iter().map(|(_, ways)| ways).max();
        let as_likely = self.ways.iter().filter(move |(_, ways)| Some(ways) == most);
        as_likely.map(|(value, ways)| (value, Fraction::of(ways.clone(), self.all.clone())))
    }

    /// All of them together.
    pub fn sum(&self) -> Fraction {
        Fraction::of(self.ways.iter().map(|(_, ways)| ways).sum(), self.all.clone())
    }

    /// The weighted sum of several.
    fn mixed(parts: &[(u128, Part<'_, K>)], weights: u128) -> Shares<K>
    where
        K: Clone + Ord,
    {
        // Most ways meet again at once.
        let mut apart: Vec<(u128, &Part<'_, K>)> = Vec::with_capacity(parts.len());
        for (weight, part) in parts {
            match apart.iter_mut().find(|(_, known)| known.is(part)) {
                Some((sum, _)) => *sum += weight,
                None => apart.push((*weight, part)),
            }
        }
        let common = common(apart.iter().map(|(_, part)| part.all()));
        let mut all: Vec<(&K, UBig)> = Vec::new();
        for (weight, part) in &apart {
            let factor = if *part.all() == common { UBig::from(*weight) } else { (&common / part.all()) * *weight };
            match part {
                Part::Of(shares) => all.extend(shares.ways.iter().map(|(value, ways)| (value, ways * &factor))),
                Part::Rest(value, top, _) => all.push((value, top * &factor)),
            }
        }
        // Each part is in order by itself: to sort them is to lay them into each other.
        all.sort_by_key(|(value, _)| *value);
        let mut ways: Vec<(K, UBig)> = Vec::new();
        for (value, more) in all.into_iter().filter(|(_, more)| *more != UBig::ZERO) {
            match ways.last_mut().filter(|(known, _)| known == value) {
                Some((_, ways)) => *ways += more,
                None => ways.push((value.clone(), more)),
            }
        }
        Shares { all: common * weights, ways }.reduced()
    }

    /// With smaller numbers where they have become long.
    pub(super) fn reduced(mut self) -> Shares<K> {
        if self.ways.is_empty() {
            self.all = UBig::ONE;
        }
        if self.all.bit_len() <= SHORT {
            return self;
        }
        let mut shared = self.all.clone();
        for (_, ways) in &self.ways {
            if shared == UBig::ONE {
                return self;
            }
            shared = shared.gcd(ways);
        }
        self.all /= &shared;
        self.ways.iter_mut().for_each(|(_, ways)| *ways /= &shared);
        self
    }
}

/// The least number that all of these go into.
pub(super) fn common<'a>(all: impl Iterator<Item = &'a UBig>) -> UBig {
    all.fold(UBig::ONE, |common, one| if *one == common { common } else { &common / (&common).gcd(one) * one })
}

/// A part of a weighted sum: chances, or one value for what is left.
enum Part<'a, K> {
    Of(&'a Shares<K>),
    Rest(K, UBig, UBig),
}

/// Bits of a number that nobody minds.
const SHORT: usize = 64;

impl<K> Part<'_, K> {
    fn is(&self, other: &Part<'_, K>) -> bool {
        matches!((self, other), (Part::Of(own), Part::Of(other)) if std::ptr::eq(*own, *other))
    }

    fn all(&self) -> &UBig {
        match self {
            Part::Of(shares) => &shares.all,
            Part::Rest(_, _, all) => all,
        }
    }
}

/// Which option is taken at a choice.
pub type Picked = FxHashMap<*const Node, usize>;

/// The chances of one outcome's values.
type Single = Arc<Shares<ValueId>>;

/// The chances of every outcome by itself, from one node on: by name, in order. What no name stands for is not named from here on.
#[derive(Clone, Debug, Default)]
pub struct Marginals(pub Vec<(NameId, Single)>);

impl Marginals {
    /// The chances of one outcome.
    pub fn get(&self, name: NameId) -> Option<&Single> {
        let place = self.0.binary_search_by_key(&name, |(known, _)| *known).ok()?;
        Some(&self.0[place].1)
    }

    /// How likely it is that something is named, refused, or not looked at.
    fn spoken(&self, name: NameId) -> Fraction {
        [name, REFUSED, UNSEEN].iter().filter_map(|name| self.get(*name)).fold(Fraction::ZERO, |sum, shares| &sum + &shares.sum())
    }
}

/// How often what is known of a node is still needed: numbers grow long, and are kept no longer than that.
pub(super) struct Uses(FxHashMap<*const Node, usize>);

/// Counts how often each node is led to.
pub(super) fn uses(nodes: &[&Arc<Node>]) -> Uses {
    let mut uses: FxHashMap<*const Node, usize> = FxHashMap::default();
    nodes.iter().flat_map(|node| node.next()).for_each(|branch| *uses.entry(Arc::as_ptr(&branch.to)).or_insert(0) += 1);
    Uses(uses)
}

impl Uses {
    /// A node is worked out: tells which of those behind it are not needed any more.
    pub(super) fn done(&mut self, node: &Node, mut tell: impl FnMut(*const Node)) {
        for branch in node.next() {
            let place = Arc::as_ptr(&branch.to);
            if let Some(left) = self.0.get_mut(&place) {
                *left -= 1;
                if *left == 0 {
                    tell(place);
                }
            }
        }
    }
}

/// The chances of every outcome by itself.
pub fn marginals(root: &Branch, picked: &Picked) -> Marginals {
    let mut known: FxHashMap<*const Node, Arc<Marginals>> = FxHashMap::default();
    let order = from_the_ends(&root.to);
    let mut uses = uses(&order);
    for node in order {
        let found = match &**node {
            Node::Done => Marginals::default(),
            Node::Came(value) => Marginals(vec![(ANSWER, Arc::new(Shares::sure(*value)))]),
            Node::Refused(by) => Marginals(vec![(REFUSED, Arc::new(Shares::sure(*by)))]),
            Node::Unseen(..) => Marginals(vec![(UNSEEN, Arc::new(Shares::sure(0)))]),
            Node::Throw(ways) => {
                let parts: Vec<_> = ways.iter().map(|(weight, branch)| (*weight, branch, &known[&Arc::as_ptr(&branch.to)])).collect();
                joined(&parts)
            }
            Node::Choice(_, _, options) => {
                let branch = &options[picked.get(&Arc::as_ptr(node)).copied().unwrap_or(0)];
                joined(&[(1, branch, &known[&Arc::as_ptr(&branch.to)])])
            }
        };
        uses.done(node, |node| drop(known.remove(&node)));
        known.insert(Arc::as_ptr(node), Arc::new(found));
    }
    joined(&[(1, root, &known[&Arc::as_ptr(&root.to)])])
}

/// The chances where one of several ways is taken.
fn joined(ways: &[(u128, &Branch, &Arc<Marginals>)]) -> Marginals {
    let mut names: Vec<NameId> = Vec::new();
    let mut before: Option<&Arc<Marginals>> = None;
    for (_, branch, marginals) in ways {
        names.extend(branch.named.iter().map(|(name, _)| *name));
        // Most ways meet again at once.
        if before.is_none_or(|before| !Arc::ptr_eq(before, marginals)) {
            names.extend(marginals.0.iter().map(|(name, _)| *name));
        }
        before = Some(marginals);
    }
    names.sort_unstable();
    names.dedup();
    let weights: u128 = ways.iter().map(|(weight, ..)| weight).sum();
    let one = |name: NameId| {
        let last = |branch: &Branch| branch.named.iter().rev().find(|(named, _)| *named == name).map(|(_, value)| *value);
        let first = ways[0].2.get(name);
        let alike = ways.iter().all(|(_, branch, marginals)| match (marginals.get(name), first) {
            (Some(own), Some(first)) => Arc::ptr_eq(own, first) && last(branch).is_none(),
            _ => false,
        });
        if let (true, Some(first)) = (alike, first) {
            return first.clone();
        }
        let mut parts: Vec<(u128, Part<ValueId>)> = Vec::with_capacity(ways.len());
        for (weight, branch, marginals) in ways {
            if let Some(own) = marginals.get(name) {
                parts.push((*weight, Part::Of(own)));
            }
            if let Some(value) = last(branch) {
                let rest = match marginals.0.is_empty() {
                    true => (UBig::ONE, UBig::ONE),
                    false => (&Fraction::ONE - &marginals.spoken(name)).parts(),
                };
                parts.push((*weight, Part::Rest(value, rest.0, rest.1)));
            }
        }
        Arc::new(Shares::mixed(&parts, weights))
    };
    Marginals(names.into_iter().map(|name| (name, one(name))).collect())
}
