//! What the functions of cases say, parsed by Rhai and kept as trees of ours.
//!
//! | file | what it is |
//! |---|---|
//! | [`tree`] | what a function says |
//! | [`grammar`] | Rhai's parser, and trees made of what it says |
//! | [`parse`] | the functions of cases, parsed |
//! | [`normalize`] | scripts without comments and spacing |
//! | [`calls`] | which functions a function of a case calls, and who asks `prior()` |

pub mod calls;
pub mod grammar;
pub mod normalize;
pub mod parse;
pub mod tree;
