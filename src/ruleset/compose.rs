//! What is in force: a game, its variants in order, its options and readings; and who answers what.

use crate::complaint::{Complaint, Complaints, Error, Place, did_you_mean, nearest_names};
use crate::data::cache::SharedCache;
use crate::data::case::{Case, CaseFunction};
use crate::data::library::{Layer, Library, NumberedCase};
use crate::data::manifest::Game;
use crate::data::scenario::Scenario;
use crate::data::table::Table;
use crate::data::table_file::TableFile;
use crate::data::yaml::YamlNode;
use crate::ruleset::layers;
pub use crate::ruleset::spec::RulesetSpec;
use crate::ruleset::spec::{order_variants, resolve_options, resolve_readings};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Who answers a function in one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerAnswer {
    /// The case, among the cases in force.
    pub case: usize,
    /// The function, among those of the case.
    pub function: usize,
    /// The later case that brought this answer back.
    pub reinstated_by: Option<usize>,
    /// The later case under which it no longer stands.
    pub removed_by: Option<usize>,
}

impl LayerAnswer {
    /// The case by whose word it stands here: the one that answers, brings the answer back, or takes it away.
    pub fn deciding_case(&self) -> usize {
        self.removed_by.or(self.reinstated_by).unwrap_or(self.case)
    }

    /// The case that is cited where it answers: the one that brought the answer back, else its own.
    pub fn cited_case(&self) -> usize {
        self.reinstated_by.unwrap_or(self.case)
    }
}

/// A function that cases answer: every layer's answer, the newest first.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// How many parameters.
    pub arity: usize,
    /// The answers, newest first.
    pub answers: Vec<LayerAnswer>,
}

/// A table once its layers were laid over each other.
type StackedTable = Result<Option<Arc<Table>>, Complaints>;

/// A ruleset: immutable once made, and shared between threads.
#[derive(Clone, Debug)]
pub struct Ruleset {
    /// The game.
    pub game: Arc<Game>,
    /// The layers in force, the printed game first.
    pub layers: Vec<Arc<Layer>>,
    /// The cases in force, layer by layer.
    pub cases: Vec<Arc<Case>>,
    /// Functions that cases answer.
    pub slots: Vec<Slot>,
    /// Slot by name and number of parameters.
    slot_index: FxHashMap<(String, usize), usize>,
    /// Cases whose number is known.
    pub contents: BTreeMap<String, NumberedCase>,
    /// Options and whether they are on: `errata.frost`.
    pub options: BTreeMap<String, bool>,
    /// Readings and the way chosen: `8.16.remainder`.
    pub readings: BTreeMap<String, String>,
    /// The wish it was made from.
    pub spec: RulesetSpec,
    tables: BTreeMap<String, OnceLock<StackedTable>>,
    /// Situations, rosters and deployments as the stack has them, those that were asked for.
    scenario_cache: SharedCache<Scenario>,
    /// All data, in force or not.
    pub library: Arc<Library>,
}

impl Ruleset {
    /// Composes what a wish asks for. Whether the layers may stand together is for [`crate::ruleset::diagnostics::build_ruleset`] to say.
    pub fn compose(library: &Arc<Library>, wish: &RulesetSpec) -> Result<(Ruleset, Complaints), Error> {
        let mut game = library.game(&wish.game)?.clone();
        let mut complaints = Complaints::default();
        let names = order_variants(library, &game, &wish.variants)?;
        let stack: Vec<Option<&str>> = [None].into_iter().chain(names.iter().map(|name| Some(name.as_str()))).collect();
        let layers = library.layers(&game, &stack, &mut complaints);
        let added = library.with_additions(&game, names.iter().map(String::as_str));
        if let Some(added) = added {
            game = Arc::new(added);
        }
        let options = resolve_options(&layers, wish)?;
        let on = |layer: &Layer, option: &Option<String>| {
            option.as_ref().is_none_or(|o| options.get(&format!("{}.{o}", layer.name)).copied().unwrap_or(true))
        };
        let kept = |layer: &Layer, case: &Case| on(layer, &case.option) && !wish.excluded_files.contains(&case.file.key);
        let cases: Vec<Arc<Case>> = layers.iter().flat_map(|layer| layer.cases.iter().filter(|c| kept(layer, c)).cloned()).collect();
        let readings = resolve_readings(&cases, wish)?;
        let (slots, by_name) = build_slots(&cases, &layers, &mut complaints);
        let tables = layers.iter().flat_map(|l| l.tables.keys().cloned()).map(|id| (id, OnceLock::new())).collect();
        let contents = library.contents(&game.name, &mut complaints);
        let (library, lists, wish) = (library.clone(), SharedCache::default(), wish.clone());
        Ok((
            Ruleset {
                game,
                layers,
                cases,
                slots,
                slot_index: by_name,
                contents,
                options,
                readings,
                spec: wish,
                tables,
                scenario_cache: lists,
                library,
            },
            complaints,
        ))
    }

    /// The slot of a function.
    pub fn slot(&self, name: &str, arity: usize) -> Option<usize> {
        self.slot_index.get(&(name.to_string(), arity)).copied()
    }

    /// Whether any case answers a function of this name, and with which numbers of parameters.
    pub fn arities(&self, name: &str) -> Vec<usize> {
        self.slots.iter().filter(|s| s.name == name).map(|s| s.arity).collect()
    }

    /// The names of all tables in force.
    pub fn table_names(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// A table as the stack of layers has it; none where no layer has it, complaints where it can't be used.
    pub fn table(&self, id: &str) -> Result<Option<Arc<Table>>, Complaints> {
        let Some(cell) = self.tables.get(id) else { return Ok(None) };
        let stacked = cell.get_or_init(|| {
            let mut complaints = Complaints::default();
            let table = self.stack_table(id, &mut complaints);
            if complaints.has_errors() { Err(complaints.into_sorted()) } else { Ok(table.map(Arc::new)) }
        });
        stacked.clone()
    }

    /// The same with tables and lists laid in the place of what the layers make of them: for finding out what a figure does.
    pub fn with_overrides(mut self, tables: BTreeMap<String, Option<Arc<Table>>>, lists: Vec<Arc<Scenario>>) -> Ruleset {
        self.tables.extend(tables.into_iter().map(|(id, table)| (id, OnceLock::from(Ok(table)))));
        lists.into_iter().for_each(|list| self.scenario_cache.insert(&list.name.clone(), list));
        self
    }

    /// The files the layers in force have for a table, the printed game's first; an option that is off takes its file away. What lies over
    /// a file that can't be read is left out: nobody knows what it amends.
    pub fn table_files(&self, id: &str, complaints: &mut Complaints) -> Vec<TableFile> {
        let (mut files, mut sound) = (Vec::new(), true);
        for layer in &self.layers {
            let switched = |option: &String| self.options.get(&format!("{}.{option}", layer.name)).copied().unwrap_or(true);
            let on = |f: &TableFile| f.option.as_ref().is_none_or(switched) && !self.spec.excluded_files.contains(&f.file.key);
            let read = self.library.table_files(layer, id, complaints);
            let whole = read.len() == layer.tables.get(id).map_or(0, Vec::len);
            files.extend(read.into_iter().filter(|f| sound && on(f) && !self.spec.excluded_files.contains(&f.file.key)));
            sound &= whole;
        }
        if let Some(first) = files.first_mut().filter(|f| !f.is_standalone()) {
            first.suggestion = did_you_mean(id, self.table_names().filter(|known| *known != id));
        }
        files
    }

    /// Lays the layers of a table over each other.
    pub fn stack_table(&self, id: &str, complaints: &mut Complaints) -> Option<Table> {
        let files = self.table_files(id, complaints);
        layers::stack_table(&files, &self.layers[0].name, &|older, newer| self.declared_before(older, newer), complaints)
    }

    /// The names of all situations, rosters and deployments in force.
    pub fn scenario_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.layers.iter().flat_map(|l| l.scenarios.keys().map(String::as_str)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// A situation, roster or deployment as the stack of layers has it.
    pub fn scenario(&self, name: &str) -> Result<Arc<Scenario>, Error> {
        if let Some(list) = self.scenario_cache.get(name) {
            return Ok(list);
        }
        let mut complaints = Complaints::default();
        let found = self.stack_scenario(name, &mut complaints);
        if complaints.has_errors() {
            return Err(Error::Data(complaints.into_sorted()));
        }
        let near = || nearest_names(name, self.scenario_names());
        let found =
            found.ok_or_else(|| Error::Unknown { what: "situation, roster or deployment", name: name.into(), suggestions: near() })?;
        self.scenario_cache.insert(name, found.clone());
        Ok(found)
    }

    /// Lays the layers of a scenario file over each other.
    pub fn stack_scenario(&self, name: &str, complaints: &mut Complaints) -> Option<Arc<Scenario>> {
        let files = self.scenario_files(name, complaints);
        layers::stack_scenario(&files, &self.game, &|older, newer| self.declared_before(older, newer), complaints)
    }

    /// What the layers in force say of a situation, roster or deployment, the printed game first; an option that is off takes its part away.
    pub fn scenario_files(&self, name: &str, complaints: &mut Complaints) -> Vec<Arc<Scenario>> {
        let mut files = Vec::new();
        for layer in &self.layers {
            let Some(mut over) = self.library.scenario(layer, name, &self.game, complaints) else { continue };
            let off = |option: &str| self.options.get(&format!("{}.{option}", layer.name)) == Some(&false);
            if over.option.as_ref().is_some_and(|o| off(o)) || self.spec.excluded_files.contains(&over.file.key) {
                continue;
            }
            let off = |change: &YamlNode| change.get("option").and_then(|n| n.as_text()).is_some_and(&off);
            if over.changes.iter().any(off) {
                Arc::make_mut(&mut over).changes.retain(|change| !off(change));
            }
            files.push(over);
        }
        files
    }

    /// The keys of every file the variants in force bring: what can be left out.
    pub fn amendment_keys(&self) -> Vec<String> {
        let cases = self.cases.iter().filter(|c| c.layer != self.layers[0].name).map(|c| c.file.key.clone());
        let others = self.variants().flat_map(|l| l.tables.values().flatten().chain(l.scenarios.values()).map(|f| f.key.clone()));
        cases.chain(others).collect()
    }

    /// The variants in force, in order.
    pub fn variants(&self) -> impl Iterator<Item = &Arc<Layer>> {
        self.layers.iter().skip(1)
    }

    /// The game and its variants: "game with errata, winter".
    pub fn title(&self) -> String {
        let names: Vec<&str> = self.variants().map(|l| &*l.name).collect();
        if names.is_empty() { self.game.name.clone() } else { format!("{} with {}", self.game.name, names.join(", ")) }
    }

    /// Whether one layer comes before another by declaration: the printed game before all, and what `after:` says, also through others.
    pub fn declared_before(&self, older: &str, newer: &str) -> bool {
        if older == &*self.layers[0].name {
            return true;
        }
        let after = |name: &str| {
            self.layers.iter().find(|l| &*l.name == name).and_then(|l| l.variant.as_ref()).map(|v| v.after.clone()).unwrap_or_default()
        };
        let (mut todo, mut seen) = (after(newer), Vec::new());
        while let Some(name) = todo.pop() {
            if name == older {
                return true;
            }
            if !seen.contains(&name) {
                todo.extend(after(&name));
                seen.push(name);
            }
        }
        false
    }
}

type Slots = (Vec<Slot>, FxHashMap<(String, usize), usize>);

fn build_slots(cases: &[Arc<Case>], layers: &[Arc<Layer>], complaints: &mut Complaints) -> Slots {
    let (mut slots, mut by_name): Slots = Default::default();
    for layer in layers {
        for (index, case) in cases.iter().enumerate().filter(|(_, c)| c.layer == layer.name) {
            for (function, f) in case.functions.iter().enumerate().filter(|(_, f)| !f.private && !f.is_example()) {
                let slot = *by_name.entry((f.name.clone(), f.arity())).or_insert_with(|| {
                    slots.push(Slot { name: f.name.clone(), arity: f.arity(), answers: Vec::new() });
                    slots.len() - 1
                });
                let chain = &mut slots[slot].answers;
                if let Some(twice) = chain.iter().find(|a| cases[a.case].layer == case.layer) {
                    complaints.push(duplicate_answer(case, f, &cases[twice.case], &cases[twice.case].functions[twice.function]));
                    continue;
                }
                chain.insert(0, LayerAnswer { case: index, function, reinstated_by: None, removed_by: None });
            }
            for name in &case.replaces {
                remove_function(&mut slots, cases, index, name, complaints);
            }
            if let Some(wanted) = &case.reinstates {
                reinstate_answers(&mut slots, cases, index, wanted, complaints);
            }
        }
    }
    (slots, by_name)
}

/// A revision's `replaces:`: the function no longer stands, unless the revision answers it anew.
fn remove_function(slots: &mut [Slot], cases: &[Arc<Case>], by: usize, name: &str, complaints: &mut Complaints) {
    let mut any = false;
    for slot in slots.iter_mut().filter(|s| s.name == name) {
        any = true;
        if let Some(top) = slot.answers.first().copied()
            && top.case != by
        {
            slot.answers.insert(0, LayerAnswer { removed_by: Some(by), reinstated_by: None, ..top });
        }
    }
    if !any {
        let near = did_you_mean(name, slots.iter().map(|s| s.name.as_str()));
        let what = format!("no case below has a function `{name}`{near}");
        let span = cases[by].span_of("replaces", name);
        complaints.push(cases[by].complaint("kind", span, what).with_help("`replaces:` names functions of the older case"));
    }
}

/// `reinstates:`: the answers of an older layer's case of the same number stand again, as a node of their own.
fn reinstate_answers(slots: &mut [Slot], cases: &[Arc<Case>], by: usize, layer: &str, complaints: &mut Complaints) {
    let number = &cases[by].number;
    let mut any = false;
    for slot in slots.iter_mut() {
        let old =
            slot.answers.iter().find(|a| a.reinstated_by.is_none() && &*cases[a.case].layer == layer && cases[a.case].number == *number);
        if let Some(old) = old.copied() {
            any = true;
            slot.answers.insert(0, LayerAnswer { reinstated_by: Some(by), removed_by: None, ..old });
        }
    }
    if !any {
        let near = did_you_mean(layer, cases.iter().filter(|c| c.number == *number).map(|c| &*c.layer));
        let what = format!("`{layer}` answers nothing in case {number}{near}");
        let span = cases[by].span_of("reinstates", layer);
        complaints.push(cases[by].complaint("kind", span, what).with_help("`reinstates:` names a layer in force that has this case"));
    }
}

/// Law `answered-twice`.
fn duplicate_answer(case: &Case, function: &CaseFunction, other: &Case, twice: &CaseFunction) -> Complaint {
    let what = format!("`{}` is answered twice in {}", function.name, case.layer);
    let place = Place::from_text(&other.file.path, &other.file.text, twice.name_span);
    case.complaint("answered-twice", function.name_span, what)
        .with_help("keep one; a helper of a single file is `private fn`")
        .with_related(place, format!("case {}", other.number))
}
