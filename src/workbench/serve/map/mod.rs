//! Draws the map with its pieces: a hex grid, areas joined by lines, or strips of a tabletop, as the manifest declares.
//!
//! | file | what it is |
//! |---|---|
//! | [`map_look`] | selected piece, place and question |
//! | [`counters`] | counters and stacks |
//! | [`areas`] | pieces drawn as areas, and the legend |
//! | [`scenery`] | land, lines, marks, compass and scale |
//! | [`clicks`] | click targets, also as links |
//! | [`drawing`] | SVG drawing with a text alternative |

pub mod areas;
pub mod clicks;
pub mod counters;
pub mod drawing;
pub mod map_look;
pub mod scenery;
