//! The current instant. In a browser the standard library has none, so the page sets the source of time.

#[cfg(not(target_family = "wasm"))]
pub use std::{thread::sleep, time::Instant};

#[cfg(target_family = "wasm")]
pub use page_time::{Instant, set_source};

#[cfg(target_family = "wasm")]
mod page_time {
    use std::ops::{Add, Sub};
    use std::sync::OnceLock;
    use std::time::Duration;

    static SOURCE: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the source of time: the duration since some fixed instant. Without a source the time never changes, and no time limit is reached.
    pub fn set_source(source: fn() -> Duration) {
        SOURCE.get_or_init(|| source);
    }

    /// An instant, as in the standard library.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Instant(Duration);

    impl Instant {
        /// Returns the current instant.
        pub fn now() -> Instant {
            Instant(SOURCE.get().map_or(Duration::ZERO, |now| now()))
        }

        /// Returns the time since this instant.
        pub fn elapsed(&self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }

        /// Returns the time since an earlier instant, or zero.
        pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// Returns a later instant, unless it is out of range.
        pub fn checked_add(&self, time: Duration) -> Option<Instant> {
            self.0.checked_add(time).map(Instant)
        }

        /// Returns an earlier instant, unless it is out of range.
        pub fn checked_sub(&self, time: Duration) -> Option<Instant> {
            self.0.checked_sub(time).map(Instant)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, time: Duration) -> Instant {
            Instant(self.0.saturating_add(time))
        }
    }

    impl Sub<Instant> for Instant {
        type Output = Duration;

        fn sub(self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }
}
