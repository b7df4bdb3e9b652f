//! Counts the known cells of a chart.

use crate::data::status::Status;
use crate::data::table::{Cell, Table};

/// The numbers of known, reconstructed and missing cells of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellCount {
    /// The id of the chart.
    pub table: String,
    /// The number of cells.
    pub cells: usize,
    /// The number of reconstructed cells.
    pub reconstructed: usize,
    /// The number of cells that are not known.
    pub missing: usize,
}

impl CellCount {
    /// Counts the cells of a chart.
    pub fn new(table: &Table) -> CellCount {
        let count = |test: fn(&Cell) -> bool| table.cells.iter().filter(|cell| test(cell)).count();
        let reconstructed = count(|cell| cell.status == Status::Reconstructed && !cell.is_missing());
        CellCount { table: table.id.clone(), cells: table.cells.len(), reconstructed, missing: count(Cell::is_missing) }
    }

    /// Describes the counts in one line.
    pub fn describe(&self) -> String {
        let CellCount { table, cells, reconstructed, missing } = self;
        let are = |some: &usize| if *some == 1 { "1 is".into() } else { format!("{some} are") };
        match (reconstructed, missing) {
            (0, 0) => format!("table {table}: all of its {cells} cells are known"),
            (some, 0) => format!("table {table}: of {cells} cells, {} still reconstructed", are(some)),
            (0, some) => format!("table {table}: of {cells} cells, {} not known", are(some)),
            _ => format!("table {table}: of {cells} cells, {} still reconstructed and {missing} not known", are(reconstructed)),
        }
    }
}
