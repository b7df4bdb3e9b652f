//! The code that a procedure can come to, whatever falls and whatever is chosen: what two rulesets have to have alike to give the same.

use crate::code::bytecode::{ArgumentList, CONSTANT_BIT, CompiledFunction, Operation};
use crate::code::lower;
use crate::code::program::{CompileState, FunctionSource, Program};
use crate::code::verbs;
use crate::ruleset::compose::Ruleset;
use crate::situation::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a procedure can come to.
#[derive(Debug, PartialEq, Eq)]
pub struct Reachable {
    /// The code, unit by unit in the order in which it is come to. Equal code does equal things.
    pub code: Vec<String>,
    /// The keys of the files of its cases.
    pub files: BTreeSet<String>,
    /// The tables it may read, by number or name.
    pub tables: BTreeSet<String>,
    /// The rosters and deployments it may look up.
    pub scenarios: BTreeSet<String>,
}

impl Reachable {
    /// What a procedure that takes one argument can come to; nothing where no case answers for it.
    pub fn from_function(ruleset: &Arc<Ruleset>, function: &str) -> Reachable {
        let program = Program::new(ruleset.clone());
        let mut found = Reachable { code: Vec::new(), files: BTreeSet::new(), tables: BTreeSet::new(), scenarios: BTreeSet::new() };
        let Some(slot) = ruleset.slot(function, 1) else { return found };
        program.function_number(FunctionSource::Answer(slot, 0));
        let mut number = 0;
        // What a unit asks is numbered when the unit is made: so all of it comes in turn.
        while let Some(made) = program.compile_state(number) {
            let unit = match made {
                CompileState::Pending(source) => {
                    let made = lower::lower_source(&program, &source).map(Arc::new);
                    program.store(number, &made);
                    made
                }
                CompileState::Ready(unit) => Ok(unit),
                CompileState::Failed(complaints) => Err(complaints),
            };
            match unit {
                Ok(unit) => found.add_function(&unit, ruleset),
                Err(complaints) => found.code.push(format!("{complaints:?}")),
            }
            number += 1;
        }
        found
    }

    fn add_function(&mut self, unit: &CompiledFunction, ruleset: &Ruleset) {
        let key = |case: usize| ruleset.cases[case].file.key.clone();
        let (case, cited) = (unit.case.map(key), unit.cited_case.map(key));
        let body = (&unit.ops, &unit.constants, &unit.operands, &unit.fields, &unit.map_shapes, &unit.paths);
        let rest = (&unit.switches, &unit.faults, &unit.callees, unit.arity, unit.registers, unit.answer_slot.is_some());
        self.code.push(format!("{} {case:?} {cited:?} {body:?} {rest:?}", unit.name));
        self.files.extend(case.into_iter().chain(cited));
        let texts: Vec<&str> = unit.constants.iter().filter_map(Value::as_text).map(|text| text.as_str()).collect();
        // One whose name is worked out may be any.
        let worked_out = |args: ArgumentList| unit.args(args).first().is_some_and(|name| name.0 & CONSTANT_BIT == 0);
        let verb = |number: u16| verbs::all()[number as usize].name;
        let (mut any_table, mut any_list) = (false, false);
        for op in &unit.ops {
            match op {
                Operation::ReadTable { args, .. } => any_table |= worked_out(*args),
                Operation::CallVerb { verb: number, args, .. } if verb(*number) == "row" => any_table |= worked_out(*args),
                Operation::CallVerb { verb: number, args, .. } if ["entries", "entry"].contains(&verb(*number)) => {
                    any_list |= worked_out(*args)
                }
                _ => {}
            }
        }
        self.tables.extend(ruleset.table_names().filter(|id| any_table || texts.contains(id)).map(String::from));
        self.scenarios.extend(ruleset.scenario_names().into_iter().filter(|id| any_list || texts.contains(id)).map(String::from));
    }
}
