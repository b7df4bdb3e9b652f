//! The odds of a situation: counted, and what can't be counted in time sampled.

use crate::code::machine::Consulted;
use crate::complaint::Error;
use crate::odds::best_play::has_measured_choices;
use crate::odds::bounds::{Cap, SearchLimits};
use crate::odds::count::{CountJob, CountResult};
use crate::odds::distribution::Odds;
use crate::odds::explore::KeptApart;
use crate::odds::fold::Strategy;
use crate::odds::measure::Measure;
use crate::odds::sample::{Sample, SampleQuery, sample};
use crate::ruling::choice_source::ChoiceSource;
use crate::ruling::reconstructed;
use crate::ruling::situation::Situation;
use crate::situation::policy::{Policies, PolicyKind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How the odds of a situation are to be found.
pub struct OddsQuery<'a> {
    /// Answers to choices that go before the situation's own.
    pub choices: &'a [(String, String)],
    /// Who answers the rest.
    pub policies: Arc<Policies>,
    /// What best and worst are measured by.
    pub measure: Option<&'a Measure>,
    /// What is asked of each run where not all can be counted.
    pub sample_query: SampleQuery,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// The whole time it may take.
    pub time_limit: Duration,
    /// The bytes it may use.
    pub memory: u64,
    /// On so many threads.
    pub threads: usize,
    /// Ends the search when it is set.
    pub stop: &'a AtomicBool,
    /// Told now and then how much of all chances has been seen, and how many states or runs it took.
    pub progress: &'a (dyn Fn(f64, u64) + Sync),
}

/// What was found.
pub struct OddsResult {
    /// What was counted.
    pub counted: CountResult,
    /// The odds by what was counted, each choice at its first option.
    pub odds: Odds,
    /// What was sampled, where not all was counted.
    pub sample: Option<Sample>,
}

impl OddsResult {
    /// What count and sample consulted.
    pub fn consulted(&self) -> Consulted {
        let mut all = self.counted.consulted.clone();
        self.sample.iter().for_each(|sample| all.join(sample.consulted.clone()));
        all
    }
}

/// Runs of a sample, at most: its error is below half of one per cent then.
const MAX_RUNS: u64 = 100_000;

impl OddsQuery<'_> {
    /// The same search in another time.
    pub fn within(&self, time: Duration) -> OddsQuery<'_> {
        OddsQuery { time_limit: time, policies: self.policies.clone(), sample_query: self.sample_query.clone(), ..*self }
    }

    /// Finds the odds of a situation.
    pub fn run(&self, situation: &Situation) -> Result<OddsResult, Error> {
        let decider = self.choice_source(situation);
        let start = Instant::now();
        // What chooses with the end in view can't be sampled: then all time is for counting.
        let counting = if self.policies.any(PolicyKind::is_explored) { self.time_limit } else { self.time_limit / 2 };
        let counted = self.count_within(situation, &decider, start, counting)?;
        let odds = Odds::new(&counted, &Strategy::default());
        let sample = match counted.complete {
            true => None,
            false if has_measured_choices(&counted.root) => {
                return Err(not_counted(counted.ended));
            }
            false => Some(sample(
                situation,
                &decider,
                &counted,
                &self.sample_query,
                MAX_RUNS,
                self.threads,
                &self.limits(start, self.time_limit),
            )?),
        };
        let found = OddsResult { counted, odds, sample };
        // All figures are refused together that the odds would rest on.
        if self.strict {
            refuse_reconstructed(&found.consulted(), situation)?;
        }
        Ok(found)
    }

    /// The same, counted alone: what can't be counted in time is left out.
    pub fn count_only(&self, situation: &Situation) -> Result<Odds, Error> {
        let counted = self.count_within(situation, &self.choice_source(situation), Instant::now(), self.time_limit)?;
        Ok(Odds::new(&counted, &Strategy::default()))
    }

    fn choice_source(&self, situation: &Situation) -> ChoiceSource {
        situation.choice_source(self.choices, self.policies.clone())
    }

    fn limits(&self, start: Instant, time: Duration) -> SearchLimits<'_> {
        // Where the end would lie beyond all reckoning of time, it is a long way off.
        let end = start.checked_add(time).unwrap_or_else(|| start + Duration::from_secs(365 * 24 * 3600));
        SearchLimits { end, memory: self.memory, stop: self.stop, progress: self.progress }
    }

    fn count_within(&self, situation: &Situation, decider: &ChoiceSource, start: Instant, time: Duration) -> Result<CountResult, Error> {
        let measured = self.measure.iter().flat_map(|measure| measure.terms()).map(|(_, name)| name.clone()).collect();
        let wanted =
            KeptApart { measured_outcomes: measured, all_outcomes: self.policies.any(|kind| *kind == PolicyKind::All), answer: false };
        let bounds = &self.limits(start, time);
        CountJob { situation, choice_source: decider, kept_apart: &wanted, threads: self.threads, limits: bounds }.run()
    }
}

/// Not all was counted, where only a whole count says what is best.
pub fn not_counted(ended: Option<Cap>) -> Error {
    let why = ended.map_or(String::new(), |cap| format!(" {}", cap.told()));
    Error::Usage(format!("not all chances were counted, and what is best can't be sampled.{why} Or settle some choices with --choose"))
}

/// Refuses all reconstructed figures that were consulted.
pub fn refuse_reconstructed(consulted: &Consulted, situation: &Situation) -> Result<(), Error> {
    let refused = reconstructed::strict_complaints(&consulted.doubts, situation.ruleset());
    if refused.has_errors() { Err(Error::Data(refused)) } else { Ok(()) }
}
