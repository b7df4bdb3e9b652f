//! Rulesets side by side on one situation, with the amendments that make the difference.

use crate::compare::causes::Cause;
use crate::compare::verdicts::Verdict;
use crate::compare::view::titled;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::odds::find::Found;
use crate::ruling::situation::Situation;
use crate::serve::answers::{self, BESIDE, compare};
use crate::serve::ask::Ask;
use crate::serve::bench::Shelf;
use crate::serve::chart::side_by_side;
use crate::serve::layout::{Links, address, failed, shade, typed};
use maud::{Markup, html};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// For how long what makes the difference is looked for.
const TIME: Duration = Duration::from_secs(30);

/// The rulesets that a page offers: the printed game, what the situation names, each variant, all of them, and what the address has.
pub fn stacks(library: &Library, ask: &Ask, default: &[String]) -> Vec<Vec<String>> {
    let variants = library.variants_of(&ask.game);
    let mut stacks: Vec<Vec<String>> = vec![Vec::new(), default.to_vec()];
    stacks.extend(variants.iter().map(|name| vec![name.to_string()]));
    let beside = variants.iter().filter(|name| !default.iter().any(|known| known == *name));
    stacks.extend(beside.map(|name| default.iter().cloned().chain([name.to_string()]).collect()));
    stacks.push(library.together(&ask.game));
    stacks.extend(ask.with.clone());
    stacks.extend(ask.rulesets.clone());
    let mut found: Vec<Vec<String>> = Vec::new();
    for stack in stacks {
        let stands = library.variants.values().filter(|variant| stack.contains(&variant.name)).count() == stack.len();
        if !found.contains(&stack) && stands {
            found.push(stack);
        }
    }
    found
}

/// What is set side by side where nobody says: what the situation names, and the same with one variant more.
pub fn first(stacks: &[Vec<String>], default: &[String]) -> Vec<Vec<String>> {
    let more = stacks.iter().find(|stack| stack.len() == default.len() + 1 && stack.starts_with(default));
    let other = more.or(stacks.iter().find(|stack| stack.as_slice() != default));
    [Some(&default.to_vec()), other].into_iter().flatten().cloned().collect()
}

/// The rulesets as boxes to tick.
pub fn form(library: &Library, ask: &Ask, stacks: &[Vec<String>]) -> Markup {
    html! {
        form #situation.stacks method="get" data-live data-most=(BESIDE) {
            // What was changed in the situation comes along.
            @for (name, value) in &ask.set { input type="hidden" name={ "set:" (name) } value=(value); }
            @for (name, value) in &ask.choose { input type="hidden" name={ "choose:" (name) } value=(value); }
            fieldset.switches {
                legend { "Side by side" }
                p.quiet { "Two at least, and " (BESIDE) " at most." }
                @for stack in stacks {
                    label {
                        input type="checkbox" name="ruleset" value=(stack.join(",")) checked[ask.rulesets.contains(stack)];
                        " "
                        @if stack.is_empty() { @match library.game(&ask.game) { Ok(game) => (game.title), Err(_) => "the printed game" } }
                        @for name in stack { span class={ (shade(library, &ask.game, name)) " chip" } { (name) } " " }
                    }
                }
            }
            button { "Compare" }
        }
    }
}

/// The odds under each, found in some time; what could not be counted in it is sampled, and asked for again with more.
pub fn odds(shelf: &Shelf, ask: &Ask, stop: &AtomicBool, time: Duration, next: Option<usize>) -> Markup {
    let found = beside(shelf, ask, stop, time).and_then(|views| Ok((views, shelf.library.game(&ask.game)?)));
    match found {
        Err(Error::Usage(what)) => html! { p role="status" { (what) } },
        Err(error) if ask.by_hand() => typed(&error),
        Err(error) => failed(&error),
        Ok((views, game)) => {
            let more = next.filter(|_| views.iter().any(|(_, found)| found.sample.is_some()));
            html! {
                @if let Some(next) = more { p.more data-more=(next) role="status" { "Counting goes on…" } }
                (side_by_side(&views, game))
            }
        }
    }
}

/// What each ruleset makes of the situation.
fn beside(shelf: &Shelf, ask: &Ask, stop: &AtomicBool, time: Duration) -> Result<Vec<(String, Found)>, Error> {
    let situations = answers::beside(shelf, ask)?;
    let part = time / situations.len().max(1) as u32;
    let one = |situation: &Situation| Ok((title(situation), answers::odds(situation, ask, stop, part)?.found));
    situations.iter().map(one).collect()
}

/// A ruleset in words; the printed game alone goes by its title.
fn title(situation: &Situation) -> String {
    let ruleset = situation.ruleset();
    let title = titled(ruleset);
    if ruleset.variants().next().is_some() { title } else { title.replacen(&ruleset.game.name, &ruleset.game.title, 1) }
}

/// The amendments that make the difference.
pub fn causes(shelf: &Shelf, ask: &Ask, stop: &AtomicBool) -> Markup {
    let compared = match compare(shelf, ask, true, stop, TIME) {
        Err(Error::Usage(_)) => return html! {},
        Err(error) => return failed(&error),
        Ok(compared) => compared,
    };
    let links = Links::Live { game: ask.game.clone(), query: String::new() };
    html! {
        @for (parting, pair) in compared.partings.iter().zip(compared.views.windows(2)) {
            section.parting {
                h3 { (title(&pair[0].situation)) " → " (title(&pair[1].situation)) }
                @match parting.verdict() {
                    Verdict::Same => p.quiet { "The same odds, and that is proved." },
                    Verdict::Undecided => p.quiet { "Not decided: no difference was seen in " (parting.runs) " pairs of runs on the same dice." },
                    Verdict::Differs => {
                        @for (outcomes, causes) in together(&parting.causes) {
                            p { b { (outcomes.join(", ")) } }
                            @match causes {
                                None => p.quiet { "Time was up before it was found." },
                                Some(causes) => ul.effects { @for cause in causes { (because(shelf, ask, cause, &links)) } },
                            }
                        }
                    }
                }
            }
        }
        p { a href=(address(&Ask { rulesets: Vec::new(), ..ask.clone() }, "")) { "To the calculator" } }
    }
}

/// Outcomes that have the same causes, told together.
fn together(found: &[(String, Option<Vec<Cause>>)]) -> Vec<(Vec<&str>, Option<&Vec<Cause>>)> {
    let mut list: Vec<(Vec<&str>, Option<&Vec<Cause>>)> = Vec::new();
    for (outcome, causes) in found {
        match list.iter_mut().find(|(_, known)| *known == causes.as_ref()) {
            Some((outcomes, _)) => outcomes.push(outcome),
            None => list.push((vec![outcome], causes.as_ref())),
        }
    }
    list
}

fn because(shelf: &Shelf, ask: &Ask, cause: &Cause, links: &Links) -> Markup {
    let number = cause.what.split(',').next().unwrap_or_default();
    html! {
        li class=(if cause.added { "adds" } else { "strikes" }) {
            @if !cause.layer.is_empty() { span class={ (shade(&shelf.library, &ask.game, &cause.layer)) " chip" } { (cause.layer) } " " }
            @if matches!(cause.kind, "case" | "cell" | "table") { a.cite href=(links.cited(number)) { (cause.what) } } @else { (cause.what) }
            " " (cause.title)
            @if !cause.source.is_empty() { span.quiet { " · " (cause.source) } }
        }
    }
}
