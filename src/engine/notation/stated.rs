//! Probabilities and means as people write them: fractions, decimals, percentages.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// A stated probability or mean.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedNumber {
    /// Text as written.
    pub text: String,
    /// Parsed number.
    pub value: RBig,
    /// Tolerance: 0 for a fraction, half a unit in the last place for a decimal or percentage.
    pub tolerance: RBig,
}

/// Maximum number of digits.
const MAX_DIGITS: usize = 200;

impl StatedNumber {
    /// Parses `5/12`, `1`, `0.417` or `41.7 %`.
    pub fn parse(text: &str) -> Option<StatedNumber> {
        let text = text.trim();
        let (number, percent) = text
            .strip_suffix('%')
            .map_or((text, false), |number| (number.trim_end(), true));
        let (sign, number) = number
            .strip_prefix('-')
            .map_or((1, number), |number| (-1, number));
        let digits = |text: &str| -> Option<IBig> {
            let sound = !text.is_empty()
                && text.len() <= MAX_DIGITS
                && text.bytes().all(|byte| byte.is_ascii_digit());
            sound.then(|| text.parse().ok()).flatten()
        };
        let below = |digits: usize| Some(UBig::from(10u32).pow(digits));
        let (numerator, denominator, decimals) =
            match (number.split_once('/'), number.split_once('.')) {
                (Some(_), _) if percent => return None,
                (Some((numerator, denominator)), _) => (
                    digits(numerator.trim())?,
                    UBig::try_from(digits(denominator.trim())?).ok()?,
                    None,
                ),
                (None, Some((whole, part))) => (
                    digits(&format!("{whole}{part}"))?,
                    below(part.len())?,
                    Some(part.len()),
                ),
                (None, None) => (digits(number)?, UBig::ONE, percent.then_some(0)),
            };
        if denominator == UBig::ZERO {
            return None;
        }
        let decimals = decimals.map(|decimals| decimals + 2 * usize::from(percent));
        let denominator = if percent {
            denominator * UBig::from(100u32)
        } else {
            denominator
        };
        let tolerance = decimals
            .and_then(|decimals| {
                Some(RBig::from_parts(
                    IBig::ONE,
                    below(decimals)? * UBig::from(2u32),
                ))
            })
            .unwrap_or(RBig::ZERO);
        Some(StatedNumber {
            text: text.into(),
            value: RBig::from_parts(numerator * IBig::from(sign), denominator),
            tolerance,
        })
    }

    /// Returns whether a number equals the stated one within the tolerance.
    pub fn matches(&self, number: &RBig) -> bool {
        *number <= &self.value + &self.tolerance && *number >= &self.value - &self.tolerance
    }

    /// Returns the number as a float, 1 being certainty.
    pub fn to_f64(&self) -> f64 {
        self.value.to_f64_fast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_hold_exactly_and_decimals_as_rounded() {
        let holds = |stated: &str, numerator: i64, denominator: u32| {
            StatedNumber::parse(stated)
                .expect("this is a chance")
                .matches(&RBig::from_parts(
                    IBig::from(numerator),
                    UBig::from(denominator),
                ))
        };
        assert!(
            holds("2890/7776", 1445, 3888)
                && !holds("2890/7776", 1445, 3889)
                && holds("1", 1, 1)
                && holds("-7/2", -14, 4)
        );
        assert!(
            holds("33.3 %", 1, 3)
                && holds("33%", 1, 3)
                && holds("0.33", 1, 3)
                && !holds("0.3333", 33, 100)
                && !holds("34 %", 1, 3)
        );
        assert!(holds("0.5", 1, 2) && holds("50 %", 99, 200) && !holds("50.0 %", 99, 200));
        for wrong in [
            "", "1/0", "1/2 %", "a", "1/2/3", "1.2.3", "1e5", "--1", "6-2", "+1", " / ", ".",
        ] {
            assert_eq!(StatedNumber::parse(wrong), None, "{wrong}");
        }
        assert_eq!(StatedNumber::parse(&"9".repeat(100_000)), None);
    }
}
