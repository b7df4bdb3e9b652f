//! Saves a ruling as a test.

use crate::author::pin_parts::PinParts;
use crate::author::schema;
use crate::testing::snapshot;
use crate::testing::test::{RulingTest, RulingTestFile};
use casebook_engine::complaint::{Complaint, Defect, DiagnosticCode, Error, Place};
use casebook_engine::data::atomic_write::commit;
use casebook_engine::data::files::DataFile;
use casebook_engine::data::format::ruling_test;
use casebook_engine::data::library::Library;
use casebook_engine::data::placement::explain_missing_case;
use casebook_engine::data::text_file::{read_text, shown_text, with_ends_of};
use casebook_engine::data::yaml_edit::{YamlStep, push};
use casebook_engine::data::yaml_writer::{write_list, write_quoted, write_scalar};
use casebook_engine::notation::Face;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::resolve::Ruling;
use casebook_engine::ruling::terminal_page::json_text;
use std::fmt::Write;
use std::path::Path;

/// Appends a test of a ruling to a file, which is created if it does not exist. The test has the dice and the choices made by hand, and
/// expects parts of the ruling, or the whole text of a ruling without outcomes. Its name is a sentence of the user's, or else what was resolved.
pub fn pin(
    library: &Library,
    (ruling, parts): (&Ruling, &PinParts),
    (spec, sentence): (&RulesetSpec, Option<&str>),
    choices: &[(String, String)],
    path: &Path,
) -> Result<(), Error> {
    let key = test_file_key(path, &spec.game)?;
    // A test that `check` would refuse in its file is not written.
    let unknown_variant = key
        .strip_prefix("variants/")
        .and_then(|rest| rest.split('/').next())
        .filter(|v| !library.variants.contains_key(*v));
    let misplaced = match unknown_variant {
        Some(variant) => Some(Defect::unknown_name(
            format!("there is no variant `{variant}`"),
            format!("`casebook new variant {variant}` creates it"),
        )),
        None => explain_missing_case(&key, &library.files),
    };
    if let Some(defect) = misplaced {
        return Err(Error::Usage(format!(
            "{}: {defect}; nothing was written",
            path.display()
        )));
    }
    let is_new = !path.exists();
    let path_text = path.display().to_string();
    let old_text = match is_new {
        true => schema::editor_line(&ruling_test::TESTS, &key) + "form: 1\n",
        false => read_text(path)
            .map(|text| shown_text(&text).into_owned())
            .map_err(|defect| defect.at(Place::whole_file(&path_text)))?,
    };
    let read = |text: &str| {
        let file = RulingTestFile::parse(&DataFile {
            key: key.clone(),
            path: path_text.clone(),
            text: text.into(),
        });
        match file.complaints.has_errors() {
            true => Err(Error::Data(file.complaints)),
            false => Ok(file.tests),
        }
    };
    let fail = |message: String, help: &str| -> Error {
        Complaint::new(DiagnosticCode::Test, Place::whole_file(&path_text), message)
            .with_help(format!("{help}; nothing was written"))
            .into()
    };
    let item = entry_text((ruling, parts), (spec, sentence), choices);
    let new_text = push(&old_text, &[YamlStep::Key("tests")], &item).map_err(|message| {
        let faults = read(&old_text).err();
        faults.unwrap_or_else(|| fail(message, "set the file out plainly"))
    })?;
    let mut tests = read(&new_text)?;
    let new = tests.pop();
    let same = new.filter(|new| {
        let name = (&new.name, &new.situation.0);
        tests
            .iter()
            .any(|old| (&old.name, &old.situation.0) == name)
    });
    if let Some(RulingTest {
        name, situation, ..
    }) = same
    {
        let message = format!("this file has a test `{name}` of {} already", situation.0);
        return Err(fail(
            message,
            "take it out first, or pin this one in another file",
        ));
    }
    let change = |old: Option<&str>| match old {
        None if is_new => Ok(Some(new_text.clone().into_bytes())),
        Some(old) if !is_new && shown_text(old) == old_text => {
            Ok(Some(with_ends_of(old, &new_text).into_bytes()))
        }
        _ => Err("the file changed on disk; pin it once more".into()),
    };
    commit(None, &[(path.into(), Box::new(change))])
}

/// Returns the path of a test file below the data folder; fails for any other path.
fn test_file_key(path: &Path, game: &str) -> Result<String, Error> {
    let is_yaml = |name: &str| name.ends_with(".yaml");
    let parts: Vec<String> = path
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    match &parts[..] {
        // A folder of a variant may be called as the game.
        [.., variants, variant, tests, name]
            if variants == "variants" && tests == "tests" && is_yaml(name) =>
        {
            Ok(format!("variants/{variant}/tests/{name}"))
        }
        [.., variants, variant, tests, section, name]
            if variants == "variants" && tests == "tests" && is_yaml(name) =>
        {
            Ok(format!("variants/{variant}/tests/{section}/{name}"))
        }
        [.., tests, folder, name] if tests == "tests" && folder == game && is_yaml(name) => {
            Ok(format!("tests/{game}/{name}"))
        }
        [.., tests, folder, section, name]
            if tests == "tests" && folder == game && is_yaml(name) =>
        {
            Ok(format!("tests/{game}/{section}/{name}"))
        }
        _ => {
            let message = format!(
                "tests of this game go into tests/{game}/<name>.yaml, those of a variant into variants/<variant>/tests/<name>.yaml"
            );
            Err(Error::Usage(format!(
                "{}: {message}; nothing was written",
                path.display()
            )))
        }
    }
}

/// Writes the test as an item of a list.
fn entry_text(
    (ruling, parts): (&Ruling, &PinParts),
    (spec, sentence): (&RulesetSpec, Option<&str>),
    choices: &[(String, String)],
) -> String {
    let dice: Vec<String> = ruling
        .dice
        .iter()
        .flat_map(|(_, faces)| faces.iter().map(Face::to_string))
        .collect();
    let mut text = String::new();
    let fell = if dice.is_empty() {
        String::new()
    } else {
        format!(", dice {}", dice.join(" "))
    };
    let _ = writeln!(
        text,
        "test: {}",
        write_quoted(&sentence.map_or_else(|| format!("{}{fell}", ruling.title), String::from))
    );
    let _ = writeln!(text, "given: {}", write_scalar(&ruling.situation));
    let _ = writeln!(text, "with: {}", write_list(&spec.variants));
    let map = |text: &mut String, key: &str, entries: Vec<(String, String)>| {
        if !entries.is_empty() {
            let _ = writeln!(text, "{key}:");
            for (name, value) in &entries {
                let _ = writeln!(text, "  {}: {value}", write_quoted(name));
            }
        }
    };
    map(
        &mut text,
        "options",
        spec.options
            .iter()
            .map(|(name, on)| (name.clone(), if *on { "on" } else { "off" }.into()))
            .collect(),
    );
    map(
        &mut text,
        "readings",
        spec.readings
            .iter()
            .map(|(name, alternative)| (name.clone(), write_quoted(alternative)))
            .collect(),
    );
    map(
        &mut text,
        "set",
        ruling
            .set
            .iter()
            .map(|(name, value)| (name.clone(), write_quoted(value)))
            .collect(),
    );
    map(
        &mut text,
        "choose",
        choices
            .iter()
            .map(|(question, answer)| (question.clone(), write_quoted(answer)))
            .collect(),
    );
    if !dice.is_empty() {
        let _ = writeln!(text, "dice: {}", write_list(&dice));
    }
    match &ruling.refused {
        Some(line) if !line.cites.is_empty() => {
            let _ = writeln!(text, "refused: {}", write_quoted(&line.cites[0]));
        }
        _ if ruling.results.is_empty() => {
            let block = snapshot::block(&snapshot::snapshot_text(ruling));
            let _ = writeln!(text, "snapshot: {block}");
        }
        _ => {
            let outcomes = parts.outcomes.iter().filter_map(|name| {
                let value = ruling.results.get(name)?;
                Some((name.clone(), write_quoted(&json_text(value))))
            });
            map(&mut text, "then", outcomes.collect());
            let board = parts.board.iter();
            let board = board.map(|(name, value)| (name.clone(), write_quoted(value)));
            map(&mut text, "board", board.collect());
            if !parts.lines.is_empty() {
                let _ = writeln!(text, "lines:");
                for line in &parts.lines {
                    let _ = writeln!(text, "  - {}", write_quoted(line));
                }
            }
        }
    }
    text
}
