//! Odds as they are answered: exact fractions as text (`1/6`) where all was counted, and per cent.

use crate::odds::assumptions::{Assumptions, OddsSubject};
use crate::odds::bar_chart::{BarRow, gather_rare, rows};
use crate::odds::best_play::{BestPlayOdds, OutcomeRange};
use crate::odds::bounds::Cap;
use crate::odds::distribution::Odds;
use crate::odds::fraction::{Distribution, Fraction};
use crate::odds::headline::{EntryValues, FigureValue, sentence};
use crate::odds::joint_table::{ConditionChance, JointOutcome};
use crate::odds::matrix::{Matrix, MixedStrategy};
use crate::odds::measure::Measure;
use crate::odds::profile::ProfiledPlace;
use crate::odds::query::OddsResult;
use crate::odds::sample::Sample;
use casebook_engine::complaint::Remedy;
use casebook_engine::ruling::condition::Condition;
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use std::collections::BTreeMap;

/// The number of values of an outcome that are listed unless all are asked for; rarer ones are added up.
const MAX_LISTED: usize = 5_000;

/// Describes a value that may be null although its field may be left out, too.
pub fn or_null<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "oneOf": [generator.subschema_for::<T>(), { "type": "null" }] })
}

/// Odds with what they are about and what they rest on.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Qualified<T> {
    /// The odds.
    #[serde(flatten)]
    pub odds: T,
    /// What they are about.
    #[serde(flatten)]
    pub subject: OddsSubject,
    /// What they rest on in addition to the printed rules.
    pub assumed: Assumptions,
}

impl<T> Qualified<T> {
    /// Adds the assumptions to odds.
    pub fn new(odds: T, assumed: &Assumptions) -> Qualified<T> {
        Qualified {
            odds,
            subject: assumed.subject.clone(),
            assumed: assumed.clone(),
        }
    }
}

/// What comes of a situation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "counted")]
pub struct CountedReport {
    /// Whether all was counted; else the rest is a sample.
    pub complete: bool,
    /// The outcomes.
    pub outcomes: Vec<ReportedOutcome>,
    /// How many positions were gone through.
    pub states: u64,
    /// How far the count came, where not all was counted.
    #[serde(flatten)]
    pub part: Option<CountedPart>,
    /// Where not all was counted: how many runs the rest was sampled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    /// What is looked at first, where the procedure's card says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<HeadlineReport>,
}

/// How far a count came.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountedPart {
    /// Where not all was counted: how much was, of 1.
    pub seen: f64,
    /// Where not all was counted, what ended the count: time, memory, outcomes, depth, loops or stopped.
    #[schemars(schema_with = "or_null::<String>")]
    pub ended: Option<&'static str>,
    /// Where not all was counted: the limit that ended the count, in words.
    #[schemars(schema_with = "or_null::<String>")]
    pub advice: Option<String>,
    /// Where not all was counted: what raises the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}

/// An outcome with the chances of its values.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportedOutcome {
    /// The outcome.
    pub outcome: String,
    /// The mean, where all was counted and all values are numbers. Numbers without end are one value at last, such as "17 or more", and part
    /// of the mean.
    pub mean: Option<String>,
    /// Its values.
    pub values: Vec<ValueChance>,
    /// Of more than 5,000 values, what the rarer ones are together; exact odds list each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<RareValues>,
}

/// A value of an outcome.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ValueChance {
    /// The value.
    pub value: String,
    /// How likely it is.
    #[serde(flatten)]
    pub chance: ReportedChance,
}

/// The rarer values of an outcome, together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RareValues {
    /// How many they are.
    pub values: usize,
    /// How likely they are together.
    #[serde(flatten)]
    pub chance: ReportedChance,
}

/// How likely something is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportedChance {
    /// The chance as a fraction, where all was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<String>,
    /// Else how much of it was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<String>,
    /// The chance in per cent.
    pub percent: f64,
    /// The error of a sample at 95 per cent, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

impl ReportedChance {
    fn new(counted: &Fraction, share: f64, error: Option<f64>) -> ReportedChance {
        let exact = counted.to_string();
        let (chance, counted) = match error {
            None => (Some(exact), None),
            Some(_) => (None, Some(exact)),
        };
        ReportedChance {
            chance,
            counted,
            percent: share * 100.0,
            error: error.map(|error| error * 100.0),
        }
    }

    fn of_row(row: &BarRow) -> ReportedChance {
        ReportedChance::new(&row.counted, row.chance, row.error)
    }
}

impl CountedReport {
    /// Reports odds. Of very many values the likeliest are listed, unless `every_value` is asked for.
    pub fn new(odds: &Odds, sample: Option<&Sample>, every_value: bool) -> CountedReport {
        let most = if every_value { usize::MAX } else { MAX_LISTED };
        let outcome = |(name, rows): (String, Vec<BarRow>)| {
            let mean = odds
                .distribution(&name)
                .filter(|_| sample.is_none())
                .and_then(Distribution::mean);
            let (rows, others) = gather_rare(rows, most);
            ReportedOutcome {
                outcome: name,
                mean: mean.map(|mean| mean.to_string()),
                values: rows
                    .iter()
                    .map(|row| ValueChance {
                        value: row.value.clone(),
                        chance: ReportedChance::of_row(row),
                    })
                    .collect(),
                others: others.map(|(count, others)| RareValues {
                    values: count,
                    chance: ReportedChance::of_row(&others),
                }),
            }
        };
        CountedReport {
            complete: odds.is_complete(),
            outcomes: rows(odds, sample).into_iter().map(outcome).collect(),
            states: odds.states,
            part: (!odds.is_complete()).then(|| CountedPart::of(odds)),
            runs: sample.map(|sample| sample.runs),
            headline: None,
        }
    }

    /// Adds the headline.
    pub fn with_headline(self, values: &[EntryValues]) -> CountedReport {
        CountedReport {
            headline: HeadlineReport::new(values),
            ..self
        }
    }
}

impl CountedPart {
    fn of(odds: &Odds) -> CountedPart {
        CountedPart {
            seen: odds.counted_share.as_ref().map_or(0.0, Fraction::to_f64),
            ended: odds.ended.map(Cap::as_str),
            advice: odds.ended.map(Cap::describe),
            remedy: odds.ended.and_then(Cap::remedy),
        }
    }
}

/// What is looked at first, where the procedure's card says it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "headline")]
pub struct HeadlineReport {
    /// The entries as one sentence.
    pub text: String,
    /// The entries.
    pub entries: Vec<ReportedEntry>,
}

/// An entry of a headline.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportedEntry {
    /// Its caption.
    pub caption: String,
    /// Its figures.
    pub figures: Vec<ReportedFigure>,
}

/// A figure of a headline.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportedFigure {
    /// The outcome.
    pub outcome: String,
    /// What it is of the outcome.
    pub is: FigureMeaning,
    /// Its value; null if a mean is of an outcome that never comes up, or is not a number.
    pub value: Option<f64>,
    /// The fraction, where all was counted.
    pub exact: Option<String>,
    /// Where a part was sampled, the error at 95 per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// What a figure of a headline is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FigureMeaning {
    /// A chance from 0 to 1.
    Chance,
    /// The mean of the cases in which the outcome comes up.
    Mean,
}

impl HeadlineReport {
    /// Reports a headline; `None` if there is none.
    pub fn new(values: &[EntryValues]) -> Option<HeadlineReport> {
        let figure = |value: &FigureValue| ReportedFigure {
            outcome: value.figure.outcome.clone(),
            is: match value.figure.condition {
                Some(_) => FigureMeaning::Chance,
                None => FigureMeaning::Mean,
            },
            value: value.value,
            exact: value.exact.as_ref().map(ToString::to_string),
            error: value.error,
        };
        let entry = |entry: &EntryValues| ReportedEntry {
            caption: entry.caption.clone(),
            figures: entry.figures.iter().map(figure).collect(),
        };
        (!values.is_empty()).then(|| HeadlineReport {
            text: sentence(values),
            entries: values.iter().map(entry).collect(),
        })
    }
}

/// The odds of a situation.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct OddsReport {
    /// What comes of it.
    #[serde(flatten)]
    pub counted: CountedReport,
    /// What the best and the worst are measured by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<MeasureValue>,
    /// What sides that choose the best or the worst take, and how often.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<TakenOptions>,
    /// If conditions were given: which, and how likely they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<GivenConditions>,
    /// If the profile was asked for: where states arise, those places first that have most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Vec<ProfiledPlace>>,
    /// Of a game: how many rounds of the sequence of play were counted; the outcomes are their final values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
}

/// A measure, and what it comes to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MeasureValue {
    /// A sum of outcomes, or a condition.
    pub text: String,
    /// What it comes to, as a fraction.
    pub value: String,
}

/// What a side takes, and how often.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TakenOptions {
    /// The side.
    pub side: String,
    /// The question.
    #[serde(rename = "what")]
    pub question: String,
    /// The options that it takes.
    pub taken: Vec<OptionChance>,
}

/// An option that is taken.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OptionChance {
    /// The option.
    pub option: String,
    /// How likely it is that it is taken, as a fraction.
    pub chance: String,
}

/// Conditions that odds are under.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GivenConditions {
    /// The conditions, which all hold.
    pub conditions: Vec<Condition>,
    /// How likely they are, in per cent.
    pub percent: f64,
    /// The same as a fraction, where all was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<String>,
    /// The error of a sample at 95 per cent, in per cent; null where none was needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "or_null::<f64>")]
    pub error: Option<Option<f64>>,
}

impl OddsReport {
    /// Reports odds alone.
    pub fn new(counted: CountedReport) -> OddsReport {
        OddsReport {
            counted,
            measure: None,
            choices: Vec::new(),
            given: None,
            profile: None,
            rounds: None,
        }
    }

    /// Adds what sides that choose the best or the worst take, and what the measure comes to.
    pub fn with_play(self, played: &BestPlayOdds, measure: Option<&Measure>) -> OddsReport {
        let value = measure.zip(played.value.as_ref());
        let choice =
            |(key, options): (&(String, String), &BTreeMap<String, Fraction>)| TakenOptions {
                side: key.0.clone(),
                question: key.1.clone(),
                taken: option_chances(options),
            };
        OddsReport {
            measure: value.map(|(measure, value)| MeasureValue {
                text: measure.text.clone(),
                value: value.to_string(),
            }),
            choices: played.decisions.iter().map(choice).collect(),
            ..self
        }
    }
}

fn option_chances(options: &BTreeMap<String, Fraction>) -> Vec<OptionChance> {
    let options = options.iter();
    options
        .map(|(option, chance)| OptionChance {
            option: option.clone(),
            chance: chance.to_string(),
        })
        .collect()
}

impl GivenConditions {
    fn new(conditions: &[Condition], share: f64) -> GivenConditions {
        GivenConditions {
            conditions: conditions.to_vec(),
            percent: share * 100.0,
            chance: None,
            error: None,
        }
    }

    /// Reports conditions whose chance was counted.
    pub fn counted(conditions: &[Condition], share: &Fraction) -> GivenConditions {
        GivenConditions {
            chance: Some(share.to_string()),
            ..GivenConditions::new(conditions, share.to_f64())
        }
    }

    /// Reports conditions whose chance has an error where a part of it was sampled.
    pub fn sampled(conditions: &[Condition], (share, error): ConditionChance) -> GivenConditions {
        GivenConditions {
            error: Some(error.map(|error| error * 100.0)),
            ..GivenConditions::new(conditions, share)
        }
    }
}

/// Several outcomes together.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct JointReport {
    /// Whether all was counted; else the rest is a sample.
    pub complete: bool,
    /// The outcomes that are asked for together.
    pub joint: Vec<String>,
    /// Each way they come up, likeliest first.
    pub rows: Vec<JointChance>,
    /// How many positions were gone through.
    pub states: u64,
    /// How far the count came, where not all was counted.
    #[serde(flatten)]
    pub part: Option<CountedPart>,
    /// Where not all was counted: how many runs the rest was sampled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    /// If conditions were given: which, and how likely they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<GivenConditions>,
}

/// Values of several outcomes together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JointChance {
    /// The values, in the order of `joint`.
    pub values: Vec<String>,
    /// How likely they are together.
    #[serde(flatten)]
    pub chance: ReportedChance,
}

impl JointReport {
    /// Reports the rows of these outcomes.
    pub fn new(
        result: &OddsResult,
        outcomes: &[String],
        rows: &[JointOutcome],
        given: Option<GivenConditions>,
    ) -> JointReport {
        let row = |row: &JointOutcome| JointChance {
            values: row.values.clone(),
            chance: ReportedChance::new(&row.counted, row.chance, row.error),
        };
        JointReport {
            complete: result.sample.is_none(),
            joint: outcomes.to_vec(),
            rows: rows.iter().map(row).collect(),
            states: result.counted.states,
            part: result
                .sample
                .as_ref()
                .map(|_| CountedPart::of(&result.odds)),
            runs: result.sample.as_ref().map(|sample| sample.runs),
            given,
        }
    }
}

/// Between what the chances lie, whatever is chosen.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RangesReport {
    /// Whether there was time for every value.
    pub complete: bool,
    /// The least and the most that each chance can be.
    pub ranges: Vec<RangeReport>,
}

/// The range of an outcome.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RangeReport {
    /// The outcome.
    pub outcome: String,
    /// The range of its mean, where it always comes up and is a number.
    pub mean: Option<FractionRange>,
    /// Its values.
    pub values: Vec<ValueRange>,
    /// The number of further values, for which there was no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
}

/// The range of a value.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ValueRange {
    /// The value.
    pub value: String,
    /// The range of its chance.
    #[serde(flatten)]
    pub chance: FractionRange,
}

/// Between which fractions something lies.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FractionRange {
    /// The lowest.
    pub lowest: String,
    /// The highest.
    pub highest: String,
}

impl FractionRange {
    fn new(low: &Fraction, high: &Fraction) -> FractionRange {
        FractionRange {
            lowest: low.to_string(),
            highest: high.to_string(),
        }
    }
}

impl RangesReport {
    pub fn new(ranges: &[OutcomeRange]) -> RangesReport {
        let range = |range: &OutcomeRange| RangeReport {
            outcome: range.outcome.clone(),
            mean: range
                .mean
                .as_ref()
                .map(|(low, high)| FractionRange::new(low, high)),
            values: range
                .values
                .iter()
                .map(|range| ValueRange {
                    value: range.value.clone(),
                    chance: FractionRange::new(&range.low, &range.high),
                })
                .collect(),
            left_out: Some(range.left_out).filter(|count| *count > 0),
        };
        RangesReport {
            complete: ranges.iter().all(|range| range.left_out == 0),
            ranges: ranges.iter().map(range).collect(),
        }
    }
}

/// A question that both sides answer in secret.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MatrixReport {
    /// What is asked.
    pub question: String,
    /// What an answer is worth: a sum of outcomes, or a condition.
    pub measure: String,
    /// The positions in which it is asked.
    pub games: Vec<MatrixGame>,
}

/// A position in which a question is asked of both sides.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatrixGame {
    /// How likely it is to come to this, as a fraction.
    pub chance: String,
    /// The side that wants it high.
    pub rows: MixedAnswers,
    /// The side that wants it low.
    pub columns: MixedAnswers,
    /// What each pair of answers is worth, row by row, as fractions.
    pub cells: Vec<Vec<String>>,
    /// What it is worth where both mix best.
    pub value: String,
    /// Whether the cells had to be rounded for the mix.
    pub rounded: bool,
}

/// A side, what it can answer, and how often it should.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "answers")]
pub struct MixedAnswers {
    /// The side.
    pub side: String,
    /// What it can answer.
    pub options: Vec<String>,
    /// How often it should, as fractions.
    pub mix: Vec<String>,
}

impl MatrixReport {
    /// Reports the positions in which a question is asked, each with its best mixes.
    pub fn new(
        question: &str,
        measure: &Measure,
        games: &[(Matrix, Fraction)],
        mixes: &[MixedStrategy],
    ) -> MatrixReport {
        let texts = |list: &[Fraction]| list.iter().map(Fraction::to_string).collect::<Vec<_>>();
        let answers = |(side, options): &(String, Vec<String>), mix: &[Fraction]| MixedAnswers {
            side: side.clone(),
            options: options.clone(),
            mix: texts(mix),
        };
        let game = |((matrix, chance), mix): (&(Matrix, Fraction), &MixedStrategy)| MatrixGame {
            chance: chance.to_string(),
            rows: answers(&matrix.rows, &mix.rows),
            columns: answers(&matrix.columns, &mix.columns),
            cells: matrix.cells.iter().map(|row| texts(row)).collect(),
            value: mix.value.to_string(),
            rounded: mix.rounded,
        };
        MatrixReport {
            question: question.into(),
            measure: measure.text.clone(),
            games: games.iter().zip(mixes).map(game).collect(),
        }
    }
}
