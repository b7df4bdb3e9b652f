//! Lists of pieces: who is of a kind, who has a figure, what they come to together. Maps stand for pieces in examples.

use super::{Kind::*, Verb};
use crate::code::context::{Answer, Context, fault};
use crate::complaint::did_you_mean;
use crate::situation::start::{AT, KIND, ON};
use crate::situation::value::{List as Items, Map as Names, PieceId, TEXT, Text as Word, Value};
use crate::situation::words::{same, text_of, text_within};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

/// The verbs.
pub const VERBS: &[Verb] = &[
    Verb::answers(
        "where",
        &[("units", List), ("conditions", Map)],
        where_,
        "Those of a list that meet every condition: a kind or group, or a figure, with one value or one of a list of values.",
        "pieces().where(#{ side: \"Red\" }).len() > 0",
    )
    .gives(List),
    Verb::answers(
        "without",
        &[("units", List), ("others", Any)],
        without,
        "A list without those of a kind or group, without some others, or without those that meet every condition of a map.",
        "[1, 2, 3].without([2]) == [1, 3]",
    )
    .gives(List),
    Verb::answers(
        "only",
        &[("units", List), ("groups", Any)],
        only,
        "Those of a list that are of a kind or group, or of one of several.",
        "pieces_at(\"Mill\").only(\"cart\").len() == 1",
    )
    .gives(List),
    Verb::answers(
        "having",
        &[("units", List), ("figure", Text), ("value", Any)],
        having,
        "Those of a list with a certain figure, or with one of several.",
        "pieces().having(\"pace\", [2, 4]).len() == 3",
    )
    .gives(List),
    Verb::answers(
        "not_having",
        &[("units", List), ("figure", Text), ("value", Any)],
        not_having,
        "Those of a list without a certain figure.",
        "pieces().not_having(\"at\", \"Mill\").len() == 1",
    )
    .gives(List),
    Verb::answers("first", &[("list", List)], first, "The first of a list, or () of an empty one.", "first([7, 8]) == 7"),
    Verb::answers(
        "total",
        &[("units", List), ("figure", Text)],
        total,
        "The sum of a figure over pieces.",
        "total(pieces_at(\"Mill\"), \"power\") == 7",
    )
    .gives(Number),
    Verb::answers(
        "figures",
        &[("units", List), ("figure", Text)],
        figures,
        "A figure of each piece, in order.",
        "figures(pieces_at(\"Mill\"), \"power\") == [4, 2, 1]",
    )
    .gives(List),
    Verb::answers(
        "names",
        &[("units", List)],
        names,
        "The names of pieces as a text: \"A, B and C\".",
        "names([\"A\", \"B\"]) == \"A and B\"",
    )
    .gives(Text),
    Verb::answers("distinct", &[("list", List)], distinct, "The values of a list, each once.", "distinct([1, 2, 1]) == [1, 2]").gives(List),
    Verb::answers(
        "sort_by",
        &[("units", List), ("figure", Text)],
        sort_by,
        "Pieces by a figure, the largest first; equal ones keep their order.",
        "sort_by(pieces(), \"pace\")[0].name == \"Red scouts\"",
    )
    .gives(List),
    Verb::answers(
        "asked",
        &[("given", Map), ("name", Text), ("otherwise", Any)],
        asked,
        "What a situation hands over under a name, or something else where it hands over nothing.",
        "asked(#{ hex: 3 }, \"turn\", 1) == 1",
    ),
    Verb::answers(
        "is_a",
        &[("unit", Any), ("group", Text)],
        is_a,
        "Whether a piece is of a kind or group.",
        "is_a(piece(\"Red guard\"), \"soldier\")",
    )
    .gives(Flag),
];

fn list(value: &Value) -> &[Value] {
    value.list().map(Items::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> Word {
    value.text().cloned().unwrap_or_default()
}

fn entries(value: &Value) -> impl Iterator<Item = &(Word, Value)> {
    value.map().map(Names::entries).unwrap_or_default().iter()
}

/// One value, or those of a list.
fn several(value: &Value) -> &[Value] {
    value.list().map_or(std::slice::from_ref(value), Items::as_slice)
}

/// Whether a piece, or the map that stands for one, is of a kind or group.
fn belongs(ctx: &mut Context, unit: &Value, group: &Word) -> bool {
    let kind = match unit {
        Value::Piece(piece) => ctx.board.text(*piece, KIND),
        Value::Map(map) => map.get("kind").and_then(Value::text),
        _ => None,
    };
    kind.is_some_and(|kind| ctx.words.belongs(kind, group))
}

fn known_group(ctx: &Context, group: &Word) -> Answer<()> {
    if ctx.words.knows_group(group) {
        return Ok(());
    }
    let near = did_you_mean(group, ctx.game().groups());
    let what = format!("no kind or group of pieces is called `{group}`{near}");
    fault("unknown-name", what, "kinds and groups stand in the game's manifest")
}

fn is_a(ctx: &mut Context, args: &[&Value]) -> Answer {
    let group = text(args[1]);
    known_group(ctx, &group)?;
    Ok(belongs(ctx, args[0], &group).into())
}

/// A figure by its name, with its column of pieces.
type Named<'a> = (&'a Word, Option<usize>);

fn named<'a>(ctx: &Context, name: &'a Word) -> Named<'a> {
    (name, ctx.words.columns.get(name).copied())
}

/// A figure of a piece, or of the map that stands for one.
pub fn figure_of(ctx: &mut Context, unit: &Value, name: &Word) -> Answer {
    let named = named(ctx, name);
    figure(ctx, unit, named)
}

fn figure(ctx: &mut Context, unit: &Value, (name, column): Named) -> Answer {
    match unit {
        Value::Piece(piece) => match column {
            Some(AT) => Ok(word(ctx.board.whereabouts(*piece))),
            Some(ON) => Ok(ctx.board.piece(*piece, ON).text().cloned().map_or(Value::Nothing, word)),
            Some(column) => ctx.figure(*piece, column),
            None if name.as_str() == "name" => Ok(ctx.board.name(*piece).clone().into()),
            None => no_figure(ctx, name),
        },
        Value::Map(map) if !map.is_cell() => Ok(map.find(name).cloned().unwrap_or_default()),
        _ => Ok(Value::Nothing),
    }
}

/// A word; nothing where it is empty.
pub fn word(text: Word) -> Value {
    if text.is_empty() { Value::Nothing } else { text.into() }
}

/// A figure that no piece has.
pub fn no_figure<T>(ctx: &Context, name: &str) -> Answer<T> {
    let near = did_you_mean(name, ctx.game().attributes.iter().map(|(k, _)| k.as_str()));
    fault("unknown-name", format!("a piece has no `{name}`{near}"), "attributes stand in the game's manifest")
}

/// Whether a unit meets every condition: figures with the values they may have.
fn meets(ctx: &mut Context, unit: &Value, conditions: &[(Named, &[Value])]) -> Answer<bool> {
    for (named, values) in conditions {
        let fits = if named.1 == Some(KIND) {
            values.iter().filter_map(Value::text).any(|group| belongs(ctx, unit, group))
        } else {
            let own = figure(ctx, unit, *named)?;
            values.iter().any(|value| match value {
                // An attribute names a piece by its name.
                Value::Piece(piece) => own == *value || own.text() == Some(ctx.board.name(*piece)),
                _ => same(&own, value, ctx.board),
            })
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Those of a list that meet every condition, or all others.
pub fn sift<'a>(ctx: &mut Context, units: &[Value], conditions: impl Iterator<Item = &'a (Word, Value)>, wanted: bool) -> Answer {
    let conditions: Vec<_> = conditions.map(|(name, value)| (named(ctx, name), several(value))).collect();
    let kinds = conditions.iter().filter(|((_, column), _)| *column == Some(KIND));
    for group in kinds.flat_map(|(_, values)| values.iter()).filter_map(Value::text) {
        known_group(ctx, group)?;
    }
    let mut kept = Vec::with_capacity(units.len());
    for unit in units {
        if meets(ctx, unit, &conditions)? == wanted {
            kept.push(unit.clone());
        }
    }
    Ok(kept.into())
}

fn where_(ctx: &mut Context, args: &[&Value]) -> Answer {
    sift(ctx, list(args[0]), entries(args[1]), true)
}

/// The units that belong to one of some groups, or that are one of some units; or all others.
fn sorted_out(ctx: &mut Context, units: &[Value], among: &[Value], wanted: bool) -> Answer {
    for group in among.iter().filter_map(Value::text) {
        known_group(ctx, group)?;
    }
    // A piece is itself; all else is what its text says.
    let named = || among.iter().filter(|other| other.text().is_none());
    let pieces: FxHashSet<PieceId> = named().filter_map(Value::piece).collect();
    let others: FxHashSet<String> = named().filter(|other| other.piece().is_none()).map(|other| text_of(other, ctx.board)).collect();
    let texts = OnceCell::<FxHashSet<String>>::new();
    let mut kept = Vec::new();
    for unit in units {
        let named = match unit {
            Value::Piece(piece) if pieces.contains(piece) => true,
            Value::Piece(_) if others.is_empty() => false,
            Value::Piece(_) => others.contains(&text_of(unit, ctx.board)),
            _ => texts.get_or_init(|| named().map(|other| text_of(other, ctx.board)).collect()).contains(&text_of(unit, ctx.board)),
        };
        if (named || among.iter().filter_map(Value::text).any(|group| belongs(ctx, unit, group))) == wanted {
            kept.push(unit.clone());
        }
    }
    Ok(kept.into())
}

fn only(ctx: &mut Context, args: &[&Value]) -> Answer {
    sorted_out(ctx, list(args[0]), several(args[1]), true)
}

fn without(ctx: &mut Context, args: &[&Value]) -> Answer {
    match args[1] {
        conditions @ Value::Map(_) => sift(ctx, list(args[0]), entries(conditions), false),
        others => sorted_out(ctx, list(args[0]), several(others), false),
    }
}

fn kept_by(ctx: &mut Context, args: &[&Value], wanted: bool) -> Answer {
    let mut kept = Vec::new();
    for unit in list(args[0]) {
        let own = match args[1] {
            Value::Text(figure) => figure_of(ctx, unit, figure)?,
            _ => Value::Nothing,
        };
        if several(args[2]).iter().any(|value| same(&own, value, ctx.board)) == wanted {
            kept.push(unit.clone());
        }
    }
    Ok(kept.into())
}

fn having(ctx: &mut Context, args: &[&Value]) -> Answer {
    kept_by(ctx, args, true)
}

fn not_having(ctx: &mut Context, args: &[&Value]) -> Answer {
    kept_by(ctx, args, false)
}

fn first(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(list(args[0]).first().cloned().unwrap_or_default())
}

fn figures(ctx: &mut Context, args: &[&Value]) -> Answer {
    let Value::Text(name) = args[1] else { return Ok(Value::Nothing) };
    let named = named(ctx, name);
    let mut found = Vec::with_capacity(list(args[0]).len());
    for unit in list(args[0]) {
        found.push(figure(ctx, unit, named)?);
    }
    Ok(found.into())
}

fn total(ctx: &mut Context, args: &[&Value]) -> Answer {
    let Value::Text(name) = args[1] else { return Ok(Value::Nothing) };
    let named = named(ctx, name);
    let mut sum = 0i64;
    for unit in list(args[0]) {
        sum = sum.saturating_add(figure(ctx, unit, named)?.number().unwrap_or(0));
    }
    Ok(sum.into())
}

fn names(ctx: &mut Context, args: &[&Value]) -> Answer {
    Ok(text_within(args[0], ctx.board, TEXT).into())
}

fn distinct(ctx: &mut Context, args: &[&Value]) -> Answer {
    let mut kept: Vec<Value> = Vec::new();
    for item in list(args[0]) {
        if !kept.iter().any(|known| same(known, item, ctx.board)) {
            kept.push(item.clone());
        }
    }
    Ok(kept.into())
}

fn sort_by(ctx: &mut Context, args: &[&Value]) -> Answer {
    let Value::Text(name) = args[1] else { return Ok(Value::Nothing) };
    let named = named(ctx, name);
    let mut keyed = Vec::with_capacity(list(args[0]).len());
    for unit in list(args[0]) {
        keyed.push((figure(ctx, unit, named)?.number().unwrap_or(0), unit.clone()));
    }
    keyed.sort_by_key(|(figure, _)| std::cmp::Reverse(*figure));
    Ok(keyed.into_iter().map(|(_, unit)| unit).collect())
}

fn asked(_: &mut Context, args: &[&Value]) -> Answer {
    let given = args[0].map().and_then(|map| map.find(&text(args[1])));
    Ok(given.unwrap_or(args[2]).clone())
}
