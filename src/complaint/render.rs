//! Renders a complaint: the source line, a mark under the span, the remedy.

use super::Complaint;

/// Note on complaints that are not certain.
const LIKELY_NOTE: &str = "likely: judged by the names, without carrying it out";

#[cfg(feature = "cli")]
mod renderer {
    use super::LIKELY_NOTE;
    use crate::complaint::terminal::terminal_width;
    use crate::complaint::{Certainty, Complaint, Place, Severity};
    use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

    /// Renders in the style of rustc.
    pub fn render(complaint: &Complaint, colour: bool) -> String {
        let level = if complaint.weight == Severity::Error { Level::ERROR } else { Level::NOTE };
        let title = level.clone().primary_title(complaint.what.as_str()).id(complaint.law);
        let mut group = Group::with_title(title);
        group = add_place(group, &complaint.place, AnnotationKind::Primary, &complaint.crumbs);
        for (place, label) in &complaint.also {
            group = add_place(group, place, AnnotationKind::Context, label);
        }
        if !complaint.help.is_empty() {
            group = group.element(Level::HELP.message(complaint.help.as_str()));
        }
        if complaint.sure == Certainty::Likely {
            group = group.element(Level::NOTE.message(LIKELY_NOTE));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let renderer = terminal_width().map_or(renderer.clone(), |width| renderer.term_width(width));
        renderer.render(&[group]).to_string()
    }

    /// Adds a place to a group: the source line with a mark, or the file alone.
    fn add_place<'a>(group: Group<'a>, place: &'a Place, kind: AnnotationKind, label: &'a str) -> Group<'a> {
        let Some(span) = place.span else {
            let group = group.element(Origin::path(place.path.as_str()));
            return if label.is_empty() { group } else { group.element(Level::NOTE.message(label)) };
        };
        // Dots replace the text before the excerpt, so that the column is right; they are too far left to be shown.
        let line = format!("{}{}", ".".repeat(place.excerpt_start), place.excerpt);
        let byte = |chars: usize| line.char_indices().nth(chars).map_or(line.len(), |(i, _)| i);
        let from = byte(span.column.saturating_sub(1));
        let to = byte(span.column.saturating_sub(1) + span.length.max(1)).max(from);
        let mut mark = kind.span(from..to);
        if !label.is_empty() {
            mark = mark.label(label);
        }
        group.element(Snippet::source(line).line_start(span.line).path(place.path.as_str()).annotation(mark))
    }
}

#[cfg(not(feature = "cli"))]
mod drawn {
    use super::LIKELY_NOTE;
    use crate::complaint::{Certainty, Complaint, Place, Severity};
    use std::fmt::Write;

    /// Renders as plain lines, without the crates of the command line.
    pub fn render(complaint: &Complaint, _: bool) -> String {
        let weight = if complaint.weight == Severity::Error { "error" } else { "note" };
        let mut out = format!("{weight}[{}]: {}", complaint.law, complaint.what);
        let mut place = |place: &Place, label: &str| {
            let at = place.span.map_or(String::new(), |s| format!(":{}:{}", s.line, s.column));
            let _ = write!(out, "\n  --> {}{at}  {label}\n      {}", place.path, place.excerpt);
        };
        place(&complaint.place, &complaint.crumbs);
        complaint.also.iter().for_each(|(other, label)| place(other, label));
        if !complaint.help.is_empty() {
            let _ = write!(out, "\n  = help: {}", complaint.help);
        }
        if complaint.sure == Certainty::Likely {
            let _ = write!(out, "\n  = note: {LIKELY}");
        }
        out
    }
}

impl Complaint {
    /// Renders the complaint, in colour if `colour` is set.
    pub fn render(&self, colour: bool) -> String {
        renderer::render(self, colour)
    }
}
