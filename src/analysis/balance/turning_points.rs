//! How the chance of winning changed in a game that was played: some of its positions are played on to the end by styles, many times each.
//!
//! The same seeds are used at every position, so that a difference owes less to the dice. Where the chance changed most, positions in between
//! are looked at, until the time is up.

use crate::balance::paired_games::GamesPlan;
use crate::balance::pairing::StylePairing;
use crate::odds::game_score::GameReading;
use crate::odds::shards::Shard;
use crate::usecase::settings::CountLimits;
use casebook_engine::complaint::Error;
use casebook_engine::data::manifest::Game;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::moves::JournalMove;
use casebook_engine::ruling::session::Session;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::turn_sequence::TurnSequence;
use casebook_engine::situation::policy::Policies;
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value_text::value_text;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of positions that can be looked at.
const POSITIONS: usize = 33;
/// Maximum number of positions that are looked at, and how many of them before the greatest changes are looked into.
const LOOKS: (usize, usize) = (14, 5);
/// Number of games from each position, and how many are enough where there is no time for all of them.
const GAMES: (usize, usize) = (64, 8);
/// The least time for the games from a position.
const LEAST_TIME: Duration = Duration::from_secs(8);
/// The style of a side for which the game declares none.
const NO_STYLE: &str = "first";

/// The chance of winning at a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WinningChance {
    /// The number of answers before it.
    pub answers: usize,
    /// The chance of the first side; a draw is half a win.
    pub share: f64,
    /// The half-width of its 95 % interval; 0 at the end.
    pub error: f64,
    /// The number of games that were played from there.
    pub games: usize,
}

impl WinningChance {
    fn sampled(answers: usize, doubled_shares: &[u8]) -> WinningChance {
        let (games, won) = (
            doubled_shares.len(),
            doubled_shares
                .iter()
                .map(|share| f64::from(*share) / 2.0)
                .sum::<f64>(),
        );
        // As Agresti and Coull have it: two wins and two losses more, so that nothing unseen is called impossible.
        let n = games as f64 + 4.0;
        let near = (won + 2.0) / n;
        WinningChance {
            answers,
            share: won / (games as f64).max(1.0),
            error: 1.96 * (near * (1.0 - near) / n).sqrt(),
            games,
        }
    }
}

/// The course of a game.
#[derive(Clone, Debug)]
pub struct WinningCourse {
    /// The side whose chance it is.
    pub side: String,
    /// The styles by which the sides play on.
    pub styles: Vec<(String, String)>,
    /// The chances, in the order of the game; the last is its result.
    pub chances: Vec<WinningChance>,
}

impl WinningCourse {
    /// Returns the changes that are more than chance, the greatest first: the positions before and after each.
    pub fn turning_points(&self) -> Vec<(WinningChance, WinningChance)> {
        let mut changes: Vec<_> = self
            .chances
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .filter(|(before, after)| {
                let error = before.error.hypot(after.error);
                (after.share - before.share).abs() > error
            })
            .collect();
        changes.sort_by(|a, b| size_of_change(b).total_cmp(&size_of_change(a)));
        changes
    }
}

fn size_of_change((before, after): &(WinningChance, WinningChance)) -> f64 {
    (after.share - before.share).abs()
}

/// A position from which a game can be played on.
struct GamePosition {
    answers: usize,
    situation: Situation,
    sequence: Option<TurnSequence>,
}

/// Returns the styles by which the sides play on: of each side the given one unless it looks ahead, else the first declared that does not.
fn styles(game: &Game, named: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let is_quick = |name: &&String| {
        let mut declared = game.styles.iter();
        declared.any(|style| style.name == **name && style.plays_on.is_none())
    };
    let declared = game.styles.iter().find(|style| style.plays_on.is_none());
    let first = declared.map_or(NO_STYLE, |style| &style.name);
    game.sides
        .iter()
        .map(|side| {
            let style = named.get(side).filter(is_quick);
            (side.clone(), style.map_or(first, |name| name).to_string())
        })
        .collect()
}

/// Replays the moves of a game from its beginning; returns positions at equal distances, and the result.
fn replay(
    mut session: Session,
    moves: &[JournalMove],
    reading: &GameReading,
) -> Result<(Vec<GamePosition>, WinningChance), Error> {
    let position_of = |session: &Session, answers| GamePosition {
        answers,
        situation: session.remaining(),
        sequence: session.turn_sequence().cloned(),
    };
    let is_kept = |answers: usize| {
        let place = |answers: usize| answers * (POSITIONS - 1) / moves.len().max(1);
        answers == 0 || place(answers) > place(answers - 1)
    };
    let mut positions = Vec::new();
    for (answers, journal_move) in moves.iter().enumerate() {
        if is_kept(answers) {
            positions.push(position_of(&session, answers));
        }
        session.replay_move(journal_move)?;
    }
    if !session.is_over() {
        return Err(Error::Usage(
            "the turning points of a game are known when it is over".into(),
        ));
    }
    let winner = session.events().iter().rev().find_map(|event| match event {
        Event::Outcome(outcome) if outcome.name.as_str() == reading.winner_outcome => {
            Some(value_text(&outcome.value, session.board()))
        }
        _ => None,
    });
    let result = WinningChance {
        answers: moves.len(),
        share: f64::from(reading.doubled_share(&winner.unwrap_or_default())) / 2.0,
        error: 0.0,
        games: 0,
    };
    Ok((positions, result))
}

/// Finds how the chance of winning changed. `session` is at the beginning of the game; `named` are the styles of its sides.
pub fn winning_course(
    session: Session,
    moves: &[JournalMove],
    named: &BTreeMap<String, String>,
    limits: CountLimits,
) -> Result<WinningCourse, Error> {
    let situation = session.situation.deep_clone();
    let game = &situation.ruleset().game;
    let reading = GameReading::new(game, None, None)?;
    let styles = styles(game, named);
    let pairing = StylePairing {
        policies: Arc::new(Policies::parse(&styles, game)?),
        styles: styles.clone(),
    };
    let deadline = limits.deadline();
    let (positions, result) = replay(session, moves, &reading)?;
    let seeds: Vec<u64> = (1..=GAMES.0 as u64).collect();
    let looks = LOOKS.0.min(positions.len());
    // The chances by the index of the position; the result is beyond the last.
    let mut chances = BTreeMap::from([(positions.len(), result)]);
    while chances.len() <= looks {
        let Some(next) = next_position(&chances, positions.len()) else {
            break;
        };
        let position = &positions[next];
        let plan = GamesPlan {
            pairings: std::slice::from_ref(&pairing),
            choices: &[],
            reading: &reading,
            from: position.sequence.as_ref(),
            seed: 1,
            shard: Shard::WHOLE,
            margin: 0.0,
            limits,
            deadline,
        };
        // Each position has its share of the time that is left; where games are slow, fewer positions have enough.
        let now = Instant::now();
        let rest = deadline.saturating_duration_since(now);
        let share = rest / (looks + 1).saturating_sub(chances.len()).max(1) as u32;
        let until = plan.until(now + share.max(LEAST_TIME).min(rest));
        let (games, _) = plan.play(&position.situation, &seeds, until);
        let shares: Vec<u8> = games
            .iter()
            .flatten()
            .filter_map(|game| Some(game.as_ref().ok()?.doubled_share))
            .collect();
        if shares.len() < GAMES.1 {
            break;
        }
        chances.insert(next, WinningChance::sampled(position.answers, &shares));
        let done = (chances.len() - 1) as f64 / looks as f64;
        (limits.progress)(
            "playing on from positions of the game",
            done,
            (chances.len() - 1) as u64,
        );
    }
    Ok(WinningCourse {
        side: reading.sides[0].clone(),
        styles,
        chances: chances.into_values().collect(),
    })
}

/// Returns the position to look at next: the first, some at equal distances, then halfway through the greatest change.
fn next_position(chances: &BTreeMap<usize, WinningChance>, count: usize) -> Option<usize> {
    let coarse = (0..LOOKS.1).map(|nth| nth * count / LOOKS.1);
    if let Some(next) = coarse
        .filter(|next| *next < count)
        .find(|next| !chances.contains_key(next))
    {
        return Some(next);
    }
    let chances: Vec<(&usize, &WinningChance)> = chances.iter().collect();
    let gaps = chances
        .windows(2)
        .filter(|pair| pair[1].0 - pair[0].0 > 1)
        .max_by(|a, b| change(a).total_cmp(&change(b)))?;
    Some((gaps[0].0 + gaps[1].0) / 2)
}

fn change(pair: &[(&usize, &WinningChance)]) -> f64 {
    (pair[1].1.share - pair[0].1.share).abs()
}
