//! The joint distribution of several outcomes, counted and sampled.

use crate::odds::distribution::{
    Condition, NO_OUTCOME, are_satisfied, joint_outcomes, too_many_rows,
};
use crate::odds::fold::Strategy;
use crate::odds::fraction::Fraction;
use crate::odds::query::OddsResult;
use crate::odds::sample::{Estimate, Sample};
use casebook_engine::complaint::Error;
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

/// The probability of the conditions, from 0 to 1, with its error if a part was sampled.
pub type ConditionChance = (f64, Option<f64>);

/// Returns the joint rows given the conditions, likeliest first, and the probability of the conditions; `None` if they never hold.
pub fn rows(
    result: &OddsResult,
    names: &[String],
    conditions: &[Condition],
    strategy: &Strategy,
) -> Result<(Vec<JointOutcome>, ConditionChance), Error> {
    let mut all_names = names.to_vec();
    all_names.extend(
        conditions
            .iter()
            .map(|condition| condition.name.clone())
            .filter(|name| !names.contains(name)),
    );
    all_names.dedup();
    let (mut rows, mut condition_chance): (BTreeMap<Vec<String>, Fraction>, Fraction) =
        (BTreeMap::new(), Fraction::ZERO);
    for (row, chance) in
        joint_outcomes(&result.counted, &all_names, strategy)?.ok_or_else(too_many_rows)?
    {
        let value = |name: &String| row.get(name).map_or(NO_OUTCOME, String::as_str);
        if are_satisfied(conditions, &row)? {
            *rows
                .entry(names.iter().map(|name| value(name).to_string()).collect())
                .or_insert(Fraction::ZERO) += &chance;
            condition_chance += &chance;
        }
    }
    let counted_condition = (!conditions.is_empty()).then(|| condition_chance.to_f64());
    let sample = result.sample.as_ref().map(|sample| Sample {
        condition_chance: counted_condition,
        ..sample.clone()
    });
    for values in sample.iter().flat_map(|sample| sample.joint_counts.keys()) {
        rows.entry(values.clone()).or_insert(Fraction::ZERO);
    }
    let row = |(values, counted): (Vec<String>, Fraction)| match &sample {
        None => {
            let counted = &counted / &condition_chance;
            JointOutcome {
                chance: counted.to_f64(),
                error: None,
                values,
                counted,
            }
        }
        Some(sample) => {
            let estimate = sample.joint_chance(&values, counted.to_f64());
            JointOutcome {
                chance: estimate.share,
                error: Some(estimate.error),
                values,
                counted,
            }
        }
    };
    let mut rows: Vec<JointOutcome> = rows.into_iter().map(row).collect();
    rows.sort_by(|a, b| {
        b.chance
            .total_cmp(&a.chance)
            .then_with(|| a.values.cmp(&b.values))
    });
    let condition = match sample.as_ref().and_then(Sample::estimate_condition) {
        Some(Estimate { share, error }) => (share, Some(error)),
        None => (condition_chance.to_f64(), None),
    };
    Ok((rows, condition))
}
