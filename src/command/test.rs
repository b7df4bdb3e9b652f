//! `casebook test` and `coverage`: runs examples and tests of rulings, and lists the parts of the rules that none reaches.

use crate::command::out::{Printer, exit_code};
use crate::command::show::print_games;
use crate::command::targets::resolve_games;
use casebook_checks::testing::check::{CheckOutcome, TestReport};
use casebook_checks::testing::{coverage, suite};
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_view::coverage::page as coverage_page;
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

/// Runs `test`.
pub fn test(
    library: &Arc<Library>,
    path: &str,
    verbose: bool,
    accept: bool,
    out: Printer,
) -> Result<ExitCode, Error> {
    let mut outcomes = Vec::new();
    // A file that can't be read fails every example that needs it; the reason is printed once.
    let mut printed = BTreeSet::new();
    let mut print_outcome = |outcome: &CheckOutcome| match outcome.render_failure(out.page) {
        _ if out.is_json() || outcome.untried => {}
        Some(failure) => match &outcome.complaint {
            Some(complaint)
                if !printed.insert(format!(
                    "{:?} {:?} {:?}",
                    complaint.code, complaint.place, complaint.message
                )) =>
            {
                let line = complaint
                    .place
                    .span
                    .map(|span| format!(":{}", span.line))
                    .unwrap_or_default();
                let (code, path) = (complaint.code.as_str(), &complaint.place.path);
                println!(
                    "FAILED  {}  {}\n        as above: error[{code}] in {path}{line}\n",
                    outcome.id, outcome.name
                )
            }
            _ => println!("FAILED  {}  {}\n{failure}\n", outcome.id, outcome.name),
        },
        None if outcome.accepted => println!("accepted  {}  {}", outcome.id, outcome.path),
        None if verbose => println!(
            "ok  {:<24}  {:<64}  {}",
            outcome.id, outcome.name, outcome.path
        ),
        None => {}
    };
    outcomes.extend(suite::unreadable_files(library, path));
    outcomes.iter().for_each(&mut print_outcome);
    for game in library.games.keys() {
        outcomes.extend(suite::run(
            library,
            game,
            path,
            accept,
            &mut print_outcome,
            None,
        )?);
    }
    let count = outcomes.len();
    let report = TestReport::new(outcomes);
    let TestReport {
        passed,
        failed,
        untried,
        ..
    } = report;
    let text = || match (count, untried) {
        (0, _) if path.is_empty() => "this folder has no examples and no tests\n".into(),
        (0, _) => format!("no file whose path contains `{path}` has an example\n"),
        (_, 0) => format!("{passed} examples hold, {failed} fail\n"),
        _ => format!(
            "{passed} examples hold, {failed} fail, {untried} did not run before the time was up: --limit SECONDS gives more\n"
        ),
    };
    out.print(|| &report, text);
    Ok(exit_code(failed + untried > 0 || count == 0))
}

/// Runs `coverage`.
pub fn coverage(library: &Arc<Library>, game: &str, out: Printer) -> Result<ExitCode, Error> {
    let pages = resolve_games(library, game)?
        .into_iter()
        .map(|name| Ok(coverage_page(&coverage::measure(library, name)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(print_games(library, pages, out))
}
