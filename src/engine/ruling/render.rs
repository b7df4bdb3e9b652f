//! Renders a ruling as text.

use crate::complaint::Remedy;
use crate::complaint::terminal::escape_invisible;
use crate::ruling::resolve::{Ruling, RulingLine};
use crate::ruling::terminal_page::{TerminalPage, json_text};
use crate::situation::overrides;
use crate::situation::trace::UnusedAnswer;
use std::fmt::Write;

/// The notice that a refusal undoes what was done before it.
pub const TAKEN_BACK: &str = "Nothing of this holds: everything done before it is taken back.";

impl Ruling {
    /// Renders the whole ruling with its assumptions; a line cites the first few of the sources that no line above cites.
    pub fn render(&self, colour: bool) -> String {
        self.render_page(TerminalPage::new(colour), true, false)
    }

    /// Renders the ruling. With `sources` each line cites all its sources, those cited above as well; without it, one line counts the
    /// reconstructed figures.
    pub fn render_with(&self, page: TerminalPage, sources: bool) -> String {
        self.render_page(page, sources, sources)
    }

    /// Renders the ruling for a file: the text is the same whatever terminal it is made in.
    pub fn render_kept(&self) -> String {
        self.render_page(TerminalPage::kept(), true, false)
    }

    /// Renders only the results.
    pub fn render_brief(&self, page: TerminalPage) -> String {
        let results_only = Ruling {
            title: self.title.clone(),
            procedure: self.procedure.clone(),
            set: self.set.clone(),
            ruleset: self.ruleset.clone(),
            dice_from: self.dice_from.clone(),
            refused: self.refused.clone(),
            taken_back: self.taken_back,
            results: self.results.clone(),
            headline: self.headline.clone(),
            groups: self.groups.clone(),
            unused_answers: self.unused_answers.clone(),
            ..Ruling::default()
        };
        if results_only.is_silent() && !self.is_silent() {
            let named = Ruling {
                procedure: String::new(),
                ..results_only
            };
            return named.render_with(page, false) + "\nNo outcome is named.\n";
        }
        results_only.render_with(page, false)
    }

    /// Whether the ruling succeeded without any line, outcome or refusal.
    pub fn is_silent(&self) -> bool {
        let has_lines = self
            .steps
            .iter()
            .any(|step| !step.title.is_empty() || !step.lines.is_empty());
        !self.procedure.is_empty()
            && !has_lines
            && self.results.is_empty()
            && self.refused.is_none()
    }

    /// Appends the outcomes, group by group; those that are looked at first have no title.
    fn push_outcomes(&self, out: &mut String, page: TerminalPage) {
        let width = self
            .results
            .keys()
            .map(|k| k.chars().count())
            .max()
            .unwrap_or(0);
        let push = |out: &mut String, name: &str, value: &serde_json::Value| {
            let cites = self
                .outcome_cites
                .get(name)
                .map(|cites| page.cites(cites))
                .map_or(String::new(), |cites| format!("  {cites}"));
            let _ = writeln!(
                out,
                "  {name:<width$}  {}{cites}",
                escape_invisible(&json_text(value))
            );
        };
        if self.groups.is_empty() {
            self.results
                .iter()
                .for_each(|(name, value)| push(out, name, value));
        }
        for group in &self.groups {
            let named: Vec<_> = group
                .outcomes
                .iter()
                .filter_map(|name| Some((name, self.results.get(name)?)))
                .collect();
            if !named.is_empty() && !group.title.is_empty() {
                let _ = writeln!(out, "{}", page.paint("2", &group.title));
            }
            named
                .into_iter()
                .for_each(|(name, value)| push(out, name, value));
        }
    }

    fn render_page(&self, page: TerminalPage, sources: bool, repeat: bool) -> String {
        let page = page.with_all_cites(repeat);
        let cited = |line: &RulingLine| match &line.behind[..] {
            behind if repeat && !behind.is_empty() => line
                .cites
                .iter()
                .cloned()
                .chain([format!("as above {}", behind.join(", "))])
                .collect(),
            _ => line.cites.clone(),
        };
        let mut out = String::new();
        let _ = writeln!(out, "{}", page.paint("1", &escape_invisible(&self.title)));
        let _ = writeln!(
            out,
            "{}",
            page.paint(
                "2",
                &format!("{} · {} · {}", self.procedure, self.ruleset, self.dice_from)
            )
        );
        if !self.set.is_empty() {
            let set: Vec<(String, String)> = self.set.clone().into_iter().collect();
            let _ = writeln!(
                out,
                "{}",
                page.paint("2", &escape_invisible(&overrides::describe(&set)))
            );
        }
        for step in &self.steps {
            if !step.title.is_empty() {
                let _ = writeln!(out, "\n{}", page.paint("1", &escape_invisible(&step.title)));
            }
            for line in &step.lines {
                out.push_str(&page.line(&line.text, &cited(line)));
            }
        }
        if self.is_silent() {
            out.push_str(&format!(
                "\n{}",
                page.line("Nothing came of it: no case had anything to say.", &[])
            ));
        }
        if let Some(refusal) = &self.refused {
            let _ = writeln!(out, "\n{}", page.paint("1;31", "Refused"));
            out.push_str(&page.line(&refusal.text, &cited(refusal)));
            if self.taken_back {
                out.push_str(&page.line(TAKEN_BACK, &[]));
            }
        }
        if !self.results.is_empty() {
            let _ = writeln!(
                out,
                "\n{}",
                page.paint(
                    "1",
                    if self.taken_back {
                        "Outcome so far, taken back"
                    } else {
                        "Outcome"
                    }
                )
            );
            if !self.headline.is_empty() {
                out.push_str(&page.line(&self.headline, &[]));
            }
            self.push_outcomes(&mut out, page);
        }
        page.list_with_remedy(
            &mut out,
            "Choices left to their first option",
            Remedy::AnswerChoice,
            &self.unasked,
        );
        page.list(
            &mut out,
            "Answers to questions that were not asked",
            &UnusedAnswer::describe_all(&self.unused_answers),
        );
        let (figures, cases) = (&self.reconstructed, &self.cases_reconstructed);
        if sources {
            page.list_with_remedy(
                &mut out,
                "Reconstructed figures this rests on",
                Remedy::RefuseReconstructed,
                figures,
            );
            let cases: &[String] = if cases.is_empty() {
                &[]
            } else {
                &[cases.join(", ")]
            };
            page.list(&mut out, "Cases whose printed wording is not known", cases);
        } else if !figures.is_empty() || !cases.is_empty() {
            let count = |n: usize, one: &str, many: &str| {
                if n == 1 {
                    format!("1 {one}")
                } else {
                    format!("{n} {many}")
                }
            };
            let mut rests = Vec::new();
            if !figures.is_empty() {
                let file_count = count(figures.len(), "table or file", "tables and files");
                rests.push(format!("Reconstructed figures of {file_count}"));
            }
            if !cases.is_empty() {
                rests.push(format!(
                    "{} whose printed wording is not known",
                    count(cases.len(), "case", "cases")
                ));
            }
            let rests = format!("Rests on: {}.", rests.join("; "));
            let rests = page.advise(&rests, Some(Remedy::ListSources));
            let _ = writeln!(out, "\n{}", page.paint("2", &rests));
        }
        page.list(&mut out, "Trace", &self.trace);
        out
    }
}

/// Renders each step title and each line as a separate text.
pub fn render_steps(ruling: &Ruling, page: TerminalPage) -> Vec<String> {
    let mut texts = Vec::new();
    for step in &ruling.steps {
        if !step.title.is_empty() {
            texts.push(format!("\n{}\n", page.paint("1", &step.title)));
        }
        texts.extend(
            step.lines
                .iter()
                .map(|line| page.line(&line.text, &line.cites)),
        );
    }
    texts
}

/// Renders what follows the steps.
pub fn render_ending(ruling: &Ruling, page: TerminalPage) -> String {
    let ending = Ruling {
        refused: ruling.refused.clone(),
        taken_back: ruling.taken_back,
        results: ruling.results.clone(),
        outcome_cites: ruling.outcome_cites.clone(),
        headline: ruling.headline.clone(),
        groups: ruling.groups.clone(),
        reconstructed: ruling.reconstructed.clone(),
        cases_reconstructed: ruling.cases_reconstructed.clone(),
        ..Ruling::default()
    };
    ending
        .render_with(page, false)
        .split_once("\n\n")
        .map(|(_, rest)| format!("\n{rest}"))
        .unwrap_or_default()
}
