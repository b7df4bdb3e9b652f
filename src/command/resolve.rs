//! `casebook resolve`: resolves a situation.

use crate::command::out::{Printer, confirm_overwrite, exit_code};
use crate::command::ruleset_args::{DiceArgs, OutputArgs, RulesetArgs, SetArgs};
use crate::command::targets::{NamedSituation, resolve_situation, resolve_target};
#[cfg(feature = "vassal")]
use crate::command::vassal::write_log;
use casebook_checks::author::dry_run::set_up_notes;
use casebook_checks::author::headline_checks::check_headline_of;
use casebook_checks::author::pin;
use casebook_checks::author::pin_parts::{PinParts, others_in_words};
use casebook_checks::testing::suite::PINS;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::data::transaction::{never_replace, write_atomic};
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::board_view::BoardView;
use casebook_engine::ruling::journal::Journal;
use casebook_engine::ruling::json::RulingReport;
use casebook_engine::ruling::moves::moves;
use casebook_engine::ruling::resolve::{self, ResolveRequest, Ruling};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::trace::Event;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// The arguments of `resolve`.
#[derive(Args, Default)]
pub struct ResolveArgs {
    /// A situation; a part of its name or title will do
    pub situation: String,
    #[command(flatten)]
    pub ruleset: RulesetArgs,
    #[command(flatten)]
    pub play: DiceArgs,
    #[command(flatten)]
    pub set: SetArgs,
    /// Print every call, every figure read and every throw
    #[arg(long)]
    pub trace: bool,
    #[command(flatten)]
    pub shown: OutputArgs,
    /// Save the journal: ruleset, dice and choices
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Add a test that holds this ruling to a file: tests/<game>/<name>.yaml
    #[arg(long, value_name = "FILE")]
    pub pin: Option<PathBuf>,
    /// What the pinned ruling shows, in one sentence.
    #[arg(skip)]
    pub because: Option<String>,
    /// Save the final board as a situation: scenarios/GAME/NAME.yaml
    #[arg(long, value_name = "FILE")]
    pub save_situation: Option<PathBuf>,
    /// Write the ruling as a log that VASSAL steps through, counters and all
    #[cfg(feature = "vassal")]
    #[arg(long, value_name = "FILE")]
    pub vlog: Option<PathBuf>,
}

/// Runs `resolve`.
pub fn resolve(library: &Arc<Library>, args: ResolveArgs, out: Printer) -> Result<ExitCode, Error> {
    let overrides = args.set.overrides()?;
    let (name, spec) = resolve_target(library, &args.situation, &args.ruleset)?;
    let situation = Situation::load_and_precompile(library, &spec, &name, &overrides)?;
    let request = ResolveRequest {
        trace: args.trace,
        ..args.play.request()
    };
    let mut resolved = resolve::resolve(&mut situation.machine(), &situation, request)?;
    let ruling = &resolved.ruling;
    for note in set_up_notes(&situation) {
        eprintln!("note: {}", note.message);
    }
    if ruling.refused.is_none() && ruling.dice.is_empty() && ruling.results.is_empty() {
        let has_lines = ruling.lines().next().is_some();
        let is_changed = resolved
            .board
            .differs_from(&Board::new(situation.initial_board.clone()));
        if !has_lines && !is_changed {
            eprintln!(
                "note: nothing came of it: {} threw nothing, said nothing and changed nothing here",
                situation.procedure
            );
        }
    }
    let results = &resolved.ruling.results;
    check_headline_of(&situation, |name| results.contains_key(name))?;
    let seed = args.play.source().seed();
    if let Some(path) = &args.save {
        Journal::new(
            &name,
            &spec,
            seed,
            moves(&resolved.events, &resolved.board),
            Some(&resolved.ruling.results),
        )
        .with_overrides(&overrides)
        .write(path, || confirm_overwrite(path))?;
    }
    if let Some(path) = &args.pin {
        let because = args.because.as_deref();
        let parts = match (because, &args.shown.only[..]) {
            (None, _) => PinParts::all(&resolved.ruling),
            (_, []) => PinParts::of_headline(&situation, &resolved),
            (_, names) => PinParts::named(&resolved.ruling, names)?,
        };
        let pinned = (&resolved.ruling, &parts);
        pin::pin(library, pinned, (&spec, because), &args.play.choose, path)?;
        eprintln!("note: pinned in {}", path.display());
        if because.is_some() {
            let other = |spec: &RulesetSpec| {
                Situation::load_and_precompile(library, spec, &name, &overrides)
            };
            let choices = &args.play.choose;
            let others = parts.hold_against(&situation, &resolved, choices, &other);
            eprintln!("{}", parts.in_words());
            others_in_words(&others)
                .iter()
                .for_each(|line| eprintln!("{line}"));
        }
    }
    let refused = resolved.ruling.refused.is_some();
    match &args.save_situation {
        Some(path) if refused => eprintln!("{}", not_saved(path)),
        Some(path) => save_situation(&situation, None, (&resolved.board, &resolved.events), path)?,
        None => {}
    }
    #[cfg(feature = "vassal")]
    if let Some(path) = &args.vlog {
        write_log(library, &situation, &resolved, &args.set.vassal, path)?;
    }
    if !args.shown.only.is_empty() && args.because.is_none() {
        retain_requested(&mut resolved.ruling, &args.shown)?;
    }
    let text = || match args.shown.brief {
        true => resolved.ruling.render_brief(out.page),
        false => resolved.ruling.render_with(out.page, args.shown.sources),
    };
    out.print(|| RulingReport::new(&resolved, &situation, seed), text);
    Ok(exit_code(refused))
}

/// Runs `pin`: resolves a situation and keeps the ruling as a test, in a file of the game's own unless one is named.
pub fn pin(
    library: &Arc<Library>,
    root: &Path,
    because: String,
    args: ResolveArgs,
    out: Printer,
) -> Result<ExitCode, Error> {
    let NamedSituation { game, .. } =
        resolve_situation(library, &args.situation, &args.ruleset.game)?;
    let path = args
        .pin
        .clone()
        .unwrap_or_else(|| root.join(format!("tests/{game}{PINS}")));
    resolve(
        library,
        ResolveArgs {
            pin: Some(path),
            because: Some(because),
            ..args
        },
        out,
    )
}

/// Explains why no board is saved after a refusal.
pub fn not_saved(path: &Path) -> String {
    format!(
        "note: {} was not written: what is refused changes nothing, and the board is as the situation has it",
        path.display()
    )
}

/// Keeps only the requested steps and outcomes of a ruling.
fn retain_requested(ruling: &mut Ruling, shown: &OutputArgs) -> Result<(), Error> {
    let titles = ruling
        .steps
        .iter()
        .map(|step| step.title.clone())
        .filter(|title| !title.is_empty());
    let mut names: Vec<String> = ruling.results.keys().cloned().chain(titles).collect();
    names.dedup();
    shown.check_names(&names)?;
    ruling
        .steps
        .retain(|step| !step.title.is_empty() && shown.includes(&step.title));
    ruling.results.retain(|name, _| shown.includes(name));
    Ok(())
}

/// Saves the board after the given events as a situation to continue from; in a game at the given phase and procedure. In a scenarios
/// folder it can be found by name.
pub fn save_situation(
    situation: &Situation,
    step: Option<(&str, &str)>,
    (board, events): (&Board, &[Event]),
    path: &Path,
) -> Result<(), Error> {
    let name = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    if path.extension().is_none_or(|end| end != "yaml") || name.is_empty() {
        let game = &situation.ruleset().game.name;
        return Err(Error::Usage(format!(
            "{}: a situation is a file such as scenarios/{game}/afterwards.yaml",
            path.display()
        )));
    }
    let note = format!(
        "the board that {} left under {}",
        situation.scenario.name,
        situation.ruleset().title()
    );
    write_atomic(
        path,
        BoardView::new(situation, board, events).to_scenario_yaml(situation, step, name, &note),
        never_replace,
    )?;
    let game = &situation.ruleset().game.name;
    let is_situation_folder = |folder: &Path| {
        folder.ends_with(format!("scenarios/{game}"))
            || folder.ends_with("scenarios") && folder.parent().is_some_and(is_variant_folder)
    };
    if !std::path::absolute(path)
        .ok()
        .and_then(|path| path.parent().map(is_situation_folder))
        .unwrap_or(false)
    {
        eprintln!(
            "note: {} is a situation if it is in scenarios/{game}/ of a data folder; put it there to go on from it",
            path.display()
        );
    }
    Ok(())
}

/// Returns whether a folder is that of a variant.
fn is_variant_folder(folder: &Path) -> bool {
    folder
        .parent()
        .is_some_and(|parent| parent.ends_with("variants"))
}
