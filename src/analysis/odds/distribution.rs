//! The odds of a procedure: its outcomes with the probabilities of their values.

use crate::odds::bounds::{Cap, NEGLIGIBLE};
use crate::odds::count::CountResult;
use crate::odds::fold::{ANSWER, ENDED, OutcomeChances, Strategy, UNEXPLORED, outcome_chances};
use crate::odds::fraction::{Distribution, Fraction, add_chance, check_chances};
use crate::odds::graph::{GraphEdge, NameId, OutcomeNames, REFUSED, names_ahead, outcome_order};
use crate::odds::joint::{JointLimits, JointRow, joint};
use crate::odds::loop_exits::without_loops;
pub use crate::odds::outcome_key::NO_OUTCOME;
use casebook_engine::complaint::{Error, nearest_names};
use casebook_engine::data::manifest::Game;
use casebook_engine::platform::clock::Instant;
pub use casebook_engine::ruling::condition::Condition;
use casebook_engine::ruling::headline::UnnamedOutcomes;
use std::collections::{BTreeMap, BTreeSet};

/// Returns a value for people: that an outcome is not named is said in the words of the game.
pub fn shown_value<'a>(unnamed: &'a UnnamedOutcomes, outcome: &str, value: &'a str) -> &'a str {
    match value {
        NO_OUTCOME => unnamed.words_for(outcome),
        value => value,
    }
}

/// Returns the number a value begins with: 6 of "6 left", 17 of "17 or more". A value without one is no number.
pub fn leading_number(value: &str) -> Option<i64> {
    let end = value
        .find(|c: char| !c.is_ascii_digit() && c != '-')
        .unwrap_or(value.len());
    let suffix = &value[end..];
    value[..end]
        .parse()
        .ok()
        .filter(|_| suffix.is_empty() || suffix.starts_with(' '))
}

/// Returns the chances of a distribution's values, or groups of values, as the game has them.
pub fn grouped_chances(distribution: &Distribution, game: &Game) -> BTreeMap<String, Fraction> {
    let mut grouped = BTreeMap::new();
    distribution
        .iter()
        .for_each(|(value, chance)| add_chance(&mut grouped, game.group_outcome(value), chance));
    grouped
}

/// The odds of a procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Odds {
    /// The names of outcomes in the order the rules name them.
    pub order: Vec<String>,
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
    #[doc(hidden)]
    pub unnamed: UnnamedOutcomes,
}

/// Values of several outcomes, with their joint probability.
pub type JointOutcomes = (BTreeMap<String, String>, Fraction);

/// The maximum number of rows of a joint distribution.
const MAX_ROWS: usize = 100_000;

/// The number of bits of chances up to which the likeliest row is looked for: it is only an addition to the odds, so it may not take longer.
const MAX_LIKELIEST_BITS: usize = 4_096;

/// Builds the error for a joint distribution with more than 100,000 rows.
pub fn too_many_rows() -> Error {
    Error::Usage(
        "these outcomes come up together in too many ways to be counted in the time there is; ask for fewer of them together".into(),
    )
}

#[doc(hidden)]
impl Odds {
    /// Calls [`shown_value`].
    pub fn shown<'a>(&'a self, outcome: &str, value: &'a str) -> &'a str {
        shown_value(&self.unnamed, outcome, value)
    }

    /// Computes the distribution of each outcome of a counted graph under a strategy. If that takes longer than `counted.fold_time`,
    /// nothing is counted.
    pub fn new(counted: &CountResult, strategy: &Strategy) -> Result<Odds, Error> {
        let names = &counted.names;
        let mut odds = Odds {
            states: counted.states,
            ended: counted.ended,
            files: counted.consulted.files.clone(),
            unnamed: counted.unnamed.clone(),
            ..Odds::default()
        };
        let until = Instant::now().checked_add(counted.fold_time);
        let root = without_loops(&counted.root, strategy, &|| {
            until.is_some_and(|until| Instant::now() > until)
        })
        .ok();
        let ahead = names_ahead(
            root.as_ref()
                .map_or(&counted.root.target, |root| &root.target),
        );
        let Some(chances) = root
            .as_ref()
            .and_then(|root| outcome_chances(root, &ahead, strategy, until))
        else {
            odds.counted_share = Some(Fraction::ZERO);
            odds.ended.get_or_insert(Cap::Time);
            return Ok(odds);
        };
        check_ends(&chances)?;
        let unexplored = chances.get(&UNEXPLORED).into_iter().flatten();
        let counted_share = unexplored.fold(Fraction::ONE, |counted_share, (_, chance)| {
            &counted_share - chance
        });
        odds.counted_share = Some(counted_share.clone());
        for name in outcome_order(root.as_deref().unwrap_or(&counted.root), &ahead) {
            // An outcome that was named only in refused runs never took effect.
            let Some(list) = chances.get(&name) else {
                if counted_share.is_zero() {
                    odds.insert(
                        names.name_text(name),
                        Distribution::new(BTreeMap::new(), &Fraction::ZERO)?,
                    );
                }
                continue;
            };
            let mut values = BTreeMap::new();
            list.iter().for_each(|(value, chance)| {
                add_chance(&mut values, &names.value_text(*value), chance)
            });
            // The remaining probability belongs to runs that did not name the outcome; a refusal discards everything named before.
            let distribution = Distribution::with_rest(values, NO_OUTCOME, &counted_share)?;
            // What is expected is known for choices at their first options.
            let expected = counted
                .expected_sums
                .get(&name)
                .and_then(Option::as_ref)
                .filter(|_| strategy.is_empty());
            let distribution = if let Some(expected) = expected {
                distribution.with_expected_sum(expected)
            } else {
                distribution
            };
            odds.insert(names.name_text(name), distribution);
        }
        Ok(odds)
    }

    /// Adds an outcome after the others.
    fn insert(&mut self, name: String, distribution: Distribution) {
        self.order.push(name.clone());
        self.outcomes.insert(name, distribution);
    }
}

/// Checks that the probability that left the root of a graph has reached its ends.
fn check_ends(chances: &OutcomeChances) -> Result<(), Error> {
    let reached = [ANSWER, ENDED]
        .iter()
        .filter_map(|name| chances.get(name))
        .flatten();
    check_chances(reached.map(|(_, chance)| chance), &Fraction::ONE)
}

impl Odds {
    /// Whether everything was counted.
    pub fn is_complete(&self) -> bool {
        self.counted_share.as_ref() == Some(&Fraction::ONE)
    }

    /// Whether so little was not counted that it is only stated.
    pub fn is_all_but_complete(&self) -> bool {
        self.uncounted_share()
            .is_some_and(|share| share < NEGLIGIBLE)
    }

    /// Returns the share that was not counted.
    pub fn uncounted_share(&self) -> Option<f64> {
        self.counted_share
            .as_ref()
            .map(|counted| (&Fraction::ONE - counted).to_f64())
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
    pub fn conditioned_on(mut self, chance: &Fraction) -> Result<Odds, Error> {
        for list in self.outcomes.values_mut() {
            *list = list.conditioned_on(chance)?;
        }
        Ok(self)
    }

    /// Reports an error for an outcome that is never named.
    #[doc(hidden)]
    pub fn check_outcome(&self, name: &str) -> Result<(), Error> {
        if self.outcomes.contains_key(name) {
            return Ok(());
        }
        let hits = nearest_names(name, self.order.iter().map(String::as_str));
        Err(Error::Unknown {
            kind: "outcome",
            name: name.into(),
            suggestions: if hits.is_empty() {
                self.order.clone()
            } else {
                hits
            },
        })
    }
}

/// The likeliest joint value of several outcomes.
pub struct LikeliestJoint {
    /// The value of each outcome, by its name.
    pub values: BTreeMap<String, String>,
    /// Its probability.
    pub chance: Fraction,
    /// The number of joint values with this probability.
    pub ties: usize,
}

/// Returns the likeliest joint value of several outcomes; `None` if there are more than `most` rows, or
/// chances are long.
pub fn likeliest_joint(
    counted: &CountResult,
    names: &[String],
    strategy: &Strategy,
    most: usize,
) -> Result<Option<LikeliestJoint>, Error> {
    let limits = JointLimits {
        rows: most,
        bits: MAX_LIKELIEST_BITS,
    };
    let Some(shares) = joint(&counted.root, &name_ids(counted, names), strategy, limits)? else {
        return Ok(None);
    };
    let likeliest: Vec<_> = shares.likeliest().collect();
    let rows = likeliest
        .iter()
        .map(|(row, chance)| (row_values(counted, names, row), chance.clone()));
    Ok(rows
        .min_by(|(a, _), (b, _)| a.cmp(b))
        .map(|(values, chance)| LikeliestJoint {
            values,
            chance,
            ties: likeliest.len(),
        }))
}

/// Returns the joint distribution of several outcomes, likeliest first; `None` if there are more than 100,000 rows.
pub fn joint_outcomes(
    counted: &CountResult,
    names: &[String],
    strategy: &Strategy,
) -> Result<Option<Vec<JointOutcomes>>, Error> {
    let Some(mut rows) = unsorted_rows(counted, names, strategy)? else {
        return Ok(None);
    };
    rows.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    Ok(Some(rows))
}

fn unsorted_rows(
    counted: &CountResult,
    names: &[String],
    strategy: &Strategy,
) -> Result<Option<Vec<JointOutcomes>>, Error> {
    let Some(shares) = joint(
        &counted.root,
        &name_ids(counted, names),
        strategy,
        JointLimits {
            rows: MAX_ROWS,
            bits: usize::MAX,
        },
    )?
    else {
        return Ok(None);
    };
    Ok(Some(
        shares
            .fractions()
            .map(|(row, chance)| (row_values(counted, names, row), chance))
            .collect(),
    ))
}

fn name_ids(counted: &CountResult, names: &[String]) -> Vec<NameId> {
    names
        .iter()
        .map(|name| counted.names.intern_name(name))
        .collect()
}

fn row_values(
    counted: &CountResult,
    names: &[String],
    (row, refused): &JointRow,
) -> BTreeMap<String, String> {
    let named = names
        .iter()
        .zip(row)
        .filter_map(|(name, value)| Some((name.clone(), counted.names.value_text((*value)?))));
    let refusal = refused.map(|refusal| {
        (
            counted.names.name_text(REFUSED),
            counted.names.value_text(refusal),
        )
    });
    named.chain(refusal).collect()
}

/// Whether a row satisfies conditions. Fails if one compares with a number among those that are counted together.
pub fn are_satisfied(
    conditions: &[Condition],
    row: &BTreeMap<String, String>,
) -> Result<bool, Error> {
    let value = |condition: &Condition| row.get(&condition.name).map_or(NO_OUTCOME, String::as_str);
    match conditions
        .iter()
        .find(|condition| condition.divides(value(condition)))
    {
        Some(
            condition @ Condition {
                name,
                sign,
                value: bound,
            },
        ) => Err(Error::Usage(format!(
            "`{name} {sign} {bound}` can't be decided: `{name}` has no end, and what is {} is counted together: compare with a number before that",
            value(condition)
        ))),
        None => Ok(conditions
            .iter()
            .all(|condition| condition.is_satisfied_by(value(condition)))),
    }
}

/// Returns for every outcome the probabilities of each value together with all conditions, and the probability of the conditions. Fails if
/// there are too many rows.
pub fn conditional_odds(
    counted: &CountResult,
    odds: &Odds,
    conditions: &[Condition],
    strategy: &Strategy,
) -> Result<(Odds, Fraction), Error> {
    let mut conditional = Odds {
        outcomes: BTreeMap::new(),
        ..odds.clone()
    };
    let mut condition_chance = Fraction::ZERO;
    let until = Instant::now().checked_add(counted.fold_time);
    let is_late = || until.is_some_and(|until| Instant::now() > until);
    for name in &odds.order {
        let (own, others): (Vec<&Condition>, Vec<&Condition>) = conditions
            .iter()
            .partition(|condition| condition.name == *name);
        let id = counted.names.intern_name(name);
        let is_expected =
            strategy.is_empty() && matches!(counted.expected_sums.get(&id), Some(Some(_)));
        let mut expected = counted
            .counter_graph
            .as_ref()
            .filter(|_| is_expected)
            .and_then(|graph| graph.expected_sum(id, &counted.names, &others, &is_late));
        let mut names: Vec<String> = conditions
            .iter()
            .map(|condition| condition.name.clone())
            .collect();
        if !names.contains(name) {
            names.push(name.clone());
        }
        let mut values = BTreeMap::new();
        condition_chance = Fraction::ZERO;
        for (row, chance) in unsorted_rows(counted, &names, strategy)?.ok_or_else(too_many_rows)? {
            let value = row.get(name).map_or(NO_OUTCOME, String::as_str);
            if are_satisfied(conditions, &row)? {
                add_chance(&mut values, value, &chance);
                condition_chance += &chance;
            } else if !own.is_empty()
                && others.iter().all(|condition| {
                    let value = row.get(&condition.name).map_or(NO_OUTCOME, String::as_str);
                    condition.is_satisfied_by(value)
                })
            {
                // What the conditions on the outcome itself exclude is no part of its sum; what is gathered would have no mean then.
                expected = match value.parse().map(Fraction::from_integer) {
                    Ok(number) => expected.map(|sum| &sum - &(&number * &chance)),
                    Err(_) if value == NO_OUTCOME => expected,
                    Err(_) => None,
                };
            }
        }
        let distribution = Distribution::new(values, &condition_chance)?;
        let distribution = match &expected {
            Some(expected) => distribution.with_expected_sum(expected),
            None => distribution,
        };
        conditional.outcomes.insert(name.clone(), distribution);
    }
    Ok((conditional, condition_chance))
}

/// Returns the distribution of the procedure's return value; `None` if that takes too long.
pub fn answer_distribution(
    root: &GraphEdge,
    names: &OutcomeNames,
    until: Instant,
) -> Result<Option<Distribution>, Error> {
    let Ok(root) = without_loops(root, &Strategy::default(), &|| Instant::now() > until) else {
        return Ok(None);
    };
    let chances = outcome_chances(
        &root,
        &names_ahead(&root.target),
        &Strategy::default(),
        Some(until),
    );
    let Some(chances) = chances else {
        return Ok(None);
    };
    check_ends(&chances)?;
    let unanswered = chances.get(&ENDED).into_iter().flatten();
    let answered = unanswered.fold(Fraction::ONE, |answered, (_, chance)| &answered - chance);
    let mut values = BTreeMap::new();
    chances
        .get(&ANSWER)
        .into_iter()
        .flatten()
        .for_each(|(value, chance)| add_chance(&mut values, &names.value_text(*value), chance));
    Distribution::new(values, &answered).map(Some)
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
