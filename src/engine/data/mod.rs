//! Data files parsed to typed values with source positions: tables, cases, situations, variants.
//!
//! | file | what it is |
//! |---|---|
//! | [`node`] | a node of a YAML tree |
//! | [`regular_file`] | opens files to be read: regular ones of a bounded size |
//! | [`text_file`] | reads plain text from disk |
//! | [`yaml_events`] | YAML parser events |
//! | [`function_headers`] | function headers of a script, found without parsing |
//! | [`embedded`] | files embedded in the binary |
//! | [`file_text`] | lazily read file text, and slices of it |
//! | [`figure_name`] | the name of a figure as it is typed and shown |
//! | [`file`](mod@file) | a data file: its key, the path to show, its text |
//! | [`cache`] | thread-safe caches |
//! | [`folder_lock`] | holds back other writers of a folder |
//! | [`atomic_write`] | writes files; for browsers, which keep files in memory, `memory_files.rs` |
//! | [`transaction`] | changes of a file, or of several as one step |
//! | [`disk`] | enumerates a data folder on disk |
//! | [`files`] | embedded files overlaid by the user's folder |
//! | [`status`] | how reliable a figure is |
//! | [`case_kind`] | the effect of a file on the layers below it |
//! | [`after_draw`] | where a drawn card goes |
//! | [`draw_style`] | drawing styles of a map |
//! | [`side_colour`] | the colours of sides on pages |
//! | [`reference_kind`] | what a name in a file refers to |
//! | [`format`](mod@format) | declarative schemas of all kinds of files |
//! | [`yaml_remedies`] | what beginners mistake in a YAML file, with the line as it should be |
//! | [`yaml`] | YAML trees in which every scalar keeps its text and position |
//! | [`format_check`] | checks a document by its format |
//! | [`yaml_writer`] | writes YAML in the style of handwritten files |
//! | [`yaml_edit`] | changes YAML at a path and keeps every other byte |
//! | [`constraint`] | constraints on cells, attributes and fields |
//! | [`sheet`] | sheets that cases pass on, by field |
//! | [`track`] | tracks: turns of a calendar, named boxes, whole numbers |
//! | [`deck`] | decks, cups and hands: what is in them, and where a drawn card goes |
//! | [`wording`] | display wording of figures |
//! | [`places`] | naming scheme and topology of places; attribute types |
//! | [`answer_rules`] | answers by question: usual answers, styles |
//! | [`question_words`] | how a case words its questions for people |
//! | [`set_up`] | what the pieces of any situation keep to when it begins |
//! | [`manifest`] | a game manifest: sides, kinds, attributes, places, tracks, procedures |
//! | [`deck_contents`] | where the cards of the decks lie in a situation, and the stocks of a game |
//! | [`declared_names`] | the names that a manifest declares, by what they refer to |
//! | [`start`] | the situation of the start page, and topics of situations |
//! | [`additions`] | merges a variant's declarations into the manifest |
//! | [`case`] | a case file: its card, its functions, its examples |
//! | [`change`] | a change of a layer's list: where, what, when |
//! | [`axis`] | axes of a table, and the lookup of a label |
//! | [`table`] | a table: cells with the status of every figure |
//! | [`table_file`] | one layer's file for a table: the whole table, or changes |
//! | [`piece`] | a piece entry of a file |
//! | [`list_change`] | a change of a layer to a situation, roster or deployment: a path, what was there, what is now |
//! | [`scenario`] | situations, rosters and deployments, and amendments to them |
//! | [`amended_list`] | lists with the changes of later layers made in them |
//! | [`variant`] | a variant's manifest with its options |
//! | [`placement`] | detects misplaced files |
//! | [`library`] | loads games and layers on demand |
//! | [`library_changes`] | a library with other files of one variant |

pub mod additions;
pub mod after_draw;
pub mod amended_list;
pub mod answer_rules;
#[cfg_attr(target_family = "wasm", path = "memory_files.rs")]
pub mod atomic_write;
pub mod axis;
pub mod cache;
pub mod case;
pub mod case_kind;
pub mod change;
pub mod constraint;
pub mod deck;
pub mod deck_contents;
pub mod declared_names;
pub mod disk;
pub mod draw_style;
pub mod embedded;
pub mod figure_name;
pub mod file;
pub mod file_text;
pub mod files;
#[cfg(not(target_family = "wasm"))]
pub mod folder_lock;
pub mod format;
pub mod format_check;
pub mod function_headers;
pub mod library;
pub mod library_changes;
pub mod list_change;
pub mod manifest;
pub mod node;
pub mod piece;
pub mod placement;
pub mod places;
pub mod question_words;
pub mod reference_kind;
pub mod regular_file;
pub mod scenario;
pub mod set_up;
pub mod sheet;
pub mod side_colour;
pub mod start;
pub mod status;
pub mod table;
pub mod table_file;
pub mod text_file;
pub mod track;
pub mod transaction;
pub mod variant;
pub mod wording;
pub mod yaml;
pub mod yaml_edit;
pub mod yaml_events;
pub mod yaml_remedies;
pub mod yaml_writer;
