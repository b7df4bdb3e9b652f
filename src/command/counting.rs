//! What `odds` and `compare` count with: what was asked, Ctrl-C, progress.

use crate::complaint::Error;
use crate::odds::bars::percent;
use crate::odds::find::{Found, Search};
use crate::odds::measure::Measure;
use crate::ruling::situation::Situation;
use crate::situation::policy::Policies;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What is asked of `odds`.
pub struct Ask {
    /// Answers to choices.
    pub choose: Vec<(String, String)>,
    /// Conditions.
    pub given: Vec<String>,
    /// Whether fractions are printed.
    pub exact: bool,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// Policies by side.
    pub policy: Vec<(String, String)>,
    /// What best and worst are measured by.
    pub measure: Option<String>,
    /// A question whose answers are set against each other.
    pub matrix: Option<String>,
    /// A case whose part in the odds is asked.
    pub by: Option<String>,
    /// Of a journal, how many of its answers are given already; none for all.
    pub after: Option<usize>,
    /// Seconds to count.
    pub limit: u64,
}

/// Set when the user has had enough: once ends the count, twice the program.
pub fn stop() -> &'static AtomicBool {
    static STOP: OnceLock<AtomicBool> = OnceLock::new();
    let first = STOP.get().is_none();
    let flag = STOP.get_or_init(|| AtomicBool::new(false));
    if first {
        // Where no handler can be set, Ctrl-C just ends the program.
        let _ = ctrlc::set_handler(|| {
            if stop().swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
    }
    flag
}

impl Ask {
    /// Finds the odds of a situation, with progress on the terminal after a second.
    pub fn find(&self, situation: &Situation, policies: &Arc<Policies>, measure: Option<&Measure>) -> Result<Found, Error> {
        let start = Instant::now();
        let told = AtomicU64::new(0);
        let progress = |seen: f64, states: u64| {
            let second = start.elapsed().as_secs();
            if second > told.load(Ordering::Relaxed) && std::io::stderr().is_terminal() {
                told.store(second, Ordering::Relaxed);
                let _ = write!(std::io::stderr(), "\r{} of all chances seen, {states} states  ", percent(seen));
            }
        };
        let search = Search {
            choices: &self.choose,
            policies: policies.clone(),
            measure,
            strict: self.strict,
            time: Duration::from_secs(self.limit),
            threads: threads(),
            stop: stop(),
            progress: &progress,
        };
        let found = search.find(situation);
        if told.load(Ordering::Relaxed) > 0 {
            eprintln!();
        }
        found
    }
}

/// The odds of a situation, each choice as it is answered or at its first option.
pub fn odds_of(situation: &Situation, choices: &[(String, String)], strict: bool, seconds: u64) -> Result<Found, Error> {
    let search = Search {
        choices,
        policies: Arc::default(),
        measure: None,
        strict,
        time: Duration::from_secs(seconds),
        threads: threads(),
        stop: stop(),
        progress: &|_, _| {},
    };
    search.find(situation)
}

/// As many threads as there are processors.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
