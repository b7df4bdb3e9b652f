//! The parts of a variant's case that can be taken back one by one: a reading, an answer, a figure in one, an older answer that holds again.

use crate::author::case_form::as_sentence;
use crate::author::case_text::{
    calls_function, comment_of, function_key, header_key, reading_entry, remove_card, set_card,
    set_earlier,
};
use crate::author::made_recipes::{MadeFunction, MadeRecipe, answer_recipe};
use crate::author::recipes;
use crate::author::shares::{share_in, share_in_words};
use crate::author::wording::summary_of;
use casebook_engine::data::case::{Case, CaseFunction, CaseKind};
use casebook_engine::data::function_headers::{FunctionHeader, function_headers};
use casebook_engine::ruleset::compose::Ruleset;
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub struct CasePart {
    /// What it changes and to what, by which it is found again, also if the file was changed meanwhile: `loss_shares.2 figure 4 = 3`.
    pub name: String,
    /// What it does, in words.
    pub sentence: String,
    /// What goes with it; `None` if it can't be taken out by itself.
    taken: Option<Taken>,
    /// The recipe that made it, as the field of the form and its value.
    pub recipe: Option<(String, String)>,
    /// Whether a script was written for it, which is nowhere else.
    pub is_written: bool,
}

/// What is taken out of a file.
enum Taken {
    Older,
    Reading(String),
    Function(String),
    /// What a function is without a figure or a recipe.
    Inside(String, String),
}

/// Returns the parts of a case in the order of its file.
pub fn case_parts(case: &Case, below: &Ruleset) -> Vec<CasePart> {
    let mut parts = Vec::new();
    if let Some(layer) = &case.reinstates {
        parts.push(CasePart {
            name: format!("as {layer}"),
            sentence: format!("as {layer} has it"),
            taken: Some(Taken::Older),
            recipe: None,
            is_written: false,
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
                recipe: None,
                is_written: false,
            });
        }
    }
    for function in case
        .functions
        .iter()
        .filter(|function| !function.is_example() && !function.in_tests())
    {
        let older = older_function(below, case, &function_key(function));
        parts.extend(parts_of_function(function, older, below));
    }
    parts
}

/// Whether the parts of a case can be taken back one by one: it amends another, and more than one thing in it.
pub fn are_apart(case: &Case, parts: &[CasePart]) -> bool {
    case.kind != CaseKind::NewCase
        && parts.len() > 1
        && parts.iter().all(|part| part.taken.is_some())
}

/// Returns the newest older function of a name.
pub fn older_function<'b>(below: &'b Ruleset, case: &Case, key: &str) -> Option<&'b CaseFunction> {
    let same_case = below.cases.iter().rev();
    let mut functions = same_case
        .filter(|other| other.number == case.number)
        .flat_map(|other| &other.functions);
    functions.find(|other| function_key(other) == key)
}

/// Says what a function answers now: nothing if it answers as before, each figure and recipe by itself where nothing else is changed.
fn parts_of_function(
    function: &CaseFunction,
    older: Option<&CaseFunction>,
    below: &Ruleset,
) -> Vec<CasePart> {
    let (source, name, key) = (
        function.body.trim(),
        summary_of(function),
        function_key(function),
    );
    let whole = |sentence: String| {
        let recipe = answer_recipe(function).map(|made| (made.field(&key), made.value()));
        vec![CasePart {
            name: key.clone(),
            sentence,
            taken: (!function.private).then(|| Taken::Function(key.clone())),
            is_written: recipe.is_none() && plain_answer(source).is_none(),
            recipe,
        }]
    };
    if let Some(answer) = plain_answer(source) {
        return whole(format!("{name}: {answer}"));
    }
    let made = older.and_then(|older| MadeFunction::read(&key, source, older));
    if let Some(parts) = made.and_then(|made| parts_of_made(&made, function, below)) {
        return parts;
    }
    let said = comment_of(source);
    if !said.is_empty() && older.map(|older| comment_of(&older.body)).as_ref() != Some(&said) {
        return whole(said.trim_end_matches('.').to_string());
    }
    match older {
        Some(_) => whole(format!("{name}: answered anew")),
        // A helper of its own is not told of: what is told is the answer that it helps.
        None if function.private => Vec::new(),
        None => whole(format!("{name}: new")),
    }
}

/// Returns the figures and recipes of a function, each by itself; `None` if its comment says more than what the recipes do: words of one's own
/// are said of all of it.
fn parts_of_made(
    made: &MadeFunction,
    function: &CaseFunction,
    below: &Ruleset,
) -> Option<Vec<CasePart>> {
    let (name, key) = (summary_of(function), function_key(function));
    let say = |recipe: &MadeRecipe| recipes::sentence(&recipe.as_recipe(), made.older, below);
    let mut said = comment_of(&function.body);
    let older_words = comment_of(&made.older.body);
    for recipe in &made.recipes {
        if let Some(sentence) = said_in(&said, recipe, &say) {
            said = said.replacen(&sentence, "", 1);
        }
    }
    if said.trim() != older_words.trim() {
        return None;
    }
    let in_place = |text: &str| {
        let share = share_in(text).and_then(|share| share_in_words(&share));
        share.unwrap_or_else(|| text.to_string())
    };
    let figures = made.told_figures().into_iter().map(|(index, was, now)| {
        let mut left = made.figures.clone();
        left.remove(&index);
        Some(CasePart {
            name: format!("{key} figure {} = {now}", index + 1),
            sentence: format!("{name}: {} instead of {}", in_place(now), in_place(was)),
            taken: Some(Taken::Inside(
                key.clone(),
                with_rest(made, &left, None, &say)?,
            )),
            recipe: None,
            is_written: false,
        })
    });
    // What was made last is said first in the comment, and stands last here.
    let words = comment_of(&function.body);
    let mut recipes: Vec<(usize, &MadeRecipe)> = made.recipes.iter().enumerate().collect();
    let place = |recipe: &MadeRecipe| words.find(&said_in(&words, recipe, &say)?);
    recipes.sort_by_key(|(_, recipe)| Reverse(place(recipe)));
    let recipes = recipes.into_iter().map(|(at, recipe)| {
        let source = with_rest(made, &made.figures, Some(at), &say)?;
        Some(CasePart {
            name: format!("{} = {}", recipe.field(&key), recipe.value()),
            sentence: say(recipe),
            taken: Some(Taken::Inside(key.clone(), source)),
            recipe: Some((recipe.field(&key), recipe.value())),
            is_written: false,
        })
    });
    figures.chain(recipes).collect()
}

/// Returns the sentence of a recipe that a comment has. Files that were kept earlier do not say within which bounds a throw stays.
fn said_in(
    comment: &str,
    recipe: &MadeRecipe,
    say: &dyn Fn(&MadeRecipe) -> String,
) -> Option<String> {
    let earlier = MadeRecipe {
        is_capped: false,
        ..recipe.clone()
    };
    let mut sentences = [recipe, &earlier]
        .map(|recipe| as_sentence(say(recipe)))
        .into_iter();
    sentences.find(|sentence| comment.contains(sentence))
}

/// Returns the source of a function with some figures, and its recipes but one.
fn with_rest(
    made: &MadeFunction,
    figures: &BTreeMap<usize, String>,
    without: Option<usize>,
    say: &dyn Fn(&MadeRecipe) -> String,
) -> Option<String> {
    let left = made.without(without);
    let rest: Vec<&MadeRecipe> = left.iter().collect();
    let sentences: Vec<String> = rest.iter().map(|recipe| as_sentence(say(recipe))).collect();
    made.source(figures, &rest, &sentences.join(" "))
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
        Taken::Inside(key, source) => {
            let range = range_of(&text, key)?;
            let end = range.start + text[range.clone()].trim_end().len();
            text.replace_range(range.start..end, source.trim_end());
        }
    }
    remove_card(&mut text, "text");
    if let Some((gone, _)) = &part.recipe {
        let left = case.earlier.iter().filter(|(field, _)| field != gone);
        set_earlier(&mut text, &left.cloned().collect::<Vec<_>>());
    }
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
            older_function(below, case, &header_key(head))
                .is_some_and(|older| older.body.trim() == source(head))
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
