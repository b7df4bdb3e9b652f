//! Other variants that have otherwise what a variant of the house changes: the same cell, figure, answer or reading.
//!
//! Which of two variants comes after the other does not matter here: a set of house rules comes after all others, and they disagree nonetheless.

use crate::conflicts::meeting::{MeetingRow, MeetingSubject, MeetingVerdict, meetings};
use crate::house::kept::{CHANGES, list_of};
use crate::house::touched_readings::decided_by_layer;
use casebook_engine::data::library::Library;
use casebook_engine::data::yaml_edit::{YamlStep, remove};
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// What another variant has otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherAnswer {
    /// The variant.
    pub variant: String,
    /// What it has there, in words.
    #[serde(rename = "what")]
    pub description: String,
}

/// What the other variants of a game say of the changes of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherVariants {
    /// Everything that they have otherwise, by variant.
    pub answers: Vec<OtherAnswer>,
    /// The variants that could not be held against it: of them nothing is known.
    pub unknown: Vec<String>,
}

/// Returns what the other variants of its game have otherwise than a variant.
pub fn other_variants(library: &Arc<Library>, variant: &str) -> OtherVariants {
    let mut found = OtherVariants::default();
    let Some(own) = library.variants.get(variant) else {
        return found;
    };
    let printed = Ruleset::compose(library, &RulesetSpec::new(&own.game, &[]));
    let Ok(unbound) = without_was(library, variant).map(Arc::new) else {
        return found;
    };
    for other in library
        .variants_of(&own.game)
        .into_iter()
        .filter(|other| *other != variant)
    {
        let spec = RulesetSpec::new(&own.game, &[other, variant]);
        let both = Ruleset::compose(&unbound, &spec);
        let (Ok((printed, _)), Ok((both, _))) = (&printed, both) else {
            found.unknown.push(other.into());
            continue;
        };
        let mut add = |description: String| {
            let answer = OtherAnswer {
                variant: other.into(),
                description,
            };
            if !found.answers.contains(&answer) {
                found.answers.push(answer);
            }
        };
        let names: Vec<&str> = both.variants().map(|layer| &*layer.name).collect();
        if let [older, newer] = names[..] {
            meetings(&both, older, newer)
                .iter()
                .filter(|row| is_otherwise(row.verdict))
                .for_each(|row| add(words_of(row, &both, other)));
        }
        for (name, description) in readings_otherwise(library, printed, [variant, other]) {
            add(format!("{name}: {description}"));
        }
    }
    found
}

/// Whether two variants have something different in one place, and neither builds on the other.
fn is_otherwise(verdict: MeetingVerdict) -> bool {
    use MeetingVerdict::{Agree, Compatible, Contradictory, Ordered, Undecided};
    match verdict {
        Contradictory | Undecided | Ordered => true,
        Compatible | Agree => false,
    }
}

/// Returns the data with a list of changes that says nothing of what was there: over other rules something else may have been.
fn without_was(library: &Library, variant: &str) -> Result<Library, String> {
    let key = format!("variants/{variant}/variant.yaml");
    let Some(file) = library.files.by_key.get(&key) else {
        return Ok(library.clone());
    };
    let mut text = file.text.to_string();
    for (at, _) in list_of(library, variant)
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.get("now").is_some() && entry.get("was").is_some())
        .filter(|(_, entry)| !entry.is_of_all())
    {
        let path = [
            YamlStep::Key(CHANGES),
            YamlStep::Index(at),
            YamlStep::Key("was"),
        ];
        text = remove(&text, &path)?;
    }
    Ok(library.with_variant_files(variant, &[(key, Some(text))].into()))
}

/// Says what a variant has in a place: an answer by its case and in the words of that.
fn words_of(row: &MeetingRow, both: &Ruleset, variant: &str) -> String {
    let says = row.pair.iter().find(|side| side.variant == variant);
    let says = match says.map_or("", |side| &side.says) {
        "" => String::new(),
        says => format!(": {says}"),
    };
    if let MeetingSubject::Function(_, answers) = &row.subject {
        let mut cases = answers
            .iter()
            .map(|answer| &both.cases[answer.deciding_case()]);
        if let Some(case) = cases.find(|case| &*case.layer == variant) {
            return format!("{} {}: {}{says}", case.number, case.title, row.name);
        }
    }
    format!("{}{says}", row.name)
}

/// Returns the readings that one variant decides and another decides otherwise, or does not ask, with what becomes of them in the other.
fn readings_otherwise(
    library: &Library,
    printed: &Ruleset,
    variants: [&str; 2],
) -> Vec<(String, String)> {
    let [own, other] = variants.map(|variant| decided_by_layer(library, printed, variant));
    let is_other = |(name, alternative): &(String, String)| {
        let mut own = own.iter().filter(|(own_reading, _)| own_reading == name);
        own.any(|(_, own_reading)| own_reading != alternative)
    };
    other.into_iter().filter(is_other).collect()
}
