//! Safety of files that are written, of files that are read, and of terminal output.
#![cfg(unix)]

use crate::common::server::Served;
use crate::common::{Folder, Says};
#[cfg(debug_assertions)]
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::Duration;

const SAVE_ARGS: [&str; 3] = ["resolve", "bridge", "--save"];

/// Saving to the path is refused with this reason, and nothing changes.
fn assert_refused(folder: &Folder, path: &str, why: &str) {
    let before = folder.file_times();
    let run = folder.run(&[&SAVE_ARGS[..], &[path]].concat());
    run.ends(2);
    run.err.holds(why);
    assert_eq!(folder.file_times(), before, "nothing was written");
}

// Saving

/// A save does not follow or replace a link at the name of its temporary file.
#[test]
fn a_save_follows_no_link() {
    let folder = Folder::skirmish();
    folder.write("precious", "of worth");
    symlink("precious", folder.0.join("x.part")).expect("a link");
    folder.ok(&[&SAVE_ARGS[..], &["x.yaml"]].concat());
    assert_eq!(folder.read("precious"), "of worth");
    folder.read("x.yaml").holds("journal: ");
    symlink("precious", folder.0.join("y.yaml")).expect("a link");
    assert_refused(&folder, "y.yaml", "link");
    assert_eq!(folder.read("precious"), "of worth");
}

#[test]
fn a_save_replaces_journals_alone() {
    let folder = Folder::skirmish();
    folder.write("letter.txt", "Dear Jane,\n");
    assert_refused(&folder, "letter.txt", "not a journal");
    assert_refused(&folder, "scenarios", "folder");
    assert_refused(&folder, "/dev/null", "device");
    assert!(
        Command::new("mkfifo")
            .arg(folder.0.join("pipe"))
            .status()
            .expect("mkfifo runs")
            .success()
    );
    assert_refused(&folder, "pipe", "pipe");
    folder.ok(&[&SAVE_ARGS[..], &["x.yaml", "--seed", "2"]].concat());
    folder.ok(&[&SAVE_ARGS[..], &["x.yaml", "--seed", "3"]].concat());
    std::fs::set_permissions(
        folder.0.join("x.yaml"),
        std::os::unix::fs::PermissionsExt::from_mode(0o444),
    )
    .expect("permissions");
    assert_refused(&folder, "x.yaml", "may not be written");
}

/// Concurrent saves don't mix, and leave no temporary files.
#[test]
fn saves_side_by_side_keep_apart() {
    let folder = Folder::skirmish();
    let run = |seed: usize| {
        let (ending, seed) = (["yaml", "txt", "journal"][seed % 3], seed.to_string());
        let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
        command
            .args(SAVE_ARGS)
            .arg(format!("same.{ending}"))
            .args(["--seed", &seed, "--format", "json"]);
        command
            .current_dir(&folder.0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("the binary runs")
    };
    for mut child in (0..24).map(run).collect::<Vec<_>>() {
        assert!(child.wait().expect("the binary ends").success());
    }
    for ending in ["yaml", "txt", "journal"] {
        folder.ok(&["replay", &format!("same.{ending}")]);
    }
    let left: Vec<_> = std::fs::read_dir(&folder.0)
        .expect("the folder")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(left.len(), 4 + 3, "{left:?}");
}

// Laying out

/// Several files are created together or not at all.
#[test]
fn files_are_laid_out_together_or_not_at_all() {
    let folder = Folder::skirmish();
    folder.write("variants/house/rules", "no folder");
    let before = folder.file_times();
    let run = folder.run("new case 2.1 --variant house");
    assert_ne!(run.status, Some(0), "{}", run.terminal_output());
    assert_eq!(folder.file_times(), before, "nothing was written");
    std::fs::remove_file(folder.0.join("variants/house/rules")).expect("the test's own file");
    folder.ok("new case 2.1 --variant house");
    folder.ok("check");
}

// What is printed

/// If the output can't be written, the program says so and ends.
#[test]
fn a_full_disk_ends_it_with_a_word() {
    let folder = Folder::skirmish();
    let full_disk = || {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("the device for this")
    };
    for args in [
        &["resolve", "bridge"][..],
        &["list"],
        &["--help"],
        &["check"],
        &["odds", "bridge"],
        &["explain", "--format", "json"],
    ] {
        let run = folder.run_configured(args, |command| command.stdout(full_disk()));
        assert_eq!(
            (run.status, run.err.as_str()),
            (
                Some(1),
                "error: the output could not be written: there is no room left\n"
            ),
            "casebook {}",
            args.join(" ")
        );
    }
    for args in [&["resolve", "nothing"][..], &["resolve"]] {
        let run = folder.run_configured(args, |command| command.stderr(full_disk()));
        assert!(
            matches!(run.status, Some(1 | 2)) && run.out.is_empty(),
            "{}",
            run.terminal_output()
        );
    }
}

/// Control characters in data, names and arguments reach the terminal only in escaped form.
#[test]
fn control_characters_are_written_out() {
    let folder = Folder::skirmish();
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "title: ",
        "title: \"\\e]0;owned\\a\\u009b31m\\u202e\" #",
    );
    folder.write("tables/skirmish/\u{1b}[31mred.yaml", "table: red");
    folder.write(
        "tables/skirmish/odd.yaml",
        "table: \"\\e[31modd\"\ntitle: \u{9b}31m",
    );
    folder.write("journal.yaml", "journal: 2\ngame: \"\\e[31m\"\nsituation: \"\\e[32m\"\nwith: [\"\\e[33m\"]\ndice: []\nresults: {}\n");
    folder.write(
        "rules/skirmish/01-battle/9.9-\u{7}.rhai",
        "//! case: \"\\e[31m9.9\"\nfn \u{1b}x() { \"\u{1b}[31m\" }",
    );
    for args in [
        &["resolve", "bridge"][..],
        &[
            "resolve",
            "bridge",
            "--trace",
            "--choose",
            "Red\u{1b}[31m: x=y",
        ],
        &["replay", "journal.yaml"],
        &["list"],
        &["check"],
        &["show", "bridge"],
        &["show", "\u{1b}[31m"],
        &["test"],
        &["coverage"],
        &["new", "variant", "\u{1b}c"],
        &["\u{1b}[31m"],
        &["--data", "\u{1b}[31m", "list"],
    ] {
        for format in ["text", "json"] {
            let run = folder.run(&[args, &["--format", format]].concat());
            let odd = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!run.out.contains(odd));
            assert!(!run.err.contains(odd));
            if format == "json" && !run.out.is_empty() {
                run.json();
            }
        }
    }
    folder
        .run(&["resolve", "\u{1b}[31m"])
        .err
        .holds("\\u001b[31m");
}

/// The output at a terminal, with an environment variable set.
fn terminal_output(folder: &Folder, args: &str, set: (&str, &str)) -> String {
    let typed = format!("{} {args}", env!("CARGO_BIN_EXE_casebook"));
    let output = Command::new("script")
        .args(["-qec", &typed, "/dev/null"])
        .current_dir(&folder.0)
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .env(set.0, set.1)
        .stdin(Stdio::null())
        .output()
        .expect("`script` gives it a terminal");
    String::from_utf8(output.stdout).expect("what is printed is UTF-8")
}

#[test]
fn colours_are_shown_where_they_are_wanted() {
    let folder = Folder::skirmish();
    terminal_output(&folder, "resolve bridge", ("LANG", "C")).holds("\u{1b}[1m");
    for set in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        assert!(
            !terminal_output(&folder, "resolve bridge", set).contains('\u{1b}'),
            "{set:?}"
        );
    }
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "title: ",
        "title: \"\\e]0;owned\\a\" #",
    );
    terminal_output(&folder, "resolve bridge", ("LANG", "C")).lacks("\u{1b}]");
}

/// From 20 columns up no line is longer than the terminal, and from 40 on no word is broken that would fit.
#[test]
fn text_fits_the_terminal() {
    let folder = Folder::empty();
    for columns in ["20", "33", "60", "80", "132"] {
        let max: usize = columns.parse().expect("a number");
        for args in [
            &["resolve", "lee-attacks-porter", "--trace"][..],
            &["list", "--game", "wbts"],
            &["show", "8.16"],
            &["show", "combat-results"],
            &["odds", "leader-wounded", "--exact"],
            &["resolve", "nothing"],
            &["explain"],
        ] {
            let run = folder.run_configured(args, |command| command.env("COLUMNS", columns));
            let long = run
                .out
                .lines()
                .chain(run.err.lines())
                .find(|line| line.chars().count() > max);
            assert_eq!(
                long,
                None,
                "casebook {} in {columns} columns",
                args.join(" ")
            );
        }
    }
    let at_80 = folder
        .run_configured("resolve lee-attacks-porter", |command| {
            command.env("COLUMNS", "80")
        })
        .expect_success()
        .out;
    let cited = at_80
        .lines()
        .find(|line| line.ends_with("[8.3; leader-numbers]"))
        .expect("a line that cites");
    assert!(
        cited.starts_with("  Lee") && cited.chars().count() == 80,
        "citations stand at the edge:\n{at_80}"
    );
}

/// Without enough memory to start, the program says so.
#[test]
fn too_little_memory_is_said() {
    let folder = Folder::skirmish();
    let reports_it = |limit: &&str| {
        let limited = format!(
            "ulimit -v {limit}; exec {} resolve bridge",
            env!("CARGO_BIN_EXE_casebook")
        );
        let output = Command::new("sh")
            .args(["-c", &limited])
            .current_dir(&folder.0)
            .output()
            .expect("a shell");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        // If the first stack can't grow, the system ends the program before it can print.
        assert!(
            output.status.code().is_none()
                || (output.status.code() == Some(1) && message.contains("no memory")),
            "{limit}: {message}"
        );
        output.status.code().is_some()
    };
    // That happens within a range of 2 MB, so at one of these limits at most.
    assert!(
        ["150000", "170000", "190000"]
            .into_iter()
            .filter(reports_it)
            .count()
            >= 2
    );
}

#[test]
fn what_is_no_place_for_a_site_is_said_first() {
    let folder = Folder::skirmish();
    let refused = |args: &[&str], why: &str| {
        let run = folder.run(&[&["site"], args].concat());
        assert!(run.status != Some(0), "{args:?}: {}", run.err);
        run.err.holds(why);
    };
    refused(&["--out", "rules"], "there are other files in this folder");
    refused(&["--out", "rules/skirmish/game.yaml"], "game.yaml");
    refused(&["--out", "site", "--with", "erata"], "did you mean");
    refused(
        &["--out", "site", "--base", "casebook"],
        "begins and ends with /",
    );
    refused(
        &["--out", "site", "--wasm", "rules/skirmish/game.yaml"],
        "this is not WebAssembly",
    );
    refused(&["--out", "site", "--wasm", "nowhere"], "nowhere");
}

// Reading

/// Pipes, devices and links out of the data folder are reported, and never opened.
#[test]
fn odd_files_are_complained_of() {
    let folder = Folder::skirmish();
    let elsewhere = Folder::empty();
    elsewhere
        .write("secret.yaml", "table: secret\n")
        .write("tables/x.yaml", "table: x\n");
    let at = |path: &str| folder.0.join(path);
    assert!(
        Command::new("mkfifo")
            .arg(at("tables/skirmish/pipe.yaml"))
            .status()
            .expect("mkfifo runs")
            .success()
    );
    symlink("/dev/zero", at("tables/skirmish/zero.yaml")).expect("a link");
    symlink(
        elsewhere.0.join("secret.yaml"),
        at("tables/skirmish/secret.yaml"),
    )
    .expect("a link");
    symlink(elsewhere.0.join("tables"), at("tables/elsewhere")).expect("a link");
    symlink("nowhere", at("tables/skirmish/nowhere.yaml")).expect("a link");
    symlink(".", at("rules/round")).expect("a link");
    std::fs::create_dir(at("scenarios/closed")).expect("the test's own folder");
    folder.write(
        "tables/skirmish/seen.yaml",
        "table: seen\ntitle: \u{1b}[31m\n",
    );
    let run = folder.run("check");
    run.ends(1);
    let expected = [
        ("tables/skirmish/pipe.yaml", "a pipe"),
        ("tables/skirmish/zero.yaml", "leads out"),
        ("tables/skirmish/secret.yaml", "leads out"),
        ("tables/elsewhere", "leads out"),
        ("tables/skirmish/nowhere.yaml", "nowhere"),
        (
            "tables/skirmish/seen.yaml",
            "line 2 holds a character that can't be seen, \\u001b",
        ),
        ("rules/round", "leads back to a folder that it is in"),
    ];
    for (path, expected_text) in expected {
        let blocks: Vec<&str> = run
            .out
            .split("\n\n")
            .filter(|block| block.contains(path))
            .collect();
        assert!(
            blocks.iter().any(|block| block.contains(expected_text)),
            "{path}: no `{expected_text}` in\n{}",
            run.out
        );
    }
    assert!(
        !run.out.contains("secret of"),
        "nothing of it was read:\n{}",
        run.out
    );
    folder.ok("resolve bridge");
    let pipe = at("tables/skirmish/pipe.yaml")
        .to_string_lossy()
        .into_owned();
    assert_eq!(
        folder.run(&["replay", &pipe]).status,
        Some(1),
        "a journal is a plain file, too"
    );
}

/// A second document, tags and anchors are reported.
#[test]
fn yaml_beyond_ours_is_complained_of() {
    let folder = Folder::skirmish();
    let table = folder.read("tables/skirmish/combat.yaml");
    for (text, expected_message) in [
        (
            format!("{table}---\ntable: other\n"),
            "a second document begins here",
        ),
        (
            table.replacen("table: combat", "table: !!str combat", 1),
            "tags such as",
        ),
        (
            table.replacen("table: combat", "table: &name combat", 1),
            "anchors",
        ),
        (
            table.replacen("title: ", "title: \"\\e[31m\" #", 1),
            "can't be seen",
        ),
    ] {
        folder.write("tables/skirmish/combat.yaml", text);
        let run = folder.run("check");
        run.ends(1);
        run.out.holds(expected_message);
    }
}

/// A game that can't be read is named where games are listed.
#[test]
fn a_broken_manifest_is_not_passed_over() {
    let folder = Folder::skirmish();
    folder.write("rules/skirmish/game.yaml", "game: [\n");
    for args in [
        &["list"][..],
        &["coverage"],
        &["list", "--format", "json"],
        &["coverage", "--format", "json"],
    ] {
        let run = folder.run(args);
        run.ends(1);
        format!("{}{}", run.out, run.err).holds("rules/skirmish/game.yaml");
    }
    let run = folder.run("resolve bridge");
    run.err.holds("rules/skirmish/game.yaml");
}

/// Twice as many faults take twice the time, not four times.
#[test]
fn faults_take_time_in_proportion() {
    let folder = Folder::skirmish();
    let time_check = |count: usize| {
        let keys: String = (0..count).map(|n| format!("odd{n}: 1\n")).collect();
        let pieces: String = (0..count)
            .map(|n| format!("  - {{ name: p{n}, kynd: footman, at: \"0101\" }}\n"))
            .collect();
        folder.write(
            "scenarios/skirmish/keys.yaml",
            format!("situation: keys\ntitle: x\n{keys}pieces:\n{pieces}"),
        );
        let start = std::time::Instant::now();
        let complaints = folder.run("check --format json").json()["complaints"]
            .as_array()
            .map_or(0, Vec::len);
        assert!(complaints > (2 * count).min(1_000), "{complaints}");
        start.elapsed()
    };
    let (few, many) = (time_check(300), time_check(3_000));
    // Ten times as many, with tolerance for a busy computer.
    assert!(many < few * 30, "300 took {few:?}, 3,000 took {many:?}");
    // A thousand complaints of a file are kept, the first ones shown, and the rest counted.
    let output = folder.run("check").out;
    for part in [
        "8000 more complaints of this file are left out",
        "more complaints `unknown-key`, of 1000 in all",
    ] {
        output.holds(part);
    }
    assert!(output.lines().count() < 3_000, "{}", output.lines().count());
}

/// Ten times as many moves of a journal take ten times the time, not a hundred times.
#[test]
fn journals_take_time_in_proportion() {
    let folder = Folder::skirmish();
    let head = "journal: 2\ngame: skirmish\nsituation: bridge\nwith: []\nseed: 1\nmoves:\n";
    let script = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.replace(
        script,
        "fn attack(given) {",
        "fn attack(given) {\n    for n in 0..10000 { roll(\"1d6\", \"hour\"); }",
    );
    let time_replay = |count: usize| {
        folder.write(
            "x.yaml",
            format!(
                "{head}{}",
                "  - { throw: \"1d6\", for: hour, faces: [3] }\n".repeat(count)
            ),
        );
        let start = std::time::Instant::now();
        folder.ok("replay x.yaml");
        start.elapsed()
    };
    let (few, many) = (time_replay(1_000), time_replay(10_000));
    assert!(many < few * 30, "1,000 took {few:?}, 10,000 took {many:?}");
}

// Where data are found

#[test]
fn data_of_the_folders_above_are_found() {
    let folder = Folder::skirmish();
    let full_output = folder.out("resolve bridge");
    full_output.holds(format!("With the data in {}", folder.0.to_string_lossy()));
    assert_eq!(
        folder.run("resolve bridge --format json").json()["data"],
        *folder.0.to_string_lossy()
    );
    for below in [
        "rules/skirmish/01-battle",
        "variants/errata",
        "variants/errata/rules",
        "scenarios",
        "notes/of/mine",
    ] {
        std::fs::create_dir_all(folder.0.join(below)).expect("the test's own folder");
        let run = folder
            .run_configured("resolve bridge", |command| {
                command.current_dir(folder.0.join(below))
            })
            .expect_success();
        assert_eq!(run.out, full_output, "in {below}");
    }
    let created = folder
        .run_configured("new variant house", |command| {
            command.current_dir(folder.0.join("scenarios"))
        })
        .expect_success();
    assert_eq!(created.out, "../variants/house/variant.yaml\n");
    // What is built in is known.
    Folder::empty()
        .out("resolve lee-attacks-porter")
        .lacks("With the data");
}

#[test]
fn a_game_of_ones_own_hides_no_other() {
    let folder = Folder::skirmish();
    let alone = Folder::empty().out("resolve lee-attacks-porter");
    assert!(folder.out("resolve lee-attacks-porter").starts_with(&alone));
    assert!(
        folder.out("check").starts_with("0 complaints"),
        "what is checked is the folder's own"
    );
    folder.write(
        "variants/house/variant.yaml",
        "variant: house\ntitle: Ours\ngame: wbts\n",
    );
    folder.out("list --game wbts").holds("house");
    folder.out("check").lacks("error");
}

#[test]
fn what_one_game_lacks_is_found_in_another() {
    let folder = Folder::empty();
    let hardy = folder.out("list --with hardy");
    hardy.holds("hardy");
    hardy.lacks("banasik");
    folder.out("show 8.16 --with hardy").holds("8.16");
    folder.out("show 8.16").holds("8.16");
    let run = folder.run("list --with hardi");
    run.ends(2);
    run.err.holds("did you mean `hardy`?");
    let run = folder.run("resolve lee");
    run.err.holds("lee-attacks-porter");
    run.err.lacks("fleet");
}

/// Files of one command appear together: a process that is killed while writing leaves none.
#[test]
fn new_files_come_all_or_none() {
    let empty_folder = Folder::empty();
    empty_folder.ok("new game mine");
    let is_complete = |folder: &Folder| folder.run("list --game mine").status == Some(0);
    for n in 0..24 {
        let folder = Folder::empty();
        let mut child = Command::new(env!("CARGO_BIN_EXE_casebook"))
            .args(["new", "game", "mine"])
            .current_dir(&folder.0)
            .stdout(Stdio::null())
            .spawn()
            .expect("it runs");
        std::thread::sleep(Duration::from_micros(700 * n));
        let _ = child.kill();
        let _ = child.wait();
        if !is_complete(&folder) {
            folder.ok("new game mine");
        }
        folder.ok("check");
        assert_eq!(
            folder.read("rules/mine/game.yaml"),
            empty_folder.read("rules/mine/game.yaml")
        );
        assert!(!folder.0.join(".casebook-unfinished").exists());
    }
}

/// Writes the list of an unfinished write as the program does: under the seal of its own file.
fn write_list(folder: &Folder, list: &serde_json::Value) {
    use std::os::unix::fs::MetadataExt;
    let path = folder.0.join(".casebook-unfinished");
    folder.write(".casebook-unfinished", "");
    let meta = path.metadata().expect("the list");
    let born = meta
        .created()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map(|time| time.as_nanos().to_string());
    folder.write(
        ".casebook-unfinished",
        format!(
            "casebook {} {}\n{list}",
            meta.ino(),
            born.unwrap_or_default()
        ),
    );
}

/// A list that came with a folder names files of others: none is hidden or removed, and it is reported.
#[test]
fn a_foreign_list_removes_nothing() {
    let (folder, elsewhere) = (Folder::skirmish(), Folder::empty());
    elsewhere.write("notes.txt", "known text");
    symlink(&elsewhere.0, folder.0.join("link")).expect("a link");
    let table = "tables/skirmish/combat.yaml";
    let list = serde_json::json!({ "link/notes.txt": [null, "known text"], "../x/notes.txt": [null, "known text"], table: [null, folder.read(table)] });
    for text in [
        list.to_string(),
        format!("casebook 1 1\n{list}"),
        format!("casebook\n{list}"),
        "casebook".into(),
        "{".into(),
    ] {
        folder.write(".casebook-unfinished", &text);
        let run = folder.run("new variant mine");
        run.ends(2);
        run.err.holds(".casebook-unfinished");
        folder.run("check").out.holds(".casebook-unfinished");
        folder.ok("resolve bridge");
        assert_eq!(
            (
                elsewhere.read("notes.txt").as_str(),
                folder.read(".casebook-unfinished")
            ),
            ("known text", text)
        );
        assert!(folder.0.join(table).exists() && !folder.0.join("variants/mine").exists());
    }
    // Nor does one of this program lead out by a link that was put in its way since.
    write_list(&folder, &list);
    folder.ok("new variant mine");
    assert_eq!(elsewhere.read("notes.txt"), "known text");
}

/// Whatever stands where the list is looked for, no command waits for it or is filled by it.
#[test]
fn the_list_is_a_plain_file() {
    let folder = Folder::skirmish();
    let path = folder.0.join(".casebook-unfinished");
    let put: [&dyn Fn(); 4] = [
        &|| {
            assert!(
                Command::new("mkfifo")
                    .arg(&path)
                    .status()
                    .expect("mkfifo runs")
                    .success()
            )
        },
        &|| symlink("/dev/zero", &path).expect("a link"),
        &|| {
            std::fs::File::create(&path)
                .and_then(|file| file.set_len(3 << 30))
                .expect("a sparse file")
        },
        &|| std::fs::create_dir(&path).expect("a folder"),
    ];
    for put in put {
        put();
        let limited = format!(
            "ulimit -v 3000000; exec timeout 60 {} new variant mine",
            env!("CARGO_BIN_EXE_casebook")
        );
        let run = Command::new("sh")
            .args(["-c", &limited])
            .current_dir(&folder.0)
            .output()
            .expect("a shell");
        assert_eq!(
            run.status.code(),
            Some(2),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        folder.ok("resolve bridge");
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
    }
    folder.ok("new variant mine");
}

/// A file that is named on the command line is a plain one, too, and of a size that fits its kind.
#[test]
fn named_files_are_plain_and_bounded() {
    let folder = Folder::skirmish();
    assert!(
        Command::new("mkfifo")
            .arg(folder.0.join("pipe"))
            .status()
            .expect("mkfifo runs")
            .success()
    );
    std::fs::File::create(folder.0.join("large"))
        .and_then(|file| file.set_len(3 << 30))
        .expect("a sparse file");
    for file in ["pipe", "/dev/zero", "large"] {
        for args in [
            &["merge", file][..],
            &["site", "--out", "site", "--wasm", file],
            &["replay", file],
            &["unpack", file],
            &["new", "table", "t", "--variant", "mine", "--from", file],
            &["import", file],
            &["new", "map", "--module", file, "--like", "bridge"],
        ] {
            let limited = format!(
                "ulimit -v 3000000; exec timeout 60 {} {}",
                env!("CARGO_BIN_EXE_casebook"),
                args.join(" ")
            );
            let run = Command::new("sh")
                .args(["-c", &limited])
                .current_dir(&folder.0)
                .output()
                .expect("a shell");
            let message = String::from_utf8_lossy(&run.stderr).into_owned();
            assert!(
                matches!(run.status.code(), Some(1 | 2)),
                "{args:?}: {:?} {message}",
                run.status
            );
            assert!(
                ["device, a pipe", "bytes"]
                    .iter()
                    .any(|why| message.contains(why)),
                "{args:?}: {message}"
            );
        }
    }
}

/// Nothing is written where a link leads out of the data, and no tests are read there.
#[test]
fn no_link_leads_out() {
    let (folder, elsewhere) = (Folder::skirmish(), Folder::empty());
    elsewhere
        .write("game/secret.yaml", "tests:\n  - secret: told\n")
        .write("accepted.yaml", "secret: told\n");
    std::fs::remove_dir_all(folder.0.join("tests")).ok();
    for (link, to) in [
        ("tests", elsewhere.0.clone()),
        ("accepted.yaml", elsewhere.0.join("accepted.yaml")),
    ] {
        symlink(to, folder.0.join(link)).expect("a link");
        let run = folder.run("check");
        assert!(
            run.out.contains("this link") || run.out.contains("this is a link"),
            "{link}: {}",
            run.out
        );
        run.terminal_output().lacks("told");
        std::fs::remove_file(folder.0.join(link)).expect("the test's own link");
    }
    std::fs::create_dir(folder.0.join("tests")).expect("a folder");
    symlink(elsewhere.0.join("game"), folder.0.join("tests/skirmish")).expect("a link");
    let run = folder.run("test");
    run.terminal_output().holds("leads out");
    run.terminal_output().lacks("told");

    let before = elsewhere.file_times();
    symlink(&elsewhere.0, folder.0.join("variants/mine")).expect("a link");
    symlink(&elsewhere.0, folder.0.join(".casebook")).expect("a link");
    for args in [
        &["new", "case", "2.1", "--variant", "mine"][..],
        &["schema", "--write"],
        &["new", "variant", "other"],
    ] {
        let run = folder.run(args);
        run.err.holds("leads out");
    }
    assert_eq!(elsewhere.file_times(), before, "nothing was written");
}

/// Links of two folders to one another have more ways through them than could be walked.
#[test]
fn links_are_followed_within_bounds() {
    let folder = Folder::skirmish();
    for (from, to) in [("a", "b"), ("b", "a")] {
        std::fs::create_dir(folder.0.join("rules").join(from)).expect("a folder");
        (0..20).for_each(|n| {
            symlink(
                format!("../{to}"),
                folder.0.join(format!("rules/{from}/{n}")),
            )
            .expect("a link")
        });
    }
    let start = std::time::Instant::now();
    let run = folder.run("check");
    run.out.holds("more than 100 links to folders");
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    folder.ok("resolve bridge").err.holds("some are left out");
}

/// What a writer that was killed left is cleared by the next one; files of others stay.
#[test]
fn left_files_are_cleared() {
    let folder = Folder::skirmish();
    folder
        .write(".casebook-aB3dE6.tmp", "half")
        .write(".casebook-notes", "mine")
        .write("scenarios/skirmish/.casebook-aB3dE6.tmp", "half");
    folder.ok(&[&SAVE_ARGS[..], &["x.yaml"]].concat());
    assert!(!folder.0.join(".casebook-aB3dE6.tmp").exists());
    folder.ok("new situation ford --like bridge");
    assert!(
        !folder
            .0
            .join("scenarios/skirmish/.casebook-aB3dE6.tmp")
            .exists()
    );
    assert_eq!(folder.read(".casebook-notes"), "mine");
}

/// Two commands that add to one file: both are in it, or the later one says that it was not added.
#[test]
fn pins_side_by_side_lose_nothing() {
    let folder = Folder::skirmish();
    let pin = |seed: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
        command.args([
            "resolve",
            "bridge",
            "--seed",
            &seed.to_string(),
            "--pin",
            "tests/skirmish/pinned.yaml",
        ]);
        command
            .current_dir(&folder.0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs")
    };
    let mut children: Vec<_> = (1..=6).map(pin).collect();
    let added = children
        .iter_mut()
        .filter_map(|child| child.wait().ok())
        .filter(std::process::ExitStatus::success)
        .count();
    let text = folder.read("tests/skirmish/pinned.yaml");
    assert!(
        added > 0 && text.matches("- test:").count() == added,
        "{added} were added:\n{text}"
    );
    // Line ends stay as the file has them.
    folder.write("tests/skirmish/pinned.yaml", text.replace('\n', "\r\n"));
    folder.run("resolve bridge --dice 6 --choose 'Red: first to lose=Red riders' --pin tests/skirmish/pinned.yaml");
    let text = folder.read("tests/skirmish/pinned.yaml");
    assert_eq!(
        text.matches('\n').count(),
        text.matches("\r\n").count(),
        "{text:?}"
    );
}

/// A variant carries its own tests of rulings.
#[test]
fn a_ruling_is_pinned_in_a_variant() {
    let folder = Folder::skirmish();
    folder.ok("new variant mine");
    let pin = |path: &str| folder.run(&["resolve", "bridge", "--with", "mine", "--pin", path]);
    pin("variants/mine/tests/x.yaml").expect_success();
    folder.ok("check");
    folder.out("test --verbose").holds("At the bridge");
    folder.ok("pack mine");
    folder
        .read("mine.pack.yaml")
        .holds("variants/mine/tests/x.yaml");
    pin("elsewhere/x.yaml")
        .err
        .holds("variants/<variant>/tests/<name>.yaml");
}

/// A pack has all files of its variant, and none that could not be used.
#[test]
fn a_pack_is_whole() {
    let folder = Folder::skirmish();
    folder.ok("new variant mine");
    folder.write(
        "variants/mine/tables/x.yaml",
        b"table: x\ntitle: Stra\xdfe\n",
    );
    for (table, why) in [
        (&b"table: x\ntitle: Stra\xdfe\n"[..], "not text"),
        (b"table: x\nfoo: 1\n", "`foo`"),
    ] {
        folder.write("variants/mine/tables/x.yaml", table);
        let run = folder.run("pack mine");
        run.ends(1);
        run.terminal_output().holds(why);
        assert!(!folder.0.join("mine.pack.yaml").exists());
        run.terminal_output().holds("nothing was packed");
    }
    folder.write("tables/skirmish/y.yaml", b"table: y\ntitle: Stra\xdfe\n");
    let run = folder.run("pack skirmish");
    assert!(
        run.status == Some(1) && !folder.0.join("skirmish.pack.yaml").exists(),
        "{}",
        run.terminal_output()
    );
}

/// Names are refused where they are typed if no file can have them, or a command would take them for an option.
#[test]
fn names_can_name_files() {
    let folder = Folder::skirmish();
    let before = folder.file_times();
    for (name, why) in [
        ("a".repeat(300), "at most 100"),
        ("-a".into(), "hyphen"),
        ("a".repeat(20_000), "at most 100"),
    ] {
        for args in [
            &["new", "variant", "--", &name][..],
            &["new", "game", "--", &name],
            &["new", "situation", "--like", "bridge", "--", &name],
        ] {
            let run = folder.run(args);
            run.ends(2);
            run.err.holds(why);
        }
    }
    assert_eq!(folder.file_times(), before);
    // Long names are not compared letter by letter.
    let start = std::time::Instant::now();
    for args in [["show"], ["resolve"], ["odds"], ["explain"]] {
        assert_eq!(
            folder
                .run(&[&args[..], &[&"a".repeat(100_000)]].concat())
                .status,
            Some(2)
        );
    }
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "{:?}",
        start.elapsed()
    );
}

/// The texts of all data files.
#[cfg(debug_assertions)]
fn data_texts(folder: &Folder) -> BTreeMap<String, String> {
    let paths = folder.file_times().into_keys();
    let keys =
        paths.filter_map(|path| Some(path.strip_prefix(&folder.0).ok()?.to_str()?.to_string()));
    keys.filter(|key| !key.contains("/.") && !key.starts_with('.') && folder.0.join(key).is_file())
        .map(|key| (key.clone(), folder.read(&key)))
        .collect()
}

/// What changes several files: returns whether it was done, and what was said; `None` if it was killed.
#[cfg(debug_assertions)]
type SeveralChanges<'a> = &'a dyn Fn(&Folder, (&str, &str)) -> Option<(bool, String)>;

/// Wherever the program is killed, whoever opens the folder next finds all files as before or all as after; if a step fails, nothing changes,
/// and the message says so.
#[test]
#[cfg(debug_assertions)]
fn several_files_are_changed_as_one_step() {
    let test = |name: &str| {
        format!(
            "tests:\n  - test: {name}\n    given: bridge\n    with: [winter]\n    dice: [5]\n    snapshot: |\n      old\n"
        )
    };
    let start = || {
        let folder = Folder::skirmish();
        folder.write("tests/skirmish/one.yaml", test("one"));
        folder.write("tests/skirmish/two.yaml", test("two"));
        folder
    };
    let sent = start();
    sent.ok("pack winter");
    let command = |folder: &Folder, args: &[&str], set: (&str, &str)| {
        let run = folder.run_configured(args, |command| command.env(set.0, set.1));
        run.status
            .map(|status| (status == 0, run.terminal_output()))
    };
    let change = |folder: &Folder, action: &str, set: (&str, &str)| {
        let body = serde_json::json!({ "action": action, "variant": "winter", "name": "frost" });
        let answer = Served::start_in(&folder.0, set).request_to_the_end("POST", "/variant", &body);
        answer.map(|(status, text)| (status == 200, text))
    };
    let cases: [(&str, SeveralChanges); 4] = [
        ("accept", &|folder, set| {
            command(folder, &["test", "--accept"], set)
        }),
        ("unpack", &|folder, set| {
            command(folder, &["unpack", "winter.pack.yaml"], set)
        }),
        ("rename", &|folder, set| change(folder, "rename", set)),
        ("delete", &|folder, set| change(folder, "delete", set)),
    ];
    for (name, run) in cases {
        let start = || {
            let folder = start();
            if name == "unpack" {
                folder.write("winter.pack.yaml", sent.read("winter.pack.yaml"));
                for path in ["variants/winter", "tests/skirmish"] {
                    std::fs::remove_dir_all(folder.0.join(path)).expect("it can be removed");
                }
            }
            folder
        };
        let whole = start();
        let (before, done) = (
            data_texts(&whole),
            run(&whole, ("CASEBOOK_ABORT_AT", "none")),
        );
        assert!(done.is_some_and(|(is_done, _)| is_done), "{name}");
        let after = data_texts(&whole);
        let changed = before
            .iter()
            .filter(|(key, text)| after.get(*key) != Some(text))
            .count()
            + after
                .keys()
                .filter(|key| !before.contains_key(*key))
                .count();
        assert!(changed > 1, "{name}");
        let mut steps = [0, 0];
        for (kind, variable) in ["CASEBOOK_ABORT_AT", "CASEBOOK_FAIL_AT"]
            .into_iter()
            .enumerate()
        {
            loop {
                let folder = start();
                let done = run(&folder, (variable, &steps[kind].to_string()));
                let texts = |folder| match data_texts(folder) {
                    texts if texts == before => "before",
                    texts if texts == after => "after",
                    _ => "half",
                };
                match done {
                    Some((true, _)) => {
                        assert_eq!(texts(&folder), "after", "{name}");
                        break;
                    }
                    Some((false, said)) => {
                        assert!(kind == 1, "{name}: {said}");
                        said.holds("nothing was written");
                        assert_eq!(
                            texts(&folder),
                            "before",
                            "{name}, step {}: {said}",
                            steps[kind]
                        );
                    }
                    None => {
                        folder.run("list");
                        assert_ne!(texts(&folder), "half", "{name}, killed at {}", steps[kind]);
                    }
                }
                assert!(!folder.0.join(".casebook-unfinished").exists(), "{name}");
                steps[kind] += 1;
            }
        }
        // Each file is written beside the old one, then put in its place; and the list comes and goes.
        assert_eq!(steps, [2 * changed + 2; 2], "{name}");
    }
}

/// A file that may not be written stops the change of all, and letters that can't be seen come in by no door.
#[test]
fn what_files_refuse_pages_refuse() {
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    let key = "variants/winter/variant.yaml";
    let kept = folder.read(key);
    let plain = |folder: &Folder, text: String| {
        let before = folder.file_times();
        for (method, path, body) in [
            (
                "PUT",
                "/file",
                serde_json::json!({ "path": key, "text": format!("{kept}# {text}\n") }),
            ),
            (
                "POST",
                "/ruling",
                serde_json::json!({ "game": "skirmish", "situation": format!("bri{text}dge") }),
            ),
            (
                "POST",
                "/variant",
                serde_json::json!({ "action": "rename", "variant": "winter", "name": format!("fr{text}ost") }),
            ),
        ] {
            let (status, answer) = served.request_with_token(method, path, &body);
            let said = answer.to_string();
            assert!(status == 400, "{path}: {said}");
            said.holds("can't be seen");
            said.lacks(&text);
        }
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for path in [
            format!("/at/skirmish/bri{encoded}dge"),
            format!("/at/skirmish/bridge?with={encoded}"),
        ] {
            let (status, page) = served.page(&path);
            assert!(status == 400, "{path}: {page}");
            page.holds("can't be seen");
            page.lacks(&text);
        }
        let run = folder.run(&["resolve", &format!("bri{text}dge")]);
        run.ends(2);
        run.err.holds("can't be seen");
        assert_eq!(folder.file_times(), before, "nothing was written");
    };
    for letter in ['\u{202e}', '\u{200b}', '\u{2066}', '\u{2800}'] {
        plain(&folder, letter.into());
    }
    // A file that holds one is named, and keeps nobody from other variants.
    folder.write("variants/errata/tables/x.yaml", "table: x\u{202e}\n");
    let run = folder.run("what-if bridge --cell 'combat 1:1 6 = 0/9' --keep mine");
    run.ends(0);
    run.out.holds("written");

    let manifest = folder.0.join("variants/winter/variant.yaml");
    std::fs::set_permissions(
        manifest,
        std::os::unix::fs::PermissionsExt::from_mode(0o444),
    )
    .expect("permissions");
    let before = folder.file_times();
    let body = serde_json::json!({ "action": "delete", "variant": "winter" });
    let (status, answer) = served.request_with_token("POST", "/variant", &body);
    assert!(status == 400, "{answer}");
    answer
        .to_string()
        .holds("may not be written; nothing was written");
    assert_eq!(folder.file_times(), before);
}

/// A pack is looked at as a whole before anything of it is written.
#[test]
fn a_pack_is_checked_before_it_is_unpacked() {
    let folder = Folder::skirmish();
    folder.ok("pack winter");
    let text = folder.read("winter.pack.yaml");
    std::fs::remove_dir_all(folder.0.join("variants/winter")).expect("it can be removed");
    let unsigned = text.split("checksum:").next().expect("a part").to_string();
    let title = "title: Winter";
    assert!(unsigned.len() < text.len());
    unsigned.holds(title);
    let extra: String = (0..3_000)
        .map(|n| format!("  variants/winter/tables/t{n}.yaml: x\n"))
        .collect();
    for (pack, why) in [
        (text.replace(title, "title: Wintry"), "checksum"),
        (unsigned.replace("kind: ", "kinds: "), "kinds"),
        (
            unsigned.replace(title, "title: \"Win\\u202Eter\""),
            "can't be seen",
        ),
        (
            unsigned.replace("files:\n", &format!("files:\n{extra}")),
            "at most",
        ),
        (
            unsigned.replace(title, "title: &t Winter\nversion: *t"),
            "aliases",
        ),
    ] {
        folder.write("x.pack.yaml", &pack);
        let before = folder.file_times();
        let run = folder.run("unpack x.pack.yaml");
        assert!(run.status != Some(0), "{why}: {}", run.terminal_output());
        run.terminal_output().holds(why);
        assert_eq!(folder.file_times(), before, "{why}");
    }
    folder.write("x.pack.yaml", unsigned);
    folder.ok("unpack x.pack.yaml");
}

/// What is written for an editor is left aside by version control.
#[test]
fn schemas_are_ignored_by_git() {
    let folder = Folder::skirmish();
    folder.ok("new variant mine");
    assert_eq!(folder.read(".casebook/.gitignore"), "*\n");
}

/// The same, killed between two files; a file that was edited since is kept.
#[test]
fn what_was_never_written_to_its_end_is_not_there() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    let (manifest, chart) = ("rules/mine/game.yaml", "tables/mine/fight.yaml");
    let list = serde_json::json!({ manifest: [null, folder.read(manifest)], chart: [null, folder.read(chart)], "scenarios/mine/more.yaml": [null, "situation: more\n"] });
    write_list(&folder, &list);
    let run = folder.run("list --game mine");
    run.ends(2);
    folder.ok("new game other");
    assert!(
        !folder.0.join(manifest).exists() && !folder.0.join(".casebook-unfinished").exists(),
        "it was taken back"
    );

    let folder = Folder::empty();
    folder.ok("new game mine");
    folder.append(manifest, "# mine\n");
    write_list(&folder, &list);
    let run = folder.run("new game mine");
    assert!(
        run.status == Some(2) && folder.read(manifest).ends_with("# mine\n"),
        "{}",
        run.terminal_output()
    );
}

// How much a count may take

/// Dice against dice until one side is gone.
const BATTLE: &str = r#"fn dice_of(count) {
    let list = [];
    for n in 1..=count { list.push(roll("1d6", "battle")); }
    list.sort(|a, b| a > b);
    list
}

fn attack(given) {
    let ours = 50;
    let theirs = 50;
    while ours > 0 && theirs > 0 {
        let high = dice_of(min(3, ours));
        let low = dice_of(min(2, theirs));
        for n in 0..min(high.len(), low.len()) {
            if high[n] > low[n] { theirs -= 1; } else { ours -= 1; }
        }
    }
    result("winner", if ours > 0 { "Red" } else { "Blue" });
    result("left", ours);
}
"#;

/// A count that exceeds its memory limit says so, and how to raise the limit, not the time.
#[test]
fn a_count_ends_where_its_memory_does() {
    let folder = Folder::skirmish();
    let path = "rules/skirmish/01-battle/1.1-attack.rhai";
    let text = folder.read(path);
    let card: String = text
        .lines()
        .take_while(|line| line.starts_with("//!"))
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write(path, format!("{card}\n{BATTLE}"));
    let args = ["odds", "bridge", "--limit", "6", "--memory", "4M"];
    let start = std::time::Instant::now();
    let out = folder
        .out(&args)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    out.holds("its memory of 4M was full. --memory 8M gives it more");
    out.lacks("--limit");
    assert!(
        start.elapsed() < Duration::from_secs(90),
        "{:?}",
        start.elapsed()
    );
    let json = folder.json(&args);
    assert_eq!(
        (&json["ended"], &json["complete"]),
        (&"memory".into(), &false.into()),
        "{json}"
    );
    // A battle too large for a second ends by time.
    folder
        .replace(path, "let ours = 50", "let ours = 500")
        .replace(path, "let theirs = 50", "let theirs = 500");
    let json = folder.json("odds bridge --limit 1");
    assert_eq!(json["ended"], "time", "{json}");
}

/// Numeric arguments have ranges, and none makes the program allocate memory by its value.
#[test]
fn numbers_that_are_typed_have_ranges() {
    let folder = Folder::skirmish();
    for args in [
        &[
            "odds",
            "bridge",
            "--runs",
            "10",
            "--shard",
            "1/1000000000000000000",
        ][..],
        &["odds", "bridge", "--runs", "18446744073709551615"],
        &["odds", "bridge", "--runs", "0"],
        &["odds", "bridge", "--memory", "0"],
        &["odds", "bridge", "--memory", "99999999999G"],
        &["odds", "bridge", "--memory", "much"],
        &["play", "bridge", "--games", "18446744073709551615"],
        &["odds", "bridge", "--runs", "9", "--shard", "0/3"],
    ] {
        let run = folder.run(args);
        assert!(
            run.status == Some(2) && run.err.contains("write "),
            "casebook {}: {}",
            args.join(" "),
            run.terminal_output()
        );
    }
    for seed in ["0", "18446744073709551615"] {
        folder.ok(&["resolve", "bridge", "--seed", seed]);
    }
}
