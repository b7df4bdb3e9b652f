//! A command has one deadline for all its threads, one budget of memory, and says what it left out and how to raise the limit.

mod common;
use common::Folder;
use std::time::{Duration, Instant};

const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";

/// A game whose examples all run for ever, in every form that a loop has.
fn endless() -> Folder {
    let folder = Folder::skirmish();
    // Each turn of a loop takes so long that the deadline ends it, not the number of steps.
    let forms = [
        "while true { distinct(list); }",
        "loop { distinct(list); }",
        "do { distinct(list); } while true;",
        "do { distinct(list); } until false;",
        "do { distinct(list); continue; } while true;",
        "for i in 0..10000000 { for j in 0..10000000 { distinct(list); } }",
        "let f = |f| { distinct(list); f.call(f); f.call(f) }; f.call(f);",
        "list.where(|item| { while true { distinct(list); } true });",
    ];
    let mut text = folder.read(ATTACK);
    for (number, form) in (0..20).flat_map(|_| forms).enumerate() {
        let list = "let list = []; for i in 0..4000 { list.push([i, `${i}`]); }";
        text += &format!("\nfn example_endless_{number}() {{\n    {list}\n    {form}\n}}\n");
    }
    folder.write(ATTACK, text);
    folder
}

#[test]
fn examples_that_never_end_share_one_deadline() {
    let folder = endless();
    for command in [&["test"][..], &["test", "--format", "json"], &["coverage"]] {
        let start = Instant::now();
        let run = folder.run(&[command, &["--limit", "2"]].concat());
        assert!(start.elapsed() < Duration::from_secs(30), "{command:?}: {:?}", start.elapsed());
        assert!(
            run.terminal_output().contains("untried") || run.terminal_output().contains("--limit SECONDS"),
            "{}",
            run.terminal_output()
        );
        assert_eq!(run.status == Some(1), command[0] == "test", "{}", run.terminal_output());
    }
}

#[test]
fn a_check_without_time_says_so() {
    let folder = Folder::skirmish();
    let run = folder.run(&["check", "--limit", "0"]);
    assert!(run.status == Some(1) && run.out.contains("the time was up before everything was checked"), "{}", run.terminal_output());
    assert_eq!(folder.run(&["check"]).status, Some(0));
}

/// A file full of faults: the first thousand are shown, and how many more there are.
#[test]
fn complaints_of_a_file_are_bounded() {
    let folder = Folder::skirmish();
    let table = "tables/skirmish/combat.yaml";
    let text = folder.read(table);
    let lines: String = (0..60_000).map(|n| format!("  - 1:{}\n", n % 50)).collect();
    folder.write(table, format!("{text}\nextra:\n{lines}"));
    let start = Instant::now();
    let all = folder.run(&["check", "--format", "json"]).json();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    let list: Vec<&serde_json::Value> =
        all["complaints"].as_array().expect("a list").iter().filter(|one| one["place"]["path"] == table).collect();
    assert_eq!(list.len(), 1_001);
    let last = list[1_000]["what"].as_str().unwrap_or_default();
    assert!(last.contains("more complaints of this file are left out") && list[1_000]["law"] == "limit", "{last}");
    let more: usize = last.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    assert!((58_000..62_000).contains(&more), "{more}");
    // All on one line, which each complaint shows a part of.
    for line in [format!("{{{}}}", vec!["a: 1"; 100_000].join(", ")), format!("[{}]", vec!["ä 1:1"; 100_000].join(", "))] {
        folder.write(table, format!("{text}\nextra: {line}\n"));
        let start = Instant::now();
        assert_eq!(folder.run(&["check"]).status, Some(1));
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    }
}

/// One budget for counts and for runs; what ends by it names it, and how to raise it.
#[test]
fn memory_is_one_limit_for_all() {
    let folder = Folder::skirmish();
    let lines = "let long = \"x\"; while long.len() < 16000 { long += long; }\n    let all = []; for n in 0..3000 { all.push(`${n} ${long}`); if all.len() > 99 { record(#{ list: all }); all = []; } }\n";
    folder.write(ATTACK, folder.read(ATTACK).replace("    step(\"Attack\");\n", &format!("    step(\"Attack\");\n    {lines}")));
    let small = folder.run(&["resolve", "bridge", "--memory", "32M"]);
    assert!(
        small.status == Some(1) && small.err.contains("more than 32 MB of memory") && small.err.contains("--memory 64M"),
        "{}",
        small.terminal_output()
    );
    folder.run(&["resolve", "bridge"]).expect_success();
    folder.run(&["--memory", "1G", "resolve", "bridge"]).expect_success();
}
