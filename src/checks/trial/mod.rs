//! Plays many games at random and by styles under every stack of variants, to find what no case decides and what goes wrong.
//!
//! | file | what it is |
//! |---|---|
//! | [`trial_games`] | plays the games under every stack of variants, with options and readings drawn by lot, and sorts what goes wrong |
//! | [`witness`] | the smallest situation that shows a fault |
//! | [`trial_report`] | the faults as text and as JSON |

pub mod trial_games;
pub mod trial_report;
pub mod witness;
