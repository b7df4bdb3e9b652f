//! `casebook lsp`: complaints while typing, and what stands under the cursor, for any editor that speaks the Language Server Protocol.
//!
//! | file | what it is |
//! |---|---|
//! | [`text`] | places of a text as editors count them, and the word that stands there |
//! | [`project`] | the data folder with the documents that are open, unsaved as they are |
//! | [`diagnostics`] | complaints as editors show them |
//! | [`hover`] | what a word is, with its chain of amendments |
//! | [`symbols`] | who answers a word and who asks it |
//! | [`rename`] | functions, readings and pieces called otherwise |
//! | [`completion`] | what may stand at a place |
//! | [`actions`] | remedies of complaints, and functions amended in a variant |
//! | [`session`] | the conversation with an editor |

pub mod actions;
pub mod completion;
pub mod diagnostics;
pub mod hover;
pub mod project;
pub mod rename;
pub mod session;
pub mod symbols;
pub mod text;
