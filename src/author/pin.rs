//! `resolve --pin FILE`: a ruling just made, written as a test that holds it.

use crate::author::schema;
use crate::complaint::{Complaint, Error, Place};
use crate::data::files::File;
use crate::data::format::trial;
use crate::data::save::write_whole;
use crate::ruleset::compose::Wish;
use crate::ruling::page::plain;
use crate::ruling::resolve::Ruling;
use crate::testing::snapshot;
use crate::testing::test::Claims;
use std::fmt::Write;
use std::path::Path;

/// Adds a test of a ruling to a file, which is laid out where it is not there. It gives the dice that fell and the choices made by hand, and
/// holds the outcomes; the whole text of a ruling that names none.
pub fn pin(ruling: &Ruling, wish: &Wish, choices: &[(String, String)], path: &Path) -> Result<(), Error> {
    let key = key(path, &wish.game)?;
    let old = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => schema::line(&trial::TESTS, &key) + "form: 1\ntests:\n",
        Err(source) => return Err(Error::File { path: path.display().to_string(), source }),
    };
    let read = |text: &str| Claims::read(&File { key: key.clone(), path: path.display().to_string(), text: text.into() });
    let before = if old.contains("\n  - ") || old.contains("\n- ") { read(&old) } else { Claims::read(&file(&key, path, "tests: []\n")) };
    if before.complaints.any_error() {
        return Err(Error::Data(before.complaints));
    }
    let indent = old.lines().find(|line| line.trim_start().starts_with("- ")).map_or(2, |line| line.len() - line.trim_start().len());
    let blank = if old.ends_with('\n') { "" } else { "\n" };
    let between = if before.list.is_empty() { "" } else { "\n" };
    let new = format!("{old}{blank}{between}{}", entry(ruling, wish, choices, &" ".repeat(indent)));
    let after = read(&new);
    if let Some(new) = after.list.last().filter(|_| after.list.len() == before.list.len() + 1)
        && before.list.iter().any(|old| (&old.name, &old.given.0) == (&new.name, &new.given.0))
    {
        let what = format!("this file has a test `{}` of {} already", new.name, new.given.0);
        let help = "take it out first, or pin this one in another file; nothing was written";
        return Err(Complaint::new("test", Place::file(&path.display().to_string()), what).help(help).into());
    }
    if after.complaints.any_error() || after.list.len() != before.list.len() + 1 {
        let what = "a test can't be added at the end of this file";
        let help = "let `tests:` be its last key, with a test in a line of its own; nothing was written";
        return Err(Complaint::new("test", Place::file(&path.display().to_string()), what).help(help).into());
    }
    write_whole(path, &new, |_| Ok(()))
}

fn file(key: &str, path: &Path, text: &str) -> File {
    File { key: key.into(), path: path.display().to_string(), text: text.into() }
}

/// The path of a file of tests below the data folder; complains of any other.
fn key(path: &Path, game: &str) -> Result<String, Error> {
    let parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    match &parts[..] {
        [.., tests, folder, name] if tests == "tests" && folder == game && name.ends_with(".yaml") => Ok(format!("tests/{game}/{name}")),
        _ => Err(Error::Usage(format!("{}: tests of this game stand in tests/{game}/<name>.yaml; nothing was written", path.display()))),
    }
}

fn entry(ruling: &Ruling, wish: &Wish, choices: &[(String, String)], pad: &str) -> String {
    // JSON is YAML, and its quotes keep every name and value what it is.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let dice: Vec<String> = ruling.dice.iter().flat_map(|(_, faces)| faces.iter().map(u32::to_string)).collect();
    let mut text = String::new();
    let fell = if dice.is_empty() { String::new() } else { format!(", dice {}", dice.join(" ")) };
    let _ = writeln!(text, "{pad}- test: {}", quoted(&format!("{}{fell}", ruling.title)));
    let _ = writeln!(text, "{pad}  given: {}", ruling.situation);
    let _ = writeln!(text, "{pad}  with: [{}]", wish.with.join(", "));
    let mut map = |key: &str, entries: Vec<(String, String)>| {
        if !entries.is_empty() {
            let _ = writeln!(text, "{pad}  {key}:");
            for (name, value) in &entries {
                let _ = writeln!(text, "{pad}    {}: {value}", quoted(name));
            }
        }
    };
    map("options", wish.options.iter().map(|(name, on)| (name.clone(), if *on { "on" } else { "off" }.into())).collect());
    map("readings", wish.readings.iter().map(|(name, way)| (name.clone(), quoted(way))).collect());
    map("set", ruling.set.iter().map(|(name, now)| (name.clone(), quoted(now))).collect());
    map("choose", choices.iter().map(|(question, answer)| (question.clone(), quoted(answer))).collect());
    if !dice.is_empty() {
        let _ = writeln!(text, "{pad}  dice: [{}]", dice.join(", "));
    }
    match &ruling.refused {
        Some(line) if !line.cites.is_empty() => {
            let _ = writeln!(text, "{pad}  refused: {}", quoted(&line.cites[0]));
        }
        _ if ruling.results.is_empty() => {
            let _ = writeln!(text, "{pad}  snapshot: |");
            for line in snapshot::text(ruling).lines() {
                let _ = writeln!(text, "{pad}    {line}");
            }
        }
        _ => {
            let _ = writeln!(text, "{pad}  then:");
            for (name, value) in &ruling.results {
                let _ = writeln!(text, "{pad}    {}: {}", quoted(name), quoted(&plain(value)));
            }
        }
    }
    text
}
