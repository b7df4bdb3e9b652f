//! What helps whoever writes rules: complaints, chains of amendments, blank files, a look at each save.
//!
//! | file | what it is |
//! |---|---|
//! | [`names`] | names that files mention, looked up |
//! | [`words`] | the words that scripts may use under a ruleset |
//! | [`scripts`] | names that stand in scripts, looked up |
//! | [`check`] | all complaints about all data |
//! | [`show`] | a case, table or piece with its chain of amendments |
//! | [`scaffold`] | blank files to fill in |
//! | [`pack`] | a variant as one file to send |

pub mod check;
pub mod names;
pub mod pack;
pub mod scaffold;
pub mod scripts;
pub mod show;
pub mod words;
