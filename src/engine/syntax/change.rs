//! Places in a function that a change can point at, and the body with the changes in it.

use crate::data::case::{PlacedChange, PlacedNode};
use crate::syntax::tree::{
    self, ChangedExpression, ClosureExpression, Expression, LinkKind, Name, SourcePosition,
    Statement, TreeNode,
};

/// A place that a visitor of [`ScopedWalk`] sees.
pub enum TreeSite<'t> {
    Expression(&'t mut Expression),
    /// The value of `let name = ...`, with the position of the statement.
    Let(&'t str, &'t mut Expression, SourcePosition),
}

/// Visits the expressions of a function, each after those within it, with the variables in scope there.
pub struct ScopedWalk<'v> {
    /// The variables in scope, parameters first.
    scope: Vec<Name>,
    visit: &'v mut dyn FnMut(TreeSite, &[Name]),
}

/// Visits the places of a function, whose body may be changed on the way.
pub fn visit_sites<'n>(
    body: &mut [Statement],
    params: impl Iterator<Item = &'n str>,
    visit: &mut dyn FnMut(TreeSite, &[Name]),
) {
    let scope = params.map(Name::from).collect();
    ScopedWalk { scope, visit }.statements(body);
}

impl ScopedWalk<'_> {
    /// Visits a block, whose variables end with it.
    fn statements(&mut self, statements: &mut [Statement]) {
        let outer = self.scope.len();
        for statement in statements {
            self.statement(statement);
        }
        self.scope.truncate(outer);
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Expression(value) => self.expression(value),
            Statement::Block(body, _) => self.statements(body),
            Statement::Let {
                name, value, at, ..
            } => {
                self.expression(value);
                (self.visit)(TreeSite::Let(name, value, *at), &self.scope);
                self.scope.push(name.clone());
            }
            Statement::Assign { target, value, .. } => {
                // The place that is assigned stays; what is computed to find it may change.
                if let Expression::Chain(chain) = target {
                    self.links(&mut chain.links);
                }
                self.expression(value);
            }
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                self.expression(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            Statement::Switch(switch) => {
                self.expression(&mut switch.scrutinee);
                for arm in &mut switch.arms {
                    self.expressions(arm.guard.iter_mut());
                    self.expression(&mut arm.value);
                }
            }
            Statement::While {
                condition, body, ..
            } => {
                self.expressions(condition.iter_mut());
                self.statements(body);
            }
            Statement::Do {
                body, condition, ..
            } => {
                self.statements(body);
                self.expression(condition);
            }
            Statement::For {
                name,
                index_name,
                iterable,
                body,
                ..
            } => {
                self.expression(iterable);
                let outer = self.scope.len();
                self.scope.push(name.clone());
                self.scope.extend(index_name.clone());
                self.statements(body);
                self.scope.truncate(outer);
            }
            Statement::LoopExit { value, .. } | Statement::Return(value, _) => {
                self.expressions(value.iter_mut())
            }
            Statement::Nothing(_) | Statement::Foreign(..) => {}
        }
    }

    fn expressions<'e>(&mut self, expressions: impl Iterator<Item = &'e mut Expression>) {
        expressions.for_each(|expression| self.expression(expression));
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Interpolation(parts, _)
            | Expression::List(parts, _)
            | Expression::And(parts, _)
            | Expression::Or(parts, _)
            | Expression::Coalesce(parts, _) => self.expressions(parts.iter_mut()),
            Expression::Map(entries, _) => {
                self.expressions(entries.iter_mut().map(|(.., value)| value))
            }
            Expression::Call(call) => self.expressions(call.args.iter_mut()),
            Expression::Chain(chain) => {
                self.expression(&mut chain.root);
                self.links(&mut chain.links);
            }
            Expression::Closure(closure) => self.closure(closure),
            Expression::Block(body, _) => self.statements(body),
            Expression::Changed(changed) => self.expression(&mut changed.value),
            _ => {}
        }
        (self.visit)(TreeSite::Expression(expression), &self.scope);
    }

    fn links(&mut self, links: &mut [tree::Link]) {
        for link in links {
            match &mut link.kind {
                LinkKind::Field(_) => {}
                LinkKind::Key(key) => self.expression(key),
                LinkKind::Method(call) => self.expressions(call.args.iter_mut()),
            }
        }
    }

    fn closure(&mut self, closure: &mut ClosureExpression) {
        let outer = self.scope.len();
        self.scope.extend(closure.params.iter().cloned());
        self.statements(&mut closure.body);
        self.scope.truncate(outer);
        // A change within uses variables that the closure may not have captured.
        let mut used: Vec<Name> = Vec::new();
        tree::walk(&closure.body, &mut |node| {
            if let TreeNode::Expression(Expression::Changed(changed)) = node {
                used.extend(changed.args.iter().cloned());
            }
            true
        });
        for name in used {
            let is_outer = self.scope.contains(&name) && !closure.params.contains(&name);
            if is_outer && !closure.captures.contains(&name) {
                closure.captures.push(name);
            }
        }
    }
}

/// Puts changes into the body of a function, in their order.
pub fn apply_changes(body: &mut [Statement], params: &[String], changes: &[PlacedChange]) {
    let params = params.iter().map(String::as_str);
    visit_sites(body, params, &mut |mut site, _| {
        for change in changes {
            if let Some(value) = placed_value(&mut site, change) {
                let inner = std::mem::replace(value, Expression::Nothing((0, 0)));
                let args = change.args.iter().map(|name| Name::from(name.as_str()));
                *value = Expression::Changed(Box::new(ChangedExpression {
                    value: inner,
                    by: change.by,
                    args: args.collect(),
                    asks_faces: change.asks_faces,
                }));
            }
        }
    });
}

/// Returns the expression that a change is handed, if it is the one that is visited.
fn placed_value<'s>(
    site: &'s mut TreeSite<'_>,
    change: &PlacedChange,
) -> Option<&'s mut Expression> {
    match (site, change.node) {
        (TreeSite::Let(_, value, at), PlacedNode::Let) if *at == change.at => Some(value),
        (TreeSite::Expression(value), node) => match (value.unchanged(), node) {
            (Expression::Number(_, at), PlacedNode::Number) if *at == change.at => Some(value),
            (Expression::Call(call), PlacedNode::Call) if call.at == change.at => Some(value),
            (Expression::Call(call), PlacedNode::Argument(index)) if call.at == change.at => {
                value.unchanged_mut().call_argument(index)
            }
            _ => None,
        },
        _ => None,
    }
}

impl Expression {
    /// Returns the expression below all changes.
    pub fn unchanged(&self) -> &Expression {
        match self {
            Expression::Changed(changed) => changed.value.unchanged(),
            expression => expression,
        }
    }

    fn unchanged_mut(&mut self) -> &mut Expression {
        match self {
            Expression::Changed(changed) => changed.value.unchanged_mut(),
            expression => expression,
        }
    }

    fn call_argument(&mut self, index: usize) -> Option<&mut Expression> {
        match self {
            Expression::Call(call) => call.args.get_mut(index),
            _ => None,
        }
    }
}

/// Returns the positions of the expressions of a body that equal another one but for their positions. `plain` is the same body as
/// `body`, parsed without positions, as is `wanted`.
pub fn positions_of_shape(
    body: &[Statement],
    plain: &[Statement],
    wanted: &Expression,
) -> Vec<SourcePosition> {
    let (mut with_positions, mut without) = (Vec::new(), Vec::new());
    tree::walk(body, &mut |node| collect(node, &mut with_positions));
    tree::walk(plain, &mut |node| collect(node, &mut without));
    let pairs = with_positions.iter().zip(without);
    let equal = pairs.filter(|(_, plain)| *plain == wanted);
    equal.map(|(expression, _)| expression.start()).collect()
}

fn collect<'t>(node: TreeNode<'t>, expressions: &mut Vec<&'t Expression>) -> bool {
    if let TreeNode::Expression(expression) = node {
        expressions.push(expression);
    }
    true
}

/// Returns the positions of a number within the expressions that equal another one, or in the whole body.
pub fn positions_of_number(
    body: &[Statement],
    number: i64,
    within: Option<&[SourcePosition]>,
) -> Vec<SourcePosition> {
    let mut found = Vec::new();
    let mut add = |node: TreeNode<'_>| {
        if let TreeNode::Expression(Expression::Number(written, at)) = node
            && *written == number
            && !found.contains(at)
        {
            found.push(*at);
        }
        true
    };
    match within {
        None => tree::walk(body, &mut add),
        Some(starts) => tree::walk(body, &mut |node| {
            if let TreeNode::Expression(expression) = node
                && starts.contains(&expression.start())
            {
                expression.walk(&mut add);
            }
            true
        }),
    }
    found
}
