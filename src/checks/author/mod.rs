//! Tools for authors of rules: validation, chains of amendments, explanations and templates.
//!
//! | file | what it is |
//! |---|---|
//! | [`axis_dice`] | the dice of a chart's axes that the game declares |
//! | [`procedure_summary`] | the arguments, questions and outcomes of a procedure |
//! | `asked_questions` | checks questions and options that cards and styles name |
//! | [`name_checks`] | checks names in data files |
//! | [`script_vocabulary`] | the names that scripts may use under a ruleset |
//! | [`script_checks`] | checks names in scripts |
//! | [`chart_reach`] | labels of charts that no call reaches |
//! | [`infer`] | type inference for scripts: comparisons that never hold, arguments of the wrong type |
//! | [`verb_placement`] | checks where verbs are allowed |
//! | [`headline_checks`] | checks names of outcomes in headlines, groups and units |
//! | [`look_alikes`] | checks that no two names look alike |
//! | [`compositions`] | composes the variants, with each other and under their options |
//! | [`check`] | validates all data |
//! | [`dry_run`] | runs every situation once under each variant |
//! | [`accepted`] | complaints accepted with a reason |
//! | [`whole_check`] | all complaints about the data, and those of trial runs |
//! | [`rule_search`] | finds cases and charts by a question in plain words |
//! | [`code_examples`] | an example of each diagnostic code: wrong and right |
//! | [`glossary`] | the terms of the product |
//! | [`guide`] | the guide |
//! | [`schema`] | JSON Schemas of the file formats, and of what procedures are given |
//! | [`scaffold`] | templates of new games, variants and cases; counts of known cells |
//! | [`wording`] | expressions of scripts in words |
//! | [`pack`] | a variant or a game as one file |
//! | [`chart_grid`] | the rows of a chart in CSV, Markdown, HTML or JSON |
//! | [`piece_rows`] | pieces of a situation as rows of a spreadsheet |
//! | [`situations`] | templates of situations, and copies of existing ones |
//! | [`charts`] | new charts, also imported from a spreadsheet |
//! | [`pin_parts`] | what a pin holds of a ruling, and which readings it tells apart |
//! | [`pin`] | saves a ruling as a test |
//! | [`pinned_answers`] | pinned rulings as questions and answers |

pub mod accepted;
mod asked_questions;
pub mod axis_dice;
pub mod chart_grid;
pub mod chart_reach;
pub mod charts;
pub mod check;
pub mod code_examples;
pub mod compositions;
pub mod dry_run;
pub mod glossary;
pub mod guide;
pub mod headline_checks;
pub mod infer;
pub mod look_alikes;
pub mod name_checks;
pub mod pack;
pub mod piece_rows;
pub mod pin;
pub mod pin_parts;
pub mod pinned_answers;
pub mod procedure_summary;
pub mod rule_search;
pub mod scaffold;
pub mod schema;
pub mod script_checks;
pub mod script_vocabulary;
pub mod situations;
pub mod verb_placement;
pub mod whole_check;
pub mod wording;
