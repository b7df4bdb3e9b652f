//! The syntax of case functions: parsed by Rhai, then converted to a syntax tree of this crate.
//!
//! | file | what it is |
//! |---|---|
//! | [`tree`] | the syntax tree |
//! | [`answer_kind`] | what a function answers, where its script shows it |
//! | [`grammar`] | Rhai's parser, and the conversion of its tree |
//! | [`remedies`] | what beginners mistake in a script, with the line as it should be |
//! | [`change`] | places that a change can point at, and the body with the changes in it |
//! | [`parse`] | parsing of case functions, with caches and checks |
//! | [`normalize`] | scripts without comments and extra white space |
//! | [`calls`] | call analysis: which helpers a function calls, and whether it calls `prior()` |

pub mod answer_kind;
pub mod calls;
pub mod change;
pub mod grammar;
pub mod normalize;
pub mod parse;
pub mod remedies;
pub mod tree;
