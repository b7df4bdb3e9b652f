//! Parses tests of rulings: the situation, the ruleset, the dice, and the expected results. Tests are in `tests/<game>/<name>.yaml`, beside
//! the examples of a case (`tests/<game>/<section>/<case>.yaml`), and under `tests:` in a situation's own file.

use casebook_engine::complaint::{
    Complaint, Complaints, Defect, DiagnosticCode, Message, Span, describe_other_form,
};
use casebook_engine::data::case::{Case, case_of_tests, ruling_tests_of};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::format::ruling_test;
use casebook_engine::data::function_headers::is_in_tests;
use casebook_engine::data::library::Library;
use casebook_engine::data::yaml::{YamlNode, YamlReader, YamlValue};
use casebook_engine::notation::Face;
use casebook_engine::notation::stated::StatedNumber;
use std::sync::Arc;

/// Version of the test file format.
const FORMAT_VERSION: i64 = 1;

/// A text and its position.
pub type PlacedText = (String, Span);

/// A chance that a test states.
#[derive(Clone, Debug)]
pub struct StatedChance {
    /// The outcome and its position.
    pub outcome: (String, Span),
    /// The value of the outcome; `mean` for the mean.
    pub value: String,
    /// The expected chance.
    pub chance: StatedNumber,
    /// The position of the chance.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct RulingTest {
    /// The file that contains it.
    pub file: Arc<DataFile>,
    /// The entry of the test.
    pub node: YamlNode,
    /// The name of the test, a sentence.
    pub name: String,
    /// The statement of a source that the test holds, and how it is known: `RED-042 stated`.
    pub id: Option<String>,
    /// The position of the name.
    pub span: Span,
    pub situation: PlacedText,
    /// Arguments of the procedure that differ from the situation's.
    pub argument_changes: Option<YamlNode>,
    /// Entries of pieces in addition to those of the situation.
    pub pieces: Vec<YamlNode>,
    /// Overrides of the situation, by name.
    pub set: Vec<(String, String)>,
    /// Variants in force, if not those of the situation.
    pub variants: Option<Vec<String>>,
    /// Options in force.
    pub options: Vec<(String, bool)>,
    /// Readings in force.
    pub readings: Vec<(String, String)>,
    /// Answers to choices.
    pub choices: Vec<(String, String)>,
    /// The dice to throw, and their position.
    pub dice: Option<(Vec<Face>, Span)>,
    /// The seed to use if there are no dice.
    pub seed: u64,
    /// The procedure, if not that of the situation.
    pub procedure: Option<PlacedText>,
    /// Expected outcomes: name and value.
    pub expected: Vec<(YamlNode, YamlNode)>,
    /// Expected figures and tracks of the board afterwards: name and value.
    pub board: Vec<(YamlNode, YamlNode)>,
    /// Expected chances.
    pub odds: Vec<StatedChance>,
    /// Lines that the ruling must have.
    pub lines: Vec<PlacedText>,
    /// Cases that must have decided.
    pub cites: Vec<PlacedText>,
    /// The case that must refuse.
    pub refused: Option<PlacedText>,
    /// The text of the expected ruling, and the position of its key.
    pub snapshot: Option<PlacedText>,
    /// The position of the first key of the entry.
    pub entry: Span,
}

impl RulingTest {
    /// Returns the arguments of the procedure: those of the situation with the changes of the test.
    pub fn argument(&self, given: Option<&YamlNode>) -> Option<YamlNode> {
        let Some(changes) = &self.argument_changes else {
            return given.cloned();
        };
        let mut merged: Vec<(YamlNode, YamlNode)> =
            given.map(YamlNode::entries).unwrap_or_default().to_vec();
        for (key, value) in changes.entries() {
            merged.retain(|(k, _)| k.as_text() != key.as_text());
            merged.push((key.clone(), value.clone()));
        }
        Some(YamlNode {
            span: changes.span,
            value: YamlValue::Map(merged),
        })
    }

    /// Makes a complaint about this test.
    pub fn complaint_of(&self, span: Span, defect: Defect) -> Complaint {
        self.place_complaint(defect.at(self.file.place(span)))
    }

    pub fn complaint(
        &self,
        code: DiagnosticCode,
        span: Span,
        message: impl Into<Message>,
    ) -> Complaint {
        self.place_complaint(Complaint::new(code, self.file.place(span), message))
    }

    /// Gives a complaint without a position of its own the position of the test.
    pub fn place_complaint(&self, mut complaint: Complaint) -> Complaint {
        if complaint.place.span.is_none() {
            let dice = self
                .dice
                .as_ref()
                .filter(|_| complaint.code == DiagnosticCode::Dice)
                .map(|(_, span)| *span);
            complaint.place = self.file.place(dice.unwrap_or(self.span));
        }
        if complaint.context.is_empty() {
            complaint.context = format!("test `{}`", self.name);
        }
        complaint
    }

    /// Returns whether the test changes its situation: what is given, its pieces or its figures.
    pub fn changes_the_situation(&self) -> bool {
        self.argument_changes.is_some() || !self.pieces.is_empty() || !self.set.is_empty()
    }

    /// Returns whether the test compares the whole ruling: it has a snapshot, or no other assertion.
    pub fn wants_snapshot(&self) -> bool {
        let states = !self.expected.is_empty() || !self.board.is_empty() || !self.lines.is_empty();
        self.snapshot.is_some()
            || !states && self.odds.is_empty() && self.cites.is_empty() && self.refused.is_none()
    }
}

#[derive(Clone, Debug)]
pub struct RulingTestFile {
    pub file: Arc<DataFile>,
    /// The tests, in order.
    pub tests: Vec<RulingTest>,
    /// Syntax errors in the tests.
    pub complaints: Complaints,
}

impl RulingTestFile {
    /// Parses the tests of a file; tests in a situation's own file apply to that situation.
    pub fn parse(file: &DataFile) -> RulingTestFile {
        let mut reader = YamlReader::for_file(file);
        let file = Arc::new(file.clone());
        let tests = reader
            .parse_file()
            .map(|root| parse_tests(&root, &file, &mut reader))
            .unwrap_or_default();
        RulingTestFile {
            file,
            tests,
            complaints: reader.complaints.into_sorted(),
        }
    }

    /// Parses the tests of rulings that hold a case and stand beside its other tests.
    pub fn of_case(case: &Case, library: &Library) -> Option<RulingTestFile> {
        library
            .files
            .by_key
            .get(&ruling_tests_of(&case.file.key)?)
            .map(RulingTestFile::parse)
    }

    /// Returns the lines of a test in its file.
    pub fn source(&self, index: usize) -> String {
        let line = |index: usize| self.tests.get(index).map(|test| test.entry.line);
        let count = line(index + 1).map_or(usize::MAX, |next| next - self.tests[index].entry.line);
        let lines = self
            .file
            .text
            .lines()
            .skip(self.tests[index].entry.line - 1)
            .take(count);
        lines.collect::<Vec<_>>().join("\n").trim_end().to_string()
    }

    /// Returns the complaints about the tests. In a situation's own file, those about other keys are reported elsewhere.
    pub fn into_complaints(self) -> Vec<Complaint> {
        let tests = is_in_tests(&self.file.key);
        self.complaints
            .0
            .into_iter()
            .filter(|complaint| tests || !complaint.context.is_empty())
            .collect()
    }
}

/// Returns the test files of a game whose path contains `filter`.
pub fn test_files(library: &Library, game: &str, filter: &str) -> Vec<RulingTestFile> {
    let folders = [format!("tests/{game}/"), format!("scenarios/{game}/")];
    let of_variants = library
        .variants_of(game)
        .into_iter()
        .flat_map(|v| ["scenarios", "tests"].map(|tree| format!("variants/{v}/{tree}/")));
    let folders: Vec<String> = folders.into_iter().chain(of_variants).collect();
    let is_wanted = |file: &&DataFile| {
        let in_folders = folders
            .iter()
            .any(|folder| file.key.starts_with(folder.as_str()));
        in_folders && file.key.ends_with(".yaml")
            && (is_in_tests(&file.key) || file.has_tests())
            // The path of a case also selects the tests of rulings that hold it.
            && (filter.is_empty() || file.path.contains(filter) || case_of_tests(&file.key).is_some_and(|case| case.contains(filter)))
    };
    library
        .files
        .by_key
        .values()
        .filter(is_wanted)
        .map(RulingTestFile::parse)
        .collect()
}

fn parse_tests(root: &YamlNode, file: &Arc<DataFile>, reader: &mut YamlReader) -> Vec<RulingTest> {
    reader.context = "tests".into();
    if is_in_tests(&file.key) {
        reader.check(root, &ruling_test::TESTS);
        let form = root
            .get("form")
            .and_then(|node| Some((node.parse()?, node.span)));
        if let Some((form, span)) = form.filter(|(form, _): &(i64, Span)| *form != FORMAT_VERSION) {
            let remedy =
                "write them again, or run the casebook they were written with; nothing was changed";
            let (code, form) = (DiagnosticCode::Test, form.to_string());
            let defect =
                describe_other_form(code, "these tests are", &form, FORMAT_VERSION, remedy);
            reader.report(span, defect);
            return Vec::new();
        }
    }
    let Some(tests) = root.get("tests") else {
        return Vec::new();
    };
    let YamlValue::List(items) = &tests.value else {
        reader.complain(
            DiagnosticCode::Shape,
            tests.span,
            "a list of tests belongs here",
            "begin each test with `- test:` and a sentence",
        );
        return Vec::new();
    };
    items
        .iter()
        .filter_map(|item| parse_test(item, file, reader))
        .collect()
}

fn parse_test(
    item: &YamlNode,
    file: &Arc<DataFile>,
    reader: &mut YamlReader,
) -> Option<RulingTest> {
    reader.context = "tests".into();
    let name = item.text_of("test").to_string();
    if !name.is_empty() {
        reader.context = format!("test `{name}`");
    }
    reader.check(item, &ruling_test::TEST);
    item.get("test")?.as_text()?;
    let text_and_span = |key: &str| {
        item.get(key)
            .and_then(|node| Some((node.as_text()?.to_string(), node.span)))
    };
    let span = item.get("test").unwrap_or(item).span;
    let situation = match text_and_span("given") {
        Some(situation) => situation,
        None if is_in_tests(&file.key) => {
            if item.get("given").is_none() {
                reader.complain_missing(item, "given", DiagnosticCode::MissingKey);
            }
            return None;
        }
        // A test in a situation's own file is of that situation.
        None => (file.stem().to_string(), span),
    };
    let key = |key: &str| {
        item.entries()
            .iter()
            .find(|(k, _)| k.as_text() == Some(key))
            .map(|(k, _)| k.span)
    };
    if let (Some(_), Some(seed)) = (key("dice"), key("seed")) {
        reader.complain(
            DiagnosticCode::Test,
            seed,
            "dice and a seed are two ways to throw",
            "keep one of them",
        );
    }
    Some(RulingTest {
        file: file.clone(),
        span,
        situation,
        node: item.clone(),
        id: item.optional_text_of("id"),
        argument_changes: item
            .get("but")
            .filter(|node| matches!(node.value, YamlValue::Map(_)))
            .cloned(),
        pieces: item.items_of("pieces").to_vec(),
        set: item.named_texts_of("set").collect(),
        variants: item.get("with").map(YamlNode::texts),
        options: item
            .named_entries_of("options")
            .filter_map(|(name, on)| Some((name, on.flag()?)))
            .collect(),
        readings: item.named_texts_of("readings").collect(),
        choices: item.named_texts_of("choose").collect(),
        dice: item.get("dice").map(|node| {
            (
                node.items().iter().filter_map(YamlNode::face).collect(),
                node.span,
            )
        }),
        seed: item.get("seed").and_then(YamlNode::parse).unwrap_or(1),
        procedure: text_and_span("when"),
        expected: item.entries_of("then").to_vec(),
        board: item.entries_of("board").to_vec(),
        odds: item
            .get("odds")
            .map(|node| read_stated_odds(node, reader))
            .unwrap_or_default(),
        lines: placed_texts(item, "lines"),
        cites: placed_texts(item, "cites"),
        refused: text_and_span("refused"),
        snapshot: text_and_span("snapshot")
            .map(|(text, _)| (text, key("snapshot").unwrap_or(span))),
        entry: item.entries().first().map_or(item.span, |(k, _)| k.span),
        name,
    })
}

/// Returns the texts of a list, each with its position.
fn placed_texts(item: &YamlNode, key: &str) -> Vec<PlacedText> {
    let texts = item.items_of(key).iter();
    let placed = texts.filter_map(|one| Some((one.as_text()?.to_string(), one.span)));
    placed.collect()
}

/// Parses `{ winner: { Red: 1/2 }, retreat: 1/3 }`.
fn read_stated_odds(node: &YamlNode, reader: &mut YamlReader) -> Vec<StatedChance> {
    let mut chances = Vec::new();
    for (key, value) in node.entries() {
        let mut add = |name: &str, node: &YamlNode, reader: &mut YamlReader| {
            let outcome = (key.as_text().unwrap_or_default().to_string(), key.span);
            let chance = read_stated_number(node, reader);
            chances.extend(chance.map(|chance| StatedChance {
                outcome,
                value: name.into(),
                chance,
                span: node.span,
            }));
        };
        match &value.value {
            // A chance without a value is that of `yes`.
            YamlValue::Scalar(..) => add("yes", value, reader),
            YamlValue::Map(values) => values
                .iter()
                .for_each(|(name, value)| add(name.as_text().unwrap_or_default(), value, reader)),
            YamlValue::List(_) => reader.complain(
                DiagnosticCode::Shape,
                value.span,
                "an outcome has values, each with its chance",
                "write `winner: { Red: 1/2, Blue: 1/2 }`",
            ),
        }
    }
    chances
}

fn read_stated_number(node: &YamlNode, reader: &mut YamlReader) -> Option<StatedNumber> {
    // A fraction needs no quotes, because no other type is valid here.
    let text = node.as_text().unwrap_or_default().to_string();
    let stated = StatedNumber::parse(&text);
    if stated.is_none() {
        let help = "write a fraction such as 5/12, which holds exactly, or per cent such as 41.7 % or a decimal such as \"0.417\", which hold as rounded";
        reader.complain(
            DiagnosticCode::Number,
            node.span,
            format!("`{text}` is not a chance"),
            help,
        );
    }
    stated
}
