//! New changes said as sentences.

use crate::author::blanks::{BlankKind, blanks};
use crate::author::case_form::CaseForm;
use crate::author::recipes;
use crate::author::shares::{share_in, share_in_words};
use crate::house::change::RuleChange;
use crate::house::kept::texts_without;
use crate::house::table_changes::describe;
use crate::house::trial::RulesTrial;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::Ruleset;
use std::collections::BTreeMap;
use std::sync::Arc;

impl RulesTrial {
    /// Says each new change as a sentence; none for one that another says, too.
    pub fn sentences(&self, library: &Arc<Library>, below: &Ruleset) -> Vec<Option<String>> {
        // A change in place of what is kept is no change of that.
        let left = match self.without.is_empty() {
            true => None,
            false => texts_without(library, below, &self.variant, &self.without).ok(),
        };
        let left = left.map(|texts| Arc::new(library.with_variant_files(&self.variant, &texts)));
        let library = left.as_ref().unwrap_or(library);
        let said = |change: &RuleChange| {
            (!is_told_by_another(change, &self.changes))
                .then(|| self.sentence(library, below, change))
        };
        self.changes.iter().map(said).collect()
    }

    /// Says what a field of the form of a case changes in a function.
    fn describe_field(
        &self,
        (form, below): (&CaseForm, &Ruleset),
        case: &str,
        field: &str,
        value: &str,
    ) -> Option<String> {
        let one = BTreeMap::from([(field.to_string(), value.to_string())]);
        let recipe = form.functions.iter().find_map(|function| {
            let named = (&*function.key, function.function());
            let recipe = recipes::recipes_of(named, below, &one).into_iter().next()?;
            Some(recipes::sentence(&recipe, function.function(), below))
        });
        if recipe.is_some() {
            return recipe;
        }
        let (kind, rest) = field.split_once(':')?;
        let (key, index) = rest.split_once(':').map_or((rest, None), |(key, index)| {
            (key, index.parse::<usize>().ok())
        });
        let function = form.functions.iter().find(|function| function.key == key)?;
        let name = form.question(function);
        let sibling = |kind: &str| {
            self.changes.iter().find_map(|change| match change {
                RuleChange::Field {
                    case: known,
                    field,
                    value,
                } if known == case && *field == format!("{kind}:{key}") => Some(value.as_str()),
                _ => None,
            })
        };
        Some(match (kind, value) {
            ("in", _) => {
                let source = &*function.function().body;
                let blank = blanks(source).into_iter().nth(index?)?;
                match blank.kind {
                    BlankKind::Condition => format!("{name}: a condition holds {value}"),
                    BlankKind::Share => {
                        let amount =
                            |text: &str| share_in_words(text).unwrap_or_else(|| text.to_string());
                        let was = share_in(&source[blank.range]).unwrap_or_default();
                        format!("{name}: {} instead of {}", amount(value), amount(&was))
                    }
                    _ => format!("{name}: {value} instead of {}", &source[blank.range]),
                }
            }
            ("does", "always") => format!("{name}: always {}", sibling("value").unwrap_or("…")),
            ("does", "more") => format!("{name}: {} more", sibling("value").unwrap_or("…")),
            ("does", "opposite") => format!("{name}: the opposite"),
            ("value", _) => format!("{name}: always {value}"),
            ("body", _) => format!("{name}: answered anew"),
            _ => name,
        })
    }

    fn sentence(&self, library: &Arc<Library>, below: &Ruleset, change: &RuleChange) -> String {
        let title = |number: &str| {
            // The oldest layer says what it is about; the newer ones, what they add.
            let case = below.cases.iter().find(|case| case.number == number);
            case.map_or(number.to_string(), |case| {
                format!("{number} {}", case.title)
            })
        };
        match change {
            RuleChange::Cells(cells_change) => {
                let table = below.table(&cells_change.table).ok().flatten();
                let described = table.as_ref().and_then(|table| {
                    let cells = cells_change.cells(table).ok()?;
                    let now = cells_change.values(table, &cells);
                    Some(describe(
                        table,
                        &cells,
                        &now,
                        &cells_change.shift_in_words(table).unwrap_or_default(),
                    ))
                });
                described.unwrap_or_else(|| change.to_parameter().1)
            }
            RuleChange::Switch { name, on } => {
                let word = if *on { "on" } else { "off" };
                match (
                    library.variants.get(name),
                    name.split_once('.')
                        .and_then(|(variant, _)| library.variants.get(variant)),
                ) {
                    (Some(variant), _) => format!("{}: {word}", variant.title),
                    (None, Some(variant)) if library.has_option(&variant.name, name) => {
                        let option = variant
                            .options
                            .iter()
                            .find(|option| name.ends_with(&format!(".{}", option.name)));
                        format!(
                            "{}: {word}",
                            option.map_or(name.as_str(), |option| option.title.as_str())
                        )
                    }
                    _ => format!("{}: {word}", title(name)),
                }
            }
            RuleChange::Field { case, field, value } => {
                match field.split(':').collect::<Vec<_>>()[..] {
                    ["reading", name] => format!(
                        "{}: “{}” is read as {value}",
                        title(case),
                        name.replace('-', " ")
                    ),
                    ["text"] => format!("{}: {}", title(case), value.trim_end_matches('.')),
                    ["back"] => format!("{}: as {value} has it", title(case)),
                    _ => {
                        let described = CaseForm::new(library, below, &self.variant, case)
                            .ok()
                            .and_then(|form| {
                                self.describe_field((&form, below), case, field, value)
                            });
                        described.map_or_else(
                            || title(case),
                            |described| format!("{}: {described}", title(case)),
                        )
                    }
                }
            }
        }
    }
}

/// Returns whether a change is the amount of another: "always" and what it always is are one answer.
pub fn is_told_by_another(change: &RuleChange, changes: &[RuleChange]) -> bool {
    let RuleChange::Field { case, field, .. } = change else {
        return false;
    };
    let Some(function) = field.strip_prefix("value:") else {
        return false;
    };
    let tells = format!("does:{function}");
    changes.iter().any(|other| {
        matches!(other, RuleChange::Field { case: known, field, .. } if known == case && *field == tells)
    })
}
