//! Blanks of a function: figures, dice and conditions that a form can change.

use crate::author::shares::{ShareCall, share_call, share_edits};
use crate::testing::mutation_steps::{condition, range_of, tokens};
use casebook_engine::complaint::Error;
use casebook_engine::notation::Dice;
use std::collections::BTreeMap;
use std::ops::Range;

/// Something in the source of a function that a form can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blank {
    /// Its byte range in the source of the function.
    pub range: Range<usize>,
    pub kind: BlankKind,
}

/// What can be put in the place of a blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlankKind {
    /// A whole number.
    Number,
    /// The dice of a throw, without their quotes.
    Dice,
    /// The condition of an `if`: always, never or the opposite.
    Condition,
    /// A share of a number: the call of the verb that takes it.
    Share,
}

/// What a condition can be set to: always true, never true, or its opposite.
pub const CONDITIONS: [&str; 3] = ["always", "never", "opposite"];

/// Finds what a form can change in the source of a function, in order, the shares last. Ranges such as `0..n` and indices are no figures of
/// a rule.
pub fn blanks(source: &str) -> Vec<Blank> {
    let tokens = tokens(source);
    let text_at = |index: Option<usize>| {
        index
            .and_then(|index| tokens.get(index))
            .map_or("", |token| token.text)
    };
    let shares: Vec<ShareCall> = (0..tokens.len())
        .filter_map(|index| share_call(&tokens, index))
        .collect();
    // How much of it is taken belongs to the share.
    let is_amount = |index: usize| {
        let holds = |share: &ShareCall| share.tokens.contains(&index) && index >= share.of.end;
        shares.iter().any(holds)
    };
    let mut blanks = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let (before, after) = (text_at(index.checked_sub(1)), text_at(Some(index + 1)));
        let quoted = token
            .text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        if let Some(text) = quoted {
            if text.contains('d') && Dice::parse(text).is_ok() {
                blanks.push(Blank {
                    range: token.offset + 1..token.range().end - 1,
                    kind: BlankKind::Dice,
                });
            }
        } else if token.text.bytes().all(|byte| byte.is_ascii_digit()) {
            if !is_amount(index)
                && before != ".."
                && !after.starts_with("..")
                && (before, after) != ("[", "]")
            {
                blanks.push(Blank {
                    range: token.range(),
                    kind: BlankKind::Number,
                });
            }
        } else if token.text == "if" && before != "." {
            blanks.extend(condition(&tokens, index).map(|inside| Blank {
                range: range_of(inside),
                kind: BlankKind::Condition,
            }));
        }
    }
    blanks.extend(shares.iter().map(|share| Blank {
        range: range_of(&tokens[share.tokens.clone()]),
        kind: BlankKind::Share,
    }));
    blanks
}

/// Replacements in a source: each byte range with its new text.
pub type SourceEdits = Vec<(Range<usize>, String)>;

/// Returns the replacements that put new texts in some of the blanks of a source, by their index.
pub fn blank_edits(source: &str, texts: &BTreeMap<usize, &str>) -> Result<SourceEdits, Error> {
    let blanks = blanks(source);
    let mut edits = SourceEdits::new();
    for (index, text) in texts {
        let Blank { range, kind } = blanks.get(*index).ok_or_else(|| {
            Error::Usage("the case was changed meanwhile: reload the page".into())
        })?;
        let usage_error = |what: &str| {
            Error::Usage(format!(
                "`{text}` in place of `{}`: {what}",
                &source[range.clone()]
            ))
        };
        match kind {
            BlankKind::Number => {
                let number: i64 = text
                    .parse()
                    .map_err(|_| usage_error("write a whole number"))?;
                edits.push((
                    range.clone(),
                    if number < 0 {
                        format!("({number})")
                    } else {
                        number.to_string()
                    },
                ));
            }
            BlankKind::Dice => {
                Dice::parse(text).map_err(|_| usage_error("write dice as 2d6"))?;
                edits.push((range.clone(), text.to_string()));
            }
            BlankKind::Share => {
                let shift = |part: Range<usize>| range.start + part.start..range.start + part.end;
                let changed = share_edits(&source[range.clone()], text)?;
                edits.extend(changed.map(|(part, text)| (shift(part), text)));
            }
            BlankKind::Condition => match *text {
                "always" => edits.push((range.clone(), "true".into())),
                "never" => edits.push((range.clone(), "false".into())),
                "opposite" => edits.extend([
                    (range.start..range.start, "!(".into()),
                    (range.end..range.end, ")".into()),
                ]),
                _ => {
                    return Err(usage_error(
                        "a condition holds always, never, or as the opposite",
                    ));
                }
            },
        }
    }
    Ok(edits)
}

/// Makes the replacements in a source. One inside of another that replaces a whole condition is dropped.
pub fn with_edits(source: &str, mut edits: SourceEdits) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut out, mut at) = (String::new(), 0);
    for (range, text) in edits {
        if range.start >= at {
            out.push_str(&source[at..range.start]);
            out.push_str(&text);
            at = range.end;
        }
    }
    out + &source[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_figures_dice_and_conditions() {
        let source = "fn f(a) {\n    // 7 of them\n    if a.size > 3 && has(a, \"big\") { return roll(\"2d6+1\", \"hits 4\") - 12; }\n    for i in 0..a.len() { a[0] = 5; }\n    if #{ b: 1 }.b == 1 { a } else { x2 }\n}";
        let texts: Vec<&str> = blanks(source)
            .into_iter()
            .map(|blank| &source[blank.range])
            .collect();
        assert_eq!(
            texts,
            [
                "a.size > 3 && has(a, \"big\")",
                "3",
                "2d6+1",
                "12",
                "5",
                "#{ b: 1 }.b == 1",
                "1",
                "1"
            ]
        );
        let texts = BTreeMap::from([
            (0, "opposite"),
            (1, "-4"),
            (2, "1d10"),
            (5, "never"),
            (6, "9"),
        ]);
        let filled = with_edits(source, blank_edits(source, &texts).expect("it is filled"));
        assert!(
            filled.contains(
                "if !(a.size > (-4) && has(a, \"big\")) { return roll(\"1d10\", \"hits 4\") - 12; }"
            ),
            "{filled}"
        );
        assert!(filled.contains("if false { a } else { x2 }"), "{filled}");
        for (index, wrong) in [(1, "two"), (2, "2x6"), (0, "sometimes"), (99, "1")] {
            assert!(
                blank_edits(source, &BTreeMap::from([(index, wrong)])).is_err(),
                "{wrong}"
            );
        }
    }
}
