//! The functions of a ruleset, compiled on first use and shared by all threads.

use crate::code::bytecode::CompiledFunction;
use crate::code::vocabulary::Vocabulary;
use crate::complaint::Complaints;
use crate::data::cache::lock_unpoisoned;
use crate::ruleset::compose::Ruleset;
use crate::situation::geography::Atlas;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// The source from which a function is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FunctionSource {
    /// An answer: slot and position in the slot's chain.
    Answer(usize, usize),
    /// A helper: case, function, and the answer it works for if it calls `prior()`.
    Helper(usize, usize, Option<(usize, usize)>),
    /// A function called directly, such as an example: case and function.
    Function(usize, usize),
    /// A typed-in expression and the names of its variables.
    Expression(String, Vec<String>),
}

/// The compile state of a function.
#[derive(Clone)]
pub enum CompileState {
    /// Not compiled yet.
    Pending(FunctionSource),
    Ready(Arc<CompiledFunction>),
    /// Failed to compile.
    Failed(Complaints),
}

/// The functions of a ruleset.
pub struct Program {
    pub ruleset: Arc<Ruleset>,
    /// The vocabulary of its game.
    pub vocabulary: Arc<Vocabulary>,
    /// The maps of its situations.
    pub atlas: Arc<Atlas>,
    functions: Mutex<(FxHashMap<FunctionSource, u32>, Vec<CompileState>)>,
}

impl Program {
    /// Creates a program with nothing compiled.
    pub fn new(ruleset: Arc<Ruleset>) -> Program {
        Program {
            vocabulary: Arc::new(Vocabulary::new(&ruleset.game)),
            atlas: Arc::default(),
            ruleset,
            functions: Mutex::default(),
        }
    }

    /// Returns the number of a function, registering it if needed. The function is compiled when it first runs.
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

    /// Registers a function that is already compiled, such as a closure.
    pub fn add_function(&self, function: CompiledFunction) -> u32 {
        let mut units = lock_unpoisoned(&self.functions);
        units.1.push(CompileState::Ready(Arc::new(function)));
        units.1.len() as u32 - 1
    }

    /// Returns the compile state of a function, or `None` if the number is unknown.
    pub fn compile_state(&self, number: u32) -> Option<CompileState> {
        lock_unpoisoned(&self.functions)
            .1
            .get(number as usize)
            .cloned()
    }

    /// Stores a compile result. Two threads may compile the same function; the results are equal.
    pub fn store(&self, number: u32, compiled: &Result<Arc<CompiledFunction>, Complaints>) {
        lock_unpoisoned(&self.functions).1[number as usize] = match compiled {
            Ok(function) => CompileState::Ready(function.clone()),
            Err(complaints) => CompileState::Failed(complaints.clone()),
        };
    }
}
