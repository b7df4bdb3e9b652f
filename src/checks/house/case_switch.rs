//! A case that is switched off: it answers nothing.

use crate::author::case_form::{CaseForm, FormChanges};
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::syntax::answer_kind::{AnswerKind, answer_kind};
use casebook_engine::syntax::parse;

/// Returns the changes of its form that switch a case off: its figures are 0, its questions are answered no, and its lists are empty. What an
/// older layer answers is no case that is off, and is chosen by its name (`back`).
pub fn switch_off(form: &CaseForm) -> Result<FormChanges, Error> {
    let newest = &form.layers[0];
    let title = format!("{} {}", newest.number, newest.title);
    let mut changes = FormChanges::new();
    for function in form
        .functions
        .iter()
        .filter(|function| !function.function().private)
    {
        let nothing = match parse::function_body(&function.case, function.index)
            .ok()
            .and_then(|body| answer_kind(&body))
        {
            Some(AnswerKind::Number) => "0",
            Some(AnswerKind::YesNo) => "false",
            Some(AnswerKind::List) => "[]",
            None => return Err(cannot_switch(form, &title)),
        };
        changes.insert(format!("body:{}", function.key), nothing.into());
    }
    if changes.is_empty() {
        Err(cannot_switch(form, &title))
    } else {
        Ok(changes)
    }
}

/// Returns a change that these rules take, as it is typed: a case that is switched off, or a reading that is chosen; `None` if they have neither.
pub fn example_of_change(library: &Library, ruleset: &Ruleset) -> Option<String> {
    let can_switch = |number: &str| {
        let form = CaseForm::new(library, ruleset, "", number);
        form.is_ok_and(|form| switch_off(&form).is_ok())
    };
    let mut cases = ruleset.cases.iter();
    let switched = cases.find(|case| can_switch(&case.number));
    let read = || {
        ruleset.cases.iter().find_map(|case| {
            let reading = case.readings.first()?;
            let way = reading.ways.get(1)?;
            Some(format!("{}.{} = {way}", case.number, reading.name))
        })
    };
    switched
        .map(|case| format!("{} off", case.number))
        .or_else(read)
}

fn cannot_switch(form: &CaseForm, title: &str) -> Error {
    let why = match &form.layers[0].procedures[..] {
        [] => "it answers more than a number or yes and no, and nothing says what holds without it"
            .to_string(),
        names => format!("it carries out {}", names.join(", ")),
    };
    let older: Vec<String> = form
        .older_layers()
        .iter()
        .map(|layer| format!("`{} back = {layer}`", form.layers[0].number))
        .collect();
    let instead = if older.is_empty() {
        String::new()
    } else {
        format!(", or let an older answer hold again: {}", older.join(", "))
    };
    Error::Usage(format!(
        "{title} can't be switched off as a whole: {why}. Change what it answers{instead}"
    ))
}
