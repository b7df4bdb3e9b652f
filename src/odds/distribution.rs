//! The odds of a procedure: its outcomes with the probabilities of their values.

use crate::complaint::{Error, nearest_names};
use crate::odds::bounds::Cap;
use crate::odds::count::CountResult;
use crate::odds::fold::{ANSWER, Strategy, UNEXPLORED, outcome_chances};
use crate::odds::fraction::{Distribution, Fraction};
use crate::odds::graph::{GraphEdge, NameId, OutcomeNames, REFUSED, names_ahead, outcome_order};
use crate::odds::joint::{JointRow, joint};
use crate::platform::clock::Instant;
pub use crate::ruling::condition::Condition;
use std::collections::{BTreeMap, BTreeSet};

/// The placeholder value of an outcome that a run did not name.
pub const NO_OUTCOME: &str = "—";

/// Returns the display form of a value.
pub fn display_value(value: &str) -> &str {
    if value == NO_OUTCOME { "does not come up" } else { value }
}

/// Returns the number a value begins with: 6 of "6 left". A value without one is no number.
pub fn leading_number(value: &str) -> Option<i64> {
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(value.len());
    let suffix = &value[end..];
    value[..end].parse().ok().filter(|_| suffix.is_empty() || suffix.starts_with(' '))
}

/// The odds of a procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Odds {
    /// The names of outcomes in the order the rules name them.
    pub order: Vec<String>,
    /// The distribution of each outcome.
    pub outcomes: BTreeMap<String, Distribution>,
    /// The counted share of all probability, if it was not 1.
    pub counted_share: Option<Fraction>,
    /// The limit that ended the count, if it is incomplete.
    #[doc(hidden)]
    pub ended: Option<Cap>,
    /// The number of states explored.
    pub states: u64,
    /// The keys of the files that were consulted.
    pub files: BTreeSet<String>,
}

/// Values of several outcomes, with their joint probability.
pub type JointOutcomes = (BTreeMap<String, String>, Fraction);

/// The maximum number of rows of a joint distribution.
const MAX_ROWS: usize = 100_000;

/// Builds the error for a joint distribution with more than 100,000 rows.
pub fn too_many_rows() -> Error {
    Error::Usage(
        "these outcomes come up together in too many ways to be counted in the time there is; ask for fewer of them together".into(),
    )
}

#[doc(hidden)]
impl Odds {
    /// Computes the distribution of each outcome of a counted graph under a strategy. If that takes longer than `counted.fold_time`,
    /// nothing is counted.
    pub fn new(counted: &CountResult, strategy: &Strategy) -> Odds {
        let names = &counted.names;
        let mut odds = Odds { states: counted.states, ended: counted.ended, files: counted.consulted.files.clone(), ..Odds::default() };
        let ahead = names_ahead(&counted.root.target);
        let until = Instant::now().checked_add(counted.fold_time);
        let Some(chances) = outcome_chances(&counted.root, &ahead, strategy, until) else {
            odds.counted_share = Some(Fraction::ZERO);
            odds.ended.get_or_insert(Cap::Time);
            return odds;
        };
        let unexplored = chances.get(&UNEXPLORED).into_iter().flatten();
        let counted_share = unexplored.fold(Fraction::ONE, |counted_share, (_, chance)| &counted_share - chance);
        odds.counted_share = Some(counted_share.clone());
        for name in outcome_order(&counted.root, &ahead) {
            let mut distribution = Distribution::default();
            let mut unnamed = counted_share.clone();
            for (value, chance) in chances.get(&name).into_iter().flatten() {
                unnamed = &unnamed - chance;
                distribution.add(&names.value_text(*value), chance);
            }
            // The remaining probability belongs to runs that did not name the outcome; a refusal discards everything named before.
            if !unnamed.is_zero() {
                distribution.add(NO_OUTCOME, &unnamed);
            }
            // An outcome that was named only in refused runs never took effect.
            if unnamed == counted_share && !counted_share.is_zero() {
                continue;
            }
            let text = names.name_text(name);
            odds.order.push(text.clone());
            odds.outcomes.insert(text, distribution);
        }
        odds
    }
}

impl Odds {
    /// Whether everything was counted.
    pub fn is_complete(&self) -> bool {
        self.counted_share.as_ref() == Some(&Fraction::ONE)
    }

    /// Whether anything was counted.
    pub fn is_known(&self) -> bool {
        self.counted_share != Some(Fraction::ZERO)
    }

    /// Returns the distribution of an outcome.
    pub fn distribution(&self, name: &str) -> Option<&Distribution> {
        self.outcomes.get(name)
    }

    /// Divides all probabilities by `chance`, the nonzero probability of a condition.
    #[doc(hidden)]
    pub fn conditioned_on(mut self, chance: &Fraction) -> Odds {
        self.outcomes.values_mut().flat_map(|list| list.0.values_mut()).for_each(|share| *share = &*share / chance);
        self
    }

    /// Reports an error for an outcome that is never named.
    #[doc(hidden)]
    pub fn check_outcome(&self, name: &str) -> Result<(), Error> {
        if self.outcomes.contains_key(name) {
            return Ok(());
        }
        let hits = nearest_names(name, self.order.iter().map(String::as_str));
        Err(Error::Unknown { what: "outcome", name: name.into(), suggestions: if hits.is_empty() { self.order.clone() } else { hits } })
    }
}

/// Returns the likeliest joint value of several outcomes, its probability, and the number of ties; `None` if there are more than `most` rows.
pub fn likeliest_joint(
    counted: &CountResult,
    names: &[String],
    strategy: &Strategy,
    most: usize,
) -> Option<(BTreeMap<String, String>, Fraction, usize)> {
    let shares = joint(&counted.root, &name_ids(counted, names), strategy, most)?;
    let likeliest: Vec<_> = shares.likeliest().collect();
    let rows = likeliest.iter().map(|(row, chance)| (row_values(counted, names, row), chance.clone()));
    rows.min_by(|(a, _), (b, _)| a.cmp(b)).map(|(row, chance)| (row, chance, likeliest.len()))
}

/// Returns the joint distribution of several outcomes, likeliest first; `None` if there are more than 100,000 rows.
pub fn joint_outcomes(counted: &CountResult, names: &[String], strategy: &Strategy) -> Option<Vec<JointOutcomes>> {
    let mut rows = unsorted_rows(counted, names, strategy)?;
    rows.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    Some(rows)
}

fn unsorted_rows(counted: &CountResult, names: &[String], strategy: &Strategy) -> Option<Vec<JointOutcomes>> {
    let shares = joint(&counted.root, &name_ids(counted, names), strategy, MAX_ROWS)?;
    Some(shares.fractions().map(|(row, chance)| (row_values(counted, names, row), chance)).collect())
}

fn name_ids(counted: &CountResult, names: &[String]) -> Vec<NameId> {
    names.iter().map(|name| counted.names.intern_name(name)).collect()
}

fn row_values(counted: &CountResult, names: &[String], (row, refused): &JointRow) -> BTreeMap<String, String> {
    let named = names.iter().zip(row).filter_map(|(name, value)| Some((name.clone(), counted.names.value_text((*value)?))));
    let refusal = refused.map(|refusal| (counted.names.name_text(REFUSED), counted.names.value_text(refusal)));
    named.chain(refusal).collect()
}

/// Returns for every outcome the probabilities of each value together with all conditions, and the probability of the conditions; `None`
/// if there are too many rows.
pub fn conditional_odds(counted: &CountResult, odds: &Odds, conditions: &[Condition], strategy: &Strategy) -> Option<(Odds, Fraction)> {
    let mut conditional = Odds { outcomes: BTreeMap::new(), ..odds.clone() };
    let mut condition_chance = Fraction::ZERO;
    for name in &odds.order {
        let mut names: Vec<String> = conditions.iter().map(|condition| condition.name.clone()).collect();
        if !names.contains(name) {
            names.push(name.clone());
        }
        let mut distribution = Distribution::default();
        condition_chance = Fraction::ZERO;
        for (row, chance) in unsorted_rows(counted, &names, strategy)? {
            let value = |name: &str| row.get(name).map_or(NO_OUTCOME, String::as_str);
            if conditions.iter().all(|condition| condition.is_satisfied_by(value(&condition.name))) {
                distribution.add(value(name), &chance);
                condition_chance += &chance;
            }
        }
        conditional.outcomes.insert(name.clone(), distribution);
    }
    Some((conditional, condition_chance))
}

/// Returns the distribution of the procedure's return value; `None` if that takes too long.
pub fn answer_distribution(root: &GraphEdge, names: &OutcomeNames, until: Instant) -> Option<Distribution> {
    let chances = outcome_chances(root, &names_ahead(&root.target), &Strategy::default(), Some(until))?;
    let mut distribution = Distribution::default();
    chances.get(&ANSWER).into_iter().flatten().for_each(|(value, chance)| distribution.add(&names.value_text(*value), chance));
    Some(distribution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_begin_with_numbers() {
        assert_eq!(leading_number("6 left"), Some(6));
        assert_eq!(leading_number("-2"), Some(-2));
        assert_eq!(leading_number("3rd"), None);
        assert_eq!(leading_number("unhurt"), None);
    }
}
