//! Code actions: quick fixes for diagnostics, and amending a function in a variant.

use crate::project::Project;
use crate::text;
use casebook_checks::author::scaffold::{amended_function, case_card, variant_text};
use casebook_engine::complaint::{Fix, Span};
use casebook_engine::data::case::{Case, CaseFunction};
use lsp_types::{
    CodeAction, CodeActionKind, CreateFile, CreateFileOptions, Diagnostic, DocumentChangeOperation,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use std::collections::HashMap;

/// Returns the code actions for a range of a file and the diagnostics in that range.
pub fn code_actions(
    project: &mut Project,
    key: &str,
    range: Range,
    diagnostics: &[Diagnostic],
) -> Vec<CodeAction> {
    let mut actions: Vec<CodeAction> = diagnostics
        .iter()
        .flat_map(|diagnostic| remedies(project, key, diagnostic))
        .collect();
    actions.extend(amend(project, key, range.start));
    actions
}

/// Returns the quick fixes of a diagnostic.
#[allow(clippy::mutable_key_type)] // the protocol uses URIs as map keys
fn remedies(project: &mut Project, key: &str, diagnostic: &Diagnostic) -> Vec<CodeAction> {
    let (Some(uri), Some(file)) = (project.uri(key), project.file(key)) else {
        return Vec::new();
    };
    // Editors hand back the data of a diagnostic unchanged.
    let fixes: Vec<Fix> = diagnostic
        .data
        .clone()
        .and_then(|data| serde_json::from_value(data).ok())
        .unwrap_or_default();
    let edits = fixes.into_iter().filter_map(|fix| match fix {
        Fix::Replace(text) => Some((text, diagnostic.range)),
        Fix::Line(mended) => {
            let span = Span {
                line: mended.line,
                column: 1,
                length: mended.was.chars().count(),
            };
            Some((mended.now, text::range(&file.text, span)))
        }
        Fix::AddDefaultArm => missing_arm(&file.text, diagnostic.range.start),
    });
    let fix = |(new_text, range): (String, Range)| CodeAction {
        title: format!("Write {}", new_text.trim()),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        is_preferred: Some(true),
        edit: Some(WorkspaceEdit {
            changes: Some(HashMap::from([(
                uri.clone(),
                vec![TextEdit { range, new_text }],
            )])),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    };
    edits.map(fix).collect()
}

/// Returns a default arm for a `switch`, and the range before its closing bracket at which to insert it.
fn missing_arm(text: &str, start: Position) -> Option<(String, Range)> {
    let mut depth = 0;
    for (number, line) in text.lines().enumerate().skip(start.line as usize) {
        for (column, c) in line.chars().enumerate() {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            if c == '}' && depth == 0 {
                let span = Span {
                    line: number + 1,
                    column: column + 1,
                    length: 1,
                };
                let at = text::range(text, span).start;
                let indent: String = line.chars().take_while(|c| *c == ' ').collect();
                return Some((
                    format!("    _ => (),\n{indent}"),
                    Range { start: at, end: at },
                ));
            }
        }
    }
    None
}

/// Returns actions that amend the function at a position in each editable variant, or in a new one.
fn amend(project: &mut Project, key: &str, at: Position) -> Vec<CodeAction> {
    let Some(ruleset) = project.ruleset(key) else {
        return Vec::new();
    };
    let Some(case) = ruleset.cases.iter().find(|case| case.has_file(key)) else {
        return Vec::new();
    };
    let line = at.line as usize + 1;
    let Some(function) = case
        .functions
        .iter()
        .rev()
        .find(|f| f.name_span.line.saturating_sub(f.doc_lines().len()) <= line)
    else {
        return Vec::new();
    };
    if function.private
        || function.is_example()
        || line >= function.name_span.line + function.body.lines().count()
    {
        return Vec::new();
    }
    let library = project.library();
    let names = library.variants_of(&ruleset.game.name);
    let variants = names
        .iter()
        .filter(|name| !key.starts_with(&format!("variants/{name}/")));
    let mut variants: Vec<(String, bool)> = variants
        .filter(|name| {
            project
                .editable_uri(&format!("variants/{name}/variant.yaml"))
                .is_some()
        })
        .map(|name| (name.to_string(), false))
        .collect();
    if !library.variants.contains_key("my-house") {
        variants.push(("my-house".into(), true));
    }
    variants
        .into_iter()
        .filter_map(|(variant, is_new)| {
            amendment_action(project, case, function, &variant, is_new, &names)
        })
        .collect()
}

fn amendment_action(
    project: &mut Project,
    case: &Case,
    function: &CaseFunction,
    variant: &str,
    is_new: bool,
    game_variants: &[&str],
) -> Option<CodeAction> {
    let key = format!(
        "variants/{variant}/rules/{}/{}.rhai",
        case.file.section(),
        case.file.stem()
    );
    let mut operations = Vec::new();
    if is_new {
        let manifest = variant_text(
            project.library().game_of(&case.file.key)?,
            (variant, Some("My house rules")),
            game_variants,
        );
        operations.extend(write_file_edit(
            project.uri(&format!("variants/{variant}/variant.yaml"))?,
            manifest,
        ));
    }
    let uri = project.uri(&key)?;
    match project.file(&key) {
        Some(file) if file.text.contains(&format!("\nfn {}(", function.name)) => return None,
        Some(file) => {
            let end = Position {
                line: file.text.lines().count() as u32,
                character: 0,
            };
            operations.push(DocumentChangeOperation::Edit(insert_edit(
                uri,
                end,
                format!("\n{}", amended_function(function)),
            )));
        }
        None => {
            let text = case_card(
                &case.number,
                &case.title,
                ("addition", &case.procedures),
                true,
            ) + amended_function(function).as_str();
            operations.extend(write_file_edit(uri, text));
        }
    }
    let edit = WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        ..WorkspaceEdit::default()
    };
    let title = format!(
        "Amend `{}` in {}{variant}",
        function.name,
        if is_new { "a new variant " } else { "" }
    );
    Some(CodeAction {
        title,
        kind: Some(CodeActionKind::REFACTOR),
        edit: Some(edit),
        ..CodeAction::default()
    })
}

/// Returns the operation that creates a file.
fn write_file_edit(uri: Uri, text: String) -> [DocumentChangeOperation; 2] {
    let options = Some(CreateFileOptions {
        overwrite: Some(false),
        ignore_if_exists: Some(true),
    });
    let create = CreateFile {
        uri: uri.clone(),
        options,
        annotation_id: None,
    };
    [
        DocumentChangeOperation::Op(ResourceOp::Create(create)),
        DocumentChangeOperation::Edit(insert_edit(uri, Position::default(), text)),
    ]
}

fn insert_edit(uri: Uri, at: Position, new_text: String) -> TextDocumentEdit {
    let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: None };
    TextDocumentEdit {
        text_document,
        edits: vec![OneOf::Left(TextEdit {
            range: Range { start: at, end: at },
            new_text,
        })],
    }
}
