//! Dice, choices, and the lines of a ruling.

use super::types::*;
use super::{ResultRule, VerbEffect};
use crate::code::context::{VerbContext, VerbResult, fault};
use crate::situation::board_laws::find_broken_law;
use crate::situation::trace::{Event, NamedOutcome};
use crate::situation::value::Value;

/// Bytes charged for an outcome in addition to its value.
const OUTCOME: u64 = 32;

verbs! {
    allowed_in: Anywhere, from_language: false;

    roll(dice: TEXT as Dice, purpose: TEXT as Purpose)[of: ANY] -> NUMBER = Throw(Roll),
        "Throws dice for a purpose, and for whom; the total. 4d6kh3 keeps the 3 highest of 4 dice, kl the lowest; dh and dl drop. 3d6r1..2 \
            throws each 1 and 2 again, once, and rr until others fall; 3d6!2 throws on each 6 and adds it, up to 2 times, and 3d6! without \
            bound: until the chance to go on is below 1 in 10^15. 3d6!5..6 and r(1,6) name the faces. Only what falls first is thrown \
            again, not what is thrown on: 1d10r1!3. {1d8!, 1d6!}kh1 are dice of several kinds. d66 alone reads two dice as tens and ones, \
            while 1d66 and 2d66 are dice of 66 sides; dF and d% are dice too. 0d6 is nothing: 0.",
        "dice([5]); roll(\"1d6\", \"fight\") == 5";
    hits(dice: TEXT as Dice, counted: NUMBER | TEXT, purpose: TEXT as Purpose)[of: ANY] -> NUMBER = Throw(Hits),
        "Throws dice and counts those that show a number or more; \"..2\" counts 2 or less, \"3..4\" a band, \"6\" that face alone; or a \
            word, or symbol, of the dice that the game declares. With ! a die counts once, by the sum of what it threw; with e, as in \
            3d6e2, every die that is thrown on counts by itself.",
        "dice([2, 5, 6]); hits(\"3d6\", 5, \"throw\") == 2";
    symbols(dice: TEXT as Dice, purpose: TEXT as Purpose)[of: ANY] -> MAP = Throw(Symbols),
        "Throws dice of words that the game declares; a map of how often each symbol shows. A face `hit+flag` shows two.",
        "dice([\"hit+flag\", \"hit\"]); symbols(\"2 battle\", \"attack\").hit == 2";
    chance_of(ways: NUMBER, total: NUMBER)[purpose: TEXT as Purpose, of: ANY] -> FLAG = Throw(Chance),
        "Whether something happens that happens in so many of all ways: 3 of 17. One die of 17 sides is thrown, and 3 or less is true.",
        "dice([3]); chance_of(3, 17, \"it rains\") == true";
    faces(dice: TEXT as Dice, purpose: TEXT as Purpose)[of: ANY] -> LIST = Throw(Faces),
        "Throws dice; a list of their faces, the highest first, or the words of dice that the game declares, the best first. Odds tell \
            hands apart as far as the function that throws reads them.",
        "dice([2, 6, 5]); faces(\"3d6kh2\", \"attack\") == [6, 5]";
    choose(side: ANY as Side, question: TEXT as Question, options: LIST as Options) = Operation(Choose).giving(ResultRule::Option),
        "Lets a side choose one of several options; an unanswered choice takes the first.",
        "answers(#{ \"Red: bid\": 2 }); choose(\"Red\", \"bid\", [1, 2]) == 2";
    choose_piece(side: ANY as Side, question: TEXT as Question, units: LIST) = Operation(Choose),
        "Lets a side choose one of several pieces, by name.",
        "choose_piece(\"Red\", \"who goes\", pieces_at(\"Mill\")).name == \"Red guard\"";
    step(title: TEXT) = step.with_effect(VerbEffect::Trace), "Begins a part of the ruling.", "step(\"Losses\"); true";
    say(line: TEXT as Line)[values: LIST] = say.with_effect(VerbEffect::Trace),
        "A line of the ruling: `{}` stands for the values in order; `{is|are}` agrees with the value before it.",
        "say(\"{} {loses|lose} {}.\", [[\"Red guard\", \"Red scouts\"], 2]); true";
    describe_option(option: ANY, line: TEXT as Line)[values: LIST] = describe_option.with_effect(VerbEffect::Trace),
        "Says beside an option of the next choice what it costs or who it is: `casebook play` shows it in the menu.",
        "describe_option(\"Mill\", \"for {} {point|points}\", [2]); choose(\"Red\", \"where to\", [\"Mill\", \"Hill\"]) == \"Mill\"";
    describe_question(line: TEXT as Line)[values: LIST] = describe_question.with_effect(VerbEffect::Trace),
        "Says beside the next choice whom and where it is about. The question itself stays as short as answers and styles name it.",
        "describe_question(\"{} in {}\", [\"Red guard\", \"Mill\"]); choose(\"Red\", \"where to\", [\"Mill\", \"Hill\"]) == \"Mill\"";
    result(name: TEXT as Outcome, value: ANY) = result.with_effect(VerbEffect::Recording),
        "Names an outcome: what odds count and tests hold.", "outcome(|| result(\"losses\", 2)).losses == 2";
    draw(title: TEXT, places: ANY) = draw.with_effect(VerbEffect::Trace),
        "Draws places on the map that a page shows: a list of them, or what `reach` found, with its costs and ways.",
        "draw(\"in reach\", reach(\"Mill\", |at, so_far| [])); draw(\"held\", [\"Hill\"]); true";
    refuse(line: TEXT as Line)[values: LIST] = Operation(Refuse).giving(ResultRule::Never),
        "Ends the procedure: the rule says no, in this line, which cites the case.",
        "expect_refused(|| refuse(\"{} is too far\", [\"Farm\"]), \"1.1\"); true";
    require(holds: FLAG, line: TEXT as Line)[values: LIST] = Operation(Require),
        "Refuses unless something holds. The cases that it consults are cited too.",
        "expect_refused(|| require(adjacent(\"Mill\", \"Farm\"), \"too far\"), \"1.1\"); true";
    why_refused(closure: CLOSURE) = OfRefusal(why_refused),
        "Why a rule refuses what a closure asks, in its words; () where none does. What is asked so should change nothing.",
        "why_refused(|| refuse(\"it rains\")) == \"it rains\"";
}

/// Returns the text of the refusal, or `()` if the closure was not refused.
fn why_refused(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    Ok(args[0]
        .as_list()
        .and_then(|lines| lines.first())
        .cloned()
        .unwrap_or_default())
}

fn step(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    if ctx.run_mode.checks_board
        && let Some(law) = find_broken_law(ctx.board, &ctx.ruleset.game)
    {
        return fault(
            law.code,
            format!("the step before leaves {}", law.message),
            law.help,
        );
    }
    if let Some(title) = args[0].as_text() {
        ctx.record_call(|| Event::Step(title.clone()));
    }
    Ok(Value::Nothing)
}

fn say(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    if let (Some(line), true) = (args[0].as_text(), ctx.records_calls()) {
        let values = args
            .get(1)
            .map(|values| ctx.expand_records(values))
            .unwrap_or_default();
        let values = values.as_list().cloned().unwrap_or_default();
        ctx.record_call(|| Event::line(line.clone(), values));
    }
    Ok(Value::Nothing)
}

fn describe_option(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    if let (Some(line), true) = (args[1].as_text(), ctx.records_calls()) {
        let (option, values) = (
            ctx.expand_records(args[0]),
            args.get(2)
                .map(|values| ctx.expand_records(values))
                .unwrap_or_default(),
        );
        let values = values.as_list().cloned().unwrap_or_default();
        ctx.record_call(|| Event::Described(Box::new((option, line.clone(), values))));
    }
    Ok(Value::Nothing)
}

fn describe_question(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let mut of_nothing = vec![&Value::Nothing];
    of_nothing.extend(args);
    describe_option(ctx, &of_nothing)
}

fn result(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    if let Some(name) = args[0].as_text() {
        let value = ctx.expand_records(args[1]);
        ctx.record_event(|| {
            Event::Outcome(Box::new(NamedOutcome {
                name: name.clone(),
                value: value.clone(),
                sources: Vec::new(),
                nearest: Vec::new(),
            }))
        });
        ctx.board.meter.add_value(OUTCOME);
        ctx.outcomes.push((name.clone(), value));
    }
    Ok(Value::Nothing)
}

fn draw(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    if let (Some(title), true) = (args[0].as_text(), ctx.records_calls()) {
        let places = ctx.expand_records(args[1]);
        ctx.record_call(|| Event::MapDrawing(Box::new((title.clone(), places))));
    }
    Ok(Value::Nothing)
}
