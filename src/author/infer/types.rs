//! What values can be: of which sorts; of texts, which; of lists, what their items are. As much as a script says without being run.

use crate::code::verbs::ParameterType;
use crate::data::constraint::ValueConstraint;
use crate::data::places::AttributeType;
use crate::syntax::tree::Expression;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Several sorts of value, a bit each.
pub type TypeSet = u8;

/// Nothing: `()`.
pub const NOTHING: TypeSet = 1;
/// True or false.
pub const BOOLEAN: TypeSet = 2;
/// A whole number.
pub const NUMBER: TypeSet = 4;
/// A text.
pub const TEXT: TypeSet = 8;
/// A list.
pub const LIST: TypeSet = 16;
/// A map, or a cell.
pub const MAP: TypeSet = 32;
/// A piece.
pub const PIECE: TypeSet = 64;
/// A sheet, a place, a range, a closure.
pub const OTHER: TypeSet = 128;
/// Any of them.
pub const ANY: TypeSet = 255;

/// Lists that stand in each other are looked into so far.
const DEEPEST: usize = 8;
/// More texts than these are told apart no longer.
const MAX_TEXTS: usize = 512;

/// What a value can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferredType {
    /// Its sorts; none of a value that is never there, such as that of a `return`.
    pub types: TypeSet,
    /// The texts it can be, where it can be a text and these are known.
    pub texts: Option<Rc<BTreeSet<String>>>,
    /// The items of the list it can be, where they are known.
    pub items: Option<Box<InferredType>>,
}

impl InferredType {
    /// Any value of some sorts.
    pub fn new(sorts: TypeSet) -> InferredType {
        InferredType { types: sorts, texts: None, items: None }
    }

    /// No value: what is worked out here is never handed on.
    pub fn never() -> InferredType {
        InferredType::new(0)
    }

    /// Anything.
    pub fn any() -> InferredType {
        InferredType::new(ANY)
    }

    /// One of some texts.
    pub fn one_of_texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> InferredType {
        let mut all = BTreeSet::new();
        all.extend(texts.into_iter().map(Into::into));
        InferredType { texts: Some(Rc::new(all)), ..InferredType::new(TEXT) }
    }

    /// A list of such items.
    pub fn list_of(items: InferredType) -> InferredType {
        // Lists in lists in lists: what is inside them is not told apart any more.
        let inner = std::iter::successors(Some(&items), |inner| inner.items.as_deref()).take(DEEPEST).count();
        InferredType { items: (inner < DEEPEST).then(|| Box::new(items)), ..InferredType::new(LIST) }
    }

    /// What stands written out; anything, where it has to be worked out.
    pub fn literal(expression: &Expression) -> InferredType {
        match expression {
            Expression::Number(..) => InferredType::new(NUMBER),
            Expression::Text(text, _) => InferredType::one_of_texts([&**text]),
            Expression::Bool(..) => InferredType::new(BOOLEAN),
            Expression::Nothing(_) => InferredType::new(NOTHING),
            _ => InferredType::any(),
        }
    }

    /// What an item of it can be.
    pub fn item_type(&self) -> InferredType {
        if self.types & !(LIST | NOTHING) != 0 {
            return InferredType::any();
        }
        self.items.as_deref().cloned().unwrap_or_else(InferredType::any)
    }

    /// What stands here or there.
    pub fn merge(self, other: InferredType) -> InferredType {
        let texts = match (self.types & TEXT, other.types & TEXT) {
            (0, _) => other.texts,
            (_, 0) => self.texts,
            _ => self.texts.zip(other.texts).map(|(a, b)| merge_texts(a, b)).filter(|all| all.len() <= MAX_TEXTS),
        };
        let items = match (self.types & LIST, other.types & LIST) {
            (0, _) => other.items,
            (_, 0) => self.items,
            _ => self.items.zip(other.items).map(|(a, b)| Box::new(a.merge(*b))),
        };
        InferredType { types: self.types | other.types, texts, items }
    }

    /// The same without `()`.
    pub fn without_nothing(mut self) -> InferredType {
        self.types &= !NOTHING;
        self
    }

    /// Whether it can be this text.
    pub fn may_be_text(&self, text: &str) -> bool {
        self.types & TEXT == 0 || self.texts.as_ref().is_none_or(|texts| texts.contains(text))
    }

    /// What a field or a figure holds: one value, several, or none.
    pub fn from_constraint(holds: &ValueConstraint) -> InferredType {
        let open = !holds.references.is_empty() || holds.bands.is_empty() && holds.words.is_empty() && !holds.any_text;
        if open || holds.words.iter().any(|word| word == "true" || word == "false") {
            return InferredType::any();
        }
        let number = if holds.bands.is_empty() { 0 } else { NUMBER };
        let text = if holds.words.is_empty() && !holds.any_text { 0 } else { TEXT };
        let texts = (!holds.words.is_empty() && !holds.any_text).then(|| Rc::new(holds.words.iter().cloned().collect()));
        InferredType { texts, ..InferredType::new(number | text | NOTHING | LIST | MAP) }
    }

    /// What an attribute of pieces, places or sides holds.
    pub fn from_attribute(attribute: &AttributeType) -> InferredType {
        if let AttributeType::Word(words, _) = attribute
            && !words.is_empty()
        {
            return InferredType::one_of_texts(words.iter().map(String::as_str)).merge(InferredType::new(NOTHING));
        }
        InferredType::new(match attribute {
            AttributeType::Number(..) => NUMBER | NOTHING,
            AttributeType::Flag => BOOLEAN | NOTHING,
            AttributeType::Word(..) => TEXT | NOTHING,
            AttributeType::Words => LIST | NOTHING,
        })
    }
}

impl From<ParameterType> for InferredType {
    fn from(kind: ParameterType) -> InferredType {
        InferredType::new(match kind {
            ParameterType::Any => ANY,
            ParameterType::Number => NUMBER,
            ParameterType::Flag => BOOLEAN,
            ParameterType::Text => TEXT,
            ParameterType::List => LIST,
            ParameterType::Map => MAP,
            ParameterType::Pieces => PIECE | LIST,
            ParameterType::Closure | ParameterType::Record => OTHER,
        })
    }
}

/// Sorts in words: "a number or a text".
pub fn describe(sorts: TypeSet) -> String {
    const TYPE_NAMES: [(TypeSet, &str); 7] = [
        (NUMBER, "a number"),
        (TEXT, "a text"),
        (BOOLEAN, "true or false"),
        (LIST, "a list"),
        (PIECE, "a piece"),
        (MAP, "a map"),
        (NOTHING, "()"),
    ];
    let named: Vec<&str> = TYPE_NAMES.iter().filter(|(sort, _)| sorts & sort != 0).map(|(_, word)| *word).collect();
    if named.is_empty() { "something else".into() } else { named.join(" or ") }
}

/// The texts of both.
fn merge_texts(mut all: Rc<BTreeSet<String>>, more: Rc<BTreeSet<String>>) -> Rc<BTreeSet<String>> {
    if !more.is_subset(&all) {
        Rc::make_mut(&mut all).extend(more.iter().cloned());
    }
    all
}

/// What `+` makes of two values.
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
