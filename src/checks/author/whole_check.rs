//! All complaints about the data and those of trial runs, without those that are accepted or of no concern to the owner of the data folder.

use crate::author::{accepted, check, dry_run};
use casebook_engine::complaint::{Complaint, Complaints, Severity};
use casebook_engine::data::file::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::platform::clock::Instant;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// The result of a check of all data.
pub struct WholeCheck {
    /// The complaints.
    pub complaints: Complaints,
    /// The number of complaints that the owner of the folder accepts.
    pub accepted: usize,
    /// The number of rulings that took too long to be tried.
    pub late: usize,
}

/// The complaints about all data.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "check")]
pub struct CheckReport<'a> {
    /// The complaints.
    pub complaints: &'a [Complaint],
    /// How many more are accepted by accepted.yaml.
    pub accepted: usize,
}

impl WholeCheck {
    /// Reports the complaints.
    pub fn report(&self) -> CheckReport<'_> {
        CheckReport {
            complaints: &self.complaints.0,
            accepted: self.accepted,
        }
    }
}

/// Validates all data, and tries the rulings of all situations until a time. `progress` gets the combinations of variants done, and all.
pub fn check_all(
    library: &Arc<Library>,
    until: Instant,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> WholeCheck {
    let mut complaints = check::check(library, None);
    let mut late = 0;
    // Data that can't be read can't be run.
    if !complaints.has_errors() {
        let (faults, untried) = dry_run::run_all(library, until, progress);
        complaints.0.extend(faults.0);
        (complaints, late) = (complaints.into_sorted(), untried);
    }
    complaints
        .0
        .retain(|complaint| is_relevant(library, complaint));
    // What has to be mended stands first, and of that what is one's own.
    complaints.0.sort_by_key(|complaint| {
        (
            complaint.severity != Severity::Error,
            !is_own(library, complaint),
        )
    });
    let (complaints, accepted) =
        accepted::filter_accepted(library.files.root.as_deref(), complaints);
    WholeCheck {
        complaints,
        accepted,
        late,
    }
}

/// Returns whether a complaint is of a file of the data folder.
fn is_own(library: &Library, complaint: &Complaint) -> bool {
    library
        .files
        .by_key
        .values()
        .any(|file| file.path == complaint.place.path && !file.text.is_embedded())
}

/// Returns whether a complaint concerns the owner of the data folder. Warnings about built-in files concern their authors. Errors in them
/// count if the folder adds to the same game, because an addition may cause them.
fn is_relevant(library: &Library, complaint: &Complaint) -> bool {
    let files = &library.files.by_key;
    let mine = |file: &DataFile| !file.text.is_embedded();
    let Some(file) = files
        .values()
        .find(|file| file.path == complaint.place.path)
    else {
        return true;
    };
    let game = library.game_of(&file.key);
    mine(file)
        || !files.values().any(mine)
        || complaint.also.iter().any(|(place, _)| {
            files
                .values()
                .any(|file| mine(file) && file.path == place.path)
        })
        || complaint.severity == Severity::Error
            && files
                .values()
                .any(|file| mine(file) && library.game_of(&file.key) == game)
}
