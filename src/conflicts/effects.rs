//! What the functions of a case read and what they write, found in their code without running it.
//!
//! Features of places and of the sides between them are left out: no verb writes them, so nobody's reading can be disturbed.

use crate::author::words::{Script, last_field};
use crate::data::case::Case;
use crate::data::manifest::Game;
use crate::ruleset::compose::Ruleset;
use crate::syntax::tree::{self, Asked, Call, Expression, Link, Node, Spot, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Something that one function may write and another read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thing {
    /// A figure of pieces; `at` and `on` are where they stand.
    Figure(String),
    /// Which pieces there are.
    Pieces,
    /// A track.
    Track(String),
    /// A table.
    Table(String),
    /// A reading.
    Reading(String),
    /// A named outcome.
    Outcome(String),
    /// The answer of a function, and how many arguments it takes.
    Answer(String, usize),
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Thing::Figure(name) if name == "at" || name == "on" => write!(f, "where pieces stand (`{name}`)"),
            Thing::Figure(name) => write!(f, "the `{name}` of pieces"),
            Thing::Pieces => write!(f, "which pieces there are"),
            Thing::Track(name) => write!(f, "the track `{name}`"),
            Thing::Table(name) => write!(f, "table {name}"),
            Thing::Reading(name) => write!(f, "the reading {name}"),
            Thing::Outcome(name) => write!(f, "the outcome `{name}`"),
            Thing::Answer(name, _) => write!(f, "the answer `{name}`"),
        }
    }
}

/// Things with the first line on which each is touched.
pub type Things = BTreeMap<Thing, usize>;

/// What a function reads and writes, the helpers of its file included.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// What it asks for.
    pub reads: Things,
    /// What it changes.
    pub writes: Things,
}

impl Effects {
    /// Whether it changes the situation: then it acts, and does not only answer.
    pub fn acts(&self) -> bool {
        self.writes.keys().any(|thing| matches!(thing, Thing::Figure(_) | Thing::Pieces | Thing::Track(_)))
    }

    fn add(&mut self, other: &Effects) {
        for (own, more) in [(&mut self.reads, &other.reads), (&mut self.writes, &other.writes)] {
            for (thing, line) in more {
                own.entry(thing.clone()).or_insert(*line);
            }
        }
    }
}

/// The effects of every function of a case, in their order.
pub fn of(ruleset: &Ruleset, script: &Script) -> Vec<Effects> {
    let own: Vec<Walk> = script.functions().map(|(_, body)| Walk::through(ruleset, script.case, body)).collect();
    (0..own.len()).map(|index| closed(&own, index)).collect()
}

/// What one function reads and writes itself, and the helpers of its file that it calls.
struct Walk<'a> {
    ruleset: &'a Ruleset,
    case: &'a Case,
    found: Effects,
    helpers: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn through(ruleset: &'a Ruleset, case: &'a Case, body: &[Statement]) -> Walk<'a> {
        let mut walk = Walk { ruleset, case, found: Effects::default(), helpers: Vec::new() };
        let mut assigned: BTreeSet<Spot> = BTreeSet::new();
        tree::walk(body, &mut |node| {
            match node {
                // The field of a record that is written, not read.
                Node::Statement(Statement::Assign { left: Expression::Chain(chain), .. }) => {
                    assigned.extend(last_field(chain).map(|(_, at)| at));
                }
                Node::Link(Link { asked: Asked::Field(name), at, .. }) if !assigned.contains(at) => walk.figure(name, *at),
                Node::Expression(Expression::Chain(chain)) => {
                    if let Some(Asked::Key(Expression::Text(name, at))) = chain.links.last().map(|link| &link.asked) {
                        walk.figure(name, *at);
                    }
                }
                Node::Expression(Expression::Call(call)) => walk.call(call, 0),
                Node::Link(Link { asked: Asked::Method(call), .. }) => walk.call(call, 1),
                _ => {}
            }
            true
        });
        walk
    }

    fn read(&mut self, thing: Thing, at: Spot) {
        self.found.reads.entry(thing).or_insert(at.0 as usize);
    }

    fn write(&mut self, thing: Thing, at: Spot) {
        self.found.writes.entry(thing).or_insert(at.0 as usize);
    }

    /// A figure that is read, if pieces have one of this name.
    fn figure(&mut self, name: &str, at: Spot) {
        if is_figure(&self.ruleset.game, name) {
            self.read(Thing::Figure(name.into()), at);
        } else if name == "gone" {
            self.read(Thing::Pieces, at);
        }
    }

    /// A call; `shift` is 1 where the first argument stands before the point.
    fn call(&mut self, call: &Call, shift: usize) {
        let at = call.at;
        let text = |i: usize| match i.checked_sub(shift).and_then(|i| call.args.get(i)) {
            Some(Expression::Text(text, _)) => Some(text.to_string()),
            _ => None,
        };
        let count = call.args.len() + shift;
        let acts = !self.case.procedures.is_empty();
        match (&*call.name, count) {
            ("set", 3) if acts => {
                if let Some(name) = text(1) {
                    self.write(Thing::Figure(name), at);
                }
            }
            ("move_piece" | "put_on", 2) if acts => {
                ["at", "on"].into_iter().for_each(|name| self.write(Thing::Figure(name.into()), at));
            }
            // An array, too, has things removed from it, but for no reason.
            ("remove", 2) if acts && (shift == 0 || text(1).is_some()) => self.write(Thing::Pieces, at),
            ("create", 1) if acts => self.write(Thing::Pieces, at),
            ("set_track", 2) if acts => {
                if let Some(name) = text(0) {
                    self.write(Thing::Track(name), at);
                }
            }
            ("result", 2) => {
                if let Some(name) = text(0) {
                    self.write(Thing::Outcome(name), at);
                }
            }
            ("track", 1 | 2) => {
                if let Some(name) = text(0) {
                    self.read(Thing::Track(name), at);
                }
            }
            ("table", 2..=4) => {
                if let Some(name) = text(0) {
                    self.read(Thing::Table(name), at);
                }
            }
            ("reading", 1) => {
                if let Some(name) = text(0) {
                    let full = if name.contains('.') { name } else { format!("{}.{name}", self.case.number) };
                    self.read(Thing::Reading(full), at);
                }
            }
            ("pieces" | "has_piece", _) => self.read(Thing::Pieces, at),
            ("pieces_at" | "pieces_on" | "pieces_around", _) => {
                self.read(Thing::Pieces, at);
                self.read(Thing::Figure(if &*call.name == "pieces_on" { "on" } else { "at" }.into()), at);
                if count == 2 {
                    self.read(Thing::Figure("side".into()), at);
                }
            }
            ("is_a" | "only" | "without", 2) => self.read(Thing::Figure("kind".into()), at),
            ("total" | "having" | "not_having" | "figures" | "sort_by", _) => {
                if let Some(name) = text(1) {
                    self.figure(&name, at);
                }
            }
            (name, _) if self.ruleset.slot(name, count).is_some() => self.read(Thing::Answer(name.into(), count), at),
            (name, _) => self.helpers.extend(self.case.functions.iter().position(|f| f.private && f.name == name)),
        }
    }
}

/// What a function does with what the helpers of the file do for it.
fn closed(own: &[Walk], index: usize) -> Effects {
    let (mut whole, mut todo, mut seen) = (Effects::default(), vec![index], BTreeSet::new());
    while let Some(function) = todo.pop() {
        if seen.insert(function) {
            whole.add(&own[function].found);
            todo.extend(&own[function].helpers);
        }
    }
    whole
}

/// Whether pieces have such a figure, or it says where, whose or what they are.
fn is_figure(game: &Game, name: &str) -> bool {
    game.attribute(name).is_some() || ["at", "on", "side", "kind"].contains(&name)
}
