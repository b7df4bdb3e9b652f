//! Examples: statements of the sources as functions beside their case, and as questions in tables and scenarios.

use crate::code::machine::Machine;
use crate::code::program::Source;
use crate::code::verbs::examples::in_lowest_terms;
use crate::complaint::{Complaint, Place, Span};
use crate::data::case::{Case, Function};
use crate::data::files::File;
use crate::data::format::chart;
use crate::data::library::Layer;
use crate::data::scenario::Sort;
use crate::data::yaml::{Node, Reader};
use crate::situation::board::Board;
use crate::situation::start::Start;
use crate::situation::value::Value;
use crate::situation::words;
use crate::testing::check::{Check, Question, Work};
use crate::testing::setting::{Setting, doc_line, refused};
use crate::testing::trial::{self, Failed, Tried};
use std::sync::Arc;

const SOURCE: &str = "the source decides: mend the figures, or the example if it misreads the source";

/// The examples of a layer, in files whose path holds `filter`.
pub fn gather(layer: &Layer, game: &str, filter: &str) -> Vec<Check> {
    let variant = layer.variant.as_ref().map(|variant| variant.name.as_str());
    let wanted = |path: &str| path.contains(filter);
    let mut checks = Vec::new();
    for case in &layer.cases {
        // The examples of a test file belong to its case: the path of either finds them.
        let all = wanted(&case.file.path);
        let path = |function: &Function| case.file_of(function.span.line).0.path.as_str();
        let examples = case.functions.iter().enumerate().filter(|(_, f)| f.is_example() && (all || wanted(path(f))));
        for (index, function) in examples {
            let setting = Setting::of(function);
            let mut check = Check::named(&setting.id, &function.name, path(function), Work::Example(case.clone(), index));
            match setting.wish(game, variant) {
                Ok(wish) => check.wish = wish,
                Err(complaints) => check.blank.complaint = refused(&complaints, |word| doc_line(case, function, word)),
            }
            checks.push(check);
        }
    }
    for file in layer.tables.values().flatten().chain(layer.scenarios.values()).filter(|file| wanted(&file.path)) {
        let mut reader = Reader::of(file);
        let Some(root) = reader.whole() else {
            checks.extend(reader.complaints.0.into_iter().next().map(|complaint| Check::faulty("a file of data", file, complaint)));
            continue;
        };
        let with = root.get("with").map(|n| reader.texts(n));
        let items = root.get("examples").map(Node::items).unwrap_or_default();
        checks.extend(items.iter().map(|item| question(item, &mut reader, game, variant, file, with.clone())));
    }
    checks
}

/// One question: `ask:` an expression, `then:` its value.
fn question(item: &Node, reader: &mut Reader, game: &str, variant: Option<&str>, file: &File, with: Option<Vec<String>>) -> Check {
    reader.complaints.0.clear();
    reader.fits(item, &chart::EXAMPLE);
    let ask = reader.need(item, "ask").unwrap_or_default().to_string();
    let id = reader.maybe(item, "id").unwrap_or_else(|| ask.clone());
    let setting = Setting::beside(item, id, with, reader);
    let then = item.get("then").cloned();
    if then.is_none() && !reader.complaints.any_error() {
        reader.need(item, "then");
    }
    let at = item.get("ask").unwrap_or(item).span;
    let then = then.unwrap_or_else(|| item.clone());
    let work = Work::Question(Box::new(Question { file: file.clone(), ask: ask.clone(), then, at, item: item.clone() }));
    let mut check = Check::named(&setting.id, &ask, &file.path, work);
    match setting.wish(game, variant) {
        _ if reader.complaints.any_error() => check.blank.complaint = reader.complaints.0.first().cloned(),
        Ok(wish) => check.wish = wish,
        Err(complaints) => check.blank.complaint = refused(&complaints, |word| named(item, file, word)),
    }
    check
}

/// Where an entry names what it wants in force; the entry where it names nothing of the kind.
pub fn named(item: &Node, file: &File, word: &str) -> Place {
    let mut nodes = ["with", "reading", "option"].iter().filter_map(|key| item.get(key)).flat_map(Node::items);
    Place::at(&file.path, &file.text, nodes.find(|node| node.text().is_some_and(|text| text.contains(word))).unwrap_or(item).span)
}

impl Question {
    /// Where it names a word of what it wants in force.
    pub fn place(&self, word: &str) -> Place {
        named(&self.item, &self.file, word)
    }

    /// Asks it; why it does not hold, if it does not.
    pub fn prove(&self, machine: &mut Machine) -> Option<Complaint> {
        let ruleset = machine.program.ruleset.clone();
        let place = || Place::at(&self.file.path, &self.file.text, self.at);
        let (mut start, mut answers) = (Start::empty(&ruleset.game), Default::default());
        // A situation's own questions are asked of its board.
        if self.file.is_scenario()
            && let Ok(scenario) = ruleset.scenario(self.file.stem())
            && scenario.sort == Sort::Situation
        {
            match Start::new(&scenario, &ruleset, &machine.program.atlas) {
                Ok(own) => (start, answers) = (own, words::answers(&scenario)),
                Err(complaints) => return complaints.0.into_iter().next(),
            }
        }
        let wanted = words::value(&self.then);
        let source = Source::Expression(self.ask.clone(), Vec::new());
        match trial::run(machine, source, Board::new(Arc::new(start)), answers) {
            Ok(Tried { value: got, state, .. }) => {
                let what = || words::unlike(&got, &wanted, &state.board);
                let holds = |wanted: &Value| words::same(&got, wanted, &state.board);
                let held = holds(&wanted) || holds(&in_lowest_terms(&wanted, &state.hand.chances));
                (!held).then(|| Complaint::new("example", place(), what()).help(SOURCE))
            }
            Err(Failed::Broken(complaints)) => {
                // What is wrong in a file has its place there.
                let mended = |complaint: Complaint| {
                    if complaint.place.span.is_some() { complaint } else { Complaint { place: place(), ..complaint } }
                };
                complaints.0.into_iter().next().map(mended)
            }
            Err(Failed::Refused(why)) => Some(Complaint::new("example", place(), format!("refused: {why}")).help(SOURCE)),
        }
    }
}

/// Runs an example beside its case; why it does not hold, if it does not.
pub fn prove(case: &Case, index: usize, machine: &mut Machine) -> Option<Complaint> {
    let (ruleset, function) = (machine.program.ruleset.clone(), &case.functions[index]);
    let complain = |what: String, help: &str| Some(case.complaint("example", function.span, what).help(help));
    let Some(found) = ruleset.cases.iter().position(|c| c.file.key == case.file.key) else {
        return complain("the option that switches this case is off here".into(), "mend the `with:` or `option:` line");
    };
    if let Some(complaint) = expects_itself(case, function) {
        return Some(complaint);
    }
    let board = Board::new(Arc::new(Start::empty(&ruleset.game)));
    let tried = match trial::run(machine, Source::Function(found, index), board, Default::default()) {
        Ok(tried) => tried,
        Err(Failed::Broken(complaints)) => return complaints.0.into_iter().next(),
        Err(Failed::Refused(why)) => return complain(format!("refused: {why}"), "`expect_refused(|| ..., \"case\")` expects a refusal"),
    };
    match (tried.state.hand.expected, tried.left_over, &tried.unheard[..]) {
        (0, ..) => complain(
            "this example expects nothing".into(),
            "say what must come of it: `expect(got, wanted)` or `expect_refused(|| ..., \"case\")`; what is never run expects nothing",
        ),
        (_, 1.., _) => {
            let what = format!("{} of the dice set up did not fall", tried.left_over);
            complain(what, "leave them out; an example says which dice fall, each singly, in order")
        }
        (_, _, [first, ..]) => {
            complain(format!("nobody asks for the answer `{first}`"), "leave it out, or name the question as it is asked")
        }
        _ => None,
    }
}

/// An example that expects of something what is written as the same: that holds whatever the rules say.
pub fn expects_itself(case: &Case, function: &Function) -> Option<Complaint> {
    const CALL: &str = "expect(";
    let body = &function.body;
    let calls = body.match_indices(CALL).map(|(at, _)| at + CALL.len());
    let (at, wanted) = calls.filter_map(|at| Some((at, arguments(&body[at..])?))).find_map(|(at, args)| match args[..] {
        [got, (after, wanted)] if got.1 == wanted => Some((at + after, wanted)),
        _ => None,
    })?;
    let before = &body[..at];
    let (line, start) = (before.matches('\n').count(), before.rfind('\n').map_or(0, |newline| newline + 1));
    let span = Span { line: function.span.line + line, column: before[start..].chars().count() + 1, length: wanted.chars().count() };
    let complaint = case.complaint("example", span, "both are the same: this holds whatever the rules say");
    Some(complaint.help("write what must come of it, as the source has it"))
}

/// The arguments of a call, each with where it begins, up to the bracket that ends it.
fn arguments(text: &str) -> Option<Vec<(usize, &str)>> {
    let (mut depth, mut quoted, mut start, mut list) = (0usize, None, 0, Vec::new());
    let argument = |from: usize, to: usize| (from + text[from..to].len() - text[from..to].trim_start().len(), text[from..to].trim());
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quoted, letter) {
            (Some(_), '\\') => drop(letters.next()),
            (Some(quote), _) if letter == quote => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '`' | '\'') => quoted = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => {
                list.push(argument(start, at));
                return Some(list);
            }
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => {
                list.push(argument(start, at));
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}
