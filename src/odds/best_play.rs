//! Odds under optimal play: sides maximize or minimize a measure, or the range over all strategies is computed.

use crate::complaint::Error;
use crate::odds::count::CountResult;
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::fold::{CLOCK_INTERVAL, Strategy, choice_chances};
use crate::odds::fraction::Fraction;
use crate::odds::graph::{GraphEdge, GraphNode, NameId, ValueId, names_ahead, outcome_order, postorder, postorder_beyond};
use crate::odds::measure::{Measure, parse_number};
use crate::platform::task;
use crate::situation::policy::{Decision, PolicyKind};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The decisions taken: for each side and question the chosen options with their probabilities.
pub type DecisionTable = BTreeMap<(String, String), BTreeMap<String, Fraction>>;

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

/// Builds the error for odds that could not be evaluated before the task ends.
fn no_time_left() -> Error {
    Error::Usage("all chances were counted, but there was no time left to find out what is best: --limit SECONDS gives it more".into())
}

/// Runs backward induction from `root`. Fails if the task ends soon.
pub fn fold(root: &GraphEdge, worth: &OutcomeWorth, pick: Chooser) -> Result<FoldedGraph, Error> {
    let mut folded = FoldedGraph::default();
    folded.extend(root, worth, pick)?;
    Ok(folded)
}

/// Returns the expected value of what lies ahead, given the outcomes named before.
fn expected_value(ahead: &[ExpectedWorth], before: &[(NameId, ValueId)], worth: &OutcomeWorth) -> Fraction {
    let mut sum = Fraction::ZERO;
    for (name, (named, unnamed)) in worth.names.iter().zip(ahead) {
        sum += named;
        if let Some((_, value)) = before.iter().find(|(known, _)| known == name) {
            sum += &(unnamed * &(worth.worth)(*name, *value));
        }
    }
    sum
}

impl FoldedGraph {
    /// Folds the nodes of another graph that are not folded yet. Nodes are known by their address, so the graphs folded before must still
    /// be there.
    pub fn extend(&mut self, root: &GraphEdge, worth: &OutcomeWorth, pick: Chooser) -> Result<(), Error> {
        let order = postorder_beyond(&root.target, |node| self.expected_by_node.contains_key(&node));
        for (index, node) in order.into_iter().enumerate() {
            if index.is_multiple_of(CLOCK_INTERVAL) && task::is_wrapping_up() {
                return Err(no_time_left());
            }
            let worths_unnamed =
                |unnamed: Fraction| worth.names.iter().map(|_| (Fraction::ZERO, unnamed.clone())).collect::<Vec<ExpectedWorth>>();
            let expected = match &**node {
                GraphNode::Done | GraphNode::DoneWith(_) => worths_unnamed(Fraction::ONE),
                GraphNode::Refused(_) | GraphNode::Unexplored(..) => worths_unnamed(Fraction::ZERO),
                GraphNode::Throw(results) => {
                    let total = results.iter().map(|(weight, _)| weight).sum();
                    let mut sum = worths_unnamed(Fraction::ZERO);
                    for (weight, edge) in results {
                        let share = Fraction::new(weight, &total);
                        for (sum, edge_worth) in sum.iter_mut().zip(self.through_edge(edge, worth)) {
                            sum.0 += &(&edge_worth.0 * &share);
                            sum.1 += &(&edge_worth.1 * &share);
                        }
                    }
                    sum
                }
                GraphNode::Choice(decision, before, options) => {
                    let mut ahead: Vec<Vec<ExpectedWorth>> = options.iter().map(|branch| self.through_edge(branch, worth)).collect();
                    let values: Vec<Fraction> = ahead.iter().map(|ahead| expected_value(ahead, before, worth)).collect();
                    let picked = pick(decision, &values).min(options.len().saturating_sub(1));
                    self.strategy.insert(Arc::as_ptr(node), picked);
                    ahead.swap_remove(picked)
                }
            };
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
                ahead[index] = (named + &(unnamed * &(worth.worth)(*name, *value)), Fraction::ZERO);
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
        let before = if let GraphNode::Choice(_, before, _) = &**node { before.as_slice() } else { &[] };
        expected_value(&self.expected_by_node[&Arc::as_ptr(node)], before, worth)
    }
}

/// The odds of a procedure under optimal play.
#[derive(Debug)]
pub struct BestPlayOdds {
    /// The odds.
    pub odds: Odds,
    /// The option taken at each choice.
    pub strategy: Strategy,
    /// The decisions taken, with their probabilities.
    pub decisions: DecisionTable,
    /// The expected value of the measure, if there is one.
    pub value: Option<Fraction>,
}

/// Returns the option that is best for a side that wants the highest or the lowest value; the first one wins ties.
pub fn choose_by_value(decision: &Decision, values: &[Fraction]) -> usize {
    extreme_index(values, decision.kind != PolicyKind::Worst)
}

/// Returns the index of the highest or the lowest value; the first one wins ties.
fn extreme_index(values: &[Fraction], highest: bool) -> usize {
    let is_better = |i: usize, best: usize| if highest { values[i] > values[best] } else { values[i] < values[best] };
    (1..values.len()).fold(0, |best, i| if is_better(i, best) { i } else { best })
}

/// Whether the graph has a choice that is resolved by a measure.
pub fn has_measured_choices(root: &GraphEdge) -> bool {
    postorder(&root.target).into_iter().any(|node| matches!(**node, GraphNode::Choice(..)))
}

/// Resolves all choices by the measure. `odds` are those with each choice at its first option.
pub fn best_play(counted: &CountResult, odds: &Odds, measure: Option<&Measure>) -> Result<BestPlayOdds, Error> {
    let root = &counted.root;
    let Some(measure) = measure else {
        if has_measured_choices(root) {
            let named = odds.order.join(", ");
            return Err(Error::Usage(format!(
                "best and worst of what? Name a measure, such as --measure 'X - Y'; the outcomes here are {named}"
            )));
        }
        return Ok(BestPlayOdds { odds: odds.clone(), strategy: Strategy::default(), decisions: DecisionTable::new(), value: None });
    };
    measure.check(odds)?;
    let names = &counted.names;
    let worth_of = |name: NameId, value: ValueId| measure.worth(&names.name_text(name), &names.value_text(value));
    let worth = OutcomeWorth { names: measure.outcome_ids(names), worth: &worth_of };
    let folded = fold(root, &worth, &choose_by_value)?;
    let reached = choice_chances(root, &folded.strategy, false);
    let mut decided = DecisionTable::new();
    for node in postorder(&root.target) {
        if let (GraphNode::Choice(decision, ..), Some(chance)) = (&**node, reached.get(&Arc::as_ptr(node))) {
            let picked = folded.strategy.get(&Arc::as_ptr(node)).copied().unwrap_or(0);
            let sums = decided.entry((decision.side.clone(), decision.question.clone())).or_default();
            *sums.entry(decision.options[picked].clone()).or_insert(Fraction::ZERO) += chance;
        }
    }
    let value = Some(folded.value(root, &worth));
    Ok(BestPlayOdds { odds: Odds::new(counted, &folded.strategy)?, strategy: folded.strategy, decisions: decided, value })
}

impl BestPlayOdds {
    /// Adds the expected value of the measure and the decisions to odds in JSON.
    pub fn add_to_json(&self, mut odds: Value, measure: Option<&Measure>) -> Value {
        if let (Some(measure), Some(value)) = (measure, &self.value) {
            odds["measure"] = json!({ "text": measure.text, "value": value.to_string() });
        }
        let option = |(option, f): (&String, &Fraction)| json!({ "option": option, "chance": f.to_string() });
        let choices: Vec<Value> = self
            .decisions
            .iter()
            .map(|((side, what), options)| json!({ "side": side, "what": what, "taken": options.iter().map(option).collect::<Vec<_>>() }))
            .collect();
        if !choices.is_empty() {
            odds["choices"] = json!(choices);
        }
        odds
    }
}

/// The range of an outcome over all strategies.
#[derive(Clone, Debug)]
pub struct OutcomeRange {
    /// The outcome.
    pub outcome: String,
    /// Its lowest and highest expected value, if it is a number.
    pub mean: Option<(Fraction, Fraction)>,
    /// Each value with its lowest and highest probability.
    pub values: Vec<(String, Fraction, Fraction)>,
}

/// Returns the range of every outcome over all strategies.
pub fn ranges(counted: &CountResult) -> Result<Vec<OutcomeRange>, Error> {
    let root = &counted.root;
    let nodes = postorder(&root.target);
    let mut values: BTreeMap<NameId, BTreeSet<ValueId>> = BTreeMap::new();
    for (name, value) in std::iter::once(root).chain(nodes.iter().flat_map(|node| node.edges())).flat_map(|edge| &edge.outcomes) {
        values.entry(*name).or_default().insert(*value);
    }
    let order = outcome_order(root, &names_ahead(&root.target));
    order.into_iter().map(|name| range(counted, name, values.remove(&name).unwrap_or_default())).collect()
}

/// Checks the least and the greatest chance of a value.
fn check_range(low: &Fraction, high: &Fraction) -> Result<(), Error> {
    match Fraction::ZERO <= *low && low <= high && *high <= Fraction::ONE {
        true => Ok(()),
        false => Err(Error::Inconsistent(format!("a chance is from {low} to {high}"))),
    }
}

fn range(counted: &CountResult, name: NameId, values: BTreeSet<ValueId>) -> Result<OutcomeRange, Error> {
    let (root, names) = (&counted.root, &counted.names);
    let extremes = |worth_of: &dyn Fn(NameId, ValueId) -> Fraction| -> Result<(Fraction, Fraction), Error> {
        let worth = OutcomeWorth { names: vec![name], worth: worth_of };
        let end = |highest: bool| -> Result<Fraction, Error> {
            Ok(fold(root, &worth, &|_, values| extreme_index(values, highest))?.value(root, &worth))
        };
        Ok((end(false)?, end(true)?))
    };
    let outcome = names.name_text(name);
    let mut texts: Vec<(ValueId, String)> = values.into_iter().map(|value| (value, names.value_text(value))).collect();
    texts.sort_by_key(|(_, text)| (text.parse::<i64>().unwrap_or(0), text.clone()));
    let numbers = texts.iter().all(|(_, text)| parse_number(&outcome, text).is_ok() && text.parse::<i64>().is_ok());
    let mut ranges = Vec::new();
    for (value, text) in &texts {
        let (low, high) = extremes(&|_, other| Fraction::from_integer(i64::from(other == *value)))?;
        check_range(&low, &high)?;
        ranges.push((text.clone(), low, high));
    }
    // The rest is the probability that the outcome is not named, so minimum and maximum are swapped.
    let (named_least, named_most) = extremes(&|_, _| Fraction::ONE)?;
    let nothing = (&Fraction::ONE - &named_most, &Fraction::ONE - &named_least);
    check_range(&nothing.0, &nothing.1)?;
    if !nothing.1.is_zero() {
        ranges.push((NO_OUTCOME.to_string(), nothing.0, nothing.1));
    }
    // A mean is conditional on the outcome being named, which itself depends on the choices.
    let always = ranges.last().is_none_or(|(value, ..)| value != NO_OUTCOME);
    let number = |_: NameId, value: ValueId| Fraction::from_integer(names.value_text(value).parse().unwrap_or(0));
    let mean = (numbers && always).then(|| extremes(&number)).transpose()?;
    Ok(OutcomeRange { outcome, mean, values: ranges })
}
