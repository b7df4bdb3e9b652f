//! What scripts may call besides cases: dice and choices, tables, the lines of a ruling.
//!
//! Verbs are coarse and neutral: scripts decide, verbs search rows, spread losses and keep the trace.

pub mod arithmetic;
pub mod board;
pub mod change;
pub mod choose;
pub mod examples;
pub mod lists;

use crate::code::host::Host;
use crate::complaint::did_you_mean;
use crate::data::axis::Key;
use crate::situation::session::{Answer, Figures, Record, Refusal, fault, text_of};
use crate::situation::trace::Event;
use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, Map, NativeCallContext, Position};
use std::any::TypeId;
use std::rc::Rc;

/// The names of all verbs.
pub const NAMES: &[&str] = &[
    "roll",
    "hits",
    "choose",
    "table",
    "piece",
    "has_piece",
    "pieces",
    "pieces_at",
    "pieces_on",
    "is_a",
    "enemy",
    "place",
    "between",
    "adjacent",
    "neighbours",
    "distance",
    "track",
    "later",
    "position",
    "set",
    "move_piece",
    "put_on",
    "remove",
    "create",
    "set_track",
    "step",
    "say",
    "result",
    "refuse",
    "require",
    "reading",
    "record",
    "fill",
    "total",
    "spread",
    "half_up",
    "half_down",
    "percent",
    "odds",
    "clamp",
    "sign",
    "names",
    "only",
    "without",
    "having",
    "not_having",
    "figures",
    "distinct",
    "sort_by",
    "pieces_around",
    "entry",
    "entries",
    "where",
    "first",
    "asked",
    "row",
    "choose_piece",
    "prior",
    "expect",
    "expect_refused",
    "dice",
    "answers",
    "setup",
    "chance",
    "mean",
    "outcome",
    "min",
    "max",
];

/// Names that Rhai's own library answers.
pub const BUILT_IN: &[&str] = &[
    "len",
    "push",
    "pop",
    "insert",
    "contains",
    "filter",
    "map",
    "some",
    "all",
    "sort",
    "reverse",
    "index_of",
    "is_empty",
    "keys",
    "values",
    "reduce",
    "range",
    "abs",
    "to_string",
    "parse_int",
    "starts_with",
    "ends_with",
    "sub_string",
    "split",
    "trim",
    "to_upper",
    "to_lower",
    "append",
    "concat",
    "extract",
    "splice",
    "drain",
    "retain",
    "dedup",
    "find",
    "find_map",
    "for_each",
    "zip",
    "get",
    "type_of",
    "is_odd",
    "is_even",
    "is_zero",
    "shift",
    "truncate",
    "clear",
    "mixin",
    "fill_with",
    "replace",
    "index_value",
    "sum",
    "chop",
    "pad",
    "order",
    "remove",
    "min",
    "max",
    "sign",
    "throw",
    "call",
    "curry",
    "is_shared",
    "tag",
    "contains",
    "set",
    "get",
    "chars",
    "crop",
    "bytes",
    "print",
];

/// Gives an engine the verbs of dice, choices, tables and rulings.
pub fn register(engine: &mut Engine, host: &Rc<Host>) {
    chance_and_choice(engine, host);
    tables(engine, host);
    ruling(engine, host);
}

/// Text or number as a label.
fn chance_and_choice(engine: &mut Engine, host: &Rc<Host>) {
    let h = host.clone();
    engine.register_fn("roll", move |dice: ImmutableString, purpose: ImmutableString| h.roll(dice, purpose, None));
    let h = host.clone();
    engine.register_fn("roll", move |dice: ImmutableString, purpose: ImmutableString, of: Dynamic| {
        h.roll(dice, h.purpose_of(&purpose, &of), None)
    });
    let h = host.clone();
    engine.register_fn("hits", move |dice: ImmutableString, at_least: i64, purpose: ImmutableString| h.roll(dice, purpose, Some(at_least)));
    let h = host.clone();
    engine.register_fn("hits", move |dice: ImmutableString, at_least: i64, purpose: ImmutableString, of: Dynamic| {
        h.roll(dice, h.purpose_of(&purpose, &of), Some(at_least))
    });
    let h = host.clone();
    engine.register_fn("choose", move |context: NativeCallContext, side: Dynamic, what: ImmutableString, options: Array| {
        h.choose(context.engine(), side, what, options)
    });
    let h = host.clone();
    engine.register_fn("choose_piece", move |context: NativeCallContext, side: Dynamic, what: ImmutableString, units: Array| -> Answer {
        let names: Array = units.iter().map(|unit| Dynamic::from(text_of(unit, &h.session.borrow().board))).collect();
        let picked = h.choose(context.engine(), side, what, names.clone())?.to_string();
        let place = names.iter().position(|name| name.to_string() == picked).unwrap_or(0);
        Ok(units[place].clone())
    });
}

fn tables(engine: &mut Engine, host: &Rc<Host>) {
    for keys in 1..=3 {
        let h = host.clone();
        let mut types = vec![TypeId::of::<ImmutableString>()];
        types.extend(vec![TypeId::of::<Dynamic>(); keys]);
        engine.register_raw_fn("table", types, move |_: NativeCallContext, args: &mut [&mut Dynamic]| {
            let (id, keys) = args.split_at(1);
            let id = id[0].read_lock::<ImmutableString>().map(|text| text.clone()).unwrap_or_default();
            h.read_cell(&id, keys)
        });
    }
    let h = host.clone();
    engine.register_fn("row", move |id: ImmutableString, key: Dynamic| h.read_row(&id, key));
    engine.register_type_with_name::<Figures>("cell");
    engine.register_indexer_get(|cell: &mut Figures, field: ImmutableString| -> Answer {
        match cell.0.get(field.as_str()) {
            Some(value) => Ok(value.clone()),
            None => {
                let near = did_you_mean(&field, cell.0.keys().map(|k| k.as_str()));
                fault("running", format!("the cell has no field `{field}`{near}"), "fields and marks stand in the table file")
            }
        }
    });
}

fn ruling(engine: &mut Engine, host: &Rc<Host>) {
    let h = host.clone();
    engine.register_fn("step", move |title: ImmutableString| h.note(Event::Step(title)));
    let h = host.clone();
    engine.register_fn("say", move |template: ImmutableString| h.note(Event::Say(template, Array::new())));
    let h = host.clone();
    engine.register_fn("say", move |template: ImmutableString, args: Array| h.note(Event::Say(template, args)));
    let h = host.clone();
    engine.register_fn("result", move |name: ImmutableString, value: Dynamic| {
        h.note(Event::Result(name, value));
    });
    let h = host.clone();
    engine.register_fn("refuse", move |template: ImmutableString| h.refuse::<()>(template, Array::new(), false));
    let h = host.clone();
    engine.register_fn("refuse", move |template: ImmutableString, args: Array| h.refuse::<()>(template, args, false));
    let h = host.clone();
    engine.register_fn(
        "require",
        move |answer: bool, template: ImmutableString| if answer { Ok(()) } else { h.refuse(template, Array::new(), true) },
    );
    let h = host.clone();
    engine.register_fn(
        "require",
        move |answer: bool, template: ImmutableString, args: Array| if answer { Ok(()) } else { h.refuse(template, args, true) },
    );
    let h = host.clone();
    engine.register_fn("reading", move |name: ImmutableString| h.reading(&name));
    engine.register_type_with_name::<Record>("record");
    let h = host.clone();
    engine.register_fn("fill", move |record: &mut Record, fields: Map| {
        h.memo.act();
        record.0.borrow_mut().extend(fields);
    });
    engine.register_fn("record", |map: Map| Record(Rc::new(map.into())));
    engine.register_indexer_get(|record: &mut Record, field: ImmutableString| {
        record.0.borrow().get(field.as_str()).cloned().unwrap_or(Dynamic::UNIT)
    });
    let h = host.clone();
    engine.register_indexer_set(move |record: &mut Record, field: ImmutableString, value: Dynamic| {
        h.memo.act();
        record.0.borrow_mut().insert(field.as_str().into(), value);
    });
}

impl Host {
    /// "what for: of whom"
    fn purpose_of(&self, purpose: &str, of: &Dynamic) -> ImmutableString {
        format!("{purpose}: {}", text_of(of, &self.session.borrow().board)).into()
    }

    /// Throws dice; counts those that show a face or better where one is named.
    fn roll(&self, dice: ImmutableString, purpose: ImmutableString, at_least: Option<i64>) -> Answer<i64> {
        let spec = self.dice(&dice)?;
        self.memo.act();
        let mut session = self.session.borrow_mut();
        let thrown = match at_least {
            None => session.stream.throw(&spec, &purpose),
            Some(face) => session.stream.count(&spec, face.clamp(1, 2000) as u32, &purpose),
        };
        match thrown {
            Ok(throw) => {
                let total = throw.total;
                session.events.push(Event::Die { dice, purpose, throw });
                Ok(total)
            }
            Err(error) => {
                use crate::situation::dice::NoThrow::*;
                let what = match error {
                    TooFew { typed: 0 } => format!("no dice are given for {dice}, {purpose}"),
                    TooFew { .. } => {
                        let left = match session.stream.left_over() {
                            0 => "none is".into(),
                            1 => "1 is".into(),
                            n => format!("{n} are"),
                        };
                        let takes = if spec.count == 1 { "one die".into() } else { format!("{} dice", spec.count) };
                        format!("{dice} for {purpose} takes {takes}; {left} left of those typed in")
                    }
                    NoFace { face, sides, nth } => {
                        format!("die {nth} of those typed in shows {face}; a d{sides} shows 1 to {sides} ({dice} for {purpose})")
                    }
                    TooMany => format!("{dice} have too many outcomes to count exactly"),
                };
                fault("dice", what, "type every die singly, in the order thrown: 2d6 takes two")
            }
        }
    }

    fn read_cell(&self, id: &str, keys: &[&mut Dynamic]) -> Answer {
        let Some(chart) = self.chart(id)? else {
            let near = did_you_mean(id, self.ruleset.table_names());
            return fault(
                "unknown-name",
                format!("no table in force is called `{id}`{near}"),
                "tables stand in tables/<game> and in variants",
            );
        };
        let texts: Vec<Option<ImmutableString>> = keys.iter().map(|k| k.read_lock::<ImmutableString>().map(|text| text.clone())).collect();
        let key = |i: usize| match &texts[i] {
            Some(text) => Key::Text(text),
            None => Key::Number(keys[i].as_int().unwrap_or(i64::MIN)),
        };
        let asked = match keys.len() {
            1 => [None, None, Some(key(0))],
            2 => [None, Some(key(0)), Some(key(1))],
            _ => [Some(key(0)), Some(key(1)), Some(key(2))],
        };
        let table = &chart.table;
        let index = table.find(asked).or_else(|axis| {
            let axis_data = &table.axes[axis];
            let asked = keys.get((axis + keys.len()).wrapping_sub(3)).map(|k| k.to_string()).unwrap_or_default();
            let what = format!("table {id} has no {} {asked}", if axis_data.of.is_empty() { "label" } else { &axis_data.of });
            fault("label", what, format!("it has {}", axis_data.written.join(", ")))
        })?;
        let cell = &table.cells[index];
        let strict = self.session.borrow().strict;
        if cell.missing() || (strict && cell.status == crate::data::case::Status::Reconstructed) {
            let known = if cell.missing() { "is not known" } else { "is reconstructed, and --strict does not use such figures" };
            let what = format!("table {id}, {}: the figure {known}", table.label(index));
            return fault(
                "figure",
                what,
                format!(
                    "type the printed chart into a variant of your own: casebook new variant my-charts --tables (it stands in {})",
                    cell.path
                ),
            );
        }
        self.session.borrow_mut().events.push(Event::Cell(table.clone(), index));
        Ok(chart.values[index].clone().unwrap_or(Dynamic::UNIT))
    }

    /// A whole row of a chart: its figures by the labels of the columns; of a chart with one column, the cell.
    fn read_row(&self, id: &str, mut key: Dynamic) -> Answer {
        let columns: Vec<String> = self.chart(id)?.map(|chart| chart.table.axes[1].written.clone()).unwrap_or_default();
        if columns.len() < 2 {
            return self.read_cell(id, &[&mut key]);
        }
        let mut row = Map::new();
        for label in columns {
            let mut column = Dynamic::from(label.clone());
            row.insert(label.as_str().into(), self.read_cell(id, &[&mut column, &mut key])?);
        }
        Ok(Dynamic::from(Figures(Rc::new(row))))
    }

    /// Ends the procedure: the case being answered refuses, and with it the one that just answered.
    fn refuse<T>(&self, template: ImmutableString, args: Array, by_answer: bool) -> Answer<T> {
        let mut cases: Vec<usize> = self.answered.get().filter(|_| by_answer).into_iter().collect();
        cases.extend(self.current().filter(|case| !cases.contains(case)));
        let refusal = Refusal { template, args, cases };
        Err(Box::new(EvalAltResult::ErrorRuntime(Dynamic::from(refusal), Position::NONE)))
    }

    fn reading(&self, name: &str) -> Answer<ImmutableString> {
        let full = match self.current() {
            Some(case) if !name.contains('.') => format!("{}.{name}", self.ruleset.cases[case].number),
            _ => name.to_string(),
        };
        match self.ruleset.readings.get(&full) {
            Some(way) => Ok(way.as_str().into()),
            None => {
                let near = did_you_mean(&full, self.ruleset.readings.keys().map(String::as_str));
                fault(
                    "unknown-name",
                    format!("no reading in force is called `{full}`{near}"),
                    "readings stand on the card of a case: `readings:`",
                )
            }
        }
    }
}
