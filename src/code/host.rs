//! What the verbs of scripts reach: the ruleset, the run under way, and who answers a question.

use crate::code::fault::{innermost, syntax};
use crate::code::memo::{Known, Memo, Question};
use crate::complaint::Complaints;
use crate::data::case::Case;
use crate::data::manifest::Game;
use crate::data::table::Table;
use crate::notation::{Dice, Hex};
use crate::ruleset::compose::Ruleset;
use crate::ruleset::laws::calls_prior;
use crate::situation::session::{Answer, Figures, Session, fault};
use crate::situation::trace::Event;
use rhai::{AST, Array, Dynamic, Engine, EvalAltResult, ImmutableString, Position, Scope};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Cases that may wait for each other's answers.
pub const DEPTH: usize = 40;

/// Bytes of stack that one case may need with all the calls inside its file, and bytes that are laid beside it where fewer are left.
/// So limits end a script that nests too deep, and the stack of the thread never does.
const STACK: (usize, usize) = (4 << 20, 16 << 20);

/// A table with its cells as scripts see them.
pub struct Chart {
    /// The table.
    pub table: Arc<Table>,
    /// The value of each cell; none where it is missing.
    pub values: Vec<Option<Dynamic>>,
}

/// One answer of a chain, made ready for asking.
struct Ready {
    case: usize,
    function: usize,
    asks_prior: bool,
    /// Whether its card declares its chances independent.
    per: bool,
}

/// A question that may throw dice, as an [`Explorer`] is shown it.
pub struct Asked<'a> {
    /// Slot and depth in its chain.
    pub place: (usize, usize),
    /// Whether its card declares its chances independent of all others, answered from the argument alone.
    pub per: bool,
    /// Its key.
    pub question: &'a Question,
    /// What it is asked with.
    pub args: &'a [Dynamic],
}

/// Whoever leads a procedure through all its chances may answer a question in its own way.
pub trait Explorer {
    /// The answer, or none to let the case answer.
    fn offer(&self, host: &Host, engine: &Engine, asked: &Asked) -> Option<Answer>;
}

/// A case waiting for its answer.
struct Frame {
    slot: usize,
    depth: usize,
    case: usize,
    /// What it was asked with, where it may ask `prior()`.
    args: Option<Vec<Dynamic>>,
}

/// A hex with what is often asked of it.
struct Spot {
    hex: Hex,
    neighbours: Array,
}

/// What the verbs reach.
pub struct Host {
    /// The ruleset.
    pub ruleset: Arc<Ruleset>,
    /// The run.
    pub session: RefCell<Session>,
    /// Answers already given.
    pub memo: Memo,
    /// The answer that came last, for `require`.
    pub answered: Cell<Option<usize>>,
    /// Rhai operations of the run, over all cases.
    pub operations: Cell<u64>,
    /// When the run has to end.
    pub deadline: Cell<Option<Instant>>,
    /// Who leads the run through all its chances, if anybody does.
    pub explorer: RefCell<Option<Rc<dyn Explorer>>>,
    /// The cases that were run, whoever else's answer was known already.
    pub consulted: RefCell<rustc_hash::FxHashSet<usize>>,
    /// The case and place where the run broke.
    pub broken_at: Cell<Option<(usize, Position)>>,
    ready: Vec<Vec<Ready>>,
    frames: RefCell<Vec<Frame>>,
    /// Functions compiled so far, by case and number; and policies, by `usize::MAX` and number.
    pub compiled: RefCell<FxHashMap<(usize, usize), Rc<AST>>>,
    charts: RefCell<FxHashMap<String, Rc<Chart>>>,
    dice: RefCell<FxHashMap<ImmutableString, Dice>>,
    spots: RefCell<FxHashMap<ImmutableString, Rc<Spot>>>,
}

impl Host {
    /// The host of a ruleset.
    pub fn new(ruleset: Arc<Ruleset>) -> Host {
        let ready = |answer: &crate::ruleset::compose::Answer| {
            let function = &ruleset.cases[answer.case].functions[answer.function];
            Ready {
                case: answer.case,
                function: answer.function,
                asks_prior: calls_prior(function),
                per: is_per(&ruleset.cases[answer.case], function),
            }
        };
        Host {
            ready: ruleset.slots.iter().map(|slot| slot.chain.iter().map(ready).collect()).collect(),
            compiled: RefCell::default(),
            session: RefCell::default(),
            memo: Memo::default(),
            answered: Cell::new(None),
            operations: Cell::new(0),
            deadline: Cell::new(None),
            explorer: RefCell::default(),
            consulted: RefCell::default(),
            broken_at: Cell::new(None),
            frames: RefCell::default(),
            charts: RefCell::default(),
            dice: RefCell::default(),
            spots: RefCell::default(),
            ruleset,
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.ruleset.game
    }

    /// Asks the answer at a depth of a slot's chain.
    pub fn ask(&self, engine: &Engine, slot: usize, depth: usize, args: Vec<Dynamic>) -> Answer {
        let answer = self.ruleset.slots[slot].chain[depth];
        if let Some(by) = answer.struck_by {
            let by = &self.ruleset.cases[by];
            let what = format!("`{}` no longer stands: {} {} revises it", self.ruleset.slots[slot].name, by.layer, by.number);
            return fault("kind", what, "answer it in the revision, or do not ask");
        }
        let question = Memo::question(slot, depth, &args);
        if let Some(known) = question.as_ref().and_then(|q| self.memo.recall(q)) {
            let mut session = self.session.borrow_mut();
            session.events.push(Event::Ask { slot, depth, again: true });
            session.events.extend(known.cells);
            session.events.push(Event::Done);
            self.answered.set(Some(answer.reinstated_by.unwrap_or(answer.case)));
            return Ok(known.value);
        }
        let explorer = self.explorer.borrow().clone();
        if let (Some(explorer), Some(question)) = (explorer, &question) {
            let asked = Asked { place: (slot, depth), per: self.ready[slot][depth].per, question, args: &args };
            if let Some(offered) = explorer.offer(self, engine, &asked) {
                self.answered.set(Some(answer.reinstated_by.unwrap_or(answer.case)));
                return offered;
            }
        }
        self.answer(engine, (slot, depth), args, question)
    }

    /// Lets the case answer.
    pub fn answer(&self, engine: &Engine, (slot, depth): (usize, usize), args: Vec<Dynamic>, question: Option<Question>) -> Answer {
        let answer = self.ruleset.slots[slot].chain[depth];
        if self.frames.borrow().len() >= DEPTH {
            return fault(
                "limit",
                format!("{DEPTH} cases wait for each other's answers"),
                "a case asks itself in a circle: look at who calls whom",
            );
        }
        let ready = &self.ready[slot][depth];
        self.consulted.borrow_mut().extend([ready.case].into_iter().chain(answer.reinstated_by));
        let kept = ready.asks_prior.then(|| args.clone());
        self.frames.borrow_mut().push(Frame { slot, depth, case: answer.case, args: kept });
        let (from, acts) = {
            let mut session = self.session.borrow_mut();
            session.events.push(Event::Ask { slot, depth, again: false });
            (session.events.len(), self.memo.acts())
        };
        let before = self.memo.look_anew();
        let result = self.call(engine, ready.case, ready.function, args);
        self.frames.borrow_mut().pop();
        let aspects = self.memo.looked(before);
        let mut session = self.session.borrow_mut();
        if let (Ok(value), Some(question)) = (&result, question)
            && self.memo.acts() == acts
            && !value.is::<crate::situation::session::Record>()
        {
            let cells = session.events[from..].iter().filter(|e| matches!(e, Event::Cell(..))).cloned().collect();
            self.memo.keep(question, aspects, Known { value: value.flatten_clone(), cells });
        }
        session.events.push(Event::Done);
        self.answered.set(Some(answer.reinstated_by.unwrap_or(answer.case)));
        result
    }

    /// `prior()`: the next older answer, with the same arguments or others.
    pub fn prior(&self, engine: &Engine, args: Vec<Dynamic>) -> Answer {
        let (slot, depth, kept) = match self.frames.borrow().last() {
            Some(frame) if frame.slot != usize::MAX => (frame.slot, frame.depth, frame.args.clone()),
            _ => {
                let what = "`prior()` asks for an older answer, and nothing is being answered here";
                return fault("prior", what, "use it inside a function that an older layer answers");
            }
        };
        let asked = &self.ruleset.slots[slot];
        if depth + 1 >= asked.chain.len() {
            return fault("prior", format!("no older layer answers `{}`", asked.name), "`prior()` is for cases that amend an older answer");
        }
        let args = if args.is_empty() { kept.unwrap_or_default() } else { args };
        if args.len() != asked.arity {
            let what = format!("`{}` takes {} arguments, `prior` was given {}", asked.name, asked.arity, args.len());
            return fault("prior", what, "give all of them or none");
        }
        self.ask(engine, slot, depth + 1, args)
    }

    /// Runs a function of one case, with no question behind it: an example.
    pub fn run(&self, engine: &Engine, case: usize, function: usize) -> Answer {
        self.frames.borrow_mut().push(Frame { slot: usize::MAX, depth: 0, case, args: None });
        let result = self.call(engine, case, function, Vec::new());
        self.frames.borrow_mut().clear();
        result
    }

    fn call(&self, engine: &Engine, case: usize, function: usize, args: Vec<Dynamic>) -> Answer {
        let known = self.compiled.borrow().get(&(case, function)).cloned();
        let ast = match known {
            Some(ast) => ast,
            None => match self.compile(engine, case, Some(function)) {
                Ok(ast) => self.compiled.borrow_mut().entry((case, function)).or_insert(Rc::new(ast)).clone(),
                Err(complaints) => return broken(complaints),
            },
        };
        let mut scope = Scope::new();
        scope.extend(self.ruleset.cases[case].functions[function].params.iter().map(String::as_str).zip(args));
        let result = stacker::maybe_grow(STACK.0, STACK.1, || engine.eval_ast_with_scope::<Dynamic>(&mut scope, &ast));
        if let Err(error) = &result
            && self.broken_at.get().is_none()
        {
            let (position, name) = (innermost(error).1, self.ruleset.cases[case].functions[function].span);
            // Of some faults inside closures Rhai keeps no place; then it is the function.
            let narrow = |n: usize| u16::try_from(n).unwrap_or(1);
            let known = if position.is_none() { Position::new(narrow(name.line), narrow(name.column)) } else { position };
            self.broken_at.set(Some((case, known)));
        }
        result
    }

    /// Compiles a function with the helpers of its file, or a whole file. What is not asked is not compiled: most of a file is examples.
    pub fn compile(&self, engine: &Engine, case: usize, function: Option<usize>) -> Result<AST, Complaints> {
        let case = &self.ruleset.cases[case];
        let params = |wanted: usize| case.functions[wanted].params.iter().map(|p| (p.as_str(), Dynamic::UNIT));
        let compiled = match function {
            None => engine.compile(&*case.file.text),
            Some(wanted) => engine.compile_with_scope(&Scope::from_iter(params(wanted)), case.alone(wanted)),
        };
        let mut ast = compiled.map_err(|error| syntax(case, &error.0.to_string(), error.1))?;
        if function.is_none()
            && let Some(statement) = ast.statements().first()
        {
            return Err(syntax(case, "a case holds functions, and nothing outside them", statement.position()).into());
        }
        ast.set_source(case.file.path.as_str());
        Ok(ast)
    }

    /// A table with its values, read once; none where there is no such table.
    pub fn chart(&self, id: &str) -> Answer<Option<Rc<Chart>>> {
        if let Some(chart) = self.charts.borrow().get(id) {
            return Ok(Some(chart.clone()));
        }
        let table = match self.ruleset.table(id) {
            Ok(Some(table)) => table,
            Ok(None) => return Ok(None),
            Err(complaints) => return broken(complaints),
        };
        let values = (0..table.cells.len()).map(|index| value(&table, index)).collect();
        let chart = Rc::new(Chart { table, values });
        self.charts.borrow_mut().insert(id.into(), chart.clone());
        Ok(Some(chart))
    }

    /// Dice by their notation, read once.
    pub fn dice(&self, text: &ImmutableString) -> Answer<Dice> {
        if let Some(dice) = self.dice.borrow().get(text) {
            return Ok(dice.clone());
        }
        let dice = Dice::read(text).or_else(|error| fault("notation", error.to_string(), "write dice as 1d6 or 2d6"))?;
        self.dice.borrow_mut().insert(text.clone(), dice.clone());
        Ok(dice)
    }

    /// How many hexes lie between two.
    pub fn hexes_between(&self, a: &ImmutableString, b: &ImmutableString) -> Answer<i64> {
        Ok(self.game().places.distance(&self.spot(a)?.hex, &self.spot(b)?.hex))
    }

    /// The hexes around one.
    pub fn hexes_around(&self, place: &ImmutableString) -> Answer<Array> {
        Ok(self.spot(place)?.neighbours.clone())
    }

    fn spot(&self, place: &ImmutableString) -> Answer<Rc<Spot>> {
        if let Some(spot) = self.spots.borrow().get(place) {
            return Ok(spot.clone());
        }
        let hex = Hex::read(place).or_else(|error| fault("notation", error.to_string(), "a hex is the sheet and four digits"))?;
        let neighbours = self.game().places.neighbours(&hex).iter().map(|n| Dynamic::from(ImmutableString::from(n.to_string()))).collect();
        let spot = Rc::new(Spot { hex, neighbours });
        self.spots.borrow_mut().insert(place.clone(), spot.clone());
        Ok(spot)
    }

    /// The keys of the files that had a part in the runs so far: cases that were run, tables that were read.
    pub fn files_consulted(&self) -> Vec<String> {
        let cases = self.consulted.borrow();
        let charts = self.charts.borrow();
        let tables = charts.values().flat_map(|chart| chart.table.chain.iter().map(|(.., file)| file.key.clone()));
        cases.iter().map(|case| self.ruleset.cases[*case].file.key.clone()).chain(tables).collect()
    }

    /// The case being answered, as an index among those in force.
    pub fn current(&self) -> Option<usize> {
        self.frames.borrow().last().map(|frame| frame.case)
    }

    /// The case that answers a question; none while an example speaks for itself.
    pub fn answering(&self) -> Option<&Case> {
        let frames = self.frames.borrow();
        frames.last().filter(|frame| frame.slot != usize::MAX).map(|frame| &*self.ruleset.cases[frame.case])
    }

    /// Forgets the run before.
    pub fn reset(&self) {
        self.frames.borrow_mut().clear();
        self.answered.set(None);
        self.operations.set(0);
        self.broken_at.set(None);
    }

    /// Notes an event that is more than an answer: dice, a choice, a line, an outcome.
    pub fn note(&self, event: Event) {
        self.memo.act();
        self.session.borrow_mut().events.push(event);
    }
}

/// Ends the script with complaints about the data it met.
fn broken<T>(complaints: Complaints) -> Answer<T> {
    Err(Box::new(EvalAltResult::ErrorRuntime(Dynamic::from(complaints), Position::NONE)))
}

/// Whether a function takes just the parameter that its card names under `per:`.
fn is_per(case: &Case, function: &crate::data::case::Function) -> bool {
    matches!(&function.params[..], [only] if case.per.as_ref() == Some(only))
}

/// A cell as scripts see it: a number, a word, or fields.
fn value(table: &Table, index: usize) -> Option<Dynamic> {
    let cell = &table.cells[index];
    if cell.missing() {
        return None;
    }
    let plain = |text: &str| text.parse::<i64>().map_or_else(|_| text.to_string().into(), Dynamic::from_int);
    if table.fields.is_empty() && table.marks.is_empty() {
        return Some(plain(&cell.text));
    }
    let (parts, marks) = table.split(&cell.text);
    let mut map = rhai::Map::new();
    for (field, part) in table.fields.iter().zip(parts) {
        map.insert(field.as_str().into(), plain(part));
    }
    for ((_, field), set) in table.marks.iter().zip(marks) {
        map.insert(field.as_str().into(), set.into());
    }
    Some(Dynamic::from(Figures(Rc::new(map))))
}
