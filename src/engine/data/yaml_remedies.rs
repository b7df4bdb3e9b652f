//! What beginners mistake in a YAML file, said in plain words, with the line as it should be.

use crate::complaint::Span;

/// Returns what is wrong and how to mend it, where more is known than what the parser says.
pub fn yaml_remedy(text: &str, span: Span, fault: &str) -> Option<(String, String)> {
    let line = text.lines().nth(span.line.checked_sub(1)?)?;
    if fault.contains("tabs disallowed") && line.contains('\t') {
        return Some(("a tab stands here, and YAML takes spaces only".into(), format!("write `{}`", line.replace('\t', "  "))));
    }
    if let Some((open, close)) =
        [('{', '}'), ('[', ']')].into_iter().find(|(open, _)| fault.contains(&format!("unclosed bracket '{open}'")))
    {
        let gap = if open == '{' { " " } else { "" };
        return Some((format!("the `{open}` here is not closed"), format!("write `{}{gap}{close}`", line.trim_end())));
    }
    None
}
