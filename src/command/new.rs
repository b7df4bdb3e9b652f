//! `casebook new`: scaffolds files.

use crate::command::out::Printer;
use crate::command::resolve::{self, ResolveArgs};
use crate::command::ruleset_args::{DiceArgs, RulesetArgs};
use crate::command::targets::{resolve_game, resolve_game_of, resolve_situation, resolve_target};
#[cfg(feature = "vassal")]
use crate::command::vassal;
use casebook_checks::author::charts::{self, ChartRequest, SpreadsheetChart};
use casebook_checks::author::scaffold::CellCount;
use casebook_checks::author::scaffold::{self, Destination};
use casebook_checks::author::situations;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::Game;
use casebook_engine::data::text_file::{large_text_of, limited_text_of};
use casebook_view::block::WrittenFiles;
use clap::Subcommand;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// The kind of file to create.
#[derive(Subcommand)]
pub enum NewArgs {
    /// A small complete game to start from; it stands beside the built-in games
    Game {
        name: String,
        /// Its title
        #[arg(long)]
        title: Option<String>,
        /// Begin with the card game of the guide instead
        #[arg(long, value_parser = ["cards"])]
        like: Option<String>,
    },
    /// A variant
    Variant {
        name: String,
        /// Its title
        #[arg(long)]
        title: Option<String>,
        /// Add blank copies of the tables, to type printed figures into
        #[arg(long)]
        tables: bool,
        /// The game, if there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
    },
    /// A case of a variant; or of the game itself if its manifest is in this folder
    Case {
        /// Its number, or a name if it has none; the name of a function creates an amendment of the case that answers it
        number: String,
        #[arg(long)]
        variant: Option<String>,
        /// The game, if several have what is named
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// Create it although its name resembles another one
        #[arg(long)]
        new: bool,
        /// Begin with the function as it stands, not with one that asks the older answer: a script to go on from
        #[arg(long)]
        copy: bool,
    },
    /// A table of a variant; or of the game itself if its manifest is in this folder
    Table {
        name: String,
        #[arg(long)]
        variant: Option<String>,
        /// Its figures as CSV, copied from a spreadsheet, as a table of Markdown or HTML, or as a list of rows in JSON; - for standard input. First the column labels, with or without a corner `rows\columns` before them, then lines that begin with the row's label
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// The dice that pick a row
        #[arg(long)]
        dice: Option<String>,
        /// The names of a cell's parts, which / separates: attacker,defender
        #[arg(long, value_delimiter = ',')]
        fields: Vec<String>,
        /// The game, if several have what is named
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// Create it although its name resembles another one
        #[arg(long)]
        new: bool,
    },
    /// A situation, blank or copied
    #[command(alias = "scenario")]
    Situation {
        #[arg(allow_hyphen_values = true)]
        name: String,
        /// The situation to copy; a part of its name or title will do
        #[arg(long)]
        like: Option<String>,
        /// The procedure of a blank situation
        #[arg(long, conflicts_with = "like")]
        procedure: Option<String>,
        /// Its pieces as CSV, copied from a spreadsheet, as a table of Markdown or HTML, or as a list of rows in JSON; - for standard input. The first row names the columns: name, kind, side, at and attributes
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// The variant that it belongs to
        #[arg(long)]
        variant: Option<String>,
        /// The game, if several have what is named
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
    },
    /// The map of a VASSAL module: what its pieces and places are in a game; it is written beside the module
    #[cfg(feature = "vassal")]
    Map {
        /// Its name [default: that of the module]
        name: Option<String>,
        /// The module: a .vmod file
        #[arg(long, value_name = "FILE")]
        module: PathBuf,
        /// The situation that gives what a saved game does not hold: procedure, tracks, rosters
        #[arg(long)]
        like: String,
        /// The game, if there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
    },
    /// A test that holds the ruling of a situation: tests/<game>/<name>.yaml
    Test {
        name: String,
        /// The situation; a part of its name or title will do
        #[arg(long)]
        given: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        play: DiceArgs,
    },
}

/// Runs `new`.
pub fn new(
    library: &Arc<Library>,
    root: &Path,
    target: NewArgs,
    out: Printer,
) -> Result<ExitCode, Error> {
    // A variant that exists is of one game.
    let named_game = |game: String, variant: &Option<String>| match variant
        .as_ref()
        .and_then(|name| library.variants.get(name))
    {
        Some(variant) if game.is_empty() && library.games.contains_key(&variant.game) => {
            variant.game.clone()
        }
        _ => game,
    };
    let (written, counts) = match target {
        NewArgs::Game { name, title, like } => {
            let title = (name.as_str(), title.as_deref());
            let written = scaffold::new_game(library, root, title, like.as_deref())?;
            (written, Vec::new())
        }
        NewArgs::Variant {
            name,
            title,
            tables,
            game,
        } => scaffold::new_variant(
            library,
            root,
            &resolve_game(library, &game)?,
            (&name, title.as_deref()),
            tables,
        )?,
        NewArgs::Case {
            number,
            variant,
            game,
            new,
            copy,
        } => {
            let has_case = |game: &Game| scaffold::has_case(library, game, &number);
            let has_function = |game: &Game| scaffold::has_function(library, game, &number);
            let tests: [&dyn Fn(&Game) -> bool; 2] = [&has_case, &has_function];
            let tests = if new { &tests[..1] } else { &tests };
            let game = resolve_game_of(
                library,
                &named_game(game, &variant),
                ("case", &number),
                tests,
            )?;
            let home = Destination {
                library,
                root,
                game: &game,
                variant: variant.as_deref(),
            };
            (scaffold::new_case(home, &number, new, copy)?, Vec::new())
        }
        NewArgs::Table {
            name,
            variant,
            from,
            dice,
            fields,
            game,
            new,
        } => {
            let sheet = from
                .map(|path| read_input(&path).and_then(|text| SpreadsheetChart::parse(&text)))
                .transpose()?;
            for note in sheet.iter().flat_map(|sheet| &sheet.notes) {
                eprintln!("note: {note}");
            }
            let has_table = |game: &Game| scaffold::has_table(library, game, &name);
            let game = resolve_game_of(
                library,
                &named_game(game, &variant),
                ("table", &name),
                &[&has_table],
            )?;
            let home = Destination {
                library,
                root,
                game: &game,
                variant: variant.as_deref(),
            };
            charts::write_table(
                home,
                &ChartRequest {
                    id: &name,
                    sheet,
                    dice: dice.as_deref(),
                    fields,
                    is_new: new,
                },
            )?
        }
        NewArgs::Situation {
            name,
            like,
            procedure,
            from,
            variant,
            game,
        } => {
            let rows = from.map(|path| read_input(&path)).transpose()?;
            let rows = rows.as_deref();
            let game = named_game(game, &variant);
            let (game, like) = match like {
                Some(like) => resolve_situation(library, &like, &game)
                    .map(|like| (like.game, Some(like.name)))?,
                None => {
                    let requested = procedure.as_deref().unwrap_or_default();
                    let has_procedure =
                        |game: &Game| situations::has_procedure(library, game, requested);
                    (
                        resolve_game_of(
                            library,
                            &game,
                            ("procedure", requested),
                            &[&has_procedure],
                        )?,
                        None,
                    )
                }
            };
            let home = Destination {
                library,
                root,
                game: &game,
                variant: variant.as_deref(),
            };
            let written = match like {
                Some(like) => situations::copy_situation(home, &name, &like, rows)?,
                None => situations::new_situation(home, &name, procedure.as_deref(), rows)?,
            };
            (written, Vec::new())
        }
        #[cfg(feature = "vassal")]
        NewArgs::Map {
            name,
            module,
            like,
            game,
        } => {
            let (written, note) =
                vassal::new_map(library, root, &module, name.as_deref(), &game, &like)?;
            note.iter().for_each(|note| eprintln!("{note}"));
            (vec![written], Vec::new())
        }
        NewArgs::Test {
            name,
            given,
            ruleset,
            play,
        } => {
            scaffold::check_plain_name(&name)?;
            let (_, spec) = resolve_target(library, &given, &ruleset)?;
            let path = root
                .join("tests")
                .join(&spec.game)
                .join(format!("{name}.yaml"));
            let args = ResolveArgs {
                situation: given,
                ruleset,
                play,
                pin: Some(path),
                ..ResolveArgs::default()
            };
            return resolve::resolve(library, args, out);
        }
    };
    let paths: Vec<String> = written
        .iter()
        .map(|p| p.strip_prefix(".").unwrap_or(p).display().to_string())
        .collect();
    out.print(
        || WrittenFiles {
            notes: counts.iter().map(CellCount::describe).collect(),
            ..WrittenFiles::new(&paths)
        },
        || paths.iter().map(|path| format!("{path}\n")).collect(),
    );
    if !out.is_json() {
        counts
            .iter()
            .for_each(|count| eprintln!("{}", count.describe()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a file, or standard input if the path is `-`.
fn read_input(path: &Path) -> Result<String, Error> {
    let fail = |source| Error::File {
        path: path.display().to_string(),
        source,
    };
    if path == Path::new("-") {
        limited_text_of(std::io::stdin()).map_err(fail)
    } else {
        large_text_of(path).map_err(fail)
    }
}
