//! What a line cites: the case that speaks, and what decided the line.

use crate::data::table::Table;
use crate::ruleset::compose::Ruleset;
use crate::situation::trace::Source;
use crate::situation::value::Text;
use std::collections::HashMap;
use std::sync::Arc;

/// How a ruling cites a case: its number, and the layer where it is not the printed game.
pub fn cite(ruleset: &Ruleset, case: usize) -> String {
    let case = &ruleset.cases[case];
    if case.layer == ruleset.layers[0].name { case.number.clone() } else { format!("{} {}", case.number, case.layer) }
}

/// How a ruling cites a cell: its table, and the layer that has set it where that is not the printed game.
pub fn table_cite(table: &Table, index: usize, ruleset: &Ruleset) -> String {
    let layer = &table.cells[index].layer;
    let name = format!("table {}", table.id);
    if *layer == ruleset.layers[0].name { name } else { format!("{name} {layer}") }
}

/// A source by its name.
fn name(source: &Source, ruleset: &Ruleset) -> String {
    match source {
        Source::Case(case) => cite(ruleset, *case),
        Source::Cell(table, index) => table_cite(table, *index, ruleset),
    }
}

/// All that decided a line.
pub fn names(from: &[Source], ruleset: &Ruleset) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in from.iter().map(|source| name(source, ruleset)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Who has answered since a line, and how deep the question was asked.
struct Heard {
    depth: usize,
    source: (usize, usize),
    /// It is cited also where the asker answers in turn.
    stays: bool,
}

/// A line so far: what it says, whatever it speaks of, and all that decided it, as bits.
struct Said {
    template: Text,
    from: Vec<u64>,
}

/// What lines cite: the case that speaks first, what it has asked for the line, then whatever else decided it.
///
/// Where all that decided a line above decided this one too, this one rests on that one, and does not cite again what that one does.
/// Lines that a case says one after the other in the same words rest on none of each other.
#[derive(Default)]
pub struct Cited {
    numbers: HashMap<(usize, usize), usize>,
    said: Vec<Said>,
    open: Vec<usize>,
    heard: Vec<Heard>,
}

impl Cited {
    /// A case is asked.
    pub fn asked(&mut self, case: usize) {
        self.open.push(case);
    }

    /// The case asked last has answered. What it asked is its own affair; the tables it read stand behind it, and what a variant says.
    pub fn answered(&mut self, ruleset: &Ruleset) {
        let Some(case) = self.open.pop() else { return };
        let depth = self.open.len();
        self.heard.retain(|heard| heard.depth <= depth || heard.stays);
        self.heard.iter_mut().for_each(|heard| heard.depth = heard.depth.min(depth));
        let stays = ruleset.cases[case].layer != ruleset.layers[0].name;
        self.heard.push(Heard { depth, source: Source::Case(case).number(), stays });
    }

    /// A cell was read.
    pub fn read(&mut self, table: &Arc<Table>, index: usize) {
        self.heard.push(Heard { depth: self.open.len(), source: Source::Cell(table.clone(), index).number(), stays: true });
    }

    /// What a line cites that the case asked last says, and what else decided it, which lines above cite.
    pub fn line(&mut self, template: &Text, from: &[Source], ruleset: &Ruleset) -> (Vec<String>, Vec<String>) {
        let depth = self.open.len();
        let speaks = self.open.last().map_or(&[][..], std::slice::from_ref).to_vec();
        let heard: Vec<_> = self.heard.extract_if(.., |heard| heard.depth == depth).map(|heard| heard.source).collect();
        self.cited(&speaks, &heard, template, from, ruleset)
    }

    /// What a refusal by some cases cites, and what else decided it, which lines above cite.
    pub fn cited(
        &mut self,
        speak: &[usize],
        heard: &[(usize, usize)],
        template: &Text,
        from: &[Source],
        ruleset: &Ruleset,
    ) -> (Vec<String>, Vec<String>) {
        let mut bits: Vec<u64> = Vec::new();
        for source in from {
            let next = self.numbers.len();
            let number = *self.numbers.entry(source.number()).or_insert(next);
            bits.resize(bits.len().max(number / 64 + 1), 0);
            bits[number / 64] |= 1 << (number % 64);
        }
        let within = |other: &Said| {
            let more = other.from.iter().enumerate().any(|(i, word)| word & !bits.get(i).copied().unwrap_or(0) != 0);
            !more && other.template != *template && other.from != bits
        };
        let mut above = vec![0u64; bits.len()];
        for other in self.said.iter().filter(|other| within(other)) {
            above.iter_mut().zip(&other.from).for_each(|(word, more)| *word |= more);
        }
        let mut cites: Vec<String> = speak.iter().map(|case| cite(ruleset, *case)).collect();
        let asked = heard.iter().filter_map(|source| from.iter().find(|known| known.number() == *source));
        let fresh = from.iter().filter(|source| {
            let number = self.numbers[&source.number()];
            above[number / 64] & (1 << (number % 64)) == 0
        });
        for name in asked.chain(fresh).map(|source| name(source, ruleset)) {
            if !cites.contains(&name) {
                cites.push(name);
            }
        }
        let behind = names(from, ruleset).into_iter().filter(|name| !cites.contains(name)).collect();
        self.said.push(Said { template: template.clone(), from: bits });
        (cites, behind)
    }
}
