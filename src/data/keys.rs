//! Test: every key that a manifest may have is read by something, or is for people alone. A key that is known and read by nothing would be
//! accepted in silence and do nothing.

use crate::complaint::{Complaints, Span};
use crate::data::files::Files;
use crate::data::format::{Format, Holds, Key, card::VARIANT, game::GAME};
use crate::data::manifest::Game;
use crate::data::node::{Node, READ};
use crate::data::variant::Variant;
use crate::data::yaml::Reader;
use std::collections::BTreeSet;

/// What a manifest says to people alone: the program passes over it.
const FOR_PEOPLE: &[(&str, &str)] = &[
    ("game", "note"),
    ("variant", "note"),
    ("variant", "text"),
    ("document", "by"),
    ("document", "where"),
    ("document", "note"),
    ("attribute", "note"),
    ("places", "note"),
    ("sheet", "title"),
    ("sheet", "note"),
    ("track", "note"),
    ("phase", "status"),
    ("phase", "source"),
    ("phase", "note"),
    ("option", "note"),
    ("places of a variant", "note"),
    ("phase of a variant", "status"),
    ("phase of a variant", "source"),
    ("phase of a variant", "note"),
];

/// A value that may stand under a key, as JSON.
fn sample(holds: Holds) -> String {
    match holds {
        Holds::Text | Holds::Any => "\"1\"".into(),
        Holds::Number => "1".into(),
        Holds::Flag => "true".into(),
        Holds::Texts => "[\"1\"]".into(),
        Holds::Words(words) => format!("{:?}", words[0]),
        Holds::Several(words) => format!("[{:?}]", words[0]),
        Holds::Keys(format) => with(format, None, None),
        Holds::Entries(format) => format!("[{}]", with(format, None, None)),
        Holds::Named(format) => format!("{{\"a\": {}}}", with(format, None, None)),
        Holds::Values => "{\"a\": \"1\"}".into(),
        Holds::Each(holds) => format!("{{\"a\": {}}}", sample(*holds)),
        Holds::AnyOf(list) => sample(list[0]),
    }
}

/// A map with the keys that it can't do without, and one more; its value is `text` where that is given.
fn with(format: &Format, key: Option<&Key>, text: Option<&str>) -> String {
    let mut keys: Vec<String> = Vec::new();
    for known in format.keys.iter().filter(|known| known.needed && key.is_none_or(|key| key.name != known.name)) {
        keys.push(format!("{:?}: {}", known.name, sample(known.holds)));
    }
    keys.extend(key.map(|key| format!("{:?}: {}", key.name, text.map_or_else(|| sample(key.holds), String::from))));
    format!("{{{}}}", keys.join(", "))
}

/// A file for every key of a format and of the parts below it.
fn files(format: &'static Format, around: &dyn Fn(String) -> String, seen: &mut BTreeSet<&'static str>, out: &mut Vec<String>) {
    if !seen.insert(format.name) {
        return;
    }
    for key in format.keys {
        out.push(around(with(format, Some(key), None)));
        let below = key.holds.formats().into_iter().filter(|_| !FOR_PEOPLE.contains(&(format.name, key.name)));
        for below in below {
            let wrapped = |text: String| around(with(format, Some(key), Some(&put(key.holds, below, &text))));
            files(below, &wrapped, seen, out);
        }
    }
}

/// A part where a key holds it.
fn put(holds: Holds, part: &Format, text: &str) -> String {
    match holds {
        Holds::Entries(_) => format!("[{text}]"),
        Holds::Named(_) => format!("{{\"a\": {text}}}"),
        Holds::Each(below) => format!("{{\"a\": {}}}", put(*below, part, text)),
        Holds::AnyOf(list) => {
            let fits = |holds: &&Holds| holds.formats().iter().any(|format| format.name == part.name);
            list.iter().find(fits).map_or_else(String::new, |holds| put(*holds, part, text))
        }
        _ => text.into(),
    }
}

/// Every key that stands in a file, with the map it stands in.
fn keys(node: &Node, format: &'static Format, out: &mut Vec<(Span, &'static str, &'static str)>) {
    for key in format.keys {
        let Some((_, value)) = node.entry(key.name) else { continue };
        out.push((node.span, format.name, key.name));
        if !FOR_PEOPLE.contains(&(format.name, key.name)) {
            below(value, key.holds, out);
        }
    }
}

fn below(value: &Node, holds: Holds, out: &mut Vec<(Span, &'static str, &'static str)>) {
    match holds {
        Holds::Keys(format) => keys(value, format, out),
        Holds::Entries(format) => value.items().iter().for_each(|item| keys(item, format, out)),
        Holds::Named(format) => value.entries().iter().for_each(|(_, value)| keys(value, format, out)),
        Holds::Each(holds) => value.entries().iter().for_each(|(_, value)| below(value, *holds, out)),
        Holds::AnyOf(list) => list.iter().for_each(|holds| below(value, *holds, out)),
        _ => {}
    }
}

#[test]
fn every_key_of_a_manifest_is_read() {
    let built_in = Files::built_in();
    let (mut known, mut read) = (BTreeSet::new(), BTreeSet::new());
    for (format, name) in [(&GAME, "game.yaml"), (&VARIANT, "variant.yaml")] {
        let mut texts = Vec::new();
        files(format, &|text| text, &mut BTreeSet::new(), &mut texts);
        if name == "game.yaml" {
            texts.extend(built_in.files.values().filter(|file| file.key.ends_with("/game.yaml")).map(|file| file.text.to_string()));
        }
        for text in texts {
            let key = format!("{}/a/{name}", if name == "game.yaml" { "rules" } else { "variants" });
            let shelf = built_in.with_text(&key, &text);
            let file = &shelf.files[&key];
            let mut found = Vec::new();
            let root = Reader::of(file).whole().expect("the file is YAML");
            keys(&root, format, &mut found);
            READ.with_borrow_mut(BTreeSet::clear);
            let mut complaints = Complaints::default();
            match name {
                "game.yaml" => drop(Game::read(file, &mut complaints)),
                _ => drop(Variant::read(file, &mut complaints)),
            }
            for (span, part, key) in found {
                known.insert((part, key));
                if READ.with_borrow(|read| read.contains(&(span, key.to_string()))) {
                    read.insert((part, key));
                }
            }
        }
    }
    assert!(known.len() > 20, "{known:?}");
    let unread: Vec<_> = known.difference(&read).filter(|key| !FOR_PEOPLE.contains(key)).collect();
    assert!(unread.is_empty(), "known in a manifest and read by nothing: {unread:?}");
    let now_read: Vec<_> = FOR_PEOPLE.iter().filter(|key| read.contains(*key)).collect();
    assert!(now_read.is_empty(), "said to be for people alone, and read: {now_read:?}");
}
