//! Rulesets side by side on one situation.
//!
//! | file | what it is |
//! |---|---|
//! | [`view`] | what is asked, and what a ruleset makes of it |
//! | [`paired_runs`] | two rulesets on the same dice, many times |
//! | [`verdicts`] | differs, the same, not decided |
//! | [`switches`] | all in which two rulesets differ, switched one by one |
//! | [`causes`] | what makes the difference, for each outcome |
//! | [`divergence`] | two views held against each other |
//! | [`alternatives`] | with something and without it, and the readings of doubtful places |
//! | [`search`] | situations in which two rulesets part |

pub mod alternatives;
pub mod causes;
pub mod divergence;
pub mod paired_runs;
pub mod search;
pub mod switches;
pub mod verdicts;
pub mod view;
