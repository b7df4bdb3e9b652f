//! Every command ends, whatever the files hold and whatever is typed: compiler passes, checks, and games that can't end.

use crate::common::limited::{ATTACK, SKIRMISH, fault, limited_in_time};
use crate::common::{Folder, Says};
use crate::oracle::Reference;
use casebook::data::library::Library;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::resolve::ResolveRequest;
use casebook::ruling::situation::Situation;
use casebook::situation::policy::Policies;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time limit for a check of a small folder on a busy computer.
const SOON: Duration = Duration::from_secs(60);

/// The length of a function is limited, as some passes take time by its square.
#[test]
fn long_functions_are_refused() {
    let numbers: Vec<String> = (0..100_000).map(|n| n.to_string()).collect();
    let arms: Vec<String> = (0..20_000).map(|n| format!("{n} => {n}")).collect();
    let lets: Vec<String> = (0..20_000).map(|n| format!("let v{n} = {n};")).collect();
    for lines in [
        format!("let list = [{}];", numbers.join(",")),
        format!("let n = switch 1 {{ {}, _ => 0 }};", arms.join(", ")),
        lets.join("\n"),
        format!("let text = \"{}\";", "x".repeat(2_000_000)),
        "let x = 1; ".repeat(10_000),
    ] {
        let start = Instant::now();
        let complaint = fault(&lines, "", Policies::default());
        assert_eq!(
            (complaint.code, complaint.place.path.ends_with(ATTACK)),
            (casebook::DiagnosticCode::Limit, true),
            "{complaint:?}"
        );
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    }
}

#[test]
fn deep_scripts_are_refused() {
    let deep = |open: &str, inner: &str, close: &str| {
        format!(
            "let n = {}{inner}{};",
            open.repeat(5_000),
            close.repeat(5_000)
        )
    };
    for lines in [
        deep("(", "1", ")"),
        deep("[", "", "]"),
        deep("{", "1", "}"),
        deep("#{a:", "1", "}"),
        deep("|x| ", "1", ""),
        deep("!", "true", ""),
        deep("if true {", "1", "} else {0}"),
        format!(
            "if 1 == 2 {{ 1 }} {}",
            "else if 1 == 3 { 1 } ".repeat(1_000)
        ),
        format!("{}{}", "while true { ".repeat(1_000), "}".repeat(1_000)),
    ] {
        let start = Instant::now();
        fault(&lines, "", Policies::default());
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    }
}

/// Inferred types of nested lists have a limited depth.
#[test]
fn what_a_check_knows_of_a_value_is_bounded() {
    let folder = Folder::skirmish();
    let path = "rules/skirmish/01-battle/1.1-attack.rhai";
    let text = folder.read(path).replace(
        "    step(\"Attack\");\n",
        &format!("    let x = 1;\n{}", "    x = [x, x];\n".repeat(1_500)),
    );
    folder.write(path, &text);
    let start = Instant::now();
    let run = folder.run("check");
    assert!(
        start.elapsed() < SOON,
        "{:?}: {}",
        start.elapsed(),
        run.terminal_output()
    );
}

#[test]
fn files_full_of_faults_are_read_soon() {
    let folder = Folder::skirmish();
    let table = "tables/skirmish/combat.yaml";
    let text = folder.read(table);
    folder.write(
        table,
        format!("{text}\nextra: [{}]\n", vec!["1:1"; 200_000].join(",")),
    );
    let start = Instant::now();
    let run = folder.run("check");
    run.ends(1);
    run.out.holds("quotes");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    for nested in [
        format!("more: {}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("more: {}", "{a: ".repeat(100_000)),
        {
            let names: Vec<String> = (1..30)
                .map(|n| {
                    format!(
                        "  n{n}: &n{n} [{}]",
                        vec![format!("*n{}", n - 1); 9].join(", ")
                    )
                })
                .collect();
            format!("more:\n  n0: &n0 [x]\n{}", names.join("\n"))
        },
    ] {
        folder.write(table, format!("{text}\n{nested}\n"));
        let start = Instant::now();
        assert_eq!(folder.run("check").status, Some(1));
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    }
}

/// A game without choices that never ends.
#[test]
fn a_game_that_cannot_end_is_stopped() {
    let folder = Folder::skirmish();
    let (manifest, situation) = ("rules/skirmish/game.yaml", "scenarios/skirmish/bridge.yaml");
    folder.write(
        manifest,
        &(folder.read(manifest) + "ends_when: { battle: over }\n"),
    );
    folder.write(situation, &(folder.read(situation) + "goes_on: true\n"));
    let path = "rules/skirmish/01-battle/1.1-attack.rhai";
    let card: String = folder
        .read(path)
        .lines()
        .take_while(|line| line.starts_with("//!"))
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write(path, format!("{card}\nfn attack(given) {{\n    reading(\"wagons\");\n    result(\"battle\", \"going on\");\n}}\n"));
    let start = Instant::now();
    let run = folder.run_with("play bridge", "\n");
    run.ends(1);
    run.terminal_output().holds("does not end");
    let games = folder.run("odds bridge --runs 1000000000000 --limit 1");
    games.terminal_output().holds("broken off");
    assert!(
        start.elapsed() < Duration::from_secs(100),
        "{:?}",
        start.elapsed()
    );
}

/// Rhai's own evaluator is asked directly: it has the same limits.
#[test]
fn the_reference_ends() {
    for lines in [
        "do { } while true;",
        "do { continue; } while true;",
        "while true { }",
        "let list = [1]; while true { list = list + list; }",
        "let text = \"x\"; while true { text += text; }",
        "let map = #{}; while true { map = #{ a: map, b: map }; }",
        "let n = 0; while true { say(`${n} ${\"x\".to_upper()}`); n += 1; }",
    ] {
        let mut files = SKIRMISH.clone();
        let file = files
            .by_key
            .get_mut(ATTACK)
            .expect("the case of the attack");
        file.text = file
            .text
            .replace("    step(\"Attack\");\n", &format!("    {lines}\n"))
            .into();
        let start = Instant::now();
        let run = move || {
            let library = Arc::new(Library::new(files));
            let spec = RulesetSpec::new("skirmish", &[]);
            let situation =
                Situation::load(&library, &spec, "bridge").expect("the situation is there");
            let mut reference = Reference::new(&situation.machine().program);
            reference.patience = Duration::from_secs(2);
            let answer = reference.resolve(&situation, ResolveRequest::default());
            answer
                .end
                .expect_err("a limit ends it")
                .0
                .into_iter()
                .next()
                .expect("a complaint")
        };
        let thread = std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn(run)
            .expect("a thread can be started");
        let complaint = thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        assert_eq!(
            complaint.code,
            casebook::DiagnosticCode::Limit,
            "{lines}: {complaint:?}"
        );
        assert!(start.elapsed() < SOON, "{lines}: {:?}", start.elapsed());
    }
}

/// While a verb works on a long list or text, the clock is looked at as often as while many steps are taken.
#[test]
fn work_within_verbs_is_counted() {
    let list = "let list = []; for i in 0..4000 { list.push([i, [i, i], `${i}`]); }";
    limited_in_time(&format!("    {list} while true {{ distinct(list); }}"));
    limited_in_time(&format!("    {list} while true {{ list.without(list); }}"));
    limited_in_time(
        "    let text = \"x\"; while text.len() < 16000 { text += text; } while true { text.contains(\"y\"); }",
    );
}
