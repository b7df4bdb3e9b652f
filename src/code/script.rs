//! The Rhai engine of a ruleset: late binding, `prior()`, limits.
//!
//! Late binding: a function is compiled alone, its body as a block, with the private helpers of its file. So a call never finds its own
//! file's function but the host's, which asks the newest layer; and whatever goes wrong in the body keeps its place in the text.

use crate::code::fault::{OPERATIONS, SECONDS, complain, innermost};
use crate::code::host::Host;
use crate::code::memo::State;
use crate::code::verbs;
use crate::code::verbs::arithmetic;
use crate::code::verbs::board;
use crate::code::verbs::change;
use crate::code::verbs::examples;
use crate::code::verbs::lists;
use crate::complaint::{Complaint, Complaints, Place};
use crate::ruleset::compose::Ruleset;
use crate::situation::session::{Ended, Refusal, Session};
use rhai::{AST, Dynamic, Engine, EvalAltResult, OptimizationLevel};
use std::any::TypeId;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Calls within one file.
const LEVELS: usize = 24;

/// A ruleset that can be asked. One for each thread.
pub struct Script {
    engine: Engine,
    /// What its verbs reach.
    pub host: Rc<Host>,
}

impl Script {
    /// Makes a ruleset answer.
    pub fn new(ruleset: Arc<Ruleset>) -> Script {
        let host = Rc::new(Host::new(ruleset));
        let mut engine = Engine::new();
        limit(&mut engine, &host);
        verbs::register(&mut engine, &host);
        arithmetic::register(&mut engine);
        lists::register(&mut engine, &host);
        board::register(&mut engine, &host);
        change::register(&mut engine, &host);
        examples::register(&mut engine, &host);
        for (index, slot) in host.ruleset.slots.iter().enumerate() {
            let host = host.clone();
            engine.register_raw_fn(slot.name.as_str(), vec![TypeId::of::<Dynamic>(); slot.arity], move |context, args| {
                host.ask(context.engine(), index, 0, taken(args))
            });
        }
        for arity in 0..=6 {
            let host = host.clone();
            engine.register_raw_fn("prior", vec![TypeId::of::<Dynamic>(); arity], move |context, args| {
                host.prior(context.engine(), taken(args))
            });
        }
        Script { engine, host }
    }

    /// Starts a run: nothing of the one before is left.
    pub fn start(&self, session: Session) {
        self.host.memo.clear();
        self.again(session);
    }

    /// Starts another run from the same situation: what was answered before holds.
    pub fn again(&self, session: Session) {
        *self.host.session.borrow_mut() = session;
        self.host.memo.back_to(State::default());
        self.host.memo.look_anew();
        self.host.reset();
        self.host.deadline.set(Some(Instant::now() + Duration::from_secs(SECONDS)));
    }

    /// Asks a function of the ruleset.
    pub fn ask(&self, name: &str, args: Vec<Dynamic>) -> Result<Dynamic, Ended> {
        match self.host.ruleset.slot(name, args.len()) {
            Some(slot) => self.host.ask(&self.engine, slot, 0, args).map_err(|error| self.ended(*error)),
            None => {
                let place = Place::file(&format!("rules/{}/game.yaml", self.host.ruleset.game.name));
                let what = format!("no case in force answers `{name}` with {} arguments", args.len());
                let complaint = Complaint::new("unknown-function", place, what).help("put the variant in force that brings it");
                Err(Ended::Broken(complaint.into()))
            }
        }
    }

    /// Runs a function of one case file, whoever else answers it: an example.
    pub fn run(&self, case: usize, function: usize) -> Result<Dynamic, Ended> {
        self.host.run(&self.engine, case, function).map_err(|error| self.ended(*error))
    }

    /// Evaluates one expression, such as a YAML example asks.
    pub fn evaluate(&self, expression: &str) -> Result<Dynamic, Ended> {
        self.engine.eval_expression::<Dynamic>(expression).map_err(|error| self.ended(*error))
    }

    /// Compiles every case, and complains of those that can't be.
    pub fn compile_all(&self, complaints: &mut Complaints) -> Vec<Option<AST>> {
        let cases = 0..self.host.ruleset.cases.len();
        let compile = |case| self.host.compile(&self.engine, case, None).map_err(|found| complaints.0.extend(found.0)).ok();
        cases.map(compile).collect()
    }

    /// Whether Rhai itself or a verb has a function of this name.
    pub fn knows(&self, name: &str) -> bool {
        verbs::NAMES.contains(&name) || verbs::BUILT_IN.contains(&name)
    }

    fn ended(&self, error: EvalAltResult) -> Ended {
        let (inner, position) = innermost(&error);
        if let EvalAltResult::ErrorRuntime(value, _) = inner
            && let Some(refusal) = value.clone().try_cast::<Refusal>()
        {
            return Ended::Refused(refusal);
        }
        let (case, position) = self.host.broken_at.take().unwrap_or((usize::MAX, position));
        let cases = &self.host.ruleset.cases;
        Ended::Broken(complain(inner, cases.get(case).map(|c| &**c), position))
    }
}

/// The arguments of a call. Rhai hands over the caller's own variable as the first, so that one is copied; the rest are ours.
fn taken(args: &mut [&mut Dynamic]) -> Vec<Dynamic> {
    args.iter_mut().enumerate().map(|(i, arg)| if i == 0 { arg.clone() } else { std::mem::take(*arg) }).collect()
}

fn limit(engine: &mut Engine, host: &Rc<Host>) {
    engine.set_optimization_level(OptimizationLevel::Simple); // Full would throw the dice once, at compile time
    engine.set_strict_variables(true);
    engine.set_max_call_levels(LEVELS).set_max_expr_depths(64, 48).set_max_operations(0);
    engine.set_max_string_size(32_768).set_max_array_size(4_000).set_max_map_size(1_000).set_max_functions(64).set_max_variables(256);
    for symbol in ["eval", "print", "debug", "import", "export", "Fn", "is_def_fn", "is_def_var"] {
        engine.disable_symbol(symbol);
    }
    // Rhai counts operations in each call from the host anew; this counts all of a run.
    let host = host.clone();
    engine.on_progress(move |_| {
        let operations = host.operations.get() + 1;
        host.operations.set(operations);
        let late = operations.is_multiple_of(4096) && host.deadline.get().is_some_and(|end| Instant::now() > end);
        (operations > OPERATIONS || late).then(|| Dynamic::from_bool(late))
    });
}
