//! Whether rules say what their sources say: examples, tests of rulings, snapshots, and what they reach.
//!
//! | file | what it is |
//! |---|---|
//! | [`difference`] | which lines of a text changed |
//! | [`trial`] | examples driven to their end |
//! | [`example`] | statements of the sources, run |
//! | [`test`] | a test of a ruling, as its author writes it |
//! | [`verdict`] | a test held against the ruling |
//! | [`snapshot`] | a ruling kept as text in its test, and written back there |
//! | [`suite`] | examples and tests of rulings, run |
//! | [`asked`] | functions that no procedure asks |
//! | [`moved`] | amendments that move no ruling |
//! | [`coverage`] | what examples and tests reach, and what they do not |

pub mod asked;
pub mod coverage;
pub mod difference;
pub mod example;
pub mod moved;
pub mod snapshot;
pub mod suite;
pub mod test;
pub mod trial;
pub mod verdict;
