//! The odds of what an answer begins: of a procedure with something at stake, such as a battle, counted to its end.

use crate::odds::bounds::SearchLimits;
use crate::odds::count::CountJob;
use crate::odds::distribution::Odds;
use crate::odds::explore::StateKeyParts;
use crate::odds::fold::Strategy;
use crate::odds::headline::{labelled_headline_values, sentence};
use crate::usecase::settings::CountLimits;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::State;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::manifest::function_name;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::session::{Session, WaitingFor};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::policy::Policies;
use casebook_engine::situation::value_text::join_words;
use std::sync::Arc;

/// Maximum number of answers of routine before a procedure begins.
const MAX_ROUTINE: usize = 8;

/// The procedure that an answer begins, before its first throw or the next choice.
pub struct BegunProcedure {
    /// The rest of it.
    pub remaining: Situation,
    /// The answers of other sides that it rests on; empty if there are none.
    pub assumed: String,
}

/// Returns the procedures with something at stake, each with the slot of its function: those whose card says for whom an outcome is good. A
/// phase of the sequence of play is none: it does not begin with an answer.
fn at_stake(situation: &Situation) -> Vec<(usize, String)> {
    let ruleset = situation.ruleset();
    let is_phase = |name: &String| {
        let mut phases = ruleset.game.sequence.iter();
        phases.any(|phase| phase.procedures.contains(name))
    };
    ruleset
        .cases
        .iter()
        .filter(|case| !case.headline.is_empty() && !case.good_for.is_empty())
        .flat_map(|case| &case.procedures)
        .filter(|name| !is_phase(name))
        .filter_map(|name| Some((ruleset.slot(&function_name(name), 1)?, name.clone())))
        .collect()
}

/// A procedure that has ended.
pub struct EndedProcedure<'s> {
    pub name: String,
    /// The state in which it first asked for something.
    pub first: &'s State,
    /// The first state after it.
    pub after: &'s State,
}

/// Returns the procedures with something at stake that have ended after so many answers.
pub fn procedures_ended(session: &Session, answers: usize) -> Vec<EndedProcedure<'_>> {
    let procedures = at_stake(&session.situation);
    let slots: Vec<usize> = procedures.iter().map(|(slot, _)| *slot).collect();
    let mut machine = session.situation.machine();
    let answered = session.answered_positions();
    let answered = answered.map(|position| (position.answers, position.state));
    let (mut ended, mut begun) = (Vec::new(), None);
    for (number, state) in answered.chain([(usize::MAX, session.state())]) {
        let is_known = machine.resume(state).is_ok();
        let slot = machine.innermost_of(state, &slots).filter(|_| is_known);
        if let Some((old, first)) = begun.take_if(|(old, _)| Some(*old) != slot) {
            let name = procedures.iter().find(|(slot, _)| *slot == old);
            let name = name.filter(|_| number >= answers);
            ended.extend(name.map(|(_, name)| EndedProcedure {
                name: name.clone(),
                first,
                after: state,
            }));
        }
        begun = begun.or(slot.map(|slot| (slot, state)));
    }
    ended
}

/// Returns how many outcomes there were before a procedure that is under way; `None` if dice were thrown since it began: then odds to its end
/// would be those of the rest alone.
fn outcomes_before(
    session: &Session,
    machine: &mut Machine,
    slot: usize,
) -> Result<Option<usize>, Complaints> {
    let answered: Vec<_> = session.answered_positions().collect();
    for position in answered.into_iter().rev() {
        machine.resume(position.state)?;
        if machine.innermost_of(position.state, &[slot]).is_none() {
            return Ok(Some(position.state.outcomes.len()));
        }
        if matches!(position.asked, WaitingFor::Throw(_)) {
            return Ok(None);
        }
    }
    // What came before may not be known any more.
    Ok((!session.has_forgotten()).then_some(0))
}

/// Returns the state after an option and the answers of routine that follow it, up to one of these functions; `None` where the procedure at hand
/// has ended. The session stays as it was.
fn state_after(
    session: &mut Session,
    machine: &mut Machine,
    option: usize,
    slots: &[usize],
) -> Result<Option<State>, Error> {
    let procedures = session.procedure_starts().len();
    let (mut next, mut count, mut wrong) = (Some(option), 0, Ok(()));
    while let Some(answer) = next.filter(|_| count < MAX_ROUTINE) {
        wrong = session.choose(answer);
        if wrong.is_err() {
            break;
        }
        count += 1;
        let is_known = machine.resume(session.state()).is_ok();
        let is_within = is_known && machine.innermost_of(session.state(), slots).is_some();
        next = session.usual_answer().filter(|_| !is_within);
    }
    let goes_on = session.procedure_starts().len() == procedures && !session.is_over();
    let state = goes_on.then(|| session.state().clone());
    for _ in 0..count {
        session.undo();
    }
    wrong.map(|()| state)
}

/// Finds the procedure that an option of the pending choice begins, or prepares, once for each answer of the other sides that is not known:
/// those of the `hidden` sides, and those to come of a simultaneous question. Questions of routine in between get their usual answers. Empty
/// if it begins none. The session stays as it was.
pub fn procedure_begun(
    session: &mut Session,
    option: usize,
    hidden: &[String],
) -> Result<Vec<BegunProcedure>, Error> {
    let procedures = at_stake(&session.situation);
    let slots: Vec<usize> = procedures.iter().map(|(slot, _)| *slot).collect();
    let mut machine = session.situation.machine();
    machine.resume(session.state()).map_err(Error::Data)?;
    // Earlier outcomes are those of earlier battles.
    let earlier = match machine.innermost_of(session.state(), &slots) {
        Some(slot) => outcomes_before(session, &mut machine, slot).map_err(Error::Data)?,
        None => Some(session.state().outcomes.len()),
    };
    let Some(earlier) = earlier else {
        return Ok(Vec::new());
    };
    let positions = if session.asks_in_secret() {
        session.possible_positions(Some(option), hidden)?
    } else {
        let state = state_after(session, &mut machine, option, &slots)?;
        state
            .map(|state| (String::new(), state))
            .into_iter()
            .collect()
    };
    let mut begun = Vec::new();
    for (assumed, mut state) in positions {
        state.outcomes.drain(..earlier.min(state.outcomes.len()));
        machine.resume(&state).map_err(Error::Data)?;
        let Some(slot) = machine.end_at_return_of(&mut state, &slots) else {
            return Ok(Vec::new());
        };
        let mut remaining = session.situation.with_state(state);
        let name = procedures.iter().find(|(its_slot, _)| *its_slot == slot);
        remaining.procedure = name.map(|(_, name)| name.clone()).unwrap_or_default();
        begun.push(BegunProcedure { remaining, assumed });
    }
    Ok(begun)
}

impl BegunProcedure {
    /// Counts the headline of the procedure and says it in a sentence. Choices in it are answered by the policies; without one the first option is
    /// taken. `None` if it can't be counted whole within the limits.
    pub fn headline(
        &self,
        policies: &Policies,
        limits: CountLimits,
    ) -> Result<Option<String>, Error> {
        let source = ChoiceSource {
            policies: Arc::new(policies.without_records()),
            ..ChoiceSource::default()
        };
        let counted = CountJob {
            situation: &self.remaining,
            choice_source: &source,
            key_parts: &StateKeyParts::default(),
            threads: limits.threads,
            limits: &SearchLimits {
                deadline: limits.deadline(),
                memory: limits.memory,
                stop: limits.stop,
                progress: &|_, _| {},
            },
        }
        .run()?;
        let odds = Odds::new(&counted, &Strategy::default())?;
        if !odds.is_complete() {
            return Ok(None);
        }
        let line = sentence(&labelled_headline_values(&self.remaining, &odds));
        let ruleset = self.remaining.ruleset();
        let guessed = source
            .policies
            .guessed_sides(|question| ruleset.is_secret(question));
        let guessed = join_words(guessed.into_iter().collect());
        Ok(Some(match line.is_empty() || guessed.is_empty() {
            true => line,
            false => format!("{line} Each secret answer of {guessed} is taken as likely."),
        }))
    }
}
