//! The payoff matrix of a question that both sides answer in secret, and its equilibrium in mixed strategies.

use crate::odds::best_play::choose_by_value;
use crate::odds::component::open_nodes;
use crate::odds::count::CountResult;
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::fold::{Strategy, choice_chances};
use crate::odds::fraction::Fraction;
use crate::odds::graph::{GraphEdge, GraphNode, postorder};
use crate::odds::induction::{OutcomeWorth, fold};
use crate::odds::measure::Measure;
use casebook_engine::complaint::{Error, Remedy, nearest_names};
use casebook_engine::situation::policy::{Decision, Policies, PolicyKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The payoff of each pair of answers to the row side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    pub question: String,
    /// The side that maximizes the measure, and its options.
    pub rows: (String, Vec<String>),
    /// The opponent, and its options.
    pub columns: (String, Vec<String>),
    /// The payoffs, row by row.
    pub cells: Vec<Vec<Fraction>>,
}

/// An equilibrium in mixed strategies: the probability of each option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedStrategy {
    /// The probabilities of the row side's options.
    pub rows: Vec<Fraction>,
    /// The probabilities of the column side's options.
    pub columns: Vec<Fraction>,
    /// The value of the game.
    pub value: Fraction,
    /// Whether the payoffs had to be rounded to ten-thousandths.
    pub rounded: bool,
}

/// Returns the payoff matrices of a question that is left open, with the probability of each. Both sides know the dice thrown before, so
/// each position in which they are asked is a game of its own; equal matrices are merged. The side `high` maximizes, or else the side
/// asked first.
pub fn matrices(
    counted: &CountResult,
    policies: &Policies,
    question: &str,
    measure: &Measure,
    high: Option<&str>,
) -> Result<Vec<(Matrix, Fraction)>, Error> {
    measure.check(counted, &Odds::new(counted, &Strategy::default())?)?;
    let root = &counted.root;
    let nodes = postorder(&root.target);
    let open = open_nodes(&nodes);
    if nodes
        .iter()
        .any(|node| matrix_decision(node).is_some() && open.contains(&Arc::as_ptr(node)))
    {
        let message = format!(
            "`{question}` is asked again and again until something happens, and a matrix needs it asked once"
        );
        let remedy = Remedy::ChoosePolicy("SIDE=best".into());
        return Err(Error::unanswered(message, remedy));
    }
    let mut sides: Vec<String> = Vec::new();
    for decision in nodes.iter().rev().filter_map(|node| matrix_decision(node)) {
        if !sides.contains(&decision.side) {
            sides.push(decision.side.clone());
        }
    }
    for node in &nodes {
        if let GraphNode::Choice(decision, _, options) = &***node
            && decision.kind != PolicyKind::Open
            && options.iter().any(|edge| {
                postorder(&edge.target)
                    .into_iter()
                    .any(|node| matrix_decision(node).is_some())
            })
        {
            let message = format!(
                "{} chooses `{}` before both have answered `{question}`",
                decision.side, decision.question
            );
            return Err(Error::unanswered(message, Remedy::AnswerChoice));
        }
    }
    if high.is_some_and(|high| sides.len() == 2 && sides[1] == high) {
        sides.reverse();
    }
    let [rows, columns] = &sides[..] else {
        return Err(match &sides[..] {
            [] => not_asked_error(question, policies),
            [only] => Error::unanswered(
                format!("only {only} is asked `{question}` here, and a matrix needs two sides"),
                Remedy::ChoosePolicy(format!("{only}=all")),
            ),
            _ => Error::Usage(format!("more than two sides are asked `{question}` here")),
        });
    };
    let reached = choice_chances(root, &Strategy::default(), true);
    let mut games: Vec<(Matrix, Fraction)> = Vec::new();
    for node in nodes.iter().filter(|node| matrix_decision(node).is_some()) {
        let Some(chance) = reached.get(&Arc::as_ptr(node)) else {
            continue;
        };
        let matrix = position_matrix(node, counted, (rows, columns), question, measure)?;
        match games.iter_mut().find(|(existing, _)| *existing == matrix) {
            Some((_, sum)) => *sum += chance,
            None => games.push((matrix, chance.clone())),
        }
    }
    games.sort_by(|(_, a), (_, b)| b.cmp(a));
    Ok(games)
}

/// Returns the open decision at a node, if there is one.
fn matrix_decision(node: &GraphNode) -> Option<&Decision> {
    match node {
        GraphNode::Choice(decision, ..) if decision.kind == PolicyKind::Open => Some(decision),
        _ => None,
    }
}

/// Builds the matrix of one position. A side that is not asked there has a single unnamed option.
fn position_matrix(
    top: &Arc<GraphNode>,
    counted: &CountResult,
    (rows, columns): (&str, &str),
    question: &str,
    measure: &Measure,
) -> Result<Matrix, Error> {
    let mut options: BTreeMap<&str, &[String]> = BTreeMap::new();
    for decision in postorder(top)
        .into_iter()
        .filter_map(|node| matrix_decision(node))
    {
        if *options.entry(&decision.side).or_insert(&decision.options) != decision.options {
            return Err(Error::Usage(format!(
                "what {} may answer to `{question}` depends on what was answered before, so it is not a secret, and there is no matrix",
                decision.side
            )));
        }
    }
    let named = |side: &str| {
        (
            side.to_string(),
            options
                .get(side)
                .map_or_else(|| vec![NO_OUTCOME.to_string()], |list| list.to_vec()),
        )
    };
    let (rows, columns) = (named(rows), named(columns));
    let names = &counted.names;
    let worth_of =
        |name: u32, value: u32| measure.worth(&names.name_text(name), &names.value_text(value));
    let worth = OutcomeWorth {
        names: measure.outcome_ids(names),
        worth: &worth_of,
    };
    let root = GraphEdge::unnamed(top.clone());
    let cell = |row: usize, column: usize| -> Result<Fraction, Error> {
        let pick = |decision: &Decision, values: &[Fraction]| match decision.kind {
            PolicyKind::Open if decision.side == rows.0 => row,
            PolicyKind::Open => column,
            _ => choose_by_value(decision, values),
        };
        Ok(fold(&root, &worth, &pick)?.value_at(top, &worth))
    };
    let line = |row: usize| {
        (0..columns.1.len())
            .map(|column| cell(row, column))
            .collect::<Result<Vec<_>, Error>>()
    };
    let cells = (0..rows.1.len()).map(line).collect::<Result<_, Error>>()?;
    Ok(Matrix {
        question: question.into(),
        rows,
        columns,
        cells,
    })
}

/// Builds the error for a question that is never asked; it lists the questions that are, those asked of two sides first.
fn not_asked_error(question: &str, policies: &Policies) -> Error {
    let sides_by_question: BTreeMap<_, _> = policies.asked_questions();
    let hits = nearest_names(question, sides_by_question.keys().map(String::as_str));
    let asked_of_both: Vec<String> = sides_by_question
        .iter()
        .filter(|(_, sides)| sides.len() > 1)
        .map(|(question, _)| question.clone())
        .collect();
    let suggestions = [hits, asked_of_both]
        .into_iter()
        .find(|list| !list.is_empty())
        .unwrap_or_else(|| sides_by_question.into_keys().collect());
    Error::Unknown {
        kind: "question asked here",
        name: question.into(),
        suggestions,
    }
}

impl Matrix {
    /// Computes an equilibrium, with rounded payoffs if exact numbers would grow too long.
    pub fn equilibrium(&self) -> Option<MixedStrategy> {
        solve(&self.cells).or_else(|| {
            let cells: Vec<Vec<Fraction>> = self
                .cells
                .iter()
                .map(|row| {
                    row.iter()
                        .map(|f| Fraction::from_f64_rounded(f.to_f64()))
                        .collect()
                })
                .collect();
            Some(MixedStrategy {
                rounded: true,
                ..solve(&cells)?
            })
        })
    }
}

/// The maximum number of digits of a number before the exact solution is abandoned.
const MAX_DIGITS: usize = 20_000;

/// Solves a zero-sum game by the simplex method with Bland's rule; the result is verified against every pure strategy.
pub fn solve(cells: &[Vec<Fraction>]) -> Option<MixedStrategy> {
    let (m, n) = (cells.len(), cells.first()?.len());
    let lowest = cells.iter().flatten().min()?;
    let shift = &Fraction::ONE - lowest;
    // All payoffs are shifted to at least 1; the column side then maximizes the sum of weights that keeps each row at 1 or below.
    let unit = |i: usize, k: usize| {
        if i == k {
            Fraction::ONE
        } else {
            Fraction::ZERO
        }
    };
    let mut rows: Vec<Vec<Fraction>> = Vec::with_capacity(m + 1);
    for (i, row) in cells.iter().enumerate() {
        let mut line: Vec<Fraction> = row.iter().map(|cell| cell + &shift).collect();
        line.extend((0..m).map(|k| unit(i, k)));
        line.push(Fraction::ONE);
        rows.push(line);
    }
    rows.push(
        (0..=n + m)
            .map(|j| {
                if j < n {
                    Fraction::from_integer(-1)
                } else {
                    Fraction::ZERO
                }
            })
            .collect(),
    );
    let mut basis: Vec<usize> = (n..n + m).collect();
    while let Some(enter) = (0..n + m).find(|j| rows[m][*j] < Fraction::ZERO) {
        let mut leave: Option<(usize, Fraction)> = None;
        for i in (0..m).filter(|i| rows[*i][enter] > Fraction::ZERO) {
            let ratio = rows[i][n + m].checked_div(&rows[i][enter])?;
            let better = leave.as_ref().is_none_or(|(best, least)| {
                ratio.cmp(least).then(basis[i].cmp(&basis[*best])).is_lt()
            });
            if better {
                leave = Some((i, ratio));
            }
        }
        let (leave, _) = leave?;
        let pivot = rows[leave][enter].clone();
        let line = rows[leave]
            .iter()
            .map(|cell| cell.checked_div(&pivot))
            .collect::<Option<Vec<_>>>()?;
        if line.iter().any(|cell| cell.digits() > MAX_DIGITS) {
            return None;
        }
        for (_, row) in rows
            .iter_mut()
            .enumerate()
            .filter(|(i, row)| *i != leave && !row[enter].is_zero())
        {
            let factor = row[enter].clone();
            for (cell, pivot_cell) in row.iter_mut().zip(&line) {
                *cell = &*cell - &(&factor * pivot_cell);
            }
        }
        rows[leave] = line;
        basis[leave] = enter;
    }
    let sum = rows[m][n + m].clone();
    let mut columns = vec![Fraction::ZERO; n];
    for (i, variable) in basis.iter().enumerate().filter(|(_, v)| **v < n) {
        columns[*variable] = rows[i][n + m].checked_div(&sum)?;
    }
    let mix = (0..m)
        .map(|i| rows[m][n + i].checked_div(&sum))
        .collect::<Option<Vec<_>>>()?;
    let value = &Fraction::ONE.checked_div(&sum)? - &shift;
    let mix = MixedStrategy {
        rows: mix,
        columns,
        value,
        rounded: false,
    };
    mix.is_equilibrium(cells).then_some(mix)
}

fn dot<'a>(values: impl Iterator<Item = &'a Fraction>, shares: &[Fraction]) -> Fraction {
    values
        .zip(shares)
        .fold(Fraction::ZERO, |sum, (value, share)| {
            &sum + &(value * share)
        })
}

impl MixedStrategy {
    /// Whether neither side gains by switching to a pure strategy.
    pub fn is_equilibrium(&self, cells: &[Vec<Fraction>]) -> bool {
        let rows = cells
            .iter()
            .all(|row| dot(row.iter(), &self.columns) <= self.value);
        rows && (0..self.columns.len())
            .all(|j| dot(cells.iter().map(|row| &row[j]), &self.rows) >= self.value)
    }
}
