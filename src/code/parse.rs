//! Rhai, parsed: Rhai is the language of cases and its parser; what is run is lowered from its tree.

use crate::complaint::{Complaint, Complaints, Span};
use crate::data::case::{Case, Function};
use crate::data::contents::Part;
use rhai::{AST, Dynamic, Engine, OptimizationLevel, ParseError, ParseErrorType, Position, Scope, Stmt};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a function may be made of; limits of its running are the machine's. To the parser each closure in it is a function.
const CLOSURES: usize = 256;
const VARIABLES: usize = 256;
const DEPTHS: (usize, usize) = (64, 48);

thread_local! {
    /// The parser of this thread: to make one costs more than to parse a function.
    static PARSER: Engine = parser();
    /// What was parsed of the cases so far, where that is kept.
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
    /// The same for whole files, which have as many functions as their author likes: the limit is that of each function.
    static WHOLE: Engine = {
        let mut engine = parser();
        engine.set_max_functions(usize::MAX);
        engine
    };
}

/// By the file and the place in it: the text of the function, and its tree.
type Kept = FxHashMap<(String, usize), (Part, Rc<Parsed>)>;

/// Keeps what is parsed on this thread while a piece of work goes on that asks many rulesets for the same cases.
pub fn kept<T>(work: impl FnOnce() -> T) -> T {
    let before = KEPT.replace(Some(Kept::default()));
    let done = work();
    KEPT.set(before);
    done
}

/// The parser of cases.
fn parser() -> Engine {
    let mut engine = Engine::new_raw();
    engine.set_optimization_level(OptimizationLevel::None); // anything else would work dice out while reading
    engine.set_strict_variables(true);
    engine.set_max_expr_depths(DEPTHS.0, DEPTHS.1);
    engine.set_max_functions(CLOSURES).set_max_variables(VARIABLES);
    forbid(&mut engine);
    engine
}

/// What is not in the language of cases.
pub fn forbid(engine: &mut Engine) {
    for symbol in ["eval", "print", "debug", "import", "export", "Fn", "is_def_fn", "is_def_var"] {
        engine.disable_symbol(symbol);
    }
}

/// A function, or a closure as its author wrote it: the variables it shares stand first among its parameters.
pub struct Lambda {
    /// Its parameters.
    pub params: Vec<String>,
    /// Its body.
    pub body: Vec<Stmt>,
}

/// A function's body with the closures in it, by the names the parser gives them.
pub struct Parsed {
    ast: AST,
    /// Closures.
    pub closures: BTreeMap<String, Lambda>,
    /// Where the text began that was parsed: lines before it, and characters before it on its first line.
    pub start: (usize, usize),
}

impl Parsed {
    /// The statements of the body.
    pub fn body(&self) -> &[Stmt] {
        match self.ast.statements() {
            [Stmt::Block(block)] => block.statements(),
            all => all,
        }
    }

    /// The tree, as the parser made it.
    pub fn tree(&self) -> &AST {
        &self.ast
    }

    /// A place in the parsed text as a place in the file: line and column.
    pub fn spot(&self, position: Position) -> (u32, u32) {
        spot(position, self.start)
    }

    fn new(ast: AST, start: (usize, usize)) -> Parsed {
        let closures = functions(&ast).into_iter().map(|((name, _), lambda)| (name, lambda)).collect();
        Parsed { ast, closures, start }
    }
}

/// The functions and closures of a tree, by their names and numbers of parameters.
pub fn functions(ast: &AST) -> BTreeMap<(String, usize), Lambda> {
    let body_of = |wanted: &str, arity: usize| {
        let mut only = ast.clone_functions_only();
        only.retain_functions(|_, _, name, params| name == wanted && params == arity);
        let mut body = Vec::new();
        only.walk(&mut |path| {
            if let [rhai::ASTNode::Stmt(statement)] = path {
                body.push((*statement).clone());
            }
            true
        });
        body
    };
    let one = |function: rhai::ScriptFnMetadata| {
        let params: Vec<String> = function.params.iter().map(|p| p.to_string()).collect();
        let body = body_of(function.name, params.len());
        ((function.name.to_string(), params.len()), Lambda { params, body })
    };
    ast.iter_functions().map(one).collect()
}

/// A place in a text as a place in the file it was cut from: lines before it, and characters before it on its first line.
fn spot(position: Position, start: (usize, usize)) -> (u32, u32) {
    let (line, column) = (position.line().unwrap_or(1), position.position().unwrap_or(1));
    let column = if line == 1 { column + start.1 } else { column };
    ((line + start.0) as u32, column as u32)
}

/// Parses one function of a case, or finds it where it is kept.
pub fn function(case: &Case, index: usize) -> Result<Rc<Parsed>, Complaints> {
    let function = &case.functions[index];
    let key = || (case.file.key.clone(), function.span.line);
    let known = KEPT.with_borrow(|kept| {
        let (text, parsed) = kept.as_ref()?.get(&key())?;
        (**text == *function.body).then(|| parsed.clone())
    });
    if let Some(parsed) = known {
        return Ok(parsed);
    }
    let parsed = Rc::new(anew(case, function)?);
    KEPT.with_borrow_mut(|kept| kept.as_mut().map(|kept| kept.insert(key(), (function.body.clone(), parsed.clone()))));
    Ok(parsed)
}

fn anew(case: &Case, function: &Function) -> Result<Parsed, Complaints> {
    // Whatever the lines of the file end in, texts that go over several have plain ends in them.
    let plain = function.body.ends_with('\n') && !function.body.contains('\r');
    let ended = |line| [line, "\n"];
    let body = if plain { Cow::Borrowed(&*function.body) } else { Cow::Owned(function.body.lines().flat_map(ended).collect()) };
    let first = body.lines().next().unwrap_or_default();
    let head = first.find('{').unwrap_or(first.trim_end().len());
    let start = (function.span.line - 1, first[..head].chars().count());
    let scope = Scope::from_iter(function.params.iter().map(|p| (p.as_str(), Dynamic::UNIT)));
    let compiled = PARSER.with(|parser| parser.compile_with_scope(&scope, &body[head..]));
    let ast = compiled.map_err(|error| match *error.0 {
        ParseErrorType::TooManyFunctions => {
            let what = format!("`{}` has more than {CLOSURES} closures", function.name);
            Complaints::from(case.complaint("limit", function.span, what).help("divide it: each function may have as many of its own"))
        }
        kind => syntax(case, &kind.to_string(), spot(error.1, start)).into(),
    })?;
    if let Some(stray) = ast.statements().get(1) {
        return Err(syntax(case, "a case holds functions, and nothing outside them", spot(stray.position(), start)).into());
    }
    Ok(Parsed::new(ast, start))
}

/// Parses an expression typed in, in which these names mean something.
pub fn expression(text: &str, names: &[&str]) -> Result<Parsed, ParseError> {
    let scope = Scope::from_iter(names.iter().map(|name| (*name, Dynamic::UNIT)));
    Ok(Parsed::new(PARSER.with(|parser| parser.compile_with_scope(&scope, text))?, (0, 0)))
}

/// Parses a whole file, and complains of what no function of it would show.
pub fn whole(case: &Case) -> Result<AST, Complaints> {
    let ast = WHOLE.with(|parser| parser.compile(&*case.file.text)).map_err(|error| {
        let at = (error.1.line().unwrap_or(1) as u32, error.1.position().unwrap_or(1) as u32);
        Complaints::from(syntax(case, &error.0.to_string(), at))
    })?;
    if let Some(statement) = ast.statements().first() {
        let at = statement.position();
        let at = (at.line().unwrap_or(1) as u32, at.position().unwrap_or(1) as u32);
        return Err(syntax(case, "a case holds functions, and nothing outside them", at).into());
    }
    Ok(ast)
}

/// A place in a file: the word that begins there, or one character.
pub fn span(at: (u32, u32), text: &str) -> Span {
    let (line, column) = (at.0 as usize, at.1 as usize);
    let rest = text.lines().nth(line.saturating_sub(1)).into_iter().flat_map(|line| line.chars().skip(column.saturating_sub(1)));
    let length = rest.take_while(|c| c.is_alphanumeric() || *c == '_').count().max(1);
    Span { line, column, length }
}

/// What the parser says of a case.
pub fn syntax(case: &Case, message: &str, at: (u32, u32)) -> Complaint {
    let at = Span { line: at.0 as usize, column: at.1 as usize, length: 1 };
    if let Some(fraction) = fraction(&case.file.text, at) {
        let what = format!("there are no fractions here: {fraction}");
        return case.complaint("number", at, what).help("figures are whole numbers: 15 percent of n is `n * 15 / 100`");
    }
    case.complaint("script", at, format!("this is not Rhai: {message}"))
        .help("see https://rhai.rs/book for the language; a case holds functions only")
}

/// The number with a point in it of which a place is a part: Rhai without fractions reads 0.15 as a property of 0.
fn fraction(text: &str, at: Span) -> Option<String> {
    let line: Vec<char> = text.lines().nth(at.line.checked_sub(1)?)?.chars().collect();
    let number = |c: &char| c.is_ascii_digit() || *c == '.';
    let start = at.column.checked_sub(1).filter(|start| *start < line.len())?;
    let before = line[..start].iter().rev().take_while(|c| number(c)).count();
    let found: String = line[start - before..].iter().take_while(|c| number(c)).collect();
    let (whole, rest) = found.split_once('.')?;
    (!whole.is_empty() && rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains('.')).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::file::File;

    fn case(answer: &str) -> Case {
        let text = format!("//! case: \"1.1\"\n//! title: A case\n//! kind: rule\n\nfn answer() {{ {answer} }}\n");
        let file = File { key: "rules/game/1-a/1.1-case.rhai".into(), path: "1.1-case.rhai".into(), text: text.into() };
        Case::read(&file, &"game".into(), &mut Complaints::default()).expect("a case")
    }

    #[test]
    fn what_is_kept_is_found_again_and_nothing_else() {
        let same = |a: &Case, b: &Case| Rc::ptr_eq(&function(a, 0).expect("Rhai"), &function(b, 0).expect("Rhai"));
        let (one, again, other) = (case("1"), case("1"), case("2"));
        assert!(!same(&one, &one), "nothing is kept unless it is asked for");
        kept(|| {
            assert!(same(&one, &again), "the same text at the same place");
            assert!(!same(&one, &other), "another text at the same place");
            assert!(!same(&again, &other), "and what was kept is what came last");
        });
        assert!(!same(&one, &one), "and it is let go of at the end");
    }
}
