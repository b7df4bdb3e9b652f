//! Conflict analysis: finds the places where two variants conflict, and where one writes what another reads.
//!
//! | file | what it is |
//! |---|---|
//! | [`effects`] | static analysis of the reads and writes of case functions |
//! | [`situations`] | records what the situations of a game consult |
//! | [`meeting`] | conflicts of two variants over the same cell, figure or function |
//! | [`interactions`] | files of two variants where one writes what the other reads |
//! | [`report`] | the report of all conflicts between variants |
//! | [`patch`] | writes the skeleton of a variant that resolves contradictions |

pub mod effects;
pub mod interactions;
pub mod meeting;
pub mod patch;
pub mod report;
pub mod situations;
