//! Static analysis of case scripts: which parts of the state each function reads and writes.
//!
//! What a verb reads and writes, and which of its parameters name it, comes from the table of verbs.

use crate::author::script_vocabulary::{CallTarget, CaseScript, call_target, last_field};
use casebook_engine::code::verbs::{Role, VerbEffect, VerbReads};
use casebook_engine::data::case::Case;
use casebook_engine::data::declared_names::PLAIN_FIGURES;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::situation::cell_key::EntityKind;
use casebook_engine::situation::initial_board::GONE_COLUMN;
use casebook_engine::syntax::calls::{reachable_functions, visit_calls};
use casebook_engine::syntax::tree::{
    self, Call, Expression, Link, LinkKind, SourcePosition, Statement, TreeNode,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Part of the state or of the rules that one function may write and another may read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectTarget {
    /// Figure of pieces, by name; `at` and `on` stand for their position.
    Figure(String),
    /// Feature of places or of the sides between them, by name.
    Feature(String),
    /// Set of pieces in play.
    Pieces,
    /// Cards of a deck, by name.
    Deck(String),
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

impl EffectTarget {
    /// Whether it is a part of the situation, which procedures change.
    pub fn is_in_situation(&self) -> bool {
        use EffectTarget::{Answer, Deck, Feature, Figure, Outcome, Pieces, Reading, Table, Track};
        match self {
            Figure(_) | Feature(_) | Pieces | Deck(_) | Track(_) => true,
            Table(_) | Reading(_) | Outcome(_) | Answer(..) => false,
        }
    }
}

impl fmt::Display for EffectTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EffectTarget::Figure(name) if name == "at" || name == "on" => {
                write!(f, "the places of pieces (`{name}`)")
            }
            EffectTarget::Figure(name) => write!(f, "the `{name}` of pieces"),
            EffectTarget::Feature(name) => write!(f, "the `{name}` of places"),
            EffectTarget::Deck(name) => write!(f, "the deck `{name}`"),
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
        self.writes.keys().any(EffectTarget::is_in_situation)
    }

    fn add(&mut self, other: &FunctionEffects) {
        for (merged, added) in [
            (&mut self.reads, &other.reads),
            (&mut self.writes, &other.writes),
        ] {
            for (target, line) in added {
                merged.entry(target.clone()).or_insert(*line);
            }
        }
    }
}

/// Returns the effects of every function of a case, in the order of its functions.
pub fn function_effects(ruleset: &Ruleset, script: &CaseScript) -> Vec<FunctionEffects> {
    let own: Vec<FunctionEffects> = script
        .functions()
        .map(|(_, body)| EffectWalk::new(ruleset, script.case, body).effects)
        .collect();
    let with_helpers = |index| {
        let mut effects = FunctionEffects::default();
        let reached = reachable_functions(script.case, index).into_iter();
        reached.for_each(|function| effects.add(&own[function]));
        effects
    };
    (0..own.len()).map(with_helpers).collect()
}

/// Visitor that collects the direct reads and writes of one function.
struct EffectWalk<'a> {
    ruleset: &'a Ruleset,
    case: &'a Case,
    effects: FunctionEffects,
}

impl<'a> EffectWalk<'a> {
    fn new(ruleset: &'a Ruleset, case: &'a Case, body: &[Statement]) -> EffectWalk<'a> {
        let mut walk = EffectWalk {
            ruleset,
            case,
            effects: FunctionEffects::default(),
        };
        let mut assigned: BTreeSet<SourcePosition> = BTreeSet::new();
        tree::walk(body, &mut |node| {
            match node {
                // The last field of the chain is the target of the assignment, so it is written, not read.
                TreeNode::Statement(Statement::Assign {
                    target: Expression::Chain(chain),
                    ..
                }) => {
                    assigned.extend(last_field(chain).map(|(_, at)| at));
                }
                TreeNode::Link(Link {
                    kind: LinkKind::Field(name),
                    at,
                    ..
                }) if !assigned.contains(at) => walk.read_figure(name, *at),
                TreeNode::Expression(Expression::Chain(chain)) => {
                    if let Some(LinkKind::Key(Expression::Text(name, at))) =
                        chain.links.last().map(|link| &link.kind)
                    {
                        walk.read_figure(name, *at);
                    }
                }
                _ => {}
            }
            true
        });
        visit_calls(body, &mut |call, args, method| {
            walk.visit_call(call, args, method)
        });
        walk
    }

    fn add_reads(&mut self, targets: impl IntoIterator<Item = EffectTarget>, at: SourcePosition) {
        targets
            .into_iter()
            .for_each(|target| note_line(&mut self.effects.reads, target, at));
    }

    fn add_writes(&mut self, targets: impl IntoIterator<Item = EffectTarget>, at: SourcePosition) {
        targets
            .into_iter()
            .for_each(|target| note_line(&mut self.effects.writes, target, at));
    }

    /// Records a read of the figure or feature `name`, if pieces or places have one of this name.
    fn read_figure(&mut self, name: &str, at: SourcePosition) {
        self.add_reads(targets_of(&self.ruleset.game, name), at);
        // A carried piece is where its carrier is; and where a piece is says also whether it is on the board.
        if name == "at" {
            self.add_reads([EffectTarget::Figure("on".into())], at);
        }
        if ["gone", "at", "on"].contains(&name) {
            self.add_reads([EffectTarget::Pieces], at);
        }
    }

    /// Records the effects of a call.
    fn visit_call(&mut self, call: &Call, args: &[&Expression], method: bool) {
        let (name, count, at) = (&*call.name, args.len(), call.at);
        let verb = match call_target(self.ruleset, self.case, name, count) {
            Some(CallTarget::Verb(verb)) => verb,
            Some(CallTarget::Answers(_)) => {
                return self.add_reads([EffectTarget::Answer(name.into(), count)], at);
            }
            Some(CallTarget::Helper(_)) | None => return,
        };
        let text = |i: usize| match args.get(i) {
            Some(Expression::Text(text, _)) => Some(text.to_string()),
            _ => None,
        };
        match verb.effect {
            VerbEffect::None | VerbEffect::Trace | VerbEffect::SheetFields => {}
            VerbEffect::Recording => {
                self.add_writes(
                    verb.index_of(Role::Outcome)
                        .and_then(text)
                        .map(EffectTarget::Outcome),
                    at,
                );
            }
            // Only a procedure changes the situation.
            _ if self.case.procedures.is_empty() => {}
            // Arrays also have `remove`; the reason in the last argument tells the verb from the method.
            VerbEffect::Columns(_)
                if method
                    && verb
                        .index_of(Role::ReasonOrKey)
                        .is_some_and(|index| text(index).is_none()) => {}
            VerbEffect::Columns(columns) => self.add_writes(written_columns(columns), at),
            VerbEffect::NamedFigure => {
                let named = text(1)
                    .map(|name| targets_of(&self.ruleset.game, &name))
                    .unwrap_or_default();
                self.add_writes(named, at);
            }
            VerbEffect::NamedTrack => self.add_writes(text(0).map(EffectTarget::Track), at),
            VerbEffect::NamedStock => self.add_writes(text(0).map(EffectTarget::Deck), at),
        }
        for (index, parameter) in verb.params.iter().enumerate() {
            let Some(named) = text(index) else { continue };
            match parameter.role {
                Role::Track if verb.effect != VerbEffect::NamedTrack => {
                    self.add_reads([EffectTarget::Track(named)], at)
                }
                Role::Deck => self.add_reads([EffectTarget::Deck(named)], at),
                Role::Figure => self.read_figure(&named, at),
                Role::Table => self.add_reads([EffectTarget::Table(named)], at),
                Role::Reading => {
                    let full = if named.contains('.') {
                        named
                    } else {
                        format!("{}.{named}", self.case.number)
                    };
                    self.add_reads([EffectTarget::Reading(full)], at);
                }
                _ => {}
            }
        }
        if let VerbReads::Columns(columns) = verb.reads {
            self.add_reads(column_targets(columns), at);
            // The pieces of a side are chosen by whose they are.
            let names_side = verb.index_of(Role::Side).is_some_and(|index| index < count);
            self.add_reads(names_side.then(|| EffectTarget::Figure("side".into())), at);
        }
    }
}

/// Records a target that is accessed on a line, unless an earlier one does.
fn note_line(targets: &mut EffectTargets, target: EffectTarget, at: SourcePosition) {
    let line = at.0 as usize;
    let first = targets.entry(target).or_insert(line);
    *first = line.min(*first);
}

/// Returns what a verb writes by the columns of the board; what leaves the board or comes to it changes which pieces there are.
fn written_columns(columns: &[(EntityKind, usize)]) -> Vec<EffectTarget> {
    let targets = column_targets(columns);
    if targets.contains(&EffectTarget::Pieces) {
        vec![EffectTarget::Pieces]
    } else {
        targets
    }
}

/// Returns what the columns of the board hold.
fn column_targets(columns: &[(EntityKind, usize)]) -> Vec<EffectTarget> {
    let named = (0..)
        .zip(PLAIN_FIGURES)
        .filter(|(column, _)| columns.contains(&(EntityKind::Piece, *column)));
    let pieces = columns
        .iter()
        .any(|column| [(EntityKind::Piece, GONE_COLUMN), (EntityKind::Count, 0)].contains(column));
    named
        .map(|(_, name)| EffectTarget::Figure(name.to_string()))
        .chain(pieces.then_some(EffectTarget::Pieces))
        .collect()
}

/// Returns what a name may stand for: a figure of pieces, their position, owner or kind; a feature of places or of the sides between them.
fn targets_of(game: &Game, name: &str) -> Vec<EffectTarget> {
    let is_figure = game.index_of_attribute(name).is_some() || PLAIN_FIGURES.contains(&name);
    let is_feature = game
        .places
        .attributes
        .iter()
        .chain(&game.places.side_attributes)
        .any(|(feature, _)| feature == name);
    let figure = is_figure.then(|| EffectTarget::Figure(name.into()));
    figure
        .into_iter()
        .chain(is_feature.then(|| EffectTarget::Feature(name.into())))
        .collect()
}
