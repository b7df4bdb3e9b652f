//! `casebook new`: creates the files of a new game, variant or case from templates, and counts the known cells of charts. Existing files are
//! never overwritten.

use crate::author::{guide, schema};
use casebook_engine::complaint::terminal::escape_invisible;
use casebook_engine::complaint::{Complaints, Error, Remedy, edit_distance};
use casebook_engine::data::case::{Case, CaseFunction, number_from_stem};
use casebook_engine::data::files::manifest_key;
use casebook_engine::data::format;
use casebook_engine::data::library::{Layer, Library};
use casebook_engine::data::manifest::Game;
use casebook_engine::data::status::Status;
use casebook_engine::data::table::{Cell, Table};
use casebook_engine::data::transaction::Transaction;
use casebook_engine::data::variant::Variant;
use casebook_engine::data::yaml_writer::{write_figure, write_list, write_quoted, write_scalar};
use casebook_engine::notation::is_case_number;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics;
use casebook_engine::syntax::calls::reachable_functions;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The numbers of known, reconstructed and missing cells of a chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CellCount {
    /// The id of the chart.
    pub table: String,
    /// The number of cells.
    pub cells: usize,
    /// The number of reconstructed cells.
    pub reconstructed: usize,
    /// The number of cells that are not known.
    pub missing: usize,
}

impl CellCount {
    /// Counts the cells of a chart.
    pub fn new(table: &Table) -> CellCount {
        let count = |test: fn(&Cell) -> bool| table.cells.iter().filter(|cell| test(cell)).count();
        let reconstructed =
            count(|cell| cell.status == Status::Reconstructed && !cell.is_missing());
        CellCount {
            table: table.id.clone(),
            cells: table.cells.len(),
            reconstructed,
            missing: count(Cell::is_missing),
        }
    }

    /// Describes the counts in one line.
    pub fn describe(&self) -> String {
        let CellCount {
            table,
            cells,
            reconstructed,
            missing,
        } = self;
        let are = |count: &usize| {
            if *count == 1 {
                "1 is".into()
            } else {
                format!("{count} are")
            }
        };
        match (reconstructed, missing) {
            (0, 0) => format!("table {table}: all of its {cells} cells are known"),
            (count, 0) => format!(
                "table {table}: of {cells} cells, {} still reconstructed",
                are(count)
            ),
            (0, count) => format!("table {table}: of {cells} cells, {} not known", are(count)),
            _ => format!(
                "table {table}: of {cells} cells, {} still reconstructed and {missing} not known",
                are(reconstructed)
            ),
        }
    }
}

/// The files of the game: path and content; `NAME` in a path is replaced by the name of the game.
const FILES: [(&str, &str); 7] = [
    ("rules/NAME/game.yaml", include_str!("starter/game.yaml")),
    (
        "rules/NAME/contents.yaml",
        include_str!("starter/contents.yaml"),
    ),
    (
        "rules/NAME/01-fighting/1.1-fights.rhai",
        include_str!("starter/1.1-fights.rhai"),
    ),
    (
        "rules/NAME/01-fighting/1.2-losses.rhai",
        include_str!("starter/1.2-losses.rhai"),
    ),
    ("tables/NAME/fight.yaml", include_str!("starter/fight.yaml")),
    (
        "scenarios/NAME/first-fight.yaml",
        include_str!("starter/first-fight.yaml"),
    ),
    (
        "tests/NAME/first-fight.yaml",
        include_str!("starter/tests.yaml"),
    ),
];

/// Creates a game, like that of a chapter of the guide or a small one; fails if its name is taken or a file exists. A game in the data folder
/// stands beside the embedded ones, and takes the place of one of its name.
pub fn new_game(
    library: &Library,
    root: &Path,
    (name, title): (&str, Option<&str>),
    like: Option<&str>,
) -> Result<Vec<PathBuf>, Error> {
    check_plain_name(name)?;
    check_free_name(library, name)?;
    let title = write_scalar(&title.map(String::from).unwrap_or_else(|| {
        let mut letters = name.replace('-', " ").chars().collect::<Vec<_>>();
        letters[0].make_ascii_uppercase();
        letters.into_iter().collect()
    }));
    let (game, files): (_, Vec<(&str, String)>) = match like {
        Some(chapter) => (chapter, guide::files_of(guide::chapter(chapter)?).collect()),
        None => ("NAME", FILES.map(|(path, text)| (path, text.into())).into()),
    };
    let file = |(path, text): (&str, String)| {
        let is_manifest = path.ends_with("/game.yaml");
        let line = |line: &str| match line.split_once(": ") {
            Some(("game", _)) if is_manifest => format!("game: {name}\n"),
            Some(("title", _)) if is_manifest => format!("title: {title}\n"),
            _ => format!("{line}\n"),
        };
        let path = path.replace(&format!("/{game}/"), &format!("/{name}/"));
        (root.join(path), text.lines().map(line).collect())
    };
    write_files(library, root, files.into_iter().map(file).collect())
}

/// Creates a variant, optionally with blank copies of the game's charts.
pub fn new_variant(
    library: &Arc<Library>,
    root: &Path,
    game: &str,
    (name, title): (&str, Option<&str>),
    tables: bool,
) -> Result<(Vec<PathBuf>, Vec<CellCount>), Error> {
    check_plain_name(name)?;
    check_free_name(library, name)?;
    let game_variants: Vec<&str> = library.variants_of(game);
    let mut files = vec![(
        root.join("variants").join(name).join("variant.yaml"),
        variant_text(game, (name, title), &game_variants),
    )];
    let mut counts = Vec::new();
    if tables {
        let spec = RulesetSpec::new(game, &[]);
        let (ruleset, _) = diagnostics::build_ruleset(library, &spec)?;
        for id in ruleset.table_names() {
            let Some(table) = ruleset.table(id).map_err(Error::Data)? else {
                continue;
            };
            // A chart whose cells are all known needs no blank copy.
            if table
                .cells
                .iter()
                .any(|c| c.is_missing() || c.status == Status::Reconstructed)
            {
                counts.push(CellCount::new(&table));
                let file = format!("{}.yaml", table.file.stem());
                files.push((
                    root.join("variants").join(name).join("tables").join(file),
                    blank_chart(&table),
                ));
            }
        }
    }
    Ok((write_files(library, root, files)?, counts))
}

/// Returns the manifest of a new variant, layered over the others.
pub fn variant_text(
    game: &str,
    (name, title): (&str, Option<&str>),
    game_variants: &[&str],
) -> String {
    let after: Vec<String> = game_variants.iter().map(ToString::to_string).collect();
    format!(
        "variant: {}\ntitle: {}\ngame: {}\nafter: {}      # it comes after these where they are in force\n",
        write_scalar(name),
        write_scalar(title.unwrap_or(name)),
        write_scalar(game),
        write_list(&after)
    )
}

/// Returns a chart with `?` in every cell that is not known from print. Known cells stay blank, because a variant may have corrected them.
fn blank_chart(table: &Table) -> String {
    let mut text = String::from(
        "# Type the printed figures over the question marks; what stays `?` falls back on the reconstruction, and what is blank is known.\n",
    );
    let title = write_scalar(&format!("{} as printed", table.title));
    let _ = writeln!(
        text,
        "table: {}\ntitle: {title}\nkind: revision\nstatus: printed\ncells:",
        write_scalar(&table.id)
    );
    let [sheets, columns, rows] = &table.axes;
    let _ = writeln!(text, "  # columns: {}", columns.label_texts.join(", "));
    let mut cells = table.cells.chunks(columns.label_texts.len());
    let blank = |cell: &Cell| match cell.status.is_certain() && !cell.is_missing() {
        true => String::new(),
        false => "?".into(),
    };
    for sheet in &sheets.label_texts {
        let indent = if sheet.is_empty() { "  " } else { "    " };
        if !sheet.is_empty() {
            let _ = writeln!(text, "  {}:", write_figure(sheet));
        }
        for row in &rows.label_texts {
            let line: Vec<String> = cells.next().unwrap_or_default().iter().map(blank).collect();
            let _ = writeln!(text, "{indent}{}: {}", write_figure(row), write_list(&line));
        }
    }
    text
}

/// Creates a case. For a variant, it is an amendment if a layer below has the case, else an addition; without a variant, the case belongs
/// to the game. The name of a function means the case that defines it; with `is_copy` it is written as the newest script has it, to go
/// on from. Fails if the name resembles an existing one, unless `is_new` is set.
pub fn new_case(
    home: Destination,
    number: &str,
    is_new: bool,
    is_copy: bool,
) -> Result<Vec<PathBuf>, Error> {
    let Destination {
        library,
        root,
        game,
        variant,
    } = home;
    let (ruleset, mut files) = home.ruleset()?;
    let function =
        Some(number).filter(|name| !ruleset.cases.iter().any(|case| case.number == **name));
    let answers = |case: &&Arc<Case>| {
        case.functions
            .iter()
            .any(|f| Some(f.name.as_str()) == function && f.is_answer())
    };
    let (number, function) = match ruleset.cases.iter().rev().find(answers).filter(|_| !is_new) {
        Some(case) => (case.number.as_str(), function),
        None => (number, None),
    };
    check_number_or_name(number)?;
    let names = ruleset
        .cases
        .iter()
        .map(|case| case.number.as_str())
        .chain(ruleset.contents.keys().map(String::as_str));
    check_near_names("case", number, is_new, names)?;
    let below = ruleset.cases.iter().rev().find(|c| c.number == number);
    if variant.is_none() && below.is_some() {
        return Err(Error::Usage(format!(
            "case {number} already exists; nothing was written"
        )));
    }
    let printed_title = ruleset.contents.get(number).map(|k| k.title.clone());
    // A case that only a variant adds can't be amended without that variant.
    let oldest = ruleset
        .cases
        .iter()
        .find(|c| c.number == number)
        .filter(|_| !ruleset.contents.contains_key(number));
    if let (Some(old), Some((_, text)), true) = (
        oldest.filter(|old| &*old.layer != game),
        files.first_mut(),
        variant.is_some(),
    ) {
        let _ = writeln!(text, "needs: [{}]      # it has case {number}", old.layer);
    }
    if let Some(variant) = variant
        .and_then(|name| library.variants.get(name))
        .filter(|_| !is_new)
    {
        check_dependency(library, game, variant, number)?;
    }
    let title = printed_title
        .clone()
        .unwrap_or_else(|| "what the case is about".into());
    let (folder, stem, title, kind) = match (below, variant) {
        (Some(old), _) => (
            old.file.section().to_string(),
            old.file.stem().to_string(),
            old.title.clone(),
            "addition",
        ),
        (None, Some(_)) => (
            "house".into(),
            format!("{number}-house-rule"),
            title,
            if printed_title.is_some() {
                "addition"
            } else {
                "new case"
            },
        ),
        (None, None) => (
            section_folder(&ruleset, number),
            file_stem(number, printed_title.as_deref()),
            title,
            "rule",
        ),
    };
    let is_target = |f: &&CaseFunction| f.is_answer() && function.is_none_or(|name| f.name == name);
    let placeholder = format!(
        "my_question_{}",
        number.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
    );
    // The newest layer of a case need not be the one that defines the function.
    let chain = ruleset
        .cases
        .iter()
        .rev()
        .filter(|case| case.number == number);
    let mut scripts = chain.filter(|case| !case.is_list());
    let target = scripts.find_map(|case| {
        let index = case.functions.iter().position(|f| is_target(&f))?;
        Some((case, index))
    });
    let body = match target {
        Some((case, index)) if is_copy && function.is_some() => copied_function(case, index),
        _ if is_copy => {
            return Err(Error::Usage(format!(
                "{number} is no function that a case answers: name one to copy it; nothing was written"
            )));
        }
        Some((case, index)) => amended_function(&case.functions[index]),
        None => format!("/// What this answers.\nfn {placeholder}(points) {{\n    points\n}}\n"),
    };
    let kind = if is_copy { "correction" } else { kind };
    let procedures = below.map_or(&[][..], |old| &old.procedures);
    let example =
        format!("\n/// ours\nfn example_of_mine() {{\n    expect({placeholder}(6), 6);\n}}\n");
    let example = if kind == "addition" || is_copy {
        ""
    } else {
        &example
    };
    let text = format!(
        "{}{body}{example}",
        case_card(
            &number_from_stem(&stem),
            &title,
            (kind, procedures),
            variant.is_some()
        )
    );
    files.push((
        home.folder("rules")
            .join(folder)
            .join(format!("{stem}.rhai")),
        text,
    ));
    write_files(library, root, files)
}

/// Returns whether a game has a case of this number or name, with its variants or without.
pub fn has_case(library: &Library, game: &Game, number: &str) -> bool {
    let is_listed = library
        .contents(&game.name, &mut Complaints::default())
        .contains_key(number);
    is_listed
        || layers(library, game)
            .iter()
            .any(|layer| layer.cases.iter().any(|case| case.number == number))
}

/// Returns whether a case of a game, with its variants or without, answers a function of this name.
pub fn has_function(library: &Library, game: &Game, name: &str) -> bool {
    let answers = |case: &Arc<Case>| {
        case.functions
            .iter()
            .any(|function| function.name == name && function.is_answer())
    };
    layers(library, game)
        .iter()
        .any(|layer| layer.cases.iter().any(answers))
}

/// Returns whether a game has a table of this number or name, with its variants or without.
pub fn has_table(library: &Library, game: &Game, id: &str) -> bool {
    layers(library, game)
        .iter()
        .any(|layer| layer.tables.contains_key(id))
}

fn layers(library: &Library, game: &Game) -> Vec<Arc<Layer>> {
    library.layers(
        game,
        &library.layer_names(&game.name),
        &mut Complaints::default(),
    )
}

/// Returns the card of a new case; that of a variant is a house rule until its author says otherwise.
pub fn case_card(
    number: &str,
    title: &str,
    (kind, procedures): (&str, &[String]),
    of_variant: bool,
) -> String {
    let (title, status) = (
        write_scalar(title),
        if of_variant {
            "//! status: house\n"
        } else {
            ""
        },
    );
    format!(
        "//! case: {}\n//! title: {title}\n//! kind: {kind}\n{status}{}//! text: >\n//!   What the rule says, in your words.\n\n",
        write_quoted(number),
        procedure_line(procedures)
    )
}

/// Returns the line of a card that names the procedures to which the case contributes; empty if there are none.
pub fn procedure_line(procedures: &[String]) -> String {
    match procedures {
        [] => String::new(),
        [one] => format!("//! procedure: {}\n", write_scalar(one)),
        several => format!("//! procedure: {}\n", write_list(several)),
    }
}

/// Fails if a variant amends a case of another variant without declaring that it needs it: only the author edits the manifest.
fn check_dependency(
    library: &Library,
    game: &str,
    variant: &Variant,
    number: &str,
) -> Result<(), Error> {
    let (manifest, mut unread) = (library.game(game)?, Complaints::default());
    let layer = library.layer(manifest, Some(&variant.name), &mut unread);
    if let Some(existing) = layer.cases.iter().find(|case| case.number == number) {
        let (name, path) = (&variant.name, &existing.file.path);
        return Err(Error::Usage(format!(
            "{name} has a case {number} already: {path}; change that, or amend it in a variant of your own; nothing was written"
        )));
    }
    let mut has_case = |name: &str| {
        library
            .layer(manifest, Some(name), &mut unread)
            .cases
            .iter()
            .any(|case| case.number == number)
    };
    let Some(other_variant) = library
        .variants_of(game)
        .into_iter()
        .find(|name| has_case(name))
    else {
        return Ok(());
    };
    let printed = library
        .layer(manifest, None, &mut unread)
        .cases
        .iter()
        .any(|case| case.number == number);
    if printed || library.contents(game, &mut unread).contains_key(number) {
        return Ok(());
    }
    let lists = [("after", &variant.after), ("needs", &variant.needs)];
    let lacks: Vec<String> = lists
        .iter()
        .filter(|(_, list)| !list.iter().any(|name| name == other_variant))
        .map(|(key, list)| {
            format!(
                "`{key}: [{}]`",
                list.iter()
                    .map(String::as_str)
                    .chain([other_variant])
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        })
        .collect();
    if lacks.is_empty() {
        return Ok(());
    }
    let (lines, path) = (lacks.join(" and "), &variant.file.path);
    Err(Error::Usage(format!(
        "case {number} is in {other_variant}: write {lines} in {path}, then try again; nothing was written"
    )))
}

/// Returns the source of an amended function that returns the result of `prior()`.
pub fn amended_function(function: &CaseFunction) -> String {
    let (CaseFunction { name, params, .. }, doc) = (function, function.doc_lines());
    let doc = if doc.is_empty() {
        "What this answers.".into()
    } else {
        doc.join("\n/// ")
    };
    format!(
        "/// {doc}\nfn {name}({}) {{\n    prior()   // the older answer: change it here\n}}\n",
        params.join(", ")
    )
}

/// Returns a function as its case has it, with the private functions that it may call.
fn copied_function(case: &Case, index: usize) -> String {
    let is_copied = |other: &usize| *other == index || case.functions[*other].private;
    let reached = reachable_functions(case, index)
        .into_iter()
        .filter(is_copied);
    let texts = reached.map(|index| {
        let function = &case.functions[index];
        let doc: String = function
            .doc_lines()
            .iter()
            .map(|line| format!("/// {line}\n"))
            .collect();
        let private = if function.private { "private " } else { "" };
        format!("{doc}{private}{}\n", function.body.trim_end())
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the folder of the section that a case belongs to, taken from its neighbours.
fn section_folder(ruleset: &Ruleset, number: &str) -> String {
    let chapter = |number: &str| number.split('.').next().unwrap_or_default().to_string();
    let beside = ruleset
        .cases
        .iter()
        .find(|case| chapter(&case.number) == chapter(number));
    match (beside, chapter(number).parse::<u32>()) {
        (Some(case), _) => case.file.section().to_string(),
        (None, Ok(chapter)) => format!("{chapter:02}-section"),
        (None, Err(_)) => "section".into(),
    }
}

/// Returns the file stem of a case: its number and its title in small letters.
fn file_stem(number: &str, title: Option<&str>) -> String {
    let title_words = title
        .unwrap_or_default()
        .to_lowercase()
        .replace(|c: char| !c.is_ascii_alphanumeric(), " ");
    [number]
        .into_iter()
        .chain(title_words.split_whitespace())
        .collect::<Vec<_>>()
        .join("-")
}

/// Paths and contents of files to write.
pub type NewFiles = Vec<(PathBuf, String)>;

/// The layer that a new file belongs to.
#[derive(Clone, Copy)]
pub struct Destination<'a> {
    /// The library of the data folder.
    pub library: &'a Arc<Library>,
    /// The data folder.
    pub root: &'a Path,
    pub game: &'a str,
    /// The variant, which may not exist yet; `None` for the game itself.
    pub variant: Option<&'a str>,
}

impl Destination<'_> {
    /// Returns the folder of the layer's files of one kind (`tree`).
    pub fn folder(self, tree: &str) -> PathBuf {
        match self.variant {
            Some(variant) => self.root.join("variants").join(variant).join(tree),
            None => self.root.join(tree).join(self.game),
        }
    }

    /// Returns the ruleset below the variant, or that of the printed game without one; and the manifest of a variant that does not exist yet.
    pub fn ruleset(self) -> Result<(Ruleset, NewFiles), Error> {
        let Destination {
            library,
            root,
            game,
            variant,
        } = self;
        let mut files = NewFiles::new();
        let mut variants: Vec<&str> = Vec::new();
        if let Some(name) = variant {
            check_variant_name(library, name)?;
            variants = library
                .variants_of(game)
                .into_iter()
                .filter(|variant_name| *variant_name != name)
                .collect();
            match library.variants.get(name) {
                Some(variant) => variants
                    .retain(|variant_name| variant.after.iter().any(|name| name == variant_name)),
                None => files.push((
                    root.join("variants").join(name).join("variant.yaml"),
                    variant_text(game, (name, None), &variants),
                )),
            }
        } else {
            let manifest = root.join(manifest_key(game));
            if !manifest.is_file() {
                let message = format!(
                    "{} is not in this folder: name a variant of your own",
                    manifest.display()
                );
                return Err(Error::unanswered(
                    message,
                    Remedy::NameVariant("NAME".into()),
                ));
            }
        }
        Ok((
            diagnostics::build_ruleset(library, &RulesetSpec::new(game, &variants))?.0,
            files,
        ))
    }
}

/// Fails if a new name resembles an existing one. Numbers are exempt, because neighbours differ by one digit anyway.
pub fn check_near_names<'a>(
    kind: &str,
    name: &str,
    is_new: bool,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), Error> {
    let mut similar = None;
    for candidate in names.filter(|_| !is_new && !is_case_number(name)) {
        match edit_distance(name, candidate) {
            0 => return Ok(()),
            1 | 2 if name.len() > 3 => similar = similar.or(Some(candidate)),
            _ => {}
        }
    }
    let Some(similar) = similar else {
        return Ok(());
    };
    let kind =
        format!("nothing was written: there is no {kind} `{name}`; did you mean `{similar}`?");
    Err(Error::unanswered(kind, Remedy::ConfirmName))
}

/// Fails if a variant or game has this name.
pub fn check_free_name(library: &Library, name: &str) -> Result<(), Error> {
    match library.variants.contains_key(name) || library.games.contains_key(name) {
        true => Err(Error::Usage(format!(
            "a variant or game named `{name}` already exists; nothing was written"
        ))),
        false => Ok(()),
    }
}

/// Fails if the name of a case or table is neither a number nor a plain name.
pub fn check_number_or_name(name: &str) -> Result<(), Error> {
    let message = || {
        format!(
            "`{name}`: a case or table is its number (8.16), or a name in small letters, digits and hyphens"
        )
    };
    if is_case_number(name) && name.len() <= MAX_NAME {
        Ok(())
    } else {
        check_plain_name(name).map_err(|_| Error::Usage(message()))
    }
}

/// Longest name of a game, variant, case, table, situation or test.
const MAX_NAME: usize = 100;

/// Returns the beginning of a long name, for a message.
fn shorten(name: &str) -> String {
    let start: String = name.chars().take(MAX_NAME).collect();
    if start.len() < name.len() {
        start + "…"
    } else {
        start
    }
}

/// Fails if a variant can't be called so: the name is not plain, or it is that of a game.
pub fn check_variant_name(library: &Library, name: &str) -> Result<(), Error> {
    check_plain_name(name)?;
    match library.games.contains_key(name) {
        true => Err(Error::Usage(format!(
            "`{name}` is the name of a game: give your rules another one"
        ))),
        false => Ok(()),
    }
}

/// Returns the name of a variant whose title is given in free words: “Winter war” is winter-war.
pub fn variant_name(text: &str) -> Result<String, Error> {
    match plain_name(text) {
        plain if plain.is_empty() => check_plain_name(text).map(|()| plain),
        plain => Ok(plain),
    }
}

/// Fails if a name has characters other than small letters, digits and hyphens, begins with a hyphen, or is longer than file names may be.
pub fn check_plain_name(name: &str) -> Result<(), Error> {
    let fits = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let refuse = |reason: &str| Err(Error::Usage(format!("`{}`: {reason}", shorten(name))));
    let reason = "a name is written in small letters, digits and hyphens";
    match fits {
        _ if plain_name(name).is_empty() => refuse(&format!(
            "{reason}, and has a letter a-z or a digit at least"
        )),
        false => refuse(&format!("{reason}: `{}`", plain_name(name))),
        // A command would take it for an option.
        true if name.starts_with('-') => refuse("a name does not begin with a hyphen"),
        true if name.len() > MAX_NAME => refuse(&format!(
            "a name has at most {MAX_NAME} letters, as it names a file or a folder"
        )),
        true => Ok(()),
    }
}

/// Returns a text as a name: small letters and digits, with hyphens between words.
fn plain_name(text: &str) -> String {
    let small = text.to_lowercase();
    let words = small.split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Writes new files of a data folder as one step, and the schemas.
pub fn write_files(library: &Library, root: &Path, files: NewFiles) -> Result<Vec<PathBuf>, Error> {
    let mut transaction = Transaction::new(root);
    for (path, text) in files {
        create_file(&mut transaction, root, path, text);
    }
    commit_with_schemas(library, root, transaction)
}

/// Adds a new file; a YAML file starts with the line that links its schema.
pub fn create_file(files: &mut Transaction, root: &Path, path: PathBuf, text: String) {
    let key = path
        .strip_prefix(root)
        .unwrap_or(&path)
        .to_string_lossy()
        .replace('\\', "/");
    let described = format::for_file(&key)
        .filter(|format| schema::file_formats().any(|described| described.name == format.name))
        .filter(|_| !text.starts_with("# yaml-language-server:"));
    let line = described.map_or(String::new(), |format| schema::editor_line(format, &key));
    files.create(path, line + text.as_str());
}

/// Makes changes of data as one step, and writes the schemas: the new files may declare procedures. That these could not be written is a note,
/// because only editors read them.
pub fn commit_with_schemas(
    library: &Library,
    root: &Path,
    files: Transaction,
) -> Result<Vec<PathBuf>, Error> {
    let written = files.commit()?;
    let embedded = library.files.embedded;
    let library = Library::open(root, embedded).unwrap_or_else(|_| Library::built_in(embedded));
    if let Err(error) = schema::write_schemas(root, &library) {
        let why = error.to_string();
        eprintln!("note: the schemas for editors: {}", escape_invisible(&why));
    }
    Ok(written)
}
