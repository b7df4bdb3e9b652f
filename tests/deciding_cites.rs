//! A line cites what decided it: an amendment without which it would be the same is not cited, and one that changed its number is among the first.

use crate::citations::{Named, hash_draw};
use crate::common::runner::with_deep_stack;
use crate::common::stacks::built_in;
use casebook::code::context::TraceDetail;
use casebook::code::program::Program;
use casebook::code::state::Stop;
use casebook::ruleset::compose::{Ruleset, RulesetSpec};
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::choice_source::ChoiceResult;
use casebook::ruling::citations::cite_case;
use casebook::ruling::resolve;
use casebook::ruling::situation::Situation;
use casebook::situation::dice::DiceStream;
use casebook::situation::policy::question_key;
use casebook::situation::trace::{AnswerSource, Event};
use casebook::situation::value::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A line of a ruling: its text, the template of it, and all that it cites, the first ones first.
struct Line {
    text: String,
    template: String,
    cites: Vec<String>,
}

/// A ruling: its lines, and the options taken, by question.
struct Run {
    lines: Vec<Line>,
    choices: BTreeMap<String, VecDeque<Value>>,
}

/// Runs a situation, with citations unless the choices of a run before are given; none if the rules fail.
fn run(
    program: &Arc<Program>,
    situation: &str,
    mut before: Option<BTreeMap<String, VecDeque<Value>>>,
) -> Option<Run> {
    let scenario = program.ruleset.scenario(situation).ok()?;
    let situation = Situation::new(program, scenario).ok()?;
    let mut machine = situation.machine();
    machine.trace = Some(Vec::new());
    if before.is_some() {
        machine.run_mode.trace_detail = TraceDetail::Calls;
    }
    let choices = situation.choice_source(&[], Arc::default());
    let mut state = situation.begin(&mut machine).ok()?;
    let refusal = loop {
        match machine.run(&mut state) {
            Stop::Throw(request) => {
                let faces = Named.throw(&request.dice, &request.purpose).ok()?;
                machine.answer_throw(&mut state, &request, &faces);
            }
            Stop::Choice(request) => {
                let key = question_key(&request.side, &request.question);
                let taken = before
                    .as_mut()
                    .and_then(|before| before.get_mut(&key)?.pop_front());
                let same = taken
                    .and_then(|taken| request.options.iter().position(|option| *option == taken));
                let decided = match choices.decide(&mut machine, &mut state, &request).ok()? {
                    ChoiceResult::Taken(picked, _) => picked,
                    ChoiceResult::Undecided(_) => return None,
                };
                machine.answer_choice(
                    &mut state,
                    &request,
                    same.unwrap_or(decided),
                    AnswerSource::Explicit,
                );
            }
            Stop::Returned => {}
            Stop::Done(_) => break None,
            Stop::Refused(refusal) => break Some(refusal),
            Stop::Count(_) | Stop::Failed(_) => return None,
        }
    };
    let events = machine.trace.take()?;
    let mut taken: BTreeMap<String, VecDeque<Value>> = BTreeMap::new();
    for event in &events {
        if let Event::Choice(choice) = event {
            let key = question_key(&choice.side, &choice.question);
            let option = choice.options[choice.chosen_index].clone();
            taken.entry(key).or_default().push_back(option);
        }
    }
    let templates: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            Event::Line(line) => Some(line.template.to_string()),
            _ => None,
        })
        .collect();
    let ruling = resolve::build_ruling(&situation, events, &[], 0, state, refusal.as_ref()).ruling;
    let shown = ruling.steps.iter().flat_map(|step| &step.lines);
    let lines = shown.zip(templates).map(|(line, template)| Line {
        text: line.text.clone(),
        template,
        cites: [&line.cites[..], &line.behind].concat(),
    });
    Some(Run {
        lines: lines.collect(),
        choices: taken,
    })
}

/// The ruleset without what a case answers in place of an older layer; `None` if it amends no function.
fn without_case(ruleset: &Ruleset, case: usize) -> Option<Ruleset> {
    let (mut rest, mut removed) = (ruleset.clone(), false);
    for slot in &mut rest.slots {
        if slot
            .answers
            .iter()
            .any(|answer| answer.cited_case() != case)
        {
            let before = slot.answers.len();
            slot.answers.retain(|answer| answer.cited_case() != case);
            removed |= slot.answers.len() < before;
        }
    }
    removed.then_some(rest)
}

/// Takes the same item out of a list once.
fn take_equal<T: PartialEq>(list: &mut Vec<T>, item: &T) -> bool {
    let found = list.iter().position(|other| other == item);
    found.map(|at| list.remove(at)).is_some()
}

/// Lines of the longest ruling that is counted: in a whole game nearly all that is done decides what comes after.
const MAX_LINES: usize = 60;

/// What was counted of the amendments that lines cite.
#[derive(Debug, Default)]
struct Counts {
    lines: usize,
    /// Citations of all kinds.
    cites: usize,
    /// Citations of amendments that can be left out.
    amendments: usize,
    /// Those of them without which the line is the same.
    useless: usize,
    /// Lines that are another without an amendment that they don't cite.
    uncited: usize,
    /// Lines with another number without an amendment.
    numbers: usize,
    /// Those of them that don't cite it among the first three.
    late: usize,
}

impl Counts {
    /// Counts what a case decides in a ruling, by the lines without it.
    fn add(&mut self, name: &str, before: &[Line], after: &[Line]) {
        let mut texts: Vec<&str> = after.iter().map(|line| &*line.text).collect();
        let same: Vec<bool> = before
            .iter()
            .map(|line| take_equal(&mut texts, &&*line.text))
            .collect();
        let changed = after.iter().filter(|line| texts.contains(&&*line.text));
        let mut templates: Vec<&str> = changed.map(|line| &*line.template).collect();
        for (line, same) in before.iter().zip(same) {
            let at = line.cites.iter().position(|cite| *cite == name);
            self.amendments += usize::from(at.is_some());
            if same {
                self.useless += usize::from(at.is_some());
                if at.is_some() && std::env::var("SHOW").is_ok() {
                    eprintln!("{name} decides nothing: {}", line.text);
                }
                continue;
            }
            self.uncited += usize::from(at.is_none());
            if take_equal(&mut templates, &&*line.template) {
                self.numbers += 1;
                let is_late = at.is_none_or(|at| at > 2);
                self.late += usize::from(is_late);
                if is_late && std::env::var("SHOW").is_ok() {
                    eprintln!("{name} is late: {} [{}]", line.text, line.cites.join("; "));
                }
            }
        }
    }
}

/// Leaves out each amendment that a line cites, in a quarter of all situations, under their own variants and under all of the game.
/// `ALL=1` in the environment counts in all situations.
fn count(game: &str) -> Counts {
    let library = built_in();
    let mut stacks: BTreeMap<Vec<String>, BTreeSet<String>> = BTreeMap::new();
    for (situation, variant) in library.scenarios(game) {
        if hash_draw(&situation).is_multiple_of(4) || std::env::var("ALL").is_ok() {
            let own = library.in_force_for(game, &situation, variant.as_deref());
            for variants in [own.variants, library.compatible_variants(game)] {
                stacks
                    .entry(variants)
                    .or_default()
                    .insert(situation.clone());
            }
        }
    }
    let mut counts = Counts::default();
    for (variants, situations) in stacks {
        let spec = RulesetSpec {
            game: game.into(),
            variants,
            ..RulesetSpec::default()
        };
        let (ruleset, _) = build_ruleset(&library, &spec).expect("it is shipped");
        let ruleset = Arc::new(ruleset);
        let program = Arc::new(Program::new(ruleset.clone()));
        let runs = situations.into_iter().filter_map(|situation| {
            let run = run(&program, &situation, None).filter(|run| run.lines.len() <= MAX_LINES)?;
            Some((situation, run))
        });
        let runs: Vec<(String, Run)> = runs.collect();
        for line in runs.iter().flat_map(|(_, run)| &run.lines) {
            counts.lines += 1;
            counts.cites += line.cites.len();
        }
        for case in (0..ruleset.cases.len()).filter(|case| ruleset.is_amendment(*case)) {
            let name = cite_case(&ruleset, case);
            let cites = |run: &Run| run.lines.iter().any(|line| line.cites.contains(&name));
            let citing = runs
                .iter()
                .filter(|(_, run)| cites(run))
                .collect::<Vec<_>>();
            // Rules without an amendment that nothing cites need not be compiled.
            let Some(rest) = Some(&citing)
                .filter(|citing| !citing.is_empty())
                .and_then(|_| without_case(&ruleset, case))
            else {
                continue;
            };
            let rest = Arc::new(Program::new(Arc::new(rest)));
            for (situation, before) in citing {
                if let Some(after) = run(&rest, situation, Some(before.choices.clone())) {
                    counts.add(&name, &before.lines, &after.lines);
                }
            }
        }
    }
    counts
}

/// Holds that the lines of a game cite no more amendments that decide nothing, and no more late, than this many.
fn check(game: &'static str, useless: usize, late: usize) {
    with_deep_stack(move || {
        let counts = count(game);
        eprintln!("{game}: {counts:?}");
        assert_eq!(counts.uncited, 0, "{game}: {counts:?}");
        assert!(
            counts.useless <= useless && counts.late <= late,
            "{game}: {counts:?}"
        );
    });
}

#[test]
fn tmag() {
    check("tmag", 53, 0);
}

#[test]
fn wbts() {
    check("wbts", 273, 13);
}
