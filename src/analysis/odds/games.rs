//! Plays whole games by policies and counts how often each outcome ends them; a single procedure is a short game.
//!
//! Game `i` uses the dice of seed `seed + i`, so game 17 of seed 1 can be replayed with seed 18. Part K of N has every Nth game.

use crate::odds::assumptions::{Assumptions, Questions, assumptions};
use crate::odds::game_run::{GameEnd, GameRecorder, GameRun, MAX_ROUNDS, RunUntil};
use crate::odds::outcome_key::outcome_key;
use crate::odds::shards::{Shard, ShardSum, Shards, WorkSpec};
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::{Refusal, State};
use casebook_engine::complaint::Complaints;
use casebook_engine::platform::parallel;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::SeededDice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The specification of a series of games: only parts of equal specifications can be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GamesSpec {
    /// The situation.
    pub situation: String,
    /// The ruleset in force, with options and readings.
    pub ruleset: String,
    /// The policy of each side.
    pub policies: Vec<(String, String)>,
    /// The typed answers to choices.
    #[serde(default)]
    pub choices: Vec<(String, String)>,
    /// The seed of the first game.
    pub seed: u64,
    /// The number of games in all parts together.
    pub games: u64,
    /// The number of parts.
    pub parts: u64,
}

/// The totals of some games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GamesTotal {
    /// The number of games.
    pub games: u64,
    /// The outcomes of the procedure that ended each game: how often each value occurred, by its key.
    pub came: BTreeMap<String, BTreeMap<String, u64>>,
    /// Outcomes tracked per round: their sum, and the number of games that reached the round.
    pub rounds: BTreeMap<String, Vec<(i64, u64)>>,
    /// Games that failed, with the reason.
    pub broken: BTreeMap<u64, String>,
    /// The assumptions that the games rest on.
    #[serde(default)]
    pub assumed: Assumptions,
    /// The questions asked, and the sides that were asked.
    #[serde(default)]
    pub asked: Questions,
}

/// A series of games with the parts present so far.
pub type GamesShards = Shards<GamesSpec, GamesTotal>;

impl WorkSpec for GamesSpec {
    fn shard_count(&self) -> u64 {
        self.parts
    }

    fn item_count(&self) -> u64 {
        self.games
    }

    fn describe(&self) -> String {
        let GamesSpec {
            situation,
            ruleset,
            seed,
            games,
            parts,
            ..
        } = self;
        format!(
            "other games: {situation} under {ruleset}, seed {seed}, {games} games in {parts} parts"
        )
    }
}

/// The number of failed games on one thread after which no more are started: the rules are at fault.
const BROKEN: usize = 1_000;
/// The maximum number of distinct values per outcome; all others are counted as one.
const VALUES: usize = 10_000;
const OTHERS: &str = "(other values)";

impl ShardSum for GamesTotal {
    fn merge(&mut self, other: &GamesTotal) {
        self.games += other.games;
        for (name, values) in &other.came {
            let counts = self.came.entry(name.clone()).or_default();
            values
                .iter()
                .for_each(|(value, times)| *counts.entry(value.clone()).or_insert(0) += times);
        }
        for (name, rounds) in &other.rounds {
            let sums = self.rounds.entry(name.clone()).or_default();
            sums.resize(sums.len().max(rounds.len()), (0, 0));
            sums.iter_mut()
                .zip(rounds)
                .for_each(|((sum, count), (more, games))| {
                    (*sum, *count) = (*sum + more, *count + games)
                });
        }
        self.broken.extend(other.broken.clone());
        self.assumed.merge(&other.assumed);
        other.asked.iter().for_each(|(question, sides)| {
            self.asked
                .entry(question.clone())
                .or_default()
                .extend(sides.iter().cloned())
        });
    }

    fn is_consistent(&self, count: u64) -> bool {
        let is_within = |times: u64| times <= self.games;
        let is_consistent = |values: &BTreeMap<String, u64>| {
            values
                .values()
                .try_fold(0, |sum: u64, times| sum.checked_add(*times))
                .is_some_and(is_within)
        };
        let broken = self.broken.len() as u64;
        self.games == count
            && is_within(broken)
            && self.came.values().all(is_consistent)
            && self
                .rounds
                .values()
                .flatten()
                .all(|(_, games)| is_within(*games))
    }
}

impl GamesTotal {
    fn add_outcome(&mut self, name: &str, value: String) {
        let counts = self.came.entry(name.into()).or_default();
        let value = if counts.len() < VALUES || counts.contains_key(&value) {
            value
        } else {
            OTHERS.to_string()
        };
        *counts.entry(value).or_insert(0) += 1;
    }

    /// Adds the value of a tracked outcome at the end of a round.
    fn add_round_value(&mut self, name: &str, round: u64, value: i64) {
        let rounds = self.rounds.entry(name.into()).or_default();
        rounds.resize(rounds.len().max(round as usize), (0, 0));
        if let Some((sum, count)) = rounds.get_mut(round as usize - 1) {
            (*sum, *count) = (*sum + value, *count + 1);
        }
    }
}

/// Plays one part of the games on several threads; games unfinished when it is time to stop are dropped.
pub fn play(
    situation: &Situation,
    choice_source: &ChoiceSource,
    spec: &GamesSpec,
    part: u64,
    threads: usize,
    until: RunUntil,
) -> GamesTotal {
    let threads = threads.max(1);
    let worker = |first_index: usize| {
        let (situation, mut sums) = (situation.deep_clone(), GamesTotal::default());
        let mut machine = situation.machine();
        let run = GameRun {
            situation: &situation,
            from: None,
            choice_source,
            until,
            max_rounds: MAX_ROUNDS,
        };
        let shard = Shard {
            part,
            parts: spec.parts,
        };
        for game in shard.items(spec.games).skip(first_index).step_by(threads) {
            if until.is_over() || sums.broken.len() >= BROKEN {
                break;
            }
            match play_one(&run, &mut machine, spec.seed.wrapping_add(game), &mut sums) {
                Ok(true) => sums.games += 1,
                Ok(false) => break,
                Err(reason) => {
                    sums.games += 1;
                    sums.broken.insert(game, reason);
                }
            }
        }
        (sums, machine.consulted(&situation.initial_board))
    };
    let mut results = parallel::on_threads(threads, worker).into_iter();
    let (mut total, mut consulted) = results.next().unwrap_or_default();
    for (sums, more_consulted) in results {
        total.merge(&sums);
        consulted.merge(more_consulted);
    }
    // Unused answers are only known when all parts are present.
    total.assumed = Assumptions {
        unused_answers: Vec::new(),
        ..assumptions(
            situation,
            &consulted,
            &choice_source.policies,
            &spec.choices,
        )
    };
    total.asked = choice_source.policies.asked_questions();
    total
}

/// Plays one game to its end, or returns why it fails. Returns false if it is time to stop before that.
fn play_one(
    run: &GameRun,
    machine: &mut Machine,
    seed: u64,
    sums: &mut GamesTotal,
) -> Result<bool, String> {
    let mut recorder = TotalRecorder {
        followed: &run.situation.ruleset().game.followed_outcomes,
        latest: BTreeMap::new(),
        sums,
    };
    match run
        .play(machine, &mut SeededDice::new(seed), &mut recorder)
        .map_err(|fault| fault.line())?
    {
        GameEnd::Stopped => return Ok(false),
        GameEnd::Refused(by) => sums.add_outcome("refused", by),
        GameEnd::Over(state) => {
            // The last value of each outcome counts.
            let latest: BTreeMap<&str, String> = state
                .outcomes
                .iter()
                .map(|(name, value)| (name.as_str(), outcome_key(value, &state.board)))
                .collect();
            latest
                .into_iter()
                .for_each(|(name, value)| sums.add_outcome(name, value));
        }
    }
    Ok(true)
}

/// Adds the outcomes that a game follows to the totals, round by round.
struct TotalRecorder<'a> {
    followed: &'a [String],
    latest: BTreeMap<&'a str, i64>,
    sums: &'a mut GamesTotal,
}

impl GameRecorder for TotalRecorder<'_> {
    fn procedure_ended(
        &mut self,
        state: &mut State,
        _: (&str, &str),
        _: Option<&Refusal>,
    ) -> Result<(), Complaints> {
        for (name, value) in &state.outcomes {
            if let (Some(name), Some(number)) = (
                self.followed
                    .iter()
                    .find(|followed| *followed == name.as_str()),
                value.as_number(),
            ) {
                self.latest.insert(name, number);
            }
        }
        Ok(())
    }

    fn round_ended(&mut self, round: u64) {
        self.latest
            .iter()
            .for_each(|(name, value)| self.sums.add_round_value(name, round, *value));
    }
}
