//! The odds of a situation over the values of one figure: a line for each ruleset, a point for each value.

use crate::odds::assumptions::{Assumptions, assumptions};
use crate::odds::bar_chart::{percent, rows};
use crate::odds::best_play::best_play;
use crate::odds::distribution::Odds;
use crate::odds::fraction::Fraction;
use crate::odds::query::{OddsQuery, OddsResult};
use crate::odds::report::{CountedReport, Qualified};
use crate::odds::sample::Sample;
use casebook_engine::code::machine::Consulted;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Error;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::json::RulesInForce;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::overrides::{Overrides, SetFigures, Sweep};
use casebook_engine::situation::policy::{Policies, PolicyKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The odds at one value.
pub struct SweepPoint {
    /// The counted odds.
    pub odds: Odds,
    /// The sample, if the count is incomplete.
    pub sample: Option<Sample>,
    /// The expected value of the measure.
    pub measure: Option<Fraction>,
}

impl SweepPoint {
    /// Reports the odds of these outcomes.
    fn report(&self, outcomes: &[String]) -> CountedReport {
        let mut report = CountedReport::new(&self.odds, self.sample.as_ref(), false);
        report
            .outcomes
            .retain(|one| outcomes.contains(&one.outcome));
        report
    }
}

/// The odds at each value as they are answered.
#[derive(Serialize)]
#[serde(untagged)]
pub enum SweptAnswer {
    /// Under one ruleset.
    One(Box<Qualified<SweepReport>>),
    /// Under several.
    Several(Box<SweptRulesets>),
}

/// The odds at each value of a figure.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct SweepReport {
    /// The figure.
    pub sweep: String,
    /// Its values.
    pub values: Vec<String>,
    /// Whether all was counted at every value.
    pub complete: bool,
    /// The odds at each value.
    pub points: Vec<PointReport>,
}

/// The odds at a value, or why they are left out.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "point")]
pub struct PointReport {
    /// The value.
    pub value: String,
    /// The odds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odds: Option<CountedReport>,
    /// If a measure was named: what it comes to, as a fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// Why the odds are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// The odds at each value of a figure, under several rulesets.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "compare_sweep")]
pub struct SweptRulesets {
    /// The figure.
    pub sweep: String,
    /// Its values.
    pub values: Vec<String>,
    /// Whether all was counted at every value.
    pub complete: bool,
    /// The rulesets.
    pub rulesets: Vec<SweptRuleset>,
    /// The name of the situation.
    pub situation: String,
    /// The procedure.
    pub procedure: String,
    /// What the odds rest on in addition to the printed rules.
    pub assumed: Assumptions,
    /// What else was set by hand.
    pub set: SetFigures,
}

/// The odds at each value of a figure under one ruleset.
#[derive(Serialize, JsonSchema)]
pub struct SweptRuleset {
    /// What was in force, in words.
    pub ruleset: String,
    /// The rules in force.
    pub in_force: RulesInForce,
    /// The odds at each value.
    pub points: Vec<PointReport>,
}

/// The odds of one ruleset over all values.
pub struct SweepLine {
    /// The name of the ruleset.
    pub title: String,
    /// The situation at the first value that could be counted, which is the subject of the odds.
    pub situation: Situation,
    /// For each value the odds, or the reason why there are none.
    pub points: Vec<Result<SweepPoint, String>>,
    /// The rules and figures consulted at any value.
    pub consulted: Consulted,
}

/// The odds of all rulesets over all values.
pub struct SweepResult {
    /// The figure and its values.
    pub sweep: Sweep,
    /// One line for each ruleset.
    pub lines: Vec<SweepLine>,
}

/// Computes the odds under each ruleset: each program with the situation as it has it. The time until `end` is divided evenly among them;
/// `policy` names who answers for each side, and takes the place of the query's policies.
pub fn sweep_rulesets(
    rulesets: &[(Arc<Program>, Arc<Scenario>)],
    overrides: &Overrides,
    sweep: &Sweep,
    policy: &[(String, String)],
    query: &OddsQuery,
    end: Instant,
) -> Result<(SweepResult, Assumptions), Error> {
    let (mut lines, mut assumed): (Vec<SweepLine>, Option<Assumptions>) = Default::default();
    for (index, (program, scenario)) in rulesets.iter().enumerate() {
        let policies = Arc::new(Policies::parse(policy, &program.ruleset.game)?);
        if policies.any(|kind| *kind == PolicyKind::All) {
            let message = "a policy `all` gives the range of every outcome, which a table over values has no room for";
            return Err(Error::Usage(message.into()));
        }
        let query = OddsQuery {
            policies: policies.clone(),
            sample_query: query.sample_query.clone(),
            ..*query
        };
        let now = Instant::now();
        let until = now + end.saturating_duration_since(now) / (rulesets.len() - index) as u32;
        let first_line = line(
            program.ruleset.short_title(),
            program,
            scenario,
            overrides,
            sweep,
            &query,
            until,
        )?;
        let line_assumptions = assumptions(
            &first_line.situation,
            &first_line.consulted,
            &policies,
            query.choices,
        );
        match &mut assumed {
            None => assumed = Some(line_assumptions),
            Some(assumed) => assumed.merge(&line_assumptions),
        }
        lines.push(first_line);
    }
    let assumed =
        assumed.ok_or_else(|| Error::Usage("there is no ruleset to count under".into()))?;
    Ok((
        SweepResult {
            sweep: sweep.clone(),
            lines,
        },
        assumed,
    ))
}

/// Computes the odds of one ruleset at each value; all values are validated before any is counted. `end` is the deadline for the whole
/// line.
fn line(
    title: String,
    program: &Arc<Program>,
    scenario: &Arc<Scenario>,
    overrides: &Overrides,
    sweep: &Sweep,
    query: &OddsQuery,
    end: Instant,
) -> Result<SweepLine, Error> {
    let with_value = |value: &String| {
        overrides
            .with(sweep.override_with(value)?)
            .apply(scenario, &program.ruleset)
    };
    let scenarios = sweep
        .values
        .iter()
        .map(with_value)
        .collect::<Result<Vec<_>, _>>()?;
    let (mut points, mut consulted, mut first_result, mut failed) =
        (Vec::new(), Consulted::default(), None, None);
    for (index, scenario) in scenarios.into_iter().enumerate() {
        let value = &sweep.values[index];
        if index > 0 && query.stop.load(Ordering::Relaxed) {
            points.push(Err("not counted: it was broken off before".into()));
            continue;
        }
        let situation = Situation::new(program, scenario)?;
        let time =
            end.saturating_duration_since(Instant::now()) / (sweep.values.len() - index) as u32;
        points.push(
            match query
                .within(time)
                .run(&situation)
                .and_then(|found| point(found, query, &mut consulted))
            {
                Ok(point) => {
                    first_result.get_or_insert(situation);
                    // Without a single run nothing is known, not even that an outcome is not named.
                    let is_known = point.sample.as_ref().is_none_or(|sample| sample.runs > 0);
                    if is_known {
                        Ok(point)
                    } else {
                        Err("there was no time left for it".into())
                    }
                }
                Err(Error::Data(complaints)) => {
                    let reason = complaints.0.first().map_or_else(
                        || "it can't be carried out".into(),
                        |complaint| complaint.message.clone(),
                    );
                    failed.get_or_insert(Error::Data(complaints));
                    Err(reason)
                }
                Err(Error::Usage(message)) => {
                    return Err(Error::Usage(format!("{} = {value}: {message}", sweep.name)));
                }
                Err(Error::Unanswered { message, remedy }) => {
                    let message = format!("{} = {value}: {message}", sweep.name);
                    return Err(Error::unanswered(message, remedy));
                }
                Err(other) => return Err(other),
            },
        );
    }
    match (first_result, failed) {
        (Some(situation), _) => Ok(SweepLine {
            title,
            situation,
            points,
            consulted,
        }),
        (None, Some(error)) => Err(error),
        (None, None) => Err(Error::Usage(
            "broken off before anything was counted".into(),
        )),
    }
}

/// Computes the odds at one value under the policies in force.
fn point(
    result: OddsResult,
    query: &OddsQuery,
    consulted: &mut Consulted,
) -> Result<SweepPoint, Error> {
    consulted.merge(result.consulted());
    if result.sample.is_some() {
        return Ok(SweepPoint {
            odds: result.odds,
            sample: result.sample,
            measure: None,
        });
    }
    let played = best_play(&result.counted, &result.odds, query.measure)?;
    Ok(SweepPoint {
        odds: played.odds,
        sample: None,
        measure: played.value,
    })
}

impl SweepResult {
    /// Returns the outcomes in the order the rules name them.
    pub fn outcomes(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (name, _) in self
            .points()
            .flat_map(|point| rows(&point.odds, point.sample.as_ref()))
        {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn points(&self) -> impl Iterator<Item = &SweepPoint> {
        self.lines
            .iter()
            .flat_map(|line| &line.points)
            .filter_map(|point| point.as_ref().ok())
    }

    /// Whether every value was fully counted.
    pub fn is_complete(&self) -> bool {
        self.lines
            .iter()
            .flat_map(|line| &line.points)
            .all(|point| point.as_ref().is_ok_and(|point| point.sample.is_none()))
    }

    /// Reports the odds at each value: of one ruleset its points, of several the points of each. `situation` names the situation,
    /// `overrides` what else was set, and `outcomes` what is reported.
    pub fn report(
        &self,
        situation: &str,
        overrides: &Overrides,
        outcomes: &[String],
        assumed: &Assumptions,
    ) -> SweptAnswer {
        let point = |(value, point): (&String, &Result<SweepPoint, String>)| {
            let point = point.as_ref();
            PointReport {
                value: value.clone(),
                odds: point.ok().map(|point| point.report(outcomes)),
                measure: point
                    .ok()
                    .and_then(|point| Some(point.measure.as_ref()?.to_string())),
                left_out: point.err().cloned(),
            }
        };
        let points = |line: &SweepLine| {
            self.sweep
                .values
                .iter()
                .zip(&line.points)
                .map(point)
                .collect()
        };
        let set: SetFigures = overrides
            .set
            .iter()
            .map(|one| (one.name(), one.value.clone()))
            .collect();
        let (sweep, values, complete) = (
            self.sweep.name.clone(),
            self.sweep.values.clone(),
            self.is_complete(),
        );
        match &self.lines[..] {
            [only] => {
                let points = points(only);
                let report = SweepReport {
                    sweep,
                    values,
                    complete,
                    points,
                };
                let mut answer = Qualified::new(report, assumed);
                answer.subject.set = Some(set);
                SweptAnswer::One(Box::new(answer))
            }
            lines => {
                let ruleset = |line: &SweepLine| SweptRuleset {
                    ruleset: line.title.clone(),
                    in_force: RulesInForce::new(line.situation.ruleset()),
                    points: points(line),
                };
                let procedure = lines.first().map(|line| line.situation.procedure.clone());
                SweptAnswer::Several(Box::new(SweptRulesets {
                    sweep,
                    values,
                    complete,
                    rulesets: lines.iter().map(ruleset).collect(),
                    situation: situation.into(),
                    procedure: procedure.unwrap_or_default(),
                    assumed: assumed.clone(),
                    set,
                }))
            }
        }
    }

    /// Lists the values that were left out, with the reason.
    pub fn left_out(&self) -> Vec<String> {
        let several = self.lines.len() > 1;
        let mut series = Vec::new();
        for line in &self.lines {
            for (value, point) in self.sweep.values.iter().zip(&line.points) {
                let title = if several {
                    format!("{}, ", line.title)
                } else {
                    String::new()
                };
                series.extend(
                    point
                        .as_ref()
                        .err()
                        .map(|why| format!("{title}{} = {value}: {why}", self.sweep.name)),
                );
            }
        }
        series
    }

    /// Describes how much was sampled; `None` if everything was counted.
    pub fn counted_note(&self) -> Option<String> {
        let sampled: Vec<&SweepPoint> = self
            .points()
            .filter(|point| point.sample.is_some())
            .collect();
        let counted_share = |point: &&SweepPoint| {
            point
                .odds
                .counted_share
                .as_ref()
                .map_or(0.0, Fraction::to_f64)
        };
        let least_share = sampled.iter().map(counted_share).min_by(f64::total_cmp)?;
        let (sampled_count, point_count) = (sampled.len(), self.points().count());
        Some(format!(
            "At {sampled_count} of {point_count} points not all chances were counted (at least {}); the rest is a sample, ± being its 95 % error.",
            percent(least_share)
        ))
    }
}
