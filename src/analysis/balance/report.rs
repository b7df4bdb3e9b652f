//! The answer in sentences and as data.

use crate::balance::attribution::{Attribution, CauseClaim, TestedGroup};
use crate::balance::betting_test::{BalanceVerdict, MeanDifference, wilson_interval};
use crate::balance::question::{self, BalanceAnswer, RulesetBalance};
use crate::balance::totals::{BalanceSpec, BalanceTotal, PairingTotal};
use crate::odds::assumptions::Assumptions;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the answer is about, said wherever it is shown.
pub const SCOPE: &str = "This is how the game comes out between these styles. It says nothing of how it comes out between masters, who would play otherwise.";

/// How a game comes out between styles under several rulesets.
#[derive(Serialize, JsonSchema)]
pub struct BalanceReport<'a> {
    /// What was played.
    pub of: &'a BalanceSpec,
    /// What the answer is about.
    pub scope: &'static str,
    /// How many seeds were played under the first ruleset.
    pub seeds: u64,
    /// The games of each pairing under each ruleset.
    pub rows: Vec<PairingReport<'a>>,
    /// Each ruleset against the first.
    pub rulesets: &'a [RulesetBalance],
    /// The difference, as a share of 1, that is not worth deciding.
    pub margin: f64,
    /// The greatest probability that any ruleset is wrongly said to differ.
    pub error: f64,
    /// Whether the budget was used up before everything was decided.
    pub budget_used_up: bool,
    /// Styles that were left out because they look ahead at each choice.
    pub left_out_styles: &'a [String],
    /// How many games could not be played.
    pub broken: u64,
    /// By reason: the lowest seed, and how many games.
    pub faults: &'a BTreeMap<String, (u64, u64)>,
    /// What the games rest on beside the printed rules.
    pub assumed: &'a Assumptions,
}

/// The games of a pairing of styles under a ruleset.
#[derive(Serialize, JsonSchema)]
pub struct PairingReport<'a> {
    /// The ruleset, in words.
    pub ruleset: &'a str,
    /// The style of each side.
    pub styles: &'a [String],
    /// The number of games.
    pub games: u64,
    /// Each winner with its share, and the interval of that at 95 %.
    pub winners: Vec<WinnerShare>,
    /// The mean score at the end.
    pub score: Option<f64>,
    /// 1.96 standard errors.
    pub score_error: Option<f64>,
    /// The mean score at the end of each round.
    pub course: Vec<Option<f64>>,
}

/// The share of a winner, in a table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WinnerShare {
    /// The side, or what the outcome says; "nobody named" where it says nothing.
    pub winner: String,
    /// How many games it won.
    pub games: u64,
    /// The share of all games, from 0 to 1.
    pub share: f64,
    /// The lower bound of the share at 95 %.
    pub low: f64,
    /// The upper bound of the share at 95 %.
    pub high: f64,
}

/// Returns the share of each winner: the sides in their order, then the other ones of `winners`.
pub fn winner_shares(
    spec: &BalanceSpec,
    one_total: &PairingTotal,
    winners: &[String],
) -> Vec<WinnerShare> {
    let names = spec
        .sides
        .iter()
        .chain(winners.iter().filter(|name| !spec.sides.contains(name)));
    let share = |name: &String| {
        let games = one_total.winners.get(name).copied().unwrap_or(0);
        let winner = if name.is_empty() {
            "nobody named".to_string()
        } else {
            name.clone()
        };
        let share = games as f64 / (one_total.games as f64).max(1.0);
        let (low, high) = wilson_interval(games, one_total.games);
        WinnerShare {
            winner,
            games,
            share,
            low,
            high,
        }
    };
    names.map(share).collect()
}

/// Returns all values that the outcome of the winner had.
pub fn winners_named(total: &BalanceTotal) -> Vec<String> {
    let winners: BTreeSet<&String> = total
        .totals_by_pairing
        .iter()
        .flatten()
        .flat_map(|one_total| one_total.winners.keys())
        .collect();
    winners.into_iter().cloned().collect()
}

/// Formats a difference of shares in percentage points.
pub fn points(share: f64) -> String {
    let text = format!("{:+.1}", share * 100.0);
    if ["+0.0", "-0.0"].contains(&text.as_str()) {
        "0.0".into()
    } else {
        text.replace('-', "−")
    }
}

/// Returns the pairings that are shown, each by its index and its styles. Those that differ only in the style of a side that never chooses
/// are the same games, and stand there once.
pub fn shown_pairings(spec: &BalanceSpec, total: &BalanceTotal) -> Vec<(usize, String)> {
    let is_idle = |side: usize| {
        total.seeds > 0
            && spec
                .sides
                .get(side)
                .is_some_and(|side| !total.choosing_sides.contains(side))
    };
    let results = |index: usize| {
        total
            .totals_by_pairing
            .iter()
            .map(|list| list.get(index))
            .collect::<Vec<_>>()
    };
    let is_same = |a: usize, b: usize| {
        let sides = spec.pairings[a].iter().zip(&spec.pairings[b]).enumerate();
        sides
            .into_iter()
            .all(|(side, (a, b))| a == b || is_idle(side))
            && results(a) == results(b)
    };
    let mut shown = Vec::new();
    for (index, styles) in spec.pairings.iter().enumerate() {
        if (0..index).any(|earlier| is_same(earlier, index)) {
            continue;
        }
        let same: Vec<&Vec<String>> = (index..spec.pairings.len())
            .filter(|other| is_same(index, *other))
            .map(|other| &spec.pairings[other])
            .collect();
        let words = styles.iter().enumerate().map(|(side, style)| {
            if same.iter().all(|other| other[side] == *style) {
                style
            } else {
                ANY_STYLE
            }
        });
        shown.push((index, words.collect::<Vec<_>>().join(" : ")));
    }
    shown
}

/// Stands for the style of a side that never chooses.
const ANY_STYLE: &str = "any style";

/// Describes a verdict on the share of the first side in one sentence.
pub fn share_sentence(spec: &BalanceSpec, difference: &MeanDifference, margin: f64) -> String {
    let (side, mean) = (
        spec.sides.first().map(String::as_str).unwrap_or_default(),
        points(difference.mean),
    );
    let range = format!("{} to {}", points(difference.low), points(difference.high));
    match difference.verdict {
        BalanceVerdict::Differs => {
            let comparative = if difference.mean > 0.0 {
                "more"
            } else {
                "fewer"
            };
            format!(
                "the rulesets differ: {side} wins {:.1} games in a hundred {comparative} ({range})",
                difference.mean.abs() * 100.0
            )
        }
        BalanceVerdict::Within => format!(
            "no difference beyond {} games in a hundred: {side} wins {mean} ({range})",
            plain(margin)
        ),
        BalanceVerdict::Same => {
            "the same, which is proved: no game can reach what is different".into()
        }
        BalanceVerdict::Undecided => {
            format!("not decided: {side} wins {mean} games in a hundred ({range})")
        }
    }
}

/// Says in plain words how much more often the first side wins under the second ruleset, out of a hundred games.
pub fn winner_sentence(spec: &BalanceSpec, difference: &MeanDifference, margin: f64) -> String {
    let side = spec.sides.first().map_or("the first side", String::as_str);
    let whole = |share: f64| (share * 100.0).round() as i64;
    let end = |share: f64| match whole(share) {
        less if less < 0 => format!("{} % less", -less),
        more => format!("{more} % more"),
    };
    let (low, high) = (difference.low, difference.high);
    match difference.verdict {
        BalanceVerdict::Differs => {
            let (word, ends) = if difference.mean > 0.0 {
                ("more", [low, high])
            } else {
                ("less", [-high, -low])
            };
            format!(
                "{side} wins {} % {word} often, {} to {}",
                whole(difference.mean.abs()),
                whole(ends[0]),
                whole(ends[1])
            )
        }
        BalanceVerdict::Within if difference.discordant == 0 => {
            format!("{side} wins as often as before")
        }
        BalanceVerdict::Within => format!(
            "{side} wins as often as before, to within {} %: {} to {} often",
            plain(margin),
            end(low),
            end(high)
        ),
        BalanceVerdict::Same => {
            format!("{side} wins exactly as often as before: no game can reach what is changed")
        }
        BalanceVerdict::Undecided if difference.pairs == 0 => {
            "Not decided: no game came to its end in time".into()
        }
        BalanceVerdict::Undecided => format!(
            "Not decided yet: {side} wins {} to {} often",
            end(low),
            end(high)
        ),
    }
}

/// Formats a margin in points without a sign.
fn plain(margin: f64) -> String {
    let text = format!("{:.2}", margin * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Describes the test of the score in one sentence.
pub fn score_sentence(spec: &BalanceSpec, difference: &MeanDifference) -> String {
    let (score, range) = (
        spec.score.replace(" - ", " − "),
        format!("{} to {}", points(difference.low), points(difference.high)),
    );
    let balance = format!(
        "on the same dice it is higher more often than lower by {} in a hundred ({range})",
        points(difference.mean)
    );
    let verdict = match difference.verdict {
        BalanceVerdict::Differs => "the rulesets differ",
        BalanceVerdict::Within => "as often higher as lower, within the margin",
        BalanceVerdict::Same => return format!("score ({score}): the same, which is proved"),
        BalanceVerdict::Undecided => "not decided",
    };
    format!("score ({score}): {verdict}: {balance}")
}

/// Describes what is known of a group of amendments.
pub fn claim_words(claim: CauseClaim) -> &'static str {
    match claim {
        CauseClaim::MakesIt => "makes the difference",
        CauseClaim::Contributes => "a part of it",
        CauseClaim::WorksAgainst => "works against it",
        CauseClaim::Nothing => "does nothing here",
        CauseClaim::Undecided => "not decided",
    }
}

/// Describes the tests of a group in one line.
pub fn group_line(group: &TestedGroup) -> String {
    let effect = |one: &Option<MeanDifference>, cannot: &str| match one {
        Some(one) => format!(
            "{} ({} to {})",
            points(one.mean),
            points(one.low),
            points(one.high)
        ),
        None => cannot.into(),
    };
    let alone = effect(&group.alone, "does not work alone");
    let among_others = effect(
        &group.among_others,
        "not known, as they don't work without it",
    );
    format!(
        "{}: {}; alone {alone}, among the others {among_others}",
        group.title,
        claim_words(group.claim)
    )
}

/// Returns the groups that are shown: the finest that decided something, and those that decided nothing where no finer one did.
fn shown_groups(attribution: &Attribution) -> Vec<&TestedGroup> {
    let shown = |group: &&TestedGroup| match group.claim {
        CauseClaim::MakesIt => attribution.makers.contains(&group.title),
        CauseClaim::Contributes | CauseClaim::WorksAgainst => true,
        CauseClaim::Undecided => attribution.makers.is_empty(),
        CauseClaim::Nothing => false,
    };
    attribution.tested.iter().filter(shown).collect()
}

/// Renders the causes of a difference.
pub fn cause_lines(attribution: &Attribution) -> Vec<String> {
    let mut lines: Vec<String> = shown_groups(attribution)
        .into_iter()
        .map(group_line)
        .collect();
    if attribution.makers.is_empty() {
        lines.insert(0, "not decided: no amendment was found that makes the difference alone and is missed among the others".into());
    } else if let Some(rest) = &attribution.rest {
        let sentence = match rest.verdict {
            BalanceVerdict::Differs => "these are not all of it: the rest still differs by",
            BalanceVerdict::Within | BalanceVerdict::Same => {
                "these are all of it, within the margin: what is left is"
            }
            BalanceVerdict::Undecided => {
                "whether these are all of it is not decided: what is left is"
            }
        };
        lines.push(format!(
            "{sentence} {} ({} to {})",
            points(rest.mean),
            points(rest.low),
            points(rest.high)
        ));
    }
    if attribution.cut_short {
        lines.push("time was up before everything was tested".into());
    }
    lines
}

/// Describes the error of the verdicts.
pub fn error_words(spec: &BalanceSpec) -> String {
    let error = format!(
        "Of all verdicts together at most {} in a hundred questions are wrong, however early they were reached",
        question::ERROR * 100.0
    );
    let side = spec.sides.first().map(String::as_str).unwrap_or_default();
    format!(
        "{error}. Differences are games in a hundred that {side} wins, one that nobody wins counting half; their ranges hold with the verdicts. The ranges in the table are those of single shares at 95 %."
    )
}

impl BalanceAnswer {
    /// Reports the answer.
    pub fn report(&self) -> BalanceReport<'_> {
        BalanceReport {
            of: &self.spec,
            scope: SCOPE,
            seeds: self.total.seeds,
            rows: pairing_reports(&self.spec, &self.total),
            rulesets: &self.rulesets,
            margin: self.margin,
            error: question::ERROR,
            budget_used_up: self.budget_used_up,
            left_out_styles: &self.slow_styles,
            broken: self.total.broken,
            faults: &self.total.faults,
            assumed: &self.total.assumed,
        }
    }
}

/// Reports the games of each pairing under each ruleset.
fn pairing_reports<'a>(spec: &'a BalanceSpec, total: &'a BalanceTotal) -> Vec<PairingReport<'a>> {
    let winners = winners_named(total);
    let mut rows = Vec::new();
    for (ruleset, totals_by_pairing) in spec.rulesets.iter().zip(&total.totals_by_pairing) {
        for (styles, one_total) in spec.pairings.iter().zip(totals_by_pairing) {
            rows.push(PairingReport {
                ruleset,
                styles,
                games: one_total.games,
                winners: winner_shares(spec, one_total, &winners),
                score: one_total.mean_score(),
                score_error: one_total.mean_score().map(|_| one_total.score_error()),
                course: one_total.course(),
            });
        }
    }
    rows
}
