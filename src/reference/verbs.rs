//! What a case may call, made known to Rhai by name and number of arguments: helpers, cases and verbs; what the language brings is Rhai's.

use crate::code::context::{Answer, Calls, Fault, fault};
use crate::code::fields;
use crate::code::machine::{choosing, given_fits, measure, refusal, throwing};
use crate::code::operators::{self, condition};
use crate::code::unit::Binary;
use crate::code::verbs::{self, Run as Carried, Verb};
use crate::data::heads::TEST_LINES;
use crate::reference::border::{Given, Held, Home, SORTS, dynamic, settled};
use crate::reference::run::{Frame, Run, Signal, given, signal};
use crate::situation::figures::{Figure, Of};
use crate::situation::value::{BYTES, Closure, TEXT, Text, VALUES, Value};
use crate::situation::words::{filled, text_within};
use rhai::packages::{Package, StandardPackage};
use rhai::{Dynamic, Engine, EvalAltResult, FnPtr, ImmutableString, NativeCallContext, OptimizationLevel};
use std::any::TypeId;
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

/// Calls within one function.
const LEVELS: usize = 64;

/// Rhai with all that a case may call. It bounds texts by the bytes of all that a value holds, so that only the machine ends one text at
/// its length.
pub fn engine(run: &Rc<Run>) -> Engine {
    let mut engine = Engine::new_raw();
    StandardPackage::new().register_into_engine(&mut engine);
    engine.set_optimization_level(OptimizationLevel::None);
    engine.set_max_call_levels(LEVELS);
    engine.set_max_string_size(BYTES as usize);
    engine.set_max_array_size(VALUES as usize);
    engine.set_max_map_size(VALUES as usize);
    let own = run.clone();
    engine.on_progress(move |_| own.is_over().then_some(Dynamic::UNIT));
    let ruleset = &run.program.ruleset;
    let slots = ruleset.slots.iter().map(|slot| (slot.name.as_str(), slot.arity));
    let helpers = ruleset.cases.iter().flat_map(|case| &case.functions).filter(|f| f.private).map(|f| (f.name.as_str(), f.arity()));
    let ours = verbs::all().iter().filter(|verb| !verb.language);
    let ours = ours.flat_map(|verb| (verb.takes.len() - verb.optional..=verb.takes.len()).map(|count| (verb.name, count)));
    for (name, count) in slots.chain(helpers).chain(ours).collect::<BTreeSet<_>>() {
        let (run, name) = (run.clone(), name.to_string());
        engine.register_raw_fn(name.clone(), vec![TypeId::of::<Dynamic>(); count], move |context, args| {
            run.called(&context, &name, args.iter().map(|arg| arg.flatten_clone()).collect())
        });
    }
    hold::<0>(&mut engine, run);
    hold::<1>(&mut engine, run);
    hold::<2>(&mut engine, run);
    hold::<3>(&mut engine, run);
    hold::<4>(&mut engine, run);
    // Rhai would take a text for the name of a function here.
    engine.register_fn("index_of", |list: &mut rhai::Array, text: ImmutableString| {
        list.iter().position(|item| item.read_lock::<ImmutableString>().is_some_and(|own| *own == text)).map_or(-1, |place| place as i64)
    });
    // To Rhai what is neither true nor false does not hold; here it is a slip.
    let own = run.clone();
    engine.register_fn("filter", move |context: NativeCallContext, list: &mut rhai::Array, test: FnPtr| {
        let mut kept = rhai::Array::new();
        own.holding(&context, list, &test, |item, holds| {
            kept.extend(holds.then(|| item.clone()));
            true
        })?;
        Given::Ok(kept)
    });
    let own = run.clone();
    engine.register_fn("find", move |context: NativeCallContext, list: &mut rhai::Array, test: FnPtr| {
        let mut found = Dynamic::UNIT;
        own.holding(&context, list, &test, |item, holds| {
            if holds {
                found = item.clone();
            }
            !holds
        })?;
        Given::Ok(found)
    });
    for (name, wanted) in [("some", true), ("all", false)] {
        let own = run.clone();
        engine.register_fn(name, move |context: NativeCallContext, list: &mut rhai::Array, test: FnPtr| {
            let mut met = false;
            own.holding(&context, list, &test, |_, holds| {
                met |= holds == wanted;
                !met
            })?;
            Given::Ok(met == wanted)
        });
    }
    // What goes through a list goes through numbers from one to another.
    for name in ["filter", "map", "some", "all", "find"] {
        engine.register_fn(name, move |context: NativeCallContext, numbers: Range<i64>, test: FnPtr| -> Given {
            context.call_native_fn(name, (numbers.map(Dynamic::from_int).collect::<rhai::Array>(), test))
        });
        engine.register_fn(name, move |context: NativeCallContext, numbers: RangeInclusive<i64>, test: FnPtr| -> Given {
            context.call_native_fn(name, (numbers.map(Dynamic::from_int).collect::<rhai::Array>(), test))
        });
    }
    // Texts of what is no text read as in the lines of a ruling.
    let own = run.clone();
    engine.register_fn("to_string", move |list: &mut rhai::Array| own.text(&list.clone().into()));
    let own = run.clone();
    engine.register_fn("to_string", move |map: &mut rhai::Map| own.text(&map.clone().into()));
    engine
}

/// Makes known what can be done with a sort of value that Rhai has no type for.
fn hold<const SORT: usize>(engine: &mut Engine, run: &Rc<Run>) {
    engine.register_type_with_name::<Held<SORT>>(SORTS[SORT]);
    engine.register_fn("==", |a: Held<SORT>, b: Held<SORT>| a.0 == b.0);
    engine.register_fn("!=", |a: Held<SORT>, b: Held<SORT>| a.0 != b.0);
    let own = run.clone();
    engine.register_fn("to_string", move |held: &mut Held<SORT>| own.text(&Dynamic::from(held.clone())));
    let own = run.clone();
    engine.register_indexer_get(move |held: &mut Held<SORT>, key: Dynamic| own.field(&held.0, &key).map(|value| dynamic(&value, &own)));
    let own = run.clone();
    engine.register_indexer_set(move |held: &mut Held<SORT>, key: Dynamic, value: Dynamic| own.put(&held.0, &key, &value));
    for (name, op) in [("contains", Binary::In), ("+", Binary::Add)] {
        let own = run.clone();
        engine.register_fn(name, move |held: Held<SORT>, other: Dynamic| -> Given {
            let found = given(operators::binary(op, &held.0, &own.value(&other)?))?;
            Ok(dynamic(&found, &own))
        });
    }
}

impl Run {
    /// Asks a closure of every item whether it holds, as long as more are wanted.
    fn holding(
        &self,
        context: &NativeCallContext,
        list: &mut rhai::Array,
        test: &FnPtr,
        mut more: impl FnMut(&Dynamic, bool) -> bool,
    ) -> Given<()> {
        for (number, item) in list.iter_mut().enumerate() {
            let extra = [Dynamic::from_int(number as i64)];
            let found = test.call_raw_with_extra_args("filter", context, Some(item), [], extra, Some(0))?;
            let holds = given(condition(&self.value(&found)?))?;
            if !more(item, holds) {
                break;
            }
        }
        Ok(())
    }

    /// A value as the lines of a ruling show it.
    fn text(&self, of: &Dynamic) -> ImmutableString {
        self.value(of).map(|value| text_within(&value, &self.state.borrow().board, TEXT)).unwrap_or_default().into()
    }

    /// A field of a piece, place, side, cell or sheet.
    fn field(&self, of: &Value, key: &Dynamic) -> Given<Value> {
        let key = self.value(key)?;
        given(match &key {
            Value::Text(name) => match self.program.words.meaning(name, &self.program.ruleset.game) {
                Some(field) => self.reaching(|ctx| fields::of(ctx, of, &field)),
                None => fault("limit", "the sheets of these rules have too many fields", "give several things one name"),
            },
            key => self.reaching(|ctx| fields::by_key(ctx, of, key)),
        })
    }

    /// Sets a field of a sheet. Rhai also puts back what a method has been called on: that is no change.
    fn put(&self, of: &Value, key: &Dynamic, value: &Dynamic) -> Given<()> {
        let (name, value) = (self.value(key)?, self.value(value)?);
        if self.field(of, key).is_ok_and(|now| now == value) {
            return Ok(());
        }
        given(match (of, &name) {
            (Value::Record(record), Value::Text(name)) => {
                self.reaching(|ctx| ctx.field(name).map(|field| ctx.board.set(Figure::new(Of::Record, field, *record), value)))
            }
            _ => fault(
                "running",
                "figures of the situation are not written like this",
                "a procedure sets them: set(piece, \"figure\", value)",
            ),
        })
    }

    /// What a name means with so many arguments: the helper of the file before the case in force, and the case before the verb.
    fn called(self: &Rc<Run>, context: &NativeCallContext, name: &str, args: Vec<Dynamic>) -> Given {
        let (engine, frame, ruleset) = (context.engine(), self.frame(), &self.program.ruleset);
        let args: Vec<Dynamic> = args.into_iter().map(|arg| settled(arg, self)).collect();
        if let Some(case) = frame.case
            && let from_tests = frame.parsed.as_ref().is_some_and(|parsed| parsed.line() > TEST_LINES)
            && let Some(index) = ruleset.cases[case].helper(name, args.len(), from_tests)
        {
            // `prior()` in a helper asks with what the helper was asked with.
            let within = frame.within.map(|(slot, depth, _)| (slot, depth, Rc::new(args.clone())));
            return self.function(engine, (case, index), Frame { within, parsed: None, ..frame }, args);
        }
        match (ruleset.slot(name, args.len()), verbs::find(name, args.len())) {
            (Some(slot), _) => self.ask(engine, slot, 0, args),
            (None, Some(verb)) => self.verb(context, verbs::all()[verb as usize], args),
            (None, None) => {
                let what = format!("nothing answers `{name}` with {} arguments here", args.len());
                given(fault("unknown-function", what, "a helper belongs to its own file"))
            }
        }
    }

    /// Carries out a verb.
    fn verb(self: &Rc<Run>, context: &NativeCallContext, verb: &Verb, args: Vec<Dynamic>) -> Given {
        let closure = args.first().and_then(|first| first.clone().try_cast::<FnPtr>());
        match (verb.name, closure) {
            ("prior", _) => return self.prior(context.engine(), args),
            ("chance" | "mean" | "outcome" | "why_refused" | "expect_refused", None) => {
                return given(fault("running", format!("`{}` is of a closure", verb.name), verb.does));
            }
            ("chance" | "mean", Some(closure)) => {
                let wanted = args.get(1).map(|value| self.value(value)).transpose()?;
                let counted = self.count(context, &closure, wanted.as_ref())?;
                self.state.borrow_mut().hand.chances.extend(counted.text().map(ToString::to_string));
                return Ok(dynamic(&counted, self));
            }
            ("outcome", Some(closure)) => {
                let mark = self.state.borrow().outcomes.len();
                let _ = closure.call_raw(context, None, Vec::<Dynamic>::new())?;
                let named = Value::Map(self.state.borrow().outcomes[mark..].iter().cloned().collect());
                return Ok(dynamic(&named, self));
            }
            ("why_refused" | "expect_refused", Some(closure)) => {
                let told = self.refused(context, &closure)?;
                let values: Vec<Value> = args[1..].iter().map(|value| self.value(value)).collect::<Given<_>>()?;
                return self.carried(context, verb, [told].into_iter().chain(values).collect());
            }
            _ => {}
        }
        let values = args.iter().map(|value| self.value(value)).collect::<Given<Vec<Value>>>()?;
        self.carried(context, verb, values)
    }

    /// Carries out a verb with values of ours.
    fn carried(self: &Rc<Run>, context: &NativeCallContext, verb: &Verb, args: Vec<Value>) -> Given {
        let list: Vec<&Value> = args.iter().collect();
        let found = match verb.run {
            Carried::Answer(run) => verbs::check(verb, &list).and_then(|()| self.reaching(|ctx| run(ctx, &list))),
            Carried::Call(run) => verbs::check(verb, &list).and_then(|()| run(&mut Caller { run: self, engine: context.engine() }, &args)),
            // Ours change the board; lists and maps are changed by Rhai's functions of the same names.
            Carried::Change(run) => {
                let mut own = args[0].clone();
                verbs::check(verb, &list).and_then(|()| self.reaching(|ctx| run(ctx, &mut own, &list[1..])))
            }
            Carried::Operation => self.operation(verb.name, &args)?,
        };
        let found = given(found.and_then(|found| self.fitting(&found).map(|()| found)))?;
        Ok(dynamic(&found, self))
    }

    /// Complains of a value that is past the limits, and of a run that has taken too much memory.
    fn fitting(&self, found: &Value) -> Answer<()> {
        let state = &mut *self.state.borrow_mut();
        given_fits(found, &mut state.board.meter)?;
        if state.board.meter.is_past_mark() { measure(state) } else { Ok(()) }
    }

    /// What the machine carries out itself.
    fn operation(self: &Rc<Run>, name: &str, args: &[Value]) -> Given<Answer> {
        let list: Vec<&Value> = args.iter().collect();
        Ok(match name {
            "roll" | "hits" => self.reaching(|ctx| throwing(ctx, args, name == "hits")).and_then(|throwing| self.thrown(throwing)),
            "choose" | "choose_piece" => {
                let choosing = choosing(&self.state.borrow(), args);
                choosing.and_then(|choosing| self.chosen(choosing))
            }
            "table" => self.reaching(|ctx| verbs::tables::read(ctx, &list)),
            "reading" => self.reading(args[0].text()),
            "refuse" => return Err(self.refuse(args, false)),
            "require" => match condition(&args[0]) {
                Ok(true) => Ok(Value::Nothing),
                Ok(false) => return Err(self.refuse(&args[1..], true)),
                Err(fault) => Err(fault),
            },
            name => fault("running", format!("`{name}` is the language's"), ""),
        })
    }

    fn reading(&self, name: Option<&Text>) -> Answer {
        let (name, ruleset) = (name.map(Text::as_str).unwrap_or_default(), &self.program.ruleset);
        let full = match self.frame().case {
            Some(case) if !name.contains('.') => format!("{}.{name}", ruleset.cases[case].number),
            _ => name.to_string(),
        };
        match ruleset.readings.get(&full) {
            Some(way) => Ok(way.as_str().into()),
            None => fault("unknown-name", format!("no reading in force is called `{full}`"), "readings stand on the card of a case"),
        }
    }

    fn refuse(&self, args: &[Value], answered: bool) -> Box<EvalAltResult> {
        let by = self.state.borrow().answered.filter(|_| answered);
        match self.reaching(|ctx| refusal(ctx, args, by)) {
            Ok(refusal) => Signal::Refused(refusal).into(),
            Err(fault) => Signal::from(fault).into(),
        }
    }

    /// Tries a closure: why a rule refuses, with the cases; nothing where none does.
    fn refused(&self, context: &NativeCallContext, closure: &FnPtr) -> Given<Value> {
        self.unwound.set(0);
        let Err(error) = closure.call_raw(context, None, Vec::<Dynamic>::new()) else { return Ok(Value::Nothing) };
        let (Some(Signal::Refused(refusal)), ..) = signal(&error) else { return Err(error) };
        (0..self.unwound.replace(0)).for_each(|_| self.note(crate::situation::trace::Event::Done));
        let why = Value::from(filled(&refusal.template, &refusal.args, &self.state.borrow().board));
        let by = refusal.cases.iter().map(|case| Value::from(self.program.ruleset.cases[*case].number.as_str()));
        Ok([why].into_iter().chain(by).collect())
    }

    /// `prior()`: the next older answer, with the same arguments or others.
    fn prior(self: &Rc<Run>, engine: &Engine, args: Vec<Dynamic>) -> Given {
        let Some((slot, depth, kept)) = self.frame().within else {
            let what = "`prior()` asks for an older answer, and nothing is being answered here";
            return given(fault("prior", what, "use it inside a function that an older layer answers"));
        };
        let asked = &self.program.ruleset.slots[slot];
        let args = if args.is_empty() { kept.to_vec() } else { args };
        if depth + 1 >= asked.chain.len() || args.len() != asked.arity {
            return given(fault(
                "prior",
                format!("no older layer answers `{}` so", asked.name),
                "`prior()` is for cases that amend an older answer",
            ));
        }
        self.ask(engine, slot, depth + 1, args)
    }
}

/// Whoever calls closures for a verb.
struct Caller<'a> {
    run: &'a Rc<Run>,
    engine: &'a Engine,
}

impl Calls for Caller<'_> {
    fn call(&mut self, closure: &Closure, args: Vec<Value>) -> Answer {
        let args = args.iter().map(|value| dynamic(value, self.run)).collect();
        let before = self.run.still.replace(true);
        let found = self.run.enter(self.engine, closure.unit as usize, args).and_then(|found| self.run.value(&found));
        self.run.still.set(before);
        found.map_err(|error| match signal(&error).0 {
            Some(Signal::Broken(complaints)) => Box::new(Fault::Data(complaints)),
            Some(Signal::Wrong(found)) => Box::new(Fault::Wrong(found)),
            _ => Box::new(Fault::Data(Default::default())),
        })
    }
}
