//! What a style that looks at odds takes: of the options of a choice the one that promises most of what the style wants, to the end of the
//! procedure at hand, or of a procedure within it that the style names.
//!
//! The count of an option is bounded by its memory, and what is left is sampled by a fixed number of runs with fixed seeds. So the same
//! choice is weighed in the same way again; a time limit only ends what would take far too long.

use crate::odds::bar_chart::rows;
use crate::odds::bounds::SearchLimits;
use crate::odds::count::CountJob;
use crate::odds::distribution::Odds;
use crate::odds::explore::StateKeyParts;
use crate::odds::fold::Strategy;
use crate::odds::measure::{Measure, parse_number};
use crate::odds::sample::{SampleJob, SampleQuery};
use crate::usecase::play_on::option_by_playing_on;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::{ChoiceRequest, State, Stop};
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place};
use casebook_engine::data::answer_rules::matches_pattern;
use casebook_engine::data::manifest::{PlayStyle, function_name};
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::task;
use casebook_engine::ruling::choice_source::{ChoiceSource, Weigher};
use casebook_engine::ruling::deck_view::holds_secret_cards;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::policy::{Policies, PolicyKind};
use casebook_engine::situation::trace::AnswerSource;
use casebook_engine::situation::value_text::{outcome_text, value_text};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Memory of the count of one option, in bytes.
const MEMORY: u64 = 8 << 20;
/// Number of runs for what the count of an option leaves.
const RUNS: u64 = 96;
/// Maximum number of options that are weighed; the others are left out, as are those for which no time is left.
const MAX_OPTIONS: usize = 24;
/// Time limit of a whole choice.
const TIME: Duration = Duration::from_secs(8);

/// An option with what it promises.
#[derive(Clone, Debug, PartialEq)]
pub struct WeighedOption {
    /// The option.
    pub text: String,
    /// The mean of the measure.
    pub mean: f64,
    /// Whether it was counted, not sampled.
    pub is_exact: bool,
}

/// A choice as a style weighed it.
#[derive(Clone, Debug, PartialEq)]
pub struct WeighedChoice {
    /// The measure of the style: a sum of outcomes.
    pub measure: String,
    /// The procedure to whose end they were weighed.
    pub up_to: String,
    /// The options in order.
    pub options: Vec<WeighedOption>,
    /// The index of the best: the first of equal ones.
    pub best: usize,
}

impl fmt::Display for WeighedChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let option_text = |option: &WeighedOption| {
            format!(
                "{} {}{:+.2}",
                option.text,
                if option.is_exact { "" } else { "about " },
                option.mean
            )
        };
        let mut order: Vec<&WeighedOption> = self.options.iter().collect();
        order.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        let best: Vec<String> = order
            .iter()
            .take(4)
            .map(|option| option_text(option))
            .collect();
        write!(f, "{}: {}", self.wanted(), best.join(", "))
    }
}

impl WeighedChoice {
    /// Returns what the style wants, in words.
    pub fn wanted(&self) -> String {
        self.measure
            .replace('*', "")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Returns what weighs the choices of a situation for styles that look ahead; `None` if no side has such a style.
pub fn weigher(situation: &Situation, policies: &Arc<Policies>) -> Option<Weigher> {
    let looks = |is_meant: fn(&PlayStyle) -> bool| {
        policies.any(|kind| matches!(kind, PolicyKind::Style(style) if is_meant(style)))
    };
    if !looks(PlayStyle::looks_ahead) {
        return None;
    }
    let plays_on = looks(|style| style.plays_on.is_some());
    let (situation, policies) = (situation.deep_clone(), policies.clone());
    let weigher = Weigher::new(plays_on, move |state, request, style, sequence| {
        // What comes after it would show the side what the others hold, or what they have answered in secret.
        let ruleset = situation.ruleset();
        let is_other = |side: &String| side != request.side.as_str();
        if ruleset.is_secret(request.question.as_str())
            || holds_secret_cards(&state.board, &ruleset.game, is_other)
        {
            return Ok(None);
        }
        let asked = (state, request);
        let found = option_by_playing_on(&situation, &policies, asked, style, sequence)?;
        let measure = style.measure_of(request.question.as_str());
        let (None, Some(measure)) = (&found, measure) else {
            return Ok(found);
        };
        let weighed = weigh(&situation, state, request, measure, &policies)?;
        Ok(Some((weighed.best, format!("by the odds of {weighed}"))))
    });
    Some(weigher)
}

/// Weighs the options of a pending choice by a measure. The choices that follow are answered by the policies as in any count: a style by its
/// answers, nobody by the first option.
pub fn weigh(
    situation: &Situation,
    state: &State,
    request: &ChoiceRequest,
    measure: &str,
    policies: &Policies,
) -> Result<WeighedChoice, Complaints> {
    let source = ChoiceSource {
        policies: Arc::new(policies.without_records()),
        ..ChoiceSource::default()
    };
    let measure = &situation
        .ruleset()
        .game
        .for_side(measure, request.side.as_str());
    let parsed_measure =
        Measure::parse(measure).map_err(|error| faulty(request, measure, &error))?;
    let (stop, until) = (
        AtomicBool::new(false),
        task::end_within(Instant::now() + TIME),
    );
    let limits = SearchLimits {
        deadline: until,
        memory: MEMORY,
        stop: &stop,
        progress: &|_, _| {},
    };
    let (ends, mut up_to) = (
        procedure_slots(situation, policies, request),
        situation.procedure.clone(),
    );
    let mut options = Vec::new();
    for option in 0..request.options.len().min(MAX_OPTIONS) {
        let (mut option_state, mut machine) = (state.clone(), situation.machine());
        // Earlier outcomes are the same for all options.
        option_state.outcomes.clear();
        machine.resume(&option_state)?;
        if let Some(slot) = machine.end_at_return_of(
            &mut option_state,
            &ends.iter().map(|(slot, _)| *slot).collect::<Vec<_>>(),
        ) {
            up_to = ends
                .iter()
                .find(|(known, _)| *known == slot)
                .map_or(up_to, |(_, name)| name.to_string());
        }
        machine.answer_choice(&mut option_state, request, option, AnswerSource::Explicit);
        let Some((mean, is_exact)) = worth(
            situation,
            (machine, option_state),
            request,
            &parsed_measure,
            &source,
            &limits,
        )?
        else {
            break;
        };
        options.push(WeighedOption {
            text: value_text(&request.options[option], &state.board),
            mean,
            is_exact,
        });
    }
    let best = (0..options.len())
        .rev()
        .max_by(|a, b| options[*a].mean.total_cmp(&options[*b].mean))
        .unwrap_or(0);
    Ok(WeighedChoice {
        measure: measure.clone(),
        up_to,
        options,
        best,
    })
}

/// Returns the procedures at whose end the style of a choice stops weighing, with the slots of their functions.
fn procedure_slots<'a>(
    situation: &Situation,
    policies: &'a Policies,
    request: &ChoiceRequest,
) -> Vec<(usize, &'a String)> {
    let Some((_, PolicyKind::Style(style))) = policies.policy_of(request.side.as_str()) else {
        return Vec::new();
    };
    style
        .up_to
        .iter()
        .filter_map(|name| Some((situation.ruleset().slot(&function_name(name), 1)?, name)))
        .collect()
}

fn faulty(request: &ChoiceRequest, measure: &str, error: &Error) -> Complaints {
    let what = format!(
        "{}: {}: `{measure}` can't be weighed: {error}",
        request.side, request.question
    );
    let help = "`weighs:` of a style names outcomes that are numbers, or yes and no: '*defender losses - *attacker losses'";
    Complaint::new(DiagnosticCode::Choice, Place::whole_file("styles:"), what)
        .with_help(help)
        .into()
}

/// Returns the mean of a measure after an option is taken, and whether it was counted whole; `None` if the time was up before anything was known.
fn worth(
    situation: &Situation,
    (mut machine, mut state): (Machine, State),
    request: &ChoiceRequest,
    measure: &Measure,
    source: &ChoiceSource,
    limits: &SearchLimits,
) -> Result<Option<(f64, bool)>, Complaints> {
    let wrong = |error: Error| match error {
        Error::Data(complaints) => complaints,
        other_error => faulty(request, &measure.text, &other_error),
    };
    let value = |name: &str, value: &str| -> Result<f64, Complaints> {
        let signs: i64 = measure
            .terms()
            .iter()
            .filter(|(_, term)| matches_pattern(term, name))
            .map(|(sign, _)| sign)
            .sum();
        Ok(if signs == 0 {
            0.0
        } else {
            (signs * parse_number(name, value).map_err(wrong)?) as f64
        })
    };
    loop {
        match machine.run(&mut state) {
            Stop::Returned => {}
            Stop::Throw(_) | Stop::Choice(_) => break,
            Stop::Failed(complaints) => return Err(complaints),
            Stop::Done(_) => {
                let outcomes = state.outcomes.iter();
                let worth = outcomes
                    .map(|(name, found)| value(name.as_str(), &outcome_text(found, &state.board)))
                    .sum::<Result<f64, _>>()?;
                return Ok(Some((worth, true)));
            }
            // A refused option has no effect.
            Stop::Refused(_) | Stop::Count(_) => return Ok(Some((f64::NEG_INFINITY, true))),
        }
    }
    let remaining = situation.with_state(state);
    let counted = CountJob {
        situation: &remaining,
        choice_source: source,
        key_parts: &StateKeyParts::default(),
        threads: 1,
        limits,
    }
    .run()
    .map_err(wrong)?;
    let odds = Odds::new(&counted, &Strategy::default()).map_err(wrong)?;
    let (is_folded, query) = (odds.is_known(), &SampleQuery::default());
    let job = SampleJob {
        situation: &remaining,
        choice_source: source,
        counted: &counted,
        is_folded,
        query,
        max_runs: RUNS,
        limits: *limits,
    };
    let sampled = if odds.is_complete() {
        None
    } else {
        Some(job.run(1).map_err(wrong)?)
    };
    if sampled
        .as_ref()
        .is_some_and(|sample| sample.matching_runs == 0)
    {
        return Ok(None);
    }
    let mut mean = 0.0;
    for (name, outcome_rows) in rows(&odds, sampled.as_ref()) {
        for row in outcome_rows {
            mean += row.chance * value(&name, &row.value)?;
        }
    }
    Ok(Some((mean, sampled.is_none())))
}
