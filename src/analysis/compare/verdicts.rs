//! Verdicts on a difference: it exists, it doesn't, or neither is known.
//!
//! *Differs* and *the same* are reported for complete counts, or if they follow from the counted part. Paired runs can only establish
//! *differs*, and only at a strict significance level; everything else is *not decided*, with an interval for each difference.

use crate::compare::paired_runs::{PairCounts, ValueCounts};
use crate::compare::view::RulesetView;
use crate::odds::distribution::{NO_OUTCOME, grouped_chances};
use crate::odds::fraction::{Distribution, Fraction, add_chance};
use casebook_engine::ruling::condition::GatheredValues;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A verdict on a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "verdict")]
pub enum DifferenceVerdict {
    /// There is a difference.
    #[serde(rename = "differs")]
    Differs,
    /// There is provably none.
    #[serde(rename = "the same")]
    Same,
    /// Neither is known.
    #[serde(rename = "not decided")]
    Undecided,
}

/// The probability of a value under two rulesets, from 0 to 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShareChange {
    /// The value, or the name of a group of values; `mean` for the mean of numbers.
    pub value: String,
    /// Its estimated probability under the first ruleset.
    pub from: f64,
    /// Its estimated probability under the second ruleset.
    pub to: f64,
    /// The difference, second minus first, as a fraction if both were fully counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// The lower bound of the difference: certain if it was counted, at 95 % confidence if it was sampled.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// The verdict.
    pub verdict: DifferenceVerdict,
}

/// The verdict on one outcome.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutcomeDifference {
    /// The outcome.
    pub outcome: String,
    /// The verdict.
    pub verdict: DifferenceVerdict,
    /// Whether the verdict is proved, not only sampled.
    pub proved: bool,
    /// The values that differ, or all values if nothing is decided.
    pub values: Vec<ShareChange>,
}

impl OutcomeDifference {
    /// Returns the verdict on an outcome that provably does not differ.
    pub fn same(outcome: String) -> OutcomeDifference {
        OutcomeDifference {
            outcome,
            verdict: DifferenceVerdict::Same,
            proved: true,
            values: Vec::new(),
        }
    }
}

/// The significance level: the probability of any false *differs* in a comparison, over all values of all outcomes.
const SIGNIFICANCE: f64 = 0.001;

/// Returns the verdict on every outcome of two views; `is_equal` if they are known to be equal.
pub fn differences(
    from: &RulesetView,
    to: &RulesetView,
    is_equal: bool,
    pairs: Option<&PairCounts>,
) -> Vec<OutcomeDifference> {
    let mut names: Vec<String> = from.odds.order.clone();
    let further_names = to
        .odds
        .order
        .iter()
        .chain(pairs.into_iter().flat_map(|pairs| pairs.counts.keys()));
    for name in further_names {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if is_equal {
        return names.into_iter().map(OutcomeDifference::same).collect();
    }
    let views = ViewPair { from, to, pairs };
    let tests = names
        .iter()
        .map(|name| views.values_of(name).len())
        .sum::<usize>()
        .max(1);
    names
        .into_iter()
        .map(|outcome| views.outcome_difference(outcome, tests))
        .collect()
}

/// Two views, with the paired runs if they were not fully counted.
struct ViewPair<'a> {
    from: &'a RulesetView,
    to: &'a RulesetView,
    pairs: Option<&'a PairCounts>,
}

impl ViewPair<'_> {
    /// Returns the values of an outcome that were counted under either ruleset.
    fn counted_values(&self, outcome: &str) -> impl Iterator<Item = &str> {
        [self.from, self.to]
            .into_iter()
            .filter_map(|view| view.odds.distribution(outcome))
            .flat_map(Distribution::iter)
            .map(|(value, _)| value)
    }

    /// Returns the values of an outcome, or groups of them, that occur under either ruleset.
    fn values_of(&self, outcome: &str) -> BTreeSet<String> {
        let game = &self.from.situation.ruleset().game;
        let mut values: BTreeSet<String> = self
            .counted_values(outcome)
            .map(|value| game.group_outcome(value).to_string())
            .collect();
        values.extend(
            self.pairs
                .and_then(|pairs| pairs.counts.get(outcome))
                .into_iter()
                .flat_map(|list| list.keys().cloned()),
        );
        values.insert(NO_OUTCOME.into());
        values
    }

    /// Returns the verdict on an outcome; `tests` is the number of values of all outcomes.
    fn outcome_difference(&self, outcome: String, tests: usize) -> OutcomeDifference {
        if self.from.is_complete() && self.to.is_complete() {
            let mut values = self.exact_changes(&outcome, true);
            if values.is_empty() {
                // Values of one group may differ although the sum of the group does not.
                values = self.exact_changes(&outcome, false);
            }
            // Numbers that are counted together may differ although their sum does not.
            let is_gathered = self
                .counted_values(&outcome)
                .any(|value| GatheredValues::parse(value).is_some());
            let verdict = match (values.is_empty(), is_gathered) {
                (false, _) => DifferenceVerdict::Differs,
                (true, false) => DifferenceVerdict::Same,
                (true, true) => DifferenceVerdict::Undecided,
            };
            return OutcomeDifference {
                outcome,
                verdict,
                proved: verdict != DifferenceVerdict::Undecided,
                values,
            };
        }
        let chances =
            [self.from, self.to].map(|view| OutcomeValueChances::of(view, &outcome, true));
        let list: Vec<(ShareChange, bool)> = self
            .values_of(&outcome)
            .into_iter()
            .map(|value| self.sampled_change((&outcome, &chances), value, tests))
            .collect();
        let differs = list
            .iter()
            .any(|(change, _)| change.verdict == DifferenceVerdict::Differs);
        let proved = list
            .iter()
            .any(|(change, proved)| change.verdict == DifferenceVerdict::Differs && *proved);
        let verdict = if differs {
            DifferenceVerdict::Differs
        } else {
            DifferenceVerdict::Undecided
        };
        let is_shown =
            |change: &ShareChange| !differs || change.verdict == DifferenceVerdict::Differs;
        let changes = list.into_iter().map(|(change, _)| change);
        let values = changes.filter(|change| {
            is_shown(change) && (change.from, change.to, change.high) != (0.0, 0.0, 0.0)
        });
        OutcomeDifference {
            outcome,
            verdict,
            proved,
            values: sort_changes(values.collect()),
        }
    }

    /// Returns the values of an outcome that differ if everything was counted, preceded by the mean.
    fn exact_changes(&self, outcome: &str, grouped: bool) -> Vec<ShareChange> {
        let mut values = if grouped {
            self.values_of(outcome)
        } else {
            self.counted_values(outcome).map(str::to_string).collect()
        };
        let mut chances =
            [self.from, self.to].map(|view| OutcomeValueChances::of(view, outcome, grouped));
        // What is counted together under one of the rulesets is so under both.
        if let Some(common) = values
            .iter()
            .filter_map(|value| GatheredValues::parse(value))
            .reduce(GatheredValues::with)
        {
            chances
                .iter_mut()
                .for_each(|chances| chances.gather(common));
            values.insert(common.to_string());
        }
        let change = |value: String, a: &Fraction, b: &Fraction| {
            let exact = b - a;
            let (from, to, low, high) = (a.to_f64(), b.to_f64(), exact.to_f64(), exact.to_f64());
            ShareChange {
                value,
                from,
                to,
                low,
                high,
                exact: Some(exact.to_string()),
                verdict: DifferenceVerdict::Differs,
            }
        };
        let mut list = Vec::new();
        for value in values {
            let [a, b] = chances.each_ref().map(|chances| chances.of_value(&value));
            if a != b {
                list.push(change(value, &a, &b));
            }
        }
        let mean =
            |view: &RulesetView| view.odds.distribution(outcome).and_then(Distribution::mean);
        let mut list = sort_changes(list);
        if let (Some(a), Some(b), true) = (mean(self.from), mean(self.to), list.len() > 2)
            && a != b
        {
            list.insert(0, change("mean".into(), &a, &b));
        }
        list
    }

    /// Returns the verdict on a value that was not fully counted, and whether it follows from the counted part.
    fn sampled_change(
        &self,
        (outcome, chances): (&str, &[OutcomeValueChances; 2]),
        value: String,
        tests: usize,
    ) -> (ShareChange, bool) {
        let ends = |view: &RulesetView, chances: &OutcomeValueChances| {
            let unseen =
                &Fraction::ONE - view.odds.counted_share.as_ref().unwrap_or(&Fraction::ZERO);
            let least = chances.of_value(&value);
            (&least + &unseen, least)
        };
        let ((from_most, from_least), (to_most, to_least)) =
            (ends(self.from, &chances[0]), ends(self.to, &chances[1]));
        let (sure_low, sure_high) = (&to_least - &from_most, &to_most - &from_least);
        let proved = sure_low > Fraction::ZERO || sure_high < Fraction::ZERO;
        let (mut low, mut high) = (sure_low.to_f64(), sure_high.to_f64());
        let halfway = |least: &Fraction, most: &Fraction| (least.to_f64() + most.to_f64()) / 2.0;
        let (mut a, mut b) = (
            halfway(&from_least, &from_most),
            halfway(&to_least, &to_most),
        );
        let mut verdict = if proved {
            DifferenceVerdict::Differs
        } else {
            DifferenceVerdict::Undecided
        };
        if let Some(pairs) = self.pairs.filter(|pairs| pairs.runs > 0) {
            let times = pairs.value_counts(outcome, &value);
            let n = pairs.runs as f64;
            let within = |share: f64, least: &Fraction, most: &Fraction| {
                share.max(least.to_f64()).min(most.to_f64())
            };
            a = within(times.from as f64 / n, &from_least, &from_most);
            b = within(times.to as f64 / n, &to_least, &to_most);
            let (least, most) = difference_interval(times, n);
            (low, high) = (low.max(least).min(high), high.min(most).max(low));
            if hoeffding_bound(times) < SIGNIFICANCE / tests as f64 {
                verdict = DifferenceVerdict::Differs;
            }
        }
        (
            ShareChange {
                value,
                from: a,
                to: b,
                exact: None,
                low,
                high,
                verdict,
            },
            proved,
        )
    }
}

/// The counted chances of an outcome's values, or groups of values.
struct OutcomeValueChances(BTreeMap<String, Fraction>);

impl OutcomeValueChances {
    fn of(view: &RulesetView, outcome: &str, grouped: bool) -> OutcomeValueChances {
        OutcomeValueChances(match view.odds.distribution(outcome) {
            Some(distribution) if grouped => {
                grouped_chances(distribution, &view.situation.ruleset().game)
            }
            Some(distribution) => distribution
                .iter()
                .map(|(value, chance)| (value.to_string(), chance.clone()))
                .collect(),
            None => [(
                NO_OUTCOME.to_string(),
                view.counted_chance(outcome, NO_OUTCOME),
            )]
            .into(),
        })
    }

    /// Adds up the chances of numbers that are counted together.
    fn gather(&mut self, common: GatheredValues) {
        let is_in = |value: &str| {
            value.parse().is_ok_and(|number| common.has(number))
                || GatheredValues::parse(value).is_some()
        };
        let (gathered, others): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(&mut self.0)
            .into_iter()
            .partition(|(value, _)| is_in(value));
        self.0 = others;
        gathered
            .values()
            .for_each(|chance| add_chance(&mut self.0, &common.to_string(), chance));
    }

    fn of_value(&self, value: &str) -> Fraction {
        self.0.get(value).cloned().unwrap_or(Fraction::ZERO)
    }
}

/// Sorts numbers by size, words by the size of their change, and the unnamed outcome last.
fn sort_changes(mut list: Vec<ShareChange>) -> Vec<ShareChange> {
    let number = |change: &ShareChange| {
        change
            .value
            .parse::<i64>()
            .ok()
            .or(Some(GatheredValues::parse(&change.value)?.from))
    };
    let numbers = list
        .iter()
        .all(|change| change.value == NO_OUTCOME || number(change).is_some());
    list.sort_by(|a, b| {
        let last = (a.value == NO_OUTCOME).cmp(&(b.value == NO_OUTCOME));
        let far = |change: &ShareChange| (change.to - change.from).abs();
        last.then_with(|| {
            if numbers {
                number(a).cmp(&number(b))
            } else {
                far(b).total_cmp(&far(a))
            }
        })
    });
    list
}

/// Returns the 95 % interval of the difference of two paired proportions (Agresti and Min 2005); it has a positive width even if no
/// difference was observed.
fn difference_interval(times: ValueCounts, n: f64) -> (f64, f64) {
    let (gained, lost, total) = (
        times.only_to as f64 + 0.5,
        times.only_from as f64 + 0.5,
        n + 2.0,
    );
    let difference = (gained - lost) / total;
    let error = 1.96
        * ((gained + lost) / total - difference * difference)
            .max(0.0)
            .sqrt()
        / total.sqrt();
    (difference - error, difference + error)
}

/// Bounds the probability that chance alone makes so large a difference (Hoeffding): under the null hypothesis each discordant pair is a
/// fair coin.
fn hoeffding_bound(times: ValueCounts) -> f64 {
    let (gained, lost) = (times.only_to as f64, times.only_from as f64);
    if gained + lost == 0.0 {
        1.0
    } else {
        2.0 * (-(gained - lost).powi(2) / (2.0 * (gained + lost))).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luck_is_not_called_a_difference() {
        let times = |only_from, only_to| ValueCounts {
            only_from,
            only_to,
            ..ValueCounts::default()
        };
        assert!(
            hoeffding_bound(times(0, 0)) >= 1.0
                && hoeffding_bound(times(50, 50)) >= 1.0
                && hoeffding_bound(times(40, 60)) > SIGNIFICANCE
        );
        assert!(hoeffding_bound(times(0, 100)) < SIGNIFICANCE);
        let (low, high) = difference_interval(times(0, 0), 100.0);
        assert!(
            low < -0.005 && high > 0.005,
            "a hundred runs prove no equality: {low} to {high}"
        );
    }
}
