//! Compiles the functions of cases to bytecode and runs them on a virtual machine.
//!
//! | file | what it is |
//! |---|---|
//! | [`throw_verb`] | the verbs that throw dice, or draw cards or lots |
//! | [`flow`] | what is known of the registers of a function |
//! | [`bytecode`] | the bytecode of a function: operations on registers |
//! | [`vocabulary`] | lookup tables for the names of a game |
//! | [`context`] | what verbs can access |
//! | [`source_sets`] | interned sets of cited cases and table cells |
//! | [`provenance`] | provenance tracking for citations |
//! | [`state`] | the complete state of a suspended run |
//! | [`program`] | the functions of a ruleset, compiled on demand |
//! | [`verbs`] | the built-in functions of scripts |
//! | [`operators`] | the semantics of operators |
//! | [`fields`] | field access by type of receiver |
//! | [`lower`] | the compiler from syntax tree to bytecode |
//! | [`reachable`] | the code and data a procedure may use |
//! | [`machine`] | the virtual machine, which suspends at every throw and choice |
//! | `oracle` | what the tests' evaluator of cases, Rhai's own, takes from here |

pub mod bytecode;
pub mod context;
pub mod fields;
pub mod flow;
pub mod lower;
pub mod machine;
pub mod operators;
#[cfg(feature = "testing")]
pub mod oracle;
pub mod program;
pub mod provenance;
pub mod reachable;
pub mod source_sets;
pub mod state;
pub mod throw_verb;
pub mod verbs;
pub mod vocabulary;
