//! How far a count goes, and what ended it.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Throws, choices and answers one after the other, at most: a rule that throws until something happens may do so for ever.
pub const MAX_DEPTH: usize = 4_000;

/// How long a run may still go on when the time of the count is up: nearly all come to a stop at once.
pub const GRACE: Duration = Duration::from_secs(2);

/// How far to go.
#[derive(Clone, Copy)]
pub struct SearchLimits<'a> {
    /// When to stop.
    pub end: Instant,
    /// How many bytes may be used for what is known.
    pub memory: u64,
    /// Stop when this is set: the user has had enough.
    pub stop: &'a AtomicBool,
    /// Told now and then how much of all chances has been seen, and how many states it took.
    pub progress: &'a (dyn Fn(f64, u64) + Sync),
}

/// How many bytes a count may use where nobody says.
pub const MEMORY: u64 = 1 << 30;

/// What ended a count before everything was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cap {
    /// Time was up.
    Time,
    /// So many bytes of memory were full.
    Memory(u64),
    /// So many throws and choices came one after the other that there may be no end to them.
    Depth,
    /// The user had enough.
    Stopped,
}

impl Cap {
    /// What ended the count, and how to raise it, as a sentence.
    pub fn told(self) -> String {
        match self {
            Cap::Time => "The count ended because its time was up: --limit SECONDS gives it more.".into(),
            Cap::Memory(most) => {
                let (most, more) = (bytes(most), bytes(most.saturating_mul(2)));
                format!("The count ended because its memory of {most} was full: --memory {more} gives it more.")
            }
            Cap::Depth => format!(
                "The count ended because more than {MAX_DEPTH} throws and choices came one after the other: it follows no more, as they may never end."
            ),
            Cap::Stopped => "The count ended because it was stopped.".into(),
        }
    }

    /// In a word, for a program.
    pub fn word(self) -> &'static str {
        match self {
            Cap::Time => "time",
            Cap::Memory(_) => "memory",
            Cap::Depth => "depth",
            Cap::Stopped => "stopped",
        }
    }
}

/// A number of bytes as it is typed.
pub fn bytes(memory: u64) -> String {
    match memory {
        whole if whole % (1 << 30) == 0 => format!("{}G", whole >> 30),
        whole if whole % (1 << 20) == 0 => format!("{}M", whole >> 20),
        whole if whole % (1 << 10) == 0 => format!("{}K", whole >> 10),
        other => other.to_string(),
    }
}
