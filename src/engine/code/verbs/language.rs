//! Built-in functions for lists and maps, with the semantics of Rhai's standard library.

use super::lists::list_items;
use super::types::*;
use super::{Iteration, ResultRule};
use crate::code::context::{
    ClosureCaller, NOTHING_ADVICE, VerbContext, VerbResult, fault, within_numbers,
};
use crate::complaint::DiagnosticCode;
use crate::situation::value::{Closure as Lambda, Value};
use std::cmp::Ordering;

verbs! {
    allowed_in: Anywhere, from_language: true;

    len(value: LIST | MAP | TEXT | RANGE) -> NUMBER, "How many items a list or map has, or letters a text.", "[1, 2].len() == 2";
    is_empty(value: LIST | MAP | TEXT | RANGE) -> FLAG = Function(|ctx, args| Ok((number_or_zero(&len(ctx, args)?) == 0).into())),
        "Whether a list, map or text has nothing in it.", "[].is_empty()";
    contains(value: LIST | MAP | TEXT | RANGE, other: ANY) -> FLAG,
        "Whether a list has a value, a map a name, a text a part.", "[1, 2].contains(2)";
    index_of(list: LIST, closure: ANY) -> NUMBER = WithClosures(index_of),
        "The position at which a value first occurs in a list, or a closure first holds; -1 for none.", "[5, 6].index_of(6) == 1";
    get(value: LIST | MAP | TEXT, key: NUMBER | TEXT as ItemKey), "An item of a list or map; () where there is none.", "[5].get(3) == ()";
    push(list: LIST, value: ANY) -> NOTHING = Mutate(push).giving(ResultRule::AddsItem),
        "Adds a value at the end of a list.", "let list = [1]; list.push(2); list == [1, 2]";
    append(list: LIST, more: LIST) -> NOTHING = Mutate(append).giving(ResultRule::AddsItems),
        "Adds the items of another list at the end.", "let list = [1]; list.append([2, 3]); list == [1, 2, 3]";
    insert(list: LIST, place: NUMBER, value: ANY) -> NOTHING = Mutate(insert).giving(ResultRule::AddsItem),
        "Puts a value into a list at a place.", "let list = [1, 3]; list.insert(1, 2); list == [1, 2, 3]";
    pop(list: LIST) = Mutate(pop).giving(ResultRule::TakesItem), "Takes the last item of a list.", "let list = [1, 2]; list.pop() == 2";
    shift(list: LIST) = Mutate(shift).giving(ResultRule::TakesItem),
        "Takes the first item of a list.", "let list = [1, 2]; list.shift() == 1";
    reverse(list: LIST) = Mutate(reverse), "Turns a list round.", "let list = [1, 2]; list.reverse(); list == [2, 1]";
    dedup(list: LIST) = Mutate(dedup),
        "Leaves one of equal items that are next to each other.", "let list = [1, 1, 2]; list.dedup(); list == [1, 2]";
    clear(value: LIST | MAP) = Mutate(clear), "Empties a list or map.", "let list = [1, 2]; list.clear(); list == []";
    truncate(list: LIST, length: NUMBER) = Mutate(truncate),
        "Cuts a list down to a length.", "let list = [1, 2, 3]; list.truncate(1); list == [1]";
    extract(list: LIST, from: NUMBER | RANGE)[count: NUMBER],
        "A part of a list: from a place on, so many; or a range.", "[1, 2, 3].extract(1) == [2, 3]";
    sort(list: LIST)[closure: CLOSURE] = ReplaceWithClosures(sort),
        "Sorts a list in place; by a closure of two items that says which comes first.",
        "let list = [3, 1, 2]; list.sort(|a, b| a < b); list == [1, 2, 3]";
    reduce(list: LIST, closure: CLOSURE)[start: ANY] = WithClosures(reduce),
        "Works a list into one value: a closure of the value so far and an item.", "[1, 2, 3].reduce(|sum, n| sum + n, 0) == 6";
    map(list: LIST | RANGE | TEXT, closure: CLOSURE) -> LIST
        = Operation(Iterate).giving(ResultRule::ClosureResults).iterating(Iteration::Map),
        "What a closure makes of each item.", "[1, 2].map(|n| n * 2) == [2, 4]";
    some(list: LIST | RANGE | TEXT, closure: CLOSURE) -> FLAG = Operation(Iterate).iterating(Iteration::Some),
        "Whether a closure holds for some item.", "[1, 2].some(|n| n > 1)";
    all(list: LIST | RANGE | TEXT, closure: CLOSURE) -> FLAG = Operation(Iterate).iterating(Iteration::All),
        "Whether a closure holds for every item.", "[1, 2].all(|n| n > 0)";
    find(list: LIST | RANGE | TEXT, closure: CLOSURE) = Operation(Iterate).iterating(Iteration::Find),
        "The first item for which a closure holds, or ().", "[1, 2].find(|n| n > 1) == 2";
    keys(map: MAP) -> LIST, "The names in a map.", "#{ a: 1 }.keys() == [\"a\"]";
    values(map: MAP) -> LIST, "The values in a map.", "#{ a: 1 }.values() == [1]";
    mixin(map: MAP, more: MAP) = Mutate(mixin), "Adds the entries of another map.", "let map = #{ a: 1 }; map.mixin(#{ b: 2 }); map.b == 2";
}

/// Returns a number, or 0 for other values.
pub fn number_or_zero(value: &Value) -> i64 {
    value.as_number().unwrap_or(0)
}

/// Fails because the function does not support this type.
pub fn unsupported<T>(name: &str, value: &Value) -> VerbResult<T> {
    fault(
        DiagnosticCode::Running,
        format!("`{name}` can't take {}", value.describe_type()),
        NOTHING_ADVICE,
    )
}

/// Resolves an index, which counts from the end if negative; `None` if out of bounds.
pub fn resolve_index(index: i64, len: usize) -> Option<usize> {
    let position = if index < 0 {
        index.checked_add(len as i64)?
    } else {
        index
    };
    usize::try_from(position)
        .ok()
        .filter(|position| *position < len)
}

fn len(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    Ok(match args[0] {
        Value::List(list) => list.len() as i64,
        Value::Map(map) => map.entries().len() as i64,
        Value::Text(text) => text.chars().count() as i64,
        Value::Range(ends) if ends.1 <= ends.0 => 0,
        Value::Range(ends) => within_numbers(ends.1.checked_sub(ends.0), || {
            format!("the length of {}..{}", ends.0, ends.1)
        })?,
        other => return unsupported("len", other),
    }
    .into())
}

/// Evaluates `value in container`; `None` if the container has no members.
pub fn contains_value(container: &Value, value: &Value) -> Option<bool> {
    Some(match (container, value) {
        (Value::List(list), value) => list.contains(value),
        (Value::Map(map), Value::Text(name)) => map.get_by_text(name).is_some(),
        (Value::Text(text), Value::Text(part)) => text.contains(part.as_str()),
        (Value::Range(ends), Value::Number(n)) => (ends.0..ends.1).contains(n),
        _ => return None,
    })
}

fn contains(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    match contains_value(args[0], args[1]) {
        Some(holds) => Ok(holds.into()),
        None => fault(
            DiagnosticCode::Running,
            format!(
                "`in` can't look for {} in {}",
                args[1].describe_type(),
                args[0].describe_type()
            ),
            "look for a value in a list, a name in a map, a part in a text",
        ),
    }
}

fn get(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    Ok(match (args[0], args[1]) {
        (Value::List(list), Value::Number(index)) => resolve_index(*index, list.len())
            .map(|position| list[position].clone())
            .unwrap_or_default(),
        (Value::Map(map), Value::Text(name)) => map.get_by_text(name).cloned().unwrap_or_default(),
        (Value::Text(text), Value::Number(index)) => {
            let letters: Vec<char> = text.chars().collect();
            resolve_index(*index, letters.len())
                .map(|position| letters[position].to_string().into())
                .unwrap_or_default()
        }
        (container, _) => return unsupported("get", container),
    })
}

/// Sets an item of a list or an entry of a map.
pub fn set_item(container: &mut Value, key: &Value, value: Value) -> VerbResult<()> {
    match (container, key) {
        (Value::List(list), Value::Number(index)) => {
            let Some(position) = resolve_index(*index, list.len()) else {
                return out_of_bounds(*index, list.len());
            };
            list.modify(|items| items[position] = value);
        }
        // A cell that was read keeps the parts that it has.
        (Value::Map(map), Value::Text(name))
            if !map.is_cell() || map.get_by_text(name).is_some() =>
        {
            map.insert(name.clone(), value)
        }
        (container, key) => {
            let message = format!(
                "{} has no item {} that could be set",
                container.describe_type(),
                key.describe_type()
            );
            return fault(
                DiagnosticCode::Running,
                message,
                "set(piece, \"figure\", value) sets a figure of a piece",
            );
        }
    }
    Ok(())
}

/// Fails with an index out of bounds.
pub fn out_of_bounds<T>(index: i64, len: usize) -> VerbResult<T> {
    let message = match len {
        0 => format!("the rule asks for item {index} of an empty list"),
        _ => format!(
            "the rule asks for item {index} of a list of {len}, whose items are numbered from 0 to {}",
            len - 1
        ),
    };
    fault(
        DiagnosticCode::Running,
        message,
        "check first what is there: `list.len()`, `key in map`",
    )
}

/// Removes and returns an item of a list or an entry of a map; `()` if there is none.
pub fn take_item(container: &mut Value, key: &Value) -> Value {
    match (container, key) {
        (Value::List(list), Value::Number(index)) => {
            let index = resolve_index(*index, list.len());
            index
                .map(|position| list.modify(|items| items.remove(position)))
                .unwrap_or_default()
        }
        (Value::Map(map), Value::Text(name)) => map.remove(name).unwrap_or_default(),
        _ => Value::Nothing,
    }
}

fn modify_list<T>(list: &mut Value, change: impl FnOnce(&mut Vec<Value>) -> T) -> Option<T> {
    if let Value::List(list) = list {
        Some(list.modify(change))
    } else {
        None
    }
}

fn push(_: &mut VerbContext, list: &mut Value, args: &[&Value]) -> VerbResult {
    if let Value::List(list) = list {
        list.push(args[0].clone());
    }
    Ok(Value::Nothing)
}

fn append(_: &mut VerbContext, this: &mut Value, args: &[&Value]) -> VerbResult {
    modify_list(this, |items| items.extend_from_slice(list_items(args[0])));
    Ok(Value::Nothing)
}

fn insert(_: &mut VerbContext, list: &mut Value, args: &[&Value]) -> VerbResult {
    let index = number_or_zero(args[0]);
    modify_list(list, |items| {
        let position = if index < 0 {
            (items.len() as i64 + index).max(0)
        } else {
            index.min(items.len() as i64)
        };
        items.insert(position as usize, args[1].clone());
    });
    Ok(Value::Nothing)
}

fn pop(_: &mut VerbContext, list: &mut Value, _: &[&Value]) -> VerbResult {
    Ok(modify_list(list, Vec::pop).flatten().unwrap_or_default())
}

fn shift(_: &mut VerbContext, list: &mut Value, _: &[&Value]) -> VerbResult {
    let first = |items: &mut Vec<Value>| {
        if items.is_empty() {
            Value::Nothing
        } else {
            items.remove(0)
        }
    };
    Ok(modify_list(list, first).unwrap_or_default())
}

fn reverse(_: &mut VerbContext, list: &mut Value, _: &[&Value]) -> VerbResult {
    modify_list(list, |items| items.reverse());
    Ok(Value::Nothing)
}

fn dedup(_: &mut VerbContext, list: &mut Value, _: &[&Value]) -> VerbResult {
    modify_list(list, |items| items.dedup());
    Ok(Value::Nothing)
}

fn clear(_: &mut VerbContext, container: &mut Value, _: &[&Value]) -> VerbResult {
    match container {
        Value::List(list) => *list = Default::default(),
        Value::Map(map) => *map = Default::default(),
        _ => {}
    }
    Ok(Value::Nothing)
}

fn truncate(_: &mut VerbContext, list: &mut Value, args: &[&Value]) -> VerbResult {
    modify_list(list, |items| {
        items.truncate(number_or_zero(args[0]).max(0) as usize)
    });
    Ok(Value::Nothing)
}

fn extract(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let items = list_items(args[0]);
    let (from, count) = match (args[1], args.get(2)) {
        (Value::Range(ends), _) => (ends.0, ends.1.saturating_sub(ends.0).max(0)),
        (from, count) => (
            number_or_zero(from),
            count.map_or(i64::MAX, |count| number_or_zero(count)),
        ),
    };
    let from = if from < 0 {
        (items.len() as i64 + from).max(0)
    } else {
        from.min(items.len() as i64)
    } as usize;
    let count = usize::try_from(count.max(0))
        .unwrap_or(usize::MAX)
        .min(items.len() - from);
    Ok(items[from..from + count].iter().cloned().collect())
}

fn keys(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    Ok(args[0]
        .as_map()
        .map(|map| {
            map.entries()
                .iter()
                .map(|(key, _)| Value::Text(key.clone()))
                .collect()
        })
        .unwrap_or_default())
}

fn values(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    Ok(args[0]
        .as_map()
        .map(|map| {
            map.entries()
                .iter()
                .map(|(_, value)| value.clone())
                .collect()
        })
        .unwrap_or_default())
}

fn mixin(_: &mut VerbContext, map: &mut Value, args: &[&Value]) -> VerbResult {
    if let (Value::Map(map), Value::Map(added)) = (map, args[0]) {
        added
            .entries()
            .iter()
            .for_each(|(name, value)| map.insert(name.clone(), value.clone()));
    }
    Ok(Value::Nothing)
}

fn index_of(caller: &mut dyn ClosureCaller, args: &[Value]) -> VerbResult {
    let items = list_items(&args[0]);
    if let Value::Closure(closure) = &args[1] {
        for (index, item) in items.iter().enumerate() {
            if caller.call(closure, vec![item.clone()])? == Value::True {
                return Ok((index as i64).into());
            }
        }
        return Ok((-1).into());
    }
    Ok(items
        .iter()
        .position(|item| *item == args[1])
        .map_or(-1, |index| index as i64)
        .into())
}

fn reduce(caller: &mut dyn ClosureCaller, args: &[Value]) -> VerbResult {
    let Value::Closure(closure) = &args[1] else {
        return Ok(Value::Nothing);
    };
    let mut so_far = args.get(2).cloned().unwrap_or_default();
    for item in list_items(&args[0]) {
        so_far = caller.call(closure, vec![so_far, item.clone()])?;
    }
    Ok(so_far)
}

/// Sorts a list by a closure, or by the natural order of numbers or texts.
fn sort(caller: &mut dyn ClosureCaller, args: &[Value]) -> VerbResult {
    let mut items = list_items(&args[0]).to_vec();
    let mut first_fault = None;
    match args.get(1) {
        Some(Value::Closure(closure)) => {
            let mut before = |a: &Value, b: &Value| match compare(caller, closure, a, b) {
                Ok(order) => order,
                Err(fault) => {
                    first_fault.get_or_insert(fault);
                    Ordering::Equal
                }
            };
            // Insertion sort: the number of comparisons is bounded, and the result is the same on every machine even if the closure is
            // inconsistent.
            for position in 1..items.len() {
                let mut at = position;
                while at > 0 && before(&items[at], &items[at - 1]) == Ordering::Less {
                    items.swap(at - 1, at);
                    at -= 1;
                }
            }
        }
        _ => {
            let natural = |a: &Value, b: &Value| match (a, b) {
                (Value::Number(a), Value::Number(b)) => Some(a.cmp(b)),
                (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
                _ => None,
            };
            if items
                .windows(2)
                .any(|pair| natural(&pair[0], &pair[1]).is_none())
            {
                return fault(
                    DiagnosticCode::Running,
                    "`sort` without a closure puts numbers or texts in order",
                    "say which comes first: list.sort(|a, b| a.name < b.name)",
                );
            }
            items.sort_by(|a, b| natural(a, b).unwrap_or(Ordering::Equal));
        }
    }
    first_fault.map_or_else(|| Ok(items.into()), Err)
}

fn compare(
    caller: &mut dyn ClosureCaller,
    closure: &Lambda,
    a: &Value,
    b: &Value,
) -> VerbResult<Ordering> {
    match caller.call(closure, vec![a.clone(), b.clone()])? {
        Value::Number(n) => Ok(n.cmp(&0)),
        Value::True => Ok(Ordering::Less),
        Value::False => Ok(Ordering::Greater),
        other => unsupported("the order of two items", &other),
    }
}
