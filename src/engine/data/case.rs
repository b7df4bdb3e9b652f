//! A case: its card, functions and examples, including those of its test file.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Message, Place, Span};
use crate::data::answer_rules::AnswerRules;
pub use crate::data::case_kind::CaseKind;
use crate::data::file_text::{FileText, TextSlice};
use crate::data::files::DataFile;
use crate::data::format::card::CARD;
use crate::data::function_headers::{FunctionHeader, TEST_LINES, function_headers};
use crate::data::question_words::QuestionWords;
use crate::data::sheet::{SheetFields, read_given};
use crate::data::status::Status;
use crate::data::yaml::{YamlNode, YamlReader};
use crate::notation::is_case_number;
use serde::Serialize;
use std::sync::Arc;

/// A citation for a figure or a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceRef {
    /// Key of the document in the manifest.
    pub doc: String,
    /// Location in the document.
    pub at: String,
}

/// Formats citations in one line: "hardy [8.16]; errata 3".
pub fn sources_text(sources: &[SourceRef]) -> String {
    sources
        .iter()
        .map(|source| format!("{} {}", source.doc, source.at).trim().to_string())
        .collect::<Vec<_>>()
        .join("; ")
}

/// A function of a case file.
#[derive(Clone, Debug)]
pub struct CaseFunction {
    pub name: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// Whether the function is private to the file.
    pub private: bool,
    /// Text above the function, from its first doc line on.
    doc_text: TextSlice,
    /// Source text from `fn` to the end of the function, compared between layers.
    pub body: TextSlice,
    /// Source position of the name; of a function of a list, of the entry that it is made of.
    pub name_span: Span,
    /// Where later layers change its body, in the order in which they do.
    pub placed: Vec<PlacedChange>,
    /// Of a function of a list: whether it only adds to numbers.
    pub adds_only: bool,
}

/// A place in the body of a function whose value another function changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedChange {
    /// Line and column of the expression or statement.
    pub at: (u32, u32),
    pub node: PlacedNode,
    /// The function that is handed the value: indices of its case, and in it, in the ruleset.
    pub by: (usize, usize),
    /// The variables that are handed on with it.
    pub args: Vec<String>,
    /// Whether one of them is the faces of the throw whose total the value is.
    pub asks_faces: bool,
}

/// What of a node a change is handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacedNode {
    /// The result of a call.
    Call,
    /// An argument of a call, by its index.
    Argument(usize),
    Number,
    /// The value of a `let`.
    Let,
}

impl CaseFunction {
    /// Builds a function of a list from its script; `span` is that of the entry.
    pub fn of_list(
        name: &str,
        params: &[String],
        private: bool,
        script: String,
        span: Span,
    ) -> CaseFunction {
        CaseFunction {
            name: name.into(),
            params: params.to_vec(),
            private,
            doc_text: String::new().into(),
            body: script.into(),
            name_span: span,
            placed: Vec::new(),
            adds_only: false,
        }
    }

    /// Builds a function from its header; `before` is the offset added to its line numbers.
    fn new(text: &FileText, head: &FunctionHeader, before: usize) -> CaseFunction {
        CaseFunction {
            name: head.name.into(),
            params: head.param_names().map(String::from).collect(),
            private: head.private,
            doc_text: TextSlice::new(text, head.doc_range.clone()),
            body: TextSlice::new(text, head.text_range.clone()),
            name_span: Span {
                line: before + head.line,
                column: head.column,
                length: head.name.chars().count().max(1),
            },
            placed: Vec::new(),
            adds_only: false,
        }
    }

    /// Returns the number of parameters.
    pub fn arity(&self) -> usize {
        self.params.len()
    }

    /// Returns the doc lines above the function, without slashes.
    pub fn doc_lines(&self) -> Vec<&str> {
        self.doc_text
            .lines()
            .filter_map(|line| line.strip_prefix("///"))
            .map(str::trim)
            .collect()
    }

    /// Returns whether the function is an example.
    pub fn is_example(&self) -> bool {
        self.name.starts_with("example_")
    }

    /// Returns whether the function answers a question of other cases: it is public and no example.
    pub fn is_answer(&self) -> bool {
        !self.private && !self.is_example()
    }

    /// Returns whether the function is defined in the test file of its case.
    pub fn in_tests(&self) -> bool {
        self.name_span.line > TEST_LINES
    }
}

/// A reading of an ambiguous rule: its name and its alternatives, the default first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reading {
    /// Name, unique within the case.
    pub name: String,
    /// The alternatives.
    pub ways: Vec<String>,
}

/// A parsed case file.
#[derive(Clone, Debug)]
pub struct Case {
    /// Printed number, or the slug if the case has none.
    pub number: String,
    pub title: String,
    /// Effect on the layers below.
    pub kind: CaseKind,
    /// Printed label, if it differs from the number.
    pub printed_label: Option<String>,
    /// Status of the case.
    pub status: Status,
    /// Citations.
    pub sources: Vec<SourceRef>,
    /// Summary in our own words.
    pub text: String,
    /// Readings of ambiguous text.
    pub readings: Vec<Reading>,
    /// The usual answers to questions that the case asks as a matter of routine.
    pub usual: AnswerRules,
    pub questions: Vec<QuestionWords>,
    /// The questions whose answers the other side learns only when all have answered.
    pub secret: Vec<String>,
    /// The variant option that enables the case.
    pub option: Option<String>,
    /// Procedures that the case implements or contributes to; only such a case may change the situation.
    pub procedures: Vec<String>,
    /// The arguments that a situation passes to the procedures of the case, by name.
    pub given: SheetFields,
    /// Figures that are read first among the outcomes of its procedures: what each is called, and the texts of its figures.
    pub headline: Vec<(String, Vec<String>)>,
    /// The sides for which more of an outcome is good, by outcome.
    pub good_for: Vec<(String, Vec<String>)>,
    /// Functions of the older case that this case removes.
    pub replaces: Vec<String>,
    /// The layer whose answers the case restores.
    pub reinstates: Option<String>,
    /// Remark on an oddity of the printed text.
    pub note: Option<String>,
    /// Reason why no procedure reaches the case, or why it affects no ruling.
    pub idle_reason: Option<String>,
    /// Functions and examples: those of the case file first, then those of the test file.
    pub functions: Vec<CaseFunction>,
    /// Layer of the case.
    pub layer: Arc<str>,
    pub file: DataFile,
    /// The test file, if there is one.
    pub tests: Option<DataFile>,
    /// Source position of the kind on the card.
    pub kind_span: Span,
    /// Of a case that is made of an entry of a layer's list of changes, the number of the entry; its file is the manifest then.
    pub list_entry: Option<usize>,
}

impl Case {
    /// Creates the case of an entry of a layer's list of changes, still without functions: the entry says what it does, and how that is known.
    pub fn of_list(
        number: &str,
        title: &str,
        layer: &Arc<str>,
        file: &DataFile,
        entry: usize,
        node: &YamlNode,
    ) -> Case {
        let says_else = ["case", "option", "why", "status", "source"];
        let entries = node.entries().iter();
        let entries = entries.filter(|(key, _)| !says_else.contains(&key.text_or_empty()));
        let entries = entries
            .map(|(key, value)| format!("{}: {}", key.text_or_empty(), value.texts().join(", ")));
        let mut text = entries.collect::<Vec<_>>().join(", ");
        if let Some(why) = node.optional_text_of("why") {
            text = format!("{why} ({text})");
        }
        Case {
            number: number.into(),
            title: title.into(),
            kind: CaseKind::Correction,
            printed_label: None,
            status: node
                .word_of("status", &Status::NAMES)
                .unwrap_or(Status::House),
            sources: read_sources(node),
            text,
            readings: Vec::new(),
            usual: AnswerRules::default(),
            questions: Vec::new(),
            secret: Vec::new(),
            option: None,
            procedures: Vec::new(),
            given: SheetFields::new(),
            headline: Vec::new(),
            good_for: Vec::new(),
            replaces: Vec::new(),
            reinstates: None,
            note: None,
            idle_reason: None,
            functions: Vec::new(),
            layer: layer.clone(),
            file: file.clone(),
            tests: None,
            kind_span: node.span,
            list_entry: Some(entry),
        }
    }

    /// Returns whether it is made of an entry of a list of changes.
    pub fn is_list(&self) -> bool {
        self.list_entry.is_some()
    }

    /// Returns what tells it from all other cases: the key of its file, with the number of the entry in a list.
    pub fn key(&self) -> String {
        match self.list_entry {
            None => self.file.key.clone(),
            Some(entry) => list_entry_key(&self.file.key, entry),
        }
    }

    /// Returns the path of its file, with the line of its entry in a list.
    pub fn path(&self) -> String {
        match self.is_list() {
            true => format!("{}:{}", self.file.path, self.kind_span.line),
            false => self.file.path.clone(),
        }
    }

    /// Yields the functions that later layers may answer anew.
    pub fn public_functions(&self) -> impl Iterator<Item = &CaseFunction> {
        self.functions
            .iter()
            .filter(|function| !function.private && !function.is_example())
    }

    /// Returns the label used by complaints: "case 8.16, new case of hardy".
    pub fn context(&self) -> String {
        format!(
            "case {}, {} of {}",
            self.number,
            self.kind.as_str(),
            self.layer
        )
    }

    /// Creates a complaint at a position in this file.
    pub fn complaint(
        &self,
        code: DiagnosticCode,
        span: Span,
        message: impl Into<Message>,
    ) -> Complaint {
        Complaint::new(code, self.place(span), message).with_context(self.context())
    }

    /// Returns the file (case or test file) that contains a line, and the line offset of that file.
    pub fn file_of(&self, line: usize) -> (&DataFile, usize) {
        match &self.tests {
            Some(tests) if line > TEST_LINES => (tests, TEST_LINES),
            _ => (&self.file, 0),
        }
    }

    /// Returns the place of a span in the case file or the test file.
    pub fn place(&self, span: Span) -> Place {
        let (file, before) = self.file_of(span.line);
        file.place(Span {
            line: span.line - before,
            ..span
        })
    }

    /// Returns whether a key names the case file or the test file. The file of a list is no case.
    pub fn has_file(&self, key: &str) -> bool {
        !self.is_list() && self.file.key == key
            || self.tests.as_ref().is_some_and(|tests| tests.key == key)
    }

    /// Returns the index of the helper with this name and arity; functions of the case file do not see helpers of the test file.
    pub fn helper(&self, name: &str, arity: usize, from_tests: bool) -> Option<usize> {
        let fits = |f: &CaseFunction| {
            f.private && f.name == name && f.arity() == arity && (from_tests || !f.in_tests())
        };
        self.functions.iter().position(fits)
    }

    /// Appends the examples and helpers of the test file.
    pub fn add_tests(&mut self, file: &DataFile, complaints: &mut Complaints) {
        let own_count = self.functions.len();
        self.functions.extend(functions(file, TEST_LINES));
        self.tests = Some(file.clone());
        if !self.functions[own_count..]
            .iter()
            .any(CaseFunction::is_example)
        {
            let message = "this test file has no example";
            let help = "write `fn example_...() { ... }` with an expectation, or remove the file";
            complaints.push(
                Complaint::new(
                    DiagnosticCode::Example,
                    Place::whole_file(&file.path),
                    message,
                )
                .with_context(self.context())
                .with_help(help),
            );
        }
        for function in &self.functions[own_count..] {
            let is_same_function = |earlier: &CaseFunction| {
                (&earlier.name, earlier.arity()) == (&function.name, function.arity())
            };
            if let Some(earlier) = self.functions[..own_count]
                .iter()
                .find(|earlier| is_same_function(earlier))
            {
                let message = format!("`{}` is already in the case's own file", function.name);
                let complaint = self
                    .complaint(DiagnosticCode::Example, function.name_span, message)
                    .with_related(self.place(earlier.name_span), "the other".to_string());
                complaints.push(complaint.with_help("give one of them another name"));
            } else if !function.private && !function.is_example() {
                let message = format!(
                    "`{}` is not an example, and rules don't belong in a test file",
                    function.name
                );
                let help = "write `private fn` for a helper of examples; the name of an example begins with `example_`";
                complaints.push(
                    self.complaint(DiagnosticCode::Example, function.name_span, message)
                        .with_help(help),
                );
            }
        }
        // All functions of a test file are private, so that none can define a rule.
        self.functions[own_count..]
            .iter_mut()
            .filter(|function| !function.is_example())
            .for_each(|function| function.private = true);
    }

    /// Returns the source position of a word under a key of the card.
    pub fn span_of(&self, key: &str, word: &str) -> Span {
        let card = YamlReader::for_file(&self.file).parse_file();
        card.map_or(self.kind_span, |card| card.span_of(key, word))
    }

    /// Parses a case file; `None` if it has no usable card.
    pub fn read(file: &DataFile, layer: &Arc<str>, complaints: &mut Complaints) -> Option<Case> {
        let mut reader = YamlReader::for_file(file);
        let case = Case::read_with(file, layer, &mut reader);
        complaints.0.append(&mut reader.complaints.0);
        case
    }

    fn read_with(file: &DataFile, layer: &Arc<str>, reader: &mut YamlReader) -> Option<Case> {
        if file.text.trim().is_empty() {
            // `parse_file` reports an empty or unreadable file.
            reader.parse_file();
            return None;
        }
        let number = number_from_stem(file.stem());
        reader.context = format!("case {number} of {layer}");
        if !file.text.starts_with("//!") {
            let help = "begin the file with lines such as `//! case: \"8.16\"`, `//! title: ...`, `//! kind: rule`";
            reader.complain(
                DiagnosticCode::Card,
                Span {
                    line: 1,
                    column: 1,
                    length: 1,
                },
                "this case has no card",
                help,
            );
            return None;
        }
        let root = reader.parse_file()?;
        reader.check(&root, &CARD);
        let name = ("file", &*number, &*format!("\"{number}\""));
        reader.check_stated_name(&root, "case", name);
        Some(Case {
            number,
            title: root.text_of("title").into(),
            kind: root.word_of("kind", &CaseKind::NAMES)?,
            printed_label: root.optional_text_of("label"),
            status: root.word_of("status", &Status::NAMES).unwrap_or_default(),
            sources: read_sources(&root),
            text: root.text_of("text").trim().into(),
            readings: root
                .named_lists_of("readings")
                .map(|(name, ways)| Reading { name, ways })
                .collect(),
            usual: AnswerRules::read(root.get("usual")),
            questions: QuestionWords::read_all(root.get("questions")),
            secret: root.texts_of("secret"),
            option: root.optional_text_of("option"),
            procedures: root.texts_of("procedure"),
            given: root
                .get("given")
                .map(|n| read_given(n, reader))
                .unwrap_or_default(),
            headline: root.named_lists_of("headline").collect(),
            good_for: root.named_lists_of("good_for").collect(),
            replaces: root.texts_of("replaces"),
            reinstates: root.optional_text_of("reinstates"),
            note: root.optional_text_of("note"),
            idle_reason: root.optional_text_of("idle"),
            functions: functions(file, 0),
            layer: layer.clone(),
            file: file.clone(),
            tests: None,
            kind_span: root.get("kind").map(|n| n.span).unwrap_or_default(),
            list_entry: None,
        })
    }
}

/// Returns the functions of a file; `before` is the offset added to line numbers.
fn functions(file: &DataFile, before: usize) -> Vec<CaseFunction> {
    function_headers(&file.text)
        .iter()
        .map(|head| CaseFunction::new(&file.text, head, before))
        .collect()
}

/// Returns the key of the case that an entry of a list in a file makes.
pub fn list_entry_key(file: &str, entry: usize) -> String {
    format!("{file}#{entry}")
}

/// Returns the key of a case's test file: `rules/<game>/...` maps to `tests/<game>/...`; in a variant, `rules/...` to `tests/...`.
pub fn test_file_of(case: &str) -> Option<String> {
    replaced(case, "rules", "tests")
}

/// Returns the key of the file with the tests of rulings that hold a case.
pub fn ruling_tests_of(case: &str) -> Option<String> {
    Some(format!(
        "{}.yaml",
        test_file_of(case)?.strip_suffix(".rhai")?
    ))
}

/// Returns the key of the case that a test file belongs to: examples in a script, or tests of rulings.
pub fn case_of_tests(tests: &str) -> Option<String> {
    let key = replaced(tests, "tests", "rules")?;
    Some(
        key.strip_suffix(".yaml")
            .map_or_else(|| key.clone(), |stem| format!("{stem}.rhai")),
    )
}

fn replaced(key: &str, from: &str, to: &str) -> Option<String> {
    match key.split('/').collect::<Vec<_>>()[..] {
        [tree, game, section, name] if tree == from => {
            Some(format!("{to}/{game}/{section}/{name}"))
        }
        ["variants", variant, tree, section, name] if tree == from => {
            Some(format!("variants/{variant}/{to}/{section}/{name}"))
        }
        _ => None,
    }
}

/// Reads `source:` of a file or a part: one map or a list of maps.
pub fn read_sources(node: &YamlNode) -> Vec<SourceRef> {
    node.items_of("source")
        .iter()
        .map(|item| SourceRef {
            doc: item.text_of("doc").into(),
            at: item.text_of("at").into(),
        })
        .collect()
}

/// Returns the text of a case file without its card and comments.
pub fn script_text(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the number at the start of a file name, or the whole name if there is none.
pub fn number_from_stem(stem: &str) -> String {
    match stem.split_once('-') {
        Some((number, _))
            if is_case_number(number) || number.chars().all(|c| c.is_ascii_digit()) =>
        {
            number.into()
        }
        _ => stem.into(),
    }
}
