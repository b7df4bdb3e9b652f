//! The differences of two rulesets on a situation, split so that each can be switched separately: cases, readings, cells of tables,
//! figures and pieces of lists. An option is represented by its cases, cells and figures.

use crate::compare::view::Comparison;
use casebook_engine::code::program::Program;
use casebook_engine::code::reachable::Reachable;
use casebook_engine::complaint::Error;
use casebook_engine::data::case::{Case, list_entry_key};
use casebook_engine::data::change::{Change, ChangeAddress};
use casebook_engine::data::piece::PieceEntry;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::table::Table;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics;
use casebook_engine::ruling::situation::Situation;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One difference between two rulesets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RulesetSwitch {
    /// A case, by the key of its file.
    Case(String),
    /// A reading, by its full name.
    Reading(String),
    /// A cell, by table and index.
    Cell(String, usize),
    /// A whole table, if its axes differ or one ruleset lacks it.
    Table(String),
    /// A figure of a piece in a list: list, piece, figure.
    Figure(String, String, String),
    /// A value of a list outside its pieces: list, keys.
    Value(String, Vec<String>),
    /// A piece that one of the lists lacks: list, piece.
    Piece(String, String),
    /// A whole list that one ruleset lacks or takes from another file.
    List(String),
}

/// Two rulesets on a situation with all their differences.
pub struct RulesetPair<'a> {
    /// The situation under the first ruleset.
    pub from: &'a Situation,
    /// The situation under the second ruleset.
    pub to: &'a Situation,
    /// The differences.
    pub switches: Vec<RulesetSwitch>,
    tables: BTreeMap<String, [Option<Arc<Table>>; 2]>,
    lists: BTreeMap<String, [Option<Arc<Scenario>>; 2]>,
}

/// Returns the cases in force by the keys of their files.
fn cases_by_key(ruleset: &Ruleset) -> BTreeMap<String, &Arc<Case>> {
    ruleset
        .cases
        .iter()
        .map(|case| (case.key(), case))
        .collect()
}

impl<'a> RulesetPair<'a> {
    /// Collects the differences of two rulesets on a situation that the procedure can reach.
    pub fn new(
        from: &'a Situation,
        to: &'a Situation,
        reachable: [&Reachable; 2],
    ) -> RulesetPair<'a> {
        let rulesets = [from.ruleset(), to.ruleset()];
        let mut pair = RulesetPair {
            from,
            to,
            switches: Vec::new(),
            tables: BTreeMap::new(),
            lists: BTreeMap::new(),
        };
        let (a, b) = (cases_by_key(rulesets[0]), cases_by_key(rulesets[1]));
        let keys: BTreeSet<String> = a.keys().chain(b.keys()).cloned().collect();
        pair.switches.extend(
            keys.into_iter()
                .filter(|key| a.contains_key(key) != b.contains_key(key))
                .map(RulesetSwitch::Case),
        );
        let names: BTreeSet<&String> = rulesets[0]
            .readings
            .keys()
            .chain(rulesets[1].readings.keys())
            .collect();
        let first_alternative = |name: &str| {
            let cases = rulesets.iter().flat_map(|ruleset| &ruleset.cases);
            cases
                .filter_map(|case| {
                    case.readings
                        .iter()
                        .find(|reading| format!("{}.{}", case.number, reading.name) == *name)
                })
                .find_map(|reading| reading.ways.first().cloned())
        };
        for name in names {
            let alternative = |ruleset: &Ruleset| {
                ruleset
                    .readings
                    .get(name)
                    .cloned()
                    .or_else(|| first_alternative(name))
            };
            if alternative(rulesets[0]) != alternative(rulesets[1]) {
                pair.switches.push(RulesetSwitch::Reading(name.clone()));
            }
        }
        for id in &reachable[0].tables | &reachable[1].tables {
            let tables = rulesets.map(|ruleset| ruleset.table(&id).ok().flatten());
            pair.add_table_switches(&id, &tables);
            pair.tables.insert(id, tables);
        }
        let name = &from.scenario.name;
        let used_lists: BTreeSet<&String> = from
            .scenario
            .used_lists
            .iter()
            .chain(&to.scenario.used_lists)
            .collect();
        let named_lists: BTreeSet<String> = &reachable[0].scenarios | &reachable[1].scenarios;
        let on_board: BTreeSet<&str> = from
            .scenario
            .pieces
            .iter()
            .chain(&to.scenario.pieces)
            .map(|entry| entry.name.as_str())
            .collect();
        let touched = |list: &str| {
            rulesets
                .iter()
                .any(|ruleset| ruleset.variants().any(|layer| layer.has_list(list)))
        };
        for list in [name]
            .into_iter()
            .chain(used_lists)
            .chain(&named_lists)
            .filter(|list| touched(list))
            .collect::<BTreeSet<_>>()
        {
            let scenarios = rulesets.map(|ruleset| ruleset.scenario(list).ok());
            // If the procedure doesn't name a list itself, only its pieces on the board matter.
            let is_whole_list = list == name || named_lists.contains(list);
            pair.add_list_switches(list, &scenarios, &|piece: &str| {
                is_whole_list || on_board.contains(piece)
            });
            pair.lists.insert(list.clone(), scenarios);
        }
        pair
    }

    fn add_table_switches(&mut self, id: &str, tables: &[Option<Arc<Table>>; 2]) {
        match tables {
            [Some(a), Some(b)] if same_shape(a, b) => {
                let cells = a.cells.iter().zip(&b.cells).enumerate();
                let differing =
                    cells.filter(|(_, (a, b))| (&a.text, a.status) != (&b.text, b.status));
                self.switches
                    .extend(differing.map(|(index, _)| RulesetSwitch::Cell(id.into(), index)));
            }
            [None, None] => {}
            _ => self.switches.push(RulesetSwitch::Table(id.into())),
        }
    }

    fn add_list_switches(
        &mut self,
        list: &str,
        lists: &[Option<Arc<Scenario>>; 2],
        matters: &dyn Fn(&str) -> bool,
    ) {
        let [Some(a), Some(b)] = lists else {
            self.switches.extend(
                lists
                    .iter()
                    .any(Option::is_some)
                    .then(|| RulesetSwitch::List(list.into())),
            );
            return;
        };
        if a.file.key != b.file.key {
            self.switches.push(RulesetSwitch::List(list.into()));
            return;
        }
        let changed: BTreeSet<&Vec<String>> = a
            .changed
            .iter()
            .chain(&b.changed)
            .map(|change| &change.path)
            .collect();
        let differing = changed
            .into_iter()
            .filter(|path| a.value_at(path) != b.value_at(path));
        self.switches
            .extend(differing.map(|path| RulesetSwitch::Value(list.into(), path.clone())));
        let find = |list: &Arc<Scenario>, name: &str| {
            list.pieces.iter().find(|entry| entry.name == name).cloned()
        };
        let names: BTreeSet<&str> = a
            .pieces
            .iter()
            .chain(&b.pieces)
            .map(|entry| entry.name.as_str())
            .collect();
        for name in names.into_iter().filter(|name| matters(name)) {
            match (find(a, name), find(b, name)) {
                (Some(a), Some(b)) => {
                    let figures: BTreeSet<&String> = a
                        .attributes
                        .keys()
                        .chain(b.attributes.keys())
                        .chain(a.status_by_figure.keys())
                        .chain(b.status_by_figure.keys())
                        .collect();
                    let differ = |figure: &str| {
                        a.attributes.get(figure) != b.attributes.get(figure)
                            || a.status_of(figure) != b.status_of(figure)
                    };
                    let figures = figures.into_iter().filter(|figure| differ(figure));
                    self.switches.extend(figures.map(|figure| {
                        RulesetSwitch::Figure(list.into(), name.into(), figure.clone())
                    }));
                }
                _ => self
                    .switches
                    .push(RulesetSwitch::Piece(list.into(), name.into())),
            }
        }
    }

    /// Whether the rulesets differ in more than cases and readings.
    pub fn differs_in_figures(&self) -> bool {
        self.switches
            .iter()
            .any(|switch| !matches!(switch, RulesetSwitch::Case(_) | RulesetSwitch::Reading(_)))
    }

    /// Returns a table under the first and the second ruleset.
    pub fn table(&self, id: &str) -> [Option<&Arc<Table>>; 2] {
        self.tables
            .get(id)
            .map_or([None, None], |tables| tables.each_ref().map(Option::as_ref))
    }

    /// Returns a list under the first and the second ruleset.
    pub fn list(&self, name: &str) -> [Option<&Scenario>; 2] {
        self.lists
            .get(name)
            .map_or([None, None], |lists| lists.each_ref().map(Option::as_deref))
    }

    /// Builds the situation under the first ruleset with some switches applied; returns an error if the result is invalid.
    pub fn with_switches(
        &self,
        comparison: &Comparison,
        on: &BTreeSet<usize>,
    ) -> Result<Situation, Error> {
        let on = |switch: &RulesetSwitch| {
            self.switches
                .iter()
                .position(|candidate| candidate == switch)
                .is_some_and(|index| on.contains(&index))
        };
        let (from, to) = (self.from.ruleset(), self.to.ruleset());
        let mut spec = RulesetSpec::new(&from.game.name, &[]);
        for layer in to.variants().chain(from.variants()) {
            if !spec.variants.iter().any(|name| **name == *layer.name) {
                spec.variants.push(layer.name.to_string());
            }
        }
        let variants = spec
            .variants
            .iter()
            .filter_map(|name| comparison.library.variants.get(name));
        spec.options = variants
            .flat_map(|v| {
                v.options
                    .iter()
                    .map(|option| (format!("{}.{}", v.name, option.name), true))
            })
            .collect();
        let (a, b) = (cases_by_key(from), cases_by_key(to));
        let is_kept = |key: &str| match (a.contains_key(key), b.contains_key(key)) {
            (true, true) => true,
            (false, false) => false,
            (_, added) => on(&RulesetSwitch::Case(key.into())) == added,
        };
        let rule_folders = spec
            .variants
            .iter()
            .map(|name| format!("variants/{name}/rules/"))
            .collect::<Vec<_>>();
        let files = comparison
            .library
            .files
            .by_key
            .keys()
            .filter(|key| rule_folders.iter().any(|tree| key.starts_with(tree)));
        let entries = spec
            .variants
            .iter()
            .filter_map(|name| comparison.library.variants.get(name))
            .flat_map(|variant| {
                // Cells, options and readings are set by themselves.
                let is_of_cases = |change: &&Arc<Change>| {
                    let address = &change.address;
                    matches!(
                        address,
                        ChangeAddress::Case(_) | ChangeAddress::Script { .. }
                    )
                };
                let of_cases = variant.changes.iter().filter(is_of_cases);
                of_cases.map(|change| list_entry_key(&variant.file.key, change.number))
            });
        spec.excluded_files = files
            .cloned()
            .chain(entries)
            .filter(|key| !is_kept(key))
            .collect();
        let kept_cases = a
            .iter()
            .chain(&b)
            .filter(|(key, _)| is_kept(key))
            .map(|(_, case)| case);
        let readings: BTreeSet<String> = kept_cases
            .flat_map(|case| {
                case.readings
                    .iter()
                    .map(|reading| format!("{}.{}", case.number, reading.name))
            })
            .collect();
        for name in readings {
            let alternative = if on(&RulesetSwitch::Reading(name.clone())) {
                to.readings.get(&name)
            } else {
                from.readings.get(&name)
            };
            // A reading that this ruleset lacks takes its first alternative.
            spec.readings
                .extend(alternative.map(|alternative| (name, alternative.clone())));
        }
        let (ruleset, _) = diagnostics::build_ruleset(comparison.library, &spec)?;
        let tables = self
            .tables
            .iter()
            .map(|(id, pair)| (id.clone(), self.mix_table(id, pair, &on)))
            .collect();
        let lists = self
            .lists
            .iter()
            .filter_map(|(name, pair)| self.mix_list(name, pair, &on))
            .collect();
        let ruleset = ruleset.with_overrides(tables, lists);
        let scenario = comparison.scenario(&ruleset)?;
        Situation::new(&Arc::new(Program::new(Arc::new(ruleset))), scenario)
    }

    /// Returns the situation under the ruleset that has a case, with functions of it that do nothing: each leaves the answer to the layer
    /// below, or answers nothing. `None` if all have a layer below: then the case can be left out.
    pub fn with_idle_case(
        &self,
        comparison: &Comparison,
        key: &str,
    ) -> Result<Option<Situation>, Error> {
        let position = |situation: &Situation| {
            situation
                .ruleset()
                .cases
                .iter()
                .position(|case| case.key() == key)
        };
        let situation = if position(self.to).is_some() {
            self.to
        } else {
            self.from
        };
        let mut ruleset = Ruleset::clone(situation.ruleset());
        let Some(index) = position(situation) else {
            return Ok(None);
        };
        let (mut case, mut answers_alone) = (Case::clone(&ruleset.cases[index]), false);
        for function in case
            .functions
            .iter_mut()
            .filter(|function| function.is_answer())
        {
            let slot = ruleset
                .slot(&function.name, function.params.len())
                .map(|slot| &ruleset.slots[slot]);
            let is_lowest = slot
                .and_then(|slot| slot.answers.last())
                .is_none_or(|answer| answer.case == index);
            answers_alone |= is_lowest;
            let body = if is_lowest { "" } else { " prior() " };
            function.body = format!(
                "fn {}({}) {{{body}}}",
                function.name,
                function.params.join(", ")
            )
            .into();
        }
        if !answers_alone {
            return Ok(None);
        }
        ruleset.cases[index] = Arc::new(case);
        let scenario = comparison.scenario(&ruleset)?;
        Situation::new(&Arc::new(Program::new(Arc::new(ruleset))), scenario).map(Some)
    }

    fn mix_table(
        &self,
        id: &str,
        tables: &[Option<Arc<Table>>; 2],
        on: &dyn Fn(&RulesetSwitch) -> bool,
    ) -> Option<Arc<Table>> {
        let [Some(a), Some(b)] = tables else {
            return tables[usize::from(on(&RulesetSwitch::Table(id.into())))].clone();
        };
        if !same_shape(a, b) {
            return Some(
                if on(&RulesetSwitch::Table(id.into())) {
                    b
                } else {
                    a
                }
                .clone(),
            );
        }
        let mut mixed = Table::clone(a);
        for (index, cell) in b.cells.iter().enumerate() {
            if on(&RulesetSwitch::Cell(id.into(), index)) {
                mixed.cells[index] = cell.clone();
            }
        }
        Some(Arc::new(mixed))
    }

    fn mix_list(
        &self,
        name: &str,
        lists: &[Option<Arc<Scenario>>; 2],
        on: &dyn Fn(&RulesetSwitch) -> bool,
    ) -> Option<Arc<Scenario>> {
        let is_whole_list = self.switches.contains(&RulesetSwitch::List(name.into()));
        let ([Some(a), Some(b)], false) = (lists, is_whole_list) else {
            return lists[usize::from(on(&RulesetSwitch::List(name.into())))].clone();
        };
        let piece = |entry: &PieceEntry| on(&RulesetSwitch::Piece(name.into(), entry.name.clone()));
        let mut mixed = Scenario::clone(a);
        for switch in self.switches.iter().filter(|switch| on(switch)) {
            if let RulesetSwitch::Value(list, path) = switch
                && list == name
            {
                mixed.take_value(path, b, &self.to.ruleset().game);
            }
        }
        mixed
            .pieces
            .retain(|entry| b.pieces.iter().any(|newer| newer.name == entry.name) || !piece(entry));
        for entry in &mut mixed.pieces {
            let Some(newer) = b.pieces.iter().find(|newer| newer.name == entry.name) else {
                continue;
            };
            let figures: BTreeSet<String> = [&entry.attributes, &newer.attributes]
                .into_iter()
                .flat_map(|data| data.keys().cloned())
                .chain(newer.status_by_figure.keys().cloned())
                .collect();
            for figure in figures {
                if on(&RulesetSwitch::Figure(
                    name.into(),
                    entry.name.clone(),
                    figure.clone(),
                )) {
                    entry
                        .status_by_figure
                        .insert(figure.clone(), newer.status_of(&figure));
                    entry.path = newer.path.clone();
                    match newer.attributes.get(&figure) {
                        Some(datum) => drop(entry.attributes.insert(figure, datum.clone())),
                        None => drop(entry.attributes.remove(&figure)),
                    }
                }
            }
        }
        let is_added =
            |entry: &&PieceEntry| a.pieces.iter().all(|old| old.name != entry.name) && piece(entry);
        mixed
            .pieces
            .extend(b.pieces.iter().filter(is_added).cloned());
        Some(Arc::new(mixed))
    }
}

/// Whether two tables have equal axes, fields and marks, so that they can be compared cell by cell.
fn same_shape(a: &Table, b: &Table) -> bool {
    let axes = a
        .axes
        .iter()
        .zip(&b.axes)
        .all(|(a, b)| (&a.name, &a.label_texts) == (&b.name, &b.label_texts));
    axes && (&a.fields, &a.marks) == (&b.fields, &b.marks)
}
