//! What the files say, read: charts, cases, situations, variants, each with its place in the text.
//!
//! | file | what it is |
//! |---|---|
//! | [`node`] | a node of a file's tree |
//! | [`text_file`] | plain text read from the disk |
//! | [`yaml_events`] | what a YAML parser says of a text, packed for what ships |
//! | [`function_headers`] | where the functions of a script begin and end |
//! | [`embedded`] | the files bound into the binary |
//! | [`file_text`] | a file's text, read when it is asked for, and parts of it |
//! | [`file`] | a data file: its key, the path to show, its text |
//! | [`atomic_write`] | files written whole or not at all |
//! | [`disk`] | a folder of data on the disk |
//! | [`files`] | where the files stand: bound into the binary, and a folder laid over them |
//! | [`format`] | every key that may stand in a file, described once |
//! | [`yaml`] | YAML as a tree in which every scalar keeps its text and place |
//! | [`constraint`] | what a cell, an attribute or a field may hold |
//! | [`sheet`] | the sheets that cases hand on, field by field |
//! | [`track`] | tracks: turns of a calendar, named boxes, whole numbers |
//! | [`wording`] | how a figure reads for a person |
//! | [`cache`] | what is read once and then known |
//! | [`yaml_writer`] | YAML written as people write it |
//! | [`draw_style`] | how a map is drawn |
//! | [`places`] | how places are named and lie to each other; what is said of them and of pieces |
//! | [`manifest`] | a game: sides, kinds, attributes, places, tracks, procedures |
//! | [`additions`] | what a variant adds to a manifest |
//! | [`case`] | a case file: its card, its functions, its examples |
//! | [`axis`] | the axes of a chart, and which label a key falls under |
//! | [`table`] | a chart: cells with the status of every figure |
//! | [`table_file`] | what one layer says of a chart: the whole, or changes |
//! | [`piece`] | a piece as a file describes it |
//! | [`scenario`] | situations, rosters, deployments, and what an amendment does to them |
//! | [`variant`] | a layer over a game, with its options |
//! | [`keys`] | test: every key of a manifest is read |
//! | [`placement`] | where files belong, and which stand elsewhere |
//! | [`library`] | all data, read as far as it is asked for |

pub mod additions;
pub mod atomic_write;
pub mod axis;
pub mod cache;
pub mod case;
pub mod constraint;
pub mod disk;
pub mod draw_style;
pub mod embedded;
pub mod file;
pub mod file_text;
pub mod files;
pub mod format;
pub mod function_headers;
#[cfg(test)]
pub mod keys;
pub mod library;
pub mod manifest;
pub mod node;
pub mod piece;
pub mod placement;
pub mod places;
pub mod scenario;
pub mod sheet;
pub mod table;
pub mod table_file;
pub mod text_file;
pub mod track;
pub mod variant;
pub mod wording;
pub mod yaml;
pub mod yaml_events;
pub mod yaml_writer;
