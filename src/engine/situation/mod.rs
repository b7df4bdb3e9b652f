//! The input and state of a procedure: board, dice, choices and trace.
//!
//! | file | what it is |
//! |---|---|
//! | [`text`] | interned text |
//! | [`value`] | script values |
//! | [`meter`] | memory accounting of a run |
//! | [`fingerprint`] | fingerprints and deep copies of values |
//! | [`column_set`] | bit sets of column indices |
//! | [`cell_key`] | keys of mutable cells, and recording of reads and writes |
//! | [`delta`] | the changes of a board since the start |
//! | [`geography`] | the immutable map: places and sides between them |
//! | [`cards`] | the cells that keep the cards of decks |
//! | [`initial_board`] | the initial board of a situation |
//! | [`board`] | the current board |
//! | [`board_laws`] | what is wrong with a board whatever the rules of its game |
//! | [`set_up_laws`] | what a situation has otherwise than its manifest says of set-ups |
//! | [`dice`] | dice streams, seeded or typed |
//! | [`overrides`] | values set by hand over a situation |
//! | [`policy`] | policies that answer open choices |
//! | [`trace`] | the events of a run |
//! | [`value_text`] | formats values as text |
//! | [`placed_piece`] | pieces as a map shows them |
//! | [`map_geometry`] | geometry of maps: hexes, cells, outlines, lines |
//! | [`map_plan`] | layout of a map: where places, edges and pieces are drawn |
//! | [`map_stacks`] | where counters stand on a map |
//! | [`map_symbols`] | shapes on counters |

pub mod board;
pub mod board_laws;
pub mod cards;
pub mod cell_key;
pub mod column_set;
pub mod delta;
pub mod dice;
pub mod fingerprint;
pub mod geography;
pub mod initial_board;
pub mod map_geometry;
pub mod map_plan;
pub mod map_stacks;
pub mod map_symbols;
pub mod meter;
pub mod overrides;
pub mod placed_piece;
pub mod policy;
pub mod set_up_laws;
pub mod text;
pub mod trace;
pub mod value;
pub mod value_text;
