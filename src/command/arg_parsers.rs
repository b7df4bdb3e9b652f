//! `NAME=VALUE`, as it is typed.

/// What stands on both sides of `=`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    text.split_once('=').map(|(k, v)| (k.trim().into(), v.trim().into())).ok_or_else(|| format!("write it as NAME=VALUE, not `{text}`"))
}

/// An option and whether it is on.
pub fn option(text: &str) -> Result<(String, bool), String> {
    match pair(text)? {
        (name, on) if on == "on" => Ok((name, true)),
        (name, off) if off == "off" => Ok((name, false)),
        _ => Err(format!("an option is on or off, not `{text}`")),
    }
}
