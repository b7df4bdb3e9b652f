//! Changes the text of a YAML document at a path and keeps every other byte: comments, quotes, line ends, order.
//!
//! Items and values come as YAML, on one line, such as `{ case: "8.3", throw: run }`, or on several, which in brackets become one. A text that
//! the reader complains about is refused, and so is a change after which the document would not be what it was but for the change.

use crate::data::yaml::{YamlNode, YamlReader};
use crate::data::yaml_events::{PlacedEvent, YamlError, YamlEvent, parse_events};
use crate::data::yaml_writer::{write_flow, write_key, write_scalar};
use std::ops::Range;

/// A step on the way from the root of a document to one of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YamlStep<'a> {
    /// To the value of a key.
    Key(&'a str),
    /// To an item of a list, from 0.
    Index(usize),
}

/// A value and where it is written.
struct EditNode {
    range: Range<usize>,
    /// Where the text before the value ends: after the colon of its key or the dash of its item.
    slot: usize,
    events: Range<usize>,
    kind: EditKind,
    /// Whether it is written in brackets.
    is_flow: bool,
    parts: Vec<EditPart>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EditKind {
    Scalar,
    List,
    Map,
}

/// An item of a list or an entry of a map.
struct EditPart {
    /// The key of an entry.
    key: Option<String>,
    start: usize,
    first_event: usize,
    value: EditNode,
}

/// A text that was read, to be changed.
struct EditDocument<'t> {
    text: &'t str,
    events: Vec<PlacedEvent>,
}

/// Adds an item to the list at a path. A single value becomes a list of two; a missing key is added with its list.
pub fn push(text: &str, path: &[YamlStep], item: &str) -> Result<String, String> {
    let (document, root) = EditDocument::read(text)?;
    let written = document.parse_value(item)?;
    let line = on_one_line(item);
    let listed =
        |written: &[YamlEvent]| [&[YamlEvent::ListStart], written, &[YamlEvent::End]].concat();
    if let Some((map, key)) = root.missing_key(path) {
        let value = match map.is_flow {
            true => format!(" [{line}]"),
            false => document.new_item(map, 2, item),
        };
        return document.add_entry(map, key, &value, listed(&written));
    }
    let (list, parent) = root.find(path)?;
    let (at, added) = match list.parts.last() {
        _ if list.kind == EditKind::Scalar && !list.range.is_empty() => {
            let old = &text[list.range.clone()];
            let both = [document.plain_events(list.events.clone()), written].concat();
            return document.checked(
                list.range.clone(),
                &format!("[{old}, {line}]"),
                list.events.clone(),
                listed(&both),
            );
        }
        // An item below the key itself tells the list from one that came with its key.
        None if list.kind == EditKind::Scalar => {
            let (at, added) =
                match parent.filter(|parent| !parent.is_flow && parent.kind == EditKind::Map) {
                    Some(map) => (
                        document.line_end(list.slot),
                        document.new_item(map, 0, item),
                    ),
                    None => (list.slot, format!(" [{line}]")),
                };
            return document.checked(at..at, &added, list.events.clone(), listed(&written));
        }
        _ if list.kind == EditKind::Map => {
            return Err("a map of keys and values stands here, not a list".into());
        }
        None => (list.range.start + 1, line),
        Some(last) if list.is_flow => (last.value.range.end, format!(", {line}")),
        Some(last) => (
            document.line_end(last.value.range.end),
            document.new_item(list, 0, item),
        ),
    };
    let end = list.events.end - 1;
    document.checked(at..at, &added, end..end, written)
}

/// Sets the value at a path; a missing key is added.
pub fn set(text: &str, path: &[YamlStep], value: &str) -> Result<String, String> {
    let (document, root) = EditDocument::read(text)?;
    let written = document.parse_value(value)?;
    let fitting = |parent: &EditNode| match parent.kind {
        _ if parent.is_flow => on_one_line(value),
        EditKind::List => document.indented(parent, 2, value),
        _ => document.indented(parent, 0, value),
    };
    if let Some((map, key)) = root.missing_key(path) {
        return document.add_entry(map, key, &format!(" {}", fitting(map)), written);
    }
    let (node, parent) = root.find(path)?;
    let value = fitting(parent.unwrap_or(&root));
    let (first, below) = value.split_at(value.find(['\r', '\n']).unwrap_or(value.len()));
    let (range, new) = document.replacement(node, first);
    // What follows the value, or the sign of a block of text, stays on its line.
    let old = &text[node.range.clone()];
    let is_sign = |c: char| "|>+-".contains(c) || c.is_ascii_digit();
    let rest = |at: usize| &text[at..document.line_end(at)];
    let (behind, end) = match old.starts_with(['|', '>']) {
        true => {
            let sign = range.end - old.trim_start_matches(is_sign).len();
            (rest(sign), range.end)
        }
        false if below.is_empty() => ("", range.end),
        false => (rest(range.end), document.line_end(range.end)),
    };
    let new = [&new, behind, below].concat();
    document.checked(range.start..end, &new, node.events.clone(), written)
}

/// Removes an item or an entry. What [`push`] or [`set`] added with it goes too, so that they are undone to the byte.
pub fn remove(text: &str, path: &[YamlStep]) -> Result<String, String> {
    let (document, root) = EditDocument::read(text)?;
    let (step, above) = path
        .split_last()
        .ok_or("the whole document can't be removed")?;
    let (value, parent) = root.find(path)?;
    let parent = parent.unwrap_or(&root);
    let index = parent.position(step).unwrap_or_default();
    let part = &parent.parts[index];
    let events = part.first_event..value.events.end;
    if parent.parts.len() > 1 {
        let range = document.without(parent, index)?;
        return document.checked(range, "", events, Vec::new());
    }
    // Nothing is left: of the texts that this may have come from, the one from which the same change leads here.
    let mut changes = Vec::new();
    if let (YamlStep::Index(_), Some((last, rest))) = (step, above.split_last())
        && let (map, _) = root.find(rest)?
        && let Some(place) = map.position(last)
        && map.kind == EditKind::Map
        && map.parts.len() > 1
    {
        changes.push((document.without(map, place)?, String::new()));
    }
    changes.push(document.replacement(parent, ""));
    let alone = part.start..value.range.end;
    if parent.is_flow {
        changes.push((parent.range.start + 1..parent.range.end - 1, String::new()));
        changes.push((alone.clone(), String::new()));
    }
    // Its further lines, as they were written after its beginning.
    let base = match step {
        YamlStep::Index(_) => value,
        YamlStep::Key(_) => parent,
    };
    let (line, end) = (document.new_line(base, 0), document.end_of_line());
    let old = &text[value.range.clone()].replace(&line, end);
    for (range, new) in changes {
        let before = with(text, range, &new);
        let again = match step {
            YamlStep::Index(_) => push(&before, above, old),
            YamlStep::Key(_) => set(&before, path, old),
        };
        if again.as_deref() == Ok(text) {
            return Ok(before);
        }
    }
    let (range, new) = match parent.kind {
        _ if parent.is_flow => (alone, String::new()),
        EditKind::Map => document.replacement(parent, "{}"),
        _ => document.replacement(parent, "[]"),
    };
    document.checked(range, &new, events, Vec::new())
}

/// Adds a name to the list of names of a key, unless it is there.
pub fn add_name(text: &str, key: &str, name: &str) -> Result<String, String> {
    let name_text = write_scalar(name);
    match names_of(text, key) {
        Some(names) if names.iter().any(|existing| existing == name) => Ok(text.into()),
        Some(_) => push(text, &[YamlStep::Key(key)], &name_text),
        None => set(text, &[YamlStep::Key(key)], &format!("[{name_text}]")),
    }
}

/// Removes a name from the list of names of a key, if it is there; the key goes with the last name.
pub fn remove_name(text: &str, key: &str, name: &str) -> Result<String, String> {
    let names = names_of(text, key).unwrap_or_default();
    let list = YamlStep::Key(key);
    match names.iter().position(|existing| existing == name) {
        None => Ok(text.into()),
        Some(_) if names.len() == 1 => remove(text, &[list]),
        Some(index) => remove(text, &[list, YamlStep::Index(index)]),
    }
}

/// Returns a value as it is written in brackets.
fn on_one_line(value: &str) -> String {
    let tree = || YamlReader::new("", value).parse(value);
    let several = value.contains('\n').then(tree).flatten();
    several.map_or(value.into(), |tree| write_flow(&tree))
}

fn names_of(text: &str, key: &str) -> Option<Vec<String>> {
    let root = YamlReader::new("", text).parse(text)?;
    root.get(key).map(YamlNode::texts)
}

/// Returns a text with another text in place of a range.
fn with(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

impl EditNode {
    /// Returns the index of the part that a step leads to.
    fn position(&self, step: &YamlStep) -> Option<usize> {
        let leads = |(at, part): (usize, &EditPart)| match step {
            YamlStep::Key(key) => part.key.as_deref() == Some(*key),
            YamlStep::Index(index) => part.key.is_none() && at == *index,
        };
        self.parts.iter().enumerate().position(leads)
    }

    /// Follows a path to a value; returns also what the value is a part of.
    fn find(&self, path: &[YamlStep]) -> Result<(&EditNode, Option<&EditNode>), String> {
        let mut found = (self, None);
        for step in path {
            let index = found.0.position(step).ok_or_else(|| match step {
                YamlStep::Key(key) => format!("there is no `{key}` here"),
                YamlStep::Index(index) => format!("there is no item {} here", index + 1),
            })?;
            found = (&found.0.parts[index].value, Some(found.0));
        }
        Ok(found)
    }

    /// Returns the last key of a path, and the map that lacks it.
    fn missing_key<'p>(&self, path: &[YamlStep<'p>]) -> Option<(&EditNode, &'p str)> {
        let (YamlStep::Key(key), above) = path.split_last()? else {
            return None;
        };
        let (map, _) = self.find(above).ok()?;
        let is_missing = map.kind == EditKind::Map && map.position(&YamlStep::Key(key)).is_none();
        is_missing.then_some((map, *key))
    }
}

impl<'t> EditDocument<'t> {
    fn read(text: &'t str) -> Result<(EditDocument<'t>, EditNode), String> {
        let has_tab = |line: &str| {
            let indent = line.len() - line.trim_start().len();
            indent < line.len() && line[..indent].contains('\t')
        };
        if let Some(line) = text.lines().position(has_tab) {
            return Err(format!(
                "line {} is indented by a tab: write spaces",
                line + 1
            ));
        }
        let mut reader = YamlReader::new("", text);
        reader.parse(text);
        if let Some(complaint) = reader.complaints.0.first() {
            return Err(complaint.message.clone());
        }
        let is_part = |event: &Result<PlacedEvent, YamlError>| !matches!(event, Ok(event) if event.event == YamlEvent::DocumentStart);
        let events: Result<Vec<PlacedEvent>, YamlError> =
            parse_events(text).filter(is_part).collect();
        let events = events.map_err(|YamlError(message, _)| message)?;
        let document = EditDocument { text, events };
        let root = document.node(&mut 0, document.events[0].bytes.start);
        Ok((document, root))
    }

    /// Builds the value that begins with an event, and moves to the event after it.
    fn node(&self, at: &mut usize, slot: usize) -> EditNode {
        let (first, text) = (*at, self.text);
        let PlacedEvent { event, bytes, .. } = &self.events[first];
        *at += 1;
        let (mut parts, mut range) = (Vec::new(), bytes.clone());
        let (kind, is_flow) = match event {
            YamlEvent::ListStart => (EditKind::List, !bytes.is_empty()),
            YamlEvent::MapStart => (EditKind::Map, !bytes.is_empty()),
            _ => (EditKind::Scalar, false),
        };
        if kind == EditKind::Scalar {
            let open = slot + text[slot..].len() - text[slot..].trim_start().len();
            if range.is_empty() {
                range = slot..slot;
            } else if text[open..].starts_with(['|', '>']) {
                range = open..text[..range.end].trim_end().len();
            }
        } else {
            if kind == EditKind::List && !is_flow {
                // The parser gives a list that is not indented the position after its first dash.
                range.start = self.skip_blank(slot);
                range.end = range.start;
            }
            while self.events[*at].event != YamlEvent::End {
                let first_event = *at;
                let (key, start, slot) = if kind == EditKind::Map {
                    let key = self.node(at, self.events[*at].bytes.start);
                    let colon = self.skip_blank(key.range.end);
                    let has_value = text[colon..].starts_with(':');
                    let slot = if has_value { colon + 1 } else { key.range.end };
                    let name = match &self.events[first_event].event {
                        YamlEvent::Scalar(name, _) => name.clone(),
                        _ => String::new(),
                    };
                    (Some(name), key.range.start, slot)
                } else if is_flow {
                    let start = self.events[*at].bytes.start;
                    (None, start, start)
                } else {
                    let dash = self.skip_blank(range.end);
                    (None, dash, dash + 1)
                };
                let value = self.node(at, slot);
                range.end = value.range.end;
                parts.push(EditPart {
                    key,
                    start,
                    first_event,
                    value,
                });
            }
            if is_flow {
                range.end = self.events[*at].bytes.end;
            }
            *at += 1;
        }
        EditNode {
            range,
            slot,
            events: first..*at,
            kind,
            is_flow,
            parts,
        }
    }

    /// Returns the first position after blanks, line ends and comments.
    fn skip_blank(&self, mut at: usize) -> usize {
        loop {
            at = self.text.len() - self.text[at..].trim_start().len();
            if !self.text[at..].starts_with('#') {
                return at;
            }
            at = self.line_end(at);
        }
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = rest.split('\n').next().unwrap_or_default();
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// Returns how lines of the document end.
    fn end_of_line(&self) -> &'static str {
        let first = self.text.split_inclusive('\n').next().unwrap_or_default();
        if first.ends_with("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// Begins a line that is indented by some columns more than a value.
    fn new_line(&self, node: &EditNode, more: usize) -> String {
        let line = &self.text[self.line_start(node.range.start)..node.range.start];
        let column = line.trim_start_matches('\u{feff}').chars().count();
        format!("{}{}", self.end_of_line(), " ".repeat(column + more))
    }

    /// Begins an item of a list in a line that is indented by some columns more than a value.
    fn new_item(&self, node: &EditNode, more: usize, item: &str) -> String {
        let line = self.new_line(node, more);
        format!("{line}- {}", self.indented(node, more + 2, item))
    }

    /// Indents the further lines of what is written by some columns more than a value.
    fn indented(&self, node: &EditNode, more: usize, written: &str) -> String {
        let line = self.new_line(node, more);
        let mut lines = written.lines();
        let mut text = lines.next().unwrap_or_default().to_string();
        for further in lines {
            let begin = if further.is_empty() {
                line.trim_end_matches(' ')
            } else {
                &line
            };
            text.extend([begin, further]);
        }
        text
    }

    fn plain_events(&self, range: Range<usize>) -> Vec<YamlEvent> {
        self.events[range]
            .iter()
            .map(|placed| placed.event.clone())
            .collect()
    }

    /// Reads a value that is to be written into the document.
    fn parse_value(&self, value: &str) -> Result<Vec<YamlEvent>, String> {
        if value.trim().is_empty() {
            return Err("write a value".into());
        }
        let (document, root) = EditDocument::read(value)?;
        Ok(document.plain_events(root.events))
    }

    /// Adds an entry at the end of a map.
    fn add_entry(
        &self,
        map: &EditNode,
        key: &str,
        value: &str,
        written: Vec<YamlEvent>,
    ) -> Result<String, String> {
        let key = write_key(key);
        let written = [self.parse_value(&key)?, written].concat();
        let (at, entry) = match map.parts.last() {
            Some(last) if map.is_flow => (last.value.range.end, format!(", {key}:{value}")),
            Some(last) => {
                let at = self.line_end(last.value.range.end);
                (at, format!("{}{key}:{value}", self.new_line(map, 0)))
            }
            None if map.range.len() == 2 => (map.range.start + 1, format!(" {key}:{value} ")),
            None => (map.range.start + 1, format!("{key}:{value}")),
        };
        let end = map.events.end - 1;
        self.checked(at..at, &entry, end..end, written)
    }

    /// Returns the change that puts another value in the place of a value; comments between its key and it stay.
    fn replacement(&self, node: &EditNode, value: &str) -> (Range<usize>, String) {
        let between = &self.text[node.slot..node.range.start];
        let is_below = between.contains('\n');
        if !node.range.is_empty() && !is_below && (between.is_empty() || !value.is_empty()) {
            return (node.range.clone(), value.into());
        }
        let space = if value.is_empty() { "" } else { " " };
        let kept = if is_below { between.trim_end() } else { "" };
        (node.slot..node.range.end, format!("{space}{value}{kept}"))
    }

    /// Returns the range that one of several parts takes, with what joins it to the others. Comments of the others stay.
    fn without(&self, parent: &EditNode, index: usize) -> Result<Range<usize>, String> {
        let (text, part) = (self.text, &parent.parts[index]);
        let (start, end) = (part.start, part.value.range.end);
        if parent.is_flow {
            let before = index
                .checked_sub(1)
                .map(|index| parent.parts[index].value.range.end);
            if let Some(before) = before.filter(|before| !text[*before..start].contains('#')) {
                return Ok(before..end);
            }
            let comma = self.skip_blank(end);
            let to = if text[comma..].starts_with(',') {
                comma + 1
            } else {
                end
            };
            let to = self.text.len() - text[to..].trim_start_matches(' ').len();
            let to = if text[to..].starts_with('#') {
                self.line_end(to)
            } else {
                to
            };
            let next = text.len() - text[to..].trim_start().len();
            // A comment begins after a blank.
            let keeps_blank =
                text[next..].starts_with('#') && !text[..start].ends_with(char::is_whitespace);
            return Ok(start..if keeps_blank { to } else { next });
        }
        let (line, end) = (self.line_start(start), self.line_end(end));
        if text[line..start].trim_matches([' ', '\u{feff}']).is_empty() {
            return Ok(match text[..line].strip_suffix('\n') {
                Some(above) => above.strip_suffix('\r').unwrap_or(above).len()..end,
                None => start..text[end..].find('\n').map_or(end, |at| end + at + 1),
            });
        }
        // It follows the dash of an item, and the next one moves there.
        match parent.parts.get(index + 1) {
            Some(next) if !text[end..next.start].contains('#') => Ok(start..next.start),
            _ => Err("a comment stands below it: move the comment first".into()),
        }
    }

    /// Returns the changed text if it is read as the events of the old one with `written` in place of a range of them.
    fn checked(
        &self,
        range: Range<usize>,
        new: &str,
        events: Range<usize>,
        written: Vec<YamlEvent>,
    ) -> Result<String, String> {
        let text = with(self.text, range, new);
        let (after, _) = EditDocument::read(&text)?;
        let behind = self.plain_events(events.end..self.events.len());
        let expected = [self.plain_events(0..events.start), written, behind].concat();
        if after.plain_events(0..after.events.len()) == expected {
            return Ok(text);
        }
        Err("this can't be written here without changing what stands around it".into())
    }
}
