//! The ruleset that an example requests, by the `///` lines above a function or the keys next to a question.

use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place, Span};
use casebook_engine::data::case::{Case, CaseFunction};
use casebook_engine::data::yaml::YamlNode;
use casebook_engine::ruleset::compose::RulesetSpec;

/// Placeholder for the position of an example until it is known.
const EXAMPLE_PLACE: &str = "(example)";

/// The remedy for a ruleset request that can't be built.
const SETTING_REMEDY: &str =
    "correct the name, or the lines of the example that say what is in force";

/// The ruleset that an example requests.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// The id of the statement and how it is known; without an id, the name.
    pub id: String,
    spec: RulesetSpec,
    /// Invalid requests: the words, and why they are invalid.
    errors: Vec<(String, String)>,
}

impl Setting {
    /// Parses the doc lines above an example: the first is its id, lines with a known key are settings, all others are notes.
    pub fn from_docs(function: &CaseFunction) -> Setting {
        let mut setting = Setting {
            id: function.name.clone(),
            ..Setting::default()
        };
        for (i, line) in function.doc_lines().iter().enumerate() {
            match line.split_once(':') {
                Some(("with", names)) => setting.spec.variants = split_list(names),
                Some(("reading", texts)) => split_list(texts)
                    .iter()
                    .for_each(|text| setting.add_reading(text)),
                Some(("option", texts)) => split_list(texts)
                    .iter()
                    .for_each(|text| setting.add_option(text)),
                Some((word, _))
                    if !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase()) =>
                {
                    let message =
                        format!("an example has no `{word}:`; it has with:, reading: and option:");
                    setting.errors.push((word.into(), message));
                }
                _ if i == 0 => setting.id = line.to_string(),
                _ => {}
            }
        }
        setting
    }

    /// Parses the keys next to a question of a YAML file.
    pub fn from_entry(
        item: &YamlNode,
        id: String,
        default_variants: Option<Vec<String>>,
    ) -> Setting {
        let mut setting = Setting {
            id,
            ..Setting::default()
        };
        setting.spec.variants = item
            .get("with")
            .map(YamlNode::texts)
            .or(default_variants)
            .unwrap_or_default();
        item.texts_of("reading")
            .iter()
            .for_each(|text| setting.add_reading(text));
        item.texts_of("option")
            .iter()
            .for_each(|text| setting.add_option(text));
        setting
    }

    fn add_reading(&mut self, text: &str) {
        match text.split_once('=') {
            Some((name, way)) => self
                .spec
                .readings
                .push((name.trim().into(), way.trim().into())),
            None => self.errors.push((
                text.into(),
                format!("`{text}` says no way to read it: write `8.16.remainder=even`"),
            )),
        }
    }

    fn add_option(&mut self, text: &str) {
        match text
            .split_once('=')
            .map(|(name, on)| (name.trim(), on.trim()))
        {
            Some((name, on @ ("on" | "off"))) => self.spec.options.push((name.into(), on == "on")),
            _ => self.errors.push((
                text.into(),
                format!("an option is on or off: `{text}` is neither"),
            )),
        }
    }

    /// Returns the ruleset spec of an example of a game or of one of its variants.
    pub fn into_spec(self, game: &str, layer: Option<&str>) -> Result<RulesetSpec, Complaints> {
        if let Some((word, message)) = self.errors.into_iter().next() {
            return Err(request_complaint(message, Some(word)).into());
        }
        let mut spec = RulesetSpec {
            game: game.into(),
            ..self.spec
        };
        if let Some(layer) = layer.filter(|layer| !spec.variants.iter().any(|name| name == layer)) {
            spec.variants.push(layer.into());
        }
        Ok(spec)
    }
}

/// Splits a list such as "a, b".
fn split_list(text: &str) -> Vec<String> {
    text.split(',')
        .map(|part| part.trim().to_string())
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns the complaints for a ruleset that can't be built.
pub fn setting_complaints(error: &Error) -> Complaints {
    let name = match error {
        Error::Data(complaints) => return complaints.clone(),
        Error::Unknown { name, .. } | Error::Misused { name, .. } => Some(name.clone()),
        _ => None,
    };
    request_complaint(error.to_string(), name).into()
}

/// Returns the complaint for a ruleset that can't be built; an error in the request itself gets the position of the request.
pub fn setting_complaint(
    complaints: &Complaints,
    place: impl FnOnce(&str) -> Place,
) -> Option<Complaint> {
    let mut complaint = complaints.0.first()?.clone();
    if complaint.place.path == EXAMPLE_PLACE {
        complaint.place = place(complaint.subject.as_deref().unwrap_or_default());
    }
    Some(complaint)
}

/// Returns the complaint for an invalid request, about one name of it. Its position is known later.
fn request_complaint(message: String, name: Option<String>) -> Complaint {
    let complaint = Complaint::new(
        DiagnosticCode::Example,
        Place::whole_file(EXAMPLE_PLACE),
        message,
    )
    .with_help(SETTING_REMEDY);
    Complaint {
        subject: name,
        ..complaint
    }
}

/// Returns the position of `word` in the doc lines above an example, otherwise that of the example's name.
pub fn doc_line_place(case: &Case, function: &CaseFunction, word: &str) -> Place {
    let (file, lines_before) = case.file_of(function.name_span.line);
    let name_line = function.name_span.line - lines_before;
    let first_doc_line = name_line.saturating_sub(function.doc_lines().len() + 1);
    let lines = file
        .text
        .lines()
        .enumerate()
        .take(name_line)
        .skip(first_doc_line)
        .filter(|(_, line)| line.starts_with("///"));
    let word = word.trim_end_matches(':');
    let mut positions = lines.filter_map(|(index, line)| {
        Some((
            lines_before + index + 1,
            line[..line.find(word)?].chars().count() + 1,
        ))
    });
    let span = positions.next().filter(|_| !word.is_empty());
    let span = span.map_or(function.name_span, |(line, column)| Span {
        line,
        column,
        length: word.chars().count(),
    });
    case.place(span)
}
