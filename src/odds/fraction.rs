//! Exact probabilities: rational numbers of arbitrary precision.

use crate::notation::Weight;
use crate::notation::stated::StatedNumber;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A rational number in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fraction(RBig);

impl Fraction {
    /// The number 0.
    pub const ZERO: Fraction = Fraction(RBig::ZERO);
    /// The number 1.
    pub const ONE: Fraction = Fraction(RBig::ONE);

    /// Converts to a floating-point number, for display.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64_fast()
    }

    /// Whether the fraction is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

#[doc(hidden)]
impl Fraction {
    /// Returns `ways / total`, or 0 if `total` is 0.
    pub fn new(ways: &Weight, total: &Weight) -> Fraction {
        if total.is_zero() {
            Fraction::ZERO
        } else {
            Fraction(RBig::from_parts(IBig::from(ways.as_integer().clone()), total.as_integer().clone()))
        }
    }

    /// Converts an integer.
    pub fn from_integer(n: i64) -> Fraction {
        Fraction(RBig::from(n))
    }

    /// Rounds a share to the nearest ten-thousandth.
    pub fn from_f64_rounded(share: f64) -> Fraction {
        Fraction(RBig::from_parts(IBig::from((share * 10_000.0).round() as i64), UBig::from(10_000u32)))
    }

    /// Whether the fraction equals a stated value to the precision of that value.
    pub fn equals_stated(&self, stated: &StatedNumber) -> bool {
        stated.matches(&self.0)
    }

    /// Returns the quotient, or `None` if `other` is 0.
    pub fn checked_div(&self, other: &Fraction) -> Option<Fraction> {
        (!other.is_zero()).then(|| self / other)
    }

    /// Returns the number of digits of numerator and denominator together.
    pub fn digits(&self) -> usize {
        (dashu_int::ops::BitTest::bit_len(self.0.numerator()) + dashu_int::ops::BitTest::bit_len(self.0.denominator())) * 30 / 100
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a> Add<&'a Fraction> for &'a Fraction {
    type Output = Fraction;

    fn add(self, other: &Fraction) -> Fraction {
        Fraction(&self.0 + &other.0)
    }
}

impl<'a> Sub<&'a Fraction> for &'a Fraction {
    type Output = Fraction;

    fn sub(self, other: &Fraction) -> Fraction {
        Fraction(&self.0 - &other.0)
    }
}

impl<'a> Mul<&'a Fraction> for &'a Fraction {
    type Output = Fraction;

    fn mul(self, other: &Fraction) -> Fraction {
        Fraction(&self.0 * &other.0)
    }
}

impl<'a> Div<&'a Fraction> for &'a Fraction {
    type Output = Fraction;

    fn div(self, other: &Fraction) -> Fraction {
        Fraction(&self.0 / &other.0)
    }
}

impl AddAssign<&Fraction> for Fraction {
    fn add_assign(&mut self, other: &Fraction) {
        self.0 += &other.0;
    }
}

/// A discrete distribution: values with their probabilities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution(pub BTreeMap<String, Fraction>);

impl Distribution {
    /// Adds to the probability of a value.
    #[doc(hidden)]
    pub fn add(&mut self, value: &str, chance: &Fraction) {
        match self.0.get_mut(value) {
            Some(sum) => *sum += chance,
            None => drop(self.0.insert(value.to_string(), chance.clone())),
        }
    }

    /// Returns the probability of a value, 0 if it has no entry.
    pub fn chance(&self, value: &str) -> Fraction {
        self.0.get(value).cloned().unwrap_or(Fraction::ZERO)
    }

    /// Returns the mean, if all values are integers.
    pub fn mean(&self) -> Option<Fraction> {
        self.0.iter().try_fold(Fraction::ZERO, |sum, (value, chance)| Some(&sum + &(chance * &Fraction::from_integer(value.parse().ok()?))))
    }
}
