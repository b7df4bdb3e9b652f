//! Reads a field by name from a piece, place, side between places, cell, sheet, map or list.

use crate::code::bytecode::FieldRef;
use crate::code::context::{NOTHING_ADVICE, VerbContext, VerbResult, fault};
use crate::code::verbs::language::{out_of_bounds, resolve_index};
use crate::code::verbs::lists::{figure_by_name, text_or_nothing, unknown_figure};
use crate::code::verbs::places::unknown_feature;
use crate::complaint::{DiagnosticCode, did_you_mean};
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::geography::default_feature;
use crate::situation::initial_board::{CARRIER_COLUMN, PLACE_COLUMN};
use crate::situation::value::{HashedText, Map, PieceId, Value};

/// The field of lists and texts that says how long they are.
pub const LENGTH: &str = "len";

/// Reads a field whose name is known at compile time.
pub fn read_field(ctx: &mut VerbContext, value: &Value, field: &FieldRef) -> VerbResult {
    match value {
        Value::Piece(piece) => piece_field(ctx, *piece, field),
        Value::Record(record) => Ok(ctx
            .board
            .get(CellKey::new(
                EntityKind::Record,
                field.record_field as usize,
                *record,
            ))
            .unwrap_or_default()),
        other => other_field(ctx, other, field),
    }
}

fn piece_field(ctx: &mut VerbContext, piece: PieceId, field: &FieldRef) -> VerbResult {
    match field.piece_column.map(usize::from) {
        Some(PLACE_COLUMN) => Ok(text_or_nothing(ctx.board.read_place_of(piece))),
        Some(CARRIER_COLUMN) => Ok(ctx
            .board
            .piece_value(piece, CARRIER_COLUMN)
            .as_text()
            .cloned()
            .map_or(Value::Nothing, text_or_nothing)),
        Some(column) => ctx.read_figure(piece, column),
        None if field.name.as_str() == "name" => Ok(ctx.board.name(piece).clone().into()),
        None => unknown_figure(ctx, &field.name),
    }
}

fn other_field(ctx: &mut VerbContext, value: &Value, field: &FieldRef) -> VerbResult {
    match value {
        Value::Place(name) => place_field(ctx, name, field),
        Value::Side(pair) => match field.side_column {
            Some(column) => {
                let feature = ctx.board.side_key(&pair.0, &pair.1, column.into());
                let name = || format!("{}/{}: the {}", pair.0, pair.1, field.name);
                let value = feature
                    .map(|feature| ctx.read_feature(feature, name))
                    .transpose()?
                    .flatten();
                Ok(value.unwrap_or_else(|| default_feature(ctx.game(), column.into(), true)))
            }
            None => unknown_feature(
                "side",
                &field.name,
                &ctx.ruleset.game.places.side_attributes,
            ),
        },
        Value::Map(cell) if cell.is_cell() => cell_field(cell, &field.name),
        Value::Map(map) => Ok(map.get_by_text(&field.name).cloned().unwrap_or_default()),
        Value::List(list) if field.name.as_str() == LENGTH => Ok((list.len() as i64).into()),
        Value::Text(text) if field.name.as_str() == LENGTH => {
            Ok((text.chars().count() as i64).into())
        }
        other => {
            let message = format!("{} has no `{}`", other.describe_type(), field.name);
            let help = if other.is_nothing() {
                NOTHING_ADVICE
            } else {
                "pieces, places, cells, maps and sheets have fields"
            };
            fault(DiagnosticCode::Running, message, help)
        }
    }
}

fn place_field(ctx: &mut VerbContext, name: &HashedText, field: &FieldRef) -> VerbResult {
    match field.place_column.map(usize::from) {
        _ if field.name.as_str() == "name" => Ok(name.clone().into()),
        Some(column) => {
            let feature = ctx.board.place_key(name, column);
            let value = feature
                .map(|feature| ctx.read_feature(feature, || format!("{name}: the {}", field.name)))
                .transpose()?
                .flatten();
            Ok(value.unwrap_or_else(|| default_feature(ctx.game(), column, false)))
        }
        None => unknown_feature("place", &field.name, &ctx.ruleset.game.places.attributes),
    }
}

fn cell_field(cell: &Map, name: &HashedText) -> VerbResult {
    match cell.get_by_text(name) {
        Some(value) => Ok(value.clone()),
        None => fault(
            DiagnosticCode::Running,
            did_you_mean(
                format!("the cell has no field `{name}`"),
                name,
                cell.entries().iter().map(|(key, _)| key.as_str()),
            ),
            "name a field or mark of the table file",
        ),
    }
}

/// Reads a field by a computed name, or a list item by index.
pub fn read_key(ctx: &mut VerbContext, value: &Value, key: &Value) -> VerbResult {
    match (value, key) {
        (Value::List(list), Value::Number(index)) => match resolve_index(*index, list.len()) {
            Some(position) => Ok(list[position].clone()),
            None => out_of_bounds(*index, list.len()),
        },
        (Value::Text(text), Value::Number(index)) => {
            let letters: Vec<char> = text.chars().collect();
            match resolve_index(*index, letters.len()) {
                Some(position) => Ok(letters[position].to_string().into()),
                None => out_of_bounds(*index, letters.len()),
            }
        }
        (Value::Number(bits), Value::Number(index)) if (0..64).contains(index) => {
            Ok((bits >> index & 1 == 1).into())
        }
        (Value::Piece(_), Value::Text(name)) => figure_by_name(ctx, value, name),
        (Value::Record(record), Value::Text(name)) => {
            let figure = CellKey::new(EntityKind::Record, ctx.field_number(name)?, *record);
            Ok(ctx.board.get(figure).unwrap_or_default())
        }
        (value, Value::Text(name)) => {
            let game = ctx.game();
            let column = |list: &[(String, _)]| {
                list.iter()
                    .position(|(k, _)| *k == name.as_str())
                    .map(|index| index as u16)
            };
            let (place_column, side_column) = (
                column(&game.places.attributes),
                column(&game.places.side_attributes),
            );
            other_field(
                ctx,
                value,
                &FieldRef {
                    name: name.clone(),
                    piece_column: None,
                    place_column,
                    side_column,
                    record_field: 0,
                },
            )
        }
        (value, key) => {
            let message = format!(
                "{} has no item {}",
                value.describe_type(),
                key.describe_type()
            );
            fault(
                DiagnosticCode::Running,
                message,
                "check first what is there: `list.len()`, `key in map`",
            )
        }
    }
}
