//! Renders a complaint: the source line, a mark under the span, the remedy.

use crate::complaint::terminal::terminal_width;
use crate::complaint::{Certainty, Complaint, Place, Severity};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

/// Note on complaints that are not certain.
const LIKELY_NOTE: &str =
    "likely, not certain: Casebook judged by the names and did not run the rule";

impl Complaint {
    /// Renders the complaint in the style of rustc, in colour if `colour` is set.
    pub fn render(&self, colour: bool) -> String {
        let level = if self.severity == Severity::Error {
            Level::ERROR
        } else {
            Level::NOTE
        };
        let title = level
            .clone()
            .primary_title(self.message.as_str())
            .id(self.code.as_str());
        let mut group = Group::with_title(title);
        group = add_place(group, &self.place, AnnotationKind::Primary, &self.context);
        for (place, label) in &self.also {
            group = add_place(group, place, AnnotationKind::Context, label);
        }
        if !self.help.is_empty() {
            group = group.element(Level::HELP.message(self.help.as_str()));
        }
        if self.certainty == Certainty::Likely {
            group = group.element(Level::NOTE.message(LIKELY_NOTE));
        }
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let renderer =
            terminal_width().map_or(renderer.clone(), |width| renderer.term_width(width));
        renderer.render(&[group]).to_string()
    }
}

/// Adds a place to a group: the source line with a mark, or the file alone.
fn add_place<'a>(
    group: Group<'a>,
    place: &'a Place,
    kind: AnnotationKind,
    label: &'a str,
) -> Group<'a> {
    let Some(span) = place.span else {
        let group = group.element(Origin::path(place.path.as_str()));
        return if label.is_empty() {
            group
        } else {
            group.element(Level::NOTE.message(label))
        };
    };
    // Dots replace the text before the excerpt, so that the column is right; they are too far left to be shown.
    let line = format!("{}{}", ".".repeat(place.excerpt_start), place.excerpt);
    let byte = |chars: usize| {
        line.char_indices()
            .nth(chars)
            .map_or(line.len(), |(i, _)| i)
    };
    let from = byte(span.column.saturating_sub(1));
    let to = byte(span.column.saturating_sub(1) + span.length.max(1)).max(from);
    let mut mark = kind.span(from..to);
    if !label.is_empty() {
        mark = mark.label(label);
    }
    group.element(
        Snippet::source(line)
            .line_start(span.line)
            .path(place.path.as_str())
            .annotation(mark),
    )
}
