//! A procedure carried out on a situation, and what it came to.
//!
//! | file | what it is |
//! |---|---|
//! | [`situation`] | a situation under a ruleset, ready to be carried out |
//! | [`decide`] | how a choice is answered where nobody is asked |
//! | [`drive`] | drives a procedure to its end |
//! | [`page`] | text laid out for a person |
//! | [`course`] | the sequence of play: what comes after what |
//! | [`resolve`] | the outcome of a procedure, with its trace |
//! | [`render`] | a ruling as a person reads it |
//! | [`journal`] | dice and choices of a ruling, to play it again |

pub mod course;
pub mod decide;
pub mod drive;
pub mod journal;
pub mod page;
pub mod render;
pub mod resolve;
pub mod situation;
