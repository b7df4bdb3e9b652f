//! What the other faces of each throw of a ruling would give: one run, forked at each throw.

use casebook_engine::code::context::TraceDetail;
use casebook_engine::complaint::Error;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::notation::Dice;
use casebook_engine::ruling::resolve::{ResolveRequest, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::{DiceStream, NoThrow, SeededDice};
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value::{HashedText, List};
use casebook_engine::situation::value_text::{
    TemplatePart, capitalised, value_text, visit_template,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A throw with more totals is not forked.
const MAX_TOTALS: usize = 12;
/// The events of all forks together, as many as a run has for each: a battle has some thousands, and what goes on for long is not forked far.
const MAX_EVENTS: usize = 400_000;

/// A throw of a ruling, with what its other faces would give.
pub struct Fork {
    pub purpose: String,
    /// The number of lines before it.
    pub line: usize,
    pub cases: Vec<ForkCase>,
}

/// Totals of a throw that come to the same in its step.
pub struct ForkCase {
    /// The totals, in order.
    pub totals: Vec<u32>,
    pub chance: f64,
    /// Whether the ruling threw one of them.
    pub is_thrown: bool,
    /// The lines of the step from the throw on, as the first of the totals gives them.
    lines: Vec<RunLine>,
}

/// A throw as it fell.
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

/// A line of a run, whose values can be compared with those of another.
#[derive(Clone)]
struct RunLine {
    step: usize,
    template: HashedText,
    values: List,
    /// The values as texts; `None` for one that is the total of the throw.
    texts: Vec<Option<String>>,
}

impl RunLine {
    /// Whether two lines say the same but for the total of the throw.
    fn is_like(&self, die: u32, other: &RunLine, other_die: u32) -> bool {
        let [die, other_die] = [die, other_die].map(|die| Some(die.to_string()));
        let is_same = |(a, b): (&Option<String>, &Option<String>)| {
            a == b || (a.is_none() || *a == die) && *b == other_die
        };
        let mut texts = self.texts.iter().zip(&other.texts);
        self.template == other.template && texts.all(is_same)
    }

    /// Leaves open the values that differ in a line that is like this one.
    fn join(&mut self, other: &RunLine) {
        for (text, other) in self.texts.iter_mut().zip(&other.texts) {
            if text != other {
                *text = None;
            }
        }
    }

    /// Returns the text, with the totals where they stand.
    fn text(&self, totals: &str) -> String {
        let mut text = String::new();
        visit_template(&self.template, &self.values, &mut |part| match part {
            TemplatePart::Text(words) => text.push_str(words),
            TemplatePart::Value(index) => {
                text.push_str(self.texts[index].as_deref().unwrap_or(totals))
            }
        });
        capitalised(&text)
    }
}

/// A run: its lines, the throws, and by throw the number of lines before it.
struct Run {
    lines: Vec<RunLine>,
    throws: Vec<SeenThrow>,
    lines_before: Vec<usize>,
    event_count: usize,
}

impl Run {
    /// Resolves a situation on seeded dice, of which one throw may be given by its number and sides.
    fn resolve(
        situation: &Situation,
        seed: u64,
        given: Option<(usize, Vec<u32>)>,
    ) -> Result<Run, Error> {
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
                Event::Line(line) => {
                    let values = line.values.iter();
                    lines.push(RunLine {
                        step,
                        template: line.template.clone(),
                        values: line.values.clone(),
                        texts: values
                            .map(|value| Some(value_text(value, &resolved.board)))
                            .collect(),
                    });
                }
                _ => {}
            }
        }
        let throws = std::mem::take(&mut *lock_unpoisoned(&seen));
        Ok(Run {
            lines,
            throws,
            lines_before,
            event_count: resolved.events.len(),
        })
    }

    /// Returns the lines from a number on, of the step in which that stands.
    fn lines_from(&self, first: usize) -> &[RunLine] {
        let lines = self.lines.get(first..).unwrap_or_default();
        let count = lines.iter().take_while(|line| line.step == lines[0].step);
        &lines[..count.count()]
    }
}

/// Returns what the other faces of each throw would give, in the step of the throw. Throws of many dice are left out.
pub fn forks(situation: &Situation, seed: u64) -> Result<Vec<Fork>, Error> {
    let main = Run::resolve(situation, seed, None)?;
    let mut events_left = MAX_EVENTS;
    let mut found = Vec::new();
    for (number, (thrown, line)) in main.throws.iter().zip(&main.lines_before).enumerate() {
        let totals = totals_of(&thrown.dice);
        let cost = totals.len() * main.event_count;
        if totals.is_empty() || cost > events_left {
            continue;
        }
        events_left -= cost;
        let all: usize = totals.values().map(|(ways, _)| ways).sum();
        let fallen: u32 = thrown.sides.iter().sum();
        let mut cases: Vec<ForkCase> = Vec::new();
        for (total, (ways, sides)) in totals {
            let is_thrown = total == fallen;
            let lines = match is_thrown {
                true => main.lines_from(*line).to_vec(),
                false => match Run::resolve(situation, seed, Some((number, sides))) {
                    Ok(other) => other.lines_from(*line).to_vec(),
                    Err(_) => continue,
                },
            };
            let chance = ways as f64 / all as f64;
            match cases.iter_mut().find(|case| case.is_like(&lines, total)) {
                Some(case) => {
                    let pairs = case.lines.iter_mut().zip(&lines);
                    pairs.for_each(|(line, other)| line.join(other));
                    case.totals.push(total);
                    case.chance += chance;
                    case.is_thrown |= is_thrown;
                }
                None => cases.push(ForkCase {
                    totals: vec![total],
                    chance,
                    is_thrown,
                    lines,
                }),
            }
        }
        drop_common_end(&mut cases);
        if cases.len() > 1 {
            found.push(Fork {
                purpose: thrown.purpose.clone(),
                line: *line,
                cases,
            });
        }
    }
    Ok(found)
}

impl ForkCase {
    /// Whether lines of another total say the same but for it.
    fn is_like(&self, lines: &[RunLine], total: u32) -> bool {
        let mut pairs = self.lines.iter().zip(lines);
        let is_same = |(a, b): (&RunLine, &RunLine)| a.is_like(self.totals[0], b, total);
        self.lines.len() == lines.len() && pairs.all(is_same)
    }

    /// Returns the lines; where they say the total they say all of them.
    pub fn texts(&self) -> Vec<String> {
        let totals = self.totals_text();
        self.lines.iter().map(|line| line.text(&totals)).collect()
    }

    /// Writes the totals as ranges: "2 to 4, 7".
    pub fn totals_text(&self) -> String {
        let mut ranges: Vec<[u32; 2]> = Vec::new();
        for total in &self.totals {
            match ranges.last_mut() {
                Some(range) if range[1] + 1 == *total => range[1] = *total,
                _ => ranges.push([*total; 2]),
            }
        }
        let texts = ranges.iter().map(|[first, last]| match last - first {
            0 => first.to_string(),
            _ => format!("{first} to {last}"),
        });
        texts.collect::<Vec<_>>().join(", ")
    }
}

/// Leaves out the last lines that all cases have.
fn drop_common_end(cases: &mut [ForkCase]) {
    let last = |case: &ForkCase| case.texts().pop();
    while let Some(first) = cases.first().and_then(last)
        && cases.iter().all(|case| last(case).as_ref() == Some(&first))
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
