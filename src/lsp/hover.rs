//! What a word is: a verb's page, a function or table with its chain of amendments, what a key says.

use crate::author::{explain, show};
use crate::code::verbs;
use crate::data::format::{self, Format, Holds, Key};
use crate::lsp::project::Project;
use crate::lsp::text::{self, Word};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

/// What stands at a place of a file.
pub fn at(project: &mut Project, key: &str, at: Position) -> Option<Hover> {
    let file = project.file(key)?;
    let said = if key.ends_with(".rhai") { code(project, key, &file.text, at) } else { data(project, key, &file.text, at) };
    let (word, said) = said?;
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: said });
    Some(Hover { contents, range: Some(text::range(&file.text, word.span)) })
}

fn code(project: &mut Project, key: &str, text: &str, at: Position) -> Option<(Word, String)> {
    let word = text::word(text, at)?;
    if text::before(text, at).starts_with("//!") {
        return of_key(&format::card::CARD, &[], &word.text).map(|said| (word, said));
    }
    let ruleset = project.ruleset(key)?;
    let own = ruleset.cases.iter().find(|case| case.has_file(key));
    if let Some(helper) = own.and_then(|case| case.functions.iter().find(|f| f.private && f.name == word.text)) {
        let said = format!("```\nprivate fn {}({})\n```\n{}", helper.name, helper.params.join(", "), helper.doc().join("\n"));
        return Some((word, said));
    }
    let slot = ruleset.slots.iter().any(|slot| slot.name == word.text);
    if verbs::knows(&word.text) && !word.quoted && !slot {
        let pages: Vec<String> = verbs::named(&word.text).map(|verb| fenced(&explain::verb(verb).text)).collect();
        return Some((word, pages.join("\n")));
    }
    named(project, key, word)
}

/// A thing of the game by its name, with its chain of amendments.
fn named(project: &mut Project, key: &str, word: Word) -> Option<(Word, String)> {
    let ruleset = project.ruleset(key)?;
    let shown = show::known(&ruleset, &word.text).ok()?;
    let pages: Vec<&str> = shown.iter().map(|page| page.text.as_str()).collect();
    let source = ruleset.slots.iter().find(|slot| slot.name == word.text).map(|slot| {
        let answer = slot.chain[0];
        let function = &ruleset.cases[answer.case].functions[answer.function];
        format!("```rust\nfn {}({})\n```\n", function.name, function.params.join(", "))
    });
    Some((word, source.unwrap_or_default() + fenced(&pages.join("\n")).as_str()))
}

fn fenced(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}

fn data(project: &mut Project, key: &str, text: &str, at: Position) -> Option<(Word, String)> {
    let word = text::word(text, at).filter(|word| word.quoted).or_else(|| text::plain(text, at))?;
    let end = Position { character: at.character, ..at };
    let (path, _) = text::path(text, Position { character: text::range(text, word.span).start.character, ..end });
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let is_key = text.lines().nth(at.line as usize)?.chars().nth(word.span.column - 1 + word.span.length) == Some(':');
    match format::of_file(key).filter(|_| is_key).and_then(|format| of_key(format, &path, &word.text)) {
        Some(said) => Some((word, said)),
        None => named(project, key, word),
    }
}

/// What a key of a format says.
fn of_key(format: &'static Format, path: &[&str], name: &str) -> Option<String> {
    let Key { holds, does, .. } = format.below(path)?.key(name)?;
    let below = match holds {
        Holds::Keys(part) | Holds::Entries(part) | Holds::Named(part) if !part.keys.is_empty() => {
            part.keys.iter().map(|key| format!("\n- `{}` {}", key.name, key.does)).collect()
        }
        _ => String::new(),
    };
    Some(format!("**{name}:** {does}\n\n{}{}", holds.word(), if below.is_empty() { below } else { format!("\n{below}") }))
}
