//! Systems of linear equations in exact numbers, as they come from loops: `x = constant + sum of coefficient * x`.

use crate::odds::fraction::Fraction;
use std::collections::{BTreeMap, BTreeSet};

/// An equation of an unknown: a constant, and the coefficients of the unknowns that it is the sum of.
#[derive(Clone, Debug)]
pub struct Equation {
    /// The constant.
    pub constant: Fraction,
    /// The coefficients, by unknown.
    pub terms: BTreeMap<usize, Fraction>,
}

/// The reason why a system has no solution here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearFault {
    /// Some unknowns are only sums of each other: a loop that is never left.
    Singular,
    /// The time is up.
    Late,
}

impl Equation {
    /// Creates an equation without terms.
    pub fn constant(constant: Fraction) -> Equation {
        Equation { constant, terms: BTreeMap::new() }
    }

    /// Adds to the coefficient of an unknown.
    pub fn add_term(&mut self, unknown: usize, coefficient: &Fraction) {
        *self.terms.entry(unknown).or_insert(Fraction::ZERO) += coefficient;
    }

    /// Adds a multiple of another equation's right side.
    pub fn add_multiple(&mut self, other: &Equation, factor: &Fraction) {
        self.constant += &(&other.constant * factor);
        other.terms.iter().for_each(|(unknown, coefficient)| self.add_term(*unknown, &(coefficient * factor)));
    }

    /// Returns the value of the right side.
    pub fn value(&self, unknowns: &[Fraction]) -> Fraction {
        self.terms.iter().fold(self.constant.clone(), |sum, (unknown, coefficient)| &sum + &(coefficient * &unknowns[*unknown]))
    }
}

/// Solves a system, one equation for each unknown. Each step removes the unknown that makes the fewest new terms, so that few equations
/// fill up; no step takes a difference of two terms, so that numbers grow slowly.
pub fn solve(mut equations: Vec<Equation>, is_late: &dyn Fn() -> bool) -> Result<Vec<Fraction>, LinearFault> {
    let count = equations.len();
    let mut users: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for (index, equation) in equations.iter().enumerate() {
        for unknown in equation.terms.keys() {
            users[*unknown].insert(index);
        }
    }
    let mut order = Vec::with_capacity(count);
    let mut left: BTreeSet<usize> = (0..count).collect();
    while let Some(next) = left.iter().copied().min_by_key(|unknown| equations[*unknown].terms.len() * users[*unknown].len()) {
        if is_late() {
            return Err(LinearFault::Late);
        }
        left.remove(&next);
        order.push(next);
        users[next].remove(&next);
        if let Some(own) = equations[next].terms.remove(&next) {
            let factor = Fraction::ONE.checked_div(&(&Fraction::ONE - &own)).ok_or(LinearFault::Singular)?;
            let equation = &mut equations[next];
            equation.constant = &equation.constant * &factor;
            equation.terms.values_mut().for_each(|coefficient| *coefficient = &*coefficient * &factor);
        }
        let solved = equations[next].clone();
        for user in std::mem::take(&mut users[next]) {
            if let Some(coefficient) = equations[user].terms.remove(&next) {
                equations[user].add_multiple(&solved, &coefficient);
                for unknown in solved.terms.keys() {
                    users[*unknown].insert(user);
                }
            }
        }
        for unknown in solved.terms.keys() {
            users[*unknown].remove(&next);
        }
    }
    let mut values = vec![Fraction::ZERO; count];
    for unknown in order.into_iter().rev() {
        values[unknown] = equations[unknown].value(&values);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equation(constant: i64, terms: &[(usize, i64, i64)]) -> Equation {
        let fraction = |over: i64, under: i64| &Fraction::from_integer(over) / &Fraction::from_integer(under);
        Equation {
            constant: Fraction::from_integer(constant),
            terms: terms.iter().map(|(unknown, over, under)| (*unknown, fraction(*over, *under))).collect(),
        }
    }

    #[test]
    fn the_time_that_a_random_walk_takes_is_the_product_of_its_distances() {
        // From `n` of 0 to 8 one step in either direction: to an end it takes (n + 1)(9 - n) steps.
        let walk = |n: usize| {
            let steps: Vec<(usize, i64, i64)> = [n.wrapping_sub(1), n + 1].into_iter().filter(|to| *to < 9).map(|to| (to, 1, 2)).collect();
            equation(1, &steps)
        };
        let times = solve((0..9).map(walk).collect(), &|| false).expect("it ends");
        for (n, time) in times.into_iter().enumerate() {
            assert_eq!(time, Fraction::from_integer(((n + 1) * (9 - n)) as i64));
        }
    }

    #[test]
    fn what_is_never_left_has_no_solution() {
        assert_eq!(solve(vec![equation(0, &[(0, 1, 1)])], &|| false), Err(LinearFault::Singular));
        let circle = vec![equation(1, &[(1, 1, 2), (0, 1, 4)]), equation(0, &[(2, 1, 1)]), equation(0, &[(1, 1, 3), (2, 2, 3)])];
        assert_eq!(solve(circle, &|| false), Err(LinearFault::Singular));
    }
}
