//! Sets of house rules that change the same: they can't be in force together, and each says so in its manifest.

use crate::author::case_text::function_key;
use crate::house::kept::{ChangedSubject, ChangedTexts, kept_changes};
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::library::Library;
use casebook_engine::data::status::Status;
use casebook_engine::data::text_file::shown_text;
use casebook_engine::data::yaml_edit::{add_name, remove_name};
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics::build_ruleset;
use casebook_engine::syntax::calls::reaches_prior;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Says in the manifest which other sets of house rules change the same cells or answers: they can't be in force together. One that no longer
/// does is taken out of it.
pub fn exclude_rivals(
    (before, after): (&Library, &Arc<Library>),
    (from, to): (&RulesetSpec, &RulesetSpec),
    variant: &str,
    texts: &mut ChangedTexts,
) -> Result<(), Error> {
    let key = format!("variants/{variant}/variant.yaml");
    let old = match (texts.get(&key), before.files.by_key.get(&key)) {
        (Some(Some(text)), _) => text.clone(),
        (None, Some(file)) => shown_text(&file.text).into_owned(),
        _ => return Ok(()),
    };
    let (below, _) = build_ruleset(after, from)?;
    let before = Arc::new(before.clone());
    let (own, former) = (
        changed_places(after, &below, variant),
        changed_places(&before, &below, variant),
    );
    let mut text = old.clone();
    for rival in after.variants_of(&to.game) {
        if to.variants.iter().any(|name| name == rival) || !is_house_set(after, &to.game, rival) {
            continue;
        }
        let others = changed_places(after, &below, rival);
        let edited = match (others.is_disjoint(&own), others.is_disjoint(&former)) {
            (false, _) => add_name(&text, "excludes", rival),
            (true, false) => remove_name(&text, "excludes", rival),
            (true, true) => continue,
        };
        text = edited.map_err(Error::Usage)?;
    }
    if text != old {
        texts.insert(key, Some(text));
    }
    Ok(())
}

/// What only one set of house rules can change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ChangedPlace {
    /// A cell of a table, by its index.
    Cell(String, usize),
    /// The function of a case that answers without asking an older one.
    Answer(String, String),
    /// A reading of a case.
    Reading(String, String),
}

fn changed_places(
    library: &Arc<Library>,
    below: &Ruleset,
    variant: &str,
) -> BTreeSet<ChangedPlace> {
    let kept = kept_changes(library, below, variant).into_iter();
    let cells = kept.flat_map(|change| match change.subject {
        ChangedSubject::Table(table, cells) => {
            let place = |cell| ChangedPlace::Cell(table.clone(), cell);
            cells.into_iter().map(place).collect()
        }
        _ => Vec::new(),
    });
    let mut places: BTreeSet<ChangedPlace> = cells.collect();
    let layer = library.layer(&below.game, Some(variant), &mut Complaints::default());
    for case in &layer.cases {
        let functions = case.functions.iter().enumerate();
        let answers = functions
            .filter(|(index, function)| function.is_answer() && !reaches_prior(case, *index));
        places.extend(answers.map(|(_, function)| {
            ChangedPlace::Answer(case.number.clone(), function_key(function))
        }));
        let readings = case.readings.iter();
        places.extend(
            readings
                .map(|reading| ChangedPlace::Reading(case.number.clone(), reading.name.clone())),
        );
    }
    places
}

/// Returns whether all figures and cases of a variant are of the house; so it is where it has none yet.
pub fn is_house_set(library: &Library, game: &str, variant: &str) -> bool {
    let Ok(game) = library.game(game) else {
        return false;
    };
    let layer = library.layer(game, Some(variant), &mut Complaints::default());
    let mut tables = layer.tables.values().flatten();
    layer.cases.iter().all(|case| case.status == Status::House)
        && tables.all(|file| file.text.contains("status: house"))
}
