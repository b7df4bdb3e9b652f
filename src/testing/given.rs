//! Builds the situation of a test and resolves it with the test's dice.

use crate::code::machine::Machine;
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place, Span, did_you_mean};
use crate::data::files::DataFile;
use crate::data::piece::{PieceEntry, read_piece};
use crate::data::scenario::Scenario;
use crate::data::status::Status;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::notation::Face;
use crate::ruleset::compose::Ruleset;
use crate::ruleset::references;
use crate::ruling::resolve::{ResolveRequest, ResolvedRuling, resolve};
use crate::ruling::situation::Situation;
use crate::situation::dice::{DiceStream, SeededDice, TypedDice};
use crate::situation::overrides::{self, Overrides};
use crate::testing::test::RulingTest;
use std::sync::Arc;

/// Checks the arguments and overrides of a test.
pub fn input_complaints(ruling_test: &RulingTest, file: &DataFile, scenario: &Arc<Scenario>, ruleset: &Ruleset) -> Vec<Complaint> {
    let scenario = &match with_pieces(ruling_test, file, scenario, ruleset) {
        Ok(scenario) => scenario,
        Err(complaints) => return complaints,
    };
    let overridden = Overrides::parse_all(&ruling_test.set).and_then(|overrides| overrides.apply(scenario, ruleset));
    let mut found =
        overridden.err().map(|error| place_at_set(test_complaints(error, ruling_test, file), ruling_test, file)).unwrap_or_default();
    if let Some(but) = &ruling_test.argument_changes {
        let procedure = ruling_test.procedure.as_ref().map(|(name, _)| name.as_str()).or(scenario.procedure.as_deref());
        let at = |span: Span| Place::from_text(&file.path, &file.text, span);
        found.extend(references::check_overridden_given(but, scenario, procedure, ruleset, &at).0);
    }
    found
}

/// Adds the pieces of a test to its situation; one of the same name takes the place of the situation's.
fn with_pieces(
    ruling_test: &RulingTest,
    file: &DataFile,
    scenario: &Arc<Scenario>,
    ruleset: &Ruleset,
) -> Result<Arc<Scenario>, Vec<Complaint>> {
    if ruling_test.pieces.is_empty() {
        return Ok(scenario.clone());
    }
    let mut reader = YamlReader::for_file(file);
    reader.breadcrumbs = format!("test `{}`", ruling_test.name);
    let added: Vec<PieceEntry> =
        ruling_test.pieces.iter().filter_map(|node| read_piece(node, Status::House, &ruleset.game, &mut reader)).collect();
    if reader.complaints.has_errors() {
        return Err(reader.complaints.0);
    }
    let mut scenario = Scenario::clone(scenario);
    scenario.pieces.retain(|piece| !added.iter().any(|one| one.name == piece.name));
    scenario.pieces.extend(added);
    Ok(Arc::new(scenario))
}

/// Moves complaints about overrides to the position of the test.
fn place_at_set(mut found: Vec<Complaint>, ruling_test: &RulingTest, file: &DataFile) -> Vec<Complaint> {
    for complaint in found.iter_mut().filter(|complaint| complaint.place.path == overrides::OVERRIDE_PATH) {
        complaint.place = Place::from_text(&file.path, &file.text, ruling_test.span);
        complaint.crumbs = format!("test `{}`", ruling_test.name);
    }
    found
}

/// Converts an error to complaints about the test.
pub fn test_complaints(error: Error, ruling_test: &RulingTest, file: &DataFile) -> Vec<Complaint> {
    match error {
        Error::Data(Complaints(list)) => list,
        Error::Unknown { .. } => {
            vec![
                ruling_test
                    .complaint(DiagnosticCode::UnknownName, ruling_test.situation.1, file, error.to_string())
                    .with_help("`casebook list` names the situations"),
            ]
        }
        other => {
            vec![
                ruling_test
                    .complaint(DiagnosticCode::Test, ruling_test.situation.1, file, other.to_string())
                    .with_help("a test is given a situation"),
            ]
        }
    }
}

/// Resolves the situation of a test; fails with the complaints that prevent it.
pub fn load_and_run(ruling_test: &RulingTest, file: &DataFile, machine: &mut Machine) -> Result<ResolvedRuling, Vec<Complaint>> {
    let situation = load_situation(ruling_test, file, machine)?;
    run_procedure(ruling_test, file, machine, &situation)
}

/// Builds the situation of a test with its overrides.
pub fn load_situation(ruling_test: &RulingTest, file: &DataFile, machine: &Machine) -> Result<Situation, Vec<Complaint>> {
    let ruleset = &machine.program.ruleset.clone();
    let all = |error: Error| place_at_set(test_complaints(error, ruling_test, file), ruling_test, file);
    let plain = ruleset.scenario(&ruling_test.situation.0).map_err(all)?;
    let wrong = input_complaints(ruling_test, file, &plain, ruleset);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let plain = with_pieces(ruling_test, file, &plain, ruleset)?;
    let overridden = Overrides::parse_all(&ruling_test.set).and_then(|overrides| overrides.apply(&plain, ruleset)).map_err(all)?;
    let mut scenario = Scenario::clone(&overridden);
    if let Some(when) = &ruling_test.procedure {
        let known = || ruleset.game.procedures.iter().map(|(name, _)| name.as_str());
        if !known().any(|name| name == when.0) {
            let what = did_you_mean(format!("no procedure is called `{}`", when.0), &when.0, known());
            return Err(vec![
                ruling_test
                    .complaint(DiagnosticCode::UnknownName, when.1, file, what)
                    .with_help("name a procedure that the game's manifest lists under `procedures:`"),
            ]);
        }
        scenario.procedure = Some(when.0.clone());
    }
    if let Some(mut handed) = ruling_test.argument(scenario.root.get("given"))
        && let YamlValue::Map(entries) = &mut scenario.root.value
    {
        // Another procedure than the situation's is given only what its card names.
        if let (Some((procedure, _)), YamlValue::Map(given)) = (&ruling_test.procedure, &mut handed.value) {
            let fields = ruleset.given(procedure);
            given.retain(|(key, _)| key.as_text().is_some_and(|name| fields.contains_key(name)));
        }
        entries.retain(|(key, _)| key.as_text() != Some("given"));
        entries.push((YamlNode { span: handed.span, value: YamlValue::Scalar("given".into(), true) }, handed));
    }
    Situation::new(&machine.program.clone(), scenario).map_err(all)
}

/// Resolves the situation of a test with its dice.
pub fn run_procedure(
    ruling_test: &RulingTest,
    file: &DataFile,
    machine: &mut Machine,
    situation: &Situation,
) -> Result<ResolvedRuling, Vec<Complaint>> {
    let (stream, dice_from): (Box<dyn DiceStream>, String) = match &ruling_test.dice {
        Some((faces, _)) => (Box::new(TypedDice::new(faces.clone())), format!("dice {}", Face::join(faces, ", "))),
        None => (Box::new(SeededDice::new(ruling_test.seed)), format!("seed {}", ruling_test.seed)),
    };
    let order = ResolveRequest {
        stream,
        dice_from,
        choices: ruling_test.choices.clone(),
        policies: Arc::default(),
        weigher: None,
        strict: false,
        trace: false,
    };
    resolve(machine, situation, order).map_err(|error| test_complaints(error, ruling_test, file))
}
