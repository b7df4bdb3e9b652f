//! How a game is read: who has won it, and with what score.

use crate::odds::game_run::GameRecorder;
use crate::odds::measure::Measure;
use casebook_engine::code::state::{Refusal, State};
use casebook_engine::complaint::{Complaints, Error, Remedy};
use casebook_engine::data::manifest::Game;
use casebook_engine::situation::value_text::outcome_text;
use std::collections::BTreeMap;

/// The result of a game.
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

/// How finished games are read.
#[derive(Clone, Debug)]
pub struct GameReading {
    /// The sides, the first of which is measured.
    pub sides: Vec<String>,
    /// The outcome that names the winner.
    pub winner_outcome: String,
    /// The score, if there is one.
    pub score: Option<Measure>,
}

impl GameReading {
    /// Reads the outcome and the score that the game declares, or that are named instead.
    pub fn new(
        game: &Game,
        winner: Option<&str>,
        score: Option<&str>,
    ) -> Result<GameReading, Error> {
        if game.sides.len() < 2 {
            return Err(Error::Usage(format!(
                "{} has fewer than two sides, so no side can win it",
                game.title
            )));
        }
        let Some(winner) = winner.or(game.winner_outcome.as_deref()) else {
            let message = format!(
                "{} does not say which outcome names the winner of a game: write `won_by:` with its name in rules/{}/game.yaml",
                game.title, game.name
            );
            return Err(Error::unanswered(message, Remedy::NameWinner));
        };
        let score = score
            .or(game.score.as_deref())
            .map(Measure::parse)
            .transpose()?;
        Ok(GameReading {
            sides: game.sides.clone(),
            winner_outcome: winner.into(),
            score,
        })
    }

    /// Returns twice the share of a game that the first side has won: 2 if the outcome contains its name alone, 0 if that of another side
    /// does, else 1.
    pub fn doubled_share(&self, winner: &str) -> u8 {
        let named: Vec<&str> = winner
            .split(',')
            .map(str::trim)
            .filter(|name| self.sides.iter().any(|side| side == name))
            .collect();
        match named[..] {
            [name] if name == self.sides[0] => 2,
            [_] => 0,
            _ => 1,
        }
    }

    /// Returns the score that the latest values of outcomes add up to; `None` if there is none, or none of its outcomes was named.
    pub fn score_of(&self, latest: &BTreeMap<&str, i64>) -> Option<i64> {
        let terms = self.score.as_ref()?.terms();
        let named = terms
            .iter()
            .filter_map(|(sign, name)| Some(sign * latest.get(name.as_str())?));
        let list: Vec<i64> = named.collect();
        (!list.is_empty()).then(|| list.iter().sum())
    }
}

/// Keeps the latest word on the winner and on each term of the score.
pub struct ScoreRecorder<'a> {
    reading: &'a GameReading,
    latest: BTreeMap<&'a str, i64>,
    winner: String,
    course: Vec<Option<i64>>,
}

impl<'a> ScoreRecorder<'a> {
    /// Creates one that has seen nothing of a game.
    pub fn new(reading: &'a GameReading) -> ScoreRecorder<'a> {
        ScoreRecorder {
            reading,
            latest: BTreeMap::new(),
            winner: String::new(),
            course: Vec::new(),
        }
    }

    /// Returns the result as it was last seen.
    pub fn into_score(self) -> GameScore {
        GameScore {
            doubled_share: self.reading.doubled_share(&self.winner),
            score: self.reading.score_of(&self.latest),
            winner: self.winner,
            course: self.course,
        }
    }
}

impl GameRecorder for ScoreRecorder<'_> {
    fn procedure_ended(
        &mut self,
        state: &mut State,
        _: (&str, &str),
        _: Option<&Refusal>,
    ) -> Result<(), Complaints> {
        for (name, value) in &state.outcomes {
            if name.as_str() == self.reading.winner_outcome {
                self.winner = outcome_text(value, &state.board);
            }
            let term = self
                .reading
                .score
                .iter()
                .flat_map(|score| score.terms())
                .find(|(_, term)| *term == name.as_str());
            if let (Some((_, term)), Some(number)) = (term, value.as_number()) {
                self.latest.insert(term, number);
            }
        }
        Ok(())
    }

    fn round_ended(&mut self, round: u64) {
        self.course
            .resize(self.course.len().max(round as usize), None);
        if let Some(score) = (round as usize)
            .checked_sub(1)
            .and_then(|index| self.course.get_mut(index))
        {
            *score = self.reading.score_of(&self.latest);
        }
    }
}
