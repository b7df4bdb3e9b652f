//! Views of a board: as text, as JSON, and as a scenario to continue from.

use crate::data::manifest::{AttributeType, Game};
use crate::data::status::Status;
use crate::data::wording::Wording;
use crate::data::yaml_writer::write_file;
use crate::ruling::deck_view::{deck_texts, decks_json};
use crate::ruling::situation::Situation;
use crate::ruling::terminal_page::json_text;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::geography::default_value;
use crate::situation::initial_board::{
    CARRIER_COLUMN, FIRST_ATTRIBUTE, GONE_COLUMN, KIND_COLUMN, PLACE_COLUMN, SIDE_COLUMN,
};
use crate::situation::trace::Event;
use crate::situation::value::{HashedText, Value as Cell};
use crate::situation::value_text::{fill_template, to_json, value_from_yaml};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Figures by name, in manifest order.
type NamedFigures = Map<String, Value>;

/// The view of a piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PieceView {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: String,
    /// The side; empty if the piece belongs to none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub side: String,
    /// The place; empty if a piece carries it or it is on no place.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// The piece that carries it; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub on: String,
    /// The other figures that differ from their defaults.
    #[serde(flatten)]
    pub figures: NamedFigures,
    /// The names of reconstructed figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reconstructed: Vec<String>,
    /// The names of figures with unknown values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// The view of a board.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "board")
)]
pub struct BoardView {
    /// The values of the tracks.
    pub tracks: NamedFigures,
    /// The figures of places that differ from their defaults.
    pub places: BTreeMap<String, NamedFigures>,
    /// The figures of sides between two places.
    pub sides: BTreeMap<String, NamedFigures>,
    /// The pieces on the board.
    pub pieces: Vec<PieceView>,
    /// Where the cards of each deck lie.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub decks: BTreeMap<String, Value>,
    /// The same in words.
    #[serde(skip)]
    pub deck_texts: Vec<(String, String)>,
}

/// Returns the value of a track in words.
fn track_text(name: &str, value: &Value, game: &Game) -> String {
    match game
        .track_wordings
        .iter()
        .find(|(track, _)| track == name)
        .map(|(_, wording)| wording)
    {
        Some(wording) => worded(wording, value),
        None => format!("{}: {}", spaced(name), json_text(value)),
    }
}

/// Returns the tracks of a board with their values in words; those that the manifest words come first.
pub fn track_texts(board: &Board, game: &Game) -> Vec<(String, String)> {
    let track = |(number, name): (usize, &String)| {
        let value = to_json(
            board.peek(CellKey::new(EntityKind::Track, 0, number))?,
            board,
        );
        Some((name.clone(), track_text(name, &value, game)))
    };
    let mut texts: Vec<(String, String)> =
        game.tracks.keys().enumerate().filter_map(track).collect();
    texts.sort_by_key(|(name, _)| {
        game.track_wordings
            .iter()
            .position(|(worded, _)| worded == name)
            .unwrap_or(usize::MAX)
    });
    texts
}

impl BoardView {
    /// Creates the view of a board. `events` are those since the situation began: values computed from reconstructed figures are marked
    /// as reconstructed.
    pub fn new(situation: &Situation, board: &Board, events: &[Event]) -> BoardView {
        let (ruleset, game) = (situation.ruleset(), &situation.ruleset().game);
        let made_up = events.iter().any(|event| match event {
            Event::Call(call) => {
                ruleset.cases[call.answer(ruleset).case].status == Status::Reconstructed
            }
            other => other.reconstructed_read().is_some(),
        });
        let text = |number: usize, column: usize| {
            board
                .peek(CellKey::new(EntityKind::Piece, column, number))
                .and_then(Cell::as_text)
                .map(HashedText::to_string)
                .unwrap_or_default()
        };
        let figures_of = |kind: EntityKind,
                          first_column: usize,
                          number: usize,
                          attributes: &[(String, AttributeType)]|
         -> NamedFigures {
            let figure = |(index, (name, attribute_type)): (usize, &(String, AttributeType))| {
                let cell = board.peek(CellKey::new(kind, first_column + index, number))?;
                (*cell != default_value(attribute_type) && !cell.is_nothing())
                    .then(|| (name.clone(), to_json(cell, board)))
            };
            attributes.iter().enumerate().filter_map(figure).collect()
        };
        let doubtful = |number: usize, wanted: Status| -> Vec<String> {
            let figure =
                |index: usize| CellKey::new(EntityKind::Piece, FIRST_ATTRIBUTE + index, number);
            let is_uncertain = |index: usize| match board.uncertainty(figure(index)) {
                Some((status, _)) => status == wanted,
                None if board.peek(figure(index)) == board.start.get(figure(index)) => false,
                None => {
                    wanted == Status::Reconstructed
                        && (made_up || board.start.uncertainty(figure(index)).is_some())
                }
            };
            game.attributes
                .iter()
                .enumerate()
                .filter(|(index, _)| is_uncertain(*index))
                .map(|(_, (name, _))| name.clone())
                .collect()
        };
        let gone = |number: usize| {
            board.peek(CellKey::new(EntityKind::Piece, GONE_COLUMN, number)) == Some(&Cell::True)
        };
        let piece = |(number, name): (usize, &HashedText)| PieceView {
            name: name.to_string(),
            kind: text(number, KIND_COLUMN),
            side: text(number, SIDE_COLUMN),
            at: text(number, PLACE_COLUMN),
            on: text(number, CARRIER_COLUMN),
            figures: figures_of(EntityKind::Piece, FIRST_ATTRIBUTE, number, &game.attributes),
            reconstructed: doubtful(number, Status::Reconstructed),
            missing: doubtful(number, Status::Missing),
        };
        let track = |(number, name): (usize, &String)| {
            Some((
                name.clone(),
                to_json(
                    board.peek(CellKey::new(EntityKind::Track, 0, number))?,
                    board,
                ),
            ))
        };
        let places = board.places().map(|(name, number)| {
            (
                name.to_string(),
                figures_of(EntityKind::Place, 0, number, &game.places.attributes),
            )
        });
        let sides = board.sides().map(|side| {
            let ([a, b], number) = (side.places, side.number);
            (
                format!("{a}/{b}"),
                figures_of(EntityKind::Side, 0, number, &game.places.side_attributes),
            )
        });
        BoardView {
            tracks: game.tracks.keys().enumerate().filter_map(track).collect(),
            // Without a grid of hexes a place or a side is known only because it is listed.
            places: places
                .filter(|(_, figures)| !game.places.is_hex_grid || !figures.is_empty())
                .collect(),
            sides: sides
                .filter(|(_, figures)| !game.places.is_hex_grid || !figures.is_empty())
                .collect(),
            pieces: board
                .names()
                .enumerate()
                .filter(|(number, _)| !gone(*number))
                .map(piece)
                .collect(),
            decks: decks_json(board, game),
            deck_texts: deck_texts(board, game, &[]),
        }
    }

    /// Serializes the view as a scenario file with the given name. It starts the same procedure with the same arguments, or in a game the
    /// procedure of the phase in `step`, from which the game continues.
    pub fn to_scenario_yaml(
        &self,
        situation: &Situation,
        step: Option<(&str, &str)>,
        name: &str,
        note: &str,
    ) -> String {
        write_file(&self.to_scenario_map(situation, step, name, note))
    }

    /// Returns the view as the keys and values of a scenario file.
    pub fn to_scenario_map(
        &self,
        situation: &Situation,
        step: Option<(&str, &str)>,
        name: &str,
        note: &str,
    ) -> Map<String, Value> {
        let scenario = &situation.scenario;
        let mut root = Map::new();
        root.insert("situation".into(), name.into());
        root.insert(
            "title".into(),
            format!("{}, as it was left", scenario.title).into(),
        );
        root.insert("note".into(), note.into());
        root.insert("status".into(), "derived".into());
        if self
            .pieces
            .iter()
            .any(|piece| !piece.reconstructed.is_empty())
        {
            root.insert(
                "method".into(),
                "Unchanged, or computed from reconstructed figures.".into(),
            );
        }
        root.insert(
            "with".into(),
            situation.ruleset().layers[1..]
                .iter()
                .map(|layer| layer.name.to_string())
                .collect(),
        );
        root.insert(
            "procedure".into(),
            step.map_or(situation.procedure.as_str(), |(_, procedure)| procedure)
                .into(),
        );
        if let Some((phase, _)) = step {
            root.insert("goes_on".into(), true.into());
            root.insert("phase".into(), phase.into());
        }
        if !self.tracks.is_empty() {
            root.insert("tracks".into(), self.tracks.clone().into());
        }
        if !self.decks.is_empty() {
            root.insert(
                "decks".into(),
                Value::Object(self.decks.clone().into_iter().collect()),
            );
        }
        let figures_json = |figures: &BTreeMap<String, NamedFigures>| {
            Value::Object(
                figures
                    .iter()
                    .map(|(k, v)| (k.clone(), v.clone().into()))
                    .collect(),
            )
        };
        let map: Map<String, Value> = [("places", &self.places), ("sides", &self.sides)]
            .into_iter()
            .filter(|(_, figures)| !figures.is_empty())
            .map(|(key, figures)| (key.to_string(), figures_json(figures)))
            .collect();
        if !map.is_empty() {
            root.insert("map".into(), map.into());
        }
        root.insert(
            "pieces".into(),
            serde_json::to_value(&self.pieces).unwrap_or_default(),
        );
        for key in ["given", "choices"].into_iter().filter(|_| step.is_none()) {
            if let Some(node) = scenario.root.get(key) {
                root.insert(
                    key.into(),
                    to_json(&value_from_yaml(node), &Board::default()),
                );
            }
        }
        root
    }

    /// Renders the view as text: place by place, with carried pieces below their carrier.
    pub fn render(&self, game: &Game) -> String {
        let mut out = String::new();
        for (name, value) in &self.tracks {
            let _ = writeln!(out, "  {}", track_text(name, value, game));
        }
        for (name, text) in &self.deck_texts {
            let _ = writeln!(out, "  {name}: {text}");
        }
        let mut places: Vec<&str> = self
            .pieces
            .iter()
            .filter(|piece| piece.on.is_empty())
            .map(|piece| piece.at.as_str())
            .collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            let features = self
                .places
                .get(place)
                .map(|figures| described(figures, &game.places.wordings))
                .unwrap_or_default();
            let _ = writeln!(
                out,
                "  {}{features}",
                if place.is_empty() {
                    "on no place"
                } else {
                    place
                }
            );
            for piece in self
                .pieces
                .iter()
                .filter(|piece| piece.on.is_empty() && piece.at == place)
            {
                self.render_piece(piece, 2, game, &mut out);
            }
        }
        out
    }

    fn render_piece(&self, piece: &PieceView, depth: usize, game: &Game, out: &mut String) {
        let side = if piece.side.is_empty() {
            String::new()
        } else {
            format!("{} ", piece.side)
        };
        let kinds = |(name, value): (&String, &Value)| match value {
            // A kind is shown by its title.
            Value::String(kind)
                if game.attribute_references.get(name).is_some_and(|names| {
                    names.iter().any(|attribute_type| attribute_type == "kind")
                }) =>
            {
                (name.clone(), game.kind_title(kind).into())
            }
            _ => (name.clone(), value.clone()),
        };
        let figures = described(&piece.figures.iter().map(kinds).collect(), &game.wordings);
        let _ = writeln!(
            out,
            "{}{} · {side}{}{figures}",
            "  ".repeat(depth),
            piece.name,
            game.kind_title(&piece.kind)
        );
        // The limit on depth also ends a loop of carriers.
        if depth < 8 {
            self.pieces
                .iter()
                .filter(|rider| rider.on == piece.name)
                .for_each(|rider| self.render_piece(rider, depth + 1, game, out));
        }
    }
}

/// Formats figures as ", size 6, tired"; empty if there are none.
fn described(figures: &NamedFigures, wordings: &BTreeMap<String, Wording>) -> String {
    let phrase = |(name, value): (&String, &Value)| match (wordings.get(name), value) {
        (Some(wording), _) => format!(", {}", worded(wording, value)),
        (None, Value::Bool(true)) => format!(", {}", spaced(name)),
        (None, _) => format!(", {} {}", spaced(name), json_text(value)),
    };
    figures.iter().map(phrase).collect()
}

/// Replaces the underscores of a manifest name with spaces.
fn spaced(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

/// Formats a figure with the wording of the manifest.
fn worded(Wording(texts): &Wording, value: &Value) -> String {
    let (text, number) = match (value.as_i64(), &texts[..]) {
        (Some(number @ ..0), [_, below]) => (below, Some(number.saturating_neg())),
        (number, _) => (&texts[0], number),
    };
    let cell = number.map_or_else(|| Cell::from(json_text(value).as_str()), Cell::Number);
    fill_template(text, &[cell], &Board::default())
}
