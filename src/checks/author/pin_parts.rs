//! What a pin holds of a ruling, and which readings and options it tells apart.

use crate::testing::assertions::{changed_figures, line_of_outcome, nearest_line};
use casebook_engine::complaint::Error;
use casebook_engine::data::case::Case;
use casebook_engine::data::manifest::Game;
use casebook_engine::notation::Face;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::headline::headline_of;
use casebook_engine::ruling::resolve::{ResolveRequest, ResolvedRuling, Ruling, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::json_text;
use casebook_engine::situation::dice::TypedDice;
use casebook_engine::situation::value_text::{join_words, value_text};

/// The maximum number of other rulings that a pin is held against.
const MAX_OTHERS: usize = 60;
/// The number of these that a sentence names.
const MAX_NAMED: usize = 6;

/// Names of outcomes, and lines, that a pin holds.
#[derive(Clone, Debug, Default)]
pub struct PinParts {
    pub outcomes: Vec<String>,
    pub lines: Vec<String>,
    /// Figures and tracks of the board afterwards, each with its value.
    pub board: Vec<(String, String)>,
}

/// What else could be in force, and what the pin would break on under it.
#[derive(Clone, Debug)]
pub struct OtherRules {
    /// `8.16.remainder: even`, `errata.frost: off`.
    pub name: String,
    /// What comes out otherwise; nothing if the pin would hold.
    pub differences: Vec<String>,
    /// Whether what is held cites the case that it is about.
    pub is_cited: bool,
}

impl PinParts {
    /// Returns all outcomes of a ruling.
    pub fn all(ruling: &Ruling) -> PinParts {
        PinParts {
            outcomes: ruling.results.keys().cloned().collect(),
            ..PinParts::default()
        }
    }

    /// Returns the outcomes of the headline with the lines that say them, and the changed board; of a procedure without a headline all outcomes.
    pub fn of_headline(situation: &Situation, resolved: &ResolvedRuling) -> PinParts {
        let ruling = &resolved.ruling;
        let figures = headline_of(situation)
            .into_iter()
            .flat_map(|entry| entry.figures);
        let mut names: Vec<String> = figures.map(|figure| figure.outcome).collect();
        names.retain(|name| ruling.results.contains_key(name));
        if names.is_empty() {
            names = ruling.results.keys().cloned().collect();
        }
        let mut parts = PinParts::default();
        for name in names {
            let text = json_text(&ruling.results[&name]);
            let line = line_of_outcome(&name, &text, ruling, &resolved.events);
            parts.add_line(line.map(|line| &*line.text));
            if !parts.outcomes.contains(&name) {
                parts.outcomes.push(name);
            }
        }
        if ruling.refused.is_none() {
            parts.add_board(resolved, &situation.ruleset().game, |_| true);
        }
        parts
    }

    /// Returns the parts that are named: an outcome by its name, lines by words in them.
    pub fn named(ruling: &Ruling, names: &[String]) -> Result<PinParts, Error> {
        let mut parts = PinParts::default();
        for name in names {
            let is_named = |outcome: &&String| outcome.to_lowercase() == name.to_lowercase();
            if let Some(outcome) = ruling.results.keys().find(is_named) {
                parts.outcomes.push(outcome.clone());
                continue;
            }
            let lines = ruling.lines().map(|line| &*line.text);
            let mut found: Vec<&str> = lines.filter(|text| text.contains(name)).collect();
            found.dedup();
            // A line that is named whole is that one, whatever others say of it.
            if let Some(whole) = found.iter().copied().find(|text| text == name) {
                found = vec![whole];
            }
            match found[..] {
                [line] => parts.add_line(Some(line)),
                _ => {
                    let names: Vec<&str> = ruling.results.keys().map(String::as_str).collect();
                    let message = match found.is_empty() {
                        false => format!("several lines say `{name}`: name more of one of them"),
                        true => format!("no outcome and no line of the ruling is `{name}`"),
                    };
                    let outcome = names.join(", ");
                    return Err(Error::Usage(format!(
                        "{message}; its outcomes are {outcome}"
                    )));
                }
            }
        }
        Ok(parts)
    }

    /// Says what is held.
    pub fn in_words(&self) -> String {
        let mut parts = self.outcomes.clone();
        parts.extend(self.lines.iter().map(|line| format!("“{line}”")));
        format!("it holds {}", join_words(parts))
    }

    fn add_line(&mut self, line: Option<&str>) {
        let is_new = |line: &&str| !self.lines.iter().any(|earlier| earlier == line);
        self.lines.extend(line.filter(is_new).map(String::from));
    }

    /// Holds the changed figures of the board with certain names.
    pub fn add_board(
        &mut self,
        resolved: &ResolvedRuling,
        game: &Game,
        is_wanted: impl Fn(&str) -> bool,
    ) {
        let figures = changed_board(resolved, game).into_iter();
        self.board = figures.filter(|(name, _)| is_wanted(name)).collect();
    }

    /// Returns what another ruling says otherwise of what is held.
    fn differences(&self, ruling: &Ruling, resolved: &ResolvedRuling, game: &Game) -> Vec<String> {
        let other = &resolved.ruling;
        match (&ruling.refused, &other.refused) {
            (None, Some(line)) => return vec![format!("refused: {}", line.text)],
            (Some(_), None) => return vec!["it is allowed".into()],
            _ => {}
        }
        let mut found: Vec<String> = Vec::new();
        let results = |name: &String| (ruling.results.get(name), other.results.get(name));
        for name in &self.outcomes {
            match results(name) {
                (old, new) if old == new => {}
                (_, Some(value)) => found.push(format!("{name} {}", json_text(value))),
                (_, None) => found.push(format!("no {name}")),
            }
        }
        for text in &self.lines {
            if !other.lines().any(|line| line.text == *text) {
                let nearest = nearest_line(other, text);
                found.push(nearest.map_or("not said".into(), |line| line.text.clone()));
            }
        }
        if !self.board.is_empty() {
            let board = changed_board(resolved, game);
            for (name, value) in &self.board {
                let new = board.iter().find(|(figure, _)| figure == name);
                match new.map(|(_, value)| value) {
                    Some(new) if new == value => {}
                    Some(new) => found.push(format!("{name} {new}")),
                    None => found.push(format!("{name} as before")),
                }
            }
        }
        let unused = other.unused_answers.iter();
        found.extend(unused.map(|answer| format!("nobody asks for {answer}")));
        found
    }

    /// Holds a ruling against those under the other readings of the cases that it rests on, and without their options: as a test of it runs,
    /// on the dice that fell and with the choices made by hand. What can't be resolved so breaks the test. `situation_under` builds the
    /// situation under other rules.
    pub fn hold_against(
        &self,
        situation: &Situation,
        resolved: &ResolvedRuling,
        choices: &[(String, String)],
        situation_under: &dyn Fn(&RulesetSpec) -> Result<Situation, Error>,
    ) -> Vec<OtherRules> {
        let faces: Vec<Face> = resolved
            .ruling
            .dice
            .iter()
            .flat_map(|(_, faces)| faces.clone())
            .collect();
        let ruling_under = |spec: &RulesetSpec| {
            let situation = situation_under(spec)?;
            let request = ResolveRequest {
                stream: Box::new(TypedDice::new(faces.clone())),
                choices: choices.to_vec(),
                ..ResolveRequest::default()
            };
            resolve(&mut situation.machine(), &situation, request)
        };
        let (ruleset, spec) = (situation.ruleset(), &situation.ruleset().spec);
        let ruling = &resolved.ruling;
        let is_case = |cite: &str, case: &Case| match cite.split_once(' ') {
            Some((number, layer)) => number == case.number && *layer == *case.layer,
            None => cite == case.number && case.layer == ruleset.layers[0].name,
        };
        let lines = ruling.lines().chain(&ruling.refused);
        let all: Vec<&String> = lines
            .flat_map(|line| line.cites.iter().chain(&line.behind))
            .collect();
        let of_outcomes = self.outcomes.iter().filter_map(|name| {
            let text = json_text(ruling.results.get(name)?);
            line_of_outcome(name, &text, ruling, &resolved.events)
        });
        let pinned_lines = ruling
            .lines()
            .filter(|line| self.lines.contains(&line.text));
        let cited: Vec<&String> = pinned_lines
            .chain(of_outcomes)
            .flat_map(|line| &line.cites)
            .collect();
        let is_in = |cites: &[&String], case: &Case| cites.iter().any(|cite| is_case(cite, case));
        let mut others: Vec<(String, bool, RulesetSpec)> = Vec::new();
        for case in ruleset.cases.iter().filter(|case| is_in(&all, case)) {
            let is_cited = is_in(&cited, case);
            for reading in &case.readings {
                let name = format!("{}.{}", case.number, reading.name);
                let now = ruleset.readings.get(&name);
                for way in reading.ways.iter().filter(|way| Some(*way) != now) {
                    let mut spec = spec.clone();
                    spec.readings.retain(|(reading, _)| *reading != name);
                    spec.readings.push((name.clone(), way.clone()));
                    others.push((format!("{name}: {way}"), is_cited, spec));
                }
            }
            if let Some(option) = &case.option {
                let name = format!("{}.{option}", case.layer);
                let mut spec = spec.clone();
                spec.options.retain(|(option, _)| *option != name);
                spec.options.push((name.clone(), false));
                others.push((format!("{name}: off"), is_cited, spec));
            }
        }
        others.sort_by(|(a, is_cited, _), (b, other, _)| (a, other).cmp(&(b, is_cited)));
        others.dedup_by(|(a, ..), (b, ..)| a == b);
        others.truncate(MAX_OTHERS);
        let others = others.into_iter().map(|(name, is_cited, spec)| OtherRules {
            name,
            differences: match ruling_under(&spec) {
                Ok(other) => self.differences(ruling, &other, &ruleset.game),
                Err(_) => vec!["it can't be resolved so".into()],
            },
            is_cited,
        });
        others.collect()
    }
}

/// Returns the figures that a ruling has changed, with their values as texts.
fn changed_board(resolved: &ResolvedRuling, game: &Game) -> Vec<(String, String)> {
    let figures = changed_figures(&resolved.board, game).into_iter();
    let texts = figures.map(|(name, value)| (name, value_text(&value, &resolved.board)));
    texts.collect()
}

/// Says which other readings and options a pin tells apart from those in force, and which it does not.
pub fn others_in_words(others: &[OtherRules]) -> Vec<String> {
    let named = |breaks: bool| -> Vec<String> {
        let mut named: Vec<&OtherRules> = others
            .iter()
            .filter(|one| one.differences.is_empty() != breaks)
            .collect();
        named.sort_by_key(|other| !other.is_cited);
        let more = named.len().saturating_sub(MAX_NAMED);
        let names = named.iter().take(MAX_NAMED).map(|other| other.name.clone());
        names
            .chain((more > 0).then(|| format!("{more} more")))
            .collect()
    };
    let (apart, same) = (named(true), named(false));
    let mut lines = Vec::new();
    if !apart.is_empty() {
        lines.push(format!("it would break with {}", join_words(apart)));
    }
    if !same.is_empty() {
        let same = join_words(same);
        lines.push(format!(
            "it would hold with {same}, too: nothing here shows the difference"
        ));
    }
    lines
}
