//! Why an answer is not open: what the game's own questions of the map say of it, else the cases that ask.

use crate::ruling::resolve::{ResolveRequest, Ruling, RulingLine, cite_case, resolve};
use crate::ruling::session::{Session, WaitingFor};
use crate::ruling::terminal_page::TerminalPage;

/// So many lines say why.
const MAX_LINES: usize = 10;

/// Why a place that is typed is not among the options: for each piece the question names, what closes the place to it, with its case.
/// Nothing where the game has no such question, or what was typed is open or is no place.
pub fn why_not(session: &Session, typed: &str, page: TerminalPage) -> Option<String> {
    let WaitingFor::Choice(asked) = session.waiting_for() else { return None };
    let game = &session.situation.ruleset().game;
    if game.is_known_name("place", typed) == Some(false) {
        return None;
    }
    let board = session.board();
    let known = game.places.is_hex_grid || board.places().any(|(place, _)| place.as_str() == typed);
    // The longest name that the question has in it.
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

/// Who says what is open: the case that asks.
pub fn asking_case(session: &Session) -> String {
    let ruleset = session.situation.ruleset();
    let case = session.call_stack().last().copied();
    case.map_or(String::new(), |case| {
        format!("; {} says what is open ({}), and ? why it is asked", cite_case(ruleset, case), ruleset.cases[case].title)
    })
}

/// The line of a ruling that says what is so of a place: its refusal, or the last line that names it.
fn line_about(ruling: &Ruling, place: &str) -> Option<RulingLine> {
    let mut lines = ruling.steps.iter().flat_map(|step| &step.lines).rev();
    ruling.refused.clone().or_else(|| lines.find(|line| line.text.contains(place)).cloned())
}

/// The cases that ask, the innermost last, and what was looked up since the last answer: no more than a few lines.
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

/// The lines of a menu: the options with what stands beside them.
pub fn menu(texts: &[String], words: Vec<String>, page: TerminalPage) -> Vec<String> {
    let line = |((option, number), words): ((&String, i32), String)| {
        let words = if words.is_empty() { words } else { page.paint("2", &format!("  ({words})")) };
        // A number that is an option is what it says, and not a place in the row.
        let number = if numbers(texts) { "·".into() } else { number.to_string() };
        format!("  {number}  {option}{words}\n")
    };
    texts.iter().zip(1..).zip(words).map(line).collect()
}

/// Whether any of the options is a number.
pub fn numbers(texts: &[String]) -> bool {
    texts.iter().any(|text| text.parse::<i64>().is_ok())
}
