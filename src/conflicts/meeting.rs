//! Where two variants meet in the same cell, figure or function, and which of them holds there.

use crate::complaint::Complaints;
use crate::conflicts::effects::EffectTarget;
use crate::data::case::{Case, CaseFunction};
use crate::data::scenario::Scenario;
use crate::data::table::Table;
use crate::ruleset::compose::{LayerAnswer, Ruleset, Slot};
use crate::ruleset::diagnostics::{normalized_code, settling_layer};
use crate::ruleset::layers::{self, LayerFigure};
use crate::syntax::calls::reaches_prior;
use serde::Serialize;
use std::sync::Arc;

/// How two variants get on in one place, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MeetingVerdict {
    /// They say different things of the same, and nobody says which holds.
    Contradictory,
    /// Both change the situation in what the other looks at, and nobody says which comes first.
    Undecided,
    /// They say different things, and the order between them says who holds.
    Ordered,
    /// Both hold.
    Compatible,
    /// They say the same.
    Agree,
}

impl MeetingVerdict {
    /// All of them, the worst first.
    pub const ALL: [MeetingVerdict; 5] = [
        MeetingVerdict::Contradictory,
        MeetingVerdict::Undecided,
        MeetingVerdict::Ordered,
        MeetingVerdict::Compatible,
        MeetingVerdict::Agree,
    ];

    /// The word.
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

/// What one of the two says, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeetingSide {
    /// The variant.
    pub variant: String,
    /// "case 2.1, addition", "table 7.3, correction".
    pub place: String,
    /// The file.
    pub path: String,
    /// The line.
    pub line: usize,
    /// What it says, where that is a word or a figure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub says: String,
}

/// What a row is about: for counting who asks for it, and for settling it.
#[derive(Clone, Debug)]
pub enum MeetingSubject {
    /// Cells of a table.
    Cells(String, Vec<usize>),
    /// A figure of a piece in a list.
    Figure(String, LayerFigure),
    /// A function, by its slot, and the two answers.
    Function(usize, [LayerAnswer; 2]),
    /// Functions of one file, and of another; tables that the first of the two amends and the other reads.
    Files([Vec<(String, usize)>; 2], Vec<EffectTarget>),
}

/// A place where two variants meet.
#[derive(Clone, Debug, Serialize)]
pub struct MeetingRow {
    /// 1 the same cell or figure, 2 the same function, 3 one writes what the other reads.
    pub level: u8,
    /// How they get on.
    pub verdict: MeetingVerdict,
    /// What they meet in.
    pub what: String,
    /// The two, in the order in which they are laid over the game.
    pub pair: [MeetingSide; 2],
    /// Why the verdict is what it is.
    pub reason: String,
    /// The situations in which it matters.
    pub situations: Vec<String>,
    /// What it is about.
    #[serde(skip)]
    pub subject: MeetingSubject,
}

/// How two different answers to the same get on, where neither builds on the other.
fn order_verdict(ruleset: &Ruleset, older: &str, newer: &str, settled: Option<&str>) -> (MeetingVerdict, String) {
    if ruleset.declared_before(older, newer) {
        (MeetingVerdict::Ordered, format!("{newer} comes after {older} and holds."))
    } else if let Some(by) = settled {
        (MeetingVerdict::Ordered, format!("{by} comes after both and says what holds."))
    } else {
        let help = format!("write `after: [{older}]` in the variant.yaml of {newer}, or the other way round");
        (MeetingVerdict::Contradictory, format!("They differ, and neither comes after the other: {help}."))
    }
}

/// Level 1: cells of tables that two variants set.
pub fn cell_meetings(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<MeetingRow> {
    let mut rows = Vec::new();
    let before = |a: &str, b: &str| ruleset.declared_before(a, b);
    for id in ruleset.table_names() {
        let mut ignore = Complaints::default();
        let files = ruleset.table_files(id, &mut ignore);
        if [older, newer].iter().any(|layer| !files.iter().any(|f| &*f.layer == *layer)) {
            continue;
        }
        let tables = [older, newer].map(|layer| layers::table_of_layer(&files, layer, &before));
        let ([Some(a), Some(b)], Some(whole)) = (tables, ruleset.stack_table(id, &mut ignore)) else { continue };
        let mut kinds = [a.layers.last(), b.layers.last()].map(|link| link.map_or("", |(_, kind, ..)| kind.as_str()));
        kinds.iter_mut().filter(|kind| kind.is_empty()).for_each(|kind| *kind = "table");
        let mut groups: Vec<(MeetingVerdict, String, Vec<usize>)> = Vec::new();
        for i in layers::common_cells(&a, older, &b, newer).into_iter().filter(|&i| a.cells[i].text != "?" && b.cells[i].text != "?") {
            let (verdict, reason) = if a.cells[i].text == b.cells[i].text {
                (MeetingVerdict::Agree, "Both set the same figure.".to_string())
            } else {
                let last = whole.cells.get(i).map(|cell| &*cell.layer).filter(|last| before(older, last) && before(newer, last));
                order_verdict(ruleset, older, newer, last)
            };
            // What is to be settled is settled cell by cell.
            match groups.iter_mut().find(|(v, r, _)| verdict != MeetingVerdict::Contradictory && *v == verdict && *r == reason) {
                Some((.., list)) => list.push(i),
                None => groups.push((verdict, reason, vec![i])),
            }
        }
        for (verdict, reason, list) in groups {
            let more = if list.len() > 1 { format!(" and {} more", list.len() - 1) } else { String::new() };
            let pair = [(&a, older, kinds[0]), (&b, newer, kinds[1])].map(|(table, layer, kind)| cell_side(table, layer, kind, list[0]));
            let what = format!("table {id}: {}{more}", a.label(list[0]));
            rows.push(MeetingRow {
                level: 1,
                verdict,
                what,
                pair,
                reason,
                situations: Vec::new(),
                subject: MeetingSubject::Cells(id.into(), list),
            });
        }
    }
    rows
}

fn cell_side(table: &Table, layer: &str, kind: &str, index: usize) -> MeetingSide {
    let cell = &table.cells[index];
    MeetingSide {
        variant: layer.into(),
        place: format!("table {}, {kind}", table.id),
        path: cell.path.to_string(),
        line: cell.span.line,
        says: cell.text.clone(),
    }
}

/// Level 1: figures of pieces that two variants set.
pub fn figure_meetings(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<MeetingRow> {
    let mut rows = Vec::new();
    let before = |a: &str, b: &str| ruleset.declared_before(a, b);
    for name in ruleset.scenario_names() {
        let files = ruleset.scenario_files(name, &mut Complaints::default());
        let of = |layer: &str| files.iter().find(|f| &*f.layer == layer);
        let (Some(a), Some(b)) = (of(older), of(newer)) else { continue };
        let (ours, theirs) = (layers::layer_figures(a), layers::layer_figures(b));
        for (x, y) in ours.iter().flat_map(|x| theirs.iter().filter(|y| x.overlaps(y)).map(move |y| (x, y))) {
            let (verdict, reason) = if x.agrees_with(y) {
                (MeetingVerdict::Agree, "Both set the same figure.".to_string())
            } else {
                order_verdict(ruleset, older, newer, layers::settling_layer(&files, y, older, newer, &before))
            };
            let said = if x.figure.is_empty() { x } else { y };
            rows.push(MeetingRow {
                level: 1,
                verdict,
                what: format!("{name}: {}", said.label()),
                pair: [figure_side(a, x), figure_side(b, y)],
                reason,
                situations: Vec::new(),
                subject: MeetingSubject::Figure(name.into(), said.clone()),
            });
        }
    }
    rows
}

fn figure_side(list: &Scenario, said: &LayerFigure) -> MeetingSide {
    MeetingSide {
        variant: list.layer.to_string(),
        place: format!("{}, {}", list.name, list.kind.as_str()),
        path: list.file.path.clone(),
        line: said.span.line,
        says: said.value.clone(),
    }
}

/// Level 2: functions that two variants answer.
pub fn function_meetings(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<MeetingRow> {
    let by = |slot: &Slot, layer: &str| slot.answers.iter().position(|a| &*ruleset.cases[a.deciding_case()].layer == layer);
    let mut rows = Vec::new();
    for (index, slot) in ruleset.slots.iter().enumerate() {
        let (Some(old), Some(new)) = (by(slot, older), by(slot, newer)) else { continue };
        // The newer answer stands before the older one.
        if new > old {
            continue;
        }
        let (a, b) = (slot.answers[old], slot.answers[new]);
        let (verdict, reason) = function_verdict(ruleset, slot, [older, newer], [old, new]);
        rows.push(MeetingRow {
            level: 2,
            verdict,
            what: signature(&ruleset.cases[b.case].functions[b.function]),
            pair: [answer_side(ruleset, a), answer_side(ruleset, b)],
            reason,
            situations: Vec::new(),
            subject: MeetingSubject::Function(index, [a, b]),
        });
    }
    rows
}

/// "loss_order(side, units)"
pub fn signature(function: &CaseFunction) -> String {
    let head = function.body.split_once(')').map_or(function.name.as_str(), |(head, _)| head);
    let head = head.trim_start_matches("private ").trim_start_matches("fn ").trim();
    format!("{}{}", head, if head.contains('(') { ")" } else { "()" })
}

fn function_verdict(ruleset: &Ruleset, slot: &Slot, [older, newer]: [&str; 2], [old, new]: [usize; 2]) -> (MeetingVerdict, String) {
    let (a, b) = (slot.answers[old], slot.answers[new]);
    let case = |answer: LayerAnswer| -> &Arc<Case> { &ruleset.cases[answer.case] };
    let same = match (a.removed_by, b.removed_by) {
        (None, None) => normalized_code(case(a), a.function) == normalized_code(case(b), b.function),
        (one, other) => one.is_some() && other.is_some(),
    };
    if same {
        let what = if a.removed_by.is_some() { "Both take it away." } else { "Both answer in the same words." };
        return (MeetingVerdict::Agree, what.into());
    }
    let asks = |answer: LayerAnswer| answer.deciding_case() == answer.case && reaches_prior(case(answer), answer.function);
    if asks(b) && ruleset.declared_before(older, newer) {
        return (MeetingVerdict::Compatible, format!("{newer} asks `prior()` and builds on what {older} answers."));
    }
    let (verdict, mut reason) = order_verdict(ruleset, older, newer, settling_layer(ruleset, slot, new, older));
    if verdict == MeetingVerdict::Contradictory {
        for (this, other, _) in [(newer, older, b), (older, newer, a)].into_iter().filter(|(.., answer)| asks(*answer)) {
            reason.push_str(&format!(" {this} asks `prior()`: laid after {other} it would build on it."));
        }
    }
    (verdict, reason)
}

fn answer_side(ruleset: &Ruleset, answer: LayerAnswer) -> MeetingSide {
    let by = &ruleset.cases[answer.deciding_case()];
    let (line, says) = match (answer.removed_by, answer.reinstated_by) {
        (Some(_), _) => (by.kind_span.line, "it no longer stands".to_string()),
        (_, Some(_)) => (by.kind_span.line, format!("brings back {}", ruleset.cases[answer.case].layer)),
        _ => (by.functions[answer.function].name_span.line, String::new()),
    };
    MeetingSide { says, ..case_side(by, line) }
}

/// What a case says at a line.
pub fn case_side(case: &Case, line: usize) -> MeetingSide {
    MeetingSide {
        variant: case.layer.to_string(),
        place: format!("case {}, {}", case.number, case.kind.as_str()),
        path: case.file.path.clone(),
        line,
        says: String::new(),
    }
}
