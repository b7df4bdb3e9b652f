//! `casebook book`: the rulebook in force as a folder of plain HTML.

use crate::command::args::{Format, RulesetArgs};
use crate::command::meant::game;
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::{InForce, Library};
use crate::ruleset::laws;
use crate::serve::book::written;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Writes the rulebook of a ruleset.
pub fn book(library: &Arc<Library>, args: &RulesetArgs, folder: &Path, format: Format) -> Result<ExitCode, Error> {
    let (ruleset, _) = laws::enact(library, &args.wish(&game(library, &args.game)?, InForce::default()))?;
    let files = written::write(library, &ruleset, folder)?;
    match format {
        Format::Json => print_json(&json!({ "written": files.len(), "first": folder.join("index.html") })),
        Format::Text => println!("{} pages; begin with {}", files.len() - 1, folder.join("index.html").display()),
    }
    Ok(ExitCode::SUCCESS)
}
