//! `casebook explain`: a law, a verb, a kind of file, a key, a word, in a page of text.

use crate::author::faults;
use crate::author::glossary::{WORDS, Word};
use crate::code::verbs::{self, Verb};
use crate::complaint::{Error, near};
use crate::data::format::{FILES, Format, Holds};
use crate::ruleset::laws;
use crate::ruling::page::indented;
use serde_json::{Value, json};
use std::fmt::Write;

/// A page, for a person and for a program.
pub struct Explained {
    /// As text.
    pub text: String,
    /// As data.
    pub json: Value,
}

/// Explains a name: a law, a verb, a kind of file or a part of one, a key, a word; all of them, where it is several.
pub fn explain(name: &str) -> Result<Vec<Explained>, Error> {
    let mut found: Vec<Explained> = law(name).into_iter().collect();
    found.extend(verbs::named(name).map(verb));
    found.extend(WORDS.iter().filter(|word| word.names.contains(&name)).map(word));
    found.extend(formats().into_iter().filter(|format| format.name == name).map(format));
    found.extend(key(name));
    if found.is_empty() {
        return Err(Error::Unknown { what: "law, verb, kind of file, key or word", name: name.into(), near: near(name, names()) });
    }
    Ok(found)
}

/// All that can be explained.
pub fn names() -> impl Iterator<Item = &'static str> {
    let words = WORDS.iter().flat_map(|word| word.names).copied();
    let formats = formats();
    let keys: Vec<&str> = formats.iter().flat_map(|format| format.keys).map(|key| key.name).collect();
    let parts = formats.into_iter().map(|format| format.name);
    laws::names().chain(verbs::all().iter().map(|verb| verb.name)).chain(words).chain(parts).chain(keys)
}

/// Every kind of file, and every part of one that has keys of its own.
pub fn formats() -> Vec<&'static Format> {
    let mut all: Vec<&'static Format> = FILES.to_vec();
    let mut next = 0;
    while let Some(format) = all.get(next).copied() {
        let parts = format.keys.iter().flat_map(|key| key.holds.formats());
        let new: Vec<_> = parts.filter(|part| !all.iter().any(|known| known.name == part.name)).collect();
        all.extend(new);
        next += 1;
    }
    all
}

/// A word of the product.
fn word(word: &Word) -> Explained {
    let mut text = format!("{}: a word\n\n", word.names[0]);
    indented(&mut text, word.text);
    let _ = writeln!(text, "\n  see: {}", word.see);
    Explained { text, json: json!({ "word": word.names[0], "text": word.text, "see": word.see }) }
}

/// A key, wherever it may stand.
fn key(name: &str) -> Option<Explained> {
    let mut text = format!("{name}: a key\n");
    let mut places = Vec::new();
    for format in formats() {
        for key in format.keys.iter().filter(|key| key.name == name) {
            let need = if key.needed { " (needed)" } else { "" };
            let _ = writeln!(text, "\n  in {}: {}{need}", format.name, format.place);
            indented(&mut text, key.does);
            indented(&mut text, &format!("It holds {}.", key.holds.word()));
            places.push(
                json!({ "file": format.name, "place": format.place, "holds": key.holds.word(), "does": key.does, "needed": key.needed }),
            );
        }
    }
    (!places.is_empty()).then(|| Explained { text, json: json!({ "key": name, "stands": places }) })
}

/// Every law with its first line, every kind of file, and where verbs are listed.
pub fn contents() -> Explained {
    let mut text = String::from("laws\n");
    let laws: Vec<(&str, String)> = laws::names().map(|name| (name, laws::explain(name).unwrap_or_default())).collect();
    for (name, law) in &laws {
        let whole = law.replace('\n', " ");
        let sentence = whole.split_once(". ").map_or(whole.trim_end_matches('.'), |(first, _)| first);
        let _ = writeln!(text, "  {name:<16} {sentence}.");
    }
    text.push_str("\nkinds of file\n");
    for format in FILES {
        let _ = writeln!(text, "  {:<16} {}", format.name, format.place);
    }
    let words: Vec<&str> = WORDS.iter().map(|word| word.names[0]).collect();
    text.push_str("\nwords\n");
    indented(&mut text, &words.join(", "));
    text.push_str("\nkeys of files: each by its name, `casebook explain readings`\n");
    text.push_str("verbs: `casebook list --verbs`; how it all goes together: `casebook guide`\n");
    let laws: Vec<Value> = laws.into_iter().map(|(name, law)| json!({ "law": name, "text": law })).collect();
    let files: Vec<Value> = FILES.iter().map(|format| json!({ "file": format.name, "place": format.place })).collect();
    Explained { text, json: json!({ "laws": laws, "files": files, "words": words }) }
}

/// Every verb by subject, with what it does.
pub fn verbs() -> Explained {
    let mut text = String::new();
    let mut all = Vec::new();
    for (subject, verbs) in verbs::SUBJECTS {
        let _ = writeln!(text, "{subject}");
        for verb in verbs {
            let _ = writeln!(text, "  {:<42} {}", verb.signature(), verb.does);
            all.push(self::verb(verb).json);
        }
        text.push('\n');
    }
    text.push_str("`casebook explain VERB` has an example.\n");
    Explained { text, json: json!({ "verbs": all }) }
}

fn law(name: &str) -> Option<Explained> {
    let law = laws::explain(name)?;
    let mut text = format!("{name}: a law\n\n{law}\n");
    let shown = faults::of(name);
    if let Some(shown) = shown {
        let (wrong, right) = (shown.wrong, shown.right);
        let _ = writeln!(text, "\nAgainst it, in {}:\n{}", wrong.0, set_in(wrong.1));
        let there = if wrong.0 == right.0 { String::new() } else { format!(", in {}", right.0) };
        let _ = writeln!(text, "\nAs it should be{there}:\n{}", set_in(right.1));
        if !shown.command.is_empty() {
            let _ = writeln!(text, "\nReported by `casebook {}`.", shown.command);
        }
    }
    let json = json!({ "law": name, "text": law, "wrong": shown.map(|s| stands(s.wrong)), "right": shown.map(|s| stands(s.right)) });
    Some(Explained { text, json })
}

/// What stands in a file.
fn stands((path, text): (&str, &str)) -> Value {
    json!({ "path": path, "text": text })
}

/// Lines set in from the margin.
fn set_in(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// A verb: what it takes and does, where it may stand, an example.
pub fn verb(verb: &Verb) -> Explained {
    let mut text = format!("{}: a verb\n\n{}\n\n", verb.signature(), verb.does);
    if !verb.takes.is_empty() {
        let _ = writeln!(text, "takes    {}", verb.parameters());
    }
    if verb.gives != verbs::Kind::Any {
        let _ = writeln!(text, "gives    {}", verb.gives.word());
    }
    let _ = writeln!(text, "stands   in {}", verb.place.word());
    if verb.language {
        text.push_str("         It comes with the language; a function of yours may have its name.\n");
    }
    text.push_str("\nAn example, in the game that `casebook new game` lays out:\n");
    let _ = writeln!(text, "{}", set_in(&verb.example.replace("; ", ";\n")));
    let takes: Vec<Value> = verb.takes.iter().map(|(name, kind)| json!({ "name": name, "kind": kind.word() })).collect();
    let json = json!({ "verb": verb.name, "signature": verb.signature(), "takes": takes, "optional": verb.optional, "gives": verb.gives.word(), "does": verb.does,
        "example": verb.example, "place": verb.place.word(), "changes": verb.place == verbs::Place::Procedures, "language": verb.language });
    Explained { text, json }
}

fn format(format: &'static Format) -> Explained {
    let mut text = format!("{}: a kind of file\n\n", format.name);
    indented(&mut text, format.does);
    let _ = writeln!(text, "\n  {}", format.place);
    keys(&mut text, format, 2, &mut vec![format.name]);
    let keys: Vec<Value> = format
        .keys
        .iter()
        .map(|key| json!({ "key": key.name, "holds": key.holds.word(), "does": key.does, "needed": key.needed }))
        .collect();
    Explained { text, json: json!({ "file": format.name, "place": format.place, "does": format.does, "keys": keys, "more": format.more }) }
}

/// The keys of a format and, below it, of its parts, each part once.
fn keys(text: &mut String, format: &'static Format, indent: usize, seen: &mut Vec<&'static str>) {
    let pad = " ".repeat(indent);
    text.push('\n');
    for key in format.keys {
        let need = if key.needed { " (needed)" } else { "" };
        let _ = writeln!(text, "{pad}{:<14} {}{need}", format!("{}:", key.name), key.does);
        if let Holds::Words(words) = key.holds {
            let _ = writeln!(text, "{pad}{:<14} {}", "", words.join(", "));
        }
    }
    if !format.more.is_empty() {
        let _ = writeln!(text, "{pad}{:<14} {}", "...", format.more);
    }
    for part in format.keys.iter().filter_map(|key| key.holds.format()) {
        if !seen.contains(&part.name) {
            seen.push(part.name);
            let _ = writeln!(text, "\n{pad}{}  {}", part.place, part.does);
            keys(text, part, indent + 2, seen);
        }
    }
}
