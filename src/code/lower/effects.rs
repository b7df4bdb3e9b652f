//! What an operation may do beyond its registers: columns it may write, and whether a rule may refuse there.

use super::liveness::next;
use crate::code::unit::{Args, CONSTANT, Effects, Op, Operand, Unit};
use crate::code::verbs;
use crate::code::vocabulary::Vocabulary;
use crate::data::manifest::Game;
use crate::situation::board::Board;
use crate::situation::figures::{Figure, MOST, Of};
use crate::situation::start::{AT, FIRST, GONE, ON};
use crate::situation::value::Text;
use std::ops::Range;

/// What the operation at a place may do; `called` says it of the units that it calls.
pub fn of(unit: &Unit, place: usize, (game, words): (&Game, &Vocabulary), mut called: impl FnMut(u32) -> Effects) -> Effects {
    let mut effects = Effects::default();
    let mut writes = |of: Of, column: usize| effects.writes.add(Figure::new(of, column, 0).slot());
    match unit.ops[place] {
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
                let (name, places) = (text(unit, args, 0), &game.places);
                let of = |list: &[(String, _)]| list.iter().position(|(known, _)| Some(known.as_str()) == name.map(Text::as_str));
                let piece = name.and_then(|name| Board::column(game, name));
                meant(name, piece, FIRST + game.attributes.len()).for_each(|column| writes(Of::Piece, column));
                meant(name, of(&places.attributes), places.attributes.len()).for_each(|column| writes(Of::Place, column));
                meant(name, of(&places.sides), places.sides.len()).for_each(|column| writes(Of::Side, column));
            }
            "remove" => [AT, ON, GONE].into_iter().for_each(|column| writes(Of::Piece, column)),
            _ => {}
        },
        Op::Verb { verb, args, .. } => match verbs::all()[verb as usize].name {
            "move_piece" | "put_on" => [AT, ON].into_iter().for_each(|column| writes(Of::Piece, column)),
            "create" => writes(Of::Count, 0),
            "set_track" => {
                let name = text(unit, args, 0);
                let track = name.and_then(|name| game.tracks.keys().position(|known| known == name.as_str()));
                let tracks = meant(name, track, game.tracks.len());
                tracks.for_each(|number| effects.writes.add(Figure::new(Of::Track, 0, number).slot()));
            }
            "fill" => {
                let map = unit.args(args).get(1).and_then(|operand| operand.register());
                let comes_here = |from: &usize| {
                    let mut comes = false;
                    next(unit, *from, &mut |after| comes |= after == place);
                    comes
                };
                let mut before = (0..unit.ops.len()).filter(comes_here).map(|from| unit.ops[from]);
                match (before.next(), before.next()) {
                    (Some(Op::Map { dst, shape, .. }), None) if Some(dst) == map => {
                        let fields = unit.shapes[shape as usize].iter().filter_map(|name| words.field(name));
                        fields.for_each(|field| writes(Of::Record, field));
                    }
                    // Where the map is not written just there, it may fill in anything.
                    _ => (0..MOST.0).for_each(|field| writes(Of::Record, field)),
                }
            }
            _ => {}
        },
        _ => {}
    }
    effects
}

/// The places of a name in a list of so many: its own, or any where only a run knows which it is.
fn meant(name: Option<&Text>, own: Option<usize>, all: usize) -> Range<usize> {
    if name.is_some() { own.map_or(0..0, |own| own..own + 1) } else { 0..all }
}

/// An argument that is a text of the rules.
fn text(unit: &Unit, args: Args, place: usize) -> Option<&Text> {
    let Operand(number) = *unit.args(args).get(place)?;
    if number & CONSTANT == 0 { None } else { unit.constants[(number & !CONSTANT) as usize].text() }
}
