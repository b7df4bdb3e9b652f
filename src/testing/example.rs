//! Examples: statements of the sources as functions beside their case, and as questions in tables and scenarios.

use crate::code::machine::Machine;
use crate::code::program::{Program, Source};
use crate::complaint::{Complaint, Complaints, Error, Place, Span};
use crate::data::case::{Case, Function};
use crate::data::files::File;
use crate::data::format::chart;
use crate::data::library::Library;
use crate::data::scenario::Sort;
use crate::data::yaml::{Node, Reader};
use crate::ruleset::compose::{Ruleset, Wish};
use crate::ruleset::laws;
use crate::situation::board::Board;
use crate::situation::start::Start;
use crate::situation::trace::Event;
use crate::situation::value::Value as Answer;
use crate::situation::words;
use crate::testing::difference::Difference;
use crate::testing::trial::{self, Failed};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What became of one example, or of one test of a ruling.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Proof {
    /// Its id and how the statement is known: "HAR-093 stated"; or the function's name.
    pub id: String,
    /// The function, or the question.
    pub name: String,
    /// The file.
    pub path: String,
    /// What was in force.
    pub ruleset: String,
    /// Why it fails; none if it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complaint: Option<Complaint>,
    /// How a ruling differs from its snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// Whether its snapshot was written anew.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
}

/// What an example asks to be in force, from the doc lines above it or the keys beside it.
#[derive(Clone, Debug, Default)]
struct Setting {
    id: String,
    with: Option<Vec<String>>,
    readings: Vec<(String, String)>,
    options: Vec<(String, bool)>,
}

impl Setting {
    fn read(doc: &[String], name: &str) -> Setting {
        let mut setting = Setting { id: name.into(), ..Setting::default() };
        for (i, line) in doc.iter().enumerate() {
            match line.split_once(':') {
                Some(("with", list)) => {
                    setting.with = Some(list.split(',').map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect())
                }
                Some(("reading", text)) => setting.readings.extend(text.split(',').filter_map(pair)),
                Some(("option", text)) => setting.options.extend(text.split(',').filter_map(pair).map(|(k, v)| (k, v != "off"))),
                _ if i == 0 => setting.id = line.clone(),
                _ => {}
            }
        }
        setting
    }

    fn wish(&self, game: &str, layer: Option<&str>) -> Wish {
        let mut with: Vec<String> = self.with.clone().unwrap_or_default();
        if let Some(layer) = layer
            && !with.iter().any(|w| w == layer)
        {
            with.push(layer.into());
        }
        Wish { game: game.into(), with, options: self.options.clone(), readings: self.readings.clone(), ..Wish::default() }
    }
}

/// "a=b"
fn pair(text: &str) -> Option<(String, String)> {
    text.split_once('=').map(|(k, v)| (k.trim().into(), v.trim().into()))
}

/// Stands for the place of an example until that is known.
const EXAMPLE: &str = "(example)";
const SETTING: &str = "an example says under which variants, readings and options it holds; mend that, or the name";
const SOURCE: &str = "the source decides: mend the figures, or the example if it misreads the source";

/// Why a ruleset can't be had for an example; what is wrong with the example itself is shown where it names it.
fn refused(complaints: &Complaints, place: impl FnOnce(&str) -> Place) -> Option<Complaint> {
    let mut complaint = complaints.0.first()?.clone();
    if complaint.place.path == EXAMPLE {
        complaint.place = place(complaint.what.split('`').nth(1).unwrap_or_default());
    }
    Some(complaint)
}

/// Where a doc line above an example has a word; the example's name where none has.
fn doc_line(case: &Case, function: &Function, word: &str) -> Place {
    let (first, last) = (function.span.line.saturating_sub(function.doc.len() + 1), function.span.line);
    let lines = case.file.text.lines().enumerate().take(last).skip(first).filter(|(_, line)| line.starts_with("///"));
    let mut found = lines.filter_map(|(index, line)| Some((index + 1, line[..line.find(word)?].chars().count() + 1)));
    let span = found.next().filter(|_| !word.is_empty());
    let span = span.map_or(function.span, |(line, column)| Span { line, column, length: word.chars().count() });
    Place::at(&case.file.path, &case.file.text, span)
}

/// Rulesets that examples run under, each made once.
pub struct Rulesets {
    library: Arc<Library>,
    made: BTreeMap<String, Result<Machine, Complaints>>,
}

impl Rulesets {
    /// None made yet.
    pub fn new(library: &Arc<Library>) -> Rulesets {
        Rulesets { library: library.clone(), made: BTreeMap::new() }
    }

    /// The ruleset of a wish, ready to be asked.
    pub fn get(&mut self, wish: &Wish) -> &mut Result<Machine, Complaints> {
        let library = &self.library;
        self.made.entry(format!("{wish:?}")).or_insert_with(|| match laws::enact(library, wish) {
            Ok((ruleset, _)) => Ok(Machine::new(Arc::new(Program::new(Arc::new(ruleset))))),
            Err(Error::Data(complaints)) => Err(complaints),
            Err(other) => Err(Complaint::new("example", Place::file(EXAMPLE), other.to_string()).help(SETTING).into()),
        })
    }
}

/// Runs the examples of a game and its variants whose file's path holds `filter`.
pub fn run(library: &Arc<Library>, game: &str, filter: &str, mut each: impl FnMut(&Proof)) -> Result<Vec<Proof>, Error> {
    run_watched(&mut Rulesets::new(library), library, game, filter, &mut each, None)
}

/// Shown the ruleset and the events of every run.
pub type After<'a> = Option<&'a mut dyn FnMut(&Ruleset, &[Event])>;

/// The same under rulesets that may be made already; `after` is shown what happened in every run.
pub fn run_watched(
    rulesets: &mut Rulesets,
    library: &Arc<Library>,
    game: &str,
    filter: &str,
    each: &mut impl FnMut(&Proof),
    mut after: After,
) -> Result<Vec<Proof>, Error> {
    let mut proofs = Vec::new();
    let manifest = library.game(game)?;
    // Where the printed game itself is broken, every example would say the same.
    laws::enact(library, &Wish { game: game.into(), ..Wish::default() })?;
    let variants: Vec<Option<&str>> = [None].into_iter().chain(library.variants_of(game).into_iter().map(Some)).collect();
    for variant in variants {
        let mut ignore = Complaints::default();
        let layer = library.layer(manifest, variant, &mut ignore);
        for case in layer.cases.iter().filter(|c| wanted(&c.file.path, filter)) {
            for function in case.functions.iter().filter(|f| f.is_example()) {
                let setting = Setting::read(&function.doc, &function.name);
                let wish = setting.wish(game, variant);
                let proof = |complaint, ruleset: String| Proof {
                    id: setting.id.clone(),
                    name: function.name.clone(),
                    path: case.file.path.clone(),
                    ruleset,
                    complaint,
                    ..Proof::default()
                };
                let proof = match rulesets.get(&wish) {
                    Err(complaints) => proof(refused(complaints, |word| doc_line(case, function, word)), wish.with.join(", ")),
                    Ok(machine) => {
                        let ruleset = machine.program.ruleset.clone();
                        let found = ruleset.cases.iter().position(|c| c.file.key == case.file.key);
                        let index = case.functions.iter().position(|f| f.name == function.name).unwrap_or(0);
                        match found {
                            None => proof(
                                Some(
                                    case.complaint("example", function.span, "the option that switches this case is off here")
                                        .help("mend the `with:` or `option:` line"),
                                ),
                                ruleset.title(),
                            ),
                            Some(found) => {
                                machine.trace = after.is_some().then(Vec::new);
                                let board = Board::new(Arc::new(Start::empty(&ruleset.game)));
                                let result = trial::run(machine, Source::Function(found, index), board, Default::default());
                                told(&mut after, machine);
                                proof(verdict(result.map(|_| ()), case, function.span), ruleset.title())
                            }
                        }
                    }
                };
                each(&proof);
                proofs.push(proof);
            }
        }
        let tables = layer.tables.values().flatten().chain(layer.scenarios.values());
        for file in tables.filter(|f| wanted(&f.path, filter)) {
            let mut reader = Reader::new(&file.path, &file.text);
            let Some(root) = reader.parse(&file.text, 0) else { continue };
            let with = root.get("with").map(|n| reader.texts(n));
            for item in root.get("examples").map(Node::items).unwrap_or_default() {
                let proof = ask(item, &mut reader, rulesets, game, variant, file, with.clone(), &mut after);
                each(&proof);
                proofs.push(proof);
            }
        }
    }
    Ok(proofs)
}

/// Shows what happened in a run to whoever wants to see it.
fn told(after: &mut After, machine: &mut Machine) {
    if let (Some(after), Some(events)) = (after, machine.trace.take()) {
        after(&machine.program.ruleset, &events);
    }
}

fn wanted(path: &str, filter: &str) -> bool {
    filter.is_empty() || path.contains(filter.trim_start_matches("./"))
}

fn verdict(result: Result<(), Failed>, case: &Case, span: Span) -> Option<Complaint> {
    match result {
        Ok(()) => None,
        Err(Failed::Broken(complaints)) => complaints.0.into_iter().next(),
        Err(Failed::Refused(refusal)) => Some(
            case.complaint("example", span, format!("refused: {}", refusal.template))
                .help("`expect_refused(|| ..., \"case\")` expects a refusal"),
        ),
    }
}

/// One question of a YAML file: `ask:` an expression, `then:` its value.
#[allow(clippy::too_many_arguments)]
fn ask(
    item: &Node,
    reader: &mut Reader,
    rulesets: &mut Rulesets,
    game: &str,
    variant: Option<&str>,
    file: &File,
    with: Option<Vec<String>>,
    after: &mut After,
) -> Proof {
    let (path, text, name) = (file.path.as_str(), &file.text, file.stem());
    reader.complaints = Complaints::default();
    reader.fits(item, &chart::EXAMPLE);
    let question = reader.need(item, "ask").unwrap_or_default().to_string();
    let id = reader.maybe(item, "id").unwrap_or_else(|| question.clone());
    let list = |reader: &mut Reader, key: &str| item.get(key).map(|n| reader.texts(n));
    let mut setting = Setting { id, with: list(reader, "with").or(with), ..Setting::default() };
    setting.readings = list(reader, "reading").unwrap_or_default().iter().filter_map(|t| pair(t)).collect();
    setting.options = list(reader, "option").unwrap_or_default().iter().filter_map(|t| pair(t)).map(|(k, v)| (k, v != "off")).collect();
    let place = |node: &Node| Place::at(path, text, node.span);
    let mut proof = Proof { id: setting.id.clone(), name: question.clone(), path: path.into(), ..Proof::default() };
    let at = item.get("ask").unwrap_or(item);
    if reader.complaints.any_error() {
        proof.complaint = reader.complaints.0.first().cloned();
        return proof;
    }
    let named = |word: &str| {
        let mut nodes = ["with", "reading", "option"].iter().filter_map(|key| item.get(key)).flat_map(Node::items);
        place(nodes.find(|node| node.text().is_some_and(|text| text.contains(word))).unwrap_or(item))
    };
    proof.complaint = match rulesets.get(&setting.wish(game, variant)) {
        Err(complaints) => refused(complaints, named),
        Ok(machine) => {
            let ruleset = machine.program.ruleset.clone();
            proof.ruleset = ruleset.title();
            let (mut start, mut answers) = (Start::empty(&ruleset.game), Default::default());
            // A situation's own questions are asked of its board.
            if let Ok(scenario) = ruleset.scenario(name)
                && scenario.sort == Sort::Situation
                && let Ok(own) = Start::new(&scenario, &ruleset)
            {
                (start, answers) = (own, words::answers(&scenario));
            }
            machine.trace = after.is_some().then(Vec::new);
            let wanted = item.get("then").map_or(Answer::Nothing, words::value);
            let answer = trial::run(machine, Source::Expression(question, Vec::new()), Board::new(Arc::new(start)), answers);
            told(after, machine);
            match answer {
                Ok((got, state)) => {
                    let board = &state.board;
                    let show = |value: &Answer| words::text_of(value, board);
                    let what = || format!("expected {}, got {}", show(&wanted), show(&got));
                    (!words::same(&got, &wanted, board)).then(|| Complaint::new("example", place(at), what()).help(SOURCE))
                }
                Err(Failed::Broken(complaints)) => {
                    complaints.0.into_iter().next().map(|complaint| Complaint { place: place(at), ..complaint })
                }
                Err(Failed::Refused(refusal)) => {
                    Some(Complaint::new("example", place(at), format!("refused: {}", refusal.template)).help(SOURCE))
                }
            }
        }
    };
    proof
}
