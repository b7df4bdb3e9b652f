//! Computes the code and data a procedure may use. Two rulesets that agree on it give the same results.

use crate::code::bytecode::{ArgumentList, CONSTANT_BIT, CompiledFunction, OperationFact};
use crate::code::lower;
use crate::code::program::{FunctionSource, Program};
use crate::code::verbs::{self, VerbReads};
use crate::ruleset::compose::Ruleset;
use crate::situation::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Everything a procedure may use.
#[derive(Debug, PartialEq, Eq)]
pub struct Reachable {
    /// The code of each reachable function, in order of discovery. Equal code behaves equally.
    pub code: Vec<String>,
    /// Keys of the case files.
    pub files: BTreeSet<String>,
    /// Ids of the tables it may read.
    pub tables: BTreeSet<String>,
    /// Names of the rosters and deployments it may look up.
    pub scenarios: BTreeSet<String>,
}

impl Reachable {
    /// Collects what a function with one parameter may use. The result is empty if no case answers it.
    pub fn from_function(ruleset: &Arc<Ruleset>, function: &str) -> Reachable {
        Reachable::from_functions(ruleset, [function])
    }

    /// Collects what several functions with one parameter may use.
    pub fn from_functions<'a>(
        ruleset: &Arc<Ruleset>,
        functions: impl IntoIterator<Item = &'a str>,
    ) -> Reachable {
        let program = Program::new(ruleset.clone());
        let mut reachable = Reachable {
            code: Vec::new(),
            files: BTreeSet::new(),
            tables: BTreeSet::new(),
            scenarios: BTreeSet::new(),
        };
        for slot in functions
            .into_iter()
            .filter_map(|function| ruleset.slot(function, 1))
        {
            program.function_number(FunctionSource::Answer(slot, 0));
        }
        // Compilation numbers the callees, so this loop visits all reachable functions.
        for number in (0..).take_while(|number| program.compile_state(*number).is_some()) {
            match lower::compile(&program, number) {
                Ok(function) => reachable.add_function(&function, ruleset),
                Err(complaints) => reachable.code.push(format!("{complaints:?}")),
            }
        }
        reachable
    }

    fn add_function(&mut self, function: &CompiledFunction, ruleset: &Ruleset) {
        let key = |case: usize| ruleset.cases[case].key();
        let (case, cited) = (function.case.map(key), function.cited_case.map(key));
        let body = (
            &function.ops,
            &function.constants,
            &function.operands,
            &function.fields,
            &function.map_shapes,
            &function.paths,
        );
        let shape = (
            &function.switches,
            &function.faults,
            &function.callees,
            function.arity,
            function.registers,
            function.answer_slot.is_some(),
        );
        self.code.push(format!(
            "{} {case:?} {cited:?} {body:?} {shape:?}",
            function.name
        ));
        self.files.extend(case.into_iter().chain(cited));
        let texts: Vec<&str> = function
            .constants
            .iter()
            .filter_map(Value::as_text)
            .map(|text| text.as_str())
            .collect();
        // A name computed at run time may be any name.
        let is_computed = |args: ArgumentList| {
            function
                .args(args)
                .first()
                .is_some_and(|name| name.0 & CONSTANT_BIT == 0)
        };
        let (mut any_table, mut any_list) = (false, false);
        for op in &function.ops {
            function.operation_facts(*op, &mut |fact| match fact {
                OperationFact::ReadsTable(args) => any_table |= is_computed(args),
                OperationFact::CallsVerb(verb, args) => match verbs::all()[verb as usize].reads {
                    VerbReads::Table(_) => any_table |= is_computed(args),
                    VerbReads::List => any_list |= is_computed(args),
                    VerbReads::Nothing | VerbReads::Columns(_) => {}
                },
                _ => {}
            });
        }
        self.tables.extend(
            ruleset
                .table_names()
                .filter(|id| any_table || texts.contains(id))
                .map(String::from),
        );
        self.scenarios.extend(
            ruleset
                .scenario_names()
                .into_iter()
                .filter(|id| any_list || texts.contains(id))
                .map(String::from),
        );
    }
}
