//! The comparison page: one situation under several rulesets, and the amendments that cause the differences.

use crate::serve::chart::{render_comparison, render_list};
use crate::serve::layout::{
    LinkTarget, layer_colour, render_error, render_failed_query, situation_address,
};
use crate::serve::page_request::PageRequest;
use crate::serve::prose::Prose;
use crate::serve::queries::{self, MAX_RULESETS, PageCount, compare, count_limits};
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::compare::ruleset_difference::RulesetDifference;
use casebook_analysis::compare::view::RulesetView;
use casebook_analysis::odds::assumptions::TRUNCATED;
use casebook_analysis::odds::headline::{headline_values, sentence};
use casebook_analysis::odds::query::OddsResult;
use casebook_analysis::usecase::settings::CountLimits;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruling::situation::Situation;
use casebook_view::comparison::verdict;
use casebook_view::html::render_linked;
use maud::{Markup, html};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of the search for causes.
const CAUSES_TIME: Duration = Duration::from_secs(30);

/// Lists the rulesets that the page offers: the printed game, the situation's variants alone and with each other variant, each variant
/// alone, all compatible variants, and those of the address.
pub fn ruleset_choices(
    library: &Library,
    request: &PageRequest,
    default: &[String],
) -> Vec<Vec<String>> {
    let variants = library.variants_of(&request.game);
    let mut stacks: Vec<Vec<String>> = vec![Vec::new(), default.to_vec()];
    stacks.extend(variants.iter().map(|name| vec![name.to_string()]));
    let beside = variants
        .iter()
        .filter(|name| !default.iter().any(|variant| variant == *name));
    stacks.extend(beside.map(|name| default.iter().cloned().chain([name.to_string()]).collect()));
    stacks.push(library.compatible_variants(&request.game));
    stacks.extend(request.with.clone());
    stacks.extend(request.rulesets.clone());
    let mut found: Vec<Vec<String>> = Vec::new();
    for stack in stacks {
        let is_complete = library
            .variants
            .values()
            .filter(|variant| stack.contains(&variant.name))
            .count()
            == stack.len();
        if !found.contains(&stack) && is_complete {
            found.push(stack);
        }
    }
    found
}

/// Returns the default comparison: the situation's ruleset, and the same with one more variant.
pub fn default_rulesets(stacks: &[Vec<String>], default: &[String]) -> Vec<Vec<String>> {
    let extended = stacks
        .iter()
        .find(|stack| stack.len() == default.len() + 1 && stack.starts_with(default));
    let different = extended.or(stacks.iter().find(|stack| stack.as_slice() != default));
    [Some(&default.to_vec()), different]
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}

/// Renders the choice of rulesets as checkboxes.
pub fn render_form(library: &Library, request: &PageRequest, stacks: &[Vec<String>]) -> Markup {
    html! {
        form #situation.stacks method="get" data-live data-most=(MAX_RULESETS) {
            // The form keeps the changes to the situation.
            @for (name, value) in &request.set { input type="hidden" name={ "set:" (name) } value=(value); }
            @for (name, value) in &request.choose { input type="hidden" name={ "choose:" (name) } value=(value); }
            fieldset.switches {
                legend { "Rulesets side by side" }
                p.quiet { "Tick two or more, " (MAX_RULESETS) " at most." }
                @for stack in stacks {
                    label {
                        input type="checkbox" name="ruleset" value=(stack.join(",")) checked[request.rulesets.contains(stack)];
                        " "
                        @if stack.is_empty() { @match library.game(&request.game) { Ok(game) => (game.title), Err(_) => "the printed game" } }
                        @for name in stack { span class={ (layer_colour(library, &request.game, name)) " chip" } { (name) } " " }
                        @if let [name] = &stack[..] { span.quiet { (library.variants[name].title) } }
                    }
                }
                label.own-stack {
                    span { "Another one" }
                    input name="beside" list="variants" placeholder="hardy, my-house" data-plain="" data-still;
                }
                datalist #variants { @for name in library.variants_of(&request.game) { option value=(name) {} } }
            }
            button { "Compare" }
        }
    }
}

/// Renders the odds under each ruleset. A count that exceeds the time limit is sampled, and the page requests it again with a longer one.
pub fn render_odds(snapshot: &DataSnapshot, request: &PageRequest, count: PageCount) -> Markup {
    let odds = count_odds(snapshot, request, count.limits)
        .and_then(|odds| Ok((odds, snapshot.library.game(&request.game)?)));
    match odds {
        Err(error) => render_failed_query(&error, request),
        Ok((compared, game)) => {
            let ComparedOdds {
                views,
                headlines,
                truncations,
            } = compared;
            html! {
                (count.render_progress(views.iter().any(|(_, odds)| odds.sample.is_some())))
                @if headlines.iter().any(|headline| !headline.is_empty()) {
                    ol.headlines {
                        @for (i, (headline, (title, _))) in headlines.iter().zip(&views).enumerate() {
                            li class={ "r" (i % 6 + 1) } { b { (title) ": " } (headline) }
                        }
                    }
                }
                (render_comparison(&views, game))
                (render_list(TRUNCATED, &truncations))
            }
        }
    }
}

/// The odds under several rulesets.
struct ComparedOdds {
    /// The odds under each ruleset, with its title.
    views: Vec<(String, OddsResult)>,
    headlines: Vec<String>,
    /// The throws that are cut off.
    truncations: Vec<String>,
}

/// Counts the odds under each ruleset of the request.
fn count_odds(
    snapshot: &DataSnapshot,
    request: &PageRequest,
    limits: CountLimits,
) -> Result<ComparedOdds, Error> {
    let situations = queries::situations_of(snapshot, request)?;
    let share_of_limits = CountLimits {
        time: limits.time / situations.len().max(1) as u32,
        ..limits
    };
    let (mut views, mut headlines, mut truncations) = (Vec::new(), Vec::new(), BTreeSet::new());
    for situation in &situations {
        let counted = queries::odds(situation, request, share_of_limits)?;
        truncations.extend(counted.assumptions.truncations);
        let result = counted.result;
        headlines.push(sentence(&headline_values(
            situation,
            &result.odds,
            result.sample.as_ref(),
        )));
        views.push((view_title(situation), result));
    }
    Ok(ComparedOdds {
        views,
        headlines,
        truncations: truncations.into_iter().collect(),
    })
}

/// Returns the title of a ruleset; the printed game is named by its title.
fn view_title(situation: &Situation) -> String {
    let ruleset = situation.ruleset();
    let title = ruleset.short_title();
    if ruleset.variants().next().is_some() {
        title
    } else {
        title.replacen(&ruleset.game.name, &ruleset.game.title, 1)
    }
}

/// Renders the amendments that cause the differences.
pub fn render_causes(snapshot: &DataSnapshot, request: &PageRequest, stop: &AtomicBool) -> Markup {
    let compared = match compare(snapshot, request, count_limits(CAUSES_TIME, stop)) {
        Err(Error::Usage(_) | Error::Unanswered { .. }) => return html! {},
        Err(error) => return render_error(&error),
        Ok(compared) => compared,
    };
    let links = LinkTarget::of_game(&request.game);
    let pair = |difference: &RulesetDifference, pair: &[RulesetView]| {
        let ruleset = pair[1].situation.ruleset();
        let prose = Prose {
            ruleset,
            links: &links,
        };
        let titles = [
            view_title(&pair[0].situation),
            view_title(&pair[1].situation),
        ];
        let verdict = verdict(difference, [&titles[0], &titles[1]]);
        render_linked(&[verdict], &|text| prose.render(text))
    };
    html! {
        @for (difference, views) in compared.differences.iter().zip(compared.views.windows(2)) { (pair(difference, views)) }
        p { a href=(situation_address(&PageRequest { rulesets: Vec::new(), ..request.clone() }, "")) { "To the calculator" } }
    }
}
