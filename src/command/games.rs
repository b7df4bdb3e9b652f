//! `casebook play --games` and `odds --runs`: plays many games by policies, in shards if wanted; and `merge`, which merges shards.

use crate::command::balance::{DEFAULT_MARGIN, print_shards};
use crate::command::counting::stop_flag;
use crate::command::out::{Printer, exit_code};
use crate::command::ruleset_args::RulesetArgs;
use crate::command::targets::resolve_target;
use casebook_analysis::balance::totals::BalanceShards;
use casebook_analysis::odds::assumptions::{Assumptions, unused_answers};
use casebook_analysis::odds::game_run::RunUntil;
use casebook_analysis::odds::games::{GamesShards, GamesSpec, play};
use casebook_analysis::odds::shards::Shard;
use casebook_analysis::usecase::play_on::weigher;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::data::text_file::large_text_of;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::parallel;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::overrides::{self, Overrides};
use casebook_engine::situation::policy::{Policies, PolicyKind};
use casebook_view::series;
use casebook_view::text::blocks_text;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// The arguments of a series of games.
pub struct GamesArgs {
    /// The number of games.
    pub games: u64,
    /// The shard to run: its number, from 1, and the number of shards.
    pub shard: Shard,
    /// The policy of each side.
    pub policies: Vec<(String, String)>,
    /// Answers to choices.
    pub choices: Vec<(String, String)>,
    /// Overrides of the situation.
    pub overrides: Overrides,
    /// The seed of the first game.
    pub seed: u64,
    /// Time in seconds after which no further game starts.
    pub limit: Option<u64>,
}

/// Plays a series of games, or a shard of it.
pub fn games(
    library: &Arc<Library>,
    target: &str,
    ruleset: &RulesetArgs,
    args: GamesArgs,
    out: Printer,
) -> Result<ExitCode, Error> {
    let (name, spec) = resolve_target(library, target, ruleset)?;
    let situation = Situation::with_overrides(library, &spec, &name, &args.overrides)?;
    let policies = Policies::parse(&args.policies, &situation.ruleset().game)?;
    if policies.any(PolicyKind::is_explored) {
        let message = "best, worst and all are found by going through every chance: games are played with first, last, highest, lowest, random or a closure";
        return Err(Error::Usage(message.into()));
    }
    let by_hand = spec.switches();
    let title = situation.ruleset().title();
    let ruleset = if by_hand.is_empty() {
        title
    } else {
        format!("{title} ({})", by_hand.join(", "))
    };
    let Shard { part, parts } = args.shard;
    // Overrides make a different situation, so its shards can't be merged with others.
    let set = overrides::describe(&situation.scenario.set);
    let name = if set.is_empty() {
        name
    } else {
        format!("{name} ({set})")
    };
    let games_spec = GamesSpec {
        situation: name,
        ruleset,
        policies: args.policies,
        choices: args.choices,
        seed: args.seed,
        games: args.games,
        parts,
    };
    let policies = Arc::new(policies);
    let choice_source = ChoiceSource {
        weigher: weigher(&situation, &policies),
        ..situation.choice_source(&games_spec.choices, policies.clone())
    };
    let threads = parallel::thread_count();
    let until = RunUntil {
        end: args
            .limit
            .and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds))),
        stop: stop_flag(),
    };
    let sums = play(
        &situation,
        &choice_source,
        &games_spec,
        part,
        threads,
        until,
    );
    // A reader of text output sees that games are missing; a merge would not, so an incomplete shard is an error.
    if until.is_over()
        && sums.games < games_spec.games.saturating_sub(part - 1).div_ceil(parts)
        && (parts > 1 || out.is_json())
    {
        return Err(Error::Usage(
            "interrupted: an unfinished part can't be merged".into(),
        ));
    }
    Ok(print_games(
        &GamesShards {
            of: games_spec,
            parts: BTreeMap::from([(part, sums)]),
        },
        &situation.scenario.title,
        out,
    ))
}

fn print_games(games: &GamesShards, title: &str, out: Printer) -> ExitCode {
    let total = games.total();
    let unused_answers = unused_answers(&total.asked, &games.of.choices);
    let assumed = Assumptions {
        unused_answers,
        ..total.assumed
    };
    let blocks = || [series::games(games, title)];
    out.print(
        || games,
        || blocks_text(&blocks(), out.page) + &*assumed.render_summary(out.page),
    );
    exit_code(!total.broken.is_empty())
}

/// A saved shard.
enum GamesPart {
    Games(GamesShards),
    Balance(BalanceShards),
}

impl GamesPart {
    fn parse(text: &str) -> Option<GamesPart> {
        let games = serde_json::from_str(text)
            .ok()
            .filter(GamesShards::is_consistent)
            .map(GamesPart::Games);
        games.or_else(|| {
            serde_json::from_str(text)
                .ok()
                .filter(BalanceShards::is_consistent)
                .map(GamesPart::Balance)
        })
    }
}

/// Merges shards written by `--shard --format json`.
pub fn merge(library: &Arc<Library>, paths: &[PathBuf], out: Printer) -> Result<ExitCode, Error> {
    let mut merged: Option<GamesPart> = None;
    for path in paths {
        let shown = path.display().to_string();
        let text = large_text_of(path).map_err(|source| Error::File {
            path: shown.clone(),
            source,
        })?;
        let message = || {
            Error::Usage(format!(
                "{shown} is not a complete part: run it again with --shard and --format json"
            ))
        };
        let read = GamesPart::parse(&text).ok_or_else(message)?;
        match (&mut merged, read) {
            (None, read) => merged = Some(read),
            (Some(GamesPart::Games(merged)), GamesPart::Games(read)) => {
                merged.merge(read, &shown)?
            }
            (Some(GamesPart::Balance(merged)), GamesPart::Balance(read)) => {
                merged.merge(read, &shown)?
            }
            _ => {
                return Err(Error::Usage(format!(
                    "{shown} is a part of another kind of run: games and a balance can't be merged"
                )));
            }
        }
    }
    Ok(match merged {
        None => return Err(Error::Usage("name the files of the parts".into())),
        Some(GamesPart::Balance(shards)) => print_shards(&shards, DEFAULT_MARGIN / 100.0, out),
        Some(GamesPart::Games(games)) => {
            let name = &games.of.situation;
            let is_known = |game: &String| {
                library
                    .scenarios(game)
                    .iter()
                    .any(|(situation, _)| situation == name)
            };
            let title = if library.games.keys().any(is_known) {
                name
            } else {
                ""
            };
            print_games(&games, title, out)
        }
    })
}
