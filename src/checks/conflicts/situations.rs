//! Runs each situation of a game once per seed and records the functions and cells it consults.

use crate::testing::coverage::FunctionKey;
use crate::testing::trials::{self, ProgramCache};
use casebook_engine::code::machine::Machine;
use casebook_engine::complaint::Error;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruling::driver::drive;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::trace::Event;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Seeds of the runs: three of them cover more than one outcome and keep the report fast.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;

/// Everything one run consulted, by name, because indices differ between the rulesets whose runs are compared.
#[derive(Clone, Debug, Default)]
pub struct ConsultedRun {
    /// Name of the situation.
    pub situation: String,
    /// Called functions, by name and number of arguments.
    pub called: BTreeSet<(String, usize)>,
    /// Functions that answered the calls.
    pub answered_by: BTreeSet<FunctionKey>,
    /// Cells read.
    pub cells: BTreeSet<ConsultedCell>,
    /// Pieces used.
    pub pieces: BTreeSet<ListedPiece>,
    /// Error in the data that stopped the run, if any.
    pub error: Option<String>,
}

/// Runs every situation of some rulesets with every seed.
pub fn run_situations(programs: &ProgramCache, specs: &[RulesetSpec]) -> Vec<ConsultedRun> {
    let mut runs = Vec::new();
    trials::run(
        programs,
        specs.iter().map(|spec| (spec, ())),
        |machine, ()| match machine {
            Ok(machine) => run_all(machine),
            Err(_) => Vec::new(),
        },
        |position, of_ruleset| runs.push((position, of_ruleset)),
    );
    runs.sort_by_key(|(position, _)| *position);
    runs.into_iter().flat_map(|(_, runs)| runs).collect()
}

/// Runs every situation of a ruleset with every seed; one that can't be read counts as a failed run.
fn run_all(machine: &mut Machine) -> Vec<ConsultedRun> {
    let program = machine.program.clone();
    let mut runs = Vec::new();
    for (name, scenario) in trials::scenarios(&program.ruleset) {
        match scenario.and_then(|scenario| Situation::new(&program, scenario)) {
            Ok(situation) => runs.extend(SEEDS.map(|seed| run(&situation, machine, seed))),
            Err(error) => runs.push(ConsultedRun {
                situation: name.into(),
                error: Some(error.first_line()),
                ..ConsultedRun::default()
            }),
        }
    }
    runs
}

fn run(situation: &Situation, machine: &mut Machine, seed: u64) -> ConsultedRun {
    let scenario = &situation.scenario;
    let mut run = ConsultedRun {
        situation: scenario.name.clone(),
        ..ConsultedRun::default()
    };
    machine.trace = Some(Vec::new());
    let source = situation.choice_source(&[], Arc::default());
    let ended = situation.begin(machine).and_then(|mut state| {
        let ended = drive(machine, &mut state, &mut SeededDice::new(seed), &source);
        run.add_pieces(&scenario.name, &scenario.used_lists, &state.board);
        ended.map_err(Error::Data)
    });
    run.error = ended.err().map(|error| error.first_line());
    for event in machine.trace.take().unwrap_or_default() {
        run.add_event(&event, situation.ruleset());
    }
    run
}

/// Cell of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConsultedCell {
    /// Id of the table.
    pub table: String,
    /// Index of the cell.
    pub index: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedPiece {
    /// Name of the list.
    pub list: String,
    /// Name of the piece.
    pub piece: String,
}

impl ConsultedRun {
    fn add_event(&mut self, event: &Event, ruleset: &Ruleset) {
        match event {
            Event::Call(asked) => {
                let (slot, answer) = (asked.slot(ruleset), asked.answer(ruleset));
                self.called.insert((slot.name.clone(), slot.arity));
                self.answered_by.insert(FunctionKey {
                    file: ruleset.cases[answer.case].file.key.clone(),
                    function: answer.function,
                });
            }
            Event::Cell(table, index) => {
                self.cells.insert(ConsultedCell {
                    table: table.id.clone(),
                    index: *index as usize,
                });
            }
            _ => {}
        }
    }

    fn add_pieces(&mut self, situation: &str, uses: &[String], board: &Board) {
        for list in uses.iter().map(String::as_str).chain([situation]) {
            self.pieces.extend(board.names().map(|name| ListedPiece {
                list: list.to_string(),
                piece: name.to_string(),
            }));
        }
    }
}
