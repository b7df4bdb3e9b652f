//! A ruling: what a procedure came to, with its trace, as a person reads it and as a program does.

use crate::code::script::Script;
use crate::complaint::{Complaint, Error, Place, did_you_mean};
use crate::data::case::Status;
use crate::data::manifest::function_of;
use crate::data::scenario::Scenario;
use crate::ruleset::compose::Ruleset;
use crate::ruling::page::{Page, plain};
use crate::situation::board::{Board, PieceId};
use crate::situation::session::{Ended, Reach, Session, answers, filled, map_of, text_of, value};
use crate::situation::trace::{Answered, Event, unheard};
use rhai::{Array, Dynamic, Map};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// A line of a ruling with the cases and tables it rests on.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Line {
    /// The line.
    pub text: String,
    /// What decided it: "8.16 errata", "table 7.3".
    pub cites: Vec<String>,
}

/// A part of a ruling.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Step {
    /// Its title; empty for lines before the first.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// What a procedure came to.
#[derive(Clone, Debug, Serialize)]
pub struct Ruling {
    /// The title of the situation.
    pub title: String,
    /// The situation.
    pub situation: String,
    /// The procedure carried out.
    pub procedure: String,
    /// What was in force.
    pub ruleset: String,
    /// Where the dice came from: "seed 7", "typed 3, 5".
    pub dice_from: String,
    /// The ruling, part by part.
    pub steps: Vec<Step>,
    /// Named outcomes, in order.
    pub results: serde_json::Map<String, serde_json::Value>,
    /// Why a rule refused, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Line>,
    /// The dice that fell: what for, and the faces.
    pub dice: Vec<(String, Vec<u32>)>,
    /// Choices that nobody made: side and question, what stood, how many options.
    pub unasked: Vec<String>,
    /// Answers given by hand to what nobody asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unheard: Vec<String>,
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
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// Whether the ruling keeps its whole trace.
    pub trace: bool,
}

/// A procedure ready to be carried out on a situation.
pub struct Call {
    /// Its name.
    pub procedure: String,
    /// The function that carries it out.
    pub function: String,
    /// What the situation hands to it.
    pub given: Dynamic,
    choices: HashMap<String, Dynamic>,
}

impl Call {
    /// The procedure a situation asks for; complains of one the game doesn't have.
    pub fn new(scenario: &Scenario, ruleset: &Ruleset) -> Result<Call, Error> {
        let procedure = procedure(scenario, ruleset)?;
        let function = function_of(&procedure);
        let given = scenario.root.get("given").map_or_else(|| Map::new().into(), value);
        Ok(Call { procedure, function, given, choices: answers(scenario) })
    }

    /// Answers to choices: those given by hand before those of the situation.
    pub fn answers(&self, by_hand: &[(String, String)]) -> HashMap<String, Dynamic> {
        let mut answers = self.choices.clone();
        let typed = |text: &String| text.parse::<i64>().map_or_else(|_| text.clone().into(), Dynamic::from_int);
        answers.extend(by_hand.iter().map(|(k, v)| (k.clone(), typed(v))));
        answers
    }
}

/// Carries out the procedure of a situation.
pub fn resolve(script: &Script, scenario: &Scenario, order: Order) -> Result<Ruling, Error> {
    let ruleset = &script.host.ruleset;
    let board = Board::new(scenario, ruleset).map_err(Error::Data)?;
    let call = Call::new(scenario, ruleset)?;
    let answers = call.answers(&order.choices);
    script.start(Session { board, stream: order.stream, answers, strict: order.strict, ..Session::default() });
    let ended = script.ask(&call.function, vec![call.given]);
    let session = script.host.session.borrow();
    let mut ruling = Ruling {
        title: scenario.title.clone(),
        situation: scenario.name.clone(),
        procedure: call.procedure,
        ruleset: ruleset.title(),
        dice_from: order.dice_from,
        steps: Vec::new(),
        results: serde_json::Map::new(),
        refused: None,
        dice: Vec::new(),
        unasked: Vec::new(),
        unheard: unheard(&session.events, &order.choices),
        reconstructed: Vec::new(),
        cases_reconstructed: Vec::new(),
        trace: Vec::new(),
    };
    match ended {
        Ok(_) => {}
        Err(Ended::Refused(refusal)) => {
            let text = filled(&refusal.template, &refusal.args, &session.board);
            ruling.refused = Some(Line { text, cites: refusal.cases.iter().map(|case| cite(ruleset, *case)).collect() });
        }
        Err(Ended::Broken(complaints)) => return Err(Error::Data(complaints)),
    }
    if session.stream.left_over() > 0 && ruling.refused.is_none() {
        let what = format!("{} of the dice typed in were not thrown", session.stream.left_over());
        return Err(Complaint::new("dice", Place::file("--dice"), what).help("leave them out; `--trace` shows which dice fall").into());
    }
    ruling.read(&session, ruleset, order.trace, script.host.operations.get());
    Ok(ruling)
}

/// The procedure a situation asks for; complains of one the game doesn't have.
fn procedure(scenario: &Scenario, ruleset: &Ruleset) -> Result<String, Error> {
    let Some(name) = &scenario.procedure else {
        let message = format!("{} is a list of pieces, not a situation: it names no procedure to carry out", scenario.name);
        return Err(Error::Usage(message));
    };
    let known = ruleset.game.procedures.iter().map(|(name, _)| name.as_str());
    if ruleset.game.procedures.is_empty() || known.clone().any(|k| k == name) {
        return Ok(name.clone());
    }
    let node = scenario.root.get("procedure").map(|n| n.span).unwrap_or_default();
    let near = did_you_mean(name, known);
    let place = Place::at(&scenario.file.path, &scenario.file.text, node);
    Err(Complaint::new("unknown-name", place, format!("no procedure is called `{name}`{near}"))
        .help("procedures stand in the game's manifest")
        .into())
}

/// An answer, while the line it stands behind is not yet written.
struct Said {
    /// How deep the question was asked.
    depth: usize,
    text: String,
    /// It is cited also where the asker answers in turn.
    stays: bool,
}

/// How a ruling cites a case: its number, and the layer where it is not the printed game.
pub fn cite(ruleset: &Ruleset, case: usize) -> String {
    let case = &ruleset.cases[case];
    if case.layer == ruleset.layers[0].name { case.number.clone() } else { format!("{} {}", case.number, case.layer) }
}

impl Ruling {
    /// The ruling as a person reads it.
    pub fn render(&self, colour: bool) -> String {
        let page = Page { colour };
        let mut out = String::new();
        let _ = writeln!(out, "{}", page.paint("1", &self.title));
        let _ = writeln!(out, "{}", page.paint("2", &format!("{} · {} · {}", self.procedure, self.ruleset, self.dice_from)));
        for step in &self.steps {
            if !step.title.is_empty() {
                let _ = writeln!(out, "\n{}", page.paint("1", &step.title));
            }
            for line in &step.lines {
                out.push_str(&page.line(&line.text, &line.cites));
            }
        }
        if let Some(refusal) = &self.refused {
            let _ = writeln!(out, "\n{}", page.paint("1;31", "Refused"));
            out.push_str(&page.line(&refusal.text, &refusal.cites));
        }
        if !self.results.is_empty() {
            let _ = writeln!(out, "\n{}", page.paint("1", "Outcome"));
            let width = self.results.keys().map(|k| k.chars().count()).max().unwrap_or(0);
            for (name, value) in &self.results {
                let _ = writeln!(out, "  {name:<width$}  {}", plain(value));
            }
        }
        page.list(&mut out, "Choices left to their first option (settle them with --choose 'WHO: WHAT=OPTION')", &self.unasked);
        page.list(&mut out, "Answers to what nobody asked", &self.unheard);
        page.list(&mut out, "Reconstructed figures this rests on (--strict refuses them)", &self.reconstructed);
        if !self.cases_reconstructed.is_empty() {
            let cases = [self.cases_reconstructed.join(", ")];
            page.list(&mut out, "Cases whose printed wording is not known", &cases);
        }
        page.list(&mut out, "Trace", &self.trace);
        out
    }

    /// Makes text of the events of a run.
    fn read(&mut self, session: &Session, ruleset: &Ruleset, trace: bool, steps: u64) {
        let board = &session.board;
        let mut open: Vec<usize> = Vec::new();
        // What has answered since the last line.
        let mut since: Vec<Said> = Vec::new();
        let mut figures: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        let remember = |list: &mut Vec<String>, text: String| {
            if !list.contains(&text) {
                list.push(text);
            }
        };
        for event in &session.events {
            match event {
                Event::Ask { slot, depth, .. } => {
                    let answer = ruleset.slots[*slot].chain[*depth];
                    let case = answer.reinstated_by.unwrap_or(answer.case);
                    open.push(case);
                    if ruleset.cases[case].status == Status::Reconstructed {
                        remember(&mut self.cases_reconstructed, cite(ruleset, case));
                    }
                }
                Event::Done => {
                    if let Some(case) = open.pop() {
                        // What an answer asked is its own affair; the tables it read stand behind it, and what a variant says.
                        since.retain(|said| said.depth <= open.len() || said.stays);
                        since.iter_mut().for_each(|said| said.depth = said.depth.min(open.len()));
                        let stays = ruleset.cases[case].layer != ruleset.layers[0].name;
                        since.push(Said { depth: open.len(), text: cite(ruleset, case), stays });
                    }
                }
                Event::Cell(table, index) => {
                    since.push(Said { depth: open.len(), text: table_cite(table, *index, ruleset), stays: true });
                    if table.cells[*index].status == Status::Reconstructed {
                        let label = table.label(*index);
                        let (place, last) = label.rsplit_once(' ').unwrap_or(("", &label));
                        figures.entry(format!("table {}", table.id)).or_default().push((place.into(), last.into()));
                    }
                }
                Event::Figure(piece, figure, Status::Reconstructed, path) => {
                    figures.entry(path.to_string()).or_default().push((format!("{figure} of"), piece.to_string()));
                }
                Event::Step(title) => {
                    self.steps.push(Step { title: title.to_string(), lines: Vec::new() });
                    since.clear();
                }
                Event::Say(template, args) => {
                    let mut cites: Vec<String> = open.last().map(|case| cite(ruleset, *case)).into_iter().collect();
                    let (heard, rest): (Vec<_>, Vec<_>) = since.drain(..).partition(|said| said.depth == open.len());
                    since = rest;
                    heard.into_iter().for_each(|said| remember(&mut cites, said.text));
                    if self.steps.is_empty() {
                        self.steps.push(Step::default());
                    }
                    if let Some(step) = self.steps.last_mut() {
                        step.lines.push(Line { text: filled(template, args, board), cites });
                    }
                }
                Event::Result(name, value) => {
                    self.results.insert(name.to_string(), json(value, board));
                }
                Event::Die { purpose, throw, .. } => self.dice.push((purpose.to_string(), throw.faces.clone())),
                Event::Choice { side, what, options, picked, by: Answered::First } if options.len() > 1 => {
                    let owner = if side.is_empty() { String::new() } else { format!("{side}: ") };
                    let texts: Vec<String> = options.iter().map(|o| text_of(o, board)).collect();
                    self.unasked.push(format!("{owner}{what} = {} (open: {})", texts[*picked], texts.join(", ")));
                }
                _ => {}
            }
        }
        self.steps.retain(|step| !step.lines.is_empty());
        self.reconstructed = figures.into_iter().map(|(place, list)| format!("{place}: {}", grouped(list))).collect();
        if trace {
            self.trace = trace_lines(session, ruleset);
            self.trace.push(format!("{steps} steps of script"));
        }
    }
}

/// "figure of A, B; another of C": what is alike stands together.
fn grouped(list: Vec<(String, String)>) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (head, item) in list {
        match groups.iter_mut().find(|(h, _)| *h == head) {
            Some((_, items)) if items.contains(&item) => {}
            Some((_, items)) => items.push(item),
            None => groups.push((head, vec![item])),
        }
    }
    groups.into_iter().map(|(head, items)| format!("{head} {}", items.join(", "))).collect::<Vec<_>>().join("; ")
}

fn table_cite(table: &crate::data::table::Table, index: usize, ruleset: &Ruleset) -> String {
    let layer = &table.cells[index].layer;
    let name = format!("table {}", table.id);
    if *layer == ruleset.layers[0].name { name } else { format!("{name} {layer}") }
}

/// A value for a program.
fn json(value: &Dynamic, board: &Board) -> serde_json::Value {
    json_within(value, board, &mut Reach::default())
}

fn json_within(value: &Dynamic, board: &Board, reach: &mut Reach) -> serde_json::Value {
    if let Ok(n) = value.as_int() {
        return n.into();
    }
    if let Ok(flag) = value.as_bool() {
        return flag.into();
    }
    if let Some(list) = value.read_lock::<Array>() {
        return reach.step(|reach| list.iter().map(|item| json_within(item, board, reach)).collect()).unwrap_or_default();
    }
    if value.read_lock::<PieceId>().is_none()
        && let Some(map) = map_of(value)
    {
        let entries = |reach: &mut Reach| map.iter().map(|(k, v)| (k.to_string(), json_within(v, board, reach))).collect();
        return reach.step(entries).map_or_else(Default::default, serde_json::Value::Object);
    }
    if value.is_unit() { serde_json::Value::Null } else { text_of(value, board).into() }
}

/// Everything that happened, one line each, indented by who asked whom.
fn trace_lines(session: &Session, ruleset: &Ruleset) -> Vec<String> {
    let board = &session.board;
    let mut lines = Vec::new();
    let mut depth = 0usize;
    for event in &session.events {
        let text = match event {
            Event::Ask { slot, depth: newest, again } => {
                let slot = &ruleset.slots[*slot];
                let answer = slot.chain[*newest];
                let back = answer.reinstated_by.map(|by| format!(", brought back by {}", cite(ruleset, by))).unwrap_or_default();
                let again = if *again { ", as before" } else { "" };
                let text = format!("{}/{}  {}{back}{again}", slot.name, slot.arity, cite(ruleset, answer.case));
                lines.push(format!("{}{text}", "· ".repeat(depth)));
                depth += 1;
                continue;
            }
            Event::Done => {
                depth = depth.saturating_sub(1);
                continue;
            }
            Event::Cell(table, index) => {
                let cell = &table.cells[*index];
                format!("table {} ({}) = {}  {} of {}", table.id, table.label(*index), cell.text, cell.status.word(), cell.layer)
            }
            Event::Die { dice, purpose, throw } => {
                let faces = throw.faces.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
                format!("{dice} for {purpose}: {} ({faces})", throw.total)
            }
            Event::Choice { side, what, options, picked, by } => {
                let by = if *by == Answered::First { "first of" } else { "chosen of" };
                let texts: Vec<String> = options.iter().map(|o| text_of(o, board)).collect();
                format!("{side}: {what} = {}, {by} {}", texts[*picked], texts.join(", "))
            }
            Event::Change(template, args) => filled(template, args, board),
            Event::Figure(piece, figure, status, path) => format!("{figure} of {piece} is {}  {path}", status.word()),
            Event::Result(name, value) => format!("{name} = {}", plain(&json(value, board))),
            Event::Step(title) => format!("— {title}"),
            Event::Say(..) => continue,
        };
        lines.push(format!("{}{text}", "· ".repeat(depth)));
    }
    lines
}
