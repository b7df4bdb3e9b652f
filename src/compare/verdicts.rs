//! What is known of a difference: that there is one, that there is none, or neither.
//!
//! *Differs* and *the same* are said of what was counted whole, or of what follows from the part that was. Of pairs of runs only *differs*
//! can be said, and only where luck would hardly ever bring that about; the rest is *not decided*, with an interval for each difference.

use crate::compare::pairs::{Pairs, Times};
use crate::compare::view::View;
use crate::odds::distribution::NOTHING;
use crate::odds::fraction::{Distribution, Fraction};
use serde::Serialize;
use std::collections::BTreeSet;

/// What is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// There is a difference.
    #[serde(rename = "differs")]
    Differs,
    /// There is none: proved.
    #[serde(rename = "the same")]
    Same,
    /// Neither is known.
    #[serde(rename = "not decided")]
    Undecided,
}

/// A chance of a value under two rulesets. Shares are of 1.
#[derive(Clone, Debug, Serialize)]
pub struct Move {
    /// The value, or what a game calls several of them together; `mean` for the mean of numbers.
    pub value: String,
    /// Its chance under the one, as near as it is known.
    pub from: f64,
    /// Its chance under the other.
    pub to: f64,
    /// What it is under the other less what it is under the one: exact where both were counted whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// The lowest the difference may be: surely where it was counted, with 95 per cent where it was played.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// What is known of it.
    pub verdict: Verdict,
}

/// What is known of one outcome.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// The outcome.
    pub outcome: String,
    /// What is known of it.
    pub verdict: Verdict,
    /// Whether that is proved, not only played.
    pub proved: bool,
    /// Its values: those that differ, and where nothing is decided all of them.
    pub values: Vec<Move>,
}

/// How seldom luck alone may make a difference that is called one: once in a thousand comparisons, all values of all outcomes together.
const DOUBT: f64 = 0.001;

/// What is known of every outcome of two views; `alike` where both are known to do the same.
pub fn between(from: &View, to: &View, alike: bool, pairs: Option<&Pairs>) -> Vec<Difference> {
    let mut names: Vec<String> = from.odds.order.clone();
    let more = to.odds.order.iter().chain(pairs.into_iter().flat_map(|pairs| pairs.times.keys()));
    for name in more {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let tests = names.iter().map(|name| values(from, to, pairs, name).len()).sum::<usize>().max(1);
    names.into_iter().map(|outcome| one(from, to, alike, pairs, outcome, tests)).collect()
}

/// The values of an outcome that come up under either.
fn values(from: &View, to: &View, pairs: Option<&Pairs>, outcome: &str) -> BTreeSet<String> {
    let game = &from.situation.ruleset().game;
    let counted = [from, to].into_iter().filter_map(|view| view.odds.of(outcome)).flat_map(|list| list.0.keys());
    let mut all: BTreeSet<String> = counted.map(|value| game.together(value).to_string()).collect();
    all.extend(pairs.and_then(|pairs| pairs.times.get(outcome)).into_iter().flat_map(|list| list.keys().cloned()));
    all.insert(NOTHING.into());
    all
}

fn one(from: &View, to: &View, alike: bool, pairs: Option<&Pairs>, outcome: String, tests: usize) -> Difference {
    if alike {
        return Difference { outcome, verdict: Verdict::Same, proved: true, values: Vec::new() };
    }
    if from.complete() && to.complete() {
        let mut values = counted(from, to, &outcome, true);
        if values.is_empty() {
            // Those that are called one may differ among themselves.
            values = counted(from, to, &outcome, false);
        }
        let verdict = if values.is_empty() { Verdict::Same } else { Verdict::Differs };
        return Difference { outcome, verdict, proved: true, values };
    }
    let list: Vec<(Move, bool)> =
        values(from, to, pairs, &outcome).into_iter().map(|value| played(from, to, pairs, &outcome, value, tests)).collect();
    let differs = list.iter().any(|(moved, _)| moved.verdict == Verdict::Differs);
    let proved = list.iter().any(|(moved, proved)| moved.verdict == Verdict::Differs && *proved);
    let verdict = if differs { Verdict::Differs } else { Verdict::Undecided };
    let kept = |moved: &Move| !differs || moved.verdict == Verdict::Differs;
    let values =
        list.into_iter().map(|(moved, _)| moved).filter(|moved| kept(moved) && (moved.from, moved.to, moved.high) != (0.0, 0.0, 0.0));
    Difference { outcome, verdict, proved, values: sorted(values.collect()) }
}

/// The chance of a value, or of all that are called so.
fn chance(view: &View, outcome: &str, value: &str, together: bool) -> Fraction {
    let game = &view.situation.ruleset().game;
    match view.odds.of(outcome).filter(|_| together) {
        Some(Distribution(list)) => {
            list.iter().filter(|(own, _)| game.together(own) == value).fold(Fraction::ZERO, |sum, (_, chance)| &sum + chance)
        }
        None => view.counted(outcome, value),
    }
}

/// The values of an outcome that differ where all was counted, before them the mean.
fn counted(from: &View, to: &View, outcome: &str, together: bool) -> Vec<Move> {
    let all: BTreeSet<String> = match together {
        true => values(from, to, None, outcome),
        false => [from, to].into_iter().filter_map(|view| view.odds.of(outcome)).flat_map(|list| list.0.keys().cloned()).collect(),
    };
    let moved = |value: String, a: &Fraction, b: &Fraction| {
        let exact = b - a;
        let verdict = Verdict::Differs;
        Move { value, from: a.share(), to: b.share(), low: exact.share(), high: exact.share(), exact: Some(exact.to_string()), verdict }
    };
    let mut list = Vec::new();
    for value in all {
        let (a, b) = (chance(from, outcome, &value, together), chance(to, outcome, &value, together));
        if a != b {
            list.push(moved(value, &a, &b));
        }
    }
    let mean = |view: &View| view.odds.of(outcome).and_then(Distribution::mean);
    let mut list = sorted(list);
    if let (Some(a), Some(b), true) = (mean(from), mean(to), list.len() > 2)
        && a != b
    {
        list.insert(0, moved("mean".into(), &a, &b));
    }
    list
}

/// Numbers by size, words by how far they moved, nothing last.
fn sorted(mut list: Vec<Move>) -> Vec<Move> {
    let numbers = list.iter().all(|moved| moved.value == NOTHING || moved.value.parse::<i64>().is_ok());
    list.sort_by(|a, b| {
        let last = (a.value == NOTHING).cmp(&(b.value == NOTHING));
        let number = |moved: &Move| moved.value.parse::<i64>().unwrap_or(0);
        let far = |moved: &Move| (moved.to - moved.from).abs();
        last.then_with(|| if numbers { number(a).cmp(&number(b)) } else { far(b).total_cmp(&far(a)) })
    });
    list
}

/// What is known of a value where not all was counted, and whether that follows from what was.
fn played(from: &View, to: &View, pairs: Option<&Pairs>, outcome: &str, value: String, tests: usize) -> (Move, bool) {
    let ends = |view: &View| {
        let unseen = &Fraction::ONE - view.odds.seen.as_ref().unwrap_or(&Fraction::ZERO);
        let least = chance(view, outcome, &value, true);
        (&least + &unseen, least)
    };
    let ((from_most, from_least), (to_most, to_least)) = (ends(from), ends(to));
    let (sure_low, sure_high) = (&to_least - &from_most, &to_most - &from_least);
    let proved = sure_low > Fraction::ZERO || sure_high < Fraction::ZERO;
    let (mut low, mut high) = (sure_low.share(), sure_high.share());
    let halfway = |least: &Fraction, most: &Fraction| (least.share() + most.share()) / 2.0;
    let (mut a, mut b) = (halfway(&from_least, &from_most), halfway(&to_least, &to_most));
    let mut verdict = if proved { Verdict::Differs } else { Verdict::Undecided };
    if let Some(pairs) = pairs.filter(|pairs| pairs.runs > 0) {
        let times = pairs.of(outcome, &value);
        let n = pairs.runs as f64;
        let within = |share: f64, least: &Fraction, most: &Fraction| share.max(least.share()).min(most.share());
        a = within(times.from as f64 / n, &from_least, &from_most);
        b = within(times.to as f64 / n, &to_least, &to_most);
        let (least, most) = interval(times, n);
        (low, high) = (low.max(least).min(high), high.min(most).max(low));
        if by_luck(times) < DOUBT / tests as f64 {
            verdict = Verdict::Differs;
        }
    }
    (Move { value, from: a, to: b, exact: None, low, high, verdict }, proved)
}

/// The 95 per cent interval of a difference of two chances seen on the same dice (Agresti and Min 2005): never narrower than what so few
/// runs allow, also where nothing was seen to differ.
fn interval(times: Times, n: f64) -> (f64, f64) {
    let (more, less, all) = (times.only_to as f64 + 0.5, times.only_from as f64 + 0.5, n + 2.0);
    let difference = (more - less) / all;
    let error = 1.96 * ((more + less) / all - difference * difference).max(0.0).sqrt() / all.sqrt();
    (difference - error, difference + error)
}

/// How likely luck alone makes so great a difference, at most (Hoeffding): each run on which two part is a fair coin if neither is likelier.
fn by_luck(times: Times) -> f64 {
    let (more, less) = (times.only_to as f64, times.only_from as f64);
    if more + less == 0.0 { 1.0 } else { 2.0 * (-(more - less).powi(2) / (2.0 * (more + less))).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luck_is_not_called_a_difference() {
        let times = |only_from, only_to| Times { only_from, only_to, ..Times::default() };
        assert!(by_luck(times(0, 0)) >= 1.0 && by_luck(times(50, 50)) >= 1.0 && by_luck(times(40, 60)) > DOUBT);
        assert!(by_luck(times(0, 100)) < DOUBT);
        let (low, high) = interval(times(0, 0), 100.0);
        assert!(low < -0.005 && high > 0.005, "a hundred runs prove no equality: {low} to {high}");
    }
}
