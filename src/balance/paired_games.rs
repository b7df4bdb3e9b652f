//! Plays a situation on some seeds, once for each pairing of styles, on several threads. Throws are drawn by their purpose, so two rulesets
//! see the same dice for as long as they ask for the same.

use crate::balance::pairing::{GameReading, StylePairing};
use crate::code::machine::{Consulted, Machine};
use crate::code::state::State;
use crate::complaint::Complaints;
use crate::odds::game_run::{GameEnd, GameFault, GameRecorder, GameRun, Until};
use crate::platform::parallel;
use crate::ruling::choice_source::ChoiceSource;
use crate::ruling::situation::Situation;
use crate::situation::dice::SeededDice;
use crate::situation::value_text::outcome_text;
use crate::usecase::weigh::weigher;
use std::collections::BTreeMap;

/// The round after which a game counts as endless.
const MAX_ROUNDS: u64 = 1_000;

/// What a game came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameScore {
    /// The outcome that names the winner; empty if it was not named.
    pub winner: String,
    /// Twice the share of the first side.
    pub doubled_share: u8,
    /// The score at the end.
    pub score: Option<i64>,
    /// The score at the end of each round.
    pub course: Vec<Option<i64>>,
}

/// A game of each pairing with the dice of one seed; a game that failed has the reason.
pub type SeedGames = Vec<Result<GameScore, GameFault>>;

/// A situation with who plays it.
pub struct PairedGames<'a> {
    /// The situation under a ruleset.
    pub situation: &'a Situation,
    /// The pairings.
    pub pairings: &'a [StylePairing],
    /// Answers to choices.
    pub choices: &'a [(String, String)],
    /// How a finished game is read.
    pub reading: &'a GameReading,
}

impl PairedGames<'_> {
    /// Plays the seeds on several threads. Returns the games of the seeds up to the first that there was no time for.
    pub fn play(&self, seeds: &[u64], threads: usize, until: Until) -> (Vec<SeedGames>, Consulted) {
        let threads = threads.max(1);
        let work = |first: usize| {
            let situation = self.situation.deep_clone();
            let sources: Vec<ChoiceSource> = self.pairings.iter().map(|pairing| self.choice_source(&situation, pairing)).collect();
            let mut machine = situation.machine();
            let mut done: Vec<(usize, SeedGames)> = Vec::new();
            for (place, seed) in seeds.iter().enumerate().skip(first).step_by(threads) {
                if until.over() {
                    break;
                }
                let games: Option<SeedGames> =
                    sources.iter().map(|source| self.play_one(&situation, &mut machine, source, *seed, until)).collect();
                let Some(games) = games else { break };
                done.push((place, games));
            }
            (done, machine.consulted(&situation.initial_board))
        };
        let (mut all, mut consulted) = (BTreeMap::new(), Consulted::default());
        for (done, more) in parallel::on_threads(threads, work) {
            all.extend(done);
            consulted.merge(more);
        }
        let played = (0..).zip(all).take_while(|(wanted, (place, _))| wanted == place).map(|(_, (_, games))| games).collect();
        (played, consulted)
    }

    fn choice_source(&self, situation: &Situation, pairing: &StylePairing) -> ChoiceSource {
        let weigher = weigher(situation, &pairing.policies);
        ChoiceSource { weigher, ..situation.choice_source(self.choices, pairing.policies.clone()) }
    }

    /// Plays one game; `None` if it is time to stop before its end.
    fn play_one(
        &self,
        situation: &Situation,
        machine: &mut Machine,
        source: &ChoiceSource,
        seed: u64,
        until: Until,
    ) -> Option<Result<GameScore, GameFault>> {
        let run = GameRun { situation, choice_source: source, until, max_rounds: MAX_ROUNDS };
        let mut recorder = ScoreRecorder { reading: self.reading, latest: BTreeMap::new(), winner: String::new(), course: Vec::new() };
        match run.play(machine, &mut SeededDice::new(seed), &mut recorder) {
            Ok(GameEnd::Stopped) => None,
            Ok(GameEnd::Over(_) | GameEnd::Refused(_)) => {
                let ScoreRecorder { reading, latest, winner, course } = recorder;
                let (doubled_share, score) = (reading.doubled_share(&winner), reading.score_of(&latest));
                Some(Ok(GameScore { winner, doubled_share, score, course }))
            }
            Err(fault) => Some(Err(fault)),
        }
    }
}

/// Keeps the latest word on the winner and on each term of the score.
struct ScoreRecorder<'a> {
    reading: &'a GameReading,
    latest: BTreeMap<&'a str, i64>,
    winner: String,
    course: Vec<Option<i64>>,
}

impl GameRecorder for ScoreRecorder<'_> {
    fn procedure_ended(&mut self, state: &mut State, _: (&str, &str), _: bool) -> Result<(), Complaints> {
        for (name, value) in &state.outcomes {
            if name.as_str() == self.reading.winner_outcome {
                self.winner = outcome_text(value, &state.board);
            }
            let term = self.reading.score.iter().flat_map(|score| score.terms()).find(|(_, term)| *term == name.as_str());
            if let (Some((_, term)), Some(number)) = (term, value.as_number()) {
                self.latest.insert(term, number);
            }
        }
        Ok(())
    }

    fn round_ended(&mut self, round: u64) {
        self.course.resize(self.course.len().max(round as usize), None);
        if let Some(last) = (round as usize).checked_sub(1).and_then(|place| self.course.get_mut(place)) {
            *last = self.reading.score_of(&self.latest);
        }
    }
}
