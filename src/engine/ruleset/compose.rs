//! Composes a ruleset: a game, its variants in order, options and readings, and the functions that the cases answer.

use crate::complaint::{
    Complaint, Complaints, DiagnosticCode, Error, Message, Place, nearest_names, unknown_name,
};
use crate::data::answer_rules::matches_pattern;
use crate::data::cache::SharedCache;
use crate::data::case::{Case, list_entry_key};
use crate::data::change::{Change, ChangeAddress, ChangeOperation};
use crate::data::library::{Layer, Library, NumberedCase};
use crate::data::list_change::ListChange;
use crate::data::manifest::{Game, function_name};
use crate::data::node::flag_value;
use crate::data::piece::datum_text;
use crate::data::question_words::QuestionWords;
use crate::data::scenario::{ListKind, Scenario};
use crate::data::sheet::{SheetFields, widen_fields};
use crate::data::table::Table;
use crate::data::table_file::TableFile;
use crate::data::variant::Variant;
use crate::ruleset::changes;
use crate::ruleset::composition::Composition;
pub use crate::ruleset::composition::{LayerAnswer, Slot};
use crate::ruleset::layers;
pub use crate::ruleset::spec::RulesetSpec;
use crate::ruleset::spec::{order_variants, resolve_options, resolve_readings};
use crate::syntax::calls::{reachable_functions, reaches_prior};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

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
    /// Returns whether a case is not of the printed game, but of a variant.
    pub fn is_amendment(&self, case: usize) -> bool {
        self.cases[case].layer != self.layers[0].name
    }

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
        let absent = |layer: &Layer| absent_below(library, &game, layer, &layers);
        let mut options = resolve_options(library, &layers, spec)?;
        set_options(&layers, &absent, spec, &mut options, &mut complaints);
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
        let mut composition = Composition::default();
        for layer in &layers {
            let kept = layer.cases.iter().filter(|case| is_kept(layer, case));
            composition.add_layer(kept, &mut complaints);
            let is_applied = |change: &Change, file: &str| {
                is_on(layer, &change.option) && !is_excluded(spec, file, change)
            };
            changes::apply_changes(
                &mut composition,
                layer,
                &is_applied,
                &layers,
                &absent(layer),
                &mut complaints,
            );
        }
        let Composition {
            cases,
            slots,
            slot_index,
        } = composition;
        let mut readings = resolve_readings(&cases, spec, &options)?;
        choose_readings(
            &layers,
            &absent,
            &cases,
            spec,
            &is_on,
            &mut readings,
            &mut complaints,
        );
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
                slot_index,
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
                Ok(table.map(|mut table| {
                    table.name_places(&self.game.places);
                    Arc::new(table)
                }))
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
            let is_on = |f: &TableFile| {
                !self.is_off(layer, f.option.as_deref())
                    && !self.spec.excluded_files.contains(&f.file.key)
            };
            let read = self.library.table_files(layer, id, complaints);
            let is_whole = read.len() == layer.tables.get(id).map_or(0, Vec::len);
            for mut file in read.into_iter().filter(|f| sound && is_on(f)) {
                file.retain_changes(|change| !self.is_off(layer, change.option()));
                files.push(file);
            }
            if let Some(variant) = layer.variant.as_ref().filter(|_| sound && is_whole) {
                let is_on = |change: &Change| self.is_entry_on(layer, variant, change);
                files.extend(variant.cells_file(id, &layer.name, is_on));
            }
            sound &= is_whole;
        }
        if let Some(base) = files.first_mut().filter(|f| !f.is_standalone()) {
            base.similar_tables = nearest_names(
                id,
                self.table_names().filter(|table_name| *table_name != id),
            );
        }
        files
    }

    /// Whether a list of changes applies to scripts.
    pub fn has_changed_scripts(&self) -> bool {
        self.cases.iter().any(|case| case.is_list())
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
            kind: "situation, roster or deployment",
            name: name.into(),
            suggestions: similar_names(),
        })?;
        self.scenario_cache.insert(name, scenario.clone());
        Ok(scenario)
    }

    /// Applies the layers of a scenario file in order.
    pub fn stack_scenario(&self, name: &str, complaints: &mut Complaints) -> Option<Arc<Scenario>> {
        let files = self.scenario_files(name, complaints);
        let is_situation = |file: &Arc<Scenario>| file.list_kind == ListKind::Situation;
        // Only a situation takes figures from other lists, and these have all of their own.
        let rated = |piece: &str, figure: &str| {
            let base = files.first().filter(|file| is_situation(file))?;
            base.used_lists.iter().rev().find_map(|list| {
                let roster = self
                    .scenario(list)
                    .ok()
                    .filter(|list| !is_situation(list))?;
                let entry = roster.pieces.iter().find(|entry| entry.name == piece)?;
                entry.attributes.get(figure).map(datum_text)
            })
        };
        layers::stack_scenario(
            &files,
            (&self.game, &rated),
            &|older, newer| self.declared_before(older, newer),
            complaints,
        )
    }

    /// Returns the scenario files of the layers in force with a name, the printed game's first; files of disabled options are left out.
    pub fn scenario_files(&self, name: &str, complaints: &mut Complaints) -> Vec<Arc<Scenario>> {
        let mut files: Vec<Arc<Scenario>> = Vec::new();
        for layer in &self.layers {
            let read = self.library.scenario(layer, name, &self.game, complaints);
            let is_on = |file: &Arc<Scenario>| {
                !self.is_off(layer, file.option.as_deref())
                    && !self.spec.excluded_files.contains(&file.file.key)
            };
            if let Some(mut file) = read.filter(is_on) {
                let is_off = |change: &ListChange| self.is_off(layer, change.option.as_deref());
                if file.changes.iter().any(is_off) {
                    Arc::make_mut(&mut file)
                        .changes
                        .retain(|change| !is_off(change));
                }
                files.push(file);
            }
            if let (Some(variant), Some(base)) = (&layer.variant, files.first()) {
                let is_on = |change: &Change| self.is_entry_on(layer, variant, change);
                let (kind, game) = (base.list_kind, &self.game);
                let listed = variant.values_file(name, kind, &layer.name, game, is_on, complaints);
                files.extend(listed.map(Arc::new));
            }
        }
        files
    }

    /// Whether an entry of a layer's list is in force.
    fn is_entry_on(&self, layer: &Layer, variant: &Variant, change: &Change) -> bool {
        !self.is_off(layer, change.option.as_deref())
            && !is_excluded(&self.spec, &variant.file.key, change)
    }

    /// Whether an option of a layer is switched off.
    fn is_off(&self, layer: &Layer, option: Option<&str>) -> bool {
        option.is_some_and(|option| {
            self.options.get(&format!("{}.{option}", layer.name)) == Some(&false)
        })
    }

    /// Returns the readings that its spec chooses and that no function in force asks for: a later layer has answered without them.
    pub fn unasked_readings(&self) -> impl Iterator<Item = &str> {
        let chosen = self.spec.readings.iter().map(|(name, _)| name.as_str());
        chosen.filter(|name| !self.slots.iter().any(|slot| self.asks_for(slot, name)))
    }

    /// Says which chosen readings no case in force asks for; `None` if all are asked for.
    pub fn unasked_note(&self) -> Option<String> {
        let names: Vec<&str> = self.unasked_readings().collect();
        (!names.is_empty()).then(|| {
            let names = names.join(" or ");
            format!("no case in force asks for the reading {names}: it changes nothing")
        })
    }

    /// Whether an answer in force of a slot asks for a reading.
    fn asks_for(&self, slot: &Slot, reading: &str) -> bool {
        let mut is_hidden = false;
        slot.answers.iter().any(|answer| {
            let case = &self.cases[answer.case];
            if is_hidden || answer.removed_by.is_some() {
                is_hidden = true;
                return false;
            }
            is_hidden = !reaches_prior(case, answer.function);
            let own = reading.strip_prefix(&format!("{}.", case.number));
            let names = [Some(reading), own];
            let mut functions = reachable_functions(case, answer.function).into_iter();
            functions.any(|function| {
                let body = &case.functions[function].body;
                let mut names = names.iter().flatten();
                names.any(|name| body.contains(&format!("reading(\"{name}\")")))
            })
        })
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

    /// Returns the titles of its game and variants in words: "The Game, with Errata of 1980 and Winter"; and which readings change nothing.
    pub fn title_in_words(&self) -> String {
        let title = |layer: &Arc<Layer>| {
            self.library
                .variants
                .get(&*layer.name)
                .map_or(layer.name.to_string(), |variant| variant.title.clone())
        };
        let titles: Vec<String> = self.variants().map(title).collect();
        let note = self.unasked_note().map(|note| format!(" ({note})"));
        let with = if titles.is_empty() { "" } else { ", with " };
        let (title, note) = (&self.game.title, note.unwrap_or_default());
        format!("{title}{with}{}{note}", titles.join(", "))
    }

    /// Returns its variants, or else its game, with the options and readings set by hand: `errata, winter (winter.frost=off)`.
    pub fn short_title(&self) -> String {
        let by_hand = self.spec.switches();
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

/// Sets the options that lists of changes set, where the spec says nothing.
fn set_options(
    layers: &[Arc<Layer>],
    absent: AbsentLayers,
    spec: &RulesetSpec,
    options: &mut BTreeMap<String, bool>,
    complaints: &mut Complaints,
) {
    for (layer, change) in changes_of(layers, spec) {
        let (ChangeAddress::Option(name), [ChangeOperation::Set(word)]) =
            (&change.address, &change.operations[..])
        else {
            continue;
        };
        let is_asked = spec.options.iter().any(|(asked, _)| asked == name);
        match options.get_mut(name) {
            Some(option) if !is_asked => *option = flag_value(word).unwrap_or(*option),
            Some(_) => {}
            None if changes::may_have(&absent(layer), &change.address) => {}
            None => {
                let message =
                    unknown_name("option in force", name, options.keys().map(String::as_str));
                let help = "write VARIANT.OPTION of a variant that this one needs or comes after";
                complaints.push(change_complaint(layer, change, message).with_help(help));
            }
        }
    }
}

/// Chooses the readings that lists of changes choose, where the spec says nothing.
fn choose_readings(
    layers: &[Arc<Layer>],
    absent: AbsentLayers,
    cases: &[Arc<Case>],
    spec: &RulesetSpec,
    is_on: &dyn Fn(&Layer, &Option<String>) -> bool,
    readings: &mut BTreeMap<String, String>,
    complaints: &mut Complaints,
) {
    for (layer, change) in changes_of(layers, spec) {
        let (ChangeAddress::Reading(name), [ChangeOperation::Set(way)]) =
            (&change.address, &change.operations[..])
        else {
            continue;
        };
        if !is_on(layer, &change.option) || spec.readings.iter().any(|(asked, _)| asked == name) {
            continue;
        }
        let ways = || {
            let readings = cases.iter().flat_map(|case| {
                let readings = case.readings.iter();
                readings.filter(|reading| *name == format!("{}.{}", case.number, reading.name))
            });
            readings.flat_map(|reading| reading.ways.iter().map(String::as_str))
        };
        match readings.get_mut(name) {
            Some(reading) if ways().any(|defined| defined == way) => reading.clone_from(way),
            Some(_) => {
                let message = unknown_name(&format!("way to read {name}"), way, ways());
                let help = "write a way that the card of the case lists";
                complaints.push(change_complaint(layer, change, message).with_help(help));
            }
            None if changes::may_have(&absent(layer), &change.address) => {}
            None => {
                let defined = readings.keys().map(String::as_str);
                let message = unknown_name("reading in force", name, defined);
                let help = "write CASE.READING, as the card of the case names it";
                complaints.push(change_complaint(layer, change, message).with_help(help));
            }
        }
    }
}

/// Finds the variants that a layer comes after and that are not in force: what it changes may be theirs.
type AbsentLayers<'a> = &'a dyn Fn(&Layer) -> Vec<Option<Arc<Layer>>>;

fn absent_below(
    library: &Library,
    game: &Game,
    layer: &Layer,
    layers: &[Arc<Layer>],
) -> Vec<Option<Arc<Layer>>> {
    let variant = layer.variant.iter().filter(|one| !one.changes.is_empty());
    let is_in_force = |name: &&String| layers.iter().any(|layer| *layer.name == ***name);
    let absent = variant
        .flat_map(|one| &one.after)
        .filter(|name| !is_in_force(name));
    let layer = |name: &String| {
        let is_known = library.variants.contains_key(name);
        is_known.then(|| library.layer(game, Some(name), &mut Complaints::default()))
    };
    absent.map(layer).collect()
}

/// Yields the changes of all layers that a spec does not leave out, with their layers.
fn changes_of<'l>(
    layers: &'l [Arc<Layer>],
    spec: &'l RulesetSpec,
) -> impl Iterator<Item = (&'l Arc<Layer>, &'l Arc<Change>)> {
    layers.iter().flat_map(move |layer| {
        let variants = layer.variant.iter();
        variants.flat_map(move |variant| {
            let is_in = |change: &&Arc<Change>| !is_excluded(spec, &variant.file.key, change);
            let changes = variant.changes.iter().filter(is_in);
            changes.map(move |change| (layer, change))
        })
    })
}

/// Whether a spec leaves out an entry of the list in a file.
fn is_excluded(spec: &RulesetSpec, file: &str, change: &Change) -> bool {
    let excluded = &spec.excluded_files;
    !excluded.is_empty() && excluded.contains(&list_entry_key(file, change.number))
}

fn change_complaint(layer: &Layer, change: &Change, message: Message) -> Complaint {
    let place = layer.variant.as_ref().map_or_else(
        || Place::whole_file(&layer.name),
        |variant| variant.file.place(change.span),
    );
    Complaint::new(DiagnosticCode::UnknownName, place, message)
        .with_context(format!("changes of {}", layer.name))
}
