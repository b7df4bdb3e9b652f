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
        figures
            .get(&self.figure)
            .is_some_and(|number| *number <= self.at_most)
    }
}

/// What leads to a leaf of a tree: for each figure that is asked for, the least and the greatest number that it has there.
type Bounds = Vec<(String, Option<i64>, Option<i64>)>;

/// Returns the bounds with one more answer. A figure that is asked for twice has both of its bounds.
fn narrowed(bounds: &Bounds, question: &Question, holds: bool) -> Bounds {
    let mut bounds = bounds.clone();
    let index = bounds
        .iter()
        .position(|(figure, ..)| *figure == question.figure)
        .unwrap_or(bounds.len());
    if index == bounds.len() {
        bounds.push((question.figure.clone(), None, None));
    }
    // The second question is asked of what the first one leaves, so it is the narrower one.
    match holds {
        true => bounds[index].2 = Some(question.at_most),
        false => bounds[index].1 = Some(question.at_most.saturating_add(1)),
    }
    bounds
}

fn describe(bounds: &Bounds) -> String {
    let part = |(figure, least, greatest): &(String, Option<i64>, Option<i64>)| {
        let is = match (least, greatest) {
            (Some(least), Some(greatest)) if least == greatest => least.to_string(),
            (Some(least), Some(greatest)) => format!("{least} to {greatest}"),
            (Some(least), None) => format!("{least} or more"),
            (None, Some(greatest)) => format!("at most {greatest}"),
            (None, None) => "any number".into(),
        };
        format!("`{}` is {is}", figure.replace('_', " "))
    };
    bounds.iter().map(part).collect::<Vec<_>>().join(" and ")
}

fn chances<'a>(taken: &[TakenOption<'a>]) -> BTreeMap<&'a str, f64> {
    let mut chances = BTreeMap::new();
    taken
        .iter()
        .for_each(|(_, option, chance)| *chances.entry(*option).or_insert(0.0) += chance);
    chances
}

fn commonest<'a>(chances: &BTreeMap<&'a str, f64>) -> Option<(&'a str, f64)> {
    chances
        .iter()
        .max_by(|a, b| a.1.total_cmp(b.1))
        .map(|(option, chance)| (*option, *chance))
}

/// How mixed the options are: the chance that two choices differ, times their weight.
fn impurity(chances: &BTreeMap<&str, f64>) -> f64 {
    let total: f64 = chances.values().sum();
    if total > 0.0 {
        total - chances.values().map(|chance| chance * chance).sum::<f64>() / total
    } else {
        0.0
    }
}

/// Returns the question that keeps the options apart best.
fn best_question(taken: &[TakenOption]) -> Option<Question> {
    let names: BTreeSet<&String> = taken
        .iter()
        .flat_map(|(figures, ..)| figures.keys())
        .collect();
    let all = chances(taken);
    let mut best: Option<(f64, Question)> = None;
    for name in names {
        let mut by_value: BTreeMap<i64, BTreeMap<&str, f64>> = BTreeMap::new();
        for (figures, option, chance) in taken {
            if let Some(number) = figures.get(name) {
                *by_value
                    .entry(*number)
                    .or_default()
                    .entry(option)
                    .or_insert(0.0) += chance;
            }
        }
        let (mut below, mut above) = (BTreeMap::new(), all.clone());
        for (number, options) in &by_value {
            for (option, chance) in options {
                *below.entry(*option).or_insert(0.0) += chance;
                *above.entry(*option).or_insert(0.0) -= chance;
            }
            let mixed = impurity(&below) + impurity(&above);
            if best
                .as_ref()
                .is_none_or(|(least, _)| mixed < *least - 1e-12)
            {
                best = Some((
                    mixed,
                    Question {
                        figure: name.clone(),
                        at_most: *number,
                    },
                ));
            }
        }
    }
    best.filter(|(mixed, _)| *mixed < impurity(&all) - 1e-9)
        .map(|(_, question)| question)
}

/// Collects the leaves of a tree: what leads to each, its commonest option, and the chance in which that is taken.
fn leaves<'a>(
    taken: Vec<TakenOption<'a>>,
    (bounds, asked): (Bounds, usize),
    found: &mut Vec<(Bounds, &'a str, f64)>,
) {
    let Some((option, chance)) = commonest(&chances(&taken)) else {
        return;
    };
    let question = if asked < MAX_QUESTIONS {
        best_question(&taken)
    } else {
        None
    };
    let Some(question) = question else {
        return found.push((bounds, option, chance));
    };
    let (holds, fails): (Vec<_>, Vec<_>) = taken
        .into_iter()
        .partition(|(figures, ..)| question.holds(figures));
    let first = found.len();
    leaves(
        holds,
        (narrowed(&bounds, &question, true), asked + 1),
        found,
    );
    leaves(
        fails,
        (narrowed(&bounds, &question, false), asked + 1),
        found,
    );
    // A question whose answers lead to the same option need not be asked.
    if found[first..]
        .iter()
        .all(|(_, other, _)| *other == found[first].1)
    {
        let (option, chance) = (
            found[first].1,
            found[first..].iter().map(|(.., chance)| chance).sum(),
        );
        found.truncate(first);
        found.push((bounds, option, chance));
    }
}

/// Says when which option is taken; `None` if only one ever is, or if two questions don't tell.
pub fn rule_of_thumb(taken: Vec<TakenOption>) -> Option<String> {
    let all = chances(&taken);
    let total: f64 = all.values().sum();
    let (usual, usual_chance) = commonest(&all).filter(|_| all.len() > 1)?;
    let mut found = Vec::new();
    leaves(taken, (Bounds::new(), 0), &mut found);
    let right: f64 = found.iter().map(|(_, _, chance)| chance).sum();
    if right - usual_chance < (total - usual_chance) * MIN_GAIN {
        return None;
    }
    let others: BTreeSet<&str> = found
        .iter()
        .map(|(_, option, _)| *option)
        .filter(|option| *option != usual)
        .collect();
    let rules = others.into_iter().map(|option| {
        let where_taken: Vec<String> = found
            .iter()
            .filter(|(_, other, _)| *other == option)
            .map(|(bounds, ..)| describe(bounds))
            .collect();
        format!("{option} where {}", where_taken.join(", or where "))
    });
    Some(format!(
        "{}; else {usual}: right in {:.1} % of the cases",
        rules.collect::<Vec<_>>().join("; "),
        right / total * 100.0
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_figures_tell_when() {
        let figures: Vec<(VisibleFigures, &str)> = (0..6)
            .flat_map(|own| (0..6).map(move |enemy| (own, enemy)))
            .map(|(own, enemy)| {
                let option = if own <= 2 && enemy >= 4 {
                    "retreat"
                } else {
                    "stay"
                };
                (
                    VisibleFigures::from([
                        ("own".into(), own),
                        ("enemy".into(), enemy),
                        ("turn".into(), (own + enemy) % 3),
                    ]),
                    option,
                )
            })
            .collect();
        let rule = rule_of_thumb(
            figures
                .iter()
                .map(|(figures, option)| (figures, *option, 1.0))
                .collect(),
        )
        .expect("there is one");
        assert!(
            rule.contains("`own` is at most 2") && rule.contains("`enemy` is 4 or more"),
            "{rule}"
        );
        assert!(
            rule.starts_with("retreat where")
                && rule.ends_with("else stay: right in 100.0 % of the cases"),
            "{rule}"
        );
    }

    #[test]
    fn each_figure_is_named_once() {
        let figures: Vec<VisibleFigures> = (1..=6)
            .flat_map(|die| {
                (0..3).map(move |turn| {
                    VisibleFigures::from([("first_die".into(), die), ("turn".into(), turn)])
                })
            })
            .collect();
        let rule = |options: [&'static str; 6]| {
            rule_of_thumb(
                figures
                    .iter()
                    .map(|figures| (figures, options[figures["first_die"] as usize - 1], 1.0))
                    .collect(),
            )
        };
        let whole = "; else stay: right in 100.0 % of the cases";
        assert_eq!(
            rule(["go", "go", "stay", "stay", "stay", "stay"]),
            Some(format!("go where `first die` is at most 2{whole}"))
        );
        assert_eq!(
            rule(["stay", "stay", "go", "stay", "stay", "stay"]),
            Some(format!("go where `first die` is 3{whole}"))
        );
        assert_eq!(
            rule(["stay", "stay", "go", "go", "stay", "stay"]),
            Some(format!("go where `first die` is 3 to 4{whole}"))
        );
    }

    #[test]
    fn what_figures_don_t_tell_has_no_rule() {
        let figures: Vec<VisibleFigures> = (0..8)
            .map(|number| VisibleFigures::from([("turn".into(), number / 2)]))
            .collect();
        let taken = figures
            .iter()
            .zip((0..).map(|number| ["stay", "retreat"][number % 2]))
            .map(|(figures, option)| (figures, option, 1.0));
        assert_eq!(rule_of_thumb(taken.collect()), None);
        assert_eq!(
            rule_of_thumb(vec![(&figures[0], "stay", 1.0)]),
            None,
            "one option needs no rule"
        );
    }
}
