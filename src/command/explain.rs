//! `casebook explain`: what a law demands, and why.

use crate::command::args::Format;
use crate::command::print_json;
use crate::complaint::{Error, near};
use crate::ruleset::laws;
use serde_json::json;
use std::process::ExitCode;

/// Carries out `explain`.
pub fn explain(law: Option<&str>, format: Format) -> Result<ExitCode, Error> {
    let Some(law) = law else {
        let all: Vec<_> = laws::names().map(|name| (name, laws::explain(name).unwrap_or_default())).collect();
        match format {
            Format::Json => {
                print_json(&json!({ "laws": all.iter().map(|(n, t)| json!({ "law": n, "text": t })).collect::<Vec<_>>() }));
            }
            Format::Text => all.iter().for_each(|(n, t)| println!("{n:<16} {}", t.lines().next().unwrap_or_default())),
        }
        return Ok(ExitCode::SUCCESS);
    };
    let text = laws::explain(law).ok_or_else(|| Error::Unknown { what: "law", name: law.into(), near: near(law, laws::names()) })?;
    if format == Format::Json {
        print_json(&json!({ "law": law, "text": text }))
    } else {
        println!("{law}\n\n{text}")
    }
    Ok(ExitCode::SUCCESS)
}
