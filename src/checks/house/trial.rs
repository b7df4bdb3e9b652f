//! Rules that are tried: a game with a variant's kept changes and new ones. Nothing is written until they are kept.

use crate::author::case_form::{CaseForm, FormChanges, changed_files};
use crate::author::case_text::set_earlier;
use crate::author::{check, scaffold};
use crate::house::case_switch::switch_off;
use crate::house::change::{CellsChange, RuleChange};
use crate::house::kept::{ChangedTexts, KeptChange, kept_changes, table_of, texts_without};
use crate::house::recipe_edits::{earlier_changes, earlier_of, edited_recipes};
use crate::house::rivals::{exclude_rivals, is_house_set};
use crate::house::script_faults::{changed_cases, check_syntax, with_form_places};
use crate::house::table_changes::{
    file_changes, is_idle, values_after, with_change, with_true_was,
};
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{Complaints, Error, Severity};
use casebook_engine::data::atomic_write::has_file;
use casebook_engine::data::file::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::table::Table;
use casebook_engine::data::text_file::{shown_text, with_ends_of};
use casebook_engine::data::transaction::Transaction;
use casebook_engine::data::yaml_edit::add_name;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics::build_ruleset;
use casebook_engine::ruleset::layers;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The compiled rules of a spec in the data without the changes, from a cache of the caller if he has one.
pub type ProgramSource<'a> = &'a (dyn Fn(&RulesetSpec) -> Result<Arc<Program>, Error> + Sync);

/// The name of the first variant of one's own.
pub const FIRST_VARIANT: &str = "my-house";

/// Returns a name for a variant of one's own that no variant of any game has.
pub fn free_variant_name(library: &Library) -> String {
    let is_free = |name: &String| !library.variants.contains_key(name);
    let numbered = (2..).map(|number| format!("{FIRST_VARIANT}-{number}"));
    let mut names = [FIRST_VARIANT.to_string()].into_iter().chain(numbered);
    names.find(is_free).unwrap_or_default()
}

/// What is tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesTrial {
    pub game: String,
    /// The variant that keeps the changes; it need not exist yet.
    pub variant: String,
    /// The kept changes of it that are off, by their ids.
    pub without: Vec<String>,
    /// The new changes.
    pub changes: Vec<RuleChange>,
}

/// Rules with and without what is tried.
pub struct TriedRules {
    /// What is changed anew, as it was typed.
    pub changes: Vec<RuleChange>,
    /// The data with the changes.
    pub library: Arc<Library>,
    /// The rules without the variant and the changes.
    pub from: RulesetSpec,
    /// The rules with them.
    pub to: RulesetSpec,
    /// The files of the variant that change.
    pub texts: ChangedTexts,
}

/// The files of a variant that were written to keep changes, or to take them back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFiles {
    /// The keys of files that were written or removed.
    pub written: Vec<String>,
    /// What was in those that were there before, by key.
    pub before: BTreeMap<String, String>,
    /// The keys of those that were removed.
    pub removed: Vec<String>,
}

/// Cells of tables: the name of the table, and the index of the cell.
pub type CellSet = BTreeSet<(String, usize)>;

/// What a trial changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedParts {
    /// The cells, by table.
    pub cells: CellSet,
    /// The numbers of the cases.
    pub cases: BTreeSet<String>,
}

impl RulesTrial {
    /// Returns the rules that the changes are laid over: those of a situation, with variants and options switched, without the own variant.
    fn rules_below(&self, library: &Library, spec: &RulesetSpec) -> RulesetSpec {
        let mut below = self.without_own(library, spec);
        for (name, on) in self.changes.iter().filter_map(|change| match change {
            RuleChange::Switch { name, on } => Some((name, *on)),
            _ => None,
        }) {
            if library
                .variants
                .get(name)
                .is_some_and(|variant| variant.game == self.game)
            {
                if on {
                    let added = library.with_needs(name);
                    let excludes = |a: &str, b: &str| {
                        library
                            .variants
                            .get(a)
                            .is_some_and(|variant| variant.excludes.iter().any(|one| one == b))
                    };
                    below.variants.retain(|known| {
                        !added
                            .iter()
                            .any(|new| excludes(new, known) || excludes(known, new))
                    });
                    below.variants.extend(
                        added
                            .into_iter()
                            .filter(|new| !below.variants.contains(new))
                            .collect::<Vec<_>>(),
                    );
                } else {
                    below
                        .variants
                        .retain(|known| !library.with_needs(known).contains(name));
                }
            } else if name
                .split_once('.')
                .is_some_and(|(variant, _)| library.has_option(variant, name))
            {
                below.options.retain(|(known, _)| known != name);
                below.options.push((name.clone(), on));
            }
        }
        below.options.retain(|(name, _)| {
            below
                .variants
                .iter()
                .any(|variant| library.has_option(variant, name))
        });
        below
    }

    /// Returns rules without the own variant; what it needs is in force before its changes, too: else it would count as their effect.
    pub fn without_own(&self, library: &Library, spec: &RulesetSpec) -> RulesetSpec {
        let mut spec = spec.clone();
        spec.variants
            .retain(|name| !library.with_needs(name).contains(&self.variant));
        let needed = library
            .with_needs(&self.variant)
            .into_iter()
            .filter(|name| *name != self.variant && !spec.variants.contains(name));
        spec.variants.extend(needed.collect::<Vec<_>>());
        spec.options.retain(|(name, _)| {
            spec.variants
                .iter()
                .any(|variant| library.has_option(variant, name))
        });
        spec
    }

    /// Returns the rules that the changes are laid over.
    pub fn below(
        &self,
        library: &Library,
        spec: &RulesetSpec,
        program: ProgramSource,
    ) -> Result<Arc<Ruleset>, Error> {
        Ok(program(&self.rules_below(library, spec))?.ruleset.clone())
    }

    /// Makes the changes over the rules of a situation.
    pub fn over(
        &self,
        library: &Arc<Library>,
        spec: &RulesetSpec,
        program: ProgramSource,
    ) -> Result<TriedRules, Error> {
        scaffold::check_variant_name(library, &self.variant)?;
        if let Some(other) = library
            .variants
            .get(&self.variant)
            .filter(|variant| variant.game != self.game)
        {
            return Err(Error::Usage(format!(
                "`{}` is a variant of {}",
                self.variant, other.game
            )));
        }
        let (mut from, mut to) = (
            self.without_own(library, spec),
            self.rules_below(library, spec),
        );
        let below = program(&to)?.ruleset.clone();
        let mut texts = texts_without(library, &below, &self.variant, &self.without)?;
        let kept = match self.without.is_empty() || self.changes.is_empty() {
            true => Vec::new(),
            false => kept_changes(library, &below, &self.variant),
        };
        let edited = edited_recipes(&kept, &self.without, &self.changes);
        self.correct_was(library, &below, &mut texts);
        let mut kept_texts = ChangedTexts::new();
        let (mut cases, mut needed): (BTreeMap<&str, FormChanges>, BTreeSet<String>) =
            Default::default();
        for change in &self.changes {
            match change {
                RuleChange::Cells(cells) => needed.extend(self.change_cells(
                    library,
                    &below,
                    cells,
                    (&mut texts, &mut kept_texts),
                )?),
                RuleChange::Field { case, field, value } => {
                    // The answer of a variant holds again only where that variant is in force.
                    if field == "back" && library.variants.contains_key(value) {
                        needed.insert(value.clone());
                    }
                    let fields = cases.entry(case).or_default();
                    fields.insert(field.clone(), value.clone());
                }
                RuleChange::Switch { name, on } => {
                    let is_variant = library.variants.contains_key(name)
                        || name
                            .split_once('.')
                            .is_some_and(|(variant, _)| library.has_option(variant, name));
                    if !is_variant {
                        let off = self.switch_case(library, &below, name, *on)?;
                        cases.entry(name).or_default().extend(off);
                    }
                }
            }
        }
        self.change_manifest(library, &needed, !cases.is_empty(), &mut texts)?;
        let mut changed = Arc::new(library.with_variant_files(&self.variant, &texts));
        for (number, fields) in cases {
            for (key, mut text) in changed_files(&changed, &below, &self.variant, number, &fields)?
            {
                if let Some(edited) = edited.get(number).filter(|_| key.ends_with(".rhai")) {
                    let mut earlier = earlier_of(&changed, &below, &self.variant, number);
                    earlier.extend(edited.iter().cloned());
                    set_earlier(&mut text, &earlier);
                }
                texts.insert(key, Some(text));
            }
            changed = Arc::new(library.with_variant_files(&self.variant, &texts));
        }
        check_syntax(&changed, (&self.game, &self.variant), &self.changes, &texts)?;
        if changed.variants.contains_key(&self.variant) {
            // A change may need a variant that was not needed before.
            for name in changed.with_needs(&self.variant) {
                let specs = if name == self.variant {
                    vec![&mut to]
                } else {
                    vec![&mut from, &mut to]
                };
                specs
                    .into_iter()
                    .filter(|spec| !spec.variants.contains(&name))
                    .for_each(|spec| spec.variants.push(name.clone()));
            }
        }
        Ok(TriedRules {
            changes: self.changes.clone(),
            library: changed,
            from,
            to,
            texts,
        })
    }

    /// Adds a shift of cells to the changes: a shift of the same cells along the same axis goes so much further, or back.
    pub fn shift_further(&mut self, mut change: CellsChange) {
        let same = |known: &RuleChange| match known {
            RuleChange::Cells(known)
                if known.table == change.table && known.labels == change.labels =>
            {
                let (known, new) = (known.shift()?, change.shift()?);
                (known.axis == new.axis).then_some(known.by)
            }
            _ => None,
        };
        let known = self
            .changes
            .iter()
            .enumerate()
            .find_map(|(at, known)| Some((at, same(known)?)));
        if let Some((at, by)) = known {
            self.changes.remove(at);
            match change.shifted_by(by) {
                Some(further) => change = further,
                None => return,
            }
        }
        self.changes.push(RuleChange::Cells(change));
    }

    /// Drops the changes that others take the place of: of the same field or switch the later one holds, of the same cells the one of fewer
    /// cells, and of equally many the later.
    pub fn drop_overridden(&mut self, below: &Ruleset) {
        let cells_of = |change: &RuleChange| match change {
            RuleChange::Cells(change) => {
                let table = below.table(&change.table).ok().flatten()?;
                let cells = change.cells(&table).ok()?;
                Some((table.id.clone(), cells))
            }
            _ => None,
        };
        let cells: Vec<_> = self.changes.iter().map(cells_of).collect();
        let is_overridden = |index: usize| match &cells[index] {
            Some((table, own)) => {
                let is_stronger = |(other, known): &(usize, &Option<(String, Vec<usize>)>)| {
                    known.as_ref().is_some_and(|(id, cells)| {
                        let is_narrower = cells.len() < own.len();
                        id == table && (is_narrower || *other > index && cells.len() == own.len())
                    })
                };
                let stronger: Vec<&Vec<usize>> = (0..)
                    .zip(&cells)
                    .filter(is_stronger)
                    .filter_map(|(_, known)| Some(&known.as_ref()?.1))
                    .collect();
                let is_changed = |cell| stronger.iter().any(|cells| cells.contains(cell));
                own.iter().all(is_changed)
            }
            None => {
                let place = self.changes[index].place();
                let mut others = self.changes[index + 1..].iter();
                place.is_some() && others.any(|other| other.place() == place)
            }
        };
        let stays: Vec<bool> = (0..self.changes.len())
            .map(|index| !is_overridden(index))
            .collect();
        let mut stays = stays.into_iter();
        self.changes.retain(|_| stays.next().unwrap_or(true));
    }

    /// Returns the new changes in a variant of their own, over what is kept: that is no effect of theirs. `None` if nothing is kept, nothing is
    /// new, or something kept is off.
    pub fn over_kept(&self, library: &Library) -> Option<RulesTrial> {
        let known = library.variants.get(&self.variant)?;
        let is_new = !self.changes.is_empty() && self.without.is_empty();
        let folder = format!("variants/{}/", self.variant);
        let mut files = library.files.by_key.range(folder.clone()..);
        // The file that names the variant changes nothing.
        let is_kept = files
            .by_ref()
            .map_while(|(key, _)| key.strip_prefix(&folder))
            .any(|file| file.contains('/'));
        (is_new && is_kept && known.game == self.game).then(|| RulesTrial {
            variant: free_variant_name(library),
            ..self.clone()
        })
    }

    /// Takes kept changes one step back: what was edited says again what it said before, and the others go.
    pub fn step_back(&mut self, kept: &[KeptChange], ids: &[String]) {
        self.changes.extend(earlier_changes(kept, ids));
        self.without.extend(ids.iter().cloned());
    }

    /// Lets the kept changes of tables say what these rules have below them: the same variant is laid over several stacks.
    fn correct_was(&self, library: &Library, below: &Ruleset, texts: &mut ChangedTexts) {
        let folder = format!("variants/{}/tables/", self.variant);
        for file in library
            .files
            .by_key
            .range(folder.clone()..)
            .map(|(_, file)| file)
            .take_while(|file| file.key.starts_with(&folder))
        {
            let text = match texts.get(&file.key) {
                Some(Some(text)) => text.as_str().into(),
                Some(None) => continue,
                None => file.text.clone(),
            };
            let Ok(table) = table_of(below, file) else {
                continue;
            };
            let corrected = with_true_was(
                &DataFile {
                    text,
                    ..file.clone()
                },
                &table,
            );
            if texts.contains_key(&file.key) || corrected != shown_text(&file.text) {
                texts.insert(file.key.clone(), Some(corrected));
            }
        }
    }

    /// Creates the manifest of a new variant, and names there the variants whose figures are changed: without them something else was there.
    fn change_manifest(
        &self,
        library: &Library,
        needed: &BTreeSet<String>,
        changes_cases: bool,
        texts: &mut ChangedTexts,
    ) -> Result<(), Error> {
        let key = format!("variants/{}/variant.yaml", self.variant);
        let old = library
            .variants
            .get(&self.variant)
            .map(|variant| shown_text(&variant.file.text).into_owned());
        if old.is_none() && texts.is_empty() && !changes_cases {
            return Ok(());
        }
        let new = || {
            scaffold::variant_text(
                &self.game,
                (&self.variant, None),
                &library.variants_of(&self.game),
            )
        };
        let mut text = old.clone().unwrap_or_else(new);
        for name in needed {
            for list in ["after", "needs"] {
                text = add_name(&text, list, name).map_err(Error::Usage)?;
            }
        }
        if old.as_ref() != Some(&text) {
            texts.insert(key, Some(text));
        }
        Ok(())
    }

    /// Changes cells in the variant's file for their table. Returns the variants whose figures are changed.
    fn change_cells(
        &self,
        library: &Library,
        below: &Ruleset,
        change: &CellsChange,
        (texts, kept_texts): (&mut ChangedTexts, &mut ChangedTexts),
    ) -> Result<Vec<String>, Error> {
        let unknown = || Error::unknown("table", &change.table, below.table_names());
        let table = below
            .table(&change.table)
            .map_err(Error::Data)?
            .ok_or_else(unknown)?;
        let cells = change.cells(&table)?;
        let now = self
            .values_over_kept(library, below, &table, (change, &cells), kept_texts)
            .unwrap_or_else(|| change.values(&table, &cells));
        if let Some(why) = cells
            .iter()
            .zip(&now)
            .find_map(|(index, text)| table.refusal_of(*index, text))
        {
            return Err(Error::Usage(why));
        }
        let key = format!(
            "variants/{}/tables/{}.yaml",
            self.variant,
            table.file.stem()
        );
        let present = match (texts.get(&key), library.files.by_key.get(&key)) {
            (Some(Some(text)), _) => Some(DataFile {
                key: key.clone(),
                path: key.clone(),
                text: text.as_str().into(),
            }),
            (None, Some(file)) => Some(file.clone()),
            _ => None,
        };
        let text = with_change(present.as_ref(), &table, change, &cells, &now);
        texts.insert(key, Some(text).filter(|text| !is_idle(text)));
        let layers = cells
            .iter()
            .zip(&now)
            .filter(|(index, now)| table.cells[**index].text != **now)
            .map(|(index, _)| &table.cells[*index].layer);
        Ok(layers
            .filter(|layer| library.variants.contains_key(&***layer))
            .map(|layer| layer.to_string())
            .collect())
    }

    /// Returns what cells come to where the change is kept beside those of the set of house rules below: of two changes of one cell that of
    /// fewer cells holds. `None` if there is no such set, or it leaves the table as it is. `kept_texts` are its files with the new changes.
    fn values_over_kept(
        &self,
        library: &Library,
        below: &Ruleset,
        table: &Table,
        (change, cells): (&CellsChange, &[usize]),
        kept_texts: &mut ChangedTexts,
    ) -> Option<Vec<String>> {
        let key_of = |name: &str| format!("variants/{name}/tables/{}.yaml", table.file.stem());
        let mut layers = below.variants().map(|layer| &*layer.name);
        let kept = layers.find(|name| {
            *name != self.variant
                && library.files.by_key.contains_key(&key_of(name))
                && is_house_set(library, &self.game, name)
        })?;
        let key = key_of(kept);
        let mut file = library.files.by_key.get(&key)?.clone();
        if let Some(Some(text)) = kept_texts.get(&key) {
            file.text = text.as_str().into();
        }
        let mut files = below.table_files(&table.id, &mut Complaints::default());
        files.retain(|file| &*file.layer != kept);
        let before = |older: &str, newer: &str| below.declared_before(older, newer);
        let ignored = &mut Complaints::default();
        let printed = layers::stack_table(&files, &below.game.name, &before, ignored)?;
        let shifted = change.values(&printed, cells);
        file.text = with_change(Some(&file), &printed, change, cells, &shifted).into();
        let values = values_after(&file_changes(&file, &printed), &printed);
        kept_texts.insert(key, Some(file.text.to_string()));
        cells
            .iter()
            .map(|cell| values.get(*cell).cloned())
            .collect()
    }

    fn switch_case(
        &self,
        library: &Arc<Library>,
        below: &Ruleset,
        number: &str,
        on: bool,
    ) -> Result<FormChanges, Error> {
        let form = CaseForm::new(library, below, &self.variant, number)?;
        match on {
            false => switch_off(&form),
            true => Err(Error::Usage(format!(
                "{number} is on unless a house rule switches it off: take that rule back"
            ))),
        }
    }

    /// Returns what the trial changes under some rules, as far as it is known.
    pub fn parts(&self, library: &Arc<Library>, below: &Ruleset) -> ChangedParts {
        let mut parts = ChangedParts::default();
        for change in &self.changes {
            match change {
                RuleChange::Cells(change) => {
                    let cells = below
                        .table(&change.table)
                        .ok()
                        .flatten()
                        .and_then(|table| change.cells(&table).ok());
                    parts.cells.extend(
                        cells
                            .into_iter()
                            .flatten()
                            .map(|index| (change.table.clone(), index)),
                    );
                }
                RuleChange::Field { case, .. } => drop(parts.cases.insert(case.clone())),
                RuleChange::Switch { name, .. } => {
                    let variant = name.split('.').next().unwrap_or_default();
                    if !library.variants.contains_key(variant) {
                        parts.cases.insert(name.clone());
                        continue;
                    }
                    let option = name
                        .strip_prefix(variant)
                        .and_then(|rest| rest.strip_prefix('.'));
                    let layer =
                        library.layer(&below.game, Some(variant), &mut Complaints::default());
                    let is_switched = |case_option: &Option<String>| {
                        option.is_none_or(|option| case_option.as_deref() == Some(option))
                    };
                    parts.cases.extend(
                        layer
                            .cases
                            .iter()
                            .filter(|case| is_switched(&case.option))
                            .map(|case| case.number.clone()),
                    );
                }
            }
        }
        parts
    }
}

/// Returns the data with the kept changes of a variant as they stand over some rules: each says what these have.
pub fn with_true_figures(library: &Arc<Library>, below: &Ruleset, variant: &str) -> Arc<Library> {
    let trial = RulesTrial {
        game: below.game.name.clone(),
        variant: variant.into(),
        ..RulesTrial::default()
    };
    let mut texts = ChangedTexts::new();
    trial.correct_was(library, below, &mut texts);
    Arc::new(library.with_variant_files(variant, &texts))
}

/// Returns rules with a variant and what it needs; `None` where it does not fit them.
pub fn spec_with(
    library: &Library,
    spec: &RulesetSpec,
    name: &str,
    program: ProgramSource,
) -> Option<RulesetSpec> {
    let mut with = spec.clone();
    let needed = library.with_needs(name).into_iter();
    with.variants
        .extend(needed.filter(|name| !spec.variants.contains(name)));
    let ruleset = program(&with).ok()?.ruleset.clone();
    let fits = ruleset
        .table_names()
        .all(|table| ruleset.table(table).is_ok());
    fits.then_some(with)
}

/// Returns the rules over which the changes of a variant are kept: all variants of the game that go together, as `check` lays them, without
/// other sets of house rules that the variant does not need. Two sets of house rules know nothing of each other.
pub fn keeping_spec(library: &Library, game: &str, own: &str) -> RulesetSpec {
    let needed = library.with_needs(own);
    let mut variants = library.compatible_variants(game);
    let has_rules = |name: &str| {
        let folders = ["rules", "tables"].map(|kind| format!("variants/{name}/{kind}/"));
        let mut keys = library.files.by_key.keys();
        keys.any(|key| folders.iter().any(|folder| key.starts_with(folder)))
    };
    variants.retain(|name| {
        needed.contains(name) || !has_rules(name) || !is_house_set(library, game, name)
    });
    RulesetSpec::with_variants(game, variants)
}

impl TriedRules {
    /// Fails if the rules with the changes can't be used.
    fn check(
        &self,
        library: &Arc<Library>,
        variant: &str,
        texts: &ChangedTexts,
    ) -> Result<(), Error> {
        let changed = changed_cases(library, (&self.to.game, variant), texts)?;
        let in_form = |faults: Complaints| {
            let mut faults = with_form_places(faults, &changed, &self.changes, texts);
            faults.0.retain(|one| one.severity == Severity::Error);
            Error::Data(faults)
        };
        build_ruleset(library, &self.to).map_err(|error| match error {
            Error::Data(faults) => in_form(faults),
            error => error,
        })?;
        let mut wrong = Complaints::default();
        for (key, file) in texts
            .keys()
            .filter_map(|key| Some((key, library.files.by_key.get(key)?)))
        {
            let complaints = check::check_file(library, key).0.into_iter();
            wrong.0.extend(
                complaints
                    .filter(|one| one.severity == Severity::Error && one.place.path == file.path),
            );
        }
        if wrong.has_errors() {
            Err(in_form(wrong.into_sorted()))
        } else {
            Ok(())
        }
    }

    /// Writes the files of the variant, unless the data would have errors or a file was changed elsewhere meanwhile. `before` is the data
    /// that the changes were made over.
    pub fn keep(&self, before: &Library, root: &Path, variant: &str) -> Result<KeptFiles, Error> {
        if before
            .files
            .embedded
            .find(&format!("variants/{variant}/variant.yaml"))
            .is_some()
        {
            return Err(Error::Usage(format!(
                "`{variant}` comes with the game: keep the changes in a variant of your own"
            )));
        }
        if self.texts.is_empty() {
            return Err(Error::Usage("there is nothing to keep".into()));
        }
        let mut texts = self.texts.clone();
        let specs = (&self.from, &self.to);
        exclude_rivals((before, &self.library), specs, variant, &mut texts)?;
        self.check(
            &Arc::new(before.with_variant_files(variant, &texts)),
            variant,
            &texts,
        )?;
        let mut files = Transaction::new(root);
        let mut kept = KeptFiles {
            written: texts.keys().cloned().collect(),
            before: BTreeMap::new(),
            removed: Vec::new(),
        };
        for (key, text) in &texts {
            let path = root.join(key);
            let old = before.files.by_key.get(key).filter(|_| has_file(&path));
            let shown = old.map(|file| (key.clone(), shown_text(&file.text).into_owned()));
            kept.before.extend(shown);
            if text.is_none() {
                kept.removed.push(key.clone());
            }
            match (text, old) {
                (text, Some(file)) => {
                    let text = text.as_ref().map(|text| with_ends_of(&file.text, text));
                    files.change(path, &file.text, text);
                }
                (Some(text), None) => scaffold::create_file(&mut files, root, path, text.clone()),
                (None, None) => {
                    let what = format!("{key}: it is so already; nothing was written");
                    return Err(Error::Usage(what));
                }
            }
        }
        scaffold::commit_with_schemas(before, root, files)?;
        Ok(kept)
    }
}
