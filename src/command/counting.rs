//! Shared by `odds` and `compare`: arguments, cancellation by Ctrl-C, progress output.

use crate::command::args::OutputArgs;
use crate::complaint::Error;
use crate::odds::distribution::Condition;
use crate::odds::measure::Measure;
use crate::odds::query::{OddsQuery, OddsResult};
use crate::odds::sample::SampleQuery;
use crate::platform::clock::Instant;
use crate::platform::parallel;
use crate::ruling::situation::Situation;
use crate::situation::overrides::Overrides;
use crate::situation::policy::Policies;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The arguments of `odds`.
pub struct OddsArgs {
    /// Overrides of the situation.
    pub overrides: Overrides,
    /// Answers to choices.
    pub choices: Vec<(String, String)>,
    /// Conditions on the outcomes.
    pub conditions: Vec<String>,
    /// Groups of outcomes whose joint distribution is requested.
    pub joint: Vec<String>,
    /// Whether to print fractions.
    pub exact: bool,
    /// The parts of the answer to print.
    pub output: OutputArgs,
    /// Whether a reconstructed value is an error.
    pub strict: bool,
    /// The policy of each side.
    pub policies: Vec<(String, String)>,
    /// The measure that best and worst play optimise.
    pub measure: Option<String>,
    /// The question whose answers form a matrix game.
    pub matrix: Option<String>,
    /// The case whose effect on the odds is requested.
    pub effect_of: Option<String>,
    /// The number of moves of a journal to replay first; `None` for all.
    pub after_moves: Option<usize>,
    /// Time limit, in seconds.
    pub seconds: u64,
    /// Memory limit, in bytes.
    pub memory: u64,
}

/// Returns the flag that Ctrl-C sets to cancel a count; a second Ctrl-C ends the program.
pub fn stop_flag() -> &'static AtomicBool {
    static STOP: OnceLock<AtomicBool> = OnceLock::new();
    let first = STOP.get().is_none();
    let flag = STOP.get_or_init(|| AtomicBool::new(false));
    if first {
        // Without a handler, Ctrl-C ends the program at once.
        let _ = ctrlc::set_handler(|| {
            if stop_flag().swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
    }
    flag
}

/// Shows progress on the terminal for operations longer than a second.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    last_shown: AtomicU64,
}

impl Progress {
    /// Starts without output. If standard error is not a terminal, progress is never shown.
    pub fn new() -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        Progress { bar, start: Instant::now(), last_shown: AtomicU64::new(0) }
    }

    /// Removes the progress line from the terminal.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Updates the progress line.
    pub fn show(&self, text: impl FnOnce() -> String) {
        let now = self.start.elapsed().as_millis() as u64;
        // At most ten updates a second.
        if now > 1_000 && now / 100 > self.last_shown.swap(now / 100, Ordering::Relaxed) {
            // Text wider than the terminal is truncated.
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

/// Returns the instant `seconds` from now; if it overflows, a distant one.
pub fn deadline_in(seconds: u64) -> Instant {
    let now = Instant::now();
    now.checked_add(Duration::from_secs(seconds)).unwrap_or_else(|| now + Duration::from_secs(365 * 24 * 3600))
}

impl OddsArgs {
    /// Computes the odds of a situation, with progress on the terminal after a second.
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

    /// Returns what each sampled run must record.
    pub fn sample_query(&self) -> SampleQuery {
        SampleQuery { conditions: self.conditions.iter().map(|text| Condition::parse(text)).collect(), joint: self.joint.clone() }
    }
}

/// Computes the odds of a situation; an unanswered choice takes its first option.
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

/// Returns the number of available processors.
pub fn thread_count() -> usize {
    parallel::thread_count()
}
