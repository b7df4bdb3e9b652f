//! What a pin holds of a ruling, and which readings and options it tells apart.

use crate::testing::assertions::line_of_outcome;
use casebook_engine::complaint::Error;
use casebook_engine::data::case::Case;
use casebook_engine::notation::Face;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::headline::headline_of;
use casebook_engine::ruling::resolve::{ResolveRequest, ResolvedRuling, Ruling, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::json_text;
use casebook_engine::situation::dice::TypedDice;
use casebook_engine::situation::value_text::join_words;

/// The maximum number of other rulings that a pin is held against.
const MAX_OTHERS: usize = 60;
/// The number of these that a sentence names.
const MAX_NAMED: usize = 6;

/// Names of outcomes, and lines, that a pin holds.
#[derive(Clone, Debug, Default)]
pub struct PinParts {
    pub outcomes: Vec<String>,
    pub lines: Vec<String>,
}

/// What else could be in force, and whether the pin would break under it.
#[derive(Clone, Debug)]
pub struct OtherRules {
    /// `8.16.remainder: even`, `errata.frost: off`.
    pub name: String,
    pub breaks: bool,
    /// Whether what is held cites the case that it is about.
    pub is_cited: bool,
}

impl PinParts {
    /// Returns all outcomes of a ruling.
    pub fn all(ruling: &Ruling) -> PinParts {
        PinParts {
            outcomes: ruling.results.keys().cloned().collect(),
            lines: Vec::new(),
        }
    }

    /// Returns the outcomes of the headline with the lines that say them; of a procedure without a headline all outcomes.
    pub fn of_headline(situation: &Situation, resolved: &ResolvedRuling) -> PinParts {
        let ruling = &resolved.ruling;
        let mut parts = PinParts::default();
        for entry in headline_of(situation) {
            for figure in entry.figures {
                let Some(value) = ruling.results.get(&figure.outcome) else {
                    continue;
                };
                let said =
                    line_of_outcome(&figure.outcome, &json_text(value), ruling, &resolved.events);
                parts.add_line(said.map(|line| &*line.text));
                if !parts.outcomes.contains(&figure.outcome) {
                    parts.outcomes.push(figure.outcome);
                }
            }
        }
        match parts.outcomes.is_empty() {
            true => PinParts::all(ruling),
            false => parts,
        }
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

    /// Whether another ruling says the same of what is held.
    fn are_in(&self, ruling: &Ruling, other: &Ruling) -> bool {
        let mut outcomes = self.outcomes.iter();
        let mut lines = self.lines.iter();
        outcomes.all(|name| ruling.results.get(name) == other.results.get(name))
            && lines.all(|text| other.lines().any(|line| line.text == *text))
            && ruling.refused.is_some() == other.refused.is_some()
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
        let holds = |other: &Ruling| {
            other.unused_answers.is_empty() && self.are_in(&resolved.ruling, other)
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
            breaks: !ruling_under(&spec).is_ok_and(|other| holds(&other.ruling)),
            name,
            is_cited,
        });
        others.collect()
    }
}

/// Says which other readings and options a pin tells apart from those in force, and which it does not.
pub fn others_in_words(others: &[OtherRules]) -> Vec<String> {
    let named = |breaks: bool| -> Vec<String> {
        let mut named: Vec<&OtherRules> =
            others.iter().filter(|one| one.breaks == breaks).collect();
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
