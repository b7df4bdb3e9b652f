//! What `odds` and `compare` count with: what was asked, Ctrl-C, progress.

use crate::command::args::OutputArgs;
use crate::complaint::Error;
use crate::odds::distribution::Condition;
use crate::odds::measure::Measure;
use crate::odds::query::{OddsQuery, OddsResult};
use crate::odds::sample::SampleQuery;
use crate::ruling::situation::Situation;
use crate::situation::overrides::Overrides;
use crate::situation::policy::Policies;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What is asked of `odds`.
pub struct OddsArgs {
    /// Figures set by hand.
    pub overrides: Overrides,
    /// Answers to choices.
    pub choices: Vec<(String, String)>,
    /// Conditions.
    pub conditions: Vec<String>,
    /// Outcomes that are asked for together.
    pub joint: Vec<String>,
    /// Whether fractions are printed.
    pub exact: bool,
    /// How much of the answer is printed.
    pub output: OutputArgs,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// Policies by side.
    pub policies: Vec<(String, String)>,
    /// What best and worst are measured by.
    pub measure: Option<String>,
    /// A question whose answers are set against each other.
    pub matrix: Option<String>,
    /// A case whose part in the odds is asked.
    pub effect_of: Option<String>,
    /// Of a journal, how many of its answers are given already; none for all.
    pub after_moves: Option<usize>,
    /// Seconds to count.
    pub seconds: u64,
    /// Bytes to count in.
    pub memory: u64,
}

/// Set when the user has had enough: once ends the count, twice the program.
pub fn stop_flag() -> &'static AtomicBool {
    static STOP: OnceLock<AtomicBool> = OnceLock::new();
    let first = STOP.get().is_none();
    let flag = STOP.get_or_init(|| AtomicBool::new(false));
    if first {
        // Where no handler can be set, Ctrl-C just ends the program.
        let _ = ctrlc::set_handler(|| {
            if stop_flag().swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
    }
    flag
}

/// Says on the terminal what is being done, once that takes more than a second.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    last_shown: AtomicU64,
}

impl Progress {
    /// Nothing is shown yet; where the standard error is no terminal, nothing ever is.
    pub fn new() -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        Progress { bar, start: Instant::now(), last_shown: AtomicU64::new(0) }
    }

    /// Takes it off the terminal.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Tells what is being done.
    pub fn show(&self, text: impl FnOnce() -> String) {
        let now = self.start.elapsed().as_millis() as u64;
        // Ten times a second is often enough for anybody.
        if now > 1_000 && now / 100 > self.last_shown.swap(now / 100, Ordering::Relaxed) {
            // What does not fit the terminal is cut off at its end.
            self.bar.set_message(format!("{} · Ctrl-C gives what is known", text()));
            self.bar.tick();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The end of so many seconds from now; a long way off where that lies beyond all reckoning of time.
pub fn deadline_in(seconds: u64) -> Instant {
    let now = Instant::now();
    now.checked_add(Duration::from_secs(seconds)).unwrap_or_else(|| now + Duration::from_secs(365 * 24 * 3600))
}

impl OddsArgs {
    /// Finds the odds of a situation, with progress on the terminal after a second.
    pub fn run(&self, situation: &Situation, policies: &Arc<Policies>, measure: Option<&Measure>) -> Result<OddsResult, Error> {
        let shown = Progress::new();
        let progress = |_: f64, states: u64| shown.show(|| format!("counting: {states} states or runs"));
        let search = OddsQuery {
            choices: &self.choices,
            policies: policies.clone(),
            measure,
            sample_query: self.sample_query(),
            strict: self.strict,
            time_limit: Duration::from_secs(self.seconds),
            memory: self.memory,
            threads: thread_count(),
            stop: stop_flag(),
            progress: &progress,
        };
        search.run(situation)
    }

    /// What is asked of each run where not all can be counted.
    pub fn sample_query(&self) -> SampleQuery {
        SampleQuery { conditions: self.conditions.iter().map(|text| Condition::parse(text)).collect(), joint: self.joint.clone() }
    }
}

/// The odds of a situation, each choice as it is answered or at its first option.
pub fn count_odds(
    situation: &Situation,
    choices: &[(String, String)],
    strict: bool,
    (seconds, memory): (u64, u64),
) -> Result<OddsResult, Error> {
    let shown = Progress::new();
    let search = OddsQuery {
        choices,
        policies: Arc::default(),
        measure: None,
        sample_query: SampleQuery::default(),
        strict,
        time_limit: Duration::from_secs(seconds),
        memory,
        threads: thread_count(),
        stop: stop_flag(),
        progress: &|_, states| shown.show(|| format!("counting: {states} states or runs")),
    };
    search.run(situation)
}

/// As many threads as there are processors.
pub fn thread_count() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
