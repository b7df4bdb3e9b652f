//! Why an answer is not open: what the game's own questions of the map say of it, else the cases that ask.

use crate::ruling::page::Page;
use crate::ruling::resolve::{Line, Order, Ruling, cite, resolve};
use crate::ruling::session::{Session, Waits};

/// So many lines say why.
const MOST: usize = 10;

/// Why a place that is typed is not among the options: for each piece the question names, what closes the place to it, with its case.
/// Nothing where the game has no such question, or what was typed is open or is no place.
pub fn why_not(session: &Session, typed: &str, page: Page) -> Option<String> {
    let Waits::Choice(asked) = session.waits() else { return None };
    let game = &session.situation.ruleset().game;
    if game.knows("place", typed) == Some(false) {
        return None;
    }
    let board = session.board();
    let known = game.places.hexes || board.places().any(|(place, _)| place.as_str() == typed);
    // The longest name that the question has in it.
    let mut names: Vec<&str> = board.names().map(|name| name.as_str()).filter(|name| asked.what.contains(name)).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.chars().count()));
    let piece = names.first().filter(|_| known)?.to_string();
    for question in &game.board {
        let (Some(as_piece), Some(as_place)) = (&question.piece, &question.place) else { continue };
        let given = [(as_piece.as_str(), piece.as_str()), (as_place.as_str(), typed)];
        let Ok(situation) = session.situation.asking(&question.procedure, &given, board) else { continue };
        let Ok(ran) = resolve(&mut situation.machine(), &situation, Order::default()) else { continue };
        if let Some(line) = verdict(&ran.ruling, typed) {
            let text = format!("{typed} is not open. {}: {}", question.name, line.text);
            return Some(page.line(&text, &line.cites).trim_end().to_string());
        }
    }
    None
}

/// Who says what is open: the case that asks.
pub fn who_asks(session: &Session) -> String {
    let ruleset = session.situation.ruleset();
    let case = session.asking().last().copied();
    case.map_or(String::new(), |case| {
        format!("; {} says what is open ({}), and ? why it is asked", cite(ruleset, case), ruleset.cases[case].title)
    })
}

/// The line of a ruling that says what is so of a place: its refusal, or the last line that names it.
fn verdict(ruling: &Ruling, place: &str) -> Option<Line> {
    let mut lines = ruling.steps.iter().flat_map(|step| &step.lines).rev();
    ruling.refused.clone().or_else(|| lines.find(|line| line.text.contains(place)).cloned())
}

/// The cases that ask, the innermost last, and what was looked up since the last answer: no more than a few lines.
pub fn why(session: &Session, looked_up: &[String]) -> Vec<String> {
    let ruleset = session.situation.ruleset();
    let asking = session.asking();
    let mut lines: Vec<String> = Vec::new();
    let shown = asking.len().min(MOST / 2);
    for (depth, case) in asking[asking.len() - shown..].iter().enumerate() {
        lines.push(format!("{}{}  {}", "  ".repeat(depth + 1), cite(ruleset, *case), ruleset.cases[*case].title));
    }
    if looked_up.is_empty() {
        return lines;
    }
    lines.push("  looked up since the last answer:".into());
    let room = MOST - lines.len();
    let fits = if looked_up.len() > room { room - 1 } else { looked_up.len() };
    lines.extend(looked_up[..fits].iter().map(|line| format!("    {line}")));
    if fits < looked_up.len() {
        lines.push(format!("    and {} more; ?? lists everything", looked_up.len() - fits));
    }
    lines
}

/// The lines of a menu: the options with what stands beside them.
pub fn menu(texts: &[String], words: Vec<String>, page: Page) -> Vec<String> {
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
