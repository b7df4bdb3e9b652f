//! What changes of the rules do to a situation, as it is answered.

use crate::house::broken_checks::BrokenCheck;
use crate::house::change::RuleChange;
use crate::house::effect::SituationEffect;
use crate::house::other_variants::OtherAnswer;
use crate::house::places::RulePlace;
use crate::house::touched_readings::TouchedReading;
use casebook_analysis::balance::report::BalanceReport;
use casebook_analysis::compare::verdicts::DifferenceVerdict;
use casebook_analysis::odds::report::HeadlineReport;
use casebook_analysis::usecase::comparison_report::{OutcomeReport, outcome_reports};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// `what-if`: what changes of the rules do to a situation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "what_if")]
pub struct WhatIfReport<'a> {
    /// The name of the situation.
    pub situation: &'a str,
    /// Each change.
    pub changes: Vec<ReportedChange<'a>>,
    /// The headline before; null where there is none.
    pub before: Option<HeadlineReport>,
    /// The headline after; null where there is none.
    pub after: Option<HeadlineReport>,
    /// Where dice that are thrown on without bound are cut off.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub truncations: &'a BTreeSet<String>,
    /// The verdict on all outcomes together.
    pub verdict: DifferenceVerdict,
    /// What is known of each outcome.
    pub outcomes: Vec<OutcomeReport<'a>>,
    /// Pinned interpretations that the changes break.
    pub broken_pins: &'a [BrokenCheck],
    /// Examples of the sources that the changes contradict.
    pub contradicted: &'a [BrokenCheck],
    /// The files that keep the changes.
    pub written: &'a [String],
    /// Readings of doubtful places that the changes decide or contradict.
    pub readings: &'a [TouchedReading],
    /// What other variants have otherwise.
    pub other_variants: &'a [OtherAnswer],
    /// With --balance: who wins a whole game more often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<BalanceReport<'a>>,
}

/// `what-if` without a change: what can be changed.
#[derive(Serialize, JsonSchema)]
pub struct PlacesReport<'a> {
    /// The cases.
    pub cases: &'a [ReportedCase],
}

/// A case, and what can be changed in it.
#[derive(Serialize, JsonSchema)]
pub struct ReportedCase {
    /// Its number.
    pub number: String,
    /// Its title.
    pub title: String,
    /// The places.
    pub places: Vec<RulePlace>,
}

/// A change of the rules.
#[derive(Serialize, JsonSchema)]
pub struct ReportedChange<'a> {
    /// The option that makes it.
    #[schemars(extend("enum" = ["cell", "rule"]))]
    pub option: &'static str,
    /// The text of the option.
    pub text: String,
    /// The change as a sentence.
    pub sentence: &'a str,
}

/// What a trial of changes found beside the effect on one situation.
pub struct TrialFindings<'a> {
    /// The changes, each with its sentence.
    pub changes: (&'a [RuleChange], &'a [String]),
    /// Pinned interpretations that the changes break.
    pub broken_pins: &'a [BrokenCheck],
    /// Examples of the sources that the changes contradict.
    pub contradicted: &'a [BrokenCheck],
    /// Readings that the changes decide or contradict.
    pub readings: &'a [TouchedReading],
    /// What other variants have otherwise.
    pub other_variants: &'a [OtherAnswer],
    /// The files that keep the changes.
    pub written: &'a [String],
    /// Who wins a whole game more often, if that was asked.
    pub balance: Option<BalanceReport<'a>>,
}

impl<'a> WhatIfReport<'a> {
    pub fn new(effect: &'a SituationEffect, findings: TrialFindings<'a>) -> WhatIfReport<'a> {
        let (changes, sentences) = findings.changes;
        let change = |(change, sentence): (&RuleChange, &'a String)| {
            let (option, text) = change.to_parameter();
            ReportedChange {
                option,
                text,
                sentence,
            }
        };
        let [before, after] = effect.headlines();
        WhatIfReport {
            situation: &effect.name,
            changes: changes.iter().zip(sentences).map(change).collect(),
            before: HeadlineReport::new(&before),
            after: HeadlineReport::new(&after),
            truncations: &effect.after.consulted.truncations,
            verdict: effect.difference.verdict(),
            outcomes: outcome_reports(&effect.difference),
            broken_pins: findings.broken_pins,
            contradicted: findings.contradicted,
            written: findings.written,
            readings: findings.readings,
            other_variants: findings.other_variants,
            balance: findings.balance,
        }
    }
}

/// A change that was taken back.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "undo")]
pub struct UndoneChange<'a> {
    /// The change, as a sentence.
    pub taken_back: &'a str,
    /// The files that were written or removed.
    pub written: &'a [String],
    /// What was in them before.
    pub before: &'a BTreeMap<String, String>,
}
