//! The headline of a procedure: the few outcomes that are read first; and the groups that sort the others.

use crate::code::program::Program;
use crate::data::answer_rules::matches_pattern;
use crate::data::case::Case;
use crate::data::manifest::Game;
use crate::data::yaml::YamlNode;
use crate::ruling::condition::Condition;
use crate::ruling::situation::Situation;
use crate::ruling::terminal_page::json_text;
use crate::situation::initial_board::{InitialBoard, KIND_COLUMN};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// The word on a card that asks for the mean of an outcome.
const MEAN: &str = "mean ";
/// The title of the outcomes that no group takes.
const OTHER_OUTCOMES: &str = "Other";
/// The word on a card for the other one of two sides.
pub const ENEMY: &str = "enemy of ";
/// What is said of an outcome that is not named, where the game has no words for it.
pub const NOT_REACHED: &str = "not reached";
/// The same of an outcome that bears the name of a piece.
const UNCHANGED: &str = "unchanged";
/// The word between two figures of one entry.
pub const AGAINST: &str = " against ";

/// A figure of a headline: the chance that a condition holds, or the mean of an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadlineFigure {
    /// The outcome that it is about.
    pub outcome: String,
    /// The condition; `None` for the mean.
    pub condition: Option<Condition>,
}

/// An entry of a headline: a caption with one figure, or with two that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadlineEntry {
    /// The caption: "the defender retreats".
    pub caption: String,
    pub figures: Vec<HeadlineFigure>,
}

/// Outcomes that are shown together under a title. Those that are looked at first have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeSection {
    pub title: String,
    /// The names of the outcomes.
    pub outcomes: Vec<String>,
}

impl HeadlineFigure {
    /// Parses a figure of a card: `mean defender losses`, `retreat` or `attack != none`.
    pub fn parse(text: &str) -> HeadlineFigure {
        match text.trim().strip_prefix(MEAN) {
            Some(outcome) => HeadlineFigure {
                outcome: outcome.trim().into(),
                condition: None,
            },
            None => {
                let condition = Condition::parse(text);
                HeadlineFigure {
                    outcome: condition.name.clone(),
                    condition: Some(condition),
                }
            }
        }
    }
}

/// Returns the case that states the headline of a situation's procedure: the newest in force that does.
pub fn headline_case(situation: &Situation) -> Option<&Arc<Case>> {
    let mut cases = situation.ruleset().cases.iter();
    cases.rfind(|case| !case.headline.is_empty() && case.procedures.contains(&situation.procedure))
}

/// Returns the headline of a situation's procedure. An entry that names something the situation does not hand over is left out.
pub fn headline_of(situation: &Situation) -> Vec<HeadlineEntry> {
    let entries = headline_case(situation)
        .map(|case| case.headline.as_slice())
        .unwrap_or_default();
    let entry = |(caption, figures): &(String, Vec<String>)| {
        let caption = fill_arguments(caption, situation)?;
        let figure = |text: &String| {
            fill_arguments(text, situation).map(|text| HeadlineFigure::parse(&text))
        };
        Some(HeadlineEntry {
            caption,
            figures: figures.iter().map(figure).collect::<Option<_>>()?,
        })
    };
    entries.iter().filter_map(entry).collect()
}

/// Returns the names in braces of a text.
pub fn arguments_in(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
}

/// Replaces each name in braces by what the situation hands its procedure under it; `None` if it hands nothing.
fn fill_arguments(text: &str, situation: &Situation) -> Option<String> {
    let given = situation.scenario.root.get("given");
    arguments_in(text).try_fold(text.to_string(), |filled, name| {
        let value = given.and_then(|given| given.get(name))?;
        let words: Vec<&str> = match value.as_text() {
            Some(text) => vec![text],
            None => value.items().iter().filter_map(YamlNode::as_text).collect(),
        };
        (!words.is_empty()).then(|| filled.replace(&format!("{{{name}}}"), &words.join(", ")))
    })
}

/// Joins the entries of a headline to a sentence.
pub fn join_entries(entries: &[String]) -> String {
    let text = entries.join("; ");
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        format!("{}{}.", first.to_uppercase(), letters.as_str())
    })
}

/// What it means that an outcome is not named.
#[derive(Clone, Default)]
pub struct UnnamedOutcomes(Option<(Arc<Program>, Arc<InitialBoard>)>);

impl UnnamedOutcomes {
    pub fn new(situation: &Situation) -> UnnamedOutcomes {
        let (program, board) = (&situation.program, &situation.initial_board);
        UnnamedOutcomes(Some((program.clone(), board.clone())))
    }

    /// Returns the words for an outcome that is not named.
    pub fn words_for(&self, outcome: &str) -> &str {
        let declared = self.0.as_ref().and_then(|(program, board)| {
            let game = &program.ruleset.game;
            let index = taking(&game.unnamed_outcomes, outcome, (game, board))?;
            Some(&*game.unnamed_outcomes[index].0)
        });
        let is_piece = |(_, board): &(_, Arc<InitialBoard>)| {
            board.names.iter().any(|name| name.as_str() == outcome)
        };
        let other = match self.0.as_ref().is_some_and(is_piece) {
            true => UNCHANGED,
            false => NOT_REACHED,
        };
        declared.unwrap_or(other)
    }
}

impl PartialEq for UnnamedOutcomes {
    /// Words are no part of odds.
    fn eq(&self, _: &UnnamedOutcomes) -> bool {
        true
    }
}

impl Eq for UnnamedOutcomes {}

impl fmt::Debug for UnnamedOutcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnnamedOutcomes")
    }
}

/// Returns the first list that takes an outcome: by its name, or by the kind of the piece whose name it bears.
fn taking(
    lists: &[(String, Vec<String>)],
    outcome: &str,
    (game, board): (&Game, &InitialBoard),
) -> Option<usize> {
    let piece = board.names.iter().position(|name| name.as_str() == outcome);
    let kind = piece
        .and_then(|piece| board.columns[KIND_COLUMN][piece].as_text())
        .map(|kind| kind.to_string());
    let takes = |member: &String| {
        let of_kind = kind.as_ref().is_some_and(|kind| {
            let declared_kind = game.kinds.get(kind);
            member == kind
                || declared_kind.is_some_and(|declared_kind| declared_kind.groups.contains(member))
        });
        matches_pattern(member, outcome) || of_kind
    };
    lists
        .iter()
        .position(|(_, members)| members.iter().any(takes))
}

/// Sorts named outcomes: those of the headline first, then the groups of the game's manifest, then the others. Without a headline the
/// outcomes that no group takes come first.
pub fn group_outcomes(situation: &Situation, names: &[String]) -> Vec<OutcomeSection> {
    let game = &situation.ruleset().game;
    let headline = headline_of(situation);
    let looked_at = |name: &String| {
        headline
            .iter()
            .flat_map(|entry| &entry.figures)
            .any(|figure| figure.outcome == *name)
    };
    let start = &situation.initial_board;
    let group_of = |name: &String| taking(&game.outcome_sections, name, (game, start));
    let mut leading = OutcomeSection::default();
    let titled = |title: &str| OutcomeSection {
        title: title.into(),
        outcomes: Vec::new(),
    };
    let mut groups: Vec<OutcomeSection> = game
        .outcome_sections
        .iter()
        .map(|(title, _)| titled(title))
        .collect();
    let mut remaining = titled(OTHER_OUTCOMES);
    for name in names {
        let section = match group_of(name) {
            _ if looked_at(name) => &mut leading,
            Some(group) => &mut groups[group],
            None if headline.is_empty() => &mut leading,
            None => &mut remaining,
        };
        section.outcomes.push(name.clone());
    }
    // The headline's outcomes stand in its own order.
    let index = |name: &String| {
        headline
            .iter()
            .flat_map(|entry| &entry.figures)
            .position(|figure| figure.outcome == *name)
    };
    if !headline.is_empty() {
        leading.outcomes.sort_by_key(index);
    }
    [leading]
        .into_iter()
        .chain(groups)
        .chain([remaining])
        .filter(|group| !group.outcomes.is_empty())
        .collect()
}

/// Returns the headline of a ruling as a sentence; empty if the procedure has none or the ruling names none of its outcomes.
pub fn ruling_headline(situation: &Situation, results: &Map<String, Value>) -> String {
    let entry = |entry: &HeadlineEntry| {
        let figure = |figure: &HeadlineFigure| {
            let named = results.get(&figure.outcome).map(json_text);
            match &figure.condition {
                None => named,
                Some(condition) => Some(
                    if named.is_some_and(|value| condition.is_satisfied_by(&value)) {
                        "yes"
                    } else {
                        "no"
                    }
                    .into(),
                ),
            }
        };
        let figures: Vec<String> = entry.figures.iter().map(figure).collect::<Option<_>>()?;
        let colon = if entry
            .figures
            .iter()
            .all(|figure| figure.condition.is_some())
        {
            ":"
        } else {
            ""
        };
        Some(format!(
            "{}{colon} {}",
            entry.caption,
            figures.join(AGAINST)
        ))
    };
    let headline = headline_of(situation);
    if !headline
        .iter()
        .flat_map(|entry| &entry.figures)
        .any(|figure| results.contains_key(&figure.outcome))
    {
        return String::new();
    }
    join_entries(&headline.iter().filter_map(entry).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_parsed() {
        assert_eq!(HeadlineFigure::parse("mean hits").condition, None);
        let condition = HeadlineFigure::parse("first != none")
            .condition
            .expect("a condition");
        assert!(condition.is_satisfied_by("Red") && !condition.is_satisfied_by("none"));
        assert_eq!(
            join_entries(&["it holds in 1 of 2".into(), "hits 3.0".into()]),
            "It holds in 1 of 2; hits 3.0."
        );
    }
}
