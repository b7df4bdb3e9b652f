//! Rhai's parser, and the conversion of its tree to the syntax tree of this crate.

use super::tree::{
    Arm, Call, Chain, ClosureExpression, Expression, Link, LinkKind, Name, SourcePosition,
    Statement, SwitchStatement, UnsupportedSyntax,
};
use rhai::{
    AST, ASTFlags, Dynamic, Engine, Expr, FlowControl, FnCallExpr, FnPtr, OptimizationLevel,
    ParseErrorType, Position, Scope, Stmt, SwitchCasesCollection, Token,
};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Limits on the syntax of a function; the machine limits its run. The parser counts each closure as a function.
pub const MAX_CLOSURES: usize = 256;
const MAX_VARIABLES: usize = 256;
const MAX_DEPTH: usize = 64;
/// The limit within closures.
const MAX_CLOSURE_DEPTH: usize = 48;

/// Words that stand for `()`, the value of what is not there.
pub const NOTHING: [&str; 2] = ["nobody", "nothing"];

thread_local! {
    /// The parser of this thread. Creating one costs more than parsing a function.
    static PARSER: Engine = new_parser();
    /// The parser for expressions that are compared: it knows none of their variables.
    static LOOSE_PARSER: Engine = {
        let mut engine = new_parser();
        engine.set_strict_variables(false);
        engine
    };
    /// The parser for whole files, which may have any number of functions.
    static FILE_PARSER: Engine = {
        let mut engine = new_parser();
        engine.set_max_functions(usize::MAX);
        engine
    };
}

/// Creates a parser for cases.
fn new_parser() -> Engine {
    let mut engine = Engine::new_raw();
    engine.set_optimization_level(OptimizationLevel::None); // optimization would evaluate calls while parsing
    engine.set_strict_variables(true);
    engine.set_max_expr_depths(MAX_DEPTH, MAX_CLOSURE_DEPTH);
    engine
        .set_max_functions(MAX_CLOSURES)
        .set_max_variables(MAX_VARIABLES);
    // These symbols of Rhai are not in the language of cases.
    for symbol in [
        "eval",
        "print",
        "debug",
        "import",
        "export",
        "Fn",
        "is_def_fn",
        "is_def_var",
    ] {
        engine.disable_symbol(symbol);
    }
    // The words for nothing, such as `nobody`, are read as `()`.
    #[expect(
        deprecated,
        reason = "Rhai marks what may change with a version of its own so; a test holds what it does"
    )]
    engine.on_parse_token(|token, _, _| match token {
        Token::Identifier(word) if NOTHING.contains(&word.as_str()) => Token::Unit,
        token => token,
    });
    engine
}

/// Why a text is not a function.
#[derive(Debug)]
pub enum SyntaxError {
    /// The parser reports an error.
    Parser(ParseErrorType),
    /// There is code outside the function.
    StrayCode,
}

/// A function body as parsed by Rhai.
pub struct Parsed {
    /// Rhai's syntax tree.
    pub ast: AST,
    origin: Origin,
}

/// Where positions of a parsed text are in its file.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// The text starts here: preceding lines, and preceding characters on its first line.
    Start(usize, usize),
    /// The text is not part of the file: all of it has one position.
    Fixed(SourcePosition),
}

/// Parses a function, given its text from `fn` on, its line in the file and its parameters.
pub fn parse_function<'a>(
    text: &str,
    line: usize,
    params: impl Iterator<Item = &'a str>,
) -> Result<Parsed, (SyntaxError, SourcePosition)> {
    // Line endings are normalized, because multi-line string literals contain them.
    let plain = text.ends_with('\n') && !text.contains('\r');
    let body = if plain {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.lines().flat_map(|line| [line, "\n"]).collect())
    };
    let first_line = body.lines().next().unwrap_or_default();
    let head = body.find('{').unwrap_or(first_line.trim_end().len());
    let preceding = &body[..head];
    let start = (
        line - 1 + preceding.matches('\n').count(),
        preceding
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count(),
    );
    let ast = parse(&body[head..], params)
        .map_err(|(kind, at)| (SyntaxError::Parser(kind), file_position(at, start)))?;
    match ast.statements().get(1) {
        Some(stray) => Err((
            SyntaxError::StrayCode,
            file_position(stray.position(), start),
        )),
        None => Ok(Parsed {
            ast,
            origin: Origin::Start(start.0, start.1),
        }),
    }
}

/// Parses an expression that may use these variables.
pub fn parse_expression<'a>(
    text: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<Parsed, (ParseErrorType, Position)> {
    Ok(Parsed {
        ast: parse(text, names)?,
        origin: Origin::Start(0, 0),
    })
}

/// Parses a script that may use any variables; `None` if it is none.
pub fn parse_loosely(text: &str) -> Option<Parsed> {
    let ast = LOOSE_PARSER.with(|parser| parser.compile(text)).ok()?;
    let origin = Origin::Start(0, 0);
    Some(Parsed { ast, origin })
}

fn parse<'a>(
    text: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<AST, (ParseErrorType, Position)> {
    let scope = Scope::from_iter(names.map(|name| (name, Dynamic::UNIT)));
    PARSER
        .with(|parser| parser.compile_with_scope(&scope, text))
        .map_err(|error| (*error.0, error.1))
}

/// Returns the function names of a file that must contain nothing but functions.
pub fn parse_file(text: &str) -> Result<Vec<String>, (SyntaxError, SourcePosition)> {
    let ast = FILE_PARSER
        .with(|parser| parser.compile(text))
        .map_err(|error| {
            (
                SyntaxError::Parser(*error.0),
                file_position(error.1, (0, 0)),
            )
        })?;
    match ast.statements().first() {
        Some(stray) => Err((
            SyntaxError::StrayCode,
            file_position(stray.position(), (0, 0)),
        )),
        None => Ok(ast
            .iter_functions()
            .map(|function| function.name.to_string())
            .filter(|name| !name.starts_with("anon$"))
            .collect()),
    }
}

/// Whether a function may have this name. Reserved words may not be used.
pub fn is_function_name(name: &str) -> bool {
    let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    plain
        && PARSER
            .with(|parser| parser.compile(format!("fn {name}() {{}}")))
            .is_ok()
}

/// Converts a position in a parsed text to a position in its file. `start` is the number of preceding lines, and of preceding characters on
/// the first line.
fn file_position(position: Position, start: (usize, usize)) -> SourcePosition {
    let (line, column) = (
        position.line().unwrap_or(1),
        position.position().unwrap_or(1),
    );
    let column = if line == 1 { column + start.1 } else { column };
    ((line + start.0) as u32, column as u32)
}

impl Parsed {
    /// Converts a position in the parsed text to a position in the file.
    pub fn position(&self, position: Position) -> SourcePosition {
        match self.origin {
            Origin::Start(lines, characters) => file_position(position, (lines, characters)),
            Origin::Fixed(at) => at,
        }
    }

    /// Lets all of the text stand for one position.
    pub fn at(mut self, at: SourcePosition) -> Parsed {
        self.origin = Origin::Fixed(at);
        self
    }

    /// Converts the body to statements.
    pub fn to_tree(&self) -> Vec<Statement> {
        let making = TreeBuilder {
            closures: collect_closures(&self.ast),
            parsed: self,
        };
        making.statements(match self.ast.statements() {
            [Stmt::Block(block)] => block.statements(),
            statements => statements,
        })
    }
}

/// Parameters and body of each closure, by the function name that the parser generates.
type Closures = BTreeMap<String, (Vec<Name>, Vec<Stmt>)>;

fn collect_closures(ast: &AST) -> Closures {
    let body_of = |function: &str| {
        let mut only = ast.clone_functions_only();
        only.retain_functions(|_, _, name, _| name == function);
        let mut body = Vec::new();
        only.walk(&mut |path| {
            if let [rhai::ASTNode::Stmt(statement)] = path {
                body.push((*statement).clone());
            }
            true
        });
        body
    };
    ast.iter_functions()
        .map(|f| {
            (
                f.name.to_string(),
                (
                    f.params.iter().map(|p| Name::from(*p)).collect(),
                    body_of(f.name),
                ),
            )
        })
        .collect()
}

/// Converts Rhai's tree.
struct TreeBuilder<'a> {
    closures: Closures,
    parsed: &'a Parsed,
}

impl TreeBuilder<'_> {
    fn position(&self, position: Position) -> SourcePosition {
        if position.is_none() {
            (0, 0)
        } else {
            self.parsed.position(position)
        }
    }

    fn statements(&self, statements: &[Stmt]) -> Vec<Statement> {
        statements
            .iter()
            .map(|statement| self.statement(statement))
            .collect()
    }

    fn statement(&self, statement: &Stmt) -> Statement {
        let at = self.position(statement.position());
        match statement {
            Stmt::Noop(_) | Stmt::Share(_) => Statement::Nothing(at),
            Stmt::Expr(expression) => Statement::Expression(self.expression(expression)),
            Stmt::FnCall(call, position) => Statement::Expression(self.call(call, *position)),
            Stmt::Block(block) => Statement::Block(self.statements(block.statements()), at),
            Stmt::Var(parts, flags, _) => Statement::Let {
                name: parts.0.name.as_str().into(),
                value: self.expression(&parts.1),
                constant: flags.intersects(ASTFlags::CONSTANT),
                at,
            },
            Stmt::Assignment(parts) => Statement::Assign {
                target: self.expression(&parts.1.lhs),
                operator: parts
                    .0
                    .get_op_assignment_info()
                    .map(|(.., sign)| sign.into()),
                value: self.expression(&parts.1.rhs),
                at,
            },
            Stmt::If(flow, _) => Statement::If {
                condition: self.expression(&flow.expr),
                then: self.body(flow),
                otherwise: self.statements(flow.branch.statements()),
                at,
            },
            Stmt::Switch(switch, _) => {
                Statement::Switch(Box::new(self.switch(&switch.0, &switch.1, at)))
            }
            Stmt::While(flow, _) => {
                let condition =
                    (!matches!(flow.expr, Expr::Unit(_))).then(|| self.expression(&flow.expr));
                Statement::While {
                    condition,
                    body: self.body(flow),
                    at,
                }
            }
            Stmt::Do(flow, flags, _) => Statement::Do {
                body: self.body(flow),
                condition: self.expression(&flow.expr),
                until: flags.intersects(ASTFlags::NEGATED),
                at,
            },
            Stmt::For(parts, _) => Statement::For {
                name: parts.0.name.as_str().into(),
                index_name: parts.1.as_ref().map(|counter| counter.name.as_str().into()),
                iterable: self.expression(&parts.2.expr),
                body: self.body(&parts.2),
                at,
            },
            Stmt::BreakLoop(value, flags, _) => Statement::LoopExit {
                value: self.optional_expression(value),
                is_break: flags.intersects(ASTFlags::BREAK),
                at,
            },
            Stmt::Return(_, flags, _) if flags.intersects(ASTFlags::BREAK) => {
                Statement::Foreign(UnsupportedSyntax::Throw, at)
            }
            Stmt::Return(value, ..) => Statement::Return(self.optional_expression(value), at),
            Stmt::TryCatch(..) => Statement::Foreign(UnsupportedSyntax::Try, at),
            _ => Statement::Foreign(UnsupportedSyntax::Other, at),
        }
    }

    fn body(&self, flow: &FlowControl) -> Vec<Statement> {
        self.statements(flow.body.statements())
    }

    fn optional_expression(&self, expression: &Option<Box<Expr>>) -> Option<Expression> {
        expression
            .as_ref()
            .map(|expression| self.expression(expression))
    }

    fn switch(
        &self,
        scrutinee: &Expr,
        cases: &SwitchCasesCollection,
        at: SourcePosition,
    ) -> SwitchStatement {
        let arm = |arm: &rhai::BinaryExpr| {
            let always = matches!(arm.lhs, Expr::BoolConstant(true, _));
            let guard = (!always).then(|| self.expression(&arm.lhs));
            Arm {
                values: Vec::new(),
                ranges: Vec::new(),
                guard,
                value: self.expression(&arm.rhs),
            }
        };
        let mut arms: Vec<Arm> = cases.expressions.iter().map(arm).collect();
        for case in cases.cases.values() {
            // Ranges are in a separate list.
            if case.value.is::<std::ops::Range<i64>>()
                || case.value.is::<std::ops::RangeInclusive<i64>>()
            {
                continue;
            }
            case.blocks.iter().for_each(|place| {
                arms[*place]
                    .values
                    .push(constant_expression(&case.value, at))
            });
        }
        // The parser returns the values in arbitrary order.
        arms.iter_mut()
            .for_each(|arm| arm.values.sort_by_key(|value| format!("{value:?}")));
        for range in &cases.ranges {
            arms[range.index()].ranges.push(match range {
                rhai::RangeCase::ExclusiveInt(range, _) => (range.start, range.end),
                rhai::RangeCase::InclusiveInt(range, _) => {
                    (*range.start(), range.end().saturating_add(1))
                }
            });
        }
        SwitchStatement {
            scrutinee: self.expression(scrutinee),
            arms,
            default_arm: cases.def_case,
            at,
        }
    }

    fn expressions(&self, expressions: &[Expr]) -> Vec<Expression> {
        expressions
            .iter()
            .map(|part| self.expression(part))
            .collect()
    }

    fn expression(&self, expression: &Expr) -> Expression {
        let at = self.position(expression.position());
        if let Some(closure) = self.closure(expression, at) {
            return closure;
        }
        match expression {
            Expr::Unit(_) => Expression::Nothing(at),
            Expr::BoolConstant(flag, _) => Expression::Bool(*flag, at),
            Expr::IntegerConstant(number, _) => Expression::Number(*number, at),
            Expr::CharConstant(letter, _) => Expression::Text(letter.to_string().into(), at),
            Expr::StringConstant(text, _) => Expression::Text(text.as_str().into(), at),
            Expr::DynamicConstant(value, _) => constant_expression(value, at),
            Expr::InterpolatedString(segments, _) => {
                Expression::Interpolation(self.expressions(segments), at)
            }
            Expr::Array(items, _) => Expression::List(self.expressions(items), at),
            Expr::Map(parts, _) => {
                let entry = |(name, value): &(rhai::Ident, Expr)| {
                    (
                        name.name.as_str().into(),
                        self.position(name.pos),
                        self.expression(value),
                    )
                };
                Expression::Map(parts.0.iter().map(entry).collect(), at)
            }
            Expr::Variable(parts, ..) => Expression::Variable(parts.1.as_str().into(), at),
            Expr::FnCall(call, position) => self.call(call, *position),
            Expr::Dot(..) | Expr::Index(..) => self
                .chain(expression)
                .unwrap_or(Expression::Foreign(UnsupportedSyntax::Other, at)),
            Expr::And(operands, _) => Expression::And(self.expressions(operands), at),
            Expr::Or(operands, _) => Expression::Or(self.expressions(operands), at),
            Expr::Coalesce(operands, _) => Expression::Coalesce(self.expressions(operands), at),
            Expr::Stmt(block) => Expression::Block(self.statements(block.statements()), at),
            Expr::ThisPtr(_) => Expression::Foreign(UnsupportedSyntax::This, at),
            _ => Expression::Foreign(UnsupportedSyntax::Other, at),
        }
    }

    fn call(&self, call: &FnCallExpr, position: Position) -> Expression {
        Expression::Call(Box::new(self.call_parts(call, position)))
    }

    fn call_parts(&self, call: &FnCallExpr, position: Position) -> Call {
        Call {
            name: call.name.as_str().into(),
            args: self.expressions(&call.args),
            is_operator: call.op_token.is_some(),
            at: self.position(position),
        }
    }

    /// The parser converts a closure to a function, and its captured variables to curried arguments.
    fn closure(&self, expression: &Expr, at: SourcePosition) -> Option<Expression> {
        let (name, capture_count) = closure_name(expression)?;
        let (params, body) = self.closures.get(&name)?;
        let (captures, params) = params.split_at(capture_count.min(params.len()));
        let closure = ClosureExpression {
            captures: captures.to_vec(),
            params: params.to_vec(),
            body: self.statements(body),
            at,
        };
        Some(Expression::Closure(Box::new(closure)))
    }

    /// The parser nests `a.b.c` to the right: a pair of `a` and a pair of `b` and `c`.
    fn chain(&self, expression: &Expr) -> Option<Expression> {
        let (mut pair, mut flags, mut dot) = match expression {
            Expr::Dot(pair, flags, _) => (pair, *flags, true),
            Expr::Index(pair, flags, _) => (pair, *flags, false),
            _ => return None,
        };
        let root = self.expression(&pair.lhs);
        let mut links = Vec::new();
        loop {
            let safe = flags.intersects(ASTFlags::NEGATED);
            let next_pair = match &pair.rhs {
                Expr::Dot(next, more, _) if !flags.intersects(ASTFlags::BREAK) => {
                    Some((next, *more, true))
                }
                Expr::Index(next, more, _) if !flags.intersects(ASTFlags::BREAK) => {
                    Some((next, *more, false))
                }
                _ => None,
            };
            let link = next_pair.map_or(&pair.rhs, |(next, ..)| &next.lhs);
            let kind = match link {
                Expr::Property(property, _) if dot => LinkKind::Field(property.2.as_str().into()),
                Expr::MethodCall(call, position) if dot => {
                    LinkKind::Method(self.call_parts(call, *position))
                }
                key if !dot => LinkKind::Key(self.expression(key)),
                _ => return None,
            };
            links.push(Link {
                kind,
                at: self.position(if dot {
                    link.position()
                } else {
                    link.start_position()
                }),
                is_optional: safe,
            });
            match next_pair {
                Some((next_pair, next_flags, is_dot)) => {
                    (pair, flags, dot) = (next_pair, next_flags, is_dot)
                }
                None => {
                    return Some(Expression::Chain(Box::new(Chain {
                        root,
                        links,
                        at: self.position(expression.position()),
                    })));
                }
            }
        }
    }
}

/// Returns the generated function name of a closure expression and the number of captured variables.
fn closure_name(expression: &Expr) -> Option<(String, usize)> {
    match expression {
        Expr::DynamicConstant(value, _) => value
            .read_lock::<FnPtr>()
            .map(|pointer| (pointer.fn_name().to_string(), 0)),
        Expr::Stmt(block) => match block.statements() {
            [Stmt::Share(_), Stmt::Expr(inner)] => match &**inner {
                Expr::FnCall(call, _) if call.name == "curry" => call
                    .args
                    .first()
                    .and_then(closure_name)
                    .map(|(name, _)| (name, call.args.len() - 1)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Converts a constant of the parser.
fn constant_expression(value: &Dynamic, at: SourcePosition) -> Expression {
    if let Ok(number) = value.as_int() {
        return Expression::Number(number, at);
    }
    if let Ok(flag) = value.as_bool() {
        return Expression::Bool(flag, at);
    }
    if let Ok(letter) = value.as_char() {
        return Expression::Text(letter.to_string().into(), at);
    }
    if let Some(text) = value.read_lock::<rhai::ImmutableString>() {
        return Expression::Text(text.as_str().into(), at);
    }
    if let Some(items) = value.read_lock::<rhai::Array>() {
        return Expression::List(
            items
                .iter()
                .map(|item| constant_expression(item, at))
                .collect(),
            at,
        );
    }
    if let Some(map) = value.read_lock::<rhai::Map>() {
        return Expression::Map(
            map.iter()
                .map(|(name, item)| (name.as_str().into(), at, constant_expression(item, at)))
                .collect(),
            at,
        );
    }
    if value.is_unit() {
        Expression::Nothing(at)
    } else {
        Expression::Foreign(UnsupportedSyntax::Constant, at)
    }
}
