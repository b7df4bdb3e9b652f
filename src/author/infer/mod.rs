//! What the values in a script can be, worked out from its text: a comparison that can never hold, an operation on what it is not for, a
//! function given what it doesn't work with.
//!
//! A variable can be whatever is put into it anywhere in its function; a figure, what the manifest says of it; a call, what its case answers,
//! where no variant has another answer. What isn't known can be anything, and nothing is said of it.
//!
//! | file | what it is |
//! |---|---|
//! | [`types`] | what a value can be |
//! | [`analysis`] | what is known of functions, and a look through one |
//! | [`comparisons`] | values held against each other |
//! | [`values`] | expressions |
//! | [`statements`] | statements |

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

/// Complains of what can't be in the scripts of a ruleset.
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
    // A name that nothing has has been complained of where it stands.
    let place = |complaint: &Complaint| (complaint.place.path.clone(), complaint.place.span.map(|span| (span.line, span.column)));
    let said: BTreeSet<_> = all.0.iter().map(place).collect();
    all.0.extend(found.0.into_iter().filter(|complaint| !said.contains(&place(complaint))));
}
