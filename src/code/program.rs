//! The code of a ruleset: every function in force, lowered when it is first asked for, and shared by all threads.

use crate::code::unit::Unit;
use crate::code::vocabulary::Vocabulary;
use crate::complaint::Complaints;
use crate::data::case::Case;
use crate::data::once::held;
use crate::data::table::Table;
use crate::ruleset::compose::Ruleset;
use crate::situation::geography::Atlas;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// What a unit is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
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
pub enum Made {
    /// It is to be made from this.
    Wanted(Source),
    /// It is made.
    Ready(Arc<Unit>),
    /// It can't be made.
    Broken(Complaints),
}

/// The code of a ruleset.
pub struct Program {
    /// The ruleset.
    pub ruleset: Arc<Ruleset>,
    /// The words of its game.
    pub words: Arc<Vocabulary>,
    /// The maps of its situations.
    pub atlas: Arc<Atlas>,
    units: Mutex<(FxHashMap<Source, u32>, Vec<Made>)>,
}

impl Program {
    /// The code of a ruleset, nothing of it made yet.
    pub fn new(ruleset: Arc<Ruleset>) -> Program {
        Program { words: Arc::new(Vocabulary::new(&ruleset.game)), atlas: Arc::default(), ruleset, units: Mutex::default() }
    }

    /// The same code with one case written otherwise: what is made of the others is kept.
    pub fn with_case(&self, index: usize, case: Case) -> Program {
        let (numbers, mut list) = held(&self.units).clone();
        let of = |source: &Source| match source {
            Source::Answer(slot, depth) => Some(self.ruleset.slots[*slot].chain[*depth].case),
            Source::Helper(case, ..) | Source::Function(case, _) => Some(*case),
            Source::Expression(..) => None,
        };
        for (source, number) in numbers.iter().filter(|(source, _)| of(source) == Some(index)) {
            list[*number as usize] = Made::Wanted(source.clone());
        }
        let mut ruleset = Ruleset::clone(&self.ruleset);
        ruleset.cases[index] = Arc::new(case);
        Program { words: self.words.clone(), atlas: self.atlas.clone(), ruleset: Arc::new(ruleset), units: Mutex::new((numbers, list)) }
    }

    /// The same code with one table written otherwise.
    pub fn with_table(&self, table: Table) -> Program {
        let tables = [(table.id.clone(), Some(Arc::new(table)))].into();
        let ruleset = Ruleset::clone(&self.ruleset).laid(tables, Vec::new());
        let units = Mutex::new(held(&self.units).clone());
        Program { words: self.words.clone(), atlas: self.atlas.clone(), ruleset: Arc::new(ruleset), units }
    }

    /// The number of a unit; it is made when it is first run.
    pub fn number(&self, source: Source) -> u32 {
        let mut units = held(&self.units);
        if let Some(number) = units.0.get(&source) {
            return *number;
        }
        let number = units.1.len() as u32;
        units.0.insert(source.clone(), number);
        units.1.push(Made::Wanted(source));
        number
    }

    /// Adds a unit that is made already: a closure.
    pub fn add(&self, unit: Unit) -> u32 {
        let mut units = held(&self.units);
        units.1.push(Made::Ready(Arc::new(unit)));
        units.1.len() as u32 - 1
    }

    /// What has become of a unit; none where there are not so many.
    pub fn made(&self, number: u32) -> Option<Made> {
        held(&self.units).1.get(number as usize).cloned()
    }

    /// Keeps a unit that was made. Two threads may make the same; both make it alike.
    pub fn keep(&self, number: u32, made: &Result<Arc<Unit>, Complaints>) {
        held(&self.units).1[number as usize] = match made {
            Ok(unit) => Made::Ready(unit.clone()),
            Err(complaints) => Made::Broken(complaints.clone()),
        };
    }
}
