//! Checks the odds that a test states against the counted odds.

use crate::testing::test::{RulingTest, StatedChance};
use casebook_analysis::odds::assumptions::unused_answers;
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::distribution::{NO_OUTCOME, Odds};
use casebook_analysis::odds::fraction::{Distribution, Fraction};
use casebook_analysis::usecase::odds::count;
use casebook_analysis::usecase::settings::{CountLimits, SituationSettings};
use casebook_engine::complaint::{Complaint, DiagnosticCode, Error};
use casebook_engine::ruling::condition::GatheredValues;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::policy::Policies;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of the count for a test.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Memory limit of the count for a test, in bytes.
const MEMORY_LIMIT: u64 = 256 << 20;

/// The keyword for the mean of an outcome, unless the outcome has a value of this name.
const MEAN: &str = "mean";

/// Counts the odds and returns a complaint for each stated chance that differs.
pub fn check_stated_odds(
    ruling_test: &RulingTest,
    situation: &Situation,
) -> Result<Vec<Complaint>, Error> {
    let (policies, stop) = (Arc::new(Policies::default()), AtomicBool::new(false));
    let settings = SituationSettings {
        choices: ruling_test.choices.clone(),
        ..SituationSettings::default()
    };
    // Tests already run in parallel on all cores.
    let limits = CountLimits {
        memory: MEMORY_LIMIT,
        threads: 1,
        ..CountLimits::new(TIME_LIMIT, &stop)
    };
    let odds = count(situation, &settings, policies.clone(), limits)?;
    let mut complaints: Vec<Complaint> = Vec::new();
    if !odds.is_complete() {
        let message = format!(
            "not all chances could be counted in {} seconds, so that the odds are not known exactly",
            TIME_LIMIT.as_secs()
        );
        let complaint = ruling_test.complaint(
            DiagnosticCode::Limit,
            ruling_test.odds[0].outcome.1,
            message,
        );
        return Ok(vec![complaint.with_help(
            "state the odds of a smaller situation, or settle some choices with `choose:`",
        )]);
    }
    for unused in unused_answers(&policies.asked_questions(), &ruling_test.choices) {
        let message = format!("no question asks for the answer given to {unused}");
        let complaint = ruling_test.complaint(DiagnosticCode::Test, ruling_test.span, message);
        complaints.push(
            complaint.with_help("leave it out of `choose:`, or name the question as it is asked"),
        );
    }
    for stated in &ruling_test.odds {
        complaints.extend(mismatch(stated, &odds).map(|(message, help)| {
            let span = if odds.distribution(&stated.outcome.0).is_some() {
                stated.span
            } else {
                stated.outcome.1
            };
            ruling_test
                .complaint(DiagnosticCode::Test, span, message)
                .with_help(help)
        }));
    }
    Ok(complaints)
}

/// Compares a stated chance with the odds; returns what is wrong, and the counted values.
fn mismatch(stated: &StatedChance, odds: &Odds) -> Option<(String, String)> {
    let (name, value) = (&stated.outcome.0, stated.value.as_str());
    let Some(distribution) = odds.distribution(name) else {
        let error = odds
            .check_outcome(name)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        let listed_names = if odds.order.is_empty() {
            "none".to_string()
        } else {
            odds.order.join(", ")
        };
        return Some((error, format!("outcomes of these odds: {listed_names}")));
    };
    let value = if value == odds.shown(name, NO_OUTCOME) {
        NO_OUTCOME
    } else {
        value
    };
    if value == MEAN && !distribution.has(MEAN) {
        let Some(mean) = distribution.mean() else {
            return Some((
                format!("`{name}` has no mean: not all its values are numbers"),
                distribution_text(odds, name),
            ));
        };
        let message = || {
            format!(
                "`{name}`: expected a mean of {}, it is {mean} ({:.3})",
                stated.chance.text,
                mean.to_f64()
            )
        };
        return (!mean.equals_stated(&stated.chance))
            .then(|| (message(), distribution_text(odds, name)));
    }
    let together = |gathered: &str| Some(GatheredValues::parse(gathered)?.has(value.parse().ok()?));
    if let Some((gathered, _)) = distribution
        .iter()
        .find(|(gathered, _)| together(gathered) == Some(true))
    {
        let message =
            format!("`{name}`, {value}: it has no end, and what is {gathered} is counted together");
        return Some((
            message,
            format!("state the chance of `{gathered}`, of a number before that, or the mean"),
        ));
    }
    let chance = distribution.chance(value);
    let message = || {
        let expected = &stated.chance;
        let also = if expected.text.contains('/') {
            format!(" ({})", percent(expected.to_f64()))
        } else {
            String::new()
        };
        format!(
            "`{name}`, {}: expected a chance of {}{also}, it is {chance} ({})",
            odds.shown(name, value),
            expected.text,
            percent(chance.to_f64())
        )
    };
    (!chance.equals_stated(&stated.chance)).then(|| (message(), distribution_text(odds, name)))
}

/// Formats all values of an outcome with their chances.
fn distribution_text(odds: &Odds, name: &str) -> String {
    let entry =
        |(value, chance): (&str, &Fraction)| format!("{} {chance}", odds.shown(name, value));
    let entries: Vec<String> = odds
        .distribution(name)
        .into_iter()
        .flat_map(Distribution::iter)
        .map(entry)
        .collect();
    format!("counted: {}", entries.join(", "))
}
