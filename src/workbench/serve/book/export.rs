//! Exports the rulebook as a folder of static HTML.

use crate::serve::assets;
use crate::serve::book::Rulebook;
use crate::serve::book::index::{Chapter, chapters};
use crate::serve::layout::{LinkTarget, PageFrame, WorkbenchSection, page_file, render_page};
use casebook_engine::complaint::Error;
use casebook_engine::data::atomic_write::remove_file;
use casebook_engine::data::transaction::write_atomic;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_view::references::References;
use maud::{Markup, html};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The style sheet; its presence identifies a folder as an exported rulebook.
const STYLE_FILE: &str = "casebook.css";

/// Writes the rulebook of a ruleset into a folder that is missing, empty or an earlier export. It overwrites existing pages and deletes
/// those of items no longer in force.
///
/// Returns the paths of the files it wrote.
pub fn write_book(ruleset: &Ruleset, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let old = existing_pages(folder)?;
    let links = LinkTarget::Static;
    let book = Rulebook {
        ruleset,
        links: &links,
        default_variants: &[],
        rules_of: None,
    };
    let references = References::new(ruleset);
    let mut written = Vec::new();
    let mut write = |name: String, text: &str| {
        let path = folder.join(name);
        write_atomic(&path, text, |_| Ok(()))?;
        written.push(path);
        Ok::<(), Error>(())
    };
    let page = |title: &str, current: Option<&str>, body: Markup| {
        let frame = PageFrame {
            title,
            section: WorkbenchSection::Book,
            game: Some(&ruleset.game),
            links: &links,
        };
        render_page(
            &frame,
            html! { div.book { (book.render_sidebar(current)) div.text { (body) } } },
        )
        .into_string()
    };
    write(STYLE_FILE.into(), assets::STYLE)?;
    write(
        "index.html".into(),
        &page(&ruleset.game.title, None, book.render_contents()),
    )?;
    for Chapter { slug, title, .. } in chapters(ruleset) {
        write(
            page_file("chapter", &slug),
            &page(
                &title,
                Some(&slug),
                book.render_chapter(&slug, &references)?,
            ),
        )?;
    }
    let numbers = ruleset
        .cases
        .iter()
        .map(|case| case.number.as_str())
        .chain(ruleset.contents.keys().map(String::as_str));
    for number in numbers.collect::<BTreeSet<_>>() {
        let title = format!("{number} {}", book.title_of(number));
        write(
            page_file("case", number),
            &page(
                &title,
                book.chapter_of(number),
                book.render_case(number, &references, true),
            ),
        )?;
    }
    for id in ruleset.table_names() {
        write(
            page_file("table", id),
            &page(id, None, book.render_table(id, &references)?),
        )?;
    }
    for path in old.into_iter().filter(|path| !written.contains(path)) {
        remove_file(&path)?;
    }
    Ok(written)
}

/// Lists the pages of an exported rulebook in a folder; fails if the folder contains anything else.
fn existing_pages(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    if !paths.is_empty() && !paths.iter().any(|path| path.ends_with(STYLE_FILE)) {
        let message = format!(
            "{} holds other things than a rulebook: name an empty folder; nothing was written",
            folder.display()
        );
        return Err(Error::Usage(message));
    }
    let page = |path: &PathBuf| {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        name.ends_with(".html")
            && ["chapter-", "case-", "table-"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
    };
    Ok(paths.into_iter().filter(page).collect())
}
