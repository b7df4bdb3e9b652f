//! The chance to be at least as lucky.

use crate::luck::expectation::StakeDistribution;
use crate::odds::fraction::Fraction;

/// How unlikely the luck of a procedure was. Where the choices were those of the baseline the sum of luck is the outcome less what was
/// expected, so its distribution is that of the outcome; where they were others it is still measured against that one.
#[derive(Clone, Debug, PartialEq)]
pub struct LuckChance {
    /// The chance of dice that bring at least as much.
    pub at_least: TailChance,
    /// The chance of dice that bring at most as much.
    pub at_most: TailChance,
}

/// A chance, exact or sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct TailChance {
    /// The chance, from 0 to 1.
    pub share: f64,
    /// The fraction, if it was counted.
    pub exact: Option<Fraction>,
    /// The standard error, if it was sampled.
    pub error: Option<f64>,
    /// The number of runs, if it was sampled.
    pub runs: u64,
}

/// Returns the chances of at least and of at most a value: what was expected at the beginning, and what the dice brought.
pub fn luck_chance(reached: &Fraction, distribution: &StakeDistribution) -> LuckChance {
    LuckChance { at_least: tail(distribution, |value| value >= reached), at_most: tail(distribution, |value| value <= reached) }
}

fn tail(distribution: &StakeDistribution, is_in: impl Fn(&Fraction) -> bool) -> TailChance {
    match distribution {
        StakeDistribution::Exact(list) => {
            let inside = list.iter().filter(|(value, _)| is_in(value));
            let sum = inside.fold(Fraction::ZERO, |sum, (_, chance)| &sum + chance);
            TailChance { share: sum.to_f64(), exact: Some(sum), error: None, runs: 0 }
        }
        StakeDistribution::Sampled(list) => {
            let runs: u64 = list.values().sum();
            let inside: u64 = list.iter().filter(|(value, _)| is_in(value)).map(|(_, times)| times).sum();
            let share = inside as f64 / runs.max(1) as f64;
            // Two runs of either kind are added, so that what never came is not called impossible.
            let near = (inside as f64 + 2.0) / (runs as f64 + 4.0);
            TailChance { share, exact: None, error: Some((near * (1.0 - near) / (runs as f64 + 4.0)).sqrt()), runs }
        }
    }
}
