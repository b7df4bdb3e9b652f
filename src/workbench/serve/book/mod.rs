//! The rulebook of a ruleset, with its amendments marked as tracked changes.
//!
//! | file | what it is |
//! |---|---|
//! | [`index`] | chapters and call index |
//! | [`case`] | a case with its amendments, answers, examples and callers |
//! | [`table`] | a table with the status of each cell and its amendments |
//! | [`search`] | full-text search of cases and tables |
//! | [`contents`] | table of contents and chapters |
//! | [`export`] | static HTML export |

pub mod case;
pub mod contents;
pub mod export;
pub mod index;
pub mod search;
pub mod table;

use crate::serve::layout::{LinkTarget, layer_colour};
use crate::serve::prose::Prose;
use casebook_engine::ruleset::compose::Ruleset;
use maud::{Markup, html};

/// A rulebook view: the ruleset to show and the target of its links.
pub struct Rulebook<'a> {
    /// The ruleset in force.
    pub ruleset: &'a Ruleset,
    pub links: &'a LinkTarget,
    /// The variants that are in force if none is switched.
    pub default_variants: &'a [String],
    /// The situation whose rules these are, with its title.
    pub rules_of: Option<(&'a str, &'a str)>,
}

impl Rulebook<'_> {
    /// Renders the name of a layer in its colour.
    pub fn layer_chip(&self, layer: &str) -> Markup {
        html! { span class={ (layer_colour(&self.ruleset.library, &self.ruleset.game.name, layer)) " chip" } { (layer) } }
    }

    /// Returns how its texts are rendered.
    pub fn prose(&self) -> Prose<'_> {
        Prose {
            ruleset: self.ruleset,
            links: self.links,
        }
    }

    /// Returns whether a layer is a variant and not the printed game.
    pub fn is_variant(&self, layer: &str) -> bool {
        layer != &*self.ruleset.layers[0].name
    }
}
