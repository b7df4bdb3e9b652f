//! The frame of every page, and where its links lead: to other pages of the workbench, or to other files of a written book.

use crate::complaint::{Complaint, Error, Place, Weight};
use crate::data::case::Source;
use crate::data::library::Library;
use crate::data::manifest::Game;
use crate::serve::ask::Ask;
use crate::serve::bench::Broken;
use form_urlencoded::{byte_serialize, parse};
use maud::{DOCTYPE, Markup, html};
use std::sync::atomic::AtomicBool;

/// Which part of the workbench a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The games.
    Home,
    /// The rulebook.
    Book,
    /// Situations, calculated, compared and played.
    Situations,
    /// The editor.
    Editor,
}

/// Where links lead.
#[derive(Clone, Debug)]
pub enum Links {
    /// To the workbench, with what is in force behind the `?`.
    Live {
        /// The game.
        game: String,
        /// What is in force.
        query: String,
    },
    /// To files in one folder.
    Still,
}

/// What a request asks for.
pub struct Wanted<'a> {
    /// The parts of the path.
    pub path: Vec<String>,
    /// What stands behind the `?`.
    pub query: &'a str,
    /// Whether it may write.
    pub may_write: bool,
    /// Ends a count when it is set.
    pub stop: &'a AtomicBool,
}

impl Wanted<'_> {
    /// A word behind the `?` that only the page wants to know.
    pub fn word(&self, key: &str) -> String {
        parse(self.query.as_bytes()).find(|(name, _)| name == key).map(|(_, text)| text.into_owned()).unwrap_or_default()
    }
}

/// A part of an address.
pub fn escaped(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

/// The address of a situation's page: its form, or `play` and `compare` below it.
pub fn address(ask: &Ask, page: &str) -> String {
    let query = ask.query();
    let tail = if query.is_empty() { String::new() } else { format!("?{query}") };
    let page = if page.is_empty() { String::new() } else { format!("/{page}") };
    format!("/at/{}/{}{page}{tail}", escaped(&ask.game), escaped(&ask.situation))
}

/// A link under which a text is had as a file.
pub fn file(name: &str, text: &str, said: &str) -> Markup {
    html! { a href={ "data:application/yaml;charset=utf-8," (escaped(text)) } download=(name) { (said) } }
}

impl Links {
    /// Links of the workbench that keep the ruleset of an address.
    pub fn live(ask: &Ask) -> Links {
        Links::Live { game: ask.game.clone(), query: ask.ruleset_only().query() }
    }

    /// A page of the rulebook: `chapter`, `case`, `table`, and its name.
    pub fn to(&self, what: &str, name: &str) -> String {
        match self {
            Links::Live { game, query } => {
                let tail = if query.is_empty() { String::new() } else { format!("?{query}") };
                format!("/book/{}/{what}/{}{tail}", escaped(game), escaped(name))
            }
            Links::Still => file_name(what, name),
        }
    }

    /// The first page of the rulebook.
    pub fn contents(&self) -> String {
        match self {
            Links::Live { game, query } if query.is_empty() => format!("/book/{}", escaped(game)),
            Links::Live { game, query } => format!("/book/{}?{query}", escaped(game)),
            Links::Still => "index.html".into(),
        }
    }

    /// Where a citation leads, such as "8.16 errata" or "table 7.3".
    pub fn cited(&self, cite: &str) -> String {
        match cite.strip_prefix("table ") {
            Some(rest) => self.to("table", rest.split(' ').next().unwrap_or(rest)),
            None => self.to("case", cite.split(' ').next().unwrap_or(cite)),
        }
    }

    /// Whether the page is served, so that it can ask for more.
    pub fn is_live(&self) -> bool {
        matches!(self, Links::Live { .. })
    }
}

/// The file of a page in a written book.
pub fn file_name(what: &str, name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' };
    format!("{what}-{}.html", name.chars().map(plain).collect::<String>())
}

/// What stands round the body of a page.
pub struct Frame<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its part of the workbench.
    pub part: Part,
    /// The game it is about.
    pub game: Option<&'a Game>,
    /// Where links lead.
    pub links: &'a Links,
}

/// A whole page.
pub fn page(frame: &Frame, body: Markup) -> Markup {
    let live = frame.links.is_live();
    let assets = if live { "/assets/" } else { "" };
    let here = |part: Part| (frame.part == part).then_some("page");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title) " · Casebook" }
                link rel="stylesheet" href={ (assets) "casebook.css" };
                @if live {
                    link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                    script src="/assets/casebook.js" defer {}
                }
            }
            body class={ "part-" (format!("{:?}", frame.part).to_lowercase()) } {
                a.skip href="#main" { "To the text" }
                header.top {
                    a.brand href=(if live { "/" } else { "index.html" }) { "Casebook" }
                    @if let Some(game) = frame.game {
                        span.game { (game.title) }
                        nav aria-label="Parts" {
                            a href=(frame.links.contents()) aria-current=[here(Part::Book)] { "Rulebook" }
                            @if live {
                                a href={ "/at/" (escaped(&game.name)) } aria-current=[here(Part::Situations)] { "Situations" }
                                a href={ "/edit?game=" (escaped(&game.name)) } aria-current=[here(Part::Editor)] { "House rules" }
                            }
                        }
                    }
                }
                main #main tabindex="-1" { (body) }
            }
        }
    }
}

/// The colour of a layer: its place among the variants of the game, so that it keeps it whatever else is in force.
pub fn shade(library: &Library, game: &str, layer: &str) -> String {
    match library.variants_of(game).iter().position(|name| *name == layer) {
        Some(place) => format!("layer l{}", place % 6 + 1),
        None => "layer l0".into(),
    }
}

/// The colour of a side; no colour for nobody. A side that is called by a colour has it.
pub fn side(game: &Game, side: &str) -> String {
    let name = side.to_lowercase();
    let own = ["blue", "brown", "green", "purple", "red", "grey"].iter().position(|colour| name.split(' ').any(|word| word == *colour));
    let place = game.sides.iter().position(|known| known == side);
    place.map_or(String::new(), |place| format!("side s{}", own.unwrap_or(place % 4) + 1))
}

/// Where something comes from, with the title of each document.
pub fn sources(game: &Game, sources: &[Source]) -> Markup {
    html! {
        @for (i, source) in sources.iter().enumerate() {
            @if i > 0 { "; " }
            cite title=[game.sources.get(&source.doc)] { (source.doc) }
            @if !source.at.is_empty() { " " (source.at) }
        }
    }
}

/// The variants that are left out of what is in force, each with what is wrong and the way to mend it.
pub fn left_out(broken: &[Broken], game: &str) -> Markup {
    html! {
        @for one in broken {
            section.failed role="alert" {
                h2 { "Left out: " (one.variant) }
                p { "This variant can't be put in force as it is; all else is shown without it." }
                (complained(std::slice::from_ref(&one.complaint)))
                @match &one.own {
                    Some(key) => p { a.button href={ "/edit/file?path=" (escaped(key)) } { "Mend it" } }
                    None => p { a href={ "/edit?game=" (escaped(game)) } { "To the house rules" } }
                }
            }
        }
    }
}

/// A sentence, with what stands between backticks as it is written in files.
pub fn spoken(text: &str) -> Markup {
    html! { @for (i, part) in text.split('`').enumerate() { @if i % 2 == 1 { code { (part) } } @else { (part) } } }
}

/// Whether it is the rules that are at fault.
fn head_of(complaints: &[Complaint]) -> &'static str {
    if complaints.iter().any(|one| one.place.in_a_file()) { "The rules can't be used as they are" } else { "That can't be done" }
}

/// A page of complaints, or of what was asked wrongly.
pub fn failed(error: &Error) -> Markup {
    html! {
        section.failed role="alert" {
            @match error {
                Error::Data(complaints) => {
                    h2 { (head_of(&complaints.0)) }
                    (complained(&complaints.0))
                }
                other => p { (spoken(&other.to_string())) }
            }
        }
    }
}

/// What is wrong with what was typed in or changed by hand: said once, in words, without the scripts that found it.
pub fn typed(error: &Error) -> Markup {
    worded("That can't be done", error, false)
}

/// What a rule stumbles over after something was changed by hand: either may be at fault, so that the place in the rule is named.
pub fn stumbled(error: &Error) -> Markup {
    worded("That can't be carried out", error, true)
}

/// The same under words of one's own.
pub fn worded(head: &str, error: &Error, places: bool) -> Markup {
    let Error::Data(complaints) = error else { return failed(error) };
    let mut said: Vec<Complaint> = Vec::new();
    for complaint in complaints.0.iter().filter(|one| one.weight == Weight::Error) {
        if !said.iter().any(|known| known.what == complaint.what) {
            said.push(complaint.clone());
        }
    }
    // What is said to the author of a file helps nobody who only changed a figure, or typed in dice that can't fall.
    let elsewhere = said.iter_mut().filter(|one| one.place.in_a_file() && (!places || ["dice", "choice"].contains(&one.law)));
    elsewhere.for_each(|one| (one.place, one.help) = (Place::file("(changed by hand)"), String::new()));
    html! { section.failed role="alert" { h2 { (head) } (complained(&said)) } }
}

/// Complaints, each with its place in a file and its remedy.
pub fn complained(complaints: &[Complaint]) -> Markup {
    html! {
        ol.complaints {
            @for complaint in complaints {
                li class=(if complaint.weight == Weight::Error { "error" } else { "note" }) {
                    p.what { (spoken(&complaint.what)) }
                    @if complaint.place.in_a_file() {
                        p.place {
                            (complaint.place.path)
                            @if let Some(span) = complaint.place.span { ":" (span.line) ":" (span.column) }
                            " " span.law { (complaint.law) }
                        }
                        @if !complaint.place.excerpt.is_empty() { pre tabindex="0" { (complaint.place.excerpt) } }
                    }
                    @if !complaint.help.is_empty() { p.help { (spoken(&complaint.help)) } }
                }
            }
        }
    }
}

/// An error as a program is told of it.
pub fn told(error: &Error) -> serde_json::Value {
    match error {
        Error::Data(complaints) => serde_json::json!({ "error": head_of(&complaints.0), "complaints": complaints.0 }),
        other => serde_json::json!({ "error": other.to_string(), "complaints": [] }),
    }
}
