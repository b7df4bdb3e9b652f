//! Pieces of the board, and the lists they come from.

use super::lists::sift;
use super::{Kind::*, Verb};
use crate::code::context::{Answer, Context, fault};
use crate::complaint::did_you_mean;
use crate::data::case::Status;
use crate::data::piece::Entry;
use crate::data::scenario::Scenario;
use crate::situation::geography::value;
use crate::situation::start::{GONE, ON, SIDE};
use crate::situation::value::{Map as Names, PieceId, Text as Word, Value};
use crate::situation::words::text_of;
use std::sync::Arc;

/// The verbs.
pub const VERBS: &[Verb] = &[
    Verb::answers("piece", &[("name", Text)], piece, "The piece of a name, on the board or gone.", "piece(\"Red guard\").power == 4"),
    Verb::answers("has_piece", &[("name", Text)], has_piece, "Whether a piece of this name is on the board.", "!has_piece(\"nobody\")")
        .gives(Flag),
    Verb::answers(
        "pieces",
        &[("conditions", Map)],
        pieces,
        "The pieces on the board; with conditions, those that meet every one of them.",
        "pieces(#{ side: \"Red\" }).len() > 0",
    )
    .gives(List)
    .optional(1),
    Verb::answers(
        "pieces_at",
        &[("place", Text), ("side", Text)],
        pieces_at,
        "The pieces at a place, carried ones included; of one side if it is named.",
        "pieces_at(\"Mill\", \"Red\").len() == 3",
    )
    .gives(List)
    .optional(1),
    Verb::answers(
        "pieces_around",
        &[("place", Text), ("side", Text)],
        pieces_around,
        "The pieces of a side in the places that touch one.",
        "pieces_around(\"Hill\", \"Red\").len() == 3",
    )
    .gives(List),
    Verb::answers(
        "pieces_on",
        &[("carrier", Any)],
        pieces_on,
        "The pieces that a piece carries.",
        "put_on(piece(\"Red guard\"), \"Red cart\"); pieces_on(\"Red cart\").len() == 1",
    )
    .gives(List),
    Verb::answers(
        "kind_title",
        &[("kind", Text)],
        kind_title,
        "What a kind of piece is called.",
        "kind_title(\"trooper\") == \"troopers\"",
    )
    .gives(Text),
    Verb::answers("enemy", &[("side", Text)], enemy, "The other side, in a game of two.", "enemy(\"Red\") == \"Blue\"").gives(Text),
    Verb::answers(
        "entry",
        &[("list", Text), ("name", Text)],
        entry,
        "What a roster or deployment says of a piece, as a map; () where it does not name it.",
        "entry(\"first-fight\", \"Red guard\").pace == 2",
    ),
    Verb::answers(
        "entries",
        &[("list", Text)],
        entries,
        "What a roster or deployment says of its pieces, a map each.",
        "entries(\"first-fight\").len() == 4",
    )
    .gives(List),
];

fn text(value: &Value) -> Word {
    value.text().cloned().unwrap_or_default()
}

fn all(pieces: Vec<PieceId>) -> Value {
    pieces.into_iter().map(Value::Piece).collect()
}

fn piece(ctx: &mut Context, args: &[&Value]) -> Answer {
    let name = text(args[0]);
    if let Some(piece) = ctx.board.find(&name) {
        // A rule may read the counter of a piece that it has taken off; an example that does has not seen that it is gone.
        if ctx.manner.example && !ctx.answering && ctx.board.is_gone(piece) {
            return fault("example", format!("{name} is gone"), format!("ask whether it is there: `has_piece(\"{name}\")`"));
        }
        return Ok(piece.into());
    }
    let near = did_you_mean(&name, ctx.board.names().map(Word::as_str));
    fault("unknown-name", format!("no piece is called `{name}`{near}"), "pieces stand in the situation")
}

fn has_piece(ctx: &mut Context, args: &[&Value]) -> Answer {
    let found = ctx.board.find(&text(args[0]));
    Ok(found.is_some_and(|piece| ctx.board.piece(piece, GONE) != Value::True).into())
}

fn kind_title(ctx: &mut Context, args: &[&Value]) -> Answer {
    let (kind, game) = (text(args[0]), &ctx.ruleset.game);
    if game.kinds.contains_key(kind.as_str()) {
        return Ok(game.kind_title(&kind).into());
    }
    let near = did_you_mean(&kind, game.kinds.keys().map(String::as_str));
    fault("unknown-name", format!("no kind of piece is called `{kind}`{near}"), "kinds stand in the game's manifest")
}

fn pieces(ctx: &mut Context, args: &[&Value]) -> Answer {
    let Some(Value::Map(conditions)) = args.first() else { return Ok(all(ctx.board.select(&[], |_| true))) };
    // Most ask for a side or a place: those are few, and soon found.
    let named = |figure: &str| conditions.get(figure).and_then(Value::text).filter(|name| !name.is_empty());
    let (some, met) = match (named("at"), named("side")) {
        (Some(place), _) => (ctx.board.at(place), "at"),
        (None, Some(side)) => (ctx.board.select(&[SIDE], |row| row[0].text() == Some(side)), "side"),
        _ => (ctx.board.select(&[], |_| true), ""),
    };
    let some: Vec<Value> = some.into_iter().map(Value::Piece).collect();
    sift(ctx, &some, conditions.entries().iter().filter(|(figure, _)| figure.as_str() != met), true)
}

fn pieces_at(ctx: &mut Context, args: &[&Value]) -> Answer {
    let found = ctx.board.at(&text(args[0]));
    Ok(all(match args.get(1).and_then(|side| side.text()) {
        Some(side) => ctx.board.of_side(found, side),
        None => found,
    }))
}

fn pieces_around(ctx: &mut Context, args: &[&Value]) -> Answer {
    let near = super::places::around(ctx, &text(args[0]))?;
    let mut found = ctx.board.at_any(&near);
    found.sort();
    Ok(all(ctx.board.of_side(found, &text(args[1]))))
}

fn pieces_on(ctx: &mut Context, args: &[&Value]) -> Answer {
    let name = Word::from(text_of(args[0], ctx.board));
    Ok(all(ctx.board.select(&[ON], |row| row[0].text() == Some(&name))))
}

fn enemy(ctx: &mut Context, args: &[&Value]) -> Answer {
    let sides = &ctx.words.sides;
    let Some(side) = args[0].text().filter(|side| sides.contains(side)) else {
        let what = format!("`enemy` is asked of `{}`, which is no side", text(args[0]));
        return fault(
            "unknown-name",
            what,
            format!("the sides of this game are {}", sides.iter().map(|side| &**side).collect::<Vec<_>>().join(", ")),
        );
    };
    match sides.iter().filter(|other| **other != *side).collect::<Vec<_>>()[..] {
        [other] => Ok(other.clone().into()),
        _ => fault("sides", format!("`enemy` has no meaning in a game of {} sides", sides.len()), super::ENEMY_HELP),
    }
}

/// The pieces of a list, a map each.
fn listed(ctx: &Context, list: &Value) -> Answer<Arc<Scenario>> {
    match ctx.ruleset.scenario(&text(list)) {
        Ok(scenario) => Ok(scenario),
        Err(error) => fault("unknown-name", error.to_string(), "rosters and deployments stand in scenarios/<game> and in variants"),
    }
}

fn as_map(entry: &Entry) -> Value {
    let mut map: Names = entry.data.iter().map(|(key, datum)| (key.as_str().into(), value(datum))).collect();
    map.insert("name".into(), entry.name.as_str().into());
    map.insert("status".into(), entry.rest.word().into());
    let missing: Vec<Value> =
        entry.status.iter().filter(|(_, status)| **status == Status::Missing).map(|(name, _)| name.as_str().into()).collect();
    if !missing.is_empty() {
        map.insert("missing".into(), missing.into_iter().collect());
    }
    Value::Map(map)
}

fn entries(ctx: &mut Context, args: &[&Value]) -> Answer {
    Ok(listed(ctx, args[0])?.pieces.iter().map(as_map).collect())
}

fn entry(ctx: &mut Context, args: &[&Value]) -> Answer {
    let name = text(args[1]);
    Ok(listed(ctx, args[0])?.pieces.iter().find(|e| e.name == name.as_str()).map(as_map).unwrap_or_default())
}
