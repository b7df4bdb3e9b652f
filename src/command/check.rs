//! `casebook check`: validates all data, or reports conflicts between variants.

use crate::author::accepted::{self, ACCEPTED_FILE};
use crate::author::{check, dry_run};
use crate::command::args::OutputFormat;
use crate::command::counting::Progress;
use crate::command::print_json;
use crate::complaint::{Complaint, Error, Severity};
use crate::conflicts::{patch, report};
use crate::data::file::DataFile;
use crate::data::library::Library;
use crate::platform::clock::Instant;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Time limit of the trial runs of situations.
const DRY_RUN_TIME: Duration = Duration::from_secs(10);

/// Validates all data and prints the complaints.
pub fn check(library: &Arc<Library>, format: OutputFormat, colour: bool) -> ExitCode {
    let mut complaints = check::check(library, None);
    // Data that can't be read can't be run.
    if !complaints.has_errors() {
        let shown = Progress::new();
        let told = |done: usize, all: usize| shown.show(|| format!("{done} of {all} combinations of variants"));
        let (found, late) = dry_run::run_all(library, Instant::now() + DRY_RUN_TIME, &told);
        complaints.0.extend(found.0);
        complaints = complaints.into_sorted();
        if late > 0 {
            eprintln!("{late} rulings took too long to be tried; `casebook test` carries them all out");
        }
    }
    complaints.0.retain(|complaint| is_relevant(library, complaint));
    let (complaints, accepted) = accepted::filter_accepted(library.files.root.as_deref(), complaints);
    match format {
        OutputFormat::Json => print_json(&json!({ "complaints": complaints.0, "accepted": accepted })),
        OutputFormat::Text => {
            print!("{}", complaints.render(colour));
            if accepted > 0 {
                println!("{accepted} more accepted, with reasons, in {ACCEPTED_FILE}");
            }
        }
    }
    ExitCode::from(u8::from(complaints.has_errors()))
}

/// Returns whether a complaint concerns the owner of the data folder. Warnings about built-in files concern their authors. Errors in them
/// count if the folder adds to the same game, because an addition may cause them.
fn is_relevant(library: &Library, complaint: &Complaint) -> bool {
    let files = &library.files.by_key;
    let mine = |file: &DataFile| !file.text.is_embedded();
    let Some(file) = files.values().find(|file| file.path == complaint.place.path) else { return true };
    let game = library.game_of(&file.key);
    mine(file)
        || !files.values().any(mine)
        || complaint.also.iter().any(|(place, _)| files.values().any(|file| mine(file) && file.path == place.path))
        || complaint.weight == Severity::Error && files.values().any(|file| mine(file) && library.game_of(&file.key) == game)
}

/// Reports the conflicts between variants; given a name, it also scaffolds a variant that resolves their contradictions.
pub fn report_conflicts(
    library: &Arc<Library>,
    root: &Path,
    variants: &[String],
    name: Option<&str>,
    format: OutputFormat,
    colour: bool,
) -> Result<ExitCode, Error> {
    let report = report::find_conflicts(library, variants)?;
    let written = name.map(|name| patch::write_variant(library, root, &report, name)).transpose()?;
    match format {
        OutputFormat::Json => print_json(&report.to_json(written.as_deref())),
        OutputFormat::Text => {
            print!("{}", report.render(colour));
            print!("{}", written.map(|files| patch::describe_files(&files)).unwrap_or_default());
        }
    }
    Ok(ExitCode::from(u8::from(name.is_none() && report.has_contradiction())))
}
