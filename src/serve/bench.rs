//! The workbench: the data, the rulesets that were asked for last, and the folder of the user's own files.

use crate::author::pack::of_a_variant;
use crate::code::program::Program;
use crate::complaint::{Error, near};
use crate::data::files::{File, Files};
use crate::data::library::{InForce, Library};
use crate::data::save::write_whole;
use crate::data::scenario::Scenario;
use crate::ruleset::compose::Wish;
use crate::ruleset::laws;
use crate::ruling::situation::Situation;
use crate::serve::ask::Ask;
use crate::serve::changes::{lay, put};
use crate::serve::kept::Tables;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Rulesets that are kept ready; each is some megabytes.
const KEPT: usize = 12;

/// A shelf read once, with the rulesets made of it: what one request sees, whatever is saved meanwhile.
pub struct Shelf {
    /// The data.
    pub library: Arc<Library>,
    programs: Mutex<Vec<Arc<Program>>>,
    /// Games under way.
    pub tables: Tables,
}

/// The workbench.
pub struct Bench {
    /// The folder of the user's files, as typed; none for the one the program was started in.
    data: Option<PathBuf>,
    /// Whether something may be written: whoever shows this word may.
    pub token: String,
    shelf: Mutex<Arc<Shelf>>,
    stale: Arc<AtomicBool>,
    /// Sees a saved file; it looks as long as it is kept.
    _watcher: Option<RecommendedWatcher>,
}

impl Shelf {
    /// The data of some files.
    pub fn new(files: Files) -> Shelf {
        Shelf { library: Arc::new(Library::new(files)), programs: Mutex::default(), tables: Tables::default() }
    }

    /// What is in force under a wish, with its code.
    pub fn program(&self, wish: &Wish) -> Result<Arc<Program>, Error> {
        let kept = |list: &mut Vec<Arc<Program>>| {
            let place = list.iter().position(|program| program.ruleset.wish == *wish)?;
            let program = list.remove(place);
            list.push(program.clone());
            Some(program)
        };
        if let Some(program) = kept(&mut self.programs.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(program);
        }
        let (ruleset, _) = laws::enact(&self.library, wish)?;
        let program = Arc::new(Program::new(Arc::new(ruleset)));
        let mut list = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        // Two may have made it at once; both made the same.
        if let Some(program) = kept(&mut list) {
            return Ok(program);
        }
        list.push(program.clone());
        if list.len() > KEPT {
            list.remove(0);
        }
        Ok(program)
    }

    /// What an address asks to be in force. Readings of cases that are not in force are let go: a page that switches a variant off names
    /// them still.
    pub fn in_force(&self, ask: &Ask, asked: InForce) -> Result<Arc<Program>, Error> {
        let wish = ask.wish(&self.library, asked);
        if wish.readings.is_empty() {
            return self.program(&wish);
        }
        let known = self.program(&Wish { readings: Vec::new(), ..wish.clone() })?.ruleset.clone();
        let readings = wish.readings.into_iter().filter(|(name, way)| known.readings.get(name).is_some_and(|first| first != way)).collect();
        self.program(&Wish { readings, ..wish })
    }

    /// The rulebook in force: where the address names no variants, all of them.
    pub fn book(&self, ask: &Ask) -> Result<Arc<Program>, Error> {
        self.library.game(&ask.game)?;
        self.in_force(ask, InForce { with: self.library.together(&ask.game), ..InForce::default() })
    }

    /// The situation of an address, its game filled in where it was left out, with the variants it names for itself.
    pub fn known(&self, ask: &mut Ask) -> Result<InForce, Error> {
        let games: Vec<&String> = self.library.games.keys().filter(|game| ask.game.is_empty() || **game == ask.game).collect();
        if games.is_empty() {
            self.library.game(&ask.game)?;
        }
        let mut names = Vec::new();
        for game in games {
            for (name, variant) in self.library.scenarios(game) {
                if name == ask.situation {
                    ask.game = game.clone();
                    return Ok(self.library.asked_by(game, &name, variant.as_deref()));
                }
                names.push(name);
            }
        }
        let near = near(&ask.situation, names.iter().map(String::as_str));
        Err(Error::Unknown { what: "situation", name: ask.situation.clone(), near })
    }

    /// The situation of an address, with what was changed in it.
    pub fn situation(&self, ask: &mut Ask) -> Result<Situation, Error> {
        let default = self.known(ask)?;
        let program = self.in_force(ask, default)?;
        changed(&program, ask)
    }
}

/// A situation under a ruleset, with what an address changes in it.
pub fn changed(program: &Arc<Program>, ask: &Ask) -> Result<Situation, Error> {
    let mut scenario = Scenario::clone(&*program.ruleset.scenario(&ask.situation)?);
    put(&mut scenario, &program.ruleset.game, &ask.pieces)?;
    lay(&mut scenario, &program.ruleset.game, &ask.changes()?)?;
    scenario.goes_on |= ask.goes_on;
    Situation::new(program, scenario)
}

impl Bench {
    /// A workbench over a folder.
    pub fn new(data: Option<&Path>, token: String) -> Result<Bench, Error> {
        let shelf = Shelf::new(Files::find(data)?.whole());
        let stale = Arc::new(AtomicBool::new(false));
        let mut bench =
            Bench { data: data.map(Path::to_path_buf), token, shelf: Mutex::new(Arc::new(shelf)), stale: stale.clone(), _watcher: None };
        // Where the system does not tell of saved files, what is saved by the workbench itself is seen all the same.
        let seen = move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_))) {
                stale.store(true, Ordering::SeqCst);
            }
        };
        if let Ok(mut watcher) = notify::recommended_watcher(seen) {
            let folders = crate::data::files::TREES.iter().map(|tree| bench.root().join(tree)).filter(|folder| folder.is_dir());
            folders.for_each(|folder| drop(watcher.watch(&folder, RecursiveMode::Recursive)));
            bench._watcher = Some(watcher);
        }
        Ok(bench)
    }

    /// The folder that is written to.
    pub fn root(&self) -> &Path {
        self.data.as_deref().unwrap_or(Path::new("."))
    }

    /// The data as it stands now.
    pub fn shelf(&self) -> Result<Arc<Shelf>, Error> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if self.stale.swap(false, Ordering::SeqCst) {
            *shelf = Arc::new(Shelf::new(Files::find(self.data.as_deref())?.whole()));
        }
        Ok(shelf.clone())
    }

    /// Makes the rulesets of all games ready, so that whoever comes first need not wait.
    pub fn warm(&self) {
        let Ok(shelf) = self.shelf() else { return };
        for game in shelf.library.games.keys() {
            let _ = shelf.book(&Ask { game: game.clone(), ..Ask::default() });
        }
    }

    /// The data as it would stand with a text in the place of a file's.
    pub fn with_text(&self, key: &str, text: &str) -> Result<Shelf, Error> {
        own(key)?;
        let mut files = self.shelf()?.library.shelf.clone();
        let path = files.files.get(key).map_or_else(|| key.to_string(), |file| file.path.clone());
        files.files.insert(key.into(), File { key: key.into(), path, text: text.into() });
        Ok(Shelf::new(files))
    }

    /// Whether a file of the data stands in the user's folder.
    pub fn has(&self, key: &str) -> bool {
        own(key).is_ok() && self.root().join(key).is_file()
    }

    /// Saves a file of a variant of one's own.
    pub fn save(&self, key: &str, text: &str) -> Result<PathBuf, Error> {
        own(key)?;
        let path = self.root().join(key);
        let variant = self.root().join(key.split('/').take(2).collect::<PathBuf>());
        let outside = |_| Error::Usage(format!("{key}: there is no such variant in the data folder; lay it out first"));
        let (root, real) = (self.root().canonicalize().map_err(outside)?, variant.canonicalize().map_err(outside)?);
        // A link in the folder may point anywhere; nothing is written by way of it.
        let there = path.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
        if !real.starts_with(&root) || !there.is_some_and(|folder| folder.starts_with(&real)) || path.is_symlink() {
            return Err(Error::Usage(format!("{key}: this leads out of the data folder; nothing was written")));
        }
        write_whole(&path, text, |_| Ok(()))?;
        self.touched();
        Ok(path)
    }

    /// Something was written: the next request reads the data anew.
    pub fn touched(&self) {
        self.stale.store(true, Ordering::SeqCst);
    }
}

/// Complains of a path that is none of a file of a variant.
fn own(key: &str) -> Result<(), Error> {
    let what = || format!("`{key}` is no file of a variant: variants/NAME/rules/SECTION/CASE.rhai, tables/NAME.yaml, scenarios/NAME.yaml");
    if of_a_variant(key) { Ok(()) } else { Err(Error::Usage(what())) }
}
