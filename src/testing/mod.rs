//! Whether rules say what their sources say: examples, tests of rulings, snapshots, and what they reach.
//!
//! | file | what it is |
//! |---|---|
//! | [`difference`] | which lines of a text changed |
//! | [`trial`] | examples driven to their end |
//! | [`stated`] | the odds that a test states, as its author writes them |
//! | [`test`] | a test of a ruling, as its author writes it |
//! | [`setting`] | what an example asks to be in force |
//! | [`check`] | something that must hold, ready to be tried |
//! | [`example`] | statements of the sources, tried |
//! | [`verdict`] | a test held against the ruling |
//! | [`odds`] | the odds that a test states, held against those that are counted |
//! | [`snapshot`] | a ruling kept as text in its test, and written back there |
//! | [`given`] | what a test gives, made ready and carried out |
//! | [`suite`] | examples and tests of rulings, run |
//! | [`steps`] | the small steps by which rules and tables can be changed |
//! | [`asked`] | functions that no procedure asks |
//! | [`moved`] | amendments that move no ruling |
//! | [`coverage`] | what examples and tests reach, and what they do not |
//! | [`equivalent`] | changes of rules that are known to make no difference |
//! | [`mutants`] | rules and tables changed one step at a time, to see whether anything notices |

pub mod asked;
pub mod check;
pub mod coverage;
pub mod difference;
pub mod equivalent;
pub mod example;
pub mod given;
pub mod moved;
pub mod mutants;
pub mod odds;
pub mod setting;
pub mod snapshot;
pub mod stated;
pub mod steps;
pub mod suite;
pub mod test;
pub mod trial;
pub mod verdict;
