//! A machine with a memo ends each run like one without: the same end, outcomes, board and number of steps.
//!
//! A part runs by default; `cargo test --test suite memoization:: -- --ignored --nocapture` runs everything.

use crate::common;
use crate::common::procedures::{Deeds, HELPERS, POLICY, with_attack};
use crate::common::runner::{self, with_deep_stack};
use crate::common::stacks::{built_in, situations, specs};
use casebook::code::machine::Machine;
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::board_view::BoardView;
use casebook::ruling::driver::drive;
use casebook::ruling::situation::Situation;
use casebook::situation::dice::SeededDice;
use casebook::situation::policy::Policies;
use casebook::testing::trials::compile_program;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::sync::Arc;

/// The end of an untraced run, its outcomes, the board and the number of steps, or the reason why there is none.
fn run_results(machine: &mut Machine, situation: &Situation, seed: u64) -> [String; 4] {
    let policies = Policies::parse(&[("Red".into(), POLICY.into())], &situation.ruleset().game)
        .unwrap_or_default();
    let choice_source = situation.choice_source(&[], Arc::new(policies));
    let mut state = match situation.begin(machine) {
        Ok(state) => state,
        Err(error) => {
            return [
                error.to_string(),
                String::new(),
                String::new(),
                String::new(),
            ];
        }
    };
    let end = drive(
        machine,
        &mut state,
        &mut SeededDice::new(seed),
        &choice_source,
    );
    let board = serde_json::to_string(&BoardView::new(situation, &state.board, &[]))
        .expect("a position can be written");
    [
        format!("{end:?}"),
        format!("{:?}", state.outcomes),
        board,
        state.steps.to_string(),
    ]
}

/// Compares a machine that has a memo with one that has none.
fn compare_machines(
    memoizing: &mut Machine,
    plain: &mut Machine,
    situation: &Situation,
    seed: u64,
) -> Result<(), String> {
    plain.run_mode.without_memo = true;
    let (memoized, computed) = (
        run_results(memoizing, situation, seed),
        run_results(plain, situation, seed),
    );
    match memoized
        .iter()
        .zip(&computed)
        .find(|(memoized, computed)| memoized != computed)
    {
        None => Ok(()),
        Some((memoized, computed)) => Err(format!(
            "with the memo:    {memoized}\nwithout the memo: {computed}"
        )),
    }
}

/// Compares every situation under some rulesets.
fn compare_all(
    specs: impl Fn(&Arc<Library>, &str) -> Vec<RulesetSpec> + Send + 'static,
    (every, seeds): (usize, u64),
) {
    with_deep_stack(move || {
        let library = built_in();
        let specs_to_compare: Vec<RulesetSpec> = library
            .games
            .keys()
            .flat_map(|game| specs(&library, game))
            .collect();
        let mut runs = 0;
        for spec in &specs_to_compare {
            let Ok(program) = compile_program(&library, spec) else {
                continue;
            };
            let [mut memoizing, mut plain] = [(); 2].map(|()| Machine::new(program.clone()));
            for situation in situations(&program).step_by(every) {
                for seed in 1..=seeds {
                    compare_machines(&mut memoizing, &mut plain, &situation, seed).unwrap_or_else(
                        |why| {
                            panic!(
                                "{} under {spec:?}, seed {seed}\n{why}",
                                situation.scenario.name
                            )
                        },
                    );
                    runs += 1;
                }
            }
        }
        eprintln!("{runs} runs are the same");
        assert!(runs > 50, "{runs} runs say little");
    });
}

#[test]
fn every_fourth_situation_ends_the_same() {
    compare_all(
        |library, game| {
            vec![RulesetSpec::with_variants(
                game,
                library.compatible_variants(game),
            )]
        },
        (4, 1),
    );
}

#[test]
#[ignore = "takes minutes"]
fn every_situation_ends_the_same_under_every_stack() {
    let is_plain = |spec: &RulesetSpec| spec.options.is_empty() && spec.readings.is_empty();
    compare_all(
        move |library, game| specs(library, game).into_iter().filter(is_plain).collect(),
        (1, 2),
    );
}

// Generated procedures

/// The small game in which the functions of generated procedures stand in cases of their own, so that lines cite them.
fn cached_cases() -> Files {
    let mut files = common::skirmish();
    let contents = "rules/skirmish/contents.yaml";
    let mut list = files.by_key[contents].text.to_string();
    for (number, helper) in HELPERS.trim().lines().enumerate() {
        let function = helper.trim_start_matches("private ");
        let head = format!("//! case: \"4.{number}\"\n//! title: Case {number}\n//! kind: rule\n");
        let text = format!(
            "{head}//! source: {{ doc: sheet, at: \"4\" }}\n//! text: >\n//!   A case.\n\n/// Asked.\n{function}\n"
        );
        files = files.with_text(
            &format!("rules/skirmish/04-test/4.{number}-asked.rhai"),
            &text,
        );
        list += &format!("\"4.{number}\": Case {number}\n");
    }
    files.with_text(contents, &format!("{list}\"4\": Cases\n"))
}

/// Compares a procedure that runs several times on the same machine.
fn compare_generated(files: &Files, body: &str) -> Result<(), TestCaseError> {
    let body = body.replace("result(", "tell(");
    let tell =
        "private fn tell(name, value) { say(\"{} is {}\", [name, value]); result(name, value); }";
    let library = Arc::new(Library::new(with_attack(files, &body, tell)));
    let fail = |why: String| TestCaseError::fail(format!("{why}\n{body}"));
    let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
        .map_err(|error| fail(error.to_string()))?;
    let mut memoizing = situation.machine();
    for seed in [1, 2, 1, 3] {
        compare_machines(&mut memoizing, &mut situation.machine(), &situation, seed)
            .map_err(|why| fail(format!("seed {seed}: {why}")))?;
    }
    Ok(())
}

fn run_generated(mut runner: TestRunner) {
    let files = cached_cases();
    let ran = runner.run(&prop::collection::vec(any::<u8>(), 0..120), |bytes| {
        compare_generated(&files, &Deeds::generate(&bytes))
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn generated_procedures_end_the_same() {
    with_deep_stack(|| run_generated(runner::deterministic(120)));
}

#[test]
#[ignore = "takes minutes"]
fn many_generated_procedures_end_the_same() {
    with_deep_stack(|| run_generated(runner::random(50_000)));
}
