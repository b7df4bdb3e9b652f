//! A page of `casebook show`: text, data and the source.

use casebook_engine::data::case::{Reading, SourceRef};
use casebook_engine::data::case_kind::CaseKind;
use casebook_engine::data::status::Status;
use casebook_engine::ruleset::compose::Ruleset;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A page about one thing, for people and for programs.
pub struct ShowPage {
    /// The kind of thing: case, table, kind ... Together with the name it is an unambiguous query.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The page as text.
    pub text: String,
    /// The page as data.
    pub thing: FoundThing,
    /// The excerpts of the files that define it.
    pub excerpts: Vec<ScriptExcerpt>,
}

impl ShowPage {
    /// Creates a page.
    pub fn new(
        kind: &'static str,
        name: &str,
        text: String,
        thing: FoundThing,
        excerpts: impl IntoIterator<Item = ScriptExcerpt>,
    ) -> ShowPage {
        ShowPage {
            kind,
            name: name.into(),
            text,
            thing,
            excerpts: excerpts.into_iter().collect(),
        }
    }

    /// Returns the page as data, also with its source if that is asked for.
    pub fn into_thing(self, with_script: bool) -> FoundThing {
        let mut thing = self.thing;
        if with_script {
            *thing.script() = Some(self.excerpts);
        }
        thing
    }
}

/// An excerpt of a file.
#[derive(Serialize, JsonSchema)]
pub struct ScriptExcerpt {
    /// The path and line, and whether the file is built in.
    #[serde(skip)]
    place: String,
    /// The path.
    path: String,
    /// The line that it begins with.
    line: usize,
    /// Its text.
    text: String,
}

/// What has a name.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "show")]
pub struct FoundThings {
    /// An entry for each thing that the name is of, game by game.
    pub found: Vec<FoundThing>,
    /// Readings among those asked for that no case in force asks for: they change nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unasked_readings: Vec<String>,
}

/// A thing that has the name: what it is, and what is known of it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FoundThing {
    /// A case.
    Case(CasePage),
    /// A case that is not written.
    UnwrittenCase(UnwrittenCasePage),
    /// A table.
    Table(TablePage),
    /// A function.
    Function(FunctionPage),
    /// A piece.
    Piece(PiecePage),
    /// A situation.
    Situation(SituationPage),
    /// A list of the contents of a game.
    List(ListPage),
    /// A question in plain words.
    Question(QuestionPage),
    /// Anything else that a game or a variant declares.
    Entry(Box<DeclaredThing>),
}

impl FoundThing {
    fn script(&mut self) -> &mut Option<Vec<ScriptExcerpt>> {
        match self {
            FoundThing::Case(page) => &mut page.script,
            FoundThing::UnwrittenCase(page) => &mut page.script,
            FoundThing::Table(page) => &mut page.script,
            FoundThing::Function(page) => &mut page.script,
            FoundThing::Piece(page) => &mut page.script,
            FoundThing::Situation(page) => &mut page.script,
            FoundThing::List(page) => &mut page.script,
            FoundThing::Question(page) => &mut page.script,
            FoundThing::Entry(page) => &mut page.script,
        }
    }
}

/// A case.
#[derive(Serialize, JsonSchema)]
pub struct CasePage {
    /// Its number.
    pub case: String,
    /// What each layer has of it, newest first.
    pub chain: Vec<LayerCase>,
    /// With --script: the source, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptExcerpt>>,
}

/// What a layer has of a case.
#[derive(Serialize, JsonSchema)]
pub struct LayerCase {
    /// The layer.
    pub layer: String,
    /// What it does to the layers below.
    pub kind: CaseKind,
    /// The printed label, if it is not the number.
    pub label: Option<String>,
    /// How it is known.
    pub status: Status,
    /// Its title.
    pub title: String,
    /// What it says.
    pub text: String,
    /// The readings of its doubtful places.
    pub readings: Vec<Reading>,
    /// The functions that it answers.
    pub answers: Vec<String>,
    /// The ids of its examples.
    pub examples: Vec<String>,
    /// Where it is printed.
    pub sources: Vec<SourceRef>,
    /// The file.
    pub path: String,
}

/// A case that is not written: its number and title are all that is known.
#[derive(Serialize, JsonSchema)]
pub struct UnwrittenCasePage {
    /// Its number.
    pub case: String,
    /// Its title.
    pub title: String,
    /// Whether it belongs to a part of the game that is not scripted yet.
    pub later: bool,
    /// With --script: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptExcerpt>>,
}

/// A table.
#[derive(Serialize, JsonSchema)]
pub struct TablePage {
    /// Its id.
    pub table: String,
    /// Its title.
    pub title: String,
    /// How reconstructed figures were made.
    pub method: String,
    /// Its cells.
    pub cells: Vec<CellEntry>,
    /// What each layer has of it, newest first.
    pub chain: Vec<LayerTable>,
    /// With --script: the source, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptExcerpt>>,
}

/// A cell of a table.
#[derive(Serialize, JsonSchema)]
pub struct CellEntry {
    /// The labels of its row and column.
    pub at: String,
    /// What stands in it.
    pub text: String,
    /// How it is known.
    pub status: Status,
    /// The layer that has it.
    pub layer: String,
    /// Where it is printed.
    pub sources: Vec<SourceRef>,
}

/// What a layer has of a table.
#[derive(Serialize, JsonSchema)]
pub struct LayerTable {
    /// The layer.
    pub layer: String,
    /// What it does to the layers below.
    pub kind: CaseKind,
    /// Its title there.
    pub title: String,
    /// The file.
    pub path: String,
    /// Where it is printed.
    pub sources: Vec<SourceRef>,
}

/// A function.
#[derive(Serialize, JsonSchema)]
pub struct FunctionPage {
    /// Its name.
    pub function: String,
    /// The number of its arguments.
    pub arity: usize,
    /// The procedure that it carries out, if it does.
    pub procedure: Option<String>,
    /// Who answers it, newest first.
    pub chain: Vec<LayerFunction>,
    /// With --script: the source, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptExcerpt>>,
}

/// What a layer has of a function.
#[derive(Serialize, JsonSchema)]
pub struct LayerFunction {
    /// The case.
    pub case: String,
    /// The layer.
    pub layer: String,
    /// The file.
    pub path: String,
    /// The line.
    pub line: usize,
    /// What is said of it.
    pub doc: Vec<String>,
    /// The names of its arguments.
    pub parameters: Vec<String>,
}

/// A piece.
#[derive(Serialize, JsonSchema)]
pub struct PiecePage {
    /// Its name.
    pub piece: String,
    /// The roster or situation that has it.
    pub list: String,
    /// Its figures.
    #[schemars(with = "BTreeMap<String, KnownFigure>")]
    pub data: Map<String, Value>,
    /// The file.
    pub path: String,
    /// With --script: the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptExcerpt>>,
}

/// A figure of a piece.
#[derive(Serialize, JsonSchema)]
pub struct KnownFigure {
    /// The figure.
    pub value: String,
    /// How it is known.
    pub status: Status,
}

/// A situation.
#[derive(Serialize, JsonSchema)]
pub struct SituationPage {
    /// Its name.
    pub situation: String,
    /// Its title.
    pub title: String,
    /// The procedure that it starts; null for a roster.
    pub procedure: Option<String>,
    /// The variants that it asks for; null if it says nothing.
    pub with: Option<Vec<String>>,
    /// Its pieces.
    pub pieces: Vec<PieceEntryPage>,
    /// With --script: the source, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptExcerpt>>,
}

/// A piece of a situation.
#[derive(Serialize, JsonSchema)]
pub struct PieceEntryPage {
    /// Its name.
    pub name: String,
    /// What is said of it, as text.
    #[schemars(with = "BTreeMap<String, String>")]
    pub data: Map<String, Value>,
}

/// A name, and what is said of it in one line.
#[derive(Serialize, JsonSchema)]
pub struct NamedLine {
    /// The name.
    pub name: String,
    /// The line.
    pub text: String,
}

/// A list of the contents of a game.
#[derive(Serialize, JsonSchema)]
pub struct ListPage {
    /// The list.
    pub list: String,
    /// The game.
    pub game: String,
    /// Its entries.
    pub entries: Vec<NamedLine>,
    /// With --script: the lines of the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptExcerpt>>,
}

/// A question in plain words.
#[derive(Serialize, JsonSchema)]
pub struct QuestionPage {
    /// The game.
    pub game: String,
    /// The question.
    pub question: String,
    /// The cases and charts that answer it, the likeliest first.
    pub entries: Vec<NamedLine>,
    /// With --script: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptExcerpt>>,
}

/// Anything else that a game or a variant declares; which lists it has depends on what it is.
#[derive(Default, Serialize, JsonSchema)]
pub struct DeclaredThing {
    /// What it is, such as `procedure`, `kind`, `track` or `variant`, and its name.
    #[serde(flatten)]
    pub named: BTreeMap<&'static str, String>,
    /// The game, unless it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// What it is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of a kind of piece: what it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Vec<String>>,
    /// Of a kind of piece: the groups that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<Vec<String>>,
    /// Of a kind of piece: how many of it each list has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<String>>,
    /// Of a group: its kinds of piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<String>>,
    /// Of an attribute: what it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// Of a track: the names of its boxes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boxes: Option<Vec<String>>,
    /// Of a deck: its cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cards: Option<Vec<String>>,
    /// Of an option: `on` or `off`, where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Vec<String>>,
    /// Of a variant: its options.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// The cases that name it, or that it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cases: Option<Vec<String>>,
    /// Of a variant: those that it lies over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Vec<String>>,
    /// Of a variant: those that it needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Vec<String>>,
    /// Of a variant: those that it can't stand together with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excludes: Option<Vec<String>>,
    /// Of a sheet: an empty list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
    /// Of a phase: its procedures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub procedures: Option<Vec<String>>,
    /// Of a phase: the track for each place of which it is played once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub once_a: Option<Vec<String>>,
    /// Of a procedure: what a situation hands to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handed: Option<Vec<HandedField>>,
    /// Of a procedure: the cases that carry it out, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried_out_by: Option<Vec<CarryingCase>>,
    /// Of a procedure: the phases that it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<Vec<String>>,
    /// Of a procedure: the questions to the map that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<Vec<String>>,
    /// Of a procedure: the outcomes it may name; what is in < > varies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<String>>,
    /// Of a procedure: what it asks the sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<String>>,
    /// Of a procedure: what it throws for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throws: Option<Vec<String>>,
    /// Of a procedure: the situations that start it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub situations: Option<Vec<String>>,
    /// Of a reading: its ways, the first being the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ways: Option<Vec<String>>,
    /// Of a reading: the way in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_force: Option<Vec<String>>,
    /// Of a reading: what the case notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Vec<String>>,
    /// The file that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// With --script: the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Vec<ScriptExcerpt>>,
}

/// What a situation hands to a procedure.
#[derive(Serialize, JsonSchema)]
pub struct HandedField {
    /// Its name.
    pub field: String,
    /// What it may be.
    pub what: String,
    /// Whether it may be left out.
    pub may_be_left_out: bool,
}

/// A case that carries out a procedure.
#[derive(Serialize, JsonSchema)]
pub struct CarryingCase {
    /// The case.
    pub case: String,
    /// The layer.
    pub layer: String,
    /// The file.
    pub path: String,
    /// The line.
    pub line: usize,
}

impl ScriptExcerpt {
    /// Creates an excerpt from a text that starts on `line` of a file.
    pub fn new(ruleset: &Ruleset, path: &str, line: usize, text: &str) -> ScriptExcerpt {
        ScriptExcerpt {
            place: self::display_line(ruleset, path, line),
            path: path.into(),
            line,
            text: text.trim_end().into(),
        }
    }

    /// Creates an excerpt of a YAML file: the given line and the lines indented below it.
    pub fn yaml_block(ruleset: &Ruleset, path: &str, text: &str, line: usize) -> ScriptExcerpt {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut lines = text.lines().skip(line.max(1) - 1);
        let first = lines.next().unwrap_or_default();
        let below = lines.take_while(|next| next.trim().is_empty() || indent(next) > indent(first));
        let block: Vec<&str> = std::iter::once(first).chain(below).collect();
        ScriptExcerpt::new(ruleset, path, line, &block.join("\n"))
    }

    /// Renders the excerpt: its place as a comment of the file's language, and its lines. A card, with which its file begins, stays first.
    pub fn render(&self) -> String {
        let sign = if self.path.ends_with(".rhai") {
            "//"
        } else {
            "#"
        };
        let place = format!("{sign} {}", self.place);
        let mut lines: Vec<&str> = self.text.lines().collect();
        let card = lines
            .iter()
            .take_while(|line| line.starts_with("//!"))
            .count();
        lines.insert(card, &place);
        lines.join("\n") + "\n"
    }
}

/// Returns a path for display; embedded files are marked as built in.
pub fn display_path(ruleset: &Ruleset, path: &str) -> String {
    path.to_string() + embedded_note(ruleset, path)
}

pub fn display_line(ruleset: &Ruleset, path: &str, line: usize) -> String {
    format!("{path}:{line}{}", embedded_note(ruleset, path))
}

fn embedded_note(ruleset: &Ruleset, path: &str) -> &'static str {
    if ruleset
        .library
        .files
        .by_key
        .get(path)
        .is_some_and(|file| file.text.is_embedded())
    {
        " (built in)"
    } else {
        ""
    }
}
