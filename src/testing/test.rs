//! A test of a ruling as its author writes it: what is given, what is in force, which dice fall, and what must come of it.
//! Tests stand in `tests/<game>/<name>.yaml` and under `tests:` in a situation's own file.

use crate::complaint::{Complaint, Complaints, Place, Span};
use crate::data::files::File;
use crate::data::format::trial;
use crate::data::library::Library;
use crate::data::yaml::{Node, Reader, Value};
use crate::testing::stated::{self, StatedChance};

/// The file in `tests/<game>/` that holds no tests of rulings, but the mutants that are known to make no difference.
pub const EQUIVALENTS: &str = "equivalent-mutants.yaml";

/// The form of test files this version reads and writes.
const FORM: i64 = 1;

/// A text and where it stands.
pub type Spot = (String, Span);

/// A test of a ruling.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What it says, in a sentence.
    pub name: String,
    /// Where the sentence stands.
    pub span: Span,
    /// The situation.
    pub given: Spot,
    /// What the procedure is handed otherwise than the situation says.
    pub but: Option<Node>,
    /// Figures otherwise than the situation says, by name.
    pub set: Vec<(String, String)>,
    /// Variants in force, if not those of the situation.
    pub with: Option<Vec<Spot>>,
    /// Options.
    pub options: Vec<(String, bool)>,
    /// Readings.
    pub readings: Vec<(String, String)>,
    /// Answers to choices.
    pub choose: Vec<(String, String)>,
    /// Dice thrown, and where they stand.
    pub dice: Option<(Vec<u32>, Span)>,
    /// The seed where none are.
    pub seed: u64,
    /// The procedure, if not the situation's own.
    pub when: Option<Spot>,
    /// Named outcomes.
    pub then: Vec<(Node, Node)>,
    /// Chances that the odds must have.
    pub odds: Vec<StatedChance>,
    /// Cases that must have decided.
    pub cites: Vec<Spot>,
    /// The case that must refuse.
    pub refused: Option<Spot>,
    /// The ruling as it was, and where its key stands.
    pub snapshot: Option<Spot>,
    /// Where the keys of the entry stand: the first of them.
    pub entry: Span,
}

impl Claim {
    /// What its procedure is handed: what the situation says, with some of it changed.
    pub fn handed(&self, given: Option<&Node>) -> Option<Node> {
        let changes = self.but.as_ref()?;
        let mut merged: Vec<(Node, Node)> = given.map(Node::entries).unwrap_or_default().to_vec();
        for (key, value) in changes.entries() {
            merged.retain(|(k, _)| k.text() != key.text());
            merged.push((key.clone(), value.clone()));
        }
        Some(Node { span: changes.span, value: Value::Map(merged) })
    }

    /// A complaint about this test.
    pub fn complaint(&self, law: &'static str, span: Span, file: &File, what: impl Into<String>) -> Complaint {
        self.placed(Complaint::new(law, Place::at(&file.path, &file.text, span), what), file)
    }

    /// A complaint put where the author of the test can mend it, unless it has a place of its own.
    pub fn placed(&self, mut complaint: Complaint, file: &File) -> Complaint {
        if complaint.place.span.is_none() {
            let dice = self.dice.as_ref().filter(|_| complaint.law == "dice").map(|(_, span)| *span);
            complaint.place = Place::at(&file.path, &file.text, dice.unwrap_or(self.span));
        }
        if complaint.crumbs.is_empty() {
            complaint.crumbs = format!("test `{}`", self.name);
        }
        complaint
    }

    /// Whether the test is to hold the whole ruling: it says so, or says nothing else.
    pub fn wants_snapshot(&self) -> bool {
        self.snapshot.is_some() || (self.then.is_empty() && self.odds.is_empty() && self.cites.is_empty() && self.refused.is_none())
    }
}

/// A file with its tests.
#[derive(Clone, Debug)]
pub struct Claims {
    /// The file.
    pub file: File,
    /// Its tests, in order.
    pub list: Vec<Claim>,
    /// What is wrong with how they are written.
    pub complaints: Complaints,
}

impl Claims {
    /// Reads the tests of a file; those of a situation's own file are given that situation.
    pub fn read(file: &File) -> Claims {
        let mut reader = Reader::of(file);
        let own = (!file.key.starts_with("tests/")).then(|| file.stem());
        let list = reader.whole().map(|root| list(&root, own, &mut reader)).unwrap_or_default();
        Claims { file: file.clone(), list, complaints: reader.complaints.sorted() }
    }
}

impl Claims {
    /// What is wrong with its tests; a situation's own file has more in it, of which others complain.
    pub fn faults(self) -> Vec<Complaint> {
        let tests = self.file.key.starts_with("tests/");
        self.complaints.0.into_iter().filter(|complaint| tests || !complaint.crumbs.is_empty()).collect()
    }
}

/// The files with tests of a game whose path holds `filter`.
pub fn files(library: &Library, game: &str, filter: &str) -> Vec<Claims> {
    let folders = [format!("tests/{game}/"), format!("scenarios/{game}/")];
    let folders: Vec<String> =
        folders.into_iter().chain(library.variants_of(game).iter().map(|v| format!("variants/{v}/scenarios/"))).collect();
    let wanted = |file: &&File| {
        let here = folders.iter().any(|folder| file.key.starts_with(folder.as_str()));
        here && file.key.ends_with(".yaml")
            && !file.key.ends_with(EQUIVALENTS)
            && (file.key.starts_with("tests/") || file.has_tests())
            && (filter.is_empty() || file.path.contains(filter))
    };
    library.shelf.files.values().filter(wanted).map(Claims::read).collect()
}

fn list(root: &Node, own: Option<&str>, reader: &mut Reader) -> Vec<Claim> {
    reader.crumbs = "tests".into();
    if own.is_none() {
        reader.fits(root, &trial::TESTS);
        let form = root.get("form").and_then(|node| Some((reader.number(node)?, node.span)));
        if let Some((form, span)) = form.filter(|(form, _)| *form != FORM) {
            let what = format!("these tests are of form {form}; this casebook reads form {FORM}");
            reader.complain("test", span, what, "write them anew, or run the casebook they were written with; nothing was changed");
            return Vec::new();
        }
        if root.get("tests").is_none() && !root.entries().is_empty() {
            reader.complain("missing-key", root.span, "`tests:` is missing", "begin the list with a line `tests:`");
        }
    }
    let Some(tests) = root.get("tests") else { return Vec::new() };
    let Value::List(items) = &tests.value else {
        reader.complain("shape", tests.span, "a list of tests belongs here", "begin each test with `- test:` and a sentence");
        return Vec::new();
    };
    items.iter().filter_map(|item| claim(item, own, reader)).collect()
}

fn claim(item: &Node, own: Option<&str>, reader: &mut Reader) -> Option<Claim> {
    reader.crumbs = "tests".into();
    reader.fits(item, &trial::TEST);
    let name = reader.need(item, "test")?.to_string();
    reader.crumbs = format!("test `{name}`");
    let spot = |reader: &mut Reader, key: &str| item.get(key).and_then(|node| Some((reader.text(node)?.to_string(), node.span)));
    let span = item.get("test").unwrap_or(item).span;
    let given = match (spot(reader, "given"), own) {
        (Some(given), _) => given,
        (None, Some(own)) => (own.to_string(), span),
        (None, None) => return reader.need(item, "given").and(None),
    };
    let key = |key: &str| item.entries().iter().find(|(k, _)| k.text() == Some(key)).map(|(k, _)| k.span);
    if let (Some(_), Some(seed)) = (key("dice"), key("seed")) {
        reader.complain("test", seed, "dice and a seed are two ways to throw", "keep one of them");
    }
    let cites = item.get("cites").map(Node::items).unwrap_or_default();
    Some(Claim {
        span,
        given,
        but: item.get("but").filter(|node| matches!(node.value, Value::Map(_))).cloned(),
        set: texts(item, "set", reader),
        with: item.get("with").map(|node| node.items().iter().filter_map(|one| Some((reader.text(one)?.to_string(), one.span))).collect()),
        options: pairs(item, "options").iter().filter_map(|(k, v)| Some((k.clone(), reader.flag(v)?))).collect(),
        readings: texts(item, "readings", reader),
        choose: texts(item, "choose", reader),
        dice: item.get("dice").map(|node| (node.items().iter().filter_map(|die| number(die, reader)).collect(), node.span)),
        seed: item.get("seed").and_then(|node| number(node, reader)).unwrap_or(1),
        when: spot(reader, "when"),
        then: item.get("then").map(Node::entries).unwrap_or_default().to_vec(),
        odds: item.get("odds").map(|node| stated::read(node, reader)).unwrap_or_default(),
        cites: cites.iter().filter_map(|node| Some((reader.text(node)?.to_string(), node.span))).collect(),
        refused: spot(reader, "refused"),
        snapshot: spot(reader, "snapshot").map(|(text, _)| (text, key("snapshot").unwrap_or(span))),
        entry: item.entries().first().map_or(item.span, |(k, _)| k.span),
        name,
    })
}

fn pairs<'n>(item: &'n Node, key: &str) -> Vec<(String, &'n Node)> {
    let entries = item.get(key).map(Node::entries).unwrap_or_default();
    entries.iter().map(|(k, v)| (k.text().unwrap_or_default().to_string(), v)).collect()
}

fn texts(item: &Node, key: &str, reader: &mut Reader) -> Vec<(String, String)> {
    pairs(item, key).into_iter().filter_map(|(k, v)| Some((k, reader.text(v)?.to_string()))).collect()
}

/// A whole number that is not negative; complains of any other.
fn number<T: std::str::FromStr>(node: &Node, reader: &mut Reader) -> Option<T> {
    let text = reader.text(node)?;
    let number = text.parse().ok();
    if number.is_none() {
        reader.complain("number", node.span, format!("`{text}` is no whole number from 0 up"), "write a whole number");
    }
    number
}
