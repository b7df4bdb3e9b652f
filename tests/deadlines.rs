//! A command has one deadline for all its threads, one budget of memory, and says what it left out and how to raise the limit.

use crate::common::server::Served;
use crate::common::{Folder, Items, Says};
use std::time::{Duration, Instant};

const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";

/// A game whose examples never end, with every form of loop.
fn endless() -> Folder {
    let folder = Folder::skirmish();
    // Each iteration takes so long that the deadline ends it, not the limit of steps.
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
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{command:?}: {:?}",
            start.elapsed()
        );
        assert!(
            run.terminal_output().contains("untried")
                || run.terminal_output().contains("--limit SECONDS"),
            "{}",
            run.terminal_output()
        );
        assert_eq!(
            run.status == Some(1),
            command[0] == "test",
            "{}",
            run.terminal_output()
        );
    }
}

#[test]
fn a_check_without_time_says_so() {
    let folder = Folder::skirmish();
    let run = folder.run("check --limit 0");
    run.ends(1);
    run.out
        .holds("the time ran out before everything was checked");
    assert_eq!(folder.run("check").status, Some(0));
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
    let complaints = folder.run("check --format json").json();
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "{:?}",
        start.elapsed()
    );
    let list: Vec<&serde_json::Value> = complaints["complaints"]
        .items()
        .filter(|one| one["place"]["path"] == table)
        .collect();
    assert_eq!(list.len(), 1_001);
    let last = list[1_000]["what"].as_str().unwrap_or_default();
    assert!(list[1_000]["code"] == "limit", "{last}");
    last.holds("more complaints of this file are left out");
    let more_count: usize = last
        .split(' ')
        .next()
        .and_then(|number| number.parse().ok())
        .expect("a number");
    assert!((58_000..62_000).contains(&more_count), "{more_count}");
    // All on one line, which each complaint shows a part of.
    for line in [
        format!("{{{}}}", vec!["a: 1"; 100_000].join(", ")),
        format!("[{}]", vec!["ä 1:1"; 100_000].join(", ")),
    ] {
        folder.write(table, format!("{text}\nextra: {line}\n"));
        let start = Instant::now();
        assert_eq!(folder.run("check").status, Some(1));
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{:?}",
            start.elapsed()
        );
    }
}

/// Counts and runs share one memory limit; the message names it and says how to raise it.
#[test]
fn memory_is_one_limit_for_all() {
    let folder = Folder::skirmish();
    let lines = "let long = \"x\"; while long.len() < 16000 { long += long; }\n    let all = []; for n in 0..3000 { all.push(`${n} ${long}`); if all.len() > 99 { record(#{ list: all }); all = []; } }\n";
    folder.write(
        ATTACK,
        folder.read(ATTACK).replace(
            "    step(\"Attack\");\n",
            &format!("    step(\"Attack\");\n    {lines}"),
        ),
    );
    let small = folder.run("resolve bridge --memory 32M");
    small.ends(1);
    small.err.holds("more than 32 MB of memory");
    small.err.holds("--memory 64M");
    folder.ok("resolve bridge");
    folder.ok("--memory 1G resolve bridge");
}

/// A game in which one face of the first die leads to a run that takes more than it may.
fn one_long_path(work: &str) -> Folder {
    let folder = Folder::skirmish();
    let long = "let long = \"x\"; while long.len() < 16000 { long += long; }";
    let first = format!(
        "let die = roll(\"1d6\", \"first\");\n    result(\"die\", die);\n    if die == 6 {{ {long} let list = []; {work} }}\n"
    );
    folder.write(
        ATTACK,
        folder.read(ATTACK).replace(
            "    step(\"Attack\");\n",
            &format!("    step(\"Attack\");\n    {first}"),
        ),
    );
    folder
}

/// A run that exceeds the limits of a count ends it: the counted part is kept, and the error covers the rest.
#[test]
fn a_run_that_takes_too_much_does_not_lose_the_count() {
    let time = "for i in 0..4000 { list.push([i, `${i}`]); } while true { distinct(list); }";
    let memory = "for n in 0..100000 { list.push(`${n} ${long}`); if list.len() > 99 { record(#{ list: list }); list = []; } }";
    for (work, limits, ended, remedy) in [
        (time, ["--limit", "8"], "time", "more-time"),
        (memory, ["--memory", "64M"], "memory", "more-memory"),
    ] {
        let folder = one_long_path(work);
        let start = Instant::now();
        let odds = folder.json(&[&["odds", "bridge", "--format", "json"], &limits[..]].concat());
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{:?}",
            start.elapsed()
        );
        assert!(
            odds["ended"] == ended && odds["remedy"]["code"] == remedy,
            "{odds:#}"
        );
        assert!(
            (odds["seen"].as_f64().expect("a share") - 5.0 / 6.0).abs() < 1e-9,
            "{odds:#}"
        );
        let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
        let die = list(&odds["outcomes"])
            .into_iter()
            .find(|one| one["outcome"] == "die")
            .expect("the die is named");
        let counted: Vec<String> = list(&die["values"])
            .iter()
            .map(|value| value["counted"].to_string())
            .collect();
        assert_eq!(
            counted
                .iter()
                .filter(|counted| *counted == "\"1/6\"")
                .count(),
            5,
            "{die:#}"
        );
        // The sixth face has no known outcome.
        assert!(
            list(&die["values"])
                .iter()
                .all(|value| value["error"].as_f64().is_some_and(|error| error > 16.0)),
            "{die:#}"
        );
    }
}

/// If every path takes too long, the complaint names the place that took the time.
#[test]
fn a_count_of_nothing_but_long_runs_says_where_they_are() {
    let folder = one_long_path("");
    folder.write(
        ATTACK,
        folder.read(ATTACK).replace(
            "if die == 6 {",
            "if die > 0 { let all = []; for i in 0..4000 { all.push([i, `${i}`]); } while true { distinct(all); }",
        ),
    );
    let run = folder.run("odds bridge --limit 3");
    run.ends(1);
    run.err.holds("1.1-attack.rhai");
    run.err.holds("did not end in time");
    // A page asks again with more time, and names no file meanwhile.
    let served = Served::start(&folder.0);
    let page = served.page_text("/at/skirmish/bridge?part=odds");
    page.holds("Counting…");
    page.lacks("attack.rhai");
}

/// A throw of more hands than can be listed is sampled, beside what was counted.
#[test]
fn a_throw_of_too_many_outcomes_is_sampled() {
    let folder = Folder::skirmish();
    let first = "let die = roll(\"1d6\", \"first\");\n    result(\"die\", die);\n    if die == 6 { result(\"best\", distinct(faces(\"12d20\", \"many\"))[0]); }\n";
    folder.write(
        ATTACK,
        folder.read(ATTACK).replace(
            "    step(\"Attack\");\n",
            &format!("    step(\"Attack\");\n    {first}"),
        ),
    );
    let odds = folder.json("odds bridge --limit 4");
    assert!(
        odds["ended"] == "outcomes" && odds["complete"] == false,
        "{odds:#}"
    );
    assert!(
        (odds["seen"].as_f64().expect("a share") - 5.0 / 6.0).abs() < 1e-9,
        "{odds:#}"
    );
    let best = odds["outcomes"]
        .items()
        .find(|one| one["outcome"] == "best")
        .expect("it is named");
    assert!(
        best["values"]
            .as_array()
            .is_some_and(|values| values.iter().any(|value| value["value"] == "20")),
        "{best:#}"
    );
    let text = folder.out("odds bridge --limit 4");
    text.holds("more outcomes than there is");
}

/// A trial of a change that has no time does not know what moves, which its exit status says; one that is stopped keeps nothing.
#[cfg(unix)]
#[test]
fn a_trial_that_is_cut_short_decides_and_keeps_nothing() {
    use std::process::{Command, Stdio};
    let folder = Folder::skirmish();
    let args = ["what-if", "bridge", "--cell", "combat 1:1 6 = 0/9"];
    let run = folder.run(&[&args[..], &["--limit", "0"]].concat());
    run.ends(3);
    run.out.to_lowercase().holds("not decided");
    let long = "let sum = 0; for n in 0..3000 { sum += roll(\"1d6\", \"more\") * n % 7; }";
    folder.replace(
        ATTACK,
        "    let die = ",
        &format!("    {long}\n    result(\"sum\", sum);\n    let die = "),
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_casebook"));
    let child = child
        .args(args)
        .args(["--limit", "500", "--keep", "mine"])
        .current_dir(&folder.0)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("a signal is sent").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    said.holds("nothing was written");
    assert!(!folder.0.join("variants/mine").exists(), "{said}");
}
