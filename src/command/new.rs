//! `casebook new`: lays out files to fill in.

use crate::author::scaffold;
use crate::command::args::{Format, New};
use crate::command::meant::game;
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Carries out `new`.
pub fn new(library: &Arc<Library>, root: &Path, what: New, format: Format) -> Result<ExitCode, Error> {
    let written = match what {
        New::Variant { name, tables, game: g } => scaffold::variant(library, root, &game(library, &g)?, &name, tables)?,
        New::Case { number, variant, game: g, new } => scaffold::case(library, root, &game(library, &g)?, &variant, &number, new)?,
        New::Table { name, variant, game: g, new } => scaffold::table(library, root, &game(library, &g)?, &variant, &name, new)?,
        New::Scenario { name, like, game: g } => scaffold::scenario(library, root, &game(library, &g)?, &name, &like)?,
    };
    let paths: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
    match format {
        Format::Json => print_json(&json!({ "written": paths })),
        Format::Text => paths.iter().for_each(|p| println!("{p}")),
    }
    Ok(ExitCode::SUCCESS)
}
