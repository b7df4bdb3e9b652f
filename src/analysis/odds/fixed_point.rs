//! Probabilities with long denominators, as a battle to its end has them: each position at which a round may do nothing brings a factor of its
//! own. Sums over such denominators are slow, so they are made in two passes. The first finds the denominators alone. The second adds up
//! binary fractions, so long that only one whole number is near to each numerator.

use crate::odds::fraction::Fraction;
use crate::odds::mass::{ChanceArithmetic, MassArithmetic, raise_by, raise_to};
use casebook_engine::notation::Weight;
use dashu_int::UBig;
use dashu_int::ops::BitTest;

/// The first pass: a probability is represented by the exponents of its denominator.
pub struct Denominators(pub MassArithmetic);

impl ChanceArithmetic for Denominators {
    type Chance = Vec<u32>;

    fn certain(&self) -> Vec<u32> {
        Vec::new()
    }

    fn share(&mut self, chance: &Vec<u32>, weight: &Weight, total: &Weight) -> Vec<u32> {
        let mut exponents = chance.clone();
        if weight != total {
            raise_by(&mut exponents, self.0.factors(total));
        }
        exponents
    }

    fn add(&mut self, sum: &mut Vec<u32>, term: Vec<u32>) {
        raise_to(sum, &term);
    }

    fn multiply(&self, a: &Vec<u32>, b: &Vec<u32>) -> Vec<u32> {
        let mut exponents = a.clone();
        raise_by(&mut exponents, b);
        exponents
    }

    fn complement(&self, chance: &Vec<u32>) -> Vec<u32> {
        chance.clone()
    }
}

/// The second pass: a probability is a whole number of units, of which `2^bits` are 1.
///
/// Each step is wrong by less than a unit, and nothing makes an error greater: a share is smaller than what it is a share of, and the factors of
/// a product are at most 1. So `n` steps are wrong by less than `n * n` units.
pub struct FixedPoint {
    bits: usize,
}

/// The number of bits beyond those of the denominator: enough for 2^40 steps, and for [`MARGIN`].
const GUARD: usize = 128;
/// The number of binary zeros that have to follow a numerator.
const MARGIN: usize = 32;

impl FixedPoint {
    /// Creates the arithmetic for probabilities with denominators of at most so many bits.
    pub fn new(denominator_bits: usize) -> FixedPoint {
        FixedPoint {
            bits: denominator_bits + GUARD,
        }
    }

    /// Returns the fraction with this denominator; `None` if no whole numerator is near enough.
    pub fn fraction(&self, chance: &UBig, denominator: &Weight) -> Option<Fraction> {
        let scaled = chance * denominator.as_integer();
        let numerator = (&scaled + (UBig::ONE << (self.bits - 1))) >> self.bits;
        let nearest = &numerator << self.bits;
        let distance = if nearest > scaled {
            nearest - scaled
        } else {
            scaled - nearest
        };
        (distance.bit_len() + MARGIN <= self.bits)
            .then(|| Fraction::new(&numerator.into(), denominator))
    }
}

impl ChanceArithmetic for FixedPoint {
    type Chance = UBig;

    fn certain(&self) -> UBig {
        UBig::ONE << self.bits
    }

    fn share(&mut self, chance: &UBig, weight: &Weight, total: &Weight) -> UBig {
        if weight == total {
            chance.clone()
        } else {
            chance * weight.as_integer() / total.as_integer()
        }
    }

    fn add(&mut self, sum: &mut UBig, term: UBig) {
        *sum += term;
    }

    fn multiply(&self, a: &UBig, b: &UBig) -> UBig {
        (a * b) >> self.bits
    }

    fn complement(&self, chance: &UBig) -> UBig {
        let certain = self.certain();
        if *chance < certain {
            certain - chance
        } else {
            UBig::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerators_are_recovered_and_never_guessed() {
        let (weight, total): (Weight, Weight) = (5u32.into(), 1_000_003u32.into());
        let denominator = &(&total * &total) * &total;
        let mut arithmetic = FixedPoint::new(denominator.bits());
        let (mut sum, mut exact) = (UBig::ZERO, Fraction::ZERO);
        let part = Fraction::new(&weight, &total);
        for _ in 0..1_000 {
            let mut chance = arithmetic.certain();
            (0..3).for_each(|_| chance = arithmetic.share(&chance, &weight, &total));
            arithmetic.add(&mut sum, chance);
            exact += &(&(&part * &part) * &part);
        }
        assert_eq!(arithmetic.fraction(&sum, &denominator), Some(exact.clone()));
        let rest = arithmetic.complement(&sum);
        assert_eq!(
            arithmetic.fraction(&rest, &denominator),
            Some(&Fraction::ONE - &exact)
        );
        // What has another denominator is near to no whole numerator.
        let certain = arithmetic.certain();
        let half = arithmetic.share(&certain, &1u32.into(), &2u32.into());
        assert_eq!(arithmetic.fraction(&half, &denominator), None);
    }
}
