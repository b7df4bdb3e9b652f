//! Completion: verbs and functions in scripts, names of the game in strings, keys and values in YAML.

use crate::project::Project;
use crate::text;
use casebook_engine::code::verbs::{self, Role, Verb};
use casebook_engine::complaint::Complaints;
use casebook_engine::data::declared_names::PLAIN_FIGURES;
use casebook_engine::data::files::DataFile;
use casebook_engine::data::format::scenario::SITUATION;
use casebook_engine::data::format::{self, FieldType, FileFormat};
use casebook_engine::data::manifest::AttributeType;
use casebook_engine::data::reference_kind::ReferenceKind;
use casebook_engine::data::sheet::{GIVEN, SheetField, SheetFields};
use casebook_engine::ruleset::compose::Ruleset;
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, Position};

fn completion_item(label: &str, kind: CompletionItemKind, detail: &str) -> CompletionItem {
    let detail = (!detail.is_empty()).then(|| detail.to_string());
    CompletionItem {
        label: label.into(),
        kind: Some(kind),
        detail,
        ..CompletionItem::default()
    }
}

fn completion_items<'a>(
    labels: impl IntoIterator<Item = &'a str>,
    kind: CompletionItemKind,
    detail: &str,
) -> Vec<CompletionItem> {
    labels
        .into_iter()
        .map(|label| completion_item(label, kind, detail))
        .collect()
}

/// Returns the completions at a position of a file.
pub fn completions(project: &mut Project, key: &str, at: Position) -> Vec<CompletionItem> {
    let (Some(file), Some(ruleset)) = (project.file(key), project.ruleset(key)) else {
        return Vec::new();
    };
    let head = text::text_before(&file.text, at);
    let mut items = match key.ends_with(".rhai") {
        true if head.starts_with("//!") => {
            let at = Position {
                character: at.character.saturating_sub(4),
                ..at
            };
            yaml_items(&card_yaml(&file), &format::card::CARD, &file, at, &ruleset)
        }
        true => code_items(&head, &file, &ruleset),
        false => format::for_file(key).map_or(Vec::new(), |format| {
            yaml_items(&file.text, format, &file, at, &ruleset)
        }),
    };
    items.sort_by(|a, b| a.label.cmp(&b.label));
    items.dedup_by(|a, b| a.label == b.label && a.kind == b.kind);
    items
}

/// Returns the card of a case as YAML, with unchanged line numbers.
fn card_yaml(file: &DataFile) -> String {
    let line = |line: &str| {
        line.strip_prefix("//!")
            .map(|l| l.strip_prefix(' ').unwrap_or(l).to_string() + "\n")
            .unwrap_or("\n".into())
    };
    file.text.lines().map(line).collect()
}

fn verb_item(verb: &Verb) -> CompletionItem {
    CompletionItem {
        documentation: Some(Documentation::String(verb.description.into())),
        ..completion_item(verb.name, CompletionItemKind::FUNCTION, &verb.signature())
    }
}

fn code_items(head: &str, file: &DataFile, ruleset: &Ruleset) -> Vec<CompletionItem> {
    if head.chars().filter(|c| *c == '"').count() % 2 == 1 {
        return quoted_items(head, file, ruleset);
    }
    let name = head.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let mut items: Vec<CompletionItem> = verbs::all()
        .iter()
        .filter(|verb| !verb.params.is_empty() || !name.ends_with('.'))
        .map(|verb| verb_item(verb))
        .collect();
    if name.ends_with('.') {
        items.extend(completion_items(
            ruleset.game.all_attributes().map(|(name, _)| name),
            CompletionItemKind::FIELD,
            "an attribute",
        ));
        items.extend(completion_items(
            ["name"].iter().chain(PLAIN_FIGURES).copied(),
            CompletionItemKind::FIELD,
            "of every piece",
        ));
        return items;
    }
    for slot in &ruleset.slots {
        let answer = slot.answers[0];
        let case = &ruleset.cases[answer.case];
        let function = &case.functions[answer.function];
        let documentation = Some(Documentation::String(function.doc_lines().join("\n")));
        let detail = format!(
            "{}({})  {} {}",
            function.name,
            function.params.join(", "),
            case.number,
            case.layer
        );
        items.push(CompletionItem {
            documentation,
            ..completion_item(&slot.name, CompletionItemKind::FUNCTION, &detail)
        });
    }
    let file_functions = ruleset
        .cases
        .iter()
        .filter(|case| case.has_file(&file.key))
        .flat_map(|case| &case.functions);
    for helper in file_functions.filter(|f| f.private) {
        let detail = format!("{}({}), a helper", helper.name, helper.params.join(", "));
        items.push(completion_item(
            &helper.name,
            CompletionItemKind::FUNCTION,
            &detail,
        ));
    }
    items
}

/// Returns the names that complete a string: those that the argument of the verb around it may name.
fn quoted_items(head: &str, file: &DataFile, ruleset: &Ruleset) -> Vec<CompletionItem> {
    let game = &ruleset.game;
    let groups = || {
        completion_items(
            game.groups(),
            CompletionItemKind::ENUM_MEMBER,
            "a kind or group",
        )
    };
    let sides = || {
        completion_items(
            game.sides.iter().map(String::as_str),
            CompletionItemKind::ENUM_MEMBER,
            "a side",
        )
    };
    match role_at(&head[..head.rfind('"').unwrap_or(0)]) {
        Some(Role::Table) => {
            completion_items(ruleset.table_names(), CompletionItemKind::STRUCT, "a table")
        }
        Some(Role::Reading) => reading_items(ruleset, file),
        Some(Role::Group | Role::Selection) => groups(),
        Some(Role::Figure | Role::FigureOrKey) => completion_items(
            game.attributes.iter().map(|(name, _)| name.as_str()),
            CompletionItemKind::FIELD,
            "an attribute",
        ),
        Some(Role::Track) => completion_items(
            game.tracks.keys().map(String::as_str),
            CompletionItemKind::VARIABLE,
            "a track",
        ),
        Some(Role::Deck) => completion_items(
            game.card_stocks.iter().map(|stock| stock.name.as_str()),
            CompletionItemKind::VARIABLE,
            "a deck",
        ),
        Some(Role::Side) => sides(),
        Some(Role::List | Role::Situation) => situation_items(ruleset),
        Some(Role::Piece) => piece_items(ruleset),
        _ => [piece_items(ruleset), sides(), groups()].concat(),
    }
}

/// Returns what the argument that begins at the end of a text names: the call around it is the innermost that is still open.
fn role_at(head: &str) -> Option<Role> {
    let (mut depth, mut commas, mut quoted) = (0, 0, false);
    let open = head.char_indices().rev().find(|(_, c)| {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '(' | '[' | '{' => return true,
            ',' if depth == 0 => commas += 1,
            _ => {}
        }
        false
    });
    let before = &head[..open.filter(|(_, c)| *c == '(')?.0];
    let name_start = before
        .trim_end_matches(|c: char| c.is_alphanumeric() || c == '_')
        .len();
    let index = commas + usize::from(before[..name_start].ends_with('.'));
    verbs::named(&before[name_start..])
        .find_map(|verb| verb.params.get(index))
        .map(|parameter| parameter.role)
}

fn situation_items(ruleset: &Ruleset) -> Vec<CompletionItem> {
    completion_items(
        ruleset.scenario_names(),
        CompletionItemKind::FILE,
        "a situation, roster or deployment",
    )
}

fn piece_items(ruleset: &Ruleset) -> Vec<CompletionItem> {
    let mut ignore = Complaints::default();
    let lists: Vec<_> = ruleset
        .scenario_names()
        .into_iter()
        .filter_map(|name| ruleset.stack_scenario(name, &mut ignore))
        .collect();
    let pieces = lists.iter().flat_map(|list| &list.pieces);
    pieces
        .map(|piece| {
            completion_item(
                &piece.name,
                CompletionItemKind::CONSTANT,
                piece.word("kind").unwrap_or("a piece"),
            )
        })
        .collect()
}

/// Returns the readings: those of the file's own case by name, those of other cases prefixed with the case number.
fn reading_items(ruleset: &Ruleset, file: &DataFile) -> Vec<CompletionItem> {
    let mut items = Vec::new();
    for case in &ruleset.cases {
        for reading in &case.readings {
            let alternatives = reading.ways.join(" | ");
            items.push(completion_item(
                &format!("{}.{}", case.number, reading.name),
                CompletionItemKind::ENUM,
                &alternatives,
            ));
            if case.has_file(&file.key) {
                items.push(completion_item(
                    &reading.name,
                    CompletionItemKind::ENUM,
                    &alternatives,
                ));
            }
        }
    }
    items
}

fn yaml_items(
    text: &str,
    format: &'static FileFormat,
    file: &DataFile,
    at: Position,
    ruleset: &Ruleset,
) -> Vec<CompletionItem> {
    let (path, value_key) = text::yaml_path(text, at);
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let given = match path[..] {
        [GIVEN, ..] if format.name == SITUATION.name => {
            Some((given_fields(text, ruleset), &path[1..]))
        }
        // A test may name any situation.
        ["tests", "but", ..] => Some((ruleset.any_given().clone(), &path[2..])),
        _ => None,
    };
    if let Some((fields, below)) = given {
        return given_items(fields, below, value_key.as_deref(), ruleset);
    }
    match (value_key, format.format_at(&path)) {
        (Some(key), Some(part_format)) => value_items(part_format, &key, file, ruleset),
        (None, Some(part_format)) => key_items(part_format, ruleset),
        (Some(key), None) => value_items(format, &key, file, ruleset),
        (None, None) => Vec::new(),
    }
}

/// Returns what the procedure of a situation is given.
fn given_fields(text: &str, ruleset: &Ruleset) -> SheetFields {
    let procedure = text
        .lines()
        .find_map(|line| line.strip_prefix("procedure:"))
        .unwrap_or_default();
    ruleset.given(
        procedure
            .split('#')
            .next()
            .unwrap_or_default()
            .trim()
            .trim_matches(['"', '\'']),
    )
}

/// Returns the names that a procedure is given, below a path of such names, or the values of `value_key`.
fn given_items(
    mut fields: SheetFields,
    path: &[&str],
    value_key: Option<&str>,
    ruleset: &Ruleset,
) -> Vec<CompletionItem> {
    for name in path {
        let Some(field) = fields.remove(*name) else {
            return Vec::new();
        };
        fields = field
            .same_as
            .map_or(field.parts, |procedure| ruleset.given(&procedure));
    }
    let Some(name) = value_key else {
        let item = |(name, field): (String, SheetField)| CompletionItem {
            documentation: Some(Documentation::String(field.title.clone())),
            insert_text: Some(format!("{name}: ")),
            ..completion_item(&name, CompletionItemKind::FIELD, &field.describe())
        };
        return fields.into_iter().map(item).collect();
    };
    let Some(field) = fields.remove(name) else {
        return Vec::new();
    };
    let words = field
        .constraint
        .words
        .iter()
        .map(|word| completion_item(word, CompletionItemKind::ENUM_MEMBER, &field.title));
    let names = field
        .constraint
        .references
        .iter()
        .chain(&field.key_references)
        .flat_map(|kind| {
            let pieces = if kind == "piece" {
                piece_items(ruleset)
            } else {
                Vec::new()
            };
            pieces.into_iter().chain(completion_items(
                ruleset.game.names_of_kind(kind),
                CompletionItemKind::CONSTANT,
                kind,
            ))
        });
    words.chain(names).collect()
}

fn key_items(format: &'static FileFormat, ruleset: &Ruleset) -> Vec<CompletionItem> {
    let mut items: Vec<CompletionItem> = Vec::new();
    for key in format.keys {
        let holds = key.field_type.describe();
        let documentation = Some(Documentation::String(key.description.into()));
        let insert_text = Some(format!("{}: ", key.name));
        let item = completion_item(key.name, CompletionItemKind::PROPERTY, &holds);
        items.push(CompletionItem {
            documentation,
            insert_text,
            insert_text_format: Some(InsertTextFormat::PLAIN_TEXT),
            ..item
        });
    }
    let game = &ruleset.game;
    let attributes: Vec<&(String, AttributeType)> = match format.name {
        "piece" | "change of a piece" => game.attributes.iter().collect(),
        "features" => game
            .places
            .attributes
            .iter()
            .chain(&game.places.side_attributes)
            .collect(),
        _ => Vec::new(),
    };
    for (name, _) in attributes {
        let insert_text = Some(format!("{name}: "));
        items.push(CompletionItem {
            insert_text,
            ..completion_item(name, CompletionItemKind::FIELD, "an attribute")
        });
    }
    items
}

/// Returns the values that complete a YAML key.
fn value_items(
    format: &'static FileFormat,
    key: &str,
    file: &DataFile,
    ruleset: &Ruleset,
) -> Vec<CompletionItem> {
    let game = &ruleset.game;
    let plain = |names: Vec<&str>, detail: &str| {
        completion_items(names, CompletionItemKind::ENUM_MEMBER, detail)
    };
    let field_type = match format.key(key).map(|key| key.field_type) {
        Some(FieldType::ListOf(item_type)) => Some(*item_type),
        other => other,
    };
    match (field_type, key) {
        (Some(FieldType::OneOf(list)), _) => plain(list.words.to_vec(), ""),
        (Some(FieldType::Flag), _) => plain(vec!["true", "false"], ""),
        (Some(FieldType::Name(kind)), _) => reference_items(kind, file, ruleset),
        (_, "reinstates") => reference_items(ReferenceKind::Variant, file, ruleset),
        (_, "on" | "piece") => piece_items(ruleset),
        (_, "ask") => code_items("", file, ruleset),
        _ => match game
            .attributes
            .iter()
            .chain(&game.places.attributes)
            .find(|(name, _)| name == key)
        {
            Some((_, AttributeType::Word(words, _))) => {
                plain(words.iter().map(String::as_str).collect(), key)
            }
            Some((_, AttributeType::Flag)) => plain(vec!["true", "false"], ""),
            _ => Vec::new(),
        },
    }
}

/// Returns the names of a kind.
fn reference_items(kind: ReferenceKind, file: &DataFile, ruleset: &Ruleset) -> Vec<CompletionItem> {
    let game = &ruleset.game;
    match kind {
        ReferenceKind::Document => game
            .sources
            .iter()
            .map(|(name, title)| completion_item(name, CompletionItemKind::REFERENCE, title))
            .collect(),
        ReferenceKind::Procedure => game
            .procedures
            .iter()
            .map(|(name, description)| {
                completion_item(name, CompletionItemKind::EVENT, description)
            })
            .collect(),
        ReferenceKind::Situation => situation_items(ruleset),
        ReferenceKind::Variant => completion_items(
            ruleset.variants().map(|layer| &*layer.name),
            CompletionItemKind::ENUM_MEMBER,
            "a variant",
        ),
        ReferenceKind::Switch => {
            let variants = ruleset
                .layers
                .iter()
                .filter_map(|layer| layer.variant.as_ref());
            let options = variants
                .filter(|variant| file.key.starts_with(variant.file.folder()))
                .flat_map(|variant| &variant.options);
            options
                .map(|option| {
                    completion_item(&option.name, CompletionItemKind::ENUM_MEMBER, &option.title)
                })
                .collect()
        }
        _ => {
            let names = game.declared_names(kind).into_iter().flatten();
            completion_items(
                names,
                CompletionItemKind::ENUM_MEMBER,
                &format!("a {}", kind.noun()),
            )
        }
    }
}
