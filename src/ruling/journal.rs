//! The journal of a ruling: what was in force, the dice and the choices. With the same data it reproduces everything.

use crate::complaint::{Complaint, Error, Place, Span, did_you_mean};
use crate::data::disk::text_of;
use crate::data::save::write_whole;
use crate::data::yaml::Reader;
use crate::ruleset::compose::Wish;
use crate::ruling::resolve::Ruling;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The journal of one ruling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// The form of this file.
    pub journal: u32,
    /// The game.
    pub game: String,
    /// The situation.
    pub situation: String,
    /// Variants in force.
    pub with: Vec<String>,
    /// Options set by hand.
    #[serde(default)]
    pub options: BTreeMap<String, bool>,
    /// Readings chosen by hand.
    #[serde(default)]
    pub readings: BTreeMap<String, String>,
    /// Every die, singly, in the order thrown.
    pub dice: Vec<u32>,
    /// Answers to choices that were given by hand.
    #[serde(default)]
    pub choices: BTreeMap<String, String>,
    /// What came of it.
    pub results: serde_json::Map<String, serde_json::Value>,
}

/// The form of journals this version writes and reads.
const FORM: u32 = 1;

impl Journal {
    /// The journal of a ruling.
    pub fn new(ruling: &Ruling, wish: &Wish, choices: &[(String, String)]) -> Journal {
        Journal {
            journal: FORM,
            game: wish.game.clone(),
            situation: ruling.situation.clone(),
            with: wish.with.clone(),
            options: wish.options.iter().cloned().collect(),
            readings: wish.readings.iter().cloned().collect(),
            dice: ruling.dice.iter().flat_map(|(_, faces)| faces.iter().copied()).collect(),
            choices: choices.iter().cloned().collect(),
            results: ruling.results.clone(),
        }
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

    /// Reads a journal.
    pub fn read(path: &Path) -> Result<Journal, Error> {
        let shown = path.display().to_string();
        std::fs::metadata(path).map_err(|source| Error::File { path: shown.clone(), source })?;
        let text = text_of(path).map_err(|(what, help)| Complaint::new("journal", Place::file(&shown), what).help(help))?;
        let journal: Journal = serde_yaml::from_str(&text).map_err(|error| unreadable(&shown, &text, &error))?;
        if journal.journal != FORM {
            let span = Reader::new(&shown, &text).parse(&text, 0).map(|root| root.span_of("journal", "")).unwrap_or_default();
            let what = format!("this journal is of form {}; this casebook reads form {FORM}", journal.journal);
            let complaint = Complaint::new("journal", Place::at(&shown, &text, span), what);
            return Err(complaint.help("play it with the casebook that wrote it, or save it anew with `--save`").into());
        }
        Ok(journal)
    }

    /// Writes the journal; the file is there whole or not at all. An older journal makes room; of another file `sure` is asked.
    pub fn write(&self, path: &Path, sure: impl Fn() -> bool) -> Result<(), Error> {
        let text = serde_yaml::to_string(self).map_err(|e| Error::Usage(format!("{}: {e}", path.display())))?;
        let is_journal = |old: &str| old.lines().any(|line| line.starts_with("journal:"));
        write_whole(path, &text, |old| match is_journal(old) || sure() {
            true => Ok(()),
            false => Err("there is such a file already, and it is no journal".into()),
        })
    }
}

/// Why a journal can't be read, at its place.
fn unreadable(path: &str, text: &str, error: &serde_yaml::Error) -> Complaint {
    let message = error.without_snippet().to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    let near = match message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`')) {
        Some((key, rest)) => did_you_mean(key, rest.split([' ', ',', '`'])),
        None => String::new(),
    };
    let place = match error.location() {
        Some(at) => Place::at(path, text, Span { line: at.line() as usize, column: at.column() as usize, length: 1 }),
        None => Place::file(path),
    };
    Complaint::new("journal", place, format!("this journal can't be read: {message}{near}"))
        .help("take it from where it was saved, or save it anew with `--save`")
}
