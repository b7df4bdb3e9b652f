//! The JSON API `/api/v1` for other programs. `assets/openapi.json` specifies requests and responses; the tests validate against it.

use crate::author::{lists, show};
use crate::compare::causes::Cause;
use crate::compare::divergence::Divergence;
use crate::compare::verdicts::DifferenceVerdict;
use crate::compare::view::RulesetView;
use crate::complaint::{Error, nearest_names};
use crate::data::manifest::MapQuestion;
use crate::odds::assumptions::CountedOdds;
use crate::odds::bar_chart;
use crate::odds::best_play::best_play;
use crate::odds::headline::{add_headline, headline_values};
use crate::odds::measure::Measure;
use crate::ruling::json::ruling_json;
use crate::ruling::moves::moves;
use crate::ruling::situation::Situation;
use crate::serve::cell_editor::CellChange;
use crate::serve::map::map_look::MapLook;
use crate::serve::page_request::PageRequest;
use crate::serve::variant_files::VariantChange;
use crate::serve::workbench::{DataSnapshot, Workbench};
use crate::serve::{cell_editor, editor, play, queries};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The OpenAPI 3.1 document of the API.
pub const OPENAPI: &str = include_str!("assets/openapi.json");

/// Time limit of an exact count; the rest is sampled.
const ODDS_TIME: Duration = Duration::from_secs(20);

/// Routes: method, path, whether the route writes, whether it may run long.
pub const ROUTES: &[(&str, &str, bool, bool)] = &[
    ("get", "/openapi.json", false, false),
    ("get", "/games", false, false),
    ("get", "/games/{game}/{name}", false, false),
    ("post", "/ruling", false, false),
    ("post", "/odds", false, true),
    ("post", "/sweep", false, true),
    ("post", "/compare", false, true),
    ("post", "/play", false, false),
    ("post", "/journal", false, true),
    ("post", "/look", false, false),
    ("post", "/check", false, false),
    ("post", "/examples", false, false),
    ("post", "/conflicts", false, false),
    ("post", "/effect", false, true),
    ("post", "/unpack", true, false),
    ("post", "/new", true, false),
    ("post", "/variant", true, false),
    ("post", "/cell", true, false),
    ("put", "/file", true, false),
];

/// A variant file and the text to use in its place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantFileText {
    path: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    was: Option<String>,
    #[serde(default)]
    situation: String,
}

/// Request body of a route that creates files.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRequest {
    what: String,
    game: String,
    #[serde(default)]
    variant: String,
    name: String,
}

/// Request body of a sweep.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SweepRequest {
    at: PageRequest,
    /// The figure and its values: `Red guard: size=1..20`.
    over: String,
}

/// Request body of a map question.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapRequest {
    at: PageRequest,
    asks: String,
    #[serde(default)]
    of: String,
    #[serde(default)]
    to: String,
}

/// Request body with the text of a journal.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalRequest {
    journal: String,
}

/// Request body with a packed variant.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackRequest {
    pack: String,
}

fn parse_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(body).map_err(|error| Error::Usage(format!("the body can't be read: {error}")))
}

impl VariantFileText {
    fn required_text(&self) -> Result<&str, Error> {
        self.text.as_deref().ok_or_else(|| Error::Usage("`text` is missing: what would stand in the file".into()))
    }
}

/// Answers a request. `route` is one of [`ROUTES`]; `path` holds the values of its placeholders.
pub fn handle(bench: &Workbench, method: &str, path: &[&str], body: &[u8], stop: &AtomicBool) -> Result<Value, Error> {
    let shelf = bench.snapshot()?;
    match (method, path) {
        ("get", ["openapi.json"]) => serde_json::from_str(OPENAPI).map_err(|error| Error::Usage(error.to_string())),
        ("get", ["games"]) => shelf.library.games.keys().map(|game| game_contents(&shelf, game)).collect(),
        ("get", ["games", game, name]) => find_named(&shelf, game, name),
        ("post", ["ruling"]) => {
            let mut ask: PageRequest = parse_body(body)?;
            let situation = strict_situation(&shelf, &mut ask)?;
            let seed = ask.dice.is_none().then(|| ask.seed.unwrap_or(1));
            Ok(ruling_json(&queries::ruling(&situation, &ask)?, &situation, seed))
        }
        ("post", ["odds"]) => {
            let mut ask: PageRequest = parse_body(body)?;
            if ask.dice.is_some() {
                return Err(Error::Usage("odds are of every throw there can be: `dice` are for a ruling".into()));
            }
            odds_json(&strict_situation(&shelf, &mut ask)?, &ask, stop)
        }
        ("post", ["sweep"]) => {
            let SweepRequest { at, over } = parse_body(body)?;
            if at.rulesets.is_empty() {
                strict_situation(&shelf, &mut at.clone())?;
            }
            let found = queries::sweep(&shelf, &at, &over, stop, ODDS_TIME)?;
            let outcomes = found.result.outcomes();
            Ok(found.result.to_json(&at.situation, &found.overrides, &outcomes, &found.assumptions))
        }
        ("post", ["compare"]) => compare_json(&shelf, parse_body(body)?, stop),
        ("post", ["play"]) => {
            let mut ask: PageRequest = parse_body(body)?;
            let situation = strict_situation(&shelf, &mut ask)?;
            // Moves before `from_move` were reported by an earlier response.
            let from = ask.from_move.unwrap_or(ask.moves.len());
            play::with_session(&shelf, &situation, &ask, |session| {
                let ran = session.resolved_since(from);
                let moves = moves(&ran.events, &ran.board);
                json!({ "waits": play::waiting_json(session), "moves": moves, "ruling": ruling_json(&ran, &situation, Some(ask.seed.unwrap_or(1))) })
            })
        }
        ("post", ["journal"]) => {
            let JournalRequest { journal } = parse_body(body)?;
            Ok(json!({ "address": play::saved_game::journal_address(&shelf, &journal)? }))
        }
        ("post", ["look"]) => ask_map(&shelf, parse_body(body)?),
        ("post", ["check"]) => {
            let asked: VariantFileText = parse_body(body)?;
            let (complaints, others) = editor::check_text(bench, &asked.path, asked.required_text()?)?;
            Ok(json!({ "complaints": complaints, "others": others }))
        }
        ("post", ["examples"]) => {
            let asked: VariantFileText = parse_body(body)?;
            Ok(json!({ "proofs": editor::run_examples(bench, &asked.path, asked.text.as_deref())? }))
        }
        ("post", ["conflicts"]) => {
            let asked: VariantFileText = parse_body(body)?;
            Ok(json!({ "conflicts": editor::conflicts_of_text(bench, &asked.path, asked.required_text()?)? }))
        }
        ("post", ["unpack"]) => {
            let PackRequest { pack } = parse_body(body)?;
            editor::unpack(bench, &pack)
        }
        ("post", ["effect"]) => {
            let asked: VariantFileText = parse_body(body)?;
            let shown = editor::compare_odds(bench, &asked.path, asked.required_text()?, &asked.situation, stop)?;
            Ok(json!({ "html": shown.into_string() }))
        }
        ("post", ["new"]) => {
            let NewRequest { what, game, variant, name } = parse_body(body)?;
            editor::create_files(bench, &what, &game, &variant, &name)
        }
        ("post", ["variant"]) => parse_body::<VariantChange>(body)?.apply(bench),
        ("post", ["cell"]) => cell_editor::save(bench, &parse_body::<CellChange>(body)?),
        ("put", ["file"]) => {
            let asked: VariantFileText = parse_body(body)?;
            bench.save(&asked.path, asked.required_text()?, asked.was.as_deref())?;
            Ok(json!({ "saved": asked.path }))
        }
        _ => Err(Error::Unknown {
            what: "thing to ask",
            name: format!("{method} /{}", path.join("/")),
            suggestions: nearest_names(&format!("/{}", path.join("/")), ROUTES.iter().map(|(_, path, ..)| *path)),
        }),
    }
}

/// The odds as JSON, with their assumptions; for best play also the strategy of each side.
fn odds_json(situation: &Situation, ask: &PageRequest, stop: &AtomicBool) -> Result<Value, Error> {
    let CountedOdds { result: found, assumptions: assumed } = queries::odds(situation, ask, stop, ODDS_TIME)?;
    if found.sample.is_some() {
        let headline = headline_values(situation, &found.odds, found.sample.as_ref());
        return Ok(assumed.add_to_json(add_headline(bar_chart::to_json(&found.odds, found.sample.as_ref()), &headline)));
    }
    let measure = ask.measure.as_deref().map(Measure::parse).transpose()?;
    let played = best_play(&found.counted, &found.odds, measure.as_ref())?;
    let headline = headline_values(situation, &played.odds, None);
    Ok(assumed.add_to_json(add_headline(played.add_to_json(bar_chart::to_json(&played.odds, None), measure.as_ref()), &headline)))
}

/// Answers a map question on the board after the moves of the request.
fn ask_map(shelf: &DataSnapshot, asked: MapRequest) -> Result<Value, Error> {
    let MapRequest { mut at, asks, of, to } = asked;
    let situation = strict_situation(shelf, &mut at)?;
    let game = &situation.ruleset().game;
    let look = MapLook { question: asks.clone(), piece: of, place: to, before_ruling: false };
    let seen = play::with_session(shelf, &situation, &at, |session| {
        look.ask(&situation, session.board(), &at).map(|seen| seen.map(|seen| (seen.piece, seen.resolved)))
    })?;
    let known = || {
        let one =
            |question: &MapQuestion| format!("`{}`{}", question.name, if question.piece_param.is_some() { ", of a piece" } else { "" });
        game.map_questions.iter().map(one).collect::<Vec<_>>().join("; ")
    };
    let unknown = || Error::Usage(format!("`{asks}` is no question of the map, asked so; it answers {}", known()));
    let (of, ran) = seen.ok_or_else(unknown)??;
    Ok(json!({ "of": of, "ruling": ruling_json(&ran, &situation, None) }))
}

/// Builds the situation of a request. Unlike a page, it fails on readings that are not in force.
fn strict_situation(shelf: &DataSnapshot, ask: &mut PageRequest) -> Result<Situation, Error> {
    let default = shelf.complete_request(ask)?;
    let mut wish = ask.spec(&shelf.library, default);
    wish.options = ask.options.clone().into_iter().collect();
    crate::serve::workbench::changed_situation(&shelf.program(&wish)?, ask)
}

/// Describes a game with all its contents.
fn game_contents(shelf: &DataSnapshot, game: &str) -> Result<Value, Error> {
    let program = shelf.rulebook_program(&PageRequest { game: game.into(), ..PageRequest::default() })?;
    Ok(lists::contents(&shelf.library, &program.ruleset).json)
}

/// Describes a named item of a game with its chain of amendments.
fn find_named(shelf: &DataSnapshot, game: &str, name: &str) -> Result<Value, Error> {
    let program = shelf.rulebook_program(&PageRequest { game: game.into(), ..PageRequest::default() })?;
    Ok(show::find_known(&program.ruleset, name)?.into_iter().map(|shown| shown.json).collect())
}

fn compare_json(shelf: &DataSnapshot, mut ask: PageRequest, stop: &AtomicBool) -> Result<Value, Error> {
    shelf.complete_request(&mut ask)?;
    let compared = queries::compare(shelf, &ask, true, stop, ODDS_TIME)?;
    let ruleset = |view: &RulesetView| {
        let odds = add_headline(bar_chart::to_json(&view.odds, None), &headline_values(&view.situation, &view.odds, None));
        json!({ "ruleset": view.title, "odds": odds })
    };
    let rulesets: Vec<Value> = compared.views.iter().map(ruleset).collect();
    let parting = |(parting, pair): (&Divergence, &[RulesetView])| {
        let causes = |(outcome, causes): &(String, Option<Vec<Cause>>)| json!({ "outcome": outcome, "causes": causes });
        let differing: Vec<&str> = parting.with_verdict(DifferenceVerdict::Differs).map(|difference| difference.outcome.as_str()).collect();
        json!({
            "from": pair[0].title, "to": pair[1].title, "verdict": parting.verdict(), "differing": differing, "runs": parting.runs,
            "causes": parting.causes.iter().map(causes).collect::<Vec<_>>(),
        })
    };
    let partings: Vec<Value> = compared.divergences.iter().zip(compared.views.windows(2)).map(parting).collect();
    Ok(json!({ "situation": ask.situation, "rulesets": rulesets, "partings": partings }))
}
