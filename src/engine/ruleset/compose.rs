//! Composes a ruleset: a game, its variants in order, options and readings, and the functions that the cases answer.

use crate::complaint::{
    Complaint, Complaints, DiagnosticCode, Error, Place, did_you_mean, nearest_names,
};
use crate::data::answer_rules::matches_pattern;
use crate::data::cache::SharedCache;
use crate::data::case::{Case, CaseFunction};
use crate::data::library::{Layer, Library, NumberedCase};
use crate::data::manifest::{Game, function_name};
use crate::data::question_words::QuestionWords;
use crate::data::scenario::Scenario;
use crate::data::sheet::{SheetFields, widen_fields};
use crate::data::table::Table;
use crate::data::table_file::TableFile;
use crate::data::yaml::YamlNode;
use crate::ruleset::layers;
pub use crate::ruleset::spec::RulesetSpec;
use crate::ruleset::spec::{order_variants, resolve_options, resolve_readings};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The answer of one layer to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerAnswer {
    /// Index of the case among the cases in force.
    pub case: usize,
    /// Index of the function in the case.
    pub function: usize,
    /// The later case that reinstated this answer.
    pub reinstated_by: Option<usize>,
    /// The later case that removed this answer.
    pub removed_by: Option<usize>,
}

impl LayerAnswer {
    /// Returns the case that decides about the answer: the one that reinstated or removed it, else the one that gives it.
    pub fn deciding_case(&self) -> usize {
        self.removed_by.or(self.reinstated_by).unwrap_or(self.case)
    }

    /// Returns the case to cite for the answer: the one that reinstated it, else the one that gives it.
    pub fn cited_case(&self) -> usize {
        self.reinstated_by.unwrap_or(self.case)
    }
}

/// A function with the answers of all layers.
#[derive(Clone, Debug)]
pub struct Slot {
    pub name: String,
    /// Number of parameters.
    pub arity: usize,
    /// Answers, newest first.
    pub answers: Vec<LayerAnswer>,
}

/// A table after its layers were stacked.
type StackedTable = Result<Option<Arc<Table>>, Complaints>;

/// A ruleset, immutable and shared between threads.
#[derive(Clone, Debug)]
pub struct Ruleset {
    pub game: Arc<Game>,
    /// Layers in force, the printed game first.
    pub layers: Vec<Arc<Layer>>,
    /// Cases in force, layer by layer.
    pub cases: Vec<Arc<Case>>,
    /// Functions answered by cases.
    pub slots: Vec<Slot>,
    /// Slot by name and arity.
    slot_index: FxHashMap<(String, usize), usize>,
    /// Listed cases by number.
    pub contents: BTreeMap<String, NumberedCase>,
    /// Options, and whether each is on: `errata.frost`.
    pub options: BTreeMap<String, bool>,
    /// Readings with the chosen alternative: `8.16.remainder`.
    pub readings: BTreeMap<String, String>,
    /// The spec that the ruleset was composed from.
    pub spec: RulesetSpec,
    /// What any procedure is given, by name; made when it is first asked for.
    any_given: OnceLock<SheetFields>,
    tables: BTreeMap<String, OnceLock<StackedTable>>,
    /// Stacked scenario files requested so far.
    scenario_cache: SharedCache<Scenario>,
    /// The library with all data, in force or not.
    pub library: Arc<Library>,
}

impl Ruleset {
    /// Composes the ruleset of a spec. It does not check whether the layers are compatible; `build_ruleset`
    /// does.
    pub fn compose(
        library: &Arc<Library>,
        spec: &RulesetSpec,
    ) -> Result<(Ruleset, Complaints), Error> {
        let mut game = library.game(&spec.game)?.clone();
        let mut complaints = Complaints::default();
        let names = order_variants(library, &game, &spec.variants)?;
        let stack: Vec<Option<&str>> = [None]
            .into_iter()
            .chain(names.iter().map(|name| Some(name.as_str())))
            .collect();
        let layers = library.layers(&game, &stack, &mut complaints);
        let added = library.with_additions(&game, names.iter().map(String::as_str));
        if let Some(added) = added {
            game = Arc::new(added);
        }
        let options = resolve_options(library, &layers, spec)?;
        let is_on = |layer: &Layer, option: &Option<String>| {
            option.as_ref().is_none_or(|o| {
                options
                    .get(&format!("{}.{o}", layer.name))
                    .copied()
                    .unwrap_or(true)
            })
        };
        let is_kept = |layer: &Layer, case: &Case| {
            is_on(layer, &case.option) && !spec.excluded_files.contains(&case.file.key)
        };
        let cases: Vec<Arc<Case>> = layers
            .iter()
            .flat_map(|layer| layer.cases.iter().filter(|c| is_kept(layer, c)).cloned())
            .collect();
        let readings = resolve_readings(&cases, spec, &options)?;
        let (slots, by_name) = build_slots(&cases, &layers, &mut complaints);
        let tables = layers
            .iter()
            .flat_map(|l| l.tables.keys().cloned())
            .map(|id| (id, OnceLock::new()))
            .collect();
        let contents = library.contents(&game.name, &mut complaints);
        let (library, lists, spec) = (library.clone(), SharedCache::default(), spec.clone());
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
                spec,
                any_given: OnceLock::new(),
                tables,
                scenario_cache: lists,
                library,
            },
            complaints,
        ))
    }

    /// Returns what a procedure is given, by name: the declarations of all layers that answer it, the newest first.
    pub fn given(&self, procedure: &str) -> SheetFields {
        let answers = self
            .slot(&function_name(procedure), 1)
            .map(|slot| &self.slots[slot].answers);
        let mut fields = SheetFields::new();
        for answer in answers.into_iter().flatten().rev() {
            fields.extend(self.cases[answer.case].given.clone());
        }
        fields
    }

    /// Returns a question as a sentence, with the words of the case that asks it; `None` if no card words it. Of several patterns the longest
    /// counts.
    pub fn words_of_question(&self, question: &str) -> Option<(String, &QuestionWords)> {
        let words = self.cases.iter().flat_map(|case| &case.questions);
        words
            .filter_map(|words| Some((words.sentence(question)?, words)))
            .max_by_key(|(_, words)| words.question.len())
    }

    /// Returns whether the answers to a question stay secret until all have answered.
    pub fn is_secret(&self, question: &str) -> bool {
        let mut patterns = self.cases.iter().flat_map(|case| &case.secret);
        patterns.any(|pattern| matches_pattern(pattern, question))
    }

    /// Returns what any procedure is given; a name with several meanings holds what each of them may be.
    pub fn any_given(&self) -> &SheetFields {
        self.any_given.get_or_init(|| {
            let mut fields = SheetFields::new();
            self.cases
                .iter()
                .for_each(|case| widen_fields(&mut fields, &case.given));
            fields
        })
    }

    /// Returns the slot of a function.
    pub fn slot(&self, name: &str, arity: usize) -> Option<usize> {
        self.slot_index.get(&(name.to_string(), arity)).copied()
    }

    /// Returns the arities of the functions with a name.
    pub fn arities(&self, name: &str) -> Vec<usize> {
        self.slots
            .iter()
            .filter(|s| s.name == name)
            .map(|s| s.arity)
            .collect()
    }

    /// Returns the names of all tables in force.
    pub fn table_names(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// Returns a table with all layers applied; `None` if no layer has it, complaints if it is invalid.
    pub fn table(&self, id: &str) -> Result<Option<Arc<Table>>, Complaints> {
        let Some(cell) = self.tables.get(id) else {
            return Ok(None);
        };
        let stacked = cell.get_or_init(|| {
            let mut complaints = Complaints::default();
            let table = self.stack_table(id, &mut complaints);
            if complaints.has_errors() {
                Err(complaints.into_sorted())
            } else {
                Ok(table.map(Arc::new))
            }
        });
        stacked.clone()
    }

    /// Replaces tables and lists, to measure the effect of a figure.
    pub fn with_overrides(
        mut self,
        tables: BTreeMap<String, Option<Arc<Table>>>,
        lists: Vec<Arc<Scenario>>,
    ) -> Ruleset {
        self.tables.extend(
            tables
                .into_iter()
                .map(|(id, table)| (id, OnceLock::from(Ok(table)))),
        );
        lists
            .into_iter()
            .for_each(|list| self.scenario_cache.insert(&list.name.clone(), list));
        self
    }

    /// Returns the files of the layers in force for a table, the printed game's first. Files of disabled options are left out, and so are
    /// the files over an unreadable one, because their base is unknown.
    pub fn table_files(&self, id: &str, complaints: &mut Complaints) -> Vec<TableFile> {
        let (mut files, mut sound) = (Vec::new(), true);
        for layer in &self.layers {
            let switched = |option: &String| {
                self.options
                    .get(&format!("{}.{option}", layer.name))
                    .copied()
                    .unwrap_or(true)
            };
            let is_on = |f: &TableFile| {
                f.option.as_ref().is_none_or(switched)
                    && !self.spec.excluded_files.contains(&f.file.key)
            };
            let read = self.library.table_files(layer, id, complaints);
            let is_whole = read.len() == layer.tables.get(id).map_or(0, Vec::len);
            files.extend(
                read.into_iter().filter(|f| {
                    sound && is_on(f) && !self.spec.excluded_files.contains(&f.file.key)
                }),
            );
            sound &= is_whole;
        }
        if let Some(base) = files.first_mut().filter(|f| !f.is_standalone()) {
            base.similar_tables =
                nearest_names(id, self.table_names().filter(|known| *known != id));
        }
        files
    }

    /// Applies the layers of a table in order.
    pub fn stack_table(&self, id: &str, complaints: &mut Complaints) -> Option<Table> {
        let files = self.table_files(id, complaints);
        layers::stack_table(
            &files,
            &self.layers[0].name,
            &|older, newer| self.declared_before(older, newer),
            complaints,
        )
    }

    /// Returns the names of all situations, rosters and deployments in force.
    pub fn scenario_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .layers
            .iter()
            .flat_map(|l| l.scenarios.keys().map(String::as_str))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns a situation, roster or deployment with all layers applied.
    pub fn scenario(&self, name: &str) -> Result<Arc<Scenario>, Error> {
        if let Some(scenario) = self.scenario_cache.get(name) {
            return Ok(scenario);
        }
        let mut complaints = Complaints::default();
        let stacked = self.stack_scenario(name, &mut complaints);
        if complaints.has_errors() {
            return Err(Error::Data(complaints.into_sorted()));
        }
        let similar_names = || nearest_names(name, self.scenario_names());
        let scenario = stacked.ok_or_else(|| Error::Unknown {
            what: "situation, roster or deployment",
            name: name.into(),
            suggestions: similar_names(),
        })?;
        self.scenario_cache.insert(name, scenario.clone());
        Ok(scenario)
    }

    /// Applies the layers of a scenario file in order.
    pub fn stack_scenario(&self, name: &str, complaints: &mut Complaints) -> Option<Arc<Scenario>> {
        let files = self.scenario_files(name, complaints);
        layers::stack_scenario(
            &files,
            &self.game,
            &|older, newer| self.declared_before(older, newer),
            complaints,
        )
    }

    /// Returns the scenario files of the layers in force with a name, the printed game's first; files of disabled options are left out.
    pub fn scenario_files(&self, name: &str, complaints: &mut Complaints) -> Vec<Arc<Scenario>> {
        let mut files = Vec::new();
        for layer in &self.layers {
            let Some(mut file) = self.library.scenario(layer, name, &self.game, complaints) else {
                continue;
            };
            let is_off = |option: &str| {
                self.options.get(&format!("{}.{option}", layer.name)) == Some(&false)
            };
            if file.option.as_ref().is_some_and(|o| is_off(o))
                || self.spec.excluded_files.contains(&file.file.key)
            {
                continue;
            }
            let change_is_off = |change: &YamlNode| {
                change
                    .get("option")
                    .and_then(|n| n.as_text())
                    .is_some_and(&is_off)
            };
            if file.changes.iter().any(change_is_off) {
                Arc::make_mut(&mut file)
                    .changes
                    .retain(|change| !change_is_off(change));
            }
            files.push(file);
        }
        files
    }

    /// Returns the variants in force, in order.
    pub fn variants(&self) -> impl Iterator<Item = &Arc<Layer>> {
        self.layers.iter().skip(1)
    }

    /// Returns the title of the ruleset: "game with errata, winter".
    pub fn title(&self) -> String {
        let names: Vec<&str> = self.variants().map(|l| &*l.name).collect();
        if names.is_empty() {
            self.game.name.clone()
        } else {
            format!("{} with {}", self.game.name, names.join(", "))
        }
    }

    /// Returns the titles of its game and variants in words: "The Game, with Errata of 1980 and Winter".
    pub fn title_in_words(&self) -> String {
        let title = |layer: &Arc<Layer>| {
            self.library
                .variants
                .get(&*layer.name)
                .map_or(layer.name.to_string(), |variant| variant.title.clone())
        };
        let titles: Vec<String> = self.variants().map(title).collect();
        if titles.is_empty() {
            self.game.title.clone()
        } else {
            format!("{}, with {}", self.game.title, titles.join(", "))
        }
    }

    /// Returns its variants, or else its game, with the options and readings set by hand: `errata, winter (winter.frost=off)`.
    pub fn short_title(&self) -> String {
        let options = self
            .spec
            .options
            .iter()
            .map(|(name, on)| format!("{name}={}", if *on { "on" } else { "off" }));
        let readings = self
            .spec
            .readings
            .iter()
            .map(|(name, way)| format!("{name}={way}"));
        let by_hand: Vec<String> = options.chain(readings).collect();
        let variants: Vec<&str> = self.variants().map(|l| &*l.name).collect();
        let title = if variants.is_empty() {
            self.game.name.clone()
        } else {
            variants.join(", ")
        };
        if by_hand.is_empty() {
            title
        } else {
            format!("{title} ({})", by_hand.join(", "))
        }
    }

    /// Returns whether one layer is declared to come before another: the printed game comes first, and `after:` is transitive.
    pub fn declared_before(&self, older: &str, newer: &str) -> bool {
        if older == &*self.layers[0].name {
            return true;
        }
        let declared_after = |name: &str| {
            self.layers
                .iter()
                .find(|l| &*l.name == name)
                .and_then(|l| l.variant.as_ref())
                .map(|v| v.after.clone())
                .unwrap_or_default()
        };
        let (mut todo, mut seen) = (declared_after(newer), Vec::new());
        while let Some(name) = todo.pop() {
            if name == older {
                return true;
            }
            if !seen.contains(&name) {
                todo.extend(declared_after(&name));
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
        for (index, case) in cases
            .iter()
            .enumerate()
            .filter(|(_, c)| c.layer == layer.name)
        {
            for (function, f) in case
                .functions
                .iter()
                .enumerate()
                .filter(|(_, f)| !f.private && !f.is_example())
            {
                let slot = *by_name
                    .entry((f.name.clone(), f.arity()))
                    .or_insert_with(|| {
                        slots.push(Slot {
                            name: f.name.clone(),
                            arity: f.arity(),
                            answers: Vec::new(),
                        });
                        slots.len() - 1
                    });
                let chain = &mut slots[slot].answers;
                if let Some(earlier) = chain.iter().find(|a| cases[a.case].layer == case.layer) {
                    complaints.push(duplicate_answer(
                        case,
                        f,
                        &cases[earlier.case],
                        &cases[earlier.case].functions[earlier.function],
                    ));
                    continue;
                }
                chain.insert(
                    0,
                    LayerAnswer {
                        case: index,
                        function,
                        reinstated_by: None,
                        removed_by: None,
                    },
                );
            }
            for name in &case.replaces {
                remove_function(&mut slots, cases, index, name, complaints);
            }
            if let Some(older_layer) = &case.reinstates {
                reinstate_answers(&mut slots, cases, index, older_layer, complaints);
            }
        }
    }
    (slots, by_name)
}

/// Applies a revision's `replaces:`: the function is removed unless the revision answers it.
fn remove_function(
    slots: &mut [Slot],
    cases: &[Arc<Case>],
    remover: usize,
    name: &str,
    complaints: &mut Complaints,
) {
    let mut any = false;
    for slot in slots.iter_mut().filter(|s| s.name == name) {
        any = true;
        if let Some(top) = slot.answers.first().copied()
            && top.case != remover
        {
            slot.answers.insert(
                0,
                LayerAnswer {
                    removed_by: Some(remover),
                    reinstated_by: None,
                    ..top
                },
            );
        }
    }
    if !any {
        let what = did_you_mean(
            format!("no case below has a function `{name}`"),
            name,
            slots.iter().map(|s| s.name.as_str()),
        );
        let span = cases[remover].span_of("replaces", name);
        complaints.push(
            cases[remover]
                .complaint(DiagnosticCode::Kind, span, what)
                .with_help("name a function of the older case"),
        );
    }
}

/// Applies `reinstates:`: adds the answers of an older layer's case of the same number as new answers.
fn reinstate_answers(
    slots: &mut [Slot],
    cases: &[Arc<Case>],
    reinstating: usize,
    layer: &str,
    complaints: &mut Complaints,
) {
    let number = &cases[reinstating].number;
    let mut any = false;
    for slot in slots.iter_mut() {
        let old = slot.answers.iter().find(|a| {
            a.reinstated_by.is_none()
                && &*cases[a.case].layer == layer
                && cases[a.case].number == *number
        });
        if let Some(old) = old.copied() {
            any = true;
            slot.answers.insert(
                0,
                LayerAnswer {
                    reinstated_by: Some(reinstating),
                    removed_by: None,
                    ..old
                },
            );
        }
    }
    if !any {
        let what = did_you_mean(
            format!("`{layer}` answers nothing in case {number}"),
            layer,
            cases
                .iter()
                .filter(|c| c.number == *number)
                .map(|c| &*c.layer),
        );
        let span = cases[reinstating].span_of("reinstates", layer);
        complaints.push(
            cases[reinstating]
                .complaint(DiagnosticCode::Kind, span, what)
                .with_help("name a layer in force that has this case"),
        );
    }
}

/// Reports `answered-twice`.
fn duplicate_answer(
    case: &Case,
    function: &CaseFunction,
    other: &Case,
    other_function: &CaseFunction,
) -> Complaint {
    let what = format!("`{}` is answered twice in {}", function.name, case.layer);
    let place = Place::from_text(&other.file.path, &other.file.text, other_function.name_span);
    case.complaint(DiagnosticCode::AnsweredTwice, function.name_span, what)
        .with_help("keep one; a helper of a single file is `private fn`")
        .with_related(place, format!("case {}", other.number))
}
