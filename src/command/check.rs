//! `casebook check`: all complaints, or how variants get on.

use crate::author::check;
use crate::command::args::Format;
use crate::command::print_json;
use crate::complaint::Error;
use crate::conflicts::{patch, report};
use crate::data::library::Library;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Prints all complaints about all data.
pub fn check(library: &Arc<Library>, format: Format, colour: bool) -> ExitCode {
    let complaints = check::check(library, None);
    match format {
        Format::Json => print_json(&json!({ "complaints": complaints.0 })),
        Format::Text => print!("{}", complaints.render(colour)),
    }
    ExitCode::from(u8::from(complaints.any_error()))
}

/// How variants get on; with a name, a variant that settles what they contradict in is laid out.
pub fn held(
    library: &Arc<Library>,
    root: &Path,
    variants: &[String],
    name: Option<&str>,
    format: Format,
    colour: bool,
) -> Result<ExitCode, Error> {
    let report = report::conflicts(library, variants)?;
    let written = name.map(|name| patch::write(library, root, &report, name)).transpose()?;
    match format {
        Format::Json => print_json(&report.json(written.as_deref())),
        Format::Text => {
            print!("{}", report.render(colour));
            print!("{}", written.map(|files| patch::told(&files)).unwrap_or_default());
        }
    }
    Ok(ExitCode::from(u8::from(name.is_none() && report.contradicts())))
}
