//! What a click on the map does, and what is asked of it: the same as links and a field, for who uses the keyboard or listens.

use crate::data::manifest::Question;
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

    /// What is asked of a piece, before anything else.
    fn first_of_a_piece(&self) -> Option<&str> {
        self.game.board.iter().find(|question| question.piece.is_some()).map(|question| question.name.as_str())
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
        let asks = self.first_of_a_piece();
        let first = list.iter().find(|stand| stand.alone).or(list.first())?;
        let look = Look { asks: asks.unwrap_or_default().into(), of: first.name.clone(), to: String::new(), ..self.shown.look.clone() };
        (asks.is_some() || answers.len() > 1).then(|| (self.looking(look), false))
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
                    @else if let Some(first) = of_a_piece.first() { span.quiet { "Click a piece: " (first.name) "." } }
                }
            }
            @if !company.is_empty() {
                ul.company aria-label={ "In " (company[0].place) } {
                    @for stand in company {
                        li {
                            span class=(side(game, &stand.side)) { (stand.name) }
                            @if let Some(address) = self.answer(&stand.name) { " " a.button href=(address) data-move { "choose" } }
                            @if stand.alone {
                                @for question in &of_a_piece { " " a href=(asking(question, &stand.name)) data-look { (question.name) } }
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
        let asks = self.first_of_a_piece().filter(|_| stand.alone);
        let look = |asks: &str| Look { asks: asks.into(), of: stand.name.clone(), to: String::new(), ..self.shown.look.clone() };
        html! {
            span class=(side(self.game, &stand.side)) {
                @if let Some(asks) = asks { a href=(self.looking(look(asks))) data-look { (stand.name) } } @else { (stand.name) }
            }
        }
    }
}
