//! Examples: statements of the sources as functions beside their case, or as questions in tables and scenarios.

use crate::testing::check::{Check, CheckKind, YamlQuestion};
use crate::testing::example_run::{self, ExampleFailure, TriedExample};
use crate::testing::setting::{Setting, doc_line_place, setting_complaint};
use crate::testing::tokens::{Token, range_of, tokens};
use casebook_engine::code::machine::Machine;
use casebook_engine::code::program::FunctionSource;
use casebook_engine::code::verbs::examples::{EXPECT, in_lowest_terms};
use casebook_engine::complaint::{Complaint, DiagnosticCode, Place, Span};
use casebook_engine::data::case::{Case, CaseFunction};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::format::table;
use casebook_engine::data::library::Layer;
use casebook_engine::data::scenario::ListKind;
use casebook_engine::data::yaml::{YamlNode, YamlReader};
use casebook_engine::situation::board::Board;
use casebook_engine::situation::board_laws::find_broken_law;
use casebook_engine::situation::initial_board::InitialBoard;
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text;
use std::sync::Arc;

const EXAMPLE_REMEDY: &str = "correct the figures, or the example if it misreads the source";

/// Collects the examples of a layer from files whose path contains `filter`.
pub fn collect(layer: &Layer, game: &str, filter: &str) -> Vec<Check> {
    let variant = layer.variant.as_ref().map(|variant| variant.name.as_str());
    let is_selected = |path: &str| path.contains(filter);
    let mut checks = Vec::new();
    for case in &layer.cases {
        // The path of a case also selects the examples in its test file.
        let case_selected = is_selected(&case.file.path);
        let path = |function: &CaseFunction| case.file_of(function.name_span.line).0.path.as_str();
        let examples = case
            .functions
            .iter()
            .enumerate()
            .filter(|(_, f)| f.is_example() && (case_selected || is_selected(path(f))));
        for (index, function) in examples {
            let setting = Setting::from_docs(function);
            let mut check = Check::new(
                &setting.id,
                &function.name,
                path(function),
                CheckKind::Example(case.clone(), index),
            );
            match setting.into_spec(game, variant) {
                Ok(spec) => check.spec = spec,
                Err(complaints) => {
                    check.initial_outcome.complaint =
                        setting_complaint(&complaints, |word| doc_line_place(case, function, word))
                }
            }
            checks.push(check);
        }
    }
    let files = layer
        .tables
        .values()
        .flatten()
        .chain(layer.scenarios.values())
        .filter(|file| is_selected(&file.path));
    checks.extend(files.flat_map(|file| read_questions(file, game, variant)));
    checks
}

/// Reads the questions under `examples:` of a table or a situation.
pub fn read_questions(file: &DataFile, game: &str, variant: Option<&str>) -> Vec<Check> {
    let mut reader = YamlReader::for_file(file);
    let Some(root) = reader.parse_file() else {
        let first_complaint = reader.complaints.0.into_iter().next();
        return first_complaint
            .map(|complaint| Check::unreadable("a file of data", file, complaint))
            .into_iter()
            .collect();
    };
    let variants = root.get("with").map(YamlNode::texts);
    let items = root.items_of("examples");
    items
        .iter()
        .map(|item| read_question(item, file, (game, variant), variants.clone(), &mut reader))
        .collect()
}

/// Reads a question: `ask:` is an expression, `then:` its expected value.
fn read_question(
    item: &YamlNode,
    file: &DataFile,
    (game, variant): (&str, Option<&str>),
    variants: Option<Vec<String>>,
    reader: &mut YamlReader,
) -> Check {
    reader.complaints.0.clear();
    reader.check(item, &table::EXAMPLE);
    let expression = item.text_of("ask").to_string();
    let id = item
        .optional_text_of("id")
        .unwrap_or_else(|| expression.clone());
    let setting = Setting::from_entry(item, id.clone(), variants);
    if item.get("then").is_none() && !reader.complaints.has_errors() {
        reader.complain_missing(item, "then", DiagnosticCode::MissingKey);
    }
    let question = YamlQuestion {
        file: file.clone(),
        expression: expression.clone(),
        entry: item.clone(),
    };
    let spec = match reader.complaints.has_errors() {
        true => Err(reader.complaints.0.first().cloned()),
        false => setting.into_spec(game, variant).map_err(|complaints| {
            setting_complaint(&complaints, |word| question.setting_place(word))
        }),
    };
    let mut check = Check::new(
        &id,
        &expression,
        &file.path,
        CheckKind::Question(Box::new(question)),
    );
    match spec {
        Ok(spec) => check.spec = spec,
        Err(complaint) => check.initial_outcome.complaint = complaint,
    }
    check
}

impl YamlQuestion {
    /// Returns the position of `word` in the ruleset keys of the question, otherwise of the question itself.
    pub fn setting_place(&self, word: &str) -> Place {
        let mut nodes = ["with", "reading", "option"]
            .iter()
            .filter_map(|key| self.entry.get(key))
            .flat_map(YamlNode::items);
        let node = nodes
            .find(|node| node.as_text().is_some_and(|text| text.contains(word)))
            .unwrap_or(&self.entry);
        self.file.place(node.span)
    }

    /// Evaluates the question; returns a complaint if the value differs.
    pub fn evaluate(&self, machine: &mut Machine) -> Option<Complaint> {
        let ruleset = machine.program.ruleset.clone();
        let place = || {
            self.file
                .place(self.entry.get("ask").unwrap_or(&self.entry).span)
        };
        let (mut start, mut answers) = (InitialBoard::empty(&ruleset.game), Default::default());
        // Questions in a situation's file are evaluated on its board.
        if self.file.is_scenario()
            && let Ok(scenario) = ruleset.scenario(self.file.stem())
            && scenario.list_kind == ListKind::Situation
        {
            match InitialBoard::new(&scenario, &ruleset, &machine.program.atlas) {
                Ok(own_board) => {
                    (start, answers) = (own_board, value_text::situation_answers(&scenario))
                }
                Err(complaints) => return complaints.0.into_iter().next(),
            }
        }
        let expected = value_text::value_from_yaml(self.entry.get("then").unwrap_or(&self.entry));
        let source = FunctionSource::Expression(self.expression.clone(), Vec::new());
        match example_run::run_example(machine, source, Board::new(Arc::new(start)), answers) {
            Ok(TriedExample { value, state, .. }) => {
                let message = || value_text::describe_mismatch(&value, &expected, &state.board);
                let holds =
                    |wanted: &Value| value_text::matches_expected(&value, wanted, &state.board);
                let passed =
                    holds(&expected) || holds(&in_lowest_terms(&expected, &state.fixture.chances));
                (!passed).then(|| {
                    Complaint::new(DiagnosticCode::Example, place(), message())
                        .with_help(EXAMPLE_REMEDY)
                })
            }
            Err(ExampleFailure::Fault(complaints)) => {
                // An error in a data file keeps its own position.
                let in_test = |complaint: Complaint| {
                    if complaint.place.span.is_some() {
                        complaint
                    } else {
                        Complaint {
                            place: place(),
                            ..complaint
                        }
                    }
                };
                complaints.0.into_iter().next().map(in_test)
            }
            Err(ExampleFailure::Refused(reason)) => Some(
                Complaint::new(
                    DiagnosticCode::Example,
                    place(),
                    format!("refused: {reason}"),
                )
                .with_help(EXAMPLE_REMEDY),
            ),
        }
    }
}

/// Runs an example function; returns a complaint if it fails.
pub fn run_example(case: &Case, index: usize, machine: &mut Machine) -> Option<Complaint> {
    let (ruleset, function) = (machine.program.ruleset.clone(), &case.functions[index]);
    let complain = |message: String, help: &str| {
        Some(
            case.complaint(DiagnosticCode::Example, function.name_span, message)
                .with_help(help),
        )
    };
    let Some(case_index) = ruleset
        .cases
        .iter()
        .position(|c| c.file.key == case.file.key)
    else {
        return complain(
            "the option that switches this case is off here".into(),
            "correct the `with:` or `option:` line",
        );
    };
    if let Some(complaint) = self_comparison(case, function) {
        return Some(complaint);
    }
    let board = Board::new(Arc::new(InitialBoard::empty(&ruleset.game)));
    let tried = match example_run::run_example(
        machine,
        FunctionSource::Function(case_index, index),
        board,
        Default::default(),
    ) {
        Ok(tried) => tried,
        Err(ExampleFailure::Fault(complaints)) => return complaints.0.into_iter().next(),
        Err(ExampleFailure::Refused(reason)) => {
            return complain(
                format!("refused: {reason}"),
                "`expect_refused(|| ..., \"case\")` expects a refusal",
            );
        }
    };
    if let Some(law) = find_broken_law(&tried.state.board, &ruleset.game) {
        return Some(
            case.complaint(
                law.code,
                function.name_span,
                format!("the example leaves {}", law.message),
            )
            .with_help(law.help),
        );
    }
    match (
        tried.state.fixture.expectation_count,
        tried.unused_dice,
        &tried.unused_answers[..],
    ) {
        (0, ..) => complain(
            "this example expects nothing".into(),
            "add an expectation that runs: `expect(got, wanted)` or `expect_refused(|| ..., \"case\")`",
        ),
        (_, 1.., _) => {
            let message = format!(
                "no throw uses {} of the dice that the example sets up",
                tried.unused_dice
            );
            complain(
                message,
                "remove them; an example lists the dice that fall, each by itself, in order",
            )
        }
        (_, _, [first_answer, ..]) => complain(
            format!("no question asks for the answer `{first_answer}`"),
            "leave it out, or name the question as it is asked",
        ),
        _ => None,
    }
}

/// Reports an example that compares an expression with itself, because it holds under any rules.
pub fn self_comparison(case: &Case, function: &CaseFunction) -> Option<Complaint> {
    let body = &function.body;
    let tokens = tokens(body);
    let calls = tokens
        .windows(2)
        .zip(2..)
        .filter(|(pair, _)| pair[0].text == EXPECT && pair[1].text == "(");
    let repeated = calls
        .filter_map(|(_, first)| arguments(&tokens[first..]))
        .find_map(|args| match args[..] {
            [actual, expected] if body[range_of(actual)] == body[range_of(expected)] => {
                Some(range_of(expected))
            }
            _ => None,
        })?;
    let preceding = &body[..repeated.start];
    let column = preceding
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    let span = Span {
        line: function.name_span.line + preceding.matches('\n').count(),
        column,
        length: body[repeated].chars().count(),
    };
    let complaint = case.complaint(
        DiagnosticCode::Example,
        span,
        "both values are the same text, so this holds whatever the rules say",
    );
    Some(complaint.with_help("write the result that the source gives"))
}

/// Splits the tokens after an opening parenthesis into the arguments up to the closing one.
fn arguments<'s, 't>(tokens: &'s [Token<'t>]) -> Option<Vec<&'s [Token<'t>]>> {
    let (mut depth, mut start, mut arguments) = (0usize, 0, Vec::new());
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" | "#{" => depth += 1,
            "," | ")" if depth == 0 => {
                arguments.push(&tokens[start..index]);
                if token.text == ")" {
                    return Some(arguments);
                }
                start = index + 1;
            }
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}
