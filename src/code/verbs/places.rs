//! Places, what lies between them, and tracks.

use super::{Kind::*, Verb};
use crate::code::context::{Answer, Context, fault};
use crate::complaint::did_you_mean;
use crate::data::manifest::{Attribute, Track};
use crate::notation::Turn;
use crate::situation::value::{Text as Word, Value};
use std::sync::Arc;

/// The verbs.
pub const VERBS: &[Verb] = &[
    Verb::answers(
        "place",
        &[("name", Text)],
        place,
        "A place, to ask for what is known of it: `place(hex).name`.",
        "place(\"Hill\").shelter",
    ),
    Verb::answers(
        "between",
        &[("a", Text), ("b", Text)],
        between,
        "The side between two places, to ask for what is known of it.",
        "between(\"Mill\", \"Hill\").ditch",
    ),
    Verb::answers("adjacent", &[("a", Text), ("b", Text)], adjacent, "Whether two places touch.", "adjacent(\"Mill\", \"Hill\")")
        .gives(Flag),
    Verb::answers("neighbours", &[("place", Text)], neighbours, "The places that touch one.", "neighbours(\"Mill\") == [\"Hill\"]")
        .gives(List),
    Verb::answers(
        "distance",
        &[("a", Text), ("b", Text)],
        distance,
        "How many steps lead from one place to another.",
        "distance(\"Mill\", \"Farm\") == 2",
    )
    .gives(Number),
    Verb::answers("places", &[], places, "The places of which the map says something, by name.", "places().len() > 0").gives(List),
    Verb::answers(
        "track",
        &[("name", Text), ("otherwise", Any)],
        track,
        "Where a track stands, or something else where the situation does not say.",
        "track(\"turn\") == 3",
    )
    .optional(1),
    Verb::answers(
        "later",
        &[("track", Text), ("box", Text), ("n", Number)],
        later,
        "The turn or named box so many after another; fewer than none go back.",
        "later(\"season\", \"spring\", 2) == \"autumn\"",
    ),
    Verb::answers(
        "position",
        &[("track", Text), ("box", Text)],
        position,
        "The number of a turn or named box on its track, from 1.",
        "position(\"season\", \"summer\") == 2",
    )
    .gives(Number),
];

fn text(value: &Value) -> Word {
    value.text().cloned().unwrap_or_default()
}

fn places(ctx: &mut Context, _: &[&Value]) -> Answer {
    ctx.board.look_at_places();
    Ok(ctx.board.places().map(|(name, _)| Value::Text(name.clone())).collect())
}

fn place(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(Value::Place(text(args[0])))
}

fn between(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(Value::Side(Arc::new((text(args[0]), text(args[1])))))
}

/// What a place or side does not have.
pub fn no_feature<T>(what: &str, name: &str, known: &[(String, Attribute)]) -> Answer<T> {
    let near = did_you_mean(name, known.iter().map(|(k, _)| k.as_str()));
    fault("unknown-name", format!("a {what} has no `{name}`{near}"), "what places and sides have stands in the game's manifest")
}

/// The places that touch one.
pub fn around(ctx: &mut Context, place: &Word) -> Answer<Vec<Word>> {
    if ctx.game().places.hexes {
        return Ok(ctx.spot(place)?.neighbours.clone());
    }
    Ok(ctx.board.start.geography.linked(place).to_vec())
}

fn neighbours(ctx: &mut Context, args: &[&Value]) -> Answer {
    Ok(around(ctx, &text(args[0]))?.into_iter().map(Value::Text).collect())
}

fn steps(ctx: &mut Context, a: &Word, b: &Word) -> Answer<i64> {
    if ctx.game().places.hexes {
        let (from, to) = (ctx.spot(a)?, ctx.spot(b)?);
        return Ok(ctx.game().places.distance(&from.hex, &to.hex));
    }
    let start = ctx.board.start.clone();
    let (mut seen, mut ring, mut steps) = (vec![a.clone()], vec![a.clone()], 0);
    while !ring.is_empty() {
        if ring.contains(b) {
            return Ok(steps);
        }
        ring = ring.iter().flat_map(|place| start.geography.linked(place)).filter(|place| !seen.contains(place)).cloned().collect();
        ring.sort();
        ring.dedup();
        seen.extend(ring.iter().cloned());
        steps += 1;
    }
    fault("unknown-name", format!("no way leads from {a} to {b}"), "the map's sides say which places touch")
}

fn distance(ctx: &mut Context, args: &[&Value]) -> Answer {
    Ok(steps(ctx, &text(args[0]), &text(args[1]))?.into())
}

fn adjacent(ctx: &mut Context, args: &[&Value]) -> Answer {
    Ok((steps(ctx, &text(args[0]), &text(args[1]))? == 1).into())
}

/// A track of the game.
pub fn track_of<'a>(ctx: &'a Context, name: &str) -> Answer<&'a Track> {
    let tracks = &ctx.ruleset.game.tracks;
    let near = || did_you_mean(name, tracks.keys().map(String::as_str));
    let missing = || fault("unknown-name", format!("no track is called `{name}`{}", near()), "tracks stand in the game's manifest");
    tracks.get(name).map_or_else(missing, Ok)
}

fn track(ctx: &mut Context, args: &[&Value]) -> Answer {
    let name = text(args[0]);
    let Some(number) = ctx.board.start.track_number(&name) else { return track_of(ctx, &name).map(|_| Value::Nothing) };
    match ctx.board.track(number) {
        Some(value) => Ok(value),
        None if args.len() > 1 => Ok(args[1].clone()),
        None => {
            let what = format!("the situation does not say where the track `{name}` stands");
            fault("unknown-name", what, format!("add it under `tracks:`: `{name}: ...`"))
        }
    }
}

fn turn_of(text: &str) -> Answer<Turn> {
    Turn::read(text).or_else(|error| fault("notation", error.to_string(), "a turn is its number and the year: \"4/62\""))
}

/// The box of a name on a track, from 0.
fn box_of(names: &[String], track: &str, name: &str) -> Answer<usize> {
    let near = || did_you_mean(name, names.iter().map(String::as_str));
    let missing = || fault("unknown-name", format!("the track `{track}` has no box `{name}`{}", near()), "boxes stand in the manifest");
    names.iter().position(|n| n == name).map_or_else(missing, Ok)
}

fn later(ctx: &mut Context, args: &[&Value]) -> Answer {
    let (track, turn, n) = (text(args[0]), text(args[1]), args[2].number().unwrap_or(0));
    match track_of(ctx, &track)? {
        Track::Turns { a_year, .. } => Ok(turn_of(&turn)?.later(n, *a_year).to_string().into()),
        Track::Names(names) => {
            let index = (box_of(names, &track, &turn)? as i64).saturating_add(n);
            match usize::try_from(index).ok().and_then(|i| names.get(i)) {
                Some(name) => Ok(name.as_str().into()),
                None => fault("unknown-name", format!("the track `{track}` has no box {n} after {turn}"), "it ends before"),
            }
        }
        Track::Numbers { .. } => fault("unknown-name", format!("the track `{track}` counts numbers"), "add to its value instead"),
    }
}

fn position(ctx: &mut Context, args: &[&Value]) -> Answer {
    let (track, turn) = (text(args[0]), text(args[1]));
    match track_of(ctx, &track)? {
        Track::Turns { first, a_year, .. } => Ok((turn_of(&turn)?.since(*first, *a_year) + 1).into()),
        Track::Names(names) => Ok((box_of(names, &track, &turn)? as i64 + 1).into()),
        Track::Numbers { .. } => fault("unknown-name", format!("the track `{track}` counts numbers"), "use its value"),
    }
}
