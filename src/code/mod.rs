//! Cases, made to run.
//!
//! | file | what it is |
//! |---|---|
//! | [`fault`] | what went wrong in a script, as its author reads it |
//! | [`memo`] | answers already given |
//! | [`host`] | what scripts reach: the ruleset, the run, who answers a question |
//! | [`verbs`] | what scripts may call |
//! | [`script`] | the Rhai engine of a ruleset: late binding, `prior()`, limits |

pub mod fault;
pub mod host;
pub mod memo;
pub mod script;
pub mod verbs;
