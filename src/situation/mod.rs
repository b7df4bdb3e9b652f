//! What a procedure works on: the board, the dice, whoever chooses, and what happened.
//!
//! | file | what it is |
//! |---|---|
//! | [`text`] | text as rules compute with it |
//! | [`value`] | what rules compute with |
//! | [`meter`] | how much memory a run has taken |
//! | [`fingerprint`] | values written down |
//! | [`column_set`] | columns of figures, as bits |
//! | [`cell_key`] | what can change, and what of it is looked at |
//! | [`delta`] | what has changed since the start |
//! | [`geography`] | the map: places and the sides between them |
//! | [`initial_board`] | the board as a situation lays it out |
//! | [`board`] | the board as it stands |
//! | [`dice`] | streams of dice: seeded, typed in |
//! | [`overrides`] | figures set by hand, laid over a situation |
//! | [`policy`] | who answers choices that nobody has answered |
//! | [`trace`] | what happened on the way |
//! | [`value_text`] | values as text |

pub mod board;
pub mod cell_key;
pub mod column_set;
pub mod delta;
pub mod dice;
pub mod fingerprint;
pub mod geography;
pub mod initial_board;
pub mod meter;
pub mod overrides;
pub mod policy;
pub mod text;
pub mod trace;
pub mod value;
pub mod value_text;
