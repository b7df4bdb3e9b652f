//! `casebook resolve`: resolves a situation.

use crate::author::pin;
use crate::command::args::{DiceArgs, OutputArgs, OutputFormat, RulesetArgs};
use crate::command::out::confirm_overwrite;
use crate::command::print_json;
use crate::command::targets::resolve_target;
#[cfg(feature = "vassal")]
use crate::command::vassal::write_log;
#[cfg(feature = "vassal")]
use crate::command::vassal_args::VassalArgs;
use crate::complaint::Error;
use crate::data::atomic_write::{never_replace, write_atomic};
use crate::data::library::Library;
use crate::reference::agreement::compare_transcripts;
use crate::reference::{Reference, run_machine};
use crate::ruleset::compose::RulesetSpec;
use crate::ruling::board_view::BoardView;
use crate::ruling::journal::Journal;
use crate::ruling::json::ruling_json;
use crate::ruling::moves::moves;
use crate::ruling::resolve::{self, ResolveRequest, Ruling};
use crate::ruling::situation::Situation;
use crate::situation::board::Board;
use crate::situation::overrides::Overrides;
use crate::situation::trace::Event;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// The arguments of `resolve`.
pub struct ResolveArgs {
    /// Dice and choices.
    pub args: DiceArgs,
    /// Overrides of the situation.
    pub overrides: Overrides,
    /// Whether to print the trace.
    pub trace: bool,
    /// The parts of the ruling to print.
    pub output: OutputArgs,
    /// Whether to run Rhai's own evaluator too and compare.
    pub reference: bool,
    /// The file for the journal.
    pub save: Option<PathBuf>,
    /// The file for a test of the ruling.
    pub pin: Option<PathBuf>,
    /// The file for the final board as a situation.
    pub save_situation: Option<PathBuf>,
    /// The log for VASSAL: how the saved game that it begins with was read, and the file.
    #[cfg(feature = "vassal")]
    pub log: Option<(VassalArgs, PathBuf)>,
}

impl ResolveArgs {
    /// Builds the request for the resolver.
    pub fn request(&self) -> ResolveRequest {
        ResolveRequest { trace: self.trace, ..self.args.settings().request(&self.args.source(), Arc::default()) }
    }
}

/// Runs `resolve`.
pub fn resolve(
    library: &Arc<Library>,
    wanted: &str,
    args: &RulesetArgs,
    play: ResolveArgs,
    format: OutputFormat,
    colour: bool,
) -> Result<ExitCode, Error> {
    let (name, spec) = resolve_target(library, wanted, args)?;
    run(library, &name, &spec, play, format, colour).map(|(code, _)| code)
}

/// Resolves a situation under the ruleset of a spec.
pub fn run(
    library: &Arc<Library>,
    name: &str,
    spec: &RulesetSpec,
    play: ResolveArgs,
    format: OutputFormat,
    colour: bool,
) -> Result<(ExitCode, Ruling), Error> {
    let situation = Situation::load_and_precompile(library, spec, name, &play.overrides)?;
    let mut resolved = resolve::resolve(&mut situation.machine(), &situation, play.request())?;
    if play.reference {
        let transcript = run_machine(&mut situation.machine(), &situation, play.request())?;
        match compare_transcripts(&transcript, &Reference::new(&situation.program).resolve(&situation, play.request())) {
            Ok(events) => eprintln!("note: Rhai's own evaluator agrees: {events} events"),
            Err(why) => return Err(Error::Usage(format!("Rhai's own evaluator disagrees: {why}"))),
        }
    }
    if let Some(path) = play.save {
        Journal::new(name, spec, play.args.source().seed(), moves(&resolved.events, &resolved.board), Some(&resolved.ruling.results))
            .with_overrides(&play.overrides)
            .write(&path, || confirm_overwrite(&path))?;
    }
    if let Some(path) = play.pin {
        pin::pin(&resolved.ruling, spec, &play.args.choose, &path)?;
    }
    let refused = resolved.ruling.refused.is_some();
    match play.save_situation {
        Some(path) if refused => eprintln!("{}", not_saved(&path)),
        Some(path) => save_situation(&situation, None, (&resolved.board, &resolved.events), &path)?,
        None => {}
    }
    #[cfg(feature = "vassal")]
    if let Some((from, out)) = play.log {
        write_log(library, &situation, &resolved, &from, &out)?;
    }
    if !play.output.only.is_empty() {
        retain_requested(&mut resolved.ruling, &play.output)?;
    }
    match format {
        OutputFormat::Json => {
            print_json(&ruling_json(&resolved, &situation, play.args.source().seed()));
        }
        OutputFormat::Text if play.output.brief => print!("{}", resolved.ruling.render_brief(colour)),
        OutputFormat::Text => print!("{}", resolved.ruling.render_with(colour, play.output.sources)),
    }
    let ruling = resolved.ruling;
    Ok((ExitCode::from(u8::from(refused)), ruling))
}

/// Explains why no board is saved after a refusal.
pub fn not_saved(path: &Path) -> String {
    format!("note: {} was not written: what is refused changes nothing, and the board is as the situation has it", path.display())
}

/// Keeps only the requested steps and outcomes of a ruling.
fn retain_requested(ruling: &mut Ruling, shown: &OutputArgs) -> Result<(), Error> {
    let titles = ruling.steps.iter().map(|step| step.title.clone()).filter(|title| !title.is_empty());
    let mut names: Vec<String> = ruling.results.keys().cloned().chain(titles).collect();
    names.dedup();
    shown.check_names(&names)?;
    ruling.steps.retain(|step| !step.title.is_empty() && shown.includes(&step.title));
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
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if path.extension().is_none_or(|end| end != "yaml") || name.is_empty() {
        let game = &situation.ruleset().game.name;
        return Err(Error::Usage(format!("{}: a situation is a file such as scenarios/{game}/afterwards.yaml", path.display())));
    }
    let note = format!("the board that {} left under {}", situation.scenario.name, situation.ruleset().title());
    write_atomic(path, BoardView::new(situation, board, events).to_scenario_yaml(situation, step, name, &note), never_replace)?;
    let game = &situation.ruleset().game.name;
    let found = |folder: &Path| {
        folder.ends_with(format!("scenarios/{game}")) || folder.ends_with("scenarios") && folder.parent().is_some_and(is_variant_folder)
    };
    if !std::path::absolute(path).ok().and_then(|path| path.parent().map(found)).unwrap_or(false) {
        eprintln!(
            "note: {} is a situation where it stands in scenarios/{game}/ of a data folder; put it there to go on from it",
            path.display()
        );
    }
    Ok(())
}

/// Returns whether a folder is that of a variant.
fn is_variant_folder(folder: &Path) -> bool {
    folder.parent().is_some_and(|parent| parent.ends_with("variants"))
}
