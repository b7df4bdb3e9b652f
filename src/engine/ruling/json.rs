//! A ruling as it is answered: with data in place of sentences.

use crate::data::status::Status;
use crate::ruleset::compose::Ruleset;
use crate::ruling::board_view::BoardView;
use crate::ruling::resolve::{ResolvedRuling, Ruling};
use crate::ruling::situation::Situation;
use crate::situation::board::Board;
use crate::situation::trace::{AnswerSource, Event, MadeChoice};
use crate::situation::value_text::value_text;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The form of the JSON that is printed; it increases when a field is removed or changes its meaning.
pub const JSON_FORMAT_VERSION: u32 = 5;

/// Returns an answer with the number of its form, and the folder of the data that are not built in.
pub fn answer_json(answer: impl Serialize, data: Option<&str>) -> Value {
    let mut entries = Map::from_iter([("form".into(), JSON_FORMAT_VERSION.into())]);
    entries.extend(data.map(|home| ("data".into(), home.into())));
    match json!(answer) {
        Value::Object(answered) => entries.extend(answered),
        other_value => drop(entries.insert("all".into(), other_value)),
    }
    Value::Object(entries)
}

/// The rules in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "in_force")
)]
pub struct RulesInForce {
    /// The game.
    pub game: String,
    /// The variants; the first lies lowest.
    pub variants: Vec<String>,
    /// `variant.option`: whether it is on.
    pub options: BTreeMap<String, bool>,
    /// `case.reading`: the way taken.
    pub readings: BTreeMap<String, String>,
    /// Readings among them that no case in force asks for: they change nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unasked_readings: Vec<String>,
}

impl RulesInForce {
    pub fn new(ruleset: &Ruleset) -> RulesInForce {
        RulesInForce {
            game: ruleset.game.name.clone(),
            variants: ruleset
                .variants()
                .map(|layer| layer.name.to_string())
                .collect(),
            options: ruleset.options.clone(),
            readings: ruleset.readings.clone(),
            unasked_readings: ruleset.unasked_readings().map(String::from).collect(),
        }
    }
}

/// A ruling with the rules, choices and figures that it rests on, and the board that it leaves.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "resolve")
)]
pub struct RulingReport<'a> {
    /// What was ruled.
    #[serde(flatten)]
    pub ruling: &'a Ruling,
    /// The rules in force.
    pub in_force: RulesInForce,
    /// The seed; null where dice were typed in.
    pub seed: Option<u64>,
    /// The choices, in the order they were made.
    pub choices: Vec<AnsweredChoice>,
    /// Each reconstructed figure that was read: a cell of a table, or a figure of a piece.
    pub figures_reconstructed: Vec<ReconstructedSource>,
    /// The board at the end.
    pub board: BoardView,
}

/// A choice, and what was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnsweredChoice {
    /// The side that chose; empty if the choice belongs to no side.
    pub side: String,
    /// The question.
    #[serde(rename = "what")]
    pub question: String,
    /// The option that was taken.
    pub taken: String,
    /// The options that were offered.
    pub options: Vec<String>,
    /// Whether it was chosen; otherwise the first option was taken.
    pub said: bool,
}

/// A reconstructed figure that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ReconstructedSource {
    /// A cell of a table.
    Cell {
        /// The table.
        table: String,
        /// The labels of its row and column.
        at: String,
        /// Its contents.
        text: String,
    },
    /// A figure of a piece.
    Figure {
        /// The piece.
        piece: String,
        /// The figure.
        figure: String,
        /// The file.
        path: String,
    },
}

impl RulingReport<'_> {
    /// Reports the result of a run. `seed` is `None` if dice were typed.
    pub fn new<'a>(
        resolved: &'a ResolvedRuling,
        situation: &Situation,
        seed: Option<u64>,
    ) -> RulingReport<'a> {
        let mut figures: Vec<ReconstructedSource> = Vec::new();
        for figure in resolved.events.iter().filter_map(ReconstructedSource::of) {
            if !figures.contains(&figure) {
                figures.push(figure);
            }
        }
        let choices = resolved.events.iter();
        RulingReport {
            ruling: &resolved.ruling,
            in_force: RulesInForce::new(situation.ruleset()),
            seed,
            choices: choices
                .filter_map(|event| AnsweredChoice::of(event, &resolved.board))
                .collect(),
            figures_reconstructed: figures,
            // A refused procedure changes nothing.
            board: match resolved.ruling.refused {
                Some(_) => BoardView::new(situation, situation.before(), &[]),
                None => BoardView::new(situation, &resolved.board, &resolved.events),
            },
        }
    }
}

impl AnsweredChoice {
    fn of(event: &Event, board: &Board) -> Option<AnsweredChoice> {
        let Event::Choice(chosen) = event else {
            return None;
        };
        let MadeChoice {
            side,
            question,
            options,
            chosen_index,
            answered_by,
        } = &**chosen;
        let options: Vec<String> = options
            .iter()
            .map(|option| value_text(option, board))
            .collect();
        Some(AnsweredChoice {
            side: side.to_string(),
            question: question.to_string(),
            taken: options[*chosen_index].clone(),
            options,
            said: *answered_by == AnswerSource::Explicit,
        })
    }
}

impl ReconstructedSource {
    fn of(event: &Event) -> Option<ReconstructedSource> {
        match event {
            Event::Cell(table, index) => {
                let cell = &table.cells[*index as usize];
                (cell.status == Status::Reconstructed).then(|| ReconstructedSource::Cell {
                    table: table.id.to_string(),
                    at: table.label(*index as usize),
                    text: cell.text.to_string(),
                })
            }
            Event::ReconstructedFigure(figure) => Some(ReconstructedSource::Figure {
                piece: figure.piece.clone(),
                figure: figure.name.clone(),
                path: figure.path.clone(),
            }),
            _ => None,
        }
    }
}
