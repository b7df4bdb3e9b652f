//! The only users of the standard library's clock and threads, and of what the system says of the process, so that the library also runs
//! where there is none of it, as in a browser.
//!
//! | file | what it is |
//! |---|---|
//! | [`clock`] | the current instant |
//! | [`memory`] | the memory that the process holds |
//! | [`task`] | the deadline and the memory budget that all threads of a command or request share |
//! | [`parallel`] | work on several threads, or on one where there are no others |

pub mod clock;
pub mod memory;
pub mod parallel;
pub mod task;
