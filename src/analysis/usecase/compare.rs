//! Several rulesets side by side: the odds under each, and where they diverge.

use crate::compare::ruleset_difference::{RulesetDifference, compare_views};
use crate::compare::view::{Comparison, RulesetView};
use crate::odds::headline::{EntryValues, headline_values};
use crate::odds::measure::Measure;
use crate::usecase::resolve::resolve;
use crate::usecase::settings::{CountLimits, DiceSource, SituationSettings};
use casebook_engine::complaint::{Complaints, DiagnosticCode, Error};
use casebook_engine::data::library::Library;
use casebook_engine::ruling::citations::cites_text;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::overrides::Overrides;
use casebook_engine::situation::policy::Policies;
use serde_json::{Value, json};
use std::sync::Arc;

/// Which views of a comparison are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewPairs {
    /// Each with the one before.
    Neighbours,
    WithFirst,
}

/// Rulesets side by side.
pub struct RulesetComparison {
    /// The odds under each ruleset that could be counted, each with its title.
    pub views: Vec<RulesetView>,
    /// For each view but the first: where it diverges from the one before, or from the first.
    pub differences: Vec<RulesetDifference>,
    /// The rulesets that lack a figure, with the reason.
    pub left_out: Vec<UncountedRuleset>,
}

/// A ruleset that could not be counted.
#[derive(Clone, Debug)]
pub struct UncountedRuleset {
    pub title: String,
    /// Why it could not be counted.
    pub complaints: Complaints,
}

/// Returns the missing figures if they are the only obstacle to counting, otherwise the error.
pub fn missing_figures(error: Error) -> Result<Complaints, Error> {
    match error {
        Error::Data(complaints)
            if !complaints.0.is_empty()
                && complaints
                    .0
                    .iter()
                    .all(|one| one.code == DiagnosticCode::Figure) =>
        {
            Ok(complaints)
        }
        other_error => Err(other_error),
    }
}

/// Builds the question of a comparison. `measure` and `policies` are those of the settings.
pub fn comparison<'a>(
    library: &'a Arc<Library>,
    (situation_name, overrides): (&'a str, &'a Overrides),
    settings: &'a SituationSettings,
    (policies, measure): (Arc<Policies>, Option<&'a Measure>),
    limits: CountLimits<'a>,
) -> Comparison<'a> {
    Comparison {
        library,
        situation_name,
        overrides,
        choices: &settings.choices,
        policies,
        measure,
        strict: settings.strict,
        deadline: limits.deadline(),
        memory: limits.memory,
        stop: limits.stop,
        progress: limits.progress,
        threads: limits.threads,
    }
}

/// Counts a situation under several rulesets, each with a title of its own if one is given, and compares the views in pairs. With `causes`
/// it also searches for the amendments that cause the differences.
pub fn compare(
    question: &Comparison,
    situations: Vec<(Option<String>, Situation)>,
    pairs: ViewPairs,
    causes: bool,
) -> Result<RulesetComparison, Error> {
    let count = situations.len();
    let (mut views, mut left_out): (Vec<RulesetView>, Vec<UncountedRuleset>) = Default::default();
    for (index, (title, situation)) in situations.into_iter().enumerate() {
        let title = title.unwrap_or_else(|| situation.ruleset().short_title());
        // A share of the time is reserved for paired runs and causes.
        match question.evaluate(
            situation,
            question.end_of_share(count - index + 2 * (count - 1)),
        ) {
            Ok(mut view) => {
                view.title = title;
                views.push(view);
            }
            // The first view is the baseline of the others.
            Err(error) if pairs == ViewPairs::WithFirst && views.is_empty() => return Err(error),
            Err(error) => left_out.push(UncountedRuleset {
                title,
                complaints: missing_figures(error)?,
            }),
        }
    }
    let mut differences = Vec::new();
    for index in 1..views.len() {
        let pair_question = Comparison {
            deadline: question.end_of_share(views.len() - index),
            policies: question.policies.clone(),
            ..*question
        };
        let base = if pairs == ViewPairs::Neighbours {
            index - 1
        } else {
            0
        };
        differences.push(compare_views(
            &pair_question,
            &views[base],
            &views[index],
            pair_question.end_of_share(2),
            causes,
        )?);
    }
    Ok(RulesetComparison {
        views,
        differences,
        left_out,
    })
}

/// Compares a situation under several rulesets, each with the one before; also returns what the same dice come to under each ruleset that
/// was counted: its outcomes by name, or why it is `refused`.
pub fn compare_on_dice(
    question: &Comparison,
    situations: Vec<Situation>,
    settings: &SituationSettings,
    dice: &DiceSource,
) -> Result<(RulesetComparison, Vec<Value>), Error> {
    let (mut rulings, mut countable, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for situation in situations {
        match outcomes_json(&situation, settings, dice) {
            Ok(ruling) => {
                rulings.push((situation.program.clone(), ruling));
                countable.push((None, situation));
            }
            Err(error) => {
                missing.push(UncountedRuleset {
                    title: situation.ruleset().short_title(),
                    complaints: missing_figures(error)?,
                });
            }
        }
    }
    let mut compared = compare(question, countable, ViewPairs::Neighbours, true)?;
    compared.left_out.splice(0..0, missing);
    if compared.views.is_empty() {
        return Err(Error::Usage(format!(
            "nothing is left to compare: {}",
            uncounted_lines(&compared.left_out).join("; ")
        )));
    }
    // What could not be counted has a ruling without a view.
    let ruling_of = |view: &RulesetView| {
        rulings
            .iter()
            .find(|(program, _)| Arc::ptr_eq(program, &view.situation.program))
    };
    let rulings = compared
        .views
        .iter()
        .filter_map(ruling_of)
        .map(|(_, ruling)| ruling.clone())
        .collect();
    Ok((compared, rulings))
}

/// Plays the situation under a ruleset; returns its outcomes or the refusal.
fn outcomes_json(
    situation: &Situation,
    settings: &SituationSettings,
    dice: &DiceSource,
) -> Result<Value, Error> {
    let ruling = resolve(situation, settings, dice)?.ruling;
    let refused = ruling
        .refused
        .map(|line| format!("{} [{}]", line.text, cites_text(&line.cites)));
    Ok(refused.map_or(
        Value::Object(ruling.results),
        |refusal| json!({ "refused": refusal }),
    ))
}

/// Returns the headline of a counted view.
pub fn headline_of_view(view: &RulesetView) -> Vec<EntryValues> {
    if view.is_complete() {
        headline_values(&view.situation, &view.odds, None)
    } else {
        Vec::new()
    }
}

/// Formats the rulesets that were left out as text, one each.
pub fn uncounted_lines(left_out: &[UncountedRuleset]) -> Vec<String> {
    left_out
        .iter()
        .map(|ruleset| format!("{}: {}", ruleset.title, ruleset.complaints.0[0].message))
        .collect()
}
