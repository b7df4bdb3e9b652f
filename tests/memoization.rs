//! A machine with a memo ends each run like one without: the same end, outcomes, board and number of steps. Sampled runs that reuse cached
//! transitions equal runs without them.
//!
//! A part runs by default; `cargo test --test suite memoization:: -- --ignored --nocapture` runs everything.

use crate::common;
use crate::common::procedures::{Deeds, HELPERS, POLICY, with_attack};
use crate::common::runner::{self, with_deep_stack};
use crate::common::stacks::{built_in, situations, specs};
use casebook::code::machine::Machine;
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::odds::run_sampler::{RunSampler, run_seed};
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
            vec![RulesetSpec {
                game: game.into(),
                variants: library.compatible_variants(game),
                ..RulesetSpec::default()
            }]
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

// Runs

/// Compares sampled runs that reuse cached transitions with runs that don't, each seed twice; returns how many ended, and the kept states.
fn compare_runs(
    situation: &Situation,
    policies: &[(String, String)],
    seeds: u64,
) -> Result<(usize, usize), String> {
    let policies = Policies::parse(policies, &situation.ruleset().game).unwrap_or_default();
    let (mut machine, choice_source) = (
        situation.machine(),
        situation.choice_source(&[], Arc::new(policies)),
    );
    let mut runs = RunSampler::new(situation.machine(), &choice_source);
    let mut completed = 0;
    for seed in (1..=seeds).flat_map(|seed| [seed, seed.div_ceil(2)]) {
        match (
            runs.run_seed(situation, seed),
            run_seed(&mut machine, situation, &choice_source, seed),
        ) {
            (Ok(own), Ok(other)) if own == other => completed += 1,
            (Err(own), Err(other)) if own.to_string() == other.to_string() => {}
            (own, other) => {
                return Err(format!(
                    "seed {seed}: along others {own:?}\nby itself    {other:?}"
                ));
            }
        }
    }
    Ok((completed, runs.kept_states()))
}

/// Compares the runs of every situation under some rulesets, with first options and with random ones.
fn compare_all_runs(
    specs: impl Fn(&Arc<Library>, &str) -> Vec<RulesetSpec> + Send + 'static,
    (every, seeds): (usize, u64),
) {
    with_deep_stack(move || {
        let library = built_in();
        let (mut completed, mut kept) = (0, 0);
        for spec in library.games.keys().flat_map(|game| specs(&library, game)) {
            let Ok(program) = compile_program(&library, &spec) else {
                continue;
            };
            for situation in situations(&program).step_by(every) {
                let any: Vec<_> = situation
                    .ruleset()
                    .game
                    .sides
                    .iter()
                    .map(|side| (side.to_string(), "random".to_string()))
                    .collect();
                for policies in [&[][..], &any] {
                    let (compared, states) = compare_runs(&situation, policies, seeds)
                        .unwrap_or_else(|why| {
                            panic!(
                                "{} under {spec:?} by {policies:?}\n{why}",
                                situation.scenario.name
                            )
                        });
                    (completed, kept) = (completed + compared, kept + states);
                }
            }
        }
        eprintln!("{completed} runs are the same, with {kept} states kept");
        assert!(
            completed > 1_000 && kept > 500,
            "{completed} runs and {kept} states say little"
        );
    });
}

#[test]
fn runs_with_cached_transitions_equal_runs_without() {
    compare_all_runs(
        |library, game| {
            vec![RulesetSpec {
                game: game.into(),
                variants: library.compatible_variants(game),
                ..RulesetSpec::default()
            }]
        },
        (3, 12),
    );
}

#[test]
#[ignore = "takes minutes"]
fn many_runs_with_cached_transitions_equal_runs_without_under_every_stack() {
    let is_plain = |spec: &RulesetSpec| spec.options.is_empty() && spec.readings.is_empty();
    compare_all_runs(
        move |library, game| specs(library, game).into_iter().filter(is_plain).collect(),
        (1, 50),
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
    for policies in
        [("Red", POLICY), ("Red", "random")].map(|(side, policy)| [(side.into(), policy.into())])
    {
        compare_runs(&situation, &policies, 12).map_err(fail)?;
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
    with_deep_stack(|| run_generated(runner::deterministic(300)));
}

#[test]
#[ignore = "takes minutes"]
fn many_generated_procedures_end_the_same() {
    with_deep_stack(|| run_generated(runner::random(50_000)));
}
