//! How a procedure changes the situation: pieces set, moved, carried, removed, made; places and tracks set.

use super::lists::no_figure;
use super::places::{no_feature, track_of};
use super::{Kind::*, Place, Run, Verb, language};
use crate::code::context::{Answer, Context, fault};
use crate::complaint::did_you_mean;
use crate::data::case::Status;
use crate::data::manifest::Game;
use crate::data::piece::{Datum, Entry};
use crate::notation::UnitValue;
use crate::situation::board::Board;
use crate::situation::figures::{Figure, Of};
use crate::situation::start::{AT, GONE, KIND, ON, SIDE};
use crate::situation::trace::{Change, Event};
use crate::situation::value::{Map as Names, PieceId, Text as Word, Value};
use crate::situation::words::text_of;
use std::sync::Arc;

const fn act(
    name: &'static str,
    takes: &'static [super::Parameter],
    run: fn(&mut Context, &[&Value]) -> Answer,
    does: &'static str,
    example: &'static str,
) -> Verb {
    Verb::answers(name, takes, run, does, example).only(Place::Procedures)
}

/// The verbs.
pub const VERBS: &[Verb] = &[
    Verb {
        run: Run::Change(set_any),
        ..act(
            "set",
            &[("what", Any), ("figure", Any), ("value", Any)],
            set,
            "Sets a figure of a piece or of several, of a place, or of a side between places; or an item of a list or map.",
            "set(piece(\"Red guard\"), \"power\", 1); piece(\"Red guard\").power == 1",
        )
    },
    act(
        "move_piece",
        &[("units", Pieces), ("place", Text)],
        move_piece,
        "Moves a piece, or several, to a place.",
        "move_piece(piece(\"Red guard\"), \"Hill\"); piece(\"Red guard\").at == \"Hill\"",
    ),
    act(
        "put_on",
        &[("units", Pieces), ("carrier", Any)],
        put_on,
        "Puts a piece, or several, on a carrier.",
        "put_on(piece(\"Red guard\"), \"Red cart\"); piece(\"Red guard\").on == \"Red cart\"",
    ),
    Verb {
        run: Run::Change(remove_any),
        ..act(
            "remove",
            &[("units", Any), ("why", Any)],
            remove,
            "Takes a piece, or several, off the board; or an item out of a list or map.",
            "remove(piece(\"Red guard\"), \"no power left\"); !has_piece(\"Red guard\")",
        )
    },
    act(
        "create",
        &[("piece", Map)],
        create,
        "Brings a piece into play, as a map describes it.",
        "create(#{ name: \"Patrol\", kind: \"trooper\", side: \"Red\", at: \"Farm\" }); has_piece(\"Patrol\")",
    ),
    act(
        "set_track",
        &[("name", Text), ("value", Any)],
        set_track,
        "Sets where a track stands.",
        "set_track(\"turn\", 4); track(\"turn\") == 4",
    ),
];

/// A list and a map have items of their own to set; all else is a figure of the situation.
fn set_any(ctx: &mut Context, what: &mut Value, args: &[&Value]) -> Answer {
    match (&*what, args[0]) {
        (Value::List(_), Value::Number(_)) | (Value::Map(_), Value::Text(_)) => {
            language::put(what, args[0], args[1].clone()).map(|()| Value::Nothing)
        }
        _ => set(ctx, &[what, args[0], args[1]]),
    }
}

fn remove_any(ctx: &mut Context, units: &mut Value, args: &[&Value]) -> Answer {
    match (&*units, args[0]) {
        (Value::List(_), Value::Number(_)) | (Value::Map(_), Value::Text(_)) => Ok(language::take(units, args[0])),
        _ => remove(ctx, &[units, args[0]]),
    }
}

/// Law `procedure`: cases answer, procedures act. Examples set up what they like.
fn acts(ctx: &Context, verb: &str) -> Answer<()> {
    match ctx.running() {
        Some(case) if ctx.answering && case.procedures.is_empty() => {
            let what = format!("`{verb}` changes the situation, and this case is no procedure");
            fault("procedure", what, "answer with a value and let a procedure act on it, or write `procedure: ...` on the card")
        }
        _ => Ok(()),
    }
}

/// The pieces meant by one piece or a list of them.
fn each(units: &Value) -> Answer<Vec<PieceId>> {
    let all = match units {
        Value::List(list) => list.iter().map(Value::piece).collect(),
        one => one.piece().map(|piece| vec![piece]),
    };
    let help = "maps stand for pieces in questions, not in procedures";
    all.map_or_else(|| fault("running", "only a piece of the board, or a list of them, can be changed", help), Ok)
}

fn text(value: &Value) -> Word {
    value.text().cloned().unwrap_or_default()
}

fn own(piece: PieceId, column: usize) -> Figure {
    Figure::new(Of::Piece, column, piece.0)
}

fn change(ctx: &mut Context, change: impl FnOnce() -> Change) {
    ctx.note(|| Event::Change(Box::new(change())));
}

fn set(ctx: &mut Context, args: &[&Value]) -> Answer {
    acts(ctx, "set")?;
    let Some(name) = args[1].text() else {
        return fault(
            "running",
            format!("`set` takes the name of a figure; it was given {}", args[1].kind()),
            "write set(piece, \"figure\", value)",
        );
    };
    match args[0] {
        Value::Place(place) => {
            let known = &ctx.ruleset.game.places.attributes;
            let Some(column) = known.iter().position(|(k, _)| *k == name.as_str()) else { return no_feature("place", name, known) };
            let figure = ctx.board.place_to_set(place, column);
            ctx.board.set(figure, args[2].clone());
            change(ctx, || Change::Place(args[0].clone(), name.clone(), args[2].clone()));
        }
        Value::Side(pair) => {
            let known = &ctx.ruleset.game.places.sides;
            let Some(column) = known.iter().position(|(k, _)| *k == name.as_str()) else { return no_feature("side", name, known) };
            let figure = ctx.board.side_to_set(&pair.0, &pair.1, column);
            ctx.board.set(figure, args[2].clone());
            change(ctx, || Change::Place(args[0].clone(), name.clone(), args[2].clone()));
        }
        units => each(units)?.into_iter().try_for_each(|piece| set_piece(ctx, piece, name, args[2]))?,
    }
    Ok(Value::Nothing)
}

fn set_piece(ctx: &mut Context, piece: PieceId, name: &Word, value: &Value) -> Answer<()> {
    let game = &ctx.ruleset.game;
    let (column, value) = match name.as_str() {
        "side" | "kind" => {
            let word = text_of(value, ctx.board);
            let side = name.as_str() == "side";
            let known = if side { game.sides.contains(&word) } else { game.kinds.contains_key(&word) };
            if !known {
                return fault("unknown-name", format!("no {name} is called `{word}`"), "sides and kinds stand in the game's manifest");
            }
            (if side { SIDE } else { KIND }, Value::from(word))
        }
        _ => match game.attribute(name).and_then(|_| Board::column(game, name)) {
            Some(column) => (column, value.clone()),
            None => return no_figure(ctx, name),
        },
    };
    ctx.board.set(own(piece, column), value.clone());
    change(ctx, || Change::Set(piece, name.clone(), value));
    Ok(())
}

fn move_piece(ctx: &mut Context, args: &[&Value]) -> Answer {
    acts(ctx, "move_piece")?;
    for piece in each(args[0])? {
        ctx.board.set(own(piece, AT), args[1].clone());
        ctx.board.set(own(piece, ON), Word::default().into());
        change(ctx, || Change::Move(piece, text(args[1])));
    }
    Ok(Value::Nothing)
}

fn put_on(ctx: &mut Context, args: &[&Value]) -> Answer {
    acts(ctx, "put_on")?;
    let carrier = Word::from(text_of(args[1], ctx.board));
    for piece in each(args[0])? {
        ctx.board.set(own(piece, AT), Word::default().into());
        ctx.board.set(own(piece, ON), carrier.clone().into());
        change(ctx, || Change::Ride(piece, carrier.clone()));
    }
    Ok(Value::Nothing)
}

/// Takes pieces off the board.
pub fn remove(ctx: &mut Context, args: &[&Value]) -> Answer {
    acts(ctx, "remove")?;
    for piece in each(args[0])? {
        // It stands nowhere then, and nothing carries it; what its counter says of it can still be read.
        [AT, ON].into_iter().for_each(|column| ctx.board.set(own(piece, column), Word::default().into()));
        ctx.board.set(own(piece, GONE), Value::True);
        change(ctx, || Change::Remove(piece, text(args[1])));
    }
    Ok(Value::Nothing)
}

fn create(ctx: &mut Context, args: &[&Value]) -> Answer {
    acts(ctx, "create")?;
    let entry = described(ctx.game(), args[0].map().unwrap_or(&Names::default()), ctx.board)?;
    if ctx.board.find(&entry.name.as_str().into()).is_some_and(|piece| !ctx.board.is_gone(piece)) {
        let help = "every piece on the board goes by a name of its own: remove the old one first, or call the new one something else";
        return fault("running", format!("there is a piece called `{}` already", entry.name), help);
    }
    let ruleset = ctx.ruleset.clone();
    let piece = ctx.board.add(&entry, &ruleset.game);
    change(ctx, || Change::Create(piece, args[0].clone()));
    Ok(piece.into())
}

fn set_track(ctx: &mut Context, args: &[&Value]) -> Answer {
    acts(ctx, "set_track")?;
    let name = text(args[0]);
    let track = track_of(ctx, &name)?;
    let wanted = text_of(args[1], ctx.board);
    if !track.has(&wanted) {
        return fault("track", format!("`{wanted}` is not on the track `{name}`"), track.describe());
    }
    if let Some(number) = ctx.board.start.track_number(&name) {
        ctx.board.set(Figure::new(Of::Track, 0, number as usize), args[1].clone());
        change(ctx, || Change::Track(name, args[1].clone()));
    }
    Ok(Value::Nothing)
}

/// A piece described by a script's map.
pub fn described(game: &Game, map: &Names, board: &Board) -> Answer<Entry> {
    let mut entry = Entry { path: Arc::from("(script)"), ..Entry::default() };
    for (key, value) in map.entries() {
        let text = || text_of(value, board);
        match key.as_str() {
            "name" => entry.name = text(),
            "value" => match (UnitValue::read(&text()), &game.unit_value) {
                (Ok(unit), Some((first, second, bracketed))) => {
                    entry.data.insert(first.clone(), Datum::Number(unit.first));
                    entry.data.insert(second.clone(), Datum::Number(unit.second));
                    bracketed.iter().for_each(|flag| drop(entry.data.insert(flag.clone(), Datum::Flag(unit.bracketed))));
                }
                (Err(error), _) => return fault("notation", error.to_string(), "write the counter's figures: \"6-3\""),
                _ => return fault("notation", "the counters of this game have no pair of figures", "name the attributes singly"),
            },
            "kind" | "side" | "at" | "on" => {
                if !value.is_nothing() {
                    entry.data.insert(key.to_string(), Datum::Word(text()));
                }
            }
            // As `entry` and `entries` hand them out.
            "status" => {}
            "missing" => {
                let named = value.list().map(|list| list.iter().map(|name| text_of(name, board))).into_iter().flatten();
                entry.status.extend(named.map(|name| (name, Status::Missing)));
            }
            name if game.attribute(name).is_some() => {
                let datum = match value {
                    Value::Number(n) => Datum::Number(*n),
                    Value::True => Datum::Flag(true),
                    Value::False => Datum::Flag(false),
                    Value::List(list) => Datum::Words(list.iter().map(|word| text_of(word, board)).collect()),
                    Value::Nothing => continue,
                    _ => Datum::Word(text()),
                };
                entry.data.insert(name.into(), datum);
            }
            name => {
                let near = did_you_mean(name, game.attributes.iter().map(|(k, _)| k.as_str()));
                return fault("unknown-name", format!("a piece has no `{name}`{near}"), "attributes stand in the game's manifest");
            }
        }
    }
    if entry.name.is_empty() || !entry.word("kind").is_some_and(|kind| game.kinds.contains_key(kind)) {
        let what = "a piece needs a name and a kind that the manifest knows";
        return fault("unknown-name", what, "write #{name: \"...\", kind: \"...\"}");
    }
    Ok(entry)
}
