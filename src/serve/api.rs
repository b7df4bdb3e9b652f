//! `/api/v1`: the same for other programs. What is asked and answered stands in `assets/openapi.json`, which the tests hold it to.

use crate::author::{lists, show};
use crate::compare::causes::Cause;
use crate::compare::parting::Parting;
use crate::compare::verdicts::Verdict;
use crate::compare::view::View;
use crate::complaint::{Error, near};
use crate::data::manifest::Question;
use crate::odds::bars;
use crate::odds::best::played;
use crate::odds::measure::Measure;
use crate::ruling::data::data;
use crate::ruling::moves::moves;
use crate::ruling::situation::Situation;
use crate::serve::answers::Counted;
use crate::serve::ask::Ask;
use crate::serve::bench::{Bench, Shelf};
use crate::serve::map::look::Look;
use crate::serve::{answers, editor, play};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What is asked and answered, as OpenAPI 3.1.
pub const SCHEMA: &str = include_str!("assets/openapi.json");

/// For how long odds are counted at most; what is left is sampled.
const TIME: Duration = Duration::from_secs(20);

/// What can be asked: method, path, whether it writes, whether it may take long.
pub const ROUTES: &[(&str, &str, bool, bool)] = &[
    ("get", "/openapi.json", false, false),
    ("get", "/games", false, false),
    ("get", "/games/{game}/{name}", false, false),
    ("post", "/ruling", false, false),
    ("post", "/odds", false, true),
    ("post", "/compare", false, true),
    ("post", "/play", false, false),
    ("post", "/look", false, false),
    ("post", "/check", false, false),
    ("post", "/examples", false, false),
    ("post", "/conflicts", false, false),
    ("post", "/effect", false, true),
    ("post", "/unpack", true, false),
    ("post", "/new", true, false),
    ("put", "/file", true, false),
];

/// A file of a variant, and a text in its place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    path: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    was: Option<String>,
    #[serde(default)]
    situation: String,
}

/// Something to be laid out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct New {
    what: String,
    game: String,
    #[serde(default)]
    variant: String,
    name: String,
}

/// A question of the map.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Looked {
    at: Ask,
    asks: String,
    #[serde(default)]
    of: String,
    #[serde(default)]
    to: String,
}

/// A variant that was sent as one file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    pack: String,
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(body).map_err(|error| Error::Usage(format!("the body can't be read: {error}")))
}

impl Text {
    fn text(&self) -> Result<&str, Error> {
        self.text.as_deref().ok_or_else(|| Error::Usage("`text` is missing: what would stand in the file".into()))
    }
}

/// Answers a request; `route` is one of [`ROUTES`], its path without braces filled in.
pub fn answer(bench: &Bench, method: &str, path: &[&str], body: &[u8], stop: &AtomicBool) -> Result<Value, Error> {
    let shelf = bench.shelf()?;
    match (method, path) {
        ("get", ["openapi.json"]) => serde_json::from_str(SCHEMA).map_err(|error| Error::Usage(error.to_string())),
        ("get", ["games"]) => shelf.library.games.keys().map(|game| contents(&shelf, game)).collect(),
        ("get", ["games", game, name]) => found(&shelf, game, name),
        ("post", ["ruling"]) => {
            let mut ask: Ask = read(body)?;
            let situation = strict(&shelf, &mut ask)?;
            let seed = ask.dice.is_none().then(|| ask.seed.unwrap_or(1));
            Ok(data(&answers::ruling(&situation, &ask)?, &situation, seed))
        }
        ("post", ["odds"]) => {
            let mut ask: Ask = read(body)?;
            if ask.dice.is_some() {
                return Err(Error::Usage("odds are of every throw there can be: `dice` are for a ruling".into()));
            }
            odds(&strict(&shelf, &mut ask)?, &ask, stop)
        }
        ("post", ["compare"]) => compare(&shelf, read(body)?, stop),
        ("post", ["play"]) => {
            let mut ask: Ask = read(body)?;
            let situation = strict(&shelf, &mut ask)?;
            // What an earlier answer has told is told again only where it is asked for.
            let from = ask.from_move.unwrap_or(ask.moves.len());
            play::seated(&shelf, &situation, &ask, |session| {
                let ran = session.since(from);
                let moves = moves(&ran.events, &ran.board);
                json!({ "waits": play::waits(session), "moves": moves, "ruling": data(&ran, &situation, Some(ask.seed.unwrap_or(1))) })
            })
        }
        ("post", ["look"]) => look(&shelf, read(body)?),
        ("post", ["check"]) => {
            let asked: Text = read(body)?;
            let (complaints, others) = editor::complaints(bench, &asked.path, asked.text()?)?;
            Ok(json!({ "complaints": complaints, "others": others }))
        }
        ("post", ["examples"]) => {
            let asked: Text = read(body)?;
            Ok(json!({ "proofs": editor::proofs(bench, &asked.path, asked.text.as_deref())? }))
        }
        ("post", ["conflicts"]) => {
            let asked: Text = read(body)?;
            Ok(json!({ "conflicts": editor::conflicts(bench, &asked.path, asked.text()?)? }))
        }
        ("post", ["unpack"]) => {
            let Sent { pack } = read(body)?;
            editor::unpack(bench, &pack)
        }
        ("post", ["effect"]) => {
            let asked: Text = read(body)?;
            let shown = editor::before_and_after(bench, &asked.path, asked.text()?, &asked.situation, stop)?;
            Ok(json!({ "html": shown.into_string() }))
        }
        ("post", ["new"]) => {
            let New { what, game, variant, name } = read(body)?;
            editor::lay_out(bench, &what, &game, &variant, &name)
        }
        ("put", ["file"]) => {
            let asked: Text = read(body)?;
            bench.save(&asked.path, asked.text()?, asked.was.as_deref())?;
            Ok(json!({ "saved": asked.path }))
        }
        _ => Err(Error::Unknown {
            what: "thing to ask",
            name: format!("{method} /{}", path.join("/")),
            near: near(&format!("/{}", path.join("/")), ROUTES.iter().map(|(_, path, ..)| *path)),
        }),
    }
}

/// Odds with what they rest on; where sides choose the best, what they take.
fn odds(situation: &Situation, ask: &Ask, stop: &AtomicBool) -> Result<Value, Error> {
    let Counted { found, assumed } = answers::odds(situation, ask, stop, TIME)?;
    if found.sample.is_some() {
        return Ok(assumed.with(bars::data(&found.odds, found.sample.as_ref())));
    }
    let measure = ask.measure.as_deref().map(Measure::read).transpose()?;
    let played = played(&found.counted, &found.odds, measure.as_ref())?;
    Ok(assumed.with(played.told(bars::data(&played.odds, None), measure.as_ref())))
}

/// What the map answers on the board to which a situation was played.
fn look(shelf: &Shelf, asked: Looked) -> Result<Value, Error> {
    let Looked { mut at, asks, of, to } = asked;
    let situation = strict(shelf, &mut at)?;
    let game = &situation.ruleset().game;
    let look = Look { asks: asks.clone(), of, to, before: false };
    let seen = play::seated(shelf, &situation, &at, |session| {
        look.put(&situation, session.board(), &at).map(|seen| seen.map(|seen| (seen.of, seen.ran)))
    })?;
    let known = || {
        let one = |question: &Question| format!("`{}`{}", question.name, if question.piece.is_some() { ", of a piece" } else { "" });
        game.board.iter().map(one).collect::<Vec<_>>().join("; ")
    };
    let unknown = || Error::Usage(format!("`{asks}` is no question of the map, asked so; it answers {}", known()));
    let (of, ran) = seen.ok_or_else(unknown)??;
    Ok(json!({ "of": of, "ruling": data(&ran, &situation, None) }))
}

/// The situation of a request; unlike a page, it complains of readings that are not in force.
fn strict(shelf: &Shelf, ask: &mut Ask) -> Result<Situation, Error> {
    let default = shelf.known(ask)?;
    let mut wish = ask.wish(&shelf.library, default);
    wish.options = ask.options.clone().into_iter().collect();
    crate::serve::bench::changed(&shelf.program(&wish)?, ask)
}

/// A game with all there is of it.
fn contents(shelf: &Shelf, game: &str) -> Result<Value, Error> {
    let program = shelf.book(&Ask { game: game.into(), ..Ask::default() })?;
    Ok(lists::contents(&shelf.library, &program.ruleset).json)
}

/// What a game calls by a name, with its chain of amendments.
fn found(shelf: &Shelf, game: &str, name: &str) -> Result<Value, Error> {
    let program = shelf.book(&Ask { game: game.into(), ..Ask::default() })?;
    Ok(show::known(&program.ruleset, name)?.into_iter().map(|shown| shown.json).collect())
}

fn compare(shelf: &Shelf, mut ask: Ask, stop: &AtomicBool) -> Result<Value, Error> {
    shelf.known(&mut ask)?;
    let compared = answers::compare(shelf, &ask, true, stop, TIME)?;
    let rulesets: Vec<Value> =
        compared.views.iter().map(|view| json!({ "ruleset": view.title, "odds": bars::data(&view.odds, None) })).collect();
    let parting = |(parting, pair): (&Parting, &[View])| {
        let causes = |(outcome, causes): &(String, Option<Vec<Cause>>)| json!({ "outcome": outcome, "causes": causes });
        let differing: Vec<&str> = parting.of(Verdict::Differs).map(|difference| difference.outcome.as_str()).collect();
        json!({
            "from": pair[0].title, "to": pair[1].title, "verdict": parting.verdict(), "differing": differing, "runs": parting.runs,
            "causes": parting.causes.iter().map(causes).collect::<Vec<_>>(),
        })
    };
    let partings: Vec<Value> = compared.partings.iter().zip(compared.views.windows(2)).map(parting).collect();
    Ok(json!({ "situation": ask.situation, "rulesets": rulesets, "partings": partings }))
}
