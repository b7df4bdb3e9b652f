//! Unrolls the counters of a graph: builds the graph in which they have their numbers again, up to a limit for each. What goes beyond is
//! gathered, as "17 or more", so that the graph stays finite and every chance in it is exact.
//!
//! That needs counters that only go up, or only down: a number that was beyond its limit never comes back.

use crate::odds::bounds::NEGLIGIBLE;
use crate::odds::counter_means::CounterGraph;
use crate::odds::counters::{COUNTER_STEP, CounterFlow, CounterTable, SteppedCounter};
use crate::odds::finish::{close_loop, loop_node};
use crate::odds::fraction::Fraction;
use crate::odds::graph::{
    GraphEdge, GraphNode, LoopId, NameId, OutcomeNames, ValueId, WeightedEdges, postorder,
    total_weight,
};
use crate::odds::loop_exits::LoopFault;
use crate::odds::open_states::{NEVER_BACK, OpenStates, Visit};
use crate::odds::state_table::StateTable;
use casebook_engine::code::machine::live_state::{CounterId, CounterSum};
use casebook_engine::ruling::condition::GatheredValues;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The number up to which values of counters are distinguished at first.
const FIRST_LIMIT: i64 = 16;

/// The maximum number of branches of an unrolled graph.
const MAX_BRANCHES: usize = 120_000;

/// A graph whose counters have numbers.
pub struct UnrolledGraph {
    pub root: GraphEdge,
    /// The outcomes of which some values are gathered: what they are expected to add up to where they are named, if that is known.
    pub expected: FxHashMap<NameId, Option<Fraction>>,
    /// The graph in which the values of counters are merged.
    pub counted: CounterGraph,
}

/// What numbers are passed on among: counters, and the outcomes that report them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Counter(CounterId),
    Outcome(NameId),
}

/// The numbers that are distinguished of counters that pass their numbers on to each other, and of the outcomes that report them.
#[derive(Clone, Copy)]
struct Extent {
    /// Whether they go up, not down.
    rises: bool,
    /// How far from 0 numbers are distinguished in that direction.
    limit: i64,
}

impl Extent {
    /// Returns a number, or `None` if it is beyond the limit.
    fn within(self, number: i64) -> Option<i64> {
        let is_within = if self.rises {
            number <= self.limit
        } else {
            number >= -self.limit
        };
        is_within.then_some(number)
    }
}

/// The groups of holders, each by one of them.
struct Groups {
    parents: FxHashMap<Holder, Holder>,
    extents: FxHashMap<Holder, Extent>,
    /// The least and the greatest number that is added where an outcome reports a counter.
    added: FxHashMap<NameId, (i64, i64)>,
}

impl Groups {
    /// Finds the groups of a graph; `None` if numbers of one go up and down.
    fn new(edges: &[&GraphEdge], counters: &CounterFlow) -> Option<Groups> {
        let mut groups = Groups {
            parents: FxHashMap::default(),
            extents: FxHashMap::default(),
            added: FxHashMap::default(),
        };
        let stepped = || counters.steps.iter().flat_map(|step| step.iter());
        for counter in stepped() {
            groups.unite(
                Holder::Counter(counter.id),
                Holder::Counter(counter.from.unwrap_or(counter.id)),
            );
        }
        for (name, value) in edges
            .iter()
            .flat_map(|edge| &edge.outcomes)
            .filter(|(name, _)| *name != COUNTER_STEP)
        {
            if let Some(report) = counters.reports.get(value) {
                groups.unite(Holder::Outcome(*name), Holder::Counter(report.id));
                let added = groups.added.entry(*name).or_insert((0, 0));
                *added = (added.0.min(report.added), added.1.max(report.added));
            }
        }
        let mut directions: FxHashMap<Holder, [bool; 2]> = FxHashMap::default();
        for counter in stepped() {
            let direction = directions
                .entry(groups.group_of(Holder::Counter(counter.id)))
                .or_default();
            if let CounterSum::Counter(_, added) = counter.sum {
                direction[0] |= added > 0;
                direction[1] |= added < 0;
            }
        }
        for (group, [rises, falls]) in directions {
            if rises && falls {
                return None;
            }
            groups.extents.insert(
                group,
                Extent {
                    rises: !falls,
                    limit: FIRST_LIMIT,
                },
            );
        }
        Some(groups)
    }

    fn group_of(&self, mut holder: Holder) -> Holder {
        while let Some(parent) = self
            .parents
            .get(&holder)
            .filter(|parent| **parent != holder)
        {
            holder = *parent;
        }
        holder
    }

    fn unite(&mut self, a: Holder, b: Holder) {
        let (a, b) = (self.group_of(a), self.group_of(b));
        self.parents.insert(a, b);
    }

    fn extent(&self, holder: Holder) -> Option<Extent> {
        self.extents.get(&self.group_of(holder)).copied()
    }

    /// Returns the values of an outcome that are gathered; `None` if it reports no counter. All that a counter beyond its limit is reported
    /// by are among them.
    fn gathered(&self, name: NameId) -> Option<GatheredValues> {
        let (least, greatest) = *self.added.get(&name)?;
        let Extent { rises, limit } = self.extent(Holder::Outcome(name))?;
        Some(if rises {
            GatheredValues {
                from: limit + 1 + least,
                rises,
            }
        } else {
            GatheredValues {
                from: greatest - limit - 1,
                rises,
            }
        })
    }
}

/// Why a graph was not unrolled.
enum NotUnrolled {
    /// It would have too many branches, or the time is up.
    TooLarge,
    /// It never ends.
    Endless,
}

impl From<LoopFault> for NotUnrolled {
    fn from(fault: LoopFault) -> NotUnrolled {
        if fault == LoopFault::Endless {
            NotUnrolled::Endless
        } else {
            NotUnrolled::TooLarge
        }
    }
}

/// The numbers of the counters of a node; `None` are those beyond their limits.
type Numbers = Box<[Option<i64>]>;

/// A node whose branches are being unrolled.
struct UnrolledNode<'a> {
    node: &'a Arc<GraphNode>,
    numbers: Numbers,
    key: u128,
    edges: Vec<GraphEdge>,
    /// What is named along the branch under way.
    named: Vec<(NameId, ValueId)>,
    visit: Visit,
    lowest: usize,
}

struct Unroller<'a> {
    names: &'a OutcomeNames,
    table: &'a StateTable,
    counters: &'a CounterFlow,
    groups: &'a Groups,
    bodies: &'a FxHashMap<LoopId, &'a GraphEdge>,
    is_late: &'a dyn Fn() -> bool,
    keys: FxHashMap<(*const GraphNode, Numbers), u128>,
    finished: FxHashMap<u128, Arc<GraphNode>>,
    open: OpenStates,
    branches: usize,
}

/// Where a branch leads in the unrolled graph.
enum UnrolledTarget<'a> {
    Visited(Arc<GraphNode>, usize),
    New(UnrolledNode<'a>),
}

impl<'a> Unroller<'a> {
    /// Returns what a branch names, and the numbers after it.
    fn follow(&self, edge: &GraphEdge, numbers: &Numbers) -> (Vec<(NameId, ValueId)>, Numbers) {
        let (mut named, mut numbers) = (Vec::with_capacity(edge.outcomes.len()), numbers.clone());
        for (name, value) in &edge.outcomes {
            if *name == COUNTER_STEP {
                let after = |counter: &SteppedCounter| {
                    let number = match counter.sum {
                        CounterSum::Plain(number) => Some(number),
                        CounterSum::Counter(index, added) => {
                            numbers[index].and_then(|number| number.checked_add(added))
                        }
                    };
                    number.and_then(|number| {
                        self.groups
                            .extent(Holder::Counter(counter.id))?
                            .within(number)
                    })
                };
                numbers = self.counters.steps[*value as usize]
                    .iter()
                    .map(after)
                    .collect();
            } else {
                named.push((*name, self.named_value(*name, *value, &numbers)));
            }
        }
        (named, numbers)
    }

    fn named_value(&self, name: NameId, value: ValueId, numbers: &Numbers) -> ValueId {
        let Some(gathered) = self.groups.gathered(name) else {
            return value;
        };
        let number = match self.counters.reports.get(&value) {
            Some(report) => {
                numbers[report.index].and_then(|number| number.checked_add(report.added))
            }
            None => match self.names.value_key(value).parse() {
                Ok(number) => Some(number),
                Err(_) => return value,
            },
        };
        match number.filter(|number| !gathered.has(*number)) {
            Some(number) => {
                self.names
                    .intern_outcome(&self.names.name_text(name), &number.to_string(), false)
                    .1
            }
            None => {
                self.names
                    .intern_outcome(&self.names.name_text(name), &gathered.to_string(), false)
                    .1
            }
        }
    }

    /// Finds a node with its numbers.
    fn find(
        &mut self,
        mut node: &'a Arc<GraphNode>,
        numbers: Numbers,
    ) -> Result<UnrolledTarget<'a>, NotUnrolled> {
        for _ in 0..=self.bodies.len() {
            node = match &**node {
                GraphNode::Loop(_, body) => &body.target,
                GraphNode::Again(id) => &self.bodies.get(id).ok_or(NotUnrolled::Endless)?.target,
                _ => break,
            };
        }
        match &**node {
            GraphNode::Done | GraphNode::DoneWith(_) | GraphNode::Refused(_) => {
                return Ok(UnrolledTarget::Visited(node.clone(), NEVER_BACK));
            }
            GraphNode::Throw(_) | GraphNode::Choice(..) => {}
            _ => return Err(NotUnrolled::Endless),
        }
        let next = self.keys.len() as u128;
        let key = *self
            .keys
            .entry((Arc::as_ptr(node), numbers.clone()))
            .or_insert(next);
        if let Some(target) = self.finished.get(&key) {
            return Ok(UnrolledTarget::Visited(target.clone(), NEVER_BACK));
        }
        if let Some((lowest, (_, target))) = self.open.find(key, self.table) {
            return Ok(UnrolledTarget::Visited(target, lowest));
        }
        self.branches += node.edge_count();
        if self.branches > MAX_BRANCHES || (self.is_late)() {
            return Err(NotUnrolled::TooLarge);
        }
        let visit = self.open.enter(key);
        Ok(UnrolledTarget::New(UnrolledNode {
            node,
            numbers,
            key,
            edges: Vec::new(),
            named: Vec::new(),
            visit,
            lowest: visit.number,
        }))
    }

    fn unroll(&mut self, root: &'a GraphEdge) -> Result<GraphEdge, NotUnrolled> {
        let (named, numbers) = self.follow(root, &Numbers::default());
        let mut stack = match self.find(&root.target, numbers)? {
            UnrolledTarget::Visited(target, _) => {
                return Ok(GraphEdge {
                    outcomes: named.into(),
                    target,
                });
            }
            UnrolledTarget::New(node) => vec![node],
        };
        loop {
            let Some(top) = stack.last_mut() else {
                return Err(NotUnrolled::Endless);
            };
            if let Some(edge) = top.node.edges().nth(top.edges.len()) {
                let (named, numbers) = self.follow(edge, &top.numbers);
                match self.find(&edge.target, numbers)? {
                    UnrolledTarget::Visited(target, lowest) => {
                        top.lowest = top.lowest.min(lowest);
                        top.edges.push(GraphEdge {
                            outcomes: named.into(),
                            target,
                        });
                    }
                    UnrolledTarget::New(node) => {
                        top.named = named;
                        stack.push(node);
                    }
                }
                continue;
            }
            let Some(top) = stack.pop() else {
                return Err(NotUnrolled::Endless);
            };
            let (target, lowest) = self.finish(top)?;
            match stack.last_mut() {
                None => {
                    return Ok(GraphEdge {
                        outcomes: named.into(),
                        target,
                    });
                }
                Some(below) => {
                    below.lowest = below.lowest.min(lowest);
                    let outcomes = std::mem::take(&mut below.named).into();
                    below.edges.push(GraphEdge { outcomes, target });
                }
            }
        }
    }

    /// Finishes a node whose branches are unrolled; returns the lowest visit to which it comes back.
    fn finish(&mut self, unrolled: UnrolledNode) -> Result<(Arc<GraphNode>, usize), NotUnrolled> {
        let UnrolledNode {
            node,
            key,
            edges,
            visit,
            lowest,
            ..
        } = unrolled;
        let node = match &**node {
            GraphNode::Throw(results) => GraphNode::thrown(
                results
                    .iter()
                    .map(|(weight, _)| weight.clone())
                    .zip(edges)
                    .collect::<WeightedEdges>(),
            ),
            GraphNode::Choice(decision, before, _) => {
                Arc::new(GraphNode::Choice(decision.clone(), before.clone(), edges))
            }
            _ => node.clone(),
        };
        let own = self.open.leave(key);
        let loop_id = own.as_ref().and_then(|own| own.loop_id);
        let node = match (loop_id, own) {
            (_, Some(own)) if lowest < visit.number => {
                let node = loop_id.map_or(node.clone(), |id| loop_node(id, false, node));
                self.open.wait(key, own, (Arc::default(), node.clone()));
                return Ok((node, lowest));
            }
            (Some(id), _) => {
                let members = self.open.close(visit);
                close_loop(id, node, &members, self.is_late)?
            }
            _ => node,
        };
        self.finished.insert(key, node.clone());
        Ok((node, NEVER_BACK))
    }
}

/// Returns for each outcome about how likely its gathered values are.
fn gathered_chances(
    root: &GraphEdge,
    groups: &Groups,
    names: &OutcomeNames,
) -> FxHashMap<NameId, f64> {
    let gathered: FxHashMap<NameId, ValueId> = groups
        .added
        .keys()
        .filter_map(|name| {
            Some((
                *name,
                names.intern_value(&groups.gathered(*name)?.to_string()),
            ))
        })
        .collect();
    let mut chances: FxHashMap<NameId, f64> = FxHashMap::default();
    let mut shares: FxHashMap<*const GraphNode, f64> =
        FxHashMap::from_iter([(Arc::as_ptr(&root.target), 1.0)]);
    for node in postorder(&root.target).into_iter().rev() {
        let Some(share) = shares.get(&Arc::as_ptr(node)).copied() else {
            continue;
        };
        let total = if let GraphNode::Throw(results) = &**node {
            Some(total_weight(results))
        } else {
            None
        };
        for (index, edge) in node.edges().enumerate() {
            // Of the options of a choice each may be taken.
            let share = match (&**node, &total) {
                (GraphNode::Throw(results), Some(total)) => {
                    share * results[index].0.share_of(total)
                }
                _ => share,
            };
            for (name, _) in edge
                .outcomes
                .iter()
                .filter(|(name, value)| gathered.get(name) == Some(value))
            {
                *chances.entry(*name).or_insert(0.0) += share;
            }
            *shares.entry(Arc::as_ptr(&edge.target)).or_insert(0.0) += share;
        }
    }
    chances
}

/// Unrolls the counters of a graph in which everything is explored, up to numbers beyond which a negligible chance is left, if that takes
/// not too many branches. `None` if they can't be: some go up and down, the time is up, or it may never end.
pub fn unroll(
    counted_root: &GraphEdge,
    names: &OutcomeNames,
    table: &StateTable,
    counters: CounterTable,
    is_late: &dyn Fn() -> bool,
) -> Option<UnrolledGraph> {
    let counted = CounterGraph {
        root: counted_root.clone(),
        counters: counters.into_flow(),
    };
    let CounterGraph { root, counters } = &counted;
    let nodes = postorder(&root.target);
    let edges: Vec<&GraphEdge> = std::iter::once(root)
        .chain(nodes.iter().flat_map(|node| node.edges()))
        .collect();
    let bodies: FxHashMap<LoopId, &GraphEdge> = nodes
        .iter()
        .filter_map(|node| {
            if let GraphNode::Loop(recurrence, body) = &***node {
                Some((recurrence.id, body))
            } else {
                None
            }
        })
        .collect();
    let mut groups = Groups::new(&edges, counters)?;
    let mut best: Option<GraphEdge> = None;
    loop {
        let unrolled = Unroller {
            names,
            table,
            counters,
            groups: &groups,
            bodies: &bodies,
            is_late,
            keys: FxHashMap::default(),
            finished: FxHashMap::default(),
            open: OpenStates::default(),
            branches: 0,
        }
        .unroll(root);
        match unrolled {
            Ok(root) => best = Some(root),
            Err(NotUnrolled::TooLarge) if best.is_some() => break,
            Err(_) => return None,
        }
        let chances = gathered_chances(best.as_ref()?, &groups, names);
        let likely = chances
            .into_iter()
            .filter(|(_, chance)| *chance >= NEGLIGIBLE);
        let grown: Vec<Holder> = likely
            .map(|(name, _)| groups.group_of(Holder::Outcome(name)))
            .collect();
        let mut has_grown = false;
        for extent in grown
            .iter()
            .filter_map(|group| Some((group, groups.extents.get(group)?.limit.checked_mul(2)?)))
            .collect::<Vec<_>>()
        {
            if let Some(group) = groups
                .extents
                .get_mut(extent.0)
                .filter(|group| group.limit < extent.1)
            {
                (group.limit, has_grown) = (extent.1, true);
            }
        }
        if !has_grown {
            break;
        }
    }
    let has_choices = nodes
        .iter()
        .any(|node| matches!(***node, GraphNode::Choice(..)));
    let expected = |name: &NameId| {
        if has_choices {
            None
        } else {
            counted.expected_sum(*name, names, &[], is_late)
        }
    };
    let expected = groups
        .added
        .keys()
        .map(|name| (*name, expected(name)))
        .collect();
    Some(UnrolledGraph {
        root: best?,
        expected,
        counted,
    })
}
