//! Systems of linear equations in exact numbers, as they come from loops: `x = constant + sum of coefficient * x`.

use crate::odds::fraction::Fraction;
use crate::odds::modular::{Elimination, LinearFault, ModularEquation, PRIMES};
use dashu_int::ops::{BitTest, DivRem, Gcd, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;
use std::collections::BTreeMap;

/// An equation of an unknown: a constant, and the coefficients of the unknowns that it is the sum of.
#[derive(Clone, Debug)]
pub struct Equation {
    pub constant: Fraction,
    /// The coefficients, by unknown.
    pub terms: BTreeMap<usize, Fraction>,
}

impl Equation {
    /// Creates an equation without terms.
    pub fn constant(constant: Fraction) -> Equation {
        Equation {
            constant,
            terms: BTreeMap::new(),
        }
    }

    pub fn add_term(&mut self, unknown: usize, coefficient: &Fraction) {
        *self.terms.entry(unknown).or_insert(Fraction::ZERO) += coefficient;
    }

    /// Adds a multiple of another equation's right side.
    pub fn add_multiple(&mut self, other: &Equation, factor: &Fraction) {
        self.constant += &(&other.constant * factor);
        other
            .terms
            .iter()
            .for_each(|(unknown, coefficient)| self.add_term(*unknown, &(coefficient * factor)));
    }

    /// Returns the value of the right side.
    pub fn value(&self, unknowns: &[Fraction]) -> Fraction {
        self.terms
            .iter()
            .fold(self.constant.clone(), |sum, (unknown, coefficient)| {
                &sum + &(coefficient * &unknowns[*unknown])
            })
    }
}

/// An equation in whole numbers: what its terms add up to.
struct WholeEquation {
    right: IBig,
    terms: Vec<(usize, IBig)>,
}

/// The number of digits after which a solution is looked for first; each time that none is found, half as many are added.
const FIRST_DIGITS: usize = 4;
/// The number of bits by which a modulus has to be longer than the fraction that is read from it.
const MARGIN: usize = 48;

/// Solves a system, one equation for each unknown.
///
/// The solution is found digit by digit, each modulo a prime (Dixon's lifting), which takes no long fractions on the way. The fractions that
/// the digits stand for are then tried in the equations: what solves them is the solution, as there is no other if there is one modulo a prime.
pub fn solve(
    equations: Vec<Equation>,
    is_late: &dyn Fn() -> bool,
) -> Result<Vec<Fraction>, LinearFault> {
    let system: Vec<WholeEquation> = equations
        .iter()
        .enumerate()
        .map(|(index, equation)| equation.whole(index))
        .collect();
    for prime in PRIMES {
        let modular = system
            .iter()
            .enumerate()
            .map(|(index, equation)| equation.modulo(index, prime))
            .collect();
        if let Some(elimination) = Elimination::new(modular, prime, is_late)? {
            return lift(&system, &elimination, is_late);
        }
    }
    Err(LinearFault::Singular)
}

/// Finds the solution of a system from its digits to the base of a prime.
fn lift(
    system: &[WholeEquation],
    elimination: &Elimination,
    is_late: &dyn Fn() -> bool,
) -> Result<Vec<Fraction>, LinearFault> {
    let prime = IBig::from(elimination.prime);
    let mut rest: Vec<IBig> = system
        .iter()
        .map(|equation| equation.right.clone())
        .collect();
    let (mut digits, mut wanted): (Vec<Vec<u64>>, usize) = (Vec::new(), FIRST_DIGITS);
    loop {
        while digits.len() < wanted {
            if is_late() {
                return Err(LinearFault::Late);
            }
            let next = elimination.solve(
                rest.iter()
                    .map(|rest| residue(rest, elimination.prime))
                    .collect(),
            );
            for (rest, equation) in rest.iter_mut().zip(system) {
                *rest = equation
                    .terms
                    .iter()
                    .fold(std::mem::take(rest), |rest, (unknown, term)| {
                        rest - term * next[*unknown]
                    })
                    / &prime;
            }
            digits.push(next);
        }
        if let Some((numerators, denominator)) = read_fractions(&digits, elimination.prime)
            && system
                .iter()
                .all(|equation| equation.is_solved_by(&numerators, &denominator))
        {
            let fraction = |numerator: IBig| {
                Fraction::from_rational(RBig::from_parts(numerator, denominator.clone()))
            };
            return Ok(numerators.into_iter().map(fraction).collect());
        }
        wanted += wanted / 2;
    }
}

/// Reads fractions with a common denominator from their digits; `None` if there are too few.
fn read_fractions(digits: &[Vec<u64>], prime: u64) -> Option<(Vec<IBig>, UBig)> {
    let modulus = UBig::from(prime).pow(digits.len());
    let (mut numerators, mut denominator): (Vec<IBig>, UBig) = (Vec::new(), UBig::ONE);
    for unknown in 0..digits.first()?.len() {
        let value = digits
            .iter()
            .rev()
            .fold(UBig::ZERO, |value, digits| value * prime + digits[unknown]);
        let scaled = value * &denominator % &modulus;
        let complement = &modulus - &scaled;
        let (size, whole) = if complement < scaled {
            (complement.bit_len(), -IBig::from(complement))
        } else {
            (scaled.bit_len(), scaled.clone().into())
        };
        if size + denominator.bit_len() + MARGIN <= modulus.bit_len() {
            numerators.push(whole);
            continue;
        }
        let (numerator, factor) = read_fraction(scaled, &modulus)?;
        denominator *= &factor;
        if denominator.bit_len() + numerator.bit_len() + MARGIN > modulus.bit_len() {
            return None;
        }
        numerators
            .iter_mut()
            .for_each(|numerator| *numerator *= &factor);
        numerators.push(numerator);
    }
    Some((numerators, denominator))
}

/// Reads the fraction of the smallest numbers that a residue represents, by Euclid; `None` if they are not clearly smaller than others.
fn read_fraction(residue: UBig, modulus: &UBig) -> Option<(IBig, UBig)> {
    let (mut above, mut below) = (modulus.clone(), residue);
    let (mut factor_above, mut factor_below) = (UBig::ZERO, UBig::ONE);
    let mut is_negative = false;
    while below.bit_len() * 2 > modulus.bit_len() {
        let (quotient, rest) = above.div_rem(&below);
        let factor = factor_above + quotient * &factor_below;
        (above, below) = (below, rest);
        (factor_above, factor_below) = (factor_below, factor);
        is_negative = !is_negative;
    }
    let is_clear = below.bit_len() + factor_below.bit_len() + MARGIN <= modulus.bit_len();
    let numerator = if is_negative {
        -IBig::from(below)
    } else {
        below.into()
    };
    is_clear.then_some((numerator, factor_below))
}

/// Returns the residue of a number modulo a prime.
fn residue(number: &IBig, prime: u64) -> u64 {
    let residue = number.unsigned_abs() % prime;
    if number.sign() == Sign::Negative && residue > 0 {
        prime - residue
    } else {
        residue
    }
}

impl Equation {
    /// Returns the equation of an unknown in whole numbers, with all unknowns on the left.
    fn whole(&self, unknown: usize) -> WholeEquation {
        let all = || {
            self.terms
                .values()
                .chain([&self.constant])
                .map(Fraction::as_rational)
        };
        let common = all().fold(UBig::ONE, |common, number| {
            let denominator = number.denominator();
            let divisor = (&common).gcd(denominator);
            common / divisor * denominator
        });
        let whole = |number: &RBig| number.numerator() * IBig::from(&common / number.denominator());
        let mut own = IBig::from(common.clone());
        let mut terms = Vec::with_capacity(self.terms.len() + 1);
        for (other, coefficient) in &self.terms {
            let coefficient = whole(coefficient.as_rational());
            if *other == unknown {
                own -= coefficient
            } else {
                terms.push((*other, -coefficient))
            }
        }
        terms.push((unknown, own));
        WholeEquation {
            right: whole(self.constant.as_rational()),
            terms,
        }
    }
}

impl WholeEquation {
    fn modulo(&self, unknown: usize, prime: u64) -> ModularEquation {
        let mut modular = ModularEquation::default();
        for (other, coefficient) in &self.terms {
            let residue = residue(coefficient, prime);
            if *other == unknown {
                modular.own = residue;
            } else {
                modular.terms.insert(*other, (prime - residue) % prime);
            }
        }
        modular
    }

    /// Whether fractions with a common denominator solve the equation.
    fn is_solved_by(&self, numerators: &[IBig], denominator: &UBig) -> bool {
        self.terms.iter().fold(IBig::ZERO, |sum, (unknown, term)| {
            sum + term * &numerators[*unknown]
        }) == &self.right * denominator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equation(constant: i64, terms: &[(usize, i64, i64)]) -> Equation {
        let fraction =
            |over: i64, under: i64| &Fraction::from_integer(over) / &Fraction::from_integer(under);
        Equation {
            constant: Fraction::from_integer(constant),
            terms: terms
                .iter()
                .map(|(unknown, over, under)| (*unknown, fraction(*over, *under)))
                .collect(),
        }
    }

    #[test]
    fn the_time_that_a_random_walk_takes_is_the_product_of_its_distances() {
        // From `n` of 0 to 8 one step in either direction: to an end it takes (n + 1)(9 - n) steps.
        let walk = |n: usize| {
            let steps: Vec<(usize, i64, i64)> = [n.wrapping_sub(1), n + 1]
                .into_iter()
                .filter(|to| *to < 9)
                .map(|to| (to, 1, 2))
                .collect();
            equation(1, &steps)
        };
        let times = solve((0..9).map(walk).collect(), &|| false).expect("it ends");
        for (n, time) in times.into_iter().enumerate() {
            assert_eq!(time, Fraction::from_integer(((n + 1) * (9 - n)) as i64));
        }
    }

    #[test]
    fn what_is_never_left_has_no_solution() {
        assert_eq!(
            solve(vec![equation(0, &[(0, 1, 1)])], &|| false),
            Err(LinearFault::Singular)
        );
        let circle = vec![
            equation(1, &[(1, 1, 2), (0, 1, 4)]),
            equation(0, &[(2, 1, 1)]),
            equation(0, &[(1, 1, 3), (2, 2, 3)]),
        ];
        assert_eq!(solve(circle, &|| false), Err(LinearFault::Singular));
    }

    #[test]
    fn a_thousand_positions_that_lead_back_and_forth_are_solved() {
        // On a floor of 32 by 32 from each place to a neighbouring one, or out: an equation is true of what is found, by plain fractions.
        let side = 32;
        let place = |x: usize, y: usize| y * side + x;
        let floor: Vec<Equation> = (0..side * side)
            .map(|index| {
                let (x, y) = (index % side, index / side);
                let beside = [
                    (x.wrapping_sub(1), y),
                    (x + 1, y),
                    (x, y.wrapping_sub(1)),
                    (x, y + 1),
                ];
                let steps: Vec<(usize, i64, i64)> = beside
                    .into_iter()
                    .filter(|(x, y)| *x < side && *y < side)
                    .map(|(x, y)| (place(x, y), 1, 4))
                    .collect();
                equation(1, &steps)
            })
            .collect();
        let times = solve(floor.clone(), &|| false).expect("it ends");
        for (index, equation) in floor.iter().enumerate() {
            assert_eq!(equation.value(&times), times[index]);
        }
    }
}
