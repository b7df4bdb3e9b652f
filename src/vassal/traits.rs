//! The traits of a piece. Each holds the next one as text, down to the basic piece; types and states nest alike.

use crate::fault::{VassalFault, VassalFaultKind};
use crate::sequence::{SequenceReader, join};

/// Maximum number of traits of a piece.
const MAX_TRAITS: usize = 400;

/// A trait: its type, which names it, and its state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PieceTrait {
    /// The type, with its arguments: `emb2;...`, `piece;...`.
    pub kind: String,
    /// What changes in play.
    pub state: String,
}

impl PieceTrait {
    /// Creates a trait.
    pub fn new(kind: impl Into<String>, state: impl Into<String>) -> PieceTrait {
        PieceTrait {
            kind: kind.into(),
            state: state.into(),
        }
    }

    /// Returns who hides the piece by this trait; `None` if it hides nothing.
    pub fn hider(&self) -> Option<&str> {
        Some(&*self.state)
            .filter(|owner| self.kind.starts_with("hide;") && !matches!(*owner, "null" | ""))
    }

    /// Returns what follows the name of its type.
    pub fn arguments(&self, name: &str) -> Option<SequenceReader<'_>> {
        self.kind
            .strip_prefix(name)
            .map(|rest| SequenceReader::new(rest, ';'))
    }
}

/// Splits nested texts, the outermost first.
pub fn unnest(text: &str, place: &str) -> Result<Vec<String>, VassalFault> {
    let mut texts = Vec::new();
    let mut inner = Some(text.to_string());
    while let Some(text) = inner {
        if texts.len() == MAX_TRAITS {
            return Err(VassalFaultKind::TooManyTraits { most: MAX_TRAITS }.at(place));
        }
        let mut parts = SequenceReader::new(&text, '\t');
        texts.push(parts.text().into_owned());
        inner = parts.next().map(|part| part.into_owned());
    }
    Ok(texts)
}

/// Joins texts, the outermost first, into nested ones.
pub fn nest<'a>(texts: impl DoubleEndedIterator<Item = &'a str>) -> String {
    texts
        .rev()
        .fold(None, |inner: Option<String>, outer| {
            Some(join(
                &[Some(outer.into()), inner]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<String>>(),
                '\t',
            ))
        })
        .unwrap_or_default()
}

/// Pairs the types of a piece with the states.
pub fn pair(
    kinds: Vec<String>,
    states: Vec<String>,
    place: &str,
) -> Result<Vec<PieceTrait>, VassalFault> {
    if states.len() < kinds.len() {
        return Err(VassalFaultKind::MissingStates {
            traits: kinds.len(),
            states: states.len(),
        }
        .at(place));
    }
    Ok(kinds
        .into_iter()
        .zip(states)
        .map(|(kind, state)| PieceTrait { kind, state })
        .collect())
}
