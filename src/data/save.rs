//! Files written whole or not at all: by way of a file beside them that nobody else can have.

use crate::complaint::Error;
use std::fs::{self, Permissions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Writes a file; it is there whole or not at all, whatever happens meanwhile and whoever else writes it.
/// Where there is a file already, `replace` is asked with its text, and says why it must stay; of a file that is no text, with "".
/// Links, devices and what may not be written are never replaced. Fails with the path and the reason.
pub fn write_whole(path: &Path, text: &str, replace: impl Fn(&str) -> Result<(), String>) -> Result<(), Error> {
    let fail = |source| Error::File { path: path.display().to_string(), source };
    let refuse = |why: &str| Err(Error::Usage(format!("{}: {why}; nothing was written", path.display())));
    // The link itself is asked, not what it leads to.
    let old = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(fail(error)),
        Ok(old) if old.is_symlink() => return refuse("this is a link; name the file it leads to"),
        Ok(old) if old.is_dir() => return refuse("this is a folder"),
        Ok(old) if !old.is_file() => return refuse("this is a device or a pipe, no file"),
        Ok(old) => Some(old.permissions()),
    };
    if old.as_ref().is_some_and(Permissions::readonly) {
        return refuse("this file may not be written");
    }
    if old.is_some()
        && let Err(why) = replace(&fs::read_to_string(path).unwrap_or_default())
    {
        return refuse(&why);
    }
    let folder = folder_of(path);
    fs::create_dir_all(folder).map_err(fail)?;
    let written = beside(folder, text).map_err(fail)?;
    let put = match old {
        None => match written.persist_noclobber(path) {
            // Somebody was faster, and what they wrote is to be asked about.
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => return write_whole(path, text, replace),
            other => other,
        },
        Some(permissions) => {
            fs::set_permissions(written.path(), permissions).map_err(fail)?;
            written.persist(path)
        }
    };
    put.map(drop).map_err(|error| fail(error.error))
}

/// For `write_whole`: nothing that is there is replaced.
pub fn never(_: &str) -> Result<(), String> {
    Err("there is such a file already".into())
}

/// Writes new files, all or none: several of a new folder are made beside it, and take its place in one step.
/// Nothing is overwritten. Fails with the first file that is there already.
pub fn write_new(files: Vec<(PathBuf, String)>) -> Result<Vec<PathBuf>, Error> {
    if let Some((path, _)) = files.iter().find(|(path, _)| fs::symlink_metadata(path).is_ok()) {
        return Err(Error::Usage(format!("{}: there is such a file already; nothing was written", path.display())));
    }
    match &files[..] {
        [] => {}
        [(path, text)] => write_whole(path, text, never)?,
        [(first, _), ..] => {
            let common = |folder: &&Path| files.iter().all(|(path, _)| path.starts_with(folder));
            let folder = first.ancestors().skip(1).find(common).unwrap_or(Path::new("."));
            let here = folder == Path::new(".") || folder.as_os_str().is_empty();
            if here || fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
                // A folder in which others work, or in which one stands, can't be swapped: what is written is taken back if one fails.
                for (index, (path, text)) in files.iter().enumerate() {
                    write_whole(path, text, never)
                        .inspect_err(|_| files[..index].iter().for_each(|(path, _)| drop(fs::remove_file(path))))?;
                }
            } else {
                fresh(folder, &files).map_err(|source| Error::File { path: folder.display().to_string(), source })?;
            }
        }
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// Makes a folder with all its files. It may be there, but empty.
fn fresh(folder: &Path, files: &[(PathBuf, String)]) -> std::io::Result<()> {
    let above = folder_of(folder);
    fs::create_dir_all(above)?;
    let whole = Builder::new().prefix(".casebook-").tempdir_in(above)?;
    for (path, text) in files {
        let path = whole.path().join(path.strip_prefix(folder).unwrap_or(path));
        fs::create_dir_all(folder_of(&path))?;
        fs::write(path, text)?;
    }
    fs::rename(whole.path(), folder)?;
    // What stood there is gone to its place; there is nothing left to remove.
    let _ = whole.keep();
    Ok(())
}

/// The folder a path stands in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file of its own name with a text in it; gone again unless it is given its place.
fn beside(folder: &Path, text: &str) -> std::io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".casebook-");
    // It becomes a file like any other, for whoever may read those.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}
