//! What can't be shown as it was asked: what is wrong, and the way on. Nobody is left on a page without links.

use crate::complaint::Error;
use crate::data::library::Library;
use crate::serve::ask::{Ask, OFF};
use crate::serve::bench::{Bench, Shelf};
use crate::serve::book::Book;
use crate::serve::layout::{Frame, Links, Part, Wanted, address, escaped, failed, left_out, page, shade, worded};
use crate::situation::start::ON;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// A change that can't be made.
pub struct Undone {
    /// The change, in words.
    what: String,
    /// What is wrong with it.
    why: Error,
}

/// The changes of an address that can be made together, and what is wrong with the others. Fails where the situation can't be had without
/// any change either.
pub fn kept(shelf: &Shelf, ask: &Ask) -> Result<(Ask, Vec<Undone>), Error> {
    let mut kept = Ask { pieces: BTreeMap::new(), set: BTreeMap::new(), ..ask.clone() };
    let plain = shelf.situation(&mut kept)?;
    // What rides on something leaves with it.
    let carrier = |name: &str| {
        let piece = plain.start.names.iter().position(|known| known.as_str() == name)?;
        plain.start.columns[ON][piece].text().map(|on| on.to_string()).filter(|on| ask.pieces.get(on).is_some_and(|kind| kind == OFF))
    };
    let mut groups: BTreeMap<(u8, String), Ask> = BTreeMap::new();
    for (name, kind) in &ask.pieces {
        let first = std::iter::successors(Some(name.clone()), |name| carrier(name)).take(99).last().unwrap_or_default();
        let key = if kind == OFF { (2, first) } else { (0, name.clone()) };
        groups.entry(key).or_default().pieces.insert(name.clone(), kind.clone());
    }
    for (name, now) in &ask.set {
        let of = name.rsplit_once(": ").map_or("", |(of, _)| of);
        let new = ask.pieces.get(of).is_some_and(|kind| kind != OFF);
        let key = if new { (0, of.to_string()) } else { (1, name.clone()) };
        groups.entry(key).or_default().set.insert(name.clone(), now.clone());
    }
    let mut wrong = Vec::new();
    for ((sort, of), group) in groups {
        let mut tried = kept.clone();
        tried.pieces.extend(group.pieces);
        tried.set.extend(group.set);
        match shelf.situation(&mut tried) {
            Ok(_) => kept = tried,
            Err(why) => {
                let what = match sort {
                    0 => format!("{of} can't be put in"),
                    1 => format!("{of} can't be “{}”", ask.set.get(&of).map_or("", String::as_str)),
                    _ => format!("{of} can't be taken out: the situation needs it"),
                };
                wrong.push(Undone { what, why });
            }
        }
    }
    Ok((kept, wrong))
}

/// What could not be changed, over the form without it.
pub fn undone(wrong: &[Undone], kept: &Ask) -> Markup {
    html! {
        div.undone data-undone {
            @for one in wrong { (worded(&one.what, &one.why, false)) }
            p { @if wrong.len() == 1 { "This change was not made" } @else { "These changes were not made" } "; all else stands as it was. " a.button href=(address(kept, "")) { "Undo it" } }
        }
    }
}

/// The page of what can't be shown.
pub fn lost(bench: &Bench, wanted: &Wanted, error: &Error) -> Markup {
    let shelf = bench.shelf();
    let path: Vec<&str> = wanted.path.iter().map(String::as_str).collect();
    let game = match (path.first(), path.get(1)) {
        (Some(&("book" | "at")), Some(game)) => game.to_string(),
        _ => wanted.word("game"),
    };
    let title = if matches!(error, Error::Unknown { .. }) { "There is no such page" } else { "That can't be shown" };
    if let Ok(shelf) = &shelf
        && let Ok(known) = shelf.library.game(&game)
    {
        let ask = Ask::read(&game, "", wanted.query).unwrap_or_else(|_| Ask { game: game.clone(), ..Ask::default() });
        if path[0] == "book"
            && let Ok(program) = shelf.book(&ask)
        {
            let links = Links::live(&ask);
            let book = Book { library: &shelf.library, ruleset: &program.ruleset, links: &links };
            let what = path.get(2).copied().unwrap_or("chapter");
            let text = html! {
                (left_out(&shelf.broken(&ask, shelf.whole(&game)), &game))
                h1 { (title) }
                (near(error, &links, what))
                (elsewhere(&shelf.library, &ask, &program.ruleset.wish.with, &path))
                p { a href=(links.contents()) { "To the contents" } }
            };
            let body = html! { div.book { (book.beside(None)) div.text { (text) } } };
            return page(&Frame { title, part: Part::Book, game: Some(known), links: &links }, body);
        }
        let links = Links::Live { game: game.clone(), query: String::new() };
        let plain = path.iter().map(|part| escaped(part)).collect::<Vec<_>>().join("/");
        let body = html! {
            h1 { (title) }
            (failed(error))
            @if path[0] == "at" && !wanted.query.is_empty() { p { a href={ "/" (plain) } { "Without what was changed" } } }
            p { a href={ "/at/" (escaped(&game)) } { "All situations" } }
        };
        return page(&Frame { title, part: Part::Situations, game: Some(known), links: &links }, body);
    }
    let links = Links::Live { game: String::new(), query: String::new() };
    let body = html! { h1 { (title) } (failed(error)) p { a href="/" { "To the games" } } };
    page(&Frame { title, part: Part::Home, game: None, links: &links }, body)
}

/// What is not there, with links to what is called nearly so.
fn near(error: &Error, links: &Links, what: &str) -> Markup {
    let Error::Unknown { what: sort, name, near } = error else { return failed(error) };
    html! {
        p role="alert" { "There is no " (sort) " called " code { (name) } "." }
        @if !near.is_empty() {
            p { "There is " @for (i, name) in near.iter().enumerate() { @if i > 0 { ", " } a href=(links.to(what, name)) { (name) } } "." }
        }
    }
}

/// The variants that have a case or a table and are not in force.
fn elsewhere(library: &Library, ask: &Ask, with: &[String], path: &[&str]) -> Markup {
    let ["book", game, what, name] = path[..] else { return html! {} };
    let Ok(known) = library.game(game) else { return html! {} };
    let mut ignored = Default::default();
    let mut has = |variant: &str| {
        let layer = library.layer(known, Some(variant), &mut ignored);
        match what {
            "case" => layer.cases.iter().any(|case| case.number == name),
            _ => what == "table" && layer.tables.contains_key(name),
        }
    };
    let variants: Vec<&str> =
        library.variants_of(game).into_iter().filter(|variant| !with.iter().any(|on| on == variant) && has(variant)).collect();
    html! {
        @for variant in variants {
            @let more = Ask { with: Some(with.iter().cloned().chain([variant.to_string()]).collect()), ..ask.clone() };
            p {
                "It stands in " span class={ (shade(library, game, variant)) " chip" } { (variant) } ", which is not in force here. "
                a.button href=(Links::live(&more).to(what, name)) { "Put it in force" }
            }
        }
    }
}
