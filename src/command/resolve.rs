//! `casebook resolve`: carries out a situation, or a saved journal again.

use crate::author::pin;
use crate::command::args::{Format, PlayArgs, RulesetArgs};
use crate::command::meant::meant;
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::ruleset::compose::Wish;
use crate::ruling::journal::Journal;
use crate::ruling::resolve::{self, Order, Ruling};
use crate::ruling::situation::Situation;
use crate::situation::dice::{Seeded, Stream, Typed};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// How one ruling is played, with what is done with it.
pub struct Play {
    /// Dice and choices.
    pub args: PlayArgs,
    /// Whether everything is printed.
    pub trace: bool,
    /// Where the journal goes.
    pub save: Option<PathBuf>,
    /// The file that gets a test of the ruling.
    pub pin: Option<PathBuf>,
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
    let situation = Situation::of(library, wish, name)?;
    let ruling = resolve::resolve(&mut situation.machine(), &situation, play.order())?.ruling;
    if let Some(path) = play.save {
        Journal::new(&ruling, wish, &play.args.choose).write(&path)?;
    }
    if let Some(path) = play.pin {
        pin::pin(&ruling, wish, &play.args.choose, &path)?;
    }
    if format == Format::Json {
        print_json(&json!(ruling))
    } else {
        print!("{}", ruling.render(colour))
    }
    Ok((ExitCode::from(u8::from(ruling.refused.is_some())), ruling))
}

/// Carries out a saved journal again.
pub fn replayed(library: &Arc<Library>, path: &Path, play: Play, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let journal = Journal::read(path)?;
    let choose = journal.choices.clone().into_iter().collect();
    let args = PlayArgs { dice: Some(journal.dice.clone()), choose, ..play.args };
    let play = Play { args, ..play };
    let (code, ruling) = carry_out(library, &journal.situation, &journal.wish(), play, format, colour)?;
    if ruling.results != journal.results {
        eprintln!("\nnote: this is not what the journal says; the rules have changed since it was written:\n  {}", json!(journal.results));
        return Ok(ExitCode::from(1));
    }
    Ok(code)
}
