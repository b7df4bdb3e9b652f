//! A ruling as a program reads it: what is a sentence for a person is data here.

use crate::data::case::Status;
use crate::ruleset::compose::Ruleset;
use crate::ruling::board_view::BoardView;
use crate::ruling::resolve::ResolvedRuling;
use crate::ruling::situation::Situation;
use crate::situation::board::Board;
use crate::situation::trace::{AnswerSource, Event, MadeChoice, distinct_events};
use crate::situation::value_text::value_text;
use serde_json::{Value, json};

/// All that came of a run, as `casebook schema` describes it. `seed` is none where dice were typed in.
pub fn ruling_json(ran: &ResolvedRuling, situation: &Situation, seed: Option<u64>) -> Value {
    let mut all = json!(ran.ruling);
    all["in_force"] = ruleset_json(situation.ruleset());
    all["seed"] = json!(seed);
    all["choices"] = ran.events.iter().filter_map(|event| choice_json(event, &ran.board)).collect();
    let mut figures: Vec<Value> = Vec::new();
    for figure in distinct_events(&ran.events).filter_map(figure_json) {
        if !figures.contains(&figure) {
            figures.push(figure);
        }
    }
    all["figures_reconstructed"] = figures.into();
    // What refuses changes nothing.
    let stands = match ran.ruling.refused {
        Some(_) => BoardView::new(situation, situation.before(), &[]),
        None => BoardView::new(situation, &ran.board, &ran.events),
    };
    all["board"] = json!(stands);
    all
}

/// What is in force, for a program.
pub fn ruleset_json(ruleset: &Ruleset) -> Value {
    let variants: Vec<&str> = ruleset.variants().map(|layer| &*layer.name).collect();
    json!({ "game": ruleset.game.name, "variants": variants, "options": ruleset.options, "readings": ruleset.readings })
}

fn choice_json(event: &Event, board: &Board) -> Option<Value> {
    let Event::Choice(chosen) = event else { return None };
    let MadeChoice { side, question: what, options, chosen_index: picked, answered_by: by } = &**chosen;
    let options: Vec<String> = options.iter().map(|option| value_text(option, board)).collect();
    Some(json!({ "side": &**side, "what": &**what, "taken": options[*picked], "options": options, "said": *by == AnswerSource::Explicit }))
}

/// A figure that was read and is reconstructed: a cell of a table, or a figure of a piece.
fn figure_json(event: &Event) -> Option<Value> {
    match event {
        Event::Cell(table, index) => {
            let cell = &table.cells[*index as usize];
            let at = || table.label(*index as usize);
            (cell.status == Status::Reconstructed).then(|| json!({ "table": table.id, "at": at(), "text": cell.text }))
        }
        Event::ReconstructedFigure(figure) => Some(json!({ "piece": figure.piece, "figure": figure.name, "path": figure.path })),
        _ => None,
    }
}
