//! A line cites what decided it: when a case or a cell is changed, only lines that cite it may change.

use crate::common::Folder;
use crate::common::runner::with_deep_stack;
use crate::common::stacks::{built_in, situations};
use casebook::code::machine::Machine;
use casebook::code::program::Program;
use casebook::code::state::State;
use casebook::data::case::Case;
use casebook::data::table::Table;
use casebook::notation::Dice;
use casebook::ruleset::compose::{Ruleset, RulesetSpec};
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::citations::{LineCitations, cites_text};
use casebook::ruling::resolve::{self, ResolveRequest, ResolvedRuling, Ruling, RulingLine};
use casebook::ruling::session::{Session, WaitingFor};
use casebook::ruling::situation::Situation;
use casebook::ruling::turn_sequence::TurnSequence;
use casebook::situation::dice::{DiceStream, NoThrow};
use casebook::situation::trace::{Event, ValueSource, merge_reads};
use casebook::testing::snapshot;
use casebook::testing::trials::compile_program;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Dice that depend on the purpose of a throw alone, so that a changed rule does not shift the others.
pub struct Named;

impl DiceStream for Named {
    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Vec<u32>, NoThrow> {
        let face = |n: u32| 1 + (hash_draw(&(purpose, n)) % u64::from(dice.sides)) as u32;
        Ok((0..dice.count).map(face).collect())
    }
}

/// A stable hash, used to choose what is changed.
pub fn hash_draw(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Resolves a situation and hands the ruleset back for the next change; no ruling if the changed rules fail.
fn run(ruleset: Ruleset, situation: &str) -> (Ruleset, Option<ResolvedRuling>) {
    let ruleset = Arc::new(ruleset);
    let program = Arc::new(Program::new(ruleset.clone()));
    let resolved = ruleset
        .scenario(situation)
        .and_then(|scenario| Situation::new(&program, scenario))
        .and_then(|ready| {
            let order = ResolveRequest {
                stream: Box::new(Named),
                ..ResolveRequest::default()
            };
            resolve::resolve(&mut ready.machine(), &ready, order)
        });
    drop(program);
    (
        Arc::into_inner(ruleset).expect("whoever ran it is gone"),
        resolved.ok(),
    )
}

/// A name of a source that is the same in every run.
fn source_name(source: &ValueSource) -> String {
    match source {
        ValueSource::Case(case) => format!("case {case}"),
        ValueSource::Cell(table, index) => format!("table {} {index}", table.id),
    }
}

/// The lines that do not cite a source.
fn lines_without<'a>(resolved: &'a ResolvedRuling, changed: &str) -> Vec<&'a str> {
    let texts = resolved
        .ruling
        .steps
        .iter()
        .flat_map(|step| &step.lines)
        .map(|line| line.text.as_str());
    let from = resolved.events.iter().filter_map(|event| {
        if let Event::Line(line) = event {
            Some(&line.sources)
        } else {
            None
        }
    });
    texts
        .zip(from)
        .filter(|(_, from)| from.iter().all(|source| source_name(source) != changed))
        .map(|(text, _)| text)
        .collect()
}

/// The functions that answered: the number of the case and of the function in it.
fn answered_functions(resolved: &ResolvedRuling, ruleset: &Ruleset) -> Vec<(usize, usize)> {
    let answers = resolved.events.iter().filter_map(|event| match event {
        Event::Call(asked) => Some(asked.answer(ruleset)),
        _ => None,
    });
    let distinct: BTreeSet<_> = answers
        .map(|answer| (answer.case, answer.function))
        .collect();
    distinct.into_iter().collect()
}

/// The single changes of a function's text: start, end, and replacement.
fn text_changes(body: &str) -> Vec<(usize, usize, String)> {
    const REPLACEMENTS: [(&str, &str); 12] = [
        (" == ", " != "),
        (" != ", " == "),
        (" <= ", " > "),
        (" >= ", " < "),
        (" < ", " >= "),
        (" > ", " <= "),
        (" && ", " || "),
        (" || ", " && "),
        (" + ", " - "),
        (" - ", " + "),
        ("true", "false"),
        ("false", "true"),
    ];
    let mut changes = Vec::new();
    let (mut at, mut text, bytes) = (body.find('{').unwrap_or(0), false, body.as_bytes());
    while at < bytes.len() {
        let remaining = &bytes[at..];
        let digits = remaining
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        if !text && remaining.starts_with(b"//") {
            at += remaining.iter().take_while(|byte| **byte != b'\n').count();
        } else if remaining[0] == b'"' || remaining[0] == b'`' {
            text = !text;
        } else if !text && digits > 0 && !word {
            let number: i64 = body[at..at + digits].parse().expect("digits");
            changes.push((at, at + digits, (number + 1).to_string()));
            at += digits;
        } else if let Some((from, to)) = REPLACEMENTS
            .iter()
            .find(|(from, _)| !text && !word && remaining.starts_with(from.as_bytes()))
        {
            changes.push((at, at + from.len(), to.to_string()));
        }
        at += 1;
    }
    changes
}

/// A case with one changed function, and a description of the change.
fn mutated_case(case: &Case, function: usize, draw: u64) -> Option<(Case, String)> {
    let body = &case.functions[function].body;
    let changes = text_changes(body);
    let (from, to, new) = changes.get((draw % changes.len().max(1) as u64) as usize)?;
    let mut case = case.clone();
    case.functions[function].body = format!("{}{new}{}", &body[..*from], &body[*to..]).into();
    let line = body[..*from].lines().count();
    Some((
        case,
        format!(
            "{}, line {line}: `{}` for `{}`",
            body.lines().next().unwrap_or_default(),
            new,
            &body[*from..*to]
        ),
    ))
}

/// Counts changes, rulings of which a cited source was changed, and those that changed with it; lists lines that changed without citing it.
#[derive(Default)]
struct Tally {
    changes: usize,
    cited: usize,
    moved: usize,
    violations: Vec<String>,
}

/// Fails with the first line that is missing among the others, in their order.
fn is_subsequence<'a>(subsequence: &[&'a str], sequence: &[&str]) -> Result<(), &'a str> {
    let mut remaining = sequence.iter();
    subsequence.iter().try_for_each(|line| {
        if remaining.any(|other| other == line) {
            Ok(())
        } else {
            Err(*line)
        }
    })
}

impl Tally {
    /// Checks that lines that don't cite the changed source are the same before and after; returns whether the ruling changed.
    fn check(
        &mut self,
        before: &ResolvedRuling,
        after: &ResolvedRuling,
        changed: &str,
        description: &str,
    ) -> bool {
        self.changes += 1;
        for (lines_of, against, sign) in [(before, after, '-'), (after, before, '+')] {
            if let Err(line) = is_subsequence(
                &lines_without(lines_of, changed),
                &lines_without(against, ""),
            ) {
                self.violations
                    .push(format!("{description}:\n  {sign} {line}"));
            }
        }
        before.ruling.steps != after.ruling.steps
    }

    fn report(self, game: &str) {
        let Tally {
            changes: made,
            cited,
            moved,
            violations: wrong,
        } = self;
        eprintln!(
            "{game}: {made} changes, {moved} of {cited} rulings moved, {} wrong",
            wrong.len()
        );
        assert!(
            wrong.is_empty(),
            "of {made} changes, these moved lines that do not cite them:\n{}",
            wrong.join("\n")
        );
        assert!(
            moved * 2 > cited,
            "{moved} of {cited} rulings moved where what they cite was changed: these say nothing"
        );
    }
}

/// The sources of each line of a ruling.
fn line_sources(resolved: &ResolvedRuling) -> Vec<BTreeSet<String>> {
    let from = resolved.events.iter().filter_map(|event| {
        if let Event::Line(line) = event {
            Some(&line.sources)
        } else {
            None
        }
    });
    from.map(|from| from.iter().map(source_name).collect())
        .collect()
}

/// Chooses an item that some but not all lines cite, or that none cites: a source of all lines tests nothing.
fn sample_items<T: Clone>(
    list: &[T],
    name: impl Fn(&T) -> String,
    lines: &[BTreeSet<String>],
    cited: bool,
    draw: u64,
) -> Option<T> {
    let count = |item: &T| {
        lines
            .iter()
            .filter(|from| from.contains(&name(item)))
            .count()
    };
    let is_match = |item: &&T| {
        if cited {
            (1..lines.len()).contains(&count(item))
        } else {
            count(item) == 0
        }
    };
    let matching: Vec<&T> = list.iter().filter(is_match).collect();
    matching
        .get((draw % matching.len().max(1) as u64) as usize)
        .map(|item| (*item).clone())
}

/// A table with one changed cell.
fn mutated_cell(table: &Table, index: usize) -> Option<Table> {
    let old = &table.cells[index].text;
    let other_text = table
        .cells
        .iter()
        .find(|cell| !cell.is_missing() && cell.text != *old)?
        .text
        .clone();
    let mut table = table.clone();
    table.cells[index].text = other_text;
    Some(table)
}

/// Changes tried until one changes a ruling.
const MAX_TRIES: usize = 12;

/// In every situation changes a cited case, an uncited case, a cited cell and an uncited cell.
/// `CHANGES=8` in the environment changes eight of each.
fn check_every_situation(game: &str) {
    let library = built_in();
    let mut rulesets: BTreeMap<Vec<String>, Ruleset> = BTreeMap::new();
    let mut tally = Tally::default();
    let times = std::env::var("CHANGES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1);
    for (situation, variant) in library.scenarios(game) {
        let in_force = library.in_force_for(game, &situation, variant.as_deref());
        let build = || {
            let spec = RulesetSpec::with_variants(game, in_force.variants.clone());
            build_ruleset(&library, &spec).expect("it is shipped").0
        };
        let ruleset = rulesets
            .entry(in_force.variants.clone())
            .or_insert_with(build)
            .clone();
        if ruleset
            .scenario(&situation)
            .expect("it is shipped")
            .procedure
            .is_none()
        {
            continue;
        }
        let (mut ruleset, Some(before)) = run(ruleset, &situation) else {
            continue;
        };
        let (lines, functions) = (line_sources(&before), answered_functions(&before, &ruleset));
        let read = |event: &Event| {
            if let Event::Cell(table, index) = event {
                Some((table.clone(), *index as usize))
            } else {
                None
            }
        };
        let cells: Vec<(Arc<Table>, usize)> = before.events.iter().filter_map(read).collect();
        for (cited, n) in [true, false]
            .into_iter()
            .flat_map(|cited| (0..times).map(move |n| (cited, n)))
        {
            // A change without effect tests nothing, so another is tried.
            let (mut moved, changes_before) = (false, tally.changes);
            for attempt in 0..MAX_TRIES {
                let draw = hash_draw(&(&situation, cited, n, attempt));
                let name = |(case, _): &(usize, usize)| format!("case {case}");
                let Some((case, function)) = sample_items(&functions, name, &lines, cited, draw)
                else {
                    break;
                };
                let original = ruleset.cases[case].clone();
                let Some((changed_case, change)) = mutated_case(&original, function, draw / 7)
                else {
                    continue;
                };
                ruleset.cases[case] = Arc::new(changed_case);
                let after;
                (ruleset, after) = run(ruleset, &situation);
                let description = format!("{situation}, {} {change}", original.number);
                ruleset.cases[case] = original;
                moved = after.is_some_and(|after| {
                    tally.check(&before, &after, &format!("case {case}"), &description)
                });
                if moved || !cited {
                    break;
                }
            }
            if cited && tally.changes > changes_before {
                tally.cited += 1;
                tally.moved += usize::from(moved);
            }
            let draw = hash_draw(&(&situation, cited, n));
            let name = |(table, index): &(Arc<Table>, usize)| format!("table {} {index}", table.id);
            let Some((table, index)) = sample_items(&cells, name, &lines, cited, draw) else {
                continue;
            };
            let Some(changed_table) = mutated_cell(&table, index) else {
                continue;
            };
            let description = format!(
                "{situation}, table {} {}: {}",
                table.id,
                table.label(index),
                changed_table.cells[index].text
            );
            let with = |table: Arc<Table>| BTreeMap::from([(table.id.clone(), Some(table))]);
            ruleset = ruleset.with_overrides(with(Arc::new(changed_table)), Vec::new());
            let after;
            (ruleset, after) = run(ruleset, &situation);
            ruleset = ruleset.with_overrides(with(table.clone()), Vec::new());
            if let Some(after) = after {
                tally.check(
                    &before,
                    &after,
                    &format!("table {} {index}", table.id),
                    &description,
                );
            }
        }
    }
    tally.report(game);
}

#[test]
fn banasik() {
    check_every_situation("banasik");
}

#[test]
fn tmag() {
    check_every_situation("tmag");
}

#[test]
fn wbts() {
    check_every_situation("wbts");
}

// Citations by kind of data flow

/// A folder with a procedure with this body, in the small game; it asks `bonus` of 4.1, `cover` of 4.2, `blocked` of 4.3.
fn procedure_folder(body: &str) -> Folder {
    let folder = Folder::skirmish();
    let card = |number: &str, more: &str| {
        let head =
            format!("//! case: \"{number}\"\n//! title: Case {number}\n//! kind: rule\n{more}");
        head + format!(
            "//! source: {{ doc: sheet, at: \"{number}\" }}\n//! text: >\n//!   A case.\n\n"
        )
        .as_str()
    };
    let case = |slug: &str, number: &str, more: &str, body: &str| {
        folder.write(
            &format!("rules/skirmish/04-test/{number}-{slug}.rhai"),
            card(number, more) + body,
        );
    };
    case("bonus", "4.1", "", "/// A bonus.\nfn bonus() { 2 }\n");
    case(
        "cover",
        "4.2",
        "",
        "/// Cover.\nfn cover(kind) { if kind == \"rider\" { 1 } else { 0 } }\n",
    );
    case("blocked", "4.3", "", "/// No.\nfn blocked() { false }\n");
    folder.write(
        "rules/skirmish/04-test/wind.rhai",
        card("wind", "") + "/// The wind.\nfn wind() { 1 }\n",
    );
    case(
        "march",
        "4.0",
        "//! procedure: march\n",
        &format!("fn march(given) {{ {body} }}\n"),
    );
    folder.replace(
        "rules/skirmish/game.yaml",
        "procedures:\n",
        "procedures:\n  march: A procedure.\n",
    );
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "procedure: attack",
        "procedure: march",
    );
    folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "given: { side: Red, from: \"0201\", into: \"0202\" }\n",
        "",
    );
    folder.append(
        "rules/skirmish/contents.yaml",
        "\"4.0\": a\n\"4.1\": b\n\"4.2\": c\n\"4.3\": d\n",
    );
    folder
}

fn procedure_ruling(body: &str) -> serde_json::Value {
    let command = ["resolve", "bridge", "--format", "json"];
    procedure_folder(body).run(&command).json()
}

/// All that each line of a procedure rests on, what was merely asked, too.
fn procedure_sources(body: &str) -> Vec<String> {
    let trace = procedure_folder(body).run("resolve bridge --trace").out;
    let words = trace.split_whitespace().collect::<Vec<_>>().join(" ");
    let lists = words.split("\" rests on ").skip(1);
    let sources = lists.map(|list| {
        let more = list
            .split(' ')
            .take_while(|word| word.ends_with(','))
            .count();
        let names: Vec<&str> = list.split(' ').take(more + 1).collect();
        names.join(" ").replace(',', "")
    });
    sources.collect()
}

fn texts(value: &serde_json::Value) -> Vec<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .map(|c| c.as_str().unwrap_or_default().to_string())
        .collect()
}

/// What each line of a procedure cites.
fn procedure_cites(body: &str) -> Vec<String> {
    let run = procedure_ruling(body);
    let lines = run["steps"]
        .as_array()
        .unwrap_or_else(|| panic!("{body}: {run}"))
        .iter()
        .flat_map(|step| step["lines"].as_array().expect("lines").clone());
    lines
        .map(|line| {
            [texts(&line["cites"]), texts(&line["behind"])]
                .concat()
                .join(" ")
        })
        .collect()
}

/// The cases that a refusal cites itself, without those behind it.
fn refusal_cites(body: &str) -> String {
    texts(&procedure_ruling(body)["refused"]["cites"]).join(" ")
}

#[test]
fn a_refusal_cites_the_cases_that_its_condition_consulted() {
    assert_eq!(refusal_cites("require(bonus() > 5, \"no\");"), "4.1 4.0");
    assert_eq!(refusal_cites("require(!(bonus() < 5), \"no\");"), "4.1 4.0");
    // Through a variable, whatever was asked since.
    assert_eq!(
        refusal_cites("let n = bonus(); cover(\"rider\"); require(n > 5, \"no\");"),
        "4.1 4.0"
    );
    assert_eq!(
        refusal_cites("let n = bonus(); let m = n + 1; require(m > 5, \"no\");"),
        "4.1 4.0"
    );
    assert_eq!(
        refusal_cites(
            "let n = bonus(); let f = || require(n > 5, \"no\"); cover(\"rider\"); f.call();"
        ),
        "4.1 4.0"
    );
    assert_eq!(
        refusal_cites("for n in [bonus()] { cover(\"rider\"); require(n > 5, \"no\"); }"),
        "4.1 4.0"
    );
    // Before what the line asks.
    assert_eq!(
        refusal_cites("require(bonus() > 5, \"no {}\", [cover(\"rider\")]);"),
        "4.1 4.0 4.2"
    );
    // Without what it does not depend on, or was not asked.
    assert_eq!(
        refusal_cites("let n = 1; bonus(); require(n > 5, \"no\");"),
        "4.0"
    );
    assert_eq!(
        refusal_cites("let n = bonus(); n = 1; require(n > 5, \"no\");"),
        "4.0"
    );
    assert_eq!(
        refusal_cites("require(blocked() && bonus() > 1, \"no\");"),
        "4.3 4.0"
    );
    assert_eq!(
        refusal_cites("require(!blocked() && bonus() > 5, \"no\");"),
        "4.3 4.1 4.0"
    );
    assert_eq!(
        refusal_cites("require(blocked() || bonus() > 5, \"no\");"),
        "4.3 4.1 4.0"
    );
    assert_eq!(
        refusal_cites("let n = if blocked() { bonus() } else { 0 }; require(n > 5, \"no\");"),
        "4.3 4.0"
    );
    // A closure that decides was called.
    assert_eq!(
        refusal_cites("require([1].all(|n| n > bonus()), \"no\");"),
        "4.1 4.0"
    );
    assert_eq!(
        refusal_cites("require([].some(|n| n > bonus()), \"no\");"),
        "4.0"
    );
}

/// An outcome cites what decided it as far as no line does, and its case first; one that a line speaks of cites nothing once more.
#[test]
fn an_outcome_without_a_line_cites_what_decided_it() {
    let cites = |body: &str| texts(&procedure_ruling(body)["outcome_cites"]["x"]);
    assert_eq!(cites("result(\"x\", bonus());"), ["4.0", "4.1"]);
    assert_eq!(
        cites("if blocked() { result(\"x\", 1); } else { result(\"x\", 2); }"),
        ["4.0", "4.3"]
    );
    assert_eq!(
        cites("let n = bonus(); say(\"It is {}.\", [n]); result(\"x\", n);"),
        [""; 0]
    );
}

#[test]
fn what_was_asked_before_a_step_is_cited() {
    assert_eq!(
        procedure_cites("let n = bonus(); step(\"March\"); say(\"{}\", [n]);"),
        ["4.0 4.1"]
    );
}

#[test]
fn what_decided_through_a_value_is_cited() {
    assert_eq!(
        procedure_cites("let n = 1; n += bonus(); say(\"here\"); let m = n * 2; say(\"{}\", [m]);"),
        ["4.0", "4.0 4.1"]
    );
    // Called, but the result is not used.
    assert_eq!(
        procedure_cites("let n = bonus(); say(\"{}\", [3]);"),
        ["4.0"]
    );
    // In registers that a call before has used.
    let definitions: String = (1..30).map(|n| format!("let n{n} = [n, {n}]; ")).collect();
    let many = format!("\n}}\n\nprivate fn many(n) {{ {definitions} n1.len()");
    let reused_registers =
        format!("many(bonus()); let l = [2, 1]; l.sort(|a, b| a - b); say(\"{{}}\", [l]); {many}");
    assert_eq!(procedure_cites(&reused_registers), ["4.0"]);
    // Through lists, sheets, closures and the board.
    assert_eq!(
        procedure_cites("let l = []; l.push(bonus()); say(\"{}\", [l[0]]);"),
        ["4.0 4.1"]
    );
    assert_eq!(
        procedure_cites(
            "let s = record(#{}); s.n = bonus(); s.m = 1; say(\"{}\", [s.m]); say(\"so {}\", [s.n]);"
        ),
        ["4.0", "4.0 4.1"]
    );
    assert_eq!(
        procedure_cites("let l = [1, 2].map(|n| n + bonus()); say(\"{}\", [l]);"),
        ["4.0 4.1"]
    );
    assert_eq!(
        procedure_cites("let l = [2, 1].reduce(|a, n| a + bonus(), 0); say(\"{}\", [l]);"),
        ["4.0 4.1"]
    );
    let board = "let p = piece(\"Red foot\"); set(p, \"strength\", bonus()); say(\"{}\", [p.speed]); say(\"so {}\", [p.strength]);";
    assert_eq!(procedure_cites(board), ["4.0", "4.0 4.1"]);
}

#[test]
fn a_condition_is_a_source_until_its_branches_join() {
    assert_eq!(
        procedure_sources("if blocked() { say(\"no\"); } else { say(\"yes\"); } say(\"on\");"),
        ["4.0 4.3", "4.0"]
    );
    // The branch not taken could have changed it.
    assert_eq!(
        procedure_sources("let n = 0; if blocked() { n = 1; } say(\"{}\", [n]);"),
        ["4.0 4.3"]
    );
    assert_eq!(
        procedure_sources("let s = record(#{}); if blocked() { s.n = 1; } say(\"{}\", [s.n]);"),
        ["4.0 4.3"]
    );
    let board = "let p = piece(\"Red foot\"); if blocked() { set(p, \"strength\", 1); } say(\"{}\", [p.strength]);";
    assert_eq!(procedure_sources(board), ["4.0 4.3"]);
    let any = "let p = piece(\"Red foot\"); let n = \"streng\" + \"th\"; if blocked() { set(p, n, 1); } say(\"{}\", [p.strength]);";
    assert_eq!(procedure_sources(any), ["4.0 4.3"]);
    let track = "let n = \"tu\" + \"rn\"; if blocked() { set_track(n, 1); } say(\"{}\", [track(\"turn\")]);";
    assert_eq!(procedure_sources(track), ["4.0 4.3"]);
    let sheet = "let s = record(#{}); let m = #{}; m[\"n\"] = 1; if blocked() { fill(s, m); } say(\"{}\", [s.n]);";
    assert_eq!(procedure_sources(sheet), ["4.0 4.3"]);
    let conditional = "let s = record(#{}); if blocked() { fill(s, if s.n == () { #{ n: 1 } } else { #{ other: 2 } }); } say(\"{}\", [s.n]);";
    assert_eq!(procedure_sources(conditional), ["4.0 4.3"]);
    // A condition that ends the function decides everything after it.
    assert_eq!(
        procedure_sources("if blocked() { return; } say(\"on\");"),
        ["4.0 4.3"]
    );
    assert_eq!(
        procedure_sources("require(!blocked(), \"no\"); say(\"on\");"),
        ["4.0 4.3"]
    );
    assert_eq!(
        procedure_sources("for n in 0..2 { if blocked() { break; } say(\"on\"); } say(\"past\");"),
        ["4.0 4.3", "4.0 4.3", "4.0"]
    );
    let arms = "switch cover(\"rider\") { 1 => say(\"one\"), _ => say(\"other\") } say(\"on\");";
    assert_eq!(procedure_sources(arms), ["4.0 4.2", "4.0"]);
}

#[test]
fn possible_effects_of_recursive_functions_are_sources_in_any_order() {
    let pong = "set(piece(\"Red foot\"), \"strength\", n); ping(n - 1);";
    let round = format!(
        "}}\nfn ping(n) {{ if n > 0 {{ pong(n - 1); }} }}\nfn pong(n) {{ if n > 0 {{ {pong} }}"
    );
    for first in ["ping", "pong"] {
        let condition =
            format!("let p = piece(\"Red foot\"); if p.strength > 99 {{ {first}(0); }}");
        assert_eq!(
            procedure_sources(&format!(
                "{condition} if blocked() {{ ping(0); }} say(\"{{}}\", [p.strength]);{round}"
            )),
            ["4.0 4.3"],
            "{first}"
        );
        assert_eq!(
            procedure_sources(&format!(
                "{condition} if blocked() {{ pong(0); }} say(\"{{}}\", [p.strength]);{round}"
            )),
            ["4.0 4.3"],
            "{first}"
        );
    }
}

/// A condition decides where something is done because of it, or one thing instead of another, and not where all goes on as without it.
#[test]
fn a_condition_that_came_out_as_if_it_were_not_there_is_not_cited() {
    for asked in [
        "let n = 0; if blocked() { n = 1; } say(\"{}\", [n]);",
        "let n = 0; if blocked() && bonus() > 1 { n = 1; } say(\"{}\", [n]);",
        "if blocked() { return; } say(\"on\");",
        "require(!blocked(), \"no\"); say(\"on\");",
        "let p = piece(\"Red foot\"); if blocked() { set(p, \"strength\", 1); } say(\"{}\", [p.strength]);",
        "let n = choose(\"Red\", \"n\", [bonus(), 5]); say(\"{}\", [n]);",
    ] {
        assert_eq!(procedure_cites(asked), ["4.0"], "{asked}");
    }
    for decides in [
        "let n = 0; if !blocked() { n = 1; } say(\"{}\", [n]);",
        "let n = if blocked() { 1 } else { 0 }; say(\"{}\", [n]);",
        "let l = [1, 2].where(|n| blocked()); say(\"{}\", [l]);",
        "if blocked() || !blocked() { say(\"on\"); }",
    ] {
        assert_eq!(procedure_cites(decides), ["4.0 4.3"], "{decides}");
    }
    let only = "let n = choose(\"Red\", \"n\", [bonus()]); say(\"{}\", [n]);";
    assert_eq!(procedure_cites(only), ["4.0 4.1"]);
}

/// The names that each line cites, and those that lines above cite.
fn cited_names(events: &[Event], ruleset: &Ruleset) -> Vec<(Vec<String>, Vec<String>)> {
    let mut citations = LineCitations::default();
    let mut lines = Vec::new();
    for event in events {
        match event {
            Event::Line(line) => {
                let names = citations.cite_line(line, ruleset);
                lines.push((names.cites, names.behind));
            }
            event => citations.record_event(event, ruleset),
        }
    }
    lines
}

/// What a run called and read.
fn uses(events: &[Event]) -> BTreeSet<String> {
    let used = |event: &Event| match event {
        Event::Call(call) => Some(format!("{call:?}")),
        Event::Cell(table, index) => Some(format!("{} {index}", table.id)),
        Event::ReconstructedFigure(figure) => Some(format!("{figure:?}")),
        _ => None,
    };
    events.iter().filter_map(used).collect()
}

/// Merged calls and reads lose nothing that a ruling shows: the citations of every line, and what was used, are the same.
#[test]
fn merged_reads_cite_the_same() {
    with_deep_stack(|| {
        let library = built_in();
        let (mut before, mut after) = (0, 0);
        for game in library.games.keys() {
            let spec = RulesetSpec::with_variants(game, library.compatible_variants(game));
            let program = compile_program(&library, &spec).expect("all variants compile");
            let (mut complete, mut merging) =
                (Machine::new(program.clone()), Machine::new(program.clone()));
            merging.run_mode.merges_reads_from = 1;
            for situation in situations(&program) {
                let request = |trace| ResolveRequest {
                    stream: Box::new(Named),
                    trace,
                    ..ResolveRequest::default()
                };
                let Ok(mut resolved) = resolve::resolve(&mut complete, &situation, request(true))
                else {
                    continue;
                };
                resolved.ruling.trace.clear();
                let name = &situation.scenario.name;
                let merged = resolve::resolve(&mut merging, &situation, request(false))
                    .expect("it is resolved, too");
                assert!(
                    snapshot::snapshot_text(&resolved.ruling)
                        == snapshot::snapshot_text(&merged.ruling),
                    "{name}"
                );
                let mut events = resolved.events.clone();
                merge_reads(&mut events, 0);
                for events in [&events, &merged.events] {
                    assert_eq!(
                        cited_names(&resolved.events, &program.ruleset),
                        cited_names(events, &program.ruleset),
                        "{name}"
                    );
                    assert_eq!(uses(&resolved.events), uses(events), "{name}");
                }
                (before, after) = (before + resolved.events.len(), after + events.len());
            }
        }
        assert!(
            before > 100_000 && after < before / 2,
            "{before} events, {after} when merged"
        );
    });
}

// The same wherever a line is read

/// The lines of a ruling, and the refusal as a line of a game.
fn lines_of(ruling: &Ruling) -> Vec<RulingLine> {
    let mut lines: Vec<RulingLine> = ruling
        .steps
        .iter()
        .flat_map(|step| step.lines.clone())
        .collect();
    lines.extend(ruling.refused.clone().map(|line| {
        let back = if ruling.taken_back {
            " The lines about it above are taken back."
        } else {
            ""
        };
        RulingLine {
            text: format!("Nothing is done: {}.{back}", line.text),
            ..line
        }
    }));
    lines
}

/// Each procedure of a game resolved alone, on the board that the one before has left.
fn procedures_alone(situation: &Situation, count: usize) -> Vec<Vec<RulingLine>> {
    let mut machine = situation.machine();
    let mut turn_sequence = TurnSequence::new(situation, situation.before())
        .expect("it begins")
        .expect("it is a game");
    let (mut part, mut procedures) = (situation.deep_clone(), Vec::new());
    while procedures.len() < count {
        let order = ResolveRequest {
            stream: Box::new(Named),
            ..ResolveRequest::default()
        };
        let resolved = resolve::resolve(&mut part.machine(), &part, order).expect("it is resolved");
        procedures.push(lines_of(&resolved.ruling));
        let mut state = State::new(resolved.board);
        state.outcomes = resolved
            .events
            .iter()
            .filter_map(|event| {
                if let Event::Outcome(named) = event {
                    Some((named.name.clone(), named.value.clone()))
                } else {
                    None
                }
            })
            .collect();
        let refused = resolved.ruling.refused.is_some();
        if turn_sequence
            .begin_next(situation, &mut machine, &state, refused)
            .expect("it goes on")
            .is_none()
        {
            break;
        }
        let procedure = turn_sequence.current(&situation.ruleset().game).1;
        part = situation
            .with_procedure(procedure, &[], &turn_sequence.start_board)
            .expect("a case has it");
    }
    procedures
}

/// In a game that goes on a line cites what it cites where its procedure is resolved alone, and where a part of the game is shown.
#[test]
fn a_line_cites_the_same_wherever_it_is_read() {
    const PROCEDURES: usize = 11;
    with_deep_stack(|| {
        let library = built_in();
        let mut compared = BTreeMap::new();
        for (game, name) in [
            ("banasik", "peach-orchard"),
            ("banasik", "fleetwood-hill"),
            ("tmag", "first-day"),
            ("wbts", "first-manassas"),
        ] {
            let in_force = library
                .scenarios(game)
                .into_iter()
                .find(|(situation, _)| situation == name)
                .expect("it is shipped")
                .1;
            let spec = RulesetSpec::with_variants(
                game,
                library
                    .in_force_for(game, name, in_force.as_deref())
                    .variants,
            );
            let situation = || Situation::load(&library, &spec, name).expect("it is shipped");
            let mut session = Session::begin(situation(), 1, false).expect("it begins");
            let (mut parts, mut answers) = (Vec::new(), 0);
            parts.extend(lines_of(&session.resolved_since(0).ruling));
            while session.procedure_starts().len() <= PROCEDURES {
                match session.waiting_for() {
                    WaitingFor::Throw(_) => session.roll_from(&mut Named),
                    WaitingFor::Choice(_) => session.choose(0),
                    WaitingFor::Finished(_) => break,
                }
                .expect("it goes on");
                answers += 1;
                parts.extend(lines_of(&session.resolved_since(answers).ruling));
            }
            let starts = session.procedure_starts().to_vec();
            let shown: Vec<_> = starts
                .windows(2)
                .map(|part| lines_of(&session.ruling_between(part[0], part[1])))
                .collect();
            let alone = procedures_alone(&situation(), shown.len());
            for (number, (shown, alone)) in shown.iter().zip(&alone).enumerate() {
                assert_eq!(shown, alone, "{name}, procedure {number}");
            }
            let whole = lines_of(&session.ruling());
            let count = shown.concat().len();
            assert_eq!(
                whole[..count],
                shown.concat(),
                "{name}: whole and by procedure"
            );
            assert_eq!(parts, whole, "{name}: answer by answer");
            let (from, to) = (starts[1] + (starts[2] - starts[1]) / 2, starts[2]);
            let tail = lines_of(&session.ruling_between(from, to));
            assert!(
                shown[1].ends_with(&tail),
                "{name}: from the middle of a procedure"
            );
            compared.insert(name, (shown.len(), count));
        }
        assert!(
            compared
                .values()
                .all(|(procedures, lines)| *procedures > 3 && *lines > 5),
            "{compared:?}"
        );
    });
}

/// After the case that says a line come numbered cases, then those known by a name, then tables.
#[test]
fn numbered_cases_stand_before_names_and_tables() {
    let asked =
        "let n = [table(\"combat\", \"1:1\", 3).defender, wind(), bonus()]; say(\"{}\", [n]);";
    assert_eq!(procedure_cites(asked), ["4.0 4.1 wind table combat"]);
}

#[test]
fn a_reader_sees_four_citations() {
    let cites: Vec<String> = ["8.0", "8.21", "who-attacks", "table ranks", "table cover"]
        .map(String::from)
        .to_vec();
    assert_eq!(
        cites_text(&cites[..4]),
        "8.0; 8.21; who-attacks; table ranks"
    );
    assert_eq!(
        cites_text(&cites),
        "8.0; 8.21; who-attacks; table ranks; and 1 more"
    );
}
