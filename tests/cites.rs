//! A line cites what decided it: where a case or a cell is changed, no line moves that does not cite it.

use casebook::code::program::Program;
use casebook::data::case::Case;
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::notation::Dice;
use casebook::ruleset::compose::{Ruleset, Wish};
use casebook::ruleset::laws::enact;
use casebook::ruling::resolve::{self, Order, Ran};
use casebook::ruling::situation::Situation;
use casebook::situation::dice::{NoThrow, Stream, Throw};
use casebook::situation::trace::{Event, Source};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Dice that fall the same for a purpose, however often and in whatever order they are thrown.
struct Named;

impl Stream for Named {
    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Throw, NoThrow> {
        let face = |n: u32| 1 + (drawn(&(purpose, n)) % u64::from(dice.sides)) as u32;
        let faces: Vec<u32> = (0..dice.count).map(face).collect();
        Ok(Throw { total: faces.iter().map(|face| i64::from(*face)).sum::<i64>() + dice.shift, faces })
    }
}

/// A number drawn for something, always the same.
fn drawn(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// A ruling, and its ruleset, to be changed and run again; nothing where the rules break.
fn run(ruleset: Ruleset, situation: &str) -> (Ruleset, Option<Ran>) {
    let ruleset = Arc::new(ruleset);
    let program = Arc::new(Program::new(ruleset.clone()));
    let ran = ruleset.scenario(situation).and_then(|scenario| Situation::new(&program, scenario)).and_then(|ready| {
        let order = Order { stream: Box::new(Named), ..Order::default() };
        resolve::resolve(&mut ready.machine(), &ready, order)
    });
    drop(program);
    (Arc::into_inner(ruleset).expect("whoever ran it is gone"), ran.ok())
}

/// What a source is called, in whatever run.
fn name(source: &Source) -> String {
    match source {
        Source::Case(case) => format!("case {case}"),
        Source::Cell(table, index) => format!("table {} {index}", table.id),
    }
}

/// The lines that do not rest on something.
fn without<'a>(ran: &'a Ran, changed: &str) -> Vec<&'a str> {
    let texts = ran.ruling.steps.iter().flat_map(|step| &step.lines).map(|line| line.text.as_str());
    let from = ran.events.iter().filter_map(|event| if let Event::Say(.., from) = event { Some(from) } else { None });
    texts.zip(from).filter(|(_, from)| from.iter().all(|source| name(source) != changed)).map(|(text, _)| text).collect()
}

/// The functions that answered, by case and place in it.
fn answered(ran: &Ran, ruleset: &Ruleset) -> Vec<(usize, usize)> {
    let asked = ran.events.iter().filter_map(|event| match event {
        Event::Ask { slot, depth } => Some(&ruleset.slots[*slot].chain[*depth]),
        _ => None,
    });
    let all: BTreeSet<_> = asked.map(|answer| (answer.case, answer.function)).collect();
    all.into_iter().collect()
}

/// The ways to write one thing of a function otherwise: from, to, and what stands there then.
fn changes(body: &str) -> Vec<(usize, usize, String)> {
    const OTHERS: [(&str, &str); 12] = [
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
    let mut found = Vec::new();
    let (mut at, mut text, bytes) = (body.find('{').unwrap_or(0), false, body.as_bytes());
    while at < bytes.len() {
        let rest = &bytes[at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        if !text && rest.starts_with(b"//") {
            at += rest.iter().take_while(|byte| **byte != b'\n').count();
        } else if rest[0] == b'"' || rest[0] == b'`' {
            text = !text;
        } else if !text && digits > 0 && !word {
            let number: i64 = body[at..at + digits].parse().expect("digits");
            found.push((at, at + digits, (number + 1).to_string()));
            at += digits;
        } else if let Some((from, to)) = OTHERS.iter().find(|(from, _)| !text && !word && rest.starts_with(from.as_bytes())) {
            found.push((at, at + from.len(), to.to_string()));
        }
        at += 1;
    }
    found
}

/// A case with one thing of a function written otherwise.
fn changed(case: &Case, function: usize, draw: u64) -> Option<(Case, String)> {
    let body = &case.functions[function].body;
    let all = changes(body);
    let (from, to, new) = all.get((draw % all.len().max(1) as u64) as usize)?;
    let mut case = case.clone();
    case.functions[function].body = format!("{}{new}{}", &body[..*from], &body[*to..]);
    let line = body[..*from].lines().count();
    Some((case, format!("{}, line {line}: `{}` for `{}`", body.lines().next().unwrap_or_default(), new, &body[*from..*to])))
}

/// So many changes, so many that moved a ruling, and what moved that should not have.
#[derive(Default)]
struct Tally {
    made: usize,
    moved: usize,
    wrong: Vec<String>,
}

fn hold(tally: &mut Tally, before: &Ran, after: &Ran, changed: &str, what: &str) {
    tally.made += 1;
    tally.moved += usize::from(before.ruling.steps != after.ruling.steps);
    let (old, new) = (without(before, changed), without(after, changed));
    if old != new {
        let place = old.iter().zip(&new).position(|(a, b)| a != b).unwrap_or(old.len().min(new.len()));
        let line = |list: &[&str]| list.get(place).unwrap_or(&"(nothing)").to_string();
        tally.wrong.push(format!("{what}:\n  - {}\n  + {}", line(&old), line(&new)));
    }
}

fn every_situation(game: &str) {
    let library = Arc::new(Library::new(Files::built_in()));
    let mut tally = Tally::default();
    let count = std::env::var("CHANGES").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for (situation, variant) in library.scenarios(game) {
        let wish = Wish { game: game.into(), with: library.default_with(game, &situation, variant.as_deref()), ..Wish::default() };
        let (mut ruleset, _) = enact(&library, &wish).expect("it is shipped");
        if ruleset.scenario(&situation).expect("it is shipped").procedure.is_none() {
            continue;
        }
        let before;
        (ruleset, before) = run(ruleset, &situation);
        let Some(before) = before else { continue };
        let lines: Vec<&Vec<Source>> =
            before.events.iter().filter_map(|e| if let Event::Say(.., from) = e { Some(from) } else { None }).collect();
        // One that every line cites says little: first those that some line does not cite.
        let cited = |case: usize| lines.iter().filter(|from| from.iter().any(|s| name(s) == format!("case {case}"))).count();
        let asked = answered(&before, &ruleset);
        let some: Vec<_> = asked.iter().filter(|(case, _)| (1..lines.len()).contains(&cited(*case))).collect();
        let none: Vec<_> = asked.iter().filter(|(case, _)| cited(*case) == 0).collect();
        for (kind, list) in [("cited", some), ("uncited", none)] {
            for n in 0..count {
                let draw = drawn(&(&situation, kind, n));
                let Some((case, function)) = list.get((draw % list.len().max(1) as u64) as usize) else { continue };
                let own = ruleset.cases[*case].clone();
                let Some((other, what)) = changed(&own, *function, draw / 7) else { continue };
                ruleset.cases[*case] = Arc::new(other);
                let after;
                (ruleset, after) = run(ruleset, &situation);
                if let Some(after) = after {
                    hold(&mut tally, &before, &after, &format!("case {case}"), &format!("{situation}, {} {}, {what}", kind, own.number));
                }
                ruleset.cases[*case] = own;
            }
        }
    }
    eprintln!("{game}: {} changes, {} moved a ruling, {} wrong", tally.made, tally.moved, tally.wrong.len());
    assert!(
        tally.wrong.is_empty(),
        "{} of {} moved lines that do not cite them:\n{}",
        tally.wrong.len(),
        tally.made,
        tally.wrong.join("\n")
    );
    assert!(tally.moved * 5 > tally.made, "{} of {} changes moved a ruling: these say nothing", tally.moved, tally.made);
}

#[test]
fn banasik() {
    every_situation("banasik");
}

#[test]
fn tmag() {
    every_situation("tmag");
}

#[test]
fn wbts() {
    every_situation("wbts");
}
