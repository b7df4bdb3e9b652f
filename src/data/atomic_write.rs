//! Atomic file writes through a temporary file in the same folder.

use crate::complaint::Error;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, Permissions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Writes a file atomically: a reader sees the old text or the whole new text. If the file exists, `replace` receives its text ("" if it is
/// not UTF-8) and returns the reason why it must stay. Links, devices and read-only files are never replaced. Fails with the path and the
/// reason.
pub fn write_atomic(path: &Path, text: impl AsRef<[u8]>, replace: impl Fn(&str) -> Result<(), String>) -> Result<(), Error> {
    let fail = |source| Error::File { path: path.display().to_string(), source };
    let refuse = |reason: &str| Err(Error::Usage(format!("{}: {reason}; nothing was written", path.display())));
    // `symlink_metadata` inspects the link itself, not its target.
    let permissions = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(fail(error)),
        Ok(metadata) if metadata.is_symlink() => return refuse("this is a link; name the file it leads to"),
        Ok(metadata) if metadata.is_dir() => return refuse("this is a folder"),
        Ok(metadata) if !metadata.is_file() => return refuse("this is a device or a pipe, no file"),
        Ok(metadata) => Some(metadata.permissions()),
    };
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return refuse("this file may not be written");
    }
    if permissions.is_some()
        && let Err(reason) = replace(&fs::read_to_string(path).unwrap_or_default())
    {
        return refuse(&reason);
    }
    let folder = parent_folder(path);
    fs::create_dir_all(folder).map_err(fail)?;
    let temp_file = write_temp_file(folder, text.as_ref()).map_err(fail)?;
    let persisted = match permissions {
        None => match temp_file.persist_noclobber(path) {
            // Another process created the file meanwhile, so `replace` has to see its text.
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => return write_atomic(path, text, replace),
            other => other,
        },
        Some(permissions) => {
            fs::set_permissions(temp_file.path(), permissions).map_err(fail)?;
            temp_file.persist(path)
        }
    };
    persisted.map(drop).map_err(|error| fail(error.error))
}

/// Returns the text of a file, if it is there.
pub fn user_file(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// Fails if a file of a variant would lie outside the data folder, by a link for instance, or if there is no such variant.
pub fn check_inside(root: &Path, key: &str) -> Result<(), Error> {
    let outside = |_| Error::Usage(format!("{key}: there is no such variant in the data folder; lay it out first"));
    let (path, variant) = (root.join(key), root.join(key.split('/').take(2).collect::<PathBuf>()));
    let (root, real) = (root.canonicalize().map_err(outside)?, variant.canonicalize().map_err(outside)?);
    // A symbolic link may lead out of the folder; the canonical path must stay inside.
    let existing_parent = path.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
    if !real.starts_with(&root) || !existing_parent.is_some_and(|folder| folder.starts_with(&real)) || path.is_symlink() {
        return Err(Error::Usage(format!("{key}: this leads out of the data folder; nothing was written")));
    }
    Ok(())
}

/// A `replace` callback for [`write_atomic`] that keeps every existing file.
pub fn never_replace(_: &str) -> Result<(), String> {
    Err("there is such a file already".into())
}

/// Journal of a multi-file write: the unfinished files with their texts. Readers ignore listed files, so all of them appear at once when
/// the journal is removed, and none appears if the writer was interrupted.
const UNFINISHED_LIST: &str = ".casebook-unfinished";

/// Returns the files that an unfinished write lists, as key to text.
pub fn unfinished_files(root: &Path) -> BTreeMap<String, String> {
    let list = fs::read_to_string(root.join(UNFINISHED_LIST)).unwrap_or_default();
    // An incomplete journal means that no file was written yet.
    serde_json::from_str(&list).unwrap_or_default()
}

/// Writes new files into a data folder, all or none, even if the process is interrupted. Never overwrites a file: fails with the first one
/// that exists.
pub fn write_new(root: &Path, files: Vec<(PathBuf, String)>) -> Result<Vec<PathBuf>, Error> {
    let list = root.join(UNFINISHED_LIST);
    let fail = |source| Error::File { path: list.display().to_string(), source };
    let busy = || Error::Usage(format!("{}: another casebook is writing here; nothing was written", root.display()));
    fs::create_dir_all(root).map_err(fail)?;
    if fs::symlink_metadata(&list).is_ok_and(|meta| !meta.is_file()) {
        return Err(Error::Usage(format!("{}: this is no plain file; nothing was written", list.display())));
    }
    let mut lock_file = fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&list).map_err(fail)?;
    if matches!(lock_file.try_lock(), Err(TryLockError::WouldBlock)) || !list.exists() {
        return Err(busy());
    }
    let written = roll_back(root).and_then(|()| {
        if let Some((path, _)) = files.iter().find(|(path, _)| fs::symlink_metadata(path).is_ok()) {
            return Err(Error::Usage(format!("{}: there is such a file already; nothing was written", path.display())));
        }
        let texts: BTreeMap<String, &String> = files.iter().map(|(path, text)| (key_in_folder(root, path), text)).collect();
        lock_file
            .set_len(0)
            .and_then(|()| lock_file.write_all(json!(texts).to_string().as_bytes()))
            .and_then(|()| lock_file.sync_all())
            .map_err(fail)?;
        for (index, (path, text)) in files.iter().enumerate() {
            write_atomic(path, text, never_replace)
                .inspect_err(|_| files[..index].iter().for_each(|(path, _)| drop(fs::remove_file(path))))?;
        }
        Ok(())
    });
    // Removing the journal commits the write.
    fs::remove_file(&list).map_err(fail)?;
    written.map(|()| files.into_iter().map(|(path, _)| path).collect())
}

/// Removes a file, and the folders that it leaves empty, up to a folder that stays.
pub fn remove_file(path: &Path, kept_folder: &Path) -> Result<(), Error> {
    fs::remove_file(path).map_err(|source| Error::File { path: path.display().to_string(), source })?;
    // A folder that is not empty is not removed, and ends the climb.
    let _ = path.ancestors().skip(1).take_while(|folder| *folder != kept_folder).try_for_each(fs::remove_dir);
    Ok(())
}

/// Removes the files of an interrupted write; a file whose text has changed since is kept.
fn roll_back(root: &Path) -> Result<(), Error> {
    for (key, text) in unfinished_files(root) {
        let path = root.join(&key);
        let plain = Path::new(&key).components().all(|part| matches!(part, Component::Normal(_)));
        if plain && fs::read_to_string(&path).is_ok_and(|current| current == text) {
            fs::remove_file(&path).map_err(|source| Error::File { path: path.display().to_string(), source })?;
        }
    }
    Ok(())
}

/// Returns the key of a file in a data folder.
fn key_in_folder(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Returns the parent folder of a path.
fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a temporary file with a text; it is deleted on drop unless persisted.
fn write_temp_file(folder: &Path, text: &[u8]) -> std::io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".casebook-");
    // Temporary files are private by default; the result gets the usual permissions.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    Ok(file)
}
