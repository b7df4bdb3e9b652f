//! What the situations of a game consult: each of them carried out once for every seed, and what was asked and read on the way.

use crate::code::script::Script;
use crate::data::scenario::Sort;
use crate::ruleset::compose::Ruleset;
use crate::ruling::resolve::{self, Order};
use crate::situation::board::Board;
use crate::situation::dice::Seeded;
use crate::situation::session::Session;
use crate::situation::trace::Event;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The seeds: three runs see more than one, and a report is still there at once.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;

/// A function of a case, by the key of its file and its place there.
pub type Told = (String, usize);

/// What one run consulted. Names, not places in a ruleset: runs under several rulesets stand side by side.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The situation.
    pub situation: String,
    /// Functions asked, with how many arguments.
    pub asked: BTreeSet<(String, usize)>,
    /// Who answered.
    pub told: BTreeSet<Told>,
    /// Cells read: table, index, the layer that set it.
    pub cells: BTreeSet<(String, usize, String)>,
    /// Lists from which it took pieces, with their names.
    pub pieces: BTreeSet<(String, String)>,
    /// Why it was not carried out to its end, where the data is at fault.
    pub broken: Option<String>,
}

/// Carries out every situation of a ruleset.
pub fn runs(ruleset: &Arc<Ruleset>) -> Vec<Run> {
    let script = Script::new(ruleset.clone());
    let mut all = Vec::new();
    for name in ruleset.scenario_names() {
        // A list of pieces is no situation; one that can't be read counts as a run that broke.
        let scenario = match ruleset.scenario(name) {
            Ok(scenario) if scenario.sort != Sort::Situation || scenario.procedure.is_none() => continue,
            Ok(scenario) => scenario,
            Err(error) => {
                all.push(Run { situation: name.into(), broken: Some(first_line(&error)), ..Run::default() });
                continue;
            }
        };
        for seed in SEEDS {
            *script.host.session.borrow_mut() = Session::default();
            let order = Order {
                stream: Box::new(Seeded::new(seed)),
                dice_from: format!("seed {seed}"),
                choices: Vec::new(),
                strict: false,
                trace: false,
            };
            let broken = resolve::resolve(&script, &scenario, order).err().map(|error| first_line(&error));
            let mut run = Run { situation: name.into(), broken, ..Run::default() };
            let session = script.host.session.borrow();
            session.events.iter().for_each(|event| run.note(event, ruleset));
            run.note_pieces(name, &scenario.uses, &session.board);
            all.push(run);
        }
    }
    all
}

fn first_line(error: &crate::complaint::Error) -> String {
    match error {
        crate::complaint::Error::Data(complaints) => complaints.0.first().map(|c| c.what.clone()).unwrap_or_default(),
        other => other.to_string(),
    }
}

impl Run {
    fn note(&mut self, event: &Event, ruleset: &Ruleset) {
        match event {
            Event::Ask { slot, depth, .. } => {
                let slot = &ruleset.slots[*slot];
                let answer = slot.chain[*depth];
                self.asked.insert((slot.name.clone(), slot.arity));
                self.told.insert((ruleset.cases[answer.case].file.key.clone(), answer.function));
            }
            Event::Cell(table, index) => {
                self.cells.insert((table.id.clone(), *index, table.cells[*index].layer.to_string()));
            }
            _ => {}
        }
    }

    fn note_pieces(&mut self, situation: &str, uses: &[String], board: &Board) {
        for list in uses.iter().map(String::as_str).chain([situation]) {
            self.pieces.extend(board.pieces.iter().map(|p| (list.to_string(), p.name.to_string())));
        }
    }
}
