//! Parsers of `NAME=VALUE` arguments.

/// Splits an argument at `=`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    text.split_once('=').map(|(k, v)| (k.trim().into(), v.trim().into())).ok_or_else(|| format!("write it as NAME=VALUE, not `{text}`"))
}

/// Parses an option and its value, `on` or `off`.
pub fn option(text: &str) -> Result<(String, bool), String> {
    match pair(text)? {
        (name, on) if on == "on" => Ok((name, true)),
        (name, off) if off == "off" => Ok((name, false)),
        _ => Err(format!("an option is on or off, not `{text}`")),
    }
}
