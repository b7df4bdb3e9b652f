//! The limits of a count, and the limit that ended it.

use casebook_engine::code::machine::Overrun;
use casebook_engine::complaint::Remedy;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::{memory, task};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The maximum number of throws, choices and answers in sequence: a rule that throws until something happens may never end.
pub const MAX_DEPTH: usize = 4_000;

/// The probability that is not worth counting or sampling: what is left out of a count is stated.
pub const NEGLIGIBLE: f64 = 1e-9;

#[derive(Clone, Copy)]
pub struct SearchLimits<'a> {
    pub deadline: Instant,
    /// The memory in bytes: of the process if it works for this task alone, else of the search.
    pub memory: u64,
    /// A flag that stops the search when the user interrupts it.
    pub stop: &'a AtomicBool,
    /// A callback for progress: the share of all probability explored, and the number of states.
    pub progress: &'a (dyn Fn(f64, u64) + Sync),
}

impl SearchLimits<'_> {
    /// Whether the user has stopped the search, its time is up, or its result is no longer wanted.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || task::is_over() || Instant::now() > self.deadline
    }
}

/// The memory that a count may take: what the limit of the process leaves. The count estimates what it takes; what the process really holds
/// corrects the estimate, where the system says it.
pub struct MemoryBudget {
    /// The memory of the process before; `None` if the limit is not that of the process, or the system does not say it.
    held_before: Option<u64>,
    /// The bytes that the whole count may take.
    room: u64,
    /// What the process holds for nothing: a run that was cut short leaves memory that the count takes again.
    reusable: AtomicU64,
    /// The part of the room that the phase under way may take.
    phase_room: AtomicU64,
    /// The estimate at which the phase has taken its part.
    max_estimate: AtomicU64,
    /// The highest estimate so far.
    greatest_estimate: AtomicU64,
    /// The estimate and the number of calls at which the system is asked again.
    next_reading: AtomicU64,
    calls: AtomicU64,
    /// Whether the process used more memory than it may at the last reading.
    is_exceeded: AtomicBool,
}

/// The least part of a limit that a count gets, though the program has taken the rest already.
const LEAST_ROOM: u64 = 4;

/// The number of calls between two readings of what the process holds, and the part of the room by which an estimate grows between them.
const READINGS: (u64, u64) = (256, 64);

impl MemoryBudget {
    /// Creates the budget of a count that begins now.
    pub fn new(limit: u64) -> MemoryBudget {
        // A count with a limit of its own, as those of tests that run side by side, is bounded by its estimate.
        let held_before = if task::process_memory() == Some(limit) {
            memory::resident()
        } else {
            None
        };
        let room = limit
            .saturating_sub(held_before.unwrap_or(0))
            .max(limit / LEAST_ROOM);
        let budget = MemoryBudget {
            held_before,
            room,
            reusable: AtomicU64::new(0),
            phase_room: AtomicU64::new(room),
            max_estimate: AtomicU64::new(room),
            greatest_estimate: AtomicU64::new(0),
            next_reading: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            is_exceeded: AtomicBool::new(false),
        };
        budget.begin_phase(CountPhase::DepthFirst);
        budget
    }

    /// Returns the bytes that the whole count may take.
    pub fn room(&self) -> u64 {
        self.room
    }

    /// Returns the bytes that a count which estimates to take so much may still take.
    pub fn free_bytes(&self, estimate: u64) -> u64 {
        self.max_estimate
            .load(Ordering::Relaxed)
            .saturating_sub(estimate)
    }

    /// Begins a phase, with more room than the one before. What is left after the last is for folding the graph and for the sample.
    pub fn begin_phase(&self, phase: CountPhase) {
        let percent = match (phase, self.held_before) {
            (_, None) => 100,
            (CountPhase::DepthFirst, _) => 60,
            (CountPhase::Forward, _) => 75,
        };
        let room = self.room / 100 * percent;
        self.phase_room.store(room, Ordering::Relaxed);
        self.max_estimate.store(room, Ordering::Relaxed);
        self.next_reading.store(0, Ordering::Relaxed);
    }

    /// What the process holds beyond the estimate of the count was freed by a run that was cut short.
    pub fn reuse(&self, estimate: u64) {
        let grown = self
            .held_before
            .and_then(|before| Some(memory::resident()?.saturating_sub(before)));
        self.reusable.store(
            grown.map_or(0, |grown| grown.saturating_sub(estimate)),
            Ordering::Relaxed,
        );
    }

    /// Whether a count that estimates to take so much has taken all it may.
    pub fn is_full(&self, estimate: u64) -> bool {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if calls.is_multiple_of(READINGS.0) || estimate > self.next_reading.load(Ordering::Relaxed)
        {
            self.read(estimate);
        }
        self.is_exceeded.load(Ordering::Relaxed)
            || estimate > self.max_estimate.load(Ordering::Relaxed)
    }

    /// Returns whether little enough is taken for the count to go on after it freed what it could.
    pub fn has_room(&self, estimate: u64) -> bool {
        self.read(estimate);
        !self.is_exceeded.load(Ordering::Relaxed)
            && estimate < self.max_estimate.load(Ordering::Relaxed) / 4 * 3
    }

    /// Corrects the estimate by the memory of the process. Freed memory may still belong to it, so it is read only while the count grows.
    fn read(&self, estimate: u64) {
        self.next_reading
            .store(estimate + self.room / READINGS.1, Ordering::Relaxed);
        let (Some(before), Some(now)) = (self.held_before, memory::resident()) else {
            return;
        };
        let taken = now
            .saturating_sub(before)
            .saturating_sub(self.reusable.load(Ordering::Relaxed))
            .max(estimate);
        let phase_room = self.phase_room.load(Ordering::Relaxed);
        // Midway, so that what the count does not know of leaves something for folding too.
        self.is_exceeded
            .store(taken > phase_room.midpoint(self.room), Ordering::Relaxed);
        if estimate
            >= self
                .greatest_estimate
                .fetch_max(estimate, Ordering::Relaxed)
        {
            let unknown = taken.saturating_sub(estimate);
            self.max_estimate
                .store(phase_room.saturating_sub(unknown), Ordering::Relaxed);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountPhase {
    DepthFirst,
    /// What the first leaves, likeliest states first.
    Forward,
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
    /// States that come again form too large a system of equations.
    Loops,
    /// The user stopped the count.
    Stopped,
}

impl Cap {
    /// Returns a sentence that names the limit.
    pub fn describe(self) -> String {
        match self {
            Cap::Time => "The count ended because its time was up.".into(),
            Cap::Memory(limit) => {
                format!("The count ended because its memory of {} was full.", bytes_text(limit))
            }
            Cap::Outcomes => {
                "The count ended because a throw has more outcomes than there is memory to list them: ask for the total (roll), how many show a face \
                 or a band (hits(..., \"6\", ...)) or the highest (20d6kh2), or throw fewer dice at once."
                    .into()
            }
            Cap::Depth => format!(
                "The count ended because more than {MAX_DEPTH} throws and choices came one after the other: it follows no more, as they may never end. A number that changes in each round and is read, or goes up and down, keeps positions apart that would else come again; one that is only added to and reported does not."
            ),
            Cap::Loops => {
                "The count ended because too many states lead back to each other to be solved: let a round name fewer outcomes, or read less of what was before it.".into()
            }
            Cap::Stopped => "The count ended because it was stopped.".into(),
        }
    }

    /// Returns what raises the limit.
    pub fn remedy(self) -> Option<Remedy> {
        match self {
            Cap::Time => Some(Remedy::MoreTime),
            Cap::Memory(limit) => Some(Remedy::MoreMemory(limit.saturating_mul(2))),
            _ => None,
        }
    }

    /// Returns a one-word identifier for JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Cap::Time => "time",
            Cap::Memory(_) => "memory",
            Cap::Outcomes => "outcomes",
            Cap::Depth => "depth",
            Cap::Loops => "loops",
            Cap::Stopped => "stopped",
        }
    }
}

/// Formats a number of bytes: `64M`.
pub fn bytes_text(memory: u64) -> String {
    match memory {
        whole if whole % (1 << 30) == 0 => format!("{}G", whole >> 30),
        whole if whole % (1 << 20) == 0 => format!("{}M", whole >> 20),
        whole if whole % (1 << 10) == 0 => format!("{}K", whole >> 10),
        other => other.to_string(),
    }
}
