//! What the routes of the JSON API answer. [`routes`](crate::serve::routes) lists them.

use crate::serve::api_answers::{
    CheckedText, EffectPage, GameAddress, MapReport, PinnedFile, PlayedReport, SavedFile,
};
use crate::serve::editor::NewContent;
use crate::serve::map::map_look::MapLook;
use crate::serve::page_request::PageRequest;
use crate::serve::play::TableRequest;
use crate::serve::variant_files::VariantChange;
use crate::serve::what_if::request::{ChangesToKeep, ChangesToTry};
use crate::serve::workbench::{DataSnapshot, Workbench, changed_situation};
use crate::serve::{editor, play, queries};
use casebook_analysis::luck::json::JournalLuck;
use casebook_analysis::odds::assumptions::CountedOdds;
use casebook_analysis::odds::best_play::best_play;
use casebook_analysis::odds::measure::Measure;
use casebook_analysis::odds::report::Qualified;
use casebook_analysis::usecase;
use casebook_analysis::usecase::luck::{LuckSettings, luck};
use casebook_analysis::usecase::settings::CountLimits;
use casebook_checks::author::pin::pin;
use casebook_checks::author::pin_parts::{PinParts, others_in_words};
use casebook_checks::testing::check::{CheckOutcome, TestReport};
use casebook_checks::testing::suite::{self, PINS};
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{Error, MendableComplaint};
use casebook_engine::data::manifest::{Game, MapQuestion};
use casebook_engine::data::text_file::invisible_fault;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::journal::Journal;
use casebook_engine::ruling::json::RulingReport;
use casebook_engine::ruling::moves::moves;
use casebook_engine::ruling::situation::Situation;
use casebook_view::block::FoundPages;
use casebook_view::show;
use casebook_view::things::{self, ListReport};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of an exact count; the rest is sampled.
const ODDS_TIME: Duration = Duration::from_secs(20);

/// A file of a variant, `variants/NAME/...`, and a text in its place.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Text")]
struct VariantFileText {
    path: String,
    #[serde(default)]
    text: Option<String>,
    /// For PUT /file: the text it is to take the place of; where the file holds another by now nothing is written.
    #[serde(default)]
    was: Option<String>,
    #[serde(default)]
    situation: String,
}

/// A figure to sweep over.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SweepAsk")]
struct SweepRequest {
    at: PageRequest,
    /// The figure and its values: `PIECE: FIGURE=1..20`, or a list `2,4,8`.
    over: String,
}

/// A question of the map.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MapAsk")]
struct MapRequest {
    at: PageRequest,
    /// The question: `where it can go`.
    asks: String,
    /// The piece, where it is asked of one.
    #[serde(default)]
    of: String,
    /// The place that is asked about.
    #[serde(default)]
    to: String,
}

/// A ruling to pin.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PinAsk")]
struct PinRequest {
    at: PageRequest,
    /// What the ruling shows, in one sentence.
    because: String,
    /// Outcomes by name, and lines by words in them, that the pin holds alone; left out: the headline, and the lines that say it.
    #[serde(default)]
    only: Vec<String>,
}

/// A pinned ruling that is taken as it comes out.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AcceptAsk")]
struct AcceptRequest {
    game: String,
    /// Its sentence.
    name: String,
    /// Its file, as the answer of a test names it.
    path: String,
}

/// A journal.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "JournalText")]
struct JournalRequest {
    /// The text of the file.
    journal: String,
}

/// A saved game of VASSAL.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SavedGame")]
struct SavedGameRequest {
    /// The name of the file: .vsav or .vlog.
    name: String,
    /// Its bytes.
    #[schemars(extend("contentEncoding" = "base64"))]
    data: String,
}

/// A journal whose luck is measured.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LuckAsk")]
struct LuckRequest {
    /// The text of the file.
    journal: String,
    /// A sum of outcomes, or a condition whose chance is measured; none for what the procedure's headline names.
    #[serde(default)]
    measure: Option<String>,
    /// The side for which more of it is good; none for what the card says.
    #[serde(default, rename = "for")]
    good_for: Option<String>,
    /// How a side is taken to choose: by side, or all; others as in the journal.
    #[serde(default)]
    policy: BTreeMap<String, String>,
}

/// A packed variant.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Pack")]
struct PackRequest {
    /// The text of the file.
    pack: String,
}

/// Adds the bodies of requests to the schemas of a generator.
pub fn add_bodies(schemas: &mut SchemaGenerator) {
    schemas.subschema_for::<VariantFileText>();
    schemas.subschema_for::<SweepRequest>();
    schemas.subschema_for::<MapRequest>();
    schemas.subschema_for::<PinRequest>();
    schemas.subschema_for::<AcceptRequest>();
    schemas.subschema_for::<JournalRequest>();
    schemas.subschema_for::<SavedGameRequest>();
    schemas.subschema_for::<LuckRequest>();
    schemas.subschema_for::<PackRequest>();
    schemas.subschema_for::<NewContent>();
    schemas.subschema_for::<VariantChange>();
    schemas.subschema_for::<ChangesToTry>();
    schemas.subschema_for::<ChangesToKeep>();
}

impl VariantFileText {
    fn required_text(&self) -> Result<&str, Error> {
        self.text
            .as_deref()
            .ok_or_else(|| Error::Usage("`text` is missing: the new text of the file".into()))
    }
}

/// The body of a request to a route, with what its sender calls it.
#[derive(Clone, Copy)]
pub struct ApiBody<'a> {
    /// The word of error messages: `body`, or `arguments` of a tool.
    pub name: &'static str,
    pub text: &'a [u8],
}

/// A call of a route.
pub struct ApiCall<'a> {
    pub bench: &'a Workbench,
    /// The data at the time of the call.
    pub snapshot: &'a DataSnapshot,
    /// The values of the placeholders in the path.
    pub placeholders: &'a [&'a str],
    /// The body: JSON, or nothing.
    pub body: ApiBody<'a>,
    /// Ends a count when it is set.
    pub stop: &'a AtomicBool,
}

impl ApiCall<'_> {
    fn parse_body<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let ApiBody { name, text } = self.body;
        let unread = |error| Error::Usage(format!("the {name} can't be read: {error}"));
        let body: Value = serde_json::from_slice(text).map_err(unread)?;
        match invisible_fault(&body.to_string()) {
            Some(defect) => Err(Error::Usage(format!("the {name}: {defect}"))),
            None => serde_json::from_slice(text).map_err(unread),
        }
    }

    /// Answers how far a count has come.
    pub fn count_progress(&self) -> Value {
        json!(self.bench.counts.progress(self.placeholders[0]))
    }

    /// Ends a count, and answers how far it has come.
    pub fn stop_count(&self) -> Value {
        self.bench.counts.stop(self.placeholders[0]);
        self.count_progress()
    }

    /// Lists the games with their contents.
    pub fn games(&self) -> Result<Value, Error> {
        let library = &self.snapshot.library;
        let contents = |game: &Game| Ok(things::contents(&self.rulebook(&game.name)?.ruleset));
        let ranked = library.ranked_games().into_iter();
        let games = ranked.map(contents).collect::<Result<_, Error>>()?;
        Ok(json!(ListReport {
            games,
            complaints: library.complaints.clone().into_sorted().0,
        }))
    }

    /// Describes a named item of a game with its chain of amendments.
    pub fn find_named(&self) -> Result<Value, Error> {
        let [game, name] = self.placeholders else {
            return Err(Error::Usage("name a game and a thing in it".into()));
        };
        let found = show::find_known(&self.rulebook(game)?.ruleset, name)?;
        Ok(json!(FoundPages::new(found, false)))
    }

    /// Returns the limits of a count; what it does not count is sampled.
    fn limits(&self) -> CountLimits<'_> {
        queries::count_limits(ODDS_TIME, self.stop)
    }

    fn rulebook(&self, game: &str) -> Result<Arc<Program>, Error> {
        self.snapshot.rulebook_program(&PageRequest::of_game(game))
    }

    /// Resolves a situation.
    pub fn ruling(&self) -> Result<Value, Error> {
        let (situation, request) = self.situation(self.parse_body()?)?;
        let resolved = queries::ruling(&situation, &request)?;
        Ok(json!(RulingReport::new(
            &resolved,
            &situation,
            request.dice_source().seed()
        )))
    }

    /// Keeps a ruling as the user's interpretation: a test in the pins of its game.
    pub fn pin(&self) -> Result<Value, Error> {
        let PinRequest { at, because, only } = self.parse_body()?;
        if !at.pieces.is_empty() {
            return Err(Error::Usage(
                "a ruling is pinned for a situation as it is kept: save this one with its added pieces first".into(),
            ));
        }
        let (situation, request) = self.situation(at)?;
        let resolved = queries::ruling(&situation, &request)?;
        let spec = &situation.ruleset().spec;
        let key = format!("tests/{}{PINS}", spec.game);
        let parts = match &only[..] {
            [] => PinParts::of_headline(&situation, &resolved),
            names => PinParts::named(&resolved.ruling, names)?,
        };
        let (library, choices) = (&self.snapshot.library, request.settings().choices);
        pin(
            library,
            (&resolved.ruling, &parts),
            (spec, Some(because.trim()).filter(|said| !said.is_empty())),
            &choices,
            &self.bench.root().join(&key),
        )?;
        let other = |spec: &RulesetSpec| changed_situation(&self.snapshot.program(spec)?, &request);
        let others = parts.hold_against(&situation, &resolved, &choices, &other);
        self.bench.mark_stale();
        Ok(json!(PinnedFile {
            saved: key,
            holds: parts.in_words(),
            against: others_in_words(&others),
        }))
    }

    /// Takes a pinned ruling as it comes out.
    pub fn accept(&self) -> Result<Value, Error> {
        let AcceptRequest { game, name, path } = self.parse_body()?;
        let is_it = |outcome: &CheckOutcome| outcome.id == name && outcome.path == path;
        let mut accept = |outcome: &CheckOutcome| is_it(outcome);
        let library = &self.snapshot.library;
        let mut outcomes = suite::run(library, &game, PINS, &mut accept, |_| {}, None)?;
        outcomes.retain(|outcome| is_it(outcome));
        self.bench.mark_stale();
        Ok(json!(TestReport::new(outcomes)))
    }

    /// Counts the odds of a situation.
    pub fn odds(&self) -> Result<Value, Error> {
        let request: PageRequest = self.parse_body()?;
        if request.dice.is_some() {
            return Err(Error::Usage(
                "odds are of every throw there can be: `dice` are for a ruling".into(),
            ));
        }
        let (situation, request) = self.situation(request)?;
        odds_json(
            &situation,
            &request,
            queries::odds(&situation, &request, self.limits())?,
        )
    }

    /// Counts the odds over the values of one figure.
    pub fn sweep(&self) -> Result<Value, Error> {
        let SweepRequest { at, over: swept } = self.parse_body()?;
        if at.rulesets.is_empty() {
            self.situation(at.clone())?;
        }
        let answer = queries::sweep(self.snapshot, &at, &swept, self.limits())?;
        let outcomes = answer.result.outcomes();
        Ok(json!(answer.result.report(
            &at.situation,
            &answer.overrides,
            &outcomes,
            &answer.assumptions,
        )))
    }

    /// Compares rulesets.
    pub fn compare(&self) -> Result<Value, Error> {
        let mut request: PageRequest = self.parse_body()?;
        self.snapshot.complete_request(&mut request)?;
        queries::compare_json(self.snapshot, &request, self.limits())
    }

    /// Tries changes of the rules on a situation.
    pub fn what_if(&self) -> Result<Value, Error> {
        let request: ChangesToTry = self.parse_body()?;
        request.answer(self.snapshot, self.limits())
    }

    /// Plays whole games by styles under several rulesets.
    pub fn balance(&self) -> Result<Value, Error> {
        let mut request: PageRequest = self.parse_body()?;
        self.snapshot.complete_request(&mut request)?;
        let answer = queries::balance(self.snapshot, &request, true, self.limits())?;
        Ok(json!(answer.report()))
    }

    /// Plays a situation as far as the moves of the request lead.
    pub fn play(&self) -> Result<Value, Error> {
        let (situation, request) = self.situation(self.parse_body()?)?;
        request.settings().policies(&situation.ruleset().game)?;
        // Moves before `from_move` were reported by an earlier response.
        let first_move = request.from_move.unwrap_or(request.moves.len());
        TableRequest::new(self.snapshot, &situation, &request).with_session(|session| {
            let resolved = session.resolved_since(first_move);
            let moves = moves(&resolved.events, &resolved.board);
            json!(PlayedReport {
                waits: play::awaited_answer(session),
                moves,
                ruling: RulingReport::new(&resolved, &situation, Some(request.seed.unwrap_or(1))),
            })
        })
    }

    /// Accounts for the luck of a journal.
    pub fn luck(&self) -> Result<Value, Error> {
        let LuckRequest {
            journal,
            measure,
            good_for,
            policy,
        } = self.parse_body()?;
        let (journal, places) = Journal::parse("(journal)", &journal)?;
        let settings = LuckSettings {
            measure,
            good_for,
            policies: policy.into_iter().collect(),
            strict: false,
        };
        let report = luck(
            &self.snapshot.library,
            &journal,
            &places,
            &settings,
            self.limits(),
        )?;
        Ok(json!(JournalLuck::new(&report)))
    }

    /// Returns the address of the game that a journal holds.
    pub fn journal(&self) -> Result<Value, Error> {
        let JournalRequest { journal } = self.parse_body()?;
        let address = play::log::journal_address(self.snapshot, &journal)?;
        Ok(json!(GameAddress { address }))
    }

    /// Opens a saved game of VASSAL as a situation.
    pub fn open_saved_game(&self) -> Result<Value, Error> {
        let SavedGameRequest { name, data } = self.parse_body()?;
        #[cfg(feature = "vassal")]
        return crate::serve::vassal_files::open(self.bench, &name, &data);
        #[cfg(not(feature = "vassal"))]
        Err(Error::Usage(format!(
            "{name}, {} characters: {}",
            data.len(),
            crate::serve::layout::NO_VASSAL
        )))
    }

    /// Answers a map question on the board after the moves of the request.
    pub fn ask_map(&self) -> Result<Value, Error> {
        let MapRequest {
            at,
            asks,
            of: piece,
            to: destination,
        } = self.parse_body()?;
        let (situation, at) = self.situation(at)?;
        let game = &situation.ruleset().game;
        let look = MapLook {
            question: asks.clone(),
            piece,
            place: destination,
            before_ruling: false,
        };
        let asked_map =
            TableRequest::new(self.snapshot, &situation, &at).with_session(|session| {
                look.answer(&situation, session.board(), &at)
                    .map(|seen| seen.map(|seen| (seen.piece, seen.resolved)))
            })?;
        let describe_questions = || {
            let described = |question: &MapQuestion| {
                format!(
                    "`{}`{}",
                    question.name,
                    if question.piece_param.is_some() {
                        ", of a piece"
                    } else {
                        ""
                    }
                )
            };
            game.map_questions
                .iter()
                .map(described)
                .collect::<Vec<_>>()
                .join("; ")
        };
        let unknown = || {
            Error::Usage(format!(
                "`{asks}` is not a question of the map, asked so; it answers {}",
                describe_questions()
            ))
        };
        let (subject, resolved) = asked_map.ok_or_else(unknown)??;
        Ok(json!(MapReport {
            of: subject,
            ruling: RulingReport::new(&resolved, &situation, None),
        }))
    }

    /// Validates a text in the place of a file.
    pub fn check(&self) -> Result<Value, Error> {
        let file_text: VariantFileText = self.parse_body()?;
        let (complaints, others) =
            editor::check_text(self.bench, &file_text.path, file_text.required_text()?)?;
        Ok(json!(CheckedText {
            complaints: complaints.iter().map(MendableComplaint::new).collect(),
            others,
        }))
    }

    /// Runs the examples of a file.
    pub fn examples(&self) -> Result<Value, Error> {
        let file_text: VariantFileText = self.parse_body()?;
        Ok(json!(editor::run_examples(
            self.bench,
            &file_text.path,
            file_text.text.as_deref()
        )?))
    }

    /// Finds the contradictions of a text in the place of a file with other variants.
    pub fn conflicts(&self) -> Result<Value, Error> {
        let file_text: VariantFileText = self.parse_body()?;
        Ok(json!(editor::conflicts_of_text(
            self.bench,
            &file_text.path,
            file_text.required_text()?
        )?))
    }

    /// Compares the odds before and after an edit.
    pub fn effect(&self) -> Result<Value, Error> {
        let file_text: VariantFileText = self.parse_body()?;
        let comparison = editor::compare_odds(
            self.bench,
            &file_text.path,
            file_text.required_text()?,
            &file_text.situation,
            self.stop,
        )?;
        Ok(json!(EffectPage {
            html: comparison.into_string()
        }))
    }

    /// Writes the files of a packed variant.
    pub fn unpack(&self) -> Result<Value, Error> {
        let PackRequest { pack } = self.parse_body()?;
        Ok(json!(editor::unpack(self.bench, &pack)?))
    }

    /// Writes the files of a new variant, case or table.
    pub fn create(&self) -> Result<Value, Error> {
        Ok(json!(self.parse_body::<NewContent>()?.create(self.bench)?))
    }

    /// Copies, renames or deletes a variant.
    pub fn change_variant(&self) -> Result<Value, Error> {
        Ok(json!(
            self.parse_body::<VariantChange>()?.apply(self.bench)?
        ))
    }

    /// Keeps changes of the rules in a variant, and takes kept ones back.
    pub fn keep(&self) -> Result<Value, Error> {
        Ok(json!(self.parse_body::<ChangesToKeep>()?.keep(self.bench)?))
    }

    /// Saves a file of a variant.
    pub fn save_file(&self) -> Result<Value, Error> {
        let file_text: VariantFileText = self.parse_body()?;
        self.bench.save(
            &file_text.path,
            file_text.required_text()?,
            file_text.was.as_deref(),
        )?;
        Ok(json!(SavedFile {
            saved: file_text.path
        }))
    }

    /// Builds the situation of a request, and completes the request. Unlike a page, it fails on options and readings that are not in force.
    fn situation(&self, mut request: PageRequest) -> Result<(Situation, PageRequest), Error> {
        let default = self.snapshot.complete_request(&mut request)?;
        let spec = request
            .choices()
            .spec(&self.snapshot.library, &request.game, default);
        Ok((
            changed_situation(&self.snapshot.program(&spec)?, &request)?,
            request,
        ))
    }
}

/// The odds as JSON, with their assumptions; for best play also the strategy of each side.
fn odds_json(
    situation: &Situation,
    request: &PageRequest,
    counted: CountedOdds,
) -> Result<Value, Error> {
    let CountedOdds {
        result,
        assumptions: assumed,
        ..
    } = counted;
    let report = if result.sample.is_some() {
        usecase::odds::report(situation, &result.odds, result.sample.as_ref(), false)
    } else {
        let measure = request.measure.as_deref().map(Measure::parse).transpose()?;
        let played = best_play(&result.counted, &result.odds, measure.as_ref())?;
        let report = usecase::odds::report(situation, &played.odds, None, false);
        report.with_play(&played, measure.as_ref())
    };
    Ok(json!(Qualified::new(report, &assumed)))
}
