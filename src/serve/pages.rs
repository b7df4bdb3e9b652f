//! Every page of the workbench, by its address.

use crate::complaint::Error;
use crate::ruling::resolve::Ran;
use crate::ruling::situation::Situation;
use crate::serve::answers;
use crate::serve::ask::{Ask, OFF};
use crate::serve::bench::{Bench, Shelf};
use crate::serve::book::Book;
use crate::serve::book::index::{Askers, chapters};
use crate::serve::chart;
use crate::serve::compared;
use crate::serve::editor;
use crate::serve::layout::{Frame, Links, Part, Wanted, address, escaped, failed, page};
use crate::serve::map::drawing::{Shown, board};
use crate::serve::map::look::Look;
use crate::serve::play;
use crate::serve::situations::{Form, choices, head, is_situation, listed};
use crate::situation::board::Board;
use maud::{Markup, html};
use std::time::Duration;

/// For how long the first sight of a page waits for a ruling, and for its odds; what takes longer is asked for by the page itself.
const GLANCE: (Duration, Duration) = (Duration::from_millis(150), Duration::from_millis(300));
/// For how many seconds odds are counted when a page asks for more, and again, and at most.
const LOOKS: [u64; 3] = [1, 5, 20];

/// The page of an address; none where there is no such page.
pub fn of(bench: &Bench, wanted: &Wanted) -> Result<Option<Markup>, Error> {
    let shelf = bench.shelf()?;
    let path: Vec<&str> = wanted.path.iter().map(String::as_str).collect();
    Ok(Some(match path[..] {
        [""] => home(&shelf),
        ["book", game] => book(&shelf, wanted, game, "", "")?,
        ["book", game, what, name] => book(&shelf, wanted, game, what, name)?,
        ["at", game] => situations(&shelf, wanted, game)?,
        ["at", game, situation] => calculator(&shelf, wanted, game, situation)?,
        ["at", game, situation, "compare"] => compared(&shelf, wanted, game, situation)?,
        ["at", game, situation, "play"] => play(&shelf, wanted, game, situation)?,
        ["edit"] => editor::variants(bench, &shelf, wanted)?,
        ["edit", "meet"] => editor::meeting(&shelf, wanted)?,
        ["edit", "file"] => editor::file(bench, &shelf, wanted)?,
        _ => return Ok(None),
    }))
}

fn home(shelf: &Shelf) -> Markup {
    let library = &shelf.library;
    let links = Links::Live { game: String::new(), query: String::new() };
    let body = html! {
        header.title { h1 { "Casebook" } p.lead { "The rules as they stand, what they come to, and what a change would do." } }
        div.games {
            @for game in library.games.values() {
                section {
                    h2 { (game.title) }
                    p {
                        a.button href={ "/book/" (escaped(&game.name)) } { "Rulebook" } " "
                        a.button href={ "/at/" (escaped(&game.name)) } { "Situations" } " "
                        a.button href={ "/edit?game=" (escaped(&game.name)) } { "House rules" }
                    }
                    ul.plain {
                        @for name in library.variants_of(&game.name) {
                            li { span class={ (crate::serve::layout::shade(library, &game.name, name)) " chip" } { (name) } " " (library.variants[name].title) }
                        }
                    }
                }
            }
        }
    };
    page(&Frame { title: "Games", part: Part::Home, game: None, links: &links }, body)
}

fn book(shelf: &Shelf, wanted: &Wanted, game: &str, what: &str, name: &str) -> Result<Markup, Error> {
    let ask = Ask::read(game, "", wanted.query)?;
    let program = shelf.book(&ask)?;
    let (ruleset, links) = (&program.ruleset, Links::live(&ask));
    let book = Book { library: &shelf.library, ruleset, links: &links };
    let askers = || Askers::of(ruleset);
    let (title, body, here) = match what {
        "chapter" => {
            let title = chapters(ruleset).into_iter().find(|chapter| chapter.slug == name).map(|chapter| chapter.title);
            (title.unwrap_or_default(), book.chapter(name, &askers())?, Some(name.to_string()))
        }
        "case" => {
            let known = ruleset.cases.iter().any(|case| case.number == name) || ruleset.contents.contains_key(name);
            if !known {
                let names = ruleset.cases.iter().map(|case| case.number.as_str()).chain(ruleset.contents.keys().map(String::as_str));
                return Err(Error::Unknown { what: "case in force", name: name.into(), near: crate::complaint::near(name, names) });
            }
            let title = format!("{name} {}", book.title_of(name));
            (title, html! { div.single { (book.case(name, &askers(), true)) } }, book.chapter_of(name).map(String::from))
        }
        "table" => (format!("Table {name}"), book.table(name, &askers())?, None),
        "search" => ("Search".into(), book.search(&wanted.word("q")), None),
        _ => (ruleset.game.title.clone(), book.contents(), None),
    };
    let body = html! { div.book { (book.beside(here.as_deref())) div.text { (body) } } };
    Ok(page(&Frame { title: &title, part: Part::Book, game: Some(&ruleset.game), links: &links }, body))
}

fn situations(shelf: &Shelf, wanted: &Wanted, game: &str) -> Result<Markup, Error> {
    let program = shelf.book(&Ask { game: game.into(), ..Ask::default() })?;
    let links = Links::Live { game: game.into(), query: String::new() };
    let body = listed(&shelf.library, &program.ruleset, &wanted.word("q"));
    Ok(page(&Frame { title: "Situations", part: Part::Situations, game: Some(&program.ruleset.game), links: &links }, body))
}

/// A situation under what an address asks for, with the variants it names for itself.
fn laid_out(shelf: &Shelf, wanted: &Wanted, game: &str, name: &str) -> Result<(Ask, Situation, Vec<String>), Error> {
    let mut ask = Ask::read(game, name, wanted.query)?;
    let default = shelf.known(&mut ask)?;
    let situation = shelf.situation(&mut ask)?;
    Ok((ask, situation, default.with))
}

/// A page about a situation.
fn about(situation: &Situation, ask: &Ask, here: &str, body: Markup) -> Markup {
    let links = Links::live(ask);
    let body = html! { (head(situation, ask, here)) (body) };
    let game = Some(&*situation.ruleset().game);
    page(&Frame { title: &situation.scenario.title, part: Part::Situations, game, links: &links }, body)
}

fn calculator(shelf: &Shelf, wanted: &Wanted, game: &str, name: &str) -> Result<Markup, Error> {
    let part = wanted.word("part");
    let mut plain_ask = Ask::read(game, name, wanted.query)?;
    // Of a piece that was put in nothing goes without saying.
    let put_in = |of: &str| plain_ask.pieces.get(of).is_some_and(|kind| kind != OFF);
    plain_ask.set.retain(|name, _| name.rsplit_once(": ").is_some_and(|(of, _)| put_in(of)));
    let found = laid_out(shelf, wanted, game, name);
    // What is typed in may be half a word yet: the page stays, and says what is wrong with it.
    let (ask, situation, default) = match found {
        Ok(found) => found,
        Err(error) if !part.is_empty() => return Ok(failed(&error)),
        Err(error) => return Err(error),
    };
    let ruled =
        |ran: Result<Ran, Error>| ran.map_or_else(|error| failed(&error), |ran| ruling(&situation, &ask, &Look::read(wanted), &ran));
    match part.as_str() {
        "ruling" => return Ok(ruled(answers::ruling(&situation, &ask))),
        "board" => {
            return Ok(answers::ruling(&situation, &ask)
                .map_or_else(|error| failed(&error), |ran| around(&situation, &ask, &Look::read(wanted), &ran)));
        }
        "odds" => {
            let look = wanted.word("look").parse().unwrap_or(0).min(LOOKS.len() - 1);
            return Ok(odds(&situation, &ask, wanted, Duration::from_secs(LOOKS[look]), Some(look + 1).filter(|next| *next < LOOKS.len())));
        }
        _ => {}
    }
    let plain = shelf.situation(&mut plain_ask)?;
    if !is_situation(&situation.scenario) {
        return Err(Error::Usage(format!("{name} is a list of pieces, not a situation")));
    }
    let form = Form { library: &shelf.library, ruleset: situation.ruleset(), now: &situation, plain: &plain, ask: &ask, default: &default };
    // What can't be carried out in a moment is not counted in one either.
    let glance = answers::glance(&situation, &ask, GLANCE.0);
    let later = |what: &str, part: &str| {
        let plain = address(&ask, "");
        let part = format!("{plain}{}part={part}", if plain.contains('?') { '&' } else { '?' });
        html! { p.partly data-more="0" role="status" { (what) noscript { " " a href=(part) { "Show it" } } } }
    };
    let body = html! {
        div.calculator {
            div.given { (form.shown()) }
            div.comes {
                section aria-labelledby="odds-head" {
                    h2 #odds-head { "Odds" }
                    div data-part="odds" aria-live="polite" {
                        @if glance.is_some() { (odds(&situation, &ask, wanted, GLANCE.1, Some(0))) } @else { (later("Counting…", "odds")) }
                    }
                }
                section aria-labelledby="ruling-head" {
                    h2 #ruling-head { "A ruling" }
                    div data-part="ruling" { @if let Some(ran) = glance { (ruled(ran)) } @else { (later("It is carried out…", "ruling")) } }
                }
            }
        }
    };
    Ok(about(&situation, &ask, "", body))
}

/// One ruling with its choices and its board.
fn ruling(situation: &Situation, ask: &Ask, look: &Look, ran: &Ran) -> Markup {
    let again = Ask { seed: Some(ask.seed.unwrap_or(1).wrapping_add(1)), dice: None, ..ask.clone() };
    html! {
        (choices(&ran.events, situation, ask, &ran.board))
        @if !ran.ruling.dice.is_empty() { p.dice {
            span.quiet { "With " (ran.ruling.dice_from) ": " }
            @for (purpose, faces) in &ran.ruling.dice {
                span.throw title=(purpose) { @for face in faces { span.die { (face) } } span.hidden { " for " (purpose) ". " } }
            }
            " " a href=(address(&again, "")) data-again { "Throw again" }
        } }
        (chart::ruling(&ran.ruling, &Links::live(ask)))
        div data-board { (around(situation, ask, look, ran)) }
    }
}

/// The board under a ruling; a click on it loads nothing else.
fn around(situation: &Situation, ask: &Ask, look: &Look, ran: &Ran) -> Markup {
    let before = Board::new(situation.start.clone());
    board(&Shown { situation, ask, page: "", look, before: &before, after: &ran.board, drawn: &ran.ruling.drawn, open: &[] })
}

/// The odds found in some time; where it was too short, the page is told which look comes next.
fn odds(situation: &Situation, ask: &Ask, wanted: &Wanted, time: Duration, next: Option<usize>) -> Markup {
    match answers::odds(situation, ask, wanted.stop, time) {
        Ok(found) => {
            let more = next.filter(|_| found.sample.is_some());
            html! {
                @if let Some(next) = more { p.more data-more=(next) role="status" { "Counting goes on…" } }
                (chart::odds(&found, &situation.ruleset().game))
            }
        }
        // A count that was given no time to choose well is asked for again with more.
        Err(Error::Usage(_)) if next.is_some() => html! { p.partly data-more=[next] role="status" { "Counting…" } },
        Err(error) => failed(&error),
    }
}

fn compared(shelf: &Shelf, wanted: &Wanted, game: &str, name: &str) -> Result<Markup, Error> {
    let (mut ask, situation, default) = laid_out(shelf, wanted, game, name)?;
    let stacks = compared::stacks(&shelf.library, &ask, &default);
    if ask.rulesets.is_empty() {
        ask.rulesets = compared::first(&stacks, &default);
    }
    match wanted.word("part").as_str() {
        "compared" => return Ok(compared::odds(shelf, &ask, wanted.stop)),
        "causes" => return Ok(compared::causes(shelf, &ask, wanted.stop)),
        _ => {}
    }
    let body = html! {
        (compared::form(&shelf.library, &ask, &stacks))
        section { h2 { "Odds" } div data-part="compared" aria-live="polite" { (compared::odds(shelf, &ask, wanted.stop)) } }
        section { h2 { "What makes the difference" } div data-part="causes" aria-live="polite" { p.quiet data-more { "Amendments are left out one after another…" } } }
    };
    Ok(about(&situation, &ask, "compare", body))
}

fn play(shelf: &Shelf, wanted: &Wanted, game: &str, name: &str) -> Result<Markup, Error> {
    let (ask, situation, _) = laid_out(shelf, wanted, game, name)?;
    match wanted.word("part").as_str() {
        "table" => return Ok(play::table(shelf, &situation, &ask, &Look::read(wanted))),
        "board" => return play::looked_at(shelf, &situation, &ask, &Look::read(wanted)),
        "earlier" => return play::earlier(shelf, &situation, &ask),
        "ahead" => return play::ahead(shelf, &situation, &ask, wanted.stop),
        _ => {}
    }
    let body = html! { div.play data-table { (play::table(shelf, &situation, &ask, &Look::read(wanted))) } };
    Ok(about(&situation, &ask, "play", body))
}
