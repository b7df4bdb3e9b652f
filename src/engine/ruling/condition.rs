//! A condition on a named outcome, such as `defender losses >= 4`.

/// A condition on a named outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The outcome.
    pub name: String,
    /// The comparison: `=`, `!=`, `<`, `<=`, `>` or `>=`.
    pub sign: String,
    /// The value to compare with.
    pub value: String,
}

impl Condition {
    /// Parses "defender losses >= 4"; a bare name means `= yes`.
    pub fn parse(text: &str) -> Condition {
        for sign in ["!=", "<=", ">=", "==", "=", "<", ">"] {
            if let Some((name, value)) = text.split_once(sign) {
                let sign = if sign == "==" { "=" } else { sign };
                return Condition { name: name.trim().into(), sign: sign.into(), value: value.trim().into() };
            }
        }
        Condition { name: text.trim().into(), sign: "=".into(), value: "yes".into() }
    }

    /// Whether a value satisfies the condition.
    pub fn is_satisfied_by(&self, value: &str) -> bool {
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
