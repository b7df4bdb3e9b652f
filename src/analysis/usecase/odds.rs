//! The odds of a situation, and its odds over the values of one figure.

use crate::odds::assumptions::{Assumptions, CountedOdds, assumptions};
use crate::odds::best_play::{OutcomeRange, ranges};
use crate::odds::bounds::SearchLimits;
use crate::odds::distribution::Odds;
use crate::odds::headline::headline_values;
use crate::odds::measure::Measure;
use crate::odds::query::{OddsQuery, refuse_reconstructed};
use crate::odds::report::{CountedReport, OddsReport};
use crate::odds::rounds::{RoundsOdds, RoundsQuery};
use crate::odds::sample::{Sample, SampleQuery};
use crate::odds::sweep::{SweepResult, sweep_rulesets};
use crate::usecase::settings::{CountLimits, SituationSettings};
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Error;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::overrides::{Overrides, Sweep};
use casebook_engine::situation::policy::{Policies, PolicyKind};
use std::sync::Arc;

/// Counts the odds of a situation exactly, and samples what can't be counted within the limits; `sample` is what each sampled run records.
pub fn odds(
    situation: &Situation,
    settings: &SituationSettings,
    sample: SampleQuery,
    limits: CountLimits,
) -> Result<CountedOdds, Error> {
    let (policies, measure) = (
        settings.policies(&situation.ruleset().game)?,
        settings.measure()?,
    );
    let progress = progress_of(limits);
    let search = OddsQuery {
        sample_query: sample,
        ..query(
            settings,
            policies.clone(),
            measure.as_ref(),
            limits,
            &progress,
        )
    };
    let result = search.run(situation)?;
    let assumptions = assumptions(situation, &result.consulted(), &policies, &settings.choices);
    Ok(CountedOdds {
        result,
        assumptions,
        policies,
    })
}

/// Reports odds with their headline. Of very many values the likeliest are listed, unless `every_value` is asked for.
pub fn report(
    situation: &Situation,
    odds: &Odds,
    sample: Option<&Sample>,
    every_value: bool,
) -> OddsReport {
    let counted = CountedReport::new(odds, sample, every_value);
    OddsReport::new(counted.with_headline(&headline_values(situation, odds, sample)))
}

/// Counts the odds of a situation exactly; what can't be counted within the limits is left out. `policies` are those of the settings.
pub fn count(
    situation: &Situation,
    settings: &SituationSettings,
    policies: Arc<Policies>,
    limits: CountLimits,
) -> Result<Odds, Error> {
    query(
        settings,
        policies,
        settings.measure()?.as_ref(),
        limits,
        &progress_of(limits),
    )
    .count_only(situation)
}

/// Counts between what the chances of every outcome lie, whatever the sides with the policy `all` choose.
pub fn chance_ranges(
    situation: &Situation,
    settings: &SituationSettings,
    policies: Arc<Policies>,
    limits: CountLimits,
) -> Result<Vec<OutcomeRange>, Error> {
    let (measure, progress) = (settings.measure()?, progress_of(limits));
    ranges(
        &query(settings, policies, measure.as_ref(), limits, &progress)
            .run(situation)?
            .counted,
    )
}

/// Counts the odds at each value of one figure, under each ruleset: its program with the situation as it has it.
pub fn sweep(
    rulesets: &[(Arc<Program>, Arc<Scenario>)],
    overrides: &Overrides,
    sweep: &Sweep,
    settings: &SituationSettings,
    limits: CountLimits,
) -> Result<(SweepResult, Assumptions), Error> {
    let measure = settings.measure()?;
    let progress = progress_of(limits);
    let search = query(
        settings,
        Arc::default(),
        measure.as_ref(),
        limits,
        &progress,
    );
    sweep_rulesets(
        rulesets,
        overrides,
        sweep,
        &settings.policies,
        &search,
        limits.deadline(),
    )
}

/// Counts the odds of a game after a number of rounds of its sequence of play, the current one included.
pub fn rounds(
    situation: &Situation,
    settings: &SituationSettings,
    rounds: u64,
    limits: CountLimits,
) -> Result<(RoundsOdds, Assumptions), Error> {
    let policies = settings.policies(&situation.ruleset().game)?;
    if policies.any(PolicyKind::is_explored) {
        let message = "best, worst and all look to the end of a procedure: rounds are counted with first, last, highest, lowest, random or a closure";
        return Err(Error::Usage(message.into()));
    }
    let choice_source = ChoiceSource {
        only_where_open: true,
        ..situation.choice_source(&settings.choices, policies.clone())
    };
    let progress = progress_of(limits);
    let bounds = |time| {
        let deadline = CountLimits { time, ..limits }.deadline();
        SearchLimits {
            deadline,
            memory: limits.memory,
            stop: limits.stop,
            progress: &progress,
        }
    };
    // Half of the time is for the exact count, the rest for sampling.
    let (counting, sampling) = (bounds(limits.time / 2), bounds(limits.time));
    let odds = RoundsQuery {
        situation,
        choice_source: &choice_source,
        rounds,
        counting,
        sampling,
    }
    .find()?;
    policies.check_presets()?;
    if settings.strict {
        refuse_reconstructed(&odds.consulted, situation)?;
    }
    let assumptions = assumptions(situation, &odds.consulted, &policies, &settings.choices);
    Ok((odds, assumptions))
}

fn progress_of<'a>(limits: CountLimits<'a>) -> impl Fn(f64, u64) + Sync + 'a {
    move |share, states| (limits.progress)("counting states and runs", share, states)
}

fn query<'a>(
    settings: &'a SituationSettings,
    policies: Arc<Policies>,
    measure: Option<&'a Measure>,
    limits: CountLimits<'a>,
    progress: &'a (dyn Fn(f64, u64) + Sync),
) -> OddsQuery<'a> {
    OddsQuery {
        choices: &settings.choices,
        policies,
        measure,
        sample_query: SampleQuery::default(),
        strict: settings.strict,
        time_limit: limits.time,
        memory: limits.memory,
        threads: limits.threads,
        stop: limits.stop,
        time_after_stop: limits.time_after_stop,
        progress,
    }
}
