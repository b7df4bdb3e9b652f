//! The rulebook as it stands with a ruleset in force, its amendments marked as in a law gazette.
//!
//! | file | what it is |
//! |---|---|
//! | [`index`] | chapters, and who asks whom |
//! | [`case`] | a case with its amendments, answers, examples, and who asks it |
//! | [`table`] | a chart with the status of each cell, and what amendments made of it |
//! | [`search`] | cases and tables by their words |
//! | [`contents`] | the first page, and a chapter |
//! | [`export`] | the whole book as a folder of plain HTML |

pub mod case;
pub mod contents;
pub mod export;
pub mod index;
pub mod search;
pub mod table;

use crate::data::library::Library;
use crate::ruleset::compose::Ruleset;
use crate::serve::layout::{LinkTarget, layer_colour};
use maud::{Markup, html};

/// A rulebook: what is in force, and where its links lead.
pub struct Rulebook<'a> {
    /// The data.
    pub library: &'a Library,
    /// What is in force.
    pub ruleset: &'a Ruleset,
    /// Where links lead.
    pub links: &'a LinkTarget,
}

impl Rulebook<'_> {
    /// The name of a layer, in its colour.
    pub fn layer_chip(&self, layer: &str) -> Markup {
        html! { span class={ (layer_colour(self.library, &self.ruleset.game.name, layer)) " chip" } { (layer) } }
    }

    /// Whether a layer is a variant, not the printed game.
    pub fn is_variant(&self, layer: &str) -> bool {
        layer != &*self.ruleset.layers[0].name
    }
}
