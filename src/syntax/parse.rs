//! The functions of cases, parsed: Rhai is the language of cases and its parser; what is run is lowered from their trees.

use crate::complaint::{Complaint, Complaints, Place, Span, did_you_mean};
use crate::data::bound;
use crate::data::case::{Case, Function};
use crate::data::contents::{Contents, Part};
use crate::data::file::File;
use crate::data::heads::TEST_LINES;
use crate::syntax::grammar::{self, CLOSURES, Parsed, Wrong};
use crate::syntax::tree::{Spot, Statement};
use rhai::ParseErrorType;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

thread_local! {
    /// What was parsed of the cases so far, where that is kept.
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// The statements of a function.
pub type Body = Rc<[Statement]>;

/// By the file and the place in it: the text of the function, and what it says.
type Kept = FxHashMap<(String, usize), (Part, Body)>;

/// Keeps what is parsed on this thread while a piece of work goes on that asks many rulesets for the same cases.
pub fn kept<T>(work: impl FnOnce() -> T) -> T {
    let before = KEPT.replace(Some(Kept::default()));
    let done = work();
    KEPT.set(before);
    done
}

/// What a function of a case says: as it was packed, found where it is kept, or parsed.
pub fn function(case: &Case, index: usize) -> Result<Body, Complaints> {
    let function = &case.functions[index];
    if let Some(body) = packed(case, function) {
        return Ok(body.into());
    }
    sound(case)?;
    let key = || (case.file.key.clone(), function.span.line);
    let known = KEPT.with_borrow(|kept| {
        let (text, body) = kept.as_ref()?.get(&key())?;
        (**text == *function.body).then(|| body.clone())
    });
    if let Some(body) = known {
        return Ok(body);
    }
    let body: Body = parsed(case, function)?.tree().into();
    KEPT.with_borrow_mut(|kept| kept.as_mut().map(|kept| kept.insert(key(), (function.body.clone(), body.clone()))));
    Ok(body)
}

/// What a function says that ships, as it was packed.
fn packed(case: &Case, function: &Function) -> Option<Vec<Statement>> {
    let (file, before) = case.file_of(function.span.line);
    postcard::from_bytes(bound::body(&file.key, function.span.line - before, &function.body)?).ok()
}

/// Longest function, and longest file of a case, in bytes: what follows takes time that grows faster than the text.
const LONGEST: (usize, usize) = (32 << 10, 512 << 10);

/// Complains of a function that is too long to be looked at.
fn bounded(case: &Case, function: &Function) -> Result<(), Complaints> {
    if function.body.len() <= LONGEST.0 {
        return Ok(());
    }
    let what = format!("`{}` is {} KB long, and a function may have {}", function.name, function.body.len() >> 10, LONGEST.0 >> 10);
    Err(case.complaint("limit", function.span, what).help("divide it; long lists of figures belong into a table").into())
}

/// A function of a case as the parser of Rhai made it.
pub fn parsed(case: &Case, function: &Function) -> Result<Parsed, Complaints> {
    bounded(case, function)?;
    grammar::function(&function.body, function.span.line, function.params.iter().map(String::as_str)).map_err(|(wrong, at)| match wrong {
        Wrong::Parser(ParseErrorType::TooManyFunctions) => {
            let what = format!("`{}` has more than {CLOSURES} closures", function.name);
            case.complaint("limit", function.span, what).help("divide it: each function may have as many of its own").into()
        }
        wrong => syntax(case, &wrong, at).into(),
    })
}

/// Parses an expression typed in, in which these names mean something.
pub fn expression(text: &str, names: &[&str]) -> Result<Parsed, Complaints> {
    if text.len() > LONGEST.0 {
        let what = format!("this is {} KB long, and an expression may have {}", text.len() >> 10, LONGEST.0 >> 10);
        return Err(Complaint::new("limit", Place::file("(expression)"), what).help("make it shorter").into());
    }
    grammar::expression(text, names.iter().copied()).map_err(|(kind, _)| {
        let place = Place::file("(expression)");
        let (what, help) = match &kind {
            ParseErrorType::VariableUndefined(name) => {
                let what = format!("nothing is called `{name}` here{}", did_you_mean(name, names.iter().copied()));
                (what, format!("known are {}", names.join(", ")))
            }
            kind => (format!("this is not Rhai: {kind}"), "see https://rhai.rs/book for the language".into()),
        };
        Complaint::new("script", place, what).help(help).into()
    })
}

/// A file's text, and what is wrong with it as a whole.
type CheckedFile = (Contents, Result<(), Complaints>);

thread_local! {
    /// By their keys: files that were looked at as a whole on this thread, and what was wrong with them.
    static WHOLE: RefCell<FxHashMap<String, CheckedFile>> = RefCell::default();
}

/// So many files are kept in mind that were looked at as a whole.
const WHOLE_FILES: usize = 1_000;

/// Complains of what no function of a file would show by itself. Whoever runs a function of it asks here too, so that what `check` finds
/// fault with does not run, and what runs `check` finds no fault with.
pub fn sound(case: &Case) -> Result<(), Complaints> {
    sound_file(case, &case.file)?;
    case.tests.as_ref().map_or(Ok(()), |tests| sound_file(case, tests))
}

fn sound_file(case: &Case, file: &File) -> Result<(), Complaints> {
    if bound::functions(&file.key, &file.text).is_some() {
        return Ok(());
    }
    let known = WHOLE.with_borrow(|known| known.get(&file.key).filter(|(text, _)| **text == *file.text).map(|(_, found)| found.clone()));
    known.unwrap_or_else(|| {
        let found = whole(case, file);
        WHOLE.with_borrow_mut(|known| {
            if known.len() >= WHOLE_FILES {
                known.clear();
            }
            known.insert(file.key.clone(), (file.text.clone(), found.clone()));
        });
        found
    })
}

fn whole(case: &Case, file: &File) -> Result<(), Complaints> {
    let before = if file.key == case.file.key { 0 } else { TEST_LINES };
    if file.text.len() > LONGEST.1 {
        let what = format!("this file has {} KB, and a case may have {}", file.text.len() >> 10, LONGEST.1 >> 10);
        let complaint = case.complaint("limit", Span { line: before + 1, column: 1, length: 1 }, what);
        return Err(complaint.help("divide it into several cases").into());
    }
    let functions = || case.functions.iter().filter(|function| function.in_tests() == (before > 0));
    for function in functions() {
        bounded(case, function)?;
        if !grammar::names_a_function(&function.name) {
            let what = format!("`{}` is a word of the language, and no function can be called so", function.name);
            let help = "give it another name; a procedure is called as its function is: `throw dice` is `fn throw_dice(given)`";
            return Err(case.complaint("script", function.span, what).help(help).into());
        }
    }
    let placed = |(wrong, at): (Wrong, Spot)| Complaints::from(syntax(case, &wrong, (at.0 + before as u32, at.1)));
    let names = grammar::whole(&file.text).map_err(placed)?;
    if let Some(name) = names.iter().find(|name| !functions().any(|f| f.name == **name)) {
        let what = format!("the function `{name}` does not start at the left margin");
        let complaint = case.complaint("script", Span { line: before + 1, column: 1, length: 1 }, what);
        return Err(complaint.help("functions start at the left margin: `fn name(...) {`").into());
    }
    Ok(())
}

/// A place in a case or its test file: the word that begins there, or one character.
pub fn span(at: Spot, case: &Case) -> Span {
    let (line, column) = (at.0 as usize, at.1 as usize);
    let (file, before) = case.file_of(line);
    let length = word_length(Span { line: line - before, column, length: 1 }, &file.text);
    Span { line, column, length }
}

fn word_length(at: Span, text: &str) -> usize {
    let rest = text.lines().nth(at.line.saturating_sub(1)).into_iter().flat_map(|line| line.chars().skip(at.column.saturating_sub(1)));
    rest.take_while(|c| c.is_alphanumeric() || *c == '_').count().max(1)
}

/// What is wrong with a text.
fn syntax(case: &Case, wrong: &Wrong, at: Spot) -> Complaint {
    let message = match wrong {
        Wrong::Parser(kind) => kind.to_string(),
        Wrong::Stray => "a case holds functions, and nothing outside them".into(),
    };
    let at = Span { line: at.0 as usize, column: at.1 as usize, length: 1 };
    let (file, before) = case.file_of(at.line);
    if let Some(fraction) = fraction(&file.text, Span { line: at.line - before, ..at }) {
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
    use crate::data::case::test_file_of;
    use crate::data::heads::is_test_file;

    fn case(answer: &str) -> Case {
        let text = format!("//! case: \"1.1\"\n//! title: A case\n//! kind: rule\n\nfn answer() {{ {answer} }}\n");
        let file = File { key: "rules/game/1-a/1.1-case.rhai".into(), path: "1.1-case.rhai".into(), text: text.into() };
        Case::read(&file, &"game".into(), &mut Complaints::default()).expect("a case")
    }

    #[test]
    fn what_was_packed_is_what_the_parser_says() {
        let mut functions = 0;
        for bound in bound::BUILT_IN.iter().filter(|bound| bound.key.ends_with(".rhai") && !is_test_file(bound.key)) {
            let mut case = Case::read(&File::bound(bound.key, bound.text), &"game".into(), &mut Complaints::default()).expect("a case");
            if let Some(tests) = test_file_of(bound.key).and_then(|key| bound::file(&key)) {
                case.add_tests(&File::bound(tests.key, tests.text), &mut Complaints::default());
            }
            for function in &case.functions {
                let said = parsed(&case, function).expect("Rhai").tree();
                assert_eq!(packed(&case, function), Some(said), "{}: {}", bound.key, function.name);
                functions += 1;
            }
        }
        assert!(functions > 1_000, "they were looked at");
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
