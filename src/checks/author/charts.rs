//! `casebook new table`: creates a chart from a template or from a spreadsheet, and counts its known cells.

use crate::author::scaffold::{
    CellCount, Destination, NewFiles, check_near_names, check_number_or_name, write_files,
};
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::library::Library;
use casebook_engine::data::table::Table;
use casebook_engine::data::yaml_writer::write_scalar;
use casebook_engine::notation::{Band, OddsRatio};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruleset::diagnostics;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// A chart parsed from a spreadsheet: column labels in the first line, row labels in the first column; the corner may be left out.
#[derive(Clone, Debug, Default)]
pub struct SpreadsheetChart {
    /// The names of the column and row axes, from the first field: `odds\die` or `die`.
    pub axis_names: (String, String),
    /// The column labels.
    pub columns: Vec<String>,
    /// The rows: label and cells.
    pub rows: Vec<(String, Vec<String>)>,
}

impl SpreadsheetChart {
    /// Parses fields separated by tabs, semicolons or commas, whichever is most frequent in the first line.
    pub fn parse(text: &str) -> Result<SpreadsheetChart, Error> {
        let first = text.lines().next().unwrap_or_default();
        let delimiter = [b'\t', b';', b',']
            .into_iter()
            .max_by_key(|d| (first.bytes().filter(|b| b == d).count(), *d == b'\t'));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter.unwrap_or(b','))
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        let mut lines = Vec::new();
        for record in reader.records() {
            let record = record
                .map_err(|error| Error::Usage(format!("the chart can't be read: {error}")))?;
            lines.push(record.iter().map(String::from).collect::<Vec<_>>());
        }
        lines.retain(|line| line.iter().any(|field| !field.is_empty()));
        let mut lines = lines.into_iter();
        let (Some(mut head), true) = (lines.next(), lines.len() > 0) else {
            return Err(Error::Usage(
                "a chart has a line with the labels of its columns, and a line for each row".into(),
            ));
        };
        let lacks_corner = !head[0].contains('\\')
            && lines
                .as_slice()
                .iter()
                .all(|line| line.len() == head.len() + 1);
        if lacks_corner {
            head.insert(0, String::new());
        }
        let corner = head[0].clone();
        let axis_names = corner
            .split_once(['\\', '/', '|'])
            .map_or((String::new(), corner.as_str().into()), |(c, r)| {
                (c.trim().into(), r.trim().into())
            });
        // A chart with a single column may omit its label.
        let labelled = head
            .iter()
            .rposition(|label| !label.is_empty())
            .unwrap_or(0);
        let columns = head[1..]
            .iter()
            .take(labelled.max(1))
            .cloned()
            .collect::<Vec<_>>();
        let mut rows = Vec::new();
        for mut line in lines {
            let label = line.remove(0);
            if let Some(extra_field) = line
                .iter()
                .skip(columns.len())
                .find(|field| !field.is_empty())
            {
                let columns = columns.len();
                let what = format!(
                    "the line of `{label}` has more fields than the {columns} columns: `{extra_field}` is under none"
                );
                return Err(Error::Usage(what));
            }
            line.resize(columns.len(), String::new());
            rows.push((label, line));
        }
        let (mut columns, mut row_labels) = (
            columns,
            rows.iter()
                .map(|(label, _)| label.clone())
                .collect::<Vec<_>>(),
        );
        check_corner(&axis_names, &columns, &row_labels)?;
        bands_from_words(&mut columns);
        bands_from_words(&mut row_labels);
        rows.iter_mut()
            .zip(row_labels)
            .for_each(|((label, _), band)| *label = band);
        Ok(SpreadsheetChart {
            axis_names,
            columns,
            rows,
        })
    }

    /// Formats the axes and cells as a new chart.
    fn to_new_chart(&self, dice: Option<&str>, fields: &[String]) -> String {
        let dice = dice
            .map(|dice| format!("dice: {dice}, "))
            .unwrap_or_default();
        let mut text = String::new();
        if self.columns.len() > 1 {
            text += &yaml_axis("column", &self.axis_names.0, "", &self.columns);
        }
        text += &yaml_axis(
            "row",
            &self.axis_names.1,
            &dice,
            self.rows.iter().map(|(label, _)| label),
        );
        if !fields.is_empty() {
            let _ = writeln!(text, "fields: [{}]", fields.join(", "));
        }
        text.push_str("cells:\n");
        for (label, cells) in &self.rows {
            let cells: Vec<String> = cells.iter().map(|cell| yaml_cell(cell)).collect();
            let _ = writeln!(text, "  {}: [{}]", yaml_scalar(label), cells.join(", "));
        }
        text
    }

    /// Formats the differences to a chart with the same labels as an amendment; a changed known cell also gives its old value.
    fn to_amendment(&self, below: &Table) -> String {
        let (mut cells, mut changes) = (String::from("cells:\n"), String::new());
        let width = below.axes[1].label_texts.len();
        for (r, (label, row)) in self.rows.iter().enumerate() {
            let mut line = Vec::new();
            for (c, text) in row.iter().enumerate() {
                let old = &below.cells[r * width + c];
                let is_known = old.status.known() && !old.is_missing();
                if is_known && !text.is_empty() && *text != old.text {
                    let column = if width > 1 {
                        format!("column: \"{}\", ", below.axes[1].label_texts[c])
                    } else {
                        String::new()
                    };
                    let now = yaml_cell(text);
                    let _ = writeln!(
                        changes,
                        "  - {{ {column}row: \"{label}\", was: \"{}\", now: {now} }}",
                        old.text
                    );
                }
                line.push(if is_known {
                    "\"\"".into()
                } else {
                    yaml_cell(text)
                });
            }
            let _ = writeln!(cells, "  {}: [{}]", yaml_scalar(label), line.join(", "));
        }
        if changes.is_empty() {
            cells
        } else {
            format!("changes:\n{changes}{cells}")
        }
    }

    fn same_labels(&self, table: &Table) -> bool {
        let rows = self
            .rows
            .iter()
            .map(|(label, _)| label)
            .eq(&table.axes[2].label_texts);
        let columns = self.columns == table.axes[1].label_texts
            || (self.columns.len() == 1 && table.axes[1].label_texts == [String::new()]);
        rows && columns && table.axes[0].label_texts.len() == 1
    }
}

/// Fails if the corner names the axes the other way round: it says what the columns count first, and then the rows.
fn check_corner(
    (of_columns, of_rows): &(String, String),
    columns: &[String],
    rows: &[String],
) -> Result<(), Error> {
    let are_odds = |labels: &[String]| {
        !labels.is_empty() && labels.iter().all(|label| OddsRatio::parse(label).is_ok())
    };
    let is_odds = |name: &str| {
        ["odds", "ratio"]
            .iter()
            .any(|word| name.to_lowercase().contains(word))
    };
    let (labels, swapped) = match (are_odds(columns), are_odds(rows)) {
        (true, false) => ("columns", is_odds(of_rows) && !is_odds(of_columns)),
        (false, true) => ("rows", is_odds(of_columns) && !is_odds(of_rows)),
        _ => return Ok(()),
    };
    if !swapped {
        return Ok(());
    }
    let what = format!(
        "the corner of the chart says `{of_columns}\\{of_rows}`, and its {labels} are odds"
    );
    Err(Error::Usage(format!(
        "{what}; write what the columns count first: `{of_rows}\\{of_columns}`"
    )))
}

/// Rewrites labels such as "7 or more" as bands, where all labels of the axis are numbers in one way or the other.
fn bands_from_words(labels: &mut [String]) {
    let bands: Option<Vec<Band>> = labels
        .iter()
        .map(|label| Band::parse(label).ok().or_else(|| Band::from_words(label)))
        .collect();
    for (label, band) in labels.iter_mut().zip(bands.into_iter().flatten()) {
        if Band::parse(label).is_err() {
            *label = band.to_string();
        }
    }
}

/// Formats a figure or label as YAML: integers bare, all else quoted.
fn yaml_scalar(text: &str) -> String {
    let plain = text
        .parse::<u32>()
        .is_ok_and(|number| number.to_string() == text);
    if plain {
        text.into()
    } else {
        format!("\"{}\"", text.replace('"', "'"))
    }
}

/// Formats a cell as YAML.
fn yaml_cell(text: &str) -> String {
    yaml_scalar(if text.is_empty() {
        "?"
    } else {
        text.trim_end_matches('%')
    })
}

/// Formats an axis as YAML; without a name it has that of its key.
fn yaml_axis<'a>(
    key: &str,
    name: &str,
    dice: &str,
    labels: impl IntoIterator<Item = &'a String>,
) -> String {
    let axis_name = write_scalar(if name.is_empty() { key } else { name });
    let labels: Vec<String> = labels.into_iter().map(|label| yaml_scalar(label)).collect();
    format!(
        "{key}s: {{ of: {axis_name}, {dice}labels: [{}] }}\n",
        labels.join(", ")
    )
}

/// The options of a new chart.
#[derive(Clone, Debug, Default)]
pub struct ChartRequest<'a> {
    /// The number or name of the chart.
    pub id: &'a str,
    /// The cells from a spreadsheet, if given.
    pub sheet: Option<SpreadsheetChart>,
    /// The dice thrown for its rows.
    pub dice: Option<&'a str>,
    /// The names of the fields of a cell.
    pub fields: Vec<String>,
    /// Whether the chart is new although its name resembles an existing one.
    pub is_new: bool,
}

/// Writes a table: an amendment if it exists in a layer below, else a new chart. Fails if the game itself has the chart already and no
/// variant is given, or if the result is invalid.
pub fn write_table(
    home: Destination,
    request: &ChartRequest,
) -> Result<(Vec<PathBuf>, Vec<CellCount>), Error> {
    let (ruleset, mut files) = home.ruleset()?;
    check_near_names("table", request.id, request.is_new, ruleset.table_names())?;
    let below = ruleset.table(request.id).map_err(Error::Data)?;
    if below.is_some() && home.variant.is_none() {
        return Err(Error::Usage(format!(
            "there is a table {} already; nothing was written",
            request.id
        )));
    }
    let (stem, text) = match &below {
        Some(table) => (
            table.file.stem().to_string(),
            amendment_text(table, &ruleset.game.name, request),
        ),
        None => {
            check_number_or_name(request.id)?;
            (
                request.id.to_string(),
                chart_text(request, home.variant.is_some()),
            )
        }
    };
    files.push((home.folder("tables").join(format!("{stem}.yaml")), text));
    let laid_out = preview_count(home, &ruleset, request, &files)?;
    // A placeholder repeats the figure of the layers below, so the cells are counted there.
    let count = below
        .filter(|_| request.sheet.is_none())
        .map_or(laid_out, |table| CellCount::new(&table));
    Ok((write_files(home.library, home.root, files)?, vec![count]))
}

fn amendment_text(table: &Table, game: &str, request: &ChartRequest) -> String {
    let head = |by: &str, status: &str| {
        format!(
            "table: \"{}\"\ntitle: {}\nkind: revision\nstatus: {status}\n",
            table.id,
            write_scalar(&format!("{} {by}", table.title))
        )
    };
    match &request.sheet {
        Some(sheet) if sheet.same_labels(table) => {
            [head("as printed", "printed"), sheet.to_amendment(table)].concat()
        }
        Some(sheet) => {
            let dice = request
                .dice
                .map(String::from)
                .or_else(|| table.axes[2].dice.as_ref().map(|dice| dice.to_string()));
            let fields = if request.fields.is_empty() {
                &table.fields
            } else {
                &request.fields
            };
            [
                head("as printed", "printed"),
                sheet.to_new_chart(dice.as_deref(), fields),
            ]
            .concat()
        }
        None => {
            // A figure that no variant has changed is the same with any of them and without.
            let mut cells = table.cells.iter();
            let index = cells.position(|cell| *cell.layer == *game).unwrap_or(0);
            let position = table.position(index);
            let label = |axis: usize, key: &str| {
                let text = &table.axes[axis].label_texts[position[axis]];
                if text.is_empty() {
                    String::new()
                } else {
                    format!("{key}: \"{text}\", ")
                }
            };
            let was = match &table.cells[index] {
                cell if cell.is_missing() => "missing",
                cell => &cell.text,
            };
            let change = format!(
                "{}{}{}was: \"{was}\", now: \"{was}\"",
                label(0, "sheet"),
                label(1, "column"),
                label(2, "row")
            );
            format!(
                "{}changes:\n  - {{ {change} }}      # put your figure under `now:`\n",
                head("by our house rule", "house")
            )
        }
    }
}

fn chart_text(request: &ChartRequest, of_variant: bool) -> String {
    let (kind, status) = if of_variant {
        ("new case", "house")
    } else {
        ("rule", "printed")
    };
    let head = format!(
        "table: \"{}\"\ntitle: what the chart is\nkind: {kind}\nstatus: {status}\n",
        request.id
    );
    let blank = || {
        let rows = (1..=6)
            .map(|row| (row.to_string(), vec![String::new(); 2]))
            .collect();
        SpreadsheetChart {
            axis_names: ("points".into(), "die".into()),
            columns: vec!["1-10".into(), "11+".into()],
            rows,
        }
    };
    let body = match &request.sheet {
        Some(sheet) => sheet.to_new_chart(request.dice, &request.fields),
        None => blank().to_new_chart(request.dice.or(Some("1d6")), &request.fields),
    };
    head + body.as_str()
}

/// Builds the new chart in memory and counts its cells; fails if the chart is invalid, so that nothing is written.
fn preview_count(
    home: Destination,
    ruleset: &Ruleset,
    request: &ChartRequest,
    files: &NewFiles,
) -> Result<CellCount, Error> {
    let mut changed = home.library.files.clone();
    for (path, text) in files {
        changed = changed.with_text(
            &path
                .strip_prefix(home.root)
                .unwrap_or(path)
                .to_string_lossy()
                .replace('\\', "/"),
            text,
        );
    }
    let mut spec = ruleset.spec.clone();
    spec.variants.extend(home.variant.map(String::from));
    let (ruleset, _) = diagnostics::build_ruleset(&Arc::new(Library::new(changed)), &spec)?;
    let mut complaints = Complaints::default();
    match ruleset.stack_table(request.id, &mut complaints) {
        Some(table) if !complaints.has_errors() => Ok(CellCount::new(&table)),
        _ => Err(Error::Data(complaints.into_sorted())),
    }
}
