//! What scripts may ask of the board, and how a procedure changes it.

use crate::board::{PieceId, PlaceId, SideId, default, dynamic};
use crate::case::Status;
use crate::complaint::did_you_mean;
use crate::entry::{Datum, Entry};
use crate::game::Track;
use crate::host::Host;
use crate::notation::{Turn, UnitValue};
use crate::session::{Answer, Session, fault, text_of};
use crate::trace::Event;
use rhai::{Array, Dynamic, Engine, ImmutableString, Map};
use std::rc::Rc;
use std::sync::Arc;

/// Verbs that change the situation; only a case with `procedure:` may call them.
pub const CHANGING: &[&str] = &["set", "move_piece", "put_on", "remove", "create", "set_track"];

/// Gives an engine the verbs of the board.
pub fn register(engine: &mut Engine, host: &Rc<Host>) {
    pieces(engine, host);
    places(engine, host);
    tracks(engine, host);
    changes(engine, host);
}

fn pieces(engine: &mut Engine, host: &Rc<Host>) {
    engine.register_type_with_name::<PieceId>("piece");
    engine.register_fn("==", |a: PieceId, b: PieceId| a == b);
    engine.register_fn("!=", |a: PieceId, b: PieceId| a != b);
    let h = host.clone();
    engine.register_indexer_get(move |piece: &mut PieceId, figure: ImmutableString| h.figure(*piece, &figure));
    let h = host.clone();
    engine.register_fn("piece", move |name: ImmutableString| -> Answer<PieceId> {
        let session = h.session.borrow();
        session.board.find(&name).map_or_else(
            || {
                fault(
                    "unknown-name",
                    format!("no piece is called `{name}`{}", did_you_mean(&name, session.board.pieces.iter().map(|p| p.name.as_str()))),
                    "pieces stand in the situation",
                )
            },
            Ok,
        )
    });
    let h = host.clone();
    engine.register_fn("has_piece", move |name: ImmutableString| {
        let session = h.session.borrow();
        session.board.find(&name).is_some_and(|id| !session.board.piece(id).gone)
    });
    let array = |ids: Vec<PieceId>| ids.into_iter().map(Dynamic::from).collect::<Array>();
    let h = host.clone();
    engine.register_fn("pieces", move || array(h.session.borrow().board.select(|_| true)));
    let h = host.clone();
    engine.register_fn("pieces_at", move |place: ImmutableString| {
        let session = h.session.borrow();
        array(session.board.select(|p| session.board.is_at(p, &place)))
    });
    let h = host.clone();
    engine.register_fn("pieces_at", move |place: ImmutableString, side: ImmutableString| {
        let session = h.session.borrow();
        array(session.board.select(|p| p.side == side && session.board.is_at(p, &place)))
    });
    let h = host.clone();
    engine.register_fn("pieces_on", move |carrier: Dynamic| {
        let session = h.session.borrow();
        let name = text_of(&carrier, &session.board);
        array(session.board.select(|p| p.on == name))
    });
    let h = host.clone();
    engine.register_fn("enemy", move |side: ImmutableString| {
        let other = h.ruleset.game.sides.iter().find(|s| **s != side.as_str());
        other.map(|s| ImmutableString::from(s.as_str())).unwrap_or_default()
    });
    let h = host.clone();
    engine.register_fn("entry", move |list: ImmutableString, name: ImmutableString| h.entry(&list, &name));
    let h = host.clone();
    engine.register_fn("entries", move |list: ImmutableString| h.entries(&list));
}

fn places(engine: &mut Engine, host: &Rc<Host>) {
    engine.register_type_with_name::<PlaceId>("place").register_type_with_name::<SideId>("side");
    engine.register_fn("place", |name: ImmutableString| PlaceId(name));
    engine.register_fn("between", |a: ImmutableString, b: ImmutableString| SideId(a, b));
    let h = host.clone();
    engine.register_indexer_get(move |place: &mut PlaceId, name: ImmutableString| -> Answer {
        if name == "name" {
            return Ok(place.0.clone().into());
        }
        let known = &h.ruleset.game.places.attributes;
        match h.session.borrow().board.feature(&place.0, &name) {
            Some(value) => Ok(value),
            None => {
                known.iter().find(|(k, _)| *k == name.as_str()).map_or_else(|| no_feature("place", &name, known), |(_, a)| Ok(default(a)))
            }
        }
    });
    let h = host.clone();
    engine.register_indexer_get(move |side: &mut SideId, name: ImmutableString| -> Answer {
        let known = &h.ruleset.game.places.sides;
        match h.session.borrow().board.side_feature(&side.0, &side.1, &name) {
            Some(value) => Ok(value),
            None => {
                known.iter().find(|(k, _)| *k == name.as_str()).map_or_else(|| no_feature("side", &name, known), |(_, a)| Ok(default(a)))
            }
        }
    });
    let h = host.clone();
    engine.register_fn("adjacent", move |a: ImmutableString, b: ImmutableString| -> Answer<bool> { Ok(h.distance(&a, &b)? == 1) });
    let h = host.clone();
    engine.register_fn("distance", move |a: ImmutableString, b: ImmutableString| h.distance(&a, &b));
    let h = host.clone();
    engine.register_fn("neighbours", move |place: ImmutableString| -> Answer<Array> {
        if h.game().places.hexes {
            return h.hexes_around(&place);
        }
        Ok(h.session.borrow().board.linked(&place).into_iter().map(Dynamic::from).collect())
    });
}

fn no_feature<T>(what: &str, name: &str, known: &[(String, crate::game::Attribute)]) -> Answer<T> {
    let near = did_you_mean(name, known.iter().map(|(k, _)| k.as_str()));
    fault("unknown-name", format!("a {what} has no `{name}`{near}"), "what places and sides have stands in the game's manifest")
}

fn tracks(engine: &mut Engine, host: &Rc<Host>) {
    let h = host.clone();
    engine.register_fn("track", move |name: ImmutableString| -> Answer {
        h.track(&name)?;
        h.session.borrow().board.tracks.get(name.as_str()).cloned().map_or_else(
            || {
                fault(
                    "unknown-name",
                    format!("the situation does not say where the track `{name}` stands"),
                    format!("add it under `tracks:`: `{name}: ...`"),
                )
            },
            Ok,
        )
    });
    let h = host.clone();
    engine.register_fn("later", move |track: ImmutableString, turn: ImmutableString, n: i64| -> Answer<ImmutableString> {
        match h.track(&track)? {
            Track::Turns { a_year, .. } => Ok(turn_of(&turn)?.later(n, a_year).to_string().into()),
            Track::Names(names) => {
                let index = box_of(&names, &track, &turn)? as i64 + n;
                let found = usize::try_from(index).ok().and_then(|i| names.get(i));
                found.map_or_else(
                    || fault("unknown-name", format!("the track `{track}` has no box {n} after {turn}"), "it ends before"),
                    |n| Ok(n.as_str().into()),
                )
            }
            Track::Numbers { .. } => fault("unknown-name", format!("the track `{track}` counts numbers"), "add to its value instead"),
        }
    });
    let h = host.clone();
    engine.register_fn("position", move |track: ImmutableString, turn: ImmutableString| -> Answer<i64> {
        match h.track(&track)? {
            Track::Turns { first, a_year, .. } => Ok(turn_of(&turn)?.since(first, a_year) + 1),
            Track::Names(names) => Ok(box_of(&names, &track, &turn)? as i64 + 1),
            Track::Numbers { .. } => fault("unknown-name", format!("the track `{track}` counts numbers"), "use its value"),
        }
    });
}

/// The box of a name on a track, from 0.
fn box_of(names: &[String], track: &str, name: &str) -> Answer<usize> {
    let near = did_you_mean(name, names.iter().map(String::as_str));
    names
        .iter()
        .position(|n| n == name)
        .map_or_else(|| fault("unknown-name", format!("the track `{track}` has no box `{name}`{near}"), "boxes stand in the manifest"), Ok)
}

fn turn_of(text: &str) -> Answer<Turn> {
    Turn::read(text).or_else(|error| fault("notation", error.to_string(), "a turn is its number and the year: \"4/62\""))
}

fn changes(engine: &mut Engine, host: &Rc<Host>) {
    let h = host.clone();
    engine.register_fn("set", move |piece: PieceId, figure: ImmutableString, value: Dynamic| h.set(piece, figure, value));
    let h = host.clone();
    engine.register_fn("move_piece", move |piece: PieceId, place: ImmutableString| {
        let mut session = h.session.borrow_mut();
        let target = session.board.piece_mut(piece);
        (target.at, target.on) = (place.clone(), ImmutableString::new());
        h.change(&mut session, "{} goes to {}", vec![Dynamic::from(piece), place.into()]);
    });
    let h = host.clone();
    engine.register_fn("put_on", move |piece: PieceId, carrier: Dynamic| {
        let mut session = h.session.borrow_mut();
        let name = ImmutableString::from(text_of(&carrier, &session.board));
        let target = session.board.piece_mut(piece);
        (target.at, target.on) = (ImmutableString::new(), name.clone());
        h.change(&mut session, "{} goes on {}", vec![Dynamic::from(piece), name.into()]);
    });
    let h = host.clone();
    engine.register_fn("remove", move |piece: PieceId, why: ImmutableString| {
        let mut session = h.session.borrow_mut();
        session.board.piece_mut(piece).gone = true;
        h.change(&mut session, "{} leaves the board: {}", vec![Dynamic::from(piece), why.into()]);
    });
    let h = host.clone();
    engine.register_fn("create", move |map: Map| -> Answer<PieceId> {
        let entry = h.described(&map)?;
        let mut session = h.session.borrow_mut();
        let id = session.board.add(&entry, &h.ruleset.game);
        h.change(&mut session, "{} comes into play: {}", vec![Dynamic::from(id), Dynamic::from(map)]);
        Ok(id)
    });
    let h = host.clone();
    engine.register_fn("set_track", move |name: ImmutableString, value: Dynamic| -> Answer<()> {
        h.track(&name)?;
        let mut session = h.session.borrow_mut();
        session.board.tracks.insert(name.to_string(), value.clone());
        h.change(&mut session, "{} stands at {}", vec![name.into(), value]);
        Ok(())
    });
}

impl Host {
    /// A figure of a piece; what is missing refuses, what is reconstructed is noted.
    pub fn figure(&self, id: PieceId, name: &str) -> Answer {
        let mut session = self.session.borrow_mut();
        let piece = session.board.piece(id);
        let text = |t: &ImmutableString| Ok(if t.is_empty() { Dynamic::UNIT } else { t.clone().into() });
        match name {
            "name" => return Ok(piece.name.clone().into()),
            "kind" => return Ok(piece.kind.clone().into()),
            "side" => return Ok(piece.side.clone().into()),
            "on" => return text(&piece.on),
            "at" => return text(session.board.place_of(piece)),
            "gone" => return Ok(piece.gone.into()),
            _ => {}
        }
        let attributes = &self.game().attributes;
        let Some(index) = self.game().attribute(name) else {
            let near = did_you_mean(name, attributes.iter().map(|(k, _)| k.as_str()));
            return fault("unknown-name", format!("a piece has no `{name}`{near}"), "attributes stand in the game's manifest");
        };
        let value = piece.values[index].clone();
        if let Some((_, status)) = piece.doubtful.iter().find(|(i, _)| *i == index).copied() {
            if status == Status::Missing || session.strict {
                let known =
                    if status == Status::Missing { "is not known" } else { "is reconstructed, and --strict does not use such figures" };
                let what = format!("{}: the {name} {known}", piece.name);
                return fault("figure", what, format!("give it in a situation of your own, or in {}", piece.path));
            }
            let (piece, path) = (piece.name.clone(), piece.path.clone());
            session.events.push(Event::Figure(piece, name.into(), status, path));
        }
        Ok(value)
    }

    /// Notes a change of the situation.
    fn change(&self, session: &mut Session, template: &'static str, args: Array) {
        let verb = Dynamic::from(template);
        self.memo.change(&[&verb].into_iter().chain(&args).collect::<Vec<_>>());
        session.events.push(Event::Change(template.into(), args));
    }

    fn set(&self, id: PieceId, name: ImmutableString, value: Dynamic) -> Answer<()> {
        let attributes = &self.ruleset.game.attributes;
        let mut session = self.session.borrow_mut();
        if name == "side" || name == "kind" {
            let (game, word) = (&self.ruleset.game, ImmutableString::from(value.to_string()));
            let known =
                if name == "side" { game.sides.iter().any(|s| *s == word.as_str()) } else { game.kinds.contains_key(word.as_str()) };
            if !known {
                return fault("unknown-name", format!("no {name} is called `{word}`"), "sides and kinds stand in the game's manifest");
            }
            let piece = session.board.piece_mut(id);
            *(if name == "side" { &mut piece.side } else { &mut piece.kind }) = word;
        } else {
            let Some(index) = self.game().attribute(&name) else {
                let near = did_you_mean(&name, attributes.iter().map(|(k, _)| k.as_str()));
                return fault("unknown-name", format!("a piece has no `{name}`{near}"), "attributes stand in the game's manifest");
            };
            let piece = session.board.piece_mut(id);
            piece.values[index] = value.clone();
            piece.doubtful.retain(|(i, _)| *i != index);
        }
        self.change(&mut session, "{}: {} is now {}", vec![Dynamic::from(id), name.into(), value]);
        Ok(())
    }

    fn track(&self, name: &str) -> Answer<Track> {
        let tracks = &self.ruleset.game.tracks;
        match tracks.get(name) {
            Some(track) => Ok(track.clone()),
            None => fault(
                "unknown-name",
                format!("no track is called `{name}`{}", did_you_mean(name, tracks.keys().map(String::as_str))),
                "tracks stand in the game's manifest",
            ),
        }
    }

    fn distance(&self, a: &ImmutableString, b: &ImmutableString) -> Answer<i64> {
        if self.game().places.hexes {
            return self.hexes_between(a, b);
        }
        let session = self.session.borrow();
        let (mut seen, mut ring, mut steps) = (vec![a.to_string()], vec![a.to_string()], 0);
        while !ring.is_empty() {
            if ring.iter().any(|p| *p == b.as_str()) {
                return Ok(steps);
            }
            ring = ring.iter().flat_map(|p| session.board.linked(p)).filter(|p| !seen.contains(p)).collect();
            ring.sort();
            ring.dedup();
            seen.extend(ring.iter().cloned());
            steps += 1;
        }
        fault("unknown-name", format!("no way leads from {a} to {b}"), "the map's sides say which places touch")
    }

    /// A piece described by a script's map.
    pub fn described(&self, map: &Map) -> Answer<Entry> {
        let game = &self.ruleset.game;
        let mut entry = Entry { path: Arc::from("(script)"), ..Entry::default() };
        for (key, value) in map {
            let text = value.to_string();
            match key.as_str() {
                "name" => entry.name = text,
                "value" => match (UnitValue::read(&text), &game.unit_value) {
                    (Ok(unit), Some((first, second, bracketed))) => {
                        entry.data.insert(first.clone(), Datum::Number(unit.first));
                        entry.data.insert(second.clone(), Datum::Number(unit.second));
                        bracketed.iter().for_each(|flag| drop(entry.data.insert(flag.clone(), Datum::Flag(unit.bracketed))));
                    }
                    (Err(error), _) => return fault("notation", error.to_string(), "write the counter's figures: \"6-3\""),
                    _ => return fault("notation", "the counters of this game have no pair of figures", "name the attributes singly"),
                },
                "kind" | "side" | "at" | "on" => drop(entry.data.insert(key.to_string(), Datum::Word(text))),
                name if game.attributes.iter().any(|(known, _)| known == name) => {
                    let datum = if let Ok(n) = value.as_int() {
                        Datum::Number(n)
                    } else if let Ok(flag) = value.as_bool() {
                        Datum::Flag(flag)
                    } else if let Some(list) = value.read_lock::<Array>() {
                        Datum::Words(list.iter().map(|w| w.to_string()).collect())
                    } else if value.is_unit() {
                        continue;
                    } else {
                        Datum::Word(text)
                    };
                    entry.data.insert(name.into(), datum);
                }
                name => {
                    let near = did_you_mean(name, game.attributes.iter().map(|(k, _)| k.as_str()));
                    return fault("unknown-name", format!("a piece has no `{name}`{near}"), "attributes stand in the game's manifest");
                }
            }
        }
        if entry.name.is_empty() || !entry.word("kind").is_some_and(|kind| game.kinds.contains_key(kind)) {
            return fault(
                "unknown-name",
                "a piece needs a name and a kind that the manifest knows",
                "write #{name: \"...\", kind: \"...\"}",
            );
        }
        Ok(entry)
    }

    fn entries(&self, list: &str) -> Answer<Array> {
        match self.ruleset.scenario(list) {
            Ok(scenario) => Ok(scenario.pieces.iter().map(|entry| Dynamic::from_map(as_map(entry))).collect()),
            Err(error) => fault("unknown-name", error.to_string(), "rosters and deployments stand in scenarios/<game> and in variants"),
        }
    }

    fn entry(&self, list: &str, name: &str) -> Answer {
        match self.ruleset.scenario(list) {
            Ok(scenario) => Ok(scenario.pieces.iter().find(|e| e.name == name).map_or(Dynamic::UNIT, |e| Dynamic::from_map(as_map(e)))),
            Err(error) => fault("unknown-name", error.to_string(), "rosters and deployments stand in scenarios/<game> and in variants"),
        }
    }
}

fn as_map(entry: &Entry) -> Map {
    let mut map: Map = entry.data.iter().map(|(k, v)| (k.as_str().into(), dynamic(v))).collect();
    map.insert("name".into(), entry.name.as_str().into());
    map.insert("status".into(), entry.rest.word().into());
    map
}
