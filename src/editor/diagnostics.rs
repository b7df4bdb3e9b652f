//! Converts complaints to LSP diagnostics.

use crate::project::Project;
use crate::text::{self, FILE_START};
use casebook_engine::complaint::{Complaint, Complaints, Place, Severity};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
};
use std::collections::BTreeMap;

/// Returns the diagnostics of each file, by file key.
pub fn diagnostics_by_file(
    project: &mut Project,
    complaints: &Complaints,
) -> BTreeMap<String, Vec<Diagnostic>> {
    let mut by_file: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
    for complaint in &complaints.0 {
        let diagnostic = diagnostic(project, complaint);
        by_file
            .entry(project.place_key(&complaint.place))
            .or_default()
            .push(diagnostic);
    }
    by_file
}

/// Converts a complaint to a diagnostic; the help text follows the message on its own line.
fn diagnostic(project: &mut Project, complaint: &Complaint) -> Diagnostic {
    let message = if complaint.help.is_empty() {
        complaint.message.clone()
    } else {
        format!("{}\n{}", complaint.message, complaint.help)
    };
    let related = |(place, label): &(Place, String)| {
        let location = Location {
            uri: project.editable_uri(&project.place_key(place))?,
            range: range(project, place),
        };
        Some(DiagnosticRelatedInformation {
            location,
            message: label.clone(),
        })
    };
    let also: Vec<_> = complaint.also.iter().filter_map(related).collect();
    Diagnostic {
        range: range(project, &complaint.place),
        severity: Some(if complaint.severity == Severity::Error {
            DiagnosticSeverity::ERROR
        } else {
            DiagnosticSeverity::INFORMATION
        }),
        code: Some(NumberOrString::String(complaint.code.as_str().into())),
        source: Some("casebook".into()),
        message,
        data: (!complaint.fixes.is_empty())
            .then(|| serde_json::to_value(&complaint.fixes).unwrap_or_default()),
        related_information: (!also.is_empty()).then_some(also),
        ..Diagnostic::default()
    }
}

fn range(project: &mut Project, place: &Place) -> lsp_types::Range {
    let key = project.place_key(place);
    let file = project.file(&key);
    text::range(
        file.as_ref().map_or("", |file| &file.text),
        place.span.unwrap_or(FILE_START),
    )
}
