//! What the API alone answers.

use casebook_analysis::odds::report::{OddsReport, Qualified};
use casebook_analysis::odds::sweep::{SweepReport, SweptRulesets};
use casebook_engine::complaint::{Complaint, MendableComplaint, Remedy};
use casebook_engine::notation::Face;
use casebook_engine::ruling::json::RulingReport;
use casebook_engine::ruling::moves::JournalMove;
use casebook_view::answers::AnswerSchema;
use casebook_view::block::WrittenFiles;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Why a request is not answered.
#[derive(Serialize, JsonSchema)]
pub struct RequestError<'a> {
    /// What is wrong, in words.
    pub error: String,
    /// The complaints about data, if they are the reason.
    pub complaints: &'a [Complaint],
    /// What helps, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'a Remedy>,
}

/// A situation played as far as the moves of a request lead.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "played")]
pub struct PlayedReport<'a> {
    /// What it waits for.
    pub waits: AwaitedAnswer,
    /// The throws and choices that fell from `from_move` on.
    pub moves: Vec<JournalMove>,
    /// The lines from `from_move` on; the board as it is now.
    pub ruling: RulingReport<'a>,
}

/// What a ruling waits for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "waits")]
pub enum AwaitedAnswer {
    /// A throw.
    Throw(AwaitedThrow),
    /// A choice.
    Choice(AwaitedChoice),
    /// Nothing: it is over.
    Over(PlayedEnd),
}

/// A throw that a ruling waits for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AwaitedThrow {
    /// The dice.
    pub dice: String,
    /// What they are thrown for.
    #[serde(rename = "for")]
    pub purpose: String,
    /// How many dice they are.
    pub count: u32,
    /// How many sides each has.
    pub sides: u32,
    /// What they show, if not the numbers from 1 on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faces: Vec<Face>,
}

/// A choice that a ruling waits for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AwaitedChoice {
    /// The side that chooses; empty if the choice belongs to no side.
    pub side: String,
    /// The question.
    #[serde(rename = "what")]
    pub question: String,
    /// The options.
    pub options: Vec<String>,
}

/// The end of what is played.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlayedEnd {
    /// Whether a rule refused it.
    pub refused: bool,
}

/// How far a count has come.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "count")]
pub struct CountReport {
    /// Whether it has reported and is not at its end.
    pub running: bool,
    /// What is done.
    #[serde(rename = "what")]
    pub activity: String,
    /// The share of all chances that is counted, or of the work that is done.
    pub share: f64,
    /// States or runs so far.
    pub count: u64,
}

/// The address of the page of a game.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "address")]
pub struct GameAddress {
    /// The address.
    pub address: String,
}

/// What the map answers.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "map_answer")]
pub struct MapReport<'a> {
    /// The piece that answered; of those at one place the first that could.
    pub of: String,
    /// What was ruled.
    pub ruling: RulingReport<'a>,
}

/// Complaints about a text in the place of a file.
#[derive(Serialize, JsonSchema)]
pub struct CheckedText<'a> {
    /// The complaints about the file.
    pub complaints: Vec<MendableComplaint<'a>>,
    /// The other files that are complained of: of files that are none of the folder's only where something is wrong, not what is merely noted.
    pub others: Vec<FaultyFile>,
}

/// Another file that is complained of.
#[derive(Serialize, JsonSchema)]
pub struct FaultyFile {
    /// The path.
    pub path: String,
    /// How many complaints.
    pub count: usize,
    /// Whether it is a file of a variant in the folder.
    pub editable: bool,
}

/// The odds before and after an edit, as a piece of a page.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "effect")]
pub struct EffectPage {
    /// The piece of the page.
    pub html: String,
}

/// Files of a variant that were written to keep changes, or to take them back.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "kept")]
pub struct KeptPaths {
    /// The paths of files that were written or removed.
    pub written: Vec<String>,
    /// What was in those that were there before, by path.
    pub before: BTreeMap<String, String>,
}

/// What is wrong with a variant that was copied or renamed.
#[derive(Serialize, JsonSchema)]
pub struct VariantComplaints {
    /// The complaints.
    pub complaints: Vec<Complaint>,
}

/// A file that was saved.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "saved")]
pub struct SavedFile {
    /// Its path.
    pub saved: String,
}

/// A ruling that was pinned.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "pinned")]
pub struct PinnedFile {
    /// The path of the file.
    pub saved: String,
    /// What it holds, as a sentence.
    pub holds: String,
    /// Which other readings and options it tells apart, and which it does not, as sentences.
    pub against: Vec<String>,
}

/// A saved game of VASSAL that was written as a situation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "opened_game")]
pub struct OpenedSavedGame {
    /// The page of the situation.
    pub address: String,
    /// Its file in the user's folder.
    pub written: String,
    /// What was left out, and what the file does not say.
    pub notes: Vec<String>,
}

/// Adds these answers to the schema of all.
pub fn add_to(schema: &mut AnswerSchema) {
    schema.add::<RequestError>("request_error");
    schema.add::<Qualified<OddsReport>>("counted_odds");
    schema.add::<Qualified<SweepReport>>("sweep");
    schema.add::<SweptRulesets>("sweep");
    schema.add::<PlayedReport>("played");
    schema.add::<CountReport>("count");
    schema.add::<GameAddress>("address");
    schema.add::<MapReport>("map_answer");
    schema.add::<CheckedText>("checked_text");
    schema.add::<EffectPage>("effect");
    schema.add::<WrittenFiles>("written");
    schema.add::<KeptPaths>("kept");
    schema.add::<WrittenFiles>("unpacked");
    schema.add::<VariantComplaints>("variant_complaints");
    schema.add::<SavedFile>("saved");
    schema.add::<PinnedFile>("pinned");
    schema.add::<OpenedSavedGame>("opened_game");
}
