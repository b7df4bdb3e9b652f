//! What beginners mistake in a script, said in plain words, with the line as it should be.

use crate::complaint::{Fix, MendedLine, Message, nearest_names};
use std::collections::BTreeSet;
use std::ops::Range;

/// What is wrong, and the line as it should be.
pub struct SyntaxRemedy {
    /// What is wrong.
    pub message: Message,
    /// How to mend it.
    pub help: String,
    /// The correction that makes the line as it should be.
    pub fix: Option<Fix>,
}

/// Words of other languages, with what scripts have for them.
const FOREIGN_WORDS: [(&str, &str); 16] = [
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("elseif", "else if"),
    ("elif", "else if"),
    ("elsif", "else if"),
    ("def", "fn"),
    ("function", "fn"),
    ("True", "true"),
    ("False", "false"),
    ("None", "()"),
    ("null", "()"),
    ("nil", "()"),
    ("undefined", "()"),
    ("var", "let"),
    ("throw", "roll"),
];

/// Forms of JavaScript, with what scripts have for them, and what is written in their place; nothing where the line is written anew.
const FOREIGN_FORMS: [(&str, &str, &str); 9] = [
    ("for (let ", "`for i in 0..n`, which counts to n - 1", ""),
    ("===", "`==`", "=="),
    ("!==", "`!=`", "!="),
    ("++", "`+= 1`", " += 1"),
    ("--", "`-= 1`", " -= 1"),
    ("'", "quotation marks, \"", "\""),
    (" ? ", "`if ... { ... } else { ... }` as a value", ""),
    ("Math.floor(", "`/`, which rounds down", "("),
    ("Math.", "plain names: `max(a, b)`", ""),
];

/// A form of JavaScript in a line.
struct ForeignForm {
    form: &'static str,
    /// What scripts have for it.
    own: &'static str,
    /// The line with that.
    mended: Option<String>,
}

fn foreign_form(line: &str) -> Option<ForeignForm> {
    let code = without_texts(code_of(line));
    let mut forms = FOREIGN_FORMS.iter();
    if let Some((form, own, by)) = forms.find(|(form, ..)| code.contains(form)) {
        return Some(ForeignForm {
            form: form.trim(),
            own,
            mended: (!by.is_empty()).then(|| line.replace(form, by)),
        });
    }
    let (form, own, mended) = match closure(line) {
        Some(closure) => ("=>", "`|x| ...` for a closure", closure),
        None => ("{", "`#{ ... }` for a map", map(line)?),
    };
    let mended = Some(mended);
    Some(ForeignForm { form, own, mended })
}

/// Rewrites `x => ...` and `(x, y) => ...`, which an argument or a value is.
fn closure(line: &str) -> Option<String> {
    let (head, body) = line.split_once("=>")?;
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let head = head.trim_end();
    let (lead, names) = match head.strip_suffix(')') {
        Some(head) => head.rsplit_once('(')?,
        None => head.split_at(head.trim_end_matches(is_of_name).len()),
    };
    lead.trim_end()
        .ends_with(['(', ',', '='])
        .then(|| format!("{lead}|{names}|{body}"))
}

/// Rewrites `{ name: value }`.
fn map(line: &str) -> Option<String> {
    let is_map = |at: &usize| {
        let inside = line[at + 1..].trim_start();
        let key = inside
            .trim_start_matches(|letter: char| letter.is_alphanumeric() || "_\"".contains(letter));
        key.len() < inside.len() && key.trim_start().starts_with(':') && !line[..*at].ends_with('#')
    };
    let at = line.match_indices('{').map(|(at, _)| at).find(is_map)?;
    Some(format!("{}#{}", &line[..at], &line[at..]))
}

/// Returns code with the texts in it left blank.
fn without_texts(code: &str) -> String {
    let mut quoted = false;
    let blank = |letter: char| {
        quoted ^= letter == '"';
        if quoted && letter != '"' { ' ' } else { letter }
    };
    code.chars().map(blank).collect()
}

/// Brackets, each with its counterpart.
const BRACKETS: [(char, char); 3] = [('{', '}'), ('(', ')'), ('[', ']')];

/// Quotation marks of word processors.
const TYPOGRAPHIC_QUOTES: [char; 8] = ['“', '”', '„', '‟', '‘', '’', '«', '»'];

/// Returns the remedy of a mistake at a line and a column, from 1; `message` is what the parser says, `undefined` the variable that it does
/// not know. `None` where nothing better is known than what the parser says.
pub fn remedy(
    text: &str,
    line: usize,
    column: usize,
    parser_message: &str,
    undefined: Option<&str>,
) -> Option<SyntaxRemedy> {
    let lines: Vec<&str> = text.lines().collect();
    let source = lines.get(line.checked_sub(1)?).copied().unwrap_or_default();
    let at = source
        .char_indices()
        .nth(column.saturating_sub(1))
        .map_or(source.len(), |(at, _)| at);
    let (before, behind) = source.split_at(at);
    let word: String = behind
        .chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect();
    let with_word = |new: &str| format!("{before}{new}{}", &behind[word.len()..]);
    let write = |line: &str| format!("write `{}`", line.trim());
    let simple = |message: String, number: usize, mended: &str| {
        let was = lines.get(number - 1)?.to_string();
        Some(SyntaxRemedy {
            message: message.into(),
            help: write(mended),
            fix: Some(Fix::Line(MendedLine {
                line: number,
                was,
                now: mended.into(),
            })),
        })
    };
    if let Some(quote) = source
        .chars()
        .find(|letter| TYPOGRAPHIC_QUOTES.contains(letter))
        .filter(|_| parser_message.starts_with("Unexpected"))
    {
        let straight = source.replace(TYPOGRAPHIC_QUOTES, "\"");
        return simple(
            format!("`{quote}` is a quotation mark of a word processor; a script has \""),
            line,
            &straight,
        );
    }
    if let Some(ForeignForm { form, own, mended }) = foreign_form(source) {
        let message = format!("`{form}` is not written like this in scripts: they have {own}");
        return match mended {
            Some(mended) => simple(message, line, &mended),
            None => Some(SyntaxRemedy {
                message: message.into(),
                help: format!("write it with {own}"),
                fix: None,
            }),
        };
    }
    if let Some((foreign, own)) = FOREIGN_WORDS.iter().find(|(foreign, _)| *foreign == word) {
        let mut mended = with_word(own).replace("! ", "!");
        if *own == "fn" {
            mended = mended.trim_end_matches([' ', ':', '{']).to_string() + " {";
        }
        let message = format!("`{foreign}` is not a word of scripts: they have `{own}`");
        return simple(message, line, &mended);
    }
    if let Some(name) = undefined {
        let similar = nearest_names(
            name,
            known_names(text)
                .into_iter()
                .filter(|candidate| *candidate != name),
        );
        let help = match similar.first() {
            Some(meant) => write(&with_word(meant)),
            None => format!(
                "give it a value first: `let {name} = ...;`; or quote it, if it is a word: \"{name}\""
            ),
        };
        let fix = similar.first().cloned().map(Fix::Replace);
        let message =
            Message::with_suggestions(format!("nothing is called `{name}` here"), similar);
        return Some(SyntaxRemedy { message, help, fix });
    }
    if parser_message.starts_with("Possibly a typo of '=='") {
        let mended = format!("{before}=={}", behind.trim_start_matches('='));
        let message = "`=` gives a value; `==` asks whether two are equal";
        return simple(message.into(), line, &mended);
    }
    let open = unclosed_bracket(text, (line, at));
    // An earlier function that is not closed, and a list that goes on into the next statement.
    let is_next_function = ["fn", "private"].contains(&&*word) && before.is_empty();
    let is_next_line = parser_message.starts_with("Expecting ','") && before.trim().is_empty();
    if let Some(opened) = open.filter(|_| is_next_line)
        && is_balanced(&lines, opened.line)
        && let Some(number) = last_code_line(&lines, line)
    {
        let above = lines[number - 1];
        let message = match number + 1 == line {
            true => "the line above has no comma at its end".to_string(),
            false => format!("line {} has no comma at its end", number),
        };
        return simple(message, number, &with_end(above, ","));
    }
    if let Some(open) = open.filter(|_| is_next_function || is_next_line) {
        return Some(not_closed(&lines, open, line));
    }
    if parser_message.starts_with("Expecting ',' to separate")
        && before.ends_with(|letter: char| letter.is_ascii_digit())
        && let Some(dice) = dice_at(source, at)
    {
        let mended = format!(
            "{}\"{}\"{}",
            &source[..dice.start],
            &source[dice.clone()],
            &source[dice.end..]
        );
        let message = format!("dice stand in quotation marks: \"{}\"", &source[dice]);
        return simple(message, line, &mended);
    }
    if parser_message.starts_with("Expecting ',' to separate")
        && code_of(source).matches('"').count() % 2 == 1
    {
        let mut parts: Vec<String> = source.split('"').map(String::from).collect();
        let joined = (1..parts.len())
            .step_by(2)
            .find(|index| parts[*index].ends_with(", "));
        let message =
            "a quotation mark is missing in this line: each text begins and ends with one";
        if let Some(index) = joined {
            let text = parts[index].trim_end_matches(", ").to_string();
            parts[index] = format!("{text}\", ");
            return simple(message.into(), line, &parts.join("\""));
        }
        return Some(SyntaxRemedy {
            message: message.to_string().into(),
            help: "write \" where the text begins or ends".into(),
            fix: None,
        });
    }
    if parser_message.starts_with("Expecting ',' to separate") && !before.trim().is_empty() {
        let mended = format!("{}, {behind}", before.trim_end());
        return simple(
            format!(
                "a comma is missing before `{}`",
                behind.split_whitespace().next().unwrap_or_default()
            ),
            line,
            &mended,
        );
    }
    if parser_message.starts_with("Expecting ';' to terminate") {
        let own = !before.trim().is_empty();
        let (number, mended) = if own {
            (line, before)
        } else {
            let number = last_code_line(&lines, line)?;
            (number, lines[number - 1])
        };
        let message = if own {
            "a semicolon is missing here".into()
        } else {
            match number + 1 == line {
                true => "the line above has no semicolon at its end".to_string(),
                false => format!("line {} has no semicolon at its end", number),
            }
        };
        return simple(message, number, &with_end(mended, ";"));
    }
    if parser_message.starts_with("Open string is not terminated") {
        let (head, tail) = behind.split_at(1.min(behind.len()));
        let end = tail
            .find(|letter: char| !(letter.is_alphanumeric() || letter == '-'))
            .unwrap_or(tail.len());
        return simple(
            "this quotation mark is not closed".into(),
            line,
            &format!("{before}{head}{}\"{}", &tail[..end], &tail[end..]),
        );
    }
    let is_open = ["'}'", "')'", "']'"]
        .iter()
        .any(|sign| parser_message.contains(sign))
        && (parser_message.starts_with("Expecting") || parser_message.starts_with("Unexpected"));
    open.filter(|_| is_open)
        .map(|open| not_closed(&lines, open, line))
}

/// Returns the number of the last line before a line that is not empty or a comment only.
fn last_code_line(lines: &[&str], line: usize) -> Option<usize> {
    (1..line).rfind(|number| !code_of(lines[number - 1]).trim().is_empty())
}

/// Returns whether every bracket of the function around a line, from 0, has its counterpart: then what is missing is no bracket.
fn is_balanced(lines: &[&str], at: usize) -> bool {
    let is_head = |line: &&str| line.starts_with("fn ") || line.starts_with("private fn ");
    let start = lines[..=at].iter().rposition(is_head).unwrap_or(0);
    let end = lines[at + 1..]
        .iter()
        .position(is_head)
        .map_or(lines.len(), |count| at + 1 + count);
    let mut open = Vec::new();
    for line in &lines[start..end] {
        let mut quoted = false;
        for letter in code_of(line).chars() {
            quoted ^= letter == '"';
            if quoted {
                continue;
            }
            if let Some((_, closing)) = BRACKETS.iter().find(|(bracket, _)| *bracket == letter) {
                open.push(*closing);
            } else if BRACKETS.iter().any(|(_, closing)| *closing == letter)
                && open.pop() != Some(letter)
            {
                return false;
            }
        }
    }
    open.is_empty()
}

/// Returns the bytes of dice without quotation marks around a position: `2d6` at the `d`.
fn dice_at(source: &str, at: usize) -> Option<Range<usize>> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let start = source[..at].trim_end_matches(is_digit).len();
    let sides = source[at..].strip_prefix('d')?;
    let end = source.len() - sides.trim_start_matches(is_digit).len();
    (end > at + 1).then_some(start..end)
}

/// Returns a line without the comment at its end.
fn code_of(line: &str) -> &str {
    let mut quoted = false;
    let comment = line.char_indices().find(|(at, letter)| {
        quoted ^= *letter == '"';
        !quoted && line[*at..].starts_with("//")
    });
    &line[..comment.map_or(line.len(), |(at, _)| at)]
}

/// Puts a sign at the end of the code of a line, before its comment.
fn with_end(line: &str, sign: &str) -> String {
    let code = code_of(line);
    let (code, gap) = (code.trim_end(), &code[code.trim_end().len()..]);
    format!("{code}{sign}{gap}{}", &line[code.len() + gap.len()..])
        .trim_end()
        .to_string()
}

/// Says that a bracket is not closed, and where it is to be: at the end of its line, if what it holds can end there. `fault` is the line, from
/// 1, at which the parser noticed it.
fn not_closed(lines: &[&str], open: OpenBracket, fault: usize) -> SyntaxRemedy {
    let OpenBracket {
        line: opened,
        bracket,
        closing,
    } = open;
    let message = format!("the `{bracket}` in line {} is not closed", opened + 1).into();
    let code = code_of(lines[opened]).trim_end();
    let indent = |line: &str| line.len() - line.trim_start().len();
    if closing == '}' && code.ends_with('{') {
        // A block ends before the next line that is not further in.
        let is_code = |line: &str| !code_of(line).trim().is_empty();
        let ends = (opened + 1..lines.len())
            .find(|at| is_code(lines[*at]) && indent(lines[*at]) <= indent(lines[opened]))
            .map_or(fault, |at| at + 1);
        let before = (opened + 1..ends - 1).rfind(|at| is_code(lines[*at]));
        let behind = before.map_or(opened + 1, |at| at + 1);
        return SyntaxRemedy {
            message,
            help: format!("write `}}` in a line of its own behind line {}", behind),
            fix: Some(Fix::Line(MendedLine {
                line: behind,
                was: lines[behind - 1].into(),
                now: format!(
                    "{}\n{}}}",
                    lines[behind - 1],
                    " ".repeat(indent(lines[opened]))
                ),
            })),
        };
    }
    if code.ends_with(',') {
        return SyntaxRemedy {
            message,
            help: format!("write `{closing}` where it ends"),
            fix: None,
        };
    }
    let is_let = code.trim_start().starts_with("let ");
    let (body, end) = match code.strip_suffix(';') {
        Some(body) => (body, ";"),
        None => (code, if is_let { ";" } else { "" }),
    };
    let gap = if closing == '}' { " " } else { "" };
    let mended = format!("{body}{gap}{closing}{end}{}", &lines[opened][code.len()..]);
    SyntaxRemedy {
        message,
        help: format!("write `{}`", mended.trim()),
        fix: Some(Fix::Line(MendedLine {
            line: opened + 1,
            was: lines[opened].into(),
            now: mended,
        })),
    }
}

/// Returns the names that a script gives: its variables, parameters and functions.
fn known_names(text: &str) -> BTreeSet<&str> {
    let words = text
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty());
    let is_name = |word: &&str| {
        word.len() > 1 && word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
    };
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let all: Vec<&str> = words.collect();
    names.extend(
        all.windows(2)
            .filter(|pair| ["let", "for", "fn", "const"].contains(&pair[0]))
            .map(|pair| pair[1]),
    );
    let heads = text.lines().filter_map(|line| {
        line.trim_start_matches("private ")
            .strip_prefix("fn ")?
            .split_once('(')?
            .1
            .split(')')
            .next()
    });
    names.extend(heads.flat_map(|params| params.split(',').map(str::trim)));
    names.into_iter().filter(is_name).collect()
}

/// A bracket that is not closed.
#[derive(Clone, Copy)]
struct OpenBracket {
    /// The line, from 0.
    line: usize,
    bracket: char,
    closing: char,
}

/// Returns the last bracket that is open before a position; quoted texts and comments count for nothing.
fn unclosed_bracket(text: &str, (line, at): (usize, usize)) -> Option<OpenBracket> {
    let mut open: Vec<OpenBracket> = Vec::new();
    for (number, source) in text.lines().enumerate().take(line) {
        if source.starts_with("fn ") || source.starts_with("private fn ") {
            // What an earlier function has left open is said there.
            if let Some(left) = open.first() {
                return Some(*left);
            }
        }
        let indent = |line: &str| line.len() - line.trim_start().len();
        // A block that is closed further to the left than it begins is another one.
        if let Some(last) = open.last().filter(|_| source.trim_start().starts_with('}'))
            && text
                .lines()
                .nth(last.line)
                .is_some_and(|opened| indent(opened) > indent(source))
        {
            return Some(*last);
        }
        let code = code_of(source);
        let code = if number + 1 == line {
            code.get(..at).unwrap_or(code)
        } else {
            code
        };
        let mut quoted = false;
        for letter in code.chars() {
            match letter {
                '"' => quoted = !quoted,
                _ if quoted => {}
                letter => {
                    if let Some(&(bracket, closing)) =
                        BRACKETS.iter().find(|(bracket, _)| *bracket == letter)
                    {
                        open.push(OpenBracket {
                            line: number,
                            bracket,
                            closing,
                        });
                    } else if open.last().is_some_and(|last| last.closing == letter) {
                        open.pop();
                    }
                }
            }
        }
    }
    open.last().copied()
}
