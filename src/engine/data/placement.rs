//! Detects misplaced files and test files without a case.

use crate::complaint::{Defect, DiagnosticCode, did_you_mean};
use crate::data::case::case_of_tests;
use crate::data::files::{DataFile, Files};
use std::collections::BTreeMap;

/// Returns why a test file has no case, and the remedy.
pub fn explain_missing_case(key: &str, files: &Files) -> Option<Defect> {
    let case = case_of_tests(key).filter(|case| !files.by_key.contains_key(case))?;
    let help = match key.ends_with(".yaml") {
        true => {
            "give the file the path of the case that it tests; tests of no single case belong in tests/<game>/<name>.yaml"
        }
        false => "write the case, or give the test file the path of the case that it tests",
    };
    let message = format!("these tests have no case: there is no `{case}`");
    Some(Defect::new(DiagnosticCode::Place, message, help))
}

/// Returns why a file is in a folder that is never searched, and where it belongs.
pub fn explain_misplaced(
    key: &str,
    [games, variants]: &[BTreeMap<&str, &DataFile>; 2],
) -> Option<Defect> {
    let parts: Vec<&str> = key.split('/').collect();
    let (case, yaml) = (key.ends_with(".rhai"), key.ends_with(".yaml"));
    let (game, variant) = (
        |name: &str| games.contains_key(name),
        |name: &str| variants.contains_key(name),
    );
    let tests = case || yaml;
    let fits = match parts[..] {
        ["rules", _, "game.yaml"] | ["variants", _, "variant.yaml"] => true,
        ["rules", name, "contents.yaml" | "glossary.yaml"] => game(name),
        ["rules", name, _, _] => game(name) && case,
        ["tests", name, _, _] => game(name) && tests,
        ["tables" | "scenarios" | "tests", name, _] => game(name) && yaml,
        ["variants", name, "rules", _, _] => variant(name) && case,
        ["variants", name, "tests", _, _] => variant(name) && tests,
        ["variants", name, "tables" | "scenarios" | "tests", _] => variant(name) && yaml,
        _ => false,
    };
    if fits {
        return None;
    }
    let owner = match parts[..] {
        ["variants", name, _, ..] if !variant(name) => Some(did_you_mean(
            format!("there is no variant `{name}`"),
            name,
            variants.keys().copied(),
        )),
        ["rules" | "tables" | "scenarios", name, _, ..] if !game(name) => Some(did_you_mean(
            format!("there is no game `{name}`"),
            name,
            games.keys().copied(),
        )),
        _ => None,
    };
    let help = match parts[..] {
        ["variants", ..] if owner.is_some() => "name a variant: a folder with a variant.yaml",
        _ if owner.is_some() => "name a game: a folder of rules/ with a game.yaml",
        ["variants", _, "rules", ..] => {
            "put a case into a section's folder: variants/<variant>/rules/<section>/<case>.rhai"
        }
        ["variants", _, "tests", ..] => {
            "put the tests of a case into variants/<variant>/tests/<section>/<case>.rhai or .yaml, those of rulings into variants/<variant>/tests/<name>.yaml"
        }
        ["variants", ..] => {
            "a variant holds rules/<section>/<case>.rhai, tests/<section>/<case>.rhai, tables/<table>.yaml and scenarios/<name>.yaml"
        }
        ["rules", ..] => "put a case into a section's folder: rules/<game>/<section>/<case>.rhai",
        ["tables", ..] => "put a table into tables/<game>/",
        ["tests", ..] => {
            "put tests of rulings into tests/<game>/<name>.yaml, those of a case into tests/<game>/<section>/<case>.rhai or .yaml"
        }
        _ => "a situation, roster or deployment belongs in scenarios/<game>/",
    };
    let message = owner.unwrap_or_else(|| "Casebook reads no file at this place".into());
    Some(Defect::new(DiagnosticCode::Place, message.text, help))
}
