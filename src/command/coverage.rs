//! `casebook coverage`: lists the parts of the rules that no example or test reaches.

use crate::command::args::OutputFormat;
use crate::command::targets::resolve_games;
use crate::command::{out, print_json};
use crate::complaint::Error;
use crate::data::library::Library;
use crate::testing::coverage;
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;

/// Runs `coverage`.
pub fn coverage(library: &Arc<Library>, game: &str, format: OutputFormat, colour: bool) -> Result<ExitCode, Error> {
    let all = resolve_games(library, game)?.into_iter().map(|name| coverage::measure(library, name)).collect::<Result<Vec<_>, _>>()?;
    let complaints = library.complaints.clone().into_sorted();
    match format {
        OutputFormat::Json => print_json(&json!({ "games": all, "complaints": complaints.0 })),
        OutputFormat::Text => {
            all.iter().for_each(|one| print!("{}", one.render(colour)));
            if !complaints.0.is_empty() {
                eprint!("{}", complaints.render(out::use_colour(&std::io::stderr())));
            }
        }
    }
    Ok(ExitCode::from(u8::from(complaints.has_errors())))
}
