//! `casebook new`: scaffolds files.

use crate::author::cell_count::CellCount;
use crate::author::charts::{self, ChartRequest, SpreadsheetChart};
use crate::author::situations::{self, Destination};
use crate::author::{scaffold, starter};
use crate::command::args::{DiceArgs, OutputArgs, OutputFormat, RulesetArgs};
use crate::command::new_args::NewArgs;
use crate::command::print_json;
use crate::command::resolve::{self, ResolveArgs};
use crate::command::targets::{resolve_game, resolve_target};
#[cfg(feature = "vassal")]
use crate::command::vassal;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::data::text_file::{large_text_of, limited_text_of};
use crate::situation::overrides::Overrides;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Runs `new`.
pub fn new(library: &Arc<Library>, root: &Path, what: NewArgs, format: OutputFormat, colour: bool) -> Result<ExitCode, Error> {
    let named = |name: &str| resolve_game(library, name);
    let (written, counts) = match what {
        NewArgs::Game { name, title } => (starter::new_game(library, root, &name, title.as_deref())?, Vec::new()),
        NewArgs::Variant { name, title, tables, game } => {
            scaffold::new_variant(library, root, &named(&game)?, (&name, title.as_deref()), tables)?
        }
        NewArgs::Case { number, variant, game, new } => {
            (scaffold::new_case(library, root, &named(&game)?, variant.as_deref(), &number, new)?, Vec::new())
        }
        NewArgs::Table { name, variant, from, dice, fields, game, new } => {
            let sheet = from.map(|path| read_input(&path).and_then(|text| SpreadsheetChart::parse(&text))).transpose()?;
            let wanted = ChartRequest { id: &name, variant: variant.as_deref(), sheet, dice: dice.as_deref(), fields, is_new: new };
            charts::write_table(library, root, &named(&game)?, &wanted)?
        }
        NewArgs::Situation { name, like, procedure, variant, game } => {
            let of_variant = |name: &String| library.variants.get(name).filter(|_| game.is_empty()).map(|variant| variant.game.clone());
            let game = variant.as_ref().and_then(of_variant).map_or_else(|| named(&game), Ok)?;
            let home = Destination { game: &game, variant: variant.as_deref() };
            let written = match like {
                Some(like) => situations::copy_situation(library, root, home, &name, &like)?,
                None => situations::new_situation(library, root, home, &name, procedure.as_deref())?,
            };
            (written, Vec::new())
        }
        #[cfg(feature = "vassal")]
        NewArgs::Map { name, module, like, game } => {
            let (written, note) = vassal::new_map(library, &module, name.as_deref(), &game, &like)?;
            note.iter().for_each(|note| eprintln!("{note}"));
            (vec![written], Vec::new())
        }
        NewArgs::Test { name, given, ruleset, play } => return test(library, root, &name, &given, &ruleset, play, format, colour),
    };
    let paths: Vec<String> = written.iter().map(|p| p.strip_prefix(".").unwrap_or(p).display().to_string()).collect();
    let count = |t: &CellCount| json!({ "table": t.table, "cells": t.cells, "reconstructed": t.reconstructed, "missing": t.missing });
    match format {
        OutputFormat::Json => print_json(&json!({ "written": paths, "tables": counts.iter().map(count).collect::<Vec<_>>() })),
        OutputFormat::Text => {
            paths.iter().for_each(|p| println!("{p}"));
            counts.iter().for_each(|count| eprintln!("{}", count.describe()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a file, or standard input if the path is `-`.
fn read_input(path: &Path) -> Result<String, Error> {
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
    args: DiceArgs,
    format: OutputFormat,
    colour: bool,
) -> Result<ExitCode, Error> {
    scaffold::check_plain_name(name)?;
    let (situation, spec) = resolve_target(library, given, ruleset)?;
    let path: PathBuf = root.join("tests").join(&spec.game).join(format!("{name}.yaml"));
    let play = ResolveArgs {
        args,
        overrides: Overrides::default(),
        trace: false,
        output: OutputArgs::default(),
        reference: false,
        save: None,
        pin: Some(path),
        save_situation: None,
        #[cfg(feature = "vassal")]
        log: None,
    };
    resolve::run(library, &situation, &spec, play, format, colour).map(|(code, _)| code)
}
