//! Asks how a game comes out under several rulesets: plays them on the same seeds until each is decided or the budget is used up.

use crate::balance::attribution::{Attribution, CauseTrials};
use crate::balance::betting_test::{BalanceVerdict, MeanDifference, PairedDifferences};
use crate::balance::paired_games::{GamesPlan, SeedGames};
use crate::balance::pairing::{StylePairing, pairings};
use crate::balance::totals::{BalanceSpec, BalanceTotal, RulesetDifferences};
use crate::compare::switches::RulesetPair;
use crate::compare::view::Comparison;
use crate::odds::assumptions::{Assumptions, assumptions};
use crate::odds::game_score::GameReading;
use crate::odds::shards::Shard;
use crate::usecase::settings::CountLimits;
use casebook_engine::code::machine::Consulted;
use casebook_engine::code::reachable::Reachable;
use casebook_engine::complaint::{Complaint, DiagnosticCode, Error, Place};
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::function_name;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::overrides::{self, Overrides};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The greatest probability that any ruleset is wrongly said to differ from the first.
pub const ERROR: f64 = 0.05;

/// The number of seeds between two looks at the test: the first, and the most.
const BATCHES: (usize, usize) = (4, 128);

/// The share of the time left that a batch may take; one that takes more does not grow.
const BATCH_SHARE: u32 = 16;

/// The share of the time that is kept for causes.
const CAUSE_SHARE: f64 = 0.6;

/// The greatest number of games for which every single one is kept, so that causes can be sought on the same seeds.
const MAX_KEPT_SEEDS: usize = 200_000;

/// The request: the situation, the rulesets, the styles and the limits.
#[derive(Clone, Debug)]
pub struct BalanceRequest {
    /// The situation that the games begin with.
    pub situation: String,
    /// The overrides of the situation.
    pub overrides: Overrides,
    /// The rulesets; the others are compared with the first.
    pub rulesets: Vec<RulesetSpec>,
    /// Side and style; several for one side are all played. Without any, every declared style is.
    pub styles: Vec<(String, String)>,
    /// Answers to choices.
    pub choices: Vec<(String, String)>,
    /// The outcome that names the winner, if not that of the manifest.
    pub winner: Option<String>,
    /// The score, if not that of the manifest.
    pub score: Option<String>,
    /// The seed of the first games.
    pub seed: u64,
    /// The greatest number of games of each pairing under each ruleset.
    pub games: u64,
    /// The part to play: its number, from 1, and the number of parts. A part of several is played whole, and nothing is decided in it.
    pub shard: Shard,
    /// The difference of shares, from 0 to 1, that is not worth deciding.
    pub margin: f64,
    /// Whether causes are sought.
    pub causes: bool,
}

/// The verdicts on a ruleset, compared with the first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RulesetBalance {
    /// The ruleset.
    pub ruleset: String,
    /// The difference of the share of the first side, a game without a winner counting half, averaged over the pairings.
    pub share: MeanDifference,
    /// How much more often the score is higher than lower on the same dice; none without a score.
    pub score: Option<MeanDifference>,
    /// What makes the difference, if one is decided and causes were sought.
    pub causes: Option<Attribution>,
}

#[derive(Clone, Debug)]
pub struct BalanceAnswer {
    /// The specification of the games.
    pub spec: BalanceSpec,
    /// The results.
    pub total: BalanceTotal,
    /// For each ruleset but the first.
    pub rulesets: Vec<RulesetBalance>,
    /// Styles that were left out because they play on at each choice.
    pub slow_styles: Vec<String>,
    /// The difference of shares that is not worth deciding.
    pub margin: f64,
    /// Whether the budget was used up before everything was decided.
    pub budget_used_up: bool,
}

/// Judges the totals of a question whose games are all played.
pub fn judge(
    spec: &BalanceSpec,
    total: &BalanceTotal,
    margin: f64,
    is_unchanged: &[bool],
) -> Vec<RulesetBalance> {
    let error = error_of_each(spec);
    let judged = |(index, differences): (usize, &RulesetDifferences)| {
        let unchanged = is_unchanged.get(index + 1).copied().unwrap_or(false);
        let of_counts = |counts: &PairedDifferences| {
            if unchanged {
                MeanDifference::none()
            } else {
                MeanDifference::new(counts, error, margin, 1.0)
            }
        };
        let score = (!spec.score.is_empty()).then(|| of_counts(&differences.score));
        RulesetBalance {
            ruleset: spec.rulesets[index + 1].clone(),
            share: of_counts(&differences.share),
            score,
            causes: None,
        }
    };
    total.differences.iter().enumerate().map(judged).collect()
}

/// Returns the error of a single test, so that all of them together have at most [`ERROR`].
fn error_of_each(spec: &BalanceSpec) -> f64 {
    let measures = if spec.score.is_empty() { 1 } else { 2 };
    ERROR / (measures * (spec.rulesets.len() - 1).max(1)) as f64
}

/// Asks a question.
pub fn balance(
    library: &Arc<Library>,
    request: &BalanceRequest,
    limits: CountLimits,
) -> Result<BalanceAnswer, Error> {
    let deadline = limits.deadline();
    let comparison = Comparison {
        library,
        situation_name: &request.situation,
        overrides: &request.overrides,
        choices: &request.choices,
        policies: Arc::default(),
        measure: None,
        strict: false,
        deadline,
        memory: limits.memory,
        stop: limits.stop,
        progress: limits.progress,
        threads: limits.threads,
    };
    let situations = request
        .rulesets
        .iter()
        .map(|spec| comparison.situation(spec))
        .collect::<Result<Vec<_>, _>>()?;
    let [base, others @ ..] = &situations[..] else {
        return Err(Error::Usage("name a ruleset".into()));
    };
    situations.iter().try_for_each(check_is_game)?;
    let titles: Vec<String> = situations
        .iter()
        .map(|situation| situation.ruleset().short_title())
        .collect();
    let spec = |index: usize| &situations[index].ruleset().spec;
    let is_twice = |index: &usize| {
        (0..*index).any(|other| {
            spec(other) == spec(*index)
                || titles[other] == titles[*index] && spec(other).excluded_files.is_empty()
        })
    };
    if let Some(index) = (1..titles.len()).find(is_twice) {
        return Err(Error::Usage(format!(
            "the ruleset `{}` is given twice: leave one out",
            titles[index]
        )));
    }
    let game = &base.ruleset().game;
    let reading = GameReading::new(game, request.winner.as_deref(), request.score.as_deref())?;
    let (pairings, slow_styles) = pairings(game, &request.styles)?;
    let set = overrides::describe(&base.scenario.set);
    let spec = BalanceSpec {
        situation: if set.is_empty() {
            request.situation.clone()
        } else {
            format!("{} ({set})", request.situation)
        },
        title: base.scenario.title.clone(),
        rulesets: titles,
        sides: reading.sides.clone(),
        pairings: pairings
            .iter()
            .map(|pairing| {
                pairing
                    .styles
                    .iter()
                    .map(|(_, style)| style.clone())
                    .collect()
            })
            .collect(),
        winner: reading.winner_outcome.clone(),
        score: reading
            .score
            .as_ref()
            .map(|score| score.text.clone())
            .unwrap_or_default(),
        choices: request.choices.clone(),
        seed: request.seed,
        games: request.games,
        parts: request.shard.parts,
    };
    let reachable: Vec<Reachable> = situations.iter().map(reachable_in_game).collect();
    let pairs: Vec<RulesetPair> = others
        .iter()
        .zip(&reachable[1..])
        .map(|(other, reach)| RulesetPair::new(base, other, [&reachable[0], reach]))
        .collect();
    let is_same = |(pair, reach): (&RulesetPair, &Reachable)| {
        !pair.differs_in_figures() && *reach == reachable[0]
    };
    let is_unchanged: Vec<bool> = std::iter::once(false)
        .chain(pairs.iter().zip(&reachable[1..]).map(is_same))
        .collect();
    let is_unsharded = request.shard == Shard::WHOLE;
    let plan = GamesPlan {
        pairings: &pairings,
        choices: &request.choices,
        reading: &reading,
        from: None,
        seed: request.seed,
        shard: request.shard,
        margin: request.margin,
        limits,
        deadline,
    };
    let mut rounds = Rounds {
        spec: &spec,
        plan: &plan,
        situations: &situations,
        is_unchanged: &is_unchanged,
        is_unsharded,
        kept_games: vec![Vec::new(); situations.len()],
        consulted: vec![Consulted::default(); situations.len()],
        first_fault: None,
    };
    let main_end = if is_unsharded && request.causes && !others.is_empty() {
        sooner(deadline, CAUSE_SHARE)
    } else {
        deadline
    };
    let mut total = rounds.play(request.shard.items(request.games).count(), main_end)?;
    total.choosing_sides = pairings
        .iter()
        .flat_map(|pairing| pairing.policies.asked_questions().into_values().flatten())
        .collect();
    total.assumed = assumed(base, &rounds.consulted[0], &pairings, &request.choices);
    let mut answers = judge(&spec, &total, request.margin, &is_unchanged);
    let budget_used_up = answers
        .iter()
        .any(|one| one.share.verdict == BalanceVerdict::Undecided);
    if is_unsharded && request.causes {
        let Rounds {
            mut kept_games,
            consulted,
            ..
        } = rounds;
        for (index, answer) in answers.iter_mut().enumerate() {
            let differs = |one: &MeanDifference| one.verdict == BalanceVerdict::Differs;
            let by_share = differs(&answer.share);
            let score = answer.score.filter(differs);
            if !(by_share || score.is_some()) || kept_games[0].len() > MAX_KEPT_SEEDS {
                continue;
            }
            let count = kept_games[0].len().min(kept_games[index + 1].len());
            let files: BTreeSet<String> = consulted[0]
                .files
                .union(&consulted[index + 1].files)
                .cloned()
                .collect();
            let trials = CauseTrials {
                comparison: &comparison,
                pair: &pairs[index],
                plan: &plan,
                consulted: &files,
                first_games: kept_games[0][..count].to_vec(),
                second_games: std::mem::take(&mut kept_games[index + 1]),
                by_share,
                mean: if by_share {
                    answer.share.mean
                } else {
                    score.map_or(0.0, |score| score.mean)
                },
            };
            answer.causes = Some(trials.run());
        }
    }
    Ok(BalanceAnswer {
        spec,
        total,
        rulesets: answers,
        slow_styles,
        margin: request.margin,
        budget_used_up,
    })
}

/// Returns the assumptions that the games under a ruleset rest on.
fn assumed(
    situation: &Situation,
    consulted: &Consulted,
    pairings: &[StylePairing],
    choices: &[(String, String)],
) -> Assumptions {
    let Some(pairing) = pairings.first() else {
        return Assumptions::default();
    };
    Assumptions {
        unused_answers: Vec::new(),
        policies: Vec::new(),
        ..assumptions(situation, consulted, &pairing.policies, choices)
    }
}

/// Returns the time at which only a share of the time until a deadline is left.
fn sooner(deadline: Instant, share: f64) -> Instant {
    let time_left = deadline.saturating_duration_since(Instant::now());
    deadline
        .checked_sub(Duration::from_secs_f64(time_left.as_secs_f64() * share))
        .unwrap_or(deadline)
}

/// Reports a situation that is no whole game.
fn check_is_game(situation: &Situation) -> Result<(), Error> {
    let scenario = &situation.scenario;
    if scenario.is_game {
        return Ok(());
    }
    let message = format!(
        "{} is a single procedure, not a whole game: it has no winner",
        scenario.name
    );
    let help = "name a situation with `goes_on: true`, from which the sequence of play goes on to an end; `casebook odds` and `casebook compare` look at a procedure";
    Err(Complaint::new(
        DiagnosticCode::WholeGame,
        Place::whole_file(&scenario.file.path),
        message,
    )
    .with_help(help)
    .into())
}

/// Returns what the procedures of a game can reach.
fn reachable_in_game(situation: &Situation) -> Reachable {
    let game = &situation.ruleset().game;
    let procedures = game
        .sequence
        .iter()
        .flat_map(|phase| &phase.procedures)
        .chain([&situation.procedure]);
    let functions: BTreeSet<String> = procedures.map(|name| function_name(name)).collect();
    Reachable::from_functions(situation.ruleset(), functions.iter().map(String::as_str))
}

/// The rounds of play of a question.
struct Rounds<'a> {
    spec: &'a BalanceSpec,
    plan: &'a GamesPlan<'a>,
    situations: &'a [Situation],
    is_unchanged: &'a [bool],
    is_unsharded: bool,
    /// The games by ruleset, in the order of the seeds.
    kept_games: Vec<Vec<SeedGames>>,
    consulted: Vec<Consulted>,
    first_fault: Option<Error>,
}

impl Rounds<'_> {
    /// Plays up to a number of seeds until a time; a ruleset that is decided is no longer played.
    fn play(&mut self, count: usize, end: Instant) -> Result<BalanceTotal, Error> {
        let rulesets = self.situations.len();
        let (error, limits) = (error_of_each(self.spec), self.plan.limits);
        let mut total = BalanceTotal::new(rulesets, self.plan.pairings.len());
        let (mut seeds_done, mut size) = (0, BATCHES.0);
        while seeds_done < count && !self.plan.until(end).is_over() {
            let verdict = |place: usize| {
                total.differences[place]
                    .share
                    .verdict(error, self.plan.margin)
            };
            let open: Vec<bool> = (0..rulesets)
                .map(|place| {
                    !self.is_unchanged[place]
                        && (place == 0
                            || !self.is_unsharded
                            || verdict(place - 1) == BalanceVerdict::Undecided)
                })
                .collect();
            // The first ruleset alone is a table, which is worth the whole budget.
            if self.is_unsharded && rulesets > 1 && seeds_done > 0 && !open[1..].contains(&true) {
                break;
            }
            let seeds = self.plan.seeds(seeds_done..(seeds_done + size).min(count));
            let began = Instant::now();
            let mut played: Vec<Option<Vec<SeedGames>>> = Vec::new();
            let mut complete = seeds.len();
            for (index, situation) in self.situations.iter().enumerate() {
                played.push(open[index].then(|| {
                    let (games, consulted) =
                        self.plan
                            .play(situation, &seeds[..complete], self.plan.until(end));
                    self.consulted[index].merge(consulted);
                    complete = complete.min(games.len());
                    games
                }));
            }
            for (number, seed) in seeds[..complete].iter().enumerate() {
                let games: Vec<Option<SeedGames>> = played
                    .iter()
                    .map(|games| games.as_ref().map(|games| games[number].clone()))
                    .collect();
                total.add(self.spec, *seed, &games);
                for (kept_games, games) in self.kept_games.iter_mut().zip(games) {
                    let Some(games) = games else { continue };
                    if self.first_fault.is_none() {
                        let fault = games.iter().find_map(|game| game.as_ref().err());
                        self.first_fault = fault.map(|fault| Error::Data(fault.complaints.clone()));
                    }
                    if kept_games.len() <= MAX_KEPT_SEEDS {
                        kept_games.push(games);
                    }
                }
            }
            seeds_done += complete;
            (limits.progress)(
                "playing games",
                seeds_done as f64 / count as f64,
                (seeds_done * self.plan.pairings.len() * rulesets) as u64,
            );
            let now = Instant::now();
            if now.saturating_duration_since(began)
                < end.saturating_duration_since(now) / BATCH_SHARE
            {
                size = (size * 2).min(BATCHES.1);
            }
            if complete < seeds.len() {
                break;
            }
        }
        // Games that all fail say nothing but what is wrong.
        if let (Some(fault), true) = (
            self.first_fault.take(),
            total
                .totals_by_pairing
                .iter()
                .flatten()
                .all(|one_total| one_total.games == 0),
        ) {
            return Err(fault);
        }
        Ok(total)
    }
}
