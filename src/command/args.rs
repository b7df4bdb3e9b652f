//! The command-line grammar of `casebook`.

use crate::command::answers;
use crate::command::arg_parsers::{memory, run_count, seconds};
use crate::command::balance::BalanceArgs;
use crate::command::compare::CompareArgs;
use crate::command::counting::OddsArgs;
use crate::command::dice::DiceOddsArgs;
use crate::command::luck::LuckArgs;
use crate::command::new::NewArgs;
use crate::command::opened_game::PlayArgs;
use crate::command::out::OutputFormat;
use crate::command::replay::ReplayArgs;
use crate::command::resolve::ResolveArgs;
use crate::command::ruleset_args::{DiceArgs, RulesetArgs};
#[cfg(feature = "vassal")]
use crate::command::ruleset_args::{SetArgs, VassalArgs};
#[cfg(feature = "vassal")]
use crate::command::vassal::ExportArgs;
use crate::command::what_if::WhatIfArgs;
use clap::{CommandFactory, Parser, Subcommand};
#[cfg(feature = "vassal")]
use std::path::Path;
use std::path::PathBuf;

/// Runs the printed rules of wargames under any stack of errata, variants and house rules; every line cites the rule behind it.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// A folder with rules, tables, scenarios or variants; its files replace built-in ones [default: this folder, if it has them]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The output format; csv works with --sweep only
    #[arg(long, global = true, value_enum, default_value_t = OutputFormat::Text)]
    pub format: OutputFormat,
    /// The memory that the program may hold while it counts, such as 512M or 2G (beyond it, the rest is sampled; what the program holds before it counts is part of it, what it does with the count afterwards may take as much again and some 150M); also the limit of a run, and of what can be taken back [default: 1G for a count, 512M for a run]
    #[arg(long, global = true, value_parser = memory, value_name = "SIZE")]
    pub memory: Option<u64>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Carries out the procedure of a situation and prints the ruling
    Resolve(ResolveArgs),
    /// Plays a situation and asks for every throw and choice; or continues a saved journal
    Play(PlayArgs),
    /// Merges shards of games, samples or searches; the result equals an unsharded run
    Merge {
        /// The files written by `play --games`, `odds --runs` or `balance` with `--shard K/N --format json`
        #[arg(required = true)]
        parts: Vec<PathBuf>,
    },
    /// Replays a saved journal: as it was, or with other rules, choices or dice
    Replay(ReplayArgs),
    /// Prints what each throw and choice of a journal did to its outcome; of several journals, whether their dice are fair
    Luck(LuckArgs),
    /// Prints the exact odds of every outcome of a situation
    Odds(OddsArgs),
    /// Prints the exact chances of dice, without any rules: casebook dice 4d6kh3 --against 3d8
    Dice(DiceOddsArgs),
    /// Compares rulesets: the same dice, the odds, and the amendments that make the difference
    Compare(CompareArgs),
    /// Plays whole games by styles under several rulesets and reports who wins, whether they differ, and what makes the difference
    Balance(BalanceArgs),
    /// Tries changes of the rules on a situation: its headline before and after, the outcomes that differ and why; exit status 1 if none does, 3 if it is not decided
    WhatIf(WhatIfArgs),
    /// Keeps a ruling as your interpretation: situation, rules, dice and outcome, with a sentence; `test` says which of them a change breaks
    Pin {
        /// What it shows, in one sentence: 'we play it this way because ...'
        #[arg(long, value_name = "SENTENCE")]
        because: String,
        #[command(flatten)]
        args: ResolveArgs,
    },
    /// Undoes the last change of a variant
    Undo {
        /// The variant
        variant: String,
    },
    /// Resolves a situation again whenever a data file is saved, and prints what changed
    Watch {
        /// A situation; a part of its name or title will do
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        play: DiceArgs,
    },
    /// Shows anything a game names, such as a case, table, procedure, kind or piece, with its amendments
    Show {
        /// A number such as 8.16; a name, alone or behind what it names: 'kind NAME'; a list: procedures, kinds, attributes, tracks; or a
        /// question of three words or more: the rules nearest to it
        name: String,
        /// Print its source file
        #[arg(long)]
        script: bool,
        #[command(flatten)]
        ruleset: RulesetArgs,
    },
    /// Lists games, variants with their options, situations, tables and readings; or the verbs of scripts
    List {
        /// The verbs of scripts, by subject
        #[arg(long)]
        verbs: bool,
        /// Every table with the status of its figures and the method of reconstructed ones
        #[arg(long, conflicts_with = "verbs")]
        tables: bool,
        /// Pinned rulings as questions and answers, with what other readings make of each
        #[arg(long, conflicts_with_all = ["verbs", "tables"])]
        pins: bool,
        #[command(flatten)]
        ruleset: RulesetArgs,
    },
    /// Validates all data and reports every problem; or reports conflicts between variants, or what goes wrong in games
    Check {
        /// Report conflicts between these variants: hardy,dye
        #[arg(long, value_delimiter = ',', value_name = "VARIANTS")]
        conflicts: Option<Vec<String>>,
        /// Create a variant with a blank for each contradiction, to be settled by you
        #[arg(long, value_name = "NAME", requires = "conflicts")]
        patch: Option<String>,
        /// Play this many games and procedures, at random and by styles, under every stack of variants, and report what goes wrong
        #[arg(long, value_name = "N", value_parser = run_count, conflicts_with = "conflicts")]
        play: Option<u64>,
        /// Write the smallest situation that shows each fault into this data folder
        #[arg(long, value_name = "DIR", requires = "play")]
        save: Option<PathBuf>,
        /// The time limit in seconds; what is not checked by then is reported
        #[arg(long, default_value_t = 600, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
        limit: u64,
    },
    /// Runs the examples of cases, tables and scenarios, and the tests of rulings
    Test {
        /// Only files whose path contains this
        #[arg(default_value = "")]
        path: String,
        /// Print passing ones, too
        #[arg(long, short)]
        verbose: bool,
        /// Write what comes out into the tests that expect otherwise: of all, or of the one with this name
        #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
        accept: Option<String>,
        /// Show each test that expects otherwise, and ask whether to accept what comes out
        #[arg(long, conflicts_with_all = ["accept", "format"])]
        review: bool,
        /// The time limit in seconds; what has not run by then is reported [default: 600]
        #[arg(long, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
        limit: Option<u64>,
    },
    /// Lists the cases, functions, cells and amendments that no example and no test reaches
    Coverage {
        /// Only this game
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// The time limit in seconds; what has not run by then is reported
        #[arg(long, default_value_t = 600, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
        limit: u64,
    },
    /// Opens the workbench in the browser: rulebook, calculator, play, editor
    #[cfg(feature = "serve")]
    Serve {
        /// A saved game of VASSAL to show as a situation
        #[cfg(feature = "vassal")]
        game: Option<String>,
        #[cfg(feature = "vassal")]
        #[command(flatten)]
        vassal: VassalArgs,
        /// The port; 0 for any free one
        #[arg(long, default_value_t = 7657)]
        port: u16,
        /// The address to listen on; only this machine can reach the default
        #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
        listen: std::net::IpAddr,
        /// Print the address and open no browser
        #[arg(long)]
        no_open: bool,
    },
    /// Writes the workbench as static files that run in any browser, without a server
    #[cfg(feature = "serve")]
    Site {
        /// The folder to write
        #[arg(long, default_value = "site", value_name = "DIR")]
        out: PathBuf,
        /// The variants of the data folder that the site has, with those they come after or need [default: all]
        #[arg(long, value_delimiter = ',', value_name = "VARIANTS")]
        with: Option<Vec<String>>,
        /// The path below which a web host will serve the folder, such as /casebook/
        #[arg(long, default_value = "/", value_name = "PATH")]
        base: String,
        /// The engine, packed or not [default: casebook-web.wasm.gz beside the program, else it is built from the sources]
        #[arg(long, value_name = "FILE")]
        wasm: Option<PathBuf>,
    },
    /// Writes the rulebook in force as plain HTML
    #[cfg(feature = "serve")]
    Book {
        #[command(flatten)]
        ruleset: RulesetArgs,
        /// The folder to write
        #[arg(long, default_value = "book", value_name = "DIR")]
        out: PathBuf,
    },
    /// Packs a variant, or a whole game with its variants, into one file to send
    Pack {
        /// The variant, or the game
        variant: String,
        /// The file to write [default: NAME-VERSION.pack.yaml]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Unpacks a variant or game into the data folder
    Unpack {
        /// The packed file
        file: PathBuf,
    },
    /// Makes a situation of a saved game of VASSAL; a situation can be such a file itself: resolve game.vsav
    #[cfg(feature = "vassal")]
    Import {
        /// The saved game or log: a .vsav or .vlog file
        file: PathBuf,
        #[command(flatten)]
        vassal: VassalArgs,
        /// The file to write: scenarios/GAME/NAME.yaml [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Makes files for other programs
    #[cfg(feature = "vassal")]
    Export {
        #[command(subcommand)]
        target: ExportArgs,
    },
    /// Creates a file to fill in
    New {
        #[command(subcommand)]
        target: NewArgs,
    },
    /// Prints completions for a shell: `casebook completions bash > /etc/bash_completion.d/casebook`
    Completions { shell: clap_complete::Shell },
    /// Prints the manual: `casebook man > casebook.1`
    Man,
    /// Explains an error code, a verb of scripts, a kind of file, a key or a word
    Explain {
        /// Its name; without one, everything that has an explanation is listed
        name: Option<String>,
    },
    /// Prints the guide: how to write rules, from the first changed cell to your own game
    Guide {
        /// A chapter, by name or number; without one, the chapters are listed
        topic: Option<String>,
    },
    /// Runs a language server on standard input and output: complaints while typing, hover, go to definition, completion, rename
    #[cfg(feature = "lsp")]
    Lsp,
    /// Serves rulings, odds, comparisons and play to an agent: the Model Context Protocol on standard input and output
    #[cfg(feature = "mcp")]
    Mcp,
    /// Prints the JSON Schema of the output, of a kind of file, or of what a procedure is given
    Schema {
        /// The kind of file, such as game, table or situation, or a procedure; without one, the schema of the JSON output
        name: Option<String>,
        /// Write all schemas into the data folder, where new files refer to them
        #[arg(long, conflicts_with = "name")]
        write: bool,
    },
}

impl Command {
    /// Returns the situation of a command and how a saved game in its place is read, if it is such a file.
    #[cfg(feature = "vassal")]
    pub fn saved_game(&mut self) -> Option<(&mut String, &mut VassalArgs)> {
        let (situation, set): (&mut String, &mut SetArgs) = match self {
            Command::Resolve(args) | Command::Pin { args, .. } => {
                (&mut args.situation, &mut args.set)
            }
            Command::Play(args) => (&mut args.situation, &mut args.set),
            Command::Odds(args) => (&mut args.situation, &mut args.set),
            Command::Compare(args) => (&mut args.situation, &mut args.set),
            Command::WhatIf(args) => (&mut args.situation, &mut args.set),
            Command::Balance(args) => (&mut args.situation, &mut args.set),
            _ => return None,
        };
        let ending = Path::new(situation.as_str()).extension()?;
        (ending == "vsav" || ending == "vlog").then_some((situation, &mut set.vassal))
    }

    /// Returns whether a journal is to be saved.
    #[cfg(feature = "vassal")]
    pub fn saves_journal(&self) -> bool {
        match self {
            Command::Resolve(args) => args.save.is_some(),
            Command::Play(args) => args.save.is_some(),
            _ => false,
        }
    }

    /// Returns whether the command makes a table over the values of a figure.
    pub fn sweeps(&self) -> bool {
        match self {
            Command::Odds(args) => args.sweep.is_some(),
            Command::Compare(args) => args.sweep.is_some(),
            // The pieces of a situation are rows, too.
            Command::Show { .. } => true,
            _ => false,
        }
    }

    /// Returns the complaint about a question that was given two different answers; the intended one is unknown.
    pub fn contradictory_answers(&self) -> Option<String> {
        let no_answers: &[(String, String)] = &[];
        let (ruleset, choose, policy) = match self {
            Command::Resolve(args) | Command::Pin { args, .. } => {
                (Some(&args.ruleset), &*args.play.choose, no_answers)
            }
            Command::Watch { ruleset, play, .. } => (Some(ruleset), &*play.choose, no_answers),
            Command::Play(args) => (Some(&args.ruleset), no_answers, &*args.policy),
            Command::Replay(args) => (Some(&args.ruleset), no_answers, no_answers),
            Command::Odds(args) => (Some(&args.ruleset), &*args.choose, &*args.policy),
            Command::Compare(args) => (None, &*args.choose, no_answers),
            Command::WhatIf(args) => (Some(&args.ruleset), &*args.choose, no_answers),
            Command::Balance(args) => (None, &*args.choose, no_answers),
            _ => return None,
        };
        let option = |(name, on): &(String, bool)| {
            (name.clone(), if *on { "on" } else { "off" }.to_string())
        };
        let options: Vec<_> = ruleset
            .iter()
            .flat_map(|ruleset| ruleset.option.iter().map(option))
            .collect();
        let readings = ruleset.map_or(no_answers, |ruleset| &ruleset.reading);
        let flags = [
            ("--choose", choose),
            ("--policy", policy),
            ("--option", &options),
            ("--reading", readings),
        ];
        flags.into_iter().find_map(|(flag, list)| {
            list.iter().enumerate().find_map(|(index, (name, value))| {
                let (_, earlier) = list[..index].iter().find(|(earlier_name, earlier_value)| {
                    earlier_name == name && earlier_value != value
                })?;
                Some(format!(
                    "{flag} has conflicting values for `{name}`: {earlier} and {value}; leave one out"
                ))
            })
        })
    }

    /// Returns the text of a command that describes the program itself: completions, manual, schema of the JSON; `None` for any other.
    pub fn self_description(&self) -> Option<String> {
        let mut text = Vec::new();
        match self {
            Command::Completions { shell } => {
                clap_complete::generate(*shell, &mut Cli::command(), "casebook", &mut text)
            }
            Command::Man => {
                let mut cli = Cli::command();
                cli.build();
                for page in std::iter::once(&cli).chain(cli.get_subcommands()) {
                    // Writing to memory does not fail.
                    clap_mangen::Man::new(page.clone()).render(&mut text).ok()?;
                }
            }
            Command::Schema {
                name: None,
                write: false,
            } => text = format!("{:#}\n", answers::schema()).into_bytes(),
            _ => return None,
        }
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}
