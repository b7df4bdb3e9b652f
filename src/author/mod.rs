//! What helps whoever writes rules: complaints, chains of amendments, pages of explanation, blank files.
//!
//! | file | what it is |
//! |---|---|
//! | [`name_checks`] | names that files mention, looked up |
//! | [`script_vocabulary`] | the words that scripts may use under a ruleset |
//! | [`script_checks`] | names that stand in scripts, looked up |
//! | [`infer`] | what values in scripts can be: comparisons that never hold, arguments that don't fit |
//! | [`verb_placement`] | verbs where they may stand |
//! | [`check`] | all complaints about all data |
//! | [`dry_run`] | situations carried out once, under each variant |
//! | [`accepted`] | complaints that are known, each with its reason |
//! | [`procedure_summary`] | what a procedure is handed, asks and comes to |
//! | [`show_page`] | what `show` has found: a page, the same as data, the source |
//! | [`lists`] | lists of what a game has, sort by sort |
//! | [`entries`] | what a manifest names, each thing as a page |
//! | [`show`] | a case, table, piece, procedure ... with its chain of amendments |
//! | [`law_examples`] | each law broken and kept |
//! | [`glossary`] | the words of the product |
//! | [`explain`] | a law, a verb, a kind of file, a key, a word, in a page of text |
//! | [`guide`] | how it all goes together, in eight chapters |
//! | [`schema`] | the formats as JSON Schemas |
//! | [`cell_count`] | how much of a chart is known |
//! | [`scaffold`] | blank files to fill in |
//! | [`situations`] | blank situations, and copies of others |
//! | [`pack`] | a variant as one file to send |
//! | [`charts`] | a chart laid out, or taken from a spreadsheet |
//! | [`starter`] | a small game, whole |
//! | [`pin`] | a ruling just made, as a test |

pub mod accepted;
pub mod cell_count;
#[cfg(feature = "cli")]
pub mod charts;
pub mod check;
pub mod dry_run;
pub mod entries;
pub mod explain;
pub mod glossary;
pub mod guide;
pub mod infer;
pub mod law_examples;
pub mod lists;
pub mod name_checks;
pub mod pack;
pub mod pin;
pub mod procedure_summary;
pub mod scaffold;
pub mod schema;
pub mod script_checks;
pub mod script_vocabulary;
pub mod show;
pub mod show_page;
pub mod situations;
pub mod starter;
pub mod verb_placement;
