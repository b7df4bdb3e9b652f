//! Files of VASSAL: `import`, `export vmod`, `new map`, and saved games in place of situations.

use crate::EMBEDDED;
use crate::command::out::Printer;
use crate::command::ruleset_args::{RulesetArgs, VassalArgs};
use crate::command::targets::{NamedSituation, resolve_situation, resolve_target};
use casebook_engine::complaint::{Error, counted};
use casebook_engine::data::files::DataFile;
#[cfg(feature = "serve")]
use casebook_engine::data::files::Files;
use casebook_engine::data::library::Library;
use casebook_engine::data::transaction::{never_replace, write_atomic};
use casebook_engine::ruling::resolve::ResolvedRuling;
use casebook_engine::ruling::situation::Situation;
use casebook_vassal::archive::Archive;
use casebook_vassal::export::{self, OWN_FILE};
use casebook_vassal::fault::VassalFaultKind;
use casebook_vassal::game_files::{
    GameFiles, map_beside, module_beside, plain_name, situation_file,
};
use casebook_vassal::import::ImportedGame;
use casebook_vassal::import_note::grouped;
use casebook_vassal::layout::lay_out;
use casebook_vassal::mapping::ModuleMapping;
use casebook_vassal::module::VassalModule;
use casebook_vassal::saved_game::SavedGame;
use casebook_view::block::WrittenFiles;
use clap::Subcommand;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is made of a situation.
#[derive(Subcommand)]
pub enum ExportArgs {
    /// A module of VASSAL with map, counters and set-up; beside it the set-up as a saved game, and the map of the module
    Vmod {
        /// A situation; a part of its name or title will do
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        /// The file to write [default: NAME.vmod]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// Opens a saved game with the module and map that the arguments name, or that lie beside it; the map also in the data folder.
fn open_files(library: &Library, path: &Path, args: &VassalArgs) -> Result<GameFiles, Error> {
    let saved = SavedGame::open(path, args.step)?;
    let module = match &args.module {
        Some(module) => VassalModule::open(module)?,
        None => module_beside(path, &saved)
            .ok_or_else(|| missing(path, "module", "--module game.vmod"))?,
    };
    let mapping = match &args.map {
        Some(map) => ModuleMapping::open(map)?,
        None => map_beside(path, &module)
            .or_else(|| map_beside(&library.files.root.as_ref()?.join("game.vsav"), &module))
            .ok_or_else(|| {
                missing(
                    path,
                    "map of the module",
                    "--map map.yaml; `casebook new map --module game.vmod` writes one",
                )
            })?,
    };
    Ok(GameFiles {
        saved,
        module,
        mapping,
        seen_by: args.seen_by.clone(),
    })
}

/// Reads a saved game as a situation, which is called as the file that it will be, or as the saved game.
fn import_file(
    library: &Arc<Library>,
    path: &Path,
    args: &VassalArgs,
    out: Option<&Path>,
) -> Result<ImportedGame, Error> {
    let stem = |path: &Path| {
        path.file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default()
            .to_string()
    };
    let name = out.map_or_else(|| plain_name(&stem(path)), stem);
    open_files(library, path, args)?
        .import()
        .run(library, &name)
}

/// Why a ruling on a saved game leaves no journal.
pub const NO_JOURNAL: &str = "a journal names its situation, and a saved game of VASSAL is not one in a folder: `casebook import game.vsav --out \
                              scenarios/GAME/NAME.yaml` makes it one, and the journal can be replayed";

/// Puts a saved game among the situations of a library, and names that situation in its place.
pub fn with_saved_game(
    library: &Arc<Library>,
    target: &mut String,
    args: &mut VassalArgs,
) -> Result<Arc<Library>, Error> {
    let path = std::mem::take(target);
    let imported = import_file(library, Path::new(&path), args, None)?;
    imported
        .notes
        .iter()
        .for_each(|note| eprintln!("note: {note}"));
    let mut files = library.files.clone();
    let file = situation_file(&imported, &path);
    files.by_key.insert(file.key.clone(), file);
    args.file = Some(path.into());
    *target = imported.name;
    Ok(Arc::new(Library::new(files)))
}

/// Reads the saved game that `serve` is to show.
#[cfg(feature = "serve")]
pub fn game_to_show(data: Option<&Path>, path: &str, args: &VassalArgs) -> Result<DataFile, Error> {
    let library = Arc::new(Library::new(
        Files::discover(data, EMBEDDED)?.with_built_in(),
    ));
    let imported = import_file(&library, Path::new(path), args, None)?;
    imported
        .notes
        .iter()
        .for_each(|note| eprintln!("note: {note}"));
    Ok(situation_file(&imported, path))
}

/// `import`: a saved game as a situation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "import")]
pub struct ImportReport<'a> {
    /// The game.
    game: &'a str,
    /// The name of the situation.
    situation: &'a str,
    /// How many pieces it has.
    pieces: usize,
    /// What was left out, what stays hidden, in words.
    notes: &'a [String],
    /// The file, with --out.
    written: Option<&'a Path>,
    /// The situation.
    yaml: &'a str,
}

/// Runs `import`.
pub fn import(
    library: &Arc<Library>,
    path: &Path,
    args: &VassalArgs,
    file: Option<&Path>,
    out: Printer,
) -> Result<(), Error> {
    let imported = import_file(library, path, args, file)?;
    if let Some(file) = file {
        write_atomic(file, &imported.yaml, never_replace)?;
    }
    let notes: Vec<String> = imported.notes.iter().map(ToString::to_string).collect();
    let report = || ImportReport {
        game: &imported.game,
        situation: &imported.name,
        pieces: imported.piece_count,
        notes: &notes,
        written: file,
        yaml: &imported.yaml,
    };
    let text = || match file {
        None => imported.yaml.clone(),
        Some(file) => format!(
            "{}: {} on the board\n",
            file.display(),
            counted(imported.piece_count, "piece")
        ),
    };
    out.print(report, text);
    if !out.is_json() {
        notes.iter().for_each(|note| eprintln!("note: {note}"));
    }
    Ok(())
}

/// Runs `export`.
pub fn export(library: &Arc<Library>, target: &ExportArgs, out: Printer) -> Result<(), Error> {
    let ExportArgs::Vmod {
        situation,
        ruleset,
        out: file,
    } = target;
    let (name, spec) = resolve_target(library, situation, ruleset)?;
    let loaded = Situation::load(library, &spec, &name)?;
    let vmod = file
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{name}.vmod")));
    let (vsav, map) = (vmod.with_extension("vsav"), vmod.with_extension("yaml"));
    let map_name = map
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default()
        .to_string();
    let exported = export::export(&loaded, &map_name)?;
    write_atomic(&vmod, &exported.vmod, never_replace)?;
    write_atomic(&vsav, &exported.vsav, never_replace)?;
    write_atomic(&map, &exported.map_yaml, never_replace)?;
    let module = format!(
        "the module `{}` with {}",
        exported.module,
        counted(exported.counters, "counter")
    );
    let paths = [&vmod, &vsav, &map];
    let set_up = "its set-up, as a saved game".to_string();
    let notes = [
        module,
        set_up,
        "the map of the module, which reads its saved games back".into(),
    ];
    let line = |(path, note): (&PathBuf, &String)| format!("{}: {note}\n", path.display());
    let text = paths.into_iter().zip(&notes).map(line).collect();
    let written = WrittenFiles {
        notes: notes.to_vec(),
        ..WrittenFiles::new(paths)
    };
    out.print(|| written, || text);
    Ok(())
}

/// Runs `new map`: writes the map into the data folder; returns the file, and what is not mapped yet.
pub fn new_map(
    library: &Arc<Library>,
    root: &Path,
    path: &Path,
    name: Option<&str>,
    game: &str,
    like: &str,
) -> Result<(PathBuf, Option<String>), Error> {
    let module = VassalModule::open(path)?;
    let name = name.map_or_else(|| plain_name(&module.name), String::from);
    let NamedSituation {
        game, name: like, ..
    } = resolve_situation(library, like, game)?;
    let mapping = lay_out(library, &module, &name, &game, &like)?;
    let out = root.join(format!("{name}.yaml"));
    write_atomic(&out, &mapping.yaml, never_replace)?;
    let missing = mapping.missing.iter().map(String::as_str);
    let note = format!(
        "of {} names of pieces, {} are not mapped yet: {}",
        mapping.names,
        mapping.missing.len(),
        grouped(missing)
    );
    Ok((out, (!mapping.missing.is_empty()).then_some(note)))
}

/// Writes a ruling as a log: it begins with the saved game that was ruled on, or with the situation's own set-up, and moves its counters.
pub fn write_log(
    library: &Arc<Library>,
    situation: &Situation,
    resolved: &ResolvedRuling,
    from: &VassalArgs,
    out: &Path,
) -> Result<(), Error> {
    if out.extension().is_none_or(|end| end != "vlog") {
        return Err(Error::Usage(format!(
            "{}: VASSAL knows a log by its ending: answer.vlog",
            out.display()
        )));
    }
    let log = match &from.file {
        Some(path) => open_files(library, path, from)?.log(library, situation, resolved)?,
        None => GameFiles::of_situation(situation)?.log(library, situation, resolved)?,
    };
    write_atomic(out, log, |_| match is_own_log(out) {
        true => Ok(()),
        false => Err("this file exists already, and it is not a log of a ruling".into()),
    })
}

/// Returns whether a file is a log that Casebook wrote: any other is a game of persons.
fn is_own_log(path: &Path) -> bool {
    let savedata = Archive::open(path)
        .ok()
        .and_then(|mut archive| archive.text("savedata").ok().flatten());
    savedata.is_some_and(|text| text.contains(OWN_FILE))
        && SavedGame::open(path, None).is_ok_and(|saved| saved.steps > 0)
}

fn missing(path: &Path, kind: &'static str, flag: &'static str) -> Error {
    VassalFaultKind::NotBeside { kind, flag }
        .at(&path.display().to_string())
        .into()
}
