//! Faults in the scripts that changes write. They are said at once, whether or not a situation calls the script, and count the lines that the
//! form shows.

use crate::author::case_text::function_key;
use crate::author::check::check_scripts;
use crate::author::infer::GameFunctions;
use crate::author::recipes::has_recipe;
use crate::author::script_vocabulary::CaseScript;
use crate::house::change::RuleChange;
use crate::house::kept::ChangedTexts;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{Complaint, Complaints, Error, Place, Severity};
use casebook_engine::data::case::Case;
use casebook_engine::data::library::Library;
use casebook_engine::syntax::parse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How the place of a fault in a script of a form begins: its file may not exist yet.
const FORM_PLACE: &str = "(the script of ";

/// Returns whether an error is a fault in a script that changes write.
pub fn is_script_fault(error: &Error) -> bool {
    let is_typed = |complaint: &Complaint| complaint.place.path.starts_with(FORM_PLACE);
    matches!(error, Error::Data(complaints) if complaints.0.iter().any(is_typed))
}

/// Fails if a script that changes write can't be read. `library` has the changed files `texts` of a variant of a game.
pub fn check_syntax(
    library: &Library,
    (game, variant): (&str, &str),
    changes: &[RuleChange],
    texts: &ChangedTexts,
) -> Result<(), Error> {
    let mut faults = Complaints::default();
    for case in changed_cases(library, (game, variant), texts)? {
        let in_bodies = case
            .functions
            .iter()
            .filter(|function| !function.in_tests())
            .filter_map(|function| parse::fault_in_body(&case, function));
        let before = faults.0.len();
        faults
            .0
            .extend(in_bodies.map(|fault| in_form(fault, &case, changes)));
        if let (Err(others), true) = (CaseScript::parse(&case), faults.0.len() == before) {
            let others = others.0.into_iter();
            faults
                .0
                .extend(others.map(|fault| in_form(fault, &case, changes)));
        }
    }
    fail_on(faults)
}

/// Fails if a script that changes write calls or names what there is not, or takes one type for another. `functions` are those of the game.
pub fn check_names(
    program: &Program,
    changes: &[RuleChange],
    texts: &ChangedTexts,
    functions: impl FnOnce() -> Arc<GameFunctions>,
) -> Result<(), Error> {
    let is_changed = |case: &Case| texts.contains_key(&case.file.key);
    let ruleset = &program.ruleset;
    if !ruleset.cases.iter().any(|case| is_changed(case)) {
        return Ok(());
    }
    let faults = check_scripts(
        program,
        &is_changed,
        &mut GameFunctions::clone(&functions()),
    );
    fail_on(with_form_places(faults, &ruleset.cases, changes, texts))
}

/// Says of complaints where they stand in the form, as far as they are about files that changes write.
pub fn with_form_places(
    complaints: Complaints,
    cases: &[Arc<Case>],
    changes: &[RuleChange],
    texts: &ChangedTexts,
) -> Complaints {
    let place = |fault: Complaint| {
        let mut changed = cases
            .iter()
            .filter(|case| texts.contains_key(&case.file.key));
        match changed.find(|case| case.file.path == fault.place.path) {
            Some(case) => in_form(fault, case, changes),
            None => fault,
        }
    };
    Complaints(complaints.0.into_iter().map(place).collect())
}

/// Returns the cases of a variant of a game whose files are among `texts`.
pub fn changed_cases(
    library: &Library,
    (game, variant): (&str, &str),
    texts: &ChangedTexts,
) -> Result<Vec<Arc<Case>>, Error> {
    if !library.variants.contains_key(variant) {
        return Ok(Vec::new());
    }
    let game = library.game(game)?;
    let layer = library.layer(game, Some(variant), &mut Complaints::default());
    let mut cases = layer.cases.clone();
    cases.retain(|case| texts.contains_key(&case.file.key));
    Ok(cases)
}

fn fail_on(mut faults: Complaints) -> Result<(), Error> {
    faults.0.retain(|fault| fault.severity == Severity::Error);
    match faults.0.is_empty() {
        true => Ok(()),
        false => Err(Error::Data(faults)),
    }
}

/// Says where a complaint about the file of a case stands in the form. Who picked a recipe wrote no script, and is shown none.
fn in_form(mut fault: Complaint, case: &Case, changes: &[RuleChange]) -> Complaint {
    let Some(span) = fault.place.span else {
        return fault;
    };
    let mut above = case
        .functions
        .iter()
        .filter(|function| !function.in_tests() && function.name_span.line <= span.line);
    let Some(function) = above.next_back() else {
        return fault;
    };
    let path = format!(
        "{FORM_PLACE}{} in {})",
        function.name.replace('_', " "),
        case.number
    );
    let fields: BTreeMap<String, String> = changes
        .iter()
        .filter_map(|change| match change {
            RuleChange::Field {
                case: number,
                field,
                value,
            } if *number == case.number => Some((field.clone(), value.clone())),
            _ => None,
        })
        .collect();
    if !has_recipe(&function_key(function), &fields) {
        fault.place.path = path.as_str().into();
        // The form shows what lies between the braces.
        let lines = function.body.lines().count().saturating_sub(2).max(1);
        let shown = span.line.saturating_sub(function.name_span.line);
        let span = fault.place.span.as_mut().into_iter();
        span.for_each(|span| span.line = shown.clamp(1, lines));
    } else {
        (fault.place, fault.help, fault.fixes) =
            (Place::whole_file(&path), String::new(), Vec::new());
    }
    fault
}
