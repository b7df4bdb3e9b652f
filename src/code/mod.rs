//! Cases, made to run: what functions say is lowered to operations, and a machine runs them until it must ask.
//!
//! | file | what it is |
//! |---|---|
//! | [`bytecode`] | a function, lowered: operations on registers |
//! | [`vocabulary`] | the words of a game, looked up once |
//! | [`context`] | what verbs reach |
//! | [`source_sets`] | the cases and cells that values come from |
//! | [`provenance`] | what everything came from, while somebody reads the ruling |
//! | [`state`] | all that a ruling is between two stops |
//! | [`program`] | the code of a ruleset, made as it is asked for |
//! | [`verbs`] | what scripts may call |
//! | [`operators`] | what operators mean |
//! | [`fields`] | what a field means of a piece, a place, a cell |
//! | [`lower`] | from what functions say to operations |
//! | [`reachable`] | the code a procedure can come to |
//! | [`machine`] | runs until it must ask |

pub mod bytecode;
pub mod context;
pub mod fields;
pub mod lower;
pub mod machine;
pub mod operators;
pub mod program;
pub mod provenance;
pub mod reachable;
pub mod source_sets;
pub mod state;
pub mod verbs;
pub mod vocabulary;
