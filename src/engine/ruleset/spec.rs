//! Specification of a ruleset, and its resolution to ordered variants, options and readings.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place, did_you_mean};
use crate::data::case::Case;
use crate::data::library::{InForce, Layer, Library};
use crate::data::manifest::Game;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The requested ruleset.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RulesetSpec {
    pub game: String,
    /// Variants, in any order.
    pub variants: Vec<String>,
    /// Options, and whether each is on: `errata.frost`.
    pub options: Vec<(String, bool)>,
    /// Readings with the chosen alternative: `8.16.remainder`.
    pub readings: Vec<(String, String)>,
    /// Keys of amendment files to leave out, to measure their effect.
    #[doc(hidden)]
    pub excluded_files: Vec<String>,
}

impl RulesetSpec {
    /// Returns the options and readings set by hand, as they are typed: `winter.frost=off`.
    #[doc(hidden)]
    pub fn switches(&self) -> Vec<String> {
        let on = |on: bool| if on { "on" } else { "off" };
        let options = self.options.iter();
        let options = options.map(|(name, is_on)| format!("{name}={}", on(*is_on)));
        let readings = self.readings.iter();
        let readings = readings.map(|(name, way)| format!("{name}={way}"));
        options.chain(readings).collect()
    }

    /// Creates a spec of a game with variants, all else by default.
    pub fn new(game: &str, variants: &[&str]) -> RulesetSpec {
        RulesetSpec::with_variants(game, variants.iter().map(|name| name.to_string()))
    }

    /// Names the rules of a game with a list of variants.
    #[doc(hidden)]
    pub fn with_variants(game: &str, variants: impl IntoIterator<Item = String>) -> RulesetSpec {
        RulesetSpec {
            game: game.into(),
            variants: variants.into_iter().collect(),
            ..RulesetSpec::default()
        }
    }

    /// Switches an option of a variant, `VARIANT.OPTION`, on or off.
    pub fn option(mut self, name: &str, on: bool) -> RulesetSpec {
        self.options.push((name.into(), on));
        self
    }

    /// Chooses the reading of a doubtful case: `CASE.READING`, such as `8.16.remainder`.
    pub fn reading(mut self, name: &str, way: &str) -> RulesetSpec {
        self.readings.push((name.into(), way.into()));
        self
    }
}

/// What a user settles of the rules in force: on the command line, in the address of a page, in a test of a ruling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesetChoices {
    /// Variants; `None` leaves them to the situation.
    pub variants: Option<Vec<String>>,
    pub options: Vec<(String, bool)>,
    /// Readings with the chosen alternative.
    pub readings: Vec<(String, String)>,
}

impl RulesetChoices {
    /// Parses a list of variants, options and readings: `errata,errata.frost=off,8.16.remainder=even`. An empty text is the base game.
    pub fn parse(text: &str) -> RulesetChoices {
        let (mut variants, mut choices) = (Vec::new(), RulesetChoices::default());
        for word in text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            match word
                .split_once('=')
                .map(|(name, value)| (name.trim().to_string(), value.trim()))
            {
                None => variants.push(word.into()),
                Some((name, "on")) => choices.options.push((name, true)),
                Some((name, "off")) => choices.options.push((name, false)),
                Some((name, way)) => choices.readings.push((name, way.into())),
            }
        }
        RulesetChoices {
            variants: Some(variants),
            ..choices
        }
    }

    /// Adds options from elsewhere that its variants have and that it does not set itself.
    pub fn add_options(&mut self, library: &Library, options: &[(String, bool)]) {
        let variants = self.variants.as_deref().unwrap_or_default();
        let has = |name: &str| {
            variants
                .iter()
                .any(|variant| library.has_option(variant, name))
        };
        let added: Vec<_> = options
            .iter()
            .filter(|(name, _)| has(name) && self.options.iter().all(|(own, _)| own != name))
            .cloned()
            .collect();
        self.options.extend(added);
    }

    /// Returns the ruleset spec: the choices, over what a situation asks for. Choices that name variants replace those of the situation
    /// together with its options and readings, which belong to its variants.
    pub fn spec(&self, library: &Library, game: &str, in_force: InForce) -> RulesetSpec {
        let in_force = if self.variants.is_some() {
            InForce::default()
        } else {
            in_force.without_readings_of(&self.options, library, game)
        };
        RulesetSpec {
            game: game.into(),
            variants: self.variants.clone().unwrap_or(in_force.variants),
            options: in_force
                .options
                .into_iter()
                .chain(self.options.clone())
                .collect(),
            readings: in_force
                .readings
                .into_iter()
                .chain(self.readings.clone())
                .collect(),
            ..RulesetSpec::default()
        }
    }
}

/// Returns the requested variants without duplicates, in an order that respects `after:`.
pub fn order_variants(
    library: &Library,
    game: &Game,
    requested: &[String],
) -> Result<Vec<String>, Error> {
    let known_variants = library.variants_of(&game.name);
    let mut todo: Vec<String> = Vec::new();
    let mut pending: Vec<&String> = requested.iter().rev().filter(|n| !n.is_empty()).collect();
    while let Some(name) = pending.pop() {
        if let Some(misplaced) = library
            .variants
            .get(name)
            .filter(|variant| variant.game != game.name)
        {
            let (its_game, this_game) = (&misplaced.game, &game.name);
            if its_game.is_empty() {
                let message = format!("`{name}` does not say which game it is a variant of");
                return Err(Complaint::new(
                    DiagnosticCode::MissingKey,
                    Place::whole_file(&misplaced.file.path),
                    message,
                )
                .with_help("add a line `game: ...`")
                .into());
            }
            let problem = format!(
                "is a variant of {its_game}, and not of {this_game}; leave it out, or choose the game {its_game}"
            );
            return Err(Error::Misused {
                name: name.clone(),
                problem,
            });
        }
        if !known_variants.contains(&name.as_str()) {
            // The variant exists but is unreadable.
            let is_of_variant = |complaint: &&Complaint| {
                complaint
                    .place
                    .path
                    .ends_with(&format!("variants/{name}/variant.yaml"))
            };
            let faults: Vec<Complaint> = library
                .complaints
                .0
                .iter()
                .filter(is_of_variant)
                .cloned()
                .collect();
            if !faults.is_empty() {
                return Err(Error::Data(Complaints(faults)));
            }
            return Err(unknown_in_list("variant", name, known_variants));
        }
        if !todo.contains(name) {
            todo.push(name.clone());
            let variant = &library.variants[name];
            variant
                .check_dependencies(&known_variants)
                .map_or(Ok(()), |complaint| Err(Error::from(complaint)))?;
            pending.extend(variant.needs.iter().rev());
        }
    }
    let mut ordered: Vec<String> = Vec::new();
    while !todo.is_empty() {
        let ready = todo.iter().position(|name| {
            library.variants[name]
                .after
                .iter()
                .all(|other| !todo.contains(other) || other == name)
        });
        let Some(index) = ready else {
            let variant = &library.variants[&todo[0]];
            let message = format!("`after:` goes round in a circle: {}", todo.join(", "));
            return Err(Complaint::new(
                DiagnosticCode::Order,
                variant.place_of("after", ""),
                message,
            )
            .with_help("take one of the names out of `after:`")
            .into());
        };
        ordered.push(todo.remove(index));
    }
    Ok(ordered)
}

/// Returns the error for an unknown name of a list; where it is several names, it says how these are written.
fn unknown_in_list<'a>(
    kind: &'static str,
    name: &str,
    names_to_suggest: impl IntoIterator<Item = &'a str>,
) -> Error {
    let between = |c: char| c.is_whitespace() || ";+&/:".contains(c);
    let names: Vec<&str> = name
        .split(between)
        .filter(|part| !part.is_empty() && *part != "and")
        .collect();
    match names.len() {
        0 | 1 => Error::unknown(kind, name, names_to_suggest),
        _ => Error::Usage(format!(
            "no {kind} is called `{name}`; write commas between names: {}",
            names.join(",")
        )),
    }
}

/// Resolves the options of the layers.
pub fn resolve_options(
    library: &Library,
    layers: &[Arc<Layer>],
    spec: &RulesetSpec,
) -> Result<BTreeMap<String, bool>, Error> {
    let mut options = BTreeMap::new();
    for layer in layers {
        for option in layer.variant.iter().flat_map(|v| &v.options) {
            options.insert(format!("{}.{}", layer.name, option.name), option.default);
        }
    }
    for (name, on) in &spec.options {
        match options.get_mut(name) {
            Some(slot) => *slot = *on,
            None => {
                let variant = name
                    .split_once('.')
                    .map(|(variant, _)| variant)
                    .filter(|variant| library.has_option(variant, name));
                return Err(match variant {
                    Some(variant) => {
                        let on = if *on { "on" } else { "off" };
                        let message = format!(
                            "no option in force is called `{name}`, as {variant} is not in force"
                        );
                        Error::Usage(format!(
                            "{message}; name the variant, too: {variant},{name}={on}"
                        ))
                    }
                    None => {
                        unknown_in_list("option in force", name, options.keys().map(String::as_str))
                    }
                });
            }
        }
    }
    Ok(options)
}

/// Resolves the readings of the cases to the chosen alternatives. A name of one of the `options` is none of a reading.
pub fn resolve_readings(
    cases: &[Arc<Case>],
    spec: &RulesetSpec,
    options: &BTreeMap<String, bool>,
) -> Result<BTreeMap<String, String>, Error> {
    let mut ways_by_reading: BTreeMap<String, &[String]> = BTreeMap::new();
    for case in cases {
        for reading in &case.readings {
            ways_by_reading.insert(format!("{}.{}", case.number, reading.name), &reading.ways);
        }
    }
    let mut chosen: BTreeMap<String, String> = ways_by_reading
        .iter()
        .filter_map(|(k, w)| Some((k.clone(), w.first()?.clone())))
        .collect();
    for (name, way) in &spec.readings {
        let Some(reading_ways) = ways_by_reading.get(name) else {
            return Err(match options.contains_key(name) {
                true => Error::Misused {
                    name: name.clone(),
                    problem: format!("is an option, which is on or off, not `{way}`"),
                },
                false => Error::unknown(
                    "reading in force",
                    name,
                    ways_by_reading.keys().map(String::as_str),
                ),
            });
        };
        if !reading_ways.contains(way) {
            let listed = reading_ways.join(", ");
            let problem = did_you_mean(
                format!(
                    "can't be read as `{way}`; the readings are {listed}, the first being the default"
                ),
                way,
                reading_ways.iter().map(String::as_str),
            );
            return Err(Error::Misused {
                name: name.clone(),
                problem: problem.text,
            });
        }
        chosen.insert(name.clone(), way.clone());
    }
    Ok(chosen)
}
