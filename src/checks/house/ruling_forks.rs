//! What the other faces of each throw of a ruling would give: one run, forked at each throw.

use casebook_engine::code::context::TraceDetail;
use casebook_engine::code::machine::Machine;
use casebook_engine::complaint::Error;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::notation::Dice;
use casebook_engine::ruling::resolve::{ResolveRequest, ResolvedRuling, resolve};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::{DiceStream, NoThrow, SeededDice};
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value::{HashedText, List, Value};
use casebook_engine::situation::value_text::{
    TemplatePart, capitalised, value_text, visit_template,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A throw with more totals is not forked.
const MAX_TOTALS: usize = 12;
/// The events of all forks together, as many as a run has for each: a battle has some thousands, and what goes on for long is not forked far.
const MAX_EVENTS: usize = 400_000;

/// The dice of a ruling: seeded, but for throws whose sides are given.
#[derive(Clone, Debug, Default)]
pub struct RulingDice {
    pub seed: u64,
    pub given: Vec<GivenThrow>,
}

/// How a throw of a ruling falls.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenThrow {
    pub purpose: String,
    /// Which throw for this purpose it is, from 1.
    pub number: usize,
    /// The side of each die.
    pub sides: Vec<u32>,
}

impl GivenThrow {
    /// Reads a throw as an address has it: `fight 1 = 6`, `fight 2 = 3-4`.
    pub fn parse(text: &str) -> Option<GivenThrow> {
        let (throw, sides) = text.split_once(" = ")?;
        let (purpose, number) = throw.rsplit_once(' ')?;
        let sides = sides.split('-').map(|side| side.parse().ok());
        Some(GivenThrow {
            purpose: purpose.into(),
            number: number.parse().ok()?,
            sides: sides.collect::<Option<_>>()?,
        })
    }

    /// Writes it as [`GivenThrow::parse`] reads it.
    pub fn to_parameter(&self) -> String {
        let sides: Vec<String> = self.sides.iter().map(u32::to_string).collect();
        format!("{} {} = {}", self.purpose, self.number, sides.join("-"))
    }

    fn is_of_throw(&self, other: &GivenThrow) -> bool {
        (&self.purpose, self.number) == (&other.purpose, other.number)
    }
}

impl RulingDice {
    /// Lets a throw fall as it is given.
    pub fn set(&mut self, throw: GivenThrow) {
        self.given.retain(|earlier| !earlier.is_of_throw(&throw));
        self.given.push(throw);
    }

    /// Returns the dice as they fall, and what was thrown.
    fn stream(&self) -> (Box<ForkedDice>, Arc<Mutex<Vec<SeenThrow>>>) {
        let seen = Arc::default();
        let stream = ForkedDice {
            seeded: SeededDice::new(self.seed),
            given: self.given.clone(),
            seen: Arc::clone(&seen),
        };
        (Box::new(stream), seen)
    }

    /// Resolves a situation on these dice, with the machine set up for what is asked.
    pub fn resolve(
        &self,
        machine: &mut Machine,
        situation: &Situation,
    ) -> Result<ResolvedRuling, Error> {
        let request = ResolveRequest {
            stream: self.stream().0,
            ..ResolveRequest::default()
        };
        resolve(machine, situation, request)
    }
}

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
    /// How the throw falls to show the first of the totals.
    pub throw: GivenThrow,
    /// The lines of the step from the throw on, as the first of the totals gives them.
    lines: Vec<RunLine>,
}

/// A throw as it fell.
struct SeenThrow {
    dice: Dice,
    purpose: String,
    number: usize,
    sides: Vec<u32>,
}

impl SeenThrow {
    /// Returns the throw as it would fall on other sides.
    fn given(&self, sides: &[u32]) -> GivenThrow {
        GivenThrow {
            purpose: self.purpose.clone(),
            number: self.number,
            sides: sides.to_vec(),
        }
    }
}

/// Dice that note what they throw.
struct ForkedDice {
    seeded: SeededDice,
    given: Vec<GivenThrow>,
    seen: Arc<Mutex<Vec<SeenThrow>>>,
}

impl DiceStream for ForkedDice {
    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Vec<u32>, NoThrow> {
        let fallen = self.seeded.throw(dice, purpose)?;
        let mut seen = lock_unpoisoned(&self.seen);
        let number = 1 + seen.iter().filter(|seen| seen.purpose == purpose).count();
        // Under other rules the dice may be others.
        let fits = |sides: &[u32]| {
            sides.len() == fallen.len() && sides.iter().all(|side| (1..=dice.sides).contains(side))
        };
        let is_it = |throw: &&GivenThrow| {
            throw.purpose == purpose && throw.number == number && fits(&throw.sides)
        };
        let given = self.given.iter().find(is_it);
        let sides = given.map_or(fallen, |throw| throw.sides.clone());
        seen.push(SeenThrow {
            dice: dice.clone(),
            purpose: purpose.into(),
            number,
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
    /// Whether a throw is read as a total.
    is_total: Vec<bool>,
    event_count: usize,
}

impl Run {
    fn resolve(situation: &Situation, dice: &RulingDice) -> Result<Run, Error> {
        let mut machine = situation.machine();
        machine.run_mode.trace_detail = TraceDetail::Calls;
        let (stream, seen) = dice.stream();
        let request = ResolveRequest {
            stream,
            ..ResolveRequest::default()
        };
        let resolved = resolve(&mut machine, situation, request)?;
        let (mut lines, mut lines_before, mut is_total) = (Vec::new(), Vec::new(), Vec::new());
        let mut step = 0;
        for event in &resolved.events {
            match event {
                Event::Step(_) => step += 1,
                Event::Throw(thrown) => {
                    lines_before.push(lines.len());
                    is_total.push(matches!(thrown.value, Value::Number(_)));
                }
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
            is_total,
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
pub fn forks(situation: &Situation, dice: &RulingDice) -> Result<Vec<Fork>, Error> {
    let main = Run::resolve(situation, dice)?;
    let mut events_left = MAX_EVENTS;
    let mut found = Vec::new();
    for (number, (thrown, line)) in main.throws.iter().zip(&main.lines_before).enumerate() {
        let totals = match main.is_total.get(number) {
            Some(true) => totals_of(&thrown.dice),
            _ => continue,
        };
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
                false => {
                    let mut other = dice.clone();
                    other.set(thrown.given(&sides));
                    match Run::resolve(situation, &other) {
                        Ok(other) => other.lines_from(*line).to_vec(),
                        Err(_) => continue,
                    }
                }
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
                    throw: thrown.given(&sides),
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
