//! Runners of property tests.

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// On a thread with room for deep calls, as the binary gives it.
pub fn with_deep_stack<T: Send + 'static>(test: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new()
        .stack_size(1 << 30)
        .spawn(test)
        .expect("a thread can be started");
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Runs the same cases each time.
pub fn deterministic(cases: u32) -> TestRunner {
    TestRunner::new_with_rng(
        config(cases),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    )
}

/// Runs other cases each time, by hand.
pub fn random(cases: u32) -> TestRunner {
    TestRunner::new(config(cases))
}

fn config(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    }
}
