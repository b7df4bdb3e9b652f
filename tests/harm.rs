//! Nothing is harmed: what is written, what is read, and what a terminal is shown.
#![cfg(unix)]

mod common;
use common::Folder;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

const SAVE: [&str; 3] = ["resolve", "bridge", "--save"];

/// Saving there is refused, with a word of why, and nothing changes.
fn stays(folder: &Folder, path: &str, why: &str) {
    let before = folder.listing();
    let run = folder.run(&[&SAVE[..], &[path]].concat());
    assert_eq!(run.status, Some(2), "{}", run.seen());
    assert!(run.err.contains(why), "{}", run.seen());
    assert_eq!(folder.listing(), before, "nothing was written");
}

// Saving

/// The file beside it is nobody else's: what stands at a name one could guess is left alone.
#[test]
fn a_save_follows_no_link() {
    let folder = Folder::skirmish();
    folder.write("precious", "of worth");
    symlink("precious", folder.0.join("x.part")).expect("a link");
    folder.run(&[&SAVE[..], &["x.yaml"]].concat()).fine();
    assert_eq!(folder.read("precious"), "of worth");
    assert!(folder.read("x.yaml").contains("journal: 1"));
    symlink("precious", folder.0.join("y.yaml")).expect("a link");
    stays(&folder, "y.yaml", "link");
    assert_eq!(folder.read("precious"), "of worth");
}

#[test]
fn a_save_replaces_journals_alone() {
    let folder = Folder::skirmish();
    folder.write("letter.txt", "Dear Jane,\n");
    stays(&folder, "letter.txt", "no journal");
    stays(&folder, "scenarios", "folder");
    stays(&folder, "/dev/null", "device");
    assert!(Command::new("mkfifo").arg(folder.0.join("pipe")).status().expect("mkfifo runs").success());
    stays(&folder, "pipe", "pipe");
    folder.run(&[&SAVE[..], &["x.yaml", "--seed", "2"]].concat()).fine();
    folder.run(&[&SAVE[..], &["x.yaml", "--seed", "3"]].concat()).fine();
    std::fs::set_permissions(folder.0.join("x.yaml"), std::os::unix::fs::PermissionsExt::from_mode(0o444)).expect("permissions");
    stays(&folder, "x.yaml", "may not be written");
}

/// Many at once: each file holds what its own run came to, and nothing is left beside them.
#[test]
fn saves_side_by_side_keep_apart() {
    let folder = Folder::skirmish();
    let run = |seed: usize| {
        let (ending, seed) = (["yaml", "txt", "journal"][seed % 3], seed.to_string());
        let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
        command.args(SAVE).arg(format!("same.{ending}")).args(["--seed", &seed, "--format", "json"]);
        command.current_dir(&folder.0).stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the binary runs")
    };
    for mut child in (0..24).map(run).collect::<Vec<_>>() {
        assert!(child.wait().expect("the binary ends").success());
    }
    for ending in ["yaml", "txt", "journal"] {
        folder.run(&["resolve", "--replay", &format!("same.{ending}")]).fine();
    }
    let left: Vec<_> = std::fs::read_dir(&folder.0).expect("the folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 4 + 3, "{left:?}");
}

// Laying out

/// Several files come in one step, or none does.
#[test]
fn files_are_laid_out_together_or_not_at_all() {
    let folder = Folder::skirmish();
    folder.write("variants/house/notes.md", "ours");
    let before = folder.listing();
    let run = folder.run(&["new", "case", "2.1", "--variant", "house"]);
    assert_ne!(run.status, Some(0), "{}", run.seen());
    assert_eq!(folder.listing(), before, "nothing was written");
    std::fs::remove_file(folder.0.join("variants/house/notes.md")).expect("the test's own file");
    folder.run(&["new", "case", "2.1", "--variant", "house"]).fine();
    folder.run(&["check"]).fine();
}
