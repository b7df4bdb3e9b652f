//! The outcome graph of a state: throws branch with weights, choices with options, and equal nodes are shared.

use crate::code::state::State;
use crate::data::cache::lock_unpoisoned;
use crate::situation::policy::Decision;
use crate::situation::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

/// The index of an interned outcome name.
pub type NameId = u32;
/// The index of an interned outcome value.
pub type ValueId = u32;

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
    Throw(Vec<(u128, GraphEdge)>),
    /// A side chooses: the decision, the outcomes named before if the choice reads them, and a branch for each option.
    Choice(Arc<Decision>, Vec<(NameId, ValueId)>, Vec<GraphEdge>),
    /// An unexplored state, with the answer to resume it with if it waits for one.
    Unexplored(Arc<State>, Option<Value>),
}

/// A branch to a node.
#[derive(Clone, Debug)]
pub struct GraphEdge {
    /// Outcomes named along the branch, in order.
    pub outcomes: Box<[(NameId, ValueId)]>,
    /// The target node.
    pub target: Arc<GraphNode>,
}

/// Branches with their weights.
pub type Ways = Vec<(u128, GraphEdge)>;

/// The upper limit of the sum of weights: sums and products of a few weights must not overflow.
const WEIGHTS: u128 = 1 << 96;

/// The maximum number of branches of consecutive throws that are composed into one throw.
const FEW: usize = 8;

impl GraphNode {
    /// Builds a throw node. Branches with an equal target are merged, and consecutive throws with few results are composed into one,
    /// which keeps the probabilities and shrinks the graph.
    pub fn thrown(ways: Ways) -> Arc<GraphNode> {
        let most = ways.len().max(FEW);
        let mut ways = composed(&ways, most).unwrap_or(ways);
        match ways.pop() {
            Some((_, only)) if ways.is_empty() && only.outcomes.is_empty() => only.target,
            last => {
                ways.extend(last);
                Arc::new(GraphNode::Throw(ways))
            }
        }
    }

    /// Iterates over the outgoing branches.
    pub fn next(&self) -> impl Iterator<Item = &GraphEdge> {
        let (ways, options): (&[(u128, GraphEdge)], &[GraphEdge]) = match self {
            GraphNode::Throw(ways) => (ways, &[]),
            GraphNode::Choice(_, _, options) => (&[], options),
            _ => (&[], &[]),
        };
        ways.iter().map(|(_, branch)| branch).chain(options)
    }

    /// Returns the targets of the outgoing branches.
    pub fn into_next(self) -> Vec<Arc<GraphNode>> {
        match self {
            GraphNode::Throw(ways) => ways.into_iter().map(|(_, branch)| branch.target).collect(),
            GraphNode::Choice(_, _, options) => options.into_iter().map(|branch| branch.target).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether both nodes are known to be equal; false may also mean unknown.
    fn same(&self, other: &GraphNode) -> bool {
        match (self, other) {
            (GraphNode::Done, GraphNode::Done) => true,
            (GraphNode::DoneWith(a), GraphNode::DoneWith(b)) | (GraphNode::Refused(a), GraphNode::Refused(b)) => a == b,
            _ => std::ptr::eq(self, other),
        }
    }

    /// Estimates the size in bytes: 0 for leaves; unexplored states are not counted.
    pub fn bytes(&self) -> u64 {
        let branch = |branch: &GraphEdge| if branch.outcomes.is_empty() { 0 } else { size_of_val(&*branch.outcomes) + 16 };
        let ways = match self {
            GraphNode::Throw(ways) => ways.iter().map(|(_, one)| size_of::<(u128, GraphEdge)>() + branch(one)).sum(),
            GraphNode::Choice(_, before, options) => {
                size_of_val(&**before) + 128 + options.iter().map(|one| size_of::<GraphEdge>() + branch(one)).sum::<usize>()
            }
            _ => return 0,
        };
        (size_of::<GraphNode>() + 32 + ways) as u64
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Composes a throw with the throws that directly follow; `None` if it would have more than `most` branches or too large weights.
fn composed(ways: &Ways, most: usize) -> Option<Ways> {
    let total = |ways: &Ways| ways.iter().map(|(weight, _)| weight).sum::<u128>();
    let behind = |branch: &GraphEdge| if let GraphNode::Throw(next) = &*branch.target { total(next) } else { 1 };
    let common = ways.iter().try_fold(1u128, |common, (_, branch)| {
        let all = behind(branch);
        (common / gcd(common, all)).checked_mul(all).filter(|common| *common < WEIGHTS)
    })?;
    common.checked_mul(total(ways)).filter(|all| *all < WEIGHTS)?;
    let mut list: Ways = Vec::with_capacity(most);
    let mut add = |weight: u128, named: &[(NameId, ValueId)], more: &[(NameId, ValueId)], to: &Arc<GraphNode>| {
        let alike = |branch: &GraphEdge| {
            branch.outcomes.len() == named.len() + more.len()
                && branch.outcomes.starts_with(named)
                && branch.outcomes.ends_with(more)
                && branch.target.same(to)
        };
        match list.iter().position(|(_, branch)| alike(branch)) {
            Some(place) => list[place].0 += weight,
            None if list.len() == most => return None,
            None => list.push((weight, GraphEdge { outcomes: [named, more].concat().into(), target: to.clone() })),
        }
        Some(())
    };
    for (weight, branch) in ways {
        let weight = weight * (common / behind(branch));
        match &*branch.target {
            GraphNode::Throw(next) => {
                next.iter().try_for_each(|(own, next)| add(weight * own, &branch.outcomes, &next.outcomes, &next.target))?
            }
            _ => add(weight, &branch.outcomes, &[], &branch.target)?,
        }
    }
    let shared = list.iter().fold(0, |shared, (weight, _)| gcd(shared, *weight)).max(1);
    list.iter_mut().for_each(|(weight, _)| *weight /= shared);
    list.shrink_to_fit();
    Some(list)
}

/// The interned names of outcomes and their values.
#[derive(Debug, Default)]
pub struct OutcomeNames(Mutex<IdLists>);

#[derive(Debug, Default)]
struct IdLists {
    names: Interner<String>,
    values: Interner<String>,
}

/// Interns values: indices are cheaper to compare than the values.
#[derive(Debug, Default)]
pub struct Interner<T> {
    ids: FxHashMap<T, u32>,
    items: Vec<T>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// Returns the index of a value, adding it if it is new.
    pub fn intern<B: ?Sized + Eq + Hash + ToOwned<Owned = T>>(&mut self, thing: &B) -> u32
    where
        T: Borrow<B>,
    {
        if let Some(known) = self.ids.get(thing) {
            return *known;
        }
        let number = self.items.len() as u32;
        self.items.push(thing.to_owned());
        self.ids.insert(thing.to_owned(), number);
        number
    }

    /// Returns the value at an index.
    pub fn get(&self, number: u32) -> Option<&T> {
        self.items.get(number as usize)
    }
}

impl OutcomeNames {
    /// Creates a table that holds only the reserved name of a refusal.
    pub fn new() -> OutcomeNames {
        let names = OutcomeNames::default();
        names.intern_name("refused");
        names
    }

    fn with_lists<T>(&self, reach: impl FnOnce(&mut IdLists) -> T) -> T {
        reach(&mut lock_unpoisoned(&self.0))
    }

    /// Returns the index of a name.
    pub fn intern_name(&self, text: &str) -> NameId {
        self.with_lists(|lists| lists.names.intern(text))
    }

    /// Returns the indices of a name and a value.
    pub fn intern_outcome(&self, name: &str, value: &str) -> (NameId, ValueId) {
        self.with_lists(|lists| (lists.names.intern(name), lists.values.intern(value)))
    }

    /// Returns the index of a value.
    pub fn intern_value(&self, text: &str) -> ValueId {
        self.with_lists(|lists| lists.values.intern(text))
    }

    /// Returns the text of a name.
    pub fn name_text(&self, name: NameId) -> String {
        self.with_lists(|lists| lists.names.get(name).cloned().unwrap_or_default())
    }

    /// Returns the text of a value.
    pub fn value_text(&self, value: ValueId) -> String {
        self.with_lists(|lists| lists.values.get(value).cloned().unwrap_or_default())
    }
}

/// Shares by the address of a node.
pub type NodeShares = FxHashMap<usize, f64>;

/// Returns the address of a node.
pub fn node_id(node: &Arc<GraphNode>) -> usize {
    Arc::as_ptr(node) as usize
}

/// Returns the unexplored share of probability behind each node.
pub fn unexplored_shares(root: &GraphEdge) -> NodeShares {
    let mut known = NodeShares::default();
    for node in postorder(&root.target) {
        let share = match &**node {
            GraphNode::Unexplored(..) => 1.0,
            GraphNode::Throw(ways) => {
                let all: f64 = ways.iter().map(|(weight, _)| *weight as f64).sum();
                ways.iter().map(|(weight, branch)| *weight as f64 / all * known[&node_id(&branch.target)]).sum()
            }
            GraphNode::Choice(_, _, options) => options.first().map_or(0.0, |branch| known[&node_id(&branch.target)]),
            _ => 0.0,
        };
        known.insert(node_id(node), share);
    }
    known
}

/// Returns the share of all probability that is not explored.
pub fn unexplored_share(root: &GraphEdge) -> f64 {
    unexplored_shares(root).get(&node_id(&root.target)).copied().unwrap_or(0.0)
}

/// The outcomes that can be named from each node on, in the order the rules name them.
pub type NamesAhead = FxHashMap<*const GraphNode, Arc<Vec<NameId>>>;

/// Returns the outcomes that can be named from each node on. The order on a path decides, and the earlier path wins a conflict.
pub fn names_ahead(root: &Arc<GraphNode>) -> NamesAhead {
    let mut known = NamesAhead::default();
    for node in postorder(root) {
        let mut list = Arc::new(Vec::new());
        let mut add = |branch: &GraphEdge| {
            let behind = &known[&Arc::as_ptr(&branch.target)];
            // Most branches share a target and name nothing.
            if branch.outcomes.is_empty() && (Arc::ptr_eq(behind, &list) || **behind == *list) {
                return;
            }
            if branch.outcomes.is_empty() && list.is_empty() {
                list = behind.clone();
                return;
            }
            merge_order(Arc::make_mut(&mut list), &along(branch, behind));
        };
        node.next().for_each(&mut add);
        if let GraphNode::Refused(_) = **node {
            list = Arc::new(vec![REFUSED]);
        }
        known.insert(Arc::as_ptr(node), list);
    }
    known
}

/// Returns the outcomes that can be named along a branch and behind it.
fn along(branch: &GraphEdge, behind: &[NameId]) -> Vec<NameId> {
    branch.outcomes.iter().map(|(name, _)| *name).chain(behind.iter().copied()).collect()
}

/// Returns the outcome names of a graph in the order the rules name them.
pub fn outcome_order(root: &GraphEdge, ahead: &NamesAhead) -> Vec<NameId> {
    let mut list = Vec::new();
    merge_order(&mut list, &along(root, &ahead[&Arc::as_ptr(&root.target)]));
    list
}

/// Merges names into a list: a new name goes before the next one that the list already has.
fn merge_order(list: &mut Vec<NameId>, names: &[NameId]) {
    for (place, name) in names.iter().enumerate() {
        if !list.contains(name) {
            let next = names[place + 1..].iter().find_map(|next| list.iter().position(|known| known == next));
            list.insert(next.unwrap_or(list.len()), *name);
        }
    }
}

/// Returns the nodes of a graph in postorder: targets before sources.
pub fn postorder(root: &Arc<GraphNode>) -> Vec<&Arc<GraphNode>> {
    postorder_beyond(root, |_| false)
}

/// Returns the nodes of a graph in postorder, without those that are known and what only they lead to.
pub fn postorder_beyond(root: &Arc<GraphNode>, is_known: impl Fn(*const GraphNode) -> bool) -> Vec<&Arc<GraphNode>> {
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    let mut todo = vec![(root, false)];
    while let Some((node, done)) = todo.pop() {
        if done {
            order.push(node);
        } else if !is_known(Arc::as_ptr(node)) && seen.insert(Arc::as_ptr(node)) {
            todo.push((node, true));
            match &**node {
                GraphNode::Throw(ways) => todo.extend(ways.iter().rev().map(|(_, branch)| (&branch.target, false))),
                GraphNode::Choice(_, _, options) => todo.extend(options.iter().rev().map(|branch| (&branch.target, false))),
                _ => {}
            }
        }
    }
    order
}
