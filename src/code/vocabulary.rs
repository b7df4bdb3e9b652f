//! The words of a game, looked up once: figures of pieces, kinds and the groups they belong to, fields of sheets.

use crate::code::unit::Field;
use crate::data::manifest::Game;
use crate::data::once::held;
use crate::data::sheet::GIVEN;
use crate::situation::board::Board;
use crate::situation::figures::MOST;
use crate::situation::value::Text;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// The words of a game.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// The sides.
    pub sides: Vec<Text>,
    /// The columns of pieces, by the names of their figures.
    pub columns: FxHashMap<Text, usize>,
    /// Kinds with the groups they belong to, themselves among them.
    kinds: FxHashMap<Text, FxHashSet<Text>>,
    groups: FxHashSet<Text>,
    fields: Mutex<(FxHashMap<Text, usize>, Vec<Text>)>,
}

impl Vocabulary {
    /// The words of a game. Fields of sheets are numbered as the manifest declares them, any others as they are met.
    pub fn new(game: &Game) -> Vocabulary {
        let names = ["kind", "side", "at", "on", "gone"].into_iter().chain(game.attributes.iter().map(|(name, _)| name.as_str()));
        let group = |name: &String| Text::from(name.as_str());
        let kinds = game.kinds.iter().map(|(name, kind)| (group(name), kind.groups.iter().chain([name]).map(group).collect()));
        let declared: BTreeSet<&String> =
            game.sheets.iter().filter(|(name, _)| *name != GIVEN).flat_map(|(_, sheet)| sheet.keys()).collect();
        let declared: Vec<Text> = declared.into_iter().take(MOST.0).map(|name| Text::from(name.as_str())).collect();
        let numbers = declared.iter().cloned().zip(0..).collect();
        Vocabulary {
            sides: game.sides.iter().map(group).collect(),
            columns: names.filter_map(|name| Some((name.into(), Board::column(game, name)?))).collect(),
            kinds: kinds.collect(),
            groups: game.groups().map(Text::from).collect(),
            fields: Mutex::new((numbers, declared)),
        }
    }

    /// Whether a kind is, or belongs to, a group.
    pub fn belongs(&self, kind: &Text, group: &Text) -> bool {
        kind == group || self.kinds.get(kind).is_some_and(|groups| groups.contains(group))
    }

    /// Whether any kind or group has this name.
    pub fn knows_group(&self, name: &Text) -> bool {
        self.groups.contains(name)
    }

    /// What a field's name means of pieces, places, sides and sheets; none where sheets have too many fields.
    pub fn meaning(&self, name: &Text, game: &Game) -> Option<Field> {
        let of = |list: &[(String, _)]| list.iter().position(|(known, _)| known == name.as_str()).map(|place| place as u16);
        let (place, side) = (of(&game.places.attributes), of(&game.places.sides));
        let piece = self.columns.get(name).map(|column| *column as u16);
        Some(Field { record: self.field(name)? as u16, name: name.clone(), piece, place, side })
    }

    /// The number of a field of sheets; none where there are too many.
    pub fn field(&self, name: &Text) -> Option<usize> {
        let mut fields = held(&self.fields);
        if let Some(number) = fields.0.get(name) {
            return Some(*number);
        }
        let number = fields.1.len();
        if number >= MOST.0 {
            return None;
        }
        fields.0.insert(name.clone(), number);
        fields.1.push(name.clone());
        Some(number)
    }

    /// The name of a field of sheets.
    pub fn field_name(&self, number: usize) -> Option<Text> {
        held(&self.fields).1.get(number).cloned()
    }
}
