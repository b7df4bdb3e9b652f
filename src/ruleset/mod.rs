//! What is in force: a game and its layers, who answers what, and the laws they must hold to.
//!
//! | file | what it is |
//! |---|---|
//! | [`layers`] | layers of a chart or list laid over each other, and what a later one settles |
//! | [`spec`] | what somebody wishes for: variants in their order, options, readings |
//! | [`compose`] | a game, its variants in order, its options and readings; and who answers what |
//! | [`references`] | names within situations and lists, looked up |
//! | [`diagnostics`] | what the data must hold to, and why |

pub mod compose;
pub mod diagnostics;
pub mod layers;
pub mod references;
pub mod spec;
