//! Types of script values: sets of type bits, known texts and item types, inferred without running the script.

use casebook_engine::code::verbs::types::{
    ANY, FLAG, LIST, MAP, NOTHING, NUMBER, RANGE, TEXT, TypeSet,
};
use casebook_engine::data::constraint::ValueConstraint;
use casebook_engine::data::places::AttributeType;
use casebook_engine::syntax::tree::Expression;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Nested lists are described up to this depth.
const DEEPEST: usize = 8;
/// A type with more possible texts than this becomes an arbitrary text.
const MAX_TEXTS: usize = 512;

/// The inferred type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferredType {
    /// The possible types; 0 if the expression never yields a value, such as a `return`.
    pub types: TypeSet,
    /// The possible texts, if the value may be a text and all of them are known.
    pub texts: Option<Arc<BTreeSet<String>>>,
    /// The type of the list's items, if it is known.
    pub items: Option<Box<InferredType>>,
}

impl InferredType {
    /// Returns the type of any value in the given set.
    pub fn new(types: TypeSet) -> InferredType {
        InferredType {
            types,
            texts: None,
            items: None,
        }
    }

    /// Returns the empty type, for expressions that never yield a value.
    pub fn never() -> InferredType {
        InferredType::new(0)
    }

    /// Returns the type of an unknown value.
    pub fn any() -> InferredType {
        InferredType::new(ANY)
    }

    /// Returns the type of a value that is one of the given texts.
    pub fn one_of_texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> InferredType {
        let mut text_set = BTreeSet::new();
        text_set.extend(texts.into_iter().map(Into::into));
        InferredType {
            texts: Some(Arc::new(text_set)),
            ..InferredType::new(TEXT)
        }
    }

    /// Returns the type of a list with the given item type.
    pub fn list_of(items: InferredType) -> InferredType {
        // Caps the nesting depth, so that inference terminates.
        let inner = std::iter::successors(Some(&items), |inner| inner.items.as_deref())
            .take(DEEPEST)
            .count();
        InferredType {
            items: (inner < DEEPEST).then(|| Box::new(items)),
            ..InferredType::new(LIST)
        }
    }

    /// Returns the type of a literal; any type for expressions that must be evaluated.
    pub fn literal(expression: &Expression) -> InferredType {
        match expression {
            Expression::Number(..) => InferredType::new(NUMBER),
            Expression::Text(text, _) => InferredType::one_of_texts([&**text]),
            Expression::Bool(..) => InferredType::new(FLAG),
            Expression::Nothing(_) => InferredType::new(NOTHING),
            _ => InferredType::any(),
        }
    }

    /// Returns the type of the items of a list, a text or a range; any type if it is not known.
    pub fn item_type(&self) -> InferredType {
        match self.types {
            TEXT => return InferredType::new(TEXT),
            RANGE => return InferredType::new(NUMBER),
            _ => {}
        }
        if self.types & !(LIST | NOTHING) != 0 {
            return InferredType::any();
        }
        self.items
            .as_deref()
            .cloned()
            .unwrap_or_else(InferredType::any)
    }

    /// Returns the union of both types.
    pub fn merge(self, other: InferredType) -> InferredType {
        let texts = match (self.types & TEXT, other.types & TEXT) {
            (0, _) => other.texts,
            (_, 0) => self.texts,
            _ => self
                .texts
                .zip(other.texts)
                .map(|(a, b)| merge_texts(a, b))
                .filter(|merged| merged.len() <= MAX_TEXTS),
        };
        let items = match (self.types & LIST, other.types & LIST) {
            (0, _) => other.items,
            (_, 0) => self.items,
            _ => self
                .items
                .zip(other.items)
                .map(|(a, b)| Box::new(a.merge(*b))),
        };
        InferredType {
            types: self.types | other.types,
            texts,
            items,
        }
    }

    /// Returns the type without `()`.
    pub fn without_nothing(mut self) -> InferredType {
        self.types &= !NOTHING;
        self
    }

    /// Returns whether the value can equal `text`.
    pub fn may_be_text(&self, text: &str) -> bool {
        self.types & TEXT == 0 || self.texts.as_ref().is_none_or(|texts| texts.contains(text))
    }

    /// Returns the type of a field or a figure from its constraint.
    pub fn from_constraint(holds: &ValueConstraint) -> InferredType {
        let is_unbounded = !holds.references.is_empty()
            || holds.bands.is_empty() && holds.words.is_empty() && !holds.any_text;
        if is_unbounded
            || holds
                .words
                .iter()
                .any(|word| word == "true" || word == "false")
        {
            return InferredType::any();
        }
        let number = if holds.bands.is_empty() { 0 } else { NUMBER };
        let text = if holds.words.is_empty() && !holds.any_text {
            0
        } else {
            TEXT
        };
        let texts = (!holds.words.is_empty() && !holds.any_text)
            .then(|| Arc::new(holds.words.iter().cloned().collect()));
        InferredType {
            texts,
            ..InferredType::new(number | text | NOTHING | LIST | MAP)
        }
    }

    /// Returns the type of an attribute of pieces, places or sides.
    pub fn from_attribute(attribute: &AttributeType) -> InferredType {
        if let AttributeType::Word(words, _) = attribute
            && !words.is_empty()
        {
            return InferredType::one_of_texts(words.iter().map(String::as_str))
                .merge(InferredType::new(NOTHING));
        }
        InferredType::new(match attribute {
            AttributeType::Number(..) => NUMBER | NOTHING,
            AttributeType::Flag => FLAG | NOTHING,
            AttributeType::Word(..) => TEXT | NOTHING,
            AttributeType::Words => LIST | NOTHING,
        })
    }
}

/// Returns the union of both sets of texts.
fn merge_texts(
    mut texts: Arc<BTreeSet<String>>,
    added: Arc<BTreeSet<String>>,
) -> Arc<BTreeSet<String>> {
    if !added.is_subset(&texts) {
        Arc::make_mut(&mut texts).extend(added.iter().cloned());
    }
    texts
}

/// Returns the type of `a + b`.
pub fn add_types(a: InferredType, b: InferredType) -> InferredType {
    match (a.types, b.types) {
        (NUMBER, NUMBER) => InferredType::new(NUMBER),
        (LIST, LIST) => InferredType::list_of(a.item_type().merge(b.item_type())),
        (LIST, other) if other & LIST == 0 => InferredType::list_of(a.item_type().merge(b)),
        (LIST, _) | (_, LIST) => InferredType::new(LIST),
        (TEXT, _) | (_, TEXT) => InferredType::new(TEXT),
        _ => InferredType::any(),
    }
}
