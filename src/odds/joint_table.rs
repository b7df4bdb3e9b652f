//! The joint distribution of several outcomes, counted and sampled.

use crate::complaint::Error;
use crate::odds::distribution::{Condition, NO_OUTCOME, joint_outcomes, too_many_rows};
use crate::odds::fold::Strategy;
use crate::odds::fraction::Fraction;
use crate::odds::query::OddsResult;
use crate::odds::sample::Sample;
use std::collections::BTreeMap;

/// A joint value of several outcomes.
#[derive(Clone, Debug, PartialEq)]
pub struct JointOutcome {
    /// The value of each outcome; a dash if it is not named.
    pub values: Vec<String>,
    /// The counted part of its probability.
    pub counted: Fraction,
    /// Its estimated probability, from 0 to 1.
    pub chance: f64,
    /// The half-width of its 95 % interval, if a part was sampled.
    pub error: Option<f64>,
}

/// The maximum number of rows.
const MAX_ROWS: usize = 100_000;

/// The probability of the conditions, from 0 to 1, with its error if a part was sampled.
pub type ConditionChance = (f64, Option<f64>);

/// Returns the joint rows given the conditions, likeliest first, and the probability of the conditions; `None` if they never hold.
pub fn rows(
    found: &OddsResult,
    names: &[String],
    conditions: &[Condition],
    picked: &Strategy,
) -> Result<(Vec<JointOutcome>, ConditionChance), Error> {
    let mut all = names.to_vec();
    conditions.iter().filter(|condition| !names.contains(&condition.name)).for_each(|condition| all.push(condition.name.clone()));
    all.dedup();
    let (mut counted, mut held): (BTreeMap<Vec<String>, Fraction>, Fraction) = (BTreeMap::new(), Fraction::ZERO);
    for (row, chance) in joint_outcomes(&found.counted, &all, picked, MAX_ROWS).ok_or_else(too_many_rows)? {
        let value = |name: &String| row.get(name).map_or(NO_OUTCOME, String::as_str);
        if conditions.iter().all(|condition| condition.is_satisfied_by(value(&condition.name))) {
            *counted.entry(names.iter().map(|name| value(name).to_string()).collect()).or_insert(Fraction::ZERO) += &chance;
            held += &chance;
        }
    }
    let sample =
        found.sample.as_ref().map(|sample| Sample { condition_chance: (!conditions.is_empty()).then(|| held.to_f64()), ..sample.clone() });
    for values in sample.iter().flat_map(|sample| sample.joint_counts.keys().cloned()) {
        counted.entry(values).or_insert(Fraction::ZERO);
    }
    let row = |(values, counted): (Vec<String>, Fraction)| match &sample {
        None => {
            let counted = &counted / &held;
            JointOutcome { chance: counted.to_f64(), error: None, values, counted }
        }
        Some(sample) => {
            let (share, error) = sample.joint_chance(&values, counted.to_f64());
            JointOutcome { chance: share, error: Some(error), values, counted }
        }
    };
    let mut list: Vec<JointOutcome> = counted.into_iter().map(row).collect();
    list.sort_by(|a, b| b.chance.total_cmp(&a.chance).then_with(|| a.values.cmp(&b.values)));
    let held = match sample.as_ref().and_then(Sample::estimate_condition) {
        Some((share, error)) => (share, Some(error)),
        None => (held.to_f64(), None),
    };
    Ok((list, held))
}
