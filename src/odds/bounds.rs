//! The limits of a count, and the limit that ended it.

use crate::code::machine::Overrun;
use crate::platform::clock::Instant;
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of throws, choices and answers in sequence: a rule that throws until something happens may never end.
pub const MAX_DEPTH: usize = 4_000;

/// The limits of a search.
#[derive(Clone, Copy)]
pub struct SearchLimits<'a> {
    /// The deadline.
    pub deadline: Instant,
    /// The maximum size of the state table in bytes.
    pub memory: u64,
    /// A flag that stops the search when the user interrupts it.
    pub stop: &'a AtomicBool,
    /// A callback for progress: the share of all probability explored, and the number of states.
    pub progress: &'a (dyn Fn(f64, u64) + Sync),
}

impl SearchLimits<'_> {
    /// Whether the user has stopped the search, or its time is up.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() > self.deadline
    }
}

/// The default memory limit in bytes.
pub const DEFAULT_MEMORY: u64 = 1 << 30;

impl From<Overrun> for Cap {
    fn from(overrun: Overrun) -> Cap {
        match overrun {
            Overrun::Time => Cap::Time,
            Overrun::Memory(bytes) => Cap::Memory(bytes),
            Overrun::Outcomes => Cap::Outcomes,
        }
    }
}

/// The limit that ended a count early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// The time limit was reached.
    Time,
    /// The memory limit, in bytes, was reached.
    Memory(u64),
    /// A throw has more outcomes than can be listed.
    Outcomes,
    /// The depth limit was reached, so there may be infinite recursion of throws and choices.
    Depth,
    /// The user stopped the count.
    Stopped,
}

impl Cap {
    /// Returns a sentence that names the limit and how to raise it.
    pub fn describe(self) -> String {
        match self {
            Cap::Time => "The count ended because its time was up: --limit SECONDS gives it more.".into(),
            Cap::Memory(limit) => {
                let (limit_text, doubled) = (bytes_text(limit), bytes_text(limit.saturating_mul(2)));
                format!("The count ended because its memory of {limit_text} was full: --memory {doubled} gives it more.")
            }
            Cap::Outcomes => {
                "The count ended because a throw has too many outcomes to list: throw fewer dice at once, or read only their total.".into()
            }
            Cap::Depth => format!(
                "The count ended because more than {MAX_DEPTH} throws and choices came one after the other: it follows no more, as they may never end."
            ),
            Cap::Stopped => "The count ended because it was stopped.".into(),
        }
    }

    /// Returns a one-word identifier for JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Cap::Time => "time",
            Cap::Memory(_) => "memory",
            Cap::Outcomes => "outcomes",
            Cap::Depth => "depth",
            Cap::Stopped => "stopped",
        }
    }
}

/// Formats a number of bytes as the command line accepts it.
pub fn bytes_text(memory: u64) -> String {
    match memory {
        whole if whole % (1 << 30) == 0 => format!("{}G", whole >> 30),
        whole if whole % (1 << 20) == 0 => format!("{}M", whole >> 20),
        whole if whole % (1 << 10) == 0 => format!("{}K", whole >> 10),
        other => other.to_string(),
    }
}
