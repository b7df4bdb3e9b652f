//! Searches on the map: reachability and shortest paths.
//!
//! A closure gives the steps and their costs. Libraries for shortest paths require non-decreasing costs, but a rule may reset a count on
//! the way.

use super::types::*;
use crate::code::context::{ClosureCaller, VerbContext, VerbResult, fault};
use crate::complaint::DiagnosticCode;
use crate::situation::value::{HashedText as Word, Map as Names, Value};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

verbs! {
    allowed_in: Anywhere, from_language: false;

    reach(starts: ANY, steps: CLOSURE) = WithClosures(reach).with_keys(&REACHED_KEYS),
        "Everything that is reached from some places, by name: what it costs, from where, by which way. The closure says of a place and \
            what it cost so far which steps lead on: [to, cost in all], or [to, cost in all, way].",
        "reach(\"a\", |at, so_far| if at == \"a\" { [[\"b\", so_far + 2]] } else { [] }).b.cost == 2";
    path_to(reached: MAP, place: TEXT), "The places from a start to one that was reached, both ends with it; () where it was not.",
        "path_to(reach(\"a\", |at, so_far| if at == \"a\" { [[\"b\", so_far + 2]] } else { [] }), \"b\") == [\"a\", \"b\"]";
}

/// What `reach` says of each place.
const REACHED_KEYS: [&str; 3] = ["cost", "from", "way"];

/// Maximum number of places visited by a search.
const MAX_PLACES: usize = 20_000;

/// How a place was reached.
#[derive(Clone, Default)]
struct SearchedPlace {
    cost: i64,
    from: Word,
    step_kind: Value,
}

fn reach(caller: &mut dyn ClosureCaller, args: &[Value]) -> VerbResult {
    let Value::Closure(steps) = &args[1] else {
        return Ok(Value::Nothing);
    };
    let starts = args[0]
        .as_list()
        .map_or(std::slice::from_ref(&args[0]), |list| list.as_slice());
    let mut order: Vec<Word> = Vec::new();
    let mut reached: FxHashMap<Word, SearchedPlace> = FxHashMap::default();
    let mut queue = BinaryHeap::new();
    let mut count = 0usize;
    for start in starts.iter().filter_map(Value::as_text).cloned() {
        let place = SearchedPlace {
            step_kind: "start".into(),
            ..SearchedPlace::default()
        };
        if reached.insert(start.clone(), place).is_none() {
            queue.push(Reverse((0, order.len(), start.clone())));
            order.push(start);
        }
    }
    while let Some(Reverse((so_far, _, at))) = queue.pop() {
        // Skips an entry that a cheaper path has replaced.
        if reached.get(&at).is_none_or(|place| place.cost != so_far) {
            continue;
        }
        let links = caller.call(steps, vec![at.clone().into(), Value::Number(so_far)])?;
        for link in links
            .as_list()
            .map(|list| list.as_slice())
            .unwrap_or_default()
        {
            let parts = link
                .as_list()
                .map(|list| list.as_slice())
                .unwrap_or_default();
            let (Some(to), Some(cost)) = (
                parts.first().and_then(Value::as_text),
                parts.get(1).and_then(Value::as_number),
            ) else {
                return fault(
                    DiagnosticCode::Running,
                    "a step of `reach` is not a list of a place and what it costs",
                    "write [to, so_far + cost]",
                );
            };
            let known_cost = reached.get(to).map(|place| place.cost);
            if known_cost.is_some_and(|known_cost| known_cost <= cost) {
                continue;
            }
            count += 1;
            if count > MAX_PLACES {
                return fault(
                    DiagnosticCode::Limit,
                    "the search does not end",
                    "let the steps end: a limit on what it may cost, or costs that are not negative",
                );
            }
            if known_cost.is_none() {
                order.push(to.clone());
            }
            let place = SearchedPlace {
                cost,
                from: at.clone(),
                step_kind: parts.get(2).cloned().unwrap_or_default(),
            };
            reached.insert(to.clone(), place);
            queue.push(Reverse((cost, count, to.clone())));
        }
    }
    let names = REACHED_KEYS.map(Word::from);
    let entry = |place: Word| {
        let SearchedPlace {
            cost,
            from,
            step_kind,
        } = reached.get(&place).cloned().unwrap_or_default();
        let fields: Names = names
            .iter()
            .cloned()
            .zip([Value::Number(cost), from.into(), step_kind])
            .collect();
        (place, Value::Map(fields))
    };
    Ok(Value::Map(order.into_iter().map(entry).collect()))
}

fn path_to(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let (Some(reached), Some(place)) = (args[0].as_map(), args[1].as_text()) else {
        return Ok(Value::Nothing);
    };
    let mut path: Vec<Value> = Vec::new();
    let mut at = place.clone();
    while let Some(entry) = reached.get_by_text(&at).and_then(Value::as_map) {
        path.push(at.clone().into());
        match entry
            .get("from")
            .and_then(Value::as_text)
            .filter(|from| !from.is_empty())
        {
            Some(from) if path.len() < MAX_PLACES => at = from.clone(),
            _ => break,
        }
    }
    path.reverse();
    Ok(if path.is_empty() {
        Value::Nothing
    } else {
        path.into()
    })
}
