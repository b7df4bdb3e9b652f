//! Conflicts of two variants over the same cell, figure or function, and which of the two takes precedence.

use crate::conflicts::effects::EffectTarget;
use crate::testing::coverage::FunctionKey;
use casebook_engine::complaint::Complaints;
use casebook_engine::data::case::{Case, CaseFunction};
use casebook_engine::data::list_change::{ListChange, path_label};
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::table::Table;
use casebook_engine::ruleset::compose::{LayerAnswer, Ruleset, Slot};
use casebook_engine::ruleset::diagnostics::{normalized_code, settling_layer};
use casebook_engine::ruleset::layers;
use casebook_engine::syntax::calls::reaches_prior;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// Verdict on a conflict of two variants in one place, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MeetingVerdict {
    /// The variants give different answers, and no precedence is declared.
    Contradictory,
    /// Each variant changes what the other reads, and no order is declared.
    Undecided,
    /// The variants give different answers, and a declared order decides which takes precedence.
    Ordered,
    /// Both answers apply together.
    Compatible,
    /// Both variants give the same answer.
    Agree,
}

impl MeetingVerdict {
    /// All verdicts, worst first.
    pub const ALL: [MeetingVerdict; 5] = [
        MeetingVerdict::Contradictory,
        MeetingVerdict::Undecided,
        MeetingVerdict::Ordered,
        MeetingVerdict::Compatible,
        MeetingVerdict::Agree,
    ];

    /// Returns the label used in reports.
    pub fn label(self) -> &'static str {
        match self {
            MeetingVerdict::Contradictory => "contradictory",
            MeetingVerdict::Undecided => "undecided",
            MeetingVerdict::Ordered => "ordered",
            MeetingVerdict::Compatible => "compatible",
            MeetingVerdict::Agree => "agree",
        }
    }
}

/// Answer of one of the two variants, with its source location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MeetingSide {
    /// Name of the variant.
    pub variant: String,
    /// Short description of the place, e.g. "case 2.1, addition" or "table 7.3, correction".
    pub place: String,
    /// Path of the file.
    pub path: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// Answer as text; empty if it is not a single word or value.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub says: String,
}

impl MeetingSide {
    /// Creates the answer of a layer at a place.
    pub fn new(layer: &str, place: String, (path, line): (&str, usize), says: &str) -> MeetingSide {
        MeetingSide {
            variant: layer.into(),
            place,
            path: path.into(),
            line,
            says: says.into(),
        }
    }
}

/// Subject of a row, used to find the situations that consult it and to write a patch.
#[derive(Clone, Debug)]
pub enum MeetingSubject {
    /// Cells of a table: its id and the indices of the cells.
    Cells(String, Vec<usize>),
    /// Value of a list: the list and the keys that lead to it.
    Figure(String, Vec<String>),
    /// Function: the index of its slot and the two answers.
    Function(usize, [LayerAnswer; 2]),
    /// Functions of each of two files, and the tables that the first file amends and the second reads.
    Files([Vec<FunctionKey>; 2], Vec<EffectTarget>),
}

/// Conflict of two variants in one place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MeetingRow {
    /// Level: 1 for the same cell or figure, 2 for the same function, 3 if one writes what the other reads.
    pub level: u8,
    /// Verdict on the conflict.
    pub verdict: MeetingVerdict,
    /// Name of the cell, figure, function or targets in conflict.
    #[serde(rename = "what")]
    pub name: String,
    /// The two answers, in layer order.
    pub pair: [MeetingSide; 2],
    /// Reason for the verdict.
    pub reason: String,
    /// Names of the situations that consult both answers.
    pub situations: Vec<String>,
    /// Subject of the row.
    #[serde(skip)]
    pub subject: MeetingSubject,
}

impl MeetingRow {
    /// Creates a row; its situations are found later.
    pub fn new(
        (level, name): (u8, String),
        (verdict, reason): (MeetingVerdict, String),
        pair: [MeetingSide; 2],
        subject: MeetingSubject,
    ) -> MeetingRow {
        MeetingRow {
            level,
            verdict,
            name,
            pair,
            reason,
            situations: Vec::new(),
            subject,
        }
    }
}

/// Returns the conflicts of two variants over the same cells, figures and functions.
pub fn meetings(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<MeetingRow> {
    [cell_meetings, figure_meetings, function_meetings]
        .into_iter()
        .flat_map(|find| find(ruleset, older, newer))
        .collect()
}

/// Returns the verdict on two different answers of which neither builds on the other, and its reason.
fn order_verdict(
    ruleset: &Ruleset,
    older: &str,
    newer: &str,
    settled: Option<&str>,
) -> (MeetingVerdict, String) {
    if ruleset.declared_before(older, newer) {
        (
            MeetingVerdict::Ordered,
            format!("{newer} comes after {older} and holds."),
        )
    } else if let Some(by) = settled {
        (
            MeetingVerdict::Ordered,
            format!("{by} comes after both and says what holds."),
        )
    } else {
        let help = format!(
            "write `after: [{older}]` in the variant.yaml of {newer}, or the other way round"
        );
        (
            MeetingVerdict::Contradictory,
            format!("They differ, and neither comes after the other: {help}."),
        )
    }
}

/// Level 1: returns the table cells that both variants set.
fn cell_meetings(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<MeetingRow> {
    let mut rows = Vec::new();
    let before = |a: &str, b: &str| ruleset.declared_before(a, b);
    for id in ruleset.table_names() {
        let mut ignore = Complaints::default();
        let files = ruleset.table_files(id, &mut ignore);
        if [older, newer]
            .iter()
            .any(|layer| !files.iter().any(|f| &*f.layer == *layer))
        {
            continue;
        }
        let tables = [older, newer].map(|layer| layers::table_of_layer(&files, layer, &before));
        let ([Some(a), Some(b)], Some(stacked)) = (tables, ruleset.stack_table(id, &mut ignore))
        else {
            continue;
        };
        let mut kinds = [a.layers.last(), b.layers.last()]
            .map(|link| link.map_or("", |layer| layer.kind.as_str()));
        kinds
            .iter_mut()
            .filter(|kind| kind.is_empty())
            .for_each(|kind| *kind = "table");
        let mut groups: Vec<(MeetingVerdict, String, Vec<usize>)> = Vec::new();
        for i in layers::common_cells(&a, older, &b, newer)
            .into_iter()
            .filter(|&i| a.cells[i].text != "?" && b.cells[i].text != "?")
        {
            let (verdict, reason) = if a.cells[i].text == b.cells[i].text {
                (
                    MeetingVerdict::Agree,
                    "Both set the same figure.".to_string(),
                )
            } else {
                let last = stacked
                    .cells
                    .get(i)
                    .map(|cell| &*cell.layer)
                    .filter(|last| before(older, last) && before(newer, last));
                order_verdict(ruleset, older, newer, last)
            };
            // Contradictory cells are not grouped, because each is resolved separately.
            match groups.iter_mut().find(|(v, r, _)| {
                verdict != MeetingVerdict::Contradictory && *v == verdict && *r == reason
            }) {
                Some((.., indices)) => indices.push(i),
                None => groups.push((verdict, reason, vec![i])),
            }
        }
        for (verdict, reason, indices) in groups {
            let suffix = if indices.len() > 1 {
                format!(" and {} more", indices.len() - 1)
            } else {
                String::new()
            };
            let pair = [(&a, older, kinds[0]), (&b, newer, kinds[1])]
                .map(|(table, layer, kind)| cell_side(table, layer, kind, indices[0]));
            let name = format!("table {id}: {}{suffix}", a.label(indices[0]));
            rows.push(MeetingRow::new(
                (1, name),
                (verdict, reason),
                pair,
                MeetingSubject::Cells(id.into(), indices),
            ));
        }
    }
    rows
}

fn cell_side(table: &Table, layer: &str, kind: &str, index: usize) -> MeetingSide {
    let cell = &table.cells[index];
    MeetingSide::new(
        layer,
        format!("table {}, {kind}", table.id),
        (&cell.path, cell.span.line),
        &cell.text,
    )
}

/// Level 1: returns the figures of pieces that both variants set.
fn figure_meetings(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<MeetingRow> {
    let mut rows = Vec::new();
    let before = |a: &str, b: &str| ruleset.declared_before(a, b);
    for name in ruleset.scenario_names() {
        let files = ruleset.scenario_files(name, &mut Complaints::default());
        let scenario_of = |layer: &str| files.iter().find(|f| &*f.layer == layer);
        let (Some(a), Some(b)) = (scenario_of(older), scenario_of(newer)) else {
            continue;
        };
        let (ours, theirs) = (&a.changes, &b.changes);
        for (x, y) in ours
            .iter()
            .flat_map(|x| theirs.iter().filter(|y| x.overlaps(y)).map(move |y| (x, y)))
        {
            let decided = if x.agrees_with(y) {
                (
                    MeetingVerdict::Agree,
                    "Both set the same figure.".to_string(),
                )
            } else {
                order_verdict(
                    ruleset,
                    older,
                    newer,
                    layers::settling_layer(&files, y, older, newer, &before),
                )
            };
            let figure = if x.path.len() < y.path.len() { x } else { y };
            let (figure_name, pair) = (
                format!("{name}: {}", path_label(&figure.path, "")),
                [figure_side(a, x), figure_side(b, y)],
            );
            rows.push(MeetingRow::new(
                (1, figure_name),
                decided,
                pair,
                MeetingSubject::Figure(name.into(), figure.path.clone()),
            ));
        }
    }
    rows
}

fn figure_side(list: &Scenario, figure: &ListChange) -> MeetingSide {
    let place = format!("{}, {}", list.name, list.kind.as_str());
    MeetingSide::new(
        &list.layer,
        place,
        (&list.file.path, figure.span().line),
        &figure.value(),
    )
}

/// Level 2: returns the functions that both variants answer.
fn function_meetings(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<MeetingRow> {
    let by = |slot: &Slot, layer: &str| {
        slot.answers
            .iter()
            .position(|a| &*ruleset.cases[a.deciding_case()].layer == layer)
    };
    let mut rows = Vec::new();
    for (index, slot) in ruleset.slots.iter().enumerate() {
        let (Some(old), Some(new)) = (by(slot, older), by(slot, newer)) else {
            continue;
        };
        // In a slot the newer answer comes first; a pair in the other order is skipped.
        if new > old {
            continue;
        }
        let (a, b) = (slot.answers[old], slot.answers[new]);
        let name = signature(&ruleset.cases[b.case].functions[b.function]);
        let decided = function_verdict(ruleset, slot, [older, newer], [old, new]);
        let pair = [answer_side(ruleset, a), answer_side(ruleset, b)];
        rows.push(MeetingRow::new(
            (2, name),
            decided,
            pair,
            MeetingSubject::Function(index, [a, b]),
        ));
    }
    rows
}

/// Returns the signature of a function, e.g. "loss_order(side, units)".
pub fn signature(function: &CaseFunction) -> String {
    let head = function
        .body
        .split_once(')')
        .map_or(function.name.as_str(), |(head, _)| head);
    let head = head
        .trim_start_matches("private ")
        .trim_start_matches("fn ")
        .trim();
    format!("{}{}", head, if head.contains('(') { ")" } else { "()" })
}

fn function_verdict(
    ruleset: &Ruleset,
    slot: &Slot,
    [older, newer]: [&str; 2],
    [old, new]: [usize; 2],
) -> (MeetingVerdict, String) {
    let (a, b) = (slot.answers[old], slot.answers[new]);
    let case = |answer: LayerAnswer| -> &Arc<Case> { &ruleset.cases[answer.case] };
    let agree = match (a.removed_by, b.removed_by) {
        (None, None) => {
            normalized_code(case(a), a.function) == normalized_code(case(b), b.function)
        }
        (one, other) => one.is_some() && other.is_some(),
    };
    if agree {
        let reason = if a.removed_by.is_some() {
            "Both take it away."
        } else {
            "Both answer in the same words."
        };
        return (MeetingVerdict::Agree, reason.into());
    }
    let asks_prior = |answer: LayerAnswer| {
        answer.deciding_case() == answer.case && reaches_prior(case(answer), answer.function)
    };
    if asks_prior(b) && ruleset.declared_before(older, newer) {
        return (
            MeetingVerdict::Compatible,
            format!("{newer} asks `prior()` and builds on what {older} answers."),
        );
    }
    let (verdict, mut reason) = order_verdict(
        ruleset,
        older,
        newer,
        settling_layer(ruleset, slot, new, older),
    );
    if verdict == MeetingVerdict::Contradictory {
        for (this, other, _) in [(newer, older, b), (older, newer, a)]
            .into_iter()
            .filter(|(.., answer)| asks_prior(*answer))
        {
            reason.push_str(&format!(
                " {this} asks `prior()`: if it came after {other}, it would build on it."
            ));
        }
    }
    (verdict, reason)
}

fn answer_side(ruleset: &Ruleset, answer: LayerAnswer) -> MeetingSide {
    let by = &ruleset.cases[answer.deciding_case()];
    let (line, says) = match (answer.removed_by, answer.reinstated_by) {
        (Some(_), _) => (by.kind_span.line, "it no longer holds".to_string()),
        (_, Some(_)) => (
            by.kind_span.line,
            format!("brings back {}", ruleset.cases[answer.case].layer),
        ),
        _ => (by.functions[answer.function].name_span.line, String::new()),
    };
    MeetingSide {
        says,
        ..case_side(by, line)
    }
}

/// Returns the side of a conflict at a line of a case, without an answer text.
pub fn case_side(case: &Case, line: usize) -> MeetingSide {
    MeetingSide::new(
        &case.layer,
        format!("case {}, {}", case.number, case.kind.as_str()),
        (&case.file.path, line),
        "",
    )
}
