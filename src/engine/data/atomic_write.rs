//! Atomic file writes through a temporary file in the same folder.

use crate::complaint::Error;
use crate::data::cache::lock_unpoisoned;
use crate::data::folder_lock::FolderLock;
use crate::data::regular_file::{is_behind_link, open_file, read_bytes};
use crate::data::text_file::MAX_TOTAL_SIZE;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata, Permissions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;
use tempfile::{Builder, NamedTempFile};

/// Writers of this process take turns. It holds the folders in which files left by a writer that was killed were looked for.
static WRITING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How the name of a temporary file begins and ends.
const TEMPORARY: (&str, &str) = (".casebook-", ".tmp");

/// Writes a file atomically: a reader sees the old text or the whole new text. If the file exists, `replace` receives its text ("" if it is
/// not UTF-8) and returns the reason why it must stay; no other writer comes between what it sees and what is written. Links, devices and
/// read-only files are never replaced. Fails with the path and the reason.
pub fn write_atomic(
    path: &Path,
    text: impl AsRef<[u8]>,
    replace: impl Fn(&str) -> Result<(), String>,
) -> Result<(), Error> {
    change_file(path, |old| {
        old.map_or(Ok(()), &replace)
            .map(|()| text.as_ref().to_vec())
    })
}

/// Writes what `change` makes of a file's text (`None` if there is no file) as one step that no other writer comes between. Fails if
/// `change` returns a reason why the file must stay.
pub fn change_file(
    path: &Path,
    change: impl Fn(Option<&str>) -> Result<Vec<u8>, String>,
) -> Result<(), Error> {
    let mut cleaned = lock_unpoisoned(&WRITING);
    change_in_turn(path, &mut cleaned, change)
}

fn change_in_turn(
    path: &Path,
    cleaned: &mut BTreeSet<PathBuf>,
    change: impl Fn(Option<&str>) -> Result<Vec<u8>, String>,
) -> Result<(), Error> {
    let folder = parent_folder(path);
    let fail = |source| Error::File {
        path: path.display().to_string(),
        source,
    };
    if !folder.exists() {
        // A file that must not be there leaves no folder behind either.
        change(None).map_err(|reason| refusal(path, &reason))?;
        fs::create_dir_all(folder).map_err(fail)?;
    }
    let lock = FolderLock::take(folder)?;
    if lock.holds_back_others() && cleaned.insert(folder.canonicalize().map_err(fail)?) {
        remove_left_files(folder);
    }
    change_locked(path, &change)
}

fn refusal(path: &Path, reason: &str) -> Error {
    Error::Usage(format!("{}: {reason}; nothing was written", path.display()))
}

/// Makes the new contents of a file from the old text, or says why not.
type TextChange<'a> = &'a dyn Fn(Option<&str>) -> Result<Vec<u8>, String>;

/// Changes a file of a folder that is locked.
fn change_locked(path: &Path, change: TextChange) -> Result<(), Error> {
    let fail = |source| Error::File {
        path: path.display().to_string(),
        source,
    };
    let refuse = |reason: &str| Err(refusal(path, reason));
    // `symlink_metadata` inspects the link itself, not its target.
    let permissions = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(fail(error)),
        Ok(metadata) if metadata.is_symlink() => {
            return refuse("this is a link; name the file it leads to");
        }
        Ok(metadata) if metadata.is_dir() => return refuse("this is a folder"),
        Ok(metadata) if !metadata.is_file() => {
            return refuse("this is a device or a pipe, not a file");
        }
        Ok(metadata) => Some(metadata.permissions()),
    };
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return refuse("this file may not be written");
    }
    let old = permissions.is_some().then(|| text_of(path));
    let text = match change(old.as_deref()) {
        Ok(text) => text,
        Err(reason) => return refuse(&reason),
    };
    let mut temp_file = new_temp_file(parent_folder(path)).map_err(fail)?;
    temp_file
        .write_all(&text)
        .and_then(|()| temp_file.as_file().sync_all())
        .map_err(fail)?;
    let persisted = match permissions {
        None => match temp_file.persist_noclobber(path) {
            // Another program created the file meanwhile, so `change` has to see its text.
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                return change_locked(path, change);
            }
            other => other,
        },
        Some(permissions) => {
            fs::set_permissions(temp_file.path(), permissions).map_err(fail)?;
            temp_file.persist(path)
        }
    };
    persisted.map(drop).map_err(|error| fail(error.error))
}

/// Returns whether there is a file, and no folder, pipe or device, at a path.
pub fn has_file(path: &Path) -> bool {
    path.is_file()
}

/// Returns a text that is read to be replaced; "" if it is none.
fn text_of(path: &Path) -> String {
    read_bytes(path, MAX_TOTAL_SIZE)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default()
}

/// Fails if a file would lie outside the data folder: its path has `..`, or a link stands on the way.
fn check_path(root: &Path, key: &str) -> Result<(), Error> {
    let plain = Path::new(key)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    match plain && !is_behind_link(root, &root.join(key)) {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "{key}: this leads out of the data folder, by a link; nothing was written"
        ))),
    }
}

/// Fails if a file of a variant would lie outside the data folder, by a link for instance, or if there is no such variant.
pub fn check_inside(root: &Path, key: &str) -> Result<(), Error> {
    check_path(root, key)?;
    match root
        .join(key.split('/').take(2).collect::<PathBuf>())
        .is_dir()
    {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "{key}: there is no such variant in the data folder; create it first"
        ))),
    }
}

/// A `replace` callback for [`write_atomic`] that keeps every existing file.
pub fn never_replace(_: &str) -> Result<(), String> {
    Err("this file exists already".into())
}

/// Writes a file below the data folder, which is replaced if it exists; fails if a link would lead it elsewhere.
pub fn write_below(root: &Path, path: &Path, text: &str) -> Result<(), Error> {
    check_path(root, &key_in_folder(root, path))?;
    write_atomic(path, text, |_| Ok(()))
}

/// List of a multi-file write: its seal, and the unfinished files with their texts. Readers ignore listed files, so all of them appear at
/// once when the list is removed, and none appears if the writer was interrupted.
pub const UNFINISHED_LIST: &str = ".casebook-unfinished";

/// Longest first line of a list.
const MAX_SEAL: u64 = 100;

/// Returns what nobody can know of a file before it is created, so that a list that came with a folder is told from one written in it.
fn seal(list: &Metadata) -> Option<String> {
    let born = list
        .created()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map(|time| time.as_nanos());
    #[cfg(unix)]
    let number = Some(std::os::unix::fs::MetadataExt::ino(list));
    #[cfg(not(unix))]
    let number: Option<u64> = None;
    let known = |part: Option<String>| part.unwrap_or_default();
    (born.is_some() || number.is_some()).then(|| {
        format!(
            "casebook {} {}\n",
            known(number.map(|n| n.to_string())),
            known(born.map(|n| n.to_string()))
        )
    })
}

/// Returns the files that an unfinished write lists, as key to text. Fails with the reason why a list is not trusted: it names files that
/// are hidden from readers and removed by the next writer, so it must be of this program and of this place.
pub fn unfinished_files(root: &Path) -> Result<BTreeMap<String, String>, String> {
    let path = root.join(UNFINISHED_LIST);
    match fs::symlink_metadata(&path) {
        Err(_) => return Ok(BTreeMap::new()),
        Ok(meta) if !meta.is_file() => return Err("this is not a plain file".into()),
        // A program that was killed before it wrote anything.
        Ok(meta) if meta.len() == 0 => return Ok(BTreeMap::new()),
        Ok(_) => {}
    }
    let cannot_read = |error: std::io::Error| format!("this can't be read: {error}");
    let file = open_file(&path, MAX_TOTAL_SIZE).map_err(cannot_read)?;
    let expected = file.metadata().ok().and_then(|meta| seal(&meta));
    let mut reader = BufReader::new(file.take(MAX_TOTAL_SIZE));
    let mut first = Vec::new();
    reader
        .by_ref()
        .take(MAX_SEAL)
        .read_until(b'\n', &mut first)
        .map_err(cannot_read)?;
    if expected.is_none_or(|expected| expected.as_bytes() != first) {
        return Err("this list of unfinished files was not written here by casebook".into());
    }
    serde_json::from_reader(reader)
        .map_err(|error| format!("this list of unfinished files is damaged: {error}"))
}

/// Writes new files into a data folder, all or none, even if the process is interrupted. Never overwrites a file: fails with the first one
/// that exists.
pub fn write_new(root: &Path, files: Vec<(PathBuf, String)>) -> Result<Vec<PathBuf>, Error> {
    let list = root.join(UNFINISHED_LIST);
    let fail = |source| Error::File {
        path: list.display().to_string(),
        source,
    };
    let mut cleaned = lock_unpoisoned(&WRITING);
    fs::create_dir_all(root).map_err(fail)?;
    let _lock = FolderLock::take(root)?;
    roll_back(root, &list)?;
    for (path, _) in &files {
        check_path(root, &key_in_folder(root, path))?;
        if fs::symlink_metadata(path).is_ok() {
            return Err(Error::Usage(format!(
                "{}: this file exists already; nothing was written",
                path.display()
            )));
        }
    }
    write_list(root, &list, &files).map_err(fail)?;
    let write = |(index, (path, text)): (usize, &(PathBuf, String))| {
        let new = |old: Option<&str>| {
            old.map_or(Ok(()), never_replace)
                .map(|()| text.as_bytes().to_vec())
        };
        let written = if parent_folder(path) == root {
            change_locked(path, &new)
        } else {
            change_in_turn(path, &mut cleaned, new)
        };
        written.inspect_err(|_| {
            files[..index]
                .iter()
                .for_each(|(path, _)| drop(remove_file(path, root)))
        })
    };
    let written = files.iter().enumerate().try_for_each(write);
    // Removing the list commits the write.
    fs::remove_file(&list).map_err(fail)?;
    written.map(|()| files.into_iter().map(|(path, _)| path).collect())
}

/// Writes the list of a multi-file write, under the seal of its own file.
fn write_list(root: &Path, list: &Path, files: &[(PathBuf, String)]) -> std::io::Result<()> {
    let texts: BTreeMap<String, &String> = files
        .iter()
        .map(|(path, text)| (key_in_folder(root, path), text))
        .collect();
    let mut file = new_temp_file(root)?;
    let head = seal(&file.as_file().metadata()?).unwrap_or_else(|| "casebook\n".into());
    file.write_all(format!("{head}{}", json!(texts)).as_bytes())?;
    file.as_file().sync_all()?;
    file.persist_noclobber(list)
        .map(drop)
        .map_err(|error| error.error)
}

/// Removes a file, and the folders that it leaves empty, up to a folder that stays.
pub fn remove_file(path: &Path, kept_folder: &Path) -> Result<(), Error> {
    fs::remove_file(path).map_err(|source| Error::File {
        path: path.display().to_string(),
        source,
    })?;
    // A folder that is not empty is not removed, and ends the climb.
    let _ = path
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != kept_folder)
        .try_for_each(fs::remove_dir);
    Ok(())
}

/// Removes the files of an interrupted write and its list; a file whose text has changed since is kept. Fails if the list is not trusted.
fn roll_back(root: &Path, list: &Path) -> Result<(), Error> {
    let refuse = |reason: String| {
        Error::Usage(format!(
            "{}: {reason}; look at it, and remove it; nothing was written",
            list.display()
        ))
    };
    for (key, text) in unfinished_files(root).map_err(refuse)? {
        let path = root.join(&key);
        if check_path(root, &key).is_ok() && has_text(&path, &text) {
            remove_file(&path, root)?;
        }
    }
    match fs::remove_file(list) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::File {
            path: list.display().to_string(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Returns whether a file has exactly this text.
pub fn has_text(path: &Path, text: &str) -> bool {
    read_bytes(path, text.len() as u64).is_ok_and(|bytes| bytes == text.as_bytes())
}

/// Removes the temporary files that a killed writer left in a folder, which is locked.
fn remove_left_files(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_temporary = name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1);
        if is_temporary && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the key of a file in a data folder.
fn key_in_folder(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .to_string_lossy()
        .replace('\\', "/")
}

fn parent_folder(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Creates a temporary file; it is deleted on drop unless persisted.
fn new_temp_file(folder: &Path) -> std::io::Result<NamedTempFile<File>> {
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    // Temporary files are private by default; the result gets the usual permissions.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
