//! A situation under a ruleset: a procedure ready to be carried out, as often as one likes.

use crate::code::lower;
use crate::code::machine::Machine;
use crate::code::program::{Program, Source};
use crate::code::state::State;
use crate::complaint::{Complaint, Complaints, Error, Place, did_you_mean};
use crate::data::library::Library;
use crate::data::manifest::function_of;
use crate::data::scenario::Scenario;
use crate::ruleset::compose::{Ruleset, Wish};
use crate::ruleset::laws;
use crate::ruling::decide::Decider;
use crate::situation::board::Board;
use crate::situation::overrides::Overrides;
use crate::situation::policy::Policies;
use crate::situation::start::Start;
use crate::situation::value::{Map, Value};
use crate::situation::words::{answers, given};
use std::collections::HashMap;
use std::sync::Arc;

/// As much as whoever runs rules has.
const STACK: usize = 64 << 20;

/// A situation under a ruleset.
pub struct Situation {
    /// The code of the ruleset.
    pub program: Arc<Program>,
    /// The situation as its file has it.
    pub scenario: Arc<Scenario>,
    /// Its board.
    pub start: Arc<Start>,
    /// The procedure that is carried out.
    pub procedure: String,
    /// Answers to choices that the situation gives.
    pub choices: HashMap<String, Value>,
    slot: usize,
    given: Value,
    /// The board it begins with.
    board: Board,
    /// What has been carried out of it already.
    under_way: Option<State>,
}

/// What is wished for, and the situation of a name in it with what is set by hand.
fn in_force(library: &Arc<Library>, wish: &Wish, name: &str, overrides: &Overrides) -> Result<(Arc<Program>, Arc<Scenario>), Error> {
    let (ruleset, _) = laws::enact(library, wish)?;
    let scenario = overrides.laid(&ruleset.scenario(name)?, &ruleset)?;
    Ok((Arc::new(Program::new(Arc::new(ruleset))), scenario))
}

/// Begins to make the code of a procedure, and to read its charts, beside whatever else there is to do: where no thread can be had, they
/// are made as they are come to.
fn make_ahead(program: &Arc<Program>, scenario: &Scenario) {
    let slot = procedure(scenario, &program.ruleset).ok().and_then(|name| program.ruleset.slot(&function_of(&name), 1));
    let Some(slot) = slot else { return };
    program.number(Source::Answer(slot, 0));
    let program = program.clone();
    let make = move || {
        lower::spread(&program, |_| true, |made| made.iter().flat_map(|unit| unit.tables()).for_each(|id| drop(program.ruleset.table(id))));
    };
    drop(std::thread::Builder::new().stack_size(STACK).spawn(make));
}

impl Situation {
    /// The situation of a name under what is wished for.
    pub fn of(library: &Arc<Library>, wish: &Wish, name: &str) -> Result<Situation, Error> {
        Situation::with_overrides(library, wish, name, &Overrides::default())
    }

    /// The same with figures set by hand.
    pub fn with_overrides(library: &Arc<Library>, wish: &Wish, name: &str, overrides: &Overrides) -> Result<Situation, Error> {
        let (program, scenario) = in_force(library, wish, name, overrides)?;
        Situation::new(&program, scenario)
    }

    /// The same for whoever carries it out at once, and but once.
    pub fn at_once(library: &Arc<Library>, wish: &Wish, name: &str, overrides: &Overrides) -> Result<Situation, Error> {
        let (program, scenario) = in_force(library, wish, name, overrides)?;
        make_ahead(&program, &scenario);
        Situation::new(&program, scenario)
    }

    /// A machine that runs its rules.
    pub fn machine(&self) -> Machine {
        Machine::new(self.program.clone())
    }

    /// Makes a situation ready; complains of what its file asks for and the ruleset does not have.
    pub fn new(program: &Arc<Program>, scenario: impl Into<Arc<Scenario>>) -> Result<Situation, Error> {
        let scenario = scenario.into();
        let ruleset = &program.ruleset;
        let procedure = procedure(&scenario, ruleset)?;
        let function = function_of(&procedure);
        let Some(slot) = ruleset.slot(&function, 1) else { return Err(Error::Data(nobody(ruleset, &function))) };
        let start = Arc::new(Start::new(&scenario, ruleset, &program.atlas).map_err(Error::Data)?);
        let (choices, given) = (answers(&scenario), given(&scenario));
        let board = Board::new(start.clone());
        Ok(Situation { program: program.clone(), scenario, start, procedure, choices, slot, given, board, under_way: None })
    }

    /// What is asked as it begins, what is handed to it, and the board.
    pub fn asked(&self) -> (Source, &Value, &Board) {
        (Source::Answer(self.slot, 0), &self.given, &self.board)
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.program.ruleset
    }

    /// The state in which another procedure begins on the board that this one left behind; nothing is handed to it.
    pub fn begin_next(&self, machine: &mut Machine, procedure: &str, board: Board) -> Result<State, Complaints> {
        let function = function_of(procedure);
        let Some(slot) = self.ruleset().slot(&function, 1) else { return Err(nobody(self.ruleset(), &function)) };
        let mut state = State::new(board);
        machine.begin(&mut state, Source::Answer(slot, 0), vec![Value::Map(Map::default())])?;
        Ok(state)
    }

    /// Another procedure on a board of this situation, with these things in hand.
    pub fn asking(&self, procedure: &str, given: &[(&str, &str)], board: &Board) -> Result<Situation, Error> {
        let function = function_of(procedure);
        let Some(slot) = self.ruleset().slot(&function, 1) else { return Err(Error::Data(nobody(self.ruleset(), &function))) };
        let given = given.iter().map(|(key, text)| ((*key).into(), (*text).into())).collect();
        let apart = self.apart();
        let board = board.settled().over(apart.start.clone());
        Ok(Situation {
            procedure: procedure.into(),
            slot,
            given: Value::Map(given),
            board,
            under_way: None,
            choices: HashMap::new(),
            ..apart
        })
    }

    /// The same situation from a state on in which it waits for dice or a choice.
    pub fn from(&self, state: State) -> Situation {
        Situation { under_way: Some(state.once_more()), ..self.apart() }
    }

    /// The state in which the procedure begins.
    pub fn begin(&self, machine: &mut Machine) -> Result<State, Error> {
        if let Some(state) = &self.under_way {
            machine.take_up(state).map_err(Error::Data)?;
            return Ok(state.clone());
        }
        let mut state = State::new(self.board.clone());
        machine.begin(&mut state, Source::Answer(self.slot, 0), vec![self.given.clone()]).map_err(Error::Data)?;
        Ok(state)
    }

    /// The board on which its procedure begins.
    pub fn before(&self) -> &Board {
        self.under_way.as_ref().map_or(&self.board, |state| &state.board)
    }

    /// The same situation with a board in memory of its own: threads that use it much don't wait for each other.
    pub fn apart(&self) -> Situation {
        let start = Arc::new(self.start.apart());
        Situation {
            board: self.board.over(start.clone()),
            under_way: self.under_way.as_ref().map(|state| State { board: state.board.over(start.clone()), ..state.clone() }),
            program: self.program.clone(),
            scenario: self.scenario.clone(),
            start,
            procedure: self.procedure.clone(),
            choices: self.choices.clone(),
            slot: self.slot,
            given: self.given.apart(),
        }
    }

    /// Who answers choices: those given by hand go before those of the situation, and policies answer the rest.
    pub fn decider(&self, by_hand: &[(String, String)], policies: Arc<Policies>) -> Decider {
        let mut answers = self.choices.clone();
        let typed = |text: &String| text.parse::<i64>().map_or_else(|_| text.as_str().into(), Value::Number);
        answers.extend(by_hand.iter().map(|(question, answer)| (question.clone(), typed(answer))));
        Decider { answers, policies, scenario: Some(self.scenario.clone()) }
    }
}

/// No case in force answers for a procedure.
fn nobody(ruleset: &Ruleset, function: &str) -> Complaints {
    let place = Place::file(&format!("rules/{}/game.yaml", ruleset.game.name));
    let what = format!("no case in force answers `{function}` with 1 arguments");
    Complaint::new("unknown-function", place, what).help("put the variant in force that brings it").into()
}

/// The procedure a situation asks for; complains of one the game doesn't have.
fn procedure(scenario: &Scenario, ruleset: &Ruleset) -> Result<String, Error> {
    let Some(name) = &scenario.procedure else {
        let message = format!("{} is a list of pieces, not a situation: it names no procedure to carry out", scenario.name);
        return Err(Error::Usage(message));
    };
    let known = ruleset.game.procedures.iter().map(|(name, _)| name.as_str());
    if ruleset.game.procedures.is_empty() || known.clone().any(|k| k == name) {
        return Ok(name.clone());
    }
    let node = scenario.root.get("procedure").map(|n| n.span).unwrap_or_default();
    let near = did_you_mean(name, known);
    let place = Place::at(&scenario.file.path, &scenario.file.text, node);
    Err(Complaint::new("unknown-name", place, format!("no procedure is called `{name}`{near}"))
        .help("procedures stand in the game's manifest")
        .into())
}
