//! Click targets of the map and the questions about it. Links and a text field offer the same to keyboard and screen-reader users.

use crate::serve::chart;
use crate::serve::layout::{
    LinkTarget, hidden_fields, render_error, side_colour, situation_address,
};
use crate::serve::map::counters::leads;
use crate::serve::map::drawing::{MapOption, Scene};
use crate::serve::map::map_look::{MapAnswer, MapLook};
use crate::serve::prose::Prose;
use casebook_engine::complaint::Error;
use casebook_engine::data::manifest::{Game, MapQuestion};
use casebook_engine::ruling::menu::place_words;
use casebook_engine::ruling::resolve::RulingLine;
use casebook_engine::ruling::session::why_not::WhyNot;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::placed_piece::PlacedPiece;
use maud::{Markup, html};

impl Scene<'_> {
    /// Returns the address of the answer that names a place or piece.
    pub(super) fn answer_address(&self, name: &str) -> Option<&str> {
        self.find_option(name).map(|option| option.address.as_str())
    }

    /// Returns whether options begin with the name of a piece, such as "A against 0102": the piece is clicked first, then the place.
    pub(super) fn begins_options(&self, piece: &str) -> bool {
        self.drawing
            .choice
            .options
            .iter()
            .any(|option| begins_with(option, piece))
    }

    /// Returns the option that names a place or piece: by itself, or at the end of what it says, such as "A against 0102". If the selected
    /// piece begins options, only those are meant.
    pub(super) fn find_option(&self, name: &str) -> Option<&MapOption> {
        let piece =
            Some(self.drawing.look.piece.as_str()).filter(|piece| self.begins_options(piece));
        let named = |option: &&MapOption| option.text == name;
        let ends = |option: &&MapOption| {
            piece.is_none_or(|piece| begins_with(option, piece))
                && option
                    .text
                    .strip_suffix(name)
                    .is_some_and(|rest| rest.ends_with(' '))
        };
        // An option that is the name of a piece means that piece, however it ends.
        let is_piece = |option: &&MapOption| self.after.iter().any(|one| one.name == option.text);
        let answers = &self.drawing.choice.options;
        answers.iter().find(named).or_else(|| {
            // An option that only ends with the name is meant if no other does.
            let mut matching = answers
                .iter()
                .filter(ends)
                .filter(|option| !is_piece(option));
            matching.next().filter(|_| matching.next().is_none())
        })
    }

    /// Returns what a place is called.
    fn place_words(&self, place: &str) -> String {
        place_words(place, self.drawing.after, self.game)
    }

    /// Returns how texts of the game are rendered.
    fn prose<'s>(&'s self, links: &'s LinkTarget) -> Prose<'s> {
        Prose {
            ruleset: self.drawing.situation.ruleset(),
            links,
        }
    }

    /// Returns the address of another selection.
    fn look_address(&self, look: MapLook) -> String {
        look.address(self.drawing.request, self.drawing.page)
    }

    /// Returns the default question about a piece; none if no question applies to its kind.
    fn default_question(&self, piece: &PlacedPiece) -> Option<&str> {
        self.game
            .map_questions
            .iter()
            .find(|question| question.applies_to_kind(&piece.kind, self.game))
            .map(|question| question.name.as_str())
    }

    /// Returns whether a click on a piece opens it to be changed, as on the page of the situation itself.
    pub(super) fn opens_pieces(&self) -> bool {
        self.drawing.page.is_empty()
    }

    /// Returns whether any question applies to a piece.
    pub(super) fn has_questions(&self, piece: &PlacedPiece) -> bool {
        self.default_question(piece).is_some()
    }

    /// Returns what a click on a place does: give it as an answer, or ask why it is or isn't reachable. The flag marks an answer.
    pub(super) fn click_on_place(&self, name: &str) -> Option<(String, bool)> {
        self.answer_address(name)
            .map(|address| (address.to_string(), true))
            .or_else(|| self.destination_click(name))
    }

    /// Returns the address that asks whether a piece may go to a place, if such a question is selected.
    fn destination_click(&self, name: &str) -> Option<(String, bool)> {
        let shown_answer = self.answer.as_ref()?.as_ref().ok()?;
        shown_answer.question.place_param.as_ref()?;
        Some((
            self.look_address(MapLook {
                place: name.into(),
                piece: shown_answer.piece.clone(),
                ..self.drawing.look.clone()
            }),
            false,
        ))
    }

    /// Returns the address to which the name of a place is added to ask why it is no option. It is one for all places, because addresses are long.
    pub(super) fn why_not_address(&self) -> Option<String> {
        let is_asked = self.drawing.choice.asks_why && self.drawing.look.question.is_empty();
        is_asked.then(|| {
            self.look_address(MapLook {
                place: String::new(),
                ..self.drawing.look.clone()
            })
        })
    }

    /// Returns the address that selects a piece and asks nothing.
    fn selection_address(&self, piece: &PlacedPiece) -> String {
        self.look_address(MapLook {
            piece: piece.name.clone(),
            ..self.drawing.look.cleared()
        })
    }

    /// Returns the address that asks a question of a piece, or of the whole board; without a question it selects the piece.
    fn question_address(&self, question: &str, piece: &str) -> String {
        self.look_address(MapLook {
            question: question.into(),
            piece: piece.into(),
            place: String::new(),
            ..self.drawing.look.clone()
        })
    }

    /// Returns the question that a click on a piece asks; empty if the click only selects it.
    pub(super) fn question_of(&self, piece: &PlacedPiece) -> &str {
        self.default_question(piece)
            .filter(|_| {
                piece.stands_alone && !self.begins_options(&piece.name) && !self.opens_pieces()
            })
            .unwrap_or_default()
    }

    /// Returns the address to which a piece and a question are added to select it. It is one for all pieces, because addresses are long.
    pub(super) fn pick_address(&self) -> String {
        self.look_address(self.drawing.look.cleared())
    }

    /// Returns what a click on a stack does: answer with one of its pieces, ask about the enemy stack as a destination, or select the
    /// piece.
    pub(super) fn click_on_stack(&self, stack: &[&PlacedPiece]) -> Option<(String, bool)> {
        let answers: Vec<&str> = stack
            .iter()
            .filter_map(|piece| self.answer_address(&piece.name))
            .collect();
        if let [address] = answers[..] {
            return Some((address.into(), true));
        }
        // A click on an enemy stack means its place.
        if !self.drawing.choice.side.is_empty()
            && stack[0].side != self.drawing.choice.side
            && let Some(address) = self.answer_address(&stack[0].place)
        {
            return Some((address.into(), true));
        }
        if let Some(movable) = stack
            .iter()
            .find(|piece| answers.is_empty() && self.begins_options(&piece.name))
        {
            return Some((self.selection_address(movable), false));
        }
        // A counter covers its place, so that a click on it means the place where that is an answer.
        if let Some(address) = self.answer_address(&stack[0].place) {
            return Some((address.into(), true));
        }
        let selected = self
            .after
            .iter()
            .find(|piece| piece.name == self.drawing.look.piece);
        if let Some(click) = selected
            .filter(|own| own.side != stack[0].side)
            .and_then(|_| self.destination_click(&stack[0].place))
        {
            return Some(click);
        }
        // Who can answer comes first, then who leads the others.
        let target = stack
            .iter()
            .filter(|piece| piece.stands_alone && self.has_questions(piece))
            .min_by_key(|piece| (self.answer_address(&piece.name).is_none(), !leads(piece)))
            .or(stack.iter().find(|piece| piece.stands_alone))
            .or(stack.first())?;
        if self.opens_pieces() {
            return Some((self.selection_address(target), false));
        }
        let asks = self.default_question(target);
        // A stack without questions still shows the names of its pieces.
        let is_target = asks.is_some() || answers.len() > 1 || !self.game.map_questions.is_empty();
        is_target.then(|| {
            (
                self.question_address(asks.unwrap_or_default(), &target.name),
                false,
            )
        })
    }

    /// Renders whether the map shows the position as it begins or after the ruling, with a link to the other.
    pub(super) fn render_moment(&self) -> Markup {
        let look = self.drawing.look;
        let other_moment = self.look_address(MapLook {
            before_ruling: !look.before_ruling,
            ..look.clone()
        });
        html! {
            @if !look.before_ruling { p.moment { b { "After this ruling" } ", with these dice and decisions. " a.button href=(other_moment) data-look { "As it begins" } } }
            @else if self.ruling_moves { p.moment { b { "As it begins" } ". " a.button href=(other_moment) data-look { "After this ruling" } } }
        }
    }

    /// Returns the pieces of the counter that is open to be changed, as a list of names.
    pub(super) fn opened_pieces(&self) -> Option<String> {
        let stack = self.drawing.look.stack(&self.after);
        let names: Vec<&str> = stack.iter().map(|piece| piece.name.as_str()).collect();
        (self.opens_pieces() && !names.is_empty()).then(|| serde_json::json!(names).to_string())
    }

    /// Renders the verdict in one line above the map; the full answer follows below.
    pub(super) fn render_verdict(&self) -> Markup {
        let selected = self
            .after
            .iter()
            .find(|piece| piece.name == self.drawing.look.piece);
        let links = LinkTarget::for_request(self.drawing.request);
        html! {
            p.verdict role="status" {
                @if let Some(why) = &self.drawing.choice.why_not { (render_why_not(why, &self.prose(&links))) }
                @else if self.begins_options(&self.drawing.look.piece) { (self.drawing.look.piece) ": click where." }
                @else { @match (&self.answer, selected) {
                    (Some(Ok(seen)), _) => {
                        @let ruling = &seen.resolved.ruling;
                        @let lines: Vec<&RulingLine> = ruling.steps.iter().flat_map(|step| &step.lines).collect();
                        // With a selected place its last line is the verdict, otherwise the first line.
                        @let line_of_place = if self.drawing.look.place.is_empty() { lines.first() } else { lines.last() };
                        @if let Some(line) = ruling.refused.as_ref().or(line_of_place.copied()) {
                            @if ruling.refused.is_some() { b { (self.prose(&links).render(&line.text)) } } @else { (self.prose(&links).render(&line.text)) }
                            @for cite in line.cites.iter().take(2) { " " a.cite href=(links.cite_address(cite)) { (cite) } }
                        }
                    }
                    (Some(Err(error)), _) => (error_line(error)),
                    (None, Some(piece)) => {
                        (piece.name) " stands in " (self.place_words(&piece.place))
                        @if self.opens_pieces() { ". Its figures are below; a click on the map puts it elsewhere" }
                        @else if !self.has_questions(piece) { "; it is not a piece that moves" }
                        "."
                    }
                    _ if self.opens_pieces() => span.quiet { "Click a counter to change it, or drag it to where it is to stand." },
                    _ => @if let Some(first) = self.game.map_questions.iter().find(|question| question.piece_param.is_some()) {
                        span.quiet { "Click a piece: " (first.name) "." }
                    },
                } }
            }
        }
    }

    /// Renders the available questions and the answer to the selected one.
    pub(super) fn render_questions(&self) -> Markup {
        let (look, game) = (self.drawing.look, self.game);
        let (of_a_piece, on_map): (Vec<&MapQuestion>, Vec<&MapQuestion>) = game
            .map_questions
            .iter()
            .partition(|question| question.piece_param.is_some());
        // Those that can answer come first.
        let mut stacked = look.stack(&self.after);
        let can_answer = |piece: &PlacedPiece| {
            self.answer_address(&piece.name).is_some() || self.begins_options(&piece.name)
        };
        stacked.sort_by_key(|piece| !can_answer(piece));
        html! {
            @if !game.map_questions.is_empty() && !self.plan.places.is_empty() {
                p.questions {
                    @for question in on_map {
                        a.button href=(self.question_address(&question.name, "")) data-look aria-current=[(look.question == question.name).then_some("true")] { (question.name) }
                        " "
                    }
                    @if *look != look.cleared() { a href=(self.look_address(look.cleared())) data-look { "clear" } }
                }
            }
            @if !stacked.is_empty() {
                ul.company aria-label={ "In " (self.place_words(&stacked[0].place)) } {
                    @for piece in stacked {
                        li {
                            span class=(side_colour(game, &piece.side)) { (piece.name) }
                            @if let Some(address) = self.answer_address(&piece.name) { " " a.button href=(address) data-move { "choose" } }
                            @else if self.begins_options(&piece.name) { " " a.button href=(self.selection_address(piece)) data-look { "choose" } }
                            @if piece.stands_alone {
                                @for question in of_a_piece.iter().filter(|question| question.applies_to_kind(&piece.kind, game)) { " " a href=(self.question_address(&question.name, &piece.name)) data-look { (question.name) } }
                            }
                        }
                    }
                }
            }
            @if let Some(address) = self.why_not_address().filter(|_| !self.plan.places.is_empty()) {
                form.place.why-not action=(situation_address(self.drawing.request, self.drawing.page)) data-look=(address) {
                    (hidden_fields(self.drawing.request))
                    label { span { "Why not" } " " input name="to" value=(look.place) placeholder="a place" required; } " " button { "Ask" }
                }
            }
            @match &self.answer {
                Some(Ok(seen)) => (self.render_answer(seen)),
                Some(Err(error)) => (render_error(error)),
                None => {}
            }
        }
    }

    /// Renders the ruling on a question, with a field for the place.
    fn render_answer(&self, answer: &MapAnswer) -> Markup {
        let look = self.drawing.look;
        let without_place = MapLook {
            place: String::new(),
            piece: answer.piece.clone(),
            ..look.clone()
        };
        let ruling = chart::render_ruling(
            &answer.resolved.ruling,
            &self.prose(&LinkTarget::for_request(self.drawing.request)),
        );
        html! {
            section.seen aria-live="polite" {
                h2 { (answer.question.name) @if !answer.piece.is_empty() { ": " (answer.piece) } }
                @if answer.question.place_param.is_some() {
                    form.place data-look=(self.look_address(without_place)) {
                        label { span { "And there?" } " " input name="to" value=(look.place) placeholder="a place" required; }
                        " " button { "Ask" }
                        span.quiet { " or click it" }
                    }
                }
                // At the table the map and the line above it say what matters.
                @if self.drawing.page == "play" { details.reasons { summary { "Why?" } (ruling) } } @else { (ruling) }
            }
        }
    }

    /// Renders the name of a piece as a link that selects it.
    pub(super) fn render_piece_name(&self, piece: &PlacedPiece) -> Markup {
        let asks = self.default_question(piece).filter(|_| piece.stands_alone);
        html! {
            span class=(side_colour(self.game, &piece.side)) {
                @if self.opens_pieces() { a href=(self.selection_address(piece)) data-look { (piece.name) } }
                @else if let Some(asks) = asks { a href=(self.question_address(asks, &piece.name)) data-look { (piece.name) } } @else { (piece.name) }
            }
        }
    }
}

/// Returns what an option is called: an area by its name, anything else by its own text.
pub fn option_words(option: &str, board: &Board, game: &Game) -> String {
    if game.places.is_hex_grid {
        return option.into();
    }
    place_words(option, board, game)
}

fn error_line(error: &Error) -> String {
    match error {
        Error::Data(complaints) => complaints
            .0
            .first()
            .map_or_else(String::new, |complaint| complaint.message.clone()),
        other => other.to_string(),
    }
}

/// Returns whether an option begins with the name of a piece and goes on.
fn begins_with(option: &MapOption, piece: &str) -> bool {
    !piece.is_empty()
        && option
            .text
            .strip_prefix(piece)
            .is_some_and(|rest| rest.starts_with(' '))
}

/// Renders in a sentence why a place is no option.
pub fn render_why_not(reason: &Result<WhyNot, Error>, prose: &Prose) -> Markup {
    let reason = match reason {
        Ok(reason) => reason,
        Err(error) => return html! { (error_line(error)) },
    };
    html! {
        b { (reason.verdict) } " " (prose.render(&reason.line.text))
        @for cite in reason.line.cites.iter().take(2) { " " a.cite href=(prose.links.cite_address(cite)) { (cite) } }
    }
}
