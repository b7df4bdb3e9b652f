//! Values set by hand over a situation; they are parsed and checked as if they were in its file.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Error, Message, Place, Span, did_you_mean, nearest_names};
use crate::data::manifest::{AttributeType, Game};
use crate::data::piece::{PieceEntry, read_features, read_named_piece, read_piece_datum, read_track_datum, unknown_piece_key};
use crate::data::scenario::Scenario;
use crate::data::sheet::GIVEN;
use crate::data::status::Status;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::ruleset::compose::Ruleset;
use crate::ruleset::references;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Path shown in complaints about an override.
pub const OVERRIDE_PATH: &str = "(set by hand)";

/// Describes the overrides on one line; empty if there are none.
pub fn describe(set: &[(String, String)]) -> String {
    let list: Vec<String> = set.iter().map(|(name, now)| format!("{name} = {now}")).collect();
    if list.is_empty() { String::new() } else { format!("set by hand: {}", list.join("; ")) }
}

/// Value that removes a piece from a situation.
pub const REMOVED: &str = "off";

/// Maximum number of pieces and figures set by hand.
const MAX_OVERRIDES: usize = 2_000;

/// Maximum number of values of a sweep.
pub const MAX_SWEEP_VALUES: usize = 200;

/// A new value for a figure of a piece, a feature of a place, a track or an input: `Red guard: size` is `5`, `track: turn` is `4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Piece, place or side between two places; `track` for a track, `given` for an input of the procedure.
    pub target: String,
    /// Attribute, track or input name.
    pub key: String,
    /// New value in file syntax.
    pub value: String,
}

/// All overrides of a situation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Added pieces by name, with their kind; without a kind, the counter of that name. [`OFF`] removes a piece.
    pub pieces: BTreeMap<String, String>,
    /// Overrides in the order of application.
    pub set: Vec<Override>,
    /// Whether the sequence of play continues after the procedure.
    pub goes_on: bool,
}

/// An override with a sequence of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// `Red guard: size`
    pub name: String,
    /// Values in file syntax.
    pub values: Vec<String>,
}

impl Override {
    /// Parses `Red guard: size` with its new value.
    pub fn read(name: &str, now: &str) -> Result<Override, Error> {
        let parts = name.rsplit_once(':').map(|(of, key)| (of.trim(), key.trim()));
        match parts.filter(|(of, key)| !of.is_empty() && !key.is_empty()) {
            Some((of, key)) => Ok(Override { target: of.into(), key: key.into(), value: now.trim().into() }),
            None => Err(Error::Usage(format!(
                "`{name}` does not say what of which piece: write 'PIECE: FIGURE=VALUE'; a track is 'track: NAME=VALUE', a given entry 'given: NAME=VALUE', a feature of a place 'PLACE: FEATURE=VALUE'"
            ))),
        }
    }

    /// Formats the target: `Red guard: size`.
    pub fn name(&self) -> String {
        format!("{}: {}", self.target, self.key)
    }
}

impl Overrides {
    /// Parses overrides as typed: pairs of name and value.
    pub fn parse_all(typed: &[(String, String)]) -> Result<Overrides, Error> {
        let set = typed.iter().map(|(name, now)| Override::read(name, now)).collect::<Result<Vec<Override>, _>>()?;
        for (place, one) in set.iter().enumerate() {
            if let Some(other) = set[..place].iter().find(|other| other.name() == one.name() && other.value != one.value) {
                let what = format!("--set says two things of `{}`: {} and {}; leave one out", one.name(), other.value, one.value);
                return Err(Error::Usage(what));
            }
        }
        Ok(Overrides { set, ..Overrides::default() })
    }

    /// Returns whether there are no overrides.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.set.is_empty() && !self.goes_on
    }

    /// Returns a copy with one more override.
    pub fn with(&self, more: Override) -> Overrides {
        let mut all = self.clone();
        all.set.retain(|one| one.name() != more.name());
        all.set.push(more);
        all
    }

    /// Applies all overrides to a situation; fails on unknown targets and invalid values.
    pub fn apply(&self, scenario: &Arc<Scenario>, ruleset: &Ruleset) -> Result<Arc<Scenario>, Error> {
        if self.is_empty() {
            return Ok(scenario.clone());
        }
        let count = self.pieces.len() + self.set.len();
        if count > MAX_OVERRIDES {
            return Err(Error::Usage(format!("{count} figures are set by hand; {MAX_OVERRIDES} can be: write a situation for more")));
        }
        let mut scenario = Scenario::clone(scenario);
        scenario.is_game |= self.goes_on;
        self.apply_pieces(&mut scenario, &ruleset.game)?;
        let mut complaints = Complaints::default();
        for one in &self.set {
            match apply_override(&mut scenario, ruleset, one) {
                Ok(()) => scenario.set.push((one.name(), one.value.clone())),
                Err(Error::Data(mut more)) => {
                    for complaint in &mut more.0 {
                        // Who clears a field of a page has written no key.
                        if complaint.code == DiagnosticCode::Number && one.value.trim().is_empty() {
                            complaint.what = format!("{} has no value; it takes a whole number", one.name());
                        }
                    }
                    complaints.0.extend(more.0);
                }
                Err(other) => return Err(other),
            }
        }
        if complaints.has_errors() { Err(Error::Data(complaints)) } else { Ok(Arc::new(scenario)) }
    }

    /// Adds and removes pieces.
    fn apply_pieces(&self, scenario: &mut Scenario, game: &Game) -> Result<(), Error> {
        for (name, kind) in &self.pieces {
            let place = scenario.pieces.iter().position(|piece| piece.name == *name);
            match (place, kind.as_str()) {
                (Some(place), REMOVED) => drop(scenario.pieces.remove(place)),
                (None, REMOVED) => {}
                (Some(_), _) => return Err(unknown_name(format!("a piece is called `{name}` already"))),
                (None, kind) => {
                    let mut reader = YamlReader::new(OVERRIDE_PATH, kind);
                    let node = YamlNode { span: Span { line: 1, column: 1, length: kind.len().max(1) }, value: yaml_scalar(kind) };
                    let sort = (!kind.is_empty()).then(|| read_piece_datum("kind", Span::default(), &node, game, &mut reader)).flatten();
                    if reader.complaints.has_errors() {
                        return Err(Error::Data(reader.complaints));
                    }
                    let data = sort.map(|sort| ("kind".to_string(), sort)).into_iter().collect();
                    scenario.pieces.push(PieceEntry {
                        name: name.clone(),
                        attributes: data,
                        path: OVERRIDE_PATH.into(),
                        ..PieceEntry::default()
                    });
                }
            }
        }
        Ok(())
    }
}

impl Sweep {
    /// Parses the values: a range `1..20` of whole numbers, or a list `2,4,8`.
    pub fn read(name: &str, values: &str) -> Result<Sweep, Error> {
        // Validates the name before the values.
        let Override { target: of, key, value: now } = Override::read(name, values)?;
        let name = format!("{of}: {key}");
        let usage = |what: String| Err(Error::Usage(format!("--sweep '{name}={now}': {what}")));
        let values: Vec<String> = match now.split_once("..") {
            Some((first, last)) => {
                let last = last.strip_prefix('=').unwrap_or(last);
                let (Ok(first), Ok(last)) = (first.trim().parse::<i64>(), last.trim().parse::<i64>()) else {
                    return usage("a range goes from one whole number to another: 1..20".into());
                };
                if first > last {
                    return usage(format!("the range runs backwards and has no value; write {last}..{first}"));
                }
                if i128::from(last) - i128::from(first) >= MAX_SWEEP_VALUES as i128 {
                    let count = i128::from(last) - i128::from(first) + 1;
                    let most = first.saturating_add(MAX_SWEEP_VALUES as i64 - 1);
                    return usage(format!("these are {count} values, and a sweep has {MAX_SWEEP_VALUES} at most: {first}..{most}"));
                }
                (first..=last).map(|value| value.to_string()).collect()
            }
            None => now.split(',').map(|value| value.trim().to_string()).filter(|value| !value.is_empty()).collect(),
        };
        if values.is_empty() {
            return usage("there is no value; write a range such as 1..20, or a list such as 2,4,8".into());
        }
        if values.len() > MAX_SWEEP_VALUES {
            return usage(format!("these are {} values, and a sweep has {MAX_SWEEP_VALUES} at most", values.len()));
        }
        if let Some((place, twice)) = values.iter().enumerate().find(|(place, value)| values[..*place].contains(value)) {
            return usage(format!("`{twice}` stands there twice; leave the one in place {} out", place + 1));
        }
        Ok(Sweep { name, values })
    }

    /// Returns an override with one of the values.
    pub fn override_with(&self, value: &str) -> Result<Override, Error> {
        Override::read(&self.name, value)
    }
}

fn text_list(text: &str, span: Span) -> YamlValue {
    YamlValue::List(
        text.split(',').map(|word| YamlNode { span, value: yaml_scalar(word.trim()) }).filter(|node| node.as_text() != Some("")).collect(),
    )
}

fn yaml_scalar(text: &str) -> YamlValue {
    YamlValue::Scalar(text.to_string(), true)
}

/// Applies one override to a situation.
fn apply_override(scenario: &mut Scenario, ruleset: &Ruleset, one: &Override) -> Result<(), Error> {
    let game = &ruleset.game;
    let mut reader = YamlReader::new(OVERRIDE_PATH, &one.value);
    reader.breadcrumbs = one.name();
    let span = Span { line: 1, column: 1, length: one.value.chars().count().max(1) };
    let several = game.index_of_attribute(&one.key).is_some_and(|index| game.attributes[index].1 == AttributeType::Words);
    let is_list = |procedure: &String| ruleset.given(procedure).get(&one.key).is_some_and(|field| field.is_list);
    let several = several || one.target == GIVEN && scenario.procedure.as_ref().is_some_and(is_list);
    let node = match &*one.target {
        // An input may be a list or a map; any other value is a scalar, whatever characters it has.
        GIVEN if one.value.starts_with(['[', '{', '"', '\'']) => reader.parse(&one.value),
        of if one.value.starts_with(['[', '{']) && game.card_stock(of).is_some() => reader.parse(&one.value),
        _ => Some(YamlNode { span, value: if several { text_list(&one.value, span) } else { yaml_scalar(&one.value) } }),
    };
    if let Some(node) = node {
        assign(scenario, ruleset, one, node, &mut reader)?;
    }
    if reader.complaints.has_errors() { Err(Error::Data(reader.complaints)) } else { Ok(()) }
}

/// Assigns a parsed value to its target; fails if the target does not exist.
fn assign(scenario: &mut Scenario, ruleset: &Ruleset, one: &Override, node: YamlNode, reader: &mut YamlReader) -> Result<(), Error> {
    let game = &ruleset.game;
    let (of, key) = (one.target.as_str(), one.key.as_str());
    let map = |node: YamlNode| YamlNode {
        span: node.span,
        value: YamlValue::Map(vec![(YamlNode { span: node.span, value: yaml_scalar(key) }, node)]),
    };
    if let Some(piece) = scenario.pieces.iter_mut().find(|piece| piece.name == of) {
        // A value set by hand is neither printed nor reconstructed.
        if key == "value" && game.unit_value.is_some() {
            // `value` sets both figures of a counter.
            let span = node.span;
            let read = read_named_piece(of, &map(node), Status::House, game, reader).unwrap_or_default();
            for (figure, datum) in read.attributes {
                piece.set_location(&figure, OVERRIDE_PATH.into(), span);
                piece.status_by_figure.insert(figure.clone(), Status::House);
                piece.attributes.insert(figure, datum);
            }
            return Ok(());
        }
        if !["kind", "side", "at", "on"].contains(&key) && game.index_of_attribute(key).is_none() {
            // The person who types an override may not have the manifest, so the help lists the names.
            let names: Vec<&str> = game.attributes.iter().map(|(name, _)| name.as_str()).collect();
            let help = format!("figures of pieces: {}; and kind, side, at, on", names.join(", "));
            reader.complain(DiagnosticCode::UnknownKey, Span { line: 1, column: 1, length: 1 }, unknown_piece_key(key, game), help);
            return Ok(());
        }
        let Some(datum) = read_piece_datum(key, Span { line: 1, column: 1, length: 1 }, &node, game, reader) else { return Ok(()) };
        piece.attributes.insert(key.into(), datum);
        piece.status_by_figure.insert(key.into(), Status::House);
        piece.set_location(key, OVERRIDE_PATH.into(), node.span);
        // `at` and `on` exclude each other.
        let other = if key == "at" { "on" } else { "at" };
        if matches!(key, "at" | "on") {
            piece.attributes.remove(other);
        }
        return Ok(());
    }
    if let Some((_, stock)) = game.card_stock(of) {
        let keys: Vec<String> = game.card_zones().map(|zone| zone.key(&game.sides)).collect();
        if !keys.iter().any(|known| known == key) {
            let what = did_you_mean(format!("a deck has no `{key}`"), key, keys.iter().map(String::as_str));
            reader.complain(DiagnosticCode::UnknownKey, node.span, what, format!("its cards lie in: {}", keys.join(", ")));
            return Ok(());
        }
        let name = YamlNode { span: node.span, value: yaml_scalar(key) };
        let contents = scenario.decks.entry(of.into()).or_default();
        contents.read_zone(key, &name, &node, (stock, game), reader);
        contents.check(stock, &node, reader);
        return Ok(());
    }
    match of {
        GIVEN => {
            let one = map(node.clone());
            let wrong = references::check_overridden_given(&one, scenario, scenario.procedure.as_deref(), ruleset, &|_| {
                Place::whole_file(OVERRIDE_PATH)
            });
            if wrong.has_errors() {
                return Err(Error::Data(wrong));
            }
            set_input(&mut scenario.root, key, node);
        }
        "track" => match game.tracks.get(key) {
            Some(track) => {
                if let Some(datum) = read_track_datum(key, track, &node, reader) {
                    scenario.tracks.insert(key.into(), datum);
                }
            }
            None => {
                let has = match game.tracks.is_empty() {
                    true => "this game has no tracks".into(),
                    false => format!("tracks: {}", game.tracks.keys().cloned().collect::<Vec<_>>().join(", ")),
                };
                return Err(Complaint::new(
                    DiagnosticCode::UnknownName,
                    Place::whole_file(OVERRIDE_PATH),
                    did_you_mean(format!("no track is called `{key}`"), key, game.tracks.keys().map(String::as_str)),
                )
                .with_help(has)
                .into());
            }
        },
        _ => assign_feature(scenario, ruleset, of, &map(node), reader)?,
    }
    Ok(())
}

/// Assigns a feature of a place, or of the side between two; the other features stay as the map has them that the situation uses.
fn assign_feature(scenario: &mut Scenario, ruleset: &Ruleset, of: &str, entry: &YamlNode, reader: &mut YamlReader) -> Result<(), Error> {
    let places = &ruleset.game.places;
    let path = Arc::from(OVERRIDE_PATH);
    let used: Vec<_> = scenario.used_lists.iter().rev().filter_map(|name| ruleset.scenario(name).ok()).collect();
    let known = scenario.places.get(of).or_else(|| used.iter().find_map(|list| list.places.get(of))).cloned();
    if let Some((a, b)) = of.split_once('/')
        && known.is_none()
        && places.contains(a)
        && places.contains(b)
    {
        let side = read_features(entry, &places.side_attributes, reader);
        // A side has the same meaning in both directions.
        for ends in [(a, b), (b, a)].map(|(a, b)| (a.to_string(), b.to_string())) {
            let below = used.iter().find_map(|list| list.sides.get(&ends)).cloned();
            scenario.sides.entry(ends).or_insert(below.unwrap_or_default()).set(side.clone(), Status::House, &path);
        }
        return Ok(());
    }
    if places.contains(of) && (places.is_hex_grid || known.is_some()) {
        let mut features = known.unwrap_or_default();
        features.set(read_features(entry, &places.attributes, reader), Status::House, &path);
        scenario.places.insert(of.into(), features);
        return Ok(());
    }
    let pieces: Vec<&str> = scenario.pieces.iter().map(|piece| piece.name.as_str()).collect();
    let names = scenario.places.keys().chain(used.iter().flat_map(|list| list.places.keys())).map(String::as_str);
    let stocks = ruleset.game.card_stocks.iter().map(|stock| stock.name.as_str());
    let all = pieces.iter().copied().chain(names).chain([GIVEN, "track"]).chain(stocks);
    let mut help = "set a figure of a piece, a feature of a place, a track or a given entry of the situation".to_string();
    if nearest_names(of, pieces.iter().copied()).is_empty() && !pieces.is_empty() {
        let shown = &pieces[..pieces.len().min(12)];
        let more = if pieces.len() > shown.len() { " ..." } else { "" };
        help += &format!("; pieces: {}{more}", shown.join(", "));
    }
    let what = did_you_mean(format!("no piece or place is called `{of}`"), of, all);
    Err(Complaint::new(DiagnosticCode::UnknownName, Place::whole_file(OVERRIDE_PATH), what).with_help(help).into())
}

fn unknown_name(what: impl Into<Message>) -> Error {
    Complaint::new(DiagnosticCode::UnknownName, Place::whole_file(OVERRIDE_PATH), what)
        .with_help("change a piece, a place or a track of the situation")
        .into()
}

/// Sets an input of the procedure.
fn set_input(root: &mut YamlNode, key: &str, now: YamlNode) {
    let named = |text: &str| YamlNode { span: now.span, value: yaml_scalar(text) };
    let YamlValue::Map(entries) = &mut root.value else { return };
    if !entries.iter().any(|(known, _)| known.as_text() == Some(GIVEN)) {
        entries.push((named(GIVEN), YamlNode { span: now.span, value: YamlValue::Map(Vec::new()) }));
    }
    let given = entries.iter_mut().find(|(known, _)| known.as_text() == Some(GIVEN));
    if let Some((_, YamlNode { value: YamlValue::Map(list), .. })) = given {
        let key = named(key);
        list.retain(|(known, _)| known.as_text() != key.as_text());
        list.push((key, now));
    }
}
