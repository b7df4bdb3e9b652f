//! The odds of a situation: counted as far as time allows, the rest sampled.

use crate::odds::best_play::has_measured_choices;
use crate::odds::bounds::{Cap, MAX_DEPTH, SearchLimits};
use crate::odds::count::{CountJob, CountResult};
use crate::odds::distribution::Odds;
use crate::odds::explore::StateKeyParts;
use crate::odds::fold::Strategy;
use crate::odds::fraction::Fraction;
use crate::odds::measure::Measure;
use crate::odds::sample::{Sample, SampleJob, SampleQuery};
use casebook_engine::code::machine::Consulted;
use casebook_engine::complaint::{Error, Remedy};
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::task;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::reconstructed;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::policy::{Policies, PolicyKind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The settings of a search for odds.
pub struct OddsQuery<'a> {
    /// Answers to choices that override the situation's own.
    pub choices: &'a [(String, String)],
    /// The policies that answer the other choices.
    pub policies: Arc<Policies>,
    /// The measure that `best` and `worst` optimize.
    pub measure: Option<&'a Measure>,
    /// The conditions and joint outcomes evaluated per run if a part is sampled.
    pub sample_query: SampleQuery,
    /// Whether reconstructed figures are an error.
    pub strict: bool,
    /// The total time limit.
    pub time_limit: Duration,
    /// The memory limit in bytes.
    pub memory: u64,
    /// The number of threads.
    pub threads: usize,
    /// A flag that ends the search when it is set.
    pub stop: &'a AtomicBool,
    /// The time for sampling the rest of a count that the flag has ended.
    pub time_after_stop: Duration,
    /// A callback for progress: the share of all probability explored, and the number of states or runs.
    pub progress: &'a (dyn Fn(f64, u64) + Sync),
}

/// The result of a search for odds.
pub struct OddsResult {
    pub counted: CountResult,
    /// The counted odds, with each choice at its first option.
    pub odds: Odds,
    /// The sample, if the count is incomplete.
    pub sample: Option<Sample>,
}

impl OddsResult {
    /// Returns what count and sample consulted.
    pub fn consulted(&self) -> Consulted {
        let mut consulted = self.counted.consulted.clone();
        self.sample
            .iter()
            .for_each(|sample| consulted.merge(sample.consulted.clone()));
        consulted
    }
}

/// The maximum number of runs of a sample: its error is then below half of one per cent.
const MAX_RUNS: u64 = 100_000;

/// The least time of a sample, unless the limit is very short.
const LEAST_SAMPLE: Duration = Duration::from_secs(2);

impl OddsQuery<'_> {
    /// Returns the same query with another time limit.
    pub fn within(&self, time: Duration) -> OddsQuery<'_> {
        OddsQuery {
            time_limit: time,
            policies: self.policies.clone(),
            sample_query: self.sample_query.clone(),
            ..*self
        }
    }

    /// Computes the odds of a situation.
    pub fn run(&self, situation: &Situation) -> Result<OddsResult, Error> {
        let choice_source = &self.choice_source(situation);
        let start = Instant::now();
        // Choices that optimize a measure can't be sampled, so the count gets all the time.
        let counting = if self.policies.any(PolicyKind::is_explored) {
            self.time_limit
        } else {
            self.time_limit / 4 * 3
        };
        let mut counted = self.count_within(situation, choice_source, start, counting)?;
        let mut odds = Odds::new(&counted, &Strategy::default())?;
        let quoted = counted.names.quoted_count();
        let sample = if odds.is_complete() {
            None
        } else if has_measured_choices(&counted.root) {
            return Err(not_counted(odds.ended));
        } else {
            // Count, fold and sample together keep the limit.
            let short = LEAST_SAMPLE.min(self.time_limit / 4);
            let (never, least_sample) = (AtomicBool::new(false), (self.time_limit / 16).max(short));
            let limits = match counted.ended == Some(Cap::Stopped)
                && !self.time_after_stop.is_zero()
                && !task::is_over()
            {
                true => SearchLimits {
                    stop: &never,
                    ..self.limits(start, start.elapsed() + self.time_after_stop)
                },
                false => self.limits(start, self.time_limit.max(start.elapsed() + least_sample)),
            };
            let (is_folded, query) = (odds.is_known(), &self.sample_query);
            let max_runs = if odds.is_all_but_complete() {
                0
            } else {
                MAX_RUNS
            };
            Some(
                SampleJob {
                    situation,
                    choice_source,
                    counted: &counted,
                    is_folded,
                    query,
                    max_runs,
                    limits,
                }
                .run(self.threads)?,
            )
        };
        // Runs may have named a value that looks like one that was counted.
        if counted.names.quoted_count() > quoted {
            odds = Odds::new(&counted, &Strategy::default())?;
        }
        if let Some(sample) = &sample
            && odds.is_known()
        {
            check_shares(&odds, sample)?;
        }
        counted.check_known(
            odds.is_known()
                || sample
                    .as_ref()
                    .is_some_and(|sample| sample.runs > sample.cut_runs),
        )?;
        if sample.is_some() && !odds.is_known() {
            // The sample represents all of the graph, also what was explored and not folded in time.
            counted.forget_graph();
        }
        self.policies.check_presets()?;
        let result = OddsResult {
            counted,
            odds,
            sample,
        };
        // One error reports all reconstructed figures together.
        if self.strict {
            refuse_reconstructed(&result.consulted(), situation)?;
        }
        Ok(result)
    }

    /// Counts without sampling; what can't be counted in time is left out.
    pub fn count_only(&self, situation: &Situation) -> Result<Odds, Error> {
        let counted = self.count_within(
            situation,
            &self.choice_source(situation),
            Instant::now(),
            self.time_limit,
        )?;
        let odds = Odds::new(&counted, &Strategy::default())?;
        counted.check_known(odds.is_known())?;
        self.policies.check_presets()?;
        if self.strict {
            refuse_reconstructed(&counted.consulted, situation)?;
        }
        Ok(odds)
    }

    fn choice_source(&self, situation: &Situation) -> ChoiceSource {
        ChoiceSource {
            only_where_open: true,
            ..situation.choice_source(self.choices, self.policies.clone())
        }
    }

    fn limits(&self, start: Instant, time: Duration) -> SearchLimits<'_> {
        // A deadline that overflows is replaced by one a year ahead.
        let end = start
            .checked_add(time)
            .unwrap_or_else(|| start + Duration::from_secs(365 * 24 * 3600));
        SearchLimits {
            deadline: task::end_within(end),
            memory: self.memory,
            stop: self.stop,
            progress: self.progress,
        }
    }

    fn count_within(
        &self,
        situation: &Situation,
        choice_source: &ChoiceSource,
        start: Instant,
        time: Duration,
    ) -> Result<CountResult, Error> {
        let key_parts = StateKeyParts::of_question(self.measure, &self.policies);
        CountJob {
            situation,
            choice_source,
            key_parts: &key_parts,
            threads: self.threads,
            limits: &self.limits(start, time),
        }
        .run()
    }
}

/// Checks that what was counted and what the runs stand for is everything.
fn check_shares(odds: &Odds, sample: &Sample) -> Result<(), Error> {
    let counted = odds.counted_share.as_ref().map_or(0.0, Fraction::to_f64);
    match (counted + sample.uncounted_share - 1.0).abs() < ROUNDING {
        true => Ok(()),
        false => Err(Error::Inconsistent(format!(
            "{counted} was counted, and runs stand for {}",
            sample.uncounted_share
        ))),
    }
}

/// The most that rounding can make of a share.
const ROUNDING: f64 = 1e-6;

/// Builds the error for an incomplete count where the best play needs a complete one.
pub fn not_counted(ended: Option<Cap>) -> Error {
    let limit = match ended {
        // What is said of counters elsewhere does not hold for what is best.
        Some(Cap::Depth) => format!(
            " The count ended because more than {MAX_DEPTH} throws and choices came one after the other. A number by which play is measured keeps positions apart that would else come again, also where it is only added to: measure play by what ends it, or bound the rounds."
        ),
        ended => ended.map_or(String::new(), |cap| format!(" {}", cap.describe())),
    };
    Error::unanswered(
        format!(
            "not all chances were counted, and what is best can't be sampled.{limit} The fewer choices are open, the less there is to count"
        ),
        ended.and_then(Cap::remedy).unwrap_or(Remedy::AnswerChoice),
    )
}

/// Reports all reconstructed figures that were consulted as an error.
pub fn refuse_reconstructed(consulted: &Consulted, situation: &Situation) -> Result<(), Error> {
    let refused =
        reconstructed::strict_complaints(&consulted.reconstructed_reads, situation.ruleset());
    if refused.has_errors() {
        Err(Error::Data(refused))
    } else {
        Ok(())
    }
}
