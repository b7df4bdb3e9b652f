//! `casebook pack` and `casebook unpack`: a variant or a whole game as one file.

use crate::author::check;
use crate::author::pack::Pack;
use crate::command::args::OutputFormat;
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::files::Files;
use crate::data::library::Library;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Packs a variant or a game.
pub fn pack(library: &Arc<Library>, name: &str, out: Option<PathBuf>, format: OutputFormat) -> Result<ExitCode, Error> {
    let pack = Pack::from_library(library, name)?;
    let path = out.unwrap_or_else(|| PathBuf::from(pack.file_name()));
    pack.write(&path)?;
    match format {
        OutputFormat::Json => print_json(&json!({ "written": path, "files": pack.files.keys().collect::<Vec<_>>() })),
        OutputFormat::Text => println!("{}: {} of {}", path.display(), file_count_text(pack.files.len()), pack.title),
    }
    Ok(ExitCode::SUCCESS)
}

/// Unpacks the files into the data folder and reports what is wrong with them there.
pub fn unpack(library: &Arc<Library>, root: &Path, path: &Path, format: OutputFormat, colour: bool) -> Result<ExitCode, Error> {
    let pack = Pack::read(path)?;
    let written = pack.unpack(library, root)?;
    // The pack must fit the game as installed here.
    let now = Arc::new(Library::new(Files::with_folder(root)?.read_all()));
    let complaints = if pack.variant.is_empty() { check::check(&now, Some(&pack.game)) } else { check::check_variant(&now, &pack.variant) };
    let folder = if pack.variant.is_empty() { root.join("rules").join(&pack.game) } else { root.join("variants").join(&pack.variant) };
    let next = if pack.variant.is_empty() {
        "`casebook list` shows what is in it".to_string()
    } else {
        format!("try it with --with {}", pack.variant)
    };
    match format {
        OutputFormat::Json => print_json(&json!({ "written": written, "complaints": complaints.0 })),
        OutputFormat::Text => {
            println!("{} in {}; {next}", file_count_text(written.len()), folder.display());
            if complaints.has_errors() {
                print!("{}", complaints.render(colour));
            }
        }
    }
    Ok(ExitCode::from(u8::from(complaints.has_errors())))
}

fn file_count_text(files: usize) -> String {
    format!("{files} {}", if files == 1 { "file" } else { "files" })
}
