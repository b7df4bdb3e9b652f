//! A ruling: what a procedure came to, with its trace.

use crate::code::machine::Machine;
use crate::code::state::{Refusal, State};
use crate::complaint::{Complaint, Complaints, Error};
use crate::data::case::Status;
use crate::ruleset::compose::Ruleset;
pub use crate::ruling::cites::cite;
use crate::ruling::cites::{Cited, names};
use crate::ruling::doubts;
use crate::ruling::drive::{Ended, drive, left_over};
use crate::ruling::page::plain;
use crate::ruling::situation::Situation;
use crate::situation::board::Board;
use crate::situation::dice::Seeded;
use crate::situation::policy::Policies;
use crate::situation::trace::{Answered, Chosen, Doubt, Event, MadeUp, Thrown, Unheard, all, once, unheard};
use crate::situation::value::Value;
use crate::situation::words::{changed, filled, json, sentence, text_of};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A line of a ruling with the cases and tables it rests on.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Line {
    /// The line.
    pub text: String,
    /// What decided it: "8.16 errata", "table 7.3".
    pub cites: Vec<String>,
    /// What else decided it, and is cited by lines above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<String>,
}

/// A part of a ruling.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Step {
    /// Its title; empty for lines before the first.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// Places that a ruling draws on the map.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Drawn {
    /// What they are.
    pub title: String,
    /// The places; of a search, how each was reached.
    pub places: BTreeMap<String, Reached>,
}

/// How a place was reached.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Reached {
    /// What it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<i64>,
    /// The place before it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// In a place that is a strip, the least way from where its side begins that is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<i64>,
    /// And the farthest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<i64>,
    /// Where ways end in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<End>,
}

/// Where a way ends in a strip.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct End {
    /// How far from where its side begins.
    pub at: i64,
    /// What stops it there.
    pub why: String,
}

impl Drawn {
    /// What the verb was given: a list of places, or a map of them as a search makes it.
    fn new(title: &str, places: &Value, board: &Board) -> Drawn {
        let reached = |found: &Value| {
            let of = |key: &str| found.map().and_then(|map| map.get(key));
            let text = |value: Option<&Value>| value.and_then(Value::text).map(ToString::to_string).unwrap_or_default();
            let number = |key: &str| of(key).and_then(Value::number);
            let end = |end: &Value| {
                let of = |key: &str| end.map().and_then(|map| map.get(key));
                Some(End { at: of("at").and_then(Value::number)?, why: text(of("why")) })
            };
            let ends = of("ends").and_then(Value::list).into_iter().flat_map(|list| list.iter()).filter_map(end).collect();
            Reached { cost: number("cost"), from: text(of("from")), least: number("least"), most: number("most"), ends }
        };
        let listed = places.list().into_iter().flat_map(|list| list.iter()).map(|place| (text_of(place, board), Reached::default()));
        let found = places.map().into_iter().flat_map(|map| map.entries()).map(|(place, found)| (place.to_string(), reached(found)));
        Drawn { title: title.into(), places: listed.chain(found).collect() }
    }
}

/// What a procedure came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Ruling {
    /// The title of the situation.
    pub title: String,
    /// The situation.
    pub situation: String,
    /// The procedure carried out.
    pub procedure: String,
    /// Figures set by hand, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// What was in force.
    pub ruleset: String,
    /// Where the dice came from: "seed 7", "typed 3, 5".
    pub dice_from: String,
    /// The ruling, part by part.
    pub steps: Vec<Step>,
    /// Named outcomes, in order.
    pub results: serde_json::Map<String, serde_json::Value>,
    /// What it draws on a map.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drawn: Vec<Drawn>,
    /// Why a rule refused, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Line>,
    /// Whether something had been done before that: it is taken back with the rest of the procedure.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub taken_back: bool,
    /// The dice that fell: what for, and the faces.
    pub dice: Vec<(String, Vec<u32>)>,
    /// Choices that nobody made: side and question, what stood, how many options.
    pub unasked: Vec<String>,
    /// Answers given by hand to what nobody asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unheard: Vec<Unheard>,
    /// Reconstructed figures it rests on, by table or file.
    pub reconstructed: Vec<String>,
    /// Cases it rests on whose printed wording is not known.
    pub cases_reconstructed: Vec<String>,
    /// Everything that happened, if wished for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<String>,
}

/// How a situation is to be resolved.
pub struct Order {
    /// Where dice come from.
    pub stream: Box<dyn crate::situation::dice::Stream>,
    /// The same in words.
    pub dice_from: String,
    /// Answers to choices that go before the situation's own.
    pub choices: Vec<(String, String)>,
    /// Who answers the rest.
    pub policies: Arc<Policies>,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// Whether the ruling keeps its whole trace.
    pub trace: bool,
}

impl Default for Order {
    fn default() -> Order {
        Order {
            stream: Box::new(Seeded::new(1)),
            dice_from: "seed 1".into(),
            choices: Vec::new(),
            policies: Arc::default(),
            strict: false,
            trace: false,
        }
    }
}

/// A ruling with what it was made from.
#[derive(Debug, Default)]
pub struct Ran {
    /// The ruling.
    pub ruling: Ruling,
    /// What happened.
    pub events: Vec<Event>,
    /// The board at its end.
    pub board: Board,
}

/// Carries out the procedure of a situation.
pub fn resolve(machine: &mut Machine, situation: &Situation, order: Order) -> Result<Ran, Error> {
    let Order { mut stream, dice_from, choices, policies, strict, trace } = order;
    machine.trace = Some(Vec::new());
    // All figures are refused together that a ruling would rest on.
    machine.manner.strict = false;
    let decider = situation.decider(&choices, policies);
    let mut state = situation.begin(machine)?;
    let ended = drive(machine, &mut state, &mut *stream, &decider);
    let events = machine.trace.take().unwrap_or_default();
    if strict {
        let doubts: BTreeSet<_> = once(&events).filter_map(Event::doubt).collect();
        let refused = doubts::refused(&doubts, situation.ruleset());
        if refused.any_error() {
            return Err(Error::Data(refused));
        }
    }
    let not_asked = unheard(&events, &choices);
    let refusal = match ended.map_err(|Complaints(list)| misled(list, &not_asked))? {
        Ended::Refused(refusal) => Some(refusal),
        Ended::Done(_) if stream.left_over() > 0 => return Err(misled(vec![left_over(stream.left_over())], &not_asked)),
        Ended::Done(_) => None,
    };
    let steps = state.steps;
    let mut ran = ran(situation, events, 0, state, refusal.as_ref());
    let ruling = &mut ran.ruling;
    ruling.dice_from = dice_from;
    ruling.unheard = not_asked;
    if trace {
        ruling.trace = trace_lines(&ran.events, &ran.board, situation.ruleset());
        ruling.trace.push(format!("{steps} steps of the machine"));
    }
    Ok(ran)
}

/// Where typed dice don't fit and an answer was given to what nobody asked, another choice may have thrown others: that is said first.
fn misled(mut list: Vec<Complaint>, not_asked: &[Unheard]) -> Error {
    if let ([question, ..], Some(complaint)) = (not_asked, list.first_mut().filter(|complaint| complaint.law == "dice")) {
        let what = format!("nobody asked for the answer given to {question}");
        complaint.help = format!("{what}: mend that first, as other choices throw other dice; or {}", complaint.help);
    }
    Error::Data(Complaints(list))
}

/// The ruling that what happened amounts to, told from a place in it on; what stands before is only heard.
pub fn ran(situation: &Situation, mut events: Vec<Event>, from: usize, state: State, refusal: Option<&Refusal>) -> Ran {
    let ruleset = situation.ruleset();
    let mut ruling = Ruling {
        title: situation.scenario.title.clone(),
        set: situation.scenario.set.iter().cloned().collect(),
        situation: situation.scenario.name.clone(),
        procedure: situation.procedure.clone(),
        ruleset: ruleset.title(),
        ..Ruling::default()
    };
    let mut cited = Cited::default();
    ruling.read(&events, from, &state.board, ruleset, &mut cited);
    if let Some(refusal) = refusal {
        let text = filled(&refusal.template, &refusal.args, &state.board);
        let from = state.followed.as_ref().map(|followed| followed.sources.list(followed.required)).unwrap_or_default();
        let (cites, behind) = cited.refusal(&refusal.cases, &refusal.template, &from, ruleset);
        ruling.refused = Some(Line { text, cites, behind });
        ruling.taken_back = events.iter().any(Event::does_something);
    }
    Ran { ruling, events: events.split_off(from), board: state.board }
}

impl Ruling {
    /// Makes text of the events of a run from a place in them on.
    fn read(&mut self, events: &[Event], from: usize, board: &Board, ruleset: &Ruleset, cited: &mut Cited) {
        self.rest_on(events.get(from..).unwrap_or_default(), ruleset);
        for (place, event) in events.iter().enumerate() {
            let told = place >= from;
            cited.happened(event, ruleset);
            match event {
                Event::Step(title) => {
                    self.steps.push(Step { title: title.to_string(), lines: Vec::new() });
                }
                Event::Say(said) if !told => drop(cited.said(&said.line, &said.from)),
                _ if !told => {}
                Event::Say(said) => {
                    let (cites, behind) = cited.line(&said.line, &said.from, ruleset);
                    if self.steps.is_empty() {
                        self.steps.push(Step::default());
                    }
                    if let Some(step) = self.steps.last_mut() {
                        step.lines.push(Line { text: sentence(&said.line, &said.values, board), cites, behind });
                    }
                }
                Event::Result(result) => {
                    let (name, value) = &**result;
                    self.results.insert(name.to_string(), json(value, board));
                }
                Event::Drawn(drawn) => self.drawn.push(Drawn::new(&drawn.0, &drawn.1, board)),
                Event::Die(thrown) => self.dice.push((thrown.purpose.to_string(), thrown.throw.faces.clone())),
                Event::Choice(chosen) if chosen.by == Answered::First && chosen.options.len() > 1 => {
                    let Chosen { side, what, options, picked, .. } = &**chosen;
                    let owner = if side.is_empty() { String::new() } else { format!("{side}: ") };
                    let texts: Vec<String> = options.iter().map(|o| text_of(o, board)).collect();
                    self.unasked.push(format!("{owner}{what} = {} (open: {})", texts[*picked], texts.join(", ")));
                }
                _ => {}
            }
        }
        self.steps.retain(|step| !step.lines.is_empty());
    }

    /// Notes which figures and cases among all that happened are reconstructed.
    fn rest_on(&mut self, events: &[Event], ruleset: &Ruleset) {
        let mut figures: Vec<Doubt> = Vec::new();
        // A figure is read many times; the same text stands at the same place.
        let (mut known, mut doubted) = (FxHashSet::default(), FxHashSet::default());
        for event in once(events) {
            match event {
                Event::Cell(table, index) if known.insert((Arc::as_ptr(table) as usize, *index as usize)) => figures.extend(event.doubt()),
                Event::Figure(figure) if known.insert((Arc::as_ptr(figure) as usize, 0)) => figures.extend(event.doubt()),
                Event::Ask(asked) => {
                    let case = asked.answer(ruleset).cited();
                    if ruleset.cases[case].status == Status::Reconstructed && doubted.insert(case) {
                        self.cases_reconstructed.push(cite(ruleset, case));
                    }
                }
                _ => {}
            }
        }
        self.reconstructed = doubts::told(&figures);
    }
}

/// The cases asked and the cells read, each once, in the order they came.
pub fn consulted(events: &[Event], ruleset: &Ruleset) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for event in once(events) {
        let line = match event {
            Event::Ask(asked) => {
                let case = asked.answer(ruleset).case;
                format!("{}  {}", cite(ruleset, case), ruleset.cases[case].title)
            }
            Event::Cell(table, index) => {
                let index = *index as usize;
                let cell = &table.cells[index];
                format!("table {} ({}) = {}  {} of {}", table.id, table.label(index), cell.text, cell.status.word(), cell.layer)
            }
            _ => continue,
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Everything that happened, one line each, indented by who asked whom.
pub fn trace_lines(events: &[Event], board: &Board, ruleset: &Ruleset) -> Vec<String> {
    let mut lines = Vec::new();
    let mut depth = 0usize;
    for event in all(events) {
        let text = match event {
            Event::Ask(asked) => {
                let (slot, answer) = (asked.slot(ruleset), asked.answer(ruleset));
                let back = answer.reinstated_by.map(|by| format!(", brought back by {}", cite(ruleset, by))).unwrap_or_default();
                let text = format!("{}/{}  {}{back}", slot.name, slot.arity, cite(ruleset, answer.case));
                lines.push(format!("{}{text}", "· ".repeat(depth)));
                depth += 1;
                continue;
            }
            Event::Done => {
                depth = depth.saturating_sub(1);
                continue;
            }
            // It was gone through.
            Event::Remembered(_) => continue,
            Event::Cell(table, index) => {
                let index = *index as usize;
                let cell = &table.cells[index];
                format!("table {} ({}) = {}  {} of {}", table.id, table.label(index), cell.text, cell.status.word(), cell.layer)
            }
            Event::Die(thrown) => {
                let Thrown { dice, purpose, throw } = &**thrown;
                let faces = throw.faces.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
                format!("{dice} for {purpose}: {} ({faces})", throw.total)
            }
            Event::Choice(chosen) => {
                let Chosen { side, what, options, picked, by } = &**chosen;
                let by = if *by == Answered::First { "first of" } else { "chosen of" };
                let texts: Vec<String> = options.iter().map(|o| text_of(o, board)).collect();
                format!("{side}: {what} = {}, {by} {}", texts[*picked], texts.join(", "))
            }
            Event::Change(change) => changed(change, board),
            Event::Figure(figure) => {
                let MadeUp { path, name, piece } = &**figure;
                format!("{name} of {piece} is {}  {path}", Status::Reconstructed.word())
            }
            Event::Result(result) => format!("{} = {}", result.0, plain(&json(&result.1, board))),
            Event::Step(title) => format!("— {title}"),
            // It stands in the menu of whoever chooses.
            Event::Described(_) => continue,
            Event::Drawn(drawn) => format!("{}: drawn on the map", drawn.0),
            Event::Say(said) => {
                format!("\"{}\" rests on {}", filled(&said.line, &said.values, board), names(&said.from, ruleset).join(", "))
            }
        };
        lines.push(format!("{}{text}", "· ".repeat(depth)));
    }
    lines
}
