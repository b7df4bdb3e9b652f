//! The workbench: the data, the rulesets that were asked for last, and the folder of the user's own files.

use crate::author::pack::of_a_variant;
use crate::code::program::Program;
use crate::complaint::{Complaint, Error, Weight, near};
use crate::data::files::{File, Files, TREES};
use crate::data::library::{InForce, Library};
use crate::data::once::held;
use crate::data::save::write_whole;
use crate::data::scenario::Scenario;
use crate::ruleset::compose::Wish;
use crate::ruleset::laws;
use crate::ruling::session::Aside;
use crate::ruling::situation::Situation;
use crate::serve::ask::Ask;
use crate::serve::kept::Tables;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Rulesets that are kept ready; each is some megabytes.
const KEPT: usize = 12;

/// A shelf read once, with the rulesets made of it: what one request sees, whatever is saved meanwhile.
pub struct Shelf {
    /// The data.
    pub library: Arc<Library>,
    programs: Mutex<Vec<Arc<Program>>>,
    /// What was found of wishes that can't be put in force whole.
    halved: Mutex<Vec<(Wish, Halved)>>,
    /// Games under way.
    pub tables: Tables<Aside>,
}

/// A variant that can't be put in force, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Its name.
    pub variant: String,
    /// What is wrong first.
    pub complaint: Complaint,
    /// The file to be mended, where it is one of the user's own.
    pub own: Option<String>,
}

/// As much of a wish as can be put in force, and the variants left out.
#[derive(Clone, Debug)]
struct Halved {
    kept: Wish,
    broken: Vec<Broken>,
}

/// The workbench.
pub struct Bench {
    /// The folder of the user's files, as typed; none for the nearest that holds data.
    data: Option<PathBuf>,
    /// Whether something may be written: whoever shows this word may.
    pub token: String,
    shelf: Mutex<Arc<Shelf>>,
    stale: Arc<AtomicBool>,
    /// Sees a saved file; it looks as long as it is kept.
    watcher: Mutex<Option<RecommendedWatcher>>,
}

impl Shelf {
    /// The data of some files.
    pub fn new(files: Files) -> Shelf {
        Shelf { library: Arc::new(Library::new(files)), programs: Mutex::default(), halved: Mutex::default(), tables: Tables::default() }
    }

    /// What is in force under a wish, with its code.
    pub fn program(&self, wish: &Wish) -> Result<Arc<Program>, Error> {
        let kept = |list: &mut Vec<Arc<Program>>| {
            let place = list.iter().position(|program| program.ruleset.wish == *wish)?;
            let program = list.remove(place);
            list.push(program.clone());
            Some(program)
        };
        if let Some(program) = kept(&mut held(&self.programs)) {
            return Ok(program);
        }
        let (ruleset, _) = laws::enact(&self.library, wish)?;
        let program = Arc::new(Program::new(Arc::new(ruleset)));
        let mut list = held(&self.programs);
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

    /// What an address asks to be in force, without the variants that can't be: one that is faulty is no reason to show nothing. Readings
    /// of cases that are not in force are let go: a page that switches a variant off names them still.
    pub fn in_force(&self, ask: &Ask, asked: InForce) -> Result<Arc<Program>, Error> {
        let wish = ask.wish(&self.library, asked);
        let plain = Wish { readings: Vec::new(), ..wish.clone() };
        let known = match self.program(&plain) {
            Err(Error::Data(_)) if !plain.with.is_empty() => self.program(&self.halved(&plain).kept)?,
            known => known?,
        };
        if wish.readings.is_empty() {
            return Ok(known);
        }
        let chosen = &known.ruleset.readings;
        let readings = wish.readings.into_iter().filter(|(name, way)| chosen.get(name).is_some_and(|first| first != way)).collect();
        self.program(&Wish { readings, ..known.ruleset.wish.clone() })
    }

    /// The variants that an address asks for and that are left out of what is in force.
    pub fn broken(&self, ask: &Ask, asked: InForce) -> Vec<Broken> {
        let wish = Wish { readings: Vec::new(), ..ask.wish(&self.library, asked) };
        let list = held(&self.halved);
        list.iter().find(|(known, _)| *known == wish).map(|(_, halved)| halved.broken.clone()).unwrap_or_default()
    }

    /// As much of a wish as can be put in force: its variants one after another, the user's own last.
    fn halved(&self, wish: &Wish) -> Halved {
        if let Some((_, halved)) = held(&self.halved).iter().find(|(known, _)| known == wish) {
            return halved.clone();
        }
        let root = self.library.shelf.root.as_deref();
        let own = |key: &str| root.is_some_and(|root| root.join(key).is_file());
        let among = |with: &[String]| {
            let with: Vec<String> = wish.with.iter().filter(|name| with.contains(name)).cloned().collect();
            let of = |name: &str| name.split_once('.').is_some_and(|(variant, _)| with.iter().any(|known| known == variant));
            let options = wish.options.iter().filter(|(name, _)| of(name)).cloned().collect();
            Wish { with, options, ..wish.clone() }
        };
        let mut names = wish.with.clone();
        names.sort_by_key(|name| own(&format!("variants/{name}/variant.yaml")));
        let (mut kept, mut broken) = (among(&[]), Vec::new());
        for variant in names {
            let tried = among(&[kept.with.as_slice(), std::slice::from_ref(&variant)].concat());
            match laws::enact(&self.library, &tried) {
                Err(Error::Data(complaints)) => {
                    broken.extend(complaints.0.into_iter().find(|one| one.weight == Weight::Error).map(|complaint| {
                        let file = self.library.shelf.files.values().find(|file| file.path == complaint.place.path);
                        let own = file.map(|file| file.key.clone()).filter(|key| of_a_variant(key) && own(key));
                        Broken { variant, complaint, own }
                    }))
                }
                _ => kept = tried,
            }
        }
        let halved = Halved { kept, broken };
        held(&self.halved).push((wish.clone(), halved.clone()));
        halved
    }

    /// What is in force in the rulebook where the address names no variants: all of them.
    pub fn whole(&self, game: &str) -> InForce {
        InForce { with: self.library.together(game), ..InForce::default() }
    }

    /// The rulebook in force: where the address names no variants, all of them.
    pub fn book(&self, ask: &Ask) -> Result<Arc<Program>, Error> {
        self.library.game(&ask.game)?;
        self.in_force(ask, self.whole(&ask.game))
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
    let mut scenario = ask.overrides()?.laid(&program.ruleset.scenario(&ask.situation)?, &program.ruleset)?;
    if ask.goes_on && !scenario.goes_on {
        scenario = Arc::new(Scenario { goes_on: true, ..Scenario::clone(&scenario) });
    }
    Situation::new(program, scenario)
}

impl Bench {
    /// A workbench over a folder.
    pub fn new(data: Option<&Path>, token: String) -> Result<Bench, Error> {
        let shelf = Shelf::new(Files::find(data)?.whole());
        let stale = Arc::new(AtomicBool::new(false));
        // Where the system does not tell of saved files, what is saved by the workbench itself is seen all the same.
        let seen = {
            let stale = stale.clone();
            let of_data = |path: &PathBuf| TREES.iter().any(|tree| path.iter().any(|part| part == *tree));
            move |event: notify::Result<notify::Event>| {
                if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(of_data)) {
                    stale.store(true, Ordering::SeqCst);
                }
            }
        };
        let watcher = Mutex::new(notify::recommended_watcher(seen).ok());
        let bench = Bench { data: data.map(Path::to_path_buf), token, shelf: Mutex::new(Arc::new(shelf)), stale, watcher };
        bench.watch();
        Ok(bench)
    }

    /// Looks at the folders of data there are now, and whether there come others.
    fn watch(&self) {
        let (root, mut watcher) = (self.root(), held(&self.watcher));
        let Some(watcher) = watcher.as_mut() else { return };
        let _ = watcher.watch(&root, RecursiveMode::NonRecursive);
        let folders = TREES.iter().map(|tree| root.join(tree)).filter(|folder| folder.is_dir());
        folders.for_each(|folder| drop(watcher.watch(&folder, RecursiveMode::Recursive)));
    }

    /// The folder that is written to: where the data lie, or where the program was started if there are none yet.
    pub fn root(&self) -> PathBuf {
        let shelf = held(&self.shelf);
        shelf.library.shelf.root.clone().unwrap_or_else(|| PathBuf::from("."))
    }

    /// The data as it stands now.
    pub fn shelf(&self) -> Result<Arc<Shelf>, Error> {
        let mut shelf = held(&self.shelf);
        if !self.stale.swap(false, Ordering::SeqCst) {
            return Ok(shelf.clone());
        }
        *shelf = Arc::new(Shelf::new(Files::find(self.data.as_deref())?.whole()));
        let now = shelf.clone();
        drop(shelf);
        self.watch();
        Ok(now)
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

    /// Saves a file of a variant of one's own; where it is known what `was` in it, nothing that was written meanwhile is lost.
    pub fn save(&self, key: &str, text: &str, was: Option<&str>) -> Result<PathBuf, Error> {
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
        let other = was.is_some_and(|was| std::fs::read_to_string(&path).is_ok_and(|there| there != was));
        if other {
            return Err(Error::Usage(format!("{key} was changed elsewhere since it was opened here; nothing was written")));
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
