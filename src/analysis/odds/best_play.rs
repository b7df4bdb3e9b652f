//! Odds under optimal play: sides maximize or minimize a measure, or the range over all strategies is computed.

use crate::odds::count::CountResult;
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::fold::{Strategy, choice_chances};
use crate::odds::fraction::{Distribution, Fraction};
use crate::odds::graph::{
    GraphEdge, GraphNode, NameId, ValueId, names_ahead, outcome_order, postorder,
};
use crate::odds::induction::{OutcomeWorth, fold};
use crate::odds::measure::{Measure, parse_number};
use casebook_engine::complaint::{Error, Remedy};
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::task;
use casebook_engine::situation::policy::{Decision, PolicyKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The decisions taken: for each side and question the chosen options with their probabilities.
pub type DecisionTable = BTreeMap<(String, String), BTreeMap<String, Fraction>>;

/// The odds of a procedure under optimal play.
#[derive(Debug)]
pub struct BestPlayOdds {
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
    let is_better = |i: usize, best: usize| {
        if highest {
            values[i] > values[best]
        } else {
            values[i] < values[best]
        }
    };
    (1..values.len()).fold(0, |best, i| if is_better(i, best) { i } else { best })
}

/// Whether the graph has a choice that is resolved by a measure.
pub fn has_measured_choices(root: &GraphEdge) -> bool {
    postorder(&root.target)
        .into_iter()
        .any(|node| matches!(**node, GraphNode::Choice(..)))
}

/// Resolves all choices by the measure. `odds` are those with each choice at its first option.
pub fn best_play(
    counted: &CountResult,
    odds: &Odds,
    measure: Option<&Measure>,
) -> Result<BestPlayOdds, Error> {
    let root = &counted.root;
    let Some(measure) = measure else {
        if has_measured_choices(root) {
            let named = odds.order.join(", ");
            return Err(Error::unanswered(
                format!("best and worst of what? The outcomes here are {named}"),
                Remedy::NameMeasure("X - Y".into()),
            ));
        }
        return Ok(BestPlayOdds {
            odds: odds.clone(),
            strategy: Strategy::default(),
            decisions: DecisionTable::new(),
            value: None,
        });
    };
    measure.check(counted, odds)?;
    let names = &counted.names;
    let worth_of = |name: NameId, value: ValueId| {
        measure.worth(&names.name_text(name), &names.value_text(value))
    };
    let worth = OutcomeWorth {
        names: measure.outcome_ids(names),
        worth: &worth_of,
    };
    let folded = fold(root, &worth, &choose_by_value)?;
    let reached = choice_chances(root, &folded.strategy, false);
    let mut decided = DecisionTable::new();
    let nodes = postorder(&root.target);
    for node in &nodes {
        if let (GraphNode::Choice(decision, ..), Some(chance)) =
            (&***node, reached.get(&Arc::as_ptr(node)))
        {
            let picked = folded
                .strategy
                .get(&Arc::as_ptr(node))
                .copied()
                .unwrap_or(0);
            let key = (decision.side.clone(), decision.question.clone());
            *decided
                .entry(key)
                .or_default()
                .entry(decision.options[picked].clone())
                .or_insert(Fraction::ZERO) += chance;
        }
    }
    let value = Some(folded.value(root, &worth));
    Ok(BestPlayOdds {
        odds: Odds::new(counted, &folded.strategy)?,
        strategy: folded.strategy,
        decisions: decided,
        value,
    })
}

/// The lowest and highest probability of a value.
#[derive(Clone, Debug)]
pub struct ChanceRange {
    pub value: String,
    pub low: Fraction,
    pub high: Fraction,
}

/// The range of an outcome over all strategies.
#[derive(Clone, Debug)]
pub struct OutcomeRange {
    pub outcome: String,
    /// Its lowest and highest expected value, if it is a number.
    pub mean: Option<(Fraction, Fraction)>,
    pub values: Vec<ChanceRange>,
    /// The number of further values, for which there was no time.
    pub left_out: usize,
}

/// Returns the range of every outcome over all strategies. Each value takes a fold of the graph of its own, so after `counted.fold_time` the
/// values that remain are left out.
pub fn ranges(counted: &CountResult) -> Result<Vec<OutcomeRange>, Error> {
    let root = &counted.root;
    if !has_measured_choices(root) {
        return Ok(certain_ranges(&Odds::new(counted, &Strategy::default())?));
    }
    let until = Instant::now().checked_add(counted.fold_time);
    let is_late = || task::is_over() || until.is_some_and(|until| Instant::now() > until);
    let nodes = postorder(&root.target);
    let mut values: BTreeMap<NameId, BTreeSet<ValueId>> = BTreeMap::new();
    for (name, value) in std::iter::once(root)
        .chain(nodes.iter().flat_map(|node| node.edges()))
        .flat_map(|edge| &edge.outcomes)
    {
        values.entry(*name).or_default().insert(*value);
    }
    let order = outcome_order(root, &names_ahead(&root.target));
    order
        .into_iter()
        .map(|name| {
            range(
                counted,
                name,
                values.remove(&name).unwrap_or_default(),
                &is_late,
            )
        })
        .collect()
}

/// Returns the ranges where nothing is chosen: each chance is certain.
fn certain_ranges(odds: &Odds) -> Vec<OutcomeRange> {
    let range = |outcome: &String| {
        let distribution = odds.outcomes.get(outcome);
        let mut values: Vec<ChanceRange> = distribution
            .into_iter()
            .flat_map(Distribution::iter)
            .map(|(value, chance)| ChanceRange {
                value: value.into(),
                low: chance.clone(),
                high: chance.clone(),
            })
            .collect();
        values.sort_by_cached_key(|range| (range.value == NO_OUTCOME, value_order(&range.value)));
        let numbers = values
            .iter()
            .all(|range| range.value.parse::<i64>().is_ok());
        let mean = distribution
            .filter(|_| numbers)
            .and_then(Distribution::mean)
            .map(|mean| (mean.clone(), mean));
        OutcomeRange {
            outcome: outcome.clone(),
            mean,
            values,
            left_out: 0,
        }
    };
    odds.order.iter().map(range).collect()
}

/// The key by which the values of an outcome are sorted: numbers by size.
fn value_order(value: &str) -> (i64, String) {
    (value.parse().unwrap_or(0), value.into())
}

/// Checks the least and the greatest chance of a value.
fn check_range(low: &Fraction, high: &Fraction) -> Result<(), Error> {
    match Fraction::ZERO <= *low && low <= high && *high <= Fraction::ONE {
        true => Ok(()),
        false => Err(Error::Inconsistent(format!(
            "a chance is from {low} to {high}"
        ))),
    }
}

fn range(
    counted: &CountResult,
    name: NameId,
    values: BTreeSet<ValueId>,
    is_late: &dyn Fn() -> bool,
) -> Result<OutcomeRange, Error> {
    let (root, names) = (&counted.root, &counted.names);
    let extremes =
        |worth_of: &dyn Fn(NameId, ValueId) -> Fraction| -> Result<(Fraction, Fraction), Error> {
            let worth = OutcomeWorth {
                names: vec![name],
                worth: worth_of,
            };
            let end = |highest: bool| -> Result<Fraction, Error> {
                Ok(
                    fold(root, &worth, &|_, values| extreme_index(values, highest))?
                        .value(root, &worth),
                )
            };
            Ok((end(false)?, end(true)?))
        };
    let outcome = names.name_text(name);
    let mut texts: Vec<(ValueId, String)> = values
        .into_iter()
        .map(|value| (value, names.value_text(value)))
        .collect();
    texts.sort_by_cached_key(|(_, text)| value_order(text));
    let numbers = texts
        .iter()
        .all(|(_, text)| parse_number(&outcome, text).is_ok() && text.parse::<i64>().is_ok());
    if is_late() {
        return Ok(OutcomeRange {
            outcome,
            mean: None,
            values: Vec::new(),
            left_out: texts.len(),
        });
    }
    // The rest is the probability that the outcome is not named, so minimum and maximum are swapped.
    let (named_least, named_most) = extremes(&|_, _| Fraction::ONE)?;
    let nothing = (&Fraction::ONE - &named_most, &Fraction::ONE - &named_least);
    check_range(&nothing.0, &nothing.1)?;
    // A mean is conditional on the outcome being named, which itself depends on the choices.
    let always = nothing.1.is_zero();
    let number = |_: NameId, value: ValueId| {
        Fraction::from_integer(names.value_text(value).parse().unwrap_or(0))
    };
    let mean = (numbers && always).then(|| extremes(&number)).transpose()?;
    let (mut ranges, mut left_out) = (Vec::new(), 0);
    for (index, (value, text)) in texts.iter().enumerate() {
        if is_late() {
            left_out = texts.len() - index;
            break;
        }
        let (low, high) = extremes(&|_, other| Fraction::from_integer(i64::from(other == *value)))?;
        check_range(&low, &high)?;
        let value = text.clone();
        ranges.push(ChanceRange { value, low, high });
    }
    if !always {
        ranges.push(ChanceRange {
            value: NO_OUTCOME.to_string(),
            low: nothing.0,
            high: nothing.1,
        });
    }
    Ok(OutcomeRange {
        outcome,
        mean,
        values: ranges,
        left_out,
    })
}
