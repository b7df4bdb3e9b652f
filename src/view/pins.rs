//! Pinned interpretations as blocks: the questions that a group has answered for itself.

use crate::block::{AnswerBlock, AnswerPage};
use casebook_checks::author::pin_parts::OtherRules;
use casebook_checks::author::pinned_answers::{PinnedAnswer, pinned_answers};
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::situation::value_text::join_words;
use std::sync::Arc;

/// Returns the pinned interpretations of a game, each with its answer, its cases, and what other readings make of it.
pub fn page(library: &Arc<Library>, game: &str) -> Result<AnswerPage, Error> {
    let title = library.game(game)?.title.clone();
    let answers = pinned_answers(library, game)?;
    let none =
        "No ruling is pinned yet: `casebook pin` pins one, and so does the page of a battle.";
    let none = answers.is_empty().then(|| AnswerBlock::text(none));
    let blocks = answers.iter().map(|answer| match answer {
        Ok(answer) => section(answer),
        Err(error) => AnswerBlock::text(error.to_string()),
    });
    let title = format!("{title}: how the rules are read here");
    Ok(AnswerPage::new("pins", game, game, title).with(none.into_iter().chain(blocks)))
}

fn section(answer: &PinnedAnswer) -> AnswerBlock {
    let (same, others): (Vec<&OtherRules>, Vec<&OtherRules>) = answer
        .others
        .iter()
        .partition(|other| other.differences.is_empty());
    let named = same.iter().filter(|other| other.is_cited);
    let same: Vec<String> = named.map(|other| other.name.clone()).collect();
    let same = (!same.is_empty()).then(|| join_words(same));
    let others = others
        .iter()
        .map(|other| format!("{}: {}", other.name, other.differences.join("; ")));
    let situation = format!("{} ({}); {}", answer.title, answer.situation, answer.rules);
    let said = answer
        .answer
        .iter()
        .map(|line| AnswerBlock::text(line.as_str()));
    let facts = [
        AnswerBlock::fact("by", [answer.cites.join(", ")]),
        AnswerBlock::list("otherwise with", others),
        AnswerBlock::fact("the same with", same),
        AnswerBlock::fact("asked of", [situation]),
    ];
    AnswerBlock::section(answer.sentence.clone(), said.chain(facts).collect())
}
