//! What values can be: of which sorts; of texts, which; of lists, what their items are. As much as a script says without being run.

use crate::code::verbs::Kind;
use crate::data::holds::Holds;
use crate::data::places::Attribute;
use crate::syntax::tree::Expression;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Several sorts of value, a bit each.
pub type Sorts = u8;

/// Nothing: `()`.
pub const NOTHING: Sorts = 1;
/// True or false.
pub const FLAG: Sorts = 2;
/// A whole number.
pub const NUMBER: Sorts = 4;
/// A text.
pub const TEXT: Sorts = 8;
/// A list.
pub const LIST: Sorts = 16;
/// A map, or a cell.
pub const MAP: Sorts = 32;
/// A piece.
pub const PIECE: Sorts = 64;
/// A sheet, a place, a range, a closure.
pub const OTHER: Sorts = 128;
/// Any of them.
pub const ANY: Sorts = 255;

/// Lists that stand in each other are looked into so far.
const DEEPEST: usize = 8;
/// More texts than these are told apart no longer.
const MOST: usize = 512;

/// What a value can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Can {
    /// Its sorts; none of a value that is never there, such as that of a `return`.
    pub sorts: Sorts,
    /// The texts it can be, where it can be a text and these are known.
    pub texts: Option<Rc<BTreeSet<String>>>,
    /// The items of the list it can be, where they are known.
    pub items: Option<Box<Can>>,
}

impl Can {
    /// Any value of some sorts.
    pub fn of(sorts: Sorts) -> Can {
        Can { sorts, texts: None, items: None }
    }

    /// No value: what is worked out here is never handed on.
    pub fn never() -> Can {
        Can::of(0)
    }

    /// Anything.
    pub fn any() -> Can {
        Can::of(ANY)
    }

    /// One of some texts.
    pub fn text<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Can {
        let mut all = BTreeSet::new();
        all.extend(texts.into_iter().map(Into::into));
        Can { texts: Some(Rc::new(all)), ..Can::of(TEXT) }
    }

    /// A list of such items.
    pub fn list(items: Can) -> Can {
        // Lists in lists in lists: what is inside them is not told apart any more.
        let inner = std::iter::successors(Some(&items), |inner| inner.items.as_deref()).take(DEEPEST).count();
        Can { items: (inner < DEEPEST).then(|| Box::new(items)), ..Can::of(LIST) }
    }

    /// What stands written out; anything, where it has to be worked out.
    pub fn written(expression: &Expression) -> Can {
        match expression {
            Expression::Number(..) => Can::of(NUMBER),
            Expression::Text(text, _) => Can::text([&**text]),
            Expression::Flag(..) => Can::of(FLAG),
            Expression::Nothing(_) => Can::of(NOTHING),
            _ => Can::any(),
        }
    }

    /// What an item of it can be.
    pub fn item(&self) -> Can {
        if self.sorts & !(LIST | NOTHING) != 0 {
            return Can::any();
        }
        self.items.as_deref().cloned().unwrap_or_else(Can::any)
    }

    /// What stands here or there.
    pub fn or(self, other: Can) -> Can {
        let texts = match (self.sorts & TEXT, other.sorts & TEXT) {
            (0, _) => other.texts,
            (_, 0) => self.texts,
            _ => self.texts.zip(other.texts).map(|(a, b)| both(a, b)).filter(|all| all.len() <= MOST),
        };
        let items = match (self.sorts & LIST, other.sorts & LIST) {
            (0, _) => other.items,
            (_, 0) => self.items,
            _ => self.items.zip(other.items).map(|(a, b)| Box::new(a.or(*b))),
        };
        Can { sorts: self.sorts | other.sorts, texts, items }
    }

    /// The same without `()`.
    pub fn some(mut self) -> Can {
        self.sorts &= !NOTHING;
        self
    }

    /// Whether it can be this text.
    pub fn can_be(&self, text: &str) -> bool {
        self.sorts & TEXT == 0 || self.texts.as_ref().is_none_or(|texts| texts.contains(text))
    }

    /// What a field or a figure holds: one value, several, or none.
    pub fn held(holds: &Holds) -> Can {
        let open = !holds.names.is_empty() || holds.numbers.is_empty() && holds.words.is_empty() && !holds.text;
        if open || holds.words.iter().any(|word| word == "true" || word == "false") {
            return Can::any();
        }
        let number = if holds.numbers.is_empty() { 0 } else { NUMBER };
        let text = if holds.words.is_empty() && !holds.text { 0 } else { TEXT };
        let texts = (!holds.words.is_empty() && !holds.text).then(|| Rc::new(holds.words.iter().cloned().collect()));
        Can { texts, ..Can::of(number | text | NOTHING | LIST | MAP) }
    }

    /// What an attribute of pieces, places or sides holds.
    pub fn attribute(attribute: &Attribute) -> Can {
        if let Attribute::Word(words, _) = attribute
            && !words.is_empty()
        {
            return Can::text(words.iter().map(String::as_str)).or(Can::of(NOTHING));
        }
        Can::of(match attribute {
            Attribute::Number(..) => NUMBER | NOTHING,
            Attribute::Flag => FLAG | NOTHING,
            Attribute::Word(..) => TEXT | NOTHING,
            Attribute::Words => LIST | NOTHING,
        })
    }
}

impl From<Kind> for Can {
    fn from(kind: Kind) -> Can {
        Can::of(match kind {
            Kind::Any => ANY,
            Kind::Number => NUMBER,
            Kind::Flag => FLAG,
            Kind::Text => TEXT,
            Kind::List => LIST,
            Kind::Map => MAP,
            Kind::Pieces => PIECE | LIST,
            Kind::Closure | Kind::Record => OTHER,
        })
    }
}

/// Sorts in words: "a number or a text".
pub fn words(sorts: Sorts) -> String {
    const WORDS: [(Sorts, &str); 7] = [
        (NUMBER, "a number"),
        (TEXT, "a text"),
        (FLAG, "true or false"),
        (LIST, "a list"),
        (PIECE, "a piece"),
        (MAP, "a map"),
        (NOTHING, "()"),
    ];
    let named: Vec<&str> = WORDS.iter().filter(|(sort, _)| sorts & sort != 0).map(|(_, word)| *word).collect();
    if named.is_empty() { "something else".into() } else { named.join(" or ") }
}

/// The texts of both.
fn both(mut all: Rc<BTreeSet<String>>, more: Rc<BTreeSet<String>>) -> Rc<BTreeSet<String>> {
    if !more.is_subset(&all) {
        Rc::make_mut(&mut all).extend(more.iter().cloned());
    }
    all
}

/// What `+` makes of two values.
pub fn sum(a: Can, b: Can) -> Can {
    match (a.sorts, b.sorts) {
        (NUMBER, NUMBER) => Can::of(NUMBER),
        (LIST, LIST) => Can::list(a.item().or(b.item())),
        (LIST, other) if other & LIST == 0 => Can::list(a.item().or(b)),
        (LIST, _) | (_, LIST) => Can::of(LIST),
        (TEXT, _) | (_, TEXT) => Can::of(TEXT),
        _ => Can::any(),
    }
}
