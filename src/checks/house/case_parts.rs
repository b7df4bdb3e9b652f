//! The parts of a variant's case that can be taken back one by one: a reading, an answer, a figure in one, an older answer that holds again.

use crate::author::blanks::{Blank, BlankKind, blanks, with_edits};
use crate::author::case_text::{
    calls_function, comment_of, function_key, header_key, reading_entry, remove_card, set_card,
};
use crate::author::wording::summary_of;
use casebook_engine::data::case::{Case, CaseFunction, CaseKind};
use casebook_engine::data::function_headers::{FunctionHeader, function_headers};
use casebook_engine::ruleset::compose::Ruleset;

pub struct CasePart {
    /// What it changes and to what, by which it is found again, also if the file was changed meanwhile: `loss_shares.2 figure 4 = 3`.
    pub name: String,
    /// What it does, in words.
    pub sentence: String,
    /// What goes with it; `None` if it can't be taken out by itself.
    taken: Option<Taken>,
}

/// What is taken out of a file.
enum Taken {
    Older,
    Reading(String),
    Function(String),
    /// A figure of a function: its blank there, and what it was.
    Figure(String, Blank, String),
}

/// Returns the parts of a case in the order of its file.
pub fn case_parts(case: &Case, below: &Ruleset) -> Vec<CasePart> {
    let mut parts = Vec::new();
    if let Some(layer) = &case.reinstates {
        parts.push(CasePart {
            name: format!("as {layer}"),
            sentence: format!("as {layer} has it"),
            taken: Some(Taken::Older),
        });
    }
    let older_reading = |name: &str| {
        let older = below.cases.iter().rev();
        let mut readings = older
            .filter(|other| other.number == case.number)
            .flat_map(|other| &other.readings);
        readings
            .find(|reading| reading.name == name)
            .and_then(|reading| reading.ways.first())
    };
    for reading in &case.readings {
        let first = reading.ways.first();
        if let Some(way) = first.filter(|_| older_reading(&reading.name) != first) {
            parts.push(CasePart {
                name: format!("{} = {way}", reading.name),
                sentence: format!("“{}” is read as {way}", reading.name.replace('-', " ")),
                taken: Some(Taken::Reading(reading.name.clone())),
            });
        }
    }
    for function in case
        .functions
        .iter()
        .filter(|function| !function.is_example() && !function.in_tests())
    {
        let older = older_source(below, case, &function_key(function));
        parts.extend(parts_of_function(function, older.as_deref()));
    }
    parts
}

/// Whether the parts of a case can be taken back one by one: it amends another, and more than one thing in it.
pub fn are_apart(case: &Case, parts: &[CasePart]) -> bool {
    case.kind != CaseKind::NewCase
        && parts.len() > 1
        && parts.iter().all(|part| part.taken.is_some())
}

/// Returns the source of the newest older function of a name.
fn older_source(below: &Ruleset, case: &Case, key: &str) -> Option<String> {
    let same_case = below.cases.iter().rev();
    let mut functions = same_case
        .filter(|other| other.number == case.number)
        .flat_map(|other| &other.functions);
    functions
        .find(|other| function_key(other) == key)
        .map(|other| other.body.to_string())
}

/// Says what a function answers now: nothing if it answers as before, each figure by itself where nothing but figures is changed.
fn parts_of_function(function: &CaseFunction, older: Option<&str>) -> Vec<CasePart> {
    let (source, name, key) = (
        function.body.trim(),
        summary_of(function),
        function_key(function),
    );
    let whole = |sentence: String| {
        vec![CasePart {
            name: key.clone(),
            sentence,
            taken: (!function.private).then(|| Taken::Function(key.clone())),
        }]
    };
    if let Some(answer) = plain_answer(source) {
        return whole(format!("{name}: {answer}"));
    }
    let said = comment_of(source);
    if !said.is_empty() && older.map(comment_of).as_ref() != Some(&said) {
        return whole(said.trim_end_matches('.').to_string());
    }
    let Some(older) = older.map(str::trim) else {
        // A helper of its own is not told of: what is told is the answer that it helps.
        return if function.private {
            Vec::new()
        } else {
            whole(format!("{name}: new"))
        };
    };
    if older == source {
        return Vec::new();
    }
    match changed_figures(source, older) {
        Some(figures) => figures
            .into_iter()
            .map(|(index, blank, was)| {
                let now = &source[blank.range.clone()];
                CasePart {
                    name: format!("{key} figure {} = {now}", index + 1),
                    sentence: format!("{name}: {now} instead of {was}"),
                    taken: Some(Taken::Figure(key.clone(), blank, was)),
                }
            })
            .collect(),
        None => whole(format!("{name}: answered anew")),
    }
}

/// Returns what a function answers, if that is plain to see.
fn plain_answer(source: &str) -> Option<String> {
    let (_, inside) = source.split_once('{')?;
    let inside = inside.trim().trim_end_matches('}').trim();
    let fixed = match inside {
        "true" => "always yes",
        "false" => "always no",
        "[]" => "never any",
        "!prior()" => "the opposite",
        _ => "",
    };
    if !fixed.is_empty() {
        return Some(fixed.into());
    }
    if let Ok(number) = inside.parse::<i64>() {
        return Some(format!("always {number}"));
    }
    let more = inside.strip_prefix("prior() ")?.replace(' ', "");
    more.parse::<i64>().ok().map(|more| format!("{more:+}"))
}

/// Returns the figures, dice and conditions in which a source differs from an older one, with what they were; `None` if it differs in more.
fn changed_figures(source: &str, older: &str) -> Option<Vec<(usize, Blank, String)>> {
    let (new, old) = (blanks(source), blanks(older));
    if new.len() != old.len() {
        return None;
    }
    let text = |source: &str, blank: &Blank| source[blank.range.clone()].to_string();
    let changed: Vec<(usize, Blank, String)> = (0..)
        .zip(new.into_iter().zip(&old))
        .filter(|(_, (new, old))| text(source, new) != text(older, old))
        .map(|(index, (new, old))| (index, new, text(older, old)))
        .collect();
    // A condition in which a figure differs is told by the figure.
    let holds_another = |(index, blank, _): &(usize, Blank, String)| {
        blank.kind == BlankKind::Condition
            && changed.iter().any(|(other, inner, _)| {
                other != index
                    && blank.range.start <= inner.range.start
                    && inner.range.end <= blank.range.end
            })
    };
    let figures: Vec<(usize, Blank, String)> = changed
        .iter()
        .filter(|figure| !holds_another(figure))
        .cloned()
        .collect();
    let edits = figures
        .iter()
        .map(|(_, blank, was)| (blank.range.clone(), was.clone()))
        .collect();
    (!figures.is_empty() && with_edits(source, edits) == older).then_some(figures)
}

/// Returns the text of a case's file without one of its parts; `None` if nothing is left in it. What the case says in words of its own goes,
/// too: it was said of all parts.
pub fn without_part(case: &Case, below: &Ruleset, part: &CasePart) -> Option<String> {
    let mut text = case.file.text.to_string();
    match part.taken.as_ref()? {
        Taken::Older => remove_card(&mut text, "reinstates"),
        Taken::Reading(name) => {
            let left: Vec<String> = case
                .readings
                .iter()
                .filter(|reading| reading.name != *name)
                .map(reading_entry)
                .collect();
            match left.is_empty() {
                true => remove_card(&mut text, "readings"),
                false => set_card(&mut text, "readings", &format!("{{ {} }}", left.join(", "))),
            }
        }
        Taken::Function(key) => remove_function(&mut text, key),
        Taken::Figure(key, blank, was) => {
            let start = range_of(&text, key)?.start;
            text.replace_range(start + blank.range.start..start + blank.range.end, was);
        }
    }
    remove_card(&mut text, "text");
    remove_copies(&mut text, case, below);
    let is_answer = |head: &FunctionHeader| !head.private && !head.name.starts_with("example_");
    let has_answers = function_headers(&text).iter().any(is_answer);
    let has_more = has_answers
        || ["reinstates", "readings"].iter().any(|key| {
            text.lines()
                .any(|line| line.starts_with(&format!("//! {key}:")))
        });
    if !has_answers {
        // What is said of answers goes with the last.
        for key in ["procedure", "usual", "questions"] {
            remove_card(&mut text, key);
        }
        if case.kind == CaseKind::Addition {
            set_card(&mut text, "kind", CaseKind::Correction.as_str());
        }
    }
    has_more.then_some(text)
}

/// Returns where the source of a function stands in a file.
fn range_of(text: &str, key: &str) -> Option<std::ops::Range<usize>> {
    function_headers(text)
        .into_iter()
        .find(|head| header_key(head) == key)
        .map(|head| head.text_range)
}

fn remove_function(text: &mut String, key: &str) {
    let range = function_headers(text)
        .into_iter()
        .find(|head| header_key(head) == key)
        .map(|head| head.doc_range.start..head.text_range.end);
    if let Some(range) = range {
        text.replace_range(range, "");
        *text = text.trim_end().to_string() + "\n";
    }
}

/// Removes answers that say what the rules below say, with helpers that say the same, and helpers that nothing calls any more: a copy would
/// hide what another variant answers.
fn remove_copies(text: &mut String, case: &Case, below: &Ruleset) {
    loop {
        let heads = function_headers(text);
        let source = |head: &FunctionHeader| text[head.text_range.clone()].trim().to_string();
        let is_copy = |head: &FunctionHeader| {
            older_source(below, case, &header_key(head))
                .is_some_and(|older| older.trim() == source(head))
        };
        let calls = |from: &FunctionHeader, to: &FunctionHeader| {
            header_key(from) != header_key(to) && calls_function(&source(from), to.name)
        };
        // Helpers that differ, or lead to one that does.
        let mut own: Vec<bool> = heads.iter().map(|head| !is_copy(head)).collect();
        for _ in &heads {
            for (index, head) in heads.iter().enumerate() {
                let leads = heads
                    .iter()
                    .zip(&own)
                    .any(|(other, is_own)| *is_own && other.private && calls(head, other));
                own[index] |= leads;
            }
        }
        let idle = heads.iter().enumerate().find(|(index, head)| {
            if head.private {
                !heads.iter().any(|other| calls(other, head))
            } else {
                !own[*index]
            }
        });
        let Some(idle) = idle.map(|(_, head)| header_key(head)) else {
            return;
        };
        remove_function(text, &idle);
    }
}
