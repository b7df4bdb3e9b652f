//! Lines of a script in words, with what can be changed in them.

use crate::author::blanks::{Blank, BlankKind, blanks};
use crate::author::shares::share_call;
use crate::author::throw_words::ThrowWords;
use crate::testing::mutation_steps::{Token, tokens};
use casebook_engine::data::case::CaseFunction;
use std::collections::BTreeSet;

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordedPart {
    Words(String),
    /// What can be changed: its index among the blanks of the function, and its kind, with its text.
    Blank(usize, BlankKind, String),
}

/// Signs of scripts in words; an empty word is left out.
const SIGNS: [(&str, &str); 30] = [
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
    ("_", "otherwise"),
];

/// Returns the lines of a function in which something can be changed, each in words.
pub fn worded_lines(source: &str) -> Vec<Vec<WordedPart>> {
    let (tokens, blanks) = (tokens(source), blanks(source));
    let mut lines: Vec<Vec<WordedPart>> = Vec::new();
    let (mut line, mut line_number) = (Vec::new(), 0);
    let number_of = |offset: usize| source[..offset].matches('\n').count();
    let mut finish = |line: &mut Vec<WordedPart>| {
        let mut finished = std::mem::take(line);
        // The comma behind one of several answers.
        if let Some(WordedPart::Words(words)) = finished.last_mut() {
            words.truncate(words.trim_end_matches(',').len());
        }
        lines.extend(
            finished
                .iter()
                .any(|part| matches!(part, WordedPart::Blank(..)))
                .then_some(finished),
        );
    };
    let mut skipped = 0;
    let mut throw = ThrowWords::default();
    // Tokens of shares behind the number that a share is taken of.
    let mut closes: BTreeSet<usize> = BTreeSet::new();
    for (index, token) in tokens.iter().enumerate() {
        if skipped > 0 {
            skipped -= 1;
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
        if closes.contains(&index) {
            continue;
        }
        if let Some(share) = share_call(&tokens, index) {
            let blank = of_kind(|kind| kind == BlankKind::Share, token.offset);
            line.extend(
                blank.map(|blank| WordedPart::Blank(blank, BlankKind::Share, share.amount)),
            );
            add_words(&mut line, "of");
            closes.extend(share.of.end..share.tokens.end);
            // The bracket after the name.
            skipped = 1;
            continue;
        }
        if let Some(words) = throw.words_at(&tokens, index) {
            add_words(&mut line, words);
            continue;
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

/// Returns what a function answers, in the words of its file: the first sentence about it.
pub fn summary_of(function: &CaseFunction) -> String {
    let said = function.doc_lines().join(" ");
    let sentence = said.split_once(". ").map_or(&*said, |(first, _)| first);
    match sentence.trim_end_matches('.') {
        "" => function.name.replace('_', " "),
        sentence => sentence.to_string(),
    }
}

/// Beginnings of the names of questions that are answered yes or no.
const YES_OR_NO: [&str; 7] = ["is_", "are_", "has_", "have_", "can_", "may_", "must_"];
/// Words before a bracket that call nothing.
const NO_CALLS: [&str; 6] = ["if", "while", "for", "switch", "return", "in"];

/// Returns the call of a function with names only, in words: `is_lost(unit)` is "unit is lost", and `sum_of(a, b)` "sum of a and b".
fn call_in_words(tokens: &[Token], index: usize) -> Option<(String, usize)> {
    let is_name = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
            && !NO_CALLS.contains(&text)
    };
    let name = tokens[index].text;
    if !is_name(name) || tokens.get(index + 1)?.text != "(" {
        return None;
    }
    let end = index
        + 2
        + tokens[index + 2..]
            .iter()
            .position(|token| token.text == ")")?;
    let inside = &tokens[index + 2..end];
    let is_word = |text: &str| text.starts_with('"') && !text.contains("{}");
    let is_dot = |text: &str| matches!(text, "." | "?.");
    let said: Option<Vec<String>> = inside
        .split(|token| token.text == ",")
        .map(|parts| match parts {
            [] => None,
            [word] if is_word(word.text) => Some(words_of(word.text)),
            _ => {
                let is_path = parts
                    .iter()
                    .all(|part| is_name(part.text) || is_dot(part.text));
                // What a procedure is given is meant where its name stands.
                let names = parts.iter().map(|part| part.text);
                let names = names.filter(|name| !is_dot(name) && *name != "given");
                is_path.then(|| names.map(words_of).collect::<Vec<_>>().join(" "))
            }
        })
        .collect();
    let said = said?;
    let asked = words_of(name);
    let is_of_a_thing = index > 0 && matches!(tokens[index - 1].text, "." | "?.");
    let is_asked = !is_of_a_thing && YES_OR_NO.iter().any(|start| name.starts_with(start));
    let words = match &said[..] {
        [one] if is_asked => format!("{one} {asked}"),
        [one, other] if is_asked => format!("{one} {asked} {other}"),
        _ if asked.ends_with(" of") || is_of_a_thing => format!("{asked} {}", said.join(" and ")),
        _ => format!("{asked} of {}", said.join(" and ")),
    };
    Some((words, end - index))
}

/// Returns a token in words, and the number of tokens behind it that belong to it: `+=` are two signs to the tokens.
fn words_at(tokens: &[Token], index: usize) -> (String, usize) {
    if let Some(call) = call_in_words(tokens, index) {
        return call;
    }
    let token = &tokens[index];
    let next = tokens
        .get(index + 1)
        .filter(|next| next.offset == token.range().end)
        .map_or("", |next| next.text);
    let is_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    if let Some(part) = tokens
        .get(index + 2)
        .filter(|part| next == "." && is_number(token.text) && is_number(part.text))
    {
        return (format!("{}.{}", token.text, part.text), 2);
    }
    match &*format!("{}{next}", token.text) {
        // Behind a name the brackets call it.
        "()" if index > 0 && tokens[index - 1].range().end == token.offset => (String::new(), 1),
        "()" => ("nothing".into(), 1),
        // What a procedure is given is meant where its name stands.
        "given." => (String::new(), 1),
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
    fn shares_and_calls_are_said_in_words() {
        let source = "fn f(points, kind, unit) {\n    if unit == () { return 0; }\n    switch kind {\n        \"wide\" => if reading(\"rounding\") == \"up\" { half_up(points) } else { half_down(points) },\n        _ => share_up(size_of(unit), 2, 3),\n    }\n}";
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
                "if [0 Condition unit == ()] unit is nothing: the answer is [1 Number 0]",
                "wide: if [2 Condition reading(\"rounding\") == \"up\"] reading of rounding is up: [3 Share 1/2 rounded up] of points otherwise: [4 Share 1/2] of points",
                "otherwise: [5 Share 2/3 rounded up] of size of unit",
            ]
        );
    }

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
                "if [1 Condition x >= 3 && !is_lost(a)] x is at least [2 Number 3] and not a is lost: the answer is - [3 Number 2]",
                "a throw of [4 Dice 2d6] for hits",
                "x is a throw of [5 Dice 1d6] for hits of a + [6 Number 1]",
            ]
        );
    }
}
