//! The assumptions that odds rest on in addition to the printed rules: default choices, policies, readings and reconstructed figures.

use crate::odds::query::OddsResult;
use casebook_engine::code::machine::Consulted;
use casebook_engine::complaint::Remedy;
use casebook_engine::data::status::Status;
use casebook_engine::ruling::json::RulesInForce;
use casebook_engine::ruling::reconstructed;
use casebook_engine::ruling::resolve::cite_case;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::overrides::SetFigures;
use casebook_engine::situation::policy::{ALL_SIDES, MAX_FIRST_OPTIONS, Policies, question_key};
use casebook_engine::situation::trace::{UnusedAnswer, unused_among};
use casebook_engine::situation::value_text::value_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Odds with their assumptions.
pub struct CountedOdds {
    /// The odds.
    pub result: OddsResult,
    /// Unanswered choices, policies, readings and reconstructed values that the odds rest on.
    pub assumptions: Assumptions,
    /// The policies, with the questions that were asked of them.
    pub policies: Arc<Policies>,
}

/// What odds rest on in addition to the printed rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "assumed")]
pub struct Assumptions {
    /// Questions left to the option offered first, with what that was.
    pub choices: Vec<UnansweredQuestion>,
    /// Questions that were put and had been answered beforehand, by the situation or by hand.
    pub settled: Vec<SettledQuestion>,
    /// Of these the ones whose answer is not open in every branch: it is used where it is, and elsewhere a policy or the first option answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partly_open: Vec<SettledQuestion>,
    /// Policies typed in for sides that had to choose.
    pub policies: Vec<TypedPolicy>,
    /// The reading chosen for each doubtful place that was consulted.
    pub readings: Vec<ReadingChoice>,
    /// Reconstructed figures that were read, in words.
    pub reconstructed: Vec<String>,
    /// Consulted cases whose printed wording is not known.
    pub cases_reconstructed: Vec<String>,
    /// Dice that are thrown on without bound: where a count cuts them off. Means of their totals are exact all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub truncations: Vec<String>,
    /// Answers typed in for questions that were never asked.
    #[serde(default, skip_deserializing)]
    pub unused_answers: Vec<UnusedAnswer>,
    /// The subject of the odds: the situation and the rules in force.
    #[serde(skip)]
    pub subject: OddsSubject,
}

/// What odds are about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OddsSubject {
    /// The name of the situation.
    pub situation: String,
    /// The procedure.
    pub procedure: String,
    /// What was in force, in words.
    pub ruleset: String,
    /// The rules in force.
    pub in_force: RulesInForce,
    /// What was set by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<SetFigures>,
}

impl OddsSubject {
    /// Returns the situation and the rules that it is under.
    pub fn new(situation: &Situation) -> OddsSubject {
        let (ruleset, set) = (situation.ruleset(), &situation.scenario.set);
        OddsSubject {
            situation: situation.scenario.name.clone(),
            procedure: situation.procedure.clone(),
            ruleset: ruleset.title(),
            in_force: RulesInForce::new(ruleset),
            set: (!set.is_empty()).then(|| set.iter().cloned().collect()),
        }
    }
}

/// A policy typed in for a side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct TypedPolicy {
    /// The side.
    pub side: String,
    /// The policy.
    pub policy: String,
}

impl std::fmt::Display for TypedPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.side, self.policy)
    }
}

/// The reading chosen for a doubtful place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ReadingChoice {
    /// The case and the reading.
    pub reading: String,
    /// The alternative chosen.
    pub way: String,
    /// The other alternatives.
    pub others: Vec<String>,
}

impl std::fmt::Display for ReadingChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} = {} (or {})",
            self.reading,
            self.way,
            self.others.join(", ")
        )
    }
}

/// A question that the situation or a typed answer settles.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct SettledQuestion {
    /// The side and the question.
    pub question: String,
    /// The answer.
    pub answer: String,
}

impl std::fmt::Display for SettledQuestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.question, self.answer)
    }
}

/// A question answered by its first option.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct UnansweredQuestion {
    /// The side and the question.
    pub question: String,
    /// The options that came first.
    pub first: Vec<String>,
}

impl std::fmt::Display for UnansweredQuestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.question, self.first.join(" or "))
    }
}

/// The title of the list of dice that a count cuts off.
pub const TRUNCATED: &str = "Dice that are thrown on without end are cut off";

/// The heading of answers that are not open in every branch.
pub const PARTLY_OPEN: &str =
    "Not open in every case, and used where it is; elsewhere a policy or the first option answers";

fn texts<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(T::to_string).collect()
}

/// Collects the assumptions of odds that were computed with these policies and typed answers.
pub fn assumptions(
    situation: &Situation,
    consulted: &Consulted,
    policies: &Policies,
    by_hand: &[(String, String)],
) -> Assumptions {
    let ruleset = situation.ruleset();
    let asked_sides = policies.asked_questions();
    let is_asked = |side: &String| asked_sides.values().flatten().any(|asked| asked == side);
    let typed = policies
        .entries()
        .iter()
        .filter(|(side, _)| side == ALL_SIDES || is_asked(side));
    let guessed = policies.guessed_sides(|question| ruleset.is_secret(question));
    let guessed = guessed.into_iter().map(|side| TypedPolicy {
        side,
        policy: "each secret answer as likely".into(),
    });
    let unanswered = policies.unanswered().into_iter();
    let mut assumptions = Assumptions {
        choices: unanswered
            .map(|(question, first)| UnansweredQuestion {
                question,
                first: first.into_iter().collect(),
            })
            .collect(),
        settled: settled_questions(situation, &asked_sides, by_hand),
        partly_open: policies
            .partly_open()
            .into_iter()
            .map(|(question, answer)| SettledQuestion { question, answer })
            .collect(),
        policies: typed
            .map(|(side, kind)| TypedPolicy {
                side: side.clone(),
                policy: kind.to_string(),
            })
            .chain(guessed)
            .collect(),
        reconstructed: reconstructed::summarize(&consulted.reconstructed_reads),
        truncations: consulted.truncations.iter().cloned().collect(),
        unused_answers: unused_answers(&asked_sides, by_hand),
        subject: OddsSubject::new(situation),
        ..Assumptions::default()
    };
    for (index, case) in ruleset
        .cases
        .iter()
        .enumerate()
        .filter(|(_, case)| consulted.files.contains(&case.key()))
    {
        for reading in &case.readings {
            let name = format!("{}.{}", case.number, reading.name);
            let Some(way) = ruleset.readings.get(&name) else {
                continue;
            };
            let others = reading
                .ways
                .iter()
                .filter(|other| *other != way)
                .cloned()
                .collect();
            assumptions.readings.push(ReadingChoice {
                reading: name,
                way: way.clone(),
                others,
            });
        }
        if case.status == Status::Reconstructed {
            assumptions
                .cases_reconstructed
                .push(cite_case(ruleset, index));
        }
    }
    assumptions
}

/// Returns the questions that were asked and had an answer; a typed answer goes before the situation's.
fn settled_questions(
    situation: &Situation,
    questions: &Questions,
    by_hand: &[(String, String)],
) -> Vec<SettledQuestion> {
    let board = Board::new(situation.initial_board.clone());
    let mut answers: BTreeMap<String, String> = situation
        .choices
        .iter()
        .map(|(question, value)| (question.clone(), value_text(value, &board)))
        .collect();
    answers.extend(by_hand.iter().cloned());
    let is_asked = |name: &str| {
        questions.iter().any(|(question, sides)| {
            question == name
                || sides
                    .iter()
                    .any(|side| question_key(side, question) == name)
        })
    };
    answers
        .into_iter()
        .filter(|(name, _)| is_asked(name))
        .map(|(question, answer)| SettledQuestion { question, answer })
        .collect()
}

/// Questions, each with the sides that were asked.
pub type Questions = BTreeMap<String, BTreeSet<String>>;

/// Returns the typed answers whose question was never asked of a side that decides so.
pub fn unused_answers(questions: &Questions, by_hand: &[(String, String)]) -> Vec<UnusedAnswer> {
    unused_among(
        questions
            .iter()
            .flat_map(|(question, sides)| {
                sides
                    .iter()
                    .map(move |side| (question_key(side, question), question.as_str()))
            })
            .collect(),
        by_hand,
    )
}

/// Merges `other` into the list, sorted and without duplicates.
fn merge_sorted<T: Ord + Clone>(list: &mut Vec<T>, other: &[T]) {
    list.extend_from_slice(other);
    list.sort();
    list.dedup();
}

impl Assumptions {
    /// Merges the assumptions of other odds; the unused answers of `other` are not merged.
    pub fn merge(&mut self, other: &Assumptions) {
        for question in &other.choices {
            match self
                .choices
                .iter_mut()
                .find(|own| own.question == question.question)
            {
                Some(own) => merge_sorted(&mut own.first, &question.first),
                None => self.choices.push(question.clone()),
            }
        }
        self.choices.sort();
        self.choices
            .iter_mut()
            .for_each(|question| question.first.truncate(MAX_FIRST_OPTIONS));
        merge_sorted(&mut self.settled, &other.settled);
        merge_sorted(&mut self.partly_open, &other.partly_open);
        merge_sorted(&mut self.policies, &other.policies);
        merge_sorted(&mut self.readings, &other.readings);
        merge_sorted(&mut self.reconstructed, &other.reconstructed);
        merge_sorted(&mut self.cases_reconstructed, &other.cases_reconstructed);
        merge_sorted(&mut self.truncations, &other.truncations);
    }

    /// Whether the odds assume nothing beyond the situation; unused answers don't count.
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
            && self.settled.is_empty()
            && self.policies.is_empty()
            && self.readings.is_empty()
            && self.reconstructed.is_empty()
            && self.cases_reconstructed.is_empty()
    }

    /// Renders one line: how many assumptions there are and how to list them. Unused answers are always reported.
    pub fn render_line(&self, page: TerminalPage) -> String {
        let mut out = String::new();
        page.list(
            &mut out,
            "Answers to questions that were not asked",
            &UnusedAnswer::describe_all(&self.unused_answers),
        );
        page.list(&mut out, PARTLY_OPEN, &texts(&self.partly_open));
        page.list(&mut out, TRUNCATED, &self.truncations);
        let counts = [
            (
                self.choices.len(),
                "choice left to its first option",
                "choices left to their first option",
            ),
            (
                self.settled.len(),
                "choice settled beforehand",
                "choices settled beforehand",
            ),
            (self.policies.len(), "policy", "policies"),
            (self.readings.len(), "reading", "readings"),
            (
                self.reconstructed.len(),
                "list of reconstructed figures",
                "lists of reconstructed figures",
            ),
            (
                self.cases_reconstructed.len(),
                "case whose printed wording is not known",
                "cases whose printed wording is not known",
            ),
        ];
        let counts = counts.iter().filter(|(count, ..)| *count > 0);
        let counted: Vec<String> = counts
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        if !counted.is_empty() {
            let rests = format!("Rests on: {}.", counted.join("; "));
            let rests = page.advise(&rests, Some(Remedy::ListSources));
            out.push_str(&format!("\n{}\n", page.paint("2", &rests)));
        }
        out
    }

    /// Renders the full list as text; empty if nothing was assumed.
    pub fn render(&self, page: TerminalPage) -> String {
        let mut out = self.render_choices(page);
        page.list_with_remedy(
            &mut out,
            "Reconstructed figures this rests on",
            Remedy::RefuseReconstructed,
            &self.reconstructed,
        );
        let cases = Some(self.cases_reconstructed.join(", ")).filter(|cases| !cases.is_empty());
        page.list(
            &mut out,
            "Cases whose printed wording is not known",
            cases.as_slice(),
        );
        out
    }

    /// Renders the full list, but reconstructed figures and cases only as counts.
    pub fn render_summary(&self, page: TerminalPage) -> String {
        let mut out = self.render_choices(page);
        let counted = |list: &[String], label: &str| {
            (!list.is_empty()).then(|| format!("{}: {}", label, list.len()))
        };
        let lists = [
            counted(&self.reconstructed, "lists of reconstructed figures"),
            counted(
                &self.cases_reconstructed,
                "cases whose printed wording is not known",
            ),
        ];
        page.list(
            &mut out,
            "What this rests on beside what is printed (JSON names it)",
            &lists.into_iter().flatten().collect::<Vec<_>>(),
        );
        out
    }

    /// Renders choices, policies, readings and unused answers.
    fn render_choices(&self, page: TerminalPage) -> String {
        let mut out = String::new();
        page.list_with_remedy(
            &mut out,
            "Choices left to their first option",
            Remedy::AnswerChoice,
            &texts(&self.choices),
        );
        page.list(
            &mut out,
            "Choices settled beforehand",
            &texts(&self.settled),
        );
        page.list(&mut out, PARTLY_OPEN, &texts(&self.partly_open));
        page.list(&mut out, "Policies", &texts(&self.policies));
        page.list(
            &mut out,
            "Answers to questions that were not asked",
            &UnusedAnswer::describe_all(&self.unused_answers),
        );
        page.list(&mut out, TRUNCATED, &self.truncations);
        page.list_with_remedy(
            &mut out,
            "Doubtful places, and how they are read",
            Remedy::ChooseReading,
            &texts(&self.readings),
        );
        out
    }
}
