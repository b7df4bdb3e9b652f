//! From what a function says to operations: names are resolved here, once.
//!
//! | file | what it is |
//! |---|---|
//! | [`lowering`] | a unit while it is made: registers, variables, constants |
//! | [`liveness`] | which registers are still needed where the machine may stop |
//! | [`effects`] | what an operation may do beyond its registers |
//! | [`joins`] | where ways that part meet again |
//! | [`sharing`] | which variables closures share |
//! | [`statements`] | statements and blocks |
//! | [`expressions`] | expressions and operators |
//! | [`chains`] | `a.b[c].d(e)`, read and written |
//! | [`calls`] | calls: of cases, helpers, verbs |
//! | [`closures`] | closures, laid out where they are called or made values |

mod calls;
mod chains;
mod closures;
pub mod effects;
mod expressions;
pub mod joins;
pub mod liveness;
mod lowering;
mod sharing;
mod statements;

use crate::code::program::{Made, Program, Source};
use crate::code::unit::{Op, Unit};
use crate::complaint::Complaints;
use crate::data::case::Case;
use crate::syntax::calls::reaches_prior;
use crate::syntax::parse;
use lowering::Lowering;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Makes a unit.
pub fn unit(program: &Program, source: &Source) -> Result<Unit, Complaints> {
    let ruleset = &program.ruleset;
    match source {
        Source::Answer(slot, depth) => {
            let answer = ruleset.slots[*slot].chain[*depth];
            let mut unit = match answer.struck_by {
                Some(by) => struck(ruleset.cases[by].as_ref(), &ruleset.slots[*slot].name, ruleset.slots[*slot].arity),
                None => function(program, answer.case, answer.function, Some((*slot, *depth)))?,
            };
            unit.answers = Some((*slot, *depth));
            unit.case = Some(answer.case);
            unit.cited = Some(answer.cited());
            Ok(unit)
        }
        Source::Helper(case, index, within) => function(program, *case, *index, *within),
        Source::Function(case, index) => function(program, *case, *index, None),
        Source::Expression(text, names) => {
            let list: Vec<&str> = names.iter().map(String::as_str).collect();
            Lowering::new(program, None, None).whole(names, &parse::expression(text, &list)?.tree())
        }
    }
}

/// What can't be done in any function of some cases of a ruleset, whoever asks it.
pub fn complaints(program: &Program, among: &dyn Fn(usize) -> bool) -> Complaints {
    let mut all = Complaints::default();
    for (slot, asked) in program.ruleset.slots.iter().enumerate() {
        for (depth, _) in asked.chain.iter().enumerate().filter(|(_, answer)| among(answer.by())) {
            program.number(Source::Answer(slot, depth));
        }
    }
    let mut answers: FxHashMap<(usize, usize), (usize, usize)> = FxHashMap::default();
    for (slot, asked) in program.ruleset.slots.iter().enumerate() {
        for (depth, answer) in asked.chain.iter().enumerate() {
            answers.entry((answer.case, answer.function)).or_insert((slot, depth));
        }
    }
    for (case, file) in program.ruleset.cases.iter().enumerate().filter(|(case, _)| among(*case)) {
        let asked = |index: usize| answers.get(&(case, index)).copied();
        let within = (0..file.functions.len()).find_map(asked);
        for (index, function) in file.functions.iter().enumerate() {
            if function.is_example() {
                program.number(Source::Function(case, index));
            } else if function.private {
                program.number(Source::Helper(case, index, within.filter(|_| reaches_prior(file, index))));
            }
        }
    }
    let own = |source: &Source| match source {
        Source::Answer(slot, depth) => among(program.ruleset.slots[*slot].chain[*depth].by()),
        Source::Helper(case, ..) | Source::Function(case, _) => among(*case),
        Source::Expression(..) => true,
    };
    spread(program, own, |made| match made {
        Err(complaints) => all.0.extend(complaints.0.iter().cloned()),
        Ok(unit) => {
            for (op, spot) in unit.ops.iter().zip(&unit.spots) {
                if let (Op::Fault { fault }, Some(case), true) = (op, unit.case, spot.0 > 0) {
                    let (found, file) = (&unit.faults[*fault as usize], &program.ruleset.cases[case]);
                    all.push(file.complaint(found.law, parse::span(*spot, file), &found.what).help(&found.help));
                }
            }
        }
    });
    all
}

/// Makes all that is asked for of a program and, on the way, closures and whatever else is asked from there; shows each unit.
pub fn spread(program: &Program, wanted: impl Fn(&Source) -> bool, mut each: impl FnMut(&Result<Arc<Unit>, Complaints>)) {
    for number in 0.. {
        let Some(made) = program.made(number) else { break };
        let made = match made {
            Made::Wanted(source) if !wanted(&source) => continue,
            Made::Wanted(source) => {
                let made = unit(program, &source).map(Arc::new);
                program.keep(number, &made);
                made
            }
            Made::Ready(unit) => Ok(unit),
            Made::Broken(complaints) => Err(complaints),
        };
        each(&made);
    }
}

fn function(program: &Program, case: usize, index: usize, within: Option<(usize, usize)>) -> Result<Unit, Complaints> {
    let file: &Case = &program.ruleset.cases[case];
    let body = parse::function(file, index)?;
    let function = &file.functions[index];
    let mut unit = Lowering::new(program, Some(case), within).whole(&function.params, &body)?;
    unit.name = function.name.clone();
    unit.case = Some(case);
    unit.span = function.span;
    Ok(unit)
}

/// A function that no longer stands.
fn struck(by: &Case, name: &str, arity: usize) -> Unit {
    let what = format!("`{name}` no longer stands: {} {} revises it", by.layer, by.number);
    let fault = crate::code::unit::Found { law: "kind", what, help: "answer it in the revision, or do not ask".into() };
    Unit {
        name: name.into(),
        arity,
        registers: arity,
        ops: vec![Op::Fault { fault: 0 }],
        spots: vec![(0, 0)],
        faults: vec![fault],
        ..Unit::default()
    }
}
