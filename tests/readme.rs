//! The README is true: its commands run in order in one folder, the outputs that it shows are those printed, and its pictures exist.

use crate::common::{Folder, repository};

/// The README's code blocks, line by line.
fn blocks(readme: &str) -> Vec<Vec<&str>> {
    readme
        .split("```")
        .skip(1)
        .step_by(2)
        .map(|block| block.lines().skip(1).collect())
        .collect()
}

/// The arguments of a line that runs `casebook`, also as `cargo run --`; none for other lines.
fn command_arguments(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start_matches("$ ").split(" #").next()?;
    let args = line
        .strip_prefix("casebook ")
        .or_else(|| line.strip_prefix("cargo run -- "))?;
    // Words in single quotes are one argument.
    let parts = args.split('\'').enumerate();
    let words = parts.flat_map(|(i, part)| {
        if i % 2 == 1 {
            vec![part.to_string()]
        } else {
            part.split_whitespace().map(String::from).collect()
        }
    });
    Some(words.collect())
}

/// Whether an output line matches a shown line, in which `…` stands for omitted text.
fn matches_shown_line(shown: &str, line: &str) -> bool {
    let parts: Vec<&str> = shown.split('…').collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let mut remaining = match line.strip_prefix(first) {
        Some(rest) if parts.len() > 1 => rest,
        Some(rest) => return rest.is_empty(),
        None => return false,
    };
    for part in &parts[1..parts.len() - 1] {
        match remaining.find(part) {
            Some(at) => remaining = &remaining[at + part.len()..],
            None => return false,
        }
    }
    remaining.ends_with(last)
}

#[test]
fn its_commands_run_and_answer_what_it_shows() {
    let readme =
        std::fs::read_to_string(repository().join("README.md")).expect("the README is there");
    let folder = Folder::empty();
    let mut answer = String::new();
    let (mut commands_run, mut matched) = (0, 0);
    for block in blocks(&readme) {
        // A block without a command shows more of the last answer.
        let mut lines = answer.clone();
        for shown in block {
            if let Some(args) = command_arguments(shown) {
                // A server does not end; `serve::` asks it.
                if args == ["serve"] {
                    continue;
                }
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                // `play` takes the first option of everything.
                answer = folder
                    .run_with(&args, &"\n".repeat(500))
                    .expect_success()
                    .out;
                (lines, commands_run) = (answer.clone(), commands_run + 1);
            } else if !answer.is_empty()
                && !shown.trim().is_empty()
                && !shown.starts_with("cargo ")
                && !shown.contains('<')
            {
                let position = lines
                    .lines()
                    .position(|line| matches_shown_line(shown, line));
                let at =
                    position.unwrap_or_else(|| panic!("the README shows, after what it showed before:\n{shown}\nthe answer has:\n{lines}"));
                lines = lines
                    .lines()
                    .skip(at + 1)
                    .map(|line| format!("{line}\n"))
                    .collect();
                matched += 1;
            }
        }
    }
    assert!(
        commands_run >= 8 && matched >= 8,
        "{commands_run} commands ran, {matched} lines were held against their answers"
    );
}

#[test]
fn it_shows_two_pictures() {
    let readme =
        std::fs::read_to_string(repository().join("README.md")).expect("the README is there");
    let pictures: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("!["))
        .filter_map(|line| line.split(['(', ')']).nth(1))
        .collect();
    assert_eq!(
        pictures.len(),
        2,
        "a changed rule, and a game on its map: {pictures:?}"
    );
    for picture in pictures {
        let bytes = std::fs::read(repository().join(picture)).expect("the picture is there");
        assert!(
            bytes.starts_with(b"\x89PNG") && bytes.len() < 100_000,
            "{picture} is a small picture"
        );
    }
}
