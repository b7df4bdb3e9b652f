//! Removes comments and extra white space from scripts, so that they can be compared.

/// Removes comments and replaces each run of white space by one space. String literals are unchanged.
pub fn normalize(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment_length(rest),
            '"' | '`' | '\'' => {
                let quoted = quoted_length(rest, first);
                out.push_str(&rest[..quoted]);
                rest = &rest[quoted..];
                continue;
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        rest = &rest[length..];
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
        let rest = &text.as_bytes()[index..];
        index += match rest {
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
fn quoted_length(text: &str, quote: char) -> usize {
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
