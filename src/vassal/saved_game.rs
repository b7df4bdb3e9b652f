//! A saved game or a log: the boards that are laid and the pieces on them, after all logged steps.

use crate::archive::Archive;
use crate::element::Element;
use crate::fault::{VassalFault, VassalFaultKind};
use crate::obfuscation::decode;
use crate::piece_table::{AddedPiece, PieceTable, SavedPiece};
use crate::sequence::{COMMAND, SequenceReader, join};
use crate::traits::{PieceTrait, pair, unnest};
use casebook_engine::complaint::Error;
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum depth of a command in another; a logged step is one in the log, its parts are a second.
const MAX_DEPTH: usize = 40;

/// Begins a step of a log.
const LOG: &str = "LOG\t";

/// Position of the name among the arguments of a deck.
const DECK_NAME: usize = 12;

/// The name of the saved game in its archive.
pub const SAVED_GAME: &str = "savedGame";

/// A board on a map: which slot of the layout it takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardPosition {
    /// Name of the board.
    pub name: String,
    /// Whether it is turned by half.
    pub reversed: bool,
    /// Column of the layout.
    pub column: i32,
    /// Row of the layout.
    pub row: i32,
}

impl BoardPosition {
    /// Creates the layout of a single board.
    pub fn single(name: &str) -> BoardPosition {
        BoardPosition {
            name: name.into(),
            ..BoardPosition::default()
        }
    }
}

#[derive(Debug, Default)]
pub struct SavedGame {
    /// Name of the module, if the file says it.
    pub module: String,
    /// Version of the module, if the file says it.
    pub version: String,
    /// What it consists of, as text.
    pub text: String,
    pub boards: BTreeMap<String, Vec<BoardPosition>>,
    /// Number of logged steps.
    pub steps: usize,
    /// The step after which the pieces stand as they do here.
    pub at_step: usize,
    /// How many entries of each sort are not read.
    pub unread: BTreeMap<&'static str, usize>,
    place: String,
    table: PieceTable,
}

impl SavedGame {
    /// Opens a `.vsav` or `.vlog` file. Of a log, only the first steps are carried out if `last_step` says so.
    pub fn open(path: &Path, last_step: Option<usize>) -> Result<SavedGame, Error> {
        SavedGame::read(Archive::open(path)?, last_step).map_err(Error::from)
    }

    /// Reads a saved game or log, up to a step.
    pub fn read(mut archive: Archive, last_step: Option<usize>) -> Result<SavedGame, VassalFault> {
        let place = archive.place(SAVED_GAME);
        let missing = || VassalFaultKind::NoSavedGame.at(&place);
        let bytes = archive.read(SAVED_GAME)?.ok_or_else(missing)?;
        let text = String::from_utf8_lossy(&decode(&bytes, &place)?).into_owned();
        let table = PieceTable::new(&place);
        let mut game = SavedGame {
            place,
            table,
            at_step: last_step.unwrap_or(usize::MAX),
            ..SavedGame::default()
        };
        game.apply(&text, 0)?;
        game.table.finish()?;
        if let Some(step) = last_step.filter(|step| *step > game.steps) {
            return Err(VassalFaultKind::NoSuchStep {
                step,
                count: game.steps,
            }
            .at(&game.place));
        }
        game.at_step = game.at_step.min(game.steps);
        game.text = if game.at_step == game.steps {
            text
        } else {
            without_later_steps(&text, game.at_step)
        };
        // What tells of the module is a help, not a need: old files have none.
        for name in ["savedata", "moduledata"] {
            let Some(data) = archive.text(name)? else {
                continue;
            };
            let data = Element::parse(&data, &archive.place(name))?;
            let child = |name: &str| {
                data.children
                    .iter()
                    .find(|child| child.name == name)
                    .map(|child| child.text.trim())
                    .unwrap_or_default()
            };
            let (module, version) = match name {
                "savedata" => (child("moduleName"), child("moduleVersion")),
                _ => (child("name"), child("version")),
            };
            if game.module.is_empty() {
                (game.module, game.version) = (module.into(), version.into());
            }
        }
        Ok(game)
    }

    /// Returns the pieces in the order in which they were added, without stacks and decks.
    pub fn pieces(&self) -> Vec<&SavedPiece> {
        self.table.pieces()
    }

    /// Returns all that stands on the maps.
    pub fn table(&self) -> &PieceTable {
        &self.table
    }

    /// Returns the deck that a piece lies in.
    fn deck(&self, piece: &SavedPiece) -> Option<&PieceTrait> {
        self.table
            .get(piece.stack.as_ref()?)?
            .traits
            .first()
            .filter(|holder| holder.kind.starts_with("deck;"))
    }

    /// Returns whether a piece lies in a deck with its face down.
    pub fn is_face_down(&self, piece: &SavedPiece) -> bool {
        self.deck(piece).is_some_and(|deck| {
            SequenceReader::new(&deck.state, ';')
                .nth(3)
                .is_some_and(|down| down == "true")
        })
    }

    /// Returns the name of the deck that a piece lies in.
    pub fn deck_name(&self, piece: &SavedPiece) -> Option<String> {
        let name = self.deck(piece)?.arguments("deck;")?.nth(DECK_NAME)?;
        Some(name.into_owned()).filter(|name| !name.is_empty())
    }

    /// Carries out a command or a sequence of them. The text is split as often as one contains others.
    fn apply(&mut self, text: &str, depth: usize) -> Result<(), VassalFault> {
        if depth > MAX_DEPTH {
            return Err(VassalFaultKind::TooDeep { most: MAX_DEPTH }.at(&self.place));
        }
        // The parts of the whole are steps; what is logged in a step are its parts.
        if depth == 1 && text.starts_with(LOG) {
            self.steps += 1;
            if self.steps > self.at_step {
                return Ok(());
            }
        }
        let mut reader = SequenceReader::new(text, COMMAND);
        let first_command = reader.text();
        if reader.rest().is_none() && first_command == text {
            return self.command(text, depth);
        }
        self.apply(&first_command, depth + 1)?;
        reader.try_for_each(|part| self.apply(&part, depth + 1))
    }

    fn command(&mut self, text: &str, depth: usize) -> Result<(), VassalFault> {
        if let Some(logged) = text.strip_prefix(LOG) {
            return self.apply(logged, depth + 1);
        }
        if let Some(added) = added_piece(text, &self.place)? {
            return self.table.add(added);
        }
        if let Some(id) = text.strip_prefix("-/") {
            self.table.remove(id);
            return Ok(());
        }
        if let Some(change) = text.strip_prefix("D/") {
            let mut fields = SequenceReader::new(change, '/');
            let (id, new, old) = (fields.text(), fields.text(), fields.next());
            return self.table.change(&id, &new, old.as_deref());
        }
        if let Some(moved) = text.strip_prefix("M/") {
            return self.move_piece(moved);
        }
        if let Some((map, boards)) = board_positions(text, &self.place)? {
            self.boards.insert(map, boards);
        } else if let Some(name) = unread_command(text) {
            *self.unread.entry(name).or_default() += 1;
        }
        Ok(())
    }

    /// Moves a piece or stack: its identifier, map, x, y, and the piece under it.
    fn move_piece(&mut self, text: &str) -> Result<(), VassalFault> {
        let mut fields = SequenceReader::new(text, '/');
        let (id, map) = (fields.text().into_owned(), fields.text().into_owned());
        let (Some(x), Some(y)) = (fields.number(), fields.number()) else {
            return Err(VassalFaultKind::NoDestination { id }.at(&self.place));
        };
        let piece_below = fields.next().filter(|piece_below| piece_below != "null");
        self.table.move_to(
            &id,
            (if map == "null" { String::new() } else { map }, (x, y)),
            piece_below.as_deref(),
        )
    }
}

/// Leaves out of a log what comes after a step.
fn without_later_steps(text: &str, last_step: usize) -> String {
    let mut step = 0;
    let records: Vec<_> = SequenceReader::new(text, COMMAND)
        .filter(|command| {
            step += usize::from(command.starts_with(LOG));
            step <= last_step || !command.starts_with(LOG)
        })
        .collect();
    join(&records, COMMAND)
}

/// Names a command that is not read; `None` for one that says nothing of the position.
fn unread_command(text: &str) -> Option<&'static str> {
    const KNOWN: [(&str, Option<&str>); 21] = [
        ("begin_save", None),
        ("end_save", None),
        ("CHAT", None),
        ("UNDO\t", None),
        ("EXT\t", None),
        ("AUDIO\t", None),
        ("FLARE", None),
        ("LOS\t", None),
        ("SHOW_RESULTS\t", None),
        ("PLAY", Some("who plays which side")),
        ("NOTES\t", Some("notes")),
        ("PNOTES\t", Some("notes")),
        ("PNOTE\t", Some("private notes")),
        ("SNOTE\t", Some("private notes")),
        ("MutableProperty\t", Some("global properties")),
        ("GlobalProperty\t", Some("global properties")),
        ("SPP\t", Some("properties of pieces set by a command")),
        ("TURN", Some("turn counters")),
        ("CLOCK", Some("clocks")),
        ("SETUP_STACK\t", None),
        ("DECKREPOS\t", None),
    ];
    if text.is_empty() {
        return None;
    }
    KNOWN
        .iter()
        .find(|(prefix, _)| text.starts_with(prefix))
        .map_or(Some("what the module has of its own"), |(_, name)| *name)
}

/// Reads `+/id/type/state`; `None` for another command.
pub fn added_piece(text: &str, place: &str) -> Result<Option<AddedPiece>, VassalFault> {
    let Some(added) = text.strip_prefix("+/") else {
        return Ok(None);
    };
    let mut fields = SequenceReader::new(added, '/');
    let id = fields.text().into_owned();
    let (Some(kind), Some(state)) = (fields.next(), fields.next()) else {
        return Err(VassalFaultKind::TruncatedPiece { id }.at(place));
    };
    let traits = match kind == "stack" || kind.starts_with("deck;") {
        true => vec![PieceTrait::new(kind, state)],
        false => pair(unnest(&kind, place)?, unnest(&state, place)?, place)?,
    };
    Ok(Some(AddedPiece { id, traits }))
}

/// Reads `<map>BoardPicker\t<board>\tx\ty...`: the map and its boards; `None` for another command.
pub fn board_positions(
    text: &str,
    place: &str,
) -> Result<Option<(String, Vec<BoardPosition>)>, VassalFault> {
    let mut fields = SequenceReader::new(text, '\t');
    let picker_name = fields.text();
    let Some(map) = picker_name.strip_suffix("BoardPicker") else {
        return Ok(None);
    };
    let mut boards = Vec::new();
    while let Some(name) = fields.next() {
        let mut named = SequenceReader::new(&name, '/');
        let (name, reversed) = (named.text().into_owned(), named.text() == "rev");
        let (column, row) = (fields.number().unwrap_or(0), fields.number().unwrap_or(0));
        if !(0..1000).contains(&column) || !(0..1000).contains(&row) || boards.len() == 1000 {
            return Err(VassalFaultKind::BoardFarOff { name, column, row }.at(place));
        }
        boards.push(BoardPosition {
            name,
            reversed,
            column,
            row,
        });
    }
    Ok(Some((map.into(), boards)))
}
