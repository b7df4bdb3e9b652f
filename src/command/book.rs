//! `casebook book`: exports the rulebook as a folder of static HTML.

use crate::command::args::{OutputFormat, RulesetArgs};
use crate::command::print_json;
use crate::command::targets::resolve_game;
use crate::complaint::Error;
use crate::data::library::{InForce, Library};
use crate::ruleset::diagnostics;
use crate::serve::book::export;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Exports the rulebook of a ruleset.
pub fn write_book(library: &Arc<Library>, args: &RulesetArgs, folder: &Path, format: OutputFormat) -> Result<ExitCode, Error> {
    let (ruleset, _) = diagnostics::build_ruleset(library, &args.spec(library, &resolve_game(library, &args.game)?, InForce::default()))?;
    let files = export::write_book(library, &ruleset, folder)?;
    match format {
        OutputFormat::Json => print_json(&json!({ "written": files.len(), "first": folder.join("index.html") })),
        OutputFormat::Text => println!("{} pages; begin with {}", files.len() - 1, folder.join("index.html").display()),
    }
    Ok(ExitCode::SUCCESS)
}
