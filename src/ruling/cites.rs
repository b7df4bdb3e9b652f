//! What a line cites: the case that speaks, and what decided the line.

use crate::data::table::Table;
use crate::ruleset::compose::Ruleset;
use crate::situation::trace::{CASE, Event, Remembered, Source};
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

/// All that decided a line: each by its name, once.
pub fn names(from: &[Source], ruleset: &Ruleset) -> Vec<String> {
    // The cells of a chart that one layer has set have one name.
    let mut known = FxHashSet::default();
    let mut fresh = |source: &&Source| match source {
        Source::Case(case) => known.insert((CASE, *case)),
        Source::Cell(table, index) => known.insert((Arc::as_ptr(table) as usize, table.cells[*index].layer.as_ptr() as usize)),
    };
    let mut names: Vec<String> = Vec::new();
    for name in from.iter().filter(&mut fresh).map(|source| name(source, ruleset)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Among so few sources one is looked for faster than in a set.
const FEW: usize = 16;

/// Who has answered to a case under way since it said a line: each source once, in the order of asking.
#[derive(Default)]
struct Heard {
    order: Vec<(usize, usize)>,
    /// The same, once they are many.
    known: FxHashSet<(usize, usize)>,
}

impl Heard {
    fn hear(&mut self, source: (usize, usize)) {
        if self.order.len() < FEW {
            if !self.order.contains(&source) {
                self.order.push(source);
            }
            return;
        }
        if self.known.is_empty() {
            self.known.extend(&self.order);
        }
        if self.known.insert(source) {
            self.order.push(source);
        }
    }
}

/// Lines that are said one after the other in the same words, by their step and template.
type Group = (usize, Text);

/// What lines cite: the case that speaks first, what it has asked for the line, then whatever else decided it and no line above has cited.
///
/// Lines that are said in a step in the same words, of one piece after the other, are not above each other.
pub struct Cited {
    open: Vec<usize>,
    /// What those under way have heard, and last of all, at the bottom, what was heard before anybody was asked.
    heard: Vec<Heard>,
    steps: usize,
    /// By source: the only group of lines that it has decided so far; none where there are several.
    above: FxHashMap<(usize, usize), Option<Group>>,
}

impl Default for Cited {
    fn default() -> Cited {
        Cited { open: Vec::new(), heard: vec![Heard::default()], steps: 0, above: FxHashMap::default() }
    }
}

impl Cited {
    /// Something has happened that is no line.
    pub fn happened(&mut self, event: &Event, ruleset: &Ruleset) {
        match event {
            Event::Ask(asked) => self.asked(asked.answer(ruleset).cited()),
            Event::Done => self.answered(ruleset),
            Event::Cell(table, index) => self.read(table, *index as usize),
            Event::Step(_) => self.steps += 1,
            Event::Remembered(known) => self.remembered(known, ruleset),
            _ => {}
        }
    }

    /// A case is asked.
    fn asked(&mut self, case: usize) {
        self.open.push(case);
        self.heard.push(Heard::default());
    }

    /// The case asked last has answered. What it asked is its own affair; the tables it read stand behind it, and what a variant says.
    fn answered(&mut self, ruleset: &Ruleset) {
        let Some(case) = self.open.pop() else { return };
        let own = self.heard.pop().unwrap_or_default();
        let Some(asker) = self.heard.last_mut() else { return };
        let amends = |case: usize| ruleset.cases[case].layer != ruleset.layers[0].name;
        own.order.into_iter().filter(|(kind, case)| *kind != CASE || amends(*case)).for_each(|source| asker.hear(source));
        asker.hear(Source::Case(case).number());
    }

    /// An answer was given that was known: whoever asked for it hears what it would have heard.
    fn remembered(&mut self, known: &Remembered, ruleset: &Ruleset) {
        let heard = known.heard.get_or_init(|| {
            let mut own = Cited::default();
            known.events.iter().for_each(|event| own.happened(event, ruleset));
            own.heard.pop().unwrap_or_default().order.into()
        });
        if let Some(asker) = self.heard.last_mut() {
            heard.iter().for_each(|source| asker.hear(*source));
        }
    }

    /// A cell was read.
    fn read(&mut self, table: &Arc<Table>, index: usize) {
        if let Some(heard) = self.heard.last_mut() {
            heard.hear(Source::Cell(table.clone(), index).number());
        }
    }

    /// What a line cites that the case asked last says, and what else decided it, which lines above cite.
    pub fn line(&mut self, template: &Text, from: &[Source], ruleset: &Ruleset) -> (Vec<String>, Vec<String>) {
        let first = self.said(template, from);
        told(&first, from, ruleset)
    }

    /// A line is said: what it cites first. Whoever was told of it before need not be told again, yet it is above those that follow.
    pub fn said(&mut self, template: &Text, from: &[Source]) -> Vec<Source> {
        let heard = self.heard.last_mut().map(std::mem::take).unwrap_or_default();
        let by_number: FxHashMap<_, _> = from.iter().map(|source| (source.number(), source)).collect();
        let asked: Vec<Source> = heard.order.iter().filter_map(|number| by_number.get(number).copied().cloned()).collect();
        let speaks = self.open.last().map(|case| Source::Case(*case));
        self.cited(speaks.into_iter().chain(asked).collect(), template, from)
    }

    /// What a refusal by some cases cites, and what else decided it, which lines above cite.
    pub fn refusal(&mut self, cases: &[usize], template: &Text, from: &[Source], ruleset: &Ruleset) -> (Vec<String>, Vec<String>) {
        let first = self.cited(cases.iter().map(|case| Source::Case(*case)).collect(), template, from);
        told(&first, from, ruleset)
    }

    fn cited(&mut self, mut first: Vec<Source>, template: &Text, from: &[Source]) -> Vec<Source> {
        let group = (self.steps, template.clone());
        for source in from {
            let known = self.above.entry(source.number()).or_insert_with(|| Some(group.clone()));
            if known.as_ref() == Some(&group) {
                first.push(source.clone());
            } else {
                *known = None;
            }
        }
        first
    }
}

/// What a line cites first, and what stands behind it, by their names.
fn told(first: &[Source], from: &[Source], ruleset: &Ruleset) -> (Vec<String>, Vec<String>) {
    let cites = names(first, ruleset);
    let behind = names(from, ruleset).into_iter().filter(|name| !cites.contains(name)).collect();
    (cites, behind)
}
