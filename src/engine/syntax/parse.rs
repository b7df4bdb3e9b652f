//! Parsing of case functions. Rhai is the language of cases and provides the parser; the code is compiled from the converted trees.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Place, Span, did_you_mean};
use crate::data::case::{Case, CaseFunction};
use crate::data::file::DataFile;
use crate::data::file_text::{FileText, TextSlice};
use crate::data::function_headers::TEST_LINES;
use crate::syntax::change::apply_changes;
use crate::syntax::grammar::{self, MAX_CLOSURES, Parsed, SyntaxError};
use crate::syntax::remedies;
use crate::syntax::tree::{SourcePosition, Statement};
use rhai::ParseErrorType;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

thread_local! {
    /// The parse cache of the thread; `None` unless [`with_parse_cache`] is active.
    static PARSE_CACHE: RefCell<Option<ParseCache>> = const { RefCell::new(None) };
}

/// The statements of a function, shared.
pub type FunctionBody = Rc<[Statement]>;

/// Function text and body by file key and position in the file.
type ParseCache = FxHashMap<(String, usize), (TextSlice, FunctionBody)>;

/// Caches parsed functions on this thread during `work`, which may load the same cases into many rulesets.
pub fn with_parse_cache<T>(work: impl FnOnce() -> T) -> T {
    let outer = PARSE_CACHE.replace(Some(ParseCache::default()));
    let result = work();
    PARSE_CACHE.set(outer);
    result
}

/// Returns the body of a case function: cached, or parsed.
pub fn function_body(case: &Case, index: usize) -> Result<FunctionBody, Complaints> {
    let function = &case.functions[index];
    if case.is_list() || !function.placed.is_empty() {
        return changed_body(case, function);
    }
    check_file(case)?;
    let key = || (case.file.key.clone(), function.name_span.line);
    let cached = PARSE_CACHE.with_borrow(|cache| {
        let (text, body) = cache.as_ref()?.get(&key())?;
        (**text == *function.body).then(|| body.clone())
    });
    if let Some(body) = cached {
        return Ok(body);
    }
    let body: FunctionBody = parse_function(case, function)?.to_tree().into();
    PARSE_CACHE.with_borrow_mut(|kept| {
        kept.as_mut()
            .map(|kept| kept.insert(key(), (function.body.clone(), body.clone())))
    });
    Ok(body)
}

/// Parses a function of a list, or one that a list changes.
fn changed_body(case: &Case, function: &CaseFunction) -> Result<FunctionBody, Complaints> {
    let parsed = parse_function(case, function)?;
    let span = function.name_span;
    let mut body = match case.is_list() {
        true => parsed.at((span.line as u32, span.column as u32)).to_tree(),
        false => {
            check_file(case)?;
            parsed.to_tree()
        }
    };
    apply_changes(&mut body, &function.params, &function.placed);
    Ok(body.into())
}

/// Parses a function as if all of it stood at one position, so that expressions can be compared.
pub fn body_without_positions(case: &Case, index: usize) -> Option<Vec<Statement>> {
    let parsed = parse_function(case, &case.functions[index]).ok()?;
    Some(parsed.at((0, 0)).to_tree())
}

/// The maximum size of a function in bytes, because parsing takes superlinear time.
const MAX_FUNCTION_BYTES: usize = 32 << 10;

/// The maximum size of a case file in bytes.
const MAX_FILE_BYTES: usize = 512 << 10;

/// Fails if a function is too long to be parsed.
fn check_length(case: &Case, function: &CaseFunction) -> Result<(), Complaints> {
    if function.body.len() <= MAX_FUNCTION_BYTES {
        return Ok(());
    }
    let message = format!(
        "`{}` is {} KB long, and a function may have {}",
        function.name,
        function.body.len() >> 10,
        MAX_FUNCTION_BYTES >> 10
    );
    Err(case
        .complaint(DiagnosticCode::Limit, function.name_span, message)
        .with_help("divide it; long lists of figures belong in a table")
        .into())
}

/// Parses a case function with Rhai.
pub fn parse_function(case: &Case, function: &CaseFunction) -> Result<Parsed, Complaints> {
    check_length(case, function)?;
    grammar::parse_function(
        &function.body,
        function.name_span.line,
        function.params.iter().map(String::as_str),
    )
    .map_err(|(error, at)| match error {
        SyntaxError::Parser(ParseErrorType::TooManyFunctions) => {
            let message = format!("`{}` has more than {MAX_CLOSURES} closures", function.name);
            case.complaint(DiagnosticCode::Limit, function.name_span, message)
                .with_help("divide it: each function may have as many of its own")
                .into()
        }
        error => syntax_complaint(case, &error, at).into(),
    })
}

/// Parses a typed-in expression that may use these variables.
pub fn parse_expression(text: &str, names: &[&str]) -> Result<Parsed, Complaints> {
    if text.len() > MAX_FUNCTION_BYTES {
        let message = format!(
            "this is {} KB long, and an expression may have {}",
            text.len() >> 10,
            MAX_FUNCTION_BYTES >> 10
        );
        return Err(Complaint::new(
            DiagnosticCode::Limit,
            Place::whole_file("(expression)"),
            message,
        )
        .with_help("make it shorter")
        .into());
    }
    grammar::parse_expression(text, names.iter().copied()).map_err(|(kind, _)| {
        let place = Place::whole_file("(expression)");
        let (message, help) = match &kind {
            ParseErrorType::VariableUndefined(name) => {
                let message = did_you_mean(
                    format!("nothing is called `{name}` here"),
                    name,
                    names.iter().copied(),
                );
                (message, format!("known are {}", names.join(", ")))
            }
            kind => (
                format!("this is not Rhai: {kind}").into(),
                "see https://rhai.rs/book for the language".into(),
            ),
        };
        Complaint::new(DiagnosticCode::Script, place, message)
            .with_help(help)
            .into()
    })
}

type CheckedFile = (FileText, Result<(), Complaints>);

thread_local! {
    /// Files checked on this thread, by key.
    static CHECKED_FILES: RefCell<FxHashMap<String, CheckedFile>> = RefCell::default();
}

/// Maximum number of cached file checks.
const MAX_CHECKED_FILES: usize = 1_000;

/// Checks a file as a whole, for errors that no single function shows. Every run calls it too, so that `check` and runs accept the same
/// files.
pub fn check_file(case: &Case) -> Result<(), Complaints> {
    // The file of a list is no script: its entries are checked where they are read and applied.
    if case.is_list() {
        return Ok(());
    }
    check_one_file(case, &case.file)?;
    case.tests
        .as_ref()
        .map_or(Ok(()), |tests| check_one_file(case, tests))
}

fn check_one_file(case: &Case, file: &DataFile) -> Result<(), Complaints> {
    // What the program carries was read as a whole when it was built: `check` runs over the folder that it is embedded from.
    if file.text.is_embedded() {
        return Ok(());
    }
    let cached = CHECKED_FILES.with_borrow(|cache| {
        cache
            .get(&file.key)
            .filter(|(text, _)| **text == *file.text)
            .map(|(_, found)| found.clone())
    });
    cached.unwrap_or_else(|| {
        let result = check_file_uncached(case, file);
        CHECKED_FILES.with_borrow_mut(|cache| {
            if cache.len() >= MAX_CHECKED_FILES {
                cache.clear();
            }
            cache.insert(file.key.clone(), (file.text.clone(), result.clone()));
        });
        result
    })
}

fn check_file_uncached(case: &Case, file: &DataFile) -> Result<(), Complaints> {
    let lines_before = if file.key == case.file.key {
        0
    } else {
        TEST_LINES
    };
    if file.text.len() > MAX_FILE_BYTES {
        let message = format!(
            "this file has {} KB, and a case may have {}",
            file.text.len() >> 10,
            MAX_FILE_BYTES >> 10
        );
        let complaint = case.complaint(
            DiagnosticCode::Limit,
            Span {
                line: lines_before + 1,
                column: 1,
                length: 1,
            },
            message,
        );
        return Err(complaint.with_help("divide it into several cases").into());
    }
    let functions = || {
        case.functions
            .iter()
            .filter(|function| function.in_tests() == (lines_before > 0))
    };
    for function in functions() {
        check_length(case, function)?;
        if !grammar::is_function_name(&function.name) {
            let message = format!(
                "`{}` is a word of the language, and no function can be called so",
                function.name
            );
            let help = "give it another name; a procedure is called as its function is: `throw dice` is `fn throw_dice(given)`";
            return Err(case
                .complaint(DiagnosticCode::Script, function.name_span, message)
                .with_help(help)
                .into());
        }
    }
    let names = grammar::parse_file(&file.text).map_err(|(error, at)| {
        Complaints::from(syntax_complaint(
            case,
            &error,
            (at.0 + lines_before as u32, at.1),
        ))
    })?;
    if let Some(name) = names
        .iter()
        .find(|name| !functions().any(|f| f.name == **name))
    {
        let message = format!("the function `{name}` does not start at the left margin");
        let complaint = case.complaint(
            DiagnosticCode::Script,
            Span {
                line: lines_before + 1,
                column: 1,
                length: 1,
            },
            message,
        );
        return Err(complaint
            .with_help("start it at the left margin: `fn name(...) {`")
            .into());
    }
    Ok(())
}

/// Returns the span of the word at a position in a case or its test file, or of one character.
pub fn word_span(at: SourcePosition, case: &Case) -> Span {
    let (line, column) = (at.0 as usize, at.1 as usize);
    let (file, lines_before) = case.file_of(line);
    let length = word_length(
        Span {
            line: line - lines_before,
            column,
            length: 1,
        },
        &file.text,
    );
    Span {
        line,
        column,
        length,
    }
}

fn word_length(at: Span, text: &str) -> usize {
    let line_end = text
        .lines()
        .nth(at.line.saturating_sub(1))
        .into_iter()
        .flat_map(|line| line.chars().skip(at.column.saturating_sub(1)));
    line_end
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .count()
        .max(1)
}

/// Converts a syntax error to a complaint.
fn syntax_complaint(case: &Case, error: &SyntaxError, at: SourcePosition) -> Complaint {
    let message = match error {
        SyntaxError::Parser(kind) => kind.to_string(),
        SyntaxError::StrayCode => "a case holds functions, and nothing outside them".into(),
    };
    let at = Span {
        line: at.0 as usize,
        column: at.1 as usize,
        length: 1,
    };
    let (file, lines_before) = case.file_of(at.line);
    if let Some(fraction) = fraction_at(
        &file.text,
        Span {
            line: at.line - lines_before,
            ..at
        },
    ) {
        let message = format!("there are no fractions here: {fraction}");
        return case
            .complaint(DiagnosticCode::Number, at, message)
            .with_help("use whole numbers: 15 percent of n is `n * 15 / 100`");
    }
    let undefined = match error {
        SyntaxError::Parser(ParseErrorType::VariableUndefined(name)) => Some(name.as_str()),
        _ => None,
    };
    if let Some(remedy) = remedies::remedy(
        &file.text,
        at.line - lines_before,
        at.column,
        &message,
        undefined,
    ) {
        let span = word_span((at.line as u32, at.column as u32), case);
        let complaint = case
            .complaint(DiagnosticCode::Script, span, remedy.message)
            .with_help(remedy.help);
        return match remedy.fix {
            Some(fix) => complaint.with_fix(fix),
            None => complaint,
        };
    }
    case.complaint(
        DiagnosticCode::Script,
        at,
        format!("this is not Rhai: {message}"),
    )
    .with_help("see https://rhai.rs/book for the language; a case holds functions only")
}

/// Returns the decimal number around a position. Rhai without floats parses `0.15` as a property of `0`.
fn fraction_at(text: &str, at: Span) -> Option<String> {
    let line: Vec<char> = text.lines().nth(at.line.checked_sub(1)?)?.chars().collect();
    let number = |c: &char| c.is_ascii_digit() || *c == '.';
    let start = at
        .column
        .checked_sub(1)
        .filter(|start| *start < line.len())?;
    let digits_before = line[..start].iter().rev().take_while(|c| number(c)).count();
    let found: String = line[start - digits_before..]
        .iter()
        .take_while(|c| number(c))
        .collect();
    let (integer, decimals) = found.split_once('.')?;
    (!integer.is_empty()
        && decimals.starts_with(|c: char| c.is_ascii_digit())
        && !decimals.contains('.'))
    .then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(answer: &str) -> Case {
        let text = format!(
            "//! case: \"1.1\"\n//! title: A case\n//! kind: rule\n\nfn answer() {{ {answer} }}\n"
        );
        let file = DataFile {
            key: "rules/game/1-a/1.1-case.rhai".into(),
            path: "1.1-case.rhai".into(),
            text: text.into(),
        };
        Case::read(&file, &"game".into(), &mut Complaints::default()).expect("a case")
    }

    #[test]
    fn cache_hits_only_on_the_same_text() {
        let is_cached = |a: &Case, b: &Case| {
            Rc::ptr_eq(
                &function_body(a, 0).expect("Rhai"),
                &function_body(b, 0).expect("Rhai"),
            )
        };
        let (first, same_text, other_text) = (case("1"), case("1"), case("2"));
        assert!(
            !is_cached(&first, &first),
            "there is no cache unless it is asked for"
        );
        with_parse_cache(|| {
            assert!(
                is_cached(&first, &same_text),
                "the same text at the same place"
            );
            assert!(
                !is_cached(&first, &other_text),
                "another text at the same place"
            );
            assert!(
                !is_cached(&same_text, &other_text),
                "the last text replaces the one before"
            );
        });
        assert!(
            !is_cached(&first, &first),
            "the cache is dropped at the end"
        );
    }

    #[test]
    fn nobody_and_nothing_are_words_for_the_value_of_what_is_not_there() {
        let tree = |answer: &str| format!("{:?}", function_body(&case(answer), 0).expect("Rhai"));
        for (words, signs) in [
            ("owner(1) == nobody", "owner(1) == ()"),
            (
                "switch f() { nothing => 1, _ => nobody }",
                "switch f() {      () => 1, _ =>     () }",
            ),
            ("[1].find(|x| x != nobody)", "[1].find(|x| x != ())"),
        ] {
            let without_places = |text: String| text.replace(|c: char| c.is_ascii_digit(), "");
            assert_eq!(without_places(tree(words)), without_places(tree(signs)));
        }
        assert!(tree("\"nobody\"").contains("nobody"), "a text stays a text");
        for name in ["let nobody = 1;", "|nothing| 1"] {
            assert!(function_body(&case(name), 0).is_err(), "{name}");
        }
    }
}
