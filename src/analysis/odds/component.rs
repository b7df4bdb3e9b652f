//! A strongly connected component of a graph: states that can reach each other. It is entered through one outermost loop.
//!
//! Its nodes are open: from each a branch leads back to a loop of the component. As the other branches are few to a loop, all that is unknown
//! of a component are the values of its loops: those of the other nodes follow from them, in the graph's own order.

use crate::odds::counters::COUNTER_STEP;
use crate::odds::fraction::Fraction;
use crate::odds::graph::{GraphEdge, GraphNode, LoopId, Strategy, taken_edges};
use crate::odds::linear::{Equation, solve};
use crate::odds::modular::LinearFault;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The nodes of a component.
pub struct Component<'a> {
    /// The open nodes without loops and leaves, targets before sources.
    pub nodes: Vec<&'a Arc<GraphNode>>,
    index_of_node: FxHashMap<*const GraphNode, usize>,
    /// The target of each loop; the first one is the outermost.
    pub bodies: Vec<&'a GraphEdge>,
    index_of_loop: FxHashMap<LoopId, usize>,
}

/// The target of a branch within or out of a component.
#[derive(Clone, Copy)]
pub enum ComponentTarget<'a> {
    /// A loop, by its index.
    Loop(usize),
    /// An open node, by its index.
    Open(usize),
    /// A node beyond the component.
    Exit(&'a Arc<GraphNode>),
}

/// The values of the nodes of a component.
pub struct ComponentValues {
    /// The values of the open nodes.
    pub nodes: Vec<Fraction>,
    /// The values of the loops.
    pub loops: Vec<Fraction>,
}

impl ComponentValues {
    /// Returns the value of a node within the component.
    pub fn within(&self, target: ComponentTarget) -> Option<&Fraction> {
        match target {
            ComponentTarget::Loop(index) => self.loops.get(index),
            ComponentTarget::Open(index) => self.nodes.get(index),
            ComponentTarget::Exit(_) => None,
        }
    }
}

/// Returns whether a node is open in any graph: it leads back to a loop, or is one within another.
pub fn is_open_leaf(node: &GraphNode) -> bool {
    matches!(node, GraphNode::Again(_))
        || matches!(node, GraphNode::Loop(recurrence, _) if !recurrence.outermost)
}

/// Returns the open nodes of a graph in postorder, but for the outermost loops.
pub fn open_nodes(order: &[&Arc<GraphNode>]) -> FxHashSet<*const GraphNode> {
    let mut open = FxHashSet::default();
    if !order
        .iter()
        .any(|node| matches!(***node, GraphNode::Loop(..)))
    {
        return open;
    }
    for node in order {
        let is_outermost =
            matches!(&***node, GraphNode::Loop(recurrence, _) if recurrence.outermost);
        let leads_back = |edge: &GraphEdge| open.contains(&Arc::as_ptr(&edge.target));
        if is_open_leaf(node) || !is_outermost && node.edges().any(leads_back) {
            open.insert(Arc::as_ptr(node));
        }
    }
    open
}

impl<'a> Component<'a> {
    /// Collects the component of an outermost loop. `is_open` says of the other nodes of the graph whether they belong to it.
    pub fn new(
        id: LoopId,
        body: &'a GraphEdge,
        is_open: impl Fn(*const GraphNode) -> bool,
    ) -> Component<'a> {
        let mut component = Component {
            nodes: Vec::new(),
            index_of_node: FxHashMap::default(),
            bodies: vec![body],
            index_of_loop: FxHashMap::default(),
        };
        component.index_of_loop.insert(id, 0);
        let mut seen = FxHashSet::default();
        let mut todo = vec![(&body.target, false)];
        while let Some((node, done)) = todo.pop() {
            if done {
                component
                    .index_of_node
                    .insert(Arc::as_ptr(node), component.nodes.len());
                component.nodes.push(node);
                continue;
            }
            match &**node {
                GraphNode::Again(_) => {}
                GraphNode::Loop(recurrence, inner) if !recurrence.outermost => {
                    if !component.index_of_loop.contains_key(&recurrence.id) {
                        component
                            .index_of_loop
                            .insert(recurrence.id, component.bodies.len());
                        component.bodies.push(inner);
                        todo.push((&inner.target, false));
                    }
                }
                _ if !seen.insert(Arc::as_ptr(node)) => {}
                _ => {
                    todo.push((node, true));
                    let open = |edge: &&'a GraphEdge| {
                        is_open_leaf(&edge.target) || is_open(Arc::as_ptr(&edge.target))
                    };
                    todo.extend(
                        node.edges()
                            .rev()
                            .filter(open)
                            .map(|edge| (&edge.target, false)),
                    );
                }
            }
        }
        component
    }

    /// Whether a side chooses within the component.
    pub fn has_choices(&self) -> bool {
        self.nodes
            .iter()
            .any(|node| matches!(***node, GraphNode::Choice(..)))
    }

    /// Whether counters are stepped within the component.
    pub fn has_counters(&self) -> bool {
        let is_step =
            |edge: &GraphEdge| edge.outcomes.iter().any(|(name, _)| *name == COUNTER_STEP);
        self.nodes.iter().any(|node| node.edges().any(is_step))
    }

    /// Whether a branch leads out of the component.
    pub fn has_exit(&self) -> bool {
        let edges = self
            .bodies
            .iter()
            .copied()
            .chain(self.nodes.iter().flat_map(|node| node.edges()));
        edges
            .into_iter()
            .any(|edge| matches!(self.target(edge), ComponentTarget::Exit(_)))
    }

    /// Returns where a branch leads.
    pub fn target<'e>(&self, edge: &'e GraphEdge) -> ComponentTarget<'e> {
        self.place_of(&edge.target)
    }

    /// Returns the index of a node in the component.
    pub fn place_of<'e>(&self, node: &'e Arc<GraphNode>) -> ComponentTarget<'e> {
        let loop_index = match &**node {
            GraphNode::Again(id) => self.index_of_loop.get(id),
            GraphNode::Loop(recurrence, _) => self.index_of_loop.get(&recurrence.id),
            _ => None,
        };
        match loop_index {
            Some(index) => ComponentTarget::Loop(*index),
            None => self
                .index_of_node
                .get(&Arc::as_ptr(node))
                .map_or(ComponentTarget::Exit(node), |index| {
                    ComponentTarget::Open(*index)
                }),
        }
    }

    /// Computes a value of all nodes: that of a node is the mean over its branches of `constant + passes * value of the target`, as `term`
    /// gives it for a branch; `exit` gives the value of a node beyond the component.
    pub fn values(
        &self,
        strategy: &Strategy,
        term: &dyn Fn(&GraphEdge) -> (Fraction, bool),
        exit: &dyn Fn(&Arc<GraphNode>) -> Fraction,
        is_late: &dyn Fn() -> bool,
    ) -> Result<ComponentValues, LinearFault> {
        let mut nodes: Vec<Equation> = Vec::with_capacity(self.nodes.len());
        let add = |sum: &mut Equation, nodes: &[Equation], share: &Fraction, edge: &GraphEdge| {
            let (constant, passes) = term(edge);
            sum.constant += &(&constant * share);
            match self.target(edge) {
                _ if !passes => {}
                ComponentTarget::Loop(index) => sum.add_term(index, share),
                ComponentTarget::Open(index) => sum.add_multiple(&nodes[index], share),
                ComponentTarget::Exit(node) => sum.constant += &(&exit(node) * share),
            }
        };
        for node in &self.nodes {
            if is_late() {
                return Err(LinearFault::Late);
            }
            let mut sum = Equation::constant(Fraction::ZERO);
            let (total, edges) = taken_edges(node, strategy);
            edges.for_each(|(weight, edge)| {
                add(&mut sum, &nodes, &Fraction::new(weight, &total), edge)
            });
            nodes.push(sum);
        }
        let mut loops = Vec::with_capacity(self.bodies.len());
        for body in &self.bodies {
            let mut sum = Equation::constant(Fraction::ZERO);
            add(&mut sum, &nodes, &Fraction::ONE, body);
            loops.push(sum);
        }
        let loops = solve(loops, is_late)?;
        let nodes = nodes
            .iter()
            .map(|equation| equation.value(&loops))
            .collect();
        Ok(ComponentValues { nodes, loops })
    }
}
