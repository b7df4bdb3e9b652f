//! What the benches share.

mod allocator;

use casebook::data::library::Library;
use casebook::odds::find::{Found, Search};
use casebook::ruleset::compose::Wish;
use casebook::ruling::situation::Situation;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A situation of the data that ship, under some variants.
pub fn ready(library: &Arc<Library>, game: &str, with: &[&str], situation: &str) -> Situation {
    Situation::of(library, &Wish::of(game, with), situation).expect("the data is sound, and the situation there")
}

/// Its odds, counted whole on so many threads.
pub fn odds(situation: &Situation, threads: usize) -> Found {
    let never = AtomicBool::new(false);
    let search = Search {
        choices: &[],
        policies: Arc::default(),
        measure: None,
        asked: Default::default(),
        strict: false,
        time: Duration::from_secs(60),
        memory: 1 << 30,
        threads,
        stop: &never,
        progress: &|_, _| {},
    };
    let found = search.find(situation).expect("odds");
    assert!(found.counted.complete, "all is counted");
    found
}

/// The median time of one call, over batches of `batch` calls.
pub fn median<T>(batches: usize, batch: u32, mut call: impl FnMut() -> T) -> Duration {
    black_box(call());
    let mut times: Vec<Duration> = (0..batches)
        .map(|_| {
            let start = Instant::now();
            (0..batch).for_each(|_| drop(black_box(call())));
            start.elapsed() / batch
        })
        .collect();
    times.sort();
    times[batches / 2]
}
