//! Corrupted input of every kind is read or reported: nothing panics, hangs or fills the memory.
//! `FUZZ=10000000 cargo test --test fuzz -- --ignored --nocapture` tries as many inputs of all kinds, from `FUZZ_SEED` on.

mod common;
use casebook::code::machine::Machine;
use casebook::code::program::{FunctionSource, Program};
use casebook::command::parses;
use casebook::complaint::Complaints;
use casebook::data::case::Case;
use casebook::data::files::{DataFile, Files};
use casebook::data::library::Library;
use casebook::data::yaml::YamlReader;
use casebook::notation::{Band, Dice, Hex, OddsRatio, Turn, UnitValue, is_case_number};
use casebook::odds::distribution::Condition;
use casebook::odds::measure::Measure;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruleset::diagnostics;
use casebook::ruling::journal::Journal;
use casebook::ruling::resolve::{ResolveRequest, resolve};
use casebook::ruling::situation::Situation;
use casebook::situation::board::Board;
use casebook::situation::initial_board::InitialBoard;
use casebook::situation::policy::PolicyKind;
use casebook::testing::example_run;
use casebook::testing::test::RulingTestFile;
use common::repository;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";
const JOURNAL: &str = "journal: 2\ngame: skirmish\nsituation: bridge\nwith: []\nseed: 1\nmoves:\n  - { throw: 1d6, for: attack, faces: [3] }\nresults: { \"attacker losses\": \"0\" }\n";
const TESTS: &str = "form: 1\ntests:\n  - test: A throw\n    given: bridge\n    dice: [5]\n    then: { attacker losses: 0 }\n    cites: [\"2.1\"]\n";
const COMMANDS: &str = "resolve bridge --with errata,winter --option errata.frost=off --seed 7 --dice 3,5,2 --choose 'Red: bid=2' --given loss>=4 --limit 60 \
     odds compare check test new case 8.16 --policy Red=best --measure losses-gains --joint a,b --format json show list play replay";
const EXPRESSIONS: &[&str] = &[
    "let sum = 0; for i in 0..10 { if i % 2 == 0 { sum += i; } else { continue; } } sum",
    "let list = [3, 1, 2]; list.sort(|a, b| a - b); list.map(|n| n * 2).where(|n| n > 2)",
    "let map = #{ a: 1, b: [1, #{ c: \"x\" }] }; map.b[1].c += `y${map.a}`; map",
    "let n = 0; while n < 20 { n += 1; if n == 15 { break; } } switch n { 15 => \"fifteen\", 1..5 => 0, _ => () }",
    "let f = |x| if x < 1 { 0 } else { x - 1 }; [f.call(1), f.call(2)].len() == 2 && !(1 > 2) || 7 in [7]",
    "pieces(#{ side: \"Red\" }).where(|u| u.strength > 2).some(|u| u.at == \"0202\")",
    "table(\"combat\", \"1:1\", 3).attacker + min(1, 2) - abs(-4)",
];

static SKIRMISH: LazyLock<Files> = LazyLock::new(|| {
    Files::with_folder(&repository().join("tests/skirmish"), casebook::EMBEDDED)
        .expect("the folder is there")
});

/// Insertions: syntax, extreme numbers, unusual characters and keywords.
const INSERTIONS: &[&str] = &[
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
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'",
    "`",
    "${",
    "\\",
    ":",
    ": ",
    "- ",
    ", ",
    "#",
    "|",
    ">",
    "?",
    "!",
    "%",
    "@",
    "~",
    "=",
    "==",
    "<",
    "+",
    "-",
    "*",
    "/",
    "**",
    "<<",
    "..",
    "..=",
    " ",
    "\n",
    "\n  ",
    "0",
    "1",
    "-1",
    "00",
    "1e9",
    "0x7",
    "1_0",
    "é",
    "ß",
    "\u{202e}",
    "\u{1b}[31m",
    "日本",
    "🎲",
    "\u{85}",
    "true",
    "null",
    "()",
];

/// Corrupts a text in up to four places by deletion, insertion or repetition.
fn corrupt(text: &str, luck: &mut Pcg32) -> String {
    let mut text = text.to_string();
    for _ in 0..luck.random_range(1..5) {
        let boundary_at = |text: &str, at: usize| {
            (at..=text.len())
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(text.len())
        };
        let from = boundary_at(&text, luck.random_range(0..=text.len()));
        let to = boundary_at(&text, (from + luck.random_range(0..20)).min(text.len()));
        let insertion = match luck.random_range(0..8) {
            0 => text[from..to].repeat(2),
            1 => luck.random::<i64>().to_string(),
            2 => luck.random::<char>().to_string(),
            _ => INSERTIONS[luck.random_range(0..INSERTIONS.len())].to_string(),
        };
        text.replace_range(from..to, &insertion);
    }
    text
}

fn text_of(key: &str) -> String {
    SKIRMISH.by_key[key].text.to_string()
}

fn file(key: &str, text: String) -> DataFile {
    DataFile {
        key: key.into(),
        path: key.into(),
        text: text.into(),
    }
}

/// A random file of the made-up game with this ending.
fn pick_file(end: &str, luck: &mut Pcg32) -> String {
    let keys: Vec<&String> = SKIRMISH
        .by_key
        .keys()
        .filter(|key| key.ends_with(end))
        .collect();
    keys[luck.random_range(0..keys.len())].clone()
}

fn yaml(luck: &mut Pcg32) -> Box<dyn FnMut()> {
    let text = corrupt(&text_of(&pick_file(".yaml", luck)), luck);
    Box::new(move || {
        let mut reader = YamlReader::new("x.yaml", &text);
        let _ = reader.parse(&text);
        drop(reader.complaints.render(false));
    })
}

fn cards(luck: &mut Pcg32) -> Box<dyn FnMut()> {
    let key = pick_file(".rhai", luck);
    let text = corrupt(&text_of(&key), luck);
    Box::new(move || {
        let mut complaints = Complaints::default();
        let _ = Case::read(
            &file(&key, text.clone()),
            &Arc::from("skirmish"),
            &mut complaints,
        );
        drop(complaints.render(false));
    })
}

fn notation(luck: &mut Pcg32) -> Box<dyn FnMut()> {
    const NOTATION_SAMPLES: &[&str] = &[
        "2d6+1",
        "1-6",
        "3:1",
        "8-3",
        "(8)-3",
        "C2515",
        "C2515/C2516",
        "4/62",
        "8.16",
        "12+",
        "<= 3",
        "0130",
        "1 2/3",
    ];
    let text = corrupt(
        NOTATION_SAMPLES[luck.random_range(0..NOTATION_SAMPLES.len())],
        luck,
    );
    Box::new(move || {
        if let Ok(dice) = Dice::parse(&text) {
            let _ = (dice.min_total(), dice.max_total());
        }
        let _ = Band::parse(&text).map(|band| band.contains(0));
        let _ = (
            OddsRatio::parse(&text),
            UnitValue::parse(&text),
            Hex::parse(&text),
            Turn::parse(&text).map(|turn| turn.add_turns(i64::MAX, 12)),
        );
        let _ = (
            is_case_number(&text),
            PolicyKind::parse(&text, &casebook::data::manifest::Game::default()).is_ok(),
            Measure::parse(&text).is_ok(),
            Condition::parse(&text).is_satisfied_by(&text),
        );
    })
}

fn journals(luck: &mut Pcg32) -> Box<dyn FnMut()> {
    let text = corrupt(JOURNAL, luck);
    Box::new(move || {
        if let Err(error) = Journal::parse("journal.yaml", &text) {
            drop(error.to_string());
        }
    })
}

fn tests(luck: &mut Pcg32) -> Box<dyn FnMut()> {
    let text = corrupt(TESTS, luck);
    Box::new(move || {
        drop(RulingTestFile::parse(&file("tests/skirmish/x.yaml", text.clone())).into_complaints())
    })
}

fn command_lines(luck: &mut Pcg32) -> Box<dyn FnMut()> {
    let commands: Vec<&str> = COMMANDS.split(' ').collect();
    let words =
        (0..luck.random_range(0..8)).map(|_| commands[luck.random_range(0..commands.len())]);
    let line = words.collect::<Vec<_>>().join(" ");
    let words: Vec<String> = corrupt(&line, luck).split(' ').map(String::from).collect();
    Box::new(move || {
        let _ = parses(&words);
    })
}

/// Expressions of the whole language, compiled and run under the rules of the made-up game.
fn expressions(luck: &mut Pcg32) -> Box<dyn FnMut()> {
    thread_local! {
        static RULESET: Arc<casebook::ruleset::compose::Ruleset> = {
            let spec = RulesetSpec::new("skirmish", &[]);
            Arc::new(diagnostics::build_ruleset(&Arc::new(Library::new(SKIRMISH.clone())), &spec).expect("the made-up game is whole").0)
        };
    }
    let text = corrupt(EXPRESSIONS[luck.random_range(0..EXPRESSIONS.len())], luck);
    Box::new(move || {
        let ruleset = RULESET.with(Arc::clone);
        let board = Board::new(Arc::new(InitialBoard::empty(&ruleset.game)));
        let mut machine = Machine::new(Arc::new(Program::new(ruleset)));
        machine.time_limit = Duration::from_millis(50);
        if let Err(example_run::ExampleFailure::Fault(complaints)) = example_run::run_example(
            &mut machine,
            FunctionSource::Expression(text.clone(), Vec::new()),
            board,
            Default::default(),
        ) {
            drop(complaints.render(false));
        }
    })
}

/// A corrupted case in an otherwise valid game, and a battle under it.
fn scripts(luck: &mut Pcg32) -> Box<dyn FnMut()> {
    let text = corrupt(&text_of(ATTACK), luck);
    Box::new(move || {
        let mut files = SKIRMISH.clone();
        files
            .by_key
            .insert(ATTACK.into(), file(ATTACK, text.clone()));
        let library = Arc::new(Library::new(files));
        let spec = RulesetSpec::new("skirmish", &[]);
        let Ok(situation) = Situation::load(&library, &spec, "bridge") else {
            return;
        };
        match resolve(
            &mut situation.machine(),
            &situation,
            ResolveRequest {
                trace: true,
                ..ResolveRequest::default()
            },
        ) {
            Ok(ran) => drop(ran.ruling.render(false)),
            Err(error) => drop(error.to_string()),
        }
    })
}

type Sort = fn(&mut Pcg32) -> Box<dyn FnMut()>;

/// Every kind of input, with its share in thousandths.
const TARGETS: [(&str, Sort, u64); 8] = [
    ("notation", notation, 400),
    ("yaml", yaml, 200),
    ("cards", cards, 150),
    ("tests", tests, 100),
    ("journals", journals, 80),
    ("expressions", expressions, 50),
    ("command lines", command_lines, 19),
    ("scripts", scripts, 1),
];

/// Tries `count` inputs of all kinds; none may panic or exceed the limits of the machine.
fn fuzz_all(count: u64, seed: u64) {
    let work = move || {
        for (name, sort, part) in TARGETS {
            let (tries, start) = ((count * part).div_ceil(1000), Instant::now());
            for number in 0..tries {
                let generator = || Pcg32::seed_from_u64(seed.wrapping_add(number));
                let mut tried = sort(&mut generator());
                let start = Instant::now();
                let result = catch_unwind(AssertUnwindSafe(&mut tried));
                assert!(
                    result.is_ok(),
                    "{name}: it panics with FUZZ_SEED={} FUZZ=1",
                    seed.wrapping_add(number)
                );
                assert!(
                    start.elapsed() < Duration::from_secs(30),
                    "{name}: number {number} from {seed} took {:?}",
                    start.elapsed()
                );
            }
            println!("{name}: {tries} in {:?}", start.elapsed());
        }
    };
    // As in the program, the limits of the machine end deep nesting, not the stack.
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(work)
        .expect("a thread can be started");
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    // The peak memory of this process, if the system reports it.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .trim()
            .strip_suffix(" kB")?
            .trim()
            .parse::<u64>()
            .ok()
    });
    println!("at most {} MB of memory", peak.unwrap_or(0) >> 10);
    assert!(
        peak.is_none_or(|peak| peak < 1 << 20),
        "it took {peak:?} kB of memory"
    );
}

#[test]
fn corrupted_input_of_every_kind() {
    fuzz_all(4_000, 1);
}

/// Turns further off than there are numbers for.
#[test]
fn turns_far_off() {
    for text in ["4/62", "1/9223372036854775807", "9223372036854775807/1"] {
        let Ok(turn) = Turn::parse(text) else {
            continue;
        };
        for (n, a_year) in [(i64::MAX, 12), (i64::MIN, 12), (1, i64::MAX), (1, 0)] {
            let Some(later) = turn.add_turns(n, a_year) else {
                continue;
            };
            let _ = (
                later.turns_since(turn, a_year),
                turn.turns_since(later, a_year),
            );
        }
    }
    assert_eq!(
        Turn {
            year: 62,
            number: 12
        }
        .add_turns(1, 12),
        Some(Turn {
            year: 63,
            number: 1
        })
    );
}

/// Run by hand: see the head of this file.
#[test]
#[ignore = "takes hours"]
fn corrupted_input_for_hours() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(otherwise)
    };
    fuzz_all(number("FUZZ", 1_000_000), number("FUZZ_SEED", 1));
}
