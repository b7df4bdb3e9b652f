//! Expressions of scripts in words.

use crate::testing::tokens::{Token, tokens};
use std::collections::BTreeMap;

/// Signs of scripts in words; an empty word is left out.
const SIGNS: [(&str, &str); 15] = [
    ("&&", "and"),
    ("||", "or"),
    ("!", "not"),
    ("==", "is"),
    ("!=", "is not"),
    (">=", "is at least"),
    ("<=", "is at most"),
    (">", "is more than"),
    ("<", "is less than"),
    ("*", "times"),
    ("/", "divided by"),
    ("true", "yes"),
    ("false", "no"),
    (".", ""),
    ("?.", ""),
];

/// What names of scripts are called at the table, as the manifest has it.
pub type GameWords = BTreeMap<String, String>;

/// Returns a name of a script in words.
pub fn named(name: &str, words: &GameWords) -> String {
    words
        .get(name)
        .map_or_else(|| name.replace('_', " "), String::clone)
}

/// Returns a script in words: `unit.size >= 3` is "unit size is at least 3", and "the unit's size ..." where `unit` is called "the unit".
pub fn in_words(source: &str, game: &GameWords) -> String {
    let tokens = tokens(source);
    let (mut line, mut index) = (String::new(), 0);
    while index < tokens.len() {
        let (words, joined) = asked_of_board(&tokens[index..], game)
            .or_else(|| called(&tokens, index, game))
            .unwrap_or_else(|| words_at(&tokens, index));
        add_words(&mut line, &words);
        index += 1 + joined;
    }
    line
}

/// Returns what a name, or a field of a name, is called at the table, with the number of tokens after its first. Of a list that is met with
/// one entry that entry is meant.
fn called(tokens: &[Token], index: usize, game: &GameWords) -> Option<(String, usize)> {
    let text = |at: usize| tokens.get(index + at).map_or("", |token| token.text);
    let name = text(0);
    let is_of_another = index > 0 && tokens[index - 1].text == ".";
    if is_of_another || text(1) == "(" {
        return None;
    }
    let is_field = text(1) == ".";
    if let (true, Some(words)) = (is_field, game.get(&format!("{name}.{}", text(2)))) {
        let is_first = (text(3), text(4), text(5)) == ("[", "0", "]");
        return Some((words.clone(), if is_first { 5 } else { 2 }));
    }
    let words = game.get(name)?;
    Some(match is_field {
        true => (format!("{words}'s"), 1),
        false => (words.clone(), 0),
    })
}

/// Returns what is asked of a track or of a place in words, with the number of tokens after its first: `weather(track("turn"))` is the weather,
/// and `place(unit.at).height` the height where a unit stands.
fn asked_of_board(tokens: &[Token], game: &GameWords) -> Option<(String, usize)> {
    let texts: Vec<&str> = tokens.iter().take(12).map(|token| token.text).collect();
    match texts[..] {
        ["between", "(", ..] => return side_in_words(tokens, game),
        ["!", "(", "faces", ..] => {
            // The page says no to what stands in brackets.
            let (words, joined) = faces_in_words(&texts[2..])?;
            let words = words.replace("are a double", "are no double");
            return Some((words.replace("all dice", "not all dice"), joined + 3));
        }
        ["faces", "[", ..] => return faces_in_words(&texts),
        _ => {}
    }
    let track = |name: &str| name.trim_matches('"').replace('-', " ");
    let each = |number: &str| match number {
        "2" => "second".to_string(),
        "3" => "third".to_string(),
        number => format!("{number}th"),
    };
    let spaced = |name: &str| name.replace('_', " ");
    Some(match texts[..] {
        ["%", number, "==", "0", ..] => (format!("is each {}", each(number)), 3),
        ["%", number, "!=", "0", ..] => (format!("is not each {}", each(number)), 3),
        ["position", "(", name, ",", "track", "(", _, ")", ")", ..] => {
            (format!("the number of the {}", track(name)), 8)
        }
        ["track", "(", name, ")", ..] => (format!("the {}", track(name)), 3),
        [asked, "(", "track", "(", _, ")", ")", ..] => (format!("the {}", spaced(asked)), 6),
        ["place", "(", name, ".", "at", ")", ".", ..] => {
            (format!("{} stands where", spaced(name)), 6)
        }
        ["place", "(", name, ")", ".", ..] => (spaced(name), 4),
        _ => return None,
    })
}

/// Says what is asked of the faces of a throw, the highest first.
fn faces_in_words(texts: &[&str]) -> Option<(String, usize)> {
    Some(match texts {
        [
            "faces",
            "[",
            "0",
            "]",
            sign @ ("==" | "!="),
            "faces",
            "[",
            last,
            "]",
            ..,
        ] => {
            let words = match (*last, *sign) {
                ("1", "==") => "the dice are a double",
                ("1", _) => "the dice are no double",
                (_, "==") => "all dice show the same",
                _ => "not all dice show the same",
            };
            (words.into(), 8)
        }
        ["faces", "[", "0", "]", ..] => ("the highest die".into(), 3),
        ["faces", "[", "1", "]", ..] => ("the second highest die".into(), 3),
        _ => return None,
    })
}

/// Says what is asked of the side between two places: `between(from[0], target).ditch` is the ditch from there to the other.
fn side_in_words(tokens: &[Token], game: &GameWords) -> Option<(String, usize)> {
    let end = tokens.iter().position(|token| token.text == ")")?;
    let [dot, feature, ..] = tokens.get(end + 1..)? else {
        return None;
    };
    let places = tokens[2..end].split(|token| token.text == ",");
    let words_of_place = |place: &[Token]| {
        if let Some((words, _)) = called(place, 0, game) {
            return words;
        }
        let is_word = |text: &&str| text.starts_with(|first: char| first.is_alphabetic());
        let words = place.iter().map(|token| token.text).filter(is_word);
        words.collect::<Vec<_>>().join(" ")
    };
    let places: Vec<String> = places.map(words_of_place).collect();
    match &places[..] {
        [from, to] if dot.text == "." => {
            let words = format!("the {} between {from} and {to}", feature.text);
            Some((words, end + 2))
        }
        _ => None,
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
    let named: Option<Vec<String>> = inside
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
    let named = named?;
    let asked = words_of(name);
    let is_of_a_thing = index > 0 && matches!(tokens[index - 1].text, "." | "?.");
    let is_asked = !is_of_a_thing && YES_OR_NO.iter().any(|start| name.starts_with(start));
    let words = match &named[..] {
        [one] if is_asked => format!("{one} {asked}"),
        [one, other] if is_asked => format!("{one} {asked} {other}"),
        _ if asked.ends_with(" of") || is_of_a_thing => format!("{asked} {}", named.join(" and ")),
        _ => format!("{asked} of {}", named.join(" and ")),
    };
    Some((words, end - index))
}

/// Returns a token in words, and the number of tokens after it that belong to it: `+=` are two signs to the tokens.
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

fn add_words(line: &mut String, words: &str) {
    let joined = matches!(words, "," | ")" | "]" | ":");
    // A bracket is separated from a sign before it, and not from a name.
    let is_after_sign = SIGNS
        .iter()
        .any(|(_, sign)| !sign.is_empty() && (line == sign || line.ends_with(&format!(" {sign}"))));
    let is_begun = !line.is_empty() && !words.is_empty() && !line.ends_with(['(', '[']);
    if is_begun && !joined && (words != "(" || is_after_sign) {
        line.push(' ');
    }
    line.push_str(words);
}
