//! `casebook explain`: a page about an error code, a verb, a kind of file, a key or a term.

use crate::author::code_examples;
use crate::author::glossary::{ENTRIES, GlossaryEntry};
use casebook_engine::code::verbs::{self, Verb};
use casebook_engine::complaint::{DiagnosticCode, Error};
use casebook_engine::data::format::{FILE_FORMATS, FieldKey, FieldType, FileFormat};
use casebook_engine::ruling::terminal_page::push_indented;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// A page of explanation, for people and for programs.
pub struct Explanation {
    /// The page as text.
    pub text: String,
    /// The page as data.
    pub page: Explained,
}

/// An error code, a verb, a kind of file or a part of one, a key, a word; several that have one name are in `explained`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "explain")]
pub enum Explained {
    /// An error code.
    Code(ExplainedCode),
    /// A verb.
    Verb(ExplainedVerb),
    /// A word, or a former verb.
    Word(ExplainedWord),
    /// A kind of file, or a part of one.
    Format(ExplainedFormat),
    /// A key.
    Key(ExplainedKey),
    /// All that has one name.
    Several(ExplainedName),
    /// What can be explained.
    Overview(ExplainedOverview),
}

/// An error code.
#[derive(Serialize, JsonSchema)]
pub struct ExplainedCode {
    /// The code.
    pub code: &'static str,
    /// What it is about.
    pub text: String,
    /// An example that is wrong.
    pub wrong: Option<ShownFile>,
    /// The same, right.
    pub right: Option<ShownFile>,
}

/// An example of a check, wrong or right: a file, and its content.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "shown")]
pub struct ShownFile {
    /// The path.
    pub path: &'static str,
    /// The content.
    pub text: &'static str,
}

/// A verb.
#[derive(Serialize, JsonSchema)]
pub struct ExplainedVerb {
    /// The verb.
    pub verb: &'static str,
    /// How it is written, with its arguments.
    pub signature: String,
    /// Its arguments.
    pub takes: Vec<ExplainedArgument>,
    /// How many of these, at the end, may be left out.
    pub optional: usize,
    /// What it returns.
    pub gives: String,
    /// What it does.
    pub does: &'static str,
    /// An example.
    pub example: &'static str,
    /// Where it may stand.
    pub place: &'static str,
    /// Whether it changes the situation.
    pub changes: bool,
    /// Whether the language brings it.
    pub language: bool,
}

/// An argument of a verb.
#[derive(Serialize, JsonSchema)]
pub struct ExplainedArgument {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: String,
}

/// A word.
#[derive(Serialize, JsonSchema)]
pub struct ExplainedWord {
    /// The word.
    pub word: String,
    /// What it means.
    pub text: String,
    /// What leads further.
    pub see: String,
}

/// A kind of file, or a part of one.
#[derive(Serialize, JsonSchema)]
pub struct ExplainedFormat {
    /// Its name.
    pub file: &'static str,
    /// Where it may stand.
    pub place: &'static str,
    /// What it is for.
    pub does: &'static str,
    /// Its keys.
    pub keys: Vec<ExplainedField>,
    /// What else it may have; empty for nothing.
    pub more: &'static str,
}

/// A key of a kind of file.
#[derive(Serialize, JsonSchema)]
pub struct ExplainedField {
    /// The key.
    pub key: &'static str,
    /// What it holds.
    pub holds: String,
    /// What it does.
    pub does: &'static str,
    /// Whether it has to be there.
    pub needed: bool,
}

/// A key.
#[derive(Serialize, JsonSchema)]
pub struct ExplainedKey {
    /// The key.
    pub key: String,
    /// Where it may stand.
    pub stands: Vec<KeyPlace>,
}

/// A place where a key may stand.
#[derive(Serialize, JsonSchema)]
pub struct KeyPlace {
    /// The kind of file.
    pub file: &'static str,
    /// Where that may stand.
    pub place: &'static str,
    /// What the key holds there.
    pub holds: String,
    /// What it does.
    pub does: &'static str,
    /// Whether it has to be there.
    pub needed: bool,
}

/// All that has one name.
#[derive(Serialize, JsonSchema)]
pub struct ExplainedName {
    /// Each meaning.
    pub explained: Vec<Explained>,
}

/// What can be explained.
#[derive(Serialize, JsonSchema)]
pub struct ExplainedOverview {
    /// The error codes.
    pub codes: Vec<ListedCode>,
    /// The kinds of file.
    pub files: Vec<ListedFormat>,
    /// The words.
    pub words: Vec<&'static str>,
}

/// An error code of the overview.
#[derive(Serialize, JsonSchema)]
pub struct ListedCode {
    /// The code.
    pub code: &'static str,
    /// What it is about.
    pub text: String,
}

/// A kind of file of the overview.
#[derive(Serialize, JsonSchema)]
pub struct ListedFormat {
    /// Its name.
    pub file: &'static str,
    /// Where it may stand.
    pub place: &'static str,
}

/// All verbs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "verbs")]
pub struct VerbOverview {
    /// The verbs, by subject.
    pub verbs: Vec<ExplainedVerb>,
}

/// Explains a name; returns one page for each meaning: error code, verb, kind of file or part of one, key, term. Fails if the name is unknown.
pub fn explain(name: &str) -> Result<Vec<Explanation>, Error> {
    let mut explanations: Vec<Explanation> = explain_code(name).into_iter().collect();
    explanations.extend(verbs::named(name).map(explain_verb));
    explanations
        .extend(verbs::replacement(name).map(|(verb, call)| explain_former_verb(name, verb, call)));
    explanations.extend(
        ENTRIES
            .iter()
            .filter(|word| word.names.contains(&name))
            .map(explain_word),
    );
    explanations.extend(
        formats()
            .into_iter()
            .filter(|format| format.name == name)
            .map(explain_format),
    );
    explanations.extend(explain_key(name));
    if explanations.is_empty() {
        return Err(Error::unknown(
            "error code, verb, kind of file, key or word",
            name,
            names(),
        ));
    }
    Ok(explanations)
}

/// Returns pages as one answer: a list, or the page itself if there is only one.
pub fn answer(mut pages: Vec<Explanation>) -> Explained {
    match pages.pop() {
        Some(only) if pages.is_empty() => only.page,
        last => Explained::Several(ExplainedName {
            explained: pages.into_iter().chain(last).map(|one| one.page).collect(),
        }),
    }
}

/// Returns all names that can be explained.
pub fn names() -> impl Iterator<Item = &'static str> {
    let codes = DiagnosticCode::ALL.iter().map(|code| code.as_str());
    let verbs = verbs::all().iter().map(|verb| verb.name);
    let words = ENTRIES.iter().flat_map(|word| word.names).copied();
    let formats = formats();
    let keys: Vec<&str> = formats
        .iter()
        .flat_map(|format| format.keys)
        .map(|key| key.name)
        .collect();
    codes
        .chain(verbs)
        .chain(words)
        .chain(formats.into_iter().map(|format| format.name))
        .chain(keys)
}

/// Returns every kind of file, and every part of one that has its own keys.
pub fn formats() -> Vec<&'static FileFormat> {
    let mut formats: Vec<&'static FileFormat> = FILE_FORMATS.to_vec();
    let mut next = 0;
    while let Some(format) = formats.get(next).copied() {
        let parts = format
            .keys
            .iter()
            .flat_map(|key| key.field_type.object_formats());
        let new: Vec<_> = parts
            .filter(|part| !formats.iter().any(|listed| listed.name == part.name))
            .collect();
        formats.extend(new);
        next += 1;
    }
    formats
}

/// Says what a former verb is called now.
fn explain_former_verb(name: &str, verb: &str, call: &str) -> Explanation {
    let (explanation, see) = (
        format!("It is called `{verb}`: {call}"),
        format!("casebook explain {verb}"),
    );
    let text = format!("{name}: a former verb\n\n  {explanation}\n\n  see: {see}\n");
    Explanation {
        text,
        page: Explained::Word(ExplainedWord {
            word: name.into(),
            text: explanation,
            see,
        }),
    }
}

/// Explains a term of the product.
fn explain_word(word: &GlossaryEntry) -> Explanation {
    let mut text = format!("{}: a word\n\n", word.names[0]);
    push_indented(&mut text, word.text);
    let _ = writeln!(text, "\n  see: {}", word.see_also);
    Explanation {
        text,
        page: Explained::Word(ExplainedWord {
            word: word.names[0].into(),
            text: word.text.into(),
            see: word.see_also.into(),
        }),
    }
}

/// Explains a key, with all places where it is allowed.
fn explain_key(name: &str) -> Option<Explanation> {
    let mut text = format!("{name}: a key\n");
    let mut places = Vec::new();
    for format in formats() {
        for key in format.keys.iter().filter(|key| key.name == name) {
            let need = if key.required.is_some() {
                " (needed)"
            } else {
                ""
            };
            let _ = writeln!(text, "\n  in {}: {}{need}", format.name, format.location);
            push_indented(&mut text, key.description);
            push_indented(
                &mut text,
                &format!("It holds {}.", key.field_type.describe()),
            );
            places.push(KeyPlace {
                file: format.name,
                place: format.location,
                holds: key.field_type.describe(),
                does: key.description,
                needed: key.required.is_some(),
            });
        }
    }
    (!places.is_empty()).then(|| Explanation {
        text,
        page: Explained::Key(ExplainedKey {
            key: name.into(),
            stands: places,
        }),
    })
}

/// Returns an overview: every error code with its first line, every kind of file, and where to find the verbs.
pub fn overview() -> Explanation {
    let mut text = String::from("error codes\n");
    let codes: Vec<(&str, String)> = DiagnosticCode::ALL
        .iter()
        .map(|code| (code.as_str(), code.explanation()))
        .collect();
    for (name, explanation) in &codes {
        let one_line = explanation.replace('\n', " ");
        let sentence = one_line
            .split_once(". ")
            .map_or(one_line.trim_end_matches('.'), |(first, _)| first);
        let _ = writeln!(text, "  {name:<16} {sentence}.");
    }
    text.push_str("\nkinds of file\n");
    for format in FILE_FORMATS {
        let _ = writeln!(text, "  {:<16} {}", format.name, format.location);
    }
    let words: Vec<&str> = ENTRIES.iter().map(|word| word.names[0]).collect();
    text.push_str("\nwords\n");
    push_indented(&mut text, &words.join(", "));
    text.push_str("\nkeys of files: each by its name, `casebook explain readings`\n");
    text.push_str("verbs: `casebook list --verbs`; an introduction: `casebook guide`\n");
    let codes = codes
        .into_iter()
        .map(|(code, text)| ListedCode { code, text });
    let files = FILE_FORMATS.iter().map(|format| ListedFormat {
        file: format.name,
        place: format.location,
    });
    Explanation {
        text,
        page: Explained::Overview(ExplainedOverview {
            codes: codes.collect(),
            files: files.collect(),
            words,
        }),
    }
}

/// Returns an overview of all verbs, grouped by subject, as text and as data.
pub fn verb_overview() -> (String, VerbOverview) {
    let mut text = String::new();
    let mut pages = Vec::new();
    for (subject, verbs) in verbs::SUBJECTS {
        let _ = writeln!(text, "{subject}");
        for verb in verbs {
            let _ = writeln!(text, "  {:<42} {}", verb.signature(), verb.description);
            pages.push(verb_page(verb));
        }
        text.push('\n');
    }
    text.push_str("`casebook explain VERB` has an example.\n");
    (text, VerbOverview { verbs: pages })
}

fn explain_code(name: &str) -> Option<Explanation> {
    let code = *DiagnosticCode::ALL
        .iter()
        .find(|code| code.as_str() == name)?;
    let explanation = code.explanation();
    let mut text = format!("{name}: a check\n\n{explanation}\n");
    let shown = code_examples::find(code);
    if let Some(shown) = shown {
        let (wrong, right) = (shown.wrong, shown.right);
        let _ = writeln!(text, "\nWrong, in {}:\n{}", wrong.0, indent(wrong.1));
        let location = if wrong.0 == right.0 {
            String::new()
        } else {
            format!(", in {}", right.0)
        };
        let _ = writeln!(text, "\nRight{location}:\n{}", indent(right.1));
        if !shown.command.is_empty() {
            let _ = writeln!(text, "\nReported by `casebook {}`.", shown.command);
        }
    }
    let file = |(path, text): (&'static str, &'static str)| ShownFile { path, text };
    let page = ExplainedCode {
        code: code.as_str(),
        text: explanation,
        wrong: shown.map(|shown| file(shown.wrong)),
        right: shown.map(|shown| file(shown.right)),
    };
    Some(Explanation {
        text,
        page: Explained::Code(page),
    })
}

/// Indents each line.
fn indent(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Explains a verb: its arguments, its effect, where it is allowed, and an example.
pub fn explain_verb(verb: &Verb) -> Explanation {
    let mut text = format!("{}: a verb\n\n{}\n\n", verb.signature(), verb.description);
    if !verb.params.is_empty() {
        let _ = writeln!(text, "takes    {}", verb.describe_params());
    }
    if verb.returns != verbs::types::ANY {
        let _ = writeln!(text, "gives    {}", verbs::types::describe(verb.returns));
    }
    let _ = writeln!(text, "allowed  in {}", verb.allowed_in.describe());
    if verb.from_language {
        text.push_str(
            "         It belongs to the language; a function of yours may have the same name.\n",
        );
    }
    text.push_str("\nAn example, in the game that `casebook new game` creates:\n");
    let _ = writeln!(text, "{}", indent(&verb.example.replace("; ", ";\n")));
    Explanation {
        text,
        page: Explained::Verb(verb_page(verb)),
    }
}

fn verb_page(verb: &Verb) -> ExplainedVerb {
    let takes = verb.params.iter().map(|parameter| ExplainedArgument {
        name: parameter.name,
        kind: verbs::types::describe(parameter.types),
    });
    ExplainedVerb {
        verb: verb.name,
        signature: verb.signature(),
        takes: takes.collect(),
        optional: verb.optional,
        gives: verbs::types::describe(verb.returns),
        does: verb.description,
        example: verb.example,
        place: verb.allowed_in.describe(),
        changes: verb.allowed_in == verbs::AllowedIn::Procedures,
        language: verb.from_language,
    }
}

fn explain_format(format: &'static FileFormat) -> Explanation {
    let mut text = format!("{}: a kind of file\n\n", format.name);
    push_indented(&mut text, format.description);
    let _ = writeln!(text, "\n  {}", format.location);
    list_keys(&mut text, format, 2, &mut vec![format.name]);
    let keys = format.keys.iter().map(|key: &FieldKey| ExplainedField {
        key: key.name,
        holds: key.field_type.describe(),
        does: key.description,
        needed: key.required.is_some(),
    });
    let page = ExplainedFormat {
        file: format.name,
        place: format.location,
        does: format.description,
        keys: keys.collect(),
        more: format.extra_keys,
    };
    Explanation {
        text,
        page: Explained::Format(page),
    }
}

/// Lists the keys of a format and, indented below, those of its parts; each part is listed once.
fn list_keys(
    text: &mut String,
    format: &'static FileFormat,
    indent: usize,
    listed: &mut Vec<&'static str>,
) {
    let pad = " ".repeat(indent);
    text.push('\n');
    for key in format.keys {
        let need = if key.required.is_some() {
            " (needed)"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "{pad}{:<14} {}{need}",
            format!("{}:", key.name),
            key.description
        );
        if let FieldType::OneOf(list) = key.field_type {
            let _ = writeln!(text, "{pad}{:<14} {}", "", list.words.join(", "));
        }
    }
    if !format.extra_keys.is_empty() {
        let _ = writeln!(text, "{pad}{:<14} {}", "...", format.extra_keys);
    }
    for nested in format
        .keys
        .iter()
        .filter_map(|key| key.field_type.object_format())
    {
        if !listed.contains(&nested.name) {
            listed.push(nested.name);
            let _ = writeln!(text, "\n{pad}{}  {}", nested.location, nested.description);
            list_keys(text, nested, indent + 2, listed);
        }
    }
}
