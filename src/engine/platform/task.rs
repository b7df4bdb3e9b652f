//! The task that a thread works for: a command or a request. All its threads share one deadline, one memory budget and one flag.

use crate::platform::clock::Instant;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

/// The limits of a task; without any it never ends by itself.
#[derive(Clone, Debug, Default)]
pub struct Task {
    deadline: Option<Instant>,
    memory: Option<u64>,
    /// The bytes that the process may hold, if this is what it works for.
    process_memory: Option<u64>,
    stop: Arc<AtomicBool>,
    /// Whether the task waits for a person, which no watchdog ends.
    waits: Arc<AtomicBool>,
    progress: ProgressSink,
}

/// A callback for progress: the current activity, the share done, and the number of states or runs.
pub type ProgressFunction = dyn Fn(&str, f64, u64) + Send + Sync;

#[derive(Clone, Default)]
struct ProgressSink(Option<Arc<ProgressFunction>>);

impl std::fmt::Debug for ProgressSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() {
            "watched"
        } else {
            "unwatched"
        })
    }
}

thread_local! {
    static CURRENT: RefCell<Task> = RefCell::default();
}

/// The time before the deadline of a task at which counts end, so that what they counted can still be shown.
const WRAP_UP: Duration = Duration::from_secs(3);

/// The shortest time after which a watchdog looks again at a task that waits for a person.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);

/// Ends the watch of a task when it is dropped.
pub struct Watchdog {
    _watched: Option<Sender<()>>,
}

/// Sets its flag when it is dropped, because the result of the task is not wanted any more.
#[derive(Debug, Default)]
pub struct StopOnDrop(pub Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Restores the previous task when it is dropped, also by a panic.
struct Restore(Task);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

impl Task {
    /// Creates a task that begins now. `memory` is the budget in bytes that the user has set.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Task {
        Task {
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            memory,
            ..Task::default()
        }
    }

    /// Makes this what the process works for: it may hold the budget of the task, or else `default` bytes.
    pub fn with_process(self, default: u64) -> Task {
        Task {
            process_memory: Some(self.memory.unwrap_or(default)),
            ..self
        }
    }

    /// Ends the task when this flag is set.
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Task {
        Task { stop, ..self }
    }

    /// Reports the progress of the task.
    pub fn with_progress(self, progress: Arc<ProgressFunction>) -> Task {
        Task {
            progress: ProgressSink(Some(progress)),
            ..self
        }
    }

    /// Whether the task has to end: its deadline has passed, or its result is no longer wanted.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|end| Instant::now() > end)
    }

    /// Runs `work` on this thread as a part of the task.
    pub fn enter<R>(self, work: impl FnOnce() -> R) -> R {
        let _before = Restore(CURRENT.replace(self));
        work()
    }

    /// Calls `end` if the task is still at work `grace` after its deadline: something has ignored it. Without
    /// threads it is never called.
    pub fn watch(&self, grace: Duration, end: impl FnOnce() + Send + 'static) -> Watchdog {
        let Some(deadline) = self
            .deadline
            .and_then(|deadline| deadline.checked_add(grace))
        else {
            return Watchdog { _watched: None };
        };
        let (sender, receiver) = channel::<()>();
        let waits = self.waits.clone();
        let wait = move || {
            let mut time = deadline.saturating_duration_since(Instant::now());
            while receiver.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                if !waits.load(Ordering::SeqCst) {
                    return end();
                }
                time = grace.max(SHORTEST_WAIT);
            }
        };
        Watchdog {
            _watched: Builder::new().spawn(wait).ok().map(|_| sender),
        }
    }
}

/// Returns the task of this thread.
pub fn current() -> Task {
    CURRENT.with_borrow(Task::clone)
}

/// Whether the task of this thread has to end.
pub fn is_over() -> bool {
    CURRENT.with_borrow(Task::is_over)
}

/// Waits for input of a person; the deadline of the task does not end the wait.
pub fn wait_for_person<R>(answer: impl FnOnce() -> R) -> R {
    let waits = CURRENT.with_borrow(|task| task.waits.clone());
    waits.store(true, Ordering::SeqCst);
    let answer = answer();
    waits.store(false, Ordering::SeqCst);
    answer
}

/// Whether what was counted has to be shown now, because the task ends soon.
pub fn is_wrapping_up() -> bool {
    let now = Instant::now();
    end_within(now) < now
}

/// Reports the progress of the task of this thread, if it has a listener.
pub fn report_progress(activity: &str, share: f64, count: u64) {
    let sink = CURRENT.with_borrow(|task| task.progress.clone());
    if let Some(report) = sink.0 {
        report(activity, share, count);
    }
}

/// Returns the memory budget that the user has set, in bytes.
pub fn memory() -> Option<u64> {
    CURRENT.with_borrow(|task| task.memory)
}

/// Returns the bytes that the process may hold, if it works for this task or for requests like it.
pub fn process_memory() -> Option<u64> {
    CURRENT.with_borrow(|task| task.process_memory)
}

/// Returns the deadline of a part of the task: `end`, or somewhat before the task ends.
pub fn end_within(end: Instant) -> Instant {
    let last = CURRENT.with_borrow(|task| {
        task.deadline
            .and_then(|deadline| deadline.checked_sub(WRAP_UP))
    });
    last.map_or(end, |last| end.min(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn a_watchdog_ends_only_what_ignores_its_deadline() {
        static BITES: AtomicUsize = AtomicUsize::new(0);
        let on_timeout = || assert_eq!(BITES.fetch_add(1, Ordering::SeqCst), 0);
        let (ignoring, obeying) = (
            Task::new(Some(Duration::ZERO), None),
            Task::new(Some(Duration::from_millis(50)), None),
        );
        drop(obeying.watch(Duration::from_millis(50), on_timeout));
        let watch = ignoring.watch(Duration::from_millis(1), on_timeout);
        std::thread::sleep(Duration::from_millis(300));
        drop(watch);
        assert_eq!(BITES.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_watchdog_waits_with_the_task_for_a_person() {
        static BITES: AtomicUsize = AtomicUsize::new(0);
        let task = Task::new(Some(Duration::ZERO), None);
        let _watch = task.watch(Duration::from_millis(1), || {
            assert_eq!(BITES.fetch_add(1, Ordering::SeqCst), 0)
        });
        task.enter(|| {
            wait_for_person(|| std::thread::sleep(Duration::from_millis(200)));
            assert_eq!(BITES.load(Ordering::SeqCst), 0);
            std::thread::sleep(Duration::from_millis(300));
        });
        assert_eq!(BITES.load(Ordering::SeqCst), 1);
    }
}
