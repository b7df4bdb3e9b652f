//! Where two variants meet in the same cell, figure or function, and which of them holds there.

use crate::complaint::Complaints;
use crate::conflicts::effects::Thing;
use crate::data::case::{Case, Function};
use crate::data::scenario::Scenario;
use crate::data::table::Table;
use crate::ruleset::compose::{Answer, Ruleset, Slot};
use crate::ruleset::laws::{says, settled};
use crate::ruleset::layers::{self, Said};
use crate::syntax::calls::reaches_prior;
use serde::Serialize;
use std::sync::Arc;

/// How two variants get on in one place, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
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

impl Verdict {
    /// All of them, the worst first.
    pub const ALL: [Verdict; 5] = [Verdict::Contradictory, Verdict::Undecided, Verdict::Ordered, Verdict::Compatible, Verdict::Agree];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Contradictory => "contradictory",
            Verdict::Undecided => "undecided",
            Verdict::Ordered => "ordered",
            Verdict::Compatible => "compatible",
            Verdict::Agree => "agree",
        }
    }
}

/// What one of the two says, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Voice {
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
pub enum Subject {
    /// Cells of a table.
    Cells(String, Vec<usize>),
    /// A figure of a piece in a list.
    Figure(String, Said),
    /// A function, by its slot, and the two answers.
    Function(usize, [Answer; 2]),
    /// Functions of one file, and of another; tables that the first of the two amends and the other reads.
    Files([Vec<(String, usize)>; 2], Vec<Thing>),
}

/// A place where two variants meet.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// 1 the same cell or figure, 2 the same function, 3 one writes what the other reads.
    pub level: u8,
    /// How they get on.
    pub verdict: Verdict,
    /// What they meet in.
    pub what: String,
    /// The two, in the order in which they are laid over the game.
    pub pair: [Voice; 2],
    /// Why the verdict is what it is.
    pub reason: String,
    /// The situations in which it matters.
    pub situations: Vec<String>,
    /// What it is about.
    #[serde(skip)]
    pub subject: Subject,
}

/// How two different answers to the same get on, where neither builds on the other.
fn ruled(ruleset: &Ruleset, older: &str, newer: &str, settled: Option<&str>) -> (Verdict, String) {
    if ruleset.declared_before(older, newer) {
        (Verdict::Ordered, format!("{newer} comes after {older} and holds."))
    } else if let Some(by) = settled {
        (Verdict::Ordered, format!("{by} comes after both and says what holds."))
    } else {
        let help = format!("write `after: [{older}]` in the variant.yaml of {newer}, or the other way round");
        (Verdict::Contradictory, format!("They differ, and neither comes after the other: {help}."))
    }
}

/// Level 1: cells of tables that two variants set.
pub fn cells(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let before = |a: &str, b: &str| ruleset.declared_before(a, b);
    for id in ruleset.table_names() {
        let mut ignore = Complaints::default();
        let files = ruleset.table_files(id, &mut ignore);
        if [older, newer].iter().any(|layer| !files.iter().any(|f| &*f.layer == *layer)) {
            continue;
        }
        let tables = [older, newer].map(|layer| layers::table_of(&files, layer, &before));
        let ([Some(a), Some(b)], Some(whole)) = (tables, ruleset.stack_table(id, &mut ignore)) else { continue };
        let mut kinds = [a.chain.last(), b.chain.last()].map(|link| link.map_or("", |(_, kind, ..)| kind.word()));
        kinds.iter_mut().filter(|kind| kind.is_empty()).for_each(|kind| *kind = "table");
        let mut groups: Vec<(Verdict, String, Vec<usize>)> = Vec::new();
        for i in layers::common_cells(&a, older, &b, newer).into_iter().filter(|&i| a.cells[i].text != "?" && b.cells[i].text != "?") {
            let (verdict, reason) = if a.cells[i].text == b.cells[i].text {
                (Verdict::Agree, "Both set the same figure.".to_string())
            } else {
                let last = whole.cells.get(i).map(|cell| &*cell.layer).filter(|last| before(older, last) && before(newer, last));
                ruled(ruleset, older, newer, last)
            };
            // What is to be settled is settled cell by cell.
            match groups.iter_mut().find(|(v, r, _)| verdict != Verdict::Contradictory && *v == verdict && *r == reason) {
                Some((.., list)) => list.push(i),
                None => groups.push((verdict, reason, vec![i])),
            }
        }
        for (verdict, reason, list) in groups {
            let more = if list.len() > 1 { format!(" and {} more", list.len() - 1) } else { String::new() };
            let pair =
                [(&a, older, kinds[0]), (&b, newer, kinds[1])].map(|(table, layer, kind)| voice_of_cell(table, layer, kind, list[0]));
            let what = format!("table {id}: {}{more}", a.label(list[0]));
            rows.push(Row { level: 1, verdict, what, pair, reason, situations: Vec::new(), subject: Subject::Cells(id.into(), list) });
        }
    }
    rows
}

fn voice_of_cell(table: &Table, layer: &str, kind: &str, index: usize) -> Voice {
    let cell = &table.cells[index];
    Voice {
        variant: layer.into(),
        place: format!("table {}, {kind}", table.id),
        path: cell.path.to_string(),
        line: cell.span.line,
        says: cell.text.clone(),
    }
}

/// Level 1: figures of pieces that two variants set.
pub fn figures(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let before = |a: &str, b: &str| ruleset.declared_before(a, b);
    for name in ruleset.scenario_names() {
        let files = ruleset.scenario_files(name, &mut Complaints::default());
        let of = |layer: &str| files.iter().find(|f| &*f.layer == layer);
        let (Some(a), Some(b)) = (of(older), of(newer)) else { continue };
        let (ours, theirs) = (layers::said(a), layers::said(b));
        for (x, y) in ours.iter().flat_map(|x| theirs.iter().filter(|y| x.meets(y)).map(move |y| (x, y))) {
            let (verdict, reason) = if x.agrees(y) {
                (Verdict::Agree, "Both set the same figure.".to_string())
            } else {
                ruled(ruleset, older, newer, layers::said_last(&files, y, older, newer, &before))
            };
            let said = if x.figure.is_empty() { x } else { y };
            rows.push(Row {
                level: 1,
                verdict,
                what: format!("{name}: {}", said.name()),
                pair: [voice_of_figure(a, x), voice_of_figure(b, y)],
                reason,
                situations: Vec::new(),
                subject: Subject::Figure(name.into(), said.clone()),
            });
        }
    }
    rows
}

fn voice_of_figure(list: &Scenario, said: &Said) -> Voice {
    Voice {
        variant: list.layer.to_string(),
        place: format!("{}, {}", list.name, list.kind.word()),
        path: list.file.path.clone(),
        line: said.span.line,
        says: said.now.clone(),
    }
}

/// Level 2: functions that two variants answer.
pub fn functions(ruleset: &Ruleset, older: &str, newer: &str) -> Vec<Row> {
    let by = |slot: &Slot, layer: &str| slot.chain.iter().position(|a| &*ruleset.cases[a.by()].layer == layer);
    let mut rows = Vec::new();
    for (index, slot) in ruleset.slots.iter().enumerate() {
        let (Some(old), Some(new)) = (by(slot, older), by(slot, newer)) else { continue };
        // The newer answer stands before the older one.
        if new > old {
            continue;
        }
        let (a, b) = (slot.chain[old], slot.chain[new]);
        let (verdict, reason) = verdict_of(ruleset, slot, [older, newer], [old, new]);
        rows.push(Row {
            level: 2,
            verdict,
            what: signature(&ruleset.cases[b.case].functions[b.function]),
            pair: [voice_of_answer(ruleset, a), voice_of_answer(ruleset, b)],
            reason,
            situations: Vec::new(),
            subject: Subject::Function(index, [a, b]),
        });
    }
    rows
}

/// "loss_order(side, units)"
pub fn signature(function: &Function) -> String {
    let head = function.body.split_once(')').map_or(function.name.as_str(), |(head, _)| head);
    let head = head.trim_start_matches("private ").trim_start_matches("fn ").trim();
    format!("{}{}", head, if head.contains('(') { ")" } else { "()" })
}

fn verdict_of(ruleset: &Ruleset, slot: &Slot, [older, newer]: [&str; 2], [old, new]: [usize; 2]) -> (Verdict, String) {
    let (a, b) = (slot.chain[old], slot.chain[new]);
    let case = |answer: Answer| -> &Arc<Case> { &ruleset.cases[answer.case] };
    let same = match (a.struck_by, b.struck_by) {
        (None, None) => says(case(a), a.function) == says(case(b), b.function),
        (one, other) => one.is_some() && other.is_some(),
    };
    if same {
        let what = if a.struck_by.is_some() { "Both take it away." } else { "Both answer in the same words." };
        return (Verdict::Agree, what.into());
    }
    let asks = |answer: Answer| answer.by() == answer.case && reaches_prior(case(answer), answer.function);
    if asks(b) && ruleset.declared_before(older, newer) {
        return (Verdict::Compatible, format!("{newer} asks `prior()` and builds on what {older} answers."));
    }
    let (verdict, mut reason) = ruled(ruleset, older, newer, settled(ruleset, slot, new, older));
    if verdict == Verdict::Contradictory {
        for (this, other, _) in [(newer, older, b), (older, newer, a)].into_iter().filter(|(.., answer)| asks(*answer)) {
            reason.push_str(&format!(" {this} asks `prior()`: laid after {other} it would build on it."));
        }
    }
    (verdict, reason)
}

fn voice_of_answer(ruleset: &Ruleset, answer: Answer) -> Voice {
    let by = &ruleset.cases[answer.by()];
    let (line, says) = match (answer.struck_by, answer.reinstated_by) {
        (Some(_), _) => (by.kind_span.line, "it no longer stands".to_string()),
        (_, Some(_)) => (by.kind_span.line, format!("brings back {}", ruleset.cases[answer.case].layer)),
        _ => (by.functions[answer.function].span.line, String::new()),
    };
    Voice { says, ..voice_of_case(by, line) }
}

/// What a case says at a line.
pub fn voice_of_case(case: &Case, line: usize) -> Voice {
    Voice {
        variant: case.layer.to_string(),
        place: format!("case {}, {}", case.number, case.kind.word()),
        path: case.file.path.clone(),
        line,
        says: String::new(),
    }
}
