//! The journal of a ruling: what was in force, and every throw and choice with what was asked. With the same data it reproduces everything.

use crate::complaint::{Complaint, Error, Place};
use crate::data::format::trial;
use crate::data::library::Library;
use crate::data::plain::text_of;
use crate::data::save::write_whole;
use crate::data::write::{flow, lines};
use crate::data::yaml::{Node, Reader};
use crate::ruleset::compose::Wish;
use crate::ruling::moves::Move;
use crate::ruling::page::plain;
use crate::ruling::session::Session;
use crate::ruling::situation::Situation;
use crate::situation::overrides::{Override, Overrides};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The journal of one ruling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// The game.
    pub game: String,
    /// The situation.
    pub situation: String,
    /// Variants in force.
    pub with: Vec<String>,
    /// Options set by hand.
    pub options: BTreeMap<String, bool>,
    /// Readings chosen by hand.
    pub readings: BTreeMap<String, String>,
    /// What was set in the situation by hand.
    pub overrides: Overrides,
    /// The seed of dice that were thrown and not typed; none where all were typed.
    pub seed: Option<u64>,
    /// Every throw and choice, in order.
    pub moves: Vec<Move>,
    /// What came of it, outcome by outcome; none while it is under way.
    pub results: Option<BTreeMap<String, String>>,
}

/// The form of journals this version writes and reads.
const FORM: i64 = 2;

/// A journal with the place of each of its moves in the file.
pub type Read = (Journal, Vec<Place>);

impl Journal {
    /// The journal of a ruling, as far as it was carried out.
    pub fn new(situation: &str, wish: &Wish, seed: Option<u64>, moves: Vec<Move>, results: Option<&Map<String, Value>>) -> Journal {
        Journal {
            game: wish.game.clone(),
            situation: situation.into(),
            with: wish.with.clone(),
            options: wish.options.iter().cloned().collect(),
            readings: wish.readings.iter().cloned().collect(),
            overrides: Overrides::default(),
            seed,
            moves,
            results: results.map(told),
        }
    }

    /// The same of a situation in which this was set by hand.
    pub fn with_overrides(self, overrides: &Overrides) -> Journal {
        Journal { overrides: overrides.clone(), ..self }
    }

    /// What was in force.
    pub fn wish(&self) -> Wish {
        Wish {
            game: self.game.clone(),
            with: self.with.clone(),
            options: self.options.clone().into_iter().collect(),
            readings: self.readings.clone().into_iter().collect(),
            ..Wish::default()
        }
    }

    /// Carries out what it says, move by move; complains at the first that is not what the rules ask for.
    pub fn played(&self, library: &Arc<Library>, places: &[Place], strict: bool) -> Result<Session, Error> {
        let situation = Situation::with_overrides(library, &self.wish(), &self.situation, &self.overrides)?;
        let mut session = Session::begin(situation, self.seed.unwrap_or(1), strict)?;
        for (made, place) in self.moves.iter().zip(places) {
            session.again(made).map_err(|error| match error {
                Error::Usage(what) => Complaint::new("journal", place.clone(), what)
                    .help("the rules have changed since it was written, or an answer above it was changed by hand; `casebook replay` with `--with` or `--change` goes on by the names of dice and choices")
                    .into(),
                Error::Data(complaints) if complaints.0.iter().any(|complaint| complaint.law == "dice") => {
                    Complaint::new("journal", place.clone(), format!("the journal has {made}, and its dice can't fall so"))
                        .help("the file is damaged: put right what each die showed")
                        .into()
                }
                other => other,
            })?;
        }
        Ok(session)
    }

    /// Reads a journal.
    pub fn read(path: &Path) -> Result<Read, Error> {
        let shown = path.display().to_string();
        std::fs::metadata(path).map_err(|source| Error::File { path: shown.clone(), source })?;
        let text = text_of(path).map_err(|(what, help)| Complaint::new("journal", Place::file(&shown), what).help(help))?;
        Journal::of_text(&shown, &text)
    }

    /// Reads the text of a journal.
    pub fn of_text(path: &str, text: &str) -> Result<Read, Error> {
        let mut reader = Reader::new(path, text);
        let found = reader.parse(text).map(|root| Journal::fill(&root, &mut reader, text));
        match found {
            Some(found) if !reader.complaints.any_error() => Ok(found),
            _ => Err(Error::Data(reader.complaints)),
        }
    }

    fn fill(root: &Node, reader: &mut Reader, text: &str) -> Read {
        let form = root.get("journal").and_then(Node::text).unwrap_or_default().to_string();
        if form != FORM.to_string() && root.get("journal").is_some() {
            let what = format!("this journal is of form {form}; this casebook reads form {FORM}");
            reader.complain(
                "journal",
                root.span_of("journal", ""),
                what,
                "play it with the casebook that wrote it, or play anew and `--save` it",
            );
            return Read::default();
        }
        reader.fits(root, &trial::JOURNAL);
        let need = |reader: &mut Reader, key: &str| reader.need(root, key).unwrap_or_default().to_string();
        let list = |key: &str| root.get(key).map(Node::entries).unwrap_or_default();
        need(reader, "journal");
        let mut journal = Journal { game: need(reader, "game"), situation: need(reader, "situation"), ..Journal::default() };
        journal.with = root.get("with").map(|node| reader.texts(node)).unwrap_or_default();
        journal.seed = root.get("seed").and_then(|node| whole(node, reader, "a seed"));
        let name = |node: &Node| node.text().unwrap_or_default().to_string();
        for (key, node) in list("options") {
            journal.options.extend(reader.flag(node).map(|on| (name(key), on)));
        }
        for (key, node) in list("readings") {
            journal.readings.extend(reader.text(node).map(|way| (name(key), way.to_string())));
        }
        for (key, node) in list("pieces") {
            journal.overrides.pieces.extend(reader.text(node).map(|kind| (name(key), kind.to_string())));
        }
        for (key, node) in list("set") {
            match reader.text(node).map(|now| Override::read(&name(key), now)) {
                Some(Ok(one)) => journal.overrides.set.push(one),
                Some(Err(error)) => reader.complain("journal", key.span, error.to_string(), "write `\"Red guard: size\": 5`"),
                None => {}
            }
        }
        let mut places = Vec::new();
        for node in root.get("moves").map(Node::items).unwrap_or_default() {
            // Where one thing alone was open nobody chose; older journals have it nevertheless.
            let chosen = |made: &Move| !matches!(made, Move::Choice { options, .. } if options.len() == 1);
            if let Some(made) = made(node, reader).filter(chosen) {
                journal.moves.push(made);
                places.push(Place::at(reader.path(), text, node.span));
            }
        }
        if let Some(results) = root.get("results") {
            let pairs = results.entries().iter().filter_map(|(key, node)| Some((name(key), reader.text(node)?.to_string())));
            journal.results = Some(pairs.collect());
        }
        (journal, places)
    }

    /// The journal as its file has it.
    pub fn text(&self) -> String {
        let mut root = Map::new();
        let mut put = |key: &str, value: Value| root.insert(key.into(), value);
        put("journal", FORM.into());
        put("game", self.game.clone().into());
        put("situation", self.situation.clone().into());
        put("with", json!(self.with));
        if !self.options.is_empty() {
            put("options", json!(self.options));
        }
        if !self.readings.is_empty() {
            put("readings", json!(self.readings));
        }
        if !self.overrides.pieces.is_empty() {
            put("pieces", json!(self.overrides.pieces));
        }
        if !self.overrides.set.is_empty() {
            put("set", self.overrides.set.iter().map(|one| (one.name(), Value::from(one.now.as_str()))).collect());
        }
        if let Some(seed) = self.seed {
            put("seed", seed.into());
        }
        let mut out = lines(&root);
        out.push_str("moves:\n");
        if self.moves.is_empty() {
            out = out.replace("moves:\n", "moves: []\n");
        }
        self.moves.iter().for_each(|made| out.push_str(&format!("  - {}\n", flow(&json!(made)))));
        if let Some(results) = &self.results {
            out.push_str(&lines(&Map::from_iter([("results".to_string(), json!(results))])));
        }
        out
    }

    /// Writes the journal; the file is there whole or not at all. An older journal makes room; of another file `sure` is asked.
    pub fn write(&self, path: &Path, sure: impl Fn() -> bool) -> Result<(), Error> {
        let is_journal = |old: &str| old.lines().any(|line| line.starts_with("journal:"));
        write_whole(path, &self.text(), |old| match is_journal(old) || sure() {
            true => Ok(()),
            false => Err("there is such a file already, and it is no journal".into()),
        })
    }
}

/// Outcomes as a journal has them.
pub fn told(results: &Map<String, Value>) -> BTreeMap<String, String> {
    results.iter().map(|(name, value)| (name.clone(), plain(value))).collect()
}

fn whole<T: std::str::FromStr>(node: &Node, reader: &mut Reader, what: &str) -> Option<T> {
    let text = reader.text(node)?;
    let number = text.parse().ok();
    if number.is_none() {
        reader.complain("number", node.span, format!("`{text}` is no {what}"), "write a whole number that is not negative");
    }
    number
}

/// A throw or a choice.
fn made(node: &Node, reader: &mut Reader) -> Option<Move> {
    let names = trial::MOVE.names();
    let (throw, choice) = names.split_at(3);
    let before = reader.complaints.0.len();
    let text = |reader: &mut Reader, key: &str| reader.need(node, key).unwrap_or_default().to_string();
    let texts = |reader: &mut Reader, key: &str| node.get(key).map(|list| reader.texts(list)).unwrap_or_default();
    let found = if node.get("throw").is_some() {
        reader.keys(node, throw);
        let faces = node.get("faces").map(Node::items).unwrap_or_default();
        let faces: Vec<u32> = faces.iter().filter_map(|face| whole(face, reader, "face of a die")).collect();
        Move::Throw { dice: text(reader, "throw"), purpose: text(reader, "for"), faces }
    } else {
        reader.keys(node, if node.get("choice").is_some() { choice } else { &["throw", "choice"] });
        let options = texts(reader, "options");
        Move::Choice { what: text(reader, "choice"), side: text(reader, "side"), options, taken: text(reader, "taken") }
    };
    (reader.complaints.0.len() == before).then_some(found)
}
