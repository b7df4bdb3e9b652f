//! Checks names in situations, rosters and deployments, as the manifest declares them for attributes and for inputs of procedures.

use crate::complaint::{
    Complaint, Complaints, DiagnosticCode, Message, Place, Span, did_you_mean, nearest_names,
    unknown_name,
};
use crate::data::constraint::ValueConstraint;
use crate::data::manifest::{AttributeType, Game};
use crate::data::piece::{Datum, PieceEntry};
use crate::data::scenario::Scenario;
use crate::data::sheet::{GIVEN, SheetField, SheetFields};
use crate::data::yaml::{YamlNode, YamlValue};
use crate::ruleset::compose::Ruleset;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Names that a list may refer to.
pub struct KnownNames<'a> {
    game: &'a Game,
    /// Pieces of the list.
    pieces: BTreeSet<&'a str>,
    /// Pieces of the list and of its rosters, whose attribute values are also known names.
    entries: Vec<&'a PieceEntry>,
    /// Places of its maps; empty for a hex grid, where places are not listed.
    places: BTreeSet<&'a str>,
    /// Those among them that only sides name.
    unlisted: BTreeSet<&'a str>,
}

impl<'a> KnownNames<'a> {
    /// Collects the names known to a list and the lists it uses.
    pub fn new(
        scenario: &'a Scenario,
        used: &'a [Arc<Scenario>],
        game: &'a Game,
    ) -> KnownNames<'a> {
        let lists = || used.iter().map(|list| &**list).chain([scenario]);
        let ends = lists()
            .flat_map(|list| list.sides.keys())
            .flat_map(|(a, b)| [a, b]);
        let listed = lists().flat_map(|list| list.places.keys());
        let is_named = |_: &&String| !game.places.is_hex_grid;
        let listed = listed.chain(&game.places.boxes).filter(is_named);
        let mut places: BTreeSet<&str> = listed.map(String::as_str).collect();
        let is_unlisted = |end: &&str| !places.contains(end);
        let ends = ends.filter(is_named).map(String::as_str);
        let unlisted: BTreeSet<&str> = ends.filter(is_unlisted).collect();
        places.extend(&unlisted);
        KnownNames {
            game,
            pieces: scenario
                .pieces
                .iter()
                .map(|entry| entry.name.as_str())
                .collect(),
            entries: lists().flat_map(|list| &list.pieces).collect(),
            places,
            unlisted,
        }
    }

    /// Returns whether a text is a known name of a kind.
    fn is_known(&self, kind: &str, text: &str) -> bool {
        match kind {
            "piece" => self.pieces.contains(text),
            // A list without a map of its own is used with the map of another list.
            "place" if !self.game.places.is_hex_grid => {
                self.places.len() <= self.game.places.boxes.len() || self.places.contains(text)
            }
            _ => self
                .game
                .is_known_name(kind, text)
                .unwrap_or_else(|| self.attribute_words(kind).any(|word| word == text)),
        }
    }

    /// Returns the words that pieces have for an attribute.
    fn attribute_words<'s>(&'s self, attribute: &'s str) -> impl Iterator<Item = &'a str> + 's {
        self.entries
            .iter()
            .flat_map(move |entry| match entry.attributes.get(attribute) {
                Some(Datum::Word(word)) => vec![word.as_str()],
                Some(Datum::Words(words)) => words.iter().map(String::as_str).collect(),
                _ => Vec::new(),
            })
    }

    /// Returns what is wrong with a text that must be a name of one of some kinds.
    fn find_unknown(&self, kinds: &[String], text: &str) -> Option<Message> {
        if kinds.is_empty() || kinds.iter().any(|kind| self.is_known(kind, text)) {
            return None;
        }
        let mut known_names: Vec<&str> = Vec::new();
        for kind in kinds {
            match kind.as_str() {
                "piece" => known_names.extend(&self.pieces),
                "place" if !self.game.places.is_hex_grid => known_names.extend(&self.places),
                _ => known_names.extend(
                    self.game
                        .names_of_kind(kind)
                        .into_iter()
                        .chain(self.attribute_words(kind)),
                ),
            }
        }
        Some(unknown_name(&kinds.join(" or "), text, known_names))
    }

    /// Complains of unknown names in the list.
    pub fn check(&self, scenario: &Scenario, ruleset: &Ruleset, complaints: &mut Complaints) {
        let at = |span: Span| scenario.file.place(span);
        for entry in &scenario.pieces {
            for (key, datum) in &entry.attributes {
                let place = || {
                    entry.location_of(key).map_or_else(
                        || at(entry.span),
                        |(path, span)| place_in_files(path, span, ruleset),
                    )
                };
                self.check_datum(key, datum, &entry.name, &place, complaints);
            }
        }
        self.check_map(scenario, complaints);
        if let Some(procedure) = &scenario.procedure {
            let fields = ruleset.given(procedure);
            let at = |span: Span| scenario.place_of(&[GIVEN], span);
            if let Some(given_node) = scenario.root.get(GIVEN) {
                self.check_given(given_node, &fields, procedure, ruleset, &at, complaints);
            }
            check_required(scenario, &fields, procedure, &at, complaints);
        }
        for (key, _) in scenario.root.entries_of("choices") {
            let Some((side, _)) = key.as_text().and_then(|text| text.split_once(':')) else {
                continue;
            };
            let similar_names = nearest_names(side, self.game.sides.iter().map(String::as_str));
            // A question may omit its side and contain a colon.
            if !similar_names.is_empty() && !self.game.sides.iter().any(|declared| declared == side)
            {
                let message =
                    Message::with_suggestions(format!("no side is called `{side}`"), similar_names);
                let help = format!(
                    "name the choice by its side and its question; the sides are {}",
                    self.game.sides.join(", ")
                );
                complaints.push(unknown_name_complaint(
                    scenario.place_of(&["choices"], key.span),
                    message,
                    "choices".into(),
                    help,
                ));
            }
        }
    }

    /// Complains of unknown names in the map of the list; where it lists nearly all places that sides name, also of one that reads like another.
    pub fn check_map(&self, scenario: &Scenario, complaints: &mut Complaints) {
        let map = scenario.root.get("map");
        for section in ["places", "sides"] {
            for (name, features) in map
                .and_then(|map| map.get(section))
                .map(YamlNode::entries)
                .unwrap_or_default()
            {
                for (key, value) in features.entries() {
                    let (Some(key), Some(name)) = (key.as_text(), name.as_text()) else {
                        continue;
                    };
                    let kinds = self
                        .game
                        .places
                        .attribute_references
                        .get(key)
                        .map(Vec::as_slice)
                        .unwrap_or_default();
                    if let Some(message) = value
                        .as_text()
                        .and_then(|text| self.find_unknown(kinds, text))
                    {
                        complaints.push(unknown_name_complaint(
                            scenario.place_of(&["map", section, name, key], value.span),
                            message,
                            format!("{key} of {name}"),
                            "the manifest says what it names",
                        ));
                    }
                }
            }
        }
        if self.unlisted.len() * 4 > self.places.len() {
            return;
        }
        let listed = || self.places.difference(&self.unlisted).copied();
        let sides = map.and_then(|map| map.get("sides"));
        for (key, _) in sides.map(YamlNode::entries).unwrap_or_default() {
            let ends = key.text_or_empty().split('/');
            for end in ends.filter(|end| self.unlisted.contains(end)) {
                if !nearest_names(end, listed()).is_empty() {
                    complaints.push(unknown_name_complaint(
                        scenario.place_of(&["map", "sides"], key.span),
                        unknown_name("place", end, listed()),
                        "sides of the map".into(),
                        "name places of the map, or list it under `places:` too",
                    ));
                }
            }
        }
    }

    /// Checks an attribute of a piece.
    fn check_datum(
        &self,
        key: &str,
        datum: &Datum,
        piece: &str,
        place: &dyn Fn() -> Place,
        complaints: &mut Complaints,
    ) {
        let words = match datum {
            Datum::Word(word) => std::slice::from_ref(word),
            Datum::Words(words) => words,
            _ => return,
        };
        let own = ["place".to_string()];
        let kinds = if key == "at" {
            &own[..]
        } else {
            self.game
                .attribute_references
                .get(key)
                .map(Vec::as_slice)
                .unwrap_or_default()
        };
        let default = self
            .game
            .attributes
            .iter()
            .find(|(name, _)| name == key)
            .and_then(|(_, attribute)| match attribute {
                AttributeType::Word(_, default) => default.as_ref(),
                _ => None,
            });
        // An invalid hex is reported by the reader.
        let judged = |word: &&String| {
            default != Some(*word) && !(key == "at" && self.game.places.is_hex_grid)
        };
        for message in words
            .iter()
            .filter(judged)
            .filter_map(|word| self.find_unknown(kinds, word))
        {
            let help = match kinds {
                [kind] if kind == "piece" => {
                    format!("name a piece of the same list under `{key}:`")
                }
                _ => format!(
                    "`{key}:` names a {}, says the manifest",
                    kinds.join(" or a ")
                ),
            };
            complaints.push(unknown_name_complaint(
                place(),
                message,
                format!("{key} of {piece}"),
                help,
            ));
        }
    }

    /// Checks what a procedure is given: names and values; `receiver` says who is given it.
    fn check_given(
        &self,
        node: &YamlNode,
        fields: &SheetFields,
        receiver: &str,
        ruleset: &Ruleset,
        at: &dyn Fn(Span) -> Place,
        complaints: &mut Complaints,
    ) {
        for (key, value) in node.entries() {
            let name = key.text_or_empty();
            let Some(field) = fields.get(name) else {
                let message = did_you_mean(
                    format!("`{receiver}` is not given `{name}`"),
                    name,
                    fields.keys().map(String::as_str),
                );
                let field_names = if fields.is_empty() {
                    "nothing".into()
                } else {
                    fields.keys().cloned().collect::<Vec<_>>().join(", ")
                };
                complaints.push(
                    Complaint::new(DiagnosticCode::UnknownKey, at(key.span), message)
                        .with_help(format!("name one of what it is given: {field_names}")),
                );
                continue;
            };
            let mut faults: Vec<(Span, Message)> = Vec::new();
            if !field.or_list && field.is_list != matches!(value.value, YamlValue::List(_)) {
                let expectation = if field.is_list {
                    "a list: write `[..., ...]`"
                } else {
                    "not a list"
                };
                faults.push((value.span, format!("`{name}` is {expectation}").into()));
            }
            for item in value.items() {
                match &item.value {
                    YamlValue::Map(entries) if !field.key_references.is_empty() => {
                        let keys = ValueConstraint {
                            references: field.key_references.clone(),
                            ..ValueConstraint::default()
                        };
                        for (key, value) in entries {
                            faults.extend(self.value_fault(name, key, &keys));
                            faults.extend(value.items().iter().filter_map(|item| {
                                self.value_fault(name, item, &field.constraint)
                            }));
                        }
                    }
                    YamlValue::Map(_) if !field.parts.is_empty() => {
                        self.check_given(item, &field.parts, name, ruleset, at, complaints)
                    }
                    YamlValue::Map(_) if field.same_as.is_some() => {
                        let procedure = field.same_as.as_deref().unwrap_or_default();
                        self.check_given(
                            item,
                            &ruleset.given(procedure),
                            procedure,
                            ruleset,
                            at,
                            complaints,
                        );
                    }
                    YamlValue::Scalar(..) if field.takes_scalars() => {
                        faults.extend(self.value_fault(name, item, &field.constraint))
                    }
                    _ => faults.push((
                        item.span,
                        format!(
                            "this can't be given as `{name}`: it is {}",
                            field.describe()
                        )
                        .into(),
                    )),
                }
            }
            for (span, message) in faults {
                let help = if field.title.is_empty() {
                    "correct the names of the situation".into()
                } else {
                    format!("correct `{name}`: {}", field.title)
                };
                complaints.push(unknown_name_complaint(
                    at(span),
                    message,
                    format!("{GIVEN}: {name}"),
                    help,
                ));
            }
        }
    }

    /// Returns what is wrong with a text that is given under a name.
    fn value_fault(
        &self,
        name: &str,
        node: &YamlNode,
        holds: &ValueConstraint,
    ) -> Option<(Span, Message)> {
        let text = node.as_text()?;
        if holds.is_listed(text) {
            return None;
        }
        if let Some(message) = self.find_unknown(&holds.references, text) {
            return Some((node.span, message));
        }
        (!holds.allows(text)).then(|| {
            let mut message = Message::with_suggestions(
                format!("`{text}` can't be given as `{name}`"),
                holds.suggest(text),
            );
            message.text += &format!(": it is {}", holds.describe());
            (node.span, message)
        })
    }
}

/// Complains of what a procedure can't do without and a situation leaves out.
fn check_required(
    scenario: &Scenario,
    fields: &SheetFields,
    procedure: &str,
    at: &dyn Fn(Span) -> Place,
    complaints: &mut Complaints,
) {
    let given_node = scenario.root.get(GIVEN);
    let is_given = |name: &String| given_node.and_then(|given| given.get(name)).is_some();
    let needed = fields.iter().filter(|(name, field)| {
        !field.optional && !is_given(name) && !field.alternative.iter().any(is_given)
    });
    let missing: Vec<(&String, &SheetField)> = needed.collect();
    let Some((first_name, field)) = missing.first() else {
        return;
    };
    let span = scenario
        .root
        .entry(GIVEN)
        .map(|(key, _)| key.span)
        .unwrap_or_else(|| scenario.root.span_of("procedure", procedure));
    let either = |(name, field): &(&String, &SheetField)| {
        let alternative = field
            .alternative
            .as_ref()
            .map(|alternative| format!(" or `{alternative}`"));
        format!("`{name}`{}", alternative.unwrap_or_default())
    };
    let names: Vec<String> = missing.iter().map(either).collect();
    let message = format!(
        "`{procedure}` needs {}, which this situation leaves out",
        names.join(" and ")
    );
    let is = field.title.trim_end_matches('.');
    let help = format!(
        "write under `given:` what the procedure is to work with: `given: {{ {first_name}: ... }}` ({is})"
    );
    complaints.push(
        Complaint::new(DiagnosticCode::Given, at(span), message)
            .with_context(scenario.name.as_str())
            .with_help(help),
    );
}

/// Checks what a procedure is given in place of what a situation gives it; `at` gives its place.
pub fn check_overridden_given(
    node: &YamlNode,
    scenario: &Scenario,
    procedure: Option<&str>,
    ruleset: &Ruleset,
    at: &dyn Fn(Span) -> Place,
) -> Complaints {
    let used: Vec<Arc<Scenario>> = scenario
        .used_lists
        .iter()
        .filter_map(|name| ruleset.scenario(name).ok())
        .collect();
    let mut complaints = Complaints::default();
    if let Some(procedure) = procedure {
        let known_names = KnownNames::new(scenario, &used, &ruleset.game);
        known_names.check_given(
            node,
            &ruleset.given(procedure),
            procedure,
            ruleset,
            at,
            &mut complaints,
        );
    }
    complaints
}

fn unknown_name_complaint(
    place: Place,
    message: impl Into<Message>,
    context: String,
    help: impl Into<String>,
) -> Complaint {
    Complaint::new(DiagnosticCode::UnknownName, place, message)
        .with_context(context)
        .with_help(help)
}

/// Creates a place in the scenario file of an entry.
pub fn place_in_files(path: &str, span: Span, ruleset: &Ruleset) -> Place {
    let mut files = ruleset
        .layers
        .iter()
        .flat_map(|layer| layer.scenarios.values());
    files.find(|file| file.path == path).map_or_else(
        || Place::whole_file(path),
        |file| Place::from_text(path, &file.text, span),
    )
}
