//! Plays games and single procedures at random and by styles under every stack, and sorts what goes wrong.

use crate::author::check::stacks;
use crate::testing::trials::{self, ProgramCache};
use casebook_analysis::odds::game_run::{GameEnd, GameFault, GameRecorder, GameRun, RunUntil};
use casebook_engine::code::machine::Machine;
use casebook_engine::code::program::Program;
use casebook_engine::code::state::{Refusal, State};
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place};
use casebook_engine::data::case::Case;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::Game;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::board_laws::find_broken_law;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::policy::Policies;
use casebook_engine::situation::value_text::fill_template;
use rand::Rng;
use rand_pcg::Pcg32;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time of a run between two answers, and of a whole game; one that takes longer is not judged.
const RUN_TIME: Duration = Duration::from_secs(5);
const GAME_TIME: Duration = Duration::from_secs(30);

/// The round after which a game counts as endless.
pub const MAX_ROUNDS: u64 = 500;

/// The number of games that are played under a ruleset before the next is drawn.
const GAMES_OF_A_RULESET: u64 = 8;

/// Of how many options or readings one is changed.
const CHANGED: u32 = 4;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum TrialFaultKind {
    /// No case decides it, or a figure is missing.
    #[serde(rename = "no case decides")]
    Undecided,
    /// Two things in force contradict each other.
    #[serde(rename = "contradicts")]
    Contradiction,
    /// It never ends.
    #[serde(rename = "never ends")]
    Endless,
    /// A piece stands where nothing can stand, or is moved out of a box out of play.
    #[serde(rename = "off the map")]
    OffMap,
    /// A figure is below its least.
    #[serde(rename = "below its least")]
    BelowLeast,
    /// A phase is refused after something was thrown or chosen in it.
    #[serde(rename = "breaks off")]
    BrokenOff,
    /// A rule fails.
    #[serde(rename = "fails")]
    Failed,
}

impl TrialFaultKind {
    pub fn of(complaint: &Complaint) -> TrialFaultKind {
        match complaint.code {
            DiagnosticCode::Figure | DiagnosticCode::UnknownFunction | DiagnosticCode::Label => {
                TrialFaultKind::Undecided
            }
            DiagnosticCode::Conflict | DiagnosticCode::Order | DiagnosticCode::AnsweredTwice => {
                TrialFaultKind::Contradiction
            }
            DiagnosticCode::Limit => TrialFaultKind::Endless,
            DiagnosticCode::OffMap => TrialFaultKind::OffMap,
            DiagnosticCode::BelowLeast => TrialFaultKind::BelowLeast,
            DiagnosticCode::BrokenOff => TrialFaultKind::BrokenOff,
            _ => TrialFaultKind::Failed,
        }
    }

    /// Returns the kind as words.
    pub fn as_str(self) -> &'static str {
        match self {
            TrialFaultKind::Undecided => "no case decides",
            TrialFaultKind::Contradiction => "contradicts",
            TrialFaultKind::Endless => "never ends",
            TrialFaultKind::OffMap => "off the map",
            TrialFaultKind::BelowLeast => "below its least",
            TrialFaultKind::BrokenOff => "breaks off",
            TrialFaultKind::Failed => "fails",
        }
    }
}

/// A game in which something went wrong.
#[derive(Clone, Debug)]
pub struct FaultyGame {
    pub spec: RulesetSpec,
    /// The situation that it began with.
    pub situation: String,
    /// The policy of each side.
    pub policies: Vec<(String, String)>,
    pub seed: u64,
    /// Round, phase and procedure.
    pub during: String,
    /// What went wrong.
    pub complaint: Complaint,
    /// The number of games with the same fault.
    pub times: u64,
}

impl FaultyGame {
    /// Whether something is wrong with the rules. A figure that is known to be missing is listed, and refuses as it should.
    pub fn is_error(&self) -> bool {
        self.complaint.code != DiagnosticCode::Figure
    }

    pub fn kind(&self) -> TrialFaultKind {
        TrialFaultKind::of(&self.complaint)
    }
}

/// The identity of a fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FaultKey {
    pub kind: TrialFaultKind,
    /// The path of the file.
    pub path: String,
    /// The line, or 0.
    pub line: usize,
    /// The procedure, where there is no line.
    pub procedure: String,
}

pub fn fault_key(complaint: &Complaint) -> FaultKey {
    let kind = TrialFaultKind::of(complaint);
    let line = complaint.place.span.map_or(0, |span| span.line);
    let procedure = if line > 0 {
        String::new()
    } else {
        complaint.context.clone()
    };
    FaultKey {
        kind,
        path: complaint.place.path.clone(),
        line,
        procedure,
    }
}

/// The counts of a trial, and its faults.
#[derive(Clone, Debug, Default)]
pub struct TrialResult {
    /// The number of games that were played.
    pub games: u64,
    /// The number of rulesets.
    pub rulesets: u64,
    /// The number that took too long to be judged.
    pub late: u64,
    /// The faults, each once.
    pub faults: BTreeMap<FaultKey, FaultyGame>,
}

impl TrialResult {
    fn add(&mut self, game: FaultyGame) {
        let key = fault_key(&game.complaint);
        match self.faults.get_mut(&key) {
            None => drop(self.faults.insert(key, game)),
            Some(earlier) => {
                let times = earlier.times + game.times;
                if (game.seed, &game.situation) < (earlier.seed, &earlier.situation) {
                    *earlier = game;
                }
                earlier.times = times;
            }
        }
    }

    fn merge(&mut self, other: TrialResult) {
        (self.games, self.rulesets, self.late) = (
            self.games + other.games,
            self.rulesets + other.rulesets,
            self.late + other.late,
        );
        other.faults.into_values().for_each(|game| self.add(game));
    }
}

#[derive(Clone, Copy)]
pub struct TrialLimits<'a> {
    /// When play ends.
    pub end: Instant,
    /// A flag that ends it when it is set.
    pub stop: &'a AtomicBool,
    /// Gets the number of games played so far.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl TrialLimits<'_> {
    /// Returns whether play ends.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() > self.end
    }
}

/// Plays a number of games under the rulesets of all games of a library, or of one.
pub fn play_trials(
    library: &Arc<Library>,
    game: Option<&str>,
    games: u64,
    limits: TrialLimits,
) -> TrialResult {
    let names = library
        .games
        .keys()
        .filter(|name| game.is_none_or(|game| game == *name));
    let specs: Vec<RulesetSpec> = names.flat_map(|name| stacks(library, name)).collect();
    let programs = ProgramCache::new(library);
    // Without a ruleset nothing can be played.
    let count = games.div_ceil(GAMES_OF_A_RULESET) * u64::from(!specs.is_empty());
    let chunks = (0..count).take_while(|_| !limits.is_over());
    let spec_of = |chunk: u64| &specs[chunk as usize % specs.len()];
    let mut total = TrialResult::default();
    trials::run(
        &programs,
        chunks.map(|chunk| (spec_of(chunk), chunk)),
        |machine, chunk| {
            let seeds =
                chunk * GAMES_OF_A_RULESET + 1..=games.min((chunk + 1) * GAMES_OF_A_RULESET);
            let mut generator = Pcg32::new(chunk, 77);
            let Ok(machine) = machine else {
                // `check` reports the errors of an unchanged stack.
                return TrialResult {
                    rulesets: 1,
                    ..TrialResult::default()
                };
            };
            // The first round is played under the stacks as they are.
            if chunk < specs.len() as u64 {
                return play_ruleset(&machine.program, generator, seeds, limits);
            }
            let spec = changed_by_lot(&machine.program.ruleset, &mut generator);
            match programs.get(&spec) {
                Ok(program) => play_ruleset(&program, generator, seeds, limits),
                Err(error) => refused_ruleset(spec, chunk, error),
            }
        },
        |_, found| {
            total.merge(found);
            (limits.progress)(total.games);
        },
    );
    total
}

/// Returns the fault of a ruleset that its options and readings make contradict itself.
fn refused_ruleset(spec: RulesetSpec, seed: u64, error: Error) -> TrialResult {
    let mut result = TrialResult {
        rulesets: 1,
        ..TrialResult::default()
    };
    if let Error::Data(Complaints(complaints)) = error
        && let Some(complaint) = complaints.into_iter().next()
    {
        result.add(FaultyGame {
            spec,
            situation: String::new(),
            policies: Vec::new(),
            seed,
            during: String::new(),
            complaint,
            times: 1,
        });
    }
    result
}

/// Plays a game with each seed under a ruleset; the generator draws the situations and the policies.
fn play_ruleset(
    program: &Arc<Program>,
    mut generator: Pcg32,
    seeds: RangeInclusive<u64>,
    limits: TrialLimits,
) -> TrialResult {
    let mut result = TrialResult {
        rulesets: 1,
        ..TrialResult::default()
    };
    let (whole_games, single_procedures): (Vec<Situation>, Vec<Situation>) =
        trials::situations(program).partition(|situation| situation.scenario.is_game);
    let mut machine = Machine::new(program.clone());
    machine.time_limit = RUN_TIME;
    for seed in seeds {
        if limits.is_over() {
            break;
        }
        let situations = if single_procedures.is_empty()
            || !whole_games.is_empty() && generator.next_u32().is_multiple_of(2)
        {
            &whole_games
        } else {
            &single_procedures
        };
        let Some(situation) =
            situations.get(generator.next_u32() as usize % situations.len().max(1))
        else {
            break;
        };
        let policies = policies_by_lot(&program.ruleset.game, &mut generator);
        let played = play_trial(situation, &mut machine, (&policies, seed), limits);
        result.games += 1;
        match played {
            Ok(true) => {}
            Ok(false) => result.late += 1,
            Err(fault) => {
                let complaint = fault.complaints.0.into_iter().next();
                let Some(complaint) = complaint.filter(|it| !is_expected(it, situation)) else {
                    continue;
                };
                result.add(FaultyGame {
                    spec: program.ruleset.spec.clone(),
                    situation: situation.scenario.name.clone(),
                    policies,
                    seed,
                    during: fault.during,
                    complaint,
                    times: 1,
                });
            }
        }
    }
    result
}
/// Returns the spec of a ruleset with some options and readings changed by lot.
fn changed_by_lot(ruleset: &Ruleset, generator: &mut Pcg32) -> RulesetSpec {
    let mut spec = ruleset.spec.clone();
    for (name, on) in &ruleset.options {
        if generator.next_u32().is_multiple_of(CHANGED) {
            spec.options.push((name.clone(), !on));
        }
    }
    let is_off = |case: &Case| {
        case.option.as_ref().is_some_and(|option| {
            spec.options
                .contains(&(format!("{}.{option}", case.layer), false))
        })
    };
    for case in ruleset.cases.iter().filter(|case| !is_off(case)) {
        for reading in &case.readings {
            let name = format!("{}.{}", case.number, reading.name);
            let other_ways: Vec<&String> = reading.ways.iter().skip(1).collect();
            let is_set = spec.readings.iter().any(|(is_set, _)| *is_set == name);
            if !other_ways.is_empty() && !is_set && generator.next_u32().is_multiple_of(CHANGED) {
                spec.readings.push((
                    name,
                    other_ways[generator.next_u32() as usize % other_ways.len()].clone(),
                ));
            }
        }
    }
    spec
}

/// Draws how each side plays: mostly at random, else by a style that does not look ahead, or by the first or last option.
fn policies_by_lot(game: &Game, generator: &mut Pcg32) -> Vec<(String, String)> {
    let mut names: Vec<&str> = vec!["random", "random", "random", "first", "last"];
    names.extend(
        game.styles
            .iter()
            .filter(|style| style.plays_on.is_none())
            .map(|style| style.name.as_str()),
    );
    game.sides
        .iter()
        .map(|side| {
            (
                side.clone(),
                names[generator.next_u32() as usize % names.len()].to_string(),
            )
        })
        .collect()
}

/// Whether a complaint is no fault of the rules: an answer in the situation's own file that is not open here, and in a single procedure a
/// figure that is missing, which `check` leaves to the situation, too.
fn is_expected(complaint: &Complaint, situation: &Situation) -> bool {
    complaint.code == DiagnosticCode::Choice
        || complaint.code == DiagnosticCode::Figure && !situation.scenario.is_game
}

/// Plays one game; false if it took too long to be judged.
pub fn play_trial(
    situation: &Situation,
    machine: &mut Machine,
    (policies, seed): (&[(String, String)], u64),
    limits: TrialLimits,
) -> Result<bool, GameFault> {
    let game = &situation.ruleset().game;
    let Ok(policies) = Policies::parse(policies, game) else {
        return Ok(false);
    };
    let source = situation.choice_source(&[], Arc::new(policies));
    let start = Instant::now();
    let end = limits.end.min(start + GAME_TIME);
    let until = RunUntil {
        end: Some(end),
        stop: limits.stop,
    };
    let mut watch = BoardWatch::new(situation);
    machine.run_mode.checks_board = true;
    let run = GameRun {
        situation,
        from: None,
        choice_source: &source,
        until,
        max_rounds: MAX_ROUNDS,
    };
    match run.play(machine, &mut SeededDice::new(seed), &mut watch) {
        Ok(GameEnd::Stopped) => Ok(false),
        Ok(_) => Ok(true),
        // A run that was slow was not seen to be endless.
        Err(fault)
            if Instant::now().saturating_duration_since(start) >= RUN_TIME
                && is_limit(&fault.complaints) =>
        {
            Ok(false)
        }
        Err(fault) => Err(fault),
    }
}

fn is_limit(complaints: &Complaints) -> bool {
    complaints
        .0
        .first()
        .is_some_and(|complaint| complaint.code == DiagnosticCode::Limit)
}

/// Checks the board after each procedure, and keeps the board on which the current procedure began.
pub struct BoardWatch<'a> {
    situation: &'a Situation,
    /// The board on which the current procedure began.
    pub start: Board,
    /// The phase of that procedure.
    pub phase: String,
    /// The name of that procedure.
    pub procedure: String,
    /// The number of events that were traced before it.
    pub events_before: usize,
}

impl<'a> BoardWatch<'a> {
    /// Creates a watch of a situation.
    pub fn new(situation: &'a Situation) -> BoardWatch<'a> {
        BoardWatch {
            situation,
            start: situation.before().clone(),
            phase: String::new(),
            procedure: String::new(),
            events_before: 0,
        }
    }
}

impl GameRecorder for BoardWatch<'_> {
    fn procedure_begins(&mut self, board: &Board, (phase, procedure): (&str, &str), events: usize) {
        self.start = board.without_records();
        (self.phase, self.procedure) = (phase.into(), procedure.into());
        self.events_before = events;
    }

    fn procedure_ended(
        &mut self,
        state: &mut State,
        (_, procedure): (&str, &str),
        refusal: Option<&Refusal>,
    ) -> Result<(), Complaints> {
        let ruleset = self.situation.ruleset();
        let (code, place, message, help) = match refusal {
            None => {
                let Some(law) = find_broken_law(&state.board, &ruleset.game) else {
                    return Ok(());
                };
                let place = Place::whole_file(&self.situation.scenario.file.path);
                (
                    law.code,
                    place,
                    format!("`{procedure}` leaves {}", law.message),
                    law.help,
                )
            }
            Some(refusal) => {
                let is_phase = ruleset
                    .game
                    .sequence
                    .iter()
                    .any(|phase| phase.procedures.iter().any(|name| name == procedure));
                // What a phase has changed before its first throw or choice is taken back with the refusal, so nothing is lost.
                if !is_phase || state.last_stop.1 == 0 {
                    return Ok(());
                }
                let path = refusal
                    .cases
                    .last()
                    .map_or("", |case| &ruleset.cases[*case].file.path);
                let reason = fill_template(&refusal.template, &refusal.args, &state.board);
                let help = "look whether an order or an option can be carried out before anything is thrown or chosen, and drop it if it can't";
                (
                    DiagnosticCode::BrokenOff,
                    Place::whole_file(path),
                    format!("`{procedure}` breaks off: {reason}"),
                    help.into(),
                )
            }
        };
        Err(Complaint::new(code, place, message)
            .with_help(help)
            .with_context(procedure)
            .into())
    }

    fn round_ended(&mut self, _: u64) {}
}
