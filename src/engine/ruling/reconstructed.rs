//! The reconstructed figures that a ruling or its odds rest on, for a summary or an error.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Place, Remedy, Span};
use crate::data::status::{MAP, ReconstructedFigure, Status};
use crate::ruleset::compose::Ruleset;
use crate::situation::trace::ReconstructedRead;
use std::collections::BTreeMap;

/// Summarizes the reads, with one line per table or file.
pub fn summarize<'a>(doubts: impl IntoIterator<Item = &'a ReconstructedRead>) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut doubts: Vec<_> = doubts.into_iter().collect();
    // The map of a file comes after its pieces.
    doubts.sort_by_key(
        |doubt| matches!(doubt, ReconstructedRead::Figure(figure) if figure.piece == MAP),
    );
    for doubt in doubts {
        match doubt {
            ReconstructedRead::Cell { table, label, .. } => {
                let (row, column) = label.rsplit_once(' ').unwrap_or(("", label));
                places
                    .entry(format!("table {table}"))
                    .or_default()
                    .push((row.into(), column.into()));
            }
            ReconstructedRead::Figure(figure) => {
                places
                    .entry(figure.path.clone())
                    .or_default()
                    .push((format!("{} of", figure.name), figure.piece.clone()));
            }
        }
    }
    places
        .into_iter()
        .map(|(place, list)| format!("{place}: {}", group_figures(list)))
        .collect()
}

/// Builds the errors of a strict run.
pub fn strict_complaints<'a>(
    doubts: impl IntoIterator<Item = &'a ReconstructedRead>,
    ruleset: &Ruleset,
) -> Complaints {
    Complaints(
        doubts
            .into_iter()
            .filter_map(|doubt| strict_complaint(doubt, ruleset))
            .collect(),
    )
    .into_sorted()
}

fn strict_complaint(doubt: &ReconstructedRead, ruleset: &Ruleset) -> Option<Complaint> {
    let refusal = Status::Reconstructed.refusal();
    match doubt {
        ReconstructedRead::Cell {
            table: id,
            label,
            index,
        } => {
            let table = ruleset.table(id).ok()??;
            let cell = table.cells.get(*index)?;
            let message = format!("table {id}, {label}: the figure {refusal}");
            let help = "type the printed chart into a variant of your own";
            Some(
                Complaint::new(
                    DiagnosticCode::Figure,
                    Place::from_text(&cell.path, table.file_text(&cell.path), cell.span),
                    message,
                )
                .with_help(help)
                .with_remedy(Remedy::NewTables),
            )
        }
        ReconstructedRead::Figure(figure) => {
            let ReconstructedFigure { path, name, piece } = &**figure;
            let mut files = ruleset
                .layers
                .iter()
                .flat_map(|layer| layer.scenarios.values());
            let place = files.find(|file| *file.path == **path).and_then(|file| {
                Some(Place::from_text(
                    path,
                    &file.text,
                    name_span(&file.text, piece)?,
                ))
            });
            // The name of an attribute may be plural, and is no subject of `is`.
            let figure = if ruleset.game.index_of_attribute(name).is_some() {
                format!("figure `{name}`")
            } else {
                name.clone()
            };
            let message = format!("{piece}: the {figure} {refusal}");
            Some(
                Complaint::new(
                    DiagnosticCode::Figure,
                    place.unwrap_or_else(|| Place::whole_file(path)),
                    message,
                )
                .with_help("give it in a situation of your own"),
            )
        }
    }
}

/// Finds the name of a piece in a list of pieces, or the key of the map. The name must be the value of `name`, so a mention in a note
/// doesn't count.
fn name_span(text: &str, piece: &str) -> Option<Span> {
    if piece == MAP {
        let line = text.lines().position(|line| line.starts_with("map:"))?;
        return Some(Span {
            line: line + 1,
            column: 1,
            length: "map".len(),
        });
    }
    text.lines().enumerate().find_map(|(line, text)| {
        let written = [
            piece.to_string(),
            format!("\"{piece}\""),
            format!("'{piece}'"),
        ];
        written.iter().find_map(|written| {
            let (before, after) = text.split_once(&format!("name: {written}"))?;
            let ends = after.is_empty() || after.starts_with([',', ' ', '}']);
            let column = before.chars().count() + "name: ".len() + 1;
            ends.then_some(Span {
                line: line + 1,
                column,
                length: written.chars().count(),
            })
        })
    })
}

/// Formats figures grouped by name: "figure of A, B; another of C".
fn group_figures(figures: impl IntoIterator<Item = (String, String)>) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (head, item) in figures {
        match groups.iter_mut().find(|(h, _)| *h == head) {
            Some((_, items)) if items.contains(&item) => {}
            Some((_, items)) => items.push(item),
            None => groups.push((head, vec![item])),
        }
    }
    groups
        .into_iter()
        .map(|(head, items)| format!("{head} {}", items.join(", ")))
        .collect::<Vec<_>>()
        .join("; ")
}
