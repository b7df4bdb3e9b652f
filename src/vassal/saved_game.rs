//! A saved game or a log: the boards that are laid and the pieces on them, after all logged steps.

use crate::complaint::{Complaints, Error};
use crate::vassal::archive::Archive;
use crate::vassal::element::Element;
use crate::vassal::fault::{DAMAGED, TOO_LARGE, fault};
use crate::vassal::obfuscation::decode;
use crate::vassal::sequence::{COMMAND, SequenceReader, join};
use crate::vassal::traits::{PieceTrait, pair, unnest};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Maximum number of pieces, decks and stacks.
const MAX_PIECES: usize = 200_000;

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
        BoardPosition { name: name.into(), ..BoardPosition::default() }
    }
}

/// A piece that a command adds.
#[derive(Clone, Debug)]
pub struct AddedPiece {
    /// Its identifier in the saved game.
    pub id: String,
    /// Its traits, the outermost first. A stack or deck is a single one.
    pub traits: Vec<PieceTrait>,
}

/// A piece, stack or deck on a map.
#[derive(Clone, Debug, Default)]
pub struct SavedPiece {
    /// Its traits, the outermost first.
    pub traits: Vec<PieceTrait>,
    /// The map; empty if it stands on none.
    pub map: String,
    /// The dot at which it stands.
    pub dot: (i32, i32),
    /// The stack or deck that it lies in.
    pub stack: Option<String>,
    members: Vec<String>,
    order: usize,
}

/// A saved game.
#[derive(Debug, Default)]
pub struct SavedGame {
    /// Name of the module, if the file says it.
    pub module: String,
    /// Version of the module, if the file says it.
    pub version: String,
    /// What it consists of, as text.
    pub text: String,
    /// The boards by map.
    pub boards: BTreeMap<String, Vec<BoardPosition>>,
    /// Number of logged steps.
    pub steps: usize,
    /// The step after which the pieces stand as they do here.
    pub at_step: usize,
    /// How often each sort of command stands in it that is not read.
    pub unread: BTreeMap<&'static str, usize>,
    place: String,
    pieces: HashMap<String, SavedPiece>,
    added: usize,
}

impl SavedGame {
    /// Opens a `.vsav` or `.vlog` file. Of a log, only the first steps are carried out if `last_step` says so.
    pub fn open(path: &Path, last_step: Option<usize>) -> Result<SavedGame, Error> {
        SavedGame::read(Archive::open(path)?, last_step).map_err(Error::from)
    }

    /// Reads a saved game or log, up to a step.
    pub fn read(mut archive: Archive, last_step: Option<usize>) -> Result<SavedGame, Complaints> {
        let place = archive.place(SAVED_GAME);
        let missing = || fault(&place, "there is no saved game in this file", "give a `.vsav` or `.vlog` file");
        let bytes = archive.read(SAVED_GAME)?.ok_or_else(missing)?;
        let text = String::from_utf8_lossy(&decode(&bytes, &place)?).into_owned();
        let mut game = SavedGame { place, at_step: last_step.unwrap_or(usize::MAX), ..SavedGame::default() };
        game.apply(&text, 0)?;
        game.check_stacks()?;
        if let Some(step) = last_step.filter(|step| *step > game.steps) {
            let help = "a log has a step for each thing that was done in it; a saved game has none";
            return Err(fault(&game.place, format!("there is no step {step}: it has {}", game.steps), help));
        }
        game.at_step = game.at_step.min(game.steps);
        game.text = if game.at_step == game.steps { text } else { without_later_steps(&text, game.at_step) };
        // What tells of the module is a help, not a need: old files have none.
        for name in ["savedata", "moduledata"] {
            let Some(data) = archive.text(name)? else { continue };
            let data = Element::parse(&data, &archive.place(name))?;
            let child =
                |name: &str| data.children.iter().find(|child| child.name == name).map(|child| child.text.trim()).unwrap_or_default();
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
        let mut all: Vec<&SavedPiece> = self.pieces.values().filter(|piece| !piece.is_holder()).collect();
        all.sort_by_key(|piece| piece.order);
        all
    }

    /// Returns the deck that a piece lies in.
    fn deck(&self, piece: &SavedPiece) -> Option<&PieceTrait> {
        self.pieces.get(piece.stack.as_ref()?)?.traits.first().filter(|holder| holder.kind.starts_with("deck;"))
    }

    /// Returns whether a piece lies in a deck with its face down.
    pub fn is_face_down(&self, piece: &SavedPiece) -> bool {
        self.deck(piece).is_some_and(|deck| SequenceReader::new(&deck.state, ';').nth(3).is_some_and(|down| down == "true"))
    }

    /// Returns the name of the deck that a piece lies in.
    pub fn deck_name(&self, piece: &SavedPiece) -> Option<String> {
        let name = self.deck(piece)?.arguments("deck;")?.nth(DECK_NAME)?;
        Some(name.into_owned()).filter(|name| !name.is_empty())
    }

    /// Carries out a command or a sequence of them. The text is split as often as one contains others.
    fn apply(&mut self, text: &str, depth: usize) -> Result<(), Complaints> {
        if depth > MAX_DEPTH {
            return Err(fault(&self.place, format!("it is nested more than {MAX_DEPTH} deep"), TOO_LARGE));
        }
        // The parts of the whole are steps; what is logged in a step are its parts.
        if depth == 1 && text.starts_with(LOG) {
            self.steps += 1;
            if self.steps > self.at_step {
                return Ok(());
            }
        }
        let mut parts = SequenceReader::new(text, COMMAND);
        let first = parts.text();
        if parts.rest().is_none() && first == text {
            return self.command(text, depth);
        }
        self.apply(&first, depth + 1)?;
        parts.try_for_each(|part| self.apply(&part, depth + 1))
    }

    fn command(&mut self, text: &str, depth: usize) -> Result<(), Complaints> {
        if let Some(logged) = text.strip_prefix(LOG) {
            return self.apply(logged, depth + 1);
        }
        if let Some(added) = added_piece(text, &self.place)? {
            return self.add(added);
        }
        if let Some(id) = text.strip_prefix("-/") {
            self.take_out(id);
            self.pieces.remove(id);
            return Ok(());
        }
        if let Some(change) = text.strip_prefix("D/") {
            let mut parts = SequenceReader::new(change, '/');
            let (id, state) = (parts.text(), parts.text());
            return self.change(&id, &state);
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

    fn add(&mut self, added: AddedPiece) -> Result<(), Complaints> {
        if self.pieces.len() == MAX_PIECES {
            return Err(fault(&self.place, format!("more than {MAX_PIECES} pieces"), TOO_LARGE));
        }
        self.take_out(&added.id);
        self.added += 1;
        let piece = SavedPiece { traits: added.traits, order: self.added, ..SavedPiece::default() };
        self.pieces.insert(added.id.clone(), piece);
        self.place_piece(&added.id)
    }

    /// Gives a piece a new state.
    fn change(&mut self, id: &str, state: &str) -> Result<(), Complaints> {
        // A change of a piece that is gone does nothing, as in VASSAL.
        let Some(piece) = self.pieces.get_mut(id) else { return Ok(()) };
        let kinds = piece.traits.iter().map(|one| one.kind.clone()).collect();
        let states = if piece.is_holder() { vec![state.into()] } else { unnest(state, &self.place)? };
        piece.traits = pair(kinds, states, &self.place)?;
        self.place_piece(id)
    }

    /// Puts a piece where its state says, and into a stack or deck the pieces that its state names.
    fn place_piece(&mut self, id: &str) -> Result<(), Complaints> {
        let Some(piece) = self.pieces.get(id) else { return Ok(()) };
        let inner = piece.traits.last().cloned().unwrap_or_default();
        let mut state = SequenceReader::new(&inner.state, ';');
        let map = state.text();
        let map = if map == "null" { String::new() } else { map.into_owned() };
        let dot = match (map.is_empty(), state.number(), state.number()) {
            (_, Some(x), Some(y)) => (x, y),
            (true, ..) => (0, 0),
            _ => return Err(fault(&self.place, format!("where piece {id} stands can't be read"), DAMAGED)),
        };
        let members: Vec<String> = match &inner.kind {
            kind if kind.starts_with("deck;") => {
                let inside = state.nth(1).unwrap_or_default().into_owned();
                SequenceReader::new(&inside, ',').map(|member| member.into_owned()).filter(|member| !member.is_empty()).collect()
            }
            kind if kind == "stack" => state.filter(|member| !member.starts_with("@@")).map(|member| member.into_owned()).collect(),
            _ => Vec::new(),
        };
        let old = std::mem::take(&mut self.pieces.get_mut(id).expect("it is there").members);
        for member in old {
            if let Some(member) = self.pieces.get_mut(&member).filter(|member| member.stack.as_deref() == Some(id)) {
                member.stack = None;
            }
        }
        // What lies in a stack stands where the stack stands, whatever its own state says.
        for member in &members {
            self.take_out(member);
            if let Some(member) = self.pieces.get_mut(member) {
                member.stack = Some(id.into());
                (member.map, member.dot) = (map.clone(), dot);
            }
        }
        let stack = self.pieces.get(id).and_then(|piece| self.pieces.get(piece.stack.as_ref()?));
        let (map, dot) = stack.map_or((map, dot), |stack| (stack.map.clone(), stack.dot));
        let piece = self.pieces.get_mut(id).expect("it is there");
        (piece.map, piece.dot, piece.members) = (map, dot, members);
        Ok(())
    }

    /// Takes a piece out of its stack.
    fn take_out(&mut self, id: &str) {
        let stack = self.pieces.get_mut(id).and_then(|piece| piece.stack.take());
        if let Some(stack) = stack.and_then(|stack| self.pieces.get_mut(&stack)) {
            stack.members.retain(|member| member != id);
        }
    }

    /// Moves a piece, or a stack with all that is in it: id, map, x, y, the piece under it.
    fn move_piece(&mut self, text: &str) -> Result<(), Complaints> {
        let mut parts = SequenceReader::new(text, '/');
        let (id, map) = (parts.text().into_owned(), parts.text().into_owned());
        let (Some(x), Some(y)) = (parts.number(), parts.number()) else {
            return Err(fault(&self.place, format!("where piece {id} moves to can't be read"), DAMAGED));
        };
        let under = parts.text().into_owned();
        let map = if map == "null" { String::new() } else { map };
        let Some(piece) = self.pieces.get_mut(&id) else { return Ok(()) };
        (piece.map, piece.dot) = (map.clone(), (x, y));
        for member in piece.members.clone() {
            if let Some(member) = self.pieces.get_mut(&member) {
                (member.map, member.dot) = (map.clone(), (x, y));
            }
        }
        self.take_out(&id);
        let stack = self.pieces.get(&under).and_then(|piece| if piece.is_holder() { Some(under.clone()) } else { piece.stack.clone() });
        if let Some(stack) = stack.filter(|stack| *stack != id) {
            if let Some(holder) = self.pieces.get_mut(&stack) {
                holder.members.push(id.clone());
            }
            if let Some(piece) = self.pieces.get_mut(&id) {
                piece.stack = Some(stack);
            }
        }
        Ok(())
    }

    /// Reports stacks that lie in each other in a circle.
    fn check_stacks(&self) -> Result<(), Complaints> {
        for id in self.pieces.keys() {
            let (mut at, mut steps) = (id, 0);
            while let Some(stack) = self.pieces.get(at).and_then(|piece| piece.stack.as_ref()) {
                (at, steps) = (stack, steps + 1);
                if steps > MAX_DEPTH {
                    return Err(fault(&self.place, format!("the stack {at} lies in itself"), DAMAGED));
                }
            }
        }
        Ok(())
    }
}

impl SavedPiece {
    /// Returns whether it is a stack or deck.
    fn is_holder(&self) -> bool {
        self.traits.first().is_some_and(|one| one.kind == "stack" || one.kind.starts_with("deck;"))
    }
}

/// Leaves out of a log what comes after a step.
fn without_later_steps(text: &str, last_step: usize) -> String {
    let mut step = 0;
    let kept: Vec<_> = SequenceReader::new(text, COMMAND)
        .filter(|part| {
            step += usize::from(part.starts_with(LOG));
            step <= last_step || !part.starts_with(LOG)
        })
        .collect();
    join(&kept, COMMAND)
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
    KNOWN.iter().find(|(prefix, _)| text.starts_with(prefix)).map_or(Some("what the module has of its own"), |(_, name)| *name)
}

/// Reads `+/id/type/state`; `None` for another command.
pub fn added_piece(text: &str, place: &str) -> Result<Option<AddedPiece>, Complaints> {
    let Some(added) = text.strip_prefix("+/") else { return Ok(None) };
    let mut parts = SequenceReader::new(added, '/');
    let id = parts.text().into_owned();
    let (Some(kind), Some(state)) = (parts.next(), parts.next()) else {
        return Err(fault(place, format!("the piece {id} ends too early"), DAMAGED));
    };
    let traits = match kind == "stack" || kind.starts_with("deck;") {
        true => vec![PieceTrait::new(kind, state)],
        false => pair(unnest(&kind, place)?, unnest(&state, place)?, place)?,
    };
    Ok(Some(AddedPiece { id, traits }))
}

/// Reads `<map>BoardPicker\t<board>\tx\ty...`: the map and its boards; `None` for another command.
pub fn board_positions(text: &str, place: &str) -> Result<Option<(String, Vec<BoardPosition>)>, Complaints> {
    let mut parts = SequenceReader::new(text, '\t');
    let first = parts.text();
    let Some(map) = first.strip_suffix("BoardPicker") else { return Ok(None) };
    let mut boards = Vec::new();
    while let Some(name) = parts.next() {
        let mut named = SequenceReader::new(&name, '/');
        let (name, reversed) = (named.text().into_owned(), named.text() == "rev");
        let (column, row) = (parts.number().unwrap_or(0), parts.number().unwrap_or(0));
        if !(0..1000).contains(&column) || !(0..1000).contains(&row) || boards.len() == 1000 {
            return Err(fault(place, format!("the board {name} is laid at {column}, {row}"), DAMAGED));
        }
        boards.push(BoardPosition { name, reversed, column, row });
    }
    Ok(Some((map.into(), boards)))
}
