//! `casebook explain`, `guide`, `list --verbs` and `schema`: how rules are written.

use crate::author::explain::{self, Explained};
use crate::author::{guide, schema};
use crate::command::args::Format;
use crate::command::print_json;
use crate::complaint::{Error, near};
use crate::data::save::write_whole;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

fn print(pages: Vec<Explained>, format: Format) -> Result<ExitCode, Error> {
    match format {
        Format::Json if pages.len() == 1 => print_json(&pages[0].json),
        Format::Json => print_json(&json!({ "explained": pages.into_iter().map(|page| page.json).collect::<Vec<_>>() })),
        Format::Text => print!("{}", pages.iter().map(|page| page.text.as_str()).collect::<Vec<_>>().join("\n\n")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Carries out `explain`.
pub fn explain(name: Option<&str>, format: Format) -> Result<ExitCode, Error> {
    print(name.map_or_else(|| Ok(vec![explain::contents()]), explain::explain)?, format)
}

/// Carries out `list --verbs`.
pub fn verbs(format: Format) -> Result<ExitCode, Error> {
    print(vec![explain::verbs()], format)
}

/// Carries out `guide`.
pub fn guide(topic: Option<&str>, format: Format) -> Result<ExitCode, Error> {
    let page = match topic {
        Some(topic) => {
            let text = guide::chapter(topic)?;
            Explained { text: text.into(), json: json!({ "title": guide::title(text), "text": text }) }
        }
        None => {
            let lines = guide::CHAPTERS.iter().zip(1..).map(|((name, text), n)| format!("  {n}  {name:<10} {}\n", guide::title(text)));
            let text = format!("The guide, in eight chapters:\n\n{}\n`casebook guide 1` begins.\n", lines.collect::<String>());
            let chapters: Vec<Value> =
                guide::CHAPTERS.iter().map(|(name, text)| json!({ "chapter": name, "title": guide::title(text) })).collect();
            Explained { text, json: json!({ "chapters": chapters }) }
        }
    };
    print(vec![page], format)
}

/// Carries out `schema` of a kind of file.
pub fn schema(name: &str) -> Result<ExitCode, Error> {
    let names = || schema::files().map(|format| format.name);
    let found = schema::files().find(|format| format.name == name);
    let found = found.ok_or_else(|| Error::Unknown { what: "kind of file", name: name.into(), near: near(name, names()) })?;
    // It is for another program, and goes out as it is.
    println!("{:#}", schema::schema(found));
    Ok(ExitCode::SUCCESS)
}

/// Carries out `schema --write`.
pub fn lay_out(root: &Path, format: Format) -> Result<ExitCode, Error> {
    let files = schema::laid_out(root);
    for (path, text) in &files {
        write_whole(path, text, |_| Ok(()))?;
    }
    let paths: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    match format {
        Format::Json => print_json(&json!({ "written": paths })),
        Format::Text => paths.iter().for_each(|path| println!("{path}")),
    }
    Ok(ExitCode::SUCCESS)
}
