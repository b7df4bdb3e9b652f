//! Odds where sides choose with the end in view: the best of a measure, the worst, or the range over all options.

use crate::complaint::Error;
use crate::odds::count::CountResult;
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::fold::Strategy;
use crate::odds::fraction::Fraction;
use crate::odds::graph::{GraphEdge, GraphNode, NameId, OutcomeNames, ValueId, postorder};
use crate::odds::measure::{Measure, parse_number};
use crate::situation::policy::{Decision, PolicyKind};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was decided: for each side and question the options taken, with their chances.
pub type DecisionTable = BTreeMap<(String, String), BTreeMap<String, Fraction>>;

/// What values of outcomes are worth: a sum over the outcomes named.
pub struct OutcomeWorth<'a> {
    /// The outcomes that count.
    pub names: Vec<NameId>,
    /// What a value of one of them is worth.
    pub worth: &'a dyn Fn(NameId, ValueId) -> Fraction,
}

impl<'a> OutcomeWorth<'a> {
    /// The outcomes of a measure.
    pub fn measure_names(measure: &Measure, names: &OutcomeNames) -> Vec<NameId> {
        let mut list: Vec<NameId> = measure.terms().iter().map(|(_, name)| names.intern_name(name)).collect();
        list.sort_unstable();
        list.dedup();
        list
    }
}

/// Of one outcome from one node on: what it is worth where it is still named, and the chance that it is not.
type ExpectedWorth = (Fraction, Fraction);

/// A graph folded by what it is worth.
pub struct FoldedGraph {
    /// Which option is taken at each choice.
    pub strategy: Strategy,
    expected_by_node: FxHashMap<*const GraphNode, Vec<ExpectedWorth>>,
}

/// Says which option is taken, by what each is worth.
pub type Chooser<'a> = &'a dyn Fn(&Decision, &[Fraction]) -> usize;

/// Folds what lies behind an branch.
pub fn fold(root: &GraphEdge, worth: &OutcomeWorth, pick: Chooser) -> FoldedGraph {
    let mut folded = FoldedGraph { strategy: Strategy::default(), expected_by_node: FxHashMap::default() };
    for node in postorder(&root.target) {
        let none = |unnamed: Fraction| worth.names.iter().map(|_| (Fraction::ZERO, unnamed.clone())).collect::<Vec<ExpectedWorth>>();
        let found = match &**node {
            GraphNode::Done | GraphNode::DoneWith(_) => none(Fraction::ONE),
            GraphNode::Refused(_) | GraphNode::Unexplored(..) => none(Fraction::ZERO),
            GraphNode::Throw(ways) => {
                let all = Fraction::new(ways.iter().map(|(weight, _)| weight).sum::<u128>().into(), 1u8.into());
                let mut sum = none(Fraction::ZERO);
                for (weight, branch) in ways {
                    let share = &Fraction::new((*weight).into(), 1u8.into()) / &all;
                    for (sum, own) in sum.iter_mut().zip(folded.through_edge(branch, worth)) {
                        sum.0 += &(&own.0 * &share);
                        sum.1 += &(&own.1 * &share);
                    }
                }
                sum
            }
            GraphNode::Choice(decision, before, options) => {
                let mut ahead: Vec<Vec<ExpectedWorth>> = options.iter().map(|branch| folded.through_edge(branch, worth)).collect();
                let values: Vec<Fraction> = ahead.iter().map(|ahead| expected_value(ahead, before, worth)).collect();
                let picked = pick(decision, &values).min(options.len().saturating_sub(1));
                folded.strategy.insert(Arc::as_ptr(node), picked);
                ahead.swap_remove(picked)
            }
        };
        folded.expected_by_node.insert(Arc::as_ptr(node), found);
    }
    folded
}

/// What is ahead is worth, where so much has been named before.
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
    /// What lies ahead on an branch: what is named on it counts where it is not named again.
    fn through_edge(&self, branch: &GraphEdge, worth: &OutcomeWorth) -> Vec<ExpectedWorth> {
        let mut ahead = self.expected_by_node[&Arc::as_ptr(&branch.target)].clone();
        for (name, value) in branch.outcomes.iter().rev() {
            if let Ok(place) = worth.names.binary_search(name) {
                let (named, unnamed) = &ahead[place];
                ahead[place] = (named + &(unnamed * &(worth.worth)(*name, *value)), Fraction::ZERO);
            }
        }
        ahead
    }

    /// What all of it is worth.
    pub fn value(&self, root: &GraphEdge, worth: &OutcomeWorth) -> Fraction {
        expected_value(&self.through_edge(root, worth), &[], worth)
    }

    /// What a choice is worth, with what had been named before it.
    pub fn value_at(&self, node: &Arc<GraphNode>, worth: &OutcomeWorth) -> Fraction {
        let before = if let GraphNode::Choice(_, before, _) = &**node { before.as_slice() } else { &[] };
        expected_value(&self.expected_by_node[&Arc::as_ptr(node)], before, worth)
    }
}

/// How likely it is to come to each node, if choices are made so; where they stop short, nothing comes of what lies behind.
pub fn reach_chances(root: &GraphEdge, picked: &Strategy, stops: &dyn Fn(&GraphNode) -> bool) -> FxHashMap<*const GraphNode, Fraction> {
    let mut reach: FxHashMap<*const GraphNode, Fraction> = FxHashMap::default();
    reach.insert(Arc::as_ptr(&root.target), Fraction::ONE);
    for node in postorder(&root.target).into_iter().rev() {
        let Some(own) = reach.get(&Arc::as_ptr(node)).cloned() else { continue };
        if stops(node) {
            continue;
        }
        let mut add = |branch: &GraphEdge, share: Fraction| match reach.get_mut(&Arc::as_ptr(&branch.target)) {
            Some(sum) => *sum += &share,
            None => drop(reach.insert(Arc::as_ptr(&branch.target), share)),
        };
        match &**node {
            GraphNode::Throw(ways) => {
                let all: u128 = ways.iter().map(|(weight, _)| weight).sum();
                ways.iter().for_each(|(weight, branch)| add(branch, &own * &Fraction::new((*weight).into(), all.into())));
            }
            GraphNode::Choice(_, _, options) => add(&options[picked.get(&Arc::as_ptr(node)).copied().unwrap_or(0)], own),
            _ => {}
        }
    }
    reach
}

/// The odds of a procedure in which everybody has chosen.
#[derive(Debug)]
pub struct BestPlayOdds {
    /// The odds.
    pub odds: Odds,
    /// Which option was taken at each choice.
    pub strategy: Strategy,
    /// What was chosen, and how often.
    pub decisions: DecisionTable,
    /// The expected value of the measure, where there is one.
    pub value: Option<Fraction>,
}

/// Which option a side takes that wants the measure high, or low; of equals the first.
pub fn choose_by_value(decision: &Decision, values: &[Fraction]) -> usize {
    extreme_index(values, decision.kind != PolicyKind::Worst)
}

/// The place of the highest value, or of the lowest; of equals the first.
pub fn extreme_index(values: &[Fraction], highest: bool) -> usize {
    (1..values.len()).fold(0, |best, i| if if highest { values[i] > values[best] } else { values[i] < values[best] } { i } else { best })
}

/// Whether anything is chosen with the end in view.
pub fn has_measured_choices(root: &GraphEdge) -> bool {
    postorder(&root.target).into_iter().any(|node| matches!(**node, GraphNode::Choice(..)))
}

/// Chooses for everybody, by the measure; `odds` are those with each choice at its first option.
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
    let of = |name: NameId, value: ValueId| measure.worth(&names.name_text(name), &names.value_text(value));
    let worth = OutcomeWorth { names: OutcomeWorth::measure_names(measure, names), worth: &of };
    let folded = fold(root, &worth, &choose_by_value);
    let reached = reach_chances(root, &folded.strategy, &|_| false);
    let mut decided = DecisionTable::new();
    for node in postorder(&root.target) {
        if let (GraphNode::Choice(decision, ..), Some(chance)) = (&**node, reached.get(&Arc::as_ptr(node))) {
            let picked = folded.strategy.get(&Arc::as_ptr(node)).copied().unwrap_or(0);
            let sums = decided.entry((decision.side.clone(), decision.question.clone())).or_default();
            *sums.entry(decision.options[picked].clone()).or_insert(Fraction::ZERO) += chance;
        }
    }
    let value = Some(folded.value(root, &worth));
    Ok(BestPlayOdds { odds: Odds::new(counted, &folded.strategy), strategy: folded.strategy, decisions: decided, value })
}

impl BestPlayOdds {
    /// For a program, laid into the odds: what the measure comes to, and what is taken.
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

/// How far an outcome can be moved by choosing.
#[derive(Clone, Debug)]
pub struct OutcomeRange {
    /// The outcome.
    pub outcome: String,
    /// Its lowest and highest expected value, where it is a number.
    pub mean: Option<(Fraction, Fraction)>,
    /// Each value with its lowest and highest chance.
    pub values: Vec<(String, Fraction, Fraction)>,
}

/// The range of every outcome over all combinations of options.
pub fn ranges(counted: &CountResult) -> Vec<OutcomeRange> {
    let root = &counted.root;
    let mut values: BTreeMap<NameId, Vec<ValueId>> = BTreeMap::new();
    let mut note = |branch: &GraphEdge| {
        for (name, value) in &branch.outcomes {
            let list = values.entry(*name).or_default();
            if !list.contains(value) {
                list.push(*value);
            }
        }
    };
    note(root);
    for node in postorder(&root.target) {
        match &**node {
            GraphNode::Throw(ways) => ways.iter().for_each(|(_, branch)| note(branch)),
            GraphNode::Choice(_, _, options) => options.iter().for_each(&mut note),
            _ => {}
        }
    }
    crate::odds::graph::outcome_order(root).into_iter().map(|name| range(counted, name, values.remove(&name).unwrap_or_default())).collect()
}

fn range(counted: &CountResult, name: NameId, values: Vec<ValueId>) -> OutcomeRange {
    let (root, names) = (&counted.root, &counted.names);
    let both = |of: &dyn Fn(NameId, ValueId) -> Fraction| {
        let worth = OutcomeWorth { names: vec![name], worth: of };
        let end = |highest: bool| fold(root, &worth, &|_, values| extreme_index(values, highest)).value(root, &worth);
        (end(false), end(true))
    };
    let outcome = names.name_text(name);
    let mut texts: Vec<(ValueId, String)> = values.into_iter().map(|value| (value, names.value_text(value))).collect();
    texts.sort_by_key(|(_, text)| (text.parse::<i64>().unwrap_or(0), text.clone()));
    let numbers = texts.iter().all(|(_, text)| parse_number(&outcome, text).is_ok() && text.parse::<i64>().is_ok());
    let mut list = Vec::new();
    for (value, text) in &texts {
        let (low, high) = both(&|_, other| Fraction::from_integer(i64::from(other == *value)));
        list.push((text.clone(), low, high));
    }
    // What is left is that it is not named: the other way round.
    let (named_least, named_most) = both(&|_, _| Fraction::ONE);
    let nothing = (&Fraction::ONE - &named_most, &Fraction::ONE - &named_least);
    if !nothing.1.is_zero() {
        list.push((NO_OUTCOME.to_string(), nothing.0, nothing.1));
    }
    // A mean is of what is named, and how often that is hangs on what is chosen.
    let always = list.last().is_none_or(|(value, ..)| value != NO_OUTCOME);
    let mean = (numbers && always).then(|| both(&|_, value| Fraction::from_integer(names.value_text(value).parse().unwrap_or(0))));
    OutcomeRange { outcome, mean, values: list }
}
