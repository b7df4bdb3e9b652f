//! A field by its name: what it means of a piece, a place, the side between two, a cell, a list.

use crate::code::context::{Answer, Context, fault};
use crate::code::unit::Field;
use crate::code::verbs::language::{out_of_bounds, place};
use crate::code::verbs::lists::{figure_of, no_figure, word};
use crate::code::verbs::places::no_feature;
use crate::complaint::did_you_mean;
use crate::situation::figures::{Figure, Of};
use crate::situation::geography::unsaid;
use crate::situation::start::{AT, ON};
use crate::situation::value::{Map, PieceId, Text, Value};

/// A field of anything.
pub fn of(ctx: &mut Context, of: &Value, field: &Field) -> Answer {
    match of {
        Value::Piece(piece) => of_piece(ctx, *piece, field),
        Value::Record(record) => Ok(ctx.board.get(Figure::new(Of::Record, field.record as usize, *record)).unwrap_or_default()),
        other => of_other(ctx, other, field),
    }
}

fn of_piece(ctx: &mut Context, piece: PieceId, field: &Field) -> Answer {
    match field.piece.map(usize::from) {
        Some(AT) => Ok(word(ctx.board.whereabouts(piece))),
        Some(ON) => Ok(ctx.board.piece(piece, ON).text().cloned().map_or(Value::Nothing, word)),
        Some(column) => ctx.figure(piece, column),
        None if field.name.as_str() == "name" => Ok(ctx.board.name(piece).clone().into()),
        None => no_figure(ctx, &field.name),
    }
}

fn of_other(ctx: &mut Context, of: &Value, field: &Field) -> Answer {
    match of {
        Value::Place(name) => of_place(ctx, name, field),
        Value::Side(pair) => match field.side {
            Some(column) => {
                let figure = ctx.board.side(&pair.0, &pair.1, column.into());
                Ok(figure.and_then(|figure| ctx.board.get(figure)).unwrap_or_else(|| unsaid(ctx.game(), column.into(), true)))
            }
            None => no_feature("side", &field.name, &ctx.ruleset.game.places.sides),
        },
        Value::Map(cell) if cell.is_cell() => of_cell(cell, &field.name),
        Value::Map(map) => Ok(map.find(&field.name).cloned().unwrap_or_default()),
        Value::List(list) if field.name.as_str() == "len" => Ok((list.len() as i64).into()),
        Value::Text(text) if field.name.as_str() == "len" => Ok((text.chars().count() as i64).into()),
        other => {
            let what = format!("{} has no `{}`", other.kind(), field.name);
            let help = if other.is_nothing() {
                "look what stands here: a figure that nobody gave reads as ()"
            } else {
                "pieces, places, cells, maps and sheets have fields"
            };
            fault("running", what, help)
        }
    }
}

fn of_place(ctx: &mut Context, name: &Text, field: &Field) -> Answer {
    match field.place.map(usize::from) {
        _ if field.name.as_str() == "name" => Ok(name.clone().into()),
        Some(column) => {
            let figure = ctx.board.place(name, column);
            Ok(figure.and_then(|figure| ctx.board.get(figure)).unwrap_or_else(|| unsaid(ctx.game(), column, false)))
        }
        None => no_feature("place", &field.name, &ctx.ruleset.game.places.attributes),
    }
}

fn of_cell(cell: &Map, name: &Text) -> Answer {
    match cell.find(name) {
        Some(value) => Ok(value.clone()),
        None => {
            let near = did_you_mean(name, cell.entries().iter().map(|(key, _)| key.as_str()));
            fault("running", format!("the cell has no field `{name}`{near}"), "fields and marks stand in the table file")
        }
    }
}

/// A field by a name worked out, or an item by its number.
pub fn by_key(ctx: &mut Context, of: &Value, key: &Value) -> Answer {
    match (of, key) {
        (Value::List(list), Value::Number(index)) => match place(*index, list.len()) {
            Some(place) => Ok(list[place].clone()),
            None => out_of_bounds(*index, list.len()),
        },
        (Value::Text(text), Value::Number(index)) => {
            let letters: Vec<char> = text.chars().collect();
            match place(*index, letters.len()) {
                Some(place) => Ok(letters[place].to_string().into()),
                None => out_of_bounds(*index, letters.len()),
            }
        }
        (Value::Number(bits), Value::Number(index)) if (0..64).contains(index) => Ok((bits >> index & 1 == 1).into()),
        (Value::Piece(_), Value::Text(name)) => figure_of(ctx, of, name),
        (Value::Record(record), Value::Text(name)) => {
            let figure = Figure::new(Of::Record, ctx.field(name)?, *record);
            Ok(ctx.board.get(figure).unwrap_or_default())
        }
        (of, Value::Text(name)) => {
            let game = ctx.game();
            let column = |list: &[(String, _)]| list.iter().position(|(k, _)| *k == name.as_str()).map(|place| place as u16);
            let (at, side) = (column(&game.places.attributes), column(&game.places.sides));
            of_other(ctx, of, &Field { name: name.clone(), piece: None, place: at, side, record: 0 })
        }
        (of, key) => {
            let what = format!("{} has no item {}", of.kind(), key.kind());
            fault("running", what, "look first what is there: `list.len()`, `key in map`")
        }
    }
}
