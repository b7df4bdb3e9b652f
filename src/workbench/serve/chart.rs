//! Renders rulings and assumptions as HTML.

use crate::serve::layout::{LinkTarget, render_with_commas};
use crate::serve::prose::Prose;
use crate::serve::switches::render_reading_text;
use casebook_analysis::odds::assumptions::{
    Assumptions, PARTLY_OPEN, SettledQuestion, TRUNCATED, TypedPolicy,
};
use casebook_analysis::odds::bar_chart::partly;
use casebook_analysis::odds::query::OddsResult;
use casebook_engine::complaint::counted;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::citations::SHOWN_CITES;
use casebook_engine::ruling::render::TAKEN_BACK;
use casebook_engine::ruling::resolve::{Ruling, RulingLine};
use casebook_engine::ruling::terminal_page::json_text;
use casebook_engine::situation::trace::UnusedAnswer;
use casebook_view::grid::{OddsGrid, Variation};
use casebook_view::html::{colour, render_grid};
use maud::{Markup, html};

/// Renders the assumptions of the odds beyond the printed rules.
pub fn render_assumptions(assumed: &Assumptions, ruleset: &Ruleset, links: &LinkTarget) -> Markup {
    let listed = |title: &str, lines: &[String]| html! { @if !lines.is_empty() { h3 { (title) } ul { @for line in lines { li { (line) } } } } };
    let nothing = assumed.is_empty();
    html! {
        (render_list("Answers to questions that were not asked", &UnusedAnswer::describe_all(&assumed.unused_answers)))
        (render_list(PARTLY_OPEN, &assumed.partly_open.iter().map(SettledQuestion::to_string).collect::<Vec<_>>()))
        (render_list(TRUNCATED, &assumed.truncations))
        @if !nothing {
            details.rests {
                summary { "What these odds rest on" }
                @if !assumed.choices.is_empty() {
                    h3 { "Unanswered choices: each takes its first option" }
                    ul { @for left in &assumed.choices { li { (left.question) ": " b { (left.first.join(" or ")) } } } }
                }
                (listed("Policies", &assumed.policies.iter().map(TypedPolicy::to_string).collect::<Vec<_>>()))
                @if !assumed.readings.is_empty() {
                    h3 { "Doubtful places, and how they are read" }
                    ul {
                        @for read in &assumed.readings {
                            li { (render_reading_text(ruleset, &read.reading, links)) ": " b { (read.way) } span.quiet { " (or " (read.others.join(", ")) ")" } }
                        }
                    }
                }
                (listed("Reconstructed figures", &assumed.reconstructed.iter().map(|line| named_by_title(line)).collect::<Vec<_>>()))
                @if !assumed.cases_reconstructed.is_empty() { (render_reconstructed_cases(&assumed.cases_reconstructed, links)) }
            }
        }
    }
}

/// Names a file in a line such as "scenarios/GAME/two-hills.yaml: size of Red" by its title, without the path.
fn named_by_title(line: &str) -> String {
    match line.split_once(".yaml: ") {
        Some((path, figures)) => {
            let name = path.rsplit('/').next().unwrap_or(path);
            format!("{}: {figures}", name.replace('-', " "))
        }
        None => line.into(),
    }
}

/// Renders links to the cases whose printed wording is not known.
fn render_reconstructed_cases(cases: &[String], links: &LinkTarget) -> Markup {
    html! {
        p.quiet {
            "The printed wording is not known of "
            (render_with_commas(cases.iter().map(|cite| html! { a.cite href=(links.cite_address(cite)) { (cite) } })))
            "."
        }
    }
}

/// Renders the odds under several rulesets, below the list of these.
pub fn render_comparison(views: &[(String, OddsResult)], game: &Game) -> Markup {
    let counted = |(title, found): &(String, OddsResult)| {
        Variation::counted(title, &found.odds, found.sample.as_ref())
    };
    let Some((_, first)) = views.first() else {
        return html! {};
    };
    let grid = OddsGrid::new(
        views.iter().map(counted).collect(),
        game,
        &first.odds.unnamed,
    );
    html! {
        ol.key aria-label="Rulesets" {
            @for (index, (title, found)) in views.iter().enumerate() {
                li class=(colour(index)) { (title) @if let Some(sample) = &found.sample { span.quiet { " " (partly(&found.odds, sample, "")) } } }
            }
        }
        (render_grid(&grid))
    }
}

/// Renders a ruling; each line shows the cases and tables that it cites.
pub fn render_ruling(ruling: &Ruling, prose: &Prose) -> Markup {
    let links = prose.links;
    html! {
        div.ruling {
            @for step in &ruling.steps {
                section {
                    @if !step.title.is_empty() { h3 { (step.title) } }
                    @for line in &step.lines { (render_line(line, prose)) }
                }
            }
            @if let Some(refusal) = &ruling.refused {
                section.refused role="alert" { h3 { "Refused" } (render_line(refusal, prose)) @if ruling.taken_back { p { (TAKEN_BACK) } } }
            }
            @if !ruling.results.is_empty() {
                section.outcome {
                    h3 { "Outcome" }
                    @if !ruling.headline.is_empty() { p.headline { (ruling.headline) } }
                    @for (i, group) in ruling.groups.iter().enumerate() {
                        @let list = html! { dl { @for name in &group.outcomes { @if let Some(value) = ruling.results.get(name) { div { dt { (name) } dd { (json_text(value)) (render_outcome_cites(ruling, name, links)) } } } } } };
                        @if i == 0 { (list) } @else { details.group { summary { (group.title) " " span.quiet { (group.outcomes.len()) } } (list) } }
                    }
                }
            }
            (render_list("Answers to questions that were not asked", &UnusedAnswer::describe_all(&ruling.unused_answers)))
            @if !ruling.reconstructed.is_empty() {
                details.rests {
                    summary { span.status.reconstructed { "~" } " Rests on reconstructed figures" }
                    ul { @for line in &ruling.reconstructed { li { (named_by_title(line)) } } }
                }
            }
            @let count = ruling.cases_reconstructed.len();
            @if count > 0 {
                details.rests {
                    summary { "The printed wording of " (counted(count, "case")) " is not known" }
                    (render_reconstructed_cases(&ruling.cases_reconstructed, links))
                }
            }
        }
    }
}

/// Renders what an outcome cites that has no line of its own.
fn render_outcome_cites(ruling: &Ruling, name: &str, links: &LinkTarget) -> Markup {
    let cites = ruling
        .outcome_cites
        .get(name)
        .map(Vec::as_slice)
        .unwrap_or_default();
    html! { @for cite in &cites[..cites.len().min(SHOWN_CITES)] { " " a.cite href=(links.cite_address(cite)) { (cite) } } }
}

/// Renders lines below a title; nothing without lines.
pub fn render_list(title: &str, lines: &[String]) -> Markup {
    html! { @if !lines.is_empty() { section.quiet { h3 { (title) } ul { @for line in lines { li { (line) } } } } } }
}

/// Renders a line with its citations; further citations and details are collapsed.
fn render_line(line: &RulingLine, prose: &Prose) -> Markup {
    let links = prose.links;
    let (shown_cites, folded_cites) = line.cites.split_at(line.cites.len().min(SHOWN_CITES));
    let folded = folded_cites.len() + line.behind.len();
    // A page has a thousand of them: what they look like is said of what holds them.
    let cited = |cites: &[String]| html! { @for cite in cites { a href=(links.cite_address(cite)) { (cite) } " " } };
    html! {
        div.line {
            p { (prose.render(&line.text)) }
            @if !shown_cites.is_empty() {
                div.cites {
                    (cited(shown_cites))
                    @if folded > 0 {
                        details { summary title="What else it rests on" { "+" (folded) span.hidden { " more that this rests on" } } (cited(folded_cites)) (cited(&line.behind)) }
                    }
                }
            }
        }
    }
}
