//! All complaints about the data and those of trial runs, without those that are accepted or of no concern to the owner of the data folder.

use crate::author::{accepted, check, dry_run};
use casebook_engine::complaint::{Complaint, Complaints, Place, Severity};
use casebook_engine::data::library::Library;
use casebook_engine::platform::clock::Instant;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
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

/// Validates the games to which the folder adds, or all, and tries the rulings of their situations until a time. `progress` gets the
/// combinations of variants done, and all.
pub fn check_all(
    library: &Arc<Library>,
    until: Instant,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> WholeCheck {
    let games = concerned_games(library);
    let is_checked = |game: &str| games.contains(game);
    let mut complaints = check::check(library, &is_checked);
    let mut late = 0;
    // Data that can't be read can't be run.
    if !complaints.has_errors() {
        let (faults, untried) = dry_run::run_all(library, &is_checked, until, progress);
        complaints.0.extend(faults.0);
        (complaints, late) = (complaints.into_sorted(), untried);
    }
    complaints
        .0
        .retain(|complaint| is_relevant(library, &games, complaint));
    // Errors come first, and among them those of the user's own files.
    complaints.0.sort_by_key(|complaint| {
        (
            complaint.severity != Severity::Error,
            !is_own(library, &complaint.place),
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

/// Returns whether a place is in a file of the data folder.
fn is_own(library: &Library, place: &Place) -> bool {
    let mut files = library.files.by_key.values();
    files.any(|file| file.path == place.path && !file.text.is_embedded())
}

/// Returns the games to which the data folder adds: all of them if it adds nothing, or a file that belongs to none.
fn concerned_games(library: &Library) -> BTreeSet<&str> {
    let files = library.files.by_key.values();
    let games = files.filter(|file| !file.text.is_embedded()).map(|file| {
        let game = library.game_of(&file.key);
        game.filter(|game| library.games.contains_key(*game))
    });
    let games: Option<BTreeSet<&str>> = games.collect();
    let all = || library.games.keys().map(String::as_str).collect();
    games.filter(|games| !games.is_empty()).unwrap_or_else(all)
}

/// Returns whether a complaint concerns the owner of the data folder. Warnings about built-in files concern their authors. Errors in them
/// count if the folder adds to the same game, because an addition may cause them.
fn is_relevant(library: &Library, games: &BTreeSet<&str>, complaint: &Complaint) -> bool {
    let files = || library.files.by_key.values();
    let mut also = complaint.also.iter();
    let Some(file) = files().find(|file| file.path == complaint.place.path) else {
        return true;
    };
    let game = library.game_of(&file.key);
    files().all(|file| file.text.is_embedded())
        || is_own(library, &complaint.place)
        || also.any(|(place, _)| is_own(library, place))
        || complaint.severity == Severity::Error && game.is_none_or(|game| games.contains(game))
}
