//! What the workbench answers, to a page or to a program: rulings, odds, rulesets side by side.

use crate::code::machine::Machine;
use crate::compare::parting::{Parting, parting};
use crate::compare::view::{Question, View};
use crate::complaint::Error;
use crate::data::library::InForce;
use crate::odds::find::{Found, Search};
use crate::odds::measure::Measure;
use crate::odds::sample::Asked;
use crate::ruling::resolve::{Order, Ran, resolve};
use crate::ruling::situation::Situation;
use crate::serve::ask::Ask;
use crate::serve::bench::{Shelf, changed};
use crate::situation::dice::{Seeded, Stream, Typed};
use crate::situation::policy::Policies;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Rulesets that may be set side by side.
const BESIDE: usize = 6;

/// The policies of an address.
fn policies(ask: &Ask, sides: &[String]) -> Result<Arc<Policies>, Error> {
    let typed: Vec<(String, String)> = ask.policy.clone().into_iter().collect();
    Ok(Arc::new(Policies::read(&typed, sides)?))
}

/// The ruling of a situation.
pub fn ruling(situation: &Situation, ask: &Ask) -> Result<Ran, Error> {
    carried_out(situation, ask, &mut situation.machine())
}

/// The same where it takes no longer than this.
pub fn glance(situation: &Situation, ask: &Ask, time: Duration) -> Option<Result<Ran, Error>> {
    let mut machine = situation.machine();
    machine.patience = time;
    match carried_out(situation, ask, &mut machine) {
        Err(Error::Data(complaints)) if complaints.0.iter().any(|complaint| complaint.law == "limit") => None,
        ran => Some(ran),
    }
}

fn carried_out(situation: &Situation, ask: &Ask, machine: &mut Machine) -> Result<Ran, Error> {
    let (stream, dice_from): (Box<dyn Stream>, String) = match &ask.dice {
        Some(faces) => {
            let text = faces.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            (Box::new(Typed::new(faces.clone())), format!("dice {text}"))
        }
        None => (Box::new(Seeded::new(ask.seed.unwrap_or(1))), format!("seed {}", ask.seed.unwrap_or(1))),
    };
    let policies = policies(ask, &situation.ruleset().game.sides)?;
    let order = Order { stream, dice_from, choices: ask.choices(), policies, strict: ask.strict, trace: false };
    resolve(machine, situation, order)
}

/// The odds of a situation, found in some time; the count ends when `stop` is set.
pub fn odds(situation: &Situation, ask: &Ask, stop: &AtomicBool, time: Duration) -> Result<Found, Error> {
    let measure = ask.measure.as_deref().map(Measure::read).transpose()?;
    let choices = ask.choices();
    let search = Search {
        choices: &choices,
        policies: policies(ask, &situation.ruleset().game.sides)?,
        measure: measure.as_ref(),
        asked: Asked::default(),
        strict: ask.strict,
        time,
        threads: threads(),
        stop,
        progress: &|_, _| {},
    };
    search.find(situation)
}

/// Rulesets side by side.
pub struct Compared {
    /// What each makes of the situation.
    pub views: Vec<View>,
    /// For each but the first: where it parts from the one before.
    pub partings: Vec<Parting>,
}

/// Sets the rulesets of an address side by side; with `causes`, what makes the difference is looked for.
pub fn compare(shelf: &Shelf, ask: &Ask, causes: bool, stop: &AtomicBool, time: Duration) -> Result<Compared, Error> {
    if !(2..=BESIDE).contains(&ask.rulesets.len()) {
        return Err(Error::Usage(format!("two rulesets can be set side by side, and up to {BESIDE}")));
    }
    let sides = &shelf.library.game(&ask.game)?.sides;
    let (choices, measure) = (ask.choices(), ask.measure.as_deref().map(Measure::read).transpose()?);
    let question = Question {
        library: &shelf.library,
        name: &ask.situation,
        choices: &choices,
        policies: policies(ask, sides)?,
        measure: measure.as_ref(),
        strict: ask.strict,
        end: Instant::now() + time,
        stop,
        progress: &|_, _, _| {},
        threads: threads(),
    };
    let count = ask.rulesets.len();
    let mut views: Vec<View> = Vec::new();
    for with in &ask.rulesets {
        let wish = Ask { with: Some(with.clone()), ..ask.clone() }.wish(&shelf.library, InForce::default());
        let situation = changed(&shelf.program(&wish)?, ask)?;
        // Time is kept for pairs and for causes.
        let until = question.part(count - views.len() + 2 * (count - 1));
        views.push(question.view(situation, until)?);
    }
    let mut partings = Vec::new();
    for i in 1..count {
        let own = Question { end: question.part(count - i), policies: question.policies.clone(), ..question };
        partings.push(parting(&own, &views[i - 1], &views[i], own.part(2), causes)?);
    }
    Ok(Compared { views, partings })
}

/// As many threads as there are processors.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
