//! The citations of a line: the case that says it, and the sources that decided it.

use crate::code::state::Refusal;
use crate::data::table::Table;
use crate::notation::is_case_number;
use crate::ruleset::compose::Ruleset;
use crate::situation::trace::{CASE_ID, Event, SpokenLine, ValueSource};
use crate::situation::value::HashedText;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Formats the citation of a case: its number, and its layer if that is not the printed game.
pub fn cite_case(ruleset: &Ruleset, case: usize) -> String {
    let case = &ruleset.cases[case];
    if case.layer == ruleset.layers[0].name {
        case.number.clone()
    } else {
        format!("{} {}", case.number, case.layer)
    }
}

/// Formats the citation of the case that a refusal cites first; empty if it cites none.
pub fn cite_refusal(ruleset: &Ruleset, refusal: &Refusal) -> String {
    refusal
        .cases
        .first()
        .map_or(String::new(), |case| cite_case(ruleset, *case))
}

/// Formats the citation of a cell: its table, and the layer that set it if that is not the printed game.
pub fn cite_cell(table: &Table, index: usize, ruleset: &Ruleset) -> String {
    let layer = &table.cells[index].layer;
    let name = format!("table {}", table.id);
    if *layer == ruleset.layers[0].name {
        name
    } else {
        format!("{name} {layer}")
    }
}

/// The number of citations that a reader sees of a line, unless all are asked for.
pub const SHOWN_CITES: usize = 4;

/// Formats the citations of a line: the first few, and how many more there are.
pub fn cites_text(cites: &[String]) -> String {
    let shown = cites[..cites.len().min(SHOWN_CITES)].join("; ");
    if cites.len() > SHOWN_CITES {
        format!("{shown}; and {} more", cites.len() - SHOWN_CITES)
    } else {
        shown
    }
}

fn source_name(source: &ValueSource, ruleset: &Ruleset) -> String {
    match source {
        ValueSource::Case(case) => cite_case(ruleset, *case),
        ValueSource::Cell(table, index) => cite_cell(table, *index, ruleset),
    }
}

/// Returns the names of sources without duplicates.
pub fn source_names(sources: &[ValueSource], ruleset: &Ruleset) -> Vec<String> {
    // All cells that a layer has set in a chart share one name.
    let mut seen = FxHashSet::default();
    let mut fresh = |source: &&ValueSource| match source {
        ValueSource::Case(case) => seen.insert((CASE_ID, *case)),
        ValueSource::Cell(table, index) => seen.insert((
            Arc::as_ptr(table) as usize,
            table.cells[*index].layer.as_ptr() as usize,
        )),
    };
    let mut names: Vec<String> = Vec::new();
    for name in sources
        .iter()
        .filter(&mut fresh)
        .map(|source| source_name(source, ruleset))
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The number of sources up to which a linear search is faster than a hash set.
const LINEAR_SEARCH_LIMIT: usize = 16;

/// The sources that answered an active case since its last line, without duplicates, in order.
#[derive(Default)]
struct AnsweredSources {
    sources: Vec<(usize, usize)>,
    /// The same sources as a set, once there are many.
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

/// A group of consecutive lines of one step with the same template.
type LineGroup = (usize, HashedText);

/// The names of the sources of a line.
pub struct SourceNames {
    /// Those that it cites.
    pub cites: Vec<String>,
    /// The others, which lines above cite.
    pub behind: Vec<String>,
}

/// Computes the citations of lines: the sources that the case asked for the line, and others that no line above has cited. The case that
/// says it comes first, or that the condition of a refusal consulted first; then amendments, numbered cases, cases known by a name alone, and
/// tables.
///
/// Lines of one step with the same template form a group, such as one line per piece, and don't count as above each other. Each procedure
/// of a game begins anew, so a line cites the same wherever it is read: in the whole game, in a part of it, or in a procedure alone.
pub struct LineCitations {
    call_stack: Vec<usize>,
    /// The sources of each active case; the bottom entry holds those read outside any case.
    answered_sources: Vec<AnsweredSources>,
    step_count: usize,
    /// By source, the only group whose lines it has decided so far; `None` if there are several.
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
    /// Records an event that is no line.
    pub fn record_event(&mut self, event: &Event, ruleset: &Ruleset) {
        match event {
            Event::Call(call) => self.enter_case(call.answer(ruleset).cited_case()),
            Event::Return => self.leave_case(ruleset),
            Event::Cell(table, index) => self.record_read(table, *index as usize),
            Event::Step(_) => self.step_count += 1,
            _ => {}
        }
    }

    /// Records the call of a case.
    fn enter_case(&mut self, case: usize) {
        self.call_stack.push(case);
        self.answered_sources.push(AnsweredSources::default());
    }

    /// Records the return of the innermost case. Its caller gets the case, the tables it read, and the cases of variants, but no other
    /// case that it called.
    fn leave_case(&mut self, ruleset: &Ruleset) {
        let Some(case) = self.call_stack.pop() else {
            return;
        };
        let answered = self.answered_sources.pop().unwrap_or_default();
        let Some(asker) = self.answered_sources.last_mut() else {
            return;
        };
        answered
            .sources
            .into_iter()
            .filter(|(kind, case)| *kind != CASE_ID || ruleset.is_amendment(*case))
            .for_each(|source| asker.add(source));
        asker.add(ValueSource::Case(case).id());
    }

    /// Records the read of a cell.
    fn record_read(&mut self, table: &Arc<Table>, index: usize) {
        if let Some(answered) = self.answered_sources.last_mut() {
            answered.add(ValueSource::Cell(table.clone(), index).id());
        }
    }

    /// Returns the names of the sources of a line of the innermost case.
    pub fn cite_line(&mut self, line: &SpokenLine, ruleset: &Ruleset) -> SourceNames {
        let cited = self.line_sources(line);
        split_cites(cited, &line.deciding, ruleset)
    }

    /// Records a line and returns the sources it cites first. Lines that are not shown must be recorded too, because they count as above
    /// later ones.
    pub fn line_sources(
        &mut self,
        SpokenLine {
            template,
            deciding: sources,
            value_amendments,
            refused_by,
            ..
        }: &SpokenLine,
    ) -> Vec<ValueSource> {
        if !refused_by.is_empty() {
            return self.refusal_sources(refused_by, template, sources);
        }
        let answered = self
            .answered_sources
            .last_mut()
            .map(std::mem::take)
            .unwrap_or_default();
        let by_number: FxHashMap<_, _> =
            sources.iter().map(|source| (source.id(), source)).collect();
        let consulted: Vec<ValueSource> = answered
            .sources
            .iter()
            .filter_map(|number| by_number.get(number).copied().cloned())
            .collect();
        let speaks = self.call_stack.last().map(|case| ValueSource::Case(*case));
        let first = speaks.into_iter().chain(value_amendments.iter().cloned());
        self.order_sources(first.chain(consulted).collect(), template, sources)
    }

    /// Returns the names of what an outcome cites that the innermost case names.
    pub fn cite_outcome(&self, sources: &[ValueSource], ruleset: &Ruleset) -> Vec<String> {
        let speaks = self.call_stack.last().map(|case| ValueSource::Case(*case));
        split_cites(
            speaks.into_iter().chain(sources.iter().cloned()).collect(),
            &[],
            ruleset,
        )
        .cites
    }

    /// Returns the names of the sources of a refusal by some cases.
    pub fn cite_refusal(
        &mut self,
        cases: &[usize],
        template: &HashedText,
        sources: &[ValueSource],
        ruleset: &Ruleset,
    ) -> SourceNames {
        let cited = self.refusal_sources(cases, template, sources);
        split_cites(cited, sources, ruleset)
    }

    fn refusal_sources(
        &mut self,
        cases: &[usize],
        template: &HashedText,
        sources: &[ValueSource],
    ) -> Vec<ValueSource> {
        self.order_sources(
            cases.iter().map(|case| ValueSource::Case(*case)).collect(),
            template,
            sources,
        )
    }

    fn order_sources(
        &mut self,
        mut cited: Vec<ValueSource>,
        template: &HashedText,
        sources: &[ValueSource],
    ) -> Vec<ValueSource> {
        let group = (self.step_count, template.clone());
        for source in sources {
            let first_group = self
                .group_by_source
                .entry(source.id())
                .or_insert_with(|| Some(group.clone()));
            if first_group.as_ref() == Some(&group) {
                cited.push(source.clone());
            } else {
                *first_group = None;
            }
        }
        cited
    }
}

/// Splits sources into those a line cites and the rest, by name. The first cited one stays first.
fn split_cites(
    mut cited: Vec<ValueSource>,
    sources: &[ValueSource],
    ruleset: &Ruleset,
) -> SourceNames {
    let rank = |source: &ValueSource| match source {
        ValueSource::Case(case) if ruleset.is_amendment(*case) => 0,
        ValueSource::Case(case) => 1 + u8::from(!is_case_number(&ruleset.cases[*case].number)),
        ValueSource::Cell(..) => 3,
    };
    if let Some((_, others)) = cited.split_first_mut() {
        others.sort_by_cached_key(rank);
    }
    let cites = source_names(&cited, ruleset);
    let mut sources = sources.to_vec();
    sources.sort_by_cached_key(rank);
    let behind = source_names(&sources, ruleset)
        .into_iter()
        .filter(|name| !cites.contains(name))
        .collect();
    SourceNames { cites, behind }
}
