//! Backward induction over a graph: the expected worth of outcomes from each node on, each choice being taken as a chooser has it.
//!
//! States that can reach each other are valued by policy iteration. All their choices begin with the option that leads out soonest; the
//! values under these are exact, and where an option is better by them it is taken, until none is. One side improves its choices only when
//! those of the other are its best answers. A choice that is improved strictly never makes play endless, so what is found is best among
//! all ways of play that end.

use crate::odds::component::{Component, ComponentTarget, ComponentValues, open_nodes};
use crate::odds::fold::CLOCK_INTERVAL;
use crate::odds::fraction::Fraction;
use crate::odds::graph::{GraphEdge, GraphNode, NameId, Strategy, ValueId, postorder_beyond};
use crate::odds::modular::LinearFault;
use casebook_engine::complaint::{Error, Remedy};
use casebook_engine::platform::task;
use casebook_engine::situation::policy::{Decision, PolicyKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A utility of outcomes: the sum of the worths of the named outcomes' values.
pub struct OutcomeWorth<'a> {
    /// The outcomes that contribute.
    pub names: Vec<NameId>,
    /// The worth of a value of an outcome.
    pub worth: &'a dyn Fn(NameId, ValueId) -> Fraction,
}

/// The expected worth of one outcome from a node on, and the probability that it is not named there.
type ExpectedWorth = (Fraction, Fraction);

/// The result of backward induction over a graph.
#[derive(Default)]
pub struct FoldedGraph {
    /// The option taken at each choice.
    pub strategy: Strategy,
    expected_by_node: FxHashMap<*const GraphNode, Vec<ExpectedWorth>>,
}

/// Selects the option taken at a choice, given the expected value of each option.
pub type Chooser<'a> = &'a dyn Fn(&Decision, &[Fraction]) -> usize;

/// The maximum number of times that the choices of a loop are improved.
const MAX_IMPROVEMENTS: usize = 1_000;

/// Builds the error for odds that could not be evaluated before the task ends.
fn no_time_left() -> Error {
    Error::unanswered(
        "all chances were counted, but there was no time left to find out what is best",
        Remedy::MoreTime,
    )
}

/// Runs backward induction from `root`. Fails if the task ends soon.
pub fn fold(root: &GraphEdge, worth: &OutcomeWorth, pick: Chooser) -> Result<FoldedGraph, Error> {
    let mut folded = FoldedGraph::default();
    folded.extend(root, worth, pick)?;
    Ok(folded)
}

/// Returns the expected value of what lies ahead, given the outcomes named before.
fn expected_value(
    ahead: &[ExpectedWorth],
    before: &[(NameId, ValueId)],
    worth: &OutcomeWorth,
) -> Fraction {
    let mut sum = Fraction::ZERO;
    for (name, (named, unnamed)) in worth.names.iter().zip(ahead) {
        sum += named;
        if let Some((_, value)) = before.iter().find(|(named_before, _)| named_before == name) {
            sum += &(unnamed * &(worth.worth)(*name, *value));
        }
    }
    sum
}

/// Builds the error for choices that never lead out of a loop.
fn never_ends(component: &Component) -> Error {
    let asked = component.nodes.iter().find_map(|node| {
        if let GraphNode::Choice(decision, ..) = &***node {
            Some(decision)
        } else {
            None
        }
    });
    let question = asked.map_or(String::new(), |decision| {
        format!(
            ": {} answers `{}` again and again",
            decision.side, decision.question
        )
    });
    Error::unanswered(
        format!("with these choices it never ends{question}"),
        Remedy::AnswerChoice,
    )
}

impl FoldedGraph {
    /// Folds the nodes of another graph that are not folded yet. Nodes are known by their address, so the graphs folded before must still
    /// be there.
    pub fn extend(
        &mut self,
        root: &GraphEdge,
        worth: &OutcomeWorth,
        pick: Chooser,
    ) -> Result<(), Error> {
        let order = postorder_beyond(&root.target, |node| {
            self.expected_by_node.contains_key(&node)
        });
        let open = open_nodes(&order);
        for (index, node) in order.into_iter().enumerate() {
            if index.is_multiple_of(CLOCK_INTERVAL) && task::is_wrapping_up() {
                return Err(no_time_left());
            }
            let worths_unnamed = |unnamed: Fraction| {
                worth
                    .names
                    .iter()
                    .map(|_| (Fraction::ZERO, unnamed.clone()))
                    .collect::<Vec<ExpectedWorth>>()
            };
            let expected = match &**node {
                GraphNode::Loop(recurrence, body) if recurrence.outermost => {
                    self.solve_loops(
                        &Component::new(recurrence.id, body, |node| open.contains(&node)),
                        worth,
                        pick,
                    )?;
                    self.through_edge(body, worth)
                }
                _ if open.contains(&Arc::as_ptr(node)) => continue,
                GraphNode::Done
                | GraphNode::DoneWith(_)
                | GraphNode::Loop(..)
                | GraphNode::Again(_) => worths_unnamed(Fraction::ONE),
                GraphNode::Refused(_) | GraphNode::Unexplored(..) => worths_unnamed(Fraction::ZERO),
                GraphNode::Throw(results) => {
                    let total = results.iter().map(|(weight, _)| weight).sum();
                    let mut sum = worths_unnamed(Fraction::ZERO);
                    for (weight, edge) in results {
                        let share = Fraction::new(weight, &total);
                        for (sum, edge_worth) in sum.iter_mut().zip(self.through_edge(edge, worth))
                        {
                            sum.0 += &(&edge_worth.0 * &share);
                            sum.1 += &(&edge_worth.1 * &share);
                        }
                    }
                    sum
                }
                GraphNode::Choice(..) => {
                    let picked = self
                        .best_option(node, worth, pick)
                        .map_or(0, |(picked, _)| picked);
                    self.strategy.insert(Arc::as_ptr(node), picked);
                    node.edges()
                        .nth(picked)
                        .map_or_else(Vec::new, |edge| self.through_edge(edge, worth))
                }
            };
            self.expected_by_node.insert(Arc::as_ptr(node), expected);
        }
        Ok(())
    }

    /// Returns the option that is taken at a choice by the values of its options, and these.
    fn best_option(
        &self,
        node: &GraphNode,
        worth: &OutcomeWorth,
        pick: Chooser,
    ) -> Option<(usize, Vec<Fraction>)> {
        let GraphNode::Choice(decision, before, options) = node else {
            return None;
        };
        let values: Vec<Fraction> = options
            .iter()
            .map(|option| expected_value(&self.through_edge(option, worth), before, worth))
            .collect();
        Some((
            pick(decision, &values).min(options.len().saturating_sub(1)),
            values,
        ))
    }

    /// Values the nodes of a component, and settles its choices.
    fn solve_loops(
        &mut self,
        component: &Component,
        worth: &OutcomeWorth,
        pick: Chooser,
    ) -> Result<(), Error> {
        for (node, option) in soonest_exits(component) {
            self.strategy.insert(node, option);
        }
        for _ in 0..MAX_IMPROVEMENTS {
            self.evaluate(component, worth)?;
            let lowers = |decision: &Decision| decision.kind == PolicyKind::Worst;
            if !self.improve(component, worth, pick, lowers)
                && !self.improve(component, worth, pick, |decision| !lowers(decision))
            {
                return Ok(());
            }
        }
        Err(Error::unanswered(
            format!("what is best in a loop was not found in {MAX_IMPROVEMENTS} steps"),
            Remedy::AnswerChoice,
        ))
    }

    /// Takes better options by the current values; returns whether there were any.
    fn improve(
        &mut self,
        component: &Component,
        worth: &OutcomeWorth,
        pick: Chooser,
        improves: impl Fn(&Decision) -> bool,
    ) -> bool {
        let mut improved = false;
        for node in &component.nodes {
            let GraphNode::Choice(decision, ..) = &***node else {
                continue;
            };
            let Some((picked, values)) = self
                .best_option(node, worth, pick)
                .filter(|_| improves(decision))
            else {
                continue;
            };
            let taken = self.strategy.entry(Arc::as_ptr(node)).or_insert(0);
            if values.get(*taken) != values.get(picked) {
                (*taken, improved) = (picked, true);
            }
        }
        improved
    }

    /// Values all nodes of a component under the current strategy.
    fn evaluate(&mut self, component: &Component, worth: &OutcomeWorth) -> Result<(), Error> {
        let mut values: Vec<(ComponentValues, ComponentValues)> =
            Vec::with_capacity(worth.names.len());
        let fault = |fault| {
            if fault == LinearFault::Late {
                no_time_left()
            } else {
                never_ends(component)
            }
        };
        for (index, name) in worth.names.iter().enumerate() {
            let last_value = |edge: &GraphEdge| {
                edge.outcomes
                    .iter()
                    .rev()
                    .find(|(named, _)| named == name)
                    .map(|(_, value)| *value)
            };
            let beyond = |node: &Arc<GraphNode>| {
                self.expected_by_node
                    .get(&Arc::as_ptr(node))
                    .and_then(|all| all.get(index))
            };
            let unnamed_beyond = |node: &Arc<GraphNode>| {
                beyond(node).map_or(Fraction::ZERO, |(_, unnamed)| unnamed.clone())
            };
            let unnamed = component
                .values(
                    &self.strategy,
                    &|edge| (Fraction::ZERO, last_value(edge).is_none()),
                    &unnamed_beyond,
                    &task::is_wrapping_up,
                )
                .map_err(fault)?;
            let worth_named = |edge: &GraphEdge| {
                let Some(value) = last_value(edge) else {
                    return Fraction::ZERO;
                };
                let stands = match component.target(edge) {
                    ComponentTarget::Exit(node) => unnamed_beyond(node),
                    within => unnamed.within(within).cloned().unwrap_or(Fraction::ZERO),
                };
                &(worth.worth)(*name, value) * &stands
            };
            let named_beyond = |node: &Arc<GraphNode>| {
                beyond(node).map_or(Fraction::ZERO, |(named, _)| named.clone())
            };
            let named = component
                .values(
                    &self.strategy,
                    &|edge| (worth_named(edge), true),
                    &named_beyond,
                    &task::is_wrapping_up,
                )
                .map_err(fault)?;
            values.push((named, unnamed));
        }
        // A node is reached by its address: each loop has several.
        for node in component
            .bodies
            .iter()
            .copied()
            .chain(component.nodes.iter().flat_map(|node| node.edges()))
            .map(|edge| &edge.target)
        {
            let place = component.place_of(node);
            if let ComponentTarget::Exit(_) = place {
                continue;
            }
            let value =
                |values: &ComponentValues| values.within(place).cloned().unwrap_or(Fraction::ZERO);
            let expected = values
                .iter()
                .map(|(named, unnamed)| (value(named), value(unnamed)))
                .collect();
            self.expected_by_node.insert(Arc::as_ptr(node), expected);
        }
        Ok(())
    }

    /// Returns the expected worths along a branch: an outcome named on it counts only if it is not named again later.
    fn through_edge(&self, branch: &GraphEdge, worth: &OutcomeWorth) -> Vec<ExpectedWorth> {
        let mut ahead = self.expected_by_node[&Arc::as_ptr(&branch.target)].clone();
        for (name, value) in branch.outcomes.iter().rev() {
            if let Ok(index) = worth.names.binary_search(name) {
                let (named, unnamed) = &ahead[index];
                ahead[index] = (
                    named + &(unnamed * &(worth.worth)(*name, *value)),
                    Fraction::ZERO,
                );
            }
        }
        ahead
    }

    /// Returns the expected value from `root`.
    pub fn value(&self, root: &GraphEdge, worth: &OutcomeWorth) -> Fraction {
        expected_value(&self.through_edge(root, worth), &[], worth)
    }

    /// Returns the expected value of a node, including the outcomes named before its choice.
    pub fn value_at(&self, node: &Arc<GraphNode>, worth: &OutcomeWorth) -> Fraction {
        let before = if let GraphNode::Choice(_, before, _) = &**node {
            before.as_slice()
        } else {
            &[]
        };
        expected_value(&self.expected_by_node[&Arc::as_ptr(node)], before, worth)
    }
}

/// Returns for each choice of a component the option that can lead out of it in the fewest steps.
fn soonest_exits(component: &Component) -> Vec<(*const GraphNode, usize)> {
    const FAR: usize = usize::MAX - 1;
    let (mut nodes, mut loops) = (
        vec![FAR; component.nodes.len()],
        vec![FAR; component.bodies.len()],
    );
    let distance = |edge: &GraphEdge, nodes: &[usize], loops: &[usize]| match component.target(edge)
    {
        ComponentTarget::Loop(index) => loops[index],
        ComponentTarget::Open(index) => nodes[index],
        ComponentTarget::Exit(_) => 0,
    };
    loop {
        for (index, node) in component.nodes.iter().enumerate() {
            let nearest = node
                .edges()
                .map(|edge| distance(edge, &nodes, &loops))
                .min()
                .unwrap_or(FAR);
            nodes[index] = (nearest + 1).min(FAR);
        }
        let next: Vec<usize> = component
            .bodies
            .iter()
            .map(|body| distance(body, &nodes, &loops))
            .collect();
        if next == loops {
            break;
        }
        loops = next;
    }
    let choices = component
        .nodes
        .iter()
        .filter(|node| matches!(****node, GraphNode::Choice(..)));
    let soonest = |node: &Arc<GraphNode>| {
        node.edges()
            .enumerate()
            .min_by_key(|(_, edge)| distance(edge, &nodes, &loops))
            .map(|(i, _)| i)
    };
    choices
        .map(|node| (Arc::as_ptr(node), soonest(node).unwrap_or(0)))
        .collect()
}
