//! What an outcome that reports counters is expected to add up to: exactly, by one system of linear equations for each component.
//!
//! From a node on, an outcome's last value is a sum of what is added to the counters from there on, and of the numbers that they had there.
//! So of a node three things are known: the chance that the outcome is not named again, how much is expected to be added, and for each
//! counter the chance that the last value comes from it. Each follows from those of its targets. Under conditions on other outcomes they are
//! known for each set of these that is named from there on and then satisfies them; what does not is left out.

use crate::odds::component::{Component, ComponentTarget, open_nodes};
use crate::odds::counters::{COUNTER_STEP, CounterFlow};
use crate::odds::fraction::Fraction;
use crate::odds::graph::{
    GraphEdge, GraphNode, NameId, OutcomeNames, REFUSED, Strategy, postorder, taken_edges,
};
use crate::odds::linear::{Equation, solve};
use crate::odds::outcome_key::NO_OUTCOME;
use casebook_engine::code::machine::live_state::CounterSum;
use casebook_engine::ruling::condition::Condition;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A graph in which the values of counters are merged.
pub struct CounterGraph {
    pub root: GraphEdge,
    pub counters: CounterFlow,
}

/// What is known of an outcome from a node on, for each set of outcomes that satisfy their conditions: the chance that it is not named again,
/// what is expected to be added, and then for each counter the chance that the last value comes from it.
type Prospect = Vec<Equation>;

/// The places of the first two in a prospect.
const STANDS: usize = 0;
const ADDED: usize = 1;
const COUNTERS: usize = 2;

/// The most outcomes that conditions may be on: each doubles what is known of a node.
const MAX_CONDITIONED: usize = 3;

/// An outcome whose values are added up.
struct OutcomeSum<'a> {
    name: NameId,
    names: &'a OutcomeNames,
    counters: &'a CounterFlow,
    /// The conditions on each outcome that has some.
    conditions: Vec<(NameId, Vec<&'a Condition>)>,
    /// The length of a prospect for one set of outcomes, and for all of them.
    part: usize,
    size: usize,
}

impl OutcomeSum<'_> {
    fn nothing(&self) -> Prospect {
        vec![Equation::constant(Fraction::ZERO); self.size]
    }

    /// Returns the prospect before a branch, given that after it. `None` if the outcome is named by what is no number, or a condition is on
    /// a counter.
    fn before(&self, edge: &GraphEdge, mut behind: Prospect) -> Option<Prospect> {
        for (name, value) in edge.outcomes.iter().rev() {
            if *name == COUNTER_STEP {
                for prospect in behind.chunks_mut(self.part) {
                    let step = &self.counters.steps[*value as usize];
                    let nothing = || Equation::constant(Fraction::ZERO);
                    let shares: Vec<Equation> = prospect[COUNTERS..]
                        .iter_mut()
                        .map(|share| std::mem::replace(share, nothing()))
                        .collect();
                    for (share, counter) in shares.iter().zip(step) {
                        let added = match counter.sum {
                            CounterSum::Plain(number) => number,
                            CounterSum::Counter(index, added) => {
                                prospect[COUNTERS + index].add_multiple(share, &Fraction::ONE);
                                added
                            }
                        };
                        prospect[ADDED].add_multiple(share, &Fraction::from_integer(added));
                    }
                }
            } else if *name == self.name {
                let report = self.counters.reports.get(value);
                let number = match report {
                    Some(report) => report.added,
                    None => self.names.value_key(*value).parse().ok()?,
                };
                for prospect in behind.chunks_mut(self.part) {
                    let stands = std::mem::replace(
                        &mut prospect[STANDS],
                        Equation::constant(Fraction::ZERO),
                    );
                    prospect[ADDED].add_multiple(&stands, &Fraction::from_integer(number));
                    if let Some(report) = report {
                        prospect[COUNTERS + report.index].add_multiple(&stands, &Fraction::ONE);
                    }
                }
            }
            if let Some(bit) = self
                .conditions
                .iter()
                .position(|(outcome, _)| outcome == name)
            {
                if self.counters.reports.contains_key(value) {
                    return None;
                }
                let is_satisfied = self.is_satisfied(bit, &self.names.value_text(*value));
                self.settle(&mut behind, bit, is_satisfied);
            }
        }
        Some(behind)
    }

    /// Returns whether a value of an outcome with conditions satisfies them.
    fn is_satisfied(&self, bit: usize, value: &str) -> bool {
        let mut conditions = self.conditions[bit].1.iter();
        conditions.all(|condition| condition.is_satisfied_by(value))
    }

    /// Moves what is known where an outcome is not named again to where it satisfies its conditions, or leaves it out.
    fn settle(&self, prospect: &mut [Equation], bit: usize, is_satisfied: bool) {
        for set in (0..prospect.len() / self.part).filter(|set| (set >> bit) & 1 == 0) {
            for place in 0..self.part {
                let moved = std::mem::replace(
                    &mut prospect[set * self.part + place],
                    Equation::constant(Fraction::ZERO),
                );
                if is_satisfied {
                    prospect[(set | (1 << bit)) * self.part + place]
                        .add_multiple(&moved, &Fraction::ONE);
                }
            }
        }
    }

    /// Returns the prospect of a node, given that of its targets.
    fn at_node(
        &self,
        node: &Arc<GraphNode>,
        behind: impl Fn(&GraphEdge) -> Option<Prospect>,
    ) -> Option<Prospect> {
        let mut sum = self.nothing();
        if matches!(**node, GraphNode::Done | GraphNode::DoneWith(_)) {
            // A refusal discards what was named.
            sum[STANDS] = Equation::constant(Fraction::ONE);
        }
        let strategy = Strategy::default();
        let (total, edges) = taken_edges(node, &strategy);
        for (weight, edge) in edges {
            let share = Fraction::new(weight, &total);
            let before = self.before(edge, behind(edge)?)?;
            sum.iter_mut()
                .zip(&before)
                .for_each(|(sum, term)| sum.add_multiple(term, &share));
        }
        Some(sum)
    }

    /// Returns the prospect of the outermost loop of a component.
    fn of_loop(
        &self,
        component: &Component,
        prospects: &FxHashMap<*const GraphNode, Prospect>,
        is_late: &dyn Fn() -> bool,
    ) -> Option<Prospect> {
        let mut nodes: Vec<Prospect> = Vec::with_capacity(component.nodes.len());
        let behind = |edge: &GraphEdge, nodes: &[Prospect]| match component.target(edge) {
            ComponentTarget::Loop(index) => Some(
                (0..self.size)
                    .map(|part| self.unknown(index * self.size + part))
                    .collect(),
            ),
            ComponentTarget::Open(index) => nodes.get(index).cloned(),
            ComponentTarget::Exit(node) => prospects.get(&Arc::as_ptr(node)).cloned(),
        };
        for node in &component.nodes {
            if is_late() {
                return None;
            }
            nodes.push(self.at_node(node, |edge| behind(edge, &nodes))?);
        }
        let mut equations = Vec::with_capacity(component.bodies.len() * self.size);
        for body in &component.bodies {
            equations.extend(self.before(body, behind(body, &nodes)?)?);
        }
        let mut values = solve(equations, is_late).ok()?;
        values.truncate(self.size);
        Some(values.into_iter().map(Equation::constant).collect())
    }

    fn unknown(&self, index: usize) -> Equation {
        let mut equation = Equation::constant(Fraction::ZERO);
        equation.add_term(index, &Fraction::ONE);
        equation
    }
}

impl CounterGraph {
    /// Returns the expected value of an outcome, 0 being that of runs that don't name it or don't satisfy the conditions on other outcomes;
    /// `None` if it may be named by what is no number, a condition is on a counter, or the time is up. Choices are at their first options.
    pub fn expected_sum(
        &self,
        name: NameId,
        names: &OutcomeNames,
        conditions: &[&Condition],
        is_late: &dyn Fn() -> bool,
    ) -> Option<Fraction> {
        let CounterGraph { root, counters } = self;
        let most = counters
            .steps
            .iter()
            .map(|step| step.len())
            .max()
            .unwrap_or(0);
        let mut by_name: Vec<(NameId, Vec<&Condition>)> = Vec::new();
        for condition in conditions {
            let id = names.intern_name(&condition.name);
            match by_name.iter_mut().find(|(name, _)| *name == id) {
                Some((_, list)) => list.push(condition),
                None => by_name.push((id, vec![condition])),
            }
        }
        // What a refusal names discards the sum.
        if by_name.len() > MAX_CONDITIONED || by_name.iter().any(|(name, _)| *name == REFUSED) {
            return None;
        }
        let (sets, part) = (1 << by_name.len(), COUNTERS + most);
        let outcome = OutcomeSum {
            name,
            names,
            counters,
            conditions: by_name,
            part,
            size: sets * part,
        };
        let order = postorder(&root.target);
        let open = open_nodes(&order);
        let mut prospects: FxHashMap<*const GraphNode, Prospect> = FxHashMap::default();
        for node in order {
            let prospect = match &**node {
                GraphNode::Loop(recurrence, body) if recurrence.outermost => outcome.of_loop(
                    &Component::new(recurrence.id, body, |node| open.contains(&node)),
                    &prospects,
                    is_late,
                )?,
                _ if open.contains(&Arc::as_ptr(node)) => continue,
                _ if is_late() => return None,
                _ => outcome.at_node(node, |edge| {
                    prospects.get(&Arc::as_ptr(&edge.target)).cloned()
                })?,
            };
            prospects.insert(Arc::as_ptr(node), prospect);
        }
        let mut expected =
            outcome.before(root, prospects.get(&Arc::as_ptr(&root.target))?.clone())?;
        for bit in 0..outcome.conditions.len() {
            outcome.settle(&mut expected, bit, outcome.is_satisfied(bit, NO_OUTCOME));
        }
        let added = expected.into_iter().nth((sets - 1) * part + ADDED)?;
        Some(added.constant)
    }
}
