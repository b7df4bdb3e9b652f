//! `casebook test`: runs examples and tests of rulings.

use crate::command::args::OutputFormat;
use crate::command::counting::stop_flag;
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::testing::check::CheckOutcome;
use crate::testing::{mutation, suite};
use serde_json::json;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

/// Runs `test`.
pub fn test(
    library: &Arc<Library>,
    path: &str,
    verbose: bool,
    accept: bool,
    format: OutputFormat,
    colour: bool,
) -> Result<ExitCode, Error> {
    let (mut failed, mut untried, mut all) = (0, 0, Vec::new());
    let mut report = |outcome: &CheckOutcome| {
        failed += usize::from(outcome.complaint.is_some());
        untried += usize::from(outcome.untried);
        match outcome.render_failure(colour) {
            _ if format == OutputFormat::Json || outcome.untried => {}
            Some(why) => println!("FAILED  {}  {}\n{why}\n", outcome.id, outcome.name),
            None if outcome.accepted => println!("accepted  {}  {}", outcome.id, outcome.path),
            None if verbose => println!("ok  {:<24}  {:<64}  {}", outcome.id, outcome.name, outcome.path),
            None => {}
        }
    };
    all.extend(suite::unreadable_files(library, path));
    all.iter().for_each(&mut report);
    for game in library.games.keys() {
        all.extend(suite::run(library, game, path, accept, &mut report, None)?);
    }
    let count = all.len();
    match format {
        OutputFormat::Json => {
            print_json(&json!({ "passed": count - failed - untried, "failed": failed, "untried": untried, "examples": all }))
        }
        OutputFormat::Text if count == 0 => println!("no example stands in a file whose path holds `{path}`"),
        OutputFormat::Text => println!("{} examples hold, {failed} fail{}", count - failed - untried, untried_note(untried)),
    }
    Ok(ExitCode::from(u8::from(failed + untried > 0 || count == 0)))
}

/// Says how many examples the time was too short for.
pub fn untried_note(count: usize) -> String {
    if count == 0 { String::new() } else { format!(", {count} did not run before the time was up: --limit SECONDS gives more") }
}

/// Runs `test --mutants`; the exit code tells whether every mutant was detected.
pub fn test_mutants(library: &Arc<Library>, path: &str, format: OutputFormat, colour: bool) -> Result<ExitCode, Error> {
    let shown = std::io::stderr().is_terminal();
    let progress = |done: usize, all: usize| {
        if shown && (done.is_multiple_of(20) || done == all) {
            eprint!("\r{done} of {all} changes{}", if done == all { "\n" } else { "" });
        }
    };
    let report = mutation::run(library, path, &progress, stop_flag())?;
    match format {
        OutputFormat::Json => print_json(&json!(report)),
        OutputFormat::Text if report.is_empty() => println!("nothing to change stands in a file whose path holds `{path}`"),
        OutputFormat::Text => print!("{}", report.render(colour)),
    }
    Ok(ExitCode::from(u8::from(report.is_empty() || report.untried > 0 || !report.unnoticed.is_empty())))
}
