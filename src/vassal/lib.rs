//! VASSAL's files for Casebook: saved games, modules and logs.
//!
//! It may use `casebook-engine` and `casebook-analysis`. It must not know the workbench. It promises nothing to strangers: what the crate `casebook` shows is promised.
//!
//! | file | what it is |
//! |---|---|
//! | [`fault`] | what can be wrong with such a file, and the complaints about it |
//! | [`sequence`] | texts joined by a delimiter with escapes |
//! | [`archive`] | ZIP files within bounds |
//! | [`obfuscation`] | the encodings of a saved game |
//! | [`element`] | XML as a tree within bounds |
//! | [`polygon`] | the outline of a zone |
//! | [`grid`] | names of places by the grids of a board |
//! | [`traits`] | the nested traits of a piece |
//! | [`piece_table`] | the pieces on the maps, as a saved game places and moves them |
//! | [`saved_game`] | the pieces and boards of a saved game or log |
//! | [`module`] | maps, boards and pieces of a module |
//! | [`expression`] | formats and simple expressions over the properties of a piece |
//! | [`counter`] | name, layers and properties of a piece, and from whom it is hidden |
//! | [`mapping`] | module maps: what pieces and places of a module are in a game |
//! | [`import_note`] | what a reader of an imported game should know |
//! | [`import`] | a situation made of a saved game |
//! | [`layout`] | lays out a module map |
//! | [`drawing`] | pictures of map and counters |
//! | [`board_grid`] | the grid of a drawn map |
//! | [`export`] | a module made of a situation |
//! | [`counter_moves`] | what a ruling does to the counters |
//! | [`game_log`] | a ruling as a log, and a saved game after it |
//! | [`game_files`] | a saved game with its module and map, opened and written |

#![forbid(unsafe_code)]

pub mod archive;
pub mod board_grid;
pub mod counter;
pub mod counter_moves;
pub mod drawing;
pub mod element;
pub mod export;
pub mod expression;
pub mod fault;
pub mod game_files;
pub mod game_log;
pub mod grid;
pub mod import;
pub mod import_note;
pub mod layout;
pub mod mapping;
pub mod module;
pub mod obfuscation;
pub mod piece_table;
pub mod polygon;
pub mod saved_game;
pub mod sequence;
pub mod traits;
