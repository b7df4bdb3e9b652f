//! A procedure carried out on a situation, and what it came to.
//!
//! | file | what it is |
//! |---|---|
//! | [`page`] | text laid out for a person |
//! | [`resolve`] | the outcome of a procedure, as a person reads it and as a program does |
//! | [`journal`] | dice and choices of a ruling, to play it again |

pub mod journal;
pub mod page;
pub mod resolve;
