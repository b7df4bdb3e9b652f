//! What an operation may do beyond its registers: columns it may write, and whether a rule may refuse there.

use crate::code::unit::{Args, CONSTANT, Effects, Op, Operand, Unit};
use crate::code::verbs;
use crate::code::vocabulary::Vocabulary;
use crate::data::manifest::Game;
use crate::situation::board::Board;
use crate::situation::figures::{Figure, Of};
use crate::situation::start::{AT, GONE, ON};
use crate::situation::value::Text;

/// What an operation may do; `called` says it of the units that it calls.
pub fn of(unit: &Unit, op: Op, (game, words): (&Game, &Vocabulary), mut called: impl FnMut(u32) -> Effects) -> Effects {
    let mut effects = Effects::default();
    let mut writes = |of: Of, column: usize| effects.writes.add(Figure::new(of, column, 0).slot());
    match op {
        Op::Call { unit: number, .. } | Op::Closure { unit: number, .. } => return called(unit.units[number as usize]),
        Op::Refuse { .. } => effects.refuses = true,
        Op::Store { .. } => writes(Of::Shared, 0),
        Op::Put { path, .. } => {
            for step in &unit.paths[path as usize] {
                if let crate::code::unit::Step::Field(field) = step {
                    writes(Of::Record, unit.fields[*field as usize].record.into());
                }
            }
        }
        Op::Change { verb, args, .. } => match verbs::all()[verb as usize].name {
            "set" => {
                // Where only a run knows which figure it is, it may be any.
                let name = text(unit, args, 0).map(|name| &**name);
                let meant = |known: &str| name.is_none_or(|name| known == name);
                let own = ["kind", "side", "at", "on", "gone"].into_iter().chain(game.attributes.iter().map(|(known, _)| known.as_str()));
                own.filter(|known| meant(known))
                    .filter_map(|known| Board::column(game, known))
                    .for_each(|column| writes(Of::Piece, column));
                let places = game.places.attributes.iter().zip(0..).filter(|((known, _), _)| meant(known));
                places.for_each(|(_, column)| writes(Of::Place, column));
                let sides = game.places.sides.iter().zip(0..).filter(|((known, _), _)| meant(known));
                sides.for_each(|(_, column)| writes(Of::Side, column));
            }
            "remove" => [AT, ON, GONE].into_iter().for_each(|column| writes(Of::Piece, column)),
            _ => {}
        },
        Op::Verb { verb, args, .. } => match verbs::all()[verb as usize].name {
            "move_piece" | "put_on" => [AT, ON].into_iter().for_each(|column| writes(Of::Piece, column)),
            "create" => writes(Of::Count, 0),
            "set_track" => {
                let name = text(unit, args, 0).map(|name| &**name);
                let tracks = game.tracks.keys().zip(0..).filter(|(known, _)| name.is_none_or(|name| *known == name));
                tracks.for_each(|(_, number)| effects.writes.add(Figure::new(Of::Track, 0, number).slot()));
            }
            "fill" => {
                let map = unit.args(args).get(1).and_then(|operand| operand.register());
                let shapes = unit.ops.iter().filter_map(|op| match op {
                    Op::Map { dst, shape, .. } if Some(*dst) == map => Some(&unit.shapes[*shape as usize]),
                    _ => None,
                });
                shapes.flatten().filter_map(|name| words.field(name)).for_each(|field| writes(Of::Record, field));
            }
            _ => {}
        },
        _ => {}
    }
    effects
}

/// An argument that is a text of the rules.
fn text(unit: &Unit, args: Args, place: usize) -> Option<&Text> {
    let Operand(number) = *unit.args(args).get(place)?;
    if number & CONSTANT == 0 { None } else { unit.constants[(number & !CONSTANT) as usize].text() }
}
