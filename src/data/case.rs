//! A case: its card, its functions and its examples, some of which stand in its test file.

use crate::complaint::{Complaint, Complaints, Place, Span};
use crate::data::embedded;
use crate::data::file_text::{FileText, TextSlice};
use crate::data::files::DataFile;
use crate::data::format::{SOURCE, card::CARD};
use crate::data::function_headers::{FunctionHeader, TEST_LINES, function_headers};
use crate::data::yaml::{YamlNode, YamlReader};
use crate::notation::is_case_number;
use serde::Serialize;
use std::sync::Arc;

/// What a file does to the layers below it. Each kind is a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseKind {
    /// A case of the game itself.
    Rule,
    /// A case that no layer below has.
    NewCase,
    /// Adds to a case.
    Addition,
    /// Puts right what was wrong.
    Correction,
    /// Writes a case anew.
    Revision,
    /// Says what a case means; changes no answer.
    Explanation,
}

impl CaseKind {
    /// The kinds by the word a card uses.
    pub const NAMES: [(&str, CaseKind); 6] = [
        ("rule", CaseKind::Rule),
        ("new case", CaseKind::NewCase),
        ("addition", CaseKind::Addition),
        ("correction", CaseKind::Correction),
        ("revision", CaseKind::Revision),
        ("explanation", CaseKind::Explanation),
    ];

    /// The word a card uses.
    pub fn as_str(self) -> &'static str {
        CaseKind::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }
}

/// How a figure is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Seen in the source named.
    #[default]
    Printed,
    /// Follows from printed figures by arithmetic or logic.
    Derived,
    /// Set by a house rule: whoever plays so knows it for certain, and nothing printed says it.
    House,
    /// Authored by us, by a method the file states.
    Reconstructed,
    /// Not known; asking for it refuses.
    Missing,
}

impl Status {
    /// Whether a figure is known for certain, from print or by a house rule.
    pub fn known(self) -> bool {
        matches!(self, Status::Printed | Status::Derived | Status::House)
    }

    /// The states by their word.
    pub const NAMES: [(&str, Status); 5] = [
        ("printed", Status::Printed),
        ("derived", Status::Derived),
        ("house", Status::House),
        ("reconstructed", Status::Reconstructed),
        ("missing", Status::Missing),
    ];

    /// The word.
    pub fn as_str(self) -> &'static str {
        Status::NAMES.iter().find(|(_, status)| *status == self).map_or("", |(word, _)| word)
    }
}

/// Where a figure or a rule comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceRef {
    /// The document, by its key in the manifest.
    pub doc: String,
    /// Where in it.
    pub at: String,
}

/// A function of a case file.
#[derive(Clone, Debug)]
pub struct CaseFunction {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// Whether it is a helper of the file.
    pub private: bool,
    /// What stands above it from its first doc line on.
    doc_text: TextSlice,
    /// Its text from `fn` to the end, for comparing what two layers say.
    pub body: TextSlice,
    /// Where its name stands.
    pub name_span: Span,
}

impl CaseFunction {
    /// `before` is what the lines of its file are counted on from.
    fn new(text: &FileText, head: &FunctionHeader, before: usize) -> CaseFunction {
        CaseFunction {
            name: head.name.into(),
            params: head.param_names().map(String::from).collect(),
            private: head.private,
            doc_text: TextSlice::new(text, head.doc_range.clone()),
            body: TextSlice::new(text, head.text_range.clone()),
            name_span: Span { line: before + head.line, column: head.column, length: head.name.chars().count().max(1) },
        }
    }

    /// How many parameters it takes.
    pub fn arity(&self) -> usize {
        self.params.len()
    }

    /// The doc lines above it, without slashes.
    pub fn doc_lines(&self) -> Vec<&str> {
        self.doc_text.lines().filter_map(|line| line.strip_prefix("///")).map(str::trim).collect()
    }

    /// Whether it is an example.
    pub fn is_example(&self) -> bool {
        self.name.starts_with("example_")
    }

    /// Whether it stands in the test file of its case.
    pub fn in_tests(&self) -> bool {
        self.name_span.line > TEST_LINES
    }
}

/// A reading of a doubtful text: its name and the ways to read it, the first being the default.
#[derive(Clone, Debug, Serialize)]
pub struct Reading {
    /// Its name within the case.
    pub name: String,
    /// The ways to read it.
    pub ways: Vec<String>,
}

/// A case file, read.
#[derive(Clone, Debug)]
pub struct Case {
    /// The printed number, or the slug where there is none.
    pub number: String,
    /// Title.
    pub title: String,
    /// What it does to the layers below.
    pub kind: CaseKind,
    /// The printed label, where it says something else.
    pub printed_label: Option<String>,
    /// How the case is known.
    pub status: Status,
    /// Where it comes from.
    pub sources: Vec<SourceRef>,
    /// What it says, in our own words.
    pub text: String,
    /// Readings.
    pub readings: Vec<Reading>,
    /// The option of the variant that switches it.
    pub option: Option<String>,
    /// The procedures it carries out or has a part in; only such a case may change the situation.
    pub procedures: Vec<String>,
    /// Functions of the older case that no longer stand.
    pub replaces: Vec<String>,
    /// The layer whose answers it brings back.
    pub reinstates: Option<String>,
    /// What is odd about it in print.
    pub note: Option<String>,
    /// Why no procedure asks it, or why it moves no ruling.
    pub idle_reason: Option<String>,
    /// Its functions, examples among them: those of its file, then those of its test file.
    pub functions: Vec<CaseFunction>,
    /// The layer it belongs to.
    pub layer: Arc<str>,
    /// The file.
    pub file: DataFile,
    /// The file with more examples of it, where there is one.
    pub tests: Option<DataFile>,
    /// Where the kind stands on the card.
    pub kind_span: Span,
}

impl Case {
    /// How a complaint names it: "case 8.16, new case of hardy".
    pub fn breadcrumbs(&self) -> String {
        format!("case {}, {} of {}", self.number, self.kind.as_str(), self.layer)
    }

    /// A complaint at a place of this file.
    pub fn complaint(&self, law: &'static str, span: Span, what: impl Into<String>) -> Complaint {
        Complaint::new(law, self.place(span), what).with_breadcrumbs(self.breadcrumbs())
    }

    /// The file that a line of its functions is in, its own or its test file, and the lines that are counted before that file's first.
    pub fn file_of(&self, line: usize) -> (&DataFile, usize) {
        match &self.tests {
            Some(tests) if line > TEST_LINES => (tests, TEST_LINES),
            _ => (&self.file, 0),
        }
    }

    /// Where a span of its functions stands.
    pub fn place(&self, span: Span) -> Place {
        let (file, before) = self.file_of(span.line);
        Place::from_text(&file.path, &file.text, Span { line: span.line - before, ..span })
    }

    /// Whether a file is its own or its test file.
    pub fn has_file(&self, key: &str) -> bool {
        self.file.key == key || self.tests.as_ref().is_some_and(|tests| tests.key == key)
    }

    /// The helper that a function asks by this name: a function of the case's own file sees none of the test file's.
    pub fn helper(&self, name: &str, arity: usize, from_tests: bool) -> Option<usize> {
        let fits = |f: &CaseFunction| f.private && f.name == name && f.arity() == arity && (from_tests || !f.in_tests());
        self.functions.iter().position(fits)
    }

    /// Adds what its test file holds: examples, and the helpers that they need.
    pub fn add_tests(&mut self, file: &DataFile, complaints: &mut Complaints) {
        let own = self.functions.len();
        self.functions.extend(functions(file, TEST_LINES));
        self.tests = Some(file.clone());
        if !self.functions[own..].iter().any(CaseFunction::is_example) {
            let what = "this test file has no example";
            let help = "write `fn example_...() { ... }` with what must come of it, or remove the file";
            complaints
                .push(Complaint::new("example", Place::whole_file(&file.path), what).with_breadcrumbs(self.breadcrumbs()).with_help(help));
        }
        for function in &self.functions[own..] {
            let same = |other: &CaseFunction| (&other.name, other.arity()) == (&function.name, function.arity());
            if let Some(other) = self.functions[..own].iter().find(|other| same(other)) {
                let what = format!("`{}` stands in the case's own file already", function.name);
                let complaint =
                    self.complaint("example", function.name_span, what).with_related(self.place(other.name_span), "the other".to_string());
                complaints.push(complaint.with_help("give one of them another name"));
            } else if !function.private && !function.is_example() {
                let what = format!("`{}` is no example, and rules don't stand in a test file", function.name);
                let help = "write `private fn` for a helper of examples; the name of an example begins with `example_`";
                complaints.push(self.complaint("example", function.name_span, what).with_help(help));
            }
        }
        // Whatever it calls itself, no rule comes from a test file.
        self.functions[own..].iter_mut().filter(|function| !function.is_example()).for_each(|function| function.private = true);
    }

    /// Where a word stands on the card under its key.
    pub fn span_of(&self, key: &str, word: &str) -> Span {
        let card = YamlReader::for_file(&self.file).parse_file();
        card.map_or(self.kind_span, |card| card.span_of(key, word))
    }

    /// Reads a case file.
    pub fn read(file: &DataFile, layer: &Arc<str>, complaints: &mut Complaints) -> Option<Case> {
        let mut reader = YamlReader::for_file(file);
        let case = Case::read_with(file, layer, &mut reader);
        complaints.0.append(&mut reader.complaints.0);
        case
    }

    fn read_with(file: &DataFile, layer: &Arc<str>, reader: &mut YamlReader) -> Option<Case> {
        if file.text.trim().is_empty() {
            // Says that it is empty, or that it can't be read.
            reader.parse_file();
            return None;
        }
        let number = number_from_stem(file.stem());
        reader.breadcrumbs = format!("case {number} of {layer}");
        if !file.text.starts_with("//!") {
            let help = "begin the file with lines such as `//! case: \"8.16\"`, `//! title: ...`, `//! kind: rule`";
            reader.complain("card", Span { line: 1, column: 1, length: 1 }, "this case has no card", help);
            return None;
        }
        let root = reader.parse_file()?;
        reader.check_format(&root, &CARD);
        if let Some(given) = root.get("case")
            && given.as_text() != Some(&number)
        {
            let what = format!("the card says case `{}`, the file name says `{number}`", given.as_text().unwrap_or_default());
            reader.complain("name", given.span, what, format!("write `case: \"{number}\"`, or rename the file"));
        }
        let kind_node = root.get("kind");
        let kind = match kind_node {
            Some(node) => reader.keyword(node, "kind", "kind of amendment", &CaseKind::NAMES),
            None => reader.required_text(&root, "kind").and(None),
        };
        let readings = root.get("readings").map(YamlNode::entries).unwrap_or_default().iter();
        let readings = readings.map(|(k, v)| Reading { name: k.as_text().unwrap_or_default().into(), ways: reader.texts(v) }).collect();
        let title = reader.required_title(&root);
        let status = root.get("status").and_then(|n| reader.keyword(n, "status", "status", &Status::NAMES)).unwrap_or_default();
        Some(Case {
            number,
            title,
            kind: kind?,
            printed_label: reader.optional_text(&root, "label"),
            status,
            sources: read_sources(&root, reader),
            text: reader.optional_text(&root, "text").unwrap_or_default().trim().into(),
            readings,
            option: reader.optional_text(&root, "option"),
            procedures: root.get("procedure").map(|n| reader.texts(n)).unwrap_or_default(),
            replaces: root.get("replaces").map(|n| reader.texts(n)).unwrap_or_default(),
            reinstates: reader.optional_text(&root, "reinstates"),
            note: reader.optional_text(&root, "note"),
            idle_reason: reader.optional_text(&root, "idle"),
            functions: functions(file, 0),
            layer: layer.clone(),
            file: file.clone(),
            tests: None,
            kind_span: kind_node.map(|n| n.span).unwrap_or_default(),
        })
    }
}

/// The functions of a file, its lines counted on from `before`.
fn functions(file: &DataFile, before: usize) -> Vec<CaseFunction> {
    match embedded::functions(&file.key, &file.text) {
        Some(known) => known.iter().map(|known| CaseFunction::new(&file.text, &known.header(&file.text), before)).collect(),
        None => function_headers(&file.text).iter().map(|head| CaseFunction::new(&file.text, head, before)).collect(),
    }
}

/// The key of the test file of the case at a key: `rules/<game>/...` and `tests/<game>/...`, or in a variant `rules/...` and `tests/...`.
pub fn test_file_of(case: &str) -> Option<String> {
    replaced(case, "rules", "tests")
}

/// The key of the case that the test file at a key tests.
pub fn case_of_tests(tests: &str) -> Option<String> {
    replaced(tests, "tests", "rules")
}

fn replaced(key: &str, from: &str, to: &str) -> Option<String> {
    match key.split('/').collect::<Vec<_>>()[..] {
        [tree, game, section, name] if tree == from => Some(format!("{to}/{game}/{section}/{name}")),
        ["variants", variant, tree, section, name] if tree == from => Some(format!("variants/{variant}/{to}/{section}/{name}")),
        _ => None,
    }
}

/// `source:` of a card: one map or a list of them.
pub fn read_sources(node: &YamlNode, reader: &mut YamlReader) -> Vec<SourceRef> {
    let mut list = Vec::new();
    for item in node.get("source").map(YamlNode::items).unwrap_or_default() {
        reader.check_format(item, &SOURCE);
        list.push(SourceRef {
            doc: reader.required_text(item, "doc").unwrap_or_default().into(),
            at: reader.optional_text(item, "at").unwrap_or_default(),
        });
    }
    list
}

/// The number a file name begins with, or the whole name where it begins with none.
pub fn number_from_stem(stem: &str) -> String {
    match stem.split_once('-') {
        Some((number, _)) if is_case_number(number) || number.chars().all(|c| c.is_ascii_digit()) => number.into(),
        _ => stem.into(),
    }
}
