//! A measure: named outcomes added up and taken off, `defender losses - attacker losses`.

use crate::complaint::{Error, near};
use crate::odds::distribution::{NOTHING, Odds, Part, Row};
use crate::odds::tree::too_many;
use crate::situation::fraction::Fraction;

/// A sum of outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// As it was typed.
    pub text: String,
    terms: Vec<(i64, String)>,
}

impl Measure {
    /// Reads outcomes with `+` and `-` between them; the signs stand alone, as names may hold a hyphen.
    pub fn read(text: &str) -> Result<Measure, Error> {
        let (mut terms, mut sign, mut name): (Vec<(i64, String)>, i64, Vec<&str>) = (Vec::new(), 1, Vec::new());
        for word in text.split_whitespace().chain(["+"]) {
            match (word, word.strip_prefix('-')) {
                ("+" | "-" | "−", _) => {
                    if !name.is_empty() {
                        terms.push((sign, name.join(" ")));
                        name.clear();
                    } else if !terms.is_empty() {
                        return Err(Error::Usage(format!(
                            "`{text}`: a sign stands between two outcomes: 'defender losses - attacker losses'"
                        )));
                    }
                    sign = if word == "+" { 1 } else { -1 };
                }
                (_, Some(rest)) if name.is_empty() && terms.is_empty() => {
                    sign = -1;
                    name.push(rest);
                }
                _ => name.push(word),
            }
        }
        if terms.is_empty() {
            return Err(Error::Usage("a measure names outcomes: --measure 'defender losses - attacker losses'".into()));
        }
        Ok(Measure { text: text.trim().into(), terms })
    }

    /// Complains of an outcome that nobody names.
    pub fn check(&self, odds: &Odds) -> Result<(), Error> {
        self.terms.iter().try_for_each(|(_, name)| known(name, odds))
    }

    /// What a row is worth; its parts count with their means.
    pub fn of(&self, row: &Row, parts: &[usize], all: &[Part]) -> Result<Fraction, Error> {
        self.terms.iter().try_fold(Fraction::ZERO, |sum, (sign, name)| {
            let value = mean(name, row, parts, all, &|value| number(name, value))?;
            value.times(*sign).and_then(|value| sum.plus(value)).ok_or_else(too_many)
        })
    }

    /// What odds are worth.
    pub fn of_odds(&self, odds: &Odds) -> Result<Fraction, Error> {
        odds.rows.iter().try_fold(Fraction::ZERO, |sum, ((row, parts), chance)| {
            self.of(row, parts, &odds.parts)?.by(*chance).and_then(|value| sum.plus(value)).ok_or_else(too_many)
        })
    }
}

/// Complains of an outcome that nobody names.
pub fn known(name: &str, odds: &Odds) -> Result<(), Error> {
    if odds.order.iter().any(|known| known == name) {
        return Ok(());
    }
    let hits = near(name, odds.order.iter().map(String::as_str));
    Err(Error::Unknown { what: "outcome", name: name.into(), near: if hits.is_empty() { odds.order.clone() } else { hits } })
}

/// The mean over a row and its parts of what a value of an outcome is worth.
pub fn mean(
    name: &str,
    row: &Row,
    parts: &[usize],
    all: &[Part],
    worth: &dyn Fn(&str) -> Result<Fraction, Error>,
) -> Result<Fraction, Error> {
    let own = row.get(name).map_or(NOTHING, String::as_str);
    // What a part names, the part decides; later parts speak last, as a run would.
    match parts.iter().rev().map(|p| &all[*p]).find(|part| part.iter().any(|(row, _)| row.contains_key(name))) {
        None => worth(own),
        Some(part) => part.iter().try_fold(Fraction::ZERO, |sum, (row, share)| {
            worth(row.get(name).map_or(own, String::as_str))?.by(*share).and_then(|value| sum.plus(value)).ok_or_else(too_many)
        }),
    }
}

/// A value as a number: yes is 1, no and an outcome that did not come up are 0.
pub fn number(name: &str, value: &str) -> Result<Fraction, Error> {
    let n = match value {
        "yes" => 1,
        "no" | NOTHING => 0,
        other => other.parse::<i128>().map_err(|_| {
            Error::Usage(format!("`{name}` can be `{other}`, and a measure adds up numbers: name outcomes that are numbers, or yes and no"))
        })?,
    };
    Ok(Fraction { top: n, bottom: 1 })
}
