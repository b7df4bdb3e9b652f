//! Plays many games at random and by styles under every stack of variants, to find what no case decides and what goes wrong.
//!
//! | file | what it is |
//! |---|---|
//! | [`rulesets`] | the stacks of variants that are tried, with options and readings drawn by lot |
//! | [`board_faults`] | what is wrong with a board: pieces off the map, figures below their least |
//! | [`trial_games`] | plays the games and sorts what goes wrong |
//! | [`witness`] | the smallest situation that shows a fault |
//! | [`trial_report`] | the faults as text and as JSON |

pub mod board_faults;
pub mod rulesets;
pub mod trial_games;
pub mod trial_report;
pub mod witness;
