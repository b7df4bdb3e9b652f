//! What an outcome that reports counters is expected to add up to: exactly, by one system of linear equations for each component.
//!
//! From a node on, an outcome's last value is a sum of what is added to the counters from there on, and of the numbers that they had there.
//! So of a node three things are known: the chance that the outcome is named again, how much is expected to be added, and for each counter
//! the chance that the last value comes from it. Each follows from those of its targets.

use crate::odds::component::{Component, ComponentTarget, open_nodes};
use crate::odds::counters::{COUNTER_STEP, CounterFlow};
use crate::odds::fraction::Fraction;
use crate::odds::graph::{
    GraphEdge, GraphNode, NameId, OutcomeNames, Strategy, postorder, taken_edges,
};
use crate::odds::linear::{Equation, solve};
use casebook_engine::code::machine::live_state::CounterSum;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is known of an outcome from a node on: the chance that it is named again, what is expected to be added, and then for each counter
/// the chance that the last value comes from it.
type Prospect = Vec<Equation>;

/// The places of the first two in a prospect.
const AGAIN: usize = 0;
const ADDED: usize = 1;
const COUNTERS: usize = 2;

/// An outcome whose values are added up.
struct OutcomeSum<'a> {
    name: NameId,
    names: &'a OutcomeNames,
    counters: &'a CounterFlow,
    /// The length of a prospect.
    size: usize,
}

impl OutcomeSum<'_> {
    fn nothing(&self) -> Prospect {
        vec![Equation::constant(Fraction::ZERO); self.size]
    }

    /// Returns the prospect before a branch, given that behind it. `None` if the outcome is named by what is no number.
    fn before(&self, edge: &GraphEdge, mut behind: Prospect) -> Option<Prospect> {
        for (name, value) in edge.outcomes.iter().rev() {
            if *name == COUNTER_STEP {
                let shares = behind.split_off(COUNTERS);
                behind.resize(self.size, Equation::constant(Fraction::ZERO));
                for (share, counter) in shares.iter().zip(&self.counters.steps[*value as usize]) {
                    let added = match counter.sum {
                        CounterSum::Plain(number) => number,
                        CounterSum::Counter(index, added) => {
                            behind[COUNTERS + index].add_multiple(share, &Fraction::ONE);
                            added
                        }
                    };
                    behind[ADDED].add_multiple(share, &Fraction::from_integer(added));
                }
            } else if *name == self.name {
                let mut stands = Equation::constant(Fraction::ONE);
                stands.add_multiple(&behind[AGAIN], &Fraction::from_integer(-1));
                let number = match self.counters.reports.get(value) {
                    Some(report) => {
                        behind[COUNTERS + report.index].add_multiple(&stands, &Fraction::ONE);
                        report.added
                    }
                    None => self.names.value_key(*value).parse().ok()?,
                };
                behind[ADDED].add_multiple(&stands, &Fraction::from_integer(number));
                behind[AGAIN] = Equation::constant(Fraction::ONE);
            }
        }
        Some(behind)
    }

    /// Returns the prospect of a node, given that of its targets.
    fn at_node(
        &self,
        node: &Arc<GraphNode>,
        behind: impl Fn(&GraphEdge) -> Option<Prospect>,
    ) -> Option<Prospect> {
        let mut sum = self.nothing();
        if matches!(**node, GraphNode::Refused(_)) {
            // A refusal discards what was named.
            sum[AGAIN] = Equation::constant(Fraction::ONE);
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
        known: &FxHashMap<*const GraphNode, Prospect>,
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
            ComponentTarget::Exit(node) => known.get(&Arc::as_ptr(node)).cloned(),
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

/// Returns the expected value of an outcome, 0 being that of runs that don't name it; `None` if it may be named by what is no number, or if
/// the time is up. Choices are at their first options.
pub(super) fn expected_sum(
    root: &GraphEdge,
    name: NameId,
    names: &OutcomeNames,
    counters: &CounterFlow,
    is_late: &dyn Fn() -> bool,
) -> Option<Fraction> {
    let most = counters
        .steps
        .iter()
        .map(|step| step.len())
        .max()
        .unwrap_or(0);
    let outcome = OutcomeSum {
        name,
        names,
        counters,
        size: COUNTERS + most,
    };
    let order = postorder(&root.target);
    let open = open_nodes(&order);
    let mut known: FxHashMap<*const GraphNode, Prospect> = FxHashMap::default();
    for node in order {
        let prospect = match &**node {
            GraphNode::Loop(recurrence, body) if recurrence.outermost => outcome.of_loop(
                &Component::new(recurrence.id, body, |node| open.contains(&node)),
                &known,
                is_late,
            )?,
            _ if open.contains(&Arc::as_ptr(node)) => continue,
            _ if is_late() => return None,
            _ => outcome.at_node(node, |edge| known.get(&Arc::as_ptr(&edge.target)).cloned())?,
        };
        known.insert(Arc::as_ptr(node), prospect);
    }
    let expected = outcome.before(root, known.get(&Arc::as_ptr(&root.target))?.clone())?;
    expected.into_iter().nth(ADDED).map(|added| added.constant)
}
