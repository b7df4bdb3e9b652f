//! The changes that a variant keeps: the entries of its list, in their order, and the files that it has besides.

use crate::house::change::RuleChange;
use crate::house::entry::ListEntry;
use crate::house::sentence::sentence_of;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::file::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::yaml::{YamlNode, YamlReader};
use casebook_engine::ruleset::compose::Ruleset;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The key of the list in a manifest.
pub const CHANGES: &str = "changes";

/// A change that a variant keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptChange {
    /// The entry of the list as YAML, or the file below the folder of the variant.
    pub id: String,
    /// What it does, as a sentence.
    pub sentence: String,
    /// What it changes.
    pub subject: ChangedSubject,
    /// The change as it is typed; none of a file, which is taken back in the editor alone.
    pub change: Option<RuleChange>,
}

/// What a kept change changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedSubject {
    Table(String),
    Case(String),
    /// An option, a situation or a list of pieces.
    Other,
}

/// The texts of files by key; `None` for a file that goes.
pub type ChangedTexts = BTreeMap<String, Option<String>>;

/// Returns the items of the list of changes in a manifest.
pub fn list_items(file: &DataFile) -> Vec<YamlNode> {
    let root = YamlReader::for_file(file).parse_file();
    root.map_or_else(Vec::new, |root| root.items_of(CHANGES).to_vec())
}

/// Returns the entries of the list of a variant.
pub fn list_of(library: &Library, variant: &str) -> Vec<ListEntry> {
    let variant = library.variants.get(variant);
    let items = variant.map_or_else(Vec::new, |variant| list_items(&variant.file));
    items.iter().map(ListEntry::read).collect()
}

/// Returns the changes of a variant: its list, then its files; `below` are the rules that it is laid over.
pub fn kept_changes(library: &Arc<Library>, below: &Ruleset, variant: &str) -> Vec<KeptChange> {
    if !library.variants.contains_key(variant) {
        return Vec::new();
    }
    let of_entry = |entry: ListEntry| KeptChange {
        id: entry.to_yaml(),
        sentence: sentence_of(&entry, library, below),
        subject: match (entry.get("table"), case_of(&entry)) {
            (Some(table), _) => ChangedSubject::Table(table.into()),
            (_, Some(case)) => ChangedSubject::Case(case.into()),
            _ => ChangedSubject::Other,
        },
        change: Some(typed(&entry, below)),
    };
    let mut kept: Vec<KeptChange> = list_of(library, variant)
        .into_iter()
        .map(of_entry)
        .collect();
    let layer = library.layer(&below.game, Some(variant), &mut Complaints::default());
    let folder = format!("variants/{variant}/");
    let mut add = |file: &DataFile, sentence: String, subject: ChangedSubject| {
        kept.push(KeptChange {
            id: file.key.trim_start_matches(&folder).to_string(),
            sentence,
            subject,
            change: None,
        })
    };
    for case in &layer.cases {
        let words = match case.text.trim().trim_end_matches('.') {
            "" => "a script",
            text => text,
        };
        let sentence = format!("{} {}: {words}", case.number, case.title);
        add(
            &case.file,
            sentence,
            ChangedSubject::Case(case.number.clone()),
        );
    }
    for (name, files) in &layer.tables {
        let table = below.table(name).ok().flatten();
        let title = table.map_or_else(|| name.clone(), |table| table.title.clone());
        for file in files {
            let sentence = format!("{title}: a file of figures");
            add(file, sentence, ChangedSubject::Table(name.clone()));
        }
    }
    for (name, file) in &layer.scenarios {
        let sentence = format!("{}: pieces and places", name.replace('-', " "));
        add(file, sentence, ChangedSubject::Other);
    }
    kept
}

/// Returns the number of the case that an entry changes.
pub fn case_of(entry: &ListEntry) -> Option<&str> {
    let reading = || Some(entry.get("reading")?.rsplit_once('.')?.0);
    entry.get("case").or_else(reading)
}

/// Returns an entry as it is typed: what was in a cell is looked up where it is kept.
fn typed(entry: &ListEntry, below: &Ruleset) -> RuleChange {
    let table = entry.get("table").and_then(|id| below.table(id).ok()?);
    let mut entry = entry.clone();
    let is_said = table.is_none() || entry.is_of_all();
    entry.0.retain(|(key, _)| is_said || key != "was");
    RuleChange::of_entry(&entry, table.as_deref())
}

/// Fails if a kept change is not there any more, or is a file: a list alone is taken back entry by entry.
pub fn check_kept(kept: &[KeptChange], variant: &str, ids: &[String]) -> Result<(), Error> {
    for id in ids {
        match kept.iter().find(|one| one.id == *id) {
            None => {
                return Err(Error::Usage(format!(
                    "`{variant}` no longer has this change ({id}): its list was changed meanwhile. Look at your rules again, and take back what they show"
                )));
            }
            Some(one) if one.change.is_none() => {
                return Err(Error::Usage(format!(
                    "{} is in a file of its own, variants/{variant}/{id}: what was written there is changed and taken back there",
                    one.sentence
                )));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Returns the list of a variant as changes that can be typed, without those that are off: so that a link shows them to somebody who has not
/// the files.
pub fn as_changes(kept: &[KeptChange], off: &[String]) -> Vec<RuleChange> {
    let on = kept.iter().filter(|one| !off.contains(&one.id));
    on.filter_map(|one| one.change.clone()).collect()
}
