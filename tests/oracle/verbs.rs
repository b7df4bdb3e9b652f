//! Registers all functions that a case may call with Rhai, by name and number of arguments: helpers, cases and verbs. The functions of
//! the language itself are Rhai's own.

use crate::oracle::conversion::{
    ClosureOrigins, ForeignValue, RhaiResult, TYPE_NAMES, detach, to_dynamic,
};
use crate::oracle::run::{ReferenceFrame, ReferenceRun, Signal, signal_in, to_rhai_result};
use casebook::code::oracle::verbs::{self, Iteration, Verb, VerbImplementation, VerbOperation};
use casebook::code::oracle::{BinaryOperator, ClosureCaller, Fault, RandomRequest, VerbResult};
use casebook::code::oracle::{
    apply_binary, check_argument, choice_request, condition, fault, measure_memory, random_request,
};
use casebook::code::oracle::{read_field, read_key, refusal, requirement_cases, take_drawn};
use casebook::complaint::DiagnosticCode;
use casebook::data::function_headers::TEST_LINES;
use casebook::situation::cell_key::{CellKey, EntityKind};
use casebook::situation::trace::Event;
use casebook::situation::value::{BYTES, Closure, HashedText, MAX_TEXT_BYTES, MAX_VALUES, Value};
use casebook::situation::value_text::{fill_template, text_within};
use rhai::packages::{Package, StandardPackage};
use rhai::{
    Array, Dynamic, Engine, EvalAltResult, FnPtr, ImmutableString, NativeCallContext,
    OptimizationLevel, Position,
};
use std::any::TypeId;
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

/// The maximum call depth within one function.
const MAX_CALL_LEVELS: usize = 64;

/// Creates a Rhai engine with all functions that a case may call. Its limit for texts is the byte limit of a whole value, so only the
/// machine's limit for the length of a text applies.
pub fn engine(run: &Rc<ReferenceRun>) -> Engine {
    let mut engine = Engine::new_raw();
    StandardPackage::new().register_into_engine(&mut engine);
    engine.set_optimization_level(OptimizationLevel::None);
    engine.set_max_call_levels(MAX_CALL_LEVELS);
    engine.set_max_string_size(BYTES as usize);
    engine.set_max_array_size(MAX_VALUES as usize);
    engine.set_max_map_size(MAX_VALUES as usize);
    let captured = run.clone();
    engine.on_progress(move |_| captured.is_over().then_some(Dynamic::UNIT));
    let ruleset = &run.program.ruleset;
    let slots = ruleset
        .slots
        .iter()
        .map(|slot| (slot.name.as_str(), slot.arity));
    let helpers = ruleset
        .cases
        .iter()
        .flat_map(|case| &case.functions)
        .filter(|f| f.private)
        .map(|f| (f.name.as_str(), f.arity()));
    let ours = verbs::all().iter().filter(|verb| !verb.from_language);
    let ours = ours.flat_map(|verb| {
        (verb.params.len() - verb.optional..=verb.params.len()).map(|count| (verb.name, count))
    });
    for (name, count) in slots.chain(helpers).chain(ours).collect::<BTreeSet<_>>() {
        let (run, name) = (run.clone(), name.to_string());
        engine.register_raw_fn(
            name.clone(),
            vec![TypeId::of::<Dynamic>(); count],
            move |context, args| {
                run.dispatch(
                    &context,
                    &name,
                    args.iter().map(|arg| arg.flatten_clone()).collect(),
                )
            },
        );
    }
    register_type::<0>(&mut engine, run);
    register_type::<1>(&mut engine, run);
    register_type::<2>(&mut engine, run);
    register_type::<3>(&mut engine, run);
    register_type::<4>(&mut engine, run);
    // Rhai's own `index_of` takes a text for the name of a function.
    engine.register_fn("index_of", |list: &mut Array, text: ImmutableString| {
        list.iter()
            .position(|item| {
                item.read_lock::<ImmutableString>()
                    .is_some_and(|own| *own == text)
            })
            .map_or(-1, |place| place as i64)
    });
    // Rhai treats a result that is no boolean as false; in cases it is a fault. The functions that iterate over lists accept ranges as well.
    for (name, iteration) in verbs::all()
        .iter()
        .filter_map(|verb| Some((verb.name, verb.iteration?)))
    {
        let captured = run.clone();
        let matching =
            move |context: &NativeCallContext, list: &mut Array, test: &FnPtr| -> RhaiResult {
                let mut items = |expected: bool, max: usize| {
                    captured.matching_items(context, list, test, expected, max)
                };
                Ok(match iteration {
                    Iteration::Keep(expected) => items(expected, usize::MAX)?.into(),
                    Iteration::Find => items(true, 1)?.pop().unwrap_or(Dynamic::UNIT),
                    Iteration::Some => (!items(true, 1)?.is_empty()).into(),
                    Iteration::All => items(false, 1)?.is_empty().into(),
                    Iteration::Map => Dynamic::UNIT,
                })
            };
        // `map` is Rhai's own.
        if iteration != Iteration::Map {
            engine.register_fn(
                name,
                move |context: NativeCallContext, list: &mut Array, test: FnPtr| {
                    matching(&context, list, &test)
                },
            );
        }
        engine.register_fn(
            name,
            move |context: NativeCallContext, numbers: Range<i64>, test: FnPtr| -> RhaiResult {
                context.call_native_fn(
                    name,
                    (numbers.map(Dynamic::from_int).collect::<Array>(), test),
                )
            },
        );
        engine.register_fn(
            name,
            move |context: NativeCallContext,
                  numbers: RangeInclusive<i64>,
                  test: FnPtr|
                  -> RhaiResult {
                context.call_native_fn(
                    name,
                    (numbers.map(Dynamic::from_int).collect::<Array>(), test),
                )
            },
        );
    }
    // Lists and maps are converted to text as in the lines of a ruling.
    let captured = run.clone();
    engine.register_fn("to_string", move |list: &mut Array| {
        captured.value_text(&list.clone().into())
    });
    let captured = run.clone();
    engine.register_fn("to_string", move |map: &mut rhai::Map| {
        captured.value_text(&map.clone().into())
    });
    engine
}

/// Registers the operations of a type that Rhai lacks.
fn register_type<const SORT: usize>(engine: &mut Engine, run: &Rc<ReferenceRun>) {
    engine.register_type_with_name::<ForeignValue<SORT>>(TYPE_NAMES[SORT]);
    engine.register_fn("==", |a: ForeignValue<SORT>, b: ForeignValue<SORT>| {
        a.0 == b.0
    });
    engine.register_fn("!=", |a: ForeignValue<SORT>, b: ForeignValue<SORT>| {
        a.0 != b.0
    });
    let captured = run.clone();
    engine.register_fn("to_string", move |foreign: &mut ForeignValue<SORT>| {
        captured.value_text(&Dynamic::from(foreign.clone()))
    });
    let captured = run.clone();
    engine.register_indexer_get(move |foreign: &mut ForeignValue<SORT>, key: Dynamic| {
        captured
            .get_field(&foreign.0, &key)
            .map(|value| to_dynamic(&value, &captured))
    });
    let captured = run.clone();
    engine.register_indexer_set(
        move |foreign: &mut ForeignValue<SORT>, key: Dynamic, value: Dynamic| {
            captured.set_field(&foreign.0, &key, &value)
        },
    );
    for (name, op) in [("contains", BinaryOperator::In), ("+", BinaryOperator::Add)] {
        let captured = run.clone();
        engine.register_fn(
            name,
            move |foreign: ForeignValue<SORT>, argument: Dynamic| -> RhaiResult {
                let value =
                    to_rhai_result(apply_binary(op, &foreign.0, &captured.value_of(&argument)?))?;
                Ok(to_dynamic(&value, &captured))
            },
        );
    }
}

impl ReferenceRun {
    /// Returns the items for which a closure answers `expected`, in order, until there are `max_items` of them.
    fn matching_items(
        &self,
        context: &NativeCallContext,
        list: &mut Array,
        test: &FnPtr,
        expected: bool,
        max_items: usize,
    ) -> RhaiResult<Array> {
        let mut matching = Array::new();
        for (number, item) in list.iter_mut().enumerate() {
            let extra = [Dynamic::from_int(number as i64)];
            let answer = test.call_raw_with_extra_args(
                "a closure",
                context,
                Some(item),
                [],
                extra,
                Some(0),
            )?;
            if to_rhai_result(condition(&self.value_of(&answer)?))? == expected {
                matching.push(item.clone());
            }
            if matching.len() == max_items {
                break;
            }
        }
        Ok(matching)
    }

    /// Formats a value as the lines of a ruling show it.
    fn value_text(&self, value: &Dynamic) -> ImmutableString {
        self.value_of(value)
            .map(|value| text_within(&value, &self.state.borrow().board, MAX_TEXT_BYTES))
            .unwrap_or_default()
            .into()
    }

    /// Returns a field of a piece, place, side, cell or sheet.
    fn get_field(&self, receiver: &Value, key: &Dynamic) -> RhaiResult<Value> {
        let key = self.value_of(key)?;
        to_rhai_result(match &key {
            Value::Text(name) => match self
                .program
                .vocabulary
                .field_ref(name, &self.program.ruleset.game)
            {
                Some(field) => self.with_context(|ctx| read_field(ctx, receiver, &field)),
                None => fault(
                    DiagnosticCode::Limit,
                    "the sheets of these rules have too many fields",
                    "give several things one name",
                ),
            },
            key => self.with_context(|ctx| read_key(ctx, receiver, key)),
        })
    }

    /// Sets a field of a sheet. Rhai also writes the receiver of a method back, which is no change.
    fn set_field(&self, receiver: &Value, key: &Dynamic, value: &Dynamic) -> RhaiResult<()> {
        let (name, value) = (self.value_of(key)?, self.value_of(value)?);
        if self.get_field(receiver, key).is_ok_and(|now| now == value) {
            return Ok(());
        }
        to_rhai_result(match (receiver, &name) {
            (Value::Record(record), Value::Text(name)) => self.with_context(|ctx| {
                ctx.field_number(name).map(|field| {
                    ctx.board
                        .set(CellKey::new(EntityKind::Record, field, *record), value)
                })
            }),
            _ => fault(
                DiagnosticCode::Running,
                "figures of the situation are not written like this",
                "a procedure sets them: set(piece, \"figure\", value)",
            ),
        })
    }

    /// Resolves a call by name and number of arguments: a helper of the file goes before the case in force, and the case before the verb.
    fn dispatch(
        self: &Rc<ReferenceRun>,
        context: &NativeCallContext,
        name: &str,
        args: Vec<Dynamic>,
    ) -> RhaiResult {
        let (engine, frame, ruleset) = (context.engine(), self.frame(), &self.program.ruleset);
        let args: Vec<Dynamic> = args.into_iter().map(|arg| detach(arg, self)).collect();
        if let Some(case) = frame.case
            && let from_tests = frame
                .parsed
                .as_ref()
                .is_some_and(|parsed| parsed.position(Position::START).0 as usize > TEST_LINES)
            && let Some(index) = ruleset.cases[case].helper(name, args.len(), from_tests)
        {
            // `prior()` in a helper repeats the arguments of the helper.
            let current_answer = frame
                .current_answer
                .map(|(slot, depth, _)| (slot, depth, Rc::new(args.clone())));
            return self.run_function(
                engine,
                (case, index),
                ReferenceFrame {
                    current_answer,
                    parsed: None,
                    ..frame
                },
                args,
            );
        }
        match (
            ruleset.slot(name, args.len()),
            verbs::find(name, args.len()),
        ) {
            (Some(slot), _) => self.call_slot(engine, slot, 0, args),
            (None, Some(verb)) => self.run_verb(context, verbs::all()[verb as usize], args),
            (None, None) => {
                let what = format!(
                    "there is no function `{name}` with {} arguments here",
                    args.len()
                );
                to_rhai_result(fault(
                    DiagnosticCode::UnknownFunction,
                    what,
                    "a helper belongs to its own file",
                ))
            }
        }
    }

    /// Runs a verb.
    fn run_verb(
        self: &Rc<ReferenceRun>,
        context: &NativeCallContext,
        verb: &Verb,
        args: Vec<Dynamic>,
    ) -> RhaiResult {
        let closure = args
            .first()
            .and_then(|first| first.clone().try_cast::<FnPtr>());
        let trial = matches!(verb.implementation, VerbImplementation::OfRefusal(_));
        match (verb.form(), closure) {
            (Some(VerbOperation::Prior), _) => return self.call_prior(context.engine(), args),
            (Some(VerbOperation::Count | VerbOperation::Outcome), None) | (None, None)
                if verb.form().is_some() || trial =>
            {
                return to_rhai_result(fault(
                    DiagnosticCode::Running,
                    format!("`{}` is of a closure", verb.name),
                    verb.description,
                ));
            }
            (Some(VerbOperation::Count), Some(closure)) => {
                let value = args.get(1).map(|value| self.value_of(value)).transpose()?;
                let counted = self.count_paths(context, &closure, value.as_ref())?;
                self.state
                    .borrow_mut()
                    .fixture
                    .chances
                    .extend(counted.as_text().map(ToString::to_string));
                return Ok(to_dynamic(&counted, self));
            }
            (Some(VerbOperation::Outcome), Some(closure)) => {
                let mark = self.state.borrow().outcomes.len();
                let _ = closure.call_raw(context, None, Vec::<Dynamic>::new())?;
                let named = Value::Map(
                    self.state.borrow().outcomes[mark..]
                        .iter()
                        .cloned()
                        .collect(),
                );
                return Ok(to_dynamic(&named, self));
            }
            (None, Some(closure)) if trial => {
                let result = self.try_closure(context, &closure)?;
                let values: Vec<Value> = args[1..]
                    .iter()
                    .map(|value| self.value_of(value))
                    .collect::<RhaiResult<_>>()?;
                return self.run_verb_with(
                    context,
                    verb,
                    [result].into_iter().chain(values).collect(),
                );
            }
            _ => {}
        }
        let values = args
            .iter()
            .map(|value| self.value_of(value))
            .collect::<RhaiResult<Vec<Value>>>()?;
        self.run_verb_with(context, verb, values)
    }

    /// Runs a verb with machine values.
    fn run_verb_with(
        self: &Rc<ReferenceRun>,
        context: &NativeCallContext,
        verb: &Verb,
        args: Vec<Value>,
    ) -> RhaiResult {
        let arg_refs: Vec<&Value> = args.iter().collect();
        let result = match verb.implementation {
            VerbImplementation::Function(run) | VerbImplementation::OfRefusal(run) => {
                verbs::check_args(verb, &arg_refs)
                    .and_then(|()| self.with_context(|ctx| run(ctx, &arg_refs)))
            }
            VerbImplementation::WithClosures(run)
            | VerbImplementation::ReplaceWithClosures(run) => verbs::check_args(verb, &arg_refs)
                .and_then(|()| {
                    run(
                        &mut ReferenceCaller {
                            run: self,
                            engine: context.engine(),
                        },
                        &args,
                    )
                }),
            // These verbs change the board; lists and maps are changed by Rhai's functions of the same names.
            VerbImplementation::Mutate(run) => {
                let mut target = args[0].clone();
                verbs::check_args(verb, &arg_refs)
                    .and_then(|()| self.with_context(|ctx| run(ctx, &mut target, &arg_refs[1..])))
            }
            VerbImplementation::Operation(form) => self.run_operation(context, form, &args)?,
        };
        let value = to_rhai_result(result.and_then(|value| self.fitting(&value).map(|()| value)))?;
        Ok(to_dynamic(&value, self))
    }

    /// Reports a value that exceeds the limits, and a run that uses too much memory.
    fn fitting(&self, value: &Value) -> VerbResult<()> {
        let state = &mut *self.state.borrow_mut();
        check_argument(value, &mut state.board.meter)?;
        if state.board.meter.is_past_mark() {
            measure_memory(state)
        } else {
            Ok(())
        }
    }

    /// Runs an operation that the machine implements itself.
    fn run_operation(
        self: &Rc<ReferenceRun>,
        context: &NativeCallContext,
        form: VerbOperation,
        args: &[Value],
    ) -> RhaiResult<VerbResult> {
        let arg_refs: Vec<&Value> = args.iter().collect();
        if let VerbOperation::Throw(verb) = form {
            let result = self
                .with_context(|ctx| random_request(ctx, args, verb))
                .and_then(|request| match request {
                    RandomRequest::Throw(throwing) => self.throw_dice(throwing),
                    RandomRequest::Certain(value) => Ok(value),
                });
            return Ok(match result {
                Ok(value) if verb.takes_cards() => self
                    .with_context(|ctx| take_drawn(ctx, args, verb, &value))
                    .map(|()| value),
                result => result,
            });
        }
        Ok(match form {
            VerbOperation::Choose => {
                let choosing = choice_request(&self.state.borrow(), args);
                choosing.and_then(|choosing| self.choose(choosing))
            }
            VerbOperation::ReadTable => {
                self.with_context(|ctx| verbs::tables::read(ctx, &arg_refs))
            }
            VerbOperation::Reading => self.reading(args[0].as_text()),
            VerbOperation::Refuse => return Err(self.refuse(args, Vec::new())),
            VerbOperation::Require => match condition(&args[0]) {
                Ok(true) => Ok(Value::Nothing),
                Ok(false) => {
                    return Err(self.refuse(&args[1..], self.cases_of_requirement(context)));
                }
                Err(fault) => Err(fault),
            },
            form => fault(
                DiagnosticCode::Running,
                format!("{form:?} is the language's"),
                "",
            ),
        })
    }

    fn reading(&self, name: Option<&HashedText>) -> VerbResult {
        let (name, ruleset) = (
            name.map(HashedText::as_str).unwrap_or_default(),
            &self.program.ruleset,
        );
        let full = match self.frame().case {
            Some(case) if !name.contains('.') => format!("{}.{name}", ruleset.cases[case].number),
            _ => name.to_string(),
        };
        match ruleset.readings.get(&full) {
            Some(way) => Ok(way.as_str().into()),
            None => fault(
                DiagnosticCode::UnknownName,
                format!("no reading in force is called `{full}`"),
                "readings stand on the card of a case",
            ),
        }
    }

    /// Returns the cases that the condition of the running `require` names and that were consulted in fact.
    fn cases_of_requirement(&self, context: &NativeCallContext) -> Vec<usize> {
        let ReferenceFrame {
            case: Some(case),
            parsed: Some(parsed),
            consulted,
            ..
        } = self.frame()
        else {
            return Vec::new();
        };
        let named = requirement_cases(
            &self.program,
            case,
            parsed.position(context.call_position()),
        );
        named
            .into_iter()
            .filter(|case| consulted.borrow().contains(case))
            .collect()
    }

    fn refuse(&self, args: &[Value], consulted: Vec<usize>) -> Box<EvalAltResult> {
        match self.with_context(|ctx| refusal(ctx, args, consulted)) {
            Ok(refusal) => Signal::Refused(refusal).into(),
            Err(fault) => Signal::from(fault).into(),
        }
    }

    /// Evaluates a closure and returns the refusal with its cases, or nothing if no rule refuses.
    fn try_closure(&self, context: &NativeCallContext, closure: &FnPtr) -> RhaiResult<Value> {
        self.unwound_answers.set(0);
        let Err(error) = closure.call_raw(context, None, Vec::<Dynamic>::new()) else {
            return Ok(Value::Nothing);
        };
        let (Some(Signal::Refused(refusal)), ..) = signal_in(&error) else {
            return Err(error);
        };
        (0..self.unwound_answers.replace(0)).for_each(|_| self.record(Event::Return));
        let reason = Value::from(fill_template(
            &refusal.template,
            &refusal.args,
            &self.state.borrow().board,
        ));
        let cases = refusal
            .cases
            .iter()
            .map(|case| Value::from(self.program.ruleset.cases[*case].number.as_str()));
        Ok([reason].into_iter().chain(cases).collect())
    }

    /// Runs `prior()`: the next older answer, with the same or other arguments.
    fn call_prior(self: &Rc<ReferenceRun>, engine: &Engine, args: Vec<Dynamic>) -> RhaiResult {
        let Some((slot, depth, earlier_args)) = self.frame().current_answer else {
            let what = "`prior()` asks for an older answer, and nothing is being answered here";
            return to_rhai_result(fault(
                DiagnosticCode::Prior,
                what,
                "use it inside a function that an older layer answers",
            ));
        };
        let function = &self.program.ruleset.slots[slot];
        let args = if args.is_empty() {
            earlier_args.to_vec()
        } else {
            args
        };
        if depth + 1 >= function.answers.len() || args.len() != function.arity {
            return to_rhai_result(fault(
                DiagnosticCode::Prior,
                format!("no older layer answers `{}` so", function.name),
                "take `prior()` out: only a case that amends an older answer has one",
            ));
        }
        self.call_slot(engine, slot, depth + 1, args)
    }
}

/// Calls closures on behalf of a verb.
struct ReferenceCaller<'a> {
    run: &'a Rc<ReferenceRun>,
    engine: &'a Engine,
}

impl ClosureCaller for ReferenceCaller<'_> {
    fn call(&mut self, closure: &Closure, args: Vec<Value>) -> VerbResult {
        let args = args
            .iter()
            .map(|value| to_dynamic(value, self.run))
            .collect();
        let forbidden_before = self.run.throws_forbidden.replace(true);
        let result = self
            .run
            .call_closure(self.engine, closure.function as usize, args)
            .and_then(|result| self.run.value_of(&result));
        self.run.throws_forbidden.set(forbidden_before);
        result.map_err(|error| match signal_in(&error).0 {
            Some(Signal::Fault(complaints)) => Box::new(Fault::Data(complaints)),
            Some(Signal::UnplacedFault(fault)) => Box::new(Fault::Script(fault)),
            _ => Box::new(Fault::Data(Default::default())),
        })
    }
}
