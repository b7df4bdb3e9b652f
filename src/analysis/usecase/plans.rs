//! What a style with plans takes: the game is played on under each plan that answers a question differently, and the plan that does best is
//! followed until the procedure ends.
//!
//! All plans have the same dice, which are not those of the game. So the same choice is answered in the same way again; a time limit only ends
//! what would take far too long. In these games every side answers as its policy does without looking ahead, and sees what the rules see.

use crate::odds::game_run::{GameEnd, GameRecorder, GameRun, Until};
use crate::odds::game_score::{GameReading, GameScore, ScoreRecorder};
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
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Maximum number of plans that are compared for one answer.
const MAX_PLANS: usize = 64;
/// The least number of plans that go on to the last game.
const FINALISTS: usize = 3;
/// What a score counts to the one before it; the first counts as much as who wins.
const NEXT_SCORE: f64 = 0.1;
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
    // The games that are played on would show what the others have answered.
    if situation.ruleset().is_secret(asked) {
        return Ok(None);
    }
    let question = PendingQuestion::new(&situation.ruleset().game, state, request);
    let mut followed = lock_unpoisoned(&position.plans).clone();
    followed.retain(|plan| plan.side == request.side.as_str());
    if let Some((option, title)) = question.answer_of(&followed) {
        return Ok(Some((option, format!("as planned: {title}"))));
    }
    let mut candidates = question.candidates(style, rules, &followed);
    if candidates.len() < 2 {
        return Ok(None);
    }
    PlanComparison {
        situation: situation.with_state(state.clone()),
        policies: Arc::new(policies.without_records()),
        side: request.side.clone(),
        rules,
        readings: &readings(question.game, rules, request)?,
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
struct PendingQuestion<'a> {
    game: &'a Game,
    board: &'a Board,
    request: &'a ChoiceRequest,
    options: Vec<String>,
}

impl<'a> PendingQuestion<'a> {
    fn new(game: &'a Game, state: &'a State, request: &'a ChoiceRequest) -> PendingQuestion<'a> {
        let board = &state.board;
        let options = request.options.iter();
        PendingQuestion {
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
                .filter(|(away, _)| *away > 0)
                .collect();
            near.sort();
            let near = near.into_iter().take(rules.nearest);
            let ends = [None].into_iter().chain(near.map(|(_, end)| Some(end)));
            plans.extend(
                ends.flat_map(|end| rules.plans_of((self.request.side.as_str(), piece), end)),
            );
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

/// The result of a game for the side that is asked: its share (1 for a win, 1/2 for a draw and for a game that is not decided), then each score.
type GameResult = Vec<f64>;

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
    rules: &PlanRules,
    request: &ChoiceRequest,
) -> Result<Vec<SideReading>, Complaints> {
    let side = request.side.as_str();
    let mut sides = game.sides.clone();
    sides.sort_by_key(|name| name != side);
    let parse = |score: String| {
        Measure::parse(&score).map_err(|error| {
            let what = format!("{side}: {}: {error}", request.question);
            let help = "`score:` under `plans:` of a style names outcomes that are numbers: '{side} points - {enemy} points'";
            let place = Place::whole_file("styles:");
            Complaints::from(Complaint::new(DiagnosticCode::Choice, place, what).with_help(help))
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

/// Compares what may be done at a question by playing on.
struct PlanComparison<'a> {
    /// The situation with the pending question.
    situation: Situation,
    policies: Arc<Policies>,
    /// The side that is asked.
    side: HashedText,
    rules: &'a PlanRules,
    readings: &'a [SideReading],
    /// The plans that are followed already.
    followed: &'a [Plan],
    sequence: Option<&'a TurnSequence>,
    /// The seed of the first games.
    seed: u64,
}

impl PlanComparison<'_> {
    /// Plays the games of all candidates; the worse half goes out several times, the style's own answer never.
    fn play(&self, candidates: &mut [Candidate]) {
        let end = task::end_within(Instant::now() + TIME);
        let mut machine = self.situation.machine();
        for number in 0..self.rules.plays {
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
            until: Until {
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
            let question = PendingQuestion::new(&program.ruleset.game, state, request);
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
