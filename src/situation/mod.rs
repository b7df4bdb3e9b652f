//! What a procedure works on: the board, the dice, whoever chooses, and what happened.
//!
//! | file | what it is |
//! |---|---|
//! | [`fraction`] | exact chances |
//! | [`policy`] | who answers choices that nobody has answered |
//! | [`dice`] | streams of dice: seeded, typed in, exhaustive |
//! | [`board`] | pieces, places, sides between them, tracks |
//! | [`trace`] | what happened on the way |
//! | [`session`] | one run: board, dice, answers, trace |

pub mod board;
pub mod dice;
pub mod fraction;
pub mod policy;
pub mod session;
pub mod trace;
