//! An entry of a list of changes, as a file has it and as it is typed.
//!
//! Typed it is WHERE = WHAT, with ` when CONDITION` behind it if it does not always hold: `1.1 throw: start = add -1 when
//! runner.pace >= 3`. WHERE and WHAT are keys of the entry, each with its value; the case stands first, without its key.

use casebook_engine::complaint::Error;
use casebook_engine::data::change::VALUES_OF;
use casebook_engine::data::format::change::CHANGE;
use casebook_engine::data::node::flag_value;
use casebook_engine::data::yaml::{YamlNode, YamlReader, YamlValue};
use casebook_engine::data::yaml_writer::{write_flow, write_list, write_quoted, write_scalar};

/// An entry of a list of changes: its keys in their order, each with its value or its values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListEntry(pub Vec<(String, Vec<String>)>);

/// What an entry does, as it is typed.
pub const OPERATIONS: [&str; 11] = [
    "add", "times", "rounded", "at_most", "at_least", "now", "dice", "columns", "rows", "sheets",
    "offer",
];
/// Keys whose values are whole numbers or figures.
const FIGURES: [&str; 11] = [
    "sheet", "column", "row", "number", "add", "at_most", "at_least", "columns", "rows", "sheets",
    "now",
];
/// Other names for keys.
const ALIASES: [(&str, &str); 5] = [
    ("die", "throw"),
    ("roll", "throw"),
    ("look up", "look_up"),
    ("at most", "at_most"),
    ("at least", "at_least"),
];
/// Amounts in words.
const AMOUNTS: [(&str, &str, &str); 4] = [
    ("half", "times", "1/2"),
    ("double", "times", "2"),
    ("yes", "now", "true"),
    ("no", "now", "false"),
];
/// The directions of a shift: the key, and the sign.
const DIRECTIONS: [(&str, &str, i64); 4] = [
    ("left", "columns", -1),
    ("right", "columns", 1),
    ("up", "rows", -1),
    ("down", "rows", 1),
];
/// Keys that take several values.
const LISTS: [&str; 5] = ["sheet", "column", "row", "was", "source"];
/// Keys whose values are scripts: quotation marks are theirs.
const SCRIPTS: [&str; 4] = ["now", "offer", "when", "in"];
/// What stands between the figure of all cells that are meant and what they read then.
pub const BECOMES: &str = " -> ";
/// What stands before a condition.
const WHEN: &str = " when ";

impl ListEntry {
    /// Reads an entry of a file.
    pub fn read(node: &YamlNode) -> ListEntry {
        let text = |node: &YamlNode| node.text_or_empty().to_string();
        let values = |value: &YamlNode| match &value.value {
            YamlValue::List(items) if items.iter().all(|item| item.as_text().is_some()) => {
                items.iter().map(text).collect()
            }
            YamlValue::Scalar(..) => vec![text(value)],
            _ => vec![write_flow(value)],
        };
        let pairs = node.entries().iter();
        ListEntry(
            pairs
                .map(|(key, value)| (text(key), values(value)))
                .collect(),
        )
    }

    /// Creates an entry of keys with one value each.
    pub fn of<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> ListEntry {
        let pairs = pairs.into_iter();
        ListEntry(
            pairs
                .map(|(key, value)| (key.into(), vec![value.into()]))
                .collect(),
        )
    }

    /// Returns the first value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values(key).first().map(String::as_str)
    }

    /// Returns the values of a key; none if it is not there.
    pub fn values(&self, key: &str) -> &[String] {
        let found = self.0.iter().find(|(own, _)| own == key);
        found.map_or(&[], |(_, values)| values)
    }

    /// Returns what it does, in its order.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &[String])> {
        let is_operation = |(key, _): &&(String, Vec<String>)| OPERATIONS.contains(&&**key);
        let all = self.0.iter().filter(is_operation);
        all.map(|(key, values)| (&**key, &**values))
    }

    /// Returns what of it says where it applies.
    pub fn place(&self) -> ListEntry {
        let says_else = ["when", "why", "status", "source"];
        let is_else = |key: &str| says_else.contains(&key) || key == "was" && !self.is_of_all();
        let is_place = |key: &str| !OPERATIONS.contains(&key) && !is_else(key);
        let place = self.0.iter().filter(|(key, _)| is_place(key));
        ListEntry(place.cloned().collect())
    }

    /// Whether it means all that fits: of cells, all that read as its `was` says.
    pub fn is_of_all(&self) -> bool {
        self.get("all").is_some()
    }

    /// Writes the entry as YAML on one line.
    pub fn to_yaml(&self) -> String {
        let pair = |(key, values): &(String, Vec<String>)| match &values[..] {
            [one] if is_plain(key, one) || is_flow(key, one) => format!("{key}: {one}"),
            // A piece that comes has its figures.
            [one] if key == "now" && self.get("piece").is_some() && one.starts_with('{') => {
                format!("{key}: {one}")
            }
            [one] => format!("{key}: {}", write_scalar(one)),
            several => format!("{key}: {}", write_list(several)),
        };
        let pairs: Vec<String> = self.0.iter().map(pair).collect();
        format!("{{ {} }}", pairs.join(", "))
    }

    /// Returns the entry as it is typed; what has no form of its own is typed as a file has it.
    pub fn to_line(&self) -> String {
        if self.get(VALUES_OF).is_some() {
            return self.to_yaml();
        }
        let line = self.written(|text| text.into());
        match ListEntry::parse(&line) {
            Ok(read) if read == *self => line,
            _ => self.written(write_quoted),
        }
    }

    fn written(&self, write: impl Fn(&str) -> String) -> String {
        let value = |key: &str, values: &[String]| match values {
            [one] if SCRIPTS.contains(&key) => one.clone(),
            [one] => write(one),
            several => write_list(several),
        };
        let (mut head, mut places) = (String::new(), Vec::new());
        for (key, values) in &self.0 {
            match &**key {
                "when" => {}
                key if OPERATIONS.contains(&key) => {}
                "case" | "reading" | "option" if head.is_empty() => head = values.concat(),
                key => places.push(format!("{key}: {}", value(key, values))),
            }
        }
        let is_whole = places.is_empty() && self.get("reading").is_none();
        let does = self.operations().map(|(key, values)| match (key, values) {
            ("now", [one]) if read_operation(one) == pair("now", one) => one.clone(),
            (key, values) => format!("{key} {}", value(key, values)),
        });
        let does = does.collect::<Vec<_>>().join(", ");
        if is_whole && let Some(now) = self.get("now").filter(|now| flag_value(now).is_some()) {
            return format!("{head} {now}");
        }
        let place = format!("{head} {}", places.join(", "));
        let when = self.get("when").map(|when| format!("{WHEN}{when}"));
        format!("{} = {does}{}", place.trim(), when.unwrap_or_default())
    }

    /// Parses an entry as it is typed.
    pub fn parse(text: &str) -> Result<ListEntry, Error> {
        let wrong =
            |why: String| Error::Usage(format!("`{text}` is not a change of a rule: {why}"));
        if text.starts_with('{') {
            let mut reader = YamlReader::new("", text);
            return match reader.parse(text) {
                Some(node) => Ok(ListEntry::read(&node)),
                None => Err(wrong(
                    "it is no entry of a list: `{ key: value, ... }`".into(),
                )),
            };
        }
        let Some((place, does)) = split_outside(text, " = ") else {
            let reason = "write where and what, as '1.1 throw: start = add -1', or what is switched, '1.1 off'";
            return Err(wrong(reason.into()));
        };
        let mut entry = read_place(place).map_err(wrong)?;
        let (does, when) = match split_outside(does, WHEN) {
            Some((does, when)) => (does, Some(when)),
            None => (does, None),
        };
        let is_operation = |key: &str| OPERATIONS.contains(&key);
        for part in split_parts(does.trim(), ' ', &is_operation) {
            let (key, value) = read_operation(part);
            let word = value.split(' ').next().unwrap_or_default();
            let rest = value[word.len()..]
                .trim_start()
                .trim_start_matches(['+', '-']);
            if key == "now" && is_word(word) && rest.starts_with(|c: char| c.is_ascii_digit()) {
                let operations = OPERATIONS.join(", ").replace('_', " ");
                return Err(wrong(format!("`{word}` is none of {operations}")));
            }
            if value.is_empty() {
                return Err(wrong("there is nothing behind =".into()));
            }
            let values = read_values(&key, &value);
            entry.0.push((key, values));
        }
        let condition = when.map(|when| ("when".to_string(), vec![when.trim().into()]));
        entry.0.extend(condition);
        Ok(entry)
    }
}

/// Whether a value is written without quotation marks: a number, or a switch.
fn is_plain(key: &str, text: &str) -> bool {
    let is_number = |number: i64| number.to_string() == text;
    FIGURES.contains(&key)
        && (text.parse().is_ok_and(is_number) || matches!(text, "on" | "off" | "true" | "false"))
}

/// Whether a value is written as it stands: what a list says under a key of its own may have keys in turn.
fn is_flow(key: &str, text: &str) -> bool {
    text.starts_with(['{', '[']) && !CHANGE.keys.iter().any(|format_key| format_key.name == key)
}

fn pair(key: &str, value: &str) -> (String, String) {
    (key.into(), value.into())
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

/// Whether a place that was typed is one of a script or a table: a key of an entry begins it, or stands behind a case.
pub fn is_rule_place(place: &str) -> bool {
    let is_key = |key: &str| CHANGE.keys.iter().any(|format_key| format_key.name == key);
    let begins_with_key = |text: &str| split_key(text, ':', &is_key).is_some();
    let place = place.trim();
    let (first, rest) = place.split_once(' ').unwrap_or((place, ""));
    let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let is_number = begins(first) && first.split_once('.').is_some_and(|(_, rest)| begins(rest));
    is_number || begins_with_key(place) || begins_with_key(rest.trim_start())
}

/// Reads where a typed entry applies.
fn read_place(text: &str) -> Result<ListEntry, String> {
    let text = text.trim();
    let is_key = |key: &str| CHANGE.keys.iter().any(|format_key| format_key.name == key);
    let mut entry = ListEntry::default();
    let first = split_key(text, ':', &is_key).map(|_| text).or_else(|| {
        let (case, rest) = text.split_once(' ')?;
        entry.0.push(("case".into(), vec![case.into()]));
        Some(rest.trim_start())
    });
    let Some(rest) = first else {
        return match text.rsplit_once('.') {
            Some((_, name)) if !name.chars().all(|c| c.is_ascii_digit()) => {
                Ok(ListEntry::of([("reading", text)]))
            }
            _ => Err(places_in_words()),
        };
    };
    for part in split_parts(rest, ':', &is_key) {
        let Some((key, value)) = split_key(part, ':', &is_key) else {
            // The name of a reading can have spaces.
            return match text.contains('.') && !part.contains(':') {
                true => Ok(ListEntry::of([("reading", text)])),
                false => Err(places_in_words()),
            };
        };
        let values = read_values(&key, value.trim());
        entry.0.push((key, values));
    }
    Ok(entry)
}

fn places_in_words() -> String {
    "a case is followed by what changes in it: answer, throw, look_up, number, let or choice, each with a colon and its name, as '1.1 throw: start = add -1'; a reading is its case with a point and its name".into()
}

/// Reads one thing that an entry does.
fn read_operation(text: &str) -> (String, String) {
    let is_operation = |key: &str| OPERATIONS.contains(&key);
    if let Some((key, value)) = split_key(text, ' ', &is_operation) {
        return (key, value.trim().into());
    }
    if let Some((_, key, value)) = AMOUNTS.iter().find(|(word, ..)| *word == text) {
        return pair(key, value);
    }
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if let Some(count) = text
        .strip_prefix(['+', '-', '−'])
        .filter(|rest| is_number(rest))
    {
        let sign = if text.starts_with('+') { "" } else { "-" };
        return pair("add", &format!("{sign}{count}"));
    }
    read_shift(text).unwrap_or_else(|| pair("now", text))
}

/// Reads a shift, `1 left` or `columns -1`; `None` if it is a figure.
fn read_shift(text: &str) -> Option<(String, String)> {
    let (first, second) = text.split_once(' ')?;
    let second = second.trim();
    if ["columns", "rows", "sheets"].contains(&first) && second.parse::<i64>().is_ok() {
        return Some(pair(first, second));
    }
    let (_, key, sign) = DIRECTIONS
        .iter()
        .find(|(direction, ..)| *direction == second)?;
    let count: i64 = first
        .parse()
        .ok()
        .filter(|count| (1..=99).contains(count))?;
    Some(pair(key, &(count * sign).to_string()))
}

/// Reads what becomes of cells: a shift, a figure as it stands, or `OLD -> NEW` of all that read so; and the condition.
pub fn read_figure(text: &str) -> Vec<(String, String)> {
    let (figure, when) = match split_outside(text, WHEN) {
        Some((figure, when)) => (figure, Some(pair("when", when.trim()))),
        None => (text, None),
    };
    let does = match split_outside(figure, BECOMES) {
        Some((was, now)) => {
            let of_all = [("was", was.trim()), ("now", now.trim()), ("all", "true")];
            of_all.map(|(key, value)| pair(key, value)).to_vec()
        }
        None => vec![read_shift(figure.trim()).unwrap_or_else(|| pair("now", figure.trim()))],
    };
    does.into_iter().chain(when).collect()
}

/// Splits a known key from what stands behind it.
fn split_key<'t>(
    text: &'t str,
    sign: char,
    is_key: &dyn Fn(&str) -> bool,
) -> Option<(String, &'t str)> {
    let alias = ALIASES.iter().find_map(|(name, key)| {
        let rest = text.strip_prefix(name)?.strip_prefix(sign)?;
        Some((*key, rest))
    });
    let (key, rest) = alias.or_else(|| text.split_once(sign))?;
    is_key(key).then(|| (key.to_string(), rest))
}

/// Splits a text at the commas behind which a known key stands.
fn split_parts<'t>(text: &'t str, sign: char, is_key: &dyn Fn(&str) -> bool) -> Vec<&'t str> {
    let (mut parts, mut begin) = (Vec::new(), 0);
    for at in outside(text, ", ") {
        if split_key(&text[at + 2..], sign, is_key).is_some() {
            parts.push(&text[begin..at]);
            begin = at + 2;
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// Returns where a text stands outside of quotation marks.
fn outside<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = usize> + 't {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.char_indices().filter_map(move |(at, letter)| {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_quoted,
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        (!is_quoted && text[at..].starts_with(wanted)).then_some(at)
    })
}

pub fn split_outside<'t>(text: &'t str, wanted: &'t str) -> Option<(&'t str, &'t str)> {
    let at = outside(text, wanted).next()?;
    Some((&text[..at], &text[at + wanted.len()..]))
}

/// Returns a text without the quotation marks that are around the whole of it.
fn unquoted(text: &str) -> String {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// Reads a value; of a key that takes several also a list of them in brackets.
fn read_values(key: &str, text: &str) -> Vec<String> {
    let inside = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match inside.filter(|_| LISTS.contains(&key)) {
        Some(inside) => inside.split(", ").map(unquoted).collect(),
        None if SCRIPTS.contains(&key) => vec![text.into()],
        None => vec![unquoted(text)],
    }
}
