//! Several outcomes together, counted and sampled: the joint rows.

use crate::complaint::Error;
use crate::odds::distribution::{Condition, NO_OUTCOME, joint_outcomes, too_many_rows};
use crate::odds::fold::Strategy;
use crate::odds::fraction::Fraction;
use crate::odds::query::OddsResult;
use crate::odds::sample::Sample;
use std::collections::BTreeMap;

/// One way in which outcomes come up together.
#[derive(Clone, Debug, PartialEq)]
pub struct JointOutcome {
    /// The value of each; a dash where it is not named.
    pub values: Vec<String>,
    /// What was counted of its chance.
    pub counted: Fraction,
    /// All of its chance, as a share of 1.
    pub chance: f64,
    /// Half the width of its 95 per cent interval, where a part was sampled.
    pub error: Option<f64>,
}

/// So many rows are read by nobody.
const MAX_ROWS: usize = 100_000;

/// How likely it is that conditions hold, as a share of 1, with its error where a part was sampled.
pub type ConditionChance = (f64, Option<f64>);

/// The rows of some outcomes where conditions hold, likeliest first, and how likely these are; none where they never do.
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
        if conditions.iter().all(|condition| condition.holds(value(&condition.name))) {
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
