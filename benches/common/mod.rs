//! What the benches share.

mod allocator;

use casebook::data::library::Library;
use casebook::odds::query::{OddsQuery, OddsResult};
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::situation::Situation;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A situation of the data that ship, under some variants.
pub fn load_situation(
    library: &Arc<Library>,
    game: &str,
    with: &[&str],
    situation: &str,
) -> Situation {
    Situation::load(library, &RulesetSpec::new(game, with), situation)
        .expect("the data is sound, and the situation there")
}

/// Counts its odds completely on `threads` threads.
pub fn count_odds(situation: &Situation, threads: usize) -> OddsResult {
    let never = AtomicBool::new(false);
    let search = OddsQuery {
        choices: &[],
        policies: Arc::default(),
        measure: None,
        sample_query: Default::default(),
        strict: false,
        time_limit: Duration::from_secs(60),
        memory: 1 << 30,
        threads,
        stop: &never,
        time_after_stop: Duration::ZERO,
        progress: &|_, _| {},
    };
    let odds = search.run(situation).expect("odds");
    assert!(odds.counted.complete, "all is counted");
    odds
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
