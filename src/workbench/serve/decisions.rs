//! The decisions of a situation: which pieces its procedure is given, and what is answered where it asks. Offered is what the rules take.

use crate::serve::fields::inline_yaml;
use crate::serve::layout::{LinkTarget, situation_address};
use crate::serve::page_request::PageRequest;
use crate::serve::prose::Prose;
use crate::serve::queries::{self, InvalidChoice};
use crate::serve::workbench::changed_situation;
use casebook_engine::complaint::{Error, Span, counted};
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::sheet::{GIVEN, SheetField, SheetFields};
use casebook_engine::data::yaml::{YamlNode, YamlValue};
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::resolve::ResolvedRuling;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::initial_board::{KIND_COLUMN, SIDE_COLUMN};
use casebook_engine::situation::trace::{Event, MadeChoice};
use casebook_engine::situation::value_text::{distinct, value_text};
use maud::{Markup, html};
use std::cell::Cell;
use std::time::Duration;

/// So many questions are open; more of them are folded.
const MAX_OPEN_QUESTIONS: usize = 10;

/// The decisions of a situation.
pub struct Decisions<'a> {
    /// The situation with the changes of the request.
    pub current: &'a Situation,
    /// The situation as in its file.
    pub original: &'a Situation,
    pub request: &'a PageRequest,
    /// What came of it, unless it takes too long.
    pub resolved: Option<&'a ResolvedRuling>,
    /// Answers that are not open.
    pub unfit: &'a [InvalidChoice],
    /// The time in which it is tried which pieces the procedure takes. Those that are not tried in it are offered.
    pub trial_time: Duration,
    /// Set where the time was too short.
    pub is_untried: &'a Cell<bool>,
}

/// Yields what a situation gives to its procedure.
pub fn given_entries(situation: &Situation) -> &[(YamlNode, YamlNode)] {
    situation.scenario.root.entries_of(GIVEN)
}

/// Lists the pieces among which an argument that names pieces is picked: those of the file first, then the others of their side. Empty if it
/// names anything else.
pub fn pieces_to_pick<'s>(
    current: &'s Situation,
    original: &Situation,
    (key, value): (&str, &YamlNode),
    field: Option<&SheetField>,
) -> Vec<&'s str> {
    if field.is_some_and(|field| {
        !field
            .constraint
            .references
            .iter()
            .any(|kind| kind == "piece")
    }) {
        return Vec::new();
    }
    let start = &current.initial_board;
    let place = |name: &str| {
        start
            .names
            .iter()
            .position(|piece| !name.is_empty() && piece.as_str() == name)
    };
    let filed = original
        .scenario
        .root
        .get(GIVEN)
        .and_then(|given| given.get(key));
    let names = |node: &YamlNode| {
        named_pieces(node)
            .into_iter()
            .map(|name| place(&name))
            .collect::<Option<Vec<usize>>>()
    };
    let (Some(now), Some(before)) = (names(value), filed.map_or(Some(Vec::new()), names)) else {
        return Vec::new();
    };
    let listed: Vec<usize> = before.into_iter().chain(now).collect();
    let Some(first) = listed.first().copied() else {
        return Vec::new();
    };
    let same = |column: usize, piece: &usize| {
        start.columns[column][*piece] == start.columns[column][first]
    };
    let side = (0..start.names.len()).filter(|piece| same(SIDE_COLUMN, piece));
    let (alike, others): (Vec<usize>, Vec<usize>) =
        side.partition(|piece| same(KIND_COLUMN, piece));
    distinct(listed.into_iter().chain(alike).chain(others))
        .into_iter()
        .map(|piece| start.names[piece].as_str())
        .collect()
}

/// Returns the texts of a value that may name pieces: a list of texts, or one text.
fn named_pieces(value: &YamlNode) -> Vec<String> {
    match &value.value {
        YamlValue::List(list) => list
            .iter()
            .map(|item| item.text_or_empty().to_string())
            .collect(),
        _ => vec![value.text_or_empty().to_string()],
    }
}

/// Writes the name of a piece as a value of a file.
fn written(name: &str) -> String {
    inline_yaml(&YamlNode {
        span: Span::default(),
        value: YamlValue::Scalar(name.into(), true),
    })
}

/// The pieces that are offered for an argument, and those that the rules refuse, each with the reason.
struct OfferedPieces<'s> {
    open: Vec<&'s str>,
    closed: Vec<(&'s str, String)>,
}

impl Decisions<'_> {
    /// Renders what is picked, and the questions of the ruling.
    pub fn render(&self) -> Markup {
        let fields = self.current.ruleset().given(&self.current.procedure);
        html! { (self.render_picks(&fields)) (self.render_choices()) }
    }

    fn render_picks(&self, fields: &SheetFields) -> Markup {
        html! {
            @for (key, value) in given_entries(self.current) {
                @let key = key.text_or_empty();
                @let pieces = pieces_to_pick(self.current, self.original, (key, value), fields.get(key));
                @if !pieces.is_empty() { (self.render_pick((key, value), fields.get(key), pieces)) }
            }
        }
    }

    /// Renders the field of an argument that names pieces: a box to tick for each, or a drop-down list for a single one.
    fn render_pick(
        &self,
        (key, value): (&str, &YamlNode),
        field: Option<&SheetField>,
        pieces: Vec<&str>,
    ) -> Markup {
        let (now, label) = (named_pieces(value), key.replace('_', " "));
        let filed = self
            .original
            .scenario
            .root
            .get(GIVEN)
            .and_then(|given| given.get(key));
        let old = filed.map(inline_yaml).unwrap_or_default();
        let changed = inline_yaml(value) != old;
        let is_list = matches!(value.value, YamlValue::List(_));
        let offered = self.offered(key, &now, is_list, pieces);
        let is_now = |name: &str| now.iter().any(|picked| picked == name);
        let links = LinkTarget::for_request(self.request);
        let prose = Prose {
            ruleset: self.current.ruleset(),
            links: &links,
        };
        let id = |name: &str| format!("pick-{key}-{}", name.replace(' ', "-"));
        html! {
            @if is_list {
                fieldset.picks.changed[changed] data-plain=(old) title=[field.map(|field| &field.title)] {
                    legend { (label) }
                    @for name in &offered.open {
                        label.tick { input type="checkbox" id=(id(name)) form="situation" name={ "pick:given: " (key) } value=(written(name)) checked[is_now(name)]; " " (name) }
                    }
                }
            } @else {
                div.fields {
                    label.changed[changed] title=[field.map(|field| &field.title)] {
                        span { (label) }
                        select id={ "pick-" (key) } form="situation" name={ "set:given: " (key) } data-plain=(old) {
                            @for name in &offered.open { option value=(written(name)) selected[is_now(name)] { (name) } }
                        }
                    }
                }
            }
            @if !offered.closed.is_empty() {
                details.quiet.closed-pieces {
                    summary { (counted(offered.closed.len(), "other")) " can't" }
                    ul { @for (name, why) in &offered.closed { li { b { (name) } ": " (prose.render(why)) } } }
                }
            }
        }
    }

    /// Tries each piece: the rules themselves say who may. Where they refuse everybody, something else is wrong, and all are offered.
    fn offered<'s>(
        &self,
        key: &str,
        now: &[String],
        is_list: bool,
        pieces: Vec<&'s str>,
    ) -> OfferedPieces<'s> {
        let begun = Instant::now();
        let mut offered = OfferedPieces {
            open: Vec::new(),
            closed: Vec::new(),
        };
        for name in pieces.iter().copied() {
            if now.iter().any(|picked| picked == name) {
                offered.open.push(name);
                continue;
            }
            let left = self.trial_time.saturating_sub(begun.elapsed());
            let values = match is_list {
                true => {
                    let with_it = now.iter().map(String::as_str).chain([name]);
                    let all: Vec<String> = with_it.map(written).collect();
                    vec![
                        format!("[{}]", all.join(", ")),
                        format!("[{}]", written(name)),
                    ]
                }
                false => vec![written(name)],
            };
            // Who can't join those that are picked may still do it alone.
            let refusals: Option<Vec<String>> = values
                .into_iter()
                .map(|value| self.refusal(key, value, left))
                .collect();
            match refusals.and_then(|refusals| refusals.into_iter().last()) {
                Some(why) => offered.closed.push((name, why)),
                None => offered.open.push(name),
            }
        }
        let is_anybody_open = offered.open.len() > now.len();
        let is_refused = self
            .resolved
            .is_none_or(|resolved| resolved.ruling.refused.is_some());
        if !is_anybody_open && is_refused {
            (offered.open, offered.closed) = (pieces, Vec::new());
        }
        offered
    }

    /// Returns why the procedure refuses a value; `None` if it takes it, or that is not known in time.
    fn refusal(&self, key: &str, value: String, time: Duration) -> Option<String> {
        let mut request = self.request.clone();
        request
            .set
            .insert(FigureName { target: GIVEN, key }.to_string(), value);
        let resolved = changed_situation(&self.current.program, &request).and_then(|situation| {
            queries::with_valid_choices(&situation, &request, |situation, request| {
                queries::ruling_within(situation, request, time).transpose()
            })
            .0
        });
        match resolved {
            Ok(None) => {
                self.is_untried.set(true);
                None
            }
            Ok(Some(resolved)) => resolved.ruling.refused.map(|line| line.text),
            Err(Error::Data(complaints)) => complaints
                .0
                .first()
                .map(|complaint| complaint.message.to_string()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Renders the questions of the ruling as drop-down lists of their options.
    fn render_choices(&self) -> Markup {
        let Some(resolved) = self.resolved else {
            return html! {};
        };
        let board = &resolved.board;
        let mut asked: Vec<AskedQuestion> = Vec::new();
        for event in &resolved.events {
            let Event::Choice(chosen) = event else {
                continue;
            };
            let question = AskedQuestion::new(chosen, self.current, board);
            if question.options.len() > 1 && !asked.iter().any(|other| other.name == question.name)
            {
                asked.push(question);
            }
        }
        let own = |name: &str| {
            self.current
                .choices
                .get(name)
                .map(|value| value_text(value, board))
        };
        let render = |(index, question): (usize, &AskedQuestion)| {
            let name = &question.name;
            let stale = self.unfit.iter().find(|unfit| unfit.question == *name);
            let plain = own(name).unwrap_or_else(|| {
                if stale.is_some() {
                    String::new()
                } else {
                    question.options[0].0.clone()
                }
            });
            html! {
                label.changed[self.request.choose.contains_key(name)] {
                    span { (question.sentence) }
                    select id={ "choice" (index) } name={ "choose:" (name) } form="situation" data-plain=(plain) {
                        // An answer that is no longer allowed stays listed until another is selected.
                        @if let Some(stale) = stale { option value="" selected { (stale.answer) " (not open)" } }
                        @for (nth, (option, words)) in question.options.iter().enumerate() { option value=(option) selected[stale.is_none() && nth == question.picked] { (words) } }
                    }
                }
            }
        };
        let folded = asked.len().saturating_sub(MAX_OPEN_QUESTIONS);
        html! {
            @if !asked.is_empty() {
                fieldset.choices {
                    legend { "Decisions" }
                    div.fields { @for one in asked.iter().enumerate().take(MAX_OPEN_QUESTIONS) { (render(one)) } }
                    @if folded > 0 {
                        details {
                            summary { (counted(folded, "decision")) " more" }
                            div.fields { @for one in asked.iter().enumerate().skip(MAX_OPEN_QUESTIONS) { (render(one)) } }
                        }
                    }
                }
            }
        }
    }
}

/// A question of a ruling in words.
struct AskedQuestion {
    /// The side and the question, as an address names it.
    name: String,
    sentence: String,
    /// The options, each with what is shown for it.
    options: Vec<(String, String)>,
    picked: usize,
}

impl AskedQuestion {
    fn new(chosen: &MadeChoice, situation: &Situation, board: &Board) -> AskedQuestion {
        let (side, question) = (chosen.side.as_str(), chosen.question.as_str());
        let with_side = |text: &str| match side {
            "" => text.to_string(),
            side => format!("{side}: {text}"),
        };
        let words = situation.ruleset().words_of_question(question);
        let options = chosen.options.iter().map(|option| {
            let text = value_text(option, board);
            let shown = words
                .as_ref()
                .map_or_else(|| text.clone(), |(_, words)| words.label(&text));
            (text, shown)
        });
        AskedQuestion {
            name: with_side(question),
            sentence: with_side(words.as_ref().map_or(question, |(sentence, _)| sentence)),
            options: options.collect(),
            picked: chosen.chosen_index,
        }
    }
}

/// Renders answers that are no longer allowed, each with the allowed ones.
pub fn render_invalid_choices(invalid_choices: &[InvalidChoice], request: &PageRequest) -> Markup {
    let answered = |choice: &InvalidChoice, option: &str| {
        let mut request = request.clone();
        request
            .choose
            .insert(choice.question.clone(), option.into());
        situation_address(&request, "")
    };
    html! {
        @for one in invalid_choices {
            p.partly role="status" {
                b { (one.question) ": “" (one.answer) "” is not open in every case" } ". These odds take the first option offered throughout. "
                @if !one.allowed.is_empty() { "Where it is not, open are " @for option in &one.allowed { a.button href=(answered(one, option)) { (option) } " " } }
            }
        }
    }
}
