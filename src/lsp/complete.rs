//! What may stand at a place: verbs and functions in code, names of the game in texts, keys and words in YAML.

use crate::code::verbs::{self, Verb};
use crate::data::files::File;
use crate::data::format::{self, Format, Holds};
use crate::lsp::project::Project;
use crate::lsp::text;
use crate::ruleset::compose::Ruleset;
use lsp_types::{CompletionItem, CompletionItemKind as Sort, Documentation, InsertTextFormat, Position};

fn item(label: &str, sort: Sort, detail: &str) -> CompletionItem {
    let detail = (!detail.is_empty()).then(|| detail.to_string());
    CompletionItem { label: label.into(), kind: Some(sort), detail, ..CompletionItem::default() }
}

/// What may stand at a place of a file.
pub fn at(project: &mut Project, key: &str, at: Position) -> Vec<CompletionItem> {
    let (Some(file), Some(ruleset)) = (project.file(key), project.ruleset(key)) else { return Vec::new() };
    let head = text::before(&file.text, at);
    let mut found = match key.ends_with(".rhai") {
        true => match head.strip_prefix("//!") {
            Some(_) => {
                yaml(&card(&file), &format::card::CARD, &file, Position { character: at.character.saturating_sub(4), ..at }, &ruleset)
            }
            None => code(&head, &file, &ruleset),
        },
        false => match format::of_file(key) {
            Some(format) => yaml(&file.text, format, &file, at, &ruleset),
            None => Vec::new(),
        },
    };
    found.sort_by(|a, b| a.label.cmp(&b.label));
    found.dedup_by(|a, b| a.label == b.label && a.kind == b.kind);
    found
}

/// The card of a case as YAML, line for line.
fn card(file: &File) -> String {
    let line = |line: &str| line.strip_prefix("//!").map(|l| l.strip_prefix(' ').unwrap_or(l).to_string() + "\n").unwrap_or("\n".into());
    file.text.lines().map(line).collect()
}

fn verb(verb: &Verb) -> CompletionItem {
    CompletionItem { documentation: Some(Documentation::String(verb.does.into())), ..item(verb.name, Sort::FUNCTION, &verb.signature()) }
}

fn code(head: &str, file: &File, ruleset: &Ruleset) -> Vec<CompletionItem> {
    if head.chars().filter(|c| *c == '"').count() % 2 == 1 {
        return quoted(head, file, ruleset);
    }
    let name = head.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let mut found: Vec<CompletionItem> =
        verbs::all().iter().filter(|verb| !verb.takes.is_empty() || !name.ends_with('.')).map(|v| self::verb(v)).collect();
    if name.ends_with('.') {
        let game = &ruleset.game;
        let features = game.attributes.iter().chain(&game.places.attributes).chain(&game.places.sides);
        found.extend(features.map(|(name, _)| item(name, Sort::FIELD, "an attribute")));
        found.extend(["name", "kind", "side", "at", "on"].map(|name| item(name, Sort::FIELD, "of every piece")));
        return found;
    }
    for slot in &ruleset.slots {
        let answer = slot.chain[0];
        let case = &ruleset.cases[answer.case];
        let function = &case.functions[answer.function];
        let documentation = Some(Documentation::String(function.doc().join("\n")));
        let detail = format!("{}({})  {} {}", function.name, function.params.join(", "), case.number, case.layer);
        found.push(CompletionItem { documentation, ..item(&slot.name, Sort::FUNCTION, &detail) });
    }
    let own = ruleset.cases.iter().filter(|case| case.has_file(&file.key)).flat_map(|case| &case.functions);
    found.extend(
        own.filter(|f| f.private).map(|f| item(&f.name, Sort::FUNCTION, &format!("{}({}), a helper", f.name, f.params.join(", ")))),
    );
    found
}

/// Names that may stand in a text: which, the verb before it says.
fn quoted(head: &str, file: &File, ruleset: &Ruleset) -> Vec<CompletionItem> {
    let game = &ruleset.game;
    let open = head.rfind('"').unwrap_or(0);
    let call =
        head[..open].rfind('(').map_or("", |end| head[..end].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""));
    let attributes = || game.attributes.iter().map(|(name, _)| item(name, Sort::FIELD, "an attribute")).collect::<Vec<_>>();
    let groups = || game.groups().map(|name| item(name, Sort::ENUM_MEMBER, "a kind or group")).collect::<Vec<_>>();
    let sides = || game.sides.iter().map(|name| item(name, Sort::ENUM_MEMBER, "a side")).collect::<Vec<_>>();
    match call {
        "table" | "row" => tables(ruleset),
        "reading" => readings(ruleset, file),
        "is_a" | "only" | "without" => groups(),
        "having" | "not_having" | "total" | "figures" | "sort_by" | "set" => attributes(),
        "track" | "set_track" | "later" | "position" => game.tracks.keys().map(|name| item(name, Sort::VARIABLE, "a track")).collect(),
        "enemy" | "choose" | "choose_piece" => sides(),
        "setup" | "entry" | "entries" => situations(ruleset),
        "piece" | "has_piece" => pieces(ruleset),
        _ => [pieces(ruleset), sides(), groups()].concat(),
    }
}

fn tables(ruleset: &Ruleset) -> Vec<CompletionItem> {
    ruleset.table_names().map(|name| item(name, Sort::STRUCT, "a table")).collect()
}

fn situations(ruleset: &Ruleset) -> Vec<CompletionItem> {
    ruleset.scenario_names().into_iter().map(|name| item(name, Sort::FILE, "a situation, roster or deployment")).collect()
}

fn pieces(ruleset: &Ruleset) -> Vec<CompletionItem> {
    let mut ignore = crate::complaint::Complaints::default();
    let lists: Vec<_> = ruleset.scenario_names().into_iter().filter_map(|name| ruleset.stack_scenario(name, &mut ignore)).collect();
    let pieces = lists.iter().flat_map(|list| &list.pieces);
    pieces.map(|piece| item(&piece.name, Sort::CONSTANT, piece.word("kind").unwrap_or("a piece"))).collect()
}

/// Readings of the case that stands in a file by their own names, those of others with the case's number.
fn readings(ruleset: &Ruleset, file: &File) -> Vec<CompletionItem> {
    let mut found = Vec::new();
    for case in &ruleset.cases {
        for reading in &case.readings {
            let ways = reading.ways.join(" | ");
            found.push(item(&format!("{}.{}", case.number, reading.name), Sort::ENUM, &ways));
            if case.has_file(&file.key) {
                found.push(item(&reading.name, Sort::ENUM, &ways));
            }
        }
    }
    found
}

fn yaml(text: &str, format: &'static Format, file: &File, at: Position, ruleset: &Ruleset) -> Vec<CompletionItem> {
    let (path, under) = text::path(text, at);
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match (under, format.below(&path)) {
        (Some(key), Some(part)) => words(part, &key, file, ruleset),
        (None, Some(part)) => keys(part, ruleset),
        (Some(key), None) => words(format, &key, file, ruleset),
        (None, None) => Vec::new(),
    }
}

fn keys(format: &'static Format, ruleset: &Ruleset) -> Vec<CompletionItem> {
    let mut found: Vec<CompletionItem> = Vec::new();
    for key in format.keys {
        let holds = key.holds.word();
        let documentation = Some(Documentation::String(key.does.into()));
        let insert_text = Some(format!("{}: ", key.name));
        let own = item(key.name, Sort::PROPERTY, &holds);
        found.push(CompletionItem { documentation, insert_text, insert_text_format: Some(InsertTextFormat::PLAIN_TEXT), ..own });
    }
    let game = &ruleset.game;
    let attributes = match format.name {
        "piece" | "change of a piece" => game.attributes.iter().collect::<Vec<_>>(),
        "features" => game.places.attributes.iter().chain(&game.places.sides).collect(),
        _ => Vec::new(),
    };
    found.extend(
        attributes
            .into_iter()
            .map(|(name, _)| CompletionItem { insert_text: Some(format!("{name}: ")), ..item(name, Sort::FIELD, "an attribute") }),
    );
    found
}

/// What may stand under a key.
fn words(format: &'static Format, key: &str, file: &File, ruleset: &Ruleset) -> Vec<CompletionItem> {
    let game = &ruleset.game;
    let plain = |names: Vec<&str>, detail: &str| names.into_iter().map(|name| item(name, Sort::ENUM_MEMBER, detail)).collect();
    if format.name == "piece" && key == "kind" {
        return plain(game.kinds.keys().map(String::as_str).collect(), "a kind of piece");
    }
    match (format.key(key).map(|key| key.holds), key) {
        (Some(Holds::Words(words)), _) => plain(words.to_vec(), ""),
        (Some(Holds::Flag), _) => plain(vec!["true", "false"], ""),
        (_, "side") => plain(game.sides.iter().map(String::as_str).collect(), "a side"),
        (_, "doc") => game.sources.iter().map(|(name, title)| item(name, Sort::REFERENCE, title)).collect(),
        (_, "procedure" | "procedures" | "when") => game.procedures.iter().map(|(name, does)| item(name, Sort::EVENT, does)).collect(),
        (_, "with" | "after" | "needs" | "reinstates") => plain(ruleset.variants().map(|layer| &*layer.name).collect(), "a variant"),
        (_, "given" | "uses") => situations(ruleset),
        (_, "on" | "piece") => pieces(ruleset),
        (_, "ask") => code("", file, ruleset),
        (_, "option") => {
            let own = ruleset.layers.iter().filter_map(|layer| layer.variant.as_ref()).filter(|v| file.key.starts_with(v.file.folder()));
            own.flat_map(|variant| &variant.options).map(|part| item(&part.name, Sort::ENUM_MEMBER, &part.title)).collect()
        }
        _ => match game.attributes.iter().chain(&game.places.attributes).find(|(name, _)| name == key) {
            Some((_, crate::data::manifest::Attribute::Word(words, _))) => plain(words.iter().map(String::as_str).collect(), key),
            Some((_, crate::data::manifest::Attribute::Flag)) => plain(vec!["true", "false"], ""),
            _ => Vec::new(),
        },
    }
}
