//! Checks the assertions of a test against its ruling: expected value, actual value, and the line that decided; and the figures and tracks
//! that it expects on the board afterwards.

use crate::testing::expectation::{ChangedExpectation, FailedAssertion};
use crate::testing::test::RulingTest;
use casebook_engine::complaint::{
    Complaint, Defect, DiagnosticCode, Message, Span, did_you_mean, unknown_name,
};
use casebook_engine::data::declared_names::PIECE_FIGURES;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::citations::{cite_case, cite_cell, cites_text};
use casebook_engine::ruling::resolve::{ResolvedRuling, Ruling, RulingLine};
use casebook_engine::ruling::terminal_page::json_text;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::cell_key::{CellKey, EntityKind};
use casebook_engine::situation::initial_board::{GONE_COLUMN, PLACE_COLUMN};
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value::{PieceId, Value};
use casebook_engine::situation::value_text::{matches_expected, value_from_yaml, value_text};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::sync::Arc;

/// Maximum number of names in a remedy.
const MAX_NAMES: usize = 12;

/// Returns each assertion of a test that fails.
pub fn check_assertions(
    ruling_test: &RulingTest,
    resolved: &ResolvedRuling,
    ruleset: &Ruleset,
) -> Vec<FailedAssertion> {
    let ResolvedRuling {
        ruling,
        events,
        board,
    } = resolved;
    let complain =
        |span: Span, message: String| ruling_test.complaint(DiagnosticCode::Test, span, message);
    let mut failed: Vec<FailedAssertion> = Vec::new();
    match (&ruling_test.refused, &ruling.refused) {
        (Some((case, span)), None) => {
            let complaint = complain(
                *span,
                format!("expected a refusal by {case}, and nothing refused"),
            );
            failed.push(
                complaint
                    .with_help("correct the case, or the test if it misreads the source")
                    .into(),
            );
        }
        (Some((case, span)), Some(line))
            if !line.cites.iter().any(|c| cite_matches(c, case, ruleset)) =>
        {
            let message = format!(
                "expected a refusal by {case}; it was refused by {}",
                line.cites.join(", ")
            );
            let complaint = complain(*span, message);
            failed.push(
                complaint
                    .with_help(format!("the refusal: {}", line.text))
                    .into(),
            );
        }
        (None, Some(line))
            if !ruling_test.expected.is_empty()
                || !ruling_test.board.is_empty()
                || !ruling_test.lines.is_empty()
                || !ruling_test.cites.is_empty() =>
        {
            let message = format!("refused: {} [{}]", line.text, cites_text(&line.cites));
            failed.push(
                complain(ruling_test.span, message)
                    .with_help("`refused: \"8.21\"` with the number of a case expects a refusal")
                    .into(),
            );
            return failed;
        }
        _ => {}
    }
    // With odds in the test, an answer unused by this ruling may be used after other throws.
    if let ([first_unused, ..], true) = (&ruling.unused_answers[..], ruling_test.odds.is_empty()) {
        let message = format!("no question asks for the answer given to {first_unused}");
        failed.push(
            complain(ruling_test.span, message)
                .with_help("leave it out of `choose:`, or name the question as it is asked")
                .into(),
        );
    }
    for (key, expected_node) in &ruling_test.expected {
        let name = key.as_text().unwrap_or_default();
        let Some(actual) = events.iter().rev().find_map(|e| {
            if let Event::Outcome(r) = e {
                (*r.name == *name).then_some(&r.value)
            } else {
                None
            }
        }) else {
            let outcome_names: Vec<&str> = ruling.results.keys().map(String::as_str).collect();
            let message = unknown_name("outcome", name, outcome_names.iter().copied());
            let listed_names = if outcome_names.is_empty() {
                "none".to_string()
            } else {
                outcome_names.join(", ")
            };
            let complaint = ruling_test.complaint(DiagnosticCode::Test, key.span, message);
            let help = format!("outcomes of this ruling: {listed_names}");
            failed.push(complaint.with_help(help).into());
            continue;
        };
        let actual_text = ruling.results.get(name).map(json_text).unwrap_or_default();
        let expected = value_from_yaml(expected_node);
        // The printed form of the value matches, too: `yes`, `none`, "Lee and Jackson".
        if matches_expected(actual, &expected, board)
            || expected_node.as_text() == Some(&actual_text)
        {
            continue;
        }
        let message = format!(
            "`{name}`: expected {}, got {actual_text}",
            value_text(&expected, board)
        );
        let complaint = explain_outcome(
            complain(expected_node.span, message),
            name,
            &actual_text,
            ruling,
            ruleset,
            events,
        );
        let line = line_that_decided(name, &actual_text, ruling, events);
        let was = value_text(&expected, board);
        failed.push(changed(complaint, ("then", name), was, actual_text, line));
    }
    for (number, (text, span)) in ruling_test.lines.iter().enumerate() {
        if ruling.lines().any(|line| line.text == *text) {
            continue;
        }
        let complaint = complain(*span, format!("the ruling does not say: {text}"));
        failed.push(match nearest_line(ruling, text) {
            Some(line) => {
                let says = format!("it says: {}  [{}]", line.text, cites_text(&line.cites));
                let (place, now) = (number.to_string(), line.text.clone());
                let of_line = ("lines", &*place);
                changed(
                    complaint.with_help(says),
                    of_line,
                    text.clone(),
                    now,
                    Some(line),
                )
            }
            None => complaint
                .with_help("correct the case, or take the line out")
                .into(),
        });
    }
    let deciders = if ruling_test.cites.is_empty() {
        Vec::new()
    } else {
        deciders(ruling)
    };
    for (case, span) in &ruling_test.cites {
        if !deciders.iter().any(|c| cite_matches(c, case, ruleset)) {
            failed.push(
                complain(*span, format!("{case} decided nothing here"))
                    .with_help(remedy_for_case(case, &deciders, ruleset))
                    .into(),
            );
        }
    }
    failed
}

/// Makes the failure of an assertion whose value the ruling has otherwise.
fn changed(
    complaint: Complaint,
    (key, name): (&str, &str),
    was: String,
    now: String,
    line: Option<&RulingLine>,
) -> FailedAssertion {
    let changed = ChangedExpectation {
        key: key.into(),
        name: name.into(),
        was,
        now,
        line: line.map(|line| line.text.clone()).unwrap_or_default(),
        cites: line.map(|line| line.cites.clone()).unwrap_or_default(),
    };
    FailedAssertion {
        complaint,
        changed: Some(changed),
    }
}

/// Returns the line that begins most like a text.
pub fn nearest_line<'r>(ruling: &'r Ruling, text: &str) -> Option<&'r RulingLine> {
    let common = |line: &&RulingLine| {
        let pairs = line.text.chars().zip(text.chars());
        pairs.take_while(|(a, b)| a == b).count()
    };
    ruling.lines().max_by_key(common)
}

/// Returns whether a citation matches a case number, given with or without its layer.
fn cite_matches(cite: &str, number: &str, ruleset: &Ruleset) -> bool {
    cite == number
        || cite
            .strip_prefix(number)
            .is_some_and(|rest| rest.starts_with(' '))
        || number
            .strip_prefix(cite)
            .and_then(|rest| rest.strip_prefix(' '))
            == Some(&*ruleset.layers[0].name)
}

/// Returns the cases and tables that a reader sees: those that the lines and the outcomes cite.
fn deciders(ruling: &Ruling) -> Vec<String> {
    let mut names: Vec<String> = ruling
        .lines()
        .chain(&ruling.refused)
        .flat_map(|line| line.cites.iter().chain(&line.behind))
        .cloned()
        .collect();
    names.extend(ruling.outcome_cites.values().flatten().cloned());
    names.sort();
    names.dedup();
    names
}

/// Yields the first event of each case that answered and each table cell that was read.
fn distinct_deciders(events: &[Event]) -> impl Iterator<Item = &Event> {
    let (mut calls, mut cells) = (FxHashSet::default(), FxHashSet::default());
    events.iter().filter(move |event| match event {
        Event::Call(call) => calls.insert(*call),
        Event::Cell(table, index) => cells.insert((Arc::as_ptr(table), *index)),
        _ => false,
    })
}

fn decider_name(ruleset: &Ruleset, event: &Event) -> Option<String> {
    match event {
        Event::Call(call) => {
            let answer = call.answer(ruleset);
            Some(cite_case(ruleset, answer.cited_case()))
        }
        Event::Cell(table, index) => Some(cite_cell(table, *index as usize, ruleset)),
        _ => None,
    }
}

/// Returns the cases and tables of variants that answered, in order.
pub fn answering_amendments(ruleset: &Ruleset, events: &[Event]) -> Vec<String> {
    let mut names = Vec::new();
    for name in distinct_deciders(events).filter_map(|event| decider_name(ruleset, event)) {
        let amends = ruleset
            .variants()
            .any(|layer| name.ends_with(&format!(" {}", layer.name)));
        if amends && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the remedy for a case that was expected to decide but did not.
fn remedy_for_case(case: &str, deciders: &[String], ruleset: &Ruleset) -> String {
    let (number, layer) = case.split_once(' ').unwrap_or((case, ""));
    if number != "table" && !layer.is_empty() && !ruleset.layers.iter().any(|l| &*l.name == layer) {
        return format!("{layer} is not in force here: {}", ruleset.title());
    }
    if number != "table" && !ruleset.cases.iter().any(|c| c.number == number) {
        return did_you_mean(
            format!("no case {number} is in force"),
            number,
            ruleset.cases.iter().map(|c| c.number.as_str()),
        )
        .text;
    }
    let chapter = number.split('.').next().unwrap_or(number);
    let beside = |name: &&String| name.split(['.', ' ']).next() == Some(chapter);
    let neighbours: Vec<&str> = deciders
        .iter()
        .filter(beside)
        .take(MAX_NAMES)
        .map(String::as_str)
        .collect();
    match &neighbours[..] {
        [] => format!(
            "the trace of `casebook resolve` has the {} cases and tables that did",
            deciders.len()
        ),
        names => format!("of its neighbours, these did: {}", names.join(", ")),
    }
}

/// Returns the line that says an outcome, or else the last line before it.
fn line_that_decided<'r>(
    name: &str,
    text: &str,
    ruling: &'r Ruling,
    events: &[Event],
) -> Option<&'r RulingLine> {
    line_of_outcome(name, text, ruling, events).or_else(|| {
        let is_it =
            |event: &Event| matches!(event, Event::Outcome(outcome) if *outcome.name == *name);
        let named = events.iter().rposition(is_it)?;
        let is_line = |event: &&Event| matches!(event, Event::Line(..));
        let before = events[..named].iter().filter(is_line).count();
        ruling.lines().nth(before.checked_sub(1)?)
    })
}

/// Returns the line that says an outcome: of those that show its value the one that is said nearest to where it is named, by calls first,
/// and rather before than after it.
pub fn line_of_outcome<'r>(
    name: &str,
    text: &str,
    ruling: &'r Ruling,
    events: &[Event],
) -> Option<&'r RulingLine> {
    let (mut open, mut call_count) = (Vec::new(), 0);
    // The calls that were open at each line, and at the outcome, with the number of lines before it.
    let (mut at_lines, mut at_outcome): (Vec<Vec<u32>>, _) = (Vec::new(), None);
    for event in events {
        match event {
            Event::Call(_) => {
                call_count += 1;
                open.push(call_count);
            }
            Event::Return => drop(open.pop()),
            Event::Line(..) => at_lines.push(open.clone()),
            Event::Outcome(outcome) if *outcome.name == *name => {
                at_outcome = Some((open.clone(), at_lines.len()));
            }
            _ => {}
        }
    }
    let (calls, before) = at_outcome?;
    let lines: Vec<&RulingLine> = ruling.lines().collect();
    let shows = |i: &usize| {
        // A ratio such as 2:1 is no 1.
        let words = lines[*i].text.split_whitespace();
        let words = words.map(|word| word.trim_matches(|c: char| ".,:;()".contains(c)));
        format!(" {} ", words.collect::<Vec<_>>().join(" ")).contains(&format!(" {text} "))
    };
    let distance = |i: &usize| {
        let line = &at_lines[*i];
        let common = line.iter().zip(&calls).take_while(|(a, b)| a == b).count();
        let is_after = *i >= before;
        (
            Reverse(common),
            line.len() - common,
            is_after,
            before.abs_diff(*i),
        )
    };
    let count = lines.len().min(at_lines.len());
    let nearest = (0..count).filter(shows).min_by_key(distance)?;
    Some(lines[nearest])
}

/// Adds to a complaint which case decided the outcome, and the line of the ruling that states it.
fn explain_outcome(
    complaint: Complaint,
    name: &str,
    actual_text: &str,
    ruling: &Ruling,
    ruleset: &Ruleset,
    events: &[Event],
) -> Complaint {
    let (mut open, mut settled) = (Vec::new(), None);
    for event in events {
        match event {
            Event::Call(call) => open.push(call.answer(ruleset)),
            Event::Return => drop(open.pop()),
            Event::Outcome(outcome) if *outcome.name == *name => settled = open.last().copied(),
            _ => {}
        }
    }
    let line = line_that_decided(name, actual_text, ruling, events);
    let mut complaint = complaint;
    if let Some(answer) = settled {
        let case = &ruleset.cases[answer.case];
        let place = case.file.place(case.functions[answer.function].name_span);
        complaint = complaint.with_related(
            place,
            format!("{} settled it", cite_case(ruleset, answer.cited_case())),
        );
    }
    match line {
        Some(line) => complaint.with_help(format!(
            "the line that decided: {}  [{}]",
            line.text,
            cites_text(&line.cites)
        )),
        None => complaint.with_help("correct the case, or the test if it misreads the source"),
    }
}

/// Returns each figure or track that differs from what the test expects.
pub fn check_board(ruling_test: &RulingTest, board: &Board, game: &Game) -> Vec<FailedAssertion> {
    let mut failed = Vec::new();
    for (key, expected_node) in &ruling_test.board {
        let complain =
            |span, message: Message| ruling_test.complaint(DiagnosticCode::Test, span, message);
        let name = key.as_text().unwrap_or_default();
        let actual = match figure(name, board, game) {
            Ok(value) => value,
            Err(defect) => {
                failed.push(ruling_test.complaint_of(key.span, defect).into());
                continue;
            }
        };
        let (expected, actual_text) = (value_from_yaml(expected_node), value_text(&actual, board));
        if !matches_expected(&actual, &expected, board)
            && expected_node.as_text() != Some(&actual_text)
        {
            let was = value_text(&expected, board);
            let message =
                format!("the board has {actual_text} for `{name}`; the test expects {was}");
            let complaint = complain(expected_node.span, message.into())
                .with_help("correct the case, or the test if it misreads the source");
            failed.push(changed(complaint, ("board", name), was, actual_text, None));
        }
    }
    failed
}

/// Returns the figures and tracks that a ruling has changed, as a test names them: those that a board shows in words, if the game has words
/// for some, and where pieces are.
pub fn changed_figures(board: &Board, game: &Game) -> Vec<(String, Value)> {
    let is_shown = |name: &&str| game.wordings.is_empty() || game.wordings.contains_key(*name);
    let attributes = game.attributes.iter().map(|(name, _)| name.as_str());
    let names = || {
        PIECE_FIGURES
            .into_iter()
            .chain(attributes.clone().filter(is_shown))
    };
    let figures = (0..board.start.names.len()).flat_map(|piece| {
        let cell = move |name: &'_ str| {
            let column = Board::column_of_attribute(game, name)?;
            Some(CellKey::new(EntityKind::Piece, column, piece))
        };
        names().filter_map(move |name| {
            Some((
                cell(name)?,
                format!("{}: {name}", board.name(PieceId(piece))),
            ))
        })
    });
    let tracks = game.tracks.keys().enumerate();
    let tracks = tracks.map(|(row, name)| {
        (
            CellKey::new(EntityKind::Track, 0, row),
            format!("track: {name}"),
        )
    });
    let changed = figures
        .chain(tracks)
        .filter(|(key, _)| board.peek(*key) != board.start.get(*key));
    let named = changed.filter_map(|(_, name)| Some((figure(&name, board, game).ok()?, name)));
    named.map(|(value, name)| (name, value)).collect()
}

/// Reads `PIECE: FIGURE` or `track: NAME`; fails with what is unknown, and the remedy.
fn figure(name: &str, board: &Board, game: &Game) -> Result<Value, Defect> {
    let Some((target, figure)) = name
        .rsplit_once(':')
        .map(|(target, figure)| (target.trim(), figure.trim()))
    else {
        let help = "write `\"PIECE: FIGURE\": VALUE`, or `\"track: NAME\": VALUE`";
        let message = format!("`{name}` names no figure of a piece");
        return Err(Defect::new(DiagnosticCode::Test, message, help));
    };
    if target == "track" {
        let Some(number) = board.start.track_number(&figure.into()) else {
            let message = unknown_name("track", figure, game.tracks.keys().map(String::as_str));
            let help = "name a track of the game's manifest";
            return Err(Defect::new(DiagnosticCode::Test, message, help));
        };
        return Ok(board
            .peek(CellKey::new(EntityKind::Track, 0, number as usize))
            .cloned()
            .unwrap_or_default());
    }
    let Some(piece) = board.clone().find(&target.into()) else {
        let names: Vec<&str> = board.names().map(|name| name.as_str()).collect();
        let message = unknown_name("piece", target, names);
        let help = "name a piece that stood on the board";
        return Err(Defect::new(DiagnosticCode::Test, message, help));
    };
    match Board::column_of_attribute(game, figure) {
        Some(PLACE_COLUMN) => Ok(board.place_of(piece).clone().into()),
        // A piece that never left the board has no mark.
        Some(column) => {
            let unset = if column == GONE_COLUMN {
                Value::False
            } else {
                Value::Nothing
            };
            Ok(board
                .peek(CellKey::new(EntityKind::Piece, column, piece.0))
                .cloned()
                .unwrap_or(unset))
        }
        None => {
            let figures = game
                .attributes
                .iter()
                .map(|(name, _)| name.as_str())
                .chain(PIECE_FIGURES);
            Err(Defect::new(
                DiagnosticCode::Test,
                did_you_mean(format!("pieces have no figure `{figure}`"), figure, figures),
                "name a figure of the manifest, or kind, side, at, on, gone",
            ))
        }
    }
}
