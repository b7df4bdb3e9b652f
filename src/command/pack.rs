//! `casebook pack` and `casebook unpack`: a variant or a whole game as one file.

use crate::command::out::{Printer, exit_code};
use casebook_checks::author::check;
use casebook_checks::author::pack::{NOT_PACKED, Pack};
use casebook_engine::complaint::Complaint;
use casebook_engine::complaint::{Error, counted};
use casebook_engine::data::files::Files;
use casebook_engine::data::library::Library;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// `pack`: a variant or a game as one file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "pack")]
pub struct PackedFiles<'a> {
    /// The path of the file.
    pub written: &'a Path,
    /// The paths of the files in it.
    pub files: Vec<&'a String>,
}

/// Packs a variant or a game.
pub fn pack(
    library: &Arc<Library>,
    name: &str,
    path: Option<PathBuf>,
    out: Printer,
) -> Result<(), Error> {
    let pack = Pack::from_library(library, name)?;
    pack.check(library, NOT_PACKED)?;
    let path = path.unwrap_or_else(|| PathBuf::from(pack.file_name()));
    pack.write(&path)?;
    out.print(
        || PackedFiles {
            written: &path,
            files: pack.files.keys().collect(),
        },
        || {
            format!(
                "{}: {} of {}\n",
                path.display(),
                counted(pack.files.len(), "file"),
                pack.title
            )
        },
    );
    Ok(())
}

/// `unpack`: what was in a pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "unpack")]
pub struct UnpackedFiles<'a> {
    /// The paths of the files.
    pub written: &'a [PathBuf],
    /// What is wrong with them.
    pub complaints: &'a [Complaint],
}

/// Unpacks the files into the data folder and reports what is wrong with them there.
pub fn unpack(
    library: &Arc<Library>,
    root: &Path,
    path: &Path,
    out: Printer,
) -> Result<ExitCode, Error> {
    let pack = Pack::read(path)?;
    let written = pack.unpack(library, root)?;
    // The pack must fit the game as installed here.
    let reloaded = Arc::new(Library::new(
        Files::with_folder(root, library.files.embedded)?.read_all(),
    ));
    let (complaints, folder, next) = match &*pack.variant {
        "" => (
            check::check(&reloaded, &|game| game == pack.game),
            root.join("rules").join(&pack.game),
            "`casebook list` shows what is in it".into(),
        ),
        variant => (
            check::check_variant(&reloaded, variant),
            root.join("variants").join(variant),
            format!("try it with --with {variant}"),
        ),
    };
    let text = || {
        let elsewhere = written
            .iter()
            .filter(|path| !path.starts_with(&folder))
            .map(|path| format!(", {}", path.display()));
        let within = written
            .iter()
            .filter(|path| path.starts_with(&folder))
            .count();
        let head = format!(
            "{} in {}{}; {next}\n",
            counted(within, "file"),
            folder.display(),
            elsewhere.collect::<String>()
        );
        if complaints.has_errors() {
            head + &*out.page.complaints(&complaints)
        } else {
            head
        }
    };
    out.print(
        || UnpackedFiles {
            written: &written,
            complaints: &complaints.0,
        },
        text,
    );
    Ok(exit_code(complaints.has_errors()))
}
