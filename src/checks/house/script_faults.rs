//! Faults in changes. They are said of the change as it was typed: its file may not be there yet.

use crate::house::entry::ListEntry;
use crate::house::kept::list_items;
use casebook_engine::code::lower;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{Complaint, Complaints, Error, Place, Severity};
use casebook_engine::data::library::Library;

/// How the place of a fault in a change begins.
const CHANGE_PLACE: &str = "(";

/// Returns whether an error is a fault in a change.
pub fn is_script_fault(error: &Error) -> bool {
    let is_typed = |complaint: &Complaint| complaint.place.path.starts_with(CHANGE_PLACE);
    matches!(error, Error::Data(complaints) if complaints.0.iter().any(is_typed))
}

/// Fails if a change calls what there is not: that is known only when its functions are compiled.
pub fn check_names(program: &Program, library: &Library, variant: &str) -> Result<(), Error> {
    let is_own = |case: usize| {
        let case = &program.ruleset.cases[case];
        case.is_list() && &*case.layer == variant
    };
    fail_on(
        lower::collect_complaints(program, &is_own),
        library,
        variant,
    )
}

/// Fails if the list of a variant can't be read.
pub fn check_list(library: &Library, variant: &str) -> Result<(), Error> {
    let Some(own) = library.variants.get(variant) else {
        return Ok(());
    };
    let mut faults = library.complaints().clone();
    faults.0.retain(|fault| fault.place.path == own.file.path);
    fail_on(faults, library, variant)
}

/// Fails if there is an error among complaints.
pub fn fail_on(mut faults: Complaints, library: &Library, variant: &str) -> Result<(), Error> {
    faults.0.retain(|fault| fault.severity == Severity::Error);
    match faults.0.is_empty() {
        true => Ok(()),
        false => Err(as_typed(Error::Data(faults), library, variant)),
    }
}

/// Says of complaints about the list of a variant which change they are about, as it is typed.
pub fn as_typed(error: Error, library: &Library, variant: &str) -> Error {
    let (mut complaints, variant) = match (error, library.variants.get(variant)) {
        (Error::Data(complaints), Some(variant)) => (complaints, variant),
        (error, _) => return error,
    };
    let items = list_items(&variant.file);
    for fault in &mut complaints.0 {
        let Some(span) = fault
            .place
            .span
            .filter(|_| fault.place.path == variant.file.path)
        else {
            continue;
        };
        let mut above = items.iter().filter(|item| item.span.line <= span.line);
        let Some(item) = above.next_back() else {
            continue;
        };
        let line = ListEntry::read(item).to_line();
        fault.place = Place::whole_file(&format!("{CHANGE_PLACE}{line})"));
        fault.fixes.clear();
    }
    complaints.0.retain(|one| one.severity == Severity::Error);
    Error::Data(complaints)
}
