//! What Casebook shows: answers as blocks, and blocks as text and HTML.
//!
//! It may use `casebook-engine`, `casebook-analysis` and `casebook-checks`. It must not know a request, a page or a server. It promises nothing to strangers: what the crate `casebook` shows is promised.
//!
//! Each module uses only those above it.
//!
//! | module | contents |
//! |---|---|
//! | [`block`] | an answer as data: blocks, and a page of them |
//! | [`text`] | blocks as text |
//! | [`grid`] | odds side by side |
//! | [`odds`] | the odds of one situation |
//! | [`series`] | what a series of runs came to |
//! | [`html`] | blocks and grids as HTML |
//! | [`comparison`] | the verdict on two rulesets in words |
//! | [`luck`] | luck in sentences and tables |
//! | [`balance`] | how a game comes out between styles |
//! | [`coverage`] | what examples and tests reach |
//! | [`conflicts`] | conflicts between variants |
//! | [`things`] | what has a name in a game, kind by kind, and the lists of it |
//! | [`references`] | who names what |
//! | [`pins`] | pinned interpretations as questions and answers |
//! | [`show`] | a page for each thing that has a name |
//! | [`explain`] | explains an error code, a verb, a kind of file, a key or a term |
//! | [`answers`] | the schema of all answers in JSON |

#![forbid(unsafe_code)]

pub mod answers;
pub mod balance;
pub mod block;
pub mod comparison;
pub mod conflicts;
pub mod coverage;
pub mod explain;
pub mod grid;
pub mod html;
pub mod luck;
pub mod odds;
pub mod pins;
pub mod references;
pub mod series;
pub mod show;
pub mod text;
pub mod things;
