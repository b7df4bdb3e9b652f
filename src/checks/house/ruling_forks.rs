//! What the other faces of each throw of a ruling would give: one run, forked at each throw.

use casebook_engine::code::context::TraceDetail;
use casebook_engine::complaint::Error;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::notation::Dice;
use casebook_engine::ruling::resolve::{ResolveRequest, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::{DiceStream, NoThrow, SeededDice};
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value::HashedText;
use casebook_engine::situation::value_text::{fill_sentence, value_text};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A throw with more totals is not forked.
const MAX_TOTALS: usize = 12;
/// The runs of all forks together.
const MAX_RUNS: usize = 120;

/// A throw of a ruling, with what its other faces would give.
#[derive(Clone, Debug, Default)]
pub struct Fork {
    pub purpose: String,
    /// The number of lines before it.
    pub line: usize,
    pub cases: Vec<ForkCase>,
}

/// Totals of a throw that come to the same in its step.
#[derive(Clone, Debug, Default)]
pub struct ForkCase {
    /// The totals, in order.
    pub totals: Vec<u32>,
    pub chance: f64,
    /// Whether the ruling threw one of them.
    pub is_thrown: bool,
    /// The lines of the step from the throw on.
    pub lines: Vec<String>,
}

/// A throw as it fell.
#[derive(Clone, Debug)]
struct SeenThrow {
    dice: Dice,
    purpose: String,
    sides: Vec<u32>,
}

/// Seeded dice that note what they throw, one throw of which is given.
struct ForkedDice {
    seeded: SeededDice,
    given: Option<(usize, Vec<u32>)>,
    seen: Arc<Mutex<Vec<SeenThrow>>>,
}

impl DiceStream for ForkedDice {
    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Vec<u32>, NoThrow> {
        let fallen = self.seeded.throw(dice, purpose)?;
        let mut seen = lock_unpoisoned(&self.seen);
        let sides = match &self.given {
            Some((number, sides)) if *number == seen.len() => sides.clone(),
            _ => fallen,
        };
        seen.push(SeenThrow {
            dice: dice.clone(),
            purpose: purpose.into(),
            sides: sides.clone(),
        });
        Ok(sides)
    }
}

/// A line of a run: its step, what it says, and the same with each value that is `die` left open.
struct RunLine {
    step: usize,
    text: String,
    template: HashedText,
    values: Vec<String>,
}

impl RunLine {
    /// Whether two lines say the same but for the total of the throw.
    fn is_like(&self, die: u32, other: &RunLine, other_die: u32) -> bool {
        let is_same = |(a, b): (&String, &String)| {
            a == b || *a == die.to_string() && *b == other_die.to_string()
        };
        let mut values = self.values.iter().zip(&other.values);
        self.template == other.template && values.all(is_same)
    }
}

/// A run: its lines, the throws, and by throw the number of lines before it.
struct Run {
    lines: Vec<RunLine>,
    throws: Vec<SeenThrow>,
    lines_before: Vec<usize>,
}

/// Returns what the other faces of each throw would give, in the step of the throw. Throws of many dice are left out.
pub fn forks(situation: &Situation, seed: u64) -> Result<Vec<Fork>, Error> {
    let run = |given: Option<(usize, Vec<u32>)>| -> Result<Run, Error> {
        let seen = Arc::default();
        let mut machine = situation.machine();
        machine.run_mode.trace_detail = TraceDetail::Calls;
        let stream = ForkedDice {
            seeded: SeededDice::new(seed),
            given,
            seen: Arc::clone(&seen),
        };
        let request = ResolveRequest {
            stream: Box::new(stream),
            ..ResolveRequest::default()
        };
        let resolved = resolve(&mut machine, situation, request)?;
        let (mut lines, mut lines_before, mut step) = (Vec::new(), Vec::new(), 0);
        for event in &resolved.events {
            match event {
                Event::Step(_) => step += 1,
                Event::Throw(_) => lines_before.push(lines.len()),
                Event::Line(line) => lines.push(RunLine {
                    step,
                    text: fill_sentence(&line.template, &line.values, &resolved.board),
                    template: line.template.clone(),
                    values: line
                        .values
                        .iter()
                        .map(|value| value_text(value, &resolved.board))
                        .collect(),
                }),
                _ => {}
            }
        }
        let throws = std::mem::take(&mut *lock_unpoisoned(&seen));
        Ok(Run {
            lines,
            throws,
            lines_before,
        })
    };
    let main = run(None)?;
    let (mut found, mut runs) = (Vec::new(), 0);
    for (number, thrown) in main.throws.iter().enumerate() {
        let Some(line) = main.lines_before.get(number).copied() else {
            break;
        };
        let totals = totals_of(&thrown.dice);
        runs += totals.len();
        if totals.is_empty() || runs > MAX_RUNS {
            continue;
        }
        let all: usize = totals.values().map(|(ways, _)| ways).sum();
        let fallen: u32 = thrown.sides.iter().sum();
        let mut fork = Fork {
            purpose: thrown.purpose.clone(),
            line,
            cases: Vec::new(),
        };
        let mut others = Vec::new();
        for (total, (ways, sides)) in totals {
            let other = match total == fallen {
                true => None,
                false => match run(Some((number, sides))) {
                    Ok(other) => Some(other),
                    Err(_) => continue,
                },
            };
            others.push((total, ways as f64 / all as f64, other));
        }
        let mut ends: Vec<(u32, &[RunLine])> = Vec::new();
        for (total, chance, other) in &others {
            let lines = lines_from(&other.as_ref().unwrap_or(&main).lines, line);
            let is_thrown = *total == fallen;
            let is_same = |(die, known): &(u32, &[RunLine])| {
                let mut pairs = known.iter().zip(lines);
                known.len() == lines.len() && pairs.all(|(a, b)| a.is_like(*die, b, *total))
            };
            match ends.iter().position(is_same) {
                Some(index) => {
                    let case = &mut fork.cases[index];
                    case.totals.push(*total);
                    case.chance += chance;
                    case.is_thrown |= is_thrown;
                }
                None => {
                    ends.push((*total, lines));
                    fork.cases.push(ForkCase {
                        totals: vec![*total],
                        chance: *chance,
                        is_thrown,
                        lines: lines.iter().map(|line| line.text.clone()).collect(),
                    });
                }
            }
        }
        drop_common_end(&mut fork.cases);
        if fork.cases.len() > 1 {
            found.push(fork);
        }
    }
    Ok(found)
}

/// Leaves out the last lines that all cases have.
fn drop_common_end(cases: &mut [ForkCase]) {
    while let Some(Some(last)) = cases.first().map(|case| case.lines.last().cloned())
        && cases.iter().all(|case| case.lines.last() == Some(&last))
    {
        cases.iter_mut().for_each(|case| drop(case.lines.pop()));
    }
}

/// Returns the totals of plain dice, each with its ways and sides that show it; none for others.
fn totals_of(dice: &Dice) -> BTreeMap<u32, (usize, Vec<u32>)> {
    let plain = Dice::new(dice.count, dice.sides, dice.modifier);
    let totals = (dice.count * dice.sides) as usize;
    if *dice != plain || !(1..=2).contains(&dice.count) || totals > MAX_TOTALS {
        return BTreeMap::new();
    }
    let mut found: BTreeMap<u32, (usize, Vec<u32>)> = BTreeMap::new();
    for first in 1..=dice.sides {
        let second = if dice.count == 2 {
            1..=dice.sides
        } else {
            0..=0
        };
        for second in second {
            let sides: Vec<u32> = [first, second]
                .into_iter()
                .filter(|side| *side > 0)
                .collect();
            let entry = found.entry(first + second).or_insert((0, sides));
            entry.0 += 1;
        }
    }
    found
}

/// Returns the lines from a number on, of the step in which that stands.
fn lines_from(lines: &[RunLine], first: usize) -> &[RunLine] {
    let Some(step) = lines.get(first).map(|line| line.step) else {
        return &[];
    };
    let count = lines[first..].iter().take_while(|line| line.step == step);
    &lines[first..first + count.count()]
}
