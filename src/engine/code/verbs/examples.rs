//! Verbs for examples only: boards and dice, expectations, exact probabilities.

use super::change::entry_from_map;
use super::types::*;
use crate::code::context::{VerbContext, VerbResult, fault};
use crate::complaint::DiagnosticCode;
use crate::notation::Face;
use crate::notation::stated::StatedNumber;
use crate::situation::dice::{DiceStream, TypedDice};
use crate::situation::initial_board::InitialBoard;
use crate::situation::value::{HashedText, Map as Names, Value};
use crate::situation::value_text::{
    describe_mismatch, matches_expected, situation_answers as answers_of, value_text,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The verb that compares a value with what is expected.
pub const EXPECT: &str = "expect";

verbs! {
    allowed_in: Examples, from_language: false;

    expect(got: ANY, wanted: ANY),
        "Holds if a value is what was expected; of a map, the names that are expected.", "expect(half_up(7), 4); true";
    expect_refused(closure: CLOSURE, case: TEXT) = OfRefusal(refused_by),
        "Holds if a case refuses what a closure tries.", "expect_refused(|| refuse(\"too far\"), \"1.1\"); true";
    dice(faces: LIST), "The dice that fall, each singly, in order.", "dice([6]); roll(\"1d6\", \"fight\") == 6";
    answers(answers: MAP),
        "How choices are answered: `#{ \"Red: bid\": 2 }`.", "answers(#{ \"Red: bid\": 2 }); choose(\"Red\", \"bid\", [1, 2]) == 2";
    setup(situation: ANY as Situation)[pieces: LIST as NewPieces], "Sets up a board: a situation, pieces described by maps, or both.",
        "setup(\"first-fight\", [#{ name: \"Patrol\", kind: \"trooper\", side: \"Red\", at: \"Farm\" }]); pieces().len() == 5";
    chance(closure: CLOSURE, value: ANY) = Operation(Count), "The exact chance that a closure comes to a value, as a fraction: \"1/6\".",
        "chance(|| roll(\"1d6\", \"fight\") >= 5, true) == \"1/3\"";
    mean(closure: CLOSURE) = Operation(Count),
        "The exact mean of what a closure comes to, as a fraction: \"7/2\".", "mean(|| roll(\"1d6\", \"fight\")) == \"7/2\"";
    outcome(closure: CLOSURE) = Operation(Outcome),
        "The outcomes that a closure names, as a map.", "outcome(|| result(\"losses\", 2)).losses == 2";
}

/// The help of a failed expectation.
pub const SOURCE_DECIDES: &str = "correct the case, or the example if it misreads the source";

/// Fails unless the run is an example.
pub fn check_in_example(ctx: &VerbContext, verb: &str) -> VerbResult<()> {
    if ctx.run_mode.is_example {
        return Ok(());
    }
    fault(
        DiagnosticCode::Procedure,
        format!("`{verb}` is for examples"),
        "take it out; only examples set up boards, dice and answers",
    )
}

fn expect(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_example(ctx, EXPECT)?;
    let (actual, expected) = (ctx.expand_records(args[0]), ctx.expand_records(args[1]));
    ctx.fixture.expectation_count += 1;
    if matches_expected(&actual, &expected, ctx.board)
        || matches_expected(
            &actual,
            &in_lowest_terms(&expected, &ctx.fixture.chances),
            ctx.board,
        )
    {
        return Ok(Value::Nothing);
    }
    fault(
        DiagnosticCode::Example,
        describe_mismatch(&actual, &expected, ctx.board),
        SOURCE_DECIDES,
    )
}

/// Replaces every number or text that equals one of these probabilities by its lowest terms: `2/6` becomes `1/3`.
pub fn in_lowest_terms(expected: &Value, chances: &BTreeSet<String>) -> Value {
    let chance = |text: &str| {
        Some(StatedNumber::parse(text)?.value.to_string()).filter(|text| chances.contains(text))
    };
    match expected {
        _ if chances.is_empty() => expected.clone(),
        Value::Text(text) => {
            chance(text).map_or_else(|| expected.clone(), |chance| chance.as_str().into())
        }
        Value::Number(number) => chance(&number.to_string())
            .map_or_else(|| expected.clone(), |chance| chance.as_str().into()),
        Value::List(list) => list
            .iter()
            .map(|item| in_lowest_terms(item, chances))
            .collect(),
        Value::Map(map) => Value::Map(
            map.entries()
                .iter()
                .map(|(key, item)| (key.clone(), in_lowest_terms(item, chances)))
                .collect(),
        ),
        _ => expected.clone(),
    }
}

/// Checks that the closure was refused, and that this case is among the refusing cases.
fn refused_by(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_example(ctx, "expect_refused")?;
    ctx.fixture.expectation_count += 1;
    let case = args[1].as_text().cloned().unwrap_or_default();
    match args[0] {
        Value::List(cases) if cases.iter().skip(1).any(|by| by.as_text() == Some(&case)) => {
            Ok(Value::Nothing)
        }
        Value::List(cases) => {
            let by = cases
                .iter()
                .skip(1)
                .map(|by| value_text(by, ctx.board))
                .collect::<Vec<_>>()
                .join(", ");
            fault(
                DiagnosticCode::Example,
                format!("expected a refusal by {case}; it was refused by {by}"),
                SOURCE_DECIDES,
            )
        }
        _ => fault(
            DiagnosticCode::Example,
            format!("expected a refusal by {case}, and nothing refused"),
            SOURCE_DECIDES,
        ),
    }
}

fn dice(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_example(ctx, "dice")?;
    let face = |face: &Value| {
        face.as_text().map_or_else(
            || Face::Number(face.as_number().unwrap_or(0)),
            |word| Face::from(word.as_str()),
        )
    };
    ctx.fixture.unused_dice += ctx.fixture.dice.unused_dice();
    ctx.fixture.dice = TypedDice::new(
        args[0]
            .as_list()
            .map(|faces| faces.iter().map(face).collect())
            .unwrap_or_default(),
    );
    Ok(Value::Nothing)
}

fn answers(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_example(ctx, "answers")?;
    let prepared: HashMap<String, Value> = args[0]
        .as_map()
        .unwrap_or(&Names::default())
        .entries()
        .iter()
        .map(|(k, v)| (k.to_string(), v.clone()))
        .collect();
    ctx.fixture.own_questions.extend(prepared.keys().cloned());
    ctx.fixture.answers = prepared;
    Ok(Value::Nothing)
}

fn setup(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    check_in_example(ctx, "setup")?;
    let (mut start, pieces) = match (args[0], args.get(1)) {
        (Value::List(pieces), None) => {
            let mut start = InitialBoard::empty(ctx.game());
            // The tracks and the cards keep their values.
            start.tracks = (0..start.tracks.len() as u32)
                .map(|number| ctx.board.track_value(number))
                .collect();
            (Arc::new(start), Some(pieces))
        }
        (Value::Text(name), pieces) => (
            situation(ctx, name)?,
            pieces.and_then(|pieces| pieces.as_list()),
        ),
        (value, _) => {
            let message = format!(
                "`setup` takes the name of a situation, or a list of pieces; it was given {}",
                value.describe_type()
            );
            return fault(
                DiagnosticCode::Running,
                message,
                "write setup(\"situation\"), setup([ ... ]) or both",
            );
        }
    };
    for piece in pieces.map(|pieces| pieces.iter()).into_iter().flatten() {
        let entry = entry_from_map(
            ctx.game(),
            piece.as_map().unwrap_or(&Names::default()),
            ctx.board,
        )?;
        Arc::make_mut(&mut start).add_piece(&entry, ctx.game());
    }
    ctx.board.reset_to(start);
    Ok(Value::Nothing)
}

/// Returns the initial board of a situation, and sets its answers.
fn situation(ctx: &mut VerbContext, name: &HashedText) -> VerbResult<Arc<InitialBoard>> {
    let unknown = |error: String| {
        fault(
            DiagnosticCode::UnknownName,
            error,
            "situations are files in scenarios/<game> and in variants",
        )
    };
    let scenario = match ctx.ruleset.scenario(name) {
        Ok(scenario) => scenario,
        Err(error) => return unknown(error.to_string()),
    };
    let start = match ctx.caches.initial_boards.get(name) {
        Some(start) => start.clone(),
        None => match InitialBoard::new(&scenario, ctx.ruleset, ctx.atlas) {
            Ok(start) => Arc::new(start),
            Err(complaints) => return unknown(complaints.to_string()),
        },
    };
    ctx.fixture.answers = answers_of(&scenario);
    ctx.caches
        .initial_boards
        .insert(name.clone(), start.clone());
    Ok(start)
}
