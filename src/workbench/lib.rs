//! The workbench of Casebook: pages, HTTP API, static site, and the referee for agents.
//!
//! It may use `casebook-engine`, `casebook-analysis`, `casebook-checks`, `casebook-view` and, for files of VASSAL, `casebook-vassal`. It must not know a terminal. It promises nothing to strangers: what the crate `casebook` shows is promised.
//!
//! Each module uses only those above it.
//!
//! | module | contents |
//! |---|---|
//! | [`serve`] | workbench in the browser, and HTML export of the rulebook |
//! | `mcp` | the referee for agents: tools and resources of the Model Context Protocol |

#![forbid(unsafe_code)]

#[cfg(feature = "agents")]
pub mod mcp;
pub mod serve;
