//! `casebook new table`: creates a chart from a template or from a spreadsheet, and counts its known cells.

use crate::author::chart_grid::{MERGED, SEVERAL_SHEETS, read_rows};
use crate::author::scaffold::{
    CellCount, Destination, NewFiles, check_near_names, check_number_or_name, write_files,
};
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::format::table::ROUNDINGS;
use casebook_engine::data::library::Library;
use casebook_engine::data::table::Table;
use casebook_engine::data::yaml_writer::{write_figure, write_list, write_scalar};
use casebook_engine::notation::{Band, OddsRatio};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruleset::diagnostics;
use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// One axis of a chart that is written.
#[derive(Clone, Debug, Default)]
pub struct ChartAxis {
    /// What it counts; empty if that is not given.
    name: String,
    labels: Vec<String>,
    /// How finely its odds are counted.
    rounds: Option<&'static str>,
}

/// A chart as it was copied: column labels in the first row, row labels in the first column; the corner may be left out.
#[derive(Clone, Debug, Default)]
pub struct SpreadsheetChart {
    columns: ChartAxis,
    rows: ChartAxis,
    /// The cells of each row.
    cells: Vec<Vec<String>>,
    /// What was read differently from how it is written.
    pub notes: Vec<String>,
}

impl SpreadsheetChart {
    /// Parses a chart: CSV, copied cells, a table of Markdown or HTML, or a list of rows in JSON.
    pub fn parse(text: &str) -> Result<SpreadsheetChart, Error> {
        let refuse = |message: String| Err(Error::Usage(message));
        let mut lines = read_rows(text)?.into_iter();
        let (Some(mut head), true) = (lines.next(), lines.len() > 0) else {
            let message =
                "a chart has a line with the labels of its columns, and a line for each row";
            return refuse(message.into());
        };
        let is_longer = |line: &Vec<String>| line.len() == head.len() + 1;
        if !head[0].contains('\\') && lines.as_slice().iter().all(is_longer) {
            head.insert(0, String::new());
        }
        let corner = head.remove(0);
        let (row_name, column_name) = match corner.split_once(['\\', '/', '|']) {
            Some((rows, columns)) => (rows.trim().to_string(), columns.trim().to_string()),
            None => (corner, String::new()),
        };
        // A chart with a single column may omit its label.
        let labelled = head.iter().rposition(|label| !label.is_empty());
        head.resize(labelled.map_or(1, |last| last + 1), String::new());
        let mut chart = SpreadsheetChart::default();
        for mut line in lines {
            let label = line.remove(0);
            if label.is_empty() {
                return refuse(format!(
                    "a row has no label: `{}`; {MERGED}",
                    line.join(" ")
                ));
            }
            let extra = line.iter().skip(head.len()).find(|field| !field.is_empty());
            if let Some(extra) = extra {
                let columns = head.len();
                return refuse(format!(
                    "the line of `{label}` has more fields than the {columns} columns: `{extra}` is under none"
                ));
            }
            if chart.rows.labels.contains(&label) {
                return refuse(format!(
                    "the label `{label}` stands in two rows: {SEVERAL_SHEETS}"
                ));
            }
            line.resize(head.len(), String::new());
            for cell in &mut line {
                let figure = cell.strip_suffix('%');
                if let Some(figure) = figure.filter(|figure| figure.parse::<u32>().is_ok()) {
                    *cell = figure.into();
                    chart.notes =
                        vec!["percentages are written without their sign: 10 for 10%".into()];
                }
            }
            chart.rows.labels.push(label);
            chart.cells.push(line);
        }
        if head.len() > 1 && head.contains(&String::new()) {
            return refuse(format!("a column has no label; {MERGED}"));
        }
        chart.columns.labels = head;
        (chart.rows.name, chart.columns.name) = (row_name, column_name);
        chart.check_footnotes()?;
        if chart.columns.interpret(&mut chart.notes) {
            chart.cells.iter_mut().for_each(|row| row.reverse());
        }
        if chart.rows.interpret(&mut chart.notes) {
            chart.cells.reverse();
        }
        // Which axis has the odds is seen, whichever way round the corner names them.
        let names_odds = |axis: &ChartAxis| axis.name.to_lowercase().contains("odds");
        let has_odds = |axis: &ChartAxis| OddsRatio::parse(&axis.labels[0]).is_ok();
        let is_swapped = |odds: &ChartAxis, other: &ChartAxis| {
            has_odds(odds) && !has_odds(other) && names_odds(other) && !names_odds(odds)
        };
        let (columns, rows) = (&mut chart.columns, &mut chart.rows);
        if is_swapped(columns, rows) || is_swapped(rows, columns) {
            std::mem::swap(&mut columns.name, &mut rows.name);
        }
        Ok(chart)
    }

    /// Fails on a line of words without figures among rows of numbers: a title or a footnote.
    fn check_footnotes(&self) -> Result<(), Error> {
        let is_number = |label: &str| label.starts_with(|c: char| c.is_ascii_digit());
        let mut lines = self.rows.labels.iter().zip(&self.cells);
        let text = lines
            .find(|(label, cells)| !is_number(label) && cells.iter().all(String::is_empty))
            .filter(|_| self.rows.labels.iter().any(|label| is_number(label)));
        text.map_or(Ok(()), |(label, _)| Err(Error::Usage(format!(
            "the line `{label}` has no figures: take titles and footnotes out, a `note:` in the file can say them; {SEVERAL_SHEETS}"
        ))))
    }

    /// Formats the axes and cells as a new chart.
    fn to_new_chart(&self, dice: Option<&str>, fields: &[String]) -> String {
        let mut text = String::new();
        if self.columns.labels.len() > 1 {
            text += &self.columns.to_yaml("column", None);
        }
        text += &self.rows.to_yaml("row", dice);
        if !fields.is_empty() {
            let _ = writeln!(text, "fields: {}", write_list(fields));
        }
        text.push_str("cells:\n");
        for (label, cells) in self.rows.labels.iter().zip(&self.cells) {
            let cells: Vec<String> = cells.iter().map(|cell| known_or_missing(cell)).collect();
            let _ = writeln!(text, "  {}: {}", write_figure(label), write_list(&cells));
        }
        text
    }

    /// Formats the differences to a chart with the same labels as an amendment; a changed known cell also gives its old value.
    fn to_amendment(&self, below: &Table) -> String {
        let (mut cells, mut changes) = (String::from("cells:\n"), String::new());
        let width = below.axes[1].label_texts.len();
        for (r, (label, row)) in self.rows.labels.iter().zip(&self.cells).enumerate() {
            let mut line = Vec::new();
            for (c, text) in row.iter().enumerate() {
                let old = &below.cells[r * width + c];
                let is_known = old.status.is_certain() && !old.is_missing();
                if is_known && !text.is_empty() && *text != old.text {
                    let change = change_entries(below, r * width + c, &old.text, text);
                    let _ = writeln!(changes, "  - {{ {change} }}");
                }
                line.push(if is_known {
                    String::new()
                } else {
                    known_or_missing(text)
                });
            }
            let _ = writeln!(cells, "  {}: {}", write_figure(label), write_list(&line));
        }
        if changes.is_empty() {
            cells
        } else {
            format!("changes:\n{changes}{cells}")
        }
    }

    fn same_labels(&self, table: &Table) -> bool {
        let [sheets, columns, rows] = &table.axes;
        let same_columns = self.columns.labels == columns.label_texts
            || (self.columns.labels.len() == 1 && columns.label_texts == [String::new()]);
        self.rows.labels == rows.label_texts && same_columns && sheets.label_texts.len() == 1
    }
}

impl ChartAxis {
    /// Reads the labels as bands, or as odds, where all of them are; returns whether they stood in falling order.
    fn interpret(&mut self, notes: &mut Vec<String>) -> bool {
        let labels = self.labels.join(", ");
        let band = |label: &String| {
            // On two dice of ten sides 00 is a hundred.
            let before = label
                .strip_suffix("00")
                .filter(|before| before.is_empty() || before.ends_with(['-', '–']));
            let text = before.map_or(label.clone(), |before| format!("{before}100"));
            Band::parse(&text).ok().or_else(|| Band::from_words(&text))
        };
        let bands: Option<Vec<Band>> = self.labels.iter().map(band).collect();
        let odds = self.labels.iter().map(|label| OddsRatio::from_words(label));
        let ladder: Option<Vec<OddsRatio>> = odds.clone().collect();
        let compare = |a: &Band, b: &Band| match (a.high < b.low, a.low > b.high) {
            (false, false) => Equal,
            (rises, _) => {
                if rises {
                    Less
                } else {
                    Greater
                }
            }
        };
        let band_falls = bands.as_ref().and_then(|bands| falls(bands, compare));
        let odds_fall = ladder
            .as_ref()
            .and_then(|ladder| falls(ladder, OddsRatio::compare));
        let falls = match (bands, ladder) {
            (Some(bands), _) if band_falls.is_some() || odds_fall.is_none() => {
                for (label, band) in self.labels.iter_mut().zip(&bands) {
                    if Band::parse(label).as_ref() != Ok(band) {
                        *label = band.to_string();
                    }
                }
                band_falls
            }
            (_, Some(ladder)) => {
                let is_exact = |odds: &OddsRatio, parts| {
                    OddsRatio::in_parts(odds.attacker, odds.defender, parts)
                        .compare(odds)
                        .is_eq()
                };
                let rounding = ROUNDINGS
                    .iter()
                    .find(|(_, parts)| ladder.iter().all(|odds| is_exact(odds, *parts)));
                self.rounds = rounding
                    .filter(|(_, parts)| *parts > 1)
                    .map(|(name, _)| *name);
                self.labels = ladder.iter().map(OddsRatio::to_string).collect();
                if self.labels.join(", ") != labels {
                    notes.push(format!(
                        "the labels {labels} are read as odds: {}",
                        self.labels.join(", ")
                    ));
                }
                odds_fall
            }
            _ => {
                if self
                    .labels
                    .iter()
                    .zip(odds)
                    .any(|(label, odds)| label.contains(':') && odds.is_some())
                {
                    notes.push(format!(
                        "the labels {labels} are read as words: not all of them are odds"
                    ));
                }
                None
            }
        };
        if falls == Some(true) {
            self.labels.reverse();
        }
        falls == Some(true)
    }

    /// Formats the axis; without a name it has that of its key.
    fn to_yaml(&self, key: &str, dice: Option<&str>) -> String {
        let name = if self.name.is_empty() {
            key
        } else {
            &self.name
        };
        let entry = |key: &str, value: Option<&str>| {
            value.map_or(String::new(), |value| {
                format!("{key}: {}, ", write_figure(value))
            })
        };
        format!(
            "{key}s: {{ of: {}, {}{}labels: {} }}\n",
            write_scalar(name),
            entry("dice", dice),
            entry("rounds", self.rounds),
            write_list(&self.labels)
        )
    }
}

/// Returns whether items stand in falling order; `None` if they stand in none.
fn falls<T>(items: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Option<bool> {
    let all = |order| {
        items
            .windows(2)
            .all(|pair| compare(&pair[0], &pair[1]) == order)
    };
    all(Less).then_some(false).or(all(Greater).then_some(true))
}

fn known_or_missing(cell: &str) -> String {
    if cell.is_empty() {
        "?".into()
    } else {
        cell.into()
    }
}

/// Formats the change of one cell, without its brackets.
pub fn change_entries(table: &Table, index: usize, was: &str, now: &str) -> String {
    let position = table.position(index);
    let label = |axis: usize| {
        let key = ["sheet", "column", "row"][axis];
        (key, &*table.axes[axis].label_texts[position[axis]])
    };
    let entries = table
        .labelled_axes()
        .map(label)
        .chain([("was", was), ("now", now)]);
    let entries = entries.map(|(key, value)| format!("{key}: {}", write_scalar(value)));
    entries.collect::<Vec<_>>().join(", ")
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
            "table {} already exists; nothing was written",
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
            "table: {}\ntitle: {}\nkind: revision\nstatus: {status}\n",
            write_scalar(&table.id),
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
            let was = match &table.cells[index] {
                cell if cell.is_missing() => "missing",
                cell => &cell.text,
            };
            let change = change_entries(table, index, was, was);
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
        "table: {}\ntitle: what the chart is\nkind: {kind}\nstatus: {status}\n",
        write_scalar(request.id)
    );
    let axis = |name: &str, labels: Vec<String>| ChartAxis {
        name: name.into(),
        labels,
        rounds: None,
    };
    let blank = || SpreadsheetChart {
        columns: axis("points", vec!["1-10".into(), "11+".into()]),
        rows: axis("die", (1..=6).map(|row| row.to_string()).collect()),
        cells: vec![vec![String::new(); 2]; 6],
        notes: Vec::new(),
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
