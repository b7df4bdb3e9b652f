//! When best play takes which option: a rule of thumb in the figures that whoever chooses has before him.
//!
//! It is a decision tree of at most two questions, each of one figure, that keeps the options apart as well as two questions can.

use crate::odds::visible_figures::VisibleFigures;
use std::collections::{BTreeMap, BTreeSet};

/// A choice of best play: the figures, the option taken, and the chance to come to it.
pub type TakenOption<'a> = (&'a VisibleFigures, &'a str, f64);

/// The number of questions that a rule asks.
const MAX_QUESTIONS: usize = 2;

/// The share in which a rule must agree with best play more often than the commonest option alone does, of what that misses.
const MIN_GAIN: f64 = 0.25;

/// A question of a tree: whether a figure is at most so much.
#[derive(Clone, Debug)]
struct Question {
    figure: String,
    at_most: i64,
}

impl Question {
    fn holds(&self, figures: &VisibleFigures) -> bool {
        figures.get(&self.figure).is_some_and(|number| *number <= self.at_most)
    }

    fn describe(&self, holds: bool) -> String {
        match holds {
            true => format!("`{}` is at most {}", self.figure, self.at_most),
            false => format!("`{}` is {} or more", self.figure, self.at_most.saturating_add(1)),
        }
    }
}

/// The chance of each option.
fn chances<'a>(taken: &[TakenOption<'a>]) -> BTreeMap<&'a str, f64> {
    let mut chances = BTreeMap::new();
    taken.iter().for_each(|(_, option, chance)| *chances.entry(*option).or_insert(0.0) += chance);
    chances
}

/// The commonest option and its chance.
fn commonest<'a>(chances: &BTreeMap<&'a str, f64>) -> Option<(&'a str, f64)> {
    chances.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(option, chance)| (*option, *chance))
}

/// How mixed the options are: the chance that two choices differ, times their weight.
fn impurity(chances: &BTreeMap<&str, f64>) -> f64 {
    let total: f64 = chances.values().sum();
    if total > 0.0 { total - chances.values().map(|chance| chance * chance).sum::<f64>() / total } else { 0.0 }
}

/// Returns the question that keeps the options apart best.
fn best_question(taken: &[TakenOption]) -> Option<Question> {
    let names: BTreeSet<&String> = taken.iter().flat_map(|(figures, ..)| figures.keys()).collect();
    let all = chances(taken);
    let mut best: Option<(f64, Question)> = None;
    for name in names {
        let mut by_value: BTreeMap<i64, BTreeMap<&str, f64>> = BTreeMap::new();
        for (figures, option, chance) in taken {
            if let Some(number) = figures.get(name) {
                *by_value.entry(*number).or_default().entry(option).or_insert(0.0) += chance;
            }
        }
        let (mut below, mut above) = (BTreeMap::new(), all.clone());
        for (number, options) in &by_value {
            for (option, chance) in options {
                *below.entry(*option).or_insert(0.0) += chance;
                *above.entry(*option).or_insert(0.0) -= chance;
            }
            let mixed = impurity(&below) + impurity(&above);
            if best.as_ref().is_none_or(|(least, _)| mixed < *least - 1e-12) {
                best = Some((mixed, Question { figure: name.clone(), at_most: *number }));
            }
        }
    }
    best.filter(|(mixed, _)| *mixed < impurity(&all) - 1e-9).map(|(_, question)| question)
}

/// Collects the leaves of a tree: what leads to each, its commonest option, and the chance in which that is taken.
fn leaves<'a>(taken: Vec<TakenOption<'a>>, path: Vec<String>, found: &mut Vec<(Vec<String>, &'a str, f64)>) {
    let Some((option, chance)) = commonest(&chances(&taken)) else { return };
    let question = if path.len() < MAX_QUESTIONS { best_question(&taken) } else { None };
    let Some(question) = question else { return found.push((path, option, chance)) };
    let (holds, fails): (Vec<_>, Vec<_>) = taken.into_iter().partition(|(figures, ..)| question.holds(figures));
    leaves(holds, [&path[..], &[question.describe(true)]].concat(), found);
    leaves(fails, [&path[..], &[question.describe(false)]].concat(), found);
}

/// Says when which option is taken; `None` if only one ever is, or if two questions don't tell.
pub fn rule_of_thumb(taken: Vec<TakenOption>) -> Option<String> {
    let all = chances(&taken);
    let total: f64 = all.values().sum();
    let (usual, usual_chance) = commonest(&all).filter(|_| all.len() > 1)?;
    let mut found = Vec::new();
    leaves(taken, Vec::new(), &mut found);
    let right: f64 = found.iter().map(|(_, _, chance)| chance).sum();
    if right - usual_chance < (total - usual_chance) * MIN_GAIN {
        return None;
    }
    let others: BTreeSet<&str> = found.iter().map(|(_, option, _)| *option).filter(|option| *option != usual).collect();
    let rules = others.into_iter().map(|option| {
        let where_taken: Vec<String> = found.iter().filter(|(_, other, _)| *other == option).map(|(path, ..)| path.join(" and ")).collect();
        format!("{option} where {}", where_taken.join(", or where "))
    });
    Some(format!("{}; else {usual}: right in {:.1} % of the cases", rules.collect::<Vec<_>>().join("; "), right / total * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_figures_tell_when() {
        let figures: Vec<(VisibleFigures, &str)> = (0..6)
            .flat_map(|own| (0..6).map(move |enemy| (own, enemy)))
            .map(|(own, enemy)| {
                let option = if own <= 2 && enemy >= 4 { "retreat" } else { "stay" };
                (VisibleFigures::from([("own".into(), own), ("enemy".into(), enemy), ("turn".into(), (own + enemy) % 3)]), option)
            })
            .collect();
        let rule = rule_of_thumb(figures.iter().map(|(figures, option)| (figures, *option, 1.0)).collect()).expect("there is one");
        assert!(rule.contains("`own` is at most 2") && rule.contains("`enemy` is 4 or more"), "{rule}");
        assert!(rule.starts_with("retreat where") && rule.ends_with("else stay: right in 100.0 % of the cases"), "{rule}");
    }

    #[test]
    fn what_figures_don_t_tell_has_no_rule() {
        let figures: Vec<VisibleFigures> = (0..8).map(|number| VisibleFigures::from([("turn".into(), number / 2)])).collect();
        let taken = figures.iter().zip((0..).map(|number| ["stay", "retreat"][number % 2])).map(|(figures, option)| (figures, option, 1.0));
        assert_eq!(rule_of_thumb(taken.collect()), None);
        assert_eq!(rule_of_thumb(vec![(&figures[0], "stay", 1.0)]), None, "one option needs no rule");
    }
}
