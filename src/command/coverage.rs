//! `casebook coverage`: what no example and no test reaches.

use crate::command::args::Format;
use crate::command::meant::games;
use crate::command::{out, print_json};
use crate::complaint::Error;
use crate::data::library::Library;
use crate::testing::coverage;
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;

/// Carries out `coverage`.
pub fn coverage(library: &Arc<Library>, game: &str, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let all = games(library, game)?.into_iter().map(|name| coverage::of(library, name)).collect::<Result<Vec<_>, _>>()?;
    let complaints = library.complaints.clone().sorted();
    match format {
        Format::Json => print_json(&json!({ "games": all, "complaints": complaints.0 })),
        Format::Text => {
            all.iter().for_each(|one| print!("{}", one.render(colour)));
            if !complaints.0.is_empty() {
                eprint!("{}", complaints.render(out::colour(&std::io::stderr())));
            }
        }
    }
    Ok(ExitCode::from(u8::from(complaints.any_error())))
}
