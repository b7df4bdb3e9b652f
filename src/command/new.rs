//! `casebook new`: lays out files to fill in.

use crate::author::charts::{self, Sheet, Wanted};
use crate::author::count::Count;
use crate::author::situations::{self, Home};
use crate::author::{scaffold, starter};
use crate::command::args::{Format, PlayArgs, RulesetArgs, ShownArgs};
use crate::command::laid::New;
use crate::command::meant::{game, meant};
use crate::command::print_json;
use crate::command::resolve::{self, Play};
use crate::complaint::Error;
use crate::data::library::Library;
use crate::data::plain::{large_text_of, limited_text_of};
use crate::situation::overrides::Overrides;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Carries out `new`.
pub fn new(library: &Arc<Library>, root: &Path, what: New, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let named = |name: &str| game(library, name);
    let (written, counts) = match what {
        New::Game { name, title } => (starter::game(library, root, &name, title.as_deref())?, Vec::new()),
        New::Variant { name, title, tables, game } => scaffold::variant(library, root, &named(&game)?, (&name, title.as_deref()), tables)?,
        New::Case { number, variant, game, new } => {
            (scaffold::case(library, root, &named(&game)?, variant.as_deref(), &number, new)?, Vec::new())
        }
        New::Table { name, variant, from, dice, fields, game, new } => {
            let sheet = from.map(|path| text(&path).and_then(|text| Sheet::read(&text))).transpose()?;
            let wanted = Wanted { id: &name, variant: variant.as_deref(), sheet, dice: dice.as_deref(), fields, new };
            charts::table(library, root, &named(&game)?, &wanted)?
        }
        New::Situation { name, like, procedure, variant, game } => {
            let of_variant = |name: &String| library.variants.get(name).filter(|_| game.is_empty()).map(|variant| variant.game.clone());
            let game = variant.as_ref().and_then(of_variant).map_or_else(|| named(&game), Ok)?;
            let home = Home { game: &game, variant: variant.as_deref() };
            let written = match like {
                Some(like) => situations::scenario(library, root, home, &name, &like)?,
                None => situations::situation(library, root, home, &name, procedure.as_deref())?,
            };
            (written, Vec::new())
        }
        New::Test { name, given, ruleset, play } => return test(library, root, &name, &given, &ruleset, play, format, colour),
    };
    let paths: Vec<String> = written.iter().map(|p| p.strip_prefix(".").unwrap_or(p).display().to_string()).collect();
    let count = |t: &Count| json!({ "table": t.table, "cells": t.cells, "reconstructed": t.reconstructed, "missing": t.missing });
    match format {
        Format::Json => print_json(&json!({ "written": paths, "tables": counts.iter().map(count).collect::<Vec<_>>() })),
        Format::Text => {
            paths.iter().for_each(|p| println!("{p}"));
            counts.iter().for_each(|count| eprintln!("{}", count.line()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The text of a file, or what is typed or pasted where it is `-`.
fn text(path: &Path) -> Result<String, Error> {
    let fail = |source| Error::File { path: path.display().to_string(), source };
    if path == Path::new("-") { limited_text_of(std::io::stdin()).map_err(fail) } else { large_text_of(path).map_err(fail) }
}

#[allow(clippy::too_many_arguments)]
fn test(
    library: &Arc<Library>,
    root: &Path,
    name: &str,
    given: &str,
    ruleset: &RulesetArgs,
    args: PlayArgs,
    format: Format,
    colour: bool,
) -> Result<ExitCode, Error> {
    scaffold::plain_name(name)?;
    let (situation, wish) = meant(library, given, ruleset)?;
    let path: PathBuf = root.join("tests").join(&wish.game).join(format!("{name}.yaml"));
    let play = Play {
        args,
        overrides: Overrides::default(),
        trace: false,
        shown: ShownArgs::default(),
        reference: false,
        save: None,
        pin: Some(path),
        save_situation: None,
    };
    resolve::carry_out(library, &situation, &wish, play, format, colour).map(|(code, _)| code)
}
