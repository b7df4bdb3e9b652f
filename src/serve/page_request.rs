//! What is asked of the workbench: a ruleset, a situation with what was changed in it, dice, choices. An address holds all of it.

use crate::complaint::Error;
use crate::data::library::{InForce, Library};
use crate::ruleset::compose::RulesetSpec;
pub use crate::situation::overrides::OFF;
use crate::situation::overrides::{Override, Overrides};
use form_urlencoded::{Serializer, parse};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What was answered where a procedure stopped.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum AddressMove {
    /// These faces fell.
    Throw(Vec<u32>),
    /// The dice of the seed fell.
    Roll,
    /// This option was taken, counted from 0.
    Take(usize),
}

/// All that a page or an answer to a program rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PageRequest {
    /// The game; empty for whichever has the situation.
    pub game: String,
    /// The situation.
    pub situation: String,
    /// Variants; none for what the situation names.
    pub with: Option<Vec<String>>,
    /// Rulesets to be set side by side, each a list of variants.
    pub rulesets: Vec<Vec<String>>,
    /// Options of variants that were switched.
    pub options: BTreeMap<String, bool>,
    /// Readings that were chosen.
    pub readings: BTreeMap<String, String>,
    /// Pieces put into the situation, by name: of this kind, or where none is said as the counter of that name; `off` takes one out.
    pub pieces: BTreeMap<String, String>,
    /// What was changed in the situation, by `PIECE: FIGURE`.
    pub set: BTreeMap<String, String>,
    /// Answers to choices, by `WHO: WHAT`.
    pub choose: BTreeMap<String, String>,
    /// Who chooses how, by side.
    pub policy: BTreeMap<String, String>,
    /// What best and worst are measured by.
    pub measure: Option<String>,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// The seed of the dice.
    pub seed: Option<u64>,
    /// Dice that were typed in.
    pub dice: Option<Vec<u32>>,
    /// Whether the sequence of play goes on after the procedure.
    pub goes_on: bool,
    /// How far it was played.
    pub moves: Vec<AddressMove>,
    /// From which move on a program is told what happened.
    pub from_move: Option<usize>,
}

/// An address can't be read.
fn invalid_address(what: impl Into<String>) -> Error {
    Error::Usage(what.into())
}

/// "a, b" as a list.
fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(String::from).collect()
}

impl AddressMove {
    /// A move of an address: `3.5` two dice, `r` those of the seed, `c1` the second option.
    pub fn parse(text: &str) -> Result<AddressMove, Error> {
        let wrong = || invalid_address(format!("`{text}` is no move: 3.5 is a throw, r the dice of the seed, c1 the second option"));
        match text.split_at_checked(1) {
            Some(("c", option)) => option.parse().map(AddressMove::Take).map_err(|_| wrong()),
            Some(("r", "")) => Ok(AddressMove::Roll),
            _ => text.split('.').map(str::parse).collect::<Result<_, _>>().map(AddressMove::Throw).map_err(|_| wrong()),
        }
    }

    fn encode(&self) -> String {
        match self {
            AddressMove::Throw(faces) => faces.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
            AddressMove::Roll => "r".into(),
            AddressMove::Take(option) => format!("c{option}"),
        }
    }
}

impl PageRequest {
    /// Reads the part of an address after `?`.
    pub fn parse(game: &str, situation: &str, query: &str) -> Result<PageRequest, Error> {
        let mut ask = PageRequest { game: game.into(), situation: situation.into(), ..PageRequest::default() };
        let mut new = BTreeMap::new();
        for (key, text) in parse(query.as_bytes()) {
            let (key, name) = key.split_once(':').map_or((&*key, ""), |(key, name)| (key, name.trim()));
            let named = || (name.to_string(), text.trim().to_string());
            match key {
                "with" => ask.with.get_or_insert_default().extend(split_list(&text)),
                "ruleset" => ask.rulesets.push(split_list(&text)),
                "option" => drop(ask.options.insert(name.into(), text == "on")),
                "reading" => ask.readings.extend([named()]),
                "piece" => ask.pieces.extend([named()]),
                "new" => drop(new.insert(name.to_string(), text.trim().to_string())),
                "set" => ask.set.extend([named()]),
                "choose" => ask.choose.extend([named()]),
                "policy" => ask.policy.extend([named()]),
                "measure" => ask.measure = Some(text.into()).filter(|text: &String| !text.is_empty()),
                "strict" => ask.strict = text == "on",
                "goes-on" => ask.goes_on = text == "on",
                "seed" if text.is_empty() => {}
                "seed" => ask.seed = Some(text.parse().map_err(|_| invalid_address(format!("`{text}` is no seed: write a whole number")))?),
                "dice" if text.is_empty() => {}
                "dice" => {
                    let faces = split_list(&text).iter().map(|face| face.parse()).collect::<Result<_, _>>();
                    ask.dice = Some(faces.map_err(|_| invalid_address(format!("`{text}` are no dice: 3,5,2 are three")))?);
                }
                "moves" => {
                    ask.moves = text.split('-').filter(|text| !text.is_empty()).map(AddressMove::parse).collect::<Result<_, _>>()?;
                }
                // What only the page wants to know.
                _ => {}
            }
        }
        // A form can't name its fields after what is typed into it: a new piece comes field by field.
        if let Some(name) = new.remove("name").filter(|name| !name.is_empty()) {
            ask.pieces.insert(name.clone(), new.remove("kind").unwrap_or_default());
            ask.set.extend(new.into_iter().filter(|(_, now)| !now.is_empty()).map(|(key, now)| (format!("{name}: {key}"), now)));
        }
        ask.choose.retain(|_, now| !now.is_empty());
        Ok(ask)
    }

    /// The part of an address after `?`; empty where nothing differs from what the situation says.
    pub fn to_query(&self) -> String {
        let mut out = Serializer::new(String::new());
        if let Some(with) = &self.with {
            out.append_pair("with", &with.join(","));
        }
        for ruleset in &self.rulesets {
            out.append_pair("ruleset", &ruleset.join(","));
        }
        for (name, on) in &self.options {
            out.append_pair(&format!("option:{name}"), if *on { "on" } else { "off" });
        }
        let texts =
            [("reading", &self.readings), ("piece", &self.pieces), ("set", &self.set), ("choose", &self.choose), ("policy", &self.policy)];
        for (key, map) in texts {
            for (name, value) in map {
                out.append_pair(&format!("{key}:{name}"), value);
            }
        }
        if let Some(measure) = &self.measure {
            out.append_pair("measure", measure);
        }
        if self.strict {
            out.append_pair("strict", "on");
        }
        if self.goes_on {
            out.append_pair("goes-on", "on");
        }
        if let Some(seed) = self.seed {
            out.append_pair("seed", &seed.to_string());
        }
        if let Some(dice) = &self.dice {
            out.append_pair("dice", &dice.iter().map(u32::to_string).collect::<Vec<_>>().join(","));
        }
        if !self.moves.is_empty() {
            out.append_pair("moves", &self.moves.iter().map(AddressMove::encode).collect::<Vec<_>>().join("-"));
        }
        // These may stand in an address as they are, and it is read more easily with them.
        out.finish().replace("%3A", ":").replace("%2C", ",").replace("%27", "'")
    }

    /// The same address without what only its ruleset is about.
    pub fn ruleset_only(&self) -> PageRequest {
        let PageRequest { game, with, options, readings, .. } = self.clone();
        PageRequest { game, with, options, readings, ..PageRequest::default() }
    }

    /// Whether anything of the situation was changed, or answered, by hand.
    pub fn has_manual_changes(&self) -> bool {
        !(self.pieces.is_empty() && self.set.is_empty() && self.choose.is_empty())
    }

    /// What was changed in the situation.
    pub fn overrides(&self) -> Result<Overrides, Error> {
        let set = self.set.iter().map(|(name, now)| Override::read(name, now)).collect::<Result<_, _>>()?;
        Ok(Overrides { pieces: self.pieces.clone(), set })
    }

    /// The answers to choices.
    pub fn choices(&self) -> Vec<(String, String)> {
        self.choose.clone().into_iter().collect()
    }

    /// What is to be in force: these variants, and of options and readings those that they have. Who names variants himself has left what
    /// the situation asks for behind.
    pub fn spec(&self, library: &Library, asked: InForce) -> RulesetSpec {
        let asked = if self.with.is_some() { InForce::default() } else { asked };
        let with = self.with.clone().unwrap_or(asked.variants);
        let has = |name: &str| {
            let part = name.split_once('.').and_then(|(variant, part)| Some((library.variants.get(variant)?, part)));
            part.is_some_and(|(variant, part)| with.contains(&variant.name) && variant.options.iter().any(|o| o.name == part))
        };
        let own = self.options.iter().filter(|(name, _)| has(name)).map(|(name, on)| (name.clone(), *on));
        let options = asked.options.into_iter().chain(own).collect();
        let readings = asked.readings.into_iter().chain(self.readings.clone()).collect();
        RulesetSpec { game: self.game.clone(), variants: with, options, readings, ..RulesetSpec::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_round_trips() {
        let query = "with=errata,winter&option:winter.frost=off&reading:2.1.odd=even&set:Red: size=5&choose:Blue: what=b %26 c&seed=7&moves=3.5-c1-r";
        let ask = PageRequest::parse("g", "s", query).expect("it can be read");
        assert_eq!(ask.with, Some(vec!["errata".into(), "winter".into()]));
        let set = ask.overrides().expect("these are figures").set;
        assert_eq!(set, [Override { of: "Red".into(), key: "size".into(), now: "5".into() }]);
        assert_eq!(ask.moves, [AddressMove::Throw(vec![3, 5]), AddressMove::Take(1), AddressMove::Roll]);
        assert_eq!(PageRequest::parse("g", "s", &ask.to_query()).expect("its own address can be read"), ask);
    }

    #[test]
    fn a_new_piece_is_read_field_by_field() {
        let ask = PageRequest::parse("g", "s", "new:name=Red+guard&new:kind=rider&new:at=0101&new:side=&piece:Blue=off&goes-on=on")
            .expect("it can be read");
        assert_eq!(ask.to_query(), "piece:Blue=off&piece:Red+guard=rider&set:Red+guard:+at=0101&goes-on=on");
        assert_eq!(PageRequest::parse("g", "s", &ask.to_query()).expect("its own address can be read"), ask);
    }

    #[test]
    fn invalid_moves_are_rejected() {
        assert!(AddressMove::parse("x").is_err());
        assert!(AddressMove::parse("").is_err());
        assert!(PageRequest::parse("g", "s", "seed=many").is_err());
    }
}
