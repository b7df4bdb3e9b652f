//! `casebook pack` and `casebook unpack`: a variant or a whole game as one file.

use crate::command::out::{Printer, exit_code};
use casebook_checks::author::check;
use casebook_checks::author::pack::{NOT_PACKED, Pack};
use casebook_engine::complaint::{Error, counted};
use casebook_engine::data::files::Files;
use casebook_engine::data::library::Library;
use casebook_view::block::WrittenFiles;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

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
        || WrittenFiles {
            notes: pack.files.keys().cloned().collect(),
            ..WrittenFiles::new([&path])
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
        || WrittenFiles {
            complaints: complaints.0.clone(),
            ..WrittenFiles::new(&written)
        },
        text,
    );
    Ok(exit_code(complaints.has_errors()))
}
