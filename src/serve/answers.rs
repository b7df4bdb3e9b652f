//! What the workbench answers, to a page or to a program: rulings, odds, rulesets side by side.

use crate::compare::causes::{Cause, Question, View};
use crate::complaint::Error;
use crate::odds::find::{Found, Search};
use crate::odds::measure::Measure;
use crate::ruleset::compose::Wish;
use crate::ruling::resolve::{Order, Ran, resolve};
use crate::ruling::situation::Situation;
use crate::serve::ask::Ask;
use crate::serve::bench::Shelf;
use crate::serve::changes::lay;
use crate::situation::dice::{Seeded, Stream, Typed};
use crate::situation::policy::Policies;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Rulesets that may be set side by side.
const BESIDE: usize = 6;

/// The policies of an address.
fn policies(ask: &Ask, sides: &[String]) -> Result<Arc<Policies>, Error> {
    let typed: Vec<(String, String)> = ask.policy.clone().into_iter().collect();
    Ok(Arc::new(Policies::read(&typed, sides)?))
}

/// The ruling of a situation.
pub fn ruling(situation: &Situation, ask: &Ask) -> Result<Ran, Error> {
    let (stream, dice_from): (Box<dyn Stream>, String) = match &ask.dice {
        Some(faces) => {
            let text = faces.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            (Box::new(Typed::new(faces.clone())), format!("dice {text}"))
        }
        None => (Box::new(Seeded::new(ask.seed.unwrap_or(1))), format!("seed {}", ask.seed.unwrap_or(1))),
    };
    let policies = policies(ask, &situation.ruleset().game.sides)?;
    let order = Order { stream, dice_from, choices: ask.choices(), policies, strict: ask.strict, trace: false };
    resolve(&mut situation.machine(), situation, order)
}

/// The odds of a situation, found in some time; the count ends when `stop` is set.
pub fn odds(situation: &Situation, ask: &Ask, stop: &AtomicBool, time: Duration) -> Result<Found, Error> {
    let measure = ask.measure.as_deref().map(Measure::read).transpose()?;
    let choices = ask.choices();
    let search = Search {
        choices: &choices,
        policies: policies(ask, &situation.ruleset().game.sides)?,
        measure: measure.as_ref(),
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
    /// For each but the first: the outcomes on which it parts from the one before, and the amendments that make the difference.
    pub partings: Vec<(Vec<String>, Vec<Cause>)>,
}

/// Sets the rulesets of an address side by side; with `causes`, the amendments that make the difference are looked for.
pub fn compare(shelf: &Shelf, ask: &Ask, causes: bool, stop: &AtomicBool, time: Duration) -> Result<Compared, Error> {
    if !(2..=BESIDE).contains(&ask.rulesets.len()) {
        return Err(Error::Usage(format!("two rulesets can be set side by side, and up to {BESIDE}")));
    }
    let changes = ask.changes()?;
    let choices = ask.choices();
    let question = Question {
        library: &shelf.library,
        name: &ask.situation,
        choices: &choices,
        change: &|scenario, ruleset| lay(scenario, &ruleset.game, &changes),
        time,
        stop,
        progress: &|_, _| {},
        threads: threads(),
    };
    let wish = |with: &Vec<String>| Ask { with: Some(with.clone()), ..ask.clone() }.wish(&shelf.library, Vec::new());
    let wishes: Vec<Wish> = ask.rulesets.iter().map(wish).collect();
    let views: Vec<View> = wishes.iter().map(|wish| question.view(wish)).collect::<Result<_, _>>()?;
    let mut partings = Vec::new();
    for i in 1..views.len() {
        let before = (&wishes[i - 1], &views[i - 1]);
        partings.push(match causes {
            true => question.parting(before, (&wishes[i], &views[i]))?,
            false => (crate::compare::causes::differing(&views[i - 1].odds, &views[i].odds), Vec::new()),
        });
    }
    Ok(Compared { views, partings })
}

/// As many threads as there are processors.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
