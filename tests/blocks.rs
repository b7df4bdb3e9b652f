//! A block that throws is counted once for all entries that agree in what it reads. The odds equal those counted without that, and those
//! counted path by path.
//!
//! A part runs by default; `cargo test --test suite blocks:: -- --ignored --nocapture` runs everything.

use crate::common;
use crate::common::procedures::{HELPERS, with_attack};
use crate::common::runner::{self, with_deep_stack};
use crate::exact_odds::{distributions, enumerate_paths};
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::odds::block_table::BlockMode;
use casebook::odds::bounds::SearchLimits;
use casebook::odds::count::{CountJob, CountResult, CountTables};
use casebook::odds::distribution::Odds;
use casebook::odds::explore::StateKeyParts;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::situation::Situation;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Functions that throw, for the loops to call.
const THROWERS: &str = r#"
private fn lose(a, d) { let x = roll("1d3", "own"); if x > d { a - 1 } else { a } }
private fn duel(a, d) { let x = roll("1d2", "own"); let y = roll("1d2", "other"); if x > y { d -= 1; } else { a -= 1; } [a, d] }
private fn volley(n) { let sum = 0; for i in 0..min(2, n) { sum += hits("1d3", 2, "volley"); } sum }
private fn early(a) { for i in 0..3 { if roll("1d2", "early") == 1 { return a + i; } } a }
private fn better(a, n) { max(a, roll("1d2", "better") + n) }
"#;

/// Generates procedures with loops that throw from bytes; when they run out, the simplest choice is taken.
struct Loops<'a> {
    bytes: std::slice::Iter<'a, u8>,
    throw_count: usize,
    name_count: usize,
    loop_depth: usize,
}

impl Loops<'_> {
    fn generate(bytes: &[u8]) -> String {
        let mut loops = Loops {
            bytes: bytes.iter(),
            throw_count: 0,
            name_count: 0,
            loop_depth: 0,
        };
        let mut body = String::from(
            "    let a = 3;\n    let d = 2;\n    let n = 0;\n    let list = [1, 2];\n    let m = #{ a: 2, d: 1 };\n    let sum = 0;\n    let add = |more| { sum += more; sum };\n",
        );
        for _ in 0..1 + loops.below(3) {
            body += &format!("    {}\n    {}\n", loops.throw(), loops.repetition(3));
        }
        for value in ["a", "d", "n", "list", "m", "sum"] {
            body += &format!("    result(\"{value}\", {value});\n");
        }
        body
    }

    fn below(&mut self, below: usize) -> usize {
        self.bytes.next().map_or(0, |byte| *byte as usize % below)
    }

    fn pick(&mut self, list: &[&str]) -> String {
        list[self.below(list.len())].into()
    }

    fn number(&mut self) -> String {
        self.pick(&[
            "a",
            "d",
            "n",
            "1",
            "2",
            "m.a",
            "a - d",
            "n + 1",
            "min(a, 2)",
            "max(d, n)",
            "min(a, d)",
            "list.len()",
            "a + d - n",
            "list[0]",
        ])
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.number(), self.number());
        match self.below(8) {
            0 => format!("{left} > {right} && d > 0"),
            1 => format!("n == {right} || a != 2"),
            2 => format!("!({left} <= {right})"),
            3 => "n in list".into(),
            _ => format!(
                "{left} {} {right}",
                self.pick(&["<", "<=", ">", ">=", "==", "!="])
            ),
        }
    }

    fn dice(&mut self) -> String {
        match self.below(4) {
            0 => "\"1d2\"".into(),
            1 => "\"1d3\"".into(),
            2 => format!("`${{clamp({}, 1, 2)}}d2`", self.number()),
            _ => format!("`1d${{clamp({}, 2, 3)}}`", self.number()),
        }
    }

    fn throw(&mut self) -> String {
        self.throw_count += 1;
        let dice = self.dice();
        match self.below(10) {
            0 => format!("n = hits({dice}, 2, \"hits\");"),
            1 => format!("n += hits({dice}, 2, \"more hits\");"),
            2 => format!(
                "for face in faces({dice}, \"faces\") {{ if face > 1 {{ d -= 1; }} else {{ a -= 1; }} }}"
            ),
            3 => format!("list = faces({dice}, \"list\");"),
            4 => "a = lose(a, d);".into(),
            5 => "let both = duel(a, d); a = both[0]; d = both[1];".into(),
            6 => format!("n += volley({});", self.number()),
            7 => "a = early(a);".into(),
            8 => format!("n = better({}, {});", self.number(), self.number()),
            _ => format!("n = roll({dice}, \"number\");"),
        }
    }

    fn block(&mut self, deep: usize) -> String {
        (0..1 + self.below(2))
            .map(|_| format!("{} ", self.statement(deep)))
            .collect()
    }

    /// A loop that ends.
    fn repetition(&mut self, deep: usize) -> String {
        self.loop_depth += 1;
        self.name_count += 1;
        let round = format!("round_{}", self.name_count);
        let body = match self.throw_count < 4 && self.below(4) > 0 {
            true => [
                self.block(deep - 1),
                self.throw(),
                " ".into(),
                self.block(deep - 1),
            ]
            .concat(),
            false => self.block(deep - 1),
        };
        self.loop_depth -= 1;
        match self.below(4) {
            0 => format!(
                "for i in 0..{} {{ {body}}}",
                self.pick(&["2", "min(a, 2)", "3"])
            ),
            1 => format!(
                "for value in {} {{ {body}n += value; }}",
                self.pick(&["list", "[a, d]", "1..=2"])
            ),
            2 => {
                format!("let {round} = 0; do {{ {round} += 1; {body}}} while {round} < 2 && a > 0;")
            }
            _ => format!(
                "let {round} = 0; while a > 0 && d > 0 && {round} < 3 {{ {round} += 1; {body}}}"
            ),
        }
    }

    fn statement(&mut self, deep: usize) -> String {
        match self.below(if deep == 0 { 18 } else { 26 }) {
            0..=3 if self.throw_count < 4 => self.throw(),
            4 => format!("a -= {};", self.number()),
            5 => format!("d = d - {};", self.number()),
            6 => format!("{} += {};", self.pick(&["a", "d", "n"]), self.number()),
            7 => "let other = a; a = d; d = other;".into(),
            8 => format!("{} = {};", self.pick(&["a", "d", "n"]), self.number()),
            9 => format!("list.push({});", self.number()),
            10 => format!("m.{} -= {};", self.pick(&["a", "d"]), self.number()),
            11 => format!("add.call({});", self.number()),
            12 => format!("n = list.map(|v| v + {}).len();", self.number()),
            13 => format!("if {} {{ n = -n; }}", self.condition()),
            14 if self.loop_depth > 0 => format!(
                "if {} {{ {} }}",
                self.condition(),
                self.pick(&["break;", "continue;"])
            ),
            15 => {
                self.name_count += 1;
                let (name, value) = (self.name_count, self.number());
                format!("result(\"named {name}\", {value});")
            }
            16 => match self.below(4) {
                0 => format!("set_track(\"turn\", clamp({}, 1, 8));", self.number()),
                1 => "n += track(\"turn\");".into(),
                2 => format!("require({}, \"no\");", self.condition()),
                _ => format!("if {} {{ return; }}", self.condition()),
            },
            18..=20 => self.repetition(deep),
            21 => format!(
                "switch n {{ 1 => {{ {}}}, 2 => {{ {}}}, _ => {{ }} }}",
                self.block(deep - 1),
                self.block(deep - 1)
            ),
            22.. => format!(
                "if {} {{ {}}} else {{ {}}}",
                self.condition(),
                self.block(deep - 1),
                self.block(deep - 1)
            ),
            _ => format!("n = {};", self.number()),
        }
    }
}

/// Battles of so many armies, in which a round is written in different ways: `A` and `D` stand for the armies of both sides.
const BATTLES: &[(&str, &str)] = &[
    (
        "the dice are compared in a loop",
        "while a > 0 && d > 0 {
            let x = faces(`${min(3, a)}d6`, \"attack\"); let y = faces(`${min(2, d)}d6`, \"defence\");
            for i in 0..min(x.len(), y.len()) { if x[i] > y[i] { d -= 1; } else { a -= 1; } }
        }",
    ),
    (
        "the armies are read while dice are compared",
        "while a > 0 && d > 0 {
            let pairs = min(2, min(a, d));
            let x = faces(if a > 2 { \"3d6\" } else { `${a}d6` }, \"attack\"); let y = faces(if d > 1 { \"2d6\" } else { \"1d6\" }, \"defence\");
            if x[0] > y[0] { d -= 1; } else { a -= 1; }
            if pairs == 2 && a >= 1 && d >= 1 { if x[1] > y[1] { d -= 1; } else { a -= 1; } }
        }",
    ),
    (
        "losses are added up, and rounds counted",
        "let rounds = 0;
        while a > 0 && d > 0 {
            rounds += 1;
            let lost = 0;
            let x = faces(`${min(3, a)}d6`, \"attack\"); let y = faces(`${min(2, d)}d6`, \"defence\");
            for i in 0..min(x.len(), y.len()) { if x[i] <= y[i] { lost += 1; } }
            d = max(0, d - (min(x.len(), y.len()) - lost));
            a = a - lost;
        }
        result(\"rounds\", rounds);",
    ),
    (
        "a function throws and returns both armies",
        "while a > 0 && d > 0 { let left = fight(a, d); a = left[0]; d = left[1]; }",
    ),
    (
        "a loop that one leaves",
        "loop {
            let x = roll(\"1d6\", \"attack\"); let y = roll(\"1d6\", \"defence\");
            if x > y { d -= 1; } else { a -= 1; }
            if a == 0 || d == 0 { break; }
        }",
    ),
];

/// A function of the battles.
const FIGHT: &str = "private fn fight(a, d) {
    let x = faces(`${min(3, a)}d6`, \"attack\"); let y = faces(`${min(2, d)}d6`, \"defence\");
    for i in 0..min(x.len(), y.len()) { if x[i] > y[i] { d -= 1; } else { a -= 1; } }
    [a, d]
}";

fn battle(body: &str, armies: u32) -> Situation {
    let body = format!(
        "    let a = {armies};\n    let d = {armies};\n    {body}\n    result(\"attackers\", a);\n    result(\"defenders\", d);\n"
    );
    let library = Arc::new(Library::new(with_attack(
        &common::skirmish(),
        &body,
        &format!("{HELPERS}{FIGHT}"),
    )));
    Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
        .expect("the data are sound")
}

#[test]
fn a_round_is_merged_however_it_is_written() {
    with_deep_stack(|| {
        for (how, body) in BATTLES {
            let small = battle(body, 5);
            let [with, plain, without] =
                [BlockMode::Always, BlockMode::Worthwhile, BlockMode::Never]
                    .map(|mode| count(&small, mode).expect("it is counted"));
            let odds = |count: &CountResult| {
                distributions(Odds::new(count, &Default::default()).expect("they add up"))
            };
            assert!(
                odds(&with) == odds(&without) && odds(&plain) == odds(&without),
                "{how}"
            );
            let large = count(&battle(body, 40), BlockMode::Worthwhile).expect("it is counted");
            // One state for each pair of armies, and what it takes to find out that this is worthwhile.
            assert!(large.states < 4_500, "{how}: {} states", large.states);
        }
    });
}

/// Two rounds of mixed units, whose hits are thrown by strength.
const MIXED: &str = "    let inf = 6; let tank = 6; let d_inf = 7; let d_tank = 5; let rounds = 0;
    while inf + tank > 0 && d_inf + d_tank > 0 && rounds < 2 {
        rounds += 1;
        let hit = 0;
        if inf > 0 { hit += hits(`${inf}d6`, 6, \"infantry\"); }
        if tank > 0 { hit += hits(`${tank}d6`, 4, \"tanks\"); }
        let back = 0;
        if d_inf > 0 { back += hits(`${d_inf}d6`, 5, \"defending infantry\"); }
        if d_tank > 0 { back += hits(`${d_tank}d6`, 4, \"defending tanks\"); }
        let lost = min(back, inf);
        inf -= lost;
        tank -= min(back - lost, tank);
        lost = min(hit, d_inf);
        d_inf -= lost;
        d_tank -= min(hit - lost, d_tank);
    }
    result(\"attackers\", inf + tank);
    result(\"defenders\", d_inf + d_tank);
";

/// The throws of a side are counted once for its units, however many the other side has, and whatever it has hit.
#[test]
fn the_throws_of_a_side_are_counted_once_for_its_units() {
    with_deep_stack(|| {
        let library = Arc::new(Library::new(with_attack(
            &common::skirmish(),
            MIXED,
            HELPERS,
        )));
        let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
            .expect("the data are sound");
        let [with, without] = [BlockMode::Worthwhile, BlockMode::Never]
            .map(|mode| count(&situation, mode).expect("it is counted"));
        assert!(
            with.states * 4 < without.states * 3,
            "{} states, {} without blocks",
            with.states,
            without.states
        );
        let odds = |count: &CountResult| {
            distributions(Odds::new(count, &Default::default()).expect("they add up"))
        };
        assert_eq!(odds(&with), odds(&without));
    });
}

pub fn count(situation: &Situation, blocks: BlockMode) -> Option<CountResult> {
    count_within((Duration::from_secs(60), 1 << 30), situation, blocks)
}

/// Counts a situation; none if that takes too much time or memory.
fn count_within(
    (time, memory): (Duration, u64),
    situation: &Situation,
    blocks: BlockMode,
) -> Option<CountResult> {
    let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
    let limits = SearchLimits {
        deadline: Instant::now() + time,
        memory,
        stop: &never,
        progress: &quiet,
    };
    let choice_source = &situation.choice_source(&[], Arc::default());
    let mut tables = CountTables::new(situation, limits.memory);
    tables.blocks = blocks;
    let key_parts = &StateKeyParts::default();
    CountJob {
        situation,
        choice_source,
        key_parts,
        threads: 1,
        limits: &limits,
    }
    .run_on(&tables)
    .ok()
    .filter(|count| count.complete)
}

/// Counts a procedure with blocks, without, and path by path; returns whether each was possible, and the states with and without blocks.
fn check_loops(files: &Files, body: &str) -> Result<(bool, bool, [u64; 2]), TestCaseError> {
    let library = Arc::new(Library::new(with_attack(
        files,
        body,
        &format!("{HELPERS}{THROWERS}"),
    )));
    let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
        .map_err(|error| TestCaseError::fail(error.to_string()))?;
    let [with, without] = [BlockMode::Always, BlockMode::Never]
        .map(|mode| count_within((Duration::from_secs(3), 4 << 20), &situation, mode));
    let states = [&with, &without].map(|count| count.as_ref().map_or(0, |count| count.states));
    let odds = |count: Option<CountResult>| {
        count.map(|count| {
            distributions(Odds::new(&count, &Default::default()).expect("they add up"))
        })
    };
    let (with, without) = (odds(with), odds(without));
    if with.is_some() && without.is_some() {
        prop_assert_eq!(&with, &without, "with blocks, and without:\n{}", body);
    }
    let by_path = enumerate_paths(
        &situation,
        &situation.choice_source(&[], Arc::default()),
        1_000,
    );
    let is_by_path = by_path.is_some() && with.is_some();
    if is_by_path {
        prop_assert_eq!(&with, &by_path, "with blocks, and path by path:\n{}", body);
    }
    Ok((with.is_some(), is_by_path, states))
}

fn check_generated(mut runner: TestRunner, cases: u32) {
    let files = common::skirmish();
    let sums = Cell::new([0; 4]);
    let ran = runner.run(&prop::collection::vec(any::<u8>(), 20..140), |bytes| {
        let (counted, by_path, [with, without]) = check_loops(&files, &Loops::generate(&bytes))?;
        let [a, b, c, d] = sums.get();
        sums.set([
            a + u64::from(counted),
            b + u64::from(by_path),
            c + with,
            d + without,
        ]);
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
    let [counted, by_path, with, without] = sums.get();
    eprintln!(
        "of {cases} procedures {counted} are counted alike with blocks and without, {by_path} also path by path; {with} states and {without}"
    );
    assert!(
        counted > u64::from(cases) / 2 && by_path > u64::from(cases) / 3 && with < without,
        "this says little"
    );
}

#[test]
fn loops_are_counted_as_without_blocks_and_as_path_by_path() {
    with_deep_stack(|| check_generated(runner::deterministic(80), 80));
}

#[test]
#[ignore = "takes minutes"]
fn many_loops_are_counted_as_without_blocks_and_as_path_by_path() {
    with_deep_stack(|| check_generated(runner::random(50_000), 50_000));
}
