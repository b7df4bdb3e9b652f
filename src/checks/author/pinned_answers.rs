//! Pinned interpretations as questions and answers: what was asked, what comes out by which case, and what would under other readings.

use crate::author::pin_parts::{OtherRules, PinParts};
use crate::testing::assertions::line_of_outcome;
use crate::testing::given::{load_situation, run_procedure};
use crate::testing::suite::{PINS, test_spec};
use crate::testing::test::{RulingTest, test_files};
use crate::testing::trials::ProgramCache;
use casebook_engine::code::machine::Machine;
use casebook_engine::complaint::{Complaint, Complaints, Error};
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::Game;
use casebook_engine::data::yaml::YamlNode;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::resolve::{ResolvedRuling, Ruling};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::json_text;
use std::sync::Arc;

/// A pinned interpretation.
pub struct PinnedAnswer {
    /// The sentence of who pinned it.
    pub sentence: String,
    /// The title of the situation, and its name.
    pub title: String,
    pub situation: String,
    /// The rules in force.
    pub rules: String,
    /// What comes out now of what it holds.
    pub answer: Vec<String>,
    /// The cases and tables that say it.
    pub cites: Vec<String>,
    /// What other readings and options make of it.
    pub others: Vec<OtherRules>,
}

/// Returns the pinned interpretations of a game in the order of their files; of one that can't be resolved, why.
pub fn pinned_answers(
    library: &Arc<Library>,
    game: &str,
) -> Result<Vec<Result<PinnedAnswer, Error>>, Error> {
    library.game(game)?;
    let programs = ProgramCache::new(library);
    let mut answers = Vec::new();
    for file in test_files(library, game, PINS) {
        for ruling_test in &file.tests {
            let spec = test_spec(ruling_test, library, game);
            answers.push(pinned_answer(&programs, ruling_test, &spec));
        }
    }
    Ok(answers)
}

fn pinned_answer(
    programs: &ProgramCache,
    ruling_test: &RulingTest,
    spec: &RulesetSpec,
) -> Result<PinnedAnswer, Error> {
    let failed = |complaints: Vec<Complaint>| Error::Data(Complaints(complaints));
    let situation_under = |spec: &RulesetSpec| -> Result<Situation, Error> {
        let machine = Machine::new(programs.get(spec)?);
        load_situation(ruling_test, &machine).map_err(failed)
    };
    let mut machine = Machine::new(programs.get(spec)?);
    let situation = load_situation(ruling_test, &machine).map_err(failed)?;
    let resolved = run_procedure(ruling_test, &mut machine, &situation).map_err(failed)?;
    let parts = parts_of(ruling_test, &resolved, &situation.ruleset().game);
    let ruling = &resolved.ruling;
    let (mut answer, mut cites) = (Vec::new(), Vec::new());
    let lines = parts
        .lines
        .iter()
        .filter_map(|text| ruling.lines().find(|line| line.text == *text));
    for line in lines.chain(&ruling.refused) {
        answer.push(line.text.clone());
        cites.extend(line.cites.clone());
    }
    for (name, value) in outcomes(&parts, ruling) {
        // A line says it already.
        let line = line_of_outcome(name, &value, ruling, &resolved.events);
        if line.is_none_or(|line| !answer.contains(&line.text)) {
            answer.push(format!("{name}: {value}"));
            cites.extend(line.into_iter().flat_map(|line| line.cites.clone()));
        }
    }
    answer.extend(match &parts.board[..] {
        [] => None,
        [(name, value)] => Some(format!("{name}: {value}")),
        figures => Some(format!("{} figures of the board change", figures.len())),
    });
    cites.sort();
    cites.dedup();
    Ok(PinnedAnswer {
        sentence: ruling_test.name.clone(),
        title: situation.scenario.title.clone(),
        situation: ruling_test.situation.0.clone(),
        rules: situation.ruleset().title(),
        answer,
        cites,
        others: parts.hold_against(
            &situation,
            &resolved,
            &ruling_test.choices,
            &situation_under,
        ),
    })
}

fn outcomes<'p>(
    parts: &'p PinParts,
    ruling: &'p Ruling,
) -> impl Iterator<Item = (&'p String, String)> {
    let value = |name: &'p String| Some((name, json_text(ruling.results.get(name)?)));
    parts.outcomes.iter().filter_map(value)
}

/// Returns what a test holds of its ruling, as that has it.
fn parts_of(ruling_test: &RulingTest, resolved: &ResolvedRuling, game: &Game) -> PinParts {
    let name = |(key, _): &(YamlNode, YamlNode)| key.as_text().map(String::from);
    let names: Vec<String> = ruling_test.board.iter().filter_map(name).collect();
    let mut parts = PinParts {
        outcomes: ruling_test.expected.iter().filter_map(name).collect(),
        lines: ruling_test
            .lines
            .iter()
            .map(|(text, _)| text.clone())
            .collect(),
        ..PinParts::default()
    };
    parts.add_board(resolved, game, |figure| {
        names.iter().any(|name| name == figure)
    });
    parts
}
