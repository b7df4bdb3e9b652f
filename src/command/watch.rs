//! `casebook watch`: a situation carried out anew whenever a file of the data is saved, and what moved.

use crate::complaint::Error;
use crate::data::files::{Files, TREES};
use crate::data::library::Library;
use crate::ruleset::compose::Wish;
use crate::ruling::page::{Page, plain};
use crate::ruling::resolve::{self, Line, Order, Ruling};
use crate::ruling::situation::Situation;
use crate::testing::difference::compare;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher, event::ModifyKind};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// An editor saves in several strokes; when it has been still for so long, it is done.
const STILL: Duration = Duration::from_millis(15);
/// After so long the ruling is made even if it is not.
const LONGEST: Duration = Duration::from_millis(45);

/// An outcome that is another than before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// What it was; nothing where there was none.
    pub was: Option<Value>,
    /// What it is now.
    pub now: Option<Value>,
}

/// A line of the ruling that is gone or new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Whether it is new; else it is gone.
    pub new: bool,
    /// The part of the ruling it stands in.
    pub step: String,
    /// The line.
    pub line: Line,
}

/// What moved between two rulings on the same situation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Moved {
    /// Outcomes that changed.
    pub results: Vec<Outcome>,
    /// Lines that changed, in the order of the rulings.
    pub lines: Vec<Change>,
}

/// What came of carrying the situation out again.
#[derive(Debug)]
pub enum Seen {
    /// The first ruling.
    First(Box<Ruling>),
    /// A ruling after another.
    Moved(Moved),
    /// The data is at fault; the last ruling is remembered.
    Broken(Error),
}

/// A situation that is carried out again and again.
pub struct Watched<F, G> {
    /// What is meant: the name of the situation and what is to be in force, found anew each time, for both stand in the data.
    pub find: F,
    /// Dice and answers: the same each time.
    pub order: G,
    /// The last ruling that came to an end.
    pub last: Option<Ruling>,
}

impl<F, G> Watched<F, G>
where
    F: Fn(&Library) -> Result<(String, Wish), Error>,
    G: Fn() -> Order,
{
    /// Carries the situation out on the data as it is now.
    pub fn see(&mut self, shelf: Files) -> Seen {
        let library = Arc::new(Library::new(shelf));
        match self.ruled(&library) {
            // A manifest that can't be read takes its variant away; that it is unknown is not what its author has to be told.
            Err(Error::Unknown { .. } | Error::Usage(_)) if library.complaints.any_error() => {
                Seen::Broken(Error::Data(library.complaints.clone().sorted()))
            }
            Err(error) => Seen::Broken(error),
            Ok(ruling) => match self.last.replace(ruling.clone()) {
                Some(last) => Seen::Moved(moved(&last, &ruling)),
                None => Seen::First(Box::new(ruling)),
            },
        }
    }

    // The exact odds belong beside the ruling, reckoned after it is shown: `Seen` is where they would travel, `moved` where they are held
    // against those before.
    fn ruled(&self, library: &Arc<Library>) -> Result<Ruling, Error> {
        let (name, wish) = (self.find)(library)?;
        let situation = Situation::of(library, &wish, &name)?;
        Ok(resolve::resolve(&mut situation.machine(), &situation, (self.order)())?.ruling)
    }
}

/// What moved from one ruling to the next.
pub fn moved(old: &Ruling, new: &Ruling) -> Moved {
    let mut results = Vec::new();
    for (name, was) in &old.results {
        let now = new.results.get(name);
        if now != Some(was) {
            results.push(Outcome { name: name.clone(), was: Some(was.clone()), now: now.cloned() });
        }
    }
    for (name, now) in new.results.iter().filter(|(name, _)| !old.results.contains_key(*name)) {
        results.push(Outcome { name: name.clone(), was: None, now: Some(now.clone()) });
    }
    Moved { results, lines: changed(&lines(old), &lines(new)) }
}

/// The lines of a ruling, each with the part it stands in.
fn lines(ruling: &Ruling) -> Vec<(&str, &Line)> {
    let said = ruling.steps.iter().flat_map(|step| step.lines.iter().map(|line| (step.title.as_str(), line)));
    said.chain(ruling.refused.iter().map(|line| ("Refused", line))).collect()
}

/// The lines that are gone and new. A line of which only the citations changed is another: somebody else decides it now.
fn changed(old: &[(&str, &Line)], new: &[(&str, &Line)]) -> Vec<Change> {
    let text = |list: &[(&str, &Line)]| {
        let flat = |(step, line): &(&str, &Line)| format!("{step}: {} [{}]", line.text, line.cites.join("; ")).replace('\n', " ");
        list.iter().map(flat).collect::<Vec<_>>().join("\n")
    };
    let change = |new: bool, (step, line): (&str, &Line)| Change { new, step: step.into(), line: line.clone() };
    let (mut i, mut j, mut all) = (0, 0, Vec::new());
    for mark in compare(&text(old), &text(new)) {
        let (gone, came) = (!mark.starts_with('+'), !mark.starts_with('-'));
        match (gone, came) {
            (true, false) => all.push(change(false, old[i])),
            (false, true) => all.push(change(true, new[j])),
            _ => {}
        }
        (i, j) = (i + usize::from(gone), j + usize::from(came));
    }
    all
}

impl Moved {
    /// Whether everything is as it was.
    pub fn nothing(&self) -> bool {
        *self == Moved::default()
    }

    /// What moved, as a person reads it.
    pub fn render(&self, colour: bool) -> String {
        let page = Page { colour };
        let mut out = String::new();
        let text = |value: &Option<Value>| value.as_ref().map_or("nothing".to_string(), plain);
        let width = self.results.iter().map(|outcome| outcome.name.chars().count()).max().unwrap_or(0);
        for Outcome { name, was, now } in &self.results {
            let _ = writeln!(out, "  {name:<width$}  {} -> {}", text(was), page.paint("1", &text(now)));
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
        if self.nothing() {
            out.push_str("  nothing moved\n");
        }
        out
    }
}

/// How what is seen is printed.
#[derive(Clone, Copy)]
pub struct Look {
    /// As JSON, a line for each saving.
    pub json: bool,
    /// In colour.
    pub colour: bool,
}

/// What is printed when something was seen.
pub fn shown(seen: &Seen, saved: &[String], since: Duration, look: Look) -> String {
    let ms = since.as_millis() as u64;
    if look.json {
        let value = match seen {
            Seen::First(ruling) => json!({ "ruling": ruling }),
            Seen::Moved(moved) => json!({ "saved": saved, "results": moved.results, "lines": moved.lines, "ms": ms }),
            Seen::Broken(Error::Data(complaints)) => json!({ "saved": saved, "complaints": complaints.0, "ms": ms }),
            Seen::Broken(error) => json!({ "saved": saved, "error": error.to_string(), "ms": ms }),
        };
        return format!("{value}\n");
    }
    let page = Page { colour: look.colour };
    let head =
        if saved.is_empty() { String::new() } else { format!("\n{}\n", page.paint("36", &format!("{}  {ms} ms", saved.join(", ")))) };
    let body = match seen {
        Seen::First(ruling) => ruling.told(look.colour, false),
        Seen::Moved(moved) => moved.render(look.colour),
        Seen::Broken(Error::Data(complaints)) => complaints.render(look.colour),
        Seen::Broken(error) => format!("  error: {error}\n"),
    };
    format!("{head}{body}")
}

/// Watches a folder of data for ever; ends only where nothing can be watched or nobody reads any more.
pub fn watch<F, G>(data: Option<&Path>, mut watched: Watched<F, G>, look: Look) -> Result<(), Error>
where
    F: Fn(&Library) -> Result<(String, Wish), Error>,
    G: Fn() -> Order,
{
    let root = data.unwrap_or(Path::new("."));
    let (send, receive) = channel();
    let deaf = |error: notify::Error| Error::Usage(format!("files can't be watched here: {error}"));
    let mut watcher = notify::recommended_watcher(send).map_err(deaf)?;
    let trees: Vec<PathBuf> = TREES.iter().map(|tree| root.join(tree)).collect();
    let there: Vec<&PathBuf> = trees.iter().filter(|tree| tree.is_dir()).collect();
    if there.is_empty() {
        let what = format!("{}: none of {} is here; there is nothing to watch", root.display(), TREES.join(", "));
        return Err(Error::Usage(format!("{what}. `casebook new variant NAME` lays out a house rule to try")));
    }
    for tree in there {
        listen(&mut watcher, tree, RecursiveMode::Recursive)?;
    }
    listen(&mut watcher, root, RecursiveMode::NonRecursive)?;
    let first = watched.see(Files::find(data)?.whole().beside_built_in());
    let hint = if look.json { "" } else { "\nwatching; save a file to see what moves, Ctrl-C ends\n" };
    print!("{}{hint}", shown(&first, &[], Duration::ZERO, look));
    while let Some((events, start)) = burst(&receive) {
        for event in events.iter().filter(|event| matches!(event.kind, EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)))) {
            for tree in event
                .paths
                .iter()
                .filter(|path| path.is_dir() && trees.iter().any(|tree| path.ends_with(tree.file_name().unwrap_or_default())))
            {
                listen(&mut watcher, tree, RecursiveMode::Recursive)?;
            }
        }
        let saved: BTreeSet<String> =
            events.iter().flat_map(|event| &event.paths).filter(|path| is_data(path)).map(|path| name(path, root)).collect();
        let saved: Vec<String> = saved.into_iter().collect();
        let seen = watched.see(Files::find(data)?.whole().beside_built_in());
        // Folders come and go while an editor saves; only what touches the ruling is worth a line.
        let idle = saved.is_empty() && matches!(&seen, Seen::Moved(moved) if moved.nothing());
        if !idle {
            print!("{}", shown(&seen, &saved, start.elapsed(), look));
        }
    }
    Ok(())
}

fn listen(watcher: &mut RecommendedWatcher, path: &Path, mode: RecursiveMode) -> Result<(), Error> {
    watcher.watch(path, mode).map_err(|error| Error::Usage(format!("{}: this folder can't be watched: {error}", path.display())))
}

/// Waits for events and gathers those that follow at once; none when there will never be any more.
fn burst(receive: &Receiver<notify::Result<Event>>) -> Option<(Vec<Event>, Instant)> {
    let mut events = Vec::new();
    let mut start = None;
    loop {
        let event = match start {
            None => receive.recv().ok()?,
            Some(start) => {
                let left = LONGEST.saturating_sub(Instant::elapsed(&start)).min(STILL);
                match receive.recv_timeout(left) {
                    Ok(event) => event,
                    Err(_) => return Some((events, start)),
                }
            }
        };
        if let Ok(event) = event
            && matters(&event)
        {
            start.get_or_insert_with(Instant::now);
            events.push(event);
        }
    }
}

/// Whether an event may have to do with data. Our own reading makes events, too.
fn matters(event: &Event) -> bool {
    let changes = !matches!(event.kind, EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)));
    event.need_rescan() || changes && event.paths.iter().any(|path| is_data(path) || (path.extension().is_none() && !dotted(path)))
}

fn is_data(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "yaml" || end == "rhai") && !dotted(path)
}

fn dotted(path: &Path) -> bool {
    path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'))
}

/// A path as the user would type it.
fn name(path: &Path, root: &Path) -> String {
    let whole = std::path::absolute(root).unwrap_or_default();
    let below = path.strip_prefix(root).or_else(|_| path.strip_prefix(whole));
    below.map_or(path.to_path_buf(), |below| if root == Path::new(".") { below.into() } else { root.join(below) }).display().to_string()
}
