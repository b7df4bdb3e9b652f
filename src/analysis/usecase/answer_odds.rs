//! The odds of what an answer begins: of a procedure with something at stake, such as a battle, counted to its end.

use crate::odds::bounds::SearchLimits;
use crate::odds::count::CountJob;
use crate::odds::distribution::Odds;
use crate::odds::explore::StateKeyParts;
use crate::odds::fold::Strategy;
use crate::odds::headline::{EntryValues, labelled_headline_values};
use crate::usecase::settings::CountLimits;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::Stop;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::manifest::function_name;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::session::{Session, WaitingFor};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::policy::Policies;
use casebook_engine::situation::trace::AnswerSource;
use std::sync::Arc;

/// Maximum number of answers of routine before a procedure begins.
const MAX_ROUTINE: usize = 8;

/// The procedure that an answer begins, before its first throw or the next choice of somebody.
pub struct BegunProcedure {
    /// The rest of it.
    pub remaining: Situation,
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

/// Returns whether dice were thrown in a procedure since it began: then odds to its end would be those of the rest alone.
fn is_under_way(session: &Session, machine: &mut Machine, slot: usize) -> Result<bool, Complaints> {
    let answered: Vec<_> = session.answered_positions().collect();
    for position in answered.into_iter().rev() {
        machine.resume(position.state)?;
        if machine.innermost_of(position.state, &[slot]).is_none() {
            return Ok(false);
        }
        if matches!(position.asked, WaitingFor::Throw(_)) {
            return Ok(true);
        }
    }
    // What came before is not known any more.
    Ok(session.has_forgotten())
}

/// Returns the option with the answers of routine that follow it; the session stays as it was.
fn with_routine(session: &mut Session, option: usize) -> Result<Vec<usize>, Error> {
    let mut answers = Vec::new();
    let mut next = Some(option);
    let mut wrong = Ok(());
    while let Some(answer) = next.filter(|_| answers.len() < MAX_ROUTINE) {
        wrong = session.choose(answer);
        if wrong.is_err() {
            break;
        }
        answers.push(answer);
        next = session.usual_answer();
    }
    for _ in &answers {
        session.undo();
    }
    wrong.map(|()| answers)
}

/// Finds the procedure that an option of the pending choice begins, or prepares; questions of routine in between get their usual answers. `None`
/// if it begins none. The session stays as it was.
pub fn procedure_begun(
    session: &mut Session,
    option: usize,
) -> Result<Option<BegunProcedure>, Error> {
    let WaitingFor::Choice(mut request) = session.waiting_for().clone() else {
        return Ok(None);
    };
    let answers = with_routine(session, option)?;
    let situation = &session.situation;
    let known = at_stake(situation);
    let slots: Vec<usize> = known.iter().map(|(slot, _)| *slot).collect();
    let (mut state, mut machine) = (session.state().clone(), situation.machine());
    machine.resume(&state).map_err(Error::Data)?;
    if let Some(slot) = machine.innermost_of(&state, &slots)
        && is_under_way(session, &mut machine, slot).map_err(Error::Data)?
    {
        return Ok(None);
    }
    // Earlier outcomes are those of earlier battles.
    state.outcomes.clear();
    machine.resume(&state).map_err(Error::Data)?;
    for answer in answers {
        machine.answer_choice(&mut state, &request, answer, AnswerSource::Explicit);
        let asked = loop {
            match machine.run(&mut state) {
                Stop::Returned => {}
                Stop::Throw(_) => break None,
                // As in a session, a choice of one option is none.
                Stop::Choice(next)
                    if next.options.len() == 1
                        && machine.innermost_of(&state, &slots).is_none() =>
                {
                    machine.answer_choice(&mut state, &next, 0, AnswerSource::FirstOption);
                }
                Stop::Choice(next) => break Some(next),
                Stop::Failed(complaints) => return Err(Error::Data(complaints)),
                Stop::Done(_) | Stop::Refused(_) | Stop::Count(_) => return Ok(None),
            }
        };
        match asked {
            Some(next) if machine.innermost_of(&state, &slots).is_none() => request = next,
            _ => break,
        }
    }
    let Some(slot) = machine.end_at_return_of(&mut state, &slots) else {
        return Ok(None);
    };
    let procedure = known
        .into_iter()
        .find_map(|(its_slot, name)| (its_slot == slot).then_some(name))
        .unwrap_or_default();
    let mut remaining = situation.with_state(state);
    remaining.procedure = procedure;
    Ok(Some(BegunProcedure { remaining }))
}

impl BegunProcedure {
    /// Counts the headline of the procedure. Choices in it are answered by the policies, by nobody's the first option is taken. `None` if it
    /// can't be counted whole within the limits.
    pub fn headline(
        &self,
        policies: &Policies,
        limits: CountLimits,
    ) -> Result<Option<Vec<EntryValues>>, Error> {
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
        let is_whole = odds.is_complete();
        Ok(is_whole.then(|| labelled_headline_values(&self.remaining, &odds)))
    }
}
