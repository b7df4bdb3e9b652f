//! Formats and simple expressions of a module: `$name$ ($label$)`, `{Steps - 1}`, `{Steps == 2 ? "full" : "reduced"}`.
//!
//! VASSAL evaluates Java there. What is read here are properties, numbers, texts in quotes, `+`, `-`, comparisons and `? :`; any
//! other expression has no value.

/// Maximum depth of an expression in another.
const MAX_DEPTH: usize = 50;

/// Maximum length of a text in bytes; those of modules have some hundred.
const MAX_LENGTH: usize = 20_000;

/// Returns the value of a property; `None` if it can't be read.
pub type PropertyLookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Evaluates a text that may be an expression in braces or a format with `$property$`; `None` if it is more than is read here.
pub fn evaluate(text: &str, property: &PropertyLookup) -> Option<String> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    if let Some(inner) = text
        .trim()
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
    {
        let mut parser = Parser {
            rest: inner,
            property,
            depth: 0,
        };
        return parser.choice().filter(|_| parser.rest.trim().is_empty());
    }
    let mut out = String::new();
    let mut remaining = text;
    while let Some((literal, tail)) = remaining.split_once('$') {
        let Some((name, behind)) = tail.split_once('$') else {
            break;
        };
        out.push_str(literal);
        out.push_str(&property(name)?);
        remaining = behind;
    }
    Some(out + remaining)
}

/// Evaluates while it reads.
struct Parser<'a> {
    rest: &'a str,
    property: &'a PropertyLookup<'a>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn takes(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let behind = self.rest.strip_prefix(sign);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    /// Takes the characters of a name or number.
    fn word(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let end = self
            .rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let (word, remaining) = self.rest.split_at(end);
        self.rest = remaining;
        word
    }

    /// `a == b ? c : d`
    fn choice(&mut self) -> Option<String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let left = self.sum()?;
        let signs = ["==", "!=", "<=", ">=", "<", ">"];
        let mut value = left.clone();
        if let Some(sign) = signs.into_iter().find(|sign| self.takes(sign)) {
            let right = self.sum()?;
            let numbers = left.parse::<i64>().ok().zip(right.parse::<i64>().ok());
            let order = match (numbers, sign) {
                (Some((left, right)), _) => left.cmp(&right),
                (None, "==" | "!=") => left.cmp(&right),
                _ => return None,
            };
            let holds = match sign {
                "==" => order.is_eq(),
                "!=" => order.is_ne(),
                "<=" => order.is_le(),
                ">=" => order.is_ge(),
                "<" => order.is_lt(),
                _ => order.is_gt(),
            };
            value = holds.to_string();
        }
        if self.takes("?") {
            let yes = self.choice()?;
            let no = self.takes(":").then(|| self.choice())??;
            value = match &*value {
                "true" => yes,
                "false" => no,
                _ => return None,
            };
        }
        self.depth -= 1;
        Some(value)
    }

    fn sum(&mut self) -> Option<String> {
        let mut value = self.term()?;
        loop {
            let adds = self.takes("+");
            if !adds && !self.takes("-") {
                return Some(value);
            }
            let operand = self.term()?;
            let numbers = value.parse::<i64>().ok().zip(operand.parse::<i64>().ok());
            value = match numbers {
                Some((left, right)) => if adds {
                    left.checked_add(right)
                } else {
                    left.checked_sub(right)
                }?
                .to_string(),
                None if adds => value + &*operand,
                None => return None,
            };
        }
    }

    fn term(&mut self) -> Option<String> {
        if self.takes("(") {
            let value = self.choice()?;
            return self.takes(")").then_some(value);
        }
        if self.takes("\"") {
            let (text, remaining) = self.rest.split_once('"')?;
            self.rest = remaining;
            return (!text.contains('\\')).then(|| text.into());
        }
        let word = self.word();
        if word == "GetProperty" && self.takes("(") {
            let name = self.choice()?;
            return self.takes(")").then(|| (self.property)(&name))?;
        }
        // A function of Java, or a part of an object, is more than a name.
        if word.is_empty() || self.rest.starts_with(['(', '.', '[']) {
            return None;
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            word.parse::<i64>().ok().map(|n| n.to_string())
        } else {
            (self.property)(word)
        }
    }
}
