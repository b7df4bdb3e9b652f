//! How variants get on: where two meet, and where one writes what another reads.
//!
//! | file | what it is |
//! |---|---|
//! | [`effects`] | what the functions of a case read and write |
//! | [`situations`] | what the situations of a game ask and read |
//! | [`meeting`] | where two variants meet in the same cell, figure or function |
//! | [`interactions`] | where one variant writes what another reads |
//! | [`report`] | how variants get on, in every place where they meet |
//! | [`patch`] | a variant laid out that settles what others contradict in |

pub mod effects;
pub mod interactions;
pub mod meeting;
pub mod patch;
pub mod report;
pub mod situations;
