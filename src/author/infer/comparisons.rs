//! Types of comparisons and operators.

use super::analysis::FunctionAnalysis;
use super::types::{InferredType, add_types};
use crate::author::script_vocabulary::{find_constant, text_constant};
use crate::code::verbs::types::{ANY, FLAG, LIST, NOTHING, NUMBER, PIECE, TEXT, describe, key_types, member_types};
use crate::complaint::did_you_mean;
use crate::syntax::tree::{Call, Expression, SourcePosition, SwitchStatement};

/// A complaint lists at most this many possible words.
const MAX_WORDS: usize = 24;

impl<'w> FunctionAnalysis<'_, 'w, '_> {
    /// Infers the type of an operator and checks its operands.
    pub fn infer_operator(&mut self, call: &'w Call, from: &[Option<&'w Expression>], args: &[InferredType]) -> InferredType {
        match (&*call.name, args) {
            ("==" | "!=" | "<" | "<=" | ">" | ">=", [a, b]) => {
                self.check_comparison(&call.args[0], &call.args[1], a, b, call.at);
                InferredType::new(FLAG)
            }
            ("contains", [within, item]) => {
                self.check_members(call, within, item);
                let Some(sought) = from.get(1).copied().flatten() else { return InferredType::new(FLAG) };
                // In `x in ["a", "b"]` both operands are checked by name.
                let one = InferredType { types: if within.types == LIST { within.item_type().types } else { ANY }, ..within.item_type() };
                if let (Some(Expression::List(items, _)), true) = (from[0], within.types == LIST) {
                    items.iter().for_each(|named| self.check_comparison(sought, named, item, &InferredType::literal(named), named.start()));
                } else if let Some((text, at)) = text_constant(sought) {
                    self.check_possible_text(&one, text, at, "no item of this list is ever");
                }
                InferredType::new(FLAG)
            }
            ("!", [can]) => {
                self.require_types(&call.args[0], FLAG);
                if can.types != 0 && can.types & FLAG == 0 {
                    let what = format!("`!` takes true or false, and gets {}", describe(can.types));
                    self.complain(call.args[0].start(), 1, what, "compare it with something: `== ()`, `> 0`");
                }
                InferredType::new(FLAG)
            }
            ("+", [a, b]) => add_types(a.clone(), b.clone()),
            (sign @ ("-" | "*" | "/" | "%" | "**"), _) => {
                for (arg, can) in call.args.iter().zip(args) {
                    self.require_types(arg, NUMBER);
                    if can.types != 0 && can.types & NUMBER == 0 {
                        let what = format!("`{sign}` takes numbers, and gets {}", describe(can.types));
                        self.complain(arg.start(), 1, what, "check the value here: a figure that nobody gave reads as ()");
                    }
                }
                InferredType::new(NUMBER)
            }
            _ => InferredType::any(),
        }
    }

    /// Reports `in` and `contains` where the value has no members, or none of the type that is looked for.
    fn check_members(&mut self, call: &'w Call, within: &InferredType, item: &InferredType) {
        let members = member_types(within.types);
        if within.types != 0 && item.types != 0 && item.types & members == 0 {
            let what = format!("`in` can't look for {} in {}", describe(item.types), describe(within.types));
            self.complain(call.at, 1, what, "look for a value in a list, a name in a map, a part in a text, a number in a range");
        }
    }

    /// Reports a key that does not name an item of its container. Lists of pieces have figures besides.
    pub fn check_key(&mut self, call: &'w Call, container: &InferredType, key: &InferredType) {
        let pieces = container.types & LIST != 0 && container.item_type().types & PIECE != 0;
        let keys = key_types(container.types) | if pieces { TEXT } else { 0 };
        let removed = &*call.name == "remove" && (pieces || container.types & PIECE != 0);
        if !removed && container.types != 0 && key.types != 0 && keys != 0 && key.types & keys == 0 {
            let what = format!(
                "an item of {} has {} for a name, and {} stands here",
                describe(container.types),
                describe(keys),
                describe(key.types)
            );
            self.complain(call.at, 1, what, "items of lists have numbers, entries of maps and figures of pieces have names");
        }
    }

    /// Reports a comparison of two values that can never be equal.
    fn check_comparison(&mut self, a: &'w Expression, b: &'w Expression, can_a: &InferredType, can_b: &InferredType, at: SourcePosition) {
        self.allow_types(a, can_b.types);
        self.allow_types(b, can_a.types);
        // A comparison with `()` is always allowed.
        if can_a.types == NOTHING || can_b.types == NOTHING || can_a.types == 0 || can_b.types == 0 {
            return;
        }
        if can_a.types & can_b.types & !NOTHING == 0 {
            let (one, other) = (describe(can_a.types & !NOTHING), describe(can_b.types & !NOTHING));
            let what = format!("{one} is compared with {other}: they are never equal, and neither is greater");
            return self.complain(
                at,
                1,
                what,
                "write numbers without quotes and texts in quotes; compare a figure or the name of a piece, not the piece",
            );
        }
        for (one, can) in [(a, can_b), (b, can_a)] {
            text_constant(one).into_iter().for_each(|(text, at)| self.check_possible_text(can, text, at, "this is never"));
        }
    }

    /// Reports a text that the value can never equal.
    pub fn check_possible_text(&mut self, can: &InferredType, text: &str, at: SourcePosition, never: &str) {
        let Some(texts) = can.texts.as_ref().filter(|_| !can.may_be_text(text) && !text.is_empty()) else { return };
        let what = did_you_mean(format!("{never} `{text}`"), text, texts.iter().map(String::as_str));
        let some: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).take(MAX_WORDS).collect();
        let help = match (some.is_empty(), texts.len().saturating_sub(MAX_WORDS)) {
            (true, _) => "it is never a text".to_string(),
            (_, 0) => format!("write a value that it can have: {}", some.join(", ")),
            (_, more) => format!("write a value that it can have: {} and {more} more", some.join(", ")),
        };
        self.complain(at, text.chars().count() + 2, what, help);
    }

    /// Reports an arm of a `switch` that can never match.
    pub fn check_arm(&mut self, switch: &'w SwitchStatement, can: &InferredType, named: &Expression) {
        let value = InferredType::literal(named);
        self.allow_types(&switch.scrutinee, value.types);
        if can.types == 0 || can.types == NOTHING || value.types == NOTHING {
            return;
        }
        let text = text_constant(named).map(|(text, _)| text);
        let at = || text.map_or(switch.at, |text| find_constant(self.case, text, switch.at));
        if can.types & value.types & !NOTHING == 0 {
            let what = format!("this `switch` is over {}, and an arm names {}", describe(can.types & !NOTHING), describe(value.types));
            self.complain(at(), 1, what, "write numbers without quotes, texts in quotes");
        } else if let Some(text) = text.filter(|text| !can.may_be_text(text)) {
            self.check_possible_text(can, text, at(), "this is never");
        }
    }
}
