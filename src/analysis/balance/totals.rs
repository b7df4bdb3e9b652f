//! The results of games, in totals that can be merged.

use crate::balance::betting_test::PairedDifferences;
use crate::balance::paired_games::SeedGames;
use crate::odds::assumptions::Assumptions;
use crate::odds::game_score::GameScore;
use crate::odds::shards::{ShardSum, Shards, WorkSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What is played: only parts of equal specifications can be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BalanceSpec {
    /// The situation.
    pub situation: String,
    /// Its title.
    pub title: String,
    /// The rulesets, in words; the others are compared with the first.
    pub rulesets: Vec<String>,
    /// The sides, the first of which is measured.
    pub sides: Vec<String>,
    /// The pairings: the style of each side.
    pub pairings: Vec<Vec<String>>,
    /// The outcome that names the winner.
    pub winner: String,
    /// The score, as a sum of outcomes; empty if there is none.
    pub score: String,
    /// The typed answers to choices.
    pub choices: Vec<(String, String)>,
    /// The seed of the first games.
    pub seed: u64,
    /// The greatest number of games of each pairing under each ruleset, in all parts together.
    pub games: u64,
    /// The number of parts.
    pub parts: u64,
}

impl WorkSpec for BalanceSpec {
    fn shard_count(&self) -> u64 {
        self.parts
    }

    fn item_count(&self) -> u64 {
        self.games
    }

    fn describe(&self) -> String {
        let BalanceSpec {
            situation,
            rulesets,
            seed,
            games,
            parts,
            ..
        } = self;
        format!(
            "another question: {situation} under {}, seed {seed}, {games} games in {parts} parts",
            rulesets.join("; ")
        )
    }
}

/// The games of one pairing under one ruleset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PairingTotal {
    /// The number of finished games.
    pub games: u64,
    /// The number of games for each value of the outcome that names the winner.
    pub winners: BTreeMap<String, u64>,
    /// The number of games with a score, its sum, and the sum of its squares.
    pub score: (u64, i64, i64),
    /// For each round: the sum of the score, and the number of games that had one then.
    pub rounds: Vec<(i64, u64)>,
}

impl PairingTotal {
    fn add(&mut self, game: &GameScore) {
        self.games += 1;
        *self.winners.entry(game.winner.clone()).or_insert(0) += 1;
        if let Some(score) = game.score {
            let (count, sum, squares) = self.score;
            self.score = (
                count + 1,
                sum.saturating_add(score),
                squares.saturating_add(score.saturating_mul(score)),
            );
        }
        self.rounds
            .resize(self.rounds.len().max(game.course.len()), (0, 0));
        for (round, score) in self.rounds.iter_mut().zip(&game.course) {
            *round = (
                round.0 + score.unwrap_or(0),
                round.1 + u64::from(score.is_some()),
            );
        }
    }

    /// Returns the mean score; `None` if no game had one.
    pub fn mean_score(&self) -> Option<f64> {
        (self.score.0 > 0).then(|| self.score.1 as f64 / self.score.0 as f64)
    }

    /// Returns 1.96 standard errors of the mean score.
    pub fn score_error(&self) -> f64 {
        let (count, sum, squares) = self.score;
        let n = count as f64;
        let mean = sum as f64 / n;
        1.96 * ((squares as f64 / n - mean * mean).max(0.0) / n).sqrt()
    }

    /// Returns the mean score of each round, as far as games had one.
    pub fn course(&self) -> Vec<Option<f64>> {
        self.rounds
            .iter()
            .map(|(sum, count)| (*count > 0).then(|| *sum as f64 / *count as f64))
            .collect()
    }

    fn merge(&mut self, other: &PairingTotal) {
        self.games += other.games;
        other
            .winners
            .iter()
            .for_each(|(winner, count)| *self.winners.entry(winner.clone()).or_insert(0) += count);
        self.score = (
            self.score.0 + other.score.0,
            self.score.1 + other.score.1,
            self.score.2 + other.score.2,
        );
        self.rounds
            .resize(self.rounds.len().max(other.rounds.len()), (0, 0));
        self.rounds
            .iter_mut()
            .zip(&other.rounds)
            .for_each(|(own, more)| *own = (own.0 + more.0, own.1 + more.1));
    }
}

/// The paired differences of one ruleset from the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RulesetDifferences {
    /// Of the share of the first side, averaged over the pairings.
    pub share: PairedDifferences,
    /// Of the sign of the score's difference, averaged over the pairings.
    pub score: PairedDifferences,
    /// The games that were played to the end under both rulesets.
    #[serde(default)]
    pub games: u64,
    /// Those of them whose winner or score is not the same under both.
    #[serde(default)]
    pub altered: u64,
}

impl RulesetDifferences {
    /// Creates a count for a number of pairings.
    pub fn new(pairings: usize) -> RulesetDifferences {
        let pairings = pairings as i64;
        RulesetDifferences {
            share: PairedDifferences::new(2 * pairings),
            score: PairedDifferences::new(pairings),
            games: 0,
            altered: 0,
        }
    }

    /// Adds the games of one seed under two rulesets; if one of them failed, nothing is added.
    pub fn add(&mut self, first: &SeedGames, second: &SeedGames) {
        let pairs: Option<Vec<(&GameScore, &GameScore)>> = first
            .iter()
            .zip(second)
            .map(|(from, to)| Some((from.as_ref().ok()?, to.as_ref().ok()?)))
            .collect();
        let Some(pairs) = pairs else { return };
        let is_altered = |(from, to): &&(&GameScore, &GameScore)| {
            (&from.winner, from.score) != (&to.winner, to.score)
        };
        self.games += pairs.len() as u64;
        self.altered += pairs.iter().filter(is_altered).count() as u64;
        self.share.add(
            pairs
                .iter()
                .map(|(from, to)| i64::from(to.doubled_share) - i64::from(from.doubled_share))
                .sum(),
        );
        let scores = pairs
            .iter()
            .map(|(from, to)| Some((to.score? - from.score?).signum()))
            .collect::<Option<Vec<i64>>>();
        scores
            .into_iter()
            .for_each(|signs| self.score.add(signs.iter().sum()));
    }

    fn merge(&mut self, other: &RulesetDifferences) {
        self.share.merge(&other.share);
        self.score.merge(&other.score);
        self.games += other.games;
        self.altered += other.altered;
    }
}

/// The maximum number of reasons that are kept.
const MAX_FAULTS: usize = 100;

/// The totals of all games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BalanceTotal {
    /// The number of seeds that were played.
    pub seeds: u64,
    /// By ruleset and pairing.
    pub totals_by_pairing: Vec<Vec<PairingTotal>>,
    /// For each ruleset but the first.
    pub differences: Vec<RulesetDifferences>,
    /// What the games under the first ruleset rest on.
    pub assumed: Assumptions,
    /// The number of games that failed.
    pub broken: u64,
    /// The sides that chose something in a game.
    pub choosing_sides: BTreeSet<String>,
    /// Why games failed: ruleset and reason, with the lowest seed and the number of games; at most a hundred reasons.
    pub faults: BTreeMap<String, (u64, u64)>,
}

/// A question with the parts present so far.
pub type BalanceShards = Shards<BalanceSpec, BalanceTotal>;

impl BalanceTotal {
    /// Creates the totals for a number of rulesets and pairings.
    pub fn new(rulesets: usize, pairings: usize) -> BalanceTotal {
        BalanceTotal {
            totals_by_pairing: vec![vec![PairingTotal::default(); pairings]; rulesets],
            differences: vec![RulesetDifferences::new(pairings); rulesets.saturating_sub(1)],
            ..BalanceTotal::default()
        }
    }

    /// Adds the games of one seed; a ruleset that is no longer played has none.
    pub fn add(&mut self, spec: &BalanceSpec, seed: u64, games: &[Option<SeedGames>]) {
        self.seeds += 1;
        for (ruleset, played) in games.iter().enumerate() {
            for (pairing, game) in played.iter().flatten().enumerate() {
                match game {
                    Ok(game) => self.totals_by_pairing[ruleset][pairing].add(game),
                    Err(fault) => {
                        self.broken += 1;
                        self.add_fault(
                            format!("{}: {}", spec.rulesets[ruleset], fault.line()),
                            (seed, 1),
                        );
                    }
                }
            }
            if let (Some(Some(first)), Some(second), 1..) = (games.first(), played, ruleset) {
                self.differences[ruleset - 1].add(first, second);
            }
        }
    }

    fn add_fault(&mut self, reason: String, (seed, count): (u64, u64)) {
        if self.faults.len() < MAX_FAULTS || self.faults.contains_key(&reason) {
            let entry = self.faults.entry(reason).or_insert((seed, 0));
            *entry = (entry.0.min(seed), entry.1 + count);
        }
    }
}

impl ShardSum for BalanceTotal {
    fn merge(&mut self, other: &BalanceTotal) {
        self.seeds += other.seeds;
        self.broken += other.broken;
        self.totals_by_pairing.resize(
            self.totals_by_pairing
                .len()
                .max(other.totals_by_pairing.len()),
            Vec::new(),
        );
        for (totals, other_totals) in self
            .totals_by_pairing
            .iter_mut()
            .zip(&other.totals_by_pairing)
        {
            totals.resize(
                totals.len().max(other_totals.len()),
                PairingTotal::default(),
            );
            totals
                .iter_mut()
                .zip(other_totals)
                .for_each(|(own, more)| own.merge(more));
        }
        self.differences.resize(
            self.differences.len().max(other.differences.len()),
            RulesetDifferences::default(),
        );
        self.differences
            .iter_mut()
            .zip(&other.differences)
            .for_each(|(own, more)| own.merge(more));
        self.assumed.merge(&other.assumed);
        self.choosing_sides
            .extend(other.choosing_sides.iter().cloned());
        other
            .faults
            .iter()
            .for_each(|(reason, counted)| self.add_fault(reason.clone(), *counted));
    }

    fn is_consistent(&self, count: u64) -> bool {
        let is_within = |one_total: &PairingTotal| {
            let winners = one_total
                .winners
                .values()
                .try_fold(0, |sum: u64, times| sum.checked_add(*times));
            one_total.games <= self.seeds
                && winners == Some(one_total.games)
                && one_total.score.0 <= one_total.games
        };
        let paired = |counts: &PairedDifferences| {
            let pairs = counts
                .counts
                .values()
                .try_fold(0, |sum: u64, times| sum.checked_add(*times));
            let in_scale = counts
                .counts
                .keys()
                .all(|difference| difference.unsigned_abs() <= counts.scale.unsigned_abs());
            counts.scale > 0 && in_scale && pairs.is_some_and(|pairs| pairs <= self.seeds)
        };
        self.seeds == count
            && self.totals_by_pairing.iter().flatten().all(is_within)
            && self
                .differences
                .iter()
                .all(|one| paired(&one.share) && paired(&one.score))
    }
}
