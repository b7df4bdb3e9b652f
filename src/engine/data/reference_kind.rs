//! What a name in a file refers to.

use crate::complaint::{Message, did_you_mean, unknown_name};

/// Declares what names refer to, each in a row: what it is called, and where the names are declared.
macro_rules! reference_kinds {
    ($($(#[$doc:meta])* $kind:ident: $noun:literal, $remedy:literal;)*) => {
        /// What a name refers to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ReferenceKind {
            $($(#[$doc])* $kind),*
        }

        impl ReferenceKind {
            /// Returns what it is called.
            pub fn noun(self) -> &'static str {
                match self {
                    $(ReferenceKind::$kind => $noun),*
                }
            }

            /// Says where the names are declared.
            pub fn remedy(self) -> &'static str {
                match self {
                    $(ReferenceKind::$kind => $remedy),*
                }
            }
        }
    };
}

reference_kinds! {
    Side: "side", "name a side that the game's manifest lists under `sides:`";
    Kind: "kind of piece", "name a kind that the game's manifest lists under `kinds:`";
    Group: "kind or group of pieces", "name a kind that the game's manifest lists under `kinds:`, or a group under `is:` there";
    Attribute: "figure of a piece", "name an attribute that the game's manifest lists";
    /// An attribute of a piece, or one of the four that every piece has: kind, side, at, on.
    Figure: "figure of a piece", "name an attribute that the game's manifest lists";
    /// An attribute of a place, of the side between two places, or of a piece.
    MapAttribute: "figure of a place, side or piece", "`drawn:` says how attributes are drawn on a map";
    /// A word or flag of places or of the sides between them.
    MapWord: "word or flag of a place or side", "name a word that a place or side may have, or a flag that may be set for it";
    Place: "place", "name a place of the map, or a box of the manifest";
    /// A place beside the map.
    Box: "box", "name a box of the list `boxes:`";
    Track: "track", "name a track that the game's manifest lists under `tracks:`";
    /// A deck in play; one of a side by side and name.
    Deck: "deck", "name a deck that the game's manifest lists under `decks:`; one of a side by side and name, `Red events`";
    Procedure: "procedure", "name a procedure that the game's manifest lists under `procedures:`";
    /// A document that rules and figures come from.
    Document: "source", "name a document that the game's manifest lists under `sources:`";
    Variant: "variant", "name a variant of the game, by its folder under `variants`";
    /// An option of the variant that the file belongs to.
    Switch: "option", "name an option that variant.yaml lists";
    Outcome: "procedure's outcome", "name an outcome as a procedure has it: `casebook show \"procedure NAME\"` lists them";
    OutcomeOrGroup: "procedure's outcome, or kind or group of pieces", "name an outcome, a kind or a group, or take it out";
    /// Several outcomes with plus and minus between them.
    OutcomeSum: "procedure's outcome, or sum of them",
        "name an outcome as a procedure has it: `casebook show \"procedure NAME\"` lists them";
    /// A condition on an outcome, or its mean.
    OutcomeFigure: "figure of an outcome",
        "name an outcome as a procedure has it: `casebook show \"procedure NAME\"` lists them";
    /// A text in which braces name what a procedure is given.
    Caption: "caption", "write a key of the situation's `given:` in the braces";
    Beneficiary: "side",
        "name a side, a key of the situation's `given:`, a track that names a side, or `enemy of` one of them";
    /// A situation; where the figures of pieces come from, a roster or deployment.
    Situation: "situation", "`casebook list` names the situations";
    Table: "table", "name a table of tables/<game> or of a variant";
    List: "list", "name a roster or deployment of scenarios/<game> or of a variant";
    /// A field of anything in a script.
    Field: "field", "name a figure that the game's manifest lists, or a key of maps";
    Statement: "statement", "correct the id; the game's manifest lists the ids of a source under `sources:`";
}

impl ReferenceKind {
    /// Says that there is no such name.
    pub fn unknown<'a>(self, name: &str, names: impl IntoIterator<Item = &'a str>) -> Message {
        match self {
            ReferenceKind::Attribute | ReferenceKind::Figure => {
                did_you_mean(format!("a piece has no `{name}`"), name, names)
            }
            ReferenceKind::MapAttribute => {
                did_you_mean(format!("no place, side or piece has `{name}`"), name, names)
            }
            _ => unknown_name(self.noun(), name, names),
        }
    }
}
