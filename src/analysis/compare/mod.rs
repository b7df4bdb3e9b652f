//! Compares rulesets on a situation.
//!
//! | file | what it is |
//! |---|---|
//! | [`view`] | the settings of a comparison, and the outcome under one ruleset |
//! | [`paired_runs`] | many runs of two rulesets on the same dice |
//! | [`verdicts`] | differs, the same, not decided |
//! | [`switches`] | the differences of two rulesets, switched one by one |
//! | [`causes`] | the causes of the difference of each outcome |
//! | [`ruleset_difference`] | the comparison of two views |
//! | [`alternatives`] | rulesets with and without something, and other readings |

pub mod alternatives;
pub mod causes;
pub mod paired_runs;
pub mod ruleset_difference;
pub mod switches;
pub mod verdicts;
pub mod view;
