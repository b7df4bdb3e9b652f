//! Values at the border: ours as Rhai holds them, and back.
//!
//! Numbers, flags, texts, lists, maps and ranges are Rhai's own, so that its operators and its library work on them. What Rhai has no type
//! for is held in one of ours.

use crate::code::context::{Answer, fault};
use crate::situation::value::{Closure, Value};
use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, ImmutableString, Map, NativeCallContext};
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;
use std::sync::Arc;

/// A value that Rhai has no type for, by its sort, a place among [`SORTS`]: each sort is a type of its own, so that `type_of` tells them apart.
#[derive(Clone)]
pub struct Held<const SORT: usize>(pub Value);

/// The sorts, by what scripts call their types.
pub const SORTS: [&str; 5] = ["piece", "place", "side", "cell", "record"];

/// What Rhai gives.
pub type Given<T = Dynamic> = Result<T, Box<EvalAltResult>>;

/// Where closures are at home that came over the border.
pub trait Home: 'static {
    /// Keeps a closure of the function under way; its number.
    fn keep(&self, pointer: &FnPtr) -> u32;

    /// Calls one, where it was written.
    fn enter(self: &Rc<Self>, engine: &Engine, number: usize, args: Vec<Dynamic>) -> Given;
}

/// How the name of a closure begins that came over the border; its number follows.
const CLOSURE: &str = "closure_";

/// A value of ours as Rhai holds it.
pub fn dynamic(value: &Value, home: &Rc<impl Home>) -> Dynamic {
    match value {
        Value::Nothing => Dynamic::UNIT,
        Value::True => Dynamic::TRUE,
        Value::False => Dynamic::FALSE,
        Value::Number(n) => Dynamic::from_int(*n),
        Value::Text(text) => text.as_str().into(),
        Value::Range(ends) => Dynamic::from(ends.0..ends.1),
        Value::List(list) => list.iter().map(|item| dynamic(item, home)).collect::<Array>().into(),
        Value::Map(map) if !map.is_cell() => {
            map.entries().iter().map(|(name, value)| (name.as_str().into(), dynamic(value, home))).collect::<Map>().into()
        }
        Value::Closure(closure) => pointer(closure.unit, home),
        Value::Piece(_) => Dynamic::from(Held::<0>(value.clone())),
        Value::Place(_) => Dynamic::from(Held::<1>(value.clone())),
        Value::Side(_) => Dynamic::from(Held::<2>(value.clone())),
        Value::Map(_) => Dynamic::from(Held::<3>(value.clone())),
        Value::Record(_) => Dynamic::from(Held::<4>(value.clone())),
    }
}

/// A closure that came over the border: wherever it is called, it runs where it was written.
#[allow(deprecated)] // Rhai's way of saying that this may change with a version; ours is exact
fn pointer(number: u32, home: &Rc<impl Home>) -> Dynamic {
    let home = Rc::downgrade(home);
    let call = move |context: NativeCallContext, args: &mut [&mut Dynamic]| match home.upgrade() {
        Some(home) => home.enter(context.engine(), number as usize, args.iter().map(|arg| arg.flatten_clone()).collect()),
        None => Ok(Dynamic::UNIT),
    };
    FnPtr::from_dyn_fn(format!("{CLOSURE}{number}"), Box::new(call)).map_or(Dynamic::UNIT, Dynamic::from)
}

/// A value of Rhai's as ours.
pub fn value(of: &Dynamic, home: &impl Home) -> Answer {
    if of.is_shared() {
        return value(&of.flatten_clone(), home);
    }
    if let Ok(n) = of.as_int() {
        return Ok(Value::Number(n));
    }
    if let Some(text) = of.read_lock::<ImmutableString>() {
        return Ok(text.as_str().into());
    }
    if let Some(list) = of.read_lock::<Array>() {
        return Ok(list.iter().map(|item| value(item, home)).collect::<Answer<Vec<Value>>>()?.into());
    }
    if let Some(map) = of.read_lock::<Map>() {
        let entries = map.iter().map(|(name, item)| Ok((name.as_str().into(), value(item, home)?)));
        return Ok(Value::Map(entries.collect::<Answer<Vec<_>>>()?.into_iter().collect()));
    }
    if let Some(pointer) = of.read_lock::<FnPtr>() {
        let known = pointer.fn_name().strip_prefix(CLOSURE).and_then(|number| number.parse().ok());
        // How many arguments it takes is Rhai's to know.
        let unit = known.unwrap_or_else(|| home.keep(&pointer));
        return Ok(Value::Closure(Arc::new(Closure { unit, arity: 0, shared: Vec::new() })));
    }
    let range = of.read_lock::<Range<i64>>().map(|range| (range.start, range.end));
    let range = range.or_else(|| of.read_lock::<RangeInclusive<i64>>().map(|range| (*range.start(), range.end().saturating_add(1))));
    match (of.as_bool(), of.as_char(), range, held(of)) {
        (Ok(flag), ..) => Ok(flag.into()),
        (_, Ok(letter), ..) => Ok(letter.to_string().into()),
        (_, _, Some(ends), _) => Ok(Value::Range(Arc::new(ends))),
        (.., Some(held)) => Ok(held),
        _ if of.is_unit() => Ok(Value::Nothing),
        _ => fault(
            "running",
            format!("a {} is not in the language of cases", of.type_name()),
            "see `casebook guide` for what a case may say",
        ),
    }
}

/// What is held of ours, if something is.
pub fn held(of: &Dynamic) -> Option<Value> {
    fn of_sort<const SORT: usize>(of: &Dynamic) -> Option<Value> {
        of.read_lock::<Held<SORT>>().map(|held| held.0.clone())
    }
    of_sort::<0>(of).or_else(|| of_sort::<1>(of)).or_else(|| of_sort::<2>(of)).or_else(|| of_sort::<3>(of)).or_else(|| of_sort::<4>(of))
}

/// Makes a value of Rhai's ready to leave the function it stands in: it shares nothing any more, and closures keep their home.
pub fn settled(of: Dynamic, home: &Rc<impl Home>) -> Dynamic {
    let mut of = of.flatten();
    let number = of.read_lock::<FnPtr>().filter(|script| script.is_anonymous()).map(|script| home.keep(&script));
    if let Some(number) = number {
        return pointer(number, home);
    }
    let each = |item: &mut Dynamic| *item = settled(std::mem::take(item), home);
    if let Some(mut list) = of.write_lock::<Array>() {
        list.iter_mut().for_each(each);
    } else if let Some(mut map) = of.write_lock::<Map>() {
        map.values_mut().for_each(each);
    }
    of
}
