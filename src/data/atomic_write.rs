//! Files written whole or not at all: by way of a file beside them that nobody else can have.

use crate::complaint::Error;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, Permissions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Writes a file; it is there whole or not at all, whatever happens meanwhile and whoever else writes it.
/// Where there is a file already, `replace` is asked with its text, and says why it must stay; of a file that is no text, with "".
/// Links, devices and what may not be written are never replaced. Fails with the path and the reason.
pub fn write_atomic(path: &Path, text: &str, replace: impl Fn(&str) -> Result<(), String>) -> Result<(), Error> {
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
    let folder = parent_folder(path);
    fs::create_dir_all(folder).map_err(fail)?;
    let written = write_temp_file(folder, text).map_err(fail)?;
    let put = match old {
        None => match written.persist_noclobber(path) {
            // Somebody was faster, and what they wrote is to be asked about.
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => return write_atomic(path, text, replace),
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
pub fn never_replace(_: &str) -> Result<(), String> {
    Err("there is such a file already".into())
}

/// In a folder of data: the files that are being written, with their texts. Whoever reads the data takes them for not there, so that they
/// come all at once when this is gone; and never, where whoever wrote them was broken off.
const UNFINISHED_LIST: &str = ".casebook-unfinished";

/// The files of a folder that are being written, or never were to their end: by key, with their texts.
pub fn unfinished_files(root: &Path) -> BTreeMap<String, String> {
    let list = fs::read_to_string(root.join(UNFINISHED_LIST)).unwrap_or_default();
    // Before it stands there whole, nothing is written.
    serde_json::from_str(&list).unwrap_or_default()
}

/// Writes new files of a folder of data, all or none, at whatever moment it may be broken off. Nothing is overwritten. Fails with the first
/// file that is there already.
pub fn write_new(root: &Path, files: Vec<(PathBuf, String)>) -> Result<Vec<PathBuf>, Error> {
    let list = root.join(UNFINISHED_LIST);
    let fail = |source| Error::File { path: list.display().to_string(), source };
    let busy = || Error::Usage(format!("{}: another casebook is writing here; nothing was written", root.display()));
    fs::create_dir_all(root).map_err(fail)?;
    if fs::symlink_metadata(&list).is_ok_and(|meta| !meta.is_file()) {
        return Err(Error::Usage(format!("{}: this is no plain file; nothing was written", list.display())));
    }
    let mut held = fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&list).map_err(fail)?;
    if matches!(held.try_lock(), Err(TryLockError::WouldBlock)) || !list.exists() {
        return Err(busy());
    }
    let written = roll_back(root).and_then(|()| {
        if let Some((path, _)) = files.iter().find(|(path, _)| fs::symlink_metadata(path).is_ok()) {
            return Err(Error::Usage(format!("{}: there is such a file already; nothing was written", path.display())));
        }
        let texts: BTreeMap<String, &String> = files.iter().map(|(path, text)| (key_in_folder(root, path), text)).collect();
        held.set_len(0).and_then(|()| held.write_all(json!(texts).to_string().as_bytes())).and_then(|()| held.sync_all()).map_err(fail)?;
        for (index, (path, text)) in files.iter().enumerate() {
            write_atomic(path, text, never_replace)
                .inspect_err(|_| files[..index].iter().for_each(|(path, _)| drop(fs::remove_file(path))))?;
        }
        Ok(())
    });
    // With this they are there.
    fs::remove_file(&list).map_err(fail)?;
    written.map(|()| files.into_iter().map(|(path, _)| path).collect())
}

/// Takes away what somebody began to write and did not end; what was changed since is somebody's own, and stays.
fn roll_back(root: &Path) -> Result<(), Error> {
    for (key, text) in unfinished_files(root) {
        let path = root.join(&key);
        let plain = Path::new(&key).components().all(|part| matches!(part, Component::Normal(_)));
        if plain && fs::read_to_string(&path).is_ok_and(|there| there == text) {
            fs::remove_file(&path).map_err(|source| Error::File { path: path.display().to_string(), source })?;
        }
    }
    Ok(())
}

/// The key of a file in a folder of data.
fn key_in_folder(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// The folder a path stands in.
fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file of its own name with a text in it; gone again unless it is given its place.
fn write_temp_file(folder: &Path, text: &str) -> std::io::Result<NamedTempFile> {
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
