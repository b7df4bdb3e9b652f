//! What a line cites: the case that speaks, and what decided the line.

use crate::data::table::Table;
use crate::ruleset::compose::Ruleset;
use crate::situation::trace::{CASE_ID, CachedEvents, Event, ValueSource};
use crate::situation::value::HashedText;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// How a ruling cites a case: its number, and the layer where it is not the printed game.
pub fn cite_case(ruleset: &Ruleset, case: usize) -> String {
    let case = &ruleset.cases[case];
    if case.layer == ruleset.layers[0].name { case.number.clone() } else { format!("{} {}", case.number, case.layer) }
}

/// How a ruling cites a cell: its table, and the layer that has set it where that is not the printed game.
pub fn cite_cell(table: &Table, index: usize, ruleset: &Ruleset) -> String {
    let layer = &table.cells[index].layer;
    let name = format!("table {}", table.id);
    if *layer == ruleset.layers[0].name { name } else { format!("{name} {layer}") }
}

/// A source by its name.
fn source_name(source: &ValueSource, ruleset: &Ruleset) -> String {
    match source {
        ValueSource::Case(case) => cite_case(ruleset, *case),
        ValueSource::Cell(table, index) => cite_cell(table, *index, ruleset),
    }
}

/// All that decided a line: each by its name, once.
pub fn source_names(from: &[ValueSource], ruleset: &Ruleset) -> Vec<String> {
    // The cells of a chart that one layer has set have one name.
    let mut known = FxHashSet::default();
    let mut fresh = |source: &&ValueSource| match source {
        ValueSource::Case(case) => known.insert((CASE_ID, *case)),
        ValueSource::Cell(table, index) => known.insert((Arc::as_ptr(table) as usize, table.cells[*index].layer.as_ptr() as usize)),
    };
    let mut names: Vec<String> = Vec::new();
    for name in from.iter().filter(&mut fresh).map(|source| source_name(source, ruleset)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Among so few sources one is looked for faster than in a set.
const LINEAR_SEARCH_LIMIT: usize = 16;

/// Who has answered to a case under way since it said a line: each source once, in the order of asking.
#[derive(Default)]
struct AnsweredSources {
    sources: Vec<(usize, usize)>,
    /// The same, once they are many.
    source_set: FxHashSet<(usize, usize)>,
}

impl AnsweredSources {
    fn add(&mut self, source: (usize, usize)) {
        if self.sources.len() < LINEAR_SEARCH_LIMIT {
            if !self.sources.contains(&source) {
                self.sources.push(source);
            }
            return;
        }
        if self.source_set.is_empty() {
            self.source_set.extend(&self.sources);
        }
        if self.source_set.insert(source) {
            self.sources.push(source);
        }
    }
}

/// Lines that are said one after the other in the same words, by their step and template.
type LineGroup = (usize, HashedText);

/// What lines cite: the case that speaks first, what it has asked for the line, then whatever else decided it and no line above has cited.
///
/// Lines that are said in a step in the same words, of one piece after the other, are not above each other.
pub struct LineCitations {
    call_stack: Vec<usize>,
    /// What those under way have heard, and last of all, at the bottom, what was heard before anybody was asked.
    answered_sources: Vec<AnsweredSources>,
    step_count: usize,
    /// By source: the only group of lines that it has decided so far; none where there are several.
    group_by_source: FxHashMap<(usize, usize), Option<LineGroup>>,
}

impl Default for LineCitations {
    fn default() -> LineCitations {
        LineCitations {
            call_stack: Vec::new(),
            answered_sources: vec![AnsweredSources::default()],
            step_count: 0,
            group_by_source: FxHashMap::default(),
        }
    }
}

impl LineCitations {
    /// Something has happened that is no line.
    pub fn record_event(&mut self, event: &Event, ruleset: &Ruleset) {
        match event {
            Event::Call(asked) => self.enter_case(asked.answer(ruleset).cited_case()),
            Event::Return => self.leave_case(ruleset),
            Event::Cell(table, index) => self.record_read(table, *index as usize),
            Event::Step(_) => self.step_count += 1,
            Event::Cached(known) => self.apply_cached(known, ruleset),
            _ => {}
        }
    }

    /// A case is asked.
    fn enter_case(&mut self, case: usize) {
        self.call_stack.push(case);
        self.answered_sources.push(AnsweredSources::default());
    }

    /// The case asked last has answered. What it asked is its own affair; the tables it read stand behind it, and what a variant says.
    fn leave_case(&mut self, ruleset: &Ruleset) {
        let Some(case) = self.call_stack.pop() else { return };
        let own = self.answered_sources.pop().unwrap_or_default();
        let Some(asker) = self.answered_sources.last_mut() else { return };
        let amends = |case: usize| ruleset.cases[case].layer != ruleset.layers[0].name;
        own.sources.into_iter().filter(|(kind, case)| *kind != CASE_ID || amends(*case)).for_each(|source| asker.add(source));
        asker.add(ValueSource::Case(case).id());
    }

    /// An answer was given that was known: whoever asked for it hears what it would have heard.
    fn apply_cached(&mut self, known: &CachedEvents, ruleset: &Ruleset) {
        let heard = known.sources.get_or_init(|| {
            let mut own = LineCitations::default();
            known.events.iter().for_each(|event| own.record_event(event, ruleset));
            own.answered_sources.pop().unwrap_or_default().sources.into()
        });
        if let Some(asker) = self.answered_sources.last_mut() {
            heard.iter().for_each(|source| asker.add(*source));
        }
    }

    /// A cell was read.
    fn record_read(&mut self, table: &Arc<Table>, index: usize) {
        if let Some(heard) = self.answered_sources.last_mut() {
            heard.add(ValueSource::Cell(table.clone(), index).id());
        }
    }

    /// What a line cites that the case asked last says, and what else decided it, which lines above cite.
    pub fn cite_line(&mut self, template: &HashedText, from: &[ValueSource], ruleset: &Ruleset) -> (Vec<String>, Vec<String>) {
        let first = self.line_sources(template, from);
        split_cites(&first, from, ruleset)
    }

    /// A line is said: what it cites first. Whoever was told of it before need not be told again, yet it is above those that follow.
    pub fn line_sources(&mut self, template: &HashedText, from: &[ValueSource]) -> Vec<ValueSource> {
        let heard = self.answered_sources.last_mut().map(std::mem::take).unwrap_or_default();
        let by_number: FxHashMap<_, _> = from.iter().map(|source| (source.id(), source)).collect();
        let asked: Vec<ValueSource> = heard.sources.iter().filter_map(|number| by_number.get(number).copied().cloned()).collect();
        let speaks = self.call_stack.last().map(|case| ValueSource::Case(*case));
        self.order_sources(speaks.into_iter().chain(asked).collect(), template, from)
    }

    /// What a refusal by some cases cites, and what else decided it, which lines above cite.
    pub fn cite_refusal(
        &mut self,
        cases: &[usize],
        template: &HashedText,
        from: &[ValueSource],
        ruleset: &Ruleset,
    ) -> (Vec<String>, Vec<String>) {
        let first = self.order_sources(cases.iter().map(|case| ValueSource::Case(*case)).collect(), template, from);
        split_cites(&first, from, ruleset)
    }

    fn order_sources(&mut self, mut first: Vec<ValueSource>, template: &HashedText, from: &[ValueSource]) -> Vec<ValueSource> {
        let group = (self.step_count, template.clone());
        for source in from {
            let known = self.group_by_source.entry(source.id()).or_insert_with(|| Some(group.clone()));
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
fn split_cites(first: &[ValueSource], from: &[ValueSource], ruleset: &Ruleset) -> (Vec<String>, Vec<String>) {
    let cites = source_names(first, ruleset);
    let behind = source_names(from, ruleset).into_iter().filter(|name| !cites.contains(name)).collect();
    (cites, behind)
}
