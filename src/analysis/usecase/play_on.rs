//! What a style that plays on takes: the game is played on after each option, the rest answered by each of a few policies, and the option that
//! does best is taken: rollout with several base policies (Bertsekas, "Rollout Algorithms for Discrete Optimization"; Chang, Givan and Chong,
//! "Parallel Rollout for Online Solution of Partially Observable Markov Decision Processes").
//!
//! All games of a question have the same dice, which are not those of the game. So the same choice is answered in the same way again; a time
//! limit only ends what would take far too long. Every side sees what the rules see.

use crate::odds::game_run::{GameEnd, GameRecorder, GameRun, RunUntil};
use crate::odds::game_score::{GameReading, GameScore, ScoreRecorder};
use crate::odds::measure::Measure;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::{ChoiceRequest, Refusal, State};
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Place};
use casebook_engine::data::manifest::{Game, PlayOn, PlayStyle};
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::task;
use casebook_engine::ruling::choice_source::{ChoiceSource, Weigher};
use casebook_engine::ruling::deck_view::holds_secret_cards;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::turn_sequence::TurnSequence;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::policy::{Policies, PolicyKind, ProgramPolicy};
use casebook_engine::situation::value_text::value_text;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Maximum number of options that are tried, and with them the style's own.
const MAX_OPTIONS: usize = 24;
/// The least number of candidates that go on to the last game.
const FINALISTS: usize = 3;
/// What a score counts to the one before it; the first counts as much as who wins.
const NEXT_SCORE: f64 = 0.1;
/// Time limit of a whole choice.
const TIME: Duration = Duration::from_secs(8);
/// The round after which a game counts as endless.
const MAX_ROUNDS: u64 = 1_000;

/// Returns what looks ahead in a situation for styles that play on; `None` if no side has such a style.
pub fn weigher(situation: &Situation, policies: &Arc<Policies>) -> Option<Weigher> {
    if !policies.any(|kind| matches!(kind, PolicyKind::Style(style) if style.plays_on.is_some())) {
        return None;
    }
    let (situation, policies) = (situation.deep_clone(), policies.clone());
    let weigher = Weigher::new(move |state, request, style, sequence| {
        // What comes after it would show the side what the others hold, or what they have answered in secret.
        let ruleset = situation.ruleset();
        let is_other = |side: &String| side != request.side.as_str();
        let is_secret = ruleset.is_secret(request.question.as_str());
        if is_secret || holds_secret_cards(&state.board, &ruleset.game, is_other) {
            return Ok(None);
        }
        option_by_playing_on(&situation, &policies, state, request, style, sequence)
    });
    Some(weigher)
}

/// Returns the option that a style which plays on takes, and how it was found; `None` if none is better than the style's own answer.
fn option_by_playing_on(
    situation: &Situation,
    policies: &Policies,
    state: &State,
    request: &ChoiceRequest,
    style: &PlayStyle,
    sequence: Option<&TurnSequence>,
) -> Result<Option<(usize, String)>, Complaints> {
    let Some(rules) = &style.plays_on else {
        return Ok(None);
    };
    let game = &situation.ruleset().game;
    let mut candidates = candidates(game, state, request, style, rules);
    PlayedGames {
        situation: situation.with_state(state.clone()),
        policies,
        side: request.side.as_str(),
        rules,
        readings: &readings(game, rules, request)?,
        sequence,
        seed: state.board.clone().total_fingerprint() as u64,
    }
    .play(&mut candidates);
    let own = &candidates[0];
    let best = best_of(&candidates).map(|index| &candidates[index]);
    let Some(best) = best.filter(|best| best.option != own.option) else {
        return Ok(None);
    };
    let times = own.games.len();
    let explanation = format!("by playing on {times} times: {best}; {own}");
    Ok(Some((best.option, explanation)))
}

/// Returns each option with each policy that may answer the rest: the style's own answer, and the rest by the style, first.
fn candidates(
    game: &Game,
    state: &State,
    request: &ChoiceRequest,
    style: &PlayStyle,
    rules: &PlayOn,
) -> Vec<Candidate> {
    let options = request.options.iter();
    let texts: Vec<String> = options.map(|one| value_text(one, &state.board)).collect();
    let own = style.answers.answer(request.question.as_str(), &texts);
    let own = own.unwrap_or(0);
    let tried = (0..texts.len().min(MAX_OPTIONS)).filter(|option| *option != own);
    let tried: Vec<usize> = [own].into_iter().chain(tried).collect();
    let named = rules.policies.iter();
    // What is no policy is a complaint of the check.
    let named = named.filter_map(|name| PolicyKind::parse(name, game).ok());
    let rest = [PolicyKind::Style(Arc::new(style.clone()))]
        .into_iter()
        .chain(named);
    rest.flat_map(|rest| tried.iter().map(move |option| (*option, rest.clone())))
        .map(|(option, rest)| Candidate {
            option,
            title: texts[option].clone(),
            rest,
            games: Vec::new(),
            is_in: true,
        })
        .collect()
}

/// An option, with what answers the rest of the game.
struct Candidate {
    option: usize,
    title: String,
    rest: PolicyKind,
    /// The results of its games, in the order of their dice.
    games: Vec<GameResult>,
    /// Whether it still takes part.
    is_in: bool,
}

/// The result of a game for the side that is asked: its share (1 for a win, 1/2 for a draw and for a game that is not decided), then each score.
type GameResult = Vec<f64>;

impl Candidate {
    fn mean(&self, figure: usize) -> f64 {
        let figures = self.games.iter().map(|result| result[figure]);
        figures.sum::<f64>() / self.games.len().max(1) as f64
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} wins {:.0} %", self.title, 100.0 * self.mean(0))?;
        match self.games.first() {
            Some(result) if result.len() > 1 => write!(f, ", score {:+.2}", self.mean(1)),
            _ => Ok(()),
        }
    }
}

/// Returns by how much a candidate is better than the style's own answer, on average over the games of the same dice, and the standard error
/// of that. Scores are measured by their greatest difference.
fn gain(candidates: &[Candidate], index: usize) -> (f64, f64) {
    let results = || candidates.iter().flat_map(|one| &one.games);
    let weight = |figure: usize| {
        let figures = || results().map(|result| result[figure]);
        let spread = figures().fold(f64::MIN, f64::max) - figures().fold(f64::MAX, f64::min);
        match figure {
            0 => 1.0,
            _ if spread == 0.0 => 0.0,
            _ => NEXT_SCORE.powi(figure as i32 - 1) / spread,
        }
    };
    let count = results().next().map_or(0, Vec::len);
    let weights: Vec<f64> = (0..count).map(weight).collect();
    let worth = |result: &GameResult| -> f64 {
        let figures = result.iter().zip(&weights);
        figures.map(|(figure, weight)| figure * weight).sum()
    };
    let pairs = candidates[index].games.iter().zip(&candidates[0].games);
    let gains: Vec<f64> = pairs.map(|(one, own)| worth(one) - worth(own)).collect();
    let n = gains.len() as f64;
    if n < 2.0 {
        return (0.0, 0.0);
    }
    let mean = gains.iter().sum::<f64>() / n;
    let squares: f64 = gains.iter().map(|gain| (gain - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// Puts the worse half of the candidates out, and those that came to the same as a better one; the style's own answer stays.
fn halve(candidates: &mut [Candidate]) {
    let is_in = |candidates: &[Candidate], index: &usize| candidates[*index].is_in;
    let others = 1..candidates.len();
    let mut order: Vec<usize> = others.filter(|index| is_in(candidates, index)).collect();
    order.sort_by(|a, b| gain(candidates, *b).0.total_cmp(&gain(candidates, *a).0));
    let room = order.len().div_ceil(2).max(FINALISTS);
    let mut kept = vec![0];
    for index in order {
        let is_new = kept
            .iter()
            .all(|kept| candidates[*kept].games != candidates[index].games);
        candidates[index].is_in = is_new && kept.len() <= room;
        if candidates[index].is_in {
            kept.push(index);
        }
    }
}

/// Returns the index of the best candidate, if it is better than the style's own answer by more than the standard error.
fn best_of(candidates: &[Candidate]) -> Option<usize> {
    let still_in = (1..candidates.len()).filter(|index| candidates[*index].is_in);
    let gains = still_in.map(|index| (gain(candidates, index), index));
    gains
        .filter(|((mean, error), _)| mean > error)
        .max_by(|((one, _), first), ((other, _), second)| {
            one.total_cmp(other).then(second.cmp(first))
        })
        .map(|(_, index)| index)
}

/// How games are read for the side that is asked.
struct SideReading {
    reading: GameReading,
    /// 1, or -1 if the score is that of the other side.
    sign: f64,
}

/// Returns how games are read: by who wins, by the scores of the style, and by that of the game.
fn readings(
    game: &Game,
    rules: &PlayOn,
    request: &ChoiceRequest,
) -> Result<Vec<SideReading>, Complaints> {
    let side = request.side.as_str();
    let mut sides = game.sides.clone();
    sides.sort_by_key(|name| name != side);
    let parse = |score: String| {
        Measure::parse(&score).map_err(|error| {
            let message = format!("{side}: {}: {error}", request.question);
            let help = "`score:` under `plays_on:` of a style names outcomes that are numbers: '{side} points - {enemy} points'";
            let place = Place::whole_file("styles:");
            Complaints::from(Complaint::new(DiagnosticCode::Choice, place, message).with_help(help))
        })
    };
    let named = rules.scores.iter().map(|score| game.for_side(score, side));
    let own = named.map(|score| Ok((1.0, Some(parse(score)?))));
    // The score of a game is that of its first side.
    let sign = if sides == game.sides { 1.0 } else { -1.0 };
    let of_game = game.score.iter().cloned();
    let of_game = of_game.map(|score| Ok((sign, Some(parse(score)?))));
    let read = |(sign, score): (f64, Option<Measure>)| SideReading {
        reading: GameReading {
            sides: sides.clone(),
            winner_outcome: game.winner_outcome.clone().unwrap_or_default(),
            score,
        },
        sign,
    };
    let all = [Ok((1.0, None))].into_iter().chain(own).chain(of_game);
    all.map(|score| score.map(read)).collect()
}

/// The games that are played on from a question.
struct PlayedGames<'a> {
    /// The situation with the pending question.
    situation: Situation,
    /// The side that is asked.
    policies: &'a Policies,
    /// The side that is asked.
    side: &'a str,
    rules: &'a PlayOn,
    readings: &'a [SideReading],
    sequence: Option<&'a TurnSequence>,
    /// The seed of the first games.
    seed: u64,
}

impl PlayedGames<'_> {
    /// Plays the games of all candidates; the worse half goes out several times, the style's own answer never.
    fn play(&self, candidates: &mut [Candidate]) {
        let end = task::end_within(Instant::now() + TIME);
        let mut machine = self.situation.machine();
        for number in 0..self.rules.games {
            // Sequential halving: after 2, 4, 8 ... games the worse half goes out.
            if number > 1 && number.is_power_of_two() {
                halve(candidates);
            }
            for candidate in candidates.iter_mut().filter(|candidate| candidate.is_in) {
                let seed = self.seed.wrapping_add(number);
                match self.play_one(&mut machine, candidate, seed, end) {
                    Some(result) => candidate.games.push(result),
                    None if Instant::now() > end => return,
                    // What a rule breaks off is not recommended; a game of the check finds it.
                    None => candidate.is_in = false,
                }
            }
        }
    }

    /// Plays one game; `None` if it fails, or the time is up.
    fn play_one(
        &self,
        machine: &mut Machine,
        candidate: &Candidate,
        seed: u64,
        end: Instant,
    ) -> Option<GameResult> {
        let (stop, source) = (AtomicBool::new(false), self.choice_source(candidate));
        let run = GameRun {
            situation: &self.situation,
            from: self.sequence,
            choice_source: &source,
            until: RunUntil {
                end: Some(end),
                stop: &stop,
            },
            max_rounds: MAX_ROUNDS,
        };
        let begun = self.sequence.map_or(1, |sequence| sequence.rounds);
        let readings = self.readings.iter();
        let scores = readings.map(|one| ScoreRecorder::new(&one.reading));
        let mut recorder = LimitedRecorder {
            scores: scores.collect(),
            last_round: self.rules.rounds.map(|rounds| begun + rounds - 1),
            stop: &stop,
        };
        let ended = run
            .play(machine, &mut SeededDice::new(seed), &mut recorder)
            .ok()?;
        if matches!(ended, GameEnd::Stopped) && !stop.load(Ordering::Relaxed) {
            return None;
        }
        let scores = recorder.scores.into_iter().map(ScoreRecorder::into_score);
        let scores: Vec<GameScore> = scores.collect();
        let share = f64::from(scores[0].doubled_share) / 2.0;
        let signed = self.readings.iter().zip(&scores).skip(1);
        let scores = signed.map(|(one, found)| one.sign * found.score.unwrap_or(0) as f64);
        Some([share].into_iter().chain(scores).collect())
    }

    /// Returns what answers in a game: the option at the pending question, then the policies without looking ahead.
    fn choice_source(&self, candidate: &Candidate) -> ChoiceSource {
        let (option, pending) = (candidate.option, AtomicBool::new(true));
        let others = self.policies.program.clone();
        let mut policies = self.policies.with(self.side, candidate.rest.clone());
        // The first question of a game is the one that is pending.
        policies.program = Some(ProgramPolicy(Arc::new(
            move |side, question, options| match pending.swap(false, Ordering::Relaxed) {
                true => Some(option),
                false => others
                    .as_ref()
                    .and_then(|one| (one.0)(side, question, options)),
            },
        )));
        ChoiceSource {
            only_where_open: true,
            ..self.situation.choice_source(&[], Arc::new(policies))
        }
    }
}

/// Records the score of a game, and ends it after a number of rounds.
struct LimitedRecorder<'a> {
    scores: Vec<ScoreRecorder<'a>>,
    last_round: Option<u64>,
    stop: &'a AtomicBool,
}

impl GameRecorder for LimitedRecorder<'_> {
    fn procedure_ended(
        &mut self,
        state: &mut State,
        at: (&str, &str),
        refusal: Option<&Refusal>,
    ) -> Result<(), Complaints> {
        let mut scores = self.scores.iter_mut();
        scores.try_for_each(|scores| scores.procedure_ended(state, at, refusal))
    }

    fn round_ended(&mut self, round: u64) {
        self.scores
            .iter_mut()
            .for_each(|scores| scores.round_ended(round));
        if self.last_round.is_some_and(|last| round >= last) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}
