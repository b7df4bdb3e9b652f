//! Lists of pieces: selections, lookups and sums. In examples, maps may stand for pieces.

use super::change::text_or_empty;
use super::types::*;
use super::{Iteration, ResultRule, VerbReads};
use crate::code::context::{VerbContext, VerbResult, fault, within_numbers};
use crate::complaint::{DiagnosticCode, did_you_mean, unknown_name};
use crate::situation::cell_key::EntityKind;
use crate::situation::initial_board::{CARRIER_COLUMN, KIND_COLUMN, PLACE_COLUMN};
use crate::situation::value::{
    HashedText as Word, List as Items, MAX_TEXT_BYTES, Map as Names, PieceId, Value,
};
use crate::situation::value_text::{matches_expected, text_within, value_text};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

/// What a selection by kinds and groups reads.
const KIND: VerbReads = VerbReads::Columns(&[(EntityKind::Piece, KIND_COLUMN)]);

verbs! {
    allowed_in: Anywhere, from_language: false;

    where(list: LIST, which: ANY as Selection) -> LIST

        = Function(|ctx, args| filter_by(ctx, args, true)).giving(ResultRule::SameItems).iterating(Iteration::Keep(true)).reading(KIND),
        "Those of a list that are meant: of a kind or group, \"cart\"; with certain figures, #{ side: \"Red\", pace: [2, 4] }; those for \
            which a closure holds, |u| u.power > 1; or those that are in another list.",
        "pieces().where(\"soldier\").where(#{ side: \"Red\" }).where(|u| u.pace > 2).len() == 1";
    without(list: LIST, which: ANY as Selection) -> LIST

        = Function(|ctx, args| filter_by(ctx, args, false)).giving(ResultRule::SameItems).iterating(Iteration::Keep(false)).reading(KIND),
        "A list without those that are meant; they are named as for `where`.",
        "pieces_at(\"Mill\").without(\"cart\").len() == 2 && [1, 2, 3].without(|n| n > 1) == [1]";
    first(list: LIST) = Function(|_, args| Ok(list_items(args[0]).first().cloned().unwrap_or_default())).giving(ResultRule::Item),
        "The first of a list, or () of an empty one.", "first([7, 8]) == 7";
    total(list: LIST)[figure: TEXT as Figure] -> NUMBER,
        "The sum of a list of numbers, or of a figure over pieces.", "total(pieces_at(\"Mill\"), \"power\") == 7 && total([1, 2]) == 3";
    least(list: LIST)[figure: TEXT as Figure] -> NUMBER
        = Function(|ctx, args| Ok(numbers_of(ctx, args)?.into_iter().min().map_or(Value::Nothing, Value::Number))),
        "The lowest of a list of numbers, or of a figure of pieces; () where there is none.",
        "least(pieces_at(\"Mill\"), \"pace\") == 1 && least([3, 2]) == 2";
    most(list: LIST)[figure: TEXT as Figure] -> NUMBER
        = Function(|ctx, args| Ok(numbers_of(ctx, args)?.into_iter().max().map_or(Value::Nothing, Value::Number))),
        "The highest of a list of numbers, or of a figure of pieces; () where there is none.",
        "most(pieces_at(\"Mill\"), \"power\") == 4 && most([3, 2]) == 3";
    figures(units: LIST, figure: TEXT as Figure) -> LIST = figures.giving(ResultRule::FigureValues),
        "A figure of each piece, in order.", "figures(pieces_at(\"Mill\"), \"power\") == [4, 2, 1]";
    names(units: LIST) -> TEXT = Function(|ctx, args| Ok(text_within(args[0], ctx.board, MAX_TEXT_BYTES).into())),
        "The names of pieces as a text: \"A, B and C\".", "names([\"A\", \"B\"]) == \"A and B\"";
    distinct(list: LIST) -> LIST = distinct.giving(ResultRule::SameItems),
        "The values of a list, each once.", "distinct([1, 2, 1]) == [1, 2]";
    sets(list: LIST) -> LIST,
        "How often each value of a list comes, as lists of a number and the value: the most first, equal ones in the order of the list.",
        "sets([6, 5, 5, 1]) == [[2, 5], [1, 6], [1, 1]]";
    sort_by(units: LIST, figure: TEXT as Figure) -> LIST = sort_by.giving(ResultRule::SameItems),
        "Pieces by a figure, the largest first; equal ones keep their order.", "sort_by(pieces(), \"pace\")[0].name == \"Red scouts\"";
    asked(given: MAP as Sheet, name: TEXT as SheetField, otherwise: ANY) = asked.giving(ResultRule::SheetField),
        "What a situation hands over under a name, or something else where it hands over nothing.", "asked(#{ hex: 3 }, \"turn\", 1) == 1";
    is_a(unit: ANY, group: TEXT as Group) -> FLAG = is_a.reading(KIND),
        "Whether a piece is of a kind or group.", "is_a(piece(\"Red guard\"), \"soldier\")";
}

pub(super) fn list_items(value: &Value) -> &[Value] {
    value.as_list().map(Items::as_slice).unwrap_or_default()
}

fn map_entries(value: &Value) -> impl Iterator<Item = &(Word, Value)> {
    value
        .as_map()
        .map(Names::entries)
        .unwrap_or_default()
        .iter()
}

/// Returns the items of a list, or a single value as a slice.
fn one_or_list(value: &Value) -> &[Value] {
    value
        .as_list()
        .map_or(std::slice::from_ref(value), Items::as_slice)
}

/// Whether a piece, or a map that represents one, has a kind in the group.
fn is_in_group(ctx: &mut VerbContext, unit: &Value, group: &Word) -> bool {
    let kind = match unit {
        Value::Piece(piece) => ctx.board.piece_text(*piece, KIND_COLUMN),
        Value::Map(map) => map.get("kind").and_then(Value::as_text),
        _ => None,
    };
    kind.is_some_and(|kind| ctx.vocabulary.is_in_group(kind, group))
}

fn check_group(ctx: &VerbContext, group: &Word) -> VerbResult<()> {
    if ctx.vocabulary.has_group(group) {
        return Ok(());
    }
    let message = unknown_name("kind or group of pieces", group, ctx.game().groups());
    fault(
        DiagnosticCode::UnknownName,
        message,
        "name a kind or group that the game's manifest lists under `kinds:`",
    )
}

fn is_a(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let group = text_or_empty(args[1]);
    check_group(ctx, &group)?;
    Ok(is_in_group(ctx, args[0], &group).into())
}

/// A figure name and its column, if pieces have one.
type NamedColumn<'a> = (&'a Word, Option<usize>);

fn named_column<'a>(ctx: &VerbContext, name: &'a Word) -> NamedColumn<'a> {
    (name, ctx.vocabulary.columns.get(name).copied())
}

/// Reads a figure of a piece, or of a map that represents one.
pub fn figure_by_name(ctx: &mut VerbContext, unit: &Value, name: &Word) -> VerbResult {
    let column = named_column(ctx, name);
    figure_by_column(ctx, unit, column)
}

fn figure_by_column(
    ctx: &mut VerbContext,
    unit: &Value,
    (name, column): NamedColumn,
) -> VerbResult {
    match unit {
        Value::Piece(piece) => match column {
            Some(PLACE_COLUMN) => Ok(text_or_nothing(ctx.board.read_place_of(*piece))),
            Some(CARRIER_COLUMN) => Ok(ctx
                .board
                .piece_value(*piece, CARRIER_COLUMN)
                .as_text()
                .cloned()
                .map_or(Value::Nothing, text_or_nothing)),
            Some(column) => ctx.read_figure(*piece, column),
            None if name.as_str() == "name" => Ok(ctx.board.name(*piece).clone().into()),
            None => unknown_figure(ctx, name),
        },
        Value::Map(map) if !map.is_cell() => Ok(map.get_by_text(name).cloned().unwrap_or_default()),
        _ => Ok(Value::Nothing),
    }
}

/// Converts a text to a value; an empty text becomes `()`.
pub fn text_or_nothing(text: Word) -> Value {
    if text.is_empty() {
        Value::Nothing
    } else {
        text.into()
    }
}

/// Fails because pieces have no figure of this name.
pub fn unknown_figure<T>(ctx: &VerbContext, name: &str) -> VerbResult<T> {
    fault(
        DiagnosticCode::UnknownName,
        did_you_mean(
            format!("a piece has no `{name}`"),
            name,
            ctx.game().attributes.iter().map(|(k, _)| k.as_str()),
        ),
        "name an attribute that the game's manifest lists",
    )
}

/// Whether a unit meets all conditions. A condition is a figure and its allowed values.
fn meets_conditions(
    ctx: &mut VerbContext,
    unit: &Value,
    conditions: &[(NamedColumn, &[Value])],
) -> VerbResult<bool> {
    for (column, values) in conditions {
        let fits = if column.1 == Some(KIND_COLUMN) {
            values
                .iter()
                .filter_map(Value::as_text)
                .any(|group| is_in_group(ctx, unit, group))
        } else {
            let figure = figure_by_column(ctx, unit, *column)?;
            values.iter().any(|value| match value {
                // A figure that refers to a piece holds its name.
                Value::Piece(piece) => {
                    figure == *value || figure.as_text() == Some(ctx.board.name(*piece))
                }
                _ => matches_expected(&figure, value, ctx.board),
            })
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Filters the units that meet all conditions, or the others if `keep_matching` is false.
pub fn filter_by_conditions<'a>(
    ctx: &mut VerbContext,
    units: &[Value],
    conditions: impl Iterator<Item = &'a (Word, Value)>,
    keep_matching: bool,
) -> VerbResult {
    let conditions: Vec<_> = conditions
        .map(|(name, value)| (named_column(ctx, name), one_or_list(value)))
        .collect();
    let kinds = conditions
        .iter()
        .filter(|((_, column), _)| *column == Some(KIND_COLUMN));
    for group in kinds
        .flat_map(|(_, values)| values.iter())
        .filter_map(Value::as_text)
    {
        check_group(ctx, group)?;
    }
    let mut kept = Vec::with_capacity(units.len());
    for unit in units {
        if meets_conditions(ctx, unit, &conditions)? == keep_matching {
            kept.push(unit.clone());
        }
    }
    Ok(kept.into())
}

/// Filters the units that are in `members` or belong to a kind or group in it, or the others if `keep_matching` is false.
fn filter_by_members(
    ctx: &mut VerbContext,
    units: &[Value],
    members: &[Value],
    keep_matching: bool,
) -> VerbResult {
    // In a list of texts, a text means itself; elsewhere it names a kind or group.
    if units.iter().any(|unit| unit.as_text().is_none()) {
        for group in members.iter().filter_map(Value::as_text) {
            check_group(ctx, group)?;
        }
    }
    // Pieces are compared by id, other values by their text.
    let without_texts = || members.iter().filter(|member| member.as_text().is_none());
    let pieces: FxHashSet<PieceId> = without_texts().filter_map(Value::as_piece).collect();
    let other_texts: FxHashSet<String> = without_texts()
        .filter(|member| member.as_piece().is_none())
        .map(|member| value_text(member, ctx.board))
        .collect();
    let texts = OnceCell::<FxHashSet<String>>::new();
    let mut kept = Vec::new();
    for unit in units {
        let is_member = match unit {
            Value::Piece(piece) if pieces.contains(piece) => true,
            Value::Piece(_) if other_texts.is_empty() => false,
            Value::Piece(_) => other_texts.contains(&value_text(unit, ctx.board)),
            Value::Text(_) if members.contains(unit) => true,
            _ => texts
                .get_or_init(|| {
                    without_texts()
                        .map(|member| value_text(member, ctx.board))
                        .collect()
                })
                .contains(&value_text(unit, ctx.board)),
        };
        if (is_member
            || members
                .iter()
                .filter_map(Value::as_text)
                .any(|group| is_in_group(ctx, unit, group)))
            == keep_matching
        {
            kept.push(unit.clone());
        }
    }
    Ok(kept.into())
}

/// Filters by anything but a closure, which the compiler turns into a loop.
fn filter_by(ctx: &mut VerbContext, args: &[&Value], keep_matching: bool) -> VerbResult {
    match args[1] {
        conditions @ Value::Map(_) => filter_by_conditions(
            ctx,
            list_items(args[0]),
            map_entries(conditions),
            keep_matching,
        ),
        members => filter_by_members(
            ctx,
            list_items(args[0]),
            one_or_list(members),
            keep_matching,
        ),
    }
}

fn figures(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let Value::Text(name) = args[1] else {
        return Ok(Value::Nothing);
    };
    let column = named_column(ctx, name);
    let mut figures = Vec::with_capacity(list_items(args[0]).len());
    for unit in list_items(args[0]) {
        figures.push(figure_by_column(ctx, unit, column)?);
    }
    Ok(figures.into())
}

/// Returns the numbers of a list: its items, or a figure of each.
fn numbers_of(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult<Vec<i64>> {
    let items = list_items(args[0]);
    let Some(Value::Text(name)) = args.get(1) else {
        return Ok(items.iter().filter_map(Value::as_number).collect());
    };
    let column = named_column(ctx, name);
    let mut numbers = Vec::with_capacity(items.len());
    for unit in items {
        numbers.extend(figure_by_column(ctx, unit, column)?.as_number());
    }
    Ok(numbers)
}

fn total(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    // Whether a sum overflows does not depend on the order of the list.
    let sum: i128 = numbers_of(ctx, args)?.into_iter().map(i128::from).sum();
    within_numbers(i64::try_from(sum).ok(), || format!("the sum {sum}")).map(Value::Number)
}

fn distinct(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let mut kept: Vec<Value> = Vec::new();
    for item in list_items(args[0]) {
        if !kept
            .iter()
            .any(|earlier| matches_expected(earlier, item, ctx.board))
        {
            kept.push(item.clone());
        }
    }
    Ok(kept.into())
}

fn sets(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let mut sets: Vec<(i64, &Value)> = Vec::new();
    for value in list_items(args[0]) {
        match sets.iter_mut().find(|(_, member)| *member == value) {
            Some((count, _)) => *count += 1,
            None => sets.push((1, value)),
        }
    }
    sets.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    Ok(sets
        .into_iter()
        .map(|(count, value)| {
            [Value::Number(count), value.clone()]
                .into_iter()
                .collect::<Value>()
        })
        .collect())
}

fn sort_by(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let Value::Text(name) = args[1] else {
        return Ok(Value::Nothing);
    };
    let column = named_column(ctx, name);
    let mut keyed = Vec::with_capacity(list_items(args[0]).len());
    for unit in list_items(args[0]) {
        keyed.push((
            figure_by_column(ctx, unit, column)?
                .as_number()
                .unwrap_or(0),
            unit.clone(),
        ));
    }
    keyed.sort_by_key(|(figure, _)| std::cmp::Reverse(*figure));
    Ok(keyed.into_iter().map(|(_, unit)| unit).collect())
}

fn asked(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let entry = args[0]
        .as_map()
        .and_then(|map| map.get_by_text(&text_or_empty(args[1])));
    Ok(entry.unwrap_or(args[2]).clone())
}
