//! What a name in a file refers to.

use crate::complaint::{DiagnosticCode, Message, did_you_mean, unknown_name};

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    Side,
    /// A kind of piece.
    Kind,
    /// A kind of piece, or a group of kinds.
    Group,
    /// An attribute of a piece.
    Attribute,
    /// An attribute of a piece, or one of the four that every piece has: kind, side, at, on.
    Figure,
    /// An attribute of a place, of the side between two places, or of a piece.
    MapAttribute,
    /// A word or flag of places or of the sides between them.
    MapWord,
    Place,
    /// A place beside the map.
    Box,
    Track,
    /// A deck in play; one of a side by side and name.
    Deck,
    Procedure,
    /// A document that rules and figures come from.
    Document,
    /// A variant of the game.
    Variant,
    /// An option of the variant that the file belongs to.
    Switch,
    /// An outcome of a procedure.
    Outcome,
    /// An outcome of a procedure, or a kind or group of pieces.
    OutcomeOrGroup,
    /// Several outcomes with plus and minus between them.
    OutcomeSum,
}

/// What is wrong with a name, and the remedy.
#[derive(Clone, Debug)]
pub struct UnknownName {
    /// The code of the complaint.
    pub code: DiagnosticCode,
    /// What is wrong.
    pub what: Message,
    /// The remedy.
    pub help: String,
}

impl UnknownName {
    /// Creates a complaint about a name that is not declared.
    pub fn new(what: Message, help: impl Into<String>) -> UnknownName {
        UnknownName {
            code: DiagnosticCode::UnknownName,
            what,
            help: help.into(),
        }
    }
}

impl ReferenceKind {
    /// Returns what it is called.
    pub fn noun(self) -> &'static str {
        match self {
            ReferenceKind::Side => "side",
            ReferenceKind::Kind => "kind of piece",
            ReferenceKind::Group => "kind or group of pieces",
            ReferenceKind::Attribute | ReferenceKind::Figure => "figure of a piece",
            ReferenceKind::MapAttribute => "figure of a place, side or piece",
            ReferenceKind::MapWord => "word or flag of a place or side",
            ReferenceKind::Place => "place",
            ReferenceKind::Box => "box",
            ReferenceKind::Track => "track",
            ReferenceKind::Deck => "deck",
            ReferenceKind::Procedure => "procedure",
            ReferenceKind::Document => "source",
            ReferenceKind::Variant => "variant",
            ReferenceKind::Switch => "option",
            ReferenceKind::Outcome => "procedure's outcome",
            ReferenceKind::OutcomeOrGroup => "procedure's outcome, or kind or group of pieces",
            ReferenceKind::OutcomeSum => "procedure's outcome, or sum of them",
        }
    }

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

    /// Says where the names are declared.
    pub fn remedy(self) -> &'static str {
        match self {
            ReferenceKind::Side => "name a side that the game's manifest lists under `sides:`",
            ReferenceKind::Kind => "name a kind that the game's manifest lists under `kinds:`",
            ReferenceKind::Group => {
                "name a kind that the game's manifest lists under `kinds:`, or a group under `is:` there"
            }
            ReferenceKind::Attribute | ReferenceKind::Figure => {
                "name an attribute that the game's manifest lists"
            }
            ReferenceKind::MapAttribute => "`drawn:` says how attributes are drawn on a map",
            ReferenceKind::MapWord => {
                "name a word that a place or side may have, or a flag that may be set for it"
            }
            ReferenceKind::Place => "write a place of the game",
            ReferenceKind::Box => "name a box of the list `boxes:`",
            ReferenceKind::Track => "name a track that the game's manifest lists under `tracks:`",
            ReferenceKind::Deck => {
                "name a deck that the game's manifest lists under `decks:`; one of a side by side and name, `Red events`"
            }
            ReferenceKind::Procedure => {
                "name a procedure that the game's manifest lists under `procedures:`"
            }
            ReferenceKind::Document => {
                "name a document that the game's manifest lists under `sources:`"
            }
            ReferenceKind::Variant => "name a variant of the game, by its folder under `variants`",
            ReferenceKind::Switch => "name an option that variant.yaml lists",
            ReferenceKind::Outcome | ReferenceKind::OutcomeSum => {
                "name an outcome as a procedure has it: `casebook show \"procedure NAME\"` lists them"
            }
            ReferenceKind::OutcomeOrGroup => "name an outcome, a kind or a group, or take it out",
        }
    }
}
