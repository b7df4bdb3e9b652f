//! What scripts may ask of the board: pieces, places, tracks.

use crate::code::host::Host;
use crate::code::memo::{TRACKS, WHERE, WHOSE};
use crate::complaint::did_you_mean;
use crate::data::case::Status;
use crate::data::manifest::Track;
use crate::data::piece::Entry;
use crate::notation::Turn;
use crate::situation::board::{PieceId, PlaceId, SideId, default, dynamic};
use crate::situation::session::{Answer, fault, text_of};
use crate::situation::trace::Event;
use rhai::{Array, Dynamic, Engine, ImmutableString, Map};
use std::rc::Rc;

/// Gives an engine the verbs of the board.
pub fn register(engine: &mut Engine, host: &Rc<Host>) {
    pieces(engine, host);
    places(engine, host);
    tracks(engine, host);
}

fn pieces(engine: &mut Engine, host: &Rc<Host>) {
    engine.register_type_with_name::<PieceId>("piece");
    engine.register_fn("==", |a: PieceId, b: PieceId| a == b);
    engine.register_fn("!=", |a: PieceId, b: PieceId| a != b);
    let h = host.clone();
    engine.register_indexer_get(move |piece: &mut PieceId, figure: ImmutableString| h.figure(*piece, &figure));
    let h = host.clone();
    engine.register_fn("piece", move |name: ImmutableString| -> Answer<PieceId> {
        h.memo.look(WHERE);
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
        h.memo.look(WHERE);
        let session = h.session.borrow();
        session.board.find(&name).is_some_and(|id| !session.board.piece(id).gone)
    });
    let array = |ids: Vec<PieceId>| ids.into_iter().map(Dynamic::from).collect::<Array>();
    let h = host.clone();
    engine.register_fn("pieces", move || {
        h.memo.look(WHERE);
        array(h.session.borrow().board.select(|_| true))
    });
    let h = host.clone();
    engine.register_fn("pieces", move |wanted: Map| {
        h.memo.look(WHERE);
        let all = array(h.session.borrow().board.select(|_| true));
        h.sift(all, &wanted, true)
    });
    let h = host.clone();
    engine.register_fn("pieces_at", move |place: ImmutableString| {
        h.memo.look(WHERE);
        let session = h.session.borrow();
        array(session.board.select(|p| session.board.is_at(p, &place)))
    });
    let h = host.clone();
    engine.register_fn("pieces_at", move |place: ImmutableString, side: ImmutableString| {
        h.memo.look(WHERE);
        h.memo.look(WHOSE);
        let session = h.session.borrow();
        array(session.board.select(|p| p.side == side && session.board.is_at(p, &place)))
    });
    let h = host.clone();
    engine.register_fn("pieces_around", move |place: ImmutableString, side: ImmutableString| h.pieces_around(&place, &side));
    let h = host.clone();
    engine.register_fn("pieces_on", move |carrier: Dynamic| {
        h.memo.look(WHERE);
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

fn no_feature<T>(what: &str, name: &str, known: &[(String, crate::data::manifest::Attribute)]) -> Answer<T> {
    let near = did_you_mean(name, known.iter().map(|(k, _)| k.as_str()));
    fault("unknown-name", format!("a {what} has no `{name}`{near}"), "what places and sides have stands in the game's manifest")
}

fn tracks(engine: &mut Engine, host: &Rc<Host>) {
    let h = host.clone();
    engine.register_fn("track", move |name: ImmutableString| -> Answer {
        h.track(&name)?;
        h.memo.look(TRACKS);
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

impl Host {
    /// A figure of a piece; what is missing refuses, what is reconstructed is noted.
    pub fn figure(&self, id: PieceId, name: &str) -> Answer {
        let mut session = self.session.borrow_mut();
        let piece = session.board.piece(id);
        let text = |t: &ImmutableString| Ok(if t.is_empty() { Dynamic::UNIT } else { t.clone().into() });
        match name {
            "kind" | "side" => self.memo.look(WHOSE),
            "on" | "at" | "gone" => self.memo.look(WHERE),
            _ => {}
        }
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
        self.memo.look(index);
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

    /// The pieces of a side in the places that touch one.
    fn pieces_around(&self, place: &ImmutableString, side: &str) -> Answer<Array> {
        self.memo.look(WHERE);
        self.memo.look(WHOSE);
        let around = if self.game().places.hexes { self.hexes_around(place)? } else { Array::new() };
        let session = self.session.borrow();
        let linked = if self.game().places.hexes { Vec::new() } else { session.board.linked(place) };
        let near =
            |at: &str| linked.iter().any(|l| l == at) || around.iter().any(|h| h.read_lock::<ImmutableString>().is_some_and(|h| *h == at));
        let found = session.board.select(|p| p.side == side && near(session.board.place_of(p)));
        Ok(found.into_iter().map(Dynamic::from).collect())
    }

    /// A track of the game.
    pub fn track(&self, name: &str) -> Answer<Track> {
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
