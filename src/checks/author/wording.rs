//! Lines of a script in words, with what can be changed in them.

use crate::author::blanks::{Blank, BlankKind, blanks};
use crate::testing::mutation_steps::{Token, tokens};
use casebook_engine::code::throw_verb::ThrowVerb;
use casebook_engine::code::verbs::throw_name;
use casebook_engine::data::case::CaseFunction;

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordedPart {
    Words(String),
    /// What can be changed: its index among the blanks of the function, and its kind, with its text.
    Blank(usize, BlankKind, String),
}

/// Signs of scripts in words; an empty word is left out.
const SIGNS: [(&str, &str); 29] = [
    ("&&", "and"),
    ("||", "or"),
    ("!", "not"),
    ("==", "is"),
    ("!=", "is not"),
    (">=", "is at least"),
    ("<=", "is at most"),
    (">", "is more than"),
    ("<", "is less than"),
    ("=", "is"),
    ("+=", "grows by"),
    ("-=", "falls by"),
    ("*=", "is multiplied by"),
    ("/=", "is divided by"),
    ("*", "times"),
    ("/", "divided by"),
    ("return", "the answer is"),
    ("true", "yes"),
    ("false", "no"),
    ("else", "otherwise"),
    ("let", ""),
    ("const", ""),
    (";", ""),
    ("{", ":"),
    ("}", ""),
    ("#{", ""),
    ("=>", ":"),
    (".", ""),
    ("?.", ""),
];

/// Returns the lines of a function in which something can be changed, each in words.
pub fn worded_lines(source: &str) -> Vec<Vec<WordedPart>> {
    let (tokens, blanks) = (tokens(source), blanks(source));
    let mut lines: Vec<Vec<WordedPart>> = Vec::new();
    let (mut line, mut line_number) = (Vec::new(), 0);
    let number_of = |offset: usize| source[..offset].matches('\n').count();
    let mut finish = |line: &mut Vec<WordedPart>| {
        let finished = std::mem::take(line);
        lines.extend(
            finished
                .iter()
                .any(|part| matches!(part, WordedPart::Blank(..)))
                .then_some(finished),
        );
    };
    let mut skipped = 0;
    let mut throw = ThrowWords::default();
    for (index, token) in tokens.iter().enumerate() {
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        if let Some(words) = throw.words_at(&tokens, index) {
            add_words(&mut line, words);
            continue;
        }
        if number_of(token.offset) != line_number {
            line_number = number_of(token.offset);
            finish(&mut line);
        }
        let is_at = |blank: &Blank, kind: fn(BlankKind) -> bool, start: usize| {
            kind(blank.kind) && blank.range.start == start
        };
        let of_kind = |kind: fn(BlankKind) -> bool, start: usize| {
            blanks.iter().position(|blank| is_at(blank, kind, start))
        };
        if let Some(index) = of_kind(|kind| kind == BlankKind::Condition, token.offset) {
            line.push(WordedPart::Blank(
                index,
                BlankKind::Condition,
                source[blanks[index].range.clone()].into(),
            ));
        }
        // The quotes of dice stand outside of what can be changed.
        let start = token.offset + usize::from(token.text.starts_with('"'));
        match of_kind(|kind| kind != BlankKind::Condition, start) {
            Some(index) => line.push(WordedPart::Blank(
                index,
                blanks[index].kind,
                source[blanks[index].range.clone()].into(),
            )),
            None => {
                let (words, joined) = words_at(&tokens, index);
                skipped = joined;
                add_words(&mut line, &words);
            }
        }
    }
    finish(&mut line);
    lines
}

/// Says a throw of dice: `roll("2d6", "hits", unit)` is a throw of 2d6 for hits of unit.
#[derive(Default)]
struct ThrowWords {
    /// How many brackets are open in the throw; 0 outside of one.
    depth: usize,
    commas: usize,
}

impl ThrowWords {
    /// Returns the words for a token that belongs to the call of a throw; none if it says what it says elsewhere.
    fn words_at(&mut self, tokens: &[Token], index: usize) -> Option<&'static str> {
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

/// Returns a script in words: `unit.size >= 3` is "unit size is at least 3".
pub fn in_words(source: &str) -> String {
    let tokens = tokens(source);
    let (mut line, mut index) = (Vec::new(), 0);
    while index < tokens.len() {
        let (words, joined) =
            asked_of_board(&tokens[index..]).unwrap_or_else(|| words_at(&tokens, index));
        add_words(&mut line, &words);
        index += 1 + joined;
    }
    line.into_iter()
        .map(|part| match part {
            WordedPart::Words(words) => words,
            WordedPart::Blank(_, _, text) => text,
        })
        .collect()
}

/// Returns what is asked of a track or of a place in words, with the number of tokens behind its first: `weather(track("turn"))` is the weather,
/// and `place(unit.at).height` the height where a unit stands.
fn asked_of_board(tokens: &[Token]) -> Option<(String, usize)> {
    let texts: Vec<&str> = tokens.iter().take(8).map(|token| token.text).collect();
    let track = |name: &str| name.trim_matches('"').replace('-', " ");
    let said = |name: &str| name.replace('_', " ");
    Some(match texts[..] {
        ["track", "(", name, ")", ..] => (format!("the {}", track(name)), 3),
        [asked, "(", "track", "(", _, ")", ")", ..] => (format!("the {}", said(asked)), 6),
        ["place", "(", name, ".", "at", ")", ".", ..] => {
            (format!("{} stands where", said(name)), 6)
        }
        ["place", "(", name, ")", ".", ..] => (said(name), 4),
        _ => return None,
    })
}

/// Returns what a function answers, in the words of its file.
pub fn summary_of(function: &CaseFunction) -> String {
    let summary = function
        .doc_lines()
        .first()
        .map(|line| line.trim_end_matches('.').to_string())
        .filter(|line| !line.is_empty());
    summary.unwrap_or_else(|| function.name.replace('_', " "))
}

/// Returns a token in words, and the number of tokens behind it that belong to it: `+=` are two signs to the tokens, and `()` says nothing.
fn words_at(tokens: &[Token], index: usize) -> (String, usize) {
    let token = &tokens[index];
    let next = tokens
        .get(index + 1)
        .filter(|next| next.offset == token.range().end)
        .map_or("", |next| next.text);
    match &*format!("{}{next}", token.text) {
        // What a procedure is given is meant where its name stands.
        "()" | "given." => (String::new(), 1),
        joined @ ("+=" | "-=" | "*=" | "/=") => (words_of(joined), 1),
        _ => (words_of(token.text), 0),
    }
}

fn words_of(token: &str) -> String {
    if let Some((_, words)) = SIGNS.iter().find(|(sign, _)| *sign == token) {
        return words.to_string();
    }
    // A text with gaps is one that is said, and no part of the rule.
    if token.contains("{}") {
        return "…".into();
    }
    token.trim_matches(['"', '`']).replace('_', " ")
}

fn add_words(line: &mut Vec<WordedPart>, words: &str) {
    if words.is_empty() {
        return;
    }
    let joined = matches!(words, "," | ")" | "]" | ":");
    match line.last_mut() {
        Some(WordedPart::Words(text)) => {
            // A bracket stands apart behind a sign, and close behind a name.
            let is_after_sign = SIGNS.iter().any(|(_, sign)| {
                !sign.is_empty() && (text == sign || text.ends_with(&format!(" {sign}")))
            });
            if !joined && !text.ends_with(['(', '[']) && (words != "(" || is_after_sign) {
                text.push(' ');
            }
            text.push_str(words);
        }
        _ => line.push(WordedPart::Words(words.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_said_in_words_with_its_blanks() {
        let source = "fn f(a) {\n    let x = a.size();\n    x += 1;\n    // the great ones\n    if x >= 3 && !is_lost(a) { return -2; }\n    roll(\"2d6\", \"hits\")\n    x = roll(\"1d6\", \"hits\", a) + 1;\n}";
        let said = |line: &Vec<WordedPart>| {
            let part = |part: &WordedPart| match part {
                WordedPart::Words(words) => words.clone(),
                WordedPart::Blank(index, kind, text) => format!("[{index} {kind:?} {text}]"),
            };
            line.iter().map(part).collect::<Vec<_>>().join(" ")
        };
        let lines: Vec<String> = worded_lines(source).iter().map(said).collect();
        assert_eq!(
            lines,
            [
                "x grows by [0 Number 1]",
                "if [1 Condition x >= 3 && !is_lost(a)] x is at least [2 Number 3] and not is lost(a): the answer is - [3 Number 2]",
                "a throw of [4 Dice 2d6] for hits",
                "x is a throw of [5 Dice 1d6] for hits of a + [6 Number 1]",
            ]
        );
    }
}
