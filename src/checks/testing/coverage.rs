//! Coverage: which cases, functions, cells and amendments of each layer are reached by examples and tests.
//!
//! A function counts when it answers, a cell when it is read. Missing cells, and cells that no throw of the table's dice selects, are
//! unreachable and don't count. Evaluations inside `chance` and `mean` leave no trace and are not counted.

use crate::testing::unused::{self, UnusedPart, spec_with_all_options};
use crate::testing::{effectless, suite};
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place, Remedy};
use casebook_engine::data::axis::AxisLabels;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::data::library::Library;
use casebook_engine::data::table::Table;
use casebook_engine::platform::task;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::situation::trace::Event;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};

/// A share: some of a total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageShare {
    /// The number reached.
    pub reached: usize,
    /// The total number.
    pub total: usize,
}

impl CoverageShare {
    /// Adds one item.
    pub fn add(&mut self, reached: bool) {
        self.total += 1;
        self.reached += usize::from(reached);
    }

    /// Returns the percentage, rounded down; 100 means all.
    pub fn percent(self) -> usize {
        (self.reached * 100).checked_div(self.total).unwrap_or(100)
    }
}

#[derive(Clone, Debug, Default)]
pub struct LayerCoverage {
    /// The name of the layer.
    pub layer: String,
    /// Cases that have functions.
    pub cases: CoverageShare,
    /// Functions that answer for a case.
    pub functions: CoverageShare,
    /// Reachable cells.
    pub cells: CoverageShare,
    /// Amendments of cases and tables by a variant; `None` for the printed game.
    pub amendments: Option<CoverageShare>,
    /// Cases of which no function answered.
    pub cases_not_reached: Vec<String>,
    /// Functions that did not answer, by case, except those of cases not reached.
    pub functions_not_reached: BTreeMap<String, Vec<String>>,
    /// Cells that were not read, by table.
    pub cells_not_reached: BTreeMap<String, Vec<String>>,
    /// Cells that no throw of the table's dice selects, by table.
    pub cells_out_of_reach: BTreeMap<String, Vec<String>>,
    /// The number of cells whose value is missing.
    pub cells_missing: usize,
}

/// Coverage of a game.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The name of the game.
    pub game: String,
    /// The title of the game.
    pub title: String,
    /// The number of examples and tests that ran.
    pub runs: usize,
    /// The number of them that failed.
    pub failed: usize,
    /// The number of those that had not run when the time was up.
    pub untried: usize,
    /// The layers, the printed game first.
    pub layers: Vec<LayerCoverage>,
    /// Functions that no procedure calls.
    pub asked_by_nobody: Vec<UnusedPart>,
    /// Amendments that change no ruling.
    pub moves_nothing: Vec<UnusedPart>,
    /// Names of parameters that the manifest has words for, which house rules are read back in.
    pub words: CoverageShare,
    /// Those without words, those of the most functions first.
    pub without_words: Vec<String>,
}

/// A function of a case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionKey {
    /// The key of the file.
    pub file: String,
    /// The index of the function in the case.
    pub function: usize,
}

#[derive(PartialEq, Eq, Hash)]
struct ReachedCell {
    layer: Arc<str>,
    table: String,
    label: String,
}

impl ReachedCell {
    fn new(table: &Table, index: usize) -> ReachedCell {
        ReachedCell {
            layer: table.cells[index].layer.clone(),
            table: table.id.clone(),
            label: table.label(index),
        }
    }
}

/// Items reached under any ruleset; cases by their files.
#[derive(Default)]
struct ReachedItems {
    cases: HashSet<String>,
    functions: HashSet<FunctionKey>,
    cells: HashSet<ReachedCell>,
}

impl ReachedItems {
    fn add_run(&mut self, ruleset: &Ruleset, events: &[Event]) {
        let (mut answers, mut cells) = (HashSet::new(), HashSet::new());
        for event in events {
            match event {
                Event::Call(call) if answers.insert(*call) => {
                    let answer = call.answer(ruleset);
                    let case = &ruleset.cases[answer.case];
                    self.functions.insert(FunctionKey {
                        file: case.file.key.clone(),
                        function: answer.function,
                    });
                    let reinstated_by = answer
                        .reinstated_by
                        .map(|reinstated_by| ruleset.cases[reinstated_by].file.key.clone());
                    self.cases
                        .extend([case.file.key.clone()].into_iter().chain(reinstated_by));
                }
                Event::Cell(table, index) if cells.insert((Arc::as_ptr(table), *index)) => {
                    let index = *index as usize;
                    self.cells.insert(ReachedCell::new(table, index));
                }
                _ => {}
            }
        }
    }
}

/// Runs the examples and tests of a game and measures their coverage.
pub fn measure(library: &Arc<Library>, game: &str) -> Result<Coverage, Error> {
    let reached = Mutex::new(ReachedItems::default());
    let observe = |ruleset: &Ruleset, events: &[Event]| {
        lock_unpoisoned(&reached).add_run(ruleset, events);
    };
    let outcomes = suite::run(library, game, "", &mut |_| false, |_| (), Some(&observe))?;
    let reached = lock_unpoisoned(&reached);
    let title = library.game(game)?.title.clone();
    let failed = outcomes
        .iter()
        .filter(|outcome| outcome.complaint.is_some())
        .count();
    let untried = outcomes.iter().filter(|outcome| outcome.untried).count();
    let mut coverage = Coverage {
        game: game.into(),
        title,
        runs: outcomes.len() - untried,
        failed,
        untried,
        ..Coverage::default()
    };
    for variant in library.layer_names(game) {
        let spec = spec_with_all_options(library, game, variant.as_slice());
        let ruleset = Ruleset::compose(library, &spec)?.0;
        coverage.layers.push(layer_coverage(&ruleset, &reached));
        if variant.is_none() {
            coverage.add_words(&ruleset);
        }
    }
    coverage.asked_by_nobody = unused::uncalled_functions(library, game)?;
    coverage.moves_nothing = effectless::effectless_amendments(library, game)?;
    if task::is_over() && untried == 0 {
        return Err(time_was_up("which amendments move nothing"));
    }
    Ok(coverage)
}

impl Coverage {
    fn add_words(&mut self, ruleset: &Ruleset) {
        let mut functions: BTreeMap<&str, usize> = BTreeMap::new();
        let all = ruleset
            .cases
            .iter()
            .flat_map(|case| case.public_functions());
        for name in all.flat_map(|function| &function.params) {
            *functions.entry(name).or_default() += 1;
        }
        let mut names: Vec<(&str, usize)> = functions.into_iter().collect();
        names.sort_by_key(|(_, count)| Reverse(*count));
        for (name, _) in names {
            let has_words = ruleset.game.words.contains_key(name);
            self.words.add(has_words);
            self.without_words.extend((!has_words).then(|| name.into()));
        }
    }
}

/// Makes the error of a search that the deadline has ended.
pub fn time_was_up(subject: &str) -> Error {
    let message = format!("the time was up before it was known {subject}");
    Complaint::new(
        DiagnosticCode::Limit,
        Place::whole_file("(all files)"),
        message,
    )
    .with_remedy(Remedy::MoreTime)
    .into()
}

/// Computes the coverage of the topmost layer of a ruleset.
fn layer_coverage(ruleset: &Ruleset, reached: &ReachedItems) -> LayerCoverage {
    let Some(layer) = ruleset.layers.last() else {
        return LayerCoverage::default();
    };
    let mut coverage = LayerCoverage {
        layer: layer.name.to_string(),
        ..LayerCoverage::default()
    };
    let mut amendments = CoverageShare::default();
    for case in &layer.cases {
        let functions: Vec<_> = case
            .functions
            .iter()
            .enumerate()
            .filter(|(_, f)| f.is_answer())
            .collect();
        if functions.is_empty() && case.reinstates.is_none() {
            continue; // a text alone answers nothing
        }
        let is_reached = reached.cases.contains(&case.file.key);
        coverage.cases.add(is_reached);
        amendments.add(is_reached);
        if !is_reached {
            coverage.cases_not_reached.push(case.number.clone());
        }
        for (index, function) in functions {
            let answered = reached.functions.contains(&FunctionKey {
                file: case.file.key.clone(),
                function: index,
            });
            coverage.functions.add(answered);
            if is_reached && !answered {
                let name = format!("{}/{}", function.name, function.arity());
                coverage
                    .functions_not_reached
                    .entry(case.number.clone())
                    .or_default()
                    .push(name);
            }
        }
    }
    for id in layer.tables.keys() {
        let Some(table) = ruleset.stack_table(id, &mut Complaints::default()) else {
            continue;
        };
        let own_cells: Vec<usize> = (0..table.cells.len())
            .filter(|i| table.cells[*i].layer == layer.name)
            .collect();
        let (out_of_reach, reachable_cells): (Vec<usize>, Vec<usize>) = own_cells
            .into_iter()
            .partition(|i| !reachable_by_dice(&table, *i));
        let (missing, counted_cells): (Vec<usize>, Vec<usize>) = reachable_cells
            .into_iter()
            .partition(|i| table.cells[*i].is_missing());
        let read = |i: &usize| reached.cells.contains(&ReachedCell::new(&table, *i));
        let unread: Vec<usize> = counted_cells.iter().copied().filter(|i| !read(i)).collect();
        coverage.cells.total += counted_cells.len();
        coverage.cells.reached += counted_cells.len() - unread.len();
        coverage.cells_missing += missing.len();
        if !counted_cells.is_empty() {
            amendments.add(unread.len() < counted_cells.len());
        }
        if !unread.is_empty() {
            coverage
                .cells_not_reached
                .insert(id.clone(), describe_cells(&table, &unread, &counted_cells));
        }
        if !out_of_reach.is_empty() {
            let all_cells: Vec<usize> = (0..table.cells.len()).collect();
            coverage.cells_out_of_reach.insert(
                id.clone(),
                describe_cells(&table, &out_of_reach, &all_cells),
            );
        }
    }
    coverage.amendments = layer.variant.as_ref().map(|_| amendments);
    coverage
}

/// Returns whether the dice of a table's axes can select a cell.
pub fn reachable_by_dice(table: &Table, index: usize) -> bool {
    table
        .position(index)
        .into_iter()
        .zip(&table.axes)
        .all(|(label_index, axis)| match (&axis.dice, &axis.labels) {
            (Some(dice), AxisLabels::Bands(bands)) => {
                bands[label_index].low <= dice.max_total()
                    && dice.min_total() <= bands[label_index].high
            }
            _ => true,
        })
}

/// Describes a set of cells briefly: whole sheets, whole columns, then rows; `counted` are the cells that count.
fn describe_cells(table: &Table, subset: &[usize], counted: &[usize]) -> Vec<String> {
    if subset.len() == counted.len() {
        return vec![if counted.len() == 1 {
            table.label(counted[0])
        } else {
            format!("all {} cells", counted.len())
        }];
    }
    let axis = |axis: usize, labels: &[usize]| {
        let (data, labels) = (
            &table.axes[axis],
            join_label_runs(labels, &table.axes[axis].label_texts),
        );
        if labels.is_empty() {
            String::new()
        } else {
            format!("{} {labels}", data.name).trim().to_string()
        }
    };
    let cells_at = |cells: &[usize], axis: usize, label: usize| -> Vec<usize> {
        cells
            .iter()
            .copied()
            .filter(|i| table.position(*i)[axis] == label)
            .collect()
    };
    let mut whole_sheets = Vec::new();
    let mut words = Vec::new();
    for sheet in 0..table.axes[0].label_texts.len() {
        let (in_sheet, counted_in_sheet) =
            (cells_at(subset, 0, sheet), cells_at(counted, 0, sheet));
        if !in_sheet.is_empty() && in_sheet.len() == counted_in_sheet.len() {
            whole_sheets.push(sheet);
            continue;
        }
        // Columns that lack the same rows are grouped; an empty list of rows means all rows.
        let mut column_groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for column in 0..table.axes[1].label_texts.len() {
            let cells = cells_at(&in_sheet, 1, column);
            let is_whole_column = cells.len() == cells_at(&counted_in_sheet, 1, column).len();
            let rows: Vec<usize> = if is_whole_column {
                Vec::new()
            } else {
                cells.iter().map(|i| table.position(*i)[2]).collect()
            };
            match column_groups.iter_mut().find(|(r, _)| *r == rows) {
                _ if cells.is_empty() => {}
                Some((_, columns)) => columns.push(column),
                None => column_groups.push((rows, vec![column])),
            }
        }
        for (rows, columns) in column_groups {
            let named = [axis(0, &[sheet]), axis(1, &columns), axis(2, &rows)];
            words.push(
                named
                    .into_iter()
                    .filter(|n| !n.is_empty())
                    .collect::<Vec<_>>()
                    .join(", "),
            );
        }
    }
    if !whole_sheets.is_empty() {
        words.insert(0, axis(0, &whole_sheets));
    }
    words
}

/// Joins labels in order; three or more consecutive ones are abbreviated to the first and the last.
fn join_label_runs(picked: &[usize], written: &[String]) -> String {
    let mut runs: Vec<String> = Vec::new();
    let mut i = 0;
    while i < picked.len() {
        let end = (i..picked.len())
            .take_while(|j| picked[*j] == picked[i] + (j - i))
            .last()
            .unwrap_or(i);
        let (first_label, last_label) = (&written[picked[i]], &written[picked[end]]);
        if end - i >= 2 {
            runs.push(format!("{first_label} to {last_label}"));
        } else {
            runs.extend(picked[i..=end].iter().map(|p| written[*p].clone()));
        }
        i = end + 1;
    }
    runs.retain(|part| !part.is_empty());
    runs.join(", ")
}
