//! Luck as it is answered.

use crate::luck::account::{
    ChoiceAccount, DECISIVE, LuckReport, LuckStep, ProcedureLuck, UnmeasuredProcedure,
};
use crate::luck::expectation::{Expectation, SAMPLE_SEED, TailChance};
use crate::luck::fairness::{FairnessTest, corrected_least};
use crate::odds::bounds::Cap;
use crate::odds::fraction::Fraction;
use crate::odds::report::or_null;
use casebook_engine::ruling::moves::JournalMove;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// What the throws and choices of a journal did to its outcome.
#[derive(Serialize, JsonSchema)]
pub struct JournalLuck<'a> {
    /// The name of the situation.
    pub situation: &'a str,
    /// What was in force, in words.
    pub ruleset: &'a str,
    /// How the choices to come are answered, in words.
    pub baseline: &'a str,
    /// The procedures in which something is measured.
    pub procedures: Vec<MeasuredProcedure<'a>>,
    /// Procedures with throws in which nothing is measured.
    pub unmeasured: &'a [UnmeasuredProcedure],
    /// The number of throws that no time was left for.
    pub left_out: usize,
}

/// A number that was counted or sampled.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "luck_number")]
pub struct LuckNumber {
    /// The number.
    pub value: f64,
    /// The fraction, where it was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// Where it was sampled, its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The number of runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    /// The seed of the first run; each further one has the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// The account of a procedure.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "luck_of_procedure")]
pub struct MeasuredProcedure<'a> {
    /// The procedure.
    pub procedure: &'a str,
    /// The phase of a game, else empty.
    pub phase: &'a str,
    /// A sum of outcomes, or a condition whose chance is measured.
    pub measure: String,
    /// Whether a chance is measured.
    pub is_chance: bool,
    /// The side for which more of it is good; null where nothing says it.
    pub good_for: Option<&'a str>,
    /// What was to be expected at the beginning.
    pub expected: LuckNumber,
    /// What came.
    pub came: LuckNumber,
    /// Whether it came to its end and all its moves were valued; else `came` is what is to be expected after the last one.
    pub over: bool,
    /// The limit that ended the count, where it is sampled.
    pub ended: Option<&'static str>,
    /// Where dice that are thrown on without bound are cut off.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub truncations: &'a BTreeSet<String>,
    /// The sum of the effects of all throws.
    pub dice: LuckNumber,
    /// The sum of the effects of all choices.
    pub choices: LuckNumber,
    /// The chance of dice that bring at least, and at most, as much; null before the end.
    pub chance: Option<TailChances>,
    /// The throws and choices.
    pub moves: Vec<ValuedMove<'a>>,
    /// The numbers of the throws with the greatest effects.
    pub decisive: Vec<usize>,
}

/// How unlikely luck was.
#[derive(Serialize, JsonSchema)]
pub struct TailChances {
    /// The chance of as much or more.
    pub at_least: LuckNumber,
    /// The chance of as much or less.
    pub at_most: LuckNumber,
}

/// A throw or choice with its effect.
#[derive(Serialize, JsonSchema)]
pub struct ValuedMove<'a> {
    /// Its number in the journal, from 1.
    pub number: usize,
    /// The throw or choice, as in the journal.
    #[serde(rename = "move")]
    pub made: &'a JournalMove,
    /// The side that threw or chose; null where the rules don't say it.
    pub side: Option<&'a str>,
    /// The side that gained by it; null where it has no effect, or nothing says whose gain it is.
    pub gained: Option<&'a str>,
    /// The expectation after it, less the expectation before it.
    pub effect: LuckNumber,
    /// The sum of the effects of all throws so far.
    pub balance: f64,
    /// The expectation after it.
    pub expected_after: LuckNumber,
    /// Of a choice, what else could have been taken.
    #[serde(flatten)]
    pub choice: Option<ValuedChoice<'a>>,
}

/// What else could have been taken at a choice.
#[derive(Serialize, JsonSchema)]
pub struct ValuedChoice<'a> {
    /// The option that would have been taken; null for any.
    #[schemars(schema_with = "or_null::<String>")]
    pub baseline: Option<&'a str>,
    /// What each option promised, where that was counted.
    pub options: Vec<OptionValue<'a>>,
    /// The best option, and by how much it was better than the one taken.
    #[schemars(schema_with = "or_null::<BetterOption>")]
    pub gave_away: Option<BetterOption<'a>>,
}

/// What an option promised.
#[derive(Serialize, JsonSchema)]
pub struct OptionValue<'a> {
    /// The option.
    pub option: &'a str,
    /// Its value.
    pub value: f64,
    /// The same as a fraction.
    pub exact: String,
}

/// The best option.
#[derive(Serialize, JsonSchema)]
pub struct BetterOption<'a> {
    /// The option.
    pub best: &'a str,
    /// By how much it was better than the one taken.
    pub value: f64,
    /// The same as a fraction.
    pub exact: String,
}

/// Tests of dice.
#[derive(Serialize, JsonSchema)]
pub struct DiceTests<'a> {
    /// Chi-square tests: of each die over all purposes, then of each purpose.
    pub tests: &'a [FairnessTest],
    /// The smallest chance times the number of tests, 1 at most (Bonferroni).
    pub corrected_least: Option<f64>,
    /// The number of draws of cards or lots, which are not tested.
    pub draws: u64,
    /// The number of journals whose dice were tested.
    pub journals: usize,
}

impl LuckNumber {
    fn new(value: &Fraction, error: Option<f64>) -> LuckNumber {
        LuckNumber {
            value: value.to_f64(),
            exact: error.is_none().then(|| value.to_string()),
            standard_error: error,
            runs: None,
            seed: None,
        }
    }

    fn of_expectation(value: &Expectation) -> LuckNumber {
        LuckNumber::new(&value.value, value.error)
    }

    fn of_tail(chance: &TailChance) -> LuckNumber {
        let is_sampled = chance.exact.is_none();
        LuckNumber {
            value: chance.share,
            exact: chance.exact.as_ref().map(ToString::to_string),
            standard_error: chance.error.filter(|_| is_sampled),
            runs: is_sampled.then_some(chance.runs),
            seed: is_sampled.then_some(SAMPLE_SEED),
        }
    }
}

impl JournalLuck<'_> {
    /// Reports an account.
    pub fn new(report: &LuckReport) -> JournalLuck<'_> {
        JournalLuck {
            situation: &report.situation,
            ruleset: &report.ruleset,
            baseline: &report.baseline,
            procedures: report
                .procedures
                .iter()
                .map(MeasuredProcedure::new)
                .collect(),
            unmeasured: &report.unmeasured,
            left_out: report.left_out,
        }
    }
}

impl MeasuredProcedure<'_> {
    fn new(luck: &ProcedureLuck) -> MeasuredProcedure<'_> {
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
            moves.push(ValuedMove::new(step, &balance));
        }
        MeasuredProcedure {
            procedure: &luck.procedure,
            phase: &luck.phase,
            measure: luck.stake.to_string(),
            is_chance: luck.stake.is_chance(),
            good_for: luck.stake.good_for.as_deref(),
            expected: LuckNumber::of_expectation(&luck.expectation),
            came: LuckNumber::of_expectation(luck.last()),
            over: luck.is_over && !luck.is_cut,
            ended: luck.ended.map(Cap::as_str),
            truncations: &luck.truncations,
            dice: LuckNumber::new(&luck.dice(), error),
            choices: LuckNumber::new(&luck.choices(), error),
            chance: luck.chance.as_ref().map(|chance| TailChances {
                at_least: LuckNumber::of_tail(&chance.at_least),
                at_most: LuckNumber::of_tail(&chance.at_most),
            }),
            moves,
            decisive: luck
                .decisive(DECISIVE)
                .iter()
                .map(|step| step.number)
                .collect(),
        }
    }
}

impl<'a> ValuedMove<'a> {
    fn new(step: &'a LuckStep, balance: &Fraction) -> ValuedMove<'a> {
        ValuedMove {
            number: step.number,
            made: &step.made,
            side: step.side.as_deref(),
            gained: step.gained.as_deref(),
            effect: LuckNumber::new(&step.effect, step.error),
            balance: balance.to_f64(),
            expected_after: LuckNumber::of_expectation(&step.after),
            choice: step.choice.as_ref().map(ValuedChoice::new),
        }
    }
}

impl ValuedChoice<'_> {
    fn new(choice: &ChoiceAccount) -> ValuedChoice<'_> {
        let options = choice.options.iter();
        let best = choice.gave_away.as_ref();
        ValuedChoice {
            baseline: choice.baseline.as_deref(),
            options: options
                .map(|(option, value)| OptionValue {
                    option,
                    value: value.to_f64(),
                    exact: value.to_string(),
                })
                .collect(),
            gave_away: best.map(|(best, lost)| BetterOption {
                best,
                value: lost.to_f64(),
                exact: lost.to_string(),
            }),
        }
    }
}

impl DiceTests<'_> {
    /// Reports the tests of the dice of some journals, with the number of draws that are not tested.
    pub fn new(tests: &[FairnessTest], draws: u64, journals: usize) -> DiceTests<'_> {
        DiceTests {
            tests,
            corrected_least: corrected_least(tests),
            draws,
            journals,
        }
    }
}
