//! Runs each situation of a game once per seed and records the functions and cells it consults.

use casebook_engine::code::machine::Machine;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Error;
use casebook_engine::data::scenario::ListKind;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::driver::drive;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::trace::Event;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Seeds of the runs: three of them cover more than one outcome and keep the report fast.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;

/// Key of a case function: the key of its file and its index in the case.
pub type FunctionKey = (String, usize);

/// Everything one run consulted, by name, because indices differ between the rulesets whose runs are compared.
#[derive(Clone, Debug, Default)]
pub struct ConsultedRun {
    /// Name of the situation.
    pub situation: String,
    /// Called functions, by name and number of arguments.
    pub called: BTreeSet<(String, usize)>,
    /// Functions that answered the calls.
    pub answered_by: BTreeSet<FunctionKey>,
    /// Cells read: table id, cell index, and the layer that set the cell.
    pub cells: BTreeSet<(String, usize, String)>,
    /// Pieces used: the list and the name of each piece.
    pub pieces: BTreeSet<(String, String)>,
    /// Error in the data that stopped the run, if any.
    pub error: Option<String>,
}

/// Runs every situation of a ruleset with every seed.
pub fn run_situations(ruleset: &Arc<Ruleset>) -> Vec<ConsultedRun> {
    let mut machine = Machine::new(Arc::new(Program::new(ruleset.clone())));
    let mut runs = Vec::new();
    for name in ruleset.scenario_names() {
        let scenario = ruleset.scenario(name);
        // A list of pieces is not a situation; a situation that cannot be read counts as a failed run.
        if scenario.as_ref().is_ok_and(|scenario| {
            scenario.list_kind != ListKind::Situation || scenario.procedure.is_none()
        }) {
            continue;
        }
        let situation =
            match scenario.and_then(|scenario| Situation::new(&machine.program, scenario)) {
                Ok(situation) => situation,
                Err(error) => {
                    runs.push(ConsultedRun {
                        situation: name.into(),
                        error: Some(error.first_line()),
                        ..ConsultedRun::default()
                    });
                    continue;
                }
            };
        let source = situation.choice_source(&[], Arc::default());
        for seed in SEEDS {
            machine.trace = Some(Vec::new());
            let mut run = ConsultedRun {
                situation: name.into(),
                ..ConsultedRun::default()
            };
            match situation.begin(&mut machine) {
                Ok(mut state) => {
                    let ended = drive(
                        &mut machine,
                        &mut state,
                        &mut SeededDice::new(seed),
                        &source,
                    );
                    run.error = ended
                        .err()
                        .map(|complaints| Error::Data(complaints).first_line());
                    run.add_pieces(name, &situation.scenario.used_lists, &state.board);
                }
                Err(error) => run.error = Some(error.first_line()),
            }
            let events = machine.trace.take().unwrap_or_default();
            events
                .iter()
                .for_each(|event| run.add_event(event, ruleset));
            runs.push(run);
        }
    }
    runs
}

impl ConsultedRun {
    fn add_event(&mut self, event: &Event, ruleset: &Ruleset) {
        match event {
            Event::Call(asked) => {
                let (slot, answer) = (asked.slot(ruleset), asked.answer(ruleset));
                self.called.insert((slot.name.clone(), slot.arity));
                self.answered_by
                    .insert((ruleset.cases[answer.case].file.key.clone(), answer.function));
            }
            Event::Cell(table, index) => {
                let index = *index as usize;
                self.cells.insert((
                    table.id.clone(),
                    index,
                    table.cells[index].layer.to_string(),
                ));
            }
            _ => {}
        }
    }

    fn add_pieces(&mut self, situation: &str, uses: &[String], board: &Board) {
        for list in uses.iter().map(String::as_str).chain([situation]) {
            self.pieces.extend(
                board
                    .names()
                    .map(|name| (list.to_string(), name.to_string())),
            );
        }
    }
}
