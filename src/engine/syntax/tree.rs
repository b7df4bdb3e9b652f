//! The syntax tree of script functions: Rhai's tree with inline closures, flat chains, and positions in the file.
//!
//! Tests serialize it, to see which constructs generated functions have.

/// Line and column in the file, from 1; (0, 0) if unknown.
pub type SourcePosition = (u32, u32);

/// A name or a text.
pub type Name = Box<str>;

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub enum Expression {
    /// `()`
    Nothing(SourcePosition),
    /// `true`
    Bool(bool, SourcePosition),
    /// `3`
    Number(i64, SourcePosition),
    /// `"text"`
    Text(Name, SourcePosition),
    /// A text with interpolated expressions.
    Interpolation(Vec<Expression>, SourcePosition),
    /// `[a, b]`
    List(Vec<Expression>, SourcePosition),
    /// `#{ name: value }`
    Map(Vec<(Name, SourcePosition, Expression)>, SourcePosition),
    Variable(Name, SourcePosition),
    /// A call `name(a, b)`, or an operator.
    Call(Box<Call>),
    /// `a.b[c].d(e)`
    Chain(Box<Chain>),
    /// `a && b`
    And(Vec<Expression>, SourcePosition),
    /// `a || b`
    Or(Vec<Expression>, SourcePosition),
    /// `a ?? b`
    Coalesce(Vec<Expression>, SourcePosition),
    /// `|a, b| ...`
    Closure(Box<ClosureExpression>),
    /// `{ ... }`, or `if`, `switch` or a loop used as an expression
    Block(Vec<Statement>, SourcePosition),
    /// An expression whose value a change of a later layer replaces.
    Changed(Box<ChangedExpression>),
    /// Syntax of Rhai that cases do not have.
    Foreign(UnsupportedSyntax, SourcePosition),
}

/// An expression whose value another function is handed, and replaces.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub struct ChangedExpression {
    pub value: Expression,
    /// The function: indices of its case in the ruleset, and in that case.
    pub by: (usize, usize),
    /// The variables that are handed on after the value.
    pub args: Vec<Name>,
    /// Whether one of them is the faces of the throw whose total the value is.
    pub asks_faces: bool,
}

/// A call or operator.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub struct Call {
    /// The name, or the token of an operator.
    pub name: Name,
    /// The arguments in source order.
    pub args: Vec<Expression>,
    pub is_operator: bool,
    /// Position of the name or token.
    pub at: SourcePosition,
}

/// A chain of field accesses, indexing and method calls.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub struct Chain {
    /// The expression at the start of the chain.
    pub root: Expression,
    /// The links, at least one.
    pub links: Vec<Link>,
    /// Position of the first dot or bracket.
    pub at: SourcePosition,
}

/// A link of a chain.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub struct Link {
    pub kind: LinkKind,
    /// Position of the link.
    pub at: SourcePosition,
    /// Whether the link is `?.`, which yields `()` on `()`.
    pub is_optional: bool,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub enum LinkKind {
    /// `.name`
    Field(Name),
    /// `[key]`
    Key(Expression),
    /// `.name(...)`
    Method(Call),
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub struct ClosureExpression {
    /// The variables captured from the enclosing function.
    pub captures: Vec<Name>,
    /// The parameters.
    pub params: Vec<Name>,
    pub body: Vec<Statement>,
    /// Position of the closure.
    pub at: SourcePosition,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub enum Statement {
    /// `;`
    Nothing(SourcePosition),
    /// An expression used as a statement.
    Expression(Expression),
    /// `{ ... }`
    Block(Vec<Statement>, SourcePosition),
    /// `let name = value`, `const name = value`
    Let {
        /// The variable name.
        name: Name,
        /// The initial value.
        value: Expression,
        constant: bool,
        /// Position of the statement.
        at: SourcePosition,
    },
    /// `left = right`, `left += right`
    Assign {
        /// The assigned place.
        target: Expression,
        /// The operator before `=`, if any.
        operator: Option<Name>,
        /// The assigned value.
        value: Expression,
        /// Position of the operator.
        at: SourcePosition,
    },
    /// `if`
    If {
        condition: Expression,
        /// The statements to run if the condition is true.
        then: Vec<Statement>,
        /// The statements to run otherwise.
        otherwise: Vec<Statement>,
        /// Position of the statement.
        at: SourcePosition,
    },
    /// `switch`
    Switch(Box<SwitchStatement>),
    /// `while`, and `loop` without a condition.
    While {
        /// The loop condition; `None` for `loop`.
        condition: Option<Expression>,
        body: Vec<Statement>,
        /// Position of the statement.
        at: SourcePosition,
    },
    /// `do ... while`, `do ... until`
    Do {
        body: Vec<Statement>,
        condition: Expression,
        /// Whether the loop ends when the condition is true, rather than false.
        until: bool,
        /// Position of the statement.
        at: SourcePosition,
    },
    /// `for name in list`, `for (name, counter) in list`
    For {
        /// The variable of the item.
        name: Name,
        /// The variable of the index, if any.
        index_name: Option<Name>,
        iterable: Expression,
        body: Vec<Statement>,
        /// Position of the statement.
        at: SourcePosition,
    },
    /// `break`, or `continue` if `is_break` is false
    LoopExit {
        /// The value of the loop.
        value: Option<Expression>,
        /// Whether the loop ends.
        is_break: bool,
        /// Position of the statement.
        at: SourcePosition,
    },
    /// `return`
    Return(Option<Expression>, SourcePosition),
    /// Syntax of Rhai that cases do not have.
    Foreign(UnsupportedSyntax, SourcePosition),
}

/// A `switch` expression.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub struct SwitchStatement {
    /// The value to match.
    pub scrutinee: Expression,
    /// The arms in source order.
    pub arms: Vec<Arm>,
    /// Index of the default arm.
    pub default_arm: Option<usize>,
    /// Position of the `switch`.
    pub at: SourcePosition,
}

/// An arm of a `switch`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub struct Arm {
    /// The constants it matches.
    pub values: Vec<Expression>,
    /// The integer ranges it matches: start and exclusive end.
    pub ranges: Vec<(i64, i64)>,
    /// The condition after `if`.
    pub guard: Option<Expression>,
    /// The expression of the arm.
    pub value: Expression,
}

/// Syntax of Rhai that cases do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "testing", derive(serde::Serialize))]
pub enum UnsupportedSyntax {
    /// `this`
    This,
    /// `throw`
    Throw,
    /// `try`
    Try,
    /// A constant of an unsupported type.
    Constant,
    /// Any other syntax.
    Other,
}

impl Expression {
    /// Returns the position of the expression; for an operator, that of its token.
    pub fn position(&self) -> SourcePosition {
        match self {
            Expression::Nothing(at)
            | Expression::Bool(_, at)
            | Expression::Number(_, at)
            | Expression::Text(_, at)
            | Expression::Interpolation(_, at)
            | Expression::List(_, at)
            | Expression::Map(_, at)
            | Expression::Variable(_, at)
            | Expression::And(_, at)
            | Expression::Or(_, at)
            | Expression::Coalesce(_, at)
            | Expression::Block(_, at)
            | Expression::Foreign(_, at) => *at,
            Expression::Call(call) => call.at,
            Expression::Chain(chain) => chain.at,
            Expression::Closure(closure) => closure.at,
            Expression::Changed(changed) => changed.value.position(),
        }
    }

    /// Returns the position at which the expression starts.
    pub fn start(&self) -> SourcePosition {
        match self {
            Expression::And(operands, at)
            | Expression::Or(operands, at)
            | Expression::Coalesce(operands, at) => operands.first().map_or(*at, Expression::start),
            Expression::Chain(chain) => chain.root.start(),
            Expression::Changed(changed) => changed.value.start(),
            _ => self.position(),
        }
    }

    /// Returns the name if the expression is a variable.
    pub fn as_variable(&self) -> Option<&str> {
        match self {
            Expression::Variable(name, _) => Some(name),
            _ => None,
        }
    }

    /// Visits this expression and its descendants in preorder. Skips the descendants of a node for which `look` returns false.
    pub fn walk<'e>(&'e self, look: &mut dyn FnMut(TreeNode<'e>) -> bool) {
        if !look(TreeNode::Expression(self)) {
            return;
        }
        match self {
            Expression::Interpolation(parts, _)
            | Expression::List(parts, _)
            | Expression::And(parts, _)
            | Expression::Or(parts, _)
            | Expression::Coalesce(parts, _) => parts.iter().for_each(|part| part.walk(look)),
            Expression::Map(entries, _) => entries.iter().for_each(|(.., value)| value.walk(look)),
            Expression::Call(call) => call.args.iter().for_each(|arg| arg.walk(look)),
            Expression::Chain(chain) => {
                chain.root.walk(look);
                chain.links.iter().for_each(|link| link.walk(look));
            }
            Expression::Closure(closure) => walk(&closure.body, look),
            Expression::Block(body, _) => walk(body, look),
            Expression::Changed(changed) => changed.value.walk(look),
            _ => {}
        }
    }
}

impl Link {
    fn walk<'e>(&'e self, look: &mut dyn FnMut(TreeNode<'e>) -> bool) {
        if !look(TreeNode::Link(self)) {
            return;
        }
        match &self.kind {
            LinkKind::Field(_) => {}
            LinkKind::Key(key) => key.walk(look),
            LinkKind::Method(call) => call.args.iter().for_each(|arg| arg.walk(look)),
        }
    }
}

impl Statement {
    /// Returns the position at which the statement starts.
    pub fn position(&self) -> SourcePosition {
        match self {
            Statement::Expression(expression) => expression.start(),
            Statement::Switch(switch) => switch.at,
            Statement::Nothing(at)
            | Statement::Block(_, at)
            | Statement::Let { at, .. }
            | Statement::Assign { at, .. }
            | Statement::If { at, .. }
            | Statement::While { at, .. }
            | Statement::Do { at, .. }
            | Statement::For { at, .. }
            | Statement::LoopExit { at, .. }
            | Statement::Return(_, at)
            | Statement::Foreign(_, at) => *at,
        }
    }

    fn walk<'e>(&'e self, look: &mut dyn FnMut(TreeNode<'e>) -> bool) {
        if !look(TreeNode::Statement(self)) {
            return;
        }
        match self {
            Statement::Expression(value) | Statement::Let { value, .. } => value.walk(look),
            Statement::Block(body, _) => walk(body, look),
            Statement::Assign {
                target,
                value: right,
                ..
            } => {
                target.walk(look);
                right.walk(look);
            }
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                condition.walk(look);
                walk(then, look);
                walk(otherwise, look);
            }
            Statement::Switch(switch) => {
                switch.scrutinee.walk(look);
                for arm in &switch.arms {
                    arm.guard.iter().for_each(|guard| guard.walk(look));
                    arm.value.walk(look);
                }
            }
            Statement::While {
                condition, body, ..
            } => {
                condition.iter().for_each(|condition| condition.walk(look));
                walk(body, look);
            }
            Statement::Do {
                condition, body, ..
            } => {
                condition.walk(look);
                walk(body, look);
            }
            Statement::For {
                iterable: list,
                body,
                ..
            } => {
                list.walk(look);
                walk(body, look);
            }
            Statement::LoopExit { value, .. } | Statement::Return(value, _) => {
                value.iter().for_each(|value| value.walk(look))
            }
            Statement::Nothing(_) | Statement::Foreign(..) => {}
        }
    }
}

/// A node of the syntax tree.
#[derive(Clone, Copy, Debug)]
pub enum TreeNode<'e> {
    Statement(&'e Statement),
    Expression(&'e Expression),
    /// A link of a chain.
    Link(&'e Link),
}

/// Visits statements and their descendants in preorder. Skips the descendants of a node for which `look` returns false.
pub fn walk<'e>(statements: &'e [Statement], look: &mut dyn FnMut(TreeNode<'e>) -> bool) {
    statements.iter().for_each(|statement| statement.walk(look));
}
