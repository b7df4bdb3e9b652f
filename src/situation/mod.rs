//! What a procedure works on: the board, the dice, whoever chooses, and what happened.
//!
//! | file | what it is |
//! |---|---|
//! | [`text`] | text as rules compute with it |
//! | [`value`] | what rules compute with |
//! | [`meter`] | how much memory a run has taken |
//! | [`bytes`] | values written down |
//! | [`columns`] | columns of figures, as bits |
//! | [`figures`] | what can change, and what of it is looked at |
//! | [`changed`] | what has changed since the start |
//! | [`geography`] | the map: places and the sides between them |
//! | [`start`] | the board as a situation lays it out |
//! | [`board`] | the board as it stands |
//! | [`dice`] | streams of dice: seeded, typed in |
//! | [`overrides`] | figures set by hand, laid over a situation |
//! | [`policy`] | who answers choices that nobody has answered |
//! | [`trace`] | what happened on the way |
//! | [`words`] | values as text |

pub mod board;
pub mod bytes;
pub mod changed;
pub mod columns;
pub mod dice;
pub mod figures;
pub mod geography;
pub mod meter;
pub mod overrides;
pub mod policy;
pub mod start;
pub mod text;
pub mod trace;
pub mod value;
pub mod words;
