//! Holds the pieces of a situation against what its manifest says of set-ups: what nobody would mean is noted, and goes on.

use crate::data::manifest::Game;
use crate::data::set_up::SetUpLaw;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::value::{PieceId, Value};
use std::collections::BTreeMap;

/// What a situation has otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenSetUp {
    /// The piece that it is about.
    pub piece: String,
    /// What is wrong: "Red guard has no side".
    pub message: String,
}

/// Returns what the pieces of a board have otherwise than the manifest says.
pub fn broken_set_ups(board: &Board, game: &Game) -> Vec<BrokenSetUp> {
    let pieces = SetUpPieces { board, game };
    let laws = game.set_up.iter();
    laws.flat_map(|law| pieces.broken(law)).collect()
}

struct SetUpPieces<'b> {
    board: &'b Board,
    game: &'b Game,
}

impl SetUpPieces<'_> {
    fn value(&self, piece: PieceId, name: &str) -> Value {
        let column = Board::column_of_attribute(self.game, name);
        let key = column.map(|column| CellKey::new(EntityKind::Piece, column, piece.0));
        let value = key.and_then(|key| self.board.peek(key).cloned());
        value.unwrap_or_default()
    }

    fn text(&self, piece: PieceId, name: &str) -> String {
        let value = self.value(piece, name);
        value
            .as_text()
            .map(|text| text.to_string())
            .unwrap_or_default()
    }

    fn is_set(&self, piece: PieceId, name: &str) -> bool {
        match self.value(piece, name) {
            Value::Nothing | Value::False => false,
            Value::Text(text) => !text.is_empty(),
            _ => true,
        }
    }

    fn is_one_of(&self, piece: PieceId, groups: &[String]) -> bool {
        let kind = self.text(piece, "kind");
        let of_kind = self
            .game
            .kinds
            .get(&kind)
            .map_or(&[][..], |kind| &kind.groups);
        groups
            .iter()
            .any(|group| *group == kind || of_kind.contains(group))
    }

    fn broken(&self, law: &SetUpLaw) -> Vec<BrokenSetUp> {
        let mut broken = Vec::new();
        let mut sides_at: BTreeMap<String, PieceId> = BTreeMap::new();
        let all = (0..self.board.start.names.len()).map(PieceId);
        let is_meant = |piece: &PieceId| {
            self.is_one_of(*piece, &law.of)
                && !law.unless.iter().any(|name| self.is_set(*piece, name))
        };
        for piece in all.filter(is_meant) {
            let name = self.board.name(piece).to_string();
            let mut add = |message: String| {
                broken.push(BrokenSetUp {
                    piece: name.clone(),
                    message,
                })
            };
            let lacks = |needed: &&String| match needed.as_str() {
                "at" => !self.is_set(piece, "at") && !self.is_set(piece, "on"),
                needed => !self.is_set(piece, needed),
            };
            for needed in law.needs.iter().filter(lacks) {
                add(format!("{name} has no {}", needed.replace('_', " ")));
            }
            for (attribute, groups) in &law.named {
                let words = attribute.replace('_', " ");
                self.check_named(piece, attribute, groups, &mut |other, why| {
                    add(format!("{name}: {words} {other}, {why}"))
                });
            }
            if !law.carriers.is_empty() {
                self.check_named(piece, "on", &law.carriers, &mut |other, why| {
                    add(format!("{name} is on {other}, {why}"))
                });
            }
            let (place, side) = (self.text(piece, "at"), self.text(piece, "side"));
            if law.is_apart && !place.is_empty() && !self.game.places.out_of_play.contains(&place) {
                let first = *sides_at.entry(place.clone()).or_insert(piece);
                if self.text(first, "side") != side {
                    let other = self.board.name(first);
                    add(format!(
                        "{name} begins at {place}, and so does {other} of the other side"
                    ));
                }
            }
        }
        broken
    }

    /// Complains of a piece that a word names and that is of another kind or side.
    fn check_named(
        &self,
        piece: PieceId,
        attribute: &str,
        groups: &[String],
        complain: &mut dyn FnMut(&str, String),
    ) {
        let name = self.text(piece, attribute);
        // A name that no piece has is reported elsewhere, or is of a piece that comes later.
        let Some(other) = self.board.peek_by_name(&name.as_str().into()) else {
            return;
        };
        let [side, other_side] = [piece, other].map(|piece| self.text(piece, "side"));
        if !self.is_one_of(other, groups) {
            let kind = self.text(other, "kind");
            complain(
                &name,
                format!("which is of the kind {}", self.game.kind_title(&kind)),
            );
        } else if side != other_side {
            complain(&name, format!("which is of the other side, {other_side}"));
        }
    }
}
