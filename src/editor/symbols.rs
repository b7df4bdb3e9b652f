//! Go to definition and find references.

use crate::project::Project;
use crate::text::{self, FILE_START, WordAt};
use casebook_engine::complaint::Span;
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::function_name;
use casebook_engine::ruleset::compose::Ruleset;
use lsp_types::{Location, Position};

/// Returns the word or YAML value at a position, with its file.
pub fn symbol_at(project: &mut Project, key: &str, at: Position) -> Option<(WordAt, DataFile)> {
    let file = project.file(key)?;
    let word = text::word_at(&file.text, at);
    let word = if key.ends_with(".rhai") {
        word
    } else {
        word.filter(|word| word.quoted)
            .or_else(|| text::yaml_value_at(&file.text, at))
    };
    Some((word?, file))
}

/// Returns the definitions of a symbol: a helper in its file, a function in each layer, a case, table, situation or variant.
pub fn definition(project: &mut Project, key: &str, at: Position) -> Vec<Location> {
    let Some((word, _)) = symbol_at(project, key, at) else {
        return Vec::new();
    };
    let Some(ruleset) = project.ruleset(key) else {
        return Vec::new();
    };
    let file_case = ruleset.cases.iter().find(|case| case.has_file(key));
    let helper = file_case.and_then(|case| {
        case.functions
            .iter()
            .find(|f| (f.private || f.is_example()) && f.name == word.text)
    });
    if let (Some(case), Some(helper)) = (file_case, helper) {
        let (file, before) = case.file_of(helper.name_span.line);
        return project
            .location(
                file,
                Span {
                    line: helper.name_span.line - before,
                    ..helper.name_span
                },
            )
            .into_iter()
            .collect();
    }
    let (functions, things) = (
        function_definitions(&ruleset, &word),
        file_definitions(&project.library(), &ruleset, &word),
    );
    // A string in a script is more likely to name a table or a case than a function.
    let quoted_in_script = word.quoted && key.ends_with(".rhai");
    let definitions = if things.is_empty() || !(functions.is_empty() || quoted_in_script) {
        functions
    } else {
        things
    };
    definitions
        .iter()
        .filter_map(|(file, span)| project.location(file, *span))
        .collect()
}

/// Returns the definitions of a function, newest first; a question or a procedure stands for its function.
fn function_definitions(ruleset: &Ruleset, word: &WordAt) -> Vec<(DataFile, Span)> {
    // A question in a table or situation is an expression that begins with a function name.
    let inner = text::word_at(
        &word.text,
        Position {
            line: 0,
            character: 0,
        },
    )
    .map(|inner| inner.text)
    .unwrap_or_default();
    let names = [word.text.clone(), function_name(&word.text), inner];
    let answers = ruleset
        .slots
        .iter()
        .filter(|slot| names.contains(&slot.name))
        .flat_map(|slot| &slot.answers);
    answers
        .map(|answer| {
            (
                ruleset.cases[answer.case].file.clone(),
                ruleset.cases[answer.case].functions[answer.function].name_span,
            )
        })
        .collect()
}

/// Returns the files of a case, table, situation or variant, newest first.
fn file_definitions(library: &Library, ruleset: &Ruleset, word: &WordAt) -> Vec<(DataFile, Span)> {
    // "8.16.remainder" is a reading of case 8.16.
    let number = |case: &str| {
        word.text == case
            || word
                .text
                .strip_prefix(case)
                .is_some_and(|rest| rest.starts_with('.'))
    };
    let longest = ruleset
        .cases
        .iter()
        .filter(|case| number(&case.number))
        .map(|case| case.number.len())
        .max();
    let cases = ruleset
        .cases
        .iter()
        .rev()
        .filter(|case| number(&case.number) && Some(case.number.len()) == longest);
    let mut definitions: Vec<(DataFile, Span)> = cases
        .map(|case| (case.file.clone(), case.kind_span))
        .collect();
    for layer in ruleset.layers.iter().rev() {
        let files = layer
            .tables
            .get(&word.text)
            .into_iter()
            .flatten()
            .chain(layer.scenarios.get(&word.text));
        definitions.extend(files.map(|file| (file.clone(), FILE_START)));
    }
    definitions.extend(
        library
            .variants
            .get(&word.text)
            .map(|variant| (variant.file.clone(), FILE_START)),
    );
    definitions
}

/// Where a symbol stands.
pub struct Occurrence {
    pub file: DataFile,
    pub span: Span,
    pub is_definition: bool,
}

/// Returns every occurrence of a symbol in the files of the game: calls, definitions and quoted names.
pub fn occurrences(project: &mut Project, key: &str, word: &WordAt) -> Vec<Occurrence> {
    let Some(ruleset) = project.ruleset(key) else {
        return Vec::new();
    };
    let file_case = ruleset.cases.iter().find(|case| case.has_file(key));
    let private = file_case.is_some_and(|case| {
        case.functions
            .iter()
            .any(|f| f.private && f.name == word.text)
    });
    let code = !word.quoted && key.ends_with(".rhai");
    let function = code && (private || ruleset.slots.iter().any(|slot| slot.name == word.text));
    let mut occurrences = Vec::new();
    for file in project.game_files(key) {
        if function && private && !file_case.is_some_and(|case| case.has_file(&file.key)) {
            continue;
        }
        // A helper of the same name in another file is a different function.
        let shadowed = !private
            && ruleset.cases.iter().any(|c| {
                c.has_file(&file.key)
                    && c.functions.iter().any(|f| f.private && f.name == word.text)
            });
        if function && shadowed {
            continue;
        }
        for (span, is_call) in text::find_word(&file.text, &word.text) {
            let line = file.text.lines().nth(span.line - 1).unwrap_or_default();
            let head: String = line.chars().take(span.column - 1).collect();
            let tail: String = line.chars().skip(span.column - 1 + span.length).collect();
            let is_replaced = head.starts_with("//!") && head.contains("replaces:");
            let is_reference = if function {
                is_call || is_replaced || head.ends_with('|')
            } else {
                head.ends_with(['"', '\'']) && tail.starts_with(['"', '\''])
                    || is_plain_scalar(&file, &head, &tail)
            };
            if is_reference {
                occurrences.push(Occurrence {
                    file: file.clone(),
                    span,
                    is_definition: head.trim_start().trim_start_matches("private ") == "fn ",
                });
            }
        }
    }
    occurrences
}

/// Returns whether a name is a whole plain scalar in YAML.
fn is_plain_scalar(file: &DataFile, head: &str, tail: &str) -> bool {
    let (head, tail) = (head.trim_end(), tail.trim_start());
    file.key.ends_with(".yaml")
        && head.ends_with([':', '[', ',', '-'])
        && (tail.is_empty() || tail.starts_with([',', ']', '}', '#']))
}

/// Returns the references to a function, table or case; `answers` includes its definitions.
pub fn references(project: &mut Project, key: &str, at: Position, answers: bool) -> Vec<Location> {
    let Some((word, _)) = symbol_at(project, key, at) else {
        return Vec::new();
    };
    let occurrences = occurrences(project, key, &word);
    occurrences
        .iter()
        .filter(|found| answers || !found.is_definition)
        .filter_map(|found| project.location(&found.file, found.span))
        .collect()
}
