//! `casebook check`: all complaints, or how variants get on.

use crate::author::accepted::{self, ACCEPTED};
use crate::author::{check, trial};
use crate::command::args::Format;
use crate::command::counting::Progress;
use crate::command::print_json;
use crate::complaint::{Complaint, Error, Weight};
use crate::conflicts::{patch, report};
use crate::data::file::File;
use crate::data::library::Library;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So long situations are carried out.
const TRIALS: Duration = Duration::from_secs(10);

/// Prints all complaints about all data.
pub fn check(library: &Arc<Library>, format: Format, colour: bool) -> ExitCode {
    let mut complaints = check::check(library, None);
    // What can't be read can't be carried out.
    if !complaints.any_error() {
        let shown = Progress::new();
        let told = |done: usize, all: usize| shown.tell(|| format!("{done} of {all} combinations of variants"));
        let (found, late) = trial::run(library, Instant::now() + TRIALS, &told);
        complaints.0.extend(found.0);
        complaints = complaints.sorted();
        if late > 0 {
            eprintln!("{late} rulings took too long to be tried; `casebook test` carries them all out");
        }
    }
    complaints.0.retain(|complaint| concerns(library, complaint));
    let (complaints, accepted) = accepted::left(library.shelf.root.as_deref(), complaints);
    match format {
        Format::Json => print_json(&json!({ "complaints": complaints.0, "accepted": accepted })),
        Format::Text => {
            print!("{}", complaints.render(colour));
            if accepted > 0 {
                println!("{accepted} more accepted, with reasons, in {ACCEPTED}");
            }
        }
    }
    ExitCode::from(u8::from(complaints.any_error()))
}

/// Whether a complaint concerns whoever checks a folder: what is noted of files that are built in is their authors'; an error in one is his
/// too, where his folder has something of its game, for that may be what makes it.
fn concerns(library: &Library, complaint: &Complaint) -> bool {
    let files = &library.shelf.files;
    let mine = |file: &File| !file.text.is_bound();
    let Some(file) = files.values().find(|file| file.path == complaint.place.path) else { return true };
    let game = library.game_of(&file.key);
    mine(file)
        || !files.values().any(mine)
        || complaint.also.iter().any(|(place, _)| files.values().any(|file| mine(file) && file.path == place.path))
        || complaint.weight == Weight::Error && files.values().any(|file| mine(file) && library.game_of(&file.key) == game)
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
