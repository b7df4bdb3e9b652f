//! Fractions of whole numbers, nothing rounded, and what can come up with which chance.

use std::collections::BTreeMap;
use std::fmt;

/// A fraction in its lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// Above the line.
    pub top: i128,
    /// Below the line, above 0.
    pub bottom: i128,
}

impl Fraction {
    /// Nothing.
    pub const ZERO: Fraction = Fraction { top: 0, bottom: 1 };

    /// A fraction in its lowest terms; none where the bottom is 0.
    pub fn new(top: i128, bottom: i128) -> Option<Fraction> {
        if bottom == 0 {
            return None;
        }
        let divisor = gcd(top.unsigned_abs(), bottom.unsigned_abs()).max(1) as i128 * bottom.signum();
        Some(Fraction { top: top / divisor, bottom: bottom / divisor })
    }

    /// So many ways out of so many.
    pub fn of(ways: u128, all: u128) -> Option<Fraction> {
        let divisor = gcd(ways, all).max(1);
        Fraction::new(i128::try_from(ways / divisor).ok()?, i128::try_from(all / divisor).ok()?)
    }

    /// The sum; none where the numbers grow too large.
    pub fn plus(self, other: Fraction) -> Option<Fraction> {
        let common = gcd(self.bottom as u128, other.bottom as u128) as i128;
        let (a, b) = (other.bottom / common, self.bottom / common);
        let top = self.top.checked_mul(a)?.checked_add(other.top.checked_mul(b)?)?;
        Fraction::new(top, self.bottom.checked_mul(a)?)
    }

    /// The product.
    pub fn by(self, other: Fraction) -> Option<Fraction> {
        // Crosswise first, so that the numbers stay small.
        let (a, b) = (Fraction::new(self.top, other.bottom)?, Fraction::new(other.top, self.bottom)?);
        Fraction::new(a.top.checked_mul(b.top)?, a.bottom.checked_mul(b.bottom)?)
    }

    /// The quotient; none by nothing.
    pub fn over(self, other: Fraction) -> Option<Fraction> {
        if other.top == 0 {
            return if self.top == 0 { Some(Fraction::ZERO) } else { None };
        }
        self.by(Fraction::new(other.bottom, other.top)?)
    }

    /// Which is greater.
    pub fn order(&self, other: &Fraction) -> std::cmp::Ordering {
        match (self.top.checked_mul(other.bottom), other.top.checked_mul(self.bottom)) {
            (Some(a), Some(b)) => a.cmp(&b),
            // Too large to multiply out: their shares of 1 decide as far as a person could tell them apart.
            _ => self.share().total_cmp(&other.share()),
        }
    }

    /// As a share of 1, for showing.
    pub fn share(&self) -> f64 {
        self.top as f64 / self.bottom as f64
    }

    /// The product with a whole number.
    pub fn times(self, n: i64) -> Option<Fraction> {
        Fraction::new(self.top.checked_mul(i128::from(n))?, self.bottom)
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bottom == 1 { write!(f, "{}", self.top) } else { write!(f, "{}/{}", self.top, self.bottom) }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Outcomes with their chances.
#[derive(Clone, Debug, Default)]
pub struct Distribution(pub BTreeMap<String, Fraction>);

impl Distribution {
    /// Adds so many ways out of so many to an outcome; none where the numbers grow too large.
    pub fn add(&mut self, outcome: String, (ways, all): (u128, u128)) -> Option<()> {
        self.put(&outcome, Fraction::of(ways, all)?)
    }

    /// Adds a chance to an outcome.
    pub fn put(&mut self, outcome: &str, chance: Fraction) -> Option<()> {
        let slot = self.0.entry(outcome.to_string()).or_insert(Fraction::ZERO);
        *slot = slot.plus(chance)?;
        Some(())
    }

    /// The chance of an outcome.
    pub fn chance(&self, outcome: &str) -> Fraction {
        self.0.get(outcome).copied().unwrap_or(Fraction::ZERO)
    }

    /// The mean of outcomes that are whole numbers.
    pub fn mean(&self) -> Option<Fraction> {
        self.0.iter().try_fold(Fraction::ZERO, |sum, (outcome, chance)| sum.plus(chance.times(outcome.parse().ok()?)?))
    }
}
