//! `casebook explain`: a page about an error code, a verb, a kind of file, a key or a term.

use crate::block::{AnswerBlock, AnswerPage};
use casebook_checks::author::code_examples;
use casebook_checks::author::glossary::ENTRIES;
use casebook_engine::code::verbs::{self, Verb};
use casebook_engine::complaint::{DiagnosticCode, Error};
use casebook_engine::data::format::{FILE_FORMATS, FieldKey, FieldType, FileFormat};

/// Explains a name; returns one page for each meaning: error code, verb, kind of file or part of one, key, term. Fails if the name is unknown.
pub fn explain(name: &str) -> Result<Vec<AnswerPage>, Error> {
    let mut pages: Vec<AnswerPage> = explain_code(name).into_iter().collect();
    pages.extend(verbs::named(name).map(explain_verb));
    pages.extend(verbs::replacement(name).map(|(verb, call)| {
        let (text, see) = (
            format!("It is called `{verb}`: {call}"),
            format!("casebook explain {verb}"),
        );
        word_page(name, "a former verb", &text, &see)
    }));
    let words = ENTRIES.iter().filter(|word| word.names.contains(&name));
    pages.extend(words.map(|word| word_page(word.names[0], "a word", word.text, word.see_also)));
    let formats = formats().into_iter().filter(|format| format.name == name);
    pages.extend(formats.map(explain_format));
    pages.extend(explain_key(name));
    if pages.is_empty() {
        let kinds = "error code, verb, kind of file, key or word";
        return Err(Error::unknown(kinds, name, names()));
    }
    Ok(pages)
}

fn page_of(kind: &'static str, name: &str, title: String) -> AnswerPage {
    AnswerPage::new(kind, name, "", title)
}

/// Explains a term of the product, or what a former verb is called now.
fn word_page(name: &str, is: &str, text: &str, see: &str) -> AnswerPage {
    let blocks = [AnswerBlock::text(text), AnswerBlock::fact("see", [see])];
    page_of("word", name, format!("{name}: {is}")).with(blocks)
}

/// Returns all names that can be explained.
pub fn names() -> impl Iterator<Item = &'static str> {
    let codes = DiagnosticCode::ALL.iter().map(|code| code.as_str());
    let verbs = verbs::all().iter().map(|verb| verb.name);
    let words = ENTRIES.iter().flat_map(|word| word.names).copied();
    let formats = formats();
    let keys: Vec<&str> = formats
        .iter()
        .flat_map(|format| format.keys)
        .map(|key| key.name)
        .collect();
    codes
        .chain(verbs)
        .chain(words)
        .chain(formats.into_iter().map(|format| format.name))
        .chain(keys)
}

/// Returns every kind of file, and every part of one that has its own keys.
pub fn formats() -> Vec<&'static FileFormat> {
    let mut formats: Vec<&'static FileFormat> = FILE_FORMATS.to_vec();
    let mut next = 0;
    while let Some(format) = formats.get(next).copied() {
        let parts = format
            .keys
            .iter()
            .flat_map(|key| key.field_type.object_formats());
        let new: Vec<_> = parts
            .filter(|part| !formats.iter().any(|listed| listed.name == part.name))
            .collect();
        formats.extend(new);
        next += 1;
    }
    formats
}

/// Explains a key, with all places where it is allowed.
fn explain_key(name: &str) -> Option<AnswerPage> {
    let place = |(format, key): (&FileFormat, &FieldKey)| {
        let need = if key.required.is_some() {
            " (needed)"
        } else {
            ""
        };
        let title = format!("in {}: {}{need}", format.name, format.location);
        let holds = AnswerBlock::fact("It holds", [key.field_type.describe()]);
        AnswerBlock::section(title, vec![AnswerBlock::text(key.description), holds])
    };
    let keys = formats()
        .into_iter()
        .flat_map(|format| format.keys.iter().map(move |key| (format, key)));
    let places = keys.filter(|(_, key)| key.name == name).map(place);
    let page = page_of("key", name, format!("{name}: a key")).with(places);
    (!page.blocks.is_empty()).then_some(page)
}

/// Returns an overview: every error code with its first sentence, every kind of file, the words, and where to find the verbs.
pub fn overview() -> AnswerPage {
    let code = |code: &DiagnosticCode| {
        let text = code.explanation().replace('\n', " ");
        let sentence = text
            .split_once(". ")
            .map_or(text.trim_end_matches('.'), |(first, _)| first);
        vec![code.as_str().to_string(), format!("{sentence}.")]
    };
    let file = |format: &&FileFormat| vec![format.name.to_string(), format.location.to_string()];
    let codes = AnswerBlock::rows(DiagnosticCode::ALL.iter().map(code).collect());
    let files = AnswerBlock::rows(FILE_FORMATS.iter().map(file).collect());
    let words = ENTRIES.iter().map(|word| word.names[0]).collect::<Vec<_>>();
    let further = [
        ("error codes", codes),
        ("kinds of file", files),
        ("words", AnswerBlock::text(words.join(", "))),
        (
            "keys of files",
            AnswerBlock::text("each by its name, `casebook explain readings`"),
        ),
    ];
    let sections = further.map(|(title, block)| AnswerBlock::section(title, vec![block]));
    page_of("overview", "explain", "What can be explained".into()).with(sections)
}

/// Returns an overview of all verbs, grouped by subject.
pub fn verb_overview() -> AnswerPage {
    let row = |verb: &Verb| vec![verb.signature(), verb.description.to_string()];
    let section = |(subject, verbs): &(&str, &[Verb])| {
        AnswerBlock::section(
            *subject,
            vec![AnswerBlock::rows(verbs.iter().map(row).collect())],
        )
    };
    let more = AnswerBlock::text("`casebook explain VERB` has an example.");
    page_of("overview", "verbs", "The verbs of scripts".into())
        .with(verbs::SUBJECTS.iter().map(section).chain([more]))
}

fn explain_code(name: &str) -> Option<AnswerPage> {
    let code = *DiagnosticCode::ALL
        .iter()
        .find(|code| code.as_str() == name)?;
    let mut page = page_of("check", name, format!("{name}: a check"));
    page.push(AnswerBlock::text(code.explanation()));
    if let Some(shown) = code_examples::find(code) {
        let ((wrong_path, wrong), (path, right)) = (shown.wrong, shown.right);
        let place = if wrong_path == path {
            String::new()
        } else {
            format!(", in {path}")
        };
        let section = |title: String, text: &str| {
            AnswerBlock::section(title, vec![AnswerBlock::source(text)])
        };
        page.push(section(format!("Wrong, in {wrong_path}:"), wrong));
        page.push(section(format!("Right{place}:"), right));
        if !shown.command.is_empty() {
            page.push(AnswerBlock::fact(
                "Reported by",
                [format!("casebook {}", shown.command)],
            ));
        }
    }
    Some(page)
}

/// Explains a verb: its arguments, its effect, where it is allowed, and an example.
pub fn explain_verb(verb: &Verb) -> AnswerPage {
    let gives = (verb.returns != verbs::types::ANY).then(|| verbs::types::describe(verb.returns));
    let language = match verb.from_language {
        true => "It belongs to the language; a function of yours may have the same name.",
        false => "",
    };
    let example = vec![AnswerBlock::source(&verb.example.replace("; ", ";\n"))];
    page_of("verb", verb.name, format!("{}: a verb", verb.signature())).with([
        AnswerBlock::text(verb.description),
        AnswerBlock::fact("takes", [verb.describe_params()]),
        AnswerBlock::fact("gives", gives),
        AnswerBlock::fact("allowed in", [verb.allowed_in.describe()]),
        AnswerBlock::text(language),
        AnswerBlock::section(
            "An example, in the game that `casebook new game` creates:",
            example,
        ),
    ])
}

fn explain_format(format: &'static FileFormat) -> AnswerPage {
    let blocks = [
        AnswerBlock::text(format.description),
        AnswerBlock::fact("file", [format.location]),
    ];
    page_of(
        "file",
        format.name,
        format!("{}: a kind of file", format.name),
    )
    .with(blocks)
    .with(key_blocks(format, &mut vec![format.name]))
}

/// Lists the keys of a format and those of its parts; each part is listed once.
fn key_blocks(format: &'static FileFormat, listed: &mut Vec<&'static str>) -> Vec<AnswerBlock> {
    let mut rows = Vec::new();
    for key in format.keys {
        let need = if key.required.is_some() {
            " (needed)"
        } else {
            ""
        };
        rows.push(vec![
            format!("{}:", key.name),
            format!("{}{need}", key.description),
        ]);
        if let FieldType::OneOf(list) = key.field_type {
            rows.push(vec![String::new(), list.words.join(", ")]);
        }
    }
    if !format.extra_keys.is_empty() {
        rows.push(vec!["...".into(), format.extra_keys.into()]);
    }
    let mut blocks = vec![AnswerBlock::rows(rows)];
    for nested in format
        .keys
        .iter()
        .filter_map(|key| key.field_type.object_format())
    {
        if !listed.contains(&nested.name) {
            listed.push(nested.name);
            let title = format!("{}  {}", nested.location, nested.description);
            blocks.push(AnswerBlock::section(title, key_blocks(nested, listed)));
        }
    }
    blocks
}
