//! A measure: a signed sum of named outcomes, such as `defender losses - attacker losses`.

use crate::odds::count::CountResult;
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::explore::StateKeyParts;
use crate::odds::fraction::Fraction;
use crate::odds::graph::{NameId, OutcomeNames, ValueId, postorder};
use casebook_engine::complaint::{Error, Remedy};
use casebook_engine::situation::policy::{Policies, PolicyKind};
use std::collections::BTreeSet;

/// A signed sum of outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The measure as it was typed.
    pub text: String,
    terms: Vec<(i64, String)>,
}

impl StateKeyParts {
    /// Returns what the choices of policies read that may go by a measure.
    pub fn of_question(measure: Option<&Measure>, policies: &Policies) -> StateKeyParts {
        let measured = measure.into_iter().flat_map(Measure::terms);
        StateKeyParts {
            measured_outcomes: measured.map(|(_, name)| name.clone()).collect(),
            all_outcomes: policies.any(|kind| *kind == PolicyKind::All),
            answer: false,
            gathers_counters: true,
        }
    }
}

impl Measure {
    /// Parses outcomes separated by `+` and `-`. The signs need spaces around them, as names may contain hyphens.
    pub fn parse(text: &str) -> Result<Measure, Error> {
        let (mut terms, mut sign, mut name): (Vec<(i64, String)>, i64, Vec<&str>) =
            (Vec::new(), 1, Vec::new());
        for word in text.split_whitespace().chain(["+"]) {
            match (word, word.strip_prefix('-')) {
                ("+" | "-" | "−", _) => {
                    if !name.is_empty() {
                        terms.push((sign, name.join(" ")));
                        name.clear();
                    } else if !terms.is_empty() {
                        return Err(Error::Usage(format!(
                            "`{text}`: a sign goes between two outcomes: 'defender losses - attacker losses'"
                        )));
                    }
                    sign = if word == "+" { 1 } else { -1 };
                }
                (_, Some(name_start)) if name.is_empty() && terms.is_empty() => {
                    sign = -1;
                    name.push(name_start);
                }
                _ => name.push(word),
            }
        }
        if terms.is_empty() {
            return Err(Error::unanswered(
                "a measure names outcomes",
                Remedy::NameMeasure("defender losses - attacker losses".into()),
            ));
        }
        Ok(Measure {
            text: text.trim().into(),
            terms,
        })
    }

    /// Returns the outcomes with their signs.
    pub fn terms(&self) -> &[(i64, String)] {
        &self.terms
    }

    /// Returns the ids of its outcomes, sorted and without duplicates.
    pub fn outcome_ids(&self, names: &OutcomeNames) -> Vec<NameId> {
        let ids: BTreeSet<NameId> = self
            .terms
            .iter()
            .map(|(_, name)| names.intern_name(name))
            .collect();
        ids.into_iter().collect()
    }

    /// Reports outcomes that are never named, and values that are no numbers. `odds` are those with each choice at its first option; what
    /// they lack may come of another one.
    pub fn check(&self, counted: &CountResult, odds: &Odds) -> Result<(), Error> {
        for (_, name) in &self.terms {
            let is_number = |value: &str| parse_number(name, value).map(drop);
            if let Some(found) = odds.distribution(name) {
                found.iter().try_for_each(|(value, _)| is_number(value))?;
                continue;
            }
            let id = counted.names.intern_name(name);
            let nodes = postorder(&counted.root.target);
            let named = nodes
                .iter()
                .flat_map(|node| node.edges())
                .flat_map(|edge| &edge.outcomes)
                .filter(|(name, _)| *name == id);
            let values: BTreeSet<ValueId> = named.map(|(_, value)| *value).collect();
            if values.is_empty() {
                odds.check_outcome(name)?;
            }
            values
                .into_iter()
                .try_for_each(|value| is_number(&counted.names.value_text(value)))?;
        }
        Ok(())
    }

    /// Returns the contribution of a value of an outcome.
    pub fn worth(&self, name: &str, value: &str) -> Fraction {
        let signs = self
            .terms
            .iter()
            .filter(|(_, term)| term == name)
            .map(|(sign, _)| *sign)
            .sum::<i64>();
        Fraction::from_integer(signs.saturating_mul(parse_number(name, value).unwrap_or(0)))
    }
}

/// Parses a value as a number: `yes` is 1; `no` and an outcome that was not named are 0.
pub fn parse_number(name: &str, value: &str) -> Result<i64, Error> {
    match value {
        "yes" => Ok(1),
        "no" | NO_OUTCOME => Ok(0),
        other => other.parse().map_err(|_| {
            Error::Usage(format!("`{name}` can be `{other}`, and a measure adds up numbers: name outcomes that are numbers, or yes and no"))
        }),
    }
}
