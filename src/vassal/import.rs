//! Makes a situation of a saved game.

use crate::counter::{is_hidden, is_masked, layers, piece_name, property, shown_name, unread};
use crate::import_note::{ImportNote, NameCounts, grouped, shortened, times};
use crate::mapping::{IGNORED, MappedPiece, ModuleMapping, PieceKeys, json};
use crate::module::VassalModule;
use crate::piece_table::SavedPiece;
use crate::saved_game::SavedGame;
use crate::sequence::SequenceReader;
use crate::traits::PieceTrait;
use casebook_analysis::usecase::rulesets::spec_of_situation;
use casebook_engine::complaint::{Complaint, Complaints, Error};
use casebook_engine::data::declared_names::PLAIN_FIGURES;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::{CounterFigures, Game};
use casebook_engine::data::piece::{Datum, PieceEntry};
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::status::Status;
use casebook_engine::data::yaml::YamlNode;
use casebook_engine::data::yaml_writer::write_file;
use casebook_engine::notation::UnitValue;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruleset::diagnostics::build_ruleset;
use casebook_engine::ruleset::spec::RulesetChoices;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// With more names that are not mapped, they are listed in groups.
const MAX_SINGLE_NAMES: usize = 12;

/// A situation made of a saved game.
#[derive(Debug)]
pub struct ImportedGame {
    pub game: String,
    pub name: String,
    /// The file.
    pub yaml: String,
    /// The pieces with their places.
    pub piece_count: usize,
    /// What the reader should know: what was left out, what stays hidden.
    pub notes: Vec<ImportNote>,
    /// The counters by the names of the pieces that they stand for: identifier and place.
    pub counters: BTreeMap<String, (String, String)>,
}

/// A saved game with what is needed to understand it.
pub struct GameImport<'a> {
    pub saved: &'a SavedGame,
    pub module: &'a VassalModule,
    /// The module map.
    pub mapping: &'a ModuleMapping,
    /// Who looks at it: an owner of hidden pieces; empty for a stranger.
    pub viewer: &'a str,
}

/// Loads the situation that a module map names, under the variants that it names itself.
pub fn like_situation(
    library: &Arc<Library>,
    game: &str,
    like: &str,
) -> Result<(Ruleset, Arc<Scenario>), Error> {
    library.game(game)?;
    let variant = library
        .scenarios(game)
        .into_iter()
        .find(|(name, _)| name == like)
        .and_then(|(_, variant)| variant);
    let spec = spec_of_situation(
        library,
        &RulesetChoices::default(),
        game,
        like,
        variant.as_deref(),
    );
    let (ruleset, _) = build_ruleset(library, &spec)?;
    let scenario = ruleset.scenario(like)?;
    Ok((ruleset, scenario))
}

/// Returns the names of the pieces in the rosters of a situation.
pub fn roster_names(ruleset: &Ruleset, scenario: &Scenario) -> BTreeSet<String> {
    let lists = scenario
        .used_lists
        .iter()
        .filter_map(|name| ruleset.scenario(name).ok());
    lists
        .flat_map(|list| {
            list.pieces
                .iter()
                .map(|piece| piece.name.clone())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Begins the marker of a counter that a ruling has brought into play: the keys that its piece has, as JSON.
pub const OWN_FIGURES: &str = "mark;Casebook";

/// A counter that becomes a piece.
struct FoundPiece {
    name: String,
    place: String,
    keys: PieceKeys,
    id: String,
}

/// The pieces of a saved game that become pieces of the situation, and those that don't.
#[derive(Default)]
struct SortedPieces {
    pieces: Vec<FoundPiece>,
    unknown: NameCounts,
    /// Counters that are mapped to a piece that the game does not have, with its name.
    unknown_pieces: BTreeMap<String, (String, usize)>,
    unknown_places: BTreeMap<String, (String, usize)>,
    left_out: NameCounts,
    off_board: NameCounts,
    hidden: usize,
    masked: NameCounts,
    unread: NameCounts,
    missing_properties: NameCounts,
}

impl GameImport<'_> {
    /// Makes the situation. A piece or place that the module map does not name is an error.
    pub fn run(&self, library: &Arc<Library>, name: &str) -> Result<ImportedGame, Error> {
        let names = [
            (&self.saved.module, "the saved game"),
            (&self.module.name, "the module given"),
        ];
        let wrong = names
            .iter()
            .find(|(name, _)| !name.is_empty() && **name != self.mapping.module);
        if let Some((name, source)) = wrong {
            let message = format!(
                "this is a map of `{}`; {source} is of `{name}`",
                self.mapping.module
            );
            let help = "give the files of one module with --module and --map";
            return Err(Complaint {
                subject: Some(name.to_string()),
                ..self.mapping.complaint("", message, help)
            }
            .into());
        }
        let (ruleset, like) = like_situation(library, &self.mapping.game, &self.mapping.like)?;
        let game = &ruleset.game;
        let own_pieces: BTreeMap<&str, &PieceEntry> = like
            .pieces
            .iter()
            .map(|piece| (piece.name.as_str(), piece))
            .collect();
        let rosters = roster_names(&ruleset, &like);
        let mut sorted = SortedPieces::default();
        for piece in self.saved.pieces() {
            self.sort_piece(piece, (&like, game), &own_pieces, &rosters, &mut sorted);
        }
        let complaints = self.complaints(&sorted);
        if complaints.has_errors() {
            return Err(Error::Data(complaints));
        }
        let mut notes = self.notes(&sorted);
        let mut counters = BTreeMap::new();
        let pieces = self.place_pieces(sorted.pieces, &like, game, &mut notes, &mut counters);
        Ok(ImportedGame {
            counters,
            game: self.mapping.game.clone(),
            name: name.into(),
            piece_count: pieces.len(),
            yaml: self.situation_yaml(name, &like, pieces),
            notes,
        })
    }

    fn sort_piece(
        &self,
        piece: &SavedPiece,
        (like, game): (&Scenario, &Game),
        own_pieces: &BTreeMap<&str, &PieceEntry>,
        rosters: &BTreeSet<String>,
        sorted: &mut SortedPieces,
    ) {
        let map = self.module.map(&piece.at.0);
        let counts = |map: &str| {
            self.mapping.maps.is_empty() || self.mapping.maps.iter().any(|name| name == map)
        };
        let Some(map) = map.filter(|map| counts(&map.name)) else {
            *sorted.off_board.entry(piece.at.0.clone()).or_default() += 1;
            return;
        };
        let board_positions = self
            .saved
            .boards
            .get(&map.name)
            .or_else(|| self.saved.boards.get(&map.id));
        let place = map.place_name(piece.at.1, board_positions.map(Vec::as_slice));
        // Hidden pieces must not be named, not even as unknown ones.
        let private =
            !map.owners.is_empty() && !map.owners.iter().any(|owner| owner == self.viewer);
        if private || is_hidden(&piece.traits, self.viewer) {
            sorted.hidden += 1;
            return;
        }
        if is_masked(&piece.traits, self.viewer) || self.saved.is_face_down(piece) {
            *sorted.masked.entry(place.unwrap_or_default()).or_default() += 1;
            return;
        }
        let (mut name, name_shown) = (piece_name(&piece.traits), shown_name(&piece.traits));
        if self.mapping.pieces.contains_key(&name_shown) || !self.mapping.pieces.contains_key(&name)
        {
            name = name_shown;
        }
        let brought_in = MappedPiece::named(&name, own_figures(&piece.traits, game));
        let entry = match self.mapping.pieces.get(&name) {
            Some(entry) => entry,
            None if !brought_in.keys.is_empty() => &brought_in,
            None if self.mapping.ignores_others => {
                return *sorted.left_out.entry(name).or_default() += 1;
            }
            None => return *sorted.unknown.entry(name).or_default() += 1,
        };
        let mut keys = own_pieces
            .get(entry.name.as_str())
            .map(|piece| piece_keys(piece, like, game))
            .unwrap_or_default();
        keys.shift_remove("at");
        let mut seen_keys = entry.keys.clone();
        for layer in layers(&piece.traits) {
            let level = layer.level.map_or("off".into(), |level| level.to_string());
            seen_keys.extend(
                entry
                    .layers
                    .get(&layer.name)
                    .and_then(|levels| levels.get(&level))
                    .cloned()
                    .unwrap_or_default(),
            );
        }
        for (attribute, property_name) in &entry.figures {
            match property(&piece.traits, property_name).filter(|text| !text.is_empty()) {
                Some(text) => drop(seen_keys.insert(attribute.clone(), typed(&text))),
                None => {
                    *sorted
                        .missing_properties
                        .entry(format!("`{property_name}` of {name}"))
                        .or_default() += 1
                }
            }
        }
        leave_printed(&keys, &mut seen_keys, game);
        mark_as_set(
            &mut keys,
            seen_keys
                .keys()
                .cloned()
                .chain(["at".into(), "on".into()])
                .collect(),
            game,
        );
        join_unit_value(&keys, &mut seen_keys, game);
        keys.extend(seen_keys);
        if entry.ignored || keys.shift_remove(IGNORED) == Some(true.into()) {
            return;
        }
        if !keys.contains_key("kind")
            && !own_pieces.contains_key(entry.name.as_str())
            && !rosters.contains(&entry.name)
        {
            return sorted
                .unknown_pieces
                .entry(name)
                .or_insert((entry.name.clone(), 0))
                .1 += 1;
        }
        // A deck can be a place of its own: a pool, a box of reinforcements.
        let deck = self.saved.deck_name(piece);
        let known_deck = deck.clone().filter(|deck| self.mapping.names_place(deck));
        let Some(place) = known_deck.or(place).or(deck) else {
            return *sorted
                .off_board
                .entry(format!("{name} on {}", map.name))
                .or_default() += 1;
        };
        unread(&piece.traits)
            .into_iter()
            .for_each(|name| *sorted.unread.entry(name).or_default() += 1);
        match self.mapping.place_name(&place) {
            left_out if left_out.is_empty() => *sorted.off_board.entry(place).or_default() += 1,
            place_in_game if game.places.contains(&place_in_game) => {
                sorted.pieces.push(FoundPiece {
                    name: entry.name.clone(),
                    place: place_in_game,
                    keys,
                    id: piece.id.clone(),
                })
            }
            unknown => sorted.unknown_places.entry(place).or_insert((unknown, 0)).1 += 1,
        }
    }

    /// Complains of what the module map does not say.
    fn complaints(&self, sorted: &SortedPieces) -> Complaints {
        let mut complaints = Complaints::default();
        let mut add = |complaint: Complaint, subject: &str| {
            complaints.push(Complaint {
                subject: Some(subject.into()),
                ..complaint
            })
        };
        if sorted.unknown.len() > MAX_SINGLE_NAMES {
            let names = sorted.unknown.keys().map(String::as_str);
            let message = format!(
                "pieces of {} names are not mapped: {}",
                sorted.unknown.len(),
                grouped(names)
            );
            let help = "name them under `pieces:`, as `casebook new map` writes them; `others: ignored` leaves out all that are not named";
            add(self.mapping.complaint("", message, help), "pieces");
        }
        for (name, count) in sorted
            .unknown
            .iter()
            .filter(|_| sorted.unknown.len() <= MAX_SINGLE_NAMES)
        {
            let message = format!(
                "the piece `{}` is not mapped{}",
                shortened(name),
                times(*count)
            );
            let help = "say under `pieces:` which piece of the game it is, or `ignored: true`; `others: ignored` leaves out all such pieces";
            add(self.mapping.complaint(name, message, help), name);
        }
        for (counter, (name, count)) in &sorted.unknown_pieces {
            let (counter_shown, name_shown) = (shortened(counter), shortened(name));
            let message = format!(
                "the piece `{counter_shown}` is mapped to `{name_shown}`{}; the game has no such piece",
                times(*count)
            );
            let help = "correct the name, or add the `kind:` and `side:` of the piece";
            add(self.mapping.complaint(counter, message, help), counter);
        }
        for (place, (name, count)) in &sorted.unknown_places {
            let message = format!(
                "pieces are at `{}`{}; the game has no place `{}`",
                shortened(place),
                times(*count),
                shortened(name)
            );
            let help = "say under `places:` how the game calls it: before: C, or names: { \"0101\": A0101 }; an empty name leaves its pieces out";
            add(self.mapping.complaint("", message, help), place);
        }
        complaints
    }

    fn notes(&self, sorted: &SortedPieces) -> Vec<ImportNote> {
        let mut notes = Vec::new();
        if !self.saved.version.is_empty() && self.saved.version != self.module.version {
            notes.push(ImportNote::OtherVersion(
                self.saved.version.clone(),
                self.module.version.clone(),
            ));
        }
        if self.saved.steps > 0 {
            notes.push(ImportNote::AfterStep(self.saved.at_step, self.saved.steps));
        }
        if sorted.pieces.is_empty() {
            notes.push(ImportNote::EmptyBoard);
        }
        let missing_images: Vec<String> = self.module.missing_images().map(String::from).collect();
        if !missing_images.is_empty() {
            notes.push(ImportNote::MissingImages(missing_images));
        }
        if sorted.hidden > 0 {
            notes.push(ImportNote::Hidden(sorted.hidden));
        }
        let unread_parts = self
            .saved
            .unread
            .iter()
            .map(|(name, count)| (name.to_string(), *count))
            .collect();
        let mut add = |note: fn(NameCounts) -> ImportNote, counts: &NameCounts| {
            notes.extend((!counts.is_empty()).then(|| note(counts.clone())));
        };
        add(ImportNote::Masked, &sorted.masked);
        add(ImportNote::LeftOut, &sorted.left_out);
        add(ImportNote::OffBoard, &sorted.off_board);
        add(ImportNote::MissingProperties, &sorted.missing_properties);
        add(ImportNote::UnreadTraits, &sorted.unread);
        add(ImportNote::UnreadParts, &unread_parts);
        notes
    }

    /// Gives each piece a name of its own, and its place or carrier.
    fn place_pieces(
        &self,
        found_pieces: Vec<FoundPiece>,
        like: &Scenario,
        game: &Game,
        notes: &mut Vec<ImportNote>,
        counters: &mut BTreeMap<String, (String, String)>,
    ) -> Vec<Value> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut places: BTreeMap<String, String> = BTreeMap::new();
        let mut named = Vec::new();
        for FoundPiece {
            name,
            place,
            keys,
            id,
        } in found_pieces
        {
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            let mut unique_name = name.clone();
            if *count > 1 {
                unique_name = format!("{name} {count}");
                notes.push(ImportNote::Renamed(name.clone(), unique_name.clone()));
            }
            places.insert(unique_name.clone(), place.clone());
            counters.insert(unique_name.clone(), (id, place.clone()));
            named.push((unique_name, place, keys));
        }
        for piece in &like.pieces {
            let kind = piece.word("kind").unwrap_or_default();
            if self
                .mapping
                .keep
                .iter()
                .any(|keep| *keep == piece.name || keep == kind)
                && !places.contains_key(&piece.name)
            {
                let place = piece.word("at").unwrap_or_default().to_string();
                places.insert(piece.name.clone(), place.clone());
                named.push((piece.name.clone(), place, piece_keys(piece, like, game)));
            }
        }
        let refers = |attribute: &str| {
            game.attribute_references
                .get(attribute)
                .is_some_and(|names| names.iter().any(|name| name == "piece"))
        };
        let mut pieces = Vec::new();
        for (name, place, mut keys) in named {
            let lost: Vec<(String, String)> = keys
                .iter()
                .filter_map(|(key, value)| {
                    Some((
                        key.clone(),
                        value.as_str().filter(|_| refers(key))?.to_string(),
                    ))
                })
                .filter(|(_, other)| !places.contains_key(other))
                .collect();
            for (attribute, missing) in lost {
                keys.shift_remove(&attribute);
                notes.push(ImportNote::MissingPiece(name.clone(), attribute, missing));
            }
            // A carried piece lies in the same stack as its carrier.
            let rides = keys
                .get("on")
                .and_then(Value::as_str)
                .is_some_and(|on| place.is_empty() || places.get(on) == Some(&place));
            if !rides {
                keys.shift_remove("on");
                keys.insert("at".into(), place.clone().into());
            }
            if let Some(Value::Array(set)) = keys.get_mut(Status::House.as_str()) {
                set.retain(|key| key != if rides { "at" } else { "on" });
            }
            let mut piece = Map::from_iter([("name".to_string(), Value::from(name))]);
            for key in PLAIN_FIGURES.iter().copied().chain(["value"]) {
                piece.extend(
                    keys.shift_remove(key)
                        .filter(|value| *value != "")
                        .map(|value| (key.to_string(), value)),
                );
            }
            piece.extend(keys);
            pieces.push(Value::Object(piece));
        }
        pieces
    }

    fn situation_yaml(&self, name: &str, like: &Scenario, pieces: Vec<Value>) -> String {
        let mut root = Map::new();
        root.insert("situation".into(), name.into());
        root.insert(
            "title".into(),
            format!("{}, from VASSAL", like.title).into(),
        );
        let copied_keys = [
            "status",
            "method",
            "source",
            "with",
            "procedure",
            "goes_on",
            "phase",
            "uses",
            "options",
            "readings",
        ];
        let copied = |key: &&str| like.root.get(key).map(|node| (key.to_string(), json(node)));
        root.extend(copied_keys.iter().filter_map(copied));
        if !like.tracks.is_empty() {
            root.insert(
                "tracks".into(),
                like.tracks
                    .iter()
                    .map(|(track, datum)| (track.clone(), datum_json(datum)))
                    .collect(),
            );
        }
        root.extend(["decks", "map"].iter().filter_map(copied));
        root.insert("pieces".into(), pieces.into());
        root.extend(["given", "choices"].iter().filter_map(copied));
        write_file(&root)
    }
}

/// Returns the keys that a counter itself states: its kind and side, and its figures.
fn own_figures(traits: &[PieceTrait], game: &Game) -> PieceKeys {
    let figures = traits
        .iter()
        .find(|one| one.kind == OWN_FIGURES)
        .and_then(|one| SequenceReader::new(&one.state, ',').next());
    let mut keys: PieceKeys = figures
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    keys.retain(|key, _| key == "kind" || key == "side" || game.index_of_attribute(key).is_some());
    keys
}

/// Returns the keys of a piece of a situation, without its name.
fn piece_keys(piece: &PieceEntry, situation: &Scenario, game: &Game) -> PieceKeys {
    let mut keys: PieceKeys = piece
        .attributes
        .iter()
        .map(|(name, datum)| (name.clone(), datum_json(datum)))
        .collect();
    if let Some(CounterFigures {
        first,
        second,
        bracketed,
    }) = &game.unit_value
        && let (Some(a), Some(b)) = (keys.get(first).cloned(), keys.get(second).cloned())
    {
        let bracketed =
            bracketed.as_ref().and_then(|flag| keys.shift_remove(flag)) == Some(true.into());
        keys.retain(|key, _| key != first && key != second);
        keys.insert(
            "value".into(),
            if bracketed {
                format!("({a})-{b}")
            } else {
                format!("{a}-{b}")
            }
            .into(),
        );
    }
    for (word, status) in Status::NAMES {
        let figures: Vec<Value> = piece
            .status_by_figure
            .iter()
            .filter(|(_, own)| **own == status)
            .map(|(figure, _)| figure.as_str().into())
            .collect();
        if !figures.is_empty() {
            keys.insert(word.into(), figures.into());
        }
        let usual = situation
            .root
            .get("status")
            .and_then(YamlNode::as_text)
            .unwrap_or(Status::NAMES[0].0);
        if piece.default_status == status && word != usual {
            keys.insert("status".into(), word.into());
        }
    }
    keys
}

/// Returns the figures printed on the counter of a piece, with the names of the first and the second.
fn printed_figures<'g>(keys: &PieceKeys, game: &'g Game) -> Option<(UnitValue, [&'g str; 2])> {
    let figures = game.unit_value.as_ref()?;
    Some((
        UnitValue::parse(keys.get("value")?.as_str()?).ok()?,
        [&figures.first, &figures.second],
    ))
}

/// Leaves out the figures of a saved game that are as the counter has them printed.
fn leave_printed(keys: &PieceKeys, seen_keys: &mut PieceKeys, game: &Game) {
    let Some((unit, names)) = printed_figures(keys, game) else {
        return;
    };
    for (name, printed) in names.into_iter().zip([unit.first, unit.second]) {
        if seen_keys.get(name) == Some(&printed.into()) {
            seen_keys.shift_remove(name);
        }
    }
}

/// Writes the figures that differ from those printed on a counter as its new `value`.
fn join_unit_value(keys: &PieceKeys, seen_keys: &mut PieceKeys, game: &Game) {
    let Some((unit, [first, second])) = printed_figures(keys, game) else {
        return;
    };
    let changed = [first, second].map(|name| seen_keys.shift_remove(name));
    if changed.iter().all(Option::is_none) {
        return;
    }
    let [a, b] = changed;
    let (a, b) = (
        a.unwrap_or(unit.first.into()),
        b.unwrap_or(unit.second.into()),
    );
    seen_keys.insert(
        "value".into(),
        if unit.bracketed {
            format!("({a})-{b}")
        } else {
            format!("{a}-{b}")
        }
        .into(),
    );
}

/// Says of figures that a saved game or a module map sets them: no source prints them.
fn mark_as_set(keys: &mut PieceKeys, mut set_keys: BTreeSet<String>, game: &Game) {
    for (word, _) in Status::NAMES {
        if let Some(Value::Array(figures)) = keys.get_mut(word) {
            figures.retain(|figure| {
                figure
                    .as_str()
                    .is_none_or(|figure| !set_keys.contains(figure))
            });
        }
    }
    keys.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
    if let Some(CounterFigures { first, second, .. }) = &game.unit_value
        && set_keys.remove("value")
    {
        set_keys.extend([first.clone(), second.clone()]);
    }
    set_keys.retain(|key| {
        key == "at" || key == "on" || game.attributes.iter().any(|(name, _)| name == key)
    });
    keys.insert(
        Status::House.as_str().into(),
        set_keys.into_iter().collect(),
    );
}

/// Converts a figure to JSON.
fn datum_json(datum: &Datum) -> Value {
    match datum {
        Datum::Number(number) => (*number).into(),
        Datum::Flag(flag) => (*flag).into(),
        Datum::Word(word) => word.as_str().into(),
        Datum::Words(words) => words.clone().into(),
    }
}

/// Converts the text of a property to a number, a flag or a word.
fn typed(text: &str) -> Value {
    match text.trim() {
        "true" => true.into(),
        "false" => false.into(),
        text => text
            .parse::<i64>()
            .map_or_else(|_| text.into(), Value::from),
    }
}
