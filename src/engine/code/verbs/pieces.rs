//! Pieces of the board and of lists.

use super::change::text_or_empty;
use super::lists::filter_by_conditions;
use super::types::*;
use super::{ResultRule, VerbReads};
use crate::code::context::{VerbContext, VerbResult, fault};
use crate::complaint::{DiagnosticCode, unknown_name};
use crate::data::piece::PieceEntry;
use crate::data::scenario::Scenario;
use crate::data::status::Status;
use crate::situation::cell_key::EntityKind;
use crate::situation::geography::datum_value;
use crate::situation::initial_board::{CARRIER_COLUMN, GONE_COLUMN, PLACE_COLUMN, SIDE_COLUMN};
use crate::situation::value::{HashedText as Word, Map as Names, PieceId, Value};
use crate::situation::value_text::value_text;
use std::sync::Arc;

/// What the verbs read that ask which pieces there are.
const PRESENCE: VerbReads = VerbReads::Columns(&[(EntityKind::Piece, GONE_COLUMN)]);
/// What those read that ask for the pieces at places: a carried piece is where its carrier is.
const BY_PLACE: VerbReads = VerbReads::Columns(&[
    (EntityKind::Piece, GONE_COLUMN),
    (EntityKind::Piece, PLACE_COLUMN),
    (EntityKind::Piece, CARRIER_COLUMN),
]);
/// What those read that ask for the pieces on a carrier.
const BY_CARRIER: VerbReads = VerbReads::Columns(&[
    (EntityKind::Piece, GONE_COLUMN),
    (EntityKind::Piece, CARRIER_COLUMN),
]);

verbs! {
    allowed_in: Anywhere, from_language: false;

    piece(name: TEXT as Piece), "The piece of a name, on the board or gone.", "piece(\"Red guard\").power == 4";
    has_piece(name: TEXT as Piece) -> FLAG = has_piece.reading(PRESENCE),
        "Whether a piece of this name is on the board.", "!has_piece(\"nobody\")";
    pieces()[conditions: MAP as Conditions] -> LIST = pieces.reading(PRESENCE).giving(ResultRule::Pieces),
        "The pieces on the board; with conditions, those that meet every one of them.", "pieces(#{ side: \"Red\" }).len() > 0";
    pieces_at(place: TEXT as Place)[side: TEXT as Side] -> LIST = pieces_at.reading(BY_PLACE).giving(ResultRule::Pieces),
        "The pieces at a place, carried ones included; of one side if it is named.", "pieces_at(\"Mill\", \"Red\").len() == 3";
    pieces_around(place: TEXT as Place, side: TEXT as Side) -> LIST = pieces_around.reading(BY_PLACE).giving(ResultRule::Pieces),
        "The pieces of a side in the places that touch one.", "pieces_around(\"Hill\", \"Red\").len() == 3";
    pieces_on(carrier: ANY as Piece) -> LIST = pieces_on.reading(BY_CARRIER).giving(ResultRule::Pieces),
        "The pieces that a piece carries.", "put_on(piece(\"Red guard\"), \"Red cart\"); pieces_on(\"Red cart\").len() == 1";
    enemy(side: TEXT as Side) -> TEXT = enemy.giving(ResultRule::OtherSide),
        "The other side, in a game of two.", "enemy(\"Red\") == \"Blue\"";
    entry(list: TEXT as List, name: TEXT) = entry.reading(VerbReads::List),
        "What a roster or deployment says of a piece, as a map; () where it does not name it.",
        "entry(\"first-fight\", \"Red guard\").pace == 2";
    entries(list: TEXT as List) -> LIST
        = Function(|ctx, args| Ok(find_list(ctx, args[0])?.pieces.iter().map(entry_to_map).collect())).reading(VerbReads::List),
        "What a roster or deployment says of its pieces, a map each.", "entries(\"first-fight\").len() == 4";
}

fn piece_list(pieces: Vec<PieceId>) -> Value {
    pieces.into_iter().map(Value::Piece).collect()
}

fn piece(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let name = text_or_empty(args[0]);
    if let Some(piece) = ctx.board.find(&name) {
        // A rule may read a removed piece; an example that does has probably overlooked the removal.
        if ctx.run_mode.is_example && !ctx.is_answer && ctx.board.is_gone(piece) {
            return fault(
                DiagnosticCode::Example,
                format!("{name} is gone"),
                format!("ask whether it is there: `has_piece(\"{name}\")`"),
            );
        }
        return Ok(piece.into());
    }
    fault(
        DiagnosticCode::UnknownName,
        unknown_name("piece", &name, ctx.board.names().map(Word::as_str)),
        "name a piece of the situation",
    )
}

fn has_piece(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let piece = ctx.board.find(&text_or_empty(args[0]));
    Ok(piece
        .is_some_and(|piece| ctx.board.piece_value(piece, GONE_COLUMN) != Value::True)
        .into())
}

fn pieces(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let Some(Value::Map(conditions)) = args.first() else {
        return Ok(piece_list(ctx.board.select(&[], |_| true)));
    };
    // Fast path: most queries name a place or a side, which selects few pieces.
    let name_under = |figure: &str| {
        conditions
            .get(figure)
            .and_then(Value::as_text)
            .filter(|name| !name.is_empty())
    };
    let (selected, used_figure) = match (name_under("at"), name_under("side")) {
        (Some(place), _) => (ctx.board.pieces_at(place), "at"),
        (None, Some(side)) => (
            ctx.board
                .select(&[SIDE_COLUMN], |row| row[0].as_text() == Some(side)),
            "side",
        ),
        _ => (ctx.board.select(&[], |_| true), ""),
    };
    let selected: Vec<Value> = selected.into_iter().map(Value::Piece).collect();
    filter_by_conditions(
        ctx,
        &selected,
        conditions
            .entries()
            .iter()
            .filter(|(figure, _)| figure.as_str() != used_figure),
        true,
    )
}

fn pieces_at(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let at_place = ctx.board.pieces_at(&text_or_empty(args[0]));
    Ok(piece_list(
        match args.get(1).and_then(|side| side.as_text()) {
            Some(side) => ctx.board.filter_side(at_place, side),
            None => at_place,
        },
    ))
}

fn pieces_around(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let neighbours = super::places::adjacent_places(ctx, &text_or_empty(args[0]))?;
    let mut adjacent = ctx.board.pieces_at_any(&neighbours);
    adjacent.sort();
    Ok(piece_list(
        ctx.board.filter_side(adjacent, &text_or_empty(args[1])),
    ))
}

fn pieces_on(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let name = Word::from(value_text(args[0], ctx.board));
    Ok(piece_list(ctx.board.select(&[CARRIER_COLUMN], |row| {
        row[0].as_text() == Some(&name)
    })))
}

fn enemy(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let sides = &ctx.vocabulary.sides;
    let Some(side) = args[0].as_text().filter(|side| sides.contains(side)) else {
        let message = format!(
            "`enemy` is asked of `{}`, which is not a side",
            text_or_empty(args[0])
        );
        return fault(
            DiagnosticCode::UnknownName,
            message,
            format!(
                "name one of the sides: {}",
                sides
                    .iter()
                    .map(|side| &**side)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        );
    };
    match sides
        .iter()
        .filter(|candidate| **candidate != *side)
        .collect::<Vec<_>>()[..]
    {
        [candidate] => Ok(candidate.clone().into()),
        _ => fault(
            DiagnosticCode::Sides,
            format!("`enemy` has no meaning in a game of {} sides", sides.len()),
            super::ENEMY_HELP,
        ),
    }
}

/// Finds the roster or deployment of a name.
fn find_list(ctx: &VerbContext, list: &Value) -> VerbResult<Arc<Scenario>> {
    match ctx.ruleset.scenario(&text_or_empty(list)) {
        Ok(scenario) => Ok(scenario),
        Err(error) => fault(
            DiagnosticCode::UnknownName,
            error.to_string(),
            "name a roster or deployment of scenarios/<game> or of a variant",
        ),
    }
}

fn entry_to_map(entry: &PieceEntry) -> Value {
    let mut map: Names = entry
        .attributes
        .iter()
        .map(|(key, datum)| (key.as_str().into(), datum_value(datum)))
        .collect();
    map.insert("name".into(), entry.name.as_str().into());
    map.insert("status".into(), entry.default_status.as_str().into());
    let missing: Vec<Value> = entry
        .status_by_figure
        .iter()
        .filter(|(_, status)| **status == Status::Missing)
        .map(|(name, _)| name.as_str().into())
        .collect();
    if !missing.is_empty() {
        map.insert("missing".into(), missing.into_iter().collect());
    }
    Value::Map(map)
}

fn entry(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let name = text_or_empty(args[1]);
    Ok(find_list(ctx, args[0])?
        .pieces
        .iter()
        .find(|e| e.name == name.as_str())
        .map(entry_to_map)
        .unwrap_or_default())
}
