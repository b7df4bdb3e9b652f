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

/// Writes the rulebook of a ruleset into a folder; what stands there under the names of its pages is written anew.
pub fn write(library: &Library, ruleset: &Ruleset, folder: &Path) -> Result<Vec<PathBuf>, Error> {
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
    put("casebook.css".into(), assets::STYLE)?;
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
    Ok(written)
}
