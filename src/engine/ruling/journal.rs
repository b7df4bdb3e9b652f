//! The journal of a ruling: the rules in force, and every throw and choice with its request. It reproduces the ruling from the same data.

use crate::complaint::{Complaint, DiagnosticCode, Error, Place, Remedy, describe_other_form};
use crate::data::format::ruling_test;
use crate::data::library::Library;
use crate::data::text_file::read_named;
use crate::data::transaction::write_atomic;
use crate::data::yaml::{YamlNode, YamlReader};
use crate::data::yaml_writer::{write_file, write_inline};
use crate::ruleset::compose::RulesetSpec;
use crate::ruling::commitment::Commitment;
use crate::ruling::moves::JournalMove;
use crate::ruling::session::Session;
use crate::ruling::situation::Situation;
use crate::ruling::terminal_page::json_text;
use crate::situation::overrides::{Override, Overrides};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The journal of a ruling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    pub game: String,
    pub situation: String,
    /// The variants in force.
    pub variants: Vec<String>,
    /// The options set by hand.
    pub options: BTreeMap<String, bool>,
    /// The readings chosen by hand.
    pub readings: BTreeMap<String, String>,
    /// The values of the situation overridden by hand.
    pub overrides: Overrides,
    /// The seed of the dice; `None` if all dice were typed.
    pub seed: Option<u64>,
    /// The sides that are played by styles and policies, each with its own; `all` means every side; the last entry for a side applies.
    pub policy: Vec<(String, String)>,
    /// The commitment to the dice, if they can be checked.
    pub commitment: Option<Commitment>,
    /// Every throw and choice, in order.
    pub moves: Vec<JournalMove>,
    /// The outcomes by name; `None` if the ruling is unfinished.
    pub results: Option<BTreeMap<String, String>>,
}

/// The version of the journal format that is read and written.
const FORMAT_VERSION: i64 = 2;

/// A journal with the place of each of its moves in the file.
pub type ParsedJournal = (Journal, Vec<Place>);

impl Journal {
    /// Creates the journal of a ruling up to its current point.
    pub fn new(
        situation: &str,
        spec: &RulesetSpec,
        seed: Option<u64>,
        moves: Vec<JournalMove>,
        results: Option<&Map<String, Value>>,
    ) -> Journal {
        Journal {
            game: spec.game.clone(),
            situation: situation.into(),
            variants: spec.variants.clone(),
            options: spec.options.iter().cloned().collect(),
            readings: spec.readings.iter().cloned().collect(),
            overrides: Overrides::default(),
            seed,
            policy: Vec::new(),
            commitment: None,
            moves,
            results: results.map(results_text),
        }
    }

    /// Adds who plays.
    pub fn with_policy(self, policy: impl IntoIterator<Item = (String, String)>) -> Journal {
        let policy = policy.into_iter().collect();
        Journal { policy, ..self }
    }

    /// Adds the overrides of the situation.
    pub fn with_overrides(self, overrides: &Overrides) -> Journal {
        Journal {
            overrides: overrides.clone(),
            ..self
        }
    }

    /// Returns the ruleset specification.
    pub fn spec(&self) -> RulesetSpec {
        RulesetSpec {
            game: self.game.clone(),
            variants: self.variants.clone(),
            options: self.options.clone().into_iter().collect(),
            readings: self.readings.clone().into_iter().collect(),
            ..RulesetSpec::default()
        }
    }

    /// Replays the journal move by move; reports the first move that the rules don't ask for.
    pub fn play_back(
        &self,
        library: &Arc<Library>,
        places: &[Place],
        strict: bool,
    ) -> Result<Session, Error> {
        let mut session = self.begin(library, strict)?;
        for (index, journal_move) in self.moves.iter().enumerate() {
            replay_at(&mut session, journal_move, places.get(index))?;
        }
        Ok(session)
    }

    /// Refuses a game under way whose dice are committed to: without their secret it can't go on with the dice it was committed to.
    pub fn require_dice(&self, path: &str) -> Result<(), Error> {
        match &self.commitment {
            Some(Commitment { secret: None, .. }) => {
                let message = "the dice of this game are committed to, and their secret is not here: it can't go on in this place";
                let help = "go on in the terminal with `casebook play FILE`, where the game was begun; at its end the journal has the secret";
                Err(
                    Complaint::new(DiagnosticCode::Journal, Place::whole_file(path), message)
                        .with_help(help)
                        .into(),
                )
            }
            _ => Ok(()),
        }
    }

    /// Begins the session that the journal is of, before its first move.
    pub fn begin(&self, library: &Arc<Library>, strict: bool) -> Result<Session, Error> {
        let situation =
            Situation::with_overrides(library, &self.spec(), &self.situation, &self.overrides)?;
        Session::begin(situation, self.seed.unwrap_or(1), strict)
    }

    /// Reads a journal file.
    pub fn read(path: &Path) -> Result<ParsedJournal, Error> {
        let text = read_named(path, DiagnosticCode::Journal)?;
        Journal::parse(&path.display().to_string(), &text)
    }

    pub fn parse(path: &str, text: &str) -> Result<ParsedJournal, Error> {
        let mut reader = YamlReader::new(path, text);
        let parsed = reader
            .parse(text)
            .map(|root| Journal::parse_root(&root, &mut reader));
        match parsed {
            Some(parsed) if !reader.complaints.has_errors() => Ok(parsed),
            _ => Err(Error::Data(reader.complaints)),
        }
    }

    fn parse_root(root: &YamlNode, reader: &mut YamlReader) -> ParsedJournal {
        let form = root.text_of("journal").to_string();
        if form != FORMAT_VERSION.to_string() && root.get("journal").is_some() {
            let remedy = "play it with the casebook that wrote it, or play and save it again";
            let code = DiagnosticCode::Journal;
            let defect =
                describe_other_form(code, "this journal is", &form, FORMAT_VERSION, remedy);
            reader.report(root.span_of("journal", ""), defect);
            return ParsedJournal::default();
        }
        reader.check(root, &ruling_test::JOURNAL);
        let mut journal = Journal {
            game: root.text_of("game").into(),
            situation: root.text_of("situation").into(),
            variants: root.texts_of("with"),
            options: root
                .named_entries_of("options")
                .filter_map(|(name, on)| Some((name, on.flag()?)))
                .collect(),
            readings: root.named_texts_of("readings").collect(),
            policy: root.named_texts_of("policy").collect(),
            seed: root.get("seed").and_then(YamlNode::parse),
            results: root
                .get("results")
                .map(|_| root.named_texts_of("results").collect()),
            ..Journal::default()
        };
        journal.overrides.pieces = root.named_texts_of("pieces").collect();
        journal.overrides.goes_on = root.is_set("goes_on");
        for (key, now) in root.entries_of("set") {
            match Override::read(key.text_or_empty(), now.text_or_empty()) {
                Ok(override_entry) => journal.overrides.set.push(override_entry),
                Err(error) => reader.complain(
                    DiagnosticCode::Journal,
                    key.span,
                    error.to_string(),
                    "write `\"Red guard: size\": 5`",
                ),
            }
        }
        journal.commitment = root.get("commit").map(|node| Commitment {
            hash: node.text_of("hash").into(),
            half: node.optional_text_of("half"),
            secret: node.optional_text_of("secret"),
        });
        let mut places = Vec::new();
        for node in root.items_of("moves") {
            // Older journals contain choices with a single option, which are now made automatically.
            let chosen = |journal_move: &JournalMove| !matches!(journal_move, JournalMove::Choice { options, .. } if options.len() == 1);
            if let Some(journal_move) = Some(parse_move(node)).filter(chosen) {
                journal.moves.push(journal_move);
                places.push(reader.place(node.span));
            }
        }
        (journal, places)
    }

    /// Serializes the journal to YAML.
    pub fn to_yaml(&self) -> String {
        let mut root = Map::new();
        let mut put = |key: &str, value: Value| root.insert(key.into(), value);
        put("journal", FORMAT_VERSION.into());
        put("game", self.game.clone().into());
        put("situation", self.situation.clone().into());
        put("with", json!(self.variants));
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
            put(
                "set",
                self.overrides
                    .set
                    .iter()
                    .map(|one| (one.name(), Value::from(one.value.as_str())))
                    .collect(),
            );
        }
        if self.overrides.goes_on {
            put("goes_on", true.into());
        }
        if let Some(seed) = self.seed {
            put("seed", seed.into());
        }
        if !self.policy.is_empty() {
            let policy: BTreeMap<_, _> = self.policy.iter().cloned().collect();
            put("policy", json!(policy));
        }
        if let Some(Commitment { hash, half, secret }) = &self.commitment {
            let mut commit = Map::from_iter([("hash".to_string(), json!(hash))]);
            commit.extend(half.as_ref().map(|half| ("half".to_string(), json!(half))));
            commit.extend(
                secret
                    .as_ref()
                    .map(|secret| ("secret".to_string(), json!(secret))),
            );
            root.insert("commit".into(), commit.into());
        }
        let mut out = write_file(&root);
        out.push_str("moves:\n");
        if self.moves.is_empty() {
            out = out.replace("moves:\n", "moves: []\n");
        }
        self.moves.iter().for_each(|journal_move| {
            out.push_str(&format!("  - {}\n", write_inline(&json!(journal_move))))
        });
        if let Some(results) = &self.results {
            out.push_str(&write_file(&Map::from_iter([(
                "results".to_string(),
                json!(results),
            )])));
        }
        out
    }

    /// Writes the journal atomically. An older journal is overwritten; for another kind of file `sure` must confirm.
    pub fn write(&self, path: &Path, sure: impl Fn() -> bool) -> Result<(), Error> {
        let is_journal = |old: &str| old.lines().any(|line| line.starts_with("journal:"));
        write_atomic(path, self.to_yaml(), |old| {
            match is_journal(old) || sure() {
                true => Ok(()),
                false => Err("this file exists already, and it is not a journal".into()),
            }
        })
    }
}

/// Replays one move of a journal; an error names its place in the file.
pub fn replay_at(
    session: &mut Session,
    journal_move: &JournalMove,
    place: Option<&Place>,
) -> Result<(), Error> {
    let place = || {
        place
            .cloned()
            .unwrap_or_else(|| Place::whole_file("(journal)"))
    };
    session.replay_move(journal_move).map_err(|error| match error {
        Error::Usage(message) => Complaint::new(DiagnosticCode::Journal, place(), message)
            .with_help("look for what has changed since it was written: the rules, or an answer above it")
            .with_remedy(Remedy::ReplayByName)
            .into(),
        Error::Data(complaints) if complaints.0.iter().any(|complaint| complaint.code == DiagnosticCode::Dice) => {
            Complaint::new(DiagnosticCode::Journal, place(), format!("the journal has {journal_move}, and its dice can't fall so"))
                .with_help("the file is damaged: put right what each die showed")
                .into()
        }
        other => other,
    })
}

/// Converts outcomes to the text form that journals use.
pub fn results_text(results: &Map<String, Value>) -> BTreeMap<String, String> {
    results
        .iter()
        .map(|(name, value)| (name.clone(), json_text(value)))
        .collect()
}

/// Parses a throw or a choice.
fn parse_move(node: &YamlNode) -> JournalMove {
    let text = |key: &str| node.text_of(key).to_string();
    if node.get("throw").is_some() {
        let faces = node
            .items_of("faces")
            .iter()
            .filter_map(YamlNode::face)
            .collect();
        return JournalMove::Throw {
            dice: text("throw"),
            purpose: text("for"),
            faces,
        };
    }
    JournalMove::Choice {
        question: text("choice"),
        side: text("side"),
        options: node.texts_of("options"),
        taken: text("taken"),
    }
}
