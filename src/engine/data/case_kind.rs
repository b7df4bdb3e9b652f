//! The effect of a file on the layers below it.

use serde::Serialize;

/// The effect of a file on the layers below it. Each kind is a promise that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CaseKind {
    /// A case of the game itself.
    Rule,
    /// A case that no lower layer has.
    NewCase,
    /// Extends a case of a lower layer.
    Addition,
    /// Corrects an error of a lower layer.
    Correction,
    /// Replaces a case of a lower layer.
    Revision,
    /// Clarifies a case and changes no answer.
    Explanation,
}

impl CaseKind {
    /// Kinds by their keyword on the card.
    pub const NAMES: [(&str, CaseKind); 6] = [
        ("rule", CaseKind::Rule),
        ("new case", CaseKind::NewCase),
        ("addition", CaseKind::Addition),
        ("correction", CaseKind::Correction),
        ("revision", CaseKind::Revision),
        ("explanation", CaseKind::Explanation),
    ];

    /// Returns the keyword on the card.
    pub fn as_str(self) -> &'static str {
        CaseKind::NAMES
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |(word, _)| word)
    }
}
