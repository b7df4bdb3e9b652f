//! What is measured: a sum of outcomes or the chance of a value, and the side for which more of it is good.

use crate::odds::distribution::NO_OUTCOME;
use crate::odds::fraction::Fraction;
use crate::odds::measure::{Measure, parse_number};
use casebook_engine::complaint::{Error, Remedy, nearest_names};
use casebook_engine::data::case::Case;
use casebook_engine::ruling::condition::Condition;
use casebook_engine::ruling::headline::{ENEMY, HeadlineFigure, headline_of};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::initial_board::SIDE_COLUMN;
use casebook_engine::situation::value::{HashedText, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
enum StakeKind {
    /// A signed sum of outcomes.
    Sum(Measure),
    /// 1 if the condition holds, else 0: its mean is a chance.
    Chance(Condition),
}

/// What luck is measured by. An outcome that does not come up counts 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stake {
    kind: StakeKind,
    /// The side for which more is good, if the card or the user says so.
    pub good_for: Option<String>,
}

/// The values that each outcome can have.
pub type OutcomeValues = BTreeMap<String, BTreeSet<String>>;

impl Stake {
    /// Parses what a user names: outcomes with signs between them, or a condition such as `attack = Red`.
    pub fn parse(text: &str) -> Result<Stake, Error> {
        let kind = match text.contains(['=', '<', '>']) {
            true => StakeKind::Chance(Condition::parse(text)),
            false => StakeKind::Sum(Measure::parse(text)?),
        };
        Ok(Stake {
            kind,
            good_for: None,
        })
    }

    /// Returns what the headline of a situation's procedure names, in the order in which it is measured: first the means, each the mean of
    /// an outcome, or the difference of two that are set against each other and good for different sides; then the chances.
    pub fn of_headline(situation: &Situation) -> Vec<Stake> {
        let entries = headline_of(situation);
        let sides = good_for(situation);
        let mean = |figures: &[&HeadlineFigure]| match figures {
            [first, second]
                if sides.get(&first.outcome).is_some_and(|first_side| {
                    sides
                        .get(&second.outcome)
                        .is_some_and(|second_side| second_side != first_side)
                }) =>
            {
                Stake::parse(&format!("{} - {}", second.outcome, first.outcome)).ok()
            }
            [first, ..] => Stake::parse(&first.outcome).ok(),
            [] => None,
        };
        let means = entries.iter().filter_map(|entry| {
            let figures: Vec<&HeadlineFigure> = entry
                .figures
                .iter()
                .filter(|figure| figure.condition.is_none())
                .collect();
            mean(&figures)
        });
        let conditions = entries
            .iter()
            .flat_map(|entry| &entry.figures)
            .filter_map(|figure| figure.condition.clone());
        let chances = conditions.map(|condition| Stake {
            kind: StakeKind::Chance(condition),
            good_for: None,
        });
        means
            .chain(chances)
            .map(|stake| stake.with_side_of(situation))
            .collect()
    }

    /// Returns the first outcome whose values are all numbers, or yes and no; `order` lists the outcomes as the rules name them.
    pub fn first_number(order: &[String], values: &OutcomeValues) -> Option<Stake> {
        let is_number = |name: &&String| {
            values
                .get(*name)
                .is_some_and(|list| list.iter().all(|value| parse_number(name, value).is_ok()))
        };
        order
            .iter()
            .find(is_number)
            .and_then(|name| Stake::parse(name).ok())
    }

    /// Sets the side for which more is good by what the cards of the procedure say of the outcomes; all have to agree.
    pub fn with_side_of(self, situation: &Situation) -> Stake {
        let side_by_outcome = good_for(situation);
        let enemy = |side: &String| enemy_of(side, &situation.ruleset().game.sides);
        let mut sides = self.signed_names().into_iter().map(|(sign, name)| {
            let side = side_by_outcome.get(&name)?;
            if sign < 0 {
                enemy(side)
            } else {
                Some(side.clone())
            }
        });
        let first = sides.next().flatten();
        let good_for = first.filter(|first| sides.all(|side| side.as_ref() == Some(first)));
        Stake { good_for, ..self }
    }

    /// Returns the side that gains by an effect on what is measured, if that is known.
    pub fn gains_by(&self, effect: &Fraction, sides: &[String]) -> Option<String> {
        let good_for = self.good_for.as_ref()?;
        if effect.is_zero() {
            return None;
        }
        if *effect > Fraction::ZERO {
            Some(good_for.clone())
        } else {
            enemy_of(good_for, sides)
        }
    }

    /// Sets the side that a user names; fails if the game has no such side.
    pub fn with_side(self, side: &str, situation: &Situation) -> Result<Stake, Error> {
        let sides = &situation.ruleset().game.sides;
        if sides.iter().any(|declared| declared == side) {
            return Ok(Stake {
                good_for: Some(side.into()),
                ..self
            });
        }
        let near = nearest_names(side, sides.iter().map(String::as_str));
        Err(Error::Unknown {
            kind: "side",
            name: side.into(),
            suggestions: if near.is_empty() { sides.clone() } else { near },
        })
    }

    fn signed_names(&self) -> Vec<(i64, String)> {
        match &self.kind {
            StakeKind::Sum(measure) => measure.terms().to_vec(),
            StakeKind::Chance(condition) => {
                vec![(
                    if ["!=", "<", "<="].contains(&condition.sign.as_str()) {
                        -1
                    } else {
                        1
                    },
                    condition.name.clone(),
                )]
            }
        }
    }

    /// Returns the names of the outcomes that are measured.
    pub fn outcomes(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .signed_names()
            .into_iter()
            .map(|(_, name)| name)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether it is a chance, shown in per cent.
    pub fn is_chance(&self) -> bool {
        matches!(self.kind, StakeKind::Chance(_))
    }

    /// Returns what a value of an outcome adds.
    pub fn worth(&self, name: &str, value: &str) -> Fraction {
        match &self.kind {
            StakeKind::Sum(measure) => measure.worth(name, value),
            StakeKind::Chance(condition) => Fraction::from_integer(i64::from(
                condition.name == name && value != NO_OUTCOME && condition.is_satisfied_by(value),
            )),
        }
    }

    /// Reports an outcome that is never named, a value that never comes up, and a sum of what is no number.
    pub fn check(&self, order: &[String], values: &OutcomeValues) -> Result<(), Error> {
        for name in self.outcomes() {
            let Some(list) = values.get(&name) else {
                let near = nearest_names(&name, order.iter().map(String::as_str));
                return Err(Error::Unknown {
                    kind: "outcome",
                    name,
                    suggestions: if near.is_empty() {
                        order.to_vec()
                    } else {
                        near
                    },
                });
            };
            let possible_values = || {
                list.iter()
                    .map(String::as_str)
                    .filter(|value| *value != NO_OUTCOME)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            match &self.kind {
                StakeKind::Chance(condition)
                    if !list.iter().any(|value| condition.is_satisfied_by(value)) =>
                {
                    return Err(Error::Usage(format!(
                        "`{self}` never holds here: {name} can be {}",
                        possible_values()
                    )));
                }
                StakeKind::Sum(_) => {
                    if let Some(value) = list
                        .iter()
                        .find(|value| parse_number(&name, value).is_err())
                    {
                        let message = format!(
                            "`{name}` is not a number here, it can be {}: name the chance of one of its values",
                            possible_values()
                        );
                        let remedy = Remedy::NameMeasure(format!("{name}={value}"));
                        return Err(Error::unanswered(message, remedy));
                    }
                }
                StakeKind::Chance(_) => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for Stake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StakeKind::Sum(measure) => f.write_str(&measure.text),
            StakeKind::Chance(Condition { name, sign, value }) => {
                write!(f, "{name} {sign} {value}")
            }
        }
    }
}

/// Returns the side for which more of an outcome is good, by outcome, as the newest card in force of the procedure says it. What can't be
/// traced to a side is left out.
fn good_for(situation: &Situation) -> BTreeMap<String, String> {
    let states = |case: &&Arc<Case>| {
        !case.good_for.is_empty() && case.procedures.contains(&situation.procedure)
    };
    let Some(case) = situation.ruleset().cases.iter().rev().find(states) else {
        return BTreeMap::new();
    };
    case.good_for
        .iter()
        .filter_map(|(outcome, whom)| {
            Some((
                outcome.clone(),
                whom.iter().find_map(|whom| side_named(whom, situation))?,
            ))
        })
        .collect()
}

/// Returns the side that a card names: a side of the game, what the situation hands the procedure under that name, what a track names, or
/// the enemy of one.
fn side_named(whom: &str, situation: &Situation) -> Option<String> {
    let sides = &situation.ruleset().game.sides;
    if let Some(name) = whom.strip_prefix(ENEMY) {
        return enemy_of(&side_named(name.trim(), situation)?, sides);
    }
    if sides.iter().any(|side| side == whom) {
        return Some(whom.into());
    }
    let given = situation.entry_call().argument;
    let entry = if let Value::Map(given) = given {
        given.entries().iter().find(|(key, _)| key.as_str() == whom)
    } else {
        None
    };
    if let Some((_, value)) = entry {
        return side_of_value(value, situation);
    }
    let mut board = situation.before().without_records();
    let track = board.start.track_number(&HashedText::from(whom))?;
    side_of_value(&board.track_value(track)?, situation)
}

/// Returns the side that throws for a purpose: the one that is named after its colon, or whose piece is.
pub fn side_of_throw(purpose: &str, situation: &Situation) -> Option<String> {
    let (_, thrower) = purpose.split_once(": ")?;
    side_of_value(&Value::from(thrower), situation)
}

/// Returns the side that a value names, or that all pieces named by it belong to.
fn side_of_value(value: &Value, situation: &Situation) -> Option<String> {
    if let Value::List(list) = value {
        let mut sides = list.iter().map(|item| side_of_value(item, situation));
        let first = sides.next()??;
        return sides
            .all(|side| side.as_ref() == Some(&first))
            .then_some(first);
    }
    let text = value.as_text()?;
    if situation
        .ruleset()
        .game
        .sides
        .iter()
        .any(|side| side == text.as_str())
    {
        return Some(text.to_string());
    }
    let start = &situation.initial_board;
    let piece = start.names.iter().position(|name| name == text)?;
    start.columns[SIDE_COLUMN][piece]
        .as_text()
        .map(|side| side.to_string())
        .filter(|side| !side.is_empty())
}

/// Returns the other one of two sides.
fn enemy_of(side: &str, sides: &[String]) -> Option<String> {
    match sides {
        [one, other] if one == side => Some(other.clone()),
        [other, one] if one == side => Some(other.clone()),
        _ => None,
    }
}
