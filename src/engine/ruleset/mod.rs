//! The rules in force: a game with its layers, the answers of its cases, and the checks of their consistency.
//!
//! | file | what it is |
//! |---|---|
//! | [`layers`] | stacks the layers of tables and lists |
//! | [`spec`] | the requested variants, options and readings, resolved to an order |
//! | [`composition`] | the cases and functions while layers are stacked |
//! | [`script_sites`] | the places of a function that a change can point at |
//! | [`changes`] | applies the list of changes of a layer |
//! | [`compose`] | composes a ruleset and its function slots |
//! | [`references`] | checks names in situations and lists |
//! | [`diagnostics`] | checks across layers |

pub mod changes;
pub mod compose;
pub mod composition;
pub mod diagnostics;
pub mod layers;
pub mod references;
pub mod script_sites;
pub mod spec;
