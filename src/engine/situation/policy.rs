//! Policies answer the choices of a side that have no explicit answer.

use crate::complaint::{Complaints, Error, nearest_names};
use crate::data::cache::lock_unpoisoned;
use crate::data::manifest::{Game, PlayStyle};
use crate::situation::text::HashedText;
use crate::syntax::parse::parse_expression;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex};

/// Strategy of a side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolicyKind {
    /// The first option.
    First,
    /// The last option.
    Last,
    /// The greatest number.
    Highest,
    /// The smallest number.
    Lowest,
    /// A uniformly random option.
    Random,
    /// The option with the highest expected value of the measure.
    Best,
    /// The option with the lowest expected value.
    Worst,
    /// No single option: reports the range over all options.
    All,
    /// A dimension of a matrix: each option in turn, the same wherever the question recurs.
    Open,
    /// A typed formula selects the option.
    Script(Formula),
    /// A style of the game.
    Style(Arc<PlayStyle>),
}

/// A typed closure: `|what, options| options[0]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Formula {
    /// Parameter names for the question and the options.
    pub params: [String; 2],
    /// Body expression.
    pub body: String,
}

/// Keywords of the policies.
pub const NAMES: &[&str] = &[
    "first", "last", "highest", "lowest", "random", "best", "worst", "all",
];

impl PolicyKind {
    /// Returns the policy of a keyword.
    pub fn from_name(text: &str) -> Option<PolicyKind> {
        let kinds = [
            PolicyKind::First,
            PolicyKind::Last,
            PolicyKind::Highest,
            PolicyKind::Lowest,
            PolicyKind::Random,
            PolicyKind::Best,
            PolicyKind::Worst,
            PolicyKind::All,
        ];
        NAMES
            .iter()
            .zip(kinds)
            .find(|(word, _)| **word == text)
            .map(|(_, kind)| kind)
    }

    /// Parses a keyword, a style of the game or a closure.
    pub fn parse(text: &str, game: &Game) -> Result<PolicyKind, Error> {
        let styles = game.styles.iter().map(|style| style.name.as_str());
        let keywords: Vec<&str> = NAMES.iter().copied().chain(styles).collect();
        let usage = |message: String| {
            Error::Usage(format!(
                "{message}; write {} or a closure: '|what, options| options[0]'",
                keywords.join(", ")
            ))
        };
        if let Some(style) = game.styles.iter().find(|style| style.name == text) {
            return Ok(PolicyKind::Style(Arc::new(style.clone())));
        }
        if let Some(kind) = PolicyKind::from_name(text) {
            return Ok(kind);
        }
        let Some((params, body)) = text.strip_prefix('|').and_then(|rest| rest.split_once('|'))
        else {
            let hits = nearest_names(text, keywords.iter().copied());
            let hint = hits
                .first()
                .map_or(String::new(), |hit| format!(", did you mean `{hit}`?"));
            return Err(usage(format!("no policy is called `{text}`{hint}")));
        };
        let name = |n: &&str| {
            n.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        match params.split(',').map(str::trim).collect::<Vec<_>>()[..] {
            [question, options] if [question, options].iter().all(name) => {
                let wrong = |complaints: Complaints| {
                    let reason = complaints
                        .0
                        .first()
                        .map_or(String::new(), |first| first.message.clone());
                    Error::Usage(format!("the policy `{text}` can't be read: {reason}"))
                };
                parse_expression(body.trim(), &[question, options]).map_err(wrong)?;
                Ok(PolicyKind::Script(Formula {
                    params: [question.into(), options.into()],
                    body: body.trim().into(),
                }))
            }
            _ => Err(usage(format!(
                "a policy takes two names, what is asked and the options, not `|{params}|`"
            ))),
        }
    }

    /// Returns whether all options are explored, like the outcomes of dice.
    pub fn is_explored(&self) -> bool {
        matches!(
            self,
            PolicyKind::Best | PolicyKind::Worst | PolicyKind::All | PolicyKind::Open
        )
    }
}

impl fmt::Display for PolicyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyKind::Script(formula) => {
                write!(f, "|{}| {}", formula.params.join(", "), formula.body)
            }
            PolicyKind::Style(style) => f.write_str(&style.name),
            PolicyKind::Open => f.write_str("open"),
            kind => f.write_str(
                NAMES
                    .iter()
                    .find(|word| PolicyKind::from_name(word).as_ref() == Some(kind))
                    .unwrap_or(&""),
            ),
        }
    }
}

/// A choice on a path: the question and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Side that chooses.
    pub side: String,
    pub question: String,
    /// Options as text.
    pub options: Vec<String>,
    /// Policy that decides it.
    pub kind: PolicyKind,
}

/// Side, question and options to the index of an option.
type DecideFunction = dyn Fn(&str, &str, &[String]) -> Option<usize> + Send + Sync;

/// A policy of the program that embeds the engine.
#[derive(Clone)]
pub struct ProgramPolicy(pub Arc<DecideFunction>);

impl fmt::Debug for ProgramPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgramPolicy")
    }
}

/// Policies of all sides.
#[derive(Debug, Default)]
pub struct Policies {
    policies: Vec<(String, PolicyKind)>,
    /// Decides before the others.
    pub program: Option<ProgramPolicy>,
    open_question: Option<String>,
    /// The sides whose secret answers are not known: each of these is as likely as the others.
    pub hidden: Vec<String>,
    asked_questions: Mutex<FxHashSet<(HashedText, HashedText)>>,
    /// First options of unanswered questions, by side and question.
    unanswered: Mutex<FxHashMap<(HashedText, HashedText), BTreeSet<String>>>,
    /// Preset answers by their question, in a count that uses them where they are open.
    presets: Mutex<BTreeMap<String, PresetUse>>,
}

/// How a preset answer was used in a count.
#[derive(Clone, Debug, Default)]
struct PresetUse {
    answer: String,
    is_taken: bool,
    /// The complaint where it was not open first.
    rejected: Option<Complaints>,
}

/// Maximum number of recorded questions, and limits on their length and on that of their answers; more would not be read.
const QUESTIONS: usize = 4_000;
const LONGEST: usize = 2_000;

/// Maximum number of first options kept per question; the alphabetically first ones are kept, so that the result is deterministic.
pub const MAX_FIRST_OPTIONS: usize = 12;

/// Formats a question with its side.
pub fn question_key(side: &str, question: &str) -> String {
    if side.is_empty() {
        question.to_string()
    } else {
        format!("{side}: {question}")
    }
}

pub fn is_question_key(text: &str, side: &str, question: &str) -> bool {
    let unsided = if side.is_empty() {
        Some(text)
    } else {
        text.strip_prefix(side)
            .and_then(|unsided| unsided.strip_prefix(": "))
    };
    unsided == Some(question)
}

/// The name for every side.
pub const ALL_SIDES: &str = "all";

impl Policies {
    /// Parses typed pairs of side (or `all`) and policy; the last entry for a side wins.
    pub fn parse(typed: &[(String, String)], game: &Game) -> Result<Policies, Error> {
        let sides = &game.sides;
        let mut entries = Vec::new();
        for (side, text) in typed {
            if side != ALL_SIDES && !sides.contains(side) {
                let hits = nearest_names(side, sides.iter().map(String::as_str).chain([ALL_SIDES]));
                let all_sides = sides
                    .iter()
                    .cloned()
                    .chain([ALL_SIDES.to_string()])
                    .collect();
                return Err(Error::Unknown {
                    kind: "side",
                    name: side.clone(),
                    suggestions: if hits.is_empty() { all_sides } else { hits },
                });
            }
            entries.push((side.clone(), PolicyKind::parse(text, game)?));
        }
        let policies = Policies {
            policies: entries,
            ..Policies::default()
        };
        let best = policies.sides_with(&PolicyKind::Best);
        if let [first, second, ..] = &best[..] {
            return Err(Error::Usage(format!(
                "{first} and {second} are both to take the best of one measure: name the side that wants it high, and write `{second}=worst` for its opponent"
            )));
        }
        if policies.any(|k| *k == PolicyKind::All)
            && policies.any(|k| matches!(k, PolicyKind::Best | PolicyKind::Worst))
        {
            return Err(Error::Usage(
                "`all` gives a range, `best` and `worst` one value: ask for one of them at a time"
                    .into(),
            ));
        }
        Ok(policies)
    }

    /// Returns the same policies without what was recorded of questions.
    pub fn without_records(&self) -> Policies {
        Policies {
            policies: self.policies.clone(),
            program: self.program.clone(),
            hidden: self.hidden.clone(),
            ..Policies::default()
        }
    }

    /// Returns the same policies with another one for a side, and nothing recorded.
    pub fn with(&self, side: &str, kind: PolicyKind) -> Policies {
        let mut policies = self.without_records();
        policies.policies.push((side.into(), kind));
        policies
    }

    /// Returns the sides with an answer that was asked for and is not known. `is_secret` says it of a question.
    pub fn guessed_sides(&self, is_secret: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let asked = self.asked_questions().into_iter();
        let secret = asked.filter(|(question, _)| is_secret(question));
        let sides = secret.flat_map(|(_, sides)| sides);
        sides.filter(|side| self.hidden.contains(side)).collect()
    }

    /// Returns the typed entries: side or `all`, and policy.
    pub fn entries(&self) -> &[(String, PolicyKind)] {
        &self.policies
    }

    /// Makes a question a matrix dimension for all sides; this overrides any policy.
    pub fn with_open_question(mut self, question: &str) -> Policies {
        self.open_question = Some(question.into());
        self
    }

    /// Returns the policy of a side with its index.
    pub fn policy_of(&self, side: &str) -> Option<(usize, &PolicyKind)> {
        let latest = |name: &str| {
            self.policies
                .iter()
                .enumerate()
                .rev()
                .find(|(_, (who, _))| who == name)
        };
        latest(side)
            .or_else(|| latest(ALL_SIDES))
            .map(|(number, (_, kind))| (number, kind))
    }

    /// Returns whether a question is a matrix dimension.
    pub fn is_open(&self, question: &str) -> bool {
        self.open_question.as_deref() == Some(question)
    }

    /// Returns whether any policy passes a predicate.
    pub fn any(&self, test: impl Fn(&PolicyKind) -> bool) -> bool {
        self.policies.iter().any(|(_, kind)| test(kind))
    }

    /// Returns the sides with the given policy.
    pub fn sides_with(&self, policy: &PolicyKind) -> Vec<String> {
        self.policies
            .iter()
            .filter(|(side, _)| self.policy_of(side).is_some_and(|(_, k)| k == policy))
            .map(|(side, _)| side.clone())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Records that a side was asked a question.
    pub fn note_asked(&self, side: &HashedText, question: &HashedText) {
        let mut asked_questions = lock_unpoisoned(&self.asked_questions);
        if asked_questions.len() < QUESTIONS && side.len() + question.len() <= LONGEST {
            asked_questions.insert((side.clone(), question.clone()));
        }
    }

    /// Records that a question took its first option by default; only some first options per question are kept.
    pub fn note_unanswered(&self, side: &HashedText, question: &HashedText, first_option: String) {
        let mut unanswered = lock_unpoisoned(&self.unanswered);
        if unanswered.len() >= QUESTIONS
            || side.len() + question.len() + first_option.len() > LONGEST
        {
            return;
        }
        let first_options = unanswered
            .entry((side.clone(), question.clone()))
            .or_default();
        if !first_options.contains(&first_option) {
            first_options.insert(first_option);
            if first_options.len() > MAX_FIRST_OPTIONS {
                first_options.pop_last();
            }
        }
    }

    /// Records that a preset answer was open, and taken.
    pub fn note_taken(&self, side: &str, question: &str) {
        lock_unpoisoned(&self.presets)
            .entry(question_key(side, question))
            .or_default()
            .is_taken = true;
    }

    /// Records that a preset answer was not open.
    pub fn note_rejected(
        &self,
        side: &str,
        question: &str,
        answer: &str,
        complaints: impl FnOnce() -> Complaints,
    ) {
        let mut presets = lock_unpoisoned(&self.presets);
        let preset = presets.entry(question_key(side, question)).or_default();
        if preset.rejected.is_none() {
            (preset.answer, preset.rejected) = (answer.into(), Some(complaints()));
        }
    }

    /// Returns the questions whose preset answer was open in some branches and not in others, with this answer.
    pub fn partly_open(&self) -> Vec<(String, String)> {
        let presets = lock_unpoisoned(&self.presets);
        let partly = presets
            .iter()
            .filter(|(_, preset)| preset.is_taken && preset.rejected.is_some());
        partly
            .map(|(question, preset)| (question.clone(), preset.answer.clone()))
            .collect()
    }

    /// Fails if a preset answer was open nowhere.
    pub fn check_presets(&self) -> Result<(), Error> {
        let presets = lock_unpoisoned(&self.presets);
        let rejected = presets
            .values()
            .find_map(|preset| preset.rejected.clone().filter(|_| !preset.is_taken));
        rejected.map_or(Ok(()), |complaints| Err(Error::Data(complaints)))
    }

    /// Returns the questions that took their first option by default, with these options.
    pub fn unanswered(&self) -> BTreeMap<String, BTreeSet<String>> {
        lock_unpoisoned(&self.unanswered)
            .iter()
            .map(|((side, question), first_options)| {
                (question_key(side, question), first_options.clone())
            })
            .collect()
    }

    /// Returns the questions asked so far, each with the sides asked.
    pub fn asked_questions(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut sides_by_question: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (side, question) in lock_unpoisoned(&self.asked_questions).iter() {
            sides_by_question
                .entry(question.to_string())
                .or_default()
                .insert(side.to_string());
        }
        sides_by_question
    }
}
