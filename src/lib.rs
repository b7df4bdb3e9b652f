//! Casebook runs the printed rules of wargames as data.
//!
//! A ruling is a pure function of three things: the ruleset in force, the situation, and the stream of dice and choices.
//! Everything else follows from that: replay, explanation, exact odds, comparison, snapshots.
//!
//! The rooms, each leaning only on those above it:
//!
//! | room | what it is |
//! |---|---|
//! | [`complaint`] | what a data author is shown: law, path, line, column, excerpt, remedy |
//! | [`notation`] | dice, bands, odds, unit values, hexes, turns, case numbers |
//! | [`data`] | the files, read: charts, cases, situations, variants |
//! | [`ruleset`] | what is in force, who answers what, and the laws of layers |
//! | [`situation`] | the board, the dice, whoever chooses, and what happened |
//! | [`code`] | cases, made to run |
//! | [`ruling`] | a procedure carried out, as a person reads it and as a program does |
//! | [`odds`] | what a procedure can come to, and how likely each outcome is |
//! | [`compare`] | rulesets side by side, and the amendments that make the difference |
//! | [`reference`] | Rhai's own evaluator, which the machine is held against |
//! | [`testing`] | examples, tests of rulings, snapshots, and what they reach |
//! | [`author`] | complaints, chains of amendments, blank files, a look at each save |
//! | [`conflicts`] | how variants get on |
//! | [`lsp`] | the editor's server |
//! | [`serve`] | the workbench in the browser, and the rulebook as a folder of HTML |
//! | [`command`] | the command line |

pub mod author;
pub mod code;
#[cfg(feature = "cli")]
pub mod command;
pub mod compare;
pub mod complaint;
pub mod conflicts;
pub mod data;
#[cfg(feature = "lsp")]
pub mod lsp;
pub mod notation;
pub mod odds;
pub mod reference;
pub mod ruleset;
pub mod ruling;
#[cfg(feature = "serve")]
pub mod serve;
pub mod situation;
pub mod testing;
