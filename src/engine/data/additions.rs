//! Merges the declarations of a variant into its game's manifest: kinds, attributes, places, sheets, tracks, procedures, phases, outcomes.

use crate::complaint::{Defect, unknown_name};
use crate::data::answer_rules::AnswerRules;
use crate::data::format::game;
use crate::data::manifest::{Game, Phase, PieceKind, PlayOn, PlayStyle, Track};
use crate::data::places::attributes;
use crate::data::sheet;
use crate::data::wording::{Worded, Wording};
use crate::data::yaml::{YamlNode, YamlReader};
use crate::notation::Face;
use crate::notation::face::DieFaces;
use std::sync::Arc;

impl Game {
    /// Reads the declarations that a variant may extend: kinds, attributes, sheets, tracks, procedures, outcomes.
    pub fn read_declarations(&mut self, root: &YamlNode, reader: &mut YamlReader) {
        self.outcome_groups = root.texts_of("together");
        self.followed_outcomes = root.texts_of("follow");
        self.winner_outcome = root.optional_text_of("won_by");
        self.score = root.optional_text_of("score");
        self.outcome_sections = root.named_lists_of("groups").collect();
        self.unnamed_outcomes = root.named_lists_of("unnamed").collect();
        self.words = root.named_texts_of("words").collect();
        self.outcome_units = root.named_texts_of("units").collect();
        let symbols = game::SYMBOLS.map(|word| (word, word));
        for (name, value) in root.named_entries_of("kinds") {
            let title = value
                .optional_text_of("title")
                .unwrap_or_else(|| name.clone());
            let symbol = value
                .items_of("symbol")
                .iter()
                .filter_map(|shape| shape.word(&symbols))
                .collect();
            self.kinds.insert(
                name,
                PieceKind {
                    title,
                    groups: value.texts_of("is"),
                    symbol,
                },
            );
        }
        for (key, value) in root.entries_of("dice") {
            let name = key.text_or_empty();
            let faces: Vec<Face> = value.items().iter().filter_map(YamlNode::face).collect();
            match DieFaces::new(name, faces) {
                Ok(die) => drop(self.dice.insert(name.into(), Arc::new(die))),
                Err(defect) => reader.report(value.span, defect),
            }
        }
        self.read_decks(root, reader);
        let references_and_wordings = (&mut self.attribute_references, &mut self.wordings);
        self.attributes = root
            .get("attributes")
            .map(|n| attributes(n, references_and_wordings, reader))
            .unwrap_or_default();
        self.sheets = root
            .get("sheets")
            .map(|n| sheet::read_sheets(n, reader))
            .unwrap_or_default();
        for (key, value) in root.entries_of("tracks") {
            if let Some(wording) = Wording::read(value, Worded::Number, reader) {
                self.track_wordings
                    .push((key.text_or_empty().into(), wording));
            }
            if let Some(track) = Track::read(value, reader) {
                self.tracks.insert(key.text_or_empty().into(), track);
            }
        }
        self.procedures = root.named_texts_of("procedures").collect();
        self.styles = root
            .named_entries_of("styles")
            .map(|(name, value)| PlayStyle {
                name,
                description: value.text_of("what").into(),
                answers: AnswerRules::read(value.get("answers")),
                plays_on: value.get("plays_on").map(PlayOn::read),
            })
            .collect();
        self.end_conditions = root.named_texts_of("ends_when").collect();
        self.sequence = root
            .items_of("sequence")
            .iter()
            .map(|item| Phase {
                name: item.text_of("phase").into(),
                once_per_track: item.optional_text_of("once_a"),
                procedures: item.texts_of("procedures"),
                after: item.optional_text_of("after"),
            })
            .collect();
    }

    /// Merges one added phase into the sequence of play.
    fn add_phase(&mut self, added: &Phase) {
        let insert_index = |name: &Option<String>, existing: &[String]| {
            let predecessor = name
                .as_ref()
                .and_then(|name| existing.iter().position(|candidate| candidate == name));
            predecessor.map_or(existing.len(), |index| index + 1)
        };
        if let Some(phase) = self
            .sequence
            .iter_mut()
            .find(|phase| phase.name == added.name)
        {
            let index = insert_index(&added.after, &phase.procedures);
            phase
                .procedures
                .splice(index..index, added.procedures.iter().cloned());
            return;
        }
        let names: Vec<String> = self
            .sequence
            .iter()
            .map(|phase| phase.name.clone())
            .collect();
        self.sequence.insert(
            insert_index(&added.after, &names),
            Phase {
                after: None,
                ..added.clone()
            },
        );
    }

    /// Returns the names that phases and procedures of `additions` come after and that nothing has, each with what is wrong.
    pub fn unknown_in_phases(&self, additions: &Game) -> Vec<(String, Defect)> {
        let (mut unknown, mut sequence) = (Vec::new(), Game::default());
        sequence.sequence.clone_from(&self.sequence);
        for phase in &additions.sequence {
            let existing = sequence
                .sequence
                .iter()
                .find(|earlier| earlier.name == phase.name);
            let (kind, names) = match existing {
                Some(existing) => ("procedure of this phase", existing.procedures.clone()),
                None => (
                    "phase",
                    sequence
                        .sequence
                        .iter()
                        .map(|earlier| earlier.name.clone())
                        .collect(),
                ),
            };
            if let Some(after) = phase.after.as_ref().filter(|after| !names.contains(after)) {
                let message = unknown_name(kind, after, names.iter().map(String::as_str));
                let help = format!("known: {}", names.join(", "));
                unknown.push((after.clone(), Defect::unknown_name(message, help)));
            }
            sequence.add_phase(phase);
        }
        unknown
    }

    /// Merges the declarations of the variant `by`: new names, and new fields of existing sheets.
    pub fn add_declarations(&mut self, by: &str, additions: &Game) {
        for (name, sheet) in &additions.sheets {
            self.sheets
                .entry(name.clone())
                .or_default()
                .extend(sheet.clone());
        }
        self.kinds.extend(additions.kinds.clone());
        self.attributes.extend(
            additions
                .attributes
                .iter()
                .filter(|(name, _)| self.index_of_attribute(name).is_none())
                .cloned()
                .collect::<Vec<_>>(),
        );
        self.attribute_references
            .extend(additions.attribute_references.clone());
        self.wordings.extend(additions.wordings.clone());
        self.track_wordings.extend(additions.track_wordings.clone());
        self.tracks.extend(additions.tracks.clone());
        self.places.boxes.extend(additions.places.boxes.clone());
        self.places
            .out_of_play
            .extend(additions.places.out_of_play.clone());
        for (list, added) in [
            (&mut self.places.attributes, &additions.places.attributes),
            (
                &mut self.places.side_attributes,
                &additions.places.side_attributes,
            ),
        ] {
            let new_entries = added
                .iter()
                .filter(|(name, _)| !list.iter().any(|(existing, _)| existing == name))
                .cloned()
                .collect::<Vec<_>>();
            list.extend(new_entries);
        }
        self.places
            .attribute_references
            .extend(additions.places.attribute_references.clone());
        self.places
            .wordings
            .extend(additions.places.wordings.clone());
        additions
            .sequence
            .iter()
            .for_each(|phase| self.add_phase(phase));
        let is_new = |(name, _): &&(String, String)| {
            !self.procedures.iter().any(|(existing, _)| existing == name)
        };
        self.procedures.extend(
            additions
                .procedures
                .iter()
                .filter(is_new)
                .cloned()
                .collect::<Vec<_>>(),
        );
        self.outcome_groups.extend(additions.outcome_groups.clone());
        for (title, members) in &additions.outcome_sections {
            match self
                .outcome_sections
                .iter_mut()
                .find(|(section, _)| section == title)
            {
                Some((_, section)) => section.extend(members.clone()),
                None => self.outcome_sections.push((title.clone(), members.clone())),
            }
        }
        self.dice.extend(additions.dice.clone());
        self.decks.extend(additions.decks.clone());
        self.unnamed_outcomes
            .splice(0..0, additions.unnamed_outcomes.clone());
        self.words.extend(additions.words.clone());
        self.outcome_units.extend(additions.outcome_units.clone());
        self.followed_outcomes
            .extend(additions.followed_outcomes.clone());
        self.end_conditions.extend(additions.end_conditions.clone());
        if additions.has_declarations() {
            self.declaring_variants.push_str(by);
            self.declaring_variants.push(' ');
        }
        self.rebuild_index();
    }

    /// Returns the names that a variant may declare in addition to those of its game, each list with the key that declares it.
    fn own_names(&self) -> [(&'static str, Vec<&String>); 8] {
        fn names<V>(list: &[(String, V)]) -> Vec<&String> {
            list.iter().map(|(name, _)| name).collect()
        }
        [
            ("kinds", self.kinds.keys().collect()),
            ("dice", self.dice.keys().collect()),
            ("decks", self.decks.keys().collect()),
            ("places", names(&self.places.attributes)),
            ("places", names(&self.places.side_attributes)),
            ("attributes", names(&self.attributes)),
            ("tracks", self.tracks.keys().collect()),
            ("procedures", names(&self.procedures)),
        ]
    }

    /// Returns whether the manifest declares anything besides sheets.
    fn has_declarations(&self) -> bool {
        let mut lists = self.own_names().into_iter();
        !self.places.boxes.is_empty() || lists.any(|(_, names)| !names.is_empty())
    }

    /// Returns the names that both manifests declare, each with the key that declares it.
    pub fn duplicate_names(&self, additions: &Game) -> Vec<(&'static str, String)> {
        let lists = self.own_names().into_iter().zip(additions.own_names());
        let duplicates = lists.flat_map(|((key, declared), (_, added))| {
            let shared = added
                .into_iter()
                .filter(move |name| declared.contains(name));
            shared.map(move |name| (key, name.clone()))
        });
        duplicates.collect()
    }
}
