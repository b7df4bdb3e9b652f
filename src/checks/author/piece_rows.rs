//! Pieces of a situation as rows of a spreadsheet: read with complaints by row, and written the same way.

use crate::author::chart_grid::read_rows;
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place};
use casebook_engine::data::declared_names::PLAIN_FIGURES;
use casebook_engine::data::manifest::Game;
use casebook_engine::data::piece::{Datum, PieceEntry, check_piece_value, read_named_piece};
use casebook_engine::data::status::Status;
use casebook_engine::data::yaml::YamlReader;
use casebook_engine::data::yaml_writer::{write_key, write_list, write_scalar};
use std::collections::BTreeSet;

/// What stands for the path in a complaint about rows.
const ROWS: &str = "(rows)";
/// What else a column may be called.
const COLUMN_NAMES: [(&str, &str); 4] = [
    ("unit", "name"),
    ("piece", "name"),
    ("place", "at"),
    ("hex", "at"),
];

/// Reads rows, of which the first names the columns: `name`, `kind`, `side`, `at`, `on` and attributes of the game. Returns each piece as an
/// item of YAML on one line; an empty cell says nothing. Fails with all complaints, each by its row.
pub fn read_pieces(text: &str, game: &Game) -> Result<Vec<String>, Error> {
    let mut rows = read_rows(text)?.into_iter();
    let head = rows.next().unwrap_or_default();
    let column = |name: &String| {
        let name = name.to_lowercase().replace(' ', "_");
        let other = COLUMN_NAMES.iter().find(|(other, _)| *other == name);
        other.map_or(name, |(_, name)| name.to_string())
    };
    let head: Vec<String> = head.iter().map(column).collect();
    let is_column = |name: &String| {
        let mut figures = PLAIN_FIGURES.iter();
        ["name", "value"].contains(&name.as_str())
            || figures.any(|figure| figure == name)
            || game.index_of_attribute(name).is_some()
    };
    let (mut complaints, mut items) = (Vec::new(), Vec::new());
    for name in head.iter().filter(|name| !is_column(name)) {
        let known: Vec<&str> = game
            .attributes
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let known = known.join(", ");
        complaints.push(format!(
            "row 1: a piece has no `{name}`; columns are name, kind, side, at, on, value, {known}"
        ));
    }
    if !head.iter().any(|name| name == "name") {
        complaints.push("row 1: a column `name` says what each piece is called".into());
    }
    let mut names = BTreeSet::new();
    for (index, row) in rows.enumerate() {
        let number = index + 2;
        let cells = head.iter().zip(&row).filter(|(_, cell)| !cell.is_empty());
        let pairs: Vec<String> = cells
            .map(|(name, cell)| format!("{}: {}", write_key(name), cell_value(cell)))
            .collect();
        if row.len() > head.len() {
            complaints.push(format!(
                "row {number}: it has {} cells, and the first row names {} columns",
                row.len(),
                head.len()
            ));
        }
        let item = format!("{{ {} }}", pairs.join(", "));
        let mut reader = YamlReader::new("", &item);
        let node = reader.parse(&item);
        let name = node.as_ref().map(|node| node.text_of("name").to_string());
        let name = name.unwrap_or_default();
        if let Some(node) = node.filter(|_| !name.is_empty()) {
            read_named_piece(&name, &node, Status::default(), game, &mut reader);
            for (key, value) in node.entries() {
                check_piece_value(key.text_or_empty(), value, game, &mut reader);
            }
        }
        let of_row = match &*name {
            "" => format!("row {number}"),
            name => format!("row {number}, {name}"),
        };
        let faults = reader.complaints.0.iter().map(|fault| match &*fault.help {
            "" => format!("{of_row}: {}", fault.message),
            help => format!("{of_row}: {}; {help}", fault.message),
        });
        complaints.extend(faults);
        match name.is_empty() {
            true => complaints.push(format!("row {number}: the piece has no name")),
            false if !names.insert(name.clone()) => {
                complaints.push(format!(
                    "row {number}: a piece named `{name}` already exists"
                ));
            }
            false => {}
        }
        items.push(item);
    }
    let complain =
        |message: String| Complaint::new(DiagnosticCode::Shape, Place::whole_file(ROWS), message);
    match complaints.is_empty() {
        true => Ok(items),
        false => Err(Error::Data(Complaints(
            complaints.into_iter().map(complain).collect(),
        ))),
    }
}

/// Writes a cell as YAML: a number, a flag or a list as it stands, all else, a hex like 0201 too, as a text.
fn cell_value(cell: &str) -> String {
    let number = cell.parse::<i64>();
    let is_number = number.is_ok_and(|number| number.to_string() == cell);
    match is_number || cell.parse::<bool>().is_ok() || cell.starts_with('[') && cell.ends_with(']')
    {
        true => cell.into(),
        false => write_scalar(cell),
    }
}

/// Writes pieces as CSV, with a column for each figure that one of them has.
pub fn write_pieces(pieces: &[PieceEntry], game: &Game) -> String {
    let attributes = game.attributes.iter().map(|(name, _)| name.as_str());
    let plain = ["kind", "side", "at", "on"].into_iter();
    let mut columns: Vec<&str> = plain.chain(attributes).collect();
    columns.retain(|name| {
        pieces
            .iter()
            .any(|piece| piece.attributes.get(*name).is_some())
    });
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = ["name"].into_iter().chain(columns.iter().copied());
    let mut write = |row: Vec<String>| writer.write_record(&row).is_ok();
    write(head.map(String::from).collect());
    for piece in pieces {
        let cell = |name: &&str| match piece.attributes.get(*name) {
            Some(Datum::Number(number)) => number.to_string(),
            Some(Datum::Flag(flag)) => flag.to_string(),
            Some(Datum::Word(word)) => word.to_string(),
            Some(Datum::Words(words)) => write_list(words),
            _ => String::new(),
        };
        let name = [piece.name.clone()].into_iter();
        write(name.chain(columns.iter().map(cell)).collect());
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}
