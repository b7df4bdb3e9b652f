//! Simultaneous questions and hidden hands: what one side sees does not depend on what the other has not shown, whoever plays that.

use crate::common::server::Served;
use crate::common::{Folder, Says, campaign, repository};
use serde_json::{Value, json};

/// The page of a game and its parts, without addresses: those hold the answers, masked from people.
fn seen(served: &Served, address: &str, parts: &[&str]) -> String {
    let part = |part: &&str| {
        let page = served.page(&format!("{address}{part}")).1;
        let page = page.replace(address.rsplit("moves=").next().unwrap_or_default(), "");
        let texts = page.split('"').filter(|text| !text.contains("moves="));
        texts.collect::<Vec<_>>().join("\"")
    };
    parts.iter().map(part).collect::<Vec<_>>().join("\n")
}

/// The parts of a page that say the same at any speed of the machine, and those that count for a limited time.
const PARTS: [&str; 5] = [
    "",
    "&part=journal",
    "&part=log",
    "&part=luck",
    "&part=earlier",
];
const COUNTED: [&str; 2] = ["&part=ahead", "-c0&part=stake"];

/// Plays on by first options and the dice of the seed until two sides have been asked the same; returns the moves before the first of them,
/// its side and number of options, and the other side.
fn to_secret(
    served: &Served,
    situation: &str,
    question: &str,
) -> Option<(String, String, usize, String)> {
    let (mut moves, mut written) = (Vec::<Value>::new(), Vec::<String>::new());
    let mut first: Option<(usize, String, usize)> = None;
    while moves.len() < 24 {
        let asked = json!({ "situation": situation, "moves": moves });
        let waits = served.request("POST", "/play", Some(&asked)).1["waits"].clone();
        let choice = &waits["choice"];
        let Some(side) = choice["side"].as_str() else {
            first = None;
            // Leaders attack with a low throw.
            let dice = waits["throw"]["count"].as_u64()? as usize;
            moves.push(json!({ "throw": vec![1; dice] }));
            written.push(vec!["1"; dice].join("."));
            continue;
        };
        if choice["what"] == question {
            let count = choice["options"].as_array().map_or(0, Vec::len);
            match first.take() {
                Some((at, other, count)) if other != side => {
                    return Some((written[..at].join("-"), other, count, side.into()));
                }
                _ => first = Some((moves.len(), side.into(), count)),
            }
        }
        moves.push(json!({ "take": 0 }));
        written.push("c0".into());
    }
    None
}

/// The bids of the test game, before each of which the attack is known to be made.
fn bids() -> Folder {
    let folder = campaign();
    let card = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.replace(
        card,
        "//! readings:\n",
        "//! headline: { the attack is made: made, the defender loses: defender losses >= 1 }\n//! good_for: { defender losses: side }\n//! secret: bid\n//! readings:\n",
    );
    folder.replace(
        card,
        "    let die = roll(\"1d6\", \"attack\");\n",
        "    result(\"made\", true);\n    let bids = [given.side, enemy(given.side)].map(|side| choose(side, \"bid\", [0, 1, 2]));\n    say(\"The bids are {}.\", [bids]);\n    let die = max(1, roll(\"1d6\", \"attack\") - bids[0] - 2 * bids[1]);\n",
    );
    folder
}

/// What the page says of an answer of Red's before it is given, where a style plays Blue.
fn stake_of(served: &Served, style: &str, moves: &str) -> String {
    served.page_text(&format!(
        "/at/skirmish/bridge/play?seed=3&policy:Blue={style}&moves={moves}&part=stake"
    ))
}

/// Whoever asks which figures and lines stand before him: they are the same whatever the other side has answered, against a person and
/// against a style.
#[test]
fn what_a_side_sees_does_not_depend_on_a_secret_answer() {
    let (wbts, skirmish) = (Folder::empty(), bids());
    let games = [
        (
            &wbts,
            "wbts",
            "intensity",
            &["lee-attacks-porter", "attack-from-march"][..],
        ),
        (&skirmish, "skirmish", "bid", &["bridge"]),
    ];
    for (folder, game, question, situations) in games {
        let served = Served::start(&folder.0);
        let counted = if game == "wbts" { &[][..] } else { &COUNTED };
        let parts = [&PARTS[..], counted].concat();
        for situation in situations {
            let found = to_secret(&served, situation, question);
            let (moves, first, count, second) = found.unwrap_or_else(|| panic!("{situation}"));
            for who in [format!("seat={second}"), format!("policy:{first}=first")] {
                let answers = (0..count).map(|answer| {
                    let answer = if who.starts_with("seat") {
                        format!("c{answer}")
                    } else {
                        format!("p{answer}")
                    };
                    let at =
                        format!("/at/{game}/{situation}/play?seed=3&{who}&moves={moves}-{answer}");
                    seen(&served, &at, &parts)
                });
                let answers: Vec<String> = answers.collect();
                for pair in answers.windows(2) {
                    let differs = pair[0]
                        .bytes()
                        .zip(pair[1].bytes())
                        .position(|(a, b)| a != b);
                    assert!(
                        pair[0] == pair[1],
                        "{situation} {who}, from byte {differs:?}"
                    );
                }
                answers[0].holds(": hidden");
                assert!(
                    game == "wbts" || answers[0].contains(&format!("If {first} answers 2")),
                    "{}",
                    answers[0]
                );
            }
        }
    }
    let served = Served::start(&skirmish.0);
    let stake = stake_of(&served, "last", "c0-c1");
    let other_style = stake_of(&served, "first", "c0-c1");
    assert_eq!(
        stake, other_style,
        "the side asked first does not see what the other one will answer"
    );
    for part in [
        "if Blue answers 0: ",
        "if Blue answers 2: ",
        "attack is made in every case",
    ] {
        stake.holds(part);
    }
    let before = stake_of(&served, "last", "c0");
    before.holds("Each secret answer of Blue is taken as likely.");
    let terminal = skirmish.run_with("play bridge --policy Blue=last", "attack\no\nq\n");
    terminal.out.holds("1, if Blue answers 2");
}

/// A hand is hidden from the other side, from who hands the screen over, and from who plays against a style; who only watches sees all.
#[test]
fn what_a_side_sees_does_not_depend_on_the_other_hand() {
    let folder = Folder::copy_of(&repository().join("tests/decks"), &["rules", "scenarios"]);
    let served = Served::start(&folder.0);
    let page = |who: &str, moves: &str| {
        seen(
            &served,
            &format!("/at/decks/trick/play?{who}&moves={moves}"),
            &[&PARTS[..], &COUNTED].concat(),
        )
    };
    let (red, blue) = ("tking.king.queen", ["tace.jack.jack", "tace.ace.ace"]);
    for who in ["seat=Red", "policy:Blue=first"] {
        let pages = blue.map(|blue| page(who, &format!("{red}-{blue}")));
        assert_eq!(pages[0], pages[1], "{who}");
        pages[0].holds("Red: king, king, queen");
        pages[0].holds("Blue: 3 cards");
    }
    let handed_over = page("seat=Red", &format!("{red}-{}-c0", blue[0]));
    handed_over.holds("Pass to Blue");
    handed_over.holds("Red: 3 cards");
    handed_over.lacks("queen");
    let watched = page(
        "policy:Red=first&policy:Blue=first",
        &format!("{red}-{}", blue[0]),
    );
    watched.holds("Blue: ace, jack, jack");
    let terminal = folder.run_with("play trick --policy Blue=first --seed 4", "\n\nb\no\nq\n");
    let board = terminal.out.split("> b").nth(1).unwrap_or_default();
    board.holds("Blue: 3 cards");
    board.holds("the odds would show");
    terminal.out.holds("3 of cards for deal: Blue: hidden");
}

/// A style that is asked first answers anew wherever its answer counts: until all have answered, no address tells it, and no page with all its addresses
/// depends on it.
#[test]
fn an_address_does_not_tell_what_a_style_answers_in_secret() {
    let folder = bids();
    let served = Served::start(&folder.0);
    let (moves, first, _, _) = to_secret(&served, "bridge", "bid").expect("two are asked");
    let closure = |index: usize| format!("%7Cwhat,+options%7C+options%5B{index}%5D");
    let after = |address: &str| {
        let page = served.page_text(&format!("{address}&do=on&part=table"));
        let address = page.split("data-address=\"").nth(1).unwrap_or_default();
        let address = address.split('"').next().unwrap_or_default();
        address.replace("&amp;", "&")
    };
    let played = [0, 2].map(|index| {
        let policy = closure(index);
        let at = format!("/at/skirmish/bridge/play?seed=3&policy:{first}={policy}&moves={moves}");
        let address = after(&at);
        assert!(address.ends_with("_p"), "{address}");
        let opened = after(&format!("{address}-c1"));
        opened.holds(format!("_p{index}-c1"));
        let pages = PARTS.map(|part| served.page(&format!("{address}{part}")).1);
        let pages = pages.concat().replace(&policy, "POLICY");
        pages.replace(&format!("|what, options| options[{index}]"), "POLICY")
    });
    assert_eq!(played[0], played[1]);
    // Who goes back to the question reads nothing off the address either.
    let at = format!("/at/skirmish/bridge/play?seed=3&policy:{first}=last&moves={moves}_p2");
    let page = served.page_text(&format!("{at}&part=table"));
    page.lacks("_p2");
}

/// The journal that the terminal keeps does not tell it either, and the style answers again where it is opened.
#[test]
fn a_journal_does_not_tell_what_a_style_answers_in_secret() {
    let folder = bids();
    let play = |input: &str, args: &[&str]| {
        folder
            .run_with(&[&["play"], args].concat(), input)
            .expect_success()
    };
    let args = [
        "bridge",
        "--policy",
        "Red=highest",
        "--seed",
        "3",
        "--save",
        "j.yaml",
    ];
    play("q\n", &args);
    let kept = folder.read("j.yaml");
    kept.holds("policy: { Red: highest }");
    kept.lacks("choice: bid");
    play("0\nq\n", &["j.yaml", "--save", "j.yaml"]);
    let kept = folder.read("j.yaml");
    kept.holds("side: Red, options: [\"0\", \"1\", \"2\"], taken: \"2\"");
}

/// A style that plays on takes what the cards and the secret answers of the others have no part in.
#[test]
fn a_style_plays_on_with_nothing_that_its_side_must_not_know() {
    let answer = |served: &Served, address: &str| {
        let page = served.page_text(&format!("{address}&do=on&part=table"));
        let address = page.split("data-address=\"").nth(1).unwrap_or_default();
        let moves = address.split('"').next().unwrap_or_default();
        moves
            .rsplit("moves=")
            .next()
            .unwrap_or_default()
            .to_string()
    };
    let folder = bids();
    let styles = "styles:\n  keen: { what: looks ahead, answers: { bid: 1 }, plays_on: { policies: [first], score: defender losses } }\n";
    folder.append("rules/skirmish/game.yaml", styles);
    let served = Served::start(&folder.0);
    for bid in 0..3 {
        let at = format!("/at/skirmish/bridge/play?seed=3&policy:Blue=keen&moves=c0-c{bid}");
        let moves = answer(&served, &at);
        assert!(moves.starts_with(&format!("c0-c{bid}_p1")), "{moves}");
    }
    drop(served);
    let folder = Folder::copy_of(&repository().join("tests/decks"), &["rules", "scenarios"]);
    folder.replace(
        "rules/decks/01-decks/1.1-tricks.rhai",
        "    let red = lay_card(",
        "    let guess = choose(\"Red\", \"guess\", [\"none\", \"some\"]);\n    \
         result(\"right\", (guess == \"some\") == (\"ace\" in hand(\"cards\", \"Blue\")));\n    let red = lay_card(",
    );
    let styles = "styles:\n  keen: { what: looks ahead, answers: { guess: none }, plays_on: { policies: [first], score: right } }\n";
    folder.append("rules/decks/game.yaml", styles);
    let served = Served::start(&folder.0);
    for hand in ["tace.ace.ace", "tjack.jack.jack"] {
        let at = format!("/at/decks/trick/play?policy:Red=keen&moves=tking.king.queen-{hand}");
        let moves = answer(&served, &at);
        assert!(
            moves.starts_with(&format!("tking.king.queen-{hand}_p0")),
            "{moves}"
        );
    }
}
