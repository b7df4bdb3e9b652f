//! Probabilities while they are added up: an integer over a product of powers. Sums and products need no common divisor, which is the
//! greatest cost of long fractions.

use crate::odds::fraction::Fraction;
use casebook_engine::notation::Weight;
use rustc_hash::FxHashMap;

/// A probability.
#[derive(Clone, Debug)]
pub struct Mass {
    ways: Weight,
    /// The exponent of each base in the denominator; those that are left out are 0.
    exponents: Vec<u32>,
}

impl Mass {
    /// Returns the probability 1.
    pub fn certain() -> Mass {
        Mass {
            ways: Weight::ONE,
            exponents: Vec::new(),
        }
    }
}

/// Arithmetic of probabilities as they are passed on along a graph and added up.
pub trait ChanceArithmetic {
    /// A probability.
    type Chance: Clone;

    /// Returns the probability 1.
    fn certain(&self) -> Self::Chance;

    /// Returns `weight / total` of a probability.
    fn share(&mut self, chance: &Self::Chance, weight: &Weight, total: &Weight) -> Self::Chance;

    /// Adds `term` to `sum`.
    fn add(&mut self, sum: &mut Self::Chance, term: Self::Chance);

    /// Returns the product of two probabilities.
    fn multiply(&self, a: &Self::Chance, b: &Self::Chance) -> Self::Chance;

    /// Returns the probability that something does not happen.
    fn complement(&self, chance: &Self::Chance) -> Self::Chance;

    /// Adds `term` to a sum that is 0 as long as it is `None`.
    fn add_to(&mut self, sum: &mut Option<Self::Chance>, term: Self::Chance) {
        match sum {
            Some(sum) => self.add(sum, term),
            None => *sum = Some(term),
        }
    }
}

/// The primes that are tried as factors of a denominator: all dice that people throw are made of them.
const PRIMES: [u32; 10] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29];

/// The bases of all denominators: primes, and what remained of a number when it was divided by the small ones.
#[derive(Debug, Default)]
pub struct MassArithmetic {
    bases: Vec<Weight>,
    factors: FxHashMap<Weight, Vec<u32>>,
}

impl MassArithmetic {
    fn base(&mut self, base: Weight) -> usize {
        self.bases
            .iter()
            .position(|existing| *existing == base)
            .unwrap_or_else(|| {
                self.bases.push(base);
                self.bases.len() - 1
            })
    }

    /// Returns the exponents of a number over the bases.
    pub(super) fn factors(&mut self, number: &Weight) -> &[u32] {
        if !self.factors.contains_key(number) {
            let (mut cofactor, mut exponents) = (number.clone(), Vec::new());
            let mut raise = |index: usize, times: usize| {
                exponents.resize(exponents.len().max(index + 1), 0);
                exponents[index] += times as u32;
            };
            for prime in PRIMES.map(Weight::from) {
                let times = cofactor.remove_factor(&prime);
                if times > 0 {
                    raise(self.base(prime), times);
                }
            }
            if cofactor > Weight::ONE {
                raise(self.base(cofactor), 1);
            }
            self.factors.insert(number.clone(), exponents);
        }
        &self.factors[number]
    }

    /// Brings a number of ways from one denominator to another that is a multiple of it.
    fn scale(&self, ways: &mut Weight, from: &[u32], to: &[u32]) {
        for (index, base) in self.bases.iter().enumerate().take(to.len()) {
            let missing = to[index] - from.get(index).copied().unwrap_or(0);
            if missing > 0 {
                *ways *= &base.pow(missing);
            }
        }
    }

    fn denominator(&self, mass: &Mass) -> Weight {
        self.product(&mass.exponents)
    }

    /// Returns the product of the bases to these exponents.
    pub(super) fn product(&self, exponents: &[u32]) -> Weight {
        let mut product = Weight::ONE;
        self.scale(&mut product, &[], exponents);
        product
    }

    /// Returns the number of bases that are no small primes once the denominators of a graph are known.
    pub(super) fn count_long_bases(&mut self, denominators: impl Iterator<Item = Weight>) -> usize {
        denominators.for_each(|number| {
            self.factors(&number);
        });
        self.bases
            .iter()
            .filter(|base| !PRIMES.iter().any(|prime| **base == Weight::from(*prime)))
            .count()
    }

    /// Returns probabilities as weights without a common divisor.
    pub fn common_weights(&mut self, mut masses: Vec<Mass>) -> Vec<Weight> {
        let mut common: Vec<u32> = Vec::new();
        masses
            .iter()
            .for_each(|mass| raise_to(&mut common, &mass.exponents));
        masses
            .iter_mut()
            .for_each(|mass| self.scale(&mut mass.ways, &mass.exponents, &common));
        let shared = masses
            .iter()
            .fold(Weight::ZERO, |shared, mass| shared.gcd(&mass.ways));
        masses
            .into_iter()
            .map(|mass| mass.ways.divided_by(&shared))
            .collect()
    }

    /// Converts to a fraction in lowest terms.
    pub fn fraction(&self, mass: &Mass) -> Fraction {
        Fraction::new(&mass.ways, &self.denominator(mass))
    }
}

impl ChanceArithmetic for MassArithmetic {
    type Chance = Mass;

    fn certain(&self) -> Mass {
        Mass::certain()
    }

    fn share(&mut self, mass: &Mass, weight: &Weight, total: &Weight) -> Mass {
        if weight == total {
            return mass.clone();
        }
        let mut exponents = mass.exponents.clone();
        raise_by(&mut exponents, self.factors(total));
        Mass {
            ways: &mass.ways * weight,
            exponents,
        }
    }

    fn add(&mut self, sum: &mut Mass, mut term: Mass) {
        if sum.exponents != term.exponents {
            let mut common = sum.exponents.clone();
            raise_to(&mut common, &term.exponents);
            self.scale(&mut sum.ways, &sum.exponents, &common);
            self.scale(&mut term.ways, &term.exponents, &common);
            sum.exponents = common;
        }
        sum.ways += term.ways;
    }

    fn multiply(&self, a: &Mass, b: &Mass) -> Mass {
        let mut exponents = a.exponents.clone();
        raise_by(&mut exponents, &b.exponents);
        Mass {
            ways: &a.ways * &b.ways,
            exponents,
        }
    }

    fn complement(&self, mass: &Mass) -> Mass {
        Mass {
            ways: mass.ways.complement_to(&self.denominator(mass)),
            exponents: mass.exponents.clone(),
        }
    }
}

/// Raises exponents to the least common multiple with others.
pub(super) fn raise_to(exponents: &mut Vec<u32>, others: &[u32]) {
    exponents.resize(exponents.len().max(others.len()), 0);
    exponents
        .iter_mut()
        .zip(others)
        .for_each(|(own, other)| *own = (*own).max(*other));
}

/// Raises exponents to those of a product.
pub(super) fn raise_by(exponents: &mut Vec<u32>, increments: &[u32]) {
    exponents.resize(exponents.len().max(increments.len()), 0);
    exponents
        .iter_mut()
        .zip(increments)
        .for_each(|(own, more)| *own += more);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_are_those_of_fractions() {
        let mut arithmetic = MassArithmetic::default();
        let plain = |n: u32, of: u32| Fraction::new(&n.into(), &of.into());
        // 1009 and 2018 have a base that is no small prime.
        let numbers = [
            (1, 2),
            (5, 6),
            (1, 7),
            (3, 1009),
            (17, 2018),
            (35, 36),
            (1, 1),
        ];
        for (a, of_a) in numbers {
            for (b, of_b) in numbers {
                let [first, second] = [(a, of_a), (b, of_b)]
                    .map(|(n, of)| arithmetic.share(&Mass::certain(), &n.into(), &of.into()));
                let (x, y) = (plain(a, of_a), plain(b, of_b));
                assert_eq!(
                    arithmetic.fraction(&arithmetic.multiply(&first, &second)),
                    &x * &y
                );
                assert_eq!(
                    arithmetic.fraction(&arithmetic.complement(&first)),
                    &Fraction::ONE - &x
                );
                let mut sum = first;
                arithmetic.add(&mut sum, second);
                assert_eq!(
                    arithmetic.fraction(&sum),
                    &x + &y,
                    "{a}/{of_a} and {b}/{of_b}"
                );
            }
        }
    }
}
