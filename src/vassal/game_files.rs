//! A saved game with its module and the map of it: opened as a situation, and written after what was done to its counters.

use crate::archive::Archive;
use crate::counter_moves::CounterMoves;
use crate::export::{SavedModule, export};
use crate::game_log::{CounterSteps, log_file, save_file};
use crate::import::{GameImport, ImportedGame};
use crate::mapping::ModuleMapping;
use crate::module::VassalModule;
use crate::saved_game::SavedGame;
use casebook_engine::complaint::Error;
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::text_file::read_text;
use casebook_engine::ruling::resolve::ResolvedRuling;
use casebook_engine::ruling::situation::Situation;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A saved game with its module and the map of it.
pub struct GameFiles {
    pub saved: SavedGame,
    pub module: VassalModule,
    /// The map of the module.
    pub mapping: ModuleMapping,
    /// Who looks at it: an owner of hidden pieces; empty for a stranger.
    pub seen_by: String,
}

impl GameFiles {
    /// Makes the module of a situation, and its set-up as a saved game.
    pub fn of_situation(situation: &Situation) -> Result<GameFiles, Error> {
        let exported = export(situation, &situation.scenario.name)?;
        let archive = |name: &str, bytes: Vec<u8>| Archive::new(name, Box::new(Cursor::new(bytes)));
        Ok(GameFiles {
            saved: SavedGame::read(archive("(set-up)", exported.vsav)?, None)?,
            module: VassalModule::read(archive("(module)", exported.vmod)?)?,
            mapping: ModuleMapping::read("(module map)", exported.map_yaml)?,
            seen_by: String::new(),
        })
    }

    /// Returns what makes a situation of it.
    pub fn import(&self) -> GameImport<'_> {
        GameImport {
            saved: &self.saved,
            module: &self.module,
            mapping: &self.mapping,
            viewer: &self.seen_by,
        }
    }

    /// Returns what a ruling on the situation made of it does to its counters. A set-up of ours that can't be read back still gives the lines.
    fn steps(
        &self,
        library: &Arc<Library>,
        situation: &Situation,
        resolved: &ResolvedRuling,
    ) -> Result<CounterSteps, Error> {
        let import = self.import();
        let counters = match import.run(library, &situation.scenario.name) {
            Ok(imported) => imported.counters,
            Err(_) if self.is_own(situation) => Default::default(),
            Err(error) => return Err(error),
        };
        let (steps, by_hand) =
            CounterMoves::new(situation, &import, &counters).steps(situation, resolved)?;
        Ok(CounterSteps { steps, by_hand })
    }

    /// Returns whether the module is the one that is made of a situation.
    fn is_own(&self, situation: &Situation) -> bool {
        self.mapping.like == situation.scenario.name && self.module.name == situation.scenario.title
    }

    fn saved_module(&self) -> SavedModule {
        SavedModule {
            name: self.saved.module.clone(),
            version: self.saved.version.clone(),
        }
    }

    /// Makes a `.vlog` file: the saved game, and a ruling on it step by step.
    pub fn log(
        &self,
        library: &Arc<Library>,
        situation: &Situation,
        resolved: &ResolvedRuling,
    ) -> Result<Vec<u8>, Error> {
        let steps = self.steps(library, situation, resolved)?;
        log_file(
            &self.saved.text,
            &self.saved_module(),
            &resolved.ruling,
            steps,
        )
    }

    /// Makes a `.vsav` file of the saved game as a ruling leaves it; with what no counter shows.
    pub fn saved_after(
        &self,
        library: &Arc<Library>,
        situation: &Situation,
        resolved: &ResolvedRuling,
    ) -> Result<(Vec<u8>, Vec<String>), Error> {
        let CounterSteps { steps, by_hand } = self.steps(library, situation, resolved)?;
        let parts: Vec<String> = steps.into_iter().flatten().collect();
        Ok((
            save_file(&self.saved.text, &self.saved_module(), parts)?,
            by_hand,
        ))
    }
}

/// Makes the situation file of a saved game.
pub fn situation_file(imported: &ImportedGame, path: &str) -> DataFile {
    let key = format!("scenarios/{}/{}.yaml", imported.game, imported.name);
    DataFile {
        key,
        path: format!("({path} as a situation)"),
        text: imported.yaml.as_str().into(),
    }
}

/// Opens the module of a saved game, if it is the only one of its name beside a file.
pub fn module_beside(path: &Path, saved: &SavedGame) -> Option<VassalModule> {
    let is_its =
        |module: &Path| VassalModule::open(module).is_ok_and(|module| module.name == saved.module);
    VassalModule::open(&beside(path, "vmod", &is_its)?).ok()
}

/// Opens the map of a module, if it is the only one beside a file.
pub fn map_beside(path: &Path, module: &VassalModule) -> Option<ModuleMapping> {
    let is_its = |map: &Path| is_map_of(map, &module.name);
    ModuleMapping::open(&beside(path, "yaml", &is_its)?).ok()
}

/// Finds the only file beside another that has an ending and fits.
fn beside(path: &Path, ending: &str, fits: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let files = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let mut matches: Vec<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|end| end == ending) && fits(file))
        .collect();
    matches.sort();
    if matches.len() == 1 {
        matches.pop()
    } else {
        None
    }
}

/// Returns whether a file is the map of a module.
fn is_map_of(path: &Path, module: &str) -> bool {
    let text = read_text(path).unwrap_or_default();
    text.starts_with("module_map:")
        && ModuleMapping::read("", text).is_ok_and(|mapping| mapping.module == module)
}

/// Makes a plain name of any text.
pub fn plain_name(text: &str) -> String {
    let plain: String = text
        .to_lowercase()
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        "game".into()
    } else {
        parts.join("-")
    }
}
