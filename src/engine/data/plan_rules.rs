//! The plans that a style may follow: each says what its side answers to several questions to come, so that single answers serve one end.

use crate::data::answer_rules::{AnswerRule, AnswerRules, find_option, matches_pattern};
use crate::data::yaml::YamlNode;

/// Placeholders of a plan: the piece that carries it out, the piece that it leads to, and the place where that one stands.
pub const PIECE: &str = "{piece}";
pub const DESTINATION: &str = "{destination}";
pub const PLACE: &str = "{place}";
/// What stands before a place in an answer that means the option which is nearest to it, and nearer than where the piece stands.
pub const NEARER: &str = "nearer ";

/// How many games are played for each plan, and how many destinations a piece looks at, where the style says nothing.
const PLAYS: u64 = 8;
const NEAREST: usize = 3;

/// The plans of a style as its game declares them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanRules {
    /// Kinds and groups of the pieces that carry out plans.
    pub pieces: Vec<String>,
    /// Kinds and groups of the pieces that plans lead to.
    pub destinations: Vec<String>,
    /// How many of the nearest destinations each piece looks at.
    pub nearest: usize,
    /// What is answered under each plan; titles, questions and answers may hold placeholders.
    pub given: Vec<(String, AnswerRules)>,
    /// Questions of which the first options are tried, each by itself, and how many of them.
    pub options: Vec<(String, usize)>,
    /// The number of games that are played on for each plan.
    pub plays: u64,
    /// The number of rounds after which such a game is broken off; `None` plays it to its end.
    pub rounds: Option<u64>,
    /// Sums of outcomes that count beside who wins, the weightiest first; the score of the game stands behind them.
    pub scores: Vec<String>,
}

/// A plan for one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The side that answers by it.
    pub side: String,
    /// The piece that carries it out.
    pub piece: String,
    /// What it is for, in a few words.
    pub title: String,
    /// What is answered under it.
    pub answers: AnswerRules,
}

impl PlanRules {
    /// Reads `plans:` of a style.
    pub fn read(node: &YamlNode) -> PlanRules {
        let number = |key: &str| node.number_of(key).and_then(|n| u64::try_from(n).ok());
        PlanRules {
            pieces: node.texts_of("pieces"),
            destinations: node.texts_of("destinations"),
            nearest: number("nearest").map_or(NEAREST, |n| n as usize),
            given: node
                .named_entries_of("given")
                .map(|(title, answers)| (title, AnswerRules::read(Some(answers))))
                .collect(),
            options: node
                .entries_of("options")
                .iter()
                .filter_map(|(question, n)| Some((question.text_or_empty().into(), n.parse()?)))
                .collect(),
            plays: number("plays").unwrap_or(PLAYS),
            rounds: number("rounds"),
            scores: node.texts_of("score"),
        }
    }

    /// Returns whether a plan, of whichever piece, may answer a question.
    pub fn speaks_of(&self, question: &str) -> bool {
        self.tried_options(question) > 1
            || self
                .given
                .iter()
                .flat_map(|(_, answers)| &answers.0)
                .any(|rule| matches_pattern(&as_pattern(&rule.question), question))
    }

    /// Returns how many of the first options of a question are tried, each by itself.
    pub fn tried_options(&self, question: &str) -> usize {
        self.options
            .iter()
            .find(|(pattern, _)| matches_pattern(pattern, question))
            .map_or(0, |(_, count)| *count)
    }

    /// Returns whether plans lead somewhere.
    pub fn has_destinations(&self) -> bool {
        self.given
            .iter()
            .any(|(title, _)| title.contains(DESTINATION))
    }

    /// Returns the plans of a side's piece that lead to a destination, given by its name and place, or those that lead nowhere.
    pub fn plans_of(
        &self,
        (side, piece): (&str, &str),
        destination: Option<(&str, &str)>,
    ) -> Vec<Plan> {
        let (name, place) = destination.unwrap_or_default();
        let fill = |text: &String| {
            text.replace(PIECE, piece)
                .replace(DESTINATION, name)
                .replace(PLACE, place)
        };
        self.given
            .iter()
            .filter(|(title, _)| title.contains(DESTINATION) == destination.is_some())
            .map(|(title, answers)| Plan {
                side: side.into(),
                piece: piece.into(),
                title: fill(title),
                answers: AnswerRules(
                    answers
                        .0
                        .iter()
                        .map(|rule| AnswerRule {
                            question: fill(&rule.question),
                            answers: rule.answers.iter().map(fill).collect(),
                        })
                        .collect(),
                ),
            })
            .collect()
    }
}

impl Plan {
    /// Returns the index of the option that the plan takes; `None` if it does not speak of the question. `nearer` finds the option that is
    /// nearest to a place.
    pub fn answer(
        &self,
        question: &str,
        options: &[String],
        nearer: impl Fn(&str) -> Option<usize>,
    ) -> Option<usize> {
        self.answers
            .0
            .iter()
            .filter(|rule| matches_pattern(&rule.question, question))
            .flat_map(|rule| &rule.answers)
            .find_map(|answer| match answer.strip_prefix(NEARER) {
                Some(place) => nearer(place),
                None => find_option(answer, options),
            })
    }
}

/// Returns a text of a plan as a pattern of what it may become.
pub fn as_pattern(text: &str) -> String {
    [PIECE, DESTINATION, PLACE]
        .iter()
        .fold(text.to_string(), |text, name| text.replace(name, "*"))
}
