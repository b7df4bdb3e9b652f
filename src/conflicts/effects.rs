//! What the functions of a case read and what they write, found in their code without running it.
//!
//! Features of places and of the sides between them are left out: no verb writes them, so nobody's reading can be disturbed.

use crate::author::script_vocabulary::{CaseScript, last_field};
use crate::data::case::Case;
use crate::data::manifest::Game;
use crate::ruleset::compose::Ruleset;
use crate::syntax::tree::{self, Call, Expression, Link, LinkKind, SourcePosition, Statement, TreeNode};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Something that one function may write and another read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectTarget {
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

/// Things with the first line on which each is touched.
pub type EffectTargets = BTreeMap<EffectTarget, usize>;

/// What a function reads and writes, the helpers of its file included.
#[derive(Clone, Debug, Default)]
pub struct FunctionEffects {
    /// What it asks for.
    pub reads: EffectTargets,
    /// What it changes.
    pub writes: EffectTargets,
}

impl FunctionEffects {
    /// Whether it changes the situation: then it acts, and does not only answer.
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

/// The effects of every function of a case, in their order.
pub fn function_effects(ruleset: &Ruleset, script: &CaseScript) -> Vec<FunctionEffects> {
    let own: Vec<EffectWalk> = script.functions().map(|(_, body)| EffectWalk::new(ruleset, script.case, body)).collect();
    (0..own.len()).map(|index| transitive_effects(&own, index)).collect()
}

/// What one function reads and writes itself, and the helpers of its file that it calls.
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
                // The field of a record that is written, not read.
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

    /// A figure that is read, if pieces have one of this name.
    fn read_figure(&mut self, name: &str, at: SourcePosition) {
        if is_figure(&self.ruleset.game, name) {
            self.add_read(EffectTarget::Figure(name.into()), at);
        } else if name == "gone" {
            self.add_read(EffectTarget::Pieces, at);
        }
    }

    /// A call; `shift` is 1 where the first argument stands before the point.
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
            // An array, too, has things removed from it, but for no reason.
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
            ("is_a" | "only" | "without", 2) => self.add_read(EffectTarget::Figure("kind".into()), at),
            ("total" | "having" | "not_having" | "figures" | "sort_by", _) => {
                if let Some(name) = text(1) {
                    self.read_figure(&name, at);
                }
            }
            (name, _) if self.ruleset.slot(name, count).is_some() => self.add_read(EffectTarget::Answer(name.into(), count), at),
            (name, _) => self.helpers.extend(self.case.functions.iter().position(|f| f.private && f.name == name)),
        }
    }
}

/// What a function does with what the helpers of the file do for it.
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

/// Whether pieces have such a figure, or it says where, whose or what they are.
fn is_figure(game: &Game, name: &str) -> bool {
    game.index_of_attribute(name).is_some() || ["at", "on", "side", "kind"].contains(&name)
}
