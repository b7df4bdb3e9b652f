//! Notation of charts and counters: dice, bands, odds, unit values, hexes, turns and case numbers.
//!
//! The grammar is `notation.pest`; the types here are the parsed values. Formatting is the inverse of parsing.
//!
//! | file | what it is |
//! |---|---|
//! | [`stated`] | probabilities and means as people write them |

use pest::{Parser, iterators::Pair};
use std::collections::BTreeMap;
use std::fmt;

pub mod stated;

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
        write!(f, "`{}` is no {}", self.text, self.expected)
    }
}

fn parse<'t>(rule: Rule, text: &'t str, expected: &'static str) -> Result<Pair<'t, Rule>, NotationError> {
    let no = || NotationError { text: text.into(), expected };
    Grammar::parse(rule, text).ok().and_then(|mut pairs| pairs.next()).ok_or_else(no)
}

/// Returns the numbers of a parse in text order; empty if one overflows.
fn numbers(pair: Pair<'_, Rule>) -> Vec<i64> {
    pair.into_inner()
        .flatten()
        .filter(|p| matches!(p.as_rule(), Rule::number | Rule::count | Rule::shift))
        .filter_map(|p| p.as_str().parse().ok())
        .collect()
}

/// Dice that are thrown together: 2d6, d12, 1d6+1, 4d6kh3. There are 1 to 100 dice of 2 to 1000 sides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dice {
    /// Number of dice.
    pub count: u32,
    /// Number of sides of each die.
    pub sides: u32,
    /// The dice that count, if not all do.
    pub keep: Option<Keep>,
    /// Added to the total.
    pub modifier: i64,
}

/// The dice of a throw that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Keep {
    /// Their number, from 1 to one less than there are dice.
    pub count: u32,
    /// Whether they are the lowest instead of the highest.
    pub lowest: bool,
}

/// The maximum number of hands that are counted one by one.
const MAX_HANDS: u128 = 20_000;

/// Faces from the highest to the lowest, with the number of combinations that show them.
pub type Hand = (Vec<u32>, u128);

impl Dice {
    /// Maximum length in bytes of valid dice.
    const LONGEST: usize = 40;
    const EXPECTED: &'static str = "dice such as 1d6, 2d6, d12 or 4d6kh3, the 3 highest of 4 (at most 100 dice of 1000 sides)";

    /// Returns dice whose sum counts.
    pub fn new(count: u32, sides: u32, modifier: i64) -> Dice {
        Dice { count, sides, keep: None, modifier }
    }

    /// Parses dice.
    pub fn parse(text: &str) -> Result<Dice, NotationError> {
        let no = || NotationError { text: text.into(), expected: Dice::EXPECTED };
        if text.len() > Dice::LONGEST {
            return Err(no());
        }
        let number = |part: Pair<Rule>| part.as_str().parse::<u32>().map_err(|_| no());
        let (mut plain, mut which, mut shift) = (Vec::new(), None, 0);
        for part in parse(Rule::dice, text, Dice::EXPECTED)?.into_inner() {
            match part.as_rule() {
                Rule::count => plain.push(number(part)?),
                Rule::keep => {
                    let mut parts = part.into_inner();
                    let (word, count) = (parts.next().ok_or_else(no)?, parts.next().ok_or_else(no)?);
                    which = Some((word.as_str(), number(count)?));
                }
                Rule::shift => shift = part.as_str().parse::<i64>().map_err(|_| no())?,
                _ => {}
            }
        }
        let (count, sides) = match plain[..] {
            [sides] => (1, sides),
            [count, sides] => (count, sides),
            _ => return Err(no()),
        };
        let keep = match which {
            None => None,
            Some((_, some)) if some == 0 || some >= count => return Err(no()),
            Some(("kh", some)) => Some(Keep { count: some, lowest: false }),
            Some(("kl", some)) => Some(Keep { count: some, lowest: true }),
            Some(("dl", some)) => Some(Keep { count: count - some, lowest: false }),
            Some((_, some)) => Some(Keep { count: count - some, lowest: true }),
        };
        let fits = (1..=100).contains(&count) && (2..=1000).contains(&sides) && (-1000..=1000).contains(&shift);
        if fits { Ok(Dice { count, sides, keep, modifier: shift }) } else { Err(no()) }
    }

    /// Returns the number of dice that count.
    fn kept_count(&self) -> u32 {
        self.keep.map_or(self.count, |keep| keep.count)
    }

    /// Returns the lowest total.
    pub fn min_total(&self) -> i64 {
        i64::from(self.kept_count()) + self.modifier
    }

    /// Returns the highest total.
    pub fn max_total(&self) -> i64 {
        i64::from(self.kept_count()) * i64::from(self.sides) + self.modifier
    }

    /// Returns those of the thrown faces that count, from the highest to the lowest.
    pub fn kept(&self, faces: &[u32]) -> Vec<u32> {
        let mut kept = faces.to_vec();
        kept.sort_unstable_by(|a, b| b.cmp(a));
        let most = kept.len().min(self.kept_count() as usize);
        match self.keep {
            Some(Keep { lowest: true, .. }) => kept.split_off(kept.len() - most),
            _ => {
                kept.truncate(most);
                kept
            }
        }
    }

    /// Returns the total of thrown faces.
    pub fn total(&self, faces: &[u32]) -> i64 {
        self.kept(faces).into_iter().map(i64::from).sum::<i64>() + self.modifier
    }

    /// Returns each hand of the dice that count with its number of combinations; `None` if there are too many hands or combinations.
    pub fn hands(&self) -> Option<Vec<Hand>> {
        let kept = self.kept_count();
        let mut hands = 1u128;
        for step in 1..=u128::from(kept) {
            hands = hands * (u128::from(self.sides) - 1 + step) / step;
            if hands > MAX_HANDS {
                return None;
            }
        }
        let mut found = Vec::with_capacity(hands as usize);
        self.add_hands(1, self.count, (&mut Vec::with_capacity(kept as usize), 1), &mut found)?;
        Some(found)
    }

    /// Adds the hands that begin with `hand`, if `left` dice show the face of a rank or a worse one. Rank 1 is the face that counts first.
    fn add_hands(&self, rank: u32, left: u32, (hand, ways): (&mut Vec<u32>, u128), found: &mut Vec<Hand>) -> Option<()> {
        let (needed, worse) = ((self.kept_count() as usize).saturating_sub(hand.len()) as u32, u128::from(self.sides - rank));
        let lowest = self.keep.is_some_and(|keep| keep.lowest);
        let (face, before) = (if lowest { rank } else { self.sides + 1 - rank }, hand.len());
        // So many dice show this face that no worse one counts.
        let mut enough = 0u128;
        let mut choices = 1u128;
        for count in 0..=left {
            if count >= needed {
                enough = enough.checked_add(choices.checked_mul(worse.checked_pow(left - count)?)?)?;
            } else if worse > 0 {
                hand.resize(before + count as usize, face);
                self.add_hands(rank + 1, left - count, (hand, ways.checked_mul(choices)?), found)?;
            }
            choices = choices.checked_mul(u128::from(left - count))? / u128::from(count + 1);
        }
        if enough > 0 {
            hand.resize(before + needed as usize, face);
            let mut faces = hand.clone();
            if lowest {
                faces.reverse();
            }
            found.push((faces, ways.checked_mul(enough)?));
        }
        hand.truncate(before);
        Some(())
    }

    /// Returns each total with its number of combinations; `None` if there are too many.
    pub fn total_distribution(&self) -> Option<Vec<(i64, u128)>> {
        if self.keep.is_some() {
            return self.sum_hands(|hand| hand.iter().copied().map(i64::from).sum::<i64>() + self.modifier);
        }
        let mut ways: Vec<u128> = vec![1];
        for _ in 0..self.count {
            let mut next = vec![0u128; ways.len() + self.sides as usize - 1];
            for (i, w) in ways.iter().enumerate() {
                for side in 0..self.sides as usize {
                    next[i + side] = next[i + side].checked_add(*w)?;
                }
            }
            ways = next;
        }
        Some(ways.into_iter().enumerate().map(|(i, w)| (self.min_total() + i as i64, w)).collect())
    }

    /// Returns each value of the hands with its number of combinations.
    fn sum_hands(&self, value: impl Fn(&[u32]) -> i64) -> Option<Vec<(i64, u128)>> {
        let mut sums: BTreeMap<i64, u128> = BTreeMap::new();
        for (hand, ways) in self.hands()? {
            let sum = sums.entry(value(&hand)).or_default();
            *sum = sum.checked_add(ways)?;
        }
        Some(sums.into_iter().collect())
    }

    /// Returns each possible number of dice that count and show at least `at_least`, with its number of combinations; `None` if there are
    /// too many.
    pub fn hit_distribution(&self, at_least: u32) -> Option<Vec<(i64, u128)>> {
        if self.keep.is_some() {
            return self.sum_hands(|hand| hand.iter().filter(|face| **face >= at_least).count() as i64);
        }
        let good = u128::from((self.sides + 1).saturating_sub(at_least.max(1)));
        let bad = u128::from(self.sides) - good;
        let mut ways: Vec<u128> = vec![1];
        for _ in 0..self.count {
            let mut next = vec![0u128; ways.len() + 1];
            for (i, w) in ways.iter().enumerate() {
                next[i] = next[i].checked_add(w.checked_mul(bad)?)?;
                next[i + 1] = next[i + 1].checked_add(w.checked_mul(good)?)?;
            }
            ways = next;
        }
        // Impossible counts would be branches of probability 0.
        Some((0..).zip(ways).filter(|(_, w)| *w > 0).collect())
    }
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}d{}", self.count, self.sides)?;
        if let Some(Keep { count, lowest }) = self.keep {
            write!(f, "{}{count}", if lowest { "kl" } else { "kh" })?;
        }
        if self.modifier != 0 { write!(f, "{:+}", self.modifier) } else { Ok(()) }
    }
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
    const EXPECTED: &'static str = "band of numbers such as 7, 1-10, 131+, ..33 or -5..-3";

    /// Parses a band.
    pub fn parse(text: &str) -> Result<Band, NotationError> {
        let no = || NotationError { text: text.into(), expected: Band::EXPECTED };
        // Most inputs are words, which the first character already excludes.
        if !text.starts_with(['-', '.']) && !text.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(no());
        }
        let inner = parse(Rule::band, text, Band::EXPECTED)?.into_inner().next().ok_or_else(no)?;
        let rule = inner.as_rule();
        let band = match (rule, &numbers(inner)[..]) {
            (Rule::open_below, [high]) => Band { low: i64::MIN, high: *high },
            (Rule::open_above, [low]) => Band { low: *low, high: i64::MAX },
            (Rule::one, [n]) => Band { low: *n, high: *n },
            (_, [low, high]) => Band { low: *low, high: *high },
            _ => return Err(no()),
        };
        if band.low <= band.high { Ok(band) } else { Err(no()) }
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
    const EXPECTED: &'static str = "odds such as 2:1 or 1:4";

    /// Parses odds.
    pub fn parse(text: &str) -> Result<OddsRatio, NotationError> {
        let no = || NotationError { text: text.into(), expected: OddsRatio::EXPECTED };
        match numbers(parse(Rule::odds, text, OddsRatio::EXPECTED)?)[..] {
            [attacker, defender] if attacker > 0 && defender > 0 => Ok(OddsRatio { attacker, defender }),
            _ => Err(no()),
        }
    }

    /// Reduces two numbers to odds with 1 on one side, rounded in the defender's favour; numbers below 1 count as 1.
    pub fn from_numbers(attacker: i64, defender: i64) -> OddsRatio {
        let (attacker, defender) = (attacker.max(1), defender.max(1));
        if attacker >= defender {
            OddsRatio { attacker: attacker / defender, defender: 1 }
        } else {
            OddsRatio { attacker: 1, defender: (defender + attacker - 1) / attacker }
        }
    }

    /// Compares two odds; the greater one is better for the attacker.
    pub fn compare(&self, other: &OddsRatio) -> std::cmp::Ordering {
        (i128::from(self.attacker) * i128::from(other.defender)).cmp(&(i128::from(other.attacker) * i128::from(self.defender)))
    }
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
    const EXPECTED: &'static str = "unit value such as 10-3 or (5)-1";

    /// Parses the figures of a counter.
    pub fn parse(text: &str) -> Result<UnitValue, NotationError> {
        match numbers(parse(Rule::unit, text, UnitValue::EXPECTED)?)[..] {
            [first, second] => Ok(UnitValue { first, second, bracketed: text.starts_with('(') }),
            _ => Err(NotationError { text: text.into(), expected: UnitValue::EXPECTED }),
        }
    }
}

impl fmt::Display for UnitValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bracketed { write!(f, "({})-{}", self.first, self.second) } else { write!(f, "{}-{}", self.first, self.second) }
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
    const EXPECTED: &'static str = "hex such as C2516";

    /// Parses a hex.
    pub fn parse(text: &str) -> Result<Hex, NotationError> {
        let no = || NotationError { text: text.into(), expected: Hex::EXPECTED };
        let parts: Vec<&str> = parse(Rule::hex, text, Hex::EXPECTED)?.into_inner().map(|p| p.as_str()).collect();
        match parts[..] {
            [sheet, column, row, _] => {
                Ok(Hex { sheet: sheet.into(), column: column.parse().map_err(|_| no())?, row: row.parse().map_err(|_| no())? })
            }
            _ => Err(no()),
        }
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
    const EXPECTED: &'static str = "turn such as 4/62";

    /// Parses a turn.
    pub fn parse(text: &str) -> Result<Turn, NotationError> {
        match numbers(parse(Rule::turn, text, Turn::EXPECTED)?)[..] {
            [number, year] => Ok(Turn { year, number }),
            _ => Err(NotationError { text: text.into(), expected: Turn::EXPECTED }),
        }
    }

    /// Returns the turn `n` turns later in a calendar of `a_year` turns a year; saturates on overflow.
    pub fn add_turns(self, n: i64, a_year: i64) -> Turn {
        let a_year = i128::from(a_year.max(1));
        let index = i128::from(self.year) * a_year + i128::from(self.number) - 1 + i128::from(n);
        Turn { year: clamp_to_i64(index.div_euclid(a_year)), number: clamp_to_i64(index.rem_euclid(a_year) + 1) }
    }

    /// Returns the number of turns from `first` to this turn.
    pub fn turns_since(self, first: Turn, a_year: i64) -> i64 {
        let years = i128::from(self.year) - i128::from(first.year);
        clamp_to_i64(years * i128::from(a_year) + i128::from(self.number) - i128::from(first.number))
    }
}

fn clamp_to_i64(n: i128) -> i64 {
    n.clamp(i64::MIN.into(), i64::MAX.into()) as i64
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
