//! What a style with plans takes: the game is played on under each plan that answers a question differently, and the plan that does best is
//! followed until the procedure ends.
//!
//! All plans have the same dice, which are not those of the game. So the same choice is answered in the same way again; a time limit only ends
//! what would take far too long. In these games every side answers as its policy does without looking ahead, and sees what the rules see.

use crate::odds::game_run::{GameEnd, GameRecorder, GameRun, Until};
use crate::odds::game_score::{GameReading, ScoreRecorder};
use crate::odds::measure::Measure;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::{ChoiceRequest, Refusal, State};
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Place};
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::data::manifest::{Game, PlayStyle};
use casebook_engine::data::plan_rules::{Plan, PlanRules};
use casebook_engine::notation::Hex;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::task;
use casebook_engine::ruling::choice_source::{ChoicePosition, ChoiceSource, Weigher};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::turn_sequence::TurnSequence;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::initial_board::{KIND_COLUMN, SIDE_COLUMN};
use casebook_engine::situation::policy::Policies;
use casebook_engine::situation::value::{HashedText, PieceId};
use casebook_engine::situation::value_text::value_text;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Maximum number of plans that are compared for one answer.
const MAX_PLANS: usize = 64;
/// The number of games after which only the best plans go on, and the number of these.
const SIEVE: (u64, usize) = (3, 3);
/// Time limit of a whole choice.
const TIME: Duration = Duration::from_secs(8);
/// The round after which a game counts as endless.
const MAX_ROUNDS: u64 = 1_000;

/// Returns the option that a style with plans takes, and how it was found; `None` if no plan is better than the style's own answer.
pub fn planned_answer(
    situation: &Situation,
    policies: &Arc<Policies>,
    (state, request): (&State, &ChoiceRequest),
    style: &PlayStyle,
    position: &ChoicePosition,
) -> Result<Option<(usize, String)>, Complaints> {
    let asked = request.question.as_str();
    let Some(rules) = style.plans.as_ref().filter(|rules| rules.speaks_of(asked)) else {
        return Ok(None);
    };
    let question = Question::new(&situation.ruleset().game, state, request);
    let followed = lock_unpoisoned(&position.plans).clone();
    if let Some((option, title)) = question.answer_of(&followed) {
        return Ok(Some((option, format!("as planned: {title}"))));
    }
    let mut candidates = question.candidates(style, rules, &followed);
    if candidates.len() < 2 {
        return Ok(None);
    }
    Comparison {
        situation: situation.with_state(state.clone()),
        policies: Arc::new(policies.without_records()),
        side: request.side.clone(),
        rules,
        reading: &reading(question.game, rules, request)?,
        followed: &followed,
        sequence: position.sequence.as_ref(),
        seed: state.board.clone().total_fingerprint() as u64,
    }
    .play(&mut candidates);
    let Some(best) = best_of(&candidates) else {
        return Ok(None);
    };
    let (best, own) = (&candidates[best], &candidates[0]);
    lock_unpoisoned(&position.plans).extend(best.plan.clone());
    let times = own.games.len();
    let explanation = format!("by playing on {times} times: {best}; {own}");
    Ok(Some((best.option, explanation)))
}

/// A pending choice.
struct Question<'a> {
    game: &'a Game,
    board: &'a Board,
    request: &'a ChoiceRequest,
    options: Vec<String>,
}

impl<'a> Question<'a> {
    fn new(game: &'a Game, state: &'a State, request: &'a ChoiceRequest) -> Question<'a> {
        let board = &state.board;
        let options = request.options.iter();
        Question {
            game,
            board,
            request,
            options: options.map(|option| value_text(option, board)).collect(),
        }
    }

    /// Returns what the first of these plans that speaks of the question takes, and its title.
    fn answer_of<'p>(&self, plans: &'p [Plan]) -> Option<(usize, &'p str)> {
        plans.iter().find_map(|plan| {
            let nearer = |place: &str| self.nearer(&plan.piece, place);
            let option = plan.answer(self.request.question.as_str(), &self.options, nearer)?;
            Some((option, plan.title.as_str()))
        })
    }

    /// Returns the option that is nearest to a place, if it is nearer than a piece stands.
    fn nearer(&self, piece: &str, place: &str) -> Option<usize> {
        let piece = self.board.peek_by_name(&HashedText::from(piece))?;
        let here = self.distance(self.board.place_of(piece).as_str(), place)?;
        let options = self.options.iter().enumerate();
        let away = options
            .filter_map(|(index, option)| Some((self.distance(option, place)?, index)))
            .min()?;
        (away.0 < here).then_some(away.1)
    }

    /// Returns the number of steps between two places of the map; `None` if one is beside it, or no way leads there.
    fn distance(&self, from: &str, to: &str) -> Option<i64> {
        if self.game.places.is_hex_grid {
            let (from, to) = (Hex::parse(from).ok()?, Hex::parse(to).ok()?);
            return Some(self.game.places.distance(&from, &to));
        }
        let (from, to) = (HashedText::from(from), HashedText::from(to));
        let (mut seen, mut ring, mut steps) = (vec![from.clone()], vec![from], 0);
        while !ring.is_empty() {
            if ring.contains(&to) {
                return Some(steps);
            }
            let before = seen.len();
            for place in &ring {
                for next in self.board.start.geography.neighbours(place) {
                    if !seen.contains(next) {
                        seen.push(next.clone());
                    }
                }
            }
            (ring, steps) = (seen[before..].to_vec(), steps + 1);
        }
        None
    }

    /// Returns what may be done: the style's own answer first, then each option that is tried, and each plan that answers differently.
    fn candidates(
        &self,
        style: &PlayStyle,
        rules: &PlanRules,
        followed: &[Plan],
    ) -> Vec<Candidate> {
        let asked = self.request.question.as_str();
        let own = style.answers.answer(asked, &self.options).unwrap_or(0);
        let tried = rules.tried_options(asked).min(self.options.len());
        let options = (0..tried).filter(|option| *option != own);
        let single = [own]
            .into_iter()
            .chain(options)
            .map(|option| Candidate::new(option, self.options[option].clone(), None));
        let plans = self.open_plans(rules, followed).into_iter();
        let planned = plans.filter_map(|plan| {
            let (option, title) = self.answer_of(std::slice::from_ref(&plan))?;
            (option != own).then(|| Candidate::new(option, title.into(), Some(plan.clone())))
        });
        single.chain(planned).take(MAX_PLANS).collect()
    }

    /// Returns the plans of those pieces of the side that follow none yet.
    fn open_plans(&self, rules: &PlanRules, followed: &[Plan]) -> Vec<Plan> {
        let mut board = self.board.clone();
        let pieces = board.select(&[], |_| true);
        let mut of_groups = |groups: &[String], side: Option<&HashedText>| -> Vec<PieceId> {
            let is_of = |piece: &PieceId| {
                let kind = board.piece_text(*piece, KIND_COLUMN).cloned();
                let is_meant = kind.is_some_and(|kind| self.is_of_groups(kind.as_str(), groups));
                is_meant
                    && side.is_none_or(|side| board.piece_text(*piece, SIDE_COLUMN) == Some(side))
            };
            pieces.iter().copied().filter(is_of).collect()
        };
        let named = |piece: PieceId| {
            let place = self.board.place_of(piece).as_str();
            (self.board.name(piece).as_str(), place)
        };
        let destinations: Vec<_> = of_groups(&rules.destinations, None)
            .into_iter()
            .map(named)
            .collect();
        let mut plans = Vec::new();
        for (piece, at) in of_groups(&rules.pieces, Some(&self.request.side))
            .into_iter()
            .map(named)
        {
            if followed.iter().any(|plan| plan.piece == piece) {
                continue;
            }
            let mut near: Vec<_> = destinations
                .iter()
                .filter_map(|(name, place)| Some((self.distance(at, place)?, (*name, *place))))
                .collect();
            near.sort();
            let near = near.into_iter().take(rules.nearest);
            let ends = [None].into_iter().chain(near.map(|(_, end)| Some(end)));
            plans.extend(ends.flat_map(|end| rules.plans_of(piece, end)));
        }
        plans
    }

    fn is_of_groups(&self, kind: &str, groups: &[String]) -> bool {
        let known = self.game.kinds.get(kind);
        groups
            .iter()
            .any(|group| group == kind || known.is_some_and(|kind| kind.groups.contains(group)))
    }
}

/// One of the things that may be done at a question.
struct Candidate {
    option: usize,
    title: String,
    /// The plan behind it; `None` for an option that is taken by itself, after which the style answers.
    plan: Option<Plan>,
    /// The results of its games, in the order of their dice.
    games: Vec<GameResult>,
    /// Whether it still takes part.
    is_in: bool,
}

/// The result of a game for the side that is asked.
#[derive(Clone, Copy)]
struct GameResult {
    /// 1 for a win; 1/2 for a draw and for a game that is not decided.
    share: f64,
    score: f64,
}

impl Candidate {
    fn new(option: usize, title: String, plan: Option<Plan>) -> Candidate {
        Candidate {
            option,
            title,
            plan,
            games: Vec::new(),
            is_in: true,
        }
    }

    fn mean(&self, figure: impl Fn(&GameResult) -> f64) -> f64 {
        self.games.iter().map(figure).sum::<f64>() / self.games.len().max(1) as f64
    }
}

impl std::fmt::Display for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = 100.0 * self.mean(|game| game.share);
        let score = self.mean(|game| game.score);
        write!(f, "{} wins {share:.0} %, score {score:+.2}", self.title)
    }
}

/// Returns by how much a candidate is better than the style's own answer, on average over the games of the same dice, and the standard error
/// of that. To win is worth as much as the greatest difference of scores.
fn gain(candidates: &[Candidate], index: usize) -> (f64, f64) {
    let scores = || {
        candidates
            .iter()
            .flat_map(|one| &one.games)
            .map(|game| game.score)
    };
    let spread = scores().fold(f64::MIN, f64::max) - scores().fold(f64::MAX, f64::min);
    let win = if spread > 0.0 { spread } else { 1.0 };
    let worth = |game: &GameResult| game.share * win + game.score;
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

/// Returns how games are read for the side that is asked: by the score of the style, else by that of the game.
fn reading(
    game: &Game,
    rules: &PlanRules,
    request: &ChoiceRequest,
) -> Result<GameReading, Complaints> {
    let side = request.side.as_str();
    let score = rules.score.as_ref().map(|score| game.for_side(score, side));
    let parsed = score
        .as_ref()
        .or(game.score.as_ref())
        .map(|text| Measure::parse(text));
    let score = parsed.transpose().map_err(|error| {
        let what = format!("{side}: {}: {error}", request.question);
        let help = "`score:` under `plans:` of a style names outcomes that are numbers: '{side} points - {enemy} points'";
        let place = Place::whole_file("styles:");
        Complaint::new(DiagnosticCode::Choice, place, what).with_help(help)
    })?;
    let mut sides = game.sides.clone();
    sides.sort_by_key(|name| name != side);
    Ok(GameReading {
        sides,
        winner_outcome: game.winner_outcome.clone().unwrap_or_default(),
        score,
    })
}

/// Compares what may be done at a question by playing on.
struct Comparison<'a> {
    /// The situation with the pending question.
    situation: Situation,
    policies: Arc<Policies>,
    /// The side that is asked.
    side: HashedText,
    rules: &'a PlanRules,
    reading: &'a GameReading,
    /// The plans that are followed already.
    followed: &'a [Plan],
    sequence: Option<&'a TurnSequence>,
    /// The seed of the first games.
    seed: u64,
}

impl Comparison<'_> {
    /// Plays the games of all candidates: first a few of each, then the rest of the best and of the style's own answer.
    fn play(&self, candidates: &mut [Candidate]) {
        let end = task::end_within(Instant::now() + TIME);
        let mut machine = self.situation.machine();
        for number in 0..self.rules.plays {
            if number == SIEVE.0 {
                let mut order: Vec<usize> = (1..candidates.len()).collect();
                order.sort_by(|a, b| gain(candidates, *b).0.total_cmp(&gain(candidates, *a).0));
                let out = order.iter().skip(SIEVE.1);
                out.for_each(|index| candidates[*index].is_in = false);
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
            until: Until {
                end: Some(end),
                stop: &stop,
            },
            max_rounds: MAX_ROUNDS,
        };
        let begun = self.sequence.map_or(1, |sequence| sequence.rounds);
        let mut recorder = LimitedRecorder {
            scores: ScoreRecorder::new(self.reading),
            last_round: self.rules.rounds.map(|rounds| begun + rounds - 1),
            stop: &stop,
        };
        let ended = run
            .play(machine, &mut SeededDice::new(seed), &mut recorder)
            .ok()?;
        if matches!(ended, GameEnd::Stopped) && !stop.load(Ordering::Relaxed) {
            return None;
        }
        let found = recorder.scores.into_score();
        let score = found.score.unwrap_or_default() as f64;
        let is_first = self
            .situation
            .ruleset()
            .game
            .sides
            .first()
            .map(String::as_str)
            == Some(self.side.as_str());
        Some(GameResult {
            share: f64::from(found.doubled_share) / 2.0,
            // The score of a game is that of its first side.
            score: if is_first || self.rules.score.is_some() {
                score
            } else {
                -score
            },
        })
    }

    /// Returns what answers in a game: the plans for the side that is asked, else the policies without looking ahead.
    fn choice_source(&self, candidate: &Candidate) -> ChoiceSource {
        let plans = [self.followed, candidate.plan.as_slice()].concat();
        let (side, option, pending) = (self.side.clone(), candidate.option, AtomicBool::new(true));
        let program = self.situation.program.clone();
        let weigher = Weigher::new(false, move |state, request, _, _| {
            if request.side != side {
                return Ok(None);
            }
            // The first question of the side is the one that is pending.
            if pending.swap(false, Ordering::Relaxed) {
                return Ok(Some((option, String::new())));
            }
            let question = Question::new(&program.ruleset.game, state, request);
            let answer = question.answer_of(&plans);
            Ok(answer.map(|(option, title)| (option, title.into())))
        });
        ChoiceSource {
            weigher: Some(weigher),
            only_where_open: true,
            ..self.situation.choice_source(&[], self.policies.clone())
        }
    }
}

/// Records the score of a game, and ends it after a number of rounds.
struct LimitedRecorder<'a> {
    scores: ScoreRecorder<'a>,
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
        self.scores.procedure_ended(state, at, refusal)
    }

    fn round_ended(&mut self, round: u64) {
        self.scores.round_ended(round);
        if self.last_round.is_some_and(|last| round >= last) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}
