//! A change of a value of a situation, roster or deployment, as it is typed: `Red guard: size = 5`, `track: turn of opening = 4`.

use crate::house::entry::ListEntry;
use casebook_engine::complaint::{Error, did_you_mean};
use casebook_engine::data::change::VALUES_OF;
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::list_change::inline_text;
use casebook_engine::data::node::flag_value;
use casebook_engine::data::piece::datum_text;
use casebook_engine::data::scenario::{ListKind, Scenario};
use casebook_engine::data::sheet::GIVEN;
use casebook_engine::data::yaml::{YamlNode, YamlReader, YamlValue};
use casebook_engine::data::yaml_writer::{write_figure, write_flow, write_key};
use casebook_engine::ruleset::compose::Ruleset;
use std::sync::Arc;

/// A new value for a figure of a piece, a feature of a place or side, a track or an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueChange {
    /// The situation, roster or deployment; `None` for the one that gives the figure.
    pub of: Option<String>,
    /// Whose figure: a piece, a place, a side between two places, `track` or `given`.
    pub target: String,
    pub key: String,
    /// The new value, as a file has it.
    pub now: String,
}

/// What stands before the name of a list.
const OF: &str = " of ";
/// The target of tracks.
pub const TRACK: &str = "track";
/// The keys of an entry below which a value has one name, each with the target that is typed for it: `tracks: { turn: 4 }` is `track: turn = 4`.
const MAPS: [(&str, &str); 2] = [("tracks", TRACK), (GIVEN, GIVEN)];
/// The keys of an entry that name whose figure changes.
const TARGETS: [&str; 3] = ["piece", "place", "side"];
/// The figures of a piece of which it has one at a time.
pub const WHERE_IT_IS: [&str; 2] = ["at", "on"];
/// The old value where a piece is that is taken away.
const PRESENT: &str = "present";
/// The new value that takes away what is there, and the old value where nothing is.
pub const ABSENT: &str = "absent";

/// Returns the entry that takes a piece out of a situation.
pub fn piece_gone(situation: &str, piece: &str) -> ListEntry {
    presence(situation, piece, [PRESENT, ABSENT])
}

/// Returns the entry that puts a piece into a situation, with figures as they are typed.
pub fn piece_put_in(situation: &str, piece: &str, figures: &[(&str, &str)]) -> ListEntry {
    let pair = |(key, value): &(&str, &str)| format!("{}: {}", write_key(key), write_value(value));
    let pairs: Vec<String> = figures.iter().map(pair).collect();
    let now = format!("{{ {} }}", pairs.join(", "));
    presence(situation, piece, [ABSENT, &now])
}

fn presence(situation: &str, piece: &str, [was, now]: [&str; 2]) -> ListEntry {
    ListEntry::of([
        (VALUES_OF, situation),
        ("piece", piece),
        ("was", was),
        ("now", now),
    ])
}

impl ValueChange {
    /// Parses what stands before and after the sign `=`; `None` where it names no figure.
    pub fn parse(place: &str, now: &str) -> Option<ValueChange> {
        let FigureName { target, key } = FigureName::parse(place)?;
        let (key, of) = match key.rsplit_once(OF) {
            Some((key, of)) => (key, Some(of.trim().to_string())),
            None => (key, None),
        };
        Some(ValueChange {
            of,
            target: target.into(),
            key: key.trim().into(),
            now: now.trim().into(),
        })
    }

    /// Returns where it applies, as it is typed.
    pub fn place(&self) -> String {
        let (target, key) = (&self.target, &self.key);
        let of = self.of.iter().map(|of| format!("{OF}{of}"));
        format!("{}{}", FigureName { target, key }, of.collect::<String>())
    }

    /// Reads an entry of a list, with the old value that it says; `None` if it can't be typed so.
    pub fn of_entry(entry: &ListEntry) -> Option<(ValueChange, Option<String>)> {
        let of = entry.get(VALUES_OF)?.to_string();
        let says_else = [VALUES_OF, "why", "status", "source"];
        let keys = entry.0.iter();
        let keys: Vec<_> = keys
            .filter(|(key, _)| !says_else.contains(&&**key))
            .collect();
        let (target, key, value) = match &keys[..] {
            [(map, values)] => {
                let (_, target) = MAPS.iter().find(|(key, _)| key == map)?;
                let node = read_value(&values.concat())?;
                let [(key, value)] = node.entries() else {
                    return None;
                };
                (
                    target.to_string(),
                    key.text_or_empty().into(),
                    value.clone(),
                )
            }
            [(kind, target), (key, values), left @ ..]
                if TARGETS.contains(&&**kind) && left.iter().all(|left| is_left(key, left)) =>
            {
                (target.concat(), key.clone(), read_value(&values.concat())?)
            }
            _ => return None,
        };
        let (was, now) = match (value.get("was"), value.get("now")) {
            (Some(was), Some(now)) => (Some(inline_text(was)), typed_text(now)?),
            _ => (None, typed_text(&value)?),
        };
        let change = ValueChange {
            of: Some(of),
            target,
            key,
            now,
        };
        Some((change, was))
    }

    /// Returns the entry of a list that it makes over some rules.
    pub fn entry(&self, below: &Ruleset) -> Result<ListEntry, Error> {
        let list = self.list(below)?;
        let path = self.path(&list, below)?;
        let old = old_value(&list, &path, below);
        let now = write_value(&self.now);
        let value = match old {
            Some(was) => format!("{{ was: {}, now: {now} }}", write_value(&was)),
            None if path[0] == "pieces" => format!("{{ was: {ABSENT}, now: {now} }}"),
            None => now,
        };
        let mut entry = ListEntry::of([(VALUES_OF, &*list.name)]);
        let (name, key) = (&*self.target, &*self.key);
        let nested = format!("{{ {}: {value} }}", write_figure(key));
        let pairs = match (&*path[0], &*path[1]) {
            ("pieces", _) => vec![("piece", name), (key, &*value)],
            (_, "sides") => vec![("side", name), (key, &*value)],
            (_, "places") => vec![("place", name), (key, &*value)],
            (map, _) => vec![(map, &*nested)],
        };
        entry.0.extend(ListEntry::of(pairs).0);
        // A piece that goes to a place leaves what carried it, and the other way round.
        if path[0] == "pieces" && WHERE_IT_IS.contains(&key) && self.now != ABSENT {
            for other in WHERE_IT_IS.into_iter().filter(|other| *other != key) {
                let path = [&*path[0], name, other].map(String::from);
                if let Some(was) = old_value(&list, &path, below) {
                    let was = write_value(&was);
                    let left = format!("{{ was: {was}, now: {ABSENT} }}");
                    entry.0.extend(ListEntry::of([(other, &*left)]).0);
                }
            }
        }
        Ok(entry)
    }

    /// Returns the change with the list that it is of: the one that gives the figure in a situation.
    pub fn placed_in(mut self, situation: &str, below: &Ruleset) -> Result<ValueChange, Error> {
        if self.of.is_none() {
            let scenario = below.scenario(situation)?;
            let ends = self.target.split_once('/').unwrap_or_default();
            let ends = (ends.0.to_string(), ends.1.to_string());
            // A list that has a place has all its features.
            let says = |list: &Scenario| {
                let mut pieces = list.pieces.iter();
                let is_piece = pieces.any(|piece| {
                    piece.name == self.target && piece.attributes.contains_key(&self.key)
                });
                is_piece || list.places.contains_key(&self.target) || list.sides.contains_key(&ends)
            };
            let used = used_lists(&scenario, below);
            let giver = [scenario.clone()].into_iter().chain(used);
            let giver = giver
                .into_iter()
                .find(|list| says(list))
                .unwrap_or(scenario);
            self.of = Some(giver.name.clone());
        }
        Ok(self)
    }

    fn list(&self, below: &Ruleset) -> Result<Arc<Scenario>, Error> {
        if let Some(of) = &self.of {
            return below.scenario(of);
        }
        let message = format!(
            "`{}` does not say in which situation, roster or deployment: write '{}{OF}NAME'",
            self.place(),
            self.place()
        );
        Err(Error::Usage(message))
    }

    /// Returns the keys that lead to the value in a list, or why there is none.
    fn path(&self, list: &Arc<Scenario>, below: &Ruleset) -> Result<Vec<String>, Error> {
        let path = |keys: &[&str]| Ok(keys.iter().map(|key| key.to_string()).collect());
        if let Some((map, _)) = MAPS.iter().find(|(_, target)| *target == self.target) {
            return path(&[map, &self.key]);
        }
        let used = used_lists(list, below);
        let lists = || used.iter().chain([list]);
        let pieces = || {
            lists()
                .flat_map(|list| &list.pieces)
                .map(|piece| &*piece.name)
        };
        if pieces().any(|name| name == self.target) {
            return path(&["pieces", &self.target, &self.key]);
        }
        let places = &below.game.places;
        let named = || lists().flat_map(|list| list.place_names());
        let is_place = |name: &str| match places.is_hex_grid {
            true => places.contains(name),
            false => named().any(|names| names == name),
        };
        let ends: Vec<&str> = self.target.split('/').collect();
        if ends.iter().all(|end| is_place(end)) {
            let kind = if ends.len() == 1 { "places" } else { "sides" };
            return path(&["map", kind, &self.target, &self.key]);
        }
        let names = pieces().chain(named());
        let message = format!(
            "no piece or place of {} is called `{}`",
            list.name, self.target
        );
        Err(Error::Usage(
            did_you_mean(message, &self.target, names).to_string(),
        ))
    }
}

/// Returns the lists that a situation takes figures from, those first that come last in it.
fn used_lists(scenario: &Scenario, below: &Ruleset) -> Vec<Arc<Scenario>> {
    let names = scenario.used_lists.iter().rev();
    names.filter_map(|name| below.scenario(name).ok()).collect()
}

/// Returns the value at a path of a list, of a figure of a piece also from the rosters of a situation.
fn old_value(list: &Scenario, path: &[String], below: &Ruleset) -> Option<String> {
    let [kind, name, key] = path else {
        return list.value_at(path);
    };
    if kind != "pieces" {
        return list.value_at(path);
    }
    let of = |list: &Scenario| {
        let piece = list.pieces.iter().find(|piece| piece.name == *name)?;
        piece.attributes.get(key).map(datum_text)
    };
    let is_situation = list.list_kind == ListKind::Situation;
    let used = || used_lists(list, below).iter().find_map(|list| of(list));
    of(list).or_else(|| used().filter(|_| is_situation))
}

/// Whether a pair of an entry only takes away where a piece was before `key` said where it is.
fn is_left(key: &str, (other, values): &(String, Vec<String>)) -> bool {
    let now = read_value(&values.concat()).map(|node| node.text_of("now").to_string());
    WHERE_IT_IS.contains(&key) && WHERE_IT_IS.contains(&&**other) && now.as_deref() == Some(ABSENT)
}

/// Writes a value: a switch without quotation marks, a list as it is typed.
fn write_value(text: &str) -> String {
    let is_list = |node: &YamlNode| matches!(node.value, YamlValue::List(_));
    match read_value(text).as_ref() {
        Some(list) if is_list(list) => write_flow(list),
        _ if flag_value(text).is_some() => text.into(),
        _ => write_figure(text),
    }
}

/// Returns a value as it is typed; `None` for one that has keys.
fn typed_text(node: &YamlNode) -> Option<String> {
    match &node.value {
        YamlValue::Scalar(text, _) => Some(text.clone()),
        YamlValue::List(_) => Some(write_flow(node)),
        YamlValue::Map(_) => None,
    }
}

fn read_value(text: &str) -> Option<YamlNode> {
    YamlReader::new("", text).parse(text)
}
