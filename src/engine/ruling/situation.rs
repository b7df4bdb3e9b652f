//! A situation under a ruleset, which can be run any number of times.

use crate::code::lower;
use crate::code::machine::Machine;
use crate::code::program::{FunctionSource, Program};
use crate::code::state::State;
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place};
use crate::data::library::Library;
use crate::data::manifest::function_name;
use crate::data::reference_kind::ReferenceKind;
use crate::data::scenario::Scenario;
use crate::platform::parallel;
use crate::ruleset::compose::{Ruleset, RulesetSpec};
use crate::ruleset::diagnostics;
use crate::situation::board::Board;
use crate::situation::initial_board::InitialBoard;
use crate::situation::overrides::Overrides;
use crate::situation::value::{Map, Value};
use crate::situation::value_text::{named, situation_answers, situation_given};
use std::collections::HashMap;
use std::sync::Arc;

/// A call of a procedure.
pub struct EntryCall<'s> {
    pub function: FunctionSource,
    pub argument: &'s Value,
    pub board: &'s Board,
}

/// A situation under a ruleset.
pub struct Situation {
    /// The compiled program of the ruleset.
    #[doc(hidden)]
    pub program: Arc<Program>,
    /// The scenario as parsed from its file.
    #[doc(hidden)]
    pub scenario: Arc<Scenario>,
    #[doc(hidden)]
    pub initial_board: Arc<InitialBoard>,
    /// The procedure to run.
    pub procedure: String,
    /// The scenario's answers to choices.
    #[doc(hidden)]
    pub choices: HashMap<String, Value>,
    slot: usize,
    argument: Value,
    /// The board before the procedure.
    board: Board,
    /// The state to resume from, if the procedure has already begun.
    resume_state: Option<State>,
}

/// Loads the program of a ruleset specification and the scenario of the given name, with overrides.
fn load_program(
    library: &Arc<Library>,
    spec: &RulesetSpec,
    name: &str,
    overrides: &Overrides,
) -> Result<(Arc<Program>, Arc<Scenario>), Error> {
    let (ruleset, _) = diagnostics::build_ruleset(library, spec)?;
    let scenario = overrides.apply(&ruleset.scenario(name)?, &ruleset)?;
    Ok((Arc::new(Program::new(Arc::new(ruleset))), scenario))
}

/// Compiles a procedure and reads its charts on another thread. If no thread is available, they are compiled on first use.
fn precompile_in_background(program: &Arc<Program>, scenario: &Scenario) {
    let slot = procedure_name(scenario, &program.ruleset)
        .ok()
        .and_then(|name| program.ruleset.slot(&function_name(&name), 1));
    let Some(slot) = slot else { return };
    program.function_number(FunctionSource::Answer(slot, 0));
    let program = program.clone();
    let make = move || {
        lower::lower_reachable(
            &program,
            |_| true,
            |compiled| {
                compiled
                    .iter()
                    .flat_map(|unit| unit.table_names())
                    .for_each(|id| drop(program.ruleset.table(id)))
            },
        );
    };
    parallel::spawn(make);
}

impl Situation {
    /// Loads a situation by name under a ruleset specification.
    pub fn load(
        library: &Arc<Library>,
        spec: &RulesetSpec,
        name: &str,
    ) -> Result<Situation, Error> {
        Situation::with_overrides(library, spec, name, &Overrides::default())
    }

    /// Loads a situation with other figures: pairs of `PIECE: FIGURE`, or `PLACE: FIGURE` or `track: NAME`, and the value.
    pub fn with_figures(
        library: &Arc<Library>,
        spec: &RulesetSpec,
        name: &str,
        figures: &[(&str, &str)],
    ) -> Result<Situation, Error> {
        let typed: Vec<(String, String)> = figures
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        Situation::with_overrides(library, spec, name, &Overrides::parse_all(&typed)?)
    }
}

#[doc(hidden)]
impl Situation {
    /// Loads a situation with figures overridden by hand.
    pub fn with_overrides(
        library: &Arc<Library>,
        spec: &RulesetSpec,
        name: &str,
        overrides: &Overrides,
    ) -> Result<Situation, Error> {
        let (program, scenario) = load_program(library, spec, name, overrides)?;
        Situation::new(&program, scenario)
    }

    /// Loads a situation that is run at once and only once, precompiling it in the background.
    pub fn load_and_precompile(
        library: &Arc<Library>,
        spec: &RulesetSpec,
        name: &str,
        overrides: &Overrides,
    ) -> Result<Situation, Error> {
        let (program, scenario) = load_program(library, spec, name, overrides)?;
        precompile_in_background(&program, &scenario);
        Situation::new(&program, scenario)
    }

    /// Creates a machine that runs its rules.
    pub fn machine(&self) -> Machine {
        Machine::new(self.program.clone())
    }

    /// Creates a situation; reports what its scenario requires and the ruleset lacks.
    pub fn new(
        program: &Arc<Program>,
        scenario: impl Into<Arc<Scenario>>,
    ) -> Result<Situation, Error> {
        let scenario = scenario.into();
        let ruleset = &program.ruleset;
        let procedure = procedure_name(&scenario, ruleset)?;
        let function = function_name(&procedure);
        let Some(slot) = ruleset.slot(&function, 1) else {
            return Err(Error::Data(no_case_for(ruleset, &function)));
        };
        let start =
            Arc::new(InitialBoard::new(&scenario, ruleset, &program.atlas).map_err(Error::Data)?);
        let (choices, given) = (situation_answers(&scenario), situation_given(&scenario));
        let board = Board::new(start.clone());
        Ok(Situation {
            program: program.clone(),
            scenario,
            initial_board: start,
            procedure,
            choices,
            slot,
            argument: given,
            board,
            resume_state: None,
        })
    }

    /// Returns the call that begins the procedure.
    pub fn entry_call(&self) -> EntryCall<'_> {
        EntryCall {
            function: FunctionSource::Answer(self.slot, 0),
            argument: &self.argument,
            board: &self.board,
        }
    }

    pub fn ruleset(&self) -> &Arc<Ruleset> {
        &self.program.ruleset
    }

    /// Returns the initial state of another procedure, called without arguments on the board that this one left.
    pub fn begin_procedure(
        &self,
        machine: &mut Machine,
        procedure: &str,
        board: Board,
    ) -> Result<State, Complaints> {
        let function = function_name(procedure);
        let Some(slot) = self.ruleset().slot(&function, 1) else {
            return Err(no_case_for(self.ruleset(), &function));
        };
        let mut state = State::new(board);
        machine.begin(
            &mut state,
            FunctionSource::Answer(slot, 0),
            vec![Value::Map(Map::default())],
        )?;
        Ok(state)
    }

    /// Creates a situation that runs another procedure on the given board with these arguments.
    pub fn with_procedure(
        &self,
        procedure: &str,
        given: &[(&str, &str)],
        board: &Board,
    ) -> Result<Situation, Error> {
        let function = function_name(procedure);
        let Some(slot) = self.ruleset().slot(&function, 1) else {
            return Err(Error::Data(no_case_for(self.ruleset(), &function)));
        };
        let game = &self.ruleset().game;
        let given = given
            .iter()
            .map(|(key, text)| ((*key).into(), named((*text).into(), game)))
            .collect();
        let copy = self.deep_clone();
        let board = board
            .without_records()
            .with_start(copy.initial_board.clone());
        Ok(Situation {
            procedure: procedure.into(),
            slot,
            argument: Value::Map(given),
            board,
            resume_state: None,
            choices: HashMap::new(),
            ..copy
        })
    }

    /// Creates a situation that resumes from a state waiting for dice or a choice.
    pub fn with_state(&self, state: State) -> Situation {
        Situation {
            resume_state: Some(state.rewind_to_stop()),
            ..self.deep_clone()
        }
    }

    /// Returns the initial state of the procedure.
    pub fn begin(&self, machine: &mut Machine) -> Result<State, Error> {
        if let Some(state) = &self.resume_state {
            machine.resume(state).map_err(Error::Data)?;
            return Ok(state.clone());
        }
        let mut state = State::new(self.board.clone());
        machine
            .begin(
                &mut state,
                FunctionSource::Answer(self.slot, 0),
                vec![self.argument.clone()],
            )
            .map_err(Error::Data)?;
        Ok(state)
    }

    /// Returns the board before the procedure.
    pub fn before(&self) -> &Board {
        self.resume_state
            .as_ref()
            .map_or(&self.board, |state| &state.board)
    }

    /// Deep copy: avoids contention on the shared board between threads.
    pub fn deep_clone(&self) -> Situation {
        let start = Arc::new(self.initial_board.deep_clone());
        Situation {
            board: self.board.with_start(start.clone()),
            resume_state: self.resume_state.as_ref().map(|state| State {
                board: state.board.with_start(start.clone()),
                ..state.clone()
            }),
            program: self.program.clone(),
            scenario: self.scenario.clone(),
            initial_board: start,
            procedure: self.procedure.clone(),
            choices: self.choices.clone(),
            slot: self.slot,
            argument: self.argument.deep_clone(),
        }
    }
}

/// Builds the error for a procedure that no case in force implements.
fn no_case_for(ruleset: &Ruleset, function: &str) -> Complaints {
    let place = Place::whole_file(&format!("rules/{}/game.yaml", ruleset.game.name));
    let message = format!("no case in force answers `{function}` with 1 arguments");
    Complaint::new(DiagnosticCode::UnknownFunction, place, message)
        .with_help("put the variant in force that has it")
        .into()
}

/// Returns the procedure that a scenario asks for; reports one that the game lacks.
fn procedure_name(scenario: &Scenario, ruleset: &Ruleset) -> Result<String, Error> {
    let Some(name) = &scenario.procedure else {
        let message = format!(
            "{} is a list of pieces, not a situation: it names no procedure to carry out",
            scenario.name
        );
        return Err(Error::Usage(message));
    };
    let unknown = ruleset
        .game
        .unknown_name(ReferenceKind::Procedure, name)
        .filter(|_| !ruleset.game.procedures.is_empty());
    let Some(defect) = unknown else {
        return Ok(name.clone());
    };
    let node = scenario
        .root
        .get("procedure")
        .map(|n| n.span)
        .unwrap_or_default();
    let place = scenario.place_of(&["procedure"], node);
    Err(defect.at(place).into())
}
