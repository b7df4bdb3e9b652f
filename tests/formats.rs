//! Each field of each format: a wrong value is reported where it stands, a right one is not; so are keys that are missing or unknown, and
//! names of nothing. Readers take what a document holds without a complaint of their own.

use crate::architecture::sources;
use casebook::complaint::{Defect, DiagnosticCode};
use casebook::data::format::{FILE_FORMATS, FieldKey, FieldType, FileFormat};
use casebook::data::format_check::fits;
use casebook::data::yaml::{YamlNode, YamlReader};

/// Returns all formats: those of files and of their parts.
fn formats() -> Vec<&'static FileFormat> {
    fn add(format: &'static FileFormat, found: &mut Vec<&'static FileFormat>) {
        if !found.iter().any(|known| std::ptr::eq(*known, format)) {
            found.push(format);
            format
                .keys
                .iter()
                .flat_map(|key| key.field_type.object_formats())
                .for_each(|part| add(part, found));
        }
    }
    let mut found = Vec::new();
    FILE_FORMATS
        .into_iter()
        .for_each(|format| add(format, &mut found));
    found
}

/// Returns a value of a type, in YAML.
fn right(field_type: FieldType) -> String {
    match field_type {
        FieldType::Number(range) => range.from.max(1).to_string(),
        FieldType::Flag => "true".into(),
        FieldType::OneOf(list) => format!("{:?}", list.words[0]),
        FieldType::Object(format) => object(format, None, ""),
        FieldType::ListOf(holds) => format!("[{}]", right(*holds)),
        FieldType::Map(key, value) => format!("{{{}: {}}}", right(*key), right(*value)),
        FieldType::AnyOf(list) => right(list[0]),
        FieldType::Text
        | FieldType::Title
        | FieldType::Face
        | FieldType::Name(_)
        | FieldType::Any => "\"1\"".into(),
    }
}

/// Returns values that a type does not allow. A mark stands before what is wrong in them.
fn wrong(field_type: FieldType) -> Vec<String> {
    match field_type {
        FieldType::Text | FieldType::Name(_) => vec!["@{a: b}".into()],
        FieldType::Title => vec!["@{a: b}".into(), "@\" \"".into()],
        FieldType::Number(range) => {
            vec![
                "@{a: b}".into(),
                "@many".into(),
                "@\"1.5\"".into(),
                format!("@\"{}\"", range.from - 1),
                format!("@\"{}\"", range.to + 1),
            ]
        }
        FieldType::Flag => vec!["@{a: b}".into(), "@maybe".into()],
        FieldType::Face => vec!["@{a: b}".into(), "@\"\"".into()],
        FieldType::OneOf(_) => vec!["@{a: b}".into(), "@nothing of the sort".into()],
        FieldType::Object(format) => {
            let unknown = || object(format, None, "").replacen('{', "{@zzz: 1, ", 1);
            ["@a word".to_string(), "@[]".into()]
                .into_iter()
                .chain(format.extra_keys.is_empty().then(unknown))
                .collect()
        }
        FieldType::ListOf(holds) => wrong(*holds)
            .into_iter()
            .map(|value| format!("[{value}]"))
            .collect(),
        FieldType::Map(key, value) => {
            let below = wrong(*value)
                .into_iter()
                .map(|below| format!("{{{}: {below}}}", right(*key)));
            ["@a word".to_string(), "@[a]".into()]
                .into_iter()
                .chain(below)
                .collect()
        }
        FieldType::AnyOf(list) => {
            let fits_none = |value: &String| {
                list.iter()
                    .all(|field_type| !fits(&parse(&value.replace('@', "")), *field_type))
            };
            list.iter()
                .flat_map(|field_type| wrong(*field_type))
                .filter(fits_none)
                .collect()
        }
        FieldType::Any => Vec::new(),
    }
}

/// Returns a map with what a format requires, and one more value.
fn object(format: &FileFormat, key: Option<&FieldKey>, value: &str) -> String {
    let required = format.keys.iter().filter(|required| {
        required.required.is_some() && key.is_none_or(|key| key.name != required.name)
    });
    let mut entries: Vec<String> = required
        .map(|key| format!("{}: {}", key.name, right(key.field_type)))
        .collect();
    entries.extend(key.map(|key| format!("{}: {value}", key.name)));
    format!("{{{}}}", entries.join(", "))
}

fn parse(text: &str) -> YamlNode {
    YamlReader::new("a.yaml", text)
        .parse(text)
        .unwrap_or_else(|| panic!("no YAML: {text}"))
}

/// Returns the codes and columns of the complaints about a document.
fn complaints(text: &str, format: &'static FileFormat) -> Vec<(DiagnosticCode, usize)> {
    let mut reader = YamlReader::new("a.yaml", text);
    reader.check(&parse(text), format);
    reader
        .complaints
        .0
        .iter()
        .filter_map(|complaint| Some((complaint.code, complaint.place.span?.column)))
        .collect()
}

#[test]
fn each_field_is_checked_where_it_stands() {
    let mut count = 0;
    for format in formats() {
        for key in format.keys.iter().filter(|key| !key.is_apart) {
            let text = object(format, Some(key), &right(key.field_type));
            assert_eq!(complaints(&text, format), [], "{}: {text}", format.name);
            for value in wrong(key.field_type) {
                let marked = object(format, Some(key), &value);
                let column = marked.chars().position(|c| c == '@').expect("a mark") + 1;
                let text = marked.replace('@', "");
                let found = complaints(&text, format);
                // Of several types, the one that is meant may allow a part of the value.
                let is_there = |at: usize| {
                    at == column || at > column && matches!(key.field_type, FieldType::AnyOf(_))
                };
                assert!(
                    found.iter().any(|(_, at)| is_there(*at)),
                    "{}: {text}: column {column}, not {found:?}",
                    format.name
                );
                count += 1;
            }
        }
        for key in format.keys.iter().filter(|key| key.required.is_some()) {
            let others = format
                .keys
                .iter()
                .filter(|other| other.required.is_some() && other.name != key.name);
            let text: Vec<String> = others
                .map(|key| format!("{}: {}", key.name, right(key.field_type)))
                .collect();
            let text = format!("{{{}}}", text.join(", "));
            assert_eq!(
                complaints(&text, format),
                [(key.required.expect("it is required"), 1)],
                "{}: {text}",
                format.name
            );
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn each_name_is_checked_where_it_stands() {
    fn has_names(field_type: FieldType) -> bool {
        match field_type {
            FieldType::Name(_) => true,
            FieldType::ListOf(holds) => has_names(*holds),
            FieldType::Map(key, value) => has_names(*key) || has_names(*value),
            _ => false,
        }
    }
    let mut count = 0;
    for format in formats() {
        for key in format
            .keys
            .iter()
            .filter(|key| has_names(key.field_type) && !key.is_apart)
        {
            let text = object(
                format,
                Some(key),
                &right(key.field_type).replace("\"1\"", "\"mark\""),
            );
            let mut reader = YamlReader::new("a.yaml", &text);
            let unknown =
                |_, name: &str| (name == "mark").then(|| Defect::unknown_name("unknown", ""));
            reader.check_names(&parse(&text), FieldType::Object(format), &unknown);
            let columns: Vec<_> = reader
                .complaints
                .0
                .iter()
                .filter_map(|complaint| Some(complaint.place.span?.column))
                .collect();
            assert!(
                text.match_indices("\"mark\"")
                    .any(|(at, _)| columns.contains(&(at + 1))),
                "{}: {text}: {columns:?}",
                format.name
            );
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

/// A key that no reader names would be accepted and silently ignored.
#[test]
fn each_key_has_a_reader() {
    let sources = sources();
    let readers: Vec<&String> = sources
        .iter()
        .filter(|(path, _)| !path.starts_with("engine/data/format/"))
        .map(|(_, text)| text)
        .collect();
    let keys = formats().into_iter().flat_map(|format| {
        format
            .keys
            .iter()
            .map(|key| (format.name, format!("{:?}", key.name)))
    });
    let unread: Vec<_> = keys
        .filter(|(_, key)| !readers.iter().any(|text| text.contains(key.as_str())))
        .collect();
    assert!(
        unread.is_empty(),
        "documented and read by nothing: {unread:?}"
    );
}
