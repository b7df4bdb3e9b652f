//! Lookup tables for the names of a game: figures of pieces, kinds and their groups, fields of sheets.

use crate::code::bytecode::FieldRef;
use crate::data::cache::lock_unpoisoned;
use crate::data::declared_names::PIECE_FIGURES;
use crate::data::manifest::Game;
use crate::situation::board::Board;
use crate::situation::cell_key::LIMITS;
use crate::situation::value::HashedText;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// The names of a game.
#[derive(Debug, Default)]
pub struct Vocabulary {
    pub sides: Vec<HashedText>,
    /// Columns of pieces, by figure name.
    pub columns: FxHashMap<HashedText, usize>,
    /// Groups of each kind, including the kind itself.
    groups_of_kind: FxHashMap<HashedText, FxHashSet<HashedText>>,
    groups: FxHashSet<HashedText>,
    fields: Mutex<(FxHashMap<HashedText, usize>, Vec<HashedText>)>,
}

impl Vocabulary {
    /// Creates the vocabulary of a game. Sheet fields declared in the manifest come first, in sorted order; others are added on first use.
    pub fn new(game: &Game) -> Vocabulary {
        let names = PIECE_FIGURES
            .into_iter()
            .chain(game.attributes.iter().map(|(name, _)| name.as_str()));
        let group = |name: &String| HashedText::from(name.as_str());
        let kinds = game.kinds.iter().map(|(name, kind)| {
            (
                group(name),
                kind.groups.iter().chain([name]).map(group).collect(),
            )
        });
        let declared: BTreeSet<&String> = game
            .sheets
            .values()
            .flat_map(|sheet| sheet.keys())
            .collect();
        let declared: Vec<HashedText> = declared
            .into_iter()
            .take(LIMITS.0)
            .map(|name| HashedText::from(name.as_str()))
            .collect();
        let numbers = declared.iter().cloned().zip(0..).collect();
        Vocabulary {
            sides: game.sides.iter().map(group).collect(),
            columns: names
                .filter_map(|name| Some((name.into(), Board::column_of_attribute(game, name)?)))
                .collect(),
            groups_of_kind: kinds.collect(),
            groups: game.groups().map(HashedText::from).collect(),
            fields: Mutex::new((numbers, declared)),
        }
    }

    /// Whether a kind equals a group or belongs to it.
    pub fn is_in_group(&self, kind: &HashedText, group: &HashedText) -> bool {
        kind == group
            || self
                .groups_of_kind
                .get(kind)
                .is_some_and(|groups| groups.contains(group))
    }

    /// Whether a kind or group has this name.
    pub fn has_group(&self, name: &HashedText) -> bool {
        self.groups.contains(name)
    }

    /// Resolves a field name for pieces, places, sides and sheets. Returns `None` if there are too many sheet fields.
    pub fn field_ref(&self, name: &HashedText, game: &Game) -> Option<FieldRef> {
        let column_of = |list: &[(String, _)]| {
            list.iter()
                .position(|(attribute, _)| attribute == name.as_str())
                .map(|index| index as u16)
        };
        let (index, side) = (
            column_of(&game.places.attributes),
            column_of(&game.places.side_attributes),
        );
        let piece = self.columns.get(name).map(|column| *column as u16);
        Some(FieldRef {
            record_field: self.field_number(name)? as u16,
            name: name.clone(),
            piece_column: piece,
            place_column: index,
            side_column: side,
        })
    }

    /// Returns the number of a sheet field, adding it if needed, or `None` if there are too many.
    pub fn field_number(&self, name: &HashedText) -> Option<usize> {
        let mut fields = lock_unpoisoned(&self.fields);
        if let Some(number) = fields.0.get(name) {
            return Some(*number);
        }
        let number = fields.1.len();
        if number >= LIMITS.0 {
            return None;
        }
        fields.0.insert(name.clone(), number);
        fields.1.push(name.clone());
        Some(number)
    }

    /// Returns the name of a sheet field.
    pub fn field_name(&self, number: usize) -> Option<HashedText> {
        lock_unpoisoned(&self.fields).1.get(number).cloned()
    }
}
