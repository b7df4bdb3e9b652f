//! What a program that embeds the engine calls, beside the types that [`lib.rs`](crate) re-exports.
//!
//! | file | what it is |
//! |---|---|
//! | [`answers`] | answers to throws and choices: dice, options, policies |
//! | [`play`] | a procedure played step by step |

pub mod answers;
pub mod play;
