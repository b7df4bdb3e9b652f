//! The use cases: what can be asked about a situation. Each is a function from plain data to plain data, and prints nothing.
//!
//! The command line, the JSON API, the pages, the editor and the library call these; none of them builds a search by itself. A caller parses its own input to [`settings::SituationSettings`], loads the
//! [`Situation`](casebook_engine::ruling::situation::Situation), and shows the result. Other use cases have modules of their own: `author::check::check`,
//! `ruling::session::Session` (play), `balance::question::balance` and `trial::trial_games::play_trials`.
//!
//! | file | what it is |
//! |---|---|
//! | [`settings`] | settings of a user for a situation: answers, policies, dice, and the limits of a count |
//! | [`play_on`] | the option that a style takes by playing the game on |
//! | [`answer_odds`] | the odds of what an answer begins |
//! | [`rulesets`] | which ruleset is asked about: of a situation, of a journal, for looking names up |
//! | [`resolve`] | a ruling |
//! | [`luck`] | what dice and choices did to an outcome, and whether dice are fair |
//! | [`odds`] | odds, and odds over the values of one figure |
//! | [`replay`] | a journal under other rules or with other answers |
//! | [`compare`] | several rulesets side by side |
//! | [`comparison_report`] | a comparison as it is answered |

pub mod answer_odds;
pub mod compare;
pub mod comparison_report;
pub mod luck;
pub mod odds;
pub mod play_on;
pub mod replay;
pub mod resolve;
pub mod rulesets;
pub mod settings;
