//! The reconstructed figures that a ruling or its odds rest on: told, or refused.

use crate::complaint::{Complaint, Complaints, Place, Span};
use crate::ruleset::compose::Ruleset;
use crate::situation::trace::{Doubt, MadeUp};
use std::collections::BTreeMap;

/// Those of each table and file on one line.
pub fn told<'a>(doubts: impl IntoIterator<Item = &'a Doubt>) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for doubt in doubts {
        match doubt {
            Doubt::Cell { table, label, .. } => {
                let (place, last) = label.rsplit_once(' ').unwrap_or(("", label));
                places.entry(format!("table {table}")).or_default().push((place.into(), last.into()));
            }
            Doubt::Figure(figure) => {
                places.entry(figure.path.clone()).or_default().push((format!("{} of", figure.name), figure.piece.clone()));
            }
        }
    }
    places.into_iter().map(|(place, list)| format!("{place}: {}", grouped(list))).collect()
}

/// All of them, as --strict refuses them.
pub fn refused<'a>(doubts: impl IntoIterator<Item = &'a Doubt>, ruleset: &Ruleset) -> Complaints {
    Complaints(doubts.into_iter().filter_map(|doubt| one(doubt, ruleset)).collect()).sorted()
}

fn one(doubt: &Doubt, ruleset: &Ruleset) -> Option<Complaint> {
    const STRICT: &str = "is reconstructed, and --strict does not use such figures";
    match doubt {
        Doubt::Cell { table: id, label, index } => {
            let table = ruleset.table(id).ok()??;
            let cell = table.cells.get(*index)?;
            let what = format!("table {id}, {label}: the figure {STRICT}");
            let help = "type the printed chart into a variant of your own: casebook new variant my-charts --tables";
            Some(Complaint::new("figure", Place::at(&cell.path, table.text_of(&cell.path), cell.span), what).help(help))
        }
        Doubt::Figure(figure) => {
            let MadeUp { path, name, piece } = &**figure;
            let mut files = ruleset.layers.iter().flat_map(|layer| layer.scenarios.values());
            let place =
                files.find(|file| *file.path == **path).and_then(|file| Some(Place::at(path, &file.text, named(&file.text, piece)?)));
            let what = format!("{piece}: the {name} {STRICT}");
            Some(Complaint::new("figure", place.unwrap_or_else(|| Place::file(path)), what).help("give it in a situation of your own"))
        }
    }
}

/// Where a list of pieces names one: as the value of its `name`, not where a note speaks of it.
fn named(text: &str, piece: &str) -> Option<Span> {
    text.lines().enumerate().find_map(|(line, text)| {
        let written = [piece.to_string(), format!("\"{piece}\""), format!("'{piece}'")];
        written.iter().find_map(|written| {
            let (before, after) = text.split_once(&format!("name: {written}"))?;
            let ends = after.is_empty() || after.starts_with([',', ' ', '}']);
            let column = before.chars().count() + "name: ".len() + 1;
            ends.then_some(Span { line: line + 1, column, length: written.chars().count() })
        })
    })
}

/// "figure of A, B; another of C": what is alike stands together.
fn grouped(list: impl IntoIterator<Item = (String, String)>) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (head, item) in list {
        match groups.iter_mut().find(|(h, _)| *h == head) {
            Some((_, items)) if items.contains(&item) => {}
            Some((_, items)) => items.push(item),
            None => groups.push((head, vec![item])),
        }
    }
    groups.into_iter().map(|(head, items)| format!("{head} {}", items.join(", "))).collect::<Vec<_>>().join("; ")
}
