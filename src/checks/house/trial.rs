//! Rules that are tried: a game with a variant's kept changes and new ones. Nothing is written until they are kept.

use crate::author::{check, scaffold};
use crate::house::change::{AXES, RuleChange};
use crate::house::entry::ListEntry;
use crate::house::kept::{CHANGES, ChangedTexts, case_of, list_of};
use crate::house::rivals::{exclude_rivals, is_house_set};
use crate::house::script_faults::{as_typed, check_names, fail_on};
use crate::house::value_change::ValueChange;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{Complaints, Error, Severity};
use casebook_engine::data::atomic_write::has_file;
use casebook_engine::data::case::list_entry_key;
use casebook_engine::data::change::VALUES_OF;
use casebook_engine::data::library::Library;
use casebook_engine::data::table::Table;
use casebook_engine::data::text_file::{shown_text, with_ends_of};
use casebook_engine::data::transaction::Transaction;
use casebook_engine::data::yaml_edit::{YamlStep, add_name, push, remove, remove_name, set};
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics::build_ruleset;
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
    /// Variants and options that are switched before the changes: rules that these are laid over.
    pub switched: Vec<(String, bool)>,
}

/// Rules with and without what is tried.
pub struct TriedRules {
    /// What is changed anew, as it was typed.
    pub changes: Vec<RuleChange>,
    /// The data with the changes.
    pub library: Arc<Library>,
    /// The rules without the changes: with what the variant keeps, where they only add to it, and else without the variant.
    pub from: RulesetSpec,
    /// The rules with them.
    pub to: RulesetSpec,
    /// The files of the variant that change.
    pub texts: ChangedTexts,
}

/// The files of a variant that were written to keep changes, or to take them back; none if all is kept already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The situations, rosters and deployments.
    pub lists: BTreeSet<String>,
}

/// Switches a variant, with what it needs, or an option.
fn switch(library: &Library, spec: &mut RulesetSpec, (name, on): (&str, bool)) {
    let excludes = |a: &str, b: &str| {
        let variant = library.variants.get(a);
        variant.is_some_and(|variant| variant.excludes.iter().any(|one| one == b))
    };
    match (library.variants.contains_key(name), on) {
        (false, _) => {
            spec.options.retain(|(other, _)| other != name);
            spec.options.push((name.into(), on));
        }
        (true, false) => {
            let needs_it = |other: &String| library.with_needs(other).iter().any(|it| it == name);
            spec.variants.retain(|other| !needs_it(other));
        }
        (true, true) => {
            let mut added = library.with_needs(name);
            spec.variants.retain(|other| {
                let mut added = added.iter();
                !added.any(|new| excludes(new, other) || excludes(other, new))
            });
            added.retain(|new| !spec.variants.contains(new));
            spec.variants.extend(added);
        }
    }
    spec.options.retain(|(name, _)| {
        let mut variants = spec.variants.iter();
        variants.any(|variant| library.has_option(variant, name))
    });
}

impl RulesTrial {
    /// Returns the rules that the changes are laid over: those of a situation, with variants switched, without the own variant.
    fn rules_below(&self, library: &Library, spec: &RulesetSpec) -> RulesetSpec {
        let mut below = self.without_own(library, spec);
        for change in &self.changes {
            if let RuleChange::Switch { name, on } = change
                && library.variants.contains_key(name)
            {
                switch(library, &mut below, (name, *on));
            }
        }
        below
    }

    /// Returns rules without the own variant, with what is switched below the changes. What the variant needs is in force before its
    /// changes, too: else it would count as their effect.
    pub fn without_own(&self, library: &Library, spec: &RulesetSpec) -> RulesetSpec {
        let mut spec = spec.clone();
        spec.variants
            .retain(|name| !library.with_needs(name).contains(&self.variant));
        let needed = library
            .with_needs(&self.variant)
            .into_iter()
            .filter(|name| *name != self.variant && !spec.variants.contains(name));
        spec.variants.extend(needed.collect::<Vec<_>>());
        for (name, on) in &self.switched {
            switch(library, &mut spec, (name, *on));
        }
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
        let texts = self.changed_texts(library, &below, program)?;
        let changed = Arc::new(library.with_variant_files(&self.variant, &texts));
        let added = added_entries(
            list_of(library, &self.variant),
            list_of(&changed, &self.variant),
        );
        let is_over_kept = self.is_over_kept(library) && added.is_some();
        if changed.variants.contains_key(&self.variant) {
            // A change may need a variant that was not needed before.
            for name in changed.with_needs(&self.variant) {
                let specs = if name == self.variant && !is_over_kept {
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
        if is_over_kept {
            let key = format!("variants/{}/variant.yaml", self.variant);
            let added = added.into_iter().flatten();
            from.excluded_files
                .extend(added.map(|number| list_entry_key(&key, number)));
        }
        // What the list sets is not what somebody asked for.
        for entry in list_of(&changed, &self.variant) {
            to.options
                .retain(|(name, _)| entry.get("option") != Some(name) || entry.0.len() > 2);
            to.readings
                .retain(|(name, _)| entry.get("reading") != Some(name));
        }
        Ok(TriedRules {
            changes: self.changes.clone(),
            library: changed,
            from,
            to,
            texts,
        })
    }

    /// Whether the changes are added to what the variant keeps, which is no effect of theirs then: something is kept and something is new, and
    /// nothing that is kept goes or changes.
    pub fn is_over_kept(&self, library: &Library) -> bool {
        let existing = library.variants.get(&self.variant);
        let is_own = existing.is_some_and(|existing| existing.game == self.game);
        is_own
            && has_rules(library, &self.variant)
            && !self.changes.is_empty()
            && self.without.is_empty()
    }

    /// Returns the manifest of the variant with the changes in its list, if it changes: what takes the place of an entry that goes is set
    /// there, and all else comes last. A manifest that only named a list that is empty now goes.
    fn changed_texts(
        &self,
        library: &Library,
        below: &Ruleset,
        program: ProgramSource,
    ) -> Result<ChangedTexts, Error> {
        let printed = program(&RulesetSpec::new(&self.game, &[]))?.ruleset.clone();
        let variants = library.variants_of(&self.game);
        // Two sets of house rules know nothing of each other.
        let is_below = |name: &str| below.variants().any(|layer| &*layer.name == name);
        let comes_before = |name: &&str| {
            let is_other = || !is_house_set(library, &self.game, name);
            *name != self.variant && (is_below(name) || is_other())
        };
        let others: Vec<&str> = variants.into_iter().filter(comes_before).collect();
        let new = scaffold::variant_text(&self.game, (&self.variant, None), &others);
        let existing = library.variants.get(&self.variant);
        let old = existing.map(|variant| shown_text(&variant.file.text).into_owned());
        let listed = list_of(library, &self.variant);
        let is_off = |entry: &ListEntry| self.without.contains(&entry.to_yaml());
        let mut text = old.clone().unwrap_or_else(|| new.clone());
        let (mut left, mut gone) = (listed.clone(), BTreeSet::new());
        gone.extend((0..listed.len()).filter(|at| is_off(&listed[*at])));
        let mut replaced = BTreeSet::new();
        for change in &self.changes {
            let Some(mut entry) = change.entry(library, below)? else {
                continue;
            };
            let table = entry
                .get("table")
                .map(|id| (printed.table(id), below.table(id)));
            let is_whole =
                |now: &str| matches!(&table, Some((_, Ok(Some(below)))) if !below.keeps_parts(now));
            // Of cells and values the last figure alone is kept.
            let is_figure = entry.get("now").is_some_and(is_whole);
            let value = ValueChange::of_entry(&entry);
            if let Some((Ok(Some(printed)), Ok(Some(below)))) = table.filter(|_| is_figure) {
                add_was(&mut entry, change, [&*printed, &*below]);
            }
            let is_value_of = |other: &ListEntry| match (&value, ValueChange::of_entry(other)) {
                (Some((value, _)), Some((other, _))) => value.place() == other.place(),
                _ => false,
            };
            let is_same = |at: &usize| {
                let other = &listed[*at];
                let is_place = other.place() == entry.place();
                let is_open = gone.contains(at) || is_figure && other.get("now").is_some();
                !replaced.contains(at) && (is_open && is_place || is_value_of(other))
            };
            let at = (0..listed.len()).rfind(is_same);
            // What is printed is a change, too, where another entry changes its cells.
            let covers = |other: &ListEntry| {
                let of_axis = |key| [&[], entry.values(key)].contains(&other.values(key));
                other.get("table") == entry.get("table") && AXES.into_iter().all(of_axis)
            };
            let mut others = listed.iter().enumerate();
            let is_covered = others.any(|(index, other)| Some(index) != at && covers(other));
            if at.is_none() && left.contains(&entry) {
                continue;
            }
            let path = |at| [YamlStep::Key(CHANGES), YamlStep::Index(at)];
            let is_printed = match &value {
                Some((value, was)) => was.as_ref() == Some(&value.now),
                None => is_figure && entry.get("was") == entry.get("now") && !is_covered,
            };
            match at {
                // What is printed again is no change any more, but where another entry changes it.
                Some(at) if is_printed => {
                    gone.insert(at);
                }
                None if is_printed => {}
                Some(at) => {
                    // What somebody wrote of it besides stays.
                    let written = listed[at].0.iter();
                    let besides = written.filter(|(key, _)| {
                        ["why", "status", "source"].contains(&&**key) && entry.get(key).is_none()
                    });
                    entry.0.extend(besides.cloned().collect::<Vec<_>>());
                    let yaml = entry.to_yaml();
                    text = set(&text, &path(at), &yaml).map_err(Error::Usage)?;
                    gone.remove(&at);
                    replaced.insert(at);
                    left[at] = entry;
                }
                None => {
                    text = push(&text, &path(0)[..1], &entry.to_yaml()).map_err(Error::Usage)?;
                    left.push(entry);
                }
            }
        }
        for at in gone.iter().rev() {
            let path = [YamlStep::Key(CHANGES), YamlStep::Index(*at)];
            text = remove(&text, &path).map_err(Error::Usage)?;
            left.remove(*at);
        }
        let needed = |entries: &[ListEntry]| -> BTreeSet<String> {
            let needed = entries.iter().filter_map(|entry| needed_by(entry, below));
            needed.map(String::from).collect()
        };
        let (before, after) = (needed(&listed), needed(&left));
        for name in &after {
            for list in ["after", "needs"] {
                text = add_name(&text, list, name).map_err(Error::Usage)?;
            }
        }
        for name in before.difference(&after) {
            text = remove_name(&text, "needs", name).map_err(Error::Usage)?;
        }
        let named = match text.split_once('\n') {
            Some((schema, named)) if schema.starts_with("# yaml-language-server:") => named,
            _ => &*text,
        };
        let is_left = named != new || has_files(library, &self.variant);
        let text = Some(text).filter(|_| is_left);
        let key = format!("variants/{}/variant.yaml", self.variant);
        Ok(match text == old || text.is_none() && listed.is_empty() {
            true => ChangedTexts::new(),
            false => [(key, text)].into(),
        })
    }

    /// Returns what the trial changes under some rules, as far as it is known.
    pub fn parts(&self, library: &Arc<Library>, below: &Ruleset) -> ChangedParts {
        let mut parts = ChangedParts::default();
        for change in &self.changes {
            if let RuleChange::Switch { name, .. } = change
                && library.variants.contains_key(name)
            {
                parts.cases.extend(cases_of(library, below, name, None));
                continue;
            }
            let Ok(Some(entry)) = change.entry(library, below) else {
                continue;
            };
            parts.cases.extend(case_of(&entry).map(String::from));
            parts.lists.extend(entry.get(VALUES_OF).map(String::from));
            if let Some((variant, option)) = entry.get("option").and_then(|one| one.split_once('.'))
            {
                parts
                    .cases
                    .extend(cases_of(library, below, variant, Some(option)));
            }
            let Some(id) = entry.get("table").or(entry.get("look_up")) else {
                continue;
            };
            let table = below.table(id).ok().flatten();
            let cells = table.map_or_else(Vec::new, |table| match change {
                RuleChange::Cells(change) => change.cells(&table).unwrap_or_default(),
                _ => (0..table.cells.len()).collect(),
            });
            parts
                .cells
                .extend(cells.into_iter().map(|cell| (id.to_string(), cell)));
        }
        parts
    }
}

/// Returns the numbers of the entries that were added to a list; `None` if it lost something or changed.
fn added_entries(
    old: Vec<ListEntry>,
    new: Vec<ListEntry>,
) -> Option<std::ops::RangeInclusive<usize>> {
    new.starts_with(&old).then(|| old.len() + 1..=new.len())
}

/// Returns the cases of a variant, or of an option of it.
fn cases_of(
    library: &Arc<Library>,
    below: &Ruleset,
    variant: &str,
    option: Option<&str>,
) -> Vec<String> {
    let layer = library.layer(&below.game, Some(variant), &mut Complaints::default());
    let is_of = |case: &Option<String>| option.is_none() || case.as_deref() == option;
    let cases = layer.cases.iter().filter(|case| is_of(&case.option));
    cases.map(|case| case.number.clone()).collect()
}

/// Says in an entry what its cells were, where the game as printed and the rules below agree: then a correction of them is noticed.
fn add_was(entry: &mut ListEntry, change: &RuleChange, tables: [&Table; 2]) {
    let (RuleChange::Cells(cells), true) = (change, entry.get("was").is_none()) else {
        return;
    };
    let now = entry.0.iter().position(|(key, _)| key == "now");
    let old = tables.map(|table| {
        let cells = cells.cells(table).unwrap_or_default();
        let texts = cells
            .iter()
            .map(|cell| match table.cells[*cell].is_missing() {
                true => None,
                false => Some(table.cells[*cell].text.clone()),
            });
        texts.collect::<Option<Vec<String>>>()
    });
    if let (Some(now), [Some(printed), Some(below)]) = (now, old)
        && printed == below
        && !printed.is_empty()
    {
        let is_one = printed.iter().all(|text| *text == printed[0]);
        let was = if is_one {
            printed[..1].to_vec()
        } else {
            printed
        };
        entry.0.insert(now, ("was".into(), was));
    }
}

/// Returns the variant without which there is nothing to change for an entry: its case or its table is in no older layer.
fn needed_by<'b>(entry: &ListEntry, below: &'b Ruleset) -> Option<&'b str> {
    let (case, table, list) = (case_of(entry), entry.get("table"), entry.get(VALUES_OF));
    let has = |layer: &casebook_engine::data::library::Layer| {
        let mut cases = layer.cases.iter();
        case.is_some_and(|number| cases.any(|case| case.number == number))
            || table.is_some_and(|id| layer.tables.contains_key(id))
            || list.is_some_and(|name| layer.scenarios.contains_key(name))
    };
    let oldest = below.layers.iter().find(|layer| has(layer))?;
    oldest.variant.is_some().then_some(&*oldest.name)
}

/// Whether a variant has files beside the one that names it.
fn has_files(library: &Library, variant: &str) -> bool {
    let folder = format!("variants/{variant}/");
    let mut files = library.files.by_key.range(folder.clone()..);
    let mut own = files
        .by_ref()
        .map_while(|(key, _)| key.strip_prefix(&folder));
    own.any(|file| file != "variant.yaml")
}

/// Whether a variant changes anything.
pub fn has_rules(library: &Library, variant: &str) -> bool {
    let existing = library.variants.get(variant);
    existing.is_some_and(|existing| !existing.changes.is_empty()) || has_files(library, variant)
}

/// Returns the rules over which the changes of a variant are kept: all variants of the game that go together, as `check` lays them, without
/// other sets of house rules that the variant does not need. Two sets of house rules know nothing of each other.
pub fn keeping_spec(library: &Library, game: &str, own: &str) -> RulesetSpec {
    let needed = library.with_needs(own);
    let mut variants = library.compatible_variants(game);
    variants.retain(|name| {
        needed.contains(name) || !has_rules(library, name) || !is_house_set(library, game, name)
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
        let (ruleset, _) =
            build_ruleset(library, &self.to).map_err(|error| as_typed(error, library, variant))?;
        check_names(&Program::new(Arc::new(ruleset)), library, variant)?;
        let mut wrong = Complaints::default();
        for (key, file) in texts
            .keys()
            .filter_map(|key| Some((key, library.files.by_key.get(key)?)))
        {
            let mut complaints = check::check_file(library, key).0;
            complaints.retain(|one| one.severity == Severity::Error && one.place.path == file.path);
            wrong.0.extend(complaints);
        }
        fail_on(wrong.into_sorted(), library, variant)
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
            let is_switch = |change: &RuleChange| matches!(change, RuleChange::Switch { name, .. } if before.variants.contains_key(name));
            if self.changes.iter().all(is_switch) {
                return Err(Error::Usage("no changes to save".into()));
            }
            return Ok(KeptFiles::default());
        }
        let mut texts = self.texts.clone();
        exclude_rivals(before, &self.to, variant, &mut texts)?;
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
                    let message = format!("{key}: it is so already; nothing was written");
                    return Err(Error::Usage(message));
                }
            }
        }
        scaffold::commit_with_schemas(before, root, files)?;
        Ok(kept)
    }
}
