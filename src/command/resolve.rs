//! `casebook resolve`: carries out a situation.

use crate::author::pin;
use crate::command::args::{Format, PlayArgs, RulesetArgs, ShownArgs};
use crate::command::meant::meant;
use crate::command::out::sure;
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::data::save::{never, write_whole};
use crate::reference::agree::agree;
use crate::reference::{Reference, by_machine};
use crate::ruleset::compose::Wish;
use crate::ruling::data::data;
use crate::ruling::journal::Journal;
use crate::ruling::moves::moves;
use crate::ruling::position::Position;
use crate::ruling::resolve::{self, Order, Ruling};
use crate::ruling::situation::Situation;
use crate::situation::board::Board;
use crate::situation::dice::{Seeded, Stream, Typed};
use crate::situation::overrides::Overrides;
use crate::situation::trace::Event;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// How one ruling is played, with what is done with it.
pub struct Play {
    /// Dice and choices.
    pub args: PlayArgs,
    /// Figures set by hand.
    pub overrides: Overrides,
    /// Whether everything is printed.
    pub trace: bool,
    /// How much of it is printed.
    pub shown: ShownArgs,
    /// Whether Rhai's own evaluator carries it out too.
    pub reference: bool,
    /// Where the journal goes.
    pub save: Option<PathBuf>,
    /// The file that gets a test of the ruling.
    pub pin: Option<PathBuf>,
    /// Where the board goes, as a situation.
    pub save_situation: Option<PathBuf>,
}

impl Play {
    /// The order to carry it out.
    pub fn order(&self) -> Order {
        let (stream, dice_from): (Box<dyn Stream>, String) = match &self.args.dice {
            None => (Box::new(Seeded::new(self.args.seed)), format!("seed {}", self.args.seed)),
            Some(faces) => {
                let text = faces.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
                (Box::new(Typed::new(faces.clone())), format!("dice {text}"))
            }
        };
        Order {
            stream,
            dice_from,
            choices: self.args.choose.clone(),
            policies: Arc::default(),
            strict: self.args.strict,
            trace: self.trace,
        }
    }
}

/// Carries out `resolve`.
pub fn resolve(
    library: &Arc<Library>,
    wanted: &str,
    args: &RulesetArgs,
    play: Play,
    format: Format,
    colour: bool,
) -> Result<ExitCode, Error> {
    let (name, wish) = meant(library, wanted, args)?;
    carry_out(library, &name, &wish, play, format, colour).map(|(code, _)| code)
}

/// Carries out a situation under what is wished for.
pub fn carry_out(
    library: &Arc<Library>,
    name: &str,
    wish: &Wish,
    play: Play,
    format: Format,
    colour: bool,
) -> Result<(ExitCode, Ruling), Error> {
    let situation = Situation::at_once(library, wish, name, &play.overrides)?;
    let mut ran = resolve::resolve(&mut situation.machine(), &situation, play.order())?;
    if play.reference {
        let told = by_machine(&mut situation.machine(), &situation, play.order())?;
        match agree(&told, &Reference::new(&situation.program).resolve(&situation, play.order())) {
            Ok(events) => eprintln!("note: Rhai's own evaluator comes to the same: {events} events"),
            Err(why) => return Err(Error::Usage(format!("Rhai's own evaluator comes to something else: {why}"))),
        }
    }
    if let Some(path) = play.save {
        let seed = play.args.dice.is_none().then_some(play.args.seed);
        Journal::new(name, wish, seed, moves(&ran.events, &ran.board), Some(&ran.ruling.results))
            .with_overrides(&play.overrides)
            .write(&path, || sure(&path))?;
    }
    if let Some(path) = play.pin {
        pin::pin(&ran.ruling, wish, &play.args.choose, &path)?;
    }
    let refused = ran.ruling.refused.is_some();
    match play.save_situation {
        Some(path) if refused => eprintln!("{}", not_saved(&path)),
        Some(path) => save_situation(&situation, None, (&ran.board, &ran.events), &path)?,
        None => {}
    }
    if !play.shown.only.is_empty() {
        only(&mut ran.ruling, &play.shown)?;
    }
    match format {
        Format::Json => {
            let seed = play.args.dice.is_none().then_some(play.args.seed);
            print_json(&data(&ran, &situation, seed));
        }
        Format::Text if play.shown.brief => print!("{}", ran.ruling.brief(colour)),
        Format::Text => print!("{}", ran.ruling.told(colour, play.shown.sources)),
    }
    let ruling = ran.ruling;
    Ok((ExitCode::from(u8::from(refused)), ruling))
}

/// Why no board is saved after a refusal.
pub fn not_saved(path: &Path) -> String {
    format!("note: {} was not written: what is refused changes nothing, and the board is as the situation has it", path.display())
}

/// Keeps the parts and outcomes of a ruling that are asked for.
fn only(ruling: &mut Ruling, shown: &ShownArgs) -> Result<(), Error> {
    let titles = ruling.steps.iter().map(|step| step.title.clone()).filter(|title| !title.is_empty());
    let mut names: Vec<String> = ruling.results.keys().cloned().chain(titles).collect();
    names.dedup();
    shown.known(&names)?;
    ruling.steps.retain(|step| !step.title.is_empty() && shown.wants(&step.title));
    ruling.results.retain(|name, _| shown.wants(name));
    Ok(())
}

/// Saves a board, on which all this happened, as a situation from which everything goes on; in a game at the phase and procedure named. In a folder of scenarios it
/// is found by its name.
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
    write_whole(path, &Position::new(situation, board, events).file(situation, step, name, &note), never)?;
    let game = &situation.ruleset().game.name;
    let found = |folder: &Path| {
        folder.ends_with(format!("scenarios/{game}")) || folder.ends_with("scenarios") && folder.parent().is_some_and(of_a_variant)
    };
    if !std::path::absolute(path).ok().and_then(|path| path.parent().map(found)).unwrap_or(false) {
        eprintln!(
            "note: {} is a situation where it stands in scenarios/{game}/ of a data folder; put it there to go on from it",
            path.display()
        );
    }
    Ok(())
}

/// Whether a folder is that of a variant.
fn of_a_variant(folder: &Path) -> bool {
    folder.parent().is_some_and(|parent| parent.ends_with("variants"))
}
