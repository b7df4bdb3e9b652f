//! What the workbench answers, to a page or to a program: rulings, odds, rulesets side by side.

use crate::code::machine::Machine;
use crate::compare::parting::{Parting, parting};
use crate::compare::view::{Question, View};
use crate::complaint::Error;
use crate::data::library::InForce;
use crate::odds::assumed::{Assumed, assumed};
use crate::odds::bounds::MEMORY;
use crate::odds::find::{Found, Search};
use crate::odds::measure::Measure;
use crate::odds::sample::Asked;
use crate::ruling::resolve::{Order, Ran, resolve};
use crate::ruling::situation::Situation;
use crate::serve::ask::Ask;
use crate::serve::bench::{Shelf, changed};
use crate::situation::board::Board;
use crate::situation::dice::{Seeded, Stream, Typed};
use crate::situation::policy::Policies;
use crate::situation::words::text_of;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Rulesets that may be set side by side.
pub const BESIDE: usize = 6;

/// The memory that each count may use.
static LIMIT: OnceLock<u64> = OnceLock::new();

/// Sets the memory that each count may use, once, before anything is served.
pub fn set_memory(bytes: u64) {
    let _ = LIMIT.set(bytes);
}

fn memory() -> u64 {
    LIMIT.get().copied().unwrap_or(MEMORY)
}

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

/// An answer to a choice that is not open, and what is.
pub struct Unfit {
    /// Who is asked what.
    pub question: String,
    /// What was answered.
    pub said: String,
    /// What is open instead.
    pub open: Vec<String>,
}

/// A situation without the answers that are not open in it.
pub struct Fit {
    /// The situation.
    pub situation: Situation,
    /// What is asked of it.
    pub ask: Ask,
    /// The answers that were left out.
    pub unfit: Vec<Unfit>,
}

/// Does something with a situation. Where an answer to a choice is not open, other figures having changed what is, it is left out, and told.
pub fn fitting<T>(situation: &Situation, ask: &Ask, run: impl Fn(&Situation, &Ask) -> Result<T, Error>) -> (Result<T, Error>, Option<Fit>) {
    let mut fit: Option<Fit> = None;
    loop {
        let (now, asked) = fit.as_ref().map_or((situation, ask), |fit| (&fit.situation, &fit.ask));
        let done = run(now, asked);
        let Some(unfit) = done.as_ref().err().and_then(|error| unfit(error, now, asked)) else { return (done, fit) };
        let (mut without, mut ask) = (now.apart(), asked.clone());
        without.choices.remove(&unfit.question);
        ask.choose.remove(&unfit.question);
        let earlier = fit.into_iter().flat_map(|fit| fit.unfit);
        fit = Some(Fit { situation: without, ask, unfit: earlier.chain([unfit]).collect() });
    }
}

/// The answer of which an error says that it is not open.
fn unfit(error: &Error, situation: &Situation, ask: &Ask) -> Option<Unfit> {
    let Error::Data(complaints) = error else { return None };
    let complaint = complaints.0.iter().find(|complaint| complaint.law == "choice")?;
    let board = Board::new(situation.start.clone());
    let own = situation.choices.iter().map(|(question, value)| (question.clone(), text_of(value, &board)));
    let (question, said) =
        ask.choices().into_iter().chain(own).find(|(question, said)| complaint.what.contains(&format!("{question}: `{said}` ")))?;
    let open = complaint.help.split(';').next().and_then(|open| open.strip_prefix("open are ")).unwrap_or_default();
    Some(Unfit { question, said, open: open.split(", ").filter(|one| !one.is_empty()).map(String::from).collect() })
}

/// Odds, and what they rest on.
pub struct Counted {
    /// The odds.
    pub found: Found,
    /// Choices nobody made, policies, readings, reconstructed figures.
    pub assumed: Assumed,
}

/// The odds of a situation, found in some time; the count ends when `stop` is set.
pub fn odds(situation: &Situation, ask: &Ask, stop: &AtomicBool, time: Duration) -> Result<Counted, Error> {
    let measure = ask.measure.as_deref().map(Measure::read).transpose()?;
    let (choices, policies) = (ask.choices(), policies(ask, &situation.ruleset().game.sides)?);
    let search = Search {
        choices: &choices,
        policies: policies.clone(),
        measure: measure.as_ref(),
        asked: Asked::default(),
        strict: ask.strict,
        time,
        memory: memory(),
        threads: threads(),
        stop,
        progress: &|_, _| {},
    };
    let found = search.find(situation)?;
    let assumed = assumed(situation, &found.consulted(), &policies, &choices);
    Ok(Counted { found, assumed })
}

/// Rulesets side by side.
pub struct Compared {
    /// What each makes of the situation.
    pub views: Vec<View>,
    /// For each but the first: where it parts from the one before.
    pub partings: Vec<Parting>,
}

/// The situation of an address under each of its rulesets.
pub fn beside(shelf: &Shelf, ask: &Ask) -> Result<Vec<Situation>, Error> {
    if !(2..=BESIDE).contains(&ask.rulesets.len()) {
        let ticked = ask.rulesets.len();
        return Err(Error::Usage(format!(
            "two rulesets can be set side by side, and up to {BESIDE}; {ticked} {} chosen",
            if ticked == 1 { "is" } else { "are" }
        )));
    }
    let under = |with: &Vec<String>| {
        let wish = Ask { with: Some(with.clone()), ..ask.clone() }.wish(&shelf.library, InForce::default());
        changed(&shelf.program(&wish)?, ask)
    };
    ask.rulesets.iter().map(under).collect()
}

/// Sets the rulesets of an address side by side; with `causes`, what makes the difference is looked for.
pub fn compare(shelf: &Shelf, ask: &Ask, causes: bool, stop: &AtomicBool, time: Duration) -> Result<Compared, Error> {
    let situations = beside(shelf, ask)?;
    let sides = &shelf.library.game(&ask.game)?.sides;
    let overrides = ask.overrides()?;
    let (choices, measure) = (ask.choices(), ask.measure.as_deref().map(Measure::read).transpose()?);
    let question = Question {
        library: &shelf.library,
        name: &ask.situation,
        overrides: &overrides,
        choices: &choices,
        policies: policies(ask, sides)?,
        measure: measure.as_ref(),
        strict: ask.strict,
        end: Instant::now() + time,
        memory: memory(),
        stop,
        progress: &|_, _, _| {},
        threads: threads(),
    };
    let count = situations.len();
    let mut views: Vec<View> = Vec::new();
    for situation in situations {
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
