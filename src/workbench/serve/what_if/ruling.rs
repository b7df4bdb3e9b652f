//! The ruling of the battle as a form: each value of its lines is a link that opens what can be changed there, and says what it becomes.

use crate::serve::layout::LinkTarget;
use crate::serve::what_if::bench::with_query;
use crate::serve::what_if::request::WhatIfRequest;
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::odds::bar_chart::percent;
use casebook_checks::house::ruling_forks::{Fork, ForkCase, forks};
use casebook_checks::house::ruling_form::{
    FormLine, FormPlace, FormValue, LinePart, RulingForm, changed_forms, pair_differs, pair_lines,
    ruling_form,
};
use casebook_engine::complaint::Error;
use casebook_engine::ruling::situation::Situation;
use maud::{Markup, html};

/// The cases of a throw that are shown in a strip.
const MAX_CASES: usize = 8;

/// The ruling of a battle before and with the changes, on the same dice.
pub struct BattleRulings {
    pub before: RulingForm,
    /// The ruling with the changes, or why there is none; `None` without changes.
    after: Option<Result<RulingForm, Error>>,
    forks: Vec<Fork>,
    /// What the battle carries out.
    pub procedure: String,
}

impl BattleRulings {
    /// Resolves a battle. With `is_form` the other faces of its throws are wanted, and the words of conditions at what is open.
    pub fn resolve(
        snapshot: &DataSnapshot,
        request: &WhatIfRequest,
        name: &str,
        is_form: bool,
    ) -> Result<BattleRulings, Error> {
        let dice = &request.dice;
        let opened = OpenedPart::parse(&request.open).filter(|_| is_form);
        let open_line = |is_new: bool| {
            let part = opened.filter(|part| part.is_new == is_new)?;
            Some(part.line)
        };
        with_query(snapshot, request, false, |query| {
            let before = query.situation_before(name)?;
            let has_changes = !request.trial.changes.is_empty() || query.changes_kept();
            let mut rulings = BattleRulings {
                procedure: before.procedure.clone(),
                before: RulingForm::default(),
                after: None,
                forks: Vec::new(),
            };
            if is_form {
                let after = || ruling_form(&query.situation_after(name)?, dice, open_line(true));
                rulings.forks = forks(&before, dice).unwrap_or_default();
                rulings.before = ruling_form(&before, dice, open_line(false))?;
                rulings.after = has_changes.then(after);
            } else if has_changes {
                let changed = |after: Situation| changed_forms([&before, &after], dice);
                let forms = query.situation_after(name).and_then(changed);
                rulings.after = Some(forms.map(|[old, new]| {
                    rulings.before = old;
                    new
                }));
            }
            Ok(rulings)
        })
    }

    /// Returns the value, or the line, that an address opens: its text and its places.
    pub fn opened(&self, open: &str) -> Option<(String, &[FormPlace])> {
        let part = OpenedPart::parse(open)?;
        let form = match part.is_new {
            true => self.after.as_ref()?.as_ref().ok()?,
            false => &self.before,
        };
        let line = form.lines.get(part.line)?;
        let Some(number) = part.value else {
            return Some((line.text(), &line.conditions));
        };
        match line.parts.get(number)? {
            LinePart::Value(value) => Some((value.text.clone(), &value.places)),
            LinePart::Text(_) => None,
        }
    }

    /// Returns where a new line stands, the first of these pairs: before the next line that there was or, if that is of another step, behind
    /// its own step.
    fn new_line_at(&self, pairs: &[[Option<usize>; 2]], after: &[FormLine]) -> LinePosition {
        let lines = &self.before.lines;
        let title = pairs[0][1].map(|new| &after[new].step.1);
        let is_in_step = |index: &usize| Some(&lines[*index].step.1) == title;
        let next = pairs.iter().find_map(|[old, _]| *old);
        let last_of_step = (0..lines.len()).rfind(is_in_step);
        match (next.filter(is_in_step), last_of_step) {
            (Some(next), _) => LinePosition::Before(next),
            (None, Some(last)) => LinePosition::After(last),
            (None, None) => next.map_or(
                LinePosition::After(lines.len().saturating_sub(1)),
                LinePosition::Before,
            ),
        }
    }

    /// Returns the changed lines, each with where it stands.
    fn changed_lines(&self) -> Vec<ChangedLine<'_>> {
        let Some(Ok(after)) = &self.after else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let pairs = pair_lines(&self.before.lines, &after.lines);
        for (index, [old, new]) in pairs.iter().copied().enumerate() {
            let old_line = old.map(|old| &self.before.lines[old]);
            let new_line = new.map(|new| (new, &after.lines[new]));
            if pair_differs([&self.before, after], [old, new]) {
                let at = old.map_or_else(
                    || self.new_line_at(&pairs[index..], &after.lines),
                    LinePosition::At,
                );
                found.push(ChangedLine {
                    at,
                    old: old_line,
                    new: new_line,
                });
            }
        }
        found
    }
}

/// Where a changed line stands: in place of one, before it, or behind the last.
#[derive(Clone, Copy)]
enum LinePosition {
    At(usize),
    Before(usize),
    After(usize),
}

/// A line that the changes move.
struct ChangedLine<'r> {
    at: LinePosition,
    old: Option<&'r FormLine>,
    /// The number of the line in the ruling with the changes, and the line.
    new: Option<(usize, &'r FormLine)>,
}

/// What an address opens: `2.1` is the value 1 of line 2, `new-2.1` that of the ruling with the changes, `2` what line 2 depends on.
#[derive(Clone, Copy)]
struct OpenedPart {
    is_new: bool,
    line: usize,
    value: Option<usize>,
}

impl OpenedPart {
    fn parse(open: &str) -> Option<OpenedPart> {
        let new = open.strip_prefix("new-");
        let (line, value) = match new.unwrap_or(open).split_once('.') {
            Some((line, value)) => (line, Some(value.parse().ok()?)),
            None => (new.unwrap_or(open), None),
        };
        Some(OpenedPart {
            is_new: new.is_some(),
            line: line.parse().ok()?,
            value,
        })
    }
}

/// Renders rulings of a request.
pub struct RulingView<'a> {
    pub request: &'a WhatIfRequest,
    pub links: &'a LinkTarget,
}

impl RulingView<'_> {
    /// Renders the whole ruling, with the lines as they become, and `block` behind the line that is open.
    pub fn render(&self, rulings: &BattleRulings, block: &Markup) -> Markup {
        let lines = &rulings.before.lines;
        let changed = rulings.changed_lines();
        // What is opened in a new line stands behind the line beside which that is.
        let opened = OpenedPart::parse(&self.request.open).and_then(|part| {
            let is_it = |line: &&ChangedLine| line.new.is_some_and(|(new, _)| new == part.line);
            match part.is_new {
                true => changed.iter().find(is_it).map(|line| line.at.line()),
                false => Some(part.line),
            }
        });
        let mut steps: Vec<std::ops::Range<usize>> = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            match steps.last_mut() {
                Some(step) if lines[step.start].step.0 == line.step.0 => step.end = index + 1,
                _ => steps.push(index..index + 1),
            }
        }
        html! {
            (render_failure(rulings))
            @for step in steps {
                section.step {
                    @let title = &lines[step.start].step.1;
                    @if !title.is_empty() { h3 { (title) } }
                    @for index in step {
                        div.ruled id={ "line-" (index) } {
                            @let here = |is_before: bool| changed.iter().filter(move |line| line.at.line() == index && matches!(line.at, LinePosition::Before(_)) == is_before);
                            @for line in here(true) { (self.render_changed(line)) }
                            (self.render_line(&index.to_string(), &lines[index]))
                            @for line in here(false) { (self.render_changed(line)) }
                        }
                        @for fork in rulings.forks.iter().filter(|fork| fork.line == index) { (self.render_fork(fork)) }
                        @if opened == Some(index) { (block) }
                    }
                }
            }
        }
    }

    /// Renders the changed lines alone, each with the line that it stands at.
    pub fn render_changes(&self, rulings: &BattleRulings) -> Markup {
        html! {
            (render_failure(rulings))
            div data-lines hidden {
                @for line in rulings.changed_lines() { (self.render_changed(&line)) }
            }
        }
    }

    fn render_line(&self, open: &str, line: &FormLine) -> Markup {
        html! {
            p.said {
                (self.render_parts(open, line))
                (self.render_cites(line))
                @if !line.conditions.is_empty() { " " (self.render_opener(open, "why", "why", "What decides that this happens")) }
            }
        }
    }

    fn render_parts(&self, open: &str, line: &FormLine) -> Markup {
        html! {
            @for (number, part) in line.parts.iter().enumerate() {
                @match part {
                    LinePart::Text(text) => (text),
                    LinePart::Value(value) => (self.render_value(&format!("{open}.{number}"), value, None)),
                }
            }
        }
    }

    /// Renders a line as it becomes: what was there is struck out.
    fn render_changed(&self, line: &ChangedLine) -> Markup {
        let index = line.at.line();
        let is_at = matches!(line.at, LinePosition::At(_));
        let is_before = matches!(line.at, LinePosition::Before(_));
        html! {
            p.said.new data-line=(index) data-in-place[is_at] data-before[is_before] {
                @match (line.old, line.new) {
                    (Some(old), Some((_, new))) => {
                        @for (number, part) in new.parts.iter().enumerate() {
                            @match (part, old.parts.get(number)) {
                                (LinePart::Value(value), Some(LinePart::Value(was))) => (self.render_value(&format!("{index}.{number}"), was, Some(&value.text))),
                                (LinePart::Value(value), _) => (value.text),
                                (LinePart::Text(text), _) => (text),
                            }
                        }
                        (self.render_cites(new))
                    }
                    (Some(old), None) => { del { (old.text()) } }
                    (None, Some((number, new))) => { ins { (self.render_parts(&format!("new-{number}"), new)) } (self.render_cites(new)) }
                    (None, None) => {}
                }
            }
        }
    }

    /// Renders a value; one that can be changed opens its places.
    fn render_value(&self, open: &str, value: &FormValue, new: Option<&str>) -> Markup {
        let text = match new.filter(|new| *new != value.text) {
            Some(new) => html! { del { (value.text) } " " ins { (new) } },
            None => html! { (value.text) },
        };
        let Some(place) = value.places.first() else {
            return text;
        };
        let about = format!("{}: {} {}", place.words, place.text, place.about);
        let is_number = value.text.starts_with(|first: char| first.is_ascii_digit());
        let class = if is_number { "v" } else { "v word" };
        html! { a class=(class) data-open=(open) href=(self.opener(open)) aria-expanded=(is_open(self.request, open)) title=(about.trim_end()) { (text) } }
    }

    fn render_opener(&self, open: &str, class: &str, text: &str, title: &str) -> Markup {
        html! { a class=(class) data-open=(open) href=(self.opener(open)) aria-expanded=(is_open(self.request, open)) title=(title) { (text) } }
    }

    fn opener(&self, open: &str) -> String {
        let opened = self.request.with(|request| request.open = open.into());
        match OpenedPart::parse(open) {
            Some(part) if !part.is_new => {
                format!("{}#line-{}", opened.address(""), part.line)
            }
            _ => opened.address(""),
        }
    }

    /// Renders what the faces of a throw give, side by side: each is a link to the ruling in which it falls so.
    fn render_fork(&self, fork: &Fork) -> Markup {
        let fallen = |case: &ForkCase| {
            let falls = |request: &mut WhatIfRequest| {
                request.dice.set(case.throw.clone());
                request.open.clear();
            };
            self.request.with(falls).address("")
        };
        html! {
            ul.cases aria-label={ "By the throw for " (fork.purpose) } {
                @for case in fork.cases.iter().take(MAX_CASES) {
                    li.thrown[case.is_thrown] {
                        @if case.is_thrown { b { (case.totals_text()) } } @else { a data-go href=(fallen(case)) title="Let it fall so" { b { (case.totals_text()) } } }
                        " " span.quiet { (percent(case.chance)) } " "
                        @if !case.is_thrown { @for line in case.texts() { span { (line) } " " } } @else { span { "as above" } }
                    }
                }
                @if fork.cases.len() > MAX_CASES { li { "and " (fork.cases.len() - MAX_CASES) " more" } }
            }
        }
    }

    fn render_cites(&self, line: &FormLine) -> Markup {
        html! {
            span.cites {
                @for cite in &line.cites { " " a.cite href=(self.links.cite_address(cite)) { (cite) } }
            }
        }
    }
}

impl LinePosition {
    /// Returns the number of the line at which it is.
    fn line(self) -> usize {
        let (LinePosition::At(index) | LinePosition::Before(index) | LinePosition::After(index)) =
            self;
        index
    }
}

fn is_open(request: &WhatIfRequest, open: &str) -> &'static str {
    match request.open == open {
        true => "true",
        false => "false",
    }
}

/// Says why there is no ruling with the changes.
fn render_failure(rulings: &BattleRulings) -> Markup {
    html! {
        @if let Some(Err(error)) = &rulings.after { (crate::serve::what_if::bench::render_refusal(error)) }
    }
}
