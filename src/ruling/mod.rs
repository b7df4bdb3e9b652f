//! A procedure carried out on a situation, and what it came to.
//!
//! | file | what it is |
//! |---|---|
//! | [`decide`] | how a choice is answered where nobody is asked |
//! | [`situation`] | a situation under a ruleset, ready to be carried out |
//! | [`course`] | the sequence of play: what comes after what, until a game is over |
//! | [`drive`] | drives a procedure to its end |
//! | [`moves`] | throws and choices as they were made |
//! | [`doubts`] | the reconstructed figures it rests on |
//! | [`page`] | text laid out for a person |
//! | [`cites`] | what a line cites |
//! | [`position`] | a board as it stands, figure by figure |
//! | [`resolve`] | the outcome of a procedure, with its trace |
//! | [`session`] | a ruling step by step: answered, taken back |
//! | [`menu`] | what stands beside the options of a choice |
//! | [`replay`] | a journal again, with other rules, answers or dice |
//! | [`render`] | a ruling as a person reads it |
//! | [`journal`] | dice and choices of a ruling, to play it again |
//! | [`data`] | a ruling as a program reads it |

pub mod cites;
pub mod course;
pub mod data;
pub mod decide;
pub mod doubts;
pub mod drive;
pub mod journal;
pub mod menu;
pub mod moves;
pub mod page;
pub mod position;
pub mod render;
pub mod replay;
pub mod resolve;
pub mod session;
pub mod situation;
