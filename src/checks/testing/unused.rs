//! Finds public functions that no procedure of their game calls. Examples may test such a function, but play never uses it.

use casebook_engine::code::lower;
use casebook_engine::code::program::{FunctionSource, Program};
use casebook_engine::complaint::{Complaint, DiagnosticCode, Error};
use casebook_engine::data::case::{Case, CaseFunction};
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::function_name;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A part of a file without effect, with the reason that its card gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedPart {
    pub layer: String,
    /// The case number, or the name of the table or list.
    pub name: String,
    /// The unused functions; empty for the whole file.
    pub functions: Vec<String>,
    /// The reason why that is correct; `None` if none is stated.
    pub reason: Option<String>,
    /// The complaint to report if there is no reason.
    pub complaint: Complaint,
}

impl UnusedPart {
    /// Formats the part as a list item: "8.16: ships_lost/2".
    pub fn label(&self) -> String {
        let functions = if self.functions.is_empty() {
            String::new()
        } else {
            format!(": {}", self.functions.join("; "))
        };
        let reason = self
            .reason
            .as_ref()
            .map(|why| format!(" ({why})"))
            .unwrap_or_default();
        format!("{}{functions}{reason}", self.name)
    }
}

/// Returns a spec of some variants with all their options on.
pub fn spec_with_all_options(library: &Library, game: &str, variants: &[&str]) -> RulesetSpec {
    let options_of = |name: &&str| {
        library
            .variants
            .get(*name)
            .map(|v| v.options.as_slice())
            .unwrap_or_default()
    };
    let options = variants.iter().flat_map(|name| {
        options_of(name)
            .iter()
            .map(move |part| (format!("{name}.{}", part.name), true))
    });
    RulesetSpec {
        options: options.collect(),
        ..RulesetSpec::new(game, variants)
    }
}

/// Returns the public functions of a game and its variants that no procedure reaches under the printed game, any single variant, or all of
/// them.
pub fn uncalled_functions(library: &Arc<Library>, game: &str) -> Result<Vec<UnusedPart>, Error> {
    let variants = library.variants_of(game);
    let stacks = [Vec::new()]
        .into_iter()
        .chain(variants.iter().map(|name| vec![*name]))
        .chain([variants.clone()]);
    let (mut reached, mut layers) = (HashSet::new(), BTreeMap::new());
    for stack in stacks {
        let ruleset = Ruleset::compose(library, &spec_with_all_options(library, game, &stack))?.0;
        for layer in &ruleset.layers {
            layers
                .entry((layer.variant.is_some(), layer.name.clone()))
                .or_insert_with(|| layer.cases.clone());
        }
        reached.extend(functions_reached(ruleset));
    }
    let cases = layers.values().flatten();
    Ok(cases
        .filter_map(|case| {
            unused_of_case(case, |index| {
                reached.contains(&(case.file.key.clone(), index))
            })
        })
        .collect())
}

/// Returns the functions reachable from the procedures of a ruleset, by the key of their file and their index in it.
fn functions_reached(ruleset: Ruleset) -> HashSet<(String, usize)> {
    let program = Program::new(Arc::new(ruleset));
    let ruleset = &program.ruleset;
    let on_cards = ruleset.cases.iter().flat_map(|case| &case.procedures);
    let listed = ruleset.game.procedures.iter().map(|(name, _)| name);
    let names: Vec<&String> = if ruleset.game.procedures.is_empty() {
        on_cards.collect()
    } else {
        listed.collect()
    };
    for slot in names
        .into_iter()
        .filter_map(|name| ruleset.slot(&function_name(name), 1))
    {
        program.function_number(FunctionSource::Answer(slot, 0));
    }
    let mut reached = HashSet::new();
    lower::lower_reachable(
        &program,
        |_| true,
        |compiled| {
            if let Some((slot, depth)) = compiled.as_ref().ok().and_then(|unit| unit.answer_slot) {
                let answer = ruleset.slots[slot].answers[depth];
                reached.insert((ruleset.cases[answer.case].file.key.clone(), answer.function));
            }
        },
    );
    reached
}

/// Returns the part of a case that no procedure calls.
fn unused_of_case(case: &Case, is_reached: impl Fn(usize) -> bool) -> Option<UnusedPart> {
    let functions = case.functions.iter().enumerate();
    let unasked: Vec<&CaseFunction> = functions
        .filter(|(index, f)| f.is_answer() && !is_reached(*index))
        .map(|(_, f)| f)
        .collect();
    let first_unasked = unasked.first()?;
    let functions: Vec<String> = unasked
        .iter()
        .map(|f| format!("{}/{}", f.name, f.arity()))
        .collect();
    let message = format!("no procedure asks {}", functions.join(", "));
    let help = "call it where it decides something, make it `private`, or say on the card why nothing calls it: `idle: ...`";
    let complaint = case
        .complaint(DiagnosticCode::Idle, first_unasked.name_span, message)
        .with_help(help)
        .into_note();
    let reason = case.idle_reason.clone();
    Some(UnusedPart {
        layer: case.layer.to_string(),
        name: case.number.clone(),
        functions,
        reason,
        complaint,
    })
}
