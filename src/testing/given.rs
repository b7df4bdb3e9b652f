//! What a test gives: its situation made ready, and carried out with its dice.

use crate::code::machine::Machine;
use crate::complaint::{Complaint, Complaints, Error, Place, did_you_mean};
use crate::data::files::File;
use crate::data::scenario::Scenario;
use crate::data::yaml::{Node, Value};
use crate::ruleset::compose::Ruleset;
use crate::ruleset::references;
use crate::ruling::resolve::{Order, Ran, resolve};
use crate::ruling::situation::Situation;
use crate::situation::dice::{Seeded, Stream, Typed};
use crate::situation::overrides::{self, Overrides};
use crate::testing::test::Claim;
use std::sync::Arc;

/// What is wrong with what a test hands to its procedure, and with what it sets.
pub fn misgiven(claim: &Claim, file: &File, scenario: &Arc<Scenario>, ruleset: &Ruleset) -> Vec<Complaint> {
    let laid = Overrides::of(&claim.set).and_then(|overrides| overrides.laid(scenario, ruleset));
    let mut found = laid.err().map(|error| by_hand(of_the_test(error, claim, file), claim, file)).unwrap_or_default();
    if let Some(but) = &claim.but {
        found.extend(references::handed(but, scenario, ruleset, &|span| Place::at(&file.path, &file.text, span)).0);
    }
    found
}

/// What is wrong with what a test sets stands in the test.
fn by_hand(mut found: Vec<Complaint>, claim: &Claim, file: &File) -> Vec<Complaint> {
    for complaint in found.iter_mut().filter(|complaint| complaint.place.path == overrides::PATH) {
        complaint.place = Place::at(&file.path, &file.text, claim.span);
        complaint.crumbs = format!("test `{}`", claim.name);
    }
    found
}

/// All that can be wrong with what a test is given, as complaints of the test.
pub fn of_the_test(error: Error, claim: &Claim, file: &File) -> Vec<Complaint> {
    match error {
        Error::Data(Complaints(list)) => list,
        Error::Unknown { .. } => {
            vec![claim.complaint("unknown-name", claim.given.1, file, error.to_string()).help("`casebook list` names the situations")]
        }
        other => vec![claim.complaint("test", claim.given.1, file, other.to_string()).help("a test is given a situation")],
    }
}

/// Carries out what a test is given, as it says; or says what stands in its way.
pub fn carried(claim: &Claim, file: &File, machine: &mut Machine) -> Result<Ran, Vec<Complaint>> {
    let situation = ready(claim, file, machine)?;
    carried_out(claim, file, machine, &situation)
}

/// The situation of a test, with what the test says of it.
pub fn ready(claim: &Claim, file: &File, machine: &Machine) -> Result<Situation, Vec<Complaint>> {
    let ruleset = &machine.program.ruleset.clone();
    let all = |error: Error| by_hand(of_the_test(error, claim, file), claim, file);
    let plain = ruleset.scenario(&claim.given.0).map_err(all)?;
    let wrong = misgiven(claim, file, &plain, ruleset);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let laid = Overrides::of(&claim.set).and_then(|overrides| overrides.laid(&plain, ruleset)).map_err(all)?;
    let mut scenario = Scenario::clone(&laid);
    if let Some(when) = &claim.when {
        let known = || ruleset.game.procedures.iter().map(|(name, _)| name.as_str());
        if !known().any(|name| name == when.0) {
            let what = format!("no procedure is called `{}`{}", when.0, did_you_mean(&when.0, known()));
            return Err(vec![claim.complaint("unknown-name", when.1, file, what).help("procedures stand in the game's manifest")]);
        }
        scenario.procedure = Some(when.0.clone());
    }
    if let Some(handed) = claim.handed(scenario.root.get("given"))
        && let Value::Map(entries) = &mut scenario.root.value
    {
        entries.retain(|(key, _)| key.text() != Some("given"));
        entries.push((Node { span: handed.span, value: Value::Scalar("given".into(), true) }, handed));
    }
    Situation::new(&machine.program.clone(), scenario).map_err(all)
}

/// Carries out the situation of a test with its dice.
pub fn carried_out(claim: &Claim, file: &File, machine: &mut Machine, situation: &Situation) -> Result<Ran, Vec<Complaint>> {
    let (stream, dice_from): (Box<dyn Stream>, String) = match &claim.dice {
        Some((faces, _)) => {
            let list: Vec<String> = faces.iter().map(u32::to_string).collect();
            (Box::new(Typed::new(faces.clone())), format!("dice {}", list.join(", ")))
        }
        None => (Box::new(Seeded::new(claim.seed)), format!("seed {}", claim.seed)),
    };
    let order = Order { stream, dice_from, choices: claim.choose.clone(), policies: Arc::default(), strict: false, trace: false };
    resolve(machine, situation, order).map_err(|error| of_the_test(error, claim, file))
}
