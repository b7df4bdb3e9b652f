//! A sequential test of paired differences: it may be looked at after every pair and stopped at any time.
//!
//! The differences X lie from -1 to 1. If their mean is m, then the wealth of somebody who bets on them, the product of 1 + b (X - m), is
//! a martingale for every bet b that can't ruin him, and so is the mean over several bets. By Ville's inequality the wealth ever reaches
//! 1/e with a probability of at most e. A wealth that has reached it rejects the mean; the means that are not rejected form an interval
//! that holds at every time at once. (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the
//! Royal Statistical Society B 86, 2024, pages 1 to 27; the mixture over fixed bets is Robbins's, 1970.) As the bets are fixed, the wealth
//! depends on the counts of the differences, not on their order, so totals can be merged.

use casebook_engine::platform::task;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The bets as shares of the greatest that can't ruin: small ones win on small differences that come often, great ones on rare pairs.
const BETS: [f64; 16] = [
    0.004, 0.006, 0.01, 0.015, 0.023, 0.034, 0.05, 0.075, 0.11, 0.16, 0.23, 0.32, 0.43, 0.57, 0.73,
    0.9,
];

/// The distance of the means that an interval is searched among.
const STEP: f64 = 0.0025;

/// The counts of paired differences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PairedDifferences {
    /// The difference times the scale, and its count.
    pub counts: BTreeMap<i64, u64>,
    /// The greatest possible difference, which is scaled to 1.
    pub scale: i64,
}

/// The verdict on a mean difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum BalanceVerdict {
    /// It is not 0.
    #[serde(rename = "differs")]
    Differs,
    /// It lies within the margin.
    #[serde(rename = "within the margin")]
    Within,
    /// It is 0, which is proved and not sampled.
    #[serde(rename = "the same")]
    Same,
    /// Neither is known.
    #[serde(rename = "not decided")]
    Undecided,
}

impl PairedDifferences {
    /// Creates a count of differences from `-scale` to `scale`.
    pub fn new(scale: i64) -> PairedDifferences {
        PairedDifferences {
            counts: BTreeMap::new(),
            scale: scale.max(1),
        }
    }

    /// Adds a pair; its difference counts as at most the scale.
    pub fn add(&mut self, difference: i64) {
        *self
            .counts
            .entry(difference.clamp(-self.scale, self.scale))
            .or_insert(0) += 1;
    }

    /// Adds the pairs of another count.
    pub fn merge(&mut self, other: &PairedDifferences) {
        self.scale = self.scale.max(other.scale);
        other
            .counts
            .iter()
            .for_each(|(difference, count)| *self.counts.entry(*difference).or_insert(0) += count);
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns the number of pairs that differ.
    pub fn discordant(&self) -> u64 {
        self.counts
            .iter()
            .filter(|(difference, _)| **difference != 0)
            .map(|(_, count)| count)
            .sum()
    }

    /// Returns the mean difference, from -1 to 1; 0 without pairs.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self
            .counts
            .iter()
            .map(|(difference, count)| *difference as f64 * *count as f64)
            .sum();
        sum / self.scale as f64 / (self.pairs() as f64).max(1.0)
    }

    /// Returns the natural logarithm of the wealth if the mean were `mean`, which lies between -1 and 1.
    fn log_wealth(&self, mean: f64) -> f64 {
        let wealth = |bet: f64| -> f64 {
            let log_growth = |(difference, count): (&i64, &u64)| {
                *count as f64 * (bet * (*difference as f64 / self.scale as f64 - mean)).ln_1p()
            };
            self.counts.iter().map(log_growth).sum()
        };
        let log_wealths: Vec<f64> = BETS
            .iter()
            .flat_map(|bet| [wealth(bet / (1.0 + mean)), wealth(-bet / (1.0 - mean))])
            .collect();
        let greatest = log_wealths
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        greatest
            + (log_wealths
                .iter()
                .map(|one| (one - greatest).exp())
                .sum::<f64>()
                / log_wealths.len() as f64)
                .ln()
    }

    /// Whether a mean is rejected with an error of at most `error`.
    fn rejects(&self, mean: f64, error: f64) -> bool {
        self.log_wealth(mean) >= -error.ln()
    }

    /// Returns the interval of the means that are not rejected; it holds at every time at once, with a probability of at least 1 - error.
    pub fn interval(&self, error: f64) -> (f64, f64) {
        let steps = (1.0 / STEP) as i64;
        let grid = |place: i64| place as f64 * STEP;
        let centre = (self.mean() / STEP).round() as i64;
        let open = |place: &i64| !self.rejects(grid(*place), error);
        // A bound is sought from outside, so that a hole in the set does not shorten it.
        let low = (1 - steps..=centre)
            .find(open)
            .map_or(centre, |place| place - 1);
        let high = (centre..steps)
            .rev()
            .find(open)
            .map_or(centre, |place| place + 1);
        (grid(low.max(-steps)), grid(high.min(steps)))
    }

    /// Returns what is known of the mean at an error of at most `error`; the margin lies from 0, which no mean lies within, to 1.
    pub fn verdict(&self, error: f64, margin: f64) -> BalanceVerdict {
        if self.pairs() == 0 {
            return BalanceVerdict::Undecided;
        }
        if self.rejects(0.0, error) {
            return BalanceVerdict::Differs;
        }
        let ends = margin > 0.0
            && margin < 1.0
            && self.rejects(margin, error)
            && self.rejects(-margin, error);
        let is_within = ends && !task::is_over() && {
            let (low, high) = self.interval(error);
            low >= -margin - STEP && high <= margin + STEP
        };
        if is_within {
            BalanceVerdict::Within
        } else {
            BalanceVerdict::Undecided
        }
    }
}

/// What is known of a mean difference, from -1 to 1.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "mean_difference")]
pub struct MeanDifference {
    /// The verdict.
    pub verdict: BalanceVerdict,
    /// The mean of the pairs.
    pub mean: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound; both hold at every time at once, with the error of the test.
    pub high: f64,
    /// The number of pairs.
    pub pairs: u64,
    /// The number of pairs that differ.
    pub discordant: u64,
}

impl MeanDifference {
    /// Judges a count of differences; `sign` is -1 if they were counted the other way round.
    pub fn new(counted: &PairedDifferences, error: f64, margin: f64, sign: f64) -> MeanDifference {
        let (low, high) = counted.interval(error);
        let (low, high) = if sign < 0.0 {
            (-high, -low)
        } else {
            (low, high)
        };
        let (pairs, discordant) = (counted.pairs(), counted.discordant());
        MeanDifference {
            verdict: counted.verdict(error, margin),
            mean: sign * counted.mean(),
            low,
            high,
            pairs,
            discordant,
        }
    }

    /// A difference that is proved to be none.
    pub fn none() -> MeanDifference {
        MeanDifference {
            verdict: BalanceVerdict::Same,
            mean: 0.0,
            low: 0.0,
            high: 0.0,
            pairs: 0,
            discordant: 0,
        }
    }
}

/// Returns the interval of a share that `count` of `total` games had, at 95 % (Wilson, "Probable inference, the law of succession, and
/// statistical inference", Journal of the American Statistical Association 22, 1927): that of a number of games fixed beforehand.
pub fn wilson_interval(count: u64, total: u64) -> (f64, f64) {
    if total == 0 {
        return (0.0, 1.0);
    }
    let (n, z) = (total as f64, 1.959_963_984_540_054_f64);
    let share = count as f64 / n;
    let centre = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let norm = 1.0 + z * z / n;
    (
        ((centre - half) / norm).max(0.0),
        ((centre + half) / norm).min(1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;
    use rand_pcg::Pcg32;

    /// Draws pairs of which `lower` and `higher` in a thousand differ, one way or the other.
    fn draw(generator: &mut Pcg32, lower: u32, higher: u32) -> i64 {
        let number = generator.next_u32() % 1_000;
        if number < lower {
            -1
        } else {
            i64::from(number < lower + higher)
        }
    }

    #[test]
    fn looking_after_every_pair_finds_no_difference_where_there_is_none() {
        let mut differing = 0;
        for seed in 0..400 {
            let (mut generator, mut pairs) = (Pcg32::new(seed, 1), PairedDifferences::new(1));
            differing += u32::from((0..400).any(|_| {
                pairs.add(draw(&mut generator, 150, 150));
                pairs.rejects(0.0, 0.05)
            }));
        }
        // At most 5 % of 400; more than 32 would come once in a hundred times if the rate were all of that.
        assert!(differing <= 32, "{differing} of 400");
    }

    #[test]
    fn a_difference_is_found_and_its_interval_holds_it() {
        for (lower, higher) in [(50, 150), (0, 60), (300, 100)] {
            let (mut generator, mut pairs) = (Pcg32::new(7, 3), PairedDifferences::new(1));
            (0..2_000).for_each(|_| pairs.add(draw(&mut generator, lower, higher)));
            assert_eq!(
                pairs.verdict(0.01, 0.02),
                BalanceVerdict::Differs,
                "{lower} {higher}"
            );
            let (low, high) = pairs.interval(0.01);
            let true_mean = (f64::from(higher) - f64::from(lower)) / 1_000.0;
            assert!(
                low <= true_mean && true_mean <= high && high - low < 0.12,
                "{low} to {high} for {true_mean}"
            );
        }
    }

    #[test]
    fn equal_games_come_within_the_margin_and_few_of_them_decide_nothing() {
        let mut pairs = PairedDifferences::new(4);
        (0..40).for_each(|_| pairs.add(0));
        assert_eq!(pairs.verdict(0.01, 0.03), BalanceVerdict::Undecided);
        (0..1_000).for_each(|_| pairs.add(0));
        assert_eq!(pairs.verdict(0.01, 0.03), BalanceVerdict::Within);
        assert_eq!(
            pairs.verdict(0.01, 0.0),
            BalanceVerdict::Undecided,
            "without a margin nothing is within it"
        );
        assert_eq!(
            PairedDifferences::new(1).verdict(0.05, 0.5),
            BalanceVerdict::Undecided
        );
    }

    #[test]
    fn merged_counts_have_the_wealth_of_all_pairs() {
        let (mut generator, mut pairs) = (Pcg32::new(1, 1), PairedDifferences::new(1));
        let mut halves = [PairedDifferences::new(1), PairedDifferences::new(1)];
        for number in 0..100 {
            let difference = draw(&mut generator, 100, 300);
            pairs.add(difference);
            halves[number % 2].add(difference);
        }
        let [mut first_half, second_half] = halves;
        first_half.merge(&second_half);
        assert_eq!(first_half, pairs);
    }

    #[test]
    fn wilsons_interval_is_that_of_the_paper() {
        let (low, high) = wilson_interval(0, 10);
        assert!(low == 0.0 && (high - 0.2775).abs() < 1e-4, "{low} {high}");
        let (low, high) = wilson_interval(50, 100);
        assert!(
            (low - 0.4038).abs() < 1e-4 && (high - 0.5962).abs() < 1e-4,
            "{low} {high}"
        );
        assert_eq!(wilson_interval(0, 0), (0.0, 1.0));
    }
}
