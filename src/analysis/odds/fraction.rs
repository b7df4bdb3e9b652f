//! Exact probabilities: rational numbers of arbitrary precision.

use casebook_engine::complaint::Error;
use casebook_engine::notation::Weight;
use casebook_engine::notation::stated::StatedNumber;
use casebook_engine::ruling::condition::GatheredValues;
use dashu_int::ops::UnsignedAbs;
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
            Fraction(RBig::from_parts(
                IBig::from(ways.as_integer().clone()),
                total.as_integer().clone(),
            ))
        }
    }

    /// Converts an integer.
    pub fn from_integer(n: i64) -> Fraction {
        Fraction(RBig::from(n))
    }

    /// Rounds a share to the nearest ten-thousandth.
    pub fn from_f64_rounded(share: f64) -> Fraction {
        Fraction(RBig::from_parts(
            IBig::from((share * 10_000.0).round() as i64),
            UBig::from(10_000u32),
        ))
    }

    /// Whether the fraction equals a stated value to the precision of that value.
    pub fn equals_stated(&self, stated: &StatedNumber) -> bool {
        stated.matches(&self.0)
    }

    /// Converts a number of any sign.
    pub(super) fn from_rational(number: RBig) -> Fraction {
        Fraction(number)
    }

    /// Returns the number, for systems of equations.
    pub(super) fn as_rational(&self) -> &RBig {
        &self.0
    }

    /// Returns the quotient, or `None` if `other` is 0.
    pub fn checked_div(&self, other: &Fraction) -> Option<Fraction> {
        (!other.is_zero()).then(|| self / other)
    }

    /// Returns the numerator and the denominator of a fraction that is not negative.
    pub fn parts(&self) -> (Weight, Weight) {
        (
            self.0.numerator().unsigned_abs().into(),
            self.0.denominator().clone().into(),
        )
    }

    /// Returns weights in proportion to fractions that are not negative.
    pub fn common_weights<'a>(
        fractions: impl Iterator<Item = &'a Fraction> + Clone,
    ) -> Vec<Weight> {
        let common = fractions.clone().fold(Weight::ONE, |common, fraction| {
            let (_, denominator) = fraction.parts();
            &common.divided_by(&common.gcd(&denominator)) * &denominator
        });
        let scaled = |fraction: &Fraction| {
            let (numerator, denominator) = fraction.parts();
            &numerator * &common.divided_by(&denominator)
        };
        fractions.map(scaled).collect()
    }

    /// Returns the number of digits of numerator and denominator together.
    pub fn digits(&self) -> usize {
        (dashu_int::ops::BitTest::bit_len(self.0.numerator())
            + dashu_int::ops::BitTest::bit_len(self.0.denominator()))
            * 30
            / 100
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

/// Checks that chances lie between 0 and 1 and add up to `whole`. It runs in every build: a wrong chance must never be shown.
pub fn check_chances<'a>(
    chances: impl IntoIterator<Item = &'a Fraction>,
    whole: &Fraction,
) -> Result<(), Error> {
    match left_of(chances, whole)? {
        left if left.is_zero() => Ok(()),
        _ => Err(Error::Inconsistent(format!(
            "chances do not add up to {whole}"
        ))),
    }
}

/// Returns what chances leave of `whole`. Fails if one of them, or what they leave, is not between 0 and 1.
fn left_of<'a>(
    chances: impl IntoIterator<Item = &'a Fraction>,
    whole: &Fraction,
) -> Result<Fraction, Error> {
    let is_chance = |share: &Fraction| *share >= Fraction::ZERO && *share <= Fraction::ONE;
    let mut sum = Fraction::ZERO;
    for chance in chances {
        if !is_chance(chance) {
            return Err(Error::Inconsistent(format!(
                "it counted a chance of {chance}"
            )));
        }
        sum += chance;
    }
    let left = whole - &sum;
    if is_chance(whole) && is_chance(&left) {
        Ok(left)
    } else {
        Err(Error::Inconsistent(format!(
            "its chances add up to {sum} of {whole}"
        )))
    }
}

/// A discrete distribution: values with their probabilities. It can't be made of chances that don't add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    chances: BTreeMap<String, Fraction>,
    /// The mean of the numbers that are counted together as one value, such as "17 or more", if it is known.
    gathered_mean: Option<Fraction>,
}

#[doc(hidden)]
impl Distribution {
    /// Builds the distribution of chances that add up to `whole`: 1, or the share that was counted.
    pub fn new(
        chances: BTreeMap<String, Fraction>,
        whole: &Fraction,
    ) -> Result<Distribution, Error> {
        check_chances(chances.values(), whole)?;
        Ok(Distribution {
            chances,
            gathered_mean: None,
        })
    }

    /// Builds the distribution of chances of which `rest` has what they leave of `whole`.
    pub fn with_rest(
        mut chances: BTreeMap<String, Fraction>,
        rest: &str,
        whole: &Fraction,
    ) -> Result<Distribution, Error> {
        let left = left_of(chances.values(), whole)?;
        if !left.is_zero() {
            add_chance(&mut chances, rest, &left);
        }
        Ok(Distribution {
            chances,
            gathered_mean: None,
        })
    }

    /// Builds the distribution of a value that is certain.
    pub fn certain(value: &str) -> Distribution {
        Distribution {
            chances: [(value.to_string(), Fraction::ONE)].into(),
            gathered_mean: None,
        }
    }

    /// Divides all chances by that of a condition, to which they add up.
    pub fn conditioned_on(&self, condition: &Fraction) -> Result<Distribution, Error> {
        let chances = self.chances.iter();
        let chances = chances.map(|(value, chance)| (value.clone(), chance / condition));
        Ok(Distribution {
            gathered_mean: self.gathered_mean.clone(),
            ..Distribution::new(chances.collect(), &Fraction::ONE)?
        })
    }

    /// Takes the mean of the numbers that are counted together from what all numbers add up to, each times its chance.
    pub fn with_expected_sum(mut self, expected: &Fraction) -> Distribution {
        let (mut gathered, mut left) = (Fraction::ZERO, expected.clone());
        for (value, chance) in &self.chances {
            match (value.parse::<i64>(), GatheredValues::parse(value)) {
                (Ok(number), _) => left = &left - &(chance * &Fraction::from_integer(number)),
                (_, Some(_)) => gathered += chance,
                _ => {}
            }
        }
        self.gathered_mean = left.checked_div(&gathered);
        self
    }
}

impl Distribution {
    /// Returns the values with their probabilities, sorted by their text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Fraction)> {
        self.chances
            .iter()
            .map(|(value, chance)| (value.as_str(), chance))
    }

    /// Returns the probability of a value, 0 if it has no entry.
    pub fn chance(&self, value: &str) -> Fraction {
        self.chances.get(value).cloned().unwrap_or(Fraction::ZERO)
    }

    /// Whether a value has an entry.
    pub fn has(&self, value: &str) -> bool {
        self.chances.contains_key(value)
    }

    /// Returns the mean, if all values are integers.
    pub fn mean(&self) -> Option<Fraction> {
        let number = |value: &str| match value.parse() {
            Ok(number) => Some(Fraction::from_integer(number)),
            Err(_) => self.gathered_mean(value).cloned(),
        };
        self.chances
            .iter()
            .try_fold(Fraction::ZERO, |sum, (value, chance)| {
                Some(&sum + &(chance * &number(value)?))
            })
    }

    /// Returns the mean of the numbers that a value represents, such as "17 or more", if it is known.
    #[doc(hidden)]
    pub fn gathered_mean(&self, value: &str) -> Option<&Fraction> {
        self.gathered_mean
            .as_ref()
            .filter(|_| GatheredValues::parse(value).is_some())
    }
}

pub fn add_chance(chances: &mut BTreeMap<String, Fraction>, value: &str, chance: &Fraction) {
    match chances.get_mut(value) {
        Some(sum) => *sum += chance,
        None => drop(chances.insert(value.to_string(), chance.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chances are checked where a distribution is made, in every build.
    #[test]
    fn a_distribution_adds_up() {
        let plain = |ways: u32, of: u32| Fraction::new(&ways.into(), &of.into());
        let chances = |list: &[Fraction]| {
            list.iter()
                .enumerate()
                .map(|(value, chance)| (value.to_string(), chance.clone()))
                .collect()
        };
        let (half, third) = (plain(1, 2), plain(1, 3));
        let minus_half = &half - &Fraction::ONE;
        assert!(Distribution::new(chances(&[half.clone(), half.clone()]), &Fraction::ONE).is_ok());
        assert!(Distribution::new(chances(&[third.clone(), third.clone()]), &plain(2, 3)).is_ok());
        let rest = Distribution::with_rest(
            chances(&[half.clone(), third.clone()]),
            "none",
            &Fraction::ONE,
        )
        .expect("a sixth is left");
        assert_eq!(rest.chance("none"), plain(1, 6));
        let wrong = [
            Distribution::new(chances(&[half.clone(), third.clone()]), &Fraction::ONE),
            Distribution::new(
                chances(&[half.clone(), half.clone(), half.clone(), minus_half.clone()]),
                &Fraction::ONE,
            ),
            Distribution::new(chances(&[plain(3, 2)]), &plain(3, 2)),
            Distribution::with_rest(
                chances(&[half.clone(), half.clone(), third.clone()]),
                "none",
                &Fraction::ONE,
            ),
            Distribution::with_rest(chances(&[minus_half]), "none", &half),
            rest.conditioned_on(&half),
        ];
        for distribution in wrong {
            let error = distribution.expect_err("the chances do not add up");
            assert!(error.to_string().contains("please report it"), "{error}");
        }
    }
}
