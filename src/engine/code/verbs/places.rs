//! Places, sides between them, and tracks.

use super::ResultRule;
use super::change::text_or_empty;
use super::types::*;
use crate::code::context::{VerbContext, VerbResult, fault, within_numbers};
use crate::complaint::{DiagnosticCode, did_you_mean, unknown_name};
use crate::data::manifest::{AttributeType, Track};
use crate::notation::Turn;
use crate::situation::value::{HashedText as Word, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

verbs! {
    allowed_in: Anywhere, from_language: false;

    place(name: TEXT as Place) = Function(|_, args| Ok(Value::Place(text_or_empty(args[0])))),
        "A place, to ask for what is known of it: `place(hex).name`.", "place(\"Hill\").shelter";
    between(a: TEXT as Place, b: TEXT as Place) = Function(|_, args| Ok(Value::Side(Arc::new((text_or_empty(args[0]), text_or_empty(args[1])))))),
        "The side between two places, to ask for what is known of it.", "between(\"Mill\", \"Hill\").ditch";
    adjacent(a: TEXT as Place, b: TEXT as Place) -> FLAG
        = Function(|ctx, args| Ok((step_distance(ctx, &text_or_empty(args[0]), &text_or_empty(args[1]))? == 1).into())),
        "Whether two places touch.", "adjacent(\"Mill\", \"Hill\")";
    neighbours(place: TEXT as Place) -> LIST
        = Function(|ctx, args| Ok(adjacent_places(ctx, &text_or_empty(args[0]))?.into_iter().map(Value::Text).collect())),
        "The places that touch one.", "neighbours(\"Mill\") == [\"Hill\"]";
    distance(a: TEXT as Place, b: TEXT as Place) -> NUMBER
        = Function(|ctx, args| Ok(step_distance(ctx, &text_or_empty(args[0]), &text_or_empty(args[1]))?.into())),
        "How many steps lead from one place to another.", "distance(\"Mill\", \"Farm\") == 2";
    sheets_of(place: TEXT) -> LIST,
        "The sheets of the map that print a hex, or the hexes of a side: several where sheets overlap.", "sheets_of(\"Mill\") == []";
    places() -> LIST, "The places of which the map says something, by name.", "places().len() > 0";
    track(name: TEXT as Track)[otherwise: ANY] = track.giving(ResultRule::TrackBox),
        "The value of a track, or something else where the situation does not say.", "track(\"turn\") == 3";
    later(track: TEXT as Track, box: TEXT as Box, n: NUMBER),
        "The turn or named box so many after another; fewer than none go back.", "later(\"season\", \"spring\", 2) == \"autumn\"";
    position(track: TEXT as Track, box: TEXT as Box) -> NUMBER,
        "The number of a turn or named box on its track, from 1.", "position(\"season\", \"summer\") == 2";
}

fn places(ctx: &mut VerbContext, _: &[&Value]) -> VerbResult {
    ctx.board.record_places_read();
    ctx.note_maps(
        ctx.board
            .start
            .geography
            .uncertain_lists()
            .cloned()
            .collect(),
    )?;
    Ok(ctx
        .board
        .places()
        .map(|(name, _)| Value::Text(name.clone()))
        .collect())
}

/// Fails because places or sides have no attribute of this name.
pub fn unknown_feature<T>(
    kind: &str,
    name: &str,
    attributes: &[(String, AttributeType)],
) -> VerbResult<T> {
    fault(
        DiagnosticCode::UnknownName,
        did_you_mean(
            format!("a {kind} has no `{name}`"),
            name,
            attributes.iter().map(|(k, _)| k.as_str()),
        ),
        "name an attribute that the game's manifest lists for places or sides",
    )
}

pub fn adjacent_places(ctx: &mut VerbContext, place: &Word) -> VerbResult<Vec<Word>> {
    if ctx.game().places.is_hex_grid {
        return Ok(ctx.hex_info(place)?.neighbours.clone());
    }
    ctx.note_maps(
        ctx.board
            .start
            .geography
            .uncertain_sides_of(place)
            .cloned()
            .collect(),
    )?;
    Ok(ctx.board.start.geography.neighbours(place).to_vec())
}

fn sheets_of(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let (places, label) = (&ctx.game().places, text_or_empty(args[0]));
    let hexes = label.split('/').filter_map(|label| places.hex(label));
    let labels = hexes.flat_map(|hex| places.labels_at(places.grid_position(&hex)));
    let sheets: BTreeSet<String> = labels.map(|label| label.sheet).collect();
    Ok(sheets.into_iter().map(Value::from).collect())
}

fn step_distance(ctx: &mut VerbContext, a: &Word, b: &Word) -> VerbResult<i64> {
    if ctx.game().places.is_hex_grid {
        let (from, to) = (ctx.hex_info(a)?, ctx.hex_info(b)?);
        return Ok(ctx.game().places.distance(&from.hex, &to.hex));
    }
    let (mut visited, mut ring, mut steps) = (vec![a.clone()], vec![a.clone()], 0);
    while !ring.is_empty() {
        if ring.contains(b) {
            return Ok(steps);
        }
        let mut next = Vec::new();
        for place in &ring {
            next.extend(
                adjacent_places(ctx, place)?
                    .into_iter()
                    .filter(|place| !visited.contains(place)),
            );
        }
        ring = next;
        ring.sort();
        ring.dedup();
        visited.extend(ring.iter().cloned());
        steps += 1;
    }
    fault(
        DiagnosticCode::UnknownName,
        format!("no way leads from {a} to {b}"),
        "the map's sides say which places touch",
    )
}

/// Finds a track of the game by name.
pub fn find_track<'a>(ctx: &'a VerbContext, name: &str) -> VerbResult<&'a Track> {
    let tracks = &ctx.ruleset.game.tracks;
    let message = || unknown_name("track", name, tracks.keys().map(String::as_str));
    let missing = || {
        fault(
            DiagnosticCode::UnknownName,
            message(),
            "name a track that the game's manifest lists under `tracks:`",
        )
    };
    tracks.get(name).map_or_else(missing, Ok)
}

fn track(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let name = text_or_empty(args[0]);
    let Some(number) = ctx.board.start.track_number(&name) else {
        return find_track(ctx, &name).map(|_| Value::Nothing);
    };
    match ctx.board.track_value(number) {
        Some(value) => Ok(value),
        None if args.len() > 1 => Ok(args[1].clone()),
        None => {
            let message = format!("the situation has no value for the track `{name}`");
            fault(
                DiagnosticCode::UnknownName,
                message,
                format!("add it under `tracks:`: `{name}: ...`"),
            )
        }
    }
}

fn parse_turn(text: &str) -> VerbResult<Turn> {
    Turn::parse(text).or_else(|error| {
        fault(
            DiagnosticCode::Notation,
            error.to_string(),
            "a turn is its number and the year: \"4/62\"",
        )
    })
}

fn box_index(names: &[String], track: &str, name: &str) -> VerbResult<usize> {
    let message = || {
        did_you_mean(
            format!("the track `{track}` has no box `{name}`"),
            name,
            names.iter().map(String::as_str),
        )
    };
    let missing = || {
        fault(
            DiagnosticCode::UnknownName,
            message(),
            "the manifest lists the boxes",
        )
    };
    names
        .iter()
        .position(|n| n == name)
        .map_or_else(missing, Ok)
}

fn later(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let (track, turn, n) = (
        text_or_empty(args[0]),
        text_or_empty(args[1]),
        args[2].as_number().unwrap_or(0),
    );
    match find_track(ctx, &track)? {
        Track::Turns {
            turns_per_year: a_year,
            ..
        } => match parse_turn(&turn)?.add_turns(n, *a_year) {
            Some(later) => Ok(later.to_string().into()),
            None => {
                within_numbers(None, || format!("the turn {n} after {turn}")).map(Value::Number)
            }
        },
        Track::Names(names) => {
            let index = (box_index(names, &track, &turn)? as i64).saturating_add(n);
            match usize::try_from(index).ok().and_then(|i| names.get(i)) {
                Some(name) => Ok(name.as_str().into()),
                None => fault(
                    DiagnosticCode::UnknownName,
                    format!("the track `{track}` has no box {n} after {turn}"),
                    "it ends before",
                ),
            }
        }
        Track::Numbers { .. } => fault(
            DiagnosticCode::UnknownName,
            format!("the track `{track}` counts numbers"),
            "add to its value instead",
        ),
    }
}

fn position(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let (track, turn) = (text_or_empty(args[0]), text_or_empty(args[1]));
    match find_track(ctx, &track)? {
        Track::Turns {
            first,
            turns_per_year: a_year,
            ..
        } => {
            let since = parse_turn(&turn)?
                .turns_since(*first, *a_year)
                .and_then(|turns| turns.checked_add(1));
            within_numbers(since, || format!("the number of {turn}")).map(Value::Number)
        }
        Track::Names(names) => Ok((box_index(names, &track, &turn)? as i64 + 1).into()),
        Track::Numbers { .. } => fault(
            DiagnosticCode::UnknownName,
            format!("the track `{track}` counts numbers"),
            "use its value",
        ),
    }
}
