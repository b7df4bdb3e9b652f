//! `casebook new table`: a chart laid out to be filled in, or taken from a spreadsheet; and how much of it is known.

use crate::author::cell_count::CellCount;
use crate::author::scaffold::{NewFiles, check_near_names, check_number_or_name, layer_folder, with_layer, write_files};
use crate::complaint::{Complaints, Error};
use crate::data::library::Library;
use crate::data::table::Table;
use crate::data::yaml_writer::write_scalar;
use crate::ruleset::compose::Ruleset;
use crate::ruleset::diagnostics;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A chart as it comes from a spreadsheet: the columns' labels in its first line, the rows' in its first column.
#[derive(Clone, Debug, Default)]
pub struct SpreadsheetChart {
    /// What columns and rows count: the first field, `odds\die` or `die`.
    pub axis_names: (String, String),
    /// The labels of the columns.
    pub columns: Vec<String>,
    /// The rows: their labels, and their cells.
    pub rows: Vec<(String, Vec<String>)>,
}

impl SpreadsheetChart {
    /// Reads fields parted by tabs, semicolons or commas, whichever the first line has most of.
    pub fn parse(text: &str) -> Result<SpreadsheetChart, Error> {
        let first = text.lines().next().unwrap_or_default();
        let delimiter = [b'\t', b';', b','].into_iter().max_by_key(|d| (first.bytes().filter(|b| b == d).count(), *d == b'\t'));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter.unwrap_or(b','))
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        let mut lines = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| Error::Usage(format!("the chart can't be read: {error}")))?;
            lines.push(record.iter().map(String::from).collect::<Vec<_>>());
        }
        lines.retain(|line| line.iter().any(|field| !field.is_empty()));
        let mut lines = lines.into_iter();
        let (Some(head), true) = (lines.next(), lines.len() > 0) else {
            return Err(Error::Usage("a chart has a line with the labels of its columns, and a line for each row".into()));
        };
        let corner = head[0].clone();
        let of = corner
            .split_once(['\\', '/', '|'])
            .map_or((String::new(), corner.as_str().into()), |(c, r)| (c.trim().into(), r.trim().into()));
        // A chart with one column may leave it without a label.
        let labelled = head.iter().rposition(|label| !label.is_empty()).unwrap_or(0);
        let columns = head[1..].iter().take(labelled.max(1)).cloned().collect::<Vec<_>>();
        let mut rows = Vec::new();
        for mut line in lines {
            let label = line.remove(0);
            if let Some(over) = line.iter().skip(columns.len()).find(|field| !field.is_empty()) {
                let columns = columns.len();
                let what = format!("the line of `{label}` has more fields than the {columns} columns: `{over}` stands under none");
                return Err(Error::Usage(what));
            }
            line.resize(columns.len(), String::new());
            rows.push((label, line));
        }
        Ok(SpreadsheetChart { axis_names: of, columns, rows })
    }

    /// A figure or label as files write it: a plain whole number as it is, all else in quotes.
    fn yaml_scalar(text: &str) -> String {
        let plain = text.parse::<u32>().is_ok_and(|number| number.to_string() == text);
        if plain { text.into() } else { format!("\"{}\"", text.replace('"', "'")) }
    }

    /// A cell as files write it.
    fn yaml_cell(text: &str) -> String {
        SpreadsheetChart::yaml_scalar(if text.is_empty() { "?" } else { text.trim_end_matches('%') })
    }

    fn yaml_labels<'a>(labels: impl IntoIterator<Item = &'a String>) -> String {
        labels.into_iter().map(|label| SpreadsheetChart::yaml_scalar(label)).collect::<Vec<_>>().join(", ")
    }

    /// The axes and cells of a chart of its own.
    fn to_new_chart(&self, dice: Option<&str>, fields: &[String]) -> String {
        let named = |of: &str, otherwise: &str| write_scalar(if of.is_empty() { otherwise } else { of });
        let dice = dice.map(|dice| format!("dice: {dice}, ")).unwrap_or_default();
        let mut text = String::new();
        if self.columns.len() > 1 {
            let _ = writeln!(
                text,
                "columns: {{ of: {}, labels: [{}] }}",
                named(&self.axis_names.0, "column"),
                SpreadsheetChart::yaml_labels(&self.columns)
            );
        }
        let _ = writeln!(
            text,
            "rows: {{ of: {}, {dice}labels: [{}] }}",
            named(&self.axis_names.1, "row"),
            SpreadsheetChart::yaml_labels(self.rows.iter().map(|r| &r.0))
        );
        if !fields.is_empty() {
            let _ = writeln!(text, "fields: [{}]", fields.join(", "));
        }
        text.push_str("cells:\n");
        for (label, cells) in &self.rows {
            let cells: Vec<String> = cells.iter().map(|cell| SpreadsheetChart::yaml_cell(cell)).collect();
            let _ = writeln!(text, "  {}: [{}]", SpreadsheetChart::yaml_scalar(label), cells.join(", "));
        }
        text
    }

    /// Its figures over a chart with the same labels: what is known below and differs is a change, with what was there.
    fn to_amendment(&self, below: &Table) -> String {
        let (mut cells, mut changes) = (String::from("cells:\n"), String::new());
        let width = below.axes[1].label_texts.len();
        for (r, (label, row)) in self.rows.iter().enumerate() {
            let mut line = Vec::new();
            for (c, text) in row.iter().enumerate() {
                let old = &below.cells[r * width + c];
                let known = old.status.known() && !old.is_missing();
                if known && !text.is_empty() && *text != old.text {
                    let column = if width > 1 { format!("column: \"{}\", ", below.axes[1].label_texts[c]) } else { String::new() };
                    let _ = writeln!(
                        changes,
                        "  - {{ {column}row: \"{label}\", was: \"{}\", now: {} }}",
                        old.text,
                        SpreadsheetChart::yaml_cell(text)
                    );
                }
                line.push(if known { "\"\"".into() } else { SpreadsheetChart::yaml_cell(text) });
            }
            let _ = writeln!(cells, "  {}: [{}]", SpreadsheetChart::yaml_scalar(label), line.join(", "));
        }
        if changes.is_empty() { cells } else { format!("changes:\n{changes}{cells}") }
    }

    fn same_labels(&self, table: &Table) -> bool {
        let rows = self.rows.iter().map(|(label, _)| label).eq(&table.axes[2].label_texts);
        let columns =
            self.columns == table.axes[1].label_texts || (self.columns.len() == 1 && table.axes[1].label_texts == [String::new()]);
        rows && columns && table.axes[0].label_texts.len() == 1
    }
}

/// What is wanted of a chart.
#[derive(Clone, Debug, Default)]
pub struct ChartRequest<'a> {
    /// Its number or name.
    pub id: &'a str,
    /// The variant it is for; the game itself where none is named.
    pub variant: Option<&'a str>,
    /// Its figures, if there are any yet.
    pub sheet: Option<SpreadsheetChart>,
    /// The dice that are thrown for its rows.
    pub dice: Option<&'a str>,
    /// What the parts of a cell are called.
    pub fields: Vec<String>,
    /// Whether it is a new one, though its name is nearly that of another.
    pub is_new: bool,
}

/// Lays out a table: where it exists below, the changes to it, or the figures typed in over it; a chart where it doesn't.
pub fn write_table(
    library: &Arc<Library>,
    root: &Path,
    game: &str,
    wanted: &ChartRequest,
) -> Result<(Vec<PathBuf>, Vec<CellCount>), Error> {
    let (ruleset, mut files) = with_layer(library, root, game, wanted.variant)?;
    check_near_names("table", wanted.id, wanted.is_new, ruleset.table_names())?;
    let below = ruleset.table(wanted.id).map_err(Error::Data)?;
    if below.is_some() && wanted.variant.is_none() {
        return Err(Error::Usage(format!("there is a table {} already; nothing was written", wanted.id)));
    }
    let (stem, text) = match &below {
        Some(table) => (table.file.stem().to_string(), amendment_text(table, wanted)),
        None => {
            check_number_or_name(wanted.id)?;
            (wanted.id.to_string(), chart_text(wanted))
        }
    };
    files.push((layer_folder(root, game, wanted.variant, "tables").join(format!("{stem}.yaml")), text));
    let laid_out = preview_count(library, root, &ruleset, wanted, &files)?;
    // A placeholder repeats the figure of the layers below, and enters none.
    let count = below.filter(|_| wanted.sheet.is_none()).map_or(laid_out, |table| CellCount::new(&table));
    Ok((write_files(root, files)?, vec![count]))
}

fn amendment_text(table: &Table, wanted: &ChartRequest) -> String {
    let head = |by: &str, status: &str| {
        format!("table: \"{}\"\ntitle: {}\nkind: revision\nstatus: {status}\n", table.id, write_scalar(&format!("{} {by}", table.title)))
    };
    match &wanted.sheet {
        Some(sheet) if sheet.same_labels(table) => [head("as printed", "printed"), sheet.to_amendment(table)].concat(),
        Some(sheet) => {
            let dice = wanted.dice.map(String::from).or_else(|| table.axes[2].dice.as_ref().map(|dice| dice.to_string()));
            let fields = if wanted.fields.is_empty() { &table.fields } else { &wanted.fields };
            [head("as printed", "printed"), sheet.to_new_chart(dice.as_deref(), fields)].concat()
        }
        None => {
            let position = table.position(0);
            let label = |axis: usize, key: &str| {
                let text = &table.axes[axis].label_texts[position[axis]];
                if text.is_empty() { String::new() } else { format!("{key}: \"{text}\", ") }
            };
            let was = if table.cells[0].is_missing() { "missing" } else { &table.cells[0].text };
            let change = format!("{}{}{}was: \"{was}\", now: \"{was}\"", label(0, "sheet"), label(1, "column"), label(2, "row"));
            format!("{}changes:\n  - {{ {change} }}      # put your figure under `now:`\n", head("by our house rule", "house"))
        }
    }
}

fn chart_text(wanted: &ChartRequest) -> String {
    let (kind, status) = if wanted.variant.is_some() { ("new case", "house") } else { ("rule", "printed") };
    let head = format!("table: \"{}\"\ntitle: what the chart is\nkind: {kind}\nstatus: {status}\n", wanted.id);
    let blank = || {
        let rows = (1..=6).map(|row| (row.to_string(), vec![String::new(); 2])).collect();
        SpreadsheetChart { axis_names: ("points".into(), "die".into()), columns: vec!["1-10".into(), "11+".into()], rows }
    };
    let body = match &wanted.sheet {
        Some(sheet) => sheet.to_new_chart(wanted.dice, &wanted.fields),
        None => blank().to_new_chart(wanted.dice.or(Some("1d6")), &wanted.fields),
    };
    head + body.as_str()
}

/// The chart as it will be once it is laid out; complains of what would be wrong with it, so that nothing is written.
fn preview_count(
    library: &Arc<Library>,
    root: &Path,
    ruleset: &Ruleset,
    wanted: &ChartRequest,
    files: &NewFiles,
) -> Result<CellCount, Error> {
    let mut shelf = library.files.clone();
    for (path, text) in files {
        shelf = shelf.with_text(&path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/"), text);
    }
    let mut wish = ruleset.spec.clone();
    wish.variants.extend(wanted.variant.map(String::from));
    let (ruleset, _) = diagnostics::build_ruleset(&Arc::new(Library::new(shelf)), &wish)?;
    let mut complaints = Complaints::default();
    let table = ruleset.stack_table(wanted.id, &mut complaints);
    match table {
        Some(table) if !complaints.has_errors() => Ok(CellCount::new(&table)),
        _ => Err(Error::Data(complaints.into_sorted())),
    }
}
