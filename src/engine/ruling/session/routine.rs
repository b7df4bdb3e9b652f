//! Questions of routine, and the words of questions.

use super::{Session, WaitingFor};
use crate::code::state::ChoiceRequest;
use crate::complaint::Error;
use crate::data::case::Case;
use crate::data::question_words::QuestionWords;
use crate::ruling::choice_source::ChoiceSource;
use crate::situation::value_text::value_text;
use std::sync::Arc;

/// A choice in the words of the case that asks it.
pub struct WordedQuestion {
    /// The question, in a sentence.
    pub sentence: String,
    /// What each option does.
    pub options: Vec<String>,
    /// The option that ends what is asked again and again.
    pub main: Option<usize>,
}

impl Session {
    /// Returns the cases that have been called and not answered, innermost first.
    fn asking_cases(&self) -> impl Iterator<Item = &Arc<Case>> {
        self.call_stack()
            .into_iter()
            .rev()
            .map(|case| &self.situation.ruleset().cases[case])
    }

    /// Returns the cases that may say how the pending choice is worded and usually answered: the innermost two, then those of the procedure,
    /// whose own function is on no stack of calls.
    fn speaking_cases(&self) -> impl Iterator<Item = &Arc<Case>> {
        let procedure = self
            .current_phase()
            .map_or(self.situation.procedure.as_str(), |(_, procedure)| {
                procedure
            });
        let of_procedure = self
            .situation
            .ruleset()
            .cases
            .iter()
            .filter(move |case| case.procedures.iter().any(|name| name == procedure));
        self.asking_cases().take(2).chain(of_procedure)
    }

    /// Returns a choice in the words of the case that asks it.
    pub fn worded(&self, request: &ChoiceRequest) -> WordedQuestion {
        let question = request.question.as_str();
        let texts: Vec<String> = request
            .options
            .iter()
            .map(|option| value_text(option, self.board()))
            .collect();
        let words = self
            .speaking_cases()
            .flat_map(|case| &case.questions)
            .find_map(|words| Some((words, words.sentence(question)?)));
        let Some((words, sentence)) = words else {
            return WordedQuestion {
                sentence: question.into(),
                options: texts,
                main: None,
            };
        };
        WordedQuestion {
            sentence,
            main: texts.iter().position(|text| *text == words.main),
            options: texts.iter().map(|text| words.label(text)).collect(),
        }
    }

    /// Returns a question that was answered as a sentence, with its words; `None` if no card words it. The case that asked is not known any more:
    /// of several patterns the longest counts.
    pub fn words_of(&self, question: &str) -> Option<(String, &QuestionWords)> {
        self.situation.ruleset().words_of_question(question)
    }

    /// Returns the index of the usual answer to the pending choice; `None` if the asking case marks it as no question of routine.
    pub fn usual_answer(&self) -> Option<usize> {
        let WaitingFor::Choice(request) = self.waiting_for() else {
            return None;
        };
        let options: Vec<String> = request
            .options
            .iter()
            .map(|option| value_text(option, self.board()))
            .collect();
        self.speaking_cases()
            .find_map(|case| case.usual.answer(request.question.as_str(), &options))
    }

    /// Returns the index of the option that a side's policy takes; `None` if the side has no policy.
    pub fn policy_answer(&mut self, source: &ChoiceSource) -> Result<Option<usize>, Error> {
        match self.waiting_for() {
            WaitingFor::Choice(request)
                if source.policies.policy_of(request.side.as_str()).is_some() =>
            {
                self.decide(source)
            }
            _ => Ok(None),
        }
    }
}
