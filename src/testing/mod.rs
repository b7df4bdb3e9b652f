//! Whether rules say what their sources say: examples, tests of rulings, snapshots, and what they reach.
//!
//! | file | what it is |
//! |---|---|
//! | [`snapshot_diff`] | which lines of a text changed |
//! | [`example_run`] | examples driven to their end |
//! | [`stated`] | the odds that a test states, as its author writes them |
//! | [`test`] | a test of a ruling, as its author writes it |
//! | [`setting`] | what an example asks to be in force |
//! | [`check`] | something that must hold, ready to be tried |
//! | [`example`] | statements of the sources, tried |
//! | [`assertions`] | a test held against the ruling |
//! | [`odds`] | the odds that a test states, held against those that are counted |
//! | [`snapshot`] | a ruling kept as text in its test, and written back there |
//! | [`given`] | what a test gives, made ready and carried out |
//! | [`suite`] | examples and tests of rulings, run |
//! | [`mutation_steps`] | the small steps by which rules and tables can be changed |
//! | [`unused`] | functions that no procedure asks |
//! | [`effectless`] | amendments that move no ruling |
//! | [`coverage`] | what examples and tests reach, and what they do not |
//! | [`equivalent`] | changes of rules that are known to make no difference |
//! | [`mutation`] | rules and tables changed one step at a time, to see whether anything notices |

pub mod assertions;
pub mod check;
pub mod coverage;
pub mod effectless;
pub mod equivalent;
pub mod example;
pub mod example_run;
pub mod given;
pub mod mutation;
pub mod mutation_steps;
pub mod odds;
pub mod setting;
pub mod snapshot;
pub mod snapshot_diff;
pub mod stated;
pub mod suite;
pub mod test;
pub mod unused;
