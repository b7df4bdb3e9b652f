//! Generates the mutations of a rule or table: a comparison, number, condition, flag or part of a cell. One file per game lists those that
//! are known to make no difference, with reasons.

use crate::testing::test::EQUIVALENTS;
use casebook_engine::complaint::{Complaint, DiagnosticCode, Span};
use casebook_engine::data::case::{Case, CaseFunction};
use casebook_engine::data::file::DataFile;
use casebook_engine::data::format::ruling_test;
use casebook_engine::data::library::Library;
use casebook_engine::data::table::Table;
use casebook_engine::data::yaml::{YamlNode, YamlReader};
use casebook_engine::syntax::calls::reachable_functions;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A replacement in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TextStep {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The original text.
    pub was: String,
    /// The replacement.
    pub now: String,
    /// Byte offset in the function's text, or index of the part of a cell.
    #[serde(skip)]
    pub offset: usize,
}

/// A token of a script.
pub struct Token<'t> {
    pub text: &'t str,
    /// Its byte offset in the script.
    pub offset: usize,
}

impl Token<'_> {
    /// Returns the byte range of the token in the script.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }

    /// Returns whether a binary operator can follow the token.
    fn ends_value(&self) -> bool {
        let last_char = self.text.chars().last().unwrap_or(' ');
        (last_char.is_alphanumeric() || ")]}\"`'_".contains(last_char))
            && !["return", "if", "while", "until", "in", "else"].contains(&self.text)
    }
}

const OPERATORS: &[&str] = &[
    "..=", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "#{", "..",
];

/// Tokenizes a script; comments are skipped, and a string is one token.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found_tokens = Vec::new();
    let mut offset = 0;
    while let Some(c) = text[offset..].chars().next() {
        let remaining = &text[offset..];
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match c {
            _ if remaining.starts_with("//") => remaining.find('\n').unwrap_or(remaining.len()),
            _ if remaining.starts_with("/*") => {
                remaining.find("*/").map_or(remaining.len(), |end| end + 2)
            }
            '"' | '`' | '\'' => quoted_len(remaining, c),
            _ if word(c) => remaining.find(|c| !word(c)).unwrap_or(remaining.len()),
            _ => OPERATORS
                .iter()
                .find(|sign| remaining.starts_with(**sign))
                .map_or(c.len_utf8(), |sign| sign.len()),
        };
        if !c.is_whitespace() && !remaining.starts_with("//") && !remaining.starts_with("/*") {
            found_tokens.push(Token {
                text: &remaining[..length],
                offset,
            });
        }
        offset += length;
    }
    found_tokens
}

/// Returns the length of a quoted string, in bytes.
fn quoted_len(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return i + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Returns the indices of the functions that are rules: those that answer, and their helpers. Helpers of examples alone are excluded.
pub fn rule_functions(case: &Case) -> BTreeSet<usize> {
    let answers = (0..case.functions.len()).filter(|index| case.functions[*index].is_answer());
    answers
        .flat_map(|index| reachable_functions(case, index))
        .collect()
}

/// Returns the mutations of a function.
pub fn function_steps(function: &CaseFunction) -> Vec<TextStep> {
    let body = &function.body;
    let tokens = tokens(body);
    let mut steps = Vec::new();
    let mut add = |offset: usize, was: &str, now: String| {
        let preceding = &body[..offset];
        let line = function.name_span.line + preceding.matches('\n').count();
        let column = preceding
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        steps.push(TextStep {
            line,
            column,
            was: was.into(),
            now,
            offset,
        });
    };
    let begin = tokens
        .iter()
        .position(|t| t.text == "{")
        .unwrap_or(tokens.len());
    for (index, token) in tokens.iter().enumerate().skip(begin) {
        let after_value = tokens[..index].last().is_some_and(Token::ends_value);
        let replacement = match token.text {
            "<" => "<=",
            "<=" => "<",
            ">" => ">=",
            ">=" => ">",
            "==" => "!=",
            "!=" => "==",
            "&&" => "||",
            "||" if after_value => "&&",
            "!" => "",
            "true" => "false",
            "false" => "true",
            "if" | "while" => {
                let Some(inside) = condition(&tokens, index) else {
                    continue;
                };
                let is_compound = inside.iter().any(|t| ["&&", "||"].contains(&t.text));
                // A single comparison, or a single `!`, already has a mutation that negates it.
                if is_compound || !inside.iter().any(|t| ["==", "!=", "!"].contains(&t.text)) {
                    let range = range_of(inside);
                    let was = &body[range.clone()];
                    add(range.start, was, format!("!({was})"));
                }
                continue;
            }
            text if text.starts_with(|c: char| c.is_ascii_digit()) => {
                if let Ok(number) = text.parse::<i64>() {
                    add(token.offset, text, (number + 1).to_string());
                }
                continue;
            }
            _ => continue,
        };
        add(token.offset, token.text, replacement.into());
    }
    steps
}

/// Returns the tokens of the condition between an `if` or `while` and its block.
pub fn condition<'s, 't>(tokens: &'s [Token<'t>], keyword: usize) -> Option<&'s [Token<'t>]> {
    let (behind, mut depth) = (&tokens[keyword + 1..], 0i32);
    for (index, token) in behind.iter().enumerate() {
        match token.text {
            "{" if depth == 0 => return Some(&behind[..index]).filter(|inside| !inside.is_empty()),
            "(" | "[" | "{" | "#{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the byte range from the first to the last of some tokens.
pub fn range_of(tokens: &[Token]) -> Range<usize> {
    tokens.first().map_or(0, |first| first.offset)..tokens.last().map_or(0, |last| last.range().end)
}

/// Returns the case with a mutation applied to one of its functions.
pub fn apply_step(case: &Case, function: usize, step: &TextStep) -> Case {
    let mut case = case.clone();
    let body = &mut case.functions[function].body;
    let mut text = body.to_string();
    text.replace_range(step.offset..step.offset + step.was.len(), &step.now);
    *body = text.into();
    case
}

/// Returns the mutations of a cell: each numeric part plus one, each word replaced by another of its field, each mark removed.
pub fn cell_steps(table: &Table, index: usize) -> Vec<TextStep> {
    let cell = &table.cells[index];
    let (parts, marks) = table.split_cell(&cell.text);
    let tail: String = table
        .marks
        .iter()
        .zip(&marks)
        .filter(|(_, set)| **set)
        .map(|((mark, _), _)| *mark)
        .collect();
    let step = |from: usize, now: String| TextStep {
        line: cell.span.line,
        column: cell.span.column,
        was: cell.text.clone(),
        now,
        offset: from,
    };
    let mut steps = Vec::new();
    for (part_index, part) in parts.iter().enumerate() {
        let replacement = match part.parse::<i64>() {
            Ok(number) => Some((number + 1).to_string()),
            Err(_) if *part == "?" => None,
            Err(_) => {
                let words = table
                    .cells
                    .iter()
                    .filter(|c| !c.is_missing())
                    .filter_map(|c| {
                        table
                            .split_cell(&c.text)
                            .0
                            .get(part_index)
                            .map(|w| w.to_string())
                    });
                Some(
                    words
                        .into_iter()
                        .find(|word| word != part)
                        .unwrap_or_else(|| format!("{part} or not")),
                )
            }
        };
        if let Some(replacement) = replacement {
            let parts: Vec<&str> = parts
                .iter()
                .enumerate()
                .map(|(i, p)| {
                    if i == part_index {
                        replacement.as_str()
                    } else {
                        p
                    }
                })
                .collect();
            steps.push(step(part_index, format!("{}{tail}", parts.join("/"))));
        }
    }
    for mark in tail.chars() {
        let marks: String = tail.chars().filter(|m| *m != mark).collect();
        steps.push(step(parts.len(), format!("{}{marks}", parts.join("/"))));
    }
    steps
}

/// The keyword for a negated condition.
const NOT: &str = "not";

/// An entry: changes of a line that make no difference.
struct EquivalentMutant {
    function: String,
    line: String,
    changes: Vec<String>,
    why: String,
    span: Span,
}

/// The equivalent mutants of a game, by the path of the case.
#[derive(Default)]
pub struct Equivalents(BTreeMap<String, Vec<EquivalentMutant>>);

impl Equivalents {
    /// Reads the file of a game and reports what is wrong with it.
    pub fn load(library: &Library, game: &str) -> (Equivalents, Vec<Complaint>) {
        let file = library
            .files
            .by_key
            .get(&format!("tests/{game}/{EQUIVALENTS}"));
        file.map(|file| Equivalents::read(file, library))
            .unwrap_or_default()
    }

    /// Reads a file and reports what is wrong with it, such as a case that the library doesn't have.
    pub fn read(file: &DataFile, library: &Library) -> (Equivalents, Vec<Complaint>) {
        let mut reader = YamlReader::for_file(file);
        let mut equivalents = Equivalents::default();
        let Some(root) = reader.parse_file() else {
            return (equivalents, reader.complaints.0);
        };
        reader.check(&root, &ruling_test::EQUIVALENTS);
        for (case, case_entries) in root.get("cases").map(YamlNode::entries).unwrap_or_default() {
            let key = case.as_text().unwrap_or_default();
            let entries: Vec<EquivalentMutant> =
                case_entries.items().iter().filter_map(entry).collect();
            let text = library
                .files
                .by_key
                .get(key)
                .map_or("", |file: &DataFile| &file.text);
            if text.is_empty() {
                let what = format!("there is no case `{key}`");
                reader.complain(
                    DiagnosticCode::Test,
                    case.span,
                    what,
                    "write its path, as `casebook show` prints it",
                );
            } else if let Some(entry) = entries
                .iter()
                .find(|entry| !text.lines().any(|line| line.trim() == entry.line))
            {
                let what = format!("no line of {key} is `{}`", entry.line);
                reader.complain(
                    DiagnosticCode::Test,
                    entry.span,
                    what,
                    "copy the line from the case, or remove the entry",
                );
            }
            equivalents.0.insert(key.to_string(), entries);
        }
        (equivalents, reader.complaints.0)
    }

    /// Returns the stated reason why a change of a function makes no difference; `None` if it is not listed.
    pub fn reason(&self, case: &Case, function: &str, step: &TextStep) -> Option<String> {
        let line = case.file.text.lines().nth(step.line - 1).map(str::trim)?;
        let named =
            |change: &String| *change == step.now || change == NOT && step.now.starts_with("!(");
        let fits = |entry: &&EquivalentMutant| {
            entry.function == function && entry.line == line && entry.changes.iter().any(named)
        };
        self.0
            .get(&case.file.key)?
            .iter()
            .find(fits)
            .map(|entry| entry.why.clone())
    }
}

fn entry(item: &YamlNode) -> Option<EquivalentMutant> {
    Some(EquivalentMutant {
        function: item.optional_text_of("function")?,
        line: item.optional_text_of("line")?,
        changes: item.texts_of("changes"),
        why: item.optional_text_of("why")?,
        span: item.get("line").unwrap_or(item).span,
    })
}
