//! Suggests the intended name for a misspelt one.

use std::fmt;

/// Maximum number of names listed in full.
const MAX_LISTED: usize = 12;

/// Longest name that is compared by letters, which takes time that is squared in its length.
const MAX_LETTERS: usize = 200;

/// Formats "; did you mean `x`?", or a list of names if there are many; empty without suggestions.
pub fn suggestion_text(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("; did you mean `{one}`?"),
        // Four or more names are an enumeration, not a suggestion.
        [init @ .., last] if init.len() < 3 => {
            format!("; did you mean `{}` or `{last}`?", init.join("`, `"))
        }
        [some @ .., _] if some.len() < MAX_LISTED => {
            format!("; there are `{}`", names.join("`, `"))
        }
        _ => format!(
            "; there are `{}` and {} more",
            names[..MAX_LISTED].join("`, `"),
            names.len() - MAX_LISTED
        ),
    }
}

/// Returns at most three names at the smallest edit distance from a misspelt one; if none is close, names that contain it.
pub fn nearest_names<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let name = name.to_lowercase();
    let letters = name.chars().count();
    if letters > MAX_LETTERS {
        return Vec::new();
    }
    let mut hits: Vec<(bool, usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let lowercase = candidate.to_lowercase();
            let inside = name.len() > 2
                && (lowercase.contains(&name)
                    || (lowercase.len() > 2 && name.contains(&lowercase)));
            let distance = edit_distance(&name, &lowercase);
            // A name without a letter in common is not a misspelling.
            let close =
                distance <= 1 + letters / 4 && distance < letters.max(lowercase.chars().count());
            (close || inside).then_some((!close, distance, candidate))
        })
        .collect();
    hits.sort();
    hits.dedup();
    let Some(&(parts, nearest, _)) = hits.first() else {
        return Vec::new();
    };
    hits.into_iter()
        .take_while(|(part, distance, _)| parts || (!part && *distance == nearest))
        .take(3)
        .map(|(.., candidate)| candidate.to_string())
        .collect()
}

/// The text of a complaint, with the names that it suggests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The sentence, including the suggestions.
    pub text: String,
    /// The suggested names.
    pub suggestions: Vec<String>,
}

impl Message {
    /// Creates a message that ends with suggestions.
    pub fn with_suggestions(text: impl Into<String>, suggestions: Vec<String>) -> Message {
        Message {
            text: format!("{}{}", text.into(), suggestion_text(&suggestions)),
            suggestions,
        }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Message {
        Message {
            text,
            suggestions: Vec::new(),
        }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Message {
        String::from(text).into()
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Message> for String {
    fn from(message: Message) -> String {
        message.text
    }
}

/// Returns a message about an unknown name, which suggests similar known ones.
pub fn did_you_mean<'a>(
    text: impl Into<String>,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Message {
    Message::with_suggestions(text, nearest_names(name, candidates))
}

/// Returns the message that nothing of a kind has a name: "no track is called `x`".
pub fn unknown_name<'a>(
    noun: &str,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Message {
    did_you_mean(format!("no {noun} is called `{name}`"), name, candidates)
}

/// Returns the edit distance between two words, where a swap of adjacent letters counts as one edit. Nobody misspells a text of more than
/// [`MAX_LETTERS`]: it is equal to another one, or as far from it as it is long.
pub fn edit_distance(a: &str, b: &str) -> usize {
    match a.chars().count().max(b.chars().count()) {
        letters if letters > MAX_LETTERS => {
            if a == b {
                0
            } else {
                letters
            }
        }
        _ => strsim::osa_distance(a, b),
    }
}
