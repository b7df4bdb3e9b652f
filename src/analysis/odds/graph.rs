//! The outcome graph of a state: throws branch with weights, choices with options, and equal nodes are shared.

use crate::odds::answer::{OpenAnswers, WeightedAnswers};
use crate::odds::outcome_key::{looks_like_other, quoted, unquoted};
use casebook_engine::code::state::State;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::notation::Weight;
use casebook_engine::situation::policy::Decision;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// The index of an interned outcome name.
pub type NameId = u32;
/// The index of an interned outcome value.
pub type ValueId = u32;

/// The number of a state that can come again, unique among the graphs of one table.
pub type LoopId = u64;

/// The reserved name of a refusal; it overrides everything named before.
pub const REFUSED: NameId = 0;

/// A node of the outcome graph.
#[derive(Debug)]
pub enum GraphNode {
    /// The procedure ended.
    Done,
    /// The procedure ended with a return value that is wanted.
    DoneWith(ValueId),
    /// A rule refused; the value is its text.
    Refused(ValueId),
    /// Dice are thrown: the weight of each result, and the branch it leads to.
    Throw(WeightedEdges),
    /// A side chooses: the decision, the outcomes named before if the choice reads them, and a branch for each option.
    Choice(Arc<Decision>, Vec<(NameId, ValueId)>, Vec<GraphEdge>),
    /// A state that can come again, with its graph; [`GraphNode::Again`] leads back to it.
    Loop(Recurrence, GraphEdge),
    /// The state of the loop with this number comes again.
    Again(LoopId),
    /// An unexplored state, with the answers to resume it with if it waits for one.
    Unexplored(Arc<State>, OpenAnswers),
}

/// What a loop of a graph is.
#[derive(Clone, Copy, Debug)]
pub struct Recurrence {
    /// Its number.
    pub id: LoopId,
    /// Whether nothing in it leads back to a loop around it: all states that lead to each other are reached through one outermost loop.
    pub outermost: bool,
}

/// The outcomes named along a branch, in order.
pub type NamedOutcomes = Box<[(NameId, ValueId)]>;

/// A branch to a node.
#[derive(Clone, Debug)]
pub struct GraphEdge {
    /// Outcomes named along the branch, in order.
    pub outcomes: NamedOutcomes,
    pub target: Arc<GraphNode>,
}

impl GraphEdge {
    /// Creates a branch along which nothing is named.
    pub fn unnamed(target: Arc<GraphNode>) -> GraphEdge {
        GraphEdge {
            outcomes: Box::default(),
            target,
        }
    }

    /// Creates a branch to an unexplored state.
    pub fn unexplored(state: Arc<State>, answers: WeightedAnswers) -> GraphEdge {
        GraphEdge::unnamed(Arc::new(GraphNode::Unexplored(
            state,
            OpenAnswers {
                answers,
                explored: Box::default(),
            },
        )))
    }
}

/// Branches with their weights.
pub type WeightedEdges = Vec<(Weight, GraphEdge)>;

/// The number of bits up to which throws are composed: weights that stand in place are cheap to add.
const MAX_COMPOSED_BITS: usize = 96;

/// The number of branches up to which a search through them is faster than an index.
pub const MAX_SCANNED: usize = 24;

/// The maximum number of branches of consecutive throws that are composed into one throw.
const MAX_COMPOSED: usize = 8;

impl GraphNode {
    /// Builds a throw node. Branches with an equal target are merged, and consecutive throws with few results are composed into one,
    /// which keeps the probabilities and shrinks the graph.
    pub fn thrown(edges: WeightedEdges) -> Arc<GraphNode> {
        let max_branches = edges.len().max(MAX_COMPOSED);
        let mut edges = composed(&edges, max_branches).unwrap_or(edges);
        match edges.pop() {
            Some((_, only)) if edges.is_empty() && only.outcomes.is_empty() => only.target,
            last => {
                edges.extend(last);
                Arc::new(GraphNode::Throw(edges))
            }
        }
    }

    /// Iterates over the outgoing branches.
    pub fn edges(&self) -> impl DoubleEndedIterator<Item = &GraphEdge> {
        let (results, options): (&[(Weight, GraphEdge)], &[GraphEdge]) = match self {
            GraphNode::Throw(results) => (results, &[]),
            GraphNode::Choice(_, _, options) => (&[], options),
            GraphNode::Loop(_, body) => (&[], std::slice::from_ref(body)),
            _ => (&[], &[]),
        };
        results.iter().map(|(_, edge)| edge).chain(options)
    }

    /// Returns the number of outgoing branches.
    pub fn edge_count(&self) -> usize {
        match self {
            GraphNode::Throw(results) => results.len(),
            GraphNode::Choice(_, _, options) => options.len(),
            _ => 0,
        }
    }

    /// Returns the targets of the outgoing branches.
    pub fn into_targets(self) -> Vec<Arc<GraphNode>> {
        match self {
            GraphNode::Throw(results) => results.into_iter().map(|(_, edge)| edge.target).collect(),
            GraphNode::Choice(_, _, options) => {
                options.into_iter().map(|edge| edge.target).collect()
            }
            GraphNode::Loop(_, body) => vec![body.target],
            _ => Vec::new(),
        }
    }

    /// Returns what is equal for nodes that are known to be equal.
    pub fn identity(self: &Arc<GraphNode>) -> NodeIdentity {
        match **self {
            GraphNode::Done => NodeIdentity::Done,
            GraphNode::DoneWith(value) => NodeIdentity::DoneWith(value),
            GraphNode::Refused(refusal) => NodeIdentity::Refused(refusal),
            GraphNode::Again(id) => NodeIdentity::Again(id),
            _ => NodeIdentity::At(Arc::as_ptr(self)),
        }
    }

    /// Estimates the size in bytes: 0 for leaves; unexplored states are not counted.
    pub fn bytes(&self) -> u64 {
        let named = |edge: &GraphEdge| {
            if edge.outcomes.is_empty() {
                0
            } else {
                size_of_val(&*edge.outcomes) + 16
            }
        };
        let edges = match self {
            GraphNode::Throw(results) => results
                .iter()
                .map(|(_, edge)| size_of::<(Weight, GraphEdge)>() + named(edge))
                .sum(),
            GraphNode::Choice(_, before, options) => {
                size_of_val(&**before)
                    + 128
                    + options
                        .iter()
                        .map(|edge| size_of::<GraphEdge>() + named(edge))
                        .sum::<usize>()
            }
            _ => return 0,
        };
        (size_of::<GraphNode>() + 32 + edges) as u64
    }
}

/// What a node is compared by.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum NodeIdentity {
    /// The end.
    Done,
    /// The end with this value.
    DoneWith(ValueId),
    /// This refusal.
    Refused(ValueId),
    /// The loop that comes again.
    Again(LoopId),
    /// The address of any other node.
    At(*const GraphNode),
}

/// The option taken at each choice.
pub type Strategy = FxHashMap<*const GraphNode, usize>;

/// The weight of a branch that is taken for sure.
static CERTAIN: Weight = Weight::ONE;

/// The branches that may be taken from a node under a strategy, with their weights, and the sum of these.
pub fn taken_edges<'a>(
    node: &'a Arc<GraphNode>,
    strategy: &Strategy,
) -> (Weight, impl Iterator<Item = (&'a Weight, &'a GraphEdge)>) {
    let (results, option): (&[(Weight, GraphEdge)], Option<&GraphEdge>) = match &**node {
        GraphNode::Throw(results) => (results, None),
        GraphNode::Choice(_, _, options) => (
            &[],
            options.get(strategy.get(&Arc::as_ptr(node)).copied().unwrap_or(0)),
        ),
        _ => (&[], None),
    };
    let total = if option.is_some() {
        Weight::ONE
    } else {
        results.iter().map(|(weight, _)| weight).sum()
    };
    (
        total,
        results
            .iter()
            .map(|(weight, edge)| (weight, edge))
            .chain(option.map(|edge| (&CERTAIN, edge))),
    )
}

/// Returns the sum of the weights of branches.
pub fn total_weight(edges: &[(Weight, GraphEdge)]) -> Weight {
    edges.iter().map(|(weight, _)| weight).sum()
}

/// Composes a throw with the throws that directly follow; `None` if it would have more than `max_branches` branches or too large weights.
fn composed(edges: &WeightedEdges, max_branches: usize) -> Option<WeightedEdges> {
    let total_behind = |edge: &GraphEdge| {
        if let GraphNode::Throw(results) = &*edge.target {
            total_weight(results)
        } else {
            Weight::ONE
        }
    };
    let is_small = |weight: &Weight| weight.bits() <= MAX_COMPOSED_BITS;
    let common = edges.iter().try_fold(Weight::ONE, |common, (_, edge)| {
        let behind = total_behind(edge);
        Some(&common.divided_by(&common.gcd(&behind)) * &behind).filter(is_small)
    })?;
    Some(&common * &total_weight(edges)).filter(is_small)?;
    let mut merged: WeightedEdges = Vec::with_capacity(max_branches);
    let mut index_of_branch: FxHashMap<(NamedOutcomes, NodeIdentity), usize> = FxHashMap::default();
    let mut add = |weight: Weight,
                   before: &[(NameId, ValueId)],
                   after: &[(NameId, ValueId)],
                   target: &Arc<GraphNode>| {
        let equal = |edge: &GraphEdge| {
            edge.outcomes.len() == before.len() + after.len()
                && edge.outcomes.starts_with(before)
                && edge.outcomes.ends_with(after)
                && edge.target.identity() == target.identity()
        };
        let index = match merged.len() {
            few if few <= MAX_SCANNED => merged.iter().position(|(_, edge)| equal(edge)),
            _ => index_of_branch
                .get(&([before, after].concat().into(), target.identity()))
                .copied(),
        };
        match index {
            Some(index) => merged[index].0 += weight,
            None if merged.len() == max_branches => return None,
            None => {
                merged.push((
                    weight,
                    GraphEdge {
                        outcomes: [before, after].concat().into(),
                        target: target.clone(),
                    },
                ));
                let unindexed = index_of_branch.len()..if merged.len() > MAX_SCANNED {
                    merged.len()
                } else {
                    0
                };
                index_of_branch.extend(unindexed.map(|index| {
                    let edge: &GraphEdge = &merged[index].1;
                    ((edge.outcomes.clone(), edge.target.identity()), index)
                }));
            }
        }
        Some(())
    };
    for (weight, edge) in edges {
        let weight = weight * &common.divided_by(&total_behind(edge));
        match &*edge.target {
            GraphNode::Throw(results) => results.iter().try_for_each(|(own, next)| {
                add(&weight * own, &edge.outcomes, &next.outcomes, &next.target)
            })?,
            _ => add(weight, &edge.outcomes, &[], &edge.target)?,
        }
    }
    let divisor = merged
        .iter()
        .fold(Weight::ZERO, |divisor, (weight, _)| divisor.gcd(weight));
    merged
        .iter_mut()
        .for_each(|(weight, _)| *weight = weight.divided_by(&divisor));
    merged.shrink_to_fit();
    Some(merged)
}

/// The interned names of outcomes and their values.
#[derive(Debug, Default)]
pub struct OutcomeNames(Mutex<OutcomeTexts>);

#[derive(Debug, Default)]
struct OutcomeTexts {
    names: Interner,
    values: Interner,
    /// The values that an outcome has, by its name.
    named: FxHashSet<(NameId, ValueId)>,
    /// Texts that look like values of another kind: by the text with its quotes, the value that it looks like, and the other way round.
    look_alikes: FxHashMap<ValueId, ValueId>,
    quoted_forms: FxHashMap<ValueId, ValueId>,
    /// Those of them that some outcome has in addition to the value that they look like, and that are shown in quotes.
    quoted: FxHashSet<ValueId>,
}

/// Interned texts: indices are cheaper to compare than texts.
#[derive(Debug, Default)]
struct Interner {
    ids: FxHashMap<String, u32>,
    texts: Vec<String>,
}

impl Interner {
    fn intern(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = self.texts.len() as u32;
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }

    fn text(&self, id: u32) -> String {
        self.texts.get(id as usize).cloned().unwrap_or_default()
    }
}

impl OutcomeNames {
    /// Creates a table that holds only the reserved name of a refusal.
    pub fn new() -> OutcomeNames {
        let names = OutcomeNames::default();
        names.intern_name("refused");
        names
    }

    fn texts(&self) -> MutexGuard<'_, OutcomeTexts> {
        lock_unpoisoned(&self.0)
    }

    /// Returns the index of a name.
    pub fn intern_name(&self, text: &str) -> NameId {
        self.texts().names.intern(text)
    }

    /// Returns the indices of a name and a value. A text that looks like a value of another kind, such as "yes" and a flag, is another value.
    pub fn intern_outcome(&self, name: &str, text: &str, is_text: bool) -> (NameId, ValueId) {
        let mut texts = self.texts();
        let name = texts.names.intern(name);
        let plain = texts.values.intern(text);
        if !(is_text && looks_like_other(text)) {
            texts.named.insert((name, plain));
            if let Some(own) = texts.quoted_forms.get(&plain).copied()
                && texts.named.contains(&(name, own))
            {
                texts.quoted.insert(own);
            }
            return (name, plain);
        }
        let own = texts.values.intern(&quoted(text));
        texts.look_alikes.insert(own, plain);
        texts.quoted_forms.insert(plain, own);
        texts.named.insert((name, own));
        if texts.named.contains(&(name, plain)) {
            texts.quoted.insert(own);
        }
        (name, own)
    }

    /// Returns the indices of a name and a value with this key.
    pub fn intern_key(&self, name: &str, key: &str) -> (NameId, ValueId) {
        let text = unquoted(key);
        self.intern_outcome(name, text.unwrap_or(key), text.is_some())
    }

    /// Returns the text by which a value with this key is shown.
    pub fn shown(&self, name: &str, key: &str) -> String {
        self.value_text(self.intern_key(name, key).1)
    }

    /// Returns the text by which a value with this key is shown as far as values are known.
    pub fn shown_so_far<'a>(&self, key: &'a str) -> &'a str {
        let is_quoted = |texts: &OutcomeTexts| {
            texts
                .values
                .ids
                .get(key)
                .is_some_and(|id| texts.quoted.contains(id))
        };
        unquoted(key)
            .filter(|_| !is_quoted(&self.texts()))
            .unwrap_or(key)
    }

    /// Returns the number of values that are shown in quotes.
    pub fn quoted_count(&self) -> usize {
        self.texts().quoted.len()
    }

    /// Returns the index of a value.
    pub fn intern_value(&self, text: &str) -> ValueId {
        self.texts().values.intern(text)
    }

    pub fn name_text(&self, name: NameId) -> String {
        self.texts().names.text(name)
    }

    /// Returns the text of a value as it was interned.
    pub fn value_key(&self, value: ValueId) -> String {
        self.texts().values.text(value)
    }

    /// Returns the text of a value as it is shown: in quotes, if the outcome also has a value of another kind that looks the same.
    pub fn value_text(&self, value: ValueId) -> String {
        let texts = self.texts();
        let shown = texts
            .look_alikes
            .get(&value)
            .filter(|_| !texts.quoted.contains(&value))
            .unwrap_or(&value);
        texts.values.text(*shown)
    }
}

/// Shares by the address of a node.
pub type NodeShares = FxHashMap<usize, f64>;

/// Returns the address of a node.
pub fn node_id(node: &Arc<GraphNode>) -> usize {
    Arc::as_ptr(node) as usize
}

/// Returns the unexplored share of probability after each node.
pub fn unexplored_shares(root: &GraphEdge) -> NodeShares {
    shares_of_leaves(root, true)
}

/// Returns the share of all probability that is unexplored.
pub fn unexplored_share(root: &GraphEdge) -> f64 {
    unexplored_shares(root)
        .get(&node_id(&root.target))
        .copied()
        .unwrap_or(0.0)
}

/// Returns the share of all probability that is explored. Near 0 it is more precise than what the unexplored share leaves of 1.
pub fn explored_share(root: &GraphEdge) -> f64 {
    shares_of_leaves(root, false)
        .get(&node_id(&root.target))
        .copied()
        .unwrap_or(0.0)
}

/// Returns the share of probability of all leaves, unexplored or explored, after each node.
fn shares_of_leaves(root: &GraphEdge, unexplored: bool) -> NodeShares {
    let mut shares = NodeShares::default();
    for node in postorder(&root.target) {
        let share = match &**node {
            GraphNode::Throw(results) => {
                let total = total_weight(results);
                results
                    .iter()
                    .map(|(weight, edge)| weight.share_of(&total) * shares[&node_id(&edge.target)])
                    .sum()
            }
            GraphNode::Choice(_, _, options) => options
                .first()
                .map_or(0.0, |edge| shares[&node_id(&edge.target)]),
            GraphNode::Loop(_, body) => shares[&node_id(&body.target)],
            leaf => f64::from(matches!(leaf, GraphNode::Unexplored(..)) == unexplored),
        };
        shares.insert(node_id(node), share);
    }
    shares
}

/// Whether a graph has no unexplored node.
pub fn is_complete(root: &GraphEdge) -> bool {
    postorder(&root.target)
        .into_iter()
        .all(|node| !matches!(**node, GraphNode::Unexplored(..)))
}

/// The outcomes that can be named from each node on.
pub type NamesAhead = FxHashMap<*const GraphNode, Arc<Vec<NameId>>>;

/// Returns the outcomes that can be named from each node on.
pub fn names_ahead(root: &Arc<GraphNode>) -> NamesAhead {
    let mut names_by_node = NamesAhead::default();
    for node in postorder(root) {
        let mut names = Arc::new(if let GraphNode::Refused(_) = **node {
            vec![REFUSED]
        } else {
            Vec::new()
        });
        for edge in node.edges() {
            let behind = &names_by_node[&Arc::as_ptr(&edge.target)];
            // Most branches share a target and name nothing.
            if edge.outcomes.is_empty() && names.is_empty() {
                names = behind.clone();
                continue;
            }
            let named = edge.outcomes.iter().map(|(name, _)| name).chain(&**behind);
            for name in named {
                if !names.contains(name) {
                    Arc::make_mut(&mut names).push(*name);
                }
            }
        }
        names_by_node.insert(Arc::as_ptr(node), names);
    }
    names_by_node
}

/// Returns the outcome names of a graph in the order the rules name them: first those that some path names before others and none after them,
/// and where paths leave it open, those that the earlier branches come to. It depends on the paths alone: how a graph of the same paths is
/// merged and composed differs with the threads.
pub fn outcome_order(root: &GraphEdge, ahead: &NamesAhead) -> Vec<NameId> {
    let (mut met, mut later) = (Vec::new(), FxHashSet::default());
    let (mut seen, mut noted) = (FxHashSet::default(), FxHashSet::default());
    let mut todo = vec![root];
    while let Some(edge) = todo.pop() {
        let behind = &ahead[&Arc::as_ptr(&edge.target)];
        for (index, (name, _)) in edge.outcomes.iter().enumerate() {
            if !met.contains(name) {
                met.push(*name);
            }
            let rest = edge.outcomes[index + 1..].iter();
            later.extend(rest.map(|(other, _)| (*name, *other)));
            if noted.insert((*name, Arc::as_ptr(behind))) {
                later.extend(behind.iter().map(|other| (*name, *other)));
            }
        }
        if seen.insert(Arc::as_ptr(&edge.target)) {
            if matches!(*edge.target, GraphNode::Refused(_)) && !met.contains(&REFUSED) {
                met.push(REFUSED);
            }
            todo.extend(edge.target.edges().rev());
        }
    }
    let precedes = |one, other| later.contains(&(one, other)) && !later.contains(&(other, one));
    let mut order = Vec::with_capacity(met.len());
    while !met.is_empty() {
        let is_free = |name: &NameId| !met.iter().any(|other| precedes(*other, *name));
        // Three names may each precede the next.
        let next = met.iter().position(is_free).unwrap_or(0);
        order.push(met.remove(next));
    }
    order
}

/// Returns the nodes of a graph in postorder: targets before sources.
pub fn postorder(root: &Arc<GraphNode>) -> Vec<&Arc<GraphNode>> {
    postorder_beyond(root, |_| false)
}

/// Returns the nodes of a graph in postorder, without those that are known and what only they lead to.
pub fn postorder_beyond(
    root: &Arc<GraphNode>,
    is_known: impl Fn(*const GraphNode) -> bool,
) -> Vec<&Arc<GraphNode>> {
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    let mut todo = vec![(root, false)];
    while let Some((node, done)) = todo.pop() {
        if done {
            order.push(node);
        } else if !is_known(Arc::as_ptr(node)) && seen.insert(Arc::as_ptr(node)) {
            todo.push((node, true));
            todo.extend(node.edges().rev().map(|edge| (&edge.target, false)));
        }
    }
    order
}
