//! Values that are held against each other, or worked into one.

use super::look::Look;
use super::sorts::{ANY, Can, FLAG, LIST, NOTHING, NUMBER, sum, words};
use crate::author::words::{constant, place_of};
use crate::complaint::did_you_mean;
use crate::syntax::tree::{Call, Expression, Spot, Switch};

/// So many words are named that something can be.
const MOST: usize = 24;

impl<'w> Look<'_, 'w, '_> {
    /// An operator.
    pub fn operated(&mut self, call: &'w Call, from: &[Option<&'w Expression>], args: &[Can]) -> Can {
        match (&*call.name, args) {
            ("==" | "!=" | "<" | "<=" | ">" | ">=", [a, b]) => {
                self.compared(&call.args[0], &call.args[1], a, b, call.at);
                Can::of(FLAG)
            }
            ("contains", [within, item]) => {
                let Some(sought) = from.get(1).copied().flatten() else { return Can::of(FLAG) };
                // Both the item and what it is sought in are named: `x in ["a", "b"]`.
                let one = Can { sorts: if within.sorts == LIST { within.item().sorts } else { ANY }, ..within.item() };
                if let (Some(Expression::List(items, _)), true) = (from[0], within.sorts == LIST) {
                    items.iter().for_each(|named| self.compared(sought, named, item, &Can::written(named), named.start()));
                } else if let Some((text, at)) = constant(sought) {
                    self.one_of(&one, text, at, "no item of this list is ever");
                }
                Can::of(FLAG)
            }
            ("!", [_]) => {
                self.demand(&call.args[0], FLAG);
                Can::of(FLAG)
            }
            ("+", [a, b]) => sum(a.clone(), b.clone()),
            (sign @ ("-" | "*" | "/" | "%" | "**"), _) => {
                for (arg, can) in call.args.iter().zip(args) {
                    self.demand(arg, NUMBER);
                    if can.sorts != 0 && can.sorts & NUMBER == 0 {
                        let what = format!("`{sign}` is for numbers, and {} stands here", words(can.sorts));
                        self.complain(arg.start(), 1, what, "look what stands here: a figure that nobody gave reads as ()");
                    }
                }
                Can::of(NUMBER)
            }
            _ => Can::any(),
        }
    }

    /// Two values that are held against each other: one may be what the other is.
    fn compared(&mut self, a: &'w Expression, b: &'w Expression, can_a: &Can, can_b: &Can, at: Spot) {
        self.allow(a, can_b.sorts);
        self.allow(b, can_a.sorts);
        // That something is or isn't there may always be asked.
        if can_a.sorts == NOTHING || can_b.sorts == NOTHING || can_a.sorts == 0 || can_b.sorts == 0 {
            return;
        }
        if can_a.sorts & can_b.sorts & !NOTHING == 0 {
            let (one, other) = (words(can_a.sorts & !NOTHING), words(can_b.sorts & !NOTHING));
            let what = format!("{one} is held against {other} here: they are never equal, and neither is greater");
            return self.complain(at, 1, what, "numbers stand without quotes, texts in quotes; of a piece compare the figure or the name");
        }
        for (one, can) in [(a, can_b), (b, can_a)] {
            constant(one).into_iter().for_each(|(text, at)| self.one_of(can, text, at, "this is never"));
        }
    }

    /// A text that something may be.
    pub fn one_of(&mut self, can: &Can, text: &str, at: Spot, never: &str) {
        let Some(texts) = can.texts.as_ref().filter(|_| !can.can_be(text) && !text.is_empty()) else { return };
        let what = format!("{never} `{text}`{}", did_you_mean(text, texts.iter().map(String::as_str)));
        let some: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).take(MOST).collect();
        let help = match (some.is_empty(), texts.len().saturating_sub(MOST)) {
            (true, _) => "it is never a text".to_string(),
            (_, 0) => format!("it can be: {}", some.join(", ")),
            (_, more) => format!("it can be: {} and {more} more", some.join(", ")),
        };
        self.complain(at, text.chars().count() + 2, what, help);
    }

    /// What an arm of a `switch` names.
    pub fn arm(&mut self, switch: &'w Switch, can: &Can, named: &Expression) {
        let value = Can::written(named);
        self.allow(&switch.of, value.sorts);
        if can.sorts == 0 || can.sorts == NOTHING || value.sorts == NOTHING {
            return;
        }
        let text = constant(named).map(|(text, _)| text);
        let at = || text.map_or(switch.at, |text| place_of(self.case, text, switch.at));
        if can.sorts & value.sorts & !NOTHING == 0 {
            let what = format!("this `switch` is over {}, and an arm names {}", words(can.sorts & !NOTHING), words(value.sorts));
            self.complain(at(), 1, what, "numbers stand without quotes, texts in quotes");
        } else if let Some(text) = text.filter(|text| !can.can_be(text)) {
            self.one_of(can, text, at(), "this is never");
        }
    }
}
