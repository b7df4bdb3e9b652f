//! Follows the guide: every chapter in an empty folder, with its files, changes and commands.
//!
//! A block `console` holds commands, each with lines that stand in what is printed, in order; `# complains` marks one that is to fail.
//! A block with a path is a file; a block `diff` with a path is a change to one.

use crate::common::{Folder, Says};
use casebook::author::guide::CHAPTERS;

/// A code block of a chapter: the words behind the three backticks, and its lines.
struct Block<'a> {
    kind: &'a str,
    path: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(head) => {
                let (kind, path) = head.split_once(' ').unwrap_or((head, ""));
                blocks.push(Block {
                    kind,
                    path,
                    lines: Vec::new(),
                });
                open = true;
            }
            None if open => blocks.last_mut().expect("a block is open").lines.push(line),
            None => {}
        }
    }
    assert!(!open, "a block is not closed");
    blocks
}

/// The words of a command line, as a shell splits them.
fn shell_words(command: &str) -> Vec<String> {
    let part = |(index, part): (usize, &str)| match index % 2 {
        1 => vec![part.to_string()],
        _ => part.split_whitespace().map(String::from).collect(),
    };
    command.split('\'').enumerate().flat_map(part).collect()
}

fn even(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn run_console(folder: &Folder, lines: &[&str], chapter: &str) {
    let mut lines = lines.iter().peekable();
    while let Some(line) = lines.next() {
        let command = line
            .strip_prefix("$ casebook ")
            .unwrap_or_else(|| panic!("{chapter}: `{line}` is not a command"));
        let (command, complains) = match command.split_once(" #") {
            Some((command, note)) => (command, note.trim() == "complains"),
            None => (command, false),
        };
        let args = shell_words(command);
        let run = folder.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(
            run.status,
            Some(i32::from(complains)),
            "{chapter}:\n{}",
            run.terminal_output()
        );
        let output = even(&run.terminal_output());
        let mut remaining = output.as_str();
        while let Some(expected) = lines.next_if(|line| !line.starts_with("$ ")) {
            let expected = even(expected);
            let position = remaining.find(&expected).unwrap_or_else(|| {
                panic!(
                    "{chapter}: no `{expected}` (in its place) in\n{}",
                    run.terminal_output()
                )
            });
            remaining = &remaining[position + expected.len()..];
        }
    }
}

fn apply_change(folder: &Folder, path: &str, lines: &[&str]) {
    let side = |sign: char| {
        lines
            .iter()
            .filter_map(|line| line.strip_prefix(sign))
            .collect::<Vec<_>>()
            .join("\n")
    };
    folder.replace(path, &side('-'), &side('+'));
}

fn follow_chapter(name: &str) {
    let number = CHAPTERS
        .iter()
        .position(|(known, _)| *known == name)
        .expect("there is such a chapter");
    let text = CHAPTERS[number].1;
    let folder = Folder::empty();
    let mut commands = 0;
    for block in blocks(text) {
        match (block.kind, block.path) {
            ("console", _) => {
                run_console(&folder, &block.lines, name);
                commands += block
                    .lines
                    .iter()
                    .filter(|line| line.starts_with("$ "))
                    .count();
            }
            (_, "") => {}
            ("diff", path) => apply_change(&folder, path, &block.lines),
            (_, path) => drop(folder.write(path, block.lines.join("\n") + "\n")),
        }
    }
    assert!(commands > 2, "{name} has commands");
    let long = text.lines().find(|line| line.chars().count() > 140);
    assert!(long.is_none(), "{name}: {long:?}");
    let next = CHAPTERS
        .get(number + 1)
        .map(|(next, _)| format!("`casebook guide {next}`"));
    assert!(
        next.is_none_or(|next| text.contains(&next)),
        "{name} leads on"
    );
}

#[test]
fn the_first_cell() {
    follow_chapter("cell");
}

#[test]
fn a_case() {
    follow_chapter("case");
}

#[test]
fn a_variant() {
    follow_chapter("variant");
}

#[test]
fn examples_and_tests() {
    follow_chapter("test");
}

#[test]
fn odds() {
    follow_chapter("odds");
}

#[test]
fn a_situation() {
    follow_chapter("situation");
}

#[test]
fn a_changed_scenario() {
    follow_chapter("scenario");
}

#[test]
fn an_editor() {
    follow_chapter("editor");
}

#[test]
fn balance() {
    follow_chapter("balance");
}

#[test]
fn a_game_of_ones_own() {
    follow_chapter("game");
}

#[test]
#[cfg(feature = "mcp")]
fn agents() {
    follow_chapter("agent");
}

#[test]
#[cfg(feature = "vassal")]
fn a_game_in_vassal() {
    follow_chapter("vassal");
}

#[test]
#[cfg(feature = "serve")]
fn a_website() {
    follow_chapter("site");
}

#[test]
fn a_card_game() {
    follow_chapter("cards");
}

/// The game that `--like cards` writes is that of the chapter, sound under any name, and its hands are dealt and played to the end.
#[test]
fn a_card_game_of_ones_own_is_that_of_the_chapter() {
    let folder = Folder::empty();
    folder.ok("new game mine --like cards --title 'Mine: \"1\"'");
    folder
        .read("rules/mine/game.yaml")
        .holds("game: mine\ntitle: \"Mine: \\\"1\\\"\"\n");
    let text = CHAPTERS.iter().find(|(name, _)| *name == "cards");
    for block in blocks(text.expect("there is such a chapter").1) {
        let path = block.path.replace("/cards/", "/mine/");
        if !path.is_empty() && !path.ends_with("game.yaml") {
            let written = folder.read(&path);
            let body = block.lines.join("\n") + "\n";
            assert!(written.ends_with(&body), "{path}:\n{written}");
        }
    }
    folder.out("check").holds("0 complaints");
    folder.ok("test");
    let games = folder.ok("balance the-hill --games 6 --no-causes");
    games.out.holds("bold : careful");
}

#[test]
fn loops() {
    follow_chapter("loops");
}

#[test]
fn luck() {
    follow_chapter("luck");
}
