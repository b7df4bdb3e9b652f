//! `casebook dice`: how likely each total of dice is, or each number of hits; two throws against each other. It needs no data.

use crate::command::out::Printer;
use casebook_analysis::odds::bar_chart::{bar, percent};
use casebook_analysis::odds::bounds::{DEFAULT_MEMORY, bytes_text};
use casebook_analysis::odds::fraction::Fraction;
use casebook_engine::complaint::Error;
use casebook_engine::notation::sums::{Ways, sums};
use casebook_engine::notation::{Band, Dice, Weight};
use casebook_engine::platform::task;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// Arguments of `dice`.
#[derive(clap::Args)]
pub struct DiceOddsArgs {
    /// The dice: 2d6, 2d6-1d6, 4d6kh3, 3d6r1, 8d6!, '{1d8!, 1d6!}kh1'; `casebook explain roll` says what can be written
    pub dice: String,
    /// Other dice to compare them with
    #[arg(long, value_name = "DICE")]
    pub against: Option<String>,
    /// Count the dice that show this, instead of adding them up: 5+, ..2, 3..4 or 6
    #[arg(long, value_name = "BAND", allow_hyphen_values = true)]
    pub hits: Option<String>,
    /// Print the chance of each value or more; with a number only that of as much or more: --at-least=15
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub at_least: Option<Option<i64>>,
    /// Print the chance of each value or less; with a number only that of as much or less
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub at_most: Option<Option<i64>>,
    /// Print fractions, and each value by itself however rare it is
    #[arg(long)]
    pub exact: bool,
}

/// How likely each value of dice is.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "dice")]
pub struct DiceReport<'a> {
    /// The dice, and those that they are set against.
    throws: Vec<ThrowReport<'a>>,
    /// How the first dice compare with the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<ComparedDice>,
}

/// What dice give.
#[derive(Serialize, JsonSchema)]
struct ThrowReport<'a> {
    /// The dice.
    dice: &'a str,
    /// The mean, as a fraction.
    mean: String,
    /// The standard deviation.
    deviation: f64,
    /// The values, the lowest first.
    values: Vec<ThrownValue>,
    /// Of dice that are thrown on without bound: where they are cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<Truncation>,
}

/// A value that dice give.
#[derive(Serialize, JsonSchema)]
struct ThrownValue {
    /// The chance of the value.
    #[serde(flatten)]
    exactly: DiceChance,
    /// The value.
    value: i64,
    /// The chance of as much or more.
    at_least: DiceChance,
    /// The chance of as much or less.
    at_most: DiceChance,
}

/// A chance of dice.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "chance_of_dice")]
struct DiceChance {
    /// The chance, as a fraction.
    chance: String,
    /// The chance in per cent.
    percent: f64,
}

/// Where dice that are thrown on without bound are cut off.
#[derive(Serialize, JsonSchema)]
struct Truncation {
    /// After how many further throws a die is cut off.
    after: u32,
    /// The chance that it would go on.
    chance: f64,
}

/// How dice compare with others.
#[derive(Serialize, JsonSchema)]
struct ComparedDice {
    /// The chance that they give more.
    higher: DiceChance,
    /// The chance that they give as much.
    equal: DiceChance,
    /// The chance that they give less.
    lower: DiceChance,
}

impl DiceChance {
    fn new(chance: &Fraction) -> DiceChance {
        DiceChance {
            chance: chance.to_string(),
            percent: chance.to_f64() * 100.0,
        }
    }
}

/// What dice give, the lowest value first, with the number of combinations of each.
struct ThrowOdds {
    notation: String,
    ways: Ways,
    /// The number of all combinations.
    total: Weight,
    mean: Fraction,
    deviation: f64,
    /// Where dice without bound are cut off.
    cuts: Vec<Dice>,
}

/// Values that follow each other, with their chances together.
struct ValueRow {
    first: i64,
    last: i64,
    exactly: Weight,
    /// The combinations of less than the first, and of the last or less.
    less: Weight,
    at_most: Weight,
}

/// Below this number of values each has a row.
const FEW: usize = 40;

/// The chance up to which values share a row, where they are many.
const ROW_SHARE: f64 = 0.05;

/// The bytes that a value takes for each byte of its number of combinations: as text, with fractions, and as JSON.
const BYTES: [u64; 3] = [3, 12, 48];

impl ThrowOdds {
    /// Counts dice, or a difference of two: `2d6-1d6`.
    fn new(text: &str, hits: Option<Band>, bytes_each: u64) -> Result<ThrowOdds, Error> {
        let dice = Dice::parse_many(text);
        let difference = || {
            let (at, _) = text.match_indices('-').find(|(at, _)| {
                Dice::parse_many(&text[..*at]).is_ok() && Dice::parse_many(&text[at + 1..]).is_ok()
            })?;
            Some([&text[..at], &text[at + 1..]].map(Dice::parse_many))
        };
        let (first, minus) = match (dice, difference()) {
            (Err(_), Some([Ok(first), Ok(second)])) => (first, Some(second)),
            (dice, _) => (
                dice.map_err(|error| {
                    Error::Usage(format!(
                        "{error}; `casebook explain roll` says what can be written"
                    ))
                })?,
                None,
            ),
        };
        let notation = match &minus {
            Some(second) => format!("{first}-{second}"),
            None => first.to_string(),
        };
        let memory = task::memory().unwrap_or(DEFAULT_MEMORY);
        let listed = |dice: &Dice| {
            let values = dice.max_total().abs_diff(dice.min_total());
            let bits: f64 = dice.first_dice().map(|sides| f64::from(sides).log2()).sum();
            let bytes = (values as f64) * (bits / 8.0 + 24.0) * bytes_each as f64;
            if bytes > memory as f64 {
                return Err(Error::Usage(format!(
                    "the values of {dice} take more memory than {}: --memory gives more, or throw fewer dice, or of fewer sides",
                    bytes_text(memory)
                )));
            }
            let ways = match hits {
                Some(band) => dice.hit_distribution(band),
                None => dice.total_distribution(),
            };
            ways.ok_or_else(|| too_many_values(&dice.to_string()))
        };
        let mut ways = listed(&first)?;
        if let Some(second) = &minus {
            let negative = listed(second)?.into_iter().rev();
            let negative = negative.map(|(value, ways)| (-value, ways)).collect();
            let ways_of_both = sums(&[(1, &ways), (1, &negative)]);
            ways = ways_of_both.ok_or_else(|| too_many_values(&notation))?;
        }
        let total: Weight = ways.iter().map(|(_, ways)| ways).sum();
        // Counted from the lowest value on, so that no number is negative.
        let low = ways.first().map_or(0, |(value, _)| *value);
        let (mut sum, mut squares) = (Weight::ZERO, Weight::ZERO);
        for (value, ways) in &ways {
            let above = Weight::from(u128::from(value.abs_diff(low)));
            let part = ways * &above;
            squares += &part * &above;
            sum += part;
        }
        let above = Fraction::new(&sum, &total);
        let deviation = (&Fraction::new(&squares, &total) - &(&above * &above)).to_f64();
        Ok(ThrowOdds {
            notation,
            mean: &above + &Fraction::from_integer(low),
            deviation: deviation.max(0.0).sqrt(),
            ways,
            total,
            cuts: std::iter::once(first)
                .chain(minus)
                .filter(|dice| dice.truncation().is_some())
                .collect(),
        })
    }

    /// Returns the chances that these dice give more than others, as much, and less.
    fn against(&self, other: &ThrowOdds) -> [Fraction; 3] {
        let (mut more, mut equal, mut below) = (Weight::ZERO, Weight::ZERO, Weight::ZERO);
        let mut others = other.ways.iter().peekable();
        for (value, ways) in &self.ways {
            while let Some((_, less)) = others.next_if(|(other, _)| other < value) {
                below += less;
            }
            more += ways * &below;
            if let Some((_, same)) = others.peek().filter(|(other, _)| other == value) {
                equal += ways * same;
            }
        }
        let all = &self.total * &other.total;
        let less = (more.clone() + &equal).complement_to(&all);
        [more, equal, less].map(|ways| Fraction::new(&ways, &all))
    }

    /// Returns the rows: values that follow each other share one until it has some chance, if `grouped` and there are many.
    fn rows(&self, grouped: bool) -> Vec<ValueRow> {
        let grouped = grouped && self.ways.len() > FEW;
        let mut rows: Vec<ValueRow> = Vec::new();
        let mut less = Weight::ZERO;
        for (value, ways) in &self.ways {
            let at_most = less.clone() + ways;
            match rows.last_mut() {
                Some(row)
                    if grouped
                        && (row.exactly.clone() + ways).share_of(&self.total) <= ROW_SHARE =>
                {
                    row.last = *value;
                    row.exactly += ways;
                    row.at_most = at_most.clone();
                }
                _ => rows.push(ValueRow {
                    first: *value,
                    last: *value,
                    exactly: ways.clone(),
                    less,
                    at_most: at_most.clone(),
                }),
            }
            less = at_most;
        }
        rows
    }

    /// Returns the chance of so many combinations.
    fn chance(&self, ways: &Weight) -> Fraction {
        Fraction::new(ways, &self.total)
    }

    /// Returns the lowest value that at least such a share of all throws does not exceed.
    fn quantile(&self, percent: u32) -> i64 {
        let mut so_far = Weight::ZERO;
        let reached = |(_, ways): &&(i64, Weight)| {
            so_far += ways;
            &so_far * &Weight::from(100u32) >= &self.total * &Weight::from(percent)
        };
        self.ways
            .iter()
            .find(reached)
            .map_or(0, |(value, _)| *value)
    }

    fn report(&self) -> ThrowReport<'_> {
        let row = |row: ValueRow| ThrownValue {
            exactly: DiceChance::new(&self.chance(&row.exactly)),
            value: row.first,
            at_least: DiceChance::new(&self.chance(&row.less.complement_to(&self.total))),
            at_most: DiceChance::new(&self.chance(&row.at_most)),
        };
        let cut = self.cuts.iter().filter_map(Dice::truncation).next();
        ThrowReport {
            dice: &self.notation,
            mean: self.mean.to_string(),
            deviation: self.deviation,
            values: self.rows(false).into_iter().map(row).collect(),
            truncation: cut.map(|(after, chance)| Truncation { after, chance }),
        }
    }

    fn draw(&self, args: &DiceOddsArgs, out: Printer) -> String {
        let exact = |fraction: &dyn Fn() -> String| {
            if args.exact {
                format!(" = {}", fraction())
            } else {
                String::new()
            }
        };
        let (mean, deviation) = (self.mean.to_f64(), self.deviation);
        let summary = format!(
            "   mean {mean:.2}{}, standard deviation {deviation:.2}",
            exact(&|| self.mean.to_string())
        );
        let mut text = format!(
            "{}{}\n",
            out.page.paint("1", &self.notation),
            out.page.paint("2", &summary)
        );
        for truncation in self.cuts.iter().filter_map(Dice::truncation_text) {
            let _ = writeln!(text, "{truncation}");
        }
        if self.ways.len() > FEW {
            let [low, half, high] = [5, 50, 95].map(|percent| self.quantile(percent));
            let _ = writeln!(
                text,
                "half of all throws give {half} or less; 9 in 10 from {low} to {high}"
            );
        }
        let line = |name: &str, width: usize, ways: &Weight, others: &str| {
            let share = ways.share_of(&self.total);
            format!(
                "  {name:>width$}  {:>8}{others}  {}{}\n",
                chance_text(share),
                out.page.paint("36", &bar(share)),
                exact(&|| self.chance(ways).to_string())
            )
        };
        let asked = [
            (args.at_least.flatten(), true),
            (args.at_most.flatten(), false),
        ];
        if asked.iter().any(|(bound, _)| bound.is_some()) {
            for (bound, is_least) in asked {
                let Some(bound) = bound else { continue };
                let counted = |value: i64| {
                    if is_least {
                        value >= bound
                    } else {
                        value <= bound
                    }
                };
                let ways = self.ways.iter().filter(|(value, _)| counted(*value));
                let ways: Weight = ways.map(|(_, ways)| ways).sum();
                let name = format!("{bound} or {}", if is_least { "more" } else { "less" });
                text += &line(&name, 0, &ways, "");
            }
            return text;
        }
        let rows = self.rows(!args.exact);
        let name = |row: &ValueRow| match row.first == row.last {
            true => row.first.to_string(),
            false => format!("{} to {}", row.first, row.last),
        };
        let width = rows
            .iter()
            .map(|row| name(row).chars().count())
            .max()
            .unwrap_or(0);
        let columns = [
            (args.at_least.is_some(), "at least"),
            (args.at_most.is_some(), "at most"),
        ];
        let heads: String = columns
            .into_iter()
            .filter(|(shown, _)| *shown)
            .map(|(_, head)| format!("  {head:>8}"))
            .collect();
        if !heads.is_empty() {
            let _ = writeln!(text, "  {:>width$}  {:>8}{heads}", "", "exactly");
        }
        for row in &rows {
            let bounds = [row.less.complement_to(&self.total), row.at_most.clone()];
            let others: String = columns
                .iter()
                .zip(bounds)
                .filter(|((shown, _), _)| *shown)
                .map(|(_, ways)| format!("  {:>8}", chance_text(ways.share_of(&self.total))))
                .collect();
            text += &line(&name(row), width, &row.exactly, &others);
        }
        text
    }
}

/// Says that the values of dice are too many.
fn too_many_values(notation: &str) -> Error {
    Error::Usage(format!(
        "{notation} have too many values to list: throw fewer dice, or of fewer sides"
    ))
}

/// Formats a chance; below a tenth of a per cent with its first two digits, for tables of dice are asked how rare something is.
fn chance_text(chance: f64) -> String {
    match chance * 100.0 {
        p if p >= 0.1 => percent(chance),
        p if p >= 0.0001 => {
            let digits = (1.0 - p.log10().floor()) as usize;
            format!("{p:.digits$} %")
        }
        p if p > 0.0 => format!("{p:.1e} %"),
        _ => "0 %".into(),
    }
}

/// Runs `dice`.
pub fn dice(args: &DiceOddsArgs, out: Printer) -> Result<(), Error> {
    let band = args
        .hits
        .as_deref()
        .map(|text| Band::parse(text).map_err(|error| Error::Usage(error.to_string())))
        .transpose()?;
    let bytes_each = BYTES[if out.is_json() {
        2
    } else {
        usize::from(args.exact)
    }];
    let first = ThrowOdds::new(&args.dice, band, bytes_each)?;
    let other = args
        .against
        .as_deref()
        .map(|text| ThrowOdds::new(text, band, bytes_each))
        .transpose()?;
    let compared = other.as_ref().map(|other| (other, first.against(other)));
    let names = ["higher", "equal", "lower"];
    out.print(
        || {
            let throws = [&first].into_iter().chain(&other);
            let chances = compared.as_ref().map(|(_, chances)| chances);
            DiceReport {
                throws: throws.map(ThrowOdds::report).collect(),
                against: chances.map(|[more, equal, less]| ComparedDice {
                    higher: DiceChance::new(more),
                    equal: DiceChance::new(equal),
                    lower: DiceChance::new(less),
                }),
            }
        },
        || {
            let mut text = first.draw(args, out);
            if let Some((other, chances)) = &compared {
                let _ = writeln!(
                    text,
                    "\n{}\n{} against {}",
                    other.draw(args, out),
                    first.notation,
                    other.notation
                );
                for (name, chance) in names.iter().zip(chances) {
                    let fraction = if args.exact {
                        format!("  {chance}")
                    } else {
                        String::new()
                    };
                    let _ = writeln!(
                        text,
                        "  {name:>6}  {:>8}  {}{fraction}",
                        percent(chance.to_f64()),
                        out.page.paint("36", &bar(chance.to_f64()))
                    );
                }
            }
            text
        },
    );
    Ok(())
}
