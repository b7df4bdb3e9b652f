//! Verifies rules against their sources: examples, tests of rulings, snapshots and coverage.
//!
//! | file | what it is |
//! |---|---|
//! | [`trials`] | runs anything under many rulesets, with one cache of compiled programs |
//! | [`example_run`] | runs examples |
//! | [`test`](mod@test) | parses tests of rulings |
//! | [`tokens`] | the tokens of a script |
//! | [`snapshot`] | snapshots of rulings, and how rulings differ from them |
//! | [`expectation`] | what a test expects and its ruling has otherwise, and how that is accepted |
//! | [`setting`] | the ruleset that an example requests |
//! | [`check`] | checks that are ready to run |
//! | [`example`] | examples of cases, tables and scenarios |
//! | [`assertions`] | assertions of a test about its ruling and about the board |
//! | [`odds`] | assertions of a test about the odds |
//! | [`given`] | builds and resolves the situation of a test |
//! | [`suite`] | runs all examples and tests |
//! | [`unused`] | functions that no procedure calls |
//! | [`effectless`] | amendments that change no ruling |
//! | [`coverage`] | coverage of rules by examples and tests |

pub mod assertions;
pub mod check;
pub mod coverage;
pub mod effectless;
pub mod example;
pub mod example_run;
pub mod expectation;
pub mod given;
pub mod odds;
pub mod setting;
pub mod snapshot;
pub mod suite;
pub mod test;
pub mod tokens;
pub mod trials;
pub mod unused;
