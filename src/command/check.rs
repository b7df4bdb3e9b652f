//! `casebook check`: validates all data, reports conflicts between variants, or plays games to find what goes wrong.

use crate::command::counting::{Progress, stop_flag};
use crate::command::out::{Printer, exit_code};
use casebook_checks::author::accepted::ACCEPTED_FILE;
use casebook_checks::author::whole_check;
use casebook_checks::conflicts::{patch, report};
use casebook_checks::trial::trial_games::{TrialLimits, play_trials};
use casebook_checks::trial::trial_report::{
    TrialReport, find_witnesses, render_faults, save_witnesses,
};
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::task;
use casebook_view::conflicts;
use casebook_view::text::blocks_text;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Time limit of the trial runs of situations.
const DRY_RUN_TIME: Duration = Duration::from_secs(10);

/// Validates all data and prints the complaints.
pub fn check(library: &Arc<Library>, out: Printer) -> ExitCode {
    let shown = Progress::new();
    let report_progress = |done: usize, total: usize| {
        shown.show(|| format!("{done} of {total} combinations of variants"))
    };
    let result = whole_check::check_all(library, Instant::now() + DRY_RUN_TIME, &report_progress);
    shown.finish();
    if result.late > 0 {
        eprintln!(
            "{} rulings took too long to be tried; `casebook test` carries them all out",
            result.late
        );
    }
    let accepted = match result.accepted {
        0 => String::new(),
        count => format!("{count} more accepted, with reasons, in {ACCEPTED_FILE}\n"),
    };
    out.print(
        || result.report(),
        || out.page.complaints(&result.complaints) + &*accepted,
    );
    exit_code(result.complaints.has_errors())
}

/// Reports the conflicts between variants; given a name, it also scaffolds a variant that resolves their contradictions.
pub fn report_conflicts(
    library: &Arc<Library>,
    root: &Path,
    variants: &[String],
    name: Option<&str>,
    out: Printer,
) -> Result<ExitCode, Error> {
    let mut report = report::find_conflicts(library, variants)?;
    report.written = name
        .map(|name| patch::write_variant(library, root, &report, name))
        .transpose()?;
    let text = || {
        blocks_text(&[conflicts::blocks(&report)], out.page)
            + &*report
                .written
                .as_deref()
                .map(patch::describe_files)
                .unwrap_or_default()
    };
    out.print(|| &report, text);
    Ok(exit_code(name.is_none() && report.has_contradiction()))
}

/// The share of the time that games are played in; in the rest the smallest situations are sought.
const PLAY_SHARE: f64 = 0.7;

/// Plays games at random and by styles, and reports what goes wrong in them.
pub fn play(
    library: &Arc<Library>,
    (games, seconds): (u64, u64),
    save: Option<&Path>,
    out: Printer,
) -> Result<ExitCode, Error> {
    if library.complaints.has_errors() {
        return Err(Error::Data(library.complaints.clone()));
    }
    let shown = Progress::new();
    let progress = |count: u64| shown.show(|| format!("playing: {count} games"));
    let start = Instant::now();
    let end_at =
        |share: f64| task::end_within(start + Duration::from_secs_f64(seconds as f64 * share));
    let limits = TrialLimits {
        end: end_at(PLAY_SHARE),
        stop: stop_flag(),
        progress: &progress,
    };
    let result = play_trials(library, None, games, limits);
    let mut faults = find_witnesses(
        library,
        &result,
        TrialLimits {
            end: end_at(0.98),
            ..limits
        },
    );
    shown.finish();
    if let Some(folder) = save {
        save_witnesses(&mut faults, folder)?;
    }
    out.print(
        || TrialReport::new(&result, &faults),
        || render_faults(&result, &faults, out.page.colour),
    );
    Ok(exit_code(faults.iter().any(|fault| fault.game.is_error())))
}
