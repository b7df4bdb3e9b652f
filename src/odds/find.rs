//! The odds of a situation: counted, and what can't be counted in time sampled.

use crate::code::machine::Consulted;
use crate::complaint::Error;
use crate::odds::best::chooses;
use crate::odds::bounds::{Bounds, Cap};
use crate::odds::count::{Count, Counted};
use crate::odds::distribution::Odds;
use crate::odds::explore::Wanted;
use crate::odds::fold::Picked;
use crate::odds::measure::Measure;
use crate::odds::sample::{Asked, Sample, sample};
use crate::ruling::decide::Decider;
use crate::ruling::doubts;
use crate::ruling::situation::Situation;
use crate::situation::policy::{Kind, Policies};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How the odds of a situation are to be found.
pub struct Search<'a> {
    /// Answers to choices that go before the situation's own.
    pub choices: &'a [(String, String)],
    /// Who answers the rest.
    pub policies: Arc<Policies>,
    /// What best and worst are measured by.
    pub measure: Option<&'a Measure>,
    /// What is asked of each run where not all can be counted.
    pub asked: Asked,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// The whole time it may take.
    pub time: Duration,
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
pub struct Found {
    /// What was counted.
    pub counted: Counted,
    /// The odds by what was counted, each choice at its first option.
    pub odds: Odds,
    /// What was sampled, where not all was counted.
    pub sample: Option<Sample>,
}

impl Found {
    /// What count and sample consulted.
    pub fn consulted(&self) -> Consulted {
        let mut all = self.counted.consulted.clone();
        self.sample.iter().for_each(|sample| all.join(sample.consulted.clone()));
        all
    }
}

/// Runs of a sample, at most: its error is below half of one per cent then.
const RUNS: u64 = 100_000;

impl Search<'_> {
    /// The same search in another time.
    pub fn within(&self, time: Duration) -> Search<'_> {
        Search { time, policies: self.policies.clone(), asked: self.asked.clone(), ..*self }
    }

    /// Finds the odds of a situation.
    pub fn find(&self, situation: &Situation) -> Result<Found, Error> {
        let decider = self.decider(situation);
        let start = Instant::now();
        // What chooses with the end in view can't be sampled: then all time is for counting.
        let counting = if self.policies.any(Kind::explored) { self.time } else { self.time / 2 };
        let counted = self.counted(situation, &decider, start, counting)?;
        let odds = Odds::new(&counted, &Picked::default());
        let sample = match counted.complete {
            true => None,
            false if chooses(&counted.root) => {
                return Err(not_counted(counted.ended));
            }
            false => Some(sample(situation, &decider, &counted, &self.asked, RUNS, self.threads, &self.bounds(start, self.time))?),
        };
        let found = Found { counted, odds, sample };
        // All figures are refused together that the odds would rest on.
        if self.strict {
            none_refused(&found.consulted(), situation)?;
        }
        Ok(found)
    }

    /// The same, counted alone: what can't be counted in time is left out.
    pub fn count(&self, situation: &Situation) -> Result<Odds, Error> {
        let counted = self.counted(situation, &self.decider(situation), Instant::now(), self.time)?;
        Ok(Odds::new(&counted, &Picked::default()))
    }

    fn decider(&self, situation: &Situation) -> Decider {
        situation.decider(self.choices, self.policies.clone())
    }

    fn bounds(&self, start: Instant, time: Duration) -> Bounds<'_> {
        // Where the end would lie beyond all reckoning of time, it is a long way off.
        let end = start.checked_add(time).unwrap_or_else(|| start + Duration::from_secs(365 * 24 * 3600));
        Bounds { end, memory: self.memory, stop: self.stop, progress: self.progress }
    }

    fn counted(&self, situation: &Situation, decider: &Decider, start: Instant, time: Duration) -> Result<Counted, Error> {
        let measured = self.measure.iter().flat_map(|measure| measure.terms()).map(|(_, name)| name.clone()).collect();
        let wanted = Wanted { measured, all: self.policies.any(|kind| *kind == Kind::All), answer: false };
        let bounds = &self.bounds(start, time);
        Count { situation, decider, wanted: &wanted, threads: self.threads, bounds }.run()
    }
}

/// Not all was counted, where only a whole count says what is best.
pub fn not_counted(ended: Option<Cap>) -> Error {
    let why = ended.map_or(String::new(), |cap| format!(" {}", cap.told()));
    Error::Usage(format!("not all chances were counted, and what is best can't be sampled.{why} Or settle some choices with --choose"))
}

/// Refuses all reconstructed figures that were consulted.
pub fn none_refused(consulted: &Consulted, situation: &Situation) -> Result<(), Error> {
    let refused = doubts::refused(&consulted.doubts, situation.ruleset());
    if refused.any_error() { Err(Error::Data(refused)) } else { Ok(()) }
}
