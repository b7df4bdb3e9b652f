//! The names that a manifest declares, by what they refer to.

use crate::complaint::Defect;
use crate::complaint::DiagnosticCode;
use crate::data::manifest::{AttributeType, Game};
use crate::data::reference_kind::ReferenceKind;

/// What every piece has in addition to the attributes of the manifest, in the order of their columns on the board.
pub const PIECE_FIGURES: [&str; 5] = ["kind", "side", "at", "on", "gone"];

/// Those of them that a file gives.
pub const PLAIN_FIGURES: &[&str] = PIECE_FIGURES.split_at(4).0;

impl Game {
    /// Returns the names of a kind; `None` if the manifest does not list them.
    pub fn declared_names(
        &self,
        kind: ReferenceKind,
    ) -> Option<Box<dyn Iterator<Item = &str> + '_>> {
        fn names<V>(list: &[(String, V)]) -> impl Iterator<Item = &str> {
            list.iter().map(|(name, _)| name.as_str())
        }
        Some(match kind {
            ReferenceKind::Side => Box::new(self.sides.iter().map(String::as_str)),
            ReferenceKind::Kind => Box::new(self.kinds.keys().map(String::as_str)),
            ReferenceKind::Group => Box::new(self.groups()),
            ReferenceKind::Attribute => Box::new(names(&self.attributes)),
            ReferenceKind::Figure => {
                Box::new(names(&self.attributes).chain(PLAIN_FIGURES.iter().copied()))
            }
            ReferenceKind::MapAttribute => Box::new(
                names(&self.places.attributes)
                    .chain(names(&self.places.side_attributes))
                    .chain(names(&self.attributes)),
            ),
            ReferenceKind::MapWord => Box::new(
                self.places
                    .attributes
                    .iter()
                    .chain(&self.places.side_attributes)
                    .flat_map(|(name, attribute)| match attribute {
                        AttributeType::Word(words, _) => words.as_slice(),
                        _ => std::slice::from_ref(name),
                    })
                    .map(String::as_str),
            ),
            ReferenceKind::Box => Box::new(self.places.boxes.iter().map(String::as_str)),
            ReferenceKind::Track => Box::new(self.tracks.keys().map(String::as_str)),
            ReferenceKind::Deck => {
                Box::new(self.card_stocks.iter().map(|stock| stock.name.as_str()))
            }
            ReferenceKind::Procedure => Box::new(names(&self.procedures)),
            ReferenceKind::Document => Box::new(self.sources.keys().map(String::as_str)),
            _ => return None,
        })
    }

    /// Returns what is wrong with a text that must be a name of a kind; `None` if it is one, or if the manifest can't know.
    pub fn unknown_name(&self, kind: ReferenceKind, text: &str) -> Option<Defect> {
        if kind == ReferenceKind::Place {
            return (!self.places.contains(text)).then(|| {
                let message = format!("`{text}` is not a place of this game");
                let help = format!(
                    "write a place: {}; or the side between two with / between them; or a box the manifest names",
                    self.places.describe_hex()
                );
                Defect::new(DiagnosticCode::Notation, message, help)
            });
        }
        let is_known = self.declared_names(kind)?.any(|name| name == text);
        (!is_known).then(|| {
            let help = match kind {
                ReferenceKind::Side => format!("name one of the sides: {}", self.sides.join(", ")),
                _ => kind.remedy().into(),
            };
            Defect::unknown_name(
                kind.unknown(text, self.declared_names(kind).into_iter().flatten()),
                help,
            )
        })
    }
}
