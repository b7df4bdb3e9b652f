//! All that the data says must hold, run: the examples, and the tests of rulings.

use crate::code::machine::Machine;
use crate::complaint::{Complaint, Complaints, Error, did_you_mean};
use crate::data::files::File;
use crate::data::library::{InForce, Library};
use crate::data::yaml::{Node, Value};
use crate::ruleset::compose::Wish;
use crate::ruling::page::Page;
use crate::ruling::resolve::{Order, Ran, resolve};
use crate::ruling::situation::Situation;
use crate::situation::dice::{Seeded, Stream, Typed};
use crate::testing::difference::{Difference, compare};
use crate::testing::example::{self, After, Proof, Rulesets};
use crate::testing::snapshot;
use crate::testing::test::{self, Claim, Claims};
use crate::testing::verdict::{amendments, hold};
use std::sync::Arc;

/// Runs the examples and tests of a game that stand in files whose path holds `filter`. With `accept`, snapshots that are new or
/// changed are written into their files. `after` is shown what happened in every run.
pub fn run(
    library: &Arc<Library>,
    game: &str,
    filter: &str,
    accept: bool,
    mut each: impl FnMut(&Proof),
    mut after: After,
) -> Result<Vec<Proof>, Error> {
    let filter = filter.trim_start_matches("./");
    let mut rulesets = Rulesets::new(library);
    let mut proofs = example::run_watched(&mut rulesets, library, game, filter, &mut each, after.as_deref_mut().map(|after| after as _))?;
    for claims in test::files(library, game, filter) {
        for proof in prove(&claims, &mut rulesets, library, game, accept, &mut after) {
            each(&proof);
            proofs.push(proof);
        }
    }
    Ok(proofs)
}

impl Proof {
    /// Why an example or test fails, as a person reads it; nothing if it holds.
    pub fn told(&self, colour: bool) -> Option<String> {
        let complaint = self.complaint.as_ref()?;
        let difference = self.difference.as_ref().map(|difference| format!("\n{}", difference.render(Page { colour }).trim_end()));
        let under = if self.ruleset.is_empty() { String::new() } else { format!("        under {}\n", self.ruleset) };
        Some(format!("{under}{}{}", complaint.render(colour), difference.unwrap_or_default()))
    }
}

/// Runs the tests of one file.
fn prove(claims: &Claims, rulesets: &mut Rulesets, library: &Arc<Library>, game: &str, accept: bool, after: &mut After) -> Vec<Proof> {
    let file = &claims.file;
    if claims.complaints.any_error() {
        let faulty = |complaint: &Complaint| Proof {
            path: file.path.clone(),
            complaint: Some(complaint.clone()),
            ..named("a test file", file.stem())
        };
        return claims.complaints.0.iter().map(faulty).collect();
    }
    let (mut proofs, mut texts) = (Vec::new(), Vec::new());
    for (index, claim) in claims.list.iter().enumerate() {
        let mut proof = Proof { path: file.path.clone(), ..named(&claim.name, &claim.given.0) };
        let wish = wish(claim, library, game);
        proof.ruleset = wish.with.join(", ");
        let text = match rulesets.get(&wish) {
            Err(complaints) => Err(complaints.0.first().cloned().into_iter().collect()),
            Ok(machine) => {
                proof.ruleset = machine.program.ruleset.title();
                rule(claim, file, machine, after)
            }
        };
        match text {
            Err(found) => proof.complaint = together(found, claim, file),
            Ok((text, answered)) if claim.wants_snapshot() => {
                let old = claim.snapshot.as_ref().map(|(text, _)| snapshot::tidy(text)).unwrap_or_default();
                if old != text && accept {
                    texts.push((index, text));
                    proof.accepted = true;
                } else if old != text {
                    proof.complaint = Some(changed(claim, file, old.is_empty()));
                    let new = answered.iter().filter(|name| !old.contains(name.as_str())).cloned().collect();
                    proof.difference = (!old.is_empty()).then(|| Difference { lines: compare(&old, &text), new, amendments: answered });
                }
            }
            Ok(_) => {}
        }
        proofs.push(proof);
    }
    if !texts.is_empty()
        && let Err(complaint) = snapshot::accept(claims, &texts)
    {
        for proof in proofs.iter_mut().filter(|proof| proof.accepted) {
            (proof.accepted, proof.complaint) = (false, Some(Complaint::clone(&complaint)));
        }
    }
    proofs
}

fn named(id: &str, name: &str) -> Proof {
    Proof { id: id.into(), name: name.into(), ..Proof::default() }
}

/// What a test asks to be in force: what it says, else what the situation names.
pub fn wish(claim: &Claim, library: &Library, game: &str) -> Wish {
    let variant = library.scenarios(game).into_iter().find(|(name, _)| *name == claim.given.0).and_then(|(_, variant)| variant);
    let asked = library.asked_by(game, &claim.given.0, variant.as_deref());
    let asked = if claim.with.is_some() { InForce::default() } else { asked };
    Wish {
        game: game.into(),
        with: claim.with.clone().unwrap_or(asked.with),
        options: asked.options.into_iter().chain(claim.options.clone()).collect(),
        readings: asked.readings.into_iter().chain(claim.readings.clone()).collect(),
        ..Wish::default()
    }
}

/// Makes the ruling of a test: its text and the amendments that answered, or what does not hold.
fn rule(claim: &Claim, file: &File, machine: &mut Machine, after: &mut After) -> Result<(String, Vec<String>), Vec<Complaint>> {
    let ran = carried(claim, file, machine)?;
    let ruleset = &machine.program.ruleset;
    if let Some(after) = after {
        after(ruleset, &ran.events);
    }
    let found = hold(claim, file, &ran, ruleset);
    if found.is_empty() { Ok((snapshot::text(&ran.ruling), amendments(ruleset, &ran.events))) } else { Err(found) }
}

/// Carries out what a test is given, as it says.
pub fn carried(claim: &Claim, file: &File, machine: &mut Machine) -> Result<Ran, Vec<Complaint>> {
    let ruleset = &machine.program.ruleset.clone();
    let all = |error: Error| match error {
        Error::Data(Complaints(list)) => list,
        Error::Unknown { .. } => {
            vec![claim.complaint("unknown-name", claim.given.1, file, error.to_string()).help("`casebook list` names the situations")]
        }
        other => vec![claim.complaint("test", claim.given.1, file, other.to_string()).help("a test is given a situation")],
    };
    let mut scenario = ruleset.scenario(&claim.given.0).map_err(all)?;
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
    let (stream, dice_from): (Box<dyn Stream>, String) = match &claim.dice {
        Some((faces, _)) => {
            let list: Vec<String> = faces.iter().map(u32::to_string).collect();
            (Box::new(Typed::new(faces.clone())), format!("dice {}", list.join(", ")))
        }
        None => (Box::new(Seeded::new(claim.seed)), format!("seed {}", claim.seed)),
    };
    let order = Order { stream, dice_from, choices: claim.choose.clone(), policies: Arc::default(), strict: false, trace: false };
    let situation = Situation::new(&machine.program.clone(), scenario).map_err(all)?;
    resolve(machine, &situation, order).map_err(all)
}

/// All that is wrong with a test as one complaint: the first, with the places of the others.
fn together(found: Vec<Complaint>, claim: &Claim, file: &File) -> Option<Complaint> {
    let mut found = found.into_iter().map(|complaint| claim.placed(complaint, file));
    let first = found.next()?;
    Some(found.fold(first, |first, other| first.also(other.place, other.what)))
}

/// Law `snapshot`: the ruling says what it said.
fn changed(claim: &Claim, file: &File, none: bool) -> Complaint {
    let spot = claim.snapshot.as_ref().map_or(claim.span, |(_, span)| *span);
    let (what, help) = if none {
        ("this test holds no ruling yet", "write what must come of it under `then:`, or let `casebook test --accept` write the ruling down")
    } else {
        ("the ruling is another than the snapshot", "if the new one is right, `casebook test --accept` writes it down")
    };
    claim.complaint("snapshot", spot, file, what).help(help)
}
