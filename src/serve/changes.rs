//! Figures changed by hand, laid over a situation: they are read as if they stood in its file, and complained of likewise.

use crate::complaint::{Complaint, Error, Place, Span, did_you_mean};
use crate::data::case::Status;
use crate::data::manifest::{Attribute, Game};
use crate::data::piece::{Entry, data, piece_datum, track_datum};
use crate::data::scenario::Scenario;
use crate::data::yaml::{Node, Reader, Value};
use crate::serve::ask::{Change, OFF};
use std::collections::BTreeMap;

/// Where complaints say that a change stands.
const PATH: &str = "(changed by hand)";

/// Puts pieces into a situation and takes others out.
pub fn put(scenario: &mut Scenario, game: &Game, pieces: &BTreeMap<String, String>) -> Result<(), Error> {
    for (name, kind) in pieces {
        let place = scenario.pieces.iter().position(|piece| piece.name == *name);
        match (place, kind.as_str()) {
            (Some(place), OFF) => drop(scenario.pieces.remove(place)),
            (None, OFF) => {}
            (Some(_), _) => return Err(unknown(format!("a piece is called `{name}` already"))),
            (None, kind) => {
                let mut reader = Reader::new(PATH, kind);
                let node = Node { span: Span { line: 1, column: 1, length: kind.len().max(1) }, value: scalar(kind) };
                let sort = (!kind.is_empty()).then(|| piece_datum("kind", Span::default(), &node, game, &mut reader)).flatten();
                if reader.complaints.any_error() {
                    return Err(Error::Data(reader.complaints));
                }
                let data = sort.map(|sort| ("kind".to_string(), sort)).into_iter().collect();
                scenario.pieces.push(Entry { name: name.clone(), data, path: PATH.into(), ..Entry::default() });
            }
        }
    }
    Ok(())
}

/// Lays changes over a situation.
pub fn lay(scenario: &mut Scenario, game: &Game, changes: &[Change]) -> Result<(), Error> {
    for change in changes {
        let mut reader = Reader::new(PATH, &change.now);
        let span = Span { line: 1, column: 1, length: change.now.chars().count().max(1) };
        let several = game.attribute(&change.key).is_some_and(|index| game.attributes[index].1 == Attribute::Words);
        let node = match &*change.of {
            // What is handed over may be a list or a map; all else is a word or a figure, whatever letters it has.
            "given" if change.now.starts_with(['[', '{', '"', '\'']) => reader.parse(&change.now),
            _ => Some(Node { span, value: if several { words(&change.now, span) } else { scalar(&change.now) } }),
        };
        let Some(node) = node else { return Err(Error::Data(reader.complaints)) };
        if let Some(wrong) = one(scenario, game, change, node, &mut reader) {
            return Err(wrong);
        }
        if reader.complaints.any_error() {
            return Err(Error::Data(reader.complaints));
        }
    }
    Ok(())
}

fn words(text: &str, span: Span) -> Value {
    Value::List(text.split(',').map(|word| Node { span, value: scalar(word.trim()) }).filter(|node| node.text() != Some("")).collect())
}

fn scalar(text: &str) -> Value {
    Value::Scalar(text.to_string().into(), true)
}

/// Lays one change; says what is wrong with the thing it names.
fn one(scenario: &mut Scenario, game: &Game, change: &Change, node: Node, reader: &mut Reader) -> Option<Error> {
    let (of, key) = (change.of.as_str(), change.key.as_str());
    let map = |node: Node| Node { span: node.span, value: Value::Map(vec![(Node { span: node.span, value: scalar(key) }, node)]) };
    if let Some(piece) = scenario.pieces.iter_mut().find(|piece| piece.name == of) {
        let datum = piece_datum(key, Span::default(), &node, game, reader)?;
        piece.data.insert(key.into(), datum);
        // What somebody typed in is nobody's reconstruction.
        piece.status.insert(key.into(), Status::Printed);
        // Where it stands and what carries it are two ways to say the same.
        let other = if key == "at" { "on" } else { "at" };
        if matches!(key, "at" | "on") {
            piece.data.remove(other);
        }
        return None;
    }
    match of {
        "given" => {
            give(&mut scenario.root, key, node);
            None
        }
        "track" => match game.tracks.get(key) {
            Some(track) => {
                scenario.tracks.insert(key.into(), track_datum(key, track, &node, reader)?);
                None
            }
            None => Some(unknown(format!("no track is called `{key}`{}", did_you_mean(key, game.tracks.keys().map(String::as_str))))),
        },
        _ => match of.split_once('/').filter(|_| !scenario.places.contains_key(of)) {
            Some((a, b)) => {
                let side = data(&map(node), &game.places.sides, reader);
                scenario.sides.entry((a.into(), b.into())).or_default().extend(side);
                None
            }
            None if game.places.knows(of) && (game.places.hexes || scenario.places.contains_key(of)) => {
                let place = data(&map(node), &game.places.attributes, reader);
                scenario.places.entry(of.into()).or_default().extend(place);
                None
            }
            None => {
                let known = scenario.pieces.iter().map(|piece| piece.name.as_str()).chain(scenario.places.keys().map(String::as_str));
                Some(unknown(format!("no piece or place is called `{of}`{}", did_you_mean(of, known))))
            }
        },
    }
}

fn unknown(what: String) -> Error {
    Complaint::new("unknown-name", Place::file(PATH), what).help("change a piece, a place or a track of the situation").into()
}

/// Puts something else into the procedure's hands.
fn give(root: &mut Node, key: &str, now: Node) {
    let named = |text: &str| Node { span: now.span, value: scalar(text) };
    let Value::Map(entries) = &mut root.value else { return };
    if !entries.iter().any(|(known, _)| known.text() == Some("given")) {
        entries.push((named("given"), Node { span: now.span, value: Value::Map(Vec::new()) }));
    }
    let given = entries.iter_mut().find(|(known, _)| known.text() == Some("given"));
    if let Some((_, Node { value: Value::Map(list), .. })) = given {
        let key = named(key);
        list.retain(|(known, _)| known.text() != key.text());
        list.push((key, now));
    }
}
