//! Explains in the terminal why an answer is not allowed, and why a question is asked, by the calling cases.

use crate::ruling::resolve::cite_case;
use crate::ruling::session::Session;
use crate::ruling::terminal_page::TerminalPage;

/// Maximum number of lines of an explanation.
const MAX_LINES: usize = 10;

/// Explains why a typed place is not among the options; `None` if it is no place.
pub fn why_not(session: &Session, typed: &str, page: TerminalPage) -> Option<String> {
    let why = session.why_not(typed)?;
    let by = if why.question.is_empty() { String::new() } else { format!("{}: ", why.question) };
    Some(page.line(&format!("{typed} is not open. {by}{}", why.line.text), &why.line.cites).trim_end().to_string())
}

/// Formats the case that determines the options.
pub fn asking_case(session: &Session) -> String {
    let ruleset = session.situation.ruleset();
    let case = session.call_stack().last().copied();
    case.map_or(String::new(), |case| {
        format!("; {} says what is open ({}), and ? why it is asked", cite_case(ruleset, case), ruleset.cases[case].title)
    })
}

/// Lists the calling cases, innermost last, and the lookups since the last answer, in at most `MAX_LINES` lines.
pub fn why_asked(session: &Session, looked_up: &[String]) -> Vec<String> {
    let ruleset = session.situation.ruleset();
    let asking = session.call_stack();
    let mut lines: Vec<String> = Vec::new();
    let shown = asking.len().min(MAX_LINES / 2);
    for (depth, case) in asking[asking.len() - shown..].iter().enumerate() {
        lines.push(format!("{}{}  {}", "  ".repeat(depth + 1), cite_case(ruleset, *case), ruleset.cases[*case].title));
    }
    if looked_up.is_empty() {
        return lines;
    }
    lines.push("  looked up since the last answer:".into());
    let room = MAX_LINES - lines.len();
    let shown = if looked_up.len() > room { room - 1 } else { looked_up.len() };
    lines.extend(looked_up[..shown].iter().map(|line| format!("    {line}")));
    if shown < looked_up.len() {
        lines.push(format!("    and {} more; ?? lists everything", looked_up.len() - shown));
    }
    lines
}

/// Formats a menu: the options with their descriptions.
pub fn menu_lines(texts: &[String], words: Vec<String>, page: TerminalPage) -> Vec<String> {
    let line = |((option, number), words): ((&String, i32), String)| {
        let words = if words.is_empty() { words } else { page.paint("2", &format!("  ({words})")) };
        // A numeric option is selected by its value, so it gets no index.
        let number = if has_number(texts) { "·".into() } else { number.to_string() };
        format!("  {number}  {option}{words}\n")
    };
    texts.iter().zip(1..).zip(words).map(line).collect()
}

/// Returns whether any option is a number.
pub fn has_number(texts: &[String]) -> bool {
    texts.iter().any(|text| text.parse::<i64>().is_ok())
}
