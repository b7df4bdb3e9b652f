//! The figures that whoever chooses has before him.

use crate::odds::profile::cell_name;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::{ChoiceRequest, State};
use casebook_engine::situation::cell_key::EntityKind;
use casebook_engine::situation::delta::DeltaFingerprints;
use casebook_engine::situation::policy::{Decision, PolicyKind};
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text::value_text;
use std::collections::BTreeMap;

/// Numbers by name: variables of the rules that are still read, and figures of pieces that have changed.
pub type VisibleFigures = BTreeMap<String, i64>;

/// Describes the choice that a state waits for. Its figures are noted only where best play is looked for.
pub fn decision_at(
    machine: &mut Machine,
    state: &mut State,
    request: &ChoiceRequest,
    kind: PolicyKind,
) -> Decision {
    let options = request
        .options
        .iter()
        .map(|option| value_text(option, &state.board))
        .collect();
    let is_best = matches!(kind, PolicyKind::Best | PolicyKind::Worst);
    let figures = if is_best {
        visible_figures(machine, state)
    } else {
        VisibleFigures::new()
    };
    Decision {
        side: request.side.to_string(),
        question: request.question.to_string(),
        options,
        kind,
        figures,
    }
}

fn visible_figures(machine: &mut Machine, state: &mut State) -> VisibleFigures {
    machine.clear_dead_registers(state, false);
    let mut figures = VisibleFigures::new();
    let ends = state
        .frames
        .iter()
        .skip(1)
        .map(|frame| frame.base as usize)
        .chain([state.registers.len()]);
    for (frame, end) in state.frames.iter().zip(ends) {
        let registers = state
            .registers
            .get(frame.base as usize..end)
            .unwrap_or_default();
        for (register, value) in registers.iter().enumerate() {
            if let (Some(number), Ok(register)) = (value.as_number(), register.try_into())
                && let Some(name) =
                    machine.variable_name(frame.function, frame.pc.wrapping_sub(1), register)
            {
                figures.insert(name, number);
            }
        }
    }
    let mut changed = Vec::new();
    state
        .board
        .diff(&DeltaFingerprints::default(), |cell, _, _| {
            changed.push(cell)
        });
    for cell in changed
        .into_iter()
        .filter(|cell| cell.kind() == EntityKind::Piece)
    {
        if let Some(Value::Number(number)) = state.board.peek(cell) {
            figures.insert(
                cell_name(cell, &state.board.start, &machine.program.ruleset.game),
                *number,
            );
        }
    }
    figures
}
