//! How the choices to come are answered when a position is valued.

use casebook_engine::complaint::Error;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::moves::JournalMove;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::policy::{
    ALL_SIDES, Policies, PolicyKind, ProgramPolicy, question_key,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The answers to the choices to come. A side with a policy follows it. The others answer a question as the journal does: with the option
/// taken there, if it is open; to a question that the journal answers differently at different times, or never, with the first option.
pub struct ChoiceBaseline {
    /// The source of the answers.
    pub source: ChoiceSource,
    /// Whether a policy takes a random option.
    pub is_random: bool,
    /// Whether a policy takes the best option.
    pub is_best: bool,
    /// The policies as they were typed.
    pub policies: Vec<(String, String)>,
}

impl ChoiceBaseline {
    /// Builds the answers from the moves of a journal and from typed policies.
    pub fn new(
        situation: &Situation,
        moves: &[JournalMove],
        typed: &[(String, String)],
    ) -> Result<ChoiceBaseline, Error> {
        let mut policies = Policies::parse(typed, &situation.ruleset().game)?;
        if policies.any(|kind| *kind == PolicyKind::All) {
            return Err(Error::Usage("`all` gives a range, and luck is measured against one way to choose: name another policy".into()));
        }
        let (is_random, is_best) = (
            policies.any(|kind| *kind == PolicyKind::Random),
            policies.any(|kind| matches!(kind, PolicyKind::Best | PolicyKind::Worst)),
        );
        let answers = answers_in(moves);
        let has_policy: Vec<String> = policies
            .entries()
            .iter()
            .map(|(side, _)| side.clone())
            .collect();
        let played = move |side: &str, question: &str, options: &[String]| -> Option<usize> {
            if has_policy
                .iter()
                .any(|covered| covered == side || covered == ALL_SIDES)
            {
                return None;
            }
            let answer = answers.get(&question_key(side, question))?.as_ref()?;
            options.iter().position(|option| option == answer)
        };
        policies.program = Some(ProgramPolicy(Arc::new(played)));
        // The journal has the answers, so those of the situation's file are not used.
        let source = ChoiceSource {
            policies: Arc::new(policies),
            ..ChoiceSource::default()
        };
        Ok(ChoiceBaseline {
            source,
            is_random,
            is_best,
            policies: typed.to_vec(),
        })
    }

    /// Returns in words how choices are answered.
    pub fn describe(&self) -> String {
        let journal = "as in the journal, else with the first option";
        if self.policies.is_empty() {
            return format!("choices to come are answered {journal}");
        }
        let typed: Vec<String> = self
            .policies
            .iter()
            .map(|(side, policy)| format!("{side} by `{policy}`"))
            .collect();
        let other_sides = if self.policies.iter().any(|(side, _)| side == "all") {
            String::new()
        } else {
            format!("; others {journal}")
        };
        format!(
            "choices to come are answered for {}{other_sides}",
            typed.join(", ")
        )
    }
}

/// Returns the option that was taken of each question, by `SIDE: QUESTION`; `None` for a question that was answered differently at different
/// times.
pub fn answers_in(moves: &[JournalMove]) -> BTreeMap<String, Option<String>> {
    let mut answers: BTreeMap<String, Option<String>> = BTreeMap::new();
    for journal_move in moves {
        let JournalMove::Choice {
            side,
            question,
            taken: option,
            ..
        } = journal_move
        else {
            continue;
        };
        let answer = answers
            .entry(question_key(side, question))
            .or_insert_with(|| Some(option.clone()));
        *answer = answer.take().filter(|answer| answer == option);
    }
    answers
}
