//! `casebook explain`, `guide`, `list --verbs` and `schema`: documentation for rule authors.

use crate::command::out::Printer;
use casebook_checks::author::{guide, schema};
use casebook_engine::complaint::Error;
use casebook_engine::complaint::terminal::terminal_width;
use casebook_engine::data::library::Library;
use casebook_view::block::{AnswerBlock, AnswerPage, FoundPages, WrittenFiles};
use casebook_view::explain;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs `explain`.
pub fn explain(name: Option<&str>, out: Printer) -> Result<(), Error> {
    let pages = match name {
        Some(name) => explain::explain(name)?,
        None => {
            let lists = "`casebook list --verbs`; an introduction: `casebook guide`";
            let verbs = AnswerBlock::section("verbs", vec![AnswerBlock::text(lists)]);
            vec![explain::overview().with([verbs])]
        }
    };
    out.print_pages(pages);
    Ok(())
}

/// Runs `list --verbs`.
pub fn verbs(out: Printer) {
    out.print_pages(vec![explain::verb_overview()]);
}

/// Wraps the paragraphs and list items of a chapter anew; blocks of code, tables and headings keep their lines.
fn fit_paragraphs(text: &str, width: usize) -> String {
    let (mut out, mut paragraph, mut in_block) = (String::new(), String::new(), false);
    let flush = |out: &mut String, paragraph: &mut String| {
        let marker = paragraph.len() - paragraph.trim_start_matches(['-', ' ']).len();
        let options =
            textwrap::Options::new(width).subsequent_indent(&"                "[..marker.min(16)]);
        if !paragraph.is_empty() {
            out.push_str(&(textwrap::fill(paragraph, options) + "\n"));
            paragraph.clear();
        }
    };
    for line in text.lines() {
        let is_fence = line.starts_with("```");
        let is_fixed = in_block
            || is_fence
            || line.is_empty()
            || line.starts_with(['|', '#'])
            || line.starts_with("    ");
        if is_fixed || line.trim_start().starts_with("- ") {
            flush(&mut out, &mut paragraph);
        }
        if is_fixed {
            out.push_str(&format!("{line}\n"));
        } else {
            paragraph.push_str(&match paragraph.is_empty() {
                true => line.to_string(),
                false => format!(" {}", line.trim_start()),
            });
        }
        in_block ^= is_fence;
    }
    flush(&mut out, &mut paragraph);
    out
}

/// Runs `guide`.
pub fn guide(topic: Option<&str>, out: Printer) -> Result<(), Error> {
    if let Some(topic) = topic {
        let text = guide::chapter(topic)?;
        let title = guide::title(text);
        let page = AnswerPage::new("chapter", topic, "", title).with([AnswerBlock::source(text)]);
        let found = FoundPages::new(vec![page], false);
        let fitted = || {
            terminal_width().map_or_else(|| text.to_string(), |width| fit_paragraphs(text, width))
        };
        out.print(|| found, fitted);
        return Ok(());
    }
    let row = |(number, (name, text)): (usize, &(&str, &str))| {
        vec![
            number.to_string(),
            name.to_string(),
            guide::title(text).into(),
        ]
    };
    let chapters = (1..).zip(guide::CHAPTERS).map(row).collect();
    let next = AnswerBlock::text("`casebook guide 1` begins.");
    let page = AnswerPage::new("guide", "guide", "", "The chapters of the guide:");
    out.print_pages(vec![page.with([AnswerBlock::rows(chapters), next])]);
    Ok(())
}

/// Runs `schema` for a kind of file, or for what a procedure is given.
pub fn schema(library: &Arc<Library>, name: &str) -> Result<(), Error> {
    let names: Vec<&str> = schema::file_formats().map(|format| format.name).collect();
    let schema = match schema::file_formats().find(|format| format.name == name) {
        Some(format) => schema::schema(format),
        None => {
            schema::schema_of_procedure(library, name, &names).map_err(|error| match error {
                Error::Unknown { .. } => {
                    Error::Usage(format!("{error}; kinds of files are {}", names.join(", ")))
                }
                error => error,
            })?
        }
    };
    // The output is for programs and must not be wrapped, so it bypasses `out`.
    println!("{schema:#}");
    Ok(())
}

/// Runs `schema --write`.
pub fn write_schemas(library: &Arc<Library>, root: &Path, out: Printer) -> Result<(), Error> {
    let paths = schema::write_schemas(root, library)?;
    let line = |path: &PathBuf| format!("{}\n", path.display());
    out.print(
        || WrittenFiles::new(&paths),
        || paths.iter().map(line).collect(),
    );
    Ok(())
}
