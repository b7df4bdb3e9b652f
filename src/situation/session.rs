//! One run of a procedure or example: board, dice, answers to choices, and the trace.

use crate::complaint::Complaints;
use crate::data::scenario::Scenario;
use crate::data::yaml::{Node, Value};
use crate::situation::board::{Board, PieceId};
use crate::situation::dice::{Stream, Typed};
use crate::situation::policy::Policies;
use crate::situation::trace::Event;
use rhai::{Array, Dynamic, EvalAltResult, ImmutableString, Map, Position};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The state of one run.
pub struct Session {
    /// The board.
    pub board: Board,
    /// Where dice come from.
    pub stream: Box<dyn Stream>,
    /// Answers to choices, by "side: what" or "what".
    pub answers: HashMap<String, Dynamic>,
    /// Who answers the choices that nobody has answered.
    pub policies: Arc<Policies>,
    /// What happened.
    pub events: Vec<Event>,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// Whether this is an example, which may set up boards and dice.
    pub example: bool,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            board: Board::default(),
            stream: Box::new(Typed::default()),
            answers: HashMap::new(),
            policies: Arc::default(),
            events: Vec::new(),
            strict: false,
            example: false,
        }
    }
}

/// A rule said no: the procedure ends, citing who refused.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Why, as a template.
    pub template: ImmutableString,
    /// What the template speaks of.
    pub args: Array,
    /// The cases that decided, as indices among those in force.
    pub cases: Vec<usize>,
}

/// Something a script may not do, found by a verb.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The law.
    pub law: &'static str,
    /// What is wrong.
    pub what: String,
    /// How to mend it.
    pub help: String,
}

/// What a script function returns to Rhai.
pub type Answer<T = Dynamic> = Result<T, Box<EvalAltResult>>;

/// Ends the script with a fault.
pub fn fault<T>(law: &'static str, what: impl Into<String>, help: impl Into<String>) -> Answer<T> {
    let fault = Fault { law, what: what.into(), help: help.into() };
    Err(Box::new(EvalAltResult::ErrorRuntime(Dynamic::from(fault), Position::NONE)))
}

/// How a run ended, if not well.
#[derive(Clone, Debug)]
pub enum Ended {
    /// A rule refused.
    Refused(Refusal),
    /// The data or what was typed in is at fault.
    Broken(Complaints),
}

/// A cell with several fields, as scripts hold it.
#[derive(Clone, Debug)]
pub struct Figures(pub Rc<Map>);

/// A sheet that a procedure fills in on its way, as scripts hold it: handed on without a copy, so that it costs nothing.
#[derive(Clone, Debug)]
pub struct Record(pub Rc<std::cell::RefCell<Map>>);

/// A value as text, as lines of a ruling show it.
pub fn text_of(value: &Dynamic, board: &Board) -> String {
    text_within(value, board, &mut Reach::default())
}

/// How far lists and sheets within each other are read: a sheet may stand in itself.
pub struct Reach {
    deep: usize,
    values: usize,
}

impl Default for Reach {
    fn default() -> Reach {
        Reach { deep: 16, values: 20_000 }
    }
}

impl Reach {
    /// Reads one value more, and what it holds one step deeper; none where that is too far.
    pub fn step<T>(&mut self, read: impl FnOnce(&mut Reach) -> T) -> Option<T> {
        if self.deep == 0 || self.values == 0 {
            return None;
        }
        (self.deep, self.values) = (self.deep - 1, self.values - 1);
        let read = read(self);
        self.deep += 1;
        Some(read)
    }
}

fn text_within(value: &Dynamic, board: &Board, reach: &mut Reach) -> String {
    if let Some(id) = value.read_lock::<PieceId>() {
        return board.pieces.get(id.0 as usize).map(|p| p.name.to_string()).unwrap_or_default();
    }
    if let Some(place) = value.read_lock::<crate::situation::board::PlaceId>() {
        return place.0.to_string();
    }
    if let Some(list) = value.read_lock::<Array>() {
        let items = reach.step(|reach| list.iter().map(|item| text_within(item, board, reach)).collect());
        return items.map_or("…".into(), joined);
    }
    if let Some(map) = map_of(value) {
        if let Some(name) = map.get("name") {
            return name.to_string();
        }
        let parts = |reach: &mut Reach| map.iter().map(|(k, v)| format!("{k}: {}", text_within(v, board, reach))).collect::<Vec<_>>();
        return reach.step(parts).map_or("…".into(), |parts| format!("{{{}}}", parts.join(", ")));
    }
    if value.is_unit() { "none".into() } else { value.to_string() }
}

/// An outcome as text: yes and no for flags.
pub fn shown(value: &Dynamic, board: &Board) -> String {
    match value.as_bool() {
        Ok(true) => "yes".into(),
        Ok(false) => "no".into(),
        Err(_) => text_of(value, board),
    }
}

/// The map behind a map, a cell or a record.
pub fn map_of(value: &Dynamic) -> Option<Map> {
    if let Some(map) = value.read_lock::<Map>() {
        return Some(map.clone());
    }
    if let Some(figures) = value.read_lock::<Figures>() {
        return Some((*figures.0).clone());
    }
    value.read_lock::<Record>().map(|record| record.0.borrow().clone())
}

/// "a, b and c"; "none" for nothing.
pub fn joined(words: Vec<String>) -> String {
    match &words[..] {
        [] => "none".into(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

/// Fills the `{}` of a template in order; `{is|are}` agrees with the value before it, or with the next where none is before.
pub fn filled(template: &str, args: &[Dynamic], board: &Board) -> String {
    let mut out = String::with_capacity(template.len() + 16 * args.len());
    let (mut rest, mut next) = (template, 0);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((inside, after)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match inside.split_once('|') {
            None if inside.is_empty() && next < args.len() => {
                out.push_str(&text_of(&args[next], board));
                next += 1;
            }
            Some((one, many)) => out.push_str(if args.get(next.saturating_sub(1)).is_none_or(is_one) { one } else { many }),
            None => {
                out.push('{');
                out.push_str(inside);
                out.push('}');
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether a value speaks of a single thing: the number 1, a list of one, anything that is neither.
fn is_one(value: &Dynamic) -> bool {
    match (value.as_int(), value.read_lock::<Array>()) {
        (Ok(n), _) => n == 1,
        (_, Some(list)) => list.len() == 1,
        _ => true,
    }
}

/// A tree of YAML as scripts see it.
pub fn value(node: &Node) -> Dynamic {
    match &node.value {
        Value::Scalar(text, plain) => match (text.as_str(), plain) {
            ("true", true) => true.into(),
            ("false", true) => false.into(),
            (text, true) => text.parse::<i64>().map_or_else(|_| text.to_string().into(), Dynamic::from_int),
            (text, false) => text.to_string().into(),
        },
        Value::List(items) => items.iter().map(value).collect::<Array>().into(),
        Value::Map(entries) => entries.iter().map(|(k, v)| (k.text().unwrap_or_default().into(), value(v))).collect::<Map>().into(),
    }
}

/// The answers a situation gives to choices.
pub fn answers(scenario: &Scenario) -> HashMap<String, Dynamic> {
    let entries = scenario.root.get("choices").map(Node::entries).unwrap_or_default();
    entries.iter().map(|(k, v)| (k.text().unwrap_or_default().to_string(), value(v))).collect()
}

/// Whether a value is what was expected: of a map, the keys that the expectation names.
pub fn same(got: &Dynamic, wanted: &Dynamic, board: &Board) -> bool {
    same_within(got, wanted, board, &mut Reach::default())
}

fn same_within(got: &Dynamic, wanted: &Dynamic, board: &Board, reach: &mut Reach) -> bool {
    if let (Some(got), Some(wanted)) = (map_of(got), map_of(wanted)) {
        let same = |reach: &mut Reach| wanted.iter().all(|(key, value)| got.get(key).is_some_and(|g| same_within(g, value, board, reach)));
        return reach.step(same).unwrap_or(false);
    }
    if let (Some(got), Some(wanted)) = (got.read_lock::<Array>(), wanted.read_lock::<Array>()) {
        let same = |reach: &mut Reach| got.iter().zip(wanted.iter()).all(|(g, w)| same_within(g, w, board, reach));
        return got.len() == wanted.len() && reach.step(same).unwrap_or(false);
    }
    if let (Ok(got), Ok(wanted)) = (got.as_int(), wanted.as_int()) {
        return got == wanted;
    }
    let number_and_text = got.is_int() != wanted.is_int();
    !number_and_text && got.is_unit() == wanted.is_unit() && text_of(got, board) == text_of(wanted, board)
}
