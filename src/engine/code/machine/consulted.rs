//! The cases, tables and reconstructed figures that runs used.

use super::Machine;
use crate::data::status::ReconstructedFigure;
use crate::situation::initial_board::InitialBoard;
use crate::situation::trace::ReconstructedRead;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What runs used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consulted {
    /// Keys of the files of cases that ran and tables that were read.
    pub files: BTreeSet<String>,
    /// Cells of tables that were read, each by its table and its index.
    pub cells: BTreeSet<(String, usize)>,
    /// Reconstructed figures that were read.
    pub reconstructed_reads: BTreeSet<ReconstructedRead>,
    /// Where dice without bound are cut off, in words.
    pub truncations: BTreeSet<String>,
}

impl Consulted {
    /// Adds everything in `other`.
    pub fn merge(&mut self, other: Consulted) {
        self.files.extend(other.files);
        self.cells.extend(other.cells);
        self.reconstructed_reads.extend(other.reconstructed_reads);
        self.truncations.extend(other.truncations);
    }
}

impl Machine {
    /// Returns what the runs so far used, given their initial board.
    pub fn consulted(&self, start: &InitialBoard) -> Consulted {
        let units = || self.functions.iter().flatten();
        let cases = units()
            .filter_map(|code| code.case)
            .chain(units().filter_map(|code| code.cited_case));
        let tables = self.caches.tables.values().flat_map(|chart| {
            chart
                .table
                .layers
                .iter()
                .map(|layer| layer.file.key.clone())
        });
        let files = cases
            .map(|case| self.program.ruleset.cases[case].key())
            .chain(tables)
            .collect();
        let mut consulted = Consulted {
            files,
            truncations: self.caches.truncations.clone(),
            ..Consulted::default()
        };
        for chart in self.caches.tables.values() {
            let read = (0..chart.table.cells.len()).filter(|index| chart.was_read(*index));
            let id = &chart.table.id;
            consulted
                .cells
                .extend(read.map(|index| (id.clone(), index)));
            for index in (0..chart.reconstructed_reads.len())
                .filter(|index| chart.reconstructed_reads[*index].load(Ordering::Relaxed))
            {
                consulted
                    .reconstructed_reads
                    .insert(ReconstructedRead::cell(&chart.table, index));
            }
        }
        let is_piece = |number: &usize, made_up: &ReconstructedFigure| {
            start
                .names
                .get(*number)
                .is_some_and(|name| **name == *made_up.piece)
        };
        let figures = self
            .caches
            .reconstructed_figures
            .iter()
            .filter(|((piece, _), made_up)| is_piece(&piece.0, made_up));
        let decks = self.caches.reconstructed_decks.values();
        let is_map = |made_up: &&Arc<ReconstructedFigure>| {
            start
                .geography
                .uncertain_maps()
                .iter()
                .any(|map| map.figure == **made_up)
        };
        let maps = self.caches.reconstructed_maps.values().filter(is_map);
        let made_up = figures.map(|(_, made_up)| made_up).chain(decks).chain(maps);
        consulted
            .reconstructed_reads
            .extend(made_up.map(|made_up| ReconstructedRead::Figure(made_up.clone())));
        consulted
    }
}
