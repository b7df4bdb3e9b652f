//! The map with its pieces, as a drawing: hexes, areas joined by lines, or strips of a table, as the manifest says.
//!
//! | file | what it is |
//! |---|---|
//! | [`plan`] | where places lie, and what is drawn of them |
//! | [`drawing`] | the drawing, and the same in words |

pub mod drawing;
pub mod plan;
