//! Side effects of an operation beyond its registers: columns it may write, and whether it may refuse.

use super::liveness::for_each_successor;
use crate::code::bytecode::{ArgumentList, CONSTANT_BIT, CompiledFunction, Operand, Operation, OperationEffects};
use crate::code::verbs;
use crate::code::vocabulary::Vocabulary;
use crate::data::manifest::Game;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind, LIMITS};
use crate::situation::initial_board::{CARRIER_COLUMN, FIRST_ATTRIBUTE, GONE_COLUMN, PLACE_COLUMN};
use crate::situation::value::HashedText;
use std::ops::Range;

/// Returns the effects of the operation at `place`. `called` returns the effects of a callee by function number.
pub fn effects_of(
    unit: &CompiledFunction,
    place: usize,
    (game, words): (&Game, &Vocabulary),
    mut called: impl FnMut(u32) -> OperationEffects,
) -> OperationEffects {
    let mut effects = OperationEffects::default();
    let mut writes = |of: EntityKind, column: usize| effects.written_columns.insert(CellKey::new(of, column, 0).column_index());
    match unit.ops[place] {
        Operation::Call { callee: number, .. } | Operation::Closure { function: number, .. } => {
            return called(unit.callees[number as usize]);
        }
        Operation::Refuse { .. } => effects.may_refuse = true,
        Operation::StoreShared { .. } => writes(EntityKind::Shared, 0),
        Operation::StorePath { path, .. } => {
            for step in &unit.paths[path as usize] {
                if let crate::code::bytecode::PathStep::Field(field) = step {
                    writes(EntityKind::Record, unit.fields[*field as usize].record_field.into());
                }
            }
        }
        Operation::CallMutatingVerb { verb, args, .. } => match verbs::all()[verb as usize].name {
            "set" => {
                let (name, places) = (text_constant(unit, args, 0), &game.places);
                let of = |list: &[(String, _)]| list.iter().position(|(known, _)| Some(known.as_str()) == name.map(HashedText::as_str));
                let piece = name.and_then(|name| Board::column_of_attribute(game, name));
                possible_columns(name, piece, FIRST_ATTRIBUTE + game.attributes.len()).for_each(|column| writes(EntityKind::Piece, column));
                possible_columns(name, of(&places.attributes), places.attributes.len())
                    .for_each(|column| writes(EntityKind::Place, column));
                possible_columns(name, of(&places.side_attributes), places.side_attributes.len())
                    .for_each(|column| writes(EntityKind::Side, column));
            }
            "remove" => [PLACE_COLUMN, CARRIER_COLUMN, GONE_COLUMN].into_iter().for_each(|column| writes(EntityKind::Piece, column)),
            _ => {}
        },
        Operation::CallVerb { verb, args, .. } => match verbs::all()[verb as usize].name {
            "move_piece" | "put_on" => [PLACE_COLUMN, CARRIER_COLUMN].into_iter().for_each(|column| writes(EntityKind::Piece, column)),
            "create" => writes(EntityKind::Count, 0),
            "set_track" => {
                let name = text_constant(unit, args, 0);
                let track = name.and_then(|name| game.tracks.keys().position(|known| known == name.as_str()));
                let tracks = possible_columns(name, track, game.tracks.len());
                tracks.for_each(|number| effects.written_columns.insert(CellKey::new(EntityKind::Track, 0, number).column_index()));
            }
            "fill" => {
                let map = unit.args(args).get(1).and_then(|operand| operand.register());
                let comes_here = |from: &usize| {
                    let mut comes = false;
                    for_each_successor(unit, *from, &mut |after| comes |= after == place);
                    comes
                };
                let mut before = (0..unit.ops.len()).filter(comes_here).map(|from| unit.ops[from]);
                match (before.next(), before.next()) {
                    (Some(Operation::Map { dst, shape, .. }), None) if Some(dst) == map => {
                        let fields = unit.map_shapes[shape as usize].iter().filter_map(|name| words.field_number(name));
                        fields.for_each(|field| writes(EntityKind::Record, field));
                    }
                    // A map that is not a literal just before the call may have any field.
                    _ => (0..LIMITS.0).for_each(|field| writes(EntityKind::Record, field)),
                }
            }
            _ => {}
        },
        _ => {}
    }
    effects
}

/// Returns the possible indices of a name among `all` names: `own` if the name is constant, else all of them.
fn possible_columns(name: Option<&HashedText>, own: Option<usize>, all: usize) -> Range<usize> {
    if name.is_some() { own.map_or(0..0, |own| own..own + 1) } else { 0..all }
}

/// Returns an argument that is a constant text.
fn text_constant(unit: &CompiledFunction, args: ArgumentList, place: usize) -> Option<&HashedText> {
    let Operand(number) = *unit.args(args).get(place)?;
    if number & CONSTANT_BIT == 0 { None } else { unit.constants[(number & !CONSTANT_BIT) as usize].as_text() }
}
