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
        self.writes.keys().any(|target| matches!(target, EffectTarget::Figure(_) | EffectTarget::Pieces | EffectTarget::Track(_)))
    }

    fn add(&mut self, other: &FunctionEffects) {
        for (merged, added) in [(&mut self.reads, &other.reads), (&mut self.writes, &other.writes)] {
            for (target, line) in added {
                merged.entry(target.clone()).or_insert(*line);
            }
        }
    }
}

/// Returns the effects of every function of a case, in the order of its functions.
pub fn function_effects(ruleset: &Ruleset, script: &CaseScript) -> Vec<FunctionEffects> {
    let walks: Vec<EffectWalk> = script.functions().map(|(_, body)| EffectWalk::new(ruleset, script.case, body)).collect();
    (0..walks.len()).map(|index| transitive_effects(&walks, index)).collect()
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

    fn add_reads(&mut self, targets: impl IntoIterator<Item = EffectTarget>, at: SourcePosition) {
        for target in targets {
            self.effects.reads.entry(target).or_insert(at.0 as usize);
        }
    }

    fn add_writes(&mut self, targets: impl IntoIterator<Item = EffectTarget>, at: SourcePosition) {
        for target in targets {
            self.effects.writes.entry(target).or_insert(at.0 as usize);
        }
    }

    /// Records a read of the figure `name` if pieces have a figure of this name.
    fn read_figure(&mut self, name: &str, at: SourcePosition) {
        if is_figure(&self.ruleset.game, name) {
            self.add_reads([EffectTarget::Figure(name.into())], at);
        } else if name == "gone" {
            self.add_reads([EffectTarget::Pieces], at);
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
        let figures = |names: &[&str]| names.iter().map(|name| EffectTarget::Figure(name.to_string())).collect::<Vec<_>>();
        match (&*call.name, count) {
            ("set", 3) if acts => self.add_writes(text(1).map(EffectTarget::Figure), at),
            ("move_piece" | "put_on" | "take_from_box", 2) if acts => self.add_writes(figures(&["at", "on"]), at),
            // Arrays also have `remove`; the reason in the last argument tells the verb from the method.
            ("remove", 2) if acts && (shift == 0 || text(1).is_some()) => self.add_writes([EffectTarget::Pieces], at),
            ("create", 1) if acts => self.add_writes([EffectTarget::Pieces], at),
            ("set_track", 2) if acts => self.add_writes(text(0).map(EffectTarget::Track), at),
            ("result", 2) => self.add_writes(text(0).map(EffectTarget::Outcome), at),
            ("track", 1 | 2) => self.add_reads(text(0).map(EffectTarget::Track), at),
            ("table", 2..=4) => self.add_reads(text(0).map(EffectTarget::Table), at),
            ("reading", 1) => {
                let number = &self.case.number;
                let full = text(0).map(|name| if name.contains('.') { name } else { format!("{number}.{name}") });
                self.add_reads(full.map(EffectTarget::Reading), at);
            }
            ("pieces" | "has_piece", _) => self.add_reads([EffectTarget::Pieces], at),
            (name @ ("pieces_at" | "pieces_on" | "pieces_around"), _) => {
                self.add_reads([EffectTarget::Pieces], at);
                self.add_reads(figures(&[if name == "pieces_on" { "on" } else { "at" }]), at);
                if count == 2 {
                    self.add_reads(figures(&["side"]), at);
                }
            }
            ("is_a" | "where" | "without", 2) => self.add_reads(figures(&["kind"]), at),
            ("total" | "least" | "most" | "figures" | "sort_by", _) => {
                text(1).iter().for_each(|name| self.read_figure(name, at));
            }
            (name, _) if self.ruleset.slot(name, count).is_some() => self.add_reads([EffectTarget::Answer(name.into(), count)], at),
            (name, _) => self.helpers.extend(self.case.functions.iter().position(|f| f.private && f.name == name)),
        }
    }
}

/// Returns the effects of a function merged with those of all helpers it reaches.
fn transitive_effects(walks: &[EffectWalk], index: usize) -> FunctionEffects {
    let (mut effects, mut todo, mut visited) = (FunctionEffects::default(), vec![index], BTreeSet::new());
    while let Some(function) = todo.pop() {
        if visited.insert(function) {
            effects.add(&walks[function].effects);
            todo.extend(&walks[function].helpers);
        }
    }
    effects
}

/// Returns whether `name` is a figure of pieces, or a field for their position, owner or kind.
fn is_figure(game: &Game, name: &str) -> bool {
    game.index_of_attribute(name).is_some() || ["at", "on", "side", "kind"].contains(&name)
}
