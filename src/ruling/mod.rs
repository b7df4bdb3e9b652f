//! A procedure carried out on a situation, and what it came to.
//!
//! | file | what it is |
//! |---|---|
//! | [`choice_source`] | how a choice is answered where nobody is asked |
//! | [`situation`] | a situation under a ruleset, ready to be carried out |
//! | [`turn_sequence`] | the sequence of play: what comes after what, until a game is over |
//! | [`driver`] | drives a procedure to its end |
//! | [`moves`] | throws and choices as they were made |
//! | [`reconstructed`] | the reconstructed figures it rests on |
//! | [`terminal_page`] | text laid out for a person |
//! | [`citations`] | what a line cites |
//! | [`board_view`] | a board as it stands, figure by figure |
//! | [`resolve`] | the outcome of a procedure, with its trace |
//! | [`session`] | a ruling step by step: answered, taken back |
//! | [`menu`] | what stands beside the options of a choice |
//! | [`replay`] | a journal again, with other rules, answers or dice |
//! | [`render`] | a ruling as a person reads it |
//! | [`journal`] | dice and choices of a ruling, to play it again |
//! | [`json`] | a ruling as a program reads it |

pub mod board_view;
pub mod choice_source;
pub mod citations;
pub mod driver;
pub mod journal;
pub mod json;
pub mod menu;
pub mod moves;
pub mod reconstructed;
pub mod render;
pub mod replay;
pub mod resolve;
pub mod session;
pub mod situation;
pub mod terminal_page;
pub mod turn_sequence;
