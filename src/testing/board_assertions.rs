//! Checks the figures and tracks that a test expects on the board after its ruling.

use crate::complaint::{Complaint, DiagnosticCode, Message, did_you_mean};
use crate::data::files::DataFile;
use crate::data::manifest::Game;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::initial_board::{GONE_COLUMN, PLACE_COLUMN};
use crate::situation::value::Value;
use crate::situation::value_text::{matches_expected, value_from_yaml, value_text};
use crate::testing::test::RulingTest;

/// Returns a complaint for each figure or track that stands otherwise than the test expects.
pub fn check_board(ruling_test: &RulingTest, file: &DataFile, board: &Board, game: &Game) -> Vec<Complaint> {
    let mut found = Vec::new();
    for (key, wanted) in &ruling_test.board {
        let complain = |span, what: Message| ruling_test.complaint(DiagnosticCode::Test, span, file, what);
        let name = key.as_text().unwrap_or_default();
        let got = match figure(name, board, game) {
            Ok(got) => got,
            Err((what, help)) => {
                found.push(complain(key.span, what).with_help(help));
                continue;
            }
        };
        let (expected, shown) = (value_from_yaml(wanted), value_text(&got, board));
        if !matches_expected(&got, &expected, board) && wanted.as_text() != Some(&shown) {
            let what = format!("the board has {shown} for `{name}`; the test expects {}", value_text(&expected, board));
            found.push(complain(wanted.span, what.into()).with_help("correct the case, or the test if it misreads the source"));
        }
    }
    found
}

/// Reads `PIECE: FIGURE` or `track: NAME`; fails with what is unknown, and the remedy.
fn figure(name: &str, board: &Board, game: &Game) -> Result<Value, (Message, String)> {
    let Some((target, figure)) = name.rsplit_once(':').map(|(target, figure)| (target.trim(), figure.trim())) else {
        let help = "write `\"PIECE: FIGURE\": VALUE`, or `\"track: NAME\": VALUE`";
        return Err((format!("`{name}` names no figure of a piece").into(), help.into()));
    };
    if target == "track" {
        let Some(number) = board.start.track_number(&figure.into()) else {
            let what = did_you_mean(format!("no track is called `{figure}`"), figure, game.tracks.keys().map(String::as_str));
            return Err((what, "name a track of the game's manifest".into()));
        };
        return Ok(board.peek(CellKey::new(EntityKind::Track, 0, number as usize)).cloned().unwrap_or_default());
    }
    let Some(piece) = board.clone().find(&target.into()) else {
        let names: Vec<&str> = board.names().map(|name| name.as_str()).collect();
        let what = did_you_mean(format!("no piece is called `{target}`"), target, names);
        return Err((what, "name a piece that stood on the board".into()));
    };
    match Board::column_of_attribute(game, figure) {
        Some(PLACE_COLUMN) => Ok(board.place_of(piece).clone().into()),
        // A piece that never left the board has no mark.
        Some(column) => {
            let unset = if column == GONE_COLUMN { Value::False } else { Value::Nothing };
            Ok(board.peek(CellKey::new(EntityKind::Piece, column, piece.0)).cloned().unwrap_or(unset))
        }
        None => {
            let known = game.attributes.iter().map(|(name, _)| name.as_str()).chain(["kind", "side", "at", "on", "gone"]);
            Err((
                did_you_mean(format!("pieces have no figure `{figure}`"), figure, known),
                "name a figure of the manifest, or kind, side, at, on, gone".into(),
            ))
        }
    }
}
