//! How what is made of chance is run.

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// On a thread with room for deep calls, as the binary gives it.
pub fn with_deep_stack<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(test).expect("a thread can be started");
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// So many cases, the same each time: what others come to is looked at by hand.
pub fn deterministic(cases: u32) -> TestRunner {
    TestRunner::new_with_rng(config(cases), TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// So many cases, others each time.
pub fn random(cases: u32) -> TestRunner {
    TestRunner::new(config(cases))
}

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() }
}
