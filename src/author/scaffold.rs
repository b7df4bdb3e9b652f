//! `casebook new`: lays out a case, variant, table or scenario to be filled in. Nothing is ever overwritten.

use crate::complaint::{Error, distance};
use crate::data::case::number_of;
use crate::data::library::Library;
use crate::data::save::write_new;
use crate::data::table::Table;
use crate::data::write::scalar;
use crate::notation::is_case_number;
use crate::ruleset::compose::{Ruleset, Wish};
use crate::ruleset::laws;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Lays out a variant; with the blank charts of the game if wished.
pub fn variant(library: &Arc<Library>, root: &Path, game: &str, name: &str, tables: bool) -> Result<Vec<PathBuf>, Error> {
    plain_name(name)?;
    if library.variants.contains_key(name) || library.games.contains_key(name) {
        return Err(Error::Usage(format!("there is a variant or game called `{name}` already; nothing was written")));
    }
    let others: Vec<&str> = library.variants_of(game);
    let mut files = vec![(root.join("variants").join(name).join("variant.yaml"), variant_text(game, name, &others))];
    if tables {
        let wish = Wish { game: game.into(), ..Wish::default() };
        let (ruleset, _) = laws::enact(library, &wish)?;
        for id in ruleset.table_names() {
            let Some(table) = ruleset.table(id).map_err(Error::Data)? else { continue };
            // A chart that is known already needs no blank.
            if table.cells.iter().any(|c| c.missing() || c.status == crate::data::case::Status::Reconstructed) {
                let file = format!("{}.yaml", table.file.stem());
                files.push((root.join("variants").join(name).join("tables").join(file), blank(&table)));
            }
        }
    }
    write_new(files)
}

fn variant_text(game: &str, name: &str, others: &[&str]) -> String {
    format!(
        "variant: {}\ntitle: {}\ngame: {}\nafter: [{}]      # it is laid over these where they are in force\n",
        scalar(name),
        scalar(name),
        scalar(game),
        others.iter().map(|name| scalar(name)).collect::<Vec<_>>().join(", ")
    )
}

/// A chart with `?` for every figure that is not known from print, and nothing where the figure is known: a variant may have put it right.
fn blank(table: &Table) -> String {
    let mut text = String::from(
        "# Type the printed figures over the question marks; what stays `?` falls back on the reconstruction, and what is blank is known.\n",
    );
    let _ = writeln!(
        text,
        "table: \"{}\"\ntitle: {}\nkind: revision\nstatus: printed\ncells:",
        table.id,
        scalar(&format!("{} as printed", table.title))
    );
    let [sheets, columns, rows] = &table.axes;
    let _ = writeln!(text, "  # columns: {}", columns.written.join(", "));
    for (s, sheet) in sheets.written.iter().enumerate() {
        let indent = if sheet.is_empty() { "  " } else { "    " };
        if !sheet.is_empty() {
            let _ = writeln!(text, "  \"{sheet}\":");
        }
        for (r, row) in rows.written.iter().enumerate() {
            let cells: Vec<&str> = (0..columns.written.len())
                .map(|c| {
                    let cell = &table.cells[(s * rows.written.len() + r) * columns.written.len() + c];
                    let known =
                        matches!(cell.status, crate::data::case::Status::Printed | crate::data::case::Status::Derived) && !cell.missing();
                    if known { "\"\"" } else { "\"?\"" }
                })
                .collect();
            let _ = writeln!(text, "{indent}\"{row}\": [{}]", cells.join(", "));
        }
    }
    text
}

/// Lays out a case in a variant: an amendment where a layer below has the case, a new case where none has.
/// A name that is nearly one that is there is asked about, unless it is `new`.
pub fn case(library: &Arc<Library>, root: &Path, game: &str, variant: &str, number: &str, new: bool) -> Result<Vec<PathBuf>, Error> {
    number_or_name(number)?;
    let (ruleset, mut files) = with_variant(library, root, game, variant)?;
    let known = ruleset.cases.iter().map(|case| case.number.as_str()).chain(ruleset.contents.keys().map(String::as_str));
    surely("case", number, new, known)?;
    let below = ruleset.cases.iter().rev().find(|c| c.number == number);
    // A case that only a variant brings can't be amended without it.
    let oldest = ruleset.cases.iter().find(|c| c.number == number).filter(|_| !ruleset.contents.contains_key(number));
    if let (Some(old), Some((_, text))) = (oldest.filter(|old| &*old.layer != game), files.first_mut()) {
        let _ = writeln!(text, "needs: [{}]      # it brings case {number}", old.layer);
    }
    let (folder, stem, title, kind, body) = match below {
        Some(old) => {
            let folder = old.file.folder().rsplit('/').next().unwrap_or("house").to_string();
            let answer = old.functions.iter().find(|f| !f.private && !f.is_example());
            let body = answer.map_or(String::new(), |f| {
                let params = f.body.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(p, _)| p);
                format!("/// {}\nfn {}({params}) {{\n    prior()   // the older answer: change it here\n}}\n", f.doc.join("\n/// "), f.name)
            });
            (folder, old.file.stem().to_string(), old.title.clone(), "addition", body)
        }
        None => {
            let title = ruleset.contents.get(number).map(|k| k.title.clone());
            let kind = if title.is_some() { "addition" } else { "new case" };
            let title = title.unwrap_or_else(|| "what the case is about".into());
            (
                "house".into(),
                format!("{number}-house-rule"),
                title,
                kind,
                "/// What this answers.\nfn my_question(points) {\n    points\n}\n".into(),
            )
        }
    };
    let call = if kind == "addition" { "" } else { "\n/// ours\nfn example_of_mine() {\n    expect(my_question(6), 6);\n}\n" };
    let number = number_of(&stem);
    let text = format!(
        "//! case: \"{number}\"\n//! title: {}\n//! kind: {kind}\n//! text: >\n//!   What the house rule says, in your words.\n\n{body}{call}",
        scalar(&title)
    );
    let path = root.join("variants").join(variant).join("rules").join(folder).join(format!("{stem}.rhai"));
    write_new(files.into_iter().chain([(path, text)]).collect())
}

/// Lays out a table in a variant: a list of changes where the table exists below, a chart where it doesn't.
/// A name that is nearly one that is there is asked about, unless it is `new`.
pub fn table(library: &Arc<Library>, root: &Path, game: &str, variant: &str, id: &str, new: bool) -> Result<Vec<PathBuf>, Error> {
    let (ruleset, files) = with_variant(library, root, game, variant)?;
    surely("table", id, new, ruleset.table_names())?;
    let (stem, text) = match ruleset.table(id).map_err(Error::Data)? {
        Some(table) => {
            let position = table.position(0);
            let label = |axis: usize, key: &str| {
                let text = &table.axes[axis].written[position[axis]];
                if text.is_empty() { String::new() } else { format!("{key}: \"{text}\", ") }
            };
            let was = if table.cells[0].missing() { "missing" } else { &table.cells[0].text };
            let change = format!("{}{}{}was: \"{was}\", now: \"{was}\"", label(0, "sheet"), label(1, "column"), label(2, "row"));
            let head = format!(
                "table: \"{id}\"\ntitle: {}\nkind: revision\nstatus: printed\n",
                scalar(&format!("{} by our house rule", table.title))
            );
            (table.file.stem().to_string(), format!("{head}changes:\n  - {{ {change} }}      # put your figure under `now:`\n"))
        }
        None => {
            number_or_name(id)?;
            let head = format!("table: \"{id}\"\ntitle: what the chart is\nkind: new case\nstatus: printed\n");
            (
                id.to_string(),
                format!(
                    "{head}columns: {{ of: points, labels: [\"1-10\", \"11+\"] }}\nrows: {{ of: die, dice: 1d6, labels: [1, 2, 3, 4, 5, 6] }}\nholds: \"0-99\"\ncells:\n{}",
                    (1..=6).map(|r| format!("  {r}: [0, 0]\n")).collect::<String>()
                ),
            )
        }
    };
    let path = root.join("variants").join(variant).join("tables").join(format!("{stem}.yaml"));
    write_new(files.into_iter().chain([(path, text)]).collect())
}

/// Lays out a situation, as a copy of another.
pub fn scenario(library: &Arc<Library>, root: &Path, game: &str, name: &str, like: &str) -> Result<Vec<PathBuf>, Error> {
    plain_name(name)?;
    let names = library.scenarios(game);
    if names.iter().any(|(known, _)| known == name) {
        return Err(Error::Usage(format!("there is a situation `{name}` already; nothing was written")));
    }
    let with = names.iter().find(|(known, _)| known == like).and_then(|(_, variant)| variant.clone());
    let wish = Wish { game: game.into(), with: with.into_iter().collect(), ..Wish::default() };
    let (ruleset, _) = laws::enact(library, &wish)?;
    let model = ruleset.scenario(like)?;
    // The model's own examples are about the model.
    let text = model.file.text.replacen(like, &scalar(name), 1);
    let text = text.split("\nexamples:").next().unwrap_or(&text).trim_end().to_string() + "\n";
    write_new(vec![(root.join("scenarios").join(game).join(format!("{name}.yaml")), text)])
}

/// Paths and texts of files to write.
pub type Files = Vec<(PathBuf, String)>;

/// The ruleset with a variant in force; a variant that is not there yet is laid out along the way.
fn with_variant(library: &Arc<Library>, root: &Path, game: &str, name: &str) -> Result<(Ruleset, Files), Error> {
    plain_name(name)?;
    let mut with: Vec<String> = library.variants_of(game).into_iter().filter(|v| *v != name).map(String::from).collect();
    let mut files = Vec::new();
    if let Some(variant) = library.variants.get(name) {
        with.retain(|other| variant.after.contains(other));
    } else {
        let others: Vec<&str> = with.iter().map(String::as_str).collect();
        files.push((root.join("variants").join(name).join("variant.yaml"), variant_text(game, name, &others)));
    }
    let (ruleset, _) = laws::enact(library, &Wish { game: game.into(), with, ..Wish::default() })?;
    Ok((ruleset, files))
}

/// Complains of a new name that is nearly one that is there. Numbers stand close together and say nothing.
fn surely<'a>(what: &str, name: &str, new: bool, known: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut near = None;
    for other in known.filter(|_| !new && !is_case_number(name)) {
        match distance(name, other) {
            0 => return Ok(()),
            1 | 2 if name.len() > 3 => near = near.or(Some(other)),
            _ => {}
        }
    }
    let Some(near) = near else { return Ok(()) };
    Err(Error::Usage(format!("there is no {what} `{name}`; did you mean `{near}`? `--new` makes a new one; nothing was written")))
}

/// A case or table: by its number, or by a plain name.
fn number_or_name(name: &str) -> Result<(), Error> {
    let what = || format!("`{name}`: a case or table is its number (8.16), or a name in small letters, digits and hyphens");
    if is_case_number(name) { Ok(()) } else { plain_name(name).map_err(|_| Error::Usage(what())) }
}

/// Complains of a name that is not written in small letters, digits and hyphens.
pub fn plain_name(name: &str) -> Result<(), Error> {
    let fits = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if fits { Ok(()) } else { Err(Error::Usage(format!("`{name}`: a name is written in small letters, digits and hyphens"))) }
}
