//! Exact chances: fractions of whole numbers of any size, nothing rounded.

use crate::notation::stated::Stated;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A fraction in its lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fraction(RBig);

impl Fraction {
    /// Nothing.
    pub const ZERO: Fraction = Fraction(RBig::ZERO);
    /// All.
    pub const ONE: Fraction = Fraction(RBig::ONE);

    /// So many ways out of so many; nothing out of none.
    pub fn new(ways: UBig, all: UBig) -> Fraction {
        if all == UBig::ZERO { Fraction::ZERO } else { Fraction(RBig::from_parts(IBig::from(ways), all)) }
    }

    /// The parts of one that is not below nothing: so many out of so many.
    pub fn numerator_and_denominator(&self) -> (UBig, UBig) {
        (self.0.numerator().clone().into_parts().1, self.0.denominator().clone())
    }

    /// A whole number.
    pub fn from_integer(n: i64) -> Fraction {
        Fraction(RBig::from(n))
    }

    /// So many ten-thousandths, as near as a share comes.
    pub fn from_f64_rounded(share: f64) -> Fraction {
        Fraction(RBig::from_parts(IBig::from((share * 10_000.0).round() as i64), UBig::from(10_000u32)))
    }

    /// As a share of 1, for showing.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64_fast()
    }

    /// Whether it is what was stated, as far as that says.
    pub fn is_as(&self, stated: &Stated) -> bool {
        stated.holds(&self.0)
    }

    /// Whether it is nothing.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// The quotient; none by nothing.
    pub fn checked_div(&self, other: &Fraction) -> Option<Fraction> {
        (!other.is_zero()).then(|| self / other)
    }

    /// How many digits its parts have together.
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

/// Values with their chances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution(pub BTreeMap<String, Fraction>);

impl Distribution {
    /// Adds a chance to a value.
    pub fn add(&mut self, value: &str, chance: &Fraction) {
        match self.0.get_mut(value) {
            Some(sum) => *sum += chance,
            None => drop(self.0.insert(value.to_string(), chance.clone())),
        }
    }

    /// The chance of a value.
    pub fn chance(&self, value: &str) -> Fraction {
        self.0.get(value).cloned().unwrap_or(Fraction::ZERO)
    }

    /// The mean of values that are whole numbers.
    pub fn mean(&self) -> Option<Fraction> {
        self.0.iter().try_fold(Fraction::ZERO, |sum, (value, chance)| Some(&sum + &(chance * &Fraction::from_integer(value.parse().ok()?))))
    }
}
