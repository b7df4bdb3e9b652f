//! What can be changed in a case, each with the line to type.

use crate::house::entry::ListEntry;
use crate::house::sentence::place_in_words;
use casebook_engine::data::change::ANSWER;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruleset::script_sites::{ScriptSite, sites_of};
use casebook_engine::syntax::answer_kind::{AnswerKind, answer_kind};
use casebook_engine::syntax::calls::{FACES, reachable_functions};
use casebook_engine::syntax::parse;
use schemars::JsonSchema;
use serde::Serialize;

/// A place where a case can be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RulePlace {
    /// Where it is, as it is typed.
    pub line: String,
    /// What it is, in words.
    pub words: String,
    /// What may become of it, as it is typed.
    pub example: &'static str,
    /// The names that a condition can use there.
    #[serde(rename = "known")]
    pub names: Vec<String>,
    /// What is there in a ruling of the situation, if one was seen to come there.
    pub here: Option<String>,
    /// Its address in a list of changes.
    #[serde(skip)]
    pub entry: ListEntry,
    /// The index of the case whose script it is in.
    #[serde(skip)]
    pub case: usize,
    /// The number of dice whose faces a condition can use.
    #[serde(skip)]
    pub die_count: usize,
}

/// The key of a change that means all places of its name.
const EVERYWHERE: &str = "all";

/// What may become of a place, by its key.
const EXAMPLES: [(&str, &str); 5] = [
    ("throw", "add -1"),
    ("look_up", "1 left"),
    ("number", "add 1"),
    ("let", "add 1"),
    ("choice", "offer \"another\""),
];

/// Returns the places of the answers in force of a case; none if no case has the number. First what is seen at the table, throws, look-ups and
/// questions, then what is answered, then numbers and variables of the script.
pub fn places_of(ruleset: &Ruleset, number: &str) -> Vec<RulePlace> {
    let (mut places, mut sites): (Vec<RulePlace>, Vec<(String, ScriptSite)>) = Default::default();
    let mut searched = Vec::new();
    for slot in &ruleset.slots {
        let is_script = |case: usize| !ruleset.cases[case].is_list();
        let mut answers = slot.answers.iter();
        let Some(answer) = answers.find(|answer| is_script(answer.case)) else {
            continue;
        };
        let case = &ruleset.cases[answer.case];
        if case.number != number {
            continue;
        }
        let function = &case.functions[answer.function];
        let same = |other: &&casebook_engine::ruleset::compose::Slot| other.name == slot.name;
        let arity = match ruleset.slots.iter().filter(same).count() {
            0 | 1 => None,
            _ => Some(format!("{}/{}", function.name, function.arity())),
        };
        let mut entry = ListEntry::of([("case", number), ("answer", &*function.name)]);
        entry
            .0
            .extend(arity.map(|arity| ("function".to_string(), vec![arity])));
        let mut names = function.params.clone();
        names.push(ANSWER.into());
        let kind = parse::function_body(case, answer.function)
            .ok()
            .and_then(|body| answer_kind(&body));
        let mut new = place(ruleset, (answer.case, entry), example_of(kind), names);
        // What a function answers is said above it.
        let said = function.doc_lines().join(" ");
        let sentence = said
            .split(". ")
            .next()
            .unwrap_or_default()
            .trim_end_matches('.');
        if !sentence.is_empty() {
            new.words = sentence.into();
        }
        places.push(new);
        for index in reachable_functions(case, answer.function) {
            if searched.contains(&(answer.case, index)) {
                continue;
            }
            searched.push((answer.case, index));
            let function = &case.functions[index];
            let name = format!("{}/{}", function.name, function.arity());
            let found = sites_of(case, (answer.case, index)).into_iter();
            sites.extend(found.map(|site| (name.clone(), site)));
        }
    }
    for (function, site) in &sites {
        let same = |(_, other): &&(String, ScriptSite)| {
            other.key() == site.key() && other.name == site.name
        };
        let mut entry = ListEntry::of([("case", number), (site.key(), &*site.name)]);
        if sites.iter().filter(same).count() > 1 {
            let in_it = |(other, _): &&(String, ScriptSite)| other == function;
            entry.0.push(("function".into(), vec![function.clone()]));
            if sites.iter().filter(same).filter(in_it).count() > 1 {
                // Numbers are told apart by what is around them.
                if site.key() == "number" {
                    continue;
                }
                entry.0.push((EVERYWHERE.into(), vec!["true".into()]));
            }
        }
        let mut names = site.scope.clone();
        names.push(ANSWER.into());
        let die_count = site.total_of.map_or(0, |(_, count)| count);
        names.extend((die_count > 0).then(|| FACES.into()));
        let example = EXAMPLES.iter().find(|(key, _)| *key == site.key());
        let of_site = (site.function.0, entry);
        let example = example.map_or("add 1", |(_, does)| does);
        let new = RulePlace {
            die_count,
            ..place(ruleset, of_site, example, names)
        };
        if places.iter().all(|other| other.line != new.line) {
            places.push(new);
        }
    }
    let rank = |place: &RulePlace| {
        let is_of = |keys: &[&str]| {
            keys.iter()
                .any(|key| place.line.contains(&format!(" {key}: ")))
        };
        match place.line.as_str() {
            _ if is_of(&["throw", "look_up", "choice"]) => 0,
            _ if is_of(&["answer"]) => 1,
            _ => 2,
        }
    };
    places.sort_by_key(rank);
    places
}

fn place(
    ruleset: &Ruleset,
    (case, entry): (usize, ListEntry),
    example: &'static str,
    names: Vec<String>,
) -> RulePlace {
    let words = place_in_words(&entry, &ruleset.game.words).unwrap_or_default();
    let mut typed = entry.clone();
    typed.0.push(("add".into(), vec!["1".into()]));
    RulePlace {
        words,
        line: typed.to_line().trim_end_matches(" = add 1").into(),
        entry,
        case,
        example,
        names,
        here: None,
        die_count: 0,
    }
}

fn example_of(kind: Option<AnswerKind>) -> &'static str {
    match kind {
        Some(AnswerKind::YesNo) => "no",
        Some(AnswerKind::List) => "[]",
        Some(AnswerKind::Number) => "add 1",
        None => "…",
    }
}

/// Returns a change that these rules take, as it is typed; `None` if they have no case with anything to change.
pub fn example_of_change(ruleset: &Ruleset) -> Option<String> {
    let mut cases = ruleset.cases.iter();
    let place = cases.find_map(|case| places_of(ruleset, &case.number).into_iter().next())?;
    Some(format!("{} = {}", place.line, place.example))
}
