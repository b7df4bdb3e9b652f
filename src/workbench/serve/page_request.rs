//! A request to the workbench: ruleset, situation with changes, dice and choices. The address encodes all of it.

use casebook_analysis::usecase::settings::{DiceSource, SituationSettings};
use casebook_checks::house::value_change::{piece_gone, piece_put_in};
use casebook_engine::complaint::Error;
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::library::{InForce, Library};
use casebook_engine::notation::Face;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruleset::spec::RulesetChoices;
pub use casebook_engine::situation::overrides::REMOVED;
use casebook_engine::situation::overrides::{Override, Overrides};
use form_urlencoded::{Serializer, parse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;

/// An answer where a ruling waits: these faces, the dice of the seed, or an option counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
#[schemars(rename = "Answer")]
pub enum AddressMove {
    /// These faces were thrown.
    Throw(Vec<Face>),
    /// The dice are drawn from the seed.
    Roll,
    /// The option with this index was chosen.
    Take(usize),
    /// The usual answer was given: the option with this index.
    #[schemars(skip)]
    Usual(usize),
    /// The policy of the side chose the option with this index; without one the policy is asked anew, so that the address says nothing of an answer
    /// that is secret.
    #[schemars(skip)]
    Policy(Option<usize>),
    /// An option was chosen in secret: its index, masked so that it is not readable in the address.
    #[serde(skip)]
    Secret(u32),
}

/// What is asked: a ruleset, a situation with what is changed in it, dice, choices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Ask", extend("required" = ["situation"]))]
pub struct PageRequest {
    /// The game; empty for whichever has the situation.
    pub game: String,
    pub situation: String,
    /// On pages without a situation, the situation whose rules are in force unless the request names others; empty for none.
    #[serde(skip)]
    pub rules_of: String,
    /// The variants; none for those that the situation names.
    pub with: Option<Vec<String>>,
    /// Two rulesets to six to compare, each a list of variants.
    pub rulesets: Vec<Vec<String>>,
    /// Options that are set: VARIANT.OPTION: on or off.
    pub options: BTreeMap<String, bool>,
    /// Readings that are chosen: CASE.NAME: the way to read it.
    pub readings: BTreeMap<String, String>,
    /// Pieces put in, by name: of this kind, or where it is empty as the counter of that name; `off` takes one out.
    pub pieces: BTreeMap<String, String>,
    /// What is changed in the situation, `PIECE: FIGURE`: as a file would have it; also `PLACE: FEATURE`, `A/B: FEATURE` of a side,
    /// `track: NAME`, `given: KEY`.
    pub set: BTreeMap<String, String>,
    /// Answers to choices, `SIDE: QUESTION`: OPTION.
    pub choose: BTreeMap<String, String>,
    /// SIDE or all: first, last, highest, lowest, best, worst, all, or a style.
    pub policy: BTreeMap<String, String>,
    /// What best and worst are measured by: outcomes added and taken off.
    pub measure: Option<String>,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// The seed of the dice.
    pub seed: Option<u64>,
    /// Dice of one's own, each singly, in the order thrown.
    pub dice: Option<Vec<Face>>,
    /// Whether the sequence of play goes on after the procedure.
    pub goes_on: bool,
    /// For /play: every answer so far.
    pub moves: Vec<AddressMove>,
    /// The indices of the moves that came with the one before them: a person clicked once, and the rest was answered without one.
    #[serde(skip)]
    pub continued: BTreeSet<usize>,
    /// Whether usual answers are given without asking.
    #[serde(skip)]
    pub usual_unasked: bool,
    /// Whether dice are thrown without asking.
    #[serde(skip)]
    pub throw_unasked: bool,
    /// Answers for the rest of a game, by `SIDE: QUESTION`.
    #[serde(skip)]
    pub always: BTreeMap<String, String>,
    /// The side before the screen, if the sides take turns at it.
    #[serde(skip)]
    pub seat: Option<String>,
    /// For /play: the first move that is reported, counted from 1; 0 for all of them. Without it, the last one.
    pub from_move: Option<usize>,
}

/// How signs of a face are written in a move, in the order in which they are read back: a hyphen separates moves, a full stop faces.
const ESCAPED: [(&str, &str); 4] = [("-", "~"), ("~", "!t"), (".", "!d"), ("!", "!e")];

/// Splits a list such as "a, b".
fn split_list(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(String::from)
        .collect()
}

impl AddressMove {
    /// Parses a move of an address: `3.5` are two dice, `thit.flag` two that show words, `r` draws them from the seed, `c1` is the option with index 1, `u1` and
    /// `p1` the same as the usual answer, or taken by the side's policy; `p` alone asks the policy, and `s` is a masked one.
    pub fn parse(text: &str) -> Result<AddressMove, Error> {
        let wrong = || {
            Error::Usage(format!(
                "`{text}` is not a move: 3.5 is a throw, r the dice of the seed, c1 the second option"
            ))
        };
        match text.split_at_checked(1) {
            Some(("c", option)) => option.parse().map(AddressMove::Take).map_err(|_| wrong()),
            Some(("u", option)) => option.parse().map(AddressMove::Usual).map_err(|_| wrong()),
            Some(("p", "")) => Ok(AddressMove::Policy(None)),
            Some(("p", option)) => option
                .parse()
                .map(|option| AddressMove::Policy(Some(option)))
                .map_err(|_| wrong()),
            Some(("s", masked)) => u32::from_str_radix(masked, 36)
                .map(AddressMove::Secret)
                .map_err(|_| wrong()),
            Some(("r", "")) => Ok(AddressMove::Roll),
            _ => {
                let unprefixed = text.strip_prefix('t');
                let faces = unprefixed
                    .unwrap_or(text)
                    .split('.')
                    .map(|face| match unprefixed {
                        Some(_) => ESCAPED
                            .iter()
                            .fold(face.to_string(), |face, (sign, written)| {
                                face.replace(written, sign)
                            })
                            .parse(),
                        None => face.parse(),
                    });
                let faces: Vec<Face> = faces.collect::<Result<_, _>>().map_err(|_| wrong())?;
                let is_written = unprefixed.is_some()
                    || faces.iter().all(|face| matches!(face, Face::Number(0..)));
                is_written
                    .then_some(AddressMove::Throw(faces))
                    .ok_or_else(wrong)
            }
        }
    }

    fn encode(&self) -> String {
        match self {
            AddressMove::Throw(faces) => {
                let is_plain = faces.iter().all(|face| matches!(face, Face::Number(0..)));
                let escaped = |face: &Face| {
                    ESCAPED
                        .iter()
                        .rev()
                        .fold(face.to_string(), |face, (sign, written)| {
                            face.replace(sign, written)
                        })
                };
                format!(
                    "{}{}",
                    if is_plain { "" } else { "t" },
                    faces.iter().map(escaped).collect::<Vec<_>>().join(".")
                )
            }
            AddressMove::Roll => "r".into(),
            AddressMove::Take(option) => format!("c{option}"),
            AddressMove::Usual(option) => format!("u{option}"),
            AddressMove::Policy(Some(option)) => format!("p{option}"),
            AddressMove::Policy(None) => "p".into(),
            AddressMove::Secret(masked) => {
                let digits = std::iter::successors(Some(*masked), |rest| {
                    Some(rest / 36).filter(|rest| *rest > 0)
                });
                let digits: Vec<char> = digits
                    .filter_map(|rest| char::from_digit(rest % 36, 36))
                    .collect();
                format!("s{}", digits.iter().rev().collect::<String>())
            }
        }
    }

    /// Masks an option with a random number, so that the same option has another text each time.
    pub fn secret(option: usize) -> AddressMove {
        if option > OPTION_BITS as usize {
            return AddressMove::Take(option);
        }
        let nonce = RandomState::new().hash_one(option) as u32 & !OPTION_BITS;
        AddressMove::Secret(nonce | (option as u32 ^ mask_of(nonce)) & OPTION_BITS)
    }

    /// Returns the index of the option that was taken, however it was; `None` for a throw, and where the policy is asked anew.
    pub fn option(&self) -> Option<usize> {
        match self {
            AddressMove::Take(option) | AddressMove::Usual(option) => Some(*option),
            AddressMove::Policy(option) => *option,
            AddressMove::Secret(masked) => {
                Some(((masked ^ mask_of(masked & !OPTION_BITS)) & OPTION_BITS) as usize)
            }
            AddressMove::Throw(_) | AddressMove::Roll => None,
        }
    }
}

/// The bits of a masked option that hold its index; the others are random.
const OPTION_BITS: u32 = 0xfff;

/// Returns the mask of an index.
fn mask_of(nonce: u32) -> u32 {
    (nonce ^ nonce >> 15).wrapping_mul(0x9e37_79b1) >> 20
}

impl PageRequest {
    /// Creates the request for a game.
    pub fn of_game(game: &str) -> PageRequest {
        PageRequest::of(game, "")
    }

    /// Creates the request for a situation as its file has it.
    pub fn of(game: &str, situation: &str) -> PageRequest {
        PageRequest {
            game: game.into(),
            situation: situation.into(),
            ..PageRequest::default()
        }
    }

    /// Parses the query string of an address.
    pub fn parse(game: &str, situation: &str, query: &str) -> Result<PageRequest, Error> {
        let mut request = PageRequest::of(game, situation);
        let (mut new, mut picks) = (BTreeMap::new(), BTreeMap::<String, Vec<String>>::new());
        for (key, text) in parse(query.as_bytes()) {
            let (key, name) = key
                .split_once(':')
                .map_or((&*key, ""), |(key, name)| (key, name.trim()));
            let named = || (name.to_string(), text.trim().to_string());
            match key {
                "at" => request.rules_of = text.trim().into(),
                "with" => request
                    .with
                    .get_or_insert_default()
                    .extend(split_list(&text)),
                "ruleset" => request.rulesets.push(split_list(&text)),
                "beside" if !text.trim().is_empty() => request.rulesets.push(split_list(&text)),
                "option" => drop(request.options.insert(name.into(), text == "on")),
                "reading" => request.readings.extend([named()]),
                "piece" => request.pieces.extend([named()]),
                "new" => drop(new.insert(name.to_string(), text.trim().to_string())),
                // The empty field of something that a situation may leave out.
                "more" if text.trim().is_empty() => {}
                "set" | "more" => request.set.extend([named()]),
                "pick" => picks.entry(name.into()).or_default().push(text.into()),
                "choose" => request.choose.extend([named()]),
                // The empty field of a side that all styles play.
                "policy" if text.trim().is_empty() => {}
                "policy" => request.policy.extend([named()]),
                "always" => request.always.extend([named()]),
                "measure" => {
                    request.measure = Some(text.into()).filter(|text: &String| !text.is_empty())
                }
                "strict" => request.strict = text == "on",
                "goes-on" => request.goes_on = text == "on",
                "usual" => request.usual_unasked = text == "on",
                "throws" => request.throw_unasked = text == "on",
                "seat" => request.seat = Some(text.into()).filter(|text: &String| !text.is_empty()),
                "seed" | "dice" if text.is_empty() => {}
                "seed" => {
                    request.seed = Some(text.parse().map_err(|_| {
                        Error::Usage(format!("`{text}` is not a seed: write a whole number"))
                    })?)
                }
                "dice" => {
                    let faces = split_list(&text)
                        .iter()
                        .map(|face| face.parse())
                        .collect::<Result<_, _>>();
                    request.dice = Some(faces.map_err(|_| {
                        Error::Usage(format!("`{text}` is not a list of dice: 3,5,2 are three"))
                    })?);
                }
                "moves" => {
                    // A leading sign stands for moves that came before any click.
                    for click in text.split('-').filter(|click| !click.is_empty()) {
                        for (nth, text) in click.split('_').enumerate() {
                            if !(text.is_empty() && nth == 0) {
                                request.add_move(AddressMove::parse(text)?, nth > 0);
                            }
                        }
                    }
                }
                // Other parameters belong to the page.
                _ => {}
            }
        }
        // An HTML form can't name its fields after user input, so a new piece comes as separate fields.
        if let Some(name) = new.remove("name").filter(|name| !name.is_empty()) {
            request
                .pieces
                .insert(name.clone(), new.remove("kind").unwrap_or_default());
            request
                .set
                .extend(
                    new.into_iter()
                        .filter(|(_, now)| !now.is_empty())
                        .map(|(key, now)| {
                            (
                                FigureName {
                                    target: &name,
                                    key: &key,
                                }
                                .to_string(),
                                now,
                            )
                        }),
                );
        }
        // The boxes of a list are fields of one name.
        request.set.extend(
            picks
                .into_iter()
                .map(|(name, list)| (name, format!("[{}]", list.join(", ")))),
        );
        request.choose.retain(|_, now| !now.is_empty());
        Ok(request)
    }

    /// Formats the query string; empty if nothing differs from the situation's file.
    pub fn to_query(&self) -> String {
        let mut out = Serializer::new(String::new());
        if !self.rules_of.is_empty() {
            out.append_pair("at", &self.rules_of);
        }
        if let Some(with) = &self.with {
            out.append_pair("with", &with.join(","));
        }
        for ruleset in &self.rulesets {
            out.append_pair("ruleset", &ruleset.join(","));
        }
        for (name, on) in &self.options {
            out.append_pair(&format!("option:{name}"), if *on { "on" } else { "off" });
        }
        let texts = [
            ("reading", &self.readings),
            ("piece", &self.pieces),
            ("set", &self.set),
            ("choose", &self.choose),
            ("policy", &self.policy),
            ("always", &self.always),
        ];
        for (key, map) in texts {
            for (name, value) in map {
                out.append_pair(&format!("{key}:{name}"), value);
            }
        }
        if let Some(measure) = &self.measure {
            out.append_pair("measure", measure);
        }
        let flags = [
            ("strict", self.strict),
            ("goes-on", self.goes_on),
            ("usual", self.usual_unasked),
            ("throws", self.throw_unasked),
        ];
        for (key, _) in flags.into_iter().filter(|(_, on)| *on) {
            out.append_pair(key, "on");
        }
        if let Some(seat) = &self.seat {
            out.append_pair("seat", seat);
        }
        if let Some(seed) = self.seed {
            out.append_pair("seed", &seed.to_string());
        }
        if let Some(dice) = &self.dice {
            out.append_pair("dice", &Face::join(dice, ","));
        }
        if !self.moves.is_empty() {
            let mut text = String::new();
            for (index, address_move) in self.moves.iter().enumerate() {
                text.push_str(match (self.continued.contains(&index), index) {
                    (true, _) => "_",
                    (false, 0) => "",
                    (false, _) => "-",
                });
                text.push_str(&address_move.encode());
            }
            out.append_pair("moves", &text);
        }
        // These characters are allowed in a query string, and stay readable unescaped.
        out.finish()
            .replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%27", "'")
    }

    /// Returns the request with only the parts that select the ruleset. Without its situation it keeps the rules of that.
    pub fn ruleset_only(&self) -> PageRequest {
        let PageRequest {
            game,
            situation,
            rules_of,
            with,
            options,
            readings,
            ..
        } = self.clone();
        PageRequest {
            game,
            rules_of: if situation.is_empty() {
                rules_of
            } else {
                situation
            },
            with,
            options,
            readings,
            ..PageRequest::default()
        }
    }

    /// Returns the request for another situation under the variants, options and readings that were switched.
    pub fn under_same_rules(&self, situation: &str) -> PageRequest {
        PageRequest {
            situation: situation.into(),
            rules_of: String::new(),
            ..self.ruleset_only()
        }
    }

    /// Returns the request without what does not change the game in progress: its moves, and who answers them.
    pub fn table_only(&self) -> PageRequest {
        PageRequest {
            policy: BTreeMap::new(),
            always: BTreeMap::new(),
            usual_unasked: false,
            throw_unasked: false,
            seat: None,
            ..self.after_moves(0)
        }
    }

    /// Returns the request with only so many of its moves.
    pub fn after_moves(&self, count: usize) -> PageRequest {
        let mut request = self.clone();
        request.moves.truncate(count);
        request.continued.retain(|index| *index < count);
        request
    }

    /// Adds a move; `continued` says whether it came without a click of its own: with the one before it, or as the page was opened.
    pub fn add_move(&mut self, address_move: AddressMove, continued: bool) {
        if continued {
            self.continued.insert(self.moves.len());
        }
        self.moves.push(address_move);
    }

    /// Returns the index of the move that a person made last.
    pub fn last_click(&self) -> Option<usize> {
        (0..self.moves.len())
            .rev()
            .find(|index| !self.continued.contains(index))
    }

    /// Returns the request before the last click of a person, with all that came of it; `None` if there was none.
    pub fn before_last_click(&self) -> Option<PageRequest> {
        Some(self.after_moves(self.last_click()?))
    }

    /// Returns whether persons keep secrets from each other: the sides take turns at the screen, or did so.
    pub fn keeps_secrets(&self) -> bool {
        self.seat.is_some()
            || self
                .moves
                .iter()
                .any(|address_move| matches!(address_move, AddressMove::Secret(_)))
    }

    /// Returns whether some answers are given without a person.
    pub fn has_unasked(&self) -> bool {
        self.usual_unasked
            || self.throw_unasked
            || !(self.policy.is_empty() && self.always.is_empty())
    }

    /// Returns whether the situation has overrides or answered choices.
    pub fn has_manual_changes(&self) -> bool {
        !(self.pieces.is_empty() && self.set.is_empty() && self.choose.is_empty())
    }

    /// Returns whether the odds may differ from those of the situation as its file has it.
    pub fn has_changes(&self) -> bool {
        self.has_manual_changes()
            || self.with.is_some()
            || !(self.options.is_empty() && self.readings.is_empty() && self.policy.is_empty())
    }

    /// Returns what is changed by hand in the situation, each as a change of it is typed.
    pub fn changes_of_situation(&self) -> Vec<String> {
        let of_piece = |(name, kind): (&String, &String)| {
            if kind == REMOVED {
                return piece_gone(&self.situation, name).to_yaml();
            }
            // Without a kind it is the counter of its name.
            let mut figures: Vec<(&str, &str)> = Vec::new();
            figures.extend((!kind.is_empty()).then_some(("kind", &**kind)));
            figures.extend(self.set.iter().filter_map(|(key, value)| {
                let figure = FigureName::parse(key).filter(|figure| figure.target == name)?;
                Some((figure.key, &**value))
            }));
            piece_put_in(&self.situation, name, &figures).to_yaml()
        };
        let is_of_other = |key: &str| {
            FigureName::parse(key).is_none_or(|figure| !self.pieces.contains_key(figure.target))
        };
        let figures = self.set.iter().filter(|(key, _)| is_of_other(key));
        let of_figure = |(key, value)| format!("{key} of {} = {value}", self.situation);
        let pieces = self.pieces.iter().map(of_piece);
        pieces.chain(figures.map(of_figure)).collect()
    }

    /// Returns each change as a text, with the request that lacks only this change.
    pub fn undo_steps(&self) -> Vec<(String, PageRequest)> {
        let mut steps = Vec::new();
        let mut add = |label: String, undo: &dyn Fn(&mut PageRequest)| {
            let mut request = self.clone();
            undo(&mut request);
            steps.push((label, request));
        };
        for (name, kind) in &self.pieces {
            add(
                format!(
                    "{name} is {}",
                    if kind == REMOVED { "out" } else { "put in" }
                ),
                &|request| {
                    request.pieces.remove(name);
                    request.set.retain(|key, _| !FigureName::is_of(key, name));
                },
            );
        }
        let put_in = |key: &str| {
            FigureName::parse(key).is_some_and(|name| self.pieces.contains_key(name.target))
        };
        for (key, value) in self.set.iter().filter(|(key, _)| !put_in(key)) {
            let label = FigureName::parse(key).map_or(key.clone(), |name| {
                let key = name.key.trim_start_matches('+');
                FigureName { key, ..name }.to_string()
            });
            add(format!("{label} {value}"), &|request| {
                drop(request.set.remove(key))
            });
        }
        for (key, value) in &self.choose {
            add(format!("{key}: {value}"), &|request| {
                drop(request.choose.remove(key))
            });
        }
        for (key, on) in &self.options {
            add(
                format!("{key} {}", if *on { "on" } else { "off" }),
                &|request| request.options.retain(|name, _| name != key),
            );
        }
        for (key, reading) in &self.readings {
            add(format!("{key} read as {reading}"), &|request| {
                drop(request.readings.remove(key))
            });
        }
        if let Some(with) = &self.with {
            let label = if with.is_empty() {
                "no variant".into()
            } else {
                with.join(", ")
            };
            add(format!("rules: {label}"), &|request| request.with = None);
        }
        steps
    }

    /// Returns the overrides of the situation.
    pub fn overrides(&self) -> Result<Overrides, Error> {
        let overrides = self
            .set
            .iter()
            .map(|(name, now)| Override::read(name, now))
            .collect::<Result<_, _>>()?;
        Ok(Overrides {
            pieces: self.pieces.clone(),
            set: overrides,
            goes_on: self.goes_on,
        })
    }

    /// Returns the answers, the policies and the measure.
    pub fn settings(&self) -> SituationSettings {
        let pairs = |map: &BTreeMap<String, String>| map.clone().into_iter().collect();
        let (choices, policies, measure) = (
            pairs(&self.choose),
            pairs(&self.policy),
            self.measure.clone(),
        );
        SituationSettings {
            choices,
            policies,
            measure,
            matrix: None,
            strict: self.strict,
            hidden: Vec::new(),
        }
    }

    pub fn dice_source(&self) -> DiceSource {
        DiceSource::new(self.seed.unwrap_or(1), self.dice.as_deref())
    }

    /// Returns what the request settles of the rules in force.
    pub fn choices(&self) -> RulesetChoices {
        let options = self
            .options
            .iter()
            .map(|(name, on)| (name.clone(), *on))
            .collect();
        RulesetChoices {
            variants: self.with.clone(),
            options,
            readings: self.readings.clone().into_iter().collect(),
        }
    }

    /// Returns the ruleset spec: what the address names, otherwise what the situation names. The address keeps the options of variants that
    /// are switched off; they are left out here.
    pub fn spec(&self, library: &Library, in_force: InForce) -> RulesetSpec {
        let variants = self.with.as_ref().unwrap_or(&in_force.variants);
        let mut choices = self.choices();
        choices.options.retain(|(name, _)| {
            variants
                .iter()
                .any(|variant| library.has_option(variant, name))
        });
        choices.spec(library, &self.game, in_force)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_round_trips() {
        let query = "with=errata,winter&option:winter.frost=off&reading:2.1.odd=even&set:Red: size=5&choose:Blue: what=b %26 c&seed=7&moves=3.5-c1-r";
        let request = PageRequest::parse("g", "s", query).expect("it can be read");
        assert_eq!(request.with, Some(vec!["errata".into(), "winter".into()]));
        let overrides = request.overrides().expect("these are figures").set;
        assert_eq!(
            overrides,
            [Override {
                target: "Red".into(),
                key: "size".into(),
                value: "5".into()
            }]
        );
        assert_eq!(
            request.moves,
            [
                AddressMove::Throw(vec![3.into(), 5.into()]),
                AddressMove::Take(1),
                AddressMove::Roll
            ]
        );
        assert_eq!(
            PageRequest::parse("g", "s", &request.to_query()).expect("its own address can be read"),
            request
        );
    }

    #[test]
    fn a_secret_option_is_masked_and_comes_back() {
        for option in [0, 1, 7, 500, 4095] {
            let moves: Vec<AddressMove> = (0..20).map(|_| AddressMove::secret(option)).collect();
            assert!(
                moves.iter().all(|moves| moves.option() == Some(option)),
                "{moves:?}"
            );
            assert!(
                moves.iter().any(|one| *one != moves[0]),
                "its text says which it is"
            );
            assert!(
                moves
                    .iter()
                    .all(|moves| AddressMove::parse(&moves.encode())
                        .is_ok_and(|read| read == *moves)),
                "{moves:?}"
            );
        }
        assert!(AddressMove::parse("s").is_err() && AddressMove::parse("szzzzzzzz").is_err());
    }

    #[test]
    fn a_new_piece_is_read_field_by_field() {
        let request = PageRequest::parse(
            "g",
            "s",
            "new:name=Red+guard&new:kind=rider&new:at=0101&new:side=&piece:Blue=off&goes-on=on",
        )
        .expect("it can be read");
        assert_eq!(
            request.to_query(),
            "piece:Blue=off&piece:Red+guard=rider&set:Red+guard:+at=0101&goes-on=on"
        );
        assert_eq!(
            PageRequest::parse("g", "s", &request.to_query()).expect("its own address can be read"),
            request
        );
    }

    #[test]
    fn moves_keep_the_clicks_that_they_came_with() {
        for (moves, before) in [
            ("_p1_r-c2_p0", Some("moves=_p1_r")),
            ("_p1_r", None),
            ("c1-c2_r", Some("moves=c1")),
            ("c1", Some("")),
        ] {
            let request = PageRequest::parse("g", "s", &format!("moves={moves}")).expect("moves");
            assert_eq!(request.to_query(), format!("moves={moves}"));
            let earlier = request
                .before_last_click()
                .map(|earlier| earlier.to_query());
            assert_eq!(earlier.as_deref(), before, "{moves}");
        }
    }

    #[test]
    fn ticked_boxes_are_one_list() {
        let request = PageRequest::parse(
            "g",
            "s",
            "pick:given: who=Red&pick:given: who=%22Blue%27s%22",
        )
        .expect("it can be read");
        assert_eq!(
            request.set.get("given: who").map(String::as_str),
            Some("[Red, \"Blue's\"]")
        );
    }

    #[test]
    fn invalid_moves_are_rejected() {
        assert!(AddressMove::parse("x").is_err());
        assert!(AddressMove::parse("").is_err() && AddressMove::parse("hit.flag").is_err());
        assert_eq!(
            AddressMove::parse("thit.~1").expect("faces"),
            AddressMove::Throw(vec!["hit".into(), "-1".into()])
        );
        assert!(PageRequest::parse("g", "s", "seed=many").is_err());
    }

    /// A piece put in as its counter, without a figure, is not one that is taken out.
    #[test]
    fn pieces_that_come_and_go_are_told_apart() {
        let request = PageRequest::parse("g", "s", "piece:A=&piece:B=off").expect("pieces");
        let [came, gone] = &request.changes_of_situation()[..] else {
            panic!("two changes");
        };
        assert_eq!(came, "{ of: s, piece: A, was: absent, now: {  } }");
        assert_eq!(gone, "{ of: s, piece: B, was: present, now: absent }");
    }

    #[test]
    fn faces_of_any_signs_come_back() {
        for face in ["J. Hill", "a-b", "wow!", "~", "!d", "!t~-.", "-1"] {
            let address_move = AddressMove::Throw(vec![face.into(), "hit".into()]);
            let written = address_move.encode();
            assert!(!written.contains('-'), "{written}");
            assert_eq!(
                AddressMove::parse(&written).expect("a move"),
                address_move,
                "{written}"
            );
        }
    }
}
