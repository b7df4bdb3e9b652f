//! The code of a ruleset: every function in force, lowered when it is first asked for, and shared by all threads.

use crate::code::bytecode::CompiledFunction;
use crate::code::vocabulary::Vocabulary;
use crate::complaint::Complaints;
use crate::data::cache::lock_unpoisoned;
use crate::data::case::Case;
use crate::data::table::Table;
use crate::ruleset::compose::Ruleset;
use crate::situation::geography::Atlas;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// What a unit is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FunctionSource {
    /// The answer at a depth of a slot's chain.
    Answer(usize, usize),
    /// A helper of a case, within the answer it works for where it asks `prior()`.
    Helper(usize, usize, Option<(usize, usize)>),
    /// A function of a case with no question behind it: an example.
    Function(usize, usize),
    /// An expression typed in, with the names that mean something in it.
    Expression(String, Vec<String>),
}

/// What has become of a unit.
#[derive(Clone)]
pub enum CompileState {
    /// It is to be made from this.
    Pending(FunctionSource),
    /// It is made.
    Ready(Arc<CompiledFunction>),
    /// It can't be made.
    Failed(Complaints),
}

/// The code of a ruleset.
pub struct Program {
    /// The ruleset.
    pub ruleset: Arc<Ruleset>,
    /// The words of its game.
    pub vocabulary: Arc<Vocabulary>,
    /// The maps of its situations.
    pub atlas: Arc<Atlas>,
    functions: Mutex<(FxHashMap<FunctionSource, u32>, Vec<CompileState>)>,
}

impl Program {
    /// The code of a ruleset, nothing of it made yet.
    pub fn new(ruleset: Arc<Ruleset>) -> Program {
        Program { vocabulary: Arc::new(Vocabulary::new(&ruleset.game)), atlas: Arc::default(), ruleset, functions: Mutex::default() }
    }

    /// The same code with one case written otherwise: what is made of the others is kept.
    pub fn with_case(&self, index: usize, case: Case) -> Program {
        let (numbers, mut list) = lock_unpoisoned(&self.functions).clone();
        let of = |source: &FunctionSource| match source {
            FunctionSource::Answer(slot, depth) => Some(self.ruleset.slots[*slot].answers[*depth].case),
            FunctionSource::Helper(case, ..) | FunctionSource::Function(case, _) => Some(*case),
            FunctionSource::Expression(..) => None,
        };
        for (source, number) in numbers.iter().filter(|(source, _)| of(source) == Some(index)) {
            list[*number as usize] = CompileState::Pending(source.clone());
        }
        let mut ruleset = Ruleset::clone(&self.ruleset);
        ruleset.cases[index] = Arc::new(case);
        Program {
            vocabulary: self.vocabulary.clone(),
            atlas: self.atlas.clone(),
            ruleset: Arc::new(ruleset),
            functions: Mutex::new((numbers, list)),
        }
    }

    /// The same code with one table written otherwise.
    pub fn with_table(&self, table: Table) -> Program {
        let tables = [(table.id.clone(), Some(Arc::new(table)))].into();
        let ruleset = Ruleset::clone(&self.ruleset).with_overrides(tables, Vec::new());
        let units = Mutex::new(lock_unpoisoned(&self.functions).clone());
        Program { vocabulary: self.vocabulary.clone(), atlas: self.atlas.clone(), ruleset: Arc::new(ruleset), functions: units }
    }

    /// The number of a unit; it is made when it is first run.
    pub fn function_number(&self, source: FunctionSource) -> u32 {
        let mut units = lock_unpoisoned(&self.functions);
        if let Some(number) = units.0.get(&source) {
            return *number;
        }
        let number = units.1.len() as u32;
        units.0.insert(source.clone(), number);
        units.1.push(CompileState::Pending(source));
        number
    }

    /// Adds a unit that is made already: a closure.
    pub fn add_function(&self, unit: CompiledFunction) -> u32 {
        let mut units = lock_unpoisoned(&self.functions);
        units.1.push(CompileState::Ready(Arc::new(unit)));
        units.1.len() as u32 - 1
    }

    /// What has become of a unit; none where there are not so many.
    pub fn compile_state(&self, number: u32) -> Option<CompileState> {
        lock_unpoisoned(&self.functions).1.get(number as usize).cloned()
    }

    /// Keeps a unit that was made. Two threads may make the same; both make it alike.
    pub fn store(&self, number: u32, made: &Result<Arc<CompiledFunction>, Complaints>) {
        lock_unpoisoned(&self.functions).1[number as usize] = match made {
            Ok(unit) => CompileState::Ready(unit.clone()),
            Err(complaints) => CompileState::Failed(complaints.clone()),
        };
    }
}
