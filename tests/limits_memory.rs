//! The memory of a run has one limit for registers, board, trace, outcomes and texts.

mod common;
use casebook::situation::policy::Policies;
use common::limited::{fault, limited};
use common::{Folder, repository};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// The tests run one after the other, so that the memory of each can be measured.
static ONE: Mutex<()> = Mutex::new(());

/// Code for a list of different texts of 32,000 letters each.
const TEXTS: &str = "let long = \"x\"; while long.len() < 16000 { long += long; }";

/// The peak memory of this process in MB, if the system reports it.
fn peak() -> Option<u64> {
    peak_of("self")
}

/// The peak memory of a process in MB.
fn peak_of(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(
        line.trim()
            .strip_suffix(" kB")?
            .trim()
            .parse::<u64>()
            .ok()?
            / 1024,
    )
}

/// The memory limit of the run ends these lines soon after it is exceeded.
fn too_much(lines: &str) {
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let complaint = limited(&format!("    {lines}"), "");
    assert!(
        complaint.message.contains("memory"),
        "{lines}: {complaint:?}"
    );
    assert!(
        peak().is_none_or(|peak| peak < 1_200),
        "{lines}: {:?} MB",
        peak()
    );
}

#[test]
fn lines_and_outcomes_are_bounded() {
    too_much(&format!(
        "{TEXTS} for n in 0..100000 {{ say(`${{n}} ${{long}}`); }}"
    ));
    too_much(&format!(
        "{TEXTS} for n in 0..100000 {{ say(\"{{}}\", [long]); }}"
    ));
    too_much(&format!(
        "{TEXTS} for n in 0..100000 {{ result(`${{n}}`, `${{n}} ${{long}}`); }}"
    ));
    too_much(&format!(
        "{TEXTS} for n in 0..100000 {{ result(\"same\", `${{n}} ${{long}}`); }}"
    ));
    too_much(&format!(
        "{TEXTS} for n in 0..100000 {{ step(`${{n}} ${{long}}`); }}"
    ));
    too_much(
        "let list = []; for i in 0..4000 { list.push(`C${i}`); } for n in 0..20000 { draw(\"all\", list); }",
    );
    too_much(
        "let list = []; for i in 0..4000 { list.push(i); } for n in 0..20000 { choose(given.side, `which ${n}`, list); }",
    );
    too_much(&format!(
        "{TEXTS} for n in 0..100000 {{ roll(\"1d6\", `${{n}} ${{long}}`); }}"
    ));
}

#[test]
fn kept_values_are_bounded() {
    too_much(&format!(
        "{TEXTS} for n in 0..100000 {{ record(#{{ text: `${{n}} ${{long}}` }}); }}"
    ));
    too_much(&format!(
        "{TEXTS} let keep = []; for n in 0..100000 {{ let text = `${{n}} ${{long}}`; let f = || text; keep = [f]; }}"
    ));
    too_much(&format!(
        "{TEXTS} let one = []; for n in 0..100 {{ one.push(`${{n}} ${{long}}`); }} \
         for n in 0..1000 {{ let other = []; for text in one {{ other.push(text + n); }} record(#{{ list: other }}); }}"
    ));
}

/// Values held by calls that wait for others count too.
#[test]
fn waiting_calls_are_bounded() {
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let deep = "\nprivate fn deeper(n, long) {\n    let a = []; let b = []; let c = []; let d = [];\n    for i in 0..120 {\n        a.push(`${i} ${n} a ${long}`);\n        b.push(`${i} ${n} b ${long}`);\n        c.push(`${i} ${n} c ${long}`);\n        d.push(`${i} ${n} d ${long}`);\n    }\n    deeper(n + 1, long);\n    a.len() + b.len() + c.len() + d.len()\n}\n";
    let complaint = limited(&format!("    {TEXTS} deeper(1, long);"), deep);
    assert!(complaint.message.contains("memory"), "{complaint:?}");
    assert!(peak().is_none_or(|peak| peak < 1_200), "{:?} MB", peak());
}

/// An operation with a large result is checked before it runs.
#[test]
fn texts_are_bounded_before_they_are_made() {
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let before = peak();
    for lines in [
        format!("{TEXTS} let text = long; text.replace(\"x\", long);"),
        format!("{TEXTS} let text = long; text.replace(\"\", long);"),
        format!("{TEXTS} let list = []; for n in 0..4000 {{ list.push(long); }}"),
        format!(
            "{TEXTS} let list = []; for n in 0..200 {{ list.push(long); }} list = [list, list, list]; list = [list, list, list]; list.to_string();"
        ),
        format!("{TEXTS} let list = []; for n in 0..200 {{ list.push(long); }} let text = `${{list}}`;"),
        format!("{TEXTS} let list = []; for n in 0..200 {{ list.push(long); }} names(list);"),
        format!("{TEXTS} let map = #{{}}; for n in 0..4000 {{ map[`${{n}} ${{long}}`] = n; }}"),
        "let list = [1]; while list.len() < 2000 { list += list; } list = [list, list, list, list, list, list]; list.to_string();".into(),
    ] {
        let complaint = limited(&format!("    {lines}"), "");
        assert!(complaint.message.contains("is too large"), "{lines}: {complaint:?}");
    }
    assert!(
        before
            .zip(peak())
            .is_none_or(|(before, peak)| peak < before.max(300) + 150),
        "{before:?} and then {:?} MB",
        peak()
    );
}

/// A notation of dice is short, whatever it says.
#[test]
fn dice_are_short() {
    let complaint = fault(
        &format!("    roll(\"1d6+{}1\", \"long\");", "0".repeat(150)),
        "",
        Policies::default(),
    );
    assert_eq!(
        complaint.code,
        casebook::DiagnosticCode::Notation,
        "{complaint:?}"
    );
}

/// Freed values don't count.
#[test]
fn freed_memory_is_not_counted() {
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let complaint = fault(
        &format!(
            "    {TEXTS} let text = \"\"; for n in 0..60000 {{ text = `${{n}} ${{long}}`; }} let none = []; none[5];"
        ),
        "",
        Policies::default(),
    );
    assert_eq!(
        complaint.code,
        casebook::DiagnosticCode::Running,
        "{complaint:?}"
    );
}

/// A battle of two kinds of units, written as somebody writes it who knows nothing of states: each round throws all dice by their faces.
const MIXED_BATTLE: &str = r#"fn battle(given) {
    let guns = [given.attackers / 3, given.defenders / 3];
    let foot = [given.attackers - guns[0], given.defenders - guns[1]];
    let round = 0;
    while foot[0] + guns[0] > 0 && foot[1] + guns[1] > 0 {
        round += 1;
        let hits = [hits_of(foot[0], guns[0], `attack ${round}`), hits_of(foot[1], guns[1], `defence ${round}`)];
        for side in 0..2 {
            let first = min(hits[1 - side], foot[side]);
            foot[side] -= first;
            guns[side] -= min(guns[side], hits[1 - side] - first);
        }
    }
    result("foot left", foot[0] + foot[1]);
    result("guns left", guns[0] + guns[1]);
}

fn hits_of(foot, guns, what) {
    let hits = 0;
    if foot > 0 { let thrown = faces(`${foot}d6`, what + " foot"); hits += thrown.where(|die| die == 6).len(); }
    if guns > 0 { let thrown = faces(`${guns}d6`, what + " guns"); hits += thrown.where(|die| die >= 5).len(); }
    hits
}
"#;

/// An attack that keeps all dice that it throws, so that no two of its states are equal.
const KEPT_DICE: &str = r#"fn attack(given) {
    let kept = [];
    for round in 0..2000 { kept.push(faces("7d12", "a" + round)); }
    let best = 0;
    for hand in kept { best = max(best, hand[0] * hand[1] + hand[6]); for die in hand { if die == 13 { best += 1; } } }
    result("best", best);
}

"#;

/// A folder with a battle of 14 against 11 units.
fn mixed_battle() -> Folder {
    let folder = Folder::copy_of(&repository().join("tests/risk"), &["rules", "scenarios"]);
    let case = "rules/risk/01-battle/1.1-battle.rhai";
    let text = folder.read(case);
    let (head, _) = text.split_once("fn battle(given) {").expect("the battle");
    folder.write(case, format!("{head}{MIXED_BATTLE}"));
    folder.write(
        "scenarios/risk/battle.yaml",
        folder.read("scenarios/risk/battle.yaml").replace(
            "attackers: 10, defenders: 10",
            "attackers: 14, defenders: 11",
        ),
    );
    folder
}

/// A folder with an attack that keeps its dice.
fn kept_dice() -> Folder {
    let folder = Folder::copy_of(
        &repository().join("tests/skirmish"),
        &["rules", "scenarios", "tables"],
    );
    let case = "rules/skirmish/01-battle/1.1-attack.rhai";
    let text = folder.read(case);
    let (head, tail) = text.split_once("fn attack(given) {").expect("the attack");
    let (_, examples) = tail.split_once("/// 1.1 stated").expect("the examples");
    folder.write(case, format!("{head}{KEPT_DICE}/// 1.1 stated{examples}"));
    folder
}

/// Counts with the program, which keeps within a fifth of `--memory`; returns what it prints, on one line.
fn count_within_memory(folder: &Folder, situation: &str, megabytes: u64, seconds: u64) -> String {
    let (text, peak) = count_with(folder, situation, megabytes, seconds);
    assert!(
        peak.is_none_or(|peak| peak <= megabytes * 6 / 5),
        "{situation} with {megabytes} MB: {peak:?} MB\n{text}"
    );
    text
}

/// Counts with the program; returns what it prints, on one line, and its peak memory in MB.
fn count_with(
    folder: &Folder,
    situation: &str,
    megabytes: u64,
    seconds: u64,
) -> (String, Option<u64>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_casebook"))
        .args([
            "odds",
            situation,
            "--limit",
            &seconds.to_string(),
            "--memory",
            &format!("{megabytes}M"),
        ])
        .current_dir(&folder.0)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut peak = None;
    while child.try_wait().expect("it can be waited for").is_none() {
        peak = peak_of(&child.id().to_string()).max(peak);
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("it has ended");
    let text = String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(output.status.success(), "{text}");
    (text, peak)
}

/// The program keeps within a fifth of `--memory`, whatever a count holds, and says that it was the memory that ended it.
#[test]
fn a_count_keeps_within_the_memory_of_the_process() {
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = mixed_battle();
    // An unoptimised program takes long to fill more.
    for limit in [64, 80] {
        let text = count_within_memory(&folder, "battle", limit, 60);
        assert!(
            text.contains("ended because its memory"),
            "{limit} MB: {text}"
        );
    }
}

/// A state may have tens of thousands of branches, and each of these as many of its own.
#[test]
fn a_count_of_wide_throws_keeps_within_the_memory_of_the_process() {
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = kept_dice();
    for (limit, seconds) in [(64, 10), (256, 30)] {
        count_within_memory(&folder, "bridge", limit, seconds);
    }
}

/// What is done with a count afterwards may take as much again and some 150M, as the help says: here hardly two results are equal.
#[test]
fn what_follows_a_count_takes_what_the_help_says() {
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = kept_dice();
    let all = "    result(\"best\", kept.map(|hand| hand[0]));";
    let case = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.replace(case, "    result(\"best\", best);", all);
    folder.replace(
        case,
        "0..2000 { kept.push(faces(\"7d12\"",
        "0..12 { kept.push(faces(\"1d6\"",
    );
    folder.replace(case, "hand[0] * hand[1] + hand[6]", "hand[0]");
    let (text, peak) = count_with(&folder, "bridge", 64, 30);
    assert!(text.contains("ended because its memory"), "{text}");
    assert!(
        peak.is_none_or(|peak| peak <= 2 * 64 + 150),
        "{peak:?} MB\n{text}"
    );
}

#[test]
#[ignore = "takes minutes"]
fn counts_keep_within_a_gigabyte() {
    let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    count_within_memory(&kept_dice(), "bridge", 1_024, 200);
    count_within_memory(&mixed_battle(), "battle", 1_024, 400);
}
