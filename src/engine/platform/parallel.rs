//! Work on several threads. Where no thread can be started, the current one does the work.

use crate::platform::task;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread::{Builder, available_parallelism, scope};

/// Stack size in bytes; deeply nested scripts must hit the limits of the machine before the end of the stack.
pub const STACK_SIZE: usize = 64 << 20;

/// Returns the number of threads that run at the same time.
pub fn thread_count() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Runs `work` once for each worker number below `threads`, the first on the current thread, as parts of its task. Returns the results by
/// worker number. A panic of a worker is a panic of the caller.
pub fn on_threads<R: Send>(threads: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let (work, task) = (&work, &task::current());
    scope(|scope| {
        let run = move |number| task.clone().enter(|| work(number));
        let start = |number| {
            Builder::new()
                .stack_size(STACK_SIZE)
                .spawn_scoped(scope, move || run(number))
                .map_err(|_| number)
        };
        let handles: Vec<_> = (1..threads).map(start).collect();
        let mut results = vec![work(0)];
        for handle in handles {
            results.push(match handle {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(number) => work(number),
            });
        }
        results
    })
}

/// Maps a list, one item at a time, so that long items don't hold up the rest. The results keep the order of the list.
pub fn map<'a, T: Sync, R: Send>(list: &'a [T], work: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut results: Vec<(usize, R)> = on_threads(thread_count().min(list.len()), |_| {
        let mut results = Vec::new();
        while let Some((index, item)) = Some(next.fetch_add(1, Ordering::Relaxed))
            .and_then(|index| Some((index, list.get(index)?)))
        {
            results.push((index, work(item)));
        }
        results
    })
    .into_iter()
    .flatten()
    .collect();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Maps both halves of a list. The results keep the order of the list.
pub fn map_halves<T: Sync, R: Send>(list: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    let (first, second) = list.split_at(list.len() / 2);
    if list.len() < 16 {
        return work(list);
    }
    map(&[first, second], |half| work(half))
        .into_iter()
        .flatten()
        .collect()
}

/// Runs `work` on all threads; the current thread receives what they send, as it comes. `send` returns false once the receiver is gone.
pub fn stream<T: Send>(
    work: impl Fn(&mut dyn FnMut(T) -> bool) + Sync,
    mut receive: impl FnMut(T),
) {
    let (work, task) = (&work, &task::current());
    scope(|scope| {
        let (sender, receiver) = channel();
        let start = |_| {
            let sender = sender.clone();
            let run = move || {
                task.clone()
                    .enter(|| work(&mut |item| sender.send(item).is_ok()))
            };
            Builder::new()
                .stack_size(STACK_SIZE)
                .spawn_scoped(scope, run)
                .is_ok()
        };
        if (0..thread_count())
            .map(start)
            .filter(|started| *started)
            .count()
            == 0
        {
            work(&mut |item| (receive(item), true).1);
        }
        drop(sender);
        receiver.into_iter().for_each(receive);
    });
}

/// Starts `work` on a thread of its own, as a part of the current task, and returns whether one could be started.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> bool {
    let task = task::current();
    Builder::new()
        .stack_size(STACK_SIZE)
        .spawn(move || task.enter(work))
        .is_ok()
}

/// Runs `work` on a thread with a stack of `bytes` and returns its result. A panic of `work` is returned as `None`.
///
/// # Errors
///
/// If no thread can be started.
pub fn on_deep_stack<R: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> R + Send + 'static,
) -> std::io::Result<Option<R>> {
    Ok(Builder::new().stack_size(bytes).spawn(work)?.join().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::task::Task;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    #[test]
    fn all_threads_of_a_task_share_its_end_and_its_budget() {
        assert!(!task::is_over() && task::memory().is_none());
        let stop = Arc::new(AtomicBool::new(false));
        let task = Task::new(Some(Duration::from_secs(3600)), Some(7)).with_stop(stop.clone());
        task.enter(|| {
            assert_eq!(
                on_threads(3, |_| (task::is_over(), task::memory())),
                [(false, Some(7)); 3]
            );
            stop.store(true, Ordering::SeqCst);
            assert_eq!(on_threads(3, |_| task::is_over()), [true; 3]);
            let mut flags = Vec::new();
            stream(
                |send| assert!(send(task::is_over())),
                |is_over| flags.push(is_over),
            );
            assert!(
                !flags.is_empty() && flags.iter().all(|is_over| *is_over),
                "{flags:?}"
            );
        });
        assert!(!task::is_over() && task::memory().is_none());
        Task::new(Some(Duration::ZERO), None).enter(|| {
            std::thread::sleep(Duration::from_millis(2));
            assert!(task::is_over());
        });
    }
}
