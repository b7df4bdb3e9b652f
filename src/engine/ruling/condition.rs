//! A condition on a named outcome, such as `defender losses >= 4`.

use serde::Serialize;
use std::fmt;

/// Numbers that are counted together, as they have no end: "17 or more".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatheredValues {
    /// The first of them.
    pub from: i64,
    /// Whether the others are higher, not lower.
    pub rises: bool,
}

impl GatheredValues {
    /// Reads "17 or more" or "-3 or less".
    pub fn parse(text: &str) -> Option<GatheredValues> {
        let (from, rises) = text
            .strip_suffix(" or more")
            .map(|from| (from, true))
            .or_else(|| Some((text.strip_suffix(" or less")?, false)))?;
        Some(GatheredValues {
            from: from.parse().ok()?,
            rises,
        })
    }

    /// Returns the values that are counted together if these and others are.
    pub fn with(self, other: GatheredValues) -> GatheredValues {
        let from = if self.rises {
            self.from.min(other.from)
        } else {
            self.from.max(other.from)
        };
        GatheredValues { from, ..self }
    }

    /// Whether a number is among them.
    pub fn has(&self, number: i64) -> bool {
        if self.rises {
            number >= self.from
        } else {
            number <= self.from
        }
    }
}

impl fmt::Display for GatheredValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} or {}",
            self.from,
            if self.rises { "more" } else { "less" }
        )
    }
}

/// A condition on a named outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "stated_condition")
)]
pub struct Condition {
    /// The outcome.
    #[serde(rename = "outcome")]
    pub name: String,
    /// The comparison: `=`, `!=`, `<`, `<=`, `>` or `>=`.
    pub sign: String,
    /// The value that it is compared with.
    pub value: String,
}

impl Condition {
    /// Parses "defender losses >= 4"; a bare name means `= yes`.
    pub fn parse(text: &str) -> Condition {
        for sign in ["!=", "<=", ">=", "==", "=", "<", ">"] {
            if let Some((name, value)) = text.split_once(sign) {
                let sign = if sign == "==" { "=" } else { sign };
                return Condition {
                    name: name.trim().into(),
                    sign: sign.into(),
                    value: value.trim().into(),
                };
            }
        }
        Condition {
            name: text.trim().into(),
            sign: "=".into(),
            value: "yes".into(),
        }
    }

    /// Whether a value represents several numbers, of which some satisfy the condition and some don't.
    pub fn divides(&self, value: &str) -> bool {
        let (Some(gathered), Ok(number)) =
            (GatheredValues::parse(value), self.value.parse::<i64>())
        else {
            return false;
        };
        match self.sign.as_str() {
            "=" | "!=" => gathered.has(number),
            // The first number is like all that follow it, unless the bound lies between them.
            ">" | "<=" => gathered.has(number) && (gathered.rises || number != gathered.from),
            _ => gathered.has(number) && (!gathered.rises || number != gathered.from),
        }
    }

    /// Whether a value satisfies the condition. One that represents several numbers does if it is not divided and its first number does.
    pub fn is_satisfied_by(&self, value: &str) -> bool {
        if let Some(gathered) =
            GatheredValues::parse(value).filter(|_| self.value.parse::<i64>().is_ok())
        {
            return !self.divides(value) && self.is_satisfied_by(&gathered.from.to_string());
        }
        let order = match (value.parse::<i64>(), self.value.parse::<i64>()) {
            (Ok(a), Ok(b)) => a.cmp(&b),
            _ if self.sign == "=" || self.sign == "!=" => value.cmp(&self.value),
            _ => return false,
        };
        match self.sign.as_str() {
            "=" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a condition says of numbers that are counted together is what it says of each of them.
    #[test]
    fn gathered_values_are_divided_or_alike() {
        for gathered in [
            GatheredValues {
                from: 5,
                rises: true,
            },
            GatheredValues {
                from: -5,
                rises: false,
            },
        ] {
            let text = gathered.to_string();
            assert_eq!(GatheredValues::parse(&text), Some(gathered));
            for sign in ["=", "!=", "<", "<=", ">", ">="] {
                for bound in -9..=9 {
                    let condition = Condition::parse(&format!("rounds {sign} {bound}"));
                    let numbers = (-20..=20).filter(|number| gathered.has(*number));
                    let results: Vec<bool> = numbers
                        .map(|number: i64| condition.is_satisfied_by(&number.to_string()))
                        .collect();
                    let divided = results.iter().any(|result| *result)
                        && !results.iter().all(|result| *result);
                    assert_eq!(condition.divides(&text), divided, "{text} {sign} {bound}");
                    assert!(
                        divided || condition.is_satisfied_by(&text) == results[0],
                        "{text} {sign} {bound}"
                    );
                }
            }
        }
        assert_eq!(GatheredValues::parse("6 left"), None);
        assert!(Condition::parse("rounds = 17 or more").is_satisfied_by("17 or more"));
    }
}
