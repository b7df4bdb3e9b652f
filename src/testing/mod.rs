//! Verifies rules against their sources: examples, tests of rulings, snapshots, coverage and mutation tests.
//!
//! | file | what it is |
//! |---|---|
//! | [`snapshot_diff`] | line diff of two texts |
//! | [`example_run`] | runs examples |
//! | [`stated`] | parses the odds that a test states |
//! | [`test`] | parses tests of rulings |
//! | [`setting`] | the ruleset that an example requests |
//! | [`check`] | checks that are ready to run |
//! | [`example`] | examples of cases, tables and scenarios |
//! | [`assertions`] | assertions of a test about its ruling |
//! | [`board_assertions`] | assertions of a test about the board |
//! | [`odds`] | assertions of a test about the odds |
//! | [`snapshot`] | snapshots of rulings in test files |
//! | [`given`] | builds and resolves the situation of a test |
//! | [`suite`] | runs all examples and tests |
//! | [`mutation_steps`] | mutations of functions and cells |
//! | [`unused`] | functions that no procedure calls |
//! | [`effectless`] | amendments that change no ruling |
//! | [`coverage`] | coverage of rules by examples and tests |
//! | [`equivalent`] | mutants known to make no difference |
//! | [`keys`] | test: every key of a table or a test is read |
//! | [`mutation`] | mutation testing of rules and tables |

pub mod assertions;
pub mod board_assertions;
pub mod check;
pub mod coverage;
pub mod effectless;
pub mod equivalent;
pub mod example;
pub mod example_run;
pub mod given;
#[cfg(test)]
pub mod keys;
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
