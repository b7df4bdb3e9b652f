//! Hover texts: pages of verbs, amendment chains of functions and tables, descriptions of keys.

use crate::project::Project;
use crate::text::{self, WordAt};
use casebook_engine::code::verbs;
use casebook_engine::data::format::{self, FieldKey, FieldType, FileFormat};
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_view::text::{page_text, pages_text};
use casebook_view::{explain, show};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

/// Returns the hover text at a position of a file.
pub fn hover(project: &mut Project, key: &str, at: Position) -> Option<Hover> {
    let file = project.file(key)?;
    let text = if key.ends_with(".rhai") {
        hover_code(project, key, &file.text, at)
    } else {
        hover_yaml(project, key, &file.text, at)
    };
    let (word, text) = text?;
    let contents = HoverContents::Markup(MarkupContent {
        kind: MarkupKind::Markdown,
        value: text,
    });
    Some(Hover {
        contents,
        range: Some(text::range(&file.text, word.span)),
    })
}

fn hover_code(
    project: &mut Project,
    key: &str,
    text: &str,
    at: Position,
) -> Option<(WordAt, String)> {
    let word = text::word_at(text, at)?;
    if text::text_before(text, at).starts_with("//!") {
        return key_text(&format::card::CARD, &[], &word.text).map(|text| (word, text));
    }
    let ruleset = project.ruleset(key)?;
    let file_case = ruleset.cases.iter().find(|case| case.has_file(key));
    if let Some(helper) = file_case.and_then(|case| {
        case.functions
            .iter()
            .find(|f| f.private && f.name == word.text)
    }) {
        let text = format!(
            "```\nprivate fn {}({})\n```\n{}",
            helper.name,
            helper.params.join(", "),
            helper.doc_lines().join("\n")
        );
        return Some((word, text));
    }
    let slot = ruleset.slots.iter().any(|slot| slot.name == word.text);
    if verbs::is_verb(&word.text) && !word.quoted && !slot {
        let pages: Vec<String> = verbs::named(&word.text)
            .map(|verb| {
                code_block(&page_text(
                    &explain::explain_verb(verb),
                    TerminalPage::kept(),
                ))
            })
            .collect();
        return Some((word, pages.join("\n")));
    }
    hover_named(project, key, word)
}

/// Returns the page of a named thing of the game, with its chain of amendments.
fn hover_named(project: &mut Project, key: &str, word: WordAt) -> Option<(WordAt, String)> {
    let ruleset = project.ruleset(key)?;
    let shown = show::find_known(&ruleset, &word.text).ok()?;
    let source = ruleset
        .slots
        .iter()
        .find(|slot| slot.name == word.text)
        .map(|slot| {
            let answer = slot.answers[0];
            let function = &ruleset.cases[answer.case].functions[answer.function];
            format!(
                "```rust\nfn {}({})\n```\n",
                function.name,
                function.params.join(", ")
            )
        });
    Some((
        word,
        source.unwrap_or_default() + code_block(&pages_text(&shown, TerminalPage::kept())).as_str(),
    ))
}

fn code_block(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}

fn hover_yaml(
    project: &mut Project,
    key: &str,
    text: &str,
    at: Position,
) -> Option<(WordAt, String)> {
    let word = text::word_at(text, at)
        .filter(|word| word.quoted)
        .or_else(|| text::yaml_value_at(text, at))?;
    let end = Position {
        character: at.character,
        ..at
    };
    let (path, _) = text::yaml_path(
        text,
        Position {
            character: text::range(text, word.span).start.character,
            ..end
        },
    );
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let is_key = text
        .lines()
        .nth(at.line as usize)?
        .chars()
        .nth(word.span.column - 1 + word.span.length)
        == Some(':');
    match format::for_file(key)
        .filter(|_| is_key)
        .and_then(|format| key_text(format, &path, &word.text))
    {
        Some(description) => Some((word, description)),
        None => hover_named(project, key, word),
    }
}

/// Returns the description of a key of a file format.
fn key_text(format: &'static FileFormat, path: &[&str], name: &str) -> Option<String> {
    let FieldKey {
        field_type: holds,
        description: does,
        ..
    } = format.format_at(path)?.key(name)?;
    let below = match holds {
        FieldType::Object(object_format)
        | FieldType::ListOf(FieldType::Object(object_format))
        | FieldType::Map(_, FieldType::Object(object_format))
            if !object_format.keys.is_empty() =>
        {
            object_format
                .keys
                .iter()
                .map(|key| format!("\n- `{}` {}", key.name, key.description))
                .collect()
        }
        _ => String::new(),
    };
    Some(format!(
        "**{name}:** {does}\n\n{}{}",
        holds.describe(),
        if below.is_empty() {
            below
        } else {
            format!("\n{below}")
        }
    ))
}
