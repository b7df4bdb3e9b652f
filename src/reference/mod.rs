//! Rhai's own evaluator, running the same cases with the same verbs: what the machine is held against.
//!
//! The machine runs code of ours, lowered from Rhai's tree. That it means what Rhai means is shown here: the same tree is walked by Rhai
//! itself, with Rhai's own operators and its own library for lists, maps, texts and numbers. Verbs are the same functions as the machine's;
//! at the border values of ours become Rhai's and back. Nobody plays with it: Rhai's stack can't stop, so throws and choices are answered
//! where they come, and each call of a case is an evaluation of its own, with a copy of all that crosses the border. That is why it is slow.
//!
//! What differs on purpose:
//!
//! - The wording of faults: each evaluator has its own. Law, line and column are the same, where Rhai knows them.
//! - Limits: Rhai counts what it does in another way. Where one of them ends a run, only that is held against the other.
//! - The line of a `require` that holds: the machine does not make it; Rhai works out all arguments of a call.
//! - A value that a closure uses which is called on it (`list.filter(|n| list.len() > n)`): Rhai can't share it. What came before counts.
//! - Letters: in cases they are texts of one letter; Rhai has a type for them. Lists and maps within a text read as in the lines of a ruling.
//! - Arguments are worked out from left to right; Rhai looks at a variable that stands first when the others are done.
//! - Where a text stands for a closure, Rhai takes it for the name of a function; in cases it is a text.
//! - What the library of Rhai does for values that its verb here doesn't take (`"abc" - "b"`, `max` of texts, flags in order) is a fault.
//! - Dice, choices and faults within the closures of `sort`, `reduce` and `index_of` end the run; Rhai throws, and sorts on.
//! - What a line came from, and doubtful figures that are read for a line nobody makes: for the machine alone to say.
//!
//! | file | what it is |
//! |---|---|
//! | [`driver`] | who answers throws and choices; in a count, every path by itself |
//! | [`border`] | values of ours as Rhai holds them, and back |
//! | [`run`] | functions that wait for each other, and where a fault happened |
//! | [`chance`] | throws, choices and counts, where a script comes to them |
//! | [`verbs`] | what a case may call, made known to Rhai |
//! | [`agree`] | what both tell of a run, and where they part |

pub mod agree;
mod border;
mod chance;
mod driver;
mod run;
mod verbs;

use crate::code::context::Manner;
use crate::code::machine::{Machine, SECONDS};
use crate::code::program::{Program, Source};
use crate::code::state::State;
use crate::complaint::{Complaint, Error, Place};
use crate::ruling::decide::Decider;
use crate::ruling::drive::{Ended, drive};
use crate::ruling::resolve::Order;
use crate::ruling::situation::Situation;
use crate::situation::dice::Stream;
use crate::situation::value::Value;
use agree::Told;
use driver::Driver;
use rhai::Engine;
use run::{Frame, Run, Signal};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// How much longer it may take than the machine.
const SLOWER: u64 = 6;

/// Rhai's own evaluator for a ruleset. One for each thread, which needs room for deep calls.
pub struct Reference {
    run: Rc<Run>,
    engine: Engine,
    /// How long one run may take.
    pub patience: Duration,
}

impl Reference {
    /// An evaluator of a ruleset.
    pub fn new(program: &Arc<Program>) -> Reference {
        let run = Rc::new(Run::new(program.clone()));
        Reference { engine: verbs::engine(&run), run, patience: Duration::from_secs(SLOWER * SECONDS) }
    }

    /// Carries out the procedure of a situation.
    pub fn resolve(&self, situation: &Situation, order: Order) -> Told {
        let decider = situation.decider(&order.choices, order.policies);
        let (source, given, board) = situation.asked();
        let manner = Manner { strict: order.strict, ..Manner::default() };
        self.carry_out(&source, std::slice::from_ref(given), State::new(board.clone()), manner, (Some(order.stream), decider))
    }

    /// Runs a function or an expression as an example, from a board and with answers to choices.
    #[cfg(feature = "unstable-internals")]
    pub fn example(
        &self,
        source: &Source,
        board: crate::situation::board::Board,
        answers: std::collections::HashMap<String, Value>,
    ) -> Told {
        let mut state = State::new(board);
        state.hand.answers = answers;
        self.carry_out(source, &[], state, Manner { example: true, ..Manner::default() }, (None, Decider::default()))
    }

    fn carry_out(
        &self,
        source: &Source,
        args: &[Value],
        state: State,
        manner: Manner,
        (stream, decider): (Option<Box<dyn Stream>>, Decider),
    ) -> Told {
        let run = &self.run;
        let mut driver = Driver::new(&run.program);
        (driver.stream, driver.decider) = (stream, decider);
        run.begin(state, manner, driver, self.patience);
        let args = args.iter().map(|value| border::dynamic(value, run)).collect();
        let found = run.source(&self.engine, source, args).and_then(|value| run.value(&value));
        let ended = match found.map_err(|error| run.placed(&error, &Frame::default())) {
            Ok(value) => Ok(Ended::Done(value)),
            Err(Signal::Refused(refusal)) => Ok(Ended::Refused(refusal)),
            Err(Signal::Broken(complaints)) => Err(complaints),
            Err(Signal::Wrong(found)) => Err(Complaint::new(found.law, Place::file("(expression)"), found.what).help(found.help).into()),
        };
        let (state, events) = (run.state.take(), run.trace.take().unwrap_or_default());
        Told { events, ended, board: state.board }
    }
}

/// What the machine tells of a situation.
pub fn by_machine(machine: &mut Machine, situation: &Situation, mut order: Order) -> Result<Told, Error> {
    machine.trace = Some(Vec::new());
    machine.manner.strict = order.strict;
    let decider = situation.decider(&order.choices, order.policies);
    let mut state = situation.begin(machine)?;
    let ended = drive(machine, &mut state, &mut *order.stream, &decider);
    Ok(Told { events: machine.trace.take().unwrap_or_default(), ended, board: state.board })
}
