//! Checks that no two names of a game look alike: a letter of another alphabet, or an accent that is put on separately, hides that one name is
//! another.

use casebook_engine::complaint::terminal::looks_of;
use casebook_engine::complaint::{Complaint, DiagnosticCode, Span};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::yaml::{YamlNode, YamlReader, YamlValue};
use std::collections::BTreeMap;

/// Longest text that may be a name, in bytes; longer ones are prose.
const MAX_NAME: usize = 60;

/// The names that look alike, each with the place where it occurs first.
type NamesOfLooks<'a> = BTreeMap<String, (&'a DataFile, Span)>;

/// Returns a complaint for each name with letters beyond ASCII that looks like another name of the game.
pub fn look_alikes(library: &Library, game: &str) -> Vec<Complaint> {
    let is_wanted =
        |file: &&DataFile| file.key.ends_with(".yaml") && library.game_of(&file.key) == Some(game);
    let files: Vec<&DataFile> = library.files.by_key.values().filter(is_wanted).collect();
    let mut by_looks: BTreeMap<String, NamesOfLooks> = BTreeMap::new();
    let is_foreign = |text: &str| text.chars().any(|c| !c.is_ascii() && c.is_alphabetic());
    for file in files.iter().copied().filter(|file| !file.text.is_ascii()) {
        each_name(file, &mut |text, span| {
            if is_foreign(text) {
                by_looks
                    .entry(looks_of(text))
                    .or_default()
                    .entry(text.into())
                    .or_insert((file, span));
            }
        });
    }
    if by_looks.is_empty() {
        return Vec::new();
    }
    let mut found: BTreeMap<String, Complaint> = BTreeMap::new();
    for file in files {
        each_name(file, &mut |text, span| {
            let alike = by_looks
                .get(&looks_of(text))
                .into_iter()
                .flatten()
                .find(|(other, _)| *other != text);
            if let Some((foreign, (foreign_file, foreign_span))) =
                alike.filter(|(other, _)| !found.contains_key(*other))
            {
                let message = format!(
                    "`{foreign}` looks like `{text}` in {}, line {}, but is written with other letters",
                    file.path, span.line
                );
                let place = foreign_file.place(*foreign_span);
                let complaint = Complaint::new(DiagnosticCode::UnknownName, place, message);
                found.insert(
                    foreign.clone(),
                    complaint.with_help("write both alike, or give one another name"),
                );
            }
        });
    }
    found.into_values().collect()
}

/// Visits the keys and texts of a file that may be names.
fn each_name(file: &DataFile, visit: &mut dyn FnMut(&str, Span)) {
    let root = YamlReader::for_file(file).parse_file();
    let mut queue: Vec<&YamlNode> = root.iter().collect();
    while let Some(node) = queue.pop() {
        if let Some(text) = node.as_text().filter(|text| text.len() <= MAX_NAME) {
            visit(text, node.span);
        }
        if let YamlValue::List(items) = &node.value {
            queue.extend(items);
        }
        queue.extend(node.entries().iter().flat_map(|(key, value)| [key, value]));
    }
}
