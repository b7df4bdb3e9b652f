//! Resolves a situation to a ruling: the results of its procedure, with the trace.

use crate::code::machine::Machine;
use crate::code::state::{Refusal, State};
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Error};
use crate::data::status::{ReconstructedFigure, Status};
use crate::data::table::Table;
use crate::notation::Face;
use crate::ruleset::compose::Ruleset;
use crate::ruling::choice_source::{ChoiceSource, Weigher};
pub use crate::ruling::citations::cite_case;
use crate::ruling::citations::{LineCitations, SourceNames, source_names};
use crate::ruling::driver::{EndReason, drive, unused_dice};
use crate::ruling::headline::{OutcomeSection, group_outcomes, ruling_headline};
use crate::ruling::reconstructed;
use crate::ruling::situation::Situation;
use crate::ruling::terminal_page::json_text;
use crate::situation::board::Board;
use crate::situation::dice::SeededDice;
use crate::situation::policy::Policies;
use crate::situation::trace::{
    AnswerSource, Event, MadeChoice, NamedOutcome, ReconstructedRead, ThrownDice, UnusedAnswer,
    unused_answers,
};
use crate::situation::value::Value;
use crate::situation::value_text::{
    change_text, fill_sentence, fill_template, to_json, value_text,
};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A line of a ruling with the cases and tables it rests on.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "line")
)]
pub struct RulingLine {
    /// The text of the line.
    pub text: String,
    /// The case that says the line, what it consulted for it, and further sources that no line above cites, such as "8.16 errata" or
    /// "table 7.3".
    pub cites: Vec<String>,
    /// Further sources of the line, which lines above cite already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<String>,
}

/// A step of a ruling.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RulingStep {
    /// The title; empty for lines before the first step.
    pub title: String,
    /// The lines.
    pub lines: Vec<RulingLine>,
}

/// A set of places that a ruling draws on the map.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrawnPlaces {
    /// The title of the set.
    pub title: String,
    /// The places; for a search, each with how it was reached.
    pub places: BTreeMap<String, ReachedPlace>,
}

/// How a search reached a place.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReachedPlace {
    /// The cost, if the search has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<i64>,
    /// The previous place on the path.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// In a strip, the smallest distance reached, measured from where its side begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<i64>,
    /// The largest distance reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<i64>,
    /// The points in the strip where paths end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<StripEnd>,
}

/// A point where a path ends in a strip.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StripEnd {
    /// The distance from where the side begins.
    pub at: i64,
    /// The reason why the path ends there.
    pub why: String,
}

impl DrawnPlaces {
    /// Converts the argument of the verb: a list of places, or the map that a search returns.
    fn new(title: &str, places: &Value, board: &Board) -> DrawnPlaces {
        let reached = |entry: &Value| {
            let field = |key: &str| entry.as_map().and_then(|map| map.get(key));
            let text = |value: Option<&Value>| {
                value
                    .and_then(Value::as_text)
                    .map(ToString::to_string)
                    .unwrap_or_default()
            };
            let number = |key: &str| field(key).and_then(Value::as_number);
            let end = |end: &Value| {
                let field = |key: &str| end.as_map().and_then(|map| map.get(key));
                Some(StripEnd {
                    at: field("at").and_then(Value::as_number)?,
                    why: text(field("why")),
                })
            };
            let ends = field("ends")
                .and_then(Value::as_list)
                .into_iter()
                .flat_map(|list| list.iter())
                .filter_map(end)
                .collect();
            ReachedPlace {
                cost: number("cost"),
                from: text(field("from")),
                least: number("least"),
                most: number("most"),
                ends,
            }
        };
        let listed = places
            .as_list()
            .into_iter()
            .flat_map(|list| list.iter())
            .map(|place| (value_text(place, board), ReachedPlace::default()));
        let reached_places = places
            .as_map()
            .into_iter()
            .flat_map(|map| map.entries())
            .map(|(place, entry)| (place.to_string(), reached(entry)));
        DrawnPlaces {
            title: title.into(),
            places: listed.chain(reached_places).collect(),
        }
    }
}

/// The result of a procedure.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ruling {
    /// The title of the situation.
    pub title: String,
    /// The name of the situation.
    pub situation: String,
    /// The procedure that was executed.
    pub procedure: String,
    /// Figures set by hand: their names and values, as text.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// The rules in force, in words.
    pub ruleset: String,
    /// The source of the dice, such as "seed 7" or "typed 3, 5".
    pub dice_from: String,
    /// The steps of the ruling.
    pub steps: Vec<RulingStep>,
    /// Named outcomes, in the order the rules name them: numbers, words, true and false, null, lists of these.
    pub results: serde_json::Map<String, serde_json::Value>,
    /// What outcomes without a line of their own cite: what no line says of what decided them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outcome_cites: BTreeMap<String, Vec<String>>,
    /// The headline as a sentence; empty if the procedure has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub headline: String,
    /// The groups that the outcomes are shown in.
    #[serde(skip)]
    #[doc(hidden)]
    pub groups: Vec<OutcomeSection>,
    /// The places that it draws on a map.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drawn: Vec<DrawnPlaces>,
    /// The refusal, if a rule refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<RulingLine>,
    /// Whether something was done before the refusal: it is taken back, as a refusal changes nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub taken_back: bool,
    /// Each throw: what for, and the face of each die.
    pub dice: Vec<(String, Vec<Face>)>,
    /// Choices answered by default: side and question, the option taken, and all options.
    pub unasked: Vec<String>,
    /// Answers given by hand to questions that were never asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused_answers: Vec<UnusedAnswer>,
    /// Reconstructed figures that were read, in words.
    pub reconstructed: Vec<String>,
    /// Consulted cases whose printed wording is not known.
    pub cases_reconstructed: Vec<String>,
    /// All that was asked, read and thrown, if a trace was requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<String>,
}

impl Ruling {
    /// Yields the lines of all steps.
    pub fn lines(&self) -> impl Iterator<Item = &RulingLine> {
        self.steps.iter().flat_map(|step| &step.lines)
    }
}

/// The settings for resolving a situation.
pub struct ResolveRequest {
    pub stream: Box<dyn crate::situation::dice::DiceStream>,
    /// The source of the dice as text.
    pub dice_from: String,
    /// Answers to choices that override the situation's own.
    pub choices: Vec<(String, String)>,
    /// The policies that answer the other choices.
    pub policies: Arc<Policies>,
    /// Weighs options for policies that look at odds.
    pub weigher: Option<Weigher>,
    /// Whether reconstructed figures are an error.
    pub strict: bool,
    /// Whether the ruling keeps a full trace.
    pub trace: bool,
}

impl Default for ResolveRequest {
    fn default() -> ResolveRequest {
        ResolveRequest {
            stream: Box::new(SeededDice::new(1)),
            dice_from: "seed 1".into(),
            choices: Vec::new(),
            policies: Arc::default(),
            weigher: None,
            strict: false,
            trace: false,
        }
    }
}

/// A ruling with the run it was built from.
#[derive(Debug, Default)]
pub struct ResolvedRuling {
    pub ruling: Ruling,
    /// The events of the run.
    pub events: Vec<Event>,
    /// The final board.
    pub board: Board,
}

/// Resolves the procedure of a situation.
pub fn resolve(
    machine: &mut Machine,
    situation: &Situation,
    order: ResolveRequest,
) -> Result<ResolvedRuling, Error> {
    let ResolveRequest {
        mut stream,
        dice_from,
        choices,
        policies,
        weigher,
        strict,
        trace,
    } = order;
    machine.trace = Some(Vec::new());
    // One error reports all reconstructed figures together.
    machine.run_mode.strict = false;
    let choice_source = ChoiceSource {
        weigher,
        ..situation.choice_source(&choices, policies)
    };
    let mut state = situation.begin(machine)?;
    let ended = drive(machine, &mut state, &mut *stream, &choice_source);
    let events = machine.trace.take().unwrap_or_default();
    if strict {
        let doubts: BTreeSet<_> = events
            .iter()
            .filter_map(Event::reconstructed_read)
            .collect();
        let refused = reconstructed::strict_complaints(&doubts, situation.ruleset());
        if refused.has_errors() {
            return Err(Error::Data(refused));
        }
    }
    let unused = unused_answers(&events, &choices);
    let refusal = match ended.map_err(|Complaints(list)| typed_dice_error(list, &unused))? {
        EndReason::Refused(refusal) => Some(refusal),
        EndReason::Done(_) if stream.unused_dice() > 0 => {
            return Err(typed_dice_error(
                vec![unused_dice(stream.unused_dice())],
                &unused,
            ));
        }
        EndReason::Done(_) => None,
    };
    let steps = state.steps;
    let mut resolved = build_ruling(situation, events, &[], 0, state, refusal.as_ref());
    let ruling = &mut resolved.ruling;
    ruling.dice_from = dice_from;
    ruling.unused_answers = unused;
    if trace {
        ruling.trace = trace_lines(&resolved.events, &resolved.board, situation.ruleset());
        ruling.trace.push(format!("{steps} steps of the machine"));
    }
    Ok(resolved)
}

/// Builds the error for typed dice that don't fit. Unused answers are reported first, because another choice may have changed the throws.
fn typed_dice_error(mut complaints: Vec<Complaint>, unused: &[UnusedAnswer]) -> Error {
    if let ([question, ..], Some(complaint)) = (
        unused,
        complaints
            .first_mut()
            .filter(|complaint| complaint.code == DiagnosticCode::Dice),
    ) {
        let first_step = format!(
            "first correct the answer to {question}, which was not asked: other choices throw other dice"
        );
        complaint.help = format!("{first_step}; or {}", complaint.help);
    }
    Error::Data(Complaints(complaints))
}

/// Builds a ruling from the events of a run, given where procedures after the first begin. Lines start at event `first_shown`; earlier
/// events only count for citations.
pub fn build_ruling(
    situation: &Situation,
    mut events: Vec<Event>,
    procedure_starts: &[usize],
    first_shown: usize,
    state: State,
    refusal: Option<&Refusal>,
) -> ResolvedRuling {
    let ruleset = situation.ruleset();
    let mut ruling = Ruling {
        title: situation.scenario.title.clone(),
        set: situation.scenario.set.iter().cloned().collect(),
        situation: situation.scenario.name.clone(),
        procedure: situation.procedure.clone(),
        ruleset: ruleset.title(),
        ..Ruling::default()
    };
    let mut cited = LineCitations::default();
    let latest = ruling.add_events(
        &events,
        procedure_starts,
        first_shown,
        &state.board,
        ruleset,
        &mut cited,
    );
    ruling.headline = ruling_headline(situation, &ruling.results);
    // What procedures before named is no outcome of the last one, but for what the game is judged by.
    let game = &ruleset.game;
    let is_current = |name: &&String| {
        procedure_starts.is_empty() || latest.contains(*name) || game.is_judged_by(name)
    };
    let names: Vec<String> = ruling.results.keys().filter(is_current).cloned().collect();
    ruling.groups = group_outcomes(situation, &names);
    if let Some(refusal) = refusal {
        let text = fill_template(&refusal.template, &refusal.args, &state.board);
        let sources = state
            .provenance
            .as_ref()
            .map(|provenance| provenance.guard_sources())
            .unwrap_or_default();
        let SourceNames { cites, behind } =
            cited.cite_refusal(&refusal.cases, &refusal.template, &sources, ruleset);
        ruling.refused = Some(RulingLine {
            text,
            cites,
            behind,
        });
        ruling.taken_back = events.iter().any(Event::does_something);
    }
    if ruling.is_silent()
        && let Some(reason) = situation.scenario.why_without_pieces()
    {
        let line = RulingLine {
            text: format!("Nothing came of it: {reason}."),
            cites: Vec::new(),
            behind: Vec::new(),
        };
        ruling.steps.push(RulingStep {
            lines: vec![line],
            ..RulingStep::default()
        });
    }
    ResolvedRuling {
        ruling,
        events: events.split_off(first_shown),
        board: state.board,
    }
}

impl Ruling {
    /// Adds the events from `first_shown` on as text; returns the names of the outcomes of the last procedure.
    fn add_events(
        &mut self,
        events: &[Event],
        procedure_starts: &[usize],
        first_shown: usize,
        board: &Board,
        ruleset: &Ruleset,
        cited: &mut LineCitations,
    ) -> FxHashSet<String> {
        self.add_reconstructed(events.get(first_shown..).unwrap_or_default(), ruleset);
        let mut starts = procedure_starts.iter().peekable();
        let (mut nearest_cites, mut cited_names) = (BTreeMap::new(), FxHashSet::default());
        let mut latest = FxHashSet::default();
        for (index, event) in events.iter().enumerate() {
            let is_shown = index >= first_shown;
            while starts.next_if_eq(&&index).is_some() {
                *cited = LineCitations::default();
                latest.clear();
            }
            cited.record_event(event, ruleset);
            match event {
                Event::Step(title) => {
                    self.steps.push(RulingStep {
                        title: title.to_string(),
                        lines: Vec::new(),
                    });
                }
                Event::Line(line) if !is_shown => drop(cited.line_sources(line)),
                _ if !is_shown => {}
                Event::Line(line) => {
                    cited_names.extend(source_names(&line.sources, ruleset));
                    let SourceNames { cites, behind } = cited.cite_line(line, ruleset);
                    if self.steps.is_empty() {
                        self.steps.push(RulingStep::default());
                    }
                    if let Some(step) = self.steps.last_mut() {
                        step.lines.push(RulingLine {
                            text: fill_sentence(&line.template, &line.values, board),
                            cites,
                            behind,
                        });
                    }
                }
                Event::Outcome(outcome) => {
                    let NamedOutcome {
                        name,
                        value,
                        sources,
                        nearest,
                    } = &**outcome;
                    self.results.insert(name.to_string(), to_json(value, board));
                    latest.insert(name.to_string());
                    self.outcome_cites
                        .insert(name.to_string(), cited.cite_outcome(sources, ruleset));
                    nearest_cites.insert(name.to_string(), cited.cite_outcome(nearest, ruleset));
                }
                Event::MapDrawing(drawing) => self
                    .drawn
                    .push(DrawnPlaces::new(&drawing.0, &drawing.1, board)),
                Event::Throw(thrown) => self
                    .dice
                    .push((thrown.purpose.to_string(), thrown.faces.clone())),
                Event::Choice(chosen)
                    if chosen.answered_by == AnswerSource::FirstOption
                        && chosen.options.len() > 1 =>
                {
                    let MadeChoice {
                        side,
                        question,
                        options,
                        chosen_index: picked,
                        ..
                    } = &**chosen;
                    let owner = if side.is_empty() {
                        String::new()
                    } else {
                        format!("{side}: ")
                    };
                    let texts: Vec<String> = options.iter().map(|o| value_text(o, board)).collect();
                    self.unasked.push(format!(
                        "{owner}{question} = {} (open: {})",
                        texts[*picked],
                        texts.join(", ")
                    ));
                }
                _ => {}
            }
        }
        self.steps.retain(|step| !step.lines.is_empty());
        self.keep_uncited(&nearest_cites, &cited_names, ruleset);
        latest
    }

    /// Keeps of what outcomes cite only what no line says, and of outcomes only those whose case no line names, or a variant's part in
    /// them. What decided an outcome is cited all the same, after its case.
    fn keep_uncited(
        &mut self,
        nearest: &BTreeMap<String, Vec<String>>,
        cited_names: &FxHashSet<String>,
        ruleset: &Ruleset,
    ) {
        let is_amendment = |cite: &String| {
            ruleset
                .variants()
                .any(|layer| cite.ends_with(&format!(" {}", layer.name)))
        };
        for (name, cites) in &mut self.outcome_cites {
            let speaks = cites.first().cloned();
            cites.retain(|cite| !cited_names.contains(cite.as_str()));
            if cites.first() != speaks.as_ref() && !cites.iter().any(is_amendment) {
                cites.clear();
            } else if let Some([_, nearest, ..]) = nearest.get(name).map(Vec::as_slice) {
                cites.retain(|cite| cite != nearest);
                cites.insert(cites.len().min(1), nearest.clone());
            }
        }
        self.outcome_cites.retain(|_, cites| !cites.is_empty());
    }

    /// Collects the reconstructed figures and cases among all events.
    fn add_reconstructed(&mut self, events: &[Event], ruleset: &Ruleset) {
        let mut figures: Vec<ReconstructedRead> = Vec::new();
        // The same text refers to the same place, so each is looked up once, although a figure is read many times.
        let (mut seen, mut doubted) = (FxHashSet::default(), FxHashSet::default());
        for event in events {
            match event {
                Event::Cell(table, index)
                    if seen.insert((Arc::as_ptr(table) as usize, *index as usize)) =>
                {
                    figures.extend(event.reconstructed_read())
                }
                Event::ReconstructedFigure(figure)
                    if seen.insert((Arc::as_ptr(figure) as usize, 0)) =>
                {
                    figures.extend(event.reconstructed_read())
                }
                Event::Call(call) => {
                    let case = call.answer(ruleset).cited_case();
                    if ruleset.cases[case].status == Status::Reconstructed && doubted.insert(case) {
                        self.cases_reconstructed.push(cite_case(ruleset, case));
                    }
                }
                _ => {}
            }
        }
        self.reconstructed = reconstructed::summarize(&figures);
    }
}

/// Returns the cases asked and the cells read, without duplicates, in order of first use.
pub fn consulted_sources(events: &[Event], ruleset: &Ruleset) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for event in events {
        let line = match event {
            Event::Call(call) => {
                let case = call.answer(ruleset).case;
                format!(
                    "{}  {}",
                    cite_case(ruleset, case),
                    ruleset.cases[case].title
                )
            }
            Event::Cell(table, index) => cell_line(table, *index as usize),
            _ => continue,
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Formats a cell with its value, its status and its layer.
fn cell_line(table: &Table, index: usize) -> String {
    let cell = &table.cells[index];
    format!(
        "table {} ({}) = {}  {} of {}",
        table.id,
        table.label(index),
        cell.text,
        cell.status.as_str(),
        cell.layer
    )
}

/// Formats all events, one per line, indented by call depth.
pub fn trace_lines(events: &[Event], board: &Board, ruleset: &Ruleset) -> Vec<String> {
    let mut lines = Vec::new();
    let mut depth = 0usize;
    for event in events {
        let text = match event {
            Event::Call(call) => {
                let (slot, answer) = (call.slot(ruleset), call.answer(ruleset));
                let back = answer
                    .reinstated_by
                    .map(|by| format!(", brought back by {}", cite_case(ruleset, by)))
                    .unwrap_or_default();
                let text = format!(
                    "{}/{}  {}{back}",
                    slot.name,
                    slot.arity,
                    cite_case(ruleset, answer.case)
                );
                lines.push(format!("{}{text}", "· ".repeat(depth)));
                depth += 1;
                continue;
            }
            Event::Return => {
                depth = depth.saturating_sub(1);
                continue;
            }
            Event::Cell(table, index) => cell_line(table, *index as usize),
            Event::Throw(thrown) => {
                let ThrownDice {
                    dice,
                    purpose,
                    value,
                    faces,
                    ..
                } = &**thrown;
                format!(
                    "{dice} for {purpose}: {} ({})",
                    value_text(value, board),
                    Face::join(faces, " ")
                )
            }
            Event::Choice(chosen) => {
                let MadeChoice {
                    side,
                    question,
                    options,
                    chosen_index: picked,
                    answered_by: source,
                } = &**chosen;
                let how_chosen = if *source == AnswerSource::FirstOption {
                    "first of"
                } else {
                    "chosen of"
                };
                let texts: Vec<String> = options.iter().map(|o| value_text(o, board)).collect();
                format!(
                    "{side}: {question} = {}, {how_chosen} {}",
                    texts[*picked],
                    texts.join(", ")
                )
            }
            Event::Change(change) => change_text(change, board),
            Event::ReconstructedFigure(figure) => {
                let ReconstructedFigure { path, name, piece } = &**figure;
                format!(
                    "{name} of {piece} is {}  {path}",
                    Status::Reconstructed.as_str()
                )
            }
            Event::Outcome(outcome) => format!(
                "{} = {}",
                outcome.name,
                json_text(&to_json(&outcome.value, board))
            ),
            Event::Step(title) => format!("— {title}"),
            // Descriptions of options are shown in the menu.
            Event::Described(_) => continue,
            Event::MapDrawing(drawing) => format!("{}: drawn on the map", drawing.0),
            Event::Line(line) => {
                format!(
                    "\"{}\" rests on {}",
                    fill_template(&line.template, &line.values, board),
                    source_names(&line.sources, ruleset).join(", ")
                )
            }
        };
        lines.push(format!("{}{text}", "· ".repeat(depth)));
    }
    lines
}
