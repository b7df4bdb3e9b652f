//! Computes rulings, odds and comparisons for pages and the API.

use crate::serve::layout::PageQuery;
use crate::serve::page_request::PageRequest;
use crate::serve::workbench::{DataSnapshot, changed_situation};
use casebook_analysis::balance;
use casebook_analysis::balance::question::{BalanceAnswer, BalanceRequest};
use casebook_analysis::compare::view::{Comparison, RulesetView};
use casebook_analysis::odds::assumptions::{Assumptions, CountedOdds, assumptions};
use casebook_analysis::odds::sample::SampleQuery;
use casebook_analysis::odds::shards::Shard;
use casebook_analysis::odds::sweep::SweepResult;
use casebook_analysis::usecase;
use casebook_analysis::usecase::compare::{
    RulesetComparison, ViewPairs, compare_on_dice, comparison,
};
use casebook_analysis::usecase::comparison_report::ComparisonReport;
use casebook_analysis::usecase::resolve::{resolve, resolve_on};
use casebook_analysis::usecase::settings::{CountLimits, SituationSettings};
use casebook_checks::author::headline_checks::{check_headline_of, headlines_of};
use casebook_engine::complaint::{DiagnosticCode, Error};
use casebook_engine::data::library::InForce;
use casebook_engine::ruling::resolve::ResolvedRuling;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::overrides::{Overrides, Sweep};
use casebook_engine::situation::value_text::value_text;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time limits in seconds of the successive requests of a page for a count.
const COUNT_SECONDS: [u64; 3] = [1, 5, 20];

/// Maximum number of rulesets in a comparison.
pub const MAX_RULESETS: usize = 6;

pub fn ruling(situation: &Situation, request: &PageRequest) -> Result<ResolvedRuling, Error> {
    let resolved = resolve(situation, &request.settings(), &request.dice_source())?;
    check_headline_of(situation, |name| resolved.ruling.results.contains_key(name))?;
    Ok(resolved)
}

/// Resolves a situation; `None` if it exceeds the time limit.
pub fn ruling_within(
    situation: &Situation,
    request: &PageRequest,
    time: Duration,
) -> Option<Result<ResolvedRuling, Error>> {
    let mut machine = situation.machine();
    machine.time_limit = time;
    match resolve_on(
        &mut machine,
        situation,
        &request.settings(),
        &request.dice_source(),
    ) {
        Err(Error::Data(complaints))
            if complaints
                .0
                .iter()
                .any(|complaint| complaint.code == DiagnosticCode::Limit) =>
        {
            None
        }
        ran => Some(ran),
    }
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
    request: &PageRequest,
    run: impl Fn(&Situation, &PageRequest) -> Result<T, Error>,
) -> (Result<T, Error>, Option<ValidatedSituation>) {
    let mut fit: Option<ValidatedSituation> = None;
    loop {
        let (current, request) = fit
            .as_ref()
            .map_or((situation, request), |fit| (&fit.situation, &fit.request));
        let result = run(current, request);
        let Some(unfit) = result
            .as_ref()
            .err()
            .and_then(|error| invalid_choice(error, current, request))
        else {
            return (result, fit);
        };
        let (mut without_answer, mut request) = (current.deep_clone(), request.clone());
        without_answer.choices.remove(&unfit.question);
        request.choose.remove(&unfit.question);
        let earlier = fit.into_iter().flat_map(|fit| fit.invalid_choices);
        fit = Some(ValidatedSituation {
            situation: without_answer,
            request,
            invalid_choices: earlier.chain([unfit]).collect(),
        });
    }
}

/// Returns the answer that an error reports as not allowed.
fn invalid_choice(
    error: &Error,
    situation: &Situation,
    request: &PageRequest,
) -> Option<InvalidChoice> {
    let Error::Data(complaints) = error else {
        return None;
    };
    let rejected = complaints
        .0
        .iter()
        .find_map(|complaint| complaint.rejected.as_deref())?;
    let board = Board::new(situation.initial_board.clone());
    let own_answers = situation
        .choices
        .iter()
        .map(|(question, value)| (question.clone(), value_text(value, &board)));
    let names = [
        rejected.question.clone(),
        format!("{}: {}", rejected.side, rejected.question),
    ];
    let is_rejected = |(question, answer): &(String, String)| {
        names.contains(question) && *answer == rejected.answer
    };
    let (question, answer) = request
        .settings()
        .choices
        .into_iter()
        .chain(own_answers)
        .find(is_rejected)?;
    Some(InvalidChoice {
        question,
        answer,
        allowed: rejected.allowed.clone(),
    })
}

/// The time for sampling what is not counted when a user stops a count.
const TIME_AFTER_STOP: Duration = Duration::from_secs(1);

/// Returns the limits of a count that a user may stop: what it has not counted then is sampled.
pub fn count_limits(time: Duration, stop: &AtomicBool) -> CountLimits<'_> {
    CountLimits {
        time_after_stop: TIME_AFTER_STOP,
        ..CountLimits::new(time, stop)
    }
}

/// A count for a page, which requests it again with more time until it is complete.
#[derive(Clone, Copy)]
pub struct PageCount<'a> {
    pub limits: CountLimits<'a>,
    /// The number of the next request; `None` after the last.
    pub next: Option<usize>,
}

impl<'a> PageCount<'a> {
    /// Creates the count of the page itself.
    pub fn first(time: Duration, stop: &'a AtomicBool) -> PageCount<'a> {
        PageCount {
            limits: count_limits(time, stop),
            next: Some(0),
        }
    }

    /// Creates the count of a later request, whose number is `look`.
    pub fn of_request(page_query: &PageQuery<'a>) -> PageCount<'a> {
        let look = page_query
            .parameter("look")
            .parse()
            .unwrap_or(0)
            .min(COUNT_SECONDS.len() - 1);
        let limits = count_limits(Duration::from_secs(COUNT_SECONDS[look]), page_query.stop);
        PageCount {
            limits,
            next: Some(look + 1).filter(|next| *next < COUNT_SECONDS.len()),
        }
    }

    /// Returns the number of the next request, unless the user has ended the count.
    pub fn next_request(&self) -> Option<usize> {
        self.next
            .filter(|_| !self.limits.stop.load(Ordering::Relaxed))
    }

    /// Renders that an unfinished count goes on.
    pub fn render_progress(&self, is_unfinished: bool) -> Markup {
        html! { @if let Some(next) = self.next_request().filter(|_| is_unfinished) { p.more data-more=(next) role="status" { "Counting goes on…" } } }
    }
}

/// Computes the odds of a situation within limits.
pub fn odds(
    situation: &Situation,
    request: &PageRequest,
    limits: CountLimits,
) -> Result<CountedOdds, Error> {
    let counted = usecase::odds::odds(
        situation,
        &request.settings(),
        SampleQuery::default(),
        limits,
    )?;
    check_headline_of(situation, |name| {
        counted.result.odds.distribution(name).is_some()
    })?;
    Ok(counted)
}

/// The odds over the values of one figure.
pub struct SweepAnswer {
    /// The odds at each value, under each ruleset.
    pub result: SweepResult,
    pub assumptions: Assumptions,
    /// The other overrides.
    pub overrides: Overrides,
}

/// Computes the odds over the values of one figure, `Red guard: size=1..20`, under the ruleset of the request, or under each of its
/// `rulesets`.
pub fn sweep(
    snapshot: &DataSnapshot,
    request: &PageRequest,
    swept: &str,
    limits: CountLimits,
) -> Result<SweepAnswer, Error> {
    let Some((name, values)) = swept.split_once('=') else {
        return Err(Error::Usage(format!(
            "`{swept}` does not say which values: write 'PIECE: FIGURE=1..20', or a list 2,4,8"
        )));
    };
    let sweep = Sweep::read(name, values)?;
    let mut request = request.clone();
    snapshot.complete_request(&mut request)?;
    // The sweep sets this figure.
    request.set.remove(&sweep.name);
    let situations = match request.rulesets.is_empty() {
        true => vec![snapshot.situation(&mut request)?],
        false => situations_of(snapshot, &request)?,
    };
    let rulesets: Vec<_> = situations
        .into_iter()
        .map(|situation| (situation.program, situation.scenario))
        .collect();
    let (unchanged, settings) = (Overrides::default(), request.settings());
    let (result, assumptions) =
        usecase::odds::sweep(&rulesets, &unchanged, &sweep, &settings, limits)?;
    let overrides = Overrides::parse_all(&request.set.into_iter().collect::<Vec<_>>())?;
    Ok(SweepAnswer {
        result,
        assumptions,
        overrides,
    })
}

/// The largest graph whose odds are kept.
const MAX_KEPT_STATES: u64 = 200_000;

/// Returns the odds of a situation from the snapshot's cache, or computes them; odds that were counted whole are kept.
pub fn cached_odds(
    snapshot: &DataSnapshot,
    situation: &Situation,
    request: &PageRequest,
    limits: CountLimits,
) -> Result<Arc<CountedOdds>, Error> {
    let plain = PageRequest {
        seed: None,
        dice: None,
        moves: Vec::new(),
        rulesets: Vec::new(),
        ..request.clone()
    };
    let key = format!(
        "{}/{}?{}",
        request.game,
        request.situation,
        plain.to_query()
    );
    if let Some(kept) = snapshot.kept_odds.get(&key) {
        return Ok(kept);
    }
    let counted = Arc::new(odds(situation, request, limits)?);
    if counted.result.sample.is_none() && counted.result.odds.states <= MAX_KEPT_STATES {
        snapshot.kept_odds.put(key, counted.clone());
    }
    Ok(counted)
}

/// Returns the odds of the situation as its file has it, if a request changes it and they can be counted whole in time.
pub fn odds_before(
    snapshot: &DataSnapshot,
    request: &PageRequest,
    limits: CountLimits,
) -> Option<Arc<CountedOdds>> {
    if !request.has_changes() {
        return None;
    }
    let mut plain = PageRequest {
        strict: request.strict,
        ..PageRequest::of(&request.game, &request.situation)
    };
    let situation = snapshot.situation(&mut plain).ok()?;
    let counted = cached_odds(snapshot, &situation, &plain, limits).ok()?;
    counted.result.sample.is_none().then_some(counted)
}

/// Builds a situation with the variants that it names, changed by `change`. Unlike on a page, a faulty variant is an error.
pub fn situation_with(
    snapshot: &DataSnapshot,
    (game, name): (&str, &str),
    change: impl FnOnce(&mut Vec<String>),
) -> Result<(Situation, PageRequest), Error> {
    let mut request = PageRequest::of(game, name);
    let mut in_force = snapshot.complete_request(&mut request)?;
    change(&mut in_force.variants);
    let program = snapshot.program(&request.spec(&snapshot.library, in_force.clone()))?;
    let situation = changed_situation(&program, &request)?;
    request.with = Some(in_force.variants);
    Ok((situation, request))
}

/// Builds the situation of a request under each of its rulesets.
pub fn situations_of(
    snapshot: &DataSnapshot,
    request: &PageRequest,
) -> Result<Vec<Situation>, Error> {
    if !(2..=MAX_RULESETS).contains(&request.rulesets.len()) {
        let ticked = request.rulesets.len();
        return Err(Error::Usage(format!(
            "two rulesets can be set side by side, and up to {MAX_RULESETS}; {ticked} {} chosen",
            if ticked == 1 { "is" } else { "are" }
        )));
    }
    let situation_under = |variants: &Vec<String>| {
        let spec = PageRequest {
            with: Some(variants.clone()),
            ..request.clone()
        }
        .spec(&snapshot.library, InForce::default());
        changed_situation(&snapshot.program(&spec)?, request)
    };
    request.rulesets.iter().map(situation_under).collect()
}

/// The greatest number of games of each pairing under each ruleset, and the margin, of a question that a page or the API asks.
const BALANCE_BOUNDS: (u64, f64) = (2_000, 0.03);

/// Plays the situation of a request as a whole game by all declared styles, or by those of its policies, under its rulesets.
pub fn balance(
    snapshot: &DataSnapshot,
    request: &PageRequest,
    causes: bool,
    limits: CountLimits,
) -> Result<BalanceAnswer, Error> {
    let settings = request.settings();
    let rulesets = situations_of(snapshot, request)?
        .iter()
        .map(|situation| situation.ruleset().spec.clone())
        .collect();
    let request = BalanceRequest {
        situation: request.situation.clone(),
        overrides: request.overrides()?,
        rulesets,
        styles: settings.policies,
        choices: settings.choices,
        winner: None,
        score: None,
        seed: request.seed.unwrap_or(1),
        games: BALANCE_BOUNDS.0,
        shard: Shard::WHOLE,
        margin: BALANCE_BOUNDS.1,
        causes,
    };
    balance::question::balance(&snapshot.library, &request, limits)
}

/// Compares the rulesets of a request, and searches for the amendments that cause the differences.
pub fn compare(
    snapshot: &DataSnapshot,
    request: &PageRequest,
    limits: CountLimits,
) -> Result<RulesetComparison, Error> {
    let situations: Vec<_> = situations_of(snapshot, request)?
        .into_iter()
        .map(|situation| (None, situation))
        .collect();
    let compare = |question: &Comparison, _: &SituationSettings| {
        usecase::compare::compare(question, situations, ViewPairs::Neighbours, true)
    };
    let comparison = with_question(snapshot, request, limits, compare)?;
    match comparison.left_out.first() {
        Some(left_out) => Err(Error::Data(left_out.complaints.clone())),
        None => Ok(comparison),
    }
}

/// Compares the rulesets of a request, and answers what `casebook compare` prints as JSON.
pub fn compare_json(
    snapshot: &DataSnapshot,
    request: &PageRequest,
    limits: CountLimits,
) -> Result<Value, Error> {
    let situations = situations_of(snapshot, request)?;
    with_question(snapshot, request, limits, |question, settings| {
        let (compared, rulings) =
            compare_on_dice(question, situations, settings, &request.dice_source())?;
        let headlines = headlines_of(&compared.views)?;
        let assumed = |view: &RulesetView| {
            assumptions(
                &view.situation,
                &view.consulted,
                &question.policies,
                &settings.choices,
            )
        };
        Ok(json!(ComparisonReport::new(
            &compared,
            ViewPairs::Neighbours,
            &headlines,
            &rulings,
            &assumed
        )))
    })
}

/// Puts the question of a comparison.
fn with_question<T>(
    snapshot: &DataSnapshot,
    request: &PageRequest,
    limits: CountLimits,
    work: impl FnOnce(&Comparison, &SituationSettings) -> Result<T, Error>,
) -> Result<T, Error> {
    let (overrides, settings) = (request.overrides()?, request.settings());
    let (policies, measure) = (
        settings.policies(snapshot.library.game(&request.game)?)?,
        settings.measure()?,
    );
    let subject = (request.situation.as_str(), &overrides);
    work(
        &comparison(
            &snapshot.library,
            subject,
            &settings,
            (policies, measure.as_ref()),
            limits,
        ),
        &settings,
    )
}
