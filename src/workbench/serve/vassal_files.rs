//! Files of VASSAL: a saved game becomes a situation of the user's folder, and a game at the table is written as module, saved game and log.

use crate::serve::api_answers::OpenedSavedGame;
use crate::serve::layout::situation_address;
use crate::serve::page_request::PageRequest;
use crate::serve::play::{TableRequest, hides};
use crate::serve::workbench::{DataSnapshot, Workbench};
use base64::prelude::{BASE64_STANDARD, Engine};
use casebook_engine::complaint::{Error, counted};
use casebook_engine::data::transaction::Transaction;
use casebook_engine::ruling::situation::Situation;
use casebook_vassal::archive::Archive;
use casebook_vassal::export::export;
use casebook_vassal::game_files::{
    GameFiles, map_beside, module_beside, plain_name, situation_file,
};
use casebook_vassal::saved_game::SavedGame;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::io::Cursor;
use std::path::Path;

/// Maximum number of situations of one name.
const MAX_NAMES: usize = 100;

/// Opens a saved game, and writes it as a situation of the user's folder. Its module is one that was written here, or lies in that folder
/// with its map.
pub fn open(bench: &Workbench, name: &str, data: &str) -> Result<Value, Error> {
    let snapshot = bench.snapshot()?;
    let bytes = BASE64_STANDARD
        .decode(data)
        .map_err(|_| Error::Usage(format!("{name} did not come whole: try it once more")))?;
    let saved = SavedGame::read(Archive::new(name, Box::new(Cursor::new(bytes)))?, None)?;
    let files = with_module(bench, &snapshot, saved)?;
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str());
    let wanted = plain_name(stem.unwrap_or_default());
    let import = files.import();
    for number in 1..MAX_NAMES {
        let free = match number {
            1 => wanted.clone(),
            number => format!("{wanted}-{number}"),
        };
        let imported = import.run(&snapshot.library, &free)?;
        let file = situation_file(&imported, name);
        let existing = snapshot.library.files.by_key.get(&file.key);
        if existing.is_some_and(|existing| *existing.text != *file.text) {
            continue;
        }
        // Nobody may find a fault in it.
        let mut with_it = snapshot.library.files.clone();
        let (key, text) = (file.key.clone(), (*file.text).to_string());
        with_it.by_key.insert(file.key.clone(), file);
        let mut request = PageRequest::of(&imported.game, &imported.name);
        let situation = DataSnapshot::new(with_it).situation(&mut request)?;
        if existing.is_none() {
            let root = bench.root();
            let mut files = Transaction::new(&root);
            files.create(root.join(&key), text);
            files.commit()?;
            bench.mark_stale();
        }
        let page = if situation.scenario.is_game {
            "new"
        } else {
            "play"
        };
        let mut notes: Vec<String> = imported.notes.iter().map(ToString::to_string).collect();
        notes.push(format!(
            "It says where {} and how strong; turn, phase and rules are those of {}.",
            match imported.piece_count {
                1 => "1 piece stands".into(),
                count => format!("{} stand", counted(count, "piece")),
            },
            files.mapping.like
        ));
        return Ok(json!(OpenedSavedGame {
            address: situation_address(&request, page),
            written: key,
            notes,
        }));
    }
    Err(Error::Usage(format!(
        "there are {MAX_NAMES} situations named {wanted} already: give the file another name"
    )))
}

/// Finds the module of a saved game: that of a situation, or a file in the user's folder.
fn with_module(
    bench: &Workbench,
    snapshot: &DataSnapshot,
    saved: SavedGame,
) -> Result<GameFiles, Error> {
    // Each file of the folder could be its neighbour.
    let beside = bench.root().join("game.vsav");
    if let Some(module) = module_beside(&beside, &saved) {
        let mapping = map_beside(&beside, &module).ok_or_else(|| {
            Error::Usage(format!(
                "the module `{0}` lies in the folder of the workbench without a map that says which of its counters are which pieces: `casebook new map --module FILE.vmod` writes one there",
                module.name
            ))
        })?;
        return Ok(GameFiles {
            saved,
            module,
            mapping,
            seen_by: String::new(),
        });
    }
    match situation_of_module(snapshot, &saved.module) {
        Some(situation) => Ok(GameFiles {
            saved,
            ..GameFiles::of_situation(&situation)?
        }),
        None => {
            let reason = if saved.module.is_empty() {
                "this saved game does not say of which module it is".to_string()
            } else {
                format!(
                    "this is a saved game of the module `{}`, which was not written here",
                    saved.module
                )
            };
            Err(Error::Usage(format!(
                "{reason}: put the module (.vmod) into the folder of the workbench, and beside it its map, as `casebook new map --module FILE.vmod` writes it"
            )))
        }
    }
}

/// Finds the situation that a module was made of: by its title.
fn situation_of_module(snapshot: &DataSnapshot, module: &str) -> Option<Situation> {
    if module.is_empty() {
        return None;
    }
    let library = &snapshot.library;
    let situations = library.games.keys().flat_map(|game| {
        let names = library.scenarios(game).into_iter();
        names.map(move |(name, _)| (game, name))
    });
    let titled = |(game, name): &(&String, String)| {
        let ends = [
            format!("/{name}.yaml"),
            format!("scenarios/{game}/{name}.yaml"),
        ];
        let mut files = library.files.by_key.iter();
        files.any(|(key, file)| key.ends_with(&ends[0]) && file.text.contains(module))
    };
    situations.filter(titled).find_map(|(game, name)| {
        let situation = snapshot.situation(&mut PageRequest::of(game, &name)).ok()?;
        (situation.scenario.title == module).then_some(situation)
    })
}

/// Renders links to the module of a game at the table, to a saved game of the position, and to a log of the way there.
pub fn render_downloads(table: TableRequest) -> Result<Markup, Error> {
    let (snapshot, situation, request) = (table.snapshot, table.situation, table.request);
    let (resolved, is_hidden) =
        table.with_session(|session| (session.resolved(), hides(session, request)))?;
    if is_hidden {
        return Ok(
            html! { p.quiet { "The files would hold what is secret still; they can be had when all have answered." } },
        );
    }
    let name = &situation.scenario.name;
    let exported = export(situation, name)?;
    let files = GameFiles::of_situation(situation)?;
    let (saved, by_hand) = files.saved_after(&snapshot.library, situation, &resolved)?;
    let log = files.log(&snapshot.library, situation, &resolved)?;
    let link = |ending: &str, bytes: &[u8], label: &str| {
        html! {
            li {
                a href={ "data:application/octet-stream;base64," (BASE64_STANDARD.encode(bytes)) } download={ (name) "." (ending) } { (label) }
            }
        }
    };
    Ok(html! {
        ul.plain {
            (link("vmod", &exported.vmod, "The module, with map, counters and set-up"))
            (link("vsav", &saved, "A saved game of this position"))
            (link("vlog", &log, "A log of the game, step by step"))
        }
        @if !by_hand.is_empty() {
            details { summary { "By hand, as no counter shows it: " (by_hand.len()) } ul { @for action in &by_hand { li { (action) } } } }
        }
    })
}
