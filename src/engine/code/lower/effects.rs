//! Side effects of an operation beyond its registers: columns it may write, and whether it may refuse.

use crate::code::bytecode::{
    ArgumentList, CompiledFunction, Operation, OperationEffects, OperationFact, PathStep,
};
use crate::code::verbs::{self, VerbEffect};
use crate::code::vocabulary::Vocabulary;
use crate::data::manifest::Game;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind, LIMITS};
use crate::situation::initial_board::FIRST_ATTRIBUTE;
use crate::situation::value::HashedText;
use std::ops::Range;

/// Returns the effects of the operation at `index`. `callee_effects` returns the effects of a callee by function number.
pub fn effects_of(
    function: &CompiledFunction,
    index: usize,
    (game, words): (&Game, &Vocabulary),
    mut callee_effects: impl FnMut(u32) -> OperationEffects,
) -> OperationEffects {
    let mut effects = OperationEffects::default();
    function.operation_facts(function.ops[index], &mut |fact| {
        let mut writes = |kind: EntityKind, column: usize| {
            effects
                .written_columns
                .insert(CellKey::new(kind, column, 0).column_index())
        };
        match fact {
            OperationFact::Calls(number) => {
                effects.union_with(&callee_effects(function.callees[number as usize]))
            }
            OperationFact::CallsVerb(verb, args) => {
                add_verb_effect(
                    function,
                    index,
                    verbs::all()[verb as usize].effect,
                    args,
                    game,
                    words,
                    &mut effects,
                );
            }
            OperationFact::WritesStock(args) => add_verb_effect(
                function,
                index,
                VerbEffect::NamedStock,
                args,
                game,
                words,
                &mut effects,
            ),
            OperationFact::Refuses => effects.may_refuse = true,
            OperationFact::WritesShared => writes(EntityKind::Shared, 0),
            OperationFact::WritesPath(path) => {
                for step in &function.paths[path as usize] {
                    if let PathStep::Field(field) = step {
                        writes(
                            EntityKind::Record,
                            function.fields[*field as usize].record_field.into(),
                        );
                    }
                }
            }
            OperationFact::Reads(_)
            | OperationFact::Writes(_)
            | OperationFact::Updates(_)
            | OperationFact::Target(_)
            | OperationFact::Continues
            | OperationFact::Returns
            | OperationFact::MayStop
            | OperationFact::Catches(_)
            | OperationFact::EndsCatching
            | OperationFact::ReadsTable(_) => {}
        }
    });
    effects
}

/// Adds what the call of a verb changes.
fn add_verb_effect(
    function: &CompiledFunction,
    index: usize,
    effect: VerbEffect,
    args: ArgumentList,
    game: &Game,
    words: &Vocabulary,
    effects: &mut OperationEffects,
) {
    let mut writes = |kind: EntityKind, column: usize| {
        effects
            .written_columns
            .insert(CellKey::new(kind, column, 0).column_index())
    };
    match effect {
        VerbEffect::None | VerbEffect::Trace | VerbEffect::Recording => {}
        VerbEffect::Columns(columns) => columns
            .iter()
            .for_each(|(kind, column)| writes(*kind, *column)),
        VerbEffect::NamedFigure => {
            let (name, places) = (function.text_constant(args, 0), &game.places);
            let index_of = |list: &[(String, _)]| {
                list.iter().position(|(attribute, _)| {
                    Some(attribute.as_str()) == name.map(HashedText::as_str)
                })
            };
            let piece = name.and_then(|name| Board::column_of_attribute(game, name));
            possible_columns(name, piece, FIRST_ATTRIBUTE + game.attributes.len())
                .for_each(|column| writes(EntityKind::Piece, column));
            possible_columns(name, index_of(&places.attributes), places.attributes.len())
                .for_each(|column| writes(EntityKind::Place, column));
            possible_columns(
                name,
                index_of(&places.side_attributes),
                places.side_attributes.len(),
            )
            .for_each(|column| writes(EntityKind::Side, column));
        }
        VerbEffect::NamedTrack => {
            let name = function.text_constant(args, 0);
            let track = name.and_then(|name| {
                game.tracks
                    .keys()
                    .position(|track_name| track_name == name.as_str())
            });
            let tracks = possible_columns(name, track, game.tracks.len());
            tracks.for_each(|number| {
                effects
                    .written_columns
                    .insert(CellKey::new(EntityKind::Track, 0, number).column_index())
            });
        }
        VerbEffect::NamedStock => {
            let name = function.text_constant(args, 0);
            let stock = name.and_then(|name| Some(game.card_stock(name)?.0));
            for row in possible_columns(name, stock, game.card_stocks.len())
                .flat_map(|stock| game.card_rows(stock))
            {
                effects
                    .written_columns
                    .insert(CellKey::new(EntityKind::Track, 0, row).column_index());
            }
        }
        VerbEffect::SheetFields => {
            let map = function
                .args(args)
                .get(1)
                .and_then(|operand| operand.register());
            let comes_here = |from: &usize| {
                let mut comes = false;
                function.for_each_successor(*from, &mut |after| comes |= after == index);
                comes
            };
            let mut before = (0..function.ops.len())
                .filter(comes_here)
                .map(|from| function.ops[from]);
            match (before.next(), before.next()) {
                (Some(Operation::Map { dst, shape, .. }), None) if Some(dst) == map => {
                    let fields = function.map_shapes[shape as usize]
                        .iter()
                        .filter_map(|name| words.field_number(name));
                    fields.for_each(|field| writes(EntityKind::Record, field));
                }
                // A map that is not a literal just before the call may have any field.
                _ => (0..LIMITS.0).for_each(|field| writes(EntityKind::Record, field)),
            }
        }
    }
}

/// Returns the possible indices of a name among `count` names: `index` if the name is constant, else all of them.
fn possible_columns(name: Option<&HashedText>, index: Option<usize>, count: usize) -> Range<usize> {
    if name.is_some() {
        index.map_or(0..0, |index| index..index + 1)
    } else {
        0..count
    }
}
