//! The chapters of the rulebook.

use casebook_engine::data::case::Case;
use casebook_engine::data::case::number_from_stem;
use casebook_engine::ruleset::compose::Ruleset;
use std::collections::{BTreeMap, BTreeSet};

/// A chapter: the cases of one section, from all layers.
#[derive(Clone, Debug, Default)]
pub struct Chapter {
    /// The folder name of the section.
    pub slug: String,
    /// The section number; empty if it has none.
    pub number: String,
    /// The title of the chapter.
    pub title: String,
    /// The case numbers, sorted.
    pub cases: Vec<String>,
}

/// Sort key of a case number: 8.2 precedes 8.16, and numbered cases precede unnumbered ones.
fn sort_key(number: &str) -> (bool, Vec<u32>, String) {
    let numbers: Vec<Option<u32>> = number.split('.').map(|part| part.parse().ok()).collect();
    match numbers.iter().copied().collect::<Option<Vec<u32>>>() {
        // Numbers sort as printed: 8.16 is a subsection of 8.1 and precedes 8.2.
        Some(numbers) => (
            false,
            numbers
                .iter()
                .enumerate()
                .flat_map(|(i, n)| if i == 0 { vec![*n] } else { digits(*n) })
                .collect(),
            String::new(),
        ),
        None => (true, Vec::new(), number.into()),
    }
}

fn digits(number: u32) -> Vec<u32> {
    number
        .to_string()
        .chars()
        .filter_map(|c| c.to_digit(10))
        .collect()
}

/// Lists the chapters of a ruleset in the order of their folders.
pub fn chapters(ruleset: &Ruleset) -> Vec<Chapter> {
    let mut cases_by_slug: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in &ruleset.cases {
        cases_by_slug
            .entry(section(case).into())
            .or_default()
            .insert(case.number.clone());
    }
    let chapter = |(slug, cases): (String, BTreeSet<String>)| {
        let number = number_from_stem(&slug);
        let numbered = number.chars().all(|c| c.is_ascii_digit());
        let number = if numbered {
            number.trim_start_matches('0').to_string()
        } else {
            String::new()
        };
        let listed_title = ruleset
            .contents
            .get(&format!("{number}.0"))
            .map(|listed_title| listed_title.title.clone());
        let title = listed_title.unwrap_or_else(|| {
            title_from_slug(
                slug.split_once('-')
                    .filter(|_| numbered)
                    .map_or(slug.as_str(), |(_, words)| words),
            )
        });
        let mut cases: Vec<String> = cases.into_iter().collect();
        // Printed cases include those of which only the number is known.
        let printed = ruleset.contents.keys().filter(|number_listed| {
            !number.is_empty() && number_listed.split('.').next() == Some(&number)
        });
        cases.extend(
            printed
                .filter(|number_listed| {
                    !ruleset
                        .cases
                        .iter()
                        .any(|case| case.number == **number_listed)
                })
                .cloned(),
        );
        cases.sort_by_cached_key(|number| sort_key(number));
        cases.dedup();
        Chapter {
            slug,
            number,
            title,
            cases,
        }
    };
    let mut chapters: Vec<Chapter> = cases_by_slug.into_iter().map(chapter).collect();
    chapters.sort_by_key(|chapter| {
        (
            chapter.number.is_empty(),
            chapter.number.parse::<u32>().unwrap_or(0),
            chapter.slug.clone(),
        )
    });
    chapters
}

/// Returns the folder name of a case's section.
pub fn section(case: &Case) -> &str {
    case.file.folder().rsplit('/').next().unwrap_or_default()
}

/// Turns a folder name such as "how-it-ends" into a title.
fn title_from_slug(slug: &str) -> String {
    let words = slug.replace('-', " ");
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_in_printed_order() {
        let mut numbers = ["8.2", "8.0", "8.16", "fight", "8.1", "10.1", "8.21"];
        numbers.sort_by_key(|number| sort_key(number));
        assert_eq!(
            numbers,
            ["8.0", "8.1", "8.16", "8.2", "8.21", "10.1", "fight"]
        );
    }
}
