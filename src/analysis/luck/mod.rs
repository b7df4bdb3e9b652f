//! What dice and choices did to the outcome of a procedure that was played.
//!
//! The account is a martingale decomposition, as programs for backgammon keep it: the value of a position is the mean of a measure over
//! all dice to come. A throw's effect is the value after it less the value before it; its mean over the dice is 0. All effects together
//! are the outcome less what was expected at the beginning.
//!
//! | file | what it is |
//! |---|---|
//! | [`stake`] | what is measured, and for whom more of it is good |
//! | [`baseline`] | how the choices to come are answered |
//! | [`expectation`] | the value of a position, counted, else sampled; the chance to be at least as lucky |
//! | [`account`] | the effects of throws and choices of a journal |
//! | [`fairness`] | whether dice are fair, over many journals |
//! | [`json`] | luck as it is answered |

pub mod account;
pub mod baseline;
pub mod expectation;
pub mod fairness;
pub mod json;
pub mod stake;
