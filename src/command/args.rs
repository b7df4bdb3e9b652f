//! The command-line grammar of `casebook`.

use crate::command::arg_parsers::{option, pair};
use crate::command::balance_args::BalanceArgs;
use crate::command::luck_args::LuckArgs;
use crate::command::new_args::NewArgs;
use crate::command::numbers::{memory, run_count, seconds, shard};
use crate::command::ruleset_args::whole;
pub use crate::command::ruleset_args::{DiceArgs, OutputArgs, OverArgs, RulesetArgs, SetArgs};
#[cfg(feature = "vassal")]
pub use crate::command::vassal_args::{VassalArgs, is_saved_game};
use crate::notation::Face;
use clap::{Parser, Subcommand, ValueEnum};
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
    #[arg(long, global = true, value_enum, default_value_t = Printed::Text)]
    pub format: Printed,
    /// The memory limit, such as 512M or 2G, of a count (beyond it, the rest is sampled), of a run, and of what can be taken back [default: 1G for a count, 512M for a run]
    #[arg(long, global = true, value_parser = memory, value_name = "SIZE")]
    pub memory: Option<u64>,
}

/// How an answer is printed, as it is typed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Printed {
    Text,
    Json,
    Csv,
}

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    Text,
    Json,
}

impl Printed {
    /// Converts to the format of output that is not a table.
    pub fn format(self) -> OutputFormat {
        if self == Printed::Json { OutputFormat::Json } else { OutputFormat::Text }
    }
}

#[derive(Subcommand)]
pub enum Command {
    /// Carries out the procedure of a situation and prints the ruling
    Resolve {
        /// A situation; a part of its name will do
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        play: DiceArgs,
        #[command(flatten)]
        set: SetArgs,
        /// Print every call, every figure read and every throw
        #[arg(long)]
        trace: bool,
        #[command(flatten)]
        shown: OutputArgs,
        /// Run it in Rhai's own evaluator, too, and report whether both agree
        #[arg(long)]
        reference: bool,
        /// Save the journal: ruleset, dice and choices
        #[arg(long, value_name = "FILE")]
        save: Option<PathBuf>,
        /// Add a test that holds this ruling to a file: tests/<game>/<name>.yaml
        #[arg(long, value_name = "FILE")]
        pin: Option<PathBuf>,
        /// Save the final board as a situation: scenarios/GAME/NAME.yaml
        #[arg(long, value_name = "FILE")]
        save_situation: Option<PathBuf>,
        /// Write the ruling as a log that VASSAL steps through, counters and all
        #[cfg(feature = "vassal")]
        #[arg(long, value_name = "FILE")]
        vlog: Option<PathBuf>,
    },
    /// Plays a situation and asks for every throw and choice; or continues a saved journal
    Play {
        /// A situation, a part of its name, or a saved journal
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        set: SetArgs,
        /// The policy of a side: 'SIDE=first', or all=...; first, last, highest, lowest, random, a style of the game or '|what, options| options[0]'
        #[arg(long, value_parser = pair, value_name = "SIDE=POLICY")]
        policy: Vec<(String, String)>,
        /// The seed of the dice you don't type [default: a new one each time; 1 with --games]
        #[arg(long, value_parser = whole::<u64>)]
        seed: Option<u64>,
        /// Play this many whole games by policies and count the outcomes
        #[arg(long, value_name = "N", value_parser = run_count, conflicts_with_all = ["save", "save_situation", "strict"])]
        games: Option<u64>,
        /// Play only part K of N of these games; `casebook merge` joins the parts saved with --format json
        #[arg(long, value_name = "K/N", value_parser = shard, requires = "games", default_value = "1/1", hide_default_value = true)]
        shard: (u64, u64),
        /// Refuse reconstructed figures
        #[arg(long)]
        strict: bool,
        /// Save the journal after each answer
        #[arg(long, value_name = "FILE")]
        save: Option<PathBuf>,
        /// Print the hash of a secret seed before the first throw; the journal reveals the seed at the end
        #[arg(long, requires = "save", conflicts_with_all = ["seed", "games"])]
        commit: bool,
        /// Save the final board as a situation: scenarios/GAME/NAME.yaml
        #[arg(long, value_name = "FILE")]
        save_situation: Option<PathBuf>,
    },
    /// Merges shards of games, samples or searches; the result equals an unsharded run
    Merge {
        /// The files written by `play --games`, `odds --runs` or `compare --search` with `--shard K/N --format json`
        #[arg(required = true)]
        parts: Vec<PathBuf>,
    },
    /// Replays a saved journal: as it was, or with other rules, choices or dice
    Replay {
        /// The journal
        journal: PathBuf,
        #[command(flatten)]
        ruleset: RulesetArgs,
        /// Another choice or throw: 'Red: bid=2', 'attack=6'; 'attack#2=3,4' for the second one; may be repeated
        #[arg(long, value_parser = pair, value_name = "WHAT=ANSWER")]
        change: Vec<(String, String)>,
        /// Print every call, every figure read and every throw
        #[arg(long)]
        trace: bool,
        /// Refuse reconstructed figures
        #[arg(long)]
        strict: bool,
        /// Verify that each throw is that of the seed committed to; with the HASH that you were given before the first one
        #[arg(long, value_name = "HASH", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["change", "with", "option", "reading"])]
        verify: Option<String>,
        /// Save the journal of the replay
        #[arg(long, value_name = "FILE")]
        save: Option<PathBuf>,
        /// The time limit of the odds, in seconds
        #[arg(long, default_value_t = 10, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
        limit: u64,
    },
    /// Prints what each throw and choice of a journal did to its outcome; of several journals, whether their dice are fair
    Luck(LuckArgs),
    /// Prints the exact odds of every outcome of a situation
    Odds {
        /// A situation, a part of its name, or a saved journal (the odds from there on)
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        set: SetArgs,
        #[command(flatten)]
        over: OverArgs,
        /// An answer to a choice: 'Red: bid=2'; may be repeated
        #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
        choose: Vec<(String, String)>,
        /// Only cases where this holds: 'retreat', 'defender losses >= 4'; may be repeated
        #[arg(long, value_name = "CONDITION")]
        given: Vec<String>,
        /// The joint odds of several outcomes: 'attacker losses, retreat'
        #[arg(long, value_delimiter = ',', value_name = "OUTCOMES", conflicts_with_all = ["by", "matrix"])]
        joint: Vec<String>,
        /// Print fractions beside the percentages, and every value on its own line
        #[arg(long)]
        exact: bool,
        #[command(flatten)]
        shown: OutputArgs,
        /// Refuse reconstructed figures
        #[arg(long)]
        strict: bool,
        /// The policy of a side: 'SIDE=best', or all=...; first, last, highest, lowest, best, worst, all, a style of the game or '|what, options| options[0]'
        #[arg(long, value_parser = pair, value_name = "SIDE=POLICY")]
        policy: Vec<(String, String)>,
        /// What best and worst measure: a sum of outcomes, such as 'defender losses - attacker losses'
        #[arg(long, value_name = "OUTCOMES", allow_hyphen_values = true)]
        measure: Option<String>,
        /// A question that both sides answer in secret: print the value of each pair of answers, and the best mix
        #[arg(long, value_name = "QUESTION", requires = "measure", conflicts_with_all = ["given", "by"])]
        matrix: Option<String>,
        /// Compare the odds with and without a case, table, variant or option, or under each answer of a reading
        #[arg(long, value_name = "WHAT", conflicts_with = "given")]
        by: Option<String>,
        /// Of a journal, the odds after this many throws and choices
        #[arg(long, value_parser = whole::<usize>, value_name = "N")]
        after: Option<usize>,
        /// Sample instead of counting: play it this many times by policies (first option by default) and count the outcomes
        #[arg(long, value_name = "N", value_parser = run_count, conflicts_with_all = ["given", "joint", "exact", "strict", "measure", "matrix", "by", "after"])]
        runs: Option<u64>,
        /// Play only part K of N of these runs; `casebook merge` joins the parts saved with --format json
        #[arg(long, value_name = "K/N", value_parser = shard, requires = "runs", default_value = "1/1", hide_default_value = true)]
        shard: (u64, u64),
        /// The time limit in seconds; beyond it, the rest is sampled, and no more runs begin [default: 60; none with --runs]
        #[arg(long, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
        limit: Option<u64>,
    },
    /// Compares rulesets: the same dice, the odds, and the amendments that make the difference
    Compare {
        /// A situation; a part of its name will do
        situation: String,
        /// A ruleset: variants, options and readings, or '' for the base game: 'errata,errata.frost=off'; give at least two
        #[arg(long, value_name = "VARIANTS")]
        with: Vec<String>,
        #[command(flatten)]
        set: SetArgs,
        /// Print each ruleset's odds for several values of one figure: 'Red guard: size=1..20', or a list: 2,4,8
        #[arg(long, value_parser = pair, value_name = "WHAT: FIGURE=VALUES", conflicts_with_all = ["readings", "search", "dice"])]
        sweep: Option<(String, String)>,
        /// Compare the readings of this case instead; `all` for every case
        #[arg(long, value_name = "CASE")]
        readings: Option<String>,
        /// Try this many similar situations and show where the first two rulesets differ
        #[arg(long, value_parser = run_count, value_name = "N")]
        search: Option<u64>,
        /// Try only part K of N of these situations; `casebook merge` joins the parts saved with --format json
        #[arg(long, value_name = "K/N", value_parser = shard, requires = "search")]
        shard: Option<(u64, u64)>,
        /// An option of a variant: errata.frost=off; may be repeated
        #[arg(long, value_parser = option, value_name = "NAME=on|off")]
        option: Vec<(String, bool)>,
        /// An answer to a choice: 'Red: bid=2'; may be repeated
        #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
        choose: Vec<(String, String)>,
        /// The seed of the dice, the same for all rulesets
        #[arg(long, value_parser = whole::<u64>, default_value_t = 1, conflicts_with = "dice")]
        seed: u64,
        /// Your own dice, one by one, in order: 3,5,2
        #[arg(long, value_delimiter = ',', allow_negative_numbers = true, value_name = "FACES")]
        dice: Option<Vec<Face>>,
        #[command(flatten)]
        shown: OutputArgs,
        /// The game, if there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// The time limit in seconds
        #[arg(long, default_value_t = 20, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
        limit: u64,
    },
    /// Plays whole games by styles under several rulesets and reports who wins, whether they differ, and what makes the difference
    Balance(BalanceArgs),
    /// Resolves a situation anew whenever a data file is saved, and prints what changed
    Watch {
        /// A situation; a part of its name will do
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        play: DiceArgs,
    },
    /// Shows anything a game names, such as a case, table, procedure, kind or piece, with its amendments
    Show {
        /// A number such as 8.16, a name such as 'kind wagon', or a list: procedures, kinds, attributes, tracks
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
        /// Write new and changed rulings into their tests
        #[arg(long)]
        accept: bool,
        /// Mutation-test the rules and tables in files whose path contains PATH, and list the survivors
        #[arg(long, conflicts_with_all = ["accept", "verbose"])]
        mutants: bool,
        /// The time limit in seconds; what has not run by then is reported [default: 600; none with --mutants]
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
        what: ExportArgs,
    },
    /// Creates a file to fill in
    New {
        #[command(subcommand)]
        what: NewArgs,
    },
    /// Prints completions for a shell: `casebook completions bash > /etc/bash_completion.d/casebook`
    Completions { shell: clap_complete::Shell },
    /// Prints the manual: `casebook man > casebook.1`
    Man,
    /// Explains the law a complaint names, a verb of scripts, a kind of file, a key or a word
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

/// What is made of a situation.
#[cfg(feature = "vassal")]
#[derive(Subcommand)]
pub enum ExportArgs {
    /// A module of VASSAL with map, counters and set-up; beside it the set-up as a saved game, and the map of the module
    Vmod {
        /// A situation; a part of its name will do
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        /// The file to write [default: NAME.vmod]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

impl Command {
    /// Returns the situation if it is a saved game of VASSAL, and how to read it.
    #[cfg(feature = "vassal")]
    pub fn saved_game(&mut self) -> Option<(&mut String, &mut VassalArgs)> {
        let (Command::Resolve { situation, set, .. }
        | Command::Play { situation, set, .. }
        | Command::Odds { situation, set, .. }
        | Command::Compare { situation, set, .. }
        | Command::Balance(BalanceArgs { situation, set, .. })) = self
        else {
            return None;
        };
        is_saved_game(situation).then_some((situation, &mut set.vassal))
    }

    /// Returns whether a journal is to be saved.
    #[cfg(feature = "vassal")]
    pub fn saves_journal(&self) -> bool {
        matches!(self, Command::Resolve { save: Some(_), .. } | Command::Play { save: Some(_), .. })
    }

    /// Returns a question that was given two different answers; the intended one is unknown.
    pub fn contradictory_answers(&self) -> Option<String> {
        let none: &[(String, String)] = &[];
        let (ruleset, choose, policy) = match self {
            Command::Resolve { ruleset, play, .. } | Command::Watch { ruleset, play, .. } => (Some(ruleset), &*play.choose, none),
            Command::Play { ruleset, policy, .. } => (Some(ruleset), none, &**policy),
            Command::Replay { ruleset, .. } => (Some(ruleset), none, none),
            Command::Odds { ruleset, choose, policy, .. } => (Some(ruleset), &**choose, &**policy),
            Command::Compare { choose, .. } => (None, &**choose, none),
            Command::Balance(ask) => (None, &*ask.choose, none),
            _ => (None, none, none),
        };
        let option = |(name, on): &(String, bool)| (name.clone(), if *on { "on" } else { "off" }.to_string());
        let options: Vec<_> = ruleset.iter().flat_map(|ruleset| ruleset.option.iter().map(option)).collect();
        let readings: Vec<_> = ruleset.iter().flat_map(|ruleset| ruleset.reading.clone()).collect();
        [("--choose", choose), ("--policy", policy), ("--option", &options), ("--reading", &readings)].into_iter().find_map(
            |(flag, list)| {
                list.iter().enumerate().find_map(|(place, (name, value))| {
                    let (_, other) = list[..place].iter().find(|(known, said)| known == name && said != value)?;
                    Some(format!("{flag} says two things of `{name}`: {other} and {value}; leave one out"))
                })
            },
        )
    }
}
