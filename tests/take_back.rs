//! Games against a style by HTTP, from the page where they are begun: now and then the last answer is taken back, and the question comes again
//! as it was.

use crate::common::server::Served;
use crate::common::{Folder, Says, repository};

/// The whole scenarios, with the side that a person plays, the style against him, and how many questions are answered: none where a style's turn
/// takes long. With `CASEBOOK_WHOLE_GAMES` set they are many in all of them, or in the one that it names.
const GAMES: [(&str, &str, &str, usize); 9] = [
    ("wbts/first-manassas", "Union", "bold", 200),
    ("wbts/first-manassas", "Confederate", "bold", 200),
    ("banasik/through-the-wood", "Union", "careful", 200),
    ("banasik/fleetwood-hill", "Confederate", "bold", 6),
    ("banasik/peach-orchard", "Union", "bold", 0),
    ("tmag/first-day", "USA", "bold", 6),
    ("tmag/second-day", "CSA", "careful", 0),
    ("tmag/three-days", "CSA", "bold", 0),
    ("wbts/set-up-of-the-campaign", "Union", "bold", 0),
];
/// After how many questions one is taken back.
const EVERY: usize = 5;
const MOST_REQUESTS: usize = 2_000;
/// More questions than a game has: it is played to its end.
const WHOLE: usize = 200;

/// The table of play after a request.
#[derive(Clone, Debug, PartialEq)]
struct Table {
    address: String,
    question: String,
    /// The addresses of the answers.
    answers: Vec<String>,
    /// The address of "Take back".
    back: Option<String>,
    /// The address that lets a style go on with a long turn.
    goes_on: Option<String>,
    is_over: bool,
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    text.split_once(start)?
        .1
        .split_once(end)
        .map(|(part, _)| part)
}

/// Returns the link that stands before a text in a tag.
fn link(text: &str, mark: &str) -> Option<String> {
    let before = text.split_once(mark)?.0;
    let href = before.rsplit_once("href=\"")?.1.split_once('"')?.0;
    Some(href.replace("&amp;", "&"))
}

fn table_at(served: &Served, address: &str) -> Table {
    let separator = if address.contains('?') { '&' } else { '?' };
    let page = served.page_text(&format!("{address}{separator}part=table"));
    let waits = between(&page, "<section class=\"waits", "</section>").unwrap_or(&page);
    let heading = between(waits, "<h2", "</h2>").unwrap_or_default();
    let answers = waits
        .split("<a class=\"button")
        .skip(1)
        .filter(|part| {
            part.split('>')
                .next()
                .is_some_and(|tag| tag.contains("data-move"))
        })
        .filter_map(|part| between(part, "href=\"", "\""))
        .map(|href| href.replace("&amp;", "&"))
        // What begins a game anew is no answer.
        .filter(|href| href.contains("moves="));
    Table {
        address: between(&page, "data-address=\"", "\"")
            .unwrap_or_default()
            .replace("&amp;", "&"),
        question: heading.into(),
        answers: answers.collect(),
        back: link(waits, " data-move>Take back"),
        goes_on: link(waits, " data-move data-auto"),
        is_over: heading.contains(" won<")
            || heading.ends_with(" won")
            || heading.ends_with("over"),
    }
}

/// Lets a style go on until a person is asked.
fn table_for_a_person(served: &Served, address: &str) -> Table {
    let mut table = table_at(served, address);
    for _ in 0..100 {
        let Some(on) = table.goes_on.take() else {
            break;
        };
        table = table_at(served, &on);
    }
    table
}

#[test]
fn answers_are_taken_back_against_every_style() {
    let wanted = std::env::var("CASEBOOK_WHOLE_GAMES");
    let whole = wanted.is_ok();
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    for (scenario, side, style, most) in GAMES {
        if wanted
            .as_ref()
            .is_ok_and(|name| name.contains('/') && name != scenario)
        {
            continue;
        }
        let form = served.page_text(&format!("/at/{scenario}/new"));
        form.holds("data-begin");
        form.holds(format!("value=\"{style}\""));
        let most = if whole { WHOLE } else { most };
        if most == 0 {
            continue;
        }
        let mut table = table_for_a_person(
            &served,
            &format!("/at/{scenario}/play?as={side}&against={style}&throws=on&usual=on&seed=7"),
        );
        let mut taken_back = 0;
        for asked in 1..MOST_REQUESTS {
            if table.is_over || asked > most {
                break;
            }
            // Mostly the first answer, now and then another.
            let pick = if asked % 3 == 0 { asked / 3 } else { 0 };
            let answer = &table.answers[pick % table.answers.len()];
            let next = table_for_a_person(&served, answer);
            let what = format!("{scenario}, {side} against {style}, question {asked}");
            let back = next.back.clone();
            let back = back.unwrap_or_else(|| panic!("{what}: nothing to take back\n{next:#?}"));
            if asked % EVERY == 0 || next.is_over {
                let again = table_at(&served, &back);
                assert_eq!(again, table, "{what}: taken back");
                assert_eq!(
                    table_for_a_person(&served, answer),
                    next,
                    "{what}: once more"
                );
                taken_back += 1;
            }
            table = next;
        }
        assert!(taken_back > 0, "{scenario}: {table:#?}");
        assert!(most < WHOLE || table.is_over, "{scenario} ends: {table:#?}");
    }
}

/// An answer that is given once for the game is given whenever its question comes, until it is asked again.
#[test]
fn an_answer_is_given_once_for_the_game() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let address = "/at/wbts/first-manassas/play?seed=3";
    let table = table_at(&served, address);
    let page = served.page_text(&format!("{address}&part=table"));
    let always = link(&page, " data-move>Always").expect("a routine answer can be given always");
    let settled = table_at(&served, &always);
    assert_eq!(
        settled.address,
        "/at/wbts/first-manassas/play?always:Confederate:+chit=draw&seed=3&moves=c0"
    );
    let moved_on = table_at(
        &served,
        "/at/wbts/first-manassas/play?always:Confederate:+chit=draw&seed=3&do=on",
    );
    assert!(moved_on.address.ends_with("&moves=_u0"), "{moved_on:?}");
    assert_ne!(moved_on.question, table.question);
    let settings = served.page_text(&format!("{}&part=table", moved_on.address));
    let again = link(&settings, " data-move>Ask again").expect("it can be asked again");
    again.lacks("always");
}

/// The computer plays each side as the scenario says is best; a style that the game has not is reported.
#[test]
fn the_computer_at_its_best_plays_what_the_scenario_says() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let form = served.page_text("/at/wbts/first-manassas/new");
    form.holds("value=\"best\" checked");
    form.holds("games against");
    let begun = "/at/wbts/first-manassas/play?as=Confederate&against=best&throws=on&seed=7";
    let table = table_at(&served, begun);
    table.address.holds("policy:Union=far-sighted");
    table.address.lacks("policy:Confederate");
    let duel = repository().join("tests/duel");
    let folder = Folder::copy_of(&duel, &["rules", "tables", "scenarios", "variants"]);
    let computer =
        "computer: { Red: { style: bald, measured: \"wins 3 of 5 games against first\" } }\n";
    folder.append("scenarios/duel/meadow.yaml", computer);
    let checked = folder.run("check").out;
    checked.holds("no style is called `bald`");
}

/// After a style's turn the page says who went where and what was thrown, and on request whom the dice favoured.
#[test]
fn a_turn_of_a_style_is_told() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let address = "/at/wbts/lee-attacks-porter/play?policy:Confederate=bold&policy:Union=first&usual=on&throws=on&seed=3&do=on";
    let page = served.page_text(&format!("{address}&part=table"));
    let report = between(&page, "<section class=\"report\"", "</section>").expect("a report");
    for part in ["What came of it", "Lee rolls", "Who was lucky?"] {
        report.holds(part);
    }
    let part = between(report, "data-fetch=\"", "\"").expect("a part that is fetched");
    let part = part.replace("&amp;", "&");
    let table = table_at(&served, address);
    let fortune = served.page_text(&format!("{}&part={part}", table.address));
    fortune.holds("The dice");
}
