//! Opens the game that `play` goes on with: a situation from its start, or a journal.

use crate::command::args::RulesetArgs;
use crate::command::committed_dice::CommittedDice;
use crate::command::targets::{is_journal, read_journal, resolve_target};
use crate::complaint::Error;
use crate::data::library::Library;
use crate::ruleset::compose::RulesetSpec;
use crate::ruling::journal::Journal;
use crate::ruling::session::Session;
use crate::ruling::situation::Situation;
use crate::situation::overrides::Overrides;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The arguments of `play`.
pub struct PlayArgs {
    /// Overrides of the situation.
    pub overrides: Overrides,
    /// The policy of each side.
    pub policies: Vec<(String, String)>,
    /// The seed of dice that are not typed.
    pub seed: Option<u64>,
    /// Memory limit of the odds from the current state, in bytes.
    pub memory: u64,
    /// Whether a reconstructed value is an error.
    pub strict: bool,
    /// The file for the journal.
    pub save: Option<PathBuf>,
    /// Whether the dice are committed to before the first throw.
    pub commit: bool,
    /// The file for the final board.
    pub save_situation: Option<PathBuf>,
}

/// A game to play.
pub struct OpenedGame {
    /// The session.
    pub session: Session,
    /// The name of the situation.
    pub name: String,
    /// The ruleset.
    pub spec: RulesetSpec,
    /// The seed of the dice.
    pub seed: u64,
    /// Overrides of the situation.
    pub overrides: Overrides,
    /// The commitment to the dice, if there is one.
    pub dice: Option<CommittedDice>,
}

/// Opens a game. Of dice that are committed to, the hash is printed to `out`, and the half of the other side is asked for.
pub fn open_game(
    library: &Arc<Library>,
    wanted: &str,
    args: &RulesetArgs,
    ask: &PlayArgs,
    out: &mut dyn Write,
) -> Result<OpenedGame, Error> {
    let random = || RandomState::new().hash_one(wanted) % 1_000_000;
    if is_journal(wanted) {
        let (mut journal, places) = read_journal(wanted, args, &ask.overrides)?;
        let dice = match &journal.commitment {
            _ if ask.commit => {
                return Err(Error::Usage("--commit is for a game from its beginning: give the situation, not a journal".into()));
            }
            Some(known) if journal.results.is_none() => {
                Some(CommittedDice::resume(known, Path::new(wanted))?.ask_half(&journal, Path::new(wanted), out)?)
            }
            _ => None,
        };
        let seed = dice.as_ref().map(CommittedDice::seed).or(journal.seed).or(ask.seed).unwrap_or_else(random);
        journal.seed = Some(seed);
        let session = journal.play_back(library, &places, ask.strict)?;
        let (name, spec, overrides) = (journal.situation.clone(), journal.spec(), journal.overrides);
        return Ok(OpenedGame { session, name, spec, seed, overrides, dice });
    }
    let (name, spec) = resolve_target(library, wanted, args)?;
    let situation = Situation::with_overrides(library, &spec, &name, &ask.overrides)?;
    let dice = match &ask.save {
        Some(path) if ask.commit => {
            let journal = Journal::new(&name, &spec, None, Vec::new(), None).with_overrides(&ask.overrides);
            Some(CommittedDice::draw(path)?.ask_half(&journal, path, out)?)
        }
        _ => None,
    };
    let seed = dice.as_ref().map(CommittedDice::seed).or(ask.seed).unwrap_or_else(random);
    let session = Session::begin(situation, seed, ask.strict)?;
    Ok(OpenedGame { session, name, spec, seed, overrides: ask.overrides.clone(), dice })
}
