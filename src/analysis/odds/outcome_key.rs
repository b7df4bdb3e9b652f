//! The keys by which values of outcomes are counted: a text that looks like a flag or a number has quotes, so that it is another value.
//! It is shown without them unless the outcome also has the value that it looks like.

use casebook_engine::situation::board::Board;
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text::outcome_text;

/// The placeholder value of an outcome that a run did not name.
pub const NO_OUTCOME: &str = "—";

pub fn outcome_key(value: &Value, board: &Board) -> String {
    let text = outcome_text(value, board);
    if matches!(value, Value::Text(_)) && looks_like_other(&text) {
        quoted(&text)
    } else {
        text
    }
}

/// Returns the key of a text that looks like a value of another kind.
pub fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// Returns the text of a key that has quotes because it looks like a value of another kind.
pub fn unquoted(key: &str) -> Option<&str> {
    key.strip_prefix('"')?
        .strip_suffix('"')
        .filter(|text| looks_like_other(text))
}

/// Returns a key without its quotes.
pub fn plain(key: &str) -> &str {
    unquoted(key).unwrap_or(key)
}

/// Returns whether a text looks like a flag or a number.
pub fn looks_like_other(text: &str) -> bool {
    matches!(text, "yes" | "no")
        || text
            .parse::<i64>()
            .is_ok_and(|number| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_that_look_like_other_values_have_quotes() {
        let board = Board::default();
        let key = |value: Value| outcome_key(&value, &board);
        assert_eq!(
            [
                key(Value::True),
                key("yes".into()),
                key(7.into()),
                key("7".into())
            ],
            ["yes", "\"yes\"", "7", "\"7\""]
        );
        assert_eq!(
            [key("retreat".into()), key("007".into())],
            ["retreat", "007"]
        );
        assert_eq!(
            [plain("\"yes\""), plain("yes"), plain("\"retreat\"")],
            ["yes", "yes", "\"retreat\""]
        );
    }
}
