//! Page layout and link targets: pages of the workbench, or files of an exported rulebook.

use crate::serve::api_answers::RequestError;
use crate::serve::page_request::PageRequest;
use crate::serve::workbench::FaultyVariant;
use casebook_engine::complaint::{Complaint, DiagnosticCode, Error, Place, Remedy, Severity};
use casebook_engine::data::case::SourceRef;
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::Game;
use casebook_engine::data::side_colour::{COLOUR_WORDS, Rgb, SideColour};
use form_urlencoded::{byte_serialize, parse};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::sync::atomic::AtomicBool;

/// The workbench section that a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkbenchSection {
    /// The list of games.
    Home,
    /// The rulebook.
    Book,
    /// Situations: odds and comparison.
    Situations,
    /// A situation that is played, or about to be.
    Table,
    Editor,
}

#[derive(Clone, Debug)]
pub enum LinkTarget {
    /// The running workbench; the query string selects the ruleset.
    Live {
        /// The name of the game.
        game: String,
        /// The query string of the ruleset.
        query: String,
    },
    /// Static files in one folder.
    Static,
}

/// A parsed page request.
pub struct PageQuery<'a> {
    /// The decoded path segments.
    pub path: Vec<String>,
    /// The raw query string.
    pub query: &'a str,
    /// Whether the request is authorised to write.
    pub may_write: bool,
    /// Whether the query is a form that was sent to be saved.
    pub is_posted: bool,
    /// Cancels a count when set.
    pub stop: &'a AtomicBool,
}

impl PageQuery<'_> {
    /// Returns a query parameter that only the page itself interprets; empty if absent.
    pub fn parameter(&self, key: &str) -> String {
        parse(self.query.as_bytes())
            .find(|(name, _)| name == key)
            .map(|(_, text)| text.into_owned())
            .unwrap_or_default()
    }
}

/// Percent-encodes a part of an address.
pub fn escape(text: &str) -> String {
    byte_serialize(text.as_bytes())
        .collect::<String>()
        .replace('+', "%20")
}

/// Returns the address of a situation's page: its form, or `play` or `compare` below it.
pub fn situation_address(request: &PageRequest, page: &str) -> String {
    let page = if page.is_empty() {
        String::new()
    } else {
        format!("/{page}")
    };
    with_query(
        format!(
            "/at/{}/{}{page}",
            escape(&request.game),
            escape(&request.situation)
        ),
        &request.to_query(),
    )
}

/// Appends a query to an address that may have one.
pub fn with_query(address: String, query: &str) -> String {
    match (query.is_empty(), address.contains('?')) {
        (true, _) => address,
        (false, has_query) => format!("{address}{}{query}", if has_query { '&' } else { '?' }),
    }
}

/// Renders items with commas between them.
pub fn render_with_commas(items: impl IntoIterator<Item = Markup>) -> Markup {
    html! { @for (i, item) in items.into_iter().enumerate() { @if i > 0 { ", " } (item) } }
}

/// What a workbench without them says of files of VASSAL.
pub const NO_VASSAL: &str = "saved games of VASSAL are opened and written by the program with all its parts (`cargo install casebook --features full`, then `casebook serve`): this workbench was built without that part";

/// Renders the form that opens a saved game of VASSAL; it may also be dropped on the page.
pub fn render_saved_game_form() -> Markup {
    html! {
        @if cfg!(feature = "vassal") {
            form.open-saved data-open-saved {
                label { span { "A saved game or log of VASSAL" } " " input type="file" accept=".vsav,.vlog" required; }
                " " button { "Open it" }
                output role="alert" {}
            }
        } @else {
            p.quiet { (render_sentence(NO_VASSAL)) "." }
        }
    }
}

/// Renders a link that downloads a text as a file.
pub fn download_link(name: &str, text: &str, label: &str) -> Markup {
    html! { a href={ "data:application/yaml;charset=utf-8," (escape(text)) } download=(name) { (label) } }
}

impl LinkTarget {
    /// Returns links into a game with its default ruleset.
    pub fn of_game(game: &str) -> LinkTarget {
        LinkTarget::Live {
            game: game.into(),
            query: String::new(),
        }
    }

    /// Returns links that keep the ruleset of a request.
    pub fn for_request(request: &PageRequest) -> LinkTarget {
        LinkTarget::Live {
            game: request.game.clone(),
            query: request.ruleset_only().to_query(),
        }
    }

    /// Returns the address of a rulebook page; `kind` is `chapter`, `case` or `table`.
    pub fn page_address(&self, kind: &str, name: &str) -> String {
        match self {
            LinkTarget::Live { game, query } => with_query(
                format!("/book/{}/{kind}/{}", escape(game), escape(name)),
                query,
            ),
            LinkTarget::Static => page_file(kind, name),
        }
    }

    /// Returns the address of the table of contents.
    pub fn contents_address(&self) -> String {
        match self {
            LinkTarget::Live { game, query } => {
                with_query(format!("/book/{}", escape(game)), query)
            }
            LinkTarget::Static => "index.html".into(),
        }
    }

    /// Returns the request of the page that it links from, with what selects its ruleset.
    fn ruleset(&self) -> PageRequest {
        match self {
            LinkTarget::Live { game, query } => {
                PageRequest::parse(game, "", query).unwrap_or_else(|_| PageRequest::of_game(game))
            }
            LinkTarget::Static => PageRequest::default(),
        }
    }

    /// Returns the address of a situation under the rules that were switched, or of the list of situations.
    pub fn situation_address(&self, name: &str) -> String {
        let request = self.ruleset().under_same_rules(name);
        match name {
            "" => with_query(
                format!("/at/{}", escape(&request.game)),
                &request.to_query(),
            ),
            _ => situation_address(&request, ""),
        }
    }

    /// Returns the address of "What if …?" over these rules; `opened` is the query of what is open there, or empty.
    pub fn what_if_address(&self, opened: &str) -> String {
        let request = self.ruleset();
        let address = with_query(format!("/what-if/{}", escape(&request.game)), opened);
        with_query(address, &request.to_query())
    }

    /// Returns the address of a citation such as "8.16 errata" or "table 7.3".
    pub fn cite_address(&self, cite: &str) -> String {
        match cite.strip_prefix("table ") {
            Some(rest) => self.page_address("table", rest.split(' ').next().unwrap_or(rest)),
            None => self.page_address("case", cite.split(' ').next().unwrap_or(cite)),
        }
    }

    /// Returns whether the page is served, so that it can send requests.
    pub fn is_live(&self) -> bool {
        matches!(self, LinkTarget::Live { .. })
    }
}

/// Returns the file name of a page in an exported rulebook.
pub fn page_file(kind: &str, name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' || c == '-' {
            c
        } else {
            '_'
        }
    };
    format!(
        "{kind}-{}.html",
        name.chars().map(plain).collect::<String>()
    )
}

/// The frame around the body of a page.
pub struct PageFrame<'a> {
    /// The page title.
    pub title: &'a str,
    /// The section of the page.
    pub section: WorkbenchSection,
    /// The game of the page.
    pub game: Option<&'a Game>,
    pub links: &'a LinkTarget,
}

/// Renders a complete page.
pub fn render_page(frame: &PageFrame, body: Markup) -> Markup {
    let live = frame.links.is_live();
    let assets = if live { "/assets/" } else { "" };
    let current = |part: WorkbenchSection| (frame.section == part).then_some("page");
    let is_table = frame.section == WorkbenchSection::Table;
    let is_situation = frame.section == WorkbenchSection::Situations;
    let has_map = is_table || is_situation;
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
                    // Elsewhere maps and charts need the place.
                    @if matches!(frame.section, WorkbenchSection::Home | WorkbenchSection::Book) { link rel="stylesheet" href="/assets/display.css"; }
                    link rel="stylesheet" href="/assets/pages.css";
                    @if has_map { link rel="stylesheet" href="/assets/map.css"; }
                    @if is_table { link rel="stylesheet" href="/assets/table.css"; }
                    @if is_situation { link rel="stylesheet" href="/assets/situation.css"; }
                    @if let Some(game) = frame.game {
                        (own_colours(game, |solid, words| format!("--solid:{solid};--side:{words}")))
                    }
                    link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                    script src="/assets/casebook.js" defer {}
                    script src="/assets/pages.js" defer {}
                    @if matches!(frame.section, WorkbenchSection::Book | WorkbenchSection::Editor) { script src="/assets/authoring.js" defer {} }
                    @if is_situation { script src="/assets/situation.js" defer {} }
                    @if has_map { script src="/assets/map.js" defer {} }
                    // The start page lists the games that are under way, without a map.
                    @if is_table || frame.section == WorkbenchSection::Home { script src="/assets/table.js" defer {} }
                }
            }
            body class={ "part-" (format!("{:?}", frame.section).to_lowercase()) } data-glossary=[frame.game.filter(|_| live).map(|game| format!("/glossary/{}", escape(&game.name)))] {
                a.skip href="#main" { "To the text" }
                header.top {
                    a.brand href=(if live { "/" } else { "index.html" }) { "Casebook" }
                    @if let Some(game) = frame.game {
                        span.game { (game.title) }
                        nav aria-label="Parts" {
                            a href=(frame.links.contents_address()) aria-current=[current(WorkbenchSection::Book)] { "Rulebook" }
                            @if live {
                                a href=(frame.links.situation_address("")) aria-current=[has_map.then_some("page")] { "Situations" }
                                a href=(frame.links.what_if_address("")) aria-current=[current(WorkbenchSection::Editor)] { "What if …?" }
                            }
                        }
                    }
                    @if live { button #copy-link .copy type="button" data-copy-link { "Copy link" } a.help href="/help" { "Help" } }
                }
                main #main tabindex="-1" { (body) }
            }
        }
    }
}

/// Returns the CSS class of a layer's colour. It depends on the variant's name alone, so that another variant beside it changes nothing.
pub fn layer_colour(library: &Library, game: &str, layer: &str) -> String {
    match library.variants_of(game).contains(&layer) {
        true => format!("layer l{}", colour_of_name(layer)),
        false => "layer l0".into(),
    }
}

/// Returns one of the six colours for a name.
fn colour_of_name(name: &str) -> u32 {
    name.bytes().fold(0u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    }) % 6
        + 1
}

/// Returns the CSS class of a side's colour; empty for no side. Where the manifest states none, a side named after a colour gets that colour.
pub fn side_colour(game: &Game, side: &str) -> String {
    let name = side.to_lowercase();
    let named_colour = || {
        let mut words = COLOUR_WORDS.iter();
        words.position(|colour| name.split(' ').any(|word| word == *colour))
    };
    let side_index = game.sides.iter().position(|other| other == side);
    side_index.map_or(String::new(), |place| {
        let colour = match game.side_colours.get(side) {
            Some(SideColour::Word(word)) => *word,
            Some(SideColour::Own(_)) => COLOUR_WORDS.len() + place,
            None => named_colour().unwrap_or(place % 4),
        };
        format!("side s{}", colour + 1)
    })
}

/// Returns the style sheet of the colours that a game states for itself, light and dark; `rule` writes the declarations of a colour, from
/// that of counters and that of words.
pub fn own_colours(game: &Game, rule: impl Fn(Rgb, Rgb) -> String) -> Markup {
    let mut schemes = [String::new(), String::new()];
    for (side, colour) in &game.side_colours {
        let (SideColour::Own(solid), Some(words)) = (colour, colour.words()) else {
            continue;
        };
        let class = side_colour(game, side).replace("side ", ".");
        for (scheme, text) in schemes.iter_mut().enumerate() {
            *text += &format!("{class}{{{}}}", rule(solid[scheme], words[scheme]));
        }
    }
    let [light, dark] = schemes;
    html! {
        @if !light.is_empty() {
            style { (PreEscaped(format!("{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"))) }
        }
    }
}

/// Renders source references with the titles of their documents.
pub fn render_sources(game: &Game, sources: &[SourceRef]) -> Markup {
    html! {
        @for (i, source) in sources.iter().enumerate() {
            @if i > 0 { "; " }
            cite title=[game.sources.get(&source.doc)] { (source.doc) }
            @if !source.at.is_empty() { " " (source.at) }
        }
    }
}

/// Renders the variants excluded from the ruleset, each with its error and a link to fix it.
pub fn render_faulty_variants(broken: &[FaultyVariant], game: &str) -> Markup {
    html! {
        @for one in broken {
            details.failed.left-out {
                summary {
                    b { "Left out: " (one.variant) } ", " (render_sentence(&one.complaint.message)) " "
                    @match &one.own_file {
                        Some(key) => a href={ "/edit/file?path=" (escape(key)) } { "Mend it" },
                        None => a href={ "/what-if/" (escape(game)) } { "To the house rules" },
                    }
                }
                p { "This variant can't be put in force as it is; all else is shown without it." }
                (render_complaints(std::slice::from_ref(&one.complaint)))
            }
        }
    }
}

/// Renders a sentence; text in backticks becomes code.
pub fn render_sentence(text: &str) -> Markup {
    html! { @for (i, part) in text.split('`').enumerate() { @if i % 2 == 1 { code { (part) } } @else { (part) } } }
}

/// Returns the heading for an error: a fault of the rules or of the input.
fn error_heading(complaints: &[Complaint]) -> &'static str {
    if complaints.iter().any(|one| one.place.is_in_file()) {
        "The rules can't be used as they are"
    } else {
        "That can't be done"
    }
}

/// Renders the page of a data error or an invalid request.
pub fn render_error(error: &Error) -> Markup {
    html! {
        section.failed role="alert" {
            @match error {
                Error::Data(complaints) => {
                    h2 { (error_heading(&complaints.0)) }
                    (render_complaints(&complaints.0))
                }
                other => p { (render_sentence(&other.to_string())) @if let Some(words) = other.remedy().and_then(remedy_words) { ": " (words) } }
            }
        }
    }
}

/// Renders an error in user input, without the script locations that detected it.
pub fn render_input_error(error: &Error) -> Markup {
    render_error_with("That can't be done", error, false)
}

/// Says what helps by what can be clicked on a page; `None` where a page does it by itself, or can't.
fn remedy_words(remedy: &Remedy) -> Option<&'static str> {
    match remedy {
        Remedy::AnswerChoice => Some("settle one of the decisions on the page of the situation"),
        Remedy::AddVariant(_) => Some("switch it on among the rules in force"),
        _ => None,
    }
}

/// Renders why a page can't answer: what it was asked wrongly, or an error, which manual changes may have caused.
pub fn render_failed_query(error: &Error, request: &PageRequest) -> Markup {
    match error {
        Error::Usage(_) | Error::Unanswered { .. } => html! { p role="status" { (error) } },
        error if request.has_manual_changes() => render_input_error(error),
        error => render_error(error),
    }
}

/// Renders an error after a manual change. It keeps the script location, because either the rule or the change may be at fault.
pub fn render_change_error(error: &Error) -> Markup {
    render_error_with("That can't be carried out", error, true)
}

/// Renders an error under a custom heading; `places` keeps the script locations.
pub fn render_error_with(head: &str, error: &Error, places: bool) -> Markup {
    let Error::Data(complaints) = error else {
        return render_error(error);
    };
    let mut shown_complaints: Vec<Complaint> = Vec::new();
    for complaint in complaints
        .0
        .iter()
        .filter(|one| one.severity == Severity::Error)
    {
        if !shown_complaints
            .iter()
            .any(|other| other.message == complaint.message)
        {
            shown_complaints.push(complaint.clone());
        }
    }
    // Remedies that address the author of a file don't help a user who only changed an attribute or entered impossible dice.
    let elsewhere = shown_complaints.iter_mut().filter(|one| {
        one.place.is_in_file()
            && (!places || [DiagnosticCode::Dice, DiagnosticCode::Choice].contains(&one.code))
    });
    elsewhere.for_each(|one| {
        (one.place, one.help) = (Place::whole_file("(changed by hand)"), String::new());
        one.remedy = None;
    });
    html! { section.failed role="alert" { h2 { (head) } (render_complaints(&shown_complaints)) } }
}

/// Renders complaints, each with its location and remedy.
fn render_complaints(complaints: &[Complaint]) -> Markup {
    html! {
        ol.complaints {
            @for complaint in complaints {
                li class=(if complaint.severity == Severity::Error { "error" } else { "note" }) {
                    p.what { (render_sentence(&complaint.message)) }
                    @if complaint.place.is_in_file() {
                        p.place {
                            (complaint.place.path)
                            @if let Some(span) = complaint.place.span { ":" (span.line) ":" (span.column) }
                            " " span.error-code { (complaint.code.as_str()) }
                        }
                    } @else if let Some(span) = complaint.place.span {
                        p.place { "line " (span.line) }
                    }
                    @if !complaint.place.excerpt.is_empty() { pre tabindex="0" { (complaint.place.excerpt) } }
                    @if !complaint.help.is_empty() { p.help { (render_sentence(&complaint.help)) } }
                    @if let Some(words) = complaint.remedy.as_ref().and_then(remedy_words) { p.help { (words) } }
                }
            }
        }
    }
}

/// Converts an error to JSON.
pub fn error_json(error: &Error) -> serde_json::Value {
    let remedy = error.remedy();
    let (error, complaints) = match error {
        Error::Data(complaints) => (error_heading(&complaints.0).into(), &complaints.0[..]),
        other => (other.to_string(), &[][..]),
    };
    serde_json::json!(RequestError {
        error,
        complaints,
        remedy
    })
}

/// Renders hidden fields for everything that the address of a request says.
pub fn hidden_fields(request: &PageRequest) -> Markup {
    html! { @for (name, text) in parse(request.to_query().as_bytes()) { input type="hidden" name=(name) value=(text); } }
}
