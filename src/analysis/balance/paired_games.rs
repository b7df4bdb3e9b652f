//! Plays a situation on some seeds, once for each pairing of styles, on several threads. Throws are drawn by their purpose, so two rulesets
//! see the same dice for as long as they ask for the same.

use crate::balance::pairing::StylePairing;
use crate::odds::game_run::{GameEnd, GameFault, GameRun, RunUntil};
use crate::odds::game_score::{GameReading, GameScore, ScoreRecorder};
use crate::odds::shards::Shard;
use crate::usecase::play_on::weigher;
use crate::usecase::settings::CountLimits;
use casebook_engine::code::machine::{Consulted, Machine};
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::parallel;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::turn_sequence::TurnSequence;
use casebook_engine::situation::dice::SeededDice;
use std::collections::BTreeMap;
use std::ops::Range;

/// The round after which a game counts as endless.
const MAX_ROUNDS: u64 = 1_000;

/// A game of each pairing with the dice of one seed; a game that failed has the reason.
pub type SeedGames = Vec<Result<GameScore, GameFault>>;

/// How the games of a question are played.
pub struct GamesPlan<'a> {
    pub pairings: &'a [StylePairing],
    /// Answers to choices.
    pub choices: &'a [(String, String)],
    /// How a finished game is read.
    pub reading: &'a GameReading,
    /// Where in the sequence of play the games begin, if that is in the midst of a game.
    pub from: Option<&'a TurnSequence>,
    /// The seed of the first games.
    pub seed: u64,
    /// The part to play: its number, from 1, and the number of parts.
    pub shard: Shard,
    /// The difference of shares that is not worth deciding.
    pub margin: f64,
    /// The limits of play.
    pub limits: CountLimits<'a>,
    /// The end of all time.
    pub deadline: Instant,
}

impl<'a> GamesPlan<'a> {
    /// Returns the seeds at some places among those of the part.
    pub fn seeds(&self, places: Range<usize>) -> Vec<u64> {
        let Shard { part, parts } = self.shard;
        let seed = |place: usize| {
            self.seed
                .wrapping_add((part - 1).wrapping_add((place as u64).wrapping_mul(parts)))
        };
        places.map(seed).collect()
    }

    /// Returns the limits of play up to a time.
    pub fn until(&self, end: Instant) -> RunUntil<'a> {
        RunUntil {
            end: Some(end),
            stop: self.limits.stop,
        }
    }

    /// Plays a situation on some seeds, on several threads. Returns the games of the seeds up to the first that there was no time for.
    pub fn play(
        &self,
        situation: &Situation,
        seeds: &[u64],
        until: RunUntil,
    ) -> (Vec<SeedGames>, Consulted) {
        let threads = self.limits.threads.max(1);
        let work = |first_index: usize| {
            let situation = situation.deep_clone();
            let sources: Vec<ChoiceSource> = self
                .pairings
                .iter()
                .map(|pairing| self.choice_source(&situation, pairing))
                .collect();
            let mut machine = situation.machine();
            let mut played: Vec<(usize, SeedGames)> = Vec::new();
            for (index, seed) in seeds.iter().enumerate().skip(first_index).step_by(threads) {
                if until.is_over() {
                    break;
                }
                let games: Option<SeedGames> = sources
                    .iter()
                    .map(|source| {
                        let run = GameRun {
                            situation: &situation,
                            from: self.from,
                            choice_source: source,
                            until,
                            max_rounds: MAX_ROUNDS,
                        };
                        self.play_one(&run, &mut machine, *seed)
                    })
                    .collect();
                let Some(games) = games else { break };
                played.push((index, games));
            }
            (played, machine.consulted(&situation.initial_board))
        };
        let (mut games_by_index, mut consulted) = (BTreeMap::new(), Consulted::default());
        for (games, more_consulted) in parallel::on_threads(threads, work) {
            games_by_index.extend(games);
            consulted.merge(more_consulted);
        }
        let played = (0..)
            .zip(games_by_index)
            .take_while(|(wanted, (place, _))| wanted == place)
            .map(|(_, (_, games))| games)
            .collect();
        (played, consulted)
    }

    fn choice_source(&self, situation: &Situation, pairing: &StylePairing) -> ChoiceSource {
        let weigher = weigher(situation, &pairing.policies);
        ChoiceSource {
            weigher,
            ..situation.choice_source(self.choices, pairing.policies.clone())
        }
    }

    /// Plays one game; `None` if it is time to stop before its end.
    fn play_one(
        &self,
        run: &GameRun,
        machine: &mut Machine,
        seed: u64,
    ) -> Option<Result<GameScore, GameFault>> {
        let mut recorder = ScoreRecorder::new(self.reading);
        match run.play(machine, &mut SeededDice::new(seed), &mut recorder) {
            Ok(GameEnd::Stopped) => None,
            Ok(GameEnd::Over(_) | GameEnd::Refused(_)) => Some(Ok(recorder.into_score())),
            Err(fault) => Some(Err(fault)),
        }
    }
}
