//! What is wrong with a board whatever the rules say: pieces at places that do not exist, and figures below their least.

use crate::complaint::{Complaint, DiagnosticCode, Place};
use crate::data::manifest::Game;
use crate::data::places::AttributeType;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::initial_board::{FIRST_ATTRIBUTE, GONE_COLUMN, PLACE_COLUMN};
use crate::situation::value::Value;
use std::collections::BTreeSet;

/// Returns the first fault of a board that `before` did not have. `procedure` made the one of the other.
pub fn find_fault(board: &Board, before: &Board, game: &Game, procedure: &str, path: &str) -> Option<Complaint> {
    let known_places: BTreeSet<&str> = match game.places.is_hex_grid {
        true => BTreeSet::new(),
        false => {
            let listed = board.places().map(|(name, _)| name.as_str());
            let linked = board.sides().flat_map(|(a, b, _)| [a.as_str(), b.as_str()]);
            listed.chain(linked).chain(game.places.boxes.iter().map(String::as_str)).collect()
        }
    };
    // Without a map nothing says which names are places.
    let is_place = |name: &str| {
        if game.places.is_hex_grid { game.places.contains(name) } else { known_places.is_empty() || known_places.contains(name) }
    };
    for (number, name) in board.names().enumerate() {
        let cell = |board: &Board, column: usize| board.peek(CellKey::new(EntityKind::Piece, column, number)).cloned();
        if cell(board, GONE_COLUMN) == Some(Value::True) {
            continue;
        }
        let is_new = |column: usize| cell(before, column) != cell(board, column);
        let at = cell(board, PLACE_COLUMN).and_then(|at| at.as_text().map(|at| at.to_string())).unwrap_or_default();
        if !at.is_empty() && !is_place(&at) && is_new(PLACE_COLUMN) {
            let what = format!("`{procedure}` leaves {name} at `{at}`, and there is no such place");
            let places =
                if game.places.is_hex_grid { game.places.describe_hex() } else { "a place of the map, or a box of the manifest".into() };
            let help = format!("let the rule look whether a place exists before a piece goes there: {places}");
            return Some(Complaint::new(DiagnosticCode::OffMap, Place::whole_file(path), what).with_help(help).with_breadcrumbs(procedure));
        }
        for (index, (figure, sort)) in game.attributes.iter().enumerate() {
            let AttributeType::Number(_, _, minimum) = sort else { continue };
            let Some(value) = cell(board, FIRST_ATTRIBUTE + index).and_then(|value| value.as_number()) else { continue };
            if value < *minimum && is_new(FIRST_ATTRIBUTE + index) {
                let what = format!("`{procedure}` leaves {name} with {figure} {value}, and the least is {minimum}");
                let help = format!(
                    "let the rule stop at {minimum}: max({minimum}, ...); or write the least under `from:` of `{figure}` in the manifest"
                );
                return Some(
                    Complaint::new(DiagnosticCode::BelowLeast, Place::whole_file(path), what).with_help(help).with_breadcrumbs(procedure),
                );
            }
        }
    }
    None
}
