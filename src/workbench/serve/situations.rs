//! The form of a situation: attributes, places, tracks, choices and dice.

use crate::serve::decisions::{given_entries, pieces_to_pick};
use crate::serve::fields::{inline_yaml, render_field, render_figure};
use crate::serve::layout::{LinkTarget, escape, hidden_fields, side_colour, situation_address};
use crate::serve::page_request::{PageRequest, REMOVED};
use crate::serve::prose::Prose;
use crate::serve::switches::render_switches;
use casebook_checks::author::dry_run::set_up_notes;
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::manifest::{AttributeType, Game, Track};
use casebook_engine::data::piece::{Features, datum_text};
use casebook_engine::data::scenario::{ListKind, Scenario};
use casebook_engine::data::sheet::SheetField;
use casebook_engine::data::wording::Wording;
use casebook_engine::data::yaml::YamlNode;
use casebook_engine::notation::{Band, Face};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::deck_view::zone_text;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::geography::default_value;
use casebook_engine::situation::initial_board::{
    CARRIER_COLUMN, FIRST_ATTRIBUTE, KIND_COLUMN, PLACE_COLUMN, SIDE_COLUMN,
};
use casebook_engine::situation::value::Value;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// So many pieces have their rows open as long as no counter is.
const MAX_OPEN_ROWS: usize = 24;

/// The form of a situation under a ruleset. It sends only the values that differ from the situation's file.
pub struct SituationForm<'a> {
    /// The situation with the changes of the request.
    pub current: &'a Situation,
    /// The situation as in its file.
    pub original: &'a Situation,
    pub request: &'a PageRequest,
    /// The variants that the situation itself names.
    pub default_variants: &'a [String],
    /// The cases that the ruling consulted.
    pub consulted_cases: &'a BTreeSet<String>,
    /// The pieces of the counter that is open on the map; none to show all.
    pub opened: &'a [String],
}

impl SituationForm<'_> {
    fn ruleset(&self) -> &Ruleset {
        self.current.ruleset()
    }

    fn game(&self) -> &Game {
        &self.ruleset().game
    }

    /// Renders the whole form.
    pub fn render(&self) -> Markup {
        let count = self.current.initial_board.names.len();
        html! {
            form #situation.situation.has-picked[!self.opened.is_empty()] method="get" data-live data-address=(situation_address(self.request, "")) {
                @for (name, kind) in &self.request.pieces { input type="hidden" name={ "piece:" (name) } value=(kind); }
                details.piece-rows open[count <= MAX_OPEN_ROWS || !self.opened.is_empty()] {
                    summary { "Pieces" }
                    p.all-pieces { a href=(situation_address(self.request, "")) data-all-pieces { "All pieces" } }
                    (self.render_pieces())
                    (self.render_place_names())
                }
                p.buttons { button { "Rule" } " " a href=(situation_address(&PageRequest::of(&self.request.game, &self.request.situation), "")) { "Reset" } }
                @if !given_entries(self.current).is_empty() || !self.current.scenario.tracks.is_empty() { details open { summary { "Task and tracks" } (self.render_argument()) } }
                @if !self.game().card_stocks.is_empty() { details { summary { "Decks and hands" } (self.render_decks()) } }
                @if !self.current.scenario.places.is_empty() { details { summary { "Places" } (self.render_places()) } }
                details { summary { "Dice" } (self.render_dice()) }
                details #rules open { summary { "Rules" } (render_switches(self.ruleset(), self.default_variants, Some((&LinkTarget::for_request(self.request), self.consulted_cases)))) }
            }
            (self.render_add_piece())
        }
    }

    fn render_dice(&self) -> Markup {
        let dice = self
            .request
            .dice
            .as_ref()
            .map(|dice| Face::join(dice, ", "));
        html! {
            div.fields {
                label { span { "Seed" } input type="number" name="seed" min="0" step="1" value=(self.request.seed.unwrap_or(1)) data-plain="1"; }
                label { span { "Or your own dice" } input name="dice" inputmode="numeric" placeholder="3, 5, 2" value=[dice] data-plain=""; }
                label.tick { input type="checkbox" name="strict" value="on" checked[self.request.strict]; " Refuse reconstructed figures" }
            }
        }
    }

    /// Renders the fields to add a piece, and the removed pieces.
    fn render_add_piece(&self) -> Markup {
        let (game, there) = (self.game(), &self.current.initial_board.names);
        let mut counters: Vec<String> = self
            .current
            .scenario
            .used_lists
            .iter()
            .filter_map(|list| self.ruleset().scenario(list).ok())
            .flat_map(|list| {
                list.pieces
                    .iter()
                    .map(|entry| entry.name.clone())
                    .collect::<Vec<_>>()
            })
            .collect();
        counters.retain(|name| !there.iter().any(|piece| piece.as_str() == name));
        let out: Vec<&String> = self
            .request
            .pieces
            .iter()
            .filter(|(_, kind)| *kind == REMOVED)
            .map(|(name, _)| name)
            .collect();
        html! {
            form.more-pieces method="get" {
                (hidden_fields(self.request))
                details {
                    summary { "Put a piece in" }
                    div.fields {
                        label { span { "name" } input name="new:name" required list="counters"; }
                        label { span { "kind" } select name="new:kind" {
                            @if !counters.is_empty() { option value="" { "as its counter" } }
                            @for (name, kind) in &game.kinds { option value=(name) { (kind.title) } }
                        } }
                        label { span { "side" } select name="new:side" {
                            option value="" { "–" }
                            @for side in &game.sides { option value=(side) { (side) } }
                        } }
                        label { span { "at" } input name="new:at"; }
                        button { "Put it in" }
                    }
                    datalist #counters { @for name in &counters { option value=(name) {} } }
                }
                @if !out.is_empty() {
                    p.quiet { "Taken out: " @for (i, name) in out.iter().enumerate() {
                        @if i > 0 { ", " }
                        @let back = PageRequest { pieces: self.request.pieces.iter().filter(|(other, _)| other != name).map(|(a, b)| (a.clone(), b.clone())).collect(), ..self.request.clone() };
                        (name) " " a href=(situation_address(&back, "")) { "put back" }
                    } }
                }
            }
        }
    }

    /// Returns the address without a piece and the pieces that it carries.
    fn address_without(&self, name: &str) -> String {
        let start = &self.current.initial_board;
        let on = |piece: usize| {
            start.columns[CARRIER_COLUMN][piece]
                .as_text()
                .map_or("", |text| text.as_str())
        };
        let mut removed = vec![name];
        // Removal is transitive, because a carrier may itself be carried.
        while let Some(more) = (0..start.names.len()).find(|piece| {
            removed.contains(&on(*piece)) && !removed.contains(&start.names[*piece].as_str())
        }) {
            removed.push(start.names[more].as_str());
        }
        let mut request = self.request.clone();
        request
            .set
            .retain(|set, _| !removed.iter().any(|name| FigureName::is_of(set, name)));
        for name in removed {
            match request.pieces.remove(name) {
                Some(_) => {}
                None => drop(request.pieces.insert(name.into(), REMOVED.into())),
            }
        }
        situation_address(&request, "")
    }

    /// Renders the pieces by side, with their attributes.
    fn render_pieces(&self) -> Markup {
        let start = &self.current.initial_board;
        let sides = self.game().sides.iter().map(String::as_str).chain([""]);
        let of = |column: usize, piece: usize| {
            start.columns[column][piece]
                .as_text()
                .map_or("", |text| text.as_str())
        };
        html! {
            @for name in sides {
                @let own: Vec<usize> = (0..start.names.len()).filter(|piece| of(SIDE_COLUMN, *piece) == name).collect();
                @if !own.is_empty() {
                    fieldset class={ "pieces " (side_colour(self.game(), name)) } {
                        legend { @if name.is_empty() { "Nobody's" } @else { (name) } }
                        @for piece in own { (self.render_piece(piece)) }
                    }
                }
            }
        }
    }

    fn render_piece(&self, piece: usize) -> Markup {
        let (now, plain) = (&self.current.initial_board, &self.original.initial_board);
        let name = now.names[piece].as_str();
        let kind = now.columns[KIND_COLUMN][piece]
            .as_text()
            .map_or("", |text| text.as_str());
        let title = self
            .game()
            .kinds
            .get(kind)
            .map_or(kind, |kind| kind.title.as_str());
        let put_in = self.request.pieces.contains_key(name);
        let carried = now.columns[CARRIER_COLUMN][piece]
            .as_text()
            .is_some_and(|on| !on.is_empty());
        let text = |value: &Value| {
            value.as_text().map_or_else(
                || value.as_number().map_or(String::new(), |n| n.to_string()),
                |text| text.to_string(),
            )
        };
        html! {
            div.piece.picked[self.opened.iter().any(|one| one == name)] data-piece=(name) {
                p { b { (name) } " " span.quiet { (title) } }
                div.fields {
                    @let (key, column) = if carried { ("on", CARRIER_COLUMN) } else { ("at", PLACE_COLUMN) };
                    (render_field(name, key, &text(&now.columns[column][piece]), Some(&text(&plain.columns[column][piece])).filter(|_| !put_in).map(String::as_str), &AttributeType::Word(Vec::new(), None)))
                    @for (index, (key, attribute)) in self.game().attributes.iter().enumerate() {
                        @let (value, old) = (&now.columns[FIRST_ATTRIBUTE + index][piece], &plain.columns[FIRST_ATTRIBUTE + index][piece]);
                        @let is_told = *attribute != AttributeType::Flag && self.is_stated(name, key);
                        @let is_set = *old != default_value(attribute) || value != old || is_told || put_in && self.kind_has(kind, key);
                        @if is_set && !matches!(attribute, AttributeType::Words) {
                            @let show = |value: &Value| match value { Value::True => "true".into(), Value::False => "false".into(), other => text(other) };
                            (render_figure(name, key, (&show(value), Some(show(old)).filter(|_| !put_in).as_deref()), attribute, self.game().wordings.get(key)))
                        }
                    }
                }
                @let shown = |index: usize, key: &str| now.columns[FIRST_ATTRIBUTE + index][piece] != Value::False || plain.columns[FIRST_ATTRIBUTE + index][piece] != Value::False || put_in && self.kind_has(kind, key);
                @let unset: Vec<&str> = self.game().attributes.iter().enumerate().filter(|(index, (key, attribute))| *attribute == AttributeType::Flag && !shown(*index, key)).map(|(_, (key, _))| key.as_str()).collect();
                (self.render_unset_flags(name, &unset, &self.game().wordings))
                a.out href=(self.address_without(name)) title={ "Take " (name) " out" } aria-label={ "Take " (name) " out" } { "×" }
            }
        }
    }

    /// Renders what may be so of a piece or place, and is not.
    fn render_unset_flags(
        &self,
        of: &str,
        unset: &[&str],
        wordings: &BTreeMap<String, Wording>,
    ) -> Markup {
        html! {
            @if !unset.is_empty() {
                details.flags {
                    summary { "more" span.hidden { " of " (of) } }
                    div.fields { @for key in unset { (render_figure(of, key, ("false", Some("false")), &AttributeType::Flag, wordings.get(*key))) } }
                }
            }
        }
    }

    /// Renders the names of places that can be typed; a map of hexes has too many.
    fn render_place_names(&self) -> Markup {
        let (places, scenario) = (&self.game().places, &self.current.scenario);
        let used = scenario
            .used_lists
            .iter()
            .filter_map(|list| self.ruleset().scenario(list).ok());
        let mut names: BTreeSet<String> = scenario.places.keys().cloned().collect();
        used.for_each(|list| names.extend(list.places.keys().cloned()));
        html! {
            @if !places.is_hex_grid {
                datalist #place-names { @for name in names.iter().chain(&places.boxes) { option value=(name) {} } }
            }
        }
    }

    /// Returns whether the file states an attribute of a piece, even with its default value.
    fn is_stated(&self, piece: &str, key: &str) -> bool {
        self.original
            .scenario
            .pieces
            .iter()
            .any(|entry| entry.name == piece && entry.attributes.contains_key(key))
    }

    /// Returns whether an attribute applies to a kind: its counter or another piece of the situation has it.
    fn kind_has(&self, kind: &str, key: &str) -> bool {
        let (start, game) = (&self.current.initial_board, self.game());
        let on_counters = game
            .unit_value
            .as_ref()
            .is_some_and(|figures| key == figures.first || key == figures.second);
        let alike = |piece: &usize| {
            start.columns[KIND_COLUMN][*piece]
                .as_text()
                .is_some_and(|text| text.as_str() == kind)
        };
        on_counters
            || (0..start.names.len())
                .filter(alike)
                .any(|piece| self.is_stated(start.names[piece].as_str(), key))
    }

    fn render_places(&self) -> Markup {
        let attributes = &self.game().places.attributes;
        let value = |scenario: &Scenario, place: &str, key: &str| {
            scenario
                .places
                .get(place)
                .and_then(|features| features.attributes.get(key))
                .map(datum_text)
                .unwrap_or_default()
        };
        html! {
            @for (place, Features { attributes: data, .. }) in &self.current.scenario.places {
                div.piece {
                    p { b { (place) } }
                    div.fields {
                        @for (key, attribute) in attributes.iter().filter(|(key, _)| data.contains_key(key)) {
                            (render_field(place, key, &value(&self.current.scenario, place, key), Some(&value(&self.original.scenario, place, key)), attribute))
                        }
                    }
                    @let unset: Vec<&str> = attributes.iter().filter(|(key, attribute)| *attribute == AttributeType::Flag && !data.contains_key(key)).map(|(key, _)| key.as_str()).collect();
                    (self.render_unset_flags(place, &unset, &self.game().places.wordings))
                }
            }
        }
    }

    /// Returns the type of the field for a name that the procedure is given.
    fn field_type(&self, field: Option<&SheetField>) -> AttributeType {
        let Some(field) = field.filter(|field| !field.is_list && field.takes_scalars()) else {
            return AttributeType::Word(Vec::new(), None);
        };
        let holds = &field.constraint;
        // Places of a hex grid have no list: only the boxes beside it are named.
        let listed = |kind: &&String| *kind != "place" || !self.game().places.is_hex_grid;
        let names = holds
            .references
            .iter()
            .filter(listed)
            .flat_map(|kind| self.game().names_of_kind(kind))
            .map(String::from);
        match &holds.bands[..] {
            _ if field.is_flag() => AttributeType::Flag,
            [band] if holds.words.is_empty() => AttributeType::Number(String::new(), None, *band),
            [] => AttributeType::Word(holds.words.iter().cloned().chain(names).collect(), None),
            _ => AttributeType::Word(Vec::new(), None),
        }
    }

    /// Returns the type of the field for a track: its boxes, or numbers between its ends.
    fn track_type(&self, name: &str) -> AttributeType {
        match self.game().tracks.get(name) {
            Some(Track::Names(names)) => AttributeType::Word(names.clone(), None),
            Some(Track::Numbers { from, to }) => AttributeType::Number(
                String::new(),
                None,
                Band {
                    low: *from,
                    high: *to,
                },
            ),
            _ => AttributeType::Word(Vec::new(), None),
        }
    }

    /// Renders where the cards of each deck lie.
    fn render_decks(&self) -> Markup {
        let game = self.game();
        let any = AttributeType::Word(Vec::new(), None);
        let [now, old] =
            [self.current, self.original].map(|of| Board::new(of.initial_board.clone()));
        html! {
            @for (number, stock) in game.card_stocks.iter().enumerate() {
                h3 { (stock.name) }
                div.fields {
                    @for zone in game.card_zones() {
                        @let text = |board: &Board| zone_text(&stock.deck, zone, &board.peek_cards(game, number, zone));
                        (render_field(&stock.name, &zone.key(&game.sides), &text(&now), Some(&text(&old)), &any))
                    }
                }
            }
        }
    }

    /// Renders the arguments of the procedure and the tracks.
    fn render_argument(&self) -> Markup {
        let old = |key: &str| {
            self.original
                .scenario
                .root
                .get("given")
                .and_then(|given| given.get(key))
                .map(inline_yaml)
                .unwrap_or_default()
        };
        let track = |scenario: &Scenario, key: &str| {
            scenario.tracks.get(key).map(datum_text).unwrap_or_default()
        };
        let fields = self.ruleset().given(&self.current.procedure);
        let is_given = |name: &str| {
            given_entries(self.current)
                .iter()
                .any(|(key, _)| key.as_text() == Some(name))
        };
        let unset = || fields.iter().filter(|(name, _)| !is_given(name));
        html! {
            div.fields {
                @for (key, value) in given_entries(self.current) {
                    @let key = key.as_text().unwrap_or_default();
                    @let field = fields.get(key);
                    // Pieces are picked among the decisions, where the rules say who may.
                    @if pieces_to_pick(self.current, self.original, (key, value), field).is_empty() {
                        span title=[field.map(|field| &field.title)] { (render_field("given", key, &inline_yaml(value), Some(&old(key)), &self.field_type(field))) }
                    }
                }
                @for (name, field) in unset().filter(|(_, field)| field.is_flag()) {
                    span title=(field.title) { (render_field("given", name, "false", Some("false"), &AttributeType::Flag)) }
                }
                @for key in self.current.scenario.tracks.keys() {
                    (render_field("track", key, &track(&self.current.scenario, key), Some(&track(&self.original.scenario, key)), &self.track_type(key)))
                }
            }
            @let open: Vec<_> = unset().filter(|(_, field)| !field.is_flag()).collect();
            @if !open.is_empty() {
                details.quiet {
                    summary { "May be given too" }
                    div.fields { @for (name, field) in open { (self.render_unset_field(name, field)) } }
                }
            }
        }
    }

    /// Renders the empty field of a name that the procedure may be given and the situation leaves out.
    fn render_unset_field(&self, name: &str, field: &SheetField) -> Markup {
        let is_piece = !field.is_list
            && !field.or_list
            && field
                .constraint
                .references
                .iter()
                .any(|kind| kind == "piece");
        let words: Vec<String> = match self.field_type(Some(field)) {
            _ if is_piece => self
                .current
                .initial_board
                .names
                .iter()
                .map(|name| name.to_string())
                .filter(|name| !name.is_empty())
                .collect(),
            AttributeType::Word(words, _) => words,
            _ => Vec::new(),
        };
        let described = format!("{} It is {}.", field.title, field.describe());
        let param = format!("more:given: {name}");
        html! {
            label title=(described) {
                span { (name.replace('_', " ")) }
                @if words.is_empty() {
                    input name=(param) value="" data-plain="" placeholder=[field.is_list.then_some("[..., ...]")];
                } @else {
                    select name=(param) data-plain="" {
                        option value="" selected { "not given" }
                        @for word in &words { option value=(word) { (word) } }
                    }
                }
                small { (described) }
            }
        }
    }
}

pub fn render_heading(now: &Situation, request: &PageRequest, here: &str) -> Markup {
    let scenario = &now.scenario;
    let about = now
        .ruleset()
        .game
        .procedures
        .iter()
        .find(|(name, _)| *name == now.procedure)
        .map(|(_, about)| about.as_str());
    let links = LinkTarget::for_request(request);
    let prose = Prose {
        ruleset: now.ruleset(),
        links: &links,
    };
    html! {
        header.title {
            h1 { (scenario.title) }
            @if here == "new" { p.lead { (scenario.length) } }
            @else { p.lead { (now.procedure) @if let Some(about) = about { ". " (prose.render(about)) } } }
            @if let Some(text) = scenario.root.get("text").and_then(YamlNode::as_text) { p.words { (prose.render(text)) } }
            @if !scenario.method.is_empty() { details.quiet { summary { "Where this comes from" } p.remark { (prose.render(&scenario.method)) } } }
            // A printed page does not show the form, so it lists the changes.
            p.in-force { "Rules: " (now.ruleset().title_in_words()) ". " a.off-paper href={ (situation_address(request, "")) "#rules" } { "Switch" } }
            @if !(request.set.is_empty() && request.pieces.is_empty()) { p.on-paper { "Changed by hand" @for (name, now) in &request.set { "; " (name) " " (now) } @for (name, kind) in &request.pieces { "; " (name) " " (kind) } "." } }
            (render_tabs(request, scenario.is_game, here))
        }
    }
}

/// Renders the ways to look at a situation.
pub fn render_tabs(request: &PageRequest, is_game: bool, here: &str) -> Markup {
    let tab = |page: &str, name: &str| {
        // Moves apply only to the play page.
        let request = if page == "play" {
            request.clone()
        } else {
            PageRequest {
                moves: Vec::new(),
                ..request.clone()
            }
        };
        let address = match page {
            RULES_TAB => {
                let at = format!("at={}", escape(&request.situation));
                LinkTarget::for_request(&request).what_if_address(&at)
            }
            page => situation_address(&request, page),
        };
        html! { a href=(address) aria-current=[(page == here).then_some("page")] data-tab { (name) } }
    };
    html! {
        nav.tabs aria-label="Ways to look at it" { (tab("", "Calculate")) (tab(RULES_TAB, "Rules")) (tab("over", "Over a range")) (tab("compare", "Compare")) @if is_game { (tab("balance", "Balance")) } @if is_game && here != "play" { (tab("new", "Play")) } @else { (tab("play", "Play")) } }
    }
}

/// The tab of a situation on which its rules are changed.
pub const RULES_TAB: &str = "rules";

/// Returns whether a scenario is a situation and not only a list of pieces.
pub fn is_situation(scenario: &Scenario) -> bool {
    scenario.list_kind == ListKind::Situation && scenario.procedure.is_some()
}

/// Returns the address of the page on which what is changed in the situation is kept in a variant.
fn keeping_address(request: &PageRequest) -> String {
    let changes = request.changes_of_situation();
    let changes = changes
        .iter()
        .map(|typed| format!("&rule={}", escape(typed)));
    let changes: String = changes.collect();
    let opened = format!("at={}{changes}", escape(&request.situation));
    LinkTarget::for_request(request).what_if_address(&opened)
}

/// Renders what is otherwise in a situation than the manifest says of set-ups.
pub fn render_set_up_notes(situation: &Situation) -> Markup {
    html! { @for note in set_up_notes(situation) { p.note role="note" { (note.message) "." } } }
}

/// Renders the changes of a request, each with a link that undoes it alone.
pub fn render_changes(request: &PageRequest) -> Markup {
    let steps = request.undo_steps();
    html! {
        @if !steps.is_empty() {
            p.changes {
                span.quiet { "Changed: " }
                @for (label, without) in &steps {
                    a.button.undo href=(situation_address(without, "")) title="Undo this change" { (label) span aria-hidden="true" { " ↶" } span.hidden { ", undo" } } " "
                }
                @if !(request.set.is_empty() && request.pieces.is_empty()) { a.button href=(keeping_address(request)) title="Keep what is changed in rules of your own" { "Keep these changes" } }
            }
        }
    }
}
