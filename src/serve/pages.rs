//! Every page of the workbench, by its address.

use crate::complaint::Error;
use crate::ruling::resolve::Ran;
use crate::ruling::situation::Situation;
use crate::serve::answers::{self, Unfit};
use crate::serve::ask::{Ask, OFF};
use crate::serve::bench::{Bench, Broken, Shelf};
use crate::serve::book::Book;
use crate::serve::book::index::{Askers, chapters};
use crate::serve::chart;
use crate::serve::compared;
use crate::serve::editor;
use crate::serve::faults;
use crate::serve::layout::{Frame, Links, Part, Wanted, address, escaped, failed, left_out, page, stumbled, typed};
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
        ["book", game, what] => book(&shelf, wanted, game, what, "")?,
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
    let broken = left_out(&shelf.broken(&ask, shelf.whole(game)), game);
    let body = html! { div.book { (book.beside(here.as_deref())) div.text { (broken) (body) } } };
    Ok(page(&Frame { title: &title, part: Part::Book, game: Some(&ruleset.game), links: &links }, body))
}

fn situations(shelf: &Shelf, wanted: &Wanted, game: &str) -> Result<Markup, Error> {
    let ask = Ask { game: game.into(), ..Ask::default() };
    let program = shelf.book(&ask)?;
    let links = Links::Live { game: game.into(), query: String::new() };
    let broken = left_out(&shelf.broken(&ask, shelf.whole(game)), game);
    let body = html! { (broken) (listed(&shelf.library, &program.ruleset, &wanted.word("q"))) };
    Ok(page(&Frame { title: "Situations", part: Part::Situations, game: Some(&program.ruleset.game), links: &links }, body))
}

/// A situation under what an address asks for.
struct Laid {
    ask: Ask,
    situation: Situation,
    /// The variants it names for itself.
    default: Vec<String>,
    /// Those that were asked for and can't be put in force.
    broken: Vec<Broken>,
}

impl Laid {
    fn out(shelf: &Shelf, mut ask: Ask) -> Result<Laid, Error> {
        let default = shelf.known(&mut ask)?;
        let situation = shelf.situation(&mut ask)?;
        let broken = shelf.broken(&ask, default.clone());
        Ok(Laid { ask, situation, default: default.with, broken })
    }

    /// A page about it.
    fn page(&self, here: &str, body: Markup) -> Markup {
        let game = &*self.situation.ruleset().game;
        let body = html! { (left_out(&self.broken, &game.name)) (head(&self.situation, &self.ask, here)) (body) };
        let links = Links::live(&self.ask);
        page(&Frame { title: &self.situation.scenario.title, part: Part::Situations, game: Some(game), links: &links }, body)
    }
}

fn calculator(shelf: &Shelf, wanted: &Wanted, game: &str, name: &str) -> Result<Markup, Error> {
    let part = wanted.word("part");
    let ask = Ask::read(game, name, wanted.query);
    let found = ask.and_then(|ask| {
        Laid::out(shelf, ask.clone()).map_err(|error| (ask, error)).map_or_else(
            // What was changed may not go together: the form stays without that, and says what is wrong.
            |(ask, error)| match (ask.by_hand(), part.is_empty()) {
                (true, true) => faults::kept(shelf, &ask).and_then(|(ask, wrong)| Ok((Laid::out(shelf, ask)?, wrong))).map_err(|_| error),
                _ => Err(error),
            },
            |laid| Ok((laid, Vec::new())),
        )
    });
    let (laid, wrong) = match (found, part.as_str()) {
        (Ok(found), _) => found,
        // What is typed in may be half a word yet: the page stays, and says once what is wrong with it.
        (Err(error), "odds") => return Ok(typed(&error)),
        (Err(_), "ruling" | "board") => return Ok(html! { p.quiet { "There is no ruling as long as that can't be done." } }),
        (Err(error), _) => return Err(error),
    };
    let (ask, situation) = (&laid.ask, &laid.situation);
    let ruled = |time: Option<Duration>| {
        let (ran, fit) = answers::fitting(situation, ask, |situation, ask| match time {
            Some(time) => answers::glance(situation, ask, time).transpose(),
            None => answers::ruling(situation, ask).map(Some),
        });
        let look = Look::read(wanted);
        let (situation, ask) = fit.as_ref().map_or((situation, ask), |fit| (&fit.situation, &fit.ask));
        match ran {
            Ok(ran) if part == "board" => ran.map(|ran| around(situation, ask, &look, &ran)),
            Ok(ran) => ran.map(|ran| ruling(situation, ask, &look, &ran, fit.as_ref().map_or(&[], |fit| &fit.unfit))),
            Err(error) => Some(unruled(&error, ask)),
        }
    };
    match part.as_str() {
        "ruling" | "board" => return Ok(ruled(None).unwrap_or_default()),
        "odds" => {
            let (time, next) = look(wanted);
            return Ok(odds(situation, ask, wanted, time, next));
        }
        _ => {}
    }
    // Of a piece that was put in nothing goes without saying.
    let put_in = |of: &str| ask.pieces.get(of).is_some_and(|kind| kind != OFF);
    let mut plain_ask = ask.clone();
    plain_ask.set.retain(|name, _| name.rsplit_once(": ").is_some_and(|(of, _)| put_in(of)));
    let plain = shelf.situation(&mut plain_ask)?;
    if !is_situation(&situation.scenario) {
        return Err(Error::Usage(format!("{name} is a list of pieces, not a situation")));
    }
    let form = Form { library: &shelf.library, ruleset: situation.ruleset(), now: situation, plain: &plain, ask, default: &laid.default };
    // What can't be carried out in a moment is not counted in one either.
    let glance = ruled(Some(GLANCE.0));
    let later = |what: &str, part: &str| {
        let plain = address(ask, "");
        let part = format!("{plain}{}part={part}", if plain.contains('?') { '&' } else { '?' });
        html! { p.partly data-more="0" role="status" { (what) noscript { " " a href=(part) { "Show it" } } } }
    };
    let body = html! {
        @if !wrong.is_empty() { (faults::undone(&wrong, ask)) }
        div.calculator {
            div.given { (form.shown()) }
            div.comes {
                section aria-labelledby="odds-head" {
                    h2 #odds-head { "Odds" }
                    div data-part="odds" aria-live="polite" {
                        @if glance.is_some() { (odds(situation, ask, wanted, GLANCE.1, Some(0))) } @else { (later("Counting…", "odds")) }
                    }
                }
                section aria-labelledby="ruling-head" {
                    h2 #ruling-head { "A ruling" }
                    div data-part="ruling" { @if let Some(ruling) = &glance { (ruling) } @else { (later("It is carried out…", "ruling")) } }
                }
            }
        }
    };
    Ok(laid.page("", body))
}

/// Why there is no ruling. What was changed by hand is spoken of beside the odds already.
fn unruled(error: &Error, ask: &Ask) -> Markup {
    match (ask.by_hand(), &ask.dice) {
        (true, None) => html! { p.quiet { "There is no ruling as long as that can't be done." } },
        (_, Some(_)) => stumbled(error),
        _ => failed(error),
    }
}

/// For how long odds are counted at the look that a page asks for, and which comes next.
fn look(wanted: &Wanted) -> (Duration, Option<usize>) {
    let look = wanted.word("look").parse().unwrap_or(0).min(LOOKS.len() - 1);
    (Duration::from_secs(LOOKS[look]), Some(look + 1).filter(|next| *next < LOOKS.len()))
}

/// One ruling with its choices and its board.
fn ruling(situation: &Situation, ask: &Ask, look: &Look, ran: &Ran, unfit: &[Unfit]) -> Markup {
    let again = Ask { seed: Some(ask.seed.unwrap_or(1).wrapping_add(1)), dice: None, ..ask.clone() };
    html! {
        (choices(&ran.events, situation, ask, &ran.board, unfit))
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
    let (found, fit) = answers::fitting(situation, ask, |situation, ask| answers::odds(situation, ask, wanted.stop, time));
    match found {
        Ok(found) => {
            let more = next.filter(|_| found.found.sample.is_some());
            html! {
                @if let Some(next) = more { p.more data-more=(next) role="status" { "Counting goes on…" } }
                @if let Some(fit) = &fit { (unfit(&fit.unfit, ask)) }
                (chart::odds(&found, situation, &Links::live(ask)))
            }
        }
        // A count that was given no time to choose well is asked for again with more.
        Err(Error::Usage(_)) if next.is_some() => html! { p.partly data-more=[next] role="status" { "Counting…" } },
        Err(error) if ask.by_hand() => stumbled(&error),
        Err(error) => failed(&error),
    }
}

/// Answers that are not open with what was changed, each with those that are.
fn unfit(list: &[Unfit], ask: &Ask) -> Markup {
    let answered = |one: &Unfit, option: &str| {
        let mut ask = ask.clone();
        ask.choose.insert(one.question.clone(), option.into());
        address(&ask, "")
    };
    html! {
        @for one in list {
            p.partly role="status" {
                b { (one.question) ": “" (one.said) "” is not open here" } ", and left to the option offered first. "
                @if !one.open.is_empty() { "Open is " @for option in &one.open { a.button href=(answered(one, option)) { (option) } " " } }
            }
        }
    }
}

fn compared(shelf: &Shelf, wanted: &Wanted, game: &str, name: &str) -> Result<Markup, Error> {
    let mut laid = Laid::out(shelf, Ask::read(game, name, wanted.query)?)?;
    let stacks = compared::stacks(&shelf.library, &laid.ask, &laid.default);
    if laid.ask.rulesets.is_empty() {
        laid.ask.rulesets = compared::first(&stacks, &laid.default);
    }
    let ask = &laid.ask;
    match wanted.word("part").as_str() {
        "compared" => {
            let (time, next) = look(wanted);
            return Ok(compared::odds(shelf, ask, wanted.stop, time, next));
        }
        "causes" => return Ok(compared::causes(shelf, ask, wanted.stop)),
        _ => {}
    }
    let body = html! {
        (compared::form(&shelf.library, ask, &stacks))
        section { h2 { "Odds" } div data-part="compared" aria-live="polite" { (compared::odds(shelf, ask, wanted.stop, GLANCE.1 * 2, Some(0))) } }
        section { h2 { "What makes the difference" } div data-part="causes" aria-live="polite" { p.quiet data-more { "Amendments are left out one after another…" } } }
    };
    Ok(laid.page("compare", body))
}

fn play(shelf: &Shelf, wanted: &Wanted, game: &str, name: &str) -> Result<Markup, Error> {
    let laid = Laid::out(shelf, Ask::read(game, name, wanted.query)?)?;
    let (ask, situation) = (&laid.ask, &laid.situation);
    match wanted.word("part").as_str() {
        "table" => return Ok(play::table(shelf, situation, ask, &Look::read(wanted))),
        "board" => return play::looked_at(shelf, situation, ask, &Look::read(wanted)),
        "journal" => return play::journal(shelf, situation, ask),
        "earlier" => return play::earlier(shelf, situation, ask),
        "ahead" => return play::ahead(shelf, situation, ask, wanted.stop),
        _ => {}
    }
    let body = html! { div.play data-table { (play::table(shelf, situation, ask, &Look::read(wanted))) } };
    Ok(laid.page("play", body))
}
