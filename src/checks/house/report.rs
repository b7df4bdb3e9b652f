//! What changes of the rules do to a situation, as it is answered.

use crate::house::broken_checks::{BrokenCheck, broken_pins, contradicted_examples};
use crate::house::change::RuleChange;
use crate::house::effect::{EffectQuery, SituationEffect};
use crate::house::other_variants::{OtherAnswer, OtherVariants, other_variants};
use crate::house::places::RulePlace;
use crate::house::sentence::sentences;
use crate::house::touched_readings::{TouchedReading, touched_readings};
use casebook_analysis::balance::report::BalanceReport;
use casebook_analysis::compare::verdicts::DifferenceVerdict;
use casebook_analysis::odds::report::HeadlineReport;
use casebook_analysis::usecase::comparison_report::{OutcomeReport, outcome_reports};
use casebook_analysis::usecase::settings::CountLimits;
use casebook_engine::complaint::Error;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::situation::overrides::Overrides;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// `what-if`: what changes of the rules do to a situation.
#[derive(Serialize, JsonSchema)]
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
    /// A line of a ruling in which the changes bring a number below zero; null if none was seen.
    pub below_zero: Option<String>,
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
    /// Of a case that was asked for, what conditions can use, with its value where a ruling first comes there.
    pub values: BTreeMap<String, String>,
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

/// What changes do to a situation, and who disagrees with them: the one answer that commands, pages and programs show.
pub struct TrialAnswer {
    /// The changes as sentences.
    pub sentences: Vec<String>,
    pub effect: SituationEffect,
    pub against: Disagreements,
}

/// Who disagrees with changes.
#[derive(Default)]
pub struct Disagreements {
    /// Pinned interpretations that the changes break.
    pub broken_pins: Vec<BrokenCheck>,
    /// Examples of the sources that the changes contradict.
    pub contradicted: Vec<BrokenCheck>,
    /// Readings that the changes decide or contradict.
    pub readings: Vec<TouchedReading>,
    /// What other variants have otherwise.
    pub others: OtherVariants,
}

impl EffectQuery<'_> {
    /// Returns what the changes do to a situation under some rules, and who disagrees with them. `show` is given the sentences and the
    /// differences as soon as they are known.
    pub fn answer(
        &self,
        (name, spec): (&str, &RulesetSpec),
        overrides: &Overrides,
        limits: CountLimits,
        show: &dyn Fn(&[String], &SituationEffect),
    ) -> Result<TrialAnswer, Error> {
        let below = self.trial.below(self.library, spec, self.program)?;
        let sentences = sentences(&self.trial.changes, self.library, &below);
        let show = |effect: &SituationEffect| show(&sentences, effect);
        let effect = self.effect_shown((name, spec), overrides, limits, &show)?;
        Ok(TrialAnswer {
            sentences,
            effect,
            against: self.disagreements(spec)?,
        })
    }

    /// Returns who disagrees with the changes over some rules.
    pub fn disagreements(&self, spec: &RulesetSpec) -> Result<Disagreements, Error> {
        let (library, trial, program) = (self.library, self.trial, self.program);
        let below = trial.below(library, spec, program)?;
        let tried = trial.over(library, spec, program)?;
        let contradicted = contradicted_examples(library, trial, &below, program)?;
        Ok(Disagreements {
            broken_pins: broken_pins(library, trial, program)?,
            readings: touched_readings(&tried, &below, &trial.variant, &contradicted),
            contradicted,
            others: other_variants(&tried.library, &trial.variant),
        })
    }
}

impl TrialAnswer {
    /// Returns it as it is answered, with the files that keep the changes.
    pub fn report<'a>(
        &'a self,
        changes: &'a [RuleChange],
        written: &'a [String],
        balance: Option<BalanceReport<'a>>,
    ) -> WhatIfReport<'a> {
        let change = |(change, sentence): (&RuleChange, &'a String)| {
            let (option, text) = change.to_parameter();
            ReportedChange {
                option,
                text,
                sentence,
            }
        };
        let (effect, against) = (&self.effect, &self.against);
        let [before, after] = effect.headlines();
        WhatIfReport {
            situation: &effect.name,
            changes: changes.iter().zip(&self.sentences).map(change).collect(),
            before: HeadlineReport::new(&before),
            after: HeadlineReport::new(&after),
            truncations: &effect.after.consulted.truncations,
            verdict: effect.difference.verdict(),
            outcomes: outcome_reports(&effect.difference),
            below_zero: effect.below_zero(),
            broken_pins: &against.broken_pins,
            contradicted: &against.contradicted,
            written,
            readings: &against.readings,
            other_variants: &against.others.answers,
            balance,
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
