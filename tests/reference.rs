//! The machine and Rhai's own evaluator agree on every event.
//!
//! A part runs by default. `cargo test --test suite reference:: -- --ignored --nocapture` runs everything, under every
//! stack, option and reading, and says how many events were compared; SEEDS says with how many seeds (20).

use crate::common::made::Made;
use crate::common::runner::{self, with_deep_stack};
use crate::common::stacks::{built_in, situations, specs};
use crate::common::{self, card_deeds};
use crate::oracle::agreement::{RunTranscript, compare_transcripts};
use crate::oracle::{Reference, run_machine};
use casebook::code::context::TraceDetail;
use casebook::code::machine::Machine;
use casebook::code::program::{FunctionSource, Program};
use casebook::complaint::Error;
use casebook::data::files::{DataFile, Files};
use casebook::data::library::Library;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::driver::EndReason;
use casebook::ruling::resolve::ResolveRequest;
use casebook::ruling::situation::Situation;
use casebook::situation::board::Board;
use casebook::situation::dice::SeededDice;
use casebook::situation::initial_board::InitialBoard;
use casebook::situation::trace::Event;
use casebook::situation::value_text::value_text;
use casebook::testing::check::CheckKind;
use casebook::testing::example_run::{self, ExampleFailure};
use casebook::testing::suite::collect;
use casebook::testing::trials::compile_program;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::sync::Arc;

fn request(seed: u64) -> ResolveRequest {
    ResolveRequest {
        stream: Box::new(SeededDice::new(seed)),
        dice_from: format!("seed {seed}"),
        ..ResolveRequest::default()
    }
}

/// What was compared, and the differences.
#[derive(Default)]
struct Tally {
    events: u64,
    runs: u64,
    differences: Vec<String>,
}

impl Tally {
    fn add(&mut self, name: &str, result: Result<u64, String>) {
        self.runs += 1;
        match result {
            Ok(events) => self.events += events,
            Err(why) => self.differences.push(format!(
                "{name}: {}",
                why.chars().take(2_000).collect::<String>()
            )),
        }
    }

    fn assert_equal(self, at_least: u64) {
        eprintln!("{} events of {} runs are the same", self.events, self.runs);
        assert!(
            self.differences.is_empty(),
            "{} of {} runs part:\n{}",
            self.differences.len(),
            self.runs,
            self.differences.join("\n\n")
        );
        assert!(self.events > at_least, "{} events say little", self.events);
    }
}

// Situations

/// Machines that resolve one situation after the other: with citations, without them, with results alone, and without a trace. Without
/// calls in its trace the machine takes other paths and keeps its memo between boards; the result has to be the same.
struct Machines([Machine; 4]);

impl Machines {
    fn new(program: &Arc<Program>) -> Machines {
        let mut machines = [(); 4].map(|()| Machine::new(program.clone()));
        machines[1].run_mode.trace_detail = TraceDetail::Calls;
        machines[2].run_mode.trace_detail = TraceDetail::Results;
        Machines(machines)
    }
}

/// Compares a situation with the reference; one with more than `most` events is skipped.
fn compare_situation(
    tally: &mut Tally,
    machines: &mut Machines,
    reference: &Reference,
    situation: &Situation,
    seed: u64,
    max: usize,
) {
    let name = format!(
        "{} under {:?}, seed {seed}",
        situation.scenario.name,
        situation.ruleset().spec
    );
    let Machines([machine, without_citations, results_only, untraced]) = machines;
    let transcript = match run_machine(machine, situation, request(seed)) {
        Ok(transcript) if transcript.events.len() <= max => transcript,
        Ok(_) => return,
        Err(error) => return tally.add(&name, Err(error.to_string())),
    };
    tally.add(
        &name,
        compare_transcripts(&transcript, &reference.resolve(situation, request(seed))),
    );
    match run_machine(without_citations, situation, request(seed)) {
        Ok(other) => tally.add(
            &name,
            compare_transcripts(&other, &transcript)
                .map_err(|why| format!("without citations: {why}")),
        ),
        Err(error) => tally.add(&name, Err(error.to_string())),
    }
    let same_results = run_machine(results_only, situation, request(seed)).is_ok_and(|other_run| {
        let results = |transcript: &RunTranscript| -> Vec<String> {
            let is_result =
                |event: &&Event| event.does_something() || matches!(event, Event::Choice(_));
            let text = |event: &Event| match event {
                // Citations are no results.
                Event::Outcome(outcome) => format!("{}: {:?}", outcome.name, outcome.value),
                other => format!("{other:?}"),
            };
            transcript
                .events
                .iter()
                .filter(is_result)
                .map(text)
                .collect()
        };
        other_run.end == transcript.end
            && results(&other_run) == results(&transcript)
            && !transcript
                .board
                .without_records()
                .differs_from(&other_run.board.without_records())
    });
    tally.add(
        &name,
        if same_results {
            Ok(0)
        } else {
            Err("with results alone it ends otherwise".into())
        },
    );
    let choice_source = situation.choice_source(&[], Arc::default());
    let Ok(mut state) = situation.begin(untraced) else {
        return;
    };
    let end = casebook::ruling::driver::drive(
        untraced,
        &mut state,
        &mut SeededDice::new(seed),
        &choice_source,
    );
    let same = match (&transcript.end, &end) {
        (Ok(a), Ok(b)) => {
            a == b
                && !transcript
                    .board
                    .without_records()
                    .differs_from(&state.board.without_records())
        }
        (Err(a), Err(b)) => a == b,
        _ => false,
    };
    tally.add(
        &name,
        if same {
            Ok(0)
        } else {
            Err(format!(
                "without a trace it ends otherwise: {:?}, {end:?}",
                transcript.end
            ))
        },
    );
}

#[test]
fn short_situations_agree_under_a_stack_each() {
    with_deep_stack(|| {
        let (library, mut tally) = (built_in(), Tally::default());
        for game in library.games.keys() {
            for (turn, spec) in [
                RulesetSpec {
                    game: game.clone(),
                    ..RulesetSpec::default()
                },
                RulesetSpec {
                    game: game.clone(),
                    variants: library.compatible_variants(game),
                    ..RulesetSpec::default()
                },
            ]
            .into_iter()
            .enumerate()
            {
                let program =
                    compile_program(&library, &spec).unwrap_or_else(|error| panic!("{error}"));
                let (mut machines, reference) = (Machines::new(&program), Reference::new(&program));
                // Half of them without variants, half with all compatible ones.
                situations(&program)
                    .skip(turn)
                    .step_by(2)
                    .for_each(|situation| {
                        compare_situation(
                            &mut tally,
                            &mut machines,
                            &reference,
                            &situation,
                            1,
                            2_000,
                        )
                    });
            }
        }
        tally.assert_equal(10_000);
    });
}

#[test]
#[ignore = "takes hours"]
fn every_situation_agrees_under_every_stack() {
    with_deep_stack(|| {
        let number = |name: &str, otherwise: u64| {
            std::env::var(name)
                .ok()
                .and_then(|text| text.parse().ok())
                .unwrap_or(otherwise)
        };
        let (seeds, max) = (number("SEEDS", 20) as usize, number("EVENTS", u64::MAX));
        let (library, mut tally) = (built_in(), Tally::default());
        let specs_to_compare: Vec<RulesetSpec> = library
            .games
            .keys()
            .flat_map(|game| specs(&library, game))
            .collect();
        // Seed by seed over all rulesets, so that an early stop has covered a part of each.
        for (turn, index) in (0..specs_to_compare.len() * seeds)
            .map(|turn| (turn, turn * 7_919 % specs_to_compare.len()))
        {
            let (spec, seed) = (
                &specs_to_compare[index],
                1 + (turn / specs_to_compare.len()) as u64,
            );
            let Ok(program) = compile_program(&library, spec) else {
                continue;
            };
            let (mut machines, reference) = (Machines::new(&program), Reference::new(&program));
            // Whole games are played once, without single options and readings.
            let everything = seed == 1 && spec.options.is_empty() && spec.readings.is_empty();
            let longest = if everything { usize::MAX } else { 20_000 };
            situations(&program).for_each(|situation| {
                compare_situation(
                    &mut tally,
                    &mut machines,
                    &reference,
                    &situation,
                    seed,
                    longest,
                )
            });
            eprintln!(
                "ruleset {} of {}: {} events, {} parted",
                turn + 1,
                specs_to_compare.len() * seeds,
                tally.events,
                tally.differences.len()
            );
            if tally.events > max {
                return tally.assert_equal(0);
            }
        }
        tally.assert_equal(10_000_000);
    });
}

// Examples

/// Runs an example on the machine with the full trace.
fn run_example(
    machine: &mut Machine,
    source: &FunctionSource,
    board: Board,
) -> Option<RunTranscript> {
    machine.trace = Some(Vec::new());
    let tried = example_run::run_example(machine, source.clone(), board, Default::default());
    let events = machine.trace.take().unwrap_or_default();
    let (end, board) = match tried {
        Ok(tried) => (Ok(EndReason::Done(tried.value)), tried.state.board),
        Err(ExampleFailure::Fault(complaints)) => (Err(complaints), Board::default()),
        Err(ExampleFailure::Refused(_)) => return None,
    };
    Some(RunTranscript {
        events,
        end,
        board,
        data_race: false,
    })
}

/// Also examples of odds: the machine merges states, the reference follows every path.
#[test]
fn examples_agree() {
    with_deep_stack(|| {
        let (library, mut tally) = (built_in(), Tally::default());
        for game in library.games.keys() {
            let mut machines: BTreeMap<String, (Machine, Reference)> = BTreeMap::new();
            for check in collect(&library, game, "").unwrap_or_default() {
                let key = format!("{:?}", check.spec);
                if !machines.contains_key(&key) {
                    let Ok(program) = compile_program(&library, &check.spec) else {
                        continue;
                    };
                    machines.insert(
                        key.clone(),
                        (Machine::new(program.clone()), Reference::new(&program)),
                    );
                }
                let Some((machine, reference)) = machines.get_mut(&key) else {
                    continue;
                };
                let ruleset = machine.program.ruleset.clone();
                let source = match &check.kind {
                    CheckKind::Example(case, index) => match ruleset
                        .cases
                        .iter()
                        .position(|other| other.file.key == case.file.key)
                    {
                        Some(case) => FunctionSource::Function(case, *index),
                        None => continue,
                    },
                    CheckKind::Question(question) => {
                        FunctionSource::Expression(question.expression.clone(), Vec::new())
                    }
                    _ => continue,
                };
                let board = || Board::new(Arc::new(InitialBoard::empty(&ruleset.game)));
                let Some(transcript) = run_example(machine, &source, board()) else {
                    continue;
                };
                let by_reference = reference.run_example(&source, board(), Default::default());
                tally.add(
                    &format!(
                        "{} in {}",
                        check.initial_outcome.name, check.initial_outcome.path
                    ),
                    compare_transcripts(&transcript, &by_reference),
                );
            }
        }
        tally.assert_equal(5_000);
    });
}

// The language

/// The value of an expression by machine and reference.
fn evaluate_both(program: &Arc<Program>, text: &str) -> [Result<String, String>; 2] {
    let (source, board) = (
        FunctionSource::Expression(text.into(), Vec::new()),
        Board::new(Arc::new(InitialBoard::empty(&program.ruleset.game))),
    );
    let show = |transcript: RunTranscript| match transcript.end {
        Ok(EndReason::Done(value)) => Ok(value_text(&value, &transcript.board)),
        Ok(other) => Err(format!("{other:?}")),
        Err(complaints) => Err(complaints.0[0].message.clone()),
    };
    let transcript = run_example(&mut Machine::new(program.clone()), &source, board.clone())
        .expect("an expression refuses nothing");
    [
        show(transcript),
        show(Reference::new(program).run_example(&source, board, Default::default())),
    ]
}

/// The files of the made-up game.
fn skirmish_program() -> Arc<Program> {
    let spec = RulesetSpec {
        game: "skirmish".into(),
        ..RulesetSpec::default()
    };
    compile_program(&Arc::new(Library::new(common::skirmish())), &spec)
        .expect("the small game is whole")
}

/// Expressions with their values.
const EXPECTED_VALUES: &[(&str, &str)] = &[
    ("5 << -1", "2"),
    ("-5 >> 4294967297", "-1"),
    ("-1 >> -3", "-8"),
    ("-7 / 2", "-3"),
    ("-7 % 3", "-1"),
    ("false < true && true >= true", "true"),
    ("() <= ()", "false"),
    ("1 == \"1\" || 1 < \"1\"", "false"),
    ("[1, [2]] == [1, [2]]", "true"),
    (
        "let l = [[3, 1], [1, 2], [3, 2], [1, 1]]; l.sort(|a, b| a[0] < b[0]); l",
        "1 and 2, 1 and 1, 3 and 1 and 3 and 2",
    ),
    (
        "let l = [[3, 1], [1, 2], [3, 2], [1, 1]]; l.sort(|a, b| a[0] - b[0]); l",
        "1 and 2, 1 and 1, 3 and 1 and 3 and 2",
    ),
    ("let a = [1]; let b = a; b.push(2); [a, b]", "1 and 1 and 2"),
    (
        "let l = [1, 2, 3]; for x in l { if x == 1 { l.push(9); } } l",
        "1, 2, 3 and 9",
    ),
    (
        "let l = [1, 2, 3]; l.insert(-1, 9); l.insert(10, 8); l",
        "1, 2, 9, 3 and 8",
    ),
    (
        "let l = [1, 2, 3]; [l.remove(1), l.remove(7), l.remove(-1), l]",
        "2, none, 3 and 1",
    ),
    ("let l = [1, 2, 3]; l[0] += 5; l[-1] = 9; l", "6, 2 and 9"),
    (
        "let m = #{}; m.a = #{}; m.a.b = 3; m[\"c\"] = 4; m",
        "{a: {b: 3}, c: 4}",
    ),
    (
        "let s = record(#{ list: [1, 2] }); s.list.push(4); s.list",
        "1, 2 and 4",
    ),
    ("let x = 5; let f = |y| x + y; x = 10; f.call(1)", "11"),
    (
        "let n = 1; let f = || { n += 1; n }; f.call(); f.call(); n",
        "3",
    ),
    ("let t = 0; [1, 2, 3].map(|n| { t += n; t })", "1, 3 and 6"),
    ("[3, 4].map(|n, i| n * i)", "0 and 4"),
    ("[5, 6, 7].where(|n, i| i != 1)", "5 and 7"),
    ("[5, 6, 7].without(|n, i| i != 1)", "6"),
    (
        "let f = |n| n > 1; [[1, 2, 3].where(f), [1, 2, 3].without(f), where([1, 2], f)]",
        "2 and 3, 1 and 2",
    ),
    (
        "let l = [2, 3]; [[1, 2, 3].where(l), [1, 2, 3].without(l), without([1, 2], l)]",
        "2 and 3, 1 and 1",
    ),
    ("[\"a\", \"b\"].without([\"b\"])", "a"),
    (
        "[[3, 1].least(), [3, 1].most(), [3, 1].total(), [].total(), [].least()]",
        "1, 3, 4, 0 and none",
    ),
    (
        "let f = |n| { if n > 2 { return 1; } 2 }; [f.call(1), f.call(3)]",
        "2 and 1",
    ),
    (
        "let n = 5; loop { n -= 1; if n < 2 { break n * 10; } }",
        "10",
    ),
    ("switch 5 { 1 => \"a\", 2..6 => \"b\", _ => \"c\" }", "b"),
    ("switch \"x\" { \"x\" if 1 > 2 => \"a\", _ => \"c\" }", "c"),
    (
        "let wet = false; switch 1 { 1..=3 if wet => \"a\", 1..=6 => \"plain\", _ => \"high\" }",
        "plain",
    ),
    (
        "let n = 3; switch 7 { 7 if n < 2 => \"a\", 7 if n < 4 => \"b\", 7 => \"c\", 0..9 => \"d\" }",
        "b",
    ),
    (
        "let n = 5; switch 7 { 7 if n < 2 => \"a\", 7 if n < 4 => \"b\", 0..9 if n > 8 => \"d\", 5..8 => \"e\" }",
        "e",
    ),
    (
        "let n = 5; switch 7 { 7 if n < 2 => \"a\", 1 | 7 if n < 4 => \"b\" }",
        "none",
    ),
    (
        "let l = [1]; switch l { [1] if l.pop() == 2 => \"a\", [] => \"b\", [1] => `c${l.len()}`, _ => \"d\" }",
        "c0",
    ),
    (
        "switch [1, 2] { [1] => \"a\", [1, 2] => \"b\", _ => \"c\" }",
        "b",
    ),
    (
        "let a = 3; a **= 2; a <<= 1; a %= 7; a -= 1; a /= 2; a",
        "1",
    ),
    ("let l = [1]; l += 2; l += [3]; l", "1, 2 and 3"),
    ("\"a\" + 1 + true + ()", "a1true"),
    ("().to_string().len()", "0"),
    ("`a${1}b${[1, 2]}c${()}d${true}`", "a1b1 and 2cdtrue"),
    (
        "[\"abc\".sub_string(-2, 1), \"a,b\".split(\",\"), \"abc\".split(1), \"Ab\".to_upper()]",
        "b, a and b, a and bc and AB",
    ),
    (
        "chance(|| roll(\"2d6\", \"try\") + roll(\"1d3\", \"again\") > 12, true)",
        "5/54",
    ),
];

#[test]
fn the_language_means_what_rhai_means() {
    let program = skirmish_program();
    for (text, expected) in EXPECTED_VALUES {
        assert_eq!(
            evaluate_both(&program, text),
            [Ok(expected.to_string()), Ok(expected.to_string())],
            "{text}"
        );
    }
}

/// Differences on purpose: what only Rhai accepts, and what only the machine accepts.
#[test]
fn differences_on_purpose_are_kept() {
    let program = skirmish_program();
    let narrower = [
        "1 << 65",
        "1 << 63",
        "\"abc\" - \"b\"",
        "\"a\" + [1]",
        "max(\"a\", \"b\")",
        "\"abc\".index_of(\"c\")",
        "let l = [true, false]; l.sort(); l",
        "[1, 2].split(1)",
        "#{ a: 1 }.filter(|name, value| value > 0)",
        "#{ a: 1 }.filter(|name| name == \"a\")",
        "[1, 2].filter(|n| n > 1)",
    ];
    for text in narrower {
        let [machine, rhai] = evaluate_both(&program, text);
        assert!(
            machine.is_err() && rhai.is_ok(),
            "{text}: {machine:?}, {rhai:?}"
        );
    }
    let wider = [
        "let l = [1, 2]; l.where(|n| n > l.len() - 2)",
        "require(true, \"{}\", [().name]); 1",
    ];
    for text in wider {
        let [machine, rhai] = evaluate_both(&program, text);
        assert!(
            machine.is_ok() && rhai.is_err(),
            "{text}: {machine:?}, {rhai:?}"
        );
    }
    let kept = "let kept = []; for x in [1, 2] { kept.push(|| x); } kept.map(|f| f.call())";
    assert_eq!(
        evaluate_both(&program, kept),
        ["1 and 2", "2 and 2"].map(|text| Ok(text.to_string())),
        "{kept}"
    );
    let skipping = "let n = 0; do { n += 1; if n < 5 { continue; } } until n > 2; n";
    assert_eq!(
        evaluate_both(&program, skipping),
        ["3", "5"].map(|text| Ok(text.to_string())),
        "{skipping}"
    );
    let refused_by_both = [
        "for value in #{ a: 1 } { value } 1",
        "for value in 3 { value } 1",
        "#{ a: 1 }.some(|value| value > 0)",
    ];
    for text in refused_by_both {
        let [machine, rhai] = evaluate_both(&program, text);
        assert!(
            machine.is_err() && rhai.is_err(),
            "{text}: {machine:?}, {rhai:?}"
        );
    }
}

// Generated functions

const HEAD: &str = "//! case: \"9.9\"\n//! title: Made up\n//! kind: rule\n//! source: { doc: sheet, at: \"9.9\" }\n//! text: >\n//!   Made up.\n\n";

/// Whether a body is Rhai.
fn parses(body: &str) -> bool {
    let mut engine = rhai::Engine::new_raw();
    engine.set_max_expr_depths(0, 0);
    engine.compile(format!("fn made() {{\n{body}}}")).is_ok()
}

/// Compares generated functions on machine and reference.
fn compare_generated(tally: &mut Tally, files: &Files, rows: &[Vec<u8>]) -> Result<(), Error> {
    let mut text = String::from(HEAD);
    text += "private fn helper(n, list) {\n    if n > 3 { return list.len(); }\n    list.push(n);\n    list[0] - n\n}\n";
    for (index, row) in rows.iter().enumerate() {
        // What the parser refuses makes its whole file no case, and has nothing to agree about.
        let body = Made::new(row).function();
        let body = if parses(&body) {
            body
        } else {
            "    1\n".into()
        };
        text += &format!("\n/// 9.9 stated\nfn example_{index}() {{\n{body}}}\n");
    }
    let mut files = files.clone();
    let key = "rules/skirmish/09-made/9.9-made-up.rhai".to_string();
    files.by_key.insert(
        key.clone(),
        DataFile {
            key: key.clone(),
            path: key.clone(),
            text: text.into(),
        },
    );
    let program = compile_program(
        &Arc::new(Library::new(files)),
        &RulesetSpec {
            game: "skirmish".into(),
            ..RulesetSpec::default()
        },
    )?;
    let (mut machine, reference) = (Machine::new(program.clone()), Reference::new(&program));
    let case = program
        .ruleset
        .cases
        .iter()
        .position(|case| case.file.key == key)
        .expect("the case is there");
    for (index, function) in program.ruleset.cases[case]
        .functions
        .iter()
        .enumerate()
        .filter(|(_, f)| f.is_example())
    {
        let (source, board) = (
            FunctionSource::Function(case, index),
            Board::new(Arc::new(InitialBoard::empty(&program.ruleset.game))),
        );
        let Some(transcript) = run_example(&mut machine, &source, board.clone()) else {
            continue;
        };
        let by_reference = reference.run_example(&source, board, Default::default());
        tally.add(
            &function.body,
            compare_transcripts(&transcript, &by_reference),
        );
    }
    Ok(())
}

fn run_generated(mut runner: TestRunner) {
    let (files, rows) = (
        common::skirmish(),
        prop::collection::vec(prop::collection::vec(any::<u8>(), 0..160), 1..12),
    );
    let events = std::cell::Cell::new(0);
    let ran = runner.run(&rows, |rows| {
        let mut tally = Tally::default();
        compare_generated(&mut tally, &files, &rows)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        events.set(events.get() + tally.events);
        if tally.differences.is_empty() {
            Ok(())
        } else {
            Err(TestCaseError::fail(tally.differences.join("\n\n")))
        }
    });
    eprintln!("{} functions are told alike", events.get());
    ran.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn generated_functions_agree() {
    with_deep_stack(|| run_generated(runner::deterministic(300)));
}

#[test]
#[ignore = "takes minutes"]
fn many_generated_functions_agree() {
    with_deep_stack(|| run_generated(runner::random(20_000)));
}

/// Procedures that draw, look, play, discard and shuffle.
#[test]
fn cards_agree_in_both() {
    with_deep_stack(|| {
        let tally = std::cell::RefCell::new(Tally::default());
        runner::deterministic(60)
            .run(
                &(proptest::collection::vec(any::<u8>(), 0..60), 0..1_000u64),
                |(bytes, seed)| {
                    let library = casebook::from_files(card_deeds::files(&bytes))
                        .expect("the data are sound");
                    let situation =
                        Situation::load(&library, &RulesetSpec::new("made", &[]), "deal")
                            .expect("it is there");
                    let (mut machines, reference) = (
                        Machines::new(&situation.program),
                        Reference::new(&situation.program),
                    );
                    compare_situation(
                        &mut tally.borrow_mut(),
                        &mut machines,
                        &reference,
                        &situation,
                        seed,
                        10_000,
                    );
                    Ok(())
                },
            )
            .expect("nothing fails here");
        tally.into_inner().assert_equal(500);
    });
}
