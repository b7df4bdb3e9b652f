//! Folds a graph from its root: each node passes its probability on along its branches, and an outcome is credited where it is named for
//! the last time.

use crate::odds::fraction::Fraction;
use crate::odds::graph::{GraphEdge, GraphNode, NameId, NamesAhead, REFUSED, ValueId, postorder};
use crate::odds::mass::{Mass, MassArithmetic};
use crate::platform::clock::Instant;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A reserved name for the probability of unexplored nodes.
pub const UNEXPLORED: NameId = NameId::MAX;
/// A reserved name for the return value of the procedure.
pub const ANSWER: NameId = NameId::MAX - 1;

/// The option taken at each choice.
pub type Strategy = FxHashMap<*const GraphNode, usize>;

/// The probability of each value of each outcome, sorted. An outcome without an entry is never named.
pub type OutcomeChances = FxHashMap<NameId, Vec<(ValueId, Fraction)>>;

/// The number of nodes between two checks of the clock.
pub const CLOCK_INTERVAL: usize = 1_024;

/// A graph in postorder.
struct Flow<'a> {
    order: Vec<&'a Arc<GraphNode>>,
    index: FxHashMap<*const GraphNode, usize>,
    picked: &'a Strategy,
    until: Option<Instant>,
    arithmetic: MassArithmetic,
}

/// The branches that may be taken from a node under a strategy, with their weights, and the sum of these.
fn taken_ways<'a>(node: &'a Arc<GraphNode>, picked: &Strategy) -> (u128, impl Iterator<Item = (u128, &'a GraphEdge)>) {
    let (ways, option): (&[(u128, GraphEdge)], Option<&GraphEdge>) = match &**node {
        GraphNode::Throw(ways) => (ways, None),
        GraphNode::Choice(_, _, options) => (&[], options.get(picked.get(&Arc::as_ptr(node)).copied().unwrap_or(0))),
        _ => (&[], None),
    };
    let total = if option.is_some() { 1 } else { ways.iter().map(|(weight, _)| weight).sum() };
    (total, ways.iter().map(|(weight, branch)| (*weight, branch)).chain(option.map(|branch| (1, branch))))
}

impl<'a> Flow<'a> {
    fn new(root: &'a GraphEdge, picked: &'a Strategy, until: Option<Instant>) -> Flow<'a> {
        let order = postorder(&root.target);
        let index = order.iter().enumerate().map(|(place, node)| (Arc::as_ptr(node), place)).collect();
        Flow { order, index, picked, until, arithmetic: MassArithmetic::default() }
    }

    fn place(&self, branch: &GraphEdge) -> usize {
        self.index[&Arc::as_ptr(&branch.target)]
    }

    fn is_late(&self, place: usize) -> bool {
        place.is_multiple_of(CLOCK_INTERVAL) && self.until.is_some_and(|end| Instant::now() > end)
    }

    /// Passes probability from the root to the leaves. `visit` gets each node with its probability, and a function to call for each
    /// branch; it returns false if nothing flows on from the node. Returns `None` if the time is up.
    fn run(
        &mut self,
        mut visit: impl FnMut(&mut MassArithmetic, usize, &GraphNode, &Mass) -> bool,
        mut pass: impl FnMut(&mut MassArithmetic, &GraphEdge, usize, &Mass),
    ) -> Option<()> {
        let mut masses: Vec<Option<Mass>> = vec![None; self.order.len()];
        if let Some(root) = masses.last_mut() {
            *root = Some(Mass::certain());
        }
        for place in (0..self.order.len()).rev() {
            if self.is_late(place) {
                return None;
            }
            let Some(mass) = masses[place].take() else { continue };
            let node = self.order[place];
            if !visit(&mut self.arithmetic, place, node, &mass) {
                continue;
            }
            let (total, ways) = taken_ways(node, self.picked);
            for (weight, branch) in ways {
                let share = self.arithmetic.share(&mass, weight, total);
                let target = self.place(branch);
                if !branch.outcomes.is_empty() {
                    pass(&mut self.arithmetic, branch, target, &share);
                }
                match &mut masses[target] {
                    Some(sum) => self.arithmetic.add(sum, share),
                    free => *free = Some(share),
                }
            }
        }
        Some(())
    }
}

/// Returns the probability of reaching each choice under a strategy. With `first` the choices that follow another one are left out.
pub fn choice_chances(root: &GraphEdge, picked: &Strategy, first: bool) -> FxHashMap<*const GraphNode, Fraction> {
    let mut reach = FxHashMap::default();
    let visit = |arithmetic: &mut MassArithmetic, _: usize, node: &GraphNode, mass: &Mass| {
        let chooses = matches!(node, GraphNode::Choice(..));
        if chooses {
            reach.insert(std::ptr::from_ref(node), arithmetic.fraction(mass));
        }
        !(chooses && first)
    };
    Flow::new(root, picked, None).run(visit, |_, _, _, _| ());
    reach
}

/// The probability that an outcome named on a branch does not stand: behind its target the outcome is named again, a rule refuses, or
/// nothing is explored.
#[derive(Clone)]
enum Superseded {
    Surely,
    Perhaps(Mass),
}

/// The probabilities of being superseded, by node and name; 0 where there is no entry. [`REFUSED`] stands for all outcomes that are not
/// named from a node on.
struct SupersededChances<'a> {
    ahead: &'a NamesAhead,
    /// Whether a refusal or something unexplored can be reached from each node.
    unsure: Vec<bool>,
    chances: FxHashMap<(usize, NameId), Superseded>,
}

impl SupersededChances<'_> {
    /// Returns the key of a name at a node; `None` if what is named before the node stands for sure.
    fn key(&self, place: usize, target: &Arc<GraphNode>, name: NameId) -> Option<(usize, NameId)> {
        match () {
            () if self.ahead[&Arc::as_ptr(target)].contains(&name) => Some((place, name)),
            () if self.unsure[place] => Some((place, REFUSED)),
            () => None,
        }
    }

    /// Computes what the branches that name an outcome need. Returns `None` if the time is up.
    fn compute<'a>(flow: &mut Flow, root: &GraphEdge, ahead: &'a NamesAhead) -> Option<SupersededChances<'a>> {
        let mut found = SupersededChances { ahead, unsure: Vec::with_capacity(flow.order.len()), chances: FxHashMap::default() };
        for node in &flow.order {
            let leaf = matches!(***node, GraphNode::Refused(_) | GraphNode::Unexplored(..));
            found.unsure.push(leaf || node.next().any(|branch| found.unsure[flow.place(branch)]));
        }
        let mut wanted: Vec<FxHashSet<NameId>> = vec![FxHashSet::default(); flow.order.len()];
        let top = flow.place(root);
        wanted[top].extend(root.outcomes.iter().filter_map(|(name, _)| Some(found.key(top, &root.target, *name)?.1)));
        for place in (0..flow.order.len()).rev() {
            let names = std::mem::take(&mut wanted[place]);
            for (_, branch) in taken_ways(flow.order[place], flow.picked).1 {
                let target = flow.place(branch);
                let own = branch.outcomes.iter().map(|(name, _)| name);
                let passed = names.iter().filter(|name| !branch.outcomes.iter().any(|(named, _)| named == *name));
                wanted[target].extend(own.chain(passed).filter_map(|name| Some(found.key(target, &branch.target, *name)?.1)));
            }
            wanted[place] = names;
        }
        for (place, names) in wanted.into_iter().enumerate() {
            if flow.is_late(place) {
                return None;
            }
            for name in names {
                if let Some(chance) = found.at_node(flow, place, name) {
                    found.chances.insert((place, name), chance);
                }
            }
        }
        Some(found)
    }

    fn at_node(&self, flow: &mut Flow, place: usize, name: NameId) -> Option<Superseded> {
        let node = flow.order[place];
        if matches!(**node, GraphNode::Refused(_) | GraphNode::Unexplored(..)) {
            return Some(Superseded::Surely);
        }
        let (total, ways) = taken_ways(node, flow.picked);
        let (mut sure, mut sum): (u128, Option<Mass>) = (0, None);
        for (weight, branch) in ways {
            if branch.outcomes.iter().any(|(named, _)| *named == name) {
                sure += weight;
                continue;
            }
            let target = flow.place(branch);
            match self.key(target, &branch.target, name).and_then(|key| self.chances.get(&key)) {
                None => {}
                Some(Superseded::Surely) => sure += weight,
                Some(Superseded::Perhaps(mass)) => {
                    let share = flow.arithmetic.share(mass, weight, total);
                    match &mut sum {
                        Some(sum) => flow.arithmetic.add(sum, share),
                        free => *free = Some(share),
                    }
                }
            }
        }
        if sure == total {
            return Some(Superseded::Surely);
        }
        let surely = (sure > 0).then(|| flow.arithmetic.share(&Mass::certain(), sure, total));
        match (sum, surely) {
            (Some(mut sum), Some(surely)) => {
                flow.arithmetic.add(&mut sum, surely);
                Some(Superseded::Perhaps(sum))
            }
            (sum, surely) => sum.or(surely).map(Superseded::Perhaps),
        }
    }
}

/// Computes the distribution of each outcome under a strategy, by its last value. Returns `None` if that takes longer than until the
/// given instant.
pub fn outcome_chances(root: &GraphEdge, ahead: &NamesAhead, picked: &Strategy, until: Option<Instant>) -> Option<OutcomeChances> {
    let mut flow = Flow::new(root, picked, until);
    let superseded = SupersededChances::compute(&mut flow, root, ahead)?;
    let credits = Credits::default();
    let mut sums = std::cell::RefCell::new(credits);
    let credit_branch = |arithmetic: &mut MassArithmetic, branch: &GraphEdge, target: usize, share: &Mass| {
        let named = &branch.outcomes;
        // Of the values that a branch gives an outcome, the last one stands.
        let last = |place: usize| named[place + 1..].iter().all(|(name, _)| *name != named[place].0);
        for (name, value) in (0..named.len()).filter(|place| last(*place)).map(|place| named[place]) {
            let mass = match superseded.key(target, &branch.target, name).and_then(|key| superseded.chances.get(&key)) {
                None => share.clone(),
                Some(Superseded::Surely) => continue,
                Some(Superseded::Perhaps(chance)) => {
                    let stands = arithmetic.complement(chance);
                    arithmetic.multiply(share, &stands)
                }
            };
            sums.borrow_mut().add(arithmetic, (name, value), mass);
        }
    };
    let credit_leaf = |arithmetic: &mut MassArithmetic, _: usize, node: &GraphNode, mass: &Mass| {
        let named = match node {
            GraphNode::DoneWith(value) => (ANSWER, *value),
            GraphNode::Refused(by) => (REFUSED, *by),
            GraphNode::Unexplored(..) => (UNEXPLORED, 0),
            _ => return true,
        };
        sums.borrow_mut().add(arithmetic, named, mass.clone());
        true
    };
    let place = flow.place(root);
    credit_branch(&mut flow.arithmetic, root, place, &Mass::certain());
    flow.run(credit_leaf, credit_branch)?;
    let mut chances = OutcomeChances::default();
    for ((name, value), mass) in std::mem::take(sums.get_mut()).0 {
        let chance = flow.arithmetic.fraction(&mass);
        if !chance.is_zero() {
            chances.entry(name).or_default().push((value, chance));
        }
    }
    chances.values_mut().for_each(|list| list.sort_by_key(|(value, _)| *value));
    Some(chances)
}

/// The probabilities credited so far, by outcome and value.
#[derive(Default)]
struct Credits(FxHashMap<(NameId, ValueId), Mass>);

impl Credits {
    fn add(&mut self, arithmetic: &mut MassArithmetic, named: (NameId, ValueId), mass: Mass) {
        match self.0.get_mut(&named) {
            Some(sum) => arithmetic.add(sum, mass),
            None => drop(self.0.insert(named, mass)),
        }
    }
}
