//! Counts: the arguments of `odds`, cancellation by Ctrl-C, progress output.

use crate::command::arg_parsers::{pair, rounds, run_count, seconds, shard, trimmed, whole};
use crate::command::out::Printer;
use crate::command::ruleset_args::{OutputArgs, RulesetArgs, SetArgs};
use casebook_analysis::odds::assumptions::Assumptions;
use casebook_analysis::odds::bar_chart::partly;
use casebook_analysis::odds::bounds::Cap;
use casebook_analysis::odds::distribution::{Condition, Odds};
use casebook_analysis::odds::report::Qualified;
use casebook_analysis::odds::sample::{Sample, SampleQuery};
use casebook_analysis::odds::shards::Shard;
use casebook_analysis::usecase::settings::{CountLimits, SituationSettings};
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::situation::overrides;
use casebook_view::block::AnswerBlock;
use casebook_view::text::blocks_text;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The arguments of `odds`.
#[derive(Args)]
pub struct OddsArgs {
    /// A situation, a part of its name or title, or a saved journal (the odds from there on)
    pub situation: String,
    #[command(flatten)]
    pub ruleset: RulesetArgs,
    #[command(flatten)]
    pub set: SetArgs,
    /// Print the odds for several values of one figure: 'Red guard: size=1..20', or a list: 2,4,8
    #[arg(long, value_parser = pair, value_name = "WHAT: FIGURE=VALUES", conflicts_with_all = ["given", "joint", "matrix", "by", "after", "runs"])]
    pub sweep: Option<(String, String)>,
    /// In a game with a sequence of play, count this many rounds, including the current one
    #[arg(long, value_name = "N", value_parser = rounds, conflicts_with_all = ["given", "joint", "matrix", "measure", "by", "after", "runs", "sweep"])]
    pub rounds: Option<u64>,
    /// An answer to a choice: 'Red: bid=2'; may be repeated
    #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
    pub choose: Vec<(String, String)>,
    /// Only cases where this holds: 'retreat', 'defender losses >= 4'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub given: Vec<String>,
    /// The joint odds of several outcomes: 'attacker losses, retreat'
    #[arg(long, value_delimiter = ',', value_parser = trimmed, value_name = "OUTCOMES", conflicts_with_all = ["by", "matrix"])]
    pub joint: Vec<String>,
    /// Print fractions beside the percentages, and every value on its own line
    #[arg(long)]
    pub exact: bool,
    /// Print the lines of the rules in which most states arise, and the variables and figures that keep them apart
    #[arg(long, conflicts_with_all = ["by", "matrix", "runs", "rounds", "sweep", "joint"])]
    pub profile: bool,
    #[command(flatten)]
    pub shown: OutputArgs,
    /// Refuse reconstructed figures
    #[arg(long)]
    pub strict: bool,
    /// The policy of a side: 'SIDE=best', or all=...; first, last, highest, lowest, best, worst, all, a style of the game or '|what, options| options[0]'
    #[arg(long, alias = "style", value_parser = pair, value_name = "SIDE=POLICY")]
    pub policy: Vec<(String, String)>,
    /// What best and worst measure: a sum of outcomes, such as 'defender losses - attacker losses'
    #[arg(long, value_name = "OUTCOMES", allow_hyphen_values = true)]
    pub measure: Option<String>,
    /// A question that both sides answer in secret: print the value of each pair of answers, and the best mix
    #[arg(long, value_name = "QUESTION", requires = "measure", conflicts_with_all = ["given", "by"])]
    pub matrix: Option<String>,
    /// Compare the odds with and without a case, table, variant or option, or under each answer of a reading
    #[arg(long, value_name = "WHAT", conflicts_with = "given")]
    pub by: Option<String>,
    /// Of a journal, the odds after this many throws and choices
    #[arg(long, value_parser = whole::<usize>, value_name = "N")]
    pub after: Option<usize>,
    /// Sample instead of counting: play it this many times by policies (first option by default) and count the outcomes
    #[arg(long, value_name = "N", value_parser = run_count, conflicts_with_all = ["given", "joint", "exact", "only", "brief", "strict", "measure", "matrix", "by", "after"])]
    pub runs: Option<u64>,
    /// Play only part K of N of these runs; `casebook merge` joins the parts saved with --format json
    #[arg(long, value_name = "K/N", value_parser = shard, requires = "runs", default_value = "1/1", hide_default_value = true)]
    pub shard: Shard,
    /// The time limit in seconds; beyond it, the rest is sampled, and no more runs begin; to read the rules and to print takes more, up to ten seconds where hardly two results are equal [default: 60; none with --runs]
    #[arg(long, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
    pub limit: Option<u64>,
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
        Progress {
            bar,
            start: Instant::now(),
            last_shown: AtomicU64::new(0),
        }
    }

    /// Removes the progress line from the terminal.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Prints something while the progress line is hidden.
    pub fn print_apart(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Updates the progress line.
    pub fn show(&self, text: impl FnOnce() -> String) {
        let now = self.start.elapsed().as_millis() as u64;
        // At most ten updates a second.
        if now > 1_000 && now / 100 > self.last_shown.swap(now / 100, Ordering::Relaxed) {
            // Text wider than the terminal is truncated.
            self.bar
                .set_message(format!("{} · Ctrl-C gives what is known", text()));
            self.bar.tick();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Calls `work` with a limit of time in seconds. Ctrl-C ends it, and it shows its progress after a second.
pub fn with_progress<T>(seconds: u64, work: impl FnOnce(CountLimits) -> T) -> T {
    with_shown_progress(seconds, |limits, _| work(limits))
}

/// The same with the progress that is shown, for `work` that prints something meanwhile.
pub fn with_shown_progress<T>(seconds: u64, work: impl FnOnce(CountLimits, &Progress) -> T) -> T {
    let shown = Progress::new();
    let progress = |doing: &str, _: f64, count: u64| shown.show(|| format!("{doing}: {count}"));
    let limits = CountLimits {
        progress: &progress,
        ..CountLimits::new(Duration::from_secs(seconds), stop_flag())
    };
    work(limits, &shown)
}

/// The default time limit of an exact count, in seconds.
pub const COUNT_SECONDS: u64 = 60;

impl OddsArgs {
    /// Returns the answers, the policies and the measure.
    pub fn settings(&self) -> SituationSettings {
        SituationSettings {
            choices: self.choose.clone(),
            policies: self.policy.clone(),
            measure: self.measure.clone(),
            matrix: self.matrix.clone(),
            strict: self.strict,
            hidden: Vec::new(),
        }
    }

    /// Returns what each sampled run must record.
    pub fn sample_query(&self) -> SampleQuery {
        SampleQuery {
            conditions: self
                .given
                .iter()
                .map(|text| Condition::parse(text))
                .collect(),
            joint: self.joint.clone(),
        }
    }

    /// Calls `work` with the time limit of a count.
    pub fn with_progress<T>(&self, work: impl FnOnce(CountLimits) -> T) -> T {
        with_progress(self.limit.unwrap_or(COUNT_SECONDS), work)
    }
}

/// What every answer of `odds` is printed with.
pub struct OddsAnswer<'a> {
    pub args: &'a OddsArgs,
    pub situation: &'a Situation,
    /// What the odds are of, where a situation begins a game.
    pub scope: String,
    pub assumptions: &'a Assumptions,
    pub out: Printer,
}

impl OddsAnswer<'_> {
    /// Returns what stands above odds: what they are of, under which rules, and what was set by hand.
    pub fn head(&self, notes: impl IntoIterator<Item = String>) -> AnswerBlock {
        let texts = [
            format!("odds · {}", self.situation.ruleset().title()),
            self.scope.clone(),
            overrides::describe(&self.situation.scenario.set),
        ];
        let texts = texts.into_iter().chain(notes).map(AnswerBlock::text);
        AnswerBlock::section(&self.situation.scenario.title, texts.collect())
    }

    /// Prints odds as a report or as blocks, with what they rest on.
    pub fn print<T: Serialize>(
        &self,
        report: impl FnOnce() -> T,
        blocks: impl FnOnce() -> Vec<AnswerBlock>,
    ) {
        let (page, shown) = (self.out.page, &self.args.shown);
        self.out.print(
            || Qualified::new(report(), self.assumptions),
            || blocks_text(&blocks(), page) + &*shown.render_footer(self.assumptions, page),
        );
    }
}

/// Says how much was counted, how the rest was sampled, and what lets more be counted.
pub fn partly_text(odds: &Odds, sample: &Sample, how_far: &str, page: TerminalPage) -> String {
    let remedy = odds.ended.and_then(Cap::remedy);
    page.advise(&partly(odds, sample, how_far), remedy)
}
