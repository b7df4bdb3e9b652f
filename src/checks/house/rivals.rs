//! Sets of house rules that change the same: they can't be in force together, and each says so in its manifest.

use crate::house::kept::ChangedTexts;
use casebook_engine::complaint::{Complaints, DiagnosticCode, Error};
use casebook_engine::data::library::Library;
use casebook_engine::data::status::Status;
use casebook_engine::data::text_file::shown_text;
use casebook_engine::data::yaml_edit::{add_name, remove_name};
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruleset::diagnostics::build_ruleset;
use std::sync::Arc;

/// Says in the manifest with which other sets of house rules these contradict each other. One that no longer does is taken out of it.
pub fn exclude_rivals(
    before: &Library,
    to: &RulesetSpec,
    variant: &str,
    texts: &mut ChangedTexts,
) -> Result<(), Error> {
    let key = format!("variants/{variant}/variant.yaml");
    let Some(Some(old)) = texts.get(&key) else {
        return Ok(());
    };
    let former = before.files.by_key.get(&key);
    let former = former.map(|file| shown_text(&file.text).into_owned());
    let mut text = old.clone();
    for rival in before.variants_of(&to.game) {
        if to.variants.iter().any(|name| name == rival) || !is_house_set(before, &to.game, rival) {
            continue;
        }
        // Whether they contradict each other shows if neither is kept from the other.
        let contradicts = |text: &str| {
            let text = remove_name(text, "excludes", rival).map_err(Error::Usage)?;
            let texts = [(key.clone(), Some(text))].into();
            let library = Arc::new(before.with_variant_files(variant, &texts));
            let mut spec = to.clone();
            spec.variants.push(rival.into());
            let is_conflict = |faults: &Complaints| {
                let mut faults = faults.0.iter();
                faults.any(|fault| fault.code == DiagnosticCode::Conflict)
            };
            Ok::<bool, Error>(match build_ruleset(&library, &spec) {
                Ok((ruleset, _)) => {
                    let is_tables = ruleset.table_names().any(|table| {
                        let stacked = ruleset.table(table);
                        stacked.err().is_some_and(|faults| is_conflict(&faults))
                    });
                    let is_both = |list: &&str| {
                        ruleset
                            .variants()
                            .filter(|layer| layer.has_list(list))
                            .count()
                            > 1
                    };
                    let names = ruleset.scenario_names();
                    let mut both = names.into_iter().filter(is_both);
                    is_tables
                        || both.any(|list| {
                            let mut faults = Complaints::default();
                            ruleset.stack_scenario(list, &mut faults);
                            is_conflict(&faults)
                        })
                }
                Err(Error::Data(faults)) => is_conflict(&faults),
                Err(_) => false,
            })
        };
        let edited = match contradicts(&text)? {
            true => add_name(&text, "excludes", rival),
            false if former.as_deref().map_or(Ok(false), contradicts)? => {
                remove_name(&text, "excludes", rival)
            }
            false => continue,
        };
        text = edited.map_err(Error::Usage)?;
    }
    texts.insert(key, Some(text));
    Ok(())
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
