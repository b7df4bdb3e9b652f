//! Bands and odds as people and spreadsheets write them: "7 or more", "-5 or less", "≤ 3", "1–3", "-8 to 8", "-8-8"; "1-2", "> 3:1", "1.5:1".

use super::{Band, OddsRatio};

/// Words and signs before a number; whether the band lies above it, and whether it holds the number itself.
const BEFORE: &[(&str, bool, bool)] = &[
    ("at least", true, true),
    ("more than", true, false),
    ("over", true, false),
    ("above", true, false),
    (">=", true, true),
    ("≥", true, true),
    (">", true, false),
    ("at most", false, true),
    ("up to", false, true),
    ("less than", false, false),
    ("fewer than", false, false),
    ("under", false, false),
    ("below", false, false),
    ("<=", false, true),
    ("≤", false, true),
    ("<", false, false),
];

/// Words after "or" or "and" that follow a number and open the band above it, and below it.
const UPWARDS: &[&str] = &["more", "up", "higher", "greater", "over", "above", "better"];
const DOWNWARDS: &[&str] = &["less", "fewer", "lower", "under", "below", "down", "worse"];

impl Band {
    /// Reads a band in other words or signs than those of the notation; `None` if the text is not one.
    pub fn from_words(text: &str) -> Option<Band> {
        let text = text.trim().to_lowercase().replace('−', "-");
        if let Some((rest, above, inclusive)) = BEFORE
            .iter()
            .find_map(|(word, above, inclusive)| Some((text.strip_prefix(word)?, above, inclusive)))
        {
            let (number, "") = leading_number(rest.trim_start())? else {
                return None;
            };
            let bound = if *inclusive {
                number
            } else {
                number.checked_add(if *above { 1 } else { -1 })?
            };
            return Some(if *above {
                Band {
                    low: bound,
                    high: i64::MAX,
                }
            } else {
                Band {
                    low: i64::MIN,
                    high: bound,
                }
            });
        }
        let (low, rest) = leading_number(&text)?;
        let rest = rest.trim_start();
        if rest.is_empty() {
            return Some(Band { low, high: low });
        }
        if rest == "+" || rest == "plus" {
            return Some(Band {
                low,
                high: i64::MAX,
            });
        }
        if let Some(word) = rest
            .strip_prefix("or ")
            .or_else(|| rest.strip_prefix("and "))
            .map(str::trim)
        {
            return match (UPWARDS.contains(&word), DOWNWARDS.contains(&word)) {
                (true, _) => Some(Band {
                    low,
                    high: i64::MAX,
                }),
                (_, true) => Some(Band {
                    low: i64::MIN,
                    high: low,
                }),
                _ => None,
            };
        }
        let high = ["to ", "...", "..", "…", "–", "—", "-"]
            .iter()
            .find_map(|sign| rest.strip_prefix(sign))?;
        let (high, "") = leading_number(high.trim_start())? else {
            return None;
        };
        (low <= high).then_some(Band { low, high })
    }
}

impl OddsRatio {
    /// Reads odds in other words or signs than those of the notation; `None` if the text is none. Below 1:3 are the odds 1:4, above 3:1 are 4:1.
    pub fn from_words(text: &str) -> Option<OddsRatio> {
        let text = text.trim().to_lowercase();
        let before = |(word, above, inclusive): &(&str, bool, bool)| {
            let step = i64::from(*above) * 2 - 1;
            Some((text.strip_prefix(word)?, if *inclusive { 0 } else { step }))
        };
        let (rest, step) = BEFORE.iter().find_map(before).unwrap_or((&text, 0));
        let is_open =
            |after: &str| after.is_empty() || [UPWARDS, DOWNWARDS].concat().contains(&after);
        let mut ends = ["+", " plus", " or ", " and "]
            .iter()
            .filter_map(|word| rest.split_once(word));
        let rest = ends
            .find(|(_, after)| is_open(after))
            .map_or(rest, |(rest, _)| rest);
        let (left, right) = [" to ", ":", "-", "–"]
            .iter()
            .find_map(|sign| rest.split_once(sign))?;
        let halves = |text: &str| match text.trim().strip_suffix(".5") {
            Some(whole) => whole.parse::<i64>().ok()?.checked_mul(2)?.checked_add(1),
            None => text.trim().parse::<i64>().ok()?.checked_mul(2),
        };
        let (left, right) = (halves(left)?, halves(right)?);
        let by = if left % 2 == 0 && right % 2 == 0 {
            2
        } else {
            1
        };
        let (attacker, defender) = match (left / by, right / by, step) {
            (left, right, _) if left <= 0 || right <= 0 => return None,
            (left, right, 0) => (left, right),
            (left, 1, step) if left + step > 0 => (left + step, 1),
            (1, right, step) => (1, right - step),
            _ => return None,
        };
        Some(OddsRatio { attacker, defender })
    }
}

/// Splits a text into the number it begins with and the rest.
fn leading_number(text: &str) -> Option<(i64, &str)> {
    let digits = text.strip_prefix(['-', '–', '+']).unwrap_or(text);
    let length = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let number: i64 = digits[..length].parse().ok()?;
    Some((
        if text.starts_with(['-', '–']) {
            -number
        } else {
            number
        },
        &digits[length..],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_in_words_are_read() {
        let band = |text: &str| Band::from_words(text).map(|band| band.to_string());
        for (text, expected) in [
            ("-5 or less", "..-5"),
            ("7 or more", "7+"),
            ("7+", "7+"),
            ("12 and up", "12+"),
            ("≤ -2", "..-2"),
            ("> 6", "7+"),
            ("under 3", "..2"),
            ("1–3", "1-3"),
            ("1 to 3", "1-3"),
            ("-8-8", "-8..8"),
            ("−4 – −2", "-4..-2"),
            ("5", "5"),
        ] {
            assert_eq!(band(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "miss",
            "3:1",
            "1/2",
            "EX, 1",
            "10-3",
            "7 or so",
            "1-2-3",
            "2d6",
            "3 to",
            "or less",
            "99999999999999999999",
        ] {
            assert_eq!(band(text), None, "{text}");
        }
    }
}
