//! The effects of the throws and choices of a journal on the expected result.

use crate::luck::baseline::ChoiceBaseline;
use crate::luck::expectation::{Expectation, Expectations, LuckBaseline, LuckChance, luck_chance};
use crate::luck::stake::{Stake, side_of_throw};
use crate::odds::bounds::{Cap, SearchLimits};
use crate::odds::fraction::Fraction;
use casebook_engine::code::state::{ChoiceRequest, State, ThrowRequest};
use casebook_engine::complaint::{Error, Place, Remedy};
use casebook_engine::notation::Face;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::choice_source::ChoiceResult;
use casebook_engine::ruling::journal::replay_at;
use casebook_engine::ruling::moves::JournalMove;
use casebook_engine::ruling::session::{Session, WaitingFor};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::dice::{DiceStream, TypedDice};
use casebook_engine::situation::trace::AnswerSource;
use casebook_engine::situation::value_text::value_text;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The number of throws that are listed as those that decided.
pub const DECISIVE: usize = 5;

/// A throw or choice with its effect.
#[derive(Clone, Debug)]
pub struct LuckStep {
    /// The number of the move in the journal, from 1.
    pub number: usize,
    pub made: JournalMove,
    pub after: Expectation,
    /// The expectation after it, less the expectation before it.
    pub effect: Fraction,
    /// The standard error of the effect, if one of the two is sampled.
    pub error: Option<f64>,
    /// The side that threw or chose, if the rules say it.
    pub side: Option<String>,
    /// The side that gained by it, if that is known.
    pub gained: Option<String>,
    /// Of a choice, what else could have been taken.
    pub choice: Option<ChoiceAccount>,
}

impl LuckStep {
    pub fn is_throw(&self) -> bool {
        self.choice.is_none()
    }
}

/// The values of the options of a choice.
#[derive(Clone, Debug)]
pub struct ChoiceAccount {
    /// The option that the baseline takes; `None` for a random one.
    pub baseline: Option<String>,
    /// The options with their exact values; empty if they could not be counted.
    pub options: Vec<(String, Fraction)>,
    /// The best option for the side that chose, and by how much it is better than the one taken; `None` if the values are not counted, or
    /// nothing says for which side more is good.
    pub gave_away: Option<(String, Fraction)>,
}

/// The account of one procedure.
#[derive(Clone, Debug)]
pub struct ProcedureLuck {
    pub procedure: String,
    /// The phase of the game; empty outside a game.
    pub phase: String,
    /// What is measured.
    pub stake: Stake,
    /// The expectation at the beginning.
    pub expectation: Expectation,
    /// The throws and choices.
    pub steps: Vec<LuckStep>,
    /// Whether it came to its end.
    pub is_over: bool,
    /// Whether the time ended before all its moves were valued.
    pub is_cut: bool,
    /// Whether chance can change what is measured.
    pub varies: bool,
    /// The limit that ended the count, if it is sampled.
    pub ended: Option<Cap>,
    /// Where dice without bound are cut off, in words.
    pub truncations: BTreeSet<String>,
    /// How unlikely the luck was; `None` before the end, or where nothing can be said.
    pub chance: Option<LuckChance>,
}

impl ProcedureLuck {
    /// Returns the expectation after the last move; at the end it is the result.
    pub fn last(&self) -> &Expectation {
        self.steps
            .last()
            .map_or(&self.expectation, |step| &step.after)
    }

    /// Returns the sum of the effects of all throws.
    pub fn dice(&self) -> Fraction {
        self.sum(true)
    }

    /// Returns the sum of the effects of all choices.
    pub fn choices(&self) -> Fraction {
        self.sum(false)
    }

    fn sum(&self, throws: bool) -> Fraction {
        self.steps
            .iter()
            .filter(|step| step.is_throw() == throws)
            .fold(Fraction::ZERO, |sum, step| &sum + &step.effect)
    }

    /// Whether everything was counted.
    pub fn is_exact(&self) -> bool {
        self.expectation.error.is_none() && self.steps.iter().all(|step| step.error.is_none())
    }

    /// Returns the throws with the greatest effects, greatest first.
    pub fn decisive(&self, limit: usize) -> Vec<&LuckStep> {
        let size = |step: &LuckStep| {
            if step.effect < Fraction::ZERO {
                &Fraction::ZERO - &step.effect
            } else {
                step.effect.clone()
            }
        };
        let mut throws: Vec<&LuckStep> = self
            .steps
            .iter()
            .filter(|step| step.is_throw() && !step.effect.is_zero())
            .collect();
        throws.sort_by(|a, b| size(b).cmp(&size(a)).then(a.number.cmp(&b.number)));
        throws.truncate(limit);
        throws
    }
}

/// A procedure with throws in which nothing is measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnmeasuredProcedure {
    /// The procedure.
    pub procedure: String,
    /// The number of its throws.
    pub throws: usize,
}

/// The account of a journal.
#[derive(Clone, Debug, Default)]
pub struct LuckReport {
    /// The name of the situation.
    pub situation: String,
    /// The title of the ruleset.
    pub ruleset: String,
    /// The procedures in which dice were thrown, in order.
    pub procedures: Vec<ProcedureLuck>,
    pub unmeasured: Vec<UnmeasuredProcedure>,
    /// The number of throws that no time was left for.
    pub left_out: usize,
    /// How the choices to come are answered.
    pub baseline: String,
}

/// What is asked of an account.
pub struct LuckQuery<'a> {
    /// What is measured; `None` for what the procedure's headline names.
    pub stake: Option<Stake>,
    /// How the choices to come are answered.
    pub baseline: &'a ChoiceBaseline,
    /// Whether the options of choices are valued too.
    pub weighs_choices: bool,
    pub limits: SearchLimits<'a>,
    /// The number of threads.
    pub threads: usize,
}

/// Maximum number of options of a choice that are valued.
const MAX_OPTIONS: usize = 24;

/// A move with the position before it.
struct PlayedMove<'a> {
    number: usize,
    state: State,
    waiting_for: WaitingFor,
    journal_move: &'a JournalMove,
}

/// The moves of one procedure.
struct PlayedProcedure<'a> {
    phase: String,
    procedure: String,
    situation: Situation,
    moves: Vec<PlayedMove<'a>>,
    is_over: bool,
}

impl PlayedProcedure<'_> {
    /// Creates it without moves; `phase` is that of a game, with the procedure.
    fn begin(
        situation: &Situation,
        phase: Option<(&str, &str)>,
        board: &Board,
    ) -> Result<Self, Error> {
        let (phase, procedure) = phase.unwrap_or(("", &situation.procedure));
        let phase_situation = match procedure == situation.procedure {
            true => situation.deep_clone(),
            false => situation.with_procedure(procedure, &[], board)?,
        };
        Ok(PlayedProcedure {
            phase: phase.into(),
            procedure: procedure.into(),
            situation: phase_situation,
            moves: Vec::new(),
            is_over: false,
        })
    }

    fn throws(&self) -> usize {
        self.moves
            .iter()
            .filter(|played| matches!(played.journal_move, JournalMove::Throw { .. }))
            .count()
    }
}

/// Plays moves back from the beginning of a session and values each. `places` are those of the moves in their file.
pub fn account(
    mut session: Session,
    moves: &[JournalMove],
    places: &[Place],
    query: &LuckQuery,
) -> Result<LuckReport, Error> {
    let mut played: Vec<PlayedProcedure> = Vec::new();
    let mut begun = 0;
    for (index, journal_move) in moves.iter().enumerate() {
        let number = session.procedure_starts().len();
        if begun < number {
            let phase = session.current_phase();
            played.push(PlayedProcedure::begin(
                &session.situation,
                phase,
                session.board(),
            )?);
            begun = number;
        }
        let (state, waiting_for) = (session.state().clone(), session.waiting_for().clone());
        replay_at(&mut session, journal_move, places.get(index))?;
        let is_over = session.is_over() || session.procedure_starts().len() > number;
        if let Some(last) = played.last_mut() {
            last.moves.push(PlayedMove {
                number: index + 1,
                state,
                waiting_for,
                journal_move,
            });
            last.is_over = is_over;
        }
    }
    value_all(played, session.situation.scenario.is_game, query)
}

/// Values the moves of one procedure of a session, by its number from 1, from the positions that the session keeps.
pub fn account_of_procedure(
    session: &Session,
    moves: &[JournalMove],
    procedure: usize,
    query: &LuckQuery,
) -> Result<LuckReport, Error> {
    let mut played: Option<PlayedProcedure> = None;
    for position in session
        .answered_positions()
        .filter(|position| position.procedure == procedure)
    {
        let Some(journal_move) = moves.get(position.answers) else {
            break;
        };
        if played.is_none() {
            let procedure =
                PlayedProcedure::begin(&session.situation, position.phase, &position.state.board)?;
            // A procedure whose first position is no longer kept can't be valued.
            let first = position.answers == 0
                || session
                    .answered_positions()
                    .any(|before| before.answers + 1 == position.answers);
            played = Some(procedure).filter(|_| first);
        }
        let Some(played) = &mut played else { break };
        let (state, waiting_for) = (position.state.clone(), position.asked.clone());
        played.moves.push(PlayedMove {
            number: position.answers + 1,
            state,
            waiting_for,
            journal_move,
        });
        played.is_over = session.is_over() || session.procedure_starts().len() > procedure;
    }
    value_all(
        played.into_iter().collect(),
        session.situation.scenario.is_game,
        query,
    )
}

fn value_all(
    played: Vec<PlayedProcedure>,
    is_game: bool,
    query: &LuckQuery,
) -> Result<LuckReport, Error> {
    let mut report = LuckReport {
        baseline: query.baseline.describe(),
        ..LuckReport::default()
    };
    let mut pending: Vec<(PlayedProcedure, Vec<Stake>)> = Vec::new();
    for procedure in played
        .into_iter()
        .filter(|procedure| procedure.throws() > 0)
    {
        let measures = match &query.stake {
            Some(stake) if stake.good_for.is_some() => vec![stake.clone()],
            Some(stake) => vec![stake.clone().with_side_of(&procedure.situation)],
            None => Stake::of_headline(&procedure.situation),
        };
        // In a game a procedure without a headline names many outcomes, and none of them alone is what is played for.
        if measures.is_empty() && is_game {
            note_unmeasured(&mut report, &procedure);
        } else if measures.is_empty() && query.baseline.is_best {
            return Err(Error::unanswered(
                "best and worst need a measure",
                Remedy::NameMeasure("X - Y".into()),
            ));
        } else {
            pending.push((procedure, measures));
        }
    }
    let mut remaining: usize = pending
        .iter()
        .map(|(procedure, _)| procedure.moves.len() + 1)
        .sum();
    let mut errors = Vec::new();
    for (procedure, measures) in pending {
        if Instant::now() > query.limits.deadline && !report.procedures.is_empty() {
            report.left_out += procedure.throws();
            continue;
        }
        match value_by_first_that_varies(&procedure, measures, query, &mut remaining) {
            Ok(Some(luck)) => {
                let valued = luck.steps.iter().filter(|step| step.is_throw()).count();
                report.left_out += procedure.throws() - valued;
                report.procedures.push(luck);
            }
            Ok(None) => note_unmeasured(&mut report, &procedure),
            // In a game a measure applies only to the procedures that name its outcomes.
            Err(error @ (Error::Unknown { .. } | Error::Usage(_) | Error::Unanswered { .. }))
                if is_game =>
            {
                note_unmeasured(&mut report, &procedure);
                errors.push(error);
            }
            Err(error) => return Err(error),
        }
    }
    match errors.into_iter().next() {
        Some(error) if report.procedures.is_empty() && query.stake.is_some() => Err(error),
        _ => Ok(report),
    }
}

/// Values a procedure by the first of some measures that it names and that chance can change; by the first that it names if there is none.
fn value_by_first_that_varies(
    procedure: &PlayedProcedure,
    measures: Vec<Stake>,
    query: &LuckQuery,
    remaining: &mut usize,
) -> Result<Option<ProcedureLuck>, Error> {
    let (mut constant, mut unnamed) = (None, None);
    let no_stake = measures.is_empty().then_some(None);
    for stake in measures.into_iter().map(Some).chain(no_stake) {
        match value_procedure(procedure, stake, query, remaining) {
            Ok(Some(luck)) if !luck.varies => constant = constant.or(Some(luck)),
            Err(error @ (Error::Unknown { .. } | Error::Usage(_) | Error::Unanswered { .. })) => {
                unnamed = unnamed.or(Some(error))
            }
            other => return other,
        }
    }
    match (constant, unnamed) {
        (None, Some(error)) => Err(error),
        (constant, _) => Ok(constant),
    }
}

fn note_unmeasured(report: &mut LuckReport, played: &PlayedProcedure) {
    let (procedure, throws) = (played.procedure.clone(), played.throws());
    let mut noted = report.unmeasured.iter_mut();
    match noted.find(|noted| noted.procedure == procedure) {
        Some(noted) => noted.throws += throws,
        None => report
            .unmeasured
            .push(UnmeasuredProcedure { procedure, throws }),
    }
}

/// Values the moves of a procedure; `None` if it names no number. `remaining` is the number of positions that share the time left.
fn value_procedure(
    procedure: &PlayedProcedure,
    stake: Option<Stake>,
    query: &LuckQuery,
    remaining: &mut usize,
) -> Result<Option<ProcedureLuck>, Error> {
    let share = |remaining: &mut usize, weight: usize| {
        let now = Instant::now();
        let time_left = query.limits.deadline.saturating_duration_since(now);
        let time_share = time_left * weight as u32 / (*remaining).max(weight) as u32;
        *remaining = remaining.saturating_sub(weight);
        now + time_share
    };
    let mut values = Expectations::new(
        &procedure.situation,
        query.baseline,
        query.limits,
        query.threads,
    );
    // The first count explores states that all later positions use.
    let until = share(remaining, procedure.moves.len().div_ceil(2).max(1));
    *remaining += procedure.moves.len().div_ceil(2).max(1) - 1;
    let Some(LuckBaseline {
        expectation,
        distribution,
        ended,
        truncations,
        stake,
    }) = values.begin(&procedure.moves[0].state, stake, until)?
    else {
        return Ok(None);
    };
    let mut luck = ProcedureLuck {
        procedure: procedure.procedure.clone(),
        phase: procedure.phase.clone(),
        stake,
        expectation,
        steps: Vec::new(),
        is_over: procedure.is_over,
        is_cut: false,
        varies: distribution
            .as_ref()
            .is_none_or(|distribution| distribution.varies()),
        ended,
        truncations,
        chance: None,
    };
    let mut before = luck.expectation.clone();
    for played_move in &procedure.moves {
        if Instant::now() > query.limits.deadline && luck.expectation.error.is_some() {
            luck.is_cut = true;
            break;
        }
        let until = share(remaining, 1);
        let state = answered(&mut values, played_move, None)?;
        let after = values.after_answer(state, &luck.stake, until)?;
        let choice = match &played_move.waiting_for {
            WaitingFor::Choice(request) => Some(choice_account(
                &mut values,
                played_move,
                request,
                &luck.stake,
                &after,
                query,
                until,
            )?),
            _ => None,
        };
        let effect = &after.value - &before.value;
        let error = match (before.error, after.error) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0.0).hypot(b.unwrap_or(0.0))),
        };
        before = after.clone();
        let side = match played_move.journal_move {
            JournalMove::Throw { purpose, .. } => side_of_throw(purpose, &procedure.situation),
            JournalMove::Choice { side, .. } => Some(side.clone()).filter(|side| !side.is_empty()),
        };
        let gained = luck
            .stake
            .gains_by(&effect, &procedure.situation.ruleset().game.sides);
        luck.varies |= choice.is_none() && !effect.is_zero();
        luck.steps.push(LuckStep {
            number: played_move.number,
            made: played_move.journal_move.clone(),
            after,
            effect,
            error,
            side,
            gained,
            choice,
        });
    }
    if luck.is_over && !luck.is_cut && !query.baseline.is_random {
        let outcome_value = &luck.expectation.value + &luck.dice();
        luck.chance = distribution.map(|distribution| luck_chance(&outcome_value, &distribution));
    }
    Ok(Some(luck))
}

/// Returns a copy of the position before a move with its answer, or with another option of its choice.
fn answered(
    values: &mut Expectations,
    played_move: &PlayedMove,
    option: Option<usize>,
) -> Result<State, Error> {
    let mut state = played_move.state.clone();
    let machine = values.machine();
    machine.resume(&state).map_err(Error::Data)?;
    match (&played_move.waiting_for, played_move.journal_move) {
        (WaitingFor::Throw(request), JournalMove::Throw { faces, .. }) => {
            machine.answer_throw(&mut state, request, &sides_of(request, faces)?);
        }
        (WaitingFor::Choice(request), JournalMove::Choice { taken, .. }) => {
            let is_taken = || {
                request
                    .options
                    .iter()
                    .position(|option| value_text(option, &played_move.state.board) == *taken)
            };
            let picked = option.or_else(is_taken).unwrap_or(0);
            machine.answer_choice(&mut state, request, picked, AnswerSource::Explicit);
        }
        _ => {
            return Err(Error::Usage(format!(
                "{} is not an answer to what is asked",
                played_move.journal_move
            )));
        }
    }
    Ok(state)
}

/// Returns the side that each die shows.
fn sides_of(request: &ThrowRequest, faces: &[Face]) -> Result<Vec<u32>, Error> {
    let thrown = TypedDice::new(faces.to_vec()).throw(&request.dice, &request.purpose);
    thrown.map_err(|_| {
        Error::Usage(format!(
            "{} for {} can't fall so",
            request.notation, request.purpose
        ))
    })
}

/// Values the options of a choice.
fn choice_account(
    values: &mut Expectations,
    played_move: &PlayedMove,
    request: &ChoiceRequest,
    stake: &Stake,
    after: &Expectation,
    query: &LuckQuery,
    until: Instant,
) -> Result<ChoiceAccount, Error> {
    let texts: Vec<String> = request
        .options
        .iter()
        .map(|option| value_text(option, &played_move.state.board))
        .collect();
    let mut state = played_move.state.clone();
    let decided = query
        .baseline
        .source
        .decide(values.machine(), &mut state, request)
        .map_err(Error::Data)?;
    let baseline = if let ChoiceResult::Taken(option, _) = decided {
        texts.get(option).cloned()
    } else {
        None
    };
    let mut account = ChoiceAccount {
        baseline,
        options: Vec::new(),
        gave_away: None,
    };
    if !query.weighs_choices || after.error.is_some() || request.options.len() > MAX_OPTIONS {
        return Ok(account);
    }
    let JournalMove::Choice { taken, .. } = played_move.journal_move else {
        return Ok(account);
    };
    for (option, text) in texts.iter().enumerate() {
        if text == taken {
            account.options.push((text.clone(), after.value.clone()));
            continue;
        }
        let state = answered(values, played_move, Some(option))?;
        let Some(value) = values.count_after_answer(state, stake, until)? else {
            account.options.clear();
            return Ok(account);
        };
        account.options.push((text.clone(), value));
    }
    if let Some(good_for) = &stake.good_for {
        let wants_more = *request.side == **good_for;
        let better = |a: &Fraction, b: &Fraction| if wants_more { a > b } else { a < b };
        let mut best = &account.options[0];
        for option in &account.options {
            if better(&option.1, &best.1) || (option.1 == best.1 && option.0 == *taken) {
                best = option;
            }
        }
        let lost = if wants_more {
            &best.1 - &after.value
        } else {
            &after.value - &best.1
        };
        account.gave_away = (!request.side.is_empty()).then(|| (best.0.clone(), lost));
    }
    Ok(account)
}
