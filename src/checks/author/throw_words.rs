//! The call of a throw in words.

use crate::testing::mutation_steps::Token;
use casebook_engine::code::throw_verb::ThrowVerb;
use casebook_engine::code::verbs::throw_name;

/// Says a throw of dice: `roll("2d6", "hits", unit)` is a throw of 2d6 for hits of unit.
#[derive(Default)]
pub struct ThrowWords {
    /// How many brackets are open in the throw; 0 outside of one.
    depth: usize,
    commas: usize,
}

impl ThrowWords {
    /// Returns the words for a token that belongs to the call of a throw; none if it says what it says elsewhere.
    pub fn words_at(&mut self, tokens: &[Token], index: usize) -> Option<&'static str> {
        let before = index
            .checked_sub(1)
            .map_or("", |before| tokens[before].text);
        let is_throw = |text: &str| text == throw_name(ThrowVerb::Roll);
        match tokens[index].text {
            text if self.depth == 0 && is_throw(text) => {
                let next = tokens.get(index + 1);
                next.is_some_and(|next| next.text == "(")
                    .then_some("a throw of")
            }
            "(" if self.depth == 0 && is_throw(before) => {
                (self.depth, self.commas) = (1, 0);
                Some("")
            }
            "(" | "[" if self.depth > 0 => {
                self.depth += 1;
                None
            }
            ")" | "]" if self.depth > 0 => {
                self.depth -= 1;
                (self.depth == 0).then_some("")
            }
            "," if self.depth == 1 => {
                self.commas += 1;
                match self.commas {
                    1 => Some("for"),
                    2 => Some("of"),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
