//! How a procedure changes the situation: pieces set, moved, carried, removed, made; tracks advanced.

use crate::code::host::Host;
use crate::code::memo::{Memo, TRACKS, WHERE, WHOSE};
use crate::complaint::did_you_mean;
use crate::data::piece::{Datum, Entry};
use crate::notation::UnitValue;
use crate::situation::board::PieceId;
use crate::situation::session::{Answer, Session, fault, text_of};
use crate::situation::trace::Event;
use rhai::{Array, Dynamic, Engine, ImmutableString, Map};
use std::rc::Rc;
use std::sync::Arc;

/// Verbs that change the situation; only a case with `procedure:` may call them.
pub const CHANGING: &[&str] = &["set", "move_piece", "put_on", "remove", "create", "set_track"];

/// Gives an engine the verbs that change the situation. Where one piece may stand, a list of them may.
pub fn register(engine: &mut Engine, host: &Rc<Host>) {
    let h = host.clone();
    engine.register_fn("set", move |units: Dynamic, figure: ImmutableString, value: Dynamic| -> Answer<()> {
        h.acts("set")?;
        each(&units)?.into_iter().try_for_each(|piece| h.set(piece, figure.clone(), value.clone()))
    });
    let h = host.clone();
    engine.register_fn("move_piece", move |units: Dynamic, place: ImmutableString| -> Answer<()> {
        h.acts("move_piece")?;
        let mut session = h.session.borrow_mut();
        for piece in each(&units)? {
            let target = session.board.piece_mut(piece);
            (target.at, target.on) = (place.clone(), ImmutableString::new());
            h.change(&mut session, [WHERE].into_iter(), "{} goes to {}", vec![Dynamic::from(piece), place.clone().into()]);
        }
        Ok(())
    });
    let h = host.clone();
    engine.register_fn("put_on", move |units: Dynamic, carrier: Dynamic| -> Answer<()> {
        h.acts("put_on")?;
        let mut session = h.session.borrow_mut();
        let name = ImmutableString::from(text_of(&carrier, &session.board));
        for piece in each(&units)? {
            let target = session.board.piece_mut(piece);
            (target.at, target.on) = (ImmutableString::new(), name.clone());
            h.change(&mut session, [WHERE].into_iter(), "{} goes on {}", vec![Dynamic::from(piece), name.clone().into()]);
        }
        Ok(())
    });
    let h = host.clone();
    engine.register_fn("remove", move |units: Dynamic, why: ImmutableString| -> Answer<()> {
        h.acts("remove")?;
        let mut session = h.session.borrow_mut();
        for piece in each(&units)? {
            session.board.piece_mut(piece).gone = true;
            h.change(&mut session, [WHERE].into_iter(), "{} leaves the board: {}", vec![Dynamic::from(piece), why.clone().into()]);
        }
        Ok(())
    });
    let h = host.clone();
    engine.register_fn("create", move |map: Map| -> Answer<PieceId> {
        h.acts("create")?;
        let entry = h.described(&map)?;
        let mut session = h.session.borrow_mut();
        let id = session.board.add(&entry, h.game());
        h.change(&mut session, Memo::all(), "{} comes into play: {}", vec![Dynamic::from(id), Dynamic::from(map)]);
        Ok(id)
    });
    let h = host.clone();
    engine.register_fn("set_track", move |name: ImmutableString, value: Dynamic| -> Answer<()> {
        h.acts("set_track")?;
        h.track(&name)?;
        let mut session = h.session.borrow_mut();
        session.board.tracks.insert(name.to_string(), value.clone());
        h.change(&mut session, [TRACKS].into_iter(), "{} stands at {}", vec![name.into(), value]);
        Ok(())
    });
}

/// The pieces meant by one piece or a list of them.
fn each(units: &Dynamic) -> Answer<Vec<PieceId>> {
    let one = |unit: &Dynamic| unit.read_lock::<PieceId>().map(|id| *id);
    let all = match units.read_lock::<Array>() {
        Some(list) => list.iter().map(one).collect(),
        None => one(units).map(|id| vec![id]),
    };
    all.map_or_else(
        || {
            fault(
                "running",
                "only a piece of the board, or a list of them, can be changed",
                "maps stand for pieces in questions, not in procedures",
            )
        },
        Ok,
    )
}

impl Host {
    /// Law `procedure`: cases answer, procedures act. Examples set up what they like.
    fn acts(&self, verb: &str) -> Answer<()> {
        match self.answering() {
            Some(case) if case.procedure.is_none() => {
                let what = format!("`{verb}` changes the situation, and this case is no procedure");
                fault("procedure", what, "answer with a value and let a procedure act on it, or write `procedure: ...` on the card")
            }
            _ => Ok(()),
        }
    }

    /// Notes a change of the situation.
    fn change(&self, session: &mut Session, aspects: impl Iterator<Item = usize>, template: &'static str, args: Array) {
        let verb = Dynamic::from(template);
        self.memo.change(aspects, &[&verb].into_iter().chain(&args).collect::<Vec<_>>());
        session.events.push(Event::Change(template.into(), args));
    }

    fn set(&self, id: PieceId, name: ImmutableString, value: Dynamic) -> Answer<()> {
        let game = self.game();
        let mut session = self.session.borrow_mut();
        let aspect = if name == "side" || name == "kind" {
            let word = ImmutableString::from(value.to_string());
            let known =
                if name == "side" { game.sides.iter().any(|s| *s == word.as_str()) } else { game.kinds.contains_key(word.as_str()) };
            if !known {
                return fault("unknown-name", format!("no {name} is called `{word}`"), "sides and kinds stand in the game's manifest");
            }
            let piece = session.board.piece_mut(id);
            *(if name == "side" { &mut piece.side } else { &mut piece.kind }) = word;
            WHOSE
        } else {
            let Some(index) = game.attribute(&name) else {
                let near = did_you_mean(&name, game.attributes.iter().map(|(k, _)| k.as_str()));
                return fault("unknown-name", format!("a piece has no `{name}`{near}"), "attributes stand in the game's manifest");
            };
            let piece = session.board.piece_mut(id);
            piece.values[index] = value.clone();
            piece.doubtful.retain(|(i, _)| *i != index);
            index
        };
        self.change(&mut session, [aspect].into_iter(), "{}: {} is now {}", vec![Dynamic::from(id), name.into(), value]);
        Ok(())
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
}
