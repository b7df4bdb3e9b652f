//! How much of a chart is known.

use crate::data::case::Status;
use crate::data::table::{Cell, Table};

/// What is known of a chart's cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellCount {
    /// The chart.
    pub table: String,
    /// How many cells it has.
    pub cells: usize,
    /// How many of them are reconstructed.
    pub reconstructed: usize,
    /// How many are not known at all.
    pub missing: usize,
}

impl CellCount {
    /// Counts the cells of a chart.
    pub fn new(table: &Table) -> CellCount {
        let count = |test: fn(&Cell) -> bool| table.cells.iter().filter(|cell| test(cell)).count();
        let reconstructed = count(|cell| cell.status == Status::Reconstructed && !cell.is_missing());
        CellCount { table: table.id.clone(), cells: table.cells.len(), reconstructed, missing: count(Cell::is_missing) }
    }

    /// In a line.
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
