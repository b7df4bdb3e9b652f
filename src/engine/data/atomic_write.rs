//! Changes of files as one step: through temporary files in the same folder, and a list of what is unfinished.

use crate::complaint::{Error, describe_io_error};
use crate::data::cache::lock_unpoisoned;
use crate::data::folder_lock::{FolderLock, sync_folder};
use crate::data::regular_file::{is_behind_link, open_file, read_bytes};
use crate::data::text_file::{MAX_TOTAL_SIZE, PlannedChange, invisible_fault, shown_text};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata, Permissions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::{Builder, NamedTempFile};

/// Writers of this process take turns. It holds the folders in which files left by a writer that was killed were looked for.
static WRITING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How the name of a temporary file begins and ends.
const TEMPORARY: (&str, &str) = (".casebook-", ".tmp");

/// A change that was found to be possible, with its new text in a temporary file of the same folder.
struct StagedChange<'a> {
    path: &'a Path,
    /// The text, and who may do what with the file; `None` if there is none.
    old: Option<(String, Permissions)>,
    /// The new text; `None` removes the file.
    new: Option<Vec<u8>>,
    temp_file: Option<NamedTempFile<File>>,
}

/// Makes changes of files as one step, which no other writer comes between: all of them, or none if one fails or the process is killed.
/// Several changes need the data folder in which they lie, for the list of what is unfinished.
pub fn commit(root: Option<&Path>, changes: &[PlannedChange]) -> Result<(), Error> {
    let mut cleaned = lock_unpoisoned(&WRITING);
    if let Some(root) = root {
        fs::create_dir_all(root).map_err(|source| unwritten(root, source))?;
    }
    let folders: BTreeSet<&Path> = changes
        .iter()
        .map(|(path, _)| parent_folder(path))
        .collect();
    // All writers lock in the same order, which prevents deadlocks.
    let locks = root
        .into_iter()
        .chain(folders.iter().copied().filter(|folder| folder.is_dir()));
    let _locks = locks
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|folder| {
            let lock = FolderLock::take(folder)?;
            let home = folder
                .canonicalize()
                .map_err(|source| unwritten(folder, source))?;
            if lock.holds_back_others() && cleaned.insert(home) {
                remove_left_files(folder);
            }
            Ok(lock)
        })
        .collect::<Result<Vec<_>, Error>>()?;
    if let Some(root) = root {
        roll_back(root)?;
    }
    let mut staged = changes
        .iter()
        .map(|change| check_change(root, change))
        .collect::<Result<Vec<_>, Error>>()?;
    staged.retain(|change| {
        change.old.as_ref().map(|(text, _)| text.as_bytes()) != change.new.as_deref()
    });
    let Err(error) = make(root, &folders, &mut staged) else {
        return Ok(());
    };
    drop(staged);
    let Some(root) = root else {
        return Err(error);
    };
    match roll_back(root) {
        Ok(()) => Err(error),
        Err(undone) => Err(Error::Usage(format!(
            "{}; some files are changed, and could not be put back: {undone}",
            error.to_string().trim_end_matches(NOTHING_WRITTEN)
        ))),
    }
}

/// Makes changes that were found to be possible; if it fails, some may be made, and the list says which were begun.
fn make(
    root: Option<&Path>,
    folders: &BTreeSet<&Path>,
    staged: &mut [StagedChange],
) -> Result<(), Error> {
    for change in &mut *staged {
        change
            .stage(root)
            .map_err(|source| unwritten(change.path, source))?;
    }
    let list = root.filter(|_| staged.len() > 1);
    if let Some(root) = list {
        write_list(root, staged).map_err(|source| unwritten(root, source))?;
    }
    for change in staged {
        change
            .apply()
            .map_err(|source| unwritten(change.path, source))?;
    }
    for folder in folders {
        if let Some(root) = root {
            // The folders that all data folders have stay.
            let key = key_in_folder(root, folder);
            remove_empty(
                folder,
                &root.join(key.split('/').next().unwrap_or_default()),
            );
        }
        // A new folder is a name in the one above it.
        folder.ancestors().take(2).for_each(sync_folder);
    }
    if let Some(root) = list {
        let list = root.join(UNFINISHED_LIST);
        step()
            .and_then(|()| fs::remove_file(&list))
            .map_err(|source| unwritten(&list, source))?;
        sync_folder(root);
    }
    Ok(())
}

/// How a message ends after which all files are as they were.
const NOTHING_WRITTEN: &str = "; nothing was written";

fn refusal(path: &Path, reason: &str) -> Error {
    Error::Usage(format!("{}: {reason}{NOTHING_WRITTEN}", path.display()))
}

fn failure(path: &Path, source: std::io::Error) -> Error {
    let path = path.display().to_string();
    Error::File { path, source }
}

fn unwritten(path: &Path, source: std::io::Error) -> Error {
    let reason = format!("{}{NOTHING_WRITTEN}", describe_io_error(&source));
    failure(path, std::io::Error::other(reason))
}

/// Returns what a change makes of a file, or fails with the reason why the file must stay.
fn check_change<'a>(
    root: Option<&Path>,
    (path, change): &'a PlannedChange,
) -> Result<StagedChange<'a>, Error> {
    let refuse = |reason: &str| Err(refusal(path, reason));
    if let Some(root) = root {
        check_path(root, &key_in_folder(root, path))?;
    }
    // `symlink_metadata` inspects the link itself, not its target.
    let permissions = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(unwritten(path, error)),
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
    let text = text_of(path);
    if root.is_some() && permissions.is_some() && text.is_none() {
        return refuse("this is not text in UTF-8");
    }
    let old = permissions.map(|permissions| (text.unwrap_or_default(), permissions));
    match change(old.as_ref().map(|(text, _)| text.as_str())) {
        Ok(new) => {
            let seen = new.as_deref().and_then(|new| std::str::from_utf8(new).ok());
            if let Some(defect) = seen.and_then(|text| invisible_fault(shown_text(text).as_ref())) {
                return refuse(&defect.to_string());
            }
            Ok(StagedChange {
                path,
                old,
                new,
                temp_file: None,
            })
        }
        Err(reason) => refuse(&reason),
    }
}

impl StagedChange<'_> {
    /// Writes the new text to a temporary file, which fails if there is no room for it.
    fn stage(&mut self, root: Option<&Path>) -> std::io::Result<()> {
        step()?;
        let Some(new) = &self.new else {
            return Ok(());
        };
        let folder = root.unwrap_or(parent_folder(self.path));
        fs::create_dir_all(folder)?;
        let mut temp_file = new_temp_file(folder)?;
        temp_file.write_all(new)?;
        temp_file.as_file().sync_all()?;
        if let Some((_, permissions)) = &self.old {
            fs::set_permissions(temp_file.path(), permissions.clone())?;
        }
        self.temp_file = Some(temp_file);
        Ok(())
    }

    /// Puts the new text in the place of the old one.
    fn apply(&mut self) -> std::io::Result<()> {
        step()?;
        fs::create_dir_all(parent_folder(self.path))?;
        match (self.temp_file.take(), &self.old) {
            (None, _) => fs::remove_file(self.path),
            // Another program may have created the file meanwhile.
            (Some(temp_file), None) => temp_file
                .persist_noclobber(self.path)
                .map(drop)
                .map_err(|error| error.error),
            (Some(temp_file), _) => temp_file
                .persist(self.path)
                .map(drop)
                .map_err(|error| error.error),
        }
    }
}

/// Comes before every step that changes the disk: tests end the program there, or let the step fail.
fn step() -> std::io::Result<()> {
    #[cfg(debug_assertions)]
    {
        static STEPS: AtomicUsize = AtomicUsize::new(0);
        let step = STEPS.fetch_add(1, Ordering::Relaxed).to_string();
        let is_set = |name: &str| std::env::var(name).is_ok_and(|at| at == step);
        if is_set("CASEBOOK_ABORT_AT") {
            std::process::abort();
        }
        if is_set("CASEBOOK_FAIL_AT") {
            return Err(ErrorKind::StorageFull.into());
        }
    }
    Ok(())
}

/// Returns whether there is a file, and no folder, pipe or device, at a path.
pub fn has_file(path: &Path) -> bool {
    path.is_file()
}

/// Returns the text of a file; `None` if it can't be read as one.
fn text_of(path: &Path) -> Option<String> {
    String::from_utf8(read_bytes(path, MAX_TOTAL_SIZE).ok()?).ok()
}

/// Fails if a file would lie outside the data folder: its path has `..` or goes through a link.
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

/// List of several changes that are being made: its seal, and the files with their texts before and after. While it is there, the changes
/// are not made: the next process that opens the folder undoes what a killed writer has done.
pub const UNFINISHED_LIST: &str = ".casebook-unfinished";

/// The texts of files before and after a change, by key; `None` where there is no file.
type UnfinishedTexts = BTreeMap<String, (Option<String>, Option<String>)>;

/// Longest first line of a list.
const MAX_SEAL: u64 = 100;

/// Returns what can't be known of a file before it is created; it tells a list that was written in this folder from one that was copied with it.
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
    let or_empty = |part: Option<String>| part.unwrap_or_default();
    (born.is_some() || number.is_some()).then(|| {
        format!(
            "casebook {} {}\n",
            or_empty(number.map(|n| n.to_string())),
            or_empty(born.map(|n| n.to_string()))
        )
    })
}

/// Returns what an unfinished list says. Fails with the reason why it is not trusted: it names files that are replaced and removed, so it
/// must be of this program and of this place.
fn unfinished_texts(path: &Path) -> Result<UnfinishedTexts, String> {
    match fs::symlink_metadata(path) {
        Err(_) => return Ok(BTreeMap::new()),
        Ok(meta) if !meta.is_file() => return Err("this is not a plain file".into()),
        Ok(_) => {}
    }
    let cannot_read = |error: std::io::Error| format!("this can't be read: {error}");
    let file = open_file(path, MAX_TOTAL_SIZE).map_err(cannot_read)?;
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

/// Writes the list of several changes, under the seal of its own file.
fn write_list(root: &Path, changes: &[StagedChange]) -> std::io::Result<()> {
    step()?;
    let text_of_change = |change: &StagedChange| {
        let new = change
            .new
            .as_ref()
            .map(|new| String::from_utf8_lossy(new).into_owned());
        let old = change.old.as_ref().map(|(old, _)| old.clone());
        (key_in_folder(root, change.path), (old, new))
    };
    let texts: UnfinishedTexts = changes.iter().map(text_of_change).collect();
    let mut file = new_temp_file(root)?;
    let head = seal(&file.as_file().metadata()?).unwrap_or_else(|| "casebook\n".into());
    file.write_all(format!("{head}{}", json!(texts)).as_bytes())?;
    file.as_file().sync_all()?;
    file.persist_noclobber(root.join(UNFINISHED_LIST))
        .map_err(|error| error.error)?;
    sync_folder(root);
    Ok(())
}

/// Removes a folder and those above it as far as they are empty, up to one that stays.
fn remove_empty(folder: &Path, kept_folder: &Path) {
    let _ = folder
        .ancestors()
        .take_while(|folder| *folder != kept_folder)
        .try_for_each(fs::remove_dir);
}

/// Removes a file that is not of the user's data, such as a page of a rulebook.
pub fn remove_file(path: &Path) -> Result<(), Error> {
    fs::remove_file(path).map_err(|source| unwritten(path, source))
}

/// Takes back what a writer that was killed has done in a data folder; a file whose text has changed since is kept. Fails if the list is not
/// trusted.
pub fn recover(root: &Path) -> Result<(), Error> {
    if fs::symlink_metadata(root.join(UNFINISHED_LIST)).is_err() {
        return Ok(());
    }
    let _writing = lock_unpoisoned(&WRITING);
    let _lock = FolderLock::take(root)?;
    roll_back(root)
}

/// Takes back the changes of a list, in a folder that is locked, and removes it.
fn roll_back(root: &Path) -> Result<(), Error> {
    let list = root.join(UNFINISHED_LIST);
    let texts = unfinished_texts(&list)
        .map_err(|reason| refusal(&list, &format!("{reason}; look at it, and remove it")))?;
    for (key, (old, new)) in &texts {
        let path = root.join(key);
        let is_made = match new {
            Some(new) => has_text(&path, new),
            None => fs::symlink_metadata(&path).is_err(),
        };
        if check_path(root, key).is_err() {
            continue;
        }
        if is_made && old != new {
            let now = fs::metadata(&path).ok();
            let mut undo = StagedChange {
                path: &path,
                old: now.map(|now| (String::new(), now.permissions())),
                new: old.clone().map(String::into_bytes),
                temp_file: None,
            };
            undo.stage(Some(root))
                .and_then(|()| undo.apply())
                .map_err(|source| failure(&path, source))?;
        }
        remove_empty(parent_folder(&path), root);
    }
    match fs::remove_file(&list) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(failure(&list, source)),
        _ => Ok(()),
    }
}

/// Returns whether a file has exactly this text.
fn has_text(path: &Path, text: &str) -> bool {
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
