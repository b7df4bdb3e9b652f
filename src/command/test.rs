//! `casebook test`: examples and tests of rulings.

use crate::command::args::Format;
use crate::command::counting::stop;
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::testing::check::Proof;
use crate::testing::{mutants, suite};
use serde_json::json;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

/// Carries out `test`.
pub fn test(library: &Arc<Library>, path: &str, verbose: bool, accept: bool, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let (mut failed, mut all) = (0, Vec::new());
    let mut told = |proof: &Proof| {
        failed += usize::from(proof.complaint.is_some());
        match proof.told(colour) {
            _ if format == Format::Json => {}
            Some(why) => println!("FAILED  {}  {}\n{why}\n", proof.id, proof.name),
            None if proof.accepted => println!("accepted  {}  {}", proof.id, proof.path),
            None if verbose => println!("ok  {:<24}  {:<64}  {}", proof.id, proof.name, proof.path),
            None => {}
        }
    };
    all.extend(suite::unread(library, path));
    all.iter().for_each(&mut told);
    for game in library.games.keys() {
        all.extend(suite::run(library, game, path, accept, &mut told, None)?);
    }
    let count = all.len();
    match format {
        Format::Json => print_json(&json!({ "passed": count - failed, "failed": failed, "examples": all })),
        Format::Text if count == 0 => println!("no example stands in a file whose path holds `{path}`"),
        Format::Text => println!("{} examples hold, {failed} fail", count - failed),
    }
    Ok(ExitCode::from(u8::from(failed > 0 || count == 0)))
}

/// Carries out `test --mutants`: the status says whether everything was noticed.
pub fn mutants(library: &Arc<Library>, path: &str, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let shown = std::io::stderr().is_terminal();
    let told = |done: usize, all: usize| {
        if shown && (done.is_multiple_of(20) || done == all) {
            eprint!("\r{done} of {all} changes{}", if done == all { "\n" } else { "" });
        }
    };
    let report = mutants::run(library, path, &told, stop())?;
    match format {
        Format::Json => print_json(&json!(report)),
        Format::Text if report.empty() => println!("nothing to change stands in a file whose path holds `{path}`"),
        Format::Text => print!("{}", report.render(colour)),
    }
    Ok(ExitCode::from(u8::from(report.empty() || report.untried > 0 || !report.unnoticed.is_empty())))
}
