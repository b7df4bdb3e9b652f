//! What authors of rules ask of Casebook: checks, tests, coverage, conflicts, trials, house rules.
//!
//! It may use `casebook-engine` and `casebook-analysis`. It must not know a terminal, or HTML. It promises nothing to strangers: what the crate `casebook` shows is promised.
//!
//! Each module uses only those above it.
//!
//! | module | contents |
//! |---|---|
//! | [`testing`] | examples, tests of rulings, snapshots, coverage |
//! | [`author`] | validation, chains of amendments, scaffolds, documentation for authors |
//! | [`trial`] | games at random and by styles, to find what goes wrong in them |
//! | [`conflicts`] | conflicts between two variants |
//! | [`house`] | house rules: changes tried in memory, their effect, and the files that keep them |

#![forbid(unsafe_code)]

pub mod author;
pub mod conflicts;
pub mod house;
pub mod testing;
pub mod trial;
