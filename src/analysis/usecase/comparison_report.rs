//! A comparison as it is answered: the command line, the API and agents serialise it.

use crate::compare::causes::Cause;
use crate::compare::ruleset_difference::RulesetDifference;
use crate::compare::verdicts::{DifferenceVerdict, OutcomeDifference};
use crate::compare::view::RulesetView;
use crate::odds::assumptions::{Assumptions, OddsSubject};
use crate::odds::headline::EntryValues;
use crate::odds::report::{CountedReport, or_null};
use crate::usecase::compare::{RulesetComparison, UncountedRuleset, ViewPairs};
use casebook_engine::ruling::json::RulesInForce;
use casebook_engine::situation::overrides::SetFigures;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Rulesets side by side, and where they differ.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "compare")]
pub struct ComparisonReport<'a> {
    /// The name of the situation.
    pub situation: &'a str,
    /// The figures set by hand.
    pub set: SetFigures,
    /// What the situation comes to under each ruleset; where one cause is asked for, the first is as things stand.
    pub rulesets: Vec<RulesetReport<'a>>,
    /// Each ruleset compared with the one before; where one cause is asked for, with the first.
    pub differences: Vec<DifferenceReport<'a>>,
    /// What rests on a figure that nobody knows, and so could not be counted.
    pub left_out: Vec<LeftOutRuleset<'a>>,
}

/// What something does to the odds.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EffectReport<'a> {
    /// The rulesets with it and without it.
    #[serde(flatten)]
    pub comparison: ComparisonReport<'a>,
    /// What is compared with the rest.
    pub case: &'a str,
    /// The outcomes that it moves.
    pub moved: Vec<String>,
    /// Outcomes of which that is not known.
    pub not_decided: Vec<String>,
    /// The procedure.
    pub procedure: String,
    /// What was in force, in words.
    pub ruleset: String,
    /// The rules in force.
    pub in_force: RulesInForce,
    /// What the odds rest on beside the printed rules.
    pub assumed: &'a Assumptions,
}

impl<'a> EffectReport<'a> {
    /// Reports the effect of a case, table, variant, option or reading.
    pub fn new(
        comparison: ComparisonReport<'a>,
        subject: &'a str,
        moved: Vec<String>,
        not_decided: Vec<String>,
        assumed: &'a Assumptions,
    ) -> EffectReport<'a> {
        EffectReport {
            comparison,
            case: subject,
            moved,
            not_decided,
            procedure: assumed.subject.procedure.clone(),
            ruleset: assumed.subject.ruleset.clone(),
            in_force: assumed.subject.in_force.clone(),
            assumed,
        }
    }
}

/// What a situation comes to under one ruleset.
#[derive(Serialize, JsonSchema)]
pub struct RulesetReport<'a> {
    /// The title.
    pub ruleset: &'a str,
    /// The rules in force.
    pub in_force: RulesInForce,
    /// What the same dice come to: outcomes by name, or why it is `refused`; left out if no dice were thrown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub ruling: Option<&'a Value>,
    /// The odds, with their headline.
    pub odds: CountedReport,
    /// What the odds rest on.
    pub assumed: Assumptions,
}

/// What differs between two rulesets.
#[derive(Serialize, JsonSchema)]
pub struct DifferenceReport<'a> {
    /// The title of the first.
    pub from: &'a str,
    /// The title of the second.
    pub to: &'a str,
    /// The verdict on all outcomes together.
    pub verdict: DifferenceVerdict,
    /// Pairs of runs on the same dice that were played where not all was counted.
    pub pairs: u64,
    /// On so many seeds causes were looked for; null where they were counted, or not looked for.
    pub causes_on_seeds: Option<usize>,
    /// What is known of each outcome.
    pub outcomes: Vec<OutcomeReport<'a>>,
}

/// What is known of an outcome under two rulesets.
#[derive(Serialize, JsonSchema)]
pub struct OutcomeReport<'a> {
    /// The verdict, with the chances of its values.
    #[serde(flatten)]
    pub difference: &'a OutcomeDifference,
    /// The causes, if they were looked for; null if the time was up before they were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "or_null::<Vec<Cause>>")]
    pub causes: Option<&'a Option<Vec<Cause>>>,
}

/// What the readings of doubtful places do.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "compare_readings")]
pub struct ReadingsReport<'a> {
    /// What the odds are about.
    #[serde(flatten)]
    pub subject: OddsSubject,
    /// The odds as everything is read.
    pub default: CountedReport,
    /// Ways to read a doubtful place that make a difference.
    pub changed: Vec<ChangedReading<'a>>,
    /// Ways that make none.
    pub idle: Vec<ReadAs<'a>>,
    /// Ways of which that is not known.
    pub not_decided: Vec<ReadAs<'a>>,
    /// What rests on a figure that nobody knows, and so could not be counted.
    pub left_out: Vec<LeftOutReading<'a>>,
}

/// A way to read a doubtful place that makes a difference.
#[derive(Serialize, JsonSchema)]
pub struct ChangedReading<'a> {
    /// `case.reading`.
    pub reading: &'a str,
    /// The way.
    pub way: &'a str,
    /// The verdict on all outcomes together.
    pub verdict: DifferenceVerdict,
    /// Pairs of runs on the same dice that were played where not all was counted.
    pub pairs: u64,
    /// What is known of each outcome.
    pub outcomes: Vec<OutcomeReport<'a>>,
    /// The odds with it; null where they were not counted.
    pub odds: Option<CountedReport>,
}

/// A way to read a doubtful place.
#[derive(Serialize, JsonSchema)]
pub struct ReadAs<'a> {
    /// `case.reading`.
    pub reading: &'a str,
    /// The way.
    pub way: &'a str,
}

/// A way to read a doubtful place that could not be counted.
#[derive(Serialize, JsonSchema)]
pub struct LeftOutReading<'a> {
    /// `case.reading`.
    pub reading: &'a str,
    /// The way.
    pub way: &'a str,
    /// The reason.
    pub why: &'a str,
}

/// A ruleset that could not be counted.
#[derive(Serialize, JsonSchema)]
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
                in_force: RulesInForce::new(view.situation.ruleset()),
                ruling: rulings.get(index),
                odds: CountedReport::new(&view.odds, None, false).with_headline(headline),
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
            .cloned();
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
            why: &ruleset.complaints.0[0].message,
        })
        .collect()
}
