//! Text layout for terminals: wrapping, indentation, and citations at the margin.

use crate::complaint::terminal::{clamp_to_terminal, escape_invisible, terminal_width};
use crate::complaint::{Complaint, Complaints, Remedy};
use crate::ruling::citations::cites_text;
use crate::situation::value_text::join_words;
use std::fmt::Write;

/// The column of citations.
const CITES_COLUMN: usize = 84;

/// A page that colours text if the output is a terminal.
#[derive(Clone, Copy)]
pub struct TerminalPage {
    /// Whether colours are used.
    pub colour: bool,
    /// The width in columns to which lines are fitted; `None` for a text that is kept.
    width: Option<usize>,
    /// Whether lines show all their citations.
    all_cites: bool,
    /// How the surface words remedies; one without words leaves them out.
    words: Option<fn(&Remedy) -> String>,
}

impl TerminalPage {
    /// Returns a page of the terminal's width.
    pub fn new(colour: bool) -> TerminalPage {
        TerminalPage {
            colour,
            width: terminal_width(),
            all_cites: false,
            words: None,
        }
    }

    /// Returns a page for a text that is kept: it is the same whatever terminal it is made in.
    pub fn kept() -> TerminalPage {
        TerminalPage {
            width: None,
            ..TerminalPage::new(false)
        }
    }

    /// Returns the page with all citations of its lines, or with the first few of them.
    pub fn with_all_cites(self, all_cites: bool) -> TerminalPage {
        TerminalPage { all_cites, ..self }
    }

    /// Returns the page with a surface's words for remedies.
    pub fn with_words(self, words: fn(&Remedy) -> String) -> TerminalPage {
        let words = Some(words);
        TerminalPage { words, ..self }
    }

    /// Returns a sentence, followed by what helps.
    pub fn advise(&self, sentence: &str, remedy: Option<Remedy>) -> String {
        match self.words.zip(remedy) {
            Some((words, remedy)) => format!("{sentence} {}.", words(&remedy)),
            None => sentence.into(),
        }
    }

    /// Returns a complaint with what helps in its help text.
    pub fn worded(&self, complaint: &Complaint) -> Complaint {
        let mut worded = complaint.clone();
        if let (Some(words), Some(remedy)) = (self.words, &complaint.remedy) {
            let separator = if worded.help.is_empty() { "" } else { "; " };
            worded.help += &format!("{separator}{}", words(remedy));
        }
        worded
    }

    /// Renders a complaint with what helps.
    pub fn complaint(&self, complaint: &Complaint) -> String {
        self.worded(complaint).render(self.colour)
    }

    /// Renders complaints, each with what helps, followed by a count.
    pub fn complaints(&self, complaints: &Complaints) -> String {
        let worded = complaints.0.iter().map(|one| self.worded(one));
        Complaints(worded.collect()).render(self.colour)
    }

    /// Appends a heading that says what one can do about its lines.
    pub fn list_with_remedy(
        &self,
        out: &mut String,
        title: &str,
        remedy: Remedy,
        lines: &[String],
    ) {
        match self.words {
            Some(words) => self.list(out, &format!("{title} ({})", words(&remedy)), lines),
            None => self.list(out, title, lines),
        }
    }

    /// Returns a number of columns, limited to the width of the page.
    fn clamp(&self, columns: usize) -> usize {
        self.width.map_or(columns, |width| columns.min(width))
    }

    /// Wraps a text in an ANSI style: 1 bold, 2 faint, 31 red, 36 cyan.
    pub fn paint(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }

    fn bracketed(&self, cites: &[String]) -> String {
        format!(
            "[{}]",
            if self.all_cites {
                cites.join("; ")
            } else {
                cites_text(cites)
            }
        )
    }

    /// Formats citations that follow a text.
    pub fn cites(&self, cites: &[String]) -> String {
        self.paint("36", &self.bracketed(cites))
    }

    /// Formats a line with its citations at the margin, or below the line if they don't fit.
    pub fn line(&self, text: &str, cites: &[String]) -> String {
        let mut out = String::new();
        let rows = wrap(&escape_invisible(text), self.clamp(CITES_COLUMN) - 4);
        for (i, row) in rows.iter().enumerate() {
            let indent = if i == 0 { "  " } else { "    " };
            out.push_str(indent);
            out.push_str(row);
            if i + 1 == rows.len() && !cites.is_empty() {
                let cites = self.bracketed(cites);
                let (used, long) = (indent.len() + row.chars().count(), cites.chars().count());
                let margin = CITES_COLUMN.max(used + 2);
                match self.width {
                    Some(width) if margin + long > width && used + 2 + long > width => {
                        for row in wrap(&cites, width - 6) {
                            let _ = write!(out, "\n      {}", self.paint("36", &row));
                        }
                    }
                    Some(width) if margin + long > width => {
                        let _ = write!(
                            out,
                            "{}{}",
                            " ".repeat(width - long - used),
                            self.paint("36", &cites)
                        );
                    }
                    _ => {
                        let _ = write!(
                            out,
                            "{}{}",
                            " ".repeat(margin - used),
                            self.paint("36", &cites)
                        );
                    }
                }
            }
            out.push('\n');
        }
        out
    }

    /// Appends a heading with faint lines below it, or nothing if there are no lines.
    pub fn list(&self, out: &mut String, title: &str, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{}", self.paint("2", title));
        for line in lines {
            for (i, row) in wrap(&escape_invisible(line), self.clamp(112) - 4)
                .into_iter()
                .enumerate()
            {
                let _ = writeln!(
                    out,
                    "{}{}",
                    if i == 0 { "  " } else { "    " },
                    self.paint("2", &row)
                );
            }
        }
    }
}

/// Breaks a text between words into lines of at most `width` characters; leading spaces are kept.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let used = lines.last().map_or(0, |l| l.chars().count());
        if used > 0 && used + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    let lead: String = text.chars().take_while(|c| *c == ' ').collect();
    lines[0].insert_str(0, &lead);
    lines
}

/// Appends a text, wrapped and indented.
pub fn push_indented(out: &mut String, text: &str) {
    if !text.is_empty() {
        wrap(text, clamp_to_terminal(98) - 2)
            .iter()
            .for_each(|line| out.push_str(&format!("  {line}\n")));
    }
}

/// Formats a JSON value for display.
pub fn json_text(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(true) => "yes".into(),
        serde_json::Value::Bool(false) => "no".into(),
        serde_json::Value::Null => "none".into(),
        serde_json::Value::Array(list) => join_words(list.iter().map(json_text).collect()),
        other => other.to_string(),
    }
}
