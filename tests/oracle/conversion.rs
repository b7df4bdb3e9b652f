//! Converts values between the machine and Rhai.
//!
//! Numbers, booleans, texts, lists, maps and ranges become Rhai's own types, so that its operators and library work on them. Values
//! without a Rhai type are wrapped.

use casebook::code::oracle::{VerbResult, fault};
use casebook::complaint::DiagnosticCode;
use casebook::situation::value::{Closure, Value};
use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, ImmutableString, Map, NativeCallContext};
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;
use std::sync::Arc;

/// A wrapped machine value. `SORT` is an index into [`TYPE_NAMES`]: each index makes a type of its own, so `type_of` distinguishes them.
#[derive(Clone)]
pub struct ForeignValue<const SORT: usize>(pub Value);

/// The names of the wrapped types in scripts.
pub const TYPE_NAMES: [&str; 5] = ["piece", "place", "side", "cell", "record"];

/// A result of Rhai.
pub type RhaiResult<T = Dynamic> = Result<T, Box<EvalAltResult>>;

/// A registry of closures that crossed the boundary.
pub trait ClosureOrigins: 'static {
    /// Registers a closure of the current function and returns its number.
    fn register_closure(&self, pointer: &FnPtr) -> u32;

    /// Returns a text as a value; a label of a place by the name of the place.
    fn named(&self, text: &str) -> Value;

    /// Calls a registered closure in the function that defined it.
    fn call_closure(
        self: &Rc<Self>,
        engine: &Engine,
        number: usize,
        args: Vec<Dynamic>,
    ) -> RhaiResult;
}

/// The prefix of the name of a registered closure; its number follows.
const CLOSURE_PREFIX: &str = "closure_";

/// Converts a machine value to a Rhai value.
pub fn to_dynamic(value: &Value, home: &Rc<impl ClosureOrigins>) -> Dynamic {
    match value {
        Value::Nothing => Dynamic::UNIT,
        Value::True => Dynamic::TRUE,
        Value::False => Dynamic::FALSE,
        Value::Number(n) => Dynamic::from_int(*n),
        Value::Text(text) => text.as_str().into(),
        Value::Range(ends) => Dynamic::from(ends.0..ends.1),
        Value::List(list) => list
            .iter()
            .map(|item| to_dynamic(item, home))
            .collect::<Array>()
            .into(),
        Value::Map(map) if !map.is_cell() => map
            .entries()
            .iter()
            .map(|(name, value)| (name.as_str().into(), to_dynamic(value, home)))
            .collect::<Map>()
            .into(),
        Value::Closure(closure) => to_fn_ptr(closure.function, home),
        Value::Piece(_) => Dynamic::from(ForeignValue::<0>(value.clone())),
        Value::Place(_) => Dynamic::from(ForeignValue::<1>(value.clone())),
        Value::Side(_) => Dynamic::from(ForeignValue::<2>(value.clone())),
        Value::Map(_) => Dynamic::from(ForeignValue::<3>(value.clone())),
        Value::Record(_) => Dynamic::from(ForeignValue::<4>(value.clone())),
    }
}

/// Creates a pointer to a registered closure, which runs in its defining function wherever it is called.
#[allow(deprecated)] // Rhai marks unstable functions as deprecated; its version is pinned.
fn to_fn_ptr(number: u32, home: &Rc<impl ClosureOrigins>) -> Dynamic {
    let home = Rc::downgrade(home);
    let call = move |context: NativeCallContext, args: &mut [&mut Dynamic]| match home.upgrade() {
        Some(home) => home.call_closure(
            context.engine(),
            number as usize,
            args.iter().map(|arg| arg.flatten_clone()).collect(),
        ),
        None => Ok(Dynamic::UNIT),
    };
    FnPtr::from_dyn_fn(format!("{CLOSURE_PREFIX}{number}"), Box::new(call))
        .map_or(Dynamic::UNIT, Dynamic::from)
}

/// Converts a Rhai value to a machine value.
pub fn from_dynamic(value: &Dynamic, home: &impl ClosureOrigins) -> VerbResult {
    if value.is_shared() {
        return from_dynamic(&value.flatten_clone(), home);
    }
    if let Ok(n) = value.as_int() {
        return Ok(Value::Number(n));
    }
    if let Some(text) = value.read_lock::<ImmutableString>() {
        return Ok(home.named(text.as_str()));
    }
    if let Some(items) = value.read_lock::<Array>() {
        return Ok(items
            .iter()
            .map(|item| from_dynamic(item, home))
            .collect::<VerbResult<Vec<Value>>>()?
            .into());
    }
    if let Some(map) = value.read_lock::<Map>() {
        let entries = map
            .iter()
            .map(|(name, item)| Ok((name.as_str().into(), from_dynamic(item, home)?)));
        return Ok(Value::Map(
            entries
                .collect::<VerbResult<Vec<_>>>()?
                .into_iter()
                .collect(),
        ));
    }
    if let Some(pointer) = value.read_lock::<FnPtr>() {
        let number = pointer
            .fn_name()
            .strip_prefix(CLOSURE_PREFIX)
            .and_then(|number| number.parse().ok());
        // Rhai checks the number of arguments itself.
        let unit = number.unwrap_or_else(|| home.register_closure(&pointer));
        return Ok(Value::Closure(Arc::new(Closure {
            function: unit,
            arity: 0,
            captures: Vec::new(),
        })));
    }
    let range = value
        .read_lock::<Range<i64>>()
        .map(|range| (range.start, range.end));
    let range = range.or_else(|| {
        value
            .read_lock::<RangeInclusive<i64>>()
            .map(|range| (*range.start(), range.end().saturating_add(1)))
    });
    match (
        value.as_bool(),
        value.as_char(),
        range,
        foreign_value(value),
    ) {
        (Ok(flag), ..) => Ok(flag.into()),
        (_, Ok(letter), ..) => Ok(letter.to_string().into()),
        (_, _, Some(ends), _) => Ok(Value::Range(Arc::new(ends))),
        (.., Some(foreign)) => Ok(foreign),
        _ if value.is_unit() => Ok(Value::Nothing),
        _ => fault(
            DiagnosticCode::Running,
            format!("a {} is not in the language of cases", value.type_name()),
            "see `casebook guide` for what a case may say",
        ),
    }
}

/// Returns the wrapped machine value, if there is one.
pub fn foreign_value(value: &Dynamic) -> Option<Value> {
    fn downcast<const SORT: usize>(value: &Dynamic) -> Option<Value> {
        value
            .read_lock::<ForeignValue<SORT>>()
            .map(|foreign| foreign.0.clone())
    }
    downcast::<0>(value)
        .or_else(|| downcast::<1>(value))
        .or_else(|| downcast::<2>(value))
        .or_else(|| downcast::<3>(value))
        .or_else(|| downcast::<4>(value))
}

/// Prepares a Rhai value to leave its function: shared values are copied, and closures are registered.
pub fn detach(value: Dynamic, home: &Rc<impl ClosureOrigins>) -> Dynamic {
    let mut detached = value.flatten();
    let number = detached
        .read_lock::<FnPtr>()
        .filter(|script| script.is_anonymous())
        .map(|script| home.register_closure(&script));
    if let Some(number) = number {
        return to_fn_ptr(number, home);
    }
    let detach_item = |item: &mut Dynamic| *item = detach(std::mem::take(item), home);
    if let Some(mut items) = detached.write_lock::<Array>() {
        items.iter_mut().for_each(detach_item);
    } else if let Some(mut map) = detached.write_lock::<Map>() {
        map.values_mut().for_each(detach_item);
    }
    detached
}
