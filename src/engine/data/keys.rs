//! Test: some reader reads every key of each kind of file, except those for human readers. A documented key that nothing reads would be
//! accepted and silently ignored.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Span};
use crate::data::case::Case;
use crate::data::files::{DataFile, Files};
use crate::data::format::card::{CARD, VARIANT};
use crate::data::format::game::{CONTENTS, CONTENTS_ENTRY, GAME};
use crate::data::format::{FILE_FORMATS, FieldKey, FieldType, FileFormat, for_file};
use crate::data::library::Library;
use crate::data::manifest::Game;
use crate::data::node::{READ, YamlNode};
use crate::data::variant::Variant;
use crate::data::yaml::YamlReader;
use std::collections::BTreeSet;

/// Keys for human readers, which the program ignores.
const FOR_PEOPLE: &[(&str, &str)] = &[
    ("game", "note"),
    ("variant", "note"),
    ("variant", "text"),
    ("deck", "source"),
    ("deck", "note"),
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
    ("table", "label"),
    ("table", "note"),
    ("axis", "unit"),
    ("axis", "note"),
    ("holds", "note"),
    ("change", "source"),
    ("change", "note"),
    ("known cells", "source"),
    ("known cells", "note"),
    ("example", "note"),
    ("tests", "title"),
    ("tests", "note"),
    ("test", "note"),
    ("equivalent-mutants", "title"),
    ("known case", "note"),
    ("situation", "label"),
    ("situation", "note"),
    ("deck contents", "note"),
    ("map", "note"),
    ("change of a piece", "source"),
    ("change of a piece", "note"),
];

/// Formats whose reader goes through the entries of a map one by one; it must not complain of a declared key.
const READ_BY_ENTRY: &[&str] = &["piece", "features", "level of a layer"];

/// Returns the format of the entries of a file whose own keys are names.
fn entry_format(format: &FileFormat) -> Option<&'static FileFormat> {
    (format.name == CONTENTS.name).then_some(&CONTENTS_ENTRY)
}

/// Returns a sample value of a type, as JSON.
fn sample(holds: FieldType) -> String {
    match holds {
        FieldType::Text | FieldType::Any => "\"1\"".into(),
        FieldType::Number => "1".into(),
        FieldType::Flag => "true".into(),
        FieldType::Texts => "[\"1\"]".into(),
        FieldType::OneOf(words) => format!("{:?}", words[0]),
        FieldType::SomeOf(words) => format!("[{:?}]", words[0]),
        FieldType::Object(format) => with(format, None, None),
        FieldType::Objects(format) => format!("[{}]", with(format, None, None)),
        FieldType::NamedObjects(format) => format!("{{\"a\": {}}}", with(format, None, None)),
        FieldType::NamedValues => "{\"a\": \"1\"}".into(),
        FieldType::NamedEach(holds) => format!("{{\"a\": {}}}", sample(*holds)),
        FieldType::AnyOf(list) => sample(list[0]),
    }
}

/// Returns a map with the required keys and optionally one more, whose value is `text` if given.
fn with(format: &FileFormat, key: Option<&FieldKey>, text: Option<&str>) -> String {
    let mut keys: Vec<String> = Vec::new();
    for required in format.keys.iter().filter(|required| required.required && key.is_none_or(|key| key.name != required.name)) {
        keys.push(format!("{:?}: {}", required.name, sample(required.field_type)));
    }
    keys.extend(key.map(|key| format!("{:?}: {}", key.name, text.map_or_else(|| sample(key.field_type), String::from))));
    format!("{{{}}}", keys.join(", "))
}

/// Generates a file for every key of a format and of the formats below it.
fn files(format: &'static FileFormat, around: &dyn Fn(String) -> String, seen: &mut BTreeSet<&'static str>, out: &mut Vec<String>) {
    if !seen.insert(format.name) {
        return;
    }
    if let Some(entry) = entry_format(format) {
        files(entry, &|text| around(format!("{{\"1.1\": {text}}}")), seen, out);
    }
    for key in format.keys {
        out.push(around(with(format, Some(key), None)));
        let below = key.field_type.object_formats().into_iter().filter(|_| !FOR_PEOPLE.contains(&(format.name, key.name)));
        for below in below {
            let wrapped = |text: String| around(with(format, Some(key), Some(&put(key.field_type, below, &text))));
            files(below, &wrapped, seen, out);
        }
    }
}

/// Wraps a part in the structure that its key requires.
fn put(holds: FieldType, part: &FileFormat, text: &str) -> String {
    match holds {
        FieldType::Objects(_) => format!("[{text}]"),
        FieldType::NamedObjects(_) => format!("{{\"a\": {text}}}"),
        FieldType::NamedEach(below) => format!("{{\"a\": {}}}", put(*below, part, text)),
        FieldType::AnyOf(list) => {
            let fits = |holds: &&FieldType| holds.object_formats().iter().any(|format| format.name == part.name);
            list.iter().find(fits).map_or_else(String::new, |holds| put(*holds, part, text))
        }
        _ => text.into(),
    }
}

/// Collects every key of a file with the span of its map.
fn keys(node: &YamlNode, format: &'static FileFormat, out: &mut Vec<(Span, &'static str, &'static str)>) {
    if READ_BY_ENTRY.contains(&format.name) {
        return;
    }
    if let Some(entry) = entry_format(format) {
        node.entries().iter().for_each(|(_, value)| keys(value, entry, out));
    }
    for key in format.keys {
        let Some((_, value)) = node.entry(key.name) else { continue };
        out.push((node.span, format.name, key.name));
        if !FOR_PEOPLE.contains(&(format.name, key.name)) {
            below(value, key.field_type, out);
        }
    }
}

fn below(value: &YamlNode, holds: FieldType, out: &mut Vec<(Span, &'static str, &'static str)>) {
    match holds {
        FieldType::Object(format) => keys(value, format, out),
        FieldType::Objects(format) => value.items().iter().for_each(|item| keys(item, format, out)),
        FieldType::NamedObjects(format) => value.entries().iter().for_each(|(_, value)| keys(value, format, out)),
        FieldType::NamedEach(holds) => value.entries().iter().for_each(|(_, value)| below(value, *holds, out)),
        FieldType::AnyOf(list) => list.iter().for_each(|holds| below(value, *holds, out)),
        _ => {}
    }
}

/// A kind of file whose keys have to be read.
pub struct KeyCheck<'a> {
    /// The format.
    pub format: &'static FileFormat,
    /// The path of such a file.
    pub path: &'a str,
    /// A key with its value that every generated file needs: `"situation": a`.
    pub needs: &'a str,
    /// Texts with keys that are read only beside others.
    pub more: &'a [&'a str],
}

impl<'a> KeyCheck<'a> {
    /// Checks a kind of file of which every key can be read alone.
    pub fn new(format: &'static FileFormat, path: &'a str) -> KeyCheck<'a> {
        KeyCheck { format, path, needs: "", more: &[] }
    }

    /// Returns the files to read: one for every key, and those that are built in.
    fn files(&self) -> Vec<DataFile> {
        let mut texts = Vec::new();
        let needed = self.needs.split(':').next().unwrap_or_default();
        let around = |text: String| match text.strip_prefix('{') {
            Some(body) if !self.needs.is_empty() && !body.contains(needed) => format!("{{{}, {body}", self.needs),
            _ => text,
        };
        files(self.format, &around, &mut BTreeSet::new(), &mut texts);
        texts.extend(self.more.iter().map(ToString::to_string));
        let card = |text: String| if self.path.ends_with(".rhai") { format!("//! {text}\n") } else { text };
        let data_file = |text| DataFile { key: self.path.into(), path: self.path.into(), text: card(text).as_str().into() };
        let built_in = Library::of_repository().files.by_key.clone().into_values();
        let built_in = built_in.filter(|file| for_file(&file.key).is_some_and(|format| format.name == self.format.name));
        texts.into_iter().map(data_file).chain(built_in).collect()
    }
}

/// Fails if a key of the formats is read by nothing, for files made of every key and for all built-in files; `read_file` reads a file as
/// the program does.
pub fn assert_every_key_is_read(checks: &[KeyCheck], read_file: &dyn Fn(&DataFile, &FileFormat) -> Complaints) {
    let (mut declared, mut read) = (BTreeSet::new(), BTreeSet::new());
    for check in checks {
        for file in check.files() {
            let mut file_keys = Vec::new();
            let Some(root) = YamlReader::for_file(&file).parse_file() else { panic!("{} is no YAML: {}", file.path, &*file.text) };
            keys(&root, check.format, &mut file_keys);
            READ.set(Some(BTreeSet::new()));
            let complaints = read_file(&file, check.format);
            let looked_up = READ.take().unwrap_or_default();
            // Built-in files may be read as files of another game, which lacks their names.
            let is_unknown = |complaint: &&Complaint| complaint.code == DiagnosticCode::UnknownKey && file.path == check.path;
            let unknown = complaints.0.iter().find(is_unknown);
            assert!(unknown.is_none(), "a declared key is unknown: {unknown:?} in {}", &*file.text);
            for (span, part, key) in file_keys {
                declared.insert((part, key));
                if looked_up.contains(&(span, key.to_string())) {
                    read.insert((part, key));
                }
            }
        }
    }
    let expected: usize = checks.iter().map(|check| entry_format(check.format).unwrap_or(check.format).keys.len()).sum();
    assert!(declared.len() >= expected, "{declared:?}");
    let unread: Vec<_> = declared.difference(&read).filter(|key| !FOR_PEOPLE.contains(key)).collect();
    assert!(unread.is_empty(), "documented and read by nothing: {unread:?}");
    let now_read: Vec<_> = FOR_PEOPLE.iter().filter(|key| read.contains(*key)).collect();
    assert!(now_read.is_empty(), "said to be for people alone, and read: {now_read:?}");
}

/// Kinds of file whose keys a test checks: here, in `casebook-checks` and in `casebook-vassal`.
const CHECKED: &[&str] =
    &["game", "contents", "case", "variant", "table", "situation", "tests", "test", "equivalent-mutants", "journal", "module map"];

#[test]
fn every_kind_of_file_is_checked() {
    let unchecked = FILE_FORMATS.iter().filter(|format| !format.keys.is_empty() && !CHECKED.contains(&format.name));
    let unchecked: Vec<&str> = unchecked.map(|format| format.name).collect();
    assert!(unchecked.is_empty(), "no test finds keys of these that nothing reads: {unchecked:?}");
}

#[test]
fn every_key_of_a_manifest_or_card_is_read() {
    let checks = [
        KeyCheck::new(&GAME, "rules/a/game.yaml"),
        KeyCheck::new(&VARIANT, "variants/a/variant.yaml"),
        KeyCheck::new(&CARD, "rules/a/01-a/1.1-a.rhai"),
        KeyCheck::new(&CONTENTS, "rules/a/contents.yaml"),
    ];
    assert_every_key_is_read(&checks, &|file, format| {
        let mut complaints = Complaints::default();
        match format.name {
            "game" => drop(Game::read(file, &mut complaints)),
            "variant" => drop(Variant::read(file, &mut complaints)),
            "contents" => {
                let files = Files::default().with_text(&file.key, &file.text);
                Library::new(files).contents(file.key.split('/').nth(1).unwrap_or_default(), &mut complaints);
            }
            _ => drop(Case::read(file, &"a".into(), &mut complaints)),
        }
        complaints
    });
}
