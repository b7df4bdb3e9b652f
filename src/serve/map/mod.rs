//! The map with its pieces, as a drawing: hexes, areas joined by lines, or strips of a table, as the manifest says.
//!
//! | file | what it is |
//! |---|---|
//! | [`plan`] | where places lie, and what is drawn of them |
//! | [`map_look`] | a piece that is looked at, and what is asked of it |
//! | [`counters`] | counters and stacks |
//! | [`clicks`] | what a click on it does, and the same as links |
//! | [`drawing`] | the drawing, and the same in words |

pub mod clicks;
pub mod counters;
pub mod drawing;
pub mod map_look;
pub mod plan;
