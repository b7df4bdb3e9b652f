//! What only examples may call: boards and dice set up by hand, expectations, exact chances.

use super::change::described;
use super::{Kind::*, Place, Verb};
use crate::code::context::{Answer, Context, fault};
use crate::notation::stated::Stated;
use crate::situation::dice::{Stream, Typed};
use crate::situation::start::Start;
use crate::situation::value::{Map as Names, Text, Value};
use crate::situation::words::{answers as answers_of, same, text_of, unlike};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

const fn example(
    name: &'static str,
    takes: &'static [super::Parameter],
    run: fn(&mut Context, &[&Value]) -> Answer,
    does: &'static str,
    holds: &'static str,
) -> Verb {
    Verb::answers(name, takes, run, does, holds).only(Place::Examples)
}

const fn operation(name: &'static str, takes: &'static [super::Parameter], does: &'static str, holds: &'static str) -> Verb {
    Verb::operation(name, takes, does, holds).only(Place::Examples)
}

/// The verbs.
pub const VERBS: &[Verb] = &[
    example(
        "expect",
        &[("got", Any), ("wanted", Any)],
        expect,
        "Holds if a value is what was expected; of a map, the names that are expected.",
        "expect(half_up(7), 4); true",
    ),
    example(
        "expect_refused",
        &[("closure", Any), ("case", Text)],
        refused_by,
        "Holds if a case refuses what a closure tries.",
        "expect_refused(|| refuse(\"too far\"), \"1.1\"); true",
    ),
    example("dice", &[("faces", List)], dice, "The dice that fall, each singly, in order.", "dice([6]); roll(\"1d6\", \"fight\") == 6"),
    example(
        "answers",
        &[("answers", Map)],
        answers,
        "How choices are answered: `#{ \"Red: bid\": 2 }`.",
        "answers(#{ \"Red: bid\": 2 }); choose(\"Red\", \"bid\", [1, 2]) == 2",
    ),
    example(
        "setup",
        &[("situation", Any), ("pieces", List)],
        setup,
        "Sets up a board: a situation, pieces described by maps, or both.",
        "setup(\"first-fight\", [#{ name: \"Patrol\", kind: \"trooper\", side: \"Red\", at: \"Farm\" }]); pieces().len() == 5",
    )
    .optional(1),
    operation(
        "chance",
        &[("closure", Any), ("value", Any)],
        "The exact chance that a closure comes to a value, as a fraction: \"1/6\".",
        "chance(|| roll(\"1d6\", \"fight\") >= 5, true) == \"1/3\"",
    ),
    operation(
        "mean",
        &[("closure", Any)],
        "The exact mean of what a closure comes to, as a fraction: \"7/2\".",
        "mean(|| roll(\"1d6\", \"fight\")) == \"7/2\"",
    ),
    operation(
        "outcome",
        &[("closure", Any)],
        "The outcomes that a closure names, as a map.",
        "outcome(|| result(\"losses\", 2)).losses == 2",
    ),
];

/// The source decides which of the two is wrong.
pub const SOURCE: &str = "the source decides: mend the case, or the example if it misreads the source";

/// Examples alone set things up.
pub fn only_example(ctx: &Context, verb: &str) -> Answer<()> {
    if ctx.manner.example {
        return Ok(());
    }
    fault("procedure", format!("`{verb}` is for examples"), "rules take boards, dice and answers as they come")
}

fn expect(ctx: &mut Context, args: &[&Value]) -> Answer {
    only_example(ctx, "expect")?;
    let (got, wanted) = (ctx.plain(args[0]), ctx.plain(args[1]));
    ctx.hand.expected += 1;
    if same(&got, &wanted, ctx.board) || same(&got, &in_lowest_terms(&wanted, &ctx.hand.chances), ctx.board) {
        return Ok(Value::Nothing);
    }
    fault("example", unlike(&got, &wanted, ctx.board), SOURCE)
}

/// The same with every number that is one of these chances written as the chance is: `2/6` is `1/3`, however it is written.
pub fn in_lowest_terms(wanted: &Value, chances: &BTreeSet<String>) -> Value {
    let chance = |text: &str| Some(Stated::read(text)?.value.to_string()).filter(|text| chances.contains(text));
    match wanted {
        _ if chances.is_empty() => wanted.clone(),
        Value::Text(text) => chance(text).map_or_else(|| wanted.clone(), |chance| chance.as_str().into()),
        Value::Number(number) => chance(&number.to_string()).map_or_else(|| wanted.clone(), |chance| chance.as_str().into()),
        Value::List(list) => list.iter().map(|one| in_lowest_terms(one, chances)).collect(),
        Value::Map(map) => Value::Map(map.entries().iter().map(|(key, one)| (key.clone(), in_lowest_terms(one, chances))).collect()),
        _ => wanted.clone(),
    }
}

/// What was tried was refused by these cases, or by none.
fn refused_by(ctx: &mut Context, args: &[&Value]) -> Answer {
    only_example(ctx, "expect_refused")?;
    ctx.hand.expected += 1;
    let case = args[1].text().cloned().unwrap_or_default();
    match args[0] {
        Value::List(cases) if cases.iter().skip(1).any(|by| by.text() == Some(&case)) => Ok(Value::Nothing),
        Value::List(cases) => {
            let by = cases.iter().skip(1).map(|by| text_of(by, ctx.board)).collect::<Vec<_>>().join(", ");
            fault("example", format!("expected a refusal by {case}; it was refused by {by}"), SOURCE)
        }
        _ => fault("example", format!("expected a refusal by {case}, and nothing refused"), SOURCE),
    }
}

fn dice(ctx: &mut Context, args: &[&Value]) -> Answer {
    only_example(ctx, "dice")?;
    let face = |face: &Value| face.number().unwrap_or(0).clamp(0, 100_000) as u32;
    ctx.hand.unthrown += ctx.hand.dice.left_over();
    ctx.hand.dice = Typed::new(args[0].list().map(|faces| faces.iter().map(face).collect()).unwrap_or_default());
    Ok(Value::Nothing)
}

fn answers(ctx: &mut Context, args: &[&Value]) -> Answer {
    only_example(ctx, "answers")?;
    let given: HashMap<String, Value> =
        args[0].map().unwrap_or(&Names::default()).entries().iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    ctx.hand.given.extend(given.keys().cloned());
    ctx.hand.answers = given;
    Ok(Value::Nothing)
}

fn setup(ctx: &mut Context, args: &[&Value]) -> Answer {
    only_example(ctx, "setup")?;
    let (mut start, pieces) = match (args[0], args.get(1)) {
        (Value::List(pieces), None) => {
            let mut start = Start::empty(ctx.game());
            // The tracks stand where they stood.
            start.tracks = (0..ctx.game().tracks.len() as u32).map(|number| ctx.board.track(number)).collect();
            (Arc::new(start), Some(pieces))
        }
        (Value::Text(name), pieces) => (situation(ctx, name)?, pieces.and_then(|pieces| pieces.list())),
        (other, _) => {
            let what = format!("`setup` takes the name of a situation, or a list of pieces; it was given {}", other.kind());
            return fault("running", what, "write setup(\"situation\"), setup([ ... ]) or both");
        }
    };
    for piece in pieces.map(|pieces| pieces.iter()).into_iter().flatten() {
        let entry = described(ctx.game(), piece.map().unwrap_or(&Names::default()), ctx.board)?;
        Arc::make_mut(&mut start).add(&entry, ctx.game());
    }
    ctx.board.set_up(start);
    Ok(Value::Nothing)
}

/// The board of a situation, or the map of a list.
fn situation(ctx: &mut Context, name: &Text) -> Answer<Arc<Start>> {
    let unknown = |error: String| fault("unknown-name", error, "situations stand in scenarios/<game> and in variants");
    let scenario = match ctx.ruleset.scenario(name) {
        Ok(scenario) => scenario,
        Err(error) => return unknown(error.to_string()),
    };
    let start = match ctx.caches.starts.get(name) {
        Some(start) => start.clone(),
        None => match Start::new(&scenario, ctx.ruleset, ctx.atlas) {
            Ok(start) => Arc::new(start),
            Err(complaints) => return unknown(complaints.to_string()),
        },
    };
    ctx.hand.answers = answers_of(&scenario);
    ctx.caches.starts.insert(name.clone(), start.clone());
    Ok(start)
}
