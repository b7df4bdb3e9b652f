//! Odds where sides choose with the end in view: the best of a measure, the worst, or the range over all options.

use crate::complaint::Error;
use crate::odds::distribution::{NOTHING, Odds, Row};
use crate::odds::measure::{Measure, mean, number};
use crate::odds::tree::{Decided, Tree, extreme, too_many};
use crate::situation::fraction::Fraction;
use crate::situation::policy::{Decision, Kind};

/// The odds of a procedure in which everybody has chosen.
#[derive(Debug)]
pub struct Played {
    /// The odds.
    pub odds: Odds,
    /// What was chosen, and how often.
    pub decided: Decided,
    /// The expected value of the measure, where there is one.
    pub value: Option<Fraction>,
}

/// Which option a side takes that wants the measure high, or low.
pub fn by_value(decision: &Decision, values: &[Fraction]) -> usize {
    extreme(values, decision.kind != Kind::Worst)
}

/// Chooses for everybody, by the measure.
pub fn played(odds: &Odds, tree: &Tree, measure: Option<&Measure>) -> Result<Played, Error> {
    if let Some(measure) = measure {
        measure.check(odds)?;
    }
    if tree.next.is_empty() {
        let value = measure.map(|m| m.of_odds(odds)).transpose()?;
        return Ok(Played { odds: odds.clone(), decided: Decided::new(), value });
    }
    let Some(measure) = measure else {
        let named = odds.order.join(", ");
        return Err(Error::Usage(format!(
            "best and worst of what? Name a measure, such as --measure 'X - Y'; the outcomes here are {named}"
        )));
    };
    let line = tree.fold(&|row: &Row, parts: &[usize]| measure.of(row, parts, &odds.parts), &by_value)?;
    let mut all = odds.clone();
    let mut decided = Decided::new();
    tree.along(&line, &mut all, &mut decided).ok_or_else(too_many)?;
    let value = measure.of_odds(odds)?.plus(line.value).ok_or_else(too_many)?;
    Ok(Played { odds: all, decided, value: Some(value) })
}

/// How far an outcome can be moved by choosing.
#[derive(Clone, Debug)]
pub struct Range {
    /// The outcome.
    pub outcome: String,
    /// Its lowest and highest expected value, where it is a number.
    pub mean: Option<(Fraction, Fraction)>,
    /// Each value with its lowest and highest chance.
    pub values: Vec<(String, Fraction, Fraction)>,
}

/// The range of every outcome over all combinations of options.
pub fn ranges(odds: &Odds, tree: &Tree) -> Result<Vec<Range>, Error> {
    let mut every = odds.clone();
    tree.everything(&mut every).ok_or_else(too_many)?;
    odds.order.iter().map(|name| range(name, odds, tree, &every)).collect()
}

fn range(name: &str, odds: &Odds, tree: &Tree, every: &Odds) -> Result<Range, Error> {
    let both = |worth: &dyn Fn(&str) -> Result<Fraction, Error>| -> Result<(Fraction, Fraction), Error> {
        let weigh = |row: &Row, parts: &[usize]| mean(name, row, parts, &odds.parts, worth);
        let own = odds.rows.iter().try_fold(Fraction::ZERO, |sum, ((row, parts), chance)| {
            weigh(row, parts)?.by(*chance).and_then(|value| sum.plus(value)).ok_or_else(too_many)
        })?;
        let end = |highest: bool| -> Result<Fraction, Error> {
            let line = tree.fold(&weigh, &|_, values| extreme(values, highest))?;
            own.plus(line.value).ok_or_else(too_many)
        };
        Ok((end(false)?, end(true)?))
    };
    let mut values: Vec<String> = every.of(name).ok_or_else(too_many)?.0.into_keys().collect();
    values.sort_by_key(|v| (v == NOTHING, v.parse::<i64>().unwrap_or(0)));
    let numbers = values.iter().all(|v| v == NOTHING || v.parse::<i64>().is_ok());
    let mean = if numbers { Some(both(&|value| number(name, value))?) } else { None };
    let chance = |value: String| {
        let (low, high) = both(&|v| Ok(Fraction { top: i128::from(v == value), bottom: 1 }))?;
        Ok((value, low, high))
    };
    let values = values.into_iter().map(chance).collect::<Result<Vec<_>, Error>>()?;
    Ok(Range { outcome: name.into(), mean, values })
}
