//! What runs have consulted: cases, tables, reconstructed figures.

use super::Machine;
use crate::code::unit::Unit;
use crate::data::table::Table;
use crate::situation::start::Start;
use crate::situation::trace::{Doubt, MadeUp};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What runs have consulted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consulted {
    /// The keys of the files that had a part in them: cases that were run, tables that were read.
    pub files: BTreeSet<String>,
    /// Reconstructed figures that were read.
    pub doubts: BTreeSet<Doubt>,
}

impl Consulted {
    /// Adds what others have consulted.
    pub fn join(&mut self, other: Consulted) {
        self.files.extend(other.files);
        self.doubts.extend(other.doubts);
    }
}

impl Machine {
    /// What the runs so far have consulted, on a board that began so.
    pub fn consulted(&self, start: &Start) -> Consulted {
        let units = || self.units.iter().flatten();
        let cases = units().filter_map(|code| code.case).chain(units().filter_map(|code| code.cited));
        let tables = self.caches.charts.values().flat_map(|chart| chart.table.chain.iter().map(|(.., file)| file.key.clone()));
        let files = cases.map(|case| self.program.ruleset.cases[case].file.key.clone()).chain(tables).collect();
        let mut found = Consulted { files, ..Consulted::default() };
        for chart in self.caches.charts.values() {
            for index in (0..chart.doubted.len()).filter(|index| chart.doubted[*index].load(Ordering::Relaxed)) {
                found.doubts.insert(Doubt::cell(&chart.table, index));
            }
        }
        let told = |number: &usize, made_up: &MadeUp| start.names.get(*number).is_some_and(|name| **name == *made_up.piece);
        let figures = self.caches.doubted.iter().filter(|((piece, _), made_up)| told(&piece.0, made_up));
        found.doubts.extend(figures.map(|(_, made_up)| Doubt::Figure(made_up.clone())));
        found
    }

    /// The functions that had a part in the runs so far: case and function, as indices among those in force.
    pub fn functions_consulted(&self) -> Vec<(usize, usize)> {
        let place = |code: &Rc<Unit>| {
            let case = code.case?;
            Some((case, self.program.ruleset.cases[case].functions.iter().position(|f| f.span == code.span)?))
        };
        self.units.iter().flatten().filter_map(place).collect()
    }

    /// The tables that had a part in the runs so far.
    pub fn tables_consulted(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.caches.charts.values().map(|chart| &chart.table)
    }
}
