//! Explains why an answer is not allowed, by the map questions of the game, and why a question is asked, by the calling cases.

use crate::ruling::resolve::{ResolveRequest, Ruling, RulingLine, cite_case, resolve};
use crate::ruling::session::{Session, WaitingFor};
use crate::ruling::terminal_page::TerminalPage;

/// Maximum number of lines of an explanation.
const MAX_LINES: usize = 10;

/// Explains why a typed place is not among the options: asks the game's map questions about the piece in the question and the place.
/// Returns `None` if no such question applies or the text is not a place.
pub fn why_not(session: &Session, typed: &str, page: TerminalPage) -> Option<String> {
    let WaitingFor::Choice(asked) = session.waiting_for() else { return None };
    let game = &session.situation.ruleset().game;
    if game.is_known_name("place", typed) == Some(false) {
        return None;
    }
    let board = session.board();
    let known = game.places.is_hex_grid || board.places().any(|(place, _)| place.as_str() == typed);
    // The longest piece name that occurs in the question is meant.
    let mut names: Vec<&str> = board.names().map(|name| name.as_str()).filter(|name| asked.question.contains(name)).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.chars().count()));
    let piece = names.first().filter(|_| known)?.to_string();
    for question in &game.map_questions {
        let (Some(as_piece), Some(as_place)) = (&question.piece_param, &question.place_param) else { continue };
        let given = [(as_piece.as_str(), piece.as_str()), (as_place.as_str(), typed)];
        let Ok(situation) = session.situation.with_procedure(&question.procedure, &given, board) else { continue };
        let Ok(ran) = resolve(&mut situation.machine(), &situation, ResolveRequest::default()) else { continue };
        if let Some(line) = line_about(&ran.ruling, typed) {
            let text = format!("{typed} is not open. {}: {}", question.name, line.text);
            return Some(page.line(&text, &line.cites).trim_end().to_string());
        }
    }
    None
}

/// Formats the case that determines the options.
pub fn asking_case(session: &Session) -> String {
    let ruleset = session.situation.ruleset();
    let case = session.call_stack().last().copied();
    case.map_or(String::new(), |case| {
        format!("; {} says what is open ({}), and ? why it is asked", cite_case(ruleset, case), ruleset.cases[case].title)
    })
}

/// Returns the line of a ruling about a place: the refusal, otherwise the last line that names it.
fn line_about(ruling: &Ruling, place: &str) -> Option<RulingLine> {
    let mut lines = ruling.steps.iter().flat_map(|step| &step.lines).rev();
    ruling.refused.clone().or_else(|| lines.find(|line| line.text.contains(place)).cloned())
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
    let fits = if looked_up.len() > room { room - 1 } else { looked_up.len() };
    lines.extend(looked_up[..fits].iter().map(|line| format!("    {line}")));
    if fits < looked_up.len() {
        lines.push(format!("    and {} more; ?? lists everything", looked_up.len() - fits));
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
