//! Names within a situation, roster or deployment, looked up: what the manifest says of each attribute, and of what is handed to a procedure.

use crate::complaint::{Complaint, Complaints, Place, Span, did_you_mean};
use crate::data::holds::Holds;
use crate::data::manifest::{Attribute, Game, OR};
use crate::data::piece::{Datum, Entry};
use crate::data::scenario::Scenario;
use crate::data::sheet::{GIVEN, Sheet};
use crate::data::yaml::{Node, Value};
use crate::ruleset::compose::Ruleset;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the names of a list may stand for.
pub struct Known<'a> {
    game: &'a Game,
    /// The pieces of the list.
    pieces: BTreeSet<&'a str>,
    /// These and the pieces of the rosters it uses: what attributes of theirs are called is known.
    all: Vec<&'a Entry>,
    /// The places of its maps; none where places are hexes, which nobody lists.
    places: BTreeSet<&'a str>,
}

impl<'a> Known<'a> {
    /// What a list knows, with the lists it uses.
    pub fn new(scenario: &'a Scenario, used: &'a [Arc<Scenario>], game: &'a Game) -> Known<'a> {
        let lists = || used.iter().map(|list| &**list).chain([scenario]);
        let ends = lists().flat_map(|list| list.sides.keys()).flat_map(|(a, b)| [a, b]);
        let places = lists().flat_map(|list| list.places.keys()).chain(ends).chain(&game.places.boxes).filter(|_| !game.places.hexes);
        Known {
            game,
            pieces: scenario.pieces.iter().map(|entry| entry.name.as_str()).collect(),
            all: lists().flat_map(|list| &list.pieces).collect(),
            places: places.map(String::as_str).collect(),
        }
    }

    /// Whether a text names something of a sort.
    fn named(&self, sort: &str, text: &str) -> bool {
        match sort {
            "piece" => self.pieces.contains(text),
            // A list without a map of its own is laid over one elsewhere.
            "place" if !self.game.places.hexes => self.places.len() <= self.game.places.boxes.len() || self.places.contains(text),
            _ => self.game.knows(sort, text).unwrap_or_else(|| self.values(sort).any(|word| word == text)),
        }
    }

    /// The words that pieces have for an attribute.
    fn values<'s>(&'s self, attribute: &'s str) -> impl Iterator<Item = &'a str> + 's {
        self.all.iter().flat_map(move |entry| match entry.data.get(attribute) {
            Some(Datum::Word(word)) => vec![word.as_str()],
            Some(Datum::Words(words)) => words.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        })
    }

    /// What is wrong with a text that is to name one of some sorts.
    fn wrong(&self, sorts: &[String], text: &str) -> Option<String> {
        if sorts.is_empty() || sorts.iter().any(|sort| self.named(sort, text)) {
            return None;
        }
        let mut known: Vec<&str> = Vec::new();
        for sort in sorts {
            match sort.as_str() {
                "piece" => known.extend(&self.pieces),
                "place" if !self.game.places.hexes => known.extend(&self.places),
                _ => known.extend(self.game.names_of(sort).into_iter().chain(self.values(sort))),
            }
        }
        Some(format!("no {} is called `{text}`{}", sorts.join(" or "), did_you_mean(text, known)))
    }

    /// Complains of names that nothing in the list has.
    pub fn check(&self, scenario: &Scenario, ruleset: &Ruleset, complaints: &mut Complaints) {
        let at = |span: Span| Place::at(&scenario.file.path, &scenario.file.text, span);
        for entry in &scenario.pieces {
            for (key, datum) in &entry.data {
                let place = || entry.place_of(key).map_or_else(|| at(entry.span), |(path, span)| place_of(path, span, ruleset));
                self.datum(key, datum, &entry.name, &place, complaints);
            }
        }
        let map = scenario.root.get("map");
        for part in ["places", "sides"] {
            for (name, features) in map.and_then(|map| map.get(part)).map(Node::entries).unwrap_or_default() {
                for (key, value) in features.entries() {
                    let (Some(key), Some(name)) = (key.text(), name.text()) else { continue };
                    let sorts = self.game.places.names.get(key).map(Vec::as_slice).unwrap_or_default();
                    if let Some(what) = value.text().and_then(|text| self.wrong(sorts, text)) {
                        complaints.push(unknown(at(value.span), what, format!("{key} of {name}"), "the manifest says what it names"));
                    }
                }
            }
        }
        if let (Some(given), Some(sheet)) = (scenario.root.get(GIVEN), self.game.sheets.get(GIVEN)) {
            self.given(given, sheet, &at, complaints);
        }
        self.lacks(scenario, &at, complaints);
        for (key, _) in scenario.root.get("choices").map(Node::entries).unwrap_or_default() {
            let Some((side, _)) = key.text().and_then(|text| text.split_once(':')) else { continue };
            let near = did_you_mean(side, self.game.sides.iter().map(String::as_str));
            // A question may go without its side, and have a colon of its own.
            if !near.is_empty() && !self.game.sides.iter().any(|known| known == side) {
                let what = format!("no side is called `{side}`{near}");
                let help = format!("a choice is named by its side and its question; sides: {}", self.game.sides.join(", "));
                complaints.push(unknown(at(key.span), what, "choices".into(), help));
            }
        }
    }

    /// Complains of what the procedure of a situation can't do without, and the situation leaves out.
    fn lacks(&self, scenario: &Scenario, at: &dyn Fn(Span) -> Place, complaints: &mut Complaints) {
        let Some(procedure) = &scenario.procedure else { return };
        let given = scenario.root.get(GIVEN);
        // Of alternatives, `one or other`, one will do.
        let there = |field: &String| field.split(OR).any(|field| given.and_then(|given| given.get(field)).is_some());
        let lacking: Vec<&String> = self.game.handed.get(procedure).into_iter().flatten().filter(|field| !there(field)).collect();
        let Some(first) = lacking.first() else { return };
        let span = scenario.root.entry(GIVEN).map(|(key, _)| key.span).unwrap_or_else(|| scenario.root.span_of("procedure", procedure));
        let list: Vec<String> = lacking.iter().map(|field| format!("`{}`", field.replace(OR, "` or `"))).collect();
        let what = format!("`{procedure}` is handed {}, which this situation leaves out", list.join(" and "));
        let first = first.split(OR).next().unwrap_or_default();
        let is = |field: &str| self.game.sheets.get(GIVEN).and_then(|sheet| sheet.get(field)).map(|field| field.title.clone());
        let is = is(first).filter(|title| !title.is_empty()).map(|title| format!(" ({title})")).unwrap_or_default();
        let help = format!("write under `given:` what the procedure is to work with: `given: {{ {first}: ... }}`{is}");
        complaints.push(Complaint::new("given", at(span), what).crumbs(scenario.name.as_str()).help(help));
    }

    /// A figure or word of a piece.
    fn datum(&self, key: &str, datum: &Datum, piece: &str, place: &dyn Fn() -> Place, complaints: &mut Complaints) {
        let words = match datum {
            Datum::Word(word) => std::slice::from_ref(word),
            Datum::Words(words) => words,
            _ => return,
        };
        let own = ["place".to_string()];
        let sorts = if key == "at" { &own[..] } else { self.game.names.get(key).map(Vec::as_slice).unwrap_or_default() };
        let default = self.game.attributes.iter().find(|(name, _)| name == key).and_then(|(_, attribute)| match attribute {
            Attribute::Word(_, default) => default.as_ref(),
            _ => None,
        });
        // A place that is none of the game has been complained of where it was read.
        let judged = |word: &&String| default != Some(*word) && !(key == "at" && self.game.places.hexes);
        for what in words.iter().filter(judged).filter_map(|word| self.wrong(sorts, word)) {
            let help = match sorts {
                [sort] if sort == "piece" => format!("`{key}:` names a piece of the same list"),
                _ => format!("`{key}:` names a {}, says the manifest", sorts.join(" or a ")),
            };
            complaints.push(unknown(place(), what, format!("{key} of {piece}"), help));
        }
    }

    /// What is handed to a procedure: its keys, and what stands under them.
    fn given(&self, node: &Node, sheet: &Sheet, at: &dyn Fn(Span) -> Place, complaints: &mut Complaints) {
        for (key, value) in node.entries() {
            let name = key.text().unwrap_or_default();
            let Some(field) = sheet.get(name) else {
                let near = did_you_mean(name, sheet.keys().map(String::as_str));
                let help = format!("what may be given stands in the manifest under `sheets: {GIVEN}:`");
                let complaint = Complaint::new("unknown-key", at(key.span), format!("no procedure is given `{name}`{near}"));
                complaints.push(complaint.help(help));
                continue;
            };
            let mut found = Vec::new();
            let mut judge = |node: &Node, holds: &Holds| {
                let Some(text) = node.text() else { return };
                if !holds.says(text)
                    && let Some(what) = self.wrong(&holds.names, text)
                {
                    found.push((node.span, what));
                } else if !holds.fits(text) {
                    let what = format!("`{text}` can't be given as `{name}`{}", holds.near(text));
                    found.push((node.span, format!("{what}: it is {}", holds.describe())));
                }
            };
            let keys = Holds { names: field.keys.clone(), ..Holds::default() };
            for item in value.items() {
                match &item.value {
                    Value::Map(entries) if !field.keys.is_empty() => {
                        for (key, value) in entries {
                            judge(key, &keys);
                            value.items().iter().for_each(|item| judge(item, &field.holds));
                        }
                    }
                    Value::Map(_) => self.given(item, sheet, at, complaints),
                    _ => judge(item, &field.holds),
                }
            }
            for (span, what) in found {
                let help =
                    if field.title.is_empty() { "look at the names of the situation".into() } else { format!("`{name}`: {}", field.title) };
                complaints.push(unknown(at(span), what, format!("{GIVEN}: {name}"), help));
            }
        }
    }
}

/// What is wrong with what a procedure is handed otherwise than a situation says, wherever that stands.
pub fn handed(node: &Node, scenario: &Scenario, ruleset: &Ruleset, at: &dyn Fn(Span) -> Place) -> Complaints {
    let used: Vec<Arc<Scenario>> = scenario.uses.iter().filter_map(|name| ruleset.scenario(name).ok()).collect();
    let mut complaints = Complaints::default();
    if let Some(sheet) = ruleset.game.sheets.get(GIVEN) {
        Known::new(scenario, &used, &ruleset.game).given(node, sheet, at, &mut complaints);
    }
    complaints
}

fn unknown(place: Place, what: String, crumbs: String, help: impl Into<String>) -> Complaint {
    Complaint::new("unknown-name", place, what).crumbs(crumbs).help(help)
}

/// A place in whichever scenario file an entry comes from.
pub fn place_of(path: &str, span: Span, ruleset: &Ruleset) -> Place {
    let mut files = ruleset.layers.iter().flat_map(|layer| layer.scenarios.values());
    files.find(|file| file.path == path).map_or_else(|| Place::file(path), |file| Place::at(path, &file.text, span))
}
