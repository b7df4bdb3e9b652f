//! Shared by `odds` and `compare`: arguments, cancellation by Ctrl-C, progress output.

use crate::command::args::OutputArgs;
use crate::odds::distribution::Condition;
use crate::odds::sample::SampleQuery;
use crate::platform::clock::Instant;
use crate::situation::overrides::Overrides;
use crate::usecase::settings::{CountLimits, SituationSettings};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The arguments of `odds`.
pub struct OddsArgs {
    /// Overrides of the situation.
    pub overrides: Overrides,
    /// Answers, policies and measure.
    pub settings: SituationSettings,
    /// Conditions on the outcomes.
    pub conditions: Vec<String>,
    /// Groups of outcomes whose joint distribution is requested.
    pub joint: Vec<String>,
    /// Whether to print fractions.
    pub exact: bool,
    /// The parts of the answer to print.
    pub output: OutputArgs,
    /// The case whose effect on the odds is requested.
    pub effect_of: Option<String>,
    /// The number of moves of a journal to replay first; `None` for all.
    pub after_moves: Option<usize>,
    /// Time limit in seconds, and memory limit in bytes.
    pub limits: (u64, u64),
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

/// Calls `work` with limits of time in seconds and memory in bytes. Ctrl-C ends it, and it shows its progress after a second.
pub fn with_progress<T>((seconds, memory): (u64, u64), work: impl FnOnce(CountLimits) -> T) -> T {
    let shown = Progress::new();
    let progress = |doing: &str, _: f64, count: u64| shown.show(|| format!("{doing}: {count}"));
    work(CountLimits { memory, progress: &progress, ..CountLimits::new(Duration::from_secs(seconds), stop_flag()) })
}

impl OddsArgs {
    /// Returns what each sampled run must record.
    pub fn sample_query(&self) -> SampleQuery {
        SampleQuery { conditions: self.conditions.iter().map(|text| Condition::parse(text)).collect(), joint: self.joint.clone() }
    }
}
