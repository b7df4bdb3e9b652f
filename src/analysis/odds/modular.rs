//! Systems of linear equations modulo a prime, which are eliminated once and then solved for many right sides.

use std::collections::{BTreeMap, BTreeSet};

/// The reason why a system has no solution here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearFault {
    /// Some unknowns are only sums of each other: a loop that is never left.
    Singular,
    /// The time is up.
    Late,
}

/// The primes that are tried one after the other: the greatest below 2^62.
pub const PRIMES: [u64; 3] = [(1 << 62) - 57, (1 << 62) - 87, (1 << 62) - 117];

/// Multiplies modulo a prime.
fn times(a: u64, b: u64, prime: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(prime)) as u64
}

/// Adds a product modulo a prime.
fn plus_times(sum: u64, a: u64, b: u64, prime: u64) -> u64 {
    ((u128::from(a) * u128::from(b) + u128::from(sum)) % u128::from(prime)) as u64
}

/// Returns the inverse modulo a prime, by Fermat.
fn inverse(number: u64, prime: u64) -> u64 {
    let (mut power, mut square, mut exponent) = (1, number, prime - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = times(power, square, prime);
        }
        square = times(square, square, prime);
        exponent >>= 1;
    }
    power
}

/// An equation modulo a prime: `own * x = right side + sum of term * unknown`.
#[derive(Clone, Debug, Default)]
pub struct ModularEquation {
    /// The coefficient of its own unknown.
    pub own: u64,
    /// The coefficients of the others.
    pub terms: BTreeMap<usize, u64>,
}

/// A step of an elimination: an unknown, the inverse of its coefficient, and the equations that used it, with their coefficients.
struct EliminationStep {
    unknown: usize,
    factor: u64,
    users: Vec<(usize, u64)>,
    /// The unknowns that it is the sum of.
    terms: Vec<(usize, u64)>,
}

/// A system that is eliminated.
pub struct Elimination {
    pub prime: u64,
    steps: Vec<EliminationStep>,
}

impl Elimination {
    /// Eliminates a system. Each step removes the unknown that makes the fewest new terms, so that few equations fill up. Returns `None` if
    /// that meets a coefficient of 0: the system has no solution, or is not to be solved modulo this prime.
    pub fn new(
        mut equations: Vec<ModularEquation>,
        prime: u64,
        is_late: &dyn Fn() -> bool,
    ) -> Result<Option<Elimination>, LinearFault> {
        let count = equations.len();
        let mut users: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
        for (index, equation) in equations.iter().enumerate() {
            equation.terms.keys().for_each(|unknown| {
                users[*unknown].insert(index);
            });
        }
        let cost = |equations: &[ModularEquation], users: &[BTreeSet<usize>], unknown: usize| {
            equations[unknown].terms.len() * users[unknown].len()
        };
        let mut queue: BTreeSet<(usize, usize)> = (0..count)
            .map(|unknown| (cost(&equations, &users, unknown), unknown))
            .collect();
        let mut steps = Vec::with_capacity(count);
        while let Some((_, next)) = queue.pop_first() {
            if is_late() {
                return Err(LinearFault::Late);
            }
            let ModularEquation { own, terms } = std::mem::take(&mut equations[next]);
            if own == 0 {
                return Ok(None);
            }
            let factor = inverse(own, prime);
            let terms: Vec<(usize, u64)> = terms
                .into_iter()
                .map(|(unknown, term)| (unknown, times(term, factor, prime)))
                .collect();
            let used_by = std::mem::take(&mut users[next]);
            let touched: BTreeSet<usize> = used_by
                .iter()
                .copied()
                .chain(terms.iter().map(|(unknown, _)| *unknown))
                .collect();
            for unknown in &touched {
                queue.remove(&(cost(&equations, &users, *unknown), *unknown));
            }
            for (unknown, _) in &terms {
                users[*unknown].remove(&next);
            }
            let mut step = EliminationStep {
                unknown: next,
                factor,
                users: Vec::with_capacity(used_by.len()),
                terms,
            };
            for user in used_by {
                let equation = &mut equations[user];
                let Some(coefficient) = equation.terms.remove(&next) else {
                    continue;
                };
                step.users.push((user, coefficient));
                for (unknown, term) in &step.terms {
                    if *unknown == user {
                        equation.own = plus_times(equation.own, prime - coefficient, *term, prime);
                        continue;
                    }
                    let sum = equation.terms.entry(*unknown).or_insert(0);
                    *sum = plus_times(*sum, coefficient, *term, prime);
                    users[*unknown].insert(user);
                }
            }
            queue.extend(
                touched
                    .into_iter()
                    .map(|unknown| (cost(&equations, &users, unknown), unknown)),
            );
            steps.push(step);
        }
        Ok(Some(Elimination { prime, steps }))
    }

    /// Solves the system for a right side.
    pub fn solve(&self, mut right: Vec<u64>) -> Vec<u64> {
        for step in &self.steps {
            let own = times(right[step.unknown], step.factor, self.prime);
            right[step.unknown] = own;
            for (user, coefficient) in &step.users {
                right[*user] = plus_times(right[*user], *coefficient, own, self.prime);
            }
        }
        for step in self.steps.iter().rev() {
            let sum = step
                .terms
                .iter()
                .fold(right[step.unknown], |sum, (unknown, term)| {
                    plus_times(sum, *term, right[*unknown], self.prime)
                });
            right[step.unknown] = sum;
        }
        right
    }
}
