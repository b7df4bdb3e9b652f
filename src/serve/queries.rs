//! Computes rulings, odds and comparisons for pages and the API.

use crate::code::machine::Machine;
use crate::compare::divergence::{Divergence, compare_views};
use crate::compare::view::{Comparison, RulesetView};
use crate::complaint::{DiagnosticCode, Error};
use crate::data::library::InForce;
use crate::data::manifest::Game;
use crate::odds::assumptions::{Assumptions, CountedOdds, assumptions};
use crate::odds::bounds::DEFAULT_MEMORY;
use crate::odds::measure::Measure;
use crate::odds::query::OddsQuery;
use crate::odds::sample::SampleQuery;
use crate::odds::sweep::{SweepResult, sweep_rulesets};
use crate::platform::clock::Instant;
use crate::platform::{parallel, task};
use crate::ruling::resolve::{ResolveRequest, ResolvedRuling, resolve};
use crate::ruling::situation::Situation;
use crate::serve::page_request::PageRequest;
use crate::serve::workbench::{DataSnapshot, changed_situation};
use crate::situation::board::Board;
use crate::situation::dice::{DiceStream, SeededDice, TypedDice};
use crate::situation::overrides::{Overrides, Sweep};
use crate::situation::policy::Policies;
use crate::situation::value_text::value_text;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Maximum number of rulesets in a comparison.
pub const MAX_RULESETS: usize = 6;

/// Returns the memory limit of each count, in bytes.
fn memory() -> u64 {
    task::memory().unwrap_or(DEFAULT_MEMORY)
}

/// Parses the policies of a request.
pub fn policies(ask: &PageRequest, game: &Game) -> Result<Arc<Policies>, Error> {
    let typed: Vec<(String, String)> = ask.policy.clone().into_iter().collect();
    Ok(Arc::new(Policies::parse(&typed, game)?))
}

/// Resolves a situation.
pub fn ruling(situation: &Situation, ask: &PageRequest) -> Result<ResolvedRuling, Error> {
    resolve_request(situation, ask, &mut situation.machine())
}

/// Resolves a situation; `None` if it exceeds the time limit.
pub fn ruling_within(situation: &Situation, ask: &PageRequest, time: Duration) -> Option<Result<ResolvedRuling, Error>> {
    let mut machine = situation.machine();
    machine.time_limit = time;
    match resolve_request(situation, ask, &mut machine) {
        Err(Error::Data(complaints)) if complaints.0.iter().any(|complaint| complaint.code == DiagnosticCode::Limit) => None,
        ran => Some(ran),
    }
}

fn resolve_request(situation: &Situation, ask: &PageRequest, machine: &mut Machine) -> Result<ResolvedRuling, Error> {
    let (stream, dice_from): (Box<dyn DiceStream>, String) = match &ask.dice {
        Some(faces) => {
            let text = faces.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            (Box::new(TypedDice::new(faces.clone())), format!("dice {text}"))
        }
        None => (Box::new(SeededDice::new(ask.seed.unwrap_or(1))), format!("seed {}", ask.seed.unwrap_or(1))),
    };
    let policies = policies(ask, &situation.ruleset().game)?;
    let order = ResolveRequest { stream, dice_from, choices: ask.choices(), policies, strict: ask.strict, trace: false };
    resolve(machine, situation, order)
}

/// An answer to a choice that is not among its options.
pub struct InvalidChoice {
    /// The question, with the side that is asked.
    pub question: String,
    /// The invalid answer.
    pub answer: String,
    /// The allowed answers.
    pub allowed: Vec<String>,
}

/// A situation without its invalid answers.
pub struct ValidatedSituation {
    /// The situation.
    pub situation: Situation,
    /// The request without the invalid answers.
    pub request: PageRequest,
    /// The answers that were removed.
    pub invalid_choices: Vec<InvalidChoice>,
}

/// Calls a function with a situation. Answers that are not allowed, for example because another change removed the option, are dropped one
/// by one and returned.
pub fn with_valid_choices<T>(
    situation: &Situation,
    ask: &PageRequest,
    run: impl Fn(&Situation, &PageRequest) -> Result<T, Error>,
) -> (Result<T, Error>, Option<ValidatedSituation>) {
    let mut fit: Option<ValidatedSituation> = None;
    loop {
        let (now, asked) = fit.as_ref().map_or((situation, ask), |fit| (&fit.situation, &fit.request));
        let done = run(now, asked);
        let Some(unfit) = done.as_ref().err().and_then(|error| invalid_choice(error, now, asked)) else { return (done, fit) };
        let (mut without, mut ask) = (now.deep_clone(), asked.clone());
        without.choices.remove(&unfit.question);
        ask.choose.remove(&unfit.question);
        let earlier = fit.into_iter().flat_map(|fit| fit.invalid_choices);
        fit = Some(ValidatedSituation { situation: without, request: ask, invalid_choices: earlier.chain([unfit]).collect() });
    }
}

/// Returns the answer that an error reports as not allowed.
fn invalid_choice(error: &Error, situation: &Situation, ask: &PageRequest) -> Option<InvalidChoice> {
    let Error::Data(complaints) = error else { return None };
    let rejected = complaints.0.iter().find_map(|complaint| complaint.rejected.as_deref())?;
    let board = Board::new(situation.initial_board.clone());
    let own = situation.choices.iter().map(|(question, value)| (question.clone(), value_text(value, &board)));
    let names = [rejected.question.clone(), format!("{}: {}", rejected.side, rejected.question)];
    let given = |(question, answer): &(String, String)| names.contains(question) && *answer == rejected.answer;
    let (question, answer) = ask.choices().into_iter().chain(own).find(given)?;
    Some(InvalidChoice { question, answer, allowed: rejected.allowed.clone() })
}

/// Returns the query of a request for odds.
fn odds_query<'a>(
    ask: &PageRequest,
    choices: &'a [(String, String)],
    policies: Arc<Policies>,
    measure: Option<&'a Measure>,
    stop: &'a AtomicBool,
    time: Duration,
) -> OddsQuery<'a> {
    OddsQuery {
        choices,
        policies,
        measure,
        sample_query: SampleQuery::default(),
        strict: ask.strict,
        time_limit: time,
        memory: memory(),
        threads: thread_count(),
        stop,
        progress: &|_, _| {},
    }
}

/// Computes the odds of a situation within a time limit; setting `stop` cancels the count.
pub fn odds(situation: &Situation, ask: &PageRequest, stop: &AtomicBool, time: Duration) -> Result<CountedOdds, Error> {
    let measure = ask.measure.as_deref().map(Measure::parse).transpose()?;
    let (choices, policies) = (ask.choices(), policies(ask, &situation.ruleset().game)?);
    let search = odds_query(ask, &choices, policies.clone(), measure.as_ref(), stop, time);
    let found = search.run(situation)?;
    let assumed = assumptions(situation, &found.consulted(), &policies, &choices);
    Ok(CountedOdds { result: found, assumptions: assumed })
}

/// The odds over the values of one figure.
pub struct SweepAnswer {
    /// The odds at each value, under each ruleset.
    pub result: SweepResult,
    /// What they assume.
    pub assumptions: Assumptions,
    /// What else was set.
    pub overrides: Overrides,
}

/// Computes the odds over the values of one figure, `Red guard: size=1..20`, under the ruleset of the request, or under each of its
/// `rulesets`.
pub fn sweep(shelf: &DataSnapshot, ask: &PageRequest, over: &str, stop: &AtomicBool, time: Duration) -> Result<SweepAnswer, Error> {
    let Some((name, values)) = over.split_once('=') else {
        return Err(Error::Usage(format!("`{over}` does not say which values: write 'PIECE: FIGURE=1..20', or a list 2,4,8")));
    };
    let sweep = Sweep::read(name, values)?;
    let mut ask = ask.clone();
    shelf.complete_request(&mut ask)?;
    // The figure has each of the values; another one that was set is none of them.
    ask.set.remove(&sweep.name);
    let (choices, measure) = (ask.choices(), ask.measure.as_deref().map(Measure::parse).transpose()?);
    let situations = match ask.rulesets.is_empty() {
        true => vec![shelf.situation(&mut ask)?],
        false => situations_of(shelf, &ask)?,
    };
    let rulesets: Vec<_> = situations.into_iter().map(|situation| (situation.program, situation.scenario)).collect();
    let policy: Vec<(String, String)> = ask.policy.clone().into_iter().collect();
    let query = odds_query(&ask, &choices, Arc::default(), measure.as_ref(), stop, time);
    let end = Instant::now() + time;
    let (result, assumptions) = sweep_rulesets(&rulesets, (&Overrides::default(), &sweep), &policy, &query, end)?;
    let overrides = Overrides::parse_all(&ask.set.into_iter().collect::<Vec<_>>())?;
    Ok(SweepAnswer { result, assumptions, overrides })
}

/// The largest graph whose odds are kept.
const MAX_KEPT_STATES: u64 = 200_000;

/// Returns the odds of a situation from the snapshot's cache, or computes them; odds that were counted whole are kept.
pub fn cached_odds(
    shelf: &DataSnapshot,
    situation: &Situation,
    ask: &PageRequest,
    stop: &AtomicBool,
    time: Duration,
) -> Result<Arc<CountedOdds>, Error> {
    let plain = PageRequest { seed: None, dice: None, moves: Vec::new(), rulesets: Vec::new(), ..ask.clone() };
    let key = format!("{}/{}?{}", ask.game, ask.situation, plain.to_query());
    if let Some(known) = shelf.kept_odds.get(&key) {
        return Ok(known);
    }
    let found = Arc::new(odds(situation, ask, stop, time)?);
    if found.result.sample.is_none() && found.result.odds.states <= MAX_KEPT_STATES {
        shelf.kept_odds.put(key, found.clone());
    }
    Ok(found)
}

/// Returns the odds of the situation as its file has it, if a request changes it and they can be counted whole in time.
pub fn odds_before(shelf: &DataSnapshot, ask: &PageRequest, stop: &AtomicBool, time: Duration) -> Option<Arc<CountedOdds>> {
    if !ask.has_changes() {
        return None;
    }
    let mut plain = PageRequest { game: ask.game.clone(), situation: ask.situation.clone(), strict: ask.strict, ..PageRequest::default() };
    let situation = shelf.situation(&mut plain).ok()?;
    let found = cached_odds(shelf, &situation, &plain, stop, time).ok()?;
    found.result.sample.is_none().then_some(found)
}

/// A comparison of rulesets.
pub struct ComparisonAnswer {
    /// The odds under each ruleset.
    pub views: Vec<RulesetView>,
    /// For each ruleset but the first: where it diverges from the one before.
    pub divergences: Vec<Divergence>,
}

/// Builds the situation of a request under each of its rulesets.
pub fn situations_of(shelf: &DataSnapshot, ask: &PageRequest) -> Result<Vec<Situation>, Error> {
    if !(2..=MAX_RULESETS).contains(&ask.rulesets.len()) {
        let ticked = ask.rulesets.len();
        return Err(Error::Usage(format!(
            "two rulesets can be set side by side, and up to {MAX_RULESETS}; {ticked} {} chosen",
            if ticked == 1 { "is" } else { "are" }
        )));
    }
    let under = |with: &Vec<String>| {
        let wish = PageRequest { with: Some(with.clone()), ..ask.clone() }.spec(&shelf.library, InForce::default());
        changed_situation(&shelf.program(&wish)?, ask)
    };
    ask.rulesets.iter().map(under).collect()
}

/// Compares the rulesets of a request; with `causes` it also searches for the amendments that cause the differences.
pub fn compare(
    shelf: &DataSnapshot,
    ask: &PageRequest,
    causes: bool,
    stop: &AtomicBool,
    time: Duration,
) -> Result<ComparisonAnswer, Error> {
    let situations = situations_of(shelf, ask)?;
    let game = shelf.library.game(&ask.game)?;
    let overrides = ask.overrides()?;
    let (choices, measure) = (ask.choices(), ask.measure.as_deref().map(Measure::parse).transpose()?);
    let question = Comparison {
        library: &shelf.library,
        situation_name: &ask.situation,
        overrides: &overrides,
        choices: &choices,
        policies: policies(ask, game)?,
        measure: measure.as_ref(),
        strict: ask.strict,
        deadline: task::end_within(Instant::now() + time),
        memory: memory(),
        stop,
        progress: &|_, _, _| {},
        threads: thread_count(),
    };
    let count = situations.len();
    let mut views: Vec<RulesetView> = Vec::new();
    for situation in situations {
        // A share of the time is reserved for paired runs and causes.
        let until = question.end_of_share(count - views.len() + 2 * (count - 1));
        views.push(question.evaluate(situation, until)?);
    }
    let mut partings = Vec::new();
    for i in 1..count {
        let own = Comparison { deadline: question.end_of_share(count - i), policies: question.policies.clone(), ..question };
        partings.push(compare_views(&own, &views[i - 1], &views[i], own.end_of_share(2), causes)?);
    }
    Ok(ComparisonAnswer { views, divergences: partings })
}

/// Returns the number of available processors.
fn thread_count() -> usize {
    parallel::thread_count()
}
