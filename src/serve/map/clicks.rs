//! What a click on the map does, and what is asked of it: the same as links and a field, for who uses the keyboard or listens.

use crate::complaint::Error;
use crate::data::manifest::Question;
use crate::ruling::resolve::Line;
use crate::serve::chart;
use crate::serve::layout::{Links, failed, side};
use crate::serve::map::drawing::Scene;
use crate::serve::map::look::{Look, Seen};
use crate::serve::map::plan::Stand;
use maud::{Markup, html};

impl Scene<'_> {
    /// The address of the answer that a place or a piece is.
    pub(super) fn answer(&self, name: &str) -> Option<&str> {
        self.shown.open.iter().find(|(text, _)| text == name).map(|(_, address)| address.as_str())
    }

    /// The address that looks at something else.
    fn looking(&self, look: Look) -> String {
        look.address(self.shown.ask, self.shown.page)
    }

    /// What is asked of a piece, before anything else; none where it is of a kind that nothing is asked of.
    fn first_of(&self, stand: &Stand) -> Option<&str> {
        self.game.board.iter().find(|question| question.asked_of(&stand.kind, self.game)).map(|question| question.name.as_str())
    }

    /// Whether anything is asked of a piece.
    pub(super) fn is_asked(&self, stand: &Stand) -> bool {
        self.first_of(stand).is_some()
    }

    /// What a click on a place does: it answers, or asks why there or why not.
    pub(super) fn click_on_place(&self, name: &str) -> Option<(String, bool)> {
        self.answer(name).map(|address| (address.to_string(), true)).or_else(|| self.there(name))
    }

    /// The address that asks why a piece may or may not go to a place, where such a question is being asked.
    fn there(&self, name: &str) -> Option<(String, bool)> {
        let asked = self.seen.as_ref()?.as_ref().ok()?;
        asked.question.place.as_ref()?;
        Some((self.looking(Look { to: name.into(), of: asked.of.clone(), ..self.shown.look.clone() }), false))
    }

    /// What a click on a stack does: it answers where one of its pieces is an answer; of another side's it is asked whether one can go
    /// there; else it is looked at.
    pub(super) fn click_on_stack(&self, list: &[&Stand]) -> Option<(String, bool)> {
        let answers: Vec<&str> = list.iter().filter_map(|stand| self.answer(&stand.name)).collect();
        if let [one] = answers[..] {
            return Some((one.into(), true));
        }
        let looked = self.after.iter().find(|stand| stand.name == self.shown.look.of);
        if let Some(there) = looked.filter(|own| own.side != list[0].side).and_then(|_| self.there(&list[0].place)) {
            return Some(there);
        }
        let first =
            list.iter().find(|stand| stand.alone && self.is_asked(stand)).or(list.iter().find(|stand| stand.alone)).or(list.first())?;
        let asks = self.first_of(first);
        let look = Look { asks: asks.unwrap_or_default().into(), of: first.name.clone(), to: String::new(), ..self.shown.look.clone() };
        // What nothing is asked of is named all the same, with what stands beside it.
        (asks.is_some() || answers.len() > 1 || !self.game.board.is_empty()).then(|| (self.looking(look), false))
    }

    /// The answer in one line over the map, where it is seen as one clicks; the whole of it stands below.
    pub(super) fn verdict(&self) -> Markup {
        let looked = self.after.iter().find(|stand| stand.name == self.shown.look.of);
        html! {
            p.verdict role="status" {
                @match (&self.seen, looked) {
                    (Some(Ok(seen)), _) => {
                        @let ruling = &seen.ran.ruling;
                        @let lines: Vec<&Line> = ruling.steps.iter().flat_map(|step| &step.lines).collect();
                        // Of a place the last word counts, else the first.
                        @let told = if self.shown.look.to.is_empty() { lines.first() } else { lines.last() };
                        @if let Some(line) = ruling.refused.as_ref().or(told.copied()) {
                            @if ruling.refused.is_some() { b { (line.text) } } @else { (line.text) }
                            @for cite in line.cites.iter().take(2) { " " a.cite href=(Links::live(self.shown.ask).cited(cite)) { (cite) } }
                        }
                    }
                    (Some(Err(error)), _) => (error_in_a_line(error)),
                    (None, Some(stand)) => {
                        (stand.name) " stands in " (stand.place)
                        @if !self.is_asked(stand) { "; it is no piece that moves" }
                        "."
                    }
                    _ => @if let Some(first) = self.game.board.iter().find(|question| question.piece.is_some()) {
                        span.quiet { "Click a piece: " (first.name) "." }
                    },
                }
            }
        }
    }

    /// What can be asked of the map, and the answer to what was.
    pub(super) fn questions(&self) -> Markup {
        let (look, game) = (self.shown.look, self.game);
        let (of_a_piece, whole): (Vec<&Question>, Vec<&Question>) = game.board.iter().partition(|question| question.piece.is_some());
        let asking = |question: &Question, of: &str| {
            self.looking(Look { asks: question.name.clone(), of: of.into(), to: String::new(), ..look.clone() })
        };
        let moved = self.before != self.after;
        let company = look.company(&self.after);
        html! {
            @if !game.board.is_empty() && !self.plan.spots.is_empty() {
                p.questions {
                    @for question in whole {
                        a.button href=(asking(question, "")) data-look aria-current=[(look.asks == question.name).then_some("true")] { (question.name) }
                        " "
                    }
                    @if moved || look.before {
                        a.button href=(self.looking(Look { before: !look.before, ..look.clone() })) data-look { @if look.before { "after the ruling" } @else { "before the ruling" } }
                        " "
                    }
                    @if *look != Look::default() { a href=(self.looking(Look::default())) data-look { "clear" } }
                }
            }
            @if !company.is_empty() {
                ul.company aria-label={ "In " (company[0].place) } {
                    @for stand in company {
                        li {
                            span class=(side(game, &stand.side)) { (stand.name) }
                            @if let Some(address) = self.answer(&stand.name) { " " a.button href=(address) data-move { "choose" } }
                            @if stand.alone {
                                @for question in of_a_piece.iter().filter(|question| question.asked_of(&stand.kind, game)) { " " a href=(asking(question, &stand.name)) data-look { (question.name) } }
                            }
                        }
                    }
                }
            }
            @match &self.seen {
                Some(Ok(seen)) => (self.answered(seen)),
                Some(Err(error)) => (failed(error)),
                None => {}
            }
        }
    }

    /// The ruling on a question, and a field for the place that is asked about.
    fn answered(&self, seen: &Seen) -> Markup {
        let look = self.shown.look;
        let kept = Look { to: String::new(), of: seen.of.clone(), ..look.clone() };
        html! {
            section.seen aria-live="polite" {
                h3 { (seen.question.name) @if !seen.of.is_empty() { ": " (seen.of) } }
                @if seen.question.place.is_some() {
                    form.place data-look=(self.looking(kept)) {
                        label { span { "And there?" } " " input name="to" value=(look.to) placeholder="a place" required; }
                        " " button { "Ask" }
                        span.quiet { " or click it" }
                    }
                }
                (chart::ruling(&seen.ran.ruling, &Links::live(self.shown.ask)))
            }
        }
    }

    /// The name of a piece, which leads to what the map says of it.
    pub(super) fn named(&self, stand: &Stand) -> Markup {
        let asks = self.first_of(stand).filter(|_| stand.alone);
        let look = |asks: &str| Look { asks: asks.into(), of: stand.name.clone(), to: String::new(), ..self.shown.look.clone() };
        html! {
            span class=(side(self.game, &stand.side)) {
                @if let Some(asks) = asks { a href=(self.looking(look(asks))) data-look { (stand.name) } } @else { (stand.name) }
            }
        }
    }
}

/// What is wrong, in one line.
fn error_in_a_line(error: &Error) -> String {
    match error {
        Error::Data(complaints) => complaints.0.first().map_or_else(String::new, |complaint| complaint.what.clone()),
        other => other.to_string(),
    }
}
