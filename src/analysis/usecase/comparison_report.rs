//! A comparison as it is answered: the command line, the API and agents serialise it.

use crate::compare::causes::Cause;
use crate::compare::ruleset_difference::RulesetDifference;
use crate::compare::verdicts::{DifferenceVerdict, OutcomeDifference};
use crate::compare::view::RulesetView;
use crate::odds::assumptions::Assumptions;
use crate::odds::bar_chart::to_json;
use crate::odds::headline::{EntryValues, add_headline};
use crate::usecase::compare::{RulesetComparison, UncountedRuleset, ViewPairs};
use casebook_engine::ruling::json::ruleset_json;
use serde::Serialize;
use serde_json::{Map, Value};

/// Rulesets side by side, and where they differ.
#[derive(Serialize)]
pub struct ComparisonReport<'a> {
    /// The name of the situation.
    pub situation: &'a str,
    /// The figures set by hand, by their names.
    pub set: Map<String, Value>,
    /// The rulesets that could be counted.
    pub rulesets: Vec<RulesetReport<'a>>,
    /// What differs between each pair.
    pub differences: Vec<DifferenceReport<'a>>,
    /// The rulesets that lack a figure.
    pub left_out: Vec<LeftOutRuleset<'a>>,
}

/// What a situation comes to under one ruleset.
#[derive(Serialize)]
pub struct RulesetReport<'a> {
    /// The title.
    pub ruleset: &'a str,
    /// The rules in force.
    pub in_force: Value,
    /// What the same dice come to: outcomes by name, or why it is `refused`; left out if no dice were thrown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<&'a Value>,
    /// The odds, with their headline.
    pub odds: Value,
    /// What the odds rest on.
    pub assumed: Assumptions,
}

/// What differs between two rulesets.
#[derive(Serialize)]
pub struct DifferenceReport<'a> {
    /// The title of the first.
    pub from: &'a str,
    /// The title of the second.
    pub to: &'a str,
    /// The verdict on all outcomes together.
    pub verdict: DifferenceVerdict,
    /// The number of pairs of runs on the same dice, where not all was counted.
    pub pairs: u64,
    /// The number of seeds that causes were looked for on; `None` if they were counted, or not looked for.
    pub causes_on_seeds: Option<usize>,
    /// What is known of each outcome.
    pub outcomes: Vec<OutcomeReport<'a>>,
}

/// What is known of an outcome under two rulesets.
#[derive(Serialize)]
pub struct OutcomeReport<'a> {
    /// The verdict, with the chances of its values.
    #[serde(flatten)]
    pub difference: &'a OutcomeDifference,
    /// The causes, if they were looked for; null if the time was up before they were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub causes: Option<&'a Option<Vec<Cause>>>,
}

/// A ruleset that could not be counted.
#[derive(Serialize)]
pub struct LeftOutRuleset<'a> {
    /// The title.
    pub ruleset: &'a str,
    /// The reason.
    pub why: &'a str,
}

impl<'a> ComparisonReport<'a> {
    /// Reports a comparison of these pairs, with the headline of each view. `rulings` are those of the views on the same dice, or none.
    pub fn new(
        comparison: &'a RulesetComparison,
        pairs: ViewPairs,
        headlines: &[Vec<EntryValues>],
        rulings: &'a [Value],
        assumed: &dyn Fn(&RulesetView) -> Assumptions,
    ) -> ComparisonReport<'a> {
        let RulesetComparison {
            views,
            differences,
            left_out,
        } = comparison;
        let ruleset = |(index, (view, headline)): (usize, (&'a RulesetView, &Vec<EntryValues>))| {
            RulesetReport {
                ruleset: &view.title,
                in_force: ruleset_json(view.situation.ruleset()),
                ruling: rulings.get(index),
                odds: add_headline(to_json(&view.odds, None, false), headline),
                assumed: assumed(view),
            }
        };
        let difference = |(index, difference): (usize, &'a RulesetDifference)| DifferenceReport {
            from: &views[if pairs == ViewPairs::Neighbours {
                index
            } else {
                0
            }]
            .title,
            to: &views[index + 1].title,
            verdict: difference.verdict(),
            pairs: difference.runs,
            causes_on_seeds: (difference.seeds > 0).then_some(difference.seeds),
            outcomes: outcome_reports(difference),
        };
        let scenario = views.first().map(|view| &view.situation.scenario);
        let set = scenario
            .into_iter()
            .flat_map(|scenario| &scenario.set)
            .map(|(name, value)| (name.clone(), value.as_str().into()));
        ComparisonReport {
            situation: scenario.map_or("", |scenario| &scenario.name),
            set: set.collect(),
            rulesets: views
                .iter()
                .zip(headlines)
                .enumerate()
                .map(ruleset)
                .collect(),
            differences: differences.iter().enumerate().map(difference).collect(),
            left_out: left_out_rulesets(left_out),
        }
    }
}

/// Reports what is known of each outcome under two rulesets.
pub fn outcome_reports(difference: &RulesetDifference) -> Vec<OutcomeReport<'_>> {
    let causes = |outcome: &OutcomeDifference| {
        difference
            .causes
            .iter()
            .find(|(name, _)| *name == outcome.outcome)
    };
    let report = |outcome| OutcomeReport {
        difference: outcome,
        causes: causes(outcome).map(|(_, causes)| causes),
    };
    difference.outcomes.iter().map(report).collect()
}

fn left_out_rulesets(left_out: &[UncountedRuleset]) -> Vec<LeftOutRuleset<'_>> {
    left_out
        .iter()
        .map(|ruleset| LeftOutRuleset {
            ruleset: &ruleset.title,
            why: &ruleset.complaints.0[0].what,
        })
        .collect()
}
