//! The command line, nothing else.

mod args;
mod compare_command;
mod odds_command;
mod play_command;

use args::{Cli, Command, Format, New, PlayArgs, RulesetArgs};
use casebook::complaint::{Complaints, Error, near};
use casebook::dice::{Seeded, Stream, Typed};
use casebook::example::Proof;
use casebook::journal::Journal;
use casebook::library::Library;
use casebook::page::Page;
use casebook::ruleset::Wish;
use casebook::ruling::{self, Order};
use casebook::script::Script;
use casebook::session::joined;
use casebook::shelf::Shelf;
use casebook::watch::{self, Look, Watched};
use casebook::{check, conflicts, coverage, laws, patch, scaffold, show, suite};
use clap::Parser;
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    // Whoever reads the output may have had enough of it: `casebook odds ... | head`.
    std::panic::set_hook(Box::new(|panic| match panic.to_string() {
        text if text.contains("Broken pipe") => std::process::exit(0),
        text => eprintln!("{text}"),
    }));
    let cli = Cli::parse();
    // Scripts may nest deeply; the limits of the host, not the stack of this thread, are to stop them.
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(move || finish(cli));
    worker.ok().and_then(|thread| thread.join().ok()).unwrap_or(ExitCode::from(1))
}

fn finish(cli: Cli) -> ExitCode {
    let (format, colour) = (cli.format, std::io::stderr().is_terminal());
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            match (&error, format) {
                (Error::Data(complaints), Format::Json) => print_json(&json!({ "complaints": complaints.0 })),
                (other, Format::Json) => print_json(&json!({ "error": other.to_string() })),
                (Error::Data(complaints), Format::Text) => eprint!("{}", complaints.render(colour)),
                (other, Format::Text) => eprintln!("error: {other}"),
            }
            ExitCode::from(if matches!(error, Error::Usage(_) | Error::Unknown { .. }) { 2 } else { 1 })
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode, Error> {
    let (format, colour) = (cli.format, std::io::stdout().is_terminal());
    if let Command::Explain { law } = &cli.command {
        return explain(law.as_deref(), format);
    }
    let library = Arc::new(Library::new(Shelf::find(cli.data.as_deref())?));
    let root = cli.data.clone().unwrap_or_else(|| PathBuf::from("."));
    match cli.command {
        Command::Resolve { situation, ruleset, play, trace, save, replay } => {
            let play = Play { args: play, trace, save };
            match replay {
                Some(path) => replayed(&library, &path, play, format, colour),
                None => resolve(&library, &situation.unwrap_or_default(), &ruleset, play, format, colour),
            }
        }
        Command::Odds { situation, ruleset, choose, given, exact, strict, policy, measure, matrix, by, limit } => {
            let ask = odds_command::Ask { choose, given, exact, strict, policy, measure, matrix, by, limit };
            odds_command::odds(&library, &situation, &ruleset, &ask, format, colour)
        }
        Command::Compare { situation, with, readings, search, option, choose, seed, dice, game, limit } => {
            let ask = compare_command::Ask { with, readings, search, choose, seed, dice, limit };
            let args = RulesetArgs { option, game, ..RulesetArgs::default() };
            compare_command::compare(&library, &situation, &args, &ask, format, Page { colour })
        }
        Command::Watch { situation, ruleset, play } => {
            let play = Play { args: play, trace: false, save: None };
            let watched = Watched { find: |library: &Library| meant(library, &situation, &ruleset), order: || play.order(), last: None };
            watch::watch(cli.data.as_deref(), watched, Look { json: format == Format::Json, colour })?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Show { name, ruleset } => shown(&library, &name, &ruleset, format),
        Command::List { ruleset } => list(&library, &ruleset, format),
        Command::Check { conflicts: Some(variants), patch } => held(&library, &root, &variants, patch.as_deref(), format, colour),
        Command::Check { .. } => {
            let complaints = check::check(&library, None);
            if format == Format::Json {
                print_json(&json!({ "complaints": complaints.0 }))
            } else {
                print!("{}", complaints.render(colour))
            }
            Ok(ExitCode::from(u8::from(complaints.any_error())))
        }
        Command::Test { path, verbose, accept } => test(&library, &path, verbose, accept, format, colour),
        Command::New { what } => new(&library, &root, what, format),
        Command::Coverage { game } => {
            let one = (!game.is_empty()).then(|| library.game(&game)).transpose()?.map(|game| &game.name);
            let all = library
                .games
                .keys()
                .filter(|name| one.is_none_or(|one| one == *name))
                .map(|name| coverage::of(&library, name))
                .collect::<Result<Vec<_>, _>>()?;
            match format {
                Format::Json => print_json(&json!(all)),
                Format::Text => all.iter().for_each(|one| print!("{}", one.render(colour))),
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Explain { .. } => Ok(ExitCode::SUCCESS),
    }
}

fn print_json(value: &serde_json::Value) {
    println!("{value:#}");
}

/// The game named, or the only one there is.
fn game(library: &Library, name: &str) -> Result<String, Error> {
    let names: Vec<&String> = library.games.keys().collect();
    match (name, &names[..]) {
        ("", [only]) => Ok(only.to_string()),
        ("", []) => Err(whole(&library.complaints)),
        ("", _) => match library.games.values().find(|game| game.main) {
            Some(game) => Ok(game.name.clone()),
            None => Err(Error::Usage(format!(
                "there are several games; name one with --game: {}",
                joined(names.iter().map(|n| n.to_string()).collect())
            ))),
        },
        (name, _) => library.game(name).map(|game| game.name.clone()),
    }
}

/// The game named, or all there are.
fn games<'a>(library: &'a Library, named: &str) -> Result<Vec<&'a String>, Error> {
    if !named.is_empty() {
        library.game(named)?;
    }
    Ok(library.games.keys().filter(|game| named.is_empty() || *game == named).collect())
}

/// Why there is no game at all: its manifest could not be read.
fn whole(complaints: &Complaints) -> Error {
    if complaints.any_error() {
        Error::Data(complaints.clone())
    } else {
        Error::Usage("there is no game in this folder: rules/<game>/game.yaml".into())
    }
}

struct Play {
    args: PlayArgs,
    trace: bool,
    save: Option<PathBuf>,
}

/// The one situation meant by a name or a part of it: its game, its name, and the variant that brings it.
fn situation(library: &Library, wanted: &str, in_game: &str) -> Result<(String, String, Option<String>), Error> {
    let all: Vec<_> = games(library, in_game)?
        .into_iter()
        .flat_map(|g| library.scenarios(g).into_iter().map(|(name, variant)| (g.clone(), name, variant)))
        .collect();
    if let Some(exact) = all.iter().find(|(_, name, _)| name == wanted) {
        return Ok(exact.clone());
    }
    let part: Vec<_> = all.iter().filter(|(_, name, _)| !wanted.is_empty() && name.contains(wanted)).collect();
    match part[..] {
        [one] => Ok(one.clone()),
        [] if library.games.is_empty() => Err(whole(&library.complaints)),
        [] => {
            Err(Error::Unknown { what: "situation", name: wanted.into(), near: near(wanted, all.iter().map(|(_, name, _)| name.as_str())) })
        }
        _ => Err(Error::Usage(format!(
            "`{wanted}` is a part of several names: {}",
            part.iter().map(|(_, name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        ))),
    }
}

impl Play {
    fn order(&self) -> Order {
        let (stream, dice_from): (Box<dyn Stream>, String) = match &self.args.dice {
            None => (Box::new(Seeded::new(self.args.seed)), format!("seed {}", self.args.seed)),
            Some(faces) => {
                let text = faces.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
                (Box::new(Typed::new(faces.clone())), format!("dice {text}"))
            }
        };
        Order { stream, dice_from, choices: self.args.choose.clone(), strict: self.args.strict, trace: self.trace }
    }
}

/// The situation meant by a name or a part of it, and what is to be in force.
fn meant(library: &Library, wanted: &str, args: &RulesetArgs) -> Result<(String, Wish), Error> {
    let (game, name, variant) = situation(library, wanted, &args.game)?;
    let default = library.default_with(&game, &name, variant.as_deref());
    Ok((name, args.wish(&game, Some(&default))))
}

fn resolve(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, play: Play, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let (name, wish) = meant(library, wanted, args)?;
    carry_out(library, &name, &wish, play, format, colour).map(|(code, _)| code)
}

fn carry_out(
    library: &Arc<Library>,
    name: &str,
    wish: &Wish,
    play: Play,
    format: Format,
    colour: bool,
) -> Result<(ExitCode, ruling::Ruling), Error> {
    let (ruleset, _) = laws::enact(library, wish)?;
    let scenario = ruleset.scenario(name)?;
    let script = Script::new(Arc::new(ruleset));
    let ruling = ruling::resolve(&script, &scenario, play.order())?;
    if let Some(path) = play.save {
        Journal::new(&ruling, wish, &play.args.choose).write(&path)?;
    }
    if format == Format::Json {
        print_json(&json!(ruling))
    } else {
        print!("{}", ruling.render(colour))
    }
    Ok((ExitCode::from(u8::from(ruling.refused.is_some())), ruling))
}

fn replayed(library: &Arc<Library>, path: &Path, play: Play, format: Format, colour: bool) -> Result<ExitCode, Error> {
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

fn test(library: &Arc<Library>, path: &str, verbose: bool, accept: bool, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let (mut failed, mut all) = (0, Vec::new());
    for game in library.games.keys() {
        let told = |proof: &Proof| {
            failed += usize::from(proof.complaint.is_some());
            match proof.told(colour) {
                _ if format == Format::Json => {}
                Some(why) => println!("FAILED  {}  {}\n{why}\n", proof.id, proof.name),
                None if proof.accepted => println!("accepted  {}  {}", proof.id, proof.path),
                None if verbose => println!("ok  {:<24}  {:<64}  {}", proof.id, proof.name, proof.path),
                None => {}
            }
        };
        all.extend(suite::run(library, game, path, accept, told, |_| ())?);
    }
    let count = all.len();
    match format {
        Format::Json => print_json(&json!({ "passed": count - failed, "failed": failed, "examples": all })),
        Format::Text if count == 0 => println!("no example stands in a file whose path holds `{path}`"),
        Format::Text => println!("{} examples hold, {failed} fail", count - failed),
    }
    Ok(ExitCode::from(u8::from(failed > 0 || count == 0)))
}

/// How variants get on; with a name, a variant that settles what they contradict in is laid out.
fn held(
    library: &Arc<Library>,
    root: &Path,
    variants: &[String],
    name: Option<&str>,
    format: Format,
    colour: bool,
) -> Result<ExitCode, Error> {
    let report = conflicts::conflicts(library, variants)?;
    let written = name.map(|name| patch::write(library, root, &report, name)).transpose()?;
    match format {
        Format::Json => print_json(&report.json(written.as_deref())),
        Format::Text => {
            print!("{}", report.render(colour));
            print!("{}", written.map(|files| patch::told(&files)).unwrap_or_default());
        }
    }
    Ok(ExitCode::from(u8::from(name.is_none() && report.contradicts())))
}

fn new(library: &Arc<Library>, root: &Path, what: New, format: Format) -> Result<ExitCode, Error> {
    let written = match what {
        New::Variant { name, tables, game: g } => scaffold::variant(library, root, &game(library, &g)?, &name, tables)?,
        New::Case { number, variant, game: g } => scaffold::case(library, root, &game(library, &g)?, &variant, &number)?,
        New::Table { name, variant, game: g } => scaffold::table(library, root, &game(library, &g)?, &variant, &name)?,
        New::Scenario { name, like, game: g } => scaffold::scenario(library, root, &game(library, &g)?, &name, &like)?,
    };
    let paths: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
    match format {
        Format::Json => print_json(&json!({ "written": paths })),
        Format::Text => paths.iter().for_each(|p| println!("{p}")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows a name in the game named, else in every game that knows it.
fn shown(library: &Arc<Library>, name: &str, args: &RulesetArgs, format: Format) -> Result<ExitCode, Error> {
    let mut found = Vec::new();
    let mut missed = None;
    for game in games(library, &args.game)? {
        let all: Vec<String> = library.variants_of(game).into_iter().map(String::from).collect();
        let (ruleset, _) = laws::enact(library, &args.wish(game, Some(&all)))?;
        match show::find(&ruleset, name) {
            Ok(shown) => found.push(shown),
            Err(error @ Error::Unknown { .. }) => missed = missed.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    if found.is_empty() {
        return Err(missed.unwrap_or_else(|| whole(&library.complaints)));
    }
    match format {
        Format::Json if found.len() == 1 => print_json(&found[0].json),
        Format::Json => print_json(&found.into_iter().map(|s| s.json).collect()),
        Format::Text => print!("{}", found.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("\n")),
    }
    Ok(ExitCode::SUCCESS)
}

fn list(library: &Arc<Library>, args: &RulesetArgs, format: Format) -> Result<ExitCode, Error> {
    let mut found = Vec::new();
    for name in games(library, &args.game)? {
        let all: Vec<String> = library.variants_of(name).into_iter().map(String::from).collect();
        let (ruleset, _) = laws::enact(library, &args.wish(name, Some(&all)))?;
        found.push(show::contents(library, &ruleset));
    }
    match format {
        Format::Json => print_json(&found.iter().map(|g| g.json.clone()).collect()),
        Format::Text => print!("{}", found.iter().map(|g| g.text.as_str()).collect::<Vec<_>>().join("\n")),
    }
    Ok(ExitCode::SUCCESS)
}

fn explain(law: Option<&str>, format: Format) -> Result<ExitCode, Error> {
    let Some(law) = law else {
        let all: Vec<_> = laws::names().map(|name| (name, laws::explain(name).unwrap_or_default())).collect();
        match format {
            Format::Json => print_json(&all.iter().map(|(n, t)| json!({ "law": n, "text": t })).collect()),
            Format::Text => all.iter().for_each(|(n, t)| println!("{n:<16} {}", t.lines().next().unwrap_or_default())),
        }
        return Ok(ExitCode::SUCCESS);
    };
    let text = laws::explain(law).ok_or_else(|| Error::Unknown { what: "law", name: law.into(), near: near(law, laws::names()) })?;
    if format == Format::Json {
        print_json(&json!({ "law": law, "text": text }))
    } else {
        println!("{law}\n\n{text}")
    }
    Ok(ExitCode::SUCCESS)
}
