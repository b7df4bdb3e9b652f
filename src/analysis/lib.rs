//! Questions about many runs of Casebook: odds, comparisons, luck, balance.
//!
//! It may use `casebook-engine`. It must not know a terminal, or HTML. It promises nothing to strangers: what the crate `casebook` shows is promised.
//!
//! Each module uses only those above it.
//!
//! | module | contents |
//! |---|---|
//! | [`odds`] | distribution of outcomes: counted exactly, sampled, or under best play |
//! | [`compare`] | compares rulesets and finds the amendments that cause the differences |
//! | [`luck`] | what dice and choices did to an outcome, and whether dice are fair |
//! | [`usecase`] | what can be asked about a situation: the functions that command line, API, pages and library call |
//! | [`balance`] | games between styles under several rulesets, and what makes a difference |

#![forbid(unsafe_code)]

pub mod balance;
pub mod compare;
pub mod luck;
pub mod odds;
pub mod usecase;
