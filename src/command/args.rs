//! The command-line grammar of `casebook`.

use crate::command::arg_parsers::{option, pair};
use crate::command::new_args::NewArgs;
use crate::command::numbers::{memory, run_count, seconds, shard};
use crate::command::ruleset_args::whole;
pub use crate::command::ruleset_args::{DiceArgs, OutputArgs, OverArgs, RulesetArgs, SetArgs};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Runs the printed rules of wargames: what a battle came to, case by case, under any stack of errata, variants and house rules.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// A folder with rules, tables, scenarios or variants, laid over the built-in ones [default: this folder, if it has them]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// How to print; csv is for --sweep
    #[arg(long, global = true, value_enum, default_value_t = Printed::Text)]
    pub format: Printed,
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
        /// Print everything that was asked, read and thrown
        #[arg(long)]
        trace: bool,
        #[command(flatten)]
        shown: OutputArgs,
        /// Let Rhai's own evaluator carry it out too, and say whether both come to the same
        #[arg(long)]
        reference: bool,
        /// Save the journal: ruleset, dice and choices
        #[arg(long, value_name = "FILE")]
        save: Option<PathBuf>,
        /// Add a test that holds this ruling to a file: tests/<game>/<name>.yaml
        #[arg(long, value_name = "FILE")]
        pin: Option<PathBuf>,
        /// Save the board at its end as a situation: scenarios/GAME/NAME.yaml
        #[arg(long, value_name = "FILE")]
        save_situation: Option<PathBuf>,
    },
    /// Plays a situation: asks for every throw and every choice; goes on from a saved journal
    Play {
        /// A situation, a part of its name, or a saved journal
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        set: SetArgs,
        /// Who plays a side: 'SIDE=first', or all=...; first, last, highest, lowest, random or '|what, options| options[0]'
        #[arg(long, value_parser = pair, value_name = "SIDE=POLICY")]
        policy: Vec<(String, String)>,
        /// The seed of dice that are not typed [default: another each time; 1 with --games]
        #[arg(long, value_parser = whole::<u64>)]
        seed: Option<u64>,
        /// Play so many games by policies, each to its end, and say how often each outcome came
        #[arg(long, value_name = "N", value_parser = run_count, conflicts_with_all = ["save", "save_situation", "strict"])]
        games: Option<u64>,
        /// Play part K of N of these games only; `casebook merge` joins parts saved with --format json
        #[arg(long, value_name = "K/N", value_parser = shard, requires = "games", default_value = "1/1", hide_default_value = true)]
        shard: (u64, u64),
        /// The memory that the odds from here may use, such as 512M or 2G; when it is full, the rest is sampled
        #[arg(long, default_value = "1G", value_parser = memory, value_name = "SIZE")]
        memory: u64,
        /// Refuse figures that are reconstructed
        #[arg(long)]
        strict: bool,
        /// Save the journal after each answer
        #[arg(long, value_name = "FILE")]
        save: Option<PathBuf>,
        /// Save the board at its end as a situation: scenarios/GAME/NAME.yaml
        #[arg(long, value_name = "FILE")]
        save_situation: Option<PathBuf>,
    },
    /// Joins parts of games, samples or searches, whatever order they come in: the very result of one machine
    Merge {
        /// Files that `play --games`, `odds --runs` or `compare --search` with `--shard K/N --format json` have written
        #[arg(required = true)]
        parts: Vec<PathBuf>,
    },
    /// Carries out a saved journal again: as it was, or with other rules, choices or dice
    Replay {
        /// The journal
        journal: PathBuf,
        #[command(flatten)]
        ruleset: RulesetArgs,
        /// Another answer or die: 'Red: bid=2', 'attack=6', the second time 'attack#2=3,4'; may be given again
        #[arg(long, value_parser = pair, value_name = "WHAT=ANSWER")]
        change: Vec<(String, String)>,
        /// Print everything that was asked, read and thrown
        #[arg(long)]
        trace: bool,
        /// Refuse figures that are reconstructed
        #[arg(long)]
        strict: bool,
        /// Save the journal of what came of it
        #[arg(long, value_name = "FILE")]
        save: Option<PathBuf>,
        /// Seconds for the odds of both
        #[arg(long, default_value_t = 10, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
        limit: u64,
        /// The memory that a count may use, such as 512M or 2G; when it is full, the rest is sampled
        #[arg(long, default_value = "1G", value_parser = memory, value_name = "SIZE")]
        memory: u64,
    },
    /// Gives the exact odds of everything a situation can come to
    Odds {
        /// A situation, a part of its name, or a saved journal: what can still come
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        set: SetArgs,
        #[command(flatten)]
        over: OverArgs,
        /// An answer to a choice: 'Red: bid=2'; may be given again
        #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
        choose: Vec<(String, String)>,
        /// Only where this holds: 'retreat', 'defender losses >= 4'; may be given again
        #[arg(long, value_name = "CONDITION")]
        given: Vec<String>,
        /// Outcomes together: each way they come up, with its chance: 'attacker losses, retreat'
        #[arg(long, value_delimiter = ',', value_name = "OUTCOMES", conflicts_with_all = ["by", "matrix"])]
        joint: Vec<String>,
        /// Print fractions beside the percentages, and each value by itself
        #[arg(long)]
        exact: bool,
        #[command(flatten)]
        shown: OutputArgs,
        /// Refuse figures that are reconstructed
        #[arg(long)]
        strict: bool,
        /// Who chooses how: 'SIDE=best', or all=...; first, last, highest, lowest, best, worst, all or '|what, options| options[0]'
        #[arg(long, value_parser = pair, value_name = "SIDE=POLICY")]
        policy: Vec<(String, String)>,
        /// What best and worst are measured by: outcomes added and taken off, 'defender losses - attacker losses'
        #[arg(long, value_name = "OUTCOMES", allow_hyphen_values = true)]
        measure: Option<String>,
        /// A question both sides answer in secret: what each pair of answers is worth, and the best mix of them
        #[arg(long, value_name = "QUESTION", requires = "measure", conflicts_with_all = ["given", "by"])]
        matrix: Option<String>,
        /// What a case, table, variant, option or reading does to the odds: with it and without it, or read in each of its ways
        #[arg(long, value_name = "WHAT", conflicts_with = "given")]
        by: Option<String>,
        /// Of a journal, the odds as they were after so many throws and choices
        #[arg(long, value_parser = whole::<usize>, value_name = "N")]
        after: Option<usize>,
        /// Count nothing: play it so many times by policies, the first option where none is named, and say how often each outcome came
        #[arg(long, value_name = "N", value_parser = run_count, conflicts_with_all = ["given", "joint", "exact", "strict", "measure", "matrix", "by", "after"])]
        runs: Option<u64>,
        /// Play part K of N of these runs only; `casebook merge` joins parts saved with --format json
        #[arg(long, value_name = "K/N", value_parser = shard, requires = "runs", default_value = "1/1", hide_default_value = true)]
        shard: (u64, u64),
        /// Seconds after which the rest is sampled instead of counted, or no more runs are begun [default: 60; none with --runs]
        #[arg(long, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
        limit: Option<u64>,
        /// The memory that a count may use, such as 512M or 2G; when it is full, the rest is sampled
        #[arg(long, default_value = "1G", value_parser = memory, value_name = "SIZE")]
        memory: u64,
    },
    /// Sets rulesets side by side: the same dice, the odds, and the amendments that make the difference
    Compare {
        /// A situation; a part of its name will do
        situation: String,
        /// A ruleset: variants, options and readings, or '' for none: 'errata,errata.frost=off'; give it twice or more
        #[arg(long, value_name = "VARIANTS")]
        with: Vec<String>,
        #[command(flatten)]
        set: SetArgs,
        /// The odds of each ruleset over the values of one figure, as a table: 'Red guard: size=1..20', or a list: 2,4,8
        #[arg(long, value_parser = pair, value_name = "WHAT: FIGURE=VALUES", conflicts_with_all = ["readings", "search", "dice"])]
        sweep: Option<(String, String)>,
        /// Compare the readings of this case instead; all for every case
        #[arg(long, value_name = "CASE")]
        readings: Option<String>,
        /// Try so many situations like this one, and show where the first two rulesets part
        #[arg(long, value_parser = whole::<u64>, value_name = "N")]
        search: Option<u64>,
        /// Try part K of N of these situations only; `casebook merge` joins parts saved with --format json
        #[arg(long, value_name = "K/N", value_parser = shard, requires = "search")]
        shard: Option<(u64, u64)>,
        /// An option of a variant: errata.frost=off; may be given again
        #[arg(long, value_parser = option, value_name = "NAME=on|off")]
        option: Vec<(String, bool)>,
        /// An answer to a choice: 'Red: bid=2'; may be given again
        #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
        choose: Vec<(String, String)>,
        /// The seed of the dice played side by side
        #[arg(long, value_parser = whole::<u64>, default_value_t = 1, conflicts_with = "dice")]
        seed: u64,
        /// Dice you threw yourself, each singly, in order
        #[arg(long, value_parser = whole::<u32>, value_delimiter = ',', value_name = "FACES")]
        dice: Option<Vec<u32>>,
        #[command(flatten)]
        shown: OutputArgs,
        /// The game, where there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// Seconds for all of it
        #[arg(long, default_value_t = 20, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
        limit: u64,
        /// The memory that a count may use, such as 512M or 2G; when it is full, the rest is sampled
        #[arg(long, default_value = "1G", value_parser = memory, value_name = "SIZE")]
        memory: u64,
    },
    /// Carries a situation out again whenever a file of the data is saved, and prints what moved
    Watch {
        /// A situation; a part of its name will do
        situation: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        play: DiceArgs,
    },
    /// Shows whatever a game has a name for: a case, table, procedure, kind or piece ... with its chain of amendments
    Show {
        /// A number such as 8.16, or a name: 'kind wagon'; a list: procedures, kinds, attributes, tracks
        name: String,
        /// Print the source it is read from
        #[arg(long)]
        script: bool,
        #[command(flatten)]
        ruleset: RulesetArgs,
    },
    /// Lists games, variants with their options, situations, tables and readings; or what scripts may call
    List {
        /// What scripts may call, by subject
        #[arg(long)]
        verbs: bool,
        /// Every table with how its figures are known, and what was assumed to reconstruct them
        #[arg(long, conflicts_with = "verbs")]
        tables: bool,
        #[command(flatten)]
        ruleset: RulesetArgs,
    },
    /// Complains of everything that is wrong in the data; or says how variants get on
    Check {
        /// Hold these variants against each other: hardy,dye
        #[arg(long, value_delimiter = ',', value_name = "VARIANTS")]
        conflicts: Option<Vec<String>>,
        /// Lay out a variant that settles what is contradictory, for you to fill in
        #[arg(long, value_name = "NAME", requires = "conflicts")]
        patch: Option<String>,
    },
    /// Runs the examples beside the cases, tables and scenarios, and the tests of rulings
    Test {
        /// Only those in files whose path holds this
        #[arg(default_value = "")]
        path: String,
        /// Print those that hold, too
        #[arg(long, short)]
        verbose: bool,
        /// Write rulings that are new or changed into the snapshots of their tests
        #[arg(long)]
        accept: bool,
        /// Change the rules and tables in files whose path holds PATH one small step at a time, and list what nothing notices
        #[arg(long, conflicts_with_all = ["accept", "verbose"])]
        mutants: bool,
    },
    /// Lists what no example and no test reaches: cases, functions, cells, amendments
    Coverage {
        /// Only this game
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
    },
    /// Opens the workbench in the browser: rulebook, calculator, play, editor
    #[cfg(feature = "serve")]
    Serve {
        /// The port; 0 for any that is free
        #[arg(long, default_value_t = 7657)]
        port: u16,
        /// The address to listen on; only this machine can reach the default
        #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
        listen: std::net::IpAddr,
        /// Only print the address
        #[arg(long)]
        no_open: bool,
        /// The memory that a count may use, such as 512M or 2G; when it is full, the rest is sampled
        #[arg(long, default_value = "1G", value_parser = memory, value_name = "SIZE")]
        memory: u64,
    },
    /// Writes the rulebook in force as a folder of plain HTML
    #[cfg(feature = "serve")]
    Book {
        #[command(flatten)]
        ruleset: RulesetArgs,
        /// The folder to write
        #[arg(long, default_value = "book", value_name = "DIR")]
        out: PathBuf,
    },
    /// Packs a variant into one file to send: its cases, tables, situations and tests; or a whole game with its variants
    Pack {
        /// The variant, or the game
        variant: String,
        /// The file to write [default: NAME-VERSION.pack.yaml]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Lays a packed variant or game out in the data folder
    Unpack {
        /// The file that was sent
        file: PathBuf,
    },
    /// Lays out a file to fill in
    New {
        #[command(subcommand)]
        what: NewArgs,
    },
    /// Prints completions for a shell: `casebook completions bash > /etc/bash_completion.d/casebook`
    Completions { shell: clap_complete::Shell },
    /// Prints the manual: `casebook man > casebook.1`
    Man,
    /// Explains a law that a complaint names, a verb of scripts, a kind of file, a key in it, a word
    Explain {
        /// Its name; without it, all that can be explained is listed
        name: Option<String>,
    },
    /// How to write rules, from the first cell changed to a game of one's own
    Guide {
        /// A chapter, by its name or number; without it, the chapters are listed
        topic: Option<String>,
    },
    /// Serves an editor over standard input and output: complaints while typing, hover, go to, completion, rename
    #[cfg(feature = "lsp")]
    Lsp,
    /// Prints what is said as JSON, as a JSON Schema; or the form of a kind of file, for editors
    Schema {
        /// The kind of file: game, table, situation ...; without it, the form of the JSON
        name: Option<String>,
        /// Lay all of them out in the data folder, where files that `new` lays out look for them
        #[arg(long, conflicts_with = "name")]
        write: bool,
    },
}

impl Command {
    /// Returns a question that was given two different answers; the intended one is unknown.
    pub fn contradictory_answers(&self) -> Option<String> {
        let none: &[(String, String)] = &[];
        let (ruleset, choose, policy) = match self {
            Command::Resolve { ruleset, play, .. } | Command::Watch { ruleset, play, .. } => (Some(ruleset), &*play.choose, none),
            Command::Play { ruleset, policy, .. } => (Some(ruleset), none, &**policy),
            Command::Replay { ruleset, .. } => (Some(ruleset), none, none),
            Command::Odds { ruleset, choose, policy, .. } => (Some(ruleset), &**choose, &**policy),
            Command::Compare { choose, .. } => (None, &**choose, none),
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
