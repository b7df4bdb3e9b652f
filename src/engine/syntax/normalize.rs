//! Removes comments and extra white space from scripts, so that they can be compared.

/// Removes comments and replaces each run of white space by one space. String literals are unchanged.
pub fn normalize(text: &str) -> String {
    let (mut out, mut remaining) = (String::new(), text);
    while let Some(letter) = remaining.chars().next() {
        let length = match letter {
            '/' if remaining.starts_with("//") => remaining.find('\n').unwrap_or(remaining.len()),
            '/' if remaining.starts_with("/*") => comment_length(remaining),
            '"' | '`' | '\'' => {
                let quoted = quoted_length(remaining, letter);
                out.push_str(&remaining[..quoted]);
                remaining = &remaining[quoted..];
                continue;
            }
            _ if letter.is_whitespace() => letter.len_utf8(),
            _ => {
                out.push(letter);
                remaining = &remaining[letter.len_utf8()..];
                continue;
            }
        };
        remaining = &remaining[length..];
        if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.trim_end().to_string()
}

/// Returns the length of the comment at the start of a text, or 0. Block comments nest.
fn comment_length(text: &str) -> usize {
    let (mut depth, mut index) = (0, 0);
    while index < text.len() {
        let remaining = &text.as_bytes()[index..];
        index += match remaining {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        if depth == 0 {
            return index;
        }
    }
    text.len()
}

/// Returns the length of the string literal at the start of a text.
pub fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return index + quote.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
