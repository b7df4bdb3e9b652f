//! Runs a procedure on a situation and produces a ruling.
//!
//! | file | what it is |
//! |---|---|
//! | [`condition`] | a condition on a named outcome |
//! | [`situation`] | a situation under a ruleset, ready to run |
//! | [`turn_sequence`] | the sequence of play, until a game is over |
//! | [`choice_source`] | answers choices without a user |
//! | [`driver`] | drives a procedure to its end |
//! | [`moves`] | the throws and choices made |
//! | [`reconstructed`] | the reconstructed figures that a ruling rests on |
//! | [`citations`] | the sources that a line cites |
//! | [`terminal_page`] | text layout for terminals |
//! | [`deck_view`] | the cards on a board, as a situation writes them and in words |
//! | [`board_view`] | a board as text, JSON or a scenario |
//! | [`headline`] | the outcomes of a procedure that are read first |
//! | [`resolve`] | resolves a situation to a ruling, with its trace |
//! | [`menu`] | annotations of the options of a choice |
//! | [`session`] | an interactive ruling with undo |
//! | [`replay`] | replays a journal with other rules, answers or dice |
//! | [`render`] | a ruling as text |
//! | [`commitment`] | the hash and the seed of dice that can be checked |
//! | [`journal`] | the dice and choices of a ruling, saved for replay |
//! | [`verification`] | whether the dice of a journal are those of its commitment |
//! | [`json`] | a ruling as it is answered |

pub mod board_view;
pub mod choice_source;
pub mod citations;
pub mod commitment;
pub mod condition;
pub mod deck_view;
pub mod driver;
pub mod headline;
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
pub mod verification;
