//! The pieces on the maps as a saved game or log moves them: each instruction has the same effect on stacks, decks and pieces as in VASSAL.

use crate::fault::{VassalFault, VassalFaultKind};
use crate::sequence::{SequenceReader, join, merge_contents};
use crate::traits::{PieceTrait, pair, unnest};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of pieces, decks and stacks.
const MAX_PIECES: usize = 200_000;

/// Maximum number of pieces in a stack or deck.
const MAX_MEMBERS: usize = 2000;

/// Maximum number of pieces that are looked at for all moves together; a game of a thousand moves needs some ten thousand.
const MAX_LOOKS: usize = 5_000_000;

/// Maximum depth of stacks in each other.
const MAX_DEPTH: usize = 40;

/// The type of a stack.
const STACK: &str = "stack";

/// Begins the type of a deck.
const DECK: &str = "deck;";

/// Begins the type of a property that keys change.
const DYNAMIC_PROPERTY: &str = "PROP;";

/// Begins the layer of a stack, which stands among its pieces.
const LAYER: &str = "@@";

/// Where something stands: its map, empty if it stands on none, and the dot.
pub type MapDot = (String, (i32, i32));

/// A piece that a command adds.
#[derive(Clone, Debug)]
pub struct AddedPiece {
    /// Its identifier in the saved game.
    pub id: String,
    /// Its traits, the outermost first. A stack or deck is a single one.
    pub traits: Vec<PieceTrait>,
}

/// A piece, stack or deck.
#[derive(Clone, Debug, Default)]
pub struct SavedPiece {
    /// Its identifier.
    pub id: String,
    /// Its traits, the outermost first.
    pub traits: Vec<PieceTrait>,
    /// Where it stands. What lies in a stack or deck stands where that stands.
    pub at: MapDot,
    /// The stack or deck that it lies in.
    pub stack: Option<String>,
    members: Vec<String>,
    order: usize,
    /// Its position in the list of its map; none if it is in no such list.
    listed: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct PieceTable {
    place: String,
    pieces: HashMap<String, SavedPiece>,
    /// Pieces, stacks and decks by dot, in the order of the list of their map.
    dots: HashMap<MapDot, BTreeMap<u64, String>>,
    added: usize,
    next_listed: u64,
    looks: usize,
}

impl SavedPiece {
    /// Returns whether it is a stack or deck.
    pub fn is_holder(&self) -> bool {
        self.is_deck() || self.traits.first().is_some_and(|one| one.kind == STACK)
    }

    fn is_deck(&self) -> bool {
        self.traits
            .first()
            .is_some_and(|one| one.kind.starts_with(DECK))
    }

    /// Returns whether it lies in no stack, because its module says so or because someone hides it.
    pub fn is_alone(&self) -> bool {
        self.traits.iter().any(|piece_trait| {
            piece_trait.hider().is_some()
                || piece_trait
                    .arguments("immob;")
                    .is_some_and(|mut arguments| {
                        !arguments.nth(2).is_some_and(|how| how.starts_with('L'))
                    })
        })
    }
}

impl PieceTable {
    /// Creates an empty table; `place` is that of the saved game, for complaints.
    pub fn new(place: &str) -> PieceTable {
        PieceTable {
            place: place.into(),
            ..PieceTable::default()
        }
    }

    /// Returns a piece, stack or deck.
    pub fn get(&self, id: &str) -> Option<&SavedPiece> {
        self.pieces.get(id)
    }

    /// Returns the pieces in the order in which they were added, without stacks and decks.
    pub fn pieces(&self) -> Vec<&SavedPiece> {
        let mut pieces: Vec<&SavedPiece> = self
            .pieces
            .values()
            .filter(|piece| !piece.is_holder())
            .collect();
        pieces.sort_by_key(|piece| piece.order);
        pieces
    }

    /// Adds a piece; one of the same identifier is gone, but what lies in a stack stays where it is.
    pub fn add(&mut self, added: AddedPiece) -> Result<(), VassalFault> {
        if self.pieces.len() == MAX_PIECES {
            return Err(VassalFaultKind::TooManyPieces { most: MAX_PIECES }.at(&self.place));
        }
        match self
            .pieces
            .get(&added.id)
            .is_some_and(SavedPiece::is_holder)
        {
            true => self.set_aside(&added.id),
            false => self.remove(&added.id),
        }
        self.insert_new(&added.id, added.traits);
        self.place_by_state(&added.id)
    }

    fn insert_new(&mut self, id: &str, traits: Vec<PieceTrait>) {
        self.added += 1;
        self.pieces.insert(
            id.into(),
            SavedPiece {
                id: id.into(),
                traits,
                order: self.added,
                ..SavedPiece::default()
            },
        );
    }

    /// Takes the identifier from a stack, which another gets.
    fn set_aside(&mut self, id: &str) {
        let listed = self.unlist(id);
        let Some(old) = self.pieces.remove(id) else {
            return;
        };
        self.added += 1;
        let name = format!("\0{}", self.added);
        for member in &old.members {
            if let Some(member) = self.pieces.get_mut(member) {
                member.stack = Some(name.clone());
            }
        }
        self.pieces.insert(
            name.clone(),
            SavedPiece {
                id: name.clone(),
                ..old
            },
        );
        if let Some(place) = listed {
            self.list(&name, place);
        }
    }

    /// Removes a piece. What lies in a stack that is removed is nowhere.
    pub fn remove(&mut self, id: &str) {
        self.unlist(id);
        self.leave_stack(id);
        let Some(gone) = self.pieces.remove(id) else {
            return;
        };
        for member in gone.members {
            if let Some(member) = self
                .pieces
                .get_mut(&member)
                .filter(|member| member.stack.as_deref() == Some(id))
            {
                (member.stack, member.at.0) = (None, String::new());
            }
        }
    }

    /// Gives a piece a new state. With the old state only the differences between the two are applied, so that changes made elsewhere stay.
    pub fn change(&mut self, id: &str, new: &str, old: Option<&str>) -> Result<(), VassalFault> {
        // A change of a piece that is gone does nothing.
        let Some(piece) = self.pieces.get_mut(id) else {
            return Ok(());
        };
        if piece.is_holder() {
            // All that lies in it is listed, merged with the change, and laid anew.
            self.looks += 4 * piece.members.len();
            let current_state = holder_state(piece);
            if piece.is_deck() && old == Some(&current_state) {
                return Ok(());
            }
            let merged = old
                .filter(|old| *old != current_state)
                .map(|old| merge_contents(&piece.members, new, old));
            piece.traits[0].state = merged.unwrap_or_else(|| new.into());
            self.check_looks()?;
            return self.place_by_state(id);
        }
        let kinds = piece.traits.iter().map(|one| one.kind.clone()).collect();
        let changed = pair(kinds, unnest(new, &self.place)?, &self.place)?;
        let old = old.map(|old| unnest(old, &self.place)).transpose()?;
        let mut moves = false;
        for (index, changed) in changed.into_iter().enumerate() {
            moves = old
                .as_ref()
                .is_none_or(|old| old.get(index) != Some(&changed.state));
            if moves {
                self.piece(id).traits[index].state = changed.state;
                if changed.kind.starts_with(DYNAMIC_PROPERTY) {
                    self.place_anew(id)?;
                }
            }
        }
        // The innermost trait is the last.
        if moves {
            self.place_by_state(id)
        } else {
            Ok(())
        }
    }

    /// Lays a piece where it stands once more, as VASSAL does when a property changes that can say in which layer of the map it lies: a lone
    /// piece becomes a stack, from which a state does not move it.
    fn place_anew(&mut self, id: &str) -> Result<(), VassalFault> {
        let piece = &self.pieces[id];
        let stack = piece
            .stack
            .as_ref()
            .and_then(|stack| self.pieces.get(stack));
        let moved = match stack {
            Some(stack) if stack.is_deck() || stack.members.len() > 1 => return Ok(()),
            Some(stack) => stack.id.clone(),
            None => id.to_string(),
        };
        let dot = self.pieces[&moved].at.clone();
        if dot.0.is_empty() {
            return Ok(());
        }
        self.unlist(&moved);
        self.count_looks(&moved, &dot)?;
        if let Some(target) = self.stack_at(&moved, &dot) {
            return self.merge(&target, &moved);
        }
        self.list_on(&moved, &dot.0);
        let lone = &self.pieces[&moved];
        if lone.is_holder() || lone.is_alone() {
            Ok(())
        } else {
            self.new_stack(&moved).map(drop)
        }
    }

    /// Moves a piece, or a stack with all that is in it, onto the piece under it or into the stack at that dot. On no map it is gone from sight.
    pub fn move_to(
        &mut self,
        id: &str,
        dot: MapDot,
        under_id: Option<&str>,
    ) -> Result<(), VassalFault> {
        let Some(piece) = self.pieces.get(id) else {
            return Ok(());
        };
        if dot.0.is_empty() {
            if piece.stack.is_none() {
                self.unlist(id);
                self.piece(id).at.0 = String::new();
            }
            return Ok(());
        }
        self.count_looks(id, &dot)?;
        let under_it = under_id.filter(|under| self.position(under).as_ref() == Some(&dot));
        if let Some(target) = under_it
            .map(String::from)
            .or_else(|| self.stack_at(id, &dot))
        {
            self.merge(&target, id)?;
        } else {
            self.set_dot(id, dot.1);
            self.list_on(id, &dot.0);
        }
        let stack = self
            .pieces
            .get(id)
            .and_then(|piece| piece.stack.clone())
            .filter(|_| under_id.is_none());
        stack.map_or(Ok(()), |stack| self.insert(&stack, id, 0))
    }

    /// Reports stacks that lie in each other in a circle, and puts each piece where its stack is.
    pub fn finish(&mut self) -> Result<(), VassalFault> {
        for id in self.pieces.keys() {
            let (mut at, mut steps) = (id, 0);
            while let Some(stack) = self.pieces.get(at).and_then(|piece| piece.stack.as_ref()) {
                (at, steps) = (stack, steps + 1);
                if steps > MAX_DEPTH {
                    return Err(VassalFaultKind::StackInItself { id: at.clone() }.at(&self.place));
                }
            }
        }
        let inside: Vec<String> = self
            .pieces
            .values()
            .filter(|piece| piece.stack.is_some())
            .map(|piece| piece.id.clone())
            .collect();
        for id in inside {
            if let Some(at) = self.position(&id) {
                self.piece(&id).at = at;
            }
        }
        Ok(())
    }

    fn piece(&mut self, id: &str) -> &mut SavedPiece {
        self.pieces.get_mut(id).expect("the caller has found it")
    }

    /// Returns where a piece stands.
    pub fn position(&self, id: &str) -> Option<MapDot> {
        let piece = self.pieces.get(id)?;
        let stack = piece
            .stack
            .as_ref()
            .and_then(|stack| self.pieces.get(stack));
        Some(stack.unwrap_or(piece).at.clone())
    }

    /// Puts a piece where its state says, and into a stack or deck the pieces that its state names.
    fn place_by_state(&mut self, id: &str) -> Result<(), VassalFault> {
        let Some(piece) = self.pieces.get(id) else {
            return Ok(());
        };
        let inner = piece.traits.last().cloned().unwrap_or_default();
        let is_holder = piece.is_holder();
        let mut state = SequenceReader::new(&inner.state, ';');
        let map = state.text();
        let map = if map == "null" {
            String::new()
        } else {
            map.into_owned()
        };
        let dot = match (map.is_empty(), state.number(), state.number()) {
            (_, Some(x), Some(y)) => (x, y),
            (true, ..) => (0, 0),
            _ => return Err(VassalFaultKind::NoPosition { id: id.into() }.at(&self.place)),
        };
        let map_before = if is_holder {
            self.pieces[id].at.0.clone()
        } else {
            self.position(id).unwrap_or_default().0
        };
        self.set_dot(id, dot);
        if is_holder {
            let members: Vec<String> = if inner.kind.starts_with(DECK) {
                let inside = state.nth(1).unwrap_or_default().into_owned();
                SequenceReader::new(&inside, ',')
                    .map(|member| member.into_owned())
                    .collect()
            } else {
                state.map(|member| member.into_owned()).collect()
            };
            self.piece(id).members.clear();
            // What lies in it already leaves no other stack.
            for member in &members {
                if let Some(member) = self
                    .pieces
                    .get_mut(member)
                    .filter(|member| member.stack.as_deref() == Some(id))
                {
                    member.stack = None;
                }
            }
            for member in members.iter().filter(|member| !member.starts_with(LAYER)) {
                let count = self.pieces[id].members.len();
                self.insert_child(id, member, count)?;
            }
        }
        if map != map_before && map.is_empty() {
            self.unlist(id);
            self.piece(id).at.0 = map;
        } else if map != map_before {
            self.list_on(id, &map);
        }
        Ok(())
    }

    /// Sets the dot of a piece itself, whatever stack it lies in.
    fn set_dot(&mut self, id: &str, dot: (i32, i32)) {
        let listed = self.unlist(id);
        self.piece(id).at.1 = dot;
        if let Some(place) = listed {
            self.list(id, place);
        }
    }

    /// Puts a piece into the list of a map, out of its stack and of the list of another map.
    fn list_on(&mut self, id: &str, map: &str) {
        if self.pieces[id].listed.is_some() && self.pieces[id].at.0 == map {
            return;
        }
        self.leave_stack(id);
        self.unlist(id);
        self.piece(id).at.0 = map.into();
        self.next_listed += 1;
        self.list(id, self.next_listed);
    }

    fn list(&mut self, id: &str, place: u64) {
        self.piece(id).listed = Some(place);
        self.dots
            .entry(self.pieces[id].at.clone())
            .or_default()
            .insert(place, id.into());
    }

    /// Takes a piece out of the list of its map; returns its position there.
    fn unlist(&mut self, id: &str) -> Option<u64> {
        let piece = self.pieces.get_mut(id)?;
        let place = piece.listed.take()?;
        if let Some(there) = self.dots.get_mut(&piece.at) {
            there.remove(&place);
            if there.is_empty() {
                self.dots.remove(&self.pieces[id].at);
            }
        }
        Some(place)
    }

    /// Takes a piece out of its stack.
    fn leave_stack(&mut self, id: &str) {
        let stack = self.pieces.get_mut(id).and_then(|piece| piece.stack.take());
        if let Some(stack) = stack.and_then(|stack| self.pieces.get_mut(&stack)) {
            self.looks += stack.members.len();
            stack.members.retain(|member| member != id);
        }
    }

    /// Puts a piece into a stack; one that is not there does nothing.
    fn insert_child(&mut self, stack: &str, id: &str, index: usize) -> Result<(), VassalFault> {
        if !self.pieces.contains_key(id) {
            return Ok(());
        }
        match self.pieces[id].stack {
            Some(_) => self.leave_stack(id),
            None => drop(self.unlist(id)),
        }
        self.piece(id).stack = Some(stack.into());
        let members = &mut self.piece(stack).members;
        members.insert(index.min(members.len()), id.into());
        match members.len() > MAX_MEMBERS {
            true => Err(VassalFaultKind::TooManyInStack { most: MAX_MEMBERS }.at(&self.place)),
            false => self.check_looks(),
        }
    }

    /// Fails if pieces were looked at more often than in any game: some lines about large stacks would take minutes.
    fn check_looks(&self) -> Result<(), VassalFault> {
        if self.looks > MAX_LOOKS {
            Err(VassalFaultKind::TooManyMoves.at(&self.place))
        } else {
            Ok(())
        }
    }

    /// Puts a piece into a stack, or to another position in it.
    fn insert(&mut self, stack: &str, id: &str, index: usize) -> Result<(), VassalFault> {
        let Some(holder) = self.pieces.get_mut(stack) else {
            return Ok(());
        };
        let Some(old_index) = holder.members.iter().position(|member| member == id) else {
            return self.insert_child(stack, id, index);
        };
        let new_index = index.min(holder.members.len());
        holder.members.insert(
            if new_index > old_index {
                new_index + 1
            } else {
                new_index
            }
            .min(holder.members.len()),
            id.into(),
        );
        holder.members.remove(if new_index > old_index {
            old_index
        } else {
            old_index + 1
        });
        Ok(())
    }

    /// Returns the uppermost visible piece of a stack.
    fn top(&self, holder: &SavedPiece) -> Option<&SavedPiece> {
        let hidden = |piece: &&SavedPiece| piece.traits.iter().any(|one| one.hider().is_some());
        holder
            .members
            .iter()
            .rev()
            .filter_map(|member| self.pieces.get(member))
            .find(|piece| !hidden(piece))
    }

    /// Counts the pieces that a move to a dot looks at.
    fn count_looks(&mut self, id: &str, at: &MapDot) -> Result<(), VassalFault> {
        let members = |id: &String| self.pieces.get(id).map_or(0, |piece| piece.members.len());
        let looked_at: usize = self
            .dots
            .get(at)
            .into_iter()
            .flat_map(BTreeMap::values)
            .map(|id| 1 + members(id))
            .sum();
        self.looks += looked_at
            + self
                .pieces
                .get(id)
                .and_then(|piece| piece.stack.as_ref())
                .map_or(1, members);
        self.check_looks()
    }

    /// Returns the deck, stack or piece at a dot that takes a piece which moves there, the first in the list of the map.
    fn stack_at(&self, id: &str, at: &MapDot) -> Option<String> {
        let moving = self.pieces.get(id)?;
        let visible = if moving.is_holder() {
            self.top(moving)
        } else {
            Some(moving)
        };
        let joins = visible.is_some_and(|own| !own.is_alone());
        let pieces_there = self
            .dots
            .get(at)?
            .values()
            .filter_map(|id| self.pieces.get(id));
        let takes = |fixed: &&SavedPiece| {
            let top = if fixed.is_holder() {
                self.top(fixed)
            } else {
                Some(*fixed)
            };
            fixed.is_deck() || joins && top.is_some_and(|top| !top.is_alone())
        };
        pieces_there
            .into_iter()
            .find(takes)
            .map(|fixed| fixed.id.clone())
    }

    /// Returns the uppermost piece at a dot, onto which another can be put.
    pub fn top_at(&self, id: &str, at: &MapDot) -> Option<String> {
        let fixed = self.pieces.get(&self.stack_at(id, at)?)?;
        let top = if fixed.is_holder() {
            self.top(fixed)
        } else {
            Some(fixed)
        };
        top.map(|top| top.id.clone()).filter(|top| top != id)
    }

    /// Makes a stack of a lone piece.
    fn new_stack(&mut self, id: &str) -> Result<String, VassalFault> {
        // No saved game has such a name for a piece.
        let (name, (map, dot)) = (format!("\0{}", self.added), self.pieces[id].at.clone());
        self.insert_new(&name, vec![PieceTrait::new(STACK, "")]);
        self.insert_child(&name, id, 0)?;
        self.set_dot(&name, dot);
        self.list_on(&name, &map);
        Ok(name)
    }

    /// Puts what moves onto what stands there; two lone pieces become a stack.
    fn merge(&mut self, fixed: &str, moving: &str) -> Result<(), VassalFault> {
        let Some(mut piece) = self.pieces.get(fixed) else {
            return Ok(());
        };
        if piece.is_holder() {
            piece = self.top(piece).unwrap_or(piece);
        }
        let (fixed, mut stack) = (piece.id.clone(), piece.stack.clone());
        if moving == fixed || stack.as_deref() == Some(moving) {
            return Ok(());
        }
        let mut index = match &stack {
            Some(stack) => self
                .pieces
                .get(stack)
                .and_then(|stack| stack.members.iter().position(|member| *member == fixed))
                .map_or(0, |at| at + 1),
            None => piece.members.len(),
        };
        if stack.is_none() && piece.is_holder() {
            stack = Some(fixed.clone());
        }
        let stack = match stack {
            Some(stack) => stack,
            None => {
                index = 1;
                self.new_stack(&fixed)?
            }
        };
        if self.pieces[moving].is_holder() {
            for (member, index) in self.pieces[moving].members.clone().iter().zip(index..) {
                self.insert_child(&stack, member, index)?;
            }
            return Ok(());
        }
        if self.pieces[moving].stack.as_ref() == Some(&stack) {
            index = index.saturating_sub(1);
        }
        self.insert(&stack, moving, index)
    }
}

/// Writes the state of a stack or deck as it is now.
fn holder_state(piece: &SavedPiece) -> String {
    let (map, (x, y)) = &piece.at;
    let mut parts = vec![
        if map.is_empty() {
            "null".into()
        } else {
            map.clone()
        },
        x.to_string(),
        y.to_string(),
    ];
    let fields: Vec<_> = SequenceReader::new(&piece.traits[0].state, ';').collect();
    if piece.is_deck() {
        parts.push(
            fields
                .get(3)
                .map(|down| down.to_string())
                .unwrap_or_default(),
        );
        parts.extend(Some(join(&piece.members, ',')).filter(|_| !piece.members.is_empty()));
    } else {
        parts.extend(piece.members.iter().cloned());
        parts.push(
            fields
                .iter()
                .rev()
                .find(|part| part.starts_with(LAYER))
                .map_or(format!("{LAYER}-1"), |layer| layer.to_string()),
        );
    }
    join(&parts, ';')
}
