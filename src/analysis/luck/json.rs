//! Luck as data.

use crate::luck::account::{ChoiceAccount, LuckReport, LuckStep, ProcedureLuck};
use crate::luck::expectation::{Expectation, SAMPLE_SEED, TailChance};
use crate::luck::fairness::{FairnessTest, corrected_least};
use crate::luck::render::DECISIVE;
use crate::odds::bounds::Cap;
use crate::odds::fraction::Fraction;
use serde_json::{Value, json};

fn number(value: &Fraction, error: Option<f64>) -> Value {
    match error {
        None => json!({ "value": value.to_f64(), "exact": value.to_string() }),
        Some(error) => json!({ "value": value.to_f64(), "standard_error": error }),
    }
}

fn expectation(value: &Expectation) -> Value {
    number(&value.value, value.error)
}

fn tail(chance: &TailChance) -> Value {
    match &chance.exact {
        Some(exact) => json!({ "value": chance.share, "exact": exact.to_string() }),
        None => {
            json!({ "value": chance.share, "standard_error": chance.error, "runs": chance.runs, "seed": SAMPLE_SEED })
        }
    }
}

/// Returns an account as JSON.
pub fn report_json(report: &LuckReport) -> Value {
    let unmeasured =
        |(procedure, throws): &(String, usize)| json!({ "procedure": procedure, "throws": throws });
    json!({
        "situation": report.situation,
        "ruleset": report.ruleset,
        "baseline": report.baseline,
        "procedures": report.procedures.iter().map(procedure_json).collect::<Vec<_>>(),
        "unmeasured": report.unmeasured.iter().map(unmeasured).collect::<Vec<_>>(),
        "left_out": report.left_out,
    })
}

fn procedure_json(luck: &ProcedureLuck) -> Value {
    let is_sampled = luck.steps.iter().any(|step| step.error.is_some());
    let error = is_sampled.then(|| {
        luck.expectation
            .standard_error()
            .hypot(luck.last().standard_error())
    });
    let mut balance = Fraction::ZERO;
    let mut moves = Vec::new();
    for step in &luck.steps {
        if step.is_throw() {
            balance += &step.effect;
        }
        moves.push(step_json(step, &balance));
    }
    json!({
        "procedure": luck.procedure,
        "phase": luck.phase,
        "measure": luck.stake.to_string(),
        "is_chance": luck.stake.is_chance(),
        "good_for": luck.stake.good_for,
        "expected": expectation(&luck.expectation),
        "came": expectation(luck.last()),
        "over": luck.is_over && !luck.is_cut,
        "ended": luck.ended.map(Cap::as_str),
        "dice": number(&luck.dice(), error),
        "choices": number(&luck.choices(), error),
        "chance": luck.chance.as_ref().map(|chance| json!({ "at_least": tail(&chance.at_least), "at_most": tail(&chance.at_most) })),
        "moves": moves,
        "decisive": luck.decisive(DECISIVE).iter().map(|step| step.number).collect::<Vec<_>>(),
    })
}

fn step_json(step: &LuckStep, balance: &Fraction) -> Value {
    let mut shown = json!({
        "number": step.number,
        "move": step.made,
        "side": step.side,
        "gained": step.gained,
        "effect": number(&step.effect, step.error),
        "balance": balance.to_f64(),
        "expected_after": expectation(&step.after),
    });
    if let Some(ChoiceAccount {
        baseline,
        options,
        gave_away,
    }) = &step.choice
    {
        let option = |(option, value): &(String, Fraction)| json!({ "option": option, "value": value.to_f64(), "exact": value.to_string() });
        shown["baseline"] = json!(baseline);
        shown["options"] = options.iter().map(option).collect();
        shown["gave_away"] =
            json!(gave_away.as_ref().map(|(best, lost)| json!({ "best": best, "value": lost.to_f64(), "exact": lost.to_string() })));
    }
    shown
}

/// Returns the tests of dice as JSON, with the number of draws that are not tested.
pub fn fairness_json(tests: &[FairnessTest], draws: u64) -> Value {
    let test = |test: &FairnessTest| {
        let faces: Vec<Value> = test
            .faces
            .iter()
            .map(|(face, sides, count)| json!({ "face": face, "sides": sides, "count": count }))
            .collect();
        json!({
            "die": test.die_use.die, "for": test.die_use.purpose, "dice": test.dice, "faces": faces, "chi_square": test.chi_square,
            "freedom": test.freedom, "chance": test.chance, "least_expected": test.least_expected,
        })
    };
    json!({ "tests": tests.iter().map(test).collect::<Vec<_>>(), "corrected_least": corrected_least(tests), "draws": draws })
}
