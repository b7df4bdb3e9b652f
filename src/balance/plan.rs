//! How the games of a question are played, and what is known of a difference.

use crate::balance::betting_test::{BalanceVerdict, PairedDifferences};
use crate::balance::paired_games::PairedGames;
use crate::balance::pairing::{GameReading, StylePairing};
use crate::odds::game_run::Until;
use crate::platform::clock::Instant;
use crate::ruling::situation::Situation;
use crate::usecase::settings::CountLimits;
use serde::Serialize;

/// What is known of a mean difference, from -1 to 1.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeanDifference {
    /// What is decided.
    pub verdict: BalanceVerdict,
    /// The mean of the pairs.
    pub mean: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound; both hold at every time at once, with the error of the test.
    pub high: f64,
    /// The number of pairs.
    pub pairs: u64,
    /// The number of pairs that differ.
    pub discordant: u64,
}

impl MeanDifference {
    /// Judges a count of differences; `sign` is -1 if they were counted the other way round.
    pub fn new(counted: &PairedDifferences, error: f64, margin: f64, sign: f64) -> MeanDifference {
        let (low, high) = counted.interval(error);
        let (low, high) = if sign < 0.0 { (-high, -low) } else { (low, high) };
        let (pairs, discordant) = (counted.pairs(), counted.discordant());
        MeanDifference { verdict: counted.verdict(error, margin), mean: sign * counted.mean(), low, high, pairs, discordant }
    }

    /// A difference that is proved to be none.
    pub fn none() -> MeanDifference {
        MeanDifference { verdict: BalanceVerdict::Same, mean: 0.0, low: 0.0, high: 0.0, pairs: 0, discordant: 0 }
    }
}

/// How the games of a question are played.
pub struct GamesPlan<'a> {
    /// The pairings.
    pub pairings: &'a [StylePairing],
    /// Answers to choices.
    pub choices: &'a [(String, String)],
    /// How a finished game is read.
    pub reading: &'a GameReading,
    /// The seed of the first games.
    pub seed: u64,
    /// The part to play: its number, from 1, and the number of parts.
    pub shard: (u64, u64),
    /// The difference of shares that is not worth deciding.
    pub margin: f64,
    /// The limits of play.
    pub limits: CountLimits<'a>,
    /// The end of all time.
    pub deadline: Instant,
}

impl<'a> GamesPlan<'a> {
    /// Returns the seed at a place among those of the part.
    pub fn seed_at(&self, place: usize) -> u64 {
        let (part, parts) = self.shard;
        self.seed.wrapping_add((part - 1).wrapping_add((place as u64).wrapping_mul(parts)))
    }

    /// Returns the games of a situation.
    pub fn games(&'a self, situation: &'a Situation) -> PairedGames<'a> {
        PairedGames { situation, pairings: self.pairings, choices: self.choices, reading: self.reading }
    }

    /// Returns the limits of play up to the end of all time.
    pub fn until_end(&self) -> Until<'a> {
        Until { end: Some(self.deadline), stop: self.limits.stop }
    }
}
