//! The only users of the standard library's clock and threads, so that the library also runs where there are none, as in a browser.
//!
//! | file | what it is |
//! |---|---|
//! | [`clock`] | the current instant |
//! | [`task`] | the deadline and the memory budget that all threads of a command or request share |
//! | [`parallel`] | work on several threads, or on one where there are no others |

pub mod clock;
pub mod parallel;
pub mod task;
