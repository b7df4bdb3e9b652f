//! Weights: whole numbers of any size. A weight counts equally likely ways, so a chance is a weight divided by a total.

use dashu_int::UBig;
use dashu_int::ops::{BitTest, Gcd};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, MulAssign};

/// A whole number of ways, of any size. Up to 128 bits stand in place, larger ones on the heap. It has no subtraction and no conversion to
/// a primitive integer, so that no sum of ways can wrap.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(UBig);

/// The number of bits that a floating-point number can hold before it is infinite, with room for sums.
const FLOAT_BITS: usize = 960;

impl Weight {
    /// No way.
    pub const ZERO: Weight = Weight(UBig::ZERO);
    /// One way.
    pub const ONE: Weight = Weight(UBig::ONE);

    /// Returns whether there is no way.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Returns the weight of `exponent` independent repetitions.
    pub fn pow(&self, exponent: u32) -> Weight {
        Weight(self.0.pow(exponent as usize))
    }

    /// Returns the number of ways to choose `k` of `n`.
    pub fn binomial(n: u32, k: u32) -> Weight {
        Weight::from(n).choose(if k > n { k } else { k.min(n - k) })
    }

    /// Returns the number of ways to choose `k` of so many.
    pub fn choose(&self, k: u32) -> Weight {
        if self.0 < UBig::from(k) {
            return Weight::ZERO;
        }
        Weight((0..k).fold(UBig::ONE, |ways, step| ways * (&self.0 - step) / (step + 1)))
    }

    /// Returns the greatest common divisor; that of 0 and a number is the number.
    pub fn gcd(&self, other: &Weight) -> Weight {
        match (self.is_zero(), other.is_zero()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => Weight((&self.0).gcd(&other.0)),
        }
    }

    /// Returns the quotient by a divisor, rounded down; by 0 the weight itself.
    pub fn divided_by(&self, divisor: &Weight) -> Weight {
        if divisor.is_zero() {
            self.clone()
        } else {
            Weight(&self.0 / &divisor.0)
        }
    }

    /// Divides by a factor above 1 as often as that leaves nothing over; returns how often.
    pub fn remove_factor(&mut self, factor: &Weight) -> usize {
        self.0.remove(&factor.0).unwrap_or(0)
    }

    /// Returns what is missing to a total; nothing if that is smaller.
    pub fn complement_to(&self, total: &Weight) -> Weight {
        if self < total {
            Weight(&total.0 - &self.0)
        } else {
            Weight::ZERO
        }
    }

    /// Returns the number of bits.
    pub fn bits(&self) -> usize {
        self.0.bit_len()
    }

    /// Returns `self / total` as a floating-point number, also where both are beyond what one holds; 0 of no ways.
    pub fn share_of(&self, total: &Weight) -> f64 {
        if total.is_zero() {
            return 0.0;
        }
        let excess = self.bits().max(total.bits()).saturating_sub(FLOAT_BITS);
        if excess == 0 {
            return self.0.to_f64().value() / total.0.to_f64().value();
        }
        let (own, all) = (&self.0 >> excess, &total.0 >> excess);
        own.to_f64().value() / all.to_f64().value()
    }

    /// Returns the integer, for fractions.
    pub fn as_integer(&self) -> &UBig {
        &self.0
    }
}

impl From<u32> for Weight {
    fn from(ways: u32) -> Weight {
        Weight(ways.into())
    }
}

impl From<u128> for Weight {
    fn from(ways: u128) -> Weight {
        Weight(ways.into())
    }
}

impl From<UBig> for Weight {
    fn from(ways: UBig) -> Weight {
        Weight(ways)
    }
}

impl Add<&Weight> for Weight {
    type Output = Weight;

    fn add(self, other: &Weight) -> Weight {
        Weight(self.0 + &other.0)
    }
}

impl AddAssign<&Weight> for Weight {
    fn add_assign(&mut self, other: &Weight) {
        self.0 += &other.0;
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Weight) {
        self.0 += other.0;
    }
}

impl Mul for &Weight {
    type Output = Weight;

    fn mul(self, other: &Weight) -> Weight {
        Weight(&self.0 * &other.0)
    }
}

impl MulAssign<&Weight> for Weight {
    fn mul_assign(&mut self, other: &Weight) {
        self.0 *= &other.0;
    }
}

impl<'a> Sum<&'a Weight> for Weight {
    fn sum<I: Iterator<Item = &'a Weight>>(weights: I) -> Weight {
        weights.fold(Weight::ZERO, |sum, weight| sum + weight)
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_shares_hold_where_primitive_numbers_end() {
        for bits in [52, 53, 63, 64, 127, 128, 129, 1_023, 1_024, 5_000] {
            let power = Weight::from(2u32).pow(bits);
            assert_eq!(power.bits(), bits as usize + 1);
            assert_eq!(
                [&power, &power].into_iter().sum::<Weight>(),
                Weight::from(2u32).pow(bits + 1)
            );
            let third = power.share_of(&(power.clone() + &power + &power));
            assert!(
                (third - 1.0 / 3.0).abs() < 1e-12,
                "a third of 3 * 2^{bits} is {third}"
            );
            assert_eq!(Weight::ONE.share_of(&Weight::ZERO), 0.0);
        }
        assert_eq!(
            Weight::binomial(100, 50).to_string(),
            "100891344545564193334812497256"
        );
        assert_eq!(Weight::binomial(3, 4), Weight::ZERO);
    }
}
