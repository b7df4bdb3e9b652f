//! What a function says, as a tree: made of Rhai's own, with closures where they stand, chains as rows of links, and places in the file.
//!
//! Of what ships it is packed when the binary is built: the build compiles this file by itself, so it knows nothing of the crate.

use serde::{Deserialize, Serialize};

/// Line and column in the file, from 1; (0, 0) of what stands nowhere.
pub type SourcePosition = (u32, u32);

/// A name, or a text.
pub type Name = Box<str>;

/// A part of a function that has a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expression {
    /// `()`
    Nothing(SourcePosition),
    /// `true`
    Bool(bool, SourcePosition),
    /// `3`
    Number(i64, SourcePosition),
    /// `"text"`
    Text(Name, SourcePosition),
    /// A text with values in it.
    Interpolation(Vec<Expression>, SourcePosition),
    /// `[a, b]`
    List(Vec<Expression>, SourcePosition),
    /// `#{ name: value }`
    Map(Vec<(Name, SourcePosition, Expression)>, SourcePosition),
    /// A variable.
    Variable(Name, SourcePosition),
    /// `name(a, b)`, or an operator.
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
    /// `{ ... }`, and what stands where a value is wanted: `if`, `switch`, a loop.
    Block(Vec<Statement>, SourcePosition),
    /// What Rhai has and cases have not.
    Foreign(UnsupportedSyntax, SourcePosition),
}

/// A call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The name, or the sign of an operator.
    pub name: Name,
    /// The arguments, as written.
    pub args: Vec<Expression>,
    /// Whether it is an operator.
    pub is_operator: bool,
    /// Where its name or sign stands.
    pub at: SourcePosition,
}

/// A value and what is asked of it, link by link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// What it begins with.
    pub root: Expression,
    /// At least one.
    pub links: Vec<Link>,
    /// Where its first point or bracket stands.
    pub at: SourcePosition,
}

/// A link of a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// What is asked.
    pub kind: LinkKind,
    /// Where it stands.
    pub at: SourcePosition,
    /// Whether it may be asked of nothing: `?.`.
    pub is_optional: bool,
}

/// What a link asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LinkKind {
    /// `.name`
    Field(Name),
    /// `[key]`
    Key(Expression),
    /// `.name(...)`
    Method(Call),
}

/// A closure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClosureExpression {
    /// The variables it uses of the function it stands in.
    pub captures: Vec<Name>,
    /// Its parameters.
    pub params: Vec<Name>,
    /// Its body.
    pub body: Vec<Statement>,
    /// Where it stands.
    pub at: SourcePosition,
}

/// A part of a function that is carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Statement {
    /// `;`
    Nothing(SourcePosition),
    /// An expression.
    Expression(Expression),
    /// `{ ... }`
    Block(Vec<Statement>, SourcePosition),
    /// `let name = value`, `const name = value`
    Let {
        /// The name.
        name: Name,
        /// What it begins as.
        value: Expression,
        /// Whether it can't be set.
        constant: bool,
        /// Where it stands.
        at: SourcePosition,
    },
    /// `left = right`, `left += right`
    Assign {
        /// What is set.
        target: Expression,
        /// The sign that stands before `=`.
        operator: Option<Name>,
        /// What it is set to.
        value: Expression,
        /// Where the sign stands.
        at: SourcePosition,
    },
    /// `if`
    If {
        /// What is looked at.
        condition: Expression,
        /// What is done where it holds.
        then: Vec<Statement>,
        /// What is done where it does not.
        otherwise: Vec<Statement>,
        /// Where it stands.
        at: SourcePosition,
    },
    /// `switch`
    Switch(Box<SwitchStatement>),
    /// `while`, and `loop` without a condition.
    While {
        /// How long.
        condition: Option<Expression>,
        /// What is done again and again.
        body: Vec<Statement>,
        /// Where it stands.
        at: SourcePosition,
    },
    /// `do ... while`, `do ... until`
    Do {
        /// What is done again and again.
        body: Vec<Statement>,
        /// How long.
        condition: Expression,
        /// Whether until it holds.
        until: bool,
        /// Where it stands.
        at: SourcePosition,
    },
    /// `for name in list`, `for (name, counter) in list`
    For {
        /// What each is called.
        name: Name,
        /// What its place is called.
        index_name: Option<Name>,
        /// What is gone through.
        iterable: Expression,
        /// What is done with each.
        body: Vec<Statement>,
        /// Where it stands.
        at: SourcePosition,
    },
    /// `break`, and `continue` where it does not leave the loop.
    LoopExit {
        /// What the loop comes to.
        value: Option<Expression>,
        /// Whether the loop is left.
        is_break: bool,
        /// Where it stands.
        at: SourcePosition,
    },
    /// `return`
    Return(Option<Expression>, SourcePosition),
    /// What Rhai has and cases have not.
    Foreign(UnsupportedSyntax, SourcePosition),
}

/// A `switch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SwitchStatement {
    /// What is looked at.
    pub scrutinee: Expression,
    /// Its arms, as written.
    pub arms: Vec<Arm>,
    /// The arm of what no arm names.
    pub default_arm: Option<usize>,
    /// Where it stands.
    pub at: SourcePosition,
}

/// An arm of a `switch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// The constants it names.
    pub values: Vec<Expression>,
    /// The numbers it names: from, and up to but without.
    pub ranges: Vec<(i64, i64)>,
    /// What has to hold besides.
    pub guard: Option<Expression>,
    /// What it comes to.
    pub value: Expression,
}

/// What Rhai has and cases have not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnsupportedSyntax {
    /// `this`
    This,
    /// `throw`
    Throw,
    /// `try`
    Try,
    /// A constant of another sort.
    Constant,
    /// Anything else.
    Other,
}

impl Expression {
    /// Where it stands: an operator at its sign.
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
        }
    }

    /// Where it begins.
    pub fn start(&self) -> SourcePosition {
        match self {
            Expression::And(list, at) | Expression::Or(list, at) | Expression::Coalesce(list, at) => {
                list.first().map_or(*at, Expression::start)
            }
            Expression::Chain(chain) => chain.root.start(),
            _ => self.position(),
        }
    }

    /// The name of a variable.
    pub fn as_variable(&self) -> Option<&str> {
        match self {
            Expression::Variable(name, _) => Some(name),
            _ => None,
        }
    }

    /// Shows this expression and all in it, the outer before the inner; into what is not to be gone into it is not gone.
    pub fn walk<'e>(&'e self, look: &mut dyn FnMut(TreeNode<'e>) -> bool) {
        if !look(TreeNode::Expression(self)) {
            return;
        }
        match self {
            Expression::Interpolation(list, _)
            | Expression::List(list, _)
            | Expression::And(list, _)
            | Expression::Or(list, _)
            | Expression::Coalesce(list, _) => list.iter().for_each(|part| part.walk(look)),
            Expression::Map(entries, _) => entries.iter().for_each(|(.., value)| value.walk(look)),
            Expression::Call(call) => call.args.iter().for_each(|arg| arg.walk(look)),
            Expression::Chain(chain) => {
                chain.root.walk(look);
                chain.links.iter().for_each(|link| link.walk(look));
            }
            Expression::Closure(closure) => walk(&closure.body, look),
            Expression::Block(body, _) => walk(body, look),
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
    /// Where it begins.
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
            Statement::Assign { target: left, value: right, .. } => {
                left.walk(look);
                right.walk(look);
            }
            Statement::If { condition, then, otherwise, .. } => {
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
            Statement::While { condition, body, .. } => {
                condition.iter().for_each(|condition| condition.walk(look));
                walk(body, look);
            }
            Statement::Do { condition, body, .. } => {
                condition.walk(look);
                walk(body, look);
            }
            Statement::For { iterable: list, body, .. } => {
                list.walk(look);
                walk(body, look);
            }
            Statement::LoopExit { value, .. } | Statement::Return(value, _) => value.iter().for_each(|value| value.walk(look)),
            Statement::Nothing(_) | Statement::Foreign(..) => {}
        }
    }
}

/// A part of a tree, shown.
#[derive(Clone, Copy, Debug)]
pub enum TreeNode<'e> {
    /// A statement.
    Statement(&'e Statement),
    /// An expression.
    Expression(&'e Expression),
    /// A link of a chain.
    Link(&'e Link),
}

/// Shows some statements and all in them, the outer before the inner, as far as it is to be gone into them.
pub fn walk<'e>(list: &'e [Statement], look: &mut dyn FnMut(TreeNode<'e>) -> bool) {
    list.iter().for_each(|statement| statement.walk(look));
}
