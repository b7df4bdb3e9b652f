//! Type inference for scripts: reports comparisons that can never be true, operations on the wrong type and arguments of the wrong type.
//!
//! A variable has the union of all types assigned to it in its function. The type of a figure comes from the manifest, that of a call from
//! its case if no variant amends it. An unknown value has any type and is never reported.
//!
//! | file | what it is |
//! |---|---|
//! | [`types`] | types of values |
//! | [`analysis`] | facts about functions, and the analysis of one body |
//! | [`comparisons`] | comparisons and operators |
//! | [`values`] | types of expressions |
//! | [`statements`] | types of statements and blocks |

mod analysis;
mod comparisons;
mod statements;
mod types;
mod values;

pub use analysis::GameFunctions;

use crate::author::script_vocabulary::{CaseScript, ScriptVocabulary};
use crate::complaint::{Complaint, Complaints};
use analysis::TypeInference;
use std::collections::BTreeSet;

/// Infers the types in the scripts of a ruleset and reports errors to `all`.
pub fn check(words: &ScriptVocabulary, scripts: &[CaseScript], known: &mut GameFunctions, all: &mut Complaints) {
    let mut sorting = TypeInference::new(words, scripts, known);
    let mut found = Complaints::default();
    for script in scripts {
        let functions = &script.case.functions;
        let mut order: Vec<usize> = (0..functions.len()).collect();
        order.sort_by_key(|index| (&functions[*index].name, functions[*index].arity()));
        for index in order {
            sorting.function_facts(script.case, index, Some(&mut found));
        }
    }
    // Unknown names are already reported at the same place.
    let place = |complaint: &Complaint| (complaint.place.path.clone(), complaint.place.span.map(|span| (span.line, span.column)));
    let places: BTreeSet<_> = all.0.iter().map(place).collect();
    all.0.extend(found.0.into_iter().filter(|complaint| !places.contains(&place(complaint))));
}
