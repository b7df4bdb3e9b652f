//! What a line cites: the case that speaks, and what decided the line.

use crate::data::table::Table;
use crate::ruleset::compose::Ruleset;
use crate::situation::trace::Source;
use crate::situation::value::Text;
use rustc_hash::{FxHashMap, FxHashSet};
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
    let mut known = FxHashSet::default();
    let mut by_layer = |source: &&Source| match source {
        Source::Case(case) => known.insert((0, *case)),
        Source::Cell(table, index) => {
            known.insert((Arc::as_ptr(table) as usize, Arc::as_ptr(&table.cells[*index].layer) as *const u8 as usize))
        }
    };
    let mut names: Vec<String> = Vec::new();
    for name in from.iter().filter(&mut by_layer).map(|source| name(source, ruleset)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Who has answered a case since it last said a line, each once, in the order they did.
#[derive(Default)]
struct Heard {
    /// With each, whether it is cited also where the asker answers in turn.
    list: Vec<((usize, usize), bool)>,
    known: FxHashMap<(usize, usize), usize>,
}

impl Heard {
    fn add(&mut self, source: (usize, usize), stays: bool) {
        let place = *self.known.entry(source).or_insert(self.list.len());
        match self.list.get_mut(place) {
            Some((_, known)) => *known |= stays,
            None => self.list.push((source, stays)),
        }
    }
}

/// Lines that are said one after the other in the same words, by their step and template.
type Group = (usize, Text);

/// What lines cite: the case that speaks first, what it has asked for the line, then whatever else decided it and no line above has cited.
///
/// Lines that are said in a step in the same words, of one piece after the other, are not above each other.
#[derive(Default)]
pub struct Cited {
    /// The cases under way, the one asked last at the end, with what each has heard.
    open: Vec<(usize, Heard)>,
    /// What was heard while none was.
    outside: Heard,
    steps: usize,
    /// By source: the only group of lines that it has decided so far; none where there are several.
    above: FxHashMap<(usize, usize), Option<Group>>,
}

impl Cited {
    /// A case is asked.
    pub fn asked(&mut self, case: usize) {
        self.open.push((case, Heard::default()));
    }

    /// The case asked last has answered. What it asked is its own affair; the tables it read stand behind it, and what a variant says.
    pub fn answered(&mut self, ruleset: &Ruleset) {
        let Some((case, heard)) = self.open.pop() else { return };
        let asker = self.hears();
        heard.list.into_iter().filter(|(_, stays)| *stays).for_each(|(source, _)| asker.add(source, true));
        asker.add(Source::Case(case).number(), ruleset.cases[case].layer != ruleset.layers[0].name);
    }

    /// A cell was read.
    pub fn read(&mut self, table: &Arc<Table>, index: usize) {
        self.hears().add(Source::Cell(table.clone(), index).number(), true);
    }

    fn hears(&mut self) -> &mut Heard {
        self.open.last_mut().map_or(&mut self.outside, |(_, heard)| heard)
    }

    /// A part of the ruling begins.
    pub fn step(&mut self) {
        self.steps += 1;
    }

    /// What a line cites that the case asked last says, and what else decided it, which lines above cite.
    pub fn line(&mut self, template: &Text, from: &[Source], ruleset: &Ruleset) -> (Vec<String>, Vec<String>) {
        let heard = std::mem::take(self.hears());
        let known = |source: &&Source| heard.known.contains_key(&source.number());
        let mut asked: Vec<Source> = from.iter().filter(known).cloned().collect();
        asked.sort_by_key(|source| heard.known[&source.number()]);
        let speaks = self.open.last().map(|(case, _)| Source::Case(*case));
        self.cited(speaks.into_iter().chain(asked).collect(), template, from, ruleset)
    }

    /// What a refusal by some cases cites, and what else decided it, which lines above cite.
    pub fn refusal(&mut self, cases: &[usize], template: &Text, from: &[Source], ruleset: &Ruleset) -> (Vec<String>, Vec<String>) {
        self.cited(cases.iter().map(|case| Source::Case(*case)).collect(), template, from, ruleset)
    }

    fn cited(&mut self, mut first: Vec<Source>, template: &Text, from: &[Source], ruleset: &Ruleset) -> (Vec<String>, Vec<String>) {
        let group = (self.steps, template.clone());
        for source in from {
            let known = self.above.entry(source.number()).or_insert_with(|| Some(group.clone()));
            if known.as_ref() == Some(&group) {
                first.push(source.clone());
            } else {
                *known = None;
            }
        }
        let cites = names(&first, ruleset);
        let behind = names(from, ruleset).into_iter().filter(|name| !cites.contains(name)).collect();
        (cites, behind)
    }
}
