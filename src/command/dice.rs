//! `casebook dice`: how likely each total of dice is, or each number of hits; two throws against each other. It needs no data.

use crate::command::out::Printer;
use casebook_analysis::odds::bar_chart::{bar, percent};
use casebook_analysis::odds::fraction::Fraction;
use casebook_engine::complaint::Error;
use casebook_engine::notation::{Band, Dice, Weight};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// Arguments of `dice`.
#[derive(clap::Args)]
pub struct DiceOddsArgs {
    /// The dice: 2d6, 4d6kh3, 3d6r1, 8d6!, '{1d8!, 1d6!}kh1'; `casebook explain roll` says what can be written
    pub dice: String,
    /// Other dice to compare them with
    #[arg(long, value_name = "DICE")]
    pub against: Option<String>,
    /// Count the dice that show this, instead of adding them up: 5+, ..2, 3..4 or 6
    #[arg(long, value_name = "BAND", allow_hyphen_values = true)]
    pub hits: Option<String>,
    /// Print the chance of each value or more
    #[arg(long)]
    pub at_least: bool,
    /// Print the chance of each value or less
    #[arg(long)]
    pub at_most: bool,
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

/// What dice give, the lowest value first, with the chances of each.
struct ThrowOdds {
    notation: String,
    rows: Vec<ValueOdds>,
    mean: Fraction,
    deviation: f64,
    /// The chance of a die without bound to be cut off.
    cut: Option<(u32, f64)>,
}

struct ValueOdds {
    value: i64,
    exactly: Fraction,
    at_least: Fraction,
    at_most: Fraction,
}

/// The chance of what is too rare for a row of its own.
const RARE: f64 = 0.0005;

/// Below this number of values each has a row.
const FEW: usize = 40;

impl ThrowOdds {
    fn new(text: &str, hits: Option<Band>) -> Result<ThrowOdds, Error> {
        let dice = Dice::parse(text).map_err(|error| {
            Error::Usage(format!(
                "{error}; `casebook explain roll` says what can be written"
            ))
        })?;
        let ways = match hits {
            Some(band) => dice.hit_distribution(band),
            None => dice.total_distribution(),
        };
        let too_many = || {
            Error::Usage(format!(
                "{dice} have too many values to list: throw fewer dice, or of fewer sides"
            ))
        };
        let ways = ways.ok_or_else(too_many)?;
        let total: Weight = ways.iter().map(|(_, ways)| ways).sum();
        let (mut so_far, mut mean, mut square) = (Weight::ZERO, Fraction::ZERO, Fraction::ZERO);
        let mut rows = Vec::with_capacity(ways.len());
        for (value, ways) in ways {
            let at_least = Fraction::new(&so_far.complement_to(&total), &total);
            so_far += &ways;
            let (exactly, number) = (Fraction::new(&ways, &total), Fraction::from_integer(value));
            let part = &exactly * &number;
            mean += &part;
            square += &(&part * &number);
            rows.push(ValueOdds {
                value,
                exactly,
                at_least,
                at_most: Fraction::new(&so_far, &total),
            });
        }
        let deviation = (&square - &(&mean * &mean)).to_f64().max(0.0).sqrt();
        Ok(ThrowOdds {
            notation: dice.to_string(),
            rows,
            mean,
            deviation,
            cut: dice.truncation(),
        })
    }

    /// Returns the chances that these dice give more than others, as much, and less.
    fn against(&self, other: &ThrowOdds) -> [Fraction; 3] {
        let (mut more, mut equal) = (Fraction::ZERO, Fraction::ZERO);
        for row in &self.rows {
            let below = other.rows.partition_point(|other| other.value < row.value);
            if let Some(last) = below.checked_sub(1) {
                more += &(&row.exactly * &other.rows[last].at_most);
            }
            if let Some(same) = other
                .rows
                .get(below)
                .filter(|other| other.value == row.value)
            {
                equal += &(&row.exactly * &same.exactly);
            }
        }
        let less = &(&Fraction::ONE - &more) - &equal;
        [more, equal, less]
    }

    fn report(&self) -> ThrowReport<'_> {
        let row = |row: &ValueOdds| ThrownValue {
            exactly: DiceChance::new(&row.exactly),
            value: row.value,
            at_least: DiceChance::new(&row.at_least),
            at_most: DiceChance::new(&row.at_most),
        };
        ThrowReport {
            dice: &self.notation,
            mean: self.mean.to_string(),
            deviation: self.deviation,
            values: self.rows.iter().map(row).collect(),
            truncation: self.cut.map(|(after, chance)| Truncation { after, chance }),
        }
    }

    fn draw(&self, args: &DiceOddsArgs, out: Printer) -> String {
        let exact = |fraction: &Fraction| {
            if args.exact {
                format!(" = {fraction}")
            } else {
                String::new()
            }
        };
        let (mean, deviation) = (self.mean.to_f64(), self.deviation);
        let summary = format!(
            "   mean {mean:.2}{}, standard deviation {deviation:.2}",
            exact(&self.mean)
        );
        let mut text = format!(
            "{}{}\n",
            out.page.paint("1", &self.notation),
            out.page.paint("2", &summary)
        );
        if let Some((depth, chance)) = self.cut {
            let _ = writeln!(
                text,
                "a die without bound is counted to {depth} further throws; it would go on with a chance of {chance:.1e}"
            );
        }
        let rows = self.grouped(args.exact);
        let name = |(first, last): (&ValueOdds, &ValueOdds)| match first.value == last.value {
            true => first.value.to_string(),
            false => format!("{} to {}", first.value, last.value),
        };
        let width = rows
            .iter()
            .map(|row| name(*row).chars().count())
            .max()
            .unwrap_or(0);
        let columns = [(args.at_least, "at least"), (args.at_most, "at most")];
        let heads: String = columns
            .into_iter()
            .filter(|(shown, _)| *shown)
            .map(|(_, head)| format!("  {head:>8}"))
            .collect();
        if !heads.is_empty() {
            let _ = writeln!(text, "  {:>width$}  {:>8}{heads}", "", "exactly");
        }
        for (first, last) in rows {
            let exactly = &(&last.at_most - &first.at_most) + &first.exactly;
            let _ = write!(
                text,
                "  {:>width$}  {:>8}",
                name((first, last)),
                percent(exactly.to_f64())
            );
            for (_, chance) in [
                (args.at_least, &first.at_least),
                (args.at_most, &last.at_most),
            ]
            .into_iter()
            .filter(|(shown, _)| *shown)
            {
                let _ = write!(text, "  {:>8}", percent(chance.to_f64()));
            }
            let fraction = if args.exact {
                format!("  {exactly}")
            } else {
                String::new()
            };
            let _ = writeln!(
                text,
                "  {}{fraction}",
                out.page.paint("36", &bar(exactly.to_f64()))
            );
        }
        text
    }

    /// Returns the rows, each with its first and last value: rare ones that follow each other are one row, if there are many.
    fn grouped(&self, exact: bool) -> Vec<(&ValueOdds, &ValueOdds)> {
        let mut rows: Vec<(&ValueOdds, &ValueOdds)> = Vec::new();
        let is_rare =
            |row: &ValueOdds| !exact && self.rows.len() > FEW && row.exactly.to_f64() < RARE;
        for row in &self.rows {
            match rows.last_mut() {
                Some((first, last)) if is_rare(first) && is_rare(row) => *last = row,
                _ => rows.push((row, row)),
            }
        }
        rows
    }
}

/// Runs `dice`.
pub fn dice(args: &DiceOddsArgs, out: Printer) -> Result<(), Error> {
    let band = args
        .hits
        .as_deref()
        .map(|text| Band::parse(text).map_err(|error| Error::Usage(error.to_string())))
        .transpose()?;
    let first = ThrowOdds::new(&args.dice, band)?;
    let other = args
        .against
        .as_deref()
        .map(|text| ThrowOdds::new(text, band))
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
