//! Values set by hand over a situation; they are parsed and checked as if they were in its file.

use crate::complaint::{
    Complaint, Complaints, DiagnosticCode, Error, Message, Place, Span, did_you_mean, nearest_names,
};
use crate::data::declared_names::PLAIN_FIGURES;
use crate::data::figure_name::FigureName;
use crate::data::format::scenario::{CARDS, PIECE};
use crate::data::manifest::{AttributeType, Game};
use crate::data::piece::{
    Datum, PieceEntry, check_piece_value, read_features, read_named_piece, read_track_datum,
    unknown_piece_key,
};
use crate::data::reference_kind::ReferenceKind;
use crate::data::scenario::Scenario;
use crate::data::sheet::GIVEN;
use crate::data::status::Status;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::ruleset::compose::Ruleset;
use crate::ruleset::references;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Path shown in complaints about an override.
pub const OVERRIDE_PATH: &str = "(set by hand)";

/// Describes the overrides on one line; empty if there are none.
pub fn describe(overrides: &[(String, String)]) -> String {
    let texts: Vec<String> = overrides
        .iter()
        .map(|(name, now)| format!("{name} = {now}"))
        .collect();
    if texts.is_empty() {
        String::new()
    } else {
        format!("set by hand: {}", texts.join("; "))
    }
}

/// Figures set by hand: `what: figure` and the value, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "set")
)]
pub struct SetFigures(
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, String>"))] Map<String, Value>,
);

impl FromIterator<(String, String)> for SetFigures {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(figures: I) -> SetFigures {
        let figures = figures.into_iter();
        SetFigures(figures.map(|(name, value)| (name, value.into())).collect())
    }
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
    /// Added pieces by name, with their kind; without a kind, the counter of that name. [`REMOVED`] removes a piece.
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
    pub fn read(name: &str, value: &str) -> Result<Override, Error> {
        match FigureName::parse(name) {
            Some(FigureName { target, key }) => Ok(Override {
                target: target.into(),
                key: key.into(),
                value: value.trim().into(),
            }),
            None => Err(Error::Usage(format!(
                "`{name}` does not say what of which piece: write 'PIECE: FIGURE=VALUE'; a track is 'track: NAME=VALUE', a given entry 'given: NAME=VALUE', a feature of a place 'PLACE: FEATURE=VALUE'"
            ))),
        }
    }

    /// Formats the target: `Red guard: size`.
    pub fn name(&self) -> String {
        let (target, key) = (&self.target, &self.key);
        FigureName { target, key }.to_string()
    }
}

impl Overrides {
    /// Parses overrides as typed: pairs of name and value.
    pub fn parse_all(typed: &[(String, String)]) -> Result<Overrides, Error> {
        let overrides = typed
            .iter()
            .map(|(name, now)| Override::read(name, now))
            .collect::<Result<Vec<Override>, _>>()?;
        for (index, entry) in overrides.iter().enumerate() {
            if let Some(conflicting) = overrides[..index].iter().find(|conflicting| {
                conflicting.name() == entry.name() && conflicting.value != entry.value
            }) {
                let message = format!(
                    "`{}` is set to conflicting values: {} and {}; leave one out",
                    entry.name(),
                    conflicting.value,
                    entry.value
                );
                return Err(Error::Usage(message));
            }
        }
        Ok(Overrides {
            set: overrides,
            ..Overrides::default()
        })
    }

    /// Returns whether there are no overrides.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.set.is_empty() && !self.goes_on
    }

    /// Returns a copy with one more override.
    pub fn with(&self, added: Override) -> Overrides {
        let mut overrides = self.clone();
        overrides.set.retain(|one| one.name() != added.name());
        overrides.set.push(added);
        overrides
    }

    /// Applies all overrides to a situation; fails on unknown targets and invalid values.
    pub fn apply(
        &self,
        scenario: &Arc<Scenario>,
        ruleset: &Ruleset,
    ) -> Result<Arc<Scenario>, Error> {
        if self.is_empty() {
            return Ok(scenario.clone());
        }
        let count = self.pieces.len() + self.set.len();
        if count > MAX_OVERRIDES {
            return Err(Error::Usage(format!(
                "{count} figures are set by hand; {MAX_OVERRIDES} can be: write a situation for more"
            )));
        }
        let mut scenario = Scenario::clone(scenario);
        scenario.is_game |= self.goes_on;
        self.apply_pieces(&mut scenario, &ruleset.game)?;
        let mut complaints = Complaints::default();
        for entry in &self.set {
            match apply_override(&mut scenario, ruleset, entry) {
                Ok(()) => scenario.set.push((entry.name(), entry.value.clone())),
                Err(Error::Data(mut found)) => {
                    for complaint in &mut found.0 {
                        // A reader of the page sees no key.
                        if complaint.code == DiagnosticCode::Number && entry.value.trim().is_empty()
                        {
                            complaint.message =
                                format!("{} has no value; it takes a whole number", entry.name());
                        }
                    }
                    complaints.0.extend(found.0);
                }
                Err(other) => return Err(other),
            }
        }
        if complaints.has_errors() {
            Err(Error::Data(complaints))
        } else {
            Ok(Arc::new(scenario))
        }
    }

    /// Adds and removes pieces.
    fn apply_pieces(&self, scenario: &mut Scenario, game: &Game) -> Result<(), Error> {
        for (name, kind) in &self.pieces {
            let index = scenario.pieces.iter().position(|piece| piece.name == *name);
            match (index, kind.as_str()) {
                (Some(index), REMOVED) => drop(scenario.pieces.remove(index)),
                (None, REMOVED) => {}
                (Some(_), _) => {
                    return Err(unknown_target(format!(
                        "a piece named `{name}` already exists"
                    )));
                }
                (None, kind) => {
                    let mut reader = YamlReader::new(OVERRIDE_PATH, kind);
                    let node = YamlNode {
                        span: Span {
                            line: 1,
                            column: 1,
                            length: kind.len().max(1),
                        },
                        value: yaml_scalar(kind),
                    };
                    if !kind.is_empty() {
                        check_piece_value("kind", &node, game, &mut reader);
                    }
                    if reader.complaints.has_errors() {
                        return Err(Error::Data(reader.complaints));
                    }
                    let kind_datum =
                        (!kind.is_empty()).then(|| ("kind".to_string(), Datum::Word(kind.into())));
                    scenario.pieces.push(PieceEntry {
                        name: name.clone(),
                        attributes: kind_datum.into_iter().collect(),
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
        let whole = Override::read(name, values)?;
        let (name, values_text) = (whole.name(), whole.value);
        let usage =
            |message: String| Err(Error::Usage(format!("`{name}={values_text}`: {message}")));
        if let Some(suggestion) = meant_values(&values_text) {
            return usage(suggestion);
        }
        let values: Vec<String> = match values_text.split_once("..") {
            Some((start, end)) => {
                let end = end.strip_prefix('=').unwrap_or(end);
                let (Ok(start), Ok(end)) = (start.trim().parse::<i64>(), end.trim().parse::<i64>())
                else {
                    return usage("a range goes from one whole number to another: 1..20".into());
                };
                if start > end {
                    return usage(format!(
                        "the range runs backwards and has no value; write {end}..{start}"
                    ));
                }
                if i128::from(end) - i128::from(start) >= MAX_SWEEP_VALUES as i128 {
                    let count = i128::from(end) - i128::from(start) + 1;
                    let greatest = start.saturating_add(MAX_SWEEP_VALUES as i64 - 1);
                    return usage(format!(
                        "these are {count} values, and a sweep has {MAX_SWEEP_VALUES} at most: {start}..{greatest}"
                    ));
                }
                (start..=end).map(|value| value.to_string()).collect()
            }
            None => values_text
                .split(',')
                .map(|value| value.trim().to_string())
                .filter(|value| !value.is_empty())
                .collect(),
        };
        if values.is_empty() {
            return usage(
                "there is no value; write a range such as 1..20, or a list such as 2,4,8".into(),
            );
        }
        if values.len() > MAX_SWEEP_VALUES {
            return usage(format!(
                "these are {} values, and a sweep has {MAX_SWEEP_VALUES} at most",
                values.len()
            ));
        }
        if let Some((index, repeated)) = values
            .iter()
            .enumerate()
            .find(|(index, value)| values[..*index].contains(value))
        {
            return usage(format!(
                "`{repeated}` is there twice; leave out item {}",
                index + 1
            ));
        }
        Ok(Sweep { name, values })
    }

    pub fn override_with(&self, value: &str) -> Result<Override, Error> {
        Override::read(&self.name, value)
    }
}

/// Says how a range or a list of whole numbers is written that has another sign between them: `1-4`, `1 to 4`, `1 2 3`.
fn meant_values(text: &str) -> Option<String> {
    let numbers: Vec<&str> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| !number.is_empty())
        .collect();
    let signs: Vec<&str> = text
        .split(|c: char| c.is_ascii_digit())
        .filter(|sign| !sign.is_empty())
        .map(str::trim)
        .collect();
    match (&numbers[..], &signs[..]) {
        _ if !text.starts_with(|c: char| c.is_ascii_digit())
            || !text.ends_with(|c: char| c.is_ascii_digit()) =>
        {
            None
        }
        ([start, end], ["-" | "–" | "—" | "to" | "…" | "..."]) => {
            Some(format!("a range has two dots: {start}..{end}"))
        }
        ([_, _, ..], signs) if signs.iter().all(|sign| sign.is_empty() || *sign == ";") => {
            Some(format!("a list has commas: {}", numbers.join(",")))
        }
        _ => None,
    }
}

fn text_list(text: &str, span: Span) -> YamlValue {
    YamlValue::List(
        text.split(',')
            .map(|word| YamlNode {
                span,
                value: yaml_scalar(word.trim()),
            })
            .filter(|node| node.as_text() != Some(""))
            .collect(),
    )
}

fn yaml_scalar(text: &str) -> YamlValue {
    YamlValue::Scalar(text.to_string(), true)
}

/// Applies one override to a situation.
fn apply_override(
    scenario: &mut Scenario,
    ruleset: &Ruleset,
    entry: &Override,
) -> Result<(), Error> {
    let game = &ruleset.game;
    let span_of = |column: usize, text: &str| Span {
        line: 1,
        column,
        length: text.chars().count().max(1),
    };
    let several = game
        .index_of_attribute(&entry.key)
        .is_some_and(|index| game.attributes[index].1 == AttributeType::Words);
    let is_list = |procedure: &String| {
        ruleset
            .given(procedure)
            .get(&entry.key)
            .is_some_and(|field| field.is_list)
    };
    let several =
        several || entry.target == GIVEN && scenario.procedure.as_ref().is_some_and(is_list);
    // An input may be a list or a map; any other value is a scalar, whatever characters it has.
    let is_yaml = match &*entry.target {
        GIVEN => entry.value.starts_with(['[', '{', '"', '\'']),
        target => entry.value.starts_with(['[', '{']) && game.card_stock(target).is_some(),
    };
    // An excerpt shows all that was typed, unless the value is a text of several lines by itself.
    let typed = format!("{}={}", entry.name(), entry.value);
    let mut reader = YamlReader::new(OVERRIDE_PATH, if is_yaml { &entry.value } else { &typed });
    reader.context = entry.name();
    let (node, key_span) = match is_yaml {
        true => (reader.parse(&entry.value), span_of(1, "")),
        false => {
            let span = span_of(entry.name().chars().count() + 2, &entry.value);
            let value = if several {
                text_list(&entry.value, span)
            } else {
                yaml_scalar(&entry.value)
            };
            (
                Some(YamlNode { span, value }),
                span_of(entry.target.chars().count() + 3, &entry.key),
            )
        }
    };
    if let Some(mut node) = node {
        game.places.name_places(&mut node);
        // What is not found is shown where it is typed; a value with a form of its own is all that is shown.
        let place_of = |span: Span| match is_yaml {
            true => Place::whole_file(OVERRIDE_PATH),
            false => Place::from_text(OVERRIDE_PATH, &typed, span),
        };
        assign(
            scenario,
            ruleset,
            entry,
            (node, key_span),
            &place_of,
            &mut reader,
        )?;
    }
    if reader.complaints.has_errors() {
        Err(Error::Data(reader.complaints))
    } else {
        Ok(())
    }
}

/// Assigns a parsed value to its target; fails if the target does not exist.
fn assign(
    scenario: &mut Scenario,
    ruleset: &Ruleset,
    entry: &Override,
    (node, key_span): (YamlNode, Span),
    place_of: &dyn Fn(Span) -> Place,
    reader: &mut YamlReader,
) -> Result<(), Error> {
    let game = &ruleset.game;
    let (target, key) = (&*game.places.name_of(&entry.target), entry.key.as_str());
    let map = |node: YamlNode| YamlNode {
        span: node.span,
        value: YamlValue::Map(vec![(
            YamlNode {
                span: key_span,
                value: yaml_scalar(key),
            },
            node,
        )]),
    };
    if let Some(piece) = scenario
        .pieces
        .iter_mut()
        .find(|piece| piece.name == target)
    {
        let is_figure = PLAIN_FIGURES.contains(&key)
            || game.index_of_attribute(key).is_some()
            || key == "value" && game.unit_value.is_some();
        if !is_figure {
            // The person who types an override may not have the manifest, so the help lists the names.
            let names: Vec<&str> = game
                .attributes
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            let help = format!(
                "figures of pieces: {}; and kind, side, at, on",
                names.join(", ")
            );
            let message = match PIECE.key_names().contains(&key) {
                true => format!("`{key}` of a piece can't be set by hand").into(),
                false => unknown_piece_key(key, game),
            };
            reader.complain(DiagnosticCode::UnknownKey, key_span, message, help);
            return Ok(());
        }
        check_piece_value(key, &node, game, reader);
        // A value set by hand is neither printed nor reconstructed; `value` is all figures of a counter.
        let span = node.span;
        let read = read_named_piece(target, &map(node), Status::House, game, reader);
        for (figure, datum) in read.into_iter().flat_map(|read| read.attributes) {
            piece.set_location(&figure, OVERRIDE_PATH.into(), span);
            piece.status_by_figure.insert(figure.clone(), Status::House);
            piece.attributes.insert(figure, datum);
        }
        // `at` and `on` exclude each other.
        match key {
            "at" => piece.attributes.remove("on"),
            "on" => piece.attributes.remove("at"),
            _ => None,
        };
        return Ok(());
    }
    if let Some((_, stock)) = game.card_stock(target) {
        let keys: Vec<String> = game
            .card_zones()
            .map(|zone| zone.key(&game.sides))
            .collect();
        if !keys.iter().any(|declared| declared == key) {
            let message = did_you_mean(
                format!("a deck has no `{key}`"),
                key,
                keys.iter().map(String::as_str),
            );
            reader.complain(
                DiagnosticCode::UnknownKey,
                node.span,
                message,
                format!("its cards lie in: {}", keys.join(", ")),
            );
            return Ok(());
        }
        reader.check_value(&node, CARDS);
        let contents = scenario.decks.entry(target.into()).or_default();
        contents.read_zone(key, &node, stock, game, reader);
        contents.check(stock, &node, reader);
        return Ok(());
    }
    match target {
        GIVEN => {
            let given = map(node.clone());
            let wrong = references::check_overridden_given(
                &given,
                scenario,
                scenario.procedure.as_deref(),
                ruleset,
                place_of,
            );
            if wrong.has_errors() {
                return Err(Error::Data(wrong));
            }
            scenario.root.set_at(&[GIVEN, key], Some(&node));
        }
        "track" => match game.tracks.get(key) {
            Some(track) => {
                if let Some(datum) = read_track_datum(key, track, &node, reader) {
                    scenario.tracks.insert(key.into(), datum);
                }
            }
            None => {
                let names: Vec<&str> = game.tracks.keys().map(String::as_str).collect();
                let help = match names.is_empty() {
                    true => "this game has no tracks".into(),
                    false => format!("tracks: {}", names.join(", ")),
                };
                let message = ReferenceKind::Track.unknown(key, names);
                reader.complain(DiagnosticCode::UnknownName, key_span, message, help);
            }
        },
        _ => assign_feature(scenario, ruleset, target, &map(node), place_of, reader)?,
    }
    Ok(())
}

/// Assigns a feature of a place, or of the side between two; the other features stay as the map has them that the situation uses.
fn assign_feature(
    scenario: &mut Scenario,
    ruleset: &Ruleset,
    target: &str,
    entry: &YamlNode,
    place_of: &dyn Fn(Span) -> Place,
    reader: &mut YamlReader,
) -> Result<(), Error> {
    let places = &ruleset.game.places;
    let path = Arc::from(OVERRIDE_PATH);
    let used: Vec<_> = scenario
        .used_lists
        .iter()
        .rev()
        .filter_map(|name| ruleset.scenario(name).ok())
        .collect();
    let features_so_far = scenario
        .places
        .get(target)
        .or_else(|| used.iter().find_map(|list| list.places.get(target)))
        .cloned();
    if let Some((a, b)) = target.split_once('/')
        && features_so_far.is_none()
        && places.contains(a)
        && places.contains(b)
    {
        let side = read_features(entry, &places.side_attributes, reader);
        // A side has the same meaning in both directions.
        for ends in [(a, b), (b, a)].map(|(a, b)| (a.to_string(), b.to_string())) {
            let below = used.iter().find_map(|list| list.sides.get(&ends)).cloned();
            scenario
                .sides
                .entry(ends)
                .or_insert(below.unwrap_or_default())
                .set(side.clone(), Status::House, &path);
        }
        return Ok(());
    }
    if places.contains(target) && (places.is_hex_grid || features_so_far.is_some()) {
        let mut features = features_so_far.unwrap_or_default();
        features.set(
            read_features(entry, &places.attributes, reader),
            Status::House,
            &path,
        );
        scenario.places.insert(target.into(), features);
        return Ok(());
    }
    let pieces: Vec<&str> = scenario
        .pieces
        .iter()
        .map(|piece| piece.name.as_str())
        .collect();
    let names = scenario
        .places
        .keys()
        .chain(used.iter().flat_map(|list| list.places.keys()))
        .map(String::as_str);
    let stocks = ruleset
        .game
        .card_stocks
        .iter()
        .map(|stock| stock.name.as_str());
    let names_to_set = pieces
        .iter()
        .copied()
        .chain(names)
        .chain([GIVEN, "track"])
        .chain(stocks);
    let mut help =
        "set a figure of a piece, a feature of a place, a track or a given entry of the situation"
            .to_string();
    if nearest_names(target, pieces.iter().copied()).is_empty() && !pieces.is_empty() {
        let listed = &pieces[..pieces.len().min(12)];
        let ellipsis = if pieces.len() > listed.len() {
            " ..."
        } else {
            ""
        };
        help += &format!("; pieces: {}{ellipsis}", listed.join(", "));
    }
    let message = did_you_mean(
        format!("no piece or place is called `{target}`"),
        target,
        names_to_set,
    );
    let place = place_of(Span {
        line: 1,
        column: 1,
        length: target.chars().count(),
    });
    Err(Complaint::new(DiagnosticCode::UnknownName, place, message)
        .with_help(help)
        .into())
}

fn unknown_target(message: impl Into<Message>) -> Error {
    Complaint::new(
        DiagnosticCode::UnknownName,
        Place::whole_file(OVERRIDE_PATH),
        message,
    )
    .with_help("change a piece, a place or a track of the situation")
    .into()
}
