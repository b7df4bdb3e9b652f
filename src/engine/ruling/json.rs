//! A ruling as JSON, with data in place of sentences.

use crate::data::status::Status;
use crate::ruleset::compose::Ruleset;
use crate::ruling::board_view::BoardView;
use crate::ruling::resolve::ResolvedRuling;
use crate::ruling::situation::Situation;
use crate::situation::board::Board;
use crate::situation::trace::{AnswerSource, Event, MadeChoice};
use crate::situation::value_text::value_text;
use serde_json::{Map, Value, json};

/// The form of the JSON that is printed; it increases when a field is removed or changes its meaning.
const JSON_FORMAT_VERSION: u32 = 4;

/// Returns an answer with the number of its form, and the folder of the data that are not built in.
pub fn answer_json(value: Value, data: Option<&str>) -> Value {
    let mut answer = Map::from_iter([("form".into(), JSON_FORMAT_VERSION.into())]);
    answer.extend(data.map(|home| ("data".into(), home.into())));
    match value {
        Value::Object(entries) => answer.extend(entries),
        other_value => drop(answer.insert("all".into(), other_value)),
    }
    Value::Object(answer)
}

/// Converts the result of a run to the format that `casebook schema` describes. `seed` is `None` if dice were typed.
pub fn ruling_json(resolved: &ResolvedRuling, situation: &Situation, seed: Option<u64>) -> Value {
    let mut json = json!(resolved.ruling);
    json["in_force"] = ruleset_json(situation.ruleset());
    json["seed"] = json!(seed);
    json["choices"] = resolved
        .events
        .iter()
        .filter_map(|event| choice_json(event, &resolved.board))
        .collect();
    let mut figures: Vec<Value> = Vec::new();
    for figure in resolved.events.iter().filter_map(figure_json) {
        if !figures.contains(&figure) {
            figures.push(figure);
        }
    }
    json["figures_reconstructed"] = figures.into();
    // A refused procedure changes nothing.
    let view = match resolved.ruling.refused {
        Some(_) => BoardView::new(situation, situation.before(), &[]),
        None => BoardView::new(situation, &resolved.board, &resolved.events),
    };
    json["board"] = json!(view);
    json
}

/// Converts the rules in force to JSON.
pub fn ruleset_json(ruleset: &Ruleset) -> Value {
    let variants: Vec<&str> = ruleset.variants().map(|layer| &*layer.name).collect();
    json!({ "game": ruleset.game.name, "variants": variants, "options": ruleset.options, "readings": ruleset.readings })
}

fn choice_json(event: &Event, board: &Board) -> Option<Value> {
    let Event::Choice(chosen) = event else {
        return None;
    };
    let MadeChoice {
        side,
        question,
        options,
        chosen_index: picked,
        answered_by: source,
    } = &**chosen;
    let options: Vec<String> = options
        .iter()
        .map(|option| value_text(option, board))
        .collect();
    Some(
        json!({ "side": &**side, "what": &**question, "taken": options[*picked], "options": options, "said": *source == AnswerSource::Explicit }),
    )
}

/// Converts the read of a reconstructed figure, from a table cell or a piece, to JSON.
fn figure_json(event: &Event) -> Option<Value> {
    match event {
        Event::Cell(table, index) => {
            let cell = &table.cells[*index as usize];
            let label = || table.label(*index as usize);
            (cell.status == Status::Reconstructed)
                .then(|| json!({ "table": table.id, "at": label(), "text": cell.text }))
        }
        Event::ReconstructedFigure(figure) => {
            Some(json!({ "piece": figure.piece, "figure": figure.name, "path": figure.path }))
        }
        _ => None,
    }
}
