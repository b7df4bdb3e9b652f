//! A case changed by a form: what can be changed in it, and the file of a variant that makes the changes.

use crate::author::blanks::{BlankKind, blank_edits, blanks, with_edits};
use crate::author::case_text::{
    calls_function, folded, function_key, put_function, reading_entry, set_card, with_comment,
};
use crate::author::recipes::{self, Recipe, builds_on_answer, recipes_of};
use crate::author::scaffold;
use crate::author::wording::summary_of;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::case::{Case, CaseFunction, CaseKind, Reading, script_text};
use casebook_engine::data::function_headers::function_headers;
use casebook_engine::data::library::Library;
use casebook_engine::data::status::Status;
use casebook_engine::data::yaml::YamlReader;
use casebook_engine::data::yaml_edit::{self, YamlStep, add_name};
use casebook_engine::data::yaml_writer::{write_inline, write_key, write_quoted, write_scalar};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::syntax::calls::{reachable_functions, reaches_prior};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A function of a case as a form shows it.
pub struct FormFunction {
    /// Its name with its number of parameters: `loss_shares.2`.
    pub key: String,
    /// The case of the newest layer that has it, and its index there.
    pub case: Arc<Case>,
    /// Its index among the functions of that case.
    pub index: usize,
    /// Whether its source can be filled in: it is the variant's own, or can be copied there because it does not ask `prior()`.
    pub is_open: bool,
}

impl FormFunction {
    fn new(case: &Arc<Case>, index: usize, variant: &str) -> FormFunction {
        let is_open = *case.layer == *variant || !reaches_prior(case, index);
        FormFunction {
            key: function_key(&case.functions[index]),
            case: case.clone(),
            index,
            is_open,
        }
    }

    pub fn function(&self) -> &CaseFunction {
        &self.case.functions[self.index]
    }

    /// Returns the text of an answer that is left as it is: its body, or a call of the older answer where that can't be copied.
    pub fn plain_body(&self) -> String {
        let body = &self.function().body;
        let inside = body
            .find('{')
            .zip(body.rfind('}'))
            .filter(|_| self.is_open)
            .and_then(|(from, to)| body.get(from + 1..to));
        let lines: Vec<&str> = inside
            .unwrap_or("prior()")
            .trim_matches('\n')
            .lines()
            .map(str::trim_end)
            .collect();
        let indent = lines
            .iter()
            .filter(|line| !line.is_empty())
            .map(|line| line.len() - line.trim_start().len())
            .min()
            .unwrap_or(0);
        lines
            .iter()
            .map(|line| line.get(indent..).unwrap_or_default())
            .collect::<Vec<_>>()
            .join("\n")
            .trim()
            .to_string()
    }
}

/// A case as a form shows it: its layers below a variant, and the variant's own file if it has one.
pub struct CaseForm {
    /// The layers of the case, the newest first; the variant's own leads.
    pub layers: Vec<Arc<Case>>,
    /// The answers that can be changed, in the order of their files; helpers stand behind the answers.
    pub functions: Vec<FormFunction>,
    /// The variant's own file.
    pub own_case: Option<Arc<Case>>,
}

impl CaseForm {
    /// Returns what the case is about: the title of its oldest layer. Newer ones say what they add to it.
    pub fn title(&self) -> &str {
        self.layers.last().map_or("", |oldest| &oldest.title)
    }

    /// Returns what a function answers, in the words of the oldest layer that has it. Newer ones say their answer.
    pub fn question(&self, function: &FormFunction) -> String {
        let of_layer = |layer: &Arc<Case>| {
            let mut functions = layer.functions.iter();
            functions
                .find(|known| function_key(known) == function.key)
                .map(summary_of)
        };
        let oldest = self.layers.iter().rev().find_map(of_layer);
        oldest.unwrap_or_else(|| summary_of(function.function()))
    }

    /// Looks a case up in the ruleset below a variant.
    pub fn new(
        library: &Library,
        below: &Ruleset,
        variant: &str,
        number: &str,
    ) -> Result<CaseForm, Error> {
        let layer = library
            .variants
            .contains_key(variant)
            .then(|| library.layer(&below.game, Some(variant), &mut Complaints::default()));
        let own_case = layer.and_then(|layer| {
            layer
                .cases
                .iter()
                .find(|case| case.number == number)
                .cloned()
        });
        let older = below
            .cases
            .iter()
            .rev()
            .filter(|case| case.number == number)
            .cloned();
        let layers: Vec<Arc<Case>> = own_case.iter().cloned().chain(older).collect();
        if layers.is_empty() {
            let names = below.cases.iter().map(|case| case.number.as_str());
            return Err(Error::unknown("case", number, names));
        }
        let mut functions: Vec<FormFunction> = Vec::new();
        for private in [false, true] {
            for case in &layers {
                for (index, function) in case.functions.iter().enumerate() {
                    let is_shown = function.private == private
                        && !function.is_example()
                        && !function.in_tests();
                    if is_shown
                        && !functions
                            .iter()
                            .any(|listed| listed.key == function_key(function))
                    {
                        functions.push(FormFunction::new(case, index, variant));
                    }
                }
            }
        }
        Ok(CaseForm {
            layers,
            functions,
            own_case,
        })
    }

    /// Returns whether the variant's own file has a function.
    pub fn is_own(&self, function: &FormFunction) -> bool {
        self.own_case
            .as_ref()
            .is_some_and(|own_case| own_case.file.key == function.case.file.key)
    }

    /// Returns the layers whose answers can be brought back: all older ones but the one that answers now.
    pub fn older_layers(&self) -> Vec<&str> {
        let older = self.layers.iter().filter(|case| {
            self.own_case
                .as_ref()
                .is_none_or(|own_case| own_case.layer != case.layer)
        });
        let answers = older.filter(|case| case.functions.iter().any(CaseFunction::is_answer));
        answers
            .skip(usize::from(self.own_case.is_none()))
            .map(|case| &*case.layer)
            .collect()
    }
}

/// The changes of a form, by the names of its fields: `text`, `back`, `switch`, `reading:NAME`, `does:FUNCTION`, `value:FUNCTION`,
/// `body:FUNCTION`, `in:FUNCTION:BLANK`, and the recipes of [`recipes`].
pub type FormChanges = BTreeMap<String, String>;

/// Returns the source of a function with the changes of a form; `None` if it has none.
fn changed_source(
    function: &FormFunction,
    is_own: bool,
    below: &Ruleset,
    changes: &FormChanges,
) -> Result<Option<String>, Error> {
    let typed = |field: &str| {
        changes
            .get(&format!("{field}:{}", function.key))
            .map_or("", |text| text.trim())
    };
    let head = |body: &str| {
        let CaseFunction { name, params, .. } = function.function();
        let lines: Vec<String> = body
            .lines()
            .map(|line| {
                if line.is_empty() {
                    String::new()
                } else {
                    format!("    {line}")
                }
            })
            .collect();
        format!(
            "fn {name}({}) {{\n{}\n}}\n",
            params.join(", "),
            lines.join("\n")
        )
    };
    let whole_number = |what: &str| {
        let number = typed("value").parse::<i64>();
        number.map_err(|_| {
            Error::Usage(format!(
                "{}: write a whole number {what}",
                function.function().name.replace('_', " ")
            ))
        })
    };
    // An answer that is typed in is always given, unless something else is picked.
    let does = match typed("does") {
        "" if !typed("value").is_empty() => "always",
        does => does,
    };
    let written = written_body(function, changes);
    let all = recipes_of((&function.key, function.function()), below, changes);
    let (inside, on_answer): (Vec<Recipe>, Vec<Recipe>) =
        all.into_iter().partition(|recipe| recipe.kind.is_inside());
    let in_case = |error: Error| match error {
        Error::Usage(what) => Error::Usage(format!("{}: {what}", function.case.number)),
        error => error,
    };
    for recipe in inside.iter().chain(&on_answer) {
        recipes::check_condition(recipe, function.function()).map_err(in_case)?;
    }
    let answers = [written.is_some(), !does.is_empty(), !inside.is_empty()];
    let name = || function.function().name.replace('_', " ");
    let said = |recipe: &Recipe| as_sentence(recipes::sentence(recipe, function.function(), below));
    if answers.into_iter().filter(|is_changed| *is_changed).count() + on_answer.len() > 1 {
        return Err(Error::Usage(format!(
            "“{}” has an answer twice: change it in one way, and leave the others as they were",
            name()
        )));
    }
    if let Some(recipe) = on_answer.first() {
        if is_own {
            return Err(Error::Usage(format!(
                "“{}” is changed already: take that change back first, or change its script",
                name()
            )));
        }
        let source = head(&recipes::answer_body(recipe).map_err(in_case)?);
        return Ok(Some(with_comment(&source, &said(recipe))));
    }
    if let Some(body) = written {
        return Ok(Some(head(&body)));
    }
    match does {
        "" => {}
        "always" => return Ok(Some(head(&literal(typed("value"))?))),
        "more" => {
            return Ok(Some(head(
                &format!("prior() + {}", whole_number("that is added")?).replace("+ -", "- "),
            )));
        }
        "opposite" => return Ok(Some(head("!prior()"))),
        other => {
            return Err(Error::Usage(format!(
                "an answer can't do `{other}`: write always, more or opposite"
            )));
        }
    }
    let start = format!("in:{}:", function.key);
    let source = &*function.function().body;
    let blanks = blanks(source);
    let texts = changes
        .iter()
        .filter_map(|(name, text)| Some((name.strip_prefix(&start)?.parse().ok()?, text.trim())));
    let plain = |index: &usize| {
        blanks
            .get(*index)
            .filter(|blank| blank.kind != BlankKind::Condition)
            .map(|blank| &source[blank.range.clone()])
    };
    let texts: BTreeMap<usize, &str> = texts
        .filter(|(index, text)| !text.is_empty() && plain(index) != Some(text))
        .collect();
    if texts.is_empty() && inside.is_empty() {
        return Ok(None);
    }
    let mut edits = blank_edits(source, &texts)?;
    let source_edits =
        recipes::source_edits((&function.key, function.function()), &inside, changes);
    edits.extend(source_edits.map_err(in_case)?);
    let sentences: Vec<String> = inside.iter().map(said).collect();
    let source = with_edits(source, edits);
    Ok(Some(match sentences[..] {
        [] => source,
        _ => with_comment(&source, &sentences.join(" ")),
    }))
}

/// Returns the body that was typed for a function; `None` if none was typed, or it equals the present one.
fn written_body(function: &FormFunction, changes: &FormChanges) -> Option<String> {
    let body = changes
        .get(&format!("body:{}", function.key))?
        .replace("\r\n", "\n")
        .trim_end()
        .trim_start_matches('\n')
        .to_string();
    (!body.is_empty() && body != function.plain_body()).then_some(body)
}

/// Writes a typed value as a script has it.
fn literal(text: &str) -> Result<String, Error> {
    match text {
        "" => Err(Error::Usage(
            "write what the answer always is: a number, yes, no, or a word".into(),
        )),
        "yes" | "true" => Ok("true".into()),
        "no" | "false" => Ok("false".into()),
        number if number.parse::<i64>().is_ok() => Ok(number.into()),
        word => Ok(json!(word).to_string()),
    }
}

/// The functions that a variant's file gets, each with its source.
type ChangedFunctions<'f> = Vec<(&'f FormFunction, String)>;

/// Returns the functions that a form changes. A changed helper comes with the answers that use it, a copied answer with its helpers.
fn changed_functions<'f>(
    form: &'f CaseForm,
    below: &Ruleset,
    changes: &FormChanges,
) -> Result<ChangedFunctions<'f>, Error> {
    let mut sources = ChangedFunctions::new();
    for function in &form.functions {
        let source = changed_source(function, form.is_own(function), below, changes)?;
        sources.extend(source.map(|source| (function, source)));
    }
    let uses = |function: &FormFunction| reachable_functions(&function.case, function.index);
    let is_private = |function: &FormFunction| function.function().private;
    let helpers: BTreeSet<&str> = sources
        .iter()
        .filter(|(function, _)| is_private(function))
        .map(|(function, _)| &*function.key)
        .collect();
    for function in form
        .functions
        .iter()
        .filter(|function| !is_private(function) && !form.is_own(function))
    {
        let is_changed =
            |index: &usize| helpers.contains(&*function_key(&function.case.functions[*index]));
        if uses(function).iter().any(is_changed)
            && !sources
                .iter()
                .any(|(changed, _)| changed.key == function.key)
        {
            sources.push((function, function.function().body.to_string()));
        }
    }
    let copied = |function: &FormFunction| {
        changes
            .get(&format!("does:{}", function.key))
            .is_none_or(|does| does.is_empty())
            && !builds_on_answer(&function.key, changes)
    };
    for (function, source) in sources
        .clone()
        .iter()
        .filter(|(function, _)| !form.is_own(function) && copied(function))
    {
        let written = written_body(function, changes).is_some();
        if !function.is_open && !written {
            let name = function.function().name.replace('_', " ");
            return Err(Error::Usage(format!(
                "“{name}” builds on an older answer: say what becomes of its answer, or write the new one"
            )));
        }
        let mut helpers = uses(function).split_off(1);
        if written {
            // Of the helpers of the older answer, only those that the new one calls are copied, with the helpers that these call.
            let is_called =
                |index: &usize| calls_function(source, &function.case.functions[*index].name);
            let reachable = helpers
                .iter()
                .filter(|index| is_called(index))
                .flat_map(|index| reachable_functions(&function.case, *index));
            helpers = reachable.collect::<BTreeSet<usize>>().into_iter().collect();
        }
        for index in helpers {
            let helper = form
                .functions
                .iter()
                .find(|candidate| candidate.key == function_key(&function.case.functions[index]));
            let Some(helper) = helper
                .filter(|helper| !sources.iter().any(|(changed, _)| changed.key == helper.key))
            else {
                continue;
            };
            sources.push((helper, helper.function().body.to_string()));
        }
    }
    Ok(sources)
}

/// Returns the readings that a form changes as entries of a card, each with the chosen way first.
fn changed_readings(form: &CaseForm, changes: &FormChanges) -> Vec<String> {
    let entry = |reading: &Reading| {
        let chosen = changes
            .get(&format!("reading:{}", reading.name))
            .map_or("", |text| text.trim());
        let first = reading
            .ways
            .iter()
            .find(|alternative| **alternative == chosen)?;
        let others = reading.ways.iter().filter(|other| *other != first);
        Some(reading_entry(&Reading {
            name: reading.name.clone(),
            ways: [first].into_iter().chain(others).cloned().collect(),
        }))
    };
    form.layers
        .iter()
        .flat_map(|case| &case.readings)
        .filter_map(entry)
        .collect()
}

/// Returns the text of the variant's file for a case after the changes of a form; `None` if nothing is changed. `option` is the switch that
/// the case stands under from now on.
fn changed_text(
    form: &CaseForm,
    below: &Ruleset,
    changes: &FormChanges,
    option: Option<&str>,
) -> Result<Option<String>, Error> {
    let typed = |name: &str| changes.get(name).map_or("", |text| text.trim());
    let newest = &form.layers[0];
    let (sources, readings) = (
        changed_functions(form, below, changes)?,
        changed_readings(form, changes),
    );
    let (text, back) = (typed("text"), typed("back"));
    if sources.is_empty()
        && text.is_empty()
        && back.is_empty()
        && readings.is_empty()
        && option.is_none()
    {
        return Ok(None);
    }
    let own_case = form.own_case.as_ref();
    let mut out = match own_case {
        Some(own_case) => own_case.file.text.to_string(),
        None => format!(
            "//! case: {}\n//! title: {}\n",
            write_quoted(&newest.number),
            write_scalar(form.title())
        ),
    };
    for (function, source) in &sources {
        put_function(&mut out, function.function(), source, form.is_own(function));
    }
    let is_new = own_case.is_some_and(|own_case| {
        matches!(
            own_case.kind,
            CaseKind::NewCase | CaseKind::Correction | CaseKind::Revision
        )
    });
    if !is_new {
        let answers = function_headers(&out)
            .iter()
            .any(|head| !head.private && !head.name.starts_with("example_"));
        let asks_prior = |source: &str| source.contains("prior()");
        let adds = sources
            .iter()
            .filter(|(function, _)| !function.function().private)
            .all(|(_, source)| asks_prior(source));
        let kind = match (answers, back.is_empty() && readings.is_empty()) {
            (true, _)
                if adds && own_case.is_none_or(|own_case| own_case.kind == CaseKind::Addition) =>
            {
                CaseKind::Addition
            }
            (false, true) => CaseKind::Explanation,
            _ => CaseKind::Correction,
        };
        set_card(&mut out, "kind", kind.as_str());
    }
    if own_case.is_none() {
        set_card(&mut out, "status", Status::House.as_str());
    }
    let mut keep = |key: &str, value: String| {
        if !value.is_empty() {
            set_card(&mut out, key, &value)
        }
    };
    keep("option", option.unwrap_or_default().into());
    keep("reinstates", back.into());
    keep(
        "readings",
        if readings.is_empty() {
            String::new()
        } else {
            format!("{{ {} }}", readings.join(", "))
        },
    );
    keep(
        "text",
        if text.is_empty() {
            String::new()
        } else {
            format!(">\n{}", folded(text))
        },
    );
    // Copied functions carry out the same procedures, and their questions keep their usual answers.
    if own_case.is_none()
        && sources
            .iter()
            .any(|(function, _)| !function.case.procedures.is_empty())
    {
        let procedures: BTreeSet<&String> = sources
            .iter()
            .flat_map(|(function, _)| &function.case.procedures)
            .collect();
        set_card(&mut out, "procedure", &write_inline(&json!(procedures)));
        let script = script_text(&out);
        let asks = |question: &str| question.split('*').all(|part| script.contains(part.trim()));
        let cases = || sources.iter().map(|(function, _)| &function.case);
        let usual: serde_json::Map<String, Value> = cases()
            .flat_map(|case| &case.usual.0)
            .filter(|rule| asks(&rule.question))
            .map(|rule| (rule.question.clone(), json!(rule.answers)))
            .collect();
        let questions: serde_json::Map<String, Value> = cases()
            .flat_map(|case| &case.questions)
            .filter(|words| asks(&words.question))
            .map(|words| (words.question.clone(), words.to_json(asks)))
            .collect();
        for (key, value) in [("usual", usual), ("questions", questions)] {
            if !value.is_empty() {
                set_card(&mut out, key, &write_inline(&value.into()));
            }
        }
    }
    Ok(Some(out))
}

/// Returns words as a sentence: with a capital letter, and a full stop at the end.
/// Returns words as a sentence: with a capital and a full stop.
pub fn as_sentence(words: String) -> String {
    let mut letters = words.trim_end_matches('.').chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// Returns the files that make the changes of a form to a case: the case, and the variant's manifest where it is new, needs another variant,
/// or gets a switch. Fails if nothing is changed.
pub fn changed_files(
    library: &Arc<Library>,
    below: &Ruleset,
    variant: &str,
    number: &str,
    changes: &FormChanges,
) -> Result<Vec<(String, String)>, Error> {
    let form = CaseForm::new(library, below, variant, number)?;
    let key = format!("variants/{variant}/variant.yaml");
    let mut manifest = match library.variants.get(variant) {
        Some(existing) => existing.file.text.to_string(),
        None => scaffold::variant_text(
            &below.game.name,
            (variant, None),
            &library.variants_of(&below.game.name),
        ),
    };
    let before = manifest.clone();
    let mut option = None;
    if let switch @ ("on" | "off") = changes.get("switch").map_or("", String::as_str) {
        let name = form
            .own_case
            .as_ref()
            .and_then(|own_case| own_case.option.clone())
            .unwrap_or_else(|| format!("case-{}", number.replace('.', "-")));
        manifest = set_option(&manifest, &name, &form.layers[0].title, switch)?;
        option = form
            .own_case
            .as_ref()
            .is_none_or(|own_case| own_case.option.is_none())
            .then_some(name);
    }
    let text = changed_text(&form, below, changes, option.as_deref())?;
    // A case that another variant brings can't be amended without it.
    let printed = below.contents.contains_key(number)
        || form
            .layers
            .iter()
            .any(|case| *case.layer == *below.game.name);
    if let (Some(oldest), true) = (
        form.layers
            .last()
            .filter(|oldest| !printed && *oldest.layer != *variant),
        text.is_some(),
    ) {
        for list in ["after", "needs"] {
            manifest = add_name(&manifest, list, &oldest.layer).map_err(Error::Usage)?;
        }
    }
    let mut files = Vec::new();
    let is_switched = manifest != before;
    if !library.variants.contains_key(variant) || is_switched {
        files.push((key, manifest));
    }
    if let Some(text) = text {
        let path = |own_case: &Arc<Case>| own_case.file.key.clone();
        let new = || {
            format!(
                "variants/{variant}/rules/{}/{}.rhai",
                form.layers[0].file.section(),
                form.layers[0].file.stem()
            )
        };
        files.push((form.own_case.as_ref().map_or_else(new, path), text));
    } else if !is_switched {
        return Err(Error::Usage(match missing_function(&form, changes) {
            Some(name) => format!(
                "these rules have no answer “{}” in {number}: another variant has it, or it is misspelt",
                name.replace('_', " ")
            ),
            None => "nothing is changed yet".into(),
        }));
    }
    Ok(files)
}

/// Returns the name of a function that changes name and the case does not have under these rules.
fn missing_function<'c>(form: &CaseForm, changes: &'c FormChanges) -> Option<&'c str> {
    let of_functions = changes
        .keys()
        .filter(|field| !field.starts_with("reading:"));
    let named = of_functions.filter_map(|field| {
        let function = field.split(':').nth(1)?;
        Some(function.split('.').next().unwrap_or(function))
    });
    let is_there = |name: &&str| {
        let mut functions = form.functions.iter();
        functions.any(|function| function.function().name == **name)
    };
    let mut missing = named.filter(|name| !is_there(name));
    missing.next()
}

/// Sets the default of an option of a manifest, and adds the option if there is none of the name.
fn set_option(text: &str, name: &str, title: &str, default: &str) -> Result<String, Error> {
    let (options, option) = (YamlStep::Key("options"), YamlStep::Key(name));
    let new = format!("{{ title: {}, default: {default} }}", write_scalar(title));
    let known = YamlReader::new("", text).parse(text);
    let known = known.as_ref().and_then(|root| root.get("options"));
    let edited = match known.map(|options| (options.entries().is_empty(), options.get(name))) {
        Some((_, Some(_))) => {
            yaml_edit::set(text, &[options, option, YamlStep::Key("default")], default)
        }
        Some((false, None)) => yaml_edit::set(text, &[options, option], &new),
        _ => yaml_edit::set(
            text,
            &[options],
            &format!("{{ {}: {new} }}", write_key(name)),
        ),
    };
    edited.map_err(Error::Usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_and_a_manifest_are_changed_in_place() {
        let mut card = String::from(
            "//! case: \"1.1\"\n//! text: >\n//!   Old words\n//!   and more.\n//! kind: rule\n\nfn f() { 1 }\n",
        );
        set_card(&mut card, "text", ">\n//!   New.");
        set_card(&mut card, "option", "switch");
        assert_eq!(
            card,
            "//! case: \"1.1\"\n//! text: >\n//!   New.\n//! kind: rule\n//! option: switch\n\nfn f() { 1 }\n"
        );
        let manifest = "variant: mine\noptions:\n  frost: { title: \"Cold, wet\", default: on }\n";
        let switched = set_option(manifest, "frost", "", "off").expect("it is there");
        let added = set_option(&switched, "heat", "Heat", "on").expect("it is added");
        assert_eq!(
            added,
            "variant: mine\noptions:\n  frost: { title: \"Cold, wet\", default: off }\n  heat: { title: Heat, default: on }\n"
        );
        // What can't be written where the others stand is refused: they stay.
        let anchored = "variant: mine\noptions: { frost: { title: &cold Cold } }\n";
        assert!(set_option(anchored, "heat", "Heat", "on").is_err());
        let first = set_option("variant: mine\n", "heat", "Heat", "on").expect("it is added");
        assert_eq!(
            first,
            "variant: mine\noptions: { heat: { title: Heat, default: on } }\n"
        );
    }
}
