//! Notation of charts and counters: dice, bands, odds, unit values, hexes, turns and case numbers.
//!
//! The grammar is `notation.pest`; the types here are the parsed values. Formatting is the inverse of parsing.
//!
//! | file | what it is |
//! |---|---|
//! | [`face`] | the faces of dice |
//! | [`dice`] | dice: what is thrown, and what of it counts |
//! | [`dice_text`] | dice as they are written |
//! | [`weight`] | numbers of ways, of any size |
//! | [`sums`] | sums of dice, by arithmetic of polynomials |
//! | [`chances`] | how likely each total, number of hits and hand is |
//! | [`draw`] | draws of cards, which fall at most once |
//! | [`stated`] | probabilities and means as people write them |
//! | [`worded_band`] | bands as people write them: "7 or more" |

use pest::{Parser, iterators::Pair};
use std::fmt;

pub mod chances;
pub mod dice;
mod dice_text;
pub mod draw;
pub mod face;
pub mod stated;
pub mod sums;
pub mod weight;
mod worded_band;

pub use dice::Dice;
pub use face::Face;
pub use weight::Weight;

mod grammar {
    #![allow(missing_docs)]
    #[derive(pest_derive::Parser)]
    #[grammar = "notation/notation.pest"]
    pub struct Grammar;
}
use grammar::{Grammar, Rule};

/// A notation parse error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    /// The rejected text.
    pub text: String,
    /// The expected notation, with an example.
    pub expected: &'static str,
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not {}", self.text, self.expected)
    }
}

fn parse<'t>(
    rule: Rule,
    text: &'t str,
    expected: &'static str,
) -> Result<Pair<'t, Rule>, NotationError> {
    let error = || NotationError {
        text: text.into(),
        expected,
    };
    Grammar::parse(rule, text)
        .ok()
        .and_then(|mut pairs| pairs.next())
        .ok_or_else(error)
}

/// Returns the numbers of a parse in text order; empty if one overflows.
fn numbers(pair: Pair<'_, Rule>) -> Vec<i64> {
    pair.into_inner()
        .flatten()
        .filter(|p| matches!(p.as_rule(), Rule::number | Rule::count | Rule::shift))
        .filter_map(|p| p.as_str().parse().ok())
        .collect()
}

/// An inclusive band of whole numbers: 7, 1-10, 131+, ..33, -5..-3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// Lowest number; `i64::MIN` if open.
    pub low: i64,
    /// Highest number; `i64::MAX` if open.
    pub high: i64,
}

impl Band {
    const EXPECTED: &'static str = "a band of numbers such as 7, 1-10, 131+, ..33 or -5..-3";

    pub fn parse(text: &str) -> Result<Band, NotationError> {
        let error = || NotationError {
            text: text.into(),
            expected: Band::EXPECTED,
        };
        // Most inputs are words, which the first character already excludes.
        if !text.starts_with(['-', '.']) && !text.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(error());
        }
        let inner = parse(Rule::band, text, Band::EXPECTED)?
            .into_inner()
            .next()
            .ok_or_else(error)?;
        let rule = inner.as_rule();
        let band = match (rule, &numbers(inner)[..]) {
            (Rule::open_below, [high]) => Band {
                low: i64::MIN,
                high: *high,
            },
            (Rule::open_above, [low]) => Band {
                low: *low,
                high: i64::MAX,
            },
            (Rule::one, [n]) => Band { low: *n, high: *n },
            (_, [low, high]) => Band {
                low: *low,
                high: *high,
            },
            _ => return Err(error()),
        };
        if band.low <= band.high {
            Ok(band)
        } else {
            Err(error())
        }
    }

    /// Returns the band in words: `5 or more`, `2 or less`, `1 to 2`, `6`.
    pub fn in_words(&self) -> String {
        match (self.low, self.high) {
            (i64::MIN, high) => format!("{high} or less"),
            (low, i64::MAX) => format!("{low} or more"),
            (low, high) if low == high => low.to_string(),
            (low, high) => format!("{low} to {high}"),
        }
    }

    /// Returns whether the band contains a number.
    pub fn contains(&self, n: i64) -> bool {
        self.low <= n && n <= self.high
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low, self.high) {
            (i64::MIN, high) => write!(f, "..{high}"),
            (low, i64::MAX) => write!(f, "{low}+"),
            (low, high) if low == high => write!(f, "{low}"),
            (low, high) if low >= 0 => write!(f, "{low}-{high}"),
            (low, high) => write!(f, "{low}..{high}"),
        }
    }
}

/// Odds of attacker to defender: 2:1, 1:4. Both numbers are positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OddsRatio {
    /// Number for the attacker.
    pub attacker: i64,
    /// Number for the defender.
    pub defender: i64,
}

impl OddsRatio {
    const EXPECTED: &'static str = "a ratio such as 2:1 or 1:4";

    pub fn parse(text: &str) -> Result<OddsRatio, NotationError> {
        let error = || NotationError {
            text: text.into(),
            expected: OddsRatio::EXPECTED,
        };
        match numbers(parse(Rule::odds, text, OddsRatio::EXPECTED)?)[..] {
            [attacker, defender] if attacker > 0 && defender > 0 => {
                Ok(OddsRatio { attacker, defender })
            }
            _ => Err(error()),
        }
    }

    /// Reduces two numbers to odds with 1 on one side, rounded in the defender's favour; numbers below 1 count as 1.
    pub fn from_numbers(attacker: i64, defender: i64) -> OddsRatio {
        let (attacker, defender) = (attacker.max(1), defender.max(1));
        if attacker >= defender {
            OddsRatio {
                attacker: attacker / defender,
                defender: 1,
            }
        } else {
            // Rounded up without a sum that numbers might not hold.
            OddsRatio {
                attacker: 1,
                defender: (defender - 1) / attacker + 1,
            }
        }
    }

    /// Rounds the odds of two numbers to parts of a whole, in the defender's favour: 7 to 4 in halves is 3:2. Numbers below 1 count as 1.
    pub fn in_parts(attacker: i64, defender: i64, parts: i64) -> OddsRatio {
        let (attacker, defender, parts) = (
            i128::from(attacker.max(1)),
            i128::from(defender.max(1)),
            i128::from(parts.max(1)),
        );
        let (attacker, defender) = if attacker >= defender {
            (attacker * parts / defender, parts)
        } else {
            (parts, (defender * parts + attacker - 1) / attacker)
        };
        let (mut divisor, mut rest) = (attacker, defender);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        OddsRatio {
            attacker: clamp_to_i64(attacker / divisor),
            defender: clamp_to_i64(defender / divisor),
        }
    }

    /// Compares two odds; the greater one is better for the attacker.
    pub fn compare(&self, other: &OddsRatio) -> std::cmp::Ordering {
        (i128::from(self.attacker) * i128::from(other.defender))
            .cmp(&(i128::from(other.attacker) * i128::from(self.defender)))
    }
}

/// The nearest number that can be represented; odds beyond every column of a chart are the same to it.
fn clamp_to_i64(n: i128) -> i64 {
    n.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

impl fmt::Display for OddsRatio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.attacker, self.defender)
    }
}

/// The two figures of a counter: 10-3; the first may be in brackets: (5)-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitValue {
    /// The first figure.
    pub first: i64,
    /// The second figure.
    pub second: i64,
    /// Whether the first figure is in brackets.
    pub bracketed: bool,
}

impl UnitValue {
    const EXPECTED: &'static str = "a unit value such as 10-3 or (5)-1";

    /// Parses the figures of a counter.
    pub fn parse(text: &str) -> Result<UnitValue, NotationError> {
        match numbers(parse(Rule::unit, text, UnitValue::EXPECTED)?)[..] {
            [first, second] => Ok(UnitValue {
                first,
                second,
                bracketed: text.starts_with('('),
            }),
            _ => Err(NotationError {
                text: text.into(),
                expected: UnitValue::EXPECTED,
            }),
        }
    }
}

impl fmt::Display for UnitValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bracketed {
            write!(f, "({})-{}", self.first, self.second)
        } else {
            write!(f, "{}-{}", self.first, self.second)
        }
    }
}

/// A hex of a numbered map: sheet letters, two digits for the column, two for the row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hex {
    /// Sheet; empty if the map has only one.
    pub sheet: String,
    /// Column, 0 to 99.
    pub column: i64,
    /// Row, 0 to 99.
    pub row: i64,
}

impl Hex {
    const EXPECTED: &'static str = "a hex such as C2516";

    pub fn parse(text: &str) -> Result<Hex, NotationError> {
        let numbers = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let error = || NotationError {
            text: text.into(),
            expected: Hex::EXPECTED,
        };
        if numbers.len() != 4 || !numbers.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(error());
        }
        let number = |digits: &str| digits.parse().map_err(|_| error());
        Ok(Hex {
            sheet: text[..text.len() - 4].into(),
            column: number(&numbers[..2])?,
            row: number(&numbers[2..])?,
        })
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:02}{:02}", self.sheet, self.column, self.row)
    }
}

/// A turn within a year: 4/62 is the fourth turn of 62.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// Year as written.
    pub year: i64,
    /// Turn of the year, from 1.
    pub number: i64,
}

impl Turn {
    const EXPECTED: &'static str = "a turn such as 4/62";

    pub fn parse(text: &str) -> Result<Turn, NotationError> {
        match numbers(parse(Rule::turn, text, Turn::EXPECTED)?)[..] {
            [number, year] => Ok(Turn { year, number }),
            _ => Err(NotationError {
                text: text.into(),
                expected: Turn::EXPECTED,
            }),
        }
    }

    /// Returns the turn `n` turns later in a calendar of `a_year` turns a year; `None` if numbers can't hold it.
    pub fn add_turns(self, n: i64, a_year: i64) -> Option<Turn> {
        let a_year = i128::from(a_year.max(1));
        let index = i128::from(self.year) * a_year + i128::from(self.number) - 1 + i128::from(n);
        let (year, number) = (index.div_euclid(a_year), index.rem_euclid(a_year) + 1);
        Some(Turn {
            year: year.try_into().ok()?,
            number: number.try_into().ok()?,
        })
    }

    /// Returns the number of turns from `first` to this turn; `None` if numbers can't hold it.
    pub fn turns_since(self, first: Turn, a_year: i64) -> Option<i64> {
        let years = i128::from(self.year) - i128::from(first.year);
        (years * i128::from(a_year) + i128::from(self.number) - i128::from(first.number))
            .try_into()
            .ok()
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{:02}", self.number, self.year)
    }
}

/// Returns whether a text is the number of a case or item: 8.16, 16.2.2, q7.
pub fn is_case_number(text: &str) -> bool {
    // Most inputs are names, which the last character already excludes.
    text.ends_with(|c: char| c.is_ascii_digit()) && Grammar::parse(Rule::case, text).is_ok()
}
