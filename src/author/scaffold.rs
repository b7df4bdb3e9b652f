//! `casebook new`: creates the files of a new variant or case from templates. Existing files are never overwritten.

use crate::author::cell_count::CellCount;
use crate::author::schema;
use crate::complaint::{Complaints, Error, edit_distance};
use crate::data::atomic_write::{write_atomic, write_new};
use crate::data::case::{Case, CaseFunction, number_from_stem};
use crate::data::format;
use crate::data::library::Library;
use crate::data::table::Table;
use crate::data::variant::Variant;
use crate::data::yaml_writer::write_scalar;
use crate::notation::is_case_number;
use crate::ruleset::compose::{Ruleset, RulesetSpec};
use crate::ruleset::diagnostics;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Creates a variant, optionally with blank copies of the game's charts.
pub fn new_variant(
    library: &Arc<Library>,
    root: &Path,
    game: &str,
    (name, title): (&str, Option<&str>),
    tables: bool,
) -> Result<(Vec<PathBuf>, Vec<CellCount>), Error> {
    check_plain_name(name)?;
    if library.variants.contains_key(name) || library.games.contains_key(name) {
        return Err(Error::Usage(format!("there is a variant or game called `{name}` already; nothing was written")));
    }
    let others: Vec<&str> = library.variants_of(game);
    let mut files = vec![(root.join("variants").join(name).join("variant.yaml"), variant_text(game, (name, title), &others))];
    let mut counts = Vec::new();
    if tables {
        let spec = RulesetSpec::new(game, &[]);
        let (ruleset, _) = diagnostics::build_ruleset(library, &spec)?;
        for id in ruleset.table_names() {
            let Some(table) = ruleset.table(id).map_err(Error::Data)? else { continue };
            // A chart whose cells are all known needs no blank copy.
            if table.cells.iter().any(|c| c.is_missing() || c.status == crate::data::status::Status::Reconstructed) {
                counts.push(CellCount::new(&table));
                let file = format!("{}.yaml", table.file.stem());
                files.push((root.join("variants").join(name).join("tables").join(file), blank_chart(&table)));
            }
        }
    }
    Ok((write_files(root, files)?, counts))
}

/// Returns the manifest of a new variant, laid over the others.
pub fn variant_text(game: &str, (name, title): (&str, Option<&str>), others: &[&str]) -> String {
    format!(
        "variant: {}\ntitle: {}\ngame: {}\nafter: [{}]      # it is laid over these where they are in force\n",
        write_scalar(name),
        write_scalar(title.unwrap_or(name)),
        write_scalar(game),
        others.iter().map(|name| write_scalar(name)).collect::<Vec<_>>().join(", ")
    )
}

/// Returns a chart with `?` in every cell that is not known from print. Known cells stay blank, because a variant may have corrected them.
fn blank_chart(table: &Table) -> String {
    let mut text = String::from(
        "# Type the printed figures over the question marks; what stays `?` falls back on the reconstruction, and what is blank is known.\n",
    );
    let _ = writeln!(
        text,
        "table: \"{}\"\ntitle: {}\nkind: revision\nstatus: printed\ncells:",
        table.id,
        write_scalar(&format!("{} as printed", table.title))
    );
    let [sheets, columns, rows] = &table.axes;
    let _ = writeln!(text, "  # columns: {}", columns.label_texts.join(", "));
    for (s, sheet) in sheets.label_texts.iter().enumerate() {
        let indent = if sheet.is_empty() { "  " } else { "    " };
        if !sheet.is_empty() {
            let _ = writeln!(text, "  \"{sheet}\":");
        }
        for (r, row) in rows.label_texts.iter().enumerate() {
            let cells: Vec<&str> = (0..columns.label_texts.len())
                .map(|c| {
                    let cell = &table.cells[(s * rows.label_texts.len() + r) * columns.label_texts.len() + c];
                    let known = cell.status.known() && !cell.is_missing();
                    if known { "\"\"" } else { "\"?\"" }
                })
                .collect();
            let _ = writeln!(text, "{indent}\"{row}\": [{}]", cells.join(", "));
        }
    }
    text
}

/// Creates a case. For a variant, it is an amendment if a layer below has the case, else an addition; without a variant, the case belongs
/// to the game. The name of a function stands for the case that defines it. Fails if the name resembles an existing one, unless `new` is
/// set.
pub fn new_case(
    library: &Arc<Library>,
    root: &Path,
    game: &str,
    variant: Option<&str>,
    number: &str,
    new: bool,
) -> Result<Vec<PathBuf>, Error> {
    let (ruleset, mut files) = with_layer(library, root, game, variant)?;
    let function = Some(number).filter(|name| !ruleset.cases.iter().any(|case| case.number == **name));
    let answers = |case: &&Arc<Case>| case.functions.iter().any(|f| Some(f.name.as_str()) == function && !f.private && !f.is_example());
    let (number, function) = match ruleset.cases.iter().rev().find(answers).filter(|_| !new) {
        Some(case) => (case.number.as_str(), function),
        None => (number, None),
    };
    check_number_or_name(number)?;
    let names = ruleset.cases.iter().map(|case| case.number.as_str()).chain(ruleset.contents.keys().map(String::as_str));
    check_near_names("case", number, new, names)?;
    let below = ruleset.cases.iter().rev().find(|c| c.number == number);
    if variant.is_none() && below.is_some() {
        return Err(Error::Usage(format!("there is a case {number} already; nothing was written")));
    }
    let known = ruleset.contents.get(number).map(|k| k.title.clone());
    // A case that only a variant adds can't be amended without that variant.
    let oldest = ruleset.cases.iter().find(|c| c.number == number).filter(|_| !ruleset.contents.contains_key(number));
    if let (Some(old), Some((_, text)), true) = (oldest.filter(|old| &*old.layer != game), files.first_mut(), variant.is_some()) {
        let _ = writeln!(text, "needs: [{}]      # it brings case {number}", old.layer);
    }
    if let Some(variant) = variant.and_then(|name| library.variants.get(name)).filter(|_| !new) {
        check_dependency(library, game, variant, number)?;
    }
    let (folder, stem, title, kind, body) = match below {
        Some(old) => {
            let folder = old.file.folder().rsplit('/').next().unwrap_or("house").to_string();
            let is_target = |f: &&CaseFunction| function.is_none_or(|name| f.name == name);
            let answer = old.functions.iter().filter(|f| !f.private && !f.is_example()).find(is_target);
            (folder, old.file.stem().to_string(), old.title.clone(), "addition", answer.map(amended_function).unwrap_or_default())
        }
        None => {
            let kind = if variant.is_none() {
                "rule"
            } else if known.is_some() {
                "addition"
            } else {
                "new case"
            };
            let body = format!("/// What this answers.\nfn {}(points) {{\n    points\n}}\n", placeholder_function(number));
            match variant {
                Some(_) => ("house".into(), format!("{number}-house-rule"), known.unwrap_or_else(placeholder_title), kind, body),
                None => (
                    section_folder(&ruleset, number),
                    file_stem(number, known.as_deref()),
                    known.unwrap_or_else(placeholder_title),
                    kind,
                    body,
                ),
            }
        }
    };
    let example = || format!("\n/// ours\nfn example_of_mine() {{\n    expect({}(6), 6);\n}}\n", placeholder_function(number));
    let call = if kind == "addition" { String::new() } else { example() };
    let number = number_from_stem(&stem);
    let text = format!(
        "//! case: \"{number}\"\n//! title: {}\n//! kind: {kind}\n//! text: >\n//!   What the rule says, in your words.\n\n{body}{call}",
        write_scalar(&title)
    );
    let path = layer_folder(root, game, variant, "rules").join(folder).join(format!("{stem}.rhai"));
    write_files(root, files.into_iter().chain([(path, text)]).collect())
}

/// Fails if a variant amends a case of another variant without declaring that it needs it: only the author edits the manifest.
fn check_dependency(library: &Library, game: &str, variant: &Variant, number: &str) -> Result<(), Error> {
    let (manifest, mut unread) = (library.game(game)?, Complaints::default());
    let layer = library.layer(manifest, Some(&variant.name), &mut unread);
    if let Some(there) = layer.cases.iter().find(|case| case.number == number) {
        let (name, path) = (&variant.name, &there.file.path);
        return Err(Error::Usage(format!(
            "{name} has a case {number} already: {path}; change that, or amend it in a variant of your own; nothing was written"
        )));
    }
    let mut has_case = |name: &str| library.layer(manifest, Some(name), &mut unread).cases.iter().any(|case| case.number == number);
    let Some(other) = library.variants_of(game).into_iter().find(|name| has_case(name)) else { return Ok(()) };
    let printed = library.layer(manifest, None, &mut unread).cases.iter().any(|case| case.number == number);
    if printed || library.contents(game, &mut unread).contains_key(number) {
        return Ok(());
    }
    let lists = [("after", &variant.after), ("needs", &variant.needs)];
    let lacks: Vec<String> = lists
        .iter()
        .filter(|(_, list)| !list.iter().any(|name| name == other))
        .map(|(key, list)| format!("`{key}: [{}]`", list.iter().map(String::as_str).chain([other]).collect::<Vec<_>>().join(", ")))
        .collect();
    if lacks.is_empty() {
        return Ok(());
    }
    let (lines, path) = (lacks.join(" and "), &variant.file.path);
    Err(Error::Usage(format!("{other} brings case {number}: write {lines} in {path}, then ask again; nothing was written")))
}

/// Returns the source of an amended function that returns the result of `prior()`.
pub fn amended_function(function: &CaseFunction) -> String {
    let (CaseFunction { name, params, .. }, doc) = (function, function.doc_lines());
    let doc = if doc.is_empty() { "What this answers.".into() } else { doc.join("\n/// ") };
    format!("/// {doc}\nfn {name}({}) {{\n    prior()   // the older answer: change it here\n}}\n", params.join(", "))
}

/// Returns a function name that no other template uses.
fn placeholder_function(number: &str) -> String {
    format!("my_question_{}", number.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
}

fn placeholder_title() -> String {
    "what the case is about".into()
}

/// Returns the folder of the section that a case belongs to, taken from its neighbours.
fn section_folder(ruleset: &Ruleset, number: &str) -> String {
    let chapter = |number: &str| number.split('.').next().unwrap_or_default().to_string();
    let beside = ruleset.cases.iter().find(|case| chapter(&case.number) == chapter(number));
    let folder = |case: &Arc<Case>| case.file.folder().rsplit('/').next().unwrap_or_default().to_string();
    beside.map(folder).unwrap_or_else(|| match chapter(number).parse::<u32>() {
        Ok(chapter) => format!("{chapter:02}-section"),
        Err(_) => "section".into(),
    })
}

/// Returns the file stem of a case: its number and its title in small letters.
fn file_stem(number: &str, title: Option<&str>) -> String {
    let words = title.unwrap_or_default().to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), " ");
    [number].into_iter().chain(words.split_whitespace()).collect::<Vec<_>>().join("-")
}

/// Returns the folder of a layer's files of one kind (`tree`).
pub fn layer_folder(root: &Path, game: &str, variant: Option<&str>, tree: &str) -> PathBuf {
    match variant {
        Some(variant) => root.join("variants").join(variant).join(tree),
        None => root.join(tree).join(game),
    }
}

/// Paths and contents of files to write.
pub type NewFiles = Vec<(PathBuf, String)>;

/// Returns the ruleset with a variant in force, or that of the printed game without one; and the files of a variant that does not exist
/// yet.
pub fn with_layer(library: &Arc<Library>, root: &Path, game: &str, variant: Option<&str>) -> Result<(Ruleset, NewFiles), Error> {
    match variant {
        Some(name) => with_variant(library, root, game, name),
        None => {
            let manifest = root.join("rules").join(game).join("game.yaml");
            if !manifest.is_file() {
                let what = format!("{} is not in this folder: name a variant of your own with --variant", manifest.display());
                return Err(Error::Usage(what));
            }
            let (ruleset, _) = diagnostics::build_ruleset(library, &RulesetSpec::new(game, &[]))?;
            Ok((ruleset, NewFiles::new()))
        }
    }
}

/// Returns the ruleset with a variant in force; and its new manifest if the variant does not exist yet.
fn with_variant(library: &Arc<Library>, root: &Path, game: &str, name: &str) -> Result<(Ruleset, NewFiles), Error> {
    check_plain_name(name)?;
    let mut with: Vec<String> = library.variants_of(game).into_iter().filter(|v| *v != name).map(String::from).collect();
    let mut files = Vec::new();
    if let Some(variant) = library.variants.get(name) {
        with.retain(|other| variant.after.contains(other));
    } else {
        let others: Vec<&str> = with.iter().map(String::as_str).collect();
        files.push((root.join("variants").join(name).join("variant.yaml"), variant_text(game, (name, None), &others)));
    }
    let (ruleset, _) = diagnostics::build_ruleset(library, &RulesetSpec::with_variants(game, with))?;
    Ok((ruleset, files))
}

/// Fails if a new name resembles an existing one. Numbers are exempt, because neighbours differ by one digit anyway.
pub fn check_near_names<'a>(what: &str, name: &str, new: bool, known: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut near = None;
    for other in known.filter(|_| !new && !is_case_number(name)) {
        match edit_distance(name, other) {
            0 => return Ok(()),
            1 | 2 if name.len() > 3 => near = near.or(Some(other)),
            _ => {}
        }
    }
    let Some(near) = near else { return Ok(()) };
    Err(Error::Usage(format!("there is no {what} `{name}`; did you mean `{near}`? `--new` makes a new one; nothing was written")))
}

/// Fails if the name of a case or table is neither a number nor a plain name.
pub fn check_number_or_name(name: &str) -> Result<(), Error> {
    let what = || format!("`{name}`: a case or table is its number (8.16), or a name in small letters, digits and hyphens");
    if is_case_number(name) { Ok(()) } else { check_plain_name(name).map_err(|_| Error::Usage(what())) }
}

/// Fails if a name has characters other than small letters, digits and hyphens.
pub fn check_plain_name(name: &str) -> Result<(), Error> {
    let fits = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if fits { Ok(()) } else { Err(Error::Usage(format!("`{name}`: a name is written in small letters, digits and hyphens"))) }
}

/// Writes files of a data folder, all or none, and the schemas. Each YAML file starts with the line that links its schema.
pub fn write_files(root: &Path, files: NewFiles) -> Result<Vec<PathBuf>, Error> {
    let with_line = |(path, text): (PathBuf, String)| {
        let key = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        match format::for_file(&key).filter(|format| schema::file_formats().any(|known| known.name == format.name)) {
            Some(format) if !text.starts_with("# yaml-language-server:") => (path, format!("{}{text}", schema::editor_line(format, &key))),
            _ => (path, text),
        }
    };
    let written = write_new(root, files.into_iter().map(with_line).collect())?;
    // The new files may declare procedures.
    let library = Library::open(root).unwrap_or_else(|_| Library::built_in());
    for (path, text) in schema::schema_files(root, &library) {
        write_atomic(&path, &text, |_| Ok(()))?;
    }
    Ok(written)
}
