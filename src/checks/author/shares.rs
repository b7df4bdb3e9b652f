//! Shares of a number, such as two thirds, rounded up: as they are typed, in words, and as a script has them.

use crate::testing::mutation_steps::Token;
use casebook_engine::code::verbs::arithmetic::{HALF_DOWN, HALF_UP, SHARE_DOWN, SHARE_UP};
use casebook_engine::complaint::Error;
use std::ops::Range;

/// The shares of a number that can be picked.
pub const SHARES: [(&str, &str); 8] = [
    ("1/2", "half, rounded down"),
    ("1/2 rounded up", "half, rounded up"),
    ("1/3", "a third, rounded down"),
    ("2/3", "two thirds, rounded down"),
    ("2/3 rounded up", "two thirds, rounded up"),
    ("3/2", "half as much again, rounded down"),
    ("2", "twice as much"),
    ("0", "nothing"),
];
/// The shares of each number of a list that can be picked.
pub const SHARES_OF_EACH: [(&str, &str); 8] = [
    ("1/2 of each", "half of each, rounded down"),
    ("1/2 rounded up of each", "half of each, rounded up"),
    ("1/3 of each", "a third of each, rounded down"),
    ("2/3 of each", "two thirds of each, rounded down"),
    ("2/3 rounded up of each", "two thirds of each, rounded up"),
    ("3/2 of each", "half as much again, rounded down"),
    ("2 of each", "twice as much each"),
    ("0 of each", "nothing"),
];
/// All of a number, which can be picked where a share of it is taken.
pub const ALL_OF_IT: (&str, &str) = ("1", "all of it");

/// Returns the shares that can be picked, of a number and of each number of a list.
pub fn share_amounts() -> impl Iterator<Item = &'static str> {
    let shares = SHARES.iter().chain(&SHARES_OF_EACH);
    shares.map(|(amount, _)| *amount)
}

/// A share of a number, or of each number of a list.
pub struct Share {
    times: i64,
    by: i64,
    is_up: bool,
    of_each: bool,
}

impl Share {
    /// Parses a share as it is typed: `2/3`, `2` or `1/2 rounded up of each`.
    pub fn parse(text: &str) -> Result<Share, Error> {
        let wrong = || {
            Error::Usage(format!(
                "`{text}` is not a share: write 1/2, 2 or 2/3, and `rounded up` or `of each` behind it"
            ))
        };
        let (fraction, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (times, by) = fraction.split_once('/').unwrap_or((fraction, "1"));
        let whole = |text: &str| {
            text.parse::<i64>()
                .ok()
                .filter(|number| (0..=1000).contains(number))
                .ok_or_else(wrong)
        };
        let rest = rest.trim();
        let (of_each, rest) = match rest.strip_suffix("of each") {
            Some(rest) => (true, rest.trim()),
            None => (false, rest),
        };
        let is_up = match rest {
            "" | "rounded down" => false,
            "rounded up" => true,
            _ => return Err(wrong()),
        };
        let (times, by) = (whole(times)?, whole(by)?);
        if by == 0 {
            return Err(wrong());
        }
        Ok(Share {
            times,
            by,
            is_up,
            of_each,
        })
    }

    /// Returns the share of `answer` as a script.
    pub fn script(&self) -> String {
        let part = |of: &str| match (self.times, self.by) {
            (0, _) => "0".to_string(),
            (times, 1) => format!("{of} * {times}"),
            (1, by) if !self.is_up => format!("{of} / {by}"),
            (times, by) if !self.is_up => format!("{of} * {times} / {by}"),
            (times, by) => format!("({of} * {times} + {}) / {by}", by - 1),
        };
        if self.of_each {
            format!("answer.map(|part| {})", part("part"))
        } else {
            part("answer")
        }
    }

    pub fn in_words(&self) -> String {
        let share = match (self.times, self.by) {
            (0, _) => "nothing of it".into(),
            (1, 1) => "all of it".into(),
            (1, 2) => "half of it".into(),
            (1, 3) => "a third of it".into(),
            (2, 3) => "two thirds of it".into(),
            (3, 2) => "half as much again".into(),
            (2, 1) => "twice as much".into(),
            (3, 1) => "three times as much".into(),
            (times, 1) => format!("{times} times as much"),
            (times, by) => format!("{times}/{by} of it"),
        };
        let rounded = match (self.times % self.by, self.is_up) {
            (0, _) => "",
            (_, true) => ", rounded up",
            (_, false) => ", rounded down",
        };
        let each = if self.of_each { ", for each" } else { "" };
        format!("{share}{rounded}{each}")
    }

    /// Returns the verb that takes this share of a number, and what stands behind the number in its call.
    fn verb(&self) -> (&'static str, String) {
        match (self.times, self.by, self.is_up) {
            (1, 2, true) => (HALF_UP, ")".into()),
            (1, 2, false) => (HALF_DOWN, ")".into()),
            (times, by, true) if times % by != 0 => (SHARE_UP, format!(", {times}, {by})")),
            (times, by, _) => (SHARE_DOWN, format!(", {times}, {by})")),
        }
    }
}

/// The call of a verb that takes a share of a number, in a script.
pub struct ShareCall {
    /// Its tokens, from the name to the bracket that closes it.
    pub tokens: Range<usize>,
    /// The tokens of the number that a share is taken of.
    pub of: Range<usize>,
    /// The share as it is typed.
    pub amount: String,
}

/// Finds the call of a share that begins at a token.
pub fn share_call(tokens: &[Token], at: usize) -> Option<ShareCall> {
    let name = tokens[at].text;
    let is_half = [HALF_UP, HALF_DOWN].contains(&name);
    if !is_half && ![SHARE_UP, SHARE_DOWN].contains(&name) || tokens.get(at + 1)?.text != "(" {
        return None;
    }
    let (mut depth, mut end) = (1, at + 1);
    while depth > 0 {
        end += 1;
        match tokens.get(end)?.text {
            "(" | "[" | "{" | "#{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    let rounded = match [HALF_UP, SHARE_UP].contains(&name) {
        true => " rounded up",
        false => "",
    };
    let (of, amount) = match is_half {
        true => (at + 2..end, format!("1/2{rounded}")),
        false => {
            let text = |back: usize| Some(tokens.get(end.checked_sub(back)?)?.text);
            let (times, by) = (text(3)?.parse::<i64>().ok()?, text(1)?.parse::<i64>().ok()?);
            let fraction = match by {
                1 => times.to_string(),
                _ => format!("{times}/{by}"),
            };
            (at + 2..end - 4, format!("{fraction}{rounded}"))
        }
    };
    Some(ShareCall {
        tokens: at..end + 1,
        of,
        amount,
    })
}

/// Returns the share that a call takes, as it is typed.
pub fn share_in(call: &str) -> Option<String> {
    let tokens = crate::testing::mutation_steps::tokens(call);
    share_call(&tokens, 0).map(|share| share.amount)
}

/// Returns a share that is typed in words; none if it is none.
pub fn share_in_words(amount: &str) -> Option<String> {
    Share::parse(amount).ok().map(|share| share.in_words())
}

/// Returns the replacements that give the call of a share another amount. What it is taken of stays, with what is changed in it.
pub fn share_edits(call: &str, amount: &str) -> Result<[(Range<usize>, String); 2], Error> {
    let share = Share::parse(amount)?;
    let tokens = crate::testing::mutation_steps::tokens(call);
    let known = share_call(&tokens, 0).filter(|_| !share.of_each);
    let known = known.ok_or_else(|| {
        Error::Usage(format!(
            "`{amount}` is a share of each number of a list, and this is one number"
        ))
    })?;
    let (verb, tail) = share.verb();
    let of_end = tokens[known.of.end - 1].range().end;
    Ok([(tokens[0].range(), verb.into()), (of_end..call.len(), tail)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_parsed_said_and_written() {
        for (text, script, words) in [
            ("1/2", "answer / 2", "half of it, rounded down"),
            (
                "1/2 rounded up",
                "(answer * 1 + 1) / 2",
                "half of it, rounded up",
            ),
            (
                "2 of each",
                "answer.map(|part| part * 2)",
                "twice as much, for each",
            ),
            ("0", "0", "nothing of it"),
            ("5/4", "answer * 5 / 4", "5/4 of it, rounded down"),
        ] {
            let share = Share::parse(text).expect(text);
            assert_eq!((&*share.script(), &*share.in_words()), (script, words));
        }
        for wrong in ["half", "1/0", "1/2 roughly", "-1", ""] {
            assert!(Share::parse(wrong).is_err(), "{wrong}");
        }
    }

    fn with_share(call: &str, amount: &str) -> String {
        let [(verb, name), (behind, tail)] = share_edits(call, amount).expect(amount);
        format!("{name}{}{tail}", &call[verb.end..behind.start])
    }

    #[test]
    fn a_share_in_a_script_is_read_and_replaced() {
        for (call, amount) in [
            ("half_up(points - 1)", "1/2 rounded up"),
            ("half_down(total(units, \"size\"))", "1/2"),
            ("share_up(points, 2, 3)", "2/3 rounded up"),
            ("share_down(points, 2, 1)", "2"),
        ] {
            let tokens = crate::testing::mutation_steps::tokens(call);
            let known = share_call(&tokens, 0).expect(call);
            assert_eq!(
                (known.amount.as_str(), known.tokens.len()),
                (amount, tokens.len())
            );
            assert_eq!(with_share(call, amount), call);
        }
        assert_eq!(
            with_share("half_up(points - 1)", "2/3 rounded up"),
            "share_up(points - 1, 2, 3)"
        );
        assert!(share_edits("half_up(points)", "1/2 of each").is_err());
    }
}
