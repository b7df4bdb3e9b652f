//! Replaces a component of a graph without choices, or with choices settled by a strategy, by one throw of its exits, with the
//! outcomes named on the way. So nothing that folds a graph has to know of loops.
//!
//! A way through the component names outcomes, of which the last value counts. A stage of it is a loop with the outcomes named before;
//! the number of times that a stage is expected to come solves a system of linear equations.

use crate::odds::component::{Component, ComponentTarget, open_nodes};
use crate::odds::fraction::Fraction;
use crate::odds::graph::{
    GraphEdge, GraphNode, NameId, NamedOutcomes, NodeIdentity, Strategy, ValueId, WeightedEdges,
    postorder, taken_edges,
};
use crate::odds::linear::{Equation, solve};
use crate::odds::mass::{ChanceArithmetic, Mass, MassArithmetic};
use crate::odds::modular::LinearFault;
use casebook_engine::notation::Weight;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::hash::Hash;
use std::sync::Arc;

/// The maximum number of stages of a component.
const MAX_STAGES: usize = 10_000;

/// The reason why a component can't be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopFault {
    /// It is never left.
    Endless,
    /// It has too many loops, or too many values are named in them.
    TooLarge,
    /// The time is up.
    Late,
}

impl From<LinearFault> for LoopFault {
    fn from(fault: LinearFault) -> LoopFault {
        match fault {
            LinearFault::Singular => LoopFault::Endless,
            LinearFault::Late => LoopFault::Late,
        }
    }
}

/// Where a way through a component ends.
#[derive(Clone, PartialEq, Eq, Hash)]
enum End {
    Loop(usize),
    Exit(NodeIdentity),
}

/// Sums by key, in the order in which the keys were first met.
struct Sums<K, V> {
    index: FxHashMap<K, usize>,
    list: Vec<(K, V)>,
}

impl<K: Clone + Eq + Hash, V> Sums<K, V> {
    fn new() -> Sums<K, V> {
        Sums {
            index: FxHashMap::default(),
            list: Vec::new(),
        }
    }

    fn add(&mut self, key: K, value: V, add: impl FnOnce(&mut V, V)) {
        match self.index.get(&key) {
            Some(index) => add(&mut self.list[*index].1, value),
            None => {
                self.index.insert(key.clone(), self.list.len());
                self.list.push((key, value));
            }
        }
    }
}

/// The outcomes named along a way, each with its last value.
fn named_then(before: &NamedOutcomes, after: &[(NameId, ValueId)]) -> NamedOutcomes {
    if after.is_empty() {
        return before.clone();
    }
    let mut named = before.to_vec();
    for (name, value) in after {
        match named.iter_mut().find(|(outcome, _)| outcome == name) {
            Some((_, last)) => *last = *value,
            None => named.push((*name, *value)),
        }
    }
    named.into()
}

/// The ways from a loop to the next one or out: the outcomes named, the end, and the probability.
type LoopExits = Vec<((NamedOutcomes, End), Fraction)>;

/// The ways through a component.
struct LoopSearch<'a> {
    component: &'a Component<'a>,
    strategy: &'a Strategy,
    is_late: &'a dyn Fn() -> bool,
    exits: FxHashMap<NodeIdentity, &'a Arc<GraphNode>>,
}

impl<'a> LoopSearch<'a> {
    /// Returns for each loop the outcomes whose value before it counts for nothing: every way out names them again.
    fn surely_named(&self) -> Result<Vec<FxHashSet<NameId>>, LoopFault> {
        let (bodies, nodes) = (&self.component.bodies, &self.component.nodes);
        // The loops come first, then the nodes.
        let taken = nodes.iter().enumerate().flat_map(|(index, node)| {
            let edges = taken_edges(node, self.strategy).1;
            edges.map(move |(_, edge)| (bodies.len() + index, edge))
        });
        let mut ways_to: Vec<Vec<(usize, &NamedOutcomes)>> =
            vec![Vec::new(); bodies.len() + nodes.len()];
        let mut ways_out: Vec<(usize, &NamedOutcomes)> = Vec::new();
        for (from, edge) in bodies.iter().copied().enumerate().chain(taken) {
            match self.component.target(edge) {
                ComponentTarget::Loop(index) => &mut ways_to[index],
                ComponentTarget::Open(index) => &mut ways_to[bodies.len() + index],
                // A refusal discards what was named.
                ComponentTarget::Exit(node) if matches!(**node, GraphNode::Refused(_)) => continue,
                ComponentTarget::Exit(_) => &mut ways_out,
            }
            .push((from, &edge.outcomes));
        }
        let named: FxHashSet<NameId> = ways_to
            .iter()
            .chain([&ways_out])
            .flatten()
            .flat_map(|(_, outcomes)| outcomes.iter().map(|(name, _)| *name))
            .collect();
        let mut surely_named = vec![FxHashSet::default(); bodies.len()];
        for name in named {
            if (self.is_late)() {
                return Err(LoopFault::Late);
            }
            // Backwards from where the component is left without naming it.
            let unnamed = |ways: &[(usize, &NamedOutcomes)]| -> Vec<usize> {
                let ways = ways
                    .iter()
                    .filter(|(_, outcomes)| outcomes.iter().all(|(outcome, _)| *outcome != name));
                ways.map(|(from, _)| *from).collect()
            };
            let mut is_reached = vec![false; ways_to.len()];
            let mut todo = unnamed(&ways_out);
            while let Some(place) = todo.pop() {
                if !std::mem::replace(&mut is_reached[place], true) {
                    todo.extend(unnamed(&ways_to[place]));
                }
            }
            for (index, names) in surely_named.iter_mut().enumerate() {
                if !is_reached[index] {
                    names.insert(name);
                }
            }
        }
        Ok(surely_named)
    }

    /// Returns the ways from a loop to the next loop, or out of the component.
    fn ways_from(&mut self, index: usize) -> Result<LoopExits, LoopFault> {
        let component = self.component;
        let mut arithmetic = MassArithmetic::default();
        let mut masses: Vec<Option<Sums<NamedOutcomes, Mass>>> = Vec::new();
        masses.resize_with(component.nodes.len(), || None);
        let mut ways: Sums<(NamedOutcomes, End), Mass> = Sums::new();
        let mut follow = |edge: &'a GraphEdge,
                          before: &NamedOutcomes,
                          mass: Mass,
                          masses: &mut Vec<Option<Sums<NamedOutcomes, Mass>>>,
                          arithmetic: &mut MassArithmetic| {
            let named = named_then(before, &edge.outcomes);
            let sum = |sum: &mut Mass, more: Mass| arithmetic.add(sum, more);
            match component.target(edge) {
                ComponentTarget::Open(index) => masses[index]
                    .get_or_insert_with(Sums::new)
                    .add(named, mass, sum),
                ComponentTarget::Loop(index) => ways.add((named, End::Loop(index)), mass, sum),
                ComponentTarget::Exit(node) => {
                    let key = node.identity();
                    self.exits.entry(key.clone()).or_insert(node);
                    let named = if matches!(key, NodeIdentity::Refused(_)) {
                        NamedOutcomes::default()
                    } else {
                        named
                    };
                    ways.add((named, End::Exit(key)), mass, sum);
                }
            }
        };
        follow(
            component.bodies[index],
            &NamedOutcomes::default(),
            Mass::certain(),
            &mut masses,
            &mut arithmetic,
        );
        for node in (0..component.nodes.len()).rev() {
            if (self.is_late)() {
                return Err(LoopFault::Late);
            }
            for (before, mass) in masses[node]
                .take()
                .map(|sums| sums.list)
                .unwrap_or_default()
            {
                let (total, edges) = taken_edges(component.nodes[node], self.strategy);
                for (weight, edge) in edges {
                    let share = arithmetic.share(&mass, weight, &total);
                    follow(edge, &before, share, &mut masses, &mut arithmetic);
                }
            }
        }
        Ok(ways
            .list
            .into_iter()
            .map(|(way, mass)| (way, arithmetic.fraction(&mass)))
            .collect())
    }
}

/// Returns how a component is left at last, by a strategy for its choices.
pub fn exits(
    component: &Component,
    strategy: &Strategy,
    is_late: &dyn Fn() -> bool,
) -> Result<WeightedEdges, LoopFault> {
    let mut ways = LoopSearch {
        component,
        strategy,
        is_late,
        exits: FxHashMap::default(),
    };
    let superseded = ways.surely_named()?;
    let ways_by_loop = (0..component.bodies.len())
        .map(|index| ways.ways_from(index))
        .collect::<Result<Vec<LoopExits>, LoopFault>>()?;
    // The stages, and for each the stages and exits that follow it.
    let mut stages: Sums<(usize, NamedOutcomes), ()> = Sums::new();
    stages.add((0, NamedOutcomes::default()), (), |(), ()| {});
    let mut visits = vec![Equation::constant(Fraction::ONE)];
    let mut left: Vec<(usize, NamedOutcomes, &NodeIdentity, &Fraction)> = Vec::new();
    let mut next = 0;
    while let Some(((index, before), ())) = stages.list.get(next).cloned() {
        for ((named, end), chance) in &ways_by_loop[index] {
            let mut named = named_then(&before, named);
            match end {
                End::Exit(key @ NodeIdentity::Refused(_)) => {
                    left.push((next, NamedOutcomes::default(), key, chance))
                }
                End::Exit(key) => left.push((next, named, key, chance)),
                End::Loop(index) => {
                    if named
                        .iter()
                        .any(|(name, _)| superseded[*index].contains(name))
                    {
                        named = named
                            .iter()
                            .filter(|(name, _)| !superseded[*index].contains(name))
                            .copied()
                            .collect();
                    }
                    let stage = (*index, named);
                    stages.add(stage.clone(), (), |(), ()| {});
                    visits.resize_with(stages.list.len(), || Equation::constant(Fraction::ZERO));
                    visits[stages.index[&stage]].add_term(next, chance);
                }
            }
        }
        next += 1;
        if stages.list.len() > MAX_STAGES {
            return Err(LoopFault::TooLarge);
        }
    }
    let visits = solve(visits, is_late)?;
    let mut sums: Sums<(NamedOutcomes, &NodeIdentity), Fraction> = Sums::new();
    for (stage, named, key, chance) in left {
        sums.add((named, key), chance * &visits[stage], |sum, more| {
            *sum += &more
        });
    }
    let weights = Fraction::common_weights(sums.list.iter().map(|(_, chance)| chance));
    let edge = |((outcomes, key), _)| GraphEdge {
        outcomes,
        target: Arc::clone(ways.exits[key]),
    };
    Ok(weights
        .into_iter()
        .zip(sums.list.into_iter().map(edge))
        .collect())
}

/// Returns the number of times that each loop of a component is expected to come, from its first one on. With `first` nobody goes on from
/// a choice.
pub fn expected_visits(
    component: &Component,
    strategy: &Strategy,
    first: bool,
    is_late: &dyn Fn() -> bool,
) -> Result<Vec<Fraction>, LoopFault> {
    let count = component.bodies.len();
    let mut visits: Vec<Equation> = (0..count)
        .map(|index| Equation::constant(Fraction::from_integer(i64::from(index == 0))))
        .collect();
    for index in 0..count {
        let mut shares = vec![Fraction::ZERO; component.nodes.len()];
        let mut arrive =
            |edge: &GraphEdge, share: &Fraction, shares: &mut Vec<Fraction>| match component
                .target(edge)
            {
                ComponentTarget::Loop(target) => visits[target].add_term(index, share),
                ComponentTarget::Open(target) => shares[target] += share,
                ComponentTarget::Exit(_) => {}
            };
        arrive(component.bodies[index], &Fraction::ONE, &mut shares);
        for place in (0..shares.len()).rev() {
            if is_late() {
                return Err(LoopFault::Late);
            }
            let (node, share) = (
                component.nodes[place],
                std::mem::replace(&mut shares[place], Fraction::ZERO),
            );
            if share.is_zero() || first && matches!(**node, GraphNode::Choice(..)) {
                continue;
            }
            let (total, edges) = taken_edges(node, strategy);
            edges.for_each(|(weight, edge)| {
                arrive(
                    edge,
                    &(&share * &Fraction::new(weight, &total)),
                    &mut shares,
                )
            });
        }
    }
    Ok(solve(visits, is_late)?)
}

/// Returns a graph without loops that has the same chances under a strategy; the graph itself if it has no loop. A strategy that never ends
/// leaves nothing of its part of the probability.
pub fn without_loops<'a>(
    root: &'a GraphEdge,
    strategy: &Strategy,
    is_late: &dyn Fn() -> bool,
) -> Result<Cow<'a, GraphEdge>, LoopFault> {
    let order = postorder(&root.target);
    if !order
        .iter()
        .any(|node| matches!(***node, GraphNode::Loop(..)))
    {
        return Ok(Cow::Borrowed(root));
    }
    let mut rebuilt: FxHashMap<*const GraphNode, Arc<GraphNode>> = FxHashMap::default();
    let open = open_nodes(&order);
    for node in order {
        let replaced = |edge: &GraphEdge, rebuilt: &FxHashMap<*const GraphNode, Arc<GraphNode>>| {
            let target = rebuilt
                .get(&Arc::as_ptr(&edge.target))
                .unwrap_or(&edge.target)
                .clone();
            GraphEdge {
                outcomes: edge.outcomes.clone(),
                target,
            }
        };
        let edges: WeightedEdges = match &**node {
            GraphNode::Loop(recurrence, body) if recurrence.outermost => {
                let component = Component::new(recurrence.id, body, |node| open.contains(&node));
                match exits(&component, strategy, is_late) {
                    Ok(edges) => edges
                        .into_iter()
                        .map(|(weight, edge)| (weight, replaced(&edge, &rebuilt)))
                        .collect(),
                    Err(LoopFault::Endless) => {
                        vec![(Weight::ONE, GraphEdge::unnamed(Arc::new(GraphNode::Done)))]
                    }
                    Err(fault) => return Err(fault),
                }
            }
            _ if open.contains(&Arc::as_ptr(node)) => continue,
            _ if node
                .edges()
                .any(|edge| rebuilt.contains_key(&Arc::as_ptr(&edge.target))) =>
            {
                taken_edges(node, strategy)
                    .1
                    .map(|(weight, edge)| (weight.clone(), replaced(edge, &rebuilt)))
                    .collect()
            }
            _ => continue,
        };
        rebuilt.insert(Arc::as_ptr(node), GraphNode::thrown(edges));
    }
    let target = rebuilt
        .get(&Arc::as_ptr(&root.target))
        .unwrap_or(&root.target)
        .clone();
    Ok(Cow::Owned(GraphEdge {
        outcomes: root.outcomes.clone(),
        target,
    }))
}
