//! Folds a graph from its root: each node passes its probability on along its branches, and an outcome is credited where it is named for
//! the last time.

use crate::odds::component::{Component, is_open_leaf, open_nodes};
use crate::odds::fixed_point::{Denominators, FixedPoint};
use crate::odds::fraction::Fraction;
use crate::odds::graph::{GraphEdge, GraphNode, NameId, NamesAhead, REFUSED, ValueId, postorder};
pub use crate::odds::graph::{Strategy, taken_edges};
use crate::odds::loop_exits::expected_visits;
use crate::odds::mass::{ChanceArithmetic, MassArithmetic};
use casebook_engine::notation::Weight;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::task;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// A reserved name for the probability of unexplored nodes.
pub const UNEXPLORED: NameId = NameId::MAX;
/// A reserved name for the return value of the procedure.
pub const ANSWER: NameId = NameId::MAX - 1;

/// A reserved name for the probability of all nodes at which the procedure ends without a return value.
pub const ENDED: NameId = NameId::MAX - 2;

/// The probability of each value of each outcome, sorted. An outcome without an entry is never named.
pub type OutcomeChances = FxHashMap<NameId, Vec<(ValueId, Fraction)>>;

/// The number of nodes or branches between two checks of the clock.
pub const CLOCK_INTERVAL: usize = 1_024;

/// A graph in postorder, along which probability flows from the root.
struct Flow<'a, A> {
    order: Vec<&'a Arc<GraphNode>>,
    index: FxHashMap<*const GraphNode, usize>,
    strategy: &'a Strategy,
    until: Option<Instant>,
    /// Whether nothing flows on from a choice.
    stops_at_choices: bool,
    arithmetic: A,
    /// The number of nodes and branches since the last check of the clock.
    work: usize,
}

/// A part of a graph that probability reaches.
enum Reached<'a> {
    Node(&'a GraphNode),
    /// A branch that names outcomes, and the index of its target.
    Edge(&'a GraphEdge, usize),
}

impl<'a> Flow<'a, MassArithmetic> {
    fn new(
        root: &'a GraphEdge,
        strategy: &'a Strategy,
        until: Option<Instant>,
    ) -> Flow<'a, MassArithmetic> {
        let order = postorder(&root.target);
        let index = order
            .iter()
            .enumerate()
            .map(|(index, node)| (Arc::as_ptr(node), index))
            .collect();
        Flow {
            order,
            index,
            strategy,
            until,
            stops_at_choices: false,
            arithmetic: MassArithmetic::default(),
            work: 0,
        }
    }
}

impl<'a, A: ChanceArithmetic> Flow<'a, A> {
    /// Returns the same flow in another arithmetic.
    fn with<B>(self, convert: impl FnOnce(A) -> B) -> Flow<'a, B> {
        let Flow {
            order,
            index,
            strategy,
            until,
            stops_at_choices,
            arithmetic,
            work,
        } = self;
        Flow {
            order,
            index,
            strategy,
            until,
            stops_at_choices,
            arithmetic: convert(arithmetic),
            work,
        }
    }

    fn target(&self, edge: &GraphEdge) -> usize {
        self.index[&Arc::as_ptr(&edge.target)]
    }

    /// Whether the time is up, or the result is no longer wanted; asked after each node.
    fn is_late(&mut self, index: usize) -> bool {
        self.work += 1 + self.order[index].edge_count();
        if self.work < CLOCK_INTERVAL {
            return false;
        }
        self.work = 0;
        task::is_over() || self.until.is_some_and(|end| Instant::now() > end)
    }

    /// Passes probability from the root to the leaves. `visit` gets each node and each branch that names outcomes with its probability; what
    /// can come again, with how often it is expected to come. Returns `None` if the time is up.
    fn run(&mut self, mut visit: impl FnMut(&mut A, Reached, &A::Chance)) -> Option<()> {
        let is_open = open_nodes(&self.order);
        let mut masses: Vec<Option<A::Chance>> = vec![None; self.order.len()];
        if let Some(root) = masses.last_mut() {
            *root = Some(self.arithmetic.certain());
        }
        for index in (0..self.order.len()).rev() {
            if self.is_late(index) {
                return None;
            }
            let Some(mass) = masses[index].take() else {
                continue;
            };
            let node = self.order[index];
            visit(&mut self.arithmetic, Reached::Node(node), &mass);
            match &**node {
                GraphNode::Choice(..) if self.stops_at_choices => continue,
                GraphNode::Loop(recurrence, body) if recurrence.outermost => {
                    let component =
                        Component::new(recurrence.id, body, |node| is_open.contains(&node));
                    let until = self.until;
                    let is_late = || until.is_some_and(|end| Instant::now() > end);
                    let visits =
                        expected_visits(&component, self.strategy, self.stops_at_choices, &is_late)
                            .ok()?;
                    for (body, visits) in component
                        .bodies
                        .iter()
                        .zip(visits)
                        .filter(|(body, visits)| !visits.is_zero() && !is_open_leaf(&body.target))
                    {
                        let (times, of) = visits.parts();
                        let share = self.arithmetic.share(&mass, &times, &of);
                        let target = self.target(body);
                        self.arithmetic.add_to(&mut masses[target], share);
                    }
                    continue;
                }
                _ => {}
            }
            let (total, edges) = taken_edges(node, self.strategy);
            for (weight, edge) in edges {
                let share = self.arithmetic.share(&mass, weight, &total);
                let target = self.target(edge);
                if !edge.outcomes.is_empty() {
                    visit(&mut self.arithmetic, Reached::Edge(edge, target), &share);
                }
                // How often a loop comes is known already.
                if !is_open.is_empty() && is_open_leaf(&edge.target) {
                    continue;
                }
                self.arithmetic.add_to(&mut masses[target], share);
            }
        }
        Some(())
    }
}

/// Returns the probability of reaching each choice under a strategy; of one that can come again, the expected number of times. With `first`
/// the choices that follow another one are left out.
pub fn choice_chances(
    root: &GraphEdge,
    strategy: &Strategy,
    first: bool,
) -> FxHashMap<*const GraphNode, Fraction> {
    let mut chances = FxHashMap::default();
    let mut flow = Flow {
        stops_at_choices: first,
        ..Flow::new(root, strategy, None)
    };
    flow.run(|arithmetic, reached, mass| match reached {
        Reached::Node(node) if matches!(node, GraphNode::Choice(..)) => {
            chances.insert(std::ptr::from_ref(node), arithmetic.fraction(mass));
        }
        _ => {}
    });
    chances
}

/// The probability that an outcome named on a branch is superseded: after its target the outcome is named again, a rule refuses, or
/// nothing is explored.
#[derive(Clone)]
enum Superseded<C> {
    Surely,
    Perhaps(C),
}

/// The probabilities of being superseded, by node and name; 0 where there is no entry. [`REFUSED`] means all outcomes that are not
/// named from a node on.
struct SupersededChances<'a, C> {
    ahead: &'a NamesAhead,
    /// Whether a refusal or something unexplored can be reached from each node.
    unsure: Vec<bool>,
    chances: FxHashMap<(usize, NameId), Superseded<C>>,
}

impl<C: Clone> SupersededChances<'_, C> {
    /// Returns the key of a name at a node; `None` if what is named before the node is never superseded.
    fn key(&self, index: usize, target: &Arc<GraphNode>, name: NameId) -> Option<(usize, NameId)> {
        if self.ahead[&Arc::as_ptr(target)].contains(&name) {
            Some((index, name))
        } else {
            self.unsure[index].then_some((index, REFUSED))
        }
    }

    /// Computes what the branches that name an outcome need. Returns `None` if the time is up.
    fn compute<'a, A: ChanceArithmetic<Chance = C>>(
        flow: &mut Flow<A>,
        root: &GraphEdge,
        ahead: &'a NamesAhead,
    ) -> Option<SupersededChances<'a, C>> {
        let mut superseded = SupersededChances {
            ahead,
            unsure: Vec::with_capacity(flow.order.len()),
            chances: FxHashMap::default(),
        };
        for index in 0..flow.order.len() {
            if flow.is_late(index) {
                return None;
            }
            let node = flow.order[index];
            let leaf = matches!(**node, GraphNode::Refused(_) | GraphNode::Unexplored(..));
            superseded.unsure.push(
                leaf || node
                    .edges()
                    .any(|edge| superseded.unsure[flow.target(edge)]),
            );
        }
        let mut needed: Vec<FxHashSet<NameId>> = vec![FxHashSet::default(); flow.order.len()];
        let top = flow.target(root);
        needed[top].extend(
            root.outcomes
                .iter()
                .filter_map(|(name, _)| Some(superseded.key(top, &root.target, *name)?.1)),
        );
        for index in (0..flow.order.len()).rev() {
            if flow.is_late(index) {
                return None;
            }
            let names = std::mem::take(&mut needed[index]);
            for (_, edge) in taken_edges(flow.order[index], flow.strategy).1 {
                let target = flow.target(edge);
                let own_names = edge.outcomes.iter().map(|(name, _)| name);
                let passed = names
                    .iter()
                    .filter(|name| !edge.outcomes.iter().any(|(named, _)| named == *name));
                needed[target].extend(
                    own_names
                        .chain(passed)
                        .filter_map(|name| Some(superseded.key(target, &edge.target, *name)?.1)),
                );
            }
            needed[index] = names;
        }
        for (index, names) in needed.into_iter().enumerate() {
            if flow.is_late(index) {
                return None;
            }
            for name in names {
                if let Some(chance) = superseded.at_node(flow, index, name) {
                    superseded.chances.insert((index, name), chance);
                }
            }
        }
        Some(superseded)
    }

    fn at_node<A: ChanceArithmetic<Chance = C>>(
        &self,
        flow: &mut Flow<A>,
        index: usize,
        name: NameId,
    ) -> Option<Superseded<C>> {
        let node = flow.order[index];
        if matches!(**node, GraphNode::Refused(_) | GraphNode::Unexplored(..)) {
            return Some(Superseded::Surely);
        }
        let (total, edges) = taken_edges(node, flow.strategy);
        let (mut sure, mut sum): (Weight, Option<C>) = (Weight::ZERO, None);
        for (weight, edge) in edges {
            let named = edge.outcomes.iter().any(|(named, _)| *named == name);
            match if named {
                Some(&Superseded::Surely)
            } else {
                self.chance(flow.target(edge), &edge.target, name)
            } {
                None => {}
                Some(Superseded::Surely) => sure += weight,
                Some(Superseded::Perhaps(mass)) => {
                    let share = flow.arithmetic.share(mass, weight, &total);
                    flow.arithmetic.add_to(&mut sum, share);
                }
            }
        }
        if sure == total {
            return Some(Superseded::Surely);
        }
        if !sure.is_zero() {
            let certain = flow.arithmetic.certain();
            let share = flow.arithmetic.share(&certain, &sure, &total);
            flow.arithmetic.add_to(&mut sum, share);
        }
        sum.map(Superseded::Perhaps)
    }

    /// Returns the probability that an outcome named before a node is superseded from there on; `None` if it never is.
    fn chance(
        &self,
        index: usize,
        target: &Arc<GraphNode>,
        name: NameId,
    ) -> Option<&Superseded<C>> {
        self.chances.get(&self.key(index, target, name)?)
    }
}

/// The number of nodes from which on a graph may have long denominators.
const MIN_LONG_NODES: usize = 256;
/// The number of bases of denominators besides small primes up to which sums over them are fast.
const MAX_LONG_BASES: usize = 8;

/// Computes the distribution of each outcome under a strategy, by its last value, of a graph without loops. Returns `None` if that takes
/// longer than until the given instant.
pub fn outcome_chances(
    root: &GraphEdge,
    ahead: &NamesAhead,
    strategy: &Strategy,
    until: Option<Instant>,
) -> Option<OutcomeChances> {
    let mut flow = Flow::new(root, strategy, until);
    let mut chances = OutcomeChances::default();
    let mut insert = |(name, value), chance: Fraction| {
        if !chance.is_zero() {
            chances
                .entry(name)
                .or_insert_with(Vec::new)
                .push((value, chance));
        }
    };
    if flow.has_long_denominators() {
        let mut flow = flow.with(Denominators);
        let credits = flow.credits(root, ahead)?;
        let product =
            |(outcome, exponents): (_, Vec<u32>)| (outcome, flow.arithmetic.0.product(&exponents));
        let denominators: FxHashMap<(NameId, ValueId), Weight> =
            credits.into_iter().map(product).collect();
        let most_bits = denominators.values().map(Weight::bits).max().unwrap_or(0);
        let mut flow = flow.with(|_| FixedPoint::new(most_bits));
        for (outcome, chance) in flow.credits(root, ahead)? {
            insert(
                outcome,
                flow.arithmetic
                    .fraction(&chance, denominators.get(&outcome)?)?,
            );
        }
    } else {
        let credits = flow.credits(root, ahead)?;
        credits
            .into_iter()
            .for_each(|(outcome, mass)| insert(outcome, flow.arithmetic.fraction(&mass)));
    }
    chances
        .values_mut()
        .for_each(|list| list.sort_by_key(|(value, _)| *value));
    Some(chances)
}

impl Flow<'_, MassArithmetic> {
    /// Whether sums over the denominators of the graph are slow.
    fn has_long_denominators(&mut self) -> bool {
        let throws = self
            .order
            .iter()
            .filter(|node| matches!(****node, GraphNode::Throw(..)));
        let totals = throws.map(|node| taken_edges(node, self.strategy).0);
        self.order.len() >= MIN_LONG_NODES
            && self.arithmetic.count_long_bases(totals) > MAX_LONG_BASES
    }
}

impl<A: ChanceArithmetic> Flow<'_, A> {
    /// Adds up the probabilities with which each value of each outcome is final. Returns `None` if the time is up.
    fn credits(
        &mut self,
        root: &GraphEdge,
        ahead: &NamesAhead,
    ) -> Option<FxHashMap<(NameId, ValueId), A::Chance>> {
        let superseded = SupersededChances::compute(self, root, ahead)?;
        let mut sums: FxHashMap<(NameId, ValueId), A::Chance> = FxHashMap::default();
        let mut credit = |arithmetic: &mut A, reached: Reached, chance: &A::Chance| {
            let mut add = |arithmetic: &mut A, outcome, chance| match sums.entry(outcome) {
                Entry::Occupied(mut sum) => arithmetic.add(sum.get_mut(), chance),
                Entry::Vacant(sum) => {
                    sum.insert(chance);
                }
            };
            match reached {
                Reached::Node(GraphNode::DoneWith(value)) => {
                    add(arithmetic, (ANSWER, *value), chance.clone())
                }
                Reached::Node(
                    node @ (GraphNode::Done | GraphNode::Refused(_) | GraphNode::Unexplored(..)),
                ) => {
                    match node {
                        GraphNode::Refused(refusal) => {
                            add(arithmetic, (REFUSED, *refusal), chance.clone())
                        }
                        GraphNode::Unexplored(..) => {
                            add(arithmetic, (UNEXPLORED, 0), chance.clone())
                        }
                        _ => {}
                    }
                    add(arithmetic, (ENDED, 0), chance.clone());
                }
                Reached::Node(_) => {}
                Reached::Edge(edge, target) => {
                    for (index, (name, value)) in edge.outcomes.iter().enumerate() {
                        // Of the values that a branch gives an outcome, the last one counts.
                        if edge.outcomes[index + 1..]
                            .iter()
                            .any(|(later, _)| later == name)
                        {
                            continue;
                        }
                        match superseded.chance(target, &edge.target, *name) {
                            None => add(arithmetic, (*name, *value), chance.clone()),
                            Some(Superseded::Surely) => {}
                            Some(Superseded::Perhaps(again)) => {
                                let stands = arithmetic.complement(again);
                                let chance = arithmetic.multiply(chance, &stands);
                                add(arithmetic, (*name, *value), chance);
                            }
                        }
                    }
                }
            }
        };
        let target = self.target(root);
        let certain = self.arithmetic.certain();
        credit(&mut self.arithmetic, Reached::Edge(root, target), &certain);
        self.run(credit)?;
        Some(sums)
    }
}
