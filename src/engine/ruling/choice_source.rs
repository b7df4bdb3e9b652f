//! Answers choices without a user: by typed answers, the situation, a policy, else the first option.

use crate::code::machine::Machine;
use crate::code::program::FunctionSource;
use crate::code::state::{ChoiceRequest, State, Stop};
use crate::complaint::{
    Complaint, Complaints, DiagnosticCode, Place, RejectedAnswer, did_you_mean,
};
use crate::data::cache::lock_unpoisoned;
use crate::data::manifest::PlayStyle;
use crate::data::scenario::Scenario;
use crate::ruling::situation::Situation;
use crate::ruling::turn_sequence::TurnSequence;
use crate::situation::policy::{Formula, Policies, PolicyKind, is_question_key, question_key};
use crate::situation::trace::AnswerSource;
use crate::situation::value::Value;
use crate::situation::value_text::{named, value_text};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

/// A pending choice of a side with this style, and where in the sequence of play it is asked, to the index of the best option, and how it was found; `None` leaves it to the style's answers.
type WeighFunction = dyn Fn(
        &State,
        &ChoiceRequest,
        &PlayStyle,
        Option<&TurnSequence>,
    ) -> Result<Option<(usize, String)>, Complaints>
    + Send
    + Sync;

/// Weighs the options of a choice by what may come, for styles that look ahead.
#[derive(Clone)]
pub struct Weigher {
    weigh: Arc<WeighFunction>,
    explanation: Arc<Mutex<Option<String>>>,
}

impl Weigher {
    /// Creates it from what looks ahead.
    pub fn new(
        weigh: impl Fn(
            &State,
            &ChoiceRequest,
            &PlayStyle,
            Option<&TurnSequence>,
        ) -> Result<Option<(usize, String)>, Complaints>
        + Send
        + Sync
        + 'static,
    ) -> Weigher {
        Weigher {
            weigh: Arc::new(weigh),
            explanation: Arc::default(),
        }
    }

    /// Takes how the last choice was found, if one was weighed since it was taken before.
    pub fn take_explanation(&self) -> Option<String> {
        lock_unpoisoned(&self.explanation).take()
    }
}

impl fmt::Debug for Weigher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Weigher")
    }
}

/// A source of answers to choices.
#[derive(Clone, Debug, Default)]
pub struct ChoiceSource {
    /// Weighs options for styles that look ahead; without it their answers stand, as in a count of odds.
    pub weigher: Option<Weigher>,
    /// The position in the sequence of play; `None` if the situation is no game, or the choice is asked in its first procedure.
    pub sequence: Option<TurnSequence>,
    /// Answers by "side: question" or by "question".
    pub answers: HashMap<String, Value>,
    /// The policies of the sides.
    pub policies: Arc<Policies>,
    /// The scenario that gave the answers, if any; its file is shown when an answer is not an option.
    pub scenario: Option<Arc<Scenario>>,
    /// Whether an answer counts where it is open and is left aside elsewhere, as in a count of many branches; else one that is not open is an
    /// error.
    pub only_where_open: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceResult {
    /// The index of the option taken, and its source.
    Taken(usize, AnswerSource),
    /// The choice needs dice, for a random option, or the graph of all outcomes.
    Undecided(PolicyKind),
}

impl ChoiceSource {
    /// Returns the source as it answers in a procedure at a position in the sequence of play.
    pub fn at(&self, sequence: Option<&TurnSequence>) -> Cow<'_, ChoiceSource> {
        if self.weigher.is_none() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(ChoiceSource {
            sequence: sequence.cloned(),
            ..self.clone()
        })
    }

    /// Answers a choice. Everything a policy reads counts as read by the state that asks.
    pub fn decide(
        &self,
        machine: &mut Machine,
        state: &mut State,
        request: &ChoiceRequest,
    ) -> Result<ChoiceResult, Complaints> {
        let ChoiceRequest {
            side,
            question,
            options,
        } = request;
        self.policies.note_asked(side, question);
        if self.policies.is_open(question) {
            return Ok(ChoiceResult::Undecided(PolicyKind::Open));
        }
        let is_hidden = self.policies.hidden.iter().any(|name| **name == **side);
        if is_hidden && machine.program.ruleset.is_secret(question) {
            return Ok(decide_by_kind(request, &PolicyKind::Random));
        }
        let texts = || {
            options
                .iter()
                .map(|option| value_text(option, &state.board))
                .collect::<Vec<String>>()
        };
        let preset = self.preset_answer(side, question);
        if let Some(preset) = preset {
            let answer = value_text(preset, &state.board);
            let is_preset = |option: &Value| {
                option.as_text().map_or_else(
                    || value_text(option, &state.board) == answer,
                    |text| **text == *answer,
                )
            };
            if let Some(index) = options.iter().position(is_preset) {
                if self.only_where_open {
                    self.policies.note_taken(side, question);
                }
                return Ok(ChoiceResult::Taken(index, AnswerSource::Explicit));
            }
            if let Some(kind) = PolicyKind::from_name(&answer) {
                return Ok(decide_by_kind(request, &kind));
            }
            let mut rejection = || self.rejection(machine, state, request, &answer, texts());
            if !self.only_where_open {
                return Err(rejection());
            }
            self.policies
                .note_rejected(side, question, &answer, rejection);
        }
        if let Some(program) = &self.policies.program
            && let Some(option) = (program.0)(side, question, &texts())
        {
            if option < options.len() {
                return Ok(ChoiceResult::Taken(option, AnswerSource::Explicit));
            }
            let message = format!(
                "{side}: {question}: the policy of the program takes option {option} of {}, counted from 0",
                options.len()
            );
            return Err(machine.complaint_at_stop(
                state,
                DiagnosticCode::Choice,
                message,
                "return the index of one of the options",
            ));
        }
        match self.policies.policy_of(side) {
            Some((_, PolicyKind::Script(formula))) => {
                decide_by_script(machine, state, request, formula, &texts())
                    .map(|place| ChoiceResult::Taken(place, AnswerSource::Explicit))
            }
            Some((_, PolicyKind::Style(style))) => {
                if let Some(weigher) = self.weigher.as_ref().filter(|_| options.len() > 1)
                    && let Some((best, explanation)) =
                        (weigher.weigh)(state, request, style, self.sequence.as_ref())?
                {
                    *lock_unpoisoned(&weigher.explanation) = Some(explanation);
                    return Ok(ChoiceResult::Taken(best, AnswerSource::Explicit));
                }
                Ok(ChoiceResult::Taken(
                    style
                        .answers
                        .answer(question.as_str(), &texts())
                        .unwrap_or(0),
                    AnswerSource::Explicit,
                ))
            }
            Some((_, kind)) => Ok(decide_by_kind(request, kind)),
            None => {
                if options.len() > 1 {
                    self.policies.note_unanswered(
                        side,
                        question,
                        value_text(&options[0], &state.board),
                    );
                }
                Ok(ChoiceResult::Taken(0, AnswerSource::FirstOption))
            }
        }
    }

    /// Complains of a preset answer that is not open.
    fn rejection(
        &self,
        machine: &mut Machine,
        state: &State,
        request: &ChoiceRequest,
        answer: &str,
        texts: Vec<String>,
    ) -> Complaints {
        let ChoiceRequest { side, question, .. } = request;
        let help = format!(
            "choose one of these: {}; or first, last, highest, lowest",
            texts.join(", ")
        );
        let message = did_you_mean(
            format!("{side}: {question}: `{answer}` is not open"),
            answer,
            texts.iter().map(String::as_str),
        );
        let mut complaints: Complaints = match self.answer_place(side, question, answer) {
            Some(place) => Complaint::new(DiagnosticCode::Choice, place, message)
                .with_help(help)
                .into(),
            None => machine.complaint_at_stop(state, DiagnosticCode::Choice, message, &help),
        };
        let (side, question, answer) = (side.to_string(), question.to_string(), answer.to_string());
        let rejected = RejectedAnswer {
            side,
            question,
            answer,
            allowed: texts,
        };
        complaints
            .0
            .iter_mut()
            .for_each(|complaint| complaint.rejected = Some(Box::new(rejected.clone())));
        complaints
    }

    /// Returns the place of the answer in the scenario's file, if the scenario gives it.
    fn answer_place(&self, side: &str, question: &str, answer: &str) -> Option<Place> {
        let scenario = self.scenario.as_ref()?;
        let choices = scenario.root.get("choices")?;
        let answer_node = choices
            .get(&question_key(side, question))
            .or_else(|| choices.get(question))?;
        let is_wanted = answer_node.as_text() == Some(answer);
        is_wanted.then(|| scenario.place_of(&["choices"], answer_node.span))
    }

    fn preset_answer(&self, side: &str, question: &str) -> Option<&Value> {
        let is_full_key = |(text, _): &(&String, &Value)| is_question_key(text, side, question);
        self.answers
            .iter()
            .find(is_full_key)
            .map(|(_, answer)| answer)
            .or_else(|| self.answers.get(question))
    }
}

impl Situation {
    /// Creates the source of answers to choices: answers by hand override the scenario's, and policies answer the rest.
    pub fn choice_source(
        &self,
        by_hand: &[(String, String)],
        policies: Arc<Policies>,
    ) -> ChoiceSource {
        let mut answers = self.choices.clone();
        let game = &self.program.ruleset.game;
        let typed = |text: &String| {
            text.parse::<i64>()
                .map_or_else(|_| named(text.as_str().into(), game), Value::Number)
        };
        // An answer without a side answers every side, before what the situation says for one.
        for (side, (question, _)) in game
            .sides
            .iter()
            .flat_map(|side| by_hand.iter().map(move |answer| (side, answer)))
        {
            answers.remove(&question_key(side, question));
        }
        answers.extend(
            by_hand
                .iter()
                .map(|(question, answer)| (question.clone(), typed(answer))),
        );
        ChoiceSource {
            answers,
            policies,
            scenario: Some(self.scenario.clone()),
            ..ChoiceSource::default()
        }
    }
}

fn decide_by_kind(request: &ChoiceRequest, kind: &PolicyKind) -> ChoiceResult {
    let options = &request.options;
    let mut numbers = options
        .iter()
        .enumerate()
        .filter_map(|(i, o)| Some((o.as_number()?, i)));
    let picked = match kind {
        PolicyKind::Last => options.len() - 1,
        // Options without numbers rank equally, so the first one is taken.
        PolicyKind::Highest => numbers
            .max_by_key(|(n, i)| (*n, std::cmp::Reverse(*i)))
            .map_or(0, |(_, i)| i),
        PolicyKind::Lowest => numbers.by_ref().min().map_or(0, |(_, i)| i),
        kind if (kind.is_explored() || *kind == PolicyKind::Random) && options.len() > 1 => {
            return ChoiceResult::Undecided(kind.clone());
        }
        _ => 0,
    };
    ChoiceResult::Taken(picked, AnswerSource::Explicit)
}

/// Evaluates a policy that was typed as a closure.
fn decide_by_script(
    machine: &mut Machine,
    state: &mut State,
    request: &ChoiceRequest,
    formula: &Formula,
    texts: &[String],
) -> Result<usize, Complaints> {
    let ChoiceRequest {
        side,
        question,
        options,
    } = request;
    let at = || {
        Place::whole_file(&format!(
            "(policy '{side}=|{}| {}')",
            formula.params.join(", "),
            formula.body
        ))
    };
    // A policy is no rule, so its reads must not be cited.
    let recorder = state
        .board
        .recorder
        .take_if(|recorder| recorder.log.is_none());
    let mut policy_state = State::new(state.board.clone());
    policy_state.board.recorder = recorder;
    let deadline = machine.deadline;
    let trace = machine.trace.take();
    let source = FunctionSource::Expression(formula.body.clone(), formula.params.to_vec());
    let started = machine.begin(
        &mut policy_state,
        source,
        vec![question.clone().into(), Value::List(options.clone())],
    );
    let stop = started.map(|()| machine.run(&mut policy_state));
    if let Some(recorder) = policy_state.board.recorder.take() {
        state.board.recorder = Some(recorder);
    }
    machine.deadline = deadline;
    machine.trace = trace;
    let complaint = match stop {
        Ok(Stop::Done(_)) if policy_state.board.differs_from(&state.board) => Complaint::new(
            DiagnosticCode::Procedure,
            at(),
            "a policy changes the situation",
        )
        .with_help("a policy only says which option it takes"),
        Ok(Stop::Done(value)) => {
            let answer = value_text(&value, &state.board);
            if let Some(picked) = texts.iter().position(|t| *t == answer) {
                return Ok(picked);
            }
            Complaint::new(
                DiagnosticCode::Choice,
                at(),
                did_you_mean(
                    format!("{side}: {question}: the policy says `{answer}`, which is not open"),
                    &answer,
                    texts.iter().map(String::as_str),
                ),
            )
            .with_help(format!(
                "open are {}; end with one of them, such as options[0]",
                texts.join(", ")
            ))
        }
        Ok(Stop::Failed(complaints)) | Err(complaints) => {
            let complaint = complaints.0.into_iter().next();
            let (code, reason, help) = complaint.map_or(
                (DiagnosticCode::Running, String::new(), String::new()),
                |c| (c.code, c.message, c.help),
            );
            let help = if help.is_empty() {
                "the names are those before the body: `|what, options| options[0]`".into()
            } else {
                help
            };
            Complaint::new(
                code,
                at(),
                format!("{side}: {question}: the policy fails: {reason}"),
            )
            .with_help(help)
        }
        Ok(_) => Complaint::new(
            DiagnosticCode::Choice,
            at(),
            format!("{side}: {question}: the policy throws dice, asks or refuses"),
        )
        .with_help("a policy only says which option it takes"),
    };
    Err(complaint.into())
}
