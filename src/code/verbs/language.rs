//! What the language itself brings for lists and maps. Here it means what Rhai's own library means.

use super::{Kind::*, Parameter, Place, Run, Verb};
use crate::code::context::{Answer, Calls, Context, fault};
use crate::situation::value::{Closure as Lambda, Value};
use std::cmp::Ordering;

/// A function that the language brings.
pub const fn own(name: &'static str, takes: &'static [Parameter], run: Run, does: &'static str, example: &'static str) -> Verb {
    Verb { name, takes, optional: 0, gives: Any, does, example, place: Place::Anywhere, language: true, run }
}

const VALUE: &[Parameter] = &[("value", Any)];
const LIST: &[Parameter] = &[("list", List)];
const TWO: &[Parameter] = &[("value", Any), ("other", Any)];
const TEST: &[Parameter] = &[("list", List), ("closure", Any)];

/// The functions.
pub const VERBS: &[Verb] = &[
    own("len", VALUE, Run::Answer(len), "How many items a list or map has, or letters a text.", "[1, 2].len() == 2").gives(Number),
    own("is_empty", VALUE, Run::Answer(is_empty), "Whether a list, map or text has nothing in it.", "[].is_empty()").gives(Flag),
    own("contains", TWO, Run::Answer(contains), "Whether a list has a value, a map a name, a text a part.", "[1, 2].contains(2)")
        .gives(Flag),
    own(
        "index_of",
        TEST,
        Run::Call(index_of),
        "Where a value first stands in a list, or where a closure first holds; -1 for nowhere.",
        "[5, 6].index_of(6) == 1",
    )
    .gives(Number),
    own("get", TWO, Run::Answer(get), "An item of a list or map; () where there is none.", "[5].get(3) == ()"),
    own(
        "push",
        &[("list", List), ("value", Any)],
        Run::Change(push),
        "Adds a value at the end of a list.",
        "let list = [1]; list.push(2); list == [1, 2]",
    ),
    own(
        "append",
        &[("list", List), ("more", List)],
        Run::Change(append),
        "Adds the items of another list at the end.",
        "let list = [1]; list.append([2, 3]); list == [1, 2, 3]",
    ),
    own(
        "insert",
        &[("list", List), ("place", Number), ("value", Any)],
        Run::Change(insert),
        "Puts a value into a list at a place.",
        "let list = [1, 3]; list.insert(1, 2); list == [1, 2, 3]",
    ),
    own("pop", LIST, Run::Change(pop), "Takes the last item of a list.", "let list = [1, 2]; list.pop() == 2"),
    own("shift", LIST, Run::Change(shift), "Takes the first item of a list.", "let list = [1, 2]; list.shift() == 1"),
    own("reverse", LIST, Run::Change(reverse), "Turns a list round.", "let list = [1, 2]; list.reverse(); list == [2, 1]"),
    own(
        "dedup",
        LIST,
        Run::Change(dedup),
        "Leaves one of equal items that stand next to each other.",
        "let list = [1, 1, 2]; list.dedup(); list == [1, 2]",
    ),
    own("clear", VALUE, Run::Change(clear), "Empties a list or map.", "let list = [1, 2]; list.clear(); list == []"),
    own(
        "truncate",
        &[("list", List), ("length", Number)],
        Run::Change(truncate),
        "Cuts a list down to a length.",
        "let list = [1, 2, 3]; list.truncate(1); list == [1]",
    ),
    Verb {
        optional: 1,
        ..own(
            "extract",
            &[("list", List), ("from", Any), ("count", Number)],
            Run::Answer(extract),
            "A part of a list: from a place on, so many; or a range.",
            "[1, 2, 3].extract(1) == [2, 3]",
        )
    },
    Verb {
        optional: 1,
        ..own(
            "sort",
            TEST,
            Run::Call(sort),
            "Sorts a list in place; by a closure of two items that says which comes first.",
            "let list = [3, 1, 2]; list.sort(|a, b| a < b); list == [1, 2, 3]",
        )
    },
    Verb {
        optional: 1,
        ..own(
            "reduce",
            &[("list", List), ("closure", Closure), ("start", Any)],
            Run::Call(reduce),
            "Works a list into one value: a closure of the value so far and an item.",
            "[1, 2, 3].reduce(|sum, n| sum + n, 0) == 6",
        )
    },
    own("filter", TEST, Run::Operation, "The items for which a closure holds.", "[1, 2, 3].filter(|n| n > 1) == [2, 3]").gives(List),
    own("map", TEST, Run::Operation, "What a closure makes of each item.", "[1, 2].map(|n| n * 2) == [2, 4]").gives(List),
    own("some", TEST, Run::Operation, "Whether a closure holds for some item.", "[1, 2].some(|n| n > 1)").gives(Flag),
    own("all", TEST, Run::Operation, "Whether a closure holds for every item.", "[1, 2].all(|n| n > 0)").gives(Flag),
    own("find", TEST, Run::Operation, "The first item for which a closure holds, or ().", "[1, 2].find(|n| n > 1) == 2"),
    own("keys", &[("map", Map)], Run::Answer(keys), "The names in a map.", "#{ a: 1 }.keys() == [\"a\"]").gives(List),
    own("values", &[("map", Map)], Run::Answer(values), "The values in a map.", "#{ a: 1 }.values() == [1]").gives(List),
    own(
        "mixin",
        &[("map", Map), ("more", Map)],
        Run::Change(mixin),
        "Adds the entries of another map.",
        "let map = #{ a: 1 }; map.mixin(#{ b: 2 }); map.b == 2",
    ),
];

fn list(value: &Value) -> &[Value] {
    value.list().map(|list| list.as_slice()).unwrap_or_default()
}

/// A number, or 0.
pub fn n(value: &Value) -> i64 {
    value.number().unwrap_or(0)
}

/// A function is not for such a value.
pub fn no<T>(name: &str, value: &Value) -> Answer<T> {
    fault("running", format!("`{name}` is not for {}", value.kind()), "look what stands here: a figure that nobody gave reads as ()")
}

/// A place in a list of so many, counted from the end where it is below 0.
pub fn place(index: i64, len: usize) -> Option<usize> {
    let place = if index < 0 { index.checked_add(len as i64)? } else { index };
    usize::try_from(place).ok().filter(|place| *place < len)
}

fn len(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(match args[0] {
        Value::List(list) => list.len() as i64,
        Value::Map(map) => map.entries().len() as i64,
        Value::Text(text) => text.chars().count() as i64,
        Value::Range(ends) => ends.1.saturating_sub(ends.0).max(0),
        other => return no("len", other),
    }
    .into())
}

fn is_empty(ctx: &mut Context, args: &[&Value]) -> Answer {
    Ok((n(&len(ctx, args)?) == 0).into())
}

/// `value in container`
pub fn holds(container: &Value, value: &Value) -> Option<bool> {
    Some(match (container, value) {
        (Value::List(list), value) => list.contains(value),
        (Value::Map(map), Value::Text(name)) => map.find(name).is_some(),
        (Value::Text(text), Value::Text(part)) => text.contains(part.as_str()),
        (Value::Range(ends), Value::Number(n)) => (ends.0..ends.1).contains(n),
        _ => return None,
    })
}

fn contains(_: &mut Context, args: &[&Value]) -> Answer {
    match holds(args[0], args[1]) {
        Some(holds) => Ok(holds.into()),
        None => fault(
            "running",
            format!("{} is not looked for in {}", args[1].kind(), args[0].kind()),
            "look for a value in a list, a name in a map, a part in a text",
        ),
    }
}

fn get(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(match (args[0], args[1]) {
        (Value::List(list), Value::Number(index)) => place(*index, list.len()).map(|place| list[place].clone()).unwrap_or_default(),
        (Value::Map(map), Value::Text(name)) => map.find(name).cloned().unwrap_or_default(),
        (Value::Text(text), Value::Number(index)) => {
            let letters: Vec<char> = text.chars().collect();
            place(*index, letters.len()).map(|place| letters[place].to_string().into()).unwrap_or_default()
        }
        (other, _) => return no("get", other),
    })
}

/// Sets an item of a list or an entry of a map.
pub fn put(what: &mut Value, key: &Value, value: Value) -> Answer<()> {
    match (what, key) {
        (Value::List(list), Value::Number(index)) => {
            let Some(place) = place(*index, list.len()) else { return out_of_bounds(*index, list.len()) };
            list.change(|items| items[place] = value);
        }
        (Value::Map(map), Value::Text(name)) if !map.is_cell() => map.insert(name.clone(), value),
        (other, key) => {
            let what = format!("{} has no item {} that could be set", other.kind(), key.kind());
            return fault("running", what, "set(piece, \"figure\", value) sets a figure of a piece");
        }
    }
    Ok(())
}

/// No item of a list has this number.
pub fn out_of_bounds<T>(index: i64, len: usize) -> Answer<T> {
    let what = match len {
        0 => format!("item {index} is asked of an empty list"),
        _ => format!("item {index} is asked of a list of {len}: they are numbered from 0 to {}", len - 1),
    };
    fault("running", what, "look first what is there: `list.len()`, `key in map`")
}

/// Takes an item out of a list or an entry out of a map.
pub fn take(what: &mut Value, key: &Value) -> Value {
    match (what, key) {
        (Value::List(list), Value::Number(index)) => {
            let found = place(*index, list.len());
            found.map(|place| list.change(|items| items.remove(place))).unwrap_or_default()
        }
        (Value::Map(map), Value::Text(name)) => map.remove(name).unwrap_or_default(),
        _ => Value::Nothing,
    }
}

fn changed<T>(list: &mut Value, change: impl FnOnce(&mut Vec<Value>) -> T) -> Option<T> {
    if let Value::List(list) = list { Some(list.change(change)) } else { None }
}

fn push(_: &mut Context, list: &mut Value, args: &[&Value]) -> Answer {
    if let Value::List(list) = list {
        list.push(args[0].clone());
    }
    Ok(Value::Nothing)
}

fn append(_: &mut Context, this: &mut Value, args: &[&Value]) -> Answer {
    changed(this, |items| items.extend_from_slice(list(args[0])));
    Ok(Value::Nothing)
}

fn insert(_: &mut Context, list: &mut Value, args: &[&Value]) -> Answer {
    let index = n(args[0]);
    changed(list, |items| {
        let place = if index < 0 { (items.len() as i64 + index).max(0) } else { index.min(items.len() as i64) };
        items.insert(place as usize, args[1].clone());
    });
    Ok(Value::Nothing)
}

fn pop(_: &mut Context, list: &mut Value, _: &[&Value]) -> Answer {
    Ok(changed(list, Vec::pop).flatten().unwrap_or_default())
}

fn shift(_: &mut Context, list: &mut Value, _: &[&Value]) -> Answer {
    let first = |items: &mut Vec<Value>| if items.is_empty() { Value::Nothing } else { items.remove(0) };
    Ok(changed(list, first).unwrap_or_default())
}

fn reverse(_: &mut Context, list: &mut Value, _: &[&Value]) -> Answer {
    changed(list, |items| items.reverse());
    Ok(Value::Nothing)
}

fn dedup(_: &mut Context, list: &mut Value, _: &[&Value]) -> Answer {
    changed(list, |items| items.dedup());
    Ok(Value::Nothing)
}

fn clear(_: &mut Context, what: &mut Value, _: &[&Value]) -> Answer {
    match what {
        Value::List(list) => *list = Default::default(),
        Value::Map(map) => *map = Default::default(),
        other => return no("clear", other),
    }
    Ok(Value::Nothing)
}

fn truncate(_: &mut Context, list: &mut Value, args: &[&Value]) -> Answer {
    changed(list, |items| items.truncate(n(args[0]).max(0) as usize));
    Ok(Value::Nothing)
}

fn extract(_: &mut Context, args: &[&Value]) -> Answer {
    let items = list(args[0]);
    let (from, count) = match (args[1], args.get(2)) {
        (Value::Range(ends), _) => (ends.0, ends.1.saturating_sub(ends.0).max(0)),
        (from, count) => (n(from), count.map_or(i64::MAX, |count| n(count))),
    };
    let from = if from < 0 { (items.len() as i64 + from).max(0) } else { from.min(items.len() as i64) } as usize;
    let count = usize::try_from(count.max(0)).unwrap_or(usize::MAX).min(items.len() - from);
    Ok(items[from..from + count].iter().cloned().collect())
}

fn keys(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(args[0].map().map(|map| map.entries().iter().map(|(key, _)| Value::Text(key.clone())).collect()).unwrap_or_default())
}

fn values(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(args[0].map().map(|map| map.entries().iter().map(|(_, value)| value.clone()).collect()).unwrap_or_default())
}

fn mixin(_: &mut Context, map: &mut Value, args: &[&Value]) -> Answer {
    if let (Value::Map(map), Value::Map(more)) = (map, args[0]) {
        more.entries().iter().for_each(|(name, value)| map.insert(name.clone(), value.clone()));
    }
    Ok(Value::Nothing)
}

fn index_of(caller: &mut dyn Calls, args: &[Value]) -> Answer {
    let items = list(&args[0]);
    if let Value::Closure(closure) = &args[1] {
        for (index, item) in items.iter().enumerate() {
            if caller.call(closure, vec![item.clone()])? == Value::True {
                return Ok((index as i64).into());
            }
        }
        return Ok((-1).into());
    }
    Ok(items.iter().position(|item| *item == args[1]).map_or(-1, |index| index as i64).into())
}

fn reduce(caller: &mut dyn Calls, args: &[Value]) -> Answer {
    let Value::Closure(closure) = &args[1] else { return no("reduce", &args[1]) };
    let mut so_far = args.get(2).cloned().unwrap_or_default();
    for item in list(&args[0]) {
        so_far = caller.call(closure, vec![so_far, item.clone()])?;
    }
    Ok(so_far)
}

/// A list in order, by a closure or by the natural order of numbers or texts.
fn sort(caller: &mut dyn Calls, args: &[Value]) -> Answer {
    let mut items = list(&args[0]).to_vec();
    let mut wrong = None;
    match args.get(1) {
        Some(Value::Closure(closure)) => {
            let mut before = |a: &Value, b: &Value| match compare(caller, closure, a, b) {
                Ok(order) => order,
                Err(fault) => {
                    wrong.get_or_insert(fault);
                    Ordering::Equal
                }
            };
            // Never more comparisons than pairs, and the same result on every machine, however odd the closure.
            for place in 1..items.len() {
                let mut at = place;
                while at > 0 && before(&items[at], &items[at - 1]) == Ordering::Less {
                    items.swap(at - 1, at);
                    at -= 1;
                }
            }
        }
        Some(other) => return no("sort", other),
        None => {
            let natural = |a: &Value, b: &Value| match (a, b) {
                (Value::Number(a), Value::Number(b)) => Some(a.cmp(b)),
                (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
                _ => None,
            };
            if items.windows(2).any(|pair| natural(&pair[0], &pair[1]).is_none()) {
                return fault(
                    "running",
                    "`sort` without a closure puts numbers or texts in order",
                    "say which comes first: list.sort(|a, b| a.name < b.name)",
                );
            }
            items.sort_by(|a, b| natural(a, b).unwrap_or(Ordering::Equal));
        }
    }
    wrong.map_or_else(|| Ok(items.into()), Err)
}

fn compare(caller: &mut dyn Calls, closure: &Lambda, a: &Value, b: &Value) -> Answer<Ordering> {
    match caller.call(closure, vec![a.clone(), b.clone()])? {
        Value::Number(n) => Ok(n.cmp(&0)),
        Value::True => Ok(Ordering::Less),
        Value::False => Ok(Ordering::Greater),
        other => no("the order of two items", &other),
    }
}
