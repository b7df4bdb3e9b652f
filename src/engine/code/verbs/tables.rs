//! Tables, readings, and sheets that procedures fill in.

use super::lists::unknown_figure;
use super::types::*;
use super::{ResultRule, TableAccess, VerbEffect, VerbReads};
use crate::code::context::{
    ScriptTable, VerbContext, VerbResult, axis_key, fault, fault_with_remedy,
};
use crate::complaint::{DiagnosticCode, Remedy, unknown_name};
use crate::data::axis::{Axis, AxisKey};
use crate::data::format::table::AXES;
use crate::data::status::Status;
use crate::data::table::Cell;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::trace::Event;
use crate::situation::value::{HashedText as Word, Map as Names, Value};
use crate::situation::value_text::value_text;
use std::sync::Arc;
use std::sync::atomic::Ordering;

verbs! {
    allowed_in: Anywhere, from_language: false;

    table(chart: TEXT as Table, key: ANY as Key)[key: ANY as Key, key: ANY as Key]
        = Operation(ReadTable).reading(VerbReads::Table(TableAccess::Cell)),
        "The cell of a chart on which keys fall: its row; its column and row; or its sheet, column and row. Two numbers in a list stand \
            for their odds.",
        "table(\"fight\", \"1:1\", 3).defender == 1";
    row(chart: TEXT as Table, key: ANY as Key) = row.reading(VerbReads::Table(TableAccess::Row)),
        "A row of a chart: its figures by the labels of the columns; of a chart with one column, the cell.",
        "row(\"fight\", 3)[\"1:1\"].defender == 1";
    is_known(what: TEXT | PIECE | MAP as Table, key: ANY as Key)[key: ANY as Key, key: ANY as Key] -> FLAG
        = is_known.reading(VerbReads::Table(TableAccess::IsKnown)),
        "Whether a figure of a piece, or the cell of a chart on which keys fall, is known; `piece.figure` and `table` refuse where it is \
            not.",
        "is_known(piece(\"Red guard\"), \"power\") && is_known(\"fight\", \"1:1\", 3)";
    labels(chart: TEXT as Table, axis: TEXT as Axis) -> LIST = labels.reading(VerbReads::Table(TableAccess::Labels)),
        "The labels of a chart's sheets, columns or rows, by what the axis is called there, or by one of these words, in order.",
        "labels(\"fight\", \"die\").len() == 6";
    label(chart: TEXT as Table, axis: TEXT as Axis, key: ANY as Key)[shift: NUMBER] -> TEXT
        = label.reading(VerbReads::Table(TableAccess::Labels)),
        "The label of a chart's axis under which a key falls; with a shift the one so many further, or the last. A key of two numbers \
            stands for their odds, rounded as the axis says.",
        "label(\"fight\", \"odds\", [7, 2]) == \"3:1\" && label(\"fight\", \"odds\", \"3:1\", -1) == \"2:1\"";
    reading(name: TEXT as Reading) = Operation(Reading).giving(ResultRule::Reading),
        "How a doubtful text is read in this ruleset: a reading of this case, or \"8.16.remainder\".",
        "reading(\"1.1.carts\") == \"stay out\"";
    prior()[a: ANY, a: ANY, a: ANY, a: ANY, a: ANY, a: ANY, a: ANY, a: ANY] = Operation(Prior),
        "What the next older layer answers, asked the same; or with other arguments.",
        "fn fight_odds(attackers, defenders) { let older = prior(); older }";
    record(fields: MAP as Fields) = record.with_effect(VerbEffect::Recording),
        "A sheet that cases hand on and fill in: each case that has it sees what the others write.", "record(#{ loss: 3 }).loss == 3";
    fill(sheet: RECORD as Sheet, fields: MAP as Fields) = fill.with_effect(VerbEffect::SheetFields),
        "Fills in several fields of a sheet.", "let sheet = record(#{ loss: 3 }); fill(sheet, #{ loss: 1, won: true }); sheet.loss == 1";
}

/// Said of a throw that a list of changes moved out of a chart.
const BEYOND: &str = "{} is beyond {}: {} is read.";

/// Finds the table cell for these arguments: table and keys. What a list of changes moved beyond the dice of a chart stops at its edge.
/// `says` is whether the ruling states it.
fn find_cell(
    ctx: &mut VerbContext,
    args: &[&Value],
    says: bool,
) -> VerbResult<(Arc<ScriptTable>, usize)> {
    let Some(id) = args[0].as_text() else {
        return fault(
            DiagnosticCode::Running,
            format!(
                "`table` takes the number or name of a chart; it was given {}",
                args[0].describe_type()
            ),
            "tables are files in tables/<game>",
        );
    };
    let Some(chart) = ctx.table(id)? else {
        let message = unknown_name("table in force", id, ctx.ruleset.table_names());
        return fault(
            DiagnosticCode::UnknownName,
            message,
            "name a table of tables/<game> or of a variant",
        );
    };
    let keys = &args[1..];
    let mut axis_keys = match keys {
        [row] => [None, None, Some(axis_key(row))],
        [column, row] => [None, Some(axis_key(column)), Some(axis_key(row))],
        [sheet, column, row, ..] => [
            Some(axis_key(sheet)),
            Some(axis_key(column)),
            Some(axis_key(row)),
        ],
        [] => [None; 3],
    };
    let table = chart.table.clone();
    let mut found = table.find(axis_keys);
    while let Err(axis) = found
        && let Some(AxisKey::Number(key)) = axis_keys[axis]
        && let Some(last) = table.axes[axis].last_beyond(key)
        && ctx.ruleset.has_changed_scripts()
    {
        axis_keys[axis] = Some(AxisKey::Number(last));
        if says {
            let values = [key.into(), table.title.as_str().into(), last.into()];
            ctx.record_call(|| Event::line(BEYOND.into(), values.into_iter().collect()));
        }
        found = table.find(axis_keys);
    }
    match found {
        Ok(index) => Ok((chart, index)),
        Err(axis) => {
            let axis_data = &table.axes[axis];
            let key_text = keys
                .get((axis + keys.len()).wrapping_sub(3))
                .map(|k| value_text(k, ctx.board))
                .unwrap_or_default();
            no_label(id, axis_data, &key_text)
        }
    }
}

/// Whether a cell is missing, or reconstructed in a strict run.
fn is_refused(ctx: &VerbContext, cell: &Cell) -> bool {
    cell.is_missing() || (ctx.run_mode.strict && cell.status == Status::Reconstructed)
}

/// Reads a table cell. Fails if it is missing, or reconstructed in a strict run.
pub fn read(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let (chart, index) = find_cell(ctx, args, true)?;
    let table = &chart.table;
    let cell = &table.cells[index];
    if is_refused(ctx, cell) {
        let status = if cell.is_missing() {
            Status::Missing
        } else {
            cell.status
        };
        let message = format!(
            "table {}, {}: the figure {}",
            value_text(args[0], ctx.board),
            table.label(index),
            status.refusal()
        );
        let help = format!(
            "type the printed chart into a variant of your own; it is in {}",
            cell.path
        );
        return fault_with_remedy(
            DiagnosticCode::Figure,
            message,
            help,
            Some(Remedy::NewTables),
        );
    }
    if cell.status == Status::Reconstructed {
        chart.reconstructed_reads[index].store(true, Ordering::Relaxed);
    }
    ctx.record_call(|| Event::Cell(table.clone(), index as u32));
    Ok(chart.value(index).cloned().unwrap_or_default())
}

fn is_known(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    if let Some(piece) = args[0].as_piece() {
        let name = args[1].as_text().cloned().unwrap_or_default();
        let Some(column) = Board::column_of_attribute(ctx.game(), &name) else {
            return unknown_figure(ctx, &name);
        };
        return Ok(ctx.is_known(piece, column).into());
    }
    if let Some(described) = args[0].as_map() {
        return Ok(args[1]
            .as_text()
            .and_then(|name| described.get(name))
            .is_some_and(|value| !value.is_nothing())
            .into());
    }
    let (chart, index) = find_cell(ctx, args, false)?;
    Ok((!is_refused(ctx, &chart.table.cells[index])).into())
}

fn row(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let id = args[0].as_text().cloned().unwrap_or_default();
    let columns: Vec<String> = ctx
        .table(&id)?
        .map(|chart| chart.table.axes[1].label_texts.clone())
        .unwrap_or_default();
    if columns.len() < 2 {
        return read(ctx, args);
    }
    let mut row = Vec::new();
    for label in columns {
        let column = Value::from(label.as_str());
        row.push((Word::from(label), read(ctx, &[args[0], &column, args[1]])?));
    }
    Ok(Value::Map(Names::from_cell(row)))
}

/// Fails because an axis has no label for a key.
fn no_label<T>(id: &str, axis: &Axis, key: &str) -> VerbResult<T> {
    let message = format!(
        "table {id} has no {} {key}",
        if axis.name.is_empty() {
            "label"
        } else {
            &axis.name
        }
    );
    fault(
        DiagnosticCode::Label,
        message,
        format!("name one that it has: {}", axis.label_texts.join(", ")),
    )
}

/// Finds the axis that the first two arguments name.
fn find_axis(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult<(Arc<ScriptTable>, usize)> {
    let (id, axis_name) = (
        args[0].as_text().cloned().unwrap_or_default(),
        args[1].as_text().cloned().unwrap_or_default(),
    );
    let Some(chart) = ctx.table(&id)? else {
        return fault(
            DiagnosticCode::UnknownName,
            unknown_name("table in force", &id, ctx.ruleset.table_names()),
            "name a table of tables/<game> or of a variant",
        );
    };
    let axes = &chart.table.axes;
    let named = axes.iter().position(|axis| axis.name == axis_name.as_str());
    // Without a name of its own an axis is called as the chart's file calls it.
    let by_key = AXES.iter().find(|(key, _)| *key == axis_name.as_str());
    match named.or(by_key.map(|(_, axis)| *axis)) {
        Some(axis) => Ok((chart, axis)),
        None => {
            let axis_names = axes
                .iter()
                .map(|axis| axis.name.as_str())
                .filter(|axis_title| !axis_title.is_empty())
                .collect::<Vec<_>>()
                .join(", ");
            fault(
                DiagnosticCode::Label,
                format!("table {id} has no axis `{axis_name}`"),
                format!("name one that it has: {axis_names}"),
            )
        }
    }
}

fn labels(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let (chart, axis) = find_axis(ctx, args)?;
    Ok(chart.table.axes[axis]
        .label_texts
        .iter()
        .map(|label| Value::from(label.as_str()))
        .collect())
}

fn label(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let (chart, axis) = find_axis(ctx, args)?;
    let axis = &chart.table.axes[axis];
    let Some(index) = axis.find(axis_key(args[2])) else {
        return no_label(&chart.table.id, axis, &value_text(args[2], ctx.board));
    };
    let shift = args.get(3).and_then(|shift| shift.as_number()).unwrap_or(0);
    let shifted = (index as i64)
        .saturating_add(shift)
        .clamp(0, axis.label_texts.len() as i64 - 1);
    Ok(axis.label_texts[shifted as usize].as_str().into())
}

/// Returns the entries of a map by field number.
fn numbered_fields(ctx: &VerbContext, map: &Value) -> VerbResult<Vec<(usize, Value)>> {
    let entries = map.as_map().map(Names::entries).unwrap_or_default();
    entries
        .iter()
        .map(|(name, value)| Ok((ctx.field_number(name)?, value.clone())))
        .collect()
}

fn record(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let fields = numbered_fields(ctx, args[0])?;
    Ok(Value::Record(ctx.board.new_record(fields)))
}

fn fill(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let Value::Record(record) = args[0] else {
        return Ok(Value::Nothing);
    };
    for (field, value) in numbered_fields(ctx, args[1])? {
        ctx.board
            .set(CellKey::new(EntityKind::Record, field, *record), value);
    }
    Ok(Value::Nothing)
}
