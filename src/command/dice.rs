//! `casebook dice`: how likely each total of dice is, or each number of hits; two throws against each other. It needs no data.

use crate::command::out::Printer;
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::bounds::{DEFAULT_MEMORY, bytes_text};
use casebook_analysis::odds::fraction::Fraction;
use casebook_engine::complaint::Error;
use casebook_engine::notation::sums::{Ways, sums};
use casebook_engine::notation::{Band, Dice, Weight};
use casebook_engine::platform::task;
use casebook_view::block::{AnswerBlock, AnswerPage};

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

    /// Returns mean and deviation, and the chance of each value; with fractions if `exact`.
    fn page(&self, args: &DiceOddsArgs, exact: bool) -> AnswerPage {
        let mut page = AnswerPage::new("dice", &self.notation, "", &self.notation);
        let fraction = match exact {
            true => format!(" = {}", self.mean),
            false => String::new(),
        };
        page.push(AnswerBlock::text(format!(
            "mean {:.2}{fraction}, standard deviation {:.2}",
            self.mean.to_f64(),
            self.deviation
        )));
        let truncations = self.cuts.iter().filter_map(Dice::truncation_text);
        truncations.for_each(|text| page.push(AnswerBlock::text(text)));
        if self.ways.len() > FEW {
            let [low, half, high] = [5, 50, 95].map(|percent| self.quantile(percent));
            page.push(AnswerBlock::text(format!(
                "half of all throws give {half} or less; 9 in 10 from {low} to {high}"
            )));
        }
        let row = |name: String, ways: &Weight, others: Vec<String>| {
            let share = ways.share_of(&self.total);
            let mut cells = vec![name, chance_text(share)];
            cells.extend(others);
            (cells, share, exact.then(|| self.chance(ways).to_string()))
        };
        let asked = [
            (args.at_least.flatten(), "more"),
            (args.at_most.flatten(), "less"),
        ];
        let asked: Vec<_> = asked
            .into_iter()
            .filter_map(|(bound, word)| {
                let bound = bound?;
                let is_within = |value: i64| match word {
                    "more" => value >= bound,
                    _ => value <= bound,
                };
                let ways = self.ways.iter().filter(|(value, _)| is_within(*value));
                let ways: Weight = ways.map(|(_, ways)| ways).sum();
                Some(row(format!("{bound} or {word}"), &ways, Vec::new()))
            })
            .collect();
        if !asked.is_empty() {
            page.push(AnswerBlock::chart(&[], asked));
            return page;
        }
        let columns = [
            (args.at_least.is_some(), "at least"),
            (args.at_most.is_some(), "at most"),
        ];
        let rows = self.rows(!exact).into_iter().map(|value| {
            let name = match value.first == value.last {
                true => value.first.to_string(),
                false => format!("{} to {}", value.first, value.last),
            };
            let bounds = [value.less.complement_to(&self.total), value.at_most];
            let others = columns.iter().zip(bounds).filter(|((shown, _), _)| *shown);
            let others = others.map(|(_, ways)| chance_text(ways.share_of(&self.total)));
            row(name, &value.exactly, others.collect())
        });
        let columns = columns.into_iter().filter(|(shown, _)| *shown);
        let mut head: Vec<&str> = columns.map(|(_, head)| head).collect();
        if !head.is_empty() {
            head.splice(0..0, ["", "exactly"]);
        }
        page.push(AnswerBlock::chart(&head, rows));
        page
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
    let exact = args.exact || out.is_json();
    let mut pages = vec![first.page(args, exact)];
    if let Some(other) = &other {
        let title = format!("{} against {}", first.notation, other.notation);
        let chances = ["higher", "equal", "lower"]
            .into_iter()
            .zip(first.against(other));
        let chances = chances.map(|(name, chance)| {
            let share = chance.to_f64();
            let fraction = exact.then(|| chance.to_string());
            (vec![name.into(), percent(share)], share, fraction)
        });
        let compared = AnswerPage::new("comparison", &title, "", &title);
        pages.push(other.page(args, exact));
        pages.push(compared.with([AnswerBlock::chart(&[], chances)]));
    }
    out.print_pages(pages);
    Ok(())
}
