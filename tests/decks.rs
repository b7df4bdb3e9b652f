//! Decks, cups and hands, as a test game, `tests/decks`: its examples hold binomials worked out by hand.

use crate::common::runner;
use crate::common::server::Served;
use crate::common::{Folder, Items, Says, repository};
use casebook::notation::chances::Room;
use casebook::notation::{Dice, Face, Weight};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

fn decks() -> Folder {
    Folder::copy_of(&repository().join("tests/decks"), &["rules", "scenarios"])
}

const MANIFEST: &str = "rules/decks/game.yaml";
const LATE: &str = "scenarios/decks/late-trick.yaml";
const EVENTS: &str = "rules/decks/01-decks/1.2-events.rhai";

#[test]
fn data_and_examples_hold() {
    let folder = decks();
    folder.ok("check").terminal_output().holds("0 complaints");
    folder.out("test").holds("14 examples hold, 0 fail");
}

/// All orders of the cards, counted by hand (a set) and by row (a sequence).
fn orders(kinds: &[u32], count: usize) -> (BTreeMap<Vec<i64>, Weight>, BTreeMap<Vec<i64>, Weight>) {
    let cards: Vec<i64> = (0..)
        .zip(kinds)
        .flat_map(|(kind, count)| (0..*count).map(move |_| kind))
        .collect();
    let (mut hands, mut rows) = (BTreeMap::new(), BTreeMap::new());
    let mut open: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        open = open
            .iter()
            .flat_map(|row| {
                (0..cards.len())
                    .filter(|i| !row.contains(i))
                    .map(|i| [&row[..], &[i]].concat())
            })
            .collect();
    }
    for order in open {
        let row: Vec<i64> = order.iter().map(|i| cards[*i]).collect();
        let mut hand = row.clone();
        hand.sort_unstable();
        *rows.entry(row).or_insert(Weight::ZERO) += Weight::ONE;
        *hands.entry(hand).or_insert(Weight::ZERO) += Weight::ONE;
    }
    (hands, rows)
}

#[test]
fn hands_and_rows_come_as_often_as_the_orders_that_show_them() {
    runner::deterministic(200)
        .run(
            &(proptest::collection::vec(1..4u32, 1..5), 0..4usize),
            |(kinds, count)| {
                let total: u32 = kinds.iter().sum();
                let count = count.min(total as usize);
                let faces: Vec<Face> = (0..)
                    .zip(&kinds)
                    .flat_map(|(kind, count)| (0..*count).map(move |_| Face::from(kind)))
                    .collect();
                let first = |worth: &i64| {
                    i64::from(
                        faces[worth.unsigned_abs() as usize]
                            .to_string()
                            .parse::<i32>()
                            .expect("a number"),
                    )
                };
                let dice = Dice::draw(count as u32, "cards", faces.clone());
                let (hands, rows) = orders(&kinds, count);
                let factorial = Weight::from((1..=count as u32).product::<u32>());
                let counted: BTreeMap<Vec<i64>, Weight> = dice
                    .hands(&Room::UNBOUNDED, |hand, ways| {
                        (hand.iter().map(first).collect(), &ways * &factorial)
                    })
                    .expect("few")
                    .into_iter()
                    .collect();
                prop_assert_eq!(counted, hands);
                let counted: BTreeMap<Vec<i64>, Weight> = dice
                    .drawn_rows(&Room::UNBOUNDED)
                    .expect("few")
                    .into_iter()
                    .map(|(row, ways)| (row.iter().map(first).collect(), ways))
                    .collect();
                prop_assert_eq!(counted, rows);
                Ok(())
            },
        )
        .expect("both agree");
}

/// Cards have the names that players see when they are typed, drawn, saved and replayed.
#[test]
fn cards_are_typed_as_they_show() {
    let folder = decks();
    let typed = [
        "resolve",
        "trick",
        "--dice",
        "jack,ace,king,queen,ace,ace",
        "--format",
        "json",
    ];
    let ruling = folder.json(&typed);
    assert_eq!(
        ruling["dice"],
        serde_json::json!([
            ["deal: Red", ["jack", "ace", "king"]],
            ["deal: Blue", ["queen", "ace", "ace"]]
        ])
    );
    assert_eq!(ruling["results"]["trick"], "nobody");
    let journal = folder.0.join("game.yaml");
    let journal = journal.to_str().expect("a path");
    folder
        .run_with(
            format!("play trick --save '{journal}'"),
            "jack, ace, king\nqueen ace ace\nking\nace\n",
        )
        .expect_success();
    let text = folder.read("game.yaml");
    text.holds("{ throw: \"3 of cards\", for: \"deal: Red\", faces: [jack, ace, king] }");
    text.holds("options: [ace, king, jack], taken: king");
    let replayed = folder.out(&["replay", journal]);
    replayed.holds("Blue takes the trick.");
    let changed = folder.ok(&["replay", journal, "--change", "deal: Blue=jack,jack,jack"]);
    changed.out.holds("Red takes the trick.");
    for seed in ["1", "2", "3"] {
        let once = folder.out(&["resolve", "trick", "--seed", seed]);
        assert_eq!(once, folder.out(&["resolve", "trick", "--seed", seed]));
    }
}

/// A situation states the stock, the known top cards, hands and discards of a deck.
#[test]
fn a_situation_says_where_the_cards_lie() {
    let folder = decks();
    // The queen on top is known, so one card of Red's two falls.
    let ruling = folder.json("resolve late-trick --dice ace,king,king");
    assert_eq!(
        ruling["dice"],
        serde_json::json!([["deal: Red", ["ace"]], ["deal: Blue", ["king", "king"]]])
    );
    assert_eq!(
        (
            &ruling["results"]["trick"],
            &ruling["results"]["cards left"]
        ),
        (&"Red".into(), &2.into())
    );
    let odds = folder.json("odds late-trick");
    assert_eq!(odds["complete"], true);
    // Red has the ace with 1 of 5 cards; else it leads with the queen or a king against Blue's king or better.
    let trick = odds["outcomes"]
        .items()
        .find(|outcome| outcome["outcome"] == "trick")
        .expect("a trick");
    let red = trick["values"]
        .items()
        .find(|value| value["value"] == "Red")
        .expect("Red may win");
    assert_eq!(red["chance"], "1/5", "{odds}");
}

/// Known bottom cards of a situation are drawn last, and are saved with a board.
#[test]
fn a_situation_says_what_lies_at_the_bottom() {
    let folder = decks();
    let late = folder.read(LATE);
    folder.write(
        LATE,
        late.replace(
            "stock: { ace: 1, king: 2, jack: 2 }",
            "stock: { ace: 0 }\n    bottom: [jack, ace, king, king, jack]",
        ),
    );
    let ruling = folder.json("resolve late-trick");
    // Red has the queen on top and a jack, Blue an ace and a king: no card falls by chance.
    assert_eq!(
        (&ruling["dice"], &ruling["results"]["trick"]),
        (&json!([]), &"Blue".into()),
        "{ruling}"
    );
    assert_eq!(
        ruling["board"]["decks"]["cards"]["bottom"],
        json!(["king", "jack"]),
        "{ruling}"
    );
    folder.write(
        LATE,
        late.replace("top: [queen]", "top: [queen]\n    bottom: [ace, ace, ace]"),
    );
    let run = folder.run("check");
    run.ends(1);
    run.out.holds("`cards` has 4 of `ace`");
    folder.write(
        LATE,
        late.replace("top: [queen]", "top: [queen]\n    bottom: [ten]"),
    );
    let run = folder.run("check");
    run.ends(1);
    run.out.holds("`cards` has no card `ten`");
}

/// The kind of a thing and its name find it alone, as the list of several things of one name proposes.
#[test]
fn a_deck_is_shown_by_kind_and_name() {
    let folder = decks();
    let out = folder.out("show 'deck events' --game decks");
    assert!(out.starts_with("events: a deck of cards"), "{out}");
}

#[test]
fn nonsense_is_refused() {
    let folder = decks();
    let (manifest, late, events) = (
        folder.read(MANIFEST),
        folder.read(LATE),
        folder.read(EVENTS),
    );
    let manifests = [
        (
            "storm: 1,",
            "storm: -1,",
            "`-1` is not a whole number from 1 to 1000",
        ),
        (
            "storm: 1,",
            "storm: 1001,",
            "`1001` is not a whole number from 1 to 1000",
        ),
        ("storm: 1,", "storm: many,", "`many` is not a whole number"),
        (
            "{ storm: 1, truce: 2, march: 3 }",
            "{}",
            "the deck `events` has 0 cards",
        ),
        (
            "    holds: { storm: 1, truce: 2, march: 3 }\n",
            "",
            "the deck `events` has 0 cards",
        ),
        (
            "after: put back",
            "after: put bak",
            "did you mean `put back`",
        ),
        ("hands: open", "hands: opn", "did you mean `open`"),
        ("  events:\n", "  eventz:\n", "did you mean `eventz`"),
    ];
    for (right, wrong, expected) in manifests {
        folder.write(MANIFEST, manifest.replace(right, wrong));
        let err = folder.run("check").terminal_output();
        err.holds(expected);
    }
    folder.write(MANIFEST, &manifest);
    let situations = [
        (
            "stock: { ace: 1,",
            "stock: { aces: 1,",
            "`cards` has no card `aces`; did you mean `ace`?",
        ),
        (
            "stock: { ace: 1,",
            "stock: { ace: 3,",
            "`cards` has 4 of `ace`, and 5 are named",
        ),
        (
            "stock: { ace: 1,",
            "stock: { ace: -1,",
            "`-1` is not a whole number from 0 to 1000",
        ),
        (
            "  cards:\n",
            "  crads:\n",
            "no deck is called `crads`; did you mean `cards`?",
        ),
        (
            "hands: { Red:",
            "hands: { Rad:",
            "no side is called `Rad`; did you mean `Red`?",
        ),
        (
            "discards: [ace, ace, king]",
            "discards: [ace, ace, kin]",
            "did you mean `king`?",
        ),
        ("    stock:", "    stok:", "did you mean `stock`?"),
    ];
    for (right, wrong, expected) in situations {
        folder.write(LATE, late.replace(right, wrong));
        let err = folder.run("check").terminal_output();
        err.holds(expected);
    }
    folder.write(LATE, &late);
    let scripts = [
        (
            "draw_card(\"events\", \"weather\")",
            "draw_card(\"evnts\", \"weather\")",
            "no deck is called `evnts`; did you mean `events`?",
        ),
        (
            "draw_card(\"events\", \"weather\")",
            "draw_cards(\"events\", 7, \"weather\")[0]",
            "error[deck]: `events` has 6 cards left, and 7 are drawn",
        ),
        (
            "draw_card(\"events\", \"weather\")",
            "draw_cards(\"events\", -1, \"weather\")",
            "error[deck]: -1 cards of `events` are drawn at once",
        ),
        (
            "draw_card(\"events\", \"weather\")",
            "draw_cards(\"cards\", 17, \"weather\")[0]",
            "`cards` has 16 cards left, and too few discards to draw 17",
        ),
        (
            "draw_card(\"events\", \"weather\")",
            "peek(\"events\", 7, \"weather\")[0]",
            "`events` has 6 cards left, and 7 are drawn",
        ),
        (
            "draw_card(\"events\", \"weather\")",
            "draw_lot([], \"weather\")",
            "error[deck]: a lot is drawn for weather from a list of 0",
        ),
        (
            "say(\"The event is {}.\", [event]);",
            "discard(\"events\", \"truce\");",
            "error[deck]: what is laid out has 0 of `truce` of `events`, and 1 is taken",
        ),
        (
            "say(\"The event is {}.\", [event]);",
            "play_card(\"events\", \"truce\", \"Red\");",
            "the hand of Red has 0 of `truce`",
        ),
        (
            "say(\"The event is {}.\", [event]);",
            "discard(\"events\", \"truse\");",
            "`events` has no card `truse`; did you mean `truce`?",
        ),
        (
            "say(\"The event is {}.\", [event]);",
            "discard(\"events\", event, \"Rad\");",
            "no side is called `Rad`; did you mean `Red`?",
        ),
    ];
    for (right, wrong, expected) in scripts {
        folder.write(EVENTS, events.replacen(right, wrong, 1));
        let err = folder.run("resolve weather --dice march").terminal_output();
        err.holds(expected);
    }
    folder.write(EVENTS, &events);
    let typed_cards = [
        (
            "jack,jack,jack,jack,jack,ace",
            "card 5 of those typed in is jack, and no more jack is left",
        ),
        (
            "jack,jack,jack,jack,ace,jack",
            "card 6 of those typed in is jack, and no more jack is left",
        ),
        (
            "joker,ace,ace",
            "card 1 of those typed in is joker, and there is no joker: ace, king, queen or jack can be drawn",
        ),
        (
            "ace,ace",
            "3 of cards for deal: Red takes 3 cards; 2 are left",
        ),
    ];
    for (dice, expected) in typed_cards {
        let err = folder
            .run(&["resolve", "trick", "--dice", dice])
            .terminal_output();
        err.holds(expected);
    }
    let err = folder
        .run("resolve weather --dice storm,storm")
        .terminal_output();
    err.holds("1 of the dice");
}

/// A case that is no procedure may draw only cards that go back.
#[test]
fn only_procedures_take_cards_out() {
    let folder = decks();
    let chits = "rules/decks/01-decks/1.3-chits.rhai";
    folder.ok("resolve chits --seed 2");
    let chits_text = folder.read(chits);
    folder.write("rules/decks/01-decks/1.5-cups.rhai", "//! case: \"1.5\"\n//! title: Cups\n//! kind: rule\n//! source: { doc: rules, at: cups }\n//! text: Ours.\n\nfn cup_of(side) { draw_card(\"events\", side) }\n");
    folder.write(
        "rules/decks/contents.yaml",
        format!(
            "{}\"1.5\": Cups\n",
            folder.read("rules/decks/contents.yaml")
        ),
    );
    folder.write(
        chits,
        chits_text.replacen("chit_of(side));", "cup_of(side));", 1),
    );
    let err = folder.run("resolve chits --seed 2").terminal_output();
    err.holds(
        "error[procedure]: `draw_card` changes the situation, and this case is not a procedure",
    );
}

/// With secret hands, only its side sees a hand: in the state, log, journal, odds and address.
#[test]
fn a_hand_is_secret_to_the_other_side() {
    let folder = decks();
    let served = Served::start(&folder.0);
    let (_, page) = served.page("/at/decks/trick/play?seed=4&seat=Blue");
    page.holds("Pass to Red");
    page.lacks("own-dice");
    let (_, page) = served.page("/at/decks/trick/play?seed=4&seat=Red");
    // The address would hold what is typed.
    page.holds("Draw");
    page.lacks("own-dice");
    let hand_of = |page: &str, side: &str| {
        let from = page.split(&format!("{side}: ")).nth(1).unwrap_or_default();
        from.split(['<', ';'])
            .next()
            .unwrap_or_default()
            .to_string()
    };
    let (_, open) = served.page("/at/decks/trick/play?seed=4&moves=r-r");
    let (red, blue) = (hand_of(&open, "left; Red"), hand_of(&open, "; Blue"));
    assert!(
        red.contains(", ") && blue.contains(", ") && !red.contains("card"),
        "without a curtain all is seen: {red} / {blue}"
    );
    let (_, page) = served.page("/at/decks/trick/play?seed=4&seat=Red&moves=r-r");
    page.holds(format!("Red: {red}"));
    page.holds("Blue: 3 cards");
    page.holds("deal: Blue: hidden");
    page.lacks(format!("Blue: {blue}"));
    let (_, part) = served.page("/at/decks/trick/play?seed=4&seat=Red&moves=r-r&part=ahead");
    part.holds("what the other side keeps secret");
    part.lacks("%");
    let (_, part) = served.page("/at/decks/trick/play?seed=4&seat=Red&moves=r-r&part=journal");
    part.holds("3 of cards for deal: Blue: hidden");
    part.holds("The file would hold");
    part.lacks("jack, ");
    // A played card is open to all.
    let (_, page) = served.page("/at/decks/trick/play?seed=4&seat=Blue&moves=r-r-c0-c0");
    page.holds("Red plays");
    page.holds("discarded: ");
}

/// The form of a situation shows what is left and what is held, and takes other cards.
#[test]
fn the_page_shows_and_changes_where_cards_lie() {
    let folder = decks();
    let served = Served::start(&folder.0);
    let (_, page) = served.page("/at/decks/late-trick");
    for part in [
        "set:cards: stock",
        "{ ace: 1, king: 2, jack: 2 }",
        "set:cards: hand of Blue",
        "[queen]",
    ] {
        page.holds(part);
    }
    let (status, _) = served.page("/at/decks/late-trick?set:cards:+hand+of+Red=%5Bjack%5D");
    assert_eq!(status, 200);
    let (_, page) = served.page("/at/decks/late-trick?set:cards:+hand+of+Red=%5Bjoker%5D");
    page.holds("has no card");
    page.holds("joker");
    page.holds("its cards are ace, king, queen, jack");
}

/// A board with cards is saved as a situation, from which play goes on.
#[test]
fn a_board_with_cards_is_saved() {
    let folder = decks();
    let saved = folder.0.join("scenarios/decks/after.yaml");
    folder.ok(&[
        "resolve",
        "late-trick",
        "--seed",
        "3",
        "--save-situation",
        saved.to_str().expect("a path"),
    ]);
    let text = folder.read("scenarios/decks/after.yaml");
    text.holds("discards:");
    text.holds("hands:");
    folder.ok("check");
    let wrong = folder
        .run("resolve late-trick --set 'cards: hand of Rad=[jack]'")
        .terminal_output();
    wrong.holds("did you mean `hand of Red`?");
}

/// How many cards a deck has is a figure like those of a table: a ruling says that it rests on it, and a strict ruling refuses it.
#[test]
fn what_a_deck_holds_has_a_status() {
    let folder = decks();
    let manifest = folder.read(MANIFEST);
    let with_status = |status: &str| {
        folder.write(
            MANIFEST,
            manifest.replace(
                "    holds: { ace: 4,",
                &format!("    status: {status}\n    holds: {{ ace: 4,"),
            ),
        );
    };
    let strict = |args: &[&str]| folder.run(&[args, &["late-trick", "--strict"]].concat());
    for status in ["printed", "derived", "house"] {
        with_status(status);
        strict(&["resolve"]).expect_success();
    }
    with_status("reconstructed");
    let ruling = folder.out("resolve late-trick --sources");
    ruling.holds("rules/decks/game.yaml: number of each card of cards");
    let odds = folder.json("odds late-trick").to_string();
    assert!(
        odds.contains("number of each card of cards") || odds.contains("number of each card"),
        "{odds}"
    );
    for command in [&["resolve"][..], &["odds"]] {
        let run = strict(command);
        let text = run.terminal_output();
        run.ends(1);
        text.holds("cards: the number of each card is reconstructed, and a strict");
    }
    let shown = folder.out("show cards");
    assert!(
        shown
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains("shuffled in when it is empty; reconstructed"),
        "{shown}"
    );
    // Another deck is not affected.
    folder.ok("resolve chits --strict");
    with_status("missing");
    let run = folder.run("resolve late-trick");
    let text = run.terminal_output();
    text.holds("cards: the number of each card is not known");
    text.holds("rules/decks/game.yaml");
    folder.run("check");
    with_status("guessed");
    let run = folder.run("check");
    run.ends(1);
    run.out.holds("guessed");
}
