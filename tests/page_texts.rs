//! The rules in force stay so on every page that a link leads to.

use crate::common::server::Served;
use crate::common::{Folder, Says};
use std::collections::BTreeSet;

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
    book.holds("at=bridge");
    let page = served.page_text(&book);
    page.holds("The rules of ");
    assert_eq!(
        links_to(&page, "/at/skirmish").first().map(String::as_str),
        Some("/at/skirmish")
    );
}
