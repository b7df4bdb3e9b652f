//! The whole rulebook as a folder of plain HTML, for any web host or none.

use crate::complaint::Error;
use crate::data::library::Library;
use crate::data::save::write_whole;
use crate::ruleset::compose::Ruleset;
use crate::serve::assets;
use crate::serve::book::Book;
use crate::serve::book::index::{Askers, chapters};
use crate::serve::layout::{Frame, Links, Part, file_name, page};
use maud::{Markup, html};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Its style, by which a folder is known as that of a rulebook.
const STYLE: &str = "casebook.css";

/// Writes the rulebook of a ruleset into a folder that is empty, not there, or holds such a rulebook: its pages are written anew, and those
/// of what is no longer in force go.
pub fn write(library: &Library, ruleset: &Ruleset, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let old = pages_of(folder)?;
    let links = Links::Still;
    let book = Book { library, ruleset, links: &links };
    let askers = Askers::of(ruleset);
    let mut written = Vec::new();
    let mut put = |name: String, text: &str| {
        let path = folder.join(name);
        write_whole(&path, text, |_| Ok(()))?;
        written.push(path);
        Ok::<(), Error>(())
    };
    let whole = |title: &str, here: Option<&str>, body: Markup| {
        let frame = Frame { title, part: Part::Book, game: Some(&ruleset.game), links: &links };
        page(&frame, html! { div.book { (book.beside(here)) div.text { (body) } } }).into_string()
    };
    put(STYLE.into(), assets::STYLE)?;
    put("index.html".into(), &whole(&ruleset.game.title, None, book.contents()))?;
    for chapter in chapters(ruleset) {
        put(file_name("chapter", &chapter.slug), &whole(&chapter.title, Some(&chapter.slug), book.chapter(&chapter.slug, &askers)?))?;
    }
    let known = ruleset.cases.iter().map(|case| case.number.as_str()).chain(ruleset.contents.keys().map(String::as_str));
    for number in known.collect::<BTreeSet<_>>() {
        let title = format!("{number} {}", book.title_of(number));
        put(file_name("case", number), &whole(&title, book.chapter_of(number), book.case(number, &askers, true)))?;
    }
    for id in ruleset.table_names() {
        put(file_name("table", id), &whole(id, None, book.table(id, &askers)?))?;
    }
    for path in old.into_iter().filter(|path| !written.contains(path)) {
        std::fs::remove_file(&path).map_err(|source| Error::File { path: path.display().to_string(), source })?;
    }
    Ok(written)
}

/// The pages of the rulebook that a folder holds; complains of one that holds something else.
fn pages_of(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    if !paths.is_empty() && !paths.iter().any(|path| path.ends_with(STYLE)) {
        let what = format!("{} holds other things than a rulebook: name an empty folder; nothing was written", folder.display());
        return Err(Error::Usage(what));
    }
    let page = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.ends_with(".html") && ["chapter-", "case-", "table-"].iter().any(|sort| name.starts_with(sort))
    };
    Ok(paths.into_iter().filter(page).collect())
}
