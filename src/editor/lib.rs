//! The language server of Casebook.
//!
//! It may use `casebook-engine`, `casebook-analysis`, `casebook-checks` and `casebook-view`. It must not know HTML, or the workbench. It promises nothing to strangers: what the crate `casebook` shows is promised.
//!
//! | file | what it is |
//! |---|---|
//! | [`text`] | positions and ranges in LSP units, and the word at a position |
//! | [`project`] | the data folder, overlaid with the unsaved text of open documents |
//! | [`diagnostics`] | complaints converted to LSP diagnostics |
//! | [`hover`] | hover texts with the chain of amendments |
//! | [`symbols`] | go to definition and find references |
//! | [`rename`] | renames functions, readings and pieces |
//! | [`completion`] | completions in scripts and YAML |
//! | [`actions`] | quick fixes for diagnostics, and amending a function in a variant |
//! | [`stream`] | messages between the editor and the server, within bounds |
//! | [`session`] | the LSP session: notifications, requests and background checks |

#![forbid(unsafe_code)]

pub mod actions;
pub mod completion;
pub mod diagnostics;
pub mod hover;
pub mod project;
pub mod rename;
pub mod session;
pub mod stream;
pub mod symbols;
pub mod text;
