//! What stands in the texts of the pages of the shipped games: paths of files only where authors look, cases that are named as links, and the
//! rules in force on every page that a link leads to.

use crate::common::server::Served;
use crate::common::{Folder, repository};
use casebook::RulesetSpec;
use casebook::ruleset::diagnostics::build_ruleset;
use std::collections::BTreeSet;
use std::sync::Arc;

const GAMES: [&str; 3] = ["wbts", "banasik", "tmag"];

/// Returns the addresses of the links of a page that begin with a text, each once.
fn links_to(page: &str, start: &str) -> Vec<String> {
    let found = page
        .split("<a ")
        .skip(1)
        .filter_map(|rest| attribute(rest, "href"));
    let found: BTreeSet<String> = found.filter(|link| link.starts_with(start)).collect();
    found.into_iter().collect()
}

/// Returns an attribute of the tag that a text begins with.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let tag = tag.split('>').next()?;
    let value = tag.split_once(&format!("{name}=\""))?.1.split('"').next()?;
    Some(value.replace("&amp;", "&"))
}

/// Returns a page without what is folded for authors.
fn without_author_folds(page: &str) -> String {
    let mut shown = String::new();
    let mut rest = page;
    while let Some(start) = rest
        .match_indices("<details class=\"")
        .map(|(index, _)| index)
        .find(|index| {
            attribute(&rest[*index..], "class").is_some_and(|class| class.contains("authors"))
        })
    {
        shown.push_str(&rest[..start]);
        let (mut depth, mut end) = (0, start);
        for (index, _) in rest[start..]
            .match_indices("details")
            .map(|(i, t)| (start + i, t))
        {
            match &rest[..index] {
                before if before.ends_with("</") => depth -= 1,
                before if before.ends_with('<') => depth += 1,
                _ => continue,
            }
            end = index;
            if depth == 0 {
                break;
            }
        }
        rest = &rest[end..];
    }
    shown + rest
}

/// Returns the paths of data files in a text.
fn paths_in(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || "/._-".contains(c)))
        .filter(|word| {
            let is_tree = ["rules/", "tables/", "variants/", "scenarios/", "tests/"]
                .iter()
                .any(|tree| word.contains(tree));
            is_tree && (word.ends_with(".yaml") || word.ends_with(".rhai"))
        })
        .collect()
}

/// The classes of what pages print of the texts of a game.
const PROSE: [&str; 5] = ["words", "remark", "method", "meaning", "line"];

/// Returns the texts of a page outside of links, each with the number of the case that it belongs to.
fn texts_of(page: &str) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for part in page.split("id=\"case-") {
        let own = part.split('"').next().unwrap_or_default();
        for class in PROSE {
            let ends = if class == "meaning" {
                "</span>"
            } else {
                "</p>"
            };
            for text in part.split(&format!("class=\"{class}\">")).skip(1) {
                let text = text.split(ends).next().unwrap_or_default();
                let outside = text
                    .split("<a ")
                    .enumerate()
                    .map(|(index, piece)| match index {
                        0 => piece,
                        _ => piece.split_once("</a>").map_or("", |(_, rest)| rest),
                    });
                texts.push((own.to_string(), outside.collect::<Vec<_>>().join(" ")));
            }
        }
    }
    texts
}

#[test]
fn paths_stand_behind_a_fold_and_named_cases_are_links() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    for game in GAMES {
        let spec = RulesetSpec::with_variants(game, library.compatible_variants(game));
        let (ruleset, _) = build_ruleset(&library, &spec).expect("the rules");
        let cases = ruleset.cases.iter().map(|case| case.number.as_str());
        let numbers: BTreeSet<&str> = cases
            .chain(ruleset.contents.keys().map(String::as_str))
            .filter(|number| number.contains('.'))
            .collect();
        let contents = served.page_text(&format!("/book/{game}"));
        let of_book = |kind: &str, step: usize| {
            links_to(&contents, &format!("/book/{game}/{kind}/"))
                .into_iter()
                .step_by(step)
        };
        let situations = links_to(
            &served.page_text(&format!("/at/{game}")),
            &format!("/at/{game}/"),
        );
        assert!(situations.len() > 10, "{game}: {situations:?}");
        let situations: Vec<String> = situations.into_iter().step_by(12).collect();
        let parts = situations
            .iter()
            .flat_map(|at| ["ruling", "odds"].map(|part| format!("{at}?part={part}")));
        let what_if = ruleset.cases.iter().step_by(25);
        let what_if = what_if.map(|case| format!("/what-if/{game}?case={}", case.number));
        let pages: Vec<String> = of_book("chapter", 1)
            .chain(of_book("case", 12))
            .chain(of_book("table", 6))
            .chain(situations.iter().cloned())
            .chain(parts)
            .chain(what_if)
            .chain([format!("/glossary/{game}"), "/help".into()])
            .collect();
        let mut linked = 0;
        for address in pages {
            let page = without_author_folds(&served.page_text(&address));
            assert_eq!(paths_in(&page), Vec::<&str>::new(), "{address}");
            linked += page.matches("class=\"named\"").count();
            for (own, text) in texts_of(&page) {
                let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
                let unlinked = words
                    .map(|word| word.trim_matches('.'))
                    .find(|word| numbers.contains(word) && *word != own && !address.contains(word));
                // A list of figures may have one that is written like a case.
                assert!(
                    unlinked.is_none_or(
                        |number| text.contains(&format!("{number},")) && text.contains("sheet")
                    ),
                    "{address}: {unlinked:?} in {text}"
                );
            }
        }
        assert!(linked > 5, "{game}: {linked} cases are named");
    }
}

/// A variant that is switched on stays on, whatever link is followed, and each page says so.
#[test]
fn rules_stay_in_force_from_page_to_page() {
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    let pages = [
        "/at/skirmish?with=winter",
        "/at/skirmish/bridge?with=winter",
        "/at/skirmish/bridge/over?with=winter",
        "/at/skirmish/bridge/play?with=winter",
        "/book/skirmish?with=winter",
        "/book/skirmish/chapter/02-losses?with=winter",
        "/book/skirmish/case/2.1?with=winter",
        "/book/skirmish/table/combat?with=winter",
        "/book/skirmish/search/?q=losses&with=winter",
        "/what-if/skirmish?with=winter",
        "/what-if/skirmish/effect?with=winter",
    ];
    // What switches them, or says that it leaves them.
    let leaves = |tag: &str, text: &str| {
        tag.contains("role=\"switch\"")
            || tag.contains("button undo")
            || ["Reset", "Each under the rules", "Undo"]
                .iter()
                .any(|word| text.starts_with(word))
    };
    let mut followed = BTreeSet::new();
    for address in pages {
        let page = served.page_text(address);
        for rest in page.split("<a ").skip(1) {
            let (tag, text) = rest.split_once('>').unwrap_or((rest, ""));
            let Some(link) = attribute(rest, "href") else {
                continue;
            };
            let is_of_game = ["/at/", "/book/", "/what-if/"]
                .iter()
                .any(|start| link.starts_with(start));
            if !is_of_game || leaves(tag, text) {
                continue;
            }
            assert!(
                link.contains("with=winter") || link.contains("on=winter"),
                "{address}: {link} loses the rules"
            );
            followed.insert(link.split('#').next().unwrap_or_default().to_string());
        }
    }
    assert!(followed.len() > 15, "{followed:#?}");
    // A map and a part of a page are no pages.
    let is_page = |link: &&String| !link.contains("map.svg") && !link.contains("part=");
    for link in followed.iter().filter(is_page) {
        let page = served.page_text(link);
        let says = [
            "name=\"with\" value=\"winter\" checked",
            "with Winter",
            "Winter: on",
        ];
        assert!(
            says.iter().any(|text| page.contains(text)),
            "{link} does not say which rules are in force: {page}"
        );
    }
    // The rulebook that a situation leads to has the rules of that situation, and the list of situations leaves each its own.
    let situation = served.page_text("/at/skirmish/bridge");
    let book = links_to(&situation, "/book/skirmish").remove(0);
    assert!(book.contains("at=bridge"), "{book}");
    let page = served.page_text(&book);
    assert!(page.contains("The rules of "), "{page}");
    assert_eq!(
        links_to(&page, "/at/skirmish").first().map(String::as_str),
        Some("/at/skirmish")
    );
}
