//! Counts that requests are waiting for: how far each has come, and a way to end it.

use crate::serve::api_answers::CountReport;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::platform::task::ProgressFunction;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Maximum length of the name of a count.
const MAX_NAME: usize = 40;

/// How far a count has come.
#[derive(Clone, Debug, Default)]
struct CountProgress {
    activity: String,
    /// The share of all probability that is explored, or of the work that is done.
    share: f64,
    /// The number of states or runs.
    count: u64,
}

struct RunningCount {
    stop: Arc<AtomicBool>,
    progress: Arc<Mutex<CountProgress>>,
}

/// The counts under way, by the names that the pages have given them.
#[derive(Default)]
pub struct RunningCounts {
    by_name: Mutex<BTreeMap<String, RunningCount>>,
}

/// A count under way; it is forgotten when this is dropped.
pub struct CountGuard {
    counts: Arc<RunningCounts>,
    name: String,
    progress: Arc<Mutex<CountProgress>>,
}

impl RunningCounts {
    /// Begins a count that `stop` ends. Returns `None` for a name that is too long or belongs to another count.
    pub fn begin(self: &Arc<Self>, name: &str, stop: Arc<AtomicBool>) -> Option<CountGuard> {
        let mut counts = lock_unpoisoned(&self.by_name);
        if name.is_empty() || name.len() > MAX_NAME || counts.contains_key(name) {
            return None;
        }
        let progress = Arc::<Mutex<CountProgress>>::default();
        counts.insert(
            name.into(),
            RunningCount {
                stop,
                progress: progress.clone(),
            },
        );
        Some(CountGuard {
            counts: self.clone(),
            name: name.into(),
            progress,
        })
    }

    /// Returns how far a count has come; it does not run before its first report and after its end.
    pub fn progress(&self, name: &str) -> CountReport {
        let latest = lock_unpoisoned(&self.by_name)
            .get(name)
            .map(|count| lock_unpoisoned(&count.progress).clone());
        let CountProgress {
            activity,
            share,
            count,
        } = latest.unwrap_or_default();
        CountReport {
            running: !activity.is_empty(),
            activity,
            share,
            count,
        }
    }

    /// Ends a count: its answer is what was counted, and a sample of the rest.
    pub fn stop(&self, name: &str) {
        if let Some(count) = lock_unpoisoned(&self.by_name).get(name) {
            count.stop.store(true, Ordering::SeqCst);
        }
    }
}

impl CountGuard {
    /// Returns what the task of the count reports to.
    pub fn reporter(&self) -> Arc<ProgressFunction> {
        let progress = self.progress.clone();
        Arc::new(move |activity, share, count| {
            let mut latest = lock_unpoisoned(&progress);
            // Each thread reports its own share: the largest counts.
            let share = if latest.activity == activity {
                latest.share.max(share)
            } else {
                share
            };
            *latest = CountProgress {
                activity: activity.into(),
                share: share.clamp(0.0, 1.0),
                count,
            };
        })
    }
}

impl Drop for CountGuard {
    fn drop(&mut self) {
        lock_unpoisoned(&self.counts.by_name).remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_known_while_it_runs() {
        let (counts, stop) = (
            Arc::<RunningCounts>::default(),
            Arc::<AtomicBool>::default(),
        );
        let guard = counts.begin("a", stop.clone()).expect("the name is free");
        assert!(
            counts.begin("a", stop.clone()).is_none() && counts.begin("", stop.clone()).is_none()
        );
        assert!(!counts.progress("a").running, "nothing is reported yet");
        let report = guard.reporter();
        report("counting", 0.5, 64);
        report("counting", 0.2, 128);
        assert_eq!(
            counts.progress("a"),
            CountReport {
                running: true,
                activity: "counting".into(),
                share: 0.5,
                count: 128,
            }
        );
        counts.stop("b");
        assert!(!stop.load(Ordering::SeqCst));
        counts.stop("a");
        assert!(stop.load(Ordering::SeqCst));
        drop(guard);
        assert!(!counts.progress("a").running);
    }
}
