//! Policies: who answers the choices of a side, and how, where nobody has answered them by hand.

use crate::complaint::{Error, nearest_names};
use crate::data::cache::lock_unpoisoned;
use crate::situation::text::HashedText;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Mutex;

/// How a side chooses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolicyKind {
    /// The option offered first.
    First,
    /// The option offered last.
    Last,
    /// The greatest number.
    Highest,
    /// The smallest number.
    Lowest,
    /// Any option, each as likely as the next.
    Random,
    /// The option with the highest expected value of the measure.
    Best,
    /// The option with the lowest.
    Worst,
    /// No option: the range over all of them.
    All,
    /// Laid open for a matrix: every option in turn, the same wherever it is asked.
    Open,
    /// A script says which.
    Script(Formula),
}

/// A closure typed in: `|what, options| options[0]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Formula {
    /// The names of what is asked and of the options.
    pub params: [String; 2],
    /// The expression.
    pub body: String,
}

/// The words for policies, and what they mean.
pub const NAMES: &[&str] = &["first", "last", "highest", "lowest", "random", "best", "worst", "all"];

impl PolicyKind {
    /// A policy by its word.
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
        NAMES.iter().zip(kinds).find(|(word, _)| **word == text).map(|(_, kind)| kind)
    }

    /// Reads a word or a closure.
    pub fn parse(text: &str) -> Result<PolicyKind, Error> {
        let usage = |what: String| Error::Usage(format!("{what}; write {} or a closure: '|what, options| options[0]'", NAMES.join(", ")));
        if let Some(kind) = PolicyKind::from_name(text) {
            return Ok(kind);
        }
        let Some((params, body)) = text.strip_prefix('|').and_then(|rest| rest.split_once('|')) else {
            let hits = nearest_names(text, NAMES.iter().copied());
            let hint = hits.first().map_or(String::new(), |hit| format!(", did you mean `{hit}`?"));
            return Err(usage(format!("no policy is called `{text}`{hint}")));
        };
        let name = |n: &&str| {
            n.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        match params.split(',').map(str::trim).collect::<Vec<_>>()[..] {
            [what, options] if [what, options].iter().all(name) => {
                Ok(PolicyKind::Script(Formula { params: [what.into(), options.into()], body: body.trim().into() }))
            }
            _ => Err(usage(format!("a policy takes two names, what is asked and the options, not `|{params}|`"))),
        }
    }

    /// Whether the options are led through one after the other, as dice are.
    pub fn is_explored(&self) -> bool {
        matches!(self, PolicyKind::Best | PolicyKind::Worst | PolicyKind::All | PolicyKind::Open)
    }
}

impl fmt::Display for PolicyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyKind::Script(formula) => write!(f, "|{}| {}", formula.params.join(", "), formula.body),
            PolicyKind::Open => f.write_str("open"),
            kind => f.write_str(NAMES.iter().find(|word| PolicyKind::from_name(word).as_ref() == Some(kind)).unwrap_or(&"")),
        }
    }
}

/// A choice met on a path: what was asked, and what was open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whose.
    pub side: String,
    /// Of what.
    pub question: String,
    /// The options as text.
    pub options: Vec<String>,
    /// How it is to be decided.
    pub kind: PolicyKind,
}

/// The policies of all sides.
#[derive(Debug, Default)]
pub struct Policies {
    policies: Vec<(String, PolicyKind)>,
    open_question: Option<String>,
    asked_questions: Mutex<FxHashSet<(HashedText, HashedText)>>,
    /// By side and question.
    unanswered: Mutex<FxHashMap<(HashedText, HashedText), BTreeSet<String>>>,
}

/// Questions kept, and how long they and what answers them may be: no more are read by anybody.
const QUESTIONS: usize = 4_000;
const LONGEST: usize = 2_000;

/// First options kept of one question: those that come first by the alphabet, whoever met them.
pub const MAX_FIRST_OPTIONS: usize = 12;

/// A question with whom it is put to.
pub fn question_key(side: &str, what: &str) -> String {
    if side.is_empty() { what.to_string() } else { format!("{side}: {what}") }
}

/// Whether a text is a question with whom it is put to.
pub fn is_question_key(text: &str, side: &str, what: &str) -> bool {
    let rest = if side.is_empty() { Some(text) } else { text.strip_prefix(side).and_then(|rest| rest.strip_prefix(": ")) };
    rest == Some(what)
}

/// Stands for every side.
pub const ALL_SIDES: &str = "all";

impl Policies {
    /// Reads what was typed: a side or `all`, and its policy. The last word on a side holds.
    pub fn parse(typed: &[(String, String)], sides: &[String]) -> Result<Policies, Error> {
        let mut list = Vec::new();
        for (side, text) in typed {
            if side != ALL_SIDES && !sides.contains(side) {
                let hits = nearest_names(side, sides.iter().map(String::as_str).chain([ALL_SIDES]));
                let known = sides.iter().cloned().chain([ALL_SIDES.to_string()]).collect();
                return Err(Error::Unknown { what: "side", name: side.clone(), suggestions: if hits.is_empty() { known } else { hits } });
            }
            list.push((side.clone(), PolicyKind::parse(text)?));
        }
        let policies = Policies { policies: list, ..Policies::default() };
        let best = policies.sides_with(&PolicyKind::Best);
        if let [one, other, ..] = &best[..] {
            return Err(Error::Usage(format!(
                "{one} and {other} are both to take the best of one measure: name the side that wants it high, and write `{other}=worst` for its opponent"
            )));
        }
        if policies.any(|k| *k == PolicyKind::All) && policies.any(|k| matches!(k, PolicyKind::Best | PolicyKind::Worst)) {
            return Err(Error::Usage("`all` gives a range, `best` and `worst` one value: ask for one of them at a time".into()));
        }
        Ok(policies)
    }

    /// What was typed: sides, or `all`, and how they choose.
    pub fn entries(&self) -> &[(String, PolicyKind)] {
        &self.policies
    }

    /// Lays a question open for everybody who is asked it, whatever else would answer it.
    pub fn with_open_question(mut self, what: &str) -> Policies {
        self.open_question = Some(what.into());
        self
    }

    /// How a side answers a question: the number of its policy, and the policy.
    pub fn policy_of(&self, side: &str) -> Option<(usize, &PolicyKind)> {
        let last = |name: &str| self.policies.iter().enumerate().rev().find(|(_, (who, _))| who == name);
        last(side).or_else(|| last(ALL_SIDES)).map(|(number, (_, kind))| (number, kind))
    }

    /// Whether a question is laid open.
    pub fn is_open(&self, what: &str) -> bool {
        self.open_question.as_deref() == Some(what)
    }

    /// Whether some policy is of this sort.
    pub fn any(&self, sort: impl Fn(&PolicyKind) -> bool) -> bool {
        self.policies.iter().any(|(_, kind)| sort(kind))
    }

    /// The sides whose policy this is.
    pub fn sides_with(&self, wanted: &PolicyKind) -> Vec<String> {
        self.policies
            .iter()
            .filter(|(side, _)| self.policy_of(side).is_some_and(|(_, k)| k == wanted))
            .map(|(side, _)| side.clone())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Notes that a side was asked something.
    pub fn note_asked(&self, side: &HashedText, what: &HashedText) {
        let mut asked = lock_unpoisoned(&self.asked_questions);
        if asked.len() < QUESTIONS && side.len() + what.len() <= LONGEST {
            asked.insert((side.clone(), what.clone()));
        }
    }

    /// Notes that a question was left to the option offered first. Of a question that is put in many ways only some are kept.
    pub fn note_unanswered(&self, side: &HashedText, what: &HashedText, first: String) {
        let mut left = lock_unpoisoned(&self.unanswered);
        if left.len() >= QUESTIONS || side.len() + what.len() + first.len() > LONGEST {
            return;
        }
        let firsts = left.entry((side.clone(), what.clone())).or_default();
        if !firsts.contains(&first) {
            firsts.insert(first);
            if firsts.len() > MAX_FIRST_OPTIONS {
                firsts.pop_last();
            }
        }
    }

    /// The questions left to the option offered first, and what that was.
    pub fn unanswered(&self) -> BTreeMap<String, BTreeSet<String>> {
        lock_unpoisoned(&self.unanswered).iter().map(|((side, what), firsts)| (question_key(side, what), firsts.clone())).collect()
    }

    /// The questions asked so far, and who was asked.
    pub fn asked_questions(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut asked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (side, what) in lock_unpoisoned(&self.asked_questions).iter() {
            asked.entry(what.to_string()).or_default().insert(side.to_string());
        }
        asked
    }
}
