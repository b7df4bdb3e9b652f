//! The runner of trials: what runs under many rulesets, on all cores, with one cache of compiled programs.

use casebook_engine::code::machine::Machine;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Error;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::data::library::Library;
use casebook_engine::data::scenario::{ListKind, Scenario};
use casebook_engine::platform::parallel;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics::build_ruleset;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::syntax::parse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

/// Compiled rulesets, shared by those who use them at the same time. A program that is not in use is dropped, because all of them together
/// would exhaust the memory.
pub struct ProgramCache {
    library: Arc<Library>,
    is_checked: bool,
    programs: Mutex<BTreeMap<RulesetSpec, Weak<Program>>>,
}

impl ProgramCache {
    /// Creates an empty cache of rulesets without errors.
    pub fn new(library: &Arc<Library>) -> ProgramCache {
        ProgramCache {
            library: library.clone(),
            is_checked: true,
            programs: Mutex::default(),
        }
    }

    /// Creates an empty cache that also compiles rulesets whose layers contradict each other.
    pub fn unchecked(library: &Arc<Library>) -> ProgramCache {
        ProgramCache {
            is_checked: false,
            ..ProgramCache::new(library)
        }
    }

    /// Returns the compiled ruleset of a spec.
    pub fn get(&self, spec: &RulesetSpec) -> Result<Arc<Program>, Error> {
        let cached = || lock_unpoisoned(&self.programs).get(spec)?.upgrade();
        if let Some(program) = cached() {
            return Ok(program);
        }
        let compiled = if self.is_checked {
            compile_program(&self.library, spec)?
        } else {
            let ruleset = Ruleset::compose(&self.library, spec)?.0;
            Arc::new(Program::new(Arc::new(ruleset)))
        };
        // Two threads may compile the same ruleset; the results are equal, and both use one of them.
        Ok(cached().unwrap_or_else(|| {
            lock_unpoisoned(&self.programs).insert(spec.clone(), Arc::downgrade(&compiled));
            compiled
        }))
    }
}

/// Compiles the ruleset of a spec; fails if it has errors.
pub fn compile_program(library: &Arc<Library>, spec: &RulesetSpec) -> Result<Arc<Program>, Error> {
    let (ruleset, _) = build_ruleset(library, spec)?;
    Ok(Arc::new(Program::new(Arc::new(ruleset))))
}

/// Runs jobs on all cores, each with a machine of its ruleset, and hands on the results as they come, with the positions of the jobs. The
/// jobs are taken in order, and a thread keeps its machine for the next job if that has the same ruleset.
pub fn run<'s, J, R: Send>(
    programs: &ProgramCache,
    jobs: impl Iterator<Item = (&'s RulesetSpec, J)> + Send,
    work: impl Fn(&mut Result<Machine, Error>, J) -> R + Sync,
    mut receive: impl FnMut(usize, R),
) {
    let jobs = Mutex::new(jobs.enumerate());
    let next_job = || lock_unpoisoned(&jobs).next();
    let run_jobs = |send: &mut dyn FnMut((usize, R)) -> bool| {
        let mut current: Option<(&RulesetSpec, Result<Machine, Error>)> = None;
        while let Some((position, (spec, job))) = next_job() {
            let (_, machine) = match &mut current {
                Some(current) if current.0 == spec => current,
                slot => {
                    // Each program is dropped before the next is compiled, to bound memory use.
                    *slot = None;
                    slot.insert((spec, programs.get(spec).map(Machine::new)))
                }
            };
            if !send((position, work(machine, job))) {
                return;
            }
        }
    };
    parallel::stream(
        |send| parse::with_parse_cache(|| run_jobs(send)),
        |(position, result)| receive(position, result),
    );
}

/// Returns the scenarios of a ruleset that can be run, or can't be read, by name; lists of pieces are left out.
pub fn scenarios(ruleset: &Ruleset) -> impl Iterator<Item = (&str, Result<Arc<Scenario>, Error>)> {
    let is_run = |scenario: &Arc<Scenario>| {
        scenario.list_kind == ListKind::Situation && scenario.procedure.is_some()
    };
    ruleset
        .scenario_names()
        .into_iter()
        .map(|name| (name, ruleset.scenario(name)))
        .filter(move |(_, scenario)| scenario.as_ref().map_or(true, is_run))
}

/// Returns the situations of a ruleset. One that can't be prepared is reported elsewhere, or belongs to another variant.
pub fn situations(program: &Arc<Program>) -> impl Iterator<Item = Situation> {
    scenarios(&program.ruleset)
        .filter_map(|(_, scenario)| Situation::new(program, scenario.ok()?).ok())
}
