//! Builds the situation of a test and resolves it with the test's dice.

use crate::testing::test::RulingTest;
use casebook_engine::code::machine::Machine;
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Span};
use casebook_engine::data::format::FieldType;
use casebook_engine::data::format::scenario::PIECE;
use casebook_engine::data::piece::{PieceEntry, read_piece};
use casebook_engine::data::reference_kind::ReferenceKind;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::status::Status;
use casebook_engine::data::yaml::{YamlReader, YamlValue};
use casebook_engine::notation::Face;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruleset::references;
use casebook_engine::ruling::resolve::{ResolveRequest, ResolvedRuling, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::{DiceStream, SeededDice, TypedDice};
use casebook_engine::situation::overrides::{self, Overrides};
use std::sync::Arc;

/// Checks the pieces, the overrides and the arguments of a test.
pub fn input_complaints(
    ruling_test: &RulingTest,
    scenario: &Arc<Scenario>,
    ruleset: &Ruleset,
) -> Vec<Complaint> {
    changed_scenario(ruling_test, scenario, ruleset)
        .err()
        .unwrap_or_default()
}

/// Returns the scenario of a test with its pieces and overrides; fails if something that the test gives is invalid.
fn changed_scenario(
    ruling_test: &RulingTest,
    scenario: &Arc<Scenario>,
    ruleset: &Ruleset,
) -> Result<Arc<Scenario>, Vec<Complaint>> {
    let scenario = with_pieces(ruling_test, scenario, ruleset)?;
    let overridden = Overrides::parse_all(&ruling_test.set)
        .and_then(|overrides| overrides.apply(&scenario, ruleset));
    let (overridden, mut complaints) = match overridden {
        Ok(overridden) => (overridden, Vec::new()),
        Err(error) => (scenario.clone(), error_complaints(error, ruling_test)),
    };
    if let Some(but) = &ruling_test.argument_changes {
        let procedure = ruling_test
            .procedure
            .as_ref()
            .map(|(name, _)| name.as_str())
            .or(scenario.procedure.as_deref());
        let at = |span: Span| ruling_test.file.place(span);
        complaints
            .extend(references::check_overridden_given(but, &scenario, procedure, ruleset, &at).0);
    }
    if complaints.is_empty() {
        Ok(overridden)
    } else {
        Err(complaints)
    }
}

/// Adds the pieces of a test to its situation; one of the same name takes the place of the situation's.
fn with_pieces(
    ruling_test: &RulingTest,
    scenario: &Arc<Scenario>,
    ruleset: &Ruleset,
) -> Result<Arc<Scenario>, Vec<Complaint>> {
    if ruling_test.pieces.is_empty() {
        return Ok(scenario.clone());
    }
    let mut reader = YamlReader::for_file(&ruling_test.file);
    reader.context = format!("test `{}`", ruling_test.name);
    for node in &ruling_test.pieces {
        reader.check_names(node, FieldType::Object(&PIECE), &|kind, text| {
            ruleset.game.unknown_name(kind, text)
        });
    }
    let added: Vec<PieceEntry> = ruling_test
        .pieces
        .iter()
        .filter_map(|node| read_piece(node, Status::House, &ruleset.game, &mut reader))
        .collect();
    if reader.complaints.has_errors() {
        return Err(reader.complaints.0);
    }
    let mut scenario = Scenario::clone(scenario);
    scenario
        .pieces
        .retain(|piece| !added.iter().any(|one| one.name == piece.name));
    scenario.pieces.extend(added);
    Ok(Arc::new(scenario))
}

/// Returns an error as complaints about a test; those about overrides get the position of the test.
pub fn error_complaints(error: Error, ruling_test: &RulingTest) -> Vec<Complaint> {
    let (code, help) = match error {
        Error::Data(Complaints(mut complaints)) => {
            for complaint in complaints
                .iter_mut()
                .filter(|complaint| complaint.place.path == overrides::OVERRIDE_PATH)
            {
                complaint.place = ruling_test.file.place(ruling_test.span);
                complaint.context = format!("test `{}`", ruling_test.name);
            }
            return complaints;
        }
        Error::Unknown { .. } => (
            DiagnosticCode::UnknownName,
            "`casebook list` names the situations",
        ),
        _ => (DiagnosticCode::Test, "a test is given a situation"),
    };
    vec![
        ruling_test
            .complaint(code, ruling_test.situation.1, error.to_string())
            .with_help(help),
    ]
}

/// Builds the situation of a test with its overrides; fails with the complaints that prevent it.
pub fn load_situation(
    ruling_test: &RulingTest,
    machine: &Machine,
) -> Result<Situation, Vec<Complaint>> {
    let ruleset = &machine.program.ruleset;
    let to_complaints = |error: Error| error_complaints(error, ruling_test);
    let plain = ruleset
        .scenario(&ruling_test.situation.0)
        .map_err(to_complaints)?;
    let mut scenario = Scenario::clone(&*changed_scenario(ruling_test, &plain, ruleset)?);
    if let Some((procedure, span)) = &ruling_test.procedure {
        if let Some(defect) = ruleset
            .game
            .unknown_name(ReferenceKind::Procedure, procedure)
        {
            return Err(vec![ruling_test.complaint_of(*span, defect)]);
        }
        scenario.procedure = Some(procedure.clone());
    }
    if let Some(mut handed) = ruling_test.argument(scenario.root.get("given")) {
        // Another procedure than the situation's is given only what its card names.
        if let (Some((procedure, _)), YamlValue::Map(given)) =
            (&ruling_test.procedure, &mut handed.value)
        {
            let fields = ruleset.given(procedure);
            given.retain(|(key, _)| key.as_text().is_some_and(|name| fields.contains_key(name)));
        }
        scenario.root.set_at(&["given"], Some(&handed));
    }
    Situation::new(&machine.program, scenario).map_err(to_complaints)
}

/// Resolves the situation of a test with its dice; fails with the complaints that prevent it.
pub fn run_procedure(
    ruling_test: &RulingTest,
    machine: &mut Machine,
    situation: &Situation,
) -> Result<ResolvedRuling, Vec<Complaint>> {
    let (stream, dice_from): (Box<dyn DiceStream>, String) = match &ruling_test.dice {
        Some((faces, _)) => (
            Box::new(TypedDice::new(faces.clone())),
            format!("dice {}", Face::join(faces, ", ")),
        ),
        None => (
            Box::new(SeededDice::new(ruling_test.seed)),
            format!("seed {}", ruling_test.seed),
        ),
    };
    let order = ResolveRequest {
        stream,
        dice_from,
        choices: ruling_test.choices.clone(),
        ..ResolveRequest::default()
    };
    resolve(machine, situation, order).map_err(|error| error_complaints(error, ruling_test))
}
