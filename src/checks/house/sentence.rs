//! A change of the rules said as a sentence.

use crate::author::wording::{GameWords, in_words, named};
use crate::house::change::{CellsChange, RuleChange, axis_name};
use crate::house::entry::ListEntry;
use crate::house::value_change::{ABSENT, TRACK, ValueChange, WHERE_IT_IS};
use casebook_engine::complaint::counted;
use casebook_engine::data::change::VALUES_OF;
use casebook_engine::data::library::Library;
use casebook_engine::data::sheet::GIVEN;
use casebook_engine::data::table::Table;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::situation::value_text::join_words;

/// Says a change as a sentence; `below` are the rules that it changes.
fn sentence(change: &RuleChange, library: &Library, below: &Ruleset) -> String {
    let switched = |title: &str, on: bool| format!("{title}: {}", if on { "on" } else { "off" });
    match (change.entry(library, below), change) {
        (Ok(Some(entry)), _) => sentence_of(&entry, library, below),
        (_, RuleChange::Switch { name, on }) => {
            let variant = library.variants.get(name);
            switched(variant.map_or(name, |variant| &variant.title), *on)
        }
        _ => change.to_parameter().1,
    }
}

/// Says each change as a sentence.
pub fn sentences(changes: &[RuleChange], library: &Library, below: &Ruleset) -> Vec<String> {
    let said = |change| sentence(change, library, below);
    changes.iter().map(said).collect()
}

/// Says an entry of a list as a sentence.
pub fn sentence_of(entry: &ListEntry, library: &Library, below: &Ruleset) -> String {
    let get = |key: &str| entry.get(key);
    let words = &below.game.words;
    let now = get("now").unwrap_or_default();
    let value = || ValueChange::of_entry(entry);
    let mut text = match (get("table"), get("case"), get("reading"), get("option")) {
        (Some(table), ..) => cells_in_words(entry, table, below),
        (_, Some(case), ..) => {
            let title = title_of(case, below);
            match place_in_words(entry, words) {
                Some(place) => format!("{title}: {place} {}", does_in_words(entry, words)),
                None => format!("{title}: {now}"),
            }
        }
        (_, _, Some(reading), _) => match reading.rsplit_once('.') {
            Some((case, name)) => {
                let (title, name) = (title_of(case, below), name.replace('-', " "));
                format!("{title}: “{name}” is read as {now}")
            }
            None => format!("{reading}: {now}"),
        },
        (.., Some(option)) => {
            let title = option.split_once('.').and_then(|(variant, name)| {
                let mut options = library.variants.get(variant)?.options.iter();
                Some(&options.find(|option| option.name == name)?.title)
            });
            format!("{}: {now}", title.map_or(option, String::as_str))
        }
        _ => match (place_in_words(entry, words), value()) {
            (Some(place), _) => format!("{place} {}", does_in_words(entry, words)),
            (None, Some((value, was))) => value_in_words(&value, was.as_deref(), below),
            (None, None) => presence_in_words(entry, below).unwrap_or_else(|| entry.to_line()),
        },
    };
    if let Some(when) = get("when") {
        text = format!("{text}, when {}", in_words(when, words));
    }
    match get("why").map(|why| why.trim_end_matches('.')) {
        Some(why) => format!("{text} ({why})"),
        None => text,
    }
}

/// Says that a piece comes or goes.
fn presence_in_words(entry: &ListEntry, below: &Ruleset) -> Option<String> {
    let (piece, list) = (entry.get("piece")?, entry.get(VALUES_OF)?);
    let title = list_title(list, below);
    match (entry.get("was")?, entry.get("now")?) {
        (_, ABSENT) => Some(format!("{title}: {piece} is taken out")),
        (ABSENT, figures) => {
            let figures = figures.trim_matches(['{', '}', ' ']);
            Some(format!("{title}: {piece} is put in ({figures})"))
        }
        _ => None,
    }
}

fn list_title(list: &str, below: &Ruleset) -> String {
    let scenario = below.scenario(list);
    scenario.map_or(list.to_string(), |list| list.title.clone())
}

fn value_in_words(value: &ValueChange, was: Option<&str>, below: &Ruleset) -> String {
    let figure = match &*value.target {
        TRACK | GIVEN => format!("{} is", value.key),
        target if WHERE_IT_IS.contains(&&*value.key) => format!("{target} is {}", value.key),
        target => format!("{} of {target} is", value.key),
    };
    let instead = was.filter(|was| *was != ABSENT);
    let instead = instead.map_or(String::new(), |was| format!(" instead of {was}"));
    let title = list_title(value.of.as_deref().unwrap_or_default(), below);
    let now = value.now.trim_matches(['[', ']']);
    format!("{title}: {figure} {now}{instead}")
}

/// Returns a case by its number and title; the oldest layer says what it is about.
pub fn title_of(number: &str, below: &Ruleset) -> String {
    let case = below.cases.iter().find(|case| case.number == number);
    let title = case.map_or("", |case| &case.title);
    let numbered = number.starts_with(|first: char| first.is_ascii_digit());
    match numbered || title.is_empty() {
        true => format!("{number} {title}").trim_end().into(),
        false => title.into(),
    }
}

/// Says where an entry applies in a case; `None` if it is about the case as a whole.
pub fn place_in_words(entry: &ListEntry, words: &GameWords) -> Option<String> {
    let said = |name: &str| named(name, words);
    let part = || match entry.get("part") {
        Some("each") => ", each of them,".to_string(),
        Some(part) => match part.parse::<usize>() {
            Ok(index) => format!(", the {}. of them,", index + 1),
            Err(_) => format!(", its {},", part.replace('_', " ")),
        },
        None => String::new(),
    };
    let within = || {
        let within = entry.get("in").map(|text| format!(" in `{text}`"));
        within.unwrap_or_default()
    };
    let keys = ["answer", "throw", "look_up", "number", "let", "choice"];
    let (key, name) = keys.iter().find_map(|key| Some((*key, entry.get(key)?)))?;
    Some(match key {
        "answer" => format!("{}{}", said(name), part()),
        "throw" => format!("the throw for {name}"),
        "look_up" => format!("the look-up in {name}"),
        "number" => format!("{name}{}", within()),
        "choice" => format!("the question {name}"),
        _ => said(name),
    })
}

/// Says what an entry does.
fn does_in_words(entry: &ListEntry, words: &GameWords) -> String {
    let rounded = entry.get("rounded").unwrap_or("down");
    let said = entry.operations().filter_map(|(key, values)| {
        let value = values.first()?;
        let by = value.parse::<i64>().unwrap_or(0);
        Some(match key {
            "add" if by < 0 => format!("counts {} less", -by),
            "add" => format!("counts {value} more"),
            "times" if value == "2" => "counts double".into(),
            "times" => format!("counts {value} of it, rounded {rounded}"),
            "at_most" => format!("is at most {value}"),
            "at_least" => format!("is at least {value}"),
            "now" => format!("is {}", in_words(value, words)),
            "dice" => format!("is of {value}"),
            "offer" => format!("has one answer more, {}", value.trim_matches('"')),
            "columns" | "rows" | "sheets" => shift_in_words(key, by),
            _ => return None,
        })
    });
    join_words(said.collect())
}

fn shift_in_words(key: &str, by: i64) -> String {
    let count = counted(by.unsigned_abs() as usize, key.trim_end_matches('s'));
    let way = match (key, by < 0) {
        ("columns", true) => "to the left",
        ("columns", false) => "to the right",
        ("rows", true) => "higher",
        ("rows", false) => "lower",
        (_, true) => "back",
        (_, false) => "on",
    };
    format!("is read {count} {way}")
}

/// Says which cells of a table change, and how.
fn cells_in_words(entry: &ListEntry, id: &str, below: &Ruleset) -> String {
    let table = below.table(id).ok().flatten();
    let Some(table) = table else {
        return format!("{id}: {}", does_in_words(entry, &below.game.words));
    };
    let keys = ["sheet", "column", "row"].into_iter().enumerate();
    let labels = keys.filter_map(|(axis, key)| match entry.values(key) {
        [] => None,
        labels => Some(format!(
            ", {} {}",
            axis_name(&table, axis),
            labels.join(", ")
        )),
    });
    let place = format!("{}{}", table.title, labels.collect::<String>());
    let now = entry.values("now");
    if now.is_empty() {
        return format!("{place} {}", does_in_words(entry, &below.game.words));
    }
    // Of a figure that keeps parts the others are said by their names.
    let figure = |text: &String| match table.keeps_parts(text) {
        true => {
            let parts = table.fields.iter().zip(text.split('/'));
            let parts = parts.filter(|(_, part)| *part != "=");
            join_words(parts.map(|(name, part)| format!("{name} {part}")).collect())
        }
        false => text.clone(),
    };
    let figures = |key: &str| join_words(entry.values(key).iter().map(figure).collect());
    if entry.is_of_all() {
        let [now, was] = ["now", "was"].map(figures);
        return format!("{place}: {now} instead of every {was}");
    }
    if now.iter().any(|text| table.keeps_parts(text)) {
        return format!("{place}: {}", figures("now"));
    }
    let same = |texts: &[String]| texts.iter().all(|text| *text == texts[0]);
    let old = old_texts(entry, &table);
    let was = match &old[..] {
        [first, ..] if now == [first.clone()] && same(&old) => " again".into(),
        [first, ..] if same(&old) => format!(" instead of {first}"),
        [_, _, _, _, ..] | [] => String::new(),
        old => format!(" instead of {}", old.join(", ")),
    };
    format!("{place}: {}{was}", now.join(", "))
}

/// Returns what stands below in the cells that an entry changes.
fn old_texts(entry: &ListEntry, table: &Table) -> Vec<String> {
    let cells = CellsChange::labels_of(entry, table).and_then(|labels| {
        let change = CellsChange {
            table: table.id.clone(),
            labels,
            now: String::new(),
        };
        change.cells(table).ok()
    });
    let text = |cell: &usize| match table.cells[*cell].is_missing() {
        true => "?".to_string(),
        false => table.cells[*cell].text.clone(),
    };
    cells.iter().flatten().map(text).collect()
}
