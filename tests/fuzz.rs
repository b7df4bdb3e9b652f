//! Spoilt input of every sort: it is read or complained of, and nothing panics or takes for ever.
//! `FUZZ=1000000 cargo test --release --test fuzz -- --ignored` tries as many of each sort.

mod common;
use casebook::command::understood;
use casebook::complaint::Complaints;
use casebook::data::case::Case;
use casebook::data::files::{File, Files};
use casebook::data::library::Library;
use casebook::data::yaml::Reader;
use casebook::notation::{Band, Dice, Hex, Odds, Turn, UnitValue, is_case_number};
use casebook::odds::measure::Measure;
use casebook::ruleset::compose::Wish;
use casebook::ruling::journal::Journal;
use casebook::ruling::resolve::{Order, resolve};
use casebook::ruling::situation::Situation;
use casebook::situation::policy::Kind;
use casebook::testing::test::Claims;
use common::{Folder, repository};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";
const BRIDGE: &str = "scenarios/skirmish/bridge.yaml";
const JOURNAL: &str = "journal: 2\ngame: skirmish\nsituation: bridge\nwith: []\nseed: 1\nmoves:\n  - { throw: 1d6, for: attack, faces: [3] }\nresults: { \"attacker losses\": \"0\" }\n";
const TESTS: &str =
    "form: 1\ntests:\n  - test: A throw\n    given: bridge\n    dice: [5]\n    then: { attacker losses: 0 }\n    cites: [\"2.1\"]\n";

static SKIRMISH: LazyLock<Files> = LazyLock::new(|| Files::with_folder(&repository().join("tests/skirmish")).expect("the folder is there"));

/// What is put into a text: signs of the languages, numbers at their ends, letters of all sorts, words that mean something.
fn put() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ \\n\"'{}\\[\\](),:;#&*|>?!%@`~=<+/.-]{0,4}",
        "-?[0-9]{1,20}",
        "\\PC{1,5}",
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "prior()",
            "while true {}",
            "loop {",
            "fn x() {}",
            "return;",
            "#{}",
            "[]",
            "roll(\"9d9\", \"x\")",
            "---\n",
            "!!int ",
            "&a ",
            "*a",
            "<<: ",
            "2d6+1",
            "3:1",
            "1-6",
            "C2515",
            "4/62",
            "8.16",
            "--with",
            "--seed",
            "resolve",
            "odds",
            "--policy",
            "|a, b| a",
            "\t",
            "\r\n",
            "\u{0}",
            "\u{feff}",
            "9223372036854775807",
            "-9223372036854775808",
            "|x| x.call(x)",
            "[[[[[[[[",
            "((((((((",
        ])
        .prop_map(String::from),
    ]
}

/// A text, spoilt in up to four places.
fn spoilt(text: String) -> impl Strategy<Value = String> {
    let letters: Vec<char> = text.chars().collect();
    prop::collection::vec((any::<prop::sample::Index>(), 0usize..20, put()), 1..5).prop_map(move |spoils| {
        spoils
            .into_iter()
            .fold(letters.clone(), |all, (at, cut, put)| {
                let at = at.index(all.len() + 1);
                let end = (at + cut).min(all.len());
                all[..at].iter().copied().chain(put.chars()).chain(all[end..].iter().copied()).collect()
            })
            .into_iter()
            .collect()
    })
}

/// Tries so many; none may panic, or take longer than the limits of the machine let it.
fn all<S: Strategy + Send + 'static>(sort: &'static str, cases: u32, strategy: S, read: impl Fn(S::Value) + Send + 'static) {
    let work = move || {
        let config = ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() };
        let start = Instant::now();
        let tried = TestRunner::new(config).run(&strategy, |value| {
            let start = Instant::now();
            read(value);
            prop_assert!(start.elapsed() < Duration::from_secs(30), "it took {:?}", start.elapsed());
            Ok(())
        });
        tried.unwrap_or_else(|error| panic!("{sort}: {error}"));
        println!("{sort}: {cases} in {:?}", start.elapsed());
    };
    // As in the program, the limits of the machine are to end what nests, not the stack.
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(work).expect("a thread can be started");
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn text_of(key: &str) -> String {
    SKIRMISH.files[key].text.to_string()
}

fn file(key: &str, text: String) -> File {
    File { key: key.into(), path: key.into(), text: text.into() }
}

fn yaml(cases: u32) {
    let text = [text_of(BRIDGE), text_of("tables/skirmish/combat.yaml")].concat();
    all("yaml", cases, spoilt(text), |text| {
        let mut reader = Reader::new("x.yaml", &text);
        let _ = reader.parse(&text, 0);
        drop(reader.complaints.render(false));
    });
}

fn cards(cases: u32) {
    let layer: Arc<str> = "skirmish".into();
    all("cards", cases, spoilt(text_of(ATTACK)), move |text| {
        let mut complaints = Complaints::default();
        let _ = Case::read(&file(ATTACK, text), &layer, &mut complaints);
        drop(complaints.render(false));
    });
}

fn notation(cases: u32) {
    let texts = prop_oneof![put(), (put(), put()).prop_map(|(a, b)| [a, b].concat()), "[0-9dD+:/(){}A-Z.-]{0,12}"];
    all("notation", cases, texts, |text| {
        if let Ok(dice) = Dice::read(&text) {
            let _ = (dice.lowest(), dice.highest());
        }
        let _ = Band::read(&text).map(|band| band.holds(0));
        let _ = (Odds::read(&text), UnitValue::read(&text), Hex::read(&text), Turn::read(&text).map(|turn| turn.later(i64::MAX, 12)));
        let _ = is_case_number(&text);
    });
}

fn scripts(cases: u32) {
    all("scripts", cases, spoilt(text_of(ATTACK)), |text| {
        let mut files = SKIRMISH.clone();
        files.files.insert(ATTACK.into(), file(ATTACK, text));
        let library = Arc::new(Library::new(files));
        let wish = Wish { game: "skirmish".into(), ..Wish::default() };
        let Ok(situation) = Situation::of(&library, &wish, "bridge") else { return };
        match resolve(&mut situation.machine(), &situation, Order { trace: true, ..Order::default() }) {
            Ok(ran) => drop(ran.ruling.render(false)),
            Err(error) => drop(error.to_string()),
        }
    });
}

fn journals(cases: u32) {
    let folder = Folder::empty();
    all("journals", cases, spoilt(JOURNAL.into()), move |text| {
        let path = folder.0.join("journal.yaml");
        std::fs::write(&path, text).expect("the test's own folder");
        if let Err(error) = Journal::read(&path) {
            drop(error.to_string());
        }
    });
}

fn tests(cases: u32) {
    all("tests", cases, spoilt(TESTS.into()), |text| {
        drop(Claims::read(&file("tests/skirmish/x.yaml", text)).faults());
    });
}

fn command_lines(cases: u32) {
    let words = prop_oneof![put(), "[a-z]{1,8}", "--[a-z]{1,10}", "[a-zA-Z: ]{1,9}=[a-z0-9.]{0,5}"];
    all("command lines", cases, prop::collection::vec(words, 0..8), |words| {
        let _ = understood(&words);
        for word in &words {
            let _ = (Kind::read(word).is_ok(), Measure::read(word).is_ok());
        }
    });
}

#[test]
fn spoilt_input_of_every_sort() {
    [yaml, cards, notation, journals, tests, command_lines].iter().for_each(|sort| sort(300));
    scripts(60);
}

/// Turns further off than there are numbers for.
#[test]
fn turns_far_off() {
    for text in ["4/62", "1/9223372036854775807", "9223372036854775807/1"] {
        let Ok(turn) = Turn::read(text) else { continue };
        for (n, a_year) in [(i64::MAX, 12), (i64::MIN, 12), (1, i64::MAX), (1, 0)] {
            let later = turn.later(n, a_year);
            let _ = (later.since(turn, a_year), turn.since(later, a_year));
        }
    }
    assert_eq!(Turn { year: 62, number: 12 }.later(1, 12), Turn { year: 63, number: 1 });
}

/// By hand, for hours: see the head of this file.
#[test]
#[ignore]
fn spoilt_input_for_hours() {
    let cases = std::env::var("FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    [yaml, cards, notation, journals, tests, command_lines].iter().for_each(|sort| sort(cases));
    scripts(cases / 20);
}
