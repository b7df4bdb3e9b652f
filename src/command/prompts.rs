//! What `casebook play` says beside a question: what can be typed, why it is asked, and why an answer is not allowed.

use casebook_engine::code::state::{ThrowReading, ThrowRequest};
use casebook_engine::complaint::Error;
use casebook_engine::notation::Face;
use casebook_engine::ruling::resolve::cite_case;
use casebook_engine::ruling::session::Session;
use casebook_engine::ruling::terminal_page::TerminalPage;

/// Returns what counts of a throw, and what can be typed: `   [Enter rolls, or type the face]`.
pub fn throw_hint(request: &ThrowRequest) -> String {
    let (verb, single, plural) = if request.is_draw() {
        ("draws", "the card", "cards")
    } else {
        ("rolls", "the face", "faces")
    };
    let answer = match request.dice.dice_count() {
        _ if request.dice.may_go_on() => "all faces, also of dice thrown again".to_string(),
        1 => single.to_string(),
        count => format!("{count} {plural}"),
    };
    let counted = match request.reading {
        ThrowReading::Hits(band) => format!(", each {} counts", band.in_words()),
        ThrowReading::AtMost(most) => format!(", {most} or less is true"),
        ThrowReading::Symbol(index) => format!(
            ", each {} counts",
            request.dice.symbols().get(index as usize).unwrap_or(&"one")
        ),
        ThrowReading::CardsInOrder => ", the first on top".into(),
        _ => String::new(),
    };
    format!("{counted}   [Enter {verb}, or type {answer}]")
}

/// Reads the faces that were typed. The name of a card may have spaces: several are then separated by commas.
pub fn typed_faces(request: &ThrowRequest, line: &str) -> Result<Vec<Face>, Error> {
    let parts: Vec<&str> =
        match request.is_draw() && (request.dice.dice_count() == 1 || line.contains(',')) {
            true => line.split(',').collect(),
            false => line.split([' ', ',']).collect(),
        };
    let faces: Result<Vec<Face>, _> = parts
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .map(str::parse)
        .collect();
    faces.map_err(|_| {
        Error::Usage(format!(
            "`{line}` is not a row of faces; type each die singly, such as 3 5; h helps"
        ))
    })
}

/// Maximum number of lines of an explanation.
const MAX_LINES: usize = 10;

/// Explains why a typed place is not among the options.
pub fn why_not(session: &Session, typed: &str, page: TerminalPage) -> Result<String, Error> {
    let reason = session.why_not(typed)?;
    let by = if reason.question.is_empty() {
        String::new()
    } else {
        format!("{}: ", reason.question)
    };
    Ok(page
        .line(
            &format!("{} {by}{}", reason.verdict, reason.line.text),
            &reason.line.cites,
        )
        .trim_end()
        .to_string())
}

/// Formats the case that determines the options.
pub fn asking_case(session: &Session) -> String {
    let ruleset = session.situation.ruleset();
    let case = session.call_stack().last().copied();
    case.map_or(String::new(), |case| {
        format!(
            "; {} says what is open ({}), and ? why it is asked",
            cite_case(ruleset, case),
            ruleset.cases[case].title
        )
    })
}

/// Lists the calling cases, innermost last, and the lookups since the last answer, in at most `MAX_LINES` lines.
pub fn why_asked(session: &Session, looked_up: &[String]) -> Vec<String> {
    let ruleset = session.situation.ruleset();
    let asking = session.call_stack();
    let mut lines: Vec<String> = Vec::new();
    let shown = asking.len().min(MAX_LINES / 2);
    for (depth, case) in asking[asking.len() - shown..].iter().enumerate() {
        lines.push(format!(
            "{}{}  {}",
            "  ".repeat(depth + 1),
            cite_case(ruleset, *case),
            ruleset.cases[*case].title
        ));
    }
    if looked_up.is_empty() {
        return lines;
    }
    lines.push("  looked up since the last answer:".into());
    let room = MAX_LINES - lines.len();
    let shown = if looked_up.len() > room {
        room - 1
    } else {
        looked_up.len()
    };
    lines.extend(looked_up[..shown].iter().map(|line| format!("    {line}")));
    if shown < looked_up.len() {
        lines.push(format!(
            "    and {} more; ?? lists everything",
            looked_up.len() - shown
        ));
    }
    lines
}

/// Formats a menu: the options with their descriptions.
pub fn menu_lines(texts: &[String], notes: Vec<String>, page: TerminalPage) -> Vec<String> {
    let line = |((option, number), note): ((&String, i32), String)| {
        let note = if note.is_empty() {
            note
        } else {
            page.paint("2", &format!("  ({note})"))
        };
        // A numeric option is selected by its value, so it gets no index.
        let number = if has_number(texts) {
            "·".into()
        } else {
            number.to_string()
        };
        format!("  {number}  {option}{note}\n")
    };
    texts.iter().zip(1..).zip(notes).map(line).collect()
}

/// Returns whether any option is a number.
pub fn has_number(texts: &[String]) -> bool {
    texts.iter().any(|text| text.parse::<i64>().is_ok())
}
