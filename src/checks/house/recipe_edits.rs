//! Recipes that are edited: what they said before stands on the card of their case, so that each edit can be taken back.

use crate::house::change::RuleChange;
use crate::house::kept::KeptChange;
use casebook_engine::complaint::Complaints;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::Ruleset;
use std::collections::BTreeMap;

/// What recipes said before, by the field of the form, the oldest first.
type EarlierValues = Vec<(String, Vec<String>)>;

/// Returns what the recipes said before that are taken out while the same is made anew, by case. What brings back the last value is the way
/// back, and leaves nothing of its own.
pub fn edited_recipes(
    kept: &[KeptChange],
    without: &[String],
    changes: &[RuleChange],
) -> BTreeMap<String, EarlierValues> {
    let mut edited: BTreeMap<String, EarlierValues> = BTreeMap::new();
    for kept in kept.iter().filter(|kept| without.contains(&kept.id)) {
        let Some(RuleChange::Field { case, field, value }) = &kept.recipe else {
            continue;
        };
        let new = changes.iter().find_map(|change| match change {
            RuleChange::Field {
                case: known,
                field: other,
                value,
            } if known == case && other == field => Some(value),
            _ => None,
        });
        let Some(new) = new else { continue };
        let mut earlier = kept.earlier.clone();
        if earlier.last() == Some(new) {
            earlier.pop();
        } else if new != value {
            earlier.push(value.clone());
        }
        let fields = edited.entry(case.clone()).or_default();
        fields.push((field.clone(), earlier));
    }
    edited
}

/// Returns the changes that make kept recipes say again what they said before they were edited.
pub fn earlier_changes(kept: &[KeptChange], ids: &[String]) -> Vec<RuleChange> {
    let edited = kept.iter().filter(|change| ids.contains(&change.id));
    let earlier = edited.filter_map(|change| match (&change.recipe, change.earlier.last()) {
        (Some(RuleChange::Field { case, field, .. }), Some(value)) => Some(RuleChange::Field {
            case: case.clone(),
            field: field.clone(),
            value: value.clone(),
        }),
        _ => None,
    });
    earlier.collect()
}

/// Returns what the recipes of a variant's case said before.
pub fn earlier_of(
    library: &Library,
    below: &Ruleset,
    variant: &str,
    number: &str,
) -> EarlierValues {
    if !library.variants.contains_key(variant) {
        return Vec::new();
    }
    let layer = library.layer(&below.game, Some(variant), &mut Complaints::default());
    let mut cases = layer.cases.iter();
    let case = cases.find(|case| case.number == number);
    case.map_or_else(Vec::new, |case| case.earlier.clone())
}
