//! Verbs that change the situation: pieces set, moved, carried, removed, created; places and tracks set.

use super::lists::unknown_figure;
use super::places::{find_track, unknown_feature};
use super::types::*;
use super::{VerbEffect, language};
use crate::code::context::{VerbContext, VerbResult, fault};
use crate::complaint::{DiagnosticCode, did_you_mean};
use crate::data::declared_names::PLAIN_FIGURES;
use crate::data::manifest::Game;
use crate::data::piece::{Datum, PieceEntry};
use crate::data::status::Status;
use crate::notation::UnitValue;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::initial_board::{
    CARRIER_COLUMN, GONE_COLUMN, KIND_COLUMN, PLACE_COLUMN, SIDE_COLUMN,
};
use crate::situation::trace::{BoardChange, Event};
use crate::situation::value::{HashedText as Word, Map as Names, PieceId, Value};
use crate::situation::value_text::value_text;
use std::sync::Arc;

/// The columns of where a piece is.
const POSITION: &[(EntityKind, usize)] = &[
    (EntityKind::Piece, PLACE_COLUMN),
    (EntityKind::Piece, CARRIER_COLUMN),
];

/// The columns of where a piece is, and whether it is on the board.
const PRESENCE: &[(EntityKind, usize)] =
    &[POSITION[0], POSITION[1], (EntityKind::Piece, GONE_COLUMN)];

verbs! {
    allowed_in: Anywhere, from_language: false;

    set(what: PIECES | PLACE | MAP, figure: TEXT | NUMBER as FigureOrKey, value: ANY) -> NOTHING
        = Mutate(set_any).changing(VerbEffect::NamedFigure),
        "Sets a figure of a piece or of several, of a place, or of a side between places; or an item of a list or map.",
        "set(piece(\"Red guard\"), \"power\", 1); piece(\"Red guard\").power == 1";
    move_piece(units: PIECES, place: TEXT as Place) = move_piece.changing(VerbEffect::Columns(POSITION)),
        "Moves a piece, or several, to a place.", "move_piece(piece(\"Red guard\"), \"Hill\"); piece(\"Red guard\").at == \"Hill\"";
    take_from_box(units: PIECES, place: TEXT as Place) = take_from_box.changing(VerbEffect::Columns(POSITION)),
        "Moves a piece, or several, to a place, also out of a box whose pieces are out of play (`out_of_play:` in the manifest).",
        "take_from_box(piece(\"Red guard\"), \"Hill\"); piece(\"Red guard\").at == \"Hill\"";
    put_on(units: PIECES, carrier: ANY as Piece) = put_on.changing(VerbEffect::Columns(POSITION)),
        "Puts a piece, or several, on a carrier.", "put_on(piece(\"Red guard\"), \"Red cart\"); piece(\"Red guard\").on == \"Red cart\"";
    remove(units: PIECES | MAP, why: ANY as ReasonOrKey) = Mutate(remove_any).changing(VerbEffect::Columns(PRESENCE)),
        "Takes a piece, or several, off the board; or an item out of a list or map.",
        "remove(piece(\"Red guard\"), \"no power left\"); !has_piece(\"Red guard\")";
    create(piece: MAP as NewPieces) = create.changing(VerbEffect::Columns(&[(EntityKind::Count, 0)])),
        "Brings a piece into play, as a map describes it.",
        "create(#{ name: \"Patrol\", kind: \"trooper\", side: \"Red\", at: \"Farm\" }); has_piece(\"Patrol\")";
    set_track(name: TEXT as Track, value: ANY as Box) = set_track.changing(VerbEffect::NamedTrack),
        "Sets the value of a track.", "set_track(\"turn\", 4); track(\"turn\") == 4";
}

/// Sets an item of a list or map, or a figure of the situation.
fn set_any(ctx: &mut VerbContext, target: &mut Value, args: &[&Value]) -> VerbResult {
    match (&*target, args[0]) {
        (Value::List(_), Value::Number(_)) | (Value::Map(_), Value::Text(_)) => {
            language::set_item(target, args[0], args[1].clone()).map(|()| Value::Nothing)
        }
        _ => set(ctx, &[target, args[0], args[1]]),
    }
}

fn remove_any(ctx: &mut VerbContext, units: &mut Value, args: &[&Value]) -> VerbResult {
    match (&*units, args[0]) {
        (Value::List(_), Value::Number(_)) | (Value::Map(_), Value::Text(_)) => {
            Ok(language::take_item(units, args[0]))
        }
        _ => remove(ctx, &[units, args[0]]),
    }
}

/// Fails unless the running code may change the situation: only procedures and examples may.
pub(super) fn check_in_procedure(ctx: &VerbContext, verb: &str) -> VerbResult<()> {
    match ctx.running_case() {
        Some(case) if ctx.is_answer && case.procedures.is_empty() => {
            let message =
                format!("`{verb}` changes the situation, and this case is not a procedure");
            fault(
                DiagnosticCode::Procedure,
                message,
                "answer with a value and let a procedure act on it, or write `procedure: ...` on the card",
            )
        }
        _ => Ok(()),
    }
}

/// Returns the ids of a piece or a list of pieces.
fn piece_ids(units: &Value) -> VerbResult<Vec<PieceId>> {
    let piece_ids = match units {
        Value::List(list) => list.iter().map(Value::as_piece).collect(),
        one => one.as_piece().map(|piece| vec![piece]),
    };
    let help = "a map can replace a piece in a question, not in a procedure";
    piece_ids.map_or_else(
        || {
            fault(
                DiagnosticCode::Running,
                "only a piece of the board, or a list of them, can be changed",
                help,
            )
        },
        Ok,
    )
}

pub(super) fn text_or_empty(value: &Value) -> Word {
    value.as_text().cloned().unwrap_or_default()
}

fn piece_key(piece: PieceId, column: usize) -> CellKey {
    CellKey::new(EntityKind::Piece, column, piece.0)
}

pub(super) fn record_change(ctx: &mut VerbContext, change: impl FnOnce() -> BoardChange) {
    ctx.record_event(|| Event::Change(Box::new(change())));
}

fn set(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_procedure(ctx, "set")?;
    let Some(name) = args[1].as_text() else {
        return fault(
            DiagnosticCode::Running,
            format!(
                "`set` takes the name of a figure; it was given {}",
                args[1].describe_type()
            ),
            "write set(piece, \"figure\", value)",
        );
    };
    match args[0] {
        Value::Place(place) => {
            let attributes = &ctx.ruleset.game.places.attributes;
            let Some(column) = attributes.iter().position(|(k, _)| *k == name.as_str()) else {
                return unknown_feature("place", name, attributes);
            };
            let figure = ctx.board.place_key_or_add(place, column);
            ctx.board.set(figure, args[2].clone());
            record_change(ctx, || {
                BoardChange::Place(args[0].clone(), name.clone(), args[2].clone())
            });
        }
        Value::Side(pair) => {
            let attributes = &ctx.ruleset.game.places.side_attributes;
            let Some(column) = attributes.iter().position(|(k, _)| *k == name.as_str()) else {
                return unknown_feature("side", name, attributes);
            };
            let figure = ctx.board.side_key_or_add(&pair.0, &pair.1, column);
            ctx.board.set(figure, args[2].clone());
            record_change(ctx, || {
                BoardChange::Place(args[0].clone(), name.clone(), args[2].clone())
            });
        }
        units => piece_ids(units)?
            .into_iter()
            .try_for_each(|piece| set_piece(ctx, piece, name, args[2]))?,
    }
    Ok(Value::Nothing)
}

fn set_piece(ctx: &mut VerbContext, piece: PieceId, name: &Word, value: &Value) -> VerbResult<()> {
    let game = &ctx.ruleset.game;
    let (column, value) = match name.as_str() {
        "side" | "kind" => {
            let word = value_text(value, ctx.board);
            let side = name.as_str() == "side";
            let is_valid = if side {
                game.sides.contains(&word)
            } else {
                game.kinds.contains_key(&word)
            };
            if !is_valid {
                return fault(
                    DiagnosticCode::UnknownName,
                    format!("no {name} is called `{word}`"),
                    "name a side or kind that the game's manifest lists",
                );
            }
            (
                if side { SIDE_COLUMN } else { KIND_COLUMN },
                Value::from(word),
            )
        }
        _ => match game
            .index_of_attribute(name)
            .and_then(|_| Board::column_of_attribute(game, name))
        {
            Some(column) => (column, value.clone()),
            None => return unknown_figure(ctx, name),
        },
    };
    ctx.board.set(piece_key(piece, column), value.clone());
    record_change(ctx, || BoardChange::Set(piece, name.clone(), value));
    Ok(())
}

/// Fails if a piece lies in a box out of play, so that nothing sweeps it along: neither a march nor a landing brings back the dead.
fn check_in_play(ctx: &mut VerbContext, piece: PieceId) -> VerbResult<()> {
    if ctx.game().places.out_of_play.is_empty() {
        return Ok(());
    }
    let at = ctx.board.read_place_of(piece);
    if !ctx
        .game()
        .places
        .out_of_play
        .iter()
        .any(|name| name.as_str() == at.as_str())
    {
        return Ok(());
    }
    let message = format!(
        "{} is in `{at}`, which is out of play, and is not moved with others",
        ctx.board.name(piece)
    );
    fault(
        DiagnosticCode::OffMap,
        message,
        "leave out who is not on the map; what brings a piece back into play is `take_from_box`",
    )
}

fn move_piece(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_procedure(ctx, "move_piece")?;
    piece_ids(args[0])?
        .into_iter()
        .try_for_each(|piece| check_in_play(ctx, piece))?;
    move_to_place(ctx, args)
}

fn take_from_box(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_procedure(ctx, "take_from_box")?;
    move_to_place(ctx, args)
}

fn move_to_place(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    for piece in piece_ids(args[0])? {
        ctx.board
            .set(piece_key(piece, PLACE_COLUMN), args[1].clone());
        ctx.board
            .set(piece_key(piece, CARRIER_COLUMN), Word::default().into());
        record_change(ctx, || BoardChange::Move(piece, text_or_empty(args[1])));
    }
    Ok(Value::Nothing)
}

fn put_on(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_procedure(ctx, "put_on")?;
    let carrier = Word::from(value_text(args[1], ctx.board));
    for piece in piece_ids(args[0])? {
        check_in_play(ctx, piece)?;
        ctx.board
            .set(piece_key(piece, PLACE_COLUMN), Word::default().into());
        ctx.board
            .set(piece_key(piece, CARRIER_COLUMN), carrier.clone().into());
        record_change(ctx, || BoardChange::PutOn(piece, carrier.clone()));
    }
    Ok(Value::Nothing)
}

/// Removes pieces from the board.
pub fn remove(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_procedure(ctx, "remove")?;
    for piece in piece_ids(args[0])? {
        // A removed piece has no place and no carrier, but its other figures stay readable.
        [PLACE_COLUMN, CARRIER_COLUMN]
            .into_iter()
            .for_each(|column| {
                ctx.board
                    .set(piece_key(piece, column), Word::default().into())
            });
        ctx.board.set(piece_key(piece, GONE_COLUMN), Value::True);
        record_change(ctx, || BoardChange::Remove(piece, text_or_empty(args[1])));
    }
    Ok(Value::Nothing)
}

fn create(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_procedure(ctx, "create")?;
    let entry = entry_from_map(
        ctx.game(),
        args[0].as_map().unwrap_or(&Names::default()),
        ctx.board,
    )?;
    if ctx
        .board
        .find(&entry.name.as_str().into())
        .is_some_and(|piece| !ctx.board.is_gone(piece))
    {
        let help = "every piece on the board goes by a name of its own: remove the old one first, or call the new one something else";
        return fault(
            DiagnosticCode::Running,
            format!("a piece named `{}` already exists", entry.name),
            help,
        );
    }
    let ruleset = ctx.ruleset.clone();
    let piece = ctx.board.create_piece(&entry, &ruleset.game);
    record_change(ctx, || BoardChange::Create(piece, args[0].clone()));
    Ok(piece.into())
}

fn set_track(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_procedure(ctx, "set_track")?;
    let name = text_or_empty(args[0]);
    let track = find_track(ctx, &name)?;
    let position = value_text(args[1], ctx.board);
    if !track.contains(&position) {
        return fault(
            DiagnosticCode::Track,
            format!("`{position}` is not on the track `{name}`"),
            track.remedy(),
        );
    }
    if let Some(number) = ctx.board.start.track_number(&name) {
        ctx.board.set(
            CellKey::new(EntityKind::Track, 0, number as usize),
            args[1].clone(),
        );
        record_change(ctx, || BoardChange::Track(name, args[1].clone()));
    }
    Ok(Value::Nothing)
}

/// Reads a piece from a map of a script.
pub fn entry_from_map(game: &Game, map: &Names, board: &Board) -> VerbResult<PieceEntry> {
    let mut entry = PieceEntry {
        path: Arc::from("(script)"),
        ..PieceEntry::default()
    };
    for (key, value) in map.entries() {
        let text = || value_text(value, board);
        match key.as_str() {
            "name" => entry.name = text(),
            "value" => match (UnitValue::parse(&text()), &game.unit_value) {
                (Ok(unit), Some(figures)) => {
                    entry
                        .attributes
                        .insert(figures.first.clone(), Datum::Number(unit.first));
                    entry
                        .attributes
                        .insert(figures.second.clone(), Datum::Number(unit.second));
                    figures.bracketed.iter().for_each(|flag| {
                        drop(
                            entry
                                .attributes
                                .insert(flag.clone(), Datum::Flag(unit.bracketed)),
                        )
                    });
                }
                (Err(error), _) => {
                    return fault(
                        DiagnosticCode::Notation,
                        error.to_string(),
                        "write the counter's figures: \"6-3\"",
                    );
                }
                _ => {
                    return fault(
                        DiagnosticCode::Notation,
                        "the counters of this game have no pair of figures",
                        "name the attributes singly",
                    );
                }
            },
            plain if PLAIN_FIGURES.contains(&plain) => {
                if !value.is_nothing() {
                    entry
                        .attributes
                        .insert(key.to_string(), Datum::Word(text()));
                }
            }
            // `entry` and `entries` include this key.
            "status" => {}
            "missing" => {
                let missing_figures = value
                    .as_list()
                    .map(|list| list.iter().map(|name| value_text(name, board)))
                    .into_iter()
                    .flatten();
                entry
                    .status_by_figure
                    .extend(missing_figures.map(|name| (name, Status::Missing)));
            }
            name if game.index_of_attribute(name).is_some() => {
                let datum = match value {
                    Value::Number(n) => Datum::Number(*n),
                    Value::True => Datum::Flag(true),
                    Value::False => Datum::Flag(false),
                    Value::List(list) => {
                        Datum::Words(list.iter().map(|word| value_text(word, board)).collect())
                    }
                    Value::Nothing => continue,
                    _ => Datum::Word(text()),
                };
                entry.attributes.insert(name.into(), datum);
            }
            name => {
                return fault(
                    DiagnosticCode::UnknownName,
                    did_you_mean(
                        format!("a piece has no `{name}`"),
                        name,
                        game.attributes.iter().map(|(k, _)| k.as_str()),
                    ),
                    "name an attribute that the game's manifest lists",
                );
            }
        }
    }
    if entry.name.is_empty()
        || !entry
            .word("kind")
            .is_some_and(|kind| game.kinds.contains_key(kind))
    {
        let message = "a piece needs a name and a kind that the manifest knows";
        return fault(
            DiagnosticCode::UnknownName,
            message,
            "write #{name: \"...\", kind: \"...\"}",
        );
    }
    Ok(entry)
}
