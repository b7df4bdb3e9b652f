//! A question that both sides answer in secret: what each pair of answers is worth, and the mix of answers that nobody can better.

use crate::complaint::{Error, near};
use crate::odds::best::by_value;
use crate::odds::distribution::{NOTHING, Odds, Row};
use crate::odds::measure::Measure;
use crate::odds::tree::{Tree, too_many};
use crate::situation::fraction::Fraction;
use crate::situation::policy::{Decision, Kind, Policies};
use std::collections::BTreeMap;

/// What each pair of answers is worth to the side of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The question.
    pub what: String,
    /// The side that wants the measure high, and its options.
    pub rows: (String, Vec<String>),
    /// Its opponent, and his options.
    pub columns: (String, Vec<String>),
    /// The worth of each pair, row by row.
    pub cells: Vec<Vec<Fraction>>,
}

/// How often each option is taken where both play as well as they can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    /// By the side of the rows.
    pub rows: Vec<Fraction>,
    /// By its opponent.
    pub columns: Vec<Fraction>,
    /// What the game is worth.
    pub value: Fraction,
    /// Whether the cells had to be rounded to ten-thousandths for it.
    pub rounded: bool,
}

/// The matrices of a question laid open, with the chance of each: what dice have shown before, both sides know, so each position in which
/// they are asked is a game of its own; equal ones count as one. `high` wants the measure high, else the side asked first.
pub fn matrices(
    odds: &Odds,
    tree: &Tree,
    policies: &Policies,
    what: &str,
    measure: &Measure,
    high: Option<&str>,
) -> Result<Vec<(Matrix, Fraction)>, Error> {
    measure.check(odds)?;
    let mut sides: Vec<String> = Vec::new();
    let mut early = None;
    tree.decisions(&mut Vec::new(), &mut |decision, above| {
        if decision.kind == Kind::Open {
            early = early.or(above.iter().find(|d| d.kind != Kind::Open).copied());
            if !sides.contains(&decision.side) {
                sides.push(decision.side.clone());
            }
        }
    });
    if let Some(first) = early {
        return Err(Error::Usage(format!(
            "{} chooses `{}` before both have answered `{what}`: settle it with --choose",
            first.side, first.what
        )));
    }
    if high.is_some_and(|high| sides.len() == 2 && sides[1] == high) {
        sides.reverse();
    }
    let [rows, columns] = &sides[..] else {
        return Err(match &sides[..] {
            [] => nobody(what, policies),
            [only] => Error::Usage(format!(
                "only {only} is asked `{what}` here, and a matrix needs two sides; --policy '{only}=all' gives the range"
            )),
            _ => Error::Usage(format!("more than two sides are asked `{what}` here")),
        });
    };
    let mut games: Vec<(Matrix, Fraction)> = Vec::new();
    let mut tops = Vec::new();
    asked_first(tree, &mut tops);
    for top in tops {
        let (matrix, chance) = one(top, odds, (rows, columns), what, measure)?;
        match games.iter_mut().find(|(known, _)| *known == matrix) {
            Some((_, sum)) => *sum = sum.plus(chance).ok_or_else(too_many)?,
            None => games.push((matrix, chance)),
        }
    }
    games.sort_by(|(_, a), (_, b)| b.order(a));
    Ok(games)
}

/// The places where the question is asked for the first time on a path.
fn asked_first<'a>(tree: &'a Tree, found: &mut Vec<&'a Tree>) {
    if tree.decision.as_ref().is_some_and(|d| d.kind == Kind::Open) {
        found.push(tree);
    } else {
        tree.next.values().for_each(|next| asked_first(next, found));
    }
}

/// The matrix of one position, and the chance to come into it. A side that is not asked there has one option without a name.
fn one(top: &Tree, odds: &Odds, (rows, columns): (&str, &str), what: &str, measure: &Measure) -> Result<(Matrix, Fraction), Error> {
    let mut options: BTreeMap<&str, &[String]> = BTreeMap::new();
    let mut torn = None;
    top.decisions(&mut Vec::new(), &mut |decision, _| {
        if decision.kind == Kind::Open && *options.entry(&decision.side).or_insert(&decision.options) != decision.options {
            torn = Some(&decision.side);
        }
    });
    if let Some(side) = torn {
        return Err(Error::Usage(format!(
            "what {side} may answer to `{what}` hangs on what was answered before, so it is no secret and no matrix"
        )));
    }
    let named = |side: &str| (side.to_string(), options.get(side).map_or_else(|| vec![NOTHING.to_string()], |list| list.to_vec()));
    let (rows, columns) = (named(rows), named(columns));
    let one = Fraction { top: 1, bottom: 1 };
    let reach = top.fold(&|_, _| Ok(one), &|_, _| 0)?.value;
    let cell = |row: usize, column: usize| -> Result<Fraction, Error> {
        let pick = |decision: &Decision, values: &[Fraction]| match decision.kind {
            Kind::Open if decision.side == rows.0 => row,
            Kind::Open => column,
            _ => by_value(decision, values),
        };
        let line = top.fold(&|row: &Row, parts: &[usize]| measure.of(row, parts, &odds.parts), &pick)?;
        line.value.over(reach).ok_or_else(too_many)
    };
    let line = |row: usize| (0..columns.1.len()).map(|column| cell(row, column)).collect::<Result<Vec<_>, Error>>();
    let cells = (0..rows.1.len()).map(line).collect::<Result<Vec<_>, Error>>()?;
    Ok((Matrix { what: what.into(), rows, columns, cells }, reach))
}

/// Nobody is asked this: what is asked instead, first what two sides are asked.
fn nobody(what: &str, policies: &Policies) -> Error {
    let asked: BTreeMap<_, _> = policies.asked();
    let hits = near(what, asked.keys().map(String::as_str));
    let both: Vec<String> = asked.iter().filter(|(_, sides)| sides.len() > 1).map(|(what, _)| what.clone()).collect();
    let near = if !hits.is_empty() {
        hits
    } else if !both.is_empty() {
        both
    } else {
        asked.into_keys().collect()
    };
    Error::Unknown { what: "question asked here", name: what.into(), near }
}

impl Matrix {
    /// The mix that nobody can better, exact where the numbers allow it; none where even rounded ones grow too large.
    pub fn mix(&self) -> Option<Mix> {
        solve(&self.cells).or_else(|| {
            let round = |f: &Fraction| Fraction::new((f.share() * 10_000.0).round() as i128, 10_000);
            let cells = self.cells.iter().map(|row| row.iter().map(round).collect::<Option<Vec<_>>>()).collect::<Option<Vec<_>>>()?;
            Some(Mix { rounded: true, ..solve(&cells)? })
        })
    }
}

fn minus(a: Fraction, b: Fraction) -> Option<Fraction> {
    a.plus(b.times(-1)?)
}

/// Solves a game in which one wins what the other loses, by the simplex method with Bland's rule; checked against every best answer.
pub fn solve(cells: &[Vec<Fraction>]) -> Option<Mix> {
    let one = Fraction { top: 1, bottom: 1 };
    let (m, n) = (cells.len(), cells.first()?.len());
    let lowest = cells.iter().flatten().copied().min_by(|a, b| a.order(b))?;
    let shift = minus(one, lowest)?;
    // Every cell is made at least 1; then the columns ask for the largest sum that keeps each row at 1 or below.
    let unit = |i: usize, k: usize| if i == k { one } else { Fraction::ZERO };
    let mut rows: Vec<Vec<Fraction>> = Vec::with_capacity(m + 1);
    for (i, row) in cells.iter().enumerate() {
        let mut line = row.iter().map(|cell| cell.plus(shift)).collect::<Option<Vec<_>>>()?;
        line.extend((0..m).map(|k| unit(i, k)));
        line.push(one);
        rows.push(line);
    }
    rows.push((0..=n + m).map(|j| if j < n { Fraction { top: -1, bottom: 1 } } else { Fraction::ZERO }).collect());
    let mut basis: Vec<usize> = (n..n + m).collect();
    while let Some(enter) = (0..n + m).find(|j| rows[m][*j].top < 0) {
        let mut leave: Option<(usize, Fraction)> = None;
        for i in (0..m).filter(|i| rows[*i][enter].top > 0) {
            let ratio = rows[i][n + m].over(rows[i][enter])?;
            let better = leave.is_none_or(|(best, least)| ratio.order(&least).then(basis[i].cmp(&basis[best])).is_lt());
            if better {
                leave = Some((i, ratio));
            }
        }
        let (leave, _) = leave?;
        let pivot = rows[leave][enter];
        let line = rows[leave].iter().map(|cell| cell.over(pivot)).collect::<Option<Vec<_>>>()?;
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, row)| *i != leave && row[enter].top != 0) {
            let factor = row[enter];
            for (cell, by) in row.iter_mut().zip(&line) {
                *cell = minus(*cell, factor.by(*by)?)?;
            }
        }
        rows[leave] = line;
        basis[leave] = enter;
    }
    let sum = rows[m][n + m];
    let mut columns = vec![Fraction::ZERO; n];
    for (i, variable) in basis.iter().enumerate().filter(|(_, v)| **v < n) {
        columns[*variable] = rows[i][n + m].over(sum)?;
    }
    let mix = (0..m).map(|i| rows[m][n + i].over(sum)).collect::<Option<Vec<_>>>()?;
    let value = minus(one.over(sum)?, shift)?;
    let mix = Mix { rows: mix, columns, value, rounded: false };
    mix.holds(cells)?.then_some(mix)
}

fn dot(values: impl Iterator<Item = Fraction>, shares: &[Fraction]) -> Option<Fraction> {
    values.zip(shares).try_fold(Fraction::ZERO, |sum, (value, share)| sum.plus(value.by(*share)?))
}

impl Mix {
    /// Whether neither side does better with any single option.
    pub fn holds(&self, cells: &[Vec<Fraction>]) -> Option<bool> {
        for row in cells {
            if dot(row.iter().copied(), &self.columns)?.order(&self.value).is_gt() {
                return Some(false);
            }
        }
        for j in 0..self.columns.len() {
            if dot(cells.iter().map(|row| row[j]), &self.rows)?.order(&self.value).is_lt() {
                return Some(false);
            }
        }
        Some(true)
    }
}
