//! How a game comes out between declared styles, under several rulesets on the same dice, and what makes the difference.
//!
//! | file | what it is |
//! |---|---|
//! | [`betting_test`] | a sequential test of paired differences, and the interval that goes with it |
//! | [`pairing`] | who plays whom |
//! | [`paired_games`] | how the games of a question are played, once for each pairing on the same seeds |
//! | [`totals`] | the results of games, in totals that can be merged |
//! | [`candidates`] | the differences of two rulesets in groups that can be switched |
//! | [`attribution`] | finds the amendments that make a difference, by switching them off and on |
//! | [`question`] | plays the rulesets until the question is decided or the budget is used up |
//! | [`report`] | the answer in sentences and as JSON |
//! | [`turning_points`] | how the chance of winning changed in a game that was played |

pub mod attribution;
pub mod betting_test;
pub mod candidates;
pub mod paired_games;
pub mod pairing;
pub mod question;
pub mod report;
pub mod totals;
pub mod turning_points;
