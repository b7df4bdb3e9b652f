//! Odds: the outcomes of a procedure, each with the chances of its values.

use crate::complaint::{Error, nearest_names};
use crate::odds::bounds::Cap;
use crate::odds::count::CountResult;
use crate::odds::fold::{ANSWER, Marginals, Strategy, UNEXPLORED, marginals};
use crate::odds::fraction::{Distribution, Fraction};
use crate::odds::graph::{NameId, REFUSED, outcome_order};
use crate::odds::joint::{JointRow, joint};
use std::collections::{BTreeMap, BTreeSet};

/// What stands for an outcome that a run did not name.
pub const NO_OUTCOME: &str = "—";

/// A value as a person reads it.
pub fn display_value(value: &str) -> &str {
    if value == NO_OUTCOME { "does not come up" } else { value }
}

/// The odds of a procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Odds {
    /// The names of outcomes in the order the rules give them.
    pub order: Vec<String>,
    /// The values of each with their chances.
    pub outcomes: BTreeMap<String, Distribution>,
    /// The part of all chances that was counted: 1 where everything was.
    pub counted_share: Option<Fraction>,
    /// What ended the count, where not everything was counted.
    pub ended: Option<Cap>,
    /// States it took.
    pub states: u64,
    /// The keys of the files that had a part in it.
    pub files: BTreeSet<String>,
}

/// A condition on a named outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The outcome.
    pub name: String,
    /// How it compares: `=`, `!=`, `<`, `<=`, `>`, `>=`.
    pub sign: String,
    /// With what.
    pub value: String,
}

impl Condition {
    /// Reads "defender losses >= 4"; a name alone asks for `yes`.
    pub fn parse(text: &str) -> Condition {
        for sign in ["!=", "<=", ">=", "==", "=", "<", ">"] {
            if let Some((name, value)) = text.split_once(sign) {
                let sign = if sign == "==" { "=" } else { sign };
                return Condition { name: name.trim().into(), sign: sign.into(), value: value.trim().into() };
            }
        }
        Condition { name: text.trim().into(), sign: "=".into(), value: "yes".into() }
    }

    /// Whether a value meets it.
    pub fn holds(&self, value: &str) -> bool {
        let order = match (value.parse::<i64>(), self.value.parse::<i64>()) {
            (Ok(a), Ok(b)) => a.cmp(&b),
            _ if self.sign == "=" || self.sign == "!=" => value.cmp(&self.value),
            _ => return false,
        };
        match self.sign.as_str() {
            "=" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        }
    }
}

/// Outcomes that came up together, with their chance.
pub type JointOutcomes = (BTreeMap<String, String>, Fraction);

/// So many rows say nothing to anybody any more.
pub const MAX_ROWS: usize = 100_000;

/// These are more than can be kept apart.
pub fn too_many_rows() -> Error {
    Error::Usage("these outcomes come up together in too many ways to be counted; ask for fewer of them together".into())
}

impl Odds {
    /// The odds of what was counted, each outcome by itself.
    pub fn new(counted: &CountResult, picked: &Strategy) -> Odds {
        Odds::from_marginals(counted, &marginals(&counted.root, picked))
    }

    /// The same of chances already folded.
    pub fn from_marginals(counted: &CountResult, found: &Marginals) -> Odds {
        let names = &counted.names;
        let unseen = found.get(UNEXPLORED).map_or(Fraction::ZERO, |shares| shares.sum());
        let seen = &Fraction::ONE - &unseen;
        let mut odds = Odds {
            states: counted.states,
            ended: counted.ended,
            files: counted.consulted.files.clone(),
            counted_share: Some(seen.clone()),
            ..Odds::default()
        };
        for name in outcome_order(&counted.root) {
            let mut distribution = Distribution::default();
            let mut left = seen.clone();
            if let Some(shares) = found.get(name) {
                for (value, chance) in shares.fractions() {
                    left = &left - &chance;
                    distribution.add(&names.value_text(*value), &chance);
                }
            }
            // What is not named comes to nothing; where a rule refused, nothing counts that was named before.
            if !left.is_zero() {
                distribution.add(NO_OUTCOME, &left);
            }
            // Named on ways that were refused in the end, it never stood.
            if left == seen && !seen.is_zero() {
                continue;
            }
            let text = names.name_text(name);
            odds.order.push(text.clone());
            odds.outcomes.insert(text, distribution);
        }
        odds
    }

    /// Whether everything was counted.
    pub fn is_complete(&self) -> bool {
        self.counted_share.as_ref() == Some(&Fraction::ONE)
    }

    /// The values of one outcome with their chances.
    pub fn distribution(&self, name: &str) -> Option<&Distribution> {
        self.outcomes.get(name)
    }

    /// The same as parts of a chance that is not nothing: what holds where that is so.
    pub fn conditioned_on(mut self, chance: &Fraction) -> Odds {
        self.outcomes.values_mut().flat_map(|list| list.0.values_mut()).for_each(|share| *share = &*share / chance);
        self
    }

    /// Complains of an outcome that nobody names.
    pub fn check_outcome(&self, name: &str) -> Result<(), Error> {
        if self.outcomes.contains_key(name) {
            return Ok(());
        }
        let hits = nearest_names(name, self.order.iter().map(String::as_str));
        Err(Error::Unknown { what: "outcome", name: name.into(), suggestions: if hits.is_empty() { self.order.clone() } else { hits } })
    }
}

/// The likeliest way in which several outcomes come up together, its chance, and how many are as likely; none where there are too many.
pub fn likeliest_joint(
    counted: &CountResult,
    names: &[String],
    picked: &Strategy,
    most: usize,
) -> Option<(BTreeMap<String, String>, Fraction, usize)> {
    let numbers: Vec<NameId> = names.iter().map(|name| counted.names.intern_name(name)).collect();
    let found = joint(&counted.root, &numbers, picked, most)?;
    let alike: Vec<_> = found.likeliest().collect();
    let rows = alike.iter().map(|(row, chance)| (row_values(counted, names, row), chance.clone()));
    rows.min_by(|(a, _), (b, _)| a.cmp(b)).map(|(row, chance)| (row, chance, alike.len()))
}

/// Several outcomes together, likeliest first; none where they come up in too many ways.
pub fn joint_outcomes(counted: &CountResult, names: &[String], picked: &Strategy, most: usize) -> Option<Vec<JointOutcomes>> {
    let numbers: Vec<NameId> = names.iter().map(|name| counted.names.intern_name(name)).collect();
    let found = joint(&counted.root, &numbers, picked, most)?;
    let mut list: Vec<JointOutcomes> = found.fractions().map(|(row, chance)| (row_values(counted, names, row), chance)).collect();
    list.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    Some(list)
}

fn row_values(counted: &CountResult, names: &[String], (row, refused): &JointRow) -> BTreeMap<String, String> {
    let own = names.iter().zip(row).filter_map(|(name, value)| Some((name.clone(), counted.names.value_text((*value)?))));
    let by = refused.map(|by| (counted.names.name_text(REFUSED), counted.names.value_text(by)));
    own.chain(by).collect()
}

/// For every outcome the chances that all conditions hold and its values come up, with the chance that they hold; none where they come up in
/// too many ways.
pub fn conditional_odds(counted: &CountResult, odds: &Odds, conditions: &[Condition], picked: &Strategy) -> Option<(Odds, Fraction)> {
    let asked: Vec<String> = conditions.iter().map(|condition| condition.name.clone()).collect();
    let mut kept = Odds {
        order: odds.order.clone(),
        states: odds.states,
        ended: odds.ended,
        files: odds.files.clone(),
        counted_share: odds.counted_share.clone(),
        ..Odds::default()
    };
    let mut chance = Fraction::ZERO;
    for name in &odds.order {
        let mut names = asked.clone();
        if !names.contains(name) {
            names.push(name.clone());
        }
        let numbers: Vec<NameId> = names.iter().map(|name| counted.names.intern_name(name)).collect();
        let rows = joint(&counted.root, &numbers, picked, MAX_ROWS)?;
        let mut distribution = Distribution::default();
        let mut all = Fraction::ZERO;
        for (row, share) in rows.fractions() {
            let row = row_values(counted, &names, row);
            let value = |name: &str| row.get(name).map_or(NO_OUTCOME, String::as_str);
            if conditions.iter().all(|condition| condition.holds(value(&condition.name))) {
                distribution.add(value(name), &share);
                all += &share;
            }
        }
        kept.outcomes.insert(name.clone(), distribution);
        chance = all;
    }
    Some((kept, chance))
}

/// What the procedure answers, with the chances.
pub fn answer_distribution(root: &crate::odds::graph::GraphEdge, names: &crate::odds::graph::OutcomeNames) -> Distribution {
    let found = marginals(root, &Strategy::default());
    let mut distribution = Distribution::default();
    for (value, chance) in found.get(ANSWER).into_iter().flat_map(|shares| shares.fractions()) {
        distribution.add(&names.value_text(*value), &chance);
    }
    distribution
}
