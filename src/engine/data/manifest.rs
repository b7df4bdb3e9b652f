//! A game manifest, `rules/<game>/game.yaml`: sides, kinds of piece, attributes, places, tracks, procedures, sources.

use crate::complaint::{Complaints, Defect, DiagnosticCode};
use crate::data::answer_rules::{AnswerRules, matches_pattern};
use crate::data::deck::{CardStock, Deck};
use crate::data::draw_style::{DrawStyle, LOOKS, MapScale, NORTH};
use crate::data::files::DataFile;
use crate::data::format::{FieldType, game};
pub use crate::data::places::{AttributeType, DIGITS, PlaceScheme, SheetOffset};
use crate::data::set_up::SetUpLaw;
use crate::data::sheet::SheetFields;
use crate::data::side_colour::SideColour;
pub use crate::data::track::Track;
use crate::data::wording::Wording;
use crate::data::yaml::{YamlNode, YamlReader};
use crate::notation::Band;
use crate::notation::face::NamedDice;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The attributes that the figures printed on a counter stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterFigures {
    /// The attribute of the first figure: 10 of `10-3`.
    pub first: String,
    /// The attribute of the second figure.
    pub second: String,
    /// The flag for brackets around the first: `(5)-1`.
    pub bracketed: Option<String>,
}

/// A game as declared by its manifest.
#[derive(Clone, Debug, Default)]
pub struct Game {
    /// Short name, equal to the folder name.
    pub name: String,
    pub title: String,
    /// Whether this game is the default.
    pub is_default: bool,
    /// Sides, in order.
    pub sides: Vec<String>,
    /// The colours of sides that are stated.
    pub side_colours: BTreeMap<String, SideColour>,
    /// Documents by their `doc:` key.
    pub sources: BTreeMap<String, String>,
    /// Id ranges of the statements of these documents.
    pub statement_ids: Vec<StatementIds>,
    /// Kinds of piece by name.
    pub kinds: BTreeMap<String, PieceKind>,
    /// Attributes of pieces, in order.
    pub attributes: Vec<(String, AttributeType)>,
    /// For attributes whose values are names: the kinds of names (`piece`, `place`, `side`, `kind`, a track, another attribute).
    pub attribute_references: BTreeMap<String, Vec<String>>,
    /// Display wording of piece attributes, if declared.
    pub wordings: BTreeMap<String, Wording>,
    /// Display wording of tracks, if declared, in the order of the manifest.
    pub track_wordings: Vec<(String, Wording)>,
    /// Sheets by their name in scripts; `given` is the input of a situation's procedure.
    pub sheets: BTreeMap<String, SheetFields>,
    /// What the figures printed on a counter are called.
    pub unit_value: Option<CounterFigures>,
    /// Dice with faces of their own.
    pub dice: NamedDice,
    /// Decks of cards, and cups of chits, by name.
    pub decks: BTreeMap<String, Arc<Deck>>,
    /// The stocks of cards in play.
    pub card_stocks: Vec<CardStock>,
    /// Naming scheme and topology of the places.
    pub places: PlaceScheme,
    /// Tracks by name.
    pub tracks: BTreeMap<String, Track>,
    /// Procedures by name, each with a one-line description.
    pub procedures: Vec<(String, String)>,
    /// Sequence of play: phases with their procedures.
    pub sequence: Vec<Phase>,
    /// Procedures that the map view calls.
    pub map_questions: Vec<MapQuestion>,
    pub styles: Vec<PlayStyle>,
    /// Outcomes that end a game, each with the value that ends it.
    pub end_conditions: Vec<(String, String)>,
    /// Outcomes to track from round to round.
    pub followed_outcomes: Vec<String>,
    /// The outcome that names the winner of a game.
    pub winner_outcome: Option<String>,
    /// How far the first side is ahead: a sum of outcomes.
    pub score: Option<String>,
    /// Prefixes by which outcome values are grouped when odds are compared.
    pub outcome_groups: Vec<String>,
    /// Groups of outcomes by title: names of outcomes, kinds and groups of pieces.
    pub outcome_sections: Vec<(String, Vec<String>)>,
    /// What it means that an outcome is not named, each with names of outcomes, kinds and groups of pieces.
    pub unnamed_outcomes: Vec<(String, Vec<String>)>,
    /// What names of scripts are called at the table.
    pub words: BTreeMap<String, String>,
    /// Units of the values of outcomes.
    pub outcome_units: BTreeMap<String, String>,
    /// The situation of the start page.
    pub start: Option<StartSituation>,
    /// Topics that situations are sorted by.
    pub topics: Vec<Topic>,
    /// What the pieces of a situation keep to when it begins.
    pub set_up: Vec<SetUpLaw>,
    /// Variants that extended this manifest.
    pub declaring_variants: String,
    /// Index of each attribute in the list.
    attribute_index: FxHashMap<String, usize>,
    /// All kinds and groups.
    groups: FxHashMap<String, ()>,
}

/// Ids of the statements of a document: `HAR-001-183`.
#[derive(Clone, Debug)]
pub struct StatementIds {
    /// The document.
    pub doc: String,
    /// Common prefix of the ids.
    pub prefix: String,
    /// Lowest and highest number.
    pub numbers: (u32, u32),
}

impl StatementIds {
    fn read(doc: &str, text: &str) -> Option<StatementIds> {
        let (prefix_and_first, last) = text.rsplit_once('-')?;
        let (prefix, first) = prefix_and_first.rsplit_once('-')?;
        let numbers: (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        (numbers.0 <= numbers.1 && !prefix.is_empty()).then(|| StatementIds {
            doc: doc.into(),
            prefix: prefix.into(),
            numbers,
        })
    }
}

#[derive(Clone, Debug, Default)]
pub struct PieceKind {
    /// Name shown in a ruling.
    pub title: String,
    /// Groups of the kind.
    pub groups: Vec<String>,
    /// Shapes on its counter, or colours of the area that it represents.
    pub symbol: Vec<&'static str>,
}

/// Placeholder for the side that is asked, in the outcomes that a style wants high.
pub const ASKED_SIDE: &str = "{side}";
/// Placeholder for the other side.
pub const OTHER_SIDE: &str = "{enemy}";

/// A way to play a side.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlayStyle {
    pub name: String,
    /// How it plays, in one line.
    pub description: String,
    /// What it answers.
    pub answers: AnswerRules,
    /// How it plays the game on after each option.
    pub plays_on: Option<PlayOn>,
}

/// How a style plays the game on after each option of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlayOn {
    /// Policies that answer the rest, in addition to the style itself without looking ahead.
    pub policies: Vec<String>,
    /// The number of games for each option that does well.
    pub games: u64,
    /// The number of rounds after which such a game is broken off; `None` plays it to its end.
    pub rounds: Option<u64>,
    /// Sums of outcomes that count in addition to who wins, the weightiest first; the score of the game comes after them.
    pub scores: Vec<String>,
}

impl PlayOn {
    /// Reads `plays_on:` of a style.
    pub fn read(node: &YamlNode) -> PlayOn {
        let number = |key: &str| node.number_of(key).and_then(|n| u64::try_from(n).ok());
        PlayOn {
            policies: node.texts_of("policies"),
            games: number("games").unwrap_or(8),
            rounds: number("rounds"),
            scores: node.texts_of("score"),
        }
    }
}

/// A query of the map view: a procedure called with a piece, with a piece and a place, or for the whole board.
#[derive(Clone, Debug)]
pub struct MapQuestion {
    /// Title of the query: "where it can go".
    pub name: String,
    /// Procedure that answers it.
    pub procedure: String,
    /// Parameter that receives the piece; `None` if the query is for the whole board.
    pub piece_param: Option<String>,
    /// Parameter that receives the place.
    pub place_param: Option<String>,
    /// Kinds and groups of pieces that the query applies to; empty for all.
    pub applies_to: Vec<String>,
    /// Choices of which it says why a place is not open, with `*` for any text; empty for all.
    pub explains: Vec<String>,
}

impl MapQuestion {
    /// Returns whether the query applies to pieces of a kind.
    pub fn applies_to_kind(&self, kind: &str, game: &Game) -> bool {
        let groups = game
            .kinds
            .get(kind)
            .map(|kind| kind.groups.as_slice())
            .unwrap_or_default();
        self.piece_param.is_some()
            && (self.applies_to.is_empty()
                || self
                    .applies_to
                    .iter()
                    .any(|name| name == kind || groups.contains(name)))
    }

    /// Returns whether the query follows the rules of a choice, so that its refusals are the reasons why a place is not open there.
    pub fn explains_choice(&self, question: &str) -> bool {
        self.explains.is_empty()
            || self
                .explains
                .iter()
                .any(|pattern| matches_pattern(pattern, question))
    }
}

/// A phase of the sequence of play.
#[derive(Clone, Debug)]
pub struct Phase {
    pub name: String,
    /// Track that triggers the phase: it is played once per position of the track and skipped until the track moves.
    pub once_per_track: Option<String>,
    /// Procedures of the phase.
    pub procedures: Vec<String>,
    /// In an addition: the phase to insert it after, or, for an existing phase, the procedure to insert its procedures after.
    pub after: Option<String>,
}

/// A situation to try on the start page, with the figure that a slider changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartSituation {
    /// The name of the situation.
    pub situation: String,
    /// The figure, as `PIECE: ATTRIBUTE`.
    pub figure: String,
    /// The lowest value.
    pub from: i64,
    /// The highest value.
    pub to: i64,
}

/// A topic that situations are sorted by: its procedures, and other words for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    pub title: String,
    pub procedures: Vec<String>,
    /// Other words by which its situations are found.
    pub synonyms: Vec<String>,
}

impl Game {
    /// Parses a manifest.
    pub fn read(file: &DataFile, complaints: &mut Complaints) -> Option<Game> {
        let mut reader = YamlReader::for_file(file);
        let root = reader.parse_file();
        let game = root.map(|root| {
            reader.check(&root, &game::GAME);
            let game = Game::read_with(&root, &mut reader, file);
            reader.check_names(&root, FieldType::Object(&game::GAME), &|kind, text| {
                game.unknown_name(kind, text)
            });
            game
        });
        complaints.0.append(&mut reader.complaints.0);
        game
    }

    fn read_with(root: &YamlNode, reader: &mut YamlReader, file: &DataFile) -> Game {
        let name = file
            .folder()
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_string();
        reader.check_stated_name(root, "game", ("folder", &name, &name));
        let mut game = Game {
            name,
            title: root.text_of("title").into(),
            sides: root.texts_of("sides"),
            ..Game::default()
        };
        for (side, value) in root.named_entries_of("colours") {
            let read = SideColour::parse(value.text_or_empty());
            let taken =
                |colour: &SideColour| game.side_colours.values().any(|other| other == colour);
            let unused = read.and_then(|colour| match taken(&colour) {
                false => Ok(colour),
                true => Err(Defect::new(
                    DiagnosticCode::Notation,
                    "two sides have this colour",
                    "give each its own",
                )),
            });
            match unused {
                Ok(colour) => drop(game.side_colours.insert(side, colour)),
                Err(defect) => reader.report(value.span, defect),
            }
        }
        game.is_default = root.is_set("main");
        for (doc, value) in root.named_entries_of("sources") {
            for item in value.items_of("ids") {
                let text = item.text_or_empty();
                match StatementIds::read(&doc, text) {
                    Some(ids) => game.statement_ids.push(ids),
                    None => {
                        let message = format!("`{text}` is not a row of ids");
                        let help = "write what they begin with, the first number and the last: ABC-001-180";
                        reader.complain(DiagnosticCode::Notation, item.span, message, help);
                    }
                }
            }
            game.sources.insert(doc, value.text_of("title").into());
        }
        game.read_declarations(root, reader);
        game.unit_value = root.get("unit_value").map(|node| CounterFigures {
            first: node.text_of("first").into(),
            second: node.text_of("second").into(),
            bracketed: node.optional_text_of("bracketed"),
        });
        if let Some(node) = root.get("places") {
            game.places = read_places(node, reader);
        }
        game.read_start(root);
        game.set_up = root.items_of("set_up").iter().map(SetUpLaw::read).collect();
        let question = |(name, value): (String, &YamlNode)| MapQuestion {
            name,
            procedure: value.text_of("procedure").into(),
            piece_param: value.optional_text_of("piece"),
            place_param: value.optional_text_of("place"),
            applies_to: value.texts_of("of"),
            explains: value.texts_of("explains"),
        };
        game.map_questions = root.named_entries_of("board").map(question).collect();
        game.rebuild_index();
        game
    }

    /// Rebuilds the indices of attributes, kinds and groups, and the list of stocks of cards.
    pub fn rebuild_index(&mut self) {
        self.attribute_index = (0..)
            .zip(&self.attributes)
            .map(|(i, (name, _))| (name.clone(), i))
            .collect();
        let groups = self
            .kinds
            .iter()
            .flat_map(|(name, kind)| [name].into_iter().chain(&kind.groups));
        self.groups = groups.map(|name| (name.clone(), ())).collect();
        self.list_card_stocks();
    }

    /// Returns the group of an outcome value, or the value itself if it has no group.
    pub fn group_outcome<'a>(&'a self, value: &'a str) -> &'a str {
        let begins = |word: &&String| {
            value
                .strip_prefix(word.as_str())
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        self.outcome_groups
            .iter()
            .find(begins)
            .map_or(value, String::as_str)
    }

    /// Returns whether a side begins at the upper border of a strip.
    pub fn is_far_side(&self, side: &str) -> bool {
        self.sides.iter().skip(1).any(|far_side| far_side == side)
    }

    /// Returns the index of an attribute in the list.
    pub fn index_of_attribute(&self, name: &str) -> Option<usize> {
        self.attribute_index.get(name).copied()
    }

    /// Returns the attributes of pieces, of places and of the sides of places, in this order.
    pub fn all_attributes(&self) -> impl Iterator<Item = (&str, &AttributeType)> {
        let lists = [
            &self.attributes,
            &self.places.attributes,
            &self.places.side_attributes,
        ];
        lists
            .into_iter()
            .flatten()
            .map(|(name, attribute)| (name.as_str(), attribute))
    }

    /// Returns the declared names of a kind of name.
    pub fn names_of_kind(&self, kind: &str) -> Vec<&str> {
        match kind {
            "side" => self.sides.iter().map(String::as_str).collect(),
            "kind" => self.kinds.keys().map(String::as_str).collect(),
            "place" => self.places.boxes.iter().map(String::as_str).collect(),
            _ => match (
                self.tracks.get(kind),
                self.index_of_attribute(kind)
                    .map(|index| &self.attributes[index].1),
            ) {
                (Some(Track::Names(names)), _) | (_, Some(AttributeType::Word(names, _))) => {
                    names.iter().map(String::as_str).collect()
                }
                _ => Vec::new(),
            },
        }
    }

    /// Returns whether a text is a declared name; `None` if the manifest does not list names of this kind.
    pub fn is_known_name(&self, kind: &str, text: &str) -> Option<bool> {
        match (kind, self.tracks.get(kind)) {
            ("place", _) => self.places.is_hex_grid.then(|| self.places.contains(text)),
            (_, Some(track)) => Some(track.contains(text)),
            _ => Some(self.names_of_kind(kind))
                .filter(|names| !names.is_empty())
                .map(|names| names.contains(&text)),
        }
    }

    /// Returns the title of a kind, or its name if it is not declared.
    pub fn kind_title<'a>(&'a self, kind: &'a str) -> &'a str {
        self.kinds
            .get(kind)
            .map_or(kind, |kind| kind.title.as_str())
    }

    /// Returns the names of all kinds and groups.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str)
    }

    /// Whether an outcome is one that the game is judged by: it ends it, names the winner, or is followed from round to round.
    pub fn is_judged_by(&self, outcome: &str) -> bool {
        let mut ends = self.end_conditions.iter().map(|(name, _)| name);
        let mut judged = self.followed_outcomes.iter().chain(&self.winner_outcome);
        ends.any(|name| name == outcome) || judged.any(|name| name == outcome)
    }

    /// Returns a sum of outcomes with the names of the sides that it is about.
    pub fn for_side(&self, text: &str, side: &str) -> String {
        let mut others = self.sides.iter().filter(|other| *other != side);
        let opponent = others.next().map_or("", String::as_str);
        text.replace(ASKED_SIDE, side).replace(OTHER_SIDE, opponent)
    }

    /// Returns the words specific to this game (kinds, groups, sides, attributes, tracks), which must not occur in the engine.
    pub fn vocabulary(&self) -> Vec<String> {
        let mut words: Vec<String> = self.sides.clone();
        words.extend(
            self.kinds
                .iter()
                .flat_map(|(name, kind)| [name.clone()].into_iter().chain(kind.groups.clone())),
        );
        for (name, attribute) in self.all_attributes() {
            words.push(name.into());
            if let AttributeType::Word(list, _) = attribute {
                words.extend(list.clone());
            }
        }
        words.extend(self.procedures.iter().map(|(name, _)| name.clone()));
        words.extend(self.tracks.keys().chain(self.decks.keys()).cloned());
        words.sort();
        words.dedup();
        words
    }
}

/// Returns the name of the function that implements a procedure.
pub fn function_name(procedure: &str) -> String {
    procedure.replace([' ', '-'], "_")
}

fn read_places(node: &YamlNode, reader: &mut YamlReader) -> PlaceScheme {
    let mut places = PlaceScheme {
        is_hex_grid: node.word_of("notation", &game::NOTATIONS).unwrap_or(false),
        even_columns_lower: node.word_of("lower", &game::LOWER_COLUMNS).unwrap_or(false),
        draw_styles: node
            .named_entries_of("drawn")
            .filter_map(|(name, style)| Some((name, style.word(&DrawStyle::NAMES)?)))
            .collect(),
        looks: node
            .named_entries_of("looks")
            .filter_map(|(name, look)| Some((name, look.word(&LOOKS.map(|word| (word, word)))?)))
            .collect(),
        north: node.word_of("north", &NORTH),
        scale: node.get("scale").map(|scale| MapScale {
            length: scale.number_of("length").unwrap_or(1).max(1),
            title: scale.text_of("title").into(),
        }),
        ..PlaceScheme::default()
    };
    for (sheet, value) in node.named_entries_of("sheets") {
        let number = |key| value.number_of(key).unwrap_or(0);
        let offset = SheetOffset {
            columns: number("dx"),
            rows: [number("even"), number("odd")],
        };
        places.sheet_offsets.insert(sheet.clone(), offset);
        let mut band = |key: &str| {
            let node = value.get(key)?;
            let read = Band::parse(node.as_text()?);
            read.map_err(|error| {
                reader.complain(
                    DiagnosticCode::Notation,
                    node.span,
                    error.to_string(),
                    "write the first and the last: \"1-62\"",
                )
            })
            .ok()
        };
        let bounds = [band("columns"), band("rows")].map(|band| band.unwrap_or(DIGITS));
        places.sheet_bounds.insert(sheet, bounds.into());
    }
    if places.sheet_bounds.is_empty() {
        places.sheet_bounds.insert(String::new(), (DIGITS, DIGITS));
    }
    places.read_boxes_and_attributes(node, reader);
    places
}
