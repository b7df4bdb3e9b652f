//! Rulesets side by side on one situation.
//!
//! | file | what it is |
//! |---|---|
//! | [`causes`] | the differences, and the amendments that make them |
//! | [`search`] | situations in which two rulesets part |

pub mod causes;
pub mod search;
