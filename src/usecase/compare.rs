//! Several rulesets side by side: the odds under each, and where they diverge.

use crate::compare::divergence::{Divergence, compare_views};
use crate::compare::view::{Comparison, RulesetView};
use crate::complaint::{Complaints, DiagnosticCode, Error};
use crate::data::library::Library;
use crate::odds::measure::Measure;
use crate::ruling::situation::Situation;
use crate::situation::overrides::Overrides;
use crate::situation::policy::Policies;
use crate::usecase::settings::{CountLimits, SituationSettings};
use std::sync::Arc;

/// Which views of a comparison are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewPairs {
    /// Each with the one before.
    Neighbours,
    /// Each with the first.
    WithFirst,
}

/// Rulesets side by side.
pub struct RulesetComparison {
    /// The odds under each ruleset that could be counted, each with its title.
    pub views: Vec<RulesetView>,
    /// For each view but the first: where it diverges from the one before, or from the first.
    pub divergences: Vec<Divergence>,
    /// The rulesets that lack a figure, with the reason.
    pub left_out: Vec<UncountedRuleset>,
}

/// A ruleset that could not be counted: its title and the reason.
pub type UncountedRuleset = (String, Complaints);

/// Returns the missing figures if they are the only obstacle to counting, otherwise the error.
pub fn missing_figures(error: Error) -> Result<Complaints, Error> {
    match error {
        Error::Data(complaints) if !complaints.0.is_empty() && complaints.0.iter().all(|one| one.code == DiagnosticCode::Figure) => {
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
        match question.evaluate(situation, question.end_of_share(count - index + 2 * (count - 1))) {
            Ok(mut view) => {
                view.title = title;
                views.push(view);
            }
            // The first view is the baseline of the others.
            Err(error) if pairs == ViewPairs::WithFirst && views.is_empty() => return Err(error),
            Err(error) => left_out.push((title, missing_figures(error)?)),
        }
    }
    let mut divergences = Vec::new();
    for index in 1..views.len() {
        let pair_question =
            Comparison { deadline: question.end_of_share(views.len() - index), policies: question.policies.clone(), ..*question };
        let base = if pairs == ViewPairs::Neighbours { index - 1 } else { 0 };
        divergences.push(compare_views(&pair_question, &views[base], &views[index], pair_question.end_of_share(2), causes)?);
    }
    Ok(RulesetComparison { views, divergences, left_out })
}
