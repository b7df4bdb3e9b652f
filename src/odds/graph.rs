//! What can come of a state, as a graph: throws lead on with their weights, choices with their options, and what meets is one.

use crate::code::state::State;
use crate::data::once::held;
use crate::situation::policy::Decision;
use crate::situation::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

/// The number of an outcome's name.
pub type NameId = u32;
/// The number of a value of outcomes.
pub type ValueId = u32;

/// The name of what a refusal leads to: it goes before all that was named.
pub const REFUSED: NameId = 0;

/// What can come of a state.
#[derive(Debug)]
pub enum Node {
    /// It came to its end.
    Done,
    /// It came to its end with a value that is asked for.
    Came(ValueId),
    /// A rule refused: which, as text.
    Refused(ValueId),
    /// Dice fall: the weights of what they may show, and what that leads to.
    Throw(Vec<(u128, Branch)>),
    /// A side chooses; what had been named before, where it matters to the choice.
    Choice(Arc<Decision>, Vec<(NameId, ValueId)>, Vec<Branch>),
    /// Nobody has looked yet what comes of it: the state, and the answer that it goes on with where it waits for one.
    Unseen(Arc<State>, Option<Value>),
}

/// A way on: the outcomes named on it, in order, and where it leads.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Outcomes named on the way.
    pub named: Box<[(NameId, ValueId)]>,
    /// Where it leads.
    pub to: Arc<Node>,
}

/// Ways on with their weights.
pub type Ways = Vec<(u128, Branch)>;

/// Weights together are kept below this, so that sums and products of a few don't overflow.
const WEIGHTS: u128 = 1 << 96;

/// Throws that lead to few places are one throw, so long as they have so many ways on or fewer.
const FEW: usize = 8;

impl Node {
    /// A throw. Ways that lead to the same are one, and dice thrown one after the other that lead to few places in the end are one throw:
    /// chances stay what they are, and the graph small.
    pub fn thrown(ways: Ways) -> Arc<Node> {
        let most = ways.len().max(FEW);
        let mut ways = composed(&ways, most).unwrap_or(ways);
        match ways.pop() {
            Some((_, only)) if ways.is_empty() && only.named.is_empty() => only.to,
            last => {
                ways.extend(last);
                Arc::new(Node::Throw(ways))
            }
        }
    }

    /// The ways on.
    pub fn next(&self) -> impl Iterator<Item = &Branch> {
        let (ways, options): (&[(u128, Branch)], &[Branch]) = match self {
            Node::Throw(ways) => (ways, &[]),
            Node::Choice(_, _, options) => (&[], options),
            _ => (&[], &[]),
        };
        ways.iter().map(|(_, branch)| branch).chain(options)
    }

    /// Where the ways on lead.
    pub fn into_next(self) -> Vec<Arc<Node>> {
        match self {
            Node::Throw(ways) => ways.into_iter().map(|(_, branch)| branch.to).collect(),
            Node::Choice(_, _, options) => options.into_iter().map(|branch| branch.to).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether both are known to be the same.
    fn same(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Done, Node::Done) => true,
            (Node::Came(a), Node::Came(b)) | (Node::Refused(a), Node::Refused(b)) => a == b,
            _ => std::ptr::eq(self, other),
        }
    }

    /// How many bytes it takes, as near as can be reckoned; none where it is an end, and states that nobody has looked at aside.
    pub fn bytes(&self) -> u64 {
        let branch = |branch: &Branch| if branch.named.is_empty() { 0 } else { size_of_val(&*branch.named) + 16 };
        let ways = match self {
            Node::Throw(ways) => ways.iter().map(|(_, one)| size_of::<(u128, Branch)>() + branch(one)).sum(),
            Node::Choice(_, before, options) => {
                size_of_val(&**before) + 128 + options.iter().map(|one| size_of::<Branch>() + branch(one)).sum::<usize>()
            }
            _ => return 0,
        };
        (size_of::<Node>() + 32 + ways) as u64
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The ways on where throws that follow at once are one with this; none where there would be more than `most`, or numbers too large.
fn composed(ways: &Ways, most: usize) -> Option<Ways> {
    let total = |ways: &Ways| ways.iter().map(|(weight, _)| weight).sum::<u128>();
    let behind = |branch: &Branch| if let Node::Throw(next) = &*branch.to { total(next) } else { 1 };
    let common = ways.iter().try_fold(1u128, |common, (_, branch)| {
        let all = behind(branch);
        (common / gcd(common, all)).checked_mul(all).filter(|common| *common < WEIGHTS)
    })?;
    common.checked_mul(total(ways)).filter(|all| *all < WEIGHTS)?;
    let mut list: Ways = Vec::with_capacity(most);
    let mut add = |weight: u128, named: &[(NameId, ValueId)], more: &[(NameId, ValueId)], to: &Arc<Node>| {
        let alike = |branch: &Branch| {
            branch.named.len() == named.len() + more.len()
                && branch.named.starts_with(named)
                && branch.named.ends_with(more)
                && branch.to.same(to)
        };
        match list.iter().position(|(_, branch)| alike(branch)) {
            Some(place) => list[place].0 += weight,
            None if list.len() == most => return None,
            None => list.push((weight, Branch { named: [named, more].concat().into(), to: to.clone() })),
        }
        Some(())
    };
    for (weight, branch) in ways {
        let weight = weight * (common / behind(branch));
        match &*branch.to {
            Node::Throw(next) => next.iter().try_for_each(|(own, next)| add(weight * own, &branch.named, &next.named, &next.to))?,
            _ => add(weight, &branch.named, &[], &branch.to)?,
        }
    }
    let shared = list.iter().fold(0, |shared, (weight, _)| gcd(shared, *weight)).max(1);
    list.iter_mut().for_each(|(weight, _)| *weight /= shared);
    list.shrink_to_fit();
    Some(list)
}

/// The names of outcomes and their values, numbered as they are met.
#[derive(Debug, Default)]
pub struct Names(Mutex<Lists>);

#[derive(Debug, Default)]
struct Lists {
    names: Numbered<String>,
    values: Numbered<String>,
}

/// Things by number, as they are met: numbers are quicker told apart than what they stand for.
#[derive(Debug, Default)]
pub struct Numbered<T> {
    numbers: FxHashMap<T, u32>,
    list: Vec<T>,
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// The number of a thing.
    pub fn number<B: ?Sized + Eq + Hash + ToOwned<Owned = T>>(&mut self, thing: &B) -> u32
    where
        T: Borrow<B>,
    {
        if let Some(known) = self.numbers.get(thing) {
            return *known;
        }
        let number = self.list.len() as u32;
        self.list.push(thing.to_owned());
        self.numbers.insert(thing.to_owned(), number);
        number
    }

    /// The thing of a number.
    pub fn get(&self, number: u32) -> Option<&T> {
        self.list.get(number as usize)
    }
}

impl Names {
    /// None but that of a refusal.
    pub fn new() -> Names {
        let names = Names::default();
        names.name("refused");
        names
    }

    fn with<T>(&self, reach: impl FnOnce(&mut Lists) -> T) -> T {
        reach(&mut held(&self.0))
    }

    /// The number of a name.
    pub fn name(&self, text: &str) -> NameId {
        self.with(|lists| lists.names.number(text))
    }

    /// The number of a value.
    pub fn value(&self, text: &str) -> ValueId {
        self.with(|lists| lists.values.number(text))
    }

    /// The name of a number.
    pub fn name_of(&self, name: NameId) -> String {
        self.with(|lists| lists.names.get(name).cloned().unwrap_or_default())
    }

    /// The value of a number.
    pub fn value_of(&self, value: ValueId) -> String {
        self.with(|lists| lists.values.get(value).cloned().unwrap_or_default())
    }
}

/// The names in a graph, in the order in which the rules give them: a name stands before another where it does so on a path, unless an
/// earlier path says otherwise.
pub fn order(root: &Branch) -> Vec<NameId> {
    let mut known: FxHashMap<*const Node, Arc<Vec<NameId>>> = FxHashMap::default();
    for node in from_the_ends(&root.to) {
        let mut list = Arc::new(Vec::new());
        let mut add = |branch: &Branch| {
            let behind = &known[&Arc::as_ptr(&branch.to)];
            // Most ways meet again at once, and name nothing.
            if branch.named.is_empty() && (Arc::ptr_eq(behind, &list) || **behind == *list) {
                return;
            }
            if branch.named.is_empty() && list.is_empty() {
                list = behind.clone();
                return;
            }
            let names: Vec<NameId> = branch.named.iter().map(|(name, _)| *name).chain(behind.iter().copied()).collect();
            woven(Arc::make_mut(&mut list), &names);
        };
        match &**node {
            Node::Throw(ways) => ways.iter().for_each(|(_, branch)| add(branch)),
            Node::Choice(_, _, options) => options.iter().for_each(&mut add),
            Node::Refused(_) => list = Arc::new(vec![REFUSED]),
            _ => {}
        }
        known.insert(Arc::as_ptr(node), list);
    }
    let mut list = Vec::new();
    let names: Vec<NameId> = root.named.iter().map(|(name, _)| *name).chain(known[&Arc::as_ptr(&root.to)].iter().copied()).collect();
    woven(&mut list, &names);
    list
}

/// Adds names to a list: a new one before the next of them that is in it already.
fn woven(list: &mut Vec<NameId>, names: &[NameId]) {
    for (place, name) in names.iter().enumerate() {
        if !list.contains(name) {
            let next = names[place + 1..].iter().find_map(|next| list.iter().position(|known| known == next));
            list.insert(next.unwrap_or(list.len()), *name);
        }
    }
}

/// The nodes of a graph, what leads on after what it leads to.
pub fn from_the_ends(root: &Arc<Node>) -> Vec<&Arc<Node>> {
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    let mut todo = vec![(root, false)];
    while let Some((node, done)) = todo.pop() {
        if done {
            order.push(node);
        } else if seen.insert(Arc::as_ptr(node)) {
            todo.push((node, true));
            match &**node {
                Node::Throw(ways) => todo.extend(ways.iter().rev().map(|(_, branch)| (&branch.to, false))),
                Node::Choice(_, _, options) => todo.extend(options.iter().rev().map(|branch| (&branch.to, false))),
                _ => {}
            }
        }
    }
    order
}
