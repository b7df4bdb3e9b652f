//! `casebook watch`: resolves a situation again after each save and prints the changes.

use crate::EMBEDDED;
use crate::command::out::Printer;
use crate::command::remedy::error_text;
use casebook_checks::testing::snapshot::diff_lines;
use casebook_engine::complaint::{Complaint, Complaints, Error, Severity};
use casebook_engine::data::files::{DATA_FOLDERS, Files};
use casebook_engine::data::library::Library;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::resolve::{self, ResolveRequest, Ruling, RulingLine};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::{TerminalPage, json_text};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher, event::ModifyKind};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Debounce time: an editor saves in several steps, and has finished after this much silence.
const QUIET_TIME: Duration = Duration::from_millis(15);
/// Maximum delay after the first event, even without silence.
const MAX_WAIT: Duration = Duration::from_millis(45);

/// An outcome that changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WatchedOutcome {
    /// The name of the outcome.
    pub name: String,
    /// The old value; `None` if the outcome is new.
    pub was: Option<Value>,
    /// The new value; `None` if the outcome is gone.
    pub now: Option<Value>,
}

/// A line that was added to or removed from the ruling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineChange {
    /// True for an added line, false for a removed one.
    pub new: bool,
    /// The step of the ruling that contains the line.
    pub step: String,
    /// The line.
    pub line: RulingLine,
}

/// The difference between two rulings on the same situation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RulingDiff {
    /// Outcomes that changed.
    pub results: Vec<WatchedOutcome>,
    /// Lines that changed, in the order of the rulings.
    pub lines: Vec<LineChange>,
}

/// The result of one run.
#[derive(Debug)]
pub enum WatchResult {
    /// The first ruling.
    First(Box<Ruling>),
    /// The difference to the last ruling.
    Changed(RulingDiff),
    /// The data have errors; the last ruling stays the baseline.
    Failed(Error),
}

/// A situation that is resolved repeatedly.
pub struct WatchedSituation<F, G> {
    /// Resolves the situation name and the ruleset spec; called for each run, because both depend on the data.
    pub find: F,
    /// Makes the request with dice and answers, the same for each run.
    pub request: G,
    /// The last completed ruling.
    pub last: Option<Ruling>,
}

impl<F, G> WatchedSituation<F, G>
where
    F: Fn(&Library) -> Result<(String, RulesetSpec), Error>,
    G: Fn() -> ResolveRequest,
{
    /// Resolves the situation on the given data and compares it with the last ruling.
    pub fn run(&mut self, files: Files) -> WatchResult {
        let library = Arc::new(Library::new(files));
        match self.resolve(&library) {
            // An unreadable file makes its situation or variant unknown; the error in it is the one to report.
            Err(Error::Unknown { name, .. } | Error::Misused { name, .. })
                if may_be_unread(&library.complaints, &name) =>
            {
                WatchResult::Failed(Error::Data(library.complaints.clone().into_sorted()))
            }
            Err(error) => WatchResult::Failed(error),
            Ok(ruling) => match self.last.replace(ruling.clone()) {
                Some(last) => WatchResult::Changed(diff(&last, &ruling)),
                None => WatchResult::First(Box::new(ruling)),
            },
        }
    }

    // Exact odds would be computed here after the ruling is shown; `WatchResult` would carry them and `diff` would compare them.
    fn resolve(&self, library: &Arc<Library>) -> Result<Ruling, Error> {
        let (name, spec) = (self.find)(library)?;
        let situation = Situation::load(library, &spec, &name)?;
        Ok(resolve::resolve(&mut situation.machine(), &situation, (self.request)())?.ruling)
    }
}

/// Returns whether a file with an error may be the one that declares a name: a manifest, or a file of that name or of a variant of that name.
fn may_be_unread(complaints: &Complaints, name: &str) -> bool {
    let declares = |complaint: &Complaint| {
        let path = complaint.place.path.replace('\\', "/");
        path.ends_with("/game.yaml")
            || path.ends_with("/variant.yaml")
            || path.ends_with(&format!("/{name}.yaml"))
    };
    complaints
        .0
        .iter()
        .any(|complaint| complaint.severity == Severity::Error && declares(complaint))
}

/// Computes the difference between two rulings.
pub fn diff(old: &Ruling, new: &Ruling) -> RulingDiff {
    let mut results = Vec::new();
    for (name, was) in &old.results {
        let now = new.results.get(name);
        if now != Some(was) {
            results.push(WatchedOutcome {
                name: name.clone(),
                was: Some(was.clone()),
                now: now.cloned(),
            });
        }
    }
    for (name, now) in new
        .results
        .iter()
        .filter(|(name, _)| !old.results.contains_key(*name))
    {
        results.push(WatchedOutcome {
            name: name.clone(),
            was: None,
            now: Some(now.clone()),
        });
    }
    RulingDiff {
        results,
        lines: changed_lines(&lines_by_step(old), &lines_by_step(new)),
    }
}

/// Returns the lines of a ruling, each with the title of its step.
fn lines_by_step(ruling: &Ruling) -> Vec<(&str, &RulingLine)> {
    let lines = ruling
        .steps
        .iter()
        .flat_map(|step| step.lines.iter().map(|line| (step.title.as_str(), line)));
    lines
        .chain(ruling.refused.iter().map(|line| ("Refused", line)))
        .collect()
}

/// Returns the removed and added lines. Changed citations alone make a line different, because another case decides it.
fn changed_lines(old: &[(&str, &RulingLine)], new: &[(&str, &RulingLine)]) -> Vec<LineChange> {
    let text = |list: &[(&str, &RulingLine)]| {
        let flat = |(step, line): &(&str, &RulingLine)| {
            format!("{step}: {} [{}]", line.text, line.cites.join("; ")).replace('\n', " ")
        };
        list.iter().map(flat).collect::<Vec<_>>().join("\n")
    };
    let change = |new: bool, (step, line): (&str, &RulingLine)| LineChange {
        new,
        step: step.into(),
        line: line.clone(),
    };
    let (mut i, mut j, mut changes) = (0, 0, Vec::new());
    for mark in diff_lines(&text(old), &text(new)) {
        let (is_old, is_new) = (!mark.starts_with('+'), !mark.starts_with('-'));
        match (is_old, is_new) {
            (true, false) => changes.push(change(false, old[i])),
            (false, true) => changes.push(change(true, new[j])),
            _ => {}
        }
        (i, j) = (i + usize::from(is_old), j + usize::from(is_new));
    }
    changes
}

impl RulingDiff {
    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        *self == RulingDiff::default()
    }

    /// Formats the difference as text.
    pub fn render(&self, colour: bool) -> String {
        let page = TerminalPage::new(colour);
        let mut out = String::new();
        let text = |value: &Option<Value>| value.as_ref().map_or("nothing".to_string(), json_text);
        let width = self
            .results
            .iter()
            .map(|outcome| outcome.name.chars().count())
            .max()
            .unwrap_or(0);
        for WatchedOutcome { name, was, now } in &self.results {
            let _ = writeln!(
                out,
                "  {name:<width$}  {} -> {}",
                text(was),
                page.paint("1", &text(now))
            );
        }
        let mut step = None;
        for change in &self.lines {
            if step != Some(&change.step) {
                step = Some(&change.step);
                let _ = writeln!(out, "  {}", page.paint("2", &change.step));
            }
            let (sign, code) = if change.new { ("+", "32") } else { ("-", "31") };
            let line = page.line(&format!("{sign} {}", change.line.text), &change.line.cites);
            let _ = writeln!(out, "{}", page.paint(code, line.trim_end()));
        }
        if self.is_empty() {
            out.push_str("  nothing moved\n");
        }
        out
    }
}

/// Formats the result of a run: text, or one line of JSON.
fn render_result(result: &WatchResult, saved: &[String], since: Duration, out: Printer) -> String {
    let ms = since.as_millis() as u64;
    if out.is_json() {
        let value = match result {
            WatchResult::First(ruling) => json!({ "ruling": ruling }),
            WatchResult::Changed(moved) => {
                json!({ "saved": saved, "results": moved.results, "lines": moved.lines, "ms": ms })
            }
            WatchResult::Failed(Error::Data(complaints)) => {
                json!({ "saved": saved, "complaints": complaints.0, "ms": ms })
            }
            WatchResult::Failed(error) => {
                json!({ "saved": saved, "error": error.to_string(), "ms": ms })
            }
        };
        return format!("{value}\n");
    }
    let colour = out.page.colour;
    let time = || {
        out.page
            .paint("36", &format!("{}  {ms} ms", saved.join(", ")))
    };
    let head = if saved.is_empty() {
        String::new()
    } else {
        format!("\n{}\n", time())
    };
    let body = match result {
        WatchResult::First(ruling) => ruling.render_with(out.page, false),
        WatchResult::Changed(moved) => moved.render(colour),
        WatchResult::Failed(Error::Data(complaints)) => out.page.complaints(complaints),
        WatchResult::Failed(error) => format!("  error: {}\n", error_text(error)),
    };
    format!("{head}{body}")
}

/// Watches the data folder and resolves again after each save. Returns only if watching fails or there are no more events.
pub fn watch<F, G>(
    data: Option<&Path>,
    mut watched: WatchedSituation<F, G>,
    out: Printer,
) -> Result<(), Error>
where
    F: Fn(&Library) -> Result<(String, RulesetSpec), Error>,
    G: Fn() -> ResolveRequest,
{
    let root = data.unwrap_or(Path::new("."));
    let (send, receive) = channel();
    let deaf = |error: notify::Error| Error::Usage(format!("files can't be watched here: {error}"));
    let mut watcher = notify::recommended_watcher(send).map_err(deaf)?;
    let trees: Vec<PathBuf> = DATA_FOLDERS.iter().map(|tree| root.join(tree)).collect();
    let present: Vec<&PathBuf> = trees.iter().filter(|tree| tree.is_dir()).collect();
    if present.is_empty() {
        let message = format!(
            "{}: none of {} is here; there is nothing to watch",
            root.display(),
            DATA_FOLDERS.join(", ")
        );
        return Err(Error::Usage(format!(
            "{message}. `casebook new variant NAME` creates a house rule to try"
        )));
    }
    for tree in present {
        watch_path(&mut watcher, tree, RecursiveMode::Recursive)?;
    }
    watch_path(&mut watcher, root, RecursiveMode::NonRecursive)?;
    let first = watched.run(Files::discover(data, EMBEDDED)?.read_all().with_built_in());
    // No saved file makes a wrong argument right, as long as the data is sound.
    if let WatchResult::Failed(
        error @ (Error::Unknown { .. }
        | Error::Misused { .. }
        | Error::Usage(_)
        | Error::Unanswered { .. }),
    ) = first
    {
        return Err(error);
    }
    let hint = if out.is_json() {
        ""
    } else {
        "\nwatching; save a file to see what moves, Ctrl-C ends\n"
    };
    print!("{}{hint}", render_result(&first, &[], Duration::ZERO, out));
    while let Some((events, start)) = next_burst(&receive) {
        for event in events.iter().filter(|event| {
            matches!(
                event.kind,
                EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_))
            )
        }) {
            for tree in event.paths.iter().filter(|path| {
                path.is_dir()
                    && trees
                        .iter()
                        .any(|tree| path.ends_with(tree.file_name().unwrap_or_default()))
            }) {
                watch_path(&mut watcher, tree, RecursiveMode::Recursive)?;
            }
        }
        let saved: BTreeSet<String> = events
            .iter()
            .flat_map(|event| &event.paths)
            .filter(|path| is_data(path))
            .map(|path| display_path(path, root))
            .collect();
        let saved: Vec<String> = saved.into_iter().collect();
        let result = watched.run(Files::discover(data, EMBEDDED)?.read_all().with_built_in());
        // Editors create and delete temporary folders; such events are silent unless they affect the ruling.
        let is_unchanged =
            saved.is_empty() && matches!(&result, WatchResult::Changed(moved) if moved.is_empty());
        if !is_unchanged {
            print!("{}", render_result(&result, &saved, start.elapsed(), out));
        }
    }
    Ok(())
}

fn watch_path(
    watcher: &mut RecommendedWatcher,
    path: &Path,
    mode: RecursiveMode,
) -> Result<(), Error> {
    watcher.watch(path, mode).map_err(|error| {
        Error::Usage(format!(
            "{}: this folder can't be watched: {error}",
            path.display()
        ))
    })
}

/// Waits for an event and collects the burst that follows; returns it with the time of its first event. Returns `None` if the channel is
/// closed.
fn next_burst(receive: &Receiver<notify::Result<Event>>) -> Option<(Vec<Event>, Instant)> {
    let mut events = Vec::new();
    let mut start = None;
    loop {
        let event = match start {
            None => receive.recv().ok()?,
            Some(start) => {
                let time_left = MAX_WAIT
                    .saturating_sub(Instant::elapsed(&start))
                    .min(QUIET_TIME);
                match receive.recv_timeout(time_left) {
                    Ok(event) => event,
                    Err(_) => return Some((events, start)),
                }
            }
        };
        if let Ok(event) = event
            && is_relevant(&event)
        {
            start.get_or_insert_with(Instant::now);
            events.push(event);
        }
    }
}

/// Returns whether an event may concern data. Access events are ignored, because reading the data causes them, too.
fn is_relevant(event: &Event) -> bool {
    let changes = !matches!(
        event.kind,
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_))
    );
    event.need_rescan()
        || changes
            && event
                .paths
                .iter()
                .any(|path| is_data(path) || (path.extension().is_none() && !is_hidden(path)))
}

fn is_data(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end == "yaml" || end == "rhai")
        && !is_hidden(path)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_none_or(|name| name.to_string_lossy().starts_with('.'))
}

/// Formats a path under `root` as the user would type it.
fn display_path(path: &Path, root: &Path) -> String {
    let absolute_root = std::path::absolute(root).unwrap_or_default();
    let below = path
        .strip_prefix(root)
        .or_else(|_| path.strip_prefix(absolute_root));
    below
        .map_or(path.to_path_buf(), |below| {
            if root == Path::new(".") {
                below.into()
            } else {
                root.join(below)
            }
        })
        .display()
        .to_string()
}
