//! Opens the game that `play` goes on with: a situation from its start, or a journal.

use crate::command::arg_parsers::{pair, run_count, shard, whole};
use crate::command::committed_dice::CommittedDice;
use crate::command::ruleset_args::{RulesetArgs, SetArgs};
use crate::command::targets::{is_journal, read_journal, resolve_target};
use casebook_analysis::odds::shards::Shard;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruling::journal::Journal;
use casebook_engine::ruling::session::Session;
use casebook_engine::ruling::situation::Situation;
use clap::Args;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The arguments of `play`.
#[derive(Args)]
pub struct PlayArgs {
    /// A situation, a part of its name or title, or a saved journal
    pub situation: String,
    #[command(flatten)]
    pub ruleset: RulesetArgs,
    #[command(flatten)]
    pub set: SetArgs,
    /// The policy of a side: 'SIDE=first', or all=...; first, last, highest, lowest, random, a style of the game or '|what, options| options[0]'
    #[arg(long, alias = "style", value_parser = pair, value_name = "SIDE=POLICY")]
    pub policy: Vec<(String, String)>,
    /// The seed of the dice you don't type [default: a new one each time; 1 with --games]
    #[arg(long, value_parser = whole::<u64>)]
    pub seed: Option<u64>,
    /// Play this many whole games by policies and count the outcomes
    #[arg(long, value_name = "N", value_parser = run_count, conflicts_with_all = ["save", "save_situation", "strict"])]
    pub games: Option<u64>,
    /// Play only part K of N of these games; `casebook merge` joins the parts saved with --format json
    #[arg(long, value_name = "K/N", value_parser = shard, requires = "games", default_value = "1/1", hide_default_value = true)]
    pub shard: Shard,
    /// Refuse reconstructed figures
    #[arg(long)]
    pub strict: bool,
    /// Save the journal after each answer
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Print the hash of a secret seed before the first throw; the journal reveals the seed at the end
    #[arg(long, requires = "save", conflicts_with_all = ["seed", "games"])]
    pub commit: bool,
    /// Save the final board as a situation: scenarios/GAME/NAME.yaml
    #[arg(long, value_name = "FILE")]
    pub save_situation: Option<PathBuf>,
}

/// A game to play.
pub struct OpenedGame {
    /// The session.
    pub session: Session,
    /// The journal: rules, situation, who plays, and the seed of the dice; its moves are those of the session.
    pub journal: Journal,
    /// The commitment to the dice, if there is one.
    pub dice: Option<CommittedDice>,
}

/// Opens a game. Of dice that are committed to, the hash is printed to `out`, and the half of the other side is asked for.
pub fn open_game(
    library: &Arc<Library>,
    args: &PlayArgs,
    out: &mut dyn Write,
) -> Result<OpenedGame, Error> {
    let (target, overrides) = (&*args.situation, args.set.overrides()?);
    let random = || RandomState::new().hash_one(target) % 1_000_000;
    if is_journal(target) {
        let (mut journal, places) = read_journal(target, &args.ruleset, &overrides)?;
        let dice = match &journal.commitment {
            _ if args.commit => {
                return Err(Error::Usage(
                    "--commit is for a game from its beginning: give the situation, not a journal"
                        .into(),
                ));
            }
            Some(commitment) if journal.results.is_none() => Some(
                CommittedDice::resume(commitment, Path::new(target))?.ask_half(
                    &journal,
                    Path::new(target),
                    out,
                )?,
            ),
            _ => None,
        };
        let seed = dice
            .as_ref()
            .map(CommittedDice::seed)
            .or(journal.seed)
            .or(args.seed)
            .unwrap_or_else(random);
        journal.seed = Some(seed);
        let session = journal.play_back(library, &places, args.strict)?;
        journal.commitment = None;
        journal.policy.extend(args.policy.iter().cloned());
        return Ok(OpenedGame {
            session,
            journal,
            dice,
        });
    }
    let (name, spec) = resolve_target(library, target, &args.ruleset)?;
    let situation = Situation::with_overrides(library, &spec, &name, &overrides)?;
    let mut journal = Journal::new(&name, &spec, None, Vec::new(), None)
        .with_overrides(&overrides)
        .with_policy(args.policy.clone());
    let dice = match &args.save {
        Some(path) if args.commit => {
            Some(CommittedDice::draw(path)?.ask_half(&journal, path, out)?)
        }
        _ => None,
    };
    let seed = dice
        .as_ref()
        .map(CommittedDice::seed)
        .or(args.seed)
        .unwrap_or_else(random);
    journal.seed = Some(seed);
    let session = Session::begin(situation, seed, args.strict)?;
    Ok(OpenedGame {
        session,
        journal,
        dice,
    })
}
