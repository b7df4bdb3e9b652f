//! Charts, readings, and the sheets that procedures fill in.

use super::lists::no_figure;
use super::{Kind::*, Verb};
use crate::code::context::{Answer, Chart, Context, fault, key};
use crate::complaint::did_you_mean;
use crate::data::case::Status;
use crate::data::table::Cell;
use crate::situation::board::Board;
use crate::situation::figures::{Figure, Of};
use crate::situation::trace::Event;
use crate::situation::value::{Map as Names, Text as Word, Value};
use crate::situation::words::text_of;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The verbs.
pub const VERBS: &[Verb] = &[
    Verb::operation(
        "table",
        &[("chart", Text), ("key", Any), ("key", Any), ("key", Any)],
        "The cell of a chart on which keys fall: its row; its column and row; or its sheet, column and row.",
        "table(\"fight\", \"1:1\", 3).defender == 1",
    )
    .optional(2),
    Verb::answers(
        "row",
        &[("chart", Text), ("key", Any)],
        row,
        "A row of a chart: its figures by the labels of the columns; of a chart with one column, the cell.",
        "row(\"fight\", 3)[\"1:1\"].defender == 1",
    ),
    Verb::answers(
        "is_known",
        &[("what", Any), ("key", Any), ("key", Any), ("key", Any)],
        is_known,
        "Whether a figure of a piece, or the cell of a chart on which keys fall, is known; `piece.figure` and `table` refuse where it is not.",
        "is_known(piece(\"Red guard\"), \"power\") && is_known(\"fight\", \"1:1\", 3)",
    ).gives(Flag)
    .optional(2),
    Verb::answers(
        "labels",
        &[("chart", Text), ("axis", Text)],
        labels,
        "The labels of a chart's sheets, columns or rows, by what the axis is called there, in order.",
        "labels(\"fight\", \"die\").len() == 6",
    ).gives(List),
    Verb::operation(
        "reading",
        &[("name", Text)],
        "How a doubtful text is read in this ruleset: a reading of this case, or \"8.16.remainder\".",
        "reading(\"1.1.carts\") == \"stay out\"",
    ),
    Verb::operation(
        "prior",
        &[("a", Any); 8],
        "What the next older layer answers, asked the same; or with other arguments.",
        "fn fight_odds(attackers, defenders) { let older = prior(); older }",
    )
    .optional(8),
    Verb::answers(
        "record",
        &[("fields", Map)],
        record,
        "A sheet that cases hand on and fill in: whoever holds it sees what others write.",
        "record(#{ loss: 3 }).loss == 3",
    ),
    Verb::answers(
        "fill",
        &[("sheet", Record), ("fields", Map)],
        fill,
        "Fills in several fields of a sheet.",
        "let sheet = record(#{ loss: 3 }); fill(sheet, #{ loss: 1, won: true }); sheet.loss == 1",
    ),
];

/// The cell of a chart that is asked for.
fn sought(ctx: &mut Context, args: &[&Value]) -> Answer<(Arc<Chart>, usize)> {
    let Some(id) = args[0].text() else {
        return fault(
            "running",
            format!("`table` takes the number or name of a chart; it was given {}", args[0].kind()),
            "tables stand in tables/<game>",
        );
    };
    let Some(chart) = ctx.chart(id)? else {
        let near = did_you_mean(id, ctx.ruleset.table_names());
        let what = format!("no table in force is called `{id}`{near}");
        return fault("unknown-name", what, "tables stand in tables/<game> and in variants");
    };
    let keys = &args[1..];
    let asked = match keys {
        [row] => [None, None, Some(key(row))],
        [column, row] => [None, Some(key(column)), Some(key(row))],
        [sheet, column, row, ..] => [Some(key(sheet)), Some(key(column)), Some(key(row))],
        [] => [None; 3],
    };
    let table = &chart.table;
    match table.find(asked) {
        Ok(index) => Ok((chart, index)),
        Err(axis) => {
            let axis_data = &table.axes[axis];
            let asked = keys.get((axis + keys.len()).wrapping_sub(3)).map(|k| text_of(k, ctx.board)).unwrap_or_default();
            let what = format!("table {id} has no {} {asked}", if axis_data.of.is_empty() { "label" } else { &axis_data.of });
            fault("label", what, format!("it has {}", axis_data.written.join(", ")))
        }
    }
}

/// Whether a cell is not known, or not as well as is asked for.
fn refuses(ctx: &Context, cell: &Cell) -> bool {
    cell.missing() || (ctx.manner.strict && cell.status == Status::Reconstructed)
}

/// Reads a cell: the chart and its keys.
pub fn read(ctx: &mut Context, args: &[&Value]) -> Answer {
    let (chart, index) = sought(ctx, args)?;
    let table = &chart.table;
    let cell = &table.cells[index];
    if refuses(ctx, cell) {
        let known = if cell.missing() { "is not known" } else { "is reconstructed, and --strict does not use such figures" };
        let what = format!("table {}, {}: the figure {known}", text_of(args[0], ctx.board), table.label(index));
        let help = format!(
            "type the printed chart into a variant of your own: casebook new variant my-charts --tables (it stands in {})",
            cell.path
        );
        return fault("figure", what, help);
    }
    if cell.status == Status::Reconstructed {
        chart.doubted[index].store(true, Ordering::Relaxed);
    }
    ctx.note_reading(|| Event::Cell(table.clone(), index as u32));
    Ok(chart.value(index).cloned().unwrap_or_default())
}

fn is_known(ctx: &mut Context, args: &[&Value]) -> Answer {
    if let Some(piece) = args[0].piece() {
        let name = args[1].text().cloned().unwrap_or_default();
        let Some(column) = Board::column(ctx.game(), &name) else { return no_figure(ctx, &name) };
        return Ok(ctx.is_known(piece, column).into());
    }
    if let Some(described) = args[0].map() {
        return Ok(args[1].text().and_then(|name| described.get(name)).is_some_and(|value| !value.is_nothing()).into());
    }
    let (chart, index) = sought(ctx, args)?;
    Ok((!refuses(ctx, &chart.table.cells[index])).into())
}

fn row(ctx: &mut Context, args: &[&Value]) -> Answer {
    let id = args[0].text().cloned().unwrap_or_default();
    let columns: Vec<String> = ctx.chart(&id)?.map(|chart| chart.table.axes[1].written.clone()).unwrap_or_default();
    if columns.len() < 2 {
        return read(ctx, args);
    }
    let mut row = Vec::new();
    for label in columns {
        let column = Value::from(label.as_str());
        row.push((Word::from(label), read(ctx, &[args[0], &column, args[1]])?));
    }
    Ok(Value::Map(Names::cell(row)))
}

fn labels(ctx: &mut Context, args: &[&Value]) -> Answer {
    let (id, wanted) = (args[0].text().cloned().unwrap_or_default(), args[1].text().cloned().unwrap_or_default());
    let Some(chart) = ctx.chart(&id)? else {
        let near = did_you_mean(&id, ctx.ruleset.table_names());
        return fault("unknown-name", format!("no table in force is called `{id}`{near}"), "tables stand in tables/<game> and in variants");
    };
    let axes = &chart.table.axes;
    match axes.iter().find(|axis| axis.of == wanted.as_str()) {
        Some(axis) => Ok(axis.written.iter().map(|label| Value::from(label.as_str())).collect()),
        None => {
            let named = axes.iter().map(|axis| axis.of.as_str()).filter(|of| !of.is_empty()).collect::<Vec<_>>().join(", ");
            fault("label", format!("table {id} has no axis `{wanted}`"), format!("it has {named}"))
        }
    }
}

/// The fields of a map, numbered.
fn numbered(ctx: &Context, map: &Value) -> Answer<Vec<(usize, Value)>> {
    let entries = map.map().map(Names::entries).unwrap_or_default();
    entries.iter().map(|(name, value)| Ok((ctx.field(name)?, value.clone()))).collect()
}

fn record(ctx: &mut Context, args: &[&Value]) -> Answer {
    let fields = numbered(ctx, args[0])?;
    Ok(Value::Record(ctx.board.record(fields)))
}

fn fill(ctx: &mut Context, args: &[&Value]) -> Answer {
    let Value::Record(record) = args[0] else { return Ok(Value::Nothing) };
    for (field, value) in numbered(ctx, args[1])? {
        ctx.board.set(Figure::new(Of::Record, field, *record), value);
    }
    Ok(Value::Nothing)
}
