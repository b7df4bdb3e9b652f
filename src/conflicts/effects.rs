//! Static analysis of case scripts: which parts of the state each function reads and writes.
//!
//! Features of places and of the sides between them are ignored: no verb writes them, so they cannot cause a conflict.

use crate::author::script_vocabulary::{CaseScript, last_field};
use crate::data::case::Case;
use crate::data::manifest::Game;
use crate::ruleset::compose::Ruleset;
use crate::syntax::tree::{self, Call, Expression, Link, LinkKind, SourcePosition, Statement, TreeNode};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Part of the state or of the rules that one function may write and another may read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectTarget {
    /// Figure of pieces, by name; `at` and `on` stand for their position.
    Figure(String),
    /// Set of pieces in play.
    Pieces,
    /// Track, by name.
    Track(String),
    /// Table, by id.
    Table(String),
    /// Reading, by name.
    Reading(String),
    /// Named outcome.
    Outcome(String),
    /// Result of a function, by name and number of arguments.
    Answer(String, usize),
}

impl fmt::Display for EffectTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EffectTarget::Figure(name) if name == "at" || name == "on" => write!(f, "where pieces stand (`{name}`)"),
            EffectTarget::Figure(name) => write!(f, "the `{name}` of pieces"),
            EffectTarget::Pieces => write!(f, "which pieces there are"),
            EffectTarget::Track(name) => write!(f, "the track `{name}`"),
            EffectTarget::Table(name) => write!(f, "table {name}"),
            EffectTarget::Reading(name) => write!(f, "the reading {name}"),
            EffectTarget::Outcome(name) => write!(f, "the outcome `{name}`"),
            EffectTarget::Answer(name, _) => write!(f, "the answer `{name}`"),
        }
    }
}

/// Targets, each with the first line (from 1) that accesses it.
pub type EffectTargets = BTreeMap<EffectTarget, usize>;

/// Reads and writes of a function, including those of the helpers it calls in its file.
#[derive(Clone, Debug, Default)]
pub struct FunctionEffects {
    /// Targets that the function reads.
    pub reads: EffectTargets,
    /// Targets that the function writes.
    pub writes: EffectTargets,
}

impl FunctionEffects {
    /// Returns whether the function writes the situation, so that it is more than a query.
    pub fn changes_situation(&self) -> bool {
        self.writes.keys().any(|thing| matches!(thing, EffectTarget::Figure(_) | EffectTarget::Pieces | EffectTarget::Track(_)))
    }

    fn add(&mut self, other: &FunctionEffects) {
        for (own, more) in [(&mut self.reads, &other.reads), (&mut self.writes, &other.writes)] {
            for (thing, line) in more {
                own.entry(thing.clone()).or_insert(*line);
            }
        }
    }
}

/// Returns the effects of every function of a case, in the order of its functions.
pub fn function_effects(ruleset: &Ruleset, script: &CaseScript) -> Vec<FunctionEffects> {
    let own: Vec<EffectWalk> = script.functions().map(|(_, body)| EffectWalk::new(ruleset, script.case, body)).collect();
    (0..own.len()).map(|index| transitive_effects(&own, index)).collect()
}

/// Visitor that collects the direct reads and writes of one function and the helpers it calls.
struct EffectWalk<'a> {
    ruleset: &'a Ruleset,
    case: &'a Case,
    effects: FunctionEffects,
    helpers: Vec<usize>,
}

impl<'a> EffectWalk<'a> {
    fn new(ruleset: &'a Ruleset, case: &'a Case, body: &[Statement]) -> EffectWalk<'a> {
        let mut walk = EffectWalk { ruleset, case, effects: FunctionEffects::default(), helpers: Vec::new() };
        let mut assigned: BTreeSet<SourcePosition> = BTreeSet::new();
        tree::walk(body, &mut |node| {
            match node {
                // The last field of the chain is the target of the assignment, so it is written, not read.
                TreeNode::Statement(Statement::Assign { target: Expression::Chain(chain), .. }) => {
                    assigned.extend(last_field(chain).map(|(_, at)| at));
                }
                TreeNode::Link(Link { kind: LinkKind::Field(name), at, .. }) if !assigned.contains(at) => walk.read_figure(name, *at),
                TreeNode::Expression(Expression::Chain(chain)) => {
                    if let Some(LinkKind::Key(Expression::Text(name, at))) = chain.links.last().map(|link| &link.kind) {
                        walk.read_figure(name, *at);
                    }
                }
                TreeNode::Expression(Expression::Call(call)) => walk.visit_call(call, 0),
                TreeNode::Link(Link { kind: LinkKind::Method(call), .. }) => walk.visit_call(call, 1),
                _ => {}
            }
            true
        });
        walk
    }

    fn add_read(&mut self, thing: EffectTarget, at: SourcePosition) {
        self.effects.reads.entry(thing).or_insert(at.0 as usize);
    }

    fn add_write(&mut self, thing: EffectTarget, at: SourcePosition) {
        self.effects.writes.entry(thing).or_insert(at.0 as usize);
    }

    /// Records a read of the figure `name` if pieces have a figure of this name.
    fn read_figure(&mut self, name: &str, at: SourcePosition) {
        if is_figure(&self.ruleset.game, name) {
            self.add_read(EffectTarget::Figure(name.into()), at);
        } else if name == "gone" {
            self.add_read(EffectTarget::Pieces, at);
        }
    }

    /// Records the effects of a call; `shift` is 1 in method syntax, where the receiver is the first argument.
    fn visit_call(&mut self, call: &Call, shift: usize) {
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
                    self.add_write(EffectTarget::Figure(name), at);
                }
            }
            ("move_piece" | "put_on", 2) if acts => {
                ["at", "on"].into_iter().for_each(|name| self.add_write(EffectTarget::Figure(name.into()), at));
            }
            // Arrays also have `remove`; the reason in the last argument tells the verb from the method.
            ("remove", 2) if acts && (shift == 0 || text(1).is_some()) => self.add_write(EffectTarget::Pieces, at),
            ("create", 1) if acts => self.add_write(EffectTarget::Pieces, at),
            ("set_track", 2) if acts => {
                if let Some(name) = text(0) {
                    self.add_write(EffectTarget::Track(name), at);
                }
            }
            ("result", 2) => {
                if let Some(name) = text(0) {
                    self.add_write(EffectTarget::Outcome(name), at);
                }
            }
            ("track", 1 | 2) => {
                if let Some(name) = text(0) {
                    self.add_read(EffectTarget::Track(name), at);
                }
            }
            ("table", 2..=4) => {
                if let Some(name) = text(0) {
                    self.add_read(EffectTarget::Table(name), at);
                }
            }
            ("reading", 1) => {
                if let Some(name) = text(0) {
                    let full = if name.contains('.') { name } else { format!("{}.{name}", self.case.number) };
                    self.add_read(EffectTarget::Reading(full), at);
                }
            }
            ("pieces" | "has_piece", _) => self.add_read(EffectTarget::Pieces, at),
            ("pieces_at" | "pieces_on" | "pieces_around", _) => {
                self.add_read(EffectTarget::Pieces, at);
                self.add_read(EffectTarget::Figure(if &*call.name == "pieces_on" { "on" } else { "at" }.into()), at);
                if count == 2 {
                    self.add_read(EffectTarget::Figure("side".into()), at);
                }
            }
            ("is_a" | "where" | "without", 2) => self.add_read(EffectTarget::Figure("kind".into()), at),
            ("total" | "least" | "most" | "figures" | "sort_by", _) => {
                if let Some(name) = text(1) {
                    self.read_figure(&name, at);
                }
            }
            (name, _) if self.ruleset.slot(name, count).is_some() => self.add_read(EffectTarget::Answer(name.into(), count), at),
            (name, _) => self.helpers.extend(self.case.functions.iter().position(|f| f.private && f.name == name)),
        }
    }
}

/// Returns the effects of a function merged with those of all helpers it reaches.
fn transitive_effects(own: &[EffectWalk], index: usize) -> FunctionEffects {
    let (mut whole, mut todo, mut seen) = (FunctionEffects::default(), vec![index], BTreeSet::new());
    while let Some(function) = todo.pop() {
        if seen.insert(function) {
            whole.add(&own[function].effects);
            todo.extend(&own[function].helpers);
        }
    }
    whole
}

/// Returns whether `name` is a figure of pieces, or a field for their position, owner or kind.
fn is_figure(game: &Game, name: &str) -> bool {
    game.index_of_attribute(name).is_some() || ["at", "on", "side", "kind"].contains(&name)
}
