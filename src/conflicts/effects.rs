//! What the functions of a case read and what they write, found in their code without running it.
//!
//! Features of places and of the sides between them are left out: no verb writes them, so nobody's reading can be disturbed.

use crate::data::case::Case;
use crate::data::manifest::Game;
use crate::ruleset::compose::Ruleset;
use rhai::{AST, ASTNode, Expr, FnCallExpr, Position, Stmt};
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
pub fn of(ruleset: &Ruleset, case: &Case, ast: &AST) -> Vec<Effects> {
    let count = case.functions.len();
    let mut walk =
        Walk { ruleset, case, assigned: BTreeSet::new(), found: vec![Effects::default(); count], calls: vec![Vec::new(); count] };
    ast.walk(&mut |path| {
        match path.last() {
            // The field of a record that is written, not read.
            Some(ASTNode::Stmt(Stmt::Assignment(assignment))) => walk.assigned.extend(target(&assignment.1.lhs)),
            Some(ASTNode::Expr(Expr::Property(property, position))) if !walk.assigned.contains(position) => {
                walk.figure(&property.2, *position);
            }
            Some(ASTNode::Expr(Expr::Index(pair, ..))) => {
                if let Expr::StringConstant(name, position) = &pair.rhs {
                    walk.figure(name, *position);
                }
            }
            Some(ASTNode::Expr(Expr::FnCall(call, position)) | ASTNode::Stmt(Stmt::FnCall(call, position))) => {
                walk.call(call, 0, *position);
            }
            Some(ASTNode::Expr(Expr::MethodCall(call, position))) => walk.call(call, 1, *position),
            _ => {}
        }
        true
    });
    walk.closed()
}

/// The place of the field that an assignment writes.
fn target(left: &Expr) -> Option<Position> {
    match left {
        Expr::Dot(pair, ..) => target(&pair.rhs),
        Expr::Property(_, position) => Some(*position),
        _ => None,
    }
}

struct Walk<'a> {
    ruleset: &'a Ruleset,
    case: &'a Case,
    assigned: BTreeSet<Position>,
    found: Vec<Effects>,
    calls: Vec<Vec<String>>,
}

impl Walk<'_> {
    /// The function in which a place stands.
    fn within(&self, position: Position) -> Option<usize> {
        let line = position.line()?;
        self.case.functions.iter().rposition(|f| f.span.line <= line)
    }

    fn read(&mut self, thing: Thing, position: Position) {
        if let (Some(f), Some(line)) = (self.within(position), position.line()) {
            self.found[f].reads.entry(thing).or_insert(line);
        }
    }

    fn write(&mut self, thing: Thing, position: Position) {
        if let (Some(f), Some(line)) = (self.within(position), position.line()) {
            self.found[f].writes.entry(thing).or_insert(line);
        }
    }

    /// A figure that is read, if pieces have one of this name.
    fn figure(&mut self, name: &str, position: Position) {
        if is_figure(&self.ruleset.game, name) {
            self.read(Thing::Figure(name.into()), position);
        } else if name == "gone" {
            self.read(Thing::Pieces, position);
        }
    }

    /// A call; `shift` is 1 where the first argument stands before the point.
    fn call(&mut self, call: &FnCallExpr, shift: usize, position: Position) {
        let text = |i: usize| match i.checked_sub(shift).and_then(|i| call.args.get(i)) {
            Some(Expr::StringConstant(text, _)) => Some(text.to_string()),
            _ => None,
        };
        let count = call.args.len() + shift;
        let acts = self.case.procedure.is_some();
        match (call.name.as_str(), count) {
            ("set", 3) if acts => {
                if let Some(name) = text(1) {
                    self.write(Thing::Figure(name), position);
                }
            }
            ("move_piece" | "put_on", 2) if acts => {
                ["at", "on"].into_iter().for_each(|name| self.write(Thing::Figure(name.into()), position));
            }
            // An array, too, has things removed from it, but for no reason.
            ("remove", 2) if acts && (shift == 0 || text(1).is_some()) => self.write(Thing::Pieces, position),
            ("create", 1) if acts => self.write(Thing::Pieces, position),
            ("set_track", 2) if acts => {
                if let Some(name) = text(0) {
                    self.write(Thing::Track(name), position);
                }
            }
            ("result", 2) => {
                if let Some(name) = text(0) {
                    self.write(Thing::Outcome(name), position);
                }
            }
            ("track", 1 | 2) => {
                if let Some(name) = text(0) {
                    self.read(Thing::Track(name), position);
                }
            }
            ("table", 2..=4) => {
                if let Some(name) = text(0) {
                    self.read(Thing::Table(name), position);
                }
            }
            ("reading", 1) => {
                if let Some(name) = text(0) {
                    let full = if name.contains('.') { name } else { format!("{}.{name}", self.case.number) };
                    self.read(Thing::Reading(full), position);
                }
            }
            ("pieces" | "has_piece", _) => self.read(Thing::Pieces, position),
            ("pieces_at" | "pieces_on" | "pieces_around", _) => {
                self.read(Thing::Pieces, position);
                self.read(Thing::Figure(if call.name == "pieces_on" { "on" } else { "at" }.into()), position);
                if count == 2 {
                    self.read(Thing::Figure("side".into()), position);
                }
            }
            ("is_a" | "only" | "without", 2) => self.read(Thing::Figure("kind".into()), position),
            ("total" | "having" | "not_having" | "figures" | "sort_by", _) => {
                if let Some(name) = text(1) {
                    self.figure(&name, position);
                }
            }
            (name, _) if self.ruleset.slot(name, count).is_some() => self.read(Thing::Answer(name.into(), count), position),
            (name, _) => {
                if let Some(f) = self.within(position) {
                    self.calls[f].push(name.to_string());
                }
            }
        }
    }

    /// Every function with what the helpers of the file do for it.
    fn closed(self) -> Vec<Effects> {
        let helper = |name: &String| self.case.functions.iter().position(|f| f.private && f.name == *name);
        let mut all = Vec::new();
        for index in 0..self.found.len() {
            let (mut whole, mut todo, mut seen) = (Effects::default(), vec![index], BTreeSet::new());
            while let Some(f) = todo.pop() {
                if seen.insert(f) {
                    whole.add(&self.found[f]);
                    todo.extend(self.calls[f].iter().filter_map(helper));
                }
            }
            all.push(whole);
        }
        all
    }
}

/// Whether pieces have such a figure, or it says where, whose or what they are.
fn is_figure(game: &Game, name: &str) -> bool {
    game.attribute(name).is_some() || ["at", "on", "side", "kind"].contains(&name)
}
